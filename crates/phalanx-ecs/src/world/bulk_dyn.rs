//! Changes of components known by their ids, to all that a query finds or to a list of entities.
//!
//! All is `#[inline]`, so that only programs that use it build it.

use super::World;
use super::dynamic::DynError;
use super::telling::Progress;
use crate::component::{ComponentId, DynValue, Panics, StorageKind, Watch};
use crate::entity::Entity;
use crate::query::DynQuery;
use crate::storage::{ArchetypeId, Changes, DynRefusal};
use std::borrow::Borrow;
use std::panic::Location;

/// Whom a change is made to.
enum Selected<'a> {
    /// All entities of these archetypes.
    Archetypes(Vec<ArchetypeId>),
    Entities(&'a [Entity]),
}

/// # Changing many entities at once, by ids of components
impl World {
    /// Inserts a component of a type made at run time into every entity that a query finds; answers how many there were.
    ///
    /// A tag, whose value is no bytes at all, comes to whole tables at once, where the query needs no look at single entities.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::{ComponentLayout, DynQuery};
    ///
    /// #[derive(Component)] struct Enemy;
    ///
    /// let mut world = World::new();
    /// let (enemy, frozen) = (world.register::<Enemy>(), world.register_dyn(ComponentLayout::new("Frozen"))?);
    /// world.spawn_batch((0..100).map(|_| Enemy));
    /// let mut enemies = DynQuery::builder().with(enemy).build()?;
    /// assert_eq!(world.insert_where_dyn(&mut enemies, frozen, &[])?, 100);
    /// assert_eq!(DynQuery::builder().with(frozen).build()?.count(&world), 100);
    /// assert_eq!(world.remove_where_dyn(&mut enemies, frozen)?, 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the id is unknown, the bytes are not a value of that component, or it is a tag that depends on what one of the entities does not have;
    /// then nothing changes.
    #[inline]
    #[track_caller]
    pub fn insert_where_dyn(
        &mut self,
        query: &mut DynQuery,
        component: ComponentId,
        value: &[u8],
    ) -> Result<usize, DynError> {
        let caller = Location::caller();
        self.check_bytes(component, value, caller)?;
        let tag = self.store.registry.at(component).is_tag();
        match query.whole_archetypes(&self.store).filter(|_| tag && !self.attends_dyn(component)) {
            Some(archetypes) => self.insert_into_dyn(Selected::Archetypes(archetypes), component, value, caller),
            None => self.insert_into_dyn(Selected::Entities(&query.entities(self)), component, value, caller),
        }
    }

    /// Inserts a component of a type made at run time into each entity of a list; answers how many there were.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ComponentLayout;
    /// # let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(1))?;
    /// let elves = world.spawn_batch([(), ()]);
    /// world.insert_batch_dyn(&elves, mana, &[40])?;
    /// assert_eq!(world.get_dyn(elves[1], mana).unwrap().bytes(), Some(&[40][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`World::insert_where_dyn`], and if one of the entities is not alive; then nothing changes.
    #[inline]
    #[track_caller]
    pub fn insert_batch_dyn(
        &mut self,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
        component: ComponentId,
        value: &[u8],
    ) -> Result<usize, DynError> {
        let caller = Location::caller();
        let entities: Vec<Entity> = entities.into_iter().map(|entity| *entity.borrow()).collect();
        self.check_bytes(component, value, caller)?;
        self.all_alive(&entities, caller).map_err(DynError::Dead)?;
        let whole = self.whole_table(&entities).filter(|_| self.store.registry.at(component).is_tag());
        match whole.filter(|_| !self.attends_dyn(component)) {
            Some(archetype) => self.insert_into_dyn(Selected::Archetypes(vec![archetype]), component, value, caller),
            None => self.insert_into_dyn(Selected::Entities(&entities), component, value, caller),
        }
    }

    /// Removes a component, with the tags that depend on it, from every entity that a query finds; answers how many values went.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Burning(u32);
    /// # #[derive(Component)] struct Wet;
    /// # let mut world = World::new();
    /// let (burning, wet) = (world.register::<Burning>(), world.register::<Wet>());
    /// world.spawn_batch([(Burning(3), Wet), (Burning(5), Wet)]);
    /// world.spawn(Burning(1));
    /// let mut all_wet = DynQuery::builder().with(wet).build()?;
    /// assert_eq!(world.remove_where_dyn(&mut all_wet, burning)?, 2);
    /// assert_eq!(world.query::<&Burning>().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the id is unknown.
    #[inline]
    #[track_caller]
    pub fn remove_where_dyn(&mut self, query: &mut DynQuery, component: ComponentId) -> Result<usize, DynError> {
        self.known(component, Location::caller())?;
        let whole = query.whole_archetypes(&self.store);
        let watched = self.observes(Watch::REMOVE) || whole.is_none();
        let entities = if watched { query.entities(self) } else { Vec::new() };
        Ok(self.removing(&entities, &[component], |world| match whole {
            Some(archetypes) => world.remove_from_dyn(Selected::Archetypes(archetypes), component),
            None => world.remove_from_dyn(Selected::Entities(&entities), component),
        }))
    }

    /// Removes a component, with the tags that depend on it, from each entity of a list; answers how many values went.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Burning(u32);
    /// # let mut world = World::new();
    /// let burning = world.register::<Burning>();
    /// let orcs = world.spawn_batch([Burning(3), Burning(2)]);
    /// assert_eq!(world.remove_batch_dyn([orcs[0]], burning)?, 1);
    /// assert_eq!(world.query::<&Burning>().count(), 1);
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the id is unknown, or one of the entities is not alive; then nothing changes.
    #[inline]
    #[track_caller]
    pub fn remove_batch_dyn(
        &mut self,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
        component: ComponentId,
    ) -> Result<usize, DynError> {
        let caller = Location::caller();
        let entities: Vec<Entity> = entities.into_iter().map(|entity| *entity.borrow()).collect();
        self.known(component, caller)?;
        self.all_alive(&entities, caller).map_err(DynError::Dead)?;
        Ok(self.removing(&entities, &[component], |world| match world.whole_table(&entities) {
            Some(archetype) => world.remove_from_dyn(Selected::Archetypes(vec![archetype]), component),
            None => world.remove_from_dyn(Selected::Entities(&entities), component),
        }))
    }

    #[inline]
    fn known(&self, component: ComponentId, caller: &'static Location<'static>) -> Result<(), DynError> {
        match self.store.registry.info(component) {
            Some(_) => Ok(()),
            None => Err(self.dyn_error(DynRefusal::Unknown(component), caller)),
        }
    }

    /// Whether bytes are a value of a component.
    #[inline]
    fn check_bytes(
        &mut self,
        component: ComponentId,
        value: &[u8],
        caller: &'static Location<'static>,
    ) -> Result<(), DynError> {
        match self.store.check_value(Some(component), &DynValue::bytes(value)) {
            Ok(_) => Ok(()),
            Err(refusal) => Err(self.dyn_error(refusal, caller)),
        }
    }

    /// Whether somebody must be told when a component comes.
    #[inline]
    fn attends_dyn(&self, component: ComponentId) -> bool {
        self.store.registry.at(component).watch.has(Watch::INSERT | Watch::REPLACE)
    }

    /// Inserts a component, of which the bytes are a value, into living entities. Archetypes are given for tags that nobody observes.
    #[inline]
    fn insert_into_dyn(
        &mut self,
        selected: Selected<'_>,
        component: ComponentId,
        value: &[u8],
        caller: &'static Location<'static>,
    ) -> Result<usize, DynError> {
        self.check_dependencies(&selected, component, caller)?;
        match selected {
            Selected::Archetypes(archetypes) => {
                let mut panics = Panics::default();
                // Counted before the first moves to where the next ones are.
                let tables = archetypes.iter().map(|archetype| self.store.table_of(*archetype));
                let count = tables.map(|table| table.len() - table.dead().ones()).sum();
                for archetype in archetypes {
                    self.store.tag_all(archetype, component, &mut panics);
                }
                panics.resume();
                Ok(count)
            }
            Selected::Entities(entities) => {
                let insert = |world: &mut Self, part: &[Entity], progress: &mut Progress| {
                    for entity in part {
                        let mut changes = Changes::default();
                        let None = changes.add(component, DynValue::bytes(value)) else { unreachable!("the only one") };
                        world.store.apply_keeping(entity.index(), changes, &mut progress.panics);
                        progress.done += 1;
                    }
                };
                if self.attends_dyn(component) {
                    self.inserting_in_parts(entities, &[component], insert);
                } else if self.store.registry.at(component).is_tag() {
                    let mut panics = Panics::default();
                    self.store.tag_each(entities, component, &mut panics);
                    panics.resume();
                } else {
                    let mut progress = Progress::default();
                    insert(self, entities, &mut progress);
                    progress.panics.resume();
                }
                Ok(entities.len())
            }
        }
    }

    /// Whether all entities have what a tag depends on.
    #[inline]
    fn check_dependencies(
        &self,
        selected: &Selected<'_>,
        component: ComponentId,
        caller: &'static Location<'static>,
    ) -> Result<(), DynError> {
        let registry = &self.store.registry;
        let depends_on = &registry.at(component).depends_on;
        if depends_on.is_empty() {
            return Ok(());
        }
        let check = |entity: Entity| {
            let lack = self.store.lack_after(Some(entity.index()), &[component], &Changes::default());
            lack.map_or(Ok(()), |lack| Err(DynError::Lacks(self.missing_dependency(&lack, Some(entity), caller))))
        };
        match selected {
            Selected::Entities(entities) => entities.iter().try_for_each(|entity| check(*entity)),
            Selected::Archetypes(archetypes) => {
                // Of what is in tables one entity speaks for all of its archetype.
                let all = depends_on.iter().any(|c| matches!(registry.at(*c).kind, StorageKind::Set(_)));
                archetypes.iter().try_for_each(|archetype| {
                    let table = self.store.table_of(*archetype);
                    let living = (0..table.len()).filter(|row| !table.dead().get(*row));
                    let mut living = living.map(|row| self.store.entities.entity_at(table.entities()[row]));
                    if all { living.try_for_each(check) } else { living.next().map_or(Ok(()), check) }
                })
            }
        }
    }

    #[inline]
    fn remove_from_dyn(&mut self, selected: Selected<'_>, component: ComponentId) -> usize {
        // A drop that panics does not keep the others from going.
        let (mut removed, mut panics) = (0, Panics::default());
        match selected {
            Selected::Archetypes(archetypes) => {
                for archetype in archetypes {
                    removed += self.store.remove_ids_from_all(archetype, &[component], &mut panics);
                }
            }
            Selected::Entities(entities) => {
                for entity in entities {
                    let at = self.store.entities.location_at(entity.index());
                    panics.catch(|| removed += self.store.remove_ids(entity.index(), at, &[component]));
                }
            }
        }
        panics.resume();
        removed
    }
}
