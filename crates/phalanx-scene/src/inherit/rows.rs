//! Which row of which table each position is, and tables walked row by row.
//!
//! ```text
//! of        [ (0,2) (1,0) (0,0) ]        by position: chunk and row
//! over      [ –  –  (0,1) │ (0,2) ]      by row, one chunk behind the other: the row of the one above
//! stages    [ 0──2  2──3  │ 0──1  ]      all in a stage are below rows that come before it
//! seen      [ 4  7  9     │ 2  ]         the entity indices of all chunks, as they were then
//! ```
//!
//! Chunks are numbered such that those above come first, where that can be. Rows are found by where they were the last time; that none has moved since is seen by comparing the columns of entity indices with those of then. If each row stands behind that
//! of the one above it, tables can be walked straight through; and on all threads, a stage at a time, where stages are large.

use super::inherited::Inherited;
use super::lists::{HOLE, Lists, NOBODY};
use super::plan::{Chunk, Reach};
#[cfg(feature = "parallel")]
use super::plan::{pieces_pay, threads_pay};
#[cfg(feature = "parallel")]
use rayon::prelude::*;
use std::ops::Range;
#[cfg(feature = "parallel")]
use std::sync::atomic::{AtomicBool, Ordering};

/// So many rows of a stage are handed to a thread.
#[cfg(feature = "parallel")]
const PIECE: usize = 2048;
/// A stage of fewer rows is done sooner by one thread.
#[cfg(feature = "parallel")]
const LARGE: usize = 4 * PIECE;
#[derive(Default)]
pub(super) struct Rows {
    /// Whether they were found for the lists as these are.
    known: bool,
    /// By position.
    pub(super) of: Vec<(u32, u32)>,
    /// By row: the row of the one above, if each stands behind its own; else nothing.
    over: Vec<(u32, u32)>,
    /// Where stages end, one chunk behind the other, counted from the first row of all.
    #[cfg(feature = "parallel")]
    stages: Vec<usize>,
    /// As queries yield chunks, as is the next.
    seen: Vec<u32>,
    /// How many rows each chunk had then.
    lengths: Vec<usize>,
    /// By chunk as queries yield them: which it is for everybody else.
    ranks: Vec<u32>,
    left: Vec<u32>,
    places: Vec<Range<usize>>,
    /// How many rows there are before each chunk.
    starts: Vec<usize>,
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

    /// Sees whether rows are where they were, and finds them again if not. Puts the chunks in the order that numbers of chunks are meant in.
    pub(super) fn find<W: Inherited>(&mut self, lists: &Lists, chunks: &mut [Chunk<'_, W>]) {
        let mut seen = &self.seen[..];
        let unmoved = self.known
            && self.lengths.iter().copied().eq(chunks.iter().map(|(entities, ..)| entities.len()))
            && chunks.iter().all(|(entities, ..)| {
                let (then, rest) = seen.split_at(entities.len());
                seen = rest;
                then == entities.indices()
            });
        if !unmoved {
            self.lengths.clear();
            self.lengths.extend(chunks.iter().map(|(entities, ..)| entities.len()));
            self.seen.clear();
            self.of.resize(lists.order.len(), (NOBODY, NOBODY));
            for (chunk, (entities, ..)) in (0..).zip(&*chunks) {
                self.seen.extend(entities.indices());
                for (row, index) in (0..).zip(entities.indices()) {
                    self.of[lists.position[*index as usize] as usize] = (chunk, row);
                }
            }
            self.find_ranks(lists);
            self.find_over(lists);
            self.known = true;
            self.looked_up = 0;
        }
        self.put_in_order(chunks);
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
    fn find_ranks(&mut self, lists: &Lists) {
        let count = self.lengths.len();
        self.ranks.clear();
        self.ranks.extend((0..).take(count));
        if count > u64::BITS as usize {
            return;
        }
        let mut above = [0_u64; u64::BITS as usize];
        for (at, over) in lists.above.iter().enumerate().filter(|(_, over)| **over < HOLE) {
            let (chunk, over) = (self.of[at].0, self.of[*over as usize].0);
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
        for (row, _) in self.of.iter_mut().zip(&lists.above).filter(|(_, above)| **above != HOLE) {
            row.0 = self.ranks[row.0 as usize];
        }
    }

    /// Finds the row above each row, as long as that comes first.
    fn find_over(&mut self, lists: &Lists) {
        self.over.clear();
        self.starts.clear();
        #[cfg(feature = "parallel")]
        self.stages.clear();
        // Where each chunk is among the seen.
        self.places.clear();
        self.places.resize(self.ranks.len(), 0..0);
        let mut first = 0;
        for (rank, length) in self.ranks.iter().zip(&self.lengths) {
            self.places[*rank as usize] = first..first + length;
            first += length;
        }
        for (chunk, place) in (0..).zip(&self.places) {
            self.starts.push(self.over.len());
            #[cfg(feature = "parallel")]
            let mut stage = 0;
            for (row, index) in (0..).zip(&self.seen[place.clone()]) {
                let above = lists.above[lists.position[*index as usize] as usize];
                let over = if above == NOBODY { (NOBODY, NOBODY) } else { self.of[above as usize] };
                if above != NOBODY && over >= (chunk, row) {
                    self.over.clear();
                    return;
                }
                #[cfg(feature = "parallel")]
                if over.0 == chunk && over.1 >= stage {
                    self.stages.push(self.over.len());
                    stage = row;
                }
                self.over.push(over);
            }
            #[cfg(feature = "parallel")]
            self.stages.push(self.over.len());
        }
    }

    /// Works out nearly all values, row by row, if each stands behind the one above it; answers whether one was lost.
    pub(super) fn walk_straight<W: Inherited>(
        &mut self,
        lists: &Lists,
        ranges: &[Reach],
        written: usize,
        chunks: &mut [Chunk<'_, W>],
    ) -> Option<bool> {
        if self.over.is_empty() {
            return None;
        }
        #[cfg(feature = "parallel")]
        let on_threads = if threads_pay(written) {
            let mut before = 0;
            let sizes = self.stages.iter().map(|end| end - std::mem::replace(&mut before, *end));
            let large: usize = sizes.filter(|size| *size >= LARGE).sum();
            let pays = large >= self.over.len() / 2;
            if !pays && pieces_pay(written) {
                return None;
            }
            pays
        } else {
            false
        };
        let all = written == lists.live;
        if !all {
            self.find_still(lists, ranges);
        }
        #[cfg(feature = "parallel")]
        if on_threads {
            return Some(if all { self.walk_stages::<W, false>(chunks) } else { self.walk_stages::<W, true>(chunks) });
        }
        Some(if all { self.walk_rows::<W, false>(chunks) } else { self.walk_rows::<W, true>(chunks) })
    }

    /// Finds the rows of all positions between the ranges.
    fn find_still(&mut self, lists: &Lists, ranges: &[Reach]) {
        self.still.clear();
        self.still.resize(self.over.len().div_ceil(64), 0);
        let mut from = 0;
        let behind = std::iter::once((lists.order.len(), 0));
        for (first, end) in ranges.iter().map(|range| (range.first as usize, range.end as usize)).chain(behind) {
            for at in from..first {
                if lists.above[at] != HOLE {
                    let (chunk, row) = self.of[at];
                    let row = self.starts[chunk as usize] + row as usize;
                    self.still[row / 64] |= 1 << (row % 64);
                }
            }
            from = end;
        }
    }

    #[inline]
    fn is_still(&self, row: usize) -> bool {
        self.still[row / 64] & (1 << (row % 64)) != 0
    }

    /// Works out the rows of all chunks but, if there are any, those that are still.
    fn walk_rows<W: Inherited, const STILL: bool>(&self, chunks: &mut [Chunk<'_, W>]) -> bool {
        let (mut overs, mut first, mut lost) = (&self.over[..], 0, false);
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
                values[row] = W::under_minding(over, own, &mut lost);
            }
            first += values.len();
            overs = behind;
        }
        lost
    }

    /// The same on all threads: what is above a stage is in the rows before it, which are only read.
    #[cfg(feature = "parallel")]
    fn walk_stages<W: Inherited, const STILL: bool>(&self, chunks: &mut [Chunk<'_, W>]) -> bool {
        let any_lost = AtomicBool::new(false);
        let (mut stages, mut first) = (self.stages.iter(), 0);
        for at in 0..chunks.len() {
            let (before, rest) = chunks.split_at_mut(at);
            let (_, owns, values) = &mut rest[0];
            let mut start = 0;
            while start < values.len() {
                let end = stages.next().expect("as many stages as rows need") - first;
                let (done, rest) = values.split_at_mut(start);
                let (done, before) = (&*done, &*before);
                let work = |from: usize, values: &mut [W]| {
                    let mut lost = false;
                    let rows = from..from + values.len();
                    let overs = &self.over[first + rows.start..first + rows.end];
                    for (row, ((value, own), &(chunk, over))) in
                        rows.clone().zip(values.iter_mut().zip(&owns[rows]).zip(overs))
                    {
                        if STILL && self.is_still(first + row) {
                            continue;
                        }
                        let over = if chunk as usize == at {
                            Some(&done[over as usize])
                        } else if chunk == NOBODY {
                            None
                        } else {
                            Some(&before[chunk as usize].2[over as usize])
                        };
                        *value = W::under_minding(over, own, &mut lost);
                    }
                    if lost {
                        any_lost.store(true, Ordering::Relaxed);
                    }
                };
                let stage = &mut rest[..end - start];
                if stage.len() < LARGE {
                    work(start, stage);
                } else {
                    let pieces = stage.par_chunks_mut(PIECE).enumerate();
                    pieces.for_each(|(piece, values)| work(start + piece * PIECE, values));
                }
                start = end;
            }
            first += values.len();
        }
        any_lost.into_inner()
    }

    /// Works out the values of few ranges, if each row is still where it was found the last time; answers whether one was lost. `None`: somebody has moved. What was worked out
    /// until then is right, and may be worked out again.
    ///
    /// Rows are found anew, which takes as long as there are many, when as many have been looked up in vain.
    pub(super) fn walk_unmoved<W: Inherited>(
        &mut self,
        lists: &Lists,
        ranges: &[Reach],
        written: usize,
        chunks: &mut [Chunk<'_, W>],
    ) -> Option<bool> {
        if self.looked_up > lists.live {
            self.find(lists, chunks);
            return Some(self.walk(lists, ranges, chunks));
        }
        let lost = if self.ranks.len() == chunks.len() {
            self.put_in_order(chunks);
            self.walk_where_found(lists, ranges, chunks)
        } else {
            None
        };
        if lost.is_none() {
            self.looked_up += written;
        }
        lost
    }

    fn walk_where_found<W: Inherited>(
        &self,
        lists: &Lists,
        ranges: &[Reach],
        chunks: &mut [Chunk<'_, W>],
    ) -> Option<bool> {
        // Which row of which chunk a position is, if it is the one that was found for it.
        let place = |chunks: &[Chunk<'_, W>], at: usize| {
            let &(chunk, row) = self.of.get(at)?;
            let index = chunks.get(chunk as usize)?.0.indices().get(row as usize)?;
            (*index == lists.order[at].index()).then_some((chunk as usize, row as usize))
        };
        let mut lost = false;
        for range in ranges {
            for at in range.first as usize..range.end as usize {
                let over = match lists.above[at] {
                    HOLE => continue,
                    NOBODY => None,
                    above => Some(place(chunks, above as usize)?),
                };
                let (chunk, row) = place(chunks, at)?;
                let over = over.map(|(chunk, row)| &chunks[chunk].2[row]);
                let value = W::under_minding(over, &chunks[chunk].1[row], &mut lost);
                chunks[chunk].2[row] = value;
            }
        }
        Some(lost)
    }

    /// Works out the values of ranges of positions, from the front; answers whether one was lost.
    pub(super) fn walk<W: Inherited>(&self, lists: &Lists, ranges: &[Reach], chunks: &mut [Chunk<'_, W>]) -> bool {
        let mut lost = false;
        for range in ranges {
            let (first, end) = (range.first as usize, range.end as usize);
            for (&above, &(chunk, row)) in lists.above[first..end].iter().zip(&self.of[first..end]) {
                if above == HOLE {
                    continue;
                }
                let over = (above != NOBODY).then(|| {
                    let (chunk, row) = self.of[above as usize];
                    &chunks[chunk as usize].2[row as usize]
                });
                let value = W::under_minding(over, &chunks[chunk as usize].1[row as usize], &mut lost);
                chunks[chunk as usize].2[row as usize] = value;
            }
        }
        lost
    }
}
