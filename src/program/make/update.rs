//! Bringing files up to date: GNU make's `remake.c` in order of its decisions.
//!
//! A file is made when it is not there, when a prerequisite is newer, or when one was made anew. Prerequisites come first, one after the
//! other: that is one of the orders that `-j` allows. What is in the middle of being made is a circle, and is dropped with a warning.

use super::Make;
use super::files::{Id, NEW, Status, Time};
use crate::fs::Follow;
use crate::kernel::{BoxFuture, Stop};
use crate::program::message::message;

/// Clocks of files may be so much ahead, in nanoseconds.
const TOLERANCE: i128 = 1_000_000_000;

impl Make<'_> {
    /// When a file was written last. All records of a name learn it together.
    pub fn time(&mut self, id: Id) -> Time {
        if let Some(known) = self.files.get(id).time {
            return known;
        }
        let name = self.files.get(id).name.clone();
        let time = self
            .proc
            .metadata(&name, Follow::Yes)
            .ok()
            .map(|found| nanoseconds(found.mtime));
        self.files.get_mut(id).time = Some(time);
        if self.files.get(id).double_colon
            && let Some(first) = self.files.find(&name)
        {
            for record in self.records(first) {
                self.files.get_mut(record).time = Some(time);
            }
        }
        let now = nanoseconds(self.proc.kernel.now());
        if self.early.is_none() && time.is_some_and(|time| time > now + TOLERANCE) {
            self.early = Some(id);
        }
        time
    }

    /// Warns once about a file that was written in the future.
    async fn warn_of_skew(&mut self) -> Result<(), Stop> {
        let Some(id) = self.early.filter(|_| !self.skewed) else {
            return Ok(());
        };
        self.skewed = true;
        let name = self.files.get(id).name.clone();
        let written = self
            .proc
            .metadata(&name, Follow::Yes)
            .map_or(0, |found| nanoseconds(found.mtime));
        let seconds = (written - nanoseconds(self.proc.kernel.now())) as f64 / 1e9;
        let layout = crate::text::format::Layout {
            precision: Some(2),
            ..Default::default()
        };
        let shown = if seconds >= 99.0 {
            format!("{:.0}", seconds.floor()).into_bytes()
        } else {
            layout.double(seconds, b'g')
        };
        let sentence = message!(
            "Warning: File '",
            name,
            "' has modification time ",
            shown,
            " s in the future"
        );
        self.say_error(sentence).await
    }

    /// Makes a file, by all of its `::` rules.
    pub fn update(&mut self, id: Id) -> BoxFuture<'_, Result<Status, Stop>> {
        Box::pin(async move {
            self.proc.kernel.meter().nest()?;
            let mut status = Status::None;
            for record in self.records(id) {
                let parent = self.files.get(id).parent;
                self.files.get_mut(record).parent = parent;
                let new = self.update_record(record).await?;
                status = status.max(new);
                if new.is_bad() && !self.options.keep_going {
                    return Ok(new);
                }
            }
            if self.files.get(id).double_colon {
                let times: Vec<Time> = self
                    .records(id)
                    .into_iter()
                    .map(|record| self.time(record))
                    .collect();
                self.files.get_mut(id).time = times.into_iter().max();
            }
            Ok(status)
        })
    }

    /// Looks for a recipe where a file has none.
    fn find_recipe(&mut self, id: Id) -> Result<(), Stop> {
        let entry = self.files.get(id);
        if !entry.is_phony && entry.recipe.is_none() && !entry.searched {
            self.find_pattern_rule(id)?;
        }
        let entry = self.files.get(id);
        if entry.recipe.is_none() && !entry.is_target {
            let default = self
                .files
                .special(b".DEFAULT")
                .and_then(|default| default.recipe.clone());
            self.files.get_mut(id).recipe = default;
        }
        Ok(())
    }

    fn update_record(&mut self, id: Id) -> BoxFuture<'_, Result<Status, Stop>> {
        Box::pin(async move {
            self.proc.charge(crate::kernel::cost::STATEMENT)?;
            self.proc.kernel.breathe().await;
            let entry = self.files.get(id);
            if entry.updated {
                return Ok(entry.status.unwrap_or(Status::Success));
            }
            self.files.get_mut(id).updating = true;
            let own = self.time(id);
            self.warn_of_skew().await?;
            self.find_recipe(id)?;
            self.expand_second(id).await?;
            let mut must_make = own.is_none();
            let mut status = self.update_dependencies(id, own, &mut must_make).await?;
            if must_make || self.options.always_make {
                status = status.max(self.update_intermediates(id, status).await?);
            }
            self.files.get_mut(id).updating = false;
            if status.is_bad() {
                return self.give_up(id, status).await;
            }
            let changed = self.note_changes(id, own, &mut must_make);
            let entry = self.files.get(id);
            if entry.double_colon && entry.dependencies.is_empty() {
                must_make = true;
            } else if own.is_some()
                && entry.is_target
                && !changed
                && entry.recipe.is_none()
                && !self.options.always_make
            {
                must_make = false;
            } else if entry.recipe.is_some() && self.options.always_make {
                must_make = true;
            }
            if !must_make {
                self.finish(id, Status::Success, false);
                return Ok(Status::Success);
            }
            self.remake(id).await
        })
    }

    fn give_up(&mut self, id: Id, status: Status) -> BoxFuture<'_, Result<Status, Stop>> {
        Box::pin(async move {
            self.finish(id, status, false);
            let entry = self.files.get(id);
            let quiet = self.options.just_print || self.options.question;
            if entry.is_goal && entry.parent.is_none() && self.options.keep_going && !quiet {
                let sentence = message!("Target '", entry.name, "' not remade because of errors.");
                self.say_error(sentence).await?;
            }
            Ok(status)
        })
    }

    /// A prerequisite that is being made already.
    async fn drops_circle(&mut self, id: Id, index: usize, file: Id) -> Result<bool, Stop> {
        if !self.files.get(file).updating {
            return Ok(false);
        }
        let (needs, needed) = (self.files.get(id).name.clone(), self.files.get(file).name.clone());
        let sentence = message!("Circular ", needs, " <- ", needed, " dependency dropped.");
        self.say_error(sentence).await?;
        self.files.get_mut(id).dependencies.remove(index);
        Ok(true)
    }

    fn update_dependencies<'b>(
        &'b mut self,
        id: Id,
        own: Time,
        must_make: &'b mut bool,
    ) -> BoxFuture<'b, Result<Status, Stop>> {
        Box::pin(async move {
            let mut status = Status::None;
            let mut index = 0;
            // Commands that make others too wait for what those need.
            for other in self.files.get(id).also.clone() {
                for dependency in self.files.get(other).dependencies.clone() {
                    if !self.files.get(dependency.file).updating {
                        self.files.get_mut(dependency.file).parent = Some(id);
                        let mut newer = *must_make;
                        status = status.max(self.check(dependency.file, own, &mut newer).await?);
                        *must_make |= newer && !dependency.order_only;
                    }
                }
            }
            while let Some(dependency) = self.files.get(id).dependencies.get(index).cloned() {
                let file = dependency.file;
                let before = self.time(file);
                if self.drops_circle(id, index, file).await? {
                    continue;
                }
                self.files.get_mut(file).parent = Some(id);
                let mut newer = *must_make;
                status = status.max(self.check(file, own, &mut newer).await?);
                if !dependency.order_only {
                    *must_make = newer;
                }
                if status.is_bad() && !self.options.keep_going {
                    break;
                }
                self.note_changed(id, index, file, before);
                index += 1;
            }
            Ok(status)
        })
    }

    fn note_changed(&mut self, id: Id, index: usize, file: Id, before: Time) {
        let entry = self.files.get(id);
        let remade = entry.is_phony && entry.recipe.is_some();
        let changed = remade || self.time(file) != before;
        if let Some(dependency) = self.files.get_mut(id).dependencies.get_mut(index) {
            dependency.changed = changed;
        }
    }

    /// Makes the intermediate prerequisites that were only looked at so far.
    fn update_intermediates(&mut self, id: Id, mut status: Status) -> BoxFuture<'_, Result<Status, Stop>> {
        Box::pin(async move {
            for index in 0..self.files.get(id).dependencies.len() {
                if status.is_bad() && !self.options.keep_going {
                    break;
                }
                let Some(file) = self.files.get(id).dependencies.get(index).map(|known| known.file) else {
                    break;
                };
                if self.files.get(file).is_intermediate {
                    let before = self.time(file);
                    self.files.get_mut(file).parent = Some(id);
                    status = status.max(self.update(file).await?);
                    self.note_changed(id, index, file, before);
                }
            }
            Ok(status)
        })
    }

    /// Makes a prerequisite unless it is intermediate, and says whether what needs it is older.
    fn check<'b>(
        &'b mut self,
        file: Id,
        own: Time,
        must_make: &'b mut bool,
    ) -> BoxFuture<'b, Result<Status, Stop>> {
        Box::pin(async move {
            let entry = self.files.get(file);
            if entry.is_phony || !entry.is_intermediate {
                let status = self.update(file).await?;
                let time = self.time(file);
                *must_make |= time.is_none() || time > own;
                return Ok(status);
            }
            self.proc.kernel.meter().nest()?;
            self.files.get_mut(file).updating = true;
            self.find_recipe(file)?;
            let time = self.time(file);
            let mut status = Status::None;
            if time.is_some() && time > own {
                *must_make = true;
            } else {
                let mut index = 0;
                while let Some(dependency) = self.files.get(file).dependencies.get(index).cloned() {
                    if self.drops_circle(file, index, dependency.file).await? {
                        continue;
                    }
                    self.files.get_mut(dependency.file).parent = Some(file);
                    let mut newer = *must_make;
                    status = status.max(self.check(dependency.file, own, &mut newer).await?);
                    if !dependency.order_only {
                        *must_make = newer;
                    }
                    if status.is_bad() && !self.options.keep_going {
                        break;
                    }
                    index += 1;
                }
            }
            self.files.get_mut(file).updating = false;
            Ok(status)
        })
    }

    /// Notes which prerequisites are newer; whether any was made anew.
    fn note_changes(&mut self, id: Id, own: Time, must_make: &mut bool) -> bool {
        let mut any = false;
        for index in 0..self.files.get(id).dependencies.len() {
            let Some(dependency) = self.files.get(id).dependencies.get(index).cloned() else {
                break;
            };
            let time = self.time(dependency.file);
            if !dependency.order_only {
                *must_make |= time.is_none() && !self.files.get(dependency.file).is_intermediate;
                any |= dependency.changed;
            }
            if let Some(dependency) = self.files.get_mut(id).dependencies.get_mut(index) {
                dependency.changed |= own.is_none() || time > own;
            }
        }
        any
    }

    /// Makes a file that has to be made.
    fn remake(&mut self, id: Id) -> BoxFuture<'_, Result<Status, Stop>> {
        Box::pin(async move {
            let entry = self.files.get(id);
            if let Some(recipe) = entry.recipe.clone() {
                let recursive = super::recipe::is_recursive(&recipe);
                if self.options.touch && !recursive {
                    return self.touch(id).await;
                }
                return self.run_recipe(id, &recipe).await;
            }
            let status = if entry.is_phony || entry.is_target {
                Status::Success
            } else {
                self.no_rule(id).await?;
                Status::Failed
            };
            self.finish(id, status, false);
            Ok(status)
        })
    }

    async fn no_rule(&mut self, id: Id) -> Result<(), Stop> {
        let entry = self.files.get(id);
        if entry.optional {
            return Ok(());
        }
        let mut sentence = message!("No rule to make target '", entry.name, "'");
        if let Some(parent) = entry.parent {
            sentence.extend_from_slice(&message!(", needed by '", self.files.get(parent).name, "'"));
        }
        if !self.options.keep_going {
            self.place = None;
            return Err(self.fatal(sentence).await);
        }
        self.say_error(message!("*** ", sentence, ".")).await
    }

    async fn touch(&mut self, id: Id) -> Result<Status, Stop> {
        let entry = self.files.get(id);
        if entry.is_phony {
            self.finish(id, Status::Success, false);
            return Ok(Status::Success);
        }
        let name = entry.name.clone();
        self.commands_started += 1;
        if !self.is_silent(id) {
            self.proc.write(&message!("touch ", name, "\n")).await?;
            self.proc.flush().await?;
        }
        if !self.options.just_print && !self.options.question {
            let flags = crate::fs::OpenFlags {
                truncate: false,
                ..crate::fs::OpenFlags::CREATE
            };
            let opened = self.proc.open(&name, flags).await;
            let done = opened.and_then(|_| self.proc.set_times_now(&name, true, true, Follow::Yes));
            if let Err(errno) = done {
                self.say_error(message!("touch: ", name, ": ", errno.message()))
                    .await?;
                self.finish(id, Status::Failed, false);
                return Ok(Status::Failed);
            }
        }
        self.finish(id, Status::Success, true);
        Ok(Status::Success)
    }

    /// Notes that a file is done; `ran` says that commands were to make it.
    pub fn finish(&mut self, id: Id, status: Status, ran: bool) {
        let simulated = self.options.just_print || self.options.question || self.options.touch;
        let entry = self.files.get_mut(id);
        entry.updated = true;
        entry.updating = false;
        entry.status = Some(status);
        entry.time_before = entry.time_before.or(entry.time);
        if !ran {
            return;
        }
        if !entry.is_phony {
            let recursive = entry
                .recipe
                .as_ref()
                .is_some_and(|recipe| super::recipe::is_all_recursive(recipe));
            entry.time = if simulated && !recursive { Some(NEW) } else { None };
        }
        for other in entry.also.clone() {
            let entry = self.files.get_mut(other);
            entry.updated = true;
            entry.status = Some(status);
            if !entry.is_phony {
                entry.time = if simulated { Some(NEW) } else { None };
            }
        }
    }

    /// Makes a goal and says so when there was nothing to do.
    pub async fn update_goal(&mut self, id: Id) -> Result<Status, Stop> {
        let before = self.commands_started;
        self.files.get_mut(id).is_goal = true;
        let status = self.update(id).await?;
        let entry = self.files.get(id);
        let silent = self.silent || self.options.question;
        if !status.is_bad() && self.commands_started == before && !silent {
            let line = if entry.is_phony || entry.recipe.is_none() {
                message!("Nothing to be done for '", entry.name, "'.")
            } else {
                message!("'", entry.name, "' is up to date.")
            };
            self.say(line).await?;
        }
        Ok(status)
    }

    /// Removes what was made only on the way.
    pub async fn remove_intermediates(&mut self) -> Result<(), Stop> {
        let mut gone = Vec::new();
        for id in self.files.ids() {
            let entry = self.files.get(id);
            let kept = entry.is_precious || entry.is_secondary || entry.is_goal || self.all_secondary;
            if !entry.is_intermediate || kept || entry.recipe.is_none() || entry.status.is_none() {
                continue;
            }
            let name = entry.name.clone();
            let removed = if self.options.just_print {
                true
            } else {
                self.proc.unlink(&name).is_ok()
            };
            if removed {
                gone.push(name);
            }
        }
        gone.sort_unstable();
        if !gone.is_empty() && !self.silent {
            let line = message!("rm ", super::names::join(gone.iter()), "\n");
            self.proc.write(&line).await?;
            self.proc.flush().await?;
        }
        Ok(())
    }
}

/// A time as one number.
pub fn nanoseconds(time: crate::fs::Timestamp) -> i128 {
    i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos)
}
