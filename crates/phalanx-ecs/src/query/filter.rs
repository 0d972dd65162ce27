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
    /// Ids, resolved with a registry.
    #[doc(hidden)]
    type State: Copy + Send + Sync + 'static;
    /// Whether rows of a matching table must be looked at one by one.
    #[doc(hidden)]
    const ROWS: bool;
    /// Where the marks of a table are that the filter looks at.
    #[doc(hidden)]
    type Marks<'a>: Copy;
    /// Whether rows of a matching table are told apart by [`Filter::mask`].
    #[doc(hidden)]
    const MASKED: bool = false;
    /// Whether the answer depends on when the reader looked last.
    #[doc(hidden)]
    const READER: bool = false;
    /// Whether the filter asks for nothing at all.
    #[doc(hidden)]
    const TRIVIAL: bool = false;
    #[doc(hidden)]
    fn declare(builder: &mut PatternBuilder<'_>);
    /// The filter as it was written.
    #[doc(hidden)]
    fn describe() -> String {
        short_type_name::<Self>()
    }
    #[doc(hidden)]
    fn resolve(registry: &Registry) -> Self::State;
    #[doc(hidden)]
    fn marks<'a>(state: &Self::State, table: &'a Table) -> Self::Marks<'a>;
    /// The rows of a block of 64 that may match, as a mask; all that do, if `ROWS` is false.
    #[doc(hidden)]
    #[inline(always)]
    fn mask(marks: Self::Marks<'_>, since: u32, block: usize) -> u64 {
        let _ = (marks, since, block);
        !0
    }
    /// The blocks of a group of 64 in which rows may match, as a mask.
    #[doc(hidden)]
    #[inline(always)]
    fn candidates(marks: Self::Marks<'_>, since: u32, group: usize) -> u64 {
        let _ = (marks, since, group);
        !0
    }
    /// Whether a live entity, in a table that can match, matches.
    #[doc(hidden)]
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

    #[inline(always)]
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
    type State = Found;
    type Marks<'a> = Option<&'a Side>;
    const ROWS: bool = is_sparse::<T>();
    const MASKED: bool = T::TOGGLE && !is_sparse::<T>();
    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::None, Wanted::Present, ("With<", ">"));
    }
    fn describe() -> String {
        format!("With<{}>", name_of::<T>())
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
    #[inline(always)]
    fn mask(marks: Option<&Side>, _since: u32, block: usize) -> u64 {
        marks.map_or(!0, |side| !side.off.word(block))
    }
    #[inline(always)]
    fn matches(state: &Found, at: Place<'_>) -> bool {
        if T::TOGGLE { state.is_switched_on(at) } else { state.is_there(at) }
    }
}

impl<T: Component> Filter for Without<T> {
    type State = Found;
    type Marks<'a> = ();
    const ROWS: bool = is_sparse::<T>();
    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::None, Wanted::Absent, ("Without<", ">"));
    }
    fn describe() -> String {
        format!("Without<{}>", name_of::<T>())
    }
    fn resolve(registry: &Registry) -> Found {
        Found::of::<T>(registry)
    }
    fn marks(_state: &Found, _table: &Table) {}
    #[inline(always)]
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
    type State = Found;
    type Marks<'a> = Option<&'a Side>;
    const ROWS: bool = is_sparse::<T>();
    const MASKED: bool = !is_sparse::<T>();
    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.tested::<T>(Access::None, Test::Off, ("Off<", ">"));
    }
    fn describe() -> String {
        format!("Off<{}>", name_of::<T>())
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
    #[inline(always)]
    fn mask(marks: Option<&Side>, _since: u32, block: usize) -> u64 {
        if is_sparse::<T>() { !0 } else { marks.map_or(0, |side| side.off.word(block)) }
    }
    #[inline(always)]
    fn matches(state: &Found, at: Place<'_>) -> bool {
        state.is_there(at) && !state.is_switched_on(at)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Toggle> Alternative for Off<T> {}

impl Filter for Exact {
    type State = ();
    type Marks<'a> = ();
    const ROWS: bool = true;
    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.exact();
    }
    fn resolve(_registry: &Registry) {}
    fn marks((): &(), _table: &Table) {}
    #[inline(always)]
    fn matches((): &(), at: Place<'_>) -> bool {
        at.pattern.has_no_other_set(at.store, at.index)
    }
}

macro_rules! tuple_filter {
    ($($name:ident $at:tt),*) => {
        #[diagnostic::do_not_recommend]
        impl<$($name: Alternative),*> Alternative for ($($name,)*) {}

        impl<$($name: Filter),*> Filter for ($($name,)*) {
            type State = ($($name::State,)*);
            type Marks<'a> = ($($name::Marks<'a>,)*);
            const ROWS: bool = false $(|| $name::ROWS)*;
            const MASKED: bool = false $(|| $name::MASKED)*;
            const READER: bool = false $(|| $name::READER)*;
            const TRIVIAL: bool = true $(&& $name::TRIVIAL)*;
            fn declare(_builder: &mut PatternBuilder<'_>) {
                $($name::declare(_builder);)*
            }
            fn describe() -> String {
                tuple_of(&[$($name::describe()),*])
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn resolve(_registry: &Registry) -> Self::State {
                ($($name::resolve(_registry),)*)
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn marks<'a>(_state: &Self::State, _table: &'a Table) -> Self::Marks<'a> {
                ($($name::marks(&_state.$at, _table),)*)
            }
            #[inline(always)]
            fn mask(_marks: Self::Marks<'_>, _since: u32, _block: usize) -> u64 {
                !0 $(& $name::mask(_marks.$at, _since, _block))*
            }
            #[inline(always)]
            fn candidates(_marks: Self::Marks<'_>, _since: u32, _group: usize) -> u64 {
                !0 $(& $name::candidates(_marks.$at, _since, _group))*
            }
            #[inline(always)]
            fn matches(_state: &Self::State, _at: Place<'_>) -> bool {
                true $(&& $name::matches(&_state.$at, _at))*
            }
        }
    };
}

/// More than eight members: two tuples in a tuple.
macro_rules! long_tuple_filter {
    ($($name:ident $at:tt),+; $($more:ident $behind:tt $more_at:tt),+) => {
        long_tuple_filter!((($($name,)+), ($($more,)+)); $($name,)+ $($more),+);
    };
    ($both:ty; $($name:ident),+) => {
        #[diagnostic::do_not_recommend]
        impl<$($name: Alternative),+> Alternative for ($($name,)+) {}

        impl<$($name: Filter),+> Filter for ($($name,)+) {
            type State = <$both as Filter>::State;
            type Marks<'a> = <$both as Filter>::Marks<'a>;
            const ROWS: bool = <$both>::ROWS;
            const MASKED: bool = <$both>::MASKED;
            const READER: bool = <$both>::READER;
            const TRIVIAL: bool = <$both>::TRIVIAL;
            fn declare(builder: &mut PatternBuilder<'_>) {
                <$both>::declare(builder);
            }
            fn describe() -> String {
                tuple_of(&[$($name::describe()),+])
            }
            fn resolve(registry: &Registry) -> Self::State {
                <$both>::resolve(registry)
            }
            fn marks<'a>(state: &Self::State, table: &'a Table) -> Self::Marks<'a> {
                <$both>::marks(state, table)
            }
            #[inline(always)]
            fn mask(marks: Self::Marks<'_>, since: u32, block: usize) -> u64 {
                <$both>::mask(marks, since, block)
            }
            #[inline(always)]
            fn candidates(marks: Self::Marks<'_>, since: u32, group: usize) -> u64 {
                <$both>::candidates(marks, since, group)
            }
            #[inline(always)]
            fn matches(state: &Self::State, at: Place<'_>) -> bool {
                <$both>::matches(state, at)
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
    /// A mask says nothing about tables that only another member fits.
    const ANY_ROWS: bool;
    const ALL_MASKED: bool;
    fn declare_any(builder: &mut PatternBuilder<'_>);
    fn any_mask(marks: Self::Marks<'_>, since: u32, block: usize) -> u64;
    fn any_matches(state: &Self::State, at: Place<'_>) -> bool;
}

#[diagnostic::do_not_recommend]
impl<F: Alternatives> Alternative for Or<F> {}

impl<F: Alternatives> Filter for Or<F> {
    type State = F::State;
    type Marks<'a> = F::Marks<'a>;
    const ROWS: bool = F::ANY_ROWS;
    const MASKED: bool = F::ALL_MASKED;
    const READER: bool = F::READER;
    fn declare(builder: &mut PatternBuilder<'_>) {
        F::declare_any(builder);
    }
    fn describe() -> String {
        format!("Or<{}>", F::describe())
    }
    fn resolve(registry: &Registry) -> F::State {
        F::resolve(registry)
    }
    fn marks<'a>(state: &F::State, table: &'a Table) -> F::Marks<'a> {
        F::marks(state, table)
    }
    #[inline(always)]
    fn mask(marks: F::Marks<'_>, since: u32, block: usize) -> u64 {
        F::any_mask(marks, since, block)
    }
    #[inline(always)]
    fn matches(state: &F::State, at: Place<'_>) -> bool {
        F::any_matches(state, at)
    }
}

macro_rules! or_filter {
    ($($name:ident $at:tt),+) => {
        or_filter!($($name $at ($at)),+);
    };
    ($($name:ident $at:tt),+; $($more:ident $behind:tt $more_at:tt),+) => {
        or_filter!($($name $at (0.$at),)+ $($more $behind (1.$more_at)),+);
    };
    ($($name:ident $at:tt ($($place:tt)+)),+) => {
        impl<$($name: Alternative),+> Alternatives for ($($name,)+) {
            const ANY_ROWS: bool = false $(|| $name::ROWS || $name::MASKED)+;
            const ALL_MASKED: bool = true $(&& $name::MASKED)+;
            fn declare_any(builder: &mut PatternBuilder<'_>) {
                builder.any_of("Or", &[$($name::declare),+]);
            }
            #[inline(always)]
            fn any_mask(marks: Self::Marks<'_>, since: u32, block: usize) -> u64 {
                0 $(| $name::mask(marks.$($place)+, since, block))+
            }
            #[inline(always)]
            fn any_matches(state: &Self::State, at: Place<'_>) -> bool {
                false $(|| $name::matches(&state.$($place)+, at))+
            }
        }
    };
}

tuple_filter!();
for_each_short_tuple!(tuple_filter);
for_each_long_tuple!(long_tuple_filter);
for_each_short_tuple!(or_filter);
for_each_long_tuple!(or_filter);
