//! Finding entities.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Driver, Filter, Terms};

#[derive(Component, Clone, Copy, Debug, PartialEq, Default)]
struct A(i32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct B(i32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct S(i32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct T(i32);
#[derive(Component)]
struct Marked;

/// One entity for each of the 32 sets of the five components; `A` says which.
fn all_sets() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = (0..32)
        .map(|set| {
            let entity = world.spawn(());
            type Insert<'a> = &'a dyn Fn(&mut World);
            let parts: [(i32, Insert<'_>); 5] = [
                (1, &|w: &mut World| w.insert(entity, A(set)).expect("alive")),
                (2, &|w: &mut World| w.insert(entity, B(set)).expect("alive")),
                (4, &|w: &mut World| w.insert(entity, S(set)).expect("alive")),
                (8, &|w: &mut World| w.insert(entity, T(set)).expect("alive")),
                (16, &|w: &mut World| w.insert(entity, Marked).expect("alive")),
            ];
            for (bit, insert) in parts {
                if set & bit != 0 {
                    insert(&mut world);
                }
            }
            entity
        })
        .collect();
    (world, all)
}

/// The sets (by bits: A 1, B 2, S 4, T 8, Marked 16) whose entities a query finds, ascending.
fn found<Q: Terms + 'static, F: Filter>(world: &mut World, all: &[Entity]) -> Vec<usize> {
    let query = world.query_filtered::<Q, F>();
    let found: Vec<usize> = (0..all.len()).filter(|set| query.contains(all[*set])).collect();
    assert_eq!(query.count(), found.len());
    found
}

fn sets(wanted: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..32).filter(|set| wanted(*set)).collect()
}

#[test]
fn q1_a_query_matches_entities_whose_signature_contains_its_own_and_extras_are_fine() {
    let (mut world, all) = all_sets();
    assert_eq!(found::<&A, ()>(&mut world, &all), sets(|set| set & 1 == 1));
    assert_eq!(found::<(&A, &mut B), ()>(&mut world, &all), sets(|set| set & 3 == 3));
    assert_eq!(found::<(&A, &S), ()>(&mut world, &all), sets(|set| set & 5 == 5));
    assert_eq!(found::<(&T, &mut S), ()>(&mut world, &all), sets(|set| set & 4 != 0 && set & 8 != 0));
    assert_eq!(found::<(&A, &B, &S, &T), With<Marked>>(&mut world, &all), [31]);
    assert_eq!(found::<(), ()>(&mut world, &all), sets(|_| true));
    assert_eq!(found::<Entity, With<Marked>>(&mut world, &all), sets(|set| set & 16 == 16));
}

#[test]
fn q1_new_matches_are_found_and_lost_ones_are_not() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let mut both = Prepared::<(&A, &S), With<Marked>>::new();
    assert_eq!(both.on(&mut world).count(), 0);
    world.insert(entity, (S(2), Marked)).expect("alive");
    assert_eq!(both.on(&mut world).single(), Ok((&A(1), &S(2))));
    world.remove::<S>(entity).expect("alive");
    assert!(both.on(&mut world).is_empty());
    world.insert(entity, S(3)).expect("alive");
    world.remove::<Marked>(entity).expect("alive");
    assert!(both.on(&mut world).is_empty());
}

#[test]
fn q2_exact_matches_only_where_the_signatures_are_equal() {
    let (mut world, all) = all_sets();
    assert_eq!(found::<&A, Exact>(&mut world, &all), [1]);
    assert_eq!(found::<(&A, &mut B), Exact>(&mut world, &all), [3]);
    assert_eq!(found::<(&A, &S), Exact>(&mut world, &all), [5]);
    assert_eq!(found::<(&S, &T), Exact>(&mut world, &all), [12]);
    assert_eq!(found::<(&A, &B, &S, &T), (Exact, With<Marked>)>(&mut world, &all), [31]);
    assert_eq!(found::<(), Exact>(&mut world, &all), [0]);
    assert_eq!(found::<(&A, Option<&T>, Has<Marked>), Exact>(&mut world, &all), [1, 9, 17, 25]);
}

#[test]
fn q2_exact_notices_each_change() {
    let mut world = World::new();
    let entity = world.spawn((A(1), S(1)));
    let mut exact = Prepared::<(&A, &S), Exact>::new();
    assert!(exact.on(&mut world).contains(entity));
    world.insert(entity, T(1)).expect("alive");
    assert!(!exact.on(&mut world).contains(entity));
    let why = exact.on(&mut world).explain(entity);
    assert_eq!((why.matches, why.extra), (false, vec!["T".to_string()]));
    world.remove::<T>(entity).expect("alive");
    assert!(exact.on(&mut world).contains(entity));
    world.insert(entity, Marked).expect("alive");
    assert!(!exact.on(&mut world).contains(entity));
}

#[test]
fn q3_a_join_over_sparse_components_walks_the_smallest_set_decided_anew_at_each_run() {
    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(|n| (A(n), S(n)))).to_vec();
    for entity in &all[..5] {
        world.insert(*entity, T(0)).expect("alive");
    }
    let mut join = Prepared::<(&A, &S, &T)>::new();
    let plan = join.on(&mut world).plan();
    assert_eq!((plan.driver, plan.candidates), (Driver::SparseSet("T".into()), 5));

    // T grows beyond S: the same prepared query walks the other set now.
    world.insert_batch(&all, (0..100).map(T)).expect("alive");
    world.remove_batch::<S>(&all[3..]).expect("alive");
    let plan = join.on(&mut world).plan();
    assert_eq!((plan.driver.clone(), plan.candidates), (Driver::SparseSet("S".into()), 3));
    assert_eq!(plan.to_string(), "walks 3 values of sparse component `S`");
    assert_eq!(join.on(&mut world).count(), 3);
}

#[test]
fn q3_the_number_of_candidates_visited_can_be_observed() {
    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(A)).to_vec();
    world.insert_batch(&all[..10], (0..10).map(S)).expect("alive");
    world.insert_batch(&all[8..40], (0..32).map(T)).expect("alive");
    let query = world.query::<(&S, &T)>();
    let mut walk = query.iter();
    assert_eq!(walk.visited(), 0);
    assert_eq!(walk.by_ref().count(), 2);
    assert_eq!(walk.visited(), 10, "all of the smaller set, none of the larger");

    // A filter drives too; what must be absent, or may be, does not.
    let query = world.query_filtered::<&A, With<S>>();
    let mut walk = query.iter();
    assert_eq!((walk.by_ref().count(), walk.visited()), (10, 10));
    let query = world.query_filtered::<(&A, Option<&T>), Without<S>>();
    let mut walk = query.iter();
    assert_eq!((walk.by_ref().count(), walk.visited()), (90, 100));
    assert_eq!(query.plan().to_string(), "walks 100 rows of 1 table");
}

#[test]
fn q4_arguments_arrive_by_type_whatever_the_order_of_declaration() {
    #[derive(Query)]
    struct Forth<'w> {
        a: &'w A,
        s: &'w mut S,
        b: Option<&'w B>,
        entity: Entity,
    }
    #[derive(Query)]
    struct Back<'w> {
        entity: Entity,
        b: Option<&'w B>,
        s: &'w mut S,
        a: &'w A,
    }

    let mut world = World::new();
    // The components come in different orders, too.
    let one = world.spawn((A(1), B(2), S(3)));
    let two = world.spawn((S(6), B(5), A(4)));
    let expected = vec![(one, 1, 2, 3), (two, 4, 5, 6)];
    let item = |entity, a: &A, b: Option<&B>, s: &S| (entity, a.0, b.map_or(0, |b| b.0), s.0);

    let tuple = world.query::<(&A, &B, &S, Entity)>().iter().map(|(a, b, s, e)| item(e, a, Some(b), s)).collect();
    let turned = world.query::<(Entity, &S, &B, &A)>().iter().map(|(e, s, b, a)| item(e, a, Some(b), s)).collect();
    let nested = world.query::<((&S, Entity), (&B, (&A,)))>().iter();
    let nested = nested.map(|((s, e), (b, (a,)))| item(e, a, Some(b), s)).collect();
    let forth = world.query::<Forth>().iter_mut().map(|f| item(f.entity, f.a, f.b, f.s)).collect();
    let back = world.query::<Back>().iter_mut().map(|f| item(f.entity, f.a, f.b, f.s)).collect();
    for found in [tuple, turned, nested, forth, back] {
        let found: Vec<(Entity, i32, i32, i32)> = found;
        assert_eq!(found, expected);
    }
}

#[test]
fn q5_cross_combines_every_a_with_every_b() {
    let mut world = World::new();
    world.spawn_batch((0..4).map(A));
    world.spawn_batch([(B(10), Marked), (B(20), Marked)]);
    world.spawn((A(4), B(30), S(1)));
    let mut met = Vec::new();
    world.cross::<&A, &B>(|a, b| met.push((a.0, b.0)));
    let expected: Vec<_> = (0..5).flat_map(|a| [10, 20, 30].map(|b| (a, b))).collect();
    assert_eq!(met, expected, "an entity with both meets itself where nothing is written");
}

#[test]
fn q5_cross_is_mutable_where_the_two_are_distinct() {
    let mut world = World::new();
    world.spawn_batch((1..=3).map(A));
    let mut met = 0;
    world.cross::<&mut A, &mut A>(|a, b| {
        assert!(!std::ptr::eq(a, b));
        std::mem::swap(a, b);
        met += 1;
    });
    assert_eq!(met, 6, "each with each other, none with itself");
    let mut values: Vec<i32> = world.query::<&A>().iter().map(|a| a.0).collect();
    values.sort_unstable();
    assert_eq!(values, [1, 2, 3]);
    world.cross::<&mut B, &A>(|b, a| b.0 += a.0);
    let both = world.spawn((A(5), B(0)));
    world.cross::<&mut B, &A>(|b, a| b.0 += a.0);
    assert_eq!(world.get::<B>(both), Some(&B(1 + 2 + 3 + 5)), "different components of one entity do not conflict");
}

#[test]
fn q5_every_unordered_pair_within_one_set_once_and_mutable() {
    let count = if cfg!(miri) { 70 } else { 200 };
    let mut world = World::new();
    world.spawn_batch((0..count / 2).map(A));
    world.spawn_batch((count / 2..count).map(|n| (A(n), S(n))));
    let mut met = std::collections::BTreeMap::new();
    world.query::<&A>().pairs(|a, b| *met.entry((a.0, b.0)).or_insert(0) += 1);
    for a in 0..count {
        for b in 0..count {
            assert_eq!(met.get(&(a, b)).copied(), (a < b).then_some(1), "{a} and {b}");
        }
    }
    world.query::<&mut A>().pairs_mut(|a, b| {
        a.0 += 1;
        b.0 -= 1;
    });
    let sum: i32 = world.query::<&A>().iter().map(|a| a.0).sum();
    assert_eq!(sum, count * (count - 1) / 2);
    assert_eq!(world.query::<&A>().iter().next(), Some(&A(count - 1)), "the first is the first of all its pairs");
}

#[test]
#[cfg(feature = "parallel")]
fn q5_pairs_and_combinations_in_parallel_give_the_same() {
    let count = if cfg!(miri) { 70 } else { 500 };
    let filled = || {
        let mut world = World::new();
        world.spawn_batch((0..count).map(|n| (A(n), S(0))));
        world.spawn_batch((0..10).map(B));
        world
    };
    let (mut one, mut many) = (filled(), filled());
    let meet = |(a, s): (&A, &mut S), (b, t): (&A, &mut S)| {
        s.0 = s.0.wrapping_mul(31).wrapping_add(b.0);
        t.0 = t.0.wrapping_mul(17).wrapping_sub(a.0);
    };
    one.query::<(&A, &mut S)>().pairs_mut(meet);
    many.query::<(&A, &mut S)>().par_pairs_mut(meet);
    let values = |world: &mut World| world.query::<&S>().iter().map(|s| s.0).collect::<Vec<_>>();
    assert_eq!(values(&mut one), values(&mut many));

    let combine = |s: &mut S, b: &B| s.0 = s.0.wrapping_mul(13).wrapping_add(b.0);
    one.cross::<&mut S, &B>(combine);
    let (mut s, mut b) = (Prepared::<&mut S>::new(), Prepared::<&B>::new());
    s.par_cross(&mut b, &mut many, combine).expect("no conflict");
    assert_eq!(values(&mut one), values(&mut many));
}
