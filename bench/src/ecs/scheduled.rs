//! The rows about schedulers: three systems that swap components over four kinds of entities, and a hundred systems that do nothing.
//!
//! Each peer with a scheduler of its own, as its documentation sets it up; bevy in the variants `single` (its single-threaded executor) and without a name
//! (its default one). The hand-written side calls the same loops, and functions through pointers, in a row.

use std::mem::swap;

use bevy_ecs::schedule::{MultiThreadedExecutor, Schedule as BevySchedule, SingleThreadedExecutor};
use flecs_ecs::prelude::*;
use phalanx_schedule::Schedule;

use crate::components::{A, B, C, D, Tag as E};
use crate::harness::{Cases, Digest};
use crate::workloads;

/// Entities of each kind.
const EACH: usize = 10_000;
const IDLE: usize = 100;

fn value(i: usize) -> f32 {
    i as f32
}

/// The four kinds, one entity after another.
macro_rules! spawn_kinds {
    ($spawn:expr) => {
        for i in 0..EACH {
            $spawn((A { value: value(i) }, B { value: value(i + 1) }));
        }
        for i in 0..EACH {
            $spawn((A { value: value(i) }, B { value: value(i + 1) }, C { value: value(i + 2) }));
        }
        for i in 0..EACH {
            $spawn((
                A { value: value(i) },
                B { value: value(i + 1) },
                C { value: value(i + 2) },
                D { value: value(i + 3) },
            ));
        }
        for i in 0..EACH {
            $spawn((
                A { value: value(i) },
                B { value: value(i + 1) },
                C { value: value(i + 2) },
                E { value: value(i + 4) },
            ));
        }
    };
}

pub fn raw(cases: &mut Cases) {
    struct Kinds {
        a: [Vec<A>; 4],
        b: [Vec<B>; 4],
        c: [Vec<C>; 3],
        d: Vec<D>,
        e: Vec<E>,
    }
    let build = || Kinds {
        a: [0; 4].map(|_| (0..EACH).map(|i| A { value: value(i) }).collect()),
        b: [0; 4].map(|_| (0..EACH).map(|i| B { value: value(i + 1) }).collect()),
        c: [0; 3].map(|_| (0..EACH).map(|i| C { value: value(i + 2) }).collect()),
        d: (0..EACH).map(|i| D { value: value(i + 3) }).collect(),
        e: (0..EACH).map(|i| E { value: value(i + 4) }).collect(),
    };
    let run = |kinds: &mut Kinds| {
        for (a, b) in kinds.a.iter_mut().zip(&mut kinds.b) {
            a.iter_mut().zip(b).for_each(|(a, b)| swap(&mut a.value, &mut b.value));
        }
        kinds.c[1].iter_mut().zip(&mut kinds.d).for_each(|(c, d)| swap(&mut c.value, &mut d.value));
        kinds.c[2].iter_mut().zip(&mut kinds.e).for_each(|(c, e)| swap(&mut c.value, &mut e.value));
    };
    cases.lasting(&workloads::SCHEDULE, "", build, run, |kinds| {
        let mut digest = Digest::default();
        kinds.a.iter().for_each(|a| digest.extend(a));
        kinds.c.iter().for_each(|c| digest.extend(c));
        digest
    });

    fn nothing() {}
    let build = || -> Vec<Box<dyn FnMut()>> { (0..IDLE).map(|_| Box::new(nothing) as Box<dyn FnMut()>).collect() };
    let run =
        |systems: &mut Vec<Box<dyn FnMut()>>| std::hint::black_box(systems).iter_mut().for_each(|system| system());
    cases.lasting(&workloads::EMPTY_SYSTEMS_100, "", build, run, |_| Digest::default());
}

pub fn phalanx(cases: &mut Cases) {
    use phalanx_ecs::{Query, World};
    struct Engine {
        world: World,
        schedule: Schedule,
    }
    let build = || {
        let (mut world, mut schedule) = (World::new(), Schedule::new());
        spawn_kinds!(|row| world.spawn(row));
        fn ab(mut all: Query<(&mut A, &mut B)>) {
            all.for_each(|(a, b)| swap(&mut a.value, &mut b.value));
        }
        fn cd(mut all: Query<(&mut C, &mut D)>) {
            all.for_each(|(c, d)| swap(&mut c.value, &mut d.value));
        }
        fn ce(mut all: Query<(&mut C, &mut E)>) {
            all.for_each(|(c, e)| swap(&mut c.value, &mut e.value));
        }
        schedule.add(&mut world, ab).expect("a system");
        schedule.add(&mut world, cd).expect("a system");
        schedule.add(&mut world, ce).expect("a system");
        Engine { world, schedule }
    };
    let run = |engine: &mut Engine| engine.schedule.run(&mut engine.world).expect("nothing fails");
    cases.lasting(&workloads::SCHEDULE, "", build, run, |engine| {
        let mut digest = Digest::of(engine.world.query::<&A>());
        digest.extend(engine.world.query::<&C>());
        digest
    });

    let build = || {
        let (mut world, mut schedule) = (World::new(), Schedule::new());
        fn nothing() {}
        for _ in 0..IDLE {
            schedule.add(&mut world, nothing).expect("a system");
        }
        Engine { world, schedule }
    };
    cases.lasting(&workloads::EMPTY_SYSTEMS_100, "", build, run, |_| Digest::default());
}

pub fn bevy(cases: &mut Cases) {
    use bevy_ecs::prelude::{IntoScheduleConfigs, Query, World};
    struct App {
        world: World,
        schedule: BevySchedule,
    }
    for (variant, single) in [("", false), ("single", true)] {
        let new_schedule = move || {
            let mut schedule = BevySchedule::default();
            if single {
                schedule.set_executor(SingleThreadedExecutor::new());
            } else {
                schedule.set_executor(MultiThreadedExecutor::new());
            }
            schedule
        };
        let build = move || {
            let (mut world, mut schedule) = (World::new(), new_schedule());
            spawn_kinds!(|row| _ = world.spawn(row).id());
            fn ab(mut all: Query<(&mut A, &mut B)>) {
                all.iter_mut().for_each(|(mut a, mut b)| swap(&mut a.value, &mut b.value));
            }
            fn cd(mut all: Query<(&mut C, &mut D)>) {
                all.iter_mut().for_each(|(mut c, mut d)| swap(&mut c.value, &mut d.value));
            }
            fn ce(mut all: Query<(&mut C, &mut E)>) {
                all.iter_mut().for_each(|(mut c, mut e)| swap(&mut c.value, &mut e.value));
            }
            schedule.add_systems((ab, (cd, ce).chain()));
            App { world, schedule }
        };
        let run = |app: &mut App| app.schedule.run(&mut app.world);
        cases.lasting(&workloads::SCHEDULE, variant, build, run, |app| {
            let mut digest = Digest::of(app.world.query::<&A>().iter(&app.world));
            digest.extend(app.world.query::<&C>().iter(&app.world));
            digest
        });
        let build = move || {
            let mut schedule = new_schedule();
            fn nothing() {}
            for _ in 0..IDLE {
                schedule.add_systems(nothing);
            }
            App { world: World::new(), schedule }
        };
        cases.lasting(&workloads::EMPTY_SYSTEMS_100, variant, build, run, |_| Digest::default());
    }
}

pub fn flecs(cases: &mut Cases) {
    let build = || {
        let world = World::new();
        spawn_kinds!(|row| {
            let entity = world.entity();
            set_all(&entity, row);
        });
        world.system::<(&mut A, &mut B)>().each(|(a, b)| swap(&mut a.value, &mut b.value));
        world.system::<(&mut C, &mut D)>().each(|(c, d)| swap(&mut c.value, &mut d.value));
        world.system::<(&mut C, &mut E)>().each(|(c, e)| swap(&mut c.value, &mut e.value));
        world
    };
    let run = |world: &mut World| {
        world.progress();
    };
    cases.lasting(&workloads::SCHEDULE, "", build, run, |world| {
        let mut digest = Digest::default();
        world.new_query::<&A>().each(|a| digest.add(a));
        world.new_query::<&C>().each(|c| digest.add(c));
        digest
    });
    let build = || {
        let world = World::new();
        for _ in 0..IDLE {
            world.system::<()>().run(|_| {});
        }
        world
    };
    cases.lasting(&workloads::EMPTY_SYSTEMS_100, "", build, run, |_| Digest::default());
}

/// A row of components for flecs, one at a time.
trait Row {
    fn set(self, entity: &EntityView<'_>);
}

fn set_all(entity: &EntityView<'_>, row: impl Row) {
    row.set(entity);
}

impl Row for (A, B) {
    fn set(self, entity: &EntityView<'_>) {
        entity.set(self.0).set(self.1);
    }
}

impl Row for (A, B, C) {
    fn set(self, entity: &EntityView<'_>) {
        entity.set(self.0).set(self.1).set(self.2);
    }
}

impl Row for (A, B, C, D) {
    fn set(self, entity: &EntityView<'_>) {
        entity.set(self.0).set(self.1).set(self.2).set(self.3);
    }
}

impl Row for (A, B, C, E) {
    fn set(self, entity: &EntityView<'_>) {
        entity.set(self.0).set(self.1).set(self.2).set(self.3);
    }
}
