//! Layer 6: systems: functions whose arguments say what they read and write.
//!
//! ```text
//! fn move_all(time: Time, mut bodies: Query<(&mut Position, &Velocity)>)
//!                │                     │
//!          Time: Param          Query<…>: Param        once: `plan` → a state each, and one `Plan` for all
//!                │                     │
//! turn ──────► take ───────────────► take              each run: the states turn a claim into arguments
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `param` | [`Param`]: what an argument must be able to do |
//! | `params` | the arguments there are |
//! | `turn` | [`Turn`]: one run of a system, from which arguments are taken |
//! | `function` | functions and closures as systems |
//! | `system` | [`System`]: a function with what it keeps, made for one world |
//! | `outcome` | what functions may return |
//! | `refusal` | why a function cannot be a system of a world, or failed |

mod function;
mod once;
mod outcome;
mod param;
mod params;
mod refusal;
#[expect(clippy::module_inception, reason = "a file bears the name of its main type")]
mod system;
mod turn;

pub use function::{In, SystemFn};
pub use once::{run_once, run_once_with};
pub use outcome::Outcome;
pub use param::Param;
pub use params::{Local, Losses, Reader, Res, Writer};
pub use refusal::{Refusal, SystemError};
pub(crate) use system::{AnySystem, Moment, Place};
pub use system::{IntoSystem, Named, Pipe, System};
pub use turn::Turn;

/// Calls a macro with the names and numbers of up to 16 types.
macro_rules! for_each_arity {
    ($macro:ident) => {
        $macro!();
        $macro!(A 0);
        $macro!(A 0, B 1);
        $macro!(A 0, B 1, C 2);
        $macro!(A 0, B 1, C 2, D 3);
        $macro!(A 0, B 1, C 2, D 3, E 4);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15);
    };
}
pub(crate) use for_each_arity;
