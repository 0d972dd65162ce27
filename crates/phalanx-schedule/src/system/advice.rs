//! What to type instead of two arguments that get in each other's way.
//!
//! By the labels that the parts of a plan have, which are about what was written: ``query `&mut Health filtered by With<Player>` ``. What is advised must not be refused in its turn.

use phalanx_ecs::{Clash, ClashSide};

/// The parts of a query's label: what it asks for, and its filter.
fn query_parts(part: &str) -> Option<Asked<'_>> {
    let inside = part.strip_prefix("query `")?.strip_suffix('`')?;
    let (terms, filter) = inside.split_once(" filtered by ").map_or((inside, None), |(terms, by)| (terms, Some(by)));
    Some(Asked { terms, filter })
}

/// An argument as it stands in the function, by the label that its part of the plan has.
pub(crate) fn argument(side: &ClashSide) -> String {
    if let Some(query) = query_parts(&side.part) {
        return query.with(None);
    }
    let (kind, name) = side.part.split_once(" `").unwrap_or(("", &side.part));
    let name = name.trim_matches('`');
    let gone = name.strip_prefix("Gone<").and_then(|rest| rest.strip_suffix('>'));
    let main = name.strip_prefix("MainThread<").and_then(|rest| rest.strip_suffix('>'));
    match (kind, side.writes, main.or(gone)) {
        ("resource", true, Some(value)) => format!("MainMut<{value}>"),
        ("resource", false, Some(value)) => format!("Main<{value}>"),
        ("resource", true, _) => format!("ResMut<{name}>"),
        ("resource", false, _) => format!("Res<{name}>"),
        ("events", false, Some(component)) => format!("Losses<{component}>"),
        ("events", true, _) => format!("Writer<{name}>"),
        ("events", false, None) => format!("Reader<{name}>"),
        _ => name.to_owned(),
    }
}

/// What to type instead of two arguments that are in each other's way.
pub(super) fn help(clash: &Clash) -> String {
    let (first, second) = (argument(&clash.first), argument(&clash.second));
    let of = |world: &str| if first == world { Some(&second) } else { Some(&first).filter(|_| second == world) };
    if of("&mut World").is_some() {
        return "let the system take `world: &mut World` alone, and ask the world for the rest: `world.query::<…>()`, `world.resource::<…>()`".into();
    }
    if let Some(other) = of("&World") {
        return format!(
            "`&World` reads everything, also what `{other}` writes: take what the system reads instead, as in `Query<&…>` or `Res<…>`"
        );
    }
    if let (Some(one), Some(other)) = (query_parts(&clash.first.part), query_parts(&clash.second.part)) {
        let component = clash.what.strip_prefix("component `").and_then(|rest| rest.strip_suffix('`')).unwrap_or("…");
        return help_queries(component, one, other);
    }
    match (clash.first.writes, clash.second.writes) {
        (true, true) => format!("take `{first}` once"),
        // Of a resource, or of a value of the main thread.
        _ if first.starts_with("Res") || first.starts_with("Main") => {
            let writes = if clash.first.writes { &first } else { &second };
            format!("take `{writes}` alone: what can be written can be read too")
        }
        _ => "make it two systems: one that reads and one that sends".into(),
    }
}

/// What to type instead of two queries, of which one writes a component that the other uses too.
fn help_queries(component: &str, one: Asked<'_>, other: Asked<'_>) -> String {
    if let Some((one, other)) = told_apart(one, other) {
        return format!(
            "keep the two apart by what tells them apart already: `{one}` and `{other}`; or ask for `{component}` once, by `&mut {component}`, which reads and writes"
        );
    }
    // A name that stands for none of what they ask for already.
    let tag = ["Player", "Enemy", "Marked"].into_iter().find(|name| !one.mentions(name) && !other.mentions(name));
    let tag = tag.unwrap_or("OfTheFirst");
    let (one_with, other_without) =
        (one.with(Some(&format!("With<{tag}>"))), other.with(Some(&format!("Without<{tag}>"))));
    let alone = together(one, other).map_or_else(
        || format!("ask for `{component}` once, by `&mut {component}`, which reads and writes"),
        |both| format!("take `{both}` alone: `&mut {component}` reads and writes"),
    );
    format!(
        "{alone}; or keep the two apart by a component that only one of them is about, say `{tag}`: `{one_with}` and `{other_without}`"
    )
}

/// What a query asks for, and among whom: as it was written.
#[derive(Clone, Copy)]
struct Asked<'a> {
    terms: &'a str,
    filter: Option<&'a str>,
}

impl Asked<'_> {
    /// The query, with one filter more.
    fn with(self, more: Option<&str>) -> String {
        let mut filters = self.filter.map_or(Vec::new(), members);
        filters.extend(more);
        match &filters[..] {
            [] => format!("Query<{}>", self.terms),
            [one] => format!("Query<{}, {one}>", self.terms),
            several => format!("Query<{}, ({})>", self.terms, several.join(", ")),
        }
    }

    fn mentions(self, name: &str) -> bool {
        self.terms.contains(name) || self.filter.is_some_and(|filter| filter.contains(name))
    }
}

/// The members of a tuple; of all else, itself.
fn members(text: &str) -> Vec<&str> {
    let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return vec![text] };
    let (mut members, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            ',' if depth == 0 => {
                members.push(inside[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    members.push(inside[from..].trim());
    members.retain(|member| !member.is_empty());
    members
}

/// Both queries, apart by what only one of them says: a filter, or another component that it asks for.
fn told_apart(one: Asked<'_>, other: Asked<'_>) -> Option<(String, String)> {
    let opposite = |member: &str| {
        let inside = |before: &str| member.strip_prefix(before).and_then(|rest| rest.strip_suffix('>'));
        let with = inside("With<").map(|name| (name.to_owned(), format!("Without<{name}>")));
        with.or_else(|| inside("Without<").map(|name| (name.to_owned(), format!("With<{name}>"))))
    };
    let without = |term: &str| {
        let name = term.strip_prefix("&mut ").or_else(|| term.strip_prefix('&'))?;
        Some((name.to_owned(), format!("Without<{name}>")))
    };
    let by_filter = |from: Asked<'_>, to: Asked<'_>| {
        let found = from.filter.map_or(Vec::new(), members).into_iter().filter_map(opposite);
        found.filter(|(name, _)| !to.mentions(name)).map(|(_, filter)| to.with(Some(&filter))).next()
    };
    let by_term = |from: Asked<'_>, to: Asked<'_>| {
        let found = members(from.terms).into_iter().filter_map(without);
        found.filter(|(name, _)| !to.mentions(name)).map(|(_, filter)| to.with(Some(&filter))).next()
    };
    let other_changed = |other| (one.with(None), other);
    let one_changed = |one| (one, other.with(None));
    by_filter(one, other)
        .map(other_changed)
        .or_else(|| by_filter(other, one).map(one_changed))
        .or_else(|| by_term(one, other).map(other_changed))
        .or_else(|| by_term(other, one).map(one_changed))
}

/// One query that finds what two without filters did: each component once, to be written if one wrote it, and what only one asked for as an `Option`.
fn together(one: Asked<'_>, other: Asked<'_>) -> Option<String> {
    struct Term<'a> {
        name: &'a str,
        sign: &'static str,
        /// How many must have it.
        needed: usize,
    }
    if one.filter.is_some() || other.filter.is_some() {
        return None;
    }
    let mut terms: Vec<Term<'_>> = Vec::new();
    for text in members(one.terms).into_iter().chain(members(other.terms)) {
        let inside = text.strip_prefix("Option<").and_then(|rest| rest.strip_suffix('>'));
        let plain = inside.unwrap_or(text);
        let (sign, name) = match (plain.strip_prefix("&mut "), plain.strip_prefix('&')) {
            (Some(name), _) => ("&mut ", name),
            (None, Some(name)) => ("&", name),
            (None, None) if plain == "Entity" => ("", plain),
            // Who knows what it asks for.
            (None, None) => return None,
        };
        // All have an entity.
        let needed = if sign.is_empty() { 2 } else { usize::from(inside.is_none()) };
        match terms.iter_mut().find(|term| term.name == name) {
            Some(term) => {
                term.needed += needed;
                term.sign = if sign == "&mut " { sign } else { term.sign };
            }
            None => terms.push(Term { name, sign, needed }),
        }
    }
    let terms: Vec<String> = terms
        .iter()
        .map(
            |Term { name, sign, needed }| {
                if *needed < 2 { format!("Option<{sign}{name}>") } else { format!("{sign}{name}") }
            },
        )
        .collect();
    Some(if let [one] = &terms[..] { format!("Query<{one}>") } else { format!("Query<({})>", terms.join(", ")) })
}
