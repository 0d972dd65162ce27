//! Why an entity matches, or does not.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, Filter, Terms};

#[derive(Component)]
struct Text(String);
#[derive(Component)]
#[component(storage = "sparse")]
struct Sparse;
#[derive(Component)]
struct Moody;

/// `TermFound::term` and `Explanation::query` promise the terms as they were written.
#[test]
fn an_explanation_shows_optional_and_alternative_terms_as_they_were_written() {
    let mut world = World::new();
    let entity = world.spawn(Text(String::new()));
    let why = world.query_filtered::<(&Text, Option<&Sparse>), Or<(With<Text>, With<Moody>)>>().explain(entity);
    assert_eq!(why.terms[1].term, "Option<&Sparse>");
    assert_eq!(why.query, "(&Text, Option<&Sparse>) filtered by Or<(With<Text>, With<Moody>)>");
}

#[derive(Component)]
#[component(toggle, track)]
struct Shield(u32);
#[derive(Component)]
#[component(toggle, track, storage = "sparse")]
struct Torch(u32);

/// What an explanation says of the terms, where it agrees with the query itself.
fn says<Q: Terms, F: Filter>(query: &Query<'_, Q, F>, entity: Entity) -> Vec<String> {
    let why = query.explain(entity);
    assert_eq!(why.matches, query.contains(entity), "{why}");
    let culprits = why.terms.iter().any(|term| term.refused) || !why.alternatives.is_empty();
    assert_eq!(why.matches, !culprits, "{why}");
    why.to_string().lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_component_that_is_switched_off_is_the_cause() {
    let mut world = World::new();
    let entity = world.spawn((Shield(1), Torch(2)));
    assert_eq!(says(&world.query::<(&Shield, &Torch)>(), entity), ["&Shield: has `Shield`", "&Torch: has `Torch`"]);
    world.switch_off::<Shield>(entity).expect("there");
    world.switch_off::<Torch>(entity).expect("there");
    assert_eq!(
        says(&world.query_filtered::<(&Shield, Option<&Torch>), With<Torch>>(), entity),
        [
            "&Shield: has `Shield`, switched off   <- this is why",
            "Option<&Torch>: has `Torch`, switched off",
            "filter With<Torch>: has `Torch`, switched off   <- this is why"
        ]
    );
    assert_eq!(
        says(&world.query_filtered::<Has<Shield>, Without<Torch>>(), entity),
        [
            "Has<Shield>: has `Shield`, switched off",
            "filter Without<Torch>: has `Torch`, switched off   <- this is why"
        ]
    );
}

#[test]
fn even_off_and_off_find_what_is_switched_off_and_say_so() {
    let mut world = World::new();
    let entity = world.spawn((Shield(1), Torch(2)));
    type Down<'w> = (EvenOff<&'w Shield>, EvenOff<&'w mut Torch>);
    assert_eq!(
        says(&world.query_filtered::<Down<'_>, (Off<Shield>, Off<Torch>)>(), entity),
        [
            "EvenOff<&Shield>: has `Shield`",
            "EvenOff<&mut Torch>: has `Torch`",
            "filter Off<Shield>: has `Shield`, switched on   <- this is why",
            "filter Off<Torch>: has `Torch`, switched on   <- this is why"
        ]
    );
    world.switch_off::<Shield>(entity).expect("there");
    world.switch_off::<Torch>(entity).expect("there");
    assert_eq!(
        says(&world.query_filtered::<Down<'_>, (Off<Shield>, Off<Torch>)>(), entity),
        [
            "EvenOff<&Shield>: has `Shield`, switched off",
            "EvenOff<&mut Torch>: has `Torch`, switched off",
            "filter Off<Shield>: has `Shield`, switched off",
            "filter Off<Torch>: has `Torch`, switched off"
        ]
    );
    let bare = world.spawn(());
    assert_eq!(
        says(&world.query_filtered::<Entity, Off<Shield>>(), bare),
        ["filter Off<Shield>: lacks `Shield`   <- this is why"]
    );
}

#[test]
fn changed_and_added_speak_for_the_reader_that_asks() {
    let mut world = World::new();
    let entity = world.spawn((Shield(1), Torch(2)));
    let mut reader = Prepared::<Entity, (Changed<Shield>, Added<Torch>)>::new();
    assert_eq!(
        says(&reader.on(&mut world), entity),
        [
            "filter Changed<Shield>: has `Shield`, changed since the reader looked",
            "filter Added<Torch>: has `Torch`, added since the reader looked"
        ]
    );
    world.get_mut::<Shield>(entity).expect("there").0 = 7;
    world.get_mut::<Torch>(entity).expect("there").0 = 7;
    assert_eq!(
        says(&reader.on(&mut world), entity),
        [
            "filter Changed<Shield>: has `Shield`, changed since the reader looked",
            "filter Added<Torch>: has `Torch`, not added since the reader looked   <- this is why"
        ]
    );
    assert_eq!(
        says(&reader.on(&mut world), entity)[0],
        "filter Changed<Shield>: has `Shield`, not changed since the reader looked   <- this is why"
    );
    let mut fresh = Prepared::<Entity, (Changed<Shield>, Added<Torch>)>::new();
    assert!(fresh.on(&mut world).explain(entity).matches, "to a reader that never looked everything is new");
}

#[test]
fn alternatives_that_are_off_or_not_new_do_not_hold() {
    let mut world = World::new();
    let entity = world.spawn((Shield(1), Torch(2)));
    world.switch_off::<Torch>(entity).expect("there");
    let mut reader = Prepared::<Entity, Or<(Changed<Shield>, With<Torch>)>>::new();
    assert_eq!(says(&reader.on(&mut world), entity).len(), 2);
    assert_eq!(
        says(&reader.on(&mut world), entity),
        [
            "filter Changed<Shield>: has `Shield`, not changed since the reader looked",
            "filter With<Torch>: has `Torch`, switched off",
            "filter Or<(Changed<Shield>, With<Torch>)>: none of the alternatives holds   <- this is why"
        ]
    );
}
