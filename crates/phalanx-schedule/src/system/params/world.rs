//! The whole world.

use crate::system::param::Param;
use crate::system::refusal::ArgumentError;
use crate::system::turn::Turn;
use crate::system::uses::Uses;
use phalanx_ecs::{PlanBuilder, PlanError, World, WorldMutTicket, WorldTicket};

impl Param for &World {
    type State = WorldTicket;
    type Item<'a> = &'a World;
    const USES: Uses = Uses::world(false);

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<WorldTicket, PlanError> {
        plan.world()
    }

    #[inline]
    fn take<'a>(state: &'a mut WorldTicket, turn: &'a Turn<'a>) -> Result<&'a World, ArgumentError> {
        Ok(turn.claim().world(state)?)
    }
}

impl Param for &mut World {
    type State = WorldMutTicket;
    type Item<'a> = &'a mut World;
    const USES: Uses = Uses::world(true);
    // With it comes what only the thread that calls `run` may touch: `take_main`, and schedules run from within.
    const MAIN: bool = true;

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<WorldMutTicket, PlanError> {
        plan.world_mut()
    }

    #[inline]
    fn take<'a>(state: &'a mut WorldMutTicket, turn: &'a Turn<'a>) -> Result<&'a mut World, ArgumentError> {
        Ok(turn.claim().world_mut(state)?)
    }
}
