//! What has changed and has nothing below it: worked out where it was found, without a look at the lists.
//!
//! ```text
//! leaf      [ 1  ×  –  0  2 ]      by entity index: which leaf it is; × has something below it, – takes no part
//! spots     [ 4  1  2 ]            by leaf: its position, and all there is to know of it and of what is above it
//! changed   [ 0  2 ]               the leaves that have changed
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
    changed: Vec<u32>,
    covered: Vec<u64>,
    /// More are not noted: it is not little that has changed.
    most: usize,
}

struct Spot {
    at: u32,
    site: Site,
    /// If nothing is above it, this is nobody's.
    over: Site,
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
            let site = rows.sites[at as usize];
            let over = rows.sites.get(site.above as usize).copied().unwrap_or(Site::NOWHERE);
            self.spots.push(Spot { at, site, over });
        }
    }

    /// Notes that an entity has changed; answers whether that is enough. It is not for one with something below it.
    #[inline]
    pub(super) fn note(&mut self, entity: Entity) -> bool {
        match self.leaf.get(entity.index() as usize) {
            None | Some(&NOBODY) => true,
            Some(&leaf) if leaf != INNER && self.changed.len() < self.most => {
                self.changed.push(leaf);
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
        let spots = &self.spots;
        self.changed.drain(..).for_each(|leaf| lists.mark_at(spots[leaf as usize].at));
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
    pub(super) fn walk<W: Inherited>(&self, chunks: &mut [Chunk<'_, W>], passed: &mut Passed) -> Option<()> {
        for leaf in &self.changed {
            let Spot { at, site, over } = &self.spots[*leaf as usize];
            let at = *at as usize;
            if at < self.covered.len() * 64 && is_set(&self.covered, at) {
                continue;
            }
            let over = (site.above != NOBODY).then_some(over);
            if over.is_some_and(|over| !over.is_unmoved(chunks)) {
                return None;
            }
            site.work_out(over, chunks, passed)?;
        }
        Some(())
    }
}
