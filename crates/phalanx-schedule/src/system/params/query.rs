//! Queries.

use crate::system::param::Param;
use crate::system::refusal::ArgumentError;
use crate::system::turn::Turn;
use crate::system::uses::Uses;
use phalanx_ecs::{Filter, PlanBuilder, PlanError, Query, QueryTicket, Terms};

impl<Q: Terms + 'static, F: Filter + 'static> Param for Query<'_, Q, F>
where
    QueryTicket<Q, F>: Send,
{
    type State = QueryTicket<Q, F>;
    type Item<'a> = Query<'a, Q, F>;
    const USES: Uses = Uses::query::<Q, F>();

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
        plan.query_filtered::<Q, F>()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take<'a>(state: &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
        Ok(turn.claim().query(state)?)
    }
}
