//! How long a run takes, beside the least that it could take.
//!
//! ```text
//! cargo bench --bench reading                          the table
//! cargo bench --bench reading -- generate DIR COUNT    a tree to look at
//! cargo bench --bench reading -- floor DIR             read it, nothing more
//! ```
//!
//! Everything is timed as a whole process, from start to exit, with a warm
//! cache. The floor finds every SKILL.md of a tree, opens it and reads its first
//! 4 KiB, on one thread: no reader of skills can do less.

#![allow(clippy::disallowed_methods, reason = "a program of its own")]
#![allow(
    clippy::print_stdout,
    reason = "a benchmark reports on standard output"
)]

mod tree;

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_codeaf-skills");
const TIME: &str = "/usr/bin/time";
const COUNTS: [usize; 4] = [1, 100, 1_000, 10_000];
/// Bytes that the floor reads of each file: one page of memory, which holds the
/// frontmatter of every skill made here.
const FIRST_BYTES: u64 = 4_096;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let arguments: Vec<OsString> = env::args_os()
        .skip(1)
        .filter(|argument| argument != "--bench") // cargo adds it
        .collect();
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    match words[..] {
        [] => report(),
        ["empty"] => Ok(()),
        ["floor", dir] => {
            println!("{} bytes", floor(Path::new(dir))?);
            Ok(())
        }
        ["generate", dir, count] => Ok(tree::generate(Path::new(dir), count.parse()?)?),
        _ => Err("usage: reading [generate DIR COUNT | floor DIR]".into()),
    }
}

/// Reads the first bytes of every SKILL.md in the tree `dir`.
fn floor(dir: &Path) -> io::Result<usize> {
    let mut total = 0;
    let mut bytes = Vec::new();
    for root in tree::ROOTS {
        let root = tree::home(dir).join(root);
        if !root.exists() {
            continue;
        }
        for skill in fs::read_dir(root)? {
            let file = File::open(skill?.path().join("SKILL.md"))?;
            bytes.clear();
            total += file.take(FIRST_BYTES).read_to_end(&mut bytes)?;
        }
    }
    Ok(total)
}

fn report() -> Outcome {
    let folder = Scratch::new()?;
    println!("whole processes, medians; times the floor in brackets\n");
    println!(
        "{:>7} {:>10} {:>20} {:>20} {:>10} {:>13}",
        "SKILLS", "FLOOR", "LIST --JSON", "RENDER-CATALOG", "LIST PEAK", "CATALOG PEAK"
    );
    for count in COUNTS {
        let dir = folder.0.join(count.to_string());
        tree::generate(&dir, count)?;
        print_row(count, &dir)?;
    }
    if !Path::new(TIME).exists() {
        println!("\nno peaks: {TIME} is not here");
    }
    let itself = env::current_exe()?;
    let empty = run(&itself, &["empty"], &folder.0);
    let version = run(Path::new(PROGRAM), &["--version"], &folder.0);
    let [empty, version] = medians([empty, version], 101)?;
    println!(
        "\n--version {}, an empty program {}",
        compared(version, empty),
        milliseconds(empty)
    );
    Ok(())
}

fn print_row(count: usize, dir: &Path) -> Outcome {
    let itself = env::current_exe()?;
    let mut floor = run(&itself, &["floor"], dir);
    floor.arg(dir);
    let list = || run(Path::new(PROGRAM), &["list", "--json"], dir);
    let catalog = || run(Path::new(PROGRAM), &["render-catalog"], dir);
    let rounds = if count > 1_000 { 11 } else { 31 };
    let [floor, listed, rendered] = medians([floor, list(), catalog()], rounds)?;
    println!(
        "{count:>7} {:>10} {:>20} {:>20} {:>10} {:>13}",
        milliseconds(floor),
        compared(listed, floor),
        compared(rendered, floor),
        peak(&list())?,
        peak(&catalog())?,
    );
    Ok(())
}

/// Returns a command in the home and the project of the tree `dir`.
fn run(program: &Path, arguments: &[&str], dir: &Path) -> Command {
    let project = tree::project(dir);
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .env("HOME", tree::home(dir))
        .current_dir(if project.exists() { &project } else { dir })
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

/// Returns the median time of each command. They run in turn, so that whatever
/// slows the machine for a while slows all of them.
fn medians<const N: usize>(mut commands: [Command; N], rounds: usize) -> Outcome<[Duration; N]> {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..rounds {
        for (command, times) in commands.iter_mut().zip(&mut times) {
            let start = Instant::now();
            let status = command.status()?;
            times.push(start.elapsed());
            if !status.success() {
                return Err(format!("{command:?} ended with {status}").into());
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    }))
}

/// Returns the most memory that one run of `command` holds, as GNU time says.
fn peak(command: &Command) -> Outcome<String> {
    if !Path::new(TIME).exists() {
        return Ok("-".to_owned());
    }
    let mut timed = Command::new(TIME);
    timed
        .args(["-f", "%M"])
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    let output = timed.output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let kilobytes: f64 = errors.lines().last().unwrap_or_default().parse()?;
    Ok(format!("{:.1} MB", kilobytes / 1_024.0))
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}

fn compared(time: Duration, least: Duration) -> String {
    let ratio = time.as_secs_f64() / least.as_secs_f64();
    format!("{} ({ratio:.2}x)", milliseconds(time))
}

/// A temporary folder that goes when the report is done.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Self> {
        let path = env::temp_dir().join(format!("codeaf-skills-reading-{}", process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed here, the system removes from its temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}
