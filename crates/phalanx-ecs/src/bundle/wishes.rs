//! Looking into a bundle before it goes anywhere, for what is asked whether it may come.

#![expect(unsafe_code, reason = "looks at parts that it is given by pointer")]

use super::{BundleParts, PartVisitor, copy_of};
use crate::component::{Component, Wishes, is_checked};
use crate::entity::Entity;

/// Notes what among the parts of a bundle is asked first.
#[inline]
pub(crate) fn note_wishes<P: BundleParts>(parts: &mut P, entity: Option<Entity>, wishes: &mut Wishes) {
    if P::CHECKED {
        // SAFETY: the parts are valid and borrowed exclusively; nothing is moved out of them.
        unsafe { P::each_part(parts, &mut Look { entity, wishes }) };
    }
}

struct Look<'a> {
    entity: Option<Entity>,
    wishes: &'a mut Wishes,
}

impl PartVisitor for Look<'_> {
    unsafe fn part<T: Component>(&mut self, value: *mut T) {
        if is_checked::<T>() {
            // SAFETY: valid for reads, by (1).
            let value = copy_of(unsafe { &*value });
            self.wishes.note(self.entity, value);
        }
    }
}
