//! The import order of the rooms, as ARCHITECTURE.md draws it: a room imports only from rooms above it.

use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, out),
            false => out.push(path),
        }
    }
}

/// The rooms in the drawing of ARCHITECTURE.md, top first.
fn rooms() -> Vec<String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let drawing = page.split("<!-- rooms -->").nth(1).unwrap();
    let names =
        drawing.lines().filter_map(|line| line.strip_prefix("src/")).filter_map(|line| line.split_once('/'));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn the_drawing_has_every_room_and_no_other() {
    let mut drawn = rooms();
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let folders = entries.map(|e| e.unwrap().path()).filter(|p| p.is_dir());
    let mut found: Vec<String> =
        folders.map(|p| p.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    drawn.sort();
    found.sort();
    assert_eq!(drawn, found);
}

#[test]
fn rooms_import_only_from_rooms_above() {
    let rooms = rooms();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (place, room) in rooms.iter().enumerate() {
        let mut paths = Vec::new();
        files(&src.join(room), &mut paths);
        for path in paths {
            let text = fs::read_to_string(&path).unwrap();
            for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.trim_start().starts_with("//"))
            {
                assert!(
                    !line.contains("crate::{engine") && !line.contains("crate::{p"),
                    "one room a line: {line}"
                );
                for used in line.split("crate::").skip(1) {
                    let used = used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
                    if rooms.iter().position(|r| r == used).is_some_and(|other| other > place) {
                        wrong.push(format!("{}:{}: {used}", path.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "back edges:\n{}", wrong.join("\n"));
}

#[test]
fn only_the_border_knows_javascript() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&src, &mut paths);
    for path in paths.iter().filter(|p| !p.starts_with(src.join("wasm"))) {
        let text = fs::read_to_string(path).unwrap();
        assert!(!text.contains("wasm_bindgen") && !text.contains("JsValue"), "{}", path.display());
    }
}
