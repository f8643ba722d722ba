//! `SYMTAB` and `FUNCTAB`: arrays whose elements are the program's variables and functions.
//!
//! The arrays hold the names alone, so that loops and `in` need nothing special; an element of SYMTAB leads to the variable of that name.

use super::{Machine, Run, Trouble, fatal, is_array};
use crate::program::awk::code::{Builtin, Special};
use crate::program::awk::value::{Place, Text, Value};

impl Machine<'_> {
    /// Fills both arrays.
    pub fn prepare_symbols(&mut self) -> Run<()> {
        let program = std::sync::Arc::clone(&self.program);
        let own = program
            .functions
            .iter()
            .filter(|function| function.start.is_some());
        let own = own.map(|function| function.name.as_slice());
        for name in Builtin::NAMES.iter().map(|name| name.as_bytes()).chain(own) {
            self.set_input(Special::Functab, name, name)?;
        }
        for (index, name) in program.globals.iter().enumerate() {
            let is_table =
                [Special::Symtab.place(), Special::Functab.place()].contains(&Place::Global(index as u32));
            if !is_table && name != b" " {
                self.set_input(Special::Symtab, name, b"")?;
            }
        }
        self.symbols = Some(self.array_of(Special::Symtab.place())?);
        self.functions = Some(self.array_of(Special::Functab.place())?);
        Ok(())
    }

    #[inline]
    pub(super) fn is_table(&self, array: u32) -> bool {
        self.symbols == Some(array) || self.functions == Some(array)
    }

    fn table_name(&self, array: u32) -> &'static str {
        if self.functions == Some(array) {
            "FUNCTAB"
        } else {
            "SYMTAB"
        }
    }

    /// The variable that an element of SYMTAB is.
    pub fn symbol(&self, array: u32, key: &Text) -> Option<Place> {
        if self.symbols != Some(array) || self.array(array)?.get(key.bytes()).is_none() {
            return None;
        }
        let index = self.program.globals.iter().position(|name| name == key.bytes())?;
        Some(Place::Global(index as u32))
    }

    fn unknown_symbol(&self, array: u32, key: &Text) -> Trouble {
        let (table, key) = (self.table_name(array), String::from_utf8_lossy(key.bytes()));
        fatal(format!(
            "reference to uninitialized element `{table}[\"{key}\"] is not allowed'"
        ))
    }

    /// The value of an element of one of these arrays.
    pub(super) fn load_symbol(&mut self, array: u32, key: &Text) -> Run<Value> {
        match self.symbol(array, key) {
            Some(place) => match Special::at(place) {
                Some(special) => self.load_special(special),
                None => self.load_variable(place),
            },
            None => match self.array(array).and_then(|table| table.get(key.bytes())) {
                Some(value) => Ok(value.clone()),
                None => Err(self.unknown_symbol(array, key)),
            },
        }
    }

    /// Assigns an element of one of these arrays.
    pub(super) fn store_symbol(&mut self, array: u32, key: &Text, value: Value) -> Run<()> {
        match self.symbol(array, key) {
            Some(place) => match Special::at(place) {
                Some(special) => self.store_special(special, value),
                None => self.store_variable(place, value),
            },
            None if self.functions == Some(array) => Err(fatal("cannot assign to elements of FUNCTAB")),
            None => Err(fatal("cannot assign to arbitrary elements of SYMTAB")),
        }
    }

    /// An element of SYMTAB as an argument, or for its type: an array or an unused variable is given itself.
    pub fn symbol_itself(&mut self, array: u32, key: &Text) -> Run<Option<Value>> {
        if !self.is_table(array) {
            return Ok(None);
        }
        match self.symbol(array, key) {
            Some(place) if Special::at(place).is_none_or(is_array) => Ok(Some(self.variable(place))),
            _ => self.load_symbol(array, key).map(Some),
        }
    }

    /// Nothing is taken out of these arrays.
    pub fn refuse_delete(&self, array: u32) -> Run<()> {
        if self.is_table(array) {
            let table = self.table_name(array);
            return Err(fatal(format!("`delete' is not allowed with {table}")));
        }
        Ok(())
    }
}
