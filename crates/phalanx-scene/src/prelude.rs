//! What programs with scenes need most often: `use phalanx_scene::prelude::*;`, or `phalanx::scene::prelude`.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_scene::prelude::*;
//!
//! #[derive(Component)] struct Mesh(u32);
//! #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
//!
//! let mut world = World::new();
//! let level = world.create_scene("level")?;
//! let house = world.spawn(Mesh(7));
//! let door = world.spawn((Mesh(8), ChildOf(house)));
//! level.add_matching::<Drawn>(&mut world)?;
//! assert!(level.has_node::<Drawn>(&world, door) && world.children(house).eq([door]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::{
    ChildOf, CommandNodes, CommandPrefabs, Kinship, MaybeNodes, Node, NodeLeft, Nodes, Place, Prefab, PrefabId,
    PrefabWorld, Relation, Relations, SceneId, SceneTime, SceneWorld, Transform, Transforms, WorldTransform, propagate,
};
