//! What a world holds, by component type.

use super::World;
use crate::component::{ComponentId, LiveValues};

/// # Counting values
impl World {
    /// How many values of each component type there are, in order of ids; of a [shared](crate::Shared) one each counts once. See [`World::memory`] for their bytes, and
    /// [`LeakCheck`](crate::testing::LeakCheck) for what is left of them when the world is gone.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Component)] struct Sword;
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(7), Sword));
    /// world.spawn(Health(3));
    /// assert_eq!(world.live_values().to_string(), "2 × Health, 1 × Sword");
    /// world.clear();
    /// assert_eq!(world.live_values().to_string(), "nothing");
    /// ```
    pub fn live_values(&self) -> LiveValues {
        let mut counts = vec![0; self.store.registry.len()];
        for archetype in &self.store.archetypes {
            let rows = self.store.tables[archetype.table.index()].len();
            let own = |component: &&ComponentId| !self.store.registry.at(**component).is_shared();
            archetype.components.iter().filter(own).for_each(|component| counts[component.index()] += rows);
        }
        for pool in self.store.pools.iter() {
            counts[pool.component().index()] = pool.len();
        }
        for set in self.store.sets.iter() {
            counts[set.component().index()] += set.len();
        }
        LiveValues::new(self.store.registry.iter().zip(counts).map(|(info, count)| (info.name().into(), count)))
    }
}
