//! Random operations on nodes, scenes, the hierarchy and components, compared with a naive book of who has which role where.

use phalanx_ecs::prelude::*;
use phalanx_scene::{ChildOf, CommandNodes, Kinship, Leaving, Node, NodeLeft, SceneId, SceneWorld, Scenes};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Component, Clone)]
struct A(u32);

#[derive(Component, Clone)]
struct B(String);

#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct C;

#[derive(Component, Clone)]
struct Hidden;

#[derive(Node)]
struct Plain<'w> {
    _a: &'w A,
}

#[derive(Node)]
struct Both<'w> {
    _a: &'w A,
    _b: &'w mut B,
}

#[derive(Node)]
struct Sparse<'w> {
    _b: &'w B,
    _c: &'w C,
    _a: Option<&'w A>,
}

#[derive(Node)]
#[node(without(Hidden))]
struct Seen<'w> {
    _a: &'w A,
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        if all.is_empty() { None } else { Some(all[self.below(all.len())]) }
    }
}

/// What an entity has: `A`, `B`, `C`, `Hidden`; whose child it is; which roles it has.
#[derive(Clone, Default, PartialEq, Debug)]
struct Row {
    has: [bool; 4],
    parent: Option<Entity>,
    roles: BTreeSet<(SceneId, usize)>,
}

impl Row {
    fn can(&self, kind: usize) -> bool {
        let [a, b, c, hidden] = self.has;
        [a, a && b, b && c, a && !hidden][kind]
    }
}

const NAMES: [&str; 4] = ["Plain", "Both", "Sparse", "Seen"];

/// Calls a method of a scene for one of the roles.
macro_rules! for_kind {
    ($kind:expr, $scene:expr, $method:ident, $($argument:expr),*) => {
        match $kind {
            0 => $scene.$method::<Plain>($($argument),*),
            1 => $scene.$method::<Both>($($argument),*),
            2 => $scene.$method::<Sparse>($($argument),*),
            _ => $scene.$method::<Seen>($($argument),*),
        }
    };
}

struct Run {
    world: World,
    random: Random,
    book: BTreeMap<Entity, Row>,
    scenes: Vec<SceneId>,
    /// Roles that were lost since they were last compared.
    left: Vec<(SceneId, usize, Entity)>,
    reader: EventReader<NodeLeft>,
    names: u32,
}

impl Run {
    fn any(&mut self) -> Option<Entity> {
        let all: Vec<Entity> = self.book.keys().copied().collect();
        self.random.of(&all)
    }

    fn lose(&mut self, entity: Entity, gone: impl Fn(&(SceneId, usize), &Row) -> bool) {
        let row = self.book.get_mut(&entity).unwrap();
        let lost: Vec<_> = row.roles.iter().copied().filter(|role| gone(role, row)).collect();
        for role in lost {
            row.roles.remove(&role);
            self.left.push((role.0, role.1, entity));
        }
    }

    /// An entity and its descendants end.
    fn end(&mut self, entity: Entity) {
        let mut all = vec![entity];
        let mut next = 0;
        while let Some(here) = all.get(next).copied() {
            all.extend(self.book.iter().filter(|(_, row)| row.parent == Some(here)).map(|(child, _)| *child));
            next += 1;
        }
        for entity in all {
            if self.book.contains_key(&entity) {
                self.lose(entity, |_, _| true);
                self.book.remove(&entity);
            }
        }
    }

    fn take(&mut self, entity: Entity, component: usize) {
        self.book.get_mut(&entity).unwrap().has[component] = false;
        self.lose(entity, |role, row| !row.can(role.1));
    }

    fn give(&mut self, entity: Entity, component: usize) {
        self.book.get_mut(&entity).unwrap().has[component] = true;
        self.lose(entity, |role, row| !row.can(role.1));
    }

    fn join(&mut self, scene: SceneId, kind: usize, entity: Entity) -> bool {
        self.book.get_mut(&entity).unwrap().roles.insert((scene, kind))
    }

    fn clear(&mut self, scene: SceneId, leaving: Leaving) {
        let here = |row: &Row| row.roles.iter().any(|role| role.0 == scene);
        let members: Vec<Entity> = self.book.iter().filter(|(_, row)| here(row)).map(|(entity, _)| *entity).collect();
        let count = self.random.below(2);
        if count == 0 && leaving == Leaving::Despawn {
            scene.delete(&mut self.world).unwrap();
            self.scenes.retain(|other| *other != scene);
        } else {
            assert_eq!(scene.clear(&mut self.world, leaving).unwrap(), members.len());
        }
        if leaving == Leaving::Despawn {
            let only: Vec<Entity> = members
                .iter()
                .copied()
                .filter(|entity| self.book[entity].roles.iter().all(|role| role.0 == scene))
                .collect();
            // Who is a node elsewhere does not end with a parent.
            let stays = |entity: Entity| self.book[&entity].roles.iter().any(|role| role.0 != scene);
            let ends = |entity: Entity| {
                let mut here = Some(entity);
                while let Some(entity) = here.filter(|entity| !stays(*entity)) {
                    if only.contains(&entity) {
                        return true;
                    }
                    here = self.book[&entity].parent;
                }
                false
            };
            let parent_ends = |entity: &&Entity| self.book[*entity].parent.is_some_and(ends);
            let freed: Vec<Entity> =
                self.book.keys().filter(|entity| stays(**entity)).filter(parent_ends).copied().collect();
            for entity in freed {
                self.book.get_mut(&entity).unwrap().parent = None;
            }
            for entity in only {
                if self.book.contains_key(&entity) {
                    self.end(entity);
                }
            }
        }
        for entity in members {
            if self.book.contains_key(&entity) {
                self.lose(entity, |role, _| role.0 == scene);
            }
        }
    }

    fn step(&mut self) {
        let (kind, scene) = (self.random.below(4), self.random.of(&self.scenes));
        let entity = self.any();
        match (self.random.below(24), entity, scene) {
            (0..=2, ..) | (_, None, _) => {
                let has = [(); 4].map(|()| self.random.below(2) == 0);
                let mut bundle = BundleBuilder::new();
                let [a, b, c, hidden] = has;
                a.then(|| _ = bundle.add(A(1)));
                b.then(|| _ = bundle.add(B("b".into())));
                c.then(|| _ = bundle.add(C));
                hidden.then(|| _ = bundle.add(Hidden));
                let entity = self.world.spawn_dyn(bundle).unwrap();
                self.book.insert(entity, Row { has, ..Row::default() });
            }
            (3, ..) | (_, _, None) => {
                self.names += 1;
                if self.scenes.len() < 5 {
                    self.scenes.push(self.world.create_scene(&format!("scene {}", self.names)).unwrap());
                }
            }
            (4, Some(entity), _) => {
                if self.random.below(2) == 0 {
                    self.world.despawn(entity).unwrap();
                } else {
                    self.world.despawn_lazy(entity).unwrap();
                }
                self.end(entity);
            }
            (5..=8, Some(entity), Some(scene)) => {
                let can = self.book[&entity].can(kind);
                if self.random.below(2) == 0 {
                    let joined = for_kind!(kind, scene, add_node, &mut self.world, entity);
                    assert_eq!(joined.is_ok(), can);
                    if let Ok(new) = joined {
                        assert_eq!(self.join(scene, kind, entity), new);
                    }
                } else {
                    let mut commands = self.world.commands();
                    match kind {
                        0 => commands.add_node::<Plain>(scene, entity),
                        1 => commands.add_node::<Both>(scene, entity),
                        2 => commands.add_node::<Sparse>(scene, entity),
                        _ => commands.add_node::<Seen>(scene, entity),
                    }
                    assert_eq!(self.world.apply(&mut commands).is_ok(), can);
                    if can {
                        self.join(scene, kind, entity);
                    }
                }
            }
            (9, _, Some(scene)) => {
                let some: Vec<Entity> = self.book.keys().copied().filter(|_| self.random.below(3) == 0).collect();
                let can = some.iter().all(|entity| self.book[entity].can(kind));
                let joined = for_kind!(kind, scene, add_nodes, &mut self.world, &some);
                assert_eq!(joined.is_ok(), can);
                if let Ok(count) = joined {
                    let new = some.iter().filter(|entity| self.join(scene, kind, **entity)).count();
                    assert_eq!(new, count);
                }
            }
            (10, _, Some(scene)) => {
                let all: Vec<Entity> = self.book.keys().copied().filter(|entity| self.book[entity].can(kind)).collect();
                let count = for_kind!(kind, scene, add_matching, &mut self.world).unwrap();
                assert_eq!(all.into_iter().filter(|entity| self.join(scene, kind, *entity)).count(), count);
            }
            (11 | 12, _, Some(scene)) => {
                let some: Vec<Entity> = self.book.keys().copied().filter(|_| self.random.below(4) == 0).collect();
                let count = for_kind!(kind, scene, remove_nodes, &mut self.world, &some).unwrap();
                let before = self.left.len();
                for entity in some {
                    self.lose(entity, |role, _| *role == (scene, kind));
                }
                assert_eq!(self.left.len() - before, count);
            }
            (13, _, Some(from)) => {
                let to = self.random.of(&self.scenes).unwrap();
                let some: Vec<Entity> = self.book.keys().copied().filter(|_| self.random.below(4) == 0).collect();
                let moves = self.random.below(2) == 0;
                if moves {
                    from.move_nodes(&mut self.world, &some, to).unwrap();
                } else {
                    from.copy_nodes(&mut self.world, &some, to).unwrap();
                }
                for entity in some {
                    let roles: Vec<usize> =
                        self.book[&entity].roles.iter().filter(|role| role.0 == from).map(|role| role.1).collect();
                    for kind in roles {
                        self.join(to, kind, entity);
                    }
                    if moves && from != to {
                        self.lose(entity, |role, _| role.0 == from);
                    }
                }
            }
            (14, _, Some(scene)) if self.random.below(8) == 0 => {
                let leaving = if self.random.below(2) == 0 { Leaving::Despawn } else { Leaving::Keep };
                self.clear(scene, leaving);
            }
            (15 | 16, Some(entity), _) => {
                let component = self.random.below(4);
                match component {
                    0 => _ = self.world.remove::<A>(entity).unwrap(),
                    1 => _ = self.world.remove::<B>(entity).unwrap(),
                    2 => _ = self.world.remove::<C>(entity).unwrap(),
                    _ => _ = self.world.remove::<Hidden>(entity).unwrap(),
                }
                self.take(entity, component);
            }
            (17, ..) if self.random.below(10) == 0 => {
                self.world.remove_where::<With<C>, A>();
                let all: Vec<Entity> = self.book.keys().copied().filter(|entity| self.book[entity].has[2]).collect();
                for entity in all {
                    self.take(entity, 0);
                }
            }
            (18 | 19, Some(entity), _) => {
                let component = self.random.below(4);
                match component {
                    0 => self.world.insert(entity, A(2)).unwrap(),
                    1 => self.world.insert(entity, B("c".into())).unwrap(),
                    2 => self.world.insert(entity, C).unwrap(),
                    _ => self.world.insert(entity, Hidden).unwrap(),
                }
                self.give(entity, component);
            }
            (20, Some(child), _) => {
                let parent = self.any().unwrap();
                if self.world.insert(child, ChildOf(parent)).is_ok() {
                    self.book.get_mut(&child).unwrap().parent = Some(parent);
                }
            }
            (21, Some(child), _) => {
                self.world.detach(child).unwrap();
                self.book.get_mut(&child).unwrap().parent = None;
            }
            (22, Some(entity), _) => {
                let copy = self.world.clone_entity(entity).unwrap();
                let row = self.book[&entity].clone();
                self.book.insert(copy, row);
            }
            _ => {}
        }
        while self.book.len() > 60 {
            let entity = self.any().unwrap();
            self.world.despawn(entity).unwrap();
            self.end(entity);
        }
    }

    fn check(&mut self) {
        self.world.validate().unwrap();
        assert_eq!(self.world.scenes().len(), self.scenes.len());
        for (entity, row) in &self.book {
            let roles: Vec<(SceneId, &str)> = row.roles.iter().map(|(scene, kind)| (*scene, NAMES[*kind])).collect();
            let mut found = self.world.roles_of(*entity);
            found.sort_by_key(|(scene, name)| (*scene, NAMES.iter().position(|other| other == name)));
            assert_eq!(found, roles, "{entity}");
            assert_eq!(self.world.parent(*entity), row.parent, "{entity}");
        }
        for scene in &self.scenes {
            let members: BTreeSet<Entity> = scene.members(&self.world).into_iter().collect();
            let here = |row: &Row| row.roles.iter().any(|role| role.0 == *scene);
            assert!(members.iter().eq(self.book.iter().filter(|(_, row)| here(row)).map(|(entity, _)| entity)));
            for (kind, name) in NAMES.iter().enumerate() {
                let nodes: BTreeSet<Entity> = for_kind!(kind, scene, nodes, &self.world).into_iter().collect();
                let expected = self.book.iter().filter(|(_, row)| row.roles.contains(&(*scene, kind)));
                assert!(nodes.iter().eq(expected.map(|(entity, _)| entity)), "{scene}, {name}");
            }
            let depths = members.iter().map(|entity| self.world.depth(*entity));
            assert_eq!(scene.deepest_level(&self.world), depths.max());
        }
        let mut told: Vec<_> = self.reader.read(&self.world).map(|left| (left.scene, left.node, left.entity)).collect();
        let mut left: Vec<_> = self.left.drain(..).map(|(scene, kind, entity)| (scene, NAMES[kind], entity)).collect();
        told.sort();
        left.sort();
        assert_eq!(told, left, "what was told of those that left");
        self.world.update_events();
    }
}

#[test]
fn random_operations_agree_with_a_naive_book_of_roles() {
    let steps = std::env::var("PHALANX_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(6000_u64);
    // A table for each set of roles; tables for few of them; none at all.
    for (seed, most) in [(1, 256), (2, 4), (3, 0)] {
        let mut world = World::new();
        world.init_resource::<Scenes>().set_most_role_sets(most);
        let mut run = Run {
            world,
            random: Random(seed),
            book: BTreeMap::new(),
            scenes: Vec::new(),
            left: Vec::new(),
            reader: EventReader::new(),
            names: 0,
        };
        for step in 0..steps / 3 {
            run.step();
            if step % 7 == 0 {
                run.check();
            }
        }
        run.check();
    }
}
