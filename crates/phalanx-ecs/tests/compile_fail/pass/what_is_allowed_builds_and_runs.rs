//! What the programs in `build` do, without the crime: it builds, so they fail for the reason they say.

use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Component)]
struct B(u32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Burning(u32);

#[derive(Component)]
#[component(immutable, track, toggle)]
struct Team(u8);

#[derive(Query)]
struct Reader<'w> {
    a: &'w A,
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn((A(1), ((), (B(2),))));
    world.insert(entity, (A(3), B(4))).unwrap();
    world.sparse_mut::<Burning>().insert(entity, Burning(5)).unwrap();
    world.spawn_columns((vec![A(6)], vec![B(7)])).unwrap();

    assert_eq!(world.query::<(&A, &A, (Has<A>, (&A,)), Reader)>().count(), 2);
    assert_eq!(world.query::<(Option<&mut B>, &A, AnyOf<(&A, Entity)>, Reader)>().count(), 2);
    assert_eq!(Prepared::<(&mut A, &mut B)>::new().on(&mut world).count(), 2);
    assert_eq!(world.query::<&A>().chunks().map(|chunk| chunk.len()).sum::<usize>(), 2);
    assert_eq!(world.query::<&A>().par_chunks(8, |chunk| chunk.len()).len(), 1);
    assert_eq!(world.query::<&Burning>().iter().map(|burning| burning.0).sum::<u32>(), 5);
    world.insert(entity, Team(8)).unwrap();
    assert_eq!(world.replace(entity, Team(9)).unwrap().unwrap().0, 8);
    assert_eq!(world.query_filtered::<(&Team, Option<&Team>), With<Team>>().count(), 1);
    assert_eq!(world.query::<EvenOff<&Team>>().count(), 1);
    assert_eq!(world.remove::<(A, B)>(entity).unwrap(), 2);
}
