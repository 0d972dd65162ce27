//! Values worked out at once, for some entities and all below them, without the lists of a plan.
//!
//! ```text
//!        r          given: b, d, e         what is above them is found once for all, and kept: r, a, c
//!      ╱   ╲
//!     a     c       b, d                   nobody above them is given: with all below them, each once
//!     │    ╱ ╲
//!     b   d   x     e                      is below b, so it is done with b
//!     │
//!     e
//! ```

use super::inherited::{Inherited, note_at_once, takes_part};
use crate::hierarchy::Kinship;
use phalanx_ecs::{Entity, World};
use std::collections::{HashMap, HashSet};

/// What the value of an entity comes to, as everything is now.
pub(crate) fn value_of<W: Inherited>(world: &World, entity: Entity) -> W {
    let above = value_above::<W>(world, entity);
    world.get::<W::Own>(entity).map_or_else(|| above.clone().unwrap_or_default(), |own| W::under(above.as_ref(), own))
}

/// What the nearest ancestor that takes part comes to.
fn value_above<W: Inherited>(world: &World, entity: Entity) -> Option<W> {
    let placed = world.ancestors(entity).filter(|ancestor| takes_part::<W>(world, *ancestor));
    let parts: Vec<&W::Own> = placed.filter_map(|ancestor| world.get::<W::Own>(ancestor)).collect();
    parts.into_iter().rev().fold(None, |above: Option<W>, own| Some(W::under(above.as_ref(), own)))
}

/// Works out the values of entities and of all below them, at once and each once. Whoever is not alive is passed over. Answers what was odd
/// ([`Inherited::under_noting`]).
pub(crate) fn inherit_now<W: Inherited>(world: &mut World, entities: &[Entity]) -> u8 {
    let mut worked_out = Below::<W> { values: Vec::new(), open: Vec::new(), odd: 0 };
    if let [entity] = entities {
        if world.is_alive(*entity) {
            worked_out.add(world, *entity, value_above(world, *entity).as_ref());
        }
    } else {
        let given = entities.iter().copied().collect();
        let mut above = Above::<W> { given, known: HashMap::new(), path: Vec::new() };
        let mut done = HashSet::new();
        for &entity in entities {
            if world.is_alive(entity) && done.insert(entity) {
                let found = above.find(world, entity);
                if !found.given {
                    worked_out.add(world, entity, found.value.as_ref());
                }
            }
        }
    }
    let Below { values, odd, .. } = worked_out;
    for (entity, value) in values {
        if let Some(written) = world.get_mut::<W>(entity) {
            *written = value;
        }
    }
    note_at_once::<W>(world);
    odd
}

/// What entities hand down to those below them.
struct Above<W> {
    given: HashSet<Entity>,
    known: HashMap<Entity, HandedDown<W>>,
    path: Vec<Entity>,
}

#[derive(Clone)]
struct HandedDown<W> {
    /// Whether the entity or one above it is given: then what is below it is done with that.
    given: bool,
    value: Option<W>,
}

impl<W: Inherited> Above<W> {
    /// What is above an entity. Each ancestor is asked once, however many there are below it.
    fn find(&mut self, world: &World, entity: Entity) -> HandedDown<W> {
        let mut found = HandedDown { given: false, value: None };
        for ancestor in world.ancestors(entity) {
            if let Some(known) = self.known.get(&ancestor) {
                found = known.clone();
                break;
            }
            self.path.push(ancestor);
        }
        while let Some(ancestor) = self.path.pop() {
            if let Some(own) = world.get::<W::Own>(ancestor).filter(|_| world.has::<W>(ancestor)) {
                found.value = Some(W::under(found.value.as_ref(), own));
            }
            found.given |= self.given.contains(&ancestor);
            self.known.insert(ancestor, found.clone());
        }
        found
    }
}

/// What entities come to, each before what is below it.
struct Below<W> {
    values: Vec<(Entity, W)>,
    /// The ancestors of the next one, with where the value is that each hands down.
    open: Vec<(Entity, Option<usize>)>,
    odd: u8,
}

impl<W: Inherited> Below<W> {
    /// Adds an entity and all below it.
    fn add(&mut self, world: &World, top: Entity, above: Option<&W>) {
        self.open.clear();
        let handed = self.work_out(world, top, above, None);
        self.open.push((top, handed));
        for entity in world.descendants(top) {
            let parent = world.parent(entity);
            while self.open.last().is_some_and(|(open, _)| Some(*open) != parent) {
                self.open.pop();
            }
            let over = self.open.last().and_then(|(_, handed)| *handed);
            let handed = self.work_out(world, entity, above, over);
            self.open.push((entity, handed));
        }
    }

    /// Works out one, below what is at a place of the list or else above all; answers where the value is that it hands down.
    fn work_out(&mut self, world: &World, entity: Entity, above: Option<&W>, over: Option<usize>) -> Option<usize> {
        let own = world.get::<W::Own>(entity).filter(|_| world.has::<W>(entity));
        let Some(own) = own else { return over };
        let over = over.map(|at| &self.values[at].1).or(above);
        let value = W::under_noting(over, own, &mut self.odd);
        self.values.push((entity, value));
        Some(self.values.len() - 1)
    }
}
