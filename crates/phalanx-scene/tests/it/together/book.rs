//! The naive world: a row for each entity, with all that it has, whose child it is and which roles it has where.

use super::parts::{Born, Kind, Kit, Part, charge, heat, label, team, transform};
use glam::Affine3A;
use phalanx_ecs::Entity;
use phalanx_scene::{Place, PrefabId, SceneId, Transform};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

#[derive(Clone, Default, PartialEq, Debug)]
pub struct Row {
    pub heat: Option<u32>,
    pub label: Option<String>,
    pub charge: Option<u32>,
    pub team: Option<u32>,
    pub hidden: bool,
    pub transform: Option<Transform>,
    /// What its `WorldTransform` is, as it was last worked out.
    pub place: Option<Affine3A>,
    pub born: Option<Born>,
    pub parent: Option<Entity>,
    pub children: Vec<Entity>,
    pub roles: BTreeSet<(SceneId, Kind)>,
    /// The prefab it is a copy of, and the path of the part.
    pub copy_of: Option<(PrefabId, &'static str)>,
}

impl Row {
    pub fn fits(&self, kind: Kind) -> bool {
        match kind {
            Kind::Warm => self.heat.is_some(),
            Kind::Named => self.label.is_some(),
            Kind::Charged => self.charge.is_some() && self.label.is_some(),
            Kind::Seen => self.heat.is_some() && !self.hidden,
            Kind::Moving => self.transform.is_some(),
        }
    }

    pub fn has(&self, part: Part) -> bool {
        match part {
            Part::Heat => self.heat.is_some(),
            Part::Label => self.label.is_some(),
            Part::Charge => self.charge.is_some(),
            Part::Team => self.team.is_some(),
            Part::Hidden => self.hidden,
            Part::Transform => self.transform.is_some(),
            Part::Place => self.place.is_some(),
        }
    }

    pub fn set(&mut self, part: Part, value: u32) {
        match part {
            Part::Heat => self.heat = Some(heat(value).0),
            Part::Label => self.label = Some(label(value).0),
            Part::Charge => self.charge = Some(charge(value).0),
            Part::Team => self.team = Some(team(value).0),
            Part::Hidden => self.hidden = true,
            Part::Transform => {
                self.transform = Some(transform(value));
                self.place.get_or_insert_default();
            }
            Part::Place => self.place = Some(Affine3A::IDENTITY),
        }
    }

    fn unset(&mut self, part: Part) {
        match part {
            Part::Heat => self.heat = None,
            Part::Label => self.label = None,
            Part::Charge => self.charge = None,
            Part::Team => self.team = None,
            Part::Hidden => self.hidden = false,
            Part::Transform => self.transform = None,
            Part::Place => self.place = None,
        }
    }
}

#[derive(Default)]
pub struct Book {
    pub rows: HashMap<Entity, Row>,
    /// All of them, in the order in which they came.
    pub alive: Vec<Entity>,
    /// Some that have ended.
    pub dead: VecDeque<Entity>,
    /// Roles that were lost since that was last compared.
    pub left: Vec<(SceneId, Kind, Entity)>,
}

/// How many of the dead are remembered.
const DEAD: usize = 8;

impl Book {
    pub fn row(&self, entity: Entity) -> &Row {
        &self.rows[&entity]
    }

    pub fn row_mut(&mut self, entity: Entity) -> &mut Row {
        self.rows.get_mut(&entity).expect("it is alive")
    }

    pub fn is_alive(&self, entity: Entity) -> bool {
        self.rows.contains_key(&entity)
    }

    /// Those of whom something is true, in the order in which they came.
    pub fn all(&self, is: impl Fn(&Row) -> bool) -> Vec<Entity> {
        self.alive.iter().copied().filter(|entity| is(&self.rows[entity])).collect()
    }

    pub fn nodes(&self, scene: SceneId, kind: Kind) -> Vec<Entity> {
        self.all(|row| row.roles.contains(&(scene, kind)))
    }

    pub fn members(&self, scene: SceneId) -> Vec<Entity> {
        self.all(|row| row.roles.iter().any(|role| role.0 == scene))
    }

    // ------------------------------------------------------------------------------------------ coming and going

    pub fn born(&mut self, entity: Entity, row: Row) {
        self.alive.push(entity);
        let before = self.rows.insert(entity, row);
        assert!(before.is_none(), "{entity} came and was there");
    }

    pub fn born_with(&mut self, entity: Entity, kit: Kit, value: u32) {
        let mut row = Row::default();
        kit.parts().for_each(|part| row.set(part, value));
        self.born(entity, row);
    }

    pub fn give(&mut self, entity: Entity, part: Part, value: u32) {
        self.row_mut(entity).set(part, value);
        self.lose(entity, |role, row| !row.fits(role.1));
    }

    pub fn give_all(&mut self, entity: Entity, kit: Kit, value: u32) {
        kit.parts().for_each(|part| self.give(entity, part, value));
    }

    pub fn take(&mut self, entity: Entity, part: Part) {
        self.row_mut(entity).unset(part);
        self.lose(entity, |role, row| !row.fits(role.1));
    }

    /// Entities end, with all below them.
    pub fn gone(&mut self, entities: &[Entity]) {
        let mut ending = Vec::new();
        for entity in entities.iter().copied().filter(|entity| self.is_alive(*entity)).collect::<Vec<_>>() {
            self.detach(entity);
            ending.push(entity);
            ending.extend(self.below(entity));
        }
        let ended: HashSet<Entity> = ending.iter().copied().collect();
        for entity in &ended {
            self.lose(*entity, |_, _| true);
            self.rows.remove(entity);
        }
        self.alive.retain(|entity| !ended.contains(entity));
        // In an order that does not depend on that of a set.
        self.dead.extend(ending.iter().rev().take(DEAD));
        while self.dead.len() > DEAD {
            self.dead.pop_front();
        }
    }

    // -------------------------------------------------------------------------------------------------- kinship

    pub fn detach(&mut self, child: Entity) -> bool {
        let Some(parent) = self.row_mut(child).parent.take() else { return false };
        self.row_mut(parent).children.retain(|other| *other != child);
        true
    }

    pub fn detach_children(&mut self, parent: Entity) -> usize {
        let children = std::mem::take(&mut self.row_mut(parent).children);
        for child in &children {
            self.row_mut(*child).parent = None;
        }
        children.len()
    }

    pub fn attach(&mut self, child: Entity, parent: Entity, place: Place) {
        self.detach(child);
        self.row_mut(child).parent = Some(parent);
        let list = &mut self.row_mut(parent).children;
        let of = |sibling: Entity, list: &[Entity]| list.iter().position(|other| *other == sibling).expect("a sibling");
        let at = match place {
            Place::First => 0,
            Place::Before(sibling) => of(sibling, list),
            Place::After(sibling) => of(sibling, list) + 1,
            _ => list.len(),
        };
        list.insert(at, child);
    }

    /// The entity and those above it.
    pub fn way_up(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        std::iter::successors(Some(entity), |here| self.rows[here].parent)
    }

    pub fn is_above(&self, entity: Entity, below: Entity) -> bool {
        self.way_up(below).any(|here| here == entity)
    }

    /// All below it: each before its children, these in their order.
    pub fn below(&self, entity: Entity) -> Vec<Entity> {
        let mut all = Vec::new();
        let mut waiting: Vec<Entity> = self.rows[&entity].children.iter().rev().copied().collect();
        while let Some(entity) = waiting.pop() {
            all.push(entity);
            waiting.extend(self.rows[&entity].children.iter().rev());
        }
        all
    }

    /// A copy of an entity: a child of the same parent, as the last; with the same roles, and no children.
    pub fn copied(&mut self, entity: Entity, copy: Entity) {
        let row = Row { parent: None, children: Vec::new(), ..self.row(entity).clone() };
        let parent = self.row(entity).parent;
        self.born(copy, row);
        if let Some(parent) = parent {
            self.attach(copy, parent, Place::Last);
        }
    }

    // ---------------------------------------------------------------------------------------------------- roles

    /// Answers whether it had not the role.
    pub fn join(&mut self, scene: SceneId, kind: Kind, entity: Entity) -> bool {
        self.row_mut(entity).roles.insert((scene, kind))
    }

    /// Takes roles away; answers how many it had.
    pub fn lose(&mut self, entity: Entity, gone: impl Fn(&(SceneId, Kind), &Row) -> bool) -> usize {
        let row = self.rows.get_mut(&entity).expect("it is alive");
        let lost: Vec<_> = row.roles.iter().copied().filter(|role| gone(role, row)).collect();
        for (scene, kind) in &lost {
            row.roles.remove(&(*scene, *kind));
            self.left.push((*scene, *kind, entity));
        }
        lost.len()
    }

    /// A scene is cleared: who lives in it alone ends, or all live on.
    pub fn cleared(&mut self, scene: SceneId, despawns: bool) {
        let members = self.members(scene);
        if despawns {
            let is_elsewhere = |entity: &Entity| self.row(*entity).roles.iter().any(|role| role.0 != scene);
            let ends: HashSet<Entity> = members.iter().copied().filter(|entity| !is_elsewhere(entity)).collect();
            // Who is a node elsewhere does not end with those above it.
            let reached = |entity: &Entity| {
                let mut above = self.way_up(*entity).skip(1).take_while(|above| !is_elsewhere(above));
                above.any(|above| ends.contains(&above))
            };
            let freed = self.alive.iter().copied().filter(|entity| is_elsewhere(entity) && reached(entity));
            for entity in freed.collect::<Vec<_>>() {
                self.detach(entity);
            }
            let ends: Vec<Entity> = members.iter().copied().filter(|entity| ends.contains(entity)).collect();
            self.gone(&ends);
        }
        for entity in members {
            if self.is_alive(entity) {
                self.lose(entity, |role, _| role.0 == scene);
            }
        }
    }

    // --------------------------------------------------------------------------------------------------- places

    /// Works out all places, each from those above it.
    pub fn propagate(&mut self) {
        let tops = self.all(|row| row.parent.is_none());
        let mut waiting: Vec<(Entity, Option<Affine3A>)> = tops.into_iter().map(|top| (top, None)).collect();
        while let Some((entity, above)) = waiting.pop() {
            let row = self.row_mut(entity);
            let mut handed = above;
            if let (Some(transform), Some(place)) = (row.transform, &mut row.place) {
                let local = transform.matrix();
                let sum = above.map_or(local, |above| above * local);
                // What is no number is where it hangs.
                *place = if sum.is_finite() { sum } else { above.unwrap_or_default() };
                handed = Some(*place);
            }
            waiting.extend(row.children.iter().map(|child| (*child, handed)));
        }
    }

    // --------------------------------------------------------------------------------- who was not known by name

    /// Entities that had names of the book's own get those that they really have.
    pub fn rename(&mut self, names: &HashMap<Entity, Entity>) {
        let name = |entity: &mut Entity| {
            if let Some(real) = names.get(entity) {
                *entity = *real;
            }
        };
        for (mut entity, mut row) in std::mem::take(&mut self.rows) {
            name(&mut entity);
            row.parent.iter_mut().for_each(name);
            row.children.iter_mut().for_each(name);
            self.rows.insert(entity, row);
        }
        self.alive.iter_mut().for_each(name);
        self.left.iter_mut().for_each(|left| name(&mut left.2));
    }
}
