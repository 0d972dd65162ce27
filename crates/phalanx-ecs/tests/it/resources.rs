//! Resources: at most one of each type, and every reader learns once of every change.

use crate::hostile::{Ledger, Token, panic_of};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Resource, ResourceReader};

#[derive(Resource, Debug, PartialEq, Default)]
struct Score(u32);
#[derive(Resource, Debug, PartialEq)]
#[resource(name = "Pull")]
struct Gravity(f32);
#[derive(Resource)]
struct Marker;
#[derive(Resource)]
struct Stack<T>(Vec<T>);
#[derive(Resource)]
struct Held<const N: u8>(Token);
#[derive(Resource, Component, Event, Debug, PartialEq)]
struct Everything(u8);

fn held<const N: u8>() -> Held<N> {
    Held(Ledger::current().token())
}

#[test]
fn a_world_has_one_value_of_a_resource() {
    let mut world = World::new();
    assert!(!world.has_resource::<Score>() && world.get_resource::<Score>().is_none());
    assert_eq!(world.insert_resource(Score(1)), None);
    assert_eq!(world.insert_resource(Score(2)), Some(Score(1)));
    assert_eq!(world.resource::<Score>().expect("inserted"), &Score(2));
    assert_eq!(world.remove_resource(), Some(Score(2)));
    assert_eq!(world.remove_resource::<Score>(), None);
    assert!(!world.has_resource::<Score>() && world.get_resource_mut::<Score>().is_none());
    assert_eq!(world.insert_resource(Score(3)), None);
    assert_eq!(world.get_resource(), Some(&Score(3)));
}

#[test]
fn resources_of_different_types_are_kept_apart() {
    let mut world = World::new();
    world.insert_resource(Stack(vec![1u8]));
    world.insert_resource(Stack(vec!["a", "b"]));
    world.insert_resource(Marker);
    world.insert_resource(Everything(1));
    world.spawn(Everything(2));
    world.send(Everything(3));
    world.resource_mut::<Stack<u8>>().expect("inserted").0.push(2);
    assert_eq!(world.resource::<Stack<u8>>().expect("inserted").0, [1, 2]);
    assert_eq!(world.resource::<Stack<&str>>().expect("inserted").0, ["a", "b"]);
    assert!(world.has_resource::<Marker>());
    assert_eq!(world.resource::<Everything>().expect("inserted").0, 1);
    assert!(world.query::<&Everything>().iter().eq([&Everything(2)]));
    assert!(world.events::<Everything>().iter().eq([&Everything(3)]));
}

#[test]
fn a_world_holds_hundreds_of_resource_types() {
    struct Numbered<const N: usize>(usize);
    impl<const N: usize> Resource for Numbered<N> {}
    macro_rules! with_numbers {
        ($do:ident, $world:ident) => {
            with_numbers!(@ $do, $world, 0 1 2 3 4 5 6 7 8 9)
        };
        (@ $do:ident, $world:ident, $($n:literal)*) => {
            $($do::<$n>(&mut $world); $do::<{ $n + 10 }>(&mut $world); $do::<{ $n + 20 }>(&mut $world); $do::<{ $n + 30 }>(&mut $world);
              $do::<{ $n + 40 }>(&mut $world); $do::<{ $n + 50 }>(&mut $world); $do::<{ $n + 60 }>(&mut $world); $do::<{ $n + 70 }>(&mut $world);
              $do::<{ $n + 80 }>(&mut $world); $do::<{ $n + 90 }>(&mut $world); $do::<{ $n + 100 }>(&mut $world);)*
        };
    }
    fn insert<const N: usize>(world: &mut World) {
        assert!(world.insert_resource(Numbered::<N>(N)).is_none());
    }
    fn check<const N: usize>(world: &mut World) {
        assert_eq!(world.resource::<Numbered<N>>().expect("inserted").0, N);
    }
    let mut world = World::new();
    with_numbers!(insert, world);
    with_numbers!(check, world);
    assert_eq!(world.resources().count(), 110);
}

#[test]
fn a_resource_is_made_only_where_it_is_missing() {
    let mut world = World::new();
    let mut made = 0;
    for _ in 0..3 {
        world
            .resource_or_insert_with(|| {
                made += 1;
                Score(10)
            })
            .0 += 1;
    }
    assert_eq!((made, world.resource::<Score>().expect("inserted").0), (1, 13));
    assert_eq!(world.init_resource::<Score>().0, 13);
    world.remove_resource::<Score>();
    assert_eq!(world.init_resource::<Score>().0, 0);
}

#[test]
fn the_list_names_what_is_there_in_the_order_of_first_insertion() {
    let mut world = World::new();
    world.insert_resource(Gravity(1.0));
    world.insert_resource(Stack::<Score>(Vec::new()));
    world.insert_resource(Score(1));
    world.remove_resource::<Gravity>();
    assert!(world.resources().map(|info| info.name).eq(["Stack<Score>", "Score"]));
    world.insert_resource(Gravity(2.0));
    world.resource_mut::<Score>().expect("inserted").0 = 2;
    let list: Vec<_> = world.resources().collect();
    assert!(list.iter().map(|info| info.name).eq(["Pull", "Stack<Score>", "Score"]));
    assert!(list[0].added == list[0].changed && list[1].added < list[2].added && list[2].added < list[2].changed);
    assert_eq!((list[0].size, list[2].changed), (4, world.now()));
}

#[test]
fn a_reader_learns_once_of_each_change() {
    let mut world = World::new();
    let mut reader = ResourceReader::<Score>::new();
    assert!(!reader.changed(&world) && !reader.added(&world) && !reader.removed(&world));
    world.insert_resource(Score(0));
    assert!(reader.changed(&world) && !reader.changed(&world));
    world.resource_mut::<Score>().expect("there").0 += 1;
    world.resource_mut::<Score>().expect("there").0 += 1;
    assert!(reader.changed(&world) && !reader.changed(&world));
    world.insert_resource(Score(9));
    assert!(reader.changed(&world) && !reader.changed(&world));
}

#[test]
fn readers_take_nothing_from_each_other() {
    let mut world = World::new();
    world.insert_resource(Score(0));
    let (mut one, mut two) = (ResourceReader::<Score>::new(), ResourceReader::<Score>::new());
    assert!(one.changed(&world));
    let mut copy = one.clone();
    assert!(two.changed(&world) && !copy.changed(&world));
    world.resource_mut::<Score>().expect("there").0 += 1;
    assert!(one.changed(&world) && two.changed(&world) && copy.changed(&world));
}

#[test]
fn the_questions_of_a_reader_do_not_answer_each_other() {
    let mut world = World::new();
    let mut reader = ResourceReader::<Score>::new();
    world.insert_resource(Score(0));
    assert!(reader.changed(&world) && reader.added(&world) && !reader.removed(&world));
    world.insert_resource(Score(1));
    assert!(!reader.added(&world), "it was there");
    assert!(reader.changed(&world));
    world.remove_resource::<Score>();
    assert!(!reader.changed(&world) && !reader.added(&world), "it is not there");
    assert!(reader.removed(&world) && !reader.removed(&world));
    world.insert_resource(Score(2));
    world.remove_resource::<Score>();
    world.insert_resource(Score(3));
    assert!(reader.removed(&world) && reader.added(&world) && reader.changed(&world), "all of it happened");
    assert!(!reader.removed(&world) && !reader.added(&world) && !reader.changed(&world));
}

#[test]
fn what_is_gone_has_neither_come_nor_changed() {
    let mut world = World::new();
    world.insert_resource(Score(0));
    world.resource_mut::<Score>().expect("there").0 += 1;
    let (mut early, mut late) = (ResourceReader::<Score>::new(), ResourceReader::<Score>::new());
    assert!(!early.removed(&world));
    world.remove_resource::<Score>();
    assert!(early.removed(&world), "it was removed right after it was asked about");
    assert!(!early.added(&world) && !early.changed(&world));
    assert!(!late.added(&world) && !late.changed(&world) && late.removed(&world));
}

#[test]
fn a_change_of_another_resource_is_no_news() {
    let mut world = World::new();
    world.insert_resource(Score(0));
    let mut reader = ResourceReader::<Score>::new();
    assert!(reader.changed(&world));
    world.insert_resource(Gravity(1.0));
    world.resource_mut::<Gravity>().expect("there").0 = 2.0;
    world.remove_resource::<Gravity>();
    assert!(!reader.changed(&world) && !reader.removed(&world));
}

#[test]
fn only_writing_marks() {
    let mut world = World::new();
    world.insert_resource(Score(5));
    let before = world.now();
    let mut score = world.resource_mut::<Score>().expect("there");
    assert_eq!((score.0, format!("{score:?}")), (5, "Score(5)".into()));
    assert!(!score.set_if_neq(Score(5)));
    score.bypass().0 = 6;
    assert!(!world.resource_or_insert_with(|| Score(9)).set_if_neq(Score(6)));
    assert!(world.remove_resource::<Gravity>().is_none());
    assert_eq!(world.now(), before, "nothing was marked");
    let mut reader = ResourceReader::<Score>::new();
    assert!(reader.changed(&world) && !reader.changed(&world));
    assert!(world.resource_mut::<Score>().expect("there").set_if_neq(Score(7)));
    assert!(reader.changed(&world) && world.now() > before);
    assert_eq!(world.resource::<Score>().expect("there"), &Score(7));
}

#[test]
fn a_missing_resource_is_an_error_that_says_who_asked() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let error = world.resource::<Gravity>().expect_err("missing");
    assert_eq!((&*error.resource, &*error.type_name, error.removed), ("Pull", "Gravity", false));
    assert_eq!((error.present, error.caller.file()), (vec!["Score".to_owned()], file!()));
    world.remove_resource::<Score>();
    let error = world.resource_mut::<Score>().expect_err("removed");
    assert!(error.removed && error.present.is_empty() && error.caller.file() == file!());
}

#[test]
fn values_are_dropped_once() {
    let ledger = Ledger::new();
    {
        let mut world = World::new();
        world.insert_resource(held::<0>());
        let old = world.insert_resource(held::<0>());
        assert_eq!(ledger.alive(), 2);
        drop(old);
        world.insert_resource(held::<1>());
        drop(world.remove_resource::<Held<1>>());
        assert_eq!(ledger.alive(), 1);
        *world.resource_mut::<Held<0>>().expect("there") = held();
        assert_eq!(ledger.alive(), 1);
    }
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn panics_leave_resources_as_they_were() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let message = panic_of(|| world.resource_or_insert_with::<Score>(|| panic!("no score")).0);
    assert_eq!((message.as_str(), world.has_resource::<Score>()), ("no score", false));
    assert_eq!(world.now().count(), 0);

    world.insert_resource(held::<0>());
    let mut reader = ResourceReader::<Held<0>>::new();
    assert!(reader.changed(&world));
    ledger.drop_panics_at(1);
    panic_of(|| *world.resource_mut::<Held<0>>().expect("there") = held());
    assert!(world.has_resource::<Held<0>>() && reader.changed(&world));
    assert_eq!(ledger.alive(), 1);
}

#[test]
fn a_world_drops_all_resources_though_several_panic() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.insert_resource(held::<0>());
    world.insert_resource(held::<1>());
    world.insert_resource(held::<2>());
    ledger.all_drops_panic(true);
    assert_eq!(panic_of(|| drop(world)), "this drop panics");
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn resources_outlive_entities() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    world.spawn(());
    world.clear();
    world.shrink();
    assert_eq!(world.resource::<Score>().expect("there"), &Score(1));
}

#[test]
fn resources_are_counted() {
    let mut world = World::new();
    assert_eq!((world.memory().resources.live, world.memory().resources.reserved), (0, 0));
    world.insert_resource(Score(1));
    world.insert_resource(Stack(vec![1u64]));
    let memory = world.memory();
    assert_eq!(memory.resources.live, size_of::<Score>() + size_of::<Stack<u64>>());
    assert!(memory.resources.reserved > memory.resources.live && memory.reserved() > memory.resources.reserved);
    assert!(memory.to_string().contains("\nresources"), "{memory}");
    world.remove_resource::<Stack<u64>>();
    assert_eq!(world.memory().live(), size_of::<Score>());
}
