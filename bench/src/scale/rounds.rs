//! One round of everything, in one world.

use std::hint::black_box;
use std::time::Instant;

use phalanx_ecs::{ComponentId, DynQuery, Entity, Prepared};

use super::crowd::{self, COMMON, Crowd, RARE, Set};
use super::figures::{Figures, Place};
use crate::components::{A, B, C};

/// A world with what is needed to measure in it.
pub struct Stage {
    crowd: Crowd,
    place: Place,
    rare: ComponentId,
    common: ComponentId,
    /// How many entities have the common type, and how many have it and the rare one.
    expect_common: usize,
    expect_both: usize,
}

/// Runs something and answers its result with the nanoseconds it took.
fn timed<R>(act: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = black_box(act());
    (result, start.elapsed().as_nanos() as f64)
}

/// An error if two numbers differ.
fn same<T: Copy + PartialEq + std::fmt::Debug>(what: &str, expected: T, found: T) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("scale: {what}: expected {expected:?}, found {found:?}")) }
}

impl Stage {
    pub fn new(mut crowd: Crowd, place: Place, sets: &[Set]) -> Self {
        let (rare, common) = (crowd::register(&mut crowd.world, RARE), crowd::register(&mut crowd.world, COMMON));
        let expect_both = sets.iter().filter(|set| set.has_both()).count();
        let expect_common = sets.iter().filter(|set| set.contains(COMMON)).count();
        Self { crowd, place, rare, common, expect_common, expect_both }
    }

    /// Measures everything once; `spare` is a set that has no table yet.
    ///
    /// # Errors
    /// When something has another result than it should have.
    pub fn round(&mut self, count: usize, spare: &Set, figures: &mut Figures) -> Result<(), String> {
        let entities = self.spawn(count, figures);
        self.reach(&entities, figures)?;
        self.change(&entities, figures)?;
        self.query(count, spare, figures)?;
        self.query_dyn("dyn_both", &[self.rare, self.common], self.expect_both, figures)?;
        if self.place == Place::AtScale {
            self.query_dyn("dyn_common", &[self.common], self.expect_common, figures)?;
        }
        for entity in entities {
            self.crowd.world.despawn(entity).expect("alive");
        }
        Ok(())
    }

    fn spawn(&mut self, count: usize, figures: &mut Figures) -> Vec<Entity> {
        let world = &mut self.crowd.world;
        let mut entities = Vec::with_capacity(count);
        let ((), time) =
            timed(|| entities.extend((0..count).map(|i| world.spawn((A { value: i as f32 }, B { value: 1.0 })))));
        figures.note("spawn", self.place, time / count as f64);
        entities
    }

    fn reach(&self, entities: &[Entity], figures: &mut Figures) -> Result<(), String> {
        let world = &self.crowd.world;
        let values = entities.iter().map(|&entity| world.get::<A>(entity).expect("has A").value);
        let (sum, time) = timed(|| values.sum::<f32>());
        figures.note("get", self.place, time / entities.len() as f64);
        same("sum of A", (0..entities.len()).map(|i| i as f32).sum(), sum)?;

        if self.place == Place::AtScale {
            // Members far from each other, so that each is in a table that no cache remembers.
            let step = (self.crowd.members.len() / entities.len()).max(1);
            let members: Vec<_> = self.crowd.members.iter().step_by(step).collect();
            let (found, time) =
                timed(|| members.iter().filter(|(entity, id)| world.get_dyn(*entity, *id).is_some()).count());
            figures.note("get_spread", self.place, time / members.len() as f64);
            same("members with their type", members.len(), found)?;
        }
        Ok(())
    }

    fn change(&mut self, entities: &[Entity], figures: &mut Figures) -> Result<(), String> {
        let world = &mut self.crowd.world;
        let ((), time) = timed(|| {
            for &entity in entities {
                world.insert(entity, C { value: 1.0 }).expect("alive");
            }
        });
        figures.note("insert", self.place, time / entities.len() as f64);
        same("entities with C", entities.len(), Prepared::<&C>::new().on(world).count())?;
        let (removed, time) =
            timed(|| entities.iter().map(|&entity| world.remove::<C>(entity).expect("alive")).sum::<usize>());
        figures.note("remove", self.place, time / entities.len() as f64);
        same("removed C", entities.len(), removed)
    }

    fn query(&mut self, count: usize, spare: &Set, figures: &mut Figures) -> Result<(), String> {
        let (world, place) = (&mut self.crowd.world, self.place);
        let (mut query, time) = timed(|| {
            let mut query = Prepared::<&A>::new();
            black_box(query.on(world).count());
            query
        });
        figures.note("query_new", place, time);
        let (found, time) = timed(|| query.on(world).count());
        figures.note("query_again", place, time);
        same("entities with A", count, found)?;
        let (sum, time) = timed(|| query.on(world).iter().map(|a| a.value).sum::<f32>());
        figures.note("query_iterate", place, time);
        same("sum of A", (0..count).map(|i| i as f32).sum(), sum)?;

        let (unrelated, _) = crowd::spawn_alone(world, spare);
        let (found, time) = timed(|| query.on(world).count());
        figures.note("query_after_new_table", place, time);
        same("entities with A", count, found)?;
        // Its table stays, empty, and no later round makes it again.
        world.despawn(unrelated).expect("alive");
        Ok(())
    }

    fn query_dyn(
        &mut self,
        name: &'static str,
        terms: &[ComponentId],
        expected: usize,
        figures: &mut Figures,
    ) -> Result<(), String> {
        let (world, place) = (&mut self.crowd.world, self.place);
        let [new, again, iterate] = match name {
            "dyn_both" => ["dyn_both_new", "dyn_both_again", "dyn_both_iterate"],
            _ => ["dyn_common_new", "dyn_common_again", "dyn_common_iterate"],
        };
        let ((mut query, found), time) = timed(|| {
            let builder = terms.iter().fold(DynQuery::builder(), |builder, &term| builder.read(term));
            let mut query = builder.build().expect("terms that only read");
            let found = query.count(world);
            (query, found)
        });
        figures.note(new, place, time);
        same(name, expected, found)?;
        let (found, time) = timed(|| query.count(world));
        figures.note(again, place, time);
        same(name, expected, found)?;
        let mut add_up = || {
            let mut sum = 0_u64;
            query.for_each(world, |item| {
                let bytes = item.get(terms[0]).and_then(|value| value.bytes()).expect("a run-time type of the query");
                sum += u64::from(bytes[0]) + 1;
            });
            sum
        };
        // Once before: alone, the few values are always in the cache.
        add_up();
        let (sum, time) = timed(add_up);
        figures.note(iterate, place, time);
        let value = if terms.len() == 2 { RARE } else { COMMON };
        same(name, expected as u64 * (value as u64 + 1), sum)
    }

    /// Despawns every other member and reclaims what that leaves empty.
    ///
    /// # Errors
    /// When other tables go than those that are empty.
    pub fn halve(mut self, figures: &mut Figures) -> Result<(), String> {
        let world = &mut self.crowd.world;
        let leaving: Vec<Entity> = self.crowd.members.iter().step_by(2).map(|(entity, _)| *entity).collect();
        let ((), time) = timed(|| leaving.iter().for_each(|&entity| world.despawn(entity).expect("alive")));
        figures.note("despawn", self.place, time / leaving.len() as f64);

        let before = world.stats();
        let (reclaimed, time) = timed(|| world.reclaim());
        figures.note("reclaim", self.place, time);
        // The table of entities without components is empty, too, but never goes.
        same("reclaimed tables", before.empty_tables - 1, reclaimed)?;
        same("tables left", before.tables - reclaimed, world.stats().tables)?;
        let staying = self.crowd.members.iter().skip(1).step_by(2);
        let found = staying.clone().filter(|(entity, id)| world.get_dyn(*entity, *id).is_some()).count();
        same("members left", staying.count(), found)
    }
}
