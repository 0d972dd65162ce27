//! [`Nodes`]: the nodes of a scene, as a system gets them.

use super::kind::Node;
use super::kinds::{learn, make_tag};
use super::refusal::contradiction;
use crate::scene::planned_scene;
use phalanx_ecs::{Filter, PlanBuilder, PlanError, Query, QueryIter, QueryTicket, ReadPart, Terms, WithDyn};
use phalanx_schedule::__private::Uses;
use phalanx_schedule::{ArgumentError, Param, Turn};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The nodes of a type in the scene that a system runs for: an argument of systems, and a [`Query`](struct@Query) in all else.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Node, Nodes, SceneId, SceneWorld};
/// use phalanx_schedule::Engine;
///
/// #[derive(Component)] struct Height(f32);
/// #[derive(Component)] struct Speed(f32);
///
/// #[derive(Node)]
/// struct Falling<'w> { height: &'w mut Height, speed: &'w Speed }
///
/// fn fall(nodes: Nodes<Falling>) {
///     for node in nodes {
///         node.height.0 -= node.speed.0;
///     }
/// }
///
/// let mut engine = Engine::new();
/// let level = engine.world_mut().create_scene("level")?;
/// level.add(&mut engine, fall)?;
/// let [stone, cloud] = [(); 2].map(|()| engine.world_mut().spawn((Height(10.0), Speed(2.0))));
/// level.add_node::<Falling>(engine.world_mut(), stone)?;
/// engine.run_frames(3)?;
/// assert_eq!(engine.world().get::<Height>(stone).unwrap().0, 4.0);
/// assert_eq!(engine.world().get::<Height>(cloud).unwrap().0, 10.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A system runs only while the scene has a node of each type that it takes so; one that need not be there is [`MaybeNodes`].
///
/// The second parameter is a filter, as that of a query: `Nodes<Falling, Without<Hidden>>`. It says which nodes are yielded, not whether the system runs. Nodes that have something
/// switched off that is yielded stay nodes, and are passed over, as queries do.
pub struct Nodes<'w, N: Node + 'static, F: Filter = ()>(Query<'w, N, (F, WithDyn)>);

/// The nodes of a type in the scene that a system runs for, where there need not be any: [`Nodes`] that a system does not wait for.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{MaybeNodes, Node, SceneWorld};
/// use phalanx_schedule::Engine;
///
/// #[derive(Component)] struct Lamp;
/// #[derive(Node)] struct Light<'w> { lamp: &'w Lamp }
///
/// fn draw(lights: MaybeNodes<Light>) {
///     assert_eq!(lights.count(), 0);
/// }
///
/// let mut engine = Engine::new();
/// let level = engine.world_mut().create_scene("level")?;
/// let draw = level.add(&mut engine, draw)?.id();
/// engine.run_frames(1)?;
/// assert_eq!(engine.schedule().info(draw)?.runs, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MaybeNodes<'w, N: Node + 'static, F: Filter = ()>(Query<'w, N, (F, WithDyn)>);

/// The part of a plan for the nodes of the scene that is planned for.
fn plan<N: Node + 'static, F: Filter>(
    plan: &mut PlanBuilder<'_>,
    waits: bool,
) -> Result<QueryTicket<N, (F, WithDyn)>, PlanError> {
    let tag = plan.with_world(|world| {
        let slot = planned_scene(world, &format!("Nodes<{}>", N::NAME))?.1;
        let kind = learn::<N>(world).map_err(|error| contradiction(error.node, &error.component, None))?;
        let tag = make_tag(world, kind, slot);
        if waits {
            crate::scene::note_wait(world, kind, tag);
        }
        Ok(tag)
    });
    plan.query_with_dyn(tag.map_err(PlanError::Refused)?)
}

macro_rules! nodes {
    ($($name:ident waits: $waits:literal;)*) => {$(
        impl<'w, N: Node + 'static, F: Filter> Deref for $name<'w, N, F> {
            type Target = Query<'w, N, (F, WithDyn)>;
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl<N: Node + 'static, F: Filter> DerefMut for $name<'_, N, F> {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.0
            }
        }

        impl<N: Node + 'static, F: Filter> fmt::Debug for $name<'_, N, F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:?})"), self.0)
            }
        }

        impl<'w, N: Node + 'static, F: Filter> IntoIterator for $name<'w, N, F> {
            type Item = N::Item<'w>;
            type IntoIter = QueryIter<'w, N, (F, WithDyn)>;
            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.0.into_iter()
            }
        }

        impl<'a, N: Node + 'static, F: Filter> IntoIterator for &'a mut $name<'_, N, F> {
            type Item = N::Item<'a>;
            type IntoIter = QueryIter<'a, N, (F, WithDyn)>;
            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.0.iter_mut()
            }
        }

        impl<'w, N: Node + Terms<Parts: ReadPart> + 'static, F: Filter> IntoIterator for &$name<'w, N, F> {
            type Item = N::Item<'w>;
            type IntoIter = QueryIter<'w, N, (F, WithDyn)>;
            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.0.iter()
            }
        }

        impl<N: Node + 'static, F: Filter> Param for $name<'_, N, F>
        where
            QueryTicket<N, (F, WithDyn)>: Send,
        {
            type State = QueryTicket<N, (F, WithDyn)>;
            type Item<'a> = $name<'a, N, F>;
            const USES: Uses = Uses::query::<N, (F, WithDyn)>();

            fn plan(builder: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
                plan::<N, F>(builder, $waits)
            }

            #[inline]
            fn take<'a>(state: &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
                Ok($name(turn.claim().query(state)?))
            }
        }
    )*};
}

nodes! {
    Nodes waits: true;
    MaybeNodes waits: false;
}
