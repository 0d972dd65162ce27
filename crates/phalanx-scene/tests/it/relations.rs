//! Relations: by every route, with what happens when targets end, and against a naive book of who is related to whom.

use phalanx_ecs::prelude::*;
use phalanx_scene::{ChildOf, Kinship, Parent, Relation, RelationOne, Relations, TargetEnds, Targeted, Ties};
use std::collections::BTreeMap;

#[derive(Relation, Clone, Copy, PartialEq, Debug)]
struct Follows(Entity);

#[derive(Relation, Clone, Copy, PartialEq, Debug)]
#[relation(target_ends = "despawn")]
#[component(name = "Docked", storage = "sparse")]
struct DockedAt {
    berth: u32,
    port: Entity,
}

#[derive(Relation, Clone, Copy)]
#[relation(target_ends = "keep")]
struct Remembers(Entity);

#[derive(Relation, Clone, Copy)]
#[relation(many)]
struct Likes;

#[derive(Relation, Clone, Copy)]
#[relation(many, target_ends = "keep")]
struct Mourns;

fn some<const N: usize>(world: &mut World) -> [Entity; N] {
    [(); N].map(|()| world.spawn(()))
}

#[test]
fn sources_are_found_by_every_route_and_in_order() {
    let mut world = World::new();
    let [ann, bob, a, b, c] = some(&mut world);
    world.insert(b, Follows(ann)).unwrap();
    let batch = world.spawn_batch([Follows(ann), Follows(bob)]);
    let mut commands = world.commands();
    commands.insert(a, Follows(ann));
    let queued = commands.spawn(Follows(ann));
    world.apply(&mut commands).unwrap();
    world.insert_batch([c], [Follows(ann)]).unwrap();
    let copy = world.clone_entity(b).unwrap();
    assert!(world.sources::<Follows>(ann).eq([b, batch[0], a, queued, c, copy]));
    assert_eq!(world.target::<Follows>(batch[1]), Some(bob));
    assert!(world.has::<Targeted<Follows>>(ann) && world.has::<Targeted<Follows>>(bob));
    // Another target, nobody, and an end.
    world.insert(b, Follows(bob)).unwrap();
    world.remove::<Follows>(a).unwrap();
    world.despawn(queued).unwrap();
    assert!(world.sources::<Follows>(ann).eq([batch[0], c, copy]));
    assert!(world.sources::<Follows>(bob).eq([batch[1], b]));
    world.remove_where::<With<Follows>, Follows>();
    assert_eq!(world.sources::<Follows>(ann).len(), 0);
    assert!(!world.has::<Targeted<Follows>>(ann));
    world.validate().unwrap();
}

#[test]
fn a_source_goes_the_way_its_relation_says_when_the_target_ends() {
    let mut world = World::new();
    let [ann, duck, ship, widow, fan] = some(&mut world);
    world.insert(duck, Follows(ann)).unwrap();
    world.insert(ship, DockedAt { berth: 3, port: ann }).unwrap();
    world.insert(widow, Remembers(ann)).unwrap();
    world.relate::<Likes>(fan, ann).unwrap();
    world.relate::<Likes>(fan, duck).unwrap();
    world.relate::<Mourns>(fan, ann).unwrap();
    world.despawn(ann).unwrap();
    assert!(world.is_alive(duck) && !world.has::<Follows>(duck), "removed");
    assert!(!world.is_alive(ship), "despawned");
    assert_eq!((world.has::<Remembers>(widow), world.target::<Remembers>(widow)), (true, Some(ann)), "kept");
    assert!(world.targets::<Likes>(fan).eq([duck]));
    assert!(world.targets::<Mourns>(fan).eq([ann]));
    world.validate().unwrap();
    // What is kept can still be ended, and the index of the dead is no target.
    let reborn: Vec<Entity> = (0..3000).map(|_| world.spawn(())).collect();
    let again = reborn.iter().find(|entity| entity.index() == ann.index());
    assert!(again.is_none_or(|again| world.sources::<Mourns>(*again).len() == 0));
    assert!(world.unrelate::<Mourns>(fan, ann).unwrap() && !world.has::<Mourns>(fan));
    world.despawn(duck).unwrap();
    assert!(!world.has::<Likes>(fan), "the last one has gone");
    world.validate().unwrap();
}

#[test]
fn entities_that_despawn_with_their_targets_do_so_in_a_row() {
    let mut world = World::new();
    let port = world.spawn(());
    let mut last = port;
    for berth in 0..50 {
        last = world.spawn(DockedAt { berth, port: last });
    }
    world.despawn(port).unwrap();
    assert_eq!(world.alive(), 0);
    // Around in a circle, and to oneself.
    let [a, b] = some(&mut world);
    world.insert(a, DockedAt { berth: 0, port: b }).unwrap();
    world.insert(b, DockedAt { berth: 0, port: a }).unwrap();
    let own = world.spawn(());
    world.insert(own, DockedAt { berth: 0, port: own }).unwrap();
    world.despawn(a).unwrap();
    world.despawn(own).unwrap();
    assert_eq!(world.alive(), 0);
    world.validate().unwrap();
}

#[test]
fn a_relation_to_many_comes_and_goes_with_its_targets() {
    let mut world = World::new();
    let [ann, bob, cat] = some(&mut world);
    assert!(world.relate::<Likes>(ann, bob).unwrap() && world.relate::<Likes>(ann, cat).unwrap());
    assert!(!world.relate::<Likes>(ann, bob).unwrap(), "already");
    assert!(world.relate::<Likes>(ann, ann).unwrap());
    assert!(world.targets::<Likes>(ann).eq([bob, cat, ann]) && world.sources::<Likes>(ann).eq([ann]));
    assert!(world.unrelate::<Likes>(ann, cat).unwrap() && !world.is_related::<Likes>(ann, cat));
    assert!(!world.has::<Targeted<Likes>>(cat) && world.has::<Targeted<Likes>>(bob));
    // Who takes the component away ends all.
    world.remove::<Likes>(ann).unwrap();
    assert!(world.get_resource::<Ties<Likes>>().unwrap().is_empty());
    assert!(!world.has::<Targeted<Likes>>(bob));
    // Copies are related to nobody; the component alone is refused.
    world.relate::<Likes>(bob, cat).unwrap();
    let copy = world.clone_entity(bob).unwrap();
    assert!(!world.has::<Likes>(copy) && world.targets::<Likes>(copy).len() == 0);
    let refused = world.insert(cat, Likes).unwrap_err().to_string();
    assert!(refused.contains("it has no target: say `world.relate"), "{refused}");
    world.validate().unwrap();
}

#[test]
fn the_dead_are_refused_and_nothing_changes() {
    let mut world = World::new();
    let [ann, gone] = some(&mut world);
    world.despawn(gone).unwrap();
    let before = world.checksum();
    let refused = world.insert(ann, Follows(gone)).unwrap_err().to_string();
    assert!(refused.starts_with("error[C019]: component `Follows` cannot come into entity 0v0"), "{refused}");
    assert!(refused.contains("its target 1v0 is not alive"), "{refused}");
    assert!(world.relate::<Likes>(ann, gone).is_err() && world.relate::<Likes>(gone, ann).is_err());
    assert!(world.try_spawn_batch([Follows(ann), Follows(gone)]).is_err());
    assert!(world.unrelate::<Likes>(gone, ann).is_err());
    assert_eq!(world.checksum(), before);
    assert!(world.sources::<Follows>(gone).len() == 0 && world.targets::<Likes>(ann).len() == 0);
}

#[test]
fn in_another_world_an_entity_is_related_to_nobody() {
    let (mut here, mut there) = (World::new(), World::new());
    let [ann, bob] = some(&mut here);
    here.insert(bob, Follows(ann)).unwrap();
    here.relate::<Likes>(ann, bob).unwrap();
    let moved = here.move_entity(bob, &mut there).unwrap();
    assert!(!there.has::<Follows>(moved) && !there.has::<Targeted<Likes>>(moved));
    assert!(!here.has::<Likes>(ann) && !here.has::<Targeted<Follows>>(ann));
    here.validate().unwrap();
    there.validate().unwrap();
}

#[test]
fn what_is_declared_can_be_asked() {
    let mut world = World::new();
    let port = world.spawn(());
    assert_eq!(DockedAt { berth: 1, port }.target(), port);
    assert_eq!(DockedAt::TARGET_ENDS, TargetEnds::Despawn);
    assert_eq!(Follows::TARGET_ENDS, TargetEnds::Remove);
    let id = world.register::<DockedAt>();
    assert_eq!(world.components().info(id).unwrap().name(), "Docked");
}

/// Draws numbers.
struct Draw(u64);
impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

/// Who follows whom, and who likes whom, in the order in which it came about.
#[derive(Default)]
struct Book {
    alive: Vec<Entity>,
    follows: Vec<(Entity, Entity)>,
    likes: Vec<(Entity, Entity)>,
    docked: BTreeMap<u64, (Entity, Entity)>,
}

impl Book {
    fn end(&mut self, entity: Entity) {
        let mut ending = vec![entity];
        while let Some(entity) = ending.pop() {
            self.alive.retain(|other| *other != entity);
            self.follows.retain(|(source, target)| *source != entity && *target != entity);
            self.likes.retain(|(source, target)| *source != entity && *target != entity);
            self.docked.remove(&entity.to_bits());
            ending.extend(self.docked.values().filter(|(_, port)| *port == entity).map(|(ship, _)| *ship));
            self.docked.retain(|_, (_, port)| *port != entity);
        }
    }

    fn compare(&self, world: &World) {
        assert_eq!(world.alive(), self.alive.len());
        for &entity in &self.alive {
            let of = |pairs: &[(Entity, Entity)]| -> (Vec<Entity>, Vec<Entity>) {
                let targets = pairs.iter().filter(|(source, _)| *source == entity).map(|(_, target)| *target);
                let sources = pairs.iter().filter(|(_, target)| *target == entity).map(|(source, _)| *source);
                (targets.collect(), sources.collect())
            };
            let (targets, sources) = of(&self.follows);
            assert!(world.targets::<Follows>(entity).eq(targets) && world.sources::<Follows>(entity).eq(sources));
            let (targets, sources) = of(&self.likes);
            assert_eq!(world.has::<Likes>(entity), !targets.is_empty());
            assert_eq!(world.has::<Targeted<Likes>>(entity), !sources.is_empty());
            assert!(world.targets::<Likes>(entity).eq(targets) && world.sources::<Likes>(entity).eq(sources));
            let port = self.docked.get(&entity.to_bits()).map(|(_, port)| *port);
            assert_eq!(world.target::<DockedAt>(entity), port);
        }
        world.validate().unwrap();
    }
}

#[test]
fn random_operations_agree_with_a_naive_book() {
    for seed in 0..30 {
        let (mut draw, mut world, mut book) = (Draw(seed), World::new(), Book::default());
        for step in 0..400 {
            if book.alive.len() < 2 || draw.below(5) == 0 {
                book.alive.push(world.spawn(()));
                continue;
            }
            let [a, b] = [(); 2].map(|()| book.alive[draw.below(book.alive.len())]);
            match draw.below(8) {
                0 | 1 => {
                    world.insert(a, Follows(b)).unwrap();
                    book.follows.retain(|(source, _)| *source != a);
                    book.follows.push((a, b));
                }
                2 => {
                    world.remove::<Follows>(a).unwrap();
                    book.follows.retain(|(source, _)| *source != a);
                }
                3 | 4 => {
                    let is_new = !book.likes.contains(&(a, b));
                    assert_eq!(world.relate::<Likes>(a, b).unwrap(), is_new);
                    if is_new {
                        book.likes.push((a, b));
                    }
                }
                5 => {
                    assert_eq!(world.unrelate::<Likes>(a, b).unwrap(), book.likes.contains(&(a, b)));
                    book.likes.retain(|pair| *pair != (a, b));
                }
                6 => {
                    world.insert(a, DockedAt { berth: 0, port: b }).unwrap();
                    book.docked.insert(a.to_bits(), (a, b));
                }
                _ => {
                    world.despawn(a).unwrap();
                    book.end(a);
                }
            }
            if step % 20 == 0 {
                book.compare(&world);
            }
        }
        book.compare(&world);
    }
}

#[test]
fn many_links_to_one_target_are_made_and_cut_in_time() {
    let mut world = World::new();
    let hub = world.spawn(());
    let spokes: Vec<Entity> = world.spawn_batch((0..200_000).map(|_| Follows(hub))).into_iter().collect();
    assert_eq!(world.sources::<Follows>(hub).len(), 200_000);
    for spoke in spokes.iter().rev().take(1000) {
        world.remove::<Follows>(*spoke).unwrap();
    }
    world.despawn(hub).unwrap();
    assert_eq!(world.get_resource::<Ties<Follows>>().unwrap().len(), 0);
    assert_eq!(world.read_filtered::<Entity, With<Follows>>().count(), 0);
}

#[test]
fn a_long_row_of_those_that_end_with_each_other_ends() {
    #[derive(Relation, Clone, Copy)]
    #[relation(many, target_ends = "despawn")]
    struct HangsOn;
    let mut world = World::new();
    let [port, hook] = some(&mut world);
    let (mut last, mut lowest) = (port, hook);
    for berth in 0..1000 {
        last = world.spawn(DockedAt { berth, port: last });
        let below = world.spawn(());
        world.relate::<HangsOn>(below, lowest).unwrap();
        lowest = below;
    }
    world.despawn(port).unwrap();
    world.despawn(hook).unwrap();
    assert_eq!(world.alive(), 0);
    // Two kinds in turn.
    let first = world.spawn(());
    let mut last = first;
    for berth in 0..300 {
        let ship = world.spawn(DockedAt { berth, port: last });
        last = world.spawn(());
        world.relate::<HangsOn>(last, ship).unwrap();
    }
    world.despawn(first).unwrap();
    assert_eq!(world.alive(), 0);
    world.validate().unwrap();
}

#[test]
fn an_observer_that_panics_leaves_relations_in_order() {
    let mut world = World::new();
    let [a, b] = some(&mut world);
    let panics = |act: &mut dyn FnMut()| {
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(act)).is_err());
    };
    let observer = world.observe::<Likes>(Act::Insert, |_| panic!("told"));
    panics(&mut || drop(world.relate::<Likes>(a, b)));
    world.validate().unwrap();
    assert!(world.is_related::<Likes>(a, b) && world.has::<Targeted<Likes>>(b));
    world.remove_observer(observer);
    world.observe::<Likes>(Act::Remove, |_| panic!("told"));
    panics(&mut || drop(world.unrelate::<Likes>(a, b)));
    world.validate().unwrap();
    assert!(!world.has::<Targeted<Likes>>(b));
}

#[test]
fn who_comes_while_the_last_one_leaves_stays() {
    let mut world = World::new();
    let [x, y, first, second] = some(&mut world);
    world.insert(first, Follows(x)).unwrap();
    world.observe::<Follows>(Act::Insert, move |trigger| {
        if trigger.entity() == first {
            trigger.defer(move |world| world.insert(second, Follows(x)).unwrap());
        }
    });
    world.insert(first, Follows(y)).unwrap();
    assert_eq!(world.target::<Follows>(second), Some(x));
    assert!(world.has::<Targeted<Follows>>(x));
    world.validate().unwrap();
}

#[test]
fn a_relation_to_nobody_does_not_stay_and_a_source_that_is_saved_does() {
    let mut world = World::new();
    let [a, b, port, haven] = some(&mut world);
    world.relate::<Likes>(a, b).unwrap();
    world.entity_mut(a).unwrap().remove::<Likes>().insert(Likes);
    assert!(!world.has::<Likes>(a));
    world.validate().unwrap();
    let ship = world.spawn(DockedAt { berth: 1, port });
    world.observe::<Targeted<DockedAt>>(Act::Despawn, move |trigger| {
        trigger.defer(move |world| world.insert(ship, DockedAt { berth: 2, port: haven }).unwrap());
    });
    let widow = world.spawn(Remembers(port));
    world.despawn(port).unwrap();
    assert_eq!(world.target::<DockedAt>(ship), Some(haven), "saved before it was its turn");
    let copy = world.clone_entity(widow).unwrap();
    assert_eq!(world.target::<Remembers>(copy), Some(port));
    world.validate().unwrap();
}

/// A chain in which each ends with the one before: by turns as its child, docked at it, and hanging on it.
fn mixed_chain(world: &mut World, length: u32) -> (Entity, Entity) {
    #[derive(Relation, Clone, Copy)]
    #[relation(many, target_ends = "despawn")]
    struct HangsOn;
    let first = world.spawn(());
    let mut last = first;
    for berth in 0..length {
        last = match berth % 5 {
            0 | 3 => world.spawn(DockedAt { berth, port: last }),
            1 | 2 => world.spawn(ChildOf(last)),
            _ => {
                let below = world.spawn(());
                world.relate::<HangsOn>(below, last).unwrap();
                below
            }
        };
    }
    (first, last)
}

#[test]
fn a_chain_of_all_kinds_ends_however_long_it_is() {
    let length = if cfg!(debug_assertions) { 60_000 } else { 1_000_000 };
    let mut world = World::new();
    let (first, _) = mixed_chain(&mut world, length);
    world.validate().unwrap();
    world.despawn(first).unwrap();
    assert_eq!(world.alive(), 0);
    world.validate().unwrap();

    // Around in a circle: the first is docked at the last.
    let (first, last) = mixed_chain(&mut world, 20_000);
    world.insert(first, DockedAt { berth: 0, port: last }).unwrap();
    world.despawn(last).unwrap();
    assert_eq!(world.alive(), 0);
    world.validate().unwrap();

    // Who can be reached in several ways ends once.
    let top = world.spawn(());
    let all: Vec<Entity> = world.spawn_batch((0..1000).map(|_| ChildOf(top))).into_iter().collect();
    for (berth, pair) in (0..).zip(all.windows(2)) {
        world.insert(pair[0], DockedAt { berth, port: pair[1] }).unwrap();
    }
    let stays = world.spawn(Follows(all[500]));
    world.despawn(all[999]).unwrap();
    assert_eq!((world.alive(), world.children(top).len(), world.has::<Follows>(stays)), (2, 0, false));
    world.validate().unwrap();
}

#[test]
fn who_is_saved_while_others_end_is_saved_with_all_below() {
    let mut world = World::new();
    let [port, haven, mother] = some(&mut world);
    let ship = world.spawn((DockedAt { berth: 0, port }, ChildOf(mother)));
    let crew = world.spawn(ChildOf(ship));
    let cook = world.spawn(ChildOf(crew));
    world.observe::<Targeted<DockedAt>>(Act::Despawn, move |trigger| {
        trigger.defer(move |world| world.insert(ship, DockedAt { berth: 1, port: haven }).unwrap());
    });
    world.despawn(port).unwrap();
    assert!([ship, crew, cook].iter().all(|saved| world.is_alive(*saved)));
    world.observe::<Parent>(Act::Despawn, move |trigger| {
        if trigger.entity() == mother {
            trigger.defer(move |world| world.attach(ship, haven).unwrap());
        }
    });
    world.despawn(mother).unwrap();
    assert!([ship, crew, cook].iter().all(|saved| world.is_alive(*saved)));
    assert!(world.descendants(haven).eq([ship, crew, cook]));
    world.validate().unwrap();
}

#[test]
fn ties_that_were_taken_out_are_missed() {
    let mut world = World::new();
    let [ann, bob, port] = some(&mut world);
    world.relate::<Likes>(ann, bob).unwrap();
    let ship = world.spawn(DockedAt { berth: 1, port });
    let broken = |world: &World| world.validate().unwrap_err().to_string();
    let likes = world.remove_resource::<Ties<Likes>>().unwrap();
    assert!(broken(&world).contains("the resource `Ties` was taken out"), "{}", broken(&world));
    world.insert_resource(likes);
    world.validate().unwrap();
    let docked = world.remove_resource::<Ties<DockedAt>>().unwrap();
    assert!(broken(&world).contains(&format!("{port} is related")), "{}", broken(&world));
    world.insert_resource(docked);
    world.validate().unwrap();
    world.despawn(port).unwrap();
    assert!(!world.is_alive(ship));
    world.remove_resource::<Ties<DockedAt>>();
    world.validate().unwrap();
}

#[test]
fn checksums_see_all_that_relations_roles_places_and_prefabs_keep() {
    use phalanx_scene::{Node, Prefab, PrefabWorld, SceneWorld, Transform, WorldTransform, propagate};
    #[derive(Component, Clone)]
    struct Hull(u32);
    #[derive(Node)]
    struct Sailing<'w> {
        _hull: &'w Hull,
    }
    let mut world = World::new();
    let port = world.spawn((Hull(0), Transform::default(), WorldTransform::default()));
    let boat = Prefab::new().with(Hull(1)).part("mast", Prefab::new().with(Hull(2)));
    let boat = world.add_prefab("boat", boat).unwrap();
    let boats = boat.instantiate(&mut world, 2).unwrap();
    world.insert(boats[0], DockedAt { berth: 3, port }).unwrap();
    world.insert(boats[1], Follows(boats[0])).unwrap();
    world.relate::<Likes>(boats[0], port).unwrap();
    let sea = world.create_scene("sea").unwrap();
    sea.add_matching::<Sailing>(&mut world).unwrap();
    propagate(&mut world);
    assert_eq!(world.checksum().unseen(), [""; 0]);
    assert_eq!(world.content_checksum().unseen(), [""; 0]);
}
