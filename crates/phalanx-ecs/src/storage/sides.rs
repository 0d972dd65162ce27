//! What is kept beside values, by row, for components that ask for it: ticks of tracked ones, which are switched off of toggles.
//!
//! ```text
//! Position  [ p | p | p ]
//! Health    [ h | h | h ]      #[component(track)]     ticks  [ 4 | 9 | 2 ]
//! Shield    [ s | s | s ]      #[component(toggle)]    off    { row 1 }
//! ```
//!
//! Sides follow the rows through every move. A table or set without such components has none, and nothing is paid for them.

use super::bits::SummedBits;
use super::ticks::Ticks;
use crate::component::{ComponentId, ComponentInfo, Registry};

/// What is kept beside the values of one component, in one table or set.
#[derive(Default)]
pub struct Side {
    /// As many as rows if the component is tracked; none if not.
    pub(crate) ticks: Ticks,
    /// The rows where the component is switched off.
    pub(crate) off: SummedBits,
    tracked: bool,
}

impl Side {
    /// An empty one for a component, if it needs one.
    pub(super) fn new(info: &ComponentInfo) -> Option<Self> {
        info.has_sides().then(|| Self { tracked: info.is_tracked(), ..Self::default() })
    }

    /// Rows up to `len` that have no ticks yet arrived now.
    pub(super) fn extend_to(&mut self, len: usize, now: u32) {
        self.off.resized();
        if self.tracked {
            self.ticks.extend_to(len, now);
        }
    }

    /// Notes the change of a value of a tracked component; `row` is one of its rows.
    pub(super) fn mark(&self, row: usize, now: u32) {
        if self.tracked {
            self.ticks.mark_at(row, now);
        }
    }

    /// Takes a row out of `len`: the last one moves into the hole.
    #[inline(never)]
    pub(super) fn swap_remove(&mut self, row: usize, len: usize) {
        if self.tracked {
            self.ticks.swap_remove(row);
        }
        self.off.swap_remove(row, len);
    }

    /// A row arrives as the row `to`, the last one: from another table's `row`, or now.
    fn take_row(&mut self, to: usize, from: Option<(&Self, usize)>, now: u32) {
        if self.tracked {
            debug_assert_eq!(self.ticks.len(), to);
            let (added, changed) =
                from.map_or((now, now), |(old, row)| (old.ticks.added_at(row), old.ticks.changed_at(row)));
            self.ticks.push(added, changed);
        }
        self.off.resized();
        self.off.set(to, from.is_some_and(|(old, row)| old.off.get(row)));
    }

    pub(super) fn clear(&mut self) {
        self.ticks.clear();
        self.off.clear();
    }

    pub(super) fn rebase(&mut self, by: u32) {
        self.ticks.rebase(by);
    }

    pub(super) fn shrink(&mut self) {
        self.ticks.shrink();
        self.off.shrink();
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        self.ticks.bytes() + self.off.bytes()
    }

    /// The first thing that does not fit together, if any.
    pub(super) fn fault(&self, len: usize) -> Option<String> {
        self.ticks.fault(if self.tracked { len } else { 0 }).or_else(|| self.off.fault(len))
    }
}

/// The sides of one table, in the order of their components.
#[derive(Default)]
pub(crate) struct Sides(Box<[(ComponentId, Side)]>);

/// Of more sides than this it is quicker to halve them than to go through them.
const FEW: usize = 8;

impl Sides {
    /// Those of a table with these components, without rows.
    pub(super) fn new(components: &[ComponentId], registry: &Registry) -> Self {
        debug_assert!(components.is_sorted(), "as archetypes have them");
        Self(components.iter().filter_map(|c| Side::new(registry.at(*c)).map(|side| (*c, side))).collect())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get(&self, component: ComponentId) -> Option<&Side> {
        self.position(component).map(|at| &self.0[at].1)
    }

    pub(crate) fn get_mut(&mut self, component: ComponentId) -> Option<&mut Side> {
        self.position(component).map(|at| &mut self.0[at].1)
    }

    fn position(&self, component: ComponentId) -> Option<usize> {
        if self.0.len() <= FEW {
            return self.0.iter().position(|(id, _)| *id == component);
        }
        // Roles, say, are registered one behind the other.
        let guess = component.index().wrapping_sub(self.0[0].0.index());
        if self.0.get(guess).is_some_and(|(id, _)| *id == component) {
            return Some(guess);
        }
        self.0.binary_search_by_key(&component, |(id, _)| *id).ok()
    }

    /// Until the next walk begins, several threads may mark different rows at the same time.
    #[cfg(feature = "parallel")]
    pub(crate) fn begin_together(&self) {
        self.0.iter().for_each(|(_, side)| side.ticks.begin_together());
    }

    fn each(&mut self) -> impl Iterator<Item = &mut Side> {
        self.0.iter_mut().map(|(_, side)| side)
    }

    /// All rows up to `len` that have no ticks yet arrived now.
    pub(super) fn extend_to(&mut self, len: usize, now: u32) {
        self.each().for_each(|side| side.extend_to(len, now));
    }

    /// A row of `source`, which has `len`, becomes the row `to`, the last one, here; the last row of `source` fills the hole. What the
    /// source does not have arrives now.
    pub(super) fn take_row(&mut self, to: usize, source: &mut Self, row: usize, len: usize, now: u32) {
        for (component, side) in &mut self.0 {
            side.take_row(to, source.get(*component).map(|old| (old, row)), now);
        }
        source.swap_remove(row, len);
    }

    /// Takes a row out of `len`: the last one moves into the hole.
    pub(super) fn swap_remove(&mut self, row: usize, len: usize) {
        self.each().for_each(|side| side.swap_remove(row, len));
    }

    /// Becomes the sides of a table that has taken over all `len` rows of the one with `old` sides.
    pub(super) fn take_over(&mut self, mut old: Self, len: usize, now: u32) {
        for (component, side) in &mut self.0 {
            if let Some(theirs) = old.get_mut(*component) {
                std::mem::swap(side, theirs);
            }
            side.extend_to(len, now);
        }
    }

    /// All rows of `source` become the rows from `first` up to `len` here.
    pub(super) fn append(&mut self, source: &Self, first: usize, len: usize, now: u32) {
        for (component, side) in &mut self.0 {
            let old = source.get(*component);
            for row in 0..len - first {
                side.take_row(first + row, old.map(|old| (old, row)), now);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.each().for_each(Side::clear);
    }

    pub(super) fn shrink(&mut self) {
        self.each().for_each(Side::shrink);
    }

    /// Makes all ticks smaller by `by`.
    pub(super) fn rebase(&mut self, by: u32) {
        self.each().for_each(|side| side.rebase(by));
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.0) + self.0.iter().map(|(_, side)| side.bytes()).sum::<usize>()
    }

    /// The first thing that does not fit together, if any.
    pub(super) fn fault(&self, len: usize) -> Option<String> {
        self.0.iter().find_map(|(component, side)| side.fault(len).map(|fault| format!("{component:?}: {fault}")))
    }
}
