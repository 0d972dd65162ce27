//! What a world is asked to keep to when it is made.

use super::compact::CompactEntity;
use super::handle::GENERATION_MASK;

/// How far indices and generations of a world may go.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{CompactEntity, HandleLayout};
///
/// let mut world = World::builder().layout(HandleLayout::Compact).build();
/// let orc = world.spawn(());
/// assert!(CompactEntity::try_from(orc).is_ok(), "always, in such a world");
/// assert_eq!(HandleLayout::default(), HandleLayout::Wide);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HandleLayout {
    /// 32-bit indices. An index whose generations are used up is retired, so no handle is ever alive twice.
    #[default]
    Wide,
    /// 22-bit indices and 10-bit generations, so that every handle fits a
    /// [`CompactEntity`]. Generations wrap: after 1024 uses of an index its
    /// first handle is alive again.
    Compact,
}

impl HandleLayout {
    /// How many indices there are.
    pub(super) const fn max_indices(self) -> u32 {
        match self {
            Self::Wide => u32::MAX - 1,
            Self::Compact => CompactEntity::MAX_INDEX + 1,
        }
    }

    /// The stamp of the last generation.
    pub(super) const fn last_stamp(self) -> u32 {
        match self {
            Self::Wide => GENERATION_MASK,
            Self::Compact => CompactEntity::MAX_GENERATION + 1,
        }
    }
}

/// How a world hands out entities.
///
/// ```
/// use phalanx_ecs::EntityConfig;
///
/// let config = EntityConfig { limit: Some(10_000), ..EntityConfig::default() };
/// assert_eq!(config.min_free, 1024);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntityConfig {
    /// How far indices and generations go.
    pub layout: HandleLayout,
    /// How many entities may be alive at once; `None` for as many as there are indices.
    pub limit: Option<usize>,
    /// How many freed indices must wait before the oldest is used again, so that a stale handle
    /// meets a new entity late. Waived when no fresh index is left.
    pub min_free: usize,
}

impl Default for EntityConfig {
    fn default() -> Self {
        Self { layout: HandleLayout::Wide, limit: None, min_free: 1024 }
    }
}
