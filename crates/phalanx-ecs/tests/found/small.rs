//! Smaller faults.

use crate::hostile::{Ledger, assert_well, held, panic_of};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, DynQuery, Requirements, Storage};

struct Sparse;
impl Component for Sparse {
    const STORAGE: Storage = Storage::Sparse;
}

#[test]
fn a_dynamic_query_learns_of_a_type_registered_after_its_first_use() {
    let id = World::new().register::<Sparse>();
    let mut world = World::new();
    let mut query = DynQuery::builder().read(id).build().expect("one term");
    assert_eq!(query.count(&world), 0, "this world does not know the id yet");
    assert_eq!(world.register::<Sparse>(), id);
    world.spawn(Sparse);
    assert_eq!(query.count(&world), 1);
}

thread_local!(static REQUIRE_PANICS: std::cell::Cell<bool> = const { std::cell::Cell::new(true) });

struct Moody(#[expect(dead_code, reason = "has a size")] u8);
impl Component for Moody {
    const STORAGE: Storage = Storage::Sparse;
    fn require(_: &mut Requirements<'_>) {
        assert!(!REQUIRE_PANICS.get(), "not now");
    }
}

#[derive(Component)]
struct Text(String);

#[test]
fn a_panic_while_requirements_are_collected_leaves_the_type_usable() {
    let mut world = World::new();
    world.register::<Text>();
    assert_eq!(panic_of(|| world.spawn(Moody(0))), "not now");
    REQUIRE_PANICS.set(false);
    world.spawn((Moody(1), Text("here".into())));
    world.validate().expect("consistent");
    assert_eq!(world.query::<&Text>().single().expect("one").0, "here");
}

thread_local!(static FIRST: std::cell::Cell<bool> = const { std::cell::Cell::new(true) });

#[derive(Component)]
struct Wheels(u32);

struct Car;
impl Component for Car {
    fn require(requirements: &mut Requirements<'_>) {
        assert!(!FIRST.replace(false), "not now");
        requirements.add::<Wheels>(|| Wheels(4));
    }
}

#[test]
fn requirements_that_could_not_be_had_are_asked_for_again() {
    let mut world = World::new();
    assert_eq!(panic_of(|| world.spawn(Car)), "not now");
    let car = world.spawn(Car);
    assert_eq!(world.get::<Wheels>(car).expect("it came along").0, 4);
}

#[test]
fn despawning_through_an_editor_ends_the_entity_though_a_waiting_value_panics() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(());
    let message = panic_of(|| {
        let mut edit = world.entity_mut(entity).expect("alive");
        edit.insert(held::<false, 0>());
        ledger.drop_panics_at(1);
        edit.despawn();
    });
    assert_eq!(message, "this drop panics");
    assert!(!world.is_alive(entity));
    assert_well(&world, ledger, 0);
}

#[test]
fn an_editor_dropped_while_panicking_swallows_a_second_panic() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(held::<false, 0>());
    let message = panic_of(|| {
        let mut edit = world.entity_mut(entity).expect("alive");
        edit.insert(held::<false, 0>());
        ledger.drop_panics_at(1);
        panic!("the user's own");
    });
    assert_eq!(message, "the user's own");
    assert_well(&world, ledger, 1);
}

#[test]
fn a_world_whose_tables_and_sets_all_panic_when_dropped_drops_everything() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.spawn(held::<false, 0>());
    world.spawn((held::<false, 0>(), held::<false, 1>()));
    world.spawn((held::<true, 2>(), held::<true, 3>()));
    ledger.all_drops_panic(true);
    assert_eq!(panic_of(|| drop(world)), "this drop panics");
    assert_well(&World::new(), ledger, 0);
}

/// `TermFound::term` and `Explanation::query` promise the terms as they were written.
#[test]
fn an_explanation_shows_optional_and_alternative_terms_as_they_were_written() {
    let mut world = World::new();
    let entity = world.spawn(Text(String::new()));
    let why = world.query_filtered::<(&Text, Option<&Sparse>), Or<(With<Text>, With<Moody>)>>().explain(entity);
    assert_eq!(why.terms[1].term, "Option<&Sparse>");
    assert_eq!(why.query, "(&Text, Option<&Sparse>, Or<(With<Text>, With<Moody>)>)");
}

#[derive(Component)]
struct Never(#[expect(dead_code, reason = "has a size")] u8);

#[derive(Component)]
#[component(requires(Never = panic!("cannot be made")))]
struct Needy;

/// A constructor and a drop panic: the first panic goes on, nothing is lost, and the program does not end.
#[test]
fn a_constructor_and_a_drop_that_panic_do_not_end_the_program() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(());
    for route in 0..5 {
        ledger.drop_panics_at(1);
        let message = panic_of(|| match route {
            0 => drop(world.spawn((Needy, held::<false, 0>()))),
            1 => drop(world.spawn_batch([(Needy, held::<false, 0>())])),
            2 => world.insert(entity, (Needy, held::<false, 0>())).expect("alive"),
            3 => world.entity_mut(entity).expect("alive").insert((Needy, held::<false, 0>())).apply(),
            _ => {
                let mut bundle = BundleBuilder::new();
                bundle.add(Needy).add(held::<false, 0>());
                world.insert_bundle_dyn(entity, bundle).expect("alive");
            }
        });
        assert_eq!(message, "cannot be made", "route {route}");
        assert_well(&world, ledger, 0);
    }
    assert_eq!(world.alive(), 1);
}
