//! Refusing at compile time to change what is immutable; and the texts of such refusals.

use super::{Component, Storage, TypeKey};

/// The longest text: long enough for two long names in the longest of them.
const MOST: usize = 800;

/// A short text put together at compile time.
#[doc(hidden)]
pub struct Message {
    text: [u8; MOST],
    len: usize,
}

impl Message {
    /// No text yet.
    #[expect(clippy::new_without_default, reason = "traits cannot be used in constants")]
    pub const fn new() -> Self {
        Self { text: [0; MOST], len: 0 }
    }

    /// Adds to the text.
    #[must_use]
    pub const fn say(mut self, words: &str) -> Self {
        let words = words.as_bytes();
        let mut i = 0;
        while i < words.len() && self.len < self.text.len() {
            self.text[self.len] = words[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// The text.
    pub const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.text.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "the text is not UTF-8",
        }
    }
}

/// Whether values of a component may be changed in their place: not those that several entities may have, whatever the type says.
pub(crate) const fn is_mutable<T: Component>() -> bool {
    T::MUTABLE && !is_shared::<T>()
}

pub(crate) const fn is_shared<T: Component>() -> bool {
    matches!(T::STORAGE, Storage::Shared)
}

/// Stops the build if a `T` was to be changed in its place and must not be.
#[track_caller]
pub(crate) const fn refuse_immutable<T: Component>() {
    if !is_mutable::<T>() {
        refuse_change(&T::KEY, is_shared::<T>());
    }
}

/// Stops the build: a component, known by its key where it has one, was to be changed in its place. `shared` says whether that is why.
#[track_caller]
#[expect(clippy::ref_option, reason = "as keys are kept in lists")]
pub(crate) const fn refuse_change(key: &Option<TypeKey>, shared: bool) -> ! {
    let message = match key {
        Some(key) => Message::new().say("component `").say(key.name).say("`"),
        None => Message::new().say("a component"),
    };
    let message = message.say(if shared {
        " is shared and cannot be changed for one entity: use `edit_shared` to change it for all that have this value, or insert another value"
    } else {
        " is immutable and cannot be changed in its place: insert another value, which takes the place of the old one"
    });
    panic!("{}", message.as_str());
}
