//! Components that may refuse to come: by which routes they are asked, and that a refusal changes nothing.

use crate::hostile::panic_of;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{
    BundleBuilder, Check, CloneError, CommandFault, DynError, DynValue, InsertError, TransferError, Wish,
};
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

/// At most ten, and at most thirty in all that come together; a world with the resource `Closed` takes none.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(check)]
struct Few(u32);

#[derive(Component, Clone, Copy)]
#[component(check, storage = "sparse", immutable)]
struct SparseFew(u32);

#[derive(Component, Clone)]
struct Other(String);

#[derive(Resource)]
struct Closed;

fn check(world: &World, wishes: impl Iterator<Item = u32> + Clone) -> Result<(), Box<dyn Error + Send + Sync>> {
    if world.get_resource::<Closed>().is_some() {
        return Err("the world is closed".into());
    }
    if let Some(many) = wishes.clone().find(|wish| *wish > 10) {
        return Err(format!("{many} is more than ten").into());
    }
    if wishes.sum::<u32>() > 30 { Err("more than thirty in all".into()) } else { Ok(()) }
}

impl Check for Few {
    fn check(world: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn Error + Send + Sync>> {
        check(world, wishes.iter().map(|wish| wish.value.0))
    }
}

impl Check for SparseFew {
    fn check(world: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn Error + Send + Sync>> {
        check(world, wishes.iter().map(|wish| wish.value.0))
    }
}

fn other() -> Other {
    Other("on the heap".into())
}

#[test]
fn it_is_asked_by_every_route_and_a_refusal_changes_nothing() {
    let mut world = World::new();
    let one = world.spawn((Few(1), other()));
    let two = world.spawn(other());
    let id = world.register::<Few>();
    let bundle = || {
        let mut bundle = BundleBuilder::new();
        bundle.add(other()).add(Few(11));
        bundle
    };
    type Route<'a> = Box<dyn FnOnce(&mut World) -> String + 'a>;
    fn said<T>(result: Result<T, impl Error>) -> String {
        result.err().map_or_else(|| "no error".into(), |error| error.to_string())
    }
    let routes: Vec<Route<'_>> = vec![
        Box::new(|world| said(world.try_spawn((other(), Few(11))))),
        Box::new(|world| said(world.try_spawn((other(), SparseFew(11))))),
        Box::new(|world| said(world.try_spawn_batch([(other(), Few(3)), (other(), Few(11))]))),
        Box::new(|world| said(world.spawn_columns((vec![other(), other()], [Few(3), Few(11)])))),
        Box::new(|world| said(world.insert(one, (other(), Few(11))))),
        Box::new(|world| said(world.insert(two, (other(), Few(11))))),
        Box::new(|world| said(world.insert_if_new(two, Few(11)))),
        Box::new(|world| said(world.replace(one, Few(11)))),
        Box::new(|world| said(world.insert_batch([one, two], [Few(1), Few(11)]))),
        Box::new(|world| said(world.entity_mut(two).unwrap().try_insert(Few(11)))),
        Box::new(|world| said(world.insert_dyn(two, id, DynValue::new(Few(11))))),
        Box::new(|world| said(world.insert_bundle_dyn(two, bundle()))),
        Box::new(|world| said(world.spawn_dyn(bundle()))),
        Box::new(|world| panic_of(|| world.spawn((other(), Few(11))))),
        Box::new(|world| panic_of(|| world.insert_where::<(), _>(Few(11)))),
        Box::new(|world| {
            let mut commands = world.commands();
            commands.spawn((other(), Few(11)));
            said(world.apply(&mut commands))
        }),
        Box::new(|world| {
            let mut commands = world.commands();
            commands.spawn_batch(vec![(other(), Few(3)), (other(), Few(11))]);
            said(world.apply(&mut commands))
        }),
        Box::new(|world| {
            let mut commands = world.commands();
            commands.insert(two, Few(11));
            said(world.apply(&mut commands))
        }),
    ];
    for (number, route) in routes.into_iter().enumerate() {
        let said = route(&mut world);
        assert!(said.contains("because: 11 is more than ten"), "route {number}: {said}");
        assert_eq!(world.alive(), 2, "route {number}");
        assert_eq!((world.get::<Few>(one), world.get::<Few>(two)), (Some(&Few(1)), None), "route {number}");
        world.validate().expect("valid");
    }
}

#[test]
fn it_is_asked_once_for_all_that_come_together() {
    let mut world = World::new();
    let three = world.spawn_batch([9, 9, 9].map(Few));
    let error = world.try_spawn_batch([10, 10, 10, 1].map(Few)).unwrap_err();
    assert!(error.to_string().contains("more than thirty in all"), "{error}");
    let error = world.insert_batch(&three, [10, 10, 11].map(Few)).unwrap_err();
    assert!(matches!(&error, InsertError::Refused(refused) if refused.count == 3), "{error}");
    assert!(world.query::<&Few>().iter().all(|few| few.0 == 9));
    for few in [10, 10, 10, 10] {
        world.spawn(Few(few));
    }
    assert_eq!(world.alive(), 7);
}

#[test]
fn copies_and_entities_from_other_worlds_are_asked_about_too() {
    let (mut world, mut other) = (World::new(), World::new());
    let one = world.spawn(Few(3));
    let copy = world.clone_entity(one).unwrap();
    assert_eq!(world.get::<Few>(copy), Some(&Few(3)));
    world.insert_resource(Closed);
    let error = world.clone_entity(one).unwrap_err();
    assert!(matches!(&error, CloneError::Refused(refused) if refused.why.to_string() == "the world is closed"));
    let there = world.move_entity(copy, &mut other).unwrap();
    let error = other.move_entity(there, &mut world).unwrap_err();
    assert!(matches!(error, TransferError::Refused(_)));
    assert!(other.is_alive(there));
    assert_eq!(world.alive(), 1);
}

#[test]
fn errors_can_be_matched() {
    let mut world = World::new();
    let one = world.spawn(());
    let error = world.insert(one, Few(11)).unwrap_err();
    assert_eq!(error.clone(), error);
    let InsertError::Refused(refused) = error else { panic!("refused") };
    assert_eq!((&*refused.component, refused.entity, refused.count), ("Few", Some(one), 1));
    let id = world.register::<Few>();
    let error = world.insert_dyn(one, id, DynValue::new(Few(11))).unwrap_err();
    assert!(matches!(error, DynError::Refused(_)));
    let mut commands = world.commands();
    commands.insert(one, Few(11));
    let errors = world.apply(&mut commands).unwrap_err();
    let fault = &errors.errors[0].fault;
    assert!(matches!(fault, CommandFault::Refused { why, .. } if why.to_string() == "11 is more than ten"));
}

#[test]
fn what_is_left_out_of_clones_and_moves_stays_and_so_does_what_depends_on_it() {
    #[derive(Component, Clone)]
    #[component(left_out_of(clones))]
    struct Selected;
    #[derive(Component, Clone, Copy)]
    #[component(left_out_of(moves), storage = "sparse")]
    struct Target(Entity);
    #[derive(Component, Clone, Copy)]
    #[component(left_out_of(clones, moves))]
    struct Place(u64);
    #[derive(Component, Clone)]
    #[component(depends_on(Place))]
    struct Settled;

    let (mut world, mut there) = (World::new(), World::new());
    let prey = world.spawn(());
    let one = world.spawn((Selected, Target(prey), Place(7), Settled, Few(3), other()));
    let copy = world.clone_entity(one).unwrap();
    assert!(!world.has::<Selected>(copy) && !world.has::<Place>(copy) && !world.has::<Settled>(copy));
    assert!(world.has::<Target>(copy) && world.has::<Few>(copy) && world.has::<Other>(copy));
    assert_eq!(world.get::<Place>(one).unwrap().0, 7);
    let moved = world.move_entity(one, &mut there).unwrap();
    assert!(!there.has::<Target>(moved) && !there.has::<Place>(moved) && !there.has::<Settled>(moved));
    assert!(there.has::<Selected>(moved) && there.has::<Few>(moved));
    assert_eq!(there.get::<Other>(moved).unwrap().0, "on the heap");
    world.validate().expect("valid");
    there.validate().expect("valid");
}

#[test]
fn a_component_is_asked_whether_what_it_keeps_is_in_order() {
    #[derive(Component)]
    #[component(validate = at_most_one)]
    struct Throne;
    fn at_most_one(world: &World) -> Result<(), String> {
        match world.read::<&Throne>().count() {
            0 | 1 => Ok(()),
            thrones => Err(format!("{thrones} thrones")),
        }
    }
    let mut world = World::new();
    world.spawn(Throne);
    world.validate().expect("one");
    world.spawn(Throne);
    assert!(world.validate().unwrap_err().to_string().contains("2 thrones"));
}

#[test]
fn a_tag_that_stays_behind_is_dropped_once() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    #[derive(Component, Clone, Copy)]
    #[component(left_out_of(moves))]
    struct Place(u64);
    #[derive(Component)]
    #[component(depends_on(Place))]
    struct Settled;
    impl Drop for Settled {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
        }
    }
    let (mut world, mut there) = (World::new(), World::new());
    let one = world.spawn((Place(7), Settled, other()));
    world.move_entity(one, &mut there).unwrap();
    assert_eq!(DROPS.load(Ordering::Relaxed), 1);
    drop((world, there));
    assert_eq!(DROPS.load(Ordering::Relaxed), 1);
}
