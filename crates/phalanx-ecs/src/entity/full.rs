//! Why no id can be handed out.

use super::config::HandleLayout;
use super::debug::debug_as_display;
use super::entities::Entities;
use core::fmt;
use core::panic::Location as CodeLocation;

/// The world has no room for the entities asked for.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::SpawnError;
///
/// let mut world = World::builder().limit(1).build();
/// world.spawn(());
/// let Err(SpawnError::Full(error)) = world.try_spawn_batch([(), ()]) else { unreachable!() };
/// assert_eq!((error.limit, error.alive, error.asked), (1, 1, 2));
/// assert!(error.to_string().starts_with("error[E002]: the world has no room for 2 more entities"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntitiesFull {
    /// How many may be alive at once (`Limit`), or how many indices there are (`Indices`).
    pub limit: usize,
    /// How many are alive.
    pub alive: usize,
    /// How many more were asked for.
    pub asked: usize,
    /// What has run out.
    pub kind: FullKind,
    /// Who asked, if known.
    pub caller: Option<&'static CodeLocation<'static>>,
}

/// What a world without room has run out of.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{FullKind, SpawnError};
///
/// let mut world = World::builder().limit(0).build();
/// let Err(SpawnError::Full(error)) = world.try_spawn(()) else { unreachable!() };
/// assert_eq!(error.kind, FullKind::Limit, "a limit can be raised; there are no more indices than there are");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FullKind {
    /// The limit of live entities in its [`EntityConfig`](super::EntityConfig).
    Limit,
    /// The indices of this layout: all are alive or retired.
    Indices(HandleLayout),
}

impl EntitiesFull {
    /// The same error, naming who asked.
    #[must_use]
    pub(crate) fn asked_by(self, caller: &'static CodeLocation<'static>) -> Self {
        Self { caller: Some(caller), ..self }
    }
}

impl fmt::Display for EntitiesFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, alive, asked, kind, caller } = *self;
        let entities = if asked == 1 { "entity" } else { "entities" };
        writeln!(f, "error[E002]: the world has no room for {asked} more {entities}")?;
        match kind {
            FullKind::Limit => writeln!(f, "  limit: {limit}, alive: {alive}"),
            FullKind::Indices(layout) => {
                writeln!(f, "  limit: {limit} indices of layout `{layout:?}`, alive: {alive}")
            }
        }?;
        if let Some(caller) = caller {
            writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
        }
        let remedy = match kind {
            FullKind::Limit => "make the world with `World::builder().limit(…)` and a higher limit",
            FullKind::Indices(HandleLayout::Compact) => {
                "make the world with `World::builder().layout(HandleLayout::Wide)`"
            }
            FullKind::Indices(HandleLayout::Wide) => "share the work between two worlds",
        };
        write!(f, "  help: despawn some first, or {remedy}")
    }
}

impl core::error::Error for EntitiesFull {}
debug_as_display!(EntitiesFull);

impl Entities {
    /// The error for `asked` more entities than there is room for.
    #[cold]
    #[inline(never)]
    pub(crate) fn full(&self, asked: usize, kind: FullKind) -> EntitiesFull {
        let limit = match kind {
            FullKind::Limit => self.limit,
            FullKind::Indices(_) => self.max_indices as usize,
        };
        EntitiesFull { limit, alive: self.alive, asked, kind, caller: None }
    }
}
