//! What the parts of a plan use, and whether two plans get in each other's way.
//!
//! ```text
//! parts  0: query `(&mut Position, &Velocity)`   1: resource `Gravity`
//! uses   [ Position written by 0 | Velocity read by 0 | Gravity read by 1 ]      sorted by what is used
//! ```
//!
//! Two plans are compared by one look at two masks, and only where that leaves a doubt by walking both lists.

use crate::component::{ComponentId, ComponentInfo, Registry, StorageKind};
use crate::query::{Access as Wish, Declared, Wanted};
use std::ops::ControlFlow;
use std::panic::Location;

/// What can be lent by itself: one component of all entities, one resource, the events of one type. Numbers are those of one world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    Component(ComponentId),
    Resource(usize),
    Events(usize),
}

impl Key {
    /// One of 64 bits; different keys may have the same.
    fn bit(self) -> u64 {
        let (kind, number) = match self {
            Self::Component(id) => (0, id.index()),
            Self::Resource(slot) => (21, slot),
            Self::Events(queue) => (42, queue),
        };
        1 << ((number + kind) % 64)
    }
}

/// How finely two parts that use the same component can be told apart by what else they ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Apart {
    Never,
    /// If they never look at the same table.
    ByTables,
    /// If they never look at the same entity.
    ByEntities,
}

/// One part of a plan.
#[derive(Debug)]
pub(super) struct Part {
    /// As messages name it.
    pub(super) label: String,
    pub(super) caller: &'static Location<'static>,
    /// The components that its entities have.
    with: Vec<Mark>,
    /// The components that its entities lack.
    without: Vec<Mark>,
}

/// A component by which entities are told apart.
#[derive(Clone, Copy, Debug)]
struct Mark {
    component: ComponentId,
    /// Whether tables decide it.
    by_table: bool,
}

/// What one part does with one key.
#[derive(Debug)]
struct Use {
    key: Key,
    part: usize,
    write: bool,
    apart: Apart,
    /// As messages name it.
    name: String,
}

/// What a plan uses.
#[derive(Default, Debug)]
pub(super) struct Access {
    parts: Vec<Part>,
    /// Sorted by key.
    uses: Vec<Use>,
    /// The bits of all keys, and of those that are written: plans whose bits do not meet have no key in common.
    used: u64,
    written: u64,
    /// The part that reads the whole world, and the one that has it for itself.
    shared: Option<usize>,
    exclusive: Option<usize>,
}

/// Two uses that must not happen at once.
pub(super) struct Meeting<'a> {
    pub(super) what: &'a str,
    pub(super) first: Side<'a>,
    pub(super) second: Side<'a>,
}

pub(super) struct Side<'a> {
    pub(super) part: &'a Part,
    pub(super) writes: bool,
}

impl Access {
    /// A single part that reads or writes one thing.
    pub(super) fn of_one(key: Key, write: bool, name: String, caller: &'static Location<'static>) -> Self {
        let mut access = Self::default();
        access.parts.push(Part { label: name.clone(), caller, with: Vec::new(), without: Vec::new() });
        access.add_use(Use { key, part: 0, write, apart: Apart::Never, name });
        access
    }

    /// A single part that has the whole world, shared or for itself.
    pub(super) fn of_world(exclusive: bool, caller: &'static Location<'static>) -> Self {
        let label = if exclusive { "`&mut World`" } else { "`&World`" }.into();
        let parts = vec![Part { label, caller, with: Vec::new(), without: Vec::new() }];
        let whole = |is: bool| is.then_some(0);
        Self { parts, shared: whole(!exclusive), exclusive: whole(exclusive), ..Self::default() }
    }

    /// A single part that is a query.
    pub(super) fn of_query(
        declared: &[Declared],
        registry: &Registry,
        label: String,
        caller: &'static Location<'static>,
    ) -> Self {
        let mut access = Self::default();
        let marks = |wanted: Wanted| {
            let terms = declared.iter().filter(move |term| term.wanted == wanted);
            terms.map(|term| Mark::of(registry.at(term.component))).collect()
        };
        access.parts.push(Part { label, caller, with: marks(Wanted::Present), without: marks(Wanted::Absent) });
        for term in declared.iter().filter(|term| term.access != Wish::None) {
            let info = registry.at(term.component);
            access.add_use(Use {
                key: Key::Component(term.component),
                part: 0,
                write: term.access == Wish::Write,
                apart: Apart::of(info),
                name: format!("component `{}`", info.name()),
            });
        }
        access
    }

    fn add_use(&mut self, new: Use) {
        self.used |= new.key.bit();
        self.written |= if new.write { new.key.bit() } else { 0 };
        let at = self.uses.partition_point(|known| known.key <= new.key);
        self.uses.insert(at, new);
    }

    /// Takes over the parts of another.
    pub(super) fn add(&mut self, other: Self) {
        let behind = self.parts.len();
        self.parts.extend(other.parts);
        for new in other.uses {
            self.add_use(Use { part: new.part + behind, ..new });
        }
        self.shared = self.shared.or(other.shared.map(|part| part + behind));
        self.exclusive = self.exclusive.or(other.exclusive.map(|part| part + behind));
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub(super) fn is_exclusive(&self) -> bool {
        self.exclusive.is_some()
    }

    pub(super) fn writes(&self) -> bool {
        self.written != 0 || self.is_exclusive()
    }

    /// Whether the two must not be claimed at once. Both are of one world.
    #[inline]
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let whole = (self.shared, self.exclusive, other.shared, other.exclusive) != (None, None, None, None);
        let meet = (self.written & other.used) | (other.written & self.used) != 0;
        (whole || meet) && self.meet(other, |_| ControlFlow::Break(())).is_break()
    }

    /// Calls `found` with all that must not happen at once.
    pub(super) fn meet<'a>(
        &'a self,
        other: &'a Self,
        mut found: impl FnMut(Meeting<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        const WORLD: &str = "the world";
        if let Some(whole) = self.exclusive {
            for part in 0..other.parts.len() {
                found(Meeting { what: WORLD, first: self.whole(whole, true), second: other.side(part) })?;
            }
            return ControlFlow::Continue(());
        }
        if let Some(whole) = other.exclusive {
            for part in 0..self.parts.len() {
                found(Meeting { what: WORLD, first: self.side(part), second: other.whole(whole, true) })?;
            }
            return ControlFlow::Continue(());
        }
        if let Some(whole) = self.shared {
            for write in other.uses.iter().filter(|known| known.write) {
                let (first, second) = (self.whole(whole, false), other.side_of(write));
                found(Meeting { what: &write.name, first, second })?;
            }
        }
        if let Some(whole) = other.shared {
            for write in self.uses.iter().filter(|known| known.write) {
                let (first, second) = (self.side_of(write), other.whole(whole, false));
                found(Meeting { what: &write.name, first, second })?;
            }
        }
        let (mut ours, mut theirs) = (&self.uses[..], &other.uses[..]);
        while let (Some(first), Some(second)) = (ours.first(), theirs.first()) {
            let key = first.key.max(second.key);
            let (of_ours, of_theirs) = (skip_to(&mut ours, key), skip_to(&mut theirs, key));
            for first in of_ours {
                for second in of_theirs {
                    if (first.write || second.write) && !self.keeps_apart(first, other, second) {
                        let (first, second) = (self.side_of(first), other.side_of(second));
                        found(Meeting { what: &of_ours[0].name, first, second })?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether two uses of the same component never concern the same value.
    fn keeps_apart(&self, first: &Use, other: &Self, second: &Use) -> bool {
        let tables_only = match first.apart {
            Apart::Never => return false,
            Apart::ByTables => true,
            Apart::ByEntities => false,
        };
        let tell = |with: &[Mark], without: &[Mark]| {
            let mut usable = with.iter().filter(|mark| mark.by_table || !tables_only);
            usable.any(|mark| without.iter().any(|other| other.component == mark.component))
        };
        let (a, b) = (&self.parts[first.part], &other.parts[second.part]);
        tell(&a.with, &b.without) || tell(&b.with, &a.without)
    }

    fn whole(&self, part: usize, writes: bool) -> Side<'_> {
        Side { part: &self.parts[part], writes }
    }

    fn side_of(&self, known: &Use) -> Side<'_> {
        Side { part: &self.parts[known.part], writes: known.write }
    }

    fn side(&self, part: usize) -> Side<'_> {
        let writes = self.exclusive == Some(part) || self.uses.iter().any(|known| known.part == part && known.write);
        self.whole(part, writes)
    }
}

/// Goes behind all uses of `key` and answers them. Uses of lower keys are passed over.
fn skip_to<'a>(uses: &mut &'a [Use], key: Key) -> &'a [Use] {
    let start = uses.partition_point(|known| known.key < key);
    let end = start + uses[start..].partition_point(|known| known.key == key);
    let found = &uses[start..end];
    *uses = &uses[end..];
    found
}

impl Apart {
    fn of(info: &ComponentInfo) -> Self {
        match info.kind {
            StorageKind::Column | StorageKind::Tag | StorageKind::Set(_) if !info.is_tracked() => Self::ByEntities,
            // Marks made at the same time in one table or set have one tick, and two claims may have two.
            StorageKind::Column | StorageKind::Tag => Self::ByTables,
            // Nor are shared values told apart by who has them: two entities may have the same one.
            StorageKind::Set(_) | StorageKind::Shared(_) => Self::Never,
        }
    }
}

impl Mark {
    fn of(info: &ComponentInfo) -> Self {
        // What is switched off is there: it is demanded or excluded by table all the same.
        Self { component: info.id(), by_table: !matches!(info.kind, StorageKind::Set(_)) }
    }
}
