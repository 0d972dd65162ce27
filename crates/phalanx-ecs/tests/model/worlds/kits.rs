//! Bundles and filters of the model, and how numbers choose among types.

use super::components::{Kind, Lamp, Num, Owned, Seal, value_of};
use phalanx_ecs::prelude::*;

/// A bundle of the model.
pub trait Kit: Bundle + Send {
    fn kinds(out: &mut Vec<usize>);
    fn make(seed: u32) -> Self;

    fn kind_list() -> Vec<usize> {
        let mut kinds = Vec::new();
        Self::kinds(&mut kinds);
        kinds
    }

    /// The kinds and values of a bundle made from `seed`.
    fn parts(seed: u32) -> Vec<(usize, u32)> {
        Self::kind_list().into_iter().map(|kind| (kind, value_of(seed, kind))).collect()
    }
}

impl<T: Kind> Kit for T {
    fn kinds(out: &mut Vec<usize>) {
        out.push(T::KIND);
    }
    fn make(seed: u32) -> Self {
        <T as Kind>::make(value_of(seed, T::KIND))
    }
}

macro_rules! tuple_kit {
    ($($name:ident),*) => {
        impl<$($name: Kit),*> Kit for ($($name,)*) {
            fn kinds(_out: &mut Vec<usize>) {
                $($name::kinds(_out);)*
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn make(_seed: u32) -> Self {
                ($(<$name as Kit>::make(_seed),)*)
            }
        }
    };
}

tuple_kit!();
tuple_kit!(A);
tuple_kit!(A, B);
tuple_kit!(A, B, C);
tuple_kit!(A, B, C, D, E);
tuple_kit!(A, B, C, D, E, F, G, H, I, J);

#[derive(Bundle, Clone, Debug)]
pub struct Creature {
    seal: Seal,
    owned: Owned,
    lamp: Lamp,
    num: Num,
}

impl Kit for Creature {
    fn kinds(out: &mut Vec<usize>) {
        <(Seal, Owned)>::kinds(out);
        <(Lamp, Num)>::kinds(out);
    }
    fn make(seed: u32) -> Self {
        let (seal, owned) = Kit::make(seed);
        let (lamp, num) = Kit::make(seed);
        Self { seal, owned, lamp, num }
    }
}

/// Calls a block with one of several types under a name, chosen by a number.
macro_rules! choose {
    ($number:expr, $name:ident => $block:expr; $($case:pat => $type:ty),* $(,)?) => {
        match $number {
            $($case => {
                type $name = $type;
                $block
            })*
        }
    };
}
pub(crate) use choose;

/// Calls a block with the compiled type of a kind under a name.
macro_rules! with_kind {
    ($kind:expr, $name:ident => $block:expr) => {{
        use $crate::worlds::components::*;
        $crate::worlds::kits::choose!($kind, $name => $block;
            0 => Num, 1 => Small, 2 => Owned, 3 => Wide, 4 => Unique, 5 => Flag, 6 => Seal, 7 => Burn, 8 => Chill,
            9 => Curse, 10 => Needy, 11 => Link, 12 => Root, 13 => Lamp, 14 => Pulse, 15 => Glow, 16 => Mark,
            17 => Ward, 18 => Spark, 19 => Tied, 20 => Knot, 21 => Skin, 22 => Oath, 23 => Name, _ => Uuid,
        )
    }};
}
pub(crate) use with_kind;

/// Calls a block with the type of a kind that can be changed in its place.
macro_rules! with_changeable {
    ($kind:expr, $name:ident => $block:expr) => {{
        use $crate::worlds::components::*;
        $crate::worlds::kits::choose!($kind % FIRST_FIXED, $name => $block;
            0 => Num, 1 => Small, 2 => Owned, 3 => Wide, 4 => Unique, 5 => Flag, 6 => Seal, 7 => Burn, 8 => Chill,
            9 => Curse, 10 => Needy, 11 => Link, 12 => Root, 13 => Lamp, 14 => Pulse, 15 => Glow, 16 => Mark,
            17 => Ward, 18 => Spark, 19 => Tied, _ => Knot,
        )
    }};
}
pub(crate) use with_changeable;

/// Calls a block with the type of a kind whose values belong to one entity.
macro_rules! with_own_kind {
    ($kind:expr, $name:ident => $block:expr) => {
        match $kind {
            $crate::worlds::components::SHARED => {
                type $name = $crate::worlds::components::Num;
                $block
            }
            22.. => $crate::worlds::kits::choose!($kind, $name => $block;
                22 => $crate::worlds::components::Oath,
                23 => $crate::worlds::components::Name,
                _ => $crate::worlds::components::Uuid,
            ),
            kind => $crate::worlds::kits::with_changeable!(kind, $name => $block),
        }
    };
}
pub(crate) use with_own_kind;

/// Calls a block with the type of a kind that can be switched off.
macro_rules! with_toggle {
    ($kind:expr, $name:ident => $block:expr) => {{
        use $crate::worlds::components::*;
        $crate::worlds::kits::choose!($kind, $name => $block;
            14 => Pulse, 15 => Glow, 16 => Mark, 17 => Ward, _ => Spark,
        )
    }};
}
pub(crate) use with_toggle;

/// How many bundles `with_kit` knows.
pub const KITS: u8 = 34;
/// How many of them can be taken off an entity and handed out; then come those that are shared.
pub const OWN_KITS: u8 = 31;
/// The first of those that say what an entity is known by.
pub const FIRST_KNOWN_KIT: u8 = 26;

/// Calls a block with a bundle type under a name; the last ones are given.
macro_rules! choose_kit {
    ($number:expr, $name:ident => $block:expr; $($more:tt)*) => {{
        use $crate::worlds::components::*;
        use $crate::worlds::kits::*;
        choose!($number, $name => $block;
            0 => (),
            1 => Num,
            2 => (Num, Small),
            3 => (Owned, Num),
            4 => (Wide, Flag),
            5 => Flag,
            6 => Seal,
            7 => (Burn,),
            8 => (Curse, Seal, Num),
            9 => Needy,
            10 => (Needy, Link),
            11 => (Unique, Owned, (Chill, Flag)),
            12 => Creature,
            13 => Link,
            14 => (Lamp, Root),
            15 => Owned,
            16 => (Small, Seal),
            17 => Pulse,
            18 => (Glow, Mark),
            19 => (Ward, Pulse, Num),
            20 => (Mark, Spark),
            21 => (Pulse, Glow, Mark, Ward, Spark),
            22 => (Lamp, Num, Tied),
            23 => (Knot, Tied),
            24 => (Tied, Owned),
            25 => (Num, Small, Owned, Wide, Unique, Flag, Seal, Burn, Chill, Curse),
            26 => Oath,
            27 => Name,
            28 => (Uuid, Owned),
            29 => (Flag, Uuid, Oath),
            $($more)*
        )
    }};
}
pub(crate) use choose_kit;

/// Calls a block with a bundle type under a name.
macro_rules! with_kit {
    ($kit:expr, $name:ident => $block:expr) => {
        $crate::worlds::kits::choose_kit!($kit % $crate::worlds::kits::KITS, $name => $block;
            30 => (Name, Uuid),
            31 => Skin,
            32 => (Skin, Num, Oath),
            _ => (Burn, Skin),
        )
    };
}
pub(crate) use with_kit;

/// The same for bundles whose values belong to one entity.
macro_rules! with_own_kit {
    ($kit:expr, $name:ident => $block:expr) => {
        $crate::worlds::kits::choose_kit!($kit % $crate::worlds::kits::OWN_KITS, $name => $block;
            _ => (Name, Uuid),
        )
    };
}
pub(crate) use with_own_kit;

/// The bundles for changes of many entities: few, because each is compiled with each filter. All can be cloned.
pub const BULK_KITS: u8 = 9;

macro_rules! with_bulk_kit {
    ($kit:expr, $name:ident => $block:expr) => {{
        use $crate::worlds::components::*;
        use $crate::worlds::kits::*;
        choose!($kit % BULK_KITS, $name => $block;
            0 => Num,
            1 => (Owned, Flag),
            2 => (Seal, Wide),
            3 => Burn,
            4 => Needy,
            5 => (Pulse, Glow, Skin),
            6 => (Mark, Name),
            7 => Uuid,
            _ => (Num, Chill, Owned),
        )
    }};
}
pub(crate) use with_bulk_kit;

/// Calls a block with a filter type under a name.
macro_rules! with_filter {
    ($filter:expr, $name:ident => $block:expr) => {{
        use $crate::worlds::components::*;
        $crate::worlds::kits::choose!($filter % 11, $name => $block;
            0 => (),
            1 => With<Num>,
            2 => Without<Owned>,
            3 => (With<Flag>, Without<Seal>),
            4 => With<Burn>,
            5 => Or<(With<Wide>, With<Chill>)>,
            6 => Without<Curse>,
            7 => Or<(With<Wide>, With<Needy>)>,
            8 => With<Pulse>,
            9 => Or<(phalanx_ecs::Off<Ward>, With<Glow>)>,
            _ => (With<Num>, Exact),
        )
    }};
}
pub(crate) use with_filter;
