//! The examples do what they say: the same code, with its results asserted.

#[path = "../examples/growth.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod growth;
#[path = "../examples/orc_and_knight.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod orc_and_knight;
#[cfg(feature = "scene")]
#[path = "../examples/prefabs.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod prefabs;
#[path = "../examples/rocks.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod rocks;

use phalanx::prelude::*;

/// An engine with what a plugin brings.
fn engine_of(plugin: impl FnOnce(&mut Engine) -> phalanx::Result) -> Engine {
    let mut engine = Engine::new();
    engine.add_plugin(plugin).expect("its systems go together");
    engine
}

fn run(engine: &mut Engine, frames: u64) {
    (0..frames).for_each(|_| engine.run_frame(rocks::FRAME).expect("nothing fails"));
}

#[test]
fn x1_the_tree_and_the_rock_grow_by_their_rates_and_the_stone_does_not() {
    let mut engine = engine_of(growth::garden);
    assert_eq!(growth::show(engine.world()), "tree 1.000, rock 2.000, stone 3.000");
    engine.run_frames(2 * 60).expect("nothing fails");
    assert_eq!(growth::show(engine.world()), "tree 2.000, rock 2.250, stone 3.000");
}

#[test]
fn x1_growth_ends_at_the_maximum_on_top_of_the_base_scale() {
    let mut engine = engine_of(growth::garden);
    engine.run_frames(7 * 60).expect("nothing fails");
    assert_eq!(growth::show(engine.world()), "tree 4.500, rock 2.750, stone 3.000", "the rock is done first");
    engine.run_frames(100 * 60).expect("nothing fails");
    assert_eq!(growth::show(engine.world()), "tree 6.000, rock 2.750, stone 3.000");
}

#[test]
fn x1_a_stone_that_gets_a_growth_component_grows_from_then_on() {
    let mut engine = engine_of(growth::garden);
    engine.run_frames(2 * 60).expect("nothing fails");
    let world = engine.world_mut();
    let stone = world.named("stone").expect("there is a stone");
    world.insert(stone, growth::Growth { rate: 1.0, max: 10.0 }).expect("alive");
    engine.run_frames(2 * 60).expect("nothing fails");
    assert_eq!(growth::scale_of(engine.world(), "stone"), Some(5.0));
}

#[test]
fn x1_things_grow_eight_times_a_second_whatever_the_frames() {
    let after = |frames: u32, frame: std::time::Duration| {
        let mut engine = engine_of(growth::garden);
        (0..frames).for_each(|_| engine.run_frame(frame).expect("nothing fails"));
        (growth::scale_of(engine.world(), "tree"), engine.schedule().info(growth::grow).expect("it is there").runs)
    };
    let frame = std::time::Duration::from_millis;
    assert_eq!(after(1, frame(124)), (Some(1.0), 0), "the first step is not over");
    assert_eq!(after(1000, frame(1)), (Some(1.5), 8));
    assert_eq!(after(2, frame(500)), (Some(1.5), 8));
}

fn heights(world: &World) -> Vec<f32> {
    world.read::<(&rocks::Position, &rocks::Floating)>().iter().map(|(at, floating)| at.y - floating.start).collect()
}

#[test]
fn x2_a_thousand_rocks_float_500_units_up_and_come_back() {
    let mut engine = engine_of(rocks::field(1000));
    assert_eq!(heights(engine.world()), [0.0; 1000]);
    let (mut before, mut highest) = (0.0, 0.0_f32);
    for _frame in 0..128 {
        run(&mut engine, 1);
        let now = rocks::height(engine.world());
        assert!(now > before, "on the first half of the way every frame is higher: {before}, then {now}");
        (before, highest) = (now, highest.max(now));
    }
    assert_eq!(heights(engine.world()), [500.0; 1000]);
    for _frame in 0..128 {
        run(&mut engine, 1);
        assert!(rocks::height(engine.world()) < before);
        before = rocks::height(engine.world());
    }
    assert_eq!((heights(engine.world()), highest), (vec![0.0; 1000], 500.0));
}

#[test]
fn x2_rocks_move_up_and_down_only() {
    let mut engine = engine_of(rocks::field(1000));
    let places = |world: &World| world.read::<&rocks::Position>().iter().map(|at| (at.x, at.z)).collect::<Vec<_>>();
    let before = places(engine.world());
    run(&mut engine, 77);
    assert_eq!((places(engine.world()), before.len()), (before, 1000));
}

#[test]
fn x2_rocks_float_alike_on_many_threads() {
    let (mut one, mut many) = (engine_of(rocks::field(1000)), Engine::new());
    rocks::place(many.world_mut(), 1000);
    many.add(rocks::float_on_many_threads).expect("one query");
    run(&mut one, 77);
    run(&mut many, 77);
    let (one, many) = (one.world(), many.world());
    assert_eq!(one.checksum(), many.checksum());
    assert!(one.checksum().is_complete() && rocks::height(one) > 0.0);
}

#[test]
fn x6_one_entity_changes_race_and_profession_at_run_time() -> phalanx::Result {
    use orc_and_knight::{Health, Orc, Sword, become_human, become_orc, become_shaman, knight, parts};

    let mut world = World::new();
    let hero = knight(&mut world);
    let other = knight(&mut world);
    assert_eq!(parts(&world, hero)?, ["Health", "Human", "Name", "Shield", "Sword"]);

    become_orc(&mut world, hero)?;
    assert_eq!(parts(&world, hero)?, ["Health", "Name", "Orc", "Shield", "Sword"]);
    assert_eq!(world.query_filtered::<&Sword, With<Orc>>().count(), 1);

    let carried = become_shaman(&mut world, hero)?;
    assert_eq!(carried.sword.sharpness, 7);
    assert_eq!(parts(&world, hero)?, ["Health", "Name", "Orc", "Shaman"]);
    assert_eq!(world.query_filtered::<&Sword, With<Orc>>().count(), 0);

    become_human(&mut world, hero)?;
    assert_eq!(parts(&world, hero)?, ["Health", "Human", "Name", "Shaman"]);
    assert_eq!(world.get::<Health>(hero).map(|health| health.0), Some(20), "what nobody touched is as it was");
    assert_eq!(parts(&world, other)?, ["Health", "Human", "Name", "Shield", "Sword"], "and so is everybody else");
    Ok(())
}

#[test]
fn x6_who_is_no_knight_cannot_give_up_knighthood_and_is_told_why() -> phalanx::Result {
    use orc_and_knight::{become_shaman, knight, parts};

    let mut world = World::new();
    let hero = knight(&mut world);
    become_shaman(&mut world, hero)?;
    let before = parts(&world, hero)?;
    let error = become_shaman(&mut world, hero).map(|_| ()).expect_err("no knight any more").to_string();
    assert!(error.contains("missing: `Sword`, `Shield`"), "{error}");
    assert_eq!(parts(&world, hero)?, before, "nothing changed");
    Ok(())
}

#[cfg(feature = "scene")]
#[test]
fn tanks_are_copies_that_follow_what_they_are_made_of() -> phalanx::Result {
    use phalanx::PrefabWorld;
    use prefabs::{Armour, aims_with, show, tanks};

    let mut world = World::new();
    let (light, heavy) = tanks(&mut world)?;
    let [hit, whole] = light.instantiate(&mut world, 2)?[..] else { unreachable!("two") };
    let last = heavy.instantiate(&mut world, 1)?[0];
    assert_eq!(show(&world, whole), "tank 50, turret 30, barrel");
    assert_eq!(show(&world, last), "tank 200, turret 30, long barrel");
    for tank in [hit, whole, last] {
        assert_eq!(aims_with(&world, tank), world.part_of(tank, "turret/barrel"));
    }
    world.lookup_mut::<Armour>(hit)?.0 = 7;
    light.insert(&mut world, "", Armour(60))?;
    light.insert(&mut world, "turret", Armour(40))?;
    assert_eq!(show(&world, hit), "tank 7, turret 40, barrel");
    assert_eq!(show(&world, whole), "tank 60, turret 40, barrel");
    assert_eq!(show(&world, last), "tank 200, turret 40, long barrel");
    Ok(())
}
