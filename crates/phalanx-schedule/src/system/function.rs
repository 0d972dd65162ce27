//! Functions and closures as systems.

use super::param::Param;

/// What a system is given by the one before it in a [pipe](crate::IntoSystem::pipe), or by who [runs](crate::run_once_with) it: always the first argument.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{In, run_once_with};
///
/// #[derive(Component)] struct Health(u32);
///
/// fn hurt_all(In(damage): In<u32>, mut all: Query<&mut Health>) -> usize {
///     all.for_each(|health| health.0 -= damage);
///     all.count()
/// }
///
/// let mut world = World::new();
/// let orc = world.spawn(Health(5));
/// assert_eq!(run_once_with(&mut world, 2, hurt_all).unwrap(), 1);
/// assert_eq!(world.get::<Health>(orc).unwrap().0, 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct In<T>(pub T);

/// Functions and closures whose arguments are [`Param`]s. `Marker` tells apart what the compiler could not.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{SystemFn, run_once};
///
/// /// Runs any function that counts something.
/// fn count<M: 'static>(world: &mut World, counter: impl SystemFn<M, In = (), Out = usize>) -> usize {
///     run_once(world, counter).unwrap()
/// }
///
/// let mut world = World::new();
/// world.spawn(());
/// assert_eq!(count(&mut world, |world: &World| world.alive()), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a function of arguments that a system can have",
    note = "each argument must be a `Param`, like `Query<…>`, `Res<…>` or `&mut Commands`; at most 16 of them, and more in tuples",
    note = "components are asked for by `Query<&T>` and `Query<&mut T>`, resources by `Res<R>` and `ResMut<R>`, and a queue of commands is `&mut Commands`, not `Commands`",
    note = "events are read by `Reader<E>`, not `EventReader<E>`, and sent by `Writer<E>`; what was removed is read by `Losses<T>`, not `Removed<T>`",
    note = "a value of one's own, such as a number, comes as `Local<T>`, which the system keeps; as a resource; or as `In<T>`, the first argument, from who runs or pipes it"
)]
pub trait SystemFn<Marker>: Send + 'static {
    /// What it wants of the world.
    type Params: Param;
    /// What it is given by who runs it.
    type In;
    /// What it returns.
    type Out;

    /// Calls it.
    ///
    /// ```
    /// use phalanx_schedule::SystemFn;
    ///
    /// fn call<M, T>(mut function: impl SystemFn<M, In = (), Params = (), Out = T>) -> T {
    ///     function.call((), ())
    /// }
    ///
    /// assert_eq!(call(|| 7), 7);
    /// ```
    fn call(&mut self, input: Self::In, params: <Self::Params as Param>::Item<'_>) -> Self::Out;
}

macro_rules! function {
    ($($name:ident $at:tt),*) => {
        impl<Function, Out, $($name: Param),*> SystemFn<fn($($name),*) -> Out> for Function
        where
            Function: Send + 'static,
            // The first says what the arguments are, the second that it takes them with any lifetime.
            for<'a> &'a mut Function: FnMut($($name),*) -> Out + FnMut($($name::Item<'_>),*) -> Out,
        {
            type Params = ($($name,)*);
            type In = ();
            type Out = Out;

            #[inline]
            #[allow(non_snake_case, reason = "arguments are named after their types")]
            fn call(&mut self, (): (), ($($name,)*): <Self::Params as Param>::Item<'_>) -> Out {
                // The compiler must be told which of the two bounds is meant.
                #[cfg_attr(not(debug_assertions), inline(always))]
                #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
                fn one_of_two<Out, $($name),*>(mut function: impl FnMut($($name),*) -> Out, $($name: $name),*) -> Out {
                    function($($name),*)
                }
                one_of_two(self, $($name),*)
            }
        }

        impl<Function, Given, Out, $($name: Param),*> SystemFn<(In<Given>, fn($($name),*) -> Out)> for Function
        where
            Function: Send + 'static,
            for<'a> &'a mut Function:
                FnMut(In<Given>, $($name),*) -> Out + FnMut(In<Given>, $($name::Item<'_>),*) -> Out,
        {
            type Params = ($($name,)*);
            type In = Given;
            type Out = Out;

            #[inline]
            #[allow(non_snake_case, reason = "arguments are named after their types")]
            fn call(&mut self, input: Given, ($($name,)*): <Self::Params as Param>::Item<'_>) -> Out {
                #[cfg_attr(not(debug_assertions), inline(always))]
                #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
                fn one_of_two<Given, Out, $($name),*>(
                    mut function: impl FnMut(In<Given>, $($name),*) -> Out,
                    input: Given,
                    $($name: $name),*
                ) -> Out {
                    function(In(input), $($name),*)
                }
                one_of_two(self, input, $($name),*)
            }
        }
    };
}

super::for_each_arity!(function);
