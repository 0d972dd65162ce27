//! `error[O…]`: hooks and observers.

use crate::snapshot::{panic_of, says};
use phalanx_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Burning;

#[test]
fn o001_a_second_hook() {
    let mut world = World::new();
    world.hook::<Health>(Act::Insert, |_| ()).unwrap();
    says("o001_hook_taken", world.hook::<Health>(Act::Insert, |_| ()).unwrap_err());
}

#[test]
fn o002_observers_that_defer_without_end() {
    let mut world = World::new();
    world.observe::<Health>(Act::Insert, |trigger| {
        let (entity, next) = (trigger.entity(), Health(trigger.get::<Health>().unwrap().0 + 1));
        trigger.defer(move |world| world.insert(entity, next).unwrap());
    });
    says("o002_endless", panic_of(|| world.spawn(Health(1))));
}

#[test]
fn o003_sparse_mut_of_a_component_that_is_observed() {
    let mut world = World::new();
    world.observe::<Burning>(Act::Insert, |_| ());
    says("o003_sparse_mut", panic_of(|| _ = world.sparse_mut::<Burning>()));
}

#[test]
fn o004_an_observer_whose_commands_cannot_be_done() {
    let mut world = World::new();
    world.observe::<Health>(Act::Remove, |trigger| {
        let entity = trigger.entity();
        trigger.commands().despawn(entity);
        trigger.commands().insert(entity, Burning);
    });
    let orc = world.spawn(Health(1));
    says("o004_commands", panic_of(|| world.remove::<Health>(orc)));
}
