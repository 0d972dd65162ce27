//! When systems run at all.

use crate::shown::shown;
use crate::system::{AnySystem, IntoSystem, Moment, Named, Place, Refusal, SystemError, argument};
use phalanx_ecs::World;
use std::error::Error;
use std::fmt;
use std::panic::Location;

/// Whether a system runs this time: a function that only reads and answers a `bool`, asked once before each run. What it remembers for itself, as in
/// [`Local`](crate::Local) and [`Reader`](crate::Reader), is its own affair; one that takes `&mut Commands` or writes is refused, where that is known when it is built.
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
    fn plans<'a>(&'a self, plans: &mut Vec<&'a phalanx_ecs::Plan>) {
        self.first.plans(plans);
        self.second.plans(plans);
    }
    fn is_main(&self) -> bool {
        self.first.is_main() || self.second.is_main()
    }
    fn listens(&self) -> bool {
        self.first.listens() || self.second.listens()
    }
}

impl AnySystem<(), bool> for NegatedBody {
    fn run(&mut self, place: &mut Place<'_>, moment: &Moment, (): ()) -> Result<bool, Box<Refusal>> {
        self.0.run(place, moment, ()).map(|answer| !answer)
    }
    fn plans<'a>(&'a self, plans: &mut Vec<&'a phalanx_ecs::Plan>) {
        self.0.plans(plans);
    }
    fn is_main(&self) -> bool {
        self.0.is_main()
    }
    fn listens(&self) -> bool {
        self.0.listens()
    }
}

#[diagnostic::do_not_recommend]
impl<A: IntoCondition<M>, B: IntoCondition<N>, M, N> IntoSystem<(bool, fn(M), fn(N))> for Combined<A, B> {
    type In = ();
    type Out = bool;
    const CHECK: () = (A::CHECK, B::CHECK).0;
    const ONLY_READS: () = (A::ONLY_READS, B::ONLY_READS).0;

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

#[diagnostic::do_not_recommend]
impl<A: IntoCondition<M>, M> IntoSystem<(bool, fn(M))> for Negated<A> {
    type In = ();
    type Out = bool;
    const CHECK: () = A::CHECK;
    const ONLY_READS: () = A::ONLY_READS;

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

impl Condition {
    /// Makes a function a condition, if it only reads.
    pub(super) fn new<M>(
        condition: impl IntoCondition<M>,
        world: &mut World,
        caller: &'static Location<'static>,
    ) -> Result<Self, ConditionError> {
        let name = condition.name();
        let body = condition.build(world, Named { name: &name, caller })?;
        let changes = changes(&*body, world);
        if !changes.is_empty() {
            return Err(ConditionError::Changes { condition: name, changes, caller });
        }
        Ok(Self { name, body })
    }
}

/// What a condition writes: where it would be in the way of somebody who reads all.
fn changes(body: &dyn AnySystem<(), bool>, world: &mut World) -> Vec<String> {
    let mut reader = world.plan("who reads all");
    reader.world().expect("nothing else is in this plan");
    let reader = reader.build();
    let mut plans = Vec::new();
    body.plans(&mut plans);
    let mut changes = Vec::new();
    for conflict in plans.into_iter().filter_map(|plan| plan.conflicts_with(&reader)) {
        changes.extend(conflict.clashes.iter().map(|clash| format!("{}, by `{}`", clash.what, argument(&clash.first))));
    }
    changes
}

/// A function that cannot be a condition.
///
/// ```
/// use phalanx_schedule::{ConditionError, Engine, MainMut};
/// use std::rc::Rc;
///
/// fn is_first(mut count: MainMut<Rc<u32>>) -> bool {
///     *Rc::make_mut(&mut count) += 1;
///     **count == 1
/// }
///
/// let mut engine = Engine::new();
/// let error = engine.add(|| ())?.run_if(is_first).unwrap_err();
/// assert!(error.to_string().starts_with("error[S011]: condition `is_first` would change something, and conditions only read"));
/// assert!(matches!(error, ConditionError::Changes { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What the types of the arguments show does not even build; this comes from values of the main thread, and from arguments of your own.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConditionError {
    /// Two of its arguments get in each other's way.
    System(SystemError),
    /// It would change something.
    Changes {
        /// What the condition is called.
        condition: String,
        /// What it writes, and by which argument.
        changes: Vec<String>,
        /// Who asked for it.
        caller: &'static Location<'static>,
    },
}

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(why) => why.fmt(f),
            Self::Changes { condition, changes, caller } => {
                let condition = shown(condition);
                writeln!(f, "error[S011]: condition `{condition}` would change something, and conditions only read")?;
                for change in changes {
                    writeln!(f, "  found: it writes {change}")?;
                }
                writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
                write!(
                    f,
                    "  help: let a system write, before the one that has the condition; to remember something from one time to the next, take a `Local<T>`"
                )
            }
        }
    }
}

impl fmt::Debug for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for ConditionError {}

impl From<SystemError> for ConditionError {
    fn from(error: SystemError) -> Self {
        Self::System(error)
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condition({})", self.name)
    }
}
