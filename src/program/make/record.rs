//! Recording rules, and what the special targets mean once everything is read.

use std::sync::Arc;

use super::Make;
use super::files::{Dependency, Id, PatternRule, Recipe, SecondExpansion};
use super::names::Pattern;
use super::rule::Waiting;
use crate::kernel::Stop;
use crate::program::message::message;

/// Prerequisites before and behind the bar.
fn split_bar(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|byte| *byte == b'|') {
        Some(at) => (
            text.get(..at).unwrap_or_default(),
            text.get(at + 1..).unwrap_or_default(),
        ),
        None => (text, b""),
    }
}

impl Make<'_> {
    /// Names of prerequisites; whether each only has to be there.
    pub fn prerequisite_names(&mut self, text: &[u8]) -> Result<Vec<(Vec<u8>, bool)>, Stop> {
        let (normal, order_only) = split_bar(text);
        let mut all = Vec::new();
        for (part, only) in [(normal, false), (order_only, true)] {
            all.extend(self.file_names(part)?.into_iter().map(|name| (name, only)));
        }
        Ok(all)
    }

    /// Enters prerequisites, with the stem in the place of each `%` if there is one.
    pub fn enter_prerequisites(
        &mut self,
        list: &[(Vec<u8>, bool)],
        stem: Option<&[u8]>,
    ) -> Result<Vec<Dependency>, Stop> {
        let mut all = Vec::with_capacity(list.len());
        for (name, order_only) in list {
            let name = match stem {
                Some(stem) => Pattern::parse(name).fill(stem),
                None => name.clone(),
            };
            self.files.hold(std::mem::size_of::<Dependency>())?;
            all.push(Dependency {
                file: self.files.enter(&name)?,
                order_only: *order_only,
                changed: false,
            });
        }
        Ok(all)
    }

    /// Records a rule that is read to its end.
    pub async fn record_rule(&mut self, waiting: Waiting) -> Result<(), Stop> {
        let before = std::mem::replace(&mut self.place, waiting.place.clone());
        let result = self.record_at_place(waiting).await;
        self.place = before;
        result
    }

    async fn record_at_place(&mut self, mut waiting: Waiting) -> Result<(), Stop> {
        if self.snapped && !waiting.dependencies.is_empty() {
            return Err(self.fatal("prerequisites cannot be defined in recipes").await);
        }
        let recipe = waiting.recipe.take().map(Arc::new);
        if let Some(recipe) = &recipe {
            self.files.hold(recipe.text.len())?;
        }
        let patterns: Vec<Pattern> = waiting.targets.iter().map(|name| Pattern::parse(name)).collect();
        let implicit = patterns.iter().filter(|pattern| pattern.is_pattern()).count();
        if implicit > 0 {
            if waiting.pattern.is_some() {
                return Err(self.fatal("mixed implicit and static pattern rules").await);
            }
            if implicit < patterns.len() {
                return Err(self.fatal("mixed implicit and normal rules").await);
            }
            return self.record_pattern_rule(waiting, patterns, recipe).await;
        }
        self.note_special(&waiting.targets)?;
        let second = self.second_expansion && waiting.dependencies.contains(&b'$');
        let list = if second {
            Vec::new()
        } else {
            self.prerequisite_names(&waiting.dependencies)?
        };
        let mut group = Vec::new();
        for name in &waiting.targets {
            let mut matches = true;
            let stem = match &waiting.pattern {
                None => None,
                Some(pattern) => match pattern.stem(name) {
                    Some(stem) => Some(stem.to_vec()),
                    None => {
                        let sentence = message!("target '", name, "' doesn't match the target pattern");
                        self.complain(sentence).await?;
                        matches = false;
                        None
                    }
                },
            };
            let id = self
                .target(
                    name,
                    waiting.double_colon,
                    recipe.clone(),
                    waiting.dependencies.is_empty(),
                )
                .await?;
            let wanted = if matches { list.as_slice() } else { &[] };
            let dependencies = self.enter_prerequisites(wanted, stem.as_deref())?;
            if second {
                let text = SecondExpansion {
                    text: waiting.dependencies.clone(),
                    place: self.place.clone(),
                };
                self.files.hold(text.text.len())?;
                self.files.get_mut(id).second.push(text);
            }
            let entry = self.files.get_mut(id);
            entry.is_target = true;
            if stem.is_some() {
                entry.stem = stem;
            }
            if recipe.is_some() {
                // Those of the rule with the recipe come first.
                let old = std::mem::replace(&mut entry.dependencies, dependencies);
                entry.dependencies.extend(old);
            } else {
                entry.dependencies.extend(dependencies);
            }
            group.push(id);
        }
        if waiting.grouped {
            self.group(&group).await?;
        }
        Ok(())
    }

    /// The commands of `a b &: c` make all targets.
    async fn group(&mut self, group: &[Id]) -> Result<(), Stop> {
        for id in group {
            let others: Vec<Id> = group.iter().copied().filter(|other| other != id).collect();
            self.files.hold(others.len() * 8)?;
            self.files.get_mut(*id).also = others;
        }
        Ok(())
    }

    /// The record that a rule for a name belongs to.
    async fn target(
        &mut self,
        name: &[u8],
        double_colon: bool,
        recipe: Option<Arc<Recipe>>,
        empty: bool,
    ) -> Result<Id, Stop> {
        let id = self.files.enter(name)?;
        let entry = self.files.get(id);
        if entry.is_target && entry.double_colon != double_colon {
            let sentence = message!("target file '", name, "' has both : and :: entries");
            return Err(self.fatal(sentence).await);
        }
        if double_colon {
            let first = !entry.double_colon;
            let record = if first { id } else { self.files.add(name)? };
            if !first {
                self.files.get_mut(id).more.push(record);
            }
            let entry = self.files.get_mut(record);
            entry.double_colon = true;
            entry.recipe = recipe;
            return Ok(record);
        }
        let old = entry.recipe.clone();
        let is_target = entry.is_target;
        if let (Some(fresh), Some(old)) = (&recipe, &old) {
            if Arc::ptr_eq(fresh, old) {
                let sentence = message!("target '", name, "' given more than once in the same rule");
                self.complain(sentence).await?;
            } else if is_target {
                self.warn_overriding(name, fresh, old).await?;
            }
        }
        let entry = self.files.get_mut(id);
        if recipe.is_some() {
            entry.recipe = recipe;
        } else if empty && name == b".DEFAULT" {
            entry.recipe = None;
        }
        if empty && name == b".SUFFIXES" {
            entry.dependencies.clear();
        }
        Ok(id)
    }

    async fn warn_overriding(&mut self, name: &[u8], fresh: &Recipe, old: &Recipe) -> Result<(), Stop> {
        let before = std::mem::replace(&mut self.place, fresh.place.clone());
        self.complain(message!("warning: overriding recipe for target '", name, "'"))
            .await?;
        self.place.clone_from(&old.place);
        self.complain(message!("warning: ignoring old recipe for target '", name, "'"))
            .await?;
        self.place = before;
        Ok(())
    }

    async fn record_pattern_rule(
        &mut self,
        waiting: Waiting,
        targets: Vec<Pattern>,
        recipe: Option<Arc<Recipe>>,
    ) -> Result<(), Stop> {
        if self.second_expansion && waiting.dependencies.contains(&b'$') {
            let sentence = "second expansion in pattern rules is not supported";
            return Err(self.fatal(sentence).await);
        }
        let (normal, order_only) = split_bar(&waiting.dependencies);
        let mut dependencies = Vec::new();
        for (part, only) in [(normal, false), (order_only, true)] {
            dependencies.extend(super::rule::file_words(part).into_iter().map(|word| (word, only)));
        }
        self.files.hold(waiting.dependencies.len() * 2 + 256)?;
        let rule = PatternRule {
            targets,
            dependencies,
            recipe,
            terminal: waiting.double_colon,
        };
        self.add_pattern_rule(rule, true);
        Ok(())
    }

    /// Adds a pattern rule; one with the same targets and prerequisites gives way, or stays where the new one is built in.
    pub fn add_pattern_rule(&mut self, rule: PatternRule, replaces: bool) {
        let same = |old: &PatternRule| old.targets == rule.targets && old.dependencies == rule.dependencies;
        match self.patterns.iter().position(same) {
            Some(_) if !replaces => return,
            Some(at) => {
                self.patterns.remove(at);
            }
            None => {}
        }
        self.patterns.push(rule);
    }

    /// Special targets that count from where they are read.
    fn note_special(&mut self, targets: &[Vec<u8>]) -> Result<(), Stop> {
        use super::variables::{Flavor, Origin, Variable};
        for name in targets {
            match name.as_slice() {
                b".SECONDEXPANSION" => self.second_expansion = true,
                b".ONESHELL" => self.one_shell = true,
                b".POSIX" => {
                    let flags = Variable::new(b"-ec".as_slice(), Flavor::Simple, Origin::Default);
                    let given = self
                        .variables
                        .get(b".SHELLFLAGS")
                        .is_some_and(|flags| flags.origin > Origin::Default);
                    if !given {
                        self.variables.put(b".SHELLFLAGS", flags)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn named_by(&self, special: &[u8]) -> Vec<Id> {
        let entry = self.files.special(special);
        entry
            .map(|entry| {
                entry
                    .dependencies
                    .iter()
                    .map(|dependency| dependency.file)
                    .collect()
            })
            .unwrap_or_default()
    }

    /// Every record of a file.
    pub fn records(&self, id: Id) -> Vec<Id> {
        [vec![id], self.files.get(id).more.clone()].concat()
    }

    /// Gives the special targets their meaning, after everything is read.
    pub fn apply_special_targets(&mut self) {
        for id in self.named_by(b".PRECIOUS") {
            self.files.get_mut(id).is_precious = true;
        }
        for id in self.named_by(b".PHONY") {
            for id in self.records(id) {
                let entry = self.files.get_mut(id);
                entry.is_phony = true;
                entry.is_target = true;
                entry.time = Some(None);
                entry.time_before = Some(None);
            }
        }
        for id in self.named_by(b".INTERMEDIATE") {
            self.files.get_mut(id).is_intermediate = true;
        }
        for id in self.named_by(b".SECONDARY") {
            let entry = self.files.get_mut(id);
            entry.is_intermediate = true;
            entry.is_secondary = true;
        }
        if self.files.has_target(b".SECONDARY") && self.named_by(b".SECONDARY").is_empty() {
            self.all_secondary = true;
        }
        if self.files.has_target(b".EXPORT_ALL_VARIABLES") {
            self.export_all = true;
        }
        let ignored = self.named_by(b".IGNORE");
        self.options.ignore_errors |= self.files.has_target(b".IGNORE") && ignored.is_empty();
        for id in ignored {
            self.files.get_mut(id).ignores_errors = true;
        }
        let silent = self.named_by(b".SILENT");
        self.silent |= self.files.has_target(b".SILENT") && silent.is_empty();
        for id in silent {
            self.files.get_mut(id).is_silent = true;
        }
        self.snapped = true;
    }
}
