//! A home, a project and a conversation of their own for each test, and runs of
//! the real program in them.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_codeaf-skills");

/// A temporary folder with `home/`, `project/.git/` and `conv/`.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self::called("codeaf-skills-")
    }

    /// A sandbox whose every path has `prefix` in it.
    pub(crate) fn called(prefix: &str) -> Self {
        let folder = tempfile::Builder::new().prefix(prefix).tempdir().unwrap();
        for name in ["home", "project/.git", "conv"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    /// The path of `name` in the sandbox, without links.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Adds a skill to the home of the user.
    pub(crate) fn home_skill(self, name: &str, description: &str) -> Self {
        self.skill("home/.agents/skills", name, description)
    }

    /// Adds a skill to the project.
    pub(crate) fn project_skill(self, name: &str, description: &str) -> Self {
        self.skill("project/.agents/skills", name, description)
    }

    /// Adds a skill under any root.
    pub(crate) fn skill(self, root: &str, name: &str, description: &str) -> Self {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}.\n");
        self.file(format!("{root}/{name}/SKILL.md"), text)
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn file(self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Self {
        self.write(path, bytes);
        self
    }

    /// Makes a folder.
    pub(crate) fn folder(self, path: impl AsRef<Path>) -> Self {
        fs::create_dir_all(self.path(path)).unwrap();
        self
    }

    /// Makes a link at `path` with `target` as its text.
    pub(crate) fn link(self, path: impl AsRef<Path>, target: impl AsRef<Path>) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    /// Writes a file in the middle of a test.
    pub(crate) fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Reads a file as text.
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Whether something is there, be it a dangling link.
    pub(crate) fn has(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    /// The sorted names in a folder.
    pub(crate) fn names_in(&self, folder: impl AsRef<Path>) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Every path in the sandbox with what it holds, to prove that nothing was
    /// written.
    pub(crate) fn everything(&self) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let kind = path.symlink_metadata().unwrap();
                let content = if kind.is_dir() {
                    folders.push(path.clone());
                    "folder".to_owned()
                } else if kind.is_symlink() {
                    format!("link to {}", fs::read_link(&path).unwrap().display())
                } else {
                    let modified = kind.modified().unwrap();
                    format!("{modified:?} {:?}", fs::read(&path).unwrap())
                };
                found.push((path, content));
            }
        }
        found.sort();
        found
    }

    /// Runs the program in the project and waits for its end.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = A>) -> Output {
        self.run_in("project", words)
    }

    /// Runs the program in a folder of the sandbox.
    pub(crate) fn run_in<A: AsRef<OsStr>>(
        &self,
        folder: &str,
        words: impl IntoIterator<Item = A>,
    ) -> Output {
        let mut command = self.command(words);
        command.current_dir(self.path(folder));
        self.output(command)
    }

    /// Runs the program in the project with variables set, `HOME` perhaps.
    pub(crate) fn run_with<A: AsRef<OsStr>>(
        &self,
        variables: &[(&str, &OsStr)],
        words: impl IntoIterator<Item = A>,
    ) -> Output {
        let mut command = self.command(words);
        command.envs(variables.iter().copied());
        self.output(command)
    }

    /// Runs the program in the project, and calls `let_go` once it says on standard
    /// error that it waits. Returns what it said, and how it ended.
    pub(crate) fn run_waiting<A: AsRef<OsStr>>(
        &self,
        words: impl IntoIterator<Item = A>,
        let_go: impl FnOnce(),
    ) -> (String, std::process::Output) {
        let mut command = self.command(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut waiting = command.spawn().unwrap();
        let mut told = String::new();
        BufReader::new(waiting.stderr.as_mut().unwrap())
            .read_line(&mut told)
            .unwrap();
        let_go();
        (told, waiting.wait_with_output().unwrap())
    }

    /// Runs `script` with sh in the project, the program on the search path.
    pub(crate) fn shell(&self, script: &str) -> Output {
        let mut command = self.command_of("/bin/bash");
        command.args(["-c", script]);
        self.output(command)
    }

    /// The program with `words`, in the project, with nothing else around it.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = A>) -> Command {
        let mut command = self.command_of(PROGRAM);
        command.args(words);
        command
    }

    /// Another program in the same surroundings.
    pub(crate) fn command_of(&self, program: impl AsRef<OsStr>) -> Command {
        let mut search = OsString::from(Path::new(PROGRAM).parent().unwrap());
        search.push(":");
        search.push(std::env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", search)
            .env("HOME", self.path("home"))
            .env("LANG", "C.UTF-8")
            .current_dir(self.path("project"))
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end. Whatever it was, it must not have panicked,
    /// and must not have failed without a word.
    pub(crate) fn output(&self, mut command: Command) -> Output {
        let finished = command.output().unwrap();
        let output = Output {
            line: format!("{command:?}"),
            status: finished.status.code(),
            stdout: self.normal(&finished.stdout),
            stderr: self.normal(&finished.stderr),
            bytes: finished.stdout,
        };
        assert!(
            !output.stderr.contains("panicked") && output.status.is_some_and(|code| code <= 2),
            "{}\n{output}",
            output.line
        );
        output
    }

    fn normal(&self, bytes: &[u8]) -> String {
        let folder = self.path("").to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(bytes).replace(folder.trim_end_matches('/'), "[D]");
        let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
        lines.join("\n")
    }
}

/// What a run left: its two streams with `[D]` for the sandbox, and its status.
pub(crate) struct Output {
    line: String,
    status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Standard output as it was.
    pub(crate) bytes: Vec<u8>,
}

impl Output {
    #[track_caller]
    pub(crate) fn success(self) -> Self {
        self.exits(0)
    }

    /// The command was understood and could not be done.
    #[track_caller]
    pub(crate) fn refused(self) -> Self {
        self.exits(1)
    }

    #[track_caller]
    pub(crate) fn usage(self) -> Self {
        self.exits(2)
    }

    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{}\n{self}", self.line);
        self
    }

    #[track_caller]
    pub(crate) fn silent(self) -> Self {
        let silence = (String::new(), String::new());
        assert_eq!((self.stdout.clone(), self.stderr.clone()), silence);
        self
    }

    /// Each of `parts` stands in the block.
    #[track_caller]
    pub(crate) fn has(self, parts: &[&str]) -> Self {
        let block = self.to_string();
        for part in parts {
            assert!(
                block.contains(part),
                "no {part:?} in {}\n{block}",
                self.line
            );
        }
        self
    }

    #[track_caller]
    pub(crate) fn lacks(self, parts: &[&str]) -> Self {
        let block = self.to_string();
        for part in parts {
            assert!(!block.contains(part), "{part:?} in {}\n{block}", self.line);
        }
        self
    }

    /// The block is `text`, whose common indentation does not count.
    #[track_caller]
    pub(crate) fn is(self, text: &str) -> Self {
        let wanted = unindented(text);
        let found = self.to_string();
        assert!(
            found == wanted,
            "{}\n==== found\n{found}==== wanted\n{wanted}",
            self.line
        );
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        parsed(&self.stdout, self)
    }

    /// The last line of standard error as JSON; notes may stand before it.
    #[track_caller]
    pub(crate) fn error_json(&self) -> serde_json::Value {
        assert_eq!(self.stdout, "", "{}\n{self}", self.line);
        parsed(&self.stderr, self)
    }
}

#[track_caller]
fn parsed(text: &str, output: &Output) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{}: {error}\n{output}", output.line))
}

/// One block: standard output, a marked standard error, a marked status.
impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut block = self.stdout.clone();
        if !block.is_empty() && !block.ends_with('\n') {
            block.push_str("[no newline]\n");
        }
        if !self.stderr.is_empty() {
            block.push_str("-- stderr --\n");
            block.push_str(&self.stderr);
        }
        match self.status {
            Some(0) => {}
            Some(status) => writeln!(block, "-- exit {status} --")?,
            None => block.push_str("-- killed --\n"),
        }
        f.write_str(&block)
    }
}

fn unindented(text: &str) -> String {
    let text = text.strip_prefix('\n').unwrap_or(text);
    let text = text.trim_end_matches(' ');
    let indentation = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    text.lines()
        .map(|line| line.get(indentation..).unwrap_or_default().trim_end())
        .fold(String::new(), |block, line| block + line + "\n")
}
