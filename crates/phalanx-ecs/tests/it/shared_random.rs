//! Shared components against a naive book: random changes on all routes, two shared components at once.

use crate::hostile::{Ledger, assert_well};
use crate::shared::{Skin, skin};
use phalanx_ecs::Sampling;
use phalanx_ecs::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Component, Clone, PartialEq, Eq, Hash, Debug)]
#[component(shared, toggle)]
struct Team(u32);

#[derive(Component, Clone, Debug, PartialEq)]
struct X(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Rare(u32);

#[derive(Clone, Default, Debug, PartialEq)]
struct Row {
    skin: Option<u32>,
    team: Option<(u32, bool)>,
    x: Option<u32>,
    rare: Option<u32>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn number(&mut self) -> u32 {
        u32::try_from(self.below(6)).expect("small")
    }
}

type Book = BTreeMap<Entity, Row>;

/// Inserting a value leaves off what is off.
fn join(row: &mut Row, team: u32) {
    row.team = Some((team, row.team.is_none_or(|(_, on)| on)));
}

fn look(world: &mut World) -> Book {
    let mut query =
        world.query::<(Entity, Option<&Skin>, Option<EvenOff<&Team>>, Has<Team>, Option<&X>, Option<&Rare>)>();
    let rows = query.iter_mut().map(|(entity, skin, team, on, x, rare)| {
        let row = Row {
            skin: skin.map(|skin| skin.number),
            team: team.map(|team| (team.0, on)),
            x: x.map(|x| x.0),
            rare: rare.map(|rare| rare.0),
        };
        (entity, row)
    });
    rows.collect()
}

fn step(world: &mut World, book: &mut Book, random: &mut Random) {
    let all: Vec<Entity> = book.keys().copied().collect();
    let (n, team) = (random.number(), random.number());
    let some = (!all.is_empty()).then(|| all[random.below(all.len())]);
    match (random.below(24), some) {
        (0, _) => drop(book.insert(world.spawn(skin(n)), Row { skin: Some(n), ..Row::default() })),
        (1, _) => {
            let row = Row { skin: Some(n), team: Some((team, true)), x: Some(n), rare: None };
            book.insert(world.spawn((X(n), Team(team), skin(n))), row);
        }
        (2, _) => {
            let numbers: Vec<u32> = (n..n + team).map(|n| n % 6).collect();
            let spawned = world.spawn_batch(numbers.iter().map(|n| (skin(*n), Rare(team)))).to_vec();
            for (number, entity) in numbers.into_iter().zip(spawned) {
                book.insert(entity, Row { skin: Some(number), rare: Some(team), ..Row::default() });
            }
        }
        (3, _) => {
            let mut commands = world.commands();
            let entity = commands.spawn((skin(n), X(team)));
            if let Some(other) = some {
                commands.insert(other, (Team(team), skin(n)));
                let row = book.get_mut(&other).expect("alive");
                row.skin = Some(n);
                join(row, team);
            }
            world.apply(&mut commands).expect("all can be done");
            book.insert(entity, Row { skin: Some(n), x: Some(team), ..Row::default() });
        }
        (4, Some(entity)) => {
            world.insert(entity, skin(n)).expect("alive");
            book.get_mut(&entity).expect("alive").skin = Some(n);
        }
        (5, Some(entity)) => {
            world.insert(entity, (Team(team), X(n))).expect("alive");
            let row = book.get_mut(&entity).expect("alive");
            row.x = Some(n);
            join(row, team);
        }
        (6, Some(entity)) => {
            world.entity_mut(entity).expect("alive").remove::<Skin>().insert(Team(team)).insert(Rare(n)).apply();
            let row = book.get_mut(&entity).expect("alive");
            (row.skin, row.rare) = (None, Some(n));
            join(row, team);
        }
        (7, Some(entity)) => {
            world.remove::<Skin>(entity).expect("alive");
            book.get_mut(&entity).expect("alive").skin = None;
        }
        (8, Some(entity)) => {
            world.remove::<(Team, X)>(entity).expect("alive");
            let row = book.get_mut(&entity).expect("alive");
            (row.team, row.x) = (None, None);
        }
        (9, Some(entity)) => {
            world.despawn(entity).expect("alive");
            book.remove(&entity);
        }
        (10, Some(entity)) => {
            world.despawn_lazy(entity).expect("alive");
            book.remove(&entity);
        }
        (11, _) => drop(world.collect(Sampling { live_in_a_row: 2 })),
        (12..14, Some(entity)) => {
            if let Some(old) = book[&entity].skin {
                world.edit_shared::<Skin>(entity, |skin| skin.number = n).expect("there");
                book.values_mut().filter(|row| row.skin == Some(old)).for_each(|row| row.skin = Some(n));
            } else {
                world.edit_shared::<Skin>(entity, |_| unreachable!()).expect_err("absent");
            }
        }
        (14, Some(entity)) => {
            if let Some((old, _)) = book[&entity].team {
                world.edit_shared::<Team>(entity, |value| value.0 = team).expect("there");
                for (number, _) in book.values_mut().filter_map(|row| row.team.as_mut()) {
                    if *number == old {
                        *number = team;
                    }
                }
            }
        }
        (15, _) => {
            world.insert_where::<With<X>, _>(skin(n));
            book.values_mut().filter(|row| row.x.is_some()).for_each(|row| row.skin = Some(n));
        }
        (16, _) => {
            world.insert_where::<With<Skin>, _>((Team(team), X(n)));
            for row in book.values_mut().filter(|row| row.skin.is_some()) {
                row.x = Some(n);
                join(row, team);
            }
        }
        (17, _) => {
            world.remove_where::<With<Rare>, Skin>();
            book.values_mut().filter(|row| row.rare.is_some()).for_each(|row| row.skin = None);
        }
        (18, _) => {
            world.remove_where::<Without<X>, Team>();
            book.values_mut().filter(|row| row.x.is_none()).for_each(|row| row.team = None);
        }
        (19, Some(entity)) => {
            let copy = world.clone_entity(entity).expect("cloneable");
            book.insert(copy, book[&entity].clone());
        }
        (20, Some(entity)) => {
            if let Some((_, on)) = &mut book.get_mut(&entity).expect("alive").team {
                world.switch_off::<Team>(entity).expect("there");
                *on = false;
            }
        }
        (21, _) => drop(world.reclaim()),
        (22, Some(entity)) => {
            let mut other = World::new();
            let there = world.move_entity(entity, &mut other).expect("cloneable");
            let row = book.remove(&entity).expect("alive");
            assert_eq!(look(&mut other), BTreeMap::from([(there, row.clone())]));
            // And back, as somebody else.
            let back = other.move_entity(there, world).expect("room");
            book.insert(back, row);
        }
        (23, _) if all.len() > 30 => {
            world.despawn_where::<(With<Skin>, Without<Team>)>();
            book.retain(|_, row| row.skin.is_none() || row.team.is_some());
        }
        _ => {}
    }
}

fn check(world: &mut World, book: &Book, ledger: Ledger) {
    assert_eq!(look(world), *book);
    world.validate().expect("consistent");
    let skins: BTreeSet<u32> = book.values().filter_map(|row| row.skin).collect();
    let teams: BTreeSet<u32> = book.values().filter_map(|row| row.team.map(|(team, _)| team)).collect();
    assert_eq!(world.shared_values::<Skin>().map(|(skin, _)| skin.number).collect::<BTreeSet<_>>(), skins);
    assert_eq!(world.shared_values::<Team>().map(|(team, _)| team.0).collect::<BTreeSet<_>>(), teams);
    for (team, count) in world.shared_values::<Team>() {
        assert_eq!(book.values().filter(|row| row.team.is_some_and(|(number, _)| number == team.0)).count(), count);
    }
    // Values that only the dead have go when their rows are collected.
    assert!(ledger.alive() >= skins.len());
    if world.uncollected() == 0 {
        assert_well(world, ledger, skins.len());
    }
}

#[test]
fn random_changes_are_those_of_the_book() {
    let (seeds, steps) = if cfg!(miri) { (1, 40) } else { (40, 400) };
    for seed in 0..seeds {
        let ledger = Ledger::new();
        let (mut world, mut book, mut random) = (World::builder().min_free(2).build(), Book::new(), Random(seed));
        for _ in 0..steps {
            step(&mut world, &mut book, &mut random);
            check(&mut world, &book, ledger);
        }
        world.collect(Exact);
        check(&mut world, &book, ledger);
        drop(world);
        assert_eq!(ledger.alive(), 0, "seed {seed}");
    }
}
