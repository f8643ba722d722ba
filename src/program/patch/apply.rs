//! The work on one file after the other.

use super::fatal;
use super::hunk::Hunk;
use super::names;
use super::options::{Answers, Form, Options, Verbosity};
use super::place::Target;
use super::reader::{Header, Missing, Name, Reader};
use super::reject::Rejects;
use super::store::Old;
use crate::args::quotef;
use crate::kernel::{Lease, Proc, Stop};
use crate::program::message::message;

/// What is said of a last line without its newline.
pub(super) const CUT: &[u8] = b"patch unexpectedly ends in middle of line\n";

/// All of a run.
pub struct Session {
    pub options: Options,
    pub(super) lease: Lease,
    pub(super) failed: bool,
    /// Files whose backup was made.
    pub(super) backed_up: Vec<Vec<u8>>,
    /// What goes to the file of `-o`.
    pub(super) collected: Vec<u8>,
}

/// The work on one file.
struct Job {
    header: Header,
    /// The file that is read, and the one that is written.
    input: Vec<u8>,
    output: Vec<u8>,
    reverse: bool,
    /// Nothing more of this file's part is applied.
    skips: bool,
    applies_anyway: bool,
    keeps_rejects: bool,
    mismatch: bool,
    hunks: usize,
    failed: usize,
    rejects: Rejects,
}

impl Job {
    /// What is said of the old file (or the new one when `other`), as the patch is read.
    fn missing(&self, other: bool) -> Missing {
        let [old, new] = self.header.missing;
        if self.reverse == other { old } else { new }
    }
}

impl Header {
    /// No file is named.
    pub fn has_no_name(&self) -> bool {
        self.old.is_none() && self.new.is_none() && self.index.is_none()
    }

    fn names(&self) -> Vec<&Name> {
        [&self.old, &self.new, &self.index]
            .into_iter()
            .flatten()
            .collect()
    }
}

impl Session {
    pub fn new(options: Options, lease: Lease) -> Self {
        Session {
            options,
            lease,
            failed: false,
            backed_up: Vec::new(),
            collected: Vec::new(),
        }
    }

    /// Says something, where it is not in the way of the output.
    pub async fn say(&self, proc: &mut Proc, text: &[u8]) -> Result<(), Stop> {
        if self.options.output.as_deref() == Some(b"-") {
            proc.write_error(text).await
        } else {
            proc.write(text).await
        }
    }

    async fn say_unless_silent(&self, proc: &mut Proc, text: &[u8]) -> Result<(), Stop> {
        if self.options.verbosity == Verbosity::Silent {
            return Ok(());
        }
        self.say(proc, text).await
    }

    /// With `--verbose`: what kind of patch was found.
    pub async fn announce(&self, proc: &mut Proc, header: &Header, again: bool) -> Result<(), Stop> {
        if self.options.verbosity != Verbosity::Verbose {
            return Ok(());
        }
        let start = if again { "The next patch looks" } else { "Looks" };
        let form = match header.form {
            Form::Unified => "a unified diff",
            Form::Context => "a new-style context diff",
            Form::Normal => "a normal diff",
        };
        let line = format!("Hmm...  {start} like {form} to me...\n");
        self.say(proc, line.as_bytes()).await?;
        self.show_lead(proc, header).await
    }

    async fn show_lead(&self, proc: &mut Proc, header: &Header) -> Result<(), Stop> {
        const RULE: &[u8] = b"--------------------------\n";
        if header.lead.is_empty() {
            return Ok(());
        }
        let mut text = message!("The text leading up to this was:\n", RULE);
        for line in &header.lead {
            text.extend(message!("|", line));
        }
        text.extend_from_slice(RULE);
        self.say(proc, &text).await
    }

    /// Works on one file's part.
    pub async fn patch(
        &mut self,
        proc: &mut Proc,
        header: Header,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        reader.set_strips_returns(header.strips_returns && !self.options.binary);
        if header.strips_returns && !self.options.binary {
            let line = b"(Stripping trailing CRs from patch; use --binary to disable.)\n";
            self.say_unless_silent(proc, line).await?;
        }
        let mut job = Job {
            input: Vec::new(),
            output: Vec::new(),
            reverse: self.options.reverse,
            skips: false,
            applies_anyway: false,
            keeps_rejects: true,
            mismatch: false,
            hunks: 0,
            failed: 0,
            rejects: Rejects::default(),
            header,
        };
        let old = match self.choose(proc, &mut job).await? {
            true => self.read_old(proc, &job.input).await?,
            false => Old::default(),
        };
        let mut target = Target::new(&proc.kernel, &old.text, self.options.ignores_blanks);
        self.lease.resize(old.text.len() * 3 + target.lines.len() * 32)?;
        if !job.skips {
            self.check_reversal(proc, &mut job, &old).await?;
        }
        if !job.skips {
            self.name_file(proc, &job).await?;
        }
        self.hunks(proc, &mut job, &mut target, reader).await?;
        self.conclude(proc, &mut job, target, &old).await
    }

    /// Finds the file; `false` when there is none.
    async fn choose(&self, proc: &mut Proc, job: &mut Job) -> Result<bool, Stop> {
        if let Some(file) = &self.options.file {
            job.input.clone_from(file);
        } else {
            for name in job.header.names() {
                if names::is_dangerous(&name.path) {
                    let line = message!(
                        "Ignoring potentially dangerous file name ",
                        quotef(&name.path),
                        "\n"
                    );
                    self.say_unless_silent(proc, &line).await?;
                    break;
                }
            }
            let may_create = job.missing(false) != Missing::No || job.missing(true) != Missing::No;
            match names::best(proc, &job.header.names(), may_create) {
                Some(name) => job.input = name,
                None => {
                    job.skips = true;
                    self.ask_for_file(proc, job).await?;
                    return Ok(false);
                }
            }
        }
        job.output.clone_from(&job.input);
        let moved = job.header.git.as_ref().filter(|git| git.renamed || git.copied);
        if let (Some(_), Some(old), Some(new), None) =
            (moved, &job.header.old, &job.header.new, &self.options.file)
        {
            let (from, to) = if job.reverse { (new, old) } else { (old, new) };
            if job.input == from.path && !to.path.is_empty() {
                job.output.clone_from(&to.path);
            }
        }
        Ok(true)
    }

    async fn ask_for_file(&self, proc: &mut Proc, job: &Job) -> Result<(), Stop> {
        let line = job.header.line.to_string();
        let hint = match self.options.strip {
            None => "Perhaps you should have used the -p or --strip option?\n",
            Some(_) => "Perhaps you used the wrong -p or --strip option?\n",
        };
        let text = message!("can't find file to patch at input line ", line, "\n", hint);
        self.say(proc, &text).await?;
        self.show_lead(proc, &job.header).await?;
        let end: &[u8] = match self.options.answers {
            Answers::Force | Answers::Batch => b"No file to patch.  Skipping patch.\n",
            _ => b"File to patch: \nSkip this patch? [y] \nSkipping patch.\n",
        };
        self.say(proc, end).await
    }

    /// A file that should not be there is, or the other way round: the patch may be meant to be reversed.
    async fn check_reversal(&self, proc: &mut Proc, job: &mut Job, old: &Old) -> Result<(), Stop> {
        let empty = old.text.is_empty();
        let looks_reversed = if empty {
            job.missing(true) >= Missing::Empty
        } else {
            job.missing(false) == Missing::Absent
        };
        if !looks_reversed || (empty && job.missing(false) >= Missing::Empty) {
            return Ok(());
        }
        let (verb, state) = match (old.exists, empty) {
            (false, _) => ("delete", "does not exist"),
            (true, true) => ("empty out", "is already empty"),
            (true, false) => ("create", "already exists"),
        };
        let when = if job.reverse { ", when reversed," } else { "" };
        let sentence = message!(
            "The next patch",
            when,
            " would ",
            verb,
            " the file ",
            quotef(&job.input),
            ",\nwhich ",
            state,
            "!"
        );
        if self.may_reverse(proc, job, &sentence).await? {
            job.reverse = !job.reverse;
        }
        job.keeps_rejects = !job.skips;
        Ok(())
    }

    /// The patch seems to be the wrong way round: whether it is to be turned.
    async fn may_reverse(&self, proc: &mut Proc, job: &mut Job, sentence: &[u8]) -> Result<bool, Stop> {
        let is_silent = self.options.verbosity == Verbosity::Silent;
        let answers = self.options.answers;
        if !(answers == Answers::Force && is_silent) {
            self.say(proc, sentence).await?;
        }
        match answers {
            Answers::Forward => {
                self.say(proc, b"  Skipping patch.\n").await?;
                job.skips = true;
            }
            Answers::Force if is_silent => {}
            Answers::Force => self.say(proc, b"  Applying it anyway.\n").await?,
            Answers::Batch => {
                let line: &[u8] = if job.reverse {
                    b"  Ignoring -R.\n"
                } else {
                    b"  Assuming -R.\n"
                };
                self.say(proc, line).await?;
                return Ok(true);
            }
            Answers::Ask => {
                let question = if job.reverse { "Ignore" } else { "Assume" };
                let text = message!("  ", question, " -R? [n] \nApply anyway? [n] \nSkipping patch.\n");
                self.say(proc, &text).await?;
                job.skips = true;
            }
        }
        Ok(false)
    }

    async fn name_file(&self, proc: &mut Proc, job: &Job) -> Result<(), Stop> {
        let verb = if self.options.dry_run {
            "checking"
        } else {
            "patching"
        };
        let shown = self.options.output.as_ref().unwrap_or(&job.output);
        let mut line = message!(verb, " file ", quotef(shown));
        if self.options.output.is_some() {
            line.extend(message!(" (read from ", quotef(&job.input), ")"));
        } else if job.output != job.input {
            let copied = job.header.git.as_ref().is_some_and(|git| git.copied);
            let verb = if copied { "copied" } else { "renamed" };
            line.extend(message!(" (", verb, " from ", quotef(&job.input), ")"));
        }
        line.push(b'\n');
        if self.options.verbosity == Verbosity::Verbose {
            line.extend_from_slice(b"Using Plan A...\n");
        }
        self.say_unless_silent(proc, &line).await
    }

    async fn hunks(
        &mut self,
        proc: &mut Proc,
        job: &mut Job,
        target: &mut Target,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        loop {
            proc.kernel.breathe().await;
            let read = reader.hunk(job.header.form);
            if reader.missed_line() {
                self.say(proc, CUT).await?;
            }
            let read = match read {
                Ok(Some(hunk)) => hunk,
                Ok(None) => return Ok(()),
                Err(sentence) => return Err(fatal(proc, sentence).await),
            };
            job.hunks += 1;
            let hunk = if job.reverse { read.reversed() } else { read };
            proc.charge(hunk.edits.len() as u64 + 4)?;
            self.hunk(proc, job, target, hunk).await?;
            proc.charge(1)?;
        }
    }

    async fn hunk(
        &mut self,
        proc: &mut Proc,
        job: &mut Job,
        target: &mut Target,
        mut hunk: Hunk,
    ) -> Result<(), Stop> {
        let (before, after) = hunk.context();
        let most = self.options.fuzz.min(before.max(after));
        let mut fuzz = 0;
        let mut place = None;
        while !job.skips {
            place = target.locate(&hunk, fuzz);
            if place.is_none() {
                job.mismatch = true;
                let may_turn = job.hunks == 1
                    && self.options.answers != Answers::Force
                    && !job.applies_anyway
                    && job.reverse == self.options.reverse;
                if may_turn {
                    place = self.try_reversed(proc, job, target, &mut hunk, fuzz).await?;
                }
            }
            if place.is_some() || fuzz >= most || job.skips {
                break;
            }
            fuzz += 1;
        }
        let shift = target.growth;
        let line = place.unwrap_or(hunk.first()) + shift;
        let refused = place == Some(1) && job.missing(false) == Missing::Absent && !target.lines.is_empty();
        match place.filter(|_| !job.skips && !refused) {
            Some(place) => {
                target.apply(&hunk, place);
                self.report_success(proc, job, line, fuzz, target.offset).await
            }
            None => self.reject(proc, job, target, &hunk, line).await,
        }
    }

    /// Looks whether the hunk has been applied already.
    async fn try_reversed(
        &self,
        proc: &mut Proc,
        job: &mut Job,
        target: &mut Target,
        hunk: &mut Hunk,
        fuzz: i64,
    ) -> Result<Option<i64>, Stop> {
        let offset = target.offset;
        let turned = hunk.reversed();
        let Some(place) = target.locate(&turned, fuzz) else {
            return Ok(None);
        };
        let sentence: &[u8] = match job.reverse {
            true => b"Unreversed patch detected!",
            false => b"Reversed (or previously applied) patch detected!",
        };
        if self.may_reverse(proc, job, sentence).await? {
            job.reverse = !job.reverse;
            *hunk = turned;
            return Ok(Some(place));
        }
        target.offset = offset;
        job.applies_anyway = true;
        Ok(None)
    }

    async fn report_success(
        &self,
        proc: &mut Proc,
        job: &mut Job,
        line: i64,
        fuzz: i64,
        offset: i64,
    ) -> Result<(), Stop> {
        if offset != 0 {
            job.mismatch = true;
        }
        let worth_it = fuzz > 0 || offset != 0;
        if !worth_it && self.options.verbosity != Verbosity::Verbose {
            return Ok(());
        }
        let mut text = format!("Hunk #{} succeeded at {line}", job.hunks);
        if fuzz > 0 {
            text += &format!(" with fuzz {fuzz}");
        }
        if offset != 0 {
            let plural = if offset == 1 { "" } else { "s" };
            text += &format!(" (offset {offset} line{plural})");
        }
        text += ".\n";
        self.say_unless_silent(proc, text.as_bytes()).await
    }

    async fn reject(
        &mut self,
        proc: &mut Proc,
        job: &mut Job,
        target: &Target,
        hunk: &Hunk,
        line: i64,
    ) -> Result<(), Stop> {
        job.failed += 1;
        let nameless = Name::default();
        let old = job.header.old.as_ref().unwrap_or(&nameless);
        let new = job.header.new.as_ref().unwrap_or(&nameless);
        let mut names = if job.reverse { [new, old] } else { [old, new] };
        let own = Name {
            path: job.output.clone(),
            ..Name::default()
        };
        if job.header.has_no_name() {
            names = [&own, &own];
        }
        let form = self.options.reject_form.unwrap_or(match job.header.form {
            Form::Unified => Form::Unified,
            _ => Form::Context,
        });
        job.rejects.add(hunk, form, names, target.growth);
        if job.skips && self.options.verbosity != Verbosity::Verbose {
            return Ok(());
        }
        let verb = if job.skips { "ignored" } else { "FAILED" };
        let index = usize::try_from(line - 1).unwrap_or(usize::MAX);
        let ends = |line: &[u8]| line.ends_with(b"\r\n");
        let differs = target.lines.get(index).zip(hunk.old().next());
        let differs = differs.is_some_and(|(line, edit)| ends(line) != ends(&edit.text));
        let note = if differs && !job.skips {
            " (different line endings)"
        } else {
            ""
        };
        let text = format!("Hunk #{} {verb} at {line}{note}.\n", job.hunks);
        self.say_unless_silent(proc, text.as_bytes()).await
    }

    /// Writes what came of a file, and the rejects.
    async fn conclude(
        &mut self,
        proc: &mut Proc,
        job: &mut Job,
        mut target: Target,
        old: &Old,
    ) -> Result<(), Stop> {
        target.finish();
        self.lease.resize(old.text.len() * 3 + target.output.len())?;
        if !job.skips {
            self.put(proc, job, &target, old).await?;
        }
        if job.failed == 0 {
            return Ok(());
        }
        self.failed = true;
        let plural = if job.hunks == 1 { "" } else { "s" };
        let verb = if job.skips { "ignored" } else { "FAILED" };
        let mut text = format!("{} out of {} hunk{plural} {verb}", job.failed, job.hunks).into_bytes();
        let path = match &self.options.reject_file {
            Some(path) => path.clone(),
            None => message!(self.options.output.as_ref().unwrap_or(&job.output), ".rej"),
        };
        let kept = job.keeps_rejects
            && !self.options.dry_run
            && path != b"-"
            && old.exists
            && !job.output.is_empty();
        if kept {
            text.extend(message!(" -- saving rejects to file ", quotef(&path)));
            self.write_file(proc, &path, &job.rejects.text, None).await?;
        }
        text.push(b'\n');
        self.say_unless_silent(proc, &text).await
    }

    async fn put(&mut self, proc: &mut Proc, job: &mut Job, target: &Target, old: &Old) -> Result<(), Stop> {
        if let Some(output) = &self.options.output {
            if output == b"-" {
                return proc.write(&target.output).await;
            }
            self.collected.extend_from_slice(&target.output);
            return Ok(());
        }
        let backs_up =
            self.options.backs_up || (self.options.backs_up_mismatch && (job.mismatch || job.failed > 0));
        let vanishes = job.missing(true) == Missing::Absent;
        let removes = target.output.is_empty() && (self.options.removes_empty || vanishes);
        if !target.output.is_empty() && vanishes {
            self.failed = true;
            let line = message!(
                "Not deleting file ",
                quotef(&job.output),
                " as content differs from patch\n"
            );
            self.say_unless_silent(proc, &line).await?;
        }
        if self.options.dry_run {
            return Ok(());
        }
        if backs_up {
            self.back_up(proc, &job.output, old).await?;
        }
        if removes {
            return self.remove(proc, &job.output).await;
        }
        let git_mode = job
            .header
            .git
            .as_ref()
            .and_then(|git| git.mode)
            .filter(|_| !job.reverse);
        let mode = git_mode
            .map(|mode| mode & 0o777)
            .or(old.mode.filter(|_| job.output != job.input));
        self.write_file(proc, &job.output, &target.output, mode).await?;
        let renamed = job.header.git.as_ref().is_some_and(|git| git.renamed);
        if renamed && job.output != job.input {
            self.remove(proc, &job.input).await?;
        }
        Ok(())
    }
}
