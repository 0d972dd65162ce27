//! What the facade promises beside what the core does.

use phalanx::prelude::*;

#[derive(Component)]
struct Health(u32);

#[test]
fn the_prelude_has_at_most_30_names() {
    // The facade has no list of its own: two lists drift apart. 30, because each is a name that a program can no longer give away freely.
    assert!(
        include_str!("../src/prelude.rs").contains("\npub use phalanx_ecs::prelude::*;\n"),
        "the core's prelude is the list"
    );
    let text = include_str!("../../phalanx-ecs/src/prelude.rs");
    let code = || text.lines().filter(|line| !line.starts_with("//"));
    let names: Vec<&str> = code()
        .flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')))
        .filter(|word| !["", "pub", "use", "crate"].contains(word))
        .collect();
    assert!(
        names.contains(&"World") && !code().any(|line| line.contains('*')),
        "the names stand there one by one: {names:?}"
    );
    assert!(names.len() <= 30, "{} names: {names:?}", names.len());
}

#[test]
fn the_prelude_is_enough_for_a_program() {
    let mut world = World::new();
    let orc = world.spawn(Health(10));
    for health in world.query::<&mut Health>() {
        health.0 -= 1;
    }
    assert_eq!(world.get::<Health>(orc).map(|health| health.0), Some(9));
}

#[test]
fn an_error_from_main_prints_itself_as_people_should_read_it() {
    fn program() -> phalanx::Result {
        let mut world = World::new();
        let orc = world.spawn(Health(10));
        world.despawn(orc)?;
        world.despawn(orc)?;
        Ok(())
    }
    let error = program().expect_err("it is dead");
    let shown = error.to_string();
    assert!(shown.starts_with("error[E001]"), "{shown}");
    assert_eq!(format!("Error: {error:?}"), format!("Error: \n{shown}"), "`main` prints errors with Debug");
}

#[test]
fn an_error_can_be_made_of_words() {
    let error = phalanx::Error::msg("no \"save\" file");
    assert_eq!((error.to_string(), format!("{error:?}")), ("no \"save\" file".into(), "\nno \"save\" file".into()));
}
