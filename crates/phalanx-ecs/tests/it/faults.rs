//! Bad input and panics: an error or a propagated panic, every value dropped exactly once, and a world that goes on.

use crate::hostile::{
    Held, Ledger, Needs, Tag, assert_well, for_both_storages, held, panic_of, tag_drops_panic, tags_alive,
};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, DynValue, HandleLayout, NotAliveReason};

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct X(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Y(u32);
#[derive(Component)]
struct Later;

type H<const S: bool> = Held<S, 0>;
type K<const S: bool> = Held<S, 1>;
const DROP: &str = "this drop panics";

/// A handle that is not alive, by every route that takes one.
fn refuse_everywhere<const SPARSE: bool>(world: &mut World, ledger: Ledger, bad: Entity) {
    let (before, alive) = (world.stats(), ledger.alive());
    let good = world.entities().next().expect("one is alive");
    let signature = world.signature(good).expect("alive");
    let id = world.register::<H<SPARSE>>();
    assert!(!world.is_alive(bad));
    assert!(world.get::<H<SPARSE>>(bad).is_none() && world.get_mut::<H<SPARSE>>(bad).is_none());
    assert!(!world.has::<H<SPARSE>>(bad) && !world.has_dyn(bad, id));
    assert_eq!(world.get_many::<H<SPARSE>>(&[bad, bad]), [None, None]);
    world.lookup::<H<SPARSE>>(bad).expect_err("bad");
    world.lookup_mut::<H<SPARSE>>(bad).expect_err("bad");
    world.signature(bad).expect_err("bad");
    world.entity(bad).map(|_| ()).expect_err("bad");
    world.entity_mut(bad).map(|_| ()).expect_err("bad");
    world.insert(bad, held::<SPARSE, 0>()).expect_err("bad");
    world.insert(bad, (held::<SPARSE, 0>(), Tag::<SPARSE>::new())).expect_err("bad");
    world.insert(bad, Needs::<SPARSE>).expect_err("bad");
    world.insert_if_new(bad, held::<SPARSE, 0>()).expect_err("bad");
    world.replace(bad, held::<SPARSE, 0>()).expect_err("bad");
    world.remove::<H<SPARSE>>(bad).expect_err("bad");
    world.take::<H<SPARSE>>(bad).expect_err("bad");
    world.retain::<()>(bad).expect_err("bad");
    world.despawn(bad).expect_err("bad");
    world.insert_batch([good, bad], [held::<SPARSE, 0>(), held()]).expect_err("bad");
    world.remove_batch::<H<SPARSE>>(&[good, bad]).expect_err("bad");
    assert_eq!(world.despawn_batch([bad, bad]).expect_err("bad").missing.len(), 2);
    world.clone_entity(bad).expect_err("bad");
    world.clone_entity_partly(bad).expect_err("bad");
    world.move_entity(bad, &mut World::new()).expect_err("bad");
    world.insert_dyn(bad, id, DynValue::new(held::<SPARSE, 0>())).expect_err("bad");
    world.remove_dyn(bad, id).expect_err("bad");
    assert!(world.get_dyn(bad, id).is_none() && world.get_dyn_mut(bad, id).is_none());
    let mut sparse = world.sparse_mut::<Held<true, 50>>();
    sparse.insert(bad, held()).expect_err("bad");
    assert!(sparse.get(bad).is_none() && sparse.get_mut(bad).is_none() && sparse.remove(bad).is_none());
    let mut query = world.query::<&mut H<SPARSE>>();
    assert!(query.get_mut(bad).is_none() && !query.contains(bad));
    assert!(query.get_many_mut([bad]).is_err() && query.explain(bad).dead.is_some());

    assert_eq!(world.stats().entities, before.entities);
    assert_eq!(world.signature(good).expect("alive"), signature);
    assert_eq!(tags_alive(), 0);
    assert_well(world, ledger, alive);
}

fn bad_handles_are_refused_by_every_route<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::builder().min_free(1).build();
    let dead = world.spawn(held::<SPARSE, 0>());
    world.spawn(held::<SPARSE, 0>());
    world.despawn(dead).expect("alive");
    refuse_everywhere::<SPARSE>(&mut world, ledger, dead);
    // Its index belongs to another one now.
    let reused = world.spawn(held::<SPARSE, 0>());
    assert_eq!(reused.index(), dead.index());
    refuse_everywhere::<SPARSE>(&mut world, ledger, dead);
    for text in ["77v0", "1v5", "4294967295v0", "0v16777214"] {
        refuse_everywhere::<SPARSE>(&mut world, ledger, text.parse().expect("an entity"));
    }
}

#[cfg(debug_assertions)]
fn foreign_handles_are_refused_by_every_route<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.spawn(held::<SPARSE, 0>());
    // A salt is shared by every 127th world.
    let foreign = loop {
        let foreign = World::new().spawn(());
        if !world.is_alive(foreign) {
            break foreign;
        }
    };
    assert_eq!(world.despawn(foreign).expect_err("foreign").reason, NotAliveReason::Foreign);
    refuse_everywhere::<SPARSE>(&mut world, ledger, foreign);
}

fn handles_of_a_used_up_index_are_refused_by_every_route<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::builder().min_free(1).build();
    world.spawn(held::<SPARSE, 0>());
    world.spawn(held::<SPARSE, 0>());
    world.simulate_generation(0, Entity::MAX_GENERATION);
    let last = world.entities().next().expect("two");
    assert!(world.has::<H<SPARSE>>(last));
    world.despawn(last).expect("alive");
    assert_eq!(world.stats().entities.retired, 1);
    refuse_everywhere::<SPARSE>(&mut world, ledger, last);
    refuse_everywhere::<SPARSE>(&mut world, ledger, "0v0".parse().expect("an entity"));
    assert_eq!(world.spawn(held::<SPARSE, 0>()).index(), 2);
    // A batch, a bulk despawn and `clear` retire too.
    for (round, index) in [1u32, 2].into_iter().enumerate() {
        world.simulate_generation(index, Entity::MAX_GENERATION);
        if round == 0 {
            let used_up = world.entities().next().expect("two");
            world.despawn_batch([used_up]).expect("alive");
        } else {
            world.clear();
        }
    }
    assert_eq!((world.stats().entities.retired, world.alive()), (3, 0));
    assert_eq!(world.spawn(held::<SPARSE, 0>()).to_string(), "3v0");
    world.simulate_generation(3, Entity::MAX_GENERATION);
    assert_eq!(world.despawn_where::<With<H<SPARSE>>>(), 1);
    assert_eq!(world.stats().entities.retired, 4);
    assert_well(&world, ledger, 0);
}

fn the_limit_holds_on_every_route<const SPARSE: bool>() {
    let ledger = Ledger::new();
    for layout in [HandleLayout::Wide, HandleLayout::Compact] {
        let mut world = World::builder().limit(3).layout(layout).build();
        let all = world.spawn_batch((0..3).map(|_| held::<SPARSE, 0>())).to_vec();
        world.try_spawn(held::<SPARSE, 0>()).expect_err("full");
        world.try_spawn((X(1), Tag::<SPARSE>::new())).expect_err("full");
        world.try_spawn(Needs::<SPARSE>).expect_err("full");
        world.try_spawn_batch((0..2).map(|_| (held::<SPARSE, 0>(), X(1)))).expect_err("full");
        world.try_spawn_batch((0..90).filter(|n| n % 2 == 0).map(|_| held::<SPARSE, 0>())).expect_err("full");
        world.try_spawn_batch((0..2).map(|_| Needs::<SPARSE>)).expect_err("full");
        world.spawn_columns((vec![held::<SPARSE, 0>(), held()], [X(1), X(2)])).expect_err("full");
        world.clone_entity(all[0]).expect_err("full");
        let mut bundle = BundleBuilder::new();
        bundle.add(held::<SPARSE, 0>());
        world.spawn_dyn(bundle).expect_err("full");
        let mut other = World::new();
        let traveller = other.spawn(held::<SPARSE, 0>());
        other.move_entity(traveller, &mut world).expect_err("full");
        let message = panic_of(|| world.spawn_batch((0..2).map(|_| held::<SPARSE, 0>())));
        assert!(message.contains("limit: 3, alive: 3"), "{message}");
        assert_eq!((world.alive(), world.stats().entities.highest_index, tags_alive()), (3, Some(2), 0));
        assert_well(&world, ledger, 4);
        world.despawn(all[1]).expect("alive");
        other.move_entity(traveller, &mut world).expect("room");
        assert_well(&world, ledger, 3);
        drop(world);
        assert_well(&other, ledger, 0);
    }
}

/// Runs `act` on a new world with the `n`-th drop panicking, for every `n`; then all that is left must be what `left` says.
#[track_caller]
fn with_each_drop_panicking<const SPARSE: bool>(drops: u32, left: usize, act: impl Fn(&mut World, &[Entity])) {
    // The first and the last will do where panics are slow.
    for n in (1..=drops).filter(|n| cfg!(not(miri)) || [1, drops].contains(n)) {
        let ledger = Ledger::new();
        let mut world = World::new();
        let all = world
            .spawn_batch((0..4).map(|n| (X(n), held::<SPARSE, 0>(), held::<SPARSE, 1>(), held::<true, 2>())))
            .to_vec();
        assert_eq!(ledger.alive(), 12);
        ledger.drop_panics_at(n);
        assert_eq!(panic_of(|| act(&mut world, &all)), DROP, "drop {n}");
        assert_well(&world, ledger, left);
        // The world goes on.
        let another = world.spawn((held::<SPARSE, 0>(), Later));
        world.insert(another, held::<SPARSE, 1>()).expect("alive");
        assert_eq!(world.query_filtered::<(&H<SPARSE>, &K<SPARSE>), With<Later>>().count(), 1);
        let reachable = world.query::<&H<SPARSE>>().count()
            + world.query::<&K<SPARSE>>().count()
            + world.query::<&Held<true, 2>>().count();
        assert_well(&world, ledger, left + 2);
        assert_eq!(reachable, left + 2, "all that is alive is there");
        drop(world);
        assert_eq!(ledger.alive(), 0);
    }
}

fn a_panic_in_drop_while_despawning<const SPARSE: bool>() {
    with_each_drop_panicking::<SPARSE>(3, 9, |world, all| {
        world.despawn(all[1]).expect("alive");
    });
    with_each_drop_panicking::<SPARSE>(9, 3, |world, all| {
        world.despawn_batch(all[1..].iter().copied()).expect("alive");
    });
    with_each_drop_panicking::<SPARSE>(12, 0, |world, _| {
        world.despawn_where::<With<X>>();
    });
    with_each_drop_panicking::<SPARSE>(12, 0, |world, _| world.clear());
    with_each_drop_panicking::<SPARSE>(3, 9, |world, all| world.entity_mut(all[0]).expect("alive").despawn());
}

fn a_panic_in_drop_while_removing<const SPARSE: bool>() {
    with_each_drop_panicking::<SPARSE>(2, 10, |world, all| {
        world.remove::<(H<SPARSE>, K<SPARSE>)>(all[0]).expect("alive");
    });
    with_each_drop_panicking::<SPARSE>(2, 10, |world, all| {
        world.retain::<(X, Held<true, 2>)>(all[0]).expect("alive");
    });
    with_each_drop_panicking::<SPARSE>(1, 11, |world, all| {
        let id = world.register::<H<SPARSE>>();
        world.remove_dyn(all[0], id).expect("alive");
    });
    with_each_drop_panicking::<SPARSE>(2, 10, |world, all| {
        world.entity_mut(all[0]).expect("alive").remove::<(H<SPARSE>, K<SPARSE>)>().apply();
    });
    with_each_drop_panicking::<SPARSE>(1, 11, |world, all| drop(world.take::<H<SPARSE>>(all[0])));
}

fn a_panic_in_drop_while_removing_in_bulk<const SPARSE: bool>() {
    // Into an empty table.
    with_each_drop_panicking::<SPARSE>(8, 4, |world, _| {
        world.remove_where::<With<X>, (H<SPARSE>, K<SPARSE>)>();
    });
    with_each_drop_panicking::<SPARSE>(8, 4, |world, all| {
        world.remove_batch::<(H<SPARSE>, K<SPARSE>)>(all).expect("alive");
    });
    // Into one that has rows.
    with_each_drop_panicking::<SPARSE>(8, 4, |world, _| {
        world.spawn_batch((0..3).map(X));
        world.remove_where::<With<X>, (H<SPARSE>, K<SPARSE>)>();
    });
    // Entity by entity.
    with_each_drop_panicking::<SPARSE>(6, 6, |world, all| {
        world.remove_batch::<(H<SPARSE>, K<SPARSE>)>(&all[1..]).expect("alive");
    });
}

fn a_panic_in_drop_while_replacing<const SPARSE: bool>() {
    with_each_drop_panicking::<SPARSE>(2, 12, |world, all| {
        world.insert(all[2], (held::<SPARSE, 0>(), held::<SPARSE, 1>())).expect("alive");
    });
    // In one move with something new.
    with_each_drop_panicking::<SPARSE>(2, 12, |world, all| {
        world.insert(all[2], (held::<SPARSE, 0>(), Y(1), held::<SPARSE, 1>())).expect("alive");
    });
    with_each_drop_panicking::<SPARSE>(1, 12, |world, all| {
        drop(world.replace(all[2], held::<SPARSE, 0>()).expect("alive"));
    });
    with_each_drop_panicking::<SPARSE>(1, 12, |world, all| {
        assert_eq!(world.insert_if_new(all[2], held::<SPARSE, 0>()), Ok(false));
    });
    with_each_drop_panicking::<SPARSE>(1, 12, |world, all| {
        let id = world.register::<H<SPARSE>>();
        world.insert_dyn(all[2], id, DynValue::new(held::<SPARSE, 0>())).expect("alive");
    });
    with_each_drop_panicking::<SPARSE>(2, 12, |world, all| {
        world.entity_mut(all[2]).expect("alive").insert((held::<SPARSE, 0>(), held::<SPARSE, 1>())).apply();
    });
    with_each_drop_panicking::<SPARSE>(1, 12, |world, all| {
        world.sparse_mut::<Held<true, 2>>().insert(all[2], held()).expect("alive");
    });
}

fn a_panic_in_drop_while_replacing_in_bulk<const SPARSE: bool>() {
    for n in if cfg!(miri) { 4..=5 } else { 1..=8 } {
        let ledger = Ledger::new();
        let mut world = World::new();
        let all = world.spawn_batch((0..4).map(|n| (X(n), held::<SPARSE, 0>(), held::<SPARSE, 1>()))).to_vec();
        ledger.drop_panics_at(n);
        let message = panic_of(|| {
            world.insert_where_with::<With<X>, _>(|_| (held::<SPARSE, 0>(), held::<SPARSE, 1>()));
        });
        assert_eq!(message, DROP);
        assert_well(&world, ledger, 8);
        ledger.drop_panics_at(n);
        let message = panic_of(|| {
            let bundles: Vec<_> = (0..4).map(|_| (held::<SPARSE, 1>(), held::<SPARSE, 0>())).collect();
            world.insert_batch(&all, bundles).expect("alive");
        });
        assert_eq!(message, DROP);
        assert_well(&world, ledger, 8);
    }
}

/// Entities in several tables, some of which have what is inserted.
fn scattered<const SPARSE: bool>() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut all = world.spawn_batch((0..3).map(|n| (X(n), held::<SPARSE, 0>()))).to_vec();
    all.extend(world.spawn_batch((3..5).map(|n| (X(n), Y(n), held::<SPARSE, 0>()))).iter());
    all.extend(world.spawn_batch((5..7).map(|n| (X(n), held::<SPARSE, 0>(), held::<SPARSE, 1>()))).iter());
    all.extend(world.spawn_batch((7..9).map(|n| (X(n), held::<SPARSE, 0>(), held::<true, 2>()))).iter());
    all.extend(world.spawn_batch((9..11).map(X)).iter());
    (world, all)
}

fn a_panic_in_drop_while_inserting_into_many_tables_leaves_none_out<const SPARSE: bool>() {
    type Act = fn(&mut World, &[Entity]);
    let acts: [Act; 5] = [
        |world, _| _ = world.insert_where::<With<X>, _>(held::<SPARSE, 0>()),
        |world, _| _ = world.insert_where_with::<With<X>, _>(|_| (held::<SPARSE, 0>(), held::<SPARSE, 1>())),
        |world, _| _ = world.insert_where_with::<(With<X>, With<Held<true, 2>>), _>(|_| held::<SPARSE, 0>()),
        |world, all| world.insert_batch(&all[1..], all[1..].iter().map(|_| held::<SPARSE, 0>())).expect("alive"),
        |world, all| world.insert_batch(&all[..3], all[..3].iter().map(|_| held::<SPARSE, 0>())).expect("alive"),
    ];
    let signatures = |world: &World, all: &[Entity]| -> Vec<_> {
        all.iter().map(|entity| world.signature(*entity).expect("alive")).collect()
    };
    for (at, act) in acts.into_iter().enumerate() {
        let ledger = Ledger::new();
        let (mut world, all) = scattered::<SPARSE>();
        act(&mut world, &all);
        let (expected, alive) = (signatures(&world, &all), ledger.alive());
        let drops = u32::try_from(ledger.born() - alive).expect("few");
        assert!(drops > 1, "there is something to replace");
        for n in (1..=drops).filter(|n| cfg!(not(miri)) || [1, drops].contains(n)) {
            let ledger = Ledger::new();
            let (mut world, all) = scattered::<SPARSE>();
            ledger.drop_panics_at(n);
            assert_eq!(panic_of(|| act(&mut world, &all)), DROP, "act {at}, drop {n}");
            assert_eq!(signatures(&world, &all), expected, "act {at}, drop {n}");
            assert_well(&world, ledger, alive);
        }
    }
}

/// All that is dropped panics, while an iterator, a clone or a constructor panics: the first panic goes on, and the program too.
fn a_panic_of_the_users_code_while_every_drop_panics<const SPARSE: bool>() {
    type Act = fn(&mut World, &[Entity]);
    let acts: [(Act, &str); 5] = [
        (
            |world, all| {
                let bundles = (0..9).map(|n| {
                    assert!(n != 5, "item 5 panics");
                    held::<SPARSE, 0>()
                });
                drop(world.insert_batch(all, bundles));
            },
            "item 5 panics",
        ),
        (
            |world, all| {
                Ledger::current().birth_panics_at(8);
                drop(world.insert_batch(&all[1..], (0..4).map(|_| (held::<SPARSE, 0>(), Needs::<SPARSE>))));
            },
            "this birth panics",
        ),
        (
            |world, all| {
                Ledger::current().birth_panics_at(14);
                drop(world.insert_batch(&all[..3], (0..3).map(|_| (held::<SPARSE, 3>(), Needs::<SPARSE>, X(1)))));
                drop(world.insert_batch(&all[..3], (0..3).map(|_| (held::<SPARSE, 4>(), Needs::<SPARSE>, X(1)))));
                drop(world.insert_batch(&all[3..5], (0..2).map(|_| (held::<SPARSE, 3>(), Needs::<SPARSE>, X(1)))));
            },
            "this birth panics",
        ),
        (
            |world, _| {
                Ledger::current().clone_panics_at(4);
                world.insert_where::<With<X>, _>(held::<SPARSE, 0>());
            },
            "this clone panics",
        ),
        (|world, _| _ = world.insert_where::<With<X>, _>(held::<SPARSE, 0>()), DROP),
    ];
    for (at, (act, expected)) in acts.into_iter().enumerate() {
        let ledger = Ledger::new();
        let (mut world, all) = scattered::<SPARSE>();
        ledger.all_drops_panic(true);
        assert_eq!(panic_of(|| act(&mut world, &all)), expected, "act {at}");
        ledger.all_drops_panic(false);
        let live = world.live_values();
        let held = live.types.iter().filter(|of| of.name.starts_with("Held")).map(|of| of.count).sum();
        assert_well(&world, ledger, held);
    }
}

fn a_panic_in_the_drop_of_what_is_refused<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::builder().limit(1).build();
    let entity = world.spawn(X(1));
    let refused = |world: &mut World, act: &dyn Fn(&mut World)| {
        ledger.drop_panics_at(1);
        assert_eq!(panic_of(|| act(world)), DROP);
        assert_well(world, ledger, 0);
    };
    refused(&mut world, &|world| drop(world.try_spawn((held::<SPARSE, 0>(), held::<SPARSE, 1>()))));
    refused(&mut world, &|world| drop(world.spawn_columns((vec![held::<SPARSE, 0>()], [X(1), X(2)]))));
    refused(&mut world, &|world| {
        world.try_spawn((held::<SPARSE, 0>(), held::<SPARSE, 0>())).expect_err("twice");
    });
    world.despawn(entity).expect("alive");
    refused(&mut world, &|world| {
        world.insert(entity, (held::<SPARSE, 0>(), held::<SPARSE, 1>())).expect_err("dead");
    });
    assert_eq!(world.alive(), 0);
}

fn a_panic_in_the_drop_of_a_batch_that_is_refused_is_told_by_the_error<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::builder().limit(3).build();
    let mut act = || world.try_spawn_batch((0..10).filter(|_| true).map(|_| (held::<SPARSE, 0>(), X(1))));
    ledger.drop_panics_at(2);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut act));
    assert!(!matches!(result, Ok(Ok(_))), "an error or a panic");
    assert_eq!(world.alive(), 0);
    assert_well(&world, ledger, 0);
}

fn a_panic_in_the_drop_of_a_tag<const SPARSE: bool>() {
    let act = |act: &dyn Fn(&mut World, Entity), left: usize| {
        let ledger = Ledger::new();
        let mut world = World::new();
        let entity = world.spawn((Tag::<SPARSE>::new(), held::<false, 0>()));
        world.spawn((Tag::<SPARSE>::new(), held::<false, 0>()));
        tag_drops_panic(true);
        assert_eq!(panic_of(|| act(&mut world, entity)), "this drop of a tag panics");
        tag_drops_panic(false);
        assert_eq!(tags_alive(), left);
        assert_eq!(world.query::<&Tag<SPARSE>>().count(), left);
        let held = world.query::<&H<false>>().count();
        assert_well(&world, ledger, held);
        drop(world);
        assert_eq!((tags_alive(), ledger.alive()), (0, 0));
    };
    act(&|world, entity| world.despawn(entity).expect("alive"), 1);
    act(&|world, entity| assert_eq!(world.remove::<Tag<SPARSE>>(entity), Ok(1)), 1);
    act(&|world, entity| world.insert(entity, Tag::<SPARSE>::new()).expect("alive"), 2);
    act(&|world, entity| world.insert(entity, (Tag::<SPARSE>::new(), Y(1))).expect("alive"), 2);
    act(&|world, _| assert_eq!(world.remove_where::<With<H<false>>, Tag<SPARSE>>(), 2), 0);
    act(&|world, _| assert_eq!(world.despawn_where::<With<H<false>>>(), 2), 0);
    act(&|world, _| world.clear(), 0);
    act(&|world, entity| world.entity_mut(entity).expect("alive").remove::<Tag<SPARSE>>().apply(), 1);
}

fn a_panic_in_drop_while_the_world_is_dropped<const SPARSE: bool>() {
    for n in if cfg!(miri) { 4..=5 } else { 1..=8 } {
        let ledger = Ledger::new();
        let mut world = World::new();
        world.spawn_batch((0..2).map(|_| (held::<SPARSE, 0>(), held::<SPARSE, 1>())));
        world.spawn_batch((0..4).map(|n| (X(n), held::<SPARSE, 0>())));
        ledger.drop_panics_at(n);
        assert_eq!(panic_of(|| drop(world)), DROP);
        assert_eq!(ledger.alive(), 0);
    }
}

fn all_drops_of_one_table_or_set_may_panic<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let all = world.spawn_batch((0..5).map(|_| (held::<SPARSE, 0>(), held::<SPARSE, 1>()))).to_vec();
    ledger.all_drops_panic(true);
    assert_eq!(panic_of(|| world.despawn(all[0]).expect("alive")), DROP);
    assert_eq!(panic_of(|| world.remove::<(H<SPARSE>, K<SPARSE>)>(all[1])), DROP);
    assert_eq!(panic_of(|| world.insert(all[2], (held::<SPARSE, 0>(), held::<SPARSE, 1>()))), DROP);
    assert_eq!(panic_of(|| world.remove_where::<(), H<SPARSE>>()), DROP);
    assert_eq!(panic_of(|| world.clear()), DROP);
    ledger.all_drops_panic(false);
    assert_eq!(world.alive(), 0);
    assert_well(&world, ledger, 0);
}

fn a_panic_in_an_iterator_of_bundles_spawns_nothing<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.spawn((X(0), held::<SPARSE, 0>(), Tag::<SPARSE>::new()));
    let before = world.stats().entities;
    for at in [0, 1, 5, 40] {
        let message = panic_of(|| {
            world.spawn_batch((0..100).map(|n| {
                assert!(n != at, "item {n} panics");
                (X(n), held::<SPARSE, 0>(), Tag::<SPARSE>::new())
            }))
        });
        assert_eq!(message, format!("item {at} panics"));
        assert_eq!(world.stats().entities, before);
        assert_eq!(tags_alive(), 1);
        assert_well(&world, ledger, 1);
    }
    assert_eq!(world.spawn_batch((0..3).map(|n| (X(n), held::<SPARSE, 0>(), Tag::<SPARSE>::new()))).len(), 3);
    assert_well(&world, ledger, 4);
}

/// Rows that are half written are taken back even if that panics too: the first panic is the one that is told.
#[test]
fn a_second_panic_while_a_batch_is_taken_back_is_swallowed() {
    let ledger = Ledger::new();
    let mut world = World::new();
    ledger.drop_panics_at(3);
    let message = panic_of(|| {
        world.spawn_batch((0..100).filter(|_| true).map(|n| {
            assert!(n != 10, "item {n} panics");
            (X(n), held::<false, 1>())
        }))
    });
    assert_eq!((message.as_str(), world.alive()), ("item 10 panics", 0));
    assert_well(&world, ledger, 0);
}

fn a_panic_in_an_iterator_of_a_batch_insert_changes_nothing<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let all = world.spawn_batch((0..5).map(X)).to_vec();
    for entities in [&all[..], &all[1..]] {
        let message = panic_of(|| {
            world.insert_batch(
                entities,
                (0..5).map(|n| {
                    assert!(n != 3, "item {n} panics");
                    held::<SPARSE, 0>()
                }),
            )
        });
        assert_eq!((message.as_str(), world.query::<&H<SPARSE>>().count()), ("item 3 panics", 0));
        assert_well(&world, ledger, 0);
    }
    let message = panic_of(|| {
        world.despawn_batch(all.iter().copied().inspect(|entity| assert!(entity.index() != 2, "entity 2 panics")))
    });
    assert_eq!((message.as_str(), world.alive()), ("entity 2 panics", 3));
    assert_well(&world, ledger, 0);
}

fn a_panic_in_a_closure_that_makes_values<const SPARSE: bool>() {
    for at in if cfg!(miri) { 3..4 } else { 0..6 } {
        for extra in [false, true] {
            let ledger = Ledger::new();
            let mut world = World::new();
            let all = world.spawn_batch((0..6).map(X)).to_vec();
            if extra {
                // The target has rows.
                world.spawn((X(9), held::<SPARSE, 0>(), Tag::<SPARSE>::new()));
            }
            let message = panic_of(|| {
                world.insert_where_with::<With<X>, _>(|entity| {
                    assert!(entity.index() != at, "this closure panics");
                    (held::<SPARSE, 0>(), Tag::<SPARSE>::new())
                })
            });
            assert_eq!(message, "this closure panics");
            let there = world.query::<&H<SPARSE>>().count();
            assert_well(&world, ledger, there);
            assert_eq!(tags_alive(), world.query::<&Tag<SPARSE>>().count());
            if !SPARSE && !extra {
                assert_eq!(there, 0, "a whole table changes at once or not at all");
            }
            for (at, entity) in (0..).zip(&all) {
                assert_eq!(world.get::<X>(*entity), Some(&X(at)));
            }
            world.insert_where_with::<With<X>, _>(|_| (held::<SPARSE, 0>(), Tag::<SPARSE>::new()));
            assert_well(&world, ledger, 6 + usize::from(extra));
        }
    }
}

fn a_panic_in_a_closure_that_makes_replacements<const SPARSE: bool>() {
    for at in 0..4u32 {
        let ledger = Ledger::new();
        let mut world = World::new();
        world.spawn_batch((0..4).map(|n| (X(n), held::<SPARSE, 0>())));
        let message = panic_of(|| {
            world.insert_where_with::<With<X>, _>(|entity| {
                assert!(entity.index() != at, "this closure panics");
                held::<SPARSE, 0>()
            })
        });
        assert_eq!(message, "this closure panics");
        assert_well(&world, ledger, 4);
        // A bundle of which a part is there, so entities go one by one.
        let message = panic_of(|| {
            world.insert_where_with::<With<X>, _>(|entity| {
                assert!(entity.index() != at, "this closure panics");
                (held::<SPARSE, 0>(), held::<SPARSE, 1>())
            })
        });
        assert_eq!(message, "this closure panics");
        let there = world.query::<&K<SPARSE>>().count();
        assert_well(&world, ledger, 4 + there);
    }
}

fn a_panic_in_clone_while_inserting_into_many<const SPARSE: bool>() {
    for n in 1..=5 {
        let ledger = Ledger::new();
        let mut world = World::new();
        world.spawn_batch((0..5).map(X));
        ledger.clone_panics_at(n);
        assert_eq!(panic_of(|| world.insert_where::<With<X>, _>(held::<SPARSE, 0>())), "this clone panics");
        let there = world.query::<&H<SPARSE>>().count();
        assert_well(&world, ledger, there);
        assert_eq!(world.insert_where::<With<X>, _>(held::<SPARSE, 0>()), 5);
        assert_well(&world, ledger, 5);
    }
}

fn a_panic_in_a_constructor_of_a_required_component<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn((X(1), held::<SPARSE, 0>()));
    let others = world.spawn_batch((0..3).map(Y)).to_vec();
    let before = world.stats().entities;
    let with = || (held::<SPARSE, 1>(), Needs::<SPARSE>, Tag::<SPARSE>::new(), X(0));
    // Births are counted from the moment the act begins; each act makes one value itself, then two constructors run.
    for n in [2, 3] {
        let act = |world: &mut World, act: &dyn Fn(&mut World)| {
            ledger.birth_panics_at(n);
            assert_eq!(panic_of(|| act(world)), "this birth panics");
            assert_eq!(tags_alive(), 0);
            assert_eq!((world.alive(), world.query::<&Needs<SPARSE>>().count()), (4, 0));
            assert_eq!(world.signature(entity).expect("alive").len(), 2);
            assert_well(world, ledger, 1);
        };
        act(&mut world, &|world| _ = world.spawn(with()));
        act(&mut world, &|world| drop(world.try_spawn(with())));
        act(&mut world, &|world| world.insert(entity, with()).expect("alive"));
        act(&mut world, &|world| world.entity_mut(entity).expect("alive").insert(with()).apply());
        act(&mut world, &|world| drop(world.insert_batch([entity], [with()])));
        act(&mut world, &|world| _ = world.insert_where_with::<With<Y>, _>(|_| with()));
        act(&mut world, &|world| {
            let mut bundle = BundleBuilder::new();
            bundle.add(held::<SPARSE, 1>()).add(Needs::<SPARSE>).add(Tag::<SPARSE>::new());
            drop(world.spawn_dyn(bundle));
        });
        act(&mut world, &|world| drop(world.spawn_columns((vec![held::<SPARSE, 1>()], vec![Needs::<SPARSE>]))));
    }
    // Batches: three values are made first, then two for each of the three.
    for n in 4..=9 {
        ledger.birth_panics_at(n);
        let message = panic_of(|| world.spawn_batch((0..3).map(|_| (held::<SPARSE, 1>(), Needs::<SPARSE>))));
        assert_eq!(message, "this birth panics");
        assert_eq!(world.alive(), 4, "all or none");
        assert_well(&world, ledger, 1);
    }
    let stats = world.stats().entities;
    assert_eq!((stats.alive, stats.retired), (before.alive, 0));
    assert!(others.iter().all(|other| world.signature(*other).expect("alive").len() == 1));
    // And without a panic it works.
    world.insert(entity, with()).expect("alive");
    assert_eq!(world.spawn_batch((0..3).map(|_| Needs::<SPARSE>)).len(), 3);
    assert_well(&world, ledger, 1 + 3 + 6);
}

fn a_panic_in_a_walk_leaves_the_world_as_it_is<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.spawn_batch((0..50).map(|n| (X(n), held::<SPARSE, 0>())));
    let message = panic_of(|| {
        world.query::<(&mut X, &H<SPARSE>)>().for_each(|(x, _)| {
            assert!(x.0 != 20, "this visit panics");
            x.0 += 100;
        });
    });
    assert_eq!(message, "this visit panics");
    assert_eq!(world.query::<&X>().iter().filter(|x| x.0 >= 100).count(), 20);
    assert_well(&world, ledger, 50);
    let visits = std::cell::Cell::new(0);
    panic_of(|| {
        world.query::<&mut H<SPARSE>>().pairs_mut(|a, b| {
            std::mem::swap(a, b);
            visits.set(visits.get() + 1);
            assert!(visits.get() < 30, "enough");
        });
    });
    panic_of(|| world.cross::<&mut X, &H<SPARSE>>(|x, _| assert!(x.0 != 30, "enough")));
    panic_of(|| world.query::<&mut H<SPARSE>>().sorted_by_key(|_| -> u32 { panic!("no key") }).count());
    assert_well(&world, ledger, 50);
    assert_eq!(world.query::<(&X, &H<SPARSE>)>().count(), 50);
}

#[cfg(feature = "parallel")]
fn a_panic_in_a_parallel_walk_leaves_the_world_as_it_is<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.spawn_batch((0..100).map(|n| (X(n), held::<SPARSE, 0>())));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
    let messages = pool.install(|| {
        [
            panic_of(|| {
                world.query::<(&mut X, &H<SPARSE>)>().par_for_each(|(x, _)| assert!(x.0 != 20, "this visit panics"));
            }),
            panic_of(|| {
                let visit = |a: &mut H<SPARSE>, b: &mut H<SPARSE>| {
                    std::mem::swap(a, b);
                    assert!(a.0.id != 20 && b.0.id != 20, "this visit panics");
                };
                world.query::<&mut H<SPARSE>>().par_pairs_mut(visit);
            }),
            panic_of(|| {
                world.query::<&mut X>().par_chunks(10, |chunk| assert!(chunk[0].0 != 20, "this visit panics"));
            }),
        ]
    });
    assert!(messages.iter().all(|message| message == "this visit panics"), "{messages:?}");
    assert_well(&world, ledger, 100);
    let mut ids: Vec<u32> = world.query::<&H<SPARSE>>().iter().map(|held| held.0.id).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..100), "no value was lost or doubled");
}

fn a_panic_while_edits_wait_makes_them_all_the_same<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(X(1));
    let message = panic_of(|| {
        let mut edit = world.entity_mut(entity).expect("alive");
        edit.insert(held::<SPARSE, 0>());
        panic!("something else");
    });
    assert_eq!(message, "something else");
    assert!(world.has::<H<SPARSE>>(entity));
    assert_well(&world, ledger, 1);
}

#[test]
fn a_world_whose_tables_and_sets_all_panic_when_dropped_drops_everything() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.spawn(held::<false, 0>());
    world.spawn((held::<false, 0>(), held::<false, 1>()));
    world.spawn((held::<true, 2>(), held::<true, 3>()));
    ledger.all_drops_panic(true);
    assert_eq!(panic_of(|| drop(world)), "this drop panics");
    assert_well(&World::new(), ledger, 0);
}

#[derive(Component)]
struct Never(u8);

#[derive(Component)]
#[component(requires(Never = panic!("cannot be made")))]
struct Needy;

/// A constructor and a drop panic: the first panic goes on, nothing is lost, and the program does not end.
#[test]
fn a_constructor_and_a_drop_that_panic_do_not_end_the_program() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(());
    for route in 0..5 {
        ledger.drop_panics_at(1);
        let message = panic_of(|| match route {
            0 => drop(world.spawn((Needy, held::<false, 0>()))),
            1 => drop(world.spawn_batch([(Needy, held::<false, 0>())])),
            2 => world.insert(entity, (Needy, held::<false, 0>())).expect("alive"),
            3 => world.entity_mut(entity).expect("alive").insert((Needy, held::<false, 0>())).apply(),
            _ => {
                let mut bundle = BundleBuilder::new();
                bundle.add(Needy).add(held::<false, 0>());
                world.insert_bundle_dyn(entity, bundle).expect("alive");
            }
        });
        assert_eq!(message, "cannot be made", "route {route}");
        assert_well(&world, ledger, 0);
    }
    assert_eq!(world.alive(), 1);
}

fn despawning_twice_is_an_error_however_it_is_done<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let all = world.spawn_batch((0..3).map(|_| held::<SPARSE, 0>())).to_vec();
    world.despawn(all[0]).expect("alive");
    world.despawn(all[0]).expect_err("dead");
    assert_eq!(world.despawn_batch([all[1], all[1]]).expect_err("twice").despawned, 1);
    assert_eq!(world.despawn_where::<With<H<SPARSE>>>(), 1);
    assert_eq!(world.despawn_where::<With<H<SPARSE>>>(), 0);
    world.despawn(all[2]).expect_err("dead");
    world.clear();
    assert_well(&world, ledger, 0);
}

for_both_storages!(
    bad_handles_are_refused_by_every_route,
    handles_of_a_used_up_index_are_refused_by_every_route,
    the_limit_holds_on_every_route,
    a_panic_in_drop_while_despawning,
    a_panic_in_drop_while_removing,
    a_panic_in_drop_while_removing_in_bulk,
    a_panic_in_drop_while_replacing,
    a_panic_in_drop_while_replacing_in_bulk,
    a_panic_in_drop_while_inserting_into_many_tables_leaves_none_out,
    a_panic_of_the_users_code_while_every_drop_panics,
    a_panic_in_the_drop_of_what_is_refused,
    a_panic_in_the_drop_of_a_batch_that_is_refused_is_told_by_the_error,
    a_panic_in_the_drop_of_a_tag,
    a_panic_in_drop_while_the_world_is_dropped,
    all_drops_of_one_table_or_set_may_panic,
    a_panic_in_an_iterator_of_bundles_spawns_nothing,
    a_panic_in_an_iterator_of_a_batch_insert_changes_nothing,
    a_panic_in_a_closure_that_makes_values,
    a_panic_in_a_closure_that_makes_replacements,
    a_panic_in_clone_while_inserting_into_many,
    a_panic_in_a_constructor_of_a_required_component,
    a_panic_in_a_walk_leaves_the_world_as_it_is,
    a_panic_while_edits_wait_makes_them_all_the_same,
    despawning_twice_is_an_error_however_it_is_done,
);
#[cfg(debug_assertions)]
for_both_storages!(foreign_handles_are_refused_by_every_route);
#[cfg(feature = "parallel")]
for_both_storages!(a_panic_in_a_parallel_walk_leaves_the_world_as_it_is);
