//! Commands on one entity that follow each other are made in one move.
//!
//! ```text
//! spawn (A) as 5v0 │ insert B into 5v0 │ insert C into 5v0 │ remove A from 5v0 │ insert B into 6v0 …
//! └──────────── one chain: 5v0 comes to life as {B, C} ─────────────────────┘
//! ```
//!
//! The store makes as many of them at once as nobody can tell from making them one by one, often none: see `storage/fold`. No error can come of those, so
//! nothing need be known of who queued them.

#![expect(unsafe_code, reason = "reads payloads whose type is known by their link")]

use super::deferred::{Insert, Remove};
use crate::bundle::Bundle;
use crate::entity::Entity;
use crate::queue::{Chain, Chained, Context};
use crate::storage::{LONGEST_FOLD, OneByOne, Step};
use crate::world::World;
use std::mem::offset_of;
use std::ptr::NonNull;

/// What is to be known of a command to make it together with others.
pub(crate) struct Link {
    step: Step,
    /// Where the payload has the entity; a spawn has none, it gets the next id.
    entity: Option<usize>,
    /// Where it has the parts of its bundle, if it brings some.
    parts: usize,
}

impl Link {
    pub(super) const fn spawn<B: Bundle>() -> Self {
        Self { step: Step::insert::<B::Parts>(), entity: None, parts: 0 }
    }

    pub(super) const fn insert<B: Bundle>() -> Self {
        let (entity, parts) = (offset_of!(Insert<B>, entity), offset_of!(Insert<B>, parts));
        Self { step: Step::insert::<B::Parts>(), entity: Some(entity), parts }
    }

    pub(super) const fn remove<B: Bundle>() -> Self {
        Self { step: Step::remove::<B::Parts>(), entity: Some(offset_of!(Remove<B>, entity)), parts: 0 }
    }

    /// The entity that a command names.
    ///
    /// # Safety
    /// 1. The payload is one of the type the link was made for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn entity(&self, payload: NonNull<u8>) -> Option<Entity> {
        // SAFETY: by (1), there is an entity at that place.
        self.entity.map(|at| unsafe { payload.byte_add(at).cast::<Entity>().read() })
    }
}

// SAFETY: `apply_steps` and `spawn_steps` answer how many steps they made, and have moved the parts of those; what else a payload has needs no drop. They do not
// panic, and nothing else here does.
unsafe impl Context for World {
    type Link = Link;

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn goes_with(first: (&Link, NonNull<u8>), second: (&Link, NonNull<u8>)) -> bool {
        // SAFETY: passed on.
        let (first, second) = unsafe { (first.0.entity(first.1), second.0.entity(second.1)) };
        // A spawn does not know its entity here.
        second.is_some() && (first.is_none() || first == second)
    }

    #[inline(never)]
    fn apply_chain(&mut self, chain: &Chain<'_, Self>) -> Chained {
        let Some((first, payload)) = chain.get(0) else { return Chained::OneByOne(1) };
        // SAFETY: the queue keeps a payload with the link of its type, here and below.
        let named = unsafe { first.entity(payload) };
        let Some(entity) = named.or_else(|| self.application.lane.first_unclaimed()) else {
            return Chained::OneByOne(1);
        };
        let (mut steps, mut parts) = ([&first.step; LONGEST_FOLD], [payload.as_ptr(); LONGEST_FOLD]);
        let mut count = 1;
        while count < LONGEST_FOLD
            && let Some((link, payload)) = chain.get(count)
            // SAFETY: as above.
            && unsafe { link.entity(payload) } == Some(entity)
        {
            // SAFETY: within the payload.
            (steps[count], parts[count]) = (&link.step, unsafe { payload.byte_add(link.parts) }.as_ptr());
            count += 1;
        }
        // SAFETY: within the payload.
        parts[0] = unsafe { payload.byte_add(first.parts) }.as_ptr();
        let (steps, parts) = (&steps[..count], &parts[..count]);
        if count == 1 || named.is_none() && self.store.entities.room_for_reserved() == 0 {
            return Chained::OneByOne(1);
        }
        // SAFETY: (1) the parts are those of the bundles that the steps insert, and whoever is told that a step was made does not use its payload again; (2) there
        // are as many of both, at most `LONGEST_FOLD`.
        let done = unsafe {
            match named {
                Some(_) => self.store.apply_steps(entity, steps, parts),
                None => self.store.spawn_steps(entity, steps, parts),
            }
        };
        match done {
            Ok(done) => {
                if named.is_none() {
                    self.application.lane.claim_first();
                }
                Chained::Done(done)
            }
            Err(OneByOne(skipped)) => Chained::OneByOne(skipped),
        }
    }
}
