//! What stands in `#[component(…)]`, `#[bundle(…)]`, `#[query(…)]` and `#[plain(…)]`.
//!
//! ```text
//! #[component(hidden, name = "Car", requires(Position, Wheels = Wheels(4)))]
//!             flag    text          list
//! ```
//! Each setting is known and given once, or it is reported with the list of those that are known.

use crate::errors::Errors;
use crate::input::{Reader, is, span_of};
use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

struct Setting {
    name: String,
    span: Span,
    value: Value,
}

enum Value {
    /// `name`
    Nothing,
    /// `name = tokens`
    Tokens(Vec<TokenTree>),
    /// `name(list)`
    List(Group),
}

/// The settings of one derive on one type.
pub(crate) struct Settings(Vec<Setting>);

/// One entry of `requires(…)`: a type, and how to make it.
pub(crate) struct Entry {
    pub(crate) ty: TokenStream,
    pub(crate) span: Span,
    pub(crate) value: Option<TokenStream>,
}

impl Settings {
    pub(crate) fn read(attributes: &[TokenStream], helper: &str, known: &[&str], errors: &mut Errors) -> Self {
        let mut settings = Self(Vec::new());
        for attribute in attributes {
            let mut reader = Reader::new(attribute.clone());
            let span = reader.next().map_or_else(Span::call_site, |name| name.span());
            match reader.next() {
                Some(TokenTree::Group(list)) if list.delimiter() == Delimiter::Parenthesis => {
                    settings.read_list(&list, known, errors);
                }
                _ => errors.add(span, format!("write `#[{helper}(…)]` with {} inside", one_of(known))),
            }
        }
        settings
    }

    fn read_list(&mut self, list: &Group, known: &[&str], errors: &mut Errors) {
        let mut reader = Reader::new(list.stream());
        while let Some(token) = reader.next() {
            let TokenTree::Ident(ident) = token else {
                errors.add(token.span(), format!("{} was expected here", one_of(known)));
                return;
            };
            let value = read_value(&mut reader);
            self.add(&ident, value, known, errors);
            if let Some(token) = reader.next()
                && !is(&token, ',')
            {
                errors.add(token.span(), "a comma was expected here");
                return;
            }
        }
    }

    fn add(&mut self, ident: &Ident, value: Value, known: &[&str], errors: &mut Errors) {
        let (name, span) = (ident.to_string(), ident.span());
        if !known.contains(&name.as_str()) {
            let meant = match name.as_str() {
                "table" | "sparse" if known.contains(&"storage") => format!("; did you mean `storage = \"{name}\"`?"),
                "tracked" if known.contains(&"track") => "; did you mean `track`?".into(),
                "toggled" | "toggleable" if known.contains(&"toggle") => "; did you mean `toggle`?".into(),
                _ => format!("; known: {}", one_of(known)),
            };
            errors.add(span, format!("unknown attribute `{name}`{meant}"));
        } else if self.find(&name).is_some() {
            errors.add(span, format!("`{name}` is given twice; known, each at most once: {}", one_of(known)));
        } else {
            self.0.push(Setting { name, span, value });
        }
    }

    fn find(&self, name: &str) -> Option<&Setting> {
        self.0.iter().find(|setting| setting.name == name)
    }

    /// Where `name` is, in whatever form, if it is there.
    pub(crate) fn place(&self, name: &str) -> Option<Span> {
        self.find(name).map(|setting| setting.span)
    }

    /// Whether `name` is there; it stands alone.
    pub(crate) fn flag(&self, name: &str, errors: &mut Errors) -> bool {
        let found = self.find(name);
        if let Some(Setting { span, value: Value::Tokens(_) | Value::List(_), .. }) = found {
            errors.add(*span, format!("`{name}` stands alone, without a value"));
        }
        found.is_some()
    }

    /// The string literal in `name = "…"`; `values` are those it can be, or one that shows what is meant.
    pub(crate) fn text(&self, name: &str, values: &[&str], errors: &mut Errors) -> Option<TokenTree> {
        let setting = self.find(name)?;
        if let Value::Tokens(tokens) = &setting.value
            && let [token] = &tokens[..]
            && let literal = lone(token)
            && unquote(&literal).is_some()
        {
            return Some(literal);
        }
        let values: Vec<String> = values.iter().map(|value| format!("{name} = \"{value}\"")).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        errors.add(setting.span, format!("write {}", one_of(&values)));
        None
    }

    /// The expression in `name = …`; `value` is one that shows what is meant.
    pub(crate) fn expression(&self, name: &str, value: &str, errors: &mut Errors) -> Option<Vec<TokenTree>> {
        let setting = self.find(name)?;
        if let Value::Tokens(tokens) = &setting.value
            && !tokens.is_empty()
        {
            return Some(tokens.clone());
        }
        errors.add(setting.span, format!("write `{name} = {value}`"));
        None
    }

    /// The entries of `name(A, B = value)`.
    pub(crate) fn list(&self, name: &str, errors: &mut Errors) -> Vec<Entry> {
        let Some(setting) = self.find(name) else { return Vec::new() };
        let Value::List(list) = &setting.value else {
            errors.add(setting.span, format!("write `{name}(A, B = value, …)`"));
            return Vec::new();
        };
        let mut reader = Reader::new(list.stream());
        let mut entries = Vec::new();
        while !reader.is_empty() {
            let ty = reader.until(|token| is(token, ',') || is(token, '='));
            if ty.is_empty() {
                errors.add(setting.span, format!("a type is missing in `{name}(…)`"));
                return entries;
            }
            let value = match reader.next() {
                Some(mark) if is(&mark, '=') => Some(read_expression(&mut reader)),
                _ => None,
            };
            if value.is_some() {
                reader.next(); // the comma
            }
            entries.push(Entry {
                span: span_of(&ty),
                ty: ty.into_iter().collect(),
                value: value.map(|tokens| tokens.into_iter().collect()),
            });
        }
        entries
    }
}

fn read_value(reader: &mut Reader) -> Value {
    if reader.at('=') {
        reader.next();
        return Value::Tokens(read_expression(reader));
    }
    match reader.parentheses() {
        Some(list) => Value::List(list),
        None => Value::Nothing,
    }
}

/// Reads an expression up to a comma. `<` opens a bracket behind `::` and where an expression starts; elsewhere it compares.
fn read_expression(reader: &mut Reader) -> Vec<TokenTree> {
    let mut read: Vec<TokenTree> = Vec::new();
    while !reader.is_empty() && !reader.at(',') {
        let opens = reader.at('<') && read.last().is_none_or(|last| is(last, ':'));
        read.extend(reader.next());
        if opens {
            read.extend(reader.until(|token| is(token, '>')));
            read.extend(reader.next());
        }
    }
    read
}

/// The token inside an invisible group, as a `macro_rules!` macro makes one for `$text:literal`.
fn lone(token: &TokenTree) -> TokenTree {
    if let TokenTree::Group(group) = token
        && group.delimiter() == Delimiter::None
        && let Some(inner) = group.stream().into_iter().next()
    {
        return inner;
    }
    token.clone()
}

/// The text of a plain string literal; `None` for anything else.
pub(crate) fn unquote(literal: &TokenTree) -> Option<String> {
    let text = literal.to_string();
    Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned())
}

/// "`a`, `b` or `c`".
fn one_of(known: &[&str]) -> String {
    let quoted: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    match &quoted[..] {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        all => all.concat(),
    }
}
