//! Worked examples.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Filter, Name};

/// How large a thing is now, and how large it was made.
#[derive(Component)]
struct Scale {
    base: f32,
    now: f32,
}

fn scale(base: f32) -> Scale {
    Scale { base, now: base }
}

/// Grows by `rate` a second until it has grown by `max`.
#[derive(Component)]
struct Growth {
    rate: f32,
    max: f32,
}

fn grow(world: &mut World, seconds: f32) {
    for (scale, growth) in world.query::<(&mut Scale, &Growth)>() {
        scale.now = (scale.now + growth.rate * seconds).min(scale.base + growth.max);
    }
}

#[test]
fn x1_a_tree_and_a_rock_grow_by_their_rates_and_a_stone_does_not() {
    let mut world = World::new();
    world.spawn((Name::new("tree"), scale(1.0), Growth { rate: 0.5, max: 3.0 }));
    world.spawn((scale(2.0), Growth { rate: 0.25, max: 0.5 }, Name::new("rock")));
    world.spawn((scale(4.0), Name::new("stone")));
    let scale_of = |world: &World, name: &str| {
        world.named(name).and_then(|thing| world.get::<Scale>(thing)).map(|scale| scale.now)
    };
    let scales =
        |world: &World| ["tree", "rock", "stone"].map(|name| scale_of(world, name).expect("it is there").to_string());

    grow(&mut world, 1.0);
    assert_eq!(scales(&world), ["1.5", "2.25", "4"]);
    for _ in 0..9 {
        grow(&mut world, 1.0);
    }
    assert_eq!(scales(&world), ["4", "2.5", "4"], "each at its base and its maximum");
    grow(&mut world, 100.0);
    assert_eq!(scales(&world), ["4", "2.5", "4"]);
}

#[derive(Component)]
struct Height(f32);
#[derive(Component)]
struct Floating {
    start: f32,
}

/// 0 → 1 → 0 over a phase from 0 to 1.
fn curve(phase: f32) -> f32 {
    1.0 - (2.0 * phase - 1.0).abs()
}

#[test]
fn x2_a_thousand_rocks_float_between_their_start_and_500_above() {
    let mut world = World::new();
    world.spawn_batch((0u16..1000).map(f32::from).map(|start| (Height(start), Floating { start })));
    let mut reached = Vec::new();
    for step in (0u8..=100).step_by(if cfg!(miri) { 50 } else { 1 }) {
        let phase = f32::from(step) / 100.0;
        for (height, floating) in world.query::<(&mut Height, &Floating)>() {
            height.0 = floating.start + 500.0 * curve(phase);
        }
        let above = world.read::<(&Height, &Floating)>().iter().map(|(height, floating)| height.0 - floating.start);
        let above: Vec<f32> = above.collect();
        assert_eq!(above.len(), 1000);
        assert!(above.iter().all(|above| (above - 500.0 * curve(phase)).abs() < 0.01), "{above:?} at phase {phase}");
        assert!(above.iter().all(|above| (0.0..=500.0).contains(above)), "{above:?} at phase {phase}");
        reached.push(above[0]);
    }
    assert_eq!((reached[0], reached[reached.len() / 2], reached[reached.len() - 1]), (0.0, 500.0, 0.0));
}

#[derive(Component, Clone, Debug, PartialEq)]
struct Orc {
    rage: u32,
}
#[derive(Component)]
struct Human;
#[derive(Component)]
struct Club;
#[derive(Component)]
struct Sword(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Oath(&'static str);

#[derive(Bundle)]
struct OrcWarrior {
    orc: Orc,
    club: Club,
}

#[derive(Bundle)]
struct Knight {
    human: Human,
    sword: Sword,
    oath: Oath,
}

fn names<F: Filter>(world: &mut World) -> Vec<String> {
    world.query_filtered::<&Name, F>().iter().map(ToString::to_string).collect()
}

#[test]
fn x6_an_orc_becomes_a_knight_and_an_orc_again() {
    let mut world = World::new();
    let grub = world.spawn((Name::new("Grub"), OrcWarrior { orc: Orc { rage: 7 }, club: Club }));
    world.spawn((Name::new("Snag"), OrcWarrior { orc: Orc { rage: 2 }, club: Club }));
    assert_eq!(names::<With<Orc>>(&mut world), ["Grub", "Snag"]);

    // Race and profession change; the name, and the entity, stay.
    world.remove::<OrcWarrior>(grub).expect("alive");
    world.insert(grub, Knight { human: Human, sword: Sword(3), oath: Oath("never to club again") }).expect("alive");
    assert_eq!(names::<With<Orc>>(&mut world), ["Snag"]);
    assert_eq!(names::<(With<Human>, With<Oath>)>(&mut world), ["Grub"]);
    assert!(world.is_alive(grub) && !world.has::<Club>(grub));
    assert_eq!(world.get::<Sword>(grub).expect("a knight").0, 3);

    // And back, in one move, with what was kept of the oath.
    let knight = world.take::<Knight>(grub).expect("a knight");
    assert_eq!((knight.sword.0, knight.oath.0), (3, "never to club again"));
    world.entity_mut(grub).expect("alive").insert(OrcWarrior { orc: Orc { rage: 9 }, club: Club }).apply();
    assert_eq!(world.get::<Orc>(grub), Some(&Orc { rage: 9 }));
    assert_eq!(names::<With<Human>>(&mut world), [""; 0]);
    world.validate().expect("consistent");
}
