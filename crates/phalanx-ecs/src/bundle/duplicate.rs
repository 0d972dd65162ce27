//! Finding at compile time that a bundle or query names one component twice.

use crate::component::{Message, TypeKey, same_key};

/// How many components the check at compile time looks at; what goes beyond is left to run time.
const MOST: usize = 32;

/// The compile-time identities of a list of components.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct KeyList {
    keys: [&'static Option<TypeKey>; MOST],
    len: usize,
}

impl KeyList {
    /// No component.
    pub const EMPTY: Self = Self { keys: [&None; MOST], len: 0 };

    /// One component.
    pub const fn one(key: &'static Option<TypeKey>) -> Self {
        Self::EMPTY.with(key)
    }

    #[expect(clippy::ref_option, reason = "a reference to a constant lives forever")]
    const fn with(mut self, key: &'static Option<TypeKey>) -> Self {
        if self.len < MOST {
            self.keys[self.len] = key;
            self.len += 1;
        }
        self
    }

    /// Both lists, one behind the other.
    #[must_use]
    pub const fn join(mut self, other: Self) -> Self {
        let mut i = 0;
        while i < other.len {
            self = self.with(other.keys[i]);
            i += 1;
        }
        self
    }

    /// The first component that is there twice.
    pub(crate) const fn duplicate(&self) -> Option<&'static TypeKey> {
        let mut i = 0;
        while i < self.len {
            let mut j = i + 1;
            while j < self.len {
                if same_key(self.keys[i], self.keys[j]) {
                    return self.keys[i].as_ref();
                }
                j += 1;
            }
            i += 1;
        }
        None
    }
}

/// Stops the build if `keys` names a component twice.
#[doc(hidden)]
#[track_caller]
pub const fn refuse_duplicates(keys: KeyList) {
    if let Some(key) = keys.duplicate() {
        let message = Message::new()
            .say("the bundle contains component `")
            .say(key.name)
            .say("` twice; an entity has at most one of each: leave one out, or wrap one of them in a type of its own");
        panic!("{}", message.as_str());
    }
}
