//! The [`Component`] trait.

use super::{Dependencies, Folder, Likeness, OwnHooks, Requirements, Schema, TypeKey};
use std::marker::PhantomData;

/// The proof that a `T` is `Copy`; there is none for other types. The derive finds it by itself; in an `impl Component` by hand it reads:
///
/// ```
/// use phalanx_ecs::{Bitwise, prelude::*};
///
/// #[derive(Clone, Copy)]
/// struct Speed(f32);
///
/// impl Component for Speed {
///     const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
/// }
///
/// let mut world = World::new();
/// world.spawn_batch((0..1000).map(|_| ()));
/// world.insert_where::<(), _>(Speed(1.0));      // one value, copied in blocks
/// assert_eq!(world.query::<&Speed>().count(), 1000);
/// ```
#[derive(Clone, Copy)]
pub struct Bitwise<T>(PhantomData<fn() -> T>);

impl<T: Copy> Bitwise<T> {
    /// It is.
    ///
    /// ```
    /// use phalanx_ecs::{Bitwise, Component};
    ///
    /// #[derive(Clone, Copy)]
    /// struct Speed(f32);
    ///
    /// impl Component for Speed {
    ///     const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
    /// }
    /// assert!(Speed::COPY.is_some());
    /// ```
    pub const PROOF: Self = Self(PhantomData);
}

/// Where the values of a component live. The choice changes speed, never results.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Storage;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] #[component(storage = "sparse")] struct Burning(f32);
///
/// assert_eq!(Position::STORAGE, Storage::Table);
/// assert_eq!(Burning::STORAGE, Storage::Sparse);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Storage {
    /// A dense column in each table that has the component: fastest to iterate. Adding or removing it moves the
    /// entity's row to another table. Zero-sized types become tags: part of the table's signature, without a column.
    #[default]
    Table,
    /// A packed set beside the tables: adding and removing is cheap and moves nothing. For what is rare or
    /// comes and goes.
    Sparse,
    /// One value for all entities that have an equal one: each distinct value is stored once, and entities are grouped by it. Write
    /// `#[component(shared)]`; see [`Shared`](super::Shared).
    Shared,
}

/// A type whose values can be attached to entities; write `#[derive(Component)]`.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component, Clone, PartialEq, Debug)]
/// struct Position { x: f32, y: f32 }
///
/// #[derive(Component)]
/// #[component(storage = "sparse")]
/// struct Burning { seconds_left: f32 }
///
/// #[derive(Component, Default)]
/// #[component(requires(Wheels = Wheels(4)))]
/// struct Car;
///
/// #[derive(Component)]
/// struct Wheels(u32);
///
/// let mut world = World::new();
/// let car = world.spawn(Car);
/// assert_eq!(world.get::<Wheels>(car).unwrap().0, 4);
/// ```
///
/// Attributes, all inside `#[component(…)]`:
///
/// | attribute | meaning |
/// |---|---|
/// | `storage = "table"` or `"sparse"` | where the values live, see [`Storage`] |
/// | `shared` | equal values are stored once, and entities grouped by them; see [`Shared`](super::Shared) |
/// | `name = "…"` | the short name editors and errors show; the type's own name by default |
/// | `hidden` | editors do not show it |
/// | `requires(A, B = expr)` | inserting this also inserts `A::default()` and `expr`, where they are missing |
/// | `depends_on(A, B)` | for a tag in tables (no fields, not sparse): it cannot be without `A` and `B`, and goes in the move that takes one of them, see [`Component::depend`] |
/// | `track` | arrivals and changes are noted, see [`Tracked`] |
/// | `toggle` | the component can be switched off and on, see [`Toggle`] |
/// | `immutable` | values are never changed in their place, only [inserted](crate::World::insert) anew; see below |
/// | `on_insert = f`, `on_replace = f`, `on_remove = f`, `on_despawn = f` | what the component does by itself when it comes and goes, see [`Hooks`](crate::Hooks) |
/// | `validate = f` | what [`World::validate`](crate::World::validate) asks the component, see [`Hooks::validated`](crate::Hooks::validated) |
/// | `check` | the component is asked whether a value may come, see [`Check`](crate::Check) |
/// | `no_clone` | values are not cloned, though the type may be `Clone`; see [`World::clone_entity`](crate::World::clone_entity) |
/// | `left_out_of(clones, moves)` | copies of an entity are made without it; it stays behind when the entity moves to another world |
/// | `no_checksum` | the component does not count in [checksums](crate::World::checksum) |
/// | `crate = "path"` | where the core is, if the derive cannot find it: `"crate::reexported::phalanx"` |
///
/// A value of an immutable component comes by an insert and goes by a remove, and is the same in between: whoever [observes](crate::World::observe) these acts
/// knows every value there ever was, and can keep an index of them. `&mut T`, [`Mut<T>`](crate::Mut) and `get_mut` of it do not build.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(immutable)]
/// struct Team(u8);
///
/// let mut world = World::new();
/// let orc = world.spawn(Team(1));
/// world.insert(orc, Team(2)).unwrap();
/// assert_eq!(world.get::<Team>(orc).unwrap().0, 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "write `#[derive(Component)]` above the declaration of `{Self}`, or put it inside a struct of your own that has it",
    note = "where a call such as `get::<T>` or `With<T>` names a component, it is one type, without `&` and not a tuple"
)]
pub trait Component: Send + Sync + Sized + 'static {
    /// Where the values live.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Storage;
    /// #[derive(Component)] #[component(storage = "sparse")] struct Burning(f32);
    ///
    /// assert_eq!(Burning::STORAGE, Storage::Sparse);
    /// ```
    const STORAGE: Storage = Storage::Table;
    /// The short name to show instead of the type's own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Component)] #[component(name = "Armour class")] struct Ac(u32);
    ///
    /// assert_eq!((Health::NAME, Ac::NAME), (None, Some("Armour class")));
    /// ```
    const NAME: Option<&'static str> = None;
    /// Whether editors show the component.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] #[component(hidden)] struct Cache(u32);
    ///
    /// assert!(!Cache::VISIBLE);
    /// ```
    const VISIBLE: bool = true;
    /// Whether changes of values are noted; write `#[component(track)]`.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] #[component(track)] struct Health(u32);
    ///
    /// assert!(Health::TRACK);
    /// ```
    const TRACK: bool = false;
    /// Whether the component can be switched off and on without removing it; write `#[component(toggle)]`.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] #[component(toggle)] struct Shield(u32);
    ///
    /// assert!(Shield::TOGGLE);
    /// ```
    const TOGGLE: bool = false;
    /// Whether values may be changed in their place; write `#[component(immutable)]` if not.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] #[component(immutable)] struct Team(u8);
    ///
    /// assert!(!Team::MUTABLE);
    /// ```
    const MUTABLE: bool = true;
    /// Whether values may be cloned where they can be; write `#[component(no_clone)]` if not.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component, Clone)] #[component(no_clone)] struct Unique(u32);
    ///
    /// assert!(!Unique::CLONE);
    /// let ring = world.spawn(Unique(1));
    /// assert!(world.clone_entity(ring).is_err());
    /// ```
    const CLONE: bool = true;
    /// Whether copies of an entity are made without the component; write `#[component(left_out_of(clones))]`. Other than with `no_clone`, cloning goes on without a word.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] #[component(left_out_of(clones))] struct Selected;
    ///
    /// assert!(Selected::LEFT_OUT_OF_CLONES);
    /// let ship = world.spawn(Selected);
    /// let copy = world.clone_entity(ship)?;
    /// assert!(!world.has::<Selected>(copy));
    /// # Ok::<(), phalanx_ecs::CloneError>(())
    /// ```
    const LEFT_OUT_OF_CLONES: bool = false;
    /// Whether an entity leaves the component behind when it [moves](crate::World::move_entity) to another world; write `#[component(left_out_of(moves))]`. For what
    /// means something in its own world only. Not for what has something to drop.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] #[component(left_out_of(moves))] struct Target(Entity);
    ///
    /// assert!(Target::LEFT_OUT_OF_MOVES);
    /// let (mut here, mut there) = (World::new(), World::new());
    /// let prey = here.spawn(());
    /// let hunter = here.spawn(Target(prey));
    /// let hunter = here.move_entity(hunter, &mut there)?;
    /// assert!(!there.has::<Target>(hunter));
    /// # Ok::<(), phalanx_ecs::TransferError>(())
    /// ```
    const LEFT_OUT_OF_MOVES: bool = false;
    /// Whether the component counts in checksums; write `#[component(no_checksum)]` if not.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] #[component(no_checksum)] struct Blinking(f32);
    ///
    /// assert!(!Blinking::CHECKSUM);
    /// ```
    const CHECKSUM: bool = true;
    /// What the component does by itself when it comes and goes, in every world; write `#[component(on_insert = function)]` and its kind. See
    /// [`Hooks`](crate::Hooks).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Trigger;
    /// #[derive(Component)] #[component(on_insert = greet)] struct Guest;
    /// #[derive(Event)] struct Greeting(Entity);
    ///
    /// fn greet(trigger: &mut Trigger<'_>) {
    ///     for &guest in trigger.entities() {
    ///         trigger.send(Greeting(guest));
    ///     }
    /// }
    /// let mut world = World::new();
    /// world.spawn(Guest);
    /// assert_eq!(world.events::<Greeting>().len(), 1);
    /// ```
    const HOOKS: Option<OwnHooks> = None;
    /// Whether no two entities of a world have equal values. True of [`Uuid`](crate::Uuid) alone.
    #[doc(hidden)]
    const UNIQUE: bool = false;
    /// The proof that values may be copied bit by bit, where that is known: bulk changes copy them in blocks then. The derive finds out by itself.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component, Clone, Copy)] struct Health(u32);
    /// #[derive(Component, Clone)] struct Title(String);
    ///
    /// assert!(Health::COPY.is_some() && Title::COPY.is_none());
    /// ```
    const COPY: Option<Bitwise<Self>> = None;
    /// The type's identity at compile time, where it is known.
    #[doc(hidden)]
    const KEY: Option<TypeKey> = None;

    /// Names the components that come with this one.
    ///
    /// It is what `requires(Wheels = Wheels(4))` writes.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Requirements;
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Wheels(u32);
    /// struct Car;
    ///
    /// impl Component for Car {
    ///     fn require(requirements: &mut Requirements<'_>) {
    ///         requirements.add(|| Wheels(4));
    ///     }
    /// }
    /// let car = world.spawn(Car);
    /// assert_eq!(world.get::<Wheels>(car).unwrap().0, 4);
    /// ```
    fn require(requirements: &mut Requirements<'_>) {
        let _ = requirements;
    }

    /// Names the components that this one, a tag, cannot be without; write `#[component(depends_on(A, B))]`.
    ///
    /// An entity without them is refused the tag, unless they come with it; and what takes one of them, by whatever route, takes the tag in
    /// the same move, and the tags that depend on that one. Observers and readers are told as of any other removal. To bring them along, say `requires` too.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Body { mass: f32 }
    /// #[derive(Component)] #[component(depends_on(Body))] struct Falling;
    ///
    /// let mut world = World::new();
    /// let apple = world.spawn((Body { mass: 0.1 }, Falling));
    /// world.remove::<Body>(apple)?;
    /// assert!(!world.has::<Falling>(apple));
    /// let error = world.insert(apple, Falling).unwrap_err();
    /// assert!(error.to_string().starts_with("error[C015]: entity 0v0 cannot have the tag `Falling`"));
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    fn depend(dependencies: &mut Dependencies<'_>) {
        let _ = dependencies;
    }

    /// How to clone a value, if it can be cloned. The derive finds out by itself.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component, Clone)] struct Health(u32);
    /// #[derive(Component)] struct Unique;
    ///
    /// let clone = Health::clone_fn().unwrap();
    /// assert_eq!(clone(&Health(3)).0, 3);
    /// assert!(Unique::clone_fn().is_none());
    /// ```
    fn clone_fn() -> Option<fn(&Self) -> Self> {
        None
    }

    /// What values are made of. The derive writes it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] struct Position { x: f32, y: f32 }
    ///
    /// assert_eq!(Position::schema().to_string(), "Position { x: f32, y: f32 }");
    /// ```
    fn schema() -> Schema {
        Schema::opaque::<Self>()
    }

    /// How to tell whether two values are equal, if the component is shared. The derive writes it.
    #[doc(hidden)]
    fn likeness() -> Option<Likeness<Self>> {
        None
    }

    /// How to fold a value into a checksum, if that is known. The derive writes it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Folder;
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let sum = |health: Health| {
    ///     let mut folder = Folder::new();
    ///     Health::fold_fn().unwrap()(&health, &mut folder);
    ///     folder.sum()
    /// };
    /// assert_ne!(sum(Health(3)), sum(Health(4)));
    /// ```
    fn fold_fn() -> Option<fn(&Self, &mut Folder)> {
        None
    }
}

/// A component whose arrivals and changes are noted; write `#[component(track)]`.
///
/// Queries can then ask for what is new to them ([`Added`](crate::Added), [`Changed`](crate::Changed)). A `&mut T` from a query or a lookup counts as a change;
/// [`Mut<T>`](crate::Mut) counts only what is written. A component that is not tracked pays nothing.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// let orc = world.spawn(Health(10));
/// let mut hurt = Prepared::<(Entity, &Health), Changed<Health>>::new();
/// assert_eq!(hurt.on(&mut world).count(), 1);      // what is new has changed
/// assert_eq!(hurt.on(&mut world).count(), 0);      // this reader has seen it
/// world.get_mut::<Health>(orc).unwrap().0 = 7;
/// assert_eq!(hurt.on(&mut world).single().unwrap().0, orc);
/// ```
#[diagnostic::on_unimplemented(
    message = "changes of `{Self}` are not tracked",
    label = "not tracked",
    note = "write `#[component(track)]` below `#[derive(Component)]` of `{Self}`"
)]
pub trait Tracked: Component {}

/// A component that can be switched off and on without removing it; write `#[component(toggle)]`.
///
/// Queries that name it pass over entities where it is off; its value stays, and lookups by entity still find it.
///
/// | | it is on | it is off | there is none |
/// |---|---|---|---|
/// | [`world.has::<T>(e)`](crate::World::has), [`get`](crate::World::get), [`get_mut`](crate::World::get_mut) | yes | yes | no |
/// | [`world.is_on::<T>(e)`](crate::World::is_on) | yes | no | no |
/// | `&T`, `&mut T`, [`Mut<T>`](crate::Mut) | matches | – | – |
/// | [`EvenOff<&T>`](crate::EvenOff) | matches | matches | – |
/// | [`Has<T>`](crate::Has) | `true` | `false` | `false` |
/// | `Option<&T>` | `Some` | `None` | `None` |
/// | [`With<T>`](crate::With) | matches | – | – |
/// | [`Without<T>`](crate::Without) | – | – | matches |
/// | [`Off<T>`](crate::Off) | – | matches | – |
///
/// Inserting a value over one that is off leaves it off; removing and inserting it turns it on. To switch is no change of the value: [`Changed<T>`](crate::Changed) does not see it.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(toggle)]
/// struct Shield(u32);
///
/// let mut world = World::new();
/// let orc = world.spawn(Shield(5));
/// world.switch_off::<Shield>(orc)?;
/// assert!(world.has::<Shield>(orc) && !world.is_on::<Shield>(orc));
/// assert_eq!(world.query::<&Shield>().count(), 0);
/// assert_eq!(world.query_filtered::<Entity, With<Shield>>().count(), 0);
/// assert_eq!(world.query_filtered::<Entity, Without<Shield>>().count(), 0);
/// assert_eq!(world.query::<(Has<Shield>, Option<&Shield>)>().iter().filter(|(has, shield)| *has || shield.is_some()).count(), 0);
/// assert_eq!(world.query_filtered::<EvenOff<&Shield>, Off<Shield>>().count(), 1);
///
/// world.insert(orc, Shield(6)).unwrap();
/// assert!(!world.is_on::<Shield>(orc));
/// world.remove::<Shield>(orc).unwrap();
/// world.insert(orc, Shield(7)).unwrap();
/// assert!(world.is_on::<Shield>(orc));
/// # Ok::<(), phalanx_ecs::LookupError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be switched off",
    label = "not a toggle",
    note = "write `#[component(toggle)]` below `#[derive(Component)]` of `{Self}`"
)]
pub trait Toggle: Component {}
