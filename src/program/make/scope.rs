//! What variables mean for one target: automatic ones, its own, those of the targets that need it, and those of patterns.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::Make;
use super::files::{Id, Scope};
use super::names;
use super::variables::{Export, Flavor, Origin, Variable};
use crate::kernel::{Lease, Stop};

/// The variables of the target whose recipe is expanded.
#[derive(Debug)]
pub struct TargetScope {
    pub automatic: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The target's, then those of what needs it, and so on.
    pub tables: Vec<Scope>,
    /// How many of `tables` are the target's own.
    pub own: usize,
    _lease: Lease,
}

impl Make<'_> {
    /// The scope of a file.
    pub fn scope_of(&mut self, id: Id) -> Result<TargetScope, Stop> {
        let automatic = self.automatic(id)?;
        let mut tables = Vec::new();
        let mut own = 0;
        let mut seen = HashSet::new();
        let mut at = Some(id);
        let mut bytes: usize = automatic.values().map(Vec::len).sum();
        while let Some(id) = at.filter(|id| seen.insert(*id)) {
            self.proc.charge(2 + self.pattern_variables.len() as u64)?;
            let entry = self.files.get(id);
            let matching = self.pattern_scope(&entry.name);
            bytes += 256 * (entry.variables.len() + matching.len());
            for table in [entry.variables.clone(), matching] {
                if !table.is_empty() {
                    tables.push(table);
                }
            }
            if seen.len() == 1 {
                own = tables.len();
            }
            at = entry.parent;
        }
        let mut lease = self.proc.kernel.lease();
        lease.grow(bytes)?;
        Ok(TargetScope {
            automatic,
            tables,
            own,
            _lease: lease,
        })
    }

    /// The variables of the patterns that a name matches: those of the longest pattern count most.
    fn pattern_scope(&self, name: &[u8]) -> Scope {
        let mut found: Vec<_> = self
            .pattern_variables
            .iter()
            .filter(|(pattern, ..)| pattern.stem(name).is_some_and(|stem| !stem.is_empty()))
            .collect();
        found.sort_by_key(|(pattern, ..)| pattern.text().len());
        found
            .into_iter()
            .map(|(_, name, variable)| (name.clone(), variable.clone()))
            .collect()
    }

    /// `$@`, `$<` and the others.
    fn automatic(&mut self, id: Id) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, Stop> {
        let entry = self.files.get(id);
        self.proc.charge(entry.dependencies.len() as u64 * 4)?;
        let name = |file: Id| self.files.get(file).name.as_slice();
        let normal = || {
            entry
                .dependencies
                .iter()
                .filter(|dependency| !dependency.order_only)
        };
        let default = self
            .files
            .special(b".DEFAULT")
            .and_then(|default| default.recipe.as_ref());
        let by_default =
            matches!((default, &entry.recipe), (Some(left), Some(right)) if Arc::ptr_eq(left, right));
        let first = if by_default {
            entry.name.as_slice()
        } else {
            normal()
                .next()
                .map(|dependency| name(dependency.file))
                .unwrap_or_default()
        };
        let stem = entry
            .stem
            .clone()
            .unwrap_or_else(|| self.stem_by_suffix(&entry.name));
        let distinct = |ids: &mut dyn Iterator<Item = Id>| {
            let mut seen = HashSet::new();
            names::join(ids.filter(|id| seen.insert(*id)).map(name))
        };
        let all = names::join(normal().map(|dependency| name(dependency.file)));
        let each = distinct(&mut normal().map(|dependency| dependency.file));
        let changed = distinct(&mut normal().filter(|known| known.changed).map(|known| known.file));
        let only = entry.dependencies.iter().filter(|known| known.order_only);
        let only = distinct(&mut only.map(|known| known.file));
        let values: [(&[u8], Vec<u8>); 8] = [
            (b"@", entry.name.clone()),
            (b"%", Vec::new()),
            (b"*", stem),
            (b"<", first.to_vec()),
            (b"?", changed),
            (b"^", each),
            (b"+", all),
            (b"|", only),
        ];
        Ok(values
            .into_iter()
            .map(|(name, value)| (name.to_vec(), value))
            .collect())
    }

    /// The name without a known suffix, or nothing.
    fn stem_by_suffix(&self, name: &[u8]) -> Vec<u8> {
        let Some(suffixes) = self.files.special(b".SUFFIXES") else {
            return Vec::new();
        };
        let stems = suffixes.dependencies.iter().filter_map(|suffix| {
            let stem = name.strip_suffix(self.files.get(suffix.file).name.as_slice())?;
            (!stem.is_empty()).then(|| stem.to_vec())
        });
        stems.into_iter().next().unwrap_or_default()
    }

    /// The environment of the commands of the recipe whose scope is set.
    pub async fn child_environment(&mut self) -> Result<Vec<(Vec<u8>, Vec<u8>)>, Stop> {
        let mut chosen: BTreeMap<Vec<u8>, bool> = BTreeMap::new();
        for (name, variable) in self.variables.iter() {
            let exported = self.is_exported(name, variable);
            chosen.insert(name.clone(), exported);
        }
        if let Some(scope) = &self.scope {
            for (name, variable) in scope.tables.iter().rev().flatten() {
                let outer = chosen.get(name).copied().unwrap_or(false);
                let exported = match variable.export {
                    Export::Default => outer || self.is_exported(name, variable),
                    Export::Yes => true,
                    Export::No => false,
                };
                chosen.insert(name.clone(), exported);
            }
        }
        let names: Vec<Vec<u8>> = chosen
            .into_iter()
            .filter(|(_, yes)| *yes)
            .map(|(name, _)| name)
            .collect();
        let mut environment = Vec::with_capacity(names.len());
        for name in names {
            self.proc.charge(4)?;
            let value = self.exported_value(&name).await?;
            environment.push((name, value));
        }
        if self
            .variables
            .get(b"SHELL")
            .is_none_or(|shell| shell.export != Export::Yes)
        {
            environment.retain(|(name, _)| name != b"SHELL");
            if let Some(shell) = self.proc.variable(b"SHELL") {
                environment.push((b"SHELL".to_vec(), shell.to_vec()));
            }
        }
        environment.retain(|(name, _)| name != b"MAKELEVEL");
        environment.push((b"MAKELEVEL".to_vec(), (self.level + 1).to_string().into_bytes()));
        Ok(environment)
    }

    async fn exported_value(&mut self, name: &[u8]) -> Result<Vec<u8>, Stop> {
        let Some(found) = self.lookup(name) else {
            return Ok(Vec::new());
        };
        let variable = &found.variable;
        let from_outside = matches!(variable.origin, Origin::Environment | Origin::EnvironmentOverride);
        if found.outer.is_empty()
            && (from_outside || variable.flavor == Flavor::Simple)
            && name != b"MAKEFLAGS"
        {
            return Ok(variable.value.to_vec());
        }
        self.expanded(name, found).await
    }

    fn is_exported(&self, name: &[u8], variable: &Variable) -> bool {
        match variable.export {
            Export::Yes => true,
            Export::No => false,
            Export::Default => {
                let shell_name = name
                    .first()
                    .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
                    && name
                        .iter()
                        .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
                let own = matches!(variable.origin, Origin::Default | Origin::Automatic);
                let outside = [
                    Origin::CommandLine,
                    Origin::Environment,
                    Origin::EnvironmentOverride,
                ];
                shell_name && !own && (self.export_all || outside.contains(&variable.origin))
            }
        }
    }
}
