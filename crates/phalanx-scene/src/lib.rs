//! Nodes and scenes; parents and children, and where they are; prefabs.
//!
//! # Nodes and scenes
//! An entity takes on a role in a scene, a [`Node`](trait@Node): a struct of references to the components it needs. Systems serve scenes, and get the [`Nodes`] of theirs.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_scene::{Node, Nodes, SceneWorld};
//! use phalanx_schedule::Engine;
//!
//! #[derive(Component)] struct Height(f32);
//! #[derive(Component)] struct Speed(f32);
//!
//! #[derive(Node)]
//! struct Falling<'w> { height: &'w mut Height, speed: &'w Speed }
//!
//! fn fall(mut nodes: Nodes<Falling>) {
//!     nodes.for_each(|node| node.height.0 -= node.speed.0);
//! }
//!
//! let mut engine = Engine::new();
//! let level = engine.world_mut().create_scene("level")?;
//! level.add(&mut engine, fall)?;
//! let stone = engine.world_mut().spawn((Height(10.0), Speed(2.0)));
//! level.add_node::<Falling>(engine.world_mut(), stone)?;
//! engine.run_frames(3)?;
//! assert_eq!(engine.world().get::<Height>(stone).unwrap().0, 4.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | see |
//! |---|---|
//! | declare a role | [`Node`](trait@Node) |
//! | make scenes and find them | [`SceneWorld`], [`Scenes`] |
//! | give a role, one by one, in batches, to all that can have it, in a command | [`SceneId::add_node`], [`SceneId::add_nodes`], [`SceneId::add_matching`], [`CommandNodes`] |
//! | take it away, move it, list it | [`SceneId::remove_node`], [`SceneId::move_nodes`], [`SceneId::nodes`], [`SceneWorld::nodes_of`], [`SceneWorld::roles_of`] |
//! | be told that one is lost | [`NodeLeft`] |
//! | let systems serve a scene, in an order | [`SceneId::add`], [`SceneId::order`], [`Nodes`], [`MaybeNodes`], [`SceneTime`] |
//! | know why one does not run | [`SceneId::explain`], [`SystemWoke`], [`SystemSlept`] |
//! | set its pace, pause it, let it run slower | [`SceneId::set_pace`], [`SceneId::pause`], [`SceneId::set_time_scale`] |
//! | end it | [`SceneId::delete`], [`SceneId::clear`] |
//!
//! # Parents and children
//! An entity becomes the child of another by a component, [`ChildOf`], and stays it by every route by which components come and go. Children keep their order;
//! attaching, detaching and moving them among their siblings takes the same time however many there are.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_scene::{ChildOf, Kinship};
//!
//! #[derive(Component)] struct Part(&'static str);
//!
//! let mut world = World::new();
//! let tank = world.spawn(Part("tank"));
//! let turret = world.spawn((Part("turret"), ChildOf(tank)));
//! let barrel = world.spawn((Part("barrel"), ChildOf(turret)));
//! world.spawn((Part("antenna"), ChildOf(tank)));
//!
//! let parts = world.descendants(tank).map(|part| world.get::<Part>(part).unwrap().0);
//! assert!(parts.eq(["turret", "barrel", "antenna"]));
//! assert_eq!(world.root(barrel), tank);
//!
//! // A circle is refused, whoever asks for it.
//! let error = world.insert(tank, ChildOf(barrel)).unwrap_err();
//! assert!(error.to_string().contains("0v0 → 2v0 → 1v0 → 0v0"));
//!
//! // Who goes takes the descendants along.
//! world.despawn(turret)?;
//! assert!(!world.is_alive(barrel));
//! assert_eq!(world.children(tank).len(), 1);
//! # Ok::<(), phalanx_ecs::NoSuchEntity>(())
//! ```
//!
//! | to | see |
//! |---|---|
//! | make an entity a child | [`ChildOf`], [`Kinship::attach`], [`Kinship::attach_all`] |
//! | choose or change its place among its siblings | [`Kinship::attach_at`], [`Place`] |
//! | make it nobody's child | [`Kinship::detach`], [`Kinship::detach_children`] |
//! | walk | [`Kinship::children`], [`Kinship::descendants`], [`Kinship::levels`], [`Kinship::ancestors`], [`Kinship::siblings`] |
//! | ask for one | [`Kinship::parent`], [`Kinship::root`], [`Kinship::depth`], [`Kinship::first_child`], [`Kinship::next_sibling`] and their kind |
//! | let a parent go and keep its children | [`Kinship::despawn_alone`] |
//! | copy a whole tree, or move it to another world | [`Kinship::clone_tree`], [`Kinship::move_tree`] |
//! | put, move, turn and scale entities, and know where they are in the world | [`Transform`], [`Transforms`], [`WorldTransform`], [`propagate`] |
//! | let entities inherit anything else from those above them | [`Inherited`], [`inherit`] |
//! | relate entities in ways of your own | [`Relation`](trait@Relation), [`Relations`], [`TargetEnds`] |
//! | do all this in a system that is lent parts of a world | [`Hierarchy`], which is a resource |
//!
//! # Prefabs
//! A tree of entities is described once, as a value that no query sees, and made as often as it is needed, as fast as batches by hand. What its parts say of each other is said of the
//! parts of each copy; prefabs nest, and derive from each other; and when one changes its instances follow, but for what is their own.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_scene::{Prefab, PrefabWorld};
//!
//! #[derive(Component, Clone)] struct Mesh(&'static str);
//! #[derive(Component, Clone)] struct Health(u32);
//! #[derive(Component, Clone)] struct Aims { with: Entity }
//!
//! let mut world = World::new();
//! let barrel = Prefab::new().with(Mesh("barrel"));
//! let tank = Prefab::new().with((Mesh("tank"), Health(10))).part("barrel", barrel).bind(|parts| Aims { with: parts["barrel"] });
//! let tank = world.add_prefab("tank", tank)?;
//! let heavy = world.add_prefab("heavy tank", Prefab::from(tank).with(Health(50)))?;
//!
//! let tanks = tank.instantiate(&mut world, 1000)?;
//! let boss = heavy.instantiate(&mut world, 1)?[0];
//! assert_eq!(Some(world.get::<Aims>(tanks[7]).unwrap().with), world.part_of(tanks[7], "barrel"));
//!
//! tank.insert(&mut world, "", (Mesh("new tank"), Health(12)))?;
//! let health = |tank| world.get::<Health>(tank).unwrap().0;
//! assert_eq!((health(tanks[7]), health(boss), world.get::<Mesh>(boss).unwrap().0), (12, 50, "new tank"));
//! # Ok::<(), phalanx_scene::PrefabError>(())
//! ```
//!
//! | to | see |
//! |---|---|
//! | describe one, nest it, derive from it, let its parts refer to each other | [`Prefab`] |
//! | keep it in a world, and find it | [`PrefabWorld::add_prefab`], [`PrefabWorld::find_prefab`], [`PrefabWorld::prefabs`] |
//! | make copies, below somebody, with changes of their own, in a command | [`PrefabId::instantiate`], [`PrefabId::copies`], [`CommandPrefabs`] |
//! | find the parts of a copy, and what an entity is a copy of | [`PrefabWorld::part_of`], [`PrefabWorld::prefab_of`], [`PrefabWorld::path_of`], [`PrefabId::instances`] |
//! | change it, with all its instances | [`PrefabId::set`], [`PrefabId::insert`], [`PrefabId::edit`], [`PrefabId::remove`] |
//! | keep what is an instance's own, or give it up | [`PrefabWorld::keep_own`], [`PrefabWorld::is_own`], [`PrefabWorld::revert`] |
//! | rename it, and end it | [`PrefabId::rename`], [`PrefabId::delete`] |
//! | understand an error | [`errors`] |

#![forbid(unsafe_code)]

extern crate self as phalanx_scene;

pub mod errors;
mod here;
mod hierarchy;
mod inherit;
mod node;
mod panics;
mod prefab;
pub mod prelude;
mod relation;
mod scene;
mod transform;

/// What the output of the derives names.
#[doc(hidden)]
pub mod __private {
    pub use crate::node::Node;
    pub use crate::relation::{
        CopiedRelation, Relation, RelationMany, RelationOne, TargetEnds, check_many, check_one, cut, settle, tie,
        validate, validate_one,
    };
    pub use phalanx_ecs::{Check, Entity, Wish, Without, World};
}

/// The vectors and rotations of [`Transform`], in the version that it uses.
#[doc(no_inline)]
pub use glam;
pub use hierarchy::{
    Ancestors, ChildOf, Children, Descendants, Hierarchy, HierarchyError, Kinship, Levels, Parent, Place,
};
pub use inherit::{Inherited, inherit};
pub use node::{CommandNodes, MaybeNodes, Node, NodeError, NodeLeft, Nodes};
pub use phalanx_derive::{Node, Relation};
pub use prefab::{
    CommandPrefabs, Components, Copies, InstanceOf, PartsOfCopy, Prefab, PrefabError, PrefabId, PrefabWorld,
};
pub use relation::{Related, Relation, RelationMany, RelationOne, Relations, TargetEnds, Targeted, Ties};
pub use scene::{
    Doing, Leaving, NameTaken, NoSuchScene, SceneId, SceneSystemError, SceneTime, SceneWorld, Scenes, SystemSlept,
    SystemWoke,
};
pub use transform::{Transform, TransformMode, Transforms, WorldTransform, propagate};
