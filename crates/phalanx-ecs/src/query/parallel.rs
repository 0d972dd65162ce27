//! Walking on many threads.
//!
//! Work is cut by rows, never by the number of threads; what is collected is collected in the order of the pieces. So nothing that
//! can be observed depends on how many threads there are.

#![expect(unsafe_code, reason = "hands items of different rows to different threads")]

use super::borrowed::Query;
use super::chunks::{refuse_rows, refuse_shared};
use super::filter::{Filter, FilterParts};
use super::iter::Walk;
use super::pairs::{Rows, between, block, block_count, conflict, meetings, rounds, within};
use super::part::{Part, ReadPart};
use super::prepared::Prepared;
use super::term::Terms;
use crate::storage::{BLOCK, Store};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use std::ops::Range;
use std::panic::Location;

/// A walk is cut into about so many pieces: enough for any number of threads to share it evenly.
const PIECES: usize = 256;

/// What another thread took over is halved so many times more: near the end, when pieces are scarce, they become small.
const CUTS: u32 = 2;

/// Rows of one match, or values of the driving sparse set.
#[derive(Clone)]
struct Piece {
    /// Position in the list of matches; meaningless for a sparse set.
    at: usize,
    rows: Range<usize>,
}

impl<Q: Terms, F: Filter> Query<'_, Q, F> {
    /// Calls `f` with each item, on all threads of the current rayon pool.
    ///
    /// Which thread sees which item is not defined, nor is the order; so `f` can only change the items it is given.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Age(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..10_000).map(Age));
    /// world.query::<&mut Age>().par_for_each(|age| age.0 += 1);
    /// assert_eq!(world.query::<&Age>().iter().map(|age| u64::from(age.0)).sum::<u64>(), 50_005_000);
    /// ```
    pub fn par_for_each(&mut self, f: impl Fn(Q::Item<'_>) + Send + Sync) {
        self.prepared.begin_together(self.store);
        let pieces = self.pieces(None);
        // SAFETY: `self` is borrowed exclusively, and pieces share no row.
        share(&pieces, 0, Self::GRAIN, &|piece| unsafe { self.run(piece, &f) });
    }

    /// Calls `f` with slices of at most `rows` rows, on all threads of the current rayon pool, and answers the results in [walking order](struct@crate::Query#order).
    ///
    /// Chunks depend on tables and `rows` alone, so folding the results in order gives the same on any number of threads.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Mass(f32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..10_000).map(|i| Mass(i as f32 * 0.1)));
    /// let sums = world.query::<&Mass>().par_chunks(1024, |masses| masses.iter().map(|m| m.0).sum::<f32>());
    /// let total: f32 = sums.into_iter().sum();   // the same bits on 1 thread and on 64
    /// # assert!(total > 0.0);
    /// ```
    ///
    /// # Panics
    /// If `rows` is 0.
    #[track_caller]
    pub fn par_chunks<R: Send>(&mut self, rows: usize, f: impl Fn(Q::Slice<'_>) -> R + Send + Sync) -> Vec<R> {
        const { refuse_rows(Prepared::<Q, F>::ROWS, "`par_for_each`") };
        const { refuse_shared(<Q::Parts as Part>::SLICED) };
        if rows == 0 {
            self.refuse_empty_chunks();
        }
        self.prepared.begin_together(self.store);
        let pieces = self.pieces(Some(rows));
        let this = &*self;
        let run = |piece: &Piece| {
            let at = &this.prepared.matches.list[piece.at];
            // SAFETY: `self` is borrowed exclusively, the query is up to date, and pieces share no row.
            f(unsafe { this.prepared.slices(this.store, at, piece.rows.start, piece.rows.end) })
        };
        pieces.par_iter_in_order(&run)
    }

    /// A piece ends at a multiple of so many rows, if not at the end: one thread looks for changes in a block of rows while no other marks them.
    const GRAIN: usize = if F::Parts::READER && Q::Parts::MARKS { 64 } else { 1 };

    #[cold]
    #[track_caller]
    fn refuse_empty_chunks(&self) -> ! {
        let caller = Location::caller();
        panic!(
            "error[Q006]: a query cannot be cut into chunks of 0 rows\n  query: {}\n  asked by: {}:{}\n  help: a chunk has at least one row, better many: `par_chunks(1024, …)`",
            self.prepared.describe(),
            caller.file(),
            caller.line()
        );
    }

    /// Cuts the walk into pieces of so many rows, none of which is passed over; or of a number that suits it.
    fn pieces(&self, rows: Option<usize>) -> Pieces {
        let list = &self.prepared.matches.list;
        let mut pieces = Vec::new();
        let mut cut = |at: usize, all: Range<usize>, size: usize| {
            let starts = all.clone().step_by(size);
            pieces.extend(starts.map(|start| Piece { at, rows: start..(start + size).min(all.end) }));
        };
        match Walk::choose(self.store, self.prepared) {
            Walk::Tables => {
                let lens = list.iter().map(|at| self.store.tables[at.table.index()].len());
                let mut size = rows.unwrap_or_else(|| lens.clone().sum::<usize>().div_ceil(PIECES).max(1));
                if rows.is_none() {
                    size = size.next_multiple_of(Self::GRAIN);
                }
                for (at, len) in lens.enumerate() {
                    if rows.is_some() {
                        // SAFETY: the query is up to date, and this is one of its matches.
                        unsafe { self.prepared.visit(self.store, &list[at], 0..len, |run| cut(at, run, size)) };
                    } else {
                        cut(at, 0..len, size);
                    }
                }
            }
            Walk::Set(set) | Walk::Solo(set) => {
                cut(0, 0..set.len(), rows.unwrap_or_else(|| set.len().div_ceil(PIECES).max(1)));
            }
        }
        Pieces(pieces)
    }

    /// Calls `f` with the items of a piece.
    ///
    /// # Safety
    /// 1. As (3) of [`Part::item`], for the rows of the piece.
    unsafe fn run(&self, piece: &Piece, f: &impl Fn(Q::Item<'_>)) {
        let (store, prepared) = (self.store, self.prepared);
        // SAFETY: the query is up to date; pieces are made of rows of its matches, or of the driving set; the right to them by (1).
        unsafe {
            match Walk::choose(store, prepared) {
                Walk::Tables => {
                    let at = &prepared.matches.list[piece.at];
                    let table = &store.tables[at.table.index()];
                    let pointers = Q::Parts::pointers(prepared.state, at.columns, store, table);
                    let indices = table.entities_ptr();
                    prepared.visit(store, at, piece.rows.clone(), |run| {
                        if Q::Parts::MARKS && !Prepared::<Q, F>::ROWS {
                            Self::run_noted(&pointers, indices, run, f);
                            return;
                        }
                        for row in run {
                            if let Some(item) = prepared.pick_visible(store, table, &pointers, row, *indices.add(row)) {
                                f(item);
                            }
                        }
                    });
                }
                Walk::Set(set) => {
                    for row in piece.rows.clone() {
                        if let Some(item) = prepared.of_index(store, set.owner_unchecked(row)) {
                            f(item);
                        }
                    }
                }
                Walk::Solo(set) => {
                    let pointers = Q::Parts::solo_pointers(set, store);
                    for row in piece.rows.clone() {
                        f(Q::assemble(Q::Parts::solo_item(&pointers, row, set.owner_unchecked(row))));
                    }
                }
            }
        }
    }

    /// Calls `f` with the items of some rows, and notes their changes block by block.
    ///
    /// # Safety
    /// 1. As (1) of [`Part::note_rows`]; `indices` is the entity column of the table, which has all those rows.
    /// 2. As (3) of [`Part::item`], for all of them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn run_noted(
        pointers: &<Q::Parts as Part>::Pointers,
        indices: *const u32,
        rows: Range<usize>,
        f: &impl Fn(Q::Item<'_>),
    ) {
        let (pointers, mut first) = (*pointers, rows.start);
        while first < rows.end {
            let end = rows.end.min((first / BLOCK + 1) * BLOCK);
            // SAFETY: rows of the table by (1), of which none is looked at by itself; the query has begun to note changes, together; the right to the rows by (2).
            unsafe {
                Q::Parts::note_rows(&pointers, first, end);
                (first..end).for_each(|row| f(Q::assemble(Q::Parts::noted_item(&pointers, row, *indices.add(row)))));
            }
            first = end;
        }
    }

    /// [`Query::pairs`] on all threads of the current rayon pool.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # let mut world = World::new();
    /// # use std::sync::atomic::{AtomicUsize, Ordering};
    /// world.spawn_batch([0.0, 1.0, 5.0].map(Position));
    /// let close = AtomicUsize::new(0);
    /// world.query::<&Position>().par_pairs(|a, b| {
    ///     if (a.0 - b.0).abs() < 2.0 {
    ///         close.fetch_add(1, Ordering::Relaxed);
    ///     }
    /// });
    /// assert_eq!(close.into_inner(), 1);
    /// ```
    pub fn par_pairs(&self, f: impl Fn(Q::Item<'_>, Q::Item<'_>) + Send + Sync)
    where
        Q::Parts: ReadPart,
    {
        // SAFETY: shared access may be handed out many times.
        unsafe { self.all_pairs_in_parallel(f) };
    }

    /// [`Query::pairs_mut`] on all threads of the current rayon pool, with the same result to the last bit.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # #[derive(Component)] struct Velocity(f32);
    /// # let mut world = World::new();
    /// world.spawn_batch([0.0, 1.0, 5.0].map(|x| (Position(x), Velocity(0.0))));
    /// world.query::<(&Position, &mut Velocity)>().par_pairs_mut(|(p, v), (q, w)| {
    ///     v.0 += q.0 - p.0;
    ///     w.0 += p.0 - q.0;
    /// });
    /// assert!(world.query::<&Velocity>().iter().map(|velocity| velocity.0).eq([6.0, 3.0, -9.0]));
    /// ```
    pub fn par_pairs_mut(&mut self, f: impl Fn(Q::Item<'_>, Q::Item<'_>) + Send + Sync) {
        // SAFETY: `self` is borrowed exclusively.
        unsafe { self.all_pairs_in_parallel(f) };
    }

    /// # Safety
    /// 1. Until this returns, nobody else uses what the terms write, and nobody writes what they read.
    unsafe fn all_pairs_in_parallel(&self, f: impl Fn(Q::Item<'_>, Q::Item<'_>) + Send + Sync) {
        self.prepared.begin_together(self.store);
        let rows = Rows::new(self);
        let blocks = block_count(rows.len());
        // SAFETY: the right to all rows by (1); blocks share no row, and those of one round are all different.
        (0..blocks).into_par_iter().for_each(|at| unsafe {
            within(&rows, block(at, rows.len()), &mut |a, b| f(a, b));
        });
        for round in 0..rounds(blocks) {
            let pairs: Vec<(usize, usize)> = meetings(round, blocks).collect();
            // SAFETY: as above.
            pairs.into_par_iter().for_each(|(a, b)| unsafe {
                between(&rows, block(a, rows.len()), block(b, rows.len()), &mut |a, b| f(a, b));
            });
        }
    }
}

struct Pieces(Vec<Piece>);

impl Pieces {
    fn par_iter_in_order<R: Send>(&self, run: &(impl Fn(&Piece) -> R + Sync)) -> Vec<R> {
        self.0.as_slice().into_par_iter().map(run).collect()
    }
}

impl std::ops::Deref for Pieces {
    type Target = [Piece];
    fn deref(&self) -> &[Piece] {
        &self.0
    }
}

/// Runs all pieces, halving the list until it is one piece long, and that so many times more, at multiples of `grain` rows.
fn share(pieces: &[Piece], cuts: u32, grain: usize, run: &(impl Fn(&Piece) + Sync)) {
    match pieces {
        [] => {}
        [piece] => halve(piece, cuts, grain, run),
        _ => {
            let (left, right) = pieces.split_at(pieces.len() / 2);
            rayon::join_context(
                |_| share(left, cuts, grain, run),
                |context| share(right, if context.migrated() { CUTS } else { cuts }, grain, run),
            );
        }
    }
}

fn halve(piece: &Piece, cuts: u32, grain: usize, run: &(impl Fn(&Piece) + Sync)) {
    let Range { start, end } = piece.rows;
    let middle = start + ((end - start) / 2).next_multiple_of(grain);
    if cuts == 0 || middle == start || middle >= end {
        return run(piece);
    }
    let part = |rows| Piece { at: piece.at, rows };
    rayon::join_context(
        |_| halve(&part(start..middle), cuts - 1, grain, run),
        |context| halve(&part(middle..end), if context.migrated() { CUTS } else { cuts - 1 }, grain, run),
    );
}

/// `cross` on all threads of the current rayon pool: items of `a` are shared out, each meets those of `b` in order. Answers whether
/// it ran: queries that conflict cannot run in parallel.
///
/// # Safety
/// As [`super::pairs::cross`].
pub(crate) unsafe fn par_cross<A: Terms, FA: Filter, B: Terms<Parts: ReadPart>, FB: Filter>(
    store: &Store,
    a: &Prepared<A, FA>,
    b: &Prepared<B, FB>,
    f: impl Fn(A::Item<'_>, B::Item<'_>) + Send + Sync,
) -> bool {
    if conflict(&a.pattern, &b.pattern) {
        return false;
    }
    // SAFETY: both are up to date; the right is only used below.
    let (queried, b) = unsafe { (Query::new(store, a), Rows::new(&Query::new(store, b))) };
    a.begin_together(store);
    let a = Rows::new(&queried);
    (0..a.len()).into_par_iter().with_min_len(1).for_each(|i| {
        for j in 0..b.len() {
            // SAFETY: each row of `a` is with one thread; rows of `b` are only read, and nothing that `a` writes is read by `b`.
            unsafe { f(a.item(i), b.item(j)) };
        }
    });
    true
}

#[cfg(test)]
mod tests {
    use super::{CUTS, Piece, halve, share};
    use std::ops::Range;
    use std::sync::Mutex;

    /// The pieces that `work` runs, by their first row; none twice, none left out up to `end`.
    fn pieces_run(end: usize, work: impl FnOnce(&(dyn Fn(&Piece) + Sync))) -> Vec<Range<usize>> {
        let ran = Mutex::new(Vec::new());
        work(&|piece| ran.lock().expect("nobody panics").push(piece.rows.clone()));
        let mut ran = ran.into_inner().expect("nobody panics");
        ran.sort_by_key(|rows| rows.start);
        let mut next = 0;
        for rows in &ran {
            assert_eq!(rows.start, next, "{ran:?}");
            next = rows.end;
        }
        assert_eq!(next, end, "{ran:?}");
        ran
    }

    #[test]
    fn a_piece_is_halved_at_multiples_of_the_grain_until_it_is_too_short() {
        // Nobody is there to take anything over.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
        for (end, grain, pieces) in [(1, 1, 1), (2, 1, 2), (3, 1, 3), (9, 1, 4), (64, 64, 1), (65, 64, 2), (300, 64, 4)]
        {
            let piece = Piece { at: 0, rows: 0..end };
            let ran = pieces_run(end, |run| pool.install(|| halve(&piece, CUTS, grain, &run)));
            assert_eq!(ran.len(), pieces, "{ran:?}");
            assert!(ran.iter().all(|rows| rows.start % grain == 0), "{ran:?}");
        }
    }

    #[test]
    fn what_other_threads_take_over_is_run_once() {
        let list: Vec<_> = (0..16).map(|at| Piece { at: 0, rows: at * 64..(at + 1) * 64 }).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads can be started");
        for grain in [1, 64] {
            let ran = pieces_run(1024, |run| {
                let slowly = |piece: &Piece| {
                    // Long enough for the others to come and help.
                    std::thread::sleep(std::time::Duration::from_millis(1));
                    run(piece);
                };
                pool.install(|| share(&list, 0, grain, &slowly));
            });
            assert!(ran.iter().all(|rows| rows.start % grain == 0), "{ran:?}");
        }
    }
}
