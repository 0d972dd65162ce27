//! Who ended an entity.

use super::handle::Entity;
use crate::tick::Tick;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// Who despawned an entity, and when.
///
/// [`NoSuchEntity`](crate::NoSuchEntity) and [`CommandFault::Dead`](crate::CommandFault::Dead) have one where it is remembered; see [`WorldBuilder::remember_deaths`](crate::WorldBuilder::remember_deaths).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::CommandFault;
///
/// let mut world = World::new();
/// let orc = world.spawn(());
/// let mut queues = world.commands_for(["ai", "physics"]);
/// queues[0].despawn(orc);
/// queues[1].despawn(orc);
/// let error = world.apply_all(&mut queues).unwrap_err();
/// let CommandFault::Dead { death: Some(death), .. } = &error.errors[0].fault else { unreachable!() };
/// assert_eq!((death.entity, death.queue.as_deref()), (orc, Some("ai")));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Death {
    /// Who died.
    pub entity: Entity,
    /// Where it was asked for.
    pub caller: &'static Location<'static>,
    /// The name of the queue, if it was a queued command and the queue has one.
    pub queue: Option<Arc<str>>,
    /// The tick of the world then.
    pub tick: Tick,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.caller.file(), self.caller.line())?;
        if let Some(queue) = &self.queue {
            write!(f, ", queue `{queue}`")?;
        }
        write!(f, ", at tick {}", self.tick)
    }
}
