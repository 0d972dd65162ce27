use phalanx_ecs::prelude::*;

#[derive(Component)]
struct Position;
#[derive(Component)]
struct Velocity;

fn main() {
    let mut world = World::new();
    let car = world.spawn((Position, Velocity));
    world.get::<&Position>(car);
    world.get::<(Position, Velocity)>(car);
}
