//! For tests: whether a program keeps its promise that the order of systems side by side leaves no trace.

use crate::schedule::{Fault, Schedule};
use phalanx_ecs::World;
use std::error::Error;
use std::fmt;

/// Runs a program in many orders that the schedule allows, and compares the worlds that come of it with that of the usual order.
///
/// They can only differ if a system does what its arguments do not say: if it asks the clock on the wall, or changes what others read by interior mutability.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::Schedule;
/// use phalanx_schedule::check_orders;
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// #[derive(Component)] struct Apples(u32);
/// #[derive(Component)] struct Pears(u32);
///
/// static COUNT: AtomicU32 = AtomicU32::new(0);          // nobody said so, and both systems use it
///
/// fn build() -> (World, Schedule) {
///     let (mut world, mut schedule) = (World::new(), Schedule::new());
///     COUNT.store(0, Ordering::Relaxed);
///     world.spawn((Apples(0), Pears(0)));
///     let next = || COUNT.fetch_add(1, Ordering::Relaxed);
///     schedule.add(&mut world, move |mut all: Query<&mut Apples>| all.for_each(|apples| apples.0 = next())).unwrap();
///     schedule.add(&mut world, move |mut all: Query<&mut Pears>| all.for_each(|pears| pears.0 = next())).unwrap();
///     (world, schedule)
/// }
///
/// let error = check_orders(build, 3, 10).unwrap_err();
/// assert!(error.to_string().contains("Apples"), "{error}");
/// ```
///
/// # Errors
/// [`OrderDependence`] for the first order that leads elsewhere, or if a system fails.
pub fn check_orders(build: impl Fn() -> (World, Schedule), runs: u32, orders: u64) -> Result<(), OrderDependence> {
    let outcome = |seed: Option<u64>| {
        let (mut world, mut schedule) = build();
        schedule.shuffle(seed);
        for _ in 0..runs {
            schedule.run(&mut world).map_err(OrderDependence::Failed)?;
        }
        Ok(world.checksum())
    };
    let expected = outcome(None)?;
    for seed in 0..orders {
        let found = outcome(Some(seed))?;
        if let Some(part) = expected.differs_from(&found).first() {
            return Err(OrderDependence::Differs { seed, what: format!("{part} differs") });
        }
    }
    Ok(())
}

/// The order of systems that the schedule may choose freely leaves a trace.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{OrderDependence, Schedule, check_orders};
///
/// fn load() -> Result<(), &'static str> {
///     Err("no such file")
/// }
///
/// let build = || {
///     let (mut world, mut schedule) = (World::new(), Schedule::new());
///     schedule.add(&mut world, load).unwrap();
///     (world, schedule)
/// };
/// let error = check_orders(build, 1, 10).unwrap_err();
/// assert!(matches!(error, OrderDependence::Failed(fault) if fault.system == "load"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum OrderDependence {
    /// Another order led to another world.
    Differs {
        /// Which order: the argument of [`Schedule::shuffle`].
        seed: u64,
        /// The first thing that differs.
        what: String,
    },
    /// A system failed.
    Failed(Fault),
}

impl fmt::Display for OrderDependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs { seed, what } => write!(
                f,
                "error[S009]: the order of systems leaves a trace\n  found: {what}\n  order: `shuffle(Some({seed}))`\n  help: look for a system that asks the clock on the wall, or changes what others read without saying so in its arguments (`static`, `Mutex`, `Cell`, atomics)"
            ),
            Self::Failed(fault) => fault.fmt(f),
        }
    }
}

impl Error for OrderDependence {}
