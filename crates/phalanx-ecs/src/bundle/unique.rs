//! Looking into a bundle before it goes anywhere, for what must not be there twice in a world.

#![expect(unsafe_code, reason = "looks at parts that it is given by pointer")]

use super::{BundleParts, PartVisitor};
use crate::component::Component;
use crate::entity::Uuid;
use std::any::Any;

/// The uuid among the parts of a bundle.
#[inline]
pub(crate) fn uuid_of<P: BundleParts>(parts: &mut P) -> Option<Uuid> {
    let mut look = Look(None);
    if P::UNIQUE {
        // SAFETY: the parts are valid and borrowed exclusively; nothing is moved out of them.
        unsafe { P::each_part(parts, &mut look) };
    }
    look.0
}

struct Look(Option<Uuid>);

impl PartVisitor for Look {
    unsafe fn part<T: Component>(&mut self, value: *mut T) {
        if T::UNIQUE {
            // SAFETY: valid for reads, by (1).
            let value: &dyn Any = unsafe { &*value };
            self.0 = value.downcast_ref().copied();
        }
    }
}
