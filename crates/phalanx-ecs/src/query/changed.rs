//! Filters that ask what is new to a reader.

use super::access::Access;
use super::filter::{Alternative, Filter, FilterParts, Place, is_sparse};
use super::pattern::{PatternBuilder, Test, name_of};
use crate::component::{Component, ComponentId, Registry, SetId, StorageKind, Tracked};
use crate::storage::{Side, Table};
use std::marker::PhantomData;

/// Entities whose `T` changed, or arrived, since the reader looked last.
///
/// The reader is a [`Prepared`](crate::Prepared) query that you keep, or a system's `Query<…, Changed<T>>`, which sees what changed since that system ran last: each has its own position,
/// and sees each change once.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Position(f32);
///
/// let mut world = World::new();
/// let ball = world.spawn(Position(0.0));
/// world.spawn(Position(1.0));
/// let mut moved = Prepared::<Entity, Changed<Position>>::new();
/// assert_eq!(moved.on(&mut world).count(), 2);
/// world.get_mut::<Position>(ball).unwrap().0 = 2.0;
/// assert_eq!(moved.on(&mut world).iter().collect::<Vec<_>>(), [ball]);
/// ```
///
/// # What counts
/// | you ask for | what is marked as changed |
/// |---|---|
/// | `&mut T`, `Option<&mut T>`, [`EvenOff<&mut T>`](crate::EvenOff) | each row whose item is handed out, whether it is written or not; where what a walk calls panics, up to 63 more of that table, and in `par_for_each` of each piece in which it does |
/// | the same by [`chunks`](crate::Query::chunks) and [`pairs_mut`](crate::Query::pairs_mut) | every row of what is visited |
/// | [`Mut<T>`](crate::Mut) | what is written; by `chunks`, every row |
/// | [`World::get_mut`](crate::World::get_mut) and its kind | the value that was found |
/// | [`World::insert`](crate::World::insert), `spawn` and what they bring along | what arrives, new or in place of an older value |
///
/// # What a reader sees
/// - Each call of [`Prepared::on`](crate::Prepared::on) or [`on_shared`](crate::Prepared::on_shared) uses up a look, also if nothing is done with what it
///   answers. To forget all so far, say [`skip_to_now`](crate::Prepared::skip_to_now).
/// - A reader sees its own writes too, at its next look: a `Prepared<&mut T, Changed<T>>` finds again what it found before.
/// - The filter does not ask whether the value is switched on; a `&T` in the same query does. So what was written while it was off is lost to a reader with `&T` that looked meanwhile: its look is used up, and to
///   switch on is no change. A reader with [`EvenOff<&T>`](crate::EvenOff) sees it.
/// - Only a reader can tell what is new to it. In `query_filtered`, `read_filtered`, `cross_filtered` and the `…_where` calls, which keep none, `Changed` and
///   [`Added`] stop the build.
///
/// Finding what changed costs a comparison per 64 rows, and then what changed. For sparse components it costs a comparison per value.
pub struct Changed<T: Tracked>(PhantomData<T>);

/// Entities whose `T` arrived since the reader looked last: they were spawned with it, or it was inserted where there was none.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Enemy;
///
/// let mut world = World::new();
/// let mut arrivals = Prepared::<Entity, Added<Enemy>>::new();
/// let orc = world.spawn(Enemy);
/// assert_eq!(arrivals.on(&mut world).single().unwrap(), orc);
/// assert!(arrivals.on(&mut world).is_empty());
/// ```
pub struct Added<T: Tracked>(PhantomData<T>);

/// The component, and its sparse set if it has one.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Marked(Option<(ComponentId, Option<SetId>)>);

impl Marked {
    fn of<T: Component>(registry: &Registry) -> Self {
        Self(registry.id_of::<T>().map(|id| match registry.at(id).kind {
            StorageKind::Set(set) => (id, Some(set)),
            StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => (id, None),
        }))
    }

    fn in_table(self, table: &Table) -> Option<&Side> {
        table.sides().get(self.0?.0)
    }

    /// What is kept beside the value of an entity, and the value's row there.
    fn at(self, place: Place<'_>) -> Option<(&Side, usize)> {
        match self.0? {
            (_, Some(set)) => {
                let set = place.store.sets.get(set);
                Some((set.side()?, set.row(place.index)?))
            }
            (id, None) => Some((place.table.sides().get(id)?, place.row)),
        }
    }
}

macro_rules! reader_filter {
    ($name:ident, $test:expr, $label:literal, $since:ident, $at:ident $(, $candidates:ident)?) => {
        impl<T: Tracked> Filter for $name<T> {
            type Parts = Self;
            fn describe() -> String {
                format!(concat!($label, "<{}>"), name_of::<T>())
            }
        }

        impl<T: Tracked> FilterParts for $name<T> {
            type State = Marked;
            type Marks<'a> = Option<&'a Side>;
            const ROWS: bool = is_sparse::<T>();
            const MASKED: bool = !is_sparse::<T>();
            const READER: bool = true;
            fn declare(builder: &mut PatternBuilder<'_>) {
                builder.tested::<T>(Access::Marks, $test, (concat!($label, "<"), ">"));
            }
            fn resolve(registry: &Registry) -> Marked {
                Marked::of::<T>(registry)
            }
            fn marks<'a>(state: &Marked, table: &'a Table) -> Option<&'a Side> {
                state.in_table(table)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn mask(marks: Option<&Side>, since: u32, block: usize) -> u64 {
                if is_sparse::<T>() {
                    return !0;
                }
                marks.map_or(0, |side| side.ticks.$since(block, since))
            }
            $(#[cfg_attr(not(debug_assertions), inline(always))]
            fn candidates(marks: Option<&Side>, since: u32, group: usize) -> u64 {
                if is_sparse::<T>() {
                    return !0;
                }
                marks.map_or(0, |side| side.ticks.$candidates(group, since))
            })?
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn matches(state: &Marked, at: Place<'_>) -> bool {
                state.at(at).is_some_and(|(side, row)| side.ticks.$at(row) > at.since)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Tracked> Alternative for $name<T> {}
    };
}

reader_filter!(Changed, Test::Changed, "Changed", changed_since, changed_at, blocks_since);
reader_filter!(Added, Test::Added, "Added", added_since, added_at);
