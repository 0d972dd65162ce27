//! [`Uuid`]: a name for an entity that no other has, in this world or elsewhere.

use super::{Entity, debug_as_display};
use std::fmt;
use std::panic::Location;
use std::str::FromStr;
use std::sync::Arc;

/// An id of 128 bits that an entity can carry as a component and keeps for good: through files, networks and worlds, where a handle means nothing.
///
/// Of the entities of a world at most one has a given uuid; [`World::by_uuid`](crate::World::by_uuid) finds it. A second one is refused
/// ([`UuidTaken`]), and the component is immutable: a uuid changes by inserting another one.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Uuid;
///
/// let mut world = World::new();
/// let uuid: Uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8".parse()?;
/// let hero = world.spawn(uuid);
/// assert_eq!(world.by_uuid(&uuid), Some(hero));
/// assert!(world.try_spawn(uuid).is_err());
/// # Ok::<(), phalanx_ecs::ParseUuidError>(())
/// ```
///
/// [`clone_entity`](crate::World::clone_entity) refuses an entity that has one, and [`clone_entity_partly`](crate::World::clone_entity_partly) leaves it out. No component can
/// require it, because each entity needs another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(u128);

impl Uuid {
    /// The uuid with this number.
    ///
    /// ```
    /// use phalanx_ecs::Uuid;
    ///
    /// assert_eq!(Uuid::from_u128(7).to_string(), "00000000-0000-0000-0000-000000000007");
    /// ```
    pub const fn from_u128(number: u128) -> Self {
        Self(number)
    }

    /// The uuid as a number.
    ///
    /// ```
    /// use phalanx_ecs::Uuid;
    ///
    /// assert_eq!(Uuid::from_u128(7).as_u128(), 7);
    /// ```
    pub const fn as_u128(self) -> u128 {
        self.0
    }

    /// The uuid with these bytes, in the order in which it is written.
    ///
    /// ```
    /// use phalanx_ecs::Uuid;
    ///
    /// let uuid = Uuid::from_bytes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    /// assert_eq!(uuid.to_string(), "00010203-0405-0607-0809-0a0b0c0d0e0f");
    /// ```
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// The bytes, in the order in which the uuid is written.
    ///
    /// ```
    /// use phalanx_ecs::Uuid;
    ///
    /// assert_eq!(Uuid::from_u128(7).to_bytes(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
    /// ```
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// A uuid of version 4, as it is marked, with these bits where it has room for them.
    pub(crate) const fn from_random(bits: u128) -> Self {
        Self(bits & !(0xF000 << 64) & !(0b11 << 62) | 0x4000 << 64 | 0b10 << 62)
    }
}

/// Eight, four, four, four and twelve hexadecimal digits.
impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.0;
        let [a, b, c, d, e] = [n >> 96, n >> 80 & 0xFFFF, n >> 64 & 0xFFFF, n >> 48 & 0xFFFF, n & 0xFFFF_FFFF_FFFF];
        write!(f, "{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}")
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads what `Display` writes, in upper or lower case, and the same without hyphens.
impl FromStr for Uuid {
    type Err = ParseUuidError;

    fn from_str(text: &str) -> Result<Self, ParseUuidError> {
        let refused = || ParseUuidError { text: text.to_owned() };
        let hyphens = [8, 13, 18, 23];
        let (mut number, mut digits) = (0, 0);
        for (at, byte) in text.bytes().enumerate() {
            if text.len() == 36 && hyphens.contains(&at) {
                if byte != b'-' {
                    return Err(refused());
                }
                continue;
            }
            let digit = char::from(byte).to_digit(16).ok_or_else(refused)?;
            digits += 1;
            if digits > 32 {
                return Err(refused());
            }
            number = number << 4 | u128::from(digit);
        }
        if digits == 32 { Ok(Self(number)) } else { Err(refused()) }
    }
}

/// A text that is no [`Uuid`].
///
/// ```
/// use phalanx_ecs::Uuid;
///
/// assert_eq!("orc".parse::<Uuid>().unwrap_err().text, "orc");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseUuidError {
    /// The text that was read.
    pub text: String,
}

impl fmt::Display for ParseUuidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error[E007]: {:?} is not a uuid", self.text)?;
        write!(
            f,
            "  expected: 32 hexadecimal digits, as in `67e55044-10b1-426f-9247-bb680e5fe0c8` or without the hyphens"
        )
    }
}

impl core::error::Error for ParseUuidError {}
debug_as_display!(ParseUuidError);

/// A [`Uuid`] that another entity has. Nothing was changed.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{SpawnError, Uuid};
///
/// let mut world = World::new();
/// let hero = world.spawn(Uuid::from_u128(7));
/// let Err(SpawnError::Uuid(taken)) = world.try_spawn(Uuid::from_u128(7)) else { panic!("refused") };
/// assert_eq!(taken.holder, Some(hero));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UuidTaken {
    /// The uuid.
    pub uuid: Uuid,
    /// The entity that has it; `None` if it is there twice in one batch of new entities.
    pub holder: Option<Entity>,
    /// The name of that entity, if it has one.
    pub name: Option<Arc<str>>,
    /// Whether that entity is in another world, to which one was to be moved.
    pub elsewhere: bool,
    /// The entity that was to get it; `None` if that was to be spawned.
    pub wanted: Option<Entity>,
    /// The name of that entity, if it has one.
    pub wanted_name: Option<Arc<str>>,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl UuidTaken {
    /// Both lines about whose it is.
    pub(crate) fn whose(&self) -> String {
        let whom = |entity: Option<Entity>, name: &Option<Arc<str>>, else_: &str| match (entity, name) {
            (Some(entity), Some(name)) => format!("entity {entity} {name:?}"),
            (Some(entity), None) => format!("entity {entity}"),
            (None, _) => else_.to_owned(),
        };
        let mut holder = whom(self.holder, &self.name, "another entity of the same batch");
        if self.elsewhere {
            holder.push_str(" of the other world");
        }
        let wanted = whom(self.wanted, &self.wanted_name, "a new entity");
        format!("  has it: {holder}\n  wanted by: {wanted}")
    }
}

impl fmt::Display for UuidTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "error[E006]: uuid {} is taken\n{}\n  asked by: {}:{}\n  help: `world.new_uuid()` makes one that nobody has; `world.by_uuid(&uuid)` finds who has it",
            self.uuid,
            self.whose(),
            self.caller.file(),
            self.caller.line()
        )
    }
}

impl core::error::Error for UuidTaken {}
debug_as_display!(UuidTaken);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_bytes_read_back() {
        for number in [0, 1, u128::MAX, 0x67e5_5044_10b1_426f_9247_bb68_0e5f_e0c8] {
            let uuid = Uuid::from_u128(number);
            assert_eq!(uuid.to_string().parse(), Ok(uuid));
            assert_eq!(uuid.to_string().to_uppercase().parse(), Ok(uuid));
            assert_eq!(uuid.to_string().replace('-', "").parse(), Ok(uuid));
            assert_eq!(Uuid::from_bytes(uuid.to_bytes()), uuid);
            assert_eq!(uuid.as_u128(), number);
        }
        assert_eq!(Uuid::from_u128(0x1f << 120).to_string(), "1f000000-0000-0000-0000-000000000000");
    }

    #[test]
    fn texts_of_another_form_are_refused() {
        let good = "67e55044-10b1-426f-9247-bb680e5fe0c8";
        for bad in ["", "-", "67e55044", &good[1..], &good[..35], &format!("{good}0"), &good.replace('-', " ")] {
            assert_eq!(bad.parse::<Uuid>().expect_err(bad).text, bad);
        }
        for bad in [
            "67e5504410b1-426f-9247-bb68-0e5fe0c8",
            "+7e55044-10b1-426f-9247-bb680e5fe0c8",
            "67e55044-10b1-426f-9247-bb680e5fe0c\u{e9}",
        ] {
            assert!(bad.parse::<Uuid>().is_err(), "{bad}");
        }
        assert!("é".repeat(18).parse::<Uuid>().is_err(), "as long as a uuid, in bytes");
    }

    #[test]
    fn random_ones_say_that_they_are() {
        for bits in [0, u128::MAX] {
            let text = Uuid::from_random(bits).to_string();
            assert_eq!(text.as_bytes()[14], b'4', "{text}");
            assert!(b"89ab".contains(&text.as_bytes()[19]), "{text}");
        }
    }
}
