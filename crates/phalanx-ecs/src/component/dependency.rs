//! `#[component(depends_on(…))]`: tags that cannot be without others.

use super::{Component, ComponentId, Registry};

/// Collects what a tag depends on; see [`Component::depend`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Dependencies;
///
/// #[derive(Component)] struct Body(f32);
/// struct Falling;
///
/// impl Component for Falling {
///     fn depend(dependencies: &mut Dependencies<'_>) {
///         dependencies.add::<Body>();
///     }
/// }
/// let mut world = World::new();
/// let apple = world.spawn((Body(0.1), Falling));
/// world.remove::<Body>(apple)?;
/// assert!(!world.has::<Falling>(apple));
/// # Ok::<(), phalanx_ecs::InsertError>(())
/// ```
pub struct Dependencies<'a> {
    pub(super) registry: &'a mut Registry,
    pub(super) list: Vec<ComponentId>,
}

impl Dependencies<'_> {
    /// The tag cannot be on an entity without `T`.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Dependencies;
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Body(f32);
    /// #[derive(Component)] struct Position(f32);
    /// struct Falling;
    ///
    /// impl Component for Falling {
    ///     fn depend(dependencies: &mut Dependencies<'_>) {
    ///         dependencies.add::<Body>().add::<Position>();
    ///     }
    /// }
    /// let apple = world.spawn(Body(0.1));
    /// assert!(world.insert(apple, Falling).is_err());
    /// assert!(world.insert(apple, (Position(7.0), Falling)).is_ok());
    /// ```
    pub fn add<T: Component>(&mut self) -> &mut Self {
        let id = self.registry.register::<T>();
        if !self.list.contains(&id) {
            self.list.push(id);
        }
        self
    }
}

/// Stops the build if a component that depends on others is more than a tag.
#[track_caller]
pub const fn refuse_dependent_value(size: usize, in_tables: bool) {
    assert!(
        size == 0 && in_tables,
        "only a tag can depend on other components: a type without fields, and not `storage = \"sparse\"`"
    );
}
