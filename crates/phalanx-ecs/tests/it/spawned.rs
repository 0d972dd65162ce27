//! Lists of entities: what a batch answers, and what calls for many entities take.

use phalanx_ecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct A(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct B(u32);

#[test]
fn a_batch_is_indexed_in_its_order_with_reused_and_new_entities() {
    let mut world = World::builder().min_free(0).build();
    let old = world.spawn_batch((0..3).map(A));
    world.despawn_batch([old[2], old[0]]).unwrap();
    let batch = world.spawn_batch((10..15).map(A));
    for (at, entity) in batch.iter().enumerate() {
        assert_eq!((batch[at], Some(batch[at])), (entity, batch.get(at)));
        assert_eq!(world.get::<A>(batch[at]), Some(&A(10 + u32::try_from(at).unwrap())));
    }
}

#[test]
fn every_list_of_entities_is_taken() {
    let mut world = World::new();
    let batch = world.spawn_batch((0..4).map(|n| (A(n), B(n))));
    let all = [A(0), A(1), A(2), A(3)];
    let expected: Vec<_> = all.iter().map(Some).collect();
    let vector = batch.to_vec();
    assert_eq!(world.get_many::<A>(&batch), expected);
    assert_eq!(world.get_many::<A>(batch.clone()), expected);
    assert_eq!(world.get_many::<A>(&vector), expected);
    assert_eq!(world.get_many::<A>(vector.iter().rev()), expected.iter().rev().copied().collect::<Vec<_>>());
    assert_eq!(world.get_many::<A>([batch[1]]), [Some(&A(1))]);
    assert_eq!(world.remove_batch::<B>(&vector[..1]).unwrap(), 1);
    assert_eq!(world.remove_batch::<B>(&batch).unwrap(), 3);
    assert_eq!(world.despawn_batch(&vector[..2]).unwrap(), 2);
    assert_eq!(world.despawn_batch(batch.iter().skip(2)).unwrap(), 2);
}

#[test]
fn unwrapping_an_error_shows_what_people_should_read() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let error = world.lookup_mut::<B>(entity).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    world.despawn(entity).unwrap();
    let error = world.despawn_batch([entity]).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(format!("{:?}", world.despawn(entity)).starts_with("Err(error[E001]: entity 0v0 is not alive\n"));
}
