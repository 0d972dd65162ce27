//! `error[R…]`, and the short forms of readers and queues.

use crate::snapshot::says;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ResourceReader, Retention};

#[derive(Resource)]
struct Score(u32);
#[derive(Resource)]
#[resource(name = "Pull of the Earth")]
struct Gravity;
#[derive(Event)]
struct Hit;

#[test]
fn a_missing_resource() {
    let mut world = World::new();
    says("r001_in_an_empty_world", world.resource::<Score>().err().unwrap());
    world.insert_resource(Score(1));
    says("r001_never_inserted", world.resource::<Gravity>().err().unwrap());
    world.insert_resource(Gravity);
    world.remove_resource::<Score>();
    let error = world.resource_mut::<Score>().err().unwrap();
    says("r001_removed", &error);
    assert_eq!(format!("{error:?}"), error.to_string(), "`unwrap` says the same");
}

#[test]
fn short_forms() {
    let mut world = World::new();
    let mut hits = EventReader::<Hit>::new();
    world.keep_events::<Hit>(Retention::Last(2));
    world.send_batch([Hit, Hit, Hit]);
    let iter = format!("{:?}", hits.read(&world));
    hits.read(&world).next();
    world.insert_resource(Score(1));
    let mut score = ResourceReader::<Score>::new();
    score.changed(&world);
    let lines = [
        format!("{:?}", world.events::<Hit>()),
        iter,
        format!("{:?}", hits.read_with_number(&world)),
        format!("{hits:?}"),
        format!("{score:?}"),
        format!("{:?} {}", world.now(), world.now()),
        format!("{:?}", world.resources().next().unwrap()),
        world.resource::<Score>().unwrap().0.to_string(),
    ];
    says("debug_of_events_and_resources", lines.join("\n"));
}
