//! The line of a rule: targets, prerequisites and a first command, or a variable of targets.
//!
//! Targets are expanded first, up to the colon, wherever it comes from; what follows is expanded only when it turns out to be no variable.

use super::Make;
use super::files::{Place, Recipe};
use super::names::{self, Pattern, find_outside, trim};
use super::reader::{collapsed, without_comment};
use super::variables::{Definition, Flavor, Modifiers, Operator, Origin, Statement, Variable, statement};
use crate::kernel::Stop;
use crate::pattern::has_glob;

/// A rule whose recipe is still read.
#[derive(Debug)]
pub struct Waiting {
    pub targets: Vec<Vec<u8>>,
    /// `targets: pattern: prerequisites`.
    pub pattern: Option<Pattern>,
    pub dependencies: Vec<u8>,
    pub double_colon: bool,
    pub grouped: bool,
    pub recipe: Option<Recipe>,
    pub place: Option<Place>,
}

impl Waiting {
    /// Adds a line of the recipe.
    pub fn add_line(&mut self, line: &[u8], place: Option<Place>, prefix: u8) {
        let recipe = self.recipe.get_or_insert_with(|| Recipe {
            text: Vec::new(),
            place,
            prefix,
        });
        recipe.text.extend_from_slice(line);
        recipe.text.push(b'\n');
    }
}

/// What a line turned out to be.
pub enum RuleLine {
    Rule(Waiting),
    /// A rule without targets: its recipe is passed over.
    NoTargets,
    /// A variable of targets, or nothing at all.
    Done,
}

/// A line that is cut at its parts, nothing of the rest expanded.
struct Cut {
    /// Up to the colon or all, expanded.
    targets: Vec<u8>,
    /// Behind the colon, as far as it came from the expansion.
    expanded: Vec<u8>,
    /// Not expanded.
    raw: Vec<u8>,
    /// Behind the semicolon.
    command: Option<Vec<u8>>,
    colon: bool,
}

/// Names in a text, which a backslash may quote blanks in.
pub fn file_words(text: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut word: Vec<u8> = Vec::new();
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek().copied().is_some_and(names::is_space) => word.extend(bytes.next()),
            byte if names::is_space(byte) => {
                if !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
            }
            byte => word.push(byte),
        }
    }
    if !word.is_empty() {
        all.push(word);
    }
    all
}

/// A name without `./` before it.
pub fn without_dot(name: &[u8]) -> &[u8] {
    let mut name = name;
    while name.len() > 2 {
        let Some(rest) = name.strip_prefix(b"./") else {
            break;
        };
        let start = rest.iter().position(|byte| *byte != b'/').unwrap_or(rest.len());
        name = match rest.get(start..) {
            Some(rest) if !rest.is_empty() => rest,
            _ => return b"./",
        };
    }
    name
}

impl Make<'_> {
    /// Names of files in a text, with their patterns matched.
    pub fn file_names(&mut self, text: &[u8]) -> Result<Vec<Vec<u8>>, Stop> {
        let mut all = Vec::new();
        for word in file_words(text) {
            let word = self.with_home(without_dot(&word));
            let matching = if has_glob(&word, false) {
                self.matching_files(&word)?
            } else {
                Vec::new()
            };
            if matching.is_empty() {
                all.push(word);
            } else {
                all.extend(matching);
            }
        }
        Ok(all)
    }

    async fn cut(&mut self, line: &[u8]) -> Result<Cut, Stop> {
        let (line, command) = match find_outside(line, b";#") {
            Some(at) if line.get(at) == Some(&b';') => {
                let (before, behind) = line.split_at_checked(at).unwrap_or((line, b""));
                (before, behind.get(1..).map(<[u8]>::to_vec))
            }
            Some(at) => (line.get(..at).unwrap_or_default(), None),
            None => (line, None),
        };
        let line = without_comment(&names::unquote(&collapsed(line), b";"));
        let colon = find_outside(&line, b":");
        let (before, rest) = line
            .split_at_checked(colon.unwrap_or(line.len()))
            .unwrap_or_default();
        let text = self.expand(before).await?;
        let mut cut = Cut {
            targets: text,
            expanded: Vec::new(),
            raw: rest.get(1..).unwrap_or_default().to_vec(),
            command,
            colon: colon.is_some(),
        };
        if let Some(at) = find_outside(&cut.targets, b":;")
            && cut.targets.get(at) == Some(&b':')
        {
            cut.expanded = cut.targets.split_off(at).split_off(1);
            cut.raw = rest.to_vec();
            cut.colon = true;
        }
        Ok(cut)
    }

    /// Reads the line of a rule.
    pub async fn rule(&mut self, line: &[u8]) -> Result<RuleLine, Stop> {
        let cut = self.cut(line).await?;
        let text = trim(&cut.targets);
        if !cut.colon {
            if !text.is_empty() {
                return Err(self.missing_separator(line).await);
            }
            if cut.command.is_some() {
                return Err(self.fatal("missing rule before recipe").await);
            }
            return Ok(RuleLine::Done);
        }
        let (text, grouped) = match text.strip_suffix(b"&") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let targets = self.file_names(&names::unquote(text, b":"))?;
        if targets.is_empty() {
            return Ok(RuleLine::NoTargets);
        }
        if let Some(archive) = targets
            .iter()
            .find(|name| name.ends_with(b")") && name.contains(&b'(') && !name.starts_with(b"("))
        {
            let sentence = [b"archive members are not supported: ".as_slice(), archive].concat();
            return Err(self.fatal(sentence).await);
        }
        let rest = [cut.expanded.as_slice(), &cut.raw].concat();
        let double_colon = rest.starts_with(b":") && !rest.starts_with(b":=") && !rest.starts_with(b"::=");
        let skip = usize::from(double_colon);
        if let Some((modifiers, Statement::Set(mut definition))) =
            statement(rest.get(skip..).unwrap_or_default(), true)
        {
            if let Some(command) = &cut.command {
                definition.value.push(b';');
                definition
                    .value
                    .extend_from_slice(&without_comment(&collapsed(command)));
            }
            self.target_variable(&targets, modifiers, &definition).await?;
            return Ok(RuleLine::Done);
        }
        self.choose_default_goal(&targets)?;
        let waiting = self.prerequisites(cut, targets, skip).await?;
        Ok(RuleLine::Rule(Waiting { grouped, ..waiting }))
    }

    async fn prerequisites(&mut self, cut: Cut, targets: Vec<Vec<u8>>, skip: usize) -> Result<Waiting, Stop> {
        let raw = self.expand(&cut.raw).await?;
        let mut text = [cut.expanded.as_slice(), &raw].concat();
        text.drain(..skip);
        let mut command = cut.command;
        if command.is_none()
            && let Some(at) = find_outside(&text, b";")
        {
            command = Some(text.split_off(at).split_off(1));
        }
        let mut pattern = None;
        if let Some(at) = find_outside(&text, b":") {
            let behind = text.split_off(at).split_off(1);
            let found = file_words(&text);
            text = behind;
            let sentence = match found.as_slice() {
                [] => "missing target pattern",
                [one] => {
                    let parsed = Pattern::parse(one);
                    let is_pattern = parsed.is_pattern();
                    pattern = Some(parsed);
                    if is_pattern {
                        ""
                    } else {
                        "target pattern contains no '%'"
                    }
                }
                _ => "multiple target patterns",
            };
            if !sentence.is_empty() {
                return Err(self.fatal(sentence).await);
            }
        }
        let place = self.place.clone();
        Ok(Waiting {
            targets,
            pattern,
            dependencies: names::unquote(trim(&text), b":"),
            double_colon: skip > 0,
            grouped: false,
            recipe: command.map(|command| Recipe {
                text: [command.as_slice(), b"\n"].concat(),
                place: place.clone(),
                prefix: b'\t',
            }),
            place,
        })
    }

    /// The first target that may be is the goal where none is named.
    fn choose_default_goal(&mut self, targets: &[Vec<u8>]) -> Result<(), Stop> {
        let chosen = self
            .variables
            .get(b".DEFAULT_GOAL")
            .is_some_and(|goal| !goal.value.is_empty());
        if chosen {
            return Ok(());
        }
        for name in targets {
            if name.contains(&b'%') {
                break;
            }
            let hidden = name.starts_with(b".") && !name.contains(&b'/');
            if !hidden {
                let goal = Variable::new(name.as_slice(), Flavor::Recursive, Origin::File);
                self.variables.put(b".DEFAULT_GOAL", goal)?;
                break;
            }
        }
        Ok(())
    }

    /// `targets: NAME = VALUE`.
    async fn target_variable(
        &mut self,
        targets: &[Vec<u8>],
        modifiers: Modifiers,
        definition: &Definition,
    ) -> Result<(), Stop> {
        for target in targets {
            let pattern = Pattern::parse(target);
            let name = self.expand(trim(&definition.name)).await?;
            let old = if pattern.is_pattern() {
                None
            } else {
                let id = self.files.enter(target)?;
                let scope = &self.files.get(id).variables;
                scope
                    .iter()
                    .rev()
                    .find(|(known, _)| *known == name)
                    .map(|(_, variable)| variable.clone())
            };
            let Some(variable) = self.scoped(&name, old, modifiers, definition).await? else {
                continue;
            };
            self.files.hold(variable.value.len() + name.len() + 256)?;
            if pattern.is_pattern() {
                self.pattern_variables.push((pattern, name, variable));
            } else {
                let id = self.files.enter(target)?;
                self.files.get_mut(id).variables.push((name, variable));
            }
        }
        Ok(())
    }

    /// The variable that a definition gives a target.
    async fn scoped(
        &mut self,
        name: &[u8],
        old: Option<Variable>,
        modifiers: Modifiers,
        definition: &Definition,
    ) -> Result<Option<Variable>, Stop> {
        if definition.operator == Operator::Conditional
            && (old.is_some() || self.variables.get(name).is_some())
        {
            return Ok(None);
        }
        let append = definition.operator == Operator::Append && old.as_ref().is_none_or(|old| old.append);
        let Some((value, flavor)) = self.defined_value(definition, old.as_ref()).await? else {
            return Ok(None);
        };
        let origin = if modifiers.over {
            Origin::Override
        } else {
            Origin::File
        };
        let mut variable = Variable::new(value, flavor, origin);
        variable.append = append;
        variable.private = modifiers.private;
        variable.place.clone_from(&self.place);
        if modifiers.export {
            variable.export = super::variables::Export::Yes;
        }
        let stronger = [Origin::CommandLine, Origin::EnvironmentOverride];
        if let Some(global) = self.variables.get(name)
            && origin != Origin::Override
            && stronger.contains(&global.origin)
        {
            variable = global.clone();
        }
        Ok(Some(variable))
    }
}
