//! `Entity`: the handle a user holds.
//!
//! ```text
//!            bit 63   62 … 56   55 … 32                  31 … 0
//! debug    [   0    |  salt   | generation + 1         | index ]
//! release  [   0    |           generation + 1         | index ]
//!              └ the dead bit: set only in the world's own stamps
//! ```
//!
//! The upper half is the *stamp*. It is never zero, so `Option<Entity>` is 8 bytes too. The world
//! sets the dead bit in the stamp of an index that is not in use, so such an index equals no handle
//! and "alive" needs no second test.
//!
//! The *salt* says which world made the handle, so that debug builds recognise a foreign one. It is
//! no part of the handle's identity: comparing, hashing, printing and `to_bits` leave it out, and a
//! handle read from bits or text has none (0) and is believed.

use super::debug::debug_as_display;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::num::NonZeroU32;
use core::str::FromStr;

/// Set in the stamp of an index that is dead, never in a handle.
pub(super) const DEAD: u32 = 1 << 31;
/// Whether handles carry the salt of their world.
pub(super) const SALTED: bool = cfg!(debug_assertions);
/// Where the salt starts, in builds that have one.
pub(super) const SALT_SHIFT: u32 = 24;
/// The bits of the salt; none in release builds.
const SALT_MASK: u32 = if SALTED { 0x7F << SALT_SHIFT } else { 0 };
/// The bits of `generation + 1`; all ones is the last stamp an index can have.
pub(super) const GENERATION_MASK: u32 = !(DEAD | SALT_MASK);
/// The stamp of generation 0.
pub(super) const FIRST_STAMP: NonZeroU32 = NonZeroU32::MIN;

/// A handle to an entity: an index, and the generation that tells it from earlier users of that index.
///
/// It is an id and nothing else; it stays valid to hold, compare and print after the entity has died.
///
/// ```
/// use phalanx_ecs::Entity;
///
/// let entity: Entity = "5v3".parse()?;
/// assert_eq!((entity.index(), entity.generation()), (5, 3));
/// assert_eq!(entity.to_string(), "5v3");
/// assert_eq!(Entity::from_bits(entity.to_bits()), Some(entity));
/// assert_eq!(size_of::<Option<Entity>>(), 8);
/// # Ok::<(), phalanx_ecs::ParseEntityError>(())
/// ```
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub struct Entity {
    index: u32,
    stamp: NonZeroU32,
}

const _: () = assert!(size_of::<Entity>() == 8 && size_of::<Option<Entity>>() == 8);

impl Entity {
    /// The highest generation a handle can have: 2³¹ − 2, and 2²⁴ − 2 in debug builds, whose handles
    /// also remember their world.
    ///
    /// ```
    /// use phalanx_ecs::Entity;
    ///
    /// assert!(Entity::from_parts(0, Entity::MAX_GENERATION).is_some());
    /// assert!(Entity::from_parts(0, Entity::MAX_GENERATION + 1).is_none());
    /// ```
    pub const MAX_GENERATION: u32 = GENERATION_MASK - 1;

    /// The handle of `index` at `generation`, or `None` above [`MAX_GENERATION`](Self::MAX_GENERATION).
    ///
    /// ```
    /// use phalanx_ecs::Entity;
    ///
    /// assert_eq!(Entity::from_parts(5, 3).unwrap().to_string(), "5v3");
    /// assert_eq!(Entity::from_parts(5, u32::MAX), None);
    /// ```
    #[inline]
    pub const fn from_parts(index: u32, generation: u32) -> Option<Self> {
        if generation > Self::MAX_GENERATION {
            return None;
        }
        let stamp = FIRST_STAMP.saturating_add(generation);
        Some(Self { index, stamp })
    }

    /// The handle with these bits, or `None` if the generation is above
    /// [`MAX_GENERATION`](Self::MAX_GENERATION).
    ///
    /// A handle that was saved comes back with this. It is believed: [`World::is_alive`](crate::World::is_alive) says whether it means anything.
    ///
    /// ```
    /// use phalanx_ecs::Entity;
    ///
    /// let saved = Entity::from_parts(5, 3).unwrap().to_bits();
    /// assert_eq!(Entity::from_bits(saved), Entity::from_parts(5, 3));
    /// assert_eq!(Entity::from_bits(u64::MAX), None);
    /// ```
    #[inline]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "the low half is the index")]
        Self::from_parts(bits as u32, (bits >> 32) as u32)
    }

    /// The index in the low 32 bits, the generation in the high 32.
    ///
    /// ```
    /// use phalanx_ecs::Entity;
    ///
    /// let entity: Entity = "5v3".parse()?;
    /// assert_eq!(entity.to_bits(), 3 << 32 | 5);
    /// # Ok::<(), phalanx_ecs::ParseEntityError>(())
    /// ```
    #[inline]
    pub const fn to_bits(self) -> u64 {
        // `as`, because `From` is not const.
        ((self.generation() as u64) << 32) | self.index as u64
    }

    /// Which index of its world this entity has.
    ///
    /// At most one living entity has it, so it can be the place of an entity in a list of your own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let [orc, elf] = [world.spawn(()), world.spawn(())];
    /// assert_eq!((orc.index(), elf.index()), (0, 1));
    /// ```
    #[inline]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many entities had this index before.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// let mut world = World::builder().min_free(0).build();
    /// let orc = world.spawn(());
    /// world.despawn(orc)?;
    /// let elf = world.spawn(());
    /// assert_eq!((orc.index(), orc.generation()), (0, 0));
    /// assert_eq!((elf.index(), elf.generation()), (0, 1));
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    #[inline]
    pub const fn generation(self) -> u32 {
        self.bare_stamp() - 1
    }

    /// A handle from a world's own stamp of a live index, and that world's salt.
    #[inline]
    pub(super) fn from_stamp(index: u32, stamp: NonZeroU32, salt: u32) -> Self {
        debug_assert!(stamp.get() & !GENERATION_MASK == 0, "stamp {stamp:#x} of {index}");
        debug_assert!(salt & !SALT_MASK == 0, "salt {salt:#x}");
        let stamp = if SALTED { stamp | salt } else { stamp };
        Self { index, stamp }
    }

    /// The generation + 1: what the world compares with its own stamp of the index.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) const fn bare_stamp(self) -> u32 {
        self.stamp.get() & !SALT_MASK
    }

    /// The salt of the world that made this handle, in place; 0 if unknown, and in release builds.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) const fn salt(self) -> u32 {
        self.stamp.get() & SALT_MASK
    }

    /// What identifies the entity, in the order of memory: in release builds this is one 8-byte load.
    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn identity(self) -> u64 {
        ((self.bare_stamp() as u64) << 32) | self.index as u64
    }
}

impl PartialEq for Entity {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Entity {}

impl Hash for Entity {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.identity());
    }
}

/// By index, then by generation.
impl Ord for Entity {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.identity().rotate_left(32).cmp(&other.identity().rotate_left(32))
    }
}

impl PartialOrd for Entity {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation())
    }
}

impl fmt::Debug for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Entity {
    type Err = ParseEntityError;

    fn from_str(text: &str) -> Result<Self, ParseEntityError> {
        let form = "an index, `v` and a generation, as in `5v3`";
        let (index, generation) = parse_pair(text, 'v', form, u32::MAX, Self::MAX_GENERATION)?;
        Self::from_parts(index, generation).ok_or_else(|| ParseEntityError::new(text, form))
    }
}

/// Reads `<index><separator><generation>`, digits only, each at most its maximum.
pub(super) fn parse_pair(
    text: &str,
    separator: char,
    form: &str,
    max_index: u32,
    max_generation: u32,
) -> Result<(u32, u32), ParseEntityError> {
    let number = |digits: &str, what: &str, max: u32| {
        // `u32::from_str` alone would take a sign.
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ParseEntityError::new(text, form));
        }
        match digits.parse() {
            Ok(number) if number <= max => Ok(number),
            _ => Err(ParseEntityError::new(text, format!("{what} of at most {max}"))),
        }
    };
    let Some((index, generation)) = text.split_once(separator) else {
        return Err(ParseEntityError::new(text, form));
    };
    Ok((number(index, "an index", max_index)?, number(generation, "a generation", max_generation)?))
}

/// A text that is no entity, or no [`CompactEntity`](super::CompactEntity).
///
/// ```
/// use phalanx_ecs::Entity;
///
/// let error = "5-3".parse::<Entity>().unwrap_err();
/// assert_eq!(error.text, "5-3");
/// assert_eq!(error.expected, "an index, `v` and a generation, as in `5v3`");
/// assert!(error.to_string().starts_with("error[E003]: \"5-3\" is not an entity"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseEntityError {
    /// The text that was read.
    pub text: String,
    /// What would have been accepted in its place.
    pub expected: String,
}

impl ParseEntityError {
    fn new(text: &str, expected: impl Into<String>) -> Self {
        Self { text: text.to_owned(), expected: expected.into() }
    }
}

impl fmt::Display for ParseEntityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error[E003]: {:?} is not an entity", self.text)?;
        writeln!(f, "  expected: {}", self.expected)?;
        write!(f, "  help: `Entity` reads `5v3`, `CompactEntity` reads `5|3`")
    }
}

impl core::error::Error for ParseEntityError {}
debug_as_display!(ParseEntityError);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn entity(index: u32, generation: u32) -> Entity {
        Entity::from_parts(index, generation).expect("in range")
    }

    #[test]
    fn bits_and_text_read_back() {
        for (index, generation) in [(0, 0), (5, 3), (u32::MAX, Entity::MAX_GENERATION)] {
            let e = entity(index, generation);
            assert_eq!((e.index(), e.generation()), (index, generation));
            assert_eq!(e.to_bits(), u64::from(index) | (u64::from(generation) << 32));
            assert_eq!(Entity::from_bits(e.to_bits()), Some(e));
            assert_eq!(e.to_string().parse(), Ok(e));
        }
        assert_eq!(format!("{} {:?}", entity(0, 0), entity(5, 3)), "0v0 5v3");
        assert_eq!(Entity::from_parts(0, Entity::MAX_GENERATION + 1), None);
        assert_eq!(Entity::from_bits(u64::MAX), None);
    }

    #[test]
    fn texts_of_another_form_are_refused() {
        for text in ["", "v", "5", "5v", "v3", "5|3", "+5v3", "5v-3", " 5v3", "5v3v1", "4294967296v0"] {
            let error = text.parse::<Entity>().expect_err(text);
            assert_eq!(error.text, text);
        }
        assert_eq!(
            "5|3".parse::<Entity>().expect_err("compact form").to_string(),
            "error[E003]: \"5|3\" is not an entity\n  \
             expected: an index, `v` and a generation, as in `5v3`\n  \
             help: `Entity` reads `5v3`, `CompactEntity` reads `5|3`"
        );
        let error = "4294967296v0".parse::<Entity>().expect_err("index too high");
        assert_eq!(error.expected, "an index of at most 4294967295");
    }

    #[test]
    fn order_is_by_index_then_generation() {
        let sorted = [entity(1, 9), entity(2, 0), entity(2, 1), entity(3, 0)];
        assert!(sorted.is_sorted());
        assert_eq!(entity(2, 1).partial_cmp(&entity(2, 0)), Some(Ordering::Greater));
    }

    #[test]
    fn the_salt_is_no_part_of_the_identity() {
        let salt = 5 << SALT_SHIFT & SALT_MASK;
        let salted = Entity::from_stamp(7, FIRST_STAMP, salt);
        assert_eq!(salted, entity(7, 0));
        assert_eq!(salted.cmp(&entity(7, 0)), Ordering::Equal);
        assert_eq!(salted.to_bits(), 7);
        assert_eq!(HashSet::from([salted, entity(7, 0)]).len(), 1);
        assert_eq!(salted.salt(), salt);
    }
}
