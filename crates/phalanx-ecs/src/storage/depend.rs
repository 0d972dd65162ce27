//! Tags that depend on components: they come only where those are, and go when one of those goes.
//!
//! ```text
//! #[component(depends_on(Body))] struct Falling;
//!
//! {Body, Falling} ─ remove Body ──► {}            the edge takes the tag along: one move, whoever makes it
//! {Mesh}          ─ insert Falling ─► refused     what is lacking is noted with the edge
//! ```
//!
//! Both are worked out where edges are made, so moves along them cost what they did. A dependency on a sparse component is looked up
//! per entity when the tag comes; that it is there as long as the tag is holds for every row of the tag's archetypes.

use super::archetype::ArchetypeId;
use super::bundles::{BundleId, EdgeId, Missing, Way};
use super::edit::EditRefusal;
use super::store::Store;
use crate::bundle::BundleParts;
use crate::component::{ComponentId, SetId, StorageKind};
use crate::entity::{Entity, Location, TableId};

/// A tag that could not come, and what it depends on that would not be there.
#[derive(Clone, PartialEq, Eq, Debug)]
#[doc(hidden)]
pub struct Lack {
    pub(crate) tag: ComponentId,
    pub(crate) missing: Vec<ComponentId>,
}

/// What must be there before a bundle may be inserted.
pub(super) struct Needs {
    /// What no entity of the source archetype has, and the bundle does not bring.
    lack: Option<Lack>,
    /// Tags with sparse components that they depend on, to be looked up per entity.
    sparse: Vec<(ComponentId, SetId)>,
}

impl Store {
    /// Components with all tags that go when they go.
    pub(crate) fn with_dependents(&self, components: &[ComponentId]) -> Vec<ComponentId> {
        let mut all = components.to_vec();
        let mut next = 0;
        while self.registry.has_dependencies() && next < all.len() {
            for tag in &self.registry.at(all[next]).dependents {
                if !all.contains(tag) {
                    all.push(*tag);
                }
            }
            next += 1;
        }
        all
    }

    /// What tags among the components that come need and neither the archetype nor those who come with them bring.
    pub(super) fn needs(
        &self,
        from: ArchetypeId,
        components: &[ComponentId],
        missing: &[Missing],
    ) -> Option<Box<Needs>> {
        if !self.registry.has_dependencies() {
            return None;
        }
        let source = &self.archetypes[from.index()];
        let mut coming = components.to_vec();
        coming.extend(missing.iter().map(|m| m.component));
        let mut needs = Needs { lack: None, sparse: Vec::new() };
        for tag in coming.iter().filter(|c| !source.has(**c)) {
            for component in &self.registry.at(*tag).depends_on {
                if coming.contains(component) || source.has(*component) {
                    continue;
                }
                match self.registry.at(*component).kind {
                    StorageKind::Set(set) => needs.sparse.push((*tag, set)),
                    StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => match &mut needs.lack {
                        Some(lack) if lack.tag == *tag => lack.missing.push(*component),
                        Some(_) => {}
                        None => needs.lack = Some(Lack { tag: *tag, missing: vec![*component] }),
                    },
                }
            }
        }
        (needs.lack.is_some() || !needs.sparse.is_empty()).then(|| Box::new(needs))
    }

    /// What is lacking for a move along an edge, of a live entity or (`None`) of a new one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn lack_along(&self, edge: EdgeId, index: Option<u32>) -> Option<Lack> {
        self.lack_of(self.bundles.edge(edge).needs.as_deref()?, index)
    }

    /// What is lacking for a bundle, on a live entity of a table or (`None`) on a new one.
    pub(super) fn lack_for(&mut self, bundle: BundleId, from: TableId, index: Option<u32>) -> Option<Lack> {
        if self.bundles.way(bundle) == Way::Typed {
            let edge = self.insert_edge(from, bundle);
            return self.lack_along(edge, index);
        }
        // There is an edge only for given values, on which it does not depend what tags need.
        let archetype = self.tables[from.index()].archetype();
        let components = self.bundles.components(bundle);
        let needs = self.needs(archetype, components, &self.missing_required(archetype, components))?;
        self.lack_of(&needs, index)
    }

    #[cold]
    #[inline(never)]
    fn lack_of(&self, needs: &Needs, index: Option<u32>) -> Option<Lack> {
        let mut lack = needs.lack.clone();
        for (tag, set) in &needs.sparse {
            let set = self.sets.get(*set);
            if index.is_none_or(|index| set.row(index).is_none()) {
                let lack = lack.get_or_insert_with(|| Lack { tag: *tag, missing: Vec::new() });
                if lack.tag == *tag {
                    lack.missing.push(set.component());
                }
            }
        }
        lack
    }

    /// What is lacking for a new entity with a bundle.
    pub(crate) fn lack_of_new<P: BundleParts>(&mut self) -> Option<Lack> {
        let bundle = self.bundle::<P>().ok()?;
        self.lack_for(bundle, self.nothing(), None)
    }

    /// Whether a bundle can be inserted into entities: they are alive, it has nothing twice, and its tags have what they depend on. The
    /// error has the first entity for which it cannot.
    pub(crate) fn check_insert<P: BundleParts>(&mut self, entities: &[Entity]) -> Result<(), (Entity, EditRefusal)> {
        for &entity in entities {
            self.insertable::<P>(entity).map_err(|refusal| (entity, refusal))?;
        }
        Ok(())
    }

    /// Whether inserting a bundle may be refused because a tag of it depends on something.
    pub(crate) fn depends<P: BundleParts>(&mut self) -> bool {
        self.make_known::<P>();
        if !self.registry.has_dependencies() {
            return false;
        }
        let components = self.register_all::<P>();
        self.with_required(&components).iter().any(|component| !self.registry.at(*component).depends_on.is_empty())
    }

    /// What tags that come lack on an entity that, after that, `has` what it says. The tags are new to it.
    pub(crate) fn lack_among(&self, tags: &[ComponentId], has: impl Fn(ComponentId) -> bool) -> Option<Lack> {
        if self.registry.has_dependencies() {
            for &tag in tags {
                let missing: Vec<_> =
                    self.registry.at(tag).depends_on.iter().copied().filter(|component| !has(*component)).collect();
                if !missing.is_empty() {
                    return Some(Lack { tag, missing });
                }
            }
        }
        None
    }

    /// A tag in an archetype without something that it depends on, if there is one; for `validate`.
    pub(super) fn broken_dependency(&self, archetype: ArchetypeId) -> Option<String> {
        let found = &self.archetypes[archetype.index()];
        for &tag in &found.components {
            for &component in &self.registry.at(tag).depends_on {
                for (row, &index) in self.tables[found.table.index()].entities().iter().enumerate() {
                    if self.tables[found.table.index()].dead().get(row) {
                        continue;
                    }
                    let at = Location { table: found.table, row: super::table::row_of(row) };
                    if !self.has(index, at, component) {
                        let (tag, component) = (self.registry.name_of(tag), self.registry.name_of(component));
                        return Some(format!("index {index} has the tag `{tag}` without `{component}`"));
                    }
                }
            }
        }
        None
    }
}
