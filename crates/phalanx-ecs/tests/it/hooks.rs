//! What components do by themselves: when it is called, with whom, and by which routes.

use crate::hostile::panic_of;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Act, BundleBuilder, DynValue, Hooks, OwnHooks, Trigger};

/// What was called, in order.
#[derive(Resource, Default)]
struct Log(Vec<(String, Vec<Entity>)>);

fn note(trigger: &mut Trigger<'_>) {
    let (act, entities) = (format!("{:?}", trigger.act().unwrap()), trigger.entities().to_vec());
    trigger.init_resource::<Log>().0.push((act, entities));
}

#[derive(Component, Clone)]
#[component(on_insert = note, on_replace = note, on_remove = note, on_despawn = note)]
struct InTable(u32);

#[derive(Component, Clone)]
#[component(storage = "sparse", on_insert = note, on_replace = note, on_remove = note, on_despawn = note)]
struct InSet(u32);

#[derive(Component, Clone, Default)]
#[component(on_insert = note, on_replace = note, on_remove = note, on_despawn = note)]
struct Tag;

#[derive(Component, Clone)]
#[component(requires(Tag))]
struct Brings;

#[derive(Component)]
#[component(toggle, on_switch_on = note, on_switch_off = note)]
struct Lamp;

/// What was called since the last time, as `Insert(2) Remove(1)`: the acts, and with how many entities.
fn said(world: &mut World) -> String {
    let log = std::mem::take(&mut world.init_resource::<Log>().0);
    log.iter().map(|(act, entities)| format!("{act}({})", entities.len())).collect::<Vec<_>>().join(" ")
}

/// By each route by which a component comes, goes and is replaced: what is called.
fn each_route<T: Component + Clone>(make: fn(u32) -> T) {
    let mut world = World::new();
    // The first of its kind: the world did not know the type before.
    let one = world.spawn(());
    world.insert(one, make(1)).unwrap();
    assert_eq!(said(&mut world), "Insert(1)");
    world.insert(one, make(2)).unwrap();
    assert_eq!(said(&mut world), "Replace(1) Insert(1)");
    world.remove::<T>(one).unwrap();
    assert_eq!(said(&mut world), "Remove(1)");

    let batch: Vec<Entity> = world.spawn_batch((0..5).map(make)).into_iter().collect();
    assert_eq!(said(&mut world), "Insert(5)");
    world.insert_batch(&batch[..3], (0..3).map(make)).unwrap();
    assert_eq!(said(&mut world), "Replace(3) Insert(3)");
    world.remove_batch::<T>(&batch[..2]).unwrap();
    assert_eq!(said(&mut world), "Remove(2)");
    world.despawn_batch(&batch).unwrap();
    assert_eq!(said(&mut world), "Despawn(3) Remove(3)");

    let columns = world.spawn_columns((vec![make(1), make(2)],)).unwrap();
    assert_eq!(said(&mut world), "Insert(2)");
    let copy = world.clone_entity(columns[0]).unwrap();
    assert_eq!(said(&mut world), "Insert(1)");
    world.despawn_lazy(copy).unwrap();
    assert_eq!(said(&mut world), "Despawn(1) Remove(1)");
    world.collect(phalanx_ecs::Collection::Exact);
    assert_eq!(said(&mut world), "");

    assert_eq!(world.insert_where::<(), _>(make(7)), 3);
    assert_eq!(said(&mut world), "Replace(2) Insert(3)");
    assert_eq!(world.remove_where::<(), T>(), 3);
    assert_eq!(said(&mut world), "Remove(3)");

    let id = world.register::<T>();
    world.insert_dyn(one, id, DynValue::new(make(1))).unwrap();
    assert_eq!(said(&mut world), "Insert(1)");
    world.entity_mut(one).unwrap().insert(make(2)).remove::<T>().insert(make(3));
    assert!(matches!(&*said(&mut world), "Replace(1) Insert(1)" | "Remove(1) Insert(1)"));
    let mut bundle = BundleBuilder::new();
    bundle.add(make(4));
    let built = world.spawn_dyn(bundle).unwrap();
    assert_eq!(said(&mut world), "Insert(1)");
    assert!(world.take::<T>(built).is_ok());
    assert_eq!(said(&mut world), "Remove(1)");

    let mut commands = world.commands();
    let queued = commands.spawn(make(1));
    commands.insert(queued, make(2));
    commands.despawn(queued);
    world.apply(&mut commands).unwrap();
    assert_eq!(said(&mut world), "Insert(1) Replace(1) Insert(1) Despawn(1) Remove(1)");

    let mut other = World::new();
    let moved = world.move_entity(one, &mut other).unwrap();
    assert_eq!(said(&mut world), "Despawn(1) Remove(1)");
    assert_eq!(said(&mut other), "Insert(1)");
    other.clear();
    assert_eq!(said(&mut other), "Despawn(1) Remove(1)");
    assert!(!other.is_alive(moved));
    world.validate().expect("valid");
}

#[test]
fn a_component_in_tables_is_told_by_every_route() {
    each_route(InTable);
}

#[test]
fn a_sparse_component_is_told_by_every_route() {
    each_route(InSet);
}

#[test]
fn a_tag_is_told_by_every_route() {
    each_route(|_| Tag);
}

#[test]
fn what_is_brought_along_does_what_it_does() {
    let mut world = World::new();
    let one = world.spawn(());
    world.insert(one, Brings).unwrap();
    assert_eq!(said(&mut world), "Insert(1)");
    world.spawn_batch((0..3).map(|_| Brings));
    assert_eq!(said(&mut world), "Insert(3)");
    world.insert(one, Brings).unwrap();
    assert_eq!(said(&mut world), "", "it was there");
}

#[test]
fn switching_calls_what_is_for_it() {
    let mut world = World::new();
    let lamp = world.spawn(Lamp);
    world.switch_off::<Lamp>(lamp).unwrap();
    world.switch_on::<Lamp>(lamp).unwrap();
    assert_eq!(said(&mut world), "SwitchOff(1) SwitchOn(1)");
}

#[test]
fn what_comes_is_made_ready_before_observers_and_what_goes_is_taken_apart_after_them() {
    let mut world = World::new();
    for act in [Act::Insert, Act::Replace, Act::Remove, Act::Despawn] {
        world.observe::<InTable>(act, |trigger| {
            let seen = (format!("seen {:?}", trigger.act().unwrap()), vec![trigger.entity()]);
            trigger.init_resource::<Log>().0.push(seen);
        });
    }
    let one = world.spawn(InTable(1));
    world.insert(one, InTable(2)).unwrap();
    world.despawn(one).unwrap();
    assert_eq!(
        said(&mut world),
        "Insert(1) seen Insert(1) seen Replace(1) Replace(1) Insert(1) seen Insert(1) \
         seen Despawn(1) seen Remove(1) Despawn(1) Remove(1)"
    );
}

#[test]
fn every_entity_is_named_once_though_the_list_names_it_twice() {
    let mut world = World::new();
    let [one, two] = [world.spawn(()), world.spawn(())];
    world.insert_batch([one, two, one], [1, 2, 3].map(InTable)).unwrap();
    let log = std::mem::take(&mut world.init_resource::<Log>().0);
    let calls: Vec<(&str, Vec<Entity>)> = log.iter().map(|(act, who)| (act.as_str(), who.clone())).collect();
    assert_eq!(calls, [("Insert", vec![one, two]), ("Replace", vec![one]), ("Insert", vec![one])]);
    assert_eq!(world.get::<InTable>(one).unwrap().0, 3);
}

#[test]
fn what_a_component_defers_is_done_before_the_operation_returns() {
    #[derive(Component)]
    #[component(on_insert = mark)]
    struct Poison;
    #[derive(Component)]
    struct Weak;
    fn mark(trigger: &mut Trigger<'_>) {
        let entities = trigger.entities().to_vec();
        trigger.defer(move |world| {
            let marks = entities.iter().map(|_| Weak);
            world.insert_batch(&entities, marks).unwrap();
        });
    }
    let mut world = World::new();
    world.spawn_batch((0..20).map(|_| Poison));
    assert_eq!(world.query::<&Weak>().count(), 20);
}

#[test]
fn a_panic_in_it_leaves_the_world_whole_and_goes_on() {
    #[derive(Component)]
    #[component(on_insert = refuse, on_remove = refuse)]
    struct Cursed;
    fn refuse(trigger: &mut Trigger<'_>) {
        panic!("cursed by {:?}", trigger.act().unwrap());
    }
    let mut world = World::new();
    assert_eq!(panic_of(|| world.spawn_batch((0..3).map(|_| Cursed))), "cursed by Insert");
    assert_eq!(world.alive(), 3, "they have come");
    let one = world.entities().next().unwrap();
    assert_eq!(panic_of(|| world.despawn(one)), "cursed by Remove");
    assert!(!world.is_alive(one));
    world.validate().expect("valid");
}

#[test]
fn a_generic_component_has_hooks_of_its_own_type() {
    struct Counter<T: Send + Sync + 'static>(std::marker::PhantomData<T>);
    impl<T: Send + Sync + 'static> Component for Counter<T> {
        const HOOKS: Option<OwnHooks> = Some(const { &Hooks::new().on(Act::Insert, told::<T>) }.own());
    }
    fn told<T>(trigger: &mut Trigger<'_>) {
        trigger.init_resource::<Log>().0.push((std::any::type_name::<T>().into(), Vec::new()));
    }
    let mut world = World::new();
    world.spawn(Counter::<u8>(std::marker::PhantomData));
    world.spawn(Counter::<i64>(std::marker::PhantomData));
    assert_eq!(said(&mut world), "u8(0) i64(0)");
}

#[test]
fn what_comes_again_in_one_move_is_told_once_though_somebody_panics() {
    let mut world = World::new();
    let one = world.spawn(InTable(1));
    said(&mut world);
    world.observe::<InTable>(Act::Remove, |_| panic!("observer"));
    let edit = |world: &mut World| {
        let mut one = world.entity_mut(one).unwrap();
        one.remove::<InTable>();
        one.insert(InTable(2));
    };
    assert_eq!(panic_of(|| edit(&mut world)), "observer");
    assert_eq!(said(&mut world), "Remove(1) Insert(1)");
    assert_eq!(world.get::<InTable>(one).unwrap().0, 2);
}

#[test]
fn a_copy_without_what_its_components_require_is_not_told_to_have_it() {
    let mut world = World::new();
    let one = world.spawn(Brings);
    world.remove::<Tag>(one).unwrap();
    said(&mut world);
    let copy = world.clone_entity(one).unwrap();
    world.move_entity(copy, &mut World::new()).unwrap();
    assert_eq!(said(&mut world), "");
}

#[test]
fn what_components_put_off_is_done_however_much_it_is_and_whatever_observers_do() {
    #[derive(Component)]
    #[component(on_insert = count)]
    struct Counted;
    #[derive(Resource, Default)]
    struct Count(usize);
    fn count(trigger: &mut Trigger<'_>) {
        let more = trigger.entities().len();
        trigger.defer(move |world| world.init_resource::<Count>().0 += more);
    }
    #[derive(Event)]
    struct Go(usize);
    #[derive(Component)]
    struct Endless;
    let mut world = World::new();
    world.observe_event::<Go>(|go, trigger| {
        let commands = trigger.commands();
        for _ in 0..go.0 {
            commands.spawn(Counted);
        }
    });
    let one = world.spawn(());
    let many = if cfg!(miri) { 100 } else { 30_000 };
    world.trigger(Go(many), one);
    assert_eq!(world.init_resource::<Count>().0, many);

    // Observers without end are stopped; what components have put off until then is done.
    world.observe::<Endless>(Act::Insert, |trigger| {
        trigger.commands().spawn((Counted, Endless));
    });
    assert!(panic_of(|| world.spawn(Endless)).contains("error[O002]"));
    let counted = world.query::<&Counted>().count();
    assert_eq!(world.init_resource::<Count>().0, counted);
    world.validate().expect("valid");
}
