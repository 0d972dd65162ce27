//! The work of `heavy_compute`: invert a 4×4 matrix a hundred times, then turn a vector with it.

use crate::components::{Position, Transform};

/// Inversions per entity. An even number, so that the result stays near the start.
const INVERSIONS: usize = 100;

/// What `heavy_compute` does to one entity; shared by all, so that all compile the same loop.
#[inline(always)]
pub fn heavy_work(transform: &mut Transform, position: &mut Position) {
    for _ in 0..INVERSIONS {
        transform.rows = inverse(&transform.rows);
    }
    *position = transformed(&transform.rows, position);
}

/// The inverse by cofactors of 2×2 minors.
///
/// Out of line on purpose: inlined it would be compiled a little differently for each ECS, and the
/// row is about who shares out the work, not about the maths.
#[inline(never)]
fn inverse(m: &[[f32; 4]; 4]) -> [[f32; 4]; 4] {
    let [[a00, a01, a02, a03], [a10, a11, a12, a13], [a20, a21, a22, a23], [a30, a31, a32, a33]] = *m;

    let b00 = a00 * a11 - a01 * a10;
    let b01 = a00 * a12 - a02 * a10;
    let b02 = a00 * a13 - a03 * a10;
    let b03 = a01 * a12 - a02 * a11;
    let b04 = a01 * a13 - a03 * a11;
    let b05 = a02 * a13 - a03 * a12;
    let b06 = a20 * a31 - a21 * a30;
    let b07 = a20 * a32 - a22 * a30;
    let b08 = a20 * a33 - a23 * a30;
    let b09 = a21 * a32 - a22 * a31;
    let b10 = a21 * a33 - a23 * a31;
    let b11 = a22 * a33 - a23 * a32;

    let determinant = b00 * b11 - b01 * b10 + b02 * b09 + b03 * b08 - b04 * b07 + b05 * b06;
    let scale = 1.0 / determinant;

    [
        [
            (a11 * b11 - a12 * b10 + a13 * b09) * scale,
            (a02 * b10 - a01 * b11 - a03 * b09) * scale,
            (a31 * b05 - a32 * b04 + a33 * b03) * scale,
            (a22 * b04 - a21 * b05 - a23 * b03) * scale,
        ],
        [
            (a12 * b08 - a10 * b11 - a13 * b07) * scale,
            (a00 * b11 - a02 * b08 + a03 * b07) * scale,
            (a32 * b02 - a30 * b05 - a33 * b01) * scale,
            (a20 * b05 - a22 * b02 + a23 * b01) * scale,
        ],
        [
            (a10 * b10 - a11 * b08 + a13 * b06) * scale,
            (a01 * b08 - a00 * b10 - a03 * b06) * scale,
            (a30 * b04 - a31 * b02 + a33 * b00) * scale,
            (a21 * b02 - a20 * b04 - a23 * b00) * scale,
        ],
        [
            (a11 * b07 - a10 * b09 - a12 * b06) * scale,
            (a00 * b09 - a01 * b07 + a02 * b06) * scale,
            (a31 * b01 - a30 * b03 - a32 * b00) * scale,
            (a20 * b03 - a21 * b01 + a22 * b00) * scale,
        ],
    ]
}

/// The position turned by the upper left 3×3 part.
#[inline(always)]
fn transformed(m: &[[f32; 4]; 4], p: &Position) -> Position {
    Position {
        x: m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z,
        y: m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z,
        z: m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z,
    }
}

#[cfg(test)]
mod tests {
    use super::inverse;

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let m = [[2.0, 1.0, 0.0, 3.0], [0.0, 1.0, 4.0, 1.0], [1.0, 0.0, 2.0, 0.0], [5.0, 1.0, 1.0, 1.0]];
        let n = inverse(&m);
        for (row, cells) in m.iter().enumerate() {
            for column in 0..4 {
                let product: f32 = cells.iter().zip(&n).map(|(cell, other)| cell * other[column]).sum();
                let expected = if row == column { 1.0 } else { 0.0 };
                assert!((product - expected).abs() < 1e-5, "{row},{column}: {product}");
            }
        }
    }
}
