use phalanx_ecs::__private::Bitwise;
use phalanx_ecs::prelude::*;

struct Owned(Box<u8>);

impl Component for Owned {
    const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
}

fn main() {}
