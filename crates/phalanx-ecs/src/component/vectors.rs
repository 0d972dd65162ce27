//! The vectors, rotations and matrices of `glam`, described: they count in checksums, and schemas show them as the numbers they are.

use super::{Described, Describer, Folder, Kind, Plain};
use glam::{Affine2, Affine3, Affine3A, Mat2, Mat3, Mat3A, Mat4, Quat, Vec2, Vec3, Vec3A, Vec4};

macro_rules! described {
    ($($read:ident: $($t:ty, $count:literal)*;)*) => {$($(
        impl Described for $t {
            fn describe(describer: &mut Describer) -> Kind {
                <[f32; $count]>::describe(describer)
            }

            fn fold_into(&self, folder: &mut Folder) {
                self.$read().fold_into(folder);
            }
        }
    )*)*};
}

described! {
    to_array: Vec2, 2 Vec3, 3 Vec3A, 3 Vec4, 4 Quat, 4;
    to_cols_array: Mat2, 4 Mat3, 9 Mat3A, 9 Mat4, 16 Affine2, 6 Affine3, 12 Affine3A, 12;
}

macro_rules! plain {
    ($($t:ty, $count:literal;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Plain for $t {
            type Scalar = f32;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn visit_scalars(&self, visit: &mut impl FnMut(&f32)) {
                AsRef::<[f32; $count]>::as_ref(self).visit_scalars(visit);
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn visit_scalars_mut(&mut self, visit: &mut impl FnMut(&mut f32)) {
                AsMut::<[f32; $count]>::as_mut(self).visit_scalars_mut(visit);
            }
        }
    )*};
}

plain! {
    Vec2, 2;
    Vec3, 3;
    Vec4, 4;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::{flat, flat_mut};

    fn sum(value: &impl Described) -> u64 {
        let mut folder = Folder::new();
        value.fold_into(&mut folder);
        folder.sum()
    }

    #[test]
    fn every_number_of_them_counts() {
        assert_ne!(sum(&Vec3::X), sum(&Vec3::Y));
        assert_ne!(sum(&Quat::IDENTITY), sum(&-Quat::IDENTITY));
        assert_ne!(sum(&Vec3A::ZERO), sum(&Vec3A::new(0.0, 0.0, -0.0)));
        for at in 0..16 {
            let mut columns = Mat4::IDENTITY.to_cols_array();
            columns[at] += 1.0;
            assert_ne!(sum(&Mat4::from_cols_array(&columns)), sum(&Mat4::IDENTITY), "number {at}");
        }
    }

    #[test]
    fn vectors_lie_flat() {
        let mut vectors = [Vec3::X, Vec3::Y];
        assert_eq!(flat(&vectors), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        flat_mut(&mut vectors)[2] = 5.0;
        assert_eq!(vectors[0], Vec3::new(1.0, 0.0, 5.0));
    }
}
