//! Queues for who has a plan.

use super::commands::Commands;
use crate::claim::PlanBuilder;

impl PlanBuilder<'_> {
    /// A queue of commands for who has the plan, named after it. It is in nobody's way, and no part of the plan: it holds no borrow of the world.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("spawner");
    /// let mut commands = plan.commands();
    /// let plan = plan.build();
    /// commands.spawn(());
    /// assert_eq!(commands.name(), Some("spawner"));
    /// world.apply(&mut commands)?;
    /// assert_eq!(world.alive(), 1);
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    pub fn commands(&mut self) -> Commands {
        let (world, name) = self.world_and_name();
        let [commands] = world.commands_for([name]);
        commands
    }
}
