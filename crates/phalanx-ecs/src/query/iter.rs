//! Walking row by row.

#![expect(unsafe_code, reason = "turns matching rows into items")]

use super::filter::{Filter, FilterParts, Place};
use super::matches::Match;
use super::part::Part;
use super::parts::is_on;
use super::prepared::Prepared;
use super::runs::{Runs, first_bits};
use super::term::Terms;
use crate::component::SetId;
use crate::storage::{BLOCK, SparseSet, Store, Table};
use std::mem::MaybeUninit;
use std::ops::Range;

/// What a walk runs over.
#[derive(Clone, Copy)]
pub(super) enum Walk<'w> {
    /// The rows of all matching tables.
    Tables,
    /// The smallest sparse set that a match must be in.
    Set(&'w SparseSet),
    /// A sparse set that is all there is to it.
    Solo(&'w SparseSet),
}

impl<'w> Walk<'w> {
    /// Chooses, anew for each walk.
    pub(super) fn choose<Q: Terms, F: Filter>(store: &'w Store, prepared: &Prepared<Q, F>) -> Self {
        if !Prepared::<Q, F>::ROWS {
            return Self::Tables;
        }
        if let Some(set) = prepared.solo {
            return Self::Solo(store.sets.get(set));
        }
        let sets = prepared.pattern.required_sets().map(|set| store.sets.get(set));
        match sets.min_by_key(|set| set.len()) {
            Some(set) => Self::Set(set),
            None => Self::Tables,
        }
    }
}

impl<Q: Terms, F: Filter> Prepared<Q, F> {
    /// The item of the entity in a row of a matching table, if it matches.
    ///
    /// # Safety
    /// 1. The query is up to date with `store`, which is borrowed for `'w`; `at` is one of its matches.
    /// 2. `row` is a row of the match's table.
    /// 3. As (3) of [`Part::item`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn row<'w>(
        &self,
        store: &'w Store,
        at: &Match<<Q::Parts as Part>::Columns>,
        row: usize,
    ) -> Option<Q::Item<'w>> {
        // SAFETY: state, columns and table are of the same store and archetype, by (1); the row by (2) and (3).
        unsafe {
            let table = store.tables.get_unchecked(at.table.index());
            let pointers = Q::Parts::pointers(self.state, at.columns, store, table);
            let index = *table.entities_ptr().add(row);
            self.pick(store, table, &pointers, row, index)
        }
    }

    /// The item of a row, if it matches.
    ///
    /// # Safety
    /// 1. `pointers` are those of `table`, of a store that the query is up to date with.
    /// 2. `row` is one of its rows, and belongs to the live entity `index`.
    /// 3. As (3) of [`Part::item`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn pick<'w>(
        &self,
        store: &'w Store,
        table: &Table,
        pointers: &<Q::Parts as Part>::Pointers,
        row: usize,
        index: u32,
    ) -> Option<Q::Item<'w>> {
        // SAFETY: passed on.
        unsafe {
            if !self.passes(store, table, pointers, row, index) {
                return None;
            }
            Some(Q::assemble(Q::Parts::item(pointers, row, index)))
        }
    }

    /// The item of a row that masks have let pass, if it matches.
    ///
    /// # Safety
    /// As `pick`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn pick_visible<'w>(
        &self,
        store: &'w Store,
        table: &Table,
        pointers: &<Q::Parts as Part>::Pointers,
        row: usize,
        index: u32,
    ) -> Option<Q::Item<'w>> {
        // SAFETY: passed on.
        unsafe {
            if Self::ROWS {
                let place = Place { store, table, row, index, since: self.since, pattern: &self.pattern };
                if !Q::Parts::has_row(pointers, row, index) || F::Parts::ROWS && !F::Parts::matches(&self.filter, place)
                {
                    return None;
                }
            }
            Some(Q::assemble(Q::Parts::item(pointers, row, index)))
        }
    }

    /// Whether the entity of a row of a matching table matches.
    ///
    /// # Safety
    /// As (1) and (2) of `pick`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn passes(
        &self,
        store: &Store,
        table: &Table,
        pointers: &<Q::Parts as Part>::Pointers,
        row: usize,
        index: u32,
    ) -> bool {
        if !Self::ROWS && !Self::MASKED {
            return true;
        }
        let place = Place { store, table, row, index, since: self.since, pattern: &self.pattern };
        // SAFETY: passed on.
        unsafe {
            is_on::<Q::Parts>(pointers, row)
                && Q::Parts::has_row(pointers, row, index)
                && (!F::Parts::ROWS && !F::Parts::MASKED || F::Parts::matches(&self.filter, place))
        }
    }

    /// Calls `f` with every item of a query that one sparse set is all there is to.
    ///
    /// # Safety
    /// 1. The query is up to date with `store`, which is borrowed for `'w`; `set` is its `solo`.
    /// 2. As (3) of [`Part::item`], for all rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn each_solo<'w>(store: &'w Store, set: SetId, f: &mut impl FnMut(Q::Item<'w>)) {
        let set = store.sets.get(set);
        // SAFETY: `solo` says tableless with one set, and this is it, by (1).
        let pointers = unsafe { Q::Parts::solo_pointers(set, store) };
        for row in 0..set.len() {
            // SAFETY: a row of the set, visited once; the right to it by (2).
            let parts = unsafe { Q::Parts::solo_item(&pointers, row, set.owner_unchecked(row)) };
            f(Q::assemble(parts));
        }
    }

    /// Which rows of a block of 64 a walk visits, as a mask.
    ///
    /// # Safety
    /// 1. `pointers` and `marks` are those of `table`, of a store that the query is up to date with.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn visible(
        &self,
        table: &Table,
        pointers: &<Q::Parts as Part>::Pointers,
        marks: <F::Parts as FilterParts>::Marks<'_>,
        block: usize,
    ) -> u64 {
        let mut word = !table.dead().word(block);
        if Q::Parts::MASKED {
            // SAFETY: passed on.
            word &= !unsafe { Q::Parts::off(pointers, block) };
        }
        if F::Parts::MASKED {
            word &= F::Parts::mask(marks, self.since, block);
        }
        word
    }

    /// Whether a walk visits all rows of a table.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn visits_all(&self, table: &Table) -> bool {
        let masked = Q::Parts::MASKED || F::Parts::MASKED && F::Parts::masks(&self.filter, table);
        !masked && !table.has_gaps()
    }

    /// The rows of a table with rows to pass over, folded.
    ///
    /// # Safety
    /// 1. `pointers` are those of `table`, of a store that the query is up to date with.
    /// 2. As (3) of [`Part::item`], for all rows.
    #[inline(never)]
    unsafe fn fold_gaps<'w, B>(
        &self,
        table: &Table,
        pointers: &<Q::Parts as Part>::Pointers,
        init: B,
        f: &mut impl FnMut(B, Q::Item<'w>) -> B,
    ) -> B {
        let (pointers, indices, marks) = (*pointers, table.entities_ptr(), F::Parts::marks(&self.filter, table));
        // No row beyond the last one.
        let (whole, rest) = (table.len() / 64, first_bits(table.len() % 64));
        let visible = |block| {
            // SAFETY: by (1).
            let rows = unsafe { self.visible(table, &pointers, marks, block) };
            rows & if block < whole { !0 } else { rest }
        };
        // SAFETY: a row of the table, visited once; the right to it by (2).
        let item = |row: usize| Q::assemble(unsafe { Q::Parts::item(&pointers, row, *indices.add(row)) });
        let mut result = init;
        let count = table.len().div_ceil(64);
        for group in 0..count.div_ceil(64) {
            let left = count - group * 64;
            let mut blocks = F::Parts::candidates(marks, self.since, group) & first_bits(left);
            while blocks != 0 {
                let block = group * 64 + blocks.trailing_zeros() as usize;
                blocks &= blocks - 1;
                let (first, mut rows) = (block * 64, visible(block));
                if rows == !0 {
                    // As many whole blocks at once as follow.
                    let mut end = block + 1;
                    while blocks >> (end % 64) & 1 == 1 && !end.is_multiple_of(64) && visible(end) == !0 {
                        blocks &= blocks - 1;
                        end += 1;
                    }
                    for row in first..end * 64 {
                        result = f(result, item(row));
                    }
                    continue;
                }
                // Two at a time: a loop this short is half as fast where a line of the code ends in the middle of it.
                while rows != 0 {
                    result = f(result, item(first + rows.trailing_zeros() as usize));
                    rows &= rows - 1;
                    if rows == 0 {
                        break;
                    }
                    result = f(result, item(first + rows.trailing_zeros() as usize));
                    rows &= rows - 1;
                }
            }
        }
        result
    }

    /// The rows that a walk of a table with rows to pass over visits, if its filter has them as a list.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn listed<'w>(&'w self, table: &'w Table) -> Option<&'w [u32]> {
        if !F::Parts::MASKED || Q::Parts::MASKED || table.has_gaps() {
            return None;
        }
        F::Parts::listed(F::Parts::marks(&self.filter, table), table.len())
    }

    /// Some rows of a table, folded.
    ///
    /// # Safety
    /// 1. `pointers` are those of `table`, of a store that the query is up to date with.
    /// 2. `rows` are rows of the table, none of them twice.
    /// 3. As (3) of [`Part::item`], for all of them.
    #[inline(never)]
    unsafe fn fold_listed<'w, B>(
        table: &Table,
        pointers: &<Q::Parts as Part>::Pointers,
        rows: &[u32],
        init: B,
        f: &mut impl FnMut(B, Q::Item<'w>) -> B,
    ) -> B {
        let (pointers, indices) = (*pointers, table.entities_ptr());
        rows.iter().fold(init, |result, row| {
            let row = *row as usize;
            // SAFETY: a row of the table by (2), visited once; the right to it by (3).
            f(result, Q::assemble(unsafe { Q::Parts::item(&pointers, row, *indices.add(row)) }))
        })
    }

    /// The runs of rows of a match's table that a walk visits.
    ///
    /// # Safety
    /// 1. The query is up to date with `store`; `at` is one of its matches; the range is within its table.
    pub(super) unsafe fn runs(
        &self,
        store: &Store,
        at: &Match<<Q::Parts as Part>::Columns>,
        rows: Range<usize>,
    ) -> Runs {
        // SAFETY: passed on.
        unsafe { self.with_visible(store, at, |visible| Runs::new(rows, visible)) }
    }

    /// The next run of rows of a match's table that a walk visits.
    ///
    /// # Safety
    /// 1. As `runs`, with the same match.
    pub(super) unsafe fn next_run(
        &self,
        store: &Store,
        at: &Match<<Q::Parts as Part>::Columns>,
        runs: &mut Runs,
    ) -> Option<Range<usize>> {
        // SAFETY: passed on.
        unsafe { self.with_visible(store, at, |visible| runs.next(visible)) }
    }

    /// # Safety
    /// 1. The query is up to date with `store`; `at` is one of its matches.
    unsafe fn with_visible<R>(
        &self,
        store: &Store,
        at: &Match<<Q::Parts as Part>::Columns>,
        act: impl FnOnce(&dyn Fn(usize) -> u64) -> R,
    ) -> R {
        let table = &store.tables[at.table.index()];
        let marks = F::Parts::marks(&self.filter, table);
        // SAFETY: state, columns and table are of the same store and archetype, by (1).
        let pointers = unsafe { Q::Parts::pointers(self.state, at.columns, store, table) };
        // SAFETY: pointers and marks of this table.
        act(&|block| unsafe { self.visible(table, &pointers, marks, block) })
    }

    /// Calls `f` with each run of rows, within a range, of a match's table that a walk visits.
    ///
    /// # Safety
    /// 1. As `runs`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn visit(
        &self,
        store: &Store,
        at: &Match<<Q::Parts as Part>::Columns>,
        rows: Range<usize>,
        mut f: impl FnMut(Range<usize>),
    ) {
        if self.visits_all(&store.tables[at.table.index()]) {
            if !rows.is_empty() {
                f(rows);
            }
            return;
        }
        // SAFETY: passed on.
        unsafe {
            let mut runs = self.runs(store, at, rows);
            while let Some(run) = self.next_run(store, at, &mut runs) {
                f(run);
            }
        }
    }

    /// Whether a live entity matches. Hands nothing out.
    ///
    /// # Safety
    /// 1. The query is up to date with `store`.
    pub(super) unsafe fn matches_index(&self, store: &Store, index: u32) -> bool {
        let location = store.entities.location_at(index);
        let Some(slot) = self.matches.slot(store, location.table) else { return false };
        let at = &self.matches.list[slot];
        let table = &store.tables[at.table.index()];
        // SAFETY: state, columns and table are of the same store and archetype.
        unsafe {
            let pointers = Q::Parts::pointers(self.state, at.columns, store, table);
            self.passes(store, table, &pointers, location.row.index(), index)
        }
    }

    /// How many entities match. Hands nothing out.
    ///
    /// # Safety
    /// 1. The query is up to date with `store`.
    pub(super) unsafe fn count(&self, store: &Store) -> usize {
        // SAFETY: passed on.
        let matches = |index: &u32| unsafe { self.matches_index(store, *index) };
        let mut count = 0;
        match Walk::choose(store, self) {
            Walk::Tables => {
                for at in &self.matches.list {
                    let table = &store.tables[at.table.index()];
                    // SAFETY: a match, and all rows of its table.
                    unsafe {
                        self.visit(store, at, 0..table.len(), |run| {
                            count += if Self::ROWS {
                                table.entities()[run].iter().filter(|i| matches(i)).count()
                            } else {
                                run.len()
                            };
                        });
                    }
                }
            }
            Walk::Set(set) => count = set.owners().filter(matches).count(),
            Walk::Solo(set) => count = set.len(),
        }
        count
    }

    /// The item of a live entity, if it matches.
    ///
    /// # Safety
    /// 1. The query is up to date with `store`, which is borrowed for `'w`, and `index` is alive in it.
    /// 2. As (3) of [`Part::item`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn of_index<'w>(&self, store: &'w Store, index: u32) -> Option<Q::Item<'w>> {
        let location = store.entities.location_at(index);
        let slot = self.matches.slot(store, location.table)?;
        // SAFETY: slots are positions in the list; a location names a row of its table; the rest is passed on.
        unsafe { self.row(store, self.matches.list.get_unchecked(slot), location.row.index()) }
    }
}

/// The items of a query, one by one.
///
/// Prefer `for_each` (or any other adaptor that consumes the whole iterator) where it reads as well: it runs as nested loops.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 2, 1].map(Health));
/// let weakest = world.query::<(Entity, &Health)>().into_iter().min_by_key(|(_, health)| health.0);
/// assert_eq!(weakest.unwrap().1.0, 1);
/// ```
pub struct QueryIter<'w, Q: Terms, F: Filter = ()> {
    store: &'w Store,
    prepared: &'w Prepared<Q, F>,
    walk: Walk<'w>,
    /// Matches not begun yet.
    rest: std::slice::Iter<'w, Match<<Q::Parts as Part>::Columns>>,
    /// Of the current table or set; initialised if `row < end`.
    pointers: MaybeUninit<<Q::Parts as Part>::Pointers>,
    /// The entity column of the current table.
    indices: *const u32,
    /// The current table; meaningless for other walks.
    table: usize,
    /// The present run of rows, all of which are visited.
    row: usize,
    end: usize,
    /// How many rows the current table or set has.
    len: usize,
    /// The runs that follow, if the table has rows to pass over, and what tells them apart.
    runs: Runs,
    marks: Option<<F::Parts as FilterParts>::Marks<'w>>,
    /// Rows of tables that are done with.
    done: usize,
}

// SAFETY: yields what `&mut World` or `&World` would: items that are references to components, which are `Send` and `Sync`.
unsafe impl<Q: Terms, F: Filter> Send for QueryIter<'_, Q, F> {}
// SAFETY: a shared iterator yields nothing.
unsafe impl<Q: Terms, F: Filter> Sync for QueryIter<'_, Q, F> {}

impl<'w, Q: Terms, F: Filter> QueryIter<'w, Q, F> {
    /// # Safety
    /// 1. The query is up to date with `store`.
    /// 2. For `'w` the caller has the right to everything the terms declare.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn new(store: &'w Store, prepared: &'w Prepared<Q, F>) -> Self {
        // SAFETY: passed on; all matches, each once.
        let mut iter = unsafe { Self::over(store, prepared, &prepared.matches.list) };
        iter.walk = Walk::choose(store, prepared);
        match iter.walk {
            Walk::Tables => {}
            Walk::Set(set) => (iter.end, iter.len) = (set.len(), set.len()),
            Walk::Solo(set) => {
                (iter.end, iter.len) = (set.len(), set.len());
                // SAFETY: `SOLO` says tableless with one set, and this is it.
                iter.pointers.write(unsafe { Q::Parts::solo_pointers(set, store) });
            }
        }
        iter
    }

    /// The items of some of the query's matches.
    ///
    /// # Safety
    /// As `new`; and `matches` are some of the query's, each at most once.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn over(
        store: &'w Store,
        prepared: &'w Prepared<Q, F>,
        matches: &'w [Match<<Q::Parts as Part>::Columns>],
    ) -> Self {
        Self {
            store,
            prepared,
            walk: Walk::Tables,
            rest: matches.iter(),
            pointers: MaybeUninit::uninit(),
            indices: std::ptr::null(),
            table: 0,
            row: 0,
            end: 0,
            len: 0,
            runs: Runs::default(),
            marks: None,
            done: 0,
        }
    }

    /// How many candidates were looked at so far, matching or not.
    ///
    /// For those who wonder what a filter costs.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] #[component(storage = "sparse")] struct Burning;
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// let query = world.query_filtered::<&Health, Without<Burning>>();
    /// let mut iter = query.iter();
    /// assert_eq!((iter.by_ref().count(), iter.visited()), (3, 3));
    /// ```
    pub fn visited(&self) -> usize {
        self.done + self.row
    }

    /// Goes on to the next run of rows; answers whether there is one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next_run(&mut self) -> bool {
        if self.row < self.len {
            // Some rows of the table are passed over.
            if self.next_run_here() {
                return true;
            }
            self.row = self.len;
        }
        while self.next_table() {
            if self.row < self.end || self.next_run_here() {
                return true;
            }
            self.row = self.len;
        }
        false
    }

    /// Goes on to the next run of rows of a table that has rows to pass over.
    #[inline]
    fn next_run_here(&mut self) -> bool {
        let Some(marks) = self.marks else { return false };
        // SAFETY: `table` is one of the store, and the pointers, which are initialised, and marks are its own.
        let run = unsafe {
            let table = self.store.tables.get_unchecked(self.table);
            let (pointers, prepared) = (self.pointers.assume_init_ref(), self.prepared);
            self.runs.next(|block| prepared.visible(table, pointers, marks, block))
        };
        let found = run.is_some();
        if let Some(run) = run {
            (self.row, self.end) = (run.start, run.end);
        }
        found
    }

    /// Goes on to the next table that has rows; answers whether there is one. If it has rows to pass over, no run is begun yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next_table(&mut self) -> bool {
        if Prepared::<Q, F>::ROWS && !matches!(self.walk, Walk::Tables) {
            return false;
        }
        for at in self.rest.by_ref() {
            // SAFETY: a match names a table of the store; state and columns are of the same store and archetype.
            let table = unsafe { self.store.tables.get_unchecked(at.table.index()) };
            if table.len() > 0 {
                // SAFETY: as above.
                let pointers = unsafe { Q::Parts::pointers(self.prepared.state, at.columns, self.store, table) };
                self.pointers.write(pointers);
                self.done += self.row;
                self.table = at.table.index();
                self.indices = table.entities_ptr();
                self.row = 0;
                self.len = table.len();
                if self.prepared.visits_all(table) {
                    self.end = self.len;
                    self.marks = None;
                } else {
                    self.begin_runs(table);
                }
                return true;
            }
        }
        false
    }

    #[inline(never)]
    fn begin_runs(&mut self, table: &'w Table) {
        let marks = F::Parts::marks(&self.prepared.filter, table);
        self.end = 0;
        self.marks = Some(marks);
        // SAFETY: the pointers were made for this table just now.
        self.runs = unsafe {
            let (pointers, prepared) = (self.pointers.assume_init_ref(), self.prepared);
            Runs::new(0..table.len(), |block| prepared.visible(table, pointers, marks, block))
        };
    }

    /// The item at a row of the current table or set.
    ///
    /// # Safety
    /// 1. `row` is below `end` and was not asked for before.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn at(&mut self, row: usize) -> Option<Q::Item<'w>> {
        // SAFETY: there is a current table or set, so the pointers are initialised where they are used; each row is visited once, so
        // nobody else has its items; the caller of `new` has the right to them.
        unsafe {
            if Prepared::<Q, F>::ROWS {
                match self.walk {
                    Walk::Tables => {
                        let table = self.store.tables.get_unchecked(self.table);
                        let index = *self.indices.add(row);
                        self.prepared.pick_visible(self.store, table, self.pointers.assume_init_ref(), row, index)
                    }
                    Walk::Set(set) => self.prepared.of_index(self.store, set.owner_unchecked(row)),
                    Walk::Solo(set) => {
                        let parts = Q::Parts::solo_item(self.pointers.assume_init_ref(), row, set.owner_unchecked(row));
                        Some(Q::assemble(parts))
                    }
                }
            } else {
                let index = *self.indices.add(row);
                Some(Q::assemble(Q::Parts::item(self.pointers.assume_init_ref(), row, index)))
            }
        }
    }
}

impl<'w, Q: Terms, F: Filter> QueryIter<'w, Q, F> {
    /// `fold`, where no row is looked at by itself: nested loops over what is in locals, so that writing through an item cannot make
    /// the compiler read it again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fold_tables<B, G: FnMut(B, Q::Item<'w>) -> B>(mut self, init: B, mut f: G) -> B {
        let (store, prepared, tables) = (self.store, self.prepared, self.store.tables.as_slice());
        let gaps = Prepared::<Q, F>::MASKED || store.may_have_gaps;
        let mut result = init;
        while self.row < self.len {
            if self.row < self.end {
                // SAFETY: the current table has rows left, so the pointers are initialised.
                let (pointers, indices) = (unsafe { self.pointers.assume_init() }, self.indices);
                for row in self.row..self.end {
                    // SAFETY: a row of the current table, visited once.
                    let parts = unsafe { Q::Parts::item(&pointers, row, *indices.add(row)) };
                    result = f(result, Q::assemble(parts));
                }
                self.row = self.end;
            }
            if self.row < self.len && !self.next_run_here() {
                break;
            }
        }
        for at in self.rest {
            // SAFETY: a match names a table of the store; state and columns are of the same store and archetype. Each row is visited once. The query has begun to note changes.
            unsafe {
                let table = at.place.find(tables);
                let indices = table.entities_ptr();
                let pointers = Q::Parts::pointers(prepared.state, at.columns, store, table);
                // What became empty is passed over before anything is asked of it.
                if gaps && table.len() > 0 && !prepared.visits_all(table) {
                    result = match prepared.listed(table) {
                        Some(rows) => Prepared::<Q, F>::fold_listed(table, &pointers, rows, result, &mut f),
                        None => prepared.fold_gaps(table, &pointers, result, &mut f),
                    };
                    continue;
                }
                let len = table.len();
                if Q::Parts::MARKS {
                    let mut first = 0;
                    while first < len {
                        // What is known of so many rows is written at once.
                        let end = len.min(first + BLOCK);
                        Q::Parts::note_rows(&pointers, first, end);
                        for row in first..end {
                            result = f(result, Q::assemble(Q::Parts::noted_item(&pointers, row, *indices.add(row))));
                        }
                        first = end;
                    }
                    continue;
                }
                // Counted down: so the rows that are left over by vectors take one comparison and one jump each.
                let mut left = len;
                while left != 0 {
                    let row = len - left;
                    result = f(result, Q::assemble(Q::Parts::item(&pointers, row, *indices.add(row))));
                    left -= 1;
                }
            }
        }
        result
    }
}

impl<'w, Q: Terms, F: Filter> Iterator for QueryIter<'w, Q, F> {
    type Item = Q::Item<'w>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(&mut self) -> Option<Q::Item<'w>> {
        loop {
            if self.row < self.end {
                let row = self.row;
                self.row += 1;
                // SAFETY: below `end`, and `row` has just moved past it.
                if let Some(item) = unsafe { self.at(row) } {
                    return Some(item);
                }
            } else if !self.next_run() {
                return None;
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let here = self.len - self.row;
        if Prepared::<Q, F>::ROWS && !matches!(self.walk, Walk::Tables) {
            return (0, Some(here));
        }
        let tables = self.rest.as_slice().iter().map(|at| self.store.tables[at.table.index()].len());
        let most = here + tables.sum::<usize>();
        let exact = !Prepared::<Q, F>::ROWS && !Prepared::<Q, F>::MASKED && self.marks.is_none();
        let exact =
            exact && self.rest.as_slice().iter().all(|at| self.store.tables[at.table.index()].dead().ones() == 0);
        (if exact { most } else { 0 }, Some(most))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fold<B, G: FnMut(B, Q::Item<'w>) -> B>(mut self, init: B, mut f: G) -> B {
        let mut result = init;
        loop {
            // Copies in locals, so that writing through an item cannot make the compiler read them again.
            let end = self.end;
            if Prepared::<Q, F>::ROWS {
                if let Walk::Solo(set) = self.walk {
                    if self.row < end {
                        // SAFETY: the walk has rows left, so the pointers are initialised.
                        let pointers = unsafe { self.pointers.assume_init() };
                        for row in self.row..end {
                            // SAFETY: a row of the set, visited once.
                            let parts = unsafe { Q::Parts::solo_item(&pointers, row, set.owner_unchecked(row)) };
                            result = f(result, Q::assemble(parts));
                        }
                    }
                    return result;
                }
                while self.row < end {
                    let row = self.row;
                    self.row += 1;
                    // SAFETY: below `end`, and `row` has just moved past it.
                    if let Some(item) = unsafe { self.at(row) } {
                        result = f(result, item);
                    }
                }
            } else {
                return self.fold_tables(result, f);
            }
            if !self.next_run() {
                return result;
            }
        }
    }
}

impl<Q: Terms, F: Filter> std::iter::FusedIterator for QueryIter<'_, Q, F> {}
