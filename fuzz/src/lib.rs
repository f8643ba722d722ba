//! What the targets share with the property tests of the library.

#[path = "../../tests/fuzz_bodies/mod.rs"]
pub mod fuzz_bodies;
#[path = "../../tests/generate/mod.rs"]
pub mod generate;

use std::path::Path;
use std::sync::OnceLock;

/// An empty directory for real bash.
pub fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<std::path::PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let path = std::env::temp_dir().join(format!("exuvia-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        path
    })
}
