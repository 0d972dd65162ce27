//! Values that stay on the thread where they were inserted.
//!
//! ```text
//! insert_main(window)  ─► MainThread<Window>, a resource like any other for plans and claims
//!                                │
//! run, on that thread  ─► Main<Window>, MainMut<Window>       on any other: an error, and nothing is touched
//! ```
//!
//! So a world can be sent elsewhere although such a value cannot.

use crate::system::param::Param;
use crate::system::refusal::{ArgumentError, OtherThread};
use crate::system::turn::Turn;
use phalanx_ecs::{PlanBuilder, PlanError, ResMut, Resource, ResourceMutTicket, ResourceTicket, World};
use send_wrapper::SendWrapper;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// A value with the thread it stays on.
pub struct MainThread<R: 'static> {
    /// `None` only while it is dropped or taken out.
    value: Option<SendWrapper<R>>,
    home: String,
}

impl<R: 'static> Resource for MainThread<R> {
    const CHECKSUM: bool = false;
}

impl<R: 'static> MainThread<R> {
    fn new(value: R) -> Self {
        Self { value: Some(SendWrapper::new(value)), home: this_thread() }
    }

    /// The value, if this is its thread.
    fn here(&self) -> Result<&SendWrapper<R>, Box<OtherThread>> {
        self.value.as_ref().filter(|value| value.valid()).ok_or_else(|| Box::new(self.elsewhere()))
    }

    #[cold]
    fn elsewhere(&self) -> OtherThread {
        OtherThread { value: name_of::<R>(), home: self.home.clone(), here: this_thread() }
    }
}

impl<R: 'static> Drop for MainThread<R> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take()
            && !value.valid()
        {
            // It may not be touched here, not even to be dropped.
            std::mem::forget(value);
        }
    }
}

fn this_thread() -> String {
    let thread = std::thread::current();
    thread.name().map_or_else(|| format!("{:?}", thread.id()), |name| format!("`{name}`"))
}

/// The name of a type without its paths.
fn name_of<R>() -> String {
    let mut name = String::new();
    for word in std::any::type_name::<R>().split_inclusive(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
        name += word.rsplit("::").next().unwrap_or(word);
    }
    name
}

/// Puts a value into a world that stays on this thread: systems that take it as [`Main`] or [`MainMut`] run here. It need not be `Send`. One of the same type that
/// was there is dropped.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{Main, insert_main, run_once};
/// use std::rc::Rc;
///
/// struct Window(Rc<str>);
///
/// let mut world = World::new();
/// insert_main(&mut world, Window("title".into()));
/// assert_eq!(run_once(&mut world, |window: Main<Window>| window.0.len()).unwrap(), 5);
/// ```
///
/// A value whose world is dropped on another thread is not dropped but forgotten, because it may not be touched there; [`take_main`] takes it out before.
pub fn insert_main<R: 'static>(world: &mut World, value: R) {
    world.insert_resource(MainThread::new(value));
}

/// Takes a value out that was put into a world with [`insert_main`].
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{insert_main, take_main};
/// use std::rc::Rc;
///
/// let mut world = World::new();
/// insert_main(&mut world, Rc::new(5_u32));
/// assert_eq!(take_main::<Rc<u32>>(&mut world)?, Some(Rc::new(5)));
/// assert_eq!(take_main::<Rc<u32>>(&mut world)?, None);
/// # Ok::<(), phalanx_schedule::OtherThread>(())
/// ```
///
/// # Errors
/// [`OtherThread`] if this is not its thread; it then stays where it is.
pub fn take_main<R: 'static>(world: &mut World) -> Result<Option<R>, OtherThread> {
    let Some(kept) = world.get_resource::<MainThread<R>>() else { return Ok(None) };
    kept.here().map_err(|error| *error)?;
    let kept = world.remove_resource::<MainThread<R>>();
    Ok(kept.and_then(|mut kept| kept.value.take()).map(SendWrapper::take))
}

/// A value that stays on one thread, to read: an argument of a system. The system runs on the thread that calls `run`, also when others run side by side.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Engine, Main, MainMut};
/// use std::rc::Rc;
///
/// struct Window { title: Rc<str>, frames: u32 }
///
/// fn draw(mut window: MainMut<Window>) {
///     window.frames += 1;
/// }
///
/// fn check(window: Main<Window>) {
///     assert_eq!((&*window.title, window.frames > 0), ("Game", true));
/// }
///
/// let mut engine = Engine::new();
/// engine.insert_main(Window { title: "Game".into(), frames: 0 });
/// engine.add_all((draw, check))?;
/// engine.run_frames(3)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is put into the world by [`insert_main`]; on any other thread the system fails with an error.
pub struct Main<'w, R: 'static>(&'w R);

/// A value that stays on one thread, to write: an argument of a system; see [`Main`].
///
/// ```
/// use phalanx_schedule::{Engine, MainMut};
/// use std::rc::Rc;
///
/// fn count(mut frames: MainMut<Rc<u32>>) {
///     *Rc::make_mut(&mut frames) += 1;
/// }
///
/// let mut engine = Engine::new();
/// engine.insert_main(Rc::new(0_u32));
/// engine.add(count)?;
/// engine.run_frames(3)?;
/// assert_eq!(engine.take_main()?, Some(Rc::new(3_u32)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MainMut<'w, R: 'static> {
    /// Checked when it was taken.
    kept: ResMut<'w, MainThread<R>>,
    /// It does not leave its thread.
    stays: PhantomData<*mut R>,
}

impl<R: 'static> Deref for Main<'_, R> {
    type Target = R;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn deref(&self) -> &R {
        self.0
    }
}

impl<R: 'static> Deref for MainMut<'_, R> {
    type Target = R;
    #[inline]
    fn deref(&self) -> &R {
        self.kept.value.as_ref().expect(IN_USE)
    }
}

impl<R: 'static> DerefMut for MainMut<'_, R> {
    #[inline]
    fn deref_mut(&mut self) -> &mut R {
        self.kept.bypass().value.as_mut().expect(IN_USE)
    }
}

impl<R: 'static + fmt::Debug> fmt::Debug for Main<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<R: 'static + fmt::Debug> fmt::Debug for MainMut<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

const IN_USE: &str = "it is taken out only by who has the world";

fn missing<R>() -> ArgumentError {
    ArgumentError::NoMain(name_of::<R>())
}

fn take<'a, R: 'static>(
    ticket: &'a ResourceTicket<MainThread<R>>,
    turn: &'a Turn<'a>,
) -> Result<Option<Main<'a, R>>, ArgumentError> {
    let Some(kept) = turn.claim().get_resource(ticket)? else { return Ok(None) };
    Ok(Some(Main(&**kept.here()?)))
}

fn take_mut<'a, R: 'static>(
    ticket: &'a mut ResourceMutTicket<MainThread<R>>,
    turn: &'a Turn<'a>,
) -> Result<Option<MainMut<'a, R>>, ArgumentError> {
    let Some(kept) = turn.claim().get_resource_mut(ticket)? else { return Ok(None) };
    kept.here()?;
    Ok(Some(MainMut { kept, stays: PhantomData }))
}

macro_rules! main_param {
    ($($param:ty => $item:ty: $ticket:ty, $plan:ident, $take:ident, $answer:expr;)*) => {$(
        impl<R: 'static> Param for $param {
            type State = $ticket;
            type Item<'a> = $item;
            const MAIN: bool = true;

            fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
                plan.$plan()
            }

            fn take<'a>(state: &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
                let found = $take(state, turn)?;
                $answer(found)
            }
        }
    )*};
}

main_param! {
    Main<'_, R> => Main<'a, R>: ResourceTicket<MainThread<R>>, resource, take, |found: Option<_>| found.ok_or_else(missing::<R>);
    MainMut<'_, R> => MainMut<'a, R>: ResourceMutTicket<MainThread<R>>, resource_mut, take_mut, |found: Option<_>| found.ok_or_else(missing::<R>);
    Option<Main<'_, R>> => Option<Main<'a, R>>: ResourceTicket<MainThread<R>>, resource, take, Ok;
    Option<MainMut<'_, R>> => Option<MainMut<'a, R>>: ResourceMutTicket<MainThread<R>>, resource_mut, take_mut, Ok;
}
