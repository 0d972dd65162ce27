//! A component's identity at compile time.
//!
//! `TypeId`s cannot be compared in a `const` yet, so `#[derive(Component)]` writes down where the type was declared.
//! Equal keys mean the same type; a type without a key (generic, or implemented by hand) is left to the check at
//! run time, which stays the authority: compile time may only refuse.

/// Where a component type was declared; made by `#[derive(Component)]`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TypeKey {
    /// The module path, crate first.
    pub module: &'static str,
    /// The type's name.
    pub name: &'static str,
    /// The package's version: two versions of one crate declare different types.
    pub version: &'static str,
    /// The file: a package's library and binary share a name.
    pub file: &'static str,
    /// The line of the declaration.
    pub line: u32,
    /// Which derive of the compilation this was: types of one name made by one macro call differ by it alone.
    pub count: u64,
}

impl TypeKey {
    /// Makes a key; called by the derive.
    #[doc(hidden)]
    pub const fn new(
        module: &'static str,
        name: &'static str,
        version: Option<&'static str>,
        file: &'static str,
        line: u32,
        count: u64,
    ) -> Self {
        let version = match version {
            Some(version) => version,
            None => "",
        };
        Self { module, name, version, file, line, count }
    }

    const fn same(&self, other: &Self) -> bool {
        self.line == other.line
            && self.count == other.count
            && same_text(self.file, other.file)
            && same_text(self.name, other.name)
            && same_text(self.module, other.module)
            && same_text(self.version, other.version)
    }
}

/// Whether two keys are known and equal.
#[doc(hidden)]
pub const fn same_key(a: &Option<TypeKey>, b: &Option<TypeKey>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.same(b),
        _ => false,
    }
}

const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
