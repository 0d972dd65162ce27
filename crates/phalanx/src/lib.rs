//! Phalanx: an entity component system that is fast, sound, deterministic and explains itself.
//!
//! ```
//! use phalanx::prelude::*;
//!
//! #[derive(Component)]
//! struct Position { x: f32, y: f32 }
//! #[derive(Component)]
//! struct Velocity { x: f32, y: f32 }
//!
//! fn fly(time: Time, mut bodies: Query<(&mut Position, &Velocity)>) {
//!     for (position, velocity) in &mut bodies {
//!         position.x += velocity.x * time.step();
//!         position.y += velocity.y * time.step();
//!     }
//! }
//!
//! let mut engine = Engine::new();
//! engine.add(fly)?;
//! let ball = engine.world_mut().spawn((Position { x: 0.0, y: 0.0 }, Velocity { x: 1.0, y: 0.5 }));
//! engine.run_frames(60)?;
//! assert!((engine.world().lookup::<Position>(ball)?.y - 0.5).abs() < 1e-5);
//! # Ok::<(), phalanx::Error>(())
//! ```
//!
//! Start at [`World`] and [`Engine`]; [`prelude`] has what most programs need. **[What do you want to do?](phalanx_ecs#i-want-to-)** The front page of the core has all tasks with
//! their methods, a whole program over time, and what `bevy_ecs` and `hecs` call otherwise; in short:
//!
//! | to | see |
//! |---|---|
//! | make a world and change it | [`World`] |
//! | declare components and bundles | [`Component`](trait@Component), [`Bundle`](trait@Bundle) |
//! | ask for entities | [`World::query`], [`World::read`], [`Terms`], [`Filter`] |
//! | find what changed | [`Changed`], [`Added`], [`Mut`], [`Tracked`] |
//! | switch components off and on | [`Toggle`], [`World::switch_off`], [`EvenOff`], [`Off`] |
//! | keep values that many entities have in common | [`Shared`], [`World::edit_shared`] |
//! | find entities by name | [`Name`], [`World::named`], [`Uuid`], [`World::by_uuid`] |
//! | queue changes, on any thread | [`World::commands`], [`Commands`] |
//! | give entities roles in scenes, and let systems serve them | `#[derive(Node)]`, `Nodes`, `SceneWorld`, `SceneId`, with the feature `scene` |
//! | give scenes a pace, a pause and a time of their own | `SceneId::set_pace`, `SceneId::pause`, `SceneTime`, with the feature `scene` |
//! | make parents and children, and walk over them | `ChildOf`, `Kinship`, with the feature `scene` |
//! | put, move and turn entities, and know where they are in the world | `Transform`, `Transforms`, `WorldTransform`, `propagate`, with the feature `scene` |
//! | relate entities in ways of your own | `#[derive(Relation)]`, `Relations`, with the feature `scene` |
//! | describe trees of entities once and copy them | `Prefab`, `PrefabWorld`, with the feature `scene` |
//! | be told when components come and go | [`World::observe`], [`World::hook`], [`Act`] |
//! | read what was removed | [`Losses`] in a system, [`Removed`] elsewhere |
//! | let entities die now and clean up later | [`World::despawn_lazy`], [`World::collect`] |
//! | keep what belongs to no entity | [`Resource`](trait@Resource), [`ResourceReader`] |
//! | send messages | [`Event`](trait@Event), [`EventReader`] |
//! | lend a world to several threads at once, in parts | [`World::plan`], [`World::lend`], [`Claim`] |
//! | compare two worlds (what nobody [described](trait@Described) is passed over) | [`World::checksum`], [`Checksum::unseen`] |
//! | let systems run, in order, in groups with their own pace | [`Engine`], [`Schedule`], [`Param`](trait@Param) |
//! | let a system run only when a condition holds | [`NewSystem::run_if`] |
//! | let queued changes be made within a group | [`ApplyQueued`], [`NewSystem::after_applied`] |
//! | know what other systems see, and when | [what is seen when](phalanx_schedule#what-is-seen-when) |
//! | run systems by hand, or once | [`System`], [`run_once`] |
//! | see why a system did not run, or not beside another | [`Schedule::why_idle`], [`Schedule::conflict`] |
//! | understand an error | [`errors`] |
//! | anything else, by task | [the front page of `phalanx_ecs`](phalanx_ecs#i-want-to-) |
//! | return errors from `main` | [`Result`], [`Error`] |
//! | find what `bevy_ecs` or `hecs` call otherwise | [`phalanx_ecs`], whose front page has a table |
//!
//! This crate is a front: all but [`Result`] and [`Error`] comes from [`phalanx_ecs`], [`phalanx_schedule`] and, with the feature `scene`, `phalanx_scene`, so `phalanx::World` and
//! `phalanx_ecs::World` are one type, and where an example of an item says `phalanx_ecs::`, `phalanx_schedule::` or `phalanx_scene::`, a program that depends on `phalanx` says
//! `phalanx::`; where one says `glam::`, it says `phalanx::glam::`. The [prelude](phalanx_ecs::prelude) of the core has more names than [that of this crate](prelude): what an example takes from it and the compiler does not find stands at the
//! root, `use phalanx::Prepared;`.
//!
//! # Find, then change
//! While a query is open the world cannot change, because items point into it. So find the entities first:
//!
//! ```
//! use phalanx::prelude::*;
//!
//! #[derive(Component)]
//! struct Fuse(u32);
//! #[derive(Component)]
//! struct Exploded;
//!
//! fn burn(world: &mut World) -> phalanx::Result<usize> {
//!     world.query::<&mut Fuse>().for_each(|fuse| fuse.0 -= 1);
//!     let burnt = world.read::<(Entity, &Fuse)>();
//!     let burnt: Vec<Entity> = burnt.iter().filter(|(_, fuse)| fuse.0 == 0).map(|(entity, _)| entity).collect();
//!     for bomb in &burnt {
//!         world.insert(*bomb, Exploded)?;
//!     }
//!     Ok(world.remove_batch::<Fuse>(&burnt)?)
//! }
//!
//! let mut world = World::new();
//! world.spawn_batch([Fuse(1), Fuse(2)]);
//! assert_eq!(burn(&mut world)?, 1);
//! assert_eq!(world.read_filtered::<Entity, With<Exploded>>().count(), 1);
//! # Ok::<(), phalanx::Error>(())
//! ```
//!
//! # Features
//! - `parallel` (on by default): `par_for_each` and its kind, on the current pool of the crate `rayon`, and systems side by side.
//! - `scene`: nodes and scenes, parents and children, transforms, relations and prefabs, as the module `scene` (the crate `phalanx-scene`); what programs need of it most
//!   often is in `phalanx::scene::prelude`.

#![forbid(unsafe_code)]

pub mod errors;
pub mod prelude;

/// What the output of the derives names.
#[doc(hidden)]
pub mod __private {
    pub use phalanx_ecs::__private::*;
    #[cfg(feature = "scene")]
    pub use phalanx_scene::__private::*;
    pub use phalanx_schedule::__private::*;
}
#[doc(inline)]
pub use phalanx_ecs::*;
/// Nodes and scenes, parents and children, transforms, relations and prefabs, with a prelude and a page of errors of their own.
#[cfg(feature = "scene")]
#[doc(no_inline)]
pub use phalanx_scene as scene;
#[cfg(feature = "scene")]
#[doc(inline)]
pub use phalanx_scene::*;
#[doc(inline)]
pub use phalanx_schedule::*;

/// What a program's `main` returns: any error of Phalanx fits, and prints itself.
///
/// ```
/// use phalanx::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// fn main() -> phalanx::Result {
///     let mut world = World::new();
///     let orc = world.spawn(Health(10));
///     world.lookup_mut::<Health>(orc)?.0 -= 1;
///     world.despawn(orc)?;
///     Ok(())
/// }
/// ```
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Any error. It is shown as it prints itself, also where `main` returns it.
pub struct Error(Box<dyn std::error::Error + Send + Sync>);

/// So systems can return [`Result`], too.
///
/// ```
/// use phalanx::prelude::*;
///
/// #[derive(Component)]
/// struct Player;
///
/// fn find_player(players: Query<&Player>) -> phalanx::Result {
///     players.single()?;
///     Ok(())
/// }
///
/// let mut engine = Engine::new();
/// engine.add(find_player)?;
/// assert!(engine.run_frames(1).unwrap_err().to_string().contains("`find_player`"));
/// # Ok::<(), phalanx::Error>(())
/// ```
impl From<Error> for Box<dyn std::error::Error + Send + Sync> {
    fn from(error: Error) -> Self {
        error.0
    }
}

impl Error {
    /// An error of your own, in your words.
    ///
    /// ```
    /// fn level(name: &str) -> phalanx::Result<u32> {
    ///     name.strip_prefix("level").and_then(|n| n.parse().ok()).ok_or_else(|| phalanx::Error::msg(format!("no level {name:?}")))
    /// }
    /// assert_eq!(level("level3")?, 3);
    /// assert_eq!(level("cellar").unwrap_err().to_string(), "no level \"cellar\"");
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    #[doc(alias("new", "anyhow", "other"))]
    pub fn msg(text: impl Into<String>) -> Self {
        Self(text.into().into())
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.0, f)
    }
}

/// As `Display`, on a line of its own, because this is what people see when `main` returns an error: behind `Error: `.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{self}")
    }
}

/// The programs in the README are compiled and run.
#[cfg(all(doctest, feature = "scene"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
