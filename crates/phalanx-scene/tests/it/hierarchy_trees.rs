//! Whole trees: copied while somebody looks on, and moved to another world.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Check, TransferError, Wish};
use phalanx_scene::{ChildOf, Kinship, Parent, Relation, Targeted};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Component, Clone, Debug, PartialEq)]
struct Number(u32);

#[derive(Relation, Clone, Copy)]
#[relation(target_ends = "despawn")]
struct DockedAt(Entity);

#[derive(Relation, Clone, Copy)]
struct Follows(Entity);

/// `0 [1 [2] 3]`: a tree as text, by number.
fn shown(world: &World, top: Entity) -> String {
    let number = world.get::<Number>(top).map_or_else(|| "?".into(), |number| number.0.to_string());
    let below: Vec<String> = world.children(top).map(|child| shown(world, child)).collect();
    if below.is_empty() { number } else { format!("{number} [{}]", below.join(" ")) }
}

/// `0 [1 [2 3 [4]] 5 [6]]`
fn tree(world: &mut World) -> Vec<Entity> {
    let all: Vec<Entity> = world.spawn_batch((0..7).map(Number)).into_iter().collect();
    for (child, parent) in [(1, 0), (2, 1), (3, 1), (4, 3), (5, 0), (6, 5)] {
        world.attach(all[child], all[parent]).unwrap();
    }
    all
}

const WHOLE: &str = "0 [1 [2 3 [4]] 5 [6]]";

#[test]
fn observers_may_end_copies_of_a_tree() {
    let mut world = World::new();
    let all = tree(&mut world);
    world.observe::<ChildOf>(Act::Insert, |trigger| {
        let entity = trigger.entity();
        trigger.defer(move |world| drop(world.despawn(entity)));
    });
    let copy = world.clone_tree(all[0]).unwrap();
    assert_eq!((shown(&world, all[0]), shown(&world, copy)), (WHOLE.into(), "0".into()));
    assert_eq!(world.alive(), 8);
    world.validate().unwrap();

    // Only the copy of 3, once it is below that of 1; and then the one of 1, with what is below.
    for (ended, left) in [(3, "0 [1 [2] 5 [6]]"), (1, "0 [5 [6]]")] {
        let mut world = World::new();
        let all = tree(&mut world);
        let originals = all.clone();
        world.observe::<ChildOf>(Act::Insert, move |trigger| {
            let entity = trigger.entity();
            let parent = trigger.world().parent(entity);
            let is_below_copy = parent.is_some_and(|parent| !originals.contains(&parent));
            if is_below_copy && trigger.world().get::<Number>(entity) == Some(&Number(ended)) {
                trigger.defer(move |world| drop(world.despawn(entity)));
            }
        });
        let copy = world.clone_tree(all[0]).unwrap();
        assert_eq!((shown(&world, all[0]), shown(&world, copy)), (WHOLE.into(), left.into()));
        world.validate().unwrap();
    }
}

#[test]
fn observers_may_put_copies_of_a_tree_elsewhere() {
    // All are detached as they come.
    let mut world = World::new();
    let all = tree(&mut world);
    world.observe::<ChildOf>(Act::Insert, |trigger| {
        let entity = trigger.entity();
        trigger.defer(move |world| drop(world.detach(entity)));
    });
    let copy = world.clone_tree(all[0]).unwrap();
    assert_eq!((shown(&world, all[0]), shown(&world, copy)), (WHOLE.into(), "0".into()));
    assert_eq!(world.alive(), 14);
    world.validate().unwrap();

    // The copy of the top is put below the first that comes, so that this can no longer be put below it.
    let mut world = World::new();
    let all = tree(&mut world);
    let mut once = true;
    world.observe::<ChildOf>(Act::Insert, move |trigger| {
        let entity = trigger.entity();
        if std::mem::take(&mut once) {
            trigger.defer(move |world| {
                let top = world.entities().filter(|top| world.get::<Number>(*top) == Some(&Number(0))).last().unwrap();
                world.attach(top, entity).unwrap();
            });
        }
    });
    let alive = world.alive();
    let copy = world.clone_tree(all[0]).unwrap();
    assert_eq!(shown(&world, all[0]), WHOLE);
    assert!(!world.is_alive(copy) && world.alive() == alive, "it ended with the one that could not be put below it");
    world.validate().unwrap();

    // Originals end while they are copied.
    let mut world = World::new();
    let all = tree(&mut world);
    let (first, mut once) = (all[1], true);
    world.observe::<ChildOf>(Act::Insert, move |trigger| {
        if std::mem::take(&mut once) {
            trigger.defer(move |world| world.despawn(first).unwrap());
        }
    });
    let copy = world.clone_tree(all[0]).unwrap();
    assert_eq!((shown(&world, all[0]), shown(&world, copy)), ("0 [5 [6]]".into(), "0 [1 5 [6]]".into()));
    world.validate().unwrap();
}

#[test]
fn a_tree_that_cannot_be_copied_leaves_nothing_whatever_observers_do() {
    #[derive(Component)]
    struct Unique;
    let mut world = World::new();
    let all = tree(&mut world);
    world.insert(all[6], Unique).unwrap();
    world.observe::<ChildOf>(Act::Insert, |trigger| {
        let entity = trigger.entity();
        trigger.defer(move |world| drop(world.detach(entity)));
    });
    assert!(world.clone_tree(all[0]).is_err());
    assert_eq!((world.alive(), shown(&world, all[0])), (7, WHOLE.into()));
    world.validate().unwrap();
}

#[test]
fn a_tree_moves_to_another_world_with_its_links() {
    let (mut here, mut there) = (World::new(), World::new());
    there.spawn_batch((0..100).map(Number));
    let all = tree(&mut here);
    let mother = here.spawn(Number(9));
    here.attach(all[0], mother).unwrap();
    let moved = here.move_tree(all[0], &mut there).unwrap();
    assert_eq!((shown(&there, moved), there.parent(moved)), (WHOLE.into(), None));
    assert_eq!((here.alive(), shown(&here, mother), here.has::<Parent>(mother)), (1, "9".into(), false));
    here.validate().unwrap();
    there.validate().unwrap();
    // And back again, below somebody; and one without children.
    let back = there.move_tree(moved, &mut here).unwrap();
    here.attach(back, mother).unwrap();
    assert_eq!(shown(&here, mother), format!("9 [{WHOLE}]"));
    let six = here.descendants(back).last().unwrap();
    let leaf = here.move_tree(six, &mut there).unwrap();
    assert_eq!((shown(&there, leaf), shown(&here, back)), ("6".into(), "0 [1 [2 3 [4]] 5]".into()));
    assert_eq!(there.alive(), 101);
    assert!(matches!(here.move_tree(all[0], &mut there), Err(TransferError::Dead(dead)) if dead.entity == all[0]));
    here.validate().unwrap();
    there.validate().unwrap();
}

#[test]
fn relations_within_a_tree_that_moves_end_nobody() {
    let (mut here, mut there) = (World::new(), World::new());
    let all = tree(&mut here);
    let [outside, follower, stranger] = [(); 3].map(|()| here.spawn(()));
    // Targets that move before their sources, after them, and around in a circle.
    for (source, target) in [(0, 6), (6, 2), (2, 0), (4, 5)] {
        here.insert(all[source], DockedAt(all[target])).unwrap();
    }
    here.insert(all[3], Follows(all[4])).unwrap();
    here.insert(follower, Follows(all[1])).unwrap();
    here.insert(stranger, DockedAt(all[2])).unwrap();
    here.insert(all[5], DockedAt(outside)).unwrap();
    let moved = here.move_tree(all[0], &mut there).unwrap();
    assert_eq!(shown(&there, moved), WHOLE);
    assert!(there.read_filtered::<Entity, Or<(With<DockedAt>, With<Follows>)>>().count() == 0);
    // Who stays behind fares as with anybody who goes.
    assert!(!here.is_alive(stranger) && !here.has::<Follows>(follower) && here.is_alive(outside));
    assert!(!here.has::<Targeted<DockedAt>>(outside));
    assert_eq!(here.alive(), 2);
    here.validate().unwrap();
    there.validate().unwrap();
}

#[test]
fn who_ends_because_a_tree_moves_does_not_take_parts_of_it_along() {
    let (mut here, mut there) = (World::new(), World::new());
    let all = tree(&mut here);
    let [ancestor, middle, bystander] = [(); 3].map(|()| here.spawn(()));
    // Above the tree somebody ends with a leaf of it; another part is docked at one who does, too.
    here.attach(middle, ancestor).unwrap();
    here.attach(all[0], middle).unwrap();
    here.insert(ancestor, DockedAt(all[6])).unwrap();
    here.insert(bystander, DockedAt(all[4])).unwrap();
    here.insert(all[1], DockedAt(bystander)).unwrap();
    let moved = here.move_tree(all[0], &mut there).unwrap();
    assert_eq!((shown(&there, moved), here.alive()), (WHOLE.into(), 0));
    here.validate().unwrap();
    there.validate().unwrap();
}

/// Cannot come into a world that has a `Ban`.
#[derive(Component, Clone, Copy)]
#[component(check)]
struct Guest;

#[derive(Resource)]
struct Ban;

impl Check for Guest {
    fn check(world: &World, _: &[Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if world.has_resource::<Ban>() { Err("guests are not welcome".into()) } else { Ok(()) }
    }
}

#[test]
fn a_tree_of_which_one_cannot_move_stays_whole() {
    let (mut here, mut there) = (World::new(), World::new());
    // What can be known before changes nothing at all.
    let all = tree(&mut here);
    here.insert(all[5], DockedAt(all[1])).unwrap();
    let uuid = here.new_uuid();
    here.insert(all[3], uuid).unwrap();
    let holder = there.spawn(uuid);
    let before = (here.checksum(), there.checksum());
    let error = here.move_tree(all[0], &mut there).unwrap_err();
    assert!(matches!(&error, TransferError::Uuid(_)), "{error}");
    assert!(error.to_string().contains("hierarchy_trees.rs:"), "{error}");
    assert_eq!((here.checksum(), there.checksum()), before);
    there.despawn(holder).unwrap();

    // What shows on the way brings those back who had gone.
    there.insert_resource(Ban);
    here.insert(all[1], Guest).unwrap();
    let error = here.move_tree(all[0], &mut there).unwrap_err();
    assert!(matches!(&error, TransferError::Refused(_)), "{error}");
    assert!(error.to_string().contains("hierarchy_trees.rs:"), "{error}");
    assert_eq!((there.alive(), here.alive(), shown(&here, all[0])), (0, 7, WHOLE.into()));
    assert!(here.is_alive(all[1]) && here.has::<Guest>(all[1]));
    assert_eq!(here.by_uuid(&uuid), here.last_child(all[1]));
    here.validate().unwrap();
    there.validate().unwrap();
    // The top itself cannot: it keeps its place.
    here.remove::<Guest>(all[1]).unwrap();
    here.insert(all[0], Guest).unwrap();
    let mother = here.spawn(Number(9));
    let [before, after] = [7, 8].map(|number| here.spawn(Number(number)));
    here.attach_all([before, all[0], after], mother).unwrap();
    assert!(here.move_tree(all[0], &mut there).is_err());
    assert_eq!((there.alive(), here.alive(), shown(&here, mother)), (0, 10, format!("9 [7 {WHOLE} 8]")));
    here.validate().unwrap();
    here.detach(all[0]).unwrap();
    here.despawn(mother).unwrap();
    there.remove_resource::<Ban>();
    let moved = here.move_tree(all[0], &mut there).unwrap();
    assert_eq!((shown(&there, moved), here.alive()), (WHOLE.into(), 0));
    there.validate().unwrap();
}

#[test]
fn observers_of_both_worlds_may_change_a_tree_that_moves() {
    // One ends while others leave; one is put elsewhere.
    let (mut here, mut there) = (World::new(), World::new());
    let all = tree(&mut here);
    let haven = here.spawn(Number(8));
    let (four, five, two) = (all[4], all[5], all[2]);
    here.observe::<Number>(Act::Despawn, move |trigger| {
        if trigger.entity() == four {
            trigger.defer(move |world| {
                world.attach(two, haven).unwrap();
                let _ = world.despawn(five);
            });
        }
    });
    let moved = here.move_tree(all[0], &mut there).unwrap();
    assert_eq!((shown(&there, moved), shown(&here, haven)), ("0 [1 [3 [4]] 5 [6]]".into(), "8 [2]".into()));
    here.validate().unwrap();
    there.validate().unwrap();

    // In the other world they find parents of their own, and ends.
    let (mut here, mut there) = (World::new(), World::new());
    let all = tree(&mut here);
    let king = there.spawn(Number(8));
    there.observe::<Number>(Act::Insert, move |trigger| {
        let (entity, number) = (trigger.entity(), trigger.get::<Number>().unwrap().0);
        trigger.defer(move |world| match number {
            2 => drop(world.attach(entity, king)),
            3 => drop(world.despawn(entity)),
            _ => {}
        });
    });
    let moved = here.move_tree(all[0], &mut there).unwrap();
    assert_eq!((shown(&there, moved), shown(&there, king)), ("0 [1 5 [6]]".into(), "8 [2]".into()));
    assert_eq!((here.alive(), there.alive()), (0, 7));
    here.validate().unwrap();
    there.validate().unwrap();
}

#[test]
fn a_panic_of_an_observer_does_not_keep_a_tree_from_moving() {
    for there_too in [false, true] {
        let (mut here, mut there) = (World::new(), World::new());
        let all = tree(&mut here);
        let four = all[4];
        here.observe::<Number>(Act::Remove, move |trigger| assert!(trigger.entity() != four, "told"));
        if there_too {
            there.observe::<ChildOf>(Act::Insert, |_| panic!("told"));
        }
        assert!(catch_unwind(AssertUnwindSafe(|| here.move_tree(all[0], &mut there))).is_err());
        assert_eq!((here.alive(), there.alive()), (0, 7));
        let top = there.entities().find(|top| there.get::<Number>(*top) == Some(&Number(0))).unwrap();
        assert_eq!(shown(&there, top), "0 [1 [2 3] 5 [6]]", "nobody knows what became of 4");
        here.validate().unwrap();
        there.validate().unwrap();
    }
}

#[test]
fn deep_and_wide_trees_move_in_time() {
    let count = if cfg!(debug_assertions) { 30_000 } else { 500_000 };
    for fan in [1, 4, count] {
        let (mut here, mut there) = (World::new(), World::new());
        let all: Vec<Entity> = here.spawn_batch((0..count).map(|_| ())).into_iter().collect();
        here.insert_batch(&all[1..], (0..count - 1).map(|number| ChildOf(all[number / fan]))).unwrap();
        let moved = here.move_tree(all[0], &mut there).unwrap();
        assert_eq!(there.descendants(moved).count(), count - 1);
        assert_eq!(here.alive(), 0);
        there.validate().unwrap();
    }
}
