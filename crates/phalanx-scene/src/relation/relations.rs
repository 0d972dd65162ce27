//! [`Relations`]: relations asked of a world and changed in it.

use super::keep::{mark, note_ending};
use super::kind::{Relation, RelationMany};
use super::ties::{Related, Ties};
use phalanx_ecs::{Entity, InsertError, NoSuchEntity, World};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Relations of a world.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Relation, Relations};
///
/// #[derive(Relation, Clone, Copy)] struct Follows(Entity);
///
/// let mut world = World::new();
/// let ann = world.spawn(());
/// let duck = world.spawn(Follows(ann));
/// assert_eq!(world.target::<Follows>(duck), Some(ann));
/// assert!(world.sources::<Follows>(ann).eq([duck]));
/// ```
pub trait Relations {
    /// Relates an entity to another, too; answers whether it was not yet.
    ///
    /// A relation to one is made by inserting it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Relations};
    /// # #[derive(Relation, Clone, Copy)] #[relation(many)] struct Likes;
    /// # let mut world = World::new();
    /// let [ann, bob] = [(); 2].map(|()| world.spawn(()));
    /// assert!(world.relate::<Likes>(ann, bob)?);
    /// assert!(!world.relate::<Likes>(ann, bob)?, "she does already");
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    ///
    /// # Errors
    /// [`InsertError`] if one of them is not alive; nothing changes.
    #[track_caller]
    fn relate<R: RelationMany>(&mut self, source: Entity, target: Entity) -> Result<bool, InsertError>;

    /// Ends the relation of an entity to another; answers whether there was one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Relations};
    /// # #[derive(Relation, Clone, Copy)] #[relation(many)] struct Likes;
    /// # let mut world = World::new();
    /// let [ann, bob] = [(); 2].map(|()| world.spawn(()));
    /// world.relate::<Likes>(ann, bob)?;
    /// assert!(world.unrelate::<Likes>(ann, bob)? && !world.has::<Likes>(ann));
    /// assert!(!world.unrelate::<Likes>(ann, bob)?);
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if the source is not alive.
    #[track_caller]
    fn unrelate<R: RelationMany>(&mut self, source: Entity, target: Entity) -> Result<bool, NoSuchEntity>;

    /// The target of an entity; the first, if there are several.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Relations};
    /// # #[derive(Relation, Clone, Copy)] struct Follows(Entity);
    /// # let mut world = World::new();
    /// # let ann = world.spawn(());
    /// let duck = world.spawn(Follows(ann));
    /// assert_eq!((world.target::<Follows>(duck), world.target::<Follows>(ann)), (Some(ann), None));
    /// ```
    fn target<R: Relation>(&self, source: Entity) -> Option<Entity> {
        self.targets::<R>(source).next()
    }

    /// The targets of an entity, in the order in which it was related to them.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Relations};
    /// # #[derive(Relation, Clone, Copy)] #[relation(many)] struct Likes;
    /// # let mut world = World::new();
    /// let [ann, bob, cat] = [(); 3].map(|()| world.spawn(()));
    /// world.relate::<Likes>(ann, cat)?;
    /// world.relate::<Likes>(ann, bob)?;
    /// assert!(world.targets::<Likes>(ann).eq([cat, bob]));
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    fn targets<R: Relation>(&self, source: Entity) -> Related<'_>;

    /// Those who are related to an entity, in the order in which they were.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Relations};
    /// # #[derive(Component)] struct Position(f32);
    /// # #[derive(Relation, Clone, Copy)] struct Follows(Entity);
    /// # let mut world = World::new();
    /// let ann = world.spawn(());
    /// world.spawn_batch([1.0, 2.0].map(|x| (Position(x), Follows(ann))));
    /// // With what they have: a query visits them by their handles.
    /// let followers: Vec<Entity> = world.sources::<Follows>(ann).collect();
    /// world.query::<&mut Position>().for_each_of(&followers, |position| position.0 += 1.0);
    /// assert!(world.read::<&Position>().iter().map(|position| position.0).eq([2.0, 3.0]));
    /// ```
    fn sources<R: Relation>(&self, target: Entity) -> Related<'_>;

    /// Whether an entity is related to another.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Relations};
    /// # #[derive(Relation, Clone, Copy)] struct Follows(Entity);
    /// # let mut world = World::new();
    /// # let ann = world.spawn(());
    /// let duck = world.spawn(Follows(ann));
    /// assert!(world.is_related::<Follows>(duck, ann) && !world.is_related::<Follows>(ann, duck));
    /// ```
    fn is_related<R: Relation>(&self, source: Entity, target: Entity) -> bool;
}

impl Relations for World {
    #[track_caller]
    fn relate<R: RelationMany>(&mut self, source: Entity, target: Entity) -> Result<bool, InsertError> {
        self.entity(source)?;
        self.entity(target)?;
        if self.is_related::<R>(source, target) {
            return Ok(false);
        }
        if !self.has_resource::<Ties<R>>() {
            note_ending::<R>(self);
        }
        self.init_resource::<Ties<R>>().tie(source, target);
        // Somebody who is told may panic: what is kept is put in order first.
        let related =
            catch_unwind(AssertUnwindSafe(|| if self.has::<R>(source) { Ok(()) } else { self.insert(source, R::TAG) }));
        if !self.has::<R>(source) {
            self.init_resource::<Ties<R>>().cut(source, target);
        }
        mark::<R>(self, target);
        related.unwrap_or_else(|panic| resume_unwind(panic)).map(|()| true)
    }

    #[track_caller]
    fn unrelate<R: RelationMany>(&mut self, source: Entity, target: Entity) -> Result<bool, NoSuchEntity> {
        self.entity(source)?;
        if !self.is_related::<R>(source, target) {
            return Ok(false);
        }
        self.init_resource::<Ties<R>>().cut(source, target);
        let removed = catch_unwind(AssertUnwindSafe(|| {
            if self.targets::<R>(source).len() == 0 {
                let removed = self.remove::<R>(source);
                assert!(removed.is_ok(), "it is alive");
            }
        }));
        mark::<R>(self, target);
        removed.unwrap_or_else(|panic| resume_unwind(panic));
        Ok(true)
    }

    fn targets<R: Relation>(&self, source: Entity) -> Related<'_> {
        self.get_resource::<Ties<R>>().map_or(Related::NOBODY, |ties| ties.targets(source))
    }

    fn sources<R: Relation>(&self, target: Entity) -> Related<'_> {
        self.get_resource::<Ties<R>>().map_or(Related::NOBODY, |ties| ties.sources(target))
    }

    fn is_related<R: Relation>(&self, source: Entity, target: Entity) -> bool {
        self.get_resource::<Ties<R>>().is_some_and(|ties| ties.is_related(source, target))
    }
}
