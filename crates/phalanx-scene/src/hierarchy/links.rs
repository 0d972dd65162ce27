//! [`Hierarchy`]: the links between parents and children.
//!
//! ```text
//!            ┌─ parent ─┐
//!            │ first  last
//!            ▼          ▼
//!     none ◄─ a ◄─► b ◄─► c ─► none      previous and next; each has `parent`
//! ```
//!
//! Links are kept by entity index. One that says nothing (no parent, no children) is empty, as if it had never been: so equal hierarchies have equal links,
//! whatever happened before. `own` tells a handle from one of an earlier life of its index.

use super::walk::{Ancestors, Children, Descendants, Levels};
use phalanx_ecs::{Described, Describer, Entity, Folder, Kind, Resource};

/// Who is whose child, in which order: a resource, which the world makes with the first [`ChildOf`](super::ChildOf).
///
/// [`Kinship`](super::Kinship) asks the same of a world; this is for who has been lent parts of one, such as systems.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{ChildOf, Hierarchy};
///
/// let mut world = World::new();
/// let mother = world.spawn(());
/// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
/// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
/// assert!(hierarchy.children(mother).eq(twins));
/// ```
///
/// A system takes it as an `Option`, because there is none before there is a child:
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{ChildOf, Hierarchy};
/// use phalanx_schedule::{Res, run_once};
///
/// #[derive(Component)] struct Mother;
///
/// fn count(hierarchy: Option<Res<Hierarchy>>, mothers: Query<Entity, With<Mother>>) -> usize {
///     let Some(hierarchy) = hierarchy else { return 0 };
///     mothers.iter().map(|mother| hierarchy.children(mother).len()).sum()
/// }
///
/// let mut world = World::new();
/// let mother = world.spawn(Mother);
/// assert_eq!(run_once(&mut world, count)?, 0, "there are no children");
/// world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
/// assert_eq!(run_once(&mut world, count)?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Resource, Clone, Default, Debug)]
pub struct Hierarchy {
    links: Links,
    journal: Journal,
}

/// Who has got or lost a parent, in this order, for those who follow it: the latest, as many as there are links. It does not count in checksums: equal hierarchies may have come
/// about in different ways.
#[derive(Clone, Default, Debug)]
struct Journal {
    /// How many are not kept any more.
    before: u64,
    children: Vec<Entity>,
}

/// So many are kept even where there are few links.
const LEAST_KEPT: usize = 1 << 16;

impl Journal {
    const EMPTY: Self = Self { before: 0, children: Vec::new() };

    #[inline]
    fn note(&mut self, child: Entity, links: usize) {
        if self.children.len() >= LEAST_KEPT.max(2 * links) {
            self.forget();
        }
        self.children.push(child);
    }

    /// Forgets the older half.
    #[cold]
    fn forget(&mut self) {
        let old = self.children.len() / 2;
        self.children.drain(..old);
        self.before += old as u64;
    }
}

impl Described for Journal {
    fn describe(describer: &mut Describer) -> Kind {
        <()>::describe(describer)
    }

    fn fold_into(&self, _: &mut Folder) {}
}

#[derive(Clone, Default, Debug)]
struct Links(Vec<Link>);

/// What an entity is to others.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// Whose link it is; `None` if it says nothing.
    own: Option<Entity>,
    pub(super) parent: Option<Entity>,
    pub(super) first: Option<Entity>,
    pub(super) last: Option<Entity>,
    pub(super) previous: Option<Entity>,
    pub(super) next: Option<Entity>,
    /// How many children there are.
    pub(super) children: u32,
}

/// The parents and the order of children count. What they follow from does not count twice, and empty links do not count.
impl Described for Links {
    fn describe(describer: &mut Describer) -> Kind {
        <Vec<(Entity, Option<Entity>, Option<Entity>)>>::describe(describer)
    }

    fn fold_into(&self, folder: &mut Folder) {
        for link in self.0.iter().filter(|link| link.parent.is_some()) {
            (link.own, link.parent, link.previous).fold_into(folder);
        }
    }
}

impl Hierarchy {
    /// One without links.
    pub(super) const EMPTY: Self = Self { links: Links(Vec::new()), journal: Journal::EMPTY };

    /// An entity's link, empty if it is not alive.
    #[inline]
    pub(super) fn link(&self, entity: Entity) -> Link {
        match self.links.0.get(entity.index() as usize) {
            Some(link) if link.own == Some(entity) => *link,
            _ => Link::default(),
        }
    }

    /// The link of an entity that is alive, to change.
    #[inline]
    fn link_mut(&mut self, entity: Entity) -> &mut Link {
        let at = entity.index() as usize;
        if at >= self.links.0.len() {
            self.links.0.resize(at + 1, Link::default());
        }
        let link = &mut self.links.0[at];
        if link.own != Some(entity) {
            *link = Link { own: Some(entity), ..Link::default() };
        }
        link
    }

    /// Forgets a link that says nothing.
    #[inline]
    fn tidy(&mut self, entity: Entity) {
        let link = self.link_mut(entity);
        if link.parent.is_none() && link.children == 0 {
            *link = Link::default();
        }
    }

    /// Another number after every change.
    pub(crate) fn version(&self) -> u64 {
        self.journal.before + self.journal.children.len() as u64
    }

    /// Who has got or lost a parent since a version, one by one; `None` if that is too long ago.
    pub(crate) fn changed_since(&self, version: u64) -> Option<&[Entity]> {
        let seen = usize::try_from(version.checked_sub(self.journal.before)?).ok()?;
        self.journal.children.get(seen..)
    }

    #[inline]
    fn note(&mut self, child: Entity) {
        self.journal.note(child, self.links.0.len());
    }

    /// Makes a child that has no parent one, between two children that are neighbours (`None`: the end of the row). One that has been given its place already, before its component, keeps it.
    pub(super) fn tie(&mut self, child: Entity, parent: Entity, previous: Option<Entity>, next: Option<Entity>) {
        // Looked at before it is written: what has just been written takes longer to read.
        if self.link(child).parent == Some(parent) {
            return;
        }
        self.note(child);
        let link = self.link_mut(child);
        debug_assert!(link.parent.is_none(), "{child} has a parent");
        (link.parent, link.previous, link.next) = (Some(parent), previous, next);
        if let Some(previous) = previous {
            self.link_mut(previous).next = Some(child);
        }
        if let Some(next) = next {
            self.link_mut(next).previous = Some(child);
        }
        let link = self.link_mut(parent);
        link.children += 1;
        if previous.is_none() {
            link.first = Some(child);
        }
        if next.is_none() {
            link.last = Some(child);
        }
    }

    /// Makes a child that has no parent the last one of a parent.
    #[inline]
    pub(super) fn tie_last(&mut self, child: Entity, parent: Entity) {
        self.tie(child, parent, self.link(parent).last, None);
    }

    /// Makes an entity nobody's child; answers whose it was.
    pub(super) fn cut(&mut self, child: Entity) -> Option<Entity> {
        let Link { parent, previous, next, .. } = self.link(child);
        let parent = parent?;
        self.note(child);
        if let Some(previous) = previous {
            self.link_mut(previous).next = next;
        }
        if let Some(next) = next {
            self.link_mut(next).previous = previous;
        }
        let link = self.link_mut(parent);
        link.children -= 1;
        if previous.is_none() {
            link.first = next;
        }
        if next.is_none() {
            link.last = previous;
        }
        let link = self.link_mut(child);
        (link.parent, link.previous, link.next) = (None, None, None);
        self.tidy(child);
        self.tidy(parent);
        Some(parent)
    }

    /// Cuts the children of an entity off it, and adds them to a list. What is below them stays there.
    pub(super) fn take_children(&mut self, entity: Entity, list: &mut Vec<Entity>) {
        let start = list.len();
        list.extend(self.children(entity));
        for child in &list[start..] {
            self.note(*child);
            let link = self.link_mut(*child);
            (link.parent, link.previous, link.next) = (None, None, None);
            self.tidy(*child);
        }
        self.forget_children(entity, list.len() > start);
    }

    /// Cuts all links below an entity, and adds its descendants to a list, depth first.
    pub(super) fn take_descendants(&mut self, entity: Entity, list: &mut Vec<Entity>) {
        let start = list.len();
        list.extend(self.descendants(entity));
        for descendant in &list[start..] {
            self.note(*descendant);
            if let Some(link) = self.links.0.get_mut(descendant.index() as usize) {
                *link = Link::default();
            }
        }
        self.forget_children(entity, list.len() > start);
    }

    /// An entity has no children any more, if it had any: their links have been cut.
    fn forget_children(&mut self, entity: Entity, had: bool) {
        if had {
            let link = self.link_mut(entity);
            (link.first, link.last, link.children) = (None, None, 0);
            self.tidy(entity);
        }
    }

    /// Compares links with each other; answers what is wrong.
    pub(super) fn validate(&self) -> Result<(), String> {
        for (index, link) in self.links.0.iter().enumerate() {
            let Some(own) = link.own else {
                if *link == Link::default() {
                    continue;
                }
                return Err(format!("the link of index {index} is nobody's, and not empty"));
            };
            if link.parent.is_none() && link.children == 0 {
                return Err(format!("the link of {own} says nothing, and is not empty"));
            }
            let mut previous = None;
            let mut count = 0;
            let mut child = link.first;
            while let Some(entity) = child {
                let its = self.link(entity);
                if its.parent != Some(own) || its.previous != previous {
                    return Err(format!("{entity} is a child of {own}, which it does not know"));
                }
                count += 1;
                if count > link.children {
                    return Err(format!("{own} has more children than {}", link.children));
                }
                (previous, child) = (child, its.next);
            }
            if (count, previous) != (link.children, link.last) {
                return Err(format!("{own} has {count} children instead of {}, or another is the last", link.children));
            }
        }
        Ok(())
    }

    /// All who have children.
    pub(crate) fn all_parents(&self) -> impl Iterator<Item = Entity> + '_ {
        self.links.0.iter().filter(|link| link.children > 0).filter_map(|link| link.own)
    }

    /// All children, with their parents.
    pub(super) fn all_children(&self) -> impl Iterator<Item = (Entity, Entity)> + '_ {
        self.links.0.iter().filter_map(|link| Some((link.own?, link.parent?)))
    }
}

/// # Asking
impl Hierarchy {
    /// The parent of an entity; `None` if it has none, or is not alive.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let child = world.spawn(ChildOf(mother));
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert_eq!((hierarchy.parent(child), hierarchy.parent(mother)), (Some(mother), None));
    /// ```
    #[inline]
    pub fn parent(&self, entity: Entity) -> Option<Entity> {
        self.link(entity).parent
    }

    /// The children of an entity, in order.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let [a, b, c] = [(); 3].map(|()| world.spawn(ChildOf(mother)));
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert!(hierarchy.children(mother).eq([a, b, c]));
    /// assert!(hierarchy.children(mother).rev().eq([c, b, a]));
    /// assert_eq!(hierarchy.children(mother).len(), 3);
    /// ```
    pub fn children(&self, entity: Entity) -> Children<'_> {
        let link = self.link(entity);
        Children::new(self, link.first, link.last, link.children as usize)
    }

    /// The children of an entity, their children, and so on, without itself: each before its own children, and these before its next sibling.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let a = world.spawn(ChildOf(mother));
    /// let b = world.spawn(ChildOf(mother));
    /// let below_a = world.spawn(ChildOf(a));
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert!(hierarchy.descendants(mother).eq([a, below_a, b]));
    /// ```
    pub fn descendants(&self, entity: Entity) -> Descendants<'_> {
        Descendants::new(self, entity)
    }

    /// The descendants of an entity by level, each with how far below it is: first its children, then theirs.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let a = world.spawn(ChildOf(mother));
    /// let b = world.spawn(ChildOf(mother));
    /// let below_a = world.spawn(ChildOf(a));
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert!(hierarchy.levels(mother).eq([(1, a), (1, b), (2, below_a)]));
    /// ```
    pub fn levels(&self, entity: Entity) -> Levels<'_> {
        Levels::new(self, entity)
    }

    /// The parent of an entity, the parent's parent, and so on.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let child = world.spawn(ChildOf(mother));
    /// let grandchild = world.spawn(ChildOf(child));
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert!(hierarchy.ancestors(grandchild).eq([child, mother]));
    /// ```
    pub fn ancestors(&self, entity: Entity) -> Ancestors<'_> {
        Ancestors::new(self, entity)
    }

    /// The first of the children.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert_eq!(hierarchy.first_child(mother), Some(twins[0]));
    /// ```
    pub fn first_child(&self, entity: Entity) -> Option<Entity> {
        self.link(entity).first
    }

    /// The last of the children.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert_eq!(hierarchy.last_child(mother), Some(twins[1]));
    /// ```
    pub fn last_child(&self, entity: Entity) -> Option<Entity> {
        self.link(entity).last
    }

    /// The child of the same parent before this one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert_eq!(hierarchy.previous_sibling(twins[1]), Some(twins[0]));
    /// ```
    pub fn previous_sibling(&self, entity: Entity) -> Option<Entity> {
        self.link(entity).previous
    }

    /// The child of the same parent after this one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert_eq!(hierarchy.next_sibling(twins[0]), Some(twins[1]));
    /// ```
    pub fn next_sibling(&self, entity: Entity) -> Option<Entity> {
        self.link(entity).next
    }

    /// The other children of the same parent, in order.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let [a, b, c] = [(); 3].map(|()| world.spawn(ChildOf(mother)));
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert!(hierarchy.siblings(b).eq([a, c]));
    /// ```
    pub fn siblings(&self, entity: Entity) -> impl DoubleEndedIterator<Item = Entity> + '_ {
        let parent = self.parent(entity);
        parent.into_iter().flat_map(|parent| self.children(parent)).filter(move |sibling| *sibling != entity)
    }

    /// The ancestor that has no parent; the entity itself if it has none.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let child = world.spawn(ChildOf(mother));
    /// let grandchild = world.spawn(ChildOf(child));
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert_eq!((hierarchy.root(grandchild), hierarchy.root(mother)), (mother, mother));
    /// ```
    pub fn root(&self, entity: Entity) -> Entity {
        self.ancestors(entity).last().unwrap_or(entity)
    }

    /// How many ancestors there are: 0 for who has no parent.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Hierarchy};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let child = world.spawn(ChildOf(mother));
    /// let hierarchy = world.get_resource::<Hierarchy>().unwrap();
    /// assert_eq!((hierarchy.depth(mother), hierarchy.depth(child)), (0, 1));
    /// ```
    pub fn depth(&self, entity: Entity) -> usize {
        self.ancestors(entity).count()
    }
}
