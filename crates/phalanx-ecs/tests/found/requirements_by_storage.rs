//! What comes along does not depend on storage (C7).

use phalanx_ecs::prelude::*;

macro_rules! family {
    ($module:ident, $storage:literal) => {
        mod $module {
            use phalanx_ecs::prelude::*;
            #[derive(Component)]
            #[component(requires(Middle))]
            pub struct Outer;
            #[derive(Component, Default)]
            #[component(storage = $storage, requires(Inner))]
            pub struct Middle;
            #[derive(Component, Default)]
            pub struct Inner;

            /// Whether inserting `Outer` again brings `Inner` back, where `Middle` is still there.
            pub fn inner_comes_back() -> bool {
                let mut world = World::new();
                let entity = world.spawn(Outer);
                assert!(world.has::<Inner>(entity));
                world.remove::<(Outer, Inner)>(entity).expect("alive");
                assert!(world.has::<Middle>(entity));
                world.insert(entity, Outer).expect("alive");
                world.has::<Inner>(entity)
            }
        }
    };
}

family!(in_tables, "table");
family!(in_sets, "sparse");

#[test]
fn what_a_present_component_requires_is_treated_alike_in_tables_and_sets() {
    assert_eq!(in_tables::inner_comes_back(), in_sets::inner_comes_back());
}

#[test]
fn a_limit_stops_an_endless_batch_of_sparse_components_too() {
    #[derive(Component)]
    struct InTable(#[expect(dead_code, reason = "has a size")] u8);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct InSet(#[expect(dead_code, reason = "has a size")] u8);

    // Stands for an endless iterator.
    const MANY: usize = 100_000;
    let mut asked = 0;
    let mut world = World::builder().limit(10).build();
    world.try_spawn_batch((0..MANY).filter(|_| true).map(|_| InTable(0)).inspect(|_| asked += 1)).expect_err("full");
    assert!(asked < 1000, "{asked} asked for");
    asked = 0;
    world.try_spawn_batch((0..MANY).filter(|_| true).map(|_| InSet(0)).inspect(|_| asked += 1)).expect_err("full");
    assert!(asked < 1000, "{asked} asked for");
}
