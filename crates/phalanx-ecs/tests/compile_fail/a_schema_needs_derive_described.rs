//! Only described types have a schema.

use phalanx_ecs::Schema;

struct Engine;

fn main() {
    Schema::of::<Engine>();
}
