//! What has changed and has nothing below it: worked out where it was found, without a look at the lists.
//!
//! ```text
//! leaf      [ 1  ×  –  0  2 ]      by entity index: which leaf it is; × has something below it, – takes no part
//! spots     [ … ]                  by leaf: its row, and the row above it: as little as can be, since it is read at random
//! changed   [ … ]                  the spots of those that have changed: asked for where they are found, so that the walk does not wait for them
//! covered   [ 0  0  1  1  1 ]      by position, a bit for each: it is worked out with something above it
//! ```
//!
//! None of them is above another, so they are worked out in any order, once all that is above them is.

use super::bits::{fill, is_set};
use super::inherited::Inherited;
use super::lists::{HOLE, Lists, NOBODY, position};
use super::plan::{Chunk, Passed, Reach};
use super::rows::{Rows, Site};
use phalanx_ecs::Entity;

/// In `leaf`: has something below it.
const INNER: u32 = NOBODY - 1;

/// Leaves that have changed, and how they are recognised.
#[derive(Default)]
pub(super) struct Leaves {
    leaf: Vec<u32>,
    /// In the order of rows, in which they are found to have changed.
    spots: Vec<Spot>,
    changed: Vec<Spot>,
    covered: Vec<u64>,
    /// More are not noted: it is not little that has changed.
    most: usize,
}

#[derive(Clone, Copy)]
struct Spot {
    index: u32,
    chunk: u32,
    row: u32,
    /// Nobody's, if nothing is above it.
    over_chunk: u32,
    over_row: u32,
    over_index: u32,
}

impl Leaves {
    /// Makes ready for a pass; answers whether leaves are recognised.
    pub(super) fn begin(&mut self, lists: &Lists, rows: &mut Rows, most: usize) -> bool {
        self.changed.clear();
        self.most = most;
        if !rows.are_known() {
            return false;
        }
        if rows.are_new_for_leaves() {
            self.find(lists, rows);
        }
        true
    }

    fn find(&mut self, lists: &Lists, rows: &Rows) {
        self.spots.clear();
        self.leaf.clear();
        self.leaf.resize(lists.position.len(), NOBODY);
        for above in lists.above.iter().filter(|above| **above < HOLE) {
            self.leaf[lists.order[*above as usize].index() as usize] = INNER;
        }
        for index in rows.indices() {
            let leaf = &mut self.leaf[index as usize];
            if *leaf == INNER {
                continue;
            }
            *leaf = position(self.spots.len());
            let at = lists.position[index as usize];
            let Site { index, chunk, row, above } = rows.sites[at as usize];
            let over = rows.sites.get(above as usize).copied().unwrap_or(Site::NOWHERE);
            self.spots.push(Spot {
                index,
                chunk,
                row,
                over_chunk: over.chunk,
                over_row: over.row,
                over_index: over.index,
            });
        }
    }

    /// Notes that an entity has changed; answers whether that is enough. It is not for one with something below it.
    #[inline]
    pub(super) fn note(&mut self, entity: Entity) -> bool {
        match self.leaf.get(entity.index() as usize) {
            None | Some(&NOBODY) => true,
            Some(&leaf) if leaf != INNER && self.changed.len() < self.most => {
                self.changed.push(self.spots[leaf as usize]);
                true
            }
            Some(_) => false,
        }
    }

    /// How many were noted.
    pub(super) fn count(&self) -> usize {
        self.changed.len()
    }

    /// Hands what was noted over to the lists.
    pub(super) fn mark(&mut self, lists: &mut Lists) {
        self.changed.drain(..).for_each(|spot| lists.mark_at(lists.position[spot.index as usize]));
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

    /// Works out those that are not covered, if they and what is above them are still where they were found. `None`: somebody has moved.
    pub(super) fn walk<W: Inherited>(
        &self,
        lists: &Lists,
        chunks: &mut [Chunk<'_, W>],
        passed: &mut Passed,
    ) -> Option<()> {
        let mut done = *passed;
        for spot in &self.changed {
            if !self.covered.is_empty() && self.is_covered(lists.position[spot.index as usize] as usize) {
                continue;
            }
            let over = if spot.over_chunk == NOBODY {
                None
            } else {
                let (entities, _, values) = &chunks[spot.over_chunk as usize];
                if entities.indices().get(spot.over_row as usize) != Some(&spot.over_index) {
                    return None;
                }
                Some(&values[spot.over_row as usize])
            };
            let (entities, owns, _) = &chunks[spot.chunk as usize];
            if entities.indices().get(spot.row as usize) != Some(&spot.index) {
                return None;
            }
            let value = W::under_noting(over, &owns[spot.row as usize], &mut done.odd);
            chunks[spot.chunk as usize].2[spot.row as usize] = value;
            done.written += 1;
        }
        *passed = done;
        Some(())
    }

    fn is_covered(&self, at: usize) -> bool {
        at < self.covered.len() * 64 && is_set(&self.covered, at)
    }
}
