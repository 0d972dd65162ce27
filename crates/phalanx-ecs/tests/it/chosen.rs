//! Conditions chosen at run time, and bulk changes by id: against a compiled tag that always has what the run-time one has.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, ComponentLayout, DynError, DynQuery, DynValue, PlanError, Sampling, Trigger, WithDyn};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Component, Clone, Debug, PartialEq)]
struct X(u32);

#[derive(Component, Clone, Debug)]
#[component(track)]
struct Y(u32);

#[derive(Component, Clone, PartialEq, Eq, Hash, Debug)]
#[component(shared)]
struct Team(u32);

#[derive(Component, Clone, Debug)]
#[component(storage = "sparse")]
struct Rare(u32);

/// Has the same entities as the tag made at run time.
#[derive(Component, Clone)]
#[component(toggle, depends_on(X))]
struct Twin;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn number(&mut self) -> u32 {
        u32::try_from(self.below(4)).expect("small")
    }
}

struct Ids {
    x: ComponentId,
    y: ComponentId,
    rare: ComponentId,
    tag: ComponentId,
    left: DynRemovedCounter,
}

/// How many tags went, as an observer counts them.
type DynRemovedCounter = std::sync::Arc<std::sync::atomic::AtomicUsize>;

fn begin(observed: bool) -> (World, Ids) {
    let mut world = World::builder().min_free(2).build();
    let [x, y, rare] = [world.register::<X>(), world.register::<Y>(), world.register::<Rare>()];
    let tag = world.register_dyn(ComponentLayout::new("Mark").toggle().depends_on([x])).expect("a tag");
    let left = DynRemovedCounter::default();
    if observed {
        for act in [Act::Remove, Act::Insert] {
            let left = left.clone();
            let count = move |_: &mut Trigger<'_>| _ = left.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            world.observe_dyn(tag, act, count).expect("known");
        }
    }
    (world, Ids { x, y, rare, tag, left })
}

fn query_of(ids: &Ids, random: &mut Random) -> DynQuery {
    let query = DynQuery::builder().with(ids.x);
    let query = match random.below(5) {
        0 => query.with(ids.y),
        1 => query.without(ids.y),
        2 => query.with(ids.rare),
        3 => query.with(ids.tag),
        _ => query,
    };
    query.build().expect("no conflict")
}

/// Some of those that have an `X`: a few, or all of one table in order.
fn slice_of(world: &mut World, random: &mut Random) -> Vec<Entity> {
    let all: Vec<Entity> = world.query_filtered::<Entity, With<X>>().iter().collect();
    match random.below(2) {
        0 => all.into_iter().filter(|_| random.below(3) == 0).collect(),
        _ => {
            let y = random.below(2) == 0;
            all.into_iter().filter(|entity| world.has::<Y>(*entity) == y).collect()
        }
    }
}

fn step(world: &mut World, ids: &Ids, random: &mut Random) {
    let all: Vec<Entity> = world.entities().collect();
    let some = (!all.is_empty()).then(|| all[random.below(all.len())]);
    match (random.below(12), some) {
        (0 | 1, _) | (_, None) => {
            let n = random.number();
            for _ in 0..=random.below(70) {
                let entity = world.spawn(X(n));
                match random.below(4) {
                    0 => world.insert(entity, Y(n)).expect("alive"),
                    1 => world.insert(entity, (Y(n), Team(n))).expect("alive"),
                    2 => world.insert(entity, Rare(n)).expect("alive"),
                    _ => {}
                }
            }
        }
        (2, Some(entity)) => world.despawn(entity).expect("alive"),
        (3, Some(entity)) => world.despawn_lazy(entity).expect("alive"),
        (4, Some(entity)) => _ = world.remove::<X>(entity).expect("alive"),
        (5, Some(entity)) => world.insert(entity, Y(random.number())).expect("alive"),
        (6, _) => {
            let mut query = query_of(ids, random);
            let entities = query.entities(world);
            assert_eq!(world.insert_where_dyn(&mut query, ids.tag, &[]).expect("all have an `X`"), entities.len());
            for entity in entities {
                world.insert(entity, Twin).expect("alive");
            }
        }
        (7, _) => {
            let entities = slice_of(world, random);
            assert_eq!(world.insert_batch_dyn(&entities, ids.tag, &[]).expect("alive"), entities.len());
            for entity in entities {
                world.insert(entity, Twin).expect("alive");
            }
        }
        (8, _) => {
            let mut query = query_of(ids, random);
            let entities = query.entities(world);
            let went = world.remove_where_dyn(&mut query, ids.tag).expect("known");
            let twins: usize = entities.iter().map(|entity| world.remove::<Twin>(*entity).expect("alive")).sum();
            assert_eq!(went, twins);
        }
        (9, _) => {
            let entities = slice_of(world, random);
            let went = world.remove_batch_dyn(&entities, ids.tag).expect("alive");
            let twins: usize = entities.iter().map(|entity| world.remove::<Twin>(*entity).expect("alive")).sum();
            assert_eq!(went, twins);
        }
        (10, Some(_)) => {
            let on = random.below(2) == 0;
            for entity in all.into_iter().filter(|_| random.below(3) == 0) {
                if world.has::<Twin>(entity) {
                    let was_on = world.switch_dyn(entity, ids.tag, on).expect("it is there");
                    let twin = if on { world.switch_on::<Twin>(entity) } else { world.switch_off::<Twin>(entity) };
                    assert_eq!(was_on, twin.expect("it is there"));
                }
            }
        }
        (_, Some(_)) => _ = world.collect(Sampling { live_in_a_row: 3 }),
    }
}

/// The two tags are found alike, in every way of asking.
fn compare(world: &mut World, ids: &Ids) {
    world.validate().expect("consistent");
    let mut twins = Prepared::<(Entity, &X, Option<&Y>), With<Twin>>::new();
    let mut marked = Prepared::<(Entity, &X, Option<&Y>), WithDyn>::with_dyn(world, ids.tag).expect("a tag");
    let expected: Vec<Entity> = twins.on(world).iter().map(|(entity, ..)| entity).collect();
    let mut found = marked.on(world);
    assert_eq!(found.iter().map(|(entity, ..)| entity).collect::<Vec<_>>(), expected);
    assert_eq!(
        (found.count(), found.chunks().map(|(_, x, _)| x.len()).sum::<usize>()),
        (expected.len(), expected.len())
    );
    let (mut each, mut next) = (Vec::new(), Vec::new());
    found.for_each(|(entity, ..)| each.push(entity));
    for (entity, ..) in &found {
        next.push(entity);
    }
    assert_eq!((each, next), (expected.clone(), expected.clone()));
    #[cfg(feature = "parallel")]
    {
        let together = std::sync::Mutex::new(Vec::new());
        found.par_for_each(|(entity, ..)| together.lock().expect("no panic").push(entity));
        let mut together = together.into_inner().expect("no panic");
        let mut sorted = expected.clone();
        together.sort();
        sorted.sort();
        assert_eq!(together, sorted);
    }
    let set: BTreeSet<Entity> = expected.iter().copied().collect();
    let all: Vec<Entity> = world.entities().collect();
    for entity in all {
        let mut found = marked.on(world);
        let is_there = set.contains(&entity);
        assert_eq!((found.contains(entity), found.get(entity).is_some()), (is_there, is_there), "{entity}");
        assert_eq!(found.view().get(entity).is_some(), is_there, "{entity}");
        assert_eq!(world.is_on_dyn(entity, ids.tag), is_there, "{entity}");
    }
    let mut rare = Prepared::<(Entity, &mut Rare), (With<Y>, WithDyn)>::with_dyn(world, ids.tag).expect("a tag");
    let mut twin_rare = Prepared::<(Entity, &Rare), (With<Y>, With<Twin>)>::new();
    let expected: Vec<Entity> = twin_rare.on(world).iter().map(|(entity, _)| entity).collect();
    assert_eq!(rare.on(world).into_iter().map(|(entity, _)| entity).collect::<Vec<_>>(), expected);
}

#[test]
fn a_tag_made_at_run_time_is_found_where_its_compiled_twin_is() {
    let (seeds, steps) = if cfg!(miri) { (1, 14) } else { (40, 60) };
    for seed in 0..seeds {
        let (mut world, ids) = begin(seed % 4 == 3);
        let mut random = Random(seed);
        for _ in 0..steps {
            step(&mut world, &ids, &mut random);
            compare(&mut world, &ids);
        }
        assert_eq!(ids.left.load(std::sync::atomic::Ordering::Relaxed) > 0, seed % 4 == 3);
    }
}

#[test]
fn bulk_changes_by_id_tell_observers_of_each_entity_once() {
    let (mut world, ids) = begin(true);
    let count = |ids: &Ids| ids.left.swap(0, std::sync::atomic::Ordering::Relaxed);
    let rocks = world.spawn_batch((0..10).map(X)).to_vec();
    let mut all = DynQuery::builder().with(ids.x).build().expect("no conflict");
    world.insert_where_dyn(&mut all, ids.tag, &[]).expect("known");
    assert_eq!(count(&ids), 10);
    assert_eq!(world.remove_where_dyn(&mut all, ids.tag).expect("known"), 10);
    assert_eq!(count(&ids), 10);
    world.insert_batch_dyn(&rocks, ids.tag, &[]).expect("known");
    assert_eq!(world.remove_batch_dyn(&rocks[3..], ids.tag).expect("alive"), 7);
    assert_eq!(count(&ids), 17);
    assert_eq!(
        world.remove_where_dyn(&mut all, ids.x).expect("known"),
        10,
        "the three tags that depend on them go along, and are not counted"
    );
    assert_eq!(count(&ids), 3);
}

#[test]
fn where_nothing_is_chosen_and_in_other_worlds_nothing_matches() {
    let (mut world, ids) = begin(false);
    let rock = world.spawn(X(1));
    world.insert_dyn(rock, ids.tag, DynValue::bytes(&[])).expect("it has an `X`");
    let mut chosen = Prepared::<&X, WithDyn>::with_dyn(&world, ids.tag).expect("a tag");
    let mut copy = chosen.clone();
    assert_eq!((chosen.on(&mut world).count(), copy.on(&mut world).count()), (1, 1));
    assert_eq!(Prepared::<&X, WithDyn>::new().on(&mut world).count(), 0);
    assert_eq!(world.query_filtered::<&X, WithDyn>().count(), 0);
    assert_eq!(world.insert_where::<WithDyn, _>(Y(1)), 0);

    let (mut other, theirs) = begin(false);
    let stone = other.spawn(X(2));
    other.insert_dyn(stone, theirs.tag, DynValue::bytes(&[])).expect("it has an `X`");
    assert_eq!(chosen.on(&mut other).count(), 0, "the id means something else there");
    assert_eq!(chosen.on(&mut world).count(), 1);
}

#[test]
fn a_query_made_before_its_types_are_known_finds_them_later() {
    let mut world = World::new();
    let tag = world.register_dyn(ComponentLayout::new("Mark")).expect("a tag");
    let mut marked = Prepared::<&X, WithDyn>::with_dyn(&world, tag).expect("a tag");
    assert_eq!(marked.on(&mut world).count(), 0);
    let rock = world.spawn(X(1));
    assert_eq!(marked.on(&mut world).count(), 0);
    world.insert_dyn(rock, tag, DynValue::bytes(&[])).expect("alive");
    assert_eq!(marked.on(&mut world).count(), 1);
    assert_eq!(format!("{marked:?}"), "Prepared(&X filtered by With<Mark>)");
}

#[test]
fn bulk_changes_by_id_are_all_or_nothing() {
    let (mut world, ids) = begin(false);
    let rocks = world.spawn_batch((0..5).map(X)).to_vec();
    let bare = world.spawn(Y(1));
    let before = world.checksum();
    let mut everything = DynQuery::builder().build().expect("no conflict");
    let refused = world.insert_where_dyn(&mut everything, ids.tag, &[]).expect_err("one has no `X`");
    assert!(matches!(&refused, DynError::Lacks(lacks) if lacks.entity == Some(bare)), "{refused}");
    let refused = world.insert_batch_dyn([rocks[0], bare], ids.tag, &[]).expect_err("one has no `X`");
    assert!(matches!(refused, DynError::Lacks(_)));
    let refused = world.insert_batch_dyn([rocks[0]], ids.tag, &[1]).expect_err("a tag has no bytes");
    assert!(matches!(refused, DynError::Mismatch { .. }));
    let refused = world.insert_batch_dyn([rocks[0]], ids.x, &[0; 4]).expect_err("a compiled type");
    assert!(matches!(refused, DynError::Mismatch { .. }));
    assert_eq!(world.checksum(), before);
    world.despawn(rocks[4]).expect("alive");
    assert!(matches!(world.insert_batch_dyn(&rocks, ids.tag, &[]), Err(DynError::Dead(_))));
    assert!(matches!(world.remove_batch_dyn(&rocks, ids.x), Err(DynError::Dead(_))));
    assert_eq!(world.query::<&X>().count(), 4);
}

#[test]
fn values_of_types_made_at_run_time_come_in_bulk() {
    let mut world = World::new();
    let x = world.register::<X>();
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(2)).expect("a layout");
    let buff = ComponentLayout::new("Buff").size(1).storage(phalanx_ecs::Storage::Sparse);
    let buff = world.register_dyn(buff).expect("a layout");
    let elves = world.spawn_batch((0..6).map(X)).to_vec();
    world.spawn(Y(1));
    let mut with_x = DynQuery::builder().with(x).build().expect("no conflict");
    assert_eq!(world.insert_where_dyn(&mut with_x, mana, &[7, 8]).expect("two bytes"), 6);
    assert_eq!(world.insert_batch_dyn(&elves[..2], buff, &[9]).expect("one byte"), 2);
    assert!(elves.iter().all(|elf| world.get_dyn(*elf, mana).expect("there").bytes() == Some(&[7, 8][..])));
    let mut buffed = DynQuery::builder().with(buff).build().expect("no conflict");
    assert_eq!(world.remove_where_dyn(&mut buffed, mana).expect("known"), 2);
    assert_eq!(world.remove_where_dyn(&mut with_x, buff).expect("known"), 2);
    assert_eq!(world.remove_where_dyn(&mut with_x, x).expect("known"), 6);
    world.validate().expect("consistent");
}

#[test]
fn tags_left_out_of_moves_stay_behind_and_clones_have_them() {
    let (mut here, mut there) = (World::new(), World::new());
    let x = here.register::<X>();
    let tag = ComponentLayout::new("Seat").toggle().depends_on([x]).left_out_of_moves();
    let tag = here.register_dyn(tag.clone()).expect("a tag");
    let guest = here.spawn(X(1));
    here.insert_dyn(guest, tag, DynValue::bytes(&[])).expect("it has an `X`");
    let copy = here.clone_entity(guest).expect("cloneable");
    assert!(here.is_on_dyn(copy, tag));
    let guest = here.move_entity(guest, &mut there).expect("moves");
    assert_eq!(there.entity(guest).expect("alive").components().count(), 1);
    assert_eq!(DynQuery::builder().with(tag).build().expect("no conflict").entities(&here), [copy]);
    assert!(
        here.register_dyn(ComponentLayout::new("Seat").depends_on([x])).is_err(),
        "the name is taken by another kind"
    );
}

#[test]
fn plans_keep_apart_what_a_chosen_tag_keeps_apart() {
    let (mut world, ids) = begin(false);
    let mut plan = world.plan("marked");
    plan.query_with_dyn::<&mut X, WithDyn>(ids.tag).expect("a tag");
    let refused = plan.query::<&X>().expect_err("it would meet the same entities").to_string();
    assert!(refused.contains("query `&mut X filtered by With<Mark>`"), "{refused}");
    let Err(PlanError::Chosen(refused)) = plan.query_with_dyn::<&Y, WithDyn>(ids.rare) else {
        panic!("a sparse component was chosen")
    };
    assert!(matches!(*refused, DynError::Sparse { .. }));
    let marked = plan.build();
    let mut plan = world.plan("reader");
    plan.query::<&X>().expect("the only part");
    assert!(marked.overlaps(&plan.build()));
}

#[test]
fn a_plan_is_made_for_one_world_whoever_exchanges_it() {
    let (mut world, mut other) = (World::new(), World::new());
    // There the same types have other ids.
    other.register::<Y>();
    other.register::<X>();
    other.spawn(X(1));
    let mut plan = world.plan("first");
    let mut first = plan.query::<&mut X>().expect("the only part");
    let exchanged = catch_unwind(AssertUnwindSafe(|| plan.with_world(|world| *world = other)));
    assert!(exchanged.is_err());
    assert!(matches!(plan.query::<&mut Y>(), Err(PlanError::Refused(_))), "its ids would be those of another world");
    let plan = plan.build();
    let mut second = world.plan("second");
    second.query::<&mut X>().expect("the only part");
    let second = second.build();
    let lend = world.lend();
    let claim = lend.claim(&second).expect("nobody else has it");
    assert!(lend.claim(&plan).is_err(), "a plan of a world that is gone");
    drop(claim);
    drop(lend);
    assert!(plan.claim_exclusive(&mut world).map(|claim| claim.query(&mut first).is_ok()).is_err());
}

#[test]
fn what_is_no_toggle_is_not_switched_off_though_it_is_tracked() {
    let mut world = World::new();
    let (y, rock) = (world.register::<Y>(), world.spawn(Y(1)));
    assert!(matches!(world.switch_dyn(rock, y, false), Err(DynError::NoToggle { .. })));
    assert!(world.is_on_dyn(rock, y));
}

#[test]
fn a_query_is_called_by_what_was_written_and_chosen() {
    #[derive(Component)]
    struct WithDynamite;
    let (mut world, ids) = begin(false);
    world.register::<WithDynamite>();
    let query = Prepared::<&WithDynamite, WithDyn>::with_dyn(&world, ids.tag).expect("a tag");
    let mut query = query.clone();
    query.on(&mut world);
    assert_eq!(format!("{query:?}"), "Prepared(&WithDynamite filtered by With<Mark>)");
}
