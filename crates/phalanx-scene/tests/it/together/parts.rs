//! What entities are made of, and the roles they can have: one component for each way of storing them.

use super::random::Random;
use glam::{Quat, Vec3};
use phalanx_ecs::prelude::*;
use phalanx_scene::{Node, SceneId, Transform, WorldTransform};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
pub struct Heat(pub u32);

#[derive(Component, Clone, PartialEq, Debug)]
pub struct Label(pub String);

#[derive(Component, Clone, Copy, PartialEq, Debug)]
#[component(storage = "sparse")]
pub struct Charge(pub u32);

#[derive(Component, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[component(shared)]
pub struct Team(pub u32);

#[derive(Component, Clone, Copy, PartialEq, Debug)]
pub struct Hidden;

/// Whom a system spawned, when: by that the book finds out which entity it is.
#[derive(Component, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Born {
    pub scene: SceneId,
    pub step: u64,
}

#[derive(Node)]
pub struct Warm<'w> {
    pub heat: &'w mut Heat,
}

#[derive(Node)]
pub struct Named<'w> {
    pub label: &'w mut Label,
    pub heat: Option<&'w Heat>,
}

#[derive(Node)]
pub struct Charged<'w> {
    pub charge: &'w mut Charge,
    pub label: &'w Label,
}

#[derive(Node)]
#[node(without(Hidden))]
pub struct Seen<'w> {
    pub entity: Entity,
    pub heat: &'w Heat,
}

#[derive(Node)]
pub struct Moving<'w> {
    pub transform: &'w mut Transform,
    pub team: Option<&'w Team>,
}

/// A role.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    Warm,
    Named,
    Charged,
    Seen,
    Moving,
}

impl Kind {
    pub const ALL: [Self; 5] = [Self::Warm, Self::Named, Self::Charged, Self::Seen, Self::Moving];

    pub fn name(self) -> &'static str {
        ["Warm", "Named", "Charged", "Seen", "Moving"][self as usize]
    }

    pub fn of_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == name).expect("one of these")
    }
}

/// Calls a generic method for a role.
macro_rules! for_kind {
    ($kind:expr, $of:expr, $method:ident($($argument:expr),*)) => {
        match $kind {
            $crate::together::parts::Kind::Warm => $of.$method::<$crate::together::parts::Warm>($($argument),*),
            $crate::together::parts::Kind::Named => $of.$method::<$crate::together::parts::Named>($($argument),*),
            $crate::together::parts::Kind::Charged => $of.$method::<$crate::together::parts::Charged>($($argument),*),
            $crate::together::parts::Kind::Seen => $of.$method::<$crate::together::parts::Seen>($($argument),*),
            $crate::together::parts::Kind::Moving => $of.$method::<$crate::together::parts::Moving>($($argument),*),
        }
    };
}
pub(crate) use for_kind;

/// A component that operations give and take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Heat,
    Label,
    Charge,
    Team,
    Hidden,
    Transform,
    /// A `WorldTransform`, which comes along with a `Transform` and can go without it.
    Place,
}

impl Part {
    pub const ALL: [Self; 7] =
        [Self::Heat, Self::Label, Self::Charge, Self::Team, Self::Hidden, Self::Transform, Self::Place];

    pub fn insert(self, world: &mut World, entity: Entity, value: u32) -> Result<(), phalanx_ecs::InsertError> {
        match self {
            Self::Heat => world.insert(entity, heat(value)),
            Self::Label => world.insert(entity, label(value)),
            Self::Charge => world.insert(entity, charge(value)),
            Self::Team => world.insert(entity, team(value)),
            Self::Hidden => world.insert(entity, Hidden),
            Self::Transform => world.insert(entity, transform(value)),
            Self::Place => world.insert(entity, WorldTransform::default()),
        }
    }

    pub fn remove(self, world: &mut World, entity: Entity) -> Result<usize, phalanx_ecs::InsertError> {
        match self {
            Self::Heat => world.remove::<Heat>(entity),
            Self::Label => world.remove::<Label>(entity),
            Self::Charge => world.remove::<Charge>(entity),
            Self::Team => world.remove::<Team>(entity),
            Self::Hidden => world.remove::<Hidden>(entity),
            Self::Transform => world.remove::<Transform>(entity),
            Self::Place => world.remove::<WorldTransform>(entity),
        }
    }

    pub fn add_to(self, bundle: &mut BundleBuilder, value: u32) {
        match self {
            Self::Heat => bundle.add(heat(value)),
            Self::Label => bundle.add(label(value)),
            Self::Charge => bundle.add(charge(value)),
            Self::Team => bundle.add(team(value)),
            Self::Hidden => bundle.add(Hidden),
            Self::Transform => bundle.add(transform(value)),
            Self::Place => bundle.add(WorldTransform::default()),
        };
    }
}

/// Several parts, by bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kit(pub u8);

impl Kit {
    pub fn parts(self) -> impl Iterator<Item = Part> {
        Part::ALL.into_iter().enumerate().filter(move |(at, _)| self.0 >> at & 1 == 1).map(|(_, part)| part)
    }
}

/// The kits that come in batches, in the order of `with_batch`.
pub const BATCHES: [Kit; 4] = [Kit(0b000_0011), Kit(0b010_0001), Kit(0b001_0110), Kit(0b010_1101)];

/// Does something with a function from values to bundles of a batch.
macro_rules! with_batch {
    ($batch:expr, $make:ident => $body:expr) => {{
        use $crate::together::parts::{Hidden, charge, heat, label, team, transform};
        match $batch {
            0 => {
                let $make = |value: u32| (heat(value), label(value));
                $body
            }
            1 => {
                let $make = |value: u32| (transform(value), heat(value));
                $body
            }
            2 => {
                let $make = |value: u32| (charge(value), label(value), Hidden);
                $body
            }
            _ => {
                let $make = |value: u32| (team(value), heat(value), transform(value), charge(value));
                $body
            }
        }
    }};
}
pub(crate) use with_batch;

pub fn heat(value: u32) -> Heat {
    Heat(value % 1000)
}

pub fn label(value: u32) -> Label {
    Label(format!("n{}", value % 100))
}

pub fn charge(value: u32) -> Charge {
    Charge(value % 77)
}

pub fn team(value: u32) -> Team {
    Team(value % 3)
}

pub fn transform(value: u32) -> Transform {
    let mut random = Random(value.into());
    let turn = turn(&mut random);
    // Small enough that the deepest trees stay finite.
    Transform::at(vector(&mut random)).turned(turn).sized(Vec3::ONE + vector(&mut random) * 0.05)
}

#[expect(clippy::cast_precision_loss, reason = "any number will do")]
fn number(random: &mut Random) -> f32 {
    random.below(2001) as f32 / 500.0 - 2.0
}

pub fn vector(random: &mut Random) -> Vec3 {
    Vec3::new(number(random), number(random), number(random))
}

pub fn turn(random: &mut Random) -> Quat {
    let axis = Vec3::new(1.0, number(random), number(random)).normalize();
    Quat::from_axis_angle(axis, number(random))
}
