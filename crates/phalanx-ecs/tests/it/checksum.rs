//! Checksums: what changes them, and what does not.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Checksum, ChecksumPart, ComponentLayout, Described, DynValue, Kind, Sampling};
use std::collections::HashMap;

#[derive(Component, Clone)]
struct Position(f32, f32);

#[derive(Component, Clone)]
#[component(storage = "sparse", toggle)]
struct Burning(u32);

#[derive(Component, Clone)]
#[component(toggle)]
struct Shield(u8);

#[derive(Component, Clone)]
struct Marked;

#[derive(Component, Clone)]
struct Target(Option<Entity>);

#[derive(Component)]
#[component(no_checksum)]
struct Cache(u64);

fn world() -> (World, Vec<Entity>) {
    let mut world = World::builder().min_free(1).build();
    let all = world.spawn_batch((0..4u8).map(|n| (Position(n.into(), 0.0), Burning(n.into()), Shield(n), Marked)));
    let all = all.to_vec();
    (world, all)
}

/// Does something to a world and answers whether the exact sum and that of the content changed.
fn changes(act: impl FnOnce(&mut World, &[Entity])) -> (bool, bool) {
    let (mut world, all) = world();
    let before = (world.checksum(), world.content_checksum());
    act(&mut world, &all);
    world.validate().expect("valid");
    assert_eq!(world.checksum() == before.0, world.checksum().value() == before.0.value());
    (world.checksum() != before.0, world.content_checksum() != before.1)
}

const BOTH: (bool, bool) = (true, true);
const NEITHER: (bool, bool) = (false, false);
const EXACT: (bool, bool) = (true, false);

#[test]
fn every_value_counts() {
    assert_eq!(changes(|world, all| world.get_mut::<Position>(all[3]).expect("there").1 = -0.0), BOTH);
    assert_eq!(changes(|world, all| world.get_mut::<Burning>(all[0]).expect("there").0 ^= 1 << 31), BOTH);
    assert_eq!(changes(|world, all| world.get_mut::<Shield>(all[1]).expect("there").0 = 0), BOTH);
    assert_eq!(changes(|world, all| world.get_mut::<Position>(all[3]).expect("there").0 = 3.0), NEITHER);
    let swap = |world: &mut World, all: &[Entity]| {
        world.get_mut::<Position>(all[0]).expect("there").0 = 1.0;
        world.get_mut::<Position>(all[1]).expect("there").0 = 0.0;
    };
    assert_eq!(changes(swap), BOTH);
}

#[test]
fn a_nan_counts_by_its_bits() {
    let (mut world, all) = world();
    let mut sum = |x: f32| {
        world.get_mut::<Position>(all[0]).expect("there").0 = x;
        (world.checksum(), world.content_checksum())
    };
    assert_eq!(sum(f32::NAN), sum(f32::NAN));
    assert_ne!(sum(f32::NAN), sum(-f32::NAN));
    assert_ne!(sum(0.0), sum(-0.0));
}

#[test]
fn components_count_by_their_presence() {
    assert_eq!(changes(|world, all| world.insert(all[0], Target(None)).expect("alive")), BOTH);
    let remove_tag = |world: &mut World, all: &[Entity]| {
        world.remove::<Marked>(all[0]).expect("alive");
    };
    assert_eq!(changes(remove_tag), BOTH);
    let remove_sparse = |world: &mut World, all: &[Entity]| {
        world.remove::<Burning>(all[3]).expect("alive");
    };
    assert_eq!(changes(remove_sparse), BOTH);
}

#[test]
fn what_is_switched_off_counts() {
    assert_eq!(
        changes(|world, all| {
            world.switch_off::<Shield>(all[2]).expect("there");
        }),
        BOTH
    );
    assert_eq!(
        changes(|world, all| {
            world.switch_off::<Burning>(all[2]).expect("there");
        }),
        BOTH
    );
    let there_and_back = |world: &mut World, all: &[Entity]| {
        world.switch_off::<Shield>(all[2]).expect("there");
        world.switch_on::<Shield>(all[2]).expect("there");
    };
    assert_eq!(changes(there_and_back), NEITHER);
}

#[test]
fn ids_count() {
    assert_eq!(
        changes(|world, _| {
            world.spawn(());
        }),
        BOTH
    );
    let respawn = |world: &mut World, all: &[Entity]| {
        world.despawn(all[3]).expect("alive");
        world.spawn((Position(3.0, 0.0), Burning(3), Shield(3), Marked));
    };
    assert_eq!(changes(respawn), BOTH);
}

#[test]
fn handles_in_values_count() {
    let sum = |target: fn(&[Entity]) -> Option<Entity>| {
        let (mut world, all) = world();
        world.insert(all[0], Target(target(&all))).expect("alive");
        (world.checksum(), world.content_checksum())
    };
    assert_eq!(sum(|all| Some(all[1])), sum(|all| Some(all[1])));
    assert_ne!(sum(|all| Some(all[1])), sum(|all| Some(all[2])));
    assert_ne!(sum(|_| None), sum(|all| Some(all[0])));
}

#[test]
fn past_lives_count_in_the_exact_sum_only() {
    let come_and_go = |world: &mut World, _: &[Entity]| {
        let passer_by = world.spawn(Position(9.0, 9.0));
        world.despawn(passer_by).expect("alive");
    };
    assert_eq!(changes(come_and_go), EXACT);
}

#[test]
fn the_order_of_free_indices_counts_in_the_exact_sum_only() {
    let sum = |first: usize, second: usize| {
        let (mut world, _) = world();
        let passers_by = [world.spawn(()), world.spawn(())];
        world.despawn(passers_by[first]).expect("alive");
        world.despawn(passers_by[second]).expect("alive");
        (world.checksum(), world.content_checksum())
    };
    let (a, b) = (sum(0, 1), sum(1, 0));
    assert_eq!(a.0.differs_from(&b.0), [ChecksumPart::Entities]);
    assert_eq!(a.1, b.1);
}

#[test]
fn the_order_of_rows_and_tables_counts_in_the_exact_sum_only() {
    // Removing and inserting again puts the row at the end.
    let move_there_and_back = |world: &mut World, all: &[Entity]| {
        world.insert(all[0], Target(None)).expect("alive");
        world.remove::<Target>(all[0]).expect("alive");
    };
    assert_eq!(changes(move_there_and_back), EXACT);
    let in_the_set = |world: &mut World, all: &[Entity]| {
        let Burning(value) = *world.get::<Burning>(all[0]).expect("there");
        world.remove::<Burning>(all[0]).expect("alive");
        world.insert(all[0], Burning(value)).expect("alive");
    };
    assert_eq!(changes(in_the_set), EXACT);

    let sum = |position_first: bool| {
        let mut world = World::new();
        let (a, b) = (world.spawn(()), world.spawn(()));
        let mut place = |position: bool| {
            let placed = if position { world.insert(a, Position(0.0, 0.0)) } else { world.insert(b, Marked) };
            placed.expect("alive");
        };
        place(position_first);
        place(!position_first);
        (world.checksum(), world.content_checksum())
    };
    let (a, b) = (sum(true), sum(false));
    assert_eq!(a.0.differs_from(&b.0), [ChecksumPart::Tables]);
    assert_eq!(a.1, b.1);
}

#[test]
fn the_order_of_sets_of_an_entity_counts_in_the_exact_sum_only() {
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Frozen;
    let sum = |burning_first: bool| {
        let mut world = World::new();
        let entity = world.spawn(());
        for burning in [burning_first, !burning_first] {
            let joined = if burning { world.insert(entity, Burning(1)) } else { world.insert(entity, Frozen) };
            joined.expect("alive");
        }
        (world.checksum(), world.content_checksum())
    };
    let (a, b) = (sum(true), sum(false));
    assert_eq!(a.0.differs_from(&b.0), [ChecksumPart::Sets]);
    assert_eq!(a.1, b.1);
}

#[test]
fn rows_of_the_dead_count_by_their_place_in_the_exact_sum_only() {
    let (mut lazy, all) = world();
    lazy.despawn_lazy(all[1]).expect("alive");
    let (mut eager, all) = world();
    eager.despawn(all[1]).expect("alive");
    assert_eq!(lazy.content_checksum(), eager.content_checksum());
    assert_ne!(lazy.checksum(), eager.checksum());

    // A value that nobody can see does not count.
    let (mut other_value, all) = world();
    other_value.get_mut::<Position>(all[1]).expect("there").0 = 77.0;
    other_value.despawn_lazy(all[1]).expect("alive");
    assert_eq!(lazy.checksum(), other_value.checksum());
    let (mut another_row, all) = world();
    another_row.despawn_lazy(all[2]).expect("alive");
    assert_ne!(lazy.checksum(), another_row.checksum());

    lazy.collect(Exact);
    assert_eq!(lazy.checksum(), eager.checksum());
}

#[test]
fn what_has_no_checksum_does_not_count() {
    let (mut world, all) = world();
    world.insert(all[0], Cache(1)).expect("alive");
    let before = (world.checksum(), world.content_checksum());
    world.get_mut::<Cache>(all[0]).expect("there").0 = 2;
    assert_eq!((world.checksum(), world.content_checksum()), before);
    assert!(before.0.is_complete());
    assert_eq!(changes(|world, all| world.insert(all[0], Cache(1)).expect("alive")), EXACT);
    assert!(
        !world.components().info(world.components().id_of::<Cache>().expect("known")).expect("known").is_in_checksums()
    );
}

#[test]
fn registration_and_memory_do_not_count() {
    #[derive(Component)]
    struct Unused(u8);
    let mut other = World::builder().min_free(1).build();
    other.register::<Unused>();
    other.register::<Marked>();
    other.register::<Burning>();
    other.register_dyn(ComponentLayout::new("unused").field("x", Kind::U8)).expect("plain");
    other.spawn_batch((0..4u8).map(|n| (Position(n.into(), 0.0), Burning(n.into()), Shield(n), Marked)));
    let (mut world, _) = world();
    assert_eq!(world.checksum().to_string(), other.checksum().to_string());
    assert_eq!(world.checksum(), other.checksum());
    world.shrink();
    world.query::<(&Position, Option<&Unused>)>().count();
    assert_eq!(world.checksum(), other.checksum());
}

#[test]
fn maps_count_without_their_order() {
    #[derive(Described)]
    enum Item {
        Sword { sharp: bool },
        Gold(u32),
    }
    #[derive(Component)]
    struct Bag(HashMap<String, Item>);
    let fill = |from: u32, gold: u32| {
        let mut world = World::new();
        let mut bag = HashMap::new();
        for n in 0..20 {
            let n = (n + from) % 20;
            bag.insert(
                n.to_string(),
                if n.is_multiple_of(2) { Item::Gold(n + gold) } else { Item::Sword { sharp: n > 9 } },
            );
        }
        world.spawn(Bag(bag));
        world.checksum()
    };
    assert_eq!(fill(0, 0), fill(7, 0));
    assert_ne!(fill(0, 0), fill(0, 1));
    assert!(fill(0, 0).is_complete());
}

#[test]
fn what_cannot_be_seen_is_named_and_the_rest_counts() {
    struct Engine(#[expect(dead_code, reason = "nobody looks inside")] u32);
    #[derive(Component)]
    struct Car {
        speed: f32,
        engine: Engine,
    }
    let mut world = World::new();
    world.register::<Car>();
    assert!(world.checksum().is_complete(), "nobody has one");
    let car = world.spawn(Car { speed: 1.0, engine: Engine(1) });
    let before = world.checksum();
    assert_eq!((before.unseen(), before.is_complete()), (&["Car.engine: Engine".to_owned()][..], false));
    assert_eq!(world.content_checksum().unseen(), before.unseen());
    world.get_mut::<Car>(car).expect("there").speed = 2.0;
    assert_ne!(world.checksum(), before);
    let before = world.checksum();
    world.get_mut::<Car>(car).expect("there").engine = Engine(2);
    assert_eq!(world.checksum(), before);
}

#[test]
fn values_of_types_made_at_run_time_count() {
    let mut world = World::new();
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(3)).expect("three bytes");
    let elf = world.spawn(());
    let mut sum = |bytes: [u8; 3]| {
        world.insert_dyn(elf, mana, DynValue::bytes(&bytes)).expect("three bytes");
        (world.checksum(), world.content_checksum())
    };
    assert_eq!(sum([1, 2, 3]), sum([1, 2, 3]));
    assert_ne!(sum([1, 2, 3]), sum([1, 2, 4]));
}

/// Random worlds: what is built in the same way has the same sums; what is built in another way but contains the same has the same sum of the content.
#[test]
fn random_worlds_agree_exactly_when_they_should() {
    let rounds = if cfg!(miri) { 1 } else { 60 };
    for seed in 0..rounds {
        let (a, b) = (random_world(seed), random_world(seed));
        assert_eq!(a.checksum(), b.checksum(), "seed {seed}");
        let exact = a.checksum();
        let rebuilt = rebuilt(&a);
        assert_eq!(rebuilt.content_checksum(), a.content_checksum(), "seed {seed}");
        assert_eq!(a.checksum(), exact);
        assert_ne!(random_world(seed + 1000).content_checksum(), a.content_checksum(), "seed {seed}");
        differ_when_one_value_differs(seed, &a.checksum(), &a.content_checksum());
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn random_world(seed: u64) -> World {
    let mut random = Random(seed);
    let mut world = World::builder().min_free(1).build();
    let mut all: Vec<Entity> = Vec::new();
    for _ in 0..if cfg!(miri) { 25 } else { 60 } {
        let n = random.below(1000);
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "below 1000")]
        let (value, float) = (n as u32, n as f32);
        let some = all.get(usize::try_from(random.below(20)).expect("small")).copied();
        match (random.below(9), some) {
            (0 | 1, _) | (_, None) => all.push(world.spawn(Position(float, 1.0))),
            (2, Some(entity)) => drop(world.insert(entity, Burning(value))),
            (3, Some(entity)) => drop(world.insert(entity, Target(Some(entity)))),
            (4, Some(entity)) => drop(world.insert(entity, (Shield(7), Marked))),
            (5, Some(entity)) => drop(world.remove::<Position>(entity)),
            (6, Some(entity)) => drop(world.remove::<Burning>(entity)),
            (7, Some(entity)) => {
                let _ = (world.switch_off::<Shield>(entity), world.switch_off::<Burning>(entity));
            }
            (_, Some(entity)) => drop(world.despawn(entity)),
        }
    }
    world.validate().expect("valid");
    world
}

/// A world with the same ids, components and values as `world`, made in another way.
fn rebuilt(world: &World) -> World {
    let mut other = World::builder().min_free(1).build();
    let living: Vec<Entity> = world.entities().collect();
    let indices = living.iter().map(|entity| entity.index() + 1).max().unwrap_or(0);
    let mut made: Vec<Entity> = (0..indices).map(|_| other.spawn(Marked)).collect();
    for entity in &living {
        // With one free index, that is the next.
        while made[entity.index() as usize].generation() < entity.generation() {
            other.despawn(made[entity.index() as usize]).expect("alive");
            made[entity.index() as usize] = other.spawn(Marked);
        }
    }
    for entity in made {
        other.remove::<Marked>(entity).expect("alive");
        if !living.contains(&same(entity)) {
            other.despawn(entity).expect("alive");
        }
    }
    for entity in living.into_iter().rev() {
        let to = same(entity);
        if let Some(target) = world.get::<Target>(entity) {
            other.insert(to, target.clone()).expect("alive");
        }
        if world.has::<Marked>(entity) {
            other.insert(to, Marked).expect("alive");
        }
        if let Some(burning) = world.get::<Burning>(entity) {
            other.insert(to, burning.clone()).expect("alive");
            if !world.is_on::<Burning>(entity) {
                other.switch_off::<Burning>(to).expect("there");
            }
        }
        if let Some(shield) = world.get::<Shield>(entity) {
            other.insert(to, shield.clone()).expect("alive");
            if !world.is_on::<Shield>(entity) {
                other.switch_off::<Shield>(to).expect("there");
            }
        }
        if let Some(position) = world.get::<Position>(entity) {
            other.insert(to, position.clone()).expect("alive");
        }
    }
    other.validate().expect("valid");
    other
}

/// The handle without the mark of the world that made it.
fn same(entity: Entity) -> Entity {
    Entity::from_bits(entity.to_bits()).expect("bits of an entity")
}

fn differ_when_one_value_differs(seed: u64, exact: &Checksum, content: &Checksum) {
    let mut world = random_world(seed);
    let Some(position) = world.query::<&mut Position>().into_iter().last() else { return };
    position.1 += 1.0;
    let name = |part: &ChecksumPart| part.to_string();
    let differing: Vec<String> = world.checksum().differs_from(exact).iter().map(name).collect();
    assert!(matches!(&differing[..], [one] if one.ends_with("Position`")), "{differing:?}");
    assert_eq!(world.content_checksum().differs_from(content).len(), 1);
}

// -------------------------------------------------------------------------------------- resources, events, random numbers

/// All three at once, and described by itself too.
#[derive(Component, Resource, Event, Clone)]
struct Score {
    points: u32,
    names: Vec<String>,
}

#[derive(Resource, Event, Described)]
enum Weather {
    Sun,
    Rain { drops: u64 },
}

struct Foreign;

#[derive(Resource)]
struct Engine {
    rpm: u32,
    cache: Foreign,
}

#[derive(Event)]
#[event(keep_last = 2)]
struct Crash(Foreign);

#[derive(Resource)]
#[resource(no_checksum)]
struct FrameTime(u64);

#[derive(Event)]
#[event(no_checksum)]
struct Drawn(u64);

/// The parts in which worlds differ, exactly and by content, as they are shown without paths.
fn differing(a: &World, b: &World) -> [Vec<String>; 2] {
    let show = |part: &ChecksumPart| {
        let text = part.to_string();
        match text.split_once('`') {
            Some((what, name)) => what.to_owned() + name.trim_end_matches('`').rsplit("::").next().unwrap(),
            None => text,
        }
    };
    let show = |parts: Vec<ChecksumPart>| parts.iter().map(show).collect::<Vec<_>>();
    [show(a.checksum().differs_from(&b.checksum())), show(a.content_checksum().differs_from(&b.content_checksum()))]
}

fn score(points: u32) -> Score {
    Score { points, names: vec!["Grub".into()] }
}

#[test]
fn resources_count_and_are_named() {
    let (mut a, mut b) = (World::new(), World::new());
    a.insert_resource(score(1));
    assert_eq!(differing(&a, &b), [["resource Score"], ["resource Score"]]);
    b.insert_resource(Weather::Sun);
    b.insert_resource(score(2));
    a.insert_resource(Weather::Rain { drops: 0 });
    assert_eq!(differing(&a, &b)[0], ["resource Score", "resource Weather"]);
    b.insert_resource(score(1));
    b.insert_resource(Weather::Rain { drops: 0 });
    assert_eq!(a.checksum(), b.checksum(), "who came first does not matter");
    a.remove_resource::<Score>();
    assert_eq!(differing(&a, &b)[1], ["resource Score"]);
    b.remove_resource::<Score>();
    a.insert_resource(FrameTime(1));
    assert_eq!(a.checksum(), b.checksum());
    assert!(a.checksum().is_complete() && a.resource::<FrameTime>().unwrap().0 == 1);
}

#[test]
fn what_is_not_described_in_resources_and_events_is_named() {
    let (mut a, mut b) = (World::new(), World::new());
    a.insert_resource(Engine { rpm: 1, cache: Foreign });
    b.insert_resource(Engine { rpm: 2, cache: Foreign });
    a.send(Crash(Foreign));
    let Engine { cache: Foreign, .. } = a.resource::<Engine>().unwrap();
    let Crash(Foreign) = a.events::<Crash>().iter().next().unwrap();
    assert_eq!(a.checksum().unseen(), ["Engine.cache: Foreign", "Crash.0: Foreign"]);
    assert_eq!(b.checksum().unseen(), ["Engine.cache: Foreign"]);
    assert_eq!(differing(&a, &b)[0], ["resource Engine", "events Crash"]);
}

#[test]
fn events_that_are_kept_count_with_their_numbers_and_their_time_left() {
    let (mut a, mut b) = (World::new(), World::new());
    a.send(score(1));
    assert_eq!(differing(&a, &b), [["events Score"], ["events Score"]]);
    b.send(score(2));
    assert_eq!(differing(&a, &b)[1], ["events Score"]);
    b.clear_events::<Score>();
    b.send(score(1));
    assert_eq!(differing(&a, &b), [vec!["events Score".to_owned()], vec![]], "only its number differs");
    let (mut a, mut b) = (World::new(), World::new());
    a.update_events();
    for world in [&mut a, &mut b] {
        world.send(score(1));
    }
    assert_eq!(a.checksum(), b.checksum(), "nobody can tell how many updates there were before");
    a.update_events();
    assert_eq!(differing(&a, &b), [vec!["events Score".to_owned()], vec![]], "it goes with the next update");
    b.update_events();
    assert_eq!(a.checksum(), b.checksum());
    a.send(Drawn(1));
    assert_eq!(a.checksum(), b.checksum());
    assert_eq!(a.events::<Drawn>().iter().map(|drawn| drawn.0).sum::<u64>(), 1);
}

#[test]
fn where_random_numbers_go_on_counts() {
    let build = |seed| {
        let mut world = World::builder().seed(seed).build();
        let all = world.spawn_batch((0..8).map(|_| ())).to_vec();
        world.despawn_lazy(all[0]).unwrap();
        world
    };
    assert_eq!(differing(&build(1), &build(2)), [vec!["random numbers".to_owned()], vec![]]);
    let (mut a, mut b) = (build(1), build(1));
    a.collect(Sampling { live_in_a_row: 1 });
    assert!(differing(&a, &b)[0].contains(&"random numbers".to_owned()));
    b.collect(Sampling { live_in_a_row: 1 });
    assert_eq!(a.checksum(), b.checksum());
}

mod elsewhere {
    use super::*;

    #[derive(Component)]
    pub(super) struct Twin(pub(super) u32);
}

#[test]
fn what_differs_has_its_short_name_unless_another_part_has_it_too() {
    #[derive(Component)]
    struct Twin(u32);
    #[derive(Component)]
    struct Lone(u32);

    let play = |value| {
        let mut world = World::new();
        world.spawn((Lone(value), Twin(value), elsewhere::Twin(1)));
        world.checksum()
    };
    let differing: Vec<String> = play(1).differs_from(&play(2)).iter().map(ToString::to_string).collect();
    let full = std::any::type_name::<Twin>();
    assert_ne!(full, std::any::type_name::<elsewhere::Twin>());
    let mut expected = ["component `Lone`".to_owned(), format!("component `{full}`")];
    expected.sort();
    let mut found = differing;
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_checksum_that_passes_over_fields_says_so() {
    struct Nation;
    #[derive(Component)]
    struct Flag(Nation);
    #[derive(Component)]
    struct Arms(Nation, Nation);

    let mut world = World::new();
    let shown = |world: &World| (world.checksum().to_string(), world.content_checksum().to_string());
    assert!(!shown(&world).0.contains("unseen"));
    world.spawn(Flag(Nation));
    let (exact, content) = shown(&world);
    assert!(exact.ends_with(" (1 field unseen)") && content.ends_with(" (1 field unseen)"), "{exact}, {content}");
    world.spawn(Arms(Nation, Nation));
    assert!(shown(&world).0.ends_with(" (3 fields unseen)"), "{}", world.checksum());
}
