//! Panics in `Hash`, `Eq`, drops and clones of shared values, and values that lie about being equal.

use crate::hostile::{Ledger, Token, assert_well, panic_of};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{CommandErrors, DynValue, Removed, SharedEdit, TransferError};
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    /// Counted down by each hash or comparison; the one that comes to 0 panics.
    static UNTIL_PANIC: Cell<Option<u32>> = const { Cell::new(None) };
}

fn comes_due(what: &str) {
    let left = UNTIL_PANIC.get().map(|left| left - 1);
    UNTIL_PANIC.set(left.filter(|left| *left > 0));
    assert!(left != Some(0), "this {what} panics");
}

fn panics_at(n: u32) {
    UNTIL_PANIC.set(Some(n));
}

/// Shared; all values have the same hash, so the first comparison follows the first hash.
#[derive(Component, Clone, Debug)]
#[component(shared)]
struct Shade {
    number: u32,
    token: Token,
}

impl PartialEq for Shade {
    fn eq(&self, other: &Self) -> bool {
        comes_due("comparison");
        self.number == other.number
    }
}
impl Eq for Shade {}
impl Hash for Shade {
    fn hash<H: Hasher>(&self, _state: &mut H) {
        comes_due("hash");
    }
}

fn shade(number: u32) -> Shade {
    Shade { number, token: Ledger::current().token() }
}

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct X(u32);

#[derive(Component)]
#[component(requires(X = X(5), Shade = shade(6)))]
struct Shaded;

/// What everybody has, by entity.
fn content(world: &World) -> Vec<(Entity, Option<u32>, Option<u32>)> {
    let number = |entity| world.get::<Shade>(entity).map(|shade| shade.number);
    world.entities().map(|e| (e, number(e), world.get::<X>(e).map(|x| x.0))).collect()
}

fn filled() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = world.spawn_batch((0..3).map(|n| (X(n), shade(n / 2)))).to_vec();
    world.spawn(X(9));
    (world, all)
}

#[test]
fn a_panic_of_hash_or_eq_changes_nothing_on_any_way_in() {
    let ledger = Ledger::new();
    let ways: [fn(&mut World, Entity); 14] = [
        |world, _| {
            let _ = world.spawn(shade(7));
        },
        |world, _| {
            let _ = world.spawn((X(7), shade(7)));
        },
        |world, _| drop(world.spawn_batch((0..1).map(|_| (X(7), shade(7))))),
        |world, _| drop(world.spawn_columns((vec![shade(7)],))),
        |world, e| world.insert(e, shade(7)).expect("alive"),
        |world, e| world.insert(e, (X(8), shade(7))).expect("alive"),
        |world, e| world.insert_batch([e], [shade(7)]).expect("alive"),
        |world, _| {
            let _ = world.insert_where::<With<X>, _>(shade(7));
        },
        |world, _| {
            let _ = world.insert_where_with::<With<X>, _>(|_| shade(7));
        },
        |world, e| world.entity_mut(e).expect("alive").insert((shade(7), X(8))).apply(),
        |world, e| {
            let id = world.register::<Shade>();
            world.insert_dyn(e, id, DynValue::new(shade(7))).expect("fits");
        },
        |world, _| {
            let _ = world.spawn(Shaded);
        },
        |world, _| {
            drop(world.spawn_dyn({
                let mut bundle = BundleBuilder::new();
                bundle.add(X(1)).add(shade(7));
                bundle
            }));
        },
        |world, e| {
            let mut other = World::new();
            other.spawn(shade(9));
            let moved = world.move_entity(e, &mut other);
            drop(moved);
        },
    ];
    for (at, way) in ways.into_iter().enumerate() {
        for n in 1..=2 {
            let (mut world, all) = filled();
            let before = content(&world);
            // The other world of the last way has a value of its own, whose hash comes first.
            panics_at(if at == 13 { n + 1 } else { n });
            let message = panic_of(|| way(&mut world, all[0]));
            assert_eq!(message, ["this hash panics", "this comparison panics"][n as usize - 1], "way {at}");
            assert_eq!(content(&world), before, "way {at}");
            assert_well(&world, ledger, 2);
            UNTIL_PANIC.set(None);
            way(&mut world, all[0]);
            world.validate().expect("consistent");
            drop(world);
            assert_eq!(ledger.alive(), 0, "way {at}");
        }
    }
}

#[test]
fn a_panic_within_a_batch_takes_back_what_was_spawned() {
    let ledger = Ledger::new();
    for n in (1..40).step_by(if cfg!(miri) { 13 } else { 1 }) {
        let (mut world, _) = filled();
        let before = content(&world);
        panics_at(n);
        let spawned = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            world.spawn_batch((0..8).map(|n| (shade(n % 5), X(n)))).len()
        }));
        UNTIL_PANIC.set(None);
        if spawned.is_err() {
            assert_eq!(content(&world), before);
            assert_well(&world, ledger, 2);
        } else {
            assert_eq!(world.alive(), 12);
            assert_well(&world, ledger, 5);
            assert!(n > 20, "many comparisons");
        }
    }
}

#[test]
fn a_panic_within_commands_leaves_the_rest_in_the_queue() {
    let ledger = Ledger::new();
    let (mut world, all) = filled();
    let mut commands = world.commands();
    let lost = commands.spawn(shade(7));
    commands.insert(all[0], shade(8));
    panics_at(1);
    let apply = |world: &mut World, commands: &mut Commands| -> Result<(), CommandErrors> { world.apply(commands) };
    assert_eq!(panic_of(|| apply(&mut world, &mut commands)), "this hash panics");
    assert!(!world.is_alive(lost));
    apply(&mut world, &mut commands).expect("the rest can be done");
    assert_eq!(world.get::<Shade>(all[0]).map(|shade| shade.number), Some(8));
    assert_well(&world, ledger, 3);
}

/// The new value of two equal ones is dropped when its entity has a row already: a batch is none all the same.
#[test]
fn a_batch_in_which_a_superfluous_value_panics_leaves_nothing_behind() {
    let ledger = Ledger::new();
    let (mut world, _) = filled();
    let before = world.alive();
    for at in 1..4 {
        ledger.drop_panics_at(at);
        panic_of(|| world.spawn_batch((0..4).map(|n| (X(n), shade(0)))));
        assert_eq!(world.alive(), before);
        assert_well(&world, ledger, 2);
        let mut commands = world.commands();
        commands.spawn_batch((0..4).map(|n| (X(n), shade(0))));
        ledger.drop_panics_at(at);
        panic_of(|| world.apply(&mut commands));
        drop(commands);
        assert_eq!(world.alive(), before);
        assert_well(&world, ledger, 2);
    }
}

#[test]
fn observers_are_told_of_a_spawn_though_a_superfluous_value_panics() {
    let ledger = Ledger::new();
    let ways: [fn(&mut World); 4] = [
        |world| {
            world.spawn((X(7), shade(0)));
        },
        |world| {
            world.spawn(shade(0));
        },
        |world| {
            let mut commands = world.commands();
            commands.spawn((X(7), shade(0)));
            world.apply(&mut commands).expect("possible");
        },
        // A required value that an equal one makes superfluous.
        |world| {
            world.spawn(shade(6));
            Ledger::current().drop_panics_at(1);
            world.spawn(Shaded);
        },
    ];
    for way in ways {
        let (mut world, _) = filled();
        let told = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&told);
        world.observe::<Shade>(Act::Insert, move |trigger| {
            assert!(trigger.world().is_alive(trigger.entity()));
            count.fetch_add(1, Ordering::Relaxed);
        });
        let before = world.alive();
        ledger.drop_panics_at(1);
        assert_eq!(panic_of(|| way(&mut world)), "this drop panics");
        assert_eq!(told.load(Ordering::Relaxed), world.alive() - before, "as many as came");
        assert!(world.alive() > before);
        world.validate().expect("consistent");
    }
}

#[test]
fn a_drop_that_panics_is_told_when_all_is_done() {
    let ledger = Ledger::new();
    const DROP: &str = "this drop panics";
    // The new value of two equal ones.
    let (mut world, all) = filled();
    ledger.drop_panics_at(1);
    assert_eq!(panic_of(|| world.insert(all[0], (X(70), shade(0)))), DROP);
    assert_eq!(world.get::<X>(all[0]), Some(&X(70)));
    assert_well(&world, ledger, 2);
    ledger.drop_panics_at(1);
    assert_eq!(panic_of(|| world.spawn(shade(0))), DROP);
    assert_eq!(world.shared_values::<Shade>().map(|(_, count)| count).sum::<usize>(), 4);
    assert_well(&world, ledger, 2);
    // A value that nobody has any more.
    ledger.drop_panics_at(1);
    assert_eq!(panic_of(|| world.insert(all[2], shade(5))), DROP);
    assert_eq!(world.get::<Shade>(all[2]).map(|shade| shade.number), Some(5));
    assert_well(&world, ledger, 2);
    ledger.drop_panics_at(1);
    assert_eq!(panic_of(|| world.remove::<Shade>(all[2])), DROP);
    assert_well(&world, ledger, 1);
    world.insert(all[2], shade(5)).expect("alive");
    ledger.drop_panics_at(1);
    assert_eq!(panic_of(|| world.despawn(all[2])), DROP);
    assert!(!world.is_alive(all[2]));
    assert_well(&world, ledger, 1);
    world.insert(all[1], shade(5)).expect("alive");
    ledger.drop_panics_at(1);
    assert_eq!(panic_of(|| world.edit_shared::<Shade>(all[1], |shade| shade.number = 0)), DROP);
    assert_well(&world, ledger, 1);
    world.insert(all[1], shade(5)).expect("alive");
    ledger.all_drops_panic(true);
    assert_eq!(panic_of(|| world.clear()), DROP);
    ledger.all_drops_panic(false);
    assert_well(&world, ledger, 0);
    world.spawn_batch((0..4).map(shade));
    ledger.all_drops_panic(true);
    assert_eq!(panic_of(|| drop(world)), DROP);
    ledger.all_drops_panic(false);
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn drops_that_panic_do_not_meet_a_panic_of_hash() {
    let ledger = Ledger::new();
    let (mut world, all) = filled();
    ledger.all_drops_panic(true);
    for way in [
        (|world, _| {
            let _ = world.spawn(shade(7));
        }) as fn(&mut World, Entity),
        |world, e| world.insert(e, shade(7)).expect("alive"),
        |world, _| drop(world.spawn_batch((0..3).map(shade))),
        |world, e| world.entity_mut(e).expect("alive").insert(shade(7)).apply(),
        |world, _| {
            let _ = world.spawn(Shaded);
        },
        |world, _| {
            let _ = world.insert_where::<With<X>, _>(shade(7));
        },
    ] {
        panics_at(1);
        assert_eq!(panic_of(|| way(&mut world, all[0])), "this hash panics");
        assert_well(&world, ledger, 2);
    }
    ledger.all_drops_panic(false);
}

#[test]
fn an_edit_that_panics_leaves_what_it_did() {
    let ledger = Ledger::new();
    let (mut world, all) = filled();
    let edit = |shade: &mut Shade| {
        shade.number = 4;
        panic!("half-way");
    };
    assert_eq!(panic_of(|| world.edit_shared::<Shade>(all[0], edit)), "half-way");
    assert_eq!(content(&world)[..2], [(all[0], Some(4), Some(0)), (all[1], Some(4), Some(1))]);
    assert_well(&world, ledger, 2);
    // It is found by what it is now.
    world.spawn(shade(4));
    assert_well(&world, ledger, 2);
    // Half-way to another value: they are merged all the same.
    let edit = |shade: &mut Shade| {
        shade.number = 1;
        panic!("half-way");
    };
    assert_eq!(panic_of(|| world.edit_shared::<Shade>(all[0], edit)), "half-way");
    assert_eq!(
        world.shared_values::<Shade>().map(|(shade, count)| (shade.number, count)).collect::<Vec<_>>(),
        [(1, 4)]
    );
    assert_well(&world, ledger, 1);
}

#[test]
fn an_edited_value_that_cannot_be_compared_stays_with_its_entities() {
    let ledger = Ledger::new();
    for n in 1..=2 {
        let (mut world, all) = filled();
        panics_at(n);
        let message = panic_of(|| world.edit_shared::<Shade>(all[0], |shade| shade.number = 4));
        assert_eq!(message, ["this hash panics", "this comparison panics"][n as usize - 1]);
        assert_eq!(content(&world)[..2], [(all[0], Some(4), Some(0)), (all[1], Some(4), Some(1))]);
        assert_well(&world, ledger, 2);
        // Nobody finds it: an equal one is stored beside it.
        let other = world.spawn(shade(4));
        assert_well(&world, ledger, 3);
        // The next edit mends it.
        assert_eq!(world.edit_shared::<Shade>(all[0], |_| {}), Ok(SharedEdit::Merged));
        assert_eq!(world.get::<Shade>(other).map(|shade| shade.number), Some(4));
        assert_well(&world, ledger, 2);
        // One that is not mended goes like any other.
        panics_at(n);
        panic_of(|| world.edit_shared::<Shade>(all[0], |shade| shade.number = 5));
        world.despawn_batch([all[0], all[1], other]).expect("alive");
        assert_well(&world, ledger, 1);
    }
}

#[test]
fn a_clone_that_panics_moves_nobody() {
    let ledger = Ledger::new();
    let (mut world, all) = filled();
    let mut other = World::new();
    ledger.clone_panics_at(1);
    assert_eq!(panic_of(|| world.move_entity(all[0], &mut other)), "this clone panics");
    assert_eq!((world.is_alive(all[0]), other.alive()), (true, 0));
    other.validate().expect("consistent");
    assert_well(&world, ledger, 2);
    ledger.clone_panics_at(1);
    assert_eq!(panic_of(|| world.insert_where::<With<X>, _>(shade(9))), "this clone panics");
    assert_well(&world, ledger, 2);

    // Two values to clone, of which the second panics.
    #[derive(Component, Clone, PartialEq, Eq, Hash)]
    #[component(shared)]
    struct Plain(u32);
    world.insert_batch(&all, [Plain(1), Plain(1), Plain(1)]).expect("alive");
    ledger.clone_panics_at(1);
    assert_eq!(panic_of(|| world.move_entity(all[0], &mut other)), "this clone panics");
    other.validate().expect("consistent");
    let there = world.move_entity(all[0], &mut other).expect("room");
    assert_eq!(other.get::<Plain>(there).map(|plain| plain.0), Some(1));
    other.validate().expect("consistent");
    assert_well(&world, ledger, 3);
}

#[test]
fn nobody_hears_of_a_move_to_another_world_that_panicked() {
    let ledger = Ledger::new();
    let mut world = World::builder().remember_deaths(8).build();
    let all = world.spawn_batch((0..3).map(|n| (X(n), shade(0)))).to_vec();
    let mut other = World::new();
    let told = Arc::new(AtomicUsize::new(0));
    for act in [Act::Remove, Act::Insert] {
        for world in [&mut world, &mut other] {
            let count = Arc::clone(&told);
            world.observe::<X>(act, move |_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
        }
    }
    let mut removed = Removed::<X>::new(&mut world);
    for panic in 0..3 {
        if panic < 2 {
            panics_at(panic + 1);
        } else {
            ledger.clone_panics_at(1);
        }
        if panic == 1 {
            // So that there is one to compare with.
            other.spawn(shade(5));
        }
        panic_of(|| world.move_entity(all[0], &mut other));
        assert!(world.is_alive(all[0]) && world.death_of(all[0]).is_none());
        assert_eq!((told.load(Ordering::Relaxed), removed.read(&world).count()), (0, 0));
        other.validate().expect("consistent");
        assert_well(&world, ledger, 1 + other.shared_values::<Shade>().count());
    }
    let there = world.move_entity(all[0], &mut other).expect("room");
    assert_eq!((told.load(Ordering::Relaxed), removed.read(&world).count()), (2, 1));
    assert!(world.death_of(all[0]).is_some() && other.is_alive(there));
    world.validate().expect("consistent");
    other.validate().expect("consistent");
}

#[test]
fn a_value_that_cannot_be_cloned_does_not_leave_the_others() {
    #[derive(Component, PartialEq, Eq, Hash)]
    #[component(shared)]
    struct Unique(u32);

    let (mut here, mut there) = (World::new(), World::new());
    let all = here.spawn_batch([Unique(1), Unique(1), Unique(2)]).to_vec();
    let refused = here.move_entity(all[0], &mut there).expect_err("another has it");
    assert!(matches!(refused, TransferError::Shared { .. }), "{refused}");
    assert_eq!((here.alive(), there.alive()), (3, 0));
    here.move_entity(all[2], &mut there).expect("nobody else has it");
    there.spawn(Unique(1));
    here.move_entity(all[0], &mut there).expect("there is one");
    here.move_entity(all[1], &mut there).expect("there is one");
    here.validate().expect("consistent");
    there.validate().expect("consistent");
    assert_eq!(
        there.shared_values::<Unique>().map(|(value, count)| (value.0, count)).collect::<Vec<_>>(),
        [(2, 1), (1, 3)]
    );
}

/// Answers anything.
#[derive(Component, Clone, Debug)]
#[component(shared)]
struct Liar(Token);

thread_local!(static LIES: Cell<u64> = const { Cell::new(1) });

fn lie() -> u64 {
    LIES.set(LIES.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    LIES.get() >> 33
}

impl PartialEq for Liar {
    fn eq(&self, _other: &Self) -> bool {
        lie().is_multiple_of(3)
    }
}
impl Eq for Liar {}
impl Hash for Liar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (lie() % 5).hash(state);
    }
}

#[test]
fn values_that_lie_about_being_equal_do_no_harm() {
    let ledger = Ledger::new();
    let (mut world, mut known) = (World::new(), Vec::new());
    let rounds = if cfg!(miri) { 60 } else { 600 };
    for round in 0..rounds {
        let some = |known: &[Entity]| known[usize::try_from(lie()).unwrap() % known.len()];
        match lie() % 7 {
            0..2 => known.push(world.spawn((Liar(ledger.token()), X(round)))),
            2 => known.extend(&world.spawn_batch((0..3).map(|_| Liar(ledger.token())))),
            3 if !known.is_empty() => world.insert(some(&known), Liar(ledger.token())).expect("alive"),
            4 if !known.is_empty() => drop(world.edit_shared::<Liar>(some(&known), |_| {})),
            5 if !known.is_empty() => {
                let entity = known.swap_remove(usize::try_from(lie()).unwrap() % known.len());
                world.despawn(entity).expect("alive");
            }
            6 if !known.is_empty() => drop(world.remove::<(Liar, X)>(some(&known)).expect("alive")),
            _ => {}
        }
        world.validate().expect("consistent");
        assert_eq!(ledger.alive(), world.live_values().of("Liar"));
    }
    drop(world);
    assert_eq!(ledger.alive(), 0);
}
