//! Every message of schedules and engines, compared with `snapshots/*.txt` word for word.
//!
//! A message that changed on purpose is written anew with `PHALANX_BLESS=1 cargo test -p phalanx-schedule --test messages`.

mod codes;

use phalanx_ecs::prelude::*;
use phalanx_schedule::check_orders;
use phalanx_schedule::{
    Engine, IntoCondition, Main, MainMut, Reader, Res, Schedule, System, Writer, every_nth, fixed, insert_main,
    run_once, take_main,
};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[derive(Component)]
struct Player;
#[derive(Component)]
struct Enemy;
#[derive(Resource)]
struct Gravity(f32);
#[derive(Resource)]
struct Score(u32);

struct Window;

fn physics() {}
fn collision() {}
fn render() {}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/messages/snapshots"))
}

/// Compares a message with `snapshots/<name>.txt`; lines of files are left out of it.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a reference sign at every call says nothing")]
fn says(name: &str, message: impl ToString) {
    let mut found = String::new();
    for word in message.to_string().split_inclusive(char::is_whitespace) {
        match word.split_once(".rs:") {
            Some((path, rest)) => {
                let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
                found += file;
                found += ".rs:LINE";
                found += rest.trim_start_matches(|c: char| c.is_ascii_digit());
            }
            None => found += word,
        }
    }
    found += "\n";
    let file = folder().join(name).with_extension("txt");
    if std::env::var_os("PHALANX_BLESS").is_some() {
        fs::write(&file, found).unwrap_or_else(|error| panic!("{name}: {error}"));
        return;
    }
    let expected =
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("no snapshot `{name}` ({error}) of\n{found}"));
    assert!(found == expected.replace("\r\n", "\n"), "`{name}` says\n{found}\nand not\n{expected}");
}

fn three() -> (Schedule, World) {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.add(&mut world, physics).unwrap();
    schedule.add(&mut world, collision).unwrap().after(physics).unwrap();
    schedule.add(&mut world, render).unwrap().after(collision).unwrap();
    (schedule, world)
}

#[test]
fn s001_arguments_in_each_others_way() {
    // What is derived would not even build, but for the filters.
    struct Health;
    impl Component for Health {}
    struct Score;
    impl Resource for Score {}
    struct Hit;
    impl Event for Hit {}
    fn heal(_: Query<&mut Health>, _: Query<(Entity, &Health)>) {}
    fn score(_: Res<Score>, _: ResMut<Score>) {}
    fn add(_: ResMut<Score>, _: ResMut<Score>) {}
    fn load(_: &mut World, _: Query<Entity>) {}
    fn look(_: &World, _: MainMut<Window>) {}
    fn near(_: Query<&Health, With<Player>>, _: Query<&mut Health, (With<Player>, Without<Enemy>)>) {}
    fn answer(_: Reader<Hit>, _: Writer<Hit>) {}
    fn shout(_: Writer<Hit>, _: Writer<Hit>) {}
    let mut world = World::new();
    says("s001_resource_twice", System::new(&mut world, add).unwrap_err());
    says("s001_shared_world", System::new(&mut world, look).unwrap_err());
    says("s001_filtered", System::new(&mut world, near).unwrap_err());
    says("s001_events", System::new(&mut world, answer).unwrap_err());
    says("s001_events_twice", System::new(&mut world, shout).unwrap_err());
    says("s001_queries", System::new(&mut world, heal).unwrap_err());
    says("s001_resources", System::new(&mut world, score).unwrap_err());
    says("s001_world", System::new(&mut world, load).unwrap_err());
    fn draw(_: Main<Window>, _: MainMut<Window>) {}
    says("s001_main", System::new(&mut world, draw).unwrap_err());
}

/// What a message advises is written out beside it, and is accepted.
#[test]
fn s001_what_is_advised_is_accepted() {
    struct Health;
    impl Component for Health {}
    #[derive(Component)]
    #[component(track)]
    struct Armour;
    macro_rules! advice {
        ($name:literal, $one:ty, $other:ty => $(($($advised:ty),*)),*) => {{
            let mut world = World::new();
            let error = System::new(&mut world, |_: $one, _: $other| ()).unwrap_err().to_string();
            $(
                let advised = [$(stringify!($advised)),*].map(|text| format!("`{text}`")).join(" and ");
                assert!(error.contains(&advised), "{error}\nand not\n{advised}");
                System::new(&mut world, |$(_: $advised),*| ()).unwrap();
            )*
            says($name, error);
        }};
    }
    advice!("s001_one_component", Query<&mut Health>, Query<&Health> =>
        (Query<&mut Health>), (Query<&mut Health, With<Player>>, Query<&Health, Without<Player>>));
    advice!("s001_written_twice", Query<(Entity, &mut Health)>, Query<&mut Health> => (Query<(Entity, &mut Health)>));
    advice!("s001_optional", Query<&mut Health>, Query<(Entity, Option<&Health>, Option<&Armour>)> =>
        (Query<(Option<&mut Health>, Entity, Option<&Armour>)>));
    advice!("s001_with", Query<&mut Health, With<Player>>, Query<&Health> =>
        (Query<&mut Health, With<Player>>, Query<&Health, Without<Player>>));
    advice!("s001_without", Query<&Health, Changed<Armour>>, Query<(&mut Health, &Armour), Without<Player>> =>
        (Query<&Health, (Changed<Armour>, With<Player>)>, Query<(&mut Health, &Armour), Without<Player>>));
    advice!("s001_by_term", Query<&mut Health>, Query<(&Health, &Armour)> =>
        (Query<&mut Health, Without<Armour>>, Query<(&Health, &Armour)>));
}

#[test]
fn s002_cycles() {
    let (mut schedule, mut world) = three();
    says("s002_three", schedule.order(render, physics).unwrap_err());
    says("s002_two", schedule.order(collision, physics).unwrap_err());
    says("s002_itself", schedule.order(physics, physics).unwrap_err());
    let ids: Vec<_> =
        (0..100).map(|i| schedule.add(&mut world, || ()).unwrap().named(format!("step {i}")).id()).collect();
    ids.windows(2).for_each(|pair| schedule.order(pair[0], pair[1]).unwrap());
    says("s002_hundred", schedule.order(ids[99], ids[0]).unwrap_err());
    mod left {
        pub fn run() {}
    }
    mod right {
        pub fn run() {}
    }
    schedule.add(&mut world, left::run).unwrap();
    schedule.add(&mut world, right::run).unwrap().after(left::run).unwrap();
    says("s002_same_name", schedule.order(right::run, left::run).unwrap_err());
    says("s003_same_name", schedule.unorder("run", "physics").unwrap_err());
    assert!(schedule.unorder(left::run, right::run).unwrap(), "what both advise");
    let first = schedule.add(&mut world, render).unwrap().after(left::run).unwrap().id();
    says("s002_same_function", schedule.order(first, left::run).unwrap_err());
    let ids = [(); 2].map(|()| schedule.add(&mut world, || ()).unwrap().id());
    schedule.order(ids[0], ids[1]).unwrap();
    says("s002_closures", schedule.order(ids[1], ids[0]).unwrap_err());
    schedule.order_groups("Input", "Physics").unwrap();
    says("s002_groups", schedule.order_groups("Physics", "Input").unwrap_err());
}

#[test]
fn s003_unknown_systems() {
    let (mut schedule, mut world) = three();
    says("s003_name", schedule.find("paint").unwrap_err());
    fn paint() {}
    says("s003_function", schedule.find(paint).unwrap_err());
    let id = schedule.find(render).unwrap();
    schedule.remove(render).unwrap();
    says("s003_removed", schedule.find(id).unwrap_err());
    schedule.add(&mut world, physics).unwrap();
    says("s003_several", schedule.find(physics).unwrap_err());
    says("s003_value", schedule.remove(physics as fn()).unwrap_err());
    says("s003_none", Schedule::new().find("paint").unwrap_err());
    says("s003_near", schedule.find("collisions").unwrap_err());
    says("s003_other_schedule", three().0.find(id).unwrap_err());
    mod sound {
        pub fn collision() {}
    }
    says("s003_other_function", schedule.find(sound::collision).unwrap_err());
    let gone = schedule.find(collision).unwrap();
    schedule.remove(gone).unwrap();
    for i in 0..200 {
        schedule.add(&mut world, || ()).unwrap().named(format!("step {i}"));
    }
    says("s003_many", schedule.find("paint").unwrap_err());
    // Another one has its place by now.
    says("s003_removed_long_ago", schedule.find(gone).unwrap_err());
    for _ in 0..30 {
        schedule.add(&mut world, physics).unwrap();
    }
    says("s003_very_many", schedule.find(physics).unwrap_err());
}

#[test]
fn s004_other_groups() {
    let (mut schedule, mut world) = three();
    fn late() {}
    schedule.add(&mut world, late).unwrap().to("Late");
    says("s004_other_group", schedule.order(physics, late).unwrap_err());
    fn later() {}
    schedule.add(&mut world, later).unwrap().before(physics).unwrap().to("Late");
    says("s004_lost", schedule.run(&mut world).unwrap_err());
}

#[test]
fn s005_and_s006_faults() {
    fn fall(_: Res<Gravity>) {}
    fn read() -> Result<(), &'static str> {
        Err("no such file")
    }
    #[expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]
    fn kill(dead: Query<Entity>, commands: &mut Commands) {
        let one = dead.first().expect("one");
        commands.despawn(one);
        commands.despawn(one);
    }
    let mut world = World::new();
    world.insert_resource(Score(1));
    let mut fault = |system: fn(&mut Schedule, &mut World)| {
        let mut schedule = Schedule::new();
        system(&mut schedule, &mut world);
        schedule.run(&mut world).unwrap_err()
    };
    says(
        "s005_missing_resource",
        fault(|schedule, world| {
            schedule.add(world, fall).unwrap();
        }),
    );
    says(
        "s005_removed",
        fault(|schedule, world| {
            world.insert_resource(Gravity(1.0));
            world.remove_resource::<Gravity>();
            schedule.add(world, fall).unwrap();
        }),
    );
    says(
        "s005_missing_main",
        fault(|schedule, world| {
            fn draw(_: Main<Window>) {}
            schedule.add(world, draw).unwrap();
        }),
    );
    says(
        "s006_returned",
        fault(|schedule, world| {
            schedule.add(world, read).unwrap();
        }),
    );
    says(
        "s006_ended_by_other",
        fault(|schedule, world| {
            fn reap(all: Query<Entity>, commands: &mut Commands) {
                all.into_iter().for_each(|entity| commands.despawn(entity));
            }
            fn burn(all: Query<Entity>, commands: &mut Commands) {
                all.into_iter().for_each(|entity| commands.insert(entity, Name::new("ash")));
            }
            world.spawn(());
            schedule.add(world, reap).unwrap();
            schedule.add(world, burn).unwrap();
        }),
    );
    says(
        "s006_command",
        fault(|schedule, world| {
            world.spawn(());
            schedule.add(world, kill).unwrap();
        }),
    );
    says(
        "s006_condition",
        fault(|schedule, world| {
            schedule.group("Update").only_if(world, |gravity: Res<Gravity>| gravity.0 > 0.0).unwrap();
        }),
    );
    says(
        "s006_condition_of_system",
        fault(|schedule, world| {
            fn is_heavy(_: Res<Gravity>) -> bool {
                true
            }
            schedule.add(world, read).unwrap().run_if(is_heavy).unwrap();
        }),
    );
    fn paint() {
        panic!("out of paint");
    }
    says(
        "s006_panicked",
        fault(|schedule, world| {
            schedule.add(world, paint).unwrap();
        }),
    );
    fn spill(commands: &mut Commands) {
        commands.run(|world: &mut World| assert!(world.alive() > 9, "out of paint"));
    }
    says(
        "s006_command_panicked",
        fault(|schedule, world| {
            schedule.add(world, spill).unwrap();
        }),
    );
    says(
        "s006_condition_panicked",
        fault(|schedule, world| {
            fn is_known() -> bool {
                panic!("nobody knows");
            }
            schedule.group("Update").only_if(world, is_known).unwrap();
        }),
    );
    let mut other = World::new();
    let mut schedule = Schedule::new();
    schedule.add(&mut other, physics).unwrap();
    says("s006_other_world", schedule.run(&mut world).unwrap_err());
}

#[test]
fn s007_paces() {
    let mut engine = Engine::new();
    for (name, pace) in [
        ("s007_zero", fixed(0.0)),
        ("s007_nan", fixed(f64::NAN)),
        ("s007_fast", fixed(1e9)),
        ("s007_nth", every_nth(0)),
    ] {
        says(name, engine.group("Physics").pace(pace).unwrap_err());
    }
}

#[test]
fn s009_orders_that_leave_a_trace() {
    #[derive(Component)]
    struct Apples(u32);
    #[derive(Component)]
    struct Pears(u32);
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let build = || {
        let (mut world, mut schedule) = (World::new(), Schedule::new());
        COUNT.store(0, Relaxed);
        world.spawn((Apples(0), Pears(0)));
        let next = || COUNT.fetch_add(1, Relaxed);
        schedule.add(&mut world, move |mut all: Query<&mut Apples>| all.for_each(|apples| apples.0 = next())).unwrap();
        schedule.add(&mut world, move |mut all: Query<&mut Pears>| all.for_each(|pears| pears.0 = next())).unwrap();
        (world, schedule)
    };
    says("s009_trace", check_orders(build, 1, 10).unwrap_err());
}

#[test]
fn s010_values_that_stay_on_another_thread() {
    fn draw(_: Main<Window>) {}
    let mut world = World::new();
    insert_main(&mut world, Window);
    let elsewhere = std::thread::Builder::new().name("worker".into());
    let asked =
        elsewhere.spawn(move || (run_once(&mut world, draw).unwrap_err(), take_main::<Window>(&mut world).err()));
    let (refused, taken) = asked.unwrap().join().unwrap();
    says("s010_system", refused);
    says("s010_taken", taken.unwrap());
}

#[test]
fn s011_conditions_that_change_something() {
    fn is_shown(_: MainMut<Window>) -> bool {
        true
    }
    let mut engine = Engine::new();
    says("s011_main", engine.add(physics).unwrap().run_if(is_shown).unwrap_err());
    says("s011_several", engine.group("Update").only_if((|| true).and(is_shown.negated())).unwrap_err());
}

#[test]
fn s012_no_such_group() {
    let (mut schedule, mut world) = three();
    says("s012_far", schedule.run_group(&mut world, "Rendering").unwrap_err());
    says("s012_near", schedule.run_group(&mut world, "update").unwrap_err());
    for i in 0..30 {
        schedule.group(&format!("Step {i}"));
    }
    says("s012_many", schedule.run_group(&mut world, "Rendering").unwrap_err());
    says("s012_none", Schedule::new().run_group(&mut World::new(), "Rendering").unwrap_err());
}
