//! Queries of many shapes, each with its meaning in the naive world.
//!
//! [`Observed`] says what a term yields, [`Predicted`] whom a filter lets through: once for the real item, once for a naive row. What both say of all
//! entities must be equal, in whatever way the query is walked.

use super::components::*;
use super::naive::{Naive, Row};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Alternative, Filter, Terms};

/// What one item showed.
pub type Seen = Vec<Option<u32>>;

pub trait Observed: Terms + 'static {
    /// Writes down what an item shows; adds `delta` to what it may change.
    fn observe(item: Self::Item<'_>, delta: u32, seen: &mut Seen);
    fn fits(row: &Row) -> bool;
    /// Writes down what an item for this row must show; adds `delta` to what it may change.
    fn expect(entity: Entity, row: &mut Row, delta: u32, seen: &mut Seen);
    /// The kinds that the term names.
    fn names(kinds: &mut Vec<usize>);
}

pub trait Predicted: Filter {
    fn lets_through(row: &Row) -> bool;
    /// The kinds that the filter allows beside those of the terms. Within `Or` every mention counts.
    fn names(kinds: &mut Vec<usize>, grouped: bool);
    const EXACT: bool = false;
}

impl<T: Kind> Observed for &'static T {
    fn observe(item: Self::Item<'_>, _delta: u32, seen: &mut Seen) {
        seen.push(Some(item.value()));
    }
    fn fits(row: &Row) -> bool {
        row.contains_key(&T::KIND)
    }
    fn expect(_entity: Entity, row: &mut Row, _delta: u32, seen: &mut Seen) {
        seen.push(Some(row[&T::KIND]));
    }
    fn names(kinds: &mut Vec<usize>) {
        kinds.push(T::KIND);
    }
}

impl<T: Kind> Observed for &'static mut T {
    fn observe(item: Self::Item<'_>, delta: u32, seen: &mut Seen) {
        let value = item.value();
        seen.push(Some(value));
        if delta != 0 {
            item.set(fit(T::KIND, value.wrapping_add(delta)));
        }
    }
    fn fits(row: &Row) -> bool {
        row.contains_key(&T::KIND)
    }
    fn expect(_entity: Entity, row: &mut Row, delta: u32, seen: &mut Seen) {
        let value = row[&T::KIND];
        seen.push(Some(value));
        row.insert(T::KIND, fit(T::KIND, value.wrapping_add(delta)));
    }
    fn names(kinds: &mut Vec<usize>) {
        kinds.push(T::KIND);
    }
}

impl<Q: Observed> Observed for Option<Q> {
    fn observe(item: Self::Item<'_>, delta: u32, seen: &mut Seen) {
        match item {
            Some(item) => Q::observe(item, delta, seen),
            None => seen.push(None),
        }
    }
    fn fits(_row: &Row) -> bool {
        true
    }
    fn expect(entity: Entity, row: &mut Row, delta: u32, seen: &mut Seen) {
        if Q::fits(row) {
            Q::expect(entity, row, delta, seen);
        } else {
            seen.push(None);
        }
    }
    fn names(kinds: &mut Vec<usize>) {
        Q::names(kinds);
    }
}

impl Observed for Entity {
    fn observe(item: Self::Item<'_>, _delta: u32, seen: &mut Seen) {
        seen.extend([Some(item.index()), Some(item.generation())]);
    }
    fn fits(_row: &Row) -> bool {
        true
    }
    fn expect(entity: Entity, _row: &mut Row, _delta: u32, seen: &mut Seen) {
        seen.extend([Some(entity.index()), Some(entity.generation())]);
    }
    fn names(_kinds: &mut Vec<usize>) {}
}

impl<T: Kind> Observed for Has<T> {
    fn observe(item: Self::Item<'_>, _delta: u32, seen: &mut Seen) {
        seen.push(item.then_some(1));
    }
    fn fits(_row: &Row) -> bool {
        true
    }
    fn expect(_entity: Entity, row: &mut Row, _delta: u32, seen: &mut Seen) {
        seen.push(row.contains_key(&T::KIND).then_some(1));
    }
    fn names(kinds: &mut Vec<usize>) {
        kinds.push(T::KIND);
    }
}

impl<A: Observed, B: Observed> Observed for AnyOf<(A, B)> {
    fn observe(item: Self::Item<'_>, delta: u32, seen: &mut Seen) {
        <(Option<A>, Option<B>)>::observe(item, delta, seen);
    }
    fn fits(row: &Row) -> bool {
        A::fits(row) || B::fits(row)
    }
    fn expect(entity: Entity, row: &mut Row, delta: u32, seen: &mut Seen) {
        <(Option<A>, Option<B>)>::expect(entity, row, delta, seen);
    }
    fn names(kinds: &mut Vec<usize>) {
        <(A, B)>::names(kinds);
    }
}

macro_rules! tuple {
    ($($name:ident $at:tt),*) => {
        impl<$($name: Observed),*> Observed for ($($name,)*) {
            fn observe(_item: Self::Item<'_>, _delta: u32, _seen: &mut Seen) {
                $($name::observe(_item.$at, _delta, _seen);)*
            }
            fn fits(_row: &Row) -> bool {
                true $(&& $name::fits(_row))*
            }
            fn expect(_entity: Entity, _row: &mut Row, _delta: u32, _seen: &mut Seen) {
                $($name::expect(_entity, _row, _delta, _seen);)*
            }
            fn names(_kinds: &mut Vec<usize>) {
                $($name::names(_kinds);)*
            }
        }

        impl<$($name: Predicted),*> Predicted for ($($name,)*) {
            const EXACT: bool = false $(|| $name::EXACT)*;
            fn lets_through(_row: &Row) -> bool {
                true $(&& $name::lets_through(_row))*
            }
            fn names(_kinds: &mut Vec<usize>, _grouped: bool) {
                $($name::names(_kinds, _grouped);)*
            }
        }
    };
}

tuple!();
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

impl<T: Kind> Predicted for With<T> {
    fn lets_through(row: &Row) -> bool {
        row.contains_key(&T::KIND)
    }
    fn names(kinds: &mut Vec<usize>, _grouped: bool) {
        kinds.push(T::KIND);
    }
}

impl<T: Kind> Predicted for Without<T> {
    fn lets_through(row: &Row) -> bool {
        !row.contains_key(&T::KIND)
    }
    fn names(kinds: &mut Vec<usize>, grouped: bool) {
        if grouped {
            kinds.push(T::KIND);
        }
    }
}

impl<A: Predicted + Alternative, B: Predicted + Alternative> Predicted for Or<(A, B)> {
    fn lets_through(row: &Row) -> bool {
        A::lets_through(row) || B::lets_through(row)
    }
    fn names(kinds: &mut Vec<usize>, _grouped: bool) {
        <(A, B)>::names(kinds, true);
    }
}

impl Predicted for Exact {
    const EXACT: bool = true;
    fn lets_through(_row: &Row) -> bool {
        true
    }
    fn names(_kinds: &mut Vec<usize>, _grouped: bool) {}
}

/// A query as a struct.
#[derive(Query)]
pub struct Being<'w> {
    entity: Entity,
    num: &'w mut Num,
    owned: Option<&'w Owned>,
    lamp: Option<&'w mut Lamp>,
}

impl Observed for Being<'static> {
    fn observe(item: Self::Item<'_>, delta: u32, seen: &mut Seen) {
        Entity::observe(item.entity, delta, seen);
        <&mut Num>::observe(item.num, delta, seen);
        <Option<&Owned>>::observe(item.owned, delta, seen);
        <Option<&mut Lamp>>::observe(item.lamp, delta, seen);
    }
    fn fits(row: &Row) -> bool {
        <&mut Num>::fits(row)
    }
    fn expect(entity: Entity, row: &mut Row, delta: u32, seen: &mut Seen) {
        <(Entity, &mut Num, Option<&Owned>, Option<&mut Lamp>)>::expect(entity, row, delta, seen);
    }
    fn names(kinds: &mut Vec<usize>) {
        <(&mut Num, &Owned, &mut Lamp)>::names(kinds);
    }
}

/// Whether a query with these terms and filters yields an entity.
pub fn matches<Q: Observed, F: Predicted>(row: &Row) -> bool {
    let mut named = Vec::new();
    Q::names(&mut named);
    F::names(&mut named, false);
    Q::fits(row) && F::lets_through(row) && (!F::EXACT || row.keys().all(|kind| named.contains(kind)))
}

/// A query of some shape that lives as long as the run, and is used on both worlds.
pub trait Shape {
    fn walk(&mut self, world: &mut World, naive: &mut Naive, mode: u8, delta: u32, picked: [Entity; 3]);
}

struct Lasting<Q: Terms, F: Filter>(Prepared<Q, F>);

fn show<Q: Observed>(item: Q::Item<'_>, delta: u32) -> Seen {
    let mut seen = Seen::new();
    Q::observe(item, delta, &mut seen);
    seen
}

fn expected<Q: Observed, F: Predicted>(naive: &mut Naive, delta: u32) -> Vec<Seen> {
    let rows = naive.rows.values_mut().filter(|(_, row)| matches::<Q, F>(row));
    let show = |(entity, row): &mut (Entity, Row)| {
        let mut seen = Seen::new();
        Q::expect(*entity, row, delta, &mut seen);
        seen
    };
    rows.map(show).collect()
}

fn sorted(mut all: Vec<Seen>) -> Vec<Seen> {
    all.sort();
    all
}

impl<Q: Observed, F: Predicted> Shape for Lasting<Q, F> {
    fn walk(&mut self, world: &mut World, naive: &mut Naive, mode: u8, delta: u32, picked: [Entity; 3]) {
        let wanted = |naive: &Naive, entity: Entity| naive.row(entity).is_some_and(matches::<Q, F>);
        match mode % 12 {
            0 => {
                let mut seen = Vec::new();
                self.0.on(world).for_each(|item| seen.push(show::<Q>(item, delta)));
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, delta)), "for_each");
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
                for item in iter.by_ref().take(usize::from(mode) / 12) {
                    seen.push(show::<Q>(item, delta));
                }
                iter.for_each(|item| seen.push(show::<Q>(item, delta)));
                assert_eq!(seen, in_order, "iter and for_each walk in the same order");
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, delta)), "iter_mut");
            }
            2 => {
                let seen = world.query_filtered::<Q, F>().into_iter().map(|item| show::<Q>(item, delta));
                assert_eq!(sorted(seen.collect()), sorted(expected::<Q, F>(naive, delta)), "world.query_filtered");
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
                let must = expected::<Q, F>(naive, 0);
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
                assert_eq!(seen, expected::<Q, F>(naive, delta), "sorted_by_key");
            }
            7 => {
                let must = expected::<Q, F>(naive, 0);
                if must.len() > 200 {
                    return;
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
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, delta)), "par_for_each");
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
                assert_eq!(seen, expected::<Q, F>(naive, delta), "sorted_by");
            }
            _ => {
                let mut walk = self.0.on(world).into_iter();
                let first = walk.next().map(|item| show::<Q>(item, 0));
                let rest = walk.map(|item| show::<Q>(item, 0));
                let seen = first.into_iter().chain(rest).collect();
                assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, 0)), "into_iter");
            }
        }
    }
}

fn lasting<Q: Observed, F: Predicted>() -> Box<dyn Shape> {
    Box::new(Lasting(Prepared::<Q, F>::new()))
}

type Ref<T> = &'static T;
type Mut<T> = &'static mut T;

/// One of each shape.
pub fn shapes() -> Vec<Box<dyn Shape>> {
    vec![
        lasting::<Entity, ()>(),
        lasting::<(), ()>(),
        lasting::<Mut<Num>, ()>(),
        lasting::<(Entity, Mut<Num>, Ref<Owned>), ()>(),
        lasting::<(Entity, Mut<Wide>, Ref<Flag>, Option<Mut<Small>>), Without<Seal>>(),
        lasting::<(Ref<Seal>, Entity, Ref<Flag>), ()>(),
        lasting::<Mut<Burn>, ()>(),
        lasting::<(Entity, Mut<Burn>), ()>(),
        lasting::<(Entity, Mut<Chill>), With<Burn>>(),
        lasting::<(Ref<Curse>, Mut<Burn>, Option<Ref<Num>>), ()>(),
        lasting::<(Entity, Mut<Burn>, Mut<Num>), Without<Chill>>(),
        lasting::<Being<'static>, ()>(),
        lasting::<Being<'static>, Or<(With<Lamp>, With<Seal>)>>(),
        lasting::<(Entity, AnyOf<(Mut<Num>, Ref<Burn>)>), ()>(),
        lasting::<(Entity, AnyOf<(Ref<Owned>, Mut<Wide>)>), Without<Flag>>(),
        lasting::<(Entity, Has<Num>, Has<Curse>), ()>(),
        lasting::<(Entity, Ref<Num>), Exact>(),
        lasting::<(Entity, Option<Ref<Num>>, Has<Burn>), (Exact, Without<Small>)>(),
        lasting::<Entity, (With<Needy>, Without<Lamp>)>(),
        lasting::<(Entity, Mut<Needy>, Mut<Lamp>, Option<Mut<Link>>), ()>(),
        lasting::<(Entity, Option<(Mut<Num>, Ref<Burn>)>), ()>(),
        lasting::<Entity, Or<((With<Num>, Without<Burn>), With<Curse>)>>(),
        lasting::<Entity, (Exact, Or<(With<Flag>, Without<Num>)>)>(),
        lasting::<(Entity, Mut<Unique>, (Mut<Owned>, (Ref<Chill>,))), ()>(),
    ]
}
