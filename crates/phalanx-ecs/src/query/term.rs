//! What a user writes to ask for something: `&T`, `&mut T`, `Option<…>`, `Entity`, tuples, derived structs.

use super::marked::{Mut, WriteMarked};
use super::part::Part;
use super::parts::{Maybe, Presence, Read, TheEntity, Write};
use super::pattern::{name_of, short_type_name, tuple_of};
use super::tuples::OneOf;
use crate::bundle::arity::{for_each_long_tuple, for_each_short_tuple};
use crate::component::{Component, Tracked};
use crate::entity::Entity;
use std::marker::PhantomData;

/// What a query asks for and yields.
///
/// | term | yields | matches entities |
/// |---|---|---|
/// | `&T`, `&mut T` | a reference | that have `T` |
/// | `Option<&T>`, `Option<&mut T>` | `Some` where there is a `T` | all |
/// | [`Mut<T>`](Mut) | a reference that notes what is written, for [tracked](Tracked) components | that have `T` |
/// | [`EvenOff<&T>`](crate::EvenOff), `EvenOff<&mut T>` | a reference | that have `T`, even where it is switched off |
/// | [`Common<T>`](crate::Common) | a reference, in slices once for all rows, for [shared](crate::Shared) components | that have `T` |
/// | [`Entity`] | the entity itself | all |
/// | [`Slot`](crate::Slot) | in which row of which table it is | all |
/// | [`Has<T>`](Has) | `true` where there is a `T` | all |
/// | [`AnyOf<(&A, &B)>`](AnyOf) | a tuple of options | that have at least one |
/// | a tuple of up to 16 terms, nested as you like | a tuple | that match every member |
/// | a struct with `#[derive(Query)]` | the struct | that match every field |
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
///
/// #[derive(Query)]
/// struct Body<'w> { position: &'w mut Position, velocity: &'w Velocity }
///
/// let mut world = World::new();
/// world.spawn((Position(0.0), Velocity(2.0)));
/// for body in world.query::<Body>() {
///     body.position.0 += body.velocity.0;
/// }
/// assert_eq!(world.query::<&Position>().single()?.0, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Where a term yields something else than itself, an attribute of the field says the term, and its type what it yields; tuples, other derived
/// queries, `Entity` and `Slot` need none:
///
/// ```
/// # use phalanx_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Frozen;
/// # #[derive(Component)] struct Fire(u32);
/// # #[derive(Component)] struct Ice(u32);
/// #[derive(Query)]
/// struct Target<'w> {
///     entity: Entity,
///     health: Option<&'w mut Health>,
///     #[query(Has<Frozen>)]
///     frozen: bool,
///     #[query(AnyOf<(&Fire, &Ice)>)]
///     damage: (Option<&'w Fire>, Option<&'w Ice>),
/// }
/// # let mut world = World::new();
/// # world.spawn((Frozen, Ice(1)));
/// # let target = world.query::<Target>().into_iter().next().unwrap();
/// # assert!(target.frozen && target.health.is_none() && target.damage.1.unwrap().0 == 1 && target.damage.0.is_none());
/// ```
///
/// | attribute | where | meaning |
/// |---|---|---|
/// | `#[query(TERM)]` | field | asks for `TERM`; the field has the type of what that yields |
/// | `#[query(crate = "path")]` | struct | where the core is, if the derive cannot find it: `"crate::reexported::phalanx"` |
///
/// A query that would hand out one component twice, once of them mutably, does not build. `cargo build` says so; `cargo check` only where it is
/// one `#[derive(Query)]` that does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked for by a query",
    label = "not a query term",
    note = "a query asks for `&T`, `&mut T`, `Option<&T>` or `Option<&mut T>` of components, `Mut<T>`, `EvenOff<&T>`, `EvenOff<&mut T>`, `Common<T>`, `Entity`, `Has<T>`, `AnyOf<…>`, or a tuple (of up to 16) or `#[derive(Query)]` struct of these",
    note = "`&T` and `&mut T` need `#[derive(Component)]` above the declaration of `T`",
    note = "`With<T>`, `Without<T>`, `Off<T>`, `Changed<T>`, `Added<T>`, `Or<…>` and `Exact` are filters: the second parameter, as in `Query<Q, F>`, `query_filtered::<Q, F>()` and `Prepared::<Q, F>::new()`"
)]
pub trait Terms {
    /// The terms as the engine sees them.
    #[doc(hidden)]
    type Parts: Part;
    /// What the query yields.
    type Item<'w>;
    /// What [`Query::chunks`](crate::Query::chunks) yields: slices where the items are references.
    type Slice<'w>;
    /// Makes the item from its parts.
    #[doc(hidden)]
    fn assemble(parts: <Self::Parts as Part>::Item<'_>) -> Self::Item<'_>;
    /// Makes the slices from those of its parts.
    #[doc(hidden)]
    fn assemble_slice(slices: <Self::Parts as Part>::Slice<'_>) -> Self::Slice<'_>;
    /// The terms as they were written.
    #[doc(hidden)]
    fn describe() -> String {
        // A derived struct; what it borrows for was not written.
        short_type_name::<Self>().replace("<'_>", "").replace("<'_, ", "<")
    }
}

/// A term that yields whether an entity has a `T`.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Burning;
///
/// let mut world = World::new();
/// world.spawn((Health(3), Burning));
/// world.spawn(Health(5));
/// for (health, burning) in world.query::<(&mut Health, Has<Burning>)>() {
///     health.0 -= u32::from(burning);
/// }
/// assert!(world.query::<&Health>().iter().map(|health| health.0).eq([2, 5]));
/// ```
pub struct Has<T>(PhantomData<T>);

/// A term that matches entities with at least one of the members, and yields a tuple of options.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Sword(u32);
/// #[derive(Component)] struct Shield(u32);
///
/// let mut world = World::new();
/// world.spawn(Sword(3));
/// world.spawn((Sword(1), Shield(5)));
/// world.spawn(());
/// let armed = world.query::<AnyOf<(&Sword, &Shield)>>();
/// assert_eq!(armed.count(), 2);
/// assert_eq!(armed.iter().filter(|(_, shield)| shield.is_some()).count(), 1);
/// ```
pub struct AnyOf<T>(PhantomData<T>);

/// What a term that is one part has in common with others: it yields what the part does.
macro_rules! as_it_is {
    () => {
        type Slice<'w> = <Self::Parts as Part>::Slice<'w>;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn assemble(parts: <Self::Parts as Part>::Item<'_>) -> Self::Item<'_> {
            parts
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn assemble_slice(slices: <Self::Parts as Part>::Slice<'_>) -> Self::Slice<'_> {
            slices
        }
    };
}
pub(super) use as_it_is;

impl<T: Component> Terms for &T {
    type Parts = Read<T>;
    type Item<'w> = &'w T;
    as_it_is!();
    fn describe() -> String {
        format!("&{}", name_of::<T>())
    }
}

impl<T: Component> Terms for &mut T {
    type Parts = Write<T>;
    type Item<'w> = &'w mut T;
    as_it_is!();
    fn describe() -> String {
        format!("&mut {}", name_of::<T>())
    }
}

impl<Q: Terms> Terms for Option<Q> {
    type Parts = Maybe<Q::Parts>;
    type Item<'w> = Option<Q::Item<'w>>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn assemble(parts: <Self::Parts as Part>::Item<'_>) -> Self::Item<'_> {
        parts.map(Q::assemble)
    }
    type Slice<'w> = Option<Q::Slice<'w>>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn assemble_slice(slices: <Self::Parts as Part>::Slice<'_>) -> Self::Slice<'_> {
        slices.map(Q::assemble_slice)
    }
    fn describe() -> String {
        format!("Option<{}>", Q::describe())
    }
}

impl Terms for Entity {
    type Parts = TheEntity;
    type Item<'w> = Entity;
    as_it_is!();
}

impl<T: Tracked> Terms for Mut<'_, T> {
    type Parts = WriteMarked<T>;
    type Item<'w> = Mut<'w, T>;
    as_it_is!();
}

impl<T: Component> Terms for Has<T> {
    type Parts = Presence<T>;
    type Item<'w> = bool;
    as_it_is!();
    fn describe() -> String {
        format!("Has<{}>", name_of::<T>())
    }
}

macro_rules! tuple_terms {
    ($($name:ident $at:tt),*) => {
        tuple_terms!({$($name),*} ($($name::Parts,)*); parts ($(($name parts.$at))*));
    };
    // More than four: parts are a tuple of tuples.
    ($([$group:tt: $($name:ident $at:tt $in_group:tt),+])+) => {
        tuple_terms!({$($($name),+),+} ($(($($name::Parts,)+),)+); parts ($($(($name parts.$group.$in_group))+)+));
    };
    ({$($member:ident),*} $together:ty; $parts:ident ($(($name:ident $place:expr))*)) => {
        impl<$($member: Terms),*> Terms for ($($member,)*) {
            type Parts = $together;
            type Item<'w> = ($($member::Item<'w>,)*);
            type Slice<'w> = ($($member::Slice<'w>,)*);
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, unused_variables, reason = "the empty tuple")]
            fn assemble($parts: <Self::Parts as Part>::Item<'_>) -> Self::Item<'_> {
                ($($name::assemble($place),)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, unused_variables, reason = "the empty tuple")]
            fn assemble_slice($parts: <Self::Parts as Part>::Slice<'_>) -> Self::Slice<'_> {
                ($($name::assemble_slice($place),)*)
            }
            fn describe() -> String {
                tuple_of(&[$($member::describe()),*])
            }
        }
    };
}

macro_rules! any_of {
    ($($name:ident $at:tt),+) => {
        any_of!({$($name),+} ($(Maybe<$name::Parts>,)+); parts ($(($name parts.$at))+));
    };
    ($([$group:tt: $($name:ident $at:tt $in_group:tt),+])+) => {
        any_of!({$($($name),+),+} ($(($(Maybe<$name::Parts>,)+),)+); parts ($($(($name parts.$group.$in_group))+)+));
    };
    ({$($member:ident),+} $together:ty; $parts:ident ($(($name:ident $place:expr))+)) => {
        impl<$($member: Terms),+> Terms for AnyOf<($($member,)+)> {
            type Parts = OneOf<$together>;
            type Item<'w> = ($(Option<$member::Item<'w>>,)+);
            type Slice<'w> = ($(Option<$member::Slice<'w>>,)+);
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn assemble($parts: <Self::Parts as Part>::Item<'_>) -> Self::Item<'_> {
                ($($place.map($name::assemble),)+)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn assemble_slice($parts: <Self::Parts as Part>::Slice<'_>) -> Self::Slice<'_> {
                ($($place.map($name::assemble_slice),)+)
            }
            fn describe() -> String {
                format!("AnyOf<{}>", tuple_of(&[$($member::describe()),+]))
            }
        }
    };
}

tuple_terms!();
for_each_short_tuple!(tuple_terms);
for_each_long_tuple!(tuple_terms);
for_each_short_tuple!(any_of);
for_each_long_tuple!(any_of);
