//! Plans at random, against a naive oracle that knows nothing of lists, masks and marks: it tries every set of components an entity can have.

use super::components::{Burn, Curse, Flag, Num, Owned, Pulse};
use super::driver::Driver;
use super::filters::Predicted;
use super::messages::{Ping, Score};
use super::naive::Naive;
use super::random::Random;
use super::shapes::{expected, show, sorted};
use super::terms::Observed;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Claim, PlanBuilder, PlanError, QueryTicket};

/// Sets of components are bits in this order; resources and events are numbers of their own.
const NAMES: [&str; 6] = ["Num", "Owned", "Flag", "Burn", "Curse", "Pulse"];

/// What a part uses, and of which entities.
#[derive(Clone, Copy, Default)]
struct Use {
    reads: u32,
    writes: u32,
    with: u32,
    without: u32,
    others_read: u32,
    others_written: u32,
    world: bool,
    world_mut: bool,
}

impl Use {
    fn meets(&self, other: &Self) -> bool {
        let writes = |part: &Self| part.writes | part.others_written != 0;
        let matched = |part: &Self, entity: u32| entity & part.with == part.with && entity & part.without == 0;
        let common = |a: &Self, b: &Self| (a.writes & (b.reads | b.writes)) | (b.writes & (a.reads | a.writes));
        self.world_mut
            || other.world_mut
            || self.world && writes(other)
            || other.world && writes(self)
            || self.others_written & (other.others_read | other.others_written) != 0
            || other.others_written & self.others_read != 0
            || (0..1 << NAMES.len())
                .any(|entity| matched(self, entity) && matched(other, entity) && common(self, other) & entity != 0)
    }
}

fn meet(first: &[Use], second: &[Use]) -> bool {
    first.iter().any(|a| second.iter().any(|b| a.meets(b)))
}

fn set(names: &[&str]) -> u32 {
    names.iter().map(|name| 1 << NAMES.iter().position(|known| known == name).expect("a name")).sum()
}

/// What a claimed part is good for: it shows what it should.
trait Part {
    fn check(&mut self, claim: &Claim<'_>, naive: &mut Naive);
}

impl<Q: Observed, F: Predicted> Part for QueryTicket<Q, F> {
    fn check(&mut self, claim: &Claim<'_>, naive: &mut Naive) {
        let query = claim.query(self).expect("a ticket of this plan");
        let seen = query.into_iter().map(|item| show::<Q>(item, 0)).collect();
        assert_eq!(sorted(seen), sorted(expected::<Q, F>(naive, 0, 0)), "a query of a claim");
    }
}

/// A part of which only the right to it is looked at.
struct Right;

impl Part for Right {
    fn check(&mut self, _claim: &Claim<'_>, _naive: &mut Naive) {}
}

type Asked = Result<Box<dyn Part>, PlanError>;

/// One part as a user asks for it, and what it uses.
struct Choice {
    ask: fn(&mut PlanBuilder<'_>) -> Asked,
    part: Use,
}

fn asked<Q: Observed, F: Predicted>(plan: &mut PlanBuilder<'_>) -> Asked {
    plan.query_filtered::<Q, F>().map(|ticket| -> Box<dyn Part> { Box::new(ticket) })
}

fn right<T>(ticket: Result<T, PlanError>) -> Asked {
    ticket.map(|_| -> Box<dyn Part> { Box::new(Right) })
}

/// A query, and what it reads, writes, demands and excludes.
macro_rules! query {
    ($terms:ty, $filter:ty, $reads:expr, $writes:expr, $with:expr, $without:expr) => {
        Choice {
            ask: asked::<$terms, $filter>,
            part: Use {
                reads: set(&$reads),
                writes: set(&$writes),
                with: set(&$with),
                without: set(&$without),
                ..Use::default()
            },
        }
    };
}

type Ref<T> = &'static T;
type Write<T> = &'static mut T;

fn choices() -> Vec<Choice> {
    let other = |ask, read: u32, written: u32| Choice {
        ask,
        part: Use { others_read: read, others_written: written, ..Use::default() },
    };
    let whole =
        |ask, exclusive: bool| Choice { ask, part: Use { world: !exclusive, world_mut: exclusive, ..Use::default() } };
    vec![
        query!((Entity, Ref<Num>), (), ["Num"], [], ["Num"], []),
        query!((Entity, Write<Num>), (), [], ["Num"], ["Num"], []),
        query!(Write<Num>, With<Owned>, [], ["Num"], ["Num", "Owned"], []),
        query!(Write<Num>, Without<Owned>, [], ["Num"], ["Num"], ["Owned"]),
        query!(Write<Num>, (With<Owned>, Without<Flag>), [], ["Num"], ["Num", "Owned"], ["Flag"]),
        query!((Ref<Num>, Write<Owned>), With<Flag>, ["Num"], ["Owned"], ["Num", "Owned", "Flag"], []),
        query!((Entity, Option<Write<Owned>>), With<Flag>, [], ["Owned"], ["Flag"], []),
        query!((Entity, Has<Num>), With<Flag>, [], [], ["Flag"], []),
        query!(Ref<Burn>, (), ["Burn"], [], ["Burn"], []),
        query!(Write<Burn>, With<Curse>, [], ["Burn"], ["Burn", "Curse"], []),
        query!((Write<Burn>, Ref<Num>), Without<Curse>, ["Num"], ["Burn"], ["Burn", "Num"], ["Curse"]),
        query!((Entity, Write<Pulse>), With<Num>, [], ["Pulse"], ["Pulse", "Num"], []),
        query!((Entity, Write<Pulse>), Without<Num>, [], ["Pulse"], ["Pulse"], ["Num"]),
        query!((Entity, Ref<Pulse>), (), ["Pulse"], [], ["Pulse"], []),
        other(|plan| right(plan.resource::<Score>()), 1, 0),
        other(|plan| right(plan.resource_mut::<Score>()), 0, 1),
        other(|plan| right(plan.events::<Ping>()), 2, 0),
        other(|plan| right(plan.events_mut::<Ping>()), 0, 2),
        whole(|plan| right(plan.world()), false),
        whole(|plan| right(plan.world_mut()), true),
    ]
}

impl Driver {
    /// Makes a few plans, claims and gives back in a random order, and looks through what was claimed.
    pub fn claim(&mut self, seed: u32) {
        let (choices, mut random) = (choices(), Random(seed.into()));
        let pair = self.pair();
        let mut plans = Vec::new();
        for number in 0..2 + random.below(5) {
            let mut plan = pair.world.plan(format!("plan {number}"));
            let (mut uses, mut parts) = (Vec::new(), Vec::new());
            for _ in 0..=random.below(3) {
                // The whole world seldom: it leaves nothing to choose.
                let Choice { ask, part } = &choices[random.below(choices.len()).min(random.below(choices.len()))];
                let allowed = !meet(&uses, &[*part]);
                let answer = ask(&mut plan);
                assert_eq!(answer.is_ok(), allowed, "a part of {plan:?}: {:?}", answer.err());
                if let Ok(ticket) = answer {
                    uses.push(*part);
                    parts.push(ticket);
                }
            }
            plans.push((plan.build(), uses, parts));
        }
        for (first, uses, _) in &plans {
            for (second, others, _) in &plans {
                assert_eq!(first.overlaps(second), meet(uses, others), "{first:?} and {second:?}");
            }
        }
        let lend = pair.world.lend();
        let (mut rights, mut all_uses, mut tickets) = (Vec::new(), Vec::new(), Vec::new());
        for (plan, uses, parts) in plans {
            rights.push(plan);
            all_uses.push(uses);
            tickets.push(parts);
        }
        let mut out = Vec::new();
        for _ in 0..12 {
            if random.below(3) == 0 && !out.is_empty() {
                let _: (usize, Claim<'_>) = out.swap_remove(random.below(out.len()));
                continue;
            }
            let at = random.below(rights.len());
            let allowed = !out.iter().any(|(other, _)| meet(&all_uses[at], &all_uses[*other]));
            match lend.claim(&rights[at]) {
                Ok(claim) => {
                    assert!(allowed, "{:?} was claimed", rights[at]);
                    for part in &mut tickets[at] {
                        part.check(&claim, &mut pair.naive);
                    }
                    out.push((at, claim));
                }
                Err(error) => assert!(!allowed, "{error}"),
            }
            assert_eq!(lend.claims(), out.len(), "claims that are out");
        }
    }
}
