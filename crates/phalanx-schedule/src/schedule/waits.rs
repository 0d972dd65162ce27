//! Who waits for whom.
//!
//! ```text
//! a, b, c and d write the same thing       a ─► b ─► c ─► d     and not   a ─► c, a ─► d, b ─► d
//! ```
//!
//! A system waits for those before it that an edge or what they take of the world puts there, except where it waits for them anyway by way of others: so a
//! thousand systems that are all in each other's way have a thousand waits and not half a million.

use super::schedule::Schedule;
use crate::ids::SystemId;
use phalanx_ecs::Plan;
use std::collections::HashMap;

/// By place in a stage: who waits for whom.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// Those that wait for it.
    pub(super) then: Vec<Vec<u32>>,
    /// How many it waits for.
    pub(super) count: Vec<u32>,
}

impl Waits {
    /// Who waits for whom, of so many in order. `said` are the places that come before one by an edge; `meets` asks whether two are in each other's way.
    fn new(count: usize, said: &[Vec<usize>], mut meets: impl FnMut(usize, usize) -> bool) -> Self {
        let mut waits = Self { then: vec![Vec::new(); count], count: vec![0; count] };
        let mut before = Before::new(count);
        for (at, said) in said.iter().enumerate() {
            let mut wait = |before: &mut Before, earlier: usize| {
                waits.then[earlier].push(u32::try_from(at).expect("ids are `u32`"));
                waits.count[at] += 1;
                before.join(at, earlier);
            };
            for &earlier in said.iter().rev() {
                if !before.has(at, earlier) {
                    wait(&mut before, earlier);
                }
            }
            // From the nearest on: it waits for most of the others already.
            let mut next = at;
            while let Some(earlier) = before.open_below(at, next) {
                if meets(earlier, at) {
                    wait(&mut before, earlier);
                }
                next = earlier;
            }
        }
        for then in &mut waits.then {
            then.sort_unstable();
        }
        waits
    }
}

/// Whom each waits for, directly or by way of others: a bit each.
struct Before {
    words: usize,
    bits: Vec<u64>,
}

impl Before {
    fn new(count: usize) -> Self {
        let words = count.div_ceil(64);
        Self { words, bits: vec![0; words * count] }
    }

    fn has(&self, at: usize, earlier: usize) -> bool {
        self.bits[at * self.words + earlier / 64] >> (earlier % 64) & 1 == 1
    }

    /// It waits for an earlier one, and for all that this waits for.
    fn join(&mut self, at: usize, earlier: usize) {
        let (earlier_bits, bits) = self.bits.split_at_mut(at * self.words);
        let theirs = &earlier_bits[earlier * self.words..(earlier + 1) * self.words];
        for (mine, theirs) in bits[..self.words].iter_mut().zip(theirs) {
            *mine |= theirs;
        }
        bits[earlier / 64] |= 1 << (earlier % 64);
    }

    /// The last before `below` that it does not wait for.
    fn open_below(&self, at: usize, below: usize) -> Option<usize> {
        let mine = &self.bits[at * self.words..(at + 1) * self.words];
        let mut word = below / 64;
        let mut open = if below.is_multiple_of(64) { 0 } else { !mine[word] & ((1 << (below % 64)) - 1) };
        while open == 0 {
            word = word.checked_sub(1)?;
            open = !mine[word];
        }
        Some(word * 64 + 63 - open.leading_zeros() as usize)
    }
}

impl Schedule {
    /// Who waits for whom in a stage.
    pub(super) fn waits(&mut self, systems: &[SystemId]) -> Waits {
        let plans: Vec<Vec<Plan>> = systems.iter().map(|id| self.plans(*id)).collect();
        let points: Vec<bool> = systems.iter().map(|id| self.node(*id).is_point()).collect();
        let places: HashMap<u32, usize> = systems.iter().enumerate().map(|(at, id)| (id.number, at)).collect();
        let mut said = vec![Vec::new(); systems.len()];
        for (at, id) in systems.iter().enumerate() {
            for edge in self.edges.from(id.number) {
                if let Some(then) = places.get(&edge.then) {
                    said[*then].push(at);
                }
            }
        }
        Waits::new(systems.len(), &said, |earlier, at| {
            let overlap = || plans[at].iter().any(|plan| plans[earlier].iter().any(|other| plan.overlaps(other)));
            points[at] || points[earlier] || overlap()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Waits;

    #[test]
    fn who_waits_directly_or_by_way_of_others_is_whoever_is_in_the_way() {
        let mut seed = 5u64;
        let mut random = move |end: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % end
        };
        for round in 0..200 {
            let count = usize::try_from(random(150)).unwrap();
            let often = random(20) + 1;
            let meets: Vec<Vec<bool>> =
                (0..count).map(|_| (0..count).map(|_| random(often * 4) == 0).collect()).collect();
            let said: Vec<Vec<usize>> =
                (0..count).map(|at| (0..at).filter(|_| random(often * 8) == 0).collect()).collect();
            let waits = Waits::new(count, &said, |earlier, at| meets[at][earlier]);
            // The slow way: all pairs, and what follows from them.
            let mut naive = vec![vec![false; count]; count];
            let mut found = vec![vec![false; count]; count];
            for at in 0..count {
                for earlier in 0..at {
                    if meets[at][earlier] || said[at].contains(&earlier) {
                        naive[at][earlier] = true;
                        let theirs = naive[earlier].clone();
                        naive[at].iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs);
                    }
                    if waits.then[earlier].contains(&u32::try_from(at).unwrap()) {
                        found[at][earlier] = true;
                        let theirs = found[earlier].clone();
                        found[at].iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs);
                    }
                }
            }
            assert!(naive == found, "round {round}");
            let mut counts = vec![0; count];
            waits.then.iter().flatten().for_each(|then| counts[*then as usize] += 1);
            assert_eq!(counts, waits.count);
        }
    }

    #[test]
    fn a_thousand_in_each_others_way_have_a_thousand_waits() {
        let mut asked = 0;
        let waits = Waits::new(1000, &vec![Vec::new(); 1000], |_, _| {
            asked += 1;
            true
        });
        assert_eq!(waits.then.iter().map(Vec::len).sum::<usize>(), 999);
        assert_eq!(asked, 999);
    }
}
