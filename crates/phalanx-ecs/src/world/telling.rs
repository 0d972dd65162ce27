//! Operations that make components come or go, and when in them observers are told.
//!
//! An operation asks first whether anybody observes what it is about to touch. If nobody does, it goes its fast way.

use super::World;
use super::hooks::Touched;
use super::observe::Act;
use super::observers::Key;
use super::removed::Leaving;
use super::spawn::has_twice;
use crate::component::{ComponentId, Panics, Quiet, Watch};
use crate::entity::Entity;
use std::collections::BTreeSet;

/// Components that come, to be told to observers once they have.
#[derive(Default)]
pub(super) struct Arrivals {
    /// With which of the entities it is.
    list: Vec<(usize, Entity, ComponentId)>,
    entered: bool,
}

/// How far an operation that makes components come has got.
#[derive(Default)]
pub(super) struct Progress {
    /// Panics of drops, which do not keep components from coming.
    pub(super) panics: Panics,
    /// Into how many of the entities they have come. Asked only if something else panics: then they have not come into the others.
    pub(super) done: usize,
}

impl World {
    #[inline]
    pub(super) fn has_observers(&self) -> bool {
        !self.store.registry.watch().is_empty()
    }

    /// Whether somebody observes any component for one of these acts.
    #[inline]
    pub(super) fn observes(&self, watch: Watch) -> bool {
        self.store.registry.watch().has(watch)
    }

    /// The observed ones among components, for any of these acts.
    fn watched(&self, components: impl IntoIterator<Item = ComponentId>, watch: Watch) -> Vec<ComponentId> {
        components.into_iter().filter(|c| self.store.registry.at(*c).watch.has(watch)).collect()
    }

    /// Before components are inserted into entities: tells who observes that others are replaced, and notes what will come.
    /// What is `gone` has been removed in the same breath, and is not replaced.
    pub(super) fn before_insert(
        &mut self,
        entities: &[Entity],
        components: &[ComponentId],
        gone: &[ComponentId],
    ) -> Arrivals {
        if !self.observes(Watch::INSERT | Watch::REPLACE) {
            return Arrivals::default();
        }
        let all = self.store.with_required(components);
        let watched = self.watched(all, Watch::INSERT | Watch::REPLACE);
        if watched.is_empty() {
            return Arrivals::default();
        }
        self.enter();
        let (mut list, mut replaced, mut panics) = (Vec::new(), Vec::new(), Panics::default());
        let mut touched = Touched::default();
        for (number, &entity) in entities.iter().enumerate() {
            let Some(at) = self.store.entities.locate(entity) else { continue };
            for &component in &watched {
                let has = self.store.has(entity.index(), at, component) && !gone.contains(&component);
                let own = components.contains(&component);
                if has && own {
                    self.notify(Key::Component(component, Act::Replace), entity, None, &mut panics);
                    self.note_touched(component, entity, &mut touched);
                    if self.is_indexed(component) {
                        replaced.push((entity, component));
                    }
                }
                if own || !has {
                    list.push((number, entity, component));
                }
            }
        }
        self.call_hooks(Act::Replace, &touched, &mut panics);
        for (entity, component) in replaced {
            self.take_off_index(entity, component);
        }
        if panics.any() {
            self.observers.later_panics(panics);
        }
        Arrivals { list, entered: true }
    }

    /// Does an operation that makes components come, and tells who observes them.
    pub(super) fn inserting<R>(
        &mut self,
        arrivals: Arrivals,
        operation: impl FnOnce(&mut Self, &mut Progress) -> R,
    ) -> R {
        if !arrivals.entered {
            let mut progress = Progress::default();
            let result = operation(self, &mut progress);
            progress.panics.resume();
            return result;
        }
        let mut panics = Panics::default();
        // What is handed out is dropped quietly if somebody panics.
        let result = Quiet::new(self.insert_and_tell(arrivals, &mut panics, operation));
        self.leave(panics);
        result.into_inner().expect("a panic was resumed")
    }

    /// The inner part of [`World::inserting`]; answers nothing if the operation panicked.
    fn insert_and_tell<R>(
        &mut self,
        arrivals: Arrivals,
        panics: &mut Panics,
        operation: impl FnOnce(&mut Self, &mut Progress) -> R,
    ) -> Option<R> {
        let (mut progress, mut stopped, mut result) = (Progress::default(), Panics::default(), None);
        stopped.catch(|| result = Some(operation(self, &mut progress)));
        // A panic of a drop, if there was one, came first.
        panics.catch(|| progress.panics.resume());
        panics.catch(|| stopped.resume());
        // Before anybody is told, who may want to find them.
        let mut touched = Touched::default();
        for &(_, entity, component) in &arrivals.list {
            self.add_to_index(entity, component);
            // Also what is still there because another did not take its place: it was told that it would be replaced.
            if self.is_there(component, entity) {
                self.note_touched(component, entity, &mut touched);
            }
        }
        self.call_hooks(Act::Insert, &touched, panics);
        for (number, entity, component) in arrivals.list {
            if result.is_some() || number < progress.done {
                self.notify_if_there(Act::Insert, component, entity, panics);
            }
        }
        result
    }

    /// Does an operation that makes components come into entities of which some may be named several times: part by part, none of which names one twice.
    pub(super) fn inserting_in_parts(
        &mut self,
        entities: &[Entity],
        components: &[ComponentId],
        mut operation: impl FnMut(&mut Self, &[Entity], &mut Progress),
    ) {
        let (mut panics, mut rest) = (Panics::default(), entities);
        self.enter();
        while !rest.is_empty() {
            let mut seen = BTreeSet::new();
            let end = rest.iter().position(|entity| !seen.insert(*entity)).unwrap_or(rest.len());
            let (part, later) = rest.split_at(end);
            rest = later;
            let arrivals = self.before_insert(part, components, &[]);
            let entered = arrivals.entered;
            let done = self.insert_and_tell(arrivals, &mut panics, |world, progress| operation(world, part, progress));
            self.underway.set_operations(self.underway.operations() - usize::from(entered));
            if done.is_none() {
                break;
            }
        }
        self.leave(panics);
    }

    /// Tells who observes the components of new entities. They were spawned with these, and what those require.
    pub(super) fn after_spawn(&mut self, entities: &[Entity], components: &[ComponentId]) {
        if !self.observes(Watch::INSERT) {
            return;
        }
        let watched = self.watched(self.store.with_required(components), Watch::INSERT);
        if watched.is_empty() {
            return;
        }
        // Before anybody is told, who may want to find them.
        for &component in &watched {
            if self.is_indexed(component) {
                for &entity in entities {
                    self.add_to_index(entity, component);
                }
            }
        }
        let mut panics = Panics::default();
        self.enter();
        for &component in &watched {
            // A copy need not have what its components require.
            if entities.first().is_some_and(|first| self.is_there(component, *first)) {
                self.call_hook(Act::Insert, component, entities, &mut panics);
            }
        }
        if self.observers.any() {
            for &entity in entities {
                for &component in &watched {
                    self.notify_if_there(Act::Insert, component, entity, &mut panics);
                }
            }
        }
        self.leave(panics);
    }

    /// Components that do something by themselves, or of which the world keeps an index, have come into an entity, the first of their kind: nobody knew of them
    /// before.
    #[cold]
    pub(super) fn tell_of_first(&mut self, entity: Entity) {
        let components = self.signature(entity).unwrap_or_default();
        self.after_spawn(&[entity], &components);
    }

    /// Does an operation that makes components go, and the tags that depend on them, after telling who observes them.
    pub(super) fn removing<R>(
        &mut self,
        entities: &[Entity],
        components: &[ComponentId],
        operation: impl FnOnce(&mut Self) -> R,
    ) -> R {
        self.removing_for(entities, components, &[], operation)
    }

    /// [`World::removing`] by an operation that makes some of the components come again, and tells of that itself.
    pub(super) fn removing_for<R>(
        &mut self,
        entities: &[Entity],
        components: &[ComponentId],
        coming: &[ComponentId],
        operation: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let watched = if self.observes(Watch::REMOVE) {
            self.watched(self.store.with_dependents(components), Watch::REMOVE)
        } else {
            Vec::new()
        };
        // What is refused because a bundle has something twice is not told.
        if watched.is_empty() || has_twice(components) {
            return operation(self);
        }
        let mut panics = Panics::default();
        self.enter();
        let (mut told, mut leaving, mut touched) = (BTreeSet::new(), Leaving::default(), Touched::default());
        for &entity in entities.iter().filter(|entity| told.insert(**entity)) {
            let Some(at) = self.store.entities.locate(entity) else { continue };
            for &component in &watched {
                if self.store.has(entity.index(), at, component) {
                    self.notify(Key::Component(component, Act::Remove), entity, None, &mut panics);
                    self.note_leaving(entity, component, &mut leaving);
                    self.note_touched(component, entity, &mut touched);
                }
            }
        }
        self.call_hooks(Act::Remove, &touched, &mut panics);
        self.log_leaving(&leaving, false, &mut panics);
        let touched = touched.only(|component, _| !coming.contains(&component));
        self.operate(operation, &leaving, touched, panics)
    }

    /// Whether somebody observes that a sparse component goes, which tables do not know.
    pub(super) fn observes_sets(&self) -> bool {
        let mut sparse = self.store.registry.sparse().iter().copied();
        sparse.any(|component| self.store.registry.at(component).watch.has(Watch::REMOVE))
    }

    /// Does an operation that ends entities, after telling who observes their components.
    pub(super) fn ending<R>(&mut self, entities: &[Entity], operation: impl FnOnce(&mut Self) -> R) -> R {
        if !self.observes(Watch::REMOVE) {
            return operation(self);
        }
        let mut panics = Panics::default();
        self.enter();
        let sparse = self.observes_sets();
        let (mut leaving, mut touched) = (Leaving::default(), Touched::default());
        for &entity in entities {
            let Some(at) = self.store.entities.locate(entity) else { continue };
            if !sparse && !self.store.tables[at.table.index()].is_watched() {
                continue;
            }
            let watched = self.watched(self.store.components_of(entity.index(), at), Watch::REMOVE);
            for act in [Act::Despawn, Act::Remove] {
                for &component in &watched {
                    self.notify(Key::Component(component, act), entity, None, &mut panics);
                }
            }
            for &component in &watched {
                self.note_leaving(entity, component, &mut leaving);
                self.note_touched(component, entity, &mut touched);
            }
        }
        for act in [Act::Despawn, Act::Remove] {
            self.call_hooks(act, &touched, &mut panics);
        }
        self.log_leaving(&leaving, true, &mut panics);
        self.operate(operation, &leaving, touched, panics)
    }

    /// Tells who observes that a component was switched.
    pub(super) fn after_switch(&mut self, entity: Entity, component: ComponentId, on: bool) {
        if self.store.registry.at(component).watch.has(Watch::SWITCH) {
            let mut panics = Panics::default();
            self.enter();
            let act = if on { Act::SwitchOn } else { Act::SwitchOff };
            self.call_hook(act, component, &[entity], &mut panics);
            self.notify(Key::Component(component, act), entity, None, &mut panics);
            self.leave(panics);
        }
    }

    fn operate<R>(
        &mut self,
        operation: impl FnOnce(&mut Self) -> R,
        leaving: &Leaving,
        touched: Touched,
        mut panics: Panics,
    ) -> R {
        let mut result = None;
        panics.catch(|| result = Some(operation(self)));
        if panics.any() {
            // What is still there, because of a panic, is found again, and is as if it had just come.
            self.index_remaining(leaving);
            let touched = touched.only(|component, entity| self.is_there(component, entity));
            self.call_hooks(Act::Insert, &touched, &mut panics);
        }
        // What is handed out is dropped quietly if somebody panics.
        let result = Quiet::new(result);
        self.leave(panics);
        result.into_inner().expect("a panic was resumed")
    }

    fn notify_if_there(&mut self, act: Act, component: ComponentId, entity: Entity, panics: &mut Panics) {
        if self.is_there(component, entity) {
            self.notify(Key::Component(component, act), entity, None, panics);
        }
    }

    fn is_there(&self, component: ComponentId, entity: Entity) -> bool {
        let at = self.store.entities.locate(entity);
        at.is_some_and(|at| self.store.has(entity.index(), at, component))
    }
}
