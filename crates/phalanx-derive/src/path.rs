//! How the output names the core crate: `::phalanx_ecs`, `::phalanx`, or as the user renamed it.
//!
//! A derive cannot ask the compiler for it, so it looks into the manifest of the package being compiled; where that does
//! not help, the user writes `#[component(crate = "path")]`.

use crate::attributes::{Settings, unquote};
use crate::errors::Errors;
use crate::manifest::{CORE, Manifest};
use crate::template::fill;
use proc_macro::{Span, TokenStream, TokenTree};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

/// The path of the module that has everything the output names.
pub(crate) struct Private(TokenStream);

impl Private {
    /// That of the core.
    pub(crate) fn find(settings: &Settings, errors: &mut Errors) -> Self {
        Self::of(CORE, settings, errors)
    }

    /// That of the crate of systems and schedules.
    pub(crate) fn of_schedule(settings: &Settings, errors: &mut Errors) -> Self {
        Self::of("phalanx-schedule", settings, errors)
    }

    /// That of the crate of scenes.
    pub(crate) fn of_scene(settings: &Settings, errors: &mut Errors) -> Self {
        Self::of("phalanx-scene", settings, errors)
    }

    fn of(package: &'static str, settings: &Settings, errors: &mut Errors) -> Self {
        let span = Span::mixed_site();
        let core = match settings.text("crate", &["path::to::phalanx_ecs"], errors) {
            // Resolves where the user wrote it, so `crate` and `self` mean what they mean there.
            Some(literal) => {
                with_spans(unquote(&literal).unwrap_or_default().parse().unwrap_or_default(), |_| literal.span())
            }
            None => fill(span, &format!("::{}", crate_called(package)), &[]),
        };
        Self(fill(span, "$core::__private", &[("core", &core)]))
    }

    /// The path, for a place that errors should point to.
    pub(crate) fn at(&self, place: Span) -> TokenStream {
        with_spans(self.0.clone(), |span| span.located_at(place))
    }
}

fn with_spans(path: TokenStream, span: impl Fn(Span) -> Span) -> TokenStream {
    let change = |mut token: TokenTree| {
        token.set_span(span(token.span()));
        token
    };
    path.into_iter().map(change).collect()
}

/// The last answer, with the manifest it is from. A compiler asks about one package only; an editor's macro
/// server lives on while packages and manifests change.
static LAST: Mutex<Option<Answer>> = Mutex::new(None);

/// A directory, when its manifest was changed last, which crate was asked for, and what it is called there.
type Answer = (PathBuf, Option<SystemTime>, &'static str, String);

fn crate_called(package: &'static str) -> String {
    let directory = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let changed = fs::metadata(directory.join("Cargo.toml")).and_then(|file| file.modified()).ok();
    let Ok(mut last) = LAST.lock() else { return look_up(&directory, package) };
    match &*last {
        Some((known, at, of, name)) if *known == directory && *at == changed && *of == package => name.clone(),
        _ => {
            let name = look_up(&directory, package);
            *last = Some((directory, changed, package, name.clone()));
            name
        }
    }
}

fn look_up(directory: &Path, package: &str) -> String {
    let read = |directory: &Path| Some(Manifest::read(&fs::read_to_string(directory.join("Cargo.toml")).ok()?));
    let workspace = || directory.ancestors().filter_map(read).find(Manifest::is_workspace);
    read(directory)
        .and_then(|manifest| manifest.crate_called(package, workspace))
        .unwrap_or_else(|| package.replace('-', "_"))
}
