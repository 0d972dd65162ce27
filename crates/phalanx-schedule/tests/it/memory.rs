//! Frames in steady state ask for no memory.

#![expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]

use crate::allocated::allocations_of;
use crate::ways::Way;
use phalanx_ecs::prelude::*;
use phalanx_schedule::{ApplyQueued, Engine, Local, Reader, Res, Writer, fixed};

#[derive(Component)]
struct Age(u32);
#[derive(Component)]
struct Marked;
#[derive(Resource)]
struct Count(u64);
#[derive(Event, Clone, Copy)]
struct Ended(Entity);

fn grow_older(mut all: Query<&mut Age>) {
    all.for_each(|age| age.0 += 1);
}

fn spawn(commands: &mut Commands) {
    for _ in 0..5 {
        commands.spawn(Age(0));
    }
}

fn end(all: Query<(Entity, &Age)>, commands: &mut Commands, mut ended: Writer<Ended>) {
    for (entity, age) in &all {
        if age.0 >= 20 {
            commands.despawn(entity);
            ended.send(Ended(entity));
        }
    }
}

fn mark(all: Query<Entity, Without<Marked>>, commands: &mut Commands, mut turn: Local<u32>) {
    *turn += 1;
    for entity in all.iter().take(3) {
        commands.insert(entity, Marked);
    }
}

fn count(mut ended: Reader<Ended>, mut count: ResMut<Count>) {
    count.0 += ended.read().filter(|ended| ended.0.index() < u32::MAX).count() as u64;
}

fn often(count: Res<Count>) -> bool {
    count.0.is_multiple_of(2)
}

#[test]
fn frames_in_steady_state_ask_for_no_memory() {
    let mut engine = Engine::new();
    // What the pool asks for when a stage is dealt out is its own.
    Way::InRow.set(engine.schedule_mut());
    engine.world_mut().insert_resource(Count(0));
    engine.group("Physics").pace(fixed(120.0)).unwrap();
    engine.add(grow_older).unwrap().to("Physics");
    engine.add(spawn).unwrap();
    engine.add(end).unwrap();
    engine.add(ApplyQueued).unwrap().after(end).unwrap();
    engine.add(mark).unwrap().run_if(often).unwrap();
    engine.add(count).unwrap();
    engine.run_frames(3000).unwrap();
    let alive = engine.world().alive();
    let asked = allocations_of(|| {
        engine.run_frames(1000).unwrap();
    });
    assert_eq!((alive, engine.world().alive()), (50, 50));
    assert!(asked <= 3, "1,000 frames ask {asked} times");
}
