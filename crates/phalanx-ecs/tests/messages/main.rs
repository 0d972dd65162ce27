//! Every message a user can meet, compared with `snapshots/*.txt` word for word.
//!
//! | file | messages |
//! |---|---|
//! | `entity` | `error[E…]`: handles, room |
//! | `component` | `error[C…]`: bundles, registration, lookups, values chosen at run time |
//! | `query` | `error[Q…]`, explanations, plans |
//! | `observer` | `error[O…]`: hooks and observers |
//! | `resource` | `error[R…]`: resources; readers and queues |
//! | `world` | statistics, memory, short forms for debugging |
//! | `panics` | where there is no `Result`: what is said, and where the finger points |
//! | `claim` | `error[L…]`: plans, claims, tickets |
//! | `command` | `error[K…]`: commands that cannot be done |
//! | `codes` | every code has a snapshot, and one meaning |
//!
//! A message that changed on purpose is written anew with `PHALANX_BLESS=1 cargo test -p phalanx-ecs --test messages`.

#![cfg(feature = "parallel")]

mod claim;
mod codes;
mod command;
mod component;
mod entity;
mod observer;
mod panics;
mod query;
mod resource;
mod snapshot;
mod world;
