//! Which row of which table each position is, and tables walked row by row.
//!
//! ```text
//! sites     [ (0,2) (1,0) (0,0) ]        by position: chunk and row, what is above, and where what is below ends
//! ats       [ 2  4  0     │ 1  ]         by row, one chunk behind the other: its position
//! over      [ –  –  (0,1) │ (0,2) ]      by row: the row of the one above
//! ```
//!
//! Chunks are numbered such that those above come first, where that can be. Rows are found by where they were the last time; that none has moved since is seen by comparing [`Slots`]. If each row stands behind that
//! of the one above it, tables can be walked straight through; and on all threads, a stage at a time, where stages are large.

use super::bits::is_set;
use super::inherited::Inherited;
use super::leaves::Leaves;
use super::lists::{HOLE, Lists, NOBODY, Span};
use super::plan::{Chunk, Passed, Reach};
#[cfg(feature = "parallel")]
use super::shares::Shares;
use phalanx_ecs::Slots;

/// Chunk and row of the one above; [`NOBODY`]'s, if nothing is above.
pub(super) type Over = (u32, u32);

/// Where a position is.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub(super) chunk: u32,
    pub(super) row: u32,
    /// As in the lists, as is the next: all that a walk needs is side by side.
    pub(super) above: u32,
    end: u32,
}

#[derive(Default)]
pub(super) struct Rows {
    /// Whether they were found for the lists as these are.
    known: bool,
    /// Whether leaves are recognised by the rows as these are.
    leaves_known: bool,
    /// By position.
    pub(super) sites: Vec<Site>,
    /// By row, as is the next.
    pub(super) ats: Vec<u32>,
    pub(super) over: Vec<Over>,
    /// How many rows there are before each chunk.
    starts: Vec<usize>,
    /// Whether each row stands behind the one above it.
    in_order: bool,
    #[cfg(feature = "parallel")]
    shares: Shares,
    /// The chunks as queries yielded them.
    slots: Vec<Slots>,
    /// By the number of the table: which chunk it is; [`NOBODY`]'s, if it is none. Empty where chunks are not whole tables.
    chunks: Vec<u32>,
    /// By chunk as queries yield them: which it is for everybody else.
    ranks: Vec<u32>,
    left: Vec<u32>,
    /// By row, a bit for each: whether it has not changed and is passed over.
    still: Vec<u64>,
    /// How many were looked up by their handles since rows were found, because some were not where they had been.
    looked_up: usize,
}

impl Rows {
    /// Positions are others than before.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// Whether rows were found since this was asked.
    pub(super) fn are_new_for_leaves(&mut self) -> bool {
        !std::mem::replace(&mut self.leaves_known, true)
    }

    /// Whether rows were found for the lists as these are, and nobody has moved since.
    fn hold(&self, slots: impl Iterator<Item = Slots>) -> bool {
        self.known && slots.eq(self.slots.iter().copied())
    }

    /// Whether they hold, and rows are found by their slots.
    pub(super) fn hold_by_slot(&self, slots: impl Iterator<Item = Slots>) -> bool {
        !self.chunks.is_empty() && self.hold(slots)
    }

    /// Which chunk a table is, and how many rows come before it, as long as they hold.
    pub(super) fn place_of(&self, table: usize) -> Option<(u32, usize)> {
        let chunk = self.chunks.get(table).copied().filter(|chunk| *chunk != NOBODY)?;
        Some((chunk, self.starts[chunk as usize]))
    }

    /// Which of all rows a position is.
    pub(super) fn row_of(&self, at: u32) -> usize {
        let Site { chunk, row, .. } = self.sites[at as usize];
        self.starts[chunk as usize] + row as usize
    }

    /// As [`Lists::span`], if rows were found for the lists as these are.
    #[inline]
    pub(super) fn span(&self, at: usize) -> Option<Span> {
        self.known.then(|| Span { above: self.sites[at].above, end: self.sites[at].end })
    }

    /// Sees whether rows are where they were, and finds them again if not. Puts the chunks in the order that numbers of chunks are meant in.
    pub(super) fn find<W: Inherited>(&mut self, lists: &Lists, chunks: &mut [Chunk<'_, W>]) {
        if self.hold(chunks.iter().map(|((slots, _), ..)| *slots)) {
            self.put_in_order(chunks);
            return;
        }
        self.slots.clear();
        self.slots.extend(chunks.iter().map(|((slots, _), ..)| *slots));
        self.sites.clear();
        let spans = lists.above.iter().zip(&lists.end);
        self.sites.extend(spans.map(|(&above, &end)| Site { chunk: NOBODY, row: NOBODY, above, end }));
        for (chunk, ((_, entities), ..)) in (0..).zip(&*chunks) {
            for (row, &index) in (0..).zip(entities.indices()) {
                let site = &mut self.sites[lists.position[index as usize] as usize];
                (site.chunk, site.row) = (chunk, row);
            }
        }
        self.find_ranks();
        self.put_in_order(chunks);
        self.find_tables(chunks);
        self.find_over(lists, chunks);
        self.known = true;
        self.leaves_known = false;
        self.looked_up = 0;
    }

    /// Puts the chunks in the order that numbers of chunks are meant in.
    fn put_in_order<W: Inherited>(&mut self, chunks: &mut [Chunk<'_, W>]) {
        // Each swap puts one where it belongs.
        self.left.clone_from(&self.ranks);
        for at in 0..chunks.len() {
            while self.left[at] as usize != at {
                let rank = self.left[at] as usize;
                chunks.swap(at, rank);
                self.left.swap(at, rank);
            }
        }
    }

    /// Puts chunks in an order in which each stands behind those that are above its rows, if there is one. Tables of parents are often younger than those of their children.
    fn find_ranks(&mut self) {
        let count = self.slots.len();
        self.ranks.clear();
        self.ranks.extend((0..).take(count));
        if count > u64::BITS as usize {
            return;
        }
        let mut above = [0_u64; u64::BITS as usize];
        for site in self.sites.iter().filter(|site| site.above < HOLE) {
            let (chunk, over) = (site.chunk, self.sites[site.above as usize].chunk);
            above[chunk as usize] |= u64::from(chunk != over) << over;
        }
        let mut done = 0_u64;
        for rank in (0..).take(count) {
            let is_next = |chunk: &usize| done & (1 << chunk) == 0 && above[*chunk] & !done == 0;
            let Some(chunk) = (0..count).find(is_next) else {
                // They are above each other.
                self.ranks.clear();
                self.ranks.extend((0..).take(count));
                return;
            };
            self.ranks[chunk] = rank;
            done |= 1 << chunk;
        }
        for site in self.sites.iter_mut().filter(|site| site.above != HOLE) {
            site.chunk = self.ranks[site.chunk as usize];
        }
    }

    /// Finds which chunk each table is.
    fn find_tables<W: Inherited>(&mut self, chunks: &[Chunk<'_, W>]) {
        self.chunks.clear();
        for (chunk, ((slots, _), ..)) in (0..).zip(chunks) {
            if self.chunks.len() <= slots.table() {
                self.chunks.resize(slots.table() + 1, NOBODY);
            }
            if slots.first_row() > 0 || self.chunks[slots.table()] != NOBODY {
                // Several chunks of a table are several runs of rows, with others between.
                self.chunks.clear();
                return;
            }
            self.chunks[slots.table()] = chunk;
        }
    }

    /// Finds the position of each row and the row above it, and whether that comes first.
    fn find_over<W: Inherited>(&mut self, lists: &Lists, chunks: &[Chunk<'_, W>]) {
        self.ats.clear();
        self.over.clear();
        self.starts.clear();
        self.in_order = true;
        #[cfg(feature = "parallel")]
        self.shares.clear();
        for (chunk, ((_, entities), ..)) in (0..).zip(chunks) {
            self.starts.push(self.over.len());
            for (row, index) in (0..).zip(entities.indices()) {
                let at = lists.position[*index as usize];
                let above = self.sites[at as usize].above;
                let over = if above == NOBODY {
                    (NOBODY, NOBODY)
                } else {
                    let Site { chunk, row, .. } = self.sites[above as usize];
                    (chunk, row)
                };
                self.in_order &= above == NOBODY || over < (chunk, row);
                self.ats.push(at);
                self.over.push(over);
            }
            #[cfg(feature = "parallel")]
            if self.in_order {
                self.shares.add(&self.over[self.starts[chunk as usize]..]);
            }
        }
    }

    /// Whether each row stands behind the one above it.
    pub(super) fn are_in_order(&self) -> bool {
        self.in_order
    }

    /// Works out nearly all values, row by row, where rows are in order; answers what was odd.
    pub(super) fn walk_straight<W: Inherited>(
        &mut self,
        lists: &Lists,
        ranges: &[Reach],
        written: usize,
        chunks: &mut [Chunk<'_, W>],
    ) -> u8 {
        if written == lists.live {
            return self.walk_rows::<W, false>(chunks);
        }
        self.find_still(lists, ranges);
        self.walk_rows::<W, true>(chunks)
    }

    /// Whether so much is worked out side by side that it is worth it.
    #[cfg(feature = "parallel")]
    pub(super) fn shares_pay(&self) -> bool {
        self.shares.shared() >= self.over.len() / 2
    }

    /// As `walk_straight`, on all threads.
    #[cfg(feature = "parallel")]
    pub(super) fn walk_shared<W: Inherited>(
        &mut self,
        lists: &Lists,
        ranges: &[Reach],
        written: usize,
        chunks: &mut [Chunk<'_, W>],
    ) -> u8 {
        let all = written == lists.live;
        if !all {
            self.find_still(lists, ranges);
        }
        self.shares.walk(&self.over, (!all).then_some(&self.still[..]), chunks)
    }

    /// Finds the rows of all positions between the ranges.
    fn find_still(&mut self, lists: &Lists, ranges: &[Reach]) {
        self.still.clear();
        self.still.resize(self.over.len().div_ceil(64), 0);
        let mut from = 0;
        let behind = std::iter::once((lists.order.len(), 0));
        for (first, end) in ranges.iter().map(|range| (range.first as usize, range.end as usize)).chain(behind) {
            for site in self.sites[from..first].iter().filter(|site| site.above != HOLE) {
                let row = self.starts[site.chunk as usize] + site.row as usize;
                self.still[row / 64] |= 1 << (row % 64);
            }
            from = end;
        }
    }

    #[inline]
    fn is_still(&self, row: usize) -> bool {
        is_set(&self.still, row)
    }

    /// Works out the rows of all chunks but, if there are any, those that are still.
    fn walk_rows<W: Inherited, const STILL: bool>(&self, chunks: &mut [Chunk<'_, W>]) -> u8 {
        let (mut overs, mut first, mut odd) = (&self.over[..], 0, 0);
        for at in 0..chunks.len() {
            let (before, rest) = chunks.split_at_mut(at);
            let (_, owns, values) = &mut rest[0];
            let (here, behind) = overs.split_at(values.len());
            for (row, (own, &(chunk, over))) in owns.iter().zip(here).enumerate() {
                if STILL && self.is_still(first + row) {
                    continue;
                }
                let over = if chunk as usize == at {
                    Some(&values[over as usize])
                } else if chunk == NOBODY {
                    None
                } else {
                    Some(&before[chunk as usize].2[over as usize])
                };
                values[row] = W::under_noting(over, own, &mut odd);
            }
            first += values.len();
            overs = behind;
        }
        odd
    }

    /// Works out the values of few ranges and leaves, if each row is still where it was found the last time; that is asked of each, unless it is known that `nobody_moved`. `None`: somebody has. What was worked out
    /// until then is right, and may be worked out again.
    ///
    /// Rows are found anew, which takes as long as there are many, when as many have been looked up in vain.
    pub(super) fn walk_unmoved<W: Inherited>(
        &mut self,
        nobody_moved: bool,
        lists: &Lists,
        ranges: &[Reach],
        leaves: &mut Leaves,
        chunks: &mut [Chunk<'_, W>],
    ) -> Option<Passed> {
        if !self.known || self.ranks.len() != chunks.len() {
            return None;
        }
        self.put_in_order(chunks);
        let mut passed = Passed { written: 0, odd: 0 };
        if nobody_moved {
            self.walk_where_found::<W, true>(lists, ranges, chunks, &mut passed)?;
            // Who is below somebody else who has changed has been worked out with that one.
            leaves.cover(ranges);
            leaves.walk(self, chunks, &mut passed);
        } else {
            self.walk_where_found::<W, false>(lists, ranges, chunks, &mut passed)?;
        }
        Some(passed)
    }

    /// As many could not be worked out where they were found; answers whether it is time to find rows anew.
    pub(super) fn note_looked_up(&mut self, count: usize, live: usize) -> bool {
        self.looked_up += count;
        self.looked_up > live
    }

    fn walk_where_found<W: Inherited, const SURE: bool>(
        &self,
        lists: &Lists,
        ranges: &[Reach],
        chunks: &mut [Chunk<'_, W>],
        passed: &mut Passed,
    ) -> Option<()> {
        let mut done = *passed;
        for range in ranges {
            for (at, site) in (range.first..).zip(&self.sites[range.first as usize..range.end as usize]) {
                let over = match site.above {
                    HOLE => continue,
                    NOBODY => None,
                    above => Some(&self.sites[above as usize]),
                };
                // What is above and in the range has just been visited.
                if !SURE && site.above < range.first && !over?.holds(lists, site.above, chunks) {
                    return None;
                }
                if !SURE && !site.holds(lists, at, chunks) {
                    return None;
                }
                let over = over.map(|over| &chunks[over.chunk as usize].2[over.row as usize]);
                let value = W::under_noting(over, &chunks[site.chunk as usize].1[site.row as usize], &mut done.odd);
                chunks[site.chunk as usize].2[site.row as usize] = value;
                done.written += 1;
            }
        }
        *passed = done;
        Some(())
    }

    /// Works out the values of ranges of positions, from the front; answers what was odd.
    pub(super) fn walk<W: Inherited>(&self, ranges: &[Reach], chunks: &mut [Chunk<'_, W>]) -> u8 {
        let mut odd = 0;
        for range in ranges {
            for &Site { chunk, row, above, .. } in &self.sites[range.first as usize..range.end as usize] {
                if above == HOLE {
                    continue;
                }
                let over = (above != NOBODY).then(|| {
                    let Site { chunk, row, .. } = self.sites[above as usize];
                    &chunks[chunk as usize].2[row as usize]
                });
                let value = W::under_noting(over, &chunks[chunk as usize].1[row as usize], &mut odd);
                chunks[chunk as usize].2[row as usize] = value;
            }
        }
        odd
    }
}

impl Site {
    /// Whether who is at a position is still where this says.
    #[inline]
    fn holds<W: Inherited>(&self, lists: &Lists, at: u32, chunks: &[Chunk<'_, W>]) -> bool {
        let index = lists.order[at as usize].index();
        chunks[self.chunk as usize].0.1.indices().get(self.row as usize) == Some(&index)
    }
}
