use phalanx_ecs::flat;

#[derive(Clone, Copy)]
struct Position {
    x: f32,
}

fn main() {
    flat(&[Position { x: 1.0 }]);
}
