//! [`Relation`]: what is declared of one.

use phalanx_ecs::{Component, Entity};

/// What happens to the source of a relation when its target ends.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Relation, TargetEnds};
///
/// #[derive(Relation, Clone, Copy)]
/// #[relation(target_ends = "despawn")]
/// struct DockedAt(Entity);
///
/// assert_eq!(DockedAt::TARGET_ENDS, TargetEnds::Despawn);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum TargetEnds {
    /// It is no longer related to it.
    #[default]
    Remove,
    /// It ends too.
    Despawn,
    /// Nothing: it stays related to somebody who is not alive.
    Keep,
}

/// A component that relates its entity, the source, to another, the target.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Relation, Relations};
///
/// /// To one: the value names the target.
/// #[derive(Relation, Clone, Copy)]
/// struct Follows(Entity);
///
/// /// To many.
/// #[derive(Relation, Clone, Copy)]
/// #[relation(many)]
/// struct Likes;
///
/// let mut world = World::new();
/// let [ann, bob, cat] = [(); 3].map(|()| world.spawn(()));
/// world.insert(bob, Follows(ann))?;
/// world.insert(cat, Follows(ann))?;
/// assert!(world.sources::<Follows>(ann).eq([bob, cat]));
///
/// world.relate::<Likes>(ann, bob)?;
/// world.relate::<Likes>(ann, cat)?;
/// assert!(world.targets::<Likes>(ann).eq([bob, cat]));
/// assert_eq!(world.read_filtered::<Entity, With<Likes>>().single()?, ann);
///
/// // Who ends is no longer anybody's target.
/// world.despawn(bob)?;
/// assert!(world.targets::<Likes>(ann).eq([cat]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Links are kept beside the components, so no target makes a table of its own, and making or cutting one takes the same time however many there are. They are right by every route
/// by which components come and go. A target must be alive when it is named, or have been if the relation is kept. A relation to one is immutable: insert it anew to change the target. Copies of a source are related
/// to the same target if it is one, and to nobody if there may be many; in another world an entity is related to nobody.
///
/// A source has the component, and a target the tag [`Targeted`](super::Targeted): whoever gets or loses one of them moves to another table, which changes the
/// [order](struct@phalanx_ecs::Query#order) in which queries walk. A relation that is `#[component(storage = "sparse")]` leaves its sources where they are.
///
/// | attribute | meaning |
/// |---|---|
/// | `many` | a source has any number of targets; the struct has no fields |
/// | `target_ends = "remove"`, `"despawn"`, `"keep"` | what happens to a source when its target ends: see [`TargetEnds`] |
///
/// Without `many` the struct has one field of type `Entity`, the target, and may have others. What `#[component(…)]` says (`name`, `hidden`, `storage`, …) counts as well.
///
/// The derive makes the struct a component: do not write `Component` too, or the compiler finds two implementations of it (E0119). A relation is [`Copy`]: write `Clone, Copy` beside
/// `Relation`.
#[doc(alias = "relationship")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a relation",
    label = "not a relation between entities",
    note = "write `#[derive(Relation, Clone, Copy)]` above the declaration of `{Self}`"
)]
pub trait Relation: Component + Copy {
    /// Whether a source may have several targets.
    const MANY: bool;
    /// What happens to the source when the target ends.
    const TARGET_ENDS: TargetEnds;
}

/// What the derive asks for in words of its own.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the relation `{Self}` is not `Copy`",
    label = "a relation is `Clone` and `Copy`",
    note = "write `#[derive(Relation, Clone, Copy)]`"
)]
pub trait CopiedRelation {}

#[diagnostic::do_not_recommend]
impl<T: Copy> CopiedRelation for T {}

/// A relation to one target, which its value names.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Relation, RelationOne};
///
/// #[derive(Relation, Clone, Copy)]
/// struct Follows { whom: Entity, distance: f32 }
///
/// let ann = World::new().spawn(());
/// assert_eq!(Follows { whom: ann, distance: 2.0 }.target(), ann);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a relation to one",
    label = "not a relation to one target",
    note = "a relation to one has a field of type `Entity`, its target: `#[derive(Relation, Clone, Copy)] struct Follows(Entity);`"
)]
pub trait RelationOne: Relation {
    /// The target.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, RelationOne};
    /// # #[derive(Relation, Clone, Copy)] struct Follows(Entity);
    /// let ann = World::new().spawn(());
    /// assert_eq!(Follows(ann).target(), ann);
    /// ```
    fn target(&self) -> Entity;
}

/// A relation to any number of targets, which [`Relations::relate`](super::Relations::relate) makes.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Relation, RelationMany};
///
/// #[derive(Relation, Clone, Copy, PartialEq, Debug)]
/// #[relation(many)]
/// struct Likes;
///
/// assert_eq!(Likes::TAG, Likes);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a relation to many",
    label = "not a relation to any number of targets",
    note = "a relation to one is made by inserting it, `world.insert(source, {Self}(target))`, and ended by removing it",
    note = "one to many says `#[relation(many)]` below `#[derive(Relation, Clone, Copy)]`, and has no fields"
)]
pub trait RelationMany: Relation {
    /// The component that sources have.
    const TAG: Self;
}
