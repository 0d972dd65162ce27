//! Walking in twos: every pair within one query, every combination of two queries.
//!
//! Pairs are visited in a fixed order that suits one thread and many: rows are cut into blocks, first every block is paired within
//! itself, then blocks meet in rounds like players in a tournament, each block at most once a round.
//!
//! ```text
//! blocks a b c d     within: a b c d     rounds: (a d) (b c) | (a c) (d b) | (a b) (c d)
//! ```
//! Blocks of one round share no row, so they can run side by side; and every row meets the others in the same order whatever the number
//! of threads, so results are the same to the last bit.

#![expect(unsafe_code, reason = "hands out items of two different rows at once")]

use super::borrowed::Query;
use super::filter::Filter;
use super::iter::Walk;
use super::part::{Part, ReadPart};
use super::pattern::Pattern;
use super::term::Terms;
use crate::storage::Store;
use std::ops::Range;

/// Rows per block. Two blocks of common components fit into the fastest cache.
const BLOCK: usize = 64;

/// All rows of a query, ready to be asked for in any order.
pub(super) struct Rows<Q: Terms> {
    tables: Vec<<Q::Parts as Part>::Pointers>,
    rows: Vec<RowRef>,
}

#[derive(Clone, Copy)]
struct RowRef {
    table: u32,
    row: u32,
    index: u32,
}

// SAFETY: stands for the right to the items, which are references to `Send` and `Sync` components.
unsafe impl<Q: Terms> Send for Rows<Q> {}
// SAFETY: as above; items are handed out by an unsafe function only.
unsafe impl<Q: Terms> Sync for Rows<Q> {}

impl<Q: Terms> Rows<Q> {
    pub(super) fn new<F: Filter>(query: &Query<'_, Q, F>) -> Self {
        let (store, prepared) = (query.store, query.prepared);
        let list = &prepared.matches.list;
        let tables = list
            .iter()
            .map(|at| {
                let table = &store.tables[at.table.index()];
                // SAFETY: the query is up to date, so state, columns and table are of the same store and archetype.
                unsafe { Q::Parts::pointers(prepared.state, at.columns, store, table) }
            })
            .collect();
        let mut rows = Vec::new();
        let mut add = |index: u32| {
            let location = store.entities.location_at(index);
            if let Some(slot) = prepared.matches.slot(store, location.table) {
                let table = u32::try_from(slot).expect("fewer than 2³² archetypes");
                let row = u32::try_from(location.row.index()).expect("rows are below 2³²");
                rows.push(RowRef { table, row, index });
            }
        };
        let matches = |index: u32| {
            // SAFETY: the query is up to date.
            unsafe { prepared.matches_index(store, index) }
        };
        match Walk::choose(store, prepared) {
            Walk::Tables => {
                for at in list {
                    let living = store.tables[at.table.index()].living();
                    living.filter(|index| matches(*index)).for_each(&mut add);
                }
            }
            Walk::Set(set) | Walk::Solo(set) => set.owners().filter(|index| matches(*index)).for_each(&mut add),
        }
        Self { tables, rows }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    fn index(&self, at: usize) -> u32 {
        self.rows[at].index
    }

    /// # Safety
    /// 1. The store is still borrowed for `'a`, unchanged.
    /// 2. As (3) of [`Part::item`], for this row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn item<'a>(&self, at: usize) -> Q::Item<'a> {
        let RowRef { table, row, index } = self.rows[at];
        // SAFETY: a matching row of that table; the right to it by (1) and (2).
        Q::assemble(unsafe { Q::Parts::item(&self.tables[table as usize], row as usize, index) })
    }
}

/// The rows of a block.
pub(super) fn block(at: usize, rows: usize) -> Range<usize> {
    at * BLOCK..((at + 1) * BLOCK).min(rows)
}

pub(super) fn block_count(rows: usize) -> usize {
    rows.div_ceil(BLOCK)
}

/// The pairs of blocks that meet in a round, the lower one first. Rounds `0..rounds(blocks)` make every pair meet once.
pub(super) fn meetings(round: usize, blocks: usize) -> impl Iterator<Item = (usize, usize)> {
    // The last seat stays, the others move on by one each round; with an odd number one seat is empty.
    let seats = blocks + blocks % 2;
    let turn = seats - 1;
    (0..seats / 2).filter_map(move |at| {
        let a = if at == 0 { seats - 1 } else { (round + at) % turn };
        let b = (round + turn - at) % turn;
        (a < blocks && b < blocks).then(|| (a.min(b), a.max(b)))
    })
}

pub(super) fn rounds(blocks: usize) -> usize {
    if blocks < 2 { 0 } else { blocks + blocks % 2 - 1 }
}

/// Every pair within a block.
///
/// # Safety
/// As [`Rows::item`] for all rows of the block.
pub(super) unsafe fn within<Q: Terms>(
    rows: &Rows<Q>,
    block: Range<usize>,
    f: &mut impl FnMut(Q::Item<'_>, Q::Item<'_>),
) {
    for a in block.clone() {
        for b in a + 1..block.end {
            // SAFETY: two different rows; the right to them is passed on, and ends with the call.
            unsafe { f(rows.item(a), rows.item(b)) };
        }
    }
}

/// Every pair of one row of each block.
///
/// # Safety
/// As [`Rows::item`] for all rows of both blocks, which share none.
pub(super) unsafe fn between<Q: Terms>(
    rows: &Rows<Q>,
    first: Range<usize>,
    second: Range<usize>,
    f: &mut impl FnMut(Q::Item<'_>, Q::Item<'_>),
) {
    for a in first {
        for b in second.clone() {
            // SAFETY: two different rows; the right to them is passed on, and ends with the call.
            unsafe { f(rows.item(a), rows.item(b)) };
        }
    }
}

impl<Q: Terms, F: Filter> Query<'_, Q, F> {
    /// Calls `f` with every unordered pair of different entities, for terms that only read; the one that comes earlier in the
    /// walk is the first.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # let mut world = World::new();
    /// world.spawn_batch([0.0, 1.0, 5.0].map(Position));
    /// let mut close = 0;
    /// world.query::<&Position>().pairs(|a, b| close += usize::from((a.0 - b.0).abs() < 2.0));
    /// assert_eq!(close, 1);
    /// ```
    #[doc(alias = "iter_combinations")]
    pub fn pairs(&self, f: impl FnMut(Q::Item<'_>, Q::Item<'_>))
    where
        Q::Parts: ReadPart,
    {
        // SAFETY: shared access may be handed out many times.
        unsafe { self.all_pairs(f) };
    }

    /// Calls `f` with every unordered pair of different entities, both mutable; the one that comes earlier in the walk is the first.
    ///
    /// The order of the pairs is fixed and does not depend on threads: `par_pairs_mut` gives the same result to the last bit.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Charge { at: f32, pull: f32 }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([1.0, 2.0, 4.0].map(|at| Charge { at, pull: 0.0 }));
    /// world.query::<&mut Charge>().pairs_mut(|a, b| {
    ///     let pull = 1.0 / (b.at - a.at);
    ///     a.pull += pull;
    ///     b.pull -= pull;
    /// });
    /// let total: f32 = world.query::<&Charge>().iter().map(|c| c.pull).sum();
    /// assert!(total.abs() < 1e-6);
    /// ```
    #[doc(alias = "iter_combinations_mut")]
    pub fn pairs_mut(&mut self, f: impl FnMut(Q::Item<'_>, Q::Item<'_>)) {
        // SAFETY: `self` is borrowed exclusively.
        unsafe { self.all_pairs(f) };
    }

    /// # Safety
    /// 1. Until this returns, nobody else uses what the terms write, and nobody writes what they read.
    unsafe fn all_pairs(&self, mut f: impl FnMut(Q::Item<'_>, Q::Item<'_>)) {
        let rows = Rows::new(self);
        let blocks = block_count(rows.len());
        // SAFETY: the right to all rows by (1); blocks that meet are different.
        unsafe {
            for at in 0..blocks {
                within(&rows, block(at, rows.len()), &mut f);
            }
            for round in 0..rounds(blocks) {
                for (a, b) in meetings(round, blocks) {
                    between(&rows, block(a, rows.len()), block(b, rows.len()), &mut f);
                }
            }
        }
    }
}

/// Whether one of two patterns writes what the other uses.
pub(super) fn conflict(a: &Pattern, b: &Pattern) -> bool {
    let both = Pattern { terms: a.terms.iter().chain(&b.terms).cloned().collect(), ..Pattern::default() };
    both.check_conflicts().is_err()
}

/// Calls `f` with every item of `a` combined with every item of `b`. An entity that matches both is combined with itself unless the two
/// conflict.
///
/// # Safety
/// 1. Both queries are up to date with `store`.
/// 2. Until this returns, nobody else uses what either writes, and nobody writes what either reads.
pub(crate) unsafe fn cross<A: Terms, FA: Filter, B: Terms, FB: Filter>(
    store: &Store,
    a: &super::Prepared<A, FA>,
    b: &super::Prepared<B, FB>,
    mut f: impl FnMut(A::Item<'_>, B::Item<'_>),
) {
    let alone = conflict(&a.pattern, &b.pattern);
    // SAFETY: both are up to date; the right by (2) is only used below.
    let (a, b) = unsafe { (Rows::new(&Query::new(store, a)), Rows::new(&Query::new(store, b))) };
    for i in 0..a.len() {
        for j in 0..b.len() {
            if alone && a.index(i) == b.index(j) {
                continue;
            }
            // SAFETY: the right to all rows by (2). Items of different entities share nothing; items of one entity are handed out only
            // if the queries do not conflict.
            unsafe { f(a.item(i), b.item(j)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_blocks_meets_exactly_once_and_no_block_twice_a_round() {
        for blocks in 0..40 {
            let mut met = vec![0; blocks * blocks];
            for round in 0..rounds(blocks) {
                let mut busy = vec![false; blocks];
                for (a, b) in meetings(round, blocks) {
                    assert!(a < b, "{blocks} blocks: {a} meets {b}");
                    assert!(!busy[a] && !busy[b]);
                    busy[a] = true;
                    busy[b] = true;
                    met[a * blocks + b] += 1;
                }
            }
            for a in 0..blocks {
                for b in a + 1..blocks {
                    assert_eq!(met[a * blocks + b], 1, "{blocks} blocks: {a} and {b}");
                }
            }
        }
    }
}
