//! [`sort_by`].

/// Sorts by heap. Items of which neither is before the other come in any order, but in the same one for the same list.
pub(crate) fn sort_by<T>(items: &mut [T], is_before: impl Fn(&T, &T) -> bool) {
    for root in (0..items.len() / 2).rev() {
        sink(items, root, &is_before);
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sink(&mut items[..end], 0, &is_before);
    }
}

/// Lets an item sink until none below it comes after it.
fn sink<T>(items: &mut [T], mut at: usize, is_before: &impl Fn(&T, &T) -> bool) {
    loop {
        let mut last = at;
        for child in [2 * at + 1, 2 * at + 2] {
            if child < items.len() && is_before(&items[last], &items[child]) {
                last = child;
            }
        }
        if last == at {
            return;
        }
        items.swap(at, last);
        at = last;
    }
}

#[cfg(test)]
mod tests {
    use super::sort_by;

    #[test]
    #[cfg_attr(miri, ignore = "safe code, and long")]
    fn every_list_comes_out_as_the_standard_sort_has_it() {
        let mut state = 7_u64;
        for len in 0..200_usize {
            let mut items: Vec<u64> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    state >> 56
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sort_by(&mut items, |a, b| a < b);
            assert_eq!(items, expected);
            sort_by(&mut items, |a, b| a > b);
            expected.reverse();
            assert_eq!(items, expected);
        }
    }
}
