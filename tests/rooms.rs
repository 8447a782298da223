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

/// Where the crates have their rooms: the engine's, and those above it.
const SOURCES: [&str; 2] = ["engine/src", "src"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The rooms in the drawing of ARCHITECTURE.md, top first: their folders, of which the last part is the name.
fn rooms() -> Vec<PathBuf> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let drawing = page.split("<!-- rooms -->").nth(1).unwrap();
    let folders = drawing.lines().filter_map(|line| line.split_once("/ ")).map(|(folder, _)| folder);
    let room = |folder: &&str| {
        SOURCES.iter().any(|source| folder.rsplit_once('/').is_some_and(|(parent, _)| parent == *source))
    };
    folders.filter(room).map(PathBuf::from).collect()
}

fn sources(folders: &[&str]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    folders.iter().for_each(|folder| files(&root().join(folder), &mut paths));
    paths
}

fn name(room: &Path) -> &str {
    room.file_name().unwrap().to_str().unwrap()
}

#[test]
fn the_drawing_has_every_room_and_no_other() {
    let mut drawn = rooms();
    let mut found = Vec::new();
    for source in SOURCES {
        let entries = fs::read_dir(root().join(source)).unwrap().map(|entry| entry.unwrap());
        let folders = entries.filter(|entry| entry.path().is_dir());
        found.extend(folders.map(|folder| Path::new(source).join(folder.file_name())));
    }
    drawn.sort();
    found.sort();
    assert_eq!(drawn, found);
}

#[test]
fn rooms_import_only_from_rooms_above() {
    let rooms = rooms();
    let mut wrong = Vec::new();
    for (place, room) in rooms.iter().enumerate() {
        let mut paths = Vec::new();
        files(&root().join(room), &mut paths);
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
                    if rooms.iter().position(|r| name(r) == used).is_some_and(|other| other > place) {
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
    for path in sources(&SOURCES) {
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("wasm_bindgen") && !text.contains("JsValue"), "{}", path.display());
    }
}

#[test]
fn only_the_engine_knows_the_hardware() {
    for path in sources(&["src"]) {
        let text = fs::read_to_string(&path).unwrap();
        for word in ["std::arch", "core::arch", "target_feature", "unsafe"] {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
    }
}

/// A file that no program of tests names would not run, and nothing would say so.
#[test]
fn every_file_of_tests_runs() {
    let settings = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let all = fs::read_to_string(root().join("tests/all.rs")).unwrap();
    for entry in fs::read_dir(root().join("tests")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = name(&path).trim_end_matches(".rs");
            let runs = settings.contains(&format!("[[test]]\nname = \"{name}\""))
                || all.contains(&format!("\nmod {name};\n"));
            assert!(runs, "tests/{name}.rs is named neither in tests/all.rs nor in Cargo.toml");
        }
    }
}
