//! What queued commands do with a world: as its own methods, with ids given before and with whom to name.

use super::World;
use super::check::Unwelcome;
use super::spawn::noting_wishes;
use crate::bundle::{Bundle, BundleParts, note_wishes};
use crate::component::{Panics, Waiting, Watch, Wishes, granted};
use crate::entity::{Death, Entity, Ids, NoSuchEntity};
use crate::outcome::CommandFault;
use crate::storage::{ArchetypeId, DuplicateInBundle};
use std::panic::Location;
use std::sync::Arc;

/// # Who despawned whom
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
            return Err(self.dead(&self.store.why(entity), caller));
        }
        self.deaths.note(entity, caller, queue, self.clock.now());
        if self.store.despawn_fast(entity) { Ok(()) } else { self.despawn_slowly(entity) }
    }

    /// The same error, naming who asked and, if that is remembered, who despawned the entity.
    #[cold]
    pub(super) fn dead(&self, dead: &NoSuchEntity, caller: &'static Location<'static>) -> NoSuchEntity {
        self.deaths.explain(dead, caller)
    }

    /// Notes who despawned an entity, if all deaths are to be remembered.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn note_death(&mut self, entity: Entity, caller: &'static Location<'static>) {
        if self.deaths.all {
            self.note_direct_death(entity, caller);
        }
    }

    #[cold]
    fn note_direct_death(&mut self, entity: Entity, caller: &'static Location<'static>) {
        let queue = self.application.queue.clone();
        self.deaths.note(entity, caller, queue.as_ref(), self.clock.now());
    }

    /// Whether all deaths are to be remembered.
    pub(super) fn remembers_deaths(&self) -> bool {
        self.deaths.all
    }

    /// Notes who despawned all entities of some archetypes, if all deaths are to be remembered.
    pub(super) fn note_deaths_in(&mut self, archetypes: &[ArchetypeId], caller: &'static Location<'static>) {
        if self.deaths.all {
            let (store, queue, now) = (&self.store, self.application.queue.clone(), self.clock.now());
            for archetype in archetypes {
                let table = store.table_of(*archetype);
                let living = table.living().map(|index| store.entities.entity_at(index));
                let count = table.len() - table.dead().ones();
                self.deaths.note_all(living, count, caller, queue.as_ref(), now);
            }
        }
    }

    /// Who despawned an entity, and when, if the world [remembers](crate::WorldBuilder::remember_deaths).
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// let mut world = World::builder().remember_deaths(100).build();
    /// let batch = world.spawn_batch([(), (), ()]);
    /// assert!(world.death_of(batch[1]).is_none());
    /// world.despawn_batch(&batch)?;
    /// assert!(world.death_of(batch[1]).unwrap().caller.file().ends_with(".rs"));
    /// # Ok::<(), phalanx_ecs::DespawnBatchError>(())
    /// ```
    pub fn death_of(&self, entity: Entity) -> Option<Death> {
        self.deaths.of(entity)
    }

    /// Spawns entities with reserved ids, one per bundle, up to `count`, which are as many as `ids`; answers how many. Ids that are not needed, and all if
    /// something panics or is refused, are given up.
    pub(crate) fn spawn_given<B: Bundle>(
        &mut self,
        ids: &[Ids],
        count: usize,
        bundles: impl Iterator<Item = B>,
        caller: &'static Location<'static>,
    ) -> Result<usize, CommandFault> {
        let spawned = if B::Parts::CHECKED {
            let (mut panics, mut wishes) = (Panics::default(), Wishes::default());
            let handles: Vec<Entity> = self.application.lane.handles(ids).collect();
            let pairs = bundles.take(handles.len()).zip(&handles);
            let noted = pairs.map(|(bundle, entity)| noting_wishes(bundle, Some(*entity), &mut wishes));
            let mut waiting = None;
            panics.catch(|| waiting = Some(Waiting::collect(noted)));
            let Some(mut waiting) = waiting else {
                self.store.entities.give_up_all(ids);
                panics.resume();
                return Ok(0);
            };
            let mut welcome = Ok(());
            panics.catch(|| welcome = self.check_wishes(&wishes, caller));
            if welcome.is_err() || panics.any() {
                self.store.entities.give_up_all(ids);
                drop(waiting);
                panics.resume();
                return welcome.map(|()| 0).map_err(CommandFault::from);
            }
            self.spawn_given_checked(ids, count, std::iter::from_fn(|| waiting.next()))
        } else {
            self.spawn_given_checked(ids, count, bundles)
        };
        let name = |duplicate: DuplicateInBundle| self.store.registry.name_of(duplicate.0).to_owned();
        spawned.map_err(|duplicate| CommandFault::Duplicate(name(duplicate)))
    }

    fn spawn_given_checked<B: Bundle>(
        &mut self,
        ids: &[Ids],
        count: usize,
        bundles: impl Iterator<Item = B>,
    ) -> Result<usize, DuplicateInBundle> {
        let bundles = bundles.map(Bundle::into_parts);
        match self.store.spawns_plainly::<B::Parts>() {
            Err(duplicate) => {
                self.store.entities.give_up_all(ids);
                Err(duplicate)
            }
            Ok(true) => {
                let (mut panics, mut spawned) = (Panics::default(), None);
                panics.catch(|| spawned = Some(self.store.spawn_given(ids, count, 0, bundles)));
                if let Some(Ok(spawned)) = spawned {
                    if spawned < count || self.observes(Watch::INSERT) {
                        self.finish_given::<B::Parts>(ids, spawned);
                    }
                    return Ok(spawned);
                }
                self.store.entities.give_up_all(ids);
                panics.resume();
                spawned.expect("a panic goes on")
            }
            Ok(false) => {
                let handles: Vec<Entity> = self.application.lane.handles(ids).collect();
                let spawned = self.store.spawn_given_one_by_one(&handles, bundles)?;
                self.finish_given::<B::Parts>(ids, spawned);
                Ok(spawned)
            }
        }
    }

    /// Gives up ids that were not needed, and tells who observes the components of those that were.
    fn finish_given<P: BundleParts>(&mut self, ids: &[Ids], spawned: usize) {
        let handles: Vec<Entity> = self.application.lane.handles(ids).collect();
        self.store.give_up_each(&handles[spawned..]);
        if self.observes(Watch::INSERT) {
            let components = self.store.register_all::<P>();
            self.after_spawn(&handles[..spawned], &components);
        }
    }

    /// Spawns one entity with a reserved id, which is given up if something may not come; its bundle has nothing twice.
    pub(crate) fn spawn_given_one<P: BundleParts>(
        &mut self,
        entity: Entity,
        mut parts: P,
        caller: &'static Location<'static>,
    ) -> Result<(), CommandFault> {
        if P::CHECKED {
            let mut wishes = Wishes::default();
            note_wishes(&mut parts, Some(entity), &mut wishes);
            let asked = granted(parts, || {
                let (mut panics, mut welcome) = (Panics::default(), Ok(()));
                panics.catch(|| welcome = self.check_wishes(&wishes, caller));
                if welcome.is_err() || panics.any() {
                    self.store.give_up_each(&[entity]);
                }
                panics.resume();
                welcome
            });
            (parts, ()) = asked?;
        }
        let mut panics = Panics::default();
        let spawned = self.store.spawn_given_one(entity, parts, &mut panics);
        assert!(spawned.is_ok(), "the bundle has nothing twice");
        if self.observes(Watch::INSERT) {
            let components = self.store.register_all::<P>();
            self.after_spawn(&[entity], &components);
        }
        panics.resume();
        Ok(())
    }

    /// The archetype whose entities these are: all of them, alive and in row order.
    pub(crate) fn archetype_of_all(&self, mut entities: impl ExactSizeIterator<Item = Entity>) -> Option<ArchetypeId> {
        let (count, first) = (entities.len(), entities.next()?);
        let at = self.store.entities.locate(first)?;
        let table = &self.store.tables[at.table.index()];
        let same = |(index, entity): (&u32, Entity)| *index == entity.index() && self.is_alive(entity);
        let whole = table.len() == count
            && table.entities()[0] == first.index()
            && table.entities()[1..].iter().zip(entities).all(same);
        whole.then(|| table.archetype())
    }

    /// Whether inserting a bundle must be done entity by entity because somebody observes it.
    pub(crate) fn attends_insert<P: BundleParts>(&mut self) -> bool {
        // A type that comes for the first time may be one of which the world keeps an index.
        self.store.make_known::<P>();
        self.is_attended::<P>(Watch::INSERT | Watch::REPLACE)
    }

    /// Whether what is done to a bundle that is known must be done entity by entity because somebody observes one of these acts.
    #[inline]
    pub(crate) fn is_attended<P: BundleParts>(&mut self, watch: Watch) -> bool {
        self.observes(watch) && self.is_bundle_observed::<P>(watch)
    }

    /// Whether tags that have something to drop go with the components of a bundle.
    pub(crate) fn takes_tags_along<P: BundleParts>(&mut self) -> bool {
        if !self.store.registry.has_dependencies() {
            return false;
        }
        let components = self.store.register_all::<P>();
        let all = self.store.with_dependents(&components);
        all[components.len()..].iter().any(|tag| self.store.registry.at(*tag).drop.is_some())
    }

    fn is_bundle_observed<P: BundleParts>(&mut self, watch: Watch) -> bool {
        let components = self.store.register_all::<P>();
        let mut all = self.store.with_required(&components);
        all.extend(self.store.with_dependents(&components));
        all.into_iter().any(|component| self.store.registry.at(component).watch.has(watch))
    }
}

impl From<Unwelcome> for CommandFault {
    fn from(unwelcome: Unwelcome) -> Self {
        match unwelcome {
            Unwelcome::Uuid(taken) => Self::Uuid(taken),
            Unwelcome::Refused(refused) => Self::Refused { component: refused.component, why: refused.why },
        }
    }
}
