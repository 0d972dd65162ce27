//! Tags that depend on components: they come only where those are, and go in the same move, by every route.

use crate::hostile::{Ledger, assert_well, held, panic_of};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Act, BundleBuilder, Component, ComponentId, ComponentLayout, Dependencies, DynValue, InsertError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Component, Clone, Default)]
struct Body(u32);

#[derive(Component, Clone, Default)]
#[component(storage = "sparse")]
struct Fuel(u32);

#[derive(Component, Clone)]
#[component(depends_on(Body, Fuel))]
struct Flying;

#[derive(Component, Clone)]
#[component(depends_on(Flying))]
struct Leading;

#[derive(Component, Clone)]
#[component(depends_on(Body), requires(Body = Body(1)))]
struct Solid;

type Held = crate::hostile::Held<false, 0>;
type Tag = crate::hostile::Tag<false>;

/// A tag that counts, and depends on what counts.
struct Counted(Tag);
impl Component for Counted {
    fn depend(dependencies: &mut Dependencies<'_>) {
        dependencies.add::<Held>();
    }
}

#[test]
fn a_tag_goes_in_the_move_that_takes_what_it_depends_on() {
    let mut world = World::new();
    let ship = world.spawn((Body(1), Fuel(2), Flying, Leading));
    assert_eq!(world.remove::<Body>(ship).unwrap(), 1, "tags that go along are not counted");
    assert!(!world.has::<Flying>(ship) && !world.has::<Leading>(ship) && world.has::<Fuel>(ship));
    world.insert(ship, (Body(1), Flying, Leading)).unwrap();
    assert_eq!(world.remove::<Fuel>(ship).unwrap(), 1, "a sparse component takes the row to another table");
    assert!(!world.has::<Flying>(ship) && !world.has::<Leading>(ship) && world.has::<Body>(ship));
    world.validate().unwrap();
}

#[test]
fn a_tag_comes_only_where_it_has_what_it_depends_on() {
    let mut world = World::new();
    let rock = world.spawn(Body(1));
    let InsertError::Lacks(refused) = world.insert(rock, (Flying, Leading)).unwrap_err() else { panic!("refused") };
    assert_eq!(
        (refused.tag.as_str(), refused.missing, refused.entity),
        ("Flying", vec!["Fuel".to_owned()], Some(rock))
    );
    assert!(world.try_spawn((Body(1), Flying)).is_err() && world.try_spawn_batch([(Fuel(1), Flying)]).is_err());
    assert!(world.spawn_columns((vec![Body(1)], vec![Flying])).is_err());
    assert_eq!(world.alive(), 1);
    world.insert(rock, (Fuel(1), Flying)).unwrap();
    world.insert(rock, Leading).unwrap();
    world.validate().unwrap();
}

#[test]
fn what_a_tag_depends_on_can_come_along() {
    let mut world = World::new();
    let wall = world.spawn(Solid);
    assert_eq!(world.get::<Body>(wall).unwrap().0, 1);
    world.remove::<Body>(wall).unwrap();
    assert!(!world.has::<Solid>(wall));
}

#[test]
fn a_batch_with_one_that_lacks_something_changes_nothing() {
    let mut world = World::new();
    let all = [world.spawn((Body(1), Fuel(1))), world.spawn(Body(2)), world.spawn((Body(3), Fuel(3)))];
    let refused = world.insert_batch(all, [Flying, Flying, Flying]).unwrap_err();
    assert!(refused.to_string().contains("entity 1v0"), "{refused}");
    assert!(panic_of(|| world.insert_where::<With<Body>, _>(Flying)).contains("entity 1v0"));
    assert_eq!(world.query::<Has<Flying>>().iter().filter(|has| *has).count(), 0);
    world.insert_batch([all[0], all[2], all[0]], [Flying, Flying, Flying]).unwrap();
    assert_eq!(world.query_filtered::<Entity, With<Flying>>().count(), 2);
    world.validate().unwrap();
}

#[test]
fn taking_a_whole_column_off_a_table_takes_its_tags_too() {
    let mut world = World::new();
    let ships = world.spawn_batch((0..100).map(|n| (Body(n), Fuel(n), Flying)));
    let tables = world.stats().tables;
    assert_eq!(world.remove_where::<With<Flying>, Body>(), 100);
    assert_eq!(world.stats().tables, tables, "no table but that of nothing was needed");
    assert!(ships.iter().all(|ship| !world.has::<Flying>(ship) && world.has::<Fuel>(ship)));
    world.validate().unwrap();
}

#[test]
fn tags_that_go_along_are_dropped_once() {
    let ledger = Ledger::new();
    let mut world = World::new();
    for route in 0..6 {
        let entity = world.spawn((held::<false, 0>(), Counted(Tag::new()), Body(0)));
        let mut commands = world.commands();
        match route {
            0 => drop(world.remove::<Held>(entity).unwrap()),
            1 => drop(world.take::<Held>(entity).unwrap()),
            2 => drop(world.retain::<Body>(entity).unwrap()),
            3 => drop(world.remove_where::<With<Body>, Held>()),
            4 => commands.remove::<Held>(entity),
            _ => {
                world.entity_mut(entity).unwrap().remove::<Held>();
            }
        }
        world.apply(&mut commands).unwrap();
        assert!(!world.has::<Counted>(entity) && world.has::<Body>(entity), "route {route}");
        assert_eq!(crate::hostile::tags_alive(), 0, "route {route}");
    }
    assert_well(&world, ledger, 0);
}

#[test]
fn observers_are_told_of_tags_that_go_along() {
    let mut world = World::new();
    let told = Arc::new(AtomicUsize::new(0));
    for act in [Act::Remove, Act::Despawn] {
        let told = Arc::clone(&told);
        let step = if act == Act::Remove { 1 } else { 100 };
        world.observe::<Leading>(act, move |trigger| {
            assert!(trigger.get::<Body>().is_some() && trigger.get::<Leading>().is_some(), "still there");
            told.fetch_add(step, Ordering::Relaxed);
        });
    }
    let since = || told.swap(0, Ordering::Relaxed);
    let mut ships = world.spawn_batch((0..8).map(|n| (Body(n), Fuel(n), Flying, Leading))).to_vec();
    world.remove::<Body>(ships.pop().unwrap()).unwrap();
    assert_eq!(since(), 1);
    world.remove::<(Fuel, Leading)>(ships.pop().unwrap()).unwrap();
    assert_eq!(since(), 1);
    let mut commands = world.commands();
    commands.remove::<Fuel>(ships.pop().unwrap());
    commands.retain::<(Body, Leading)>(ships.pop().unwrap());
    world.apply(&mut commands).unwrap();
    assert_eq!(since(), 2);
    world.remove_batch::<Flying>([ships.pop().unwrap()]).unwrap();
    assert_eq!(since(), 1);
    world.despawn(ships.pop().unwrap()).unwrap();
    assert_eq!(since(), 101);
    assert_eq!(world.remove_where::<With<Leading>, Fuel>(), 2);
    assert_eq!(since(), 2);
    world.validate().unwrap();
}

#[test]
fn a_chain_is_as_its_edits_one_by_one() {
    let mut world = World::new();
    let ship = world.spawn((Body(1), Fuel(2), Flying));
    world.entity_mut(ship).unwrap().remove::<Body>().insert(Body(3));
    assert!(!world.has::<Flying>(ship) && world.get::<Body>(ship).unwrap().0 == 3);
    world.entity_mut(ship).unwrap().insert(Flying).insert(Leading).remove::<Fuel>().insert(Fuel(1));
    assert!(!world.has::<Flying>(ship) && !world.has::<Leading>(ship));
    world.entity_mut(ship).unwrap().remove::<Fuel>().insert(Fuel(7)).insert((Leading, Flying));
    assert!(world.has::<Leading>(ship));
    let mut chain = world.entity_mut(ship).unwrap();
    assert!(chain.remove::<Body>().try_insert(Flying).is_err());
    assert!(!chain.has::<Flying>());
    drop(chain);
    world.validate().unwrap();
}

#[test]
fn a_tag_made_at_run_time_goes_to_another_world_with_what_it_depends_on() {
    let mut world = World::new();
    let (body, fuel) = (world.register::<Body>(), world.register::<Fuel>());
    let layout = || ComponentLayout::new("Node");
    let node = world.register_dyn(layout().depends_on([body, fuel])).unwrap();
    assert_eq!(world.register_dyn(layout().depends_on([fuel, body, fuel])).unwrap(), node);
    assert!(world.register_dyn(layout()).is_err() && world.register_dyn(layout().depends_on([body])).is_err());
    let leader = world.register_dyn(ComponentLayout::new("Leader").depends_on([node])).unwrap();
    assert!(world.register_dyn(ComponentLayout::new("Big").size(4).depends_on([node])).is_err());
    let entity = world.spawn((Body(1), Fuel(1)));
    let tag = || DynValue::bytes(&[]);
    assert!(world.insert_dyn(entity, leader, tag()).is_err());
    world.insert_dyn(entity, node, tag()).unwrap();
    world.insert_dyn(entity, leader, tag()).unwrap();

    let mut other = World::new();
    let arrived = world.move_entity(entity, &mut other).unwrap();
    let name = |name: &str| other.components().id_by_name(name).unwrap();
    let (their_node, their_leader) = (name("Node"), name("Leader"));
    assert!(other.get_dyn(arrived, their_leader).is_some());
    other.remove::<Fuel>(arrived).unwrap();
    assert!(other.get_dyn(arrived, their_node).is_none() && other.get_dyn(arrived, their_leader).is_none());

    let mut third = World::new();
    third.register_dyn(layout()).unwrap();
    let entity = world.spawn((Body(1), Fuel(1)));
    world.insert_dyn(entity, node, tag()).unwrap();
    assert!(world.move_entity(entity, &mut third).is_err(), "there the tag depends on nothing");
    assert!(world.is_alive(entity));
}

#[test]
fn a_copy_without_what_cannot_be_cloned_is_without_its_tags() {
    #[derive(Component)]
    #[component(no_clone)]
    struct Serial;
    #[derive(Component, Clone)]
    #[component(depends_on(Serial))]
    struct Numbered;
    let mut world = World::new();
    let original = world.spawn((Serial, Numbered, Body(1)));
    let copy = world.clone_entity_partly(original).unwrap();
    assert!(world.has::<Body>(copy) && !world.has::<Numbered>(copy));
    world.validate().unwrap();
}

#[test]
fn tags_in_a_circle_come_and_go_together() {
    #[derive(Component)]
    #[component(depends_on(Right))]
    struct Left;
    #[derive(Component)]
    #[component(depends_on(Left))]
    struct Right;
    let mut world = World::new();
    let entity = world.spawn((Left, Right));
    world.remove::<Left>(entity).unwrap();
    assert!(!world.has::<Right>(entity));
    assert!(world.insert(entity, Left).is_err() && world.insert(entity, (Right, Left)).is_ok());
}

#[test]
fn a_required_tag_without_what_it_depends_on_is_refused() {
    #[derive(Component)]
    #[component(requires(Marked))]
    struct Wants;
    #[derive(Component, Default)]
    #[component(depends_on(Body))]
    struct Marked;
    let mut world = World::new();
    assert!(world.try_spawn(Wants).is_err());
    let entity = world.spawn((Wants, Body(1)));
    world.remove::<Body>(entity).unwrap();
    assert!(world.has::<Wants>(entity) && !world.has::<Marked>(entity));
    assert!(world.replace(entity, Wants).is_err(), "it would bring the tag again");
    assert!(world.insert(entity, Wants).is_err());
    world.validate().unwrap();
}

#[test]
fn a_tag_that_depends_on_a_shared_component_goes_with_it_and_not_with_its_value() {
    #[derive(Component, Clone, PartialEq, Eq, Hash)]
    #[component(shared)]
    struct Team(u8);
    #[derive(Component)]
    #[component(depends_on(Team, Body))]
    struct Captain;
    let mut world = World::new();
    assert!(world.try_spawn((Captain, Body(1))).is_err());
    let entity = world.spawn((Captain, Team(1), Body(1)));
    world.insert(entity, Team(2)).unwrap();
    assert!(world.has::<Captain>(entity), "another value is still one");
    world.remove::<Team>(entity).unwrap();
    assert!(!world.has::<Captain>(entity));
    assert!(world.insert(entity, Captain).is_err() && world.insert(entity, (Captain, Team(3))).is_ok());
    assert_eq!(world.remove_where::<With<Captain>, Team>(), 1);
    assert!(!world.has::<Captain>(entity));
    world.validate().unwrap();
}

// ------------------------------------------------------------------------------------------------ against a naive book

const BODY: u8 = 1;
const FUEL: u8 = 2;
const FLYING: u8 = 4;
const LEADING: u8 = 8;
const NODE: u8 = 16;

/// What each tag depends on.
const DEPENDENCIES: [(u8, u8); 3] = [(FLYING, BODY | FUEL), (LEADING, FLYING), (NODE, FUEL | LEADING)];

fn with_dependents(mut going: u8) -> u8 {
    for _ in 0..3 {
        for (tag, on) in DEPENDENCIES {
            going |= if going & on == 0 { 0 } else { tag };
        }
    }
    going
}

fn may_come(has: u8, coming: u8) -> bool {
    let after = has | coming;
    DEPENDENCIES.iter().all(|(tag, on)| coming & tag == 0 || after & on == *on)
}

struct Random(u64);
impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

/// Does something with a bundle type, chosen by number; answers its components.
macro_rules! with_bundle {
    ($number:expr, $name:ident, $value:ident, $body:expr) => {
        match $number % 9 {
            0 => with_bundle!(@ $name, $value, $body, Body, Body(1), BODY),
            1 => with_bundle!(@ $name, $value, $body, Fuel, Fuel(1), FUEL),
            2 => with_bundle!(@ $name, $value, $body, (Body, Fuel), (Body(1), Fuel(1)), BODY | FUEL),
            3 => with_bundle!(@ $name, $value, $body, Flying, Flying, FLYING),
            4 => with_bundle!(@ $name, $value, $body, (Flying, Body), (Flying, Body(1)), FLYING | BODY),
            5 => with_bundle!(@ $name, $value, $body, (Fuel, Flying), (Fuel(1), Flying), FUEL | FLYING),
            6 => with_bundle!(@ $name, $value, $body, Leading, Leading, LEADING),
            7 => with_bundle!(@ $name, $value, $body, (Leading, Flying), (Leading, Flying), LEADING | FLYING),
            _ => with_bundle!(@ $name, $value, $body, (Body, Fuel, Flying, Leading), (Body(1), Fuel(1), Flying, Leading), BODY | FUEL | FLYING | LEADING),
        }
    };
    (@ $name:ident, $value:ident, $body:expr, $ty:ty, $make:expr, $bits:expr) => {{
        #[allow(dead_code, reason = "not everybody names it")]
        type $name = $ty;
        let $value = || -> $ty { $make };
        let _ = &$value;
        ($bits, $body)
    }};
}

struct Model {
    world: World,
    node: ComponentId,
    book: BTreeMap<Entity, u8>,
    told: Arc<Mutex<Vec<Entity>>>,
    /// Who should have been told to lose `Leading`.
    expected: Vec<Entity>,
}

impl Model {
    fn new(observed: bool) -> Self {
        let mut world = World::new();
        let (fuel, leading) = (world.register::<Fuel>(), world.register::<Leading>());
        let node = world.register_dyn(ComponentLayout::new("Node").depends_on([fuel, leading])).unwrap();
        let told = Arc::new(Mutex::new(Vec::new()));
        if observed {
            let log = Arc::clone(&told);
            world.observe::<Leading>(Act::Remove, move |trigger| log.lock().unwrap().push(trigger.entity()));
        }
        Self { world, node, book: BTreeMap::new(), told, expected: Vec::new() }
    }

    fn insert(&mut self, entity: Entity, coming: u8, done: bool) {
        let has = self.book.get_mut(&entity).unwrap();
        assert_eq!(done, may_come(*has, coming), "{coming:b} into {has:b}");
        if done {
            *has |= coming;
        }
    }

    fn remove(&mut self, entity: Entity, going: u8) {
        let has = self.book.get_mut(&entity).unwrap();
        if *has & LEADING & with_dependents(*has & going) != 0 {
            self.expected.push(entity);
        }
        *has &= !with_dependents(*has & going);
    }

    fn with(&self, filter: u8) -> Vec<Entity> {
        self.book.iter().filter(|(_, has)| **has & filter == filter).map(|(entity, _)| *entity).collect()
    }

    fn check(&mut self, observed: bool) {
        for (&entity, &has) in &self.book {
            let mut found = 0;
            let mut note = |bit, there| found |= if there { bit } else { 0 };
            note(BODY, self.world.has::<Body>(entity));
            note(FUEL, self.world.has::<Fuel>(entity));
            note(FLYING, self.world.has::<Flying>(entity));
            note(LEADING, self.world.has::<Leading>(entity));
            note(NODE, self.world.get_dyn(entity, self.node).is_some());
            assert_eq!(found, has, "{entity}");
        }
        let (mut told, mut expected) =
            (std::mem::take(&mut *self.told.lock().unwrap()), std::mem::take(&mut self.expected));
        told.sort();
        expected.sort();
        if observed {
            assert_eq!(told, expected);
        }
        self.world.validate().unwrap();
    }

    fn step(&mut self, random: &mut Random) {
        let (action, number) = (random.below(19), random.below(9));
        let entity = self.book.keys().nth(random.below(self.book.len().max(1))).copied();
        let world = &mut self.world;
        let Some(entity) = entity.filter(|_| action > 1) else {
            let (bits, spawned) = with_bundle!(
                number,
                B,
                value,
                match action {
                    0 => world.try_spawn_batch((0..3).map(|_| value())).map(|all| all.to_vec()).ok(),
                    _ => world.try_spawn(value()).map(|entity| vec![entity]).ok(),
                }
            );
            assert_eq!(spawned.is_some(), may_come(0, bits));
            self.book.extend(spawned.into_iter().flatten().map(|entity| (entity, bits)));
            return;
        };
        let some: Vec<Entity> = self.book.keys().copied().filter(|_| random.below(3) == 0).collect();
        match action {
            2 | 3 => {
                let (bits, done) = with_bundle!(number, B, value, world.insert(entity, value()).is_ok());
                self.insert(entity, bits, done);
            }
            4 => {
                let mut commands = world.commands();
                let (bits, ()) = with_bundle!(number, B, value, commands.insert(entity, value()));
                let done = world.apply(&mut commands).is_ok();
                self.insert(entity, bits, done);
            }
            5 => {
                let (bits, done) =
                    with_bundle!(number, B, value, world.insert_batch(&some, some.iter().map(|_| value())).is_ok());
                assert_eq!(done, some.iter().all(|entity| may_come(self.book[entity], bits)));
                some.into_iter().filter(|_| done).for_each(|entity| self.insert(entity, bits, true));
            }
            6 => {
                let all = self.with(FUEL);
                let world = &mut self.world;
                let (bits, done) = with_bundle!(
                    number,
                    B,
                    value,
                    std::panic::catch_unwind(std::panic::AssertUnwindSafe(
                        || world.insert_where::<With<Fuel>, _>(value())
                    ))
                    .is_ok()
                );
                assert_eq!(done, all.iter().all(|entity| may_come(self.book[entity], bits)));
                all.into_iter().filter(|_| done).for_each(|entity| self.insert(entity, bits, true));
            }
            7 => {
                let done = world.insert_dyn(entity, self.node, DynValue::bytes(&[])).is_ok();
                self.insert(entity, NODE, done);
            }
            8 => {
                let mut bundle = BundleBuilder::new();
                bundle.add_dyn(self.node, DynValue::bytes(&[]));
                bundle.add(Leading);
                let done = world.insert_bundle_dyn(entity, bundle).is_ok();
                self.insert(entity, NODE | LEADING, done);
            }
            9 => {
                let (bits, _) = with_bundle!(number, B, value, world.remove::<B>(entity).unwrap());
                self.remove(entity, bits);
            }
            10 => {
                let (bits, taken) = with_bundle!(number, B, value, world.take::<B>(entity).is_ok());
                assert_eq!(taken, self.book[&entity] & bits == bits);
                self.remove(entity, if taken { bits } else { 0 });
            }
            11 => {
                let (bits, _) = with_bundle!(number, B, value, world.retain::<B>(entity).unwrap());
                self.remove(entity, !bits);
            }
            12 => {
                let (bits, _) = with_bundle!(number, B, value, world.remove_where::<With<Flying>, B>());
                self.with(FLYING).into_iter().for_each(|entity| self.remove(entity, bits));
            }
            13 => {
                let (bits, _) = with_bundle!(number, B, value, world.remove_batch::<B>(&some).unwrap());
                for entity in some {
                    self.remove(entity, bits);
                }
            }
            14 => {
                let mut commands = world.commands();
                let (bits, ()) =
                    with_bundle!(number, B, value, some.iter().for_each(|entity| commands.remove::<B>(*entity)));
                world.apply(&mut commands).unwrap();
                for entity in some {
                    self.remove(entity, bits);
                }
            }
            15 => {
                let id = world.register::<Fuel>();
                world.remove_dyn(entity, id).unwrap();
                self.remove(entity, FUEL);
            }
            16 => {
                let (going, then) = (number, random.below(9));
                let mut chain = world.entity_mut(entity).unwrap();
                let (bits, ()) = with_bundle!(going, B, value, {
                    chain.remove::<B>();
                });
                let (coming, done) = with_bundle!(then, B, value, chain.try_insert(value()).is_ok());
                drop(chain);
                self.remove(entity, bits);
                self.insert(entity, coming, done);
            }
            17 => {
                let mut other = World::new();
                let away = world.move_entity(entity, &mut other).unwrap();
                other.validate().unwrap();
                other.remove::<Body>(away).unwrap();
                let back = other.move_entity(away, world).unwrap();
                // Who leaves loses everything.
                self.remove(entity, u8::MAX);
                let has = self.book.remove(&entity).unwrap();
                assert_eq!(has, 0);
                let mut found = 0;
                found |= if self.world.has::<Fuel>(back) { FUEL } else { 0 };
                self.book.insert(back, found);
            }
            _ => {
                world.despawn(entity).unwrap();
                self.remove(entity, u8::MAX);
                self.book.remove(&entity);
            }
        }
    }
}

#[test]
fn every_route_agrees_with_a_naive_book() {
    let steps = if cfg!(miri) { 60 } else { 3000 };
    for seed in 0..4 {
        let observed = seed % 2 == 0;
        let (mut model, mut random) = (Model::new(observed), Random(seed));
        for _ in 0..steps {
            model.step(&mut random);
            model.check(observed);
        }
    }
}

/// Panics when it is dropped.
#[derive(Component)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "dropped");
    }
}

#[derive(Component)]
#[component(storage = "sparse")]
struct SparseBomb(Bomb);

/// Cannot be put in the place of another where there is no `Body`.
#[derive(Component)]
#[component(requires(Flying = Flying))]
struct Tripwire(Option<Bomb>);

/// The entities of a test.
#[derive(Clone, Copy)]
struct Places {
    orc: Entity,
    wired: Entity,
    dead: Entity,
}

/// A bomb, and what is refused wherever the uuid is taken or the entity dead.
fn bombs() -> BundleBuilder {
    let mut bundle = BundleBuilder::new();
    bundle.add(Bomb).add(Uuid::from_u128(7));
    bundle
}

#[test]
fn a_refused_bundle_whose_drop_panics_changes_nothing_and_leaks_nothing() {
    // Each refusal has something on the heap: a list, a name, a note of a death.
    let taken = Uuid::from_u128(7);
    let mut world = World::builder().remember_deaths(10).build();
    let holder = world.spawn((taken, Name::new("holder")));
    let [orc, wired, dead] = [world.spawn(Body(1)), world.spawn((Body(1), Fuel(1), Tripwire(None))), world.spawn(())];
    world.remove::<Body>(wired).unwrap();
    world.despawn(dead).unwrap();
    let routes: [fn(&mut World, Places); 16] = [
        |world, _| drop(world.try_spawn((Flying, Bomb))),
        |world, _| drop(world.try_spawn((Uuid::from_u128(7), Bomb))),
        |world, _| drop(world.try_spawn_batch([(Flying, Bomb)])),
        |world, _| drop(world.spawn_columns((vec![Uuid::from_u128(7)], vec![Bomb]))),
        |world, at| drop(world.insert(at.orc, (Flying, Bomb))),
        |world, at| drop(world.insert(at.orc, (Uuid::from_u128(7), Bomb))),
        |world, at| drop(world.insert(at.dead, Bomb)),
        |world, at| drop(world.insert_if_new(at.dead, Bomb)),
        |world, at| drop(world.insert_batch([at.dead], [Bomb])),
        |world, at| drop(world.replace(at.dead, Bomb)),
        |world, at| drop(world.replace(at.wired, Tripwire(Some(Bomb)))),
        |world, at| drop(world.insert_bundle_dyn(at.dead, bombs())),
        |world, at| drop(world.insert_bundle_dyn(at.orc, bombs())),
        |world, _| drop(world.spawn_dyn(bombs())),
        |world, at| drop(world.sparse_mut::<SparseBomb>().insert(at.dead, SparseBomb(Bomb))),
        |world, _| {
            let mut commands = world.commands();
            commands.spawn((Uuid::from_u128(7), Bomb));
            let _ = world.apply(&mut commands);
        },
    ];
    for observed in [false, true] {
        if observed {
            world.observe::<Bomb>(Act::Insert, |_| {});
        }
        for (number, route) in routes.iter().enumerate() {
            let places = Places { orc, wired, dead };
            assert_eq!(panic_of(|| route(&mut world, places)), "dropped", "route {number}");
            assert_eq!((world.alive(), world.by_uuid(&taken)), (3, Some(holder)), "route {number}");
            assert!(!world.has::<Flying>(orc) && !world.has::<Bomb>(orc), "route {number}");
            world.validate().expect("valid");
        }
    }
}
