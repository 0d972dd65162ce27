//! `#[derive(Component)]`.
//!
//! ```text
//! impl Component for Car {
//!     const STORAGE: Storage = Storage::Sparse;
//!     const KEY: Option<TypeKey> = Some(TypeKey::new(module_path!(), "Car", …));
//!     fn require(requirements: &mut Requirements) { requirements.add::<Wheels>(|| Wheels(4)); }
//!     const HOOKS: Option<OwnHooks> = Some(const { &Hooks::new().on(Act::Insert, start) }.own());
//!     const COPY: Option<Bitwise<Self>> = Copying::<Self>::PROOF;
//!     fn depend(dependencies: &mut Dependencies) { dependencies.add::<Engine>(); }
//!     fn clone_fn() -> Option<fn(&Self) -> Self> { Cloning::<Self>::FUNCTION }
//!     fn schema() -> Schema { Schema::of::<Self>() }
//!     fn fold_fn() -> Option<fn(&Self, &mut Folder)> { Some(<Self as Described>::fold_into) }
//! }
//! impl Described for Car { … }
//! ```
//! Whether the type can be cloned or copied is decided by the compiler: `FUNCTION` exists twice, as an inherent constant for what is `Clone` and in
//! a trait for everything; the inherent one wins where it exists. In a generic type this sees the bounds at the
//! declaration, so `struct Stack<T>` is cloned only if it says `T: Clone` there.

use crate::attributes::{Settings, unquote};
use crate::described;
use crate::errors::Errors;
use crate::input::{Input, Kind};
use crate::path::Private;
use crate::template::{fill, text};
use proc_macro::{Literal, TokenStream, TokenTree};
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells apart types of one name that one macro call declares at one place.
static NEXT: AtomicU64 = AtomicU64::new(0);

pub(crate) const KNOWN: &[&str] = &[
    "storage",
    "shared",
    "name",
    "hidden",
    "requires",
    "depends_on",
    "track",
    "toggle",
    "immutable",
    "on_insert",
    "on_replace",
    "on_remove",
    "on_despawn",
    "on_switch_on",
    "on_switch_off",
    "check",
    "validate",
    "no_clone",
    "left_out_of",
    "no_checksum",
    "crate",
];

/// The attributes that name functions, and for which act each is.
const HOOKS: [(&str, &str); 6] = [
    ("on_insert", "Insert"),
    ("on_replace", "Replace"),
    ("on_remove", "Remove"),
    ("on_despawn", "Despawn"),
    ("on_switch_on", "SwitchOn"),
    ("on_switch_off", "SwitchOff"),
];

pub(crate) fn expand(input: &Input, settings: &Settings, errors: &mut Errors) -> TokenStream {
    let span = input.name.span();
    if input.kind == Kind::Union {
        errors.add(span, "a union cannot be a component: put it inside a struct");
        return TokenStream::new();
    }
    if !input.most_lifetimes(0, "a component owns its data: no lifetimes", errors) {
        return TokenStream::new();
    }
    let private = Private::find(settings, errors);
    let generic = input.generics.is_generic();
    let mut items = TokenStream::new();

    let shared = settings.flag("shared", errors);
    if let Some(storage) = settings.text("storage", &["table", "sparse"], errors)
        && !shared
    {
        match unquote(&storage).as_deref() {
            Some("table") => {}
            Some("sparse") => items.extend(fill(
                span,
                "const STORAGE: $private::Storage = $private::Storage::Sparse;",
                &[("private", &private.at(span))],
            )),
            Some("shared") => errors.add(storage.span(), "write `shared` by itself: `#[component(shared)]`"),
            _ => errors.add(storage.span(), "write `storage = \"table\"` or `storage = \"sparse\"`"),
        }
    }
    if shared {
        let refused = [
            ("storage", "`shared` says where the values live: leave `storage` out"),
            (
                "track",
                "a shared component cannot be tracked: its values are not changed one by one; observe `Act::Insert` to be told who gets which, and tell about edits where you make them",
            ),
            ("immutable", "a shared component is never changed in its place: leave `immutable` out"),
        ];
        for (name, why) in refused {
            if let Some(place) = settings.place(name) {
                errors.add(place, why);
            }
        }
        items.extend(fill(
            span,
            "const STORAGE: $private::Storage = $private::Storage::Shared;
            const MUTABLE: bool = false;
            fn likeness() -> ::core::option::Option<$private::Likeness<Self>> {
                ::core::option::Option::Some($private::Likeness::of())
            }",
            &[("private", &private.at(span))],
        ));
    }
    if let Some(name) = settings.text("name", &["…"], errors) {
        items.extend(fill(
            span,
            "const NAME: ::core::option::Option<&'static str> = ::core::option::Option::Some($name);",
            &[("name", &name.into())],
        ));
    }
    if settings.flag("hidden", errors) {
        items.extend(fill(span, "const VISIBLE: bool = false;", &[]));
    }
    let mut markers = Vec::new();
    if shared {
        markers.push("Shared");
    }
    if settings.flag("track", errors) && !shared {
        items.extend(fill(span, "const TRACK: bool = true;", &[]));
        markers.push("Tracked");
    }
    if settings.flag("toggle", errors) {
        items.extend(fill(span, "const TOGGLE: bool = true;", &[]));
        markers.push("Toggle");
    }
    if settings.flag("immutable", errors) && !shared {
        items.extend(fill(span, "const MUTABLE: bool = false;", &[]));
    }
    if settings.flag("no_checksum", errors) {
        items.extend(fill(span, "const CHECKSUM: bool = false;", &[]));
    }
    if settings.flag("no_clone", errors) {
        items.extend(fill(span, "const CLONE: bool = false;", &[]));
    }
    for entry in settings.list("left_out_of", errors) {
        match (entry.ty.to_string().as_str(), &entry.value) {
            ("clones", None) => items.extend(fill(span, "const LEFT_OUT_OF_CLONES: bool = true;", &[])),
            ("moves", None) => items.extend(fill(span, "const LEFT_OUT_OF_MOVES: bool = true;", &[])),
            _ => errors
                .add(entry.span, "write `left_out_of(clones)`, `left_out_of(moves)` or `left_out_of(clones, moves)`"),
        }
    }
    items.extend(key(input, &private));
    items.extend(require(settings, &private, input, errors));
    items.extend(hooks(settings, &private, input, errors));
    let dependencies = depend(settings, &private, input, errors);
    let depends = !dependencies.is_empty();
    items.extend(dependencies);
    items.extend(fill(
        span,
        "const COPY: ::core::option::Option<$private::Bitwise<Self>> = {
            #[allow(unused_imports)]
            use $private::NotCopied as _;
            $private::Copying::<Self>::PROOF
        };
        fn clone_fn() -> ::core::option::Option<fn(&Self) -> Self> {
            #[allow(unused_imports)]
            use $private::NotCloneable as _;
            $private::Cloning::<Self>::FUNCTION
        }
        fn schema() -> $private::Schema {
            $private::Schema::of::<Self>()
        }
        fn fold_fn() -> ::core::option::Option<fn(&Self, &mut $private::Folder)> {
            ::core::option::Option::Some(<Self as $private::Described>::fold_into)
        }",
        &[("private", &private.at(span))],
    ));

    // Without parameters the supertraits say the same, with a better message.
    let bounds = match (generic, shared) {
        (false, _) => "",
        (true, false) => "Self: ::core::marker::Send + ::core::marker::Sync + 'static",
        (true, true) => {
            "Self: ::core::marker::Send + ::core::marker::Sync + ::core::cmp::Eq + ::core::hash::Hash + 'static"
        }
    };
    let implementation = |marker: &str, items: &TokenStream| {
        fill(
            span,
            &format!(
                "#[automatically_derived]
                impl $declarations $private::{marker} for $name $arguments where $predicates $bounds {{ $items }}"
            ),
            &[
                ("declarations", &input.generics.declarations()),
                ("private", &private.at(span)),
                ("name", &TokenTree::from(input.name.clone()).into()),
                ("arguments", &input.generics.arguments(None)),
                ("predicates", &input.generics.predicates),
                ("bounds", &fill(span, bounds, &[])),
                ("items", items),
            ],
        )
    };
    let mut all = implementation("Component", &items);
    all.extend(described::implementation(input, &private));
    if depends && !generic {
        // A generic type is looked at when a world first meets it.
        all.extend(fill(
            span,
            "const _: () = $private::refuse_dependent_value(
                ::core::mem::size_of::<$name>(),
                ::core::matches!(<$name as $private::Component>::STORAGE, $private::Storage::Table)
            );",
            &[("private", &private.at(span)), ("name", &TokenTree::from(input.name.clone()).into())],
        ));
    }
    all.extend(markers.into_iter().map(|marker| implementation(marker, &TokenStream::new())));
    all
}

/// The constant that says where the type was declared. A generic type has none: its arguments are not known here.
pub(crate) fn key(input: &Input, private: &Private) -> TokenStream {
    if input.generics.is_generic() {
        return TokenStream::new();
    }
    let (span, name) = (input.name.span(), input.name.to_string());
    fill(
        span,
        "const KEY: ::core::option::Option<$private::TypeKey> = ::core::option::Option::Some($private::TypeKey::new(
            ::core::module_path!(), $name, ::core::option_env!(\"CARGO_PKG_VERSION\"), ::core::file!(), ::core::line!(), $count
        ));",
        &[
            ("private", &private.at(span)),
            ("name", &text(name.strip_prefix("r#").unwrap_or(&name))),
            ("count", &TokenTree::from(Literal::u64_suffixed(NEXT.fetch_add(1, Ordering::Relaxed))).into()),
        ],
    )
}

/// The function that names what comes along, if anything does.
fn require(settings: &Settings, private: &Private, input: &Input, errors: &mut Errors) -> TokenStream {
    let mut calls = TokenStream::new();
    let mut named: Vec<String> = Vec::new();
    for entry in settings.list("requires", errors) {
        let name = entry.ty.to_string();
        if named.contains(&name) {
            errors.add(entry.span, format!("`{name}` is required twice"));
            continue;
        }
        named.push(name);
        let value = match &entry.value {
            Some(value) => fill(entry.span, "|| $value", &[("value", value)]),
            None => fill(
                entry.span,
                "<$ty as $private::HasDefault>::make",
                &[("ty", &entry.ty), ("private", &private.at(entry.span))],
            ),
        };
        calls.extend(fill(entry.span, "requirements.add::<$ty>($value);", &[("ty", &entry.ty), ("value", &value)]));
    }
    if calls.is_empty() {
        return calls;
    }
    fill(
        input.name.span(),
        "fn require(requirements: &mut $private::Requirements<'_>) { $calls }",
        &[("private", &private.at(input.name.span())), ("calls", &calls)],
    )
}

/// The constant with what the component does by itself, if it does anything.
fn hooks(settings: &Settings, private: &Private, input: &Input, errors: &mut Errors) -> TokenStream {
    let mut calls = TokenStream::new();
    for (name, act) in HOOKS {
        let Some(function) = settings.expression(name, "function", errors) else { continue };
        let span = settings.place(name).unwrap_or_else(|| input.name.span());
        calls.extend(fill(
            span,
            &format!(".on($private::Act::{act}, $function)"),
            &[("private", &private.at(span)), ("function", &function.into_iter().collect())],
        ));
    }
    if let Some(function) = settings.expression("validate", "function", errors) {
        let span = settings.place("validate").unwrap_or_else(|| input.name.span());
        calls.extend(fill(span, ".validated($function)", &[("function", &function.into_iter().collect())]));
    }
    if settings.flag("check", errors) {
        let span = settings.place("check").unwrap_or_else(|| input.name.span());
        calls.extend(fill(span, ".checked::<Self>()", &[]));
    }
    if calls.is_empty() {
        return calls;
    }
    fill(
        input.name.span(),
        "const HOOKS: ::core::option::Option<$private::OwnHooks> =
            ::core::option::Option::Some(const { &$private::Hooks::new() $calls }.own());",
        &[("private", &private.at(input.name.span())), ("calls", &calls)],
    )
}

/// The function that names what the tag cannot be without, if there is anything.
fn depend(settings: &Settings, private: &Private, input: &Input, errors: &mut Errors) -> TokenStream {
    let mut calls = TokenStream::new();
    for entry in settings.list("depends_on", errors) {
        if entry.value.is_some() {
            errors.add(entry.span, "a component that a tag depends on stands alone, without a value");
            continue;
        }
        calls.extend(fill(entry.span, "dependencies.add::<$ty>();", &[("ty", &entry.ty)]));
    }
    if calls.is_empty() {
        return calls;
    }
    fill(
        input.name.span(),
        "fn depend(dependencies: &mut $private::Dependencies<'_>) { $calls }",
        &[("private", &private.at(input.name.span())), ("calls", &calls)],
    )
}
