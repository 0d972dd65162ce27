//! Queues are dealt, applied and settled.

use super::commands::Commands;
use crate::component::Panics;
use crate::order::sort_by;
use crate::outcome::{Application, ApplicationId, CommandError, CommandErrors, CommandFault, Policy};
use crate::queue::Runs;
use crate::world::World;
use std::panic::Location;
use std::sync::Arc;

/// # Commands
impl World {
    /// A queue for changes to be made later. It has no borrow of the world, and ids of its own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let mut commands = world.commands();
    /// let orc = commands.spawn(Health(3));
    /// assert!(!world.is_alive(orc), "not yet");
    /// world.apply(&mut commands)?;
    /// assert!(world.is_alive(orc));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    pub fn commands(&mut self) -> Commands {
        self.deal(vec![None]).pop().expect("one queue")
    }

    /// Several queues, named after who fills them: on any threads, in any order. [`World::apply_all`] applies them in the order of the names, and the ids they
    /// hand out depend on the names and their order alone; so the world that comes of it is the same on any number of threads.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct By(&'static str);
    ///
    /// let mut world = World::new();
    /// let mut queues = world.commands_for(["ai", "physics"]);
    /// std::thread::scope(|scope| {
    ///     let [ai, physics] = &mut queues;
    ///     scope.spawn(|| physics.spawn(By("physics")));
    ///     scope.spawn(|| ai.spawn(By("ai")));
    /// });
    /// world.apply_all(&mut queues)?;
    /// assert!(world.query::<&By>().iter().map(|by| by.0).eq(["ai", "physics"]));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    ///
    /// Ids are dealt to each queue in blocks, so that queues do not wait for each other: handles of one queue jump ahead of those of another, and indices in between
    /// are used later ([`EntityStats::reserved`](crate::EntityStats::reserved) counts them).
    ///
    /// [`World::commands_for_each`] does the same for names that are not known when the program is written.
    pub fn commands_for<const N: usize>(&mut self, names: [impl AsRef<str>; N]) -> [Commands; N] {
        let queues = self.commands_for_each(names);
        queues.try_into().unwrap_or_else(|_| unreachable!("one queue per name"))
    }

    /// As many queues as there are names, as [`World::commands_for`] makes them.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Tile(u32);
    ///
    /// let mut world = World::new();
    /// let workers = 3;
    /// let mut queues = world.commands_for_each((0..workers).map(|number| format!("worker {number}")));
    /// for (queue, tile) in queues.iter_mut().zip(0..) {
    ///     queue.spawn(Tile(tile));
    /// }
    /// world.apply_all(&mut queues)?;
    /// assert!(world.query::<&Tile>().iter().map(|tile| tile.0).eq([0, 1, 2]));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    pub fn commands_for_each(&mut self, names: impl IntoIterator<Item: AsRef<str>>) -> Vec<Commands> {
        self.deal(names.into_iter().map(|name| Some(Arc::from(name.as_ref()))).collect())
    }

    fn deal(&mut self, names: Vec<Option<Arc<str>>>) -> Vec<Commands> {
        let wanted = names.iter().map(|name| name.as_deref().unwrap_or(""));
        let lanes = self.lanes.deal(wanted, &mut self.store.entities);
        let queue = |(name, lane)| Commands {
            runs: Runs::default(),
            lane,
            world: self.store.birth(),
            name,
            policy: Policy::default(),
            returned: self.lanes.returned(),
        };
        names.into_iter().zip(lanes).map(queue).collect()
    }

    /// Makes the changes that were queued, in order, as far as they can be made. The queue is empty afterwards and can be used again.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Hungry;
    ///
    /// let mut world = World::new();
    /// let mut commands = world.commands();
    /// let wolf = commands.spawn(());
    /// commands.despawn(wolf);
    /// commands.insert(wolf, Hungry);
    /// let errors = world.apply(&mut commands).unwrap_err();
    /// assert!(errors.to_string().starts_with("error[K001]: cannot insert `Hungry` into entity 0v0: it is not alive"));
    /// ```
    ///
    /// # Errors
    /// [`CommandErrors`] with all commands that could not be done, or the first, as the [policy](Commands::set_policy) of the queue says. A queue of another
    /// world is refused and stays as it is.
    ///
    /// # Panics
    /// If a queued function or a drop panics: at once or after all other commands, as the policy says.
    #[track_caller]
    pub fn apply(&mut self, commands: &mut Commands) -> Result<(), CommandErrors> {
        self.apply_queues(&mut [commands], Location::caller())
    }

    /// [Applies](World::apply) several queues, in the order in which they were dealt.
    ///
    /// Their order in the list does not matter.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Title(&'static str);
    /// # let mut world = World::new();
    /// let mut queues = world.commands_for(["ai", "physics"]);
    /// queues[1].spawn(Title("stone"));
    /// queues[0].spawn(Title("Grub"));
    /// world.apply_all(queues.iter_mut().rev())?;
    /// assert!(world.query::<&Title>().iter().map(|name| name.0).eq(["Grub", "stone"]));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    ///
    /// # Errors
    /// As [`World::apply`], with the errors of all of them.
    ///
    /// # Panics
    /// As [`World::apply`].
    #[track_caller]
    pub fn apply_all<'a>(&mut self, queues: impl IntoIterator<Item = &'a mut Commands>) -> Result<(), CommandErrors> {
        let mut queues: Vec<&mut Commands> = queues.into_iter().collect();
        self.apply_queues(&mut queues, Location::caller())
    }

    fn apply_queues(
        &mut self,
        queues: &mut [&mut Commands],
        caller: &'static Location<'static>,
    ) -> Result<(), CommandErrors> {
        sort_by(queues, |a, b| a.lane.serial() < b.lane.serial());
        let (mut errors, mut panics, mut not_applied) = (Vec::new(), Panics::default(), 0);
        let others = queues.iter().filter(|queue| queue.world != self.store.birth());
        errors.extend(others.map(|queue| of_other_world(queue, caller)));
        self.forget_stale(&mut errors);
        self.lanes.collect(&mut self.store.entities);
        let birth = self.store.birth();
        for queue in queues.iter_mut().filter(|queue| queue.world == birth) {
            if self.store.birth() != birth {
                // One before has put another world into the place of the one that this is for, which it waits for.
                errors.push(of_other_world(queue, caller));
                not_applied += queue.len();
                continue;
            }
            let goes_on = self.apply_queue(queue, &mut errors, &mut panics);
            not_applied += queue.len();
            if !goes_on {
                break;
            }
        }
        self.renew_lanes(queues);
        panics.resume();
        if errors.is_empty() { Ok(()) } else { Err(CommandErrors::new(errors, not_applied)) }
    }

    /// Applies a queue; answers whether those after it have their turn.
    pub(super) fn apply_queue(
        &mut self,
        queue: &mut Commands,
        errors: &mut Vec<CommandError>,
        panics: &mut Panics,
    ) -> bool {
        self.forget_stale(errors);
        self.store.entities.admit(&mut queue.lane);
        let lane = std::mem::take(&mut queue.lane);
        let (name, policy) = (queue.name.clone(), queue.policy);
        let ids = std::mem::take(&mut self.application.ids);
        self.applications += 1;
        let id = ApplicationId { birth: self.store.birth().get(), number: self.applications };
        let application = Application { id, lane, queue: name, policy, active: true, ids, ..Application::default() };
        // A queued function may apply another queue, or put another world in the place of this one.
        let underway = Arc::clone(&self.underway);
        let outer_number = underway.application();
        underway.set_application(id.number);
        let outer = std::mem::replace(&mut self.application, application);
        let (mut done, mut panicked) = (false, false);
        let mut stuck = false;
        while !(done || stuck || panicked && policy == Policy::Stop) {
            let before = queue.runs.len();
            panics.catch(|| {
                while self.application.goes_on(id) && queue.runs.apply_next(self) {}
                done = true;
            });
            panicked |= !done;
            stuck = !done && queue.runs.len() == before;
        }
        underway.set_application(outer_number);
        if self.application.id == id {
            let application = std::mem::replace(&mut self.application, outer);
            (queue.lane, self.application.ids) = (application.lane, application.ids);
            errors.extend(application.errors);
        } else {
            // The world that the queue is for has been taken away, with the ids of the queue. It finds out when it is next used; the queue gets others.
            underway.leave_behind(outer);
        }
        !(panicked && policy == Policy::Stop)
    }

    /// Whether a queue is being applied.
    pub(super) fn is_applying(&self) -> bool {
        self.application.active && self.application.id.number == self.underway.application()
    }

    /// If this world was taken away while queues were applied to it, that has ended meanwhile: ids that nobody has claimed are given up, and errors are told now.
    fn forget_stale(&mut self, errors: &mut Vec<CommandError>) {
        while self.application.active && !self.is_applying() {
            let outer = self.underway.take_left_behind();
            let mut stale = std::mem::replace(&mut self.application, outer);
            self.store.entities.settle(&mut stale.lane);
            errors.append(&mut stale.errors);
        }
    }

    /// Settles the lanes of queues that are empty, and deals them new ones, unless there are ids enough left in the old.
    fn renew_lanes(&mut self, queues: &mut [&mut Commands]) {
        let birth = self.store.birth();
        let is_empty = |queue: &Commands| queue.is_empty() && queue.world == birth;
        for queue in queues.iter_mut().filter(|queue| is_empty(queue)) {
            let name = queue.name.as_deref().unwrap_or("");
            self.lanes.note_use(name, queue.lane.handed_out());
            self.store.entities.settle_handed_out(&mut queue.lane);
            if !self.lanes.keeps(name, &mut queue.lane) {
                let before = queue.lane.depth();
                self.store.entities.settle(&mut queue.lane);
                self.lanes.want(name, before, &mut queue.lane);
            }
        }
        let entities = &mut self.store.entities;
        self.lanes.deal_wanted(queues, |queue| is_empty(queue).then_some(&mut queue.lane), entities);
        for queue in queues.iter_mut().filter(|queue| is_empty(queue)) {
            self.lanes.number(&mut queue.lane);
        }
    }
}

fn of_other_world(queue: &Commands, caller: &'static Location<'static>) -> CommandError {
    let (act, queue) = ("apply the queue".to_owned(), queue.name.clone());
    CommandError { act, entity: None, fault: CommandFault::OtherWorld, queue, caller }
}
