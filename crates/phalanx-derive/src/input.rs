//! Reads the declaration of a type as far as derives need it: attributes, name, generics and fields.
//!
//! The compiler has checked the grammar already, so this reader looks for landmarks and trusts what lies between them.
//! Two things need care: a comma inside `<…>` separates nothing (other brackets are groups already), and
//! what a `macro_rules!` macro passed on as `$ty` or `$vis` comes in an invisible group.

use crate::errors::Errors;
use crate::template::{comma_list, fill};
use proc_macro::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use std::iter::Peekable;
use std::vec::IntoIter;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Struct,
    Enum,
    Union,
}

/// A declared type.
pub(crate) struct Input {
    /// What stands in the brackets of `#[…]`, of those that are for this derive.
    pub(crate) attributes: Vec<TokenStream>,
    pub(crate) kind: Kind,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    /// Of a struct; empty otherwise.
    pub(crate) fields: Vec<Field>,
    /// Of an enum; empty otherwise.
    pub(crate) variants: Vec<Variant>,
    /// Whether fields may lie where references to them are not allowed.
    pub(crate) packed: bool,
}

/// A variant of an enum.
pub(crate) struct Variant {
    pub(crate) name: Ident,
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Field {
    /// Its name, or its number in a tuple struct. Both work in `Self { name: value }`.
    pub(crate) name: TokenTree,
    pub(crate) ty: TokenStream,
    /// The start of the type.
    pub(crate) span: Span,
    /// What stands in the brackets of `#[…]`, of those that are for this derive.
    pub(crate) attributes: Vec<TokenStream>,
}

#[derive(Default)]
pub(crate) struct Generics {
    pub(crate) params: Vec<Param>,
    /// The predicates behind `where`, with a comma behind each.
    pub(crate) predicates: TokenStream,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParamKind {
    Lifetime,
    Type,
    Const,
}

pub(crate) struct Param {
    pub(crate) kind: ParamKind,
    /// As it is used: `'w`, `T`, `N`.
    pub(crate) name: TokenStream,
    /// As it is declared, without a default: `'w`, `T: Clone`, `const N: usize`.
    declaration: TokenStream,
    pub(crate) span: Span,
}

pub(crate) struct Reader {
    tokens: Peekable<IntoIter<TokenTree>>,
}

impl Input {
    /// Reads a declaration; `helper` is the name of the derive's attribute.
    pub(crate) fn read(declaration: TokenStream, helper: &str, errors: &mut Errors) -> Self {
        let packed = Reader::new(declaration.clone()).attributes("repr").into_iter().any(is_packed);
        let mut reader = Reader::new(declaration);
        let attributes = reader.attributes(helper);
        reader.visibility();
        let kind = loop {
            // Skips what may come to stand before the keyword one day.
            match reader.next().expect("a declaration has a keyword").to_string().as_str() {
                "struct" => break Kind::Struct,
                "enum" => break Kind::Enum,
                "union" => break Kind::Union,
                _ => {}
            }
        };
        let name = reader.ident();
        let mut generics = Generics { params: reader.params(), predicates: reader.predicates() };
        let body = match reader.next() {
            Some(TokenTree::Group(body)) => Some(body),
            _ => None,
        };
        if body.as_ref().is_some_and(|body| body.delimiter() == Delimiter::Parenthesis) {
            generics.predicates = reader.predicates();
        }
        if let Some(body) = &body
            && helper != "query"
        {
            refuse_strays(body, helper, errors);
        }
        let (fields, variants) = match body {
            Some(body) if kind == Kind::Struct => (fields(&body, helper), Vec::new()),
            Some(body) if kind == Kind::Enum => (Vec::new(), variants(&body, helper)),
            _ => (Vec::new(), Vec::new()),
        };
        Self { attributes, kind, name, generics, fields, variants, packed }
    }

    /// Reports what is not a struct.
    pub(crate) fn must_be_struct(&self, message: &str, errors: &mut Errors) -> bool {
        if self.kind != Kind::Struct {
            errors.add(self.name.span(), message);
        }
        self.kind == Kind::Struct
    }

    /// Reports lifetime parameters beyond the first `most`.
    pub(crate) fn most_lifetimes(&self, most: usize, message: &str, errors: &mut Errors) -> bool {
        let mut lifetimes = self.generics.lifetimes().skip(most).peekable();
        let fine = lifetimes.peek().is_none();
        lifetimes.for_each(|lifetime| errors.add(lifetime.span, message));
        fine
    }
}

impl Generics {
    /// Whether there are type or const parameters.
    pub(crate) fn is_generic(&self) -> bool {
        self.params.iter().any(|param| param.kind != ParamKind::Lifetime)
    }

    pub(crate) fn lifetimes(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| param.kind == ParamKind::Lifetime)
    }

    /// What stands behind `impl`.
    pub(crate) fn declarations(&self) -> TokenStream {
        angles(self.params.iter().map(|param| &param.declaration))
    }

    /// What stands behind the type's name; every lifetime is `lifetime`, if there is one.
    pub(crate) fn arguments(&self, lifetime: Option<&TokenStream>) -> TokenStream {
        angles(self.params.iter().map(|param| match lifetime {
            Some(lifetime) if param.kind == ParamKind::Lifetime => lifetime,
            _ => &param.name,
        }))
    }
}

/// `<a, b, …>`, or nothing.
fn angles<'a>(list: impl Iterator<Item = &'a TokenStream>) -> TokenStream {
    let span = Span::mixed_site();
    let list = comma_list(span, list);
    if list.is_empty() { list } else { fill(span, "<$list>", &[("list", &list)]) }
}

fn fields(body: &Group, helper: &str) -> Vec<Field> {
    let mut reader = Reader::new(body.stream());
    let mut fields = Vec::new();
    while !reader.is_empty() {
        let attributes = reader.attributes(helper);
        reader.visibility();
        let name = if body.delimiter() == Delimiter::Brace {
            let name = reader.ident();
            reader.next(); // the colon
            name.into()
        } else {
            Literal::usize_unsuffixed(fields.len()).into()
        };
        let ty = reader.until(|token| is(token, ','));
        reader.next(); // the comma
        fields.push(Field { name, span: span_of(&ty), ty: ty.into_iter().collect(), attributes });
    }
    fields
}

fn variants(body: &Group, helper: &str) -> Vec<Variant> {
    let mut reader = Reader::new(body.stream());
    let mut variants = Vec::new();
    while !reader.is_empty() {
        reader.attributes(helper);
        reader.visibility();
        let name = reader.ident();
        // Then `(…)`, `{…}` or nothing, and perhaps `= discriminant`, in which `<` opens a bracket behind `::` only.
        let mut rest: Vec<TokenTree> = Vec::new();
        while let Some(token) = reader.next().filter(|token| !is(token, ',')) {
            let opens = is(&token, '<') && rest.last().is_some_and(|last| is(last, ':'));
            rest.push(token);
            if opens {
                rest.extend(reader.until(|token| is(token, '>')));
            }
        }
        let fields = match rest.first() {
            Some(TokenTree::Group(group)) => fields(group, helper),
            _ => Vec::new(),
        };
        variants.push(Variant { name, fields });
    }
    variants
}

/// Whether an attribute is `repr(…, packed, …)`.
fn is_packed(attribute: TokenStream) -> bool {
    attribute.into_iter().any(|token| {
        matches!(&token, TokenTree::Group(list) if list.stream().into_iter().any(|word| word.to_string() == "packed"))
    })
}

/// Reports the derive's attribute on fields and variants, where the compiler would let it pass unread. Only a query reads it there.
fn refuse_strays(body: &Group, helper: &str, errors: &mut Errors) {
    let mut after_hash = false;
    for token in body.stream() {
        if let TokenTree::Group(group) = &token {
            match group.delimiter() {
                Delimiter::Bracket if after_hash => {
                    if let Some(TokenTree::Ident(name)) = group.stream().into_iter().next()
                        && name.to_string() == helper
                    {
                        errors.add(name.span(), format!("`#[{helper}(…)]` belongs above the type, not inside it"));
                    }
                }
                Delimiter::Bracket => {}
                _ => refuse_strays(group, helper, errors),
            }
        }
        after_hash = is(&token, '#');
    }
}

impl Reader {
    pub(crate) fn new(tokens: TokenStream) -> Self {
        Self { tokens: tokens.into_iter().collect::<Vec<_>>().into_iter().peekable() }
    }

    pub(crate) fn next(&mut self) -> Option<TokenTree> {
        self.tokens.next()
    }

    pub(crate) fn is_empty(&mut self) -> bool {
        self.tokens.peek().is_none()
    }

    pub(crate) fn at(&mut self, mark: char) -> bool {
        self.tokens.peek().is_some_and(|token| is(token, mark))
    }

    /// Reads a `(…)`, if it is there.
    pub(crate) fn parentheses(&mut self) -> Option<Group> {
        match self
            .tokens
            .next_if(|token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis))
        {
            Some(TokenTree::Group(group)) => Some(group),
            _ => None,
        }
    }

    fn ident(&mut self) -> Ident {
        match self.next() {
            Some(TokenTree::Ident(ident)) => ident,
            other => panic!("a name was expected, not {other:?}"),
        }
    }

    /// Skips attributes and returns the insides of those called `helper`.
    fn attributes(&mut self, helper: &str) -> Vec<TokenStream> {
        let mut found = Vec::new();
        while self.at('#') {
            self.next();
            if let Some(TokenTree::Group(brackets)) = self.next() {
                let inside = ungrouped(brackets.stream());
                if inside.clone().into_iter().next().is_some_and(|name| name.to_string() == helper) {
                    found.push(inside);
                }
            }
        }
        found
    }

    /// Skips `pub`, `pub(crate)`, …, or a `$vis`.
    fn visibility(&mut self) {
        let is_pub = |token: &TokenTree| token.to_string() == "pub";
        match self.tokens.peek() {
            Some(TokenTree::Group(group))
                if group.delimiter() == Delimiter::None
                    && group.stream().into_iter().next().is_none_or(|first| is_pub(&first)) =>
            {
                self.next();
            }
            Some(token) if is_pub(token) => {
                self.next();
                if let Some(TokenTree::Group(group)) = self.tokens.peek() {
                    // `pub (crate)`, but not the type in `struct Pair(pub (A, B))`.
                    let inside: Vec<String> = group.stream().into_iter().map(|token| token.to_string()).collect();
                    let inside: Vec<&str> = inside.iter().map(String::as_str).collect();
                    if matches!(inside[..], ["crate" | "self" | "super"] | ["in", ..]) {
                        self.next();
                    }
                }
            }
            _ => {}
        }
    }

    /// Reads up to a token that `stop` accepts, or the end. What stands in `<…>` is not asked about.
    pub(crate) fn until(&mut self, stop: impl Fn(&TokenTree) -> bool) -> Vec<TokenTree> {
        let mut read = Vec::new();
        let mut depth = 0;
        while let Some(token) = self.tokens.peek() {
            if depth == 0 && stop(token) {
                break;
            }
            let arrow = read.last().is_some_and(|last| is(last, '-'));
            if is(token, '<') {
                depth += 1;
            } else if is(token, '>') && !arrow {
                depth -= 1;
            }
            read.extend(self.next());
        }
        read
    }

    /// Reads `<'w, T: Bound, const N: usize>`, if it is there.
    fn params(&mut self) -> Vec<Param> {
        let mut params = Vec::new();
        if !self.at('<') {
            return params;
        }
        self.next();
        while !self.at('>') {
            self.attributes("");
            let param = self.until(|token| is(token, ',') || is(token, '>'));
            if self.at(',') {
                self.next();
            }
            params.push(Param::read(param));
        }
        self.next();
        params
    }

    /// Reads a where clause, if it is there.
    fn predicates(&mut self) -> TokenStream {
        if self.tokens.peek().is_none_or(|token| token.to_string() != "where") {
            return TokenStream::new();
        }
        self.next();
        let is_body =
            |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let read = self.until(|token| is(token, ';') || is_body(token));
        let comma = if read.last().is_none_or(|last| is(last, ',')) { "" } else { "," };
        fill(Span::mixed_site(), &format!("$read {comma}"), &[("read", &read.into_iter().collect())])
    }
}

impl Param {
    fn read(tokens: Vec<TokenTree>) -> Self {
        let (kind, name) = match &tokens[..] {
            [tick, _, ..] if is(tick, '\'') => (ParamKind::Lifetime, &tokens[..2]),
            [word, _, ..] if word.to_string() == "const" => (ParamKind::Const, &tokens[1..2]),
            _ => (ParamKind::Type, &tokens[..1]),
        };
        let span = name.last().expect("a parameter has a name").span();
        let name = name.iter().cloned().collect();
        let mut reader = Reader { tokens: tokens.into_iter().peekable() };
        let declaration = reader.until(|token| is(token, '=')).into_iter().collect();
        Self { kind, name, declaration, span }
    }
}

pub(crate) fn is(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Where tokens start; a lone token is underlined whole.
pub(crate) fn span_of(tokens: &[TokenTree]) -> Span {
    tokens.first().map_or_else(Span::call_site, TokenTree::span)
}

/// What is inside a group that shows nothing, as a `$attribute:meta` of a macro comes in; else the same.
fn ungrouped(tokens: TokenStream) -> TokenStream {
    let mut all = tokens.clone().into_iter();
    match (all.next(), all.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => ungrouped(group.stream()),
        _ => tokens,
    }
}
