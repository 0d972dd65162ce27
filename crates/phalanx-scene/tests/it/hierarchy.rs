//! Parents and children: attaching, detaching, walking, ending.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Act, BundleBuilder, DynValue};
use phalanx_scene::{ChildOf, Hierarchy, HierarchyError, Kinship, Parent, Place};

#[derive(Component, Clone, Debug, PartialEq)]
struct Number(u32);

#[derive(Component, Clone)]
struct Extra(String);

/// `[0 [1 [2] 3]]`: a tree as text, by number.
fn shown(world: &World, top: Entity) -> String {
    let number = world.get::<Number>(top).map_or_else(|| "?".into(), |number| number.0.to_string());
    let below: Vec<String> = world.children(top).map(|child| shown(world, child)).collect();
    if below.is_empty() { number } else { format!("{number} [{}]", below.join(" ")) }
}

/// Entities with the numbers 0, 1, 2, …
fn numbered(world: &mut World, count: u32) -> Vec<Entity> {
    world.spawn_batch((0..count).map(Number)).into_iter().collect()
}

#[test]
fn children_keep_their_order_and_can_change_it() {
    let mut world = World::new();
    let all = numbered(&mut world, 6);
    world.attach_all(&all[1..5], all[0]).unwrap();
    assert_eq!(shown(&world, all[0]), "0 [1 2 3 4]");
    world.attach_at(all[4], all[0], Place::First).unwrap();
    assert_eq!(shown(&world, all[0]), "0 [4 1 2 3]");
    world.attach_at(all[1], all[0], Place::After(all[3])).unwrap();
    assert_eq!(shown(&world, all[0]), "0 [4 2 3 1]");
    world.attach_at(all[5], all[0], Place::Before(all[3])).unwrap();
    assert_eq!(shown(&world, all[0]), "0 [4 2 5 3 1]");
    world.attach(all[4], all[0]).unwrap();
    assert_eq!(shown(&world, all[0]), "0 [2 5 3 1 4]");
    world.detach(all[3]).unwrap();
    assert_eq!(shown(&world, all[0]), "0 [2 5 1 4]");
    assert!(world.children(all[0]).rev().eq([all[4], all[1], all[5], all[2]]));
    world.validate().unwrap();
}

#[test]
fn it_makes_no_difference_by_which_route_a_child_comes() {
    let mut world = World::new();
    let mother = world.spawn(Number(0));
    world.spawn((Number(1), ChildOf(mother)));
    world.spawn_batch((2..4).map(|number| (Number(number), ChildOf(mother))));
    world.spawn_columns((vec![Number(4)], vec![ChildOf(mother)])).unwrap();
    let [five, six, seven, eight] = [5, 6, 7, 8].map(|number| world.spawn(Number(number)));
    world.insert(five, ChildOf(mother)).unwrap();
    let id = world.register::<ChildOf>();
    world.insert_dyn(six, id, DynValue::new(ChildOf(mother))).unwrap();
    world.entity_mut(seven).unwrap().insert(ChildOf(mother));
    let mut bundle = BundleBuilder::new();
    bundle.add(ChildOf(mother)).add(Extra("more".into()));
    world.insert_bundle_dyn(eight, bundle).unwrap();
    let mut commands = world.commands();
    commands.spawn((Number(9), ChildOf(mother)));
    let ten = commands.spawn(Number(10));
    commands.insert(ten, ChildOf(mother));
    world.apply(&mut commands).unwrap();
    let eleven = world.clone_entity(five).unwrap();
    world.insert(eleven, Number(11)).unwrap();
    assert_eq!(shown(&world, mother), "0 [1 2 3 4 5 6 7 8 9 10 11]");
    world.validate().unwrap();
}

#[test]
fn it_makes_no_difference_by_which_route_a_child_goes() {
    let mut world = World::new();
    let mother = world.spawn(Number(0));
    let all: Vec<Entity> = (1..=9).map(|number| world.spawn((Number(number), ChildOf(mother)))).collect();
    world.remove::<ChildOf>(all[0]).unwrap();
    world.despawn(all[1]).unwrap();
    world.despawn_lazy(all[2]).unwrap();
    world.take::<(ChildOf, Number)>(all[3]).unwrap();
    world.retain::<Number>(all[4]).unwrap();
    let mut other = World::new();
    world.move_entity(all[5], &mut other).unwrap();
    let mut commands = world.commands();
    commands.remove::<ChildOf>(all[6]);
    world.apply(&mut commands).unwrap();
    assert_eq!(shown(&world, mother), "0 [8 9]");
    assert_eq!(world.remove_where::<(), ChildOf>(), 2);
    assert_eq!(shown(&world, mother), "0");
    assert!(!world.has::<Parent>(mother));
    world.validate().unwrap();
    other.validate().unwrap();
    assert_eq!(other.query::<&ChildOf>().count(), 0);
}

#[test]
fn links_survive_every_move_of_rows() {
    let mut world = World::new();
    let all = numbered(&mut world, 50);
    for (number, child) in all.iter().enumerate().skip(1) {
        world.attach(*child, all[(number - 1) / 3]).unwrap();
    }
    let before = shown(&world, all[0]);
    for child in all.iter().step_by(3) {
        world.insert(*child, Extra("moves the row".into())).unwrap();
    }
    world.insert_where::<Without<Extra>, _>(Extra("all at once".into()));
    world.remove_where::<(), Extra>();
    let others = world.spawn_batch((0..20).map(Number));
    world.despawn_batch(&others).unwrap();
    world.shrink();
    assert_eq!(shown(&world, all[0]), before);
    world.validate().unwrap();
}

#[test]
fn circles_are_refused_and_shown() {
    let mut world = World::new();
    let all = numbered(&mut world, 1001);
    for pair in all.windows(2) {
        world.attach(pair[1], pair[0]).unwrap();
    }
    let before = world.checksum();
    let circle = |error: HierarchyError| match error {
        HierarchyError::Circle { path, .. } => path,
        other => panic!("{other}"),
    };
    assert_eq!(circle(world.attach(all[5], all[5]).unwrap_err()), [all[5], all[5]]);
    assert_eq!(circle(world.attach(all[5], all[6]).unwrap_err()), [all[5], all[6], all[5]]);
    let path = circle(world.attach(all[0], all[999]).unwrap_err());
    assert_eq!((path.len(), path[0], path[1], path[1000]), (1001, all[0], all[999], all[0]));
    assert!(world.insert(all[2], ChildOf(all[4])).unwrap_err().to_string().contains("2v0 → 4v0 → 3v0 → 2v0"));
    assert!(world.attach_all([all[900], all[3]], all[7]).is_err());
    assert_eq!(world.checksum(), before);
    world.validate().unwrap();
}

#[test]
fn a_circle_that_a_batch_would_close_is_refused_as_a_whole() {
    let mut world = World::new();
    let [a, b, c, d] = [(); 4].map(|()| world.spawn(()));
    world.attach(d, c).unwrap();
    let error = world.insert_batch([a, b, c], [ChildOf(b), ChildOf(d), ChildOf(a)]).unwrap_err();
    assert!(error.to_string().contains("its own ancestor"), "{error}");
    assert_eq!([a, b, c].map(|entity| world.parent(entity)), [None; 3]);
    // What comes last for an entity counts.
    world.insert_batch([a, b, a], [ChildOf(b), ChildOf(d), ChildOf(c)]).unwrap();
    assert_eq!([a, b].map(|entity| world.parent(entity)), [Some(c), Some(d)]);
    // What holds in between counts too: somebody may look.
    world.detach(a).unwrap();
    world.detach(b).unwrap();
    assert!(world.insert_batch([a, b, a], [ChildOf(b), ChildOf(a), ChildOf(c)]).is_err());
    assert_eq!([a, b].map(|entity| world.parent(entity)), [None; 2]);
    world.validate().unwrap();
}

#[test]
fn who_is_not_alive_can_be_neither_parent_nor_child() {
    let mut world = World::new();
    let [dead, alive] = [world.spawn(()), world.spawn(())];
    world.despawn(dead).unwrap();
    assert!(matches!(world.attach(dead, alive), Err(HierarchyError::Dead(found)) if found.entity == dead));
    assert!(matches!(world.attach(alive, dead), Err(HierarchyError::Dead(found)) if found.entity == dead));
    assert!(world.insert(alive, ChildOf(dead)).is_err());
    assert!(world.try_spawn(ChildOf(dead)).is_err());
    assert!(world.detach(dead).is_err() && world.detach_children(dead).is_err() && world.despawn_alone(dead).is_err());
    let child = world.spawn(());
    assert!(matches!(world.attach_at(child, alive, Place::Before(dead)), Err(HierarchyError::Dead(_))));
    assert!(matches!(world.attach_at(child, alive, Place::After(child)), Err(HierarchyError::NoSibling { .. })));
    assert_eq!((world.alive(), world.parent(alive)), (2, None));
    world.validate().unwrap();
}

#[test]
fn descendants_end_with_an_entity_by_every_route() {
    let tree = |world: &mut World| {
        let all = numbered(world, 6);
        for (child, parent) in [(1, 0), (2, 1), (3, 1), (4, 0)] {
            world.attach(all[child], all[parent]).unwrap();
        }
        all
    };
    type Route = fn(&mut World, &[Entity]);
    let routes: [Route; 7] = [
        |world, all| world.despawn(all[1]).unwrap(),
        |world, all| assert_eq!(world.despawn_batch([all[3], all[1], all[2]]).unwrap(), 3),
        |world, all| assert_eq!(world.despawn_batch([all[1], all[3]]).unwrap(), 2),
        |world, all| world.despawn_lazy(all[1]).unwrap(),
        |world, all| {
            let mut commands = world.commands();
            commands.despawn(all[1]);
            world.apply(&mut commands).unwrap();
        },
        |world, all| {
            world.move_entity(all[1], &mut World::new()).unwrap();
        },
        |world, all| {
            world.insert(all[1], Extra("marked".into())).unwrap();
            assert_eq!(world.despawn_where::<With<Extra>>(), 1);
        },
    ];
    for (number, route) in routes.into_iter().enumerate() {
        let mut world = World::new();
        let all = tree(&mut world);
        route(&mut world, &all);
        assert_eq!(
            all.iter().map(|entity| world.is_alive(*entity)).collect::<Vec<_>>(),
            [true, false, false, false, true, true],
            "route {number}"
        );
        assert_eq!(shown(&world, all[0]), "0 [4]", "route {number}");
        world.validate().unwrap();
        world.clear();
        world.validate().unwrap();
    }
}

#[test]
fn an_entity_can_go_alone_and_its_children_stay() {
    let mut world = World::new();
    let all = numbered(&mut world, 4);
    for (child, parent) in [(1, 0), (2, 1), (3, 2)] {
        world.attach(all[child], all[parent]).unwrap();
    }
    world.despawn_alone(all[1]).unwrap();
    assert_eq!((shown(&world, all[0]), shown(&world, all[2])), ("0".into(), "2 [3]".into()));
    assert!(!world.has::<Parent>(all[0]));
    world.validate().unwrap();
}

#[test]
fn an_index_that_is_used_again_has_no_old_links() {
    let mut world = World::new();
    for _ in 0..5 {
        let mother = world.spawn(Number(0));
        let child = world.spawn((Number(1), ChildOf(mother)));
        assert_eq!(world.children(mother).len(), 1);
        world.despawn(mother).unwrap();
        assert!(!world.is_alive(child));
        assert_eq!(world.children(mother).len(), 0, "a handle of an earlier life has none");
        assert_eq!(world.parent(child), None);
        world.validate().unwrap();
    }
}

#[test]
fn observers_find_links_in_order_and_hear_of_every_parent() {
    #[derive(Event)]
    struct Seen(Act, Entity, Option<Entity>, usize);
    let mut world = World::new();
    for act in [Act::Insert, Act::Replace, Act::Remove] {
        world.observe::<ChildOf>(act, |trigger| {
            let (act, entity) = (trigger.act().unwrap(), trigger.entity());
            let parent = trigger.world().parent(entity);
            let children = parent.map_or(0, |parent| trigger.world().children(parent).len());
            trigger.send(Seen(act, entity, parent, children));
        });
    }
    let [a, b, child] = [(); 3].map(|()| world.spawn(()));
    world.attach(child, a).unwrap();
    world.attach(child, b).unwrap();
    world.attach_at(child, b, Place::First).unwrap();
    world.despawn(b).unwrap();
    let seen: Vec<_> = world.events::<Seen>().iter().map(|seen| (seen.0, seen.1, seen.2, seen.3)).collect();
    assert_eq!(
        seen,
        [
            (Act::Insert, child, Some(a), 1),
            (Act::Replace, child, Some(a), 1),
            (Act::Insert, child, Some(b), 1),
            // The end of its parent cut the link before.
            (Act::Remove, child, None, 0),
        ]
    );
    world.validate().unwrap();
}

#[test]
fn a_tree_is_copied_with_its_links() {
    let mut world = World::new();
    let all = numbered(&mut world, 6);
    for (child, parent) in [(1, 0), (2, 1), (3, 2), (4, 1), (5, 0)] {
        world.attach(all[child], all[parent]).unwrap();
    }
    let copy = world.clone_tree(all[1]).unwrap();
    assert_eq!(shown(&world, all[0]), "0 [1 [2 [3] 4] 5 1 [2 [3] 4]]");
    assert_eq!(world.parent(copy), Some(all[0]));
    let alive = world.alive();
    #[derive(Component)]
    struct Unique;
    world.insert(all[4], Unique).unwrap();
    assert!(world.clone_tree(all[0]).is_err());
    assert_eq!(world.alive(), alive, "all or nothing");
    assert_eq!(shown(&world, all[0]), "0 [1 [2 [3] 4] 5 1 [2 [3] 4]]");
    world.validate().unwrap();
}

#[test]
fn equal_hierarchies_have_equal_checksums_whatever_happened_before() {
    let build = |detour: bool| {
        let mut world = World::new();
        let all = numbered(&mut world, 5);
        if detour {
            world.attach(all[4], all[3]).unwrap();
            world.attach(all[1], all[4]).unwrap();
            world.detach_children(all[4]).unwrap();
            world.detach(all[4]).unwrap();
        }
        world.attach_all([all[2], all[1]], all[0]).unwrap();
        (world, all)
    };
    let ((mut one, all), (two, _)) = (build(false), build(true));
    assert_eq!(one.content_checksum(), two.content_checksum());
    assert!(one.content_checksum().is_complete());
    one.attach_at(all[2], all[0], Place::Last).unwrap();
    assert_ne!(one.content_checksum(), two.content_checksum(), "the order of children counts");
}

#[test]
fn a_million_deep_and_a_million_wide() {
    let count = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
    // A chain, made in one operation: each is the child of the one before.
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..count).map(|_| ())).into_iter().collect();
    world.insert_batch(&all[1..], all.iter().map(|parent| ChildOf(*parent))).unwrap();
    assert_eq!((world.depth(all[count - 1]), world.root(all[count - 1])), (count - 1, all[0]));
    assert_eq!(world.descendants(all[0]).count(), count - 1);
    assert_eq!(world.levels(all[0]).last(), Some((count - 1, all[count - 1])));
    assert!(world.attach(all[0], all[count - 1]).is_err());
    world.validate().unwrap();
    world.despawn(all[0]).unwrap();
    assert_eq!(world.alive(), 0);
    world.validate().unwrap();

    let mother = world.spawn(());
    let brood: Vec<Entity> = world.spawn_batch((1..count).map(|_| ChildOf(mother))).into_iter().collect();
    assert_eq!(world.children(mother).len(), count - 1);
    for child in brood.iter().step_by(3) {
        world.despawn(*child).unwrap();
    }
    for child in brood.iter().skip(1).step_by(3) {
        world.attach_at(*child, mother, Place::First).unwrap();
    }
    world.validate().unwrap();
    world.despawn(mother).unwrap();
    assert_eq!(world.alive(), 0);
}

#[test]
fn a_hierarchy_can_be_read_by_who_is_lent_it() {
    let mut world = World::new();
    assert!(world.get_resource::<Hierarchy>().is_none());
    let mother = world.spawn(());
    let child = world.spawn(ChildOf(mother));
    let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    assert_eq!((hierarchy.parent(child), hierarchy.root(child), hierarchy.depth(child)), (Some(mother), mother, 1));
}

#[test]
fn refusals_say_whom_they_are_about_and_what_to_do() {
    let mut world = World::new();
    let [body, arm, hand] = ["Body", "Arm", "Hand"].map(|name| world.spawn(Name::new(name)));
    world.attach(arm, body).unwrap();
    world.attach(hand, arm).unwrap();
    let text = |error: HierarchyError| {
        let text = error.to_string();
        let line = text.lines().find(|line| line.contains("asked by")).unwrap().to_owned();
        assert!(line.contains("hierarchy.rs:"), "{line}");
        text.replace(&line, "  asked by: LINE")
    };
    assert_eq!(
        text(world.attach(body, hand).unwrap_err()),
        "error[H002]: entity 0v0 \"Body\" cannot become a child of entity 2v0 \"Hand\", which is its descendant\n  \
         circle: 0v0 \"Body\" → 2v0 \"Hand\" → 1v0 \"Arm\" → 0v0 \"Body\"\n  asked by: LINE\n  \
         help: detach one of the others first; nothing was changed"
    );
    assert_eq!(
        text(world.attach(arm, arm).unwrap_err()),
        "error[H002]: entity 1v0 \"Arm\" cannot become its own child\n  circle: 1v0 \"Arm\" → 1v0 \"Arm\"\n  asked by: LINE\n  \
         help: detach one of the others first; nothing was changed"
    );
    let stone = world.spawn(());
    assert_eq!(
        text(world.attach_at(stone, body, Place::Before(hand)).unwrap_err()),
        "error[H003]: entity 3v0 cannot get a place beside entity 2v0\n  found: it is no child of entity 0v0\n  asked by: LINE\n  \
         help: name a child of the parent it is to have; `Place::First` and `Place::Last` need none"
    );
}

#[derive(Event)]
struct Go;

#[test]
fn a_parent_that_ends_before_it_is_marked_takes_its_children_along() {
    let mut world = World::new();
    let [parent, other] = [world.spawn(()), world.spawn(())];
    world.observe_event::<Go>(move |_, trigger| {
        let commands = trigger.commands();
        commands.spawn(ChildOf(parent));
        commands.despawn(parent);
    });
    world.trigger(Go, other);
    assert_eq!(world.alive(), 1);
    world.validate().unwrap();

    // While one is given another parent, that one ends.
    let [old, new, child] = [(); 3].map(|()| world.spawn(()));
    world.attach(child, old).unwrap();
    world.observe::<ChildOf>(Act::Replace, move |trigger| trigger.commands().despawn(new));
    world.insert(child, ChildOf(new)).unwrap();
    assert!(!world.is_alive(child));
    world.validate().unwrap();

    // Somebody is attached to who is about to end.
    let mut world = World::new();
    let [top, stranger] = [world.spawn(()), world.spawn(())];
    let middle = world.spawn(ChildOf(top));
    world.observe_event::<Go>(move |_, trigger| {
        trigger.defer(move |world| {
            world.despawn(top).unwrap();
            world.attach(stranger, middle).unwrap();
        });
    });
    world.trigger(Go, stranger);
    assert_eq!(world.alive(), 0);
    world.validate().unwrap();
}

#[test]
fn observers_may_change_what_they_are_told_of() {
    // The child goes.
    let mut world = World::new();
    let [parent, child] = [world.spawn(()), world.spawn(())];
    world.observe::<ChildOf>(Act::Insert, |trigger| {
        let entity = trigger.entity();
        trigger.defer(move |world| drop(world.despawn(entity)));
    });
    world.attach_at(child, parent, Place::First).unwrap();
    assert!(!world.is_alive(child) && world.children(parent).len() == 0);
    world.validate().unwrap();

    // Parent and child change places.
    let mut world = World::new();
    let [parent, child] = [world.spawn(()), world.spawn(())];
    let mut once = true;
    world.observe::<ChildOf>(Act::Insert, move |trigger| {
        if std::mem::take(&mut once) {
            trigger.defer(move |world| {
                world.detach(child).unwrap();
                world.attach(parent, child).unwrap();
            });
        }
    });
    world.attach_at(child, parent, Place::First).unwrap();
    assert_eq!((world.parent(parent), world.parent(child)), (Some(child), None));
    world.validate().unwrap();

    // Who is no parent any more gets another child; and one finds another parent.
    let mut world = World::new();
    let [parent, other, new] = [(); 3].map(|()| world.spawn(()));
    let [stays, goes] = [(); 2].map(|()| world.spawn(ChildOf(parent)));
    let mut once = true;
    world.observe::<Parent>(Act::Remove, move |trigger| {
        if std::mem::take(&mut once) {
            trigger.defer(move |world| {
                world.attach(new, parent).unwrap();
                world.attach(goes, other).unwrap();
            });
        }
    });
    world.remove::<Parent>(parent).unwrap();
    assert!(world.children(parent).eq([new]) && world.children(other).eq([goes]));
    assert_eq!(world.parent(stays), None);
    world.validate().unwrap();
}

#[test]
fn a_panic_of_who_observes_one_parent_leaves_no_other_unmarked() {
    let mut world = World::new();
    let parents: Vec<Entity> = world.spawn_batch([(), (), ()]).into_iter().collect();
    let mut once = true;
    world.observe::<Parent>(Act::Insert, move |_| assert!(!std::mem::take(&mut once), "once"));
    let attach = std::panic::AssertUnwindSafe(|| {
        world.spawn_batch(parents.iter().map(|parent| ChildOf(*parent)));
    });
    assert!(std::panic::catch_unwind(attach).is_err());
    assert!(parents.iter().all(|parent| world.has::<Parent>(*parent)));
    world.validate().unwrap();
}

#[test]
fn an_edit_of_parents_in_one_move_ties_once_though_somebody_panics() {
    let mut world = World::new();
    let [old, new] = [world.spawn(()), world.spawn(())];
    let child = world.spawn(ChildOf(old));
    world.observe::<ChildOf>(Act::Remove, |_| panic!("observer"));
    let edit = std::panic::AssertUnwindSafe(|| {
        let mut child = world.entity_mut(child).unwrap();
        child.remove::<ChildOf>();
        child.insert(ChildOf(new));
    });
    assert!(std::panic::catch_unwind(edit).is_err());
    assert!(world.children(new).eq([child]) && world.children(old).len() == 0);
    world.validate().unwrap();
}

#[test]
fn thousands_of_families_come_and_go_at_once() {
    let mut world = World::new();
    let somebody = world.spawn(());
    world.observe_event::<Go>(|_, trigger| {
        let commands = trigger.commands();
        for _ in 0..15_000 {
            let parent = commands.spawn(Number(0));
            commands.spawn(ChildOf(parent));
        }
    });
    world.trigger(Go, somebody);
    assert_eq!(world.query_filtered::<Entity, With<Parent>>().count(), 15_000);
    world.validate().unwrap();
    let parents: Vec<Entity> = world.query_filtered::<Entity, With<Parent>>().iter().collect();
    let mut commands = world.commands();
    for parent in parents {
        commands.despawn(parent);
    }
    world.apply(&mut commands).unwrap();
    assert_eq!(world.alive(), 1);
    world.validate().unwrap();
}

/// Does something in which somebody panics.
fn panics(act: impl FnOnce()) {
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(act)).is_err());
}

#[test]
fn an_observer_of_former_parents_that_panics_leaves_no_new_one_unmarked() {
    for all_at_once in [false, true] {
        let mut world = World::new();
        let [old, new, child, grandchild] = [(); 4].map(|()| world.spawn(()));
        world.attach(child, old).unwrap();
        world.attach(grandchild, child).unwrap();
        world.observe::<Parent>(Act::Remove, |_| panic!("told"));
        panics(|| {
            if all_at_once {
                world.attach_all([child], new).unwrap();
            } else {
                world.attach(child, new).unwrap();
            }
        });
        assert!(world.has::<Parent>(new) && !world.has::<Parent>(old) && world.children(new).eq([child]));
        world.validate().unwrap();
        panics(|| world.despawn(new).unwrap());
        assert!(!world.is_alive(child) && !world.is_alive(grandchild));
        world.validate().unwrap();
    }
}

#[test]
fn a_child_takes_its_place_though_an_observer_panics() {
    let mut world = World::new();
    let mother = world.spawn(());
    let [a, b, c] = [(); 3].map(|()| world.spawn(ChildOf(mother)));
    let [new, far] = [(); 2].map(|()| world.spawn(()));
    world.observe::<ChildOf>(Act::Insert, |_| panic!("told"));
    panics(|| world.attach_at(new, mother, Place::First).unwrap());
    assert!(world.children(mother).eq([new, a, b, c]));
    panics(|| world.attach_all([far, b], mother).unwrap());
    assert!(world.children(mother).eq([new, a, c, far, b]));
    world.validate().unwrap();
}

#[test]
fn attach_all_attaches_all_before_anybody_is_told() {
    // Who is told that there is a parent less despawns one of the children, or has its own ideas.
    for with_new in [false, true] {
        let mut world = World::new();
        let [p, q, k1, k2, k3] = [(); 5].map(|()| world.spawn(()));
        world.attach(k1, q).unwrap();
        if !with_new {
            world.attach(k3, k2).unwrap();
        }
        world.observe::<Parent>(Act::Remove, move |trigger| {
            // The first that is told is told of `q`; after that one of them is gone.
            assert!(trigger.entity() != q || trigger.world().children(p).eq([k1, k3]), "all are there");
            trigger.defer(move |world| drop(world.despawn(k3)));
        });
        world.attach_all([k1, k3], p).unwrap();
        assert!(!world.is_alive(k3) && world.children(p).eq([k1]));
        world.validate().unwrap();
    }
    // One that is named again ends up last, wherever it came from.
    let mut world = World::new();
    let all = numbered(&mut world, 6);
    world.attach(all[3], all[2]).unwrap();
    world.attach(all[5], all[0]).unwrap();
    world.attach_all([all[1], all[1], all[3], all[5], all[4], all[3], all[5]], all[0]).unwrap();
    assert_eq!(shown(&world, all[0]), "0 [1 4 3 5]");
    assert!(!world.has::<Parent>(all[2]));
    world.validate().unwrap();
}

#[test]
fn attach_all_that_is_refused_leaves_everything_where_it_was() {
    let mut world = World::new();
    let all = numbered(&mut world, 8);
    world.attach_all([all[1], all[2], all[3]], all[0]).unwrap();
    world.attach(all[4], all[3]).unwrap();
    world.despawn(all[7]).unwrap();
    let before = (world.checksum(), shown(&world, all[0]));
    assert!(world.attach_all([all[2], all[4], all[5], all[7]], all[6]).is_err());
    assert!(world.attach_all([all[2], all[4], all[0]], all[4]).is_err());
    assert_eq!((world.checksum(), shown(&world, all[0])), before);
    world.validate().unwrap();
}

#[test]
fn an_entity_that_is_named_again_costs_no_more_than_any_other() {
    let count = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..count).map(|_| ())).into_iter().collect();
    world.insert_batch(&all[1..], all.iter().map(|parent| ChildOf(*parent))).unwrap();
    let (top, deep, deeper) = (all[0], all[count - 2], all[count - 1]);
    let [wanderer, below] = [(); 2].map(|()| world.spawn(()));
    world.attach(below, wanderer).unwrap();
    // The same one again and again, to the end of a long chain; and with many others who are given parents, too.
    let times = count / 2;
    world.insert_batch(vec![wanderer; times], vec![ChildOf(deeper); times]).unwrap();
    world.insert_batch(vec![wanderer; times], [ChildOf(deep), ChildOf(deeper)].into_iter().cycle()).unwrap();
    let and_all = || all[1..].iter().copied().chain(std::iter::repeat_n(wanderer, times));
    let parents = || all.iter().take(count - 1).copied().chain(std::iter::repeat_n(deeper, times));
    world.insert_batch(and_all(), parents().map(ChildOf)).unwrap();
    assert_eq!((world.parent(wanderer), world.depth(below)), (Some(deeper), count + 1));
    // A circle at the very end, or one that is there for a while.
    let error = world.insert_batch(and_all().chain([top]), parents().chain([below]).map(ChildOf)).unwrap_err();
    assert!(error.to_string().contains("its own ancestor"), "{error}");
    let error = world.insert_batch([top, wanderer, top], [below, top, wanderer].map(ChildOf)).unwrap_err();
    assert!(error.to_string().contains("its own ancestor"), "{error}");
    assert_eq!((world.parent(top), world.parent(wanderer)), (None, Some(deeper)));
    world.insert_batch([wanderer, top, top], [all[1], below, below].map(ChildOf)).unwrap_err();
    world.detach(wanderer).unwrap();
    world.insert_batch([top, top], [below, wanderer].map(ChildOf)).unwrap();
    assert_eq!(world.depth(deeper), count);
    world.validate().unwrap();
}

#[test]
fn a_hierarchy_that_was_taken_out_is_missed() {
    let mut world = World::new();
    let all = numbered(&mut world, 3);
    world.attach_all(&all[1..], all[0]).unwrap();
    let hierarchy = world.remove_resource::<Hierarchy>().unwrap();
    let broken = world.validate().unwrap_err().to_string();
    assert!(broken.contains("the resource `Hierarchy` was taken out"), "{broken}");
    world.insert_resource(hierarchy);
    world.validate().unwrap();
    world.despawn(all[0]).unwrap();
    world.remove_resource::<Hierarchy>();
    world.validate().unwrap();
}
