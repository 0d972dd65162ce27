//! As many arguments as a system can have.

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
