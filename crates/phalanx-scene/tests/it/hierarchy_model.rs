//! Random operations on a hierarchy, compared with a naive one: for each entity its parent, and for each parent the list of its children.

use phalanx_ecs::prelude::*;
use phalanx_scene::{ChildOf, Kinship, Parent, Place};
use std::collections::BTreeMap;

#[derive(Component, Clone)]
struct Row(String);

#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Beside;

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }
}

#[derive(Default)]
struct Book {
    parent: BTreeMap<Entity, Option<Entity>>,
    children: BTreeMap<Entity, Vec<Entity>>,
}

impl Book {
    fn born(&mut self, entity: Entity) {
        self.parent.insert(entity, None);
        self.children.insert(entity, Vec::new());
    }

    fn detach(&mut self, child: Entity) {
        if let Some(parent) = self.parent.insert(child, None).flatten() {
            self.children.get_mut(&parent).unwrap().retain(|other| *other != child);
        }
    }

    fn attach(&mut self, child: Entity, parent: Entity, place: Place) {
        self.detach(child);
        self.parent.insert(child, Some(parent));
        let list = self.children.get_mut(&parent).unwrap();
        let of = |sibling: Entity, list: &[Entity]| list.iter().position(|other| *other == sibling).unwrap();
        let at = match place {
            Place::First => 0,
            Place::Before(sibling) => of(sibling, list),
            Place::After(sibling) => of(sibling, list) + 1,
            _ => list.len(),
        };
        list.insert(at, child);
    }

    fn is_above(&self, entity: Entity, below: Entity) -> bool {
        let mut at = Some(below);
        while let Some(here) = at {
            if here == entity {
                return true;
            }
            at = self.parent[&here];
        }
        false
    }

    fn below(&self, entity: Entity) -> Vec<Entity> {
        let mut all = Vec::new();
        let mut waiting: Vec<Entity> = self.children[&entity].iter().rev().copied().collect();
        while let Some(entity) = waiting.pop() {
            all.push(entity);
            waiting.extend(self.children[&entity].iter().rev());
        }
        all
    }

    fn gone(&mut self, entity: Entity) {
        for descendant in self.below(entity) {
            self.parent.remove(&descendant);
            self.children.remove(&descendant);
        }
        self.detach(entity);
        self.parent.remove(&entity);
        self.children.remove(&entity);
    }

    fn alone_gone(&mut self, entity: Entity) {
        for child in self.children[&entity].clone() {
            self.detach(child);
        }
        self.gone(entity);
    }
}

struct Model {
    world: World,
    book: Book,
    random: Random,
}

impl Model {
    fn any(&mut self) -> Option<Entity> {
        let all: Vec<Entity> = self.book.parent.keys().copied().collect();
        if all.is_empty() { None } else { Some(all[self.random.below(all.len())]) }
    }

    fn step(&mut self) {
        let Some(one) = self.any() else {
            let entity = self.world.spawn(());
            return self.book.born(entity);
        };
        let two = self.any().unwrap();
        match self.random.below(20) {
            0..=2 => {
                let entity = self.world.spawn(Row("alone".into()));
                self.book.born(entity);
            }
            3..=4 => {
                let entity = self.world.spawn(ChildOf(one));
                self.book.born(entity);
                self.book.attach(entity, one, Place::Last);
            }
            5 => {
                let count = self.random.below(4);
                let batch = self.world.spawn_batch((0..count).map(|_| (Beside, ChildOf(one))));
                for entity in batch {
                    self.book.born(entity);
                    self.book.attach(entity, one, Place::Last);
                }
            }
            6..=9 => self.attach(one, two),
            10 => {
                let attached = self.world.insert(one, ChildOf(two));
                assert_eq!(attached.is_err(), self.book.is_above(one, two));
                if attached.is_ok() {
                    self.book.attach(one, two, Place::Last);
                }
            }
            11 => {
                self.world.detach(one).unwrap();
                self.book.detach(one);
            }
            12 => {
                self.world.detach_children(one).unwrap();
                for child in self.book.children[&one].clone() {
                    self.book.detach(child);
                }
            }
            13 => {
                self.world.despawn(one).unwrap();
                self.book.gone(one);
            }
            14 => {
                self.world.despawn_alone(one).unwrap();
                self.book.alone_gone(one);
            }
            15 => {
                let list = [one, two, one];
                let error = self.world.despawn_batch(list).unwrap_err();
                let gone: Vec<Entity> =
                    [one, two].into_iter().filter(|entity| self.book.parent.contains_key(entity)).collect();
                assert_eq!(error.despawned, if one == two { 1 } else { 2 });
                for entity in gone {
                    if self.book.parent.contains_key(&entity) {
                        self.book.gone(entity);
                    }
                }
            }
            16 => {
                let mut commands = self.world.commands();
                commands.remove::<ChildOf>(one);
                let entity = commands.spawn(ChildOf(two));
                self.world.apply(&mut commands).unwrap();
                self.book.detach(one);
                self.book.born(entity);
                self.book.attach(entity, two, Place::Last);
            }
            17 => {
                if self.world.has::<Row>(one) {
                    self.world.remove::<Row>(one).unwrap();
                } else {
                    self.world.insert(one, Row("moved".into())).unwrap();
                }
            }
            18 => {
                let copy = self.world.clone_entity(one).unwrap();
                self.book.born(copy);
                if let Some(parent) = self.book.parent[&one] {
                    self.book.attach(copy, parent, Place::Last);
                }
            }
            _ => {
                self.world.remove::<Parent>(one).unwrap();
                for child in self.book.children[&one].clone() {
                    self.book.detach(child);
                }
            }
        }
    }

    fn attach(&mut self, child: Entity, parent: Entity) {
        let siblings: Vec<Entity> =
            self.book.children[&parent].iter().copied().filter(|sibling| *sibling != child).collect();
        let place = match self.random.below(4) {
            0 => Place::First,
            1 if !siblings.is_empty() => Place::Before(siblings[self.random.below(siblings.len())]),
            2 if !siblings.is_empty() => Place::After(siblings[self.random.below(siblings.len())]),
            _ => Place::Last,
        };
        let attached = self.world.attach_at(child, parent, place);
        assert_eq!(attached.is_err(), self.book.is_above(child, parent), "{child} below {parent}");
        if attached.is_ok() {
            self.book.attach(child, parent, place);
        }
    }

    fn check(&self) {
        assert_eq!(self.world.alive(), self.book.parent.len());
        for (entity, parent) in &self.book.parent {
            assert_eq!(self.world.parent(*entity), *parent, "parent of {entity}");
            assert_eq!(self.world.get::<ChildOf>(*entity), parent.map(ChildOf).as_ref());
            let children = &self.book.children[entity];
            assert!(self.world.children(*entity).eq(children.iter().copied()), "children of {entity}");
            assert_eq!(self.world.has::<Parent>(*entity), !children.is_empty(), "{entity}");
            assert!(self.world.descendants(*entity).eq(self.book.below(*entity)), "below {entity}");
        }
    }
}

#[test]
fn random_operations_agree_with_a_naive_hierarchy() {
    let steps = std::env::var("PHALANX_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(4000);
    for seed in 0..6 {
        let mut model = Model { world: World::new(), book: Book::default(), random: Random(seed) };
        if seed % 2 == 1 {
            // Where somebody is told, other ways are taken.
            model.world.observe::<ChildOf>(Act::Insert, |_| ());
        }
        for step in 0..steps {
            model.step();
            if step % 16 == 0 {
                model.check();
                model.world.validate().unwrap_or_else(|broken| panic!("seed {seed}, step {step}: {broken}"));
            }
            while model.book.parent.len() > 60 {
                let entity = model.any().unwrap();
                model.world.despawn(entity).unwrap();
                model.book.gone(entity);
            }
        }
        model.check();
    }
}
