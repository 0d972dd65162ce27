//! `error[L…]`: plans, claims and tickets.

use crate::snapshot::says;
use phalanx_ecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Velocity;

/// Generic, so the compiler does not see when it is there twice.
#[derive(Component)]
struct Slot<T>(T);

#[derive(Resource)]
struct Gravity;

#[derive(Resource)]
struct Score;

#[derive(Event)]
struct Hit;

#[test]
fn l001_parts_of_a_plan_that_are_in_each_others_way() {
    let mut world = World::new();
    let mut plan = world.plan("move_bodies");
    plan.query::<(&mut Position, &mut Velocity)>().unwrap();
    says("l001_queries", plan.query_filtered::<(&Position, &Velocity), With<Position>>().unwrap_err());
    plan.resource_mut::<Gravity>().unwrap();
    says("l001_resources", plan.resource::<Gravity>().unwrap_err());
    plan.events_mut::<Hit>().unwrap();
    says("l001_events", plan.events_mut::<Hit>().unwrap_err());
    says("l001_world", plan.world().unwrap_err());
    says("l001_world_mut", plan.world_mut().unwrap_err());
    let mut plan = world.plan("load");
    plan.world_mut().unwrap();
    says("l001_beside_world_mut", plan.query::<Entity>().unwrap_err());
    says("l001_terms", plan.query::<(&mut Slot<u8>, &Slot<u8>)>().unwrap_err());
}

#[test]
fn l002_a_plan_that_overlaps_one_that_is_claimed() {
    let mut world = World::new();
    let mut plan = world.plan("move_bodies");
    plan.query::<(&mut Position, &Velocity)>().unwrap();
    plan.resource::<Gravity>().unwrap();
    let moving = plan.build();
    let mut plan = world.plan("find_contacts");
    plan.query::<&Position>().unwrap();
    plan.resource_mut::<Gravity>().unwrap();
    let contacts = plan.build();
    let mut plan = world.plan("load");
    plan.world_mut().unwrap();
    let load = plan.build();
    says("conflict_of_plans", moving.conflicts_with(&contacts).unwrap());
    let lend = world.lend();
    let claim = lend.claim(&moving).unwrap();
    says("l002_overlap", lend.claim(&contacts).unwrap_err());
    says("l002_world_mut", lend.claim(&load).unwrap_err());
    says("claim_debug", format!("{lend:?}\n{claim:?}\n{moving:?}"));
}

#[test]
fn l003_a_ticket_of_another_plan() {
    let mut world = World::new();
    let mut plan = world.plan("move_bodies");
    let mut bodies = plan.query::<&mut Position>().unwrap();
    let mut plan = world.plan("find_contacts");
    plan.query::<&Position>().unwrap();
    let plan = plan.build();
    let claim = plan.claim_exclusive(&mut world).unwrap();
    says("l003_wrong_ticket", claim.query(&mut bodies).unwrap_err());
}

#[test]
fn l004_a_plan_of_another_world() {
    let (mut here, mut there) = (World::new(), World::new());
    let mut plan = here.plan("move_bodies");
    plan.query::<&mut Position>().unwrap();
    let plan = plan.build();
    says("l004_by_borrow", plan.claim_exclusive(&mut there).unwrap_err());
    says("l004_lent", there.lend().claim(&plan).unwrap_err());
}

#[test]
fn r001_a_resource_that_a_claim_does_not_find() {
    let mut world = World::new();
    world.insert_resource(Score);
    let mut plan = world.plan("fall");
    let mut gravity = plan.resource_mut::<Gravity>().unwrap();
    let plan = plan.build();
    let claim = plan.claim_exclusive(&mut world).unwrap();
    says("r001_in_a_claim", claim.resource_mut(&mut gravity).err().unwrap());
}
