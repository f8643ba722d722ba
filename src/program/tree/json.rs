//! `-J`: the tree as JSON, in the layout of the real one.

use super::Output;
use super::draw::Drawing;
use super::options::{Lines, Options};
use super::read::{Forest, Node};
use crate::fs::{FileKind, Metadata};
use crate::kernel::{Proc, Stop};
use crate::program::inode::mode_letters;
use crate::text::json::push_quoted;

/// Prints everything.
pub async fn print(proc: &mut Proc, forest: &Forest, options: &Options, output: &Output) -> Result<(), Stop> {
    output.write(proc, &[b"[", newline(options)].concat()).await?;
    let mut drawing = Drawing::new(proc, options);
    for (index, root) in forest.roots.iter().enumerate() {
        if index > 0 {
            output.write(proc, &[b",", newline(options)].concat()).await?;
        }
        print_tree(proc, forest, *root, &mut drawing, output).await?;
    }
    let end = newline(options);
    let text = if options.report {
        let directories = format!(
            "{{\"type\":\"report\",\"directories\":{}",
            forest.totals.directories
        );
        let files = if options.directories_only {
            String::new()
        } else {
            format!(",\"files\":{}", forest.totals.files)
        };
        let report = [indent(1, options), directories.into_bytes(), files.into_bytes()].concat();
        [end, b",", end, &report, b"}", end, b"]\n"].concat()
    } else {
        [end, end, b"]\n"].concat()
    };
    output.write(proc, &text).await
}

fn newline(options: &Options) -> &'static [u8] {
    if options.lines == Lines::None { b"" } else { b"\n" }
}

fn indent(level: usize, options: &Options) -> Vec<u8> {
    if options.lines == Lines::None {
        Vec::new()
    } else {
        vec![b' '; level * 2]
    }
}

async fn print_tree(
    proc: &mut Proc,
    forest: &Forest,
    root: usize,
    drawing: &mut Drawing<'_>,
    output: &Output,
) -> Result<(), Stop> {
    let options = drawing.options;
    let Some(node) = forest.nodes.get(root) else {
        return Ok(());
    };
    let mut text = [indent(1, options), open(proc, node, drawing)].concat();
    if node.note.is_some() {
        // A root that is no directory: the layout is the real one's.
        let error = b",\"contents\":[{\"error\": \"error opening dir\"}";
        let text = match node.metadata {
            Some(_) => [&text, error.as_slice()].concat(),
            None => {
                let mut text = b",\"name\":".to_vec();
                push_quoted(&mut text, &node.name);
                [&text, error.as_slice()].concat()
            }
        };
        let end = [newline(options), newline(options), &indent(1, options), b"]}"].concat();
        return output.write(proc, &[text, end].concat()).await;
    }
    let mut levels: Vec<std::slice::Iter<'_, usize>> = Vec::new();
    descend(&mut text, node, &mut levels, options);
    output.write(proc, &text).await?;
    while let Some(rest) = levels.last_mut() {
        proc.kernel.breathe().await;
        let mut text = Vec::new();
        match rest.next() {
            Some(index) => {
                let more = !rest.as_slice().is_empty();
                let depth = levels.len() + 1;
                if let Some(node) = forest.nodes.get(*index) {
                    text.extend(indent(depth, options));
                    text.extend(open(proc, node, drawing));
                    if !descend(&mut text, node, &mut levels, options) {
                        text.extend_from_slice(if more { b"," } else { b"" });
                        text.extend_from_slice(newline(options));
                    }
                }
            }
            None => {
                levels.pop();
                text.extend(indent(levels.len() + 1, options));
                text.extend_from_slice(b"]}");
                if let Some(parent) = levels.last() {
                    let more = !parent.as_slice().is_empty();
                    text.extend_from_slice(if more { b"," } else { b"" });
                    text.extend_from_slice(newline(options));
                }
            }
        }
        output.write(proc, &text).await?;
    }
    Ok(())
}

/// Goes into a directory that holds something; else closes the entry. Whether it went.
fn descend<'f>(
    text: &mut Vec<u8>,
    node: &'f Node,
    levels: &mut Vec<std::slice::Iter<'f, usize>>,
    options: &Options,
) -> bool {
    match &node.children {
        Some(children) if !children.is_empty() => {
            text.extend_from_slice(b",\"contents\":[");
            text.extend_from_slice(newline(options));
            levels.push(children.iter());
            true
        }
        _ => {
            text.push(b'}');
            false
        }
    }
}

/// An entry without its end.
fn open(proc: &Proc, node: &Node, drawing: &mut Drawing<'_>) -> Vec<u8> {
    let options = drawing.options;
    let kind = match node.metadata.map(|found| found.kind) {
        Some(FileKind::Directory) => "directory",
        Some(FileKind::Symlink) => "link",
        Some(FileKind::CharDevice) => "char",
        Some(FileKind::BlockDevice) => "block",
        Some(FileKind::Fifo) => "fifo",
        Some(FileKind::Socket) => "socket",
        Some(FileKind::Regular) => "file",
        None => "directory",
    };
    let name = if options.full_paths {
        &node.path
    } else {
        &node.name
    };
    let mut text = [b"{\"type\":\"", kind.as_bytes(), b"\",\"name\":"].concat();
    push_quoted(&mut text, name);
    if let Some((target, _)) = &node.link {
        text.extend_from_slice(b",\"target\":");
        push_quoted(&mut text, target);
    }
    if let Some(found) = &node.metadata {
        text.extend(details(proc, found, drawing));
    }
    text
}

fn details(proc: &Proc, found: &Metadata, drawing: &mut Drawing<'_>) -> Vec<u8> {
    let options = drawing.options;
    let mut text = String::new();
    if options.inodes {
        text += &format!(",\"inode\":{}", found.inode);
    }
    if options.modes {
        let letters = mode_letters(found.kind, found.mode);
        text += &format!(
            ",\"mode\":\"{:04o}\",\"prot\":\"{}\"",
            found.mode,
            String::from_utf8_lossy(&letters)
        );
    }
    if options.users {
        text += &format!(",\"user\":\"{}\"", drawing.user(proc, found.uid));
    }
    if options.groups {
        text += &format!(",\"group\":\"{}\"", drawing.group(proc, found.gid));
    }
    if options.sizes {
        text += &format!(",\"size\":{}", found.size);
    }
    if options.dates {
        text += &format!(",\"time\":\"{}\"", drawing.date(proc, found));
    }
    text.into_bytes()
}
