//! Conditions on entities that yield no data.

use super::access::Access;
use super::pattern::{Pattern, PatternBuilder, Test, Wanted, name_of, short_type_name, tuple_of};
use crate::bundle::arity::{for_each_long_tuple, for_each_short_tuple};
use crate::component::{Component, ComponentId, Registry, SetId, Storage, StorageKind, Toggle};
use crate::storage::{Side, Store, Table};
use std::marker::PhantomData;

/// A condition on entities: the second parameter of a query.
///
/// | filter | matches entities |
/// |---|---|
/// | [`With<T>`](With) | that have a `T` |
/// | [`Without<T>`](Without) | that have none |
/// | [`Off<T>`](Off) | that have a `T` which is switched off |
/// | [`Changed<T>`](crate::Changed) | whose `T` changed, or arrived, since the reader looked last; in a [`Prepared`](crate::Prepared) query only |
/// | [`Added<T>`](crate::Added) | whose `T` arrived since then; in a [`Prepared`](crate::Prepared) query only |
/// | [`Or<(F, G)>`](Or) | that match at least one of the members |
/// | [`Exact`] | that have nothing the query does not name |
/// | [`WithDyn`](crate::WithDyn) | that have a component chosen at run time |
/// | a tuple of up to 16 filters | that match every member |
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Enemy;
/// #[derive(Component)] struct Frozen;
/// #[derive(Component)] struct Health(i32);
///
/// let mut world = World::new();
/// world.spawn((Enemy, Health(3)));
/// world.spawn((Enemy, Health(5), Frozen));
/// let awake = world.query_filtered::<&Health, (With<Enemy>, Without<Frozen>)>().count();
/// assert_eq!(awake, 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query filter",
    label = "not a filter",
    note = "filters are `With<T>`, `Without<T>`, `Off<T>`, `Changed<T>`, `Added<T>`, `Or<(…)>`, `Exact` and tuples (of up to 16) of these; what a query yields is its first parameter"
)]
pub trait Filter: 'static {
    /// The filter as the engine sees it.
    #[doc(hidden)]
    type Parts: FilterParts;
    /// The filter as it was written.
    #[doc(hidden)]
    fn describe() -> String {
        short_type_name::<Self>()
    }
}

/// One condition, or a tuple of up to four.
#[doc(hidden)]
pub trait FilterParts: 'static {
    /// Ids, resolved with a registry.
    type State: Copy + Send + Sync + 'static;
    /// Whether rows of a matching table must be looked at one by one.
    const ROWS: bool;
    /// Where the marks of a table are that the filter looks at.
    type Marks<'a>: Copy;
    /// Whether rows of a matching table are told apart by [`FilterParts::mask`].
    const MASKED: bool = false;
    /// Whether the answer depends on when the reader looked last.
    const READER: bool = false;
    /// Whether the filter asks for nothing at all.
    const TRIVIAL: bool = false;
    /// Whether it asks for a component that is chosen at run time.
    const CHOOSES: bool = false;
    fn declare(builder: &mut PatternBuilder<'_>);
    /// Lists it as what it is in an [`Or`]: one alternative, or several.
    fn list(members: &mut Vec<fn(&mut PatternBuilder<'_>)>) {
        members.push(Self::declare);
    }
    fn resolve(registry: &Registry) -> Self::State;
    /// Says which component was chosen.
    fn choose(state: &mut Self::State, component: Option<ComponentId>) {
        let _ = (state, component);
    }
    fn marks<'a>(state: &Self::State, table: &'a Table) -> Self::Marks<'a>;
    /// Whether [`FilterParts::mask`] may leave out a row of the table.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn masks(state: &Self::State, table: &Table) -> bool {
        let _ = (state, table);
        Self::MASKED
    }
    /// The rows of a block of 64 that may match, as a mask; all that do, if `ROWS` is false.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mask(marks: Self::Marks<'_>, since: u32, block: usize) -> u64 {
        let _ = (marks, since, block);
        !0
    }
    /// The blocks of a group of 64 in which rows may match, as a mask.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn candidates(marks: Self::Marks<'_>, since: u32, group: usize) -> u64 {
        let _ = (marks, since, group);
        !0
    }
    /// The rows of a table of `len` that the masks leave, in order, if the filter has them as a list. All are below `len`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn listed<'a>(marks: Self::Marks<'a>, len: usize) -> Option<&'a [u32]>
    where
        Self: 'a,
    {
        let _ = (marks, len);
        None
    }
    /// Whether a live entity, in a table that can match, matches.
    fn matches(state: &Self::State, at: Place<'_>) -> bool;
}

/// A filter that can stand inside [`Or`]: every one but [`Exact`], which speaks of the query as a whole.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Frozen;
/// #[derive(Component)] struct Burning;
///
/// let mut world = World::new();
/// world.spawn(Frozen);
/// world.spawn((Frozen, Burning));
/// world.spawn(());
/// let calm = world.query_filtered::<Entity, Or<(With<Frozen>, Without<Burning>)>>();
/// assert_eq!(calm.count(), 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand inside `Or`",
    label = "`Or` takes a tuple of `With<T>`, `Without<T>`, `Off<T>`, `Changed<T>`, `Added<T>` and `Or<…>`",
    note = "`Exact` speaks of the query as a whole: put it beside the `Or`"
)]
pub trait Alternative: Filter {}

#[diagnostic::do_not_recommend]
impl<T: Component> Alternative for With<T> {}
#[diagnostic::do_not_recommend]
impl<T: Component> Alternative for Without<T> {}

/// An entity whose row a filter looks at.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub(super) store: &'a Store,
    pub(super) table: &'a Table,
    pub(super) row: usize,
    pub(super) index: u32,
    /// The tick at which the reader looked last.
    pub(super) since: u32,
    pub(super) pattern: &'a Pattern,
}

/// Entities that have a `T`. One that is [switched off](crate::Toggle) does not count.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// let orc = world.spawn((Health(3), Enemy));
/// world.spawn(Health(5));
/// let enemies = world.query_filtered::<(Entity, &Health), With<Enemy>>();
/// assert_eq!(enemies.single()?.0, orc);
/// # Ok::<(), phalanx_ecs::NotSingle>(())
/// ```
pub struct With<T>(PhantomData<T>);
/// Entities that have no `T`. One that is [switched off](crate::Toggle) is there all the same: [`Off`](crate::Off) finds it.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// world.spawn((Health(3), Enemy));
/// let elf = world.spawn(Health(5));
/// let friends = world.query_filtered::<(Entity, &Health), Without<Enemy>>();
/// assert_eq!(friends.single()?.0, elf);
/// # Ok::<(), phalanx_ecs::NotSingle>(())
/// ```
pub struct Without<T>(PhantomData<T>);
/// Entities that match at least one member of the tuple `F`.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Frozen;
/// #[derive(Component)] struct Burning;
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn((Health(3), Frozen));
/// world.spawn((Health(4), Burning));
/// world.spawn(Health(5));
/// let harmed = world.query_filtered::<&Health, Or<(With<Frozen>, With<Burning>)>>();
/// assert!(harmed.iter().map(|health| health.0).eq([3, 4]));
/// ```
pub struct Or<F>(PhantomData<F>);
/// Entities that have exactly what the query names: `Option`, `Has` and `Or` terms may be there, everything else required must, and nothing
/// else is.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
///
/// let mut world = World::new();
/// let stone = world.spawn(Position(0.0));
/// world.spawn((Position(0.0), Velocity(1.0)));
/// assert_eq!(world.query_filtered::<Entity, (With<Position>, Exact)>().single()?, stone);
/// assert_eq!(world.query_filtered::<(&Position, Option<&Velocity>), Exact>().count(), 2);
/// # Ok::<(), phalanx_ecs::NotSingle>(())
/// ```
pub struct Exact;

#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Found {
    Unknown,
    InTable(ComponentId),
    InSet(SetId),
}

impl Found {
    fn of<T: Component>(registry: &Registry) -> Self {
        match registry.id_of::<T>() {
            None => Self::Unknown,
            Some(id) => match registry.at(id).kind {
                StorageKind::Set(set) => Self::InSet(set),
                StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => Self::InTable(id),
            },
        }
    }

    /// Whether the component is there and not switched off.
    fn is_switched_on(self, at: Place<'_>) -> bool {
        match self {
            Self::Unknown => false,
            Self::InTable(id) => {
                let side = at.table.sides().get(id);
                at.table.map().contains(id) && !side.is_some_and(|side| side.off.get(at.row))
            }
            Self::InSet(set) => {
                let set = at.store.sets.get(set);
                set.row(at.index).is_some_and(|row| !set.side().is_some_and(|side| side.off.get(row)))
            }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_there(self, at: Place<'_>) -> bool {
        match self {
            Self::Unknown => false,
            Self::InTable(id) => at.table.map().contains(id),
            Self::InSet(set) => at.store.sets.get(set).row(at.index).is_some(),
        }
    }
}

pub(super) const fn is_sparse<T: Component>() -> bool {
    matches!(T::STORAGE, Storage::Sparse)
}

impl<T: Component> Filter for With<T> {
    type Parts = Self;
    fn describe() -> String {
        format!("With<{}>", name_of::<T>())
    }
}

impl<T: Component> FilterParts for With<T> {
    type State = Found;
    type Marks<'a> = Option<&'a Side>;
    const ROWS: bool = is_sparse::<T>();
    const MASKED: bool = T::TOGGLE && !is_sparse::<T>();
    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::None, Wanted::Present, ("With<", ">"));
    }
    fn resolve(registry: &Registry) -> Found {
        Found::of::<T>(registry)
    }
    fn marks<'a>(state: &Found, table: &'a Table) -> Option<&'a Side> {
        match *state {
            Found::InTable(id) if T::TOGGLE => table.sides().get(id),
            _ => None,
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn masks(state: &Found, table: &Table) -> bool {
        Self::marks(state, table).is_some_and(|side| side.off.ones() > 0)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mask(marks: Option<&Side>, _since: u32, block: usize) -> u64 {
        marks.map_or(!0, |side| !side.off.word(block))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn candidates(marks: Option<&Side>, _since: u32, group: usize) -> u64 {
        marks.map_or(!0, |side| side.off.not_full(group))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn listed<'a>(marks: Option<&'a Side>, len: usize) -> Option<&'a [u32]>
    where
        Self: 'a,
    {
        marks.and_then(|side| side.off.few_unset(len))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn matches(state: &Found, at: Place<'_>) -> bool {
        if T::TOGGLE { state.is_switched_on(at) } else { state.is_there(at) }
    }
}

impl<T: Component> Filter for Without<T> {
    type Parts = Self;
    fn describe() -> String {
        format!("Without<{}>", name_of::<T>())
    }
}

impl<T: Component> FilterParts for Without<T> {
    type State = Found;
    type Marks<'a> = ();
    const ROWS: bool = is_sparse::<T>();
    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::None, Wanted::Absent, ("Without<", ">"));
    }
    fn resolve(registry: &Registry) -> Found {
        Found::of::<T>(registry)
    }
    fn marks(_state: &Found, _table: &Table) {}
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn matches(state: &Found, at: Place<'_>) -> bool {
        !state.is_there(at)
    }
}

/// Entities that have a `T` which is switched off. Ask for the value by [`EvenOff<&T>`](crate::EvenOff).
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(toggle)]
/// struct Shield(u32);
///
/// let mut world = World::new();
/// let [orc, _elf] = [world.spawn(Shield(5)), world.spawn(Shield(6))];
/// world.switch_off::<Shield>(orc)?;
/// let down = world.query_filtered::<EvenOff<&Shield>, Off<Shield>>();
/// assert_eq!(down.single().unwrap().0, 5);
/// # Ok::<(), phalanx_ecs::LookupError>(())
/// ```
pub struct Off<T: Toggle>(PhantomData<T>);

impl<T: Toggle> Filter for Off<T> {
    type Parts = Self;
    fn describe() -> String {
        format!("Off<{}>", name_of::<T>())
    }
}

impl<T: Toggle> FilterParts for Off<T> {
    type State = Found;
    type Marks<'a> = Option<&'a Side>;
    const ROWS: bool = is_sparse::<T>();
    const MASKED: bool = !is_sparse::<T>();
    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.tested::<T>(Access::None, Test::Off, ("Off<", ">"));
    }
    fn resolve(registry: &Registry) -> Found {
        Found::of::<T>(registry)
    }
    fn marks<'a>(state: &Found, table: &'a Table) -> Option<&'a Side> {
        match *state {
            Found::InTable(id) => table.sides().get(id),
            Found::InSet(_) | Found::Unknown => None,
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mask(marks: Option<&Side>, _since: u32, block: usize) -> u64 {
        if is_sparse::<T>() { !0 } else { marks.map_or(0, |side| side.off.word(block)) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn matches(state: &Found, at: Place<'_>) -> bool {
        state.is_there(at) && !state.is_switched_on(at)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Toggle> Alternative for Off<T> {}

impl Filter for Exact {
    type Parts = Self;
}

impl FilterParts for Exact {
    type State = ();
    type Marks<'a> = ();
    const ROWS: bool = true;
    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.exact();
    }
    fn resolve(_registry: &Registry) {}
    fn marks((): &(), _table: &Table) {}
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn matches((): &(), at: Place<'_>) -> bool {
        at.pattern.has_no_other_set(at.store, at.index)
    }
}

macro_rules! tuple_parts {
    ($($name:ident $at:tt),*) => {
        impl<$($name: FilterParts),*> FilterParts for ($($name,)*) {
            type State = ($($name::State,)*);
            type Marks<'a> = ($($name::Marks<'a>,)*);
            const ROWS: bool = false $(|| $name::ROWS)*;
            const MASKED: bool = false $(|| $name::MASKED)*;
            const READER: bool = false $(|| $name::READER)*;
            const TRIVIAL: bool = true $(&& $name::TRIVIAL)*;
            const CHOOSES: bool = false $(|| $name::CHOOSES)*;
            fn declare(_builder: &mut PatternBuilder<'_>) {
                $($name::declare(_builder);)*
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn resolve(_registry: &Registry) -> Self::State {
                ($($name::resolve(_registry),)*)
            }
            fn choose(_state: &mut Self::State, _component: Option<ComponentId>) {
                $($name::choose(&mut _state.$at, _component);)*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn masks(_state: &Self::State, _table: &Table) -> bool {
                false $(|| $name::masks(&_state.$at, _table))*
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn marks<'a>(_state: &Self::State, _table: &'a Table) -> Self::Marks<'a> {
                ($($name::marks(&_state.$at, _table),)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn mask(_marks: Self::Marks<'_>, _since: u32, _block: usize) -> u64 {
                !0 $(& $name::mask(_marks.$at, _since, _block))*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn candidates(_marks: Self::Marks<'_>, _since: u32, _group: usize) -> u64 {
                !0 $(& $name::candidates(_marks.$at, _since, _group))*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn matches(_state: &Self::State, _at: Place<'_>) -> bool {
                true $(&& $name::matches(&_state.$at, _at))*
            }
        }
    };
}

macro_rules! tuple_filter {
    ($($name:ident $at:tt),*) => {
        tuple_filter!(($($name),*) ($($name::Parts,)*));
    };
    // More than four: a tuple of tuples.
    ($([$group:tt: $($name:ident $at:tt $in_group:tt),+])+) => {
        tuple_filter!(($($($name),+),+) ($(($($name::Parts,)+),)+));
    };
    (($($name:ident),*) $parts:ty) => {
        #[diagnostic::do_not_recommend]
        impl<$($name: Alternative),*> Alternative for ($($name,)*) {}

        impl<$($name: Filter),*> Filter for ($($name,)*) {
            type Parts = $parts;
            fn describe() -> String {
                tuple_of(&[$($name::describe()),*])
            }
        }
    };
}

/// A tuple of filters of which one is enough.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`Or` takes a tuple of filters, not `{Self}`",
    label = "not a tuple of filters",
    note = "`Or<(With<A>, With<B>)>`: two or more, up to 16; one filter needs no `Or`"
)]
pub trait Alternatives: Filter {
    /// The members, in tuples of up to four.
    type Any: AnyParts;
}

/// A tuple of up to four conditions of which one is enough.
#[doc(hidden)]
pub trait AnyParts: FilterParts {
    /// A mask says nothing about tables that only another member fits.
    const ANY_ROWS: bool;
    const ALL_MASKED: bool;
    fn list_any(members: &mut Vec<fn(&mut PatternBuilder<'_>)>);
    fn any_mask(marks: Self::Marks<'_>, since: u32, block: usize) -> u64;
    fn any_matches(state: &Self::State, at: Place<'_>) -> bool;
}

#[diagnostic::do_not_recommend]
impl<F: Alternatives> Alternative for Or<F> {}

impl<F: Alternatives> Filter for Or<F> {
    type Parts = Any<F::Any, true>;
    fn describe() -> String {
        format!("Or<{}>", F::describe())
    }
}

/// [`Or`], if it is the whole of it, or some of its members.
#[doc(hidden)]
pub struct Any<P, const WHOLE: bool>(PhantomData<P>);

impl<P: AnyParts, const WHOLE: bool> FilterParts for Any<P, WHOLE> {
    type State = P::State;
    type Marks<'a> = P::Marks<'a>;
    const ROWS: bool = P::ANY_ROWS;
    const MASKED: bool = P::ALL_MASKED;
    const READER: bool = P::READER;
    fn declare(builder: &mut PatternBuilder<'_>) {
        let mut members = Vec::new();
        P::list_any(&mut members);
        builder.any_of("Or", &members);
    }
    fn list(members: &mut Vec<fn(&mut PatternBuilder<'_>)>) {
        if WHOLE {
            members.push(Self::declare);
        } else {
            P::list_any(members);
        }
    }
    fn resolve(registry: &Registry) -> P::State {
        P::resolve(registry)
    }
    fn marks<'a>(state: &P::State, table: &'a Table) -> P::Marks<'a> {
        P::marks(state, table)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mask(marks: P::Marks<'_>, since: u32, block: usize) -> u64 {
        P::any_mask(marks, since, block)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn matches(state: &P::State, at: Place<'_>) -> bool {
        P::any_matches(state, at)
    }
}

macro_rules! any_parts {
    ($($name:ident $at:tt),+) => {
        impl<$($name: FilterParts),+> AnyParts for ($($name,)+) {
            const ANY_ROWS: bool = false $(|| $name::ROWS || $name::MASKED)+;
            const ALL_MASKED: bool = true $(&& $name::MASKED)+;
            fn list_any(members: &mut Vec<fn(&mut PatternBuilder<'_>)>) {
                $($name::list(members);)+
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn any_mask(marks: Self::Marks<'_>, since: u32, block: usize) -> u64 {
                0 $(| $name::mask(marks.$at, since, block))+
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn any_matches(state: &Self::State, at: Place<'_>) -> bool {
                false $(|| $name::matches(&state.$at, at))+
            }
        }
    };
}

macro_rules! or_filter {
    ($($name:ident $at:tt),+) => {
        impl<$($name: Alternative),+> Alternatives for ($($name,)+) {
            type Any = ($($name::Parts,)+);
        }
    };
    // More than four: one of several of which one is enough.
    ($([$group:tt: $($name:ident $at:tt $in_group:tt),+])+) => {
        impl<$($($name: Alternative),+),+> Alternatives for ($($($name,)+)+) {
            type Any = ($(Any<($($name::Parts,)+), false>,)+);
        }
    };
}

tuple_parts!();
tuple_filter!();
for_each_short_tuple!(tuple_parts);
for_each_short_tuple!(tuple_filter);
for_each_long_tuple!(tuple_filter);
for_each_short_tuple!(any_parts);
for_each_short_tuple!(or_filter);
for_each_long_tuple!(or_filter);
