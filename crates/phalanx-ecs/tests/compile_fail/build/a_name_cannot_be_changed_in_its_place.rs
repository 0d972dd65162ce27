use phalanx_ecs::Name;
use phalanx_ecs::prelude::*;

fn main() {
    for name in World::new().query::<&mut Name>() {
        *name = Name::new("other");
    }
}
