//! The derives of Phalanx: `Component`, `Bundle`, `Query`, `Plain`, `Described`, `Resource`, `Event`, `Param`, `Relation` and `Node`.
//!
//! ```text
//! tokens ──► input ──► component | bundle | query | … ──► tokens
//!              ▲            ▲           ▲
//!         attributes       path      template
//! ```
//!
//! `input` reads a declaration, `attributes` what stands in `#[component(…)]` and its like, `path` finds what the
//! user calls the core crate, `template` turns text with holes into tokens, and one file per derive says what to write.
//! The output contains no `unsafe`: it says in safe code how a type turns into tuples, and the core does the rest.
//! Everything the output names is in `phalanx_ecs::__private`.
//!
//! # Why not `syn` and `quote`
//! They are good, and they would be most of the build. A cold build of them with an almost empty derive took 2.8 s of
//! CPU time, and 11 s with `opt-level = 1` for dependencies, as games like to set it; this crate took 1.3 s and 3.1 s.
//! The compiler has checked the grammar before a derive sees a declaration, so what is left to do here is to find
//! names, generics and fields.

#![forbid(unsafe_code)]

mod attributes;
mod bundle;
mod component;
mod described;
mod errors;
mod event;
mod input;
mod manifest;
mod node;
mod param;
mod path;
mod plain;
mod query;
mod relation;
mod resource;
mod template;

use attributes::Settings;
use errors::Errors;
use input::Input;
use proc_macro::TokenStream;

/// Makes a struct or enum a component; the attributes are listed at the trait of the same name.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component, Default)] struct Position(f32);
/// #[derive(Component)] struct Wheels(u32);
///
/// #[derive(Component, Clone)]
/// #[component(storage = "sparse", requires(Position, Wheels = Wheels(4)))]
/// struct Car { speed: f32 }
///
/// let mut world = World::new();
/// let car = world.spawn(Car { speed: 9.0 });
/// assert_eq!(world.get::<Wheels>(car).unwrap().0, 4);
/// ```
#[proc_macro_derive(Component, attributes(component))]
pub fn component(declaration: TokenStream) -> TokenStream {
    derive(declaration, "component", component::KNOWN, component::expand)
}

/// Makes a struct a bundle of its fields, each of which is a component or a bundle; see the trait of the same name.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Shield(u32);
///
/// #[derive(Bundle)]
/// struct Knight { health: Health, shield: Shield }
///
/// let mut world = World::new();
/// let knight = world.spawn(Knight { health: Health(9), shield: Shield(5) });
/// assert!(world.has::<Health>(knight) && world.has::<Shield>(knight));
/// ```
#[proc_macro_derive(Bundle, attributes(bundle))]
pub fn bundle(declaration: TokenStream) -> TokenStream {
    derive(declaration, "bundle", &["crate"], bundle::expand)
}

/// Makes a struct a query whose answers are structs with named fields; the attributes are listed at the trait `Terms`.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
/// #[derive(Component)] struct Frozen;
///
/// #[derive(Query)]
/// struct Body<'w> {
///     position: &'w mut Position,
///     velocity: Option<&'w Velocity>,
///     /// Where a term does not yield its own type, an attribute says the term and the field says what it yields.
///     #[query(Has<Frozen>)]
///     frozen: bool,
/// }
///
/// let mut world = World::new();
/// let ball = world.spawn((Position(0.0), Velocity(1.0)));
/// for body in world.query::<Body>() {
///     if !body.frozen {
///         body.position.0 += body.velocity.map_or(0.0, |velocity| velocity.0);
///     }
/// }
/// assert_eq!(world.get::<Position>(ball).unwrap().0, 1.0);
/// ```
#[proc_macro_derive(Query, attributes(query))]
pub fn query(declaration: TokenStream) -> TokenStream {
    derive(declaration, "query", &["crate"], query::expand)
}

/// Lets a slice of a `Copy` struct be viewed as a flat slice of scalars; see the trait of the same name.
///
/// ```
/// use phalanx_ecs::{Plain, flat};
///
/// #[derive(Plain, Clone, Copy)]
/// struct Position { x: f32, y: f32, z: f32 }
///
/// assert_eq!(flat(&[Position { x: 1.0, y: 2.0, z: 3.0 }]), [1.0, 2.0, 3.0]);
/// ```
#[proc_macro_derive(Plain, attributes(plain))]
pub fn plain(declaration: TokenStream) -> TokenStream {
    derive(declaration, "plain", &["crate"], plain::expand)
}

/// Makes a struct or enum a resource, of which a world has at most one; see the trait of the same name.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Resource)]
/// struct Gravity(f32);
///
/// let mut world = World::new();
/// world.insert_resource(Gravity(9.81));
/// assert!(world.has_resource::<Gravity>());
/// ```
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(declaration: TokenStream) -> TokenStream {
    derive(declaration, "resource", resource::KNOWN, resource::expand)
}

/// Makes a struct or enum an event; the attributes are listed at the trait of the same name.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Event)]
/// #[event(keep_last = 100)]
/// struct Hit { damage: u32 }
///
/// let mut world = World::new();
/// world.send_batch((0..1000).map(|damage| Hit { damage }));
/// assert_eq!(world.events::<Hit>().len(), 100);
/// ```
#[proc_macro_derive(Event, attributes(event))]
pub fn event(declaration: TokenStream) -> TokenStream {
    derive(declaration, "event", event::KNOWN, event::expand)
}

/// Says what a struct or enum is made of, and how it is folded into a checksum; see the trait of the same name. Components have it already.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Described;
///
/// #[derive(Described)]
/// struct Wheel { radius: f32, flat: bool }
///
/// #[derive(Component)]
/// struct Car { wheels: [Wheel; 4] }
///
/// let mut world = World::new();
/// world.spawn(Car { wheels: [const { Wheel { radius: 0.3, flat: false } }; 4] });
/// assert!(world.checksum().is_complete());
/// ```
#[proc_macro_derive(Described, attributes(described))]
pub fn described(declaration: TokenStream) -> TokenStream {
    derive(declaration, "described", described::KNOWN, described::expand)
}

/// Makes a struct of arguments an argument of systems; see the trait of the same name, in `phalanx_schedule`.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Param, Res, run_once};
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Resource)] struct Medicine(u32);
///
/// #[derive(Param)]
/// struct Ward<'w> {
///     medicine: Res<'w, Medicine>,
///     wounded: Query<'w, &'static mut Health>,
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Medicine(2));
/// let orc = world.spawn(Health(3));
/// run_once(&mut world, |mut ward: Ward| ward.wounded.for_each(|health| health.0 += ward.medicine.0)).unwrap();
/// assert_eq!(world.get::<Health>(orc).unwrap().0, 5);
/// ```
///
/// The struct has one lifetime, that of the run, and hands it to each field; what a query asks for has none of its own, so it says `&'static`: `Query<'w, &'static mut Health>`, not
/// `Query<'w, &'w mut Health>`. Fields can also be `&'w mut Commands`, tuples, and structs that are derived so.
///
/// Its one attribute is `#[param(crate = "path")]`: where `phalanx_schedule` is, if the derive cannot find it, as in `"crate::reexported::phalanx"`.
#[proc_macro_derive(Param, attributes(param))]
pub fn param(declaration: TokenStream) -> TokenStream {
    derive(declaration, "param", &["crate"], param::expand)
}

/// Makes a struct a relation between entities, and a component; the attributes are listed at the trait of the same name, in `phalanx_scene`.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Relation, Relations};
///
/// #[derive(Relation, Clone, Copy)]
/// struct Follows(Entity);
///
/// let mut world = World::new();
/// let ann = world.spawn(());
/// let duck = world.spawn(Follows(ann));
/// assert!(world.sources::<Follows>(ann).eq([duck]));
/// ```
///
/// It makes the struct a component: do not write `Component` too (the compiler would find two implementations, E0119). Write `Clone, Copy` with it, as a relation is both.
#[proc_macro_derive(Relation, attributes(relation, component))]
pub fn relation(declaration: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut output = relation::expand(declaration, &mut errors);
    output.extend(errors.into_tokens());
    output
}

/// Makes a struct of references a role that entities can have in scenes, and a query; see the trait of the same name, in `phalanx_scene`.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Node, SceneWorld};
///
/// #[derive(Component)] struct Mesh(u32);
/// #[derive(Component)] struct Hidden;
///
/// #[derive(Node)]
/// #[node(without(Hidden))]
/// struct Drawn<'w> { entity: Entity, mesh: &'w Mesh }
///
/// let mut world = World::new();
/// let level = world.create_scene("level")?;
/// let house = world.spawn(Mesh(7));
/// level.add_node::<Drawn>(&mut world, house)?;
/// assert!(level.has_node::<Drawn>(&world, house));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[proc_macro_derive(Node, attributes(node, query))]
pub fn node(declaration: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut output = node::expand(declaration, &mut errors);
    output.extend(errors.into_tokens());
    output
}

/// What every derive does: read, write, and add what went wrong at the end, so that several mistakes show at once.
fn derive(
    declaration: TokenStream,
    helper: &'static str,
    known: &'static [&'static str],
    expand: fn(&Input, &Settings, &mut Errors) -> TokenStream,
) -> TokenStream {
    let mut errors = Errors::default();
    let input = Input::read(declaration, helper, &mut errors);
    let settings = Settings::read(&input.attributes, helper, known, &mut errors);
    let mut output = expand(&input, &settings, &mut errors);
    output.extend(errors.into_tokens());
    output
}
