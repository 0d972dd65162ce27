//! Functions made for one world: the plan of what their arguments want, and what these keep.

use super::applied::Applied;
use super::function::SystemFn;
use super::into_system::{IntoSystem, Named};
use super::outcome::Outcome;
use super::param::Param;
use super::refusal::{Refusal, SystemError};
use super::system::{AnySystem, Moment, Place};
use super::turn::Turn;
use phalanx_ecs::{ClaimError, Lend, Plan, World};

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

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call(&mut self, place: &mut Place<'_>, moment: &Moment, input: F::In) -> Result<F::Out, Box<Refusal>> {
        match place {
            Place::Alone(world) => {
                let claim = self.plan.claim_exclusive(world).map_err(|why| Box::new(Refusal::OtherWorld(why)))?;
                let turn = Turn { claim, moment };
                let result = Self::call_with(&mut self.code, &self.plan, &mut self.state, &turn, input);
                // A claim by borrow gives nothing back when it is dropped.
                std::mem::forget(turn);
                result
            }
            Place::Beside(lend) => self.call_beside(lend, moment, input),
        }
    }

    /// Apart, so that who runs alone saves no registers for what a shared claim takes.
    #[inline(never)]
    fn call_beside(&mut self, lend: &Lend<'_>, moment: &Moment, input: F::In) -> Result<F::Out, Box<Refusal>> {
        let claim = lend.claim(&self.plan).map_err(|why| Box::new(refuse_claim(why)))?;
        let turn = Turn { claim, moment };
        Self::call_with(&mut self.code, &self.plan, &mut self.state, &turn, input)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call_with<'a>(
        code: &mut F,
        plan: &Plan,
        state: &'a mut <F::Params as Param>::State,
        turn: &'a Turn<'a>,
        input: F::In,
    ) -> Result<F::Out, Box<Refusal>> {
        match F::Params::take(state, turn) {
            Ok(params) => Ok(code.call(input, params)),
            Err(why) => Err(Box::new(Refusal::of_argument(plan.name(), why))),
        }
    }
}

#[cold]
fn refuse_claim(why: ClaimError) -> Refusal {
    match why {
        ClaimError::OtherWorld(why) => Refusal::OtherWorld(why),
        why => panic!("the schedule runs systems side by side that are in each other's way: {why}"),
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
        fn apply(&mut self, world: &mut World, applied: &mut Applied) {
            let $self = self;
            F::Params::apply_noting(&mut $function.state, world, applied);
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
        fn listens(&self) -> bool {
            F::Params::LISTENS
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

/// The name of a function, without its path; a closure is named after where it stands.
fn short_name(name: &str) -> String {
    // The path of a pointer's arguments is no path of its own.
    if name.starts_with("fn(") || name.starts_with("for<") {
        return if name.starts_with("fn()") { "fn()" } else { "fn(…)" }.to_owned();
    }
    let plain = without_types(name);
    let mut path: Vec<&str> = plain.split("::").collect();
    let closure = path.last().is_some_and(|last| last.starts_with("{{closure"));
    path.retain(|part| !part.starts_with("{{"));
    let last = path.last().copied().unwrap_or(name);
    if closure { format!("closure in {last}") } else { last.to_owned() }
}

/// The parts of a function's path, without types; a closure has the path of the function that it stands in.
pub(crate) fn path_of(name: &str) -> Vec<String> {
    without_types(name).split("::").filter(|part| !part.starts_with("{{")).map(str::to_owned).collect()
}

/// A path without what stands between angle brackets: `<Foo as Tool>::go` is `::go`, and `Pair<u8>::run` is `Pair::run`.
fn without_types(name: &str) -> String {
    let (mut plain, mut depth, mut before) = (String::new(), 0, ' ');
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            // Of an arrow.
            '>' if before == '-' => {}
            '>' => depth -= 1,
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
        before = c;
    }
    plain
}
