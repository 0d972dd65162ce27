//! The [`Event`] trait, and for how long events are kept.

use crate::component::{Describer, Folder, Kind, TypeKey};

/// A type whose values can be sent to whoever reads them; write `#[derive(Event)]`.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Event)]
/// struct Hit { damage: u32 }
///
/// #[derive(Event)]
/// #[event(keep_last = 100)]
/// struct Logged(String);
///
/// let mut world = World::new();
/// let mut hits = EventReader::<Hit>::new();
/// world.send(Hit { damage: 3 });
/// world.send(Hit { damage: 4 });
/// assert_eq!(hits.read(&world).map(|hit| hit.damage).sum::<u32>(), 7);
/// assert_eq!(hits.read(&world).count(), 0, "each is seen once");
/// ```
///
/// Attributes, all inside `#[event(…)]`; without one of the first three events are kept as `keep_updates = 2` says:
///
/// | attribute | meaning |
/// |---|---|
/// | `keep_updates = n` | [`Retention::Updates`] |
/// | `keep_last = n` | [`Retention::Last`] |
/// | `keep_forever` | [`Retention::Forever`] |
/// | `name = "…"` | the short name editors and errors show; the type's own name by default |
/// | `no_checksum` | events of this type do not count in [checksums](crate::World::checksum) |
/// | `crate = "…"` | the path of `phalanx_ecs`, where the derive does not find it by itself |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "write `#[derive(Event)]` above the declaration of `{Self}`, or put it inside a struct of your own that has it"
)]
pub trait Event: Send + Sync + Sized + 'static {
    /// For how long events are kept, if the world is not told otherwise.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Retention;
    /// #[derive(Event)] struct Hit(u32);
    /// #[derive(Event)] #[event(keep_last = 100)] struct Logged(String);
    ///
    /// assert_eq!(Hit::RETENTION, Retention::Updates(2));
    /// assert_eq!(Logged::RETENTION, Retention::Last(100));
    /// ```
    const RETENTION: Retention = Retention::Updates(2);
    /// The short name to show instead of the type's own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Event)] struct Hit(u32);
    /// #[derive(Event)] #[event(name = "A line of the log")] struct Logged(String);
    ///
    /// assert_eq!((Hit::NAME, Logged::NAME), (None, Some("A line of the log")));
    /// ```
    const NAME: Option<&'static str> = None;
    /// Whether events count in checksums; write `#[event(no_checksum)]` if not.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Event)] struct Hit(u32);
    /// #[derive(Event)] #[event(no_checksum)] struct Logged(String);
    ///
    /// assert!(Hit::CHECKSUM && !Logged::CHECKSUM);
    /// ```
    const CHECKSUM: bool = true;
    /// The type's identity at compile time, where it is known.
    #[doc(hidden)]
    const KEY: Option<TypeKey> = None;

    /// What values are made of. The derive writes it.
    #[doc(hidden)]
    fn describe_event(describer: &mut Describer) -> Kind {
        let _ = describer;
        Describer::opaque::<Self>()
    }

    /// Folds a value into a checksum. The derive writes it.
    #[doc(hidden)]
    fn fold_event(&self, folder: &mut Folder) {
        let _ = folder;
    }
}

/// For how long events are kept.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Retention;
///
/// #[derive(Event)] struct Hit(u32);
///
/// let mut world = World::new();
/// world.keep_events::<Hit>(Retention::Last(2));
/// world.send_batch([Hit(1), Hit(2), Hit(3)]);
/// assert!(world.events::<Hit>().iter().map(|hit| hit.0).eq([2, 3]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retention {
    /// The `n`-th call of [`World::update_events`](crate::World::update_events) after an event was sent drops it; 0 counts as 1.
    ///
    /// With 2, the default, a reader that reads between any two calls sees everything, whether it comes before or after those
    /// who send; with 1 it must come after them.
    Updates(u32),
    /// At most so many are kept, at any time: another one takes the place of the oldest.
    Last(usize),
    /// Until [`World::clear_events`](crate::World::clear_events) is called.
    Forever,
}
