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
