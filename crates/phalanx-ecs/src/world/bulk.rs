//! Changes to a whole query or slice of entities at once.

use super::World;
use super::edit::InsertError;
use super::queries::refuse_reader;
use super::spawn::noting_wishes;
use super::telling::Progress;
use crate::bundle::{Bundle, BundleParts, copy_of, refuse_duplicates};
use crate::component::{Panics, Quiet, Waiting, Watch, Wishes, granted};
use crate::entity::{Entity, NoSuchEntity, debug_as_display};
use crate::query::{Filter, FilterParts};
use crate::storage::{ArchetypeId, DuplicateInBundle, EditRefusal, Table};
use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;
use std::panic::Location;

/// Some of the entities to despawn were not alive.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// let mut world = World::new();
/// let [orc, elf] = [world.spawn(()), world.spawn(())];
/// let error = world.despawn_batch([orc, elf, orc]).unwrap_err();
/// assert_eq!((error.despawned, error.missing[0].entity), (2, orc));
/// assert!(error.to_string().starts_with("error[E005]: 1 of 3 entities was not alive; the others were despawned"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DespawnBatchError {
    /// How many were despawned.
    pub despawned: usize,
    /// Those that were not alive, in the order given. Of the first 16 it is said who despawned them, where that is remembered.
    pub missing: Vec<NoSuchEntity>,
}

impl fmt::Display for DespawnBatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (missing, all) = (self.missing.len(), self.missing.len() + self.despawned);
        let were = if missing == 1 { "was" } else { "were" };
        let rest = match self.despawned {
            0 => "none was despawned",
            1 => "the other was despawned",
            _ => "the others were despawned",
        };
        writeln!(f, "error[E005]: {missing} of {all} entities {were} not alive; {rest}")?;
        for dead in self.missing.iter().take(3) {
            writeln!(f, "  {}: {}", dead.entity, dead.found())?;
        }
        if missing > 3 {
            writeln!(f, "  … and {} more", missing - 3)?;
        }
        if let Some(caller) = self.missing.first().and_then(|dead| dead.caller) {
            writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
        }
        write!(f, "  help: name each entity once, and let go of handles when their entities end")
    }
}

impl std::error::Error for DespawnBatchError {}
debug_as_display!(DespawnBatchError);

/// Of so many that were not alive it is looked up who despawned them.
const MOST_EXPLAINED: usize = 16;

/// What a filter selects.
enum Selection {
    /// All entities of these archetypes.
    Archetypes(Vec<ArchetypeId>),
    Entities(Vec<Entity>),
}

/// How many rows of a table belong to the living.
fn living(table: &Table) -> usize {
    table.len() - table.dead().ones()
}

/// # Changing many entities at once
// The callers of the private ones have refused filters that need a reader: where the user's line is.
impl World {
    fn select<F: Filter>(&mut self) -> Selection {
        let query = self.ask::<Entity, F>();
        match query.whole_archetypes() {
            Some(archetypes) => Selection::Archetypes(archetypes),
            None => Selection::Entities(query.iter().collect()),
        }
    }

    /// All entities that match a filter.
    fn selected<F: Filter>(&mut self) -> Vec<Entity> {
        self.ask::<Entity, F>().iter().collect()
    }

    /// The entity is named if what is wrong has to do with it.
    #[track_caller]
    fn no_refusal<R>(&self, result: Result<R, EditRefusal>, entity: Entity) -> R {
        match result {
            Ok(result) => result,
            Err(refusal) => panic!("{}", self.insert_error(&refusal, entity, Location::caller())),
        }
    }

    #[track_caller]
    fn no_duplicate<R>(&self, result: Result<R, DuplicateInBundle>) -> R {
        match result {
            Ok(result) => result,
            Err(DuplicateInBundle(component)) => {
                let component = self.store.registry.name_of(component).into();
                panic!("{}", InsertError::Duplicate { component, caller: Location::caller() })
            }
        }
    }

    /// Whether a bundle can be inserted into all of these. Only if it may be refused one of them: it is asked for each.
    fn check_insert<P: BundleParts>(
        &mut self,
        entities: &[Entity],
        caller: &'static Location<'static>,
    ) -> Result<(), InsertError> {
        let checked = self.store.check_insert::<P>(entities);
        checked.map_err(|(entity, refusal)| self.insert_error(&refusal, entity, caller))
    }

    /// Inserts a clone of a bundle into every entity that matches a filter; answers how many there were.
    ///
    /// Where a filter needs no look at single entities (no sparse components) whole tables change at once: adding a component to a million
    /// entities costs writing one column.
    ///
    /// If all components of the bundle are `Copy` (and say so, as the derive does: [`Component::COPY`](crate::Component::COPY)) they are copied, and `Clone` is not called at
    /// all. Otherwise the bundle is cloned once for each entity; one of nothing but [shared](crate::Shared) components may be cloned less often. Who observes what
    /// is inserted makes no difference to that.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Enemy;
    /// #[derive(Component, Clone)] struct Frozen { seconds: f32 }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..100).map(|_| Enemy));
    /// world.insert_where::<With<Enemy>, _>(Frozen { seconds: 2.0 });
    /// assert_eq!(world.query::<&Frozen>().count(), 100);
    /// assert_eq!(world.remove_where::<With<Frozen>, Frozen>(), 100);
    /// ```
    ///
    /// # Panics
    /// If the bundle has a component twice and the compiler could not see it, a [`Uuid`](crate::Uuid) that another entity has or several would, or a tag that
    /// [depends](crate::Component::depend) on what one of the entities does not have; then nothing changes.
    #[track_caller]
    pub fn insert_where<F: Filter, B: Bundle + Clone>(&mut self, bundle: B) -> usize {
        const { refuse_duplicates(B::Parts::KEYS) };
        const { refuse_reader(F::Parts::READER) };
        if B::Parts::COPY {
            let parts = bundle.into_parts();
            return self.insert_alike::<F, B>(|| B::from_parts(copy_of(&parts)));
        }
        // Where a panic goes by, one of the bundle's own drop must not join it.
        let pattern = Quiet::new(bundle);
        let first = pattern.get();
        let count = self.insert_alike::<F, B>(|| first.clone());
        pattern.end();
        count
    }

    /// Inserts bundles that are all alike into every entity that matches a filter.
    #[track_caller]
    fn insert_alike<F: Filter, B: Bundle>(&mut self, mut make: impl FnMut() -> B) -> usize {
        let all_shared = self.store.is_all_shared::<B::Parts>();
        if self.no_duplicate(all_shared) && !self.has_observers() {
            self.share_with_selected::<F, B>(make)
        } else {
            self.insert_into_selected::<F, B>(true, |_| make())
        }
    }

    /// Inserts a bundle made for each into every entity that matches a filter; answers how many there were.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component)] struct Title(&'static str);
    /// # let mut world = World::new();
    /// world.spawn_batch([Enemy, Enemy]);
    /// world.spawn(());
    /// let named = world.insert_where_with::<With<Enemy>, _>(|enemy| Title(if enemy.index() == 0 { "Grub" } else { "Mug" }));
    /// assert_eq!(named, 2);
    /// assert!(world.query::<&Title>().iter().map(|name| name.0).eq(["Grub", "Mug"]));
    /// ```
    ///
    /// # Panics
    /// As [`World::insert_where`].
    #[track_caller]
    pub fn insert_where_with<F: Filter, B: Bundle>(&mut self, make: impl FnMut(Entity) -> B) -> usize {
        const { refuse_duplicates(B::Parts::KEYS) };
        const { refuse_reader(F::Parts::READER) };
        self.insert_into_selected::<F, B>(false, make)
    }

    /// Inserts one bundle of shared components into every entity that matches a filter: whole tables move at once, and no value is written but once.
    #[track_caller]
    fn share_with_selected<F: Filter, B: Bundle>(&mut self, mut make: impl FnMut() -> B) -> usize {
        let mut panics = Panics::default();
        let count = match self.select::<F>() {
            Selection::Archetypes(archetypes) => {
                let count = archetypes.iter().map(|id| living(self.store.table_of(*id))).sum();
                for archetype in archetypes {
                    self.store.share_with_all::<B::Parts>(archetype, make().into_parts(), &mut panics);
                }
                count
            }
            Selection::Entities(entities) => self.insert_into_each(&entities, |_| make(), &mut panics),
        };
        panics.resume();
        count
    }

    #[track_caller]
    fn insert_into_each<B: Bundle>(
        &mut self,
        entities: &[Entity],
        mut make: impl FnMut(Entity) -> B,
        panics: &mut Panics,
    ) -> usize {
        for entity in entities {
            let inserted = self.store.insert_keeping(*entity, make(*entity).into_parts(), panics);
            self.no_refusal(inserted, *entity);
        }
        entities.len()
    }

    /// A drop that panics does not keep the others from being changed; a maker that panics does.
    #[track_caller]
    fn insert_into_selected<F: Filter, B: Bundle>(&mut self, alike: bool, mut make: impl FnMut(Entity) -> B) -> usize {
        if B::Parts::CHECKED {
            let entities = self.selected::<F>();
            let bundles = entities.iter().map(|entity| make(*entity));
            if let Err(error) = self.insert_each(&entities, bundles, Location::caller()) {
                panic!("{error}");
            }
            return entities.len();
        }
        let mut panics = Panics::default();
        let attended = self.attends_insert::<B::Parts>();
        if attended || self.store.depends::<B::Parts>() {
            let entities = self.selected::<F>();
            if let Err(refused) = self.check_insert::<B::Parts>(&entities, Location::caller()) {
                panic!("{refused}");
            }
            if attended {
                let components = self.store.register_all::<B::Parts>();
                let arrivals = self.before_insert(&entities, &components, &[]);
                return self.inserting(arrivals, |world, progress| {
                    for entity in &entities {
                        let parts = make(*entity).into_parts();
                        let inserted = world.store.insert_keeping(*entity, parts, &mut progress.panics);
                        world.no_refusal(inserted, *entity);
                        progress.done += 1;
                    }
                    entities.len()
                });
            }
        }
        let by_value = self.store.goes_by_value::<B::Parts>();
        let selection = if self.no_duplicate(by_value) {
            // Where an entity goes depends on its value, so it might meet the walk again.
            Selection::Entities(self.selected::<F>())
        } else {
            self.select::<F>()
        };
        let count = match selection {
            Selection::Archetypes(archetypes) => {
                let mut make = |entity| make(entity).into_parts();
                let count = archetypes.iter().map(|id| living(self.store.table_of(*id))).sum();
                // Entities move to archetypes that have the whole bundle. Those have their turn first, so that no entity has two.
                let (mut first, mut then) = (Vec::new(), Vec::new());
                for archetype in archetypes {
                    let has_all = self.store.has_all_of::<B::Parts>(archetype);
                    if self.no_duplicate(has_all) { first.push(archetype) } else { then.push(archetype) }
                }
                for archetype in first.into_iter().chain(then) {
                    let inserted = self.store.insert_into_all::<B::Parts>(archetype, alike, &mut make, &mut panics);
                    self.no_duplicate(inserted);
                }
                count
            }
            Selection::Entities(entities) => self.insert_into_each(&entities, make, &mut panics),
        };
        panics.resume();
        count
    }

    /// Removes a bundle's components from every entity that matches a filter; answers how many values went.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component)] struct Burning;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn((Enemy, Burning, Health(3)));
    /// world.spawn((Burning, Health(5)));
    /// assert_eq!(world.remove_where::<With<Enemy>, (Burning, Health)>(), 2);
    /// assert_eq!(world.query::<&Burning>().count(), 1);
    /// ```
    ///
    /// # Panics
    /// As [`World::insert_where`].
    #[track_caller]
    pub fn remove_where<F: Filter, B: Bundle>(&mut self) -> usize {
        const { refuse_duplicates(B::Parts::KEYS) };
        const { refuse_reader(F::Parts::READER) };
        if self.is_attended::<B::Parts>(Watch::REMOVE) {
            let (entities, components) = (self.selected::<F>(), self.store.register_all::<B::Parts>());
            return self.removing(&entities, &components, Self::remove_from_selected::<F, B>);
        }
        self.remove_from_selected::<F, B>()
    }

    #[track_caller]
    fn remove_from_selected<F: Filter, B: Bundle>(&mut self) -> usize {
        // A drop that panics does not keep the others from going: what is done must not depend on where they are kept.
        let (mut removed, mut panics) = (0, Panics::default());
        match self.select::<F>() {
            Selection::Archetypes(archetypes) => {
                for archetype in archetypes {
                    let mut done = Ok(0);
                    panics.catch(|| done = self.store.remove_from_all::<B::Parts>(archetype));
                    removed += self.no_duplicate(done);
                }
            }
            Selection::Entities(entities) => {
                for entity in entities {
                    let mut done = Ok(0);
                    panics.catch(|| done = self.store.remove::<B::Parts>(entity));
                    removed += self.no_refusal(done, entity);
                }
            }
        }
        panics.resume();
        removed
    }

    /// Despawns every entity that matches a filter; answers how many.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([(Enemy, Health(3)), (Enemy, Health(2))]);
    /// let elf = world.spawn(Health(5));
    /// assert_eq!(world.despawn_where::<With<Enemy>>(), 2);
    /// assert!(world.entities().eq([elf]));
    /// ```
    #[track_caller]
    pub fn despawn_where<F: Filter>(&mut self) -> usize {
        const { refuse_reader(F::Parts::READER) };
        let caller = Location::caller();
        if self.observes(Watch::REMOVE) {
            let entities = self.selected::<F>();
            return self.ending(&entities, |world| world.despawn_selected::<F>(caller));
        }
        self.despawn_selected::<F>(caller)
    }

    fn despawn_selected<F: Filter>(&mut self, caller: &'static Location<'static>) -> usize {
        let before = self.alive();
        let mut panics = Panics::default();
        match self.select::<F>() {
            Selection::Archetypes(archetypes) => {
                self.note_deaths_in(&archetypes, caller);
                for archetype in archetypes {
                    panics.catch(|| self.store.despawn_all(archetype));
                }
            }
            Selection::Entities(entities) => {
                for entity in entities {
                    self.note_death(entity, caller);
                    panics.catch(|| self.store.despawn(entity).expect("found by the query"));
                }
            }
        }
        panics.resume();
        before - self.alive()
    }

    /// Inserts one bundle per entity of a list, in its order.
    ///
    /// If the list is all entities of one table in [walking order](struct@crate::Query#order), the table changes at once.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [orc, elf] = [world.spawn(()), world.spawn(())];
    /// world.insert_batch([orc, elf], [Health(3), Health(5)])?;
    /// assert_eq!(world.get::<Health>(elf).unwrap().0, 5);
    ///
    /// world.despawn(orc).unwrap();
    /// assert!(world.insert_batch([elf, orc], [Health(9), Health(9)]).is_err());
    /// assert_eq!(world.get::<Health>(elf).unwrap().0, 5, "all or nothing");
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    ///
    /// # Errors
    /// [`InsertError`] if any of the entities is not alive, two would have the same [`Uuid`](crate::Uuid) afterwards, the bundle has a component twice, or a
    /// tag of it depends on what one of them does not have; then nothing changes. Entities without a bundle, because there were fewer of those, stay as they
    /// are.
    #[track_caller]
    pub fn insert_batch<B: Bundle>(
        &mut self,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
        bundles: impl IntoIterator<Item = B>,
    ) -> Result<(), InsertError> {
        const { refuse_duplicates(B::Parts::KEYS) };
        let caller = Location::caller();
        let entities: Vec<Entity> = entities.into_iter().map(|entity| *entity.borrow()).collect();
        let (bundles, ()) = granted(bundles, || self.all_alive(&entities, caller))?;
        self.insert_each(&entities, bundles.into_iter(), caller)
    }

    /// Inserts bundles into entities that are alive.
    fn insert_each<B: Bundle>(
        &mut self,
        entities: &[Entity],
        bundles: impl Iterator<Item = B>,
        caller: &'static Location<'static>,
    ) -> Result<(), InsertError> {
        let mut bundles = if B::Parts::CHECKED {
            let mut wishes = Wishes::default();
            let pairs = bundles.take(entities.len()).zip(entities);
            let noted = pairs.map(|(bundle, entity)| noting_wishes(bundle, Some(*entity), &mut wishes));
            let bundles = Waiting::collect(noted);
            self.check_wishes(&wishes, caller)?;
            bundles
        } else {
            Waiting::collect(bundles.take(entities.len()))
        };
        let attended = self.attends_insert::<B::Parts>();
        let entities = &entities[..bundles.len()];
        if attended || self.store.depends::<B::Parts>() {
            self.check_insert::<B::Parts>(entities, caller)?;
        }
        if attended {
            let components = self.store.register_all::<B::Parts>();
            self.inserting_in_parts(entities, &components, |world, part, progress| {
                let inserted = world.insert_all(part, &mut bundles, progress);
                assert!(inserted.is_ok(), "asked before");
            });
            return Ok(());
        }
        let mut progress = Progress::default();
        let inserted = self.insert_all(entities, &mut bundles, &mut progress);
        inserted.map_err(|(entity, refusal)| self.insert_error(&refusal, entity, caller))?;
        progress.panics.resume();
        Ok(())
    }

    fn insert_all<B: Bundle>(
        &mut self,
        entities: &[Entity],
        bundles: &mut Waiting<B>,
        progress: &mut Progress,
    ) -> Result<(), (Entity, EditRefusal)> {
        let Progress { panics, done } = progress;
        if bundles.len() == entities.len()
            && let Some(archetype) = self.whole_table(entities)
        {
            let mut asked = 0;
            let mut next = |_| {
                *done = asked;
                asked += 1;
                bundles.next().expect("as many as entities").into_parts()
            };
            let inserted = self.store.insert_into_all::<B::Parts>(archetype, false, &mut next, panics);
            return inserted.map_err(|duplicate| (entities[0], duplicate.into()));
        }
        for entity in entities {
            let Some(bundle) = bundles.next() else { break };
            let inserted = self.store.insert_keeping(*entity, bundle.into_parts(), panics);
            inserted.map_err(|refusal| (*entity, refusal))?;
            *done += 1;
        }
        Ok(())
    }

    /// Removes a bundle's components from each entity of a list; answers how many values went.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Burning;
    /// # let mut world = World::new();
    /// let orcs = world.spawn_batch([3, 2].map(|health| (Health(health), Burning)));
    /// assert_eq!(world.remove_batch::<Burning>(&orcs)?, 2);
    /// assert_eq!(world.remove_batch::<Burning>(&orcs)?, 0);
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    ///
    /// # Errors
    /// [`InsertError`] if any of the entities is not alive, or the bundle has a component twice; then nothing changes.
    #[track_caller]
    pub fn remove_batch<B: Bundle>(
        &mut self,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
    ) -> Result<usize, InsertError> {
        const { refuse_duplicates(B::Parts::KEYS) };
        let caller = Location::caller();
        let entities: Vec<Entity> = entities.into_iter().map(|entity| *entity.borrow()).collect();
        self.all_alive(&entities, caller)?;
        let components = if self.observes(Watch::REMOVE) { self.store.register_all::<B::Parts>() } else { Vec::new() };
        self.removing(&entities, &components, |world| world.remove_all::<B>(&entities, caller))
    }

    fn remove_all<B: Bundle>(
        &mut self,
        entities: &[Entity],
        caller: &'static Location<'static>,
    ) -> Result<usize, InsertError> {
        if let Some(archetype) = self.whole_table(entities) {
            return match self.store.remove_from_all::<B::Parts>(archetype) {
                Ok(removed) => Ok(removed),
                Err(duplicate) => Err(self.insert_error(&duplicate.into(), entities[0], caller)),
            };
        }
        let (mut removed, mut panics) = (0, Panics::default());
        for entity in entities {
            let mut done = Ok(0);
            panics.catch(|| done = self.store.remove::<B::Parts>(*entity));
            match done {
                Ok(some) => removed += some,
                Err(refusal) => return Err(self.insert_error(&refusal, *entity, caller)),
            }
        }
        panics.resume();
        Ok(removed)
    }

    /// Despawns many entities.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let batch = world.spawn_batch([(), (), ()]);
    /// world.despawn_batch([batch[0]])?;
    /// assert_eq!(world.despawn_batch(batch.iter().skip(1))?, 2);
    /// # Ok::<(), phalanx_ecs::DespawnBatchError>(())
    /// ```
    ///
    /// # Errors
    /// [`DespawnBatchError`] if some were not alive (or were named twice); all others are despawned.
    #[track_caller]
    pub fn despawn_batch(
        &mut self,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
    ) -> Result<usize, DespawnBatchError> {
        let caller = Location::caller();
        let entities = entities.into_iter().map(|entity| *entity.borrow());
        if self.observes(Watch::REMOVE) {
            return self.despawn_observed(entities.collect(), caller);
        }
        if self.remembers_deaths() {
            self.despawn_each::<true>(entities, caller)
        } else {
            self.despawn_each::<false>(entities, caller)
        }
    }

    /// [`World::despawn_batch`] where somebody may have to be told: of all of them, before the first goes.
    fn despawn_observed(
        &mut self,
        entities: Vec<Entity>,
        caller: &'static Location<'static>,
    ) -> Result<usize, DespawnBatchError> {
        let (remembers, by_set) = (self.remembers_deaths(), self.observes_sets());
        let (mut seen, mut told) = (BTreeSet::new(), Vec::new());
        for &entity in &entities {
            let Some(at) = self.store.entities.locate(entity) else { continue };
            let ends = remembers || by_set || self.store.tables[at.table.index()].is_watched();
            if ends && seen.insert(entity) {
                // Noted first: observers may ask.
                self.note_death(entity, caller);
                told.push(entity);
            }
        }
        self.ending(&told, |world| world.despawn_each::<false>(entities.into_iter(), caller))
    }

    fn despawn_each<const NOTED: bool>(
        &mut self,
        entities: impl Iterator<Item = Entity>,
        caller: &'static Location<'static>,
    ) -> Result<usize, DespawnBatchError> {
        let (mut despawned, mut missing) = (0, Vec::new());
        let mut panics = Panics::default();
        for entity in entities {
            if NOTED && self.is_alive(entity) {
                // Noted first: the entity is dead even if a drop panics.
                self.note_death(entity, caller);
            }
            let mut done = Ok(());
            panics.catch(|| {
                done = if self.store.despawn_fast(entity) { Ok(()) } else { self.store.despawn_slowly(entity) }
            });
            match done {
                Ok(()) => despawned += 1,
                // Looking up who it was costs as much as there are deaths on record: for all of a large batch that is too much.
                Err(dead) if missing.len() < MOST_EXPLAINED => missing.push(self.dead(&dead, caller)),
                Err(dead) => missing.push(NoSuchEntity { caller: Some(caller), ..dead }),
            }
        }
        panics.resume();
        if missing.is_empty() { Ok(despawned) } else { Err(DespawnBatchError { despawned, missing }) }
    }

    pub(super) fn all_alive(
        &self,
        entities: &[Entity],
        caller: &'static Location<'static>,
    ) -> Result<(), NoSuchEntity> {
        match entities.iter().find(|entity| !self.is_alive(**entity)) {
            None => Ok(()),
            Some(dead) => Err(self.dead(&self.store.why(*dead), caller)),
        }
    }

    /// The archetype whose entities these are: all of them, in row order.
    pub(super) fn whole_table(&self, entities: &[Entity]) -> Option<ArchetypeId> {
        let at = self.store.entities.locate(*entities.first()?)?;
        let table = &self.store.tables[at.table.index()];
        let same = table.len() == entities.len()
            && table.entities().iter().zip(entities).all(|(index, entity)| *index == entity.index());
        same.then(|| table.archetype())
    }
}
