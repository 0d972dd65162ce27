//! Queries that see what is new to them: each must find, at each look, exactly what came or changed since its last.

use super::components::*;
use super::filters::{Predicted, matches};
use super::naive::Naive;
use super::row::{go_on, now};
use super::shapes::{expected, foreseen, show, sorted};
use super::terms::{Observed, Seen};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Added, Changed, Filter, Off, Terms};

/// A reader that lives as long as the run, and looks at both worlds.
pub trait Reader {
    /// Looks at the world of this number. Answers whether it is known what was noted as changed.
    fn look(&mut self, at: usize, world: &mut World, naive: &mut Naive, mode: u8, delta: u32, picked: Entity) -> bool;
    /// Forgets what is new in a world, if it was there last.
    fn skip(&mut self, at: usize, world: &World);
}

struct Reading<Q: Terms, F: Filter> {
    prepared: Prepared<Q, F>,
    /// Which world it looked at last, and when.
    last: (usize, u64),
}

impl<Q: Observed, F: Predicted> Reader for Reading<Q, F> {
    fn skip(&mut self, at: usize, world: &World) {
        if self.last.0 == at {
            self.prepared.skip_to_now(world);
            self.last = (at, now());
        }
    }

    fn look(&mut self, at: usize, world: &mut World, naive: &mut Naive, mode: u8, delta: u32, picked: Entity) -> bool {
        let since = if self.last.0 == at { self.last.1 } else { 0 };
        if mode % 10 == 9 {
            self.prepared.skip_to_now(world);
            self.last = (at, now());
            return true;
        }
        self.last = (at, now());
        // What the reader writes itself comes after its look.
        go_on();
        let wanted = |naive: &Naive, entity| naive.row(entity).is_some_and(|row| matches::<Q, F>(row, since));
        let mut query = self.prepared.on(world);
        match mode % 10 {
            0 | 1 => {
                let seen = query.into_iter().map(|item| show::<Q>(item, delta)).collect();
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, delta, since)), "a reader's walk");
            }
            2 | 3 => {
                let mut seen = Vec::new();
                query.for_each(|item| seen.push(show::<Q>(item, delta)));
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, delta, since)), "a reader's for_each");
            }
            4 => {
                let must = foreseen::<Q, F>(naive, since);
                assert_eq!(query.count(), must.len(), "a reader's count");
                assert_eq!(query.is_empty(), must.is_empty(), "a reader's is_empty");
            }
            5 => {
                let seen: Vec<Seen> = query.sorted_by_key(|_| 0).map(|item| show::<Q>(item, delta)).collect();
                assert_eq!(seen, expected::<Q, F>(naive, delta, since), "a reader's sorted_by_key");
            }
            6 => {
                let must = wanted(naive, picked).then(|| {
                    let mut seen = Seen::new();
                    Q::expect(picked, naive.row_mut(picked).expect("alive"), delta, &mut seen);
                    seen
                });
                assert_eq!(query.contains(picked), must.is_some(), "a reader contains {picked}");
                assert_eq!(query.explain(picked).matches, must.is_some(), "a reader explains {picked}");
                assert_eq!(
                    query.get_mut(picked).map(|item| show::<Q>(item, delta)),
                    must,
                    "a reader's get_mut {picked}"
                );
            }
            #[cfg(all(feature = "parallel", not(miri)))]
            7 => {
                let seen = std::sync::Mutex::new(Vec::new());
                query.par_for_each(|item| {
                    let item = show::<Q>(item, delta);
                    seen.lock().expect("nobody panics").push(item);
                });
                let seen = seen.into_inner().expect("nobody panics");
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, delta, since)), "a reader's par_for_each");
            }
            8 => {
                // A copy knows how far the original has seen.
                let must = foreseen::<Q, F>(naive, self.last.1);
                assert_eq!(self.prepared.clone().on(world).count(), must.len(), "a copy has looked too");
            }
            // Looked, and did nothing with it.
            _ => {}
        }
        true
    }
}

fn reading<Q: Observed, F: Predicted>() -> Box<dyn Reader> {
    Box::new(Reading { prepared: Prepared::<Q, F>::new(), last: (usize::MAX, 0) })
}

type Ref<T> = &'static T;
type Write<T> = &'static mut T;

/// Several readers of each tracked component, and some that combine them.
pub fn readers() -> Vec<Box<dyn Reader>> {
    vec![
        reading::<Entity, Changed<Pulse>>(),
        reading::<(Entity, Ref<Pulse>), Changed<Pulse>>(),
        reading::<(Entity, Mut<'static, Pulse>), Changed<Pulse>>(),
        reading::<(Entity, Write<Pulse>), Changed<Pulse>>(),
        reading::<Entity, Added<Pulse>>(),
        reading::<Entity, Changed<Glow>>(),
        reading::<(Entity, EvenOff<Ref<Glow>>), Changed<Glow>>(),
        reading::<(Entity, Write<Glow>), Added<Glow>>(),
        reading::<Entity, Changed<Mark>>(),
        reading::<(Entity, Has<Pulse>), Added<Mark>>(),
        reading::<Entity, Added<Spark>>(),
        reading::<Entity, Changed<Spark>>(),
        reading::<Entity, Or<(Changed<Pulse>, Changed<Glow>)>>(),
        reading::<(Entity, Option<Ref<Ward>>), (Changed<Mark>, Changed<Glow>)>(),
        reading::<Entity, Or<(Added<Mark>, With<Ward>)>>(),
        reading::<(Entity, Ref<Num>), (Changed<Pulse>, Without<Owned>)>(),
        reading::<(Entity, EvenOff<Ref<Pulse>>), (Off<Pulse>, Added<Pulse>)>(),
        reading::<(Entity, Option<Ref<Skin>>), Changed<Oath>>(),
    ]
}
