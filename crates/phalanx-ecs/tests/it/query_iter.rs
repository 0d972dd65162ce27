//! Queries against a naive filter over signatures, and every way to walk them.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, Driver, Filter, Terms};

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct A(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct B(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct T;
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct S(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct R(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct U;

/// The bits of a set of components.
const BITS: [u32; 6] = [1, 2, 4, 8, 16, 32];
const A_: u32 = 1;
const B_: u32 = 2;
const T_: u32 = 4;
const S_: u32 = 8;
const R_: u32 = 16;
const U_: u32 = 32;

/// How many entities there are of each set.
const COPIES: u32 = if cfg!(miri) { 1 } else { 2 };

/// Entities for each of the 64 sets of components, made in a scrambled order; by entity index: the set.
struct Zoo {
    world: World,
    sets: Vec<u32>,
}

impl Zoo {
    fn new() -> Self {
        let mut world = World::new();
        let mut sets = Vec::new();
        for at in 0..COPIES * 64 {
            let set = (at * 37 + 11) % 64;
            let entity = world.spawn(());
            let index = entity.index();
            for bit in BITS {
                if set & bit == 0 {
                    continue;
                }
                let inserted = match bit {
                    A_ => world.insert(entity, A(index)),
                    B_ => world.insert(entity, B(index)),
                    T_ => world.insert(entity, T),
                    S_ => world.insert(entity, S(index)),
                    R_ => world.insert(entity, R(index)),
                    _ => world.insert(entity, U),
                };
                inserted.expect("alive");
            }
            sets.push(set);
        }
        Self { world, sets }
    }

    /// Checks one query, by every route, against the sets.
    #[track_caller]
    fn check<Q: Terms + 'static, F: Filter>(&mut self, wanted: impl Fn(u32) -> bool) {
        let expected: Vec<u32> = (0..).zip(&self.sets).filter(|(_, set)| wanted(**set)).map(|(at, _)| at).collect();
        let sorted = |mut indices: Vec<u32>| {
            indices.sort_unstable();
            indices
        };
        let all: Vec<Entity> = self.world.entities().collect();
        let mut query = self.world.query_filtered::<(Entity, Q), F>();
        let walked: Vec<u32> = query.iter_mut().map(|(entity, _)| entity.index()).collect();
        let mut folded = Vec::new();
        query.for_each(|(entity, _)| folded.push(entity.index()));
        assert_eq!(walked, folded, "one order");
        assert_eq!(sorted(walked), expected);
        assert_eq!((query.count(), query.is_empty()), (expected.len(), expected.is_empty()));
        for (entity, set) in all.iter().zip(&self.sets) {
            assert_eq!(query.contains(*entity), wanted(*set));
            assert_eq!(query.get_mut(*entity).is_some(), wanted(*set));
            assert_eq!(query.explain(*entity).matches, wanted(*set), "{}", query.explain(*entity));
        }
        let candidates = query.plan().candidates;
        let mut walk = query.iter_mut();
        let (low, high) = walk.size_hint();
        assert!(low <= expected.len() && high.is_some_and(|high| high >= expected.len()));
        assert_eq!(walk.by_ref().count(), expected.len());
        assert_eq!(walk.visited(), candidates);
        let sorted_items = query.sorted_by_key(|item| std::cmp::Reverse(item.0));
        assert!(sorted_items.map(|(entity, _)| entity.index()).eq(expected.iter().rev().copied()));
        #[cfg(feature = "parallel")]
        if cfg!(not(miri)) {
            let found = std::sync::Mutex::new(Vec::new());
            query.par_for_each(|(entity, _)| found.lock().expect("no panic").push(entity.index()));
            assert_eq!(sorted(found.into_inner().expect("no panic")), expected);
        }
    }
}

/// Every mode of every component named, in all combinations.
macro_rules! all_modes {
    ($zoo:ident, $q:ty, $f:ty, $wanted:expr $(,)?) => {
        $zoo.check::<$q, $f>($wanted);
    };
    ($zoo:ident, $q:ty, $f:ty, $wanted:expr, $c:ident $bit:ident $($rest:tt)*) => {{
        let wanted = $wanted;
        all_modes!($zoo, ($q, &'static $c), $f, move |set| wanted(set) && set & $bit != 0, $($rest)*);
        all_modes!($zoo, ($q, &'static mut $c), $f, move |set| wanted(set) && set & $bit != 0, $($rest)*);
        all_modes!($zoo, (Option<&'static mut $c>, $q), $f, wanted, $($rest)*);
        all_modes!($zoo, ($q, Has<$c>), $f, wanted, $($rest)*);
        all_modes!($zoo, $q, ($f, With<$c>), move |set| wanted(set) && set & $bit != 0, $($rest)*);
        all_modes!($zoo, $q, (Without<$c>, $f), move |set| wanted(set) && set & $bit == 0, $($rest)*);
    }};
}

/// For Miri a few of the combinations do.
const FEW: bool = cfg!(miri);

#[test]
fn a_table_and_a_sparse_component_in_all_modes() {
    let mut zoo = Zoo::new();
    if FEW {
        zoo.check::<(&A, Option<&mut S>), ()>(|set| set & A_ != 0);
        zoo.check::<(&mut A, &mut S), ()>(|set| set & (A_ | S_) == A_ | S_);
        return;
    }
    all_modes!(zoo, (), (), |_: u32| true, A A_ S S_);
}

#[test]
fn two_sparse_components_in_all_modes() {
    let mut zoo = Zoo::new();
    if FEW {
        zoo.check::<(&R, &mut S), ()>(|set| set & (R_ | S_) == R_ | S_);
        return;
    }
    all_modes!(zoo, (), (), |_: u32| true, R R_ S S_);
}

#[test]
fn two_tags_of_either_storage_in_all_modes() {
    let mut zoo = Zoo::new();
    if FEW {
        zoo.check::<(&T, &mut U), ()>(|set| set & (T_ | U_) == T_ | U_);
        return;
    }
    all_modes!(zoo, (), (), |_: u32| true, T T_ U U_);
}

#[test]
fn two_table_components_in_several_modes() {
    let mut zoo = Zoo::new();
    zoo.check::<(&A, Option<&mut B>), ()>(|set| set & A_ != 0);
    zoo.check::<(&mut A, &B), ()>(|set| set & (A_ | B_) == A_ | B_);
    zoo.check::<(Has<A>, &mut B), ()>(|set| set & B_ != 0);
    zoo.check::<(&A, Has<B>), Without<T>>(|set| set & A_ != 0 && set & T_ == 0);
    zoo.check::<Option<(&A, &B)>, ()>(|_| true);
    zoo.check::<(), (With<A>, Without<B>)>(|set| set & A_ != 0 && set & B_ == 0);
}

#[test]
fn any_of_finds_entities_with_at_least_one_member() {
    let mut zoo = Zoo::new();
    zoo.check::<AnyOf<(&A, &B)>, ()>(|set| set & (A_ | B_) != 0);
    zoo.check::<AnyOf<(&A, &mut S)>, ()>(|set| set & (A_ | S_) != 0);
    zoo.check::<AnyOf<(&R, &S)>, ()>(|set| set & (R_ | S_) != 0);
    zoo.check::<AnyOf<(&T, &U)>, ()>(|set| set & (T_ | U_) != 0);
    zoo.check::<(&B, AnyOf<(&A, &S)>), Without<R>>(|set| set & B_ != 0 && set & (A_ | S_) != 0 && set & R_ == 0);
    zoo.check::<AnyOf<((&A, &S), &R)>, ()>(|set| set & (A_ | S_) == A_ | S_ || set & R_ != 0);
    zoo.check::<(AnyOf<(&A, &B)>, AnyOf<(&S, &R)>), ()>(|set| set & (A_ | B_) != 0 && set & (S_ | R_) != 0);
    zoo.check::<Option<AnyOf<(&A, &S)>>, With<B>>(|set| set & B_ != 0);
    zoo.check::<AnyOf<(Option<&A>, &S)>, ()>(|_| true);
}

#[test]
fn or_finds_entities_that_match_at_least_one_member() {
    let mut zoo = Zoo::new();
    zoo.check::<(), Or<(With<A>, With<B>)>>(|set| set & (A_ | B_) != 0);
    zoo.check::<&A, Or<(With<B>, Without<S>)>>(|set| set & A_ != 0 && (set & B_ != 0 || set & S_ == 0));
    zoo.check::<&S, Or<(With<R>, With<T>)>>(|set| set & S_ != 0 && set & (R_ | T_) != 0);
    zoo.check::<(), Or<(With<S>, With<R>)>>(|set| set & (S_ | R_) != 0);
    zoo.check::<(), Or<((With<A>, Without<U>), (With<S>, With<T>))>>(|set| {
        (set & A_ != 0 && set & U_ == 0) || set & (S_ | T_) == S_ | T_
    });
    zoo.check::<(), (Or<(With<A>, With<S>)>, Or<(Without<B>, With<R>)>)>(|set| {
        set & (A_ | S_) != 0 && (set & B_ == 0 || set & R_ != 0)
    });
    zoo.check::<&B, Or<(Or<(With<A>, With<S>)>, Without<T>)>>(|set| {
        set & B_ != 0 && (set & (A_ | S_) != 0 || set & T_ == 0)
    });
}

#[test]
fn exact_allows_nothing_that_is_not_named() {
    let mut zoo = Zoo::new();
    zoo.check::<(), Exact>(|set| set == 0);
    zoo.check::<&A, Exact>(|set| set == A_);
    zoo.check::<(&A, &S), Exact>(|set| set == A_ | S_);
    zoo.check::<(&mut R, &S), Exact>(|set| set == R_ | S_);
    zoo.check::<&A, (With<T>, With<U>, Exact)>(|set| set == A_ | T_ | U_);
    zoo.check::<(&A, Option<&S>, Has<R>), Exact>(|set| set & !(S_ | R_) == A_);
    zoo.check::<&A, (Exact, Without<B>)>(|set| set == A_);
    zoo.check::<AnyOf<(&A, &S)>, Exact>(|set| set & (A_ | S_) != 0 && set & !(A_ | S_) == 0);
    zoo.check::<&B, (Exact, Or<(With<T>, With<R>)>)>(|set| {
        set & B_ != 0 && set & (T_ | R_) != 0 && set & !(B_ | T_ | R_) == 0
    });
}

#[test]
fn items_are_those_of_their_entities() {
    let mut zoo = Zoo::new();
    let mut seen = 0;
    for (entity, a, s, r, has, (b, u), any) in
        zoo.world.query::<(Entity, &A, Option<&S>, Option<&mut R>, Has<T>, (Option<&B>, Has<U>), AnyOf<(&S, &B)>)>()
    {
        let (index, set) = (entity.index(), zoo.sets[entity.index() as usize]);
        let value = |bit: u32| (set & bit != 0).then_some(index);
        assert_eq!(a.0, index);
        assert_eq!((s.map(|s| s.0), r.map(|r| r.0), b.map(|b| b.0)), (value(S_), value(R_), value(B_)));
        assert_eq!((has, u), (set & T_ != 0, set & U_ != 0));
        assert_eq!((any.0.map(|s| s.0), any.1.map(|b| b.0)), (value(S_), value(B_)));
        seen += 1;
    }
    assert_eq!(seen, COPIES * 24, "24 of the 32 sets with A have S or B");
    for (r, entity) in zoo.world.query::<(&mut R, Entity)>() {
        assert_eq!(r.0, entity.index());
        r.0 += 1;
    }
    let all: Vec<Entity> = zoo.world.entities().collect();
    let query = zoo.world.query::<(&R, Entity)>();
    for entity in all {
        if let Some((r, found)) = query.get(entity) {
            assert_eq!((r.0, found), (entity.index() + 1, entity));
        }
    }
}

#[test]
fn order_is_that_of_tables_and_rows() {
    let mut world = World::new();
    let plain = world.spawn_batch((0..3).map(A)).to_vec();
    let with_b = world.spawn_batch((3..6).map(|n| (A(n), B(n)))).to_vec();
    let late = world.spawn(A(6));
    let order: Vec<Entity> = world.query::<(Entity, &A)>().iter().map(|(entity, _)| entity).collect();
    assert_eq!(order, [&plain[..], &[late], &with_b[..]].concat());
    world.despawn(plain[0]).expect("alive");
    let order: Vec<Entity> = world.query::<(Entity, &A)>().iter().map(|(entity, _)| entity).collect();
    assert_eq!(order, [&[late], &plain[1..], &with_b[..]].concat(), "the last row fills the hole");
}

#[test]
fn a_prepared_query_serves_two_worlds_alternately() {
    let (mut one, mut two) = (World::new(), World::new());
    // The same types get other ids in the other world.
    two.register::<S>();
    two.register::<B>();
    one.spawn((A(1), S(1)));
    two.spawn((S(2), B(2), A(2)));
    two.spawn((A(3), S(3)));
    let mut query = Prepared::<(&mut A, &S), Without<T>>::new();
    for round in 0..4 {
        assert_eq!(query.on(&mut one).iter_mut().map(|(a, s)| (a.0, s.0)).collect::<Vec<_>>(), [(1, 1)]);
        assert_eq!(query.on(&mut two).count(), 2 + round);
        two.spawn((A(10), S(10)));
    }
    let mut nothing = World::new();
    assert_eq!(query.on(&mut nothing).count(), 0);
    assert_eq!(query.on(&mut one).count(), 1);
    let copy = query.clone();
    assert_eq!(format!("{copy:?}"), "Prepared((&mut A, &S) filtered by Without<T>)");
}

#[test]
fn a_prepared_query_sees_new_archetypes_and_types_registered_later() {
    let mut world = World::new();
    let mut query = Prepared::<(&A, Option<&S>, Has<T>), Without<R>>::new();
    assert_eq!(query.on(&mut world).count(), 0, "nothing is registered yet");
    let first = world.spawn(A(1));
    assert_eq!(query.on(&mut world).single().expect("one").1, None);
    world.insert(first, S(5)).expect("alive");
    assert_eq!(query.on(&mut world).single().expect("one").1, Some(&S(5)));
    world.insert(first, T).expect("alive");
    assert!(query.on(&mut world).single().expect("one").2);
    world.spawn((A(2), B(2)));
    assert_eq!(query.on(&mut world).count(), 2);
    world.insert(first, R(1)).expect("alive");
    assert_eq!(query.on(&mut world).single().expect("one").0, &A(2));
}

#[test]
fn a_prepared_query_stays_right_after_tables_are_reclaimed() {
    let mut world = World::new();
    let mut query = Prepared::<(Entity, &A), Without<T>>::new();
    let moving = world.spawn((A(1), T));
    world.spawn((A(2), B(2)));
    assert_eq!(query.on(&mut world).count(), 1);
    world.remove::<T>(moving).expect("alive");
    assert_eq!(query.on(&mut world).count(), 2);
    assert_eq!(world.reclaim(), 1, "the table of A and T");
    assert_eq!(query.on(&mut world).count(), 2);
    // A new set of components takes the slot of the old one.
    world.spawn((B(3), T));
    world.spawn((A(4), B(4), T));
    let found: Vec<u32> = query.on(&mut world).iter().map(|(_, a)| a.0).collect();
    assert_eq!(found, [2, 1]);
    world.clear();
    assert!(world.reclaim() > 0);
    assert_eq!(query.on(&mut world).count(), 0);
    let again = world.spawn(A(5));
    assert_eq!(query.on(&mut world).single(), Ok((again, &A(5))));
    world.validate().expect("consistent");
}

#[test]
fn a_prepared_query_stays_right_after_a_takeover() {
    let mut world = World::new();
    let all = world.spawn_batch((0..10).map(A)).to_vec();
    let mut without = Prepared::<(Entity, &A), Without<B>>::new();
    let mut with = Prepared::<(Entity, &mut A, &B)>::new();
    for round in 0..3 {
        assert_eq!((without.on(&mut world).count(), with.on(&mut world).count()), (10, 0));
        world.insert_where_with::<With<A>, _>(|entity| B(entity.index() + round));
        assert_eq!((without.on(&mut world).count(), with.on(&mut world).count()), (0, 10));
        for (entity, a, b) in with.on(&mut world) {
            assert_eq!((a.0, b.0), (entity.index(), entity.index() + round));
        }
        assert!(all.iter().all(|entity| with.on(&mut world).contains(*entity)));
        world.remove_where::<With<B>, B>();
    }
}

#[test]
fn a_shared_world_can_be_asked_by_several_queries_at_once() {
    let mut world = World::new();
    world.spawn((A(1), S(2)));
    let (mut first, mut second) = (Prepared::<&A>::new(), Prepared::<(&A, &S)>::new());
    let (a, both) = (first.on_shared(&world), second.on_shared(&world));
    let (one, two) = (a.iter(), a.iter());
    assert_eq!(one.zip(two).zip(&both).map(|((x, y), (z, s))| x.0 + y.0 + z.0 + s.0).sum::<u32>(), 5);
}

#[test]
fn chunks_are_the_columns_of_each_table() {
    let mut world = World::new();
    world.spawn_batch((0..4).map(A));
    world.spawn_batch((4..6).map(|n| (B(n), T, A(n))));
    world.spawn((B(9), T));
    let mut seen = Vec::new();
    for (entities, a, b, tags, has) in world.query::<(Entity, &mut A, Option<&B>, Option<&T>, Has<B>)>().chunks() {
        assert_eq!((entities.len(), entities.is_empty()), (a.len(), false));
        assert_eq!(entities.iter().map(Entity::index).collect::<Vec<_>>(), a.iter().map(|a| a.0).collect::<Vec<_>>());
        assert_eq!((entities.get(0).map(Entity::index), entities.get(99)), (Some(a[0].0), None));
        assert_eq!(
            (b.map(<[B]>::len), tags.map(<[T]>::len)),
            if has { (Some(a.len()), Some(a.len())) } else { (None, None) }
        );
        seen.push(a.len());
        a.fill(A(7));
    }
    assert_eq!(seen, [4, 2]);
    assert!(world.query::<&A>().iter().all(|a| a.0 == 7));
}

#[test]
fn sorted_walks_break_ties_by_entity() {
    let mut world = World::new();
    let all: Vec<Entity> = (0..20)
        .map(|n| if n % 2 == 0 { world.spawn((A(n % 3), S(n))) } else { world.spawn((A(n % 3), B(n), S(n))) })
        .collect();
    let mut expected: Vec<(u32, Entity)> = all.iter().map(|e| (world.get::<A>(*e).expect("has it").0, *e)).collect();
    expected.sort();
    let by_key: Vec<_> = world.query::<(&A, Entity)>().sorted_by_key(|i| i.0.0).map(|(a, e)| (a.0, e)).collect();
    assert_eq!(by_key, expected);
    let mut query = world.query::<(&A, Entity, &mut S)>();
    let compared: Vec<_> = query
        .sorted_by(|x, y| x.0.0.cmp(&y.0.0))
        .map(|(a, e, s)| {
            s.0 += 1;
            (a.0, e)
        })
        .collect();
    assert_eq!(compared, expected);
    assert_eq!(world.query::<&S>().iter().map(|s| s.0).sum::<u32>(), 190 + 20);
}

#[test]
fn several_entities_are_looked_up_at_once() {
    let mut world = World::new();
    let (a, b, bare) = (world.spawn((A(1), S(1))), world.spawn((A(2), S(2))), world.spawn(A(3)));
    let mut query = world.query::<(&mut A, &S)>();
    let [(second, _), (first, _)] = query.get_many_mut([b, a]).expect("both match");
    std::mem::swap(first, second);
    let twice = query.get_many_mut([a, b, a]).map(|_| ()).expect_err("twice");
    assert!(twice.twice && twice.entity == a);
    assert!(twice.to_string().contains("error[Q003]: entity 0v0 was asked for twice"), "{twice}");
    let lacking = query.get_many_mut([a, bare]).map(|_| ()).expect_err("lacks S");
    assert!(!lacking.twice && lacking.entity == bare);
    assert!(lacking.to_string().contains("&S: lacks `S`   <- this is why"), "{lacking}");
    let shared = world.query::<&A>();
    assert_eq!(shared.get_many([a, b, a]), Ok([&A(2), &A(1), &A(2)]));
}

#[test]
fn single_and_first_say_what_they_found() {
    let mut world = World::new();
    assert!(world.query::<&A>().first().is_none());
    let none = world.query_filtered::<&mut A, Without<S>>().single_mut().expect_err("none");
    assert_eq!((none.found, none.query.as_str()), (0, "&mut A filtered by Without<S>"));
    world.spawn(A(1));
    assert_eq!(world.query::<&A>().single(), Ok(&A(1)));
    world.spawn((A(2), B(2)));
    let two = world.query::<&A>().single().expect_err("two");
    assert!(two.to_string().contains("found: 2"), "{two}");
    assert_eq!(world.query::<&A>().first(), Some(&A(1)));
}

#[test]
fn an_explanation_names_what_is_there_and_what_is_why() {
    let mut world = World::new();
    let entity = world.spawn((A(1), R(2)));
    world.register::<S>();
    let why = world.query_filtered::<(&A, &mut S, Has<T>), Without<R>>().explain(entity);
    assert_eq!(
        why.to_string(),
        "entity 0v0 does not match (&A, &mut S, Has<T>) filtered by Without<R>\n  \
         &A: has `A`\n  \
         &mut S: lacks `S`   <- this is why\n  \
         Has<T>: lacks `T`\n  \
         filter Without<R>: has `R`   <- this is why"
    );
    let yes = world.query::<&A>().explain(entity);
    assert_eq!(yes.to_string(), "entity 0v0 matches &A\n  &A: has `A`");
    let exact = world.query_filtered::<&A, Exact>().explain(entity);
    assert_eq!(
        exact.to_string(),
        "entity 0v0 does not match &A filtered by Exact\n  &A: has `A`\n  filter Exact: also has `R`   <- this is why"
    );
    let alternatives = world.query_filtered::<(), Or<(With<S>, With<T>)>>().explain(entity);
    assert!(
        alternatives
            .to_string()
            .ends_with("\n  filter Or<(With<S>, With<T>)>: none of the alternatives holds   <- this is why"),
        "{alternatives}"
    );
    world.despawn(entity).expect("alive");
    let dead = world.query::<&A>().explain(entity);
    assert!(!dead.matches && dead.dead.is_some());
    assert!(dead.to_string().contains("  it is not alive: it was despawned"), "{dead}");
}

/// The attribute of a field is the term; its type is what the term yields.
#[test]
fn a_field_of_a_derived_query_can_have_a_term_of_another_type() {
    #[derive(Query)]
    struct Found<'w, X: Component> {
        a: &'w mut A,
        x: Option<&'w X>,
        #[query(Has<X>)]
        is_marked: bool,
        #[query(AnyOf<(&S, &'w mut R)>)]
        either: (Option<&'w S>, Option<&'w mut R>),
        /// Attributes of others stay as they are.
        #[expect(dead_code, reason = "nobody reads it")]
        #[query(Has<B>)]
        has_b: bool,
    }

    let mut world = World::new();
    world.spawn(A(0));
    world.spawn((A(1), S(10)));
    world.spawn((A(2), R(20), T));
    world.spawn((A(3), S(30), R(30), T));
    let mut query = world.query::<Found<T>>();
    for found in &mut query {
        found.a.0 += 100;
        assert_eq!(found.x.is_some(), found.is_marked);
        if let Some(r) = found.either.1 {
            r.0 += 1;
        }
    }
    let found: Vec<_> = query
        .iter_mut()
        .map(|found| (found.a.0, found.is_marked, found.either.0.map(|s| s.0), found.either.1.map(|r| r.0)))
        .collect();
    assert_eq!(found, [(101, false, Some(10), None), (102, true, None, Some(21)), (103, true, Some(30), Some(31))]);
}

#[test]
fn the_plan_says_what_a_walk_would_look_at() {
    let mut world = World::new();
    world.spawn_batch((0..10).map(|n| (A(n), S(n))));
    world.spawn_batch((0..5).map(|n| (A(n), B(n))));
    let plan = world.query::<&A>().plan();
    assert_eq!((plan.driver, plan.candidates), (Driver::Tables(2), 15));
    let plan = world.query::<(&A, &S)>().plan();
    assert_eq!((plan.driver, plan.candidates), (Driver::SparseSet("S".into()), 10));
    let plan = world.query::<(&A, Option<&S>)>().plan();
    assert_eq!((plan.driver, plan.candidates), (Driver::Tables(2), 15));
    let query = world.query::<&S>();
    assert_eq!(query.plan().to_string(), "walks 10 values of sparse component `S`");
    let mut walk = query.iter();
    walk.next();
    walk.next();
    assert_eq!(walk.visited(), 2);
}

/// Whether two terms conflict is found at run time where the compiler cannot see it.
#[test]
fn conflicting_terms_of_generic_components_are_refused() {
    struct Wrapped<X>(X);
    impl<X: Send + Sync + 'static> Component for Wrapped<X> {}
    let error = Prepared::<(&mut Wrapped<u8>, &Wrapped<u8>)>::try_new().map(|_| ()).expect_err("conflict");
    assert!(error.to_string().contains("first: &mut Wrapped<u8>\n  second: &Wrapped<u8>"), "{error}");
    assert!(Prepared::<(&mut Wrapped<u8>, Option<&mut Wrapped<u8>>)>::try_new().is_err());
    assert!(Prepared::<(&mut Wrapped<u8>, AnyOf<(&Wrapped<u8>, &A)>)>::try_new().is_err());
    assert!(Prepared::<(&Wrapped<u8>, &Wrapped<u8>, &mut Wrapped<u16>)>::try_new().is_ok());
    assert!(Prepared::<(&mut Wrapped<u8>, Has<Wrapped<u8>>), With<Wrapped<u8>>>::try_new().is_ok());
    let message = crate::hostile::panic_of(|| World::new().query::<(&mut Wrapped<u8>, &Wrapped<u8>)>().count());
    assert!(message.contains("error[Q001]"), "{message}");
}
