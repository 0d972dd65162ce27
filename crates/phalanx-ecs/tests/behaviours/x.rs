//! Worked examples.

use phalanx_ecs::prelude::*;

#[derive(Component)]
struct Scale(f32);

/// Grows by `rate` a second up to `max`, on top of `base`.
#[derive(Component)]
struct Growth {
    base: f32,
    rate: f32,
    max: f32,
    grown: f32,
}

impl Growth {
    fn new(base: f32, rate: f32, max: f32) -> Self {
        Self { base, rate, max, grown: 0.0 }
    }
}

#[derive(Component)]
struct Tree;
#[derive(Component)]
struct Rock;

fn grow(world: &mut World, seconds: f32) {
    world.query::<(&mut Scale, &mut Growth)>().for_each(|(scale, growth)| {
        growth.grown = (growth.grown + growth.rate * seconds).min(growth.max);
        scale.0 = growth.base + growth.grown;
    });
}

#[test]
fn x1_a_tree_and_a_rock_grow_by_their_rates_and_a_stone_does_not() {
    let mut world = World::new();
    let tree = world.spawn((Tree, Scale(1.0), Growth::new(1.0, 0.5, 3.0)));
    let rock = world.spawn((Scale(2.0), Rock, Growth::new(2.0, 0.25, 0.5)));
    let stone = world.spawn((Rock, Scale(4.0)));
    let scales =
        |world: &World| [tree, rock, stone].map(|entity| world.get::<Scale>(entity).expect("has one").0.to_string());

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
struct Float {
    start: f32,
    phase: f32,
}

/// 0 → 1 → 0 over a phase from 0 to 1.
fn curve(phase: f32) -> f32 {
    1.0 - (2.0 * phase - 1.0).abs()
}

#[test]
fn x2_a_thousand_rocks_float_between_their_start_and_500_above() {
    let mut world = World::new();
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let rocks = world.spawn_batch((0..1000).map(|n| {
        let start = n as f32;
        (Rock, Height(start), Float { start, phase: 0.0 })
    }));
    let (mut lowest, mut highest) = (f32::MAX, f32::MIN);
    for step in (0..=100).step_by(if cfg!(miri) { 50 } else { 1 }) {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let phase = step as f32 / 100.0;
        world.query_filtered::<(&mut Height, &mut Float), With<Rock>>().for_each(|(height, float)| {
            float.phase = phase;
            height.0 = float.start + 500.0 * curve(float.phase);
        });
        for (height, float) in world.query::<(&Height, &Float)>() {
            let above = height.0 - float.start;
            assert!((0.0..=500.0).contains(&above), "{above} above the start");
            lowest = lowest.min(above);
            highest = highest.max(above);
        }
        let expected = 500.0 * curve(phase);
        let mut query = world.query::<(&Height, &Float)>();
        assert_eq!(query.count(), rocks.len());
        query.for_each(|(height, float)| {
            let above = height.0 - float.start;
            assert!((above - expected).abs() < 0.01, "{above} above its start, {expected} expected");
        });
    }
    assert!(lowest == 0.0 && (highest - 500.0).abs() < 0.01, "from {lowest} to {highest}");
}

#[derive(Component, Clone, Debug, PartialEq)]
struct Name(&'static str);
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

fn names<F: phalanx_ecs::Filter>(world: &mut World) -> Vec<&'static str> {
    world.query_filtered::<&Name, F>().iter().map(|name| name.0).collect()
}

#[test]
fn x6_an_orc_becomes_a_knight_and_an_orc_again() {
    let mut world = World::new();
    let grub = world.spawn((Name("Grub"), OrcWarrior { orc: Orc { rage: 7 }, club: Club }));
    world.spawn((Name("Snag"), OrcWarrior { orc: Orc { rage: 2 }, club: Club }));
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
