//! Trees that stand elsewhere than what they hang from.
//!
//! ```text
//! lists    [ a  b  c  d │ x  y │ z ]
//!               ▲          ▲     │
//!               │          └─────┘      z hangs from y
//!               └──── x                 x hangs from b: first[b] = x; all that hang from one are a list, both ways
//! ```

use super::lists::NOBODY;
use std::ops::Range;

/// Which trees hang from where. All is by position.
#[derive(Default)]
pub(super) struct Grafts {
    count: usize,
    /// The first that hangs from a position.
    first: Vec<u32>,
    /// By the root of a graft: those beside it, that hang from the same position.
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Grafts {
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.first.clear();
        self.next.clear();
        self.previous.clear();
    }

    /// Hangs a tree, by its root, from a position.
    pub(super) fn hang(&mut self, root: u32, above: u32) {
        let positions = root.max(above) as usize + 1;
        if self.first.len() < positions {
            for list in [&mut self.first, &mut self.next, &mut self.previous] {
                list.resize(positions, NOBODY);
            }
        }
        let next = std::mem::replace(&mut self.first[above as usize], root);
        if next != NOBODY {
            self.previous[next as usize] = root;
        }
        (self.next[root as usize], self.previous[root as usize]) = (next, NOBODY);
        self.count += 1;
    }

    /// Takes a tree off, by its root, from where it hangs.
    pub(super) fn take_off(&mut self, root: u32, above: u32) {
        let (next, previous) = (self.next[root as usize], self.previous[root as usize]);
        match previous {
            NOBODY => self.first[above as usize] = next,
            previous => self.next[previous as usize] = next,
        }
        if next != NOBODY {
            self.previous[next as usize] = previous;
        }
        self.count -= 1;
    }

    /// Visits the roots of all that hang from positions of a range.
    pub(super) fn below(&self, range: Range<usize>, mut visit: impl FnMut(u32)) {
        if self.count == 0 {
            return;
        }
        let end = range.end.min(self.first.len());
        for mut root in self.first[range.start.min(end)..end].iter().copied() {
            while root != NOBODY {
                visit(root);
                root = self.next[root as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grafts_come_off_in_any_order() {
        let mut grafts = Grafts::default();
        let all = |grafts: &Grafts, range| {
            let mut all = Vec::new();
            grafts.below(range, |root| all.push(root));
            all.sort_unstable();
            all
        };
        (10..14).for_each(|root| grafts.hang(root, 3));
        grafts.hang(14, 5);
        assert_eq!(all(&grafts, 0..20), [10, 11, 12, 13, 14]);
        assert_eq!(all(&grafts, 4..6), [14]);
        for (off, left) in [(12, vec![10, 11, 13]), (13, vec![10, 11]), (10, vec![11]), (11, vec![])] {
            grafts.take_off(off, 3);
            assert_eq!(all(&grafts, 3..4), left);
        }
        assert_eq!(grafts.count(), 1);
    }
}
