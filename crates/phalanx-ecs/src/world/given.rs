//! What queued commands do with a world: as its own methods, with ids given before and with whom to name.

use super::World;
use crate::bundle::{Bundle, BundleParts};
use crate::component::Panics;
use crate::entity::{Entity, Ids, NoSuchEntity};
use crate::outcome::Death;
use crate::storage::DuplicateInBundle;
use std::panic::Location;
use std::sync::Arc;

impl World {
    /// Ends an entity, and notes for whom.
    #[inline]
    pub(crate) fn despawn_for(
        &mut self,
        entity: Entity,
        caller: &'static Location<'static>,
        queue: Option<&Arc<str>>,
    ) -> Result<(), NoSuchEntity> {
        // Noted first: the entity is dead even if a drop panics.
        if !self.is_alive(entity) {
            return Err(self.store.entities.why(entity).asked_by(caller));
        }
        self.deaths.note(Death { entity, caller, queue: queue.cloned(), tick: self.clock.now() });
        self.store.despawn(entity)
    }

    /// Notes who despawned an entity, if all deaths are to be remembered.
    #[inline(always)]
    pub(super) fn note_death(&mut self, entity: Entity, caller: &'static Location<'static>) {
        if self.deaths.all {
            self.note_direct_death(entity, caller);
        }
    }

    #[cold]
    fn note_direct_death(&mut self, entity: Entity, caller: &'static Location<'static>) {
        self.deaths.note(Death { entity, caller, queue: None, tick: self.clock.now() });
    }

    /// Spawns entities with reserved ids, one per bundle, up to `count`, which are as many as `ids`; answers how many. Ids that are not needed, and all if
    /// something panics, are given up.
    pub(crate) fn spawn_given<B: Bundle>(
        &mut self,
        ids: &[Ids],
        count: usize,
        bundles: impl Iterator<Item = B>,
    ) -> Result<usize, DuplicateInBundle> {
        let bundles = bundles.map(Bundle::into_parts);
        match self.store.spawns_plainly::<B::Parts>() {
            Err(duplicate) => {
                ids.iter().for_each(|ids| self.store.entities.give_up(ids));
                Err(duplicate)
            }
            Ok(true) => {
                let (mut panics, mut spawned) = (Panics::default(), None);
                panics.catch(|| spawned = Some(self.store.spawn_given(ids, count, bundles)));
                match spawned {
                    Some(Ok(spawned)) if spawned == count => return Ok(count),
                    Some(Ok(spawned)) => {
                        let handles = self.handles(ids);
                        handles[spawned..].iter().for_each(|entity| self.store.entities.give_up(&Ids::One(*entity)));
                    }
                    Some(Err(_)) | None => ids.iter().for_each(|ids| self.store.entities.give_up(ids)),
                }
                panics.resume();
                spawned.expect("a panic goes on")
            }
            Ok(false) => {
                let handles = self.handles(ids);
                let spawned = self.store.spawn_given_one_by_one(&handles, bundles)?;
                handles[spawned..].iter().for_each(|entity| self.store.entities.give_up(&Ids::One(*entity)));
                Ok(spawned)
            }
        }
    }

    fn handles(&self, ids: &[Ids]) -> Vec<Entity> {
        self.application.lane.handles(ids).collect()
    }

    /// Whether spawning or inserting a bundle must be done entity by entity, in full, because somebody watches.
    pub(crate) fn is_attended<P: BundleParts>(&self) -> bool {
        false
    }
}
