use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Team(u8);

fn main() {
    let _ = Prepared::<Option<&mut Team>>::new();
}
