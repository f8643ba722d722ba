//! Variables and their dynamic scopes.
//!
//! One table holds what is visible now; a scope keeps what its locals hide, and gives it back when the function returns. So a look-up
//! costs the same at any depth. Variables have places in the table, and the names of the tree remember them: see `syntax::name`. The table
//! is shared with subshells until one of them writes.

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::expand::{Attributes, Text, Value, Variable};
use crate::kernel::Lease;
use crate::syntax::ast::Name;

/// What a scope hides: the variable that was visible before, if any.
#[derive(Debug, Clone, Default)]
struct Scope {
    hidden: Hidden,
    /// Values of local options (`local -`).
    options: Option<Box<super::options::Options>>,
    /// Made for `A=1 command`, not for a function.
    temporary: bool,
}

/// A scope that was taken away for a while.
#[derive(Debug)]
pub struct Lifted(Vec<(Name, Option<Variable>)>);

/// The variables that a scope hides, in the order in which they were hidden.
#[derive(Debug, Clone, Default)]
struct Hidden {
    list: Vec<(Name, Option<Variable>)>,
    /// Where each stands, once there are many.
    places: FxHashMap<Name, usize>,
}

impl Hidden {
    /// So few are found by looking at each.
    const FEW: usize = 16;

    #[inline]
    fn place(&self, name: &[u8]) -> Option<usize> {
        if self.list.len() <= Self::FEW {
            return self.list.iter().position(|(hidden, _)| &**hidden == name);
        }
        self.places.get(name).copied()
    }

    fn push(&mut self, name: Name, variable: Option<Variable>) {
        self.list.push((name, variable));
        match self.list.len() {
            0..=Self::FEW => {}
            count if self.places.len() + 1 == count => {
                if let Some((name, _)) = self.list.last() {
                    self.places.insert(name.clone(), count - 1);
                }
            }
            _ => self.number(),
        }
    }

    fn remove(&mut self, name: &[u8]) -> Option<Variable> {
        let (_, variable) = self.list.remove(self.place(name)?);
        self.number();
        variable
    }

    fn number(&mut self) {
        self.places.clear();
        if self.list.len() > Self::FEW {
            let names = self.list.iter().enumerate();
            self.places
                .extend(names.map(|(place, (name, _))| (name.clone(), place)));
        }
    }
}

/// Bytes that a variable costs beside its value.
const ENTRY: usize = 96;

/// The names of a table and their places. Shells that were forked share it until one of them makes many names.
#[derive(Debug, Clone, Default)]
struct Index {
    places: FxHashMap<Name, u32>,
    names: Vec<Name>,
}

/// What is visible, and its share of the run's memory. A variable keeps its place when it is unset, and is made there again.
#[derive(Debug, Default)]
struct Table {
    index: Arc<Index>,
    /// Names of the places behind those of the index: few, made while others share that.
    added: Vec<Name>,
    /// By place; `None` where there is no variable now.
    variables: Vec<Option<Variable>>,
    /// Places without a variable.
    vacant: usize,
    lease: Option<Lease>,
}

/// Places without a variable that are kept in any case.
const VACANT: usize = 256;

/// Names that are kept beside a shared index.
const ADDED: usize = 16;

/// Room that a copy has for what comes to it: most are made to be added to.
const ROOM: usize = 4;

/// A copy of a list, with room.
fn copy_of<T: Clone>(list: &[T]) -> Vec<T> {
    let mut copy = Vec::with_capacity(list.len() + ROOM);
    copy.extend_from_slice(list);
    copy
}

impl Clone for Table {
    fn clone(&self) -> Table {
        Table {
            index: Arc::clone(&self.index),
            added: self.added.clone(),
            variables: copy_of(&self.variables),
            vacant: self.vacant,
            lease: self.lease.clone(),
        }
    }
}

impl Table {
    fn settle(&mut self) {
        if let Some(lease) = &mut self.lease {
            lease.set(self.variables.len() * ENTRY);
        }
    }

    /// The name of a place.
    #[inline]
    fn name_at(&self, place: usize) -> Option<&Name> {
        match self.index.names.get(place) {
            None => self.added.get(place - self.index.names.len()),
            name => name,
        }
    }

    /// The place of a name: first where it was found last.
    #[inline]
    fn place(&self, name: &Name) -> Option<usize> {
        let place = name.place();
        if self.name_at(place).is_some_and(|known| known == name) {
            return Some(place);
        }
        let place = self.place_of(name)?;
        name.remember(place as u32);
        Some(place)
    }

    #[inline]
    fn place_of(&self, name: &[u8]) -> Option<usize> {
        if let Some(place) = self.index.places.get(name) {
            return Some(*place as usize);
        }
        let added = self.added.iter().position(|known| &**known == name)?;
        Some(self.index.names.len() + added)
    }

    /// Puts the names that were added into the index.
    fn fold(&mut self) {
        let index = Arc::make_mut(&mut self.index);
        for name in self.added.drain(..) {
            index.places.insert(name.clone(), index.names.len() as u32);
            index.names.push(name);
        }
    }

    #[inline]
    fn at(&self, place: Option<usize>) -> Option<&Variable> {
        self.variables.get(place?)?.as_ref()
    }

    #[inline]
    fn at_mut(&mut self, place: Option<usize>) -> Option<&mut Variable> {
        self.variables.get_mut(place?)?.as_mut()
    }

    fn get(&self, name: &[u8]) -> Option<&Variable> {
        self.at(self.place_of(name))
    }

    fn get_mut(&mut self, name: &[u8]) -> Option<&mut Variable> {
        self.at_mut(self.place_of(name))
    }

    /// The name as the table has it.
    fn known(&self, name: &[u8]) -> Option<&Name> {
        self.name_at(self.place_of(name)?)
    }

    fn insert(&mut self, name: Name, variable: Variable) {
        if let Some(place) = self.place(&name) {
            self.put(place, variable);
            return;
        }
        if self.vacant > VACANT && self.vacant > self.variables.len() / 2 {
            self.sweep();
        }
        let place = self.variables.len() as u32;
        name.remember(place);
        self.variables.push(Some(variable));
        self.added.push(name);
        let alone = Arc::get_mut(&mut self.index).is_some();
        if alone || self.added.len() > ADDED {
            self.fold();
        }
        self.settle();
    }

    fn put(&mut self, place: usize, variable: Variable) {
        if let Some(slot) = self.variables.get_mut(place) {
            self.vacant -= usize::from(slot.is_none());
            *slot = Some(variable);
        }
    }

    fn remove(&mut self, name: &Name) -> Option<Variable> {
        let place = self.place(name)?;
        let old = self.variables.get_mut(place)?.take();
        self.vacant += usize::from(old.is_some());
        old
    }

    /// Forgets names without a variable.
    fn sweep(&mut self) {
        self.fold();
        let old = std::mem::take(&mut self.variables);
        let names = std::mem::take(&mut self.index);
        let index = Arc::make_mut(&mut self.index);
        for (name, variable) in names.names.iter().zip(old) {
            if variable.is_some() {
                index.places.insert(name.clone(), self.variables.len() as u32);
                index.names.push(name.clone());
                self.variables.push(variable);
            }
        }
        self.vacant = 0;
    }

    fn iter(&self) -> impl Iterator<Item = (&Name, &Variable)> {
        let names = self.index.names.iter().chain(&self.added);
        let all = names.zip(&self.variables);
        all.filter_map(|(name, variable)| Some((name, variable.as_ref()?)))
    }
}

/// All variables of a shell.
#[derive(Debug, Clone, Default)]
pub struct Vars {
    table: Arc<Table>,
    scopes: imbl::Vector<Scope>,
    /// How many of them are temporary.
    temporaries: usize,
    environment: Option<Arc<Vec<(Vec<u8>, Vec<u8>)>>>,
    /// A scope that was closed had hidden `IFS`.
    ifs_came_back: bool,
    /// What [`Vars::entry`] gives where it has nothing to give: never.
    spare: Variable,
}

impl Vars {
    /// Counts the variables against the memory of the lease's meter, from now on.
    pub fn hold(&mut self, lease: &Lease) {
        let table = Arc::make_mut(&mut self.table);
        for variable in table.variables.iter_mut().flatten() {
            variable.value.hold(lease);
        }
        table.lease = Some(lease.sibling());
        table.settle();
    }

    /// Counts the value of a variable that was just assigned.
    #[inline]
    pub fn hold_value(&mut self, name: &[u8]) {
        let table = Arc::make_mut(&mut self.table);
        let place = table.place_of(name);
        if let (Some(Some(variable)), Some(lease)) = (
            place.and_then(|place| table.variables.get_mut(place)),
            &table.lease,
        ) {
            variable.value.hold(lease);
        }
    }

    /// The visible variable of this name.
    #[inline]
    pub fn get(&self, name: &[u8]) -> Option<&Variable> {
        self.table.get(name)
    }

    /// The visible variable of a name of the tree.
    #[inline]
    pub fn find(&self, name: &Name) -> Option<&Variable> {
        self.table.at(self.table.place(name))
    }

    /// The visible variable of a name of the tree, to be changed; what is exported changes with it. `wanted` looks at it before.
    #[inline]
    pub fn find_mut(&mut self, name: &Name, wanted: impl FnOnce(&Variable) -> bool) -> Option<&mut Variable> {
        let place = self.table.place(name);
        let variable = self.table.at(place)?;
        if !wanted(variable) {
            return None;
        }
        if variable.attributes.has(Attributes::EXPORT) {
            self.environment = None;
        }
        Arc::make_mut(&mut self.table).at_mut(place)
    }

    /// The name as the table has it: with its place.
    pub fn known(&self, name: &[u8]) -> Option<&Name> {
        self.table.known(name)
    }

    /// The visible variable, made without a value when there is none.
    pub fn entry(&mut self, name: &[u8]) -> &mut Variable {
        let table = Arc::make_mut(&mut self.table);
        let mut place = table.place_of(name);
        match table.at(place) {
            Some(variable) if variable.attributes.has(Attributes::EXPORT) => self.environment = None,
            Some(_) => {}
            None => {
                let known = table.known(name).cloned();
                table.insert(known.unwrap_or_else(|| Name::from(name)), Variable::default());
                place = table.place_of(name);
            }
        }
        match table.at_mut(place) {
            Some(variable) => variable,
            // It was put there above.
            None => &mut self.spare,
        }
    }

    /// Puts a variable in place of the visible one.
    pub fn insert(&mut self, name: Name, variable: Variable) {
        if is_exported(Some(&variable)) || is_exported(self.find(&name)) {
            self.environment = None;
        }
        Arc::make_mut(&mut self.table).insert(name, variable);
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
        if self.table.get(name).is_none() {
            return;
        }
        let Some(known) = self.table.known(name).cloned() else {
            return;
        };
        self.environment = None;
        let current = self.scopes.len();
        let holder = self.scopes.iter().rposition(|scope| scope.hides(name));
        self.pay((current - holder.unwrap_or(0)) / 4);
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
                let hidden = self.scopes.get_mut(index).and_then(|scope| scope.reveal(name));
                match hidden {
                    Some(variable) => table.insert(known, variable),
                    None => drop(table.remove(&known)),
                }
            }
            None => drop(table.remove(&known)),
        }
    }

    fn pay(&self, units: usize) {
        if let Some(lease) = &self.table.lease {
            lease.pay(units as u64);
        }
    }

    /// Opens a scope.
    pub fn push_scope(&mut self, temporary: bool) {
        self.temporaries += usize::from(temporary);
        self.scopes.push_back(Scope {
            temporary,
            ..Scope::default()
        });
    }

    /// Closes the innermost scope: what it hid is visible again. Returns options to restore.
    pub fn pop_scope(&mut self) -> Option<Box<super::options::Options>> {
        let scope = self.scopes.pop_back()?;
        self.temporaries -= usize::from(scope.temporary);
        if scope.hidden.list.is_empty() {
            return scope.options;
        }
        let table = Arc::make_mut(&mut self.table);
        for (name, variable) in scope.hidden.list.into_iter().rev() {
            if is_exported(variable.as_ref()) || is_exported(table.at(table.place(&name))) {
                self.environment = None;
            }
            self.ifs_came_back |= *name == *b"IFS";
            match variable {
                Some(variable) => table.insert(name, variable),
                None => drop(table.remove(&name)),
            }
        }
        scope.options
    }

    /// `IFS` was given back by a scope since this was asked last.
    #[inline]
    pub fn take_ifs_came_back(&mut self) -> bool {
        std::mem::take(&mut self.ifs_came_back)
    }

    /// The innermost scope holds the variables of `A=1 command`.
    pub fn in_temporary(&self) -> bool {
        self.scopes.back().is_some_and(|scope| scope.temporary)
    }

    /// Takes the innermost scope away, with what is visible in it, until [`Vars::lay_scope`].
    pub fn lift_scope(&mut self) -> Lifted {
        let names = self.scopes.back().map(|scope| &scope.hidden.list);
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
        let Some(holder) = self.scopes.iter().rposition(|scope| scope.hides(name)) else {
            return;
        };
        if let Some(scope) = self.scopes.get_mut(holder).filter(|scope| scope.temporary) {
            scope.reveal(name);
        }
    }

    /// Remembers options for the end of the innermost function (`local -`).
    pub fn save_options(&mut self, options: super::options::Options) {
        if let Some(index) = self.innermost()
            && let Some(scope) = self.scopes.get_mut(index)
            && scope.options.is_none()
        {
            scope.options = Some(Box::new(options));
        }
    }

    /// Whether the innermost function restores options at its end.
    pub fn keeps_options(&self) -> bool {
        let scope = self.innermost().and_then(|index| self.scopes.get(index));
        scope.is_some_and(|scope| scope.options.is_some())
    }

    /// The scope of the innermost function.
    #[inline]
    fn innermost(&self) -> Option<usize> {
        match self.scopes.back() {
            Some(scope) if !scope.temporary => Some(self.scopes.len() - 1),
            _ => self.scopes.iter().rposition(|scope| !scope.temporary),
        }
    }

    /// Makes `name` local to the innermost function (or to the innermost scope of any kind); says whether it already was.
    pub fn make_local(&mut self, name: &[u8], any_scope: bool) -> bool {
        let index = if any_scope {
            self.scopes.len().checked_sub(1)
        } else {
            self.innermost()
        };
        let Some(index) = index else {
            return false;
        };
        if self.scopes.get(index).is_some_and(|scope| scope.hides(name)) {
            return true;
        }
        let mut hidden = self.table.get(name).cloned();
        let name = self
            .table
            .known(name)
            .cloned()
            .unwrap_or_else(|| Name::from(name));
        let inherits = hidden
            .as_ref()
            .is_some_and(|variable| variable.attributes.has(Attributes::EXPORT))
            && self.temporary_holds(&name);
        let above = (index + 1..self.scopes.len())
            .find(|above| self.scopes.get(*above).is_some_and(|scope| scope.hides(&name)));
        if let Some(scope) = above.and_then(|above| self.scopes.get_mut(above)) {
            // `A=1 local A`: the local one has that value, and hides what that hid.
            let value = hidden;
            hidden = scope.reveal(&name);
            if let Some(scope) = self.scopes.get_mut(index) {
                scope.hidden.push(name, hidden);
            }
            drop(value);
            self.environment = None;
            return false;
        }
        // A temporary scope above it (`A=1 f`) keeps its own record of what was visible before.
        if let Some(scope) = self.scopes.get_mut(index) {
            scope.hidden.push(name.clone(), hidden.clone());
        }
        if is_exported(hidden.as_ref()) {
            self.environment = None;
        }
        if !inherits {
            // A local variable is exported where the one that it hides is.
            let attributes = match is_exported(hidden.as_ref()) {
                true => Attributes::EXPORT,
                false => Attributes::default(),
            };
            let value = Value::Unset;
            Arc::make_mut(&mut self.table).insert(name, Variable { value, attributes });
        }
        false
    }

    /// Makes a local variable of the innermost function with a short value. `false`, and nothing is done, where a variable of
    /// the name has attributes, or the innermost scope is no function's.
    pub fn set_plain_local(&mut self, name: &[u8], value: &[u8]) -> bool {
        let hides = match self.scopes.back() {
            Some(scope) if !scope.temporary => scope.hides(name),
            _ => return false,
        };
        let Some(known) = self.table.known(name).cloned() else {
            return false;
        };
        let place = self.table.place(&known);
        let old = self.table.at(place);
        if old.is_some_and(|old| {
            old.attributes != Attributes::default() || matches!(old.value, Value::Dynamic(_))
        }) {
            return false;
        }
        if hides && old.is_some_and(|old| old.value.is_array()) {
            return false;
        }
        let variable = Variable {
            value: Value::Scalar(Text::new(value)),
            attributes: Attributes::default(),
        };
        let table = Arc::make_mut(&mut self.table);
        let Some(slot) = place.and_then(|place| table.variables.get_mut(place)) else {
            return false;
        };
        table.vacant -= usize::from(slot.is_none());
        let old = slot.replace(variable);
        if !hides && let Some(scope) = self.scopes.back_mut() {
            scope.hidden.push(known, old);
        }
        true
    }

    /// The visible variable came from `A=1 command`.
    pub fn temporary_holds(&self, name: &[u8]) -> bool {
        if self.temporaries == 0 {
            return false;
        }
        let holder = self.scopes.iter().rposition(|scope| scope.hides(name));
        self.pay((self.scopes.len() - holder.unwrap_or(0)) / 4);
        holder
            .and_then(|holder| self.scopes.get(holder))
            .is_some_and(|scope| scope.temporary)
    }

    /// What `name` was before the innermost scope that hides it.
    pub fn hidden(&self, name: &[u8]) -> Option<&Variable> {
        let scope = self.scopes.iter().rev().find(|scope| scope.hides(name))?;
        let place = scope.hidden.place(name)?;
        scope.hidden.list.get(place)?.1.as_ref()
    }

    /// The global variable that scopes hide.
    pub fn global(&self, name: &[u8]) -> Option<&Variable> {
        let scope = self.scopes.iter().find(|scope| scope.hides(name))?;
        let place = scope.hidden.place(name)?;
        scope.hidden.list.get(place)?.1.as_ref()
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
        let hidden = self.scopes.get_mut(index).and_then(|scope| {
            let place = scope.hidden.place(name)?;
            scope.hidden.list.get_mut(place)
        });
        let Some((_, slot)) = hidden else { return false };
        let table = Arc::make_mut(&mut self.table);
        let known = table.known(name).cloned().unwrap_or_else(|| Name::from(name));
        let visible = table.remove(&known);
        if let Some(global) = std::mem::replace(slot, visible) {
            table.insert(known, global);
        }
        true
    }

    /// A function is running.
    pub fn in_function(&self) -> bool {
        self.innermost().is_some()
    }

    /// The name is local to the innermost function.
    pub fn is_local(&self, name: &[u8]) -> bool {
        let scope = self.innermost().and_then(|index| self.scopes.get(index));
        scope.is_some_and(|scope| scope.hides(name))
    }

    /// Names local to the innermost function, sorted.
    pub fn locals(&self) -> Vec<Name> {
        let scope = self.innermost().and_then(|index| self.scopes.get(index));
        let mut names: Vec<Name> = scope
            .into_iter()
            .flat_map(|scope| scope.hidden.list.iter().map(|(name, _)| name.clone()))
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

    /// What programs get as their environment, in bash's order: that of its hash tables, those of the innermost scopes first.
    pub fn environment(&mut self) -> Arc<Vec<(Vec<u8>, Vec<u8>)>> {
        if let Some(environment) = &self.environment {
            return Arc::clone(environment);
        }
        self.pay(self.table.variables.len());
        let mut list: Vec<(&Name, &Text)> = self
            .table
            .iter()
            .filter(|(_, variable)| variable.attributes.has(Attributes::EXPORT))
            .filter_map(|(name, variable)| match &variable.value {
                Value::Scalar(text) => Some((name, text)),
                _ => None,
            })
            .collect();
        list.sort_by_cached_key(|(name, _)| (self.place_in_environment(name), Name::clone(name)));
        let pair = |(name, text): (&Name, &Text)| (name.to_vec(), text.to_vec());
        let list = Arc::new(list.into_iter().map(pair).collect::<Vec<_>>());
        self.environment = Some(Arc::clone(&list));
        list
    }

    /// Scopes outside of the variable's own, its bucket in bash's table, and its age there: the newest comes first.
    fn place_in_environment(&self, name: &[u8]) -> (usize, u32, Reverse<usize>) {
        let hash = crate::expand::assoc_hash(name);
        let mut inside = self.scopes.iter().rev().enumerate();
        let own = inside.find_map(|(rank, scope)| Some((rank, scope, scope.hidden.place(name)?)));
        match own {
            Some((rank, scope, place)) => {
                let buckets = if scope.hidden.list.len() > 8 { 16 } else { 4 };
                (rank, hash % buckets, Reverse(place))
            }
            None => (self.scopes.len(), hash % 1024, Reverse(0)),
        }
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

fn is_exported(variable: Option<&Variable>) -> bool {
    variable.is_some_and(|variable| variable.attributes.has(Attributes::EXPORT))
}

impl Scope {
    fn hides(&self, name: &[u8]) -> bool {
        self.hidden.place(name).is_some()
    }

    fn reveal(&mut self, name: &[u8]) -> Option<Variable> {
        self.hidden.remove(name)
    }
}
