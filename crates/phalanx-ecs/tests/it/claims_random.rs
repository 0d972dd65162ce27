//! Random plans against a naive oracle, which knows nothing of lists, masks and marks: it tries every set of components an entity can have.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Claim, Plan, PlanBuilder, PlanError};

#[derive(Component)]
struct A(u32);
#[derive(Component)]
struct B(u32);
#[derive(Component)]
struct C;
#[derive(Component)]
#[component(storage = "sparse")]
struct S(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct T;
#[derive(Resource)]
struct Score(u32);
#[derive(Resource)]
struct Rules;
#[derive(Event)]
struct Hit;

const COMPONENTS: u32 = 5;
const NAMES: [&str; COMPONENTS as usize] = ["A", "B", "C", "S", "T"];

/// One part as a user asks for it, and what the oracle is told about it.
struct Choice {
    ask: fn(&mut PlanBuilder<'_>) -> Result<(), PlanError>,
    naive: Naive,
}

/// Sets of components are bits in the order of `NAMES`; resources and events are numbers of their own.
#[derive(Clone, Copy, Default)]
struct Naive {
    reads: u32,
    writes: u32,
    with: u32,
    without: u32,
    others_read: u32,
    others_written: u32,
    world: bool,
    world_mut: bool,
}

impl Naive {
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
            || (0..1 << COMPONENTS)
                .any(|entity| matched(self, entity) && matched(other, entity) && common(self, other) & entity != 0)
    }
}

fn set(names: &[&str]) -> u32 {
    names.iter().map(|name| 1 << NAMES.iter().position(|known| known == name).expect("a name")).sum()
}

/// A query, and what it reads, writes, demands and excludes.
macro_rules! query {
    ($terms:ty, $filter:ty, $reads:expr, $writes:expr, $with:expr, $without:expr) => {
        Choice {
            ask: |plan| plan.query_filtered::<$terms, $filter>().map(drop),
            naive: Naive {
                reads: set(&$reads),
                writes: set(&$writes),
                with: set(&$with),
                without: set(&$without),
                ..Naive::default()
            },
        }
    };
}

fn choices() -> Vec<Choice> {
    let other = |ask, read: u32, written: u32| Choice {
        ask,
        naive: Naive { others_read: read, others_written: written, ..Naive::default() },
    };
    let whole = |ask, exclusive: bool| Choice {
        ask,
        naive: Naive { world: !exclusive, world_mut: exclusive, ..Naive::default() },
    };
    vec![
        query!(&A, (), ["A"], [], ["A"], []),
        query!(&mut A, (), [], ["A"], ["A"], []),
        query!(&mut A, With<B>, [], ["A"], ["A", "B"], []),
        query!(&mut A, Without<B>, [], ["A"], ["A"], ["B"]),
        query!(&mut A, (With<B>, Without<C>), [], ["A"], ["A", "B"], ["C"]),
        query!((&A, &mut B), With<C>, ["A"], ["B"], ["A", "B", "C"], []),
        query!((&A, &mut B), Without<C>, ["A"], ["B"], ["A", "B"], ["C"]),
        query!(Option<&mut B>, With<C>, [], ["B"], ["C"], []),
        query!((Option<&mut B>, &A), (), ["A"], ["B"], ["A"], []),
        query!(&C, (), ["C"], [], ["C"], []),
        query!(&mut C, Without<A>, [], ["C"], ["C"], ["A"]),
        query!(Entity, (), [], [], [], []),
        query!((Entity, Has<A>), With<C>, [], [], ["C"], []),
        query!(&S, (), ["S"], [], ["S"], []),
        query!(&mut S, (), [], ["S"], ["S"], []),
        query!(&mut S, With<A>, [], ["S"], ["S", "A"], []),
        query!(&mut S, Without<A>, [], ["S"], ["S"], ["A"]),
        query!(&mut S, With<T>, [], ["S"], ["S", "T"], []),
        query!((&mut S, &A), Without<T>, ["A"], ["S"], ["S", "A"], ["T"]),
        query!(&mut A, With<S>, [], ["A"], ["A", "S"], []),
        query!(&mut A, Without<S>, [], ["A"], ["A"], ["S"]),
        query!(AnyOf<(&A, &mut B)>, (), ["A"], ["B"], [], []),
        other(|plan| plan.resource::<Score>().map(drop), 1, 0),
        other(|plan| plan.resource_mut::<Score>().map(drop), 0, 1),
        other(|plan| plan.resource::<Rules>().map(drop), 2, 0),
        other(|plan| plan.resource_mut::<Rules>().map(drop), 0, 2),
        other(|plan| plan.events::<Hit>().map(drop), 4, 0),
        other(|plan| plan.events_mut::<Hit>().map(drop), 0, 4),
        whole(|plan| plan.world().map(drop), false),
        whole(|plan| plan.world_mut().map(drop), true),
    ]
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

fn meet(first: &[Naive], second: &[Naive]) -> bool {
    first.iter().any(|a| second.iter().any(|b| a.meets(b)))
}

#[test]
fn sixteen_plans_at_random_are_claimed_exactly_when_a_naive_oracle_allows_it() {
    let choices = choices();
    let (mut taken, mut refused, mut together) = (0, 0, 0);
    let (seeds, count, steps) = if cfg!(miri) { (1, 5, 40) } else { (300, 16, 400) };
    for seed in 0..seeds {
        let mut random = Random(seed);
        let mut world = World::new();
        let mut plans: Vec<(Plan, Vec<Naive>)> = Vec::new();
        for number in 0..count {
            let mut plan = world.plan(format!("plan {number}"));
            let mut parts: Vec<Naive> = Vec::new();
            for _ in 0..=random.below(4) {
                // The whole world seldom: it leaves nothing to choose.
                let mut choice = random.below(choices.len());
                if choice >= choices.len() - 2 && random.below(3) > 0 {
                    choice = random.below(choices.len() - 2);
                }
                let Choice { ask, naive } = &choices[choice];
                let allowed = !meet(&parts, &[*naive]);
                let answer = ask(&mut plan);
                assert_eq!(answer.is_ok(), allowed, "seed {seed}: {plan:?}, choice {choice}: {answer:?}");
                if allowed {
                    parts.push(*naive);
                }
            }
            plans.push((plan.build(), parts));
        }
        for (first, naive) in &plans {
            for (second, other) in &plans {
                let conflict = first.conflicts_with(second);
                assert_eq!(
                    conflict.is_some(),
                    meet(naive, other),
                    "seed {seed}: {first:?} and {second:?}: {conflict:?}"
                );
                assert!(conflict.is_none_or(|conflict| !conflict.clashes.is_empty()));
            }
        }
        let lend = world.lend();
        let mut out: Vec<(Claim<'_>, &[Naive])> = Vec::new();
        for _ in 0..steps {
            if random.below(3) == 0 && !out.is_empty() {
                out.swap_remove(random.below(out.len()));
                continue;
            }
            let (plan, parts) = &plans[random.below(plans.len())];
            let allowed = !out.iter().any(|(_, other)| meet(parts, other));
            match lend.claim(plan) {
                Ok(claim) => {
                    assert!(
                        allowed,
                        "seed {seed}: {plan:?} beside {out:?}",
                        out = out.iter().map(|o| &o.0).collect::<Vec<_>>()
                    );
                    out.push((claim, parts));
                    taken += 1;
                    together = together.max(out.len());
                }
                Err(error) => {
                    assert!(!allowed, "seed {seed}: {error}");
                    refused += 1;
                }
            }
            assert_eq!(lend.claims(), out.len());
        }
    }
    assert!(taken > 3 && refused > 3 && together > 1, "{taken} taken, {refused} refused, {together} together");
}
