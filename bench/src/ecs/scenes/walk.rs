//! A walk over the nodes of a scene, and over the same entities by a plain query: as both are kept between frames, and in systems of an engine (`system`).

use phalanx_ecs::{Prepared, Query, WithDyn, World};
use phalanx_scene::{Node, Nodes, SceneId, SceneWorld as _};
use phalanx_schedule::Engine;

use crate::components::{Position, Velocity, movers};
use crate::harness::{Cases, Digest};
use crate::workloads;

#[derive(Node)]
struct Mover<'w> {
    position: &'w mut Position,
    velocity: &'w Velocity,
}

fn spawn(world: &mut World) {
    world.spawn_batch(movers(workloads::SCENE_WALK.items));
}

fn level(world: &mut World) -> SceneId {
    spawn(world);
    let level = world.create_scene("level").expect("the first of its name");
    level.add_matching::<Mover<'_>>(world).expect("it is there");
    level
}

fn digest(world: &mut World) -> Digest {
    Digest::of(world.query::<(&Position, &Velocity)>())
}

type PlainWalk = (World, Prepared<(&'static mut Position, &'static Velocity)>);
type SceneWalk = (World, Prepared<Mover<'static>, WithDyn>);

pub fn queries(cases: &mut Cases) {
    let build = || -> PlainWalk {
        let mut world = World::new();
        spawn(&mut world);
        (world, Prepared::new())
    };
    let step = |(world, query): &mut PlainWalk| {
        query.on(world).for_each(|(position, velocity)| position.step(velocity));
    };
    cases.lasting(&workloads::SCENE_WALK, "", build, step, |(world, _)| digest(world));

    fn step_all(mut all: Query<(&mut Position, &Velocity)>) {
        all.for_each(|(position, velocity)| position.step(velocity));
    }
    let build = || {
        let mut engine = Engine::new();
        spawn(engine.world_mut());
        engine.add(step_all).expect("a system");
        engine
    };
    cases.lasting(&workloads::SCENE_WALK, "system", build, run_frame, |engine| digest(engine.world_mut()));
}

pub fn nodes(cases: &mut Cases) {
    let build = || -> SceneWalk {
        let mut world = World::new();
        let level = level(&mut world);
        let movers = level.prepare(&mut world).expect("it is there");
        (world, movers)
    };
    let step = |(world, movers): &mut SceneWalk| {
        movers.on(world).for_each(|Mover { position, velocity }| position.step(velocity));
    };
    cases.lasting(&workloads::SCENE_WALK, "", build, step, |(world, _)| digest(world));

    fn step_all(mut movers: Nodes<Mover>) {
        movers.for_each(|Mover { position, velocity }| position.step(velocity));
    }
    let build = || {
        let mut engine = Engine::new();
        let level = level(engine.world_mut());
        level.add(&mut engine, step_all).expect("a system");
        engine
    };
    cases.lasting(&workloads::SCENE_WALK, "system", build, run_frame, |engine| digest(engine.world_mut()));
}

fn run_frame(engine: &mut Engine) {
    engine.run_frames(1).expect("nothing fails");
}
