use phalanx_schedule::Engine;
use std::error::Error;

fn load() -> Result<(), Box<dyn Error>> {
    Ok(())
}

fn main() {
    let _ = Engine::new().add(load);
}
