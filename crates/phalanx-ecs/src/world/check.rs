//! Components that may refuse to come: what they are asked, and what is said if they do.

use super::World;
use super::hooks::Hooks;
use crate::component::{Component, ComponentId, DynValue, Name, OwnHooks, Wish, Wishes, called};
use crate::entity::{Entity, Uuid, UuidTaken, debug_as_display};
use std::any::Any;
use std::error::Error;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A component whose values are looked at before they come anywhere, by whatever route; write `#[component(check)]`.
///
/// It is asked once for an operation, with all values that are to come. If it answers an error nothing changes, and the operation answers
/// [`Refused`] with the reason. A component that is made by [`requires`](Component::require) is not asked, so a checked one cannot be required.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Check, Wish};
///
/// /// Whom somebody follows: somebody else, and alive.
/// #[derive(Component, Clone, Copy)]
/// #[component(check, immutable)]
/// struct Follows(Entity);
///
/// impl Check for Follows {
///     fn check(world: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
///         for wish in wishes {
///             if wish.entity == Some(wish.value.0) {
///                 return Err("nobody follows oneself".into());
///             }
///             world.entity(wish.value.0)?;
///         }
///         Ok(())
///     }
/// }
///
/// let mut world = World::new();
/// let [duck, duckling] = [world.spawn(()), world.spawn(())];
/// world.insert(duckling, Follows(duck))?;
/// let error = world.insert(duck, Follows(duck)).unwrap_err();
/// assert!(error.to_string().contains("because: nobody follows oneself"));
/// assert!(!world.has::<Follows>(duck));
/// # Ok::<(), phalanx_ecs::InsertError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what it checks",
    label = "asked before it comes",
    note = "write `impl Check for {Self}`, or take `check` out of `#[component(…)]`"
)]
pub trait Check: Component + Copy {
    /// Whether all these may come.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::{Check, Wish};
    ///
    /// #[derive(Component, Clone, Copy)] #[component(check)] struct Even(u32);
    ///
    /// impl Check for Even {
    ///     fn check(_: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    ///         if wishes.iter().all(|wish| wish.value.0 % 2 == 0) { Ok(()) } else { Err("one is odd".into()) }
    ///     }
    /// }
    /// let mut world = World::new();
    /// assert!(world.try_spawn_batch([2, 3, 4].map(Even)).is_err());
    /// assert_eq!(world.alive(), 0, "all or nothing");
    /// ```
    ///
    /// # Errors
    /// Why one may not.
    fn check(world: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// A [checked](Check) component refused to come.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Check, SpawnError, Wish};
///
/// #[derive(Component, Clone, Copy)] #[component(check)] struct Even(u32);
///
/// impl Check for Even {
///     fn check(_: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
///         if wishes.iter().all(|wish| wish.value.0 % 2 == 0) { Ok(()) } else { Err("it is odd".into()) }
///     }
/// }
/// let error = World::new().try_spawn(Even(3)).unwrap_err();
/// assert!(error.to_string().starts_with("error[C019]: component `Even` cannot come into a new entity"));
/// assert!(matches!(error, SpawnError::Refused(refused) if refused.why.to_string() == "it is odd"));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Refused {
    /// The component's name.
    pub component: String,
    /// The entity, if it was one, and alive.
    pub entity: Option<Entity>,
    /// What it is called.
    pub name: Option<Name>,
    /// How many values were to come.
    pub count: usize,
    /// What the component said.
    pub why: Arc<dyn Error + Send + Sync>,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl Refused {
    /// `component `Even` cannot come into a new entity`
    fn what(&self) -> String {
        let whom = match (self.count, self.entity) {
            (1, Some(entity)) => format!("entity {}", called(entity, self.name.as_ref())),
            (1, None) => "a new entity".into(),
            (count, _) => format!("{count} entities"),
        };
        format!("component `{}` cannot come into {whom}", self.component)
    }

    /// What the component said, as one paragraph of a message.
    fn reason(&self) -> String {
        self.why.to_string().replace('\n', "\n  ")
    }
}

/// Reasons are equal if they say the same.
impl PartialEq for Refused {
    fn eq(&self, other: &Self) -> bool {
        (&self.component, self.entity, &self.name, self.count, self.caller)
            == (&other.component, other.entity, &other.name, other.count, other.caller)
            && self.why.to_string() == other.why.to_string()
    }
}

impl Eq for Refused {}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "error[C019]: {}\n  because: {}\n  asked by: {}:{}\n  help: mend what it says, or leave `{}` out; nothing was changed",
            self.what(),
            self.reason(),
            self.caller.file(),
            self.caller.line(),
            self.component
        )
    }
}

impl Error for Refused {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.why)
    }
}
debug_as_display!(Refused);

/// Why a value that is looked at before it comes may not come.
pub(super) enum Unwelcome {
    Uuid(UuidTaken),
    Refused(Refused),
}

impl From<UuidTaken> for Unwelcome {
    fn from(taken: UuidTaken) -> Self {
        Self::Uuid(taken)
    }
}

type Answer = Result<(), Box<dyn Error + Send + Sync>>;

/// What the world asks a checked component, with its type hidden.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking {
    /// Whether all values of a `Vec<Wish<T>>` may come.
    check: fn(&World, &dyn Any) -> Answer,
    /// Notes a value that is known by its component's id.
    note_value: fn(&mut Wishes, Option<Entity>, &DynValue),
    /// Notes the value of an entity, for a copy of it.
    note_of: fn(&mut Wishes, &World, Entity),
}

impl Asking {
    pub(super) const fn of<T: Check>() -> Self {
        Self { check: check_all::<T>, note_value: note_value::<T>, note_of: note_of::<T> }
    }
}

fn check_all<T: Check>(world: &World, wishes: &dyn Any) -> Answer {
    T::check(
        world,
        wishes.downcast_ref::<Vec<Wish<T>>>().expect("`Hooks::checked` names the component whose hooks they are"),
    )
}

fn note_value<T: Check>(wishes: &mut Wishes, entity: Option<Entity>, value: &DynValue) {
    if let Some(value) = value.downcast_ref::<T>() {
        wishes.note(entity, *value);
    }
}

fn note_of<T: Check>(wishes: &mut Wishes, world: &World, entity: Entity) {
    if let Some(value) = world.get::<T>(entity) {
        wishes.note(None, *value);
    }
}

fn asking(own: Option<OwnHooks>) -> Option<Asking> {
    own?.functions.downcast_ref::<Hooks>()?.asking
}

impl World {
    /// Asks whether all values that are to come may.
    pub(super) fn check_wishes(&self, wishes: &Wishes, caller: &'static Location<'static>) -> Result<(), Unwelcome> {
        for list in &wishes.0 {
            if let Some(uuids) = list.wishes.downcast_ref::<Vec<Wish<Uuid>>>() {
                self.check_uuids(uuids, caller)?;
            } else if let Some(asking) = asking(list.own)
                && let Err(why) = (asking.check)(self, &*list.wishes)
            {
                let entity = list.latest.filter(|entity| list.count == 1 && self.is_alive(*entity));
                return Err(Unwelcome::Refused(Refused {
                    component: list.component.clone(),
                    entity,
                    name: entity.and_then(|entity| self.store.name_of(entity)),
                    count: list.count,
                    why: why.into(),
                    caller,
                }));
            }
        }
        Ok(())
    }

    /// Those values of an entity that are looked at before copies of them come anywhere.
    pub(super) fn wishes_of_copy(&self, entity: Entity, copied: &[ComponentId]) -> Wishes {
        let mut wishes = Wishes::default();
        for component in copied {
            if let Some(asking) = asking(self.store.registry.at(*component).hooks) {
                (asking.note_of)(&mut wishes, self, entity);
            }
        }
        wishes
    }
}

/// Notes a value that is known by its type alone, if it is one that is looked at before it comes.
pub(super) fn note_dyn_wish(entity: Option<Entity>, value: &DynValue, own: Option<OwnHooks>, wishes: &mut Wishes) {
    if let Some(uuid) = value.downcast_ref::<Uuid>() {
        wishes.note(entity, *uuid);
    } else if let Some(asking) = asking(own) {
        (asking.note_value)(wishes, entity, value);
    }
}
