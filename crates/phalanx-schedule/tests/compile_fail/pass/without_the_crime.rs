//! What the programs in `build` do, without the crime: it builds, so they fail for the reason they say.

use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, IntoCondition, IntoSystem, Local, Param, Reader, Res, Writer, run_once};

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armour(u32);
#[derive(Component)]
struct Player;
#[derive(Event)]
struct Hit(u32);
#[derive(Resource)]
struct Score(u32);
#[derive(Resource)]
struct Lives(u32);

#[derive(Param)]
struct Wounded<'w> {
    all: Query<'w, &'static mut Health, With<Player>>,
}

#[derive(Query)]
struct Body<'w> {
    health: &'w Health,
}

/// What a derived argument may say of references.
#[derive(Param)]
struct Borrowed<'w> {
    all: Query<'w, (Entity, &'static Health, Option<&'static Armour>)>,
    bodies: Query<'w, Body<'static>>,
    pair: (&'w mut Commands, Option<Res<'w, Score>>),
    function: Local<'w, Option<fn(&u32) -> &u32>>,
    named: Local<'w, Option<for<'a> fn(&'a u32, &u32) -> &'a u32>>,
    boxed: Local<'w, Option<Box<dyn Fn(&World) -> bool + Send>>>,
}

fn borrow(_: Borrowed) {}
fn different(_: ResMut<Score>, _: Res<Lives>, _: Query<&mut Health>, _: Query<&mut Armour>, _: Writer<Hit>) {}
fn twice_read(_: Res<Score>, _: Res<Score>, _: Query<&Health>, _: Query<&Health>, _: &World, _: Reader<Hit>) {}
fn apart(_: Wounded, _: Query<&mut Health, Without<Player>>) {}
fn write(_: Query<&mut Health>, _: ResMut<Score>) {}

fn main() {
    let mut engine = Engine::new();
    engine.add(borrow).unwrap();
    engine.world_mut().insert_resource(Score(1));
    engine.world_mut().insert_resource(Lives(1));
    engine.add_all((different, twice_read, apart, write)).unwrap();
    engine.run_frames(1).unwrap();
    let and_then = |_: phalanx_schedule::In<()>, _: Query<&mut Health>, _: ResMut<Score>| ();
    run_once(engine.world_mut(), write.pipe(and_then)).unwrap();
    let only_reads = |_: Query<&Health>, _: Res<Score>, _: &World, _: Reader<Hit>, mut asked: Local<u32>| {
        *asked += 1;
        *asked == 1
    };
    engine.add(|| ()).unwrap().run_if(only_reads).unwrap();
    engine.group("Update").only_if(only_reads.negated()).unwrap();
}
