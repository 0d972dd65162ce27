//! How many members a tuple may have: the lists that everything written for tuples is made from.

/// Calls a macro with `A 0`, `A 0, B 1`, … up to eight members.
macro_rules! for_each_short_tuple {
    ($macro:ident) => {
        $macro!(A 0);
        $macro!(A 0, B 1);
        $macro!(A 0, B 1, C 2);
        $macro!(A 0, B 1, C 2, D 3);
        $macro!(A 0, B 1, C 2, D 3, E 4);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
    };
}
pub(crate) use for_each_short_tuple;

/// Calls a macro with nine to sixteen members, as two tuples: `A 0, …, H 7; I 8 0, J 9 1, …`.
macro_rules! for_each_long_tuple {
    ($macro:ident) => {
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7; I 8 0);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7; I 8 0, J 9 1);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7; I 8 0, J 9 1, K 10 2);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7; I 8 0, J 9 1, K 10 2, L 11 3);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7; I 8 0, J 9 1, K 10 2, L 11 3, M 12 4);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7; I 8 0, J 9 1, K 10 2, L 11 3, M 12 4, N 13 5);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7; I 8 0, J 9 1, K 10 2, L 11 3, M 12 4, N 13 5, O 14 6);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7; I 8 0, J 9 1, K 10 2, L 11 3, M 12 4, N 13 5, O 14 6, P 15 7);
    };
}
pub(crate) use for_each_long_tuple;

/// Calls a macro with `A 0`, `A 0, B 1`, … up to sixteen members.
macro_rules! for_each_tuple {
    ($macro:ident) => {
        $crate::bundle::arity::for_each_short_tuple!($macro);
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
pub(crate) use for_each_tuple;
