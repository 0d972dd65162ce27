//! Why two plans cannot be claimed at once, in words.

use super::access::{Access, Meeting, Side};
use std::fmt;
use std::ops::ControlFlow;
use std::panic::Location;

/// Why two plans cannot be claimed at once; see [`Plan::conflicts_with`](crate::Plan::conflicts_with).
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let mut heal = world.plan("heal");
/// heal.query::<&mut Health>()?;
/// let heal = heal.build();
/// let mut draw = world.plan("draw");
/// draw.query::<&Health>()?;
/// let draw = draw.build();
///
/// let conflict = heal.conflicts_with(&draw).unwrap();
/// assert_eq!((&*conflict.first, &*conflict.second), ("heal", "draw"));
/// assert_eq!(conflict.clashes[0].what, "component `Health`");
/// assert!(conflict.clashes[0].first.writes && !conflict.clashes[0].second.writes);
/// # Ok::<(), phalanx_ecs::PlanError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The name of the plan that was asked.
    pub first: String,
    /// The name of the other.
    pub second: String,
    /// All that both use and one of them writes.
    pub clashes: Vec<Clash>,
}

/// Something that two plans use and one of them writes; see [`Conflict`].
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// let mut win = world.plan("win");
/// win.resource_mut::<Score>()?;
/// let win = win.build();
/// let clash = &win.conflicts_with(&win).unwrap().clashes[0];
/// assert_eq!(clash.what, "resource `Score`");
/// assert!(clash.to_string().starts_with("resource `Score`: written at "));
/// # Ok::<(), phalanx_ecs::PlanError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clash {
    /// What it is: ``component `Health` ``.
    pub what: String,
    /// What the first plan does with it.
    pub first: ClashSide,
    /// What the second plan does with it.
    pub second: ClashSide,
}

/// What a plan does with something that another uses too; see [`Conflict`].
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let mut heal = world.plan("heal");
/// heal.query::<&mut Health>()?;
/// let heal = heal.build();
/// let clash = &heal.conflicts_with(&heal).unwrap().clashes[0];
/// assert_eq!((&*clash.first.part, clash.first.writes), ("query `&mut Health`", true));
/// # Ok::<(), phalanx_ecs::PlanError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClashSide {
    /// The part that uses it: ``query `&mut Health` ``.
    pub part: String,
    /// Whether it writes.
    pub writes: bool,
    /// Who asked for the part.
    pub caller: &'static Location<'static>,
}

impl Clash {
    /// All clashes of two plans, or of parts of one.
    pub(super) fn all(first: &Access, second: &Access) -> Vec<Self> {
        let side = |side: &Side<'_>| ClashSide {
            part: side.part.label.clone(),
            writes: side.writes,
            caller: side.part.caller,
        };
        let mut clashes = Vec::new();
        let _ = first.meet(second, |Meeting { what, first, second }| {
            clashes.push(Self { what: what.into(), first: side(&first), second: side(&second) });
            ControlFlow::Continue(())
        });
        clashes
    }
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, first, second } = self;
        let say = |ClashSide { part, writes, caller }: &ClashSide| {
            let verb = if *writes { "written" } else { "read" };
            // A resource is its own part; to say so twice helps nobody.
            let by = if part == what { String::new() } else { format!(" by {part}") };
            format!("{verb}{by} at {}:{}", caller.file(), caller.line())
        };
        write!(f, "{what}: {}, {}", say(first), say(second))
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` and `{}` cannot have the world at once", self.first, self.second)?;
        self.clashes.iter().try_for_each(|clash| write!(f, "\n  {clash}"))
    }
}
