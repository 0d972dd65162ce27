//! Components and storage.

use crate::hostile::{Held, Ledger, Tag, assert_well, held, tags_alive};
use phalanx_ecs::prelude::*;
use phalanx_ecs::testing::{Counted, LeakCheck, Witness};
use phalanx_ecs::{ComponentId, ComponentInfo, ComponentLayout, LookupError, SharedEdit, Storage, TakeError};

#[derive(Component, Debug, PartialEq, Clone)]
struct Position(f32, f32);
#[derive(Component, Debug, PartialEq, Clone)]
struct Name(String);
#[derive(Component, Debug, PartialEq, Clone)]
#[component(storage = "sparse")]
struct Burning(u64);
#[derive(Component, Debug, PartialEq, Clone)]
struct Frozen;

fn name(text: &str) -> Name {
    Name(text.into())
}

#[test]
fn c1_types_are_registered_on_first_use_or_explicitly_with_dense_ids_from_0() {
    let mut world = World::new();
    assert_eq!(world.components().len(), 0);
    assert_eq!(world.register::<Name>().index(), 0);
    world.spawn((Position(0.0, 0.0), Burning(1)));
    assert_eq!(world.components().len(), 3);
    assert_eq!(world.components().id_of::<Position>().map(ComponentId::index), Some(1));
    assert_eq!(world.components().id_of::<Burning>().map(ComponentId::index), Some(2));
    assert_eq!(world.components().id_of::<Frozen>(), None);
    assert_eq!(world.register::<Name>().index(), 0, "registering again answers the same id");
    assert!(world.components().iter().map(|info| info.id().index()).eq(0..3));
}

#[test]
fn c1_asking_does_not_register() {
    let mut world = World::new();
    let entity = world.spawn(());
    assert_eq!(world.get::<Name>(entity), None);
    assert_eq!(world.query::<(&Name, Option<&Burning>, Has<Frozen>)>().count(), 0);
    assert_eq!(world.components().len(), 0);
}

#[test]
fn c1_name_size_alignment_and_storage_of_every_type_can_be_listed() {
    let mut world = World::new();
    world.register::<Position>();
    world.register::<Burning>();
    world.register::<Frozen>();
    world.register_dyn(ComponentLayout::new("Mana").size(32).align(16).storage(Storage::Sparse)).expect("possible");
    let list: Vec<_> = world
        .components()
        .iter()
        .map(|info| (info.name(), info.size(), info.align(), info.storage(), info.is_tag()))
        .collect();
    assert_eq!(
        list,
        [
            ("Position", 8, 4, Storage::Table, false),
            ("Burning", 8, 8, Storage::Sparse, false),
            ("Frozen", 0, 1, Storage::Table, true),
            ("Mana", 32, 16, Storage::Sparse, false),
        ]
    );
}

#[test]
fn c1_there_is_no_cap_on_the_number_of_types() {
    let many = if cfg!(miri) { 100 } else { 5000 };
    let mut world = World::new();
    for at in 0..many {
        let storage = if at % 2 == 0 { Storage::Table } else { Storage::Sparse };
        let layout = ComponentLayout::new(format!("Type {at}")).size(1).storage(storage);
        assert_eq!(world.register_dyn(layout).expect("room").index(), at);
    }
    let entity = world.spawn((Position(1.0, 2.0), Burning(3)));
    assert_eq!(world.components().len(), many + 2);
    assert_eq!(world.query::<(&Position, &Burning)>().single(), Ok((&Position(1.0, 2.0), &Burning(3))));
    world.validate().expect("consistent");
    assert!(world.is_alive(entity));
}

#[test]
fn c2_the_signature_is_the_set_of_component_ids_and_the_world_keeps_it() {
    let mut world = World::new();
    let (p, n, b, f) = (
        world.register::<Position>(),
        world.register::<Name>(),
        world.register::<Burning>(),
        world.register::<Frozen>(),
    );
    let entity = world.spawn((Burning(1), Position(0.0, 0.0)));
    assert_eq!(world.signature(entity).expect("alive"), [p, b]);
    world.insert(entity, (Frozen, name("x"))).expect("alive");
    assert_eq!(world.signature(entity).expect("alive"), [p, n, f, b]);
    world.remove::<(Position, Burning)>(entity).expect("alive");
    assert_eq!(world.signature(entity).expect("alive"), [n, f]);
    world.take::<Frozen>(entity).expect("has it");
    assert_eq!(world.signature(entity).expect("alive"), [n]);
    world.retain::<()>(entity).expect("alive");
    assert_eq!(world.signature(entity).expect("alive"), []);
    world.insert_where::<(), _>((name("y"), Burning(2)));
    assert_eq!(world.signature(entity).expect("alive"), [n, b]);
    let copy = world.clone_entity(entity).expect("cloneable");
    assert_eq!(world.signature(copy).expect("alive"), [n, b]);
    world.despawn(entity).expect("alive");
    assert!(world.signature(entity).is_err());
}

#[test]
fn c3_components_of_one_kind_lie_packed_and_removal_swaps_the_last_row_in() {
    let mut world = World::new();
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let all = world.spawn_batch((0..6).map(|n| Position(n as f32, 0.0))).to_vec();
    world.despawn(all[1]).expect("alive");
    world.insert(all[3], Frozen).expect("alive");
    let chunks: Vec<Vec<f32>> =
        world.query::<&Position>().chunks().map(|chunk| chunk.iter().map(|p| p.0).collect()).collect();
    // 5 went to the place of 1; 4 went to that of 3, which has a table of its own now.
    assert_eq!(chunks, [vec![0.0, 5.0, 2.0, 4.0], vec![3.0]]);
    for (at, value) in [(0, 0.0), (2, 2.0), (3, 3.0), (4, 4.0), (5, 5.0)] {
        assert_eq!(world.get::<Position>(all[at]).map(|p| p.0), Some(value));
    }
}

#[test]
fn c3_sparse_components_lie_packed_too() {
    let mut world = World::new();
    let all = world.spawn_batch((0..6).map(Burning)).to_vec();
    world.remove::<Burning>(all[1]).expect("alive");
    let mut query = world.query::<&Burning>();
    let values: Vec<u64> = query.iter().map(|b| b.0).collect();
    assert_eq!(values, [0, 5, 2, 3, 4]);
    let addresses: Vec<usize> = query.iter_mut().map(|b| std::ptr::from_ref(b).addr()).collect();
    assert!(addresses.windows(2).all(|pair| pair[1] - pair[0] == size_of::<Burning>()), "{addresses:?}");
}

#[test]
fn c4_inserting_where_the_component_exists_replaces_it_and_drops_the_old_value_once() {
    fn check<const SPARSE: bool>() {
        let ledger = Ledger::new();
        let mut world = World::new();
        let entity = world.spawn(held::<SPARSE, 0>());
        let new = held::<SPARSE, 0>();
        let id = new.0.id;
        world.insert(entity, new).expect("alive");
        assert_eq!(world.get::<Held<SPARSE, 0>>(entity).expect("there").0.id, id);
        assert_well(&world, ledger, 1);
    }
    check::<false>();
    check::<true>();
}

#[test]
fn c4_replace_hands_the_old_value_back() {
    fn check<const SPARSE: bool>() {
        let ledger = Ledger::new();
        let mut world = World::new();
        let entity = world.spawn(());
        assert_eq!(world.replace(entity, held::<SPARSE, 0>()), Ok(None));
        let first = world.get::<Held<SPARSE, 0>>(entity).expect("there").0.id;
        let old = world.replace(entity, held::<SPARSE, 0>()).expect("alive").expect("there was one");
        assert_eq!(old.0.id, first);
        assert_well(&world, ledger, 2);
        drop(old);
        assert_well(&world, ledger, 1);
    }
    check::<false>();
    check::<true>();
}

#[test]
fn c4_insert_if_new_leaves_what_is_there() {
    fn check<const SPARSE: bool>() {
        let ledger = Ledger::new();
        let mut world = World::new();
        let entity = world.spawn(());
        assert_eq!(world.insert_if_new(entity, held::<SPARSE, 0>()), Ok(true));
        let first = world.get::<Held<SPARSE, 0>>(entity).expect("there").0.id;
        assert_eq!(world.insert_if_new(entity, held::<SPARSE, 0>()), Ok(false));
        assert_eq!(world.get::<Held<SPARSE, 0>>(entity).expect("there").0.id, first);
        assert_well(&world, ledger, 1);
    }
    check::<false>();
    check::<true>();
}

#[test]
fn c4_a_tag_is_replaced_without_being_lost_or_doubled() {
    Ledger::new();
    let mut world = World::new();
    let entity = world.spawn((Tag::<false>::new(), Tag::<true>::new()));
    world.insert(entity, (Tag::<false>::new(), Tag::<true>::new())).expect("alive");
    assert_eq!(tags_alive(), 2);
    drop(world.replace(entity, Tag::<false>::new()).expect("alive"));
    assert_eq!(tags_alive(), 2);
    world.despawn(entity).expect("alive");
    assert_eq!(tags_alive(), 0);
}

/// What there is, to see that a refusal changed nothing.
fn state(world: &World) -> (phalanx_ecs::WorldStats, Vec<(Entity, Vec<ComponentId>)>) {
    let signatures = world.entities().map(|e| (e, world.signature(e).expect("alive"))).collect();
    (world.stats(), signatures)
}

#[test]
fn c5_an_absent_component_is_none_or_an_error_that_names_entity_and_component() {
    let mut world = World::new();
    world.register::<Burning>();
    let entity = world.spawn((name("Bo"), Frozen));
    let before = state(&world);
    assert_eq!(world.get::<Burning>(entity), None);
    assert_eq!(world.get_mut::<Burning>(entity), None);
    assert!(!world.has::<Burning>(entity));
    let error = world.lookup::<Burning>(entity).expect_err("absent").to_string();
    assert!(
        error.starts_with("error[C003]: entity 0v0 has no component `Burning`\n  present: `Name`, `Frozen`\n"),
        "{error}"
    );
    assert!(matches!(world.lookup_mut::<Burning>(entity), Err(LookupError::Absent { .. })));
    let error = world.take::<(Name, Burning)>(entity).expect_err("absent").to_string();
    assert!(error.contains("entity 0v0") && error.contains("missing: `Burning`\n"), "{error}");
    assert_eq!(world.remove::<Burning>(entity), Ok(0));
    assert_eq!(state(&world), before);
    assert_eq!(world.get::<Name>(entity), Some(&name("Bo")));
}

#[test]
fn c5_an_unregistered_type_is_none_or_an_error_that_names_it() {
    let mut world = World::new();
    let entity = world.spawn(Frozen);
    assert_eq!(world.get::<Burning>(entity), None);
    assert_eq!(world.get::<Position>(entity), None);
    assert!(!world.has::<Name>(entity));
    let error = world.lookup::<Burning>(entity).expect_err("absent").to_string();
    assert!(error.contains("entity 0v0 has no component `Burning`"), "{error}");
    let error = world.take::<Position>(entity).expect_err("absent").to_string();
    assert!(error.contains("missing: `Position`"), "{error}");
    assert_eq!(world.remove::<(Name, Burning)>(entity), Ok(0));
    assert_eq!(world.signature(entity).expect("alive").len(), 1);
    world.validate().expect("consistent");
}

#[test]
fn c5_a_dead_entity_is_none_or_an_error_that_names_it() {
    let mut world = World::new();
    let (dead, alive) = (world.spawn((name("a"), Burning(1))), world.spawn((name("b"), Burning(2))));
    world.despawn(dead).expect("alive");
    let before = state(&world);
    assert_eq!((world.get::<Name>(dead), world.get::<Burning>(dead)), (None, None));
    assert_eq!(world.get_mut::<Burning>(dead), None);
    let says_so = |text: String| assert!(text.contains("error[E001]: entity 0v0 is not alive"), "{text}");
    says_so(world.lookup::<Name>(dead).expect_err("dead").to_string());
    says_so(world.insert(dead, name("c")).expect_err("dead").to_string());
    says_so(world.insert_if_new(dead, name("c")).expect_err("dead").to_string());
    says_so(world.replace(dead, Burning(4)).expect_err("dead").to_string());
    says_so(world.remove::<Name>(dead).expect_err("dead").to_string());
    says_so(world.retain::<Name>(dead).expect_err("dead").to_string());
    says_so(world.signature(dead).expect_err("dead").to_string());
    says_so(world.entity(dead).expect_err("dead").to_string());
    assert!(matches!(world.take::<Name>(dead), Err(TakeError::Dead { .. })));
    assert_eq!(state(&world), before);
    assert_eq!(world.get::<Name>(alive), Some(&name("b")));
    world.validate().expect("consistent");
}

#[test]
fn c6_unchecked_access_sees_what_checked_access_sees() {
    let mut world = World::new();
    let entity = world.spawn((Position(1.0, 2.0), Burning(3), Frozen));
    // SAFETY: the entity is alive and has all three.
    unsafe {
        assert_eq!(world.get_unchecked::<Position>(entity), &Position(1.0, 2.0));
        assert_eq!(world.get_unchecked::<Frozen>(entity), &Frozen);
        world.get_unchecked_mut::<Burning>(entity).0 = 9;
    }
    assert_eq!(world.get::<Burning>(entity), Some(&Burning(9)));
    let query = world.query::<&mut Position>();
    // SAFETY: one item of the entity.
    unsafe { query.get_unchecked(entity).expect("matches").1 = 7.0 };
    assert_eq!(world.get::<Position>(entity), Some(&Position(1.0, 7.0)));
}

/// A deterministic source of numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let at = self.roll(from.len() as u64);
        from[usize::try_from(at).expect("a place in the slice")]
    }
}

/// An error without who asked: the script stands in more than one place.
fn first_line(error: &dyn std::error::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_string()
}

/// The same components and the same script for one choice of storages.
macro_rules! variant {
    ($module:ident, $a:literal, $b:literal, ($($c:tt)*), ($($d:tt)*)) => {
        mod $module {
            use super::{Dice, first_line};
            use phalanx_ecs::prelude::*;

            #[derive(Component, Clone, Debug)]
            #[component(storage = $a)]
            pub struct A(u64);
            #[derive(Component, Clone, Debug)]
            #[component(storage = $b)]
            pub struct B(String);
            #[derive(Component, Clone, Debug, Default, PartialEq, Eq, Hash)]
            #[component($($c)*)]
            pub struct C;
            #[derive(Component, Clone, Debug, PartialEq, Eq, Hash)]
            #[component($($d)*, requires(C, A = A(1000)))]
            pub struct D(Vec<u64>);

            fn content(world: &mut World) -> Vec<String> {
                let mut query = world.query::<(Entity, Option<&A>, Option<&B>, Has<C>, Option<&D>)>();
                let items = query.sorted_by_key(|item| item.0);
                items.map(|(e, a, b, c, d)| format!("{e}: {a:?} {b:?} {c} {d:?}")).collect()
            }

            fn counts(world: &mut World) -> [usize; 8] {
                [
                    world.query::<(&A, &B)>().count(),
                    world.query::<(&mut A, Option<&D>)>().iter_mut().count(),
                    world.query_filtered::<&A, Without<B>>().count(),
                    world.query_filtered::<Entity, (With<C>, Without<D>)>().count(),
                    world.query_filtered::<Entity, Or<(With<B>, (With<A>, Without<C>))>>().count(),
                    world.query::<AnyOf<(&A, &B, &D)>>().count(),
                    world.query_filtered::<(&A, Option<&B>), Exact>().count(),
                    world.query_filtered::<(&C, &D), Exact>().count(),
                ]
            }

            /// Everything a program can learn from running the script, storage apart.
            pub fn run(seed: u64, steps: u64) -> Vec<String> {
                let mut dice = Dice(seed);
                let mut world = World::builder().min_free(3).build();
                let mut known: Vec<Entity> = vec![world.spawn(())];
                let mut log = Vec::new();
                for n in 0..steps {
                    let some = dice.pick(&known);
                    let other = dice.pick(&known);
                    let (what, text) = (dice.roll(22), format!("s{n}"));
                    let result = match what {
                        0 => Ok(known.push(world.spawn(A(n)))).map(|()| 0),
                        1 => Ok(known.push(world.spawn((B(text), A(n))))).map(|()| 0),
                        2 => Ok(known.push(world.spawn((C, B(text))))).map(|()| 0),
                        3 => Ok(known.push(world.spawn(D(vec![n; 3])))).map(|()| 0),
                        4 => Ok(known.extend(&world.spawn_batch((0..dice.roll(5)).map(|i| (A(n + i), C))))).map(|()| 0),
                        5 => Ok(known.extend(
                            &world.spawn_columns((vec![A(n), A(n)], vec![D(vec![]), D(vec![n])])).expect("room"),
                        ))
                        .map(|()| 0),
                        6 => world.insert(some, A(n)).map(|()| 1).map_err(|e| first_line(&e)),
                        7 => world.insert(some, (B(text), C)).map(|()| 1).map_err(|e| first_line(&e)),
                        8 => world.insert(some, D(vec![n])).map(|()| 1).map_err(|e| first_line(&e)),
                        9 => world.remove::<(A, B)>(some).map_err(|e| first_line(&e)),
                        10 => world.remove::<(C, D)>(some).map_err(|e| first_line(&e)),
                        11 => world
                            .take::<(B, A)>(some)
                            .map(|taken| taken.1.0.trailing_zeros() as usize)
                            .map_err(|_| "refused".into()),
                        12 => world
                            .replace(some, B(text))
                            .map(|old| old.map_or(0, |b| b.0.len()))
                            .map_err(|e| first_line(&e)),
                        13 => world.insert_if_new(some, D(vec![])).map(usize::from).map_err(|e| first_line(&e)),
                        14 => world.despawn(some).map(|()| 0).map_err(|e| first_line(&e)),
                        15 => world.despawn_batch([some, other]).map_err(|e| first_line(&e)),
                        16 => world
                            .clone_entity(some)
                            .map(|copy| {
                                known.push(copy);
                                0
                            })
                            .map_err(|_| "refused".into()),
                        17 => Ok(world.insert_where_with::<(With<A>, Without<D>), _>(|e| B(format!("w{e}")))),
                        18 => Ok(world.remove_where::<Or<(With<D>, With<C>)>, (A, C)>()),
                        19 => Ok(world.insert_where::<With<B>, _>((C, A(n)))),
                        20 => match world.entity_mut(some) {
                            Ok(mut edit) => {
                                edit.remove::<B>().insert((A(n), D(vec![n]))).remove::<A>();
                                Ok(3)
                            }
                            Err(e) => Err(first_line(&e)),
                        },
                        _ if n % 5 == 0 => {
                            let cut = world.reclaim();
                            assert!(cut < 100);
                            Ok(0)
                        }
                        _ => world.retain::<(A, D)>(some).map_err(|e| first_line(&e)),
                    };
                    for a in world.query_filtered::<&mut A, With<C>>() {
                        a.0 += 1;
                    }
                    log.push(format!("{what} {some} {result:?} {:?} {:?}", counts(&mut world), content(&mut world)));
                    world.validate().expect("consistent");
                }
                log
            }
        }
    };
}

variant!(all_in_tables, "table", "table", (storage = "table"), (storage = "table"));
variant!(all_in_sets, "sparse", "sparse", (storage = "sparse"), (storage = "sparse"));
variant!(half_and_half, "table", "sparse", (storage = "table"), (storage = "sparse"));
variant!(other_half, "sparse", "table", (storage = "sparse"), (storage = "table"));
// What is required and what requires; beside tables and beside sets.
variant!(shared_and_tables, "table", "table", (shared), (shared));
variant!(shared_and_sets, "sparse", "sparse", (shared), (shared));
variant!(shared_tag, "table", "sparse", (shared), (storage = "sparse"));
variant!(shared_values, "sparse", "table", (storage = "table"), (shared));

#[test]
fn c7_the_choice_of_storage_never_changes_results() {
    let (seeds, steps) = if cfg!(miri) { (1, 12) } else { (12, 150) };
    for seed in 0..seeds {
        let expected = all_in_tables::run(seed, steps);
        for (name, log) in [
            ("all in sets", all_in_sets::run(seed, steps)),
            ("half and half", half_and_half::run(seed, steps)),
            ("other half", other_half::run(seed, steps)),
            ("shared and tables", shared_and_tables::run(seed, steps)),
            ("shared and sets", shared_and_sets::run(seed, steps)),
            ("shared tag", shared_tag::run(seed, steps)),
            ("shared values", shared_values::run(seed, steps)),
        ] {
            for (step, (expected, found)) in expected.iter().zip(&log).enumerate() {
                assert_eq!(expected, found, "{name}, seed {seed}, step {step}");
            }
        }
    }
}

#[test]
fn c8_a_shared_value_is_stored_once_and_edited_for_all() {
    /// Equal if the colour is.
    #[derive(Component, Clone, Debug)]
    #[component(shared)]
    struct Material {
        colour: String,
        _counted: Witness,
    }
    impl PartialEq for Material {
        fn eq(&self, other: &Self) -> bool {
            self.colour == other.colour
        }
    }
    impl Eq for Material {}
    impl std::hash::Hash for Material {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            self.colour.hash(state);
        }
    }

    let check = LeakCheck::new();
    let of = |colour: &str| Material { colour: colour.into(), _counted: check.witness::<Material>() };
    let colours = |world: &World| {
        let mut all: Vec<_> = world.shared_values::<Material>().map(|(m, count)| (m.colour.clone(), count)).collect();
        all.sort();
        all
    };
    let mut world = World::new();
    let reds = world.spawn_batch((0..50).map(|_| of("red"))).to_vec();
    let blues = world.spawn_batch((0..30).map(|_| (of("blue"), Position(0.0, 0.0)))).to_vec();
    let extra = world.spawn((of("red"), Position(1.0, 0.0)));
    // One value, many entities; each distinct value is stored once.
    assert_eq!(colours(&world), [("blue".into(), 30), ("red".into(), 51)]);
    assert_eq!((world.live_values().of("Material"), check.left().total()), (2, 2));
    assert!(std::ptr::eq(world.get::<Material>(reds[0]).unwrap(), world.get::<Material>(extra).unwrap()));
    // Entities can be iterated grouped by value.
    let mut groups = Vec::new();
    world.query::<Entity>().for_each_group::<Material>(|m, items| groups.push((m.colour.clone(), items.count())));
    assert_eq!(groups, [("red".into(), 51), ("blue".into(), 30)]);
    // Editing the value is seen by all its entities; a value equal to another is that one.
    assert_eq!(world.edit_shared::<Material>(extra, |m| m.colour = "green".into()), Ok(SharedEdit::Apart));
    assert!(reds.iter().all(|red| world.get::<Material>(*red).unwrap().colour == "green"));
    assert_eq!(world.edit_shared::<Material>(blues[3], |m| m.colour = "green".into()), Ok(SharedEdit::Merged));
    assert_eq!((colours(&world), check.left().total()), (vec![("green".into(), 81)], 1));
    // The value goes when its last user goes.
    world.insert(extra, of("grey")).unwrap();
    assert_eq!(colours(&world), [("green".into(), 80), ("grey".into(), 1)]);
    world.despawn(extra).unwrap();
    world.remove_batch::<Material>(&blues).unwrap();
    assert_eq!(colours(&world), [("green".into(), 50)]);
    world.despawn_batch(&reds).unwrap();
    assert_eq!((colours(&world), world.live_values().of("Material")), (vec![], 0));
    check.finish().unwrap();
    world.validate().unwrap();
}

#[test]
fn c10_a_component_is_visible_or_hidden_and_has_a_short_name() {
    mod deep {
        pub mod down {
            #[derive(phalanx_ecs::Component)]
            pub struct Secret<T: Send + Sync + 'static>(pub T);
        }
    }
    #[derive(Component)]
    #[component(hidden)]
    struct Hidden;
    #[derive(Component)]
    #[component(name = "Hit points")]
    struct Health;

    let mut world = World::new();
    world.register::<Hidden>();
    world.register::<Health>();
    world.register::<deep::down::Secret<Option<u8>>>();
    world.register_dyn(ComponentLayout::new("Run-time").hidden()).expect("possible");
    let list: Vec<_> = world.components().iter().map(|info| (info.name(), info.is_visible())).collect();
    assert_eq!(list, [("Hidden", false), ("Hit points", true), ("Secret<Option<u8>>", true), ("Run-time", false)]);
    let full = world.components().iter().nth(2).expect("there").full_name();
    assert!(full.contains("::deep::down::Secret<"), "{full}");
}

#[test]
fn c11_all_component_types_and_all_entities_of_a_type_can_be_enumerated() {
    let mut world = World::new();
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(1)).expect("possible");
    let a = world.spawn((name("a"), Burning(1)));
    let b = world.spawn((name("b"), Frozen));
    let c = world.spawn((Burning(2), Frozen));
    world.insert_dyn(c, mana, phalanx_ecs::DynValue::bytes(&[1])).expect("fits");
    let names: Vec<&str> = world.components().iter().map(ComponentInfo::name).collect();
    assert_eq!(names, ["Mana", "Name", "Burning", "Frozen"]);
    let of = |world: &World, name: &str| {
        let id = world.components().iter().find(|info| info.name() == name).expect("known").id();
        let mut all = world.entities_with(id);
        all.sort();
        all
    };
    assert_eq!(of(&world, "Name"), [a, b]);
    assert_eq!(of(&world, "Burning"), [a, c]);
    assert_eq!(of(&world, "Frozen"), [b, c]);
    assert_eq!(of(&world, "Mana"), [c]);
    let on_c: Vec<&str> = world.entity(c).expect("alive").components().map(ComponentInfo::name).collect();
    assert_eq!(on_c, ["Mana", "Frozen", "Burning"]);
}

#[test]
fn c12_bytes_live_and_reserved_are_accounted_per_component_type() {
    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(|n| (Position(0.0, 0.0), Burning(n)))).to_vec();
    world.insert_batch(&all[..30], (0..30).map(|_| Frozen)).expect("alive");
    world.despawn_batch(all[90..].iter().copied()).expect("alive");
    let memory = world.memory();
    let of = |name: &str| memory.components.iter().find(|c| c.name == name).expect("known");
    let (position, burning, frozen) = (of("Position"), of("Burning"), of("Frozen"));
    assert_eq!((position.values, position.live), (90, 90 * 8));
    assert_eq!((burning.values, burning.live), (90, 90 * 8));
    assert_eq!((frozen.values, frozen.live, frozen.reserved), (30, 0, 0), "a tag takes no room");
    assert!(position.reserved >= position.live && burning.reserved >= burning.live);
    assert_eq!(memory.live(), 2 * 90 * 8);
    assert!(memory.reserved() > memory.live());
    for component in &memory.components {
        let id = world.components().iter().find(|info| info.name() == component.name).expect("known").id();
        assert_eq!(component.values, world.entities_with(id).len());
    }
}

#[test]
fn c12_bytes_are_accounted_per_table() {
    let mut world = World::new();
    world.spawn_batch((0..40).map(|_| Position(0.0, 0.0)));
    world.spawn_batch((0..10).map(|_| (Position(0.0, 0.0), Frozen, Burning(1))));
    let memory = world.memory();
    let of = |components: &[&str]| memory.tables.iter().find(|t| t.components == components).expect("known");
    let (plain, frozen) = (of(&["Position"]), of(&["Position", "Frozen"]));
    assert_eq!((plain.rows, frozen.rows), (40, 10));
    assert_eq!((plain.live, frozen.live), (40 * (8 + 4), 10 * (8 + 4)), "values and indices");
    assert!(plain.reserved >= plain.live && frozen.reserved >= frozen.live);
    assert_eq!(memory.tables.iter().map(|t| t.rows).sum::<usize>(), world.alive());
}

#[test]
fn c12_memory_grows_with_use_and_goes_back_when_shrunk() {
    let mut world = World::new();
    let empty = world.memory().reserved();
    world.spawn_batch((0..1000).map(|n| (Position(0.0, 0.0), Burning(n))));
    let full = world.memory().reserved();
    assert!(full >= empty + 1000 * 16, "{empty} to {full}");
    world.clear();
    assert_eq!(world.memory().live(), 0);
    assert!(world.memory().reserved() >= empty + 1000 * 16, "clearing keeps the memory");
    world.shrink();
    assert!(world.memory().components.iter().all(|c| c.values == 0 && c.reserved == 0), "{}", world.memory());
    assert!(world.memory().reserved() < full - 1000 * 16);
    world.validate().expect("consistent");
}

#[test]
fn c12_after_a_world_is_dropped_nothing_is_left() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.spawn_batch((0..20).map(|_| (held::<false, 0>(), held::<true, 1>(), Tag::<false>::new())));
    world.spawn_batch((0..20).map(|_| (held::<true, 1>(), Tag::<true>::new())));
    world.spawn_columns((vec![held::<false, 2>(), held::<false, 2>()],)).expect("room");
    world.insert_where::<With<Held<true, 1>>, _>(held::<false, 3>());
    world.remove_where::<With<Tag<false>>, Held<false, 0>>();
    let memory = world.memory();
    assert_eq!(ledger.alive(), 40 + 2 + 40);
    let tokens = memory.components.iter().filter(|c| c.name.starts_with("Held")).map(|c| c.values).sum::<usize>();
    assert_eq!(tokens, ledger.alive(), "the report knows every value");
    assert_eq!(memory.live(), tokens * size_of::<Held<false, 0>>());
    assert_eq!(tags_alive(), 40);
    drop(world);
    assert_eq!((ledger.alive(), tags_alive()), (0, 0));
}

#[test]
fn c12_the_leak_report_says_that_nothing_is_left_or_names_type_and_count() {
    #[derive(Component)]
    struct Health(u32);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Sword;

    let check = LeakCheck::new();
    let mut world = World::new();
    world.spawn_batch((0..3).map(|n| check.count(Health(n))));
    let knight = world.spawn((check.count(Health(9)), check.count(Sword)));
    assert_eq!(world.live_values().total(), 5);
    let kept = world.take::<Counted<Sword>>(knight).expect("has it");
    drop(world);
    let report = check.finish().expect_err("the sword was taken out and is alive");
    assert_eq!((report.left.of("Sword"), report.left.total()), (1, 1), "{report}");
    drop(kept);
    check.finish().expect("nothing is left");
}

#[test]
fn c14_an_orc_becomes_a_knight_by_insert_and_remove_of_bundles() {
    #[derive(Component, Debug, PartialEq)]
    struct Rage(u32);
    #[derive(Component)]
    struct Tusks;
    #[derive(Component, Debug, PartialEq)]
    struct Honour(u32);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Shield;
    #[derive(Bundle)]
    struct Orc {
        rage: Rage,
        tusks: Tusks,
    }
    #[derive(Bundle)]
    struct Knight {
        honour: Honour,
        shield: Shield,
    }

    let mut world = World::new();
    let grub = world.spawn((name("Grub"), Orc { rage: Rage(5), tusks: Tusks }));
    let snag = world.spawn((name("Snag"), Orc { rage: Rage(1), tusks: Tusks }));
    assert_eq!(world.query_filtered::<&Name, With<Rage>>().count(), 2);
    world.insert(grub, Knight { honour: Honour(1), shield: Shield }).expect("alive");
    assert_eq!(world.remove::<Orc>(grub), Ok(2));
    assert_eq!(
        world.query_filtered::<&Name, (With<Honour>, With<Shield>, Without<Rage>)>().single(),
        Ok(&name("Grub"))
    );
    assert_eq!(world.query_filtered::<&Name, With<Rage>>().single(), Ok(&name("Snag")));
    assert_eq!((world.get(grub), world.get(snag)), (Some(&Honour(1)), None::<&Honour>));
    assert_eq!(world.get::<Rage>(snag), Some(&Rage(1)));
    world.validate().expect("consistent");
}

#[test]
fn c13_the_dead_are_collected_by_probing_or_exactly_and_no_query_shows_them() {
    use phalanx_ecs::{Exact, Sampling};

    #[derive(Component)]
    struct Leaf(u32);

    let autumn = |seed: u64| {
        let mut world = World::builder().seed(seed).build();
        let leaves = world.spawn_batch((0..1000).map(Leaf)).to_vec();
        for leaf in leaves.iter().step_by(2) {
            world.despawn_lazy(*leaf).expect("alive");
            assert!(!world.is_alive(*leaf), "the handle dies now");
        }
        assert_eq!((world.uncollected(), world.query::<&Leaf>().count()), (500, 500), "the rows are left");
        (world, leaves)
    };
    let probe = |seed: u64| {
        let (mut world, _) = autumn(seed);
        let found = world.collect(Sampling { live_in_a_row: 4 });
        assert!(world.query::<&Leaf>().iter().all(|leaf| leaf.0 % 2 == 1));
        world.validate().expect("valid");
        (found, world.query::<&Leaf>().iter().map(|leaf| leaf.0).collect::<Vec<_>>())
    };
    // Half of the rows are dead, so four living ones in a row come after some thirty probes; a dead one resets the count.
    let found: Vec<usize> = (0..40).map(|seed| probe(seed).0).collect();
    assert!(found.iter().sum::<usize>() / 40 >= 5 && found.iter().all(|found| *found < 500), "{found:?}");
    assert_eq!(probe(3), probe(3), "seeded");
    assert_ne!(probe(3).1, probe(4).1);
    let (mut world, _) = autumn(0);
    assert_eq!((world.collect(Exact), world.uncollected()), (500, 0), "all of the dead");
    assert_eq!(world.query::<&Leaf>().count(), 500);
}
