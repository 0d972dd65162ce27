//! Checksums: one number for the state of a world.
//!
//! ```text
//! checksum          entities │ tables │ sets │ random │ Health, value by value in order │ Position, … │ resources │ events │      a list of parts, folded in order
//! content_checksum  entities │ Health: Σ of (entity, off, value) │ Position: Σ … │ resources │ events │
//! ```
//!
//! Components stand in the order of their names, and are folded by name: numbers depend on who was registered first. Addresses, padding,
//! capacities and hash seeds are never looked at. What is new in a world becomes a part of its own: one more push in `parts` or `content_parts`.

use super::World;
use crate::component::{ComponentInfo, Folder, short_name};
use crate::order::sort_by;
use crate::storage::Found;
use std::fmt;

/// The state of a world as one number; see [`World::checksum`] and [`World::content_checksum`].
///
/// Two of them are equal if all their [parts](Self::parts) are. They are for the same program: another build may give other numbers.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let orc = world.spawn(Health(3));
/// let before = world.checksum();
/// assert_eq!(world.checksum(), before);
/// world.get_mut::<Health>(orc).unwrap().0 = 2;
/// assert_ne!(world.checksum(), before);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checksum {
    parts: Vec<(ChecksumPart, u64)>,
    unseen: Vec<String>,
}

/// What a part of a [`Checksum`] is about.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::ChecksumPart;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let orc = world.spawn(Health(3));
/// let before = world.checksum();
/// world.get_mut::<Health>(orc).unwrap().0 = 2;
/// let differs = world.checksum().differs_from(&before);
/// assert!(matches!(&differs[..], [ChecksumPart::Component(name)] if name.ends_with("Health")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ChecksumPart {
    /// Who is alive; in the exact checksum also generations and the order in which indices are used again.
    Entities,
    /// The tables, their order, and who is in which row.
    Tables,
    /// In which order entities joined their sparse sets.
    Sets,
    /// Where random numbers go on, of which [`World::collect`] and [`World::new_uuid`] make use.
    Random,
    /// The values of one component type, by its full name (what [differs](Checksum::differs_from) by its short one), and which are switched off.
    Component(String),
    /// A resource, by the full name of its type.
    Resource(String),
    /// The events of one type that are kept, by its full name; in the exact checksum also their numbers.
    Events(String),
}

impl Checksum {
    /// All of it as one number.
    ///
    /// To send over a network, or to write into a log: few enough bytes for every frame.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(3));
    /// let before = world.checksum().value();
    /// assert_eq!(world.checksum().value(), before);
    /// world.spawn(Health(3));
    /// assert_ne!(world.checksum().value(), before);
    /// ```
    pub fn value(&self) -> u64 {
        let mut folder = Folder::new();
        for (part, sum) in &self.parts {
            folder.bytes(part.to_string().as_bytes());
            folder.word(*sum);
        }
        folder.sum()
    }

    /// What it is made of, with a number for each part.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ChecksumPart;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(3));
    /// let checksum = world.checksum();
    /// assert!(checksum.parts().any(|(part, _)| *part == ChecksumPart::Entities));
    /// assert!(checksum.parts().any(|(part, _)| part.to_string().ends_with("Health`")));
    /// ```
    pub fn parts(&self) -> impl ExactSizeIterator<Item = (&ChecksumPart, u64)> {
        self.parts.iter().map(|(part, sum)| (part, *sum))
    }

    /// The parts in which two checksums differ: where to look when two worlds should be equal and are not.
    ///
    /// Types have their names without paths here, unless another part of either checksum would have the same. What is [unseen](Self::unseen) does not differ.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Position(f32);
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let orc = world.spawn((Position(0.0), Health(10)));
    /// let before = world.checksum();
    /// world.get_mut::<Health>(orc).unwrap().0 = 9;
    /// let differing = world.checksum().differs_from(&before);
    /// assert_eq!(differing.len(), 1);
    /// assert_eq!(differing[0].to_string(), "component `Health`");
    /// ```
    pub fn differs_from(&self, other: &Self) -> Vec<ChecksumPart> {
        let only_in = |a: &Self, b: &Self| {
            let parts = a.parts.iter().filter(|part| !b.parts.contains(part));
            parts.map(|(part, _)| part.clone()).collect::<Vec<_>>()
        };
        let mut differing = only_in(self, other);
        differing.extend(only_in(other, self));
        sort_by(&mut differing, |a, b| a < b);
        differing.dedup();
        for part in &mut differing {
            if let ChecksumPart::Component(name) | ChecksumPart::Resource(name) | ChecksumPart::Events(name) = part {
                let short = short_name(name);
                if !self.has_another(name, &short) && !other.has_another(name, &short) {
                    *name = short;
                }
            }
        }
        differing
    }

    /// Whether a part is about another type than `full` with the same short name.
    fn has_another(&self, full: &str, short: &str) -> bool {
        for (part, _) in &self.parts {
            if let ChecksumPart::Component(name) | ChecksumPart::Resource(name) | ChecksumPart::Events(name) = part
                && name != full
                && short_name(name) == short
            {
                return true;
            }
        }
        false
    }

    /// Whether everything counts: nothing is [unseen](Self::unseen).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Component)] struct Script(fn());
    ///
    /// world.spawn(Health(3));
    /// assert!(world.checksum().is_complete());
    /// world.spawn(Script(|| ()));
    /// assert!(!world.checksum().is_complete(), "nobody can say what a function is");
    /// ```
    pub fn is_complete(&self) -> bool {
        self.unseen.is_empty()
    }

    /// What does not count because nobody described its type, by component, resource or event and field (`Car.engine: Engine`), where there is a value.
    ///
    /// Write `#[derive(Described)]` above such a type, or `#[component(no_checksum)]` above the component (`#[resource(…)]`, `#[event(…)]`) if it is not to count.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// struct Engine { rpm: u32 }
    ///
    /// #[derive(Component)]
    /// struct Car { speed: f32, engine: Engine }
    ///
    /// let mut world = World::new();
    /// world.spawn(Car { speed: 3.0, engine: Engine { rpm: 900 } });
    /// assert_eq!(world.checksum().unseen(), ["Car.engine: Engine"]);
    /// ```
    pub fn unseen(&self) -> &[String] {
        &self.unseen
    }
}

/// Sixteen hexadecimal digits, and how many fields are [unseen](Checksum::unseen), if any: `8d5c0e1f22ab9370 (1 field unseen)`.
impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.value())?;
        match self.unseen.len() {
            0 => Ok(()),
            1 => f.write_str(" (1 field unseen)"),
            unseen => write!(f, " ({unseen} fields unseen)"),
        }
    }
}

impl fmt::Display for ChecksumPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entities => f.write_str("entities"),
            Self::Tables => f.write_str("tables"),
            Self::Sets => f.write_str("sets"),
            Self::Random => f.write_str("random numbers"),
            Self::Component(name) => write!(f, "component `{name}`"),
            Self::Resource(name) => write!(f, "resource `{name}`"),
            Self::Events(name) => write!(f, "events `{name}`"),
        }
    }
}

/// # Checksums
impl World {
    /// A number for the exact state: ids, generations and which of them are used next; the order of tables and rows; all values that are described (below); what is
    /// switched off; where rows of the dead wait to be collected; resources; events that are kept; where random numbers go on. Two worlds with the same one go on
    /// alike.
    ///
    /// **A field whose type is not [`Described`](trait@crate::Described) is passed over**, so two worlds that differ only there compare equal. [`Checksum::unseen`] names such fields,
    /// [`Checksum::is_complete`] says whether there are none; assert that once in a test, and write `#[derive(Described)]` above the types it names.
    ///
    /// It looks at every value. When something changed and what observers there are does not count, nor does what says `no_checksum`: `#[component(no_checksum)]`,
    /// `#[resource(no_checksum)]`, `#[event(no_checksum)]`.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let play = |damage| {
    ///     let mut world = World::new();
    ///     let orc = world.spawn(Health(10));
    ///     world.get_mut::<Health>(orc).unwrap().0 -= damage;
    ///     world.checksum()
    /// };
    /// assert_eq!(play(3), play(3));
    /// assert_ne!(play(3), play(4));
    ///
    /// enum Nation { Elves, Orcs }
    /// #[derive(Component)] struct Flag(Nation);
    ///
    /// let raise = |nation| {
    ///     let mut world = World::new();
    ///     world.spawn(Flag(nation));
    ///     world.checksum()
    /// };
    /// assert_eq!(raise(Nation::Elves), raise(Nation::Orcs), "nobody described a `Nation`");
    /// assert_eq!(raise(Nation::Elves).unseen(), ["Flag.0: Nation"]);
    /// assert!(raise(Nation::Elves).to_string().ends_with(" (1 field unseen)"));
    /// ```
    pub fn checksum(&self) -> Checksum {
        let mut sum = Checksum { parts: Vec::new(), unseen: Vec::new() };
        sum.parts.push((ChecksumPart::Entities, sum_of(self.store.entities.state())));
        sum.parts.push((ChecksumPart::Tables, self.sum_of_tables()));
        sum.parts.push((ChecksumPart::Sets, self.sum_of_sets()));
        sum.parts.push((ChecksumPart::Random, sum_of([self.random.state(), self.random_uuids.state()])));
        self.add_components(&mut sum, |world, info| {
            let (mut folder, mut any) = (Folder::new(), false);
            world.store.each_value(info.id(), |Found { index, off, value }| {
                any = true;
                folder.word(u64::from(index) | u64::from(off) << 32);
                value.fold_into(&mut folder);
            });
            any.then(|| folder.sum())
        });
        self.add_values(&mut sum, true);
        sum
    }

    /// A number for what the world contains, however it came about: who is alive, with which components, what their values are and which are
    /// switched off; resources; events that are kept. The order of tables and rows, past lives, rows of the dead and how many events went before do not count.
    ///
    /// Nor do fields whose type is not [`Described`](trait@crate::Described), as in [`World::checksum`]: ask [`Checksum::is_complete`] or [`Checksum::unseen`].
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Component)] struct Burning;
    ///
    /// let mut world = World::new();
    /// let orc = world.spawn(Health(10));
    /// let (exact, content) = (world.checksum(), world.content_checksum());
    /// world.insert(orc, Burning).unwrap();
    /// world.remove::<Burning>(orc).unwrap();
    /// let passer_by = world.spawn(Health(1));
    /// world.despawn(passer_by).unwrap();
    /// assert_eq!(world.content_checksum(), content);
    /// assert_ne!(world.checksum(), exact);
    /// ```
    pub fn content_checksum(&self) -> Checksum {
        let mut sum = Checksum { parts: Vec::new(), unseen: Vec::new() };
        let alive = self.store.entities.iter_alive().map(|entity| sum_of([entity.to_bits()]));
        sum.parts.push((ChecksumPart::Entities, alive.fold(0, u64::wrapping_add)));
        self.add_components(&mut sum, |world, info| {
            let mut total = None;
            world.store.each_value(info.id(), |Found { index, off, value }| {
                let mut folder = Folder::new();
                folder.word(world.store.entities.entity_at(index).to_bits());
                folder.word(off.into());
                value.fold_into(&mut folder);
                total = Some(total.unwrap_or(0u64).wrapping_add(folder.sum()));
            });
            total
        });
        self.add_values(&mut sum, false);
        sum
    }

    /// Adds a part for each resource, and for the events of each type.
    fn add_values(&self, sum: &mut Checksum, exact: bool) {
        for (resource, part) in self.resources.sums() {
            sum.parts.push((ChecksumPart::Resource(resource.name.into()), part));
            sum.unseen.extend((resource.schema)().unseen());
        }
        for (events, part) in self.events.sums(exact) {
            sum.parts.push((ChecksumPart::Events(events.name().into()), part));
            if let Some(schema) = events.schema() {
                sum.unseen.extend(schema.unseen());
            }
        }
    }

    /// Adds a part for each component that counts and that somebody has (`sum` answers nothing if not), in the order of their names.
    fn add_components(&self, sum: &mut Checksum, of: impl Fn(&Self, &ComponentInfo) -> Option<u64>) {
        let mut infos: Vec<&ComponentInfo> = self.components().iter().filter(|info| info.is_in_checksums()).collect();
        sort_by(&mut infos, |a, b| (a.full_name(), a.id()) < (b.full_name(), b.id()));
        for info in infos {
            if let Some(part) = of(self, info) {
                sum.parts.push((ChecksumPart::Component(info.full_name().into()), part));
                sum.unseen.extend(info.schema().unseen());
            }
        }
    }

    fn sum_of_tables(&self) -> u64 {
        let names = self.names();
        let mut folder = Folder::new();
        folder.count(self.store.tables.len());
        for archetype in &self.store.archetypes {
            let table = &self.store.tables[archetype.table.index()];
            let mut signature: Vec<u64> = archetype.components.iter().filter_map(|c| names[c.index()]).collect();
            sort_by(&mut signature, |a, b| a < b);
            folder.count(archetype.table.index());
            folder.count(signature.len());
            folder.words(signature);
            // Which of the values of a shared component it is: a later value gets a number that is free, and so the tables of that number.
            for value in archetype.values.iter().filter(|value| names[value.component.index()].is_some()) {
                folder.word(value.number.into());
            }
            folder.count(table.len());
            for (row, &index) in table.entities().iter().enumerate() {
                folder.word(u64::from(index) | u64::from(table.dead().get(row)) << 32);
            }
        }
        for pool in self.store.pools.iter().filter(|pool| names[pool.component().index()].is_some()) {
            folder.words(pool.free().iter().map(|number| u64::from(*number)));
        }
        folder.sum()
    }

    fn sum_of_sets(&self) -> u64 {
        let names = self.names();
        let mut folder = Folder::new();
        if self.store.sets.iter().any(|set| set.len() > 0) {
            for index in 0..self.store.entities.issued() {
                for set in self.store.sets.of(index) {
                    if let Some(name) = names[self.store.sets.get(set).component().index()] {
                        folder.word(index.into());
                        folder.word(name);
                    }
                }
            }
        }
        folder.sum()
    }

    /// By component: its name as a number, if it counts.
    fn names(&self) -> Vec<Option<u64>> {
        let name = |info: &ComponentInfo| {
            let mut folder = Folder::new();
            folder.bytes(info.full_name().as_bytes());
            info.is_in_checksums().then(|| folder.sum())
        };
        self.components().iter().map(name).collect()
    }
}

fn sum_of(words: impl IntoIterator<Item = u64>) -> u64 {
    let mut folder = Folder::new();
    folder.words(words);
    folder.sum()
}
