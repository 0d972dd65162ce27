//! Queries of many shapes.
//!
//! [`Observed`] says what a term yields, [`Predicted`] whom a filter lets through: once for the real item, once for a naive row. What both say of all
//! entities must be equal, in whatever way the query is walked.

use super::components::*;
use super::filters::{Predicted, matches};
use super::naive::Naive;
use super::row::Row;
use super::terms::{Being, Observed, Seen};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Filter, Off, Terms};

/// A query of some shape that lives as long as the run, and is used on both worlds.
pub trait Shape {
    /// Answers whether it is known what was noted as changed.
    fn walk(&mut self, world: &mut World, naive: &mut Naive, mode: u8, delta: u32, picked: [Entity; 3]) -> bool;
}

struct Lasting<Q: Terms, F: Filter>(Prepared<Q, F>);

pub fn show<Q: Observed>(item: Q::Item<'_>, delta: u32) -> Seen {
    let mut seen = Seen::new();
    Q::observe(item, delta, &mut seen);
    seen
}

/// What a query must show of all entities, in order of their indices.
pub fn expected<Q: Observed, F: Predicted>(naive: &mut Naive, delta: u32, since: u64) -> Vec<Seen> {
    let rows = naive.rows.values_mut().filter(|(_, row)| matches::<Q, F>(row, since));
    let show = |(entity, row): &mut (Entity, Row)| {
        let mut seen = Seen::new();
        Q::expect(*entity, row, delta, &mut seen);
        seen
    };
    rows.map(show).collect()
}

/// The same, for queries that hand nothing out.
pub fn foreseen<Q: Observed, F: Predicted>(naive: &Naive, since: u64) -> Vec<Seen> {
    let rows = naive.rows.values().filter(|(_, row)| matches::<Q, F>(row, since));
    let show = |(entity, row): &(Entity, Row)| {
        let mut seen = Seen::new();
        Q::expect(*entity, &mut row.clone(), 0, &mut seen);
        seen
    };
    rows.map(show).collect()
}

pub fn sorted(mut all: Vec<Seen>) -> Vec<Seen> {
    all.sort();
    all
}

impl<Q: Observed, F: Predicted> Shape for Lasting<Q, F> {
    fn walk(&mut self, world: &mut World, naive: &mut Naive, mode: u8, delta: u32, picked: [Entity; 3]) -> bool {
        let wanted = |naive: &Naive, entity: Entity| naive.row(entity).is_some_and(|row| matches::<Q, F>(row, 0));
        match mode % 13 {
            0 => {
                let mut seen = Vec::new();
                self.0.on(world).for_each(|item| seen.push(show::<Q>(item, delta)));
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, delta, 0)), "for_each");
            }
            1 => {
                let mut query = self.0.on(world);
                let mut in_order = Vec::new();
                query.for_each(|item| in_order.push(show::<Q>(item, 0)));
                let mut iter = query.iter_mut();
                let (least, most) = iter.size_hint();
                let count = in_order.len();
                assert!(least <= count && most.is_none_or(|most| count <= most), "{least} to {most:?} for {count}");
                let mut seen = Vec::new();
                for item in iter.by_ref().take(usize::from(mode) / 13) {
                    seen.push(show::<Q>(item, delta));
                }
                iter.for_each(|item| seen.push(show::<Q>(item, delta)));
                assert_eq!(seen, in_order, "iter and for_each walk in the same order");
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, delta, 0)), "iter_mut");
            }
            2 => {
                let seen = world.query_filtered::<Q, F>().into_iter().map(|item| show::<Q>(item, delta));
                assert_eq!(sorted(seen.collect()), sorted(expected::<Q, F>(naive, delta, 0)), "world.query_filtered");
            }
            3 => {
                let mut query = self.0.on(world);
                for entity in picked {
                    let found = query.get_mut(entity).map(|item| show::<Q>(item, delta));
                    let must = wanted(naive, entity).then(|| {
                        let mut seen = Seen::new();
                        Q::expect(entity, naive.row_mut(entity).expect("alive"), delta, &mut seen);
                        seen
                    });
                    assert_eq!(found, must, "get_mut {entity}");
                    assert_eq!(query.contains(entity), found.is_some(), "contains {entity}");
                    assert_eq!(query.explain(entity).matches, found.is_some(), "explain {entity}");
                }
            }
            4 => {
                let [a, b, c] = picked;
                let all = picked.iter().all(|entity| wanted(naive, *entity));
                let twice = a == b || b == c || a == c;
                match self.0.on(world).get_many_mut(picked) {
                    Ok(items) => {
                        assert!(all && !twice, "get_many_mut found {picked:?}");
                        for (entity, item) in picked.into_iter().zip(items) {
                            let mut must = Seen::new();
                            Q::expect(entity, naive.row_mut(entity).expect("alive"), delta, &mut must);
                            assert_eq!(show::<Q>(item, delta), must, "get_many_mut {entity}");
                        }
                    }
                    Err(error) => {
                        assert!(!all || twice, "get_many_mut: {error}");
                        assert_eq!(error.twice, twice);
                    }
                }
            }
            5 => {
                let must = foreseen::<Q, F>(naive, 0);
                let mut query = self.0.on(world);
                assert_eq!(query.count(), must.len(), "count");
                assert_eq!(query.is_empty(), must.is_empty(), "is_empty");
                assert!(query.plan().candidates >= must.len(), "{:?}", query.plan());
                match query.single_mut() {
                    Ok(item) => assert_eq!(vec![show::<Q>(item, 0)], must, "single"),
                    Err(error) => assert!(must.len() != 1 && error.found == must.len(), "{error}"),
                }
                match query.first_mut() {
                    Some(item) => assert!(must.contains(&show::<Q>(item, 0)), "first"),
                    None => assert!(must.is_empty(), "first"),
                }
            }
            6 => {
                let mut query = self.0.on(world);
                let mut lengths = 0;
                let seen = query.sorted_by_key(|_| {
                    lengths += 1;
                    0
                });
                // Equal keys: in the order of indices, which is the order of the naive rows.
                let seen: Vec<Seen> = seen.map(|item| show::<Q>(item, delta)).collect();
                assert_eq!(seen, expected::<Q, F>(naive, delta, 0), "sorted_by_key");
            }
            7 => {
                let must = foreseen::<Q, F>(naive, 0);
                if must.len() > 200 {
                    return true;
                }
                let mut met = Vec::new();
                self.0.on(world).pairs_mut(|a, b| {
                    let (a, b) = (show::<Q>(a, 0), show::<Q>(b, 0));
                    met.push(if a < b { (a, b) } else { (b, a) });
                });
                let mut pairs = Vec::new();
                for (at, a) in must.iter().enumerate() {
                    for b in &must[..at] {
                        pairs.push(if a < b { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) });
                    }
                }
                met.sort();
                pairs.sort();
                assert_eq!(met, pairs, "pairs_mut");
            }
            #[cfg(all(feature = "parallel", not(miri)))]
            8 => {
                let seen = std::sync::Mutex::new(Vec::new());
                self.0.on(world).par_for_each(|item| {
                    let item = show::<Q>(item, delta);
                    seen.lock().expect("nobody panics").push(item);
                });
                let seen = seen.into_inner().expect("nobody panics");
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, delta, 0)), "par_for_each");
            }
            9 => {
                // A copy starts with what the original knows, a new one with nothing.
                let mut copy = self.0.clone();
                assert_eq!(copy.on(world).count(), Prepared::<Q, F>::new().on(world).count(), "a clone and a new one");
            }
            10 => {
                let mut query = self.0.on(world);
                let seen = query.sorted_by(|_, _| std::cmp::Ordering::Equal);
                let seen: Vec<Seen> = seen.map(|item| show::<Q>(item, delta)).collect();
                assert_eq!(seen, expected::<Q, F>(naive, delta, 0), "sorted_by");
            }
            11 => {
                // By handle, from the last to the first; and those that were picked, who may be dead or be met twice.
                let mut handles: Vec<Entity> = naive.rows.values().rev().map(|(entity, _)| *entity).collect();
                handles.truncate(usize::from(mode) * 4);
                handles.extend(picked);
                let mut must = Vec::new();
                for entity in &handles {
                    if wanted(naive, *entity) {
                        let mut seen = Seen::new();
                        Q::expect(*entity, naive.row_mut(*entity).expect("alive"), delta, &mut seen);
                        must.push(seen);
                    }
                }
                let mut seen = Vec::new();
                let visited = self.0.on(world).for_each_of(&handles, |item| seen.push(show::<Q>(item, delta)));
                assert_eq!((visited, seen), (must.len(), must), "for_each_of");
            }
            _ => {
                let mut walk = self.0.on(world).into_iter();
                let first = walk.next().map(|item| show::<Q>(item, 0));
                let rest = walk.map(|item| show::<Q>(item, 0));
                let seen = first.into_iter().chain(rest).collect();
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, 0, 0)), "into_iter");
            }
        }
        // These hand out some items, or begin to.
        !(Q::MARKS && matches!(mode % 13, 4 | 5 | 7))
    }
}

fn lasting<Q: Observed, F: Predicted>() -> Box<dyn Shape> {
    Box::new(Lasting(Prepared::<Q, F>::new()))
}

type Ref<T> = &'static T;
type Write<T> = &'static mut T;
type Marked<T> = Mut<'static, T>;

/// One of each shape.
pub fn shapes() -> Vec<Box<dyn Shape>> {
    vec![
        lasting::<Entity, ()>(),
        lasting::<(), ()>(),
        lasting::<Write<Num>, ()>(),
        lasting::<(Entity, Write<Num>, Ref<Owned>), ()>(),
        lasting::<(Entity, Write<Wide>, Ref<Flag>, Option<Write<Small>>), Without<Seal>>(),
        lasting::<(Ref<Seal>, Entity, Ref<Flag>), ()>(),
        lasting::<Write<Burn>, ()>(),
        lasting::<(Entity, Write<Burn>), ()>(),
        lasting::<(Entity, Write<Chill>), With<Burn>>(),
        lasting::<(Ref<Curse>, Write<Burn>, Option<Ref<Num>>), ()>(),
        lasting::<(Entity, Write<Burn>, Write<Num>), Without<Chill>>(),
        lasting::<Being<'static>, ()>(),
        lasting::<Being<'static>, Or<(With<Lamp>, With<Seal>)>>(),
        lasting::<(Entity, AnyOf<(Write<Num>, Ref<Burn>)>), ()>(),
        lasting::<(Entity, AnyOf<(Ref<Owned>, Write<Wide>)>), Without<Flag>>(),
        lasting::<(Entity, Has<Num>, Has<Curse>), ()>(),
        lasting::<(Entity, Ref<Num>), Exact>(),
        lasting::<(Entity, Option<Ref<Num>>, Has<Burn>), (Exact, Without<Small>)>(),
        lasting::<Entity, (With<Needy>, Without<Lamp>)>(),
        lasting::<(Entity, Write<Needy>, Write<Lamp>, Option<Write<Link>>), ()>(),
        lasting::<(Entity, Option<(Write<Num>, Ref<Burn>)>), ()>(),
        lasting::<Entity, Or<((With<Num>, Without<Burn>), With<Curse>)>>(),
        lasting::<Entity, (Exact, Or<(With<Flag>, Without<Num>)>)>(),
        lasting::<(Entity, Write<Unique>, (Write<Owned>, (Ref<Chill>,))), ()>(),
        lasting::<(Entity, Marked<Pulse>), ()>(),
        lasting::<(Entity, Write<Pulse>, Option<Ref<Glow>>), ()>(),
        lasting::<(Entity, EvenOff<Ref<Pulse>>, Has<Glow>), ()>(),
        lasting::<EvenOff<Write<Glow>>, ()>(),
        lasting::<(Entity, Has<Mark>, Option<Ref<Ward>>), Without<Spark>>(),
        lasting::<(Entity, Marked<Glow>), With<Pulse>>(),
        lasting::<Entity, Off<Pulse>>(),
        lasting::<Entity, Or<(Off<Glow>, With<Ward>)>>(),
        lasting::<(Entity, AnyOf<(Ref<Pulse>, Write<Glow>)>), ()>(),
        lasting::<(Entity, Ref<Ward>), Exact>(),
        lasting::<(Entity, EvenOff<Write<Ward>>), (Off<Ward>, Exact)>(),
        lasting::<(Entity, Ref<Spark>, Option<Marked<Pulse>>), With<Mark>>(),
        lasting::<(Entity, Ref<Skin>, Option<Write<Num>>), ()>(),
        lasting::<(Entity, Option<Ref<Skin>>, Ref<Oath>), Without<Flag>>(),
    ]
}
