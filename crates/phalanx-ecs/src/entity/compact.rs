//! `CompactEntity`: a handle in 32 bits.
//!
//! ```text
//!   31 … 22      21 … 0
//! [ generation | index ]
//! ```
//!
//! A world with the `Compact` layout keeps to these ranges, so all its handles convert without loss.

use super::debug::debug_as_display;
use super::handle::{Entity, ParseEntityError, parse_pair};
use core::fmt;
use core::str::FromStr;

const INDEX_BITS: u32 = 22;

/// An [`Entity`] in 32 bits: the index in the low 22, the generation in the high 10.
///
/// Every handle of a world with [`HandleLayout::Compact`](super::HandleLayout) fits.
///
/// ```
/// use phalanx_ecs::{CompactEntity, Entity};
///
/// let compact: CompactEntity = "5|3".parse()?;
/// assert_eq!(compact.to_bits(), 5 | 3 << 22);
/// assert_eq!(Entity::from(compact).to_string(), "5v3");
/// assert_eq!(CompactEntity::try_from(Entity::from(compact)), Ok(compact));
/// # Ok::<(), phalanx_ecs::ParseEntityError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CompactEntity(u32);

impl CompactEntity {
    /// The highest index that fits.
    ///
    /// ```
    /// use phalanx_ecs::{CompactEntity, Entity};
    ///
    /// let last = Entity::from_parts(CompactEntity::MAX_INDEX, 0).unwrap();
    /// assert!(CompactEntity::try_from(last).is_ok());
    /// let beyond = Entity::from_parts(CompactEntity::MAX_INDEX + 1, 0).unwrap();
    /// assert!(CompactEntity::try_from(beyond).is_err());
    /// ```
    pub const MAX_INDEX: u32 = (1 << INDEX_BITS) - 1;
    /// The highest generation that fits; the next one is 0 again.
    ///
    /// ```
    /// use phalanx_ecs::{CompactEntity, Entity};
    ///
    /// let last = Entity::from_parts(0, CompactEntity::MAX_GENERATION).unwrap();
    /// assert_eq!(CompactEntity::try_from(last).unwrap().to_string(), "0|1023");
    /// let beyond = Entity::from_parts(0, CompactEntity::MAX_GENERATION + 1).unwrap();
    /// assert!(CompactEntity::try_from(beyond).is_err());
    /// ```
    pub const MAX_GENERATION: u32 = u32::MAX >> INDEX_BITS;

    /// The handle with these bits; every `u32` is one.
    ///
    /// ```
    /// use phalanx_ecs::CompactEntity;
    ///
    /// assert_eq!(CompactEntity::from_bits(5).to_string(), "5|0");
    /// assert_eq!(CompactEntity::from_bits(u32::MAX).generation(), CompactEntity::MAX_GENERATION);
    /// ```
    #[inline]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The index in the low 22 bits, the generation in the high 10.
    ///
    /// ```
    /// use phalanx_ecs::CompactEntity;
    ///
    /// let entity: CompactEntity = "5|3".parse()?;
    /// assert_eq!(entity.to_bits(), 5 | 3 << 22);
    /// assert_eq!(CompactEntity::from_bits(entity.to_bits()), entity);
    /// # Ok::<(), phalanx_ecs::ParseEntityError>(())
    /// ```
    #[inline]
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// Which index of its world this entity has.
    ///
    /// ```
    /// use phalanx_ecs::CompactEntity;
    ///
    /// let entity: CompactEntity = "5|3".parse()?;
    /// assert_eq!(entity.index(), 5);
    /// # Ok::<(), phalanx_ecs::ParseEntityError>(())
    /// ```
    #[inline]
    pub const fn index(self) -> u32 {
        self.0 & Self::MAX_INDEX
    }

    /// How many entities had this index before, since generations last started again at 0.
    ///
    /// ```
    /// use phalanx_ecs::CompactEntity;
    ///
    /// let entity: CompactEntity = "5|3".parse()?;
    /// assert_eq!(entity.generation(), 3);
    /// # Ok::<(), phalanx_ecs::ParseEntityError>(())
    /// ```
    #[inline]
    pub const fn generation(self) -> u32 {
        self.0 >> INDEX_BITS
    }
}

const _: () = assert!(CompactEntity::MAX_GENERATION < Entity::MAX_GENERATION);

impl From<CompactEntity> for Entity {
    #[inline]
    fn from(compact: CompactEntity) -> Self {
        Self::from_parts(compact.index(), compact.generation()).expect("10 bits fit")
    }
}

impl TryFrom<Entity> for CompactEntity {
    type Error = NotCompact;

    #[inline]
    fn try_from(entity: Entity) -> Result<Self, NotCompact> {
        if entity.index() > Self::MAX_INDEX || entity.generation() > Self::MAX_GENERATION {
            return Err(NotCompact { entity });
        }
        Ok(Self(entity.index() | (entity.generation() << INDEX_BITS)))
    }
}

/// By index, then by generation, as [`Entity`] is.
impl Ord for CompactEntity {
    #[inline]
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.0.rotate_left(32 - INDEX_BITS).cmp(&other.0.rotate_left(32 - INDEX_BITS))
    }
}

impl PartialOrd for CompactEntity {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for CompactEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}|{}", self.index(), self.generation())
    }
}

impl fmt::Debug for CompactEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for CompactEntity {
    type Err = ParseEntityError;

    fn from_str(text: &str) -> Result<Self, ParseEntityError> {
        let form = "an index, `|` and a generation, as in `5|3`";
        let (index, generation) = parse_pair(text, '|', form, Self::MAX_INDEX, Self::MAX_GENERATION)?;
        Ok(Self(index | (generation << INDEX_BITS)))
    }
}

/// An entity whose index or generation is too high for a [`CompactEntity`].
///
/// ```
/// use phalanx_ecs::{CompactEntity, Entity};
///
/// let entity: Entity = "0v1024".parse()?;
/// let error = CompactEntity::try_from(entity).unwrap_err();
/// assert_eq!(error.entity, entity);
/// assert!(error.to_string().starts_with("error[E004]: entity 0v1024 does not fit a `CompactEntity`"));
/// # Ok::<(), phalanx_ecs::ParseEntityError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotCompact {
    /// The entity that did not fit.
    pub entity: Entity,
}

impl fmt::Display for NotCompact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (index, generation) = (self.entity.index(), self.entity.generation());
        writeln!(f, "error[E004]: entity {} does not fit a `CompactEntity`", self.entity)?;
        if index > CompactEntity::MAX_INDEX {
            writeln!(f, "  found: index {index}, at most {} fits", CompactEntity::MAX_INDEX)?;
        }
        if generation > CompactEntity::MAX_GENERATION {
            let max = CompactEntity::MAX_GENERATION;
            writeln!(f, "  found: generation {generation}, at most {max} fits")?;
        }
        write!(f, "  help: give the world `HandleLayout::Compact`, or keep the `Entity`")
    }
}

impl core::error::Error for NotCompact {}
debug_as_display!(NotCompact);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_without_loss() {
        for (index, generation) in [(0, 0), (5, 3), (CompactEntity::MAX_INDEX, 1023)] {
            let entity = Entity::from_parts(index, generation).expect("in range");
            let compact = CompactEntity::try_from(entity).expect("fits");
            assert_eq!(compact.to_bits(), index | (generation << 22));
            assert_eq!(CompactEntity::from_bits(compact.to_bits()), compact);
            assert_eq!(Entity::from(compact), entity);
            assert_eq!(compact.to_string().parse(), Ok(compact));
        }
        assert_eq!(format!("{:?}", CompactEntity::from_bits(5 | 3 << 22)), "5|3");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let entity = Entity::from_parts(1 << 22, 1024).expect("in range");
        let error = CompactEntity::try_from(entity).expect_err("too high");
        assert_eq!(
            error.to_string(),
            "error[E004]: entity 4194304v1024 does not fit a `CompactEntity`\n  \
             found: index 4194304, at most 4194303 fits\n  \
             found: generation 1024, at most 1023 fits\n  \
             help: give the world `HandleLayout::Compact`, or keep the `Entity`"
        );
        for text in ["5v3", "4194304|0", "0|1024", "|", "0|+1"] {
            text.parse::<CompactEntity>().expect_err(text);
        }
    }

    #[test]
    fn order_is_that_of_the_entities() {
        let compact = |i: u32, g: u32| CompactEntity::from_bits(i | (g << 22));
        assert!([compact(1, 9), compact(2, 0), compact(2, 1), compact(3, 0)].is_sorted());
    }
}
