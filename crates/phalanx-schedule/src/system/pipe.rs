//! [`Pipe`]: two systems in a row.

use super::applied::Applied;
use super::into_system::{IntoSystem, Named};
use super::refusal::{Refusal, SystemError};
use super::system::{AnySystem, Moment, Place};
use phalanx_ecs::{Plan, World};

/// Two systems in a row; made by [`IntoSystem::pipe`].
///
/// ```
/// use phalanx_schedule::{In, IntoSystem, run_once};
///
/// fn weakest() -> u32 { 3 }
/// fn double(In(number): In<u32>) -> u32 { 2 * number }
///
/// let piped = weakest.pipe(double);
/// assert_eq!(piped.name(), "weakest → double");
/// assert_eq!(run_once(&mut phalanx_ecs::World::new(), piped).unwrap(), 6);
/// ```
#[derive(Clone, Debug)]
pub struct Pipe<A, B> {
    pub(super) first: A,
    pub(super) second: B,
}

/// Two systems in a row, made for one world.
struct Piped<In, Between, Out> {
    first: Box<dyn AnySystem<In, Between>>,
    second: Box<dyn AnySystem<Between, Out>>,
}

impl<In, Between, Out> AnySystem<In, Out> for Piped<In, Between, Out> {
    fn run(&mut self, place: &mut Place<'_>, moment: &Moment, input: In) -> Result<Out, Box<Refusal>> {
        let between = self.first.run(place, moment, input)?;
        self.second.run(place, moment, between)
    }
    fn has_changes(&self) -> bool {
        self.first.has_changes() || self.second.has_changes()
    }
    fn apply(&mut self, world: &mut World, applied: &mut Applied) {
        self.first.apply(world, applied);
        self.second.apply(world, applied);
    }
    fn plans<'a>(&'a self, plans: &mut Vec<&'a Plan>) {
        self.first.plans(plans);
        self.second.plans(plans);
    }
    fn defers(&self) -> bool {
        self.first.defers() || self.second.defers()
    }
    fn is_main(&self) -> bool {
        self.first.is_main() || self.second.is_main()
    }
    fn listens(&self) -> bool {
        self.first.listens() || self.second.listens()
    }
}

#[diagnostic::do_not_recommend]
impl<A, B, M, N> IntoSystem<(fn(M), fn(N))> for Pipe<A, B>
where
    A: IntoSystem<M>,
    B: IntoSystem<N, In = A::Out>,
{
    type In = A::In;
    type Out = B::Out;
    // Each may ask for what the other does.
    const CHECK: () = (A::CHECK, B::CHECK).0;
    const ONLY_READS: () = (A::ONLY_READS, B::ONLY_READS).0;

    fn name(&self) -> String {
        format!("{} → {}", self.first.name(), self.second.name())
    }

    #[expect(private_interfaces, reason = "nobody else makes systems")]
    fn build(
        self,
        world: &mut World,
        named: Named<'_>,
    ) -> Result<Box<dyn AnySystem<Self::In, Self::Out>>, SystemError> {
        let (first, second) = (self.first.build(world, named)?, self.second.build(world, named)?);
        Ok(Box::new(Piped { first, second }))
    }
}
