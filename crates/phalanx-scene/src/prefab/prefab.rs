//! [`Prefab`]: what a person writes.
//!
//! ```text
//! Prefab::from(cart).part("flag", flag).within("left", iron)      parts, flat: each says where it belongs
//!
//! 0   the top               based on cart
//! 1   "flag" below 0                         with Mesh            then the parts of `flag`
//! 2   below 0, at "left"    no new part      with Mesh
//! ```
//!
//! Flat, so that no tree of parts is too deep for the stack.

use super::id::PrefabId;
use super::layer::{Components, Layer};
use super::parts::PartsOfCopy;
use super::pieces::{Bind, Bound, Bytes, Key, Value};
use phalanx_ecs::{Component, ComponentId};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// What a tree of entities is to be made of: parts below each other, each with its components. A value, which no query ever sees.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Kinship, Prefab, PrefabWorld};
///
/// #[derive(Component, Clone)] struct Mesh(&'static str);
/// #[derive(Component, Clone)] struct Offset(f32);
/// #[derive(Component, Clone)] struct Axle { left: Entity, right: Entity }
///
/// let mut world = World::new();
/// let wheel = world.add_prefab("wheel", Prefab::new().with(Mesh("wheel")))?;
/// let cart = world.add_prefab("cart", Prefab::new()
///     .with(Mesh("cart"))
///     .part("left", Prefab::from(wheel).with(Offset(-1.0)))
///     .part("right", Prefab::from(wheel).with(Offset(1.0)))
///     .bind(|parts| Axle { left: parts["left"], right: parts["right"] }))?;
/// assert_eq!(world.alive(), 0, "a prefab is no entity");
///
/// let carts = cart.instantiate(&mut world, 1000)?;
/// assert_eq!(world.alive(), 3000);
/// let axle = world.get::<Axle>(carts[7]).unwrap();
/// assert!(world.children(carts[7]).eq([axle.left, axle.right]), "each has wheels of its own");
/// # Ok::<(), phalanx_scene::PrefabError>(())
/// ```
///
/// | to | write |
/// |---|---|
/// | give it components | [`Prefab::with`] |
/// | give it a child | [`Prefab::part`] |
/// | nest another prefab | `.part("left", Prefab::from(wheel))` |
/// | derive from another, and change what differs | `Prefab::from(cart).with(…).without::<…>().within("left", …)` |
/// | let components refer to entities of the same copy | [`Prefab::bind`] |
///
/// What comes later wins: a component of the prefab over the same one of its base, and a later step over an earlier one; what is bound comes last. Where a prefab of a world was
/// [edited](PrefabId::insert), that is said after all that was there, and what is added to a [copy](PrefabId::prefab) of it after that again.
#[derive(Clone)]
pub struct Prefab {
    pub(super) parts: Vec<Part>,
    /// Behind the last step.
    next: Turn,
}

/// A part, new or already there.
#[derive(Clone)]
pub(super) struct Part {
    /// Below which part of the same prefab: its position. The top is below itself.
    pub(super) below: usize,
    pub(super) place: PartPlace,
    pub(super) base: Option<PrefabId>,
    pub(super) steps: Vec<(Turn, Step)>,
}

/// When a step is taken. What is bound comes last in its stage.
///
/// ```text
/// stage 0   with, without, bind …        as somebody wrote it
/// stage 1   insert, edit, remove         edits while a world had it
/// stage 2   with, without, bind …        what was added to a copy of that
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Turn {
    pub(super) stage: usize,
    pub(super) number: usize,
}

#[derive(Clone)]
pub(super) enum PartPlace {
    Top,
    /// A new part of this name.
    New(Box<str>),
    /// One that is there, by its path.
    There(Box<str>),
    /// The same, for edits of a prefab that a world has: later ones come here.
    Edited(Box<str>),
}

#[derive(Clone)]
pub(super) enum Step {
    With(Layer),
    Without(Key),
    Bind { path: Box<str>, key: Key, bind: Arc<dyn Bind> },
}

impl Default for Prefab {
    fn default() -> Self {
        Self::new()
    }
}

impl From<PrefabId> for Prefab {
    /// A prefab with all that another one has; what is added to it wins over that.
    fn from(base: PrefabId) -> Self {
        let mut prefab = Self::new();
        prefab.parts[0].base = Some(base);
        prefab
    }
}

impl Prefab {
    /// One without anything.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let nothing = world.add_prefab("nothing", Prefab::new())?;
    /// assert_eq!(nothing.instantiate(&mut world, 3)?.len(), 3);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    pub fn new() -> Self {
        let top = Part { below: 0, place: PartPlace::Top, base: None, steps: Vec::new() };
        Self { parts: vec![top], next: Turn::default() }
    }

    /// Adds components, or gives those that are there other values.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Mesh(&'static str);
    /// # #[derive(Component, Clone)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new().with((Mesh("orc"), Health(10))))?;
    /// let boss = world.add_prefab("boss", Prefab::from(orc).with(Health(100)))?;
    /// let boss = boss.instantiate(&mut world, 1)?[0];
    /// assert_eq!((world.get::<Mesh>(boss).unwrap().0, world.get::<Health>(boss).unwrap().0), ("orc", 100));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    #[must_use]
    pub fn with<M>(mut self, components: impl Components<M>) -> Self {
        self.say(Step::With(components.into_layer()));
        self
    }

    /// Adds a component of a type made at run time.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::ComponentLayout;
    /// use phalanx_scene::{Prefab, PrefabWorld};
    ///
    /// let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(1))?;
    /// let elf = world.add_prefab("elf", Prefab::new().with_dyn(mana, &[7]))?;
    /// let elf = elf.instantiate(&mut world, 1)?[0];
    /// assert_eq!(world.get_dyn(elf, mana).unwrap().bytes(), Some(&[7][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Whether the bytes fit the type is seen when the prefab is instantiated.
    #[must_use]
    pub fn with_dyn(mut self, component: ComponentId, bytes: &[u8]) -> Self {
        let value: Arc<dyn Value> = Arc::new(Bytes { component, bytes: bytes.into() });
        self.say(Step::With(Layer { values: vec![(Key::Runtime(component), value)], batch: None }));
        self
    }

    /// Leaves out a component that the base has.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Mesh(&'static str);
    /// # #[derive(Component, Clone)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new().with((Mesh("orc"), Health(10))))?;
    /// let statue = world.add_prefab("statue", Prefab::from(orc).without::<Health>())?;
    /// let statue = statue.instantiate(&mut world, 1)?[0];
    /// assert!(world.has::<Mesh>(statue) && !world.has::<Health>(statue));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    #[must_use]
    pub fn without<T: Component>(mut self) -> Self {
        self.say(Step::Without(Key::of::<T>()));
        self
    }

    /// Adds a part below it, as the last child.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Kinship, Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Mesh(&'static str);
    /// # let mut world = World::new();
    /// let turret = Prefab::new().with(Mesh("turret")).part("barrel", Prefab::new().with(Mesh("barrel")));
    /// let tank = world.add_prefab("tank", Prefab::new().with(Mesh("tank")).part("turret", turret))?;
    /// let tank = tank.instantiate(&mut world, 1)?[0];
    /// let parts = world.descendants(tank).map(|part| world.get::<Mesh>(part).unwrap().0);
    /// assert!(parts.eq(["turret", "barrel"]));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// The name is for paths such as `"turret/barrel"`; it is no [`Name`](phalanx_ecs::Name), which is a component like others.
    #[must_use]
    pub fn part(self, name: impl Into<Box<str>>, part: Self) -> Self {
        self.append(&PartPlace::New(name.into()), part)
    }

    /// Says what is different in a part that the base or a nested prefab has: steps without a base of their own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Mesh(&'static str);
    /// # let mut world = World::new();
    /// let cart = world.add_prefab("cart", Prefab::new().part("wheel", Prefab::new().with(Mesh("wheel"))))?;
    /// let iron = Prefab::new().with(Mesh("iron wheel"));
    /// let heavy = world.add_prefab("heavy cart", Prefab::from(cart).within("wheel", iron))?;
    /// let heavy = heavy.instantiate(&mut world, 1)?[0];
    /// let wheel = world.part_of(heavy, "wheel").unwrap();
    /// assert_eq!(world.get::<Mesh>(wheel).unwrap().0, "iron wheel");
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    #[must_use]
    pub fn within(self, path: impl Into<Box<str>>, changes: Self) -> Self {
        self.append(&PartPlace::There(path.into()), changes)
    }

    /// Adds a component that is made for each copy, of the entities of that copy: what refers to another part refers to the one beside it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// #[derive(Component, Clone)] struct Aims { with: Entity }
    ///
    /// # let mut world = World::new();
    /// let tank = Prefab::new()
    ///     .part("turret", Prefab::new().part("barrel", Prefab::new()))
    ///     .bind(|parts| Aims { with: parts["turret/barrel"] });
    /// let tank = world.add_prefab("tank", tank)?;
    /// for tank in tank.instantiate(&mut world, 2)? {
    ///     assert_eq!(Some(world.get::<Aims>(tank).unwrap().with), world.part_of(tank, "turret/barrel"));
    /// }
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// What an index names must be there when copies are made: a path to nowhere is [`PrefabError::NoPart`](super::PrefabError::NoPart), with the paths that lead somewhere.
    #[must_use]
    pub fn bind<T: Component + Clone>(self, make: impl Fn(&PartsOfCopy<'_>) -> T + Send + Sync + 'static) -> Self {
        self.bind_in("", make)
    }

    /// The same for a part, which so can refer to those above and beside it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// #[derive(Component, Clone)] struct TurnsOn(Entity);
    ///
    /// # let mut world = World::new();
    /// let tank = Prefab::new()
    ///     .part("turret", Prefab::new())
    ///     .bind_in("turret", |parts| TurnsOn(parts.top()));
    /// let tank = world.add_prefab("tank", tank)?;
    /// let tank = tank.instantiate(&mut world, 1)?[0];
    /// let turret = world.part_of(tank, "turret").unwrap();
    /// assert_eq!(world.get::<TurnsOn>(turret).unwrap().0, tank);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    #[must_use]
    pub fn bind_in<T: Component + Clone>(
        mut self,
        path: impl Into<Box<str>>,
        make: impl Fn(&PartsOfCopy<'_>) -> T + Send + Sync + 'static,
    ) -> Self {
        let bind: Arc<dyn Bind> = Arc::new(Bound(make, PhantomData));
        self.say(Step::Bind { path: path.into(), key: Key::of::<T>(), bind });
        self
    }

    fn say(&mut self, step: Step) {
        let turn = self.turn(false);
        self.parts[0].steps.push((turn, step));
    }

    /// The turn of the next step.
    fn turn(&mut self, is_edit: bool) -> Turn {
        self.begin(is_edit);
        self.next.number += 1;
        self.next
    }

    /// Edits have odd stages, and what is written has even ones.
    fn begin(&mut self, is_edit: bool) {
        if (self.next.stage % 2 == 1) != is_edit {
            self.next.stage += 1;
        }
    }

    /// Adds the parts of another prefab, the first of them at a place of its own.
    fn append(mut self, place: &PartPlace, other: Self) -> Self {
        self.begin(false);
        let (offset, before) = (self.parts.len(), self.next);
        for (at, mut part) in other.parts.into_iter().enumerate() {
            if at == 0 {
                (part.below, part.place) = (0, place.clone());
            } else {
                part.below += offset;
            }
            for (turn, _) in &mut part.steps {
                *turn = turn.behind(before);
            }
            self.parts.push(part);
        }
        self.next = other.next.behind(before);
        self
    }

    /// Prefabs that it is based on, or that are nested in it.
    pub(super) fn bases(&self) -> impl Iterator<Item = PrefabId> + '_ {
        self.parts.iter().filter_map(|part| part.base)
    }

    /// Gives a component of a part another value, or takes it away; an earlier edit of the same gives way.
    pub(super) fn edit(&mut self, path: &str, key: Key, value: Option<Arc<dyn Value>>) {
        let turn = self.turn(true);
        let is_here =
            |part: &Part| part.below == 0 && matches!(&part.place, PartPlace::Edited(there) if **there == *path);
        let at = self.parts.iter().position(is_here).unwrap_or_else(|| {
            let place = PartPlace::Edited(path.into());
            self.parts.push(Part { below: 0, place, base: None, steps: Vec::new() });
            self.parts.len() - 1
        });
        let steps = &mut self.parts[at].steps;
        steps.retain(|(_, step)| match step {
            Step::With(layer) => layer.values[0].0 != key,
            Step::Without(other) => *other != key,
            Step::Bind { .. } => true,
        });
        let step = match value {
            Some(value) => Step::With(Layer { values: vec![(key, value)], batch: None }),
            None => Step::Without(key),
        };
        steps.push((turn, step));
    }
}

impl Turn {
    fn behind(self, before: Self) -> Self {
        Self { stage: before.stage + self.stage, number: before.number + self.number }
    }
}

impl fmt::Debug for Prefab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prefab({} parts", self.parts.len())?;
        if let Some(base) = self.parts[0].base {
            write!(f, ", from {base}")?;
        }
        f.write_str(")")
    }
}
