//! Why a handle is not alive.
//!
//! Nothing here runs on the way to a living entity: the answer is worked out from the stamp only once
//! it is known to be no.

use super::config::HandleLayout;
use super::death::Death;
use super::debug::debug_as_display;
use super::entities::Entities;
use super::handle::{DEAD, Entity};
use core::fmt;
use core::panic::Location as CodeLocation;

/// The entity asked for is not alive.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::NotAliveReason;
///
/// let mut world = World::new();
/// let orc = world.spawn(());
/// world.despawn(orc).unwrap();
/// let error = world.despawn(orc).unwrap_err();
/// assert_eq!(error.entity, orc);
/// assert!(matches!(error.reason, NotAliveReason::Despawned { reused: false, .. }));
/// assert!(error.to_string().starts_with("error[E001]: entity 0v0 is not alive\n  found: it was despawned"));
///
/// // Of all deaths debug builds remember who asked for them, others if they are told to.
/// let mut world = World::builder().remember_deaths(100).build();
/// let orc = world.spawn(());
/// world.despawn(orc).unwrap();
/// let death = world.despawn(orc).unwrap_err().death.unwrap();
/// assert_eq!(death.caller.file(), file!());
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoSuchEntity {
    /// The handle that was given.
    pub entity: Entity,
    /// What the world knows of it.
    pub reason: NotAliveReason,
    /// Who asked, if known.
    pub caller: Option<&'static CodeLocation<'static>>,
    /// Who despawned it, if the world [remembers](crate::WorldBuilder::remember_deaths).
    pub death: Option<Box<Death>>,
}

/// What a world knows of a handle that is not alive.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::NotAliveReason;
///
/// let mut world = World::new();
/// let orc = world.spawn(());
/// world.despawn_lazy(orc).unwrap();
/// let error = world.entity(orc).unwrap_err();
/// assert!(matches!(error.reason, NotAliveReason::Uncollected { .. }));
///
/// let guess: Entity = "7v0".parse().unwrap();
/// assert_eq!(world.entity(guess).unwrap_err().reason, NotAliveReason::NeverIssued { issued: 1 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotAliveReason {
    /// The world never handed out this index.
    NeverIssued {
        /// How many indices it has handed out.
        issued: u32,
    },
    /// The world handed out this index, but not yet this generation.
    Ahead {
        /// The index at the generation it has now, or will have next.
        now: Entity,
    },
    /// The entity was despawned.
    Despawned {
        /// The index at the generation it has now, or will have next.
        now: Entity,
        /// Whether `now` is alive.
        reused: bool,
    },
    /// The entity was despawned lazily, and its row is still there; the index is not free before that is collected.
    Uncollected {
        /// The index at the generation it will have next.
        now: Entity,
    },
    /// The entity was despawned, and its index has no generations left.
    Retired,
    /// A queue of commands reserved it, and has not been applied yet.
    Reserved,
    /// Another world made this handle. Known in debug builds only.
    Foreign,
}

impl NoSuchEntity {
    /// Whether the entity was alive once.
    pub(crate) fn is_past(&self) -> bool {
        use NotAliveReason::{Despawned, Retired, Uncollected};
        matches!(self.reason, Despawned { .. } | Uncollected { .. } | Retired)
    }

    /// What was found, in half a sentence.
    pub(crate) fn found(&self) -> impl fmt::Display {
        use NotAliveReason::{Ahead, Despawned, Foreign, NeverIssued, Reserved, Retired, Uncollected};
        let (index, reason) = (self.entity.index(), self.reason);
        fmt::from_fn(move |f| match reason {
            NeverIssued { issued: 0 } => write!(f, "this world has had no entities"),
            NeverIssued { issued: 1 } => write!(f, "only index 0 was handed out so far"),
            NeverIssued { issued } => write!(f, "indices 0 to {} were handed out so far", issued - 1),
            Ahead { now } => write!(f, "index {index} has come to {now} so far"),
            Despawned { now, reused: true } => write!(f, "it was despawned, and its index now belongs to {now}"),
            Despawned { now, reused: false } => {
                write!(f, "it was despawned; its index is free and will next be {now}")
            }
            Uncollected { now } => {
                write!(f, "it was despawned; its row waits to be collected, then its index will next be {now}")
            }
            Retired => write!(f, "it was despawned, and index {index} is retired"),
            Reserved => write!(f, "a queue of commands has reserved it, and was not applied yet"),
            Foreign => write!(f, "another world made this handle"),
        })
    }
}

impl fmt::Display for NoSuchEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error[E001]: entity {} is not alive", self.entity)?;
        writeln!(f, "  found: {}", self.found())?;
        if let Some(death) = &self.death {
            writeln!(f, "  despawned by: {death}")?;
        }
        if let Some(caller) = self.caller {
            writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
        }
        let help = match self.reason {
            NotAliveReason::NeverIssued { .. } | NotAliveReason::Ahead { .. } => {
                "was the handle saved, or made, for another world?"
            }
            NotAliveReason::Reserved => "apply the queue that spawns it first",
            NotAliveReason::Foreign => "use the handle with the world that spawned it",
            _ => "ask `world.is_alive(entity)` first, or let go of the handle",
        };
        write!(f, "  help: {help}")
    }
}

impl core::error::Error for NoSuchEntity {}
debug_as_display!(NoSuchEntity);

impl Entities {
    /// Why `entity` is not alive. Only for handles that are not; the store knows more of those whose row is still there.
    #[cold]
    #[inline(never)]
    pub(crate) fn why(&self, entity: Entity) -> NoSuchEntity {
        debug_assert!(!self.is_alive(entity), "{entity} is alive");
        NoSuchEntity { entity, reason: self.reason(entity), caller: None, death: None }
    }

    fn reason(&self, entity: Entity) -> NotAliveReason {
        if self.is_foreign(entity) {
            return NotAliveReason::Foreign;
        }
        let index = entity.index();
        let Some(stamp) = self.stamps.get(index as usize) else {
            if self.reservations.group.is_some() && index >= self.end_of_fresh() {
                return NotAliveReason::Reserved;
            }
            return NotAliveReason::NeverIssued { issued: self.issued() };
        };
        let Some(current) = (stamp.get() & !DEAD).checked_sub(1) else {
            return NotAliveReason::Retired;
        };
        let now = Entity::from_parts(index, current).expect("a stamp holds a generation");
        let reused = stamp.get() & DEAD == 0;
        // Once a compact index may have wrapped, a higher generation can lie in the past too.
        let wraps = self.layout == HandleLayout::Compact && self.highest_stamp == self.last_stamp;
        if entity == now && !reused && self.reservations.reserved > 0 {
            return NotAliveReason::Reserved;
        }
        if !wraps && (entity.generation() > current || (entity == now && !reused)) {
            return NotAliveReason::Ahead { now };
        }
        NotAliveReason::Despawned { now, reused }
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::EntityConfig;
    use super::*;

    fn world(layout: HandleLayout) -> Entities {
        Entities::new(EntityConfig { layout, min_free: 0, limit: None })
    }

    fn reason(entities: &Entities, index: u32, generation: u32) -> NotAliveReason {
        entities.why(Entity::from_parts(index, generation).expect("in range")).reason
    }

    #[test]
    fn each_reason_is_told_apart() {
        let mut entities = world(HandleLayout::Wide);
        assert_eq!(reason(&entities, 0, 0), NotAliveReason::NeverIssued { issued: 0 });
        let first = entities.alloc().expect("room");
        assert_eq!(reason(&entities, 7, 0), NotAliveReason::NeverIssued { issued: 1 });
        entities.free(first).expect("alive");
        let now = Entity::from_parts(0, 1).expect("in range");
        assert_eq!(reason(&entities, 0, 0), NotAliveReason::Despawned { now, reused: false });
        assert_eq!(reason(&entities, 0, 1), NotAliveReason::Ahead { now });
        let second = entities.alloc().expect("room");
        assert_eq!(second, now);
        assert_eq!(reason(&entities, 0, 0), NotAliveReason::Despawned { now, reused: true });
        assert_eq!(reason(&entities, 0, 9), NotAliveReason::Ahead { now });

        entities.simulate_generation(0, Entity::MAX_GENERATION);
        entities.free(entities.entity_at(0)).expect("alive");
        assert_eq!(reason(&entities, 0, 3), NotAliveReason::Retired);
    }

    #[test]
    fn compact_generations_above_the_current_may_lie_in_the_past() {
        let mut entities = world(HandleLayout::Compact);
        entities.alloc().expect("room");
        let now = entities.entity_at(0);
        assert_eq!(reason(&entities, 0, 1023), NotAliveReason::Ahead { now });
        entities.simulate_generation(0, 1023);
        entities.free(entities.entity_at(0)).expect("alive");
        assert_eq!(reason(&entities, 0, 1023), NotAliveReason::Despawned { now, reused: false });
    }

    #[test]
    fn the_message_says_what_was_found_and_who_asked() {
        let mut entities = world(HandleLayout::Wide);
        let entity = entities.alloc().expect("room");
        entities.free(entity).expect("alive");
        let caller = CodeLocation::caller();
        assert_eq!(
            NoSuchEntity { caller: Some(caller), ..entities.why(entity) }.to_string(),
            format!(
                "error[E001]: entity 0v0 is not alive\n  \
                 found: it was despawned; its index is free and will next be 0v1\n  \
                 asked by: {}:{}\n  \
                 help: ask `world.is_alive(entity)` first, or let go of the handle",
                file!(),
                caller.line()
            )
        );
        let unknown = Entity::from_parts(4, 0).expect("in range");
        assert_eq!(
            entities.why(unknown).to_string(),
            "error[E001]: entity 4v0 is not alive\n  \
             found: only index 0 was handed out so far\n  \
             help: was the handle saved, or made, for another world?"
        );
    }

    #[test]
    #[cfg(debug_assertions)]
    fn a_handle_of_another_world_is_foreign() {
        let (mut one, mut two) = (world(HandleLayout::Wide), world(HandleLayout::Wide));
        while one.salt() == two.salt() {
            two = world(HandleLayout::Wide); // the 127th world after `one`, made by other tests
        }
        let (a, b) = (one.alloc().expect("room"), two.alloc().expect("room"));
        assert_eq!(a, b);
        assert!(!two.is_alive(a) && one.locate(b).is_none());
        assert_eq!(two.free(a).map_err(|error| error.reason), Err(NotAliveReason::Foreign));
        assert!(one.clone().is_alive(a), "a fork keeps its handles");
        assert!(two.is_alive(Entity::from_bits(a.to_bits()).expect("bits")), "bits are believed");
    }
}
