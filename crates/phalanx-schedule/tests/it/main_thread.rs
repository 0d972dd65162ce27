//! Values that stay on the thread that calls `run`, and the systems that take them.

#![expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]

use crate::faults::quietly;
use crate::ways::WAYS;
use phalanx_ecs::prelude::*;
use phalanx_schedule::{
    Engine, FaultKind, IntoSystem, Main, MainMut, Param, Refusal, Schedule, insert_main, run_once, take_main,
};
use std::cell::Cell;
use std::rc::Rc;
use std::thread::ThreadId;

/// What cannot leave its thread.
pub struct Window {
    pub frames: Rc<Cell<u32>>,
    pub home: ThreadId,
}

impl Window {
    pub fn new() -> Self {
        Self { frames: Rc::default(), home: std::thread::current().id() }
    }
}

#[derive(Component)]
pub struct Heat(pub u32);
#[derive(Component)]
pub struct Mass(pub u32);
#[derive(Resource, Default)]
pub struct Ran(pub Vec<ThreadId>);

pub fn draw(mut window: MainMut<Window>) {
    assert_eq!(std::thread::current().id(), window.home);
    window.frames = Rc::new(Cell::new(window.frames.get() + 1));
}
pub fn look(window: Main<Window>) {
    assert_eq!(std::thread::current().id(), window.home);
    window.frames.set(window.frames.get() + 100);
}
pub fn warm(mut all: Query<&mut Heat>, mut ran: ResMut<Ran>) {
    all.for_each(|heat| heat.0 += 1);
    ran.0.push(std::thread::current().id());
}
pub fn weigh(mut all: Query<&mut Mass>) {
    #[cfg(feature = "parallel")]
    all.par_for_each(|mass| mass.0 += 1);
    #[cfg(not(feature = "parallel"))]
    all.for_each(|mass| mass.0 += 1);
}
/// Where there are threads.
fn side_by_side(schedule: &mut Schedule) {
    WAYS.last().unwrap().set(schedule);
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
    side_by_side(&mut schedule);
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
    side_by_side(&mut schedule);
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
    side_by_side(&mut schedule);
    world.insert_resource(Ran::default());
    schedule.add_all(&mut world, (warm, weigh)).unwrap();
    schedule.add(&mut world, |world: &mut World| insert_main(world, Window::new())).unwrap();
    schedule.add(&mut world, |window: Main<Window>| assert_eq!(std::thread::current().id(), window.home)).unwrap();
    let taken = schedule.add(&mut world, |world: &mut World| take_main::<Window>(world).map(drop)).unwrap().id();
    schedule.run(&mut world).unwrap();
    assert_eq!(schedule.info(taken).unwrap().runs, 1);
}
