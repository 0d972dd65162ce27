//! Places that are right when the call returns, and what is said where there is none.

use glam::Vec3;
use phalanx_ecs::prelude::*;
use phalanx_scene::{
    ChildOf, Kinship, Parent, Transform, TransformMode, Transforms, WorldTransform, inherit, propagate,
};
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

fn immediate() -> World {
    let mut world = World::new();
    world.insert_resource(TransformMode::Immediate);
    world
}

#[track_caller]
fn assert_at(world: &World, entity: Entity, at: Vec3) {
    assert_eq!(world.get::<WorldTransform>(entity).unwrap().translation(), at, "{entity}");
}

const X: Vec3 = Vec3::X;
const Y: Vec3 = Vec3::Y;
const Z: Vec3 = Vec3::Z;

#[test]
fn h3_places_follow_a_new_parent_at_once() {
    let mut world = immediate();
    let [a, b, c] = [X, Y, Z].map(|at| world.spawn(Transform::at(at)));
    world.translate(a, X).unwrap();
    world.attach(b, a).unwrap();
    assert_at(&world, b, Vec3::new(2.0, 1.0, 0.0));
    // With what is below; and from one parent to another, which goes without an insert.
    world.attach(c, b).unwrap();
    assert_at(&world, c, Vec3::new(2.0, 1.0, 1.0));
    let other = world.spawn(Transform::at(X * 10.0));
    world.attach(b, other).unwrap();
    assert_at(&world, b, Vec3::new(10.0, 1.0, 0.0));
    assert_at(&world, c, Vec3::new(10.0, 1.0, 1.0));
    world.insert(c, ChildOf(a)).unwrap();
    assert_at(&world, c, Vec3::new(2.0, 0.0, 1.0));
    world.attach_all([b, other], c).unwrap();
    assert_at(&world, b, Vec3::new(2.0, 1.0, 1.0));
    assert_at(&world, other, Vec3::new(12.0, 0.0, 1.0));
    world.detach(b).unwrap();
    assert_at(&world, b, Y);
    assert!(propagate(&mut world) > 0);
    assert_at(&world, b, Y);
}

#[test]
fn h3_places_follow_at_once_when_a_parent_ends_or_lets_its_children_go() {
    let mut world = immediate();
    let top = world.spawn(Transform::at(X));
    let [a, b] = [Y, Z].map(|at| world.spawn((Transform::at(at), ChildOf(top))));
    assert_at(&world, a, Vec3::new(1.0, 1.0, 0.0));
    let below = world.spawn((Transform::at(Y), ChildOf(a)));
    assert_at(&world, below, Vec3::new(1.0, 2.0, 0.0));
    world.despawn_alone(top).unwrap();
    assert_at(&world, a, Y);
    assert_at(&world, b, Z);
    assert_at(&world, below, Y * 2.0);
    world.remove::<Parent>(a).unwrap();
    assert_at(&world, below, Y);
    // Commands, and a parent that has no place of its own.
    let carrier = world.spawn(ChildOf(b));
    let mut commands = world.commands();
    commands.insert(below, ChildOf(carrier));
    world.apply(&mut commands).unwrap();
    assert_at(&world, below, Vec3::new(0.0, 1.0, 1.0));
    world.detach(carrier).unwrap();
    assert_at(&world, below, Y);
}

#[test]
fn links_leave_places_alone_as_long_as_all_is_done_later() {
    let mut world = World::new();
    let a = world.spawn(Transform::at(X));
    let b = world.spawn((Transform::at(Y), ChildOf(a)));
    assert_at(&world, b, Vec3::ZERO);
    world.insert_resource(TransformMode::Immediate);
    world.detach(b).unwrap();
    assert_at(&world, b, Y);
    world.insert_resource(TransformMode::Deferred);
    world.attach(b, a).unwrap();
    assert_at(&world, b, Y);
    assert_eq!(propagate(&mut world), 2);
    assert_at(&world, b, Vec3::new(1.0, 1.0, 0.0));
}

#[test]
fn a_batch_places_all_that_it_names_and_all_below() {
    let mut world = immediate();
    let a = world.spawn(Transform::at(X));
    let joint = world.spawn(ChildOf(a));
    let b = world.spawn((Transform::at(Y), ChildOf(joint)));
    let c = world.spawn((Transform::at(Z), ChildOf(b)));
    let d = world.spawn((Transform::at(Z), ChildOf(b)));
    // In any order, with doubles and strangers.
    let done = world.translate_all([c, b, joint, b, a], X);
    assert_eq!(done.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true, true]);
    assert_at(&world, a, X * 2.0);
    assert_at(&world, b, Vec3::new(4.0, 1.0, 0.0));
    assert_at(&world, c, Vec3::new(5.0, 1.0, 1.0));
    assert_at(&world, d, Vec3::new(4.0, 1.0, 1.0));
    world.translate_all([d, c], Y);
    assert_at(&world, c, Vec3::new(5.0, 2.0, 1.0));
    assert_at(&world, d, Vec3::new(4.0, 2.0, 1.0));
}

/// How much longer it takes for sixteen times as many.
fn growth(mut run: impl FnMut(usize) -> f64) -> f64 {
    let mut best = |count| (0..5).map(|_| run(count)).fold(f64::MAX, f64::min);
    best(16_000) / best(1000)
}

#[test]
fn at_once_takes_as_long_as_there_are_places_to_work_out() {
    // Quadratic, they would take 256 times as long. Machines that others use too are allowed much.
    let chain = growth(|count| {
        let mut world = World::new();
        let all: Vec<Entity> = world.spawn_batch(vec![Transform::at(X); count]).into_iter().collect();
        world.insert_batch(&all[1..], all.iter().map(|parent| ChildOf(*parent))).unwrap();
        world.insert_resource(TransformMode::Immediate);
        let start = Instant::now();
        world.translate_all(&all, X);
        start.elapsed().as_secs_f64()
    });
    assert!(chain < 120.0, "a chain, all moved: {chain} times as long");
    let leaves = growth(|count| {
        let mut world = World::new();
        let root = world.spawn(Transform::IDENTITY);
        let joints: Vec<Entity> = world.spawn_batch(vec![(); count]).into_iter().collect();
        let parents = std::iter::once(&root).chain(&joints);
        world.insert_batch(&joints, parents.map(|parent| ChildOf(*parent))).unwrap();
        let last = joints[count - 1];
        world.spawn_batch(vec![(Transform::at(X), ChildOf(last)); count]);
        world.insert_resource(TransformMode::Immediate);
        let start = Instant::now();
        world.translate(root, X).unwrap();
        start.elapsed().as_secs_f64()
    });
    assert!(leaves < 120.0, "leaves far below, the root moved: {leaves} times as long");
}

#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<String>>>);

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Said {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.lock().unwrap().push(message.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn said_of(act: impl FnOnce()) -> Vec<String> {
    let said = Said::default();
    tracing::subscriber::with_default(said.clone(), act);
    std::mem::take(&mut *said.0.lock().unwrap())
}

#[test]
fn a_place_beyond_all_bounds_is_that_of_the_parent_and_is_told_of_once() {
    for mode in [TransformMode::Deferred, TransformMode::Immediate] {
        let said = said_of(|| {
            let mut world = World::new();
            world.insert_resource(mode);
            let sun = world.spawn(Transform::at(X).sized(Vec3::splat(1e30)));
            let moon = world.spawn((Name::new("moon"), Transform::default().sized(Vec3::splat(1e30)), ChildOf(sun)));
            let rock = world.spawn((Transform::at(Y), ChildOf(moon)));
            propagate(&mut world);
            let place = |world: &World, entity| *world.get::<WorldTransform>(entity).unwrap();
            assert_eq!(place(&world, moon), place(&world, sun));
            assert_eq!(place(&world, rock).translation(), Vec3::new(1.0, 1e30, 0.0));
            // Not again.
            world.translate(moon, Z).unwrap();
            propagate(&mut world);
            assert_eq!(place(&world, moon), place(&world, sun));
            world.scale(moon, Vec3::splat(1e-30)).unwrap();
            propagate(&mut world);
            assert_ne!(place(&world, moon), place(&world, sun));
        });
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(
            said[0].starts_with("warning[H006]: the place of entity 1v0 \"moon\" in the world is not finite"),
            "{said:?}"
        );
    }
}

#[test]
fn a_transform_that_is_no_number_is_told_of_as_such() {
    let said = said_of(|| {
        let mut world = World::new();
        let lost = world.spawn(Transform::at(Vec3::NAN));
        propagate(&mut world);
        assert_at(&world, lost, Vec3::ZERO);
    });
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(said[0].starts_with("warning[H004]"), "{said:?}");
}

#[test]
fn of_several_faults_of_a_transform_the_first_is_told_and_another_is_not_said_to_have_the_second() {
    let said = said_of(|| {
        let mut world = World::new();
        let both = world.spawn(Transform::at(Vec3::NAN).sized(Vec3::ZERO));
        propagate(&mut world);
        world.translate(both, X).unwrap();
        assert_eq!(inherit::<WorldTransform>(&mut world), 1);
        // Another way to the same.
        world.spawn((Name::new("flat"), Transform::default().sized(Vec3::new(1.0, 0.0, 1.0))));
        assert_eq!(inherit::<WorldTransform>(&mut world), 1);
    });
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(said[0].starts_with("warning[H004]: the transform of entity 0v0 is not finite"), "{said:?}");
    assert!(said[1].starts_with("warning[H005]: the transform of entity 1v0 \"flat\" has a size of zero"), "{said:?}");
}

#[test]
fn nothing_is_told_of_who_is_not_placed() {
    let said = said_of(|| {
        let mut world = World::new();
        let large = Transform::default().sized(Vec3::splat(1e30));
        let passes_on = world.spawn(large);
        world.remove::<WorldTransform>(passes_on).unwrap();
        let sun = world.spawn(large);
        world.attach(passes_on, sun).unwrap();
        propagate(&mut world);
        world.insert_resource(TransformMode::Immediate);
        world.edit_transform(passes_on, |transform| transform.translation = Vec3::NAN).unwrap();
        world.insert_resource(TransformMode::Deferred);
        world.spawn((Name::new("lost"), large, ChildOf(sun)));
        propagate(&mut world);
    });
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(said[0].starts_with("warning[H006]: the place of entity 2v0 \"lost\""), "{said:?}");
}

#[test]
fn an_edit_looks_for_lost_places_only_where_it_has_been() {
    // As many edits in a world a hundred times as large: what they cost must not follow.
    let edits = |others: usize| {
        let mut world = World::new();
        world.insert_resource(TransformMode::Immediate);
        let top = world.spawn(Transform::default());
        let all: Vec<Entity> = (0..others).map(|_| world.spawn((Transform::default(), ChildOf(top)))).collect();
        propagate(&mut world);
        // What waits for `propagate` makes places that are edited now be lost, and is not to be found in their ancestors yet.
        world.get_mut::<Transform>(top).unwrap().scale = Vec3::splat(1e30);
        let start = Instant::now();
        for entity in &all[..100] {
            world.edit_transform(*entity, |transform| transform.scale = Vec3::splat(1e30)).unwrap();
        }
        start.elapsed()
    };
    let best = |others| (0..3).map(|_| edits(others)).min().unwrap();
    let (few, many) = (best(200), best(20_000));
    assert!(many < few * 20, "{few:?} in a small world, {many:?} in a large one");
}
