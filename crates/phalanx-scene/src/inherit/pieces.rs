//! Values worked out on all threads.
//!
//! ```text
//! worlds   [ a | b … | c … | d | e … | f … ]      by position; a piece is a subtree, or neighbours below one parent
//!            │   piece   piece  │   piece         what is above pieces is worked out first, in a row
//! ```
//!
//! A piece is a range of the list, so its results are a slice of their own, and what is above it is one value that it is given: no piece needs another. Then each row fetches
//! its result. Which thread works out what makes no difference to any bit: each value depends on its own part and the one above, whoever works it out.

use super::inherited::Inherited;
use super::plan::{Chunk, NOBODY, recycle};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Fewer values are worked out sooner than threads are woken.
const WORTH: usize = 20_000;
/// So many pieces there are to be for each thread, so that none waits long for the last.
const SHARES: usize = 8;

/// The lists of the plan.
pub(super) struct Tree<'a> {
    pub(super) end: &'a [u32],
    pub(super) above: &'a [u32],
    pub(super) rows: &'a [(u32, u32)],
    pub(super) position: &'a [u32],
}

/// Results, and where they are cut.
pub(super) struct Pieces<W: Inherited> {
    values: Vec<W>,
    /// Whether one was lost on the way.
    lost: AtomicBool,
    /// From a position to another, with the position of what is above.
    cuts: Vec<(usize, usize, u32)>,
    /// Ranges that are to be cut.
    waiting: Vec<(usize, usize)>,
    /// Memory for the pieces and the columns of a walk.
    list: Vec<Piece<'static, W>>,
    owns: Vec<&'static [W::Own]>,
    overs: Vec<Option<W>>,
}

/// A part of the results that nobody else needs: where it begins, and what is above it.
struct Piece<'a, W> {
    first: usize,
    over: Option<W>,
    values: &'a mut [W],
}

impl<W: Inherited> Default for Pieces<W> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            lost: AtomicBool::new(false),
            cuts: Vec::new(),
            waiting: Vec::new(),
            list: Vec::new(),
            owns: Vec::new(),
            overs: Vec::new(),
        }
    }
}

impl<W: Inherited> Pieces<W> {
    /// Whether threads are worth it.
    pub(super) fn pay(ranges: &[(usize, usize)]) -> bool {
        ranges.iter().map(|(first, end)| end - first).sum::<usize>() >= WORTH && rayon::current_num_threads() > 1
    }

    pub(super) fn run(&mut self, ranges: &[(usize, usize)], tree: &Tree<'_>, chunks: &mut [Chunk<'_, W>]) -> bool {
        self.lost = AtomicBool::new(false);
        self.values.resize_with(tree.above.len(), W::default);
        for &range in ranges {
            self.cut(range, tree, chunks);
        }
        self.work_out(tree, chunks);
        self.hand_out(ranges, tree, chunks);
        *self.lost.get_mut()
    }

    /// Cuts a range into pieces, and works out what is above them.
    fn cut(&mut self, (first, end): (usize, usize), tree: &Tree<'_>, chunks: &[Chunk<'_, W>]) {
        let most = (end - first) / (SHARES * rayon::current_num_threads()) + 1;
        // What is above the whole range has not changed; rows have it.
        if tree.above[first] != NOBODY {
            let above = tree.above[first] as usize;
            let (chunk, row) = tree.rows[above];
            self.values[above] = chunks[chunk as usize].2[row as usize].clone();
        }
        self.waiting.clear();
        self.waiting.push((first, end));
        while let Some((first, end)) = self.waiting.pop() {
            if end - first <= most {
                self.cuts.push((first, end, tree.above[first]));
                continue;
            }
            let (chunk, row) = tree.rows[first];
            let over = (tree.above[first] != NOBODY).then(|| &self.values[tree.above[first] as usize]);
            self.values[first] = W::under_minding(over, &chunks[chunk as usize].1[row as usize], self.lost.get_mut());
            // Its children: neighbours that are small together are one piece.
            let (mut start, mut child) = (first + 1, first + 1);
            while child < end {
                let next = tree.end[child] as usize;
                let large = next - child > most;
                if start < child && (large || next - start > most) {
                    self.cuts.push((start, child, tree.above[start]));
                    start = child;
                }
                if large {
                    self.waiting.push((child, next));
                    start = next;
                }
                child = next;
            }
            if start < end {
                self.cuts.push((start, end, tree.above[start]));
            }
        }
    }

    /// Works out all pieces.
    fn work_out(&mut self, tree: &Tree<'_>, chunks: &[Chunk<'_, W>]) {
        self.cuts.sort_unstable();
        let mut pieces: Vec<Piece<'_, W>> = recycle(std::mem::take(&mut self.list));
        let values = &self.values;
        let overs = (self.cuts.iter()).map(|(_, _, above)| (*above != NOBODY).then(|| values[*above as usize].clone()));
        self.overs.clear();
        self.overs.extend(overs);
        let (mut rest, mut at) = (&mut self.values[..], 0);
        for (&(first, end, _), over) in self.cuts.iter().zip(self.overs.drain(..)) {
            let (values, behind) = rest.split_at_mut(first - at).1.split_at_mut(end - first);
            pieces.push(Piece { first, over, values });
            (rest, at) = (behind, end);
        }
        let mut owns: Vec<&[W::Own]> = recycle(std::mem::take(&mut self.owns));
        owns.extend(chunks.iter().map(|(_, owns, _)| *owns));
        let any_lost = &self.lost;
        pieces.par_iter_mut().for_each(|Piece { first, over, values }| {
            let mut lost = false;
            for at in 0..values.len() {
                let (chunk, row) = tree.rows[*first + at];
                let own = &owns[chunk as usize][row as usize];
                let above = tree.above[*first + at];
                let over = if above == NOBODY {
                    None
                } else if (above as usize) < *first {
                    over.as_ref()
                } else {
                    Some(&values[above as usize - *first])
                };
                values[at] = W::under_minding(over, own, &mut lost);
            }
            if lost {
                any_lost.store(true, Ordering::Relaxed);
            }
        });
        self.list = recycle(pieces);
        self.owns = recycle(owns);
        self.cuts.clear();
    }

    /// Lets rows that are part of a range fetch their results.
    fn hand_out(&self, ranges: &[(usize, usize)], tree: &Tree<'_>, chunks: &mut [Chunk<'_, W>]) {
        let all = ranges.iter().map(|(first, end)| end - first).sum::<usize>() == tree.above.len();
        let worked_out = &self.values;
        let is_new = |position: usize| {
            let range = ranges.partition_point(|(first, _)| *first <= position);
            range > 0 && position < ranges[range - 1].1
        };
        for (entities, _, values) in chunks {
            entities.indices().par_iter().zip(values.par_iter_mut()).with_min_len(1024).for_each(|(index, value)| {
                let position = tree.position[*index as usize] as usize;
                if all || is_new(position) {
                    *value = worked_out[position].clone();
                }
            });
        }
    }
}
