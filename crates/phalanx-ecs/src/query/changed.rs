//! Filters that ask what is new to a reader.

use super::access::Access;
use super::filter::{Alternative, Filter, Place, is_sparse};
use super::pattern::{PatternBuilder, Wanted, name_of};
use crate::component::{Component, ComponentId, Registry, SetId, StorageKind, Tracked};
use crate::storage::{Side, Table};
use std::marker::PhantomData;

/// Entities whose `T` changed, or arrived, since the reader looked last.
///
/// The reader is a [`Prepared`](crate::Prepared) query: each has its own position, and sees each change once. A `&mut T` from any query or lookup counts as a
/// change, whether it is written or not; [`Mut<T>`](crate::Mut) counts what is written.
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
            StorageKind::Column | StorageKind::Tag => (id, None),
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
    ($name:ident, $label:literal, $since:ident, $at:ident) => {
        impl<T: Tracked> Filter for $name<T> {
            type State = Marked;
            type Marks<'a> = Option<&'a Side>;
            const ROWS: bool = is_sparse::<T>();
            const MASKED: bool = !is_sparse::<T>();
            const READER: bool = true;
            fn declare(builder: &mut PatternBuilder<'_>) {
                builder.typed::<T>(Access::Marks, Wanted::Present, (concat!($label, "<"), ">"));
            }
            fn describe() -> String {
                format!(concat!($label, "<{}>"), name_of::<T>())
            }
            fn resolve(registry: &Registry) -> Marked {
                Marked::of::<T>(registry)
            }
            fn marks<'a>(state: &Marked, table: &'a Table) -> Option<&'a Side> {
                state.in_table(table)
            }
            #[inline(always)]
            fn mask(marks: Option<&Side>, since: u32, block: usize) -> u64 {
                if is_sparse::<T>() {
                    return !0;
                }
                marks.map_or(0, |side| side.ticks.$since(block, since))
            }
            #[inline(always)]
            fn matches(state: &Marked, at: Place<'_>) -> bool {
                state.at(at).is_some_and(|(side, row)| side.ticks.$at(row) > at.since)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Tracked> Alternative for $name<T> {}
    };
}

reader_filter!(Changed, "Changed", changed_since, changed_at);
reader_filter!(Added, "Added", added_since, added_at);
