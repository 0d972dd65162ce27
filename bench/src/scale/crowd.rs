//! Worlds with very many types and tables.

use std::collections::HashSet;
use std::time::Instant;

use phalanx_ecs::{BundleBuilder, ComponentId, ComponentLayout, DynValue, Entity, World};

use super::figures::{Figures, Place};
use crate::components::Random;

/// How large the large world is.
#[derive(Clone, Copy)]
pub struct Size {
    pub types: usize,
    pub tables: usize,
}

/// The run-time types of one table, by number; sorted.
///
/// Not a `Vec`: a hundred thousand small allocations that outlive the worlds would leave the allocator a heap
/// full of holes, and the first tenth of each build would pay for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Set {
    members: [u16; MOST_MEMBERS],
    len: usize,
}

const LEAST_MEMBERS: usize = 3;
const MOST_MEMBERS: usize = 6;

impl Set {
    /// The set of these numbers, at most [`MOST_MEMBERS`] and each once.
    fn new(numbers: &mut [u16]) -> Self {
        numbers.sort_unstable();
        // Places that are not used are zero, so that equal sets are equal bit by bit.
        let mut members = [0; MOST_MEMBERS];
        members[..numbers.len()].copy_from_slice(numbers);
        Self { members, len: numbers.len() }
    }

    fn numbers(&self) -> impl ExactSizeIterator<Item = usize> {
        self.members[..self.len].iter().map(|&number| usize::from(number))
    }

    pub fn contains(&self, number: usize) -> bool {
        self.numbers().any(|member| member == number)
    }

    /// Whether a table of this set is what the query for the rare and the common type finds.
    pub fn has_both(&self) -> bool {
        self.contains(COMMON) && self.contains(RARE)
    }
}

/// The run-time type that every other table has.
pub const COMMON: usize = 0;
/// A run-time type like any other; at least one table has it beside the common one.
pub const RARE: usize = 1;

/// Sets for all tables and a few more, no two of them equal.
pub fn distinct_sets(size: Size, spare: usize, random: &mut Random) -> Vec<Set> {
    let number = |number: usize| u16::try_from(number).expect("a few thousand types");
    let mut sets = vec![Set::new(&mut [COMMON, RARE, RARE + 1].map(number))];
    let mut known: HashSet<Set> = sets.iter().copied().collect();
    while sets.len() < size.tables + spare {
        let count = LEAST_MEMBERS + random.below(MOST_MEMBERS - LEAST_MEMBERS + 1);
        let mut numbers = Vec::with_capacity(MOST_MEMBERS);
        if sets.len().is_multiple_of(2) {
            numbers.push(number(COMMON));
        }
        while numbers.len() < count {
            let other = number(COMMON + 1 + random.below(size.types - 1));
            if !numbers.contains(&other) {
                numbers.push(other);
            }
        }
        let set = Set::new(&mut numbers);
        if known.insert(set) {
            sets.push(set);
        }
    }
    sets
}

/// A world with one entity for each of several sets.
pub struct Crowd {
    pub world: World,
    /// By set: its entity, with the id of one of its types.
    pub members: Vec<(Entity, ComponentId)>,
}

impl Crowd {
    /// The large world; notes what it took.
    pub fn build(size: Size, sets: &[Set], figures: &mut Figures) -> Self {
        let mut world = World::new();
        let start = Instant::now();
        let types = in_tenths("register", size.types, figures, |number| register(&mut world, number));
        let members = in_tenths("new_table", sets.len(), figures, |at| {
            let ids = sets[at].numbers().map(|number| (number, types[number]));
            spawn(&mut world, ids)
        });
        figures.note("build", Place::AtScale, start.elapsed().as_nanos() as f64);
        Self { world, members }
    }

    /// The world with only those tables that have the common and the rare type.
    pub fn only_with_both(sets: &[Set]) -> Self {
        let mut world = World::new();
        let members = sets.iter().filter(|set| set.has_both()).map(|set| spawn_alone(&mut world, set)).collect();
        Self { world, members }
    }

    /// Whether the large world is what the report says it is.
    ///
    /// # Errors
    /// A sentence that says what it is instead.
    pub fn check(&self, size: Size) -> Result<(), String> {
        let stats = self.world.stats();
        // One table more: that of entities without components, which every world has.
        let found = (stats.components, stats.tables - 1, self.world.alive());
        let expected = (size.types, size.tables, size.tables);
        let differs = format!("scale: expected (types, tables, entities) {expected:?}, found {found:?}");
        if found == expected { Ok(()) } else { Err(differs) }
    }
}

/// The id of the run-time type with a number, registered now if it is new.
pub fn register(world: &mut World, number: usize) -> ComponentId {
    let layout = ComponentLayout::new(format!("Runtime{number}")).size(4).align(4);
    world.register_dyn(layout).expect("a name of its own and a possible layout")
}

/// Spawns an entity with the types of a set, which need not be registered.
pub fn spawn_alone(world: &mut World, set: &Set) -> (Entity, ComponentId) {
    let ids: Vec<(usize, ComponentId)> = set.numbers().map(|number| (number, register(world, number))).collect();
    spawn(world, ids)
}

/// Spawns an entity with types given by number and id; answers it with the last id. Each value is the type's number.
fn spawn(world: &mut World, ids: impl IntoIterator<Item = (usize, ComponentId)>) -> (Entity, ComponentId) {
    let (mut bundle, mut last) = (BundleBuilder::new(), None);
    for (number, id) in ids {
        let value = u32::try_from(number).expect("a few thousand types");
        bundle.add_dyn(id, DynValue::bytes(&value.to_le_bytes()));
        last = Some(id);
    }
    let entity = world.spawn_dyn(bundle).expect("registered types of four bytes");
    (entity, last.expect("a set has members"))
}

/// Does something `count` times, and notes nanoseconds for one of the last tenth, and for one of the first in the
/// place of the figure alone.
fn in_tenths<R>(name: &'static str, count: usize, figures: &mut Figures, mut act: impl FnMut(usize) -> R) -> Vec<R> {
    let tenth = (count / 10).max(1);
    let mut made = Vec::with_capacity(count);
    let mut last_start = Instant::now();
    for at in 0..count {
        if at == count - tenth {
            last_start = Instant::now();
        }
        made.push(act(at));
        if at + 1 == tenth {
            figures.note(name, Place::Alone, last_start.elapsed().as_nanos() as f64 / tenth as f64);
        }
    }
    figures.note(name, Place::AtScale, last_start.elapsed().as_nanos() as f64 / tenth as f64);
    made
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Crowd, Random, Size, distinct_sets};
    use crate::scale::figures::Figures;

    #[test]
    fn sets_are_distinct_and_have_three_to_six_members() {
        let sets = distinct_sets(Size { types: 40, tables: 500 }, 3, &mut Random::default());
        let distinct: HashSet<Vec<usize>> = sets.iter().map(|set| set.numbers().collect()).collect();
        assert_eq!((sets.len(), distinct.len()), (503, 503));
        assert!(distinct.iter().all(|set| (3..=6).contains(&set.len())));
        assert!(sets[0].has_both());
    }

    #[test]
    fn the_world_has_the_types_and_tables_it_was_asked_for() {
        let size = Size { types: 40, tables: 500 };
        let sets = distinct_sets(size, 0, &mut Random::default());
        let crowd = Crowd::build(size, &sets, &mut Figures::default());
        assert_eq!(crowd.check(size), Ok(()));
        let other = crowd.check(Size { types: 40, tables: 501 });
        assert!(other.unwrap_err().contains("found (40, 500, 500)"));
    }
}
