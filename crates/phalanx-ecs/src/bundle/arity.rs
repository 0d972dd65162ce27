//! How many members a tuple may have: the lists that everything written for tuples is made from.

/// Calls a macro with `A 0`, `A 0, B 1`, … up to four members.
macro_rules! for_each_short_tuple {
    ($macro:ident) => {
        $macro!(A 0);
        $macro!(A 0, B 1);
        $macro!(A 0, B 1, C 2);
        $macro!(A 0, B 1, C 2, D 3);
    };
}
pub(crate) use for_each_short_tuple;

/// Calls a macro with five to sixteen members, in groups of up to four: of each group its number, and of each member its place in the whole and in the group.
macro_rules! for_each_long_tuple {
    ($macro:ident) => {
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1, G 6 2]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1, G 6 2, H 7 3]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1, G 6 2, H 7 3] [2: I 8 0]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1, G 6 2, H 7 3] [2: I 8 0, J 9 1]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1, G 6 2, H 7 3] [2: I 8 0, J 9 1, K 10 2]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1, G 6 2, H 7 3] [2: I 8 0, J 9 1, K 10 2, L 11 3]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1, G 6 2, H 7 3] [2: I 8 0, J 9 1, K 10 2, L 11 3] [3: M 12 0]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1, G 6 2, H 7 3] [2: I 8 0, J 9 1, K 10 2, L 11 3] [3: M 12 0, N 13 1]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1, G 6 2, H 7 3] [2: I 8 0, J 9 1, K 10 2, L 11 3] [3: M 12 0, N 13 1, O 14 2]);
        $macro!([0: A 0 0, B 1 1, C 2 2, D 3 3] [1: E 4 0, F 5 1, G 6 2, H 7 3] [2: I 8 0, J 9 1, K 10 2, L 11 3] [3: M 12 0, N 13 1, O 14 2, P 15 3]);
    };
}
pub(crate) use for_each_long_tuple;
