//! Values and references whose type is known only at run time, and the functions that handle them.

#![expect(unsafe_code, reason = "drops, clones and reads values through type-erased pointers")]

use super::info::DropFn;
use super::{Component, ComponentId, ComponentInfo, Constructor, Folder, Panics, Registry};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, needs_drop};
use std::ptr::NonNull;

/// `1 byte`, `2 bytes`.
pub(crate) fn bytes_in_words(count: usize) -> String {
    if count == 1 { "1 byte".into() } else { format!("{count} bytes") }
}

/// Drops `count` consecutive values at `first`. A value whose drop panics does not keep the others from being
/// dropped; the first panic goes on at the end.
///
/// # Safety
/// 1. `first` points to `count` initialised, aligned `T`s that nobody uses again.
pub(crate) unsafe fn drop_cells<T>(first: *mut u8, count: usize) {
    let first = first.cast::<T>();
    let mut panics = Panics::default();
    let mut next = 0;
    while next < count {
        panics.catch(|| {
            while next < count {
                let at = next;
                next += 1;
                // SAFETY: `at < count`, and each value is visited once, by (1).
                unsafe { first.add(at).drop_in_place() };
            }
        });
    }
    panics.resume();
}

pub(crate) fn drop_fn_of<T>() -> Option<DropFn> {
    needs_drop::<T>().then_some(drop_cells::<T> as DropFn)
}

/// Writes a clone of the value at `from` to `to`.
///
/// # Safety
/// 1. `from` points to a valid `T`, `to` is valid for writing one.
pub(crate) unsafe fn clone_cell<T: Component>(from: *const u8, to: *mut u8) {
    let clone = T::clone_fn().expect("registered as cloneable");
    // SAFETY: valid by (1).
    let value = clone(unsafe { &*from.cast::<T>() });
    // SAFETY: valid by (1).
    unsafe { to.cast::<T>().write(value) };
}

/// Folds the value at `from` into a checksum.
///
/// # Safety
/// 1. `from` points to a valid `T`.
pub(crate) unsafe fn fold_cell<T: Component>(from: *const u8, folder: &mut Folder) {
    if let Some(fold) = T::fold_fn() {
        // SAFETY: valid by (1).
        fold(unsafe { &*from.cast::<T>() }, folder);
    }
}

/// A number for the value at `value`: the same for equal ones.
///
/// # Safety
/// 1. `value` points to a valid `T`, which is shared.
pub(crate) unsafe fn hash_cell<T: Component>(value: *const u8) -> u64 {
    let likeness = T::likeness().expect("registered as shared");
    // SAFETY: valid by (1).
    (likeness.hash)(unsafe { &*value.cast::<T>() })
}

/// Whether two values are equal.
///
/// # Safety
/// 1. Both point to a valid `T`, which is shared.
pub(crate) unsafe fn equal_cells<T: Component>(a: *const u8, b: *const u8) -> bool {
    let likeness = T::likeness().expect("registered as shared");
    // SAFETY: valid by (1).
    unsafe { (likeness.equal)(&*a.cast::<T>(), &*b.cast::<T>()) }
}

/// An owned component value whose type is known at run time.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{ComponentLayout, DynValue};
///
/// let mut world = World::new();
/// let mana = world.register_dyn(ComponentLayout::new("Mana").size(4).align(4))?;
/// let elf = world.spawn(());
/// world.insert_dyn(elf, mana, DynValue::bytes(&[7, 0, 0, 0]))?;
/// assert_eq!(world.get_dyn(elf, mana).unwrap().bytes(), Some(&[7, 0, 0, 0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DynValue(Inner);

enum Inner {
    Typed(ErasedBox),
    Bytes(Box<[u8]>),
}

/// A value of a compiled type in its own allocation.
struct ErasedBox {
    /// Valid, aligned and owned, for the type behind `type_id`.
    data: NonNull<u8>,
    layout: Layout,
    drop: Option<DropFn>,
    type_id: TypeId,
    type_name: &'static str,
    register: fn(&mut Registry) -> ComponentId,
}

// SAFETY: the value inside is a `Component`, and those are `Send`.
unsafe impl Send for ErasedBox {}
// SAFETY: the value inside is a `Component`, and those are `Sync`.
unsafe impl Sync for ErasedBox {}

impl Drop for ErasedBox {
    fn drop(&mut self) {
        let mut panics = Panics::default();
        if let Some(drop) = self.drop {
            // SAFETY: `data` holds one valid value, and this is its last use.
            panics.catch(|| unsafe { drop(self.data.as_ptr(), 1) });
        }
        self.release();
        panics.resume();
    }
}

impl ErasedBox {
    fn release(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: allocated in `DynValue::new` with this very layout, and released once.
            unsafe { dealloc(self.data.as_ptr(), self.layout) };
        }
    }
}

impl DynValue {
    /// A value of a compiled component type.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynValue;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let orc = world.spawn(());
    /// world.insert_dyn(orc, health, DynValue::new(Health(3)))?;
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 3);
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    pub fn new<T: Component>(value: T) -> Self {
        let layout = Layout::new::<T>();
        let data = if layout.size() == 0 {
            NonNull::<T>::dangling().cast()
        } else {
            // SAFETY: the layout has a size.
            let data = unsafe { alloc(layout) };
            NonNull::new(data).unwrap_or_else(|| handle_alloc_error(layout))
        };
        // SAFETY: `data` is aligned and large enough for a `T`.
        unsafe { data.cast::<T>().write(value) };
        Self(Inner::Typed(ErasedBox {
            data,
            layout,
            drop: drop_fn_of::<T>(),
            type_id: TypeId::of::<T>(),
            type_name: std::any::type_name::<T>(),
            register: Registry::register::<T>,
        }))
    }

    /// A value of a type made at run time: its bytes, copied.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{ComponentLayout, DynValue};
    /// # let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(4).align(4))?;
    /// let elf = world.spawn(());
    /// world.insert_dyn(elf, mana, DynValue::bytes(&7_u32.to_ne_bytes()))?;
    /// assert!(world.insert_dyn(elf, mana, DynValue::bytes(&[7])).is_err(), "one byte is not four");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bytes(bytes: &[u8]) -> Self {
        Self(Inner::Bytes(bytes.into()))
    }

    /// A value of a component that another one requires, made by its constructor.
    pub(crate) fn made(info: &ComponentInfo, constructor: &Constructor) -> Self {
        let (Some(type_id), Some(register)) = (info.type_id, info.register) else {
            unreachable!("only compiled types are required");
        };
        let data = if info.layout.size() == 0 {
            NonNull::new(std::ptr::without_provenance_mut(info.layout.align())).expect("an alignment is not zero")
        } else {
            // SAFETY: the layout has a size.
            let data = unsafe { alloc(info.layout) };
            NonNull::new(data).unwrap_or_else(|| handle_alloc_error(info.layout))
        };
        // Without a `drop` first: if the constructor panics there is memory to give back, but no value.
        let mut value =
            ErasedBox { data, layout: info.layout, drop: None, type_id, type_name: "a required component", register };
        // SAFETY: aligned and large enough for the component, and holds no value.
        unsafe { constructor.write(data.as_ptr()) };
        value.drop = info.drop;
        Self(Inner::Typed(value))
    }

    /// The value, if it is a `T`.
    pub(crate) fn downcast_ref<T: Component>(&self) -> Option<&T> {
        match &self.0 {
            Inner::Typed(value) if value.type_id == TypeId::of::<T>() => {
                // SAFETY: the box holds a valid value of the type with this id, and is borrowed.
                Some(unsafe { value.data.cast::<T>().as_ref() })
            }
            _ => None,
        }
    }

    /// What the value says about its own type: the type's name, or its number of bytes.
    pub(crate) fn describe(&self) -> String {
        match &self.0 {
            Inner::Typed(value) => format!("a value of type `{}`", super::info::short_name(value.type_name)),
            Inner::Bytes(bytes) => bytes_in_words(bytes.len()),
        }
    }

    /// Registers the type, if the value is of a compiled one.
    pub(crate) fn register(&self, registry: &mut Registry) -> Option<ComponentId> {
        match &self.0 {
            Inner::Typed(value) => Some((value.register)(registry)),
            Inner::Bytes(_) => None,
        }
    }

    /// Whether the value is one of the component described by `info`.
    pub(crate) fn fits(&self, info: &ComponentInfo) -> bool {
        match &self.0 {
            Inner::Typed(value) => info.type_id == Some(value.type_id),
            Inner::Bytes(bytes) => info.is_runtime() && bytes.len() == info.size(),
        }
    }

    /// Where the value lies; readable for its size, not necessarily aligned if it is bytes.
    pub(crate) fn as_ptr(&self) -> *const u8 {
        match &self.0 {
            Inner::Typed(value) => value.data.as_ptr(),
            Inner::Bytes(bytes) => bytes.as_ptr(),
        }
    }

    /// Frees the memory without dropping the value, which was moved out through [`DynValue::as_ptr`].
    pub(crate) fn forget_value(self) {
        if let Inner::Typed(value) = self.0 {
            ManuallyDrop::new(value).release();
        }
    }
}

impl fmt::Debug for DynValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynValue({})", self.describe())
    }
}

/// A shared reference to a component whose type is known at run time.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register::<Health>();
/// let orc = world.spawn(Health(3));
/// let value = world.get_dyn(orc, health).unwrap();
/// assert_eq!((value.info().name(), value.info().size()), ("Health", 4));
/// assert_eq!(value.downcast::<Health>().unwrap().0, 3);
/// ```
#[derive(Clone, Copy)]
pub struct DynRef<'w> {
    info: &'w ComponentInfo,
    data: NonNull<u8>,
    _borrow: PhantomData<&'w [u8]>,
}

/// An exclusive reference to a component whose type is known at run time.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register::<Health>();
/// let orc = world.spawn(Health(3));
/// world.get_dyn_mut(orc, health).unwrap().downcast::<Health>().unwrap().0 = 4;
/// assert_eq!(world.get::<Health>(orc).unwrap().0, 4);
/// ```
pub struct DynRefMut<'w> {
    info: &'w ComponentInfo,
    data: NonNull<u8>,
    _borrow: PhantomData<&'w mut [u8]>,
}

// SAFETY: stands for `&'w T` with `T: Component`, which is `Sync`.
unsafe impl Send for DynRef<'_> {}
// SAFETY: as above.
unsafe impl Sync for DynRef<'_> {}
// SAFETY: stands for `&'w mut T` with `T: Component`, which is `Send` and `Sync`.
unsafe impl Send for DynRefMut<'_> {}
// SAFETY: as above.
unsafe impl Sync for DynRefMut<'_> {}

impl<'w> DynRef<'w> {
    /// # Safety
    /// 1. `data` points to a valid value of the component `info` describes, shared for `'w`.
    pub(crate) unsafe fn new(info: &'w ComponentInfo, data: NonNull<u8>) -> Self {
        Self { info, data, _borrow: PhantomData }
    }

    /// The component's type.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// let health = world.register::<Health>();
    /// assert_eq!(world.get_dyn(orc, health).unwrap().info().name(), "Health");
    /// ```
    pub fn info(&self) -> &'w ComponentInfo {
        self.info
    }

    /// The value, if it is a `T`.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// let health = world.register::<Health>();
    /// let value = world.get_dyn(orc, health).unwrap();
    /// assert_eq!(value.downcast::<Health>().unwrap().0, 3);
    /// assert!(value.downcast::<Gold>().is_none());
    /// ```
    pub fn downcast<T: Component>(&self) -> Option<&'w T> {
        // SAFETY: the value is of the type with this id, by (1) of `new`.
        (self.info.type_id == Some(TypeId::of::<T>())).then(|| unsafe { self.data.cast::<T>().as_ref() })
    }

    /// The bytes of the value, if its type was made at run time.
    ///
    /// Values of compiled types have none to show: they may have padding and secrets.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{ComponentLayout, DynValue};
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(1))?;
    /// let elf = world.spawn(Health(5));
    /// world.insert_dyn(elf, mana, DynValue::bytes(&[7]))?;
    /// assert_eq!(world.get_dyn(elf, mana).unwrap().bytes(), Some(&[7][..]));
    /// let health = world.register::<Health>();
    /// assert_eq!(world.get_dyn(elf, health).unwrap().bytes(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bytes(&self) -> Option<&'w [u8]> {
        self.info.is_runtime().then(|| {
            // SAFETY: such a value was copied from `size` initialised bytes, and is shared for `'w` by (1) of `new`.
            unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.info.size()) }
        })
    }
}

impl DynRef<'_> {
    /// Folds the value into a checksum; nothing, if nobody described its type.
    pub(crate) fn fold_into(&self, folder: &mut Folder) {
        if let Some(fold) = self.info.fold {
            // SAFETY: a valid value of the type the function was made for, by (1) of `new`.
            unsafe { fold(self.data.as_ptr(), folder) };
        } else if let Some(bytes) = self.bytes() {
            self.info.schema().fold_bytes(bytes, folder);
        }
    }
}

impl<'w> DynRefMut<'w> {
    /// # Safety
    /// 1. `data` points to a valid value of the component `info` describes, borrowed exclusively for `'w`.
    pub(crate) unsafe fn new(info: &'w ComponentInfo, data: NonNull<u8>) -> Self {
        Self { info, data, _borrow: PhantomData }
    }

    /// The component's type.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// let health = world.register::<Health>();
    /// assert_eq!(world.get_dyn_mut(orc, health).unwrap().info().id(), health);
    /// ```
    pub fn info(&self) -> &'w ComponentInfo {
        self.info
    }

    /// The value, if it is a `T`.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// let health = world.register::<Health>();
    /// assert!(world.get_dyn_mut(orc, health).unwrap().downcast::<Gold>().is_none());
    /// world.get_dyn_mut(orc, health).unwrap().downcast::<Health>().unwrap().0 -= 1;
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 2);
    /// ```
    pub fn downcast<T: Component>(self) -> Option<&'w mut T> {
        // SAFETY: the value is of the type with this id and exclusively ours, by (1) of `new`.
        (self.info.type_id == Some(TypeId::of::<T>())).then(|| unsafe { self.data.cast::<T>().as_mut() })
    }

    /// The bytes of the value, if its type was made at run time.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{ComponentLayout, DynValue};
    /// # let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(1))?;
    /// let elf = world.spawn(());
    /// world.insert_dyn(elf, mana, DynValue::bytes(&[7]))?;
    /// world.get_dyn_mut(elf, mana).unwrap().bytes().unwrap()[0] = 8;
    /// assert_eq!(world.get_dyn(elf, mana).unwrap().bytes(), Some(&[8][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bytes(self) -> Option<&'w mut [u8]> {
        self.info.is_runtime().then(|| {
            // SAFETY: such a value was copied from `size` initialised bytes, any bytes are valid for it, and it is ours by (1) of `new`.
            unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.info.size()) }
        })
    }
}

impl fmt::Debug for DynRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynRef({})", self.info.name())
    }
}

impl fmt::Debug for DynRefMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynRefMut({})", self.info.name())
    }
}
