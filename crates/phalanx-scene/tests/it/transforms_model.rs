//! Random changes of trees and of what is inherited in them, compared with values that are worked out anew for each entity alone, bit for bit.

use glam::{Affine3A, Quat, Vec3};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Collection, Sampling};
use phalanx_scene::{
    ChildOf, Inherited, Kinship, Parent, Place, Transform, TransformMode, Transforms, WorldTransform, inherit,
    propagate,
};
use std::collections::HashMap;

/// Moves rows from table to table.
#[derive(Component, Clone)]
struct Mark;

/// A number that nothing else inherits, noted by observers and not by hooks.
#[derive(Component, Clone, Copy)]
#[component(track, requires(Trail))]
struct Step(u64);

/// All steps from the top down to here, in their order.
#[derive(Component, Clone, Copy, Default, PartialEq, Debug)]
struct Trail(u64);

impl Inherited for Trail {
    type Own = Step;
    fn under(above: Option<&Self>, own: &Step) -> Self {
        Self(above.map_or(7, |above| above.0).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(own.0))
    }
}

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    #[expect(clippy::cast_precision_loss, reason = "any number will do")]
    fn number(&mut self) -> f32 {
        self.below(2001) as f32 / 500.0 - 2.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    fn transform(&mut self) -> Transform {
        let axis = Vec3::new(1.0, self.number(), self.number()).normalize();
        let turn = Quat::from_axis_angle(axis, self.number());
        // Small enough that the deepest trees stay finite.
        Transform::at(self.vector()).turned(turn).sized(Vec3::ONE + self.vector() * 0.05)
    }
}

fn bits(affine: Affine3A) -> [u32; 12] {
    affine.to_cols_array().map(f32::to_bits)
}

/// What entities come to, worked out without any lists.
#[derive(Default)]
struct Naive {
    places: HashMap<Entity, Option<Affine3A>>,
    trails: HashMap<Entity, Option<Trail>>,
}

impl Naive {
    /// Of an entity or, if it takes no part, of who is above it. Without recursion: trees are deep.
    fn of<T: Copy>(
        known: &mut HashMap<Entity, Option<T>>,
        world: &World,
        entity: Entity,
        own: impl Fn(Entity, Option<T>) -> Option<T>,
    ) -> Option<T> {
        let mut path = vec![entity];
        let mut found = None;
        while let Some(above) = world.parent(path[path.len() - 1]) {
            if let Some(value) = known.get(&above) {
                found = *value;
                break;
            }
            path.push(above);
        }
        for entity in path.into_iter().rev() {
            found = own(entity, found).or(found);
            known.insert(entity, found);
        }
        found
    }

    fn place(&mut self, world: &World, entity: Entity) -> Affine3A {
        let own = |entity, above: Option<Affine3A>| {
            let transform = world.get::<Transform>(entity).filter(|_| world.has::<WorldTransform>(entity))?;
            Some(above.map_or(transform.matrix(), |above| above * transform.matrix()))
        };
        Self::of(&mut self.places, world, entity, own).unwrap()
    }

    fn trail(&mut self, world: &World, entity: Entity) -> Trail {
        let own = |entity, above: Option<Trail>| {
            let step = world.get::<Step>(entity).filter(|_| world.has::<Trail>(entity))?;
            Some(Trail::under(above.as_ref(), step))
        };
        Self::of(&mut self.trails, world, entity, own).unwrap()
    }
}

fn assert_places(world: &mut World) {
    let all: Vec<Entity> = world.query_filtered::<Entity, (With<Transform>, With<WorldTransform>)>().iter().collect();
    let mut naive = Naive::default();
    for entity in all {
        let place = world.get::<WorldTransform>(entity).unwrap().affine();
        assert_eq!(bits(place), bits(naive.place(world, entity)), "{entity}");
    }
}

fn assert_trails(world: &mut World) {
    let all: Vec<Entity> = world.query_filtered::<Entity, (With<Step>, With<Trail>)>().iter().collect();
    let mut naive = Naive::default();
    for entity in all {
        assert_eq!(*world.get::<Trail>(entity).unwrap(), naive.trail(world, entity), "{entity}");
    }
}

struct Model {
    world: World,
    random: Random,
    alive: Vec<Entity>,
}

impl Model {
    fn any(&mut self) -> Entity {
        self.alive[self.random.below(self.alive.len())]
    }

    /// A new entity with any of what there is.
    fn born(&mut self) {
        let parts = self.random.below(8);
        let entity = match parts & 3 {
            0 => self.world.spawn(()),
            1 => self.world.spawn(self.random.transform()),
            2 => self.world.spawn((self.random.transform(), Mark)),
            _ => self.world.spawn((self.random.transform(), Step(self.random.below(1000) as u64))),
        };
        if parts & 4 != 0 && !self.alive.is_empty() {
            let parent = self.any();
            self.world.insert(entity, ChildOf(parent)).unwrap();
        }
        self.alive.push(entity);
    }

    /// Changes something; answers whether all places must be right afterwards if all is done at once.
    fn step(&mut self) -> bool {
        if self.alive.len() < 4 {
            self.born();
            return false;
        }
        let (one, two) = (self.any(), self.any());
        let by = self.random.vector();
        match self.random.below(24) {
            0..=2 => {
                self.born();
                return false;
            }
            3..=5 => {
                let _circle = self.world.attach(one, two);
            }
            6 => {
                let first = self.world.first_child(two).unwrap_or(two);
                let place = if self.random.below(2) == 0 { Place::First } else { Place::Before(first) };
                let _circle = self.world.attach_at(one, two, place);
            }
            7 => {
                let _circle = self.world.insert(one, ChildOf(two));
            }
            8 => {
                self.world.detach(one).unwrap();
            }
            9 => {
                self.world.remove::<Parent>(one).unwrap();
            }
            10 => self.world.despawn(one).unwrap(),
            11 => self.world.despawn_alone(one).unwrap(),
            12 => {
                self.world.despawn_lazy(one).unwrap();
                match self.random.below(3) {
                    0 => self.world.collect(Collection::Exact),
                    1 => self.world.collect(Sampling { live_in_a_row: 2 }),
                    _ => 0,
                };
            }
            13 => {
                let some: Vec<Entity> = (0..self.random.below(6)).map(|_| self.any()).collect();
                self.world.translate_all(some, by);
            }
            14 => {
                let _absent = self.world.translate(one, by);
            }
            15 => {
                if let Some(transform) = self.world.get_mut::<Transform>(one) {
                    transform.translation += by;
                }
                if let Some(step) = self.world.get_mut::<Step>(two) {
                    step.0 += 1;
                }
                return false;
            }
            16 => {
                if self.world.has::<Transform>(one) {
                    self.world.remove::<Transform>(one).unwrap();
                } else {
                    self.world.insert(one, self.random.transform()).unwrap();
                }
                return false;
            }
            17 => {
                if self.world.has::<WorldTransform>(one) {
                    self.world.remove::<WorldTransform>(one).unwrap();
                } else {
                    self.world.insert(one, WorldTransform::default()).unwrap();
                }
                return false;
            }
            18 => {
                if self.world.has::<Step>(one) {
                    self.world.remove::<Step>(one).unwrap();
                } else {
                    self.world.insert(one, Step(5)).unwrap();
                }
                if self.random.below(3) == 0 {
                    self.world.remove::<Trail>(two).unwrap();
                } else {
                    self.world.insert(two, Trail(1)).unwrap();
                }
            }
            19 => {
                if self.world.has::<Mark>(one) {
                    self.world.remove::<Mark>(one).unwrap();
                } else {
                    self.world.insert(one, Mark).unwrap();
                }
            }
            20 => {
                let mut commands = self.world.commands();
                commands.remove::<ChildOf>(one);
                let entity = commands.spawn((self.random.transform(), Step(3), ChildOf(two)));
                self.world.apply(&mut commands).unwrap();
                self.alive.push(entity);
                return false;
            }
            21 => {
                let copy = self.world.clone_tree(one).unwrap();
                self.alive.extend(self.world.descendants(copy).chain([copy]));
                return false;
            }
            22 => {
                let mode = if self.is_immediate() { TransformMode::Deferred } else { TransformMode::Immediate };
                self.world.insert_resource(mode);
                return false;
            }
            _ => {
                self.world.query::<&mut Transform>().for_each(|transform| transform.translation += by);
                return false;
            }
        }
        true
    }

    fn is_immediate(&self) -> bool {
        self.world.get_resource::<TransformMode>() == Some(&TransformMode::Immediate)
    }

    /// Lets go of those who have ended, and of some more if they are too many.
    fn keep(&mut self, most: usize) {
        loop {
            let world = &self.world;
            self.alive.retain(|entity| world.is_alive(*entity));
            if self.alive.len() <= most {
                return;
            }
            let entity = self.any();
            self.world.despawn(entity).unwrap();
        }
    }

    fn run(&mut self, steps: usize, most: usize) {
        for step in 0..steps {
            let at_once = self.step();
            self.keep(most);
            if self.is_immediate() {
                if !at_once {
                    propagate(&mut self.world);
                }
                assert_places(&mut self.world);
            }
            if self.random.below(4) == 0 {
                propagate(&mut self.world);
                assert_places(&mut self.world);
                assert_eq!(propagate(&mut self.world), 0, "all was done");
            }
            if self.random.below(6) == 0 {
                inherit::<Trail>(&mut self.world);
                assert_trails(&mut self.world);
                assert_eq!(inherit::<Trail>(&mut self.world), 0, "all was done");
            }
            if step % 1000 == 999 && self.random.below(3) == 0 {
                self.world.clear();
                self.alive.clear();
            }
        }
        self.world.validate().unwrap();
    }
}

fn steps() -> usize {
    std::env::var("PHALANX_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(4000)
}

#[test]
fn what_is_inherited_agrees_with_a_naive_recomputation() {
    for seed in 0..6 {
        let mut model = Model { world: World::new(), random: Random(seed), alive: Vec::new() };
        if seed % 3 == 1 {
            // Where somebody is told, other ways are taken.
            model.world.observe::<ChildOf>(Act::Insert, |_| ());
        }
        model.run(steps(), [12, 60, 250][usize::try_from(seed % 3).unwrap()]);
    }
}

#[test]
fn changes_between_two_passes_may_be_many_and_go_back_and_forth() {
    let mut model = Model { world: World::new(), random: Random(77), alive: Vec::new() };
    for _ in 0..steps() / 40 {
        for _ in 0..40 {
            model.step();
            model.keep(80);
        }
        propagate(&mut model.world);
        assert_places(&mut model.world);
        inherit::<Trail>(&mut model.world);
        assert_trails(&mut model.world);
    }
}

/// Trees that stand one behind the other in memory, few of them across the end of a piece.
#[test]
fn trees_one_behind_the_other_agree_with_a_naive_recomputation_on_any_number_of_threads() {
    let mut sums = Vec::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        sums.push(pool.install(|| {
            let (mut world, mut random) = (World::new(), Random(5));
            let mut all: Vec<Entity> = Vec::new();
            while all.len() < 60_000 {
                let root = all.len();
                all.push(world.spawn(Step(random.below(1000) as u64)));
                for _ in 0..random.below(20) {
                    let above = all[root + random.below(all.len() - root)];
                    all.push(world.spawn((Step(random.below(1000) as u64), ChildOf(above))));
                }
            }
            // One has far away what it hangs from, and takes others along.
            world.attach(all[50_000], all[7]).unwrap();
            let mut sums = Vec::new();
            for passed_over in [0, 0, 5, 9] {
                for (number, entity) in all.iter().enumerate() {
                    if passed_over == 0 || number % 97 >= passed_over {
                        world.get_mut::<Step>(*entity).unwrap().0 += 1;
                    }
                }
                inherit::<Trail>(&mut world);
                assert_trails(&mut world);
                sums.push(world.content_checksum());
            }
            sums
        }));
    }
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Large trees, of which large parts move: on threads, with trees that hang from others.
#[test]
fn large_trees_agree_with_a_naive_recomputation_on_any_number_of_threads() {
    let mut sums = Vec::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let sum = pool.install(|| {
            let (mut world, mut random) = (World::new(), Random(11));
            let mut all: Vec<Entity> = Vec::new();
            for number in 0..40_000 {
                let step = Step(random.below(1000) as u64);
                // Bushy, with some long branches, and some that are alone.
                let parent = match random.below(40) {
                    0 => None,
                    1..=10 => all.last(),
                    11..=20 => all.get(random.below(8)),
                    _ => all.get(random.below(number + 1)),
                };
                all.push(match parent {
                    Some(parent) => world.spawn((step, ChildOf(*parent))),
                    None if random.below(9) == 0 => world.spawn(()),
                    None => world.spawn(step),
                });
            }
            inherit::<Trail>(&mut world);
            assert_trails(&mut world);
            let mut sums = vec![world.content_checksum()];
            for round in 0..(steps() / 400).min(60) {
                for _ in 0..[3, 30, 3000][round % 3] {
                    // The early ones have most below them.
                    let early = 1 + random.below(all.len());
                    let (one, two) = (all[random.below(early)], all[random.below(all.len())]);
                    if world.is_alive(one) && world.is_alive(two) {
                        let _circle = world.attach(one, two);
                    }
                }
                for _ in 0..[0, 20, 200][round % 3] {
                    let leaf = all[random.below(all.len())];
                    if world.is_alive(leaf) && world.first_child(leaf).is_none() {
                        world.despawn(leaf).unwrap();
                        all.push(world.spawn(Step(1)));
                    }
                }
                let changed = [1, 7, 400][random.below(3)];
                for entity in all.iter().step_by(changed) {
                    if let Some(step) = world.get_mut::<Step>(*entity) {
                        step.0 += 1;
                    }
                }
                inherit::<Trail>(&mut world);
                assert_trails(&mut world);
                sums.push(world.content_checksum());
            }
            assert!(sums.last().unwrap().is_complete());
            sums
        });
        sums.push(sum);
    }
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]));
}

/// As many change as make one pass look at them one by one, in batches, or by the tables; leaves and others, in tables that have rows to pass over, and while rows move.
#[test]
fn few_and_many_changes_in_large_forests_agree_with_a_naive_recomputation() {
    const COUNT: usize = if cfg!(debug_assertions) { 6_000 } else { 20_000 };
    let mut random = Random(9);
    let mut world = World::new();
    let mut all: Vec<Entity> = Vec::new();
    for at in 0..COUNT {
        let step = Step(random.below(1000) as u64);
        // Trees of about 15, in tables of who has a parent, is one, and has a mark.
        let above = (at % 15 > 0).then(|| ChildOf(all[at - 1 - random.below(at % 15)]));
        all.push(match (above, random.below(4)) {
            (Some(above), 0) => world.spawn((step, above, Mark)),
            (Some(above), _) => world.spawn((step, above)),
            (None, 0) => world.spawn((step, Mark)),
            (None, _) => world.spawn(step),
        });
    }
    let dead = world.spawn_batch((0..40).map(Step)).to_vec();
    // Beside them stand some who have a step and no trail: they hand down what is above them.
    for &entity in all.iter().step_by(97) {
        world.remove::<Trail>(entity).unwrap();
    }
    inherit::<Trail>(&mut world);
    assert_trails(&mut world);
    let amounts = [1, 2, 255, 256, 257, 511, COUNT / 8 - 1, COUNT / 8 + 1, COUNT / 2, COUNT];
    for round in 0..60 {
        for _ in 0..amounts[round % amounts.len()] {
            let entity = all[random.below(COUNT)];
            // Only leaves, only others, or any.
            let is_leaf = !world.has::<Parent>(entity);
            if round % 3 == 0 || is_leaf == (round % 3 == 1) {
                world.get_mut::<Step>(entity).unwrap().0 += 1;
            }
        }
        match round % 7 {
            // Rows move, of whom something else has changed.
            3 => drop(world.insert(all[random.below(COUNT)], Mark)),
            4 => drop(world.remove::<Mark>(all[random.below(COUNT)])),
            // Rows are passed over, and collected.
            5 => world.despawn_lazy(dead[round / 7]).unwrap(),
            6 if round > 30 => drop(world.collect(Collection::Exact)),
            _ => {}
        }
        inherit::<Trail>(&mut world);
        assert_trails(&mut world);
        assert_eq!(inherit::<Trail>(&mut world), 0, "nothing has changed since");
    }
}
