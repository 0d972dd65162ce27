//! Two small prefabs, and what the book expects of their copies.

use super::parts::{Kit, charge, heat, label, transform};
use phalanx_ecs::prelude::*;
use phalanx_scene::{Prefab, PrefabId, PrefabWorld};

/// A part of a prefab: its path, by the position of the part above, and what it has.
pub struct Piece {
    pub path: &'static str,
    pub below: Option<usize>,
    pub kit: Kit,
    pub value: u32,
}

fn piece(path: &'static str, below: Option<usize>, kit: u8, value: u32) -> Piece {
    Piece { path, below, kit: Kit(kit), value }
}

/// What copies of the two are made of, each part after the one above it.
pub fn pieces(prefab: usize) -> Vec<Piece> {
    match prefab {
        0 => vec![
            piece("", None, 0b010_0011, 7),
            piece("arm", Some(0), 0b010_0101, 8),
            piece("arm/hand", Some(1), 0b010_0000, 9),
            piece("lamp", Some(0), 0b000_0110, 10),
        ],
        _ => vec![
            piece("", None, 0b010_0000, 11),
            piece("seat", Some(0), 0b010_0011, 7),
            piece("seat/arm", Some(1), 0b010_0101, 8),
            piece("seat/arm/hand", Some(2), 0b010_0000, 9),
            piece("seat/lamp", Some(1), 0b000_0110, 10),
        ],
    }
}

/// The same for the engine; the second has the first nested in it.
pub fn add(world: &mut World) -> [PrefabId; 2] {
    let hand = Prefab::new().with(transform(9));
    let arm = Prefab::new().with((transform(8), heat(8), charge(8))).part("hand", hand);
    let lamp = Prefab::new().with((charge(10), label(10)));
    let robot = Prefab::new().with((transform(7), heat(7), label(7))).part("arm", arm).part("lamp", lamp);
    let robot = world.add_prefab("robot", robot).expect("a new name");
    let car = Prefab::new().with(transform(11)).part("seat", Prefab::from(robot));
    [robot, world.add_prefab("car", car).expect("a new name")]
}

/// What is changed in copies that are not quite the same.
pub const CHANGED: (Kit, u32) = (Kit(0b001_0001), 12);

pub fn changed() -> Prefab {
    Prefab::new().with((heat(CHANGED.1), super::parts::Hidden))
}
