//! The [`Resource`] trait.

use crate::component::{Describer, Folder, Kind, TypeKey};

/// A type of which a world can have one value; write `#[derive(Resource)]`.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Resource)]
/// struct Gravity(f32);
///
/// #[derive(Resource, Default)]
/// #[resource(name = "Points")]
/// struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Gravity(9.81));
/// world.init_resource::<Score>().0 += 10;
/// assert_eq!(world.resource::<Score>()?.0, 10);
/// # Ok::<(), phalanx_ecs::NoResource>(())
/// ```
///
/// Attributes, all inside `#[resource(…)]`:
///
/// | attribute | meaning |
/// |---|---|
/// | `name = "…"` | the short name editors and errors show; the type's own name by default |
/// | `no_checksum` | it does not count in [checksums](crate::World::checksum) |
/// | `crate = "…"` | the path of `phalanx_ecs`, where the derive does not find it by itself |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "write `#[derive(Resource)]` above the declaration of `{Self}`, or put it inside a struct of your own that has it"
)]
pub trait Resource: Send + Sync + Sized + 'static {
    /// The short name to show instead of the type's own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Resource)] struct Gravity(f32);
    /// #[derive(Resource)] #[resource(name = "Points")] struct Score(u32);
    ///
    /// assert_eq!((Gravity::NAME, Score::NAME), (None, Some("Points")));
    /// ```
    const NAME: Option<&'static str> = None;
    /// Whether the resource counts in checksums; write `#[resource(no_checksum)]` if not.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Resource)] struct Gravity(f32);
    /// #[derive(Resource)] #[resource(no_checksum)] struct FrameTime(f32);
    ///
    /// assert!(Gravity::CHECKSUM && !FrameTime::CHECKSUM);
    /// ```
    const CHECKSUM: bool = true;
    /// The type's identity at compile time, where it is known.
    #[doc(hidden)]
    const KEY: Option<TypeKey> = None;

    /// What values are made of. The derive writes it.
    #[doc(hidden)]
    fn describe_resource(describer: &mut Describer) -> Kind {
        let _ = describer;
        Describer::opaque::<Self>()
    }

    /// Folds a value into a checksum. The derive writes it.
    #[doc(hidden)]
    fn fold_resource(&self, folder: &mut Folder) {
        let _ = folder;
    }
}
