//! Variables and their dynamic scopes.
//!
//! One table holds what is visible now; a scope keeps what its locals hide, and gives it back when the function returns. So a look-up
//! costs the same at any depth. The table is shared with subshells until one of them writes.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::expand::{Attributes, Text, Value, Variable};
use crate::kernel::Lease;
use crate::syntax::ast::Name;

/// What a scope hides: the variable that was visible before, if any.
#[derive(Debug, Clone, Default)]
struct Scope {
    hidden: Vec<(Name, Option<Variable>)>,
    /// Values of local options (`local -`).
    options: Option<Box<super::options::Options>>,
    /// Made for `A=1 command`, not for a function.
    temporary: bool,
}

/// A scope that was taken away for a while.
#[derive(Debug)]
pub struct Lifted(Vec<(Name, Option<Variable>)>);

/// Bytes that a variable costs beside its value.
const ENTRY: usize = 96;

/// What is visible, and its share of the run's memory.
#[derive(Debug, Clone, Default)]
struct Table {
    map: FxHashMap<Name, Variable>,
    lease: Option<Lease>,
}

impl Table {
    fn settle(&mut self) {
        if let Some(lease) = &mut self.lease {
            lease.set(self.map.len() * ENTRY);
        }
    }
}

impl std::ops::Deref for Table {
    type Target = FxHashMap<Name, Variable>;
    fn deref(&self) -> &Self::Target {
        &self.map
    }
}

impl std::ops::DerefMut for Table {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.map
    }
}

/// All variables of a shell.
#[derive(Debug, Clone, Default)]
pub struct Vars {
    table: Arc<Table>,
    scopes: Arc<Vec<Scope>>,
    environment: Option<Arc<Vec<(Vec<u8>, Vec<u8>)>>>,
    /// What [`Vars::entry`] gives where it has nothing to give: never.
    spare: Variable,
}

impl Vars {
    /// Counts the variables against the memory of the lease's meter, from now on.
    pub fn hold(&mut self, lease: &Lease) {
        let table = Arc::make_mut(&mut self.table);
        for variable in table.map.values_mut() {
            variable.value.hold(lease);
        }
        table.lease = Some(lease.sibling());
        table.settle();
    }

    /// Counts the value of a variable that was just assigned.
    #[inline]
    pub fn hold_value(&mut self, name: &[u8]) {
        let table = Arc::make_mut(&mut self.table);
        if let (Some(variable), Some(lease)) = (table.map.get_mut(name), &table.lease) {
            variable.value.hold(lease);
        }
    }

    /// The visible variable of this name.
    #[inline]
    pub fn get(&self, name: &[u8]) -> Option<&Variable> {
        self.table.get(name)
    }

    /// The visible variable, to be changed; what is exported changes with it.
    pub fn get_mut(&mut self, name: &[u8]) -> Option<&mut Variable> {
        if !self.table.contains_key(name) {
            return None;
        }
        let variable = Arc::make_mut(&mut self.table).get_mut(name)?;
        if variable.attributes.has(Attributes::EXPORT) {
            self.environment = None;
        }
        Some(variable)
    }

    /// The visible variable, made without a value when there is none.
    pub fn entry(&mut self, name: &[u8]) -> &mut Variable {
        let table = Arc::make_mut(&mut self.table);
        let exported = match table.get(name) {
            Some(variable) => variable.attributes.has(Attributes::EXPORT),
            None => {
                table.insert(
                    Name::from(name),
                    Variable {
                        value: Value::Unset,
                        attributes: Attributes::default(),
                    },
                );
                table.settle();
                false
            }
        };
        if exported {
            self.environment = None;
        }
        match table.get_mut(name) {
            Some(variable) => variable,
            // It was put there above.
            None => &mut self.spare,
        }
    }

    /// Puts a variable in place of the visible one.
    pub fn insert(&mut self, name: Name, variable: Variable) {
        self.environment = None;
        let table = Arc::make_mut(&mut self.table);
        table.insert(name, variable);
        table.settle();
    }

    /// Call after attributes changed.
    pub fn touch_environment(&mut self) {
        self.environment = None;
    }

    /// `unset`: a local of the running function stays, without value; a local of a caller gives way to what it hid.
    pub fn unset(&mut self, name: &[u8]) {
        self.unset_local(name, false);
    }

    /// `unset` where `shopt localvar_unset` may be on: then a local of any caller stays, without value.
    pub fn unset_local(&mut self, name: &[u8], keep: bool) {
        if !self.table.contains_key(name) {
            return;
        }
        self.environment = None;
        let current = self.scopes.len();
        let holder = self.scopes.iter().rposition(|scope| scope.hides(name));
        let table = Arc::make_mut(&mut self.table);
        match holder {
            Some(index)
                if (keep || index + 1 == current)
                    && !self.scopes.get(index).is_some_and(|scope| scope.temporary) =>
            {
                if let Some(variable) = table.get_mut(name) {
                    *variable = Variable {
                        value: Value::Unset,
                        attributes: Attributes::default(),
                    };
                }
            }
            Some(index) => {
                let scopes = Arc::make_mut(&mut self.scopes);
                let hidden = scopes.get_mut(index).and_then(|scope| scope.reveal(name));
                match hidden {
                    Some(variable) => table.insert(Name::from(name), variable),
                    None => table.remove(name),
                };
            }
            None => {
                table.remove(name);
            }
        }
    }

    /// Opens a scope.
    pub fn push_scope(&mut self, temporary: bool) {
        Arc::make_mut(&mut self.scopes).push(Scope {
            temporary,
            ..Scope::default()
        });
    }

    /// Closes the innermost scope: what it hid is visible again. Returns options to restore.
    pub fn pop_scope(&mut self) -> Option<Box<super::options::Options>> {
        let scope = Arc::make_mut(&mut self.scopes).pop()?;
        if scope.hidden.is_empty() {
            return scope.options;
        }
        self.environment = None;
        let table = Arc::make_mut(&mut self.table);
        for (name, variable) in scope.hidden.into_iter().rev() {
            match variable {
                Some(variable) => table.insert(name, variable),
                None => table.remove(&name),
            };
        }
        scope.options
    }

    /// The innermost scope holds the variables of `A=1 command`.
    pub fn in_temporary(&self) -> bool {
        self.scopes.last().is_some_and(|scope| scope.temporary)
    }

    /// Takes the innermost scope away, with what is visible in it, until [`Vars::lay_scope`].
    pub fn lift_scope(&mut self) -> Lifted {
        let names = self.scopes.last().map(|scope| &scope.hidden);
        let names = names.into_iter().flatten();
        let visible = names
            .map(|(name, _)| (name.clone(), self.table.get(name).cloned()))
            .collect();
        self.pop_scope();
        Lifted(visible)
    }

    /// Puts a temporary scope back.
    pub fn lay_scope(&mut self, lifted: Lifted) {
        self.push_scope(true);
        for (name, variable) in lifted.0 {
            self.make_local(&name, true);
            if let Some(variable) = variable {
                self.insert(name, variable);
            }
        }
    }

    /// The variable came from `A=1 command` and was declared meanwhile: it stays when the command ends.
    pub fn keep_temporary(&mut self, name: &[u8]) {
        let scopes = Arc::make_mut(&mut self.scopes);
        let holder = scopes.iter_mut().rev().find(|scope| scope.hides(name));
        if let Some(scope) = holder.filter(|scope| scope.temporary) {
            scope.reveal(name);
        }
    }

    /// Remembers options for the end of the innermost function (`local -`).
    pub fn save_options(&mut self, options: super::options::Options) {
        let scopes = Arc::make_mut(&mut self.scopes);
        if let Some(scope) = scopes.iter_mut().rev().find(|scope| !scope.temporary)
            && scope.options.is_none()
        {
            scope.options = Some(Box::new(options));
        }
    }

    /// Whether the innermost function restores options at its end.
    pub fn keeps_options(&self) -> bool {
        let scope = self.scopes.iter().rev().find(|scope| !scope.temporary);
        scope.is_some_and(|scope| scope.options.is_some())
    }

    /// Makes `name` local to the innermost function (or to the innermost scope of any kind); says whether it already was.
    pub fn make_local(&mut self, name: &[u8], any_scope: bool) -> bool {
        let Some(index) = self
            .scopes
            .iter()
            .rposition(|scope| any_scope || !scope.temporary)
        else {
            return false;
        };
        if self.scopes.get(index).is_some_and(|scope| scope.hides(name)) {
            return true;
        }
        let mut hidden = self.table.get(name).cloned();
        let name = Name::from(name);
        let temporary = self.temporary_holds(&name);
        let scopes = Arc::make_mut(&mut self.scopes);
        let above = scopes.get_mut(index + 1..).unwrap_or_default();
        if let Some(scope) = above.iter_mut().find(|scope| scope.hides(&name)) {
            // `A=1 local A`: the local one has that value, and hides what that hid.
            let value = hidden;
            hidden = scope.reveal(&name);
            if let Some(scope) = scopes.get_mut(index) {
                scope.hidden.push((name, hidden));
            }
            drop(value);
            self.environment = None;
            return false;
        }
        // A temporary scope above it (`A=1 f`) keeps its own record of what was visible before.
        if let Some(scope) = Arc::make_mut(&mut self.scopes).get_mut(index) {
            scope.hidden.push((name.clone(), hidden.clone()));
        }
        self.environment = None;
        let inherits = hidden
            .as_ref()
            .is_some_and(|variable| variable.attributes.has(Attributes::EXPORT) && temporary);
        if !inherits {
            Arc::make_mut(&mut self.table).insert(
                name,
                Variable {
                    value: Value::Unset,
                    attributes: Attributes::default(),
                },
            );
        }
        false
    }

    /// The visible variable came from `A=1 command`.
    pub fn temporary_holds(&self, name: &[u8]) -> bool {
        self.scopes
            .iter()
            .rev()
            .find(|scope| scope.hides(name))
            .is_some_and(|scope| scope.temporary)
    }

    /// What `name` was before the innermost scope that hides it.
    pub fn hidden(&self, name: &[u8]) -> Option<&Variable> {
        let scope = self.scopes.iter().rev().find(|scope| scope.hides(name))?;
        scope
            .hidden
            .iter()
            .find(|(hidden, _)| &**hidden == name)?
            .1
            .as_ref()
    }

    /// The global variable that scopes hide.
    pub fn global(&self, name: &[u8]) -> Option<&Variable> {
        let scope = self.scopes.iter().find(|scope| scope.hides(name))?;
        let (_, variable) = scope.hidden.iter().find(|(hidden, _)| &**hidden == name)?;
        variable.as_ref()
    }

    /// Some scope hides the name: it is not the global variable.
    pub fn is_hidden(&self, name: &[u8]) -> bool {
        self.scopes.iter().any(|scope| scope.hides(name))
    }

    /// Exchanges the visible variable and the global one that is hidden by scopes. `false`: the visible one is the global one.
    pub fn swap_global(&mut self, name: &[u8]) -> bool {
        let Some(index) = self.scopes.iter().position(|scope| scope.hides(name)) else {
            return false;
        };
        self.environment = None;
        let scopes = Arc::make_mut(&mut self.scopes);
        let hidden = scopes
            .get_mut(index)
            .and_then(|scope| scope.hidden.iter_mut().find(|(hidden, _)| &**hidden == name));
        let Some((_, slot)) = hidden else { return false };
        let table = Arc::make_mut(&mut self.table);
        let visible = table.remove(name);
        if let Some(global) = std::mem::replace(slot, visible) {
            table.insert(Name::from(name), global);
        }
        true
    }

    /// A function is running.
    pub fn in_function(&self) -> bool {
        self.scopes.iter().any(|scope| !scope.temporary)
    }

    /// The name is local to the innermost function.
    pub fn is_local(&self, name: &[u8]) -> bool {
        self.scopes
            .iter()
            .rev()
            .find(|scope| !scope.temporary)
            .is_some_and(|scope| scope.hides(name))
    }

    /// Names local to the innermost function, sorted.
    pub fn locals(&self) -> Vec<Name> {
        let scope = self.scopes.iter().rev().find(|scope| !scope.temporary);
        let mut names: Vec<Name> = scope
            .into_iter()
            .flat_map(|scope| scope.hidden.iter().map(|(name, _)| name.clone()))
            .collect();
        names.sort();
        names
    }

    /// Every visible variable, sorted by name.
    pub fn sorted(&self) -> Vec<(&Name, &Variable)> {
        let mut all: Vec<_> = self.table.iter().collect();
        all.sort_unstable_by(|a, b| a.0.cmp(b.0));
        all
    }

    /// What programs get as their environment, sorted by name.
    pub fn environment(&mut self) -> Arc<Vec<(Vec<u8>, Vec<u8>)>> {
        if let Some(environment) = &self.environment {
            return Arc::clone(environment);
        }
        let mut list: Vec<(Vec<u8>, Vec<u8>)> = self
            .table
            .iter()
            .filter(|(_, variable)| variable.attributes.has(Attributes::EXPORT))
            .filter_map(|(name, variable)| match &variable.value {
                Value::Scalar(text) => Some((name.to_vec(), text.to_vec())),
                _ => None,
            })
            .collect();
        list.sort_unstable();
        let list = Arc::new(list);
        self.environment = Some(Arc::clone(&list));
        list
    }

    /// Sets a string without any check: for the shell's own variables.
    pub fn set_raw(&mut self, name: &[u8], value: impl Into<Text>) {
        self.entry(name).value = Value::Scalar(value.into());
        self.hold_value(name);
    }

    /// Sets and exports a string without any check.
    pub fn set_exported(&mut self, name: &[u8], value: impl Into<Text>) {
        let variable = self.entry(name);
        variable.value = Value::Scalar(value.into());
        variable.attributes = variable.attributes.with(Attributes::EXPORT);
        self.environment = None;
        self.hold_value(name);
    }
}

impl Scope {
    fn hides(&self, name: &[u8]) -> bool {
        self.hidden.iter().any(|(hidden, _)| &**hidden == name)
    }

    fn reveal(&mut self, name: &[u8]) -> Option<Variable> {
        let index = self.hidden.iter().position(|(hidden, _)| &**hidden == name)?;
        self.hidden.remove(index).1
    }
}
