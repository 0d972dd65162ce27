//! Visiting entities by their handles.

use phalanx_ecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(track)]
struct Health(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Armour(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse", track)]
struct Burning(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(toggle)]
struct Shown(u32);

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

/// A world of several tables, some in the order of their entities and some not, with holes.
fn mixed(random: &mut Random) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut all = world.spawn_batch((0..3000).map(Health)).to_vec();
    all.extend(world.spawn_batch((0..2500).map(|n| (Health(n), Armour(n)))));
    all.extend(world.spawn_batch((0..100).map(Armour)));
    all.extend(world.spawn_batch((0..1500).map(|n| (Health(n), Shown(n)))));
    for _ in 0..300 {
        let who = all[random.below(all.len())];
        match random.below(4) {
            0 => world.insert(who, Armour(7)).map_or((), drop),
            1 => world.insert(who, Burning(7)).map_or((), drop),
            2 => world.switch_off::<Shown>(who).map_or((), drop),
            _ => world.despawn(who).map_or((), drop),
        }
    }
    (world, all)
}

/// What is visited, and what counts as changed then, is what `get_mut` would have found one by one.
macro_rules! as_one_by_one {
    ($random:expr, $terms:ty, $filter:ty, $number:expr) => {{
        let (mut world, all) = mixed($random);
        let some: Vec<Entity> = (0..$random.below(400)).map(|_| all[$random.below(all.len())]).collect();
        let mut query = world.query_filtered::<$terms, $filter>();
        let expected: Vec<u32> = some.iter().filter_map(|who| query.get_mut(*who).map($number)).collect();
        let mut health = Prepared::<Entity, Changed<Health>>::new();
        let mut burning = Prepared::<Entity, Changed<Burning>>::new();
        health.skip_to_now(&world);
        burning.skip_to_now(&world);
        let mut found = Vec::new();
        let visited = world.query_filtered::<$terms, $filter>().for_each_of(&some, |item| found.push($number(item)));
        assert_eq!((visited, &found), (expected.len(), &expected), "{}", stringify!($terms));
        let changed: Vec<Vec<Entity>> =
            [health.on(&mut world).iter().collect(), burning.on(&mut world).iter().collect()].into();

        let (mut once_more, mut marked) = (Prepared::<Entity, Changed<Health>>::new(), Vec::new());
        let mut and_burning = Prepared::<Entity, Changed<Burning>>::new();
        once_more.skip_to_now(&world);
        and_burning.skip_to_now(&world);
        let mut query = world.query_filtered::<$terms, $filter>();
        for who in &some {
            let _ = query.get_mut(*who);
        }
        marked.push(once_more.on(&mut world).iter().collect::<Vec<_>>());
        marked.push(and_burning.on(&mut world).iter().collect());
        assert_eq!(changed, marked, "{}", stringify!($terms));
        world.validate().unwrap();
    }};
}

#[test]
fn what_is_visited_by_handle_is_what_single_lookups_find() {
    let random = &mut Random(7);
    for _ in 0..20 {
        as_one_by_one!(random, &mut Health, (), |health: &mut Health| health.0);
        as_one_by_one!(random, (Entity, &Health), (), |(entity, _): (Entity, &Health)| entity.index());
        as_one_by_one!(random, (&mut Armour, &mut Health), (), |(armour, health): (&mut Armour, &mut Health)| {
            armour.0 * 10_000 + health.0
        });
        as_one_by_one!(random, &mut Health, Without<Armour>, |health: &mut Health| health.0);
        as_one_by_one!(random, (&Health, &mut Burning), (), |(health, _): (&Health, &mut Burning)| health.0);
        as_one_by_one!(random, (&mut Health, &Shown), (), |(health, _): (&mut Health, &Shown)| health.0);
        as_one_by_one!(random, (&mut Health, Option<&mut Burning>), (), |(health, burning): (
            &mut Health,
            Option<&mut Burning>
        )| {
            health.0 + burning.map_or(0, |burning| burning.0 * 100_000)
        });
    }
}

#[test]
fn dead_foreign_and_other_entities_are_passed_over_and_the_rest_is_visited_as_often_as_named() {
    let mut world = World::new();
    let [orc, elf, stone, dead] = [world.spawn(Health(1)), world.spawn(Health(2)), world.spawn(()), world.spawn(())];
    world.despawn(dead).unwrap();
    let beyond = World::new().spawn_batch((0..100).map(Health))[99];
    let mut seen = Vec::new();
    let handles = [dead, elf, stone, orc, beyond, elf];
    let visited = world.query::<&mut Health>().for_each_of(&handles, |health| {
        seen.push(health.0);
        health.0 += 10;
    });
    assert_eq!((visited, seen), (3, vec![2, 1, 12]));
    assert_eq!(world.query::<&Health>().for_each_of(&[], |_| unreachable!()), 0);
    assert_eq!(World::new().query::<&Health>().for_each_of(&handles, |_| unreachable!()), 0);
}

#[test]
fn a_visit_that_panics_leaves_the_world_as_it_is() {
    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(Health)).to_vec();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        world.query::<&mut Health>().for_each_of(&all, |health| {
            assert!(health.0 != 50, "half");
            health.0 += 1000;
        })
    }));
    assert!(result.is_err());
    world.validate().unwrap();
    assert_eq!(world.query::<&Health>().iter().filter(|health| health.0 >= 1000).count(), 50);
}
