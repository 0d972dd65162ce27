//! When systems run at all.

use crate::system::{AnySystem, IntoSystem, Moment, Named, Place, Refusal, SystemError};
use phalanx_ecs::World;
use std::fmt;

/// Whether a system runs this time: a function that only reads and answers a `bool`, asked once before each run.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Engine, IntoCondition, Res};
///
/// #[derive(Resource)] struct Paused(bool);
/// #[derive(Component)] struct Enemy;
///
/// fn is_paused(paused: Res<Paused>) -> bool { paused.0 }
/// fn are_enemies(enemies: Query<&Enemy>) -> bool { enemies.count() > 0 }
///
/// fn attack() {
///     panic!("there are no enemies");
/// }
///
/// let mut engine = Engine::new();
/// engine.world_mut().insert_resource(Paused(false));
/// engine.add(attack)?.run_if(is_paused.negated().and(are_enemies))?;
/// engine.run_frames(3)?;
/// assert_eq!(engine.schedule().info(attack)?.runs, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait IntoCondition<M>: IntoSystem<M, In = (), Out = bool> {
    /// Both, the second being asked only if the first is true.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::{IntoCondition, System};
    ///
    /// fn yes() -> bool { true }
    /// fn no() -> bool { false }
    ///
    /// let mut world = World::new();
    /// assert!(!System::new(&mut world, yes.and(no))?.run(&mut world)?);
    /// assert!(System::new(&mut world, yes.and(yes))?.run(&mut world)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn and<N, C: IntoCondition<N>>(self, other: C) -> Combined<Self, C> {
        Combined { first: self, second: other, op: Op::And }
    }

    /// One or the other, the second being asked only if the first is false.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::{IntoCondition, System};
    ///
    /// fn yes() -> bool { true }
    /// fn no() -> bool { false }
    ///
    /// let mut world = World::new();
    /// assert!(System::new(&mut world, no.or(yes))?.run(&mut world)?);
    /// assert!(!System::new(&mut world, no.or(no))?.run(&mut world)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn or<N, C: IntoCondition<N>>(self, other: C) -> Combined<Self, C> {
        Combined { first: self, second: other, op: Op::Or }
    }

    /// The contrary.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::{IntoCondition, System};
    ///
    /// fn yes() -> bool { true }
    /// fn no() -> bool { false }
    ///
    /// let mut world = World::new();
    /// assert!(System::new(&mut world, no.negated())?.run(&mut world)?);
    /// assert!(!System::new(&mut world, yes.negated())?.run(&mut world)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn negated(self) -> Negated<Self> {
        Negated(self)
    }
}

impl<M, S: IntoSystem<M, In = (), Out = bool>> IntoCondition<M> for S {}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    And,
    Or,
}

/// Two conditions in one; made by [`IntoCondition::and`] and [`IntoCondition::or`].
#[derive(Clone, Debug)]
pub struct Combined<A, B> {
    first: A,
    second: B,
    op: Op,
}

/// The contrary of a condition; made by [`IntoCondition::negated`].
#[derive(Clone, Debug)]
pub struct Negated<A>(A);

type Body = Box<dyn AnySystem<(), bool>>;

struct CombinedBody {
    first: Body,
    second: Body,
    op: Op,
}

struct NegatedBody(Body);

impl AnySystem<(), bool> for CombinedBody {
    fn run(&mut self, place: &mut Place<'_>, moment: &Moment, (): ()) -> Result<bool, Box<Refusal>> {
        let first = self.first.run(place, moment, ())?;
        if first == (self.op == Op::Or) { Ok(first) } else { self.second.run(place, moment, ()) }
    }
    fn has_changes(&self) -> bool {
        self.first.has_changes() || self.second.has_changes()
    }
    fn apply(&mut self, world: &mut World) -> Result<(), phalanx_ecs::CommandErrors> {
        self.first.apply(world)?;
        self.second.apply(world)
    }
    fn plans<'a>(&'a self, plans: &mut Vec<&'a phalanx_ecs::Plan>) {
        self.first.plans(plans);
        self.second.plans(plans);
    }
    fn defers(&self) -> bool {
        self.first.defers() || self.second.defers()
    }
    fn is_main(&self) -> bool {
        self.first.is_main() || self.second.is_main()
    }
}

impl AnySystem<(), bool> for NegatedBody {
    fn run(&mut self, place: &mut Place<'_>, moment: &Moment, (): ()) -> Result<bool, Box<Refusal>> {
        self.0.run(place, moment, ()).map(|answer| !answer)
    }
    fn has_changes(&self) -> bool {
        self.0.has_changes()
    }
    fn apply(&mut self, world: &mut World) -> Result<(), phalanx_ecs::CommandErrors> {
        self.0.apply(world)
    }
    fn plans<'a>(&'a self, plans: &mut Vec<&'a phalanx_ecs::Plan>) {
        self.0.plans(plans);
    }
    fn defers(&self) -> bool {
        self.0.defers()
    }
    fn is_main(&self) -> bool {
        self.0.is_main()
    }
}

impl<A: IntoCondition<M>, B: IntoCondition<N>, M, N> IntoSystem<(bool, fn(M), fn(N))> for Combined<A, B> {
    type In = ();
    type Out = bool;
    const CHECK: () = (A::CHECK, B::CHECK).0;

    fn name(&self) -> String {
        let op = if self.op == Op::And { "and" } else { "or" };
        format!("({} {op} {})", self.first.name(), self.second.name())
    }

    #[expect(private_interfaces, reason = "nobody else makes systems")]
    fn build(self, world: &mut World, named: Named<'_>) -> Result<Body, SystemError> {
        let (first, second) = (self.first.build(world, named)?, self.second.build(world, named)?);
        Ok(Box::new(CombinedBody { first, second, op: self.op }))
    }
}

impl<A: IntoCondition<M>, M> IntoSystem<(bool, fn(M))> for Negated<A> {
    type In = ();
    type Out = bool;
    const CHECK: () = A::CHECK;

    fn name(&self) -> String {
        format!("not {}", self.0.name())
    }

    #[expect(private_interfaces, reason = "nobody else makes systems")]
    fn build(self, world: &mut World, named: Named<'_>) -> Result<Body, SystemError> {
        Ok(Box::new(NegatedBody(self.0.build(world, named)?)))
    }
}

/// A condition of a system, made for one world.
pub(super) struct Condition {
    pub(super) name: String,
    pub(super) body: Body,
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condition({})", self.name)
    }
}
