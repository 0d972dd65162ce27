//! [`Slot`]: in which row of which table an entity is, for those who keep something by row.

#![expect(unsafe_code, reason = "answers the contract of terms; it hands out numbers only")]

use super::access::AccessKeys;
use super::part::{Part, ReadPart, holds_pointers};
use super::pattern::PatternBuilder;
use super::term::{Terms, as_it_is};
use crate::component::Registry;
use crate::entity::{Row, TableId};
use crate::storage::{SparseSet, Store, Table};

/// A term for where an entity is: in which row of which table.
///
/// Entities move from row to row, so to keep a handle ([`Entity`](crate::Entity)) is nearly always right. But what is looked up again and again, as long as nothing moves, is found faster by row: what is kept
/// there lies in the order of walks. [`chunks`](crate::Query::chunks) yields [`Slots`], which tell whether everybody is still where they were.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Slot, Slots};
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Mass(f32);
///
/// // What is worked out once, by table and row.
/// struct Weights { slots: Vec<Slots>, by_row: Vec<Vec<f32>> }
///
/// impl Weights {
///     fn of(world: &mut World) -> Self {
///         let (slots, by_row): (Vec<Slots>, _) = world
///             .query::<(Slot, &Mass)>()
///             .chunks()
///             .map(|(slots, masses)| (slots, masses.iter().map(|mass| mass.0 * 9.81).collect::<Vec<_>>()))
///             .unzip();
///         Self { slots, by_row }
///     }
///
///     fn still_hold(&self, world: &mut World) -> bool {
///         world.query_filtered::<Slot, With<Mass>>().chunks().eq(self.slots.iter().copied())
///     }
/// }
///
/// let mut world = World::new();
/// let stones = world.spawn_batch([2.0, 3.0, 4.0].map(Mass));
/// let weights = Weights::of(&mut world);
/// let mut changed = Prepared::<Slot, Changed<Mass>>::new();
/// changed.skip_to_now(&world);
///
/// world.get_mut::<Mass>(stones[1]).unwrap().0 = 5.0;
/// assert!(weights.still_hold(&mut world), "it is another value in the same row");
/// for slot in &changed.on(&mut world) {
///     assert_eq!(slot.row(), 1);
///     assert_eq!(weights.by_row[0][slot.row()], 3.0 * 9.81, "this one is to be worked out again");
/// }
///
/// world.despawn(stones[0]).unwrap();
/// assert!(!weights.still_hold(&mut world), "the last one has moved into the gap");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    table: TableId,
    row: Row,
}

impl Slot {
    /// The number of the table. Numbers are small, and given again when a table is gone; the world that gave one tells tables apart by it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Slot;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2].map(Health));
    /// world.spawn((Health(1), Gold(5)));
    /// let slots: Vec<Slot> = world.query_filtered::<Slot, With<Health>>().iter().collect();
    /// assert_eq!(slots[0].table(), slots[1].table());
    /// assert_ne!(slots[0].table(), slots[2].table(), "who has gold as well is in another");
    /// ```
    #[inline]
    pub fn table(self) -> usize {
        self.table.index()
    }

    /// The row of the table.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Slot;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orcs = world.spawn_batch([3, 2, 1].map(Health));
    /// let row = |world: &mut World, orc| world.query::<Slot>().get(orc).unwrap().row();
    /// assert_eq!(row(&mut world, orcs[2]), 2);
    /// world.despawn(orcs[0]).unwrap();
    /// assert_eq!(row(&mut world, orcs[2]), 0, "the last one has moved into the gap");
    /// ```
    #[inline]
    pub fn row(self) -> usize {
        self.row.index()
    }
}

/// Some rows of a table that are side by side: what [`chunks`](crate::Query::chunks) yields for the term [`Slot`].
///
/// If it is equal to one that the same world yielded earlier, the same entities are in the same rows: none of those that the table had has left it since.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Slot, Slots};
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let orcs = world.spawn_batch([3, 2, 1].map(Health));
/// let slots = |world: &mut World| world.query_filtered::<Slot, With<Health>>().chunks().collect::<Vec<Slots>>();
/// let before = slots(&mut world);
/// world.insert(orcs[0], Health(5)).unwrap();
/// assert_eq!(slots(&mut world), before, "nobody has moved");
///
/// world.despawn(orcs[2]).unwrap();
/// world.spawn(Health(4));
/// assert_ne!(slots(&mut world), before, "as many, but not the same");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slots {
    table: TableId,
    first: usize,
    len: usize,
    /// How many rows were taken out of the table so far. If rows came, there are more; so with as many of both nothing has happened.
    taken: u64,
}

impl Slots {
    /// The number of the table; see [`Slot::table`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Slot;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(3));
    /// for slots in world.query_filtered::<Slot, With<Health>>().chunks() {
    ///     assert!(slots.iter().all(|slot| slot.table() == slots.table()));
    /// }
    /// ```
    #[inline]
    pub fn table(&self) -> usize {
        self.table.index()
    }

    /// The first of the rows: 0, unless some rows of the table are passed over.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{Slot, Slots};
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orcs = world.spawn_batch([3, 2, 1].map(Health));
    /// world.despawn_lazy(orcs[0]).unwrap();
    /// let slots: Vec<Slots> = world.query_filtered::<Slot, With<Health>>().chunks().collect();
    /// assert_eq!((slots[0].first_row(), slots[0].len()), (1, 2), "the row of the dead one is passed over");
    /// ```
    #[inline]
    pub fn first_row(&self) -> usize {
        self.first
    }

    /// How many rows.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Slot;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// let mut query = world.query_filtered::<Slot, With<Health>>();
    /// assert_eq!(query.chunks().map(|slots| slots.len()).sum::<usize>(), query.count());
    /// ```
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "no chunk is empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The slots, in order of rows.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Slot;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// let mut query = world.query_filtered::<Slot, With<Health>>();
    /// let by_chunk: Vec<Slot> = query.chunks().flat_map(|slots| slots.iter()).collect();
    /// assert_eq!(by_chunk, query.iter().collect::<Vec<_>>());
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Slot> + DoubleEndedIterator + use<> {
        let Self { table, first, len, .. } = *self;
        (first..first + len).map(move |row| Slot { table, row: row_at(row) })
    }
}

/// [`Slot`]
pub struct TheSlot;

/// A table's number, and how many rows it has lost.
#[derive(Clone, Copy)]
pub struct SlotPointers {
    table: TableId,
    taken: u64,
}

// SAFETY: hands out numbers, no component.
unsafe impl Part for TheSlot {
    type Item<'w> = Slot;
    type Slice<'w> = Slots;
    type State = ();
    type Columns = ();
    type Pointers = SlotPointers;
    holds_pointers!();
    const ROWS: bool = false;
    const SPARSE: usize = 0;
    const TABLELESS: bool = false;
    const ACCESS: AccessKeys = AccessKeys::EMPTY;

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.always("Slot");
    }
    fn resolve(_registry: &Registry) {}
    fn fits((): (), _table: &Table) -> bool {
        true
    }
    fn columns((): (), _table: &Table) {}
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn pointers((): (), (): (), store: &Store, table: &Table) -> SlotPointers {
        SlotPointers { table: store.archetypes[table.archetype().index()].table, taken: table.taken() }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn has_row(_pointers: &SlotPointers, _row: usize, _index: u32) -> bool {
        true
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn item<'w>(pointers: &SlotPointers, row: usize, _index: u32) -> Self::Item<'w> {
        Slot { table: pointers.table, row: row_at(row) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn slice<'w>(pointers: &SlotPointers, start: usize, end: usize) -> Self::Slice<'w> {
        let SlotPointers { table, taken } = *pointers;
        Slots { table, first: start, len: end - start, taken }
    }
    unsafe fn solo_pointers(_set: &SparseSet, _store: &Store) -> SlotPointers {
        unreachable!("not tableless")
    }
    unsafe fn solo_item<'w>(_pointers: &SlotPointers, _row: usize, _index: u32) -> Self::Item<'w> {
        unreachable!("not tableless")
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads.
unsafe impl ReadPart for TheSlot {}

impl Terms for Slot {
    type Parts = TheSlot;
    type Item<'w> = Slot;
    as_it_is!();
}

#[cfg_attr(not(debug_assertions), inline(always))]
#[expect(clippy::cast_possible_truncation, reason = "tables have fewer than 2³² rows")]
fn row_at(row: usize) -> Row {
    Row::new(row as u32)
}
