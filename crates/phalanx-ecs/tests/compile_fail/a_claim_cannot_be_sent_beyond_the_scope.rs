use phalanx_ecs::prelude::*;

fn on_a_thread(_: impl FnOnce() + Send + 'static) {}

fn main() {
    let mut world = World::new();
    let plan = world.plan("nothing").build();
    let lend = world.lend();
    let claim = lend.claim(&plan).unwrap();
    on_a_thread(move || println!("{}", claim.name()));
}
