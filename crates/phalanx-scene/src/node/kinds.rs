//! The roles that a world knows, what they need, and the tags that say who has them where.

use super::kind::Node;
use crate::here::Here;
use crate::scene::{Scenes, Slot};
use phalanx_ecs::{Act, ComponentId, ComponentLayout, DynQuery, DynQueryBuilder, Entity, Prepared, World};
use std::any::TypeId;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Which role, by its place in the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct KindId(u32);

/// A role that a world knows.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// What a node must have, and what it must not have.
    pub(crate) present: Vec<ComponentId>,
    pub(crate) absent: Vec<ComponentId>,
    /// By slot of scenes: the tag of its nodes there, once there is one.
    tags: Vec<Option<ComponentId>>,
}

impl Kind {
    /// Whether a living entity has what a node must have, and nothing that it must not have.
    pub(super) fn fits(&self, world: &World, entity: Entity) -> bool {
        let has = |component: &ComponentId| world.get_dyn(entity, *component).is_some();
        self.present.iter().all(has) && !self.absent.iter().any(has)
    }

    /// A query for all that could be nodes, among those that another one asks for.
    pub(super) fn query(&self, among: DynQueryBuilder) -> DynQuery {
        // Who has a component has it even if it is switched off.
        let query = self.present.iter().fold(among, |query, component| query.with_even_off(*component));
        let query = self.absent.iter().fold(query, |query, component| query.without(*component));
        query.build().expect("nothing is written")
    }
}

/// A role that nobody can have.
pub(crate) struct Contradiction {
    pub(crate) node: &'static str,
    /// What it requires and must be without.
    pub(crate) component: String,
}

/// All roles that a world knows.
#[derive(Clone, Default, Debug)]
pub(crate) struct Kinds {
    list: Vec<Kind>,
    by_type: HashMap<TypeId, KindId>,
    /// What a tag says.
    by_tag: BTreeMap<ComponentId, (KindId, Slot)>,
    /// Sets of roles that entities have had, and how many there may be; see [`crowd`](super::crowd).
    sets: HashSet<Vec<ComponentId>>,
    most_sets: Most,
    /// Whether there were too many, and whoever has a role is in the crowd.
    pub(super) crowded: bool,
}

#[derive(Clone, Copy, Debug)]
struct Most(usize);

impl Default for Most {
    fn default() -> Self {
        Self(256)
    }
}

impl Kinds {
    pub(crate) fn get(&self, kind: KindId) -> &Kind {
        &self.list[kind.0 as usize]
    }

    /// The role, if the world knows it.
    pub(crate) fn find<N: Node + 'static>(&self) -> Option<KindId> {
        self.by_type.get(&TypeId::of::<N>()).copied()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = KindId> + use<> {
        (0..u32::try_from(self.list.len()).expect("few roles")).map(KindId)
    }

    /// The tag of the nodes of a role in a scene, if there ever was one.
    pub(crate) fn tag(&self, kind: KindId, slot: Slot) -> Option<ComponentId> {
        self.get(kind).tags.get(slot.index()).copied().flatten()
    }

    /// All roles that there ever was a node of in a scene, with their tags.
    pub(crate) fn tags_of(&self, slot: Slot) -> impl Iterator<Item = (KindId, ComponentId)> + '_ {
        self.ids().filter_map(move |kind| Some((kind, self.tag(kind, slot)?)))
    }

    /// The tags of a role, in all scenes that there ever was a node of it in.
    pub(super) fn tags_of_kind(&self, kind: KindId) -> impl Iterator<Item = ComponentId> + '_ {
        self.get(kind).tags.iter().flatten().copied()
    }

    /// Notes sets of roles that come into use, unless there are too many; answers whether it did.
    pub(super) fn note_sets(&mut self, sets: &[Vec<ComponentId>]) -> bool {
        for set in sets {
            if !set.is_empty() && !self.sets.contains(set) {
                if self.sets.len() >= self.most_sets.0 {
                    return false;
                }
                self.sets.insert(set.clone());
            }
        }
        true
    }

    /// Notes these sets of roles and no others, unless there are too many; answers whether it did.
    pub(super) fn renew_sets(&mut self, sets: Vec<Vec<ComponentId>>) -> bool {
        let sets: HashSet<Vec<ComponentId>> = sets.into_iter().filter(|roles| !roles.is_empty()).collect();
        let few = sets.len() <= self.most_sets.0;
        if few {
            self.sets = sets;
        }
        few
    }

    /// From now on whoever has a role is in the crowd, and nobody counts sets any more.
    pub(super) fn begin_crowd(&mut self) {
        self.crowded = true;
        self.sets.clear();
    }

    pub(crate) fn set_most_sets(&mut self, sets: usize) {
        self.most_sets = Most(sets);
    }

    /// What a tag says: which role, and where.
    pub(crate) fn role(&self, tag: ComponentId) -> Option<(KindId, Slot)> {
        self.by_tag.get(&tag).copied()
    }
}

/// The role `N`; the world learns of it if it does not know it.
///
/// # Errors
/// [`Contradiction`] if it requires what it excludes: the derive refuses that where it can see it, which is not where a type has two names.
pub(crate) fn learn<N: Node + 'static>(world: &mut World) -> Result<KindId, Contradiction> {
    if let Some(kind) = world.init_resource::<Scenes>().kinds.find::<N>() {
        return Ok(kind);
    }
    let demands = Prepared::<N, N::Excluded>::new().demands(world);
    if let Some(both) = demands.present.iter().find(|component| demands.absent.contains(component)) {
        let component = world.components().info(*both).map_or("?", |info| info.name()).to_owned();
        return Err(Contradiction { node: N::NAME, component });
    }
    let mut scenes = world.init_resource::<Scenes>();
    let kinds = &mut scenes.kinds;
    let kind = KindId(u32::try_from(kinds.list.len()).expect("few roles"));
    kinds.by_type.insert(TypeId::of::<N>(), kind);
    let absent = demands.absent.clone();
    kinds.list.push(Kind { name: N::NAME, present: demands.present, absent: demands.absent, tags: Vec::new() });
    for component in absent {
        // Who gets what a node must not have ceases to be one.
        let evict = move |trigger: &mut phalanx_ecs::Trigger<'_>| {
            let entity = trigger.entity();
            trigger.defer(move |world| leave_all::<N>(world, entity));
        };
        world.observe_dyn(component, Act::Insert, evict).expect("a component of this world");
    }
    Ok(kind)
}

/// The tag of the nodes of a role in a scene; made if there is none.
pub(crate) fn make_tag(world: &mut World, kind: KindId, slot: Slot) -> ComponentId {
    let scenes = world.init_resource::<Scenes>();
    if let Some(tag) = scenes.kinds.tag(kind, slot) {
        return tag;
    }
    let known = scenes.kinds.get(kind).clone();
    let (name, present) = (known.name, known.present.clone());
    // Another role may have the same name, and so may a component made at run time.
    let called = |attempt: u32| match attempt {
        0 => format!("{name}@{}", slot.index()),
        _ => format!("{name}@{}~{attempt}", slot.index()),
    };
    let mut attempt = 0;
    while world.components().id_by_name(&called(attempt)).is_some() {
        attempt += 1;
    }
    let layout = ComponentLayout::new(called(attempt)).hidden().toggle().left_out_of_moves().depends_on(present);
    let tag = world.register_dyn(layout).expect("a tag with a name of its own");
    let tell = move |trigger: &mut phalanx_ecs::Trigger<'_>| super::left::tell_of_leaving(trigger, tag);
    world.observe_dyn(tag, Act::Remove, tell).expect("registered just now");
    let mut scenes = world.init_resource::<Scenes>();
    let tags = &mut scenes.kinds.list[kind.0 as usize].tags;
    if tags.len() <= slot.index() {
        tags.resize(slot.index() + 1, None);
    }
    tags[slot.index()] = Some(tag);
    scenes.kinds.by_tag.insert(tag, (kind, slot));
    super::crowd::extend(world, &known, tag);
    tag
}

/// An entity ceases to have a role, in all scenes.
fn leave_all<N: Node + 'static>(world: &mut World, entity: Entity) {
    let here = Here::of(world);
    // By its type: `Scenes` that came since may know other roles by the same numbers, or not know this one.
    let scenes = world.get_resource::<Scenes>();
    let Some((scenes, kind)) = scenes.and_then(|scenes| Some((scenes, scenes.kinds.find::<N>()?))) else { return };
    let tags: Vec<ComponentId> = scenes.kinds.tags_of_kind(kind).collect();
    for tag in tags {
        if !here.is(world) {
            return;
        }
        // The entity may have ended meanwhile. What is off goes as well: it cannot have the role any more.
        let _ = world.remove_dyn(entity, tag);
    }
}
