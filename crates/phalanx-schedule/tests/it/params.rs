//! Arguments of systems.

use phalanx_ecs::prelude::*;
use phalanx_schedule::{
    Engine, FaultKind, FaultPolicy, In, IntoSystem, Local, Param, Refusal, Res, Schedule, System, SystemId, run_once,
};
use std::sync::Arc;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Score(u32);

#[derive(Component)]
struct Poisoned;
#[derive(Resource)]
struct Generic<T: Send + Sync + 'static>(T);

#[test]
fn arguments_that_get_in_each_others_way_are_refused_by_name() {
    let mut world = World::new();
    // Without the filter it would not even build.
    let conflict = |_: Query<&mut Health, With<Health>>, _: Query<&Health>| ();
    let error = System::new(&mut world, conflict).unwrap_err().to_string();
    assert!(error.contains("component `Health`: written by `Query<&mut Health, With<Health>>`"), "{error}");
    assert!(error.contains("read by `Query<&Health>`"), "{error}");
    let error = System::new(&mut world, |_: Res<Generic<u8>>, _: ResMut<Generic<u8>>| ()).unwrap_err().to_string();
    assert!(
        error.contains("resource `Generic<u8>`: read by `Res<Generic<u8>>`, written by `ResMut<Generic<u8>>`"),
        "{error}"
    );
    assert!(System::new(&mut world, |_: &mut World, _: Query<Entity>| ()).is_err());
    System::new(&mut world, |_: Res<Generic<u8>>, _: ResMut<Generic<u16>>, _: Query<&mut Health>| ()).unwrap();
}

#[test]
fn arguments_that_are_kept_apart_may_ask_for_the_same() {
    let mut world = World::new();
    let apart = |_: Query<&mut Health, With<Poisoned>>, _: Query<&mut Health, Without<Poisoned>>| ();
    System::new(&mut world, apart).unwrap();
    System::new(&mut world, |_: Query<&Health>, _: Query<(&Health, &mut Poisoned)>, _: Res<Score>, _: Res<Score>| ())
        .unwrap();
}

#[test]
fn tuples_of_arguments_are_arguments() {
    let mut world = World::new();
    world.insert_resource(Score(2));
    world.spawn(Health(3));
    let sum = run_once(&mut world, |(score, all): (Res<Score>, Query<&Health>), (): ()| {
        score.0 + all.iter().map(|health| health.0).sum::<u32>()
    });
    assert_eq!(sum.unwrap(), 5);
}

#[test]
fn instances_of_one_function_have_locals_of_their_own() {
    fn tick(mut count: Local<u32>, mut score: ResMut<Score>) {
        *count += 1;
        score.0 = score.0 * 10 + *count;
    }
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    world.insert_resource(Score(0));
    schedule.add(&mut world, tick).unwrap();
    let second = schedule.add(&mut world, tick).unwrap().id();
    schedule.run(&mut world).unwrap();
    schedule.disable(second).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(world.resource::<Score>().unwrap().0, 112);
}

#[test]
fn a_system_knows_which_one_it_is() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.add(&mut world, || ()).unwrap();
    let id = schedule.add(&mut world, |id: SystemId, commands: &mut Commands| {
        commands.insert_resource(Score(u32::from(format!("{id:?}") == "system #1")));
    });
    assert_eq!(format!("{:?}", id.unwrap().id()), "system #1");
    schedule.run(&mut world).unwrap();
    assert_eq!(world.resource::<Score>().unwrap().0, 1);
}

#[test]
fn piped_systems_may_ask_for_the_same() {
    fn first(mut all: Query<&mut Health>) -> u32 {
        all.for_each(|health| health.0 += 1);
        all.iter_mut().map(|health| health.0).sum()
    }
    fn second(In(sum): In<u32>, mut all: Query<&mut Health>) {
        all.for_each(|health| health.0 *= sum);
    }
    let mut world = World::new();
    let orc = world.spawn(Health(2));
    run_once(&mut world, first.pipe(second)).unwrap();
    assert_eq!(world.get::<Health>(orc).unwrap().0, 9);
}

#[test]
fn a_system_of_another_world_is_refused() {
    let (mut one, mut other) = (World::new(), World::new());
    let mut system = System::new(&mut one, |_: Query<&Health>| ()).unwrap();
    assert!(system.run(&mut other).unwrap_err().to_string().starts_with("error[S008]"));
    system.run(&mut one).unwrap();
}

#[test]
fn all_queues_of_a_system_are_applied_and_their_errors_joined() {
    #[derive(Param)]
    struct Both<'a>(&'a mut Commands, &'a mut Commands);
    fn twice_gone(queue: &mut Commands) {
        let stone = queue.spawn(());
        queue.despawn(stone);
        queue.despawn(stone);
    }
    fn two(first: &mut Commands, second: &mut Commands) {
        twice_gone(first);
        twice_gone(second);
        second.spawn(());
    }
    #[expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]
    fn derived(both: Both<'_>) {
        two(both.0, both.1);
    }
    fn one(queue: &mut Commands) {
        twice_gone(queue);
    }
    fn other(_: In<()>, queue: &mut Commands) {
        twice_gone(queue);
        queue.spawn(());
    }
    let mut engine = Engine::new();
    engine.add(two).unwrap().on_fault(FaultPolicy::Disable);
    engine.add(derived).unwrap().on_fault(FaultPolicy::Disable);
    engine.add(one.pipe(other)).unwrap().on_fault(FaultPolicy::Disable);
    engine.run_frames(1).unwrap();
    assert_eq!(engine.world().alive(), 3, "what was queued second is not left for a later frame");
    let faults = engine.faults();
    assert_eq!(faults.len(), 3);
    for fault in faults {
        let FaultKind::Refused(Refusal::Commands(why)) = &fault.kind else { panic!("{fault}") };
        assert_eq!(why.errors.len(), 2, "{fault}");
    }
    engine.run_frames(1).unwrap();
    assert_eq!(engine.world().alive(), 3);
}

#[test]
fn a_panic_in_one_queue_of_a_system_leaves_the_others_to_be_applied_at_once() {
    fn break_off(_: &mut World) {
        panic!("in the first queue");
    }
    fn two(first: &mut Commands, second: &mut Commands) {
        first.run(break_off);
        second.spawn(());
    }
    fn one(queue: &mut Commands) {
        queue.run(break_off);
    }
    fn other(_: In<()>, queue: &mut Commands) {
        queue.spawn(());
    }
    for piped in [false, true] {
        let mut engine = Engine::new();
        if piped {
            engine.add(one.pipe(other)).unwrap().on_fault(FaultPolicy::Disable);
        } else {
            engine.add(two).unwrap().on_fault(FaultPolicy::Disable);
        }
        engine.run_frames(1).unwrap();
        assert_eq!(engine.world().alive(), 1, "piped: {piped}");
        let faults = engine.faults();
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert!(matches!(&fault.kind, FaultKind::Panicked(panic) if panic.message() == "in the first queue"));
    }
}

#[test]
fn a_batch_that_is_longer_or_shorter_than_it_says_is_reported_and_nothing_is_lost_or_leaked() {
    struct Liar {
        left: u32,
        says: usize,
        value: Arc<()>,
    }
    impl Iterator for Liar {
        type Item = Held;
        fn next(&mut self) -> Option<Held> {
            self.left = self.left.checked_sub(1)?;
            Some(Held(Arc::clone(&self.value)))
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (self.says, Some(self.says))
        }
    }
    impl ExactSizeIterator for Liar {}
    #[derive(Component)]
    struct Held(Arc<()>);

    for (says, gives, code, alive) in [(5, 3, "K006", 3), (3, 5, "K011", 3), (4, 4, "", 4), (0, 2, "K011", 0)] {
        let value = Arc::new(());
        let mut engine = Engine::new();
        let lent = Arc::clone(&value);
        let spawn = move |commands: &mut Commands| {
            commands.spawn_batch(Liar { left: gives, says, value: Arc::clone(&lent) });
        };
        engine.add(spawn).unwrap().on_fault(FaultPolicy::Disable);
        engine.run_frames(1).unwrap();
        assert_eq!(engine.world().alive(), alive);
        engine.world().validate().expect("valid");
        let faults: Vec<String> = engine.faults().iter().map(ToString::to_string).collect();
        assert_eq!(faults.len(), usize::from(!code.is_empty()), "{faults:?}");
        assert!(faults.iter().all(|fault| fault.contains(code)), "{faults:?}");
        assert_eq!(Arc::strong_count(&value), 2 + alive, "each is in the world or gone");
        // Ids that were reserved and not needed come back.
        engine.world_mut().spawn_batch((0..10).map(|_| ()));
        assert_eq!(engine.world().alive(), alive + 10);
        drop(engine);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
