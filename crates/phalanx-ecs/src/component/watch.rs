//! For which acts somebody observes a component.

/// A set of acts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Watch(u8);

impl Watch {
    pub(crate) const NOTHING: Self = Self(0);
    pub(crate) const INSERT: Self = Self(1);
    pub(crate) const REPLACE: Self = Self(2);
    /// Removing, and despawning what has it.
    pub(crate) const REMOVE: Self = Self(4);
    pub(crate) const SWITCH: Self = Self(8);
    /// The world keeps a log of what is removed.
    pub(crate) const LOG: Self = Self(16);
    /// The world keeps an index of the values.
    pub(crate) const INDEX: Self = Self(32);

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl std::ops::BitOr for Watch {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.and(other)
    }
}
