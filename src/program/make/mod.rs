//! `make`: GNU make 4.3 as a runner of tasks.
//!
//! [`options`] reads the command line. [`reader`] reads makefiles line by line ([`condition`], [`rule`]) into [`variables`] and [`files`]
//! ([`record`], [`builtin`]); [`expand`] and [`functions`] say what references stand for. Then [`update`] brings goals up to date: it
//! finds rules by pattern ([`implicit`]), and [`recipe`] runs commands with the variables of their target ([`scope`]) through `/bin/sh`.
//!
//! Decisions: one job at a time whatever `-j` says, which is one of the orders that it allows. `vpath`, archive members, `load`, and the
//! options `-d`, `-p` and `-L` are refused. A makefile that was made anew is read again by starting over, as make executes itself again.
//! What make recurses over without a bound of its own (`include`, `$(call)`, prerequisites) ends with the run's limits.
//!
//! Tests: `corpus/cases/program/make/`.

mod builtin;
mod condition;
mod expand;
mod files;
mod functions;
mod implicit;
mod names;
mod options;
mod outside;
mod reader;
mod recipe;
mod record;
mod rule;
mod scope;
mod update;
mod variables;

use super::message::message;
use super::usage;
use crate::fs::{Errno, Existing, FileKind, Follow};
use crate::kernel::{BoxFuture, Proc, Program, Stop};
use expand::Frame;
use files::{Files, Id, NEW, OLD, PatternRule, Place, Status};
use names::Pattern;
use options::Options;
use reader::Need;
use scope::TargetScope;
use variables::{Definition, Export, Flavor, Origin, Table, Variable};

/// The program.
pub const PROGRAM: Program = Program {
    name: "make",
    run: |proc| Box::pin(run(proc)),
};

/// Where makefiles are looked for.
const MAKEFILES: [&[u8]; 3] = [b"GNUmakefile", b"makefile", b"Makefile"];
/// The status of a failure.
const FAILURE: i32 = 2;

/// A run of make.
pub struct Make<'a> {
    proc: &'a mut Proc,
    options: Options,
    /// `make`, or `make[1]` below another make.
    name: Vec<u8>,
    level: u64,
    variables: Table,
    /// Variables of calls and loops.
    frames: Vec<Frame>,
    scope: Option<TargetScope>,
    /// Variables whose values are being expanded, and those that are called.
    expanding: Vec<Vec<u8>>,
    called: Vec<Vec<u8>>,
    /// Where messages say that they come from.
    place: Option<Place>,
    /// Where the variable was set whose value is expanded.
    value_place: Option<Place>,
    files: Files,
    patterns: Vec<PatternRule>,
    pattern_variables: Vec<(Pattern, Vec<u8>, Variable)>,
    makefiles: Vec<Id>,
    /// Makefiles that could not be read.
    missing: Vec<(Id, Errno, Need, Option<Place>)>,
    export_all: bool,
    second_expansion: bool,
    one_shell: bool,
    all_secondary: bool,
    /// Commands are not shown, by `-s` or `.SILENT`.
    silent: bool,
    /// Everything is read.
    snapped: bool,
    commands_started: u64,
    entered: bool,
    /// A file from the future, and whether it was told.
    early: Option<Id>,
    skewed: bool,
}

/// How a run ended.
enum End {
    Status(i32),
    /// A makefile was made anew.
    Again,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let mut options = Options::default();
    if let Some(flags) = proc.variable(b"MAKEFLAGS") {
        let flags = flags.to_vec();
        options.read_flags(&functions::replaced(&flags, b"$$", b"$"));
    }
    let arguments = proc.arguments().to_vec();
    let read = options.read(&arguments);
    usage::accept(proc, read).await?;
    let level = proc
        .variable(b"MAKELEVEL")
        .and_then(|level| std::str::from_utf8(level).ok()?.parse().ok());
    let level: u64 = level.unwrap_or(0);
    if !options.silent && !options.no_print_directory && (level > 0 || !options.directories.is_empty()) {
        options.print_directory = true;
    }
    let mut restarts = 0;
    loop {
        let mut make = Make::new(proc, options.clone(), level);
        if restarts > 0 {
            let count = Variable::new(
                restarts.to_string().into_bytes(),
                Flavor::Simple,
                Origin::Environment,
            );
            make.variables.put(b"MAKE_RESTARTS", count)?;
            make.entered = options.print_directory;
        }
        let end = make.session(restarts == 0).await;
        match end {
            Ok(End::Again) => restarts += 1,
            Ok(End::Status(status)) => {
                make.leave().await?;
                return Ok(status);
            }
            Err(Stop::Exit(status)) => {
                make.remove_intermediates().await?;
                make.leave().await?;
                return Err(Stop::Exit(status));
            }
            Err(stop) => return Err(stop),
        }
        options.directories.clear();
    }
}

impl<'a> Make<'a> {
    fn new(proc: &'a mut Proc, options: Options, level: u64) -> Make<'a> {
        let program = names::base(proc.name()).to_vec();
        let name = if level == 0 {
            program
        } else {
            message!(program, "[", level.to_string(), "]")
        };
        let (variables, files) = (Table::new(proc.kernel.lease()), Files::new(proc.kernel.lease()));
        Make {
            silent: options.silent,
            proc,
            options,
            name,
            level,
            variables,
            frames: Vec::new(),
            scope: None,
            expanding: Vec::new(),
            called: Vec::new(),
            place: None,
            value_place: None,
            early: None,
            skewed: false,
            files,
            patterns: Vec::new(),
            pattern_variables: Vec::new(),
            makefiles: Vec::new(),
            missing: Vec::new(),
            export_all: false,
            second_expansion: false,
            one_shell: false,
            all_secondary: false,
            snapped: false,
            commands_started: 0,
            entered: false,
        }
    }

    /// Prints a line on standard output, as make says it.
    async fn say(&mut self, text: Vec<u8>) -> Result<(), Stop> {
        let line = message!(self.name, ": ", text, "\n");
        self.proc.write(&line).await?;
        self.proc.flush().await
    }

    /// Prints a line on standard error, as make says it.
    async fn say_error(&mut self, text: Vec<u8>) -> Result<(), Stop> {
        self.proc.flush().await?;
        let line = message!(self.name, ": ", text, "\n");
        self.proc.write_error(&line).await
    }

    /// Prints a line on standard error that says where in a makefile it comes from.
    async fn complain(&mut self, text: impl AsRef<[u8]>) -> Result<(), Stop> {
        let place = self.shown_place();
        self.proc.flush().await?;
        let line = message!(place, ": ", text.as_ref(), "\n");
        self.proc.write_error(&line).await
    }

    fn shown_place(&self) -> Vec<u8> {
        match &self.place {
            None => self.name.clone(),
            Some(place) => message!(place.file, ":", place.line.to_string()),
        }
    }

    /// Prints why make cannot go on.
    async fn fatal(&mut self, text: impl AsRef<[u8]>) -> Stop {
        let line = message!("*** ", text.as_ref(), ".  Stop.");
        match self.complain(line).await {
            Ok(()) => Stop::Exit(FAILURE),
            Err(stop) => stop,
        }
    }

    /// The same for what is wrong in a value: it is said to be where that was set.
    async fn fatal_in_value(&mut self, text: impl AsRef<[u8]>) -> Stop {
        if self.value_place.is_some() {
            self.place.clone_from(&self.value_place);
        }
        self.fatal(text).await
    }

    async fn leave(&mut self) -> Result<(), Stop> {
        if self.skewed {
            let sentence = "warning:  Clock skew detected.  Your build may be incomplete.";
            self.say_error(sentence.into()).await?;
        }
        if self.entered {
            self.say(message!("Leaving directory '", self.proc.cwd, "'"))
                .await?;
        }
        Ok(())
    }

    async fn session(&mut self, first: bool) -> Result<End, Stop> {
        if let Some(option) = self.options.refused {
            return Err(self
                .fatal(message!("the option '", option, "' is not supported"))
                .await);
        }
        self.change_directory().await?;
        if self.options.print_directory && first {
            self.say(message!("Entering directory '", self.proc.cwd, "'"))
                .await?;
            self.entered = true;
        }
        self.set_variables().await?;
        self.set_defaults()?;
        self.set_suffix_rules()?;
        self.read_all().await?;
        self.place = None;
        self.apply_flags().await?;
        self.finish_pattern_rules()?;
        self.apply_special_targets();
        for name in self.options.old_files.clone() {
            self.assume(&name, files::OLD)?;
        }
        if self.remake_makefiles().await? {
            return Ok(End::Again);
        }
        for name in self.options.new_files.clone() {
            self.assume(&name, NEW)?;
        }
        let status = self.update_goals().await?;
        self.remove_intermediates().await?;
        Ok(End::Status(status))
    }

    async fn change_directory(&mut self) -> Result<(), Stop> {
        for directory in self.options.directories.clone() {
            let found = self
                .proc
                .canonicalize(&directory, Existing::All)
                .and_then(|path| {
                    let kind = self.proc.metadata(&path, Follow::Yes)?.kind;
                    if kind == FileKind::Directory {
                        Ok(path)
                    } else {
                        Err(Errno::ENOTDIR)
                    }
                });
            match found {
                Ok(path) => self.proc.cwd = path.into(),
                Err(errno) => return Err(self.fatal(message!(directory, ": ", errno.message())).await),
            }
        }
        Ok(())
    }

    /// Variables from outside, and those that make sets itself.
    async fn set_variables(&mut self) -> Result<(), Stop> {
        for (name, value) in self.proc.environment.to_vec() {
            if matches!(name.as_slice(), b"MAKEFLAGS" | b"SHELL" | b"MAKE_RESTARTS") {
                continue;
            }
            let origin = if self.options.env_overrides {
                Origin::EnvironmentOverride
            } else {
                Origin::Environment
            };
            let mut variable = Variable::new(value, Flavor::Recursive, origin);
            variable.export = Export::Yes;
            self.variables.put(&name, variable)?;
        }
        let cwd = self.proc.cwd.to_vec();
        let level = self.level.to_string().into_bytes();
        let goals = names::join(self.options.goals.iter());
        let features = "target-specific order-only second-expansion else-if shortest-stem undefine oneshell nocomment grouped-target";
        let program = self.proc.name().to_vec();
        let own: [(&str, Vec<u8>, Flavor, Origin); 11] = [
            ("CURDIR", cwd, Flavor::Simple, Origin::File),
            ("MAKELEVEL", level, Flavor::Simple, Origin::Environment),
            ("MAKE_VERSION", b"4.3".to_vec(), Flavor::Simple, Origin::Default),
            (
                "MAKE_HOST",
                b"x86_64-pc-linux-gnu".to_vec(),
                Flavor::Simple,
                Origin::Default,
            ),
            ("MAKE_COMMAND", program, Flavor::Simple, Origin::Default),
            (
                "MAKE",
                b"$(MAKE_COMMAND)".to_vec(),
                Flavor::Recursive,
                Origin::Default,
            ),
            ("SHELL", b"/bin/sh".to_vec(), Flavor::Recursive, Origin::Default),
            (".SHELLFLAGS", b"-c".to_vec(), Flavor::Simple, Origin::Default),
            (
                ".FEATURES",
                features.as_bytes().to_vec(),
                Flavor::Simple,
                Origin::Default,
            ),
            ("MAKECMDGOALS", goals, Flavor::Simple, Origin::Environment),
            (
                ".INCLUDE_DIRS",
                b"/usr/local/include /usr/include".to_vec(),
                Flavor::Simple,
                Origin::Default,
            ),
        ];
        for (name, value, flavor, origin) in own {
            if name != "MAKECMDGOALS" || !value.is_empty() {
                self.variables
                    .put(name.as_bytes(), Variable::new(value, flavor, origin))?;
            }
        }
        for text in self.options.overrides.clone() {
            if let Some(definition) = Definition::parse(&text) {
                self.define(&definition, Origin::CommandLine).await?;
            }
        }
        self.set_flags()
    }

    /// `MAKEFLAGS` and `MFLAGS` for makefiles and children.
    fn set_flags(&mut self) -> Result<(), Stop> {
        let flags = self.options.flags();
        let dash: &[u8] = if flags.is_empty() || flags.starts_with(b" ") {
            b""
        } else {
            b"-"
        };
        let plain = names::trim(&[dash, &flags].concat()).to_vec();
        let mut whole = flags;
        if !self.options.overrides.is_empty() {
            let overrides = Variable::new(self.options.quoted_overrides(), Flavor::Simple, Origin::Automatic);
            self.variables.put(b"-*-command-variables-*-", overrides)?;
            let text = b"${-*-command-variables-*-}".to_vec();
            self.variables.put(
                b"MAKEOVERRIDES",
                Variable::new(text, Flavor::Recursive, Origin::Environment),
            )?;
            whole.extend_from_slice(b" -- ${MAKEOVERRIDES}");
        }
        let mut makeflags = Variable::new(whole, Flavor::Recursive, Origin::File);
        makeflags.export = Export::Yes;
        self.variables.put(b"MAKEFLAGS", makeflags)?;
        self.variables.put(
            b"MFLAGS",
            Variable::new(plain, Flavor::Recursive, Origin::Environment),
        )?;
        Ok(())
    }

    /// Options that makefiles have put into `MAKEFLAGS` count once they are read.
    async fn apply_flags(&mut self) -> Result<(), Stop> {
        let flags = self.value_of(b"MAKEFLAGS").await?;
        let kept = (self.options.makefiles.clone(), self.options.overrides.clone());
        self.options.read_flags(&flags);
        (self.options.makefiles, self.options.overrides) = kept;
        self.silent |= self.options.silent;
        if self.options.no_variables {
            self.remove_defaults();
        }
        self.set_flags()
    }

    /// Reads all makefiles.
    async fn read_all(&mut self) -> Result<(), Stop> {
        for text in self.options.evaluate.clone() {
            self.evaluate(&text).await?;
        }
        let listed = self
            .proc
            .variable(b"MAKEFILES")
            .map(<[u8]>::to_vec)
            .unwrap_or_default();
        for name in names::words(&listed) {
            if self.read_file(name).await?.is_ok() {
                let id = self.files.enter(name)?;
                self.makefiles.push(id);
            }
        }
        let given = self.options.makefiles.clone();
        if given.is_empty() {
            return self.read_default().await;
        }
        for name in given {
            self.read_given(&name).await?;
        }
        Ok(())
    }

    async fn read_default(&mut self) -> Result<(), Stop> {
        for name in MAKEFILES {
            if self.proc.metadata(name, Follow::Yes).is_err() {
                continue;
            }
            let id = self.files.enter(name)?;
            self.files.get_mut(id).optional = true;
            self.makefiles.push(id);
            match self.read_file(name).await? {
                Ok(()) => return Ok(()),
                Err(errno) => self.say_error(message!(name, ": ", errno.message())).await?,
            }
            return Ok(());
        }
        Ok(())
    }

    async fn read_given(&mut self, name: &[u8]) -> Result<(), Stop> {
        let shown: &[u8] = if name == b"-" { b"/dev/stdin" } else { name };
        let read = self.read_file(shown).await?;
        if name == b"-" {
            return Ok(());
        }
        let id = self.files.enter(name)?;
        self.makefiles.push(id);
        if let Err(errno) = read {
            self.missing.push((id, errno, Need::Required, None));
        }
        Ok(())
    }

    /// Takes a file for old or new.
    fn assume(&mut self, name: &[u8], time: files::Time) -> Result<(), Stop> {
        let id = self.files.enter(name)?;
        let entry = self.files.get_mut(id);
        entry.time = Some(time);
        if time == OLD {
            entry.updated = true;
            entry.status = Some(Status::Success);
        }
        Ok(())
    }

    /// Makes makefiles that have rules. `true`: one was made anew.
    async fn remake_makefiles(&mut self) -> Result<bool, Stop> {
        let missing = std::mem::take(&mut self.missing);
        let simulated = (
            self.options.just_print,
            self.options.question,
            self.options.touch,
            self.options.always_make,
        );
        (self.options.just_print, self.options.question) = (false, false);
        (self.options.touch, self.options.always_make) = (false, false);
        let mut changed = false;
        // The last one that was read comes first.
        for id in self.makefiles.clone().into_iter().rev() {
            let before = self.time(id);
            let lost = missing.iter().find(|(known, ..)| *known == id);
            let bare = self.files.get(id).double_colon && self.files.get(id).dependencies.is_empty();
            if bare {
                continue;
            }
            if let Some((_, errno, Need::Required, place)) = lost
                && !self.can_be_made(id)?
            {
                self.place.clone_from(place);
                let name = self.files.get(id).name.clone();
                self.complain(message!(name, ": ", errno.message())).await?;
                self.place = None;
            }
            self.update(id).await?;
            changed |= self.time(id) != before && self.time(id).is_some();
        }
        (self.options.just_print, self.options.question) = (simulated.0, simulated.1);
        (self.options.touch, self.options.always_make) = (simulated.2, simulated.3);
        Ok(changed)
    }

    fn can_be_made(&mut self, id: Id) -> Result<bool, Stop> {
        if self.files.get(id).recipe.is_none() && !self.files.get(id).searched {
            self.find_pattern_rule(id)?;
        }
        Ok(self.files.get(id).recipe.is_some())
    }

    async fn update_goals(&mut self) -> Result<i32, Stop> {
        let goals = self
            .options
            .goals
            .iter()
            .map(|name| rule::without_dot(&self.with_home(name)).to_vec());
        let mut goals: Vec<Vec<u8>> = goals.collect();
        if goals.is_empty() {
            let goal = self.value_of(b".DEFAULT_GOAL").await?;
            goals = self.file_names(&goal)?;
            if goals.len() > 1 {
                return Err(self.fatal(".DEFAULT_GOAL contains more than one target").await);
            }
        }
        if goals.is_empty() {
            let sentence = if self.makefiles.is_empty() {
                "No targets specified and no makefile found"
            } else {
                "No targets"
            };
            return Err(self.fatal(sentence).await);
        }
        let mut ids = Vec::new();
        for goal in goals {
            ids.push(self.files.enter(&goal)?);
        }
        let mut worst = Status::None;
        for id in ids {
            self.files.get_mut(id).parent = None;
            let status = self.update_goal(id).await?;
            worst = worst.max(status);
            if status.is_bad() && !self.options.keep_going {
                break;
            }
        }
        Ok(match worst {
            Status::None | Status::Success => 0,
            Status::Question => 1,
            Status::Failed => FAILURE,
        })
    }

    /// Expands the prerequisites of a file that `.SECONDEXPANSION` keeps for now.
    fn expand_second(&mut self, id: Id) -> BoxFuture<'_, Result<(), Stop>> {
        Box::pin(async move {
            for second in std::mem::take(&mut self.files.get_mut(id).second) {
                let scope = self.scope_of(id)?;
                let before = (
                    self.scope.replace(scope),
                    std::mem::replace(&mut self.place, second.place),
                );
                let text = self.expand(&second.text).await;
                (self.scope, self.place) = before;
                let list = self.prerequisite_names(&text?)?;
                let stem = self.files.get(id).stem.clone();
                let more = self.enter_prerequisites(&list, stem.as_deref())?;
                self.files.get_mut(id).dependencies.extend(more);
            }
            Ok(())
        })
    }
}
