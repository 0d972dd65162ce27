//! Query filters and their meaning in the naive world.

use super::components::Kind;
use super::row::Row;
use super::terms::Observed;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Added, Alternative, Changed, Filter, Off, Toggle, Tracked};

pub trait Predicted: Filter {
    /// Whether a row gets through; `since` is when the reader looked last, 0 if never.
    fn lets_through(row: &Row, since: u64) -> bool;
    /// The kinds that the filter allows beside those of the terms. Within `Or` every mention counts.
    fn names(kinds: &mut Vec<usize>, grouped: bool);
    const EXACT: bool = false;
}

/// Filters about one kind: whom they let through, and whether they allow the kind where it is not grouped.
macro_rules! filter {
    ($name:ident<$bound:path>, |$row:ident, $since:ident| $lets:expr, $names:expr) => {
        impl<T: Kind + $bound> Predicted for $name<T> {
            fn lets_through($row: &Row, $since: u64) -> bool {
                let lets: fn(&Row, usize, u64) -> bool = $lets;
                lets($row, T::KIND, $since)
            }
            fn names(kinds: &mut Vec<usize>, grouped: bool) {
                if grouped || $names {
                    kinds.push(T::KIND);
                }
            }
        }
    };
}

filter!(With<Component>, |row, since| |row, kind, _| row.shows(kind), true);
filter!(Without<Component>, |row, since| |row, kind, _| !row.has(kind), false);
filter!(Off<Toggle>, |row, since| |row, kind, _| row.is_off(kind), true);
filter!(
    Changed<Tracked>,
    |row, since| |row, kind, since| row.get(kind).is_some_and(|value| value.changed > since),
    true
);
filter!(Added<Tracked>, |row, since| |row, kind, since| row.get(kind).is_some_and(|value| value.added > since), true);

impl<A: Predicted + Alternative, B: Predicted + Alternative> Predicted for Or<(A, B)> {
    fn lets_through(row: &Row, since: u64) -> bool {
        A::lets_through(row, since) || B::lets_through(row, since)
    }
    fn names(kinds: &mut Vec<usize>, _grouped: bool) {
        <(A, B)>::names(kinds, true);
    }
}

impl Predicted for Exact {
    const EXACT: bool = true;
    fn lets_through(_row: &Row, _since: u64) -> bool {
        true
    }
    fn names(_kinds: &mut Vec<usize>, _grouped: bool) {}
}

macro_rules! tuple {
    ($($name:ident),*) => {
        impl<$($name: Predicted),*> Predicted for ($($name,)*) {
            const EXACT: bool = false $(|| $name::EXACT)*;
            fn lets_through(_row: &Row, _since: u64) -> bool {
                true $(&& $name::lets_through(_row, _since))*
            }
            fn names(_kinds: &mut Vec<usize>, _grouped: bool) {
                $($name::names(_kinds, _grouped);)*
            }
        }
    };
}

tuple!();
tuple!(A);
tuple!(A, B);

/// Whether a query with these terms and filters yields an entity, to a reader that looked last at `since`.
pub fn matches<Q: Observed, F: Predicted>(row: &Row, since: u64) -> bool {
    let mut named = Vec::new();
    Q::names(&mut named);
    F::names(&mut named, false);
    Q::fits(row) && F::lets_through(row, since) && (!F::EXACT || row.kinds().all(|kind| named.contains(&kind)))
}
