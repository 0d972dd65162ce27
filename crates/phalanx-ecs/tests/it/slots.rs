//! Rows by number: what equal `Slots` promise, whatever is done to a world in between.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Collection, Slot, Slots, World};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
#[component(track)]
struct Health(u32);

#[derive(Component, Clone, Copy)]
struct Gold(u64);

#[derive(Component, Clone, Copy)]
struct Knight;

#[derive(Component, Clone, Copy)]
#[component(storage = "sparse")]
struct Burning;

#[derive(Component, Clone, Copy)]
#[component(toggle)]
struct Awake(u8);

#[derive(Component, Clone, PartialEq, Eq, Hash, Debug)]
#[component(shared)]
struct Clan(u8);

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

/// Each chunk with who is in it.
type Seen = Vec<(Slots, Vec<Entity>)>;

fn look(world: &mut World) -> Seen {
    let chunks: Vec<Slots> = world.query::<Slot>().chunks().collect();
    let mut all = world.query::<(Slot, Entity)>().iter().collect::<Vec<_>>().into_iter();
    let seen: Seen = chunks
        .into_iter()
        .map(|slots| {
            let here = slots.iter().map(|slot| {
                let (found, entity) = all.next().expect("as many as in chunks");
                assert_eq!(found, slot, "by row as by chunk");
                entity
            });
            (slots, here.collect())
        })
        .collect();
    assert!(all.next().is_none());
    seen
}

/// Does something; what it answers is not asked for.
fn act(world: &mut World, other: &mut World, random: &mut Random, alive: &[Entity]) {
    let any = alive.get(random.below(alive.len().max(1))).copied();
    let some = |random: &mut Random| -> Vec<Entity> {
        let (first, step) = (random.below(alive.len().max(1)), 1 + random.below(3));
        alive.iter().copied().skip(first).step_by(step).take(random.below(20)).collect()
    };
    match (random.below(26), any) {
        (0, _) => drop(world.spawn((Health(1), Gold(1)))),
        (1, _) => drop(world.spawn_batch((0..random.below(90)).map(|_| (Health(2), Awake(1)))).len()),
        (2, _) => drop(world.spawn_batch((0..9).take(random.below(9)).map(|at| (Gold(2), Clan(at % 3)))).len()),
        (3, Some(any)) => drop(world.insert(any, Knight)),
        (4, Some(any)) => drop(world.remove::<Knight>(any)),
        (5, Some(any)) => drop(world.insert(any, (Gold(3), Burning))),
        (6, Some(any)) => drop(world.despawn(any)),
        (7, Some(any)) => drop(world.despawn_lazy(any)),
        (8, _) => drop(world.collect(Collection::Exact)),
        (9, _) => drop(world.insert_where::<With<Gold>, _>(Knight)),
        (10, _) => drop(world.remove_where::<With<Knight>, Knight>()),
        (11, _) => drop(world.despawn_batch(some(random))),
        (12, _) => {
            let some = some(random);
            drop(world.insert_batch(&some, some.iter().map(|_| Awake(2))));
        }
        (13, _) => drop(world.remove_batch::<Gold>(&some(random))),
        (14, _) => drop(world.reclaim()),
        (15, Some(any)) => drop(world.insert(any, Clan(7))),
        (16, Some(any)) => drop(world.edit_shared::<Clan>(any, |clan| clan.0 = 1)),
        (17, Some(any)) => drop(world.move_entity(any, other)),
        (18, Some(any)) => drop(world.clone_entity(any)),
        (19, Some(any)) => drop(world.switch_off::<Awake>(any)),
        (20, Some(any)) => drop(world.switch_on::<Awake>(any)),
        (21, _) => {
            let mut commands = world.commands();
            for entity in some(random) {
                commands.insert(entity, Gold(9));
                commands.remove::<Knight>(entity);
            }
            commands.spawn(Health(5));
            if let Some(any) = any {
                commands.despawn(any);
            }
            drop(world.apply(&mut commands));
        }
        (22, _) if random.below(30) == 0 => world.clear(),
        (23, _) => world.query::<&mut Health>().for_each(|health| health.0 += 1),
        (24, _) => world.shrink(),
        (25, Some(any)) => drop(world.replace::<Health>(any, Health(9))),
        _ => {}
    }
}

/// If slots are equal, the same entities are in the same rows, whatever happened in between, and however long ago it was.
#[test]
fn equal_slots_mean_the_same_entities_in_the_same_rows() {
    let (runs, steps) = if cfg!(miri) { (2, 40) } else { (60, 300) };
    let (mut equal, mut different) = (0, 0);
    for seed in 0..runs {
        let (mut world, mut other, mut random) = (World::new(), World::new(), Random(seed));
        let mut past: Vec<Seen> = Vec::new();
        for _ in 0..steps {
            let alive: Vec<Entity> = world.entities().collect();
            act(&mut world, &mut other, &mut random, &alive);
            let now = look(&mut world);
            for seen in &past {
                for (then, entities) in seen {
                    for (slots, here) in &now {
                        if then == slots {
                            equal += 1;
                            assert_eq!(entities, here, "seed {seed}: {slots:?}");
                        } else if then.table() == slots.table() {
                            different += 1;
                        }
                    }
                }
            }
            past.push(now);
            if past.len() > 5 {
                // Some are remembered for long.
                past.remove(random.below(5));
            }
        }
    }
    assert!(equal > steps && different > steps, "{equal} equal, {different} not");
}

/// What is no move leaves slots as they are: only so is it worth remembering them.
#[test]
fn slots_stay_equal_as_long_as_nobody_comes_or_goes() {
    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(|n| (Health(n), Awake(0)))).to_vec();
    let before: Vec<Slots> = world.query_filtered::<Slot, With<Health>>().chunks().collect();
    let slots = |world: &mut World| world.query_filtered::<Slot, With<Health>>().chunks().collect::<Vec<_>>();
    world.get_mut::<Health>(all[3]).expect("there").0 = 0;
    world.insert(all[4], Health(7)).expect("in the place of the old");
    world.insert(all[5], Burning).expect("beside the tables");
    world.switch_off::<Awake>(all[6]).expect("alive");
    world.spawn_batch((0..1000).map(|_| Gold(1)));
    assert_eq!(world.insert_where::<With<Health>, _>(Knight), 100);
    world.shrink();
    assert_eq!(slots(&mut world), before);
    let new = world.spawn((Health(1), Awake(0), Knight));
    assert_ne!(slots(&mut world), before, "somebody has come");
    world.despawn(new).expect("alive");
    assert_ne!(slots(&mut world), before, "and gone again");
}

#[test]
fn slots_of_chunks_cut_in_pieces_say_where_each_begins() {
    let mut world = World::new();
    let all = world.spawn_batch((0..6).map(Health)).to_vec();
    world.despawn_lazy(all[2]).expect("alive");
    let chunks: Vec<(usize, usize)> =
        world.query_filtered::<Slot, With<Health>>().chunks().map(|slots| (slots.first_row(), slots.len())).collect();
    assert_eq!(chunks, [(0, 2), (3, 3)]);
    let rows: Vec<usize> = world.query::<(&Health, Slot)>().iter().map(|(_, slot)| slot.row()).collect();
    assert_eq!(rows, [0, 1, 3, 4, 5]);
    let burning = world.spawn((Health(6), Burning));
    let by_set: Vec<Slot> = world.query_filtered::<Slot, With<Burning>>().iter().collect();
    assert_eq!(by_set, [world.query::<Slot>().get(burning).expect("alive")]);
    #[cfg(feature = "parallel")]
    {
        let pieces =
            world.query_filtered::<Slot, With<Health>>().par_chunks(2, |slots| (slots.first_row(), slots.len()));
        assert_eq!(pieces, [(0, 2), (3, 2), (5, 2)]);
    }
}
