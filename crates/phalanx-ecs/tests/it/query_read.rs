//! Queries on a shared world, explanations, and crossing with filters.

use phalanx_ecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct A(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct B(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct S(u32);
#[derive(Component)]
struct Tag;

#[derive(Query)]
struct Both<'w> {
    a: &'w A,
    b: Option<&'w mut B>,
}

#[test]
fn a_shared_world_is_read_in_all_ways() {
    let mut world = World::new();
    let one = world.spawn(A(1));
    let two = world.spawn((A(2), B(20), S(200)));
    let world = &world;
    let all = world.read::<(Entity, &A, Option<&B>)>();
    assert_eq!(all.iter().collect::<Vec<_>>(), [(one, &A(1), None), (two, &A(2), Some(&B(20)))]);
    assert_eq!((all.count(), all.is_empty(), all.contains(two)), (2, false, true));
    assert_eq!(all.get(two), Some((two, &A(2), Some(&B(20)))));
    assert_eq!(all.first(), Some((one, &A(1), None)));
    assert_eq!(all.single().expect_err("two").found, 2);
    assert_eq!(world.read::<&S>().single(), Ok(&S(200)));
    assert_eq!(world.read_filtered::<&A, Without<B>>().single(), Ok(&A(1)));
    assert_eq!(world.read_filtered::<&A, With<S>>().into_iter().collect::<Vec<_>>(), [&A(2)]);
}

#[test]
fn what_is_read_outlives_the_query() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let items = [world.read::<&A>().single().unwrap(), world.read::<&A>().get(entity).unwrap()];
    assert_eq!((items, world.read::<&A>().first()), ([&A(1); 2], Some(&A(1))));
}

#[test]
fn a_kept_query_sees_what_came_between() {
    let mut world = World::new();
    let counts = |world: &World| (world.read::<&A>().count(), world.read_filtered::<Entity, With<Tag>>().count());
    assert_eq!(counts(&world), (0, 0), "no component is registered");
    world.spawn(A(1));
    assert_eq!(counts(&world), (1, 0));
    world.spawn((A(2), Tag));
    assert_eq!(counts(&world), (2, 1));
    world.query::<&mut A>().for_each(|a| a.0 += 1);
    world.spawn((A(3), Tag, B(3)));
    assert_eq!((world.query::<&A>().count(), counts(&world)), (3, (3, 2)), "one kind of query, asked for in both ways");
    world.despawn_where::<With<Tag>>();
    world.reclaim();
    assert_eq!(counts(&world), (1, 0), "tables are gone");
    world = World::new();
    assert_eq!(counts(&world), (0, 0), "another world");
}

#[test]
fn many_queries_of_a_shared_world_are_open_at_once() {
    let mut world = World::new();
    world.spawn((A(1), B(2), S(3)));
    let a = world.read::<&A>();
    let all =
        (world.read::<&B>(), world.read::<&S>(), world.read::<(&A, &B)>(), world.read::<&A>(), world.read::<Entity>());
    assert_eq!((a.single(), all.0.single(), all.1.single()), (Ok(&A(1)), Ok(&B(2)), Ok(&S(3))));
    assert_eq!((all.2.single(), all.3.single(), all.4.count()), (Ok((&A(1), &B(2))), Ok(&A(1)), 1));
}

#[test]
fn threads_that_ask_for_the_same_query_at_once_all_get_it() {
    let mut world = World::new();
    for round in 1..=20 {
        world.spawn((A(round), B(round)));
        if round % 2 == 0 {
            world.spawn((A(round), Tag));
            world.reclaim();
        }
        let total = world.query::<&A>().count();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let (all, with) = (world.read::<&A>(), world.read_filtered::<(&A, Entity), With<B>>());
                    assert_eq!((all.iter().count(), with.count()), (total, round as usize));
                });
            }
        });
    }
}

#[test]
fn crossing_can_be_filtered_on_both_sides() {
    let mut world = World::new();
    world.spawn_batch([(A(1), Tag), (A(2), Tag)]);
    world.spawn_batch([(A(10), B(0)), (A(20), B(0))]);
    world.spawn((A(100), B(0), S(0)));
    let mut met = Vec::new();
    world.cross_filtered::<&A, With<Tag>, (&A, &mut B), Without<S>>(|tagged, (other, count)| {
        count.0 += 1;
        met.push((tagged.0, other.0));
    });
    assert_eq!(met, [(1, 10), (1, 20), (2, 10), (2, 20)]);
    assert_eq!(world.read::<&B>().iter().map(|b| b.0).collect::<Vec<_>>(), [2, 2, 0]);
}

#[test]
fn an_explanation_names_the_query_as_it_was_written_and_its_filter_apart() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let query = |text: String| text.lines().next().expect("a line").to_owned();
    let explain =
        world.read_filtered::<(Entity, Option<(&A, Has<S>)>), (Without<B>, Or<(With<A>, With<S>)>)>().explain(entity);
    assert_eq!(
        query(explain.to_string()),
        "entity 0v0 matches (Entity, Option<(&A, Has<S>)>) filtered by (Without<B>, Or<(With<A>, With<S>)>)"
    );
    let explain = world.query::<(Entity, Both)>().explain(entity);
    assert_eq!(query(explain.to_string()), "entity 0v0 matches (Entity, Both)");
    assert_eq!(
        explain.terms.iter().map(|term| (term.term.as_str(), term.filter)).collect::<Vec<_>>(),
        [("&A", false), ("Option<&mut B>", false)]
    );
    for Both { a, b } in world.query::<Both>() {
        assert_eq!((a, b), (&A(1), None));
    }
}

#[test]
fn an_explanation_marks_every_cause() {
    let mut world = World::new();
    let entity = world.spawn((A(1), Tag));
    type Filters = (Or<(With<S>, Or<(With<B>, (With<A>, Without<Tag>))>)>, Without<Tag>, Or<(With<S>, With<B>)>, Exact);
    let explain = world.read_filtered::<(&B, AnyOf<(&S, &B)>, Option<&S>), Filters>().explain(entity);
    let text = explain.to_string();
    let causes: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_suffix("   <- this is why")).collect();
    assert_eq!(
        causes,
        [
            "&B: lacks `B`",
            "filter Without<Tag>: has `Tag`",
            "AnyOf<(&S, &B)>: none of the alternatives holds",
            "filter Or<(With<S>, Or<(With<B>, (With<A>, Without<Tag>))>)>: none of the alternatives holds",
            "filter Or<(With<S>, With<B>)>: none of the alternatives holds",
        ]
    );
}
