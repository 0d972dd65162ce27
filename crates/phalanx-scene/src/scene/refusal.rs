//! What is said of scenes that are not there, or are there already.

use super::id::SceneId;
use super::scenes::{Scene, Scenes, Stage};
use phalanx_ecs::World;
use phalanx_schedule::{OrderError, SystemError, UnknownSystem};
use std::error::Error;
use std::fmt;
use std::panic::Location;

/// There is no such scene: it was deleted, is being deleted, or is one of another world that has had more of them.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::SceneWorld;
///
/// let mut world = World::new();
/// let level = world.create_scene("level")?;
/// level.delete(&mut world)?;
/// let error = level.delete(&mut world).unwrap_err();
/// assert!(error.to_string().starts_with("error[N003]: scene 0 `level` was deleted\n  found: no scene at all"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoSuchScene {
    /// The scene.
    pub scene: SceneId,
    /// What it was called, if it is one of those that were deleted last.
    pub name: Option<String>,
    /// Whether this world has had such a scene.
    pub was_deleted: bool,
    /// Whether it is being deleted right now, and takes no nodes any more.
    pub is_ending: bool,
    /// The scenes that there are.
    pub present: Vec<String>,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl NoSuchScene {
    pub(crate) fn of_id(world: &World, scene: SceneId, caller: &'static Location<'static>) -> Self {
        let Some(scenes) = world.get_resource::<Scenes>() else {
            return Self { scene, name: None, was_deleted: false, is_ending: false, present: Vec::new(), caller };
        };
        let stays = |scene: &&Scene| scene.stage == Stage::There;
        let present = scenes.iter().filter(stays).map(|scene| scene.name.clone()).collect();
        let ending = scenes.get(scene).filter(|scene| scene.stage == Stage::Ends).map(|scene| &*scene.name);
        let name = ending.or_else(|| scenes.deleted_name(scene)).map(str::to_owned);
        // Another world may have one with its number, which is not meant.
        let was_deleted = scenes.has_had(scene) && scenes.get(scene).is_none();
        Self { scene, name, was_deleted, is_ending: ending.is_some(), present, caller }
    }
}

impl fmt::Display for NoSuchScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, name, was_deleted, is_ending, present, caller } = self;
        let title = match name {
            Some(name) if *is_ending => format!("{scene} `{name}` is being deleted, and takes no nodes any more"),
            Some(name) => format!("{scene} `{name}` was deleted"),
            None if *was_deleted => format!("{scene} was deleted"),
            None => format!("there is no {scene} in this world"),
        };
        let found = match &present[..] {
            [] if *is_ending => "no other scene".to_owned(),
            [] => "no scene at all".to_owned(),
            some => format!("`{}`", some.join("`, `")),
        };
        let help = if *is_ending {
            "give the node to a scene that stays, or to one that is made when this one is gone"
        } else {
            "a scene's id is not used again after it was deleted; `world.find_scene(name)` answers those that there are"
        };
        write!(
            f,
            "error[N003]: {title}\n  found: {found}\n  asked by: {}:{}\n  help: {help}",
            caller.file(),
            caller.line()
        )
    }
}

/// Another scene has the name.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::SceneWorld;
///
/// let mut world = World::new();
/// let level = world.create_scene("level")?;
/// let error = world.create_scene("level").unwrap_err();
/// assert_eq!(error.scene, level);
/// assert!(error.to_string().starts_with("error[N004]: scene 0 has the name `level` already"));
/// # Ok::<(), phalanx_scene::NameTaken>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameTaken {
    /// The scene that has it.
    pub scene: SceneId,
    /// The name.
    pub name: String,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, name, caller } = self;
        write!(
            f,
            "error[N004]: {scene} has the name `{name}` already\n  asked by: {}:{}\n  help: choose another name, or take the one that is there: `world.find_scene({name:?})`",
            caller.file(),
            caller.line()
        )
    }
}

/// A system of a scene was refused, or is not there.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{SceneSystemError, SceneWorld};
/// use phalanx_schedule::Engine;
///
/// fn draw() {}
///
/// let mut engine = Engine::new();
/// let level = engine.world_mut().create_scene("level")?;
/// assert!(matches!(level.remove(&mut engine, draw), Err(SceneSystemError::Unknown(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneSystemError {
    /// There is no such scene.
    Scene(NoSuchScene),
    /// Two arguments of the system are in each other's way, or one cannot be had.
    System(Box<SystemError>),
    /// No system of the scene is meant, or more than one.
    Unknown(Box<UnknownSystem>),
    /// The order cannot be.
    Order(Box<OrderError>),
}

impl fmt::Display for SceneSystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene(error) => error.fmt(f),
            Self::System(error) => error.fmt(f),
            Self::Unknown(error) => error.fmt(f),
            Self::Order(error) => error.fmt(f),
        }
    }
}

macro_rules! error {
    ($($name:ident),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl Error for $name {}
    )*};
}
error!(NoSuchScene, NameTaken, SceneSystemError);

impl From<NoSuchScene> for SceneSystemError {
    fn from(error: NoSuchScene) -> Self {
        Self::Scene(error)
    }
}

impl From<SystemError> for SceneSystemError {
    fn from(error: SystemError) -> Self {
        Self::System(Box::new(error))
    }
}

impl From<UnknownSystem> for SceneSystemError {
    fn from(error: UnknownSystem) -> Self {
        Self::Unknown(Box::new(error))
    }
}

impl From<OrderError> for SceneSystemError {
    fn from(error: OrderError) -> Self {
        Self::Order(Box::new(error))
    }
}
