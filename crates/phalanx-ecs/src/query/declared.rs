//! What a query does with which component, for those who keep queries apart.

use super::access::Access;
use super::filter::Filter;
use super::pattern::Wanted;
use super::prepared::Prepared;
use super::term::Terms;
use crate::component::ComponentId;
use crate::storage::Store;

/// One mention of a component in a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared {
    pub(crate) component: ComponentId,
    pub(crate) access: Access,
    pub(crate) wanted: Wanted,
}

impl<Q: Terms, F: Filter> Prepared<Q, F> {
    /// Registers the components that the query names, catches up with the store, and answers all mentions.
    pub(crate) fn declared_in(&mut self, store: &mut Store) -> Vec<Declared> {
        for register in self.pattern.terms.iter().filter_map(|term| term.register) {
            register(store);
        }
        self.update(store);
        // What was not chosen, or in another world, is no component of this one.
        let known = self.pattern.terms.iter().filter_map(|term| Some((term.component?, term)));
        known.map(|(component, term)| Declared { component, access: term.access, wanted: term.wanted }).collect()
    }
}
