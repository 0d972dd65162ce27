//! Queries put together at run time.

use super::components::{FIRST_DYN, FIRST_FIXED, KINDS, NAMES, dyn_bytes, dyn_value, fit};
use super::driver::Driver;
use super::kits::with_kind;
use super::pair::Pair;
use super::row::Row;
use phalanx_ecs::{ComponentId, DynQuery};

/// A run-time query that stays, and its terms: kind and what is asked of it.
pub type Kept = (Vec<(usize, Ask)>, bool, DynQuery);

/// What a term of a run-time query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    Read,
    Write,
    MaybeRead,
    MaybeWrite,
    With,
    Without,
}

impl Driver {
    pub fn dyn_query(&mut self, bytes: [u8; 3], exact: bool, kept: bool) {
        let pair = &mut self.pairs[self.current];
        let seed = self.seed;
        if kept && pair.kept.len() >= 6 {
            let at = usize::from(bytes[0]) % pair.kept.len();
            let (terms, exact, mut query) = pair.kept.swap_remove(at);
            pair.walk_dyn(&terms, exact, &mut query, seed);
            pair.kept.push((terms, exact, query));
            return;
        }
        let mut terms = Vec::new();
        let mut builder = DynQuery::builder();
        for byte in bytes {
            let kind = usize::from(byte) % KINDS;
            let id = pair.id(kind);
            let ask = match usize::from(byte) / KINDS % 7 {
                0 => continue,
                _ if (FIRST_FIXED..FIRST_DYN).contains(&kind) => Ask::Read,
                1 => Ask::Read,
                2 => Ask::Write,
                3 => Ask::MaybeRead,
                4 => Ask::MaybeWrite,
                5 => Ask::With,
                _ => Ask::Without,
            };
            builder = match ask {
                Ask::Read => builder.read(id),
                Ask::Write => builder.write(id),
                Ask::MaybeRead => builder.maybe_read(id),
                Ask::MaybeWrite => builder.maybe_write(id),
                Ask::With => builder.with(id),
                Ask::Without => builder.without(id),
            };
            terms.push((kind, ask));
        }
        if exact {
            builder = builder.exact();
        }
        let writes = |ask: Ask| matches!(ask, Ask::Write | Ask::MaybeWrite);
        let uses = |ask: Ask| writes(ask) || matches!(ask, Ask::Read | Ask::MaybeRead);
        let conflict = terms.iter().enumerate().any(|(at, (kind, ask))| {
            let clash = |other: &(usize, Ask)| {
                other.0 == *kind && uses(*ask) && uses(other.1) && (writes(*ask) || writes(other.1))
            };
            terms[..at].iter().any(clash)
        });
        match builder.build() {
            Err(error) => assert!(conflict, "{error}"),
            Ok(mut query) => {
                assert!(!conflict, "{query:?} hands out one component twice");
                pair.walk_dyn(&terms, exact, &mut query, seed);
                if kept {
                    pair.kept.push((terms, exact, query));
                }
            }
        }
    }
}

impl Pair {
    pub fn walk_dyn(&mut self, terms: &[(usize, Ask)], exact: bool, query: &mut DynQuery, delta: u32) {
        let fits = |row: &Row| {
            let asked = terms.iter().all(|(kind, ask)| match ask {
                Ask::Read | Ask::Write | Ask::With => row.shows(*kind),
                Ask::Without => !row.has(*kind),
                Ask::MaybeRead | Ask::MaybeWrite => true,
            });
            let named = |kind: usize| terms.iter().any(|(k, ask)| *k == kind && *ask != Ask::Without);
            asked && (!exact || row.kinds().all(named))
        };
        let must = self.naive.those(fits);
        let order = query.entities(&self.world);
        assert_eq!(query.count(&self.world), must.len(), "count of {query:?}");
        let ids: Vec<ComponentId> = terms.iter().map(|(kind, _)| self.id(*kind)).collect();
        let mut seen = Vec::new();
        query.for_each(&mut self.world, |mut item| {
            let entity = item.entity();
            seen.push(entity);
            let row = self.naive.row_mut(entity).expect("a living entity");
            for ((kind, ask), id) in terms.iter().zip(&ids) {
                let found = item.get(*id).map(|found| {
                    if *kind < FIRST_DYN {
                        with_kind!(*kind, T => found.downcast::<T>().expect("of the type").value())
                    } else {
                        dyn_value(*kind, found.bytes().expect("made at run time"))
                    }
                });
                let readable = terms.iter().any(|(k, ask)| k == kind && !matches!(ask, Ask::With | Ask::Without));
                assert_eq!(
                    found,
                    row.value(*kind).filter(|_| readable && row.shows(*kind)),
                    "{} of {entity}",
                    NAMES[*kind]
                );
                if matches!(ask, Ask::Write | Ask::MaybeWrite)
                    && let Some(place) = item.get_mut(*id)
                {
                    let value = fit(*kind, found.expect("readable").wrapping_add(delta));
                    if *kind < FIRST_DYN {
                        with_kind!(*kind, T => place.downcast::<T>().expect("of the type").set(value));
                    } else {
                        place.bytes().expect("made at run time").copy_from_slice(&dyn_bytes(*kind, value));
                    }
                    row.put(*kind, value);
                } else if !matches!(ask, Ask::Write | Ask::MaybeWrite) {
                    let writable =
                        terms.iter().any(|(k, ask)| k == kind && matches!(ask, Ask::Write | Ask::MaybeWrite));
                    assert!(writable || item.get_mut(*id).is_none(), "a term that reads hands out a mutable reference");
                }
            }
        });
        assert_eq!(seen, order, "{query:?} walks in the order of its entities");
        seen.sort();
        assert_eq!(seen, must, "{query:?}");
    }
}
