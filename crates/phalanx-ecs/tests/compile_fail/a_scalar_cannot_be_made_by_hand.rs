use phalanx_ecs::prelude::*;

#[derive(Clone, Copy)]
struct Fraction(u32);

impl Plain for Fraction {
    type Scalar = Fraction;
    fn visit_scalars(&self, visit: &mut impl FnMut(&Fraction)) {
        visit(self);
    }
    fn visit_scalars_mut(&mut self, visit: &mut impl FnMut(&mut Fraction)) {
        visit(self);
    }
}

fn main() {}
