//! Tables: one dense column per component, one row per entity.
//!
//! ```text
//! entities  [  7  |  2  |  9  ]      row 1 is the entity with index 2 (its generation stands in `Entities`)
//! Position  [  p  |  p  |  p  ]
//! Velocity  [  v  |  v  |  v  ]      all columns have `len` values and room for `capacity`, always
//! ```
//!
//! Removal moves the last row into the hole, so a row number is valid only until the next removal; keep an `Entity` instead.
//! Tables do not know who asks for them: matching lives in `query`.

#![expect(unsafe_code, reason = "keeps columns of type-erased values at one length")]

use super::archetype::ArchetypeId;
use super::bits::Bits;
use super::column::{Column, ColumnIndex, ColumnMap, fill_all};
use super::sides::Sides;
use crate::component::{ComponentId, ComponentInfo, DropFn, Panics, Registry, StorageKind, Watch};
use crate::entity::{Row, TableId};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::ptr::NonNull;

/// One table; see the module.
///
/// What walks and single edits look at comes first, in one line of the cache.
#[repr(C)]
pub struct Table {
    len: usize,
    capacity: u32,
    /// How many rows were taken out; from 2³² on it begins anew.
    taken: u32,
    /// Indices of the entities; `len` of them initialised, room for `capacity`.
    entities: NonNull<u32>,
    /// In the order of the archetype's components, tags left out.
    columns: Box<[Column]>,
    pub(super) archetype: ArchetypeId,
    /// Whether some rows are dead.
    gaps: bool,
    /// Whether taking a row out is more than moving bytes: something to drop, sides, dead rows, shared values or observers.
    attended: bool,
    /// Whether somebody observes that a component of this table goes.
    watched: bool,
    /// How often `taken` has begun anew.
    turns: u8,
    map: ColumnMap,
    /// What few tables have.
    rare: Option<Box<Rare>>,
    /// What is kept by row for tracked and toggled components.
    sides: Sides,
    /// Rows whose entity is dead and which are not collected yet.
    dead: Bits,
}

// SAFETY: a table owns its columns (`Send`, `Sync`) and a buffer of plain numbers.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// Where a table stands in the list of them, such that finding it takes no multiplication: so many words from the first.
#[derive(Clone, Copy)]
pub(crate) struct TablePlace(u32);

impl TablePlace {
    const WORDS: usize = size_of::<Table>() / align_of::<Table>();

    pub(crate) fn of(table: TableId) -> Self {
        Self(u32::try_from(table.index() * Self::WORDS).expect("fewer than 2²⁷ tables"))
    }

    /// # Safety
    /// 1. The table it was made of is one of `tables`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn find(self, tables: &[Table]) -> &Table {
        // SAFETY: so many words after the first the table begins, by (1).
        unsafe { &*tables.as_ptr().byte_add(self.0 as usize * align_of::<Table>()) }
    }
}

/// So that a table is found by a shift.
const _: () = assert!(size_of::<Table>() == 128 || size_of::<usize>() < 8);

/// What few tables have, apart from what the others look at.
struct Rare {
    /// Tags whose type has something to drop.
    tag_drops: Box<[TagDrop]>,
    /// Where the values of shared components are, in the order of the archetype's components.
    shared: Box<[NonNull<u8>]>,
}

impl Rare {
    fn new(tag_drops: Vec<TagDrop>, shared: &[NonNull<u8>]) -> Option<Box<Self>> {
        let any = !tag_drops.is_empty() || !shared.is_empty();
        any.then(|| Box::new(Self { tag_drops: tag_drops.into(), shared: shared.into() }))
    }
}

/// How to drop a tag that has something to drop, though it has no bytes.
#[derive(Clone, Copy)]
pub(crate) struct TagDrop {
    pub(crate) component: ComponentId,
    drop: DropFn,
    align: usize,
}

impl TagDrop {
    pub(crate) fn new(info: &ComponentInfo) -> Option<Self> {
        debug_assert_eq!(info.size(), 0);
        info.drop.map(|drop| Self { component: info.id, drop, align: info.align() })
    }

    /// Drops `count` of them.
    ///
    /// # Safety
    /// 1. So many entities owned one and no longer do.
    pub(crate) unsafe fn drop(self, count: usize) {
        // SAFETY: zero-sized values lie at any aligned place; owned by (1).
        unsafe { (self.drop)(std::ptr::without_provenance_mut(self.align), count) }
    }
}

/// The columns of a table taken off it, with the map that finds them.
pub(super) struct Shape {
    pub(super) columns: Box<[Column]>,
    pub(super) map: ColumnMap,
    rare: Option<Box<Rare>>,
    pub(super) sides: Sides,
    watched: bool,
    attended: bool,
}

impl Shape {
    /// Empty columns for a sorted set of table components; `shared` are the places of the values of those that are shared.
    pub(super) fn new(components: &[ComponentId], shared: &[NonNull<u8>], registry: &Registry) -> Self {
        let mut columns = Vec::new();
        let mut next_shared = 0;
        let mut tag_drops = Vec::new();
        let mut places = Vec::with_capacity(components.len());
        for &component in components {
            let info = registry.at(component);
            let place = match info.kind {
                StorageKind::Column => {
                    columns.push(Column::new(info));
                    Some(ColumnIndex(u32::try_from(columns.len() - 1).expect("fewer than 2³² columns")))
                }
                StorageKind::Shared(_) => {
                    next_shared += 1;
                    Some(ColumnIndex(next_shared - 1))
                }
                StorageKind::Tag | StorageKind::Set(_) => {
                    tag_drops.extend(TagDrop::new(info));
                    None
                }
            };
            places.push((component, place));
        }
        debug_assert_eq!(next_shared as usize, shared.len());
        let drops = !tag_drops.is_empty() || columns.iter().any(|c| c.drop_fn().is_some());
        let sides = Sides::new(components, registry);
        let watched = components.iter().any(|c| registry.at(*c).watch.has(Watch::REMOVE));
        let attended = drops || !sides.is_empty() || watched || !shared.is_empty();
        let rare = Rare::new(tag_drops, shared);
        Self { columns: columns.into(), map: ColumnMap::new(&places), rare, sides, watched, attended }
    }
}

impl Table {
    pub(super) fn new(archetype: ArchetypeId, shape: Shape) -> Self {
        let Shape { columns, map, rare, sides, watched, attended } = shape;
        let entities = NonNull::dangling();
        Self {
            len: 0,
            capacity: 0,
            taken: 0,
            turns: 0,
            entities,
            columns,
            map,
            archetype,
            rare,
            sides,
            dead: Bits::default(),
            gaps: false,
            watched,
            attended,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity as usize
    }

    /// A count that grows with each row that is taken out, and begins anew after 2⁴⁰. As long as it stays the same, no row is another's.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn taken(&self) -> u64 {
        u64::from(self.turns) << 32 | u64::from(self.taken)
    }

    /// Counts a row that is taken out, or all that there were.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn count_taken(&mut self) {
        self.taken = self.taken.wrapping_add(1);
        if self.taken == 0 {
            self.begin_turn();
        }
    }

    #[cold]
    #[inline(never)]
    fn begin_turn(&mut self) {
        self.turns = self.turns.wrapping_add(1);
    }

    /// Gives the place of this table, which has no rows, to a new one: whoever remembers rows of the old one sees that they are gone.
    pub(super) fn replace(&mut self, archetype: ArchetypeId, shape: Shape) {
        debug_assert_eq!(self.len(), 0);
        let (taken, turns) = (self.taken, self.turns);
        *self = Self::new(archetype, shape);
        (self.taken, self.turns) = (taken, turns);
        self.count_taken();
    }

    pub(crate) fn archetype(&self) -> ArchetypeId {
        self.archetype
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn map(&self) -> &ColumnMap {
        &self.map
    }

    /// Whether taking a row out is more than moving bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_attended(&self) -> bool {
        self.attended
    }

    /// Whether some rows are dead.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn has_gaps(&self) -> bool {
        self.gaps
    }

    /// Rows whose entity is dead and which are not collected yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn dead(&self) -> &Bits {
        &self.dead
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn sides(&self) -> &Sides {
        &self.sides
    }

    pub(super) fn sides_mut(&mut self) -> &mut Sides {
        &mut self.sides
    }

    /// Rows that were made part of the table get their sides: their values arrive now.
    #[inline]
    pub(super) fn settle_sides(&mut self, now: u32) {
        if !self.sides.is_empty() {
            self.sides.extend_to(self.len(), now);
        }
    }

    /// The entity of a row is dead, and the row waits to be collected.
    pub(super) fn set_dead(&mut self, row: usize) {
        debug_assert!(row < self.len());
        self.dead.set(row, true);
        self.gaps = true;
        self.attended = true;
    }

    /// Catches up with a row that was taken out: dead rows move like others.
    #[inline]
    fn close_gap(&mut self, row: usize) {
        if self.gaps {
            self.dead.swap_remove(row, self.len() + 1);
            self.gaps = self.dead.ones() > 0;
            self.look_who_attends();
        }
    }

    /// Whether somebody observes that a component of this table goes.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched
    }

    pub(super) fn set_watched(&mut self, watched: bool) {
        self.watched = watched;
        self.look_who_attends();
    }

    fn look_who_attends(&mut self) {
        let drops = self.columns.iter().any(|c| c.drop_fn().is_some());
        self.attended = drops || self.rare.is_some() || !self.sides.is_empty() || self.dead.ones() > 0 || self.watched;
    }

    /// The sides follow a row that has just moved from `row` of `source` to the end of this table.
    #[inline]
    pub(super) fn carry_sides(&mut self, source: &mut Self, row: usize, now: u32) {
        source.close_gap(row);
        if !self.sides.is_empty() || !source.sides.is_empty() {
            let (last, before) = (self.len() - 1, source.len() + 1);
            self.sides.take_row(last, &mut source.sides, row, before, now);
        }
    }

    /// The sides follow all rows of `source`, which have just been appended here from row `first` on.
    pub(super) fn carry_all_sides(&mut self, source: &Self, first: usize, now: u32) {
        if !self.sides.is_empty() {
            self.sides.append(&source.sides, first, self.len(), now);
        }
    }

    /// Notes the change of a value of a tracked component.
    #[inline(never)]
    pub(crate) fn mark(&self, component: ComponentId, row: usize, now: u32) {
        if let Some(side) = self.sides.get(component) {
            side.mark(row, now);
        }
    }

    /// The sides of a row that has just been taken out are taken out too.
    #[inline]
    pub(super) fn drop_sides(&mut self, row: usize) {
        self.close_gap(row);
        if !self.sides.is_empty() {
            self.sides.swap_remove(row, self.len() + 1);
        }
    }

    pub(crate) fn tag_drops(&self) -> &[TagDrop] {
        self.rare.as_ref().map_or(&[], |rare| &rare.tag_drops)
    }

    /// Where the values of shared components are, in the order of the archetype's components. The map answers positions in this list for them.
    pub(crate) fn shared_cells(&self) -> &[NonNull<u8>] {
        self.rare.as_ref().map_or(&[], |rare| &rare.shared)
    }

    /// Where the value of a shared component is.
    ///
    /// # Safety
    /// 1. `place` came from the map of this table, or of another one of the same archetype, for a shared component.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn shared_cell(&self, place: ColumnIndex) -> NonNull<u8> {
        // SAFETY: a table with shared components has their places, and this is one of them, by (1).
        unsafe { *self.rare.as_ref().unwrap_unchecked().shared.get_unchecked(place.index()) }
    }

    /// The indices of the entities, by row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn entities(&self) -> &[u32] {
        // SAFETY: `len` indices are initialised.
        unsafe { std::slice::from_raw_parts(self.entities.as_ptr(), self.len()) }
    }

    /// The indices of the entities of all rows that are not dead, by row.
    pub(crate) fn living(&self) -> impl Iterator<Item = u32> + '_ {
        self.entities().iter().enumerate().filter(|(row, _)| !self.dead.get(*row)).map(|(_, index)| *index)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn entities_ptr(&self) -> *const u32 {
        self.entities.as_ptr()
    }

    /// A column that is known to exist.
    ///
    /// # Safety
    /// 1. `column` came from this table's map, or from that of another table of the same archetype.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn column_unchecked(&self, column: ColumnIndex) -> &Column {
        debug_assert!(column.index() < self.columns.len());
        // SAFETY: in range by (1).
        unsafe { self.columns.get_unchecked(column.index()) }
    }

    /// Where a value of a column is.
    ///
    /// # Safety
    /// 1. As (1) of `column_unchecked`.
    /// 2. `row` is at most the capacity.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn cell(&self, column: ColumnIndex, row: usize) -> *mut u8 {
        debug_assert!(row <= self.capacity());
        // SAFETY: by (1) and (2).
        unsafe { self.column_unchecked(column).cell(row) }
    }

    /// Makes room for one more row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn reserve_one(&mut self) {
        if self.len() == self.capacity() {
            self.grow(1);
        }
    }

    /// Makes room for `additional` more rows.
    #[inline]
    pub(crate) fn reserve(&mut self, additional: usize) {
        if self.capacity() - self.len() < additional {
            self.grow(additional);
        }
    }

    /// Small tables grow fourfold: a few copies less for what is about to become large, and no waste worth naming.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, additional: usize) {
        let needed = self.len().checked_add(additional).expect("a table fits into the address space");
        assert!(needed <= most_rows(), "a table holds fewer than 2³² rows");
        let grown = if self.capacity() < 4096 { self.capacity() * 4 } else { self.capacity() * 2 };
        let least = if self.columns.iter().any(|c| c.size() > 1024) { 1 } else { 8 };
        // A batch into an empty table gets exactly what it asks for.
        let floor = if additional == 1 { least } else { 0 };
        self.set_capacity(needed.max(grown.min(most_rows())).max(floor));
    }

    /// Gives back what is reserved beyond the rows.
    pub(crate) fn shrink(&mut self) {
        self.sides.shrink();
        self.dead.shrink();
        if self.capacity() > self.len() {
            self.set_capacity(self.len());
        }
    }

    fn set_capacity(&mut self, capacity: usize) {
        // All sizes are checked before anything changes; running out of memory aborts.
        for column in &self.columns {
            column.layout(capacity);
        }
        let before = self.capacity();
        let (from, to) = (entity_layout(before), entity_layout(capacity));
        for column in &mut self.columns {
            // SAFETY: this is its capacity, and all `len` values fit into the new one.
            unsafe { column.resize(before, capacity) };
        }
        let data = match (from.size(), to.size()) {
            (a, b) if a == b => self.entities.as_ptr().cast(),
            // SAFETY: the size is not zero.
            (0, _) => unsafe { alloc(to) },
            (_, 0) => {
                // SAFETY: allocated with this layout.
                unsafe { dealloc(self.entities.as_ptr().cast(), from) };
                NonNull::<u32>::dangling().as_ptr().cast()
            }
            // SAFETY: allocated with `from`; the new size is not zero and was checked.
            _ => unsafe { realloc(self.entities.as_ptr().cast(), from, to.size()) },
        };
        self.entities = NonNull::new(data.cast()).unwrap_or_else(|| handle_alloc_error(to));
        self.capacity = narrow(capacity);
    }

    /// Makes the next row part of the table.
    ///
    /// # Safety
    /// 1. There is room (`reserve_one`).
    /// 2. The values of the row are written before anything reads the row or can panic.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn commit_row(&mut self, entity: u32) -> Row {
        debug_assert!(self.len() < self.capacity());
        let row = self.len();
        // SAFETY: within the capacity by (1).
        unsafe { self.entities.as_ptr().add(row).write(entity) };
        self.len = row + 1;
        row_of(row)
    }

    /// Makes the next rows part of the table.
    ///
    /// # Safety
    /// 1. There is room for all of them.
    /// 2. As (2) of `commit_row`.
    pub(crate) unsafe fn commit_rows(&mut self, entities: impl Iterator<Item = u32>) {
        for entity in entities {
            // SAFETY: passed on.
            unsafe { self.commit_row(entity) };
        }
    }

    /// Takes a row out whose values have been moved away or dropped: the last row moves into the hole. Answers the index
    /// of the entity that is at `row` now, if there is one: not if the last row was taken out.
    ///
    /// # Safety
    /// 1. `row < len`.
    /// 2. Nobody uses the values of `row` again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn take_row(&mut self, row: usize) -> Option<u32> {
        debug_assert!(row < self.len());
        let last = self.len() - 1;
        self.len = last;
        self.count_taken();
        if row == last {
            return None;
        }
        // SAFETY: both rows are below `len`, and nobody uses the values at `row`, by (2).
        unsafe {
            let moved = self.entities.as_ptr().add(last).read();
            self.entities.as_ptr().add(row).write(moved);
            fill_all(&self.columns, last, row);
            Some(moved)
        }
    }

    /// Drops all values of a row, which then must be taken out.
    ///
    /// # Safety
    /// 1. `row < len`.
    /// 2. The row is taken out before anybody looks at it.
    pub(crate) unsafe fn drop_row(&mut self, row: usize, panics: &mut Panics) {
        for column in &mut self.columns {
            if column.drop_fn().is_some() {
                // SAFETY: initialised by (1), not used again by (2).
                panics.catch(|| unsafe { column.drop_range(row, 1) });
            }
        }
        self.drop_tags(1, panics);
    }

    /// Drops the (memory-less) values of this table's tags for so many entities.
    fn drop_tags(&self, count: usize, panics: &mut Panics) {
        for drop in self.tag_drops() {
            // SAFETY: each of the entities owned one.
            panics.catch(|| unsafe { drop.drop(count) });
        }
    }

    /// Drops all rows and becomes empty; the memory stays.
    pub(crate) fn clear(&mut self, panics: &mut Panics) {
        let len = self.len();
        self.len = 0;
        if len > 0 {
            self.count_taken();
        }
        self.sides.clear();
        self.dead.clear();
        self.gaps = false;
        self.look_who_attends();
        for column in &mut self.columns {
            // SAFETY: `len` values were initialised, and the table no longer shows them.
            panics.catch(|| unsafe { column.drop_range(0, len) });
        }
        if len > 0 {
            self.drop_tags(len, panics);
        }
    }

    /// Drops values written behind the last row.
    ///
    /// # Safety
    /// 1. `first` is the length, and `count` rows from there on are initialised; nobody uses them again.
    pub(super) unsafe fn drop_behind(&mut self, first: usize, count: usize, panics: &mut Panics) {
        debug_assert_eq!(first, self.len());
        for column in &mut self.columns {
            // SAFETY: by (1).
            panics.catch(|| unsafe { column.drop_range(first, count) });
        }
        self.drop_tags(count, panics);
    }

    /// Gives the table another set of columns for the same rows, and answers the old ones.
    ///
    /// # Safety
    /// 1. Each new column has this table's capacity and `len` initialised values.
    pub(super) unsafe fn reshape(&mut self, shape: Shape) -> Box<[Column]> {
        self.map = shape.map;
        self.rare = shape.rare;
        self.sides = shape.sides;
        self.watched = shape.watched;
        self.attended = shape.attended || self.dead.ones() > 0;
        std::mem::replace(&mut self.columns, shape.columns)
    }

    /// Forgets all rows and gives up all memory; answers the old columns, which keep theirs.
    ///
    /// # Safety
    /// 1. `shape` has empty columns without memory.
    /// 2. The caller answers for the values and the memory of the old columns.
    pub(super) unsafe fn dismantle(&mut self, shape: Shape) -> Box<[Column]> {
        let layout = entity_layout(self.capacity());
        if layout.size() > 0 {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.entities.as_ptr().cast(), layout) };
        }
        self.entities = NonNull::dangling();
        self.len = 0;
        self.capacity = 0;
        self.count_taken();
        // SAFETY: capacity and length are 0, as the new columns' are by (1).
        unsafe { self.reshape(shape) }
    }

    pub(super) fn columns_mut(&mut self) -> &mut [Column] {
        &mut self.columns
    }

    /// Bytes reserved beside the columns.
    pub(crate) fn overhead(&self) -> usize {
        entity_layout(self.capacity()).size()
            + self.map.bytes()
            + self.sides.bytes()
            + self.dead.bytes()
            + size_of_val(&*self.columns)
            + self
                .rare
                .as_ref()
                .map_or(0, |rare| size_of::<Rare>() + size_of_val(&*rare.tag_drops) + size_of_val(&*rare.shared))
            + size_of::<Self>()
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let mut panics = Panics::default();
        self.clear(&mut panics);
        let capacity = self.capacity();
        self.capacity = 0;
        for column in &mut self.columns {
            // SAFETY: this was its capacity; the table is going away.
            unsafe { column.free(capacity) };
        }
        let layout = entity_layout(capacity);
        if layout.size() > 0 {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.entities.as_ptr().cast(), layout) };
        }
        panics.resume();
    }
}

/// So many rows a table or set can have: less in tests of what happens when there is no more room.
pub(super) fn most_rows() -> usize {
    #[cfg(test)]
    return tests::MOST_ROWS.get();
    #[cfg(not(test))]
    return u32::MAX as usize;
}

/// A number of rows, as tables store it.
#[expect(clippy::cast_possible_truncation, reason = "`grow` keeps tables below 2³² rows")]
fn narrow(rows: usize) -> u32 {
    rows as u32
}

fn entity_layout(capacity: usize) -> Layout {
    Layout::array::<u32>(capacity).expect("a table fits into the address space")
}

#[cfg_attr(not(debug_assertions), inline(always))]
#[expect(clippy::cast_possible_truncation, reason = "`grow` keeps tables below 2³² rows")]
pub(crate) fn row_of(row: usize) -> Row {
    Row::new(row as u32)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local!(pub(in crate::storage) static MOST_ROWS: Cell<usize> = const { Cell::new(u32::MAX as usize) });

    /// Rows that were taken out are counted on beyond 2³².
    #[test]
    fn what_was_taken_is_counted_on() {
        let mut table = Table::new(ArchetypeId::EMPTY, Shape::new(&[], &[], &Registry::default()));
        table.taken = u32::MAX - 1;
        let mut counts = Vec::new();
        for _ in 0..3 {
            table.reserve_one();
            // SAFETY: there is room; there are no values.
            unsafe {
                table.commit_row(7);
                table.take_row(0);
            }
            counts.push(table.taken());
        }
        assert_eq!(counts, [(1 << 32) - 1, 1 << 32, (1 << 32) + 1]);
        table.replace(ArchetypeId::EMPTY, Shape::new(&[], &[], &Registry::default()));
        assert_eq!(table.taken(), (1 << 32) + 2, "another table in its place goes on");
    }
}
