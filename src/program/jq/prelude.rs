//! The functions that jq defines in its own language, parsed once.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::ast::Definition;
use super::parser;

/// The definitions.
const TEXT: &str = include_str!("prelude.jq");

fn all() -> &'static HashMap<(String, usize), Arc<Definition>> {
    static ALL: OnceLock<HashMap<(String, usize), Arc<Definition>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let definitions = parser::definitions(TEXT).unwrap_or_default();
        let key = |definition: &Definition| (definition.name.clone(), definition.parameters.len());
        definitions
            .into_iter()
            .map(|definition| (key(&definition), definition))
            .collect()
    })
}

/// The definition of a function.
pub fn find(name: &str, arity: usize) -> Option<Arc<Definition>> {
    all().get(&(name.to_owned(), arity)).cloned()
}

/// The names, as `name/arity`, that do not begin with `_`.
pub fn names() -> Vec<String> {
    let public = all().keys().filter(|(name, _)| !name.starts_with('_'));
    public.map(|(name, arity)| format!("{name}/{arity}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_prelude_is_well_formed() {
        assert!(super::parser::definitions(super::TEXT).is_ok());
        assert!(super::find("map", 1).is_some());
    }
}
