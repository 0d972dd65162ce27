//! What the facade promises beside what the core does.

use phalanx::prelude::*;

#[derive(Component)]
struct Health(u32);

#[test]
fn the_prelude_has_at_most_25_names() {
    let text = include_str!("../src/prelude.rs");
    let code = || text.lines().filter(|line| !line.starts_with("//"));
    let names: Vec<&str> = code()
        .flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')))
        .filter(|word| !["", "pub", "use", "phalanx_ecs", "phalanx_schedule"].contains(word))
        .collect();
    assert!(
        names.contains(&"World") && !code().any(|line| line.contains('*')),
        "the names stand there one by one: {names:?}"
    );
    assert!(names.len() <= 25, "{} names: {names:?}", names.len());
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

#[test]
fn a_scheduled_program_needs_the_prelude_alone() {
    #[derive(Param)]
    struct Wounded<'w> {
        all: Query<'w, &'static mut Health>,
    }
    fn heal(mut wounded: Wounded) {
        wounded.all.for_each(|health| health.0 += 1);
    }
    let mut engine = Engine::new();
    engine.add(heal).expect("one argument");
    let orc = engine.world_mut().spawn(Health(1));
    engine.run_frames(3).expect("nothing fails");
    assert_eq!(engine.world().get::<Health>(orc).map(|health| health.0), Some(4));
}

#[test]
fn every_error_of_schedules_and_engines_is_one_that_main_can_return() {
    fn paint() {
        panic!("out of paint");
    }
    fn program() -> phalanx::Result {
        let mut engine = Engine::new();
        engine.group("Physics").pace(phalanx::fixed(50.0))?;
        engine.add(|| ())?.named("first");
        engine.add(|| ())?.named("then").after("first")?;
        engine.order_groups("Physics", "Update")?;
        engine.schedule_mut().disable("then")?;
        phalanx::run_once(engine.world_mut(), || ())?;
        engine.add(paint)?;
        engine.run_frames(1)?;
        Ok(())
    }
    let error = program().expect_err("it panics").to_string();
    assert!(error.starts_with("error[S006]: system `paint` of group `Update` failed"), "{error}");
    assert!(error.contains("it panicked: out of paint"), "{error}");
}
