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
    // Not dropped: what the row holds today is no text.
    let mut world = std::mem::ManuallyDrop::new(World::new());
    world.register::<Text>();
    assert_eq!(panic_of(|| world.spawn(Moody(0))), "not now");
    REQUIRE_PANICS.set(false);
    // Today the second spawn panics too, after the row was made part of its table and before the text was written to it:
    // looking at the text then is undefined behaviour.
    world.spawn((Moody(1), Text("here".into())));
    world.validate().expect("consistent");
    assert_eq!(world.query::<&Text>().single().expect("one").0, "here");
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
