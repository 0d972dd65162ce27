//! [`ApplyQueued`]: a point in a group at which what was queued is applied.
//!
//! ```text
//! stage   [ spawn, steer, ApplyQueued ]  ─► what spawn and steer queued is applied, if the point may run
//! stage   [ count ]                      ─► the end
//! ```
//!
//! The point is the last system of the stage that it ends. So it can be disabled, put to sleep and given conditions like any other; if it does not run, what was
//! queued waits for the next point, or for the end of the group.

use crate::system::{AnySystem, IntoSystem, Moment, Named, Place, Refusal, SystemError};
use phalanx_ecs::{Plan, World};

/// A point at which all that was queued before it, in its group, is applied. It is added like a system, and ordered like one.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{ApplyQueued, Engine};
///
/// fn spawn(commands: &mut Commands) {
///     commands.spawn(());
/// }
///
/// fn count(all: Query<Entity>) {
///     assert_eq!(all.count(), 1);
/// }
///
/// let mut engine = Engine::new();
/// engine.add(spawn)?;
/// engine.add(count)?;
/// engine.add(ApplyQueued)?.after(spawn)?.before(count)?;
/// engine.run_frames(1)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Nobody runs across it: systems that come before it in the order of the group are done, and those that come after it have not begun. Several of them are told
/// apart by name ([`named`](crate::NewSystem::named)) or by id. Where one system alone needs what another queued, [`after_applied`](crate::NewSystem::after_applied)
/// says so. In a [pipe](IntoSystem::pipe) it does nothing, because a pipe is one system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ApplyQueued;

/// What there is to run at such a point: its conditions alone.
struct Point;

impl AnySystem<(), ()> for Point {
    fn run(&mut self, _place: &mut Place<'_>, _moment: &Moment, (): ()) -> Result<(), Box<Refusal>> {
        Ok(())
    }
    fn plans<'a>(&'a self, _plans: &mut Vec<&'a Plan>) {}
    fn is_main(&self) -> bool {
        false
    }
    fn listens(&self) -> bool {
        false
    }
}

impl IntoSystem<ApplyQueued> for ApplyQueued {
    type In = ();
    type Out = ();

    fn name(&self) -> String {
        "ApplyQueued".to_owned()
    }

    #[expect(private_interfaces, reason = "nobody else makes systems")]
    fn build(self, _world: &mut World, _named: Named<'_>) -> Result<Box<dyn AnySystem<(), ()>>, SystemError> {
        Ok(Box::new(Point))
    }
}
