//! Why an entity matches or not, and how a query would run.

use super::pattern::{Pattern, Wanted};
use crate::entity::{Entity, NoSuchEntity};
use crate::storage::Store;
use std::fmt;

/// Why an entity matches a query, or what it lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The entity in question.
    pub entity: Entity,
    /// Whether the query yields it.
    pub matches: bool,
    /// The query, as it was written.
    pub query: String,
    /// What was found for each term, in the order of the terms.
    pub terms: Vec<TermFound>,
    /// Components that an `Exact` query does not allow.
    pub extra: Vec<String>,
    /// Why the entity is not alive, if it is not.
    pub dead: Option<NoSuchEntity>,
}

/// What was found for one term.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TermFound {
    /// The term as it was written.
    pub term: String,
    /// The component's name.
    pub component: String,
    /// Whether the entity has the component.
    pub present: bool,
    /// Whether this term alone keeps the entity from matching.
    pub refused: bool,
}

impl Explanation {
    pub(super) fn new(pattern: &Pattern, store: &Store, entity: Entity) -> Self {
        let query = pattern.describe();
        let location = match store.locate(entity) {
            Ok(location) => location,
            Err(dead) => {
                let (terms, extra) = (Vec::new(), Vec::new());
                return Self { entity, matches: false, query, terms, extra, dead: Some(dead) };
            }
        };
        let (index, table) = (entity.index(), &store.tables[location.table.index()]);
        let terms = pattern.terms.iter().map(|term| {
            let present = term.is_on(store, table, index);
            let refused = match term.wanted {
                Wanted::Present => !present,
                Wanted::Absent => present,
                Wanted::Either | Wanted::Grouped => false,
            };
            TermFound { term: term.label.clone(), component: term.name.clone(), present, refused }
        });
        let extra = if pattern.exact {
            let named = |c| pattern.terms.iter().any(|t| t.component == Some(c) && t.wanted != Wanted::Absent);
            let all = store.components_of(index, location).into_iter().filter(|c| !named(*c));
            all.map(|c| store.registry.name_of(c).to_string()).collect()
        } else {
            Vec::new()
        };
        Self { entity, matches: pattern.matches(store, table, index), query, terms: terms.collect(), extra, dead: None }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.matches { "matches" } else { "does not match" };
        write!(f, "entity {} {verb} {}", self.entity, self.query)?;
        if let Some(dead) = &self.dead {
            return write!(f, "\n  {}", dead.to_string().replace('\n', "\n  "));
        }
        for term in &self.terms {
            let has = if term.present { "has" } else { "lacks" };
            let refused = if term.refused { "   <- this is why" } else { "" };
            write!(f, "\n  {}: {has} {}{refused}", term.term, term.component)?;
        }
        if !self.matches && !self.terms.iter().any(|t| t.refused) && self.extra.is_empty() {
            write!(f, "\n  none of the alternatives holds   <- this is why")?;
        }
        if !self.extra.is_empty() {
            write!(f, "\n  Exact: also has {}   <- this is why", self.extra.join(", "))?;
        }
        Ok(())
    }
}

/// How a query would run now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryPlan {
    /// What is walked.
    pub driver: Driver,
    /// How many candidates a whole walk looks at.
    pub candidates: usize,
}

/// What a query walks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Driver {
    /// The rows of so many tables.
    Tables(usize),
    /// The sparse set of this component: the smallest of those required.
    SparseSet(String),
}

impl fmt::Display for QueryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.driver {
            Driver::Tables(tables) => write!(f, "walks {} rows of {tables} tables", self.candidates),
            Driver::SparseSet(name) => write!(f, "walks {} values of sparse component {name}", self.candidates),
        }
    }
}
