//! Query terms and their meaning in the naive world.

use super::components::{Kind, Lamp, Num, Owned, fit};
use super::row::Row;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Terms, Toggle, Tracked};

/// What one item showed.
pub type Seen = Vec<Option<u32>>;

pub trait Observed: Terms + 'static {
    /// Whether handing out an item notes a change.
    const MARKS: bool = false;
    /// Writes down what an item shows; adds `delta` to what it may change.
    fn observe(item: Self::Item<'_>, delta: u32, seen: &mut Seen);
    fn fits(row: &Row) -> bool;
    /// Writes down what an item for this row must show; adds `delta` to what it may change.
    fn expect(entity: Entity, row: &mut Row, delta: u32, seen: &mut Seen);
    /// The kinds that the term names.
    fn names(kinds: &mut Vec<usize>);
}

impl<T: Kind> Observed for &'static T {
    fn observe(item: Self::Item<'_>, _delta: u32, seen: &mut Seen) {
        seen.push(Some(item.value()));
    }
    fn fits(row: &Row) -> bool {
        row.shows(T::KIND)
    }
    fn expect(_entity: Entity, row: &mut Row, _delta: u32, seen: &mut Seen) {
        seen.push(row.value(T::KIND));
    }
    fn names(kinds: &mut Vec<usize>) {
        kinds.push(T::KIND);
    }
}

impl<T: Kind> Observed for &'static mut T {
    const MARKS: bool = T::TRACK;
    fn observe(item: Self::Item<'_>, delta: u32, seen: &mut Seen) {
        let value = item.value();
        seen.push(Some(value));
        if delta != 0 {
            item.set(fit(T::KIND, value.wrapping_add(delta)));
        }
    }
    fn fits(row: &Row) -> bool {
        row.shows(T::KIND)
    }
    fn expect(_entity: Entity, row: &mut Row, delta: u32, seen: &mut Seen) {
        let value = row.value(T::KIND).expect("it is there");
        seen.push(Some(value));
        row.put(T::KIND, fit(T::KIND, value.wrapping_add(delta)));
    }
    fn names(kinds: &mut Vec<usize>) {
        kinds.push(T::KIND);
    }
}

impl<Q: Observed> Observed for Option<Q> {
    const MARKS: bool = Q::MARKS;
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
        seen.push(row.shows(T::KIND).then_some(1));
    }
    fn names(kinds: &mut Vec<usize>) {
        kinds.push(T::KIND);
    }
}

impl<A: Observed, B: Observed> Observed for AnyOf<(A, B)> {
    const MARKS: bool = A::MARKS || B::MARKS;
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
            const MARKS: bool = false $(|| $name::MARKS)*;
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
    };
}

tuple!();
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

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

impl<T: Kind + Tracked> Observed for Mut<'static, T> {
    fn observe(mut item: Self::Item<'_>, delta: u32, seen: &mut Seen) {
        let value = item.value();
        seen.push(Some(value));
        if delta % 3 == 1 {
            item.set(fit(T::KIND, value.wrapping_add(delta)));
        } else if delta != 0 {
            Mut::bypass(&mut item).set(fit(T::KIND, value.wrapping_add(delta)));
        }
    }
    fn fits(row: &Row) -> bool {
        row.shows(T::KIND)
    }
    fn expect(_entity: Entity, row: &mut Row, delta: u32, seen: &mut Seen) {
        let value = row.value(T::KIND).expect("it is there");
        seen.push(Some(value));
        let value = fit(T::KIND, value.wrapping_add(delta));
        if delta % 3 == 1 { row.put(T::KIND, value) } else { row.put_silently(T::KIND, value) }
    }
    fn names(kinds: &mut Vec<usize>) {
        kinds.push(T::KIND);
    }
}

impl<T: Kind + Toggle> Observed for EvenOff<&'static T> {
    fn observe(item: Self::Item<'_>, _delta: u32, seen: &mut Seen) {
        seen.push(Some(item.value()));
    }
    fn fits(row: &Row) -> bool {
        row.has(T::KIND)
    }
    fn expect(_entity: Entity, row: &mut Row, _delta: u32, seen: &mut Seen) {
        seen.push(row.value(T::KIND));
    }
    fn names(kinds: &mut Vec<usize>) {
        kinds.push(T::KIND);
    }
}

impl<T: Kind + Toggle> Observed for EvenOff<&'static mut T> {
    const MARKS: bool = T::TRACK;
    fn observe(item: Self::Item<'_>, delta: u32, seen: &mut Seen) {
        <&mut T>::observe(item, delta, seen);
    }
    fn fits(row: &Row) -> bool {
        row.has(T::KIND)
    }
    fn expect(entity: Entity, row: &mut Row, delta: u32, seen: &mut Seen) {
        <&mut T>::expect(entity, row, delta, seen);
    }
    fn names(kinds: &mut Vec<usize>) {
        kinds.push(T::KIND);
    }
}
