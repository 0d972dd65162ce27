//! [`WithDyn`]: a condition on a component that is chosen at run time, in a query that is otherwise compiled.
//!
//! ```text
//! Prepared<(&mut Position, &Velocity), WithDyn>     chosen: "node of scene 3"
//!   matches   {Position, Velocity, "node of scene 3"}: table 7      whole tables, as with `With<T>`
//!   mask      rows of it that are switched off, if any are
//! ```

use super::access::{Access, ConflictingTerms};
use super::filter::{Filter, FilterParts, Place};
use super::pattern::{PatternBuilder, Wanted};
use super::prepared::Prepared;
use super::term::Terms;
use crate::component::{ComponentId, Registry};
use crate::storage::{Epoch, Side, Table};

/// A component that a query was told to look for, and the store whose components are meant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    store: Epoch,
    component: ComponentId,
}

impl Chosen {
    /// The component, if it is one of this store.
    pub(super) fn of(self, store: Epoch) -> Option<ComponentId> {
        (self.store == store).then_some(self.component)
    }
}

/// Entities that have a component chosen at run time: with [`Prepared::with_dyn`], or [`PlanBuilder::query_with_dyn`](crate::PlanBuilder::query_with_dyn).
///
/// The walk is that of a compiled filter: whole tables. One that is switched off does not count. Where no component was chosen, and in worlds other than the one
/// it was chosen in, it matches nothing.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{ComponentLayout, DynValue, WithDyn};
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let cursed = world.register_dyn(ComponentLayout::new("Cursed"))?;
/// let orcs = world.spawn_batch([Health(3), Health(5)]);
/// world.insert_dyn(orcs[1], cursed, DynValue::bytes(&[]))?;
/// let mut all_cursed = Prepared::<&mut Health, WithDyn>::with_dyn(&world, cursed)?;
/// all_cursed.on(&mut world).for_each(|health| health.0 -= 1);
/// assert!(world.read::<&Health>().iter().map(|health| health.0).eq([3, 4]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WithDyn(());

impl Filter for WithDyn {
    type Parts = Self;
    fn describe() -> String {
        WITHOUT_NAME.into()
    }
}

/// What stands for the component in a description until it is known. No type is called so.
pub(super) const WITHOUT_NAME: &str = "With<a component chosen at run time>";

impl FilterParts for WithDyn {
    /// The component, once it is known.
    type State = Option<ComponentId>;
    type Marks<'a> = Option<&'a Side>;
    const ROWS: bool = false;
    const MASKED: bool = true;
    const CHOOSES: bool = true;
    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.chosen(Access::None, Wanted::Present, ("With<", ">"));
    }
    fn resolve(_registry: &Registry) -> Self::State {
        None
    }
    fn choose(state: &mut Self::State, component: Option<ComponentId>) {
        *state = component;
    }
    fn marks<'a>(state: &Self::State, table: &'a Table) -> Option<&'a Side> {
        state.and_then(|component| table.sides().get(component)).filter(|side| side.off.ones() > 0)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn masks(state: &Self::State, table: &Table) -> bool {
        Self::marks(state, table).is_some()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mask(marks: Self::Marks<'_>, _since: u32, block: usize) -> u64 {
        marks.map_or(!0, |side| !side.off.word(block))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn candidates(marks: Self::Marks<'_>, _since: u32, group: usize) -> u64 {
        marks.map_or(!0, |side| side.off.not_full(group))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn listed(marks: Self::Marks<'_>, len: usize) -> Option<&[u32]> {
        marks.and_then(|side| side.off.few_unset(len))
    }
    fn matches(state: &Self::State, at: Place<'_>) -> bool {
        let side = state.and_then(|component| at.table.sides().get(component));
        side.is_none_or(|side| !side.off.get(at.row))
    }
}

impl<Q: Terms, F: Filter> Prepared<Q, F> {
    /// Prepares the query for a component of the store of this age that is kept in tables.
    #[track_caller]
    pub(crate) fn make_choosing(store: Epoch, component: ComponentId) -> Result<Self, ConflictingTerms> {
        const { assert!(F::Parts::CHOOSES, "a component is chosen for `WithDyn`, which is not part of this filter") };
        let mut prepared = Self::make()?;
        prepared.chosen = Some(Chosen { store, component });
        Ok(prepared)
    }
}
