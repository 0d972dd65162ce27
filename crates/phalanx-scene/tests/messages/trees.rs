//! Parents and children, and where they are.

use crate::says;
use crate::warnings::warnings_of;
use phalanx_ecs::prelude::*;
use phalanx_scene::glam::Vec3;
use phalanx_scene::{ChildOf, Kinship, Place, Transform, propagate};

#[test]
fn h002_circles() {
    let mut world = World::new();
    let top = world.spawn(Name::new("Top"));
    says("h002_itself", world.attach(top, top).unwrap_err());
    let mut last = top;
    for length in 2..=100 {
        last = world.spawn(ChildOf(last));
        match length {
            2 => says("h002_two", world.attach(top, last).unwrap_err()),
            9 => says("h002_nine", world.attach(top, last).unwrap_err()),
            100 => says("h002_hundred", world.attach(top, last).unwrap_err()),
            _ => {}
        }
    }
    says("h002_inserted", world.insert(top, ChildOf(last)).unwrap_err());
}

#[test]
fn h003_places_beside_nobody() {
    let mut world = World::new();
    let [mother, child, other] = [(); 3].map(|()| world.spawn(()));
    world.attach(child, mother).unwrap();
    says("h003_no_child", world.attach_at(child, mother, Place::Before(other)).unwrap_err());
    says("h003_itself", world.attach_at(child, mother, Place::After(child)).unwrap_err());
}

#[test]
fn h004_and_h005_transforms_that_lead_nowhere() {
    let mut world = World::new();
    world.spawn((Name::new("Lost"), Transform::at(Vec3::NAN)));
    world.spawn(Transform { scale: Vec3::ZERO, ..Transform::default() });
    let [lost, flat] = &warnings_of(|| _ = propagate(&mut world))[..] else { panic!("two warnings") };
    says("h004", lost);
    says("h005", flat);
}

#[test]
fn h006_places_beyond_all_bounds() {
    let mut world = World::new();
    let huge = || Transform { scale: Vec3::splat(1e30), ..Transform::default() };
    let giant = world.spawn(huge());
    world.spawn((Name::new("Beyond"), huge(), ChildOf(giant)));
    let [beyond] = &warnings_of(|| _ = propagate(&mut world))[..] else { panic!("one warning") };
    says("h006", beyond);
}
