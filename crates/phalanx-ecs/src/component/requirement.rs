//! `#[component(requires(…))]`: components that come along.

#![expect(unsafe_code, reason = "writes a made value through a type-erased pointer")]

use super::{Component, ComponentId, Registry, is_checked};
use std::sync::Arc;

/// Makes a value of one type at a place given by pointer.
#[derive(Clone)]
pub(crate) struct Constructor(Arc<dyn Fn(*mut u8) + Send + Sync>);

impl Constructor {
    fn new<T: Component>(make: fn() -> T) -> Self {
        Self(Arc::new(move |place: *mut u8| {
            let value = make();
            // SAFETY: only `write` calls this, and its caller promises a place for a `T`.
            unsafe { place.cast::<T>().write(value) }
        }))
    }

    /// Makes a value at `place`. If making it panics, nothing was written.
    ///
    /// # Safety
    /// 1. `place` is valid for writes and aligned for the component type this was registered for.
    /// 2. What was there needs no drop.
    pub(crate) unsafe fn write(&self, place: *mut u8) {
        (self.0)(place);
    }
}

/// Collects what a component requires; see [`Component::require`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Requirements;
///
/// #[derive(Component)] struct Wheels(u32);
/// struct Car;
///
/// let mut world = World::new();
/// impl Component for Car {
///     fn require(requirements: &mut Requirements<'_>) {
///         requirements.add(|| Wheels(4));
///     }
/// }
/// let car = world.spawn(Car);
/// assert!(world.has::<Wheels>(car));
/// ```
pub struct Requirements<'a> {
    pub(super) registry: &'a mut Registry,
    pub(super) list: Vec<(ComponentId, Constructor)>,
}

impl Requirements<'_> {
    /// Requires `T`, made by `make` where the entity does not have one. The first mention of a type counts.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Requirements;
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Wheels(u32);
    /// #[derive(Component, Default)] struct Fuel(f32);
    /// struct Car;
    ///
    /// impl Component for Car {
    ///     fn require(requirements: &mut Requirements<'_>) {
    ///         requirements.add(|| Wheels(4)).add(Fuel::default);
    ///     }
    /// }
    /// let truck = world.spawn((Car, Wheels(6)));
    /// assert_eq!(world.get::<Wheels>(truck).unwrap().0, 6, "what is there stays");
    /// assert!(world.has::<Fuel>(truck));
    /// ```
    pub fn add<T: Component>(&mut self, make: fn() -> T) -> &mut Self {
        const { refuse_checked(T::UNIQUE, is_checked::<T>()) };
        let id = self.registry.register::<T>();
        if !self.list.iter().any(|(known, _)| *known == id) {
            self.list.push((id, Constructor::new(make)));
        }
        self
    }
}

/// Stops the build if a component is required that is asked first, or of which each entity needs another value.
#[track_caller]
const fn refuse_checked(unique: bool, checked: bool) {
    assert!(
        !unique,
        "a `Uuid` cannot be required, because each entity needs another: insert what `world.new_uuid()` makes"
    );
    assert!(
        !checked,
        "a component with `check` cannot be required, because it may refuse to come: insert it by itself"
    );
}
