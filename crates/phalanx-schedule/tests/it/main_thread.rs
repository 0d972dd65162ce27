//! Values that stay on the thread that calls `run`, and the systems that take them.

#![expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]

use crate::faults::quietly;
use phalanx_ecs::prelude::*;
use phalanx_schedule::{
    Engine, FaultKind, IntoSystem, Main, MainMut, Param, Refusal, Schedule, Threads, insert_main, run_once, take_main,
};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::ThreadId;

/// What cannot leave its thread.
struct Window {
    frames: Rc<Cell<u32>>,
    home: ThreadId,
}

impl Window {
    fn new() -> Self {
        Self { frames: Rc::default(), home: std::thread::current().id() }
    }
}

#[derive(Component)]
struct Heat(u32);
#[derive(Component)]
struct Mass(u32);
#[derive(Resource, Default)]
struct Ran(Vec<ThreadId>);

fn draw(mut window: MainMut<Window>) {
    assert_eq!(std::thread::current().id(), window.home);
    window.frames = Rc::new(Cell::new(window.frames.get() + 1));
}
fn look(window: Main<Window>) {
    assert_eq!(std::thread::current().id(), window.home);
    window.frames.set(window.frames.get() + 100);
}
fn warm(mut all: Query<&mut Heat>, mut ran: ResMut<Ran>) {
    all.for_each(|heat| heat.0 += 1);
    ran.0.push(std::thread::current().id());
}
fn weigh(mut all: Query<&mut Mass>) {
    all.par_for_each(|mass| mass.0 += 1);
}
/// Waits for `warm` and `draw`, and `look` waits for it.
fn between(_: Query<&Heat>, window: Main<Window>, mut masses: Query<&mut Mass>) {
    window.frames.set(window.frames.get() + 10_000);
    masses.for_each(|mass| mass.0 *= 2);
}

fn pool(threads: usize) -> Arc<rayon::ThreadPool> {
    Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"))
}

/// How often all of the above are run, and what that makes of a window.
const RUNS: u32 = if cfg!(miri) { 2 } else { 10 };
const FRAMES: u32 = 10_101 * RUNS;

/// Runs all of the above.
fn run_all(pool: Option<Arc<rayon::ThreadPool>>) -> (u32, Vec<ThreadId>) {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.set_threads(Threads::Always);
    if let Some(pool) = pool {
        schedule.set_pool(pool);
    }
    world.spawn_batch((0..if cfg!(miri) { 3 } else { 100 }).map(|i| (Heat(i), Mass(i))));
    world.insert_resource(Ran::default());
    insert_main(&mut world, Window::new());
    schedule.add_all(&mut world, (weigh, warm, draw, between, look, || ())).unwrap();
    schedule.order(between, look).unwrap();
    for _ in 0..RUNS {
        schedule.run(&mut world).unwrap();
    }
    let window = take_main::<Window>(&mut world).unwrap().expect("inserted");
    (window.frames.get(), std::mem::take(&mut world.resource_mut::<Ran>().unwrap().0))
}

#[test]
fn systems_with_such_values_run_on_the_thread_that_calls_run_and_others_elsewhere() {
    for threads in if cfg!(miri) { 2..3 } else { 1..9 } {
        let (frames, others) = run_all(Some(pool(threads)));
        assert_eq!(frames, FRAMES);
        assert!(others.len() == RUNS as usize && others.iter().all(|id| *id != std::thread::current().id()));
    }
    assert_eq!(run_all(None).0, FRAMES);
}

#[test]
fn from_within_a_pool_of_any_size_nothing_waits_for_ever() {
    for threads in if cfg!(miri) { 2..3 } else { 1..5 } {
        let (own, other) = (pool(threads), pool(1));
        assert_eq!(own.install(|| run_all(None)).0, FRAMES);
        assert_eq!(own.install(|| run_all(Some(own.clone()))).0, FRAMES);
        assert_eq!(own.install(|| run_all(Some(other.clone()))).0, FRAMES);
    }
}

/// A schedule whose systems run schedules, each with a value of the thread it runs on, as deep as there are pools.
fn nested(pools: &[Arc<rayon::ThreadPool>]) {
    let Some((first, rest)) = pools.split_first() else {
        assert_eq!(run_all(None).0, FRAMES);
        return;
    };
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.set_threads(Threads::Always);
    schedule.set_pool(first.clone());
    insert_main(&mut world, Window::new());
    for _ in 0..3 {
        let rest = rest.to_vec();
        schedule.add(&mut world, move || nested(&rest)).unwrap();
    }
    let rest = rest.to_vec();
    let inside = move |window: Main<Window>| {
        nested(&rest);
        window.frames.set(window.frames.get() + 1);
    };
    schedule.add(&mut world, inside).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(take_main::<Window>(&mut world).unwrap().unwrap().frames.get(), 1);
}

#[test]
fn schedules_within_schedules_do_not_wait_for_each_other_whatever_pools_they_run_in() {
    for (threads, more) in [(2, 1), (1, 1), (3, 2)].into_iter().take(if cfg!(miri) { 1 } else { 3 }) {
        let (one, other) = (pool(threads), pool(more));
        nested(&[one.clone(), one.clone()]);
        if !cfg!(miri) {
            nested(&[one.clone(), other.clone(), one.clone()]);
        }
        other.install(|| nested(&[one.clone(), other.clone()]));
    }
}

#[test]
fn on_another_thread_the_system_fails_with_an_error_and_the_value_is_untouched() {
    let mut engine = Engine::new();
    engine.insert_main(Window::new());
    engine.add(draw).unwrap();
    let (mut engine, fault) = std::thread::spawn(move || {
        let fault = engine.run_frames(1).unwrap_err();
        assert!(engine.take_main::<Window>().is_err());
        assert!(run_once(engine.world_mut(), |_: Option<Main<Window>>| ()).is_err());
        (engine, fault.to_string())
    })
    .join()
    .unwrap();
    assert!(fault.contains("error[S010]: system `draw` cannot have `Window` on this thread"), "{fault}");
    engine.run_frames(2).unwrap();
    assert_eq!(engine.take_main::<Window>().unwrap().unwrap().frames.get(), 2);
    let fault = engine.run_frames(1).unwrap_err();
    assert!(matches!(&fault.kind, FaultKind::Refused(Refusal::NoMain { value, .. }) if value == "Window"), "{fault}");
}

#[test]
fn a_world_that_is_dropped_on_another_thread_forgets_the_value_and_does_not_panic() {
    struct Counts(Rc<Cell<u32>>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let drops = Rc::new(Cell::new(0));
    let mut world = World::new();
    insert_main(&mut world, Counts(drops.clone()));
    std::thread::spawn(move || drop(world)).join().expect("no panic");
    assert_eq!(drops.get(), 0, "its thread is here");
    let mut world = World::new();
    insert_main(&mut world, Counts(drops.clone()));
    insert_main(&mut world, Counts(drops.clone()));
    assert_eq!(drops.get(), 1, "the first was replaced");
    drop(world);
    assert_eq!(drops.get(), 2);
}

#[test]
fn two_arguments_of_one_value_get_in_each_others_way() {
    let mut world = World::new();
    let error = run_once(&mut world, |_: MainMut<Window>, _: Main<Window>| ()).unwrap_err().to_string();
    assert!(error.starts_with("error[S001]") && error.contains("resource `MainThread<Window>`: written by"), "{error}");
    assert!(run_once(&mut world, |_: MainMut<Window>, _: MainMut<Window>| ()).is_err());
    insert_main(&mut world, Window::new());
    run_once(&mut world, |_: Main<Window>, _: Main<Window>, none: Option<MainMut<u8>>| assert!(none.is_none()))
        .unwrap();
}

#[test]
fn pipes_structs_and_conditions_with_such_values_run_on_their_thread_too() {
    #[derive(Param)]
    struct Screen<'w> {
        window: Main<'w, Window>,
        all: Query<'w, &'static Heat>,
    }
    fn on_screen(screen: Screen) -> usize {
        assert_eq!(std::thread::current().id(), screen.window.home);
        screen.all.count()
    }
    fn is_home(window: Main<Window>) -> bool {
        std::thread::current().id() == window.home
    }
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.set_threads(Threads::Always);
    schedule.set_pool(pool(2));
    world.insert_resource(Ran::default());
    insert_main(&mut world, Window::new());
    schedule.add(&mut world, on_screen.pipe(|_: phalanx_schedule::In<usize>| ())).unwrap();
    schedule.add(&mut world, warm).unwrap().run_if(is_home).unwrap();
    schedule.add(&mut world, weigh).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(world.resource::<Ran>().unwrap().0, [std::thread::current().id()]);
}

#[test]
fn a_panic_of_such_a_system_is_a_fault_and_the_others_run() {
    fn boom(_: Main<Window>) {
        panic!("boom");
    }
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.set_threads(Threads::Always);
    world.insert_resource(Ran::default());
    insert_main(&mut world, Window::new());
    schedule.add_all(&mut world, (boom, warm, look)).unwrap();
    assert_eq!(quietly(|| schedule.run(&mut world)).unwrap_err().system, "boom");
    assert_eq!(world.resource::<Ran>().unwrap().0.len(), 1);
    assert_eq!(take_main::<Window>(&mut world).unwrap().unwrap().frames.get(), 100);
}

#[test]
fn a_system_of_the_whole_world_runs_on_the_thread_that_calls() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.set_threads(Threads::Always);
    schedule.set_pool(pool(2));
    world.insert_resource(Ran::default());
    schedule.add_all(&mut world, (warm, weigh)).unwrap();
    schedule.add(&mut world, |world: &mut World| insert_main(world, Window::new())).unwrap();
    schedule.add(&mut world, |window: Main<Window>| assert_eq!(std::thread::current().id(), window.home)).unwrap();
    let taken = schedule.add(&mut world, |world: &mut World| take_main::<Window>(world).map(drop)).unwrap().id();
    schedule.run(&mut world).unwrap();
    assert_eq!(schedule.info(taken).unwrap().runs, 1);
}

#[test]
#[cfg_attr(miri, ignore = "hundreds of systems that wait")]
fn systems_that_wait_do_not_pile_up_on_one_thread() {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    static DEEPEST: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
    }
    fn wait(all: Query<&Mass>) {
        DEPTH.set(DEPTH.get() + 1);
        DEEPEST.fetch_max(DEPTH.get(), Relaxed);
        let mut all = all;
        // While the other half is elsewhere, this thread looks for something else to do.
        all.par_for_each(|_| std::thread::sleep(std::time::Duration::from_micros(200)));
        DEPTH.set(DEPTH.get() - 1);
    }
    for after_mains in [false, true] {
        let (mut schedule, mut world) = (Schedule::new(), World::new());
        schedule.set_pool(pool(2));
        schedule.set_threads(Threads::Always);
        insert_main(&mut world, Window::new());
        world.spawn_batch([1, 2].map(Mass));
        schedule.add(&mut world, look).unwrap();
        for _ in 0..400 {
            let waits = schedule.add(&mut world, wait).unwrap().id();
            if after_mains {
                let main = schedule.add(&mut world, look).unwrap().id();
                schedule.order(main, waits).unwrap();
            }
        }
        schedule.run(&mut world).unwrap();
    }
    let deepest = DEEPEST.load(Relaxed);
    assert!(deepest <= 12, "{deepest} systems on top of each other");
}
