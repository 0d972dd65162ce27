//! The [`Component`] trait.

use super::{Requirements, TypeKey};

/// Where the values of a component live. The choice changes speed, never results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Storage {
    /// A dense column in each table that has the component: fastest to iterate. Adding or removing it moves the
    /// entity's row to another table. Zero-sized types become tags: part of the table's signature, without a column.
    #[default]
    Table,
    /// A packed set beside the tables: adding and removing is cheap and moves nothing. For what is rare or
    /// comes and goes.
    Sparse,
}

/// A type whose values can be attached to entities; write `#[derive(Component)]`.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component, Clone, PartialEq, Debug)]
/// struct Position { x: f32, y: f32 }
///
/// #[derive(Component)]
/// #[component(storage = "sparse")]
/// struct Burning { seconds_left: f32 }
///
/// #[derive(Component, Default)]
/// #[component(requires(Wheels = Wheels(4)))]
/// struct Car;
///
/// #[derive(Component)]
/// struct Wheels(u32);
///
/// let mut world = World::new();
/// let car = world.spawn(Car);
/// assert_eq!(world.get::<Wheels>(car).unwrap().0, 4);
/// ```
///
/// Attributes, all inside `#[component(…)]`:
///
/// | attribute | meaning |
/// |---|---|
/// | `storage = "table"` or `"sparse"` | where the values live, see [`Storage`] |
/// | `name = "…"` | the short name editors and errors show; the type's own name by default |
/// | `hidden` | editors do not show it |
/// | `requires(A, B = expr)` | inserting this also inserts `A::default()` and `expr`, where they are missing |
/// | `crate = "path"` | where the core is, if the derive cannot find it: `"crate::reexported::phalanx"` |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "write `#[derive(Component)]` above the declaration of `{Self}`, or put it inside a struct of your own that has it"
)]
pub trait Component: Send + Sync + Sized + 'static {
    /// Where the values live.
    const STORAGE: Storage = Storage::Table;
    /// The short name to show instead of the type's own.
    const NAME: Option<&'static str> = None;
    /// Whether editors show the component.
    const VISIBLE: bool = true;
    /// The type's identity at compile time, where it is known.
    #[doc(hidden)]
    const KEY: Option<TypeKey> = None;

    /// Names the components that come with this one.
    fn require(requirements: &mut Requirements<'_>) {
        let _ = requirements;
    }

    /// How to clone a value, if it can be cloned. The derive finds out by itself.
    fn clone_fn() -> Option<fn(&Self) -> Self> {
        None
    }
}
