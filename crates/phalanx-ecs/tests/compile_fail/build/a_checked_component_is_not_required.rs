use phalanx_ecs::prelude::*;
use phalanx_ecs::{Check, Wish};

#[derive(Component, Clone, Copy, Default)]
#[component(check)]
struct Picky;

impl Check for Picky {
    fn check(_: &World, _: &[Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

#[derive(Component)]
#[component(requires(Picky))]
struct Host;

fn main() {
    World::new().spawn(Host);
}
