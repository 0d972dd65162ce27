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
/// Entities move from row to row, so to keep a handle ([`Entity`](crate::Entity)) is nearly always right. But what is looked up again and again while nothing moves is found faster by table and row.
/// [`chunks`](crate::Query::chunks) yields [`Slots`]: as long as they are the same as before, everybody is where they were.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Slot, Slots};
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Mass(f32);
///
/// /// What is worked out once, by table and row.
/// #[derive(Default)]
/// struct Weights { slots: Vec<Slots>, tables: Vec<Vec<f32>> }
///
/// impl Weights {
///     fn of(world: &mut World) -> Self {
///         let mut weights = Self::default();
///         for (slots, masses) in world.query::<(Slot, &Mass)>().chunks() {
///             if weights.tables.len() <= slots.table() {
///                 weights.tables.resize(slots.table() + 1, Vec::new());
///             }
///             let rows = &mut weights.tables[slots.table()];
///             rows.resize(slots.first_row(), f32::NAN);   // rows that are passed over
///             rows.extend(masses.iter().map(|mass| mass.0 * 9.81));
///             weights.slots.push(slots);
///         }
///         weights
///     }
///
///     fn still_hold(&self, world: &mut World) -> bool {
///         world.query_filtered::<Slot, With<Mass>>().chunks().eq(self.slots.iter().copied())
///     }
///
///     fn get(&mut self, slot: Slot) -> &mut f32 {
///         &mut self.tables[slot.table()][slot.row()]
///     }
/// }
///
/// let mut world = World::new();
/// let stones = world.spawn_batch([2.0, 3.0, 4.0].map(Mass));
/// let mut weights = Weights::of(&mut world);
/// let mut changed = Prepared::<(Slot, &Mass), Changed<Mass>>::new();
/// changed.skip_to_now(&world);
///
/// world.get_mut::<Mass>(stones[1]).unwrap().0 = 5.0;
/// assert!(weights.still_hold(&mut world), "it is another value in the same row");
/// for (slot, mass) in &changed.on(&mut world) {
///     assert_eq!(*weights.get(slot), 3.0 * 9.81, "this one is worked out again");
///     *weights.get(slot) = mass.0 * 9.81;
/// }
///
/// world.despawn(stones[0]).unwrap();
/// assert!(!weights.still_hold(&mut world), "the last one has moved into the gap");
/// ```
///
/// Slots are ordered by table and row. Walks need not be: they go by the [order](struct@crate::Query#order) of the query.
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
/// If it is equal to one that the same world yielded earlier, the same entities have been in the same rows since then. That is
/// - *who is where*, and not what they have: where all of a table get or lose components at once, the table stays, and this with it. Ask for what matters in the query;
/// - of *this world*: those of another one say nothing, also where they are equal;
/// - *more than it takes*: whoever has come at the end of the table and gone again makes it unequal, though all others are where they were.
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slots {
    table: TableId,
    first: usize,
    len: usize,
    /// How many rows were taken out of the table so far. If none were, rows can only have come, and then there are more. It begins anew after 2⁴⁰, which takes hours of nothing else.
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

    /// The first of the rows: 0, unless some rows of the table are passed over, or it is cut into pieces ([`par_chunks`](crate::Query::par_chunks)).
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
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none, which no query yields.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Slot;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let gone = world.spawn(Health(3));
    /// world.despawn(gone)?;
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// assert!(world.query_filtered::<Slot, With<Health>>().chunks().all(|slots| !slots.is_empty()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
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
