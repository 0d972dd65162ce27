//! All error codes of nodes, scenes, hierarchies, transforms and prefabs: what each means and how to mend it. There is nothing else in this module; the codes of the core are on
//! [its own page](phalanx_ecs::errors), those of systems on [theirs](phalanx_schedule::errors).
//!
//! Every error says what was refused, for whom, what was found, who asked (file and line) and what to type; `{}` and `{:?}` print the same. A
//! code keeps its meaning; codes are not used again.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_scene::{Prefab, PrefabWorld};
//!
//! let mut world = World::new();
//! world.add_prefab("orc", Prefab::new())?;
//! let error = world.add_prefab("orc", Prefab::new()).unwrap_err();
//! assert!(error.to_string().starts_with("error[P002]: prefab 0 has the name `orc` already"));
//! # Ok::<(), phalanx_scene::PrefabError>(())
//! ```
//!
//! # Nodes and scenes
//! | code | type | meaning | how to mend it |
//! |---|---|---|---|
//! | `N001` | [`NodeError`](crate::NodeError) | an entity lacks what a role needs | insert it, and ask again |
//! | `N002` | [`NodeError`](crate::NodeError) | an entity has what a role must be without | remove it, and ask again |
//! | `N003` | [`NoSuchScene`](crate::NoSuchScene) | the scene was deleted, is being deleted, or is one of another world that has had more of them | [`SceneWorld::find_scene`](crate::SceneWorld::find_scene) answers those that there are |
//! | `N004` | [`NameTaken`](crate::NameTaken) | another scene has the name | choose another, or take the one that is there |
//! | `N005` | [`SystemError`](phalanx_schedule::SystemError) | a system has an argument that belongs to a scene, and serves none | add it to a scene: [`SceneId::add`](crate::SceneId::add) |
//! | `N006` | [`NodeError`](crate::NodeError), [`SystemError`](phalanx_schedule::SystemError) | a role requires what it must be without, under another name that the derive does not see | take it out of one of the two |
//!
//! # Hierarchy and transforms
//! | code | type | meaning | how to mend it |
//! |---|---|---|---|
//! | `H002` | [`HierarchyError`](crate::HierarchyError) | an entity would be its own ancestor; where `ChildOf` is inserted it is `C019`, and `K012` where a queued command does it | detach one of the others first |
//! | `H003` | [`HierarchyError`](crate::HierarchyError) | a place beside who is no child of the parent | name a child of the parent, or [`Place::First`](crate::Place::First) or `Last` |
//! | `H004` | a warning | a [`Transform`](crate::Transform) is not finite; the entity is where its parent is | look for a division by zero where it is written |
//! | `H005` | a warning | a [`Transform`](crate::Transform) has a size of zero | hide the entity by another component, or keep a small size |
//! | `H006` | a warning | a [`Transform`](crate::Transform) is finite, and its place in the world is not | look for sizes that multiply from one to the next |
//!
//! # Warnings
//! Warnings, errors that are answered to nobody, and all errors of prefabs are logged with [`tracing`](https://docs.rs/tracing), under the target `phalanx::scene`. A program sees them when it has a subscriber: with the crate
//! `tracing-subscriber` the line `tracing_subscriber::fmt().init();` at its beginning is enough.
//!
//! # Prefabs
//! All are [`PrefabError`](crate::PrefabError)s; nothing was changed, but for `P014`.
//!
//! | code | variant | meaning | how to mend it |
//! |---|---|---|---|
//! | `P001` | `Unknown` | the prefab was removed, or is one of another world | [`PrefabWorld::find_prefab`](crate::PrefabWorld::find_prefab) answers those that there are |
//! | `P002` | `NameTaken` | another prefab has the name | choose another, or [`set`](crate::PrefabId::set) the one that is there |
//! | `P003` | `NoPart` | a path leads to no part | the message lists those that lead somewhere |
//! | `P004` | `PartTaken` | a new part has the name of one that is there | choose another, or change that one: [`Prefab::within`](crate::Prefab::within) |
//! | `P005` | `BadName` | the name of a part is empty, or has a `/` | leave that out |
//! | `P006` | `Circle` | the prefab would be made of itself | leave one of those shown out of the one before it |
//! | `P007` | `Based` | changes of a part, or of copies, are based on another prefab | begin them with [`Prefab::new`](crate::Prefab::new) |
//! | `P008` | `TooMany` | more than a million parts, mostly by prefabs that nest each other more than once | nest fewer |
//! | `P009` | `Used` | the prefab cannot go while others are made of it | remove those first, or [`set`](crate::PrefabId::set) them to something else |
//! | `P010` | `Refused` | a component did not come into an entity, or there is no room for the entity | mend what the error inside says |
//! | `P011` | `NoValue` | the part has no value of that component | give it one: [`PrefabId::insert`](crate::PrefabId::insert) |
//! | `P012` | `NoInstance` | the entity is no instance of a prefab | ask [`PrefabWorld::prefab_of`](crate::PrefabWorld::prefab_of) first |
//! | `P013` | `NoPartOfInstance` | the instance has no part at that path, or has lost it | the message lists what it has |
//! | `P014` | `Exchanged` | an observer put another world in place of the one in which instances were made or changed; that one is half done | exchange worlds between frames |
//! | `P015` | `Busy` | an observer wants to change or delete a prefab while copies of it are made, or its instances follow a change | do it in a system |
//! | `P016` | `Apart` | the entity was part of an instance, and is not below the part above any more; or the prefab has no such part | attach it, or change it by hand |
//! | `P017` | `Lacks` | a part that instances have would have a tag without what that depends on | add what is missing, or take the tag away first |
