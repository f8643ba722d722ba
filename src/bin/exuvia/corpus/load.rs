//! Finds and reads case files. This file owns reading and writing the corpus on disk.

use super::format::{self, Case, CaseFile};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the corpus is, seen from the package's root.
pub const CASES: &str = "corpus/cases";

/// A case file with its place.
pub struct Loaded {
    pub path: PathBuf,
    /// The path below the corpus, without its extension: the first part of the ids of its cases.
    pub topic: String,
    pub file: CaseFile,
}

impl Loaded {
    /// `folder/file/name`
    pub fn id(&self, case: &Case) -> String {
        format!("{}/{}", self.topic, case.name)
    }

    /// The folder that the summary counts under.
    pub fn folder(&self) -> &str {
        self.topic.rsplit_once('/').map_or(".", |(folder, _)| folder)
    }

    /// Writes the file back when its text changed.
    pub fn save(&self) -> io::Result<bool> {
        let text = format::print(&self.file);
        if fs::read(&self.path)? == text {
            return Ok(false);
        }
        fs::write(&self.path, text)?;
        Ok(true)
    }
}

/// All case files below `paths` (default: the whole corpus), sorted; every mistake found is in the second list.
pub fn load(paths: &[PathBuf]) -> (Vec<Loaded>, Vec<String>) {
    let default = [PathBuf::from(CASES)];
    let paths = if paths.is_empty() { &default } else { paths };
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        if let Err(error) = walk(path, &mut files) {
            errors.push(format!("{}: {error}", path.display()));
        }
    }
    files.sort();
    files.dedup();
    let mut loaded = Vec::new();
    for path in files {
        let read = fs::read(&path).map_err(|e| e.to_string());
        match read.and_then(|text| format::parse(&text).map_err(|e| e.to_string())) {
            Ok(file) => loaded.push(Loaded {
                topic: topic(&path),
                path,
                file,
            }),
            Err(error) => errors.push(format!("{}: {error}", path.display())),
        }
    }
    (loaded, errors)
}

fn walk(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !fs::metadata(path)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?.path();
        if entry.is_dir() || entry.extension().is_some_and(|e| e == "case") {
            walk(&entry, files)?;
        }
    }
    Ok(())
}

/// The part of the path after `cases/`, or all of it.
fn topic(path: &Path) -> String {
    let text = path.with_extension("").to_string_lossy().into_owned();
    match text.rfind("cases/") {
        Some(at) => text.get(at + "cases/".len()..).unwrap_or_default().to_owned(),
        None => text,
    }
}
