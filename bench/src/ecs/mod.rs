//! One module per ECS, each with its cases on the fastest path that its documentation offers.

mod bevy;
mod by_hand;
mod crowds;
mod flecs;
mod hecs;
mod over_time;
pub mod phalanx;
pub mod raw;
mod scenes;
mod scheduled;
mod shared;
mod shipyard;
mod sparsey;
mod specs;
pub mod trees;

use crate::THREADS;
use crate::harness::{Case, Cases};

/// The hand-written struct of arrays.
pub const RAW: &str = "raw";
/// The ECS that the bars are about.
pub const PHALANX: &str = "phalanx";

/// Loops by hand for rows whose `raw` is Phalanx itself; no peer.
pub const BY_HAND: &str = "by_hand";

type Register = fn(&mut Cases);

/// Every ECS with the function that registers its cases; raw first, as the harness expects.
const ALL: &[(&str, Register)] = &[
    (RAW, raw::register),
    (PHALANX, phalanx::register),
    ("bevy", bevy::register),
    ("hecs", hecs::register),
    ("shipyard", shipyard::register),
    ("sparsey", sparsey::register),
    ("specs", specs::register),
    ("flecs", flecs::register),
    (BY_HAND, by_hand::register),
];

/// The names of all ECSs, in the order of the table.
pub const NAMES: &[&str] = &{
    let mut names = [""; ALL.len()];
    let mut i = 0;
    while i < ALL.len() {
        names[i] = ALL[i].0;
        i += 1;
    }
    names
};

/// Every case of every ECS.
pub fn cases() -> Vec<Case> {
    let of_one = |&(name, register): &(&'static str, Register)| {
        let mut cases = Cases::new(name);
        register(&mut cases);
        cases.into_vec()
    };
    ALL.iter().flat_map(of_one).collect()
}

/// Starts rayon's global pool (raw, hecs, shipyard, sparsey, specs) and bevy's.
pub fn start_thread_pools() {
    let rayon = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build_global();
    rayon.expect("nobody else starts rayon's global pool");
    bevy::start_thread_pool();
}
