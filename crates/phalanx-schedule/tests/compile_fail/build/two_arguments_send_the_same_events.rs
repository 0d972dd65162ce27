use phalanx_ecs::prelude::*;
use phalanx_schedule::{System, Writer};

#[derive(Event)]
struct Hit(u32);

fn strike(_: Writer<Hit>, _: Writer<Hit>) {}

fn main() {
    let _ = System::new(&mut World::new(), strike);
}
