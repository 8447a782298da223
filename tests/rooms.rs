//! The import order of the rooms, as ARCHITECTURE.md draws it: a room imports only from rooms above it.

use cipherloom::ops::Registry;
use cipherloom::values::Values;
use std::collections::BTreeSet;
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

/// What an operator is, its definition says, and what it does on a platform, the platform's kernels; nobody else asks which one it is.
#[test]
fn no_operator_is_known_by_its_name() {
    let definitions = ["ops", "schemes", "platform", "ciphers", "joint", "parties", "stats", "conformance"];
    let registries = [Values::new().registry(), cipherloom::registry(), cipherloom::packed::registry()];
    let names: BTreeSet<&str> = registries.iter().flat_map(Registry::iter).map(|def| def.name()).collect();
    for path in sources(&SOURCES) {
        let folders: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
        if folders.iter().any(|folder| definitions.contains(folder)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let own = text.split("#[cfg(test)]").next().unwrap();
        for (number, line) in own.lines().enumerate() {
            for name in &names {
                let asked = [format!("== \"{name}\""), format!("\"{name}\" =>"), format!("\"{name}\" |")];
                let is_asked = asked.iter().any(|asked| line.contains(asked.as_str()))
                    || line.contains("matches!") && line.contains(&format!("\"{name}\""));
                assert!(!is_asked, "{}:{}: {line}", path.display(), number + 1);
            }
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
