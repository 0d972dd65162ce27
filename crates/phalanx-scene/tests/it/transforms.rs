//! Where things are: relative to their parents, and in the world.

use glam::{Affine3A, Quat, Vec3};
use phalanx_ecs::prelude::*;
use phalanx_scene::{ChildOf, Kinship, Transform, TransformMode, Transforms, WorldTransform, propagate};

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

    fn rotation(&mut self) -> Quat {
        Quat::from_axis_angle(
            Vec3::new(1.0 + self.number().abs(), self.number(), self.number()).normalize(),
            self.number(),
        )
    }

    fn transform(&mut self) -> Transform {
        let scale = Vec3::splat(1.25) + self.vector() * 0.1;
        Transform::at(self.vector()).turned(self.rotation()).sized(scale)
    }
}

/// What an entity's place must be, worked out from the top for it alone.
fn expected(world: &World, entity: Entity) -> Affine3A {
    let own = world.get::<Transform>(entity).expect("has one").matrix();
    let above = world.ancestors(entity).find(|above| world.has::<Transform>(*above));
    above.map_or(own, |above| expected(world, above) * own)
}

fn bits(affine: Affine3A) -> [u32; 12] {
    affine.to_cols_array().map(f32::to_bits)
}

fn assert_placed(world: &mut World) {
    let all: Vec<Entity> = world.query_filtered::<Entity, With<Transform>>().iter().collect();
    for entity in all {
        let place = world.get::<WorldTransform>(entity).expect("comes along").affine();
        assert_eq!(bits(place), bits(expected(world, entity)), "{entity}");
    }
}

#[test]
fn places_follow_those_above_bit_for_bit_whatever_happens_in_between() {
    let (mut world, mut random) = (World::new(), Random(1));
    let mut alive: Vec<Entity> = Vec::new();
    for step in 0..3000 {
        let any = |random: &mut Random, alive: &[Entity]| alive[random.below(alive.len())];
        match random.below(12) {
            _ if alive.len() < 3 => alive.push(world.spawn(random.transform())),
            0 => alive.push(world.spawn(random.transform())),
            1 => {
                let parent = any(&mut random, &alive);
                alive.push(world.spawn((random.transform(), ChildOf(parent))));
            }
            2 => {
                // One without a place, which passes on that of its parent.
                let parent = any(&mut random, &alive);
                alive.push(world.spawn(ChildOf(parent)));
            }
            3..=4 => {
                let (child, parent) = (any(&mut random, &alive), any(&mut random, &alive));
                let _circle = world.attach(child, parent);
            }
            5 => {
                world.detach(any(&mut random, &alive)).unwrap();
            }
            6 => {
                let entity = any(&mut random, &alive);
                world.despawn(entity).unwrap();
                alive.retain(|entity| world.is_alive(*entity));
            }
            7 => {
                let entity = any(&mut random, &alive);
                if world.has::<Transform>(entity) {
                    world.remove::<Transform>(entity).unwrap();
                } else {
                    world.insert(entity, random.transform()).unwrap();
                }
            }
            8 => {
                let by = random.vector();
                world.translate_all(&alive, by);
            }
            9 => {
                let (entity, by) = (any(&mut random, &alive), random.rotation());
                let _absent = world.rotate(entity, by);
            }
            10 => {
                if let Some(transform) = world.get_mut::<Transform>(any(&mut random, &alive)) {
                    transform.translation.x += 1.0;
                }
            }
            _ => {
                let entity = any(&mut random, &alive);
                world.insert(entity, random.transform()).unwrap();
            }
        }
        if step % 5 == 0 {
            propagate(&mut world);
            assert_placed(&mut world);
            assert_eq!(propagate(&mut world), 0, "all was done");
        }
        while alive.len() > 80 {
            world.despawn(alive[0]).unwrap();
            alive.retain(|entity| world.is_alive(*entity));
        }
    }
    world.validate().unwrap();
}

#[test]
fn places_at_once_and_later_are_the_same_bit_for_bit() {
    let build = |mode| {
        let (mut world, mut random) = (World::new(), Random(7));
        world.insert_resource(mode);
        let mut all = vec![world.spawn(random.transform())];
        for number in 1..200 {
            let parent = all[random.below(number)];
            all.push(world.spawn((random.transform(), ChildOf(parent))));
        }
        propagate(&mut world);
        for _ in 0..300 {
            let entity = all[random.below(all.len())];
            match random.below(3) {
                0 => world.translate(entity, random.vector()).unwrap(),
                1 => world.rotate(entity, random.rotation()).unwrap(),
                _ => world.scale(entity, Vec3::ONE + random.vector() * 0.01).unwrap(),
            }
            if mode == TransformMode::Immediate {
                let place = world.get::<WorldTransform>(entity).unwrap().affine();
                assert_eq!(bits(place), bits(expected(&world, entity)));
            }
        }
        (world, all)
    };
    let ((mut now, these), (mut later, those)) = (build(TransformMode::Immediate), build(TransformMode::Deferred));
    assert_placed(&mut now);
    assert!(propagate(&mut later) > 0);
    assert_placed(&mut later);
    for (this, that) in these.into_iter().zip(those) {
        let place = |world: &World, entity| bits(world.get::<WorldTransform>(entity).unwrap().affine());
        assert_eq!(place(&now, this), place(&later, that));
    }
    assert_eq!(now.content_checksum(), later.content_checksum());
    assert!(now.content_checksum().is_complete());
}

#[test]
fn only_what_has_changed_and_what_is_below_is_worked_out() {
    let mut world = World::new();
    let root = world.spawn(Transform::default());
    let branches: Vec<Entity> = (0..10).map(|_| world.spawn((Transform::default(), ChildOf(root)))).collect();
    for branch in &branches {
        world.spawn_batch((0..10).map(|_| (Transform::default(), ChildOf(*branch))));
    }
    assert_eq!(propagate(&mut world), 111);
    world.translate(branches[3], Vec3::X).unwrap();
    assert_eq!(propagate(&mut world), 11);
    // One below the other: once.
    let leaf = world.first_child(branches[3]).unwrap();
    world.translate_all([leaf, branches[3]], Vec3::X);
    assert_eq!(propagate(&mut world), 11);
    world.attach(branches[4], branches[5]).unwrap();
    assert_eq!(propagate(&mut world), 11, "what has another parent");
    world.attach_at(branches[4], branches[5], phalanx_scene::Place::First).unwrap();
    assert_eq!(propagate(&mut world), 0, "another order is no other place");
    world.translate(root, Vec3::Y).unwrap();
    assert_eq!(propagate(&mut world), 111);
    assert_placed(&mut world);
}

#[test]
fn a_place_that_is_asked_for_is_up_to_date() {
    let mut world = World::new();
    let arm = world.spawn(Transform::at(Vec3::Y));
    let joint = world.spawn(ChildOf(arm));
    let hand = world.spawn((Transform::at(Vec3::X), ChildOf(joint)));
    assert_eq!(world.place_of(hand).unwrap().translation(), Vec3::new(1.0, 1.0, 0.0));
    assert!(world.place_of(joint).is_err());
    propagate(&mut world);
    assert_eq!(world.get::<WorldTransform>(hand).unwrap().translation(), Vec3::new(1.0, 1.0, 0.0));
}

#[test]
fn a_deep_chain_is_placed() {
    let count: u16 = 20_000;
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..count).map(|_| Transform::at(Vec3::X))).into_iter().collect();
    world.insert_batch(&all[1..], all.iter().map(|parent| ChildOf(*parent))).unwrap();
    assert_eq!(propagate(&mut world), usize::from(count));
    let last = world.get::<WorldTransform>(all[all.len() - 1]).unwrap();
    assert_eq!(last.translation(), Vec3::new(f32::from(count), 0.0, 0.0));
}

/// Many trees: broad, deep, one in one, and some that nobody is above.
fn forest(random: &mut Random, world: &mut World, count: usize) -> Vec<Entity> {
    let mut all: Vec<Entity> = Vec::with_capacity(count);
    while all.len() < count {
        let parent = match random.below(50) {
            0 => None,
            // The latest: deep. An early one: broad.
            1..=20 => all.last().copied(),
            21..=40 => all.get(random.below(10)).copied(),
            _ => all.get(random.below(all.len() + 1)).copied(),
        };
        let mut transform = random.transform();
        transform.scale = Vec3::ONE;
        all.push(match parent {
            Some(parent) => world.spawn((transform, ChildOf(parent))),
            None => world.spawn(transform),
        });
    }
    all
}

#[test]
fn places_are_the_same_bit_for_bit_on_any_number_of_threads() {
    let mut sums = Vec::new();
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, mut random) = (World::new(), Random(3));
            let all = forest(&mut random, &mut world, 30_000);
            propagate(&mut world);
            let first = world.content_checksum();
            // Some, but with most of the others below them; and those that lie in between must stay as they are.
            for entity in all.iter().take(20) {
                world.translate(*entity, random.vector()).unwrap();
            }
            assert!(propagate(&mut world) > 20_000);
            let second = world.content_checksum();
            for entity in &all {
                world.translate(*entity, random.vector()).unwrap();
            }
            assert_eq!(propagate(&mut world), all.len());
            sums.push((first, second, world.content_checksum()));
            if threads != 2 {
                return;
            }
            for entity in all.iter().step_by(997) {
                let place = world.get::<WorldTransform>(*entity).unwrap().affine();
                assert_eq!(bits(place), bits(world.place_of(*entity).unwrap().affine()));
            }
        });
    }
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn many_small_ranges_are_the_same_bit_for_bit_on_any_number_of_threads() {
    let mut sums = Vec::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, mut random) = (World::new(), Random(4));
            let root = world.spawn(random.transform());
            let own: Vec<_> = (0..60_000).map(|_| random.transform()).collect();
            let alone = world.spawn_batch(own[..30_000].to_vec()).to_vec();
            let below = world.spawn_batch(own[30_000..].iter().map(|own| (*own, ChildOf(root)))).to_vec();
            assert_eq!(propagate(&mut world), 60_001);
            // A still root, and each of the others a range of its own; then some of them, in rows that are not in order, with something to pass over.
            let by = random.vector();
            world.translate_all(alone.iter().chain(&below), by);
            assert_eq!(propagate(&mut world), 60_000);
            let mut sum = vec![world.content_checksum()];
            for (every, entities) in [(7, &alone), (3, &below)] {
                for (number, entity) in entities.iter().enumerate() {
                    if number % every != 0 {
                        world.translate(*entity, by).unwrap();
                    } else if number % 60 == 0 {
                        world.attach(*entity, below[random.below(number + 1)]).unwrap_or_default();
                    }
                }
                assert!(propagate(&mut world) > 20_000);
                sum.push(world.content_checksum());
            }
            assert_placed(&mut world);
            sums.push(sum);
        });
    }
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn rows_that_move_are_found_again() {
    #[derive(Component, Clone)]
    struct Mark;
    let mut world = World::new();
    let a = world.spawn(Transform::default());
    let b = world.spawn((Transform::at(Vec3::X), Mark));
    let c = world.spawn((Transform::at(Vec3::Y * 50.0), Mark));
    world.spawn_batch([a, b, c].map(|parent| (Transform::default(), ChildOf(parent))));
    propagate(&mut world);
    // The same entities in the same order, but another table begins between them.
    world.remove::<Mark>(b).unwrap();
    world.translate_all([a, b, c], Vec3::X);
    propagate(&mut world);
    assert_placed(&mut world);
    world.insert(a, Mark).unwrap();
    world.translate_all([a, b, c], Vec3::X);
    propagate(&mut world);
    assert_placed(&mut world);

    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch([Transform::default(); 3]).into_iter().collect();
    world.despawn_lazy(all[1]).unwrap();
    propagate(&mut world);
    world.collect(phalanx_ecs::Collection::Exact);
    world.translate_all([all[0], all[2]], Vec3::X);
    propagate(&mut world);
    assert_placed(&mut world);
}

#[test]
fn any_choice_that_changes_is_worked_out_and_counted_once() {
    #[derive(Component, Clone)]
    struct Mark;
    let (mut world, mut random) = (World::new(), Random(9));
    let all = forest(&mut random, &mut world, 300);
    world.insert_batch(&all[..100], std::iter::repeat_n(Mark, 100)).unwrap();
    propagate(&mut world);
    for round in 0..600 {
        // From one to nearly all, about as often on each side of where another way is taken.
        let one_in = [1000, 200, 40, 12, 9, 8, 7, 3, 1][round % 9];
        let changed: Vec<Entity> = all.iter().filter(|_| random.below(one_in) == 0).copied().collect();
        world.translate_all(&changed, Vec3::X);
        // In some rounds rows move: of those that have changed, of what is above them, of others.
        for _ in 0..(round / 9 % 3) * random.below(3) {
            let which = random.below(all.len());
            let entity = changed.get(which % 4).copied().unwrap_or(all[which]);
            if world.has::<Mark>(entity) {
                world.remove::<Mark>(entity).unwrap();
            } else {
                world.insert(entity, Mark).unwrap();
            }
        }
        let is_below =
            |entity: Entity| changed.contains(&entity) || world.ancestors(entity).any(|above| changed.contains(&above));
        let expected = all.iter().filter(|entity| is_below(**entity)).count();
        assert_eq!(propagate(&mut world), expected, "round {round}, one in {one_in}");
        assert_placed(&mut world);
    }
}

#[test]
fn a_place_that_comes_again_is_worked_out_again() {
    let mut world = World::new();
    let stone = world.spawn(Transform::at(Vec3::X));
    propagate(&mut world);
    world.remove::<WorldTransform>(stone).unwrap();
    propagate(&mut world);
    world.insert(stone, WorldTransform::default()).unwrap();
    assert_eq!(propagate(&mut world), 1);
    assert_placed(&mut world);
    // Also without a pass in between.
    world.remove::<WorldTransform>(stone).unwrap();
    world.insert(stone, WorldTransform::default()).unwrap();
    propagate(&mut world);
    assert_placed(&mut world);
}
