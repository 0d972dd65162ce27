//! What must work: one test or several per row of the list of behaviours, named by the row's id.

#[path = "../it/hostile.rs"]
mod hostile;

mod c;
mod e;
mod q;
mod x;
