//! One test per row of the list of behaviours, named by its id.

#![allow(clippy::needless_pass_by_value, reason = "arguments of systems are taken by value")]

mod nodes;

use glam::{Affine3A, Mat4, Quat, Vec3};
use phalanx_ecs::prelude::*;
use phalanx_scene::{
    ChildOf, HierarchyError, Kinship, Place, Transform, TransformMode, Transforms, WorldTransform, propagate,
};

/// Parent, first child, last child, previous and next sibling; children keep their order; new children go last; attach, detach and reorder take the same
/// time however many there are.
#[test]
fn h1_links() {
    let mut world = World::new();
    let [mother, a, b, c] = [(); 4].map(|()| world.spawn(()));
    for child in [a, b, c] {
        world.attach(child, mother).unwrap();
    }
    assert!(world.children(mother).eq([a, b, c]));
    assert_eq!((world.first_child(mother), world.last_child(mother)), (Some(a), Some(c)));
    assert_eq!((world.previous_sibling(b), world.next_sibling(b)), (Some(a), Some(c)));
    assert_eq!((world.previous_sibling(a), world.next_sibling(c), world.parent(b)), (None, None, Some(mother)));
    world.detach(b).unwrap();
    assert!(world.children(mother).eq([a, c]));
    world.attach(b, mother).unwrap();
    world.attach_at(c, mother, Place::Before(a)).unwrap();
    assert!(world.children(mother).eq([c, a, b]));

    // A hundred times as many siblings take no longer: far from it would show if links were searched.
    let time = |siblings: usize| {
        let mut world = World::new();
        let mother = world.spawn(());
        let all: Vec<Entity> = world.spawn_batch((0..siblings).map(|_| ChildOf(mother))).into_iter().collect();
        let (middle, start) = (all[siblings / 2], std::time::Instant::now());
        for _ in 0..2000 {
            world.attach_at(middle, mother, Place::First).unwrap();
            world.attach_at(middle, mother, Place::After(all[siblings - 1])).unwrap();
        }
        start.elapsed()
    };
    let best = |siblings| (0..3).map(|_| time(siblings)).min().unwrap();
    let (few, many) = (best(300), best(30_000));
    assert!(many < few * 20, "{few:?} among 300, {many:?} among 30,000");
}

/// World matrix = parent · T · R · S. translate adds, rotate premultiplies, scale multiplies; single and batch, with a result for each.
#[test]
fn h2_transforms() {
    let mut world = World::new();
    let (first, then) = (Quat::from_rotation_x(0.5), Quat::from_rotation_y(0.25));
    let arm = world.spawn(Transform::at(Vec3::new(1.0, 2.0, 3.0)).turned(first).sized(Vec3::splat(2.0)));
    let hand = world.spawn((Transform::at(Vec3::X), ChildOf(arm)));
    let stone = world.spawn(());
    world.translate(arm, Vec3::X).unwrap();
    world.rotate(arm, then).unwrap();
    world.scale(arm, Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let expected =
        Transform { translation: Vec3::new(2.0, 2.0, 3.0), rotation: then * first, scale: Vec3::new(2.0, 4.0, 6.0) };
    assert_eq!(world.get::<Transform>(arm), Some(&expected));
    world.edit_transform(hand, |transform| transform.translation = Vec3::Y).unwrap();
    propagate(&mut world);
    let parent = Mat4::from_translation(expected.translation)
        * Mat4::from_quat(expected.rotation)
        * Mat4::from_scale(expected.scale);
    let matrix = world.get::<WorldTransform>(hand).unwrap().matrix();
    assert!(matrix.abs_diff_eq(parent * Mat4::from_translation(Vec3::Y), 1e-5));

    let results = world.rotate_all([arm, stone, hand], then);
    assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    assert!(results[1].as_ref().unwrap_err().to_string().contains("Transform"));
    assert!(world.scale_all([hand], Vec3::ONE)[0].is_ok() && world.translate_all([stone], Vec3::ONE)[0].is_err());
}

/// Immediate: the world matrices of the entity and all descendants are right when the call returns. Deferred: marked, and propagated by one system. Both give
/// the same matrices.
#[test]
fn h3_immediate_and_deferred() {
    let places = |mode: TransformMode| {
        let mut world = World::new();
        world.insert_resource(mode);
        let mut all = vec![world.spawn(Transform::default())];
        for depth in 0_u8..20 {
            let parent = all[usize::from(depth)];
            let transform = Transform::at(Vec3::splat(f32::from(depth) * 0.1)).turned(Quat::from_rotation_z(0.3));
            all.push(world.spawn((transform, ChildOf(parent))));
        }
        propagate(&mut world);
        world.rotate(all[3], Quat::from_rotation_x(0.7)).unwrap();
        world.translate(all[0], Vec3::new(0.1, 0.2, 0.3)).unwrap();
        let before: Vec<Affine3A> = all.iter().map(|e| world.get::<WorldTransform>(*e).unwrap().affine()).collect();
        let written = propagate(&mut world);
        assert_eq!(written, 21, "the marks are there in both modes");
        let after: Vec<Affine3A> = all.iter().map(|e| world.get::<WorldTransform>(*e).unwrap().affine()).collect();
        (before, after)
    };
    let (now, now_propagated) = places(TransformMode::Immediate);
    let (stale, later) = places(TransformMode::Deferred);
    let bits = |places: &[Affine3A]| -> Vec<_> {
        places.iter().map(|place| place.to_cols_array().map(f32::to_bits)).collect()
    };
    assert_eq!(bits(&now), bits(&now_propagated), "right when the call returned");
    assert_ne!(bits(&stale), bits(&later), "only marked");
    assert_eq!(bits(&now), bits(&later));
}

/// Reparenting keeps local values, updates world ones, works for childless and non-first cases; a cycle is an error that changes nothing.
#[test]
fn h4_reparenting() {
    let mut world = World::new();
    let [left, right] = [Vec3::X, Vec3::Y].map(|place| world.spawn(Transform::at(place)));
    let [a, b, c] = [(); 3].map(|()| world.spawn((Transform::at(Vec3::Z), ChildOf(left))));
    let below = world.spawn((Transform::at(Vec3::Z), ChildOf(b)));
    propagate(&mut world);
    // Not the first, and with a child of its own; then one without children.
    world.attach(b, right).unwrap();
    world.attach(c, right).unwrap();
    propagate(&mut world);
    assert_eq!(world.get::<Transform>(b), Some(&Transform::at(Vec3::Z)));
    let place = |entity| world.get::<WorldTransform>(entity).unwrap().translation();
    assert_eq!(
        (place(a), place(b), place(below)),
        (Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 1.0), Vec3::new(0.0, 1.0, 2.0))
    );
    assert!(world.children(left).eq([a]) && world.children(right).eq([b, c]));

    let before = world.checksum();
    let error = world.attach(right, below).unwrap_err();
    assert!(matches!(&error, HierarchyError::Circle { path, .. } if *path == [right, below, b, right]), "{error}");
    assert_eq!(world.checksum(), before);
    world.validate().unwrap();
}

/// Despawning a parent despawns its descendants, or orphans them, by choice.
#[test]
fn h5_despawning() {
    let family = |world: &mut World| {
        let mother = world.spawn(());
        let child = world.spawn(ChildOf(mother));
        let grandchild = world.spawn(ChildOf(child));
        [mother, child, grandchild]
    };
    let mut world = World::new();
    let all = family(&mut world);
    world.despawn(all[0]).unwrap();
    assert_eq!(all.map(|entity| world.is_alive(entity)), [false; 3]);
    let all = family(&mut world);
    world.despawn_alone(all[0]).unwrap();
    assert_eq!(all.map(|entity| world.is_alive(entity)), [false, true, true]);
    assert_eq!((world.parent(all[1]), world.parent(all[2])), (None, Some(all[1])));
    world.validate().unwrap();
}
