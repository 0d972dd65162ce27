//! Tables walked row by row on all threads.
//!
//! ```text
//! stages    [ 0──────2 2──────9 9 … ]      all in a stage are below rows that come before it: the pieces of a large one are worked out side by side
//! pieces    [ a  b  · │ c  ·  d │ … ]      else all pieces are, without the few rows (·) that are below a row of another piece: those come after
//! ```
//!
//! Where parents were spawned level by level, stages are large; where one tree stands behind the other, few rows are below another piece. Which way a chunk goes is found out with its
//! rows. No value depends on it, or on the threads.

use super::bits::is_set;
use super::inherited::Inherited;
use super::lists::NOBODY;
use super::plan::Chunk;
use super::rows::Over;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

/// So many rows are handed to a thread.
const PIECE: usize = 2048;
/// Or so many, where large trees leave too few in each.
const LARGE_PIECE: usize = 8 * PIECE;
/// Fewer rows are done sooner by one thread.
const LARGE: usize = 4 * PIECE;
/// If more than one row of so many is below another piece, pieces gain nothing.
const LATE: usize = 8;

/// How the rows of chunks are shared out.
#[derive(Default)]
pub(super) struct Shares {
    /// By chunk.
    ways: Vec<Way>,
    /// Where stages end: rows, chunk by chunk.
    ends: Vec<u32>,
    /// Rows that are below another piece of their chunk, or below such a row; chunk by chunk.
    late: Vec<u32>,
    /// The same by row, while it is found out.
    is_late: Vec<bool>,
    /// How many rows are worked out beside others.
    shared: usize,
}

/// How the rows of a chunk are shared out: which part of a list says it.
enum Way {
    Stages(Range<usize>),
    /// Of so many rows each.
    Pieces(usize, Range<usize>),
}

impl Shares {
    pub(super) fn clear(&mut self) {
        self.ways.clear();
        self.ends.clear();
        self.late.clear();
        self.shared = 0;
    }

    /// How many rows are worked out beside others.
    pub(super) fn shared(&self) -> usize {
        self.shared
    }

    /// Finds out how the rows of the next chunk are shared out.
    pub(super) fn add(&mut self, over: &[Over]) {
        let chunk = self.ways.len();
        let (ends, late) = (self.ends.len(), self.late.len());
        let in_stages = self.find_stages(chunk, over);
        let (mut in_pieces, mut size) = (0, PIECE);
        // The larger ones only for so many rows that there are enough of them.
        for (of, rows) in [(PIECE, LARGE), (LARGE_PIECE, 4 * LARGE_PIECE)] {
            if in_pieces == 0 && over.len() >= rows {
                self.late.truncate(late);
                (in_pieces, size) = (self.find_late(chunk, over, of), of);
            }
        }
        self.shared += in_stages.max(in_pieces);
        self.ways.push(if in_pieces > in_stages {
            self.ends.truncate(ends);
            Way::Pieces(size, late..self.late.len())
        } else {
            self.late.truncate(late);
            Way::Stages(ends..self.ends.len())
        });
    }

    /// Finds stages; answers how many rows are in large ones.
    fn find_stages(&mut self, chunk: usize, over: &[Over]) -> usize {
        let (mut start, mut shared) = (0, 0);
        let mut close = |start: u32, end: u32| {
            self.ends.push(end);
            let size = (end - start) as usize;
            shared += if size >= LARGE { size } else { 0 };
        };
        for (row, &(above, at)) in (0..).zip(over) {
            if above as usize == chunk && at >= start {
                close(start, row);
                start = row;
            }
        }
        if let Ok(end @ 1..) = u32::try_from(over.len()) {
            close(start, end);
        }
        shared
    }

    /// Finds rows that are below another piece; answers how many are not, or nothing if too few are.
    fn find_late(&mut self, chunk: usize, over: &[Over], size: usize) -> usize {
        self.is_late.clear();
        self.is_late.resize(over.len(), false);
        let first = self.late.len();
        for (row, &(above, at)) in over.iter().enumerate() {
            let at = at as usize;
            if above as usize == chunk && (at < row - row % size || self.is_late[at]) {
                self.is_late[row] = true;
                self.late.extend(u32::try_from(row));
                if (self.late.len() - first) * LATE > over.len() {
                    return 0;
                }
            }
        }
        over.len() - (self.late.len() - first)
    }

    /// Works out the rows of all chunks but, if there are any, those that are still: a bit for each row. `over` has the row above each, one chunk behind the other. Answers what was odd.
    pub(super) fn walk<W: Inherited>(&self, over: &[Over], still: Option<&[u64]>, chunks: &mut [Chunk<'_, W>]) -> u8 {
        // From here on as one of the pool's threads: nobody is woken twice.
        rayon::join(
            || match still {
                None => self.walk_chunks::<W, false>(over, &[], chunks),
                Some(still) => self.walk_chunks::<W, true>(over, still, chunks),
            },
            || (),
        )
        .0
    }

    fn walk_chunks<W: Inherited, const STILL: bool>(
        &self,
        over: &[Over],
        still: &[u64],
        chunks: &mut [Chunk<'_, W>],
    ) -> u8 {
        let (odd, mut first) = (AtomicU8::new(0), 0);
        for (chunk, way) in self.ways.iter().enumerate() {
            let (before, rest) = chunks.split_at_mut(chunk);
            let (_, owns, values) = &mut rest[0];
            let over = &over[first..first + values.len()];
            let rows = Rows::<W, STILL> { chunk, before, owns, over, still, first, odd: &odd };
            match way {
                Way::Stages(ends) => rows.walk_stages(&self.ends[ends.clone()], values),
                Way::Pieces(size, late) => rows.walk_pieces(*size, &self.late[late.clone()], values),
            }
            first += values.len();
        }
        odd.into_inner()
    }
}

/// The rows of a chunk, for those who work them out.
struct Rows<'a, 'w, W: Inherited, const STILL: bool> {
    chunk: usize,
    before: &'a [Chunk<'w, W>],
    owns: &'a [W::Own],
    over: &'a [Over],
    still: &'a [u64],
    /// How many rows there are before the chunk.
    first: usize,
    odd: &'a AtomicU8,
}

impl<W: Inherited, const STILL: bool> Rows<'_, '_, W, STILL> {
    fn walk_stages(&self, ends: &[u32], values: &mut [W]) {
        let mut start = 0;
        for end in ends.iter().map(|end| *end as usize) {
            let (done, rest) = values.split_at_mut(start);
            let stage = &mut rest[..end - start];
            // What is above is done, so it is in nobody's part of the stage.
            let work = |from: usize, part: &mut [W]| {
                let mut odd = 0;
                for (row, value) in (from..).zip(part) {
                    if !self.is_still(row) {
                        *value = self.work_out(row, done, 0, &mut odd);
                    }
                }
                self.note(odd);
            };
            if stage.len() < LARGE {
                work(start, stage);
            } else {
                let pieces = stage.par_chunks_mut(PIECE).enumerate();
                pieces.for_each(|(piece, part)| work(start + piece * PIECE, part));
            }
            start = end;
        }
    }

    fn walk_pieces(&self, size: usize, late: &[u32], values: &mut [W]) {
        values.par_chunks_mut(size).enumerate().for_each(|(piece, part)| {
            let (start, mut odd) = (piece * size, 0);
            let mut row = start;
            let mut late =
                late[late.partition_point(|late| (*late as usize) < start)..].iter().map(|late| *late as usize);
            while row < start + part.len() {
                let end = late.next().unwrap_or(usize::MAX).min(start + part.len());
                for row in row..end {
                    if !self.is_still(row) {
                        part[row - start] = self.work_out(row, part, start, &mut odd);
                    }
                }
                row = end + 1;
            }
            self.note(odd);
        });
        let mut odd = 0;
        for row in late.iter().map(|late| *late as usize) {
            if !self.is_still(row) {
                values[row] = self.work_out(row, values, 0, &mut odd);
            }
        }
        self.note(odd);
    }

    fn is_still(&self, row: usize) -> bool {
        STILL && is_set(self.still, self.first + row)
    }

    fn note(&self, odd: u8) {
        if odd != 0 {
            self.odd.fetch_or(odd, Ordering::Relaxed);
        }
    }

    /// What a row comes to. Values of the same chunk are `here`, from a row on.
    #[inline]
    fn work_out(&self, row: usize, here: &[W], from: usize, odd: &mut u8) -> W {
        let (chunk, over) = self.over[row];
        let over = if chunk as usize == self.chunk {
            Some(&here[over as usize - from])
        } else if chunk == NOBODY {
            None
        } else {
            Some(&self.before[chunk as usize].2[over as usize])
        };
        W::under_noting(over, &self.owns[row], odd)
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGE, LARGE_PIECE, NOBODY, Over, PIECE, Shares, Way};

    /// Rows are counted by `u32` in lists.
    const LARGE_ROWS: u32 = 8 * 1024;
    const PIECE_ROWS: u32 = 2 * 1024;

    fn ways(chunks: &[Vec<Over>]) -> Shares {
        let mut shares = Shares::default();
        for over in chunks {
            shares.add(over);
        }
        shares
    }

    #[test]
    fn rows_below_other_chunks_are_one_stage() {
        assert_eq!([LARGE_ROWS, PIECE_ROWS].map(|rows| rows as usize), [LARGE, PIECE]);
        let roots = vec![(NOBODY, NOBODY); LARGE];
        let leaves: Vec<Over> = (0..LARGE_ROWS).map(|row| (0, row)).collect();
        let few = vec![(0, 0); PIECE];
        let shares = ways(&[roots, leaves, few, Vec::new()]);
        assert_eq!((shares.shared(), &shares.ends[..]), (2 * LARGE, &[LARGE_ROWS, LARGE_ROWS, PIECE_ROWS][..]));
        assert!(matches!(&shares.ways[..], [Way::Stages(a), Way::Stages(b), Way::Stages(c), Way::Stages(d)]
            if (a, b, c, d) == (&(0..1), &(1..2), &(2..3), &(3..3))));
    }

    #[test]
    fn trees_that_stand_one_behind_the_other_are_shared_out_in_pieces() {
        // Trees of three in a row: one lies across the end of each piece or two.
        let over =
            |chunk| (0..2 * LARGE_ROWS).map(move |row| if row % 3 == 0 { (NOBODY, NOBODY) } else { (chunk, row - 1) });
        let shares = ways(&[over(0).collect(), over(1).collect()]);
        let across = |row: &u32| matches!((row % PIECE_ROWS, row % 3), (0, 1 | 2) | (1, 2));
        let late: Vec<u32> = (1..2 * LARGE_ROWS).filter(across).collect();
        assert_eq!(late.len(), 7, "of seven ends three cut off one row of a tree, two cut off two");
        assert_eq!((shares.shared(), &shares.late[..]), (2 * (2 * LARGE - late.len()), &late.repeat(2)[..]));
        assert!(shares.ends.is_empty());
        assert!(
            matches!(&shares.ways[..], [Way::Pieces(PIECE, a), Way::Pieces(PIECE, b)] if a.end == b.start && b.len() == late.len())
        );
    }

    #[test]
    fn large_trees_are_shared_out_in_large_pieces() {
        let over = |row: u32| if row.is_multiple_of(1500) { (NOBODY, NOBODY) } else { (0, row - 1) };
        let shares = ways(&[(0..8 * LARGE_ROWS).map(over).collect()]);
        assert!(matches!(&shares.ways[..], [Way::Pieces(LARGE_PIECE, late)] if late.len() == shares.late.len()));
        assert!(shares.shared() > 7 * LARGE && shares.late.iter().all(|row| row / 1500 == (row - row % 16_384) / 1500));
    }

    #[test]
    fn a_chain_is_not_shared_out() {
        let chain = |count: u32| (0..count).map(|row| row.checked_sub(1).map_or((NOBODY, NOBODY), |above| (0, above)));
        assert_eq!(ways(&[chain(2 * LARGE_ROWS).collect()]).shared(), 0);
    }
}
