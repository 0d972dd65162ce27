//! Values worked out on all threads.
//!
//! ```text
//! values   [ a | b … | c … | d | e … · f … ]      by position; a cut is a subtree, or neighbours below one parent, or a range that has changed
//!            │  cut    cut   │ └── cuts ──┘       what is above the cuts of one tree is worked out first, in a row
//!               └─ piece ─┘    └─ piece ──┘       so many cuts as are worth being handed to a thread
//! ```
//!
//! A piece is cut by how many rows it has, whatever the number of threads; many small ranges are one piece. Its results are a slice of their own. What is above a cut has not changed,
//! and its row has it, or it is a value that the cut is given: no piece needs another. Then each row fetches its result. Which thread works out what makes no difference to any bit:
//! each value depends on its own part and the one above, whoever works it out.
//!
//! Trees that hang from something that is worked out in the same pass come after it: all at one depth together.

use super::bits::{fill, is_set};
use super::inherited::Inherited;
use super::lists::{HOLE, Lists, NOBODY};
use super::plan::{Chunk, Reach, recycle};
use super::rows::{Rows, Site};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU8, Ordering};

/// So many positions a piece has: enough that handing it over is nothing beside them, few enough that no thread waits long for the last.
const PIECE: usize = 2048;
/// If more than one of so many has more than a piece below it, threads would wait for the one that works these out.
const SHARE: usize = 16;

/// Results, and where they are cut.
pub(super) struct Pieces<W: Inherited> {
    /// By position.
    values: Vec<W>,
    /// By position, a bit for each: whether it is worked out in this pass.
    fresh: Vec<u64>,
    cuts: Vec<Cut>,
    /// What is above cuts, where it is worked out in this pass.
    overs: Vec<W>,
    /// Ranges that are to be cut.
    waiting: Vec<(usize, usize)>,
    /// How many more may be worked out before the pieces are.
    trunks: usize,
    /// Ranges in the order of what they hang from.
    by_depth: Vec<Reach>,
    /// What was odd.
    odd: AtomicU8,
    /// Memory for the pieces and the columns of a walk.
    list: Vec<Piece<'static, W>>,
    columns: Vec<Column<'static, W>>,
}

/// Own parts of rows that are side by side, and the values that they have so far.
type Column<'a, W> = (&'a [<W as Inherited>::Own], &'a [W]);

/// Positions that are worked out in a row. What is above the first is `overs[over]`; or, if that is nothing, what its row has.
#[derive(Clone, Copy)]
struct Cut {
    first: u32,
    end: u32,
    over: u32,
}

/// A part of the results that nobody else needs: its cuts, and where it begins.
struct Piece<'a, W> {
    cuts: &'a [Cut],
    first: usize,
    values: &'a mut [W],
}

impl<W: Inherited> Default for Pieces<W> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            fresh: Vec::new(),
            cuts: Vec::new(),
            overs: Vec::new(),
            waiting: Vec::new(),
            trunks: 0,
            by_depth: Vec::new(),
            odd: AtomicU8::new(0),
            list: Vec::new(),
            columns: Vec::new(),
        }
    }
}

/// What the lists and the rows know, for those who read.
struct Tree<'a, W: Inherited> {
    lists: &'a Lists,
    sites: &'a [Site],
    columns: &'a [Column<'a, W>],
}

impl<W: Inherited> Tree<'_, W> {
    fn own(&self, at: usize) -> &W::Own {
        let Site { chunk, row, .. } = self.sites[at];
        &self.columns[chunk as usize].0[row as usize]
    }

    /// What a row has had so far.
    fn value(&self, at: u32) -> &W {
        let Site { chunk, row, .. } = self.sites[at as usize];
        &self.columns[chunk as usize].1[row as usize]
    }
}

impl<W: Inherited> Pieces<W> {
    /// Works out ranges; answers what was odd. `None`: trees are so deep and so thin that there are no pieces to speak of, and nothing is done.
    pub(super) fn run(
        &mut self,
        ranges: &[Reach],
        lists: &Lists,
        rows: &Rows,
        chunks: &mut [Chunk<'_, W>],
    ) -> Option<u8> {
        *self.odd.get_mut() = 0;
        self.values.resize_with(lists.order.len(), W::default);
        self.fresh.clear();
        self.fresh.resize(lists.order.len().div_ceil(64), 0);
        for range in ranges {
            fill(&mut self.fresh, range.first as usize, range.end as usize);
        }
        let mut columns: Vec<Column<'_, W>> = recycle(std::mem::take(&mut self.columns));
        columns.extend(chunks.iter().map(|(_, owns, values)| (*owns, &**values)));
        let tree = Tree { lists, sites: &rows.sites, columns: &columns };
        // So many may have to be worked out before pieces are.
        self.trunks = lists.live / SHARE;
        let done = if ranges.iter().all(|range| range.depth == 0) {
            self.work_out(ranges, &tree)
        } else {
            let mut by_depth = std::mem::take(&mut self.by_depth);
            by_depth.extend(ranges);
            by_depth.sort_unstable_by_key(|range| (range.depth, range.first));
            let done = by_depth.chunk_by(|a, b| a.depth == b.depth).all(|ranges| self.work_out(ranges, &tree));
            by_depth.clear();
            self.by_depth = by_depth;
            done
        };
        self.columns = recycle(columns);
        if !done {
            return None;
        }
        self.hand_out(rows, chunks);
        Some(*self.odd.get_mut())
    }

    /// Works out ranges of which none hangs from another; answers whether that was worth it.
    fn work_out(&mut self, ranges: &[Reach], tree: &Tree<'_, W>) -> bool {
        if !ranges.iter().all(|range| self.cut(range.first as usize, range.end as usize, tree)) {
            self.waiting.clear();
            self.cuts.clear();
            self.overs.clear();
            return false;
        }
        self.cuts.sort_unstable_by_key(|cut| cut.first);
        let mut pieces: Vec<Piece<'_, W>> = recycle(std::mem::take(&mut self.list));
        let (mut rest, mut at) = (&mut self.values[..], 0);
        let mut cuts = &self.cuts[..];
        while let Some(cut) = cuts.first() {
            let mut size = 0;
            let count = cuts.iter().take_while(|cut| {
                size += (cut.end - cut.first) as usize;
                size <= PIECE
            });
            let (here, behind) = cuts.split_at(count.count().max(1));
            let (first, end) = (cut.first as usize, here[here.len() - 1].end as usize);
            let (values, further) = rest.split_at_mut(first - at).1.split_at_mut(end - first);
            pieces.push(Piece { cuts: here, first, values });
            (cuts, rest, at) = (behind, further, end);
        }
        let (overs, any_odd) = (&self.overs, &self.odd);
        let work = |piece: &mut Piece<'_, W>| {
            let odd = piece.work_out(tree, overs);
            if odd != 0 {
                any_odd.fetch_or(odd, Ordering::Relaxed);
            }
        };
        if let [piece] = &mut pieces[..] {
            work(piece);
        } else {
            pieces.par_iter_mut().for_each(work);
        }
        self.list = recycle(pieces);
        self.cuts.clear();
        self.overs.clear();
        true
    }

    /// Cuts a range, and works out what is above the cuts, if that is not too much.
    fn cut(&mut self, first: usize, end: usize, tree: &Tree<'_, W>) -> bool {
        let lists = tree.lists;
        if end - first <= PIECE {
            self.add_cut(first, end, lists);
            return true;
        }
        self.cut_siblings(first, end, lists);
        while let Some((first, end)) = self.waiting.pop() {
            let Some(trunks) = self.trunks.checked_sub(1) else { return false };
            self.trunks = trunks;
            let over = match lists.above[first] {
                NOBODY => None,
                above if is_set(&self.fresh, above as usize) => Some(&self.values[above as usize]),
                above => Some(tree.value(above)),
            };
            self.values[first] = W::under_noting(over, tree.own(first), self.odd.get_mut());
            self.cut_siblings(first + 1, end, lists);
        }
        true
    }

    /// Cuts between siblings: neighbours that are small together are one cut, and large ones wait. Holes belong to those before them.
    fn cut_siblings(&mut self, first: usize, end: usize, lists: &Lists) {
        let (mut start, mut child) = (first, first);
        while child < end {
            let next = if lists.above[child] == HOLE { child + 1 } else { lists.end[child] as usize };
            let large = next - child > PIECE;
            if start < child && (large || next - start > PIECE) {
                self.add_cut(start, child, lists);
                start = child;
            }
            if large {
                self.waiting.push((child, next));
                start = next;
            }
            child = next;
        }
        if start < end {
            self.add_cut(start, end, lists);
        }
    }

    fn add_cut(&mut self, first: usize, end: usize, lists: &Lists) {
        // Holes may be in front: all in a cut that have somebody above outside it have the same.
        let above = lists.above[first..end].iter().find(|above| **above != HOLE);
        let Some(&above) = above else { return };
        let over = if above != NOBODY && is_set(&self.fresh, above as usize) {
            self.overs.push(self.values[above as usize].clone());
            index(self.overs.len() - 1)
        } else {
            NOBODY
        };
        self.cuts.push(Cut { first: index(first), end: index(end), over });
    }

    /// Lets rows that are part of a range fetch their results.
    fn hand_out(&self, rows: &Rows, chunks: &mut [Chunk<'_, W>]) {
        let (values, fresh, mut ats) = (&self.values, &self.fresh, &rows.ats[..]);
        for (.., here) in chunks {
            let (ats_here, behind) = ats.split_at(here.len());
            ats_here.par_iter().zip(here.par_iter_mut()).with_min_len(PIECE).for_each(|(at, row)| {
                if is_set(fresh, *at as usize) {
                    *row = values[*at as usize].clone();
                }
            });
            ats = behind;
        }
    }
}

impl<W: Inherited> Piece<'_, W> {
    /// Works out all cuts of the piece; answers what was odd.
    fn work_out(&mut self, tree: &Tree<'_, W>, overs: &[W]) -> u8 {
        let mut odd = 0;
        for cut in self.cuts {
            for at in cut.first as usize..cut.end as usize {
                let over = match tree.lists.above[at] {
                    HOLE => continue,
                    NOBODY => None,
                    above if above >= cut.first => Some(&self.values[above as usize - self.first]),
                    above if cut.over == NOBODY => Some(tree.value(above)),
                    _ => Some(&overs[cut.over as usize]),
                };
                self.values[at - self.first] = W::under_noting(over, tree.own(at), &mut odd);
            }
        }
        odd
    }
}

fn index(at: usize) -> u32 {
    u32::try_from(at).expect("fewer than 2³² entities")
}
