//! What comes along: the same for every storage (C7) and by every route, whatever panics meanwhile.

use crate::hostile::{Ledger, Needs, assert_well, for_both_storages, held, panic_of};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, Requirements, Storage};

macro_rules! family {
    ($module:ident, $storage:literal) => {
        mod $module {
            use phalanx_ecs::prelude::*;
            #[derive(Component)]
            #[component(requires(Middle))]
            pub struct Outer;
            #[derive(Component, Default)]
            #[component(storage = $storage, requires(Inner))]
            pub struct Middle;
            #[derive(Component, Default)]
            pub struct Inner;

            /// Whether inserting `Outer` again brings `Inner` back, where `Middle` is still there.
            pub fn inner_comes_back() -> bool {
                let mut world = World::new();
                let entity = world.spawn(Outer);
                assert!(world.has::<Inner>(entity));
                world.remove::<(Outer, Inner)>(entity).expect("alive");
                assert!(world.has::<Middle>(entity));
                world.insert(entity, Outer).expect("alive");
                world.has::<Inner>(entity)
            }
        }
    };
}

family!(in_tables, "table");
family!(in_sets, "sparse");

#[test]
fn what_a_present_component_requires_is_treated_alike_in_tables_and_sets() {
    assert_eq!(in_tables::inner_comes_back(), in_sets::inner_comes_back());
}

thread_local!(static REQUIRE_PANICS: std::cell::Cell<bool> = const { std::cell::Cell::new(true) });

struct Moody(#[expect(dead_code, reason = "has a size")] u8);
impl Component for Moody {
    const STORAGE: Storage = Storage::Sparse;
    fn require(_: &mut Requirements<'_>) {
        assert!(!REQUIRE_PANICS.get(), "not now");
    }
}

#[derive(Component)]
struct Text(String);

#[test]
fn a_panic_while_requirements_are_collected_leaves_the_type_usable() {
    let mut world = World::new();
    world.register::<Text>();
    assert_eq!(panic_of(|| world.spawn(Moody(0))), "not now");
    REQUIRE_PANICS.set(false);
    world.spawn((Moody(1), Text("here".into())));
    world.validate().expect("consistent");
    assert_eq!(world.query::<&Text>().single().expect("one").0, "here");
}

thread_local!(static FIRST: std::cell::Cell<bool> = const { std::cell::Cell::new(true) });

#[derive(Component)]
struct Wheels(u32);

struct Car;
impl Component for Car {
    fn require(requirements: &mut Requirements<'_>) {
        assert!(!FIRST.replace(false), "not now");
        requirements.add::<Wheels>(|| Wheels(4));
    }
}

#[test]
fn requirements_that_could_not_be_had_are_asked_for_again() {
    let mut world = World::new();
    assert_eq!(panic_of(|| world.spawn(Car)), "not now");
    let car = world.spawn(Car);
    assert_eq!(world.get::<Wheels>(car).expect("it came along").0, 4);
}

#[test]
fn replacing_a_value_brings_what_it_requires() {
    FIRST.set(false);
    let mut world = World::new();
    let (one, two) = (world.spawn(Car), world.spawn(Car));
    for entity in [one, two] {
        world.remove::<Wheels>(entity).expect("alive");
    }
    world.insert(one, Car).expect("alive");
    assert!(world.replace(two, Car).expect("alive").is_some());
    assert_eq!(world.get::<Wheels>(one).expect("came along").0, 4);
    assert_eq!(world.get::<Wheels>(two).expect("came along").0, 4);
    world.get_mut::<Wheels>(two).expect("has it").0 = 3;
    assert!(world.replace(two, Car).expect("alive").is_some());
    assert_eq!(world.get::<Wheels>(two).expect("stayed").0, 3);
    world.validate().expect("consistent");
}

fn a_constructor_that_panics_while_a_value_is_replaced_changes_nothing<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn((Needs::<SPARSE>, held::<SPARSE, 0>()));
    world.retain::<Needs<SPARSE>>(entity).expect("alive");
    for n in 1..=2 {
        ledger.birth_panics_at(n);
        // What was made before is dropped, which panics too.
        ledger.all_drops_panic(true);
        assert_eq!(panic_of(|| world.replace(entity, Needs::<SPARSE>)), "this birth panics");
        ledger.all_drops_panic(false);
        assert_eq!(world.signature(entity).expect("alive").len(), 1);
        assert_well(&world, ledger, 0);
    }
    world.replace(entity, Needs::<SPARSE>).expect("alive");
    assert_well(&world, ledger, 2);
}

for_both_storages!(a_constructor_that_panics_while_a_value_is_replaced_changes_nothing);
