use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, Param};

#[derive(Component)]
struct Health(u32);

#[derive(Query)]
struct Body<'w> {
    health: &'w Health,
}

#[derive(Param)]
struct Reference<'a> {
    all: Query<'a, &'a mut Health>,
}

#[derive(Param)]
struct Tuple<'w> {
    all: Query<'w, (Entity, Option<&'w Health>)>,
}

#[derive(Param)]
struct Derived<'w> {
    all: Query<'w, Body<'w>>,
}

fn heal(_: Reference, _: Tuple, _: Derived) {}

fn main() {
    let _ = Engine::new().add(heal);
}
