//! Text with `$holes` that becomes tokens.
//!
//! ```text
//! fill(span, "impl $core::Bundle for $name {}", &[("core", …), ("name", …)])
//! ```
//! All tokens of the text get the same span: errors about them point there. Local variables of the text and of the user
//! do not see each other (`mixed_site`). What fills a hole keeps its own spans.

use proc_macro::{Group, Literal, Span, TokenStream, TokenTree};

/// The most members a tuple of terms or arguments can have.
pub(crate) const MOST: usize = 16;
/// The most members that the parts of a bundle can have.
pub(crate) const MOST_PARTS: usize = 4;

/// Turns `template` into tokens that point to `at`.
pub(crate) fn fill(at: Span, template: &str, holes: &[(&str, &TokenStream)]) -> TokenStream {
    let tokens: TokenStream = template.parse().expect("templates are valid tokens");
    place(tokens, Span::mixed_site().located_at(at), holes)
}

fn place(tokens: TokenStream, span: Span, holes: &[(&str, &TokenStream)]) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter();
    while let Some(mut token) = tokens.next() {
        match &token {
            TokenTree::Punct(mark) if mark.as_char() == '$' => {
                let name = tokens.next().expect("a hole has a name").to_string();
                let (_, filling) =
                    holes.iter().find(|(hole, _)| *hole == name).unwrap_or_else(|| panic!("no filling for ${name}"));
                out.extend(TokenStream::clone(filling));
                continue;
            }
            TokenTree::Group(group) => {
                token = Group::new(group.delimiter(), place(group.stream(), span, holes)).into();
            }
            _ => {}
        }
        token.set_span(span);
        out.extend([token]);
    }
    out
}

/// A string literal.
pub(crate) fn text(text: &str) -> TokenStream {
    TokenTree::from(Literal::string(text)).into()
}

/// Types, patterns or expressions as one tuple, nested where they are too many: `((a, …, p), (q, r))`.
pub(crate) fn tuple(at: Span, most: usize, mut members: Vec<TokenStream>) -> TokenStream {
    while members.len() > most {
        members =
            members.chunks(most).map(|members| fill(at, "($list)", &[("list", &comma_list(at, members))])).collect();
    }
    fill(at, "($list)", &[("list", &comma_list(at, &members))])
}

/// `a, b, …,` with a comma behind each.
pub(crate) fn comma_list<'a>(at: Span, items: impl IntoIterator<Item = &'a TokenStream>) -> TokenStream {
    items.into_iter().map(|item| fill(at, "$item,", &[("item", item)])).collect()
}
