//! What happens over time, against a naive book: changes by reader, switches, dead rows, and what observers were told.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Act, Off, Sampling};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[derive(Component, Clone)]
#[component(track, toggle)]
struct Health(u64);

#[derive(Component, Clone)]
#[component(track, toggle, storage = "sparse")]
struct Burning(u64);

#[derive(Component, Clone)]
struct Position(u64);

/// One component as the book knows it.
#[derive(Clone, Copy)]
struct Value {
    number: u64,
    added: u64,
    changed: u64,
    on: bool,
}

#[derive(Clone, Default)]
struct Row {
    health: Option<Value>,
    burning: Option<Value>,
    position: bool,
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

/// A reader and the step at which it looked last.
struct Reader<F: phalanx_ecs::Filter>(Prepared<Entity, F>, u64);

impl<F: phalanx_ecs::Filter> Reader<F> {
    fn new() -> Self {
        Self(Prepared::new(), 0)
    }

    fn check(&mut self, world: &mut World, book: &Book, pick: impl Fn(&Row) -> Option<(u64, bool)>) {
        let mut found: Vec<Entity> = self.0.on(world).iter().collect();
        found.sort();
        let is_new = |row: &Row| pick(row).is_some_and(|(step, _)| step > self.1);
        let expected: Vec<Entity> = book.rows.iter().filter(|(_, row)| is_new(row)).map(|(e, _)| *e).collect();
        assert_eq!(found, expected);
        self.1 = book.step;
    }
}

struct Book {
    rows: BTreeMap<Entity, Row>,
    step: u64,
    /// How often observers of `Health` should have been called: come, about to be replaced, about to go.
    told: [u64; 3],
}

fn write(slot: &mut Option<Value>, value: u64, step: u64) {
    match slot {
        Some(old) => (old.number, old.changed) = (value, step),
        None => *slot = Some(Value { number: value, added: step, changed: step, on: true }),
    }
}

impl Book {
    fn insert_health(&mut self, entity: Entity, value: u64) {
        let (row, step) = (self.rows.get_mut(&entity).expect("alive"), self.step);
        self.told[1] += u64::from(row.health.is_some());
        self.told[0] += 1;
        write(&mut row.health, value, step);
    }

    fn any(&self, random: &mut Random) -> Option<Entity> {
        (!self.rows.is_empty()).then(|| *self.rows.keys().nth(random.below(self.rows.len())).expect("in range"))
    }

    fn end(&mut self, entity: Entity) {
        let row = self.rows.remove(&entity).expect("alive");
        self.told[2] += u64::from(row.health.is_some());
    }
}

fn run(seed: u64, steps: u64) {
    let mut random = Random(seed);
    let mut world = World::builder().min_free(3).seed(seed).build();
    let told = Arc::new(Mutex::new([0u64; 3]));
    for (at, act) in [Act::Insert, Act::Replace, Act::Remove].into_iter().enumerate() {
        let told = Arc::clone(&told);
        world.observe::<Health>(act, move |trigger| {
            assert!(trigger.get::<Health>().is_some());
            told.lock().expect("sound")[at] += 1;
        });
    }
    let mut book = Book { rows: BTreeMap::new(), step: 0, told: [0; 3] };
    let mut changed = [Reader::<Changed<Health>>::new(), Reader::new()];
    let mut added = Reader::<Added<Health>>::new();
    let mut sparse = [Reader::<Changed<Burning>>::new(), Reader::new()];
    for step in 1..=steps {
        book.step = step;
        let chosen = book.any(&mut random);
        match (random.below(22), chosen) {
            (0..=2, _) => {
                let entity = world.spawn((Health(step), Position(step)));
                book.rows.insert(entity, Row { position: true, ..Row::default() });
                book.insert_health(entity, step);
            }
            (3, _) => {
                for entity in &world.spawn_batch((0..random.below(90)).map(|_| (Health(step), Burning(step)))) {
                    book.rows.insert(entity, Row::default());
                    book.insert_health(entity, step);
                    write(&mut book.rows.get_mut(&entity).expect("alive").burning, step, step);
                }
            }
            (4, Some(entity)) => {
                world.insert(entity, Health(step)).expect("alive");
                book.insert_health(entity, step);
            }
            (5, Some(entity)) => {
                world.insert(entity, Burning(step)).expect("alive");
                write(&mut book.rows.get_mut(&entity).expect("alive").burning, step, step);
            }
            (6, Some(entity)) => {
                world.remove::<(Health, Burning)>(entity).expect("alive");
                let row = book.rows.get_mut(&entity).expect("alive");
                book.told[2] += u64::from(row.health.is_some());
                (row.health, row.burning) = (None, None);
            }
            (7, Some(entity)) => {
                world.despawn(entity).expect("alive");
                book.end(entity);
            }
            (8..=10, Some(entity)) => {
                world.despawn_lazy(entity).expect("alive");
                book.end(entity);
            }
            (11, _) => drop(world.collect(Exact)),
            (12, _) => drop(world.collect(Sampling { live_in_a_row: 3 })),
            (13 | 14, Some(entity)) => {
                if let Some(health) = world.get_mut::<Health>(entity) {
                    health.0 = step;
                    write(&mut book.rows.get_mut(&entity).expect("alive").health, step, step);
                }
                if let Some(burning) = world.query::<EvenOff<&mut Burning>>().get_mut(entity) {
                    burning.0 = step;
                    write(&mut book.rows.get_mut(&entity).expect("alive").burning, step, step);
                }
            }
            (15, _) => {
                let rest = random.below(5) as u64;
                for (entity, mut health) in world.query::<(Entity, Mut<Health>)>() {
                    if health.0 % 5 == rest {
                        health.0 = step;
                        write(&mut book.rows.get_mut(&entity).expect("alive").health, step, step);
                    }
                }
            }
            (16 | 17, Some(entity)) => {
                let on = random.below(2) == 0;
                let row = book.rows.get_mut(&entity).expect("alive");
                let expected = row.health.map(|health| health.on);
                let was = if on { world.switch_on::<Health>(entity) } else { world.switch_off::<Health>(entity) };
                assert_eq!(was.ok(), expected);
                row.health.iter_mut().for_each(|health| health.on = on);
                let was = if on { world.switch_on::<Burning>(entity) } else { world.switch_off::<Burning>(entity) };
                assert_eq!(was.ok(), row.burning.map(|burning| burning.on));
                row.burning.iter_mut().for_each(|burning| burning.on = on);
            }
            (18, Some(entity)) => {
                world.entity_mut(entity).expect("alive").insert(Position(step)).apply();
                book.rows.get_mut(&entity).expect("alive").position = true;
            }
            (19, _) => {
                world.insert_where::<Without<Burning>, Position>(Position(step));
                book.rows.values_mut().filter(|row| row.burning.is_none()).for_each(|row| row.position = true);
            }
            (20, _) => {
                world.remove_where::<With<Position>, Position>();
                book.rows.values_mut().for_each(|row| row.position = false);
            }
            (21, Some(entity)) => {
                let copy = world.clone_entity(entity).expect("cloneable");
                let fresh = |old: Value| Value { added: step, changed: step, ..old };
                let row = book.rows[&entity].clone();
                book.told[0] += u64::from(row.health.is_some());
                let (health, burning) = (row.health.map(fresh), row.burning.map(fresh));
                book.rows.insert(copy, Row { health, burning, position: row.position });
            }
            _ => {}
        }
        world.validate().expect("valid");
        assert_eq!(world.alive(), book.rows.len());
        let at = random.below(2);
        match random.below(6) {
            0 => changed[at].check(&mut world, &book, |row| row.health.map(|h| (h.changed, h.on))),
            1 => sparse[at].check(&mut world, &book, |row| row.burning.map(|b| (b.changed, b.on))),
            2 => added.check(&mut world, &book, |row| row.health.map(|h| (h.added, h.on))),
            3 => check_walks(&mut world, &book),
            _ => {}
        }
        assert_eq!(*told.lock().expect("sound"), book.told, "step {step}");
    }
}

/// Everything that shows entities shows the right ones.
fn check_walks(world: &mut World, book: &Book) {
    let expected = |pick: &dyn Fn(&Row) -> bool| {
        let rows = book.rows.iter().filter(|(_, row)| pick(row));
        rows.map(|(entity, _)| *entity).collect::<Vec<_>>()
    };
    let sorted = |mut found: Vec<Entity>| {
        found.sort();
        found
    };
    let on = |value: &Option<Value>| value.is_some_and(|value| value.on);
    let health = world.query::<(Entity, &Health)>().iter().map(|(e, _)| e).collect();
    assert_eq!(sorted(health), expected(&|row| on(&row.health)));
    let both = world.query::<(Entity, &Health, &Burning)>().iter().map(|(e, ..)| e).collect();
    assert_eq!(sorted(both), expected(&|row| on(&row.health) && on(&row.burning)));
    let off = world.query_filtered::<Entity, Off<Health>>().iter().collect();
    assert_eq!(sorted(off), expected(&|row| row.health.is_some_and(|health| !health.on)));
    let off = world.query_filtered::<Entity, Off<Burning>>().iter().collect();
    assert_eq!(sorted(off), expected(&|row| row.burning.is_some_and(|burning| !burning.on)));
    let mut values: Vec<u64> = world.query::<EvenOff<&Health>>().chunks().flatten().map(|health| health.0).collect();
    values.sort_unstable();
    let mut kept: Vec<u64> = book.rows.values().filter_map(|row| row.health.map(|health| health.number)).collect();
    kept.sort_unstable();
    assert_eq!(values, kept);
    let without = world.query_filtered::<Entity, (Without<Position>, Without<Burning>)>();
    assert_eq!(without.count(), expected(&|row| !row.position && row.burning.is_none()).len());
    assert_eq!(world.query::<Entity>().iter().count(), book.rows.len());
    for (entity, row) in &book.rows {
        assert_eq!(world.get::<Health>(*entity).map(|health| health.0), row.health.map(|health| health.number));
        assert_eq!(world.query::<&Burning>().get(*entity).is_some(), on(&row.burning));
    }
}

#[test]
fn random_histories_agree_with_the_book() {
    for seed in 0..if cfg!(miri) { 1 } else { 40 } {
        run(seed, if cfg!(miri) { 60 } else { 600 });
    }
}
