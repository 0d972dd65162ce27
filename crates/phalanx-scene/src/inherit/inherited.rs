//! [`Inherited`] and [`inherit`].

use super::plan::{Passed, Plan};
use phalanx_ecs::{Act, Component, Entity, Resource, Storage, Tracked, Trigger, World};

/// A component whose value comes from the entity's own part and from what the nearest entity above it has: places, visibility, tints, volumes.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{ChildOf, Inherited, inherit};
///
/// #[derive(Component)]
/// #[component(track, requires(Visible))]
/// struct Shown(bool);
///
/// #[derive(Component, Clone, Copy, Default)]
/// struct Visible(bool);
///
/// impl Inherited for Visible {
///     type Own = Shown;
///     fn under(above: Option<&Self>, own: &Shown) -> Self {
///         Visible(own.0 && above.is_none_or(|above| above.0))
///     }
/// }
///
/// let mut world = World::new();
/// let house = world.spawn(Shown(true));
/// let lamp = world.spawn((Shown(true), ChildOf(house)));
/// inherit::<Visible>(&mut world);
/// assert!(world.get::<Visible>(lamp).unwrap().0);
///
/// world.get_mut::<Shown>(house).unwrap().0 = false;
/// assert_eq!(inherit::<Visible>(&mut world), 2, "the house and what is in it");
/// assert!(!world.get::<Visible>(lamp).unwrap().0);
/// ```
///
/// [`WorldTransform`](crate::WorldTransform) is one, with [`Transform`](crate::Transform) as its own part.
///
/// Both lie in tables, and neither can be switched off: whether somebody takes part is then known by what there is. What is to have no effect for a while says so in its own part, as above.
/// Other types are refused when the program is built:
///
/// ```compile_fail
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_scene::{Inherited, inherit};
/// #[derive(Component)]
/// #[component(track, toggle, requires(Visible))]
/// struct Shown(bool);
///
/// #[derive(Component, Clone, Copy, Default)]
/// struct Visible(bool);
///
/// impl Inherited for Visible {
///     type Own = Shown;
///     fn under(above: Option<&Self>, own: &Shown) -> Self {
///         Visible(own.0 && above.is_none_or(|above| above.0))
///     }
/// }
///
/// inherit::<Visible>(&mut World::new());
/// ```
pub trait Inherited: Component + Clone + Default {
    /// What the entity has of its own. It is tracked, so that what has changed is known.
    type Own: Tracked;

    /// The value of an entity: `above` is that of its nearest ancestor that has one, or `None` if there is none.
    ///
    /// It is called on any thread, and must depend on nothing but its arguments: then the result does not depend on the threads.
    fn under(above: Option<&Self>, own: &Self::Own) -> Self;

    /// The same, with a note of what was odd about it: bits that mean what the type says. They are told once all is worked out, and not of whom.
    #[doc(hidden)]
    #[inline]
    fn under_noting(above: Option<&Self>, own: &Self::Own, odd: &mut u8) -> Self {
        let _ = odd;
        Self::under(above, own)
    }

    /// Says what was odd in a pass over all that had changed.
    #[doc(hidden)]
    fn tell(world: &mut World, odd: u8) {
        let _ = (world, odd);
    }

    /// Whether hooks of both types note who comes and goes, so that nobody need observe it.
    #[doc(hidden)]
    const NOTED_BY_HOOKS: bool = false;
}

/// Works out `W` for all whose own part has changed, and for what is below them; answers for how many.
///
/// Takes part in it who has `W` and its own part; who has only one of them passes on what is above. Where nothing has changed nothing is done; where much has, it is done on all threads,
/// and the result is the same to the last bit.
///
/// ```
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_scene::{ChildOf, Inherited, inherit};
/// #[derive(Component)]
/// #[component(track, requires(Loudness))]
/// struct Volume(f32);
///
/// #[derive(Component, Clone, Copy, Default)]
/// struct Loudness(f32);
///
/// impl Inherited for Loudness {
///     type Own = Volume;
///     fn under(above: Option<&Self>, own: &Volume) -> Self {
///         Loudness(above.map_or(1.0, |above| above.0) * own.0)
///     }
/// }
///
/// # let mut world = World::new();
/// let band = world.spawn(Volume(0.5));
/// let drum = world.spawn((Volume(0.5), ChildOf(band)));
/// assert_eq!(inherit::<Loudness>(&mut world), 2);
/// assert_eq!(world.get::<Loudness>(drum).unwrap().0, 0.25);
/// assert_eq!(inherit::<Loudness>(&mut world), 0, "nothing has changed");
/// ```
///
/// In an engine it is a system of its own: `fn mix(world: &mut World) { inherit::<Loudness>(world); }`.
pub fn inherit<W: Inherited>(world: &mut World) -> usize {
    let Passed { written, odd } = pass::<W>(world);
    if odd != 0 {
        W::tell(world, odd);
    }
    written
}

/// Stops the build where values do not lie in rows that are there whenever the components are.
const fn refuse_what_is_not_in_rows<W: Inherited>() {
    assert!(
        !<W::Own as Component>::TOGGLE && !W::TOGGLE,
        "a component that can be switched off is neither inherited nor the own part of one that is: take `toggle` away, and let its value say that it is off"
    );
    assert!(
        matches!((<W::Own as Component>::STORAGE, W::STORAGE), (Storage::Table, Storage::Table)),
        "a component that is inherited, and the own part of one, lie in tables: take `storage` or `shared` away"
    );
}

/// The same, before anybody is told what was odd ([`Inherited::under_noting`]).
fn pass<W: Inherited>(world: &mut World) -> Passed {
    const { refuse_what_is_not_in_rows::<W>() };
    let mut kept = world.init_resource::<Inheritance<W>>();
    let watches = W::NOTED_BY_HOOKS || std::mem::replace(&mut kept.watches, true);
    // Taken out while they are used; only the box moves.
    let mut plan = kept.plan.take().unwrap_or_default();
    let mut arrivals = std::mem::take(&mut kept.arrivals);
    if !watches {
        keep_watch::<W>(world);
    }
    let passed = plan.run(world, &arrivals);
    arrivals.clear();
    let mut kept = world.init_resource::<Inheritance<W>>();
    (kept.plan, kept.arrivals) = (Some(plan), arrivals);
    passed
}

/// What is kept from one time to the next.
#[derive(Resource)]
#[resource(no_checksum)]
struct Inheritance<W: Inherited> {
    /// Whether it is noted who comes and goes.
    watches: bool,
    arrivals: Arrivals,
    plan: Option<Box<Plan<W>>>,
}

impl<W: Inherited> Default for Inheritance<W> {
    fn default() -> Self {
        Self { watches: false, arrivals: Arrivals::default(), plan: None }
    }
}

/// What has come and gone since values were last worked out.
#[derive(Default)]
pub(super) struct Arrivals {
    /// Who may have begun or ceased to take part.
    others: Vec<Entity>,
    /// Who has got a value from elsewhere.
    values: Vec<Entity>,
    /// Whether they were too many to be listed: nobody may ever ask.
    too_many: bool,
    /// Whether values have been worked out at once.
    at_once: bool,
}

impl Arrivals {
    pub(super) fn values(&self) -> impl Iterator<Item = Entity> + Clone {
        self.values.iter().copied()
    }

    /// Who may have begun or ceased to take part.
    pub(super) fn all(&self) -> impl Iterator<Item = Entity> + Clone {
        self.others.iter().copied().chain(self.values())
    }

    pub(super) fn too_many(&self) -> bool {
        self.too_many
    }

    pub(super) fn at_once(&self) -> bool {
        self.at_once
    }

    fn clear(&mut self) {
        (self.too_many, self.at_once) = (false, false);
        self.others.clear();
        self.values.clear();
    }

    /// Makes room for more, or forgets them all.
    fn make_room(&mut self, more: usize, most: usize) -> bool {
        if self.others.len() + self.values.len() + more > most {
            self.clear();
            self.too_many = true;
        }
        !self.too_many
    }
}

/// So many are listed even where few take part.
const LEAST_LISTED: usize = 1 << 16;

/// From now on it is noted who comes and goes.
fn keep_watch<W: Inherited>(world: &mut World) {
    world.observe::<W::Own>(Act::Insert, note_part::<W>);
    world.observe::<W>(Act::Insert, note_value::<W>);
    world.observe::<W::Own>(Act::Remove, note_end::<W>);
    world.observe::<W>(Act::Remove, note_end::<W>);
}

pub(crate) fn note_end<W: Inherited>(trigger: &mut Trigger<'_>) {
    let entities = trigger.entities();
    let mut kept = trigger.init_resource::<Inheritance<W>>();
    if kept.make_room(entities) {
        kept.arrivals.others.extend(entities);
    }
}

pub(crate) fn note_part<W: Inherited>(trigger: &mut Trigger<'_>) {
    let entities = trigger.entities();
    let mut kept = trigger.init_resource::<Inheritance<W>>();
    if kept.make_room(entities) {
        let Inheritance { arrivals, plan, .. } = &mut *kept;
        // Who takes part already has got another part in the place of the old: that it has changed is seen without this.
        let is_new = |entity: &Entity| plan.as_ref().is_none_or(|plan| !plan.lists(*entity));
        arrivals.others.extend(entities.iter().copied().filter(is_new));
    }
}

pub(crate) fn note_value<W: Inherited>(trigger: &mut Trigger<'_>) {
    let entities = trigger.entities();
    let mut kept = trigger.init_resource::<Inheritance<W>>();
    if kept.make_room(entities) {
        kept.arrivals.values.extend(entities);
    }
}

/// Values have been worked out at once.
pub(super) fn note_at_once<W: Inherited>(world: &mut World) {
    world.init_resource::<Inheritance<W>>().arrivals.at_once = true;
}

impl<W: Inherited> Inheritance<W> {
    fn make_room(&mut self, entities: &[Entity]) -> bool {
        let live = self.plan.as_ref().map_or(0, |plan| plan.live());
        self.arrivals.make_room(entities.len(), LEAST_LISTED.max(live))
    }
}

/// Whether an entity takes part: who has only a value or only a part of its own passes on what is above.
pub(super) fn takes_part<W: Inherited>(world: &World, entity: Entity) -> bool {
    world.has::<W::Own>(entity) && world.has::<W>(entity)
}
