//! Changes to be made later.

use crate::system::param::Param;
use crate::system::refusal::ArgumentError;
use crate::system::turn::Turn;
use phalanx_ecs::{CommandErrors, Commands, PlanBuilder, PlanError, World};

impl Param for &mut Commands {
    type State = Commands;
    type Item<'a> = &'a mut Commands;
    const DEFERS: bool = true;

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Commands, PlanError> {
        Ok(plan.commands())
    }

    #[inline]
    fn take<'a>(state: &'a mut Commands, _turn: &'a Turn<'a>) -> Result<&'a mut Commands, ArgumentError> {
        Ok(state)
    }

    fn has_changes(state: &Commands) -> bool {
        !state.is_empty()
    }

    fn apply(state: &mut Commands, world: &mut World) -> Result<(), CommandErrors> {
        world.apply(state)
    }
}
