//! Names in messages.

use std::borrow::Cow;

/// A name as messages show it, between back quotes: in one line, whatever is in it.
pub(crate) fn shown(name: &str) -> Cow<'_, str> {
    if !name.contains(breaks) {
        return Cow::Borrowed(name);
    }
    let mut shown = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        match c {
            '`' => shown.push_str("\\`"),
            c if breaks(c) => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Whether a character would end the name or the line, or turn around what is read.
fn breaks(c: char) -> bool {
    c.is_control()
        || matches!(c, '`' | '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_a_message_is_escaped_and_nothing_else() {
        for name in ["Physics", "physics → sound", "größer \"als\" 'x'", "閉じる", "a\\n"] {
            assert!(matches!(shown(name), Cow::Borrowed(same) if same == name));
        }
        assert_eq!(shown("a\nb`c\u{1b}\u{2028}é"), "a\\nb\\`c\\u{1b}\\u{2028}é");
    }
}
