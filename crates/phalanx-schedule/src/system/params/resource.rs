//! Resources.

use crate::system::param::Param;
use crate::system::refusal::ArgumentError;
use crate::system::turn::Turn;
use crate::system::uses::Uses;
use phalanx_ecs::{PlanBuilder, PlanError, ResMut, Resource, ResourceMutTicket, ResourceReader, ResourceTicket};
use std::fmt;
use std::ops::Deref;

/// A resource, to read: an argument of a system. To write it, take a [`ResMut`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{run_once, Res};
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// assert_eq!(run_once(&mut world, |score: Res<Score>| score.0).unwrap(), 3);
/// ```
pub struct Res<'w, R: Resource> {
    value: &'w R,
    changed: bool,
}

impl<R: Resource> Res<'_, R> {
    /// Whether the resource was inserted or written since the system's last run. At its first run it has changed.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{Res, System};
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// let mut is_new = System::new(&mut world, |score: Res<Score>| score.is_changed())?;
    /// assert!(is_new.run(&mut world)?);
    /// assert!(!is_new.run(&mut world)?);
    /// world.resource_mut::<Score>()?.0 += 1;
    /// assert!(is_new.run(&mut world)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_changed(&self) -> bool {
        self.changed
    }
}

impl<R: Resource> Deref for Res<'_, R> {
    type Target = R;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn deref(&self) -> &R {
        self.value
    }
}

impl<R: Resource + fmt::Debug> fmt::Debug for Res<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// What [`Res`] keeps.
pub struct Reading<R: Resource> {
    ticket: ResourceTicket<R>,
    reader: ResourceReader<R>,
}

fn plan_reading<R: Resource>(plan: &mut PlanBuilder<'_>) -> Result<Reading<R>, PlanError> {
    Ok(Reading { ticket: plan.resource()?, reader: ResourceReader::new() })
}

impl<R: Resource> Param for Res<'_, R> {
    type State = Reading<R>;
    type Item<'a> = Res<'a, R>;
    const USES: Uses = Uses::resource::<R>(false);

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
        plan_reading(plan)
    }

    #[inline]
    fn take<'a>(state: &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
        let changed = turn.claim().resource_changed(&state.ticket, &mut state.reader)?;
        Ok(Res { value: turn.claim().resource(&state.ticket)?, changed })
    }
}

impl<R: Resource> Param for Option<Res<'_, R>> {
    type State = Reading<R>;
    type Item<'a> = Option<Res<'a, R>>;
    const USES: Uses = Uses::resource::<R>(false);

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
        plan_reading(plan)
    }

    #[inline]
    fn take<'a>(state: &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
        let changed = turn.claim().resource_changed(&state.ticket, &mut state.reader)?;
        Ok(turn.claim().get_resource(&state.ticket)?.map(|value| Res { value, changed }))
    }
}

impl<R: Resource> Param for ResMut<'_, R> {
    type State = ResourceMutTicket<R>;
    type Item<'a> = ResMut<'a, R>;
    const USES: Uses = Uses::resource::<R>(true);

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
        plan.resource_mut()
    }

    #[inline]
    fn take<'a>(state: &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
        Ok(turn.claim().resource_mut(state)?)
    }
}

impl<R: Resource> Param for Option<ResMut<'_, R>> {
    type State = ResourceMutTicket<R>;
    type Item<'a> = Option<ResMut<'a, R>>;
    const USES: Uses = Uses::resource::<R>(true);

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
        plan.resource_mut()
    }

    #[inline]
    fn take<'a>(state: &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
        Ok(turn.claim().get_resource_mut(state)?)
    }
}
