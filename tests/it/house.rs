//! The order of the house, read from its source: who may use whom, and what
//! stands in one place only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from left to right; a room uses rooms of smaller rank, or itself.
const ROOMS: [(&str, u8); 15] = [
    ("diagnostic", 0),
    ("disk", 0),
    ("env", 0),
    ("hash", 0),
    ("limits", 0),
    ("text", 0),
    ("json", 0),
    ("name", 0),
    ("skill", 1),
    ("scope", 1),
    // Beside `scope`, and right of `skill`, whose reader of frontmatter it needs.
    ("personal", 2),
    ("discovery", 3),
    ("disclosure", 4),
    ("check", 4),
    ("engine", 5),
];

/// Crates that only the program knows.
const OF_THE_PROGRAM: [&str; 15] = [
    "anyhow",
    "clap",
    "clap_complete",
    "comfy_table",
    "dirs",
    "hyper",
    "notify",
    "rmcp",
    "rustyline",
    "signal_hook",
    "similar",
    "terminal_size",
    "tokio",
    "unicode_width",
    "ureq",
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file by its path under `src/`, without comments.
fn files() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![source()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let lines = text
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("//"));
                let code: Vec<&str> = lines.collect();
                let name = path
                    .strip_prefix(source())
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                found.insert(name, code.join("\n"));
            }
        }
    }
    assert!(found.len() > 40, "{:?}", found.keys());
    found
}

/// The part of a file before its tests.
fn without_tests(code: &str) -> &str {
    code.split("#[cfg(test)]").next().unwrap_or_default()
}

fn is_program(file: &str) -> bool {
    file.starts_with("bin/")
}

fn is_test_file(file: &str) -> bool {
    file.ends_with("tests.rs") || file.ends_with("test_folders.rs")
}

fn room_of(file: &str) -> Option<&str> {
    let first = file.split('/').next().unwrap_or(file);
    let room = first.trim_end_matches(".rs");
    (!is_program(file) && room != "lib").then_some(room)
}

fn rank(room: &str) -> u8 {
    let known = ROOMS.iter().find(|(name, _)| *name == room);
    known
        .unwrap_or_else(|| panic!("no rank for the room {room}"))
        .1
}

/// What `lib.rs` gives names of its own to, by the room that it comes from.
fn re_exports() -> BTreeMap<String, String> {
    let code = &files()["lib.rs"];
    let mut rooms = BTreeMap::new();
    for statement in code
        .split(';')
        .filter_map(|part| part.trim().strip_prefix("pub use "))
    {
        let room = statement.split("::").next().unwrap().to_owned();
        let names = statement.rsplit("::").next().unwrap();
        for name in names.trim_matches(['{', '}']).split(',') {
            rooms.insert(name.trim().to_owned(), room.clone());
        }
    }
    rooms
}

/// The names that directly follow `crate::`, also within braces.
fn used(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let begins = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        let rest = &code[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut name = String::new();
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => names.push(std::mem::take(&mut name)),
                    c if depth == 0 => name.push(c),
                    _ => {}
                }
            }
            names.push(name);
        } else if begins {
            names.push(rest.to_owned());
        }
    }
    names
        .into_iter()
        .map(|name| {
            let name = name.trim();
            name.chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect()
        })
        .filter(|name: &String| !name.is_empty())
        .collect()
}

#[test]
fn a_room_uses_rooms_to_its_left_and_never_to_its_right() {
    let re_exports = re_exports();
    let mut seen = 0;

    for (file, code) in files() {
        let Some(room) = room_of(&file) else { continue };
        for name in used(&code) {
            let other = re_exports.get(&name).map_or(name.as_str(), String::as_str);
            seen += 1;
            let is_beside = room == "personal" && other == "scope";
            let may = other == room
                || rank(other) < rank(room) && !is_beside
                || rank(room) == 0 && rank(other) == 0;
            assert!(
                may,
                "src/{file} uses {name} of {other}, which stands to its right or beside it"
            );
        }
    }

    assert!(seen > 60, "only {seen} uses were found");
}

#[test]
fn the_library_never_names_what_only_the_program_knows() {
    for (file, code) in files().iter().filter(|(file, _)| !is_program(file)) {
        for name in OF_THE_PROGRAM {
            for form in [format!("use {name}"), format!("{name}::")] {
                let is_letter = |c: char| c.is_alphanumeric() || c == '_';
                let at = code.match_indices(&form).find(|(at, _)| {
                    let (before, after) = (&code[..*at], &code[at + form.len()..]);
                    let begins = !before.ends_with(|c: char| is_letter(c) || c == ':');
                    begins && (form.ends_with(':') || !after.starts_with(is_letter))
                });
                assert!(at.is_none(), "src/{file} names {name}");
            }
        }
    }
}

#[test]
fn one_file_names_the_yaml_library() {
    let naming: Vec<String> = files()
        .into_iter()
        .filter(|(_, code)| code.contains("serde_yaml"))
        .map(|(file, _)| file)
        .collect();

    assert_eq!(naming, ["skill/frontmatter/library.rs"]);
}

#[test]
fn each_store_names_its_client_in_its_own_files() {
    let connection = "personal/postgres/connection.rs";
    for (client, own) in [
        ("rusqlite::", &["personal/sqlite.rs"][..]),
        ("postgres::error", &["personal/postgres.rs", connection]),
        ("postgres::config", &[connection]),
        ("rustls::", &[connection]),
    ] {
        let naming: Vec<String> = files()
            .into_iter()
            .filter(|(_, code)| code.contains(client))
            .map(|(file, _)| file)
            .collect();
        assert_eq!(naming, own, "{client}");
    }
}

#[test]
fn one_room_names_the_sdk_of_the_protocol() {
    let room = "bin/codeaf-skills/mcp/protocol/";
    let outside = files()
        .into_iter()
        .find(|(file, code)| code.contains("rmcp") && !file.starts_with(room));

    assert_eq!(outside, None);
}

#[test]
fn http_the_line_editor_signals_and_the_transcript_have_one_file_each() {
    let program = "bin/codeaf-skills/commands/chat";
    for (word, file) in [
        ("ureq::", format!("{program}/client.rs")),
        ("rustyline::", format!("{program}/editor.rs")),
        ("signal_hook::", format!("{program}/signals.rs")),
        ("disk::{Log, LogError}", "engine/transcript.rs".to_owned()),
    ] {
        let naming: Vec<String> = files()
            .into_iter()
            .filter(|(_, code)| code.contains(word))
            .map(|(file, _)| file)
            .collect();
        assert_eq!(naming, [file], "{word}");
    }
}

#[test]
fn the_process_is_read_in_two_files_of_the_program() {
    const READS: [&str; 8] = [
        "env::var",
        "env::vars",
        "env::args",
        "env::current_dir",
        "env::current_exe",
        "env::temp_dir",
        "env::home_dir",
        "home_dir",
    ];

    for (file, code) in files().iter().filter(|(file, _)| !is_test_file(file)) {
        let reads = READS
            .iter()
            .find(|read| without_tests(code).contains(**read));
        let may = ["bin/codeaf-skills/main.rs", "bin/codeaf-skills/complete.rs"].contains(&&**file);
        assert!(
            reads.is_none() || may,
            "src/{file} reads {}",
            reads.unwrap()
        );
    }
}

#[test]
fn files_are_written_in_one_room_and_by_new() {
    const WRITES: [&str; 12] = [
        "fs::write",
        "File::create",
        "create_new(",
        "create_dir",
        "fs::rename",
        "remove_file",
        "remove_dir",
        "set_permissions",
        "renameat",
        "unlinkat",
        "mkdirat",
        ".truncate(true",
    ];

    for (file, code) in files().iter().filter(|(file, _)| !is_test_file(file)) {
        let writes = WRITES
            .iter()
            .find(|write| without_tests(code).contains(**write));
        let may = file.starts_with("disk/") || file == "bin/codeaf-skills/commands/new.rs";
        assert!(
            writes.is_none() || may,
            "src/{file} has {}",
            writes.unwrap()
        );
    }
}

#[test]
fn one_file_and_the_server_print_and_one_function_ends_the_process() {
    const PRINTS: [&str; 6] = [
        "println!",
        "print!",
        "io::stdout",
        "io::stderr",
        "process::exit",
        "process::abort",
    ];

    for (file, code) in files().iter().filter(|(file, _)| !is_test_file(file)) {
        let prints = PRINTS
            .iter()
            .find(|print| without_tests(code).contains(**print));
        // A server's words go out on threads that have no console.
        let may = [
            "bin/codeaf-skills/render.rs",
            "bin/codeaf-skills/mcp/lines.rs",
            "bin/codeaf-skills/mcp/log.rs",
        ]
        .contains(&&**file);
        assert!(
            prints.is_none() || may,
            "src/{file} has {}",
            prints.unwrap()
        );
    }
}

#[test]
fn names_end_in_no_empty_word_and_every_file_says_what_it_decides() {
    const EMPTY: [&str; 6] = ["Manager", "Handler", "Helper", "Util", "Data", "Info"];

    for file in files().keys() {
        let text = fs::read_to_string(source().join(file)).unwrap();
        let says_it = text.starts_with("//!") || is_test_file(file);
        assert!(says_it, "src/{file} has no head");
        for line in text.lines() {
            let item = ["struct ", "enum ", "trait ", "type "]
                .iter()
                .find_map(|kind| line.split_once(kind))
                .filter(|(before, _)| before.trim().is_empty() || before.trim().starts_with("pub"));
            let Some((_, rest)) = item else { continue };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            assert!(
                EMPTY.iter().all(|empty| !name.ends_with(empty)),
                "src/{file}: {name}"
            );
        }
        assert!(
            !text.contains("TODO") && !text.contains("FIXME"),
            "src/{file}"
        );
    }
}
