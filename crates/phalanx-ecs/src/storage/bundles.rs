//! Bundles the store has seen, and where they lead from each archetype.

#![expect(unsafe_code, reason = "the numbers of bundles and edges are made here and need no check")]

use super::archetype::{Archetype, ArchetypeId, SharedValue};
use super::depend::Needs;
use super::fold::Folded;
use super::plan::MovePlan;
use super::store::{NumberMap, Store, map_bytes};
use crate::bundle::{BundleParts, TypeVisitor};
use crate::component::{Component, ComponentId, Constructor, FixedState, Registry, SetId, StorageKind, TypeMap, Watch};
use crate::entity::TableId;
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct BundleId(pub(super) u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EdgeId(u32);

impl EdgeId {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A bundle names this component twice.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DuplicateInBundle(pub(crate) ComponentId);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Act {
    Insert,
    Remove,
}

/// Where one part of a bundle goes.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// A column of the target table, or the number of a sparse set or of a pool of shared values; nothing for a tag.
    pub(super) slot: u32,
    /// The source archetype has the component already (never said of sparse ones).
    pub(super) present: bool,
    pub(super) component: ComponentId,
}

/// A required component that the source archetype lacks.
#[derive(Clone)]
pub(super) struct Missing {
    pub(super) component: ComponentId,
    pub(super) constructor: Constructor,
}

/// Inserting or removing one bundle, from one archetype.
pub(super) struct Edge {
    pub(super) target: ArchetypeId,
    /// Where the target's rows are; kept up to date when tables are relabelled.
    pub(super) target_table: TableId,
    pub(super) plan: Arc<MovePlan>,
    /// Whether a move along this edge is nothing but moving bytes: no sparse, required or replaced component, nothing to drop.
    pub(super) plain: bool,
    /// As `plain`, but values may be replaced, and nothing need change: then several changes may be made at once.
    pub(super) folds: bool,
    /// How many parts the source archetype has.
    pub(super) present: usize,
    /// One per part of the bundle, in its order.
    pub(super) parts: Arc<[Target]>,
    /// Required and missing; sparse ones are listed in any case and checked per entity.
    pub(super) missing: Box<[Missing]>,
    /// The sparse sets of the bundle's parts.
    pub(super) sets: Box<[SetId]>,
    /// What tags of the bundle depend on and it does not bring; asked before anything is inserted.
    pub(super) needs: Option<Box<Needs>>,
}

#[derive(Clone, Copy)]
struct Last {
    /// `None` is spelt as a number no table has, so that there is one thing to compare.
    source: u32,
    edge: EdgeId,
}

impl Last {
    const NONE: Self = Self { source: u32::MAX, edge: EdgeId(0) };
}

/// What a move along a plain edge takes, at hand.
#[derive(Clone)]
pub(super) struct Shortcut {
    /// The table it starts from; `None` is spelt as a number no table has, so that there is one thing to compare.
    source: u32,
    pub(super) target: TableId,
    pub(super) present: usize,
    pub(super) plan: Arc<MovePlan>,
    pub(super) parts: Arc<[Target]>,
}

impl Shortcut {
    fn none() -> Self {
        let (plan, parts) = (Arc::default(), Arc::from([]));
        Self { source: u32::MAX, target: TableId::new(0), present: 0, plan, parts }
    }
}

struct Info {
    /// The last plain edge, by act: most programs insert the same bundle into the same table again and again.
    shortcuts: [Shortcut; 2],
    components: Box<[ComponentId]>,
    /// The values of those that are shared, if this is a bundle with known ones.
    values: Box<[SharedValue]>,
    /// Where inserting it leads depends on values.
    way: Way,
    /// The edge used last and the table it starts from, by act.
    last: [Last; 2],
}

/// What it takes to know where inserting a bundle leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Nothing but the bundle's type.
    Typed,
    /// The values of its shared parts.
    Valued,
    /// Values that are made only then: a shared component is required.
    Made,
}

impl Info {
    fn new(components: Vec<ComponentId>, values: Vec<SharedValue>, way: Way) -> Self {
        let shortcuts = [Shortcut::none(), Shortcut::none()];
        Self { shortcuts, components: components.into(), values: values.into(), way, last: [Last::NONE; 2] }
    }

    fn forget_edges(&mut self) {
        self.last = [Last::NONE; 2];
        self.shortcuts = [Shortcut::none(), Shortcut::none()];
    }
}

#[derive(Default)]
pub(super) struct Bundles {
    infos: Vec<Info>,
    by_type: TypeMap,
    /// Bundles with known shared values, by the number of the bundle and those of the values of its shared parts, in order.
    valued: NumberMap,
    /// Where keys of `valued` are put together.
    pub(super) key: Vec<u32>,
    edges: Vec<Edge>,
    by_source: HashMap<(u32, BundleId, Act), EdgeId, FixedState>,
    /// By archetype: the edges that lead there.
    by_target: Vec<Vec<EdgeId>>,
    /// The bundles that know where they went last: those that have something to forget.
    warm: Vec<BundleId>,
    /// Lists of changes made at once, the oldest first. Forgotten with the shortcuts, for the same reasons.
    pub(super) folded: Vec<Folded>,
    /// The one used last.
    pub(super) last_folded: usize,
}

impl Bundles {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn edge(&self, edge: EdgeId) -> &Edge {
        debug_assert!(edge.index() < self.edges.len());
        // SAFETY: edges are numbered by their place here, and numbers are forgotten before edges are.
        unsafe { self.edges.get_unchecked(edge.index()) }
    }

    /// The plain edge of a bundle type from a table, if it is the one used last.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shortcut<P: BundleParts>(&self, from: TableId, act: Act) -> Option<&Shortcut> {
        let bundle = self.by_type.get_near(TypeId::of::<P>())?;
        debug_assert!((bundle as usize) < self.infos.len());
        // SAFETY: bundles are numbered by their place here, and never forgotten.
        let shortcut = unsafe { &self.infos.get_unchecked(bundle as usize).shortcuts[act as usize] };
        (shortcut.source as usize == from.index()).then_some(shortcut)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn insert_shortcut<P: BundleParts>(&self, from: TableId) -> Option<&Shortcut> {
        self.shortcut::<P>(from, Act::Insert)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn remove_shortcut<P: BundleParts>(&self, from: TableId) -> Option<&Shortcut> {
        self.shortcut::<P>(from, Act::Remove)
    }

    /// The number of a bundle type that was seen before.
    pub(super) fn known(&self, parts: TypeId) -> Option<BundleId> {
        self.by_type.get(parts).map(BundleId)
    }

    pub(super) fn components(&self, bundle: BundleId) -> &[ComponentId] {
        &self.infos[bundle.0 as usize].components
    }

    /// What it takes to know where inserting a bundle leads.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn way(&self, bundle: BundleId) -> Way {
        debug_assert!((bundle.0 as usize) < self.infos.len());
        // SAFETY: bundles are numbered by their place here, and never forgotten.
        unsafe { self.infos.get_unchecked(bundle.0 as usize) }.way
    }

    /// The number of a bundle whose shared parts have these values; `key` is its own number and those of the values.
    pub(super) fn valued(&mut self, key: &[u32], registry: &Registry) -> BundleId {
        if let Some(id) = self.valued.get(key) {
            return BundleId(*id);
        }
        let components = self.infos[key[0] as usize].components.to_vec();
        let shared = components.iter().copied().filter(|component| registry.at(*component).is_shared());
        let values = shared.zip(&key[1..]).map(|(component, number)| SharedValue { component, number: *number });
        let info = Info::new(components.clone(), values.collect(), Way::Typed);
        let id = u32::try_from(self.infos.len()).expect("fewer than 2³² bundles");
        self.infos.push(info);
        self.valued.insert(key.into(), id);
        BundleId(id)
    }

    /// Forgets all edges, because archetypes got other numbers.
    pub(super) fn forget_edges(&mut self) {
        self.edges.clear();
        self.by_source.clear();
        self.by_target.clear();
        self.forget_shortcuts();
    }

    /// Makes every bundle look its edges up anew, because some are not plain any more.
    pub(super) fn forget_shortcuts(&mut self) {
        self.folded.clear();
        for bundle in self.warm.drain(..) {
            self.infos[bundle.0 as usize].forget_edges();
        }
    }

    /// Catches up with two archetypes that changed tables.
    pub(super) fn retarget(&mut self, archetypes: &[Archetype], changed: [ArchetypeId; 2]) {
        for archetype in changed {
            for edge in self.by_target.get(archetype.index()).into_iter().flatten() {
                self.edges[edge.index()].target_table = archetypes[archetype.index()].table;
            }
        }
        self.forget_shortcuts();
    }

    pub(super) fn bytes(&self) -> usize {
        self.edges.capacity() * size_of::<Edge>()
            + self
                .by_target
                .iter()
                .map(|list| size_of::<Vec<EdgeId>>() + list.capacity() * size_of::<EdgeId>())
                .sum::<usize>()
            + self.infos.capacity() * size_of::<Info>()
            + map_bytes(&self.valued)
            + self.by_source.capacity() * size_of::<((u32, BundleId, Act), EdgeId)>()
            + self.by_type.bytes()
    }
}

fn present(parts: &[Target]) -> usize {
    parts.iter().filter(|part| part.present).count()
}

struct Register<'a> {
    registry: &'a mut Registry,
    components: Vec<ComponentId>,
}

impl TypeVisitor for Register<'_> {
    fn visit<T: Component>(&mut self) {
        self.components.push(self.registry.register::<T>());
    }
}

impl Store {
    /// The number of a bundle type, made known now if it is new.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn bundle<P: BundleParts>(&mut self) -> Result<BundleId, DuplicateInBundle> {
        match self.bundles.by_type.get(TypeId::of::<P>()) {
            Some(id) => Ok(BundleId(id)),
            None => self.new_bundle::<P>(),
        }
    }

    /// Makes a bundle type known, if it is new.
    #[inline]
    pub(crate) fn make_known<P: BundleParts>(&mut self) {
        // A component that is there twice is refused by who does something with the bundle.
        let _ = self.bundle::<P>();
    }

    #[cold]
    #[inline(never)]
    fn new_bundle<P: BundleParts>(&mut self) -> Result<BundleId, DuplicateInBundle> {
        let components = self.register_all::<P>();
        for (at, component) in components.iter().enumerate() {
            if components[..at].contains(component) {
                return Err(DuplicateInBundle(*component));
            }
        }
        let shared = |component: &ComponentId| self.registry.at(*component).is_shared();
        let way = if self.required(&components).iter().any(|missing| shared(&missing.component)) {
            Way::Made
        } else if components.iter().any(shared) {
            Way::Valued
        } else {
            Way::Typed
        };
        let id = u32::try_from(self.bundles.infos.len()).expect("fewer than 2³² bundles");
        self.bundles.infos.push(Info::new(components, Vec::new(), way));
        self.bundles.by_type.insert(TypeId::of::<P>(), id);
        Ok(BundleId(id))
    }

    /// Registers the components of a bundle, in its order.
    pub(crate) fn register_all<P: BundleParts>(&mut self) -> Vec<ComponentId> {
        self.with_registry(|registry| {
            let mut register = Register { registry, components: Vec::with_capacity(P::COUNT) };
            P::each_type(&mut register);
            register.components
        })
    }

    /// Where inserting the bundle leads from an archetype. Of a bundle with shared parts it is one with known values.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn insert_edge(&mut self, from: TableId, bundle: BundleId) -> EdgeId {
        self.edge_from(from, bundle, Act::Insert)
    }

    /// Where removing the bundle leads from an archetype.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn remove_edge(&mut self, from: TableId, bundle: BundleId) -> EdgeId {
        self.edge_from(from, bundle, Act::Remove)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn edge_from(&mut self, from: TableId, bundle: BundleId, act: Act) -> EdgeId {
        debug_assert!((bundle.0 as usize) < self.bundles.infos.len());
        // SAFETY: bundles are numbered by their place here, and never forgotten.
        let last = unsafe { self.bundles.infos.get_unchecked(bundle.0 as usize) }.last[act as usize];
        if last.source as usize == from.index() { last.edge } else { self.find_edge(from, bundle, act) }
    }

    #[inline(never)]
    fn find_edge(&mut self, table: TableId, bundle: BundleId, act: Act) -> EdgeId {
        let from = self.tables[table.index()].archetype();
        let key = (from.0, bundle, act);
        let edge = match self.bundles.by_source.get(&key) {
            Some(&edge) => edge,
            None => {
                let made = match act {
                    Act::Insert => self.make_insert_edge(from, bundle),
                    Act::Remove => self.make_remove_edge(from, bundle),
                };
                let edge = EdgeId(u32::try_from(self.bundles.edges.len()).expect("fewer than 2³² edges"));
                let target = made.target.index();
                if self.bundles.by_target.len() <= target {
                    self.bundles.by_target.resize_with(target + 1, Vec::new);
                }
                self.bundles.by_target[target].push(edge);
                self.bundles.edges.push(made);
                self.bundles.by_source.insert(key, edge);
                edge
            }
        };
        let source = u32::try_from(table.index()).expect("a table number");
        let (info, found) = (&mut self.bundles.infos[bundle.0 as usize], &self.bundles.edges[edge.index()]);
        if info.last.iter().all(|last| last.source == u32::MAX) {
            self.bundles.warm.push(bundle);
        }
        info.last[act as usize] = Last { source, edge };
        if found.plain && self.tables[table.index()].dead().ones() == 0 {
            info.shortcuts[act as usize] = Shortcut {
                source,
                target: found.target_table,
                present: found.present,
                plan: Arc::clone(&found.plan),
                parts: Arc::clone(&found.parts),
            };
        }
        edge
    }

    fn make_insert_edge(&mut self, from: ArchetypeId, bundle: BundleId) -> Edge {
        debug_assert_eq!(self.bundles.way(bundle), Way::Typed);
        let components = self.bundles.components(bundle).to_vec();
        let values = self.bundles.infos[bundle.0 as usize].values.clone();
        let missing = self.missing_required(from, &components);
        let added = components.iter().copied().chain(missing.iter().map(|m| m.component));
        let target = self.archetype_plus(from, added.collect(), &values);
        let parts = self.targets(&components, from, target);
        let sets = self.sets_among(&components);
        let (plan, target_table) = (self.plan(from, target), self.archetypes[target.index()].table);
        let present = present(&parts);
        let needs = self.needs(from, &components, &missing);
        let simple = missing.is_empty() && needs.is_none() && sets.is_empty() && self.lack_sides(from, target);
        let drops = parts.iter().any(|part| part.present && self.registry.at(part.component).drop.is_some());
        let plain = simple && target != from && present == 0 && !self.any_watched(&components, Watch::INSERT);
        let folds = simple && !drops && !self.any_watched(&components, Watch::INSERT | Watch::REPLACE);
        Edge { target, target_table, plan, plain, folds, present, parts, missing: missing.into(), sets, needs }
    }

    fn make_remove_edge(&mut self, from: ArchetypeId, bundle: BundleId) -> Edge {
        let components = self.bundles.components(bundle).to_vec();
        // Tags that depend on what goes, go in the same move.
        let going = self.with_dependents(&components);
        let target = self.archetype_minus(from, &going);
        let parts = self.targets(&components, from, target);
        let sets = self.sets_among(&components);
        let (plan, target_table) = (self.plan(from, target), self.archetypes[target.index()].table);
        let folds =
            sets.is_empty() && !plan.drops && self.lack_sides(from, target) && !self.any_watched(&going, Watch::REMOVE);
        let plain = folds && target != from;
        let (present, missing, needs) = (present(&parts), Box::default(), None);
        Edge { target, target_table, plan, plain, folds, present, parts, missing, sets, needs }
    }

    fn any_watched(&self, components: &[ComponentId], watch: Watch) -> bool {
        components.iter().any(|c| self.registry.at(*c).watch.has(watch))
    }

    /// Whether moving a row from one archetype to another is no more than moving its values: nothing is kept beside them, and no shared value loses an entity.
    fn lack_sides(&self, from: ArchetypeId, to: ArchetypeId) -> bool {
        self.table_of(from).sides().is_empty()
            && self.table_of(to).sides().is_empty()
            && self.archetypes[to.index()].keeps_values_of(&self.archetypes[from.index()])
    }

    fn sets_among(&self, components: &[ComponentId]) -> Box<[SetId]> {
        let kinds = components.iter().map(|c| self.registry.at(*c).kind);
        kinds.filter_map(|kind| if let StorageKind::Set(set) = kind { Some(set) } else { None }).collect()
    }

    fn targets(&self, components: &[ComponentId], from: ArchetypeId, target: ArchetypeId) -> Arc<[Target]> {
        let source = &self.archetypes[from.index()];
        let table = &self.tables[self.archetypes[target.index()].table.index()];
        let targets = components.iter().map(|&component| match self.registry.at(component).kind {
            StorageKind::Set(set) => Target { slot: set.0, present: false, component },
            StorageKind::Shared(pool) => Target { slot: pool.0, present: source.has(component), component },
            StorageKind::Column | StorageKind::Tag => Target {
                slot: table.map().column(component).map_or(u32::MAX, |column| column.0),
                present: source.has(component),
                component,
            },
        });
        targets.collect()
    }

    /// What `components` require beyond themselves, directly or not, and the archetype does not have. Nearer mentions come first and win.
    ///
    /// What a present component requires counts as well, wherever it is kept: storage must not change results.
    pub(super) fn missing_required(&self, from: ArchetypeId, components: &[ComponentId]) -> Vec<Missing> {
        let mut missing = self.required(components);
        missing.retain(|m| !self.archetypes[from.index()].has(m.component));
        missing
    }

    /// All that `components` require beyond themselves, directly or not.
    pub(super) fn required(&self, components: &[ComponentId]) -> Vec<Missing> {
        let mut found: Vec<Missing> = Vec::new();
        let mut level: Vec<ComponentId> = components.to_vec();
        while !level.is_empty() {
            let mut next = Vec::new();
            for component in level {
                for (required, constructor) in &self.registry.at(component).requires {
                    let known = components.contains(required) || found.iter().any(|m| m.component == *required);
                    if !known {
                        found.push(Missing { component: *required, constructor: constructor.clone() });
                        next.push(*required);
                    }
                }
            }
            level = next;
        }
        found
    }
}
