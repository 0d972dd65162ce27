//! [`Node`]: a role as a type.

use phalanx_ecs::{Filter, Terms};

/// A role that an entity can have in a scene: a struct of references to the components it needs.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Node, SceneWorld};
///
/// #[derive(Component)] struct Mesh(u32);
/// #[derive(Component)] struct Place(f32);
/// #[derive(Component)] struct Shadow;
/// #[derive(Component)] struct Hidden;
///
/// #[derive(Node)]
/// #[node(without(Hidden))]
/// struct Drawn<'w> {
///     mesh: &'w Mesh,              // an entity without a mesh cannot be drawn
///     place: &'w mut Place,
///     shadow: Option<&'w Shadow>,  // some have one
/// }
///
/// let mut world = World::new();
/// let level = world.create_scene("level")?;
/// let house = world.spawn(Mesh(7));
/// assert!(level.add_node::<Drawn>(&mut world, house).is_err(), "it has no place");
/// world.insert(house, Place(3.0))?;
/// level.add_node::<Drawn>(&mut world, house)?;
///
/// // What a node needs cannot go while it stays one.
/// world.remove::<Mesh>(house)?;
/// assert!(!level.has_node::<Drawn>(&world, house));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// | field | the entity must have it |
/// |---|---|
/// | `&'w T`, `&'w mut T`, and all else that a query requires | yes |
/// | `Option<&'w T>`, and all else that a query yields only where it is | no |
///
/// A node is a query: fields can be whatever those of [`#[derive(Query)]`](macro@phalanx_ecs::Query) can, with the same attributes.
///
/// | attribute | meaning |
/// |---|---|
/// | `#[node(without(A, B))]` | a node has neither `A` nor `B`: an entity that has one cannot become it, and one that gets one ceases to be it |
/// | `#[node(name = "…")]` | what messages call it; the name of the struct if there is none |
/// | `#[node(crate = "path")]` | where `phalanx_scene` is, if the derive cannot find it |
///
/// A node has a tag of its scene, in tables: who becomes one, or is none any more, moves to another table, which changes the [order](struct@phalanx_ecs::Query#order) in which queries
/// walk; but where there are [very many](crate::Scenes::set_most_role_sets) sets of roles.
///
/// An entity that ceased to be a node does not become one again by itself when it has what it lacked, or has lost what was in the way: it must be
/// [added](crate::SceneId::add_node) again. If it shall only rest meanwhile, leave that to a filter of the system, `Nodes<Flying, Without<Docked>>`:
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Node, Nodes, SceneWorld};
/// use phalanx_schedule::Engine;
///
/// #[derive(Component)] struct Place(f32);
/// #[derive(Component)] struct Docked;
///
/// #[derive(Node)]
/// struct Flying<'w> { place: &'w mut Place }
///
/// fn fly(mut nodes: Nodes<Flying, Without<Docked>>) {
///     nodes.for_each(|node| node.place.0 += 1.0);
/// }
///
/// let mut engine = Engine::new();
/// let sky = engine.world_mut().create_scene("sky")?;
/// sky.add(&mut engine, fly)?;
/// let ship = engine.world_mut().spawn((Place(0.0), Docked));
/// sky.add_node::<Flying>(engine.world_mut(), ship)?;
/// engine.run_frames(5)?;
/// engine.world_mut().remove::<Docked>(ship)?;
/// engine.run_frames(2)?;
/// assert_eq!(engine.world().get::<Place>(ship).unwrap().0, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a node",
    label = "not a role that an entity can have in a scene",
    note = "write `#[derive(Node)]` above a struct of references to components: `struct Drawn<'w> {{ mesh: &'w Mesh }}`"
)]
pub trait Node: Terms {
    /// What a node must not have.
    #[doc(hidden)]
    type Excluded: Filter;
    /// What messages call it.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_scene::Node;
    ///
    /// #[derive(Component)] struct Mesh(u32);
    ///
    /// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    ///
    /// assert_eq!(Drawn::NAME, "Drawn");
    /// ```
    const NAME: &'static str;
}
