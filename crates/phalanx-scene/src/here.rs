//! Which world this is: an observer can put another in its place, whose entities are others.
//!
//! ```text
//! let here = Here::of(world);        world: stamp 4
//! world.despawn(entity);             an observer defers: std::mem::swap(world, &mut other)
//! here.is(world)                     world: stamp 9, so what is left to do is not to be done here
//! ```
//!
//! The stamp is a resource: it goes wherever its world goes.

use phalanx_ecs::{Resource, World};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A world, as it was when somebody began to do something with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Here(Stamp);

/// Tells one world from another; nothing else comes of it.
#[derive(Resource, Clone, Copy, PartialEq, Eq)]
#[resource(no_checksum)]
struct Stamp(u32);

impl Here {
    /// The world gets its stamp when this is first asked.
    pub(crate) fn of(world: &mut World) -> Self {
        if let Some(stamp) = world.get_resource::<Stamp>() {
            return Self(*stamp);
        }
        static STAMPS: AtomicU32 = AtomicU32::new(0);
        let stamp = Stamp(STAMPS.fetch_add(1, Relaxed));
        world.insert_resource(stamp);
        Self(stamp)
    }

    /// Asked after all that tells observers, before anything else is done.
    pub(crate) fn is(self, world: &World) -> bool {
        world.get_resource::<Stamp>() == Some(&self.0)
    }
}
