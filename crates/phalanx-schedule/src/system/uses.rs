//! What the arguments of a system use, as far as that is known at compile time.
//!
//! A derived component, resource or event has a key that constants can compare. Two arguments that certainly get in each other's way do not build; all others are
//! left to the check when the system is made, which stays the authority: queries with filters, generic types, and what has no key.

use phalanx_ecs::__private::{AccessKeys, Message, TypeKey, same_key};
use phalanx_ecs::{Event, Filter, Resource, Terms};

/// A component, a resource or events of a type; or the world.
#[derive(Clone, Copy)]
enum What {
    Component,
    Resource,
    Events,
    World,
}

#[derive(Clone, Copy)]
struct Use {
    what: What,
    key: &'static Option<TypeKey>,
    writes: bool,
    /// Whether it is of a query with filters: what those keep apart is decided when the system is made.
    filtered: bool,
    /// Which argument it is of.
    argument: usize,
}

/// As many as are looked at; beyond, the check at run time does it.
const MOST: usize = 48;
const NOTHING: Use = Use { what: What::World, key: &None, writes: false, filtered: false, argument: 0 };

/// What arguments use, as far as that is known at compile time.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Uses {
    list: [Use; MOST],
    len: usize,
    arguments: usize,
}

impl Uses {
    /// An argument of which nothing is known.
    pub const NONE: Self = Self { list: [NOTHING; MOST], len: 0, arguments: 1 };

    const fn one(what: What, key: &'static Option<TypeKey>, writes: bool) -> Self {
        Self::NONE.with(Use { what, key, writes, filtered: false, argument: 0 })
    }

    pub(super) const fn resource<R: Resource>(writes: bool) -> Self {
        Self::one(What::Resource, &R::KEY, writes)
    }

    pub(super) const fn events<E: Event>(writes: bool) -> Self {
        Self::one(What::Events, &E::KEY, writes)
    }

    pub(super) const fn world(writes: bool) -> Self {
        Self::one(What::World, &None, writes)
    }

    pub const fn query<Q: Terms, F: Filter>() -> Self {
        let keys: AccessKeys = <Q::Parts as phalanx_ecs::__private::Part>::ACCESS;
        let mut uses = Self::NONE;
        let mut at = 0;
        while let Some((key, writes)) = keys.get(at) {
            uses = uses.with(Use {
                what: What::Component,
                key,
                writes,
                filtered: !<F::Parts as phalanx_ecs::__private::FilterParts>::TRIVIAL,
                argument: 0,
            });
            at += 1;
        }
        uses
    }

    const fn with(mut self, one: Use) -> Self {
        if self.len < MOST {
            self.list[self.len] = one;
            self.len += 1;
        }
        self
    }

    /// The arguments of both.
    #[must_use]
    pub const fn join(mut self, other: Self) -> Self {
        let mut i = 0;
        while i < other.len {
            let mut one = other.list[i];
            one.argument += self.arguments;
            self = self.with(one);
            i += 1;
        }
        self.arguments += other.arguments;
        self
    }

    /// Stops the build if two arguments get in each other's way.
    #[track_caller]
    pub(crate) const fn refuse(self) {
        let mut i = 0;
        while i < self.len {
            let mut j = i + 1;
            while j < self.len {
                let (a, b) = (self.list[i], self.list[j]);
                if (a.writes || b.writes) && a.argument != b.argument && a.meets(b) {
                    let message = Message::new().say("two arguments of a system are in each other's way: ");
                    let message = b.say(a.say(message).say(" and ")).say("; ");
                    let message = a.help(b, message);
                    panic!("{}", message.as_str());
                }
                j += 1;
            }
            i += 1;
        }
    }
}

impl Uses {
    /// Stops the build if there are changes: conditions only read.
    #[track_caller]
    pub(crate) const fn refuse_changes(self, defers: bool) {
        let message = Message::new().say("a condition only reads, and this one ");
        if defers {
            let message = message.say(
                "queues changes, as with `&mut Commands`; let a system queue them, and run it under the same condition",
            );
            panic!("{}", message.as_str());
        }
        let mut i = 0;
        while i < self.len {
            if self.list[i].writes {
                let message = self.list[i].say(message.say("takes "));
                let message = message
                    .say("; let a system write, or take a `Local<T>` to remember something from one time to the next");
                panic!("{}", message.as_str());
            }
            i += 1;
        }
    }
}

impl Use {
    const fn meets(self, other: Self) -> bool {
        match (self.what, other.what) {
            (What::World, _) | (_, What::World) => true,
            (What::Component, What::Component) | (What::Resource, What::Resource) | (What::Events, What::Events) => {
                !self.filtered && !other.filtered && same_key(self.key, other.key)
            }
            _ => false,
        }
    }

    /// The argument, about as it was written.
    const fn say(self, message: Message) -> Message {
        let name = match self.key {
            Some(key) => key.name,
            None => "…",
        };
        let (before, after) = match (self.what, self.writes) {
            (What::Component, false) => ("a query for `&", "`"),
            (What::Component, true) => ("a query for `&mut ", "`"),
            (What::Resource, false) => ("`Res<", ">`"),
            (What::Resource, true) => ("`ResMut<", ">`"),
            (What::Events, false) => ("`Reader<", ">`"),
            (What::Events, true) => ("`Writer<", ">`"),
            (What::World, false) => return message.say("`&World`"),
            (What::World, true) => return message.say("`&mut World`"),
        };
        message.say(before).say(name).say(after)
    }

    /// What to type instead; what errors at run time say, too.
    const fn help(self, other: Self, message: Message) -> Message {
        let writer = if self.writes { self } else { other };
        match (self.what, other.what) {
            (What::World, _) | (_, What::World) if self.is_whole_world_to_write() || other.is_whole_world_to_write() => {
                message.say("take `world: &mut World` alone, and ask the world for the rest: `world.query::<…>()`, `world.resource::<…>()`")
            }
            (What::World, _) | (_, What::World) => {
                message.say("`&World` reads everything: take what the system reads instead, as in `Query<&…>` or `Res<…>`")
            }
            // Both are about one component: to ask for both in one query would be refused again.
            (What::Component, _) => writer.say(message.say("take only ")).say(
                ", which reads and writes; or keep the two apart by a component that only one of them is about, say `Player`: `With<Player>` for one, `Without<Player>` for the other; if one asks for a component that the other does not, `Without` that one is enough (the system is named in braces below)",
            ),
            _ if self.writes && other.writes => self.say(message.say("take ")).say(" once"),
            (What::Resource, _) => writer.say(message.say("take ")).say(" alone: what can be written can be read too"),
            (What::Events, _) => message.say("make it two systems: one that reads and one that sends"),
        }
    }

    const fn is_whole_world_to_write(self) -> bool {
        matches!(self.what, What::World) && self.writes
    }
}
