//! Why an entity matches, or does not.

use phalanx_ecs::Component;
use phalanx_ecs::prelude::*;

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
