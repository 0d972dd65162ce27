//! Random commands, queued in one world and applied directly in another: the same entities, rows, order and drops.

use phalanx_ecs::Collection;
use phalanx_ecs::prelude::*;
use std::sync::Arc;

#[derive(Component, Clone)]
struct Plain(u32);

#[derive(Component, Clone)]
struct Owned(u32, Arc<()>);

#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Beside(u32, Arc<()>);

#[derive(Component, Clone)]
struct Tag;

#[derive(Component, Clone)]
struct Speed(u32);

#[derive(Component, Clone)]
struct Mass(u32, u64);

#[derive(Component, Clone)]
#[component(track)]
struct Tracked(u32);

#[derive(Component, Clone)]
#[component(requires(Plain = Plain(7), Beside = Beside(8, Arc::new(()))))]
struct Needy(u32);

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

/// One change. Entities are named by the order in which they were spawned.
#[derive(Clone, Copy, Debug)]
enum Op {
    Spawn(usize),
    SpawnMany(usize, u32),
    Insert(usize, usize),
    /// One insert for each of the latest so many, from one line.
    InsertLatest(usize, usize),
    InsertIfNew(usize),
    Remove(usize, usize),
    RemoveLatest(usize, usize),
    Retain(usize),
    Despawn(usize),
    DespawnLazy(usize),
    DespawnLatest(usize),
}

fn draw(random: &mut Random, known: usize, last: &mut usize) -> Op {
    // The latest ones more often: several commands on one entity, and whole tables.
    let recent = known.min(6);
    let mut who = |random: &mut Random| {
        *last = match random.below(6) {
            0 => known - 1 - random.below(recent),
            1 => random.below(known),
            2 => known - 1,
            _ => *last,
        };
        *last
    };
    let latest = |random: &mut Random| 1 + random.below(known.min(9));
    if known == 0 {
        return Op::Spawn(random.below(KINDS));
    }
    match random.below(20) {
        0..4 => Op::Spawn(random.below(KINDS)),
        4 => Op::SpawnMany(random.below(KINDS), u32::try_from(random.below(8)).expect("few")),
        5..9 => Op::Insert(who(random), random.below(KINDS)),
        9 | 10 => Op::InsertLatest(latest(random), random.below(KINDS)),
        11 => Op::InsertIfNew(who(random)),
        12..15 => Op::Remove(who(random), random.below(KINDS)),
        15 => Op::RemoveLatest(latest(random), random.below(KINDS)),
        16 => Op::Retain(who(random)),
        17 => Op::Despawn(who(random)),
        18 => Op::DespawnLazy(who(random)),
        _ => Op::DespawnLatest(latest(random).min(3)),
    }
}

const KINDS: usize = 10;

/// Calls a macro with a bundle of one of several types.
macro_rules! with_bundle {
    ($kind:expr, $n:expr, $token:expr, |$bundle:ident| $act:expr) => {{
        let (n, token): (u32, &Arc<()>) = ($n, $token);
        match $kind {
            0 => {
                let $bundle = Plain(n);
                $act
            }
            1 => {
                let $bundle = Owned(n, Arc::clone(token));
                $act
            }
            2 => {
                let $bundle = Beside(n, Arc::clone(token));
                $act
            }
            3 => {
                let $bundle = (Tag, Plain(n));
                $act
            }
            4 => {
                let $bundle = (Tracked(n), Owned(n, Arc::clone(token)));
                $act
            }
            5 => {
                let $bundle = Needy(n);
                $act
            }
            6 => {
                let $bundle = Speed(n);
                $act
            }
            7 => {
                let $bundle = (Speed(n), Mass(n, 1));
                $act
            }
            8 => {
                let $bundle = Mass(n, 2);
                $act
            }
            _ => {
                let $bundle = (Tag, Beside(n, Arc::clone(token)), Tracked(n));
                $act
            }
        }
    }};
}

/// The same for types alone.
macro_rules! with_type {
    ($kind:expr, |$name:ident| $act:expr) => {
        match $kind {
            0 => {
                type $name = Plain;
                $act
            }
            1 => {
                type $name = Owned;
                $act
            }
            2 => {
                type $name = Beside;
                $act
            }
            3 => {
                type $name = (Tag, Plain);
                $act
            }
            4 => {
                type $name = (Tracked, Owned);
                $act
            }
            5 => {
                type $name = Needy;
                $act
            }
            6 => {
                type $name = Speed;
                $act
            }
            7 => {
                type $name = (Speed, Mass);
                $act
            }
            8 => {
                type $name = Mass;
                $act
            }
            _ => {
                type $name = (Tag, Beside, Tracked);
                $act
            }
        }
    };
}

/// Does an operation, by commands or directly: `$to` has the methods of both. Errors are counted by the caller.
macro_rules! perform {
    ($to:expr, $op:expr, $n:expr, $token:expr, $all:expr, $done:expr) => {
        match $op {
            Op::Spawn(kind) => with_bundle!(kind, $n, $token, |bundle| $all.push($to.spawn(bundle))),
            Op::SpawnMany(kind, count) => with_bundle!(kind, $n, $token, |bundle| {
                let bundles = vec![bundle; count as usize];
                $all.extend($to.spawn_batch(bundles).iter());
            }),
            Op::Insert(who, kind) => with_bundle!(kind, $n, $token, |bundle| $done($to.insert($all[who], bundle))),
            Op::InsertLatest(count, kind) => {
                for who in $all.len() - count..$all.len() {
                    with_bundle!(kind, $n, $token, |bundle| $done($to.insert($all[who], bundle)));
                }
            }
            Op::InsertIfNew(who) => $done($to.insert_if_new($all[who], Owned($n, Arc::clone($token)))),
            Op::Remove(who, kind) => with_type!(kind, |B| $done($to.remove::<B>($all[who]))),
            Op::RemoveLatest(count, kind) => {
                for who in $all.len() - count..$all.len() {
                    with_type!(kind, |B| $done($to.remove::<B>($all[who])));
                }
            }
            Op::Retain(who) => $done($to.retain::<(Plain, Beside, Tag)>($all[who])),
            Op::Despawn(who) => $done($to.despawn($all[who])),
            Op::DespawnLazy(who) => $done($to.despawn_lazy($all[who])),
            Op::DespawnLatest(count) => {
                for who in $all.len() - count..$all.len() {
                    $done($to.despawn($all[who]));
                }
            }
        }
    };
}

/// Counts errors, of what may be an error.
trait Failed {
    fn failed(self) -> usize;
}
impl Failed for () {
    fn failed(self) -> usize {
        0
    }
}
impl<T, E> Failed for Result<T, E> {
    fn failed(self) -> usize {
        usize::from(self.is_err())
    }
}

type Shown = (usize, Option<u32>, Option<u32>, Option<u32>, bool, Option<u32>, Option<u32>, [Option<u32>; 2]);

/// All entities by the order in which they were spawned, in walking order, with what they have.
#[expect(clippy::type_complexity, reason = "one row, all of it")]
fn contents(world: &mut World, all: &[Entity]) -> Vec<Shown> {
    type Everything<'w> = (
        Entity,
        Option<&'w Plain>,
        Option<&'w Owned>,
        Option<&'w Beside>,
        Has<Tag>,
        Option<&'w Tracked>,
        Option<&'w Needy>,
        (Option<&'w Speed>, Option<&'w Mass>),
    );
    let known: std::collections::HashMap<Entity, usize> = all.iter().enumerate().map(|(n, e)| (*e, n)).collect();
    let query = world.query::<Everything<'_>>();
    let show = |(entity, plain, owned, beside, tag, tracked, needy, (speed, mass)): (
        Entity,
        Option<&Plain>,
        Option<&Owned>,
        Option<&Beside>,
        bool,
        Option<&Tracked>,
        Option<&Needy>,
        (Option<&Speed>, Option<&Mass>),
    )| {
        let number = known[&entity];
        let values = (plain.map(|v| v.0), owned.map(|v| v.0), beside.map(|v| v.0));
        (
            number,
            values.0,
            values.1,
            values.2,
            tag,
            tracked.map(|v| v.0),
            needy.map(|v| v.0),
            [speed.map(|v| v.0), mass.map(|v| v.0)],
        )
    };
    query.iter().map(show).collect()
}

fn compare(seed: u64, ops: usize) {
    let mut random = Random(seed);
    let (direct_token, queued_token) = (Arc::new(()), Arc::new(()));
    let build = || World::builder().min_free(3).build();
    let (mut direct, mut queued) = (build(), build());
    let (mut direct_all, mut queued_all): (Vec<Entity>, Vec<Entity>) = (Vec::new(), Vec::new());
    let mut commands = queued.commands();
    let (mut n, mut last, mut waiting) = (0, 0, Vec::new());
    let mut errors = 0;
    while n < u32::try_from(ops).expect("few") {
        let op = draw(&mut random, direct_all.len(), &mut last);
        waiting.push(op);
        n += 1;
        perform!(direct, op, n, &direct_token, direct_all, |done| errors += Failed::failed(done));
        perform!(commands, op, n, &queued_token, queued_all, |done| assert_eq!(Failed::failed(done), 0));
        if random.below(20) == 0 {
            let found = queued.apply(&mut commands).map_or_else(|errors| errors.errors.len(), |()| 0);
            assert_eq!(found, errors, "errors, seed {seed}, after {waiting:?}");
            let expected = contents(&mut direct, &direct_all);
            assert_eq!(contents(&mut queued, &queued_all), expected, "seed {seed}, after {waiting:?}");
            let counts = (Arc::strong_count(&queued_token), Arc::strong_count(&direct_token));
            assert_eq!(counts.0, counts.1, "values alive, seed {seed}, after {waiting:?}");
            assert_eq!(queued.stats().tables, direct.stats().tables, "tables, seed {seed}, after {waiting:?}");
            queued.validate().expect("valid");
            if random.below(4) == 0 {
                assert_eq!(queued.collect(Collection::Exact), direct.collect(Collection::Exact));
            }
            waiting.clear();
            errors = 0;
        }
    }
    drop((queued, commands));
    assert_eq!(Arc::strong_count(&queued_token), 1);
}

#[test]
fn queued_and_direct_changes_give_the_same_world() {
    for seed in 0..if cfg!(miri) { 2 } else { 30 } {
        compare(seed, if cfg!(miri) { 60 } else { 500 });
    }
}
