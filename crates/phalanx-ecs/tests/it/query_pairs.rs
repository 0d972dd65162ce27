//! Pairs and combinations against naive loops.

use phalanx_ecs::Component;
use phalanx_ecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct A(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct B(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct S(u32);

/// Several tables and a sparse set.
fn filled(count: u32) -> World {
    let mut world = World::new();
    for n in 0..count {
        match n % 4 {
            0 => world.spawn(A(n)),
            1 => world.spawn((A(n), B(n))),
            2 => world.spawn((A(n), S(n))),
            _ => world.spawn((S(n), B(n), A(n))),
        };
    }
    world
}

/// 0 and 1 row, one block, its edge, several blocks, an odd number of them.
const COUNTS: &[u32] = if cfg!(miri) { &[0, 1, 2, 70] } else { &[0, 1, 2, 63, 64, 65, 128, 200, 330] };

#[test]
fn pairs_are_those_of_the_naive_double_loop() {
    for &count in COUNTS {
        let mut world = filled(count);
        let walk: Vec<u32> = world.query::<&A>().iter().map(|a| a.0).collect();
        let mut expected: Vec<(u32, u32)> = (0..walk.len())
            .flat_map(|i| (i + 1..walk.len()).map(move |j| (i, j)))
            .map(|(i, j)| (walk[i], walk[j]))
            .collect();
        let (mut shared, mut exclusive) = (Vec::new(), Vec::new());
        world.query::<&A>().pairs(|a, b| shared.push((a.0, b.0)));
        world.query::<&mut A>().pairs_mut(|a, b| exclusive.push((a.0, b.0)));
        assert_eq!(shared, exclusive, "one order");
        shared.sort_unstable();
        expected.sort_unstable();
        assert_eq!(shared, expected, "the earlier one is first");
    }
}

#[test]
fn pairs_of_sparse_and_filtered_queries() {
    for &count in COUNTS {
        let mut world = filled(count);
        let with_s = world.query::<&S>().count();
        let mut pairs = 0;
        world.query_filtered::<(&mut S, &A, Entity), Without<B>>().pairs_mut(|(s, a, e), (t, b, f)| {
            assert!(e != f && s.0 == a.0 && t.0 == b.0);
            std::mem::swap(s, t);
            std::mem::swap(s, t);
            pairs += 1;
        });
        let matching = (0..count).filter(|n| n % 4 == 2).count();
        assert_eq!(pairs, matching * matching.saturating_sub(1) / 2);
        let mut solo = 0;
        world.query::<&S>().pairs(|_, _| solo += 1);
        assert_eq!(solo, with_s * with_s.saturating_sub(1) / 2);
    }
}

#[test]
fn crosses_are_those_of_the_naive_double_loop() {
    let mut world = filled(40);
    let a: Vec<u32> = world.query::<&A>().iter().map(|a| a.0).collect();
    let s: Vec<u32> = world.query_filtered::<&S, With<B>>().iter().map(|s| s.0).collect();
    let expected: Vec<(u32, u32)> = a.iter().flat_map(|a| s.iter().map(move |s| (*a, *s))).collect();
    let mut met = Vec::new();
    Prepared::<&mut A>::new().cross(&mut Prepared::<&S, With<B>>::new(), &mut world, |a, s| met.push((a.0, s.0)));
    assert_eq!(met, expected);
}

#[test]
fn a_cross_that_would_hand_out_a_value_twice_leaves_the_entity_itself_out() {
    let mut world = filled(12);
    let (mut met, mut shared) = (Vec::new(), 0);
    world.cross::<(&mut S, Entity), (&S, Entity)>(|(s, e), (t, f)| {
        assert_ne!(e, f);
        met.push((s.0, t.0));
    });
    world.cross::<&S, &S>(|_, _| shared += 1);
    assert_eq!((met.len(), shared), (6 * 5, 6 * 6));
}
