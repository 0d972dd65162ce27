//! Groups: enabled and disabled, with conditions, in order, removed.

#![expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]

use crate::allocated::bytes_of;
use crate::faults::quietly;
use phalanx_ecs::prelude::*;
use phalanx_schedule::{
    Engine, Fault, FaultKind, FaultPolicy, Idle, OrderError, Res, Schedule, every_frame, fixed, manual,
};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

#[derive(Resource, Default)]
struct Log(Vec<&'static str>);
#[derive(Resource)]
struct Open(bool);
#[derive(Resource)]
struct Asked(AtomicU32);

fn a(mut log: ResMut<Log>) {
    log.0.push("a");
}
fn b(mut log: ResMut<Log>) {
    log.0.push("b");
}
fn is_open(open: Res<Open>, asked: Res<Asked>) -> bool {
    asked.0.fetch_add(1, Relaxed);
    open.0
}

/// Two systems in the group `Life`.
fn alive() -> Engine {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    engine.world_mut().insert_resource(Open(false));
    engine.world_mut().insert_resource(Asked(AtomicU32::new(0)));
    engine.add_all((a, b)).unwrap().to("Life");
    engine
}

fn ran(engine: &mut Engine) -> Vec<&'static str> {
    engine.run_frames(1).unwrap();
    std::mem::take(&mut engine.world_mut().resource_mut::<Log>().unwrap().0)
}

#[test]
fn a_disabled_group_runs_neither_by_its_pace_nor_when_asked_and_says_so() {
    let mut engine = alive();
    engine.group("Life").disable();
    assert_eq!(ran(&mut engine), [""; 0]);
    engine.run_group("Life").unwrap();
    assert_eq!(engine.world().resource::<Log>().unwrap().0.len(), 0);
    assert_eq!(engine.schedule_mut().why_idle(a).unwrap(), Idle::GroupDisabled("Life".into()));
    let info = engine.schedule().info(a).unwrap();
    assert!(info.enabled && !info.group_enabled && info.runs == 0);
    engine.group("Life").enable();
    assert_eq!(ran(&mut engine), ["a", "b"]);
    assert!(engine.schedule().info(a).unwrap().group_enabled);
    assert_eq!(engine.schedule_mut().why_idle(a).unwrap(), Idle::No);
}

#[test]
fn a_condition_of_a_group_is_asked_once_for_all_its_systems() {
    let mut engine = alive();
    engine.group("Life").only_if(is_open).unwrap();
    assert_eq!(ran(&mut engine), [""; 0]);
    assert_eq!(
        engine.schedule_mut().why_idle(b).unwrap().to_string(),
        "the condition `is_open` of its group `Life` did not hold"
    );
    engine.world_mut().insert_resource(Open(true));
    assert_eq!(ran(&mut engine), ["a", "b"]);
    assert_eq!(engine.world().resource::<Asked>().unwrap().0.load(Relaxed), 2);
    assert_eq!(engine.schedule_mut().why_idle(b).unwrap(), Idle::No);
    engine.group("Life").disable();
    assert_eq!(ran(&mut engine), [""; 0]);
    assert_eq!(engine.world().resource::<Asked>().unwrap().0.load(Relaxed), 2, "a disabled group asks nobody");
    engine.group("Life").enable().only_if(|| false).unwrap();
    assert_eq!(ran(&mut engine), [""; 0], "all conditions must hold");
}

#[test]
fn time_goes_by_for_a_group_that_does_not_run() {
    let mut engine = alive();
    engine.group("Life").pace(fixed(10.0)).unwrap().disable();
    engine.run_frame(Duration::from_secs(1)).unwrap();
    engine.group("Life").enable();
    engine.run_frame(Duration::from_millis(100)).unwrap();
    assert_eq!(engine.world().resource::<Log>().unwrap().0, ["a", "b"], "one step, and not eleven");
}

#[test]
fn a_condition_of_a_group_that_fails_is_a_fault_like_any_other() {
    fn broken() -> bool {
        panic!("no answer");
    }
    let mut engine = alive();
    engine.group("Life").only_if(broken).unwrap();
    let fault = quietly(|| engine.run_frames(1)).unwrap_err();
    assert!(
        fault.is_condition && fault.to_string().starts_with("error[S006]: condition `broken` of group `Life` failed")
    );
    engine.schedule_mut().set_policy(FaultPolicy::Skip);
    quietly(|| engine.run_frames(2)).unwrap();
    assert_eq!(engine.faults().len(), 2);
    engine.schedule_mut().set_policy(FaultPolicy::Disable);
    quietly(|| engine.run_frames(2)).unwrap();
    assert_eq!(engine.faults().len(), 1);
    assert!(!engine.schedule().info(a).unwrap().group_enabled);
    assert_eq!(engine.world().resource::<Log>().unwrap().0.len(), 0);
}

#[test]
fn groups_run_in_the_order_of_their_edges_until_these_are_taken_back() {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    engine.add(a).unwrap().to("One");
    engine.add(b).unwrap().to("Two");
    assert_eq!(ran(&mut engine), ["a", "b"]);
    engine.group("Two").before("One").unwrap();
    assert_eq!(ran(&mut engine), ["b", "a"]);
    let error = engine.group("Two").after("One").err().unwrap().to_string();
    assert!(error.starts_with("error[S002]: this order would close a cycle of 2 groups\n  Two → One"), "{error}");
    assert!(engine.schedule_mut().unorder_groups("Two", "One"));
    assert!(!engine.schedule_mut().unorder_groups("Two", "Three") && !engine.schedule().has_group("Three"));
    assert_eq!(ran(&mut engine), ["a", "b"]);
}

#[test]
fn a_removed_group_takes_its_systems_and_edges_with_it_and_a_new_one_knows_nothing_of_it() {
    let mut engine = alive();
    engine.add(|| ()).unwrap().named("other");
    engine.group("Life").pace(manual()).unwrap().after("Update").unwrap().disable();
    let gone = engine.schedule().find(a).unwrap();
    assert!(engine.schedule_mut().remove_group("Life"));
    assert_eq!(
        (engine.schedule().len(), format!("{:?}", engine.schedule())),
        (1, "Schedule(1 system in 1 group)".into())
    );
    assert!(!engine.schedule().contains(gone) && engine.schedule().in_order("Life").is_empty());
    assert_eq!(ran(&mut engine), [""; 0]);
    engine.add(a).unwrap().to("Life");
    assert_eq!(ran(&mut engine), ["a"], "every frame, and not disabled");
    engine.group("Life").before("Update").unwrap();
}

#[test]
fn schedules_engines_and_faults_can_go_to_other_threads() {
    fn is_sync<T: Send + Sync>() {}
    is_sync::<Schedule>();
    is_sync::<Engine>();
    is_sync::<Fault>();
}

#[test]
fn a_group_that_would_come_before_itself_is_not_made() {
    let mut schedule = Schedule::new();
    let error = schedule.order_groups("New", "New").unwrap_err();
    assert!(error.to_string().starts_with("error[S002]: `New` cannot come before itself"), "{error}");
    assert!(!schedule.has_group("New"));
}

#[test]
fn a_group_that_is_not_there_is_not_run_and_not_made() {
    let mut engine = Engine::new();
    engine.run_group("Update").unwrap();
    engine.add(|| ()).unwrap().to("Saving");
    let fault = engine.run_group("saving").unwrap_err();
    let FaultKind::UnknownGroup(unknown) = &fault.kind else { panic!("{fault}") };
    assert_eq!((unknown.near.as_deref(), unknown.caller.file()), (Some("Saving"), file!()));
    assert!(!engine.schedule().has_group("saving"));
    engine.schedule_mut().remove_group("Saving");
    let fault = engine.run_group("Saving").unwrap_err();
    assert!(matches!(&fault.kind, FaultKind::UnknownGroup(unknown) if unknown.near.is_none()), "{fault}");
}

#[test]
fn groups_that_were_only_named_are_listed() {
    let mut engine = Engine::new();
    engine.group("Fysics").before("Update").unwrap();
    engine.add(|| ()).unwrap().to("Physics");
    engine.order_groups("Physics", "Drawing").unwrap();
    let empty: Vec<String> = engine.schedule().empty_groups().iter().map(ToString::to_string).collect();
    assert_eq!(empty, ["group `Fysics` has no systems; did you mean `Physics`?", "group `Drawing` has no systems"]);
    engine.schedule_mut().remove_group("Fysics");
    engine.add(|| ()).unwrap().to("Drawing");
    assert!(engine.schedule().empty_groups().is_empty());
}

#[test]
fn what_is_put_into_start_and_end_by_name_runs_there_and_once() {
    let mut engine = Engine::new();
    engine.add(|| ()).unwrap().named("first").to("Start");
    engine.add_start(|| ()).unwrap().named("second");
    engine.add(|| ()).unwrap().named("last").to("End");
    let runs = |engine: &Engine| ["first", "second", "last"].map(|name| engine.schedule().info(name).unwrap().runs);
    engine.run_frames(3).unwrap();
    assert_eq!(runs(&engine), [1, 1, 0]);
    engine.finish().unwrap();
    assert_eq!(runs(&engine), [1, 1, 1]);
    // Who gives them a pace has them run by that as well.
    engine.group("Start").pace(every_frame()).unwrap();
    engine.run_frames(3).unwrap();
    assert_eq!(runs(&engine), [5, 5, 1]);
}

#[test]
fn ids_of_another_schedule_are_unknown() {
    let (mut one, mut other, mut world) = (Schedule::new(), Schedule::new(), World::new());
    let id = one.add(&mut world, || ()).unwrap().id();
    let own = other.add(&mut world, || ()).unwrap().id();
    assert!(!other.contains(id) && !one.contains(own) && id != own);
    let error = other.remove(id).unwrap_err();
    assert!(error.to_string().contains("S003"), "{error}");
    assert_eq!((one.len(), other.len()), (1, 1));
}

/// `to` cannot refuse; the other way round `after` does at once.
#[test]
fn an_order_that_is_lost_to_another_group_is_refused_when_one_of_the_groups_runs() {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    engine.add(a).unwrap();
    engine.add(b).unwrap().before(a).unwrap().to("Early");
    let here = line!() - 1;
    for group in ["Update", "Early"] {
        let fault = engine.run_group(group).unwrap_err();
        assert!(matches!(&fault.kind, FaultKind::LostOrder(OrderError::OtherGroup { .. })), "{fault}");
        assert_eq!((fault.added.line(), fault.group.as_str(), fault.stopped), (here, group, true));
    }
    assert!(engine.run_frames(1).is_err());
    assert_eq!(engine.world().resource::<Log>().unwrap().0.len(), 0, "nothing ran");
    engine.run_group("Other").unwrap_err();

    assert!(engine.schedule_mut().unorder(b, a).unwrap(), "it is still known");
    assert!(!engine.schedule_mut().unorder(b, a).unwrap());
    engine.order_groups("Early", "Update").unwrap();
    assert_eq!(ran(&mut engine), ["b", "a"]);
}

#[test]
fn an_order_of_a_system_that_is_removed_is_no_longer_lost() {
    for gone in ["a", "b"] {
        let mut engine = Engine::new();
        engine.world_mut().insert_resource(Log::default());
        engine.add(a).unwrap();
        engine.add(b).unwrap().before(a).unwrap().to("Early");
        assert!(engine.run_frames(1).is_err());
        engine.schedule_mut().remove(gone).unwrap();
        assert_eq!(ran(&mut engine).len(), 1);
    }
}

#[test]
fn an_order_is_there_again_when_its_systems_meet() {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    engine.add(a).unwrap();
    engine.add(b).unwrap().before(a).unwrap().to("Early").to("Update");
    assert_eq!(ran(&mut engine), ["b", "a"]);
    assert!(matches!(engine.schedule_mut().order(a, b), Err(OrderError::Cycle(_))));
}

#[test]
fn several_that_leave_a_system_behind_lose_their_order_with_it_and_none_among_them() {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    let first = engine.add(|| ()).unwrap().named("first").id();
    engine.add_all((b, a)).unwrap().chain().unwrap().after(first).unwrap().to("Late");
    assert!(engine.run_frames(1).unwrap_err().to_string().starts_with("error[S004]: `first` and `"));
    assert!(engine.schedule_mut().unorder("first", a).unwrap() && engine.schedule_mut().unorder("first", b).unwrap());
    assert_eq!(ran(&mut engine), ["b", "a"]);
}

#[test]
fn groups_that_come_and_go_leave_no_trace_and_their_ids_are_not_used_again() {
    let mut engine = alive();
    let gone = engine.group("Other").id();
    engine.group("Last").after("Life").unwrap();
    let mut renew = |times| {
        for _ in 0..times {
            engine.schedule_mut().remove_group("Other");
            assert!(engine.group("Other").before("Life").unwrap().id() != gone);
        }
    };
    renew(8);
    let (bytes, ()) = bytes_of(|| renew(10_000));
    assert!(bytes < 1_000, "{bytes}");
    assert_eq!(ran(&mut engine), ["a", "b"]);
    let schedule = engine.schedule_mut();
    // In the order in which they were made, wherever they are kept.
    assert_eq!(schedule.empty_groups().iter().map(|group| &*group.name).collect::<Vec<_>>(), ["Last", "Other"]);
    let error = schedule.order_groups("Last", "Other").unwrap_err().to_string();
    assert!(
        error.contains("Other → Life") && error.contains("Life → Last") && error.contains("Last → Other"),
        "{error}"
    );
}
