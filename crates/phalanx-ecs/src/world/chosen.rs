//! Compiled queries with one condition chosen at run time, and what queries demand.
//!
//! All is `#[inline]`, so that only programs that use it build it.

use super::World;
use super::dynamic::DynError;
use crate::component::{ComponentId, StorageKind};
use crate::query::{Filter, Prepared, Terms, Wanted, refuse_conflicts};
use crate::storage::DynRefusal;
use std::panic::Location;

/// What every entity that a query yields has, and what none of them has; see [`Prepared::demands`].
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Frozen;
///
/// let mut world = World::new();
/// let demands = Prepared::<(&mut Position, Option<&Frozen>)>::new().demands(&mut world);
/// assert_eq!(demands.present, [world.register::<Position>()]);
/// assert!(demands.absent.is_empty());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Demands {
    /// Components that each of them has, in the order in which they were written, each once.
    pub present: Vec<ComponentId>,
    /// Components that none of them has, likewise.
    pub absent: Vec<ComponentId>,
}

impl<Q: Terms, F: Filter> Prepared<Q, F> {
    /// Prepares the query for a component chosen at run time; [`WithDyn`](crate::WithDyn) must be part of the filter.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::{ComponentLayout, DynValue, WithDyn};
    ///
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Component)] struct Undead;
    ///
    /// let mut world = World::new();
    /// let blessed = world.register_dyn(ComponentLayout::new("Blessed"))?;
    /// let (elf, ghost) = (world.spawn(Health(3)), world.spawn((Health(5), Undead)));
    /// for entity in [elf, ghost] {
    ///     world.insert_dyn(entity, blessed, DynValue::bytes(&[]))?;
    /// }
    /// let mut query = Prepared::<&Health, (Without<Undead>, WithDyn)>::with_dyn(&world, blessed)?;
    /// assert_eq!(query.on(&mut world).single()?.0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the id is unknown, or the component is sparse: such a query walks whole tables.
    ///
    /// # Panics
    /// As [`Prepared::new`].
    #[inline]
    #[track_caller]
    pub fn with_dyn(world: &World, component: ComponentId) -> Result<Self, DynError> {
        const { refuse_conflicts::<Q::Parts>() };
        world.check_chosen(component, Location::caller())?;
        match Self::make_choosing(world.store.birth(), component) {
            Ok(prepared) => Ok(prepared),
            Err(conflict) => panic!("{conflict}"),
        }
    }

    /// What every entity that the query yields has, and what none of them has. Alternatives (`Or`, `AnyOf`) demand nothing.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Position(f32);
    /// #[derive(Component)] struct Mesh(u32);
    /// #[derive(Component)] struct Hidden;
    ///
    /// let mut world = World::new();
    /// let mut drawn = Prepared::<(&Position, &Mesh), Without<Hidden>>::new();
    /// let demands = drawn.demands(&mut world);
    /// assert_eq!(demands.present, [world.register::<Position>(), world.register::<Mesh>()]);
    /// assert_eq!(demands.absent, [world.register::<Hidden>()]);
    /// ```
    #[inline]
    pub fn demands(&mut self, world: &mut World) -> Demands {
        let mut demands = Demands::default();
        for declared in self.declared_in(&mut world.store) {
            let list = match declared.wanted {
                Wanted::Present => &mut demands.present,
                Wanted::Absent => &mut demands.absent,
                Wanted::Either | Wanted::Grouped => continue,
            };
            if !list.contains(&declared.component) {
                list.push(declared.component);
            }
        }
        demands
    }
}

impl World {
    /// Whether a component can be chosen for whole tables.
    #[inline]
    pub(crate) fn check_chosen(
        &self,
        component: ComponentId,
        caller: &'static Location<'static>,
    ) -> Result<(), DynError> {
        match self.store.registry.info(component) {
            None => Err(self.dyn_error(DynRefusal::Unknown(component), caller)),
            Some(info) if matches!(info.kind, StorageKind::Set(_)) => {
                Err(DynError::Sparse { component: info.name().into(), caller })
            }
            Some(_) => Ok(()),
        }
    }
}
