//! Lending a world in parts.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{
    Claim, ClaimError, Filter, Lend, PartError, Plan, PlanError, QueryTicket, ResourceReader, Terms, WrongTicket,
};
use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::thread;

#[derive(Component, Debug, PartialEq)]
struct A(u32);
#[derive(Component, Debug, PartialEq)]
struct B(u32);
#[derive(Component)]
struct Mark;
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Rare(u32);
#[derive(Resource, Debug)]
struct Score(u32);
#[derive(Event)]
struct Hit(u32);

/// A plan with one query.
fn plan_of<Q: Terms + 'static, F: Filter>(world: &mut World, name: &str) -> (Plan, QueryTicket<Q, F>) {
    let mut plan = world.plan(name);
    let ticket = plan.query_filtered::<Q, F>().expect("one part");
    (plan.build(), ticket)
}

fn filled() -> World {
    let mut world = World::new();
    world.spawn_batch((0..5).map(|n| (A(n), B(10 * n))));
    world.spawn_batch((0..5).map(|n| (A(n), B(10 * n), Mark)));
    world.spawn_batch((0..5).map(|n| (A(n), Rare(n))));
    world.insert_resource(Score(0));
    world
}

fn sum(world: &World) -> u32 {
    world.read::<&A>().iter().map(|a| a.0).sum()
}

#[test]
fn a_claim_hands_out_what_its_plan_names() {
    let mut world = filled();
    let mut plan = world.plan("everything");
    let mut numbers = plan.query::<(&mut A, Option<&B>)>().unwrap();
    let mut rare = plan.query_filtered::<&mut Rare, With<A>>().unwrap();
    let mut score = plan.resource_mut::<Score>().unwrap();
    let mut hits = plan.events_mut::<Hit>().unwrap();
    let plan = plan.build();
    for by_borrow in [true, false] {
        let lend;
        let claim = if by_borrow {
            plan.claim_exclusive(&mut world).unwrap()
        } else {
            lend = world.lend();
            lend.claim(&plan).unwrap()
        };
        // All parts at once: they do not overlap.
        let mut numbers = claim.query(&mut numbers).unwrap();
        let mut rare = claim.query(&mut rare).unwrap();
        let mut score = claim.resource_mut(&mut score).unwrap();
        let hits = claim.events_mut(&mut hits).unwrap();
        numbers.for_each(|(a, b)| a.0 += b.map_or(0, |b| b.0));
        rare.for_each(|rare| rare.0 += 1);
        score.0 += 1;
        hits.send(Hit(score.0));
    }
    assert_eq!(sum(&world), 30 + 4 * 100);
    assert_eq!(world.read::<&Rare>().iter().map(|rare| rare.0).sum::<u32>(), 10 + 2 * 5);
    assert_eq!(world.resource::<Score>().unwrap().0, 2);
    assert!(world.events::<Hit>().iter().map(|hit| hit.0).eq([1, 2]));
    world.validate().unwrap();
}

#[test]
fn a_claim_that_overlaps_is_refused_with_both_names_until_the_other_is_dropped() {
    let mut world = filled();
    let (write, _) = plan_of::<&mut A, ()>(&mut world, "write");
    let (read, mut reading) = plan_of::<(&A, &B), ()>(&mut world, "read");
    let lend = world.lend();
    let claim = lend.claim(&write).unwrap();
    let Err(ClaimError::Overlap(error)) = lend.claim(&read) else { panic!("refused") };
    assert_eq!((&*error.conflict.first, &*error.conflict.second), ("read", "write"));
    assert_eq!(error.conflict.clashes.len(), 1);
    assert!(error.to_string().contains("component `A`: read by query `(&A, &B)` at "), "{error}");
    assert!(lend.claim(&write).is_err(), "nor can the same plan be claimed twice");
    drop(claim);
    let (first, second) = (lend.claim(&read).unwrap(), lend.claim(&read).unwrap());
    assert!(lend.claim(&write).is_err(), "two read");
    assert_eq!(first.query(&mut reading).unwrap().count(), 10);
    drop(first);
    assert!(lend.claim(&write).is_err(), "one still reads");
    drop(second);
    assert!(lend.claim(&write).is_ok());
}

#[test]
fn parts_of_one_plan_that_overlap_are_refused_and_the_plan_goes_on_without_them() {
    let mut world = filled();
    let mut plan = world.plan("both");
    let mut first = plan.query::<&mut A>().unwrap();
    let Err(PlanError::Parts(error)) = plan.query::<(&B, &A)>() else { panic!("refused") };
    assert_eq!((error.clashes[0].first.writes, error.clashes[0].second.writes), (true, false));
    assert!(error.clashes[0].first.caller.line() < error.clashes[0].second.caller.line());
    assert!(plan.world().is_err() && plan.world_mut().is_err());
    assert!(plan.query::<&B>().is_ok() && plan.query::<&B>().is_ok(), "two can read");
    assert!(plan.resource_mut::<Score>().is_ok());
    assert!(plan.resource::<Score>().is_err() && plan.resource_mut::<Score>().is_err());
    assert!(plan.events::<Hit>().is_ok() && plan.events::<Hit>().is_ok() && plan.events_mut::<Hit>().is_err());
    let plan = plan.build();
    assert_eq!(plan.parts().len(), 6);
    plan.claim_exclusive(&mut world).unwrap().query(&mut first).unwrap().for_each(|a| a.0 = 0);
    assert_eq!(sum(&world), 0);
}

#[test]
fn the_whole_world_goes_with_readers_or_alone() {
    let mut world = filled();
    let mut plan = world.plan("look");
    let all = plan.world().unwrap();
    plan.query::<&A>().unwrap();
    plan.resource::<Score>().unwrap();
    let look = plan.build();
    let mut plan = world.plan("change");
    let mut every = plan.world_mut().unwrap();
    let change = plan.build();
    let (read, _) = plan_of::<&A, ()>(&mut world, "read");
    let (write, _) = plan_of::<&mut A, ()>(&mut world, "write");
    let (ids, _) = plan_of::<Entity, With<A>>(&mut world, "ids");
    let nothing = world.plan("nothing").build();
    assert!(look.is_read_only() && !look.is_exclusive() && change.is_exclusive() && !change.is_read_only());

    let lend = world.lend();
    let looking = lend.claim(&look).unwrap();
    assert_eq!(looking.world(&all).unwrap().alive(), 15);
    assert!([&look, &read, &ids, &nothing].iter().all(|plan| lend.claim(plan).is_ok()));
    assert!([&change, &write].iter().all(|plan| lend.claim(plan).is_err()));
    drop(looking);
    let writing = lend.claim(&write).unwrap();
    assert!([&ids, &nothing].iter().all(|plan| lend.claim(plan).is_ok()), "who looks at ids only is in nobody's way");
    assert!([&change, &look, &read].iter().all(|plan| lend.claim(plan).is_err()));
    drop(writing);
    let changing = lend.claim(&change).unwrap();
    let world = changing.world_mut(&mut every).unwrap();
    world.spawn(A(1));
    assert!([&change, &look, &read, &write, &ids].iter().all(|plan| lend.claim(plan).is_err()));
    assert!(lend.claim(&nothing).is_ok(), "a plan without parts is in nobody's way");
    world.spawn(A(1));
    drop(changing);
    assert_eq!(lend.claim(&look).unwrap().world(&all).unwrap().alive(), 17);
}

#[test]
fn a_ticket_follows_tables_that_come_between_claims_and_during_a_lend() {
    let mut world = World::new();
    let (count, mut all) = plan_of::<&A, ()>(&mut world, "count");
    let mut plan = world.plan("grow");
    let mut every = plan.world_mut().unwrap();
    let grow = plan.build();
    assert_eq!(count.claim_exclusive(&mut world).unwrap().query(&mut all).unwrap().count(), 0);
    world.spawn(A(1));
    let lend = world.lend();
    assert_eq!(lend.claim(&count).unwrap().query(&mut all).unwrap().count(), 1);
    lend.claim(&grow).unwrap().world_mut(&mut every).unwrap().spawn((A(2), B(3)));
    assert_eq!(lend.claim(&count).unwrap().query(&mut all).unwrap().count(), 2);
    let claim = lend.claim(&grow).unwrap();
    let world = claim.world_mut(&mut every).unwrap();
    let gone = world.query_filtered::<Entity, With<B>>().single().unwrap();
    world.despawn(gone).unwrap();
    world.reclaim();
    drop(claim);
    assert_eq!(lend.claim(&count).unwrap().query(&mut all).unwrap().iter().map(|a| a.0).sum::<u32>(), 1);
}

#[test]
fn queries_that_never_meet_an_entity_are_kept_apart_by_filters() {
    let mut world = filled();
    let overlap = |first: &Plan, second: &Plan| {
        assert_eq!(first.overlaps(second), second.overlaps(first));
        assert_eq!(first.conflicts_with(second).is_some(), first.overlaps(second));
        first.overlaps(second)
    };
    let (marked, mut in_marked) = plan_of::<&mut A, With<Mark>>(&mut world, "marked");
    let (unmarked, mut in_unmarked) = plan_of::<&mut A, Without<Mark>>(&mut world, "unmarked");
    let (with_b, _) = plan_of::<(&mut A, &B), ()>(&mut world, "with B");
    let (without_b, _) = plan_of::<&A, Without<B>>(&mut world, "without B");
    let (either, _) = plan_of::<&A, Or<(With<Mark>, With<B>)>>(&mut world, "either");
    let (maybe, _) = plan_of::<(&mut A, Option<&Mark>), ()>(&mut world, "maybe");
    assert!(!overlap(&marked, &unmarked) && !overlap(&with_b, &without_b));
    assert!(overlap(&marked, &with_b) && overlap(&unmarked, &with_b) && overlap(&marked, &maybe));
    assert!(overlap(&either, &unmarked), "alternatives are not looked into");
    let (rare, mut in_rare) = plan_of::<&mut A, With<Rare>>(&mut world, "rare");
    let (common, mut in_common) = plan_of::<&mut A, Without<Rare>>(&mut world, "common");
    let (low, mut in_low) = plan_of::<&mut Rare, Without<B>>(&mut world, "low");
    let (high, mut in_high) = plan_of::<&mut Rare, With<B>>(&mut world, "high");
    assert!(!overlap(&rare, &common) && !overlap(&low, &high), "tables or sets, on either side");
    world.spawn((Rare(7), B(1)));

    let lend = world.lend();
    // All items are held at once: Miri would see two references to one value.
    macro_rules! hold_both {
        ($first:expr, $one:expr, $second:expr, $two:expr, $expected:expr) => {{
            let (first, second) = (lend.claim(&$first).unwrap(), lend.claim(&$second).unwrap());
            let (first, second) = (first.query(&mut $one).unwrap(), second.query(&mut $two).unwrap());
            let (first, second): (Vec<_>, Vec<_>) = (first.into_iter().collect(), second.into_iter().collect());
            assert_eq!((first.len(), second.len()), $expected);
            first.into_iter().chain(second).for_each(|item| item.0 += 1);
        }};
    }
    hold_both!(marked, in_marked, unmarked, in_unmarked, (5, 10));
    hold_both!(rare, in_rare, common, in_common, (5, 10));
    hold_both!(low, in_low, high, in_high, (5, 1));
    drop(lend);
    assert_eq!(sum(&world), 30 + 2 * 15);
    assert_eq!(world.read::<&Rare>().iter().map(|rare| rare.0).sum::<u32>(), 10 + 7 + 6);
}

#[derive(Component)]
#[component(track)]
struct Health(u32);
#[derive(Component)]
#[component(track, storage = "sparse")]
struct Poison(u32);

#[test]
fn tracked_components_are_kept_apart_by_tables_alone() {
    let mut world = World::new();
    let mut overlap = |by: [fn(&mut World) -> Plan; 2]| by[0](&mut world).overlaps(&by[1](&mut world));
    assert!(!overlap([
        |world| plan_of::<&mut Health, With<Mark>>(world, "marked").0,
        |world| plan_of::<&mut Health, Without<Mark>>(world, "unmarked").0
    ]));
    assert!(overlap([
        |world| plan_of::<&mut Health, With<Rare>>(world, "rare").0,
        |world| plan_of::<&mut Health, Without<Rare>>(world, "common").0
    ]));
    assert!(overlap([
        |world| plan_of::<&mut Poison, With<Mark>>(world, "marked").0,
        |world| plan_of::<&mut Poison, Without<Mark>>(world, "unmarked").0
    ]));
    assert!(overlap([
        |world| plan_of::<&mut Health, ()>(world, "write").0,
        |world| plan_of::<Entity, Changed<Health>>(world, "look for changes").0
    ]));
    assert!(!overlap([
        |world| plan_of::<Mut<Health>, With<Mark>>(world, "write").0,
        |world| plan_of::<Entity, (Added<Health>, Without<Mark>)>(world, "look for arrivals").0
    ]));
    assert!(!overlap([
        |world| plan_of::<&Health, ()>(world, "read").0,
        |world| plan_of::<Entity, Changed<Health>>(world, "look for changes").0
    ]));
}

#[test]
fn a_ticket_sees_each_change_once_whoever_looks_at_other_things_meanwhile() {
    let mut world = World::new();
    world.spawn_batch((0..100).map(|n| (Health(n), A(n))));
    world.spawn_batch((0..100).map(|n| (Health(n), Poison(n))));
    let (write, mut writing) = plan_of::<&mut Health, With<A>>(&mut world, "write");
    let (poison, mut poisons) = plan_of::<&mut Poison, ()>(&mut world, "poison");
    let (look, mut changed) = plan_of::<&Health, Changed<Health>>(&mut world, "look");
    let (sniff, mut poisoned) = plan_of::<Entity, Changed<Poison>>(&mut world, "sniff");
    let lend = world.lend();
    let mut count = || lend.claim(&look).unwrap().query(&mut changed).unwrap().count();
    assert_eq!((count(), count()), (200, 0));
    for round in 0..3 {
        thread::scope(|scope| {
            scope.spawn(|| {
                let claim = lend.claim(&write).unwrap();
                claim.query(&mut writing).unwrap().iter_mut().take(10).for_each(|health| health.0 += 1);
            });
            let seen = lend.claim(&sniff).unwrap().query(&mut poisoned).unwrap().count();
            assert_eq!(seen, if round == 0 { 100 } else { 1 });
            let claim = lend.claim(&poison).unwrap();
            claim.query(&mut poisons).unwrap().first_mut().unwrap().0 += 1;
        });
        assert_eq!((count(), count()), (10, 0));
    }
}

#[test]
fn a_forgotten_claim_keeps_its_part_until_the_lend_ends_and_dangles_nowhere() {
    let mut world = filled();
    let (write, mut ticket) = plan_of::<&mut A, ()>(&mut world, "write");
    let (again, mut other) = plan_of::<&mut A, ()>(&mut world, "again");
    {
        let lend = world.lend();
        forget(lend.claim(&write).unwrap());
        // The plan itself goes, and what it says must still be known.
        drop(write);
        drop(std::mem::replace(&mut ticket, plan_of(&mut World::new(), "elsewhere").1));
        for _ in 0..2 {
            let error = lend.claim(&again).unwrap_err().to_string();
            assert!(error.contains("plan `again` cannot be claimed while `write` is"), "{error}");
        }
        assert_eq!(lend.claims(), 1);
    }
    let lend = world.lend();
    assert_eq!(lend.claims(), 0);
    lend.claim(&again).unwrap().query(&mut other).unwrap().for_each(|a| a.0 = 1);
    drop(lend);
    assert_eq!(sum(&world), 15);
    // A lend can be forgotten as well.
    let lend = world.lend();
    drop(lend.claim(&again).unwrap());
    forget(lend);
    assert!(world.lend().claim(&again).is_ok());
}

#[test]
fn a_ticket_of_another_plan_is_refused_whatever_it_is_for() {
    let mut world = filled();
    let tickets = |world: &mut World, name: &str| {
        let mut plan = world.plan(name);
        let parts =
            (plan.query::<&mut A>().unwrap(), plan.resource_mut::<Score>().unwrap(), plan.events_mut::<Hit>().unwrap());
        (plan.build(), parts)
    };
    let (mine, (mut query, mut score, mut hits)) = tickets(&mut world, "mine");
    let (yours, _) = tickets(&mut world, "yours");
    let mut plan = world.plan("readers");
    let (shared_score, shared_hits, shared_world) =
        (plan.resource::<Score>().unwrap(), plan.events::<Hit>().unwrap(), plan.world().unwrap());
    let mut plan = world.plan("whole");
    let mut whole = plan.world_mut().unwrap();

    let claim = yours.claim_exclusive(&mut world).unwrap();
    let named = |error: WrongTicket, of: &str| assert_eq!((&*error.of, &*error.claimed), (of, "yours"));
    named(claim.query(&mut query).unwrap_err(), "mine");
    named(claim.get_resource_mut(&mut score).unwrap_err(), "mine");
    assert!(matches!(claim.resource_mut(&mut score), Err(PartError::WrongTicket(_))));
    named(claim.events_mut(&mut hits).err().unwrap(), "mine");
    named(claim.get_resource(&shared_score).err().unwrap(), "readers");
    named(claim.resource_changed(&shared_score, &mut ResourceReader::new()).unwrap_err(), "readers");
    named(claim.events(&shared_hits).err().unwrap(), "readers");
    named(claim.world(&shared_world).unwrap_err(), "readers");
    named(claim.world_mut(&mut whole).unwrap_err(), "whole");
    drop(claim);
    assert!(mine.clone().claim_exclusive(&mut world).unwrap().query(&mut query).is_ok(), "a clone is the same plan");
}

#[test]
fn a_plan_of_another_world_is_refused() {
    let (mut here, mut there) = (filled(), filled());
    let (plan, mut ticket) = plan_of::<&mut A, ()>(&mut here, "here");
    let (theirs, _) = plan_of::<&mut A, ()>(&mut there, "there");
    assert_eq!(plan.claim_exclusive(&mut there).unwrap_err().plan, "here");
    {
        let lend = there.lend();
        assert!(matches!(lend.claim(&plan), Err(ClaimError::OtherWorld(_))));
        assert_eq!(lend.claims(), 0);
        let _claim = lend.claim(&theirs).unwrap();
        assert!(
            matches!(lend.claim(&plan), Err(ClaimError::OtherWorld(_))),
            "that it would overlap is not what is wrong"
        );
    }
    assert!(!plan.overlaps(&theirs) && plan.conflicts_with(&theirs).is_none(), "they can be claimed at once");
    // A plan goes with its world, wherever that is moved to.
    std::mem::swap(&mut here, &mut there);
    assert!(plan.claim_exclusive(&mut here).is_err());
    plan.claim_exclusive(&mut there).unwrap().query(&mut ticket).unwrap().for_each(|a| a.0 += 1);
}

#[test]
fn a_world_that_is_replaced_while_it_is_lent_is_another_world() {
    let mut world = filled();
    let (write, mut ticket) = plan_of::<&mut A, ()>(&mut world, "write");
    let mut plan = world.plan("replace");
    let mut every = plan.world_mut().unwrap();
    let replace = plan.build();
    let mut other = World::new();
    other.spawn(A(7));
    let lend = world.lend();
    {
        let claim = lend.claim(&replace).unwrap();
        std::mem::swap(claim.world_mut(&mut every).unwrap(), &mut other);
        assert_eq!(claim.world_mut(&mut every).unwrap().alive(), 1);
    }
    assert!(matches!(lend.claim(&write), Err(ClaimError::OtherWorld(_))));
    assert_eq!(lend.claims(), 0);
    drop(lend);
    assert_eq!((world.alive(), other.alive()), (1, 15));
    assert_eq!(write.claim_exclusive(&mut other).unwrap().query(&mut ticket).unwrap().count(), 15);
}

#[test]
fn a_panic_while_claimed_gives_the_claim_back_and_leaves_the_world_usable() {
    let mut world = filled();
    let (write, mut ticket) = plan_of::<&mut A, ()>(&mut world, "write");
    let lend = world.lend();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let claim = lend.claim(&write).unwrap();
        for (at, a) in claim.query(&mut ticket).unwrap().into_iter().enumerate() {
            assert!(at < 3, "half way through");
            a.0 = 100;
        }
    }));
    assert!(panicked.is_err() && lend.claims() == 0);
    thread::scope(|scope| {
        let in_thread = scope.spawn(|| {
            let claim = lend.claim(&write).unwrap();
            claim.query(&mut ticket).unwrap().for_each(|_| panic!("on another thread"));
        });
        assert!(in_thread.join().is_err());
    });
    lend.claim(&write).unwrap().query(&mut ticket).unwrap().for_each(|a| a.0 = 2);
    drop(lend);
    world.validate().unwrap();
    assert_eq!(sum(&world), 30);
}

#[test]
fn two_threads_write_disjoint_parts_at_the_same_time() {
    let mut world = filled();
    let mut plan = world.plan("numbers");
    let (mut numbers, mut score) = (plan.query::<(&mut A, Entity)>().unwrap(), plan.resource_mut::<Score>().unwrap());
    let first = plan.build();
    let mut plan = world.plan("others");
    let (mut others, mut rare) =
        (plan.query::<&mut B>().unwrap(), plan.query_filtered::<&mut Rare, With<A>>().unwrap());
    let mut hits = plan.events_mut::<Hit>().unwrap();
    let second = plan.build();
    let (lend, barrier) = (world.lend(), Barrier::new(2));
    let rounds = if cfg!(miri) { 3 } else { 200 };
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..rounds {
                let claim = lend.claim(&first).unwrap();
                barrier.wait();
                claim.query(&mut numbers).unwrap().for_each(|(a, _)| a.0 += 1);
                claim.resource_mut(&mut score).unwrap().0 += 1;
            }
        });
        for _ in 0..rounds {
            let claim = lend.claim(&second).unwrap();
            barrier.wait();
            claim.query(&mut others).unwrap().for_each(|b| b.0 += 1);
            claim.query(&mut rare).unwrap().for_each(|rare| rare.0 += 1);
            claim.events_mut(&mut hits).unwrap().send(Hit(1));
        }
    });
    assert_eq!(sum(&world), 30 + 15 * rounds);
    assert_eq!(world.read::<&B>().iter().map(|b| b.0).sum::<u32>(), 200 + 10 * rounds);
    assert_eq!(world.read::<&Rare>().iter().map(|rare| rare.0).sum::<u32>(), 10 + 5 * rounds);
    assert_eq!((world.resource::<Score>().unwrap().0, world.events::<Hit>().len()), (rounds, rounds as usize));
}

#[test]
fn threads_that_want_the_same_take_turns_and_lose_nothing() {
    let mut world = filled();
    let plans: Vec<_> = (0..3).map(|n| plan_of::<&mut A, ()>(&mut world, &format!("writer {n}"))).collect();
    let lend = world.lend();
    let rounds = if cfg!(miri) { 2 } else { 100 };
    thread::scope(|scope| {
        for (plan, mut ticket) in plans {
            let lend: &Lend<'_> = &lend;
            scope.spawn(move || {
                for _ in 0..rounds {
                    let claim: Claim<'_> = loop {
                        match lend.claim(&plan) {
                            Ok(claim) => break claim,
                            Err(_) => thread::yield_now(),
                        }
                    };
                    claim.query(&mut ticket).unwrap().for_each(|a| a.0 += 1);
                }
            });
        }
    });
    assert_eq!(sum(&world), 30 + 15 * 3 * rounds);
}

#[test]
fn a_claim_can_be_sent_to_another_thread_and_dropped_there() {
    let mut world = filled();
    let (write, mut ticket) = plan_of::<&mut A, ()>(&mut world, "write");
    let lend = world.lend();
    let claim = lend.claim(&write).unwrap();
    thread::scope(|scope| {
        let ticket = &mut ticket;
        scope.spawn(move || claim.query(ticket).unwrap().for_each(|a| a.0 = 1));
    });
    assert_eq!(lend.claims(), 0);
    assert_eq!(sum(&world), 15);
}

#[test]
fn a_missing_resource_is_named_and_comes_when_it_is_inserted() {
    let mut world = World::new();
    let mut plan = world.plan("score");
    let score = plan.resource::<Score>().unwrap();
    let plan = plan.build();
    assert_eq!(world.resources().count(), 0, "a plan inserts nothing");
    let claim = plan.claim_exclusive(&mut world).unwrap();
    assert!(claim.get_resource(&score).unwrap().is_none());
    let Err(PartError::NoResource(error)) = claim.resource(&score) else { panic!("refused") };
    assert_eq!((&*error.resource, error.removed), ("Score", false));
    drop(claim);
    world.insert_resource(Score(3));
    assert_eq!(plan.claim_exclusive(&mut world).unwrap().resource(&score).unwrap().0, 3);
    world.remove_resource::<Score>();
    let claim = plan.claim_exclusive(&mut world).unwrap();
    let Err(PartError::NoResource(error)) = claim.resource(&score) else { panic!("refused") };
    assert!(error.removed);
}

#[test]
fn writes_through_claims_are_seen_once_by_every_reader() {
    let mut world = filled();
    let mut plan = world.plan("write");
    let mut writing = plan.resource_mut::<Score>().unwrap();
    let write = plan.build();
    let mut plan = world.plan("read");
    let reading = plan.resource::<Score>().unwrap();
    let read = plan.build();
    let (mut inside, mut outside) = (ResourceReader::<Score>::new(), ResourceReader::<Score>::new());
    assert!(outside.changed(&world));
    {
        let lend = world.lend();
        let mut look = |expected: bool| {
            let claim = lend.claim(&read).unwrap();
            assert_eq!(claim.resource_changed(&reading, &mut inside).unwrap(), expected);
        };
        look(true);
        look(false);
        for _ in 0..2 {
            lend.claim(&write).unwrap().resource_mut(&mut writing).unwrap().0 += 1;
            look(true);
            look(false);
        }
        assert_eq!(lend.claim(&write).unwrap().resource_mut(&mut writing).unwrap().0, 2);
        look(false);
    }
    assert!(outside.changed(&world) && !outside.changed(&world) && !inside.changed(&world));
    write.claim_exclusive(&mut world).unwrap().resource_mut(&mut writing).unwrap().0 += 1;
    assert!(outside.changed(&world) && inside.changed(&world));
    world.resource_mut::<Score>().unwrap().0 += 1;
    assert!(outside.changed(&world));
}

#[test]
fn a_plan_registers_what_its_queries_name() {
    let mut world = World::new();
    let (first, _) = plan_of::<&mut A, Without<Mark>>(&mut world, "first");
    assert_eq!(world.components().len(), 2);
    let (second, _) = plan_of::<&A, With<Mark>>(&mut world, "second");
    let (third, _) = plan_of::<&A, ()>(&mut world, "third");
    assert!(!first.overlaps(&second) && first.overlaps(&third));
}
