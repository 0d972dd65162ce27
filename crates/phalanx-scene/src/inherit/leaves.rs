//! What has changed and has nothing below it: worked out by its row, without a look at the lists.
//!
//! ```text
//! leaves    [ 0  1  1 │ 1 ]      by row, a bit for each: it has nothing below it
//! changed   [ … ]                the rows of those that have changed, each with the row above it: asked for where they are found, so that the walk does not wait for them
//! covered   [ 0  0  1  1 ]       by position, a bit for each: it is worked out with something above it
//! ```
//!
//! None of them is above another, so they are worked out in any order, once all that is above them is.

use super::bits::{fill, is_set};
use super::inherited::Inherited;
use super::lists::{HOLE, Lists, NOBODY, position};
use super::plan::{Chunk, Passed, Reach};
use super::rows::{Over, Rows};
use phalanx_ecs::Slot;

/// Leaves that have changed, and how they are recognised.
#[derive(Default)]
pub(super) struct Leaves {
    leaves: Vec<u64>,
    /// What has changed and waits to be sorted out.
    noted: Vec<Slot>,
    /// Rows, while they are sorted out.
    inner: Vec<usize>,
    changed: Vec<Spot>,
    covered: Vec<u64>,
    /// More are not noted: it is not little that has changed.
    most: usize,
}

/// So many are sorted out at once.
const BATCH: usize = 256;

#[derive(Clone, Copy)]
struct Spot {
    chunk: u32,
    row: u32,
    over: Over,
}

impl Leaves {
    /// Finds out who has nothing below, after rows were found.
    pub(super) fn find(&mut self, rows: &Rows) {
        self.leaves.clear();
        self.leaves.resize(rows.ats.len().div_ceil(64), !0);
        for site in rows.sites.iter().filter(|site| site.above < HOLE) {
            let above = rows.sites[site.above as usize];
            let at = rows.row_of(above.chunk, above.row);
            self.leaves[at / 64] &= !(1 << (at % 64));
        }
    }

    /// Makes ready for a pass.
    pub(super) fn begin(&mut self, most: usize) {
        self.changed.clear();
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
        let Self { leaves, noted, inner, changed, most, .. } = self;
        let before = changed.len();
        let nobody = Spot { chunk: NOBODY, row: NOBODY, over: (NOBODY, NOBODY) };
        changed.resize(before + noted.len(), nobody);
        inner.resize(BATCH, 0);
        let (is_open, leaves) = (before < *most, &leaves[..]);
        let (spots, rest) = (&mut changed[before..], &mut inner[..]);
        let (mut ones, mut others) = (0, 0);
        let (mut table, mut place) = (usize::MAX, None);
        // No branch, since which they are is anybody's guess; and no look at what lies far apart, which comes afterwards, for all at once.
        for slot in &*noted {
            if slot.table() != table {
                table = slot.table();
                place = rows.place_of(table);
            }
            // Else it takes no part.
            let Some((chunk, start)) = place else { continue };
            let at = start + slot.row();
            let is_leaf = is_open & is_set(leaves, at);
            spots[ones] = Spot { chunk, row: position(slot.row()), ..nobody };
            rest[others] = at;
            ones += usize::from(is_leaf);
            others += usize::from(!is_leaf);
        }
        for spot in &mut spots[..ones] {
            spot.over = rows.over[rows.row_of(spot.chunk, spot.row)];
        }
        for at in &rest[..others] {
            lists.mark_at(rows.ats[*at]);
        }
        changed.truncate(before + ones);
        noted.clear();
    }

    /// How many were noted.
    pub(super) fn count(&self) -> usize {
        self.changed.len()
    }

    /// Hands what was noted over to the lists.
    pub(super) fn mark(&mut self, rows: &Rows, lists: &mut Lists) {
        self.changed.drain(..).for_each(|spot| lists.mark_at(rows.position_of(spot.chunk, spot.row)));
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
        for &Spot { chunk, row, over } in &self.changed {
            if !self.covered.is_empty() && self.is_covered(rows.position_of(chunk, row) as usize) {
                continue;
            }
            let over = (over.0 != NOBODY).then(|| &chunks[over.0 as usize].2[over.1 as usize]);
            let value = W::under_noting(over, &chunks[chunk as usize].1[row as usize], &mut done.odd);
            chunks[chunk as usize].2[row as usize] = value;
            done.written += 1;
        }
        *passed = done;
    }

    fn is_covered(&self, at: usize) -> bool {
        at < self.covered.len() * 64 && is_set(&self.covered, at)
    }
}
