//! Shared components: one value for all that have an equal one, on every route.

use crate::hostile::{Held, Ledger, Token, assert_well, held};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{
    ChecksumPart, ComponentLayout, DynQuery, DynValue, Explanation, Filter, LookupError, SharedEdit, Storage,
};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// Shared, and written down; two are equal if their numbers are.
#[derive(Component, Clone, Debug)]
#[component(shared)]
pub struct Skin {
    pub number: u32,
    token: Token,
}

impl PartialEq for Skin {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}
impl Eq for Skin {}
impl Hash for Skin {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Few numbers: some that differ have the same.
        (self.number % 4).hash(state);
    }
}

pub fn skin(number: u32) -> Skin {
    Skin { number, token: Ledger::current().token() }
}

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct X(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Rare(u32);

#[derive(Component, Clone, PartialEq, Eq, Hash, Debug)]
#[component(shared)]
struct Team(u8);

/// By number: the entities that have it; from looking at each entity, from groups and from the list of values, which must agree.
#[track_caller]
fn groups(world: &mut World) -> BTreeMap<u32, Vec<Entity>> {
    let mut one_by_one: BTreeMap<u32, Vec<Entity>> = BTreeMap::new();
    for entity in world.entities() {
        if let Some(skin) = world.get::<Skin>(entity) {
            one_by_one.entry(skin.number).or_default().push(entity);
        }
    }
    let mut grouped: BTreeMap<u32, Vec<Entity>> = BTreeMap::new();
    world.query::<(Entity, &Skin)>().for_each_group::<Skin>(|skin, items| {
        let mut entities: Vec<Entity> = items
            .map(|(entity, own)| {
                assert!(std::ptr::eq(own, skin), "one value for all");
                entity
            })
            .collect();
        entities.sort_unstable();
        assert!(grouped.insert(skin.number, entities).is_none(), "each value once");
    });
    assert_eq!(grouped, one_by_one);
    let values: BTreeMap<u32, usize> =
        world.shared_values::<Skin>().map(|(skin, count)| (skin.number, count)).collect();
    assert_eq!(values, one_by_one.iter().map(|(number, all)| (*number, all.len())).collect());
    one_by_one
}

/// The world is consistent, the entities with each number are as many as said, and as many values are alive.
#[track_caller]
fn check(world: &mut World, ledger: Ledger, expected: &[(u32, usize)]) {
    let found: Vec<(u32, usize)> = groups(world).iter().map(|(number, all)| (*number, all.len())).collect();
    assert_eq!(found, expected);
    assert_well(world, ledger, expected.len());
}

#[test]
fn equal_values_are_stored_once_on_every_way_in() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let one = world.spawn(skin(1));
    world.spawn((X(1), skin(1)));
    world.try_spawn((skin(2), X(1))).expect("room");
    check(&mut world, ledger, &[(1, 2), (2, 1)]);

    world.spawn_batch((0..6).map(|n| (X(n), skin(n % 3))));
    check(&mut world, ledger, &[(0, 2), (1, 4), (2, 3)]);
    world.spawn_columns((vec![X(7), X(8)], vec![skin(1), skin(5)])).expect("room");
    check(&mut world, ledger, &[(0, 2), (1, 5), (2, 3), (5, 1)]);

    let bare = world.spawn_batch((0..4).map(X)).to_vec();
    world.insert(bare[0], skin(5)).expect("alive");
    world.insert(bare[1], (Rare(1), skin(6))).expect("alive");
    assert!(world.insert_if_new(bare[2], skin(6)).expect("alive"));
    assert!(!world.insert_if_new(bare[2], skin(7)).expect("alive"));
    check(&mut world, ledger, &[(0, 2), (1, 5), (2, 3), (5, 2), (6, 2)]);
    world.insert_batch(&bare, (0..4).map(|_| skin(1))).expect("alive");
    check(&mut world, ledger, &[(0, 2), (1, 9), (2, 3), (5, 1)]);

    world.entity_mut(one).expect("alive").insert(skin(3)).insert((skin(4), X(3))).apply();
    let id = world.register::<Skin>();
    world.insert_dyn(bare[3], id, DynValue::new(skin(4))).expect("fits");
    let mut bundle = BundleBuilder::new();
    bundle.add(skin(4)).add(Rare(2));
    let built = world.spawn_dyn(bundle).expect("room");
    assert_eq!((world.get::<Rare>(built), world.get::<X>(one)), (Some(&Rare(2)), Some(&X(3))));
    let copy = world.clone_entity(built).expect("shared values are not cloned");
    assert_eq!(world.get::<Skin>(copy).map(|skin| skin.number), Some(4));
    check(&mut world, ledger, &[(0, 2), (1, 7), (2, 3), (4, 4), (5, 1)]);
    drop(world);
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn commands_bring_and_take_shared_values() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let old = world.spawn_batch((0..3).map(X)).to_vec();
    let mut commands = world.commands();
    let single = commands.spawn(skin(1));
    for n in 0..5 {
        commands.spawn((X(n), skin(n % 2)));
    }
    commands.spawn_batch((0..3).map(|_| (skin(9), Rare(1))));
    for entity in &old {
        commands.insert(*entity, skin(9));
    }
    commands.insert_if_new(single, skin(2));
    commands.edit_shared::<Skin>(single, |skin| skin.number = 3);
    world.apply(&mut commands).expect("all can be done");
    check(&mut world, ledger, &[(0, 3), (3, 3), (9, 6)]);
    for entity in &old {
        commands.remove::<Skin>(*entity);
    }
    commands.despawn(single);
    commands.edit_shared::<Skin>(old[0], |_| unreachable!("it has none"));
    let errors = world.apply(&mut commands).expect_err("one cannot be done");
    assert!(errors.to_string().contains("has no component `Skin`"), "{errors}");
    check(&mut world, ledger, &[(0, 3), (3, 2), (9, 3)]);
}

#[test]
fn a_value_goes_with_its_last_entity_on_every_way_out() {
    let ledger = Ledger::new();
    let ways: [fn(&mut World, Entity); 17] = [
        |world, e| world.despawn(e).expect("alive"),
        |world, e| assert_eq!(world.despawn_batch([e]), Ok(1)),
        |world, _| assert_eq!(world.despawn_where::<With<Skin>>(), 1),
        |world, e| assert_eq!(world.remove::<Skin>(e), Ok(1)),
        |world, e| assert_eq!(world.remove::<(X, Skin, Rare)>(e), Ok(3)),
        |world, e| assert_eq!(world.remove_batch::<Skin>([e]), Ok(1)),
        |world, _| assert_eq!(world.remove_where::<With<X>, Skin>(), 1),
        |world, _| assert_eq!(world.remove_where::<With<Rare>, Skin>(), 1),
        |world, e| {
            let id = world.register::<Skin>();
            assert_eq!(world.remove_dyn(e, id), Ok(true));
        },
        |world, e| assert_eq!(world.retain::<(X, Rare)>(e), Ok(1)),
        |world, e| world.entity_mut(e).expect("alive").remove::<Skin>().apply(),
        |world, e| world.entity_mut(e).expect("alive").despawn(),
        |world, e| {
            world.despawn_lazy(e).expect("alive");
            assert_eq!(world.shared_values::<Skin>().count(), 0);
            assert_eq!(world.collect(Exact), 1);
        },
        |world, e| {
            world.despawn_lazy(e).expect("alive");
            // A bulk operation collects what is in its way.
            assert_eq!(world.remove_where::<With<X>, X>(), 0);
        },
        |world, _| world.clear(),
        |world, e| {
            let mut other = World::new();
            let there = world.move_entity(e, &mut other).expect("room");
            assert_eq!(other.get::<Skin>(there).map(|skin| skin.number), Some(5));
            other.validate().expect("consistent");
        },
        |world, e| {
            let mut commands = world.commands();
            commands.remove::<Skin>(e);
            world.apply(&mut commands).expect("alive");
        },
    ];
    for (at, way) in ways.into_iter().enumerate() {
        let mut world = World::new();
        let entity = world.spawn((X(1), skin(5), Rare(1)));
        check(&mut world, ledger, &[(5, 1)]);
        way(&mut world, entity);
        assert_eq!(ledger.alive(), 0, "way {at}");
        check(&mut world, ledger, &[]);
        // The place of the value is used again, and so is the table.
        let tables = world.stats().tables;
        world.spawn((X(1), skin(6), Rare(1)));
        check(&mut world, ledger, &[(6, 1)]);
        assert_eq!(world.stats().tables, tables, "way {at}");
    }
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_value_stays_while_anybody_has_it() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let (a, b) = (world.spawn(skin(1)), world.spawn((skin(1), X(1))));
    let c = world.spawn((skin(1), Team(1)));
    world.despawn(a).expect("alive");
    check(&mut world, ledger, &[(1, 2)]);
    // Moves that keep the value, and empty the table it was in.
    world.insert(b, Team(2)).expect("alive");
    world.remove::<X>(b).expect("alive");
    world.insert(c, X(3)).expect("alive");
    assert_eq!(world.remove_where::<With<Team>, X>(), 1);
    assert_eq!(world.insert_where::<With<Skin>, _>(X(9)), 2);
    check(&mut world, ledger, &[(1, 2)]);
    assert_eq!(world.shared_values::<Team>().collect::<Vec<_>>(), [(&Team(1), 1), (&Team(2), 1)]);
    world.remove::<Team>(c).expect("alive");
    assert_eq!(world.shared_values::<Team>().collect::<Vec<_>>(), [(&Team(2), 1)]);
    world.insert(b, skin(2)).expect("alive");
    check(&mut world, ledger, &[(1, 1), (2, 1)]);
    world.insert(c, skin(2)).expect("alive");
    check(&mut world, ledger, &[(2, 2)]);
    world.insert(c, skin(2)).expect("alive");
    check(&mut world, ledger, &[(2, 2)]);
}

#[test]
fn an_edit_is_seen_by_all_who_have_the_value() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let ones = world.spawn_batch((0..10).map(|n| (skin(1), X(n)))).to_vec();
    let more = world.spawn((skin(1), Rare(0), Team(0)));
    let two = world.spawn(skin(2));
    assert_eq!(world.edit_shared::<Skin>(more, |skin| skin.number = 8), Ok(SharedEdit::Apart));
    check(&mut world, ledger, &[(2, 1), (8, 11)]);
    assert!(ones.iter().all(|one| world.get::<Skin>(*one).expect("there").number == 8));
    // It is found by what it is now, and not by what it was.
    let again = world.spawn(skin(8));
    let former = world.spawn(skin(1));
    check(&mut world, ledger, &[(1, 1), (2, 1), (8, 12)]);
    assert!(std::ptr::eq(world.get::<Skin>(again).unwrap(), world.get::<Skin>(more).unwrap()));
    world.edit_shared::<Skin>(two, |_| {}).expect("alive");
    check(&mut world, ledger, &[(1, 1), (2, 1), (8, 12)]);

    world.remove::<Skin>(former).expect("alive");
    let error = world.edit_shared::<Skin>(former, |_| unreachable!()).expect_err("it has none");
    assert!(matches!(error, LookupError::Absent { .. }), "{error}");
    world.despawn(former).expect("alive");
    let error = world.edit_shared::<Skin>(former, |_| unreachable!()).expect_err("dead");
    assert!(matches!(error, LookupError::Dead(_)), "{error}");
}

#[test]
fn values_that_become_equal_are_merged() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let ones = world.spawn_batch((0..5).map(|n| (X(n), skin(1)))).to_vec();
    let twos = world.spawn_batch((5..8).map(|n| (X(n), skin(2)))).to_vec();
    // Where the other value has no entity of this kind the table is taken as it is.
    let rare = world.spawn((skin(1), held::<false, 0>(), Rare(3)));
    let lazy = world.spawn((X(99), skin(1)));
    world.despawn_lazy(lazy).expect("alive");
    assert_eq!(world.edit_shared::<Skin>(ones[0], |skin| skin.number = 2), Ok(SharedEdit::Merged));
    assert_eq!(ledger.alive(), 2, "one skin and what is held");
    let all = groups(&mut world);
    assert_eq!(all.len(), 1);
    assert_eq!(all[&2].len(), 9);
    world.validate().expect("consistent");
    for (n, entity) in ones.iter().chain(&twos).enumerate() {
        assert_eq!(world.get::<X>(*entity).map(|x| x.0 as usize), Some(n));
    }
    assert!(world.has::<Held<false, 0>>(rare) && world.get::<Rare>(rare) == Some(&Rare(3)));
    // And back apart, one by one.
    world.insert(ones[2], skin(1)).expect("alive");
    assert_eq!(world.edit_shared::<Skin>(ones[2], |skin| skin.number = 7), Ok(SharedEdit::Apart));
    assert_eq!(groups(&mut world).keys().copied().collect::<Vec<_>>(), [2, 7]);
    world.validate().expect("consistent");
}

#[test]
fn every_term_and_filter_sees_shared_components() {
    let _ledger = Ledger::new();
    let mut world = World::new();
    let a = world.spawn((skin(1), X(1)));
    let b = world.spawn(skin(2));
    let c = world.spawn((X(3), Rare(3), skin(1)));
    let d = world.spawn(X(4));

    fn found<F: Filter>(world: &mut World) -> Vec<Entity> {
        let mut all: Vec<Entity> = world.query_filtered::<Entity, F>().iter().collect();
        all.sort_unstable();
        all
    }
    assert_eq!(found::<With<Skin>>(&mut world), [a, b, c]);
    assert_eq!(found::<Without<Skin>>(&mut world), [d]);
    assert_eq!(found::<Or<(Without<Skin>, With<Rare>)>>(&mut world), [c, d]);
    assert_eq!(world.query_filtered::<Entity, (With<Skin>, Exact)>().single().unwrap(), b);
    assert_eq!(world.query_filtered::<(Entity, &Skin, &X), Exact>().single().unwrap().0, a);

    let mut items: Vec<_> = world.query::<(Entity, Option<&Skin>, Has<Skin>)>().iter().collect::<Vec<_>>();
    items.sort_by_key(|item| item.0);
    let items: Vec<_> = items.into_iter().map(|(_, skin, has)| (skin.map(|skin| skin.number), has)).collect();
    assert_eq!(items, [(Some(1), true), (Some(2), true), (Some(1), true), (None, false)]);
    assert_eq!(world.query::<AnyOf<(&Skin, &Rare)>>().count(), 3);
    // Driven by a sparse set.
    let (entity, skin, rare) = world.query::<(Entity, &Skin, &Rare)>().single().unwrap();
    assert_eq!((entity, skin.number, rare.0), (c, 1, 3));
    let why: Explanation = world.query::<(&Skin, &X)>().explain(d);
    assert!(why.to_string().contains("&Skin: lacks `Skin`   <- this is why"), "{why}");

    let mut query = world.query::<(&mut X, &Skin)>();
    let mut view = query.view();
    view.get_mut(a).expect("matches").0.0 += 10;
    assert_eq!((view.get_mut(c).expect("matches").1.number, view.contains(b)), (1, false));
    let [(x, one), (_, same)] = world.query::<(&X, &Skin)>().get_many([a, c]).unwrap();
    assert!(x.0 == 11 && std::ptr::eq(one, same));

    let mut chunks: Vec<(u32, usize)> = Vec::new();
    for (skin, entities, xs) in world.query::<(Common<Skin>, Entity, Option<&mut X>)>().chunks() {
        chunks.push((skin.number, entities.len()));
        assert!(xs.is_none_or(|xs| xs.len() == entities.len()));
    }
    assert_eq!(chunks, [(1, 2), (2, 1)]);
    assert_eq!(world.query::<(Common<Skin>, &X)>().iter().map(|(skin, x)| skin.number * x.0).sum::<u32>(), 14);

    // Without the value in its terms, and filtered row by row.
    let mut groups = Vec::new();
    world.query_filtered::<&mut X, Without<Rare>>().for_each_group::<Skin>(|skin, xs| {
        groups.push((skin.number, xs.count()));
    });
    assert_eq!(groups, [(1, 1)]);
    assert_eq!(world.signature(b).unwrap(), [world.register::<Skin>()]);
    // Grouped by value: a table each.
    assert_eq!(world.entities_with(world.components().id_of::<Skin>().unwrap()), [a, c, b]);
}

#[test]
fn a_prepared_query_follows_a_place_that_gets_another_value() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let mut query = Prepared::<&Skin>::new();
    let first = world.spawn(skin(1));
    assert_eq!(query.on(&mut world).single().unwrap().number, 1);
    world.despawn(first).expect("alive");
    assert_eq!(query.on(&mut world).count(), 0);
    world.spawn(skin(2));
    assert_eq!(query.on(&mut world).single().unwrap().number, 2);
    check(&mut world, ledger, &[(2, 1)]);
}

#[test]
fn components_by_id_are_shared_too() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let (entity, id) = (world.spawn(skin(1)), world.register::<Skin>());
    assert_eq!(world.get_dyn(entity, id).unwrap().downcast::<Skin>().unwrap().number, 1);
    assert!(world.get_dyn_mut(entity, id).is_none() && world.lookup_dyn_mut(entity, id).is_err());
    assert!(world.has_dyn(entity, id));
    let mut seen = 0;
    DynQuery::builder().read(id).build().unwrap().for_each(&mut world, |item| {
        assert_eq!(item.get(id).unwrap().downcast::<Skin>().unwrap().number, 1);
        seen += 1;
    });
    assert_eq!(seen, 1);

    // Of a type made at run time values are equal if their bytes are.
    let paint = world.register_dyn(ComponentLayout::new("Paint").size(2).storage(Storage::Shared)).expect("possible");
    let info = world.components().info(paint).unwrap();
    assert_eq!((info.storage(), info.is_shared(), info.is_mutable()), (Storage::Shared, true, false));
    for bytes in [[1, 2], [1, 3], [1, 2]] {
        let entity = world.spawn(X(0));
        world.insert_dyn(entity, paint, DynValue::bytes(&bytes)).expect("fits");
        assert_eq!(world.get_dyn(entity, paint).unwrap().bytes(), Some(&bytes[..]));
    }
    assert_eq!(world.live_values().of("Paint"), 2);
    let painted = world.entities_with(paint);
    let edited = |world: &mut World, to: u8| {
        world.edit_shared_dyn(painted[0], paint, |value| value.bytes().expect("a run-time type")[1] = to)
    };
    assert_eq!(edited(&mut world, 4).expect("shared"), SharedEdit::Apart);
    assert_eq!(world.entities_with(paint).len(), 3);
    assert!(painted.iter().any(|entity| world.get_dyn(*entity, paint).unwrap().bytes() == Some(&[1, 4])));
    assert_eq!(edited(&mut world, 3).expect("shared"), SharedEdit::Merged);
    assert_eq!(world.live_values().of("Paint"), 1);
    world.validate().expect("consistent");
    world.insert_dyn(painted[0], paint, DynValue::bytes(&[1, 2])).expect("fits");
    let renumbered = world.edit_shared_dyn(entity, id, |value| value.downcast::<Skin>().expect("its type").number = 8);
    assert_eq!(renumbered.expect("shared"), SharedEdit::Apart);
    assert_eq!(world.get::<Skin>(entity).unwrap().number, 8);
    world.edit_shared::<Skin>(entity, |skin| skin.number = 1).expect("shared");
    assert!(world.edit_shared_dyn(painted[0], id, |_| unreachable!()).is_err(), "it has none");
    let mut other = World::new();
    let moved = world.move_entity(painted[0], &mut other).expect("room");
    let theirs = other.components().id_by_name("Paint").unwrap();
    assert_eq!(other.get_dyn(moved, theirs).unwrap().bytes(), Some(&[1, 2][..]));
    other.validate().expect("consistent");
    check(&mut world, ledger, &[(1, 1)]);
}

#[derive(Component, Clone)]
#[component(requires(Team = Team(7), X = X(4)))]
struct Player;

#[test]
fn a_shared_component_is_required_and_requires() {
    #[derive(Component, Clone, PartialEq, Eq, Hash)]
    #[component(shared, requires(X = X(1), Rare = Rare(2)))]
    struct Material(u8);

    let (ledger, mut world) = (Ledger::new(), World::new());
    let one = world.spawn(Player);
    let many = world.spawn_batch((0..3).map(|_| Player)).to_vec();
    let given = world.spawn((Player, Team(1)));
    let had = world.spawn(Team(2));
    world.insert(had, Player).expect("alive");
    let late = world.spawn(());
    world.insert(late, (Player, Rare(9))).expect("alive");
    let mut commands = world.commands();
    let (by_command, other) = (commands.spawn(Player), commands.spawn_batch((0..2).map(|_| Player)));
    world.apply(&mut commands).expect("all can be done");
    // Several on one entity, one after the other.
    let chained = commands.spawn(Player);
    commands.insert(chained, X(6));
    commands.insert(chained, Held::<false, 9>(ledger.token()));
    commands.insert(chained, Player);
    commands.remove::<X>(chained);
    commands.insert(chained, Player);
    world.apply(&mut commands).expect("all can be done");
    assert_eq!((world.get::<Team>(chained), world.get::<X>(chained)), (Some(&Team(7)), Some(&X(4))));
    world.despawn(chained).expect("alive");
    let wheres = world.spawn_batch((0..2).map(|n| (Rare(n), X(8)))).to_vec();
    assert_eq!(world.insert_where::<(With<Rare>, Without<Player>), _>(Player), 2);
    for (entity, team, x) in [(one, 7, 4), (many[2], 7, 4), (given, 1, 4), (had, 2, 4), (late, 7, 4)] {
        assert_eq!((world.get::<Team>(entity), world.get::<X>(entity)), (Some(&Team(team)), Some(&X(x))));
    }
    for entity in [by_command, other[1]].iter().chain(&wheres) {
        assert_eq!(world.get::<Team>(*entity), Some(&Team(7)));
    }
    assert_eq!(world.get::<X>(wheres[0]), Some(&X(8)));
    assert_eq!(world.shared_values::<Team>().count(), 3);
    world.validate().expect("consistent");

    world.insert(given, Material(1)).expect("alive");
    assert_eq!((world.get::<X>(given), world.get::<Rare>(given)), (Some(&X(4)), Some(&Rare(2))));
    let fresh = world.spawn(Material(1));
    assert_eq!((world.get::<X>(fresh), world.get::<Rare>(fresh)), (Some(&X(1)), Some(&Rare(2))));
    assert_eq!(world.insert_where::<With<Player>, _>(Material(2)), 12);
    assert_eq!(world.shared_values::<Material>().map(|(_, count)| count).collect::<Vec<_>>(), [1, 12]);
    world.validate().expect("consistent");
}

#[test]
fn tags_depend_on_shared_components() {
    #[derive(Component, Clone, Debug)]
    #[component(depends_on(Team))]
    struct Captain;

    let mut world = World::new();
    let lone = world.spawn(X(1));
    world.insert(lone, Captain).expect_err("no team");
    world.try_spawn((Captain, X(1))).expect_err("no team");
    world.insert(lone, (Captain, Team(1))).expect("with its team");
    let other = world.spawn((Captain, Team(2)));
    // One way through values that are made, and a tag that lacks something on it.
    #[derive(Component, Clone)]
    #[component(requires(Team = Team(3)), depends_on(X))]
    struct Scout;
    world.try_spawn(Scout).expect_err("no X");
    world.insert(other, Scout).expect_err("no X");
    let scout = world.spawn((Scout, X(2)));
    assert_eq!(world.get::<Team>(scout), Some(&Team(3)));
    world.insert(lone, Team(2)).expect("alive");
    assert_eq!(world.edit_shared::<Team>(scout, |team| team.0 = 2), Ok(SharedEdit::Merged));
    assert_eq!(world.query_filtered::<&Team, With<Captain>>().count(), 2);
    assert_eq!(world.remove::<Team>(lone), Ok(1));
    assert!(!world.has::<Captain>(lone) && world.has::<Captain>(other));
    world.remove_where::<With<Captain>, Team>();
    assert!(!world.has::<Captain>(other));
    world.validate().expect("consistent");
}

#[test]
fn a_bulk_insert_of_one_shared_value_moves_whole_tables() {
    const MANY: usize = if cfg!(miri) { 30 } else { 999 };
    let ledger = Ledger::new();
    let mut world = World::new();
    let all = world.spawn_batch((0..u32::try_from(MANY).expect("few")).map(X)).to_vec();
    let before = world.stats().tables;
    assert_eq!(world.insert_where::<With<X>, _>(skin(1)), MANY);
    assert_eq!(ledger.born(), 2, "the one given and a copy of it");
    assert_eq!(world.stats().tables, before + 1);
    check(&mut world, ledger, &[(1, MANY)]);
    assert_eq!(world.insert_where::<With<X>, _>((skin(2), Team(1))), MANY);
    check(&mut world, ledger, &[(2, MANY)]);
    // Into those that have it already, together with others.
    world.insert(all[0], skin(3)).expect("alive");
    world.insert(all[1], Rare(1)).expect("alive");
    assert_eq!(world.insert_where::<With<X>, _>(skin(3)), MANY);
    check(&mut world, ledger, &[(3, MANY)]);
    // Where rows are looked at one by one.
    assert_eq!(world.insert_where::<With<Rare>, _>(skin(4)), 1);
    assert_eq!(world.insert_where_with::<With<X>, _>(|entity| skin(entity.index() % 3)), MANY);
    check(&mut world, ledger, &[(0, MANY / 3), (1, MANY / 3), (2, MANY / 3)]);
    assert_eq!(world.despawn_where::<With<Skin>>(), MANY);
    check(&mut world, ledger, &[]);
}

#[test]
fn a_shared_component_can_be_switched_off_for_one() {
    #[derive(Component, PartialEq, Eq, Hash, Clone, Debug)]
    #[component(shared, toggle)]
    struct Aura(u32);

    let mut world = World::new();
    let all = world.spawn_batch((0..4).map(|n| (Aura(n / 2), X(n)))).to_vec();
    world.switch_off::<Aura>(all[1]).expect("there");
    assert_eq!(world.query::<&Aura>().count(), 3);
    assert_eq!(world.query::<EvenOff<&Aura>>().count(), 4);
    assert_eq!(world.query_filtered::<Entity, Off<Aura>>().single().unwrap(), all[1]);
    assert_eq!(world.query::<(Common<Aura>, Entity)>().chunks().map(|(_, entities)| entities.len()).sum::<usize>(), 3);
    // It stays off with another value, through an edit and through a merge.
    world.insert(all[1], Aura(1)).expect("alive");
    assert!(!world.is_on::<Aura>(all[1]));
    assert_eq!(world.edit_shared::<Aura>(all[1], |aura| aura.0 = 0), Ok(SharedEdit::Merged));
    assert!(!world.is_on::<Aura>(all[1]) && world.is_on::<Aura>(all[0]));
    let copy = world.clone_entity(all[1]).expect("cloneable");
    assert!(!world.is_on::<Aura>(copy));
    world.remove::<Aura>(all[1]).expect("alive");
    world.insert(all[1], Aura(0)).expect("alive");
    assert!(world.is_on::<Aura>(all[1]));
    world.validate().expect("consistent");
}

#[test]
fn observers_are_told_of_shared_components() {
    use std::sync::{Arc, Mutex};

    let log: Arc<Mutex<Vec<(Act, u8)>>> = Arc::default();
    let mut world = World::new();
    for act in [Act::Insert, Act::Replace, Act::Remove] {
        let log = Arc::clone(&log);
        world.observe::<Team>(act, move |trigger| {
            log.lock().unwrap().push((act, trigger.get::<Team>().expect("there").0));
        });
    }
    let told = || std::mem::take(&mut *log.lock().unwrap());
    let all = world.spawn_batch([Team(1), Team(1)]).to_vec();
    assert_eq!(told(), [(Act::Insert, 1), (Act::Insert, 1)]);
    world.insert(all[0], Team(2)).expect("alive");
    assert_eq!(told(), [(Act::Replace, 1), (Act::Insert, 2)]);
    assert_eq!(world.insert_where::<With<Team>, _>(Team(3)), 2);
    assert_eq!(told().len(), 4);
    world.edit_shared::<Team>(all[0], |team| team.0 = 4).expect("there");
    assert_eq!(told(), []);
    world.remove::<Team>(all[0]).expect("alive");
    world.despawn(all[1]).expect("alive");
    assert_eq!(told(), [(Act::Remove, 4), (Act::Remove, 4)]);
    world.spawn(Player);
    assert_eq!(told(), [(Act::Insert, 7)]);
    world.validate().expect("consistent");
}

#[test]
fn claims_share_what_is_shared() {
    let mut world = World::new();
    world.spawn_batch((0..10).map(|n| (Team(u8::try_from(n % 2).unwrap()), X(n))));
    world.spawn_batch((0..5).map(X));
    let mut teams = world.plan("teams");
    let mut with = teams.query_filtered::<(&mut X, &Team), ()>().expect("one part");
    let teams = teams.build();
    let mut others = world.plan("others");
    let mut without = others.query_filtered::<&mut X, Without<Team>>().expect("one part");
    let mut read = others.query::<&Team>().expect("reads what the other reads");
    let others = others.build();
    let lend = world.lend();
    let (first, second) =
        (lend.claim(&teams).expect("free"), lend.claim(&others).expect("kept apart by the component"));
    let mut with = first.query(&mut with).expect("its own");
    let mut without = second.query(&mut without).expect("its own");
    let teams = second.query(&mut read).expect("its own");
    with.for_each(|(x, team)| x.0 += 100 * u32::from(team.0));
    without.for_each(|x| x.0 += 1000);
    assert_eq!(teams.iter().map(|team| u32::from(team.0)).sum::<u32>(), 5);
    drop((first, second));
    drop(lend);
    assert_eq!(world.query::<&X>().iter().map(|x| x.0).sum::<u32>(), 45 + 500 + 10 + 5000);
}

#[test]
fn checksums_look_at_shared_values() {
    #[derive(Component, PartialEq, Eq, Hash, Clone)]
    #[component(shared)]
    struct Paint(u32);

    let build = |numbers: [u32; 4]| {
        let mut world = World::new();
        for number in numbers {
            world.spawn((Paint(number), X(0)));
        }
        world
    };
    let mut one = build([1, 2, 1, 3]);
    assert_eq!(one.checksum(), build([1, 2, 1, 3]).checksum());
    assert_ne!(one.content_checksum(), build([1, 2, 2, 3]).content_checksum());
    // Another way to the same content.
    let mut other = build([1, 2, 2, 2]);
    let all: Vec<Entity> = other.entities().collect();
    other.insert(all[3], Paint(3)).expect("alive");
    other.insert(all[2], Paint(9)).expect("alive");
    other.edit_shared::<Paint>(all[2], |paint| paint.0 = 1).expect("there");
    assert_eq!(other.content_checksum(), one.content_checksum());
    assert_ne!(other.checksum(), one.checksum());
    let before = one.checksum();
    let first = one.entities().next().expect("alive");
    one.edit_shared::<Paint>(first, |paint| paint.0 = 8).expect("there");
    let differs = one.checksum().differs_from(&before);
    assert!(matches!(&differs[..], [ChecksumPart::Component(name)] if name.ends_with("Paint")), "{differs:?}");
}

#[test]
fn memory_and_live_values_count_each_value_once() {
    #[derive(Component, PartialEq, Eq, Hash)]
    #[component(shared)]
    struct Big([u64; 100]);

    let mut world = World::new();
    world.spawn_batch((0..90).map(|n| Big([n % 3; 100])));
    let memory = world.memory();
    let of = memory.components.iter().find(|of| of.name == "Big").expect("listed");
    assert_eq!((of.values, of.live), (3, 2400));
    assert!(of.reserved >= 2400 && of.reserved < 4000, "{}", of.reserved);
    assert_eq!(world.live_values().to_string(), "3 × Big");
    world.clear();
    world.validate().expect("consistent");
    assert_eq!(world.live_values().to_string(), "nothing");
    world.shrink();
    assert_eq!(world.reclaim(), 3);
    world.validate().expect("consistent");
    let memory = world.memory();
    assert!(memory.components.iter().all(|of| of.live == 0 && of.reserved < 1000), "{memory}");
}

#[test]
fn reclaiming_keeps_values_that_are_used() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let all = world.spawn_batch((0..6).map(|n| (skin(n), X(n)))).to_vec();
    for entity in [all[0], all[2], all[5]] {
        world.despawn(entity).expect("alive");
    }
    assert_eq!(world.reclaim(), 3);
    check(&mut world, ledger, &[(1, 1), (3, 1), (4, 1)]);
    world.spawn_batch((10..14).map(|n| (skin(n), X(n))));
    check(&mut world, ledger, &[(1, 1), (3, 1), (4, 1), (10, 1), (11, 1), (12, 1), (13, 1)]);
    assert_eq!(world.edit_shared::<Skin>(all[1], |skin| skin.number = 13), Ok(SharedEdit::Merged));
    check(&mut world, ledger, &[(3, 1), (4, 1), (10, 1), (11, 1), (12, 1), (13, 2)]);
}

#[test]
fn an_entity_takes_its_shared_value_to_another_world() {
    let ledger = Ledger::new();
    let (mut here, mut there) = (World::new(), World::new());
    there.register::<X>();
    there.spawn(skin(3));
    let all = here.spawn_batch([1, 1, 2, 3].map(skin)).to_vec();
    // Others have it: cloned. Nobody else has it: moved. There is one: the own one goes.
    for entity in &all {
        here.move_entity(*entity, &mut there).expect("room");
        here.validate().expect("consistent");
        there.validate().expect("consistent");
    }
    check(&mut there, ledger, &[(1, 2), (2, 1), (3, 2)]);
    assert_eq!(ledger.born(), 6, "five were made, and one cloned");
    check(&mut there, ledger, &[(1, 2), (2, 1), (3, 2)]);
    assert_eq!(here.shared_values::<Skin>().count(), 0);
}

#[test]
fn shared_values_may_be_of_any_size() {
    #[derive(Component, PartialEq, Eq, Hash, Clone, Debug)]
    #[component(shared)]
    struct Nothing;
    #[derive(Component, PartialEq, Eq, Hash, Clone, Debug)]
    #[component(shared)]
    #[repr(align(256))]
    struct Wide(u8);
    #[derive(Component, PartialEq, Eq, Hash, Clone, Debug)]
    #[component(shared)]
    struct Of<T>(Vec<T>);

    let mut world = World::new();
    let all = world.spawn_batch((0..10).map(|n| (Nothing, Wide(n % 3), Of(vec![n % 2])))).to_vec();
    assert_eq!(world.get::<Nothing>(all[3]), Some(&Nothing));
    assert_eq!(world.query::<&Nothing>().count(), 10);
    for wide in world.query::<&Wide>() {
        assert_eq!(std::ptr::from_ref(wide).addr() % 256, 0);
    }
    assert_eq!(world.shared_values::<Nothing>().collect::<Vec<_>>(), [(&Nothing, 10)]);
    assert_eq!(world.shared_values::<Wide>().map(|(_, count)| count).collect::<Vec<_>>(), [4, 3, 3]);
    assert_eq!(world.shared_values::<Of<u8>>().count(), 2);
    world.edit_shared::<Nothing>(all[0], |_| {}).expect("there");
    world.remove::<(Nothing, Wide)>(all[0]).expect("alive");
    world.validate().expect("consistent");
}

#[cfg(feature = "parallel")]
#[test]
fn threads_read_one_value_in_parallel() {
    let mut world = World::new();
    world.spawn_batch((0..5000).map(|n| (Team(u8::try_from(n % 5).unwrap()), X(0))));
    world.query::<(&mut X, &Team)>().par_for_each(|(x, team)| x.0 = u32::from(team.0));
    assert_eq!(world.query::<&X>().iter().map(|x| x.0).sum::<u32>(), 10_000);
    let sums = world.query::<(Common<Team>, &X)>().par_chunks(64, |(team, xs)| xs.len() * usize::from(team.0));
    assert_eq!(sums.iter().sum::<usize>(), 10_000);
}

#[test]
fn a_value_that_only_rows_of_the_dead_have_is_no_group() {
    let mut world = World::new();
    let [gone, left] = [world.spawn(Team(1)), world.spawn(Team(2))];
    world.despawn_lazy(gone).expect("alive");
    let mut groups = Vec::new();
    world.query::<Entity>().for_each_group::<Team>(|team, all| groups.push((team.0, all.collect::<Vec<_>>())));
    assert_eq!(groups, [(2, vec![left])]);
    assert_eq!(world.shared_values::<Team>().count(), 1);
}
