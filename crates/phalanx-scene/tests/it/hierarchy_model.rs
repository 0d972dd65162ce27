//! Random operations on hierarchies of two worlds, compared with naive ones: for each entity its parent, for each parent the list of its children, and for each ship its port, with which it ends.
//!
//! Random relations as such are compared in `relations`; here are those that end with others, because they and descendants end with each other.

use phalanx_ecs::Trigger;
use phalanx_ecs::prelude::*;
use phalanx_scene::{ChildOf, Kinship, Parent, Place, Relation, Relations, Targeted};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Relation, Clone, Copy)]
#[relation(target_ends = "despawn")]
struct DockedAt(Entity);

#[derive(Relation, Clone, Copy)]
#[relation(many, target_ends = "despawn")]
struct HangsOn;

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
    /// Ship and port.
    docked: BTreeMap<Entity, Entity>,
    /// Source and target.
    hanging: BTreeSet<(Entity, Entity)>,
}

impl Book {
    fn born(&mut self, entity: Entity) {
        self.parent.insert(entity, None);
        self.children.insert(entity, Vec::new());
    }

    fn detach(&mut self, child: Entity) {
        let Some(its) = self.parent.get_mut(&child) else { return };
        if let Some(parent) = its.take() {
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

    /// An entity ends, and whoever ends with it.
    fn gone(&mut self, entity: Entity) {
        let mut ending = vec![entity];
        while let Some(entity) = ending.pop() {
            self.detach(entity);
            if self.parent.remove(&entity).is_none() {
                continue;
            }
            self.docked.remove(&entity);
            self.hanging.retain(|(source, _)| *source != entity);
            ending.extend(self.docked.iter().filter(|(_, port)| **port == entity).map(|(ship, _)| *ship));
            ending.extend(self.hanging.iter().filter(|(_, target)| *target == entity).map(|(source, _)| *source));
            let children = self.children.remove(&entity).unwrap();
            for child in children {
                self.parent.insert(child, None);
                ending.push(child);
            }
        }
    }

    fn alone_gone(&mut self, entity: Entity) {
        for child in self.children[&entity].clone() {
            self.detach(child);
        }
        self.gone(entity);
    }
}

/// How many of the entities that next become children are left as they are, and what is done to the one after these.
#[derive(Resource)]
struct Meddling {
    spared: usize,
    what: usize,
    with: Entity,
}

fn meddle(trigger: &mut Trigger<'_>) {
    let entity = trigger.entity();
    let Some(mut meddling) = trigger.get_resource_mut::<Meddling>() else { return };
    if meddling.spared > 0 {
        meddling.spared -= 1;
        return;
    }
    let (what, with) = (meddling.what, meddling.with);
    meddling.spared = usize::MAX;
    trigger.defer(move |world| match what {
        0 => world.despawn(entity).unwrap(),
        1 => drop(world.detach(entity)),
        // It may be above.
        _ => drop(world.attach(entity, with)),
    });
}

struct Model {
    world: World,
    book: Book,
    there: (World, Book),
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
        match self.random.below(27) {
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
                if let Some(port) = self.book.docked.get(&one).copied() {
                    self.book.docked.insert(copy, port);
                }
            }
            19 => {
                self.world.insert(one, DockedAt(two)).unwrap();
                self.book.docked.insert(one, two);
            }
            20 => assert_eq!(self.world.relate::<HangsOn>(one, two).unwrap(), self.book.hanging.insert((one, two))),
            21 => {
                let was = self.book.hanging.remove(&(one, two));
                assert_eq!(self.world.unrelate::<HangsOn>(one, two).unwrap(), was);
                let removed = self.world.remove::<DockedAt>(one).unwrap();
                assert_eq!(removed > 0, self.book.docked.remove(&one).is_some());
            }
            22 => self.attach_many(),
            23 => self.move_tree(one),
            24 => self.clone_tree(one),
            25 => {
                // What is there comes back, or goes.
                std::mem::swap(&mut self.world, &mut self.there.0);
                std::mem::swap(&mut self.book, &mut self.there.1);
                if let Some(one) = self.any() {
                    self.move_tree(one);
                }
                std::mem::swap(&mut self.world, &mut self.there.0);
                std::mem::swap(&mut self.book, &mut self.there.1);
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

    /// Gives some entities parents in one operation, some of them several times.
    fn attach_many(&mut self) {
        let count = 1 + self.random.below(5);
        let pairs: Vec<(Entity, Entity)> = (0..count).filter_map(|_| Some((self.any()?, self.any()?))).collect();
        // In parts of which none names an entity twice; there is no circle at the end of any.
        let (mut parents, mut seen, mut refused) = (self.book.parent.clone(), BTreeSet::new(), false);
        let is_circular = |parents: &BTreeMap<Entity, Option<Entity>>| {
            parents.keys().any(|start| {
                let way = std::iter::successors(Some(*start), |at| parents[at]);
                way.take(parents.len() + 1).count() > parents.len()
            })
        };
        for (child, parent) in &pairs {
            if !seen.insert(*child) {
                refused |= is_circular(&parents);
                seen = BTreeSet::from([*child]);
            }
            parents.insert(*child, Some(*parent));
        }
        refused |= is_circular(&parents);
        let children = pairs.iter().map(|(child, _)| *child);
        let inserted = self.world.insert_batch(children, pairs.iter().map(|(_, parent)| ChildOf(*parent)));
        assert_eq!(inserted.is_err(), refused, "{pairs:?}");
        if refused {
            return;
        }
        // All of a part leave their parents before any of them gets another.
        let mut rest = &pairs[..];
        while !rest.is_empty() {
            let mut seen = BTreeSet::new();
            let end = rest.iter().position(|(child, _)| !seen.insert(*child)).unwrap_or(rest.len());
            for (child, _) in &rest[..end] {
                self.book.detach(*child);
            }
            for (child, parent) in &rest[..end] {
                self.book.attach(*child, *parent, Place::Last);
            }
            rest = &rest[end..];
        }
    }

    fn move_tree(&mut self, top: Entity) {
        let mut members = vec![top];
        members.extend(self.book.below(top));
        let parents: Vec<Option<Entity>> = members.iter().map(|member| self.book.parent[member]).collect();
        let moved = self.world.move_tree(top, &mut self.there.0).unwrap();
        let arrived: Vec<Entity> = std::iter::once(moved).chain(self.there.0.descendants(moved)).collect();
        assert_eq!(arrived.len(), members.len());
        let names: BTreeMap<Entity, Entity> = members.iter().copied().zip(arrived.iter().copied()).collect();
        for (new, parent) in arrived.iter().zip(parents) {
            self.there.1.born(*new);
            if *new != moved {
                self.there.1.attach(*new, names[&parent.unwrap()], Place::Last);
            }
        }
        // Who leaves ends with nobody any more; others may end with who leaves.
        self.book.docked.retain(|ship, _| !members.contains(ship));
        self.book.hanging.retain(|(source, _)| !members.contains(source));
        self.book.detach(top);
        self.book.gone(top);
    }

    /// Copies a tree, while somebody may do something to one of the copies. Then what is not in the book is added to it.
    fn clone_tree(&mut self, top: Entity) {
        let with = self.any().unwrap();
        let meddles = self.random.below(2) == 0;
        if meddles {
            let (spared, what) = (self.random.below(8), self.random.below(3));
            self.world.insert_resource(Meddling { spared, what, with });
        }
        let copy = self.world.clone_tree(top).unwrap();
        self.world.remove_resource::<Meddling>();
        let new: Vec<Entity> = self.world.entities().filter(|entity| !self.book.parent.contains_key(entity)).collect();
        if !meddles {
            let count = 1 + self.book.below(top).len();
            assert_eq!((new.len(), self.world.descendants(copy).count() + 1), (count, count));
        }
        for entity in &new {
            self.book.born(*entity);
            if let Some(port) = self.world.target::<DockedAt>(*entity) {
                self.book.docked.insert(*entity, port);
            }
        }
        let all: Vec<Entity> = self.book.parent.keys().copied().collect();
        for parent in all {
            for child in self.world.children(parent).filter(|child| new.contains(child)) {
                self.book.attach(child, parent, Place::Last);
            }
        }
    }

    fn check(&self) {
        check(&self.world, &self.book);
        check(&self.there.0, &self.there.1);
    }
}

fn check(world: &World, book: &Book) {
    assert_eq!(world.alive(), book.parent.len());
    for (entity, parent) in &book.parent {
        assert_eq!(world.parent(*entity), *parent, "parent of {entity}");
        assert_eq!(world.get::<ChildOf>(*entity), parent.map(ChildOf).as_ref());
        let children = &book.children[entity];
        assert!(world.children(*entity).eq(children.iter().copied()), "children of {entity}");
        assert_eq!(world.has::<Parent>(*entity), !children.is_empty(), "{entity}");
        assert!(world.descendants(*entity).eq(book.below(*entity)), "below {entity}");
        assert_eq!(world.target::<DockedAt>(*entity), book.docked.get(entity).copied(), "port of {entity}");
        let is_port = book.docked.values().any(|port| port == entity);
        assert_eq!(world.has::<Targeted<DockedAt>>(*entity), is_port, "{entity}");
        let targets: BTreeSet<Entity> = world.targets::<HangsOn>(*entity).collect();
        let all = book.hanging.iter().filter(|(source, _)| source == entity).map(|(_, target)| *target);
        assert!(targets.into_iter().eq(all), "whom {entity} hangs on");
    }
}

#[test]
fn random_operations_agree_with_a_naive_hierarchy() {
    let steps = std::env::var("PHALANX_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(2000);
    for seed in 0..12 {
        let mut model =
            Model { world: World::new(), book: Book::default(), there: Default::default(), random: Random(seed) };
        if seed % 2 == 1 {
            // Where somebody is told, other ways are taken.
            model.there.0.observe::<ChildOf>(Act::Insert, |_| ());
        }
        if seed % 3 > 0 {
            model.world.observe::<ChildOf>(Act::Insert, meddle);
        }
        for step in 0..steps {
            model.step();
            if step % 16 == 0 {
                model.check();
                for world in [&model.world, &model.there.0] {
                    world.validate().unwrap_or_else(|broken| panic!("seed {seed}, step {step}: {broken}"));
                }
            }
            while model.book.parent.len() > 60 {
                let entity = model.any().unwrap();
                model.world.despawn(entity).unwrap();
                model.book.gone(entity);
            }
            if model.there.1.parent.len() > 60 {
                let (there, book) = &mut model.there;
                there.clear();
                *book = Book::default();
            }
        }
        model.check();
    }
}
