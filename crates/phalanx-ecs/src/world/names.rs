//! Entities by what they are known by: names and uuids.

use super::World;
use super::index::{Index, hash_of_name, hash_of_uuid};
use crate::component::{ComponentId, Name, Watch, Wish};
use crate::entity::{Entity, Uuid, UuidTaken};
use crate::order::sort_by;
use std::any::TypeId;
use std::panic::Location;

/// What the world finds entities by.
#[derive(Default)]
pub(super) struct Indexes {
    names: Index,
    uuids: Index,
}

impl Indexes {
    pub(super) fn bytes(&self) -> usize {
        self.names.bytes() + self.uuids.bytes()
    }
}

/// # Names and uuids
impl World {
    /// The entity that has a uuid, at the cost of one look, however many there are.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Uuid;
    ///
    /// let mut world = World::new();
    /// let uuid = world.new_uuid();
    /// let orc = world.spawn(uuid);
    /// assert_eq!(world.by_uuid(&uuid), Some(orc));
    /// world.despawn(orc)?;
    /// assert_eq!(world.by_uuid(&uuid), None);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    #[doc(alias("find", "lookup_uuid"))]
    pub fn by_uuid(&self, uuid: &Uuid) -> Option<Entity> {
        self.indexes.uuids.of(hash_of_uuid(*uuid)).find(|entity| self.get::<Uuid>(*entity) == Some(uuid))
    }

    /// The entity that has a name; of several the one with the lowest index. It costs one look, however many there are.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Name;
    ///
    /// let mut world = World::new();
    /// let (first, _) = (world.spawn(Name::new("rat")), world.spawn(Name::new("rat")));
    /// assert_eq!(world.named("rat"), Some(first));
    /// assert_eq!(world.named("cat"), None);
    /// ```
    #[doc(alias("find", "by_name", "lookup_name"))]
    pub fn named(&self, name: &str) -> Option<Entity> {
        self.all_named(name).next()
    }

    /// All entities that have a name, lowest index first.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Name;
    ///
    /// let mut world = World::new();
    /// let rats = world.spawn_batch([Name::new("rat"), Name::new("rat")]);
    /// world.spawn(Name::new("cat"));
    /// assert!(world.all_named("rat").eq(rats));
    /// ```
    pub fn all_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Entity> + 'a {
        let has_it = move |entity: &Entity| self.get::<Name>(*entity).is_some_and(|found| found.as_str() == name);
        self.indexes.names.of(hash_of_name(name)).filter(has_it)
    }

    /// A uuid that no entity of this world has, of the random kind (version 4).
    ///
    /// It is drawn from numbers that begin with the world's [seed](crate::WorldBuilder::seed), so that a world is the same in every run: **worlds of one seed draw the same uuids in
    /// the same order**, and all worlds that were given none have one seed. Worlds that exchange entities, or files, need different seeds, for instance from the operating
    /// system's random numbers; and a world that goes on with entities of an earlier run needs another seed than that one had, unless these are all there when it draws.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// let (mut one, mut two) = (World::builder().seed(1).build(), World::builder().seed(2).build());
    /// assert_ne!(one.new_uuid(), one.new_uuid());
    /// assert_ne!(one.new_uuid(), two.new_uuid());
    ///
    /// assert_eq!(World::new().new_uuid(), World::new().new_uuid(), "one seed");
    /// ```
    pub fn new_uuid(&mut self) -> Uuid {
        loop {
            let bits = u128::from(self.random_uuids.next()) << 64 | u128::from(self.random_uuids.next());
            let uuid = Uuid::from_random(bits);
            if self.by_uuid(&uuid).is_none() {
                return uuid;
            }
        }
    }

    /// Refuses uuids of a batch if two would be equal when all are in their places.
    pub(super) fn check_uuids(
        &self,
        wishes: &[Wish<Uuid>],
        caller: &'static Location<'static>,
    ) -> Result<(), UuidTaken> {
        // Of several for one entity the last counts.
        let mut entities: Vec<(Entity, usize)> = Vec::new();
        for (at, wish) in wishes.iter().enumerate() {
            entities.extend(wish.entity.map(|wanted| (wanted, at)));
        }
        sort_by(&mut entities, |a, b| a < b);
        let is_last = |at: usize, entity: Entity| {
            let behind = entities.partition_point(|known| *known <= (entity, at));
            entities.get(behind).is_none_or(|next| next.0 != entity)
        };
        let gives_its_up = |entity: Entity| {
            let at = entities.partition_point(|known| known.0 < entity);
            entities.get(at).is_some_and(|known| known.0 == entity)
        };
        let mut order: Vec<(Uuid, usize)> = Vec::with_capacity(wishes.len());
        for (at, wish) in wishes.iter().enumerate() {
            if wish.entity.is_none_or(|wanted| is_last(at, wanted)) {
                order.push((wish.value, at));
            }
        }
        sort_by(&mut order, |a, b| a < b);
        for (place, &(uuid, at)) in order.iter().enumerate() {
            if place > 0 && order[place - 1].0 == uuid {
                return Err(self.uuid_taken(uuid, wishes[order[place - 1].1].entity, wishes[at].entity, caller));
            }
            if let Some(holder) = self.by_uuid(&uuid)
                && !gives_its_up(holder)
            {
                return Err(self.uuid_taken(uuid, Some(holder), wishes[at].entity, caller));
            }
        }
        Ok(())
    }

    #[cold]
    pub(super) fn uuid_taken(
        &self,
        uuid: Uuid,
        holder: Option<Entity>,
        wanted: Option<Entity>,
        caller: &'static Location<'static>,
    ) -> UuidTaken {
        let name = |entity: Option<Entity>| Some(self.get::<Name>(entity?)?.text().clone());
        UuidTaken { uuid, holder, name: name(holder), elsewhere: false, wanted, wanted_name: name(wanted), caller }
    }

    /// Whether there is an index of a component's values.
    pub(super) fn is_indexed(&self, component: ComponentId) -> bool {
        self.store.registry.at(component).watch.has(Watch::INDEX)
    }

    /// Adds an entity to the index of a component, if there is one and it has a value.
    pub(super) fn add_to_index(&mut self, entity: Entity, component: ComponentId) {
        if let Some((index, hash)) = self.place_in_index(entity, component) {
            index.add(hash, entity);
        }
    }

    /// Takes an entity off the index of a component, if there is one, while it still has the value.
    pub(super) fn take_off_index(&mut self, entity: Entity, component: ComponentId) {
        if let Some((index, hash)) = self.place_in_index(entity, component) {
            index.remove(hash, entity);
        }
    }

    fn place_in_index(&mut self, entity: Entity, component: ComponentId) -> Option<(&mut Index, u64)> {
        let type_id = self.store.registry.at(component).type_id?;
        if type_id == TypeId::of::<Name>() {
            let hash = hash_of_name(self.get::<Name>(entity)?);
            return Some((&mut self.indexes.names, hash));
        }
        if type_id == TypeId::of::<Uuid>() {
            let hash = hash_of_uuid(*self.get::<Uuid>(entity)?);
            return Some((&mut self.indexes.uuids, hash));
        }
        None
    }

    /// Compares the indexes with the components.
    pub(super) fn validate_indexes(&self) -> Result<(), String> {
        let (mut names, mut uuids) = (0, 0);
        for entity in self.entities() {
            if let Some(name) = self.get::<Name>(entity) {
                names += 1;
                if !self.indexes.names.has(hash_of_name(name), entity) {
                    return Err(format!("the index of names lacks {entity} {name:?}"));
                }
            }
            if let Some(uuid) = self.get::<Uuid>(entity) {
                uuids += 1;
                if self.by_uuid(uuid) != Some(entity) {
                    return Err(format!("the index of uuids does not lead from {uuid} to {entity}"));
                }
            }
        }
        if (names, uuids) == (self.indexes.names.len(), self.indexes.uuids.len()) {
            Ok(())
        } else {
            let (known, those) = (self.indexes.names.len(), self.indexes.uuids.len());
            Err(format!("{names} names and {uuids} uuids, but {known} and {those} in the indexes"))
        }
    }
}
