//! Values of components that are looked at before they come anywhere.

use super::{Component, OwnHooks, short_name};
use crate::entity::Entity;
use std::any::{Any, type_name};

/// A value that is to come, and where; see [`Check`](crate::Check).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Check, Wish};
///
/// #[derive(Component, Clone, Copy)]
/// #[component(check)]
/// struct Percent(u8);
///
/// impl Check for Percent {
///     fn check(_: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
///         match wishes.iter().find(|wish| wish.value.0 > 100) {
///             Some(Wish { value, .. }) => Err(format!("{} is more than all", value.0).into()),
///             None => Ok(()),
///         }
///     }
/// }
/// let mut world = World::new();
/// assert!(world.try_spawn(Percent(120)).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wish<T> {
    /// Who is to get it; `None` if it is one to be spawned. An entity whose id is reserved is not alive yet.
    pub entity: Option<Entity>,
    /// The value.
    pub value: T,
}

/// The wishes of one operation, by component.
#[derive(Default)]
pub struct Wishes(pub(crate) Vec<WishList>);

/// All values of one component that are to come in one operation.
pub struct WishList {
    /// A `Vec<Wish<T>>`.
    pub(crate) wishes: Box<dyn Any>,
    /// Who is to get the last of them, and how many there are.
    pub(crate) latest: Option<Entity>,
    pub(crate) count: usize,
    pub(crate) component: String,
    /// Who knows whether they may come; nothing for what the world looks at itself.
    pub(crate) own: Option<OwnHooks>,
}

impl Wishes {
    pub(crate) fn note<T: Component>(&mut self, entity: Option<Entity>, value: T) {
        let wish = Wish { entity, value };
        for list in &mut self.0 {
            if let Some(wishes) = list.wishes.downcast_mut::<Vec<Wish<T>>>() {
                wishes.push(wish);
                list.latest = entity;
                list.count += 1;
                return;
            }
        }
        let component = T::NAME.map_or_else(|| short_name(type_name::<T>()), Into::into);
        self.0.push(WishList { wishes: Box::new(vec![wish]), latest: entity, count: 1, component, own: T::HOOKS });
    }
}

/// Whether values of a component are looked at before they come.
pub(crate) const fn is_checked<T: Component>() -> bool {
    T::UNIQUE
        || match T::HOOKS {
            Some(own) => own.checked,
            None => false,
        }
}
