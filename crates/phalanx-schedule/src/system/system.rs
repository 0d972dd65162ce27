//! [`System`]: a function with what it keeps, made for one world.

use super::function::SystemFn;
use super::outcome::Outcome;
use super::param::Param;
use super::refusal::{Refusal, SystemError};
use super::turn::Turn;
use crate::ids::SystemId;
use crate::time::Time;
use phalanx_ecs::{ClaimError, CommandErrors, Lend, Plan, World};
use std::fmt;
use std::panic::Location;

/// Where a system runs: with the world alone, or beside others.
pub(crate) enum Place<'a> {
    Alone(&'a mut World),
    #[cfg_attr(not(feature = "parallel"), expect(dead_code, reason = "needs threads"))]
    Beside(&'a Lend<'a>),
}

/// What is known of a run beside its place.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) time: Time,
    pub(crate) system: SystemId,
}

/// A function with what its arguments keep.
pub(crate) trait AnySystem<In, Out>: Send {
    fn run(&mut self, place: &mut Place<'_>, moment: &Moment, input: In) -> Result<Out, Box<Refusal>>;
    fn has_changes(&self) -> bool;
    fn apply(&mut self, world: &mut World) -> Result<(), CommandErrors>;
    /// What it wants of the world: one plan for each function in it.
    fn plans<'a>(&'a self, plans: &mut Vec<&'a Plan>);
    /// Whether it ever queues changes.
    fn defers(&self) -> bool;
    /// Whether it must run on the thread that calls `run`.
    fn is_main(&self) -> bool;
}

/// A function whose arguments say what it reads and writes, made for one world: to be run by hand, or by a schedule.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::System;
///
/// #[derive(Component)] struct Age(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 4].map(Age));
/// let mut grow_older = System::new(&mut world, |mut all: Query<&mut Age>| all.for_each(|age| age.0 += 1))?;
/// let mut sum = System::new(&mut world, |all: Query<&Age>| all.iter().map(|age| age.0).sum::<u32>())?;
/// grow_older.run(&mut world)?;
/// assert_eq!(sum.run(&mut world)?, 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What it queues with `&mut Commands` is applied when it is done.
pub struct System<In = (), Out = ()> {
    name: String,
    caller: &'static Location<'static>,
    pub(crate) body: Box<dyn AnySystem<In, Out>>,
}

impl<In: 'static, Out: 'static> System<In, Out> {
    /// Makes a function a system.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::System;
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([(), ()]);
    /// let mut count = System::new(&mut world, |all: Query<Entity>| all.count())?;
    /// assert_eq!(count.run(&mut world)?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SystemError`] if two of its arguments get in each other's way.
    #[track_caller]
    pub fn new<M, S: IntoSystem<M, In = In, Out = Out>>(world: &mut World, function: S) -> Result<Self, SystemError> {
        const { S::CHECK };
        let name = function.name();
        Self::named(world, name, function)
    }

    /// Makes a function a system, with a name of its own.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::System;
    ///
    /// let mut world = World::new();
    /// assert_eq!(System::named(&mut world, "tick", || ()).unwrap().name(), "tick");
    /// ```
    ///
    /// # Errors
    /// [`SystemError`] if two of its arguments get in each other's way.
    #[track_caller]
    pub fn named<M, S: IntoSystem<M, In = In, Out = Out>>(
        world: &mut World,
        name: impl Into<String>,
        function: S,
    ) -> Result<Self, SystemError> {
        const { S::CHECK };
        let (name, caller) = (name.into(), Location::caller());
        let body = function.build(world, Named { name: &name, caller })?;
        Ok(Self { name, caller, body })
    }

    /// What it is called: after its function, unless it was given a name.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::System;
    ///
    /// fn draw() {}
    ///
    /// let mut world = World::new();
    /// assert_eq!(System::new(&mut world, draw)?.name(), "draw");
    /// assert_eq!(System::named(&mut world, "paint", draw)?.name(), "paint");
    /// # Ok::<(), phalanx_schedule::SystemError>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs it, with an input, and applies what it queued.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{In, System};
    ///
    /// let mut world = World::new();
    /// let mut spawn = System::new(&mut world, |In(count): In<u32>, commands: &mut Commands| {
    ///     commands.spawn_batch((0..count).map(|_| ()));
    /// })?;
    /// spawn.run_with(&mut world, 3)?;
    /// assert_eq!(world.alive(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Refusal`] if a resource is missing, if the system was made for another world, or if what it queued cannot be done.
    pub fn run_with(&mut self, world: &mut World, input: In) -> Result<Out, Refusal> {
        let moment = Moment { time: Time::default(), system: SystemId::NONE };
        let out = self.body.run(&mut Place::Alone(world), &moment, input).map_err(|why| *why)?;
        self.body.apply(world)?;
        Ok(out)
    }
}

impl<Out: 'static> System<(), Out> {
    /// Runs it, and applies what it queued.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::System;
    ///
    /// let mut world = World::new();
    /// let mut spawn = System::new(&mut world, |commands: &mut Commands| {
    ///     commands.spawn(());
    /// })?;
    /// spawn.run(&mut world)?;
    /// spawn.run(&mut world)?;
    /// assert_eq!(world.alive(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`System::run_with`].
    pub fn run(&mut self, world: &mut World) -> Result<Out, Refusal> {
        self.run_with(world, ())
    }
}

impl<In, Out> fmt::Debug for System<In, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "System({}, made at {}:{})", self.name, self.caller.file(), self.caller.line())
    }
}

/// What a system is called, and who made it one.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) caller: &'static Location<'static>,
}

/// What can be made a system: functions, closures, and [pipes](IntoSystem::pipe) of them.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{IntoSystem, System};
///
/// /// Makes a system, and runs it twice.
/// fn twice<M, T: 'static>(world: &mut World, system: impl IntoSystem<M, In = (), Out = T>) -> [T; 2] {
///     let mut system = System::new(world, system).unwrap();
///     [(); 2].map(|()| system.run(world).unwrap())
/// }
///
/// assert_eq!(twice(&mut World::new(), |world: &mut World| {
///     world.spawn(());
///     world.alive()
/// }), [1, 2]);
/// ```
pub trait IntoSystem<Marker>: Sized {
    /// What it is given.
    type In: 'static;
    /// What it returns.
    type Out: 'static;

    /// Stops the build if two arguments get in each other's way.
    #[doc(hidden)]
    const CHECK: () = ();

    /// Stops the build if it queues changes or writes: for conditions.
    #[doc(hidden)]
    const ONLY_READS: () = ();

    /// What it is called, if nobody says otherwise.
    ///
    /// ```
    /// use phalanx_schedule::IntoSystem;
    ///
    /// fn weakest() -> u32 { 3 }
    ///
    /// assert_eq!(weakest.name(), "weakest");
    /// ```
    fn name(&self) -> String;

    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody else makes systems")]
    fn build(self, world: &mut World, named: Named<'_>)
    -> Result<Box<dyn AnySystem<Self::In, Self::Out>>, SystemError>;

    /// The system as schedules keep it: its error is taken out of what it returns.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody else makes systems")]
    fn build_checked(self, world: &mut World, named: Named<'_>) -> Result<Box<dyn AnySystem<Self::In, ()>>, SystemError>
    where
        Self::Out: Outcome,
    {
        Ok(Box::new(CheckedSystem(self.build(world, named)?)))
    }

    /// This system, and then another that takes what it returns as [`In`](crate::In).
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{In, IntoSystem, run_once};
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// fn weakest(all: Query<(Entity, &Health)>) -> Option<Entity> {
    ///     all.iter().min_by_key(|(_, health)| health.0).map(|(entity, _)| entity)
    /// }
    ///
    /// fn heal(In(who): In<Option<Entity>>, mut all: Query<&mut Health>) {
    ///     if let Some(health) = who.and_then(|who| all.get_mut(who)) {
    ///         health.0 += 5;
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// let [orc, _] = [2, 3].map(|health| world.spawn(Health(health)));
    /// run_once(&mut world, weakest.pipe(heal)).unwrap();
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 7);
    /// ```
    ///
    /// They are one system: nothing comes between them. Each may ask for what the other does.
    fn pipe<B, M>(self, next: B) -> Pipe<Self, B>
    where
        B: IntoSystem<M, In = Self::Out>,
    {
        Pipe { first: self, second: next }
    }
}

/// A function, and what its arguments keep.
struct Function<F: SystemFn<M>, M> {
    code: F,
    plan: Plan,
    state: <F::Params as Param>::State,
}

impl<F: SystemFn<M>, M> Function<F, M> {
    fn new(function: F, world: &mut World, named: Named<'_>) -> Result<Self, SystemError> {
        let refuse = |why| SystemError { system: named.name.to_owned(), why, caller: named.caller };
        let mut plan = world.plan(named.name);
        let state = F::Params::plan(&mut plan).map_err(refuse)?;
        Ok(Self { code: function, plan: plan.build(), state })
    }

    #[inline(always)]
    fn call(&mut self, place: &mut Place<'_>, moment: &Moment, input: F::In) -> Result<F::Out, Box<Refusal>> {
        let Self { code, plan, state } = self;
        let (claim, alone) = match place {
            Place::Alone(world) => {
                (plan.claim_exclusive(world).map_err(|why| Box::new(Refusal::OtherWorld(why)))?, true)
            }
            Place::Beside(lend) => (lend.claim(plan).map_err(|why| Box::new(refuse_claim(why)))?, false),
        };
        let turn = Turn { claim, moment };
        let result = match F::Params::take(state, &turn) {
            Ok(params) => Ok(code.call(input, params)),
            Err(why) => Err(Box::new(Refusal::of_argument(plan.name(), why))),
        };
        if alone {
            // A claim by borrow gives nothing back when it is dropped.
            std::mem::forget(turn);
        }
        result
    }
}

#[cold]
fn refuse_claim(why: ClaimError) -> Refusal {
    match why {
        ClaimError::OtherWorld(why) => Refusal::OtherWorld(why),
        why => panic!("the schedule runs systems side by side that are in each other's way: {why}"),
    }
}

/// A system of which the error is taken out of what it returns.
struct CheckedSystem<In, Out>(Box<dyn AnySystem<In, Out>>);

impl<In, Out: Outcome> AnySystem<In, ()> for CheckedSystem<In, Out> {
    fn run(&mut self, place: &mut Place<'_>, moment: &Moment, input: In) -> Result<(), Box<Refusal>> {
        let out = self.0.run(place, moment, input)?;
        out.check().map_err(|why| Box::new(Refusal::Returned(why)))
    }
    fn has_changes(&self) -> bool {
        self.0.has_changes()
    }
    fn apply(&mut self, world: &mut World) -> Result<(), CommandErrors> {
        self.0.apply(world)
    }
    fn plans<'a>(&'a self, plans: &mut Vec<&'a Plan>) {
        self.0.plans(plans);
    }
    fn defers(&self) -> bool {
        self.0.defers()
    }
    fn is_main(&self) -> bool {
        self.0.is_main()
    }
}

/// A function of which the error is taken out of what it returns: the same, in one call instead of two.
struct Checked<F: SystemFn<M>, M>(Function<F, M>);

macro_rules! of_function {
    ($self:ident => $function:expr, $out:ty, $checked:expr) => {
        #[inline]
        fn run(&mut self, place: &mut Place<'_>, moment: &Moment, input: F::In) -> Result<$out, Box<Refusal>> {
            let $self = self;
            let out = $function.call(place, moment, input)?;
            $checked(out)
        }
        fn has_changes(&self) -> bool {
            let $self = self;
            F::Params::has_changes(&$function.state)
        }
        fn apply(&mut self, world: &mut World) -> Result<(), CommandErrors> {
            let $self = self;
            F::Params::apply(&mut $function.state, world)
        }
        fn plans<'a>(&'a self, plans: &mut Vec<&'a Plan>) {
            let $self = self;
            plans.push(&$function.plan);
        }
        fn defers(&self) -> bool {
            F::Params::DEFERS
        }
        fn is_main(&self) -> bool {
            F::Params::MAIN
        }
    };
}

impl<F: SystemFn<M>, M> AnySystem<F::In, F::Out> for Function<F, M> {
    of_function!(this => this, F::Out, Ok);
}

impl<F: SystemFn<M, Out: Outcome>, M> AnySystem<F::In, ()> for Checked<F, M> {
    of_function!(this => this.0, (), |out: F::Out| out.check().map_err(|why| Box::new(Refusal::Returned(why))));
}

impl<F: SystemFn<M, In: 'static, Out: 'static>, M: 'static> IntoSystem<fn(M)> for F {
    type In = F::In;
    type Out = F::Out;
    const CHECK: () = F::Params::USES.refuse();
    const ONLY_READS: () = F::Params::USES.refuse_changes(F::Params::DEFERS);

    fn name(&self) -> String {
        short_name(std::any::type_name::<F>())
    }

    #[expect(private_interfaces, reason = "nobody else makes systems")]
    fn build(
        self,
        world: &mut World,
        named: Named<'_>,
    ) -> Result<Box<dyn AnySystem<Self::In, Self::Out>>, SystemError> {
        const { Self::CHECK };
        Ok(Box::new(Function::new(self, world, named)?))
    }

    #[expect(private_interfaces, reason = "nobody else makes systems")]
    fn build_checked(self, world: &mut World, named: Named<'_>) -> Result<Box<dyn AnySystem<Self::In, ()>>, SystemError>
    where
        Self::Out: Outcome,
    {
        const { Self::CHECK };
        Ok(Box::new(Checked(Function::new(self, world, named)?)))
    }
}

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
    first: A,
    second: B,
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
    fn apply(&mut self, world: &mut World) -> Result<(), CommandErrors> {
        self.first.apply(world)?;
        self.second.apply(world)
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
}

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

/// The name of a function, without its path; a closure is named after where it stands.
fn short_name(name: &str) -> String {
    let plain = name.split('<').next().unwrap_or(name);
    let mut path: Vec<&str> = plain.split("::").collect();
    let closure = path.last().is_some_and(|last| last.starts_with("{{closure"));
    path.retain(|part| !part.starts_with("{{"));
    let last = path.last().copied().unwrap_or(name);
    if closure { format!("closure in {last}") } else { last.to_owned() }
}
