//! Who reads and who writes: refusing queries that would hand out one value twice.

use super::part::Part;
use crate::component::{Component, Message, TypeKey, is_mutable, is_shared, refuse_change, same_key};
use crate::entity::debug_as_display;
use std::fmt;
use std::panic::Location;

/// What a term does with a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// Looks whether it is there.
    None,
    /// Looks when it changed. Goes with a write in the same query, and with nobody else's.
    Marks,
    Read,
    Write,
}

const MOST: usize = 32;

/// The accesses of a query as far as they are known at compile time.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct AccessKeys {
    keys: [(&'static Option<TypeKey>, bool); MOST],
    len: usize,
    /// The first component that is to be changed and is immutable, and whether it is shared.
    immutable: Option<(&'static Option<TypeKey>, bool)>,
}

impl AccessKeys {
    /// No access.
    pub const EMPTY: Self = Self { keys: [(&None, false); MOST], len: 0, immutable: None };

    /// One component, to be read.
    pub const fn read<T: Component>() -> Self {
        Self::EMPTY.with((&T::KEY, false))
    }

    /// One component, to be written.
    pub const fn write<T: Component>() -> Self {
        let mut keys = Self::EMPTY.with((&T::KEY, true));
        keys.immutable = if is_mutable::<T>() { None } else { Some((&T::KEY, is_shared::<T>())) };
        keys
    }

    /// Whether no component is written that is immutable.
    pub(super) const fn writes_nothing_immutable(&self) -> bool {
        self.immutable.is_none()
    }

    const fn with(mut self, key: (&'static Option<TypeKey>, bool)) -> Self {
        if self.len < MOST {
            self.keys[self.len] = key;
            self.len += 1;
        }
        self
    }

    /// A component by its place in the list, and whether it is written.
    pub const fn get(&self, at: usize) -> Option<(&'static Option<TypeKey>, bool)> {
        if at < self.len { Some(self.keys[at]) } else { None }
    }

    /// Both lists, one behind the other.
    #[must_use]
    pub const fn join(mut self, other: Self) -> Self {
        let mut i = 0;
        while i < other.len {
            self = self.with(other.keys[i]);
            i += 1;
        }
        if self.immutable.is_none() {
            self.immutable = other.immutable;
        }
        self
    }
}

/// Stops the build if a query takes a component mutably and a second time, or one that is immutable.
#[doc(hidden)]
#[track_caller]
pub const fn refuse_conflicts<P: Part>() {
    let AccessKeys { keys, len, immutable } = P::ACCESS;
    if let Some((key, shared)) = immutable {
        refuse_change(key, shared);
    }
    let mut i = 0;
    while i < len {
        let mut j = i + 1;
        while j < len {
            if (keys[i].1 || keys[j].1) && same_key(keys[i].0, keys[j].0) {
                let name = match keys[i].0 {
                    Some(key) => key.name,
                    None => "",
                };
                let message = Message::new()
                    .say("the query takes component `")
                    .say(name)
                    .say("` twice: as `")
                    .say(if keys[i].1 { "&mut " } else { "&" })
                    .say(name)
                    .say("` and as `")
                    .say(if keys[j].1 { "&mut " } else { "&" })
                    .say(name)
                    .say("`; keep one of them: `&mut ")
                    .say(name)
                    .say("` reads and writes");
                panic!("{}", message.as_str());
            }
            j += 1;
        }
        i += 1;
    }
}

/// A query would hand out one component twice, once of them mutably.
///
/// Where the types are known this does not even build; it comes from queries of generic components and from [`DynQuery`](crate::DynQuery).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::DynQuery;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register::<Health>();
/// let error = DynQuery::builder().read(health).write(health).build().unwrap_err();
/// assert_eq!((&*error.first, &*error.second), ("&c0", "&mut c0"));
/// assert!(error.to_string().starts_with("error[Q001]: a query takes one component twice"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConflictingTerms {
    /// The term that came first, as it was written.
    pub first: String,
    /// The term that conflicts with it.
    pub second: String,
    /// All terms of the query.
    pub query: String,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for ConflictingTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "error[Q001]: a query takes one component twice\n  first: {}\n  second: {}\n  query: {}\n  asked by: {}:{}\n  help: keep one of the two: what writes can read, too",
            self.first,
            self.second,
            self.query,
            self.caller.file(),
            self.caller.line()
        )
    }
}

impl std::error::Error for ConflictingTerms {}
debug_as_display!(ConflictingTerms);
