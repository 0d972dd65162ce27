//! Commands that observers queue.
//!
//! Many observers may be called before the first of their commands is done. They take their ids from one lane, of which each cuts off what it used.

use super::commands::Commands;
use crate::component::Panics;
use crate::outcome::{CommandErrors, Policy};
use crate::queue::Runs;
use crate::world::{ObserverQueue, Trigger, World};
use std::any::Any;
use std::panic::Location;
use std::sync::Arc;

impl Trigger<'_> {
    /// Commands that are applied once the operation that called this observer is done: in order with what is [deferred](Trigger::defer), and each observer's by
    /// themselves. Handles of what they spawn are valid at once.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Egg;
    /// #[derive(Component)] struct Chick;
    ///
    /// let mut world = World::new();
    /// world.observe::<Egg>(Act::Remove, |trigger| {
    ///     let egg = trigger.entity();
    ///     let chick = trigger.commands().spawn(());
    ///     trigger.commands().insert(chick, Chick);
    ///     trigger.commands().despawn(egg);
    /// });
    /// let egg = world.spawn(Egg);
    /// world.remove::<Egg>(egg).unwrap();
    /// assert!(!world.is_alive(egg) && world.query::<&Chick>().count() == 1);
    /// ```
    ///
    /// What cannot be done is reported with the errors of the queue that is being applied, if the operation is a command. If it is not, it panics when
    /// all that was deferred is done, unless the [policy](Commands::set_policy) says to ignore it. Errors name the observer.
    pub fn commands(&mut self) -> &mut Commands {
        let observer = self.observer();
        let queue = self.queue(|world, spare| open(world, spare, observer));
        queue.as_any().downcast_mut().expect("commands are what observers queue")
    }
}

/// A queue for an observer.
fn open(
    world: &mut World,
    spare: Option<Box<dyn ObserverQueue>>,
    observer: &'static Location<'static>,
) -> Box<dyn ObserverQueue> {
    let mut lane = world.take_observers_lane();
    if !lane.is_dealt() {
        lane = world.lanes.deal(["observers"].into_iter(), &mut world.store.entities).pop().expect("one lane");
    }
    let name = Some(Arc::from(format!("observer at {}:{}", observer.file(), observer.line())));
    match spare {
        Some(mut spare) => {
            let commands: &mut Commands = spare.as_any().downcast_mut().expect("commands are what observers queue");
            (commands.lane, commands.name, commands.policy) = (lane, name, Policy::default());
            // It may have come here by way of another world.
            if commands.world != world.store.birth() {
                (commands.world, commands.returned) = (world.store.birth(), world.lanes.returned());
            }
            spare
        }
        None => {
            let (runs, policy, returned) = (Runs::default(), Policy::default(), world.lanes.returned());
            Box::new(Commands { runs, lane, world: world.store.birth(), name, policy, returned })
        }
    }
}

impl ObserverQueue for Commands {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn close(&mut self, world: &mut World) -> bool {
        if self.world != world.store.birth() {
            // Somebody has put a queue of another world into the place of the one that was lent. The ids of that are elsewhere, and those of this one are none of this world's.
            return true;
        }
        let mut lane = std::mem::take(&mut self.lane);
        if lane.handed_out() > 0 {
            self.lane = world.store.entities.cut_off(&mut lane);
        }
        world.put_observers_lane(lane, self.lane.handed_out());
        !self.is_empty() || self.lane.is_dealt()
    }

    fn apply(&mut self, world: &mut World) {
        if self.world != world.store.birth() {
            // Somebody has put another world into the place of the one it was for, or another queue into the place of one for this world.
            self.give_back();
            return self.runs.clear();
        }
        let (mut errors, mut panics) = (Vec::new(), Panics::default());
        world.apply_queue(self, &mut errors, &mut panics);
        let not_applied = self.len();
        panics.catch(|| self.runs.clear());
        if self.world == world.store.birth() {
            world.store.entities.settle(&mut self.lane);
        }
        panics.resume();
        if world.is_applying() {
            for error in errors {
                world.application.refuse(error);
            }
        } else if !errors.is_empty() {
            refuse(world.latest_observer(), &CommandErrors::new(errors, not_applied));
        }
    }
}

#[cold]
fn refuse(during: &str, errors: &CommandErrors) {
    let errors = errors.to_string().replace('\n', "\n  ").replace("\n  \n", "\n\n");
    panic!("error[O004]: an observer queued what cannot be done\n  during: {during}\n  {errors}");
}
