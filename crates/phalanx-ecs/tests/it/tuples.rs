//! Tuples of every length: bundles, columns, queries, filters.

use phalanx_ecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Value<const N: u32>(u32);

/// Checks that a tuple of these members is in order wherever tuples go.
macro_rules! check {
    ($first:ident 0 $(, $name:ident $n:literal)*) => {
        check!($first; $first 0 $(, $name $n)*)
    };
    ($first:ident; $($name:ident $n:literal),+) => {{
        let count = [$($n),+].len();
        let values = |base: u32| ($(Value::<$n>(base + $n),)+);
        let mut world = World::new();
        let one = world.spawn(values(100));
        assert_eq!(world.spawn_batch((0..3).map(|_| values(200))).len(), 3);
        assert_eq!(world.spawn_columns(($(vec![Value::<$n>(300 + $n); 2],)+)).unwrap().len(), 2);
        let lacking = world.spawn(values(400));
        assert!(world.remove::<Value<0>>(lacking).is_ok());
        $(assert_eq!(world.get::<Value<$n>>(one).unwrap().0, 100 + $n, "{count} members");)+

        let mut bases = Vec::new();
        for ($($name,)+) in world.query::<($(&mut Value<$n>,)+)>().iter_mut() {
            let base = $first.0;
            bases.push(base);
            $(assert_eq!($name.0, base + $n, "{count} members"); $name.0 += 1000;)+
        }
        assert_eq!(bases, [100, 200, 200, 200, 300, 300], "{count} members");
        let mut rows = 0;
        for ($($name,)+) in world.query::<($(&Value<$n>,)+)>().chunks() {
            rows += $first.len();
            $(assert!($first.iter().zip($name).all(|(first, other)| other.0 == first.0 + $n), "{count} members");)+
        }
        assert_eq!(rows, 6);

        // All of them, one of them, any of them.
        assert_eq!(world.query_filtered::<Entity, ($(With<Value<$n>>,)+)>().count(), 6);
        let some = if count == 1 { 6 } else { 7 };
        assert_eq!(world.query_filtered::<Entity, Or<($(With<Value<$n>>,)+)>>().count(), some);
        let mut found = 0;
        for ($($name,)+) in world.query::<AnyOf<($(&Value<$n>,)+)>>().iter() {
            found += [$($name.map(|value| value.0 % 100) == Some($n)),+].iter().filter(|same| **same).count();
        }
        assert_eq!(found, 7 * count - 1);

        let taken = world.take::<($(Value<$n>,)+)>(one).unwrap();
        let ($($name,)+) = taken;
        $(assert_eq!($name.0, 1100 + $n, "{count} members");)+
        assert_eq!(world.query_filtered::<Entity, ($(Without<Value<$n>>,)+)>().count(), if count == 1 { 2 } else { 1 });
        world.validate().unwrap();
    }};
}

#[test]
fn tuples_of_one_to_sixteen_members_keep_their_order_everywhere() {
    check!(a 0);
    check!(a 0, b 1);
    check!(a 0, b 1, c 2);
    check!(a 0, b 1, c 2, d 3);
    check!(a 0, b 1, c 2, d 3, e 4);
    check!(a 0, b 1, c 2, d 3, e 4, f 5);
    check!(a 0, b 1, c 2, d 3, e 4, f 5, g 6);
    check!(a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7);
    check!(a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7, i 8);
    check!(a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7, i 8, j 9);
    check!(a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10);
    check!(a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11);
    check!(a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12);
    check!(a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13);
    check!(a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13, o 14);
    check!(a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13, o 14, p 15);
}
