//! What has changed and has nothing below it: worked out by its row, without a look at the lists.
//!
//! ```text
//! bare      [ 0  1  1 │ 1 ]      by row, one chunk behind the other, a bit for each: it has nothing below it
//! changed   [ 1  3 ]             the rows of those that have changed
//! runs      [ 0  1 ]             which chunk they are in, for as long as it is the same
//! covered   [ 0  0  1  1 ]       by position, a bit for each: it is worked out with something above it
//! ```
//!
//! None of them is above another, so they are worked out in any order, once all that is above them is.

use super::bits::{fill, is_set};
use super::inherited::Inherited;
use super::lists::{HOLE, Lists, NOBODY, position};
use super::plan::{Chunk, Passed, Reach};
use super::rows::Rows;
use phalanx_ecs::Slot;

/// So many are sorted out at once.
const BATCH: usize = 256;

/// Leaves that have changed, and how they are recognised.
#[derive(Default)]
pub(super) struct Leaves {
    bare: Vec<u64>,
    /// What has changed and waits to be sorted out.
    noted: Vec<Slot>,
    /// Rows of what is no leaf, while it is sorted out.
    others: Vec<u32>,
    changed: Vec<u32>,
    runs: Vec<Run>,
    covered: Vec<u64>,
    /// More are not noted: it is not little that has changed.
    most: usize,
}

/// Changed leaves of one chunk, up to the next run.
#[derive(Clone, Copy)]
struct Run {
    chunk: u32,
    /// How many rows come before the chunk.
    start: usize,
    /// The first of them in `changed`.
    first: usize,
}

impl Leaves {
    /// Finds out who has nothing below, after rows were found.
    pub(super) fn find(&mut self, rows: &Rows) {
        self.bare.clear();
        self.bare.resize(rows.ats.len().div_ceil(64), !0);
        for site in rows.sites.iter().filter(|site| site.above < HOLE) {
            let at = rows.row_of(site.above);
            self.bare[at / 64] &= !(1 << (at % 64));
        }
    }

    /// Makes ready for a pass.
    pub(super) fn begin(&mut self, most: usize) {
        self.changed.clear();
        self.runs.clear();
        self.most = most;
    }

    /// Notes that what is in a slot has changed, where rows hold. It is to be sorted out in the end.
    #[inline]
    pub(super) fn note(&mut self, slot: Slot, rows: &Rows, lists: &mut Lists) {
        self.noted.push(slot);
        if self.noted.len() == BATCH {
            self.sort_out(rows, lists);
        }
    }

    /// Sorts out what was noted: the lists learn of what has something below it.
    #[inline(never)]
    pub(super) fn sort_out(&mut self, rows: &Rows, lists: &mut Lists) {
        let Self { bare, noted, others, changed, runs, most, .. } = self;
        let before = changed.len();
        changed.resize(before + noted.len(), NOBODY);
        others.resize(BATCH, NOBODY);
        let (is_open, bare) = (before < *most, &bare[..]);
        let (ones, rest) = (&mut changed[before..], &mut others[..]);
        let (mut one_count, mut rest_count) = (0, 0);
        let (mut table, mut place) = (usize::MAX, None);
        for slot in &*noted {
            if slot.table() != table {
                table = slot.table();
                place = rows.place_of(table);
                if let Some((chunk, start)) = place
                    && runs.last().is_none_or(|run| run.chunk != chunk)
                {
                    runs.push(Run { chunk, start, first: before + one_count });
                }
            }
            // Else it takes no part.
            let Some((_, start)) = place else { continue };
            let at = start + slot.row();
            // No branch, since which they are is anybody's guess.
            let is_leaf = is_open & is_set(bare, at);
            let at = position(at);
            (ones[one_count], rest[rest_count]) = (at, at);
            one_count += usize::from(is_leaf);
            rest_count += usize::from(!is_leaf);
        }
        for at in &rest[..rest_count] {
            lists.mark_at(rows.ats[*at as usize]);
        }
        changed.truncate(before + one_count);
        noted.clear();
    }

    /// How many were noted.
    pub(super) fn count(&self) -> usize {
        self.changed.len()
    }

    /// Hands what was noted over to the lists.
    pub(super) fn mark(&mut self, rows: &Rows, lists: &mut Lists) {
        self.changed.drain(..).for_each(|at| lists.mark_at(rows.ats[at as usize]));
        self.runs.clear();
    }

    /// Those in the ranges are worked out with them.
    pub(super) fn cover(&mut self, ranges: &[Reach]) {
        self.covered.clear();
        if self.changed.is_empty() || ranges.is_empty() {
            return;
        }
        let end = ranges.iter().map(|range| range.end as usize).max().unwrap_or(0);
        self.covered.resize(end.div_ceil(64), 0);
        for range in ranges {
            fill(&mut self.covered, range.first as usize, range.end as usize);
        }
    }

    /// Works out those that are not covered, where rows hold.
    pub(super) fn walk<W: Inherited>(&self, rows: &Rows, chunks: &mut [Chunk<'_, W>], passed: &mut Passed) {
        let mut done = *passed;
        let ends = self.runs.iter().skip(1).map(|run| run.first).chain([self.changed.len()]);
        for (&Run { chunk, start, first }, end) in self.runs.iter().zip(ends) {
            let (chunk, owns) = (chunk as usize, chunks[chunk as usize].1);
            for &at in &self.changed[first..end] {
                let at = at as usize;
                if !self.covered.is_empty() && self.is_covered(rows.ats[at] as usize) {
                    continue;
                }
                let (over_chunk, over) = rows.over[at];
                let over = (over_chunk != NOBODY).then(|| &chunks[over_chunk as usize].2[over as usize]);
                let row = at - start;
                chunks[chunk].2[row] = W::under_noting(over, &owns[row], &mut done.odd);
                done.written += 1;
            }
        }
        *passed = done;
    }

    fn is_covered(&self, at: usize) -> bool {
        at < self.covered.len() * 64 && is_set(&self.covered, at)
    }
}
