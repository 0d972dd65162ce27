//! What surrounds a run: the time, and the system itself.

use crate::ids::SystemId;
use crate::system::param::Param;
use crate::system::refusal::ArgumentError;
use crate::system::turn::Turn;
use crate::time::Time;
use phalanx_ecs::{PlanBuilder, PlanError};

macro_rules! of_turn {
    ($($param:ty: $get:ident;)*) => {$(
        impl Param for $param {
            type State = ();
            type Item<'a> = $param;

            fn plan(_plan: &mut PlanBuilder<'_>) -> Result<(), PlanError> {
                Ok(())
            }

            #[inline]
            fn take<'a>((): &'a mut (), turn: &'a Turn<'a>) -> Result<$param, ArgumentError> {
                Ok(turn.$get())
            }
        }
    )*};
}

of_turn! {
    Time: time;
    SystemId: system;
}
