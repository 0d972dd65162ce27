//! New entities.

use super::acts::{lacks, required};
use super::components::*;
use super::driver::{Driver, Fuse, guarded, is_event, lit, nth, parts_of};
use super::kits::Kit;
use super::ledger::{Event, happens};
use super::row::Row;
use phalanx_ecs::{Columns, SpawnError};

/// An iterator whose size hint is not what it yields.
struct Hinted<I>(I, usize);

impl<I: Iterator> Iterator for Hinted<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.1, None)
    }
}

impl Driver {
    pub fn spawn<K: Kit>(&mut self, fuse: Fuse) {
        let seed = self.next_seed();
        let pair = self.pair();
        let room = pair.naive.room();
        let lacking = lacks(&Row::default(), &K::kind_list());
        let taken = pair.naive.is_taken(None, &K::parts(seed));
        match guarded(fuse, || pair.world.try_spawn(<K as Kit>::make(seed))) {
            Some(Err(SpawnError::Lacks(lack))) => assert!(lacking, "{lack}"),
            Some(Err(SpawnError::Uuid(uuid))) => assert!(taken, "{uuid}"),
            Some(Ok(entity)) => {
                assert!(room > 0 && !lacking && !taken, "spawned what should be refused");
                pair.born(entity, &K::parts(seed));
            }
            Some(Err(SpawnError::Full { 0: full, .. })) => {
                assert_eq!(room, 0, "{full}");
                pair.check_full(&full);
            }
            Some(Err(error)) => panic!("{error}"),
            None if room == 0 || lacking || taken => {}
            None => {
                // The id was handed out before the required value was made, and goes back.
                assert!(is_event(fuse, Event::Require));
                pair.naive.alloc_in_vain();
            }
        }
    }

    pub fn spawn_batch<K: Kit>(&mut self, count: u8, hint: u8, fuse: Fuse) {
        let seed = self.next_seed();
        let count = self.batch(count);
        let pair = self.pair();
        let room = pair.naive.room();
        let least = [0, count / 2, count, count + 5][usize::from(hint)];
        let bundles = (0..count).map(|i| {
            happens(Event::Make);
            <K as Kit>::make(nth(seed, i))
        });
        let rows = parts_of::<K>(seed, count);
        let clashing = pair.naive.clashes(rows.iter().map(|parts| (None, &parts[..])));
        let (result, blown) = lit(fuse, || pair.world.try_spawn_batch(Hinted(bundles, least)));
        let lacking = lacks(&Row::default(), &K::kind_list());
        match result {
            Some(Err(SpawnError::Lacks(lack))) => assert!(lacking, "{lack}"),
            Some(Err(SpawnError::Uuid(uuid))) => assert!(clashing, "{uuid}"),
            Some(Ok(spawned)) => {
                assert!(!blown, "a panic of the user's code was swallowed");
                assert!(count <= room, "spawned past the limit");
                assert!(!lacking && !clashing, "spawned what lacks something, or with a uuid that is taken");
                pair.all_born(&spawned, rows);
            }
            Some(Err(SpawnError::Full { 0: full, .. })) => {
                assert!(count > room || least > room, "{full}");
                pair.check_full(&full);
            }
            Some(Err(error)) => panic!("{error}"),
            None => self.half_a_batch::<K>(fuse, count),
        }
    }

    /// A batch that ended in a panic leaves nothing; only ids may have been handed out and taken back.
    pub fn half_a_batch<K: Kit>(&mut self, fuse: Fuse, count: usize) {
        let naive = &mut self.pair().naive;
        if !is_event(fuse, Event::Require) || !naive.foretells() {
            return;
        }
        let made_per_row = required(&K::kind_list()).len();
        let at = fuse.expect("lit").1 as usize / made_per_row;
        let mut ids: Vec<u32> = (0..count).map(|_| naive.alloc().0).collect();
        // The one that failed goes back first, then those before it and those behind it, in order.
        let failed = ids.remove(at);
        naive.bury(failed);
        for index in ids {
            naive.bury(index);
        }
    }

    pub fn spawn_columns(&mut self, kit: u8, count: u8, uneven: bool, fuse: Fuse) {
        let seed = self.next_seed();
        let count = self.batch(count);
        let extra = usize::from(uneven);
        fn column<T: Kind>(seed: u32, count: usize) -> Vec<T> {
            (0..count).map(|i| Kit::make(nth(seed, i))).collect()
        }
        match kit % 8 {
            0 => self.columns::<(Num, Owned), _>(
                seed,
                count,
                uneven,
                fuse,
                (column::<Num>(seed, count), column::<Owned>(seed, count + extra)),
            ),
            1 => {
                let (first, second) = (column::<Root>(seed, count), column::<Num>(seed, count + extra));
                self.columns::<(Root, Num), _>(seed, count, uneven, fuse, (&first[..], &second[..]));
            }
            2 => self.columns::<(Flag, Num), _>(
                seed,
                count,
                uneven,
                fuse,
                (column::<Flag>(seed, count), column::<Num>(seed, count + extra)),
            ),
            3 => self.columns::<(Burn, Num), _>(
                seed,
                count,
                uneven,
                fuse,
                (column::<Burn>(seed, count), column::<Num>(seed, count + extra)),
            ),
            4 => self.columns::<(Needy,), _>(seed, count, false, fuse, (column::<Needy>(seed, count),)),
            5 => {
                let row = |i: u32| seed.wrapping_add(i);
                let seals: [Seal; 3] = [0, 1, 2].map(|i| Kit::make(row(i)));
                let wides: [Wide; 3] = [0, 1, 2].map(|i| Kit::make(row(i)));
                self.columns::<(Seal, Wide), _>(seed, 3, false, fuse, (seals, wides));
            }
            6 => {
                let (names, uuids) = (column::<Name>(seed, count), column::<Uuid>(seed, count + extra));
                self.columns::<(Name, Uuid), _>(seed, count, uneven, fuse, (names, uuids));
            }
            _ => {
                let wides: [Wide; 4] = [0, 1, 2, 3].map(|i| Kit::make(seed.wrapping_add(i)));
                let owned = column::<Owned>(seed, 4 + extra);
                self.columns::<(Wide, Owned), _>(seed, 4, uneven, fuse, (wides, owned));
            }
        }
    }

    pub fn columns<K: Kit, C: Columns>(&mut self, seed: u32, count: usize, uneven: bool, fuse: Fuse, columns: C) {
        let pair = self.pair();
        let room = pair.naive.room();
        let rows = parts_of::<K>(seed, count);
        let clashing = pair.naive.clashes(rows.iter().map(|parts| (None, &parts[..])));
        // As with batches of rows: where the answer is a refusal, it may come in the place of a panic of what is dropped.
        let (result, blown) = lit(fuse, || pair.world.spawn_columns(columns));
        match result {
            Some(Ok(spawned)) => {
                assert!(!blown, "a panic of the user's code was swallowed");
                assert!(!uneven && count <= room && !clashing, "spawned what should be refused");
                pair.all_born(&spawned, rows);
            }
            Some(Err(SpawnError::Uneven { first, length, position, .. })) => {
                assert!(uneven && (first, length, position) == (count, count + 1, 1));
            }
            Some(Err(SpawnError::Uuid(uuid))) => assert!(clashing || uneven, "{uuid}"),
            Some(Err(SpawnError::Full { 0: full, .. })) => {
                assert!(count > room, "{full}");
                pair.check_full(&full);
            }
            Some(Err(error)) => panic!("{error}"),
            None if uneven || clashing || count > room => {}
            None => self.half_a_batch::<K>(fuse, count),
        }
    }
}
