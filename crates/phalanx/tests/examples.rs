//! The examples do what they say: the same code, with its results asserted.

#[path = "../examples/growth.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod growth;
#[path = "../examples/orc_and_knight.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod orc_and_knight;
#[path = "../examples/rocks.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod rocks;

use phalanx::prelude::*;

#[test]
fn x1_the_tree_and_the_rock_grow_by_their_rates_and_the_stone_does_not() {
    let mut world = growth::garden();
    assert_eq!(growth::show(&world), "tree 1.000, rock 2.000, stone 3.000");
    growth::grow(&mut world, 2.0);
    assert_eq!(growth::show(&world), "tree 2.000, rock 2.250, stone 3.000");
}

#[test]
fn x1_growth_ends_at_the_maximum_on_top_of_the_base_scale() {
    let mut world = growth::garden();
    for _ in 0..7 {
        growth::grow(&mut world, 1.0);
    }
    assert_eq!(growth::show(&world), "tree 4.500, rock 2.750, stone 3.000", "the rock is done first");
    for _ in 0..100 {
        growth::grow(&mut world, 1.0);
    }
    assert_eq!(growth::show(&world), "tree 6.000, rock 2.750, stone 3.000");
}

#[test]
fn x1_a_stone_that_gets_a_growth_component_grows_from_then_on() {
    let mut world = growth::garden();
    growth::grow(&mut world, 2.0);
    let stone = world.named("stone").expect("there is a stone");
    world.insert(stone, growth::Growth { rate: 1.0, max: 10.0 }).expect("alive");
    growth::grow(&mut world, 2.0);
    assert_eq!(growth::scale_of(&world, "stone"), Some(5.0));
}

/// A frame that `f32` adds up exactly, so that the tests can compare exactly.
const FRAME: f32 = 1.0 / 64.0;

fn heights(world: &mut World) -> Vec<f32> {
    world.query::<(&rocks::Position, &rocks::Floating)>().iter().map(|(at, floating)| at.y - floating.start).collect()
}

#[test]
fn x2_a_thousand_rocks_float_500_units_up_and_come_back() {
    let mut world = rocks::field(1000);
    assert_eq!(heights(&mut world), [0.0; 1000]);
    let (mut before, mut highest) = (0.0, 0.0_f32);
    for _frame in 0..128 {
        rocks::float(&mut world, FRAME);
        let now = rocks::height(&world);
        assert!(now > before, "on the first half of the way every frame is higher: {before}, then {now}");
        (before, highest) = (now, highest.max(now));
    }
    assert_eq!(heights(&mut world), [500.0; 1000]);
    for _frame in 0..128 {
        rocks::float(&mut world, FRAME);
        assert!(rocks::height(&world) < before);
        before = rocks::height(&world);
    }
    assert_eq!((heights(&mut world), highest), (vec![0.0; 1000], 500.0));
}

#[test]
fn x2_rocks_move_up_and_down_only() {
    let mut world = rocks::field(1000);
    let places = |world: &World| world.read::<&rocks::Position>().iter().map(|at| (at.x, at.z)).collect::<Vec<_>>();
    let before = places(&world);
    for _frame in 0..77 {
        rocks::float(&mut world, FRAME);
    }
    assert_eq!((places(&world), before.len()), (before, 1000));
}

#[test]
fn x2_rocks_float_alike_on_many_threads() {
    let (mut one, mut many) = (rocks::field(1000), rocks::field(1000));
    for _frame in 0..77 {
        rocks::float(&mut one, FRAME);
        rocks::float_on_many_threads(&mut many, FRAME);
    }
    assert_eq!(one.checksum(), many.checksum());
    assert!(one.checksum().is_complete() && rocks::height(&one) > 0.0);
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
