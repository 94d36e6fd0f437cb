//! A talk in a terminal: lines typed, answers stopped, the end.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::json;

use super::{Act, HEAD, Stub, event, said, say, skill, with_pdf_on};
use crate::sandbox::Sandbox;

/// The program in a terminal of 80 columns.
pub(crate) struct Talk {
    child: Child,
    keyboard: File,
    shown: Arc<Mutex<String>>,
    /// Where the next search begins.
    at: usize,
}

impl Talk {
    pub(crate) fn start(sandbox: &Sandbox, stub: &Stub, words: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let terminal = || {
            let path = std::path::Path::new(name.to_str().unwrap());
            Stdio::from(File::options().read(true).write(true).open(path).unwrap())
        };
        let child = sandbox
            .chat_command(stub, words)
            .env("TERM", "xterm")
            .stdin(terminal())
            .stdout(terminal())
            .stderr(terminal())
            .spawn()
            .unwrap();
        let keyboard = File::from(master);
        let mut screen = keyboard.try_clone().unwrap();
        let shown = Arc::new(Mutex::new(String::new()));
        let shared = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut buffer = [0; 4_096];
            while let Ok(length) = screen.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..length]);
                shared.lock().unwrap().push_str(&text);
            }
        });
        Self {
            child,
            keyboard,
            shown,
            at: 0,
        }
    }

    /// Types a line once the program asks for one.
    pub(crate) fn type_line(&mut self, line: &str) {
        self.type_keys(&format!("{line}\r"));
    }

    pub(crate) fn type_keys(&mut self, keys: &str) {
        self.wait_for("> ");
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until `text` is shown, behind what was waited for before.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        for _ in 0..600 {
            let shown = self.shown();
            if let Some(found) = shown.get(self.at..).and_then(|rest| rest.find(text)) {
                self.at += found + text.len();
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("no {text:?} behind {} in\n{:?}", self.at, self.shown());
    }

    pub(crate) fn shown(&self) -> String {
        self.shown.lock().unwrap().clone()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Types Ctrl-D and waits for the end.
    #[track_caller]
    pub(crate) fn end(mut self) -> String {
        self.type_keys("\u{4}");
        self.ended(0)
    }

    #[track_caller]
    pub(crate) fn ended(mut self, status: i32) -> String {
        let found = self.child.wait().unwrap().code();
        assert_eq!(found, Some(status), "{:?}", self.shown());
        self.shown()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn lines_are_answered_until_ctrl_d() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One."), skill("pdf-processing"), say("Two.")]);
    let mut talk = Talk::start(&sandbox, &stub, &[]);

    talk.wait_for("stub, 1 skill on; /help lists the commands");
    talk.type_line("first");
    talk.wait_for("One.");
    talk.type_line("");
    talk.type_line("second");
    talk.wait_for("\u{25c6} used skill pdf-processing · 3.1 KB");
    talk.wait_for("Two.");
    talk.end();

    assert_eq!(
        said(&stub.requests()[1]),
        ["user: first", "assistant: One.", "user: second"]
    );
}

#[test]
fn ctrl_c_stops_an_answer_and_keeps_the_conversation() {
    let sandbox = with_pdf_on();
    let begun = format!("{HEAD}{}", event(&json!({"content": "This goes on and "})));
    let stub = Stub::new([Act::Hold(begun.into_bytes()), say("Two.")]);
    let mut talk = Talk::start(&sandbox, &stub, &[]);

    talk.type_line("first");
    talk.wait_for("This goes on and ");
    talk.signal(Signal::INT);
    talk.wait_for("what came is kept in the conversation");
    talk.type_line("second");
    talk.wait_for("Two.");
    talk.end();

    assert_eq!(
        said(&stub.last()),
        [
            "user: first",
            "assistant: This goes on and ",
            "user: second"
        ]
    );
    let lines = sandbox.transcript();
    assert_eq!(lines[1]["content"], "This goes on and ");
    assert_eq!(lines[1]["cut"], "stopped");
}

#[test]
fn ctrl_c_stops_before_the_server_says_a_word() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([Act::Hold(Vec::new()), say("Two.")]);
    let mut talk = Talk::start(&sandbox, &stub, &[]);

    talk.type_line("first");
    stub.wait_for(1);
    talk.signal(Signal::INT);
    talk.wait_for("what came is kept in the conversation");
    talk.type_line("second");
    talk.wait_for("Two.");
    talk.end();

    assert_eq!(said(&stub.last()), ["user: first\n\nsecond"]);
}

#[test]
fn a_system_that_ends_the_program_loses_nothing_of_the_answer() {
    let sandbox = with_pdf_on();
    let begun = format!("{HEAD}{}", event(&json!({"content": "Half an "})));
    let stub = Stub::new([Act::Hold(begun.into_bytes())]);
    let mut talk = Talk::start(&sandbox, &stub, &[]);

    talk.type_line("first");
    talk.wait_for("Half an ");
    talk.signal(Signal::TERM);
    talk.ended(1);

    assert_eq!(sandbox.transcript()[1]["content"], "Half an ");
}

#[test]
fn ctrl_c_at_the_prompt_keeps_the_talk() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One.")]);
    let mut talk = Talk::start(&sandbox, &stub, &[]);

    talk.type_keys("half a li\u{3}");
    talk.wait_for("Ctrl-D or /quit ends the chat");
    talk.type_line("first");
    talk.wait_for("One.");
    talk.end();

    assert_eq!(said(&stub.last()), ["user: first"]);
}

#[test]
fn tab_completes_commands_and_history_comes_back() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One."), say("Two.")]);
    let mut talk = Talk::start(&sandbox, &stub, &[]);

    talk.type_keys("/pd\tfill it\r");
    talk.wait_for("One.");
    talk.type_keys("\u{1b}[A\r");
    talk.wait_for("already loaded");
    talk.wait_for("Two.");
    talk.end();

    let lines = sandbox.transcript();
    assert_eq!(lines[0]["content"], "/pdf-processing fill it");
    assert_eq!(lines[2]["content"], "/pdf-processing fill it");
}

#[test]
fn history_of_an_earlier_run_comes_back() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One."), say("Two.")]);
    sandbox.chat(&stub, &["asked before"]).success();

    let mut talk = Talk::start(&sandbox, &stub, &[]);
    talk.type_keys("\u{1b}[A\r");
    talk.wait_for("Two.");
    talk.end();

    assert_eq!(said(&stub.last())[2], "user: asked before");
}

#[test]
fn the_commands_say_what_there_is() {
    let sandbox = with_pdf_on()
        .skill("home/.agents/skills", "help", "Helps.")
        .skill("home/.agents/skills", "off-kit", "Is off.");
    let stub = Stub::new([say("One."), say("Two.")]);
    let mut talk = Talk::start(&sandbox, &stub, &[]);

    talk.type_line("/off-kit go");
    talk.wait_for("\u{25c6} used skill off-kit ·");
    talk.wait_for("One.");
    talk.type_line("/help");
    talk.wait_for("/compact");
    talk.wait_for("/skill:NAME where a command above");
    talk.type_line("/skills");
    talk.wait_for("off-kit");
    talk.wait_for("off    1");
    talk.type_line("/why off-kit");
    talk.wait_for("off-kit is off");
    talk.wait_for("codeaf-skills on off-kit");
    talk.type_line("/why");
    talk.wait_for("`/why` needs a name");
    talk.type_line("/off-kits");
    talk.wait_for("skill off-kits · not found");
    talk.wait_for("did you mean `off-kit`?");
    talk.type_line("/skill:help now");
    talk.wait_for("used skill help ·");
    talk.wait_for("Two.");
    talk.type_line("/skill");
    talk.wait_for("a skill is called with /NAME");
    talk.type_line("/compact all of it");
    talk.wait_for("`/compact` takes nothing behind it");
    talk.wait_for("type `/compact` alone");
    talk.type_line("/folder nowhere");
    talk.wait_for("it is not a folder");
    talk.type_line("/quit");
    talk.ended(0);

    assert!(
        said(&stub.last())
            .last()
            .unwrap()
            .ends_with("</skill>\n\nnow")
    );
}

#[test]
fn a_talk_needs_a_terminal_and_a_message_must_say_something() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([]);

    sandbox
        .chat(&stub, &[])
        .usage()
        .has(&["there is no message on standard input"]);
    sandbox
        .chat(&stub, &[" "])
        .usage()
        .has(&["the message is empty"]);
}

#[test]
fn a_message_comes_from_standard_input_too() {
    let sandbox = with_pdf_on().file("project/message", " two\nlines \n");
    let stub = Stub::new([say("One."), say("Two.")]);

    let mut command = sandbox.chat_command(&stub, &[]);
    command.stdin(File::open(sandbox.path("project/message")).unwrap());
    sandbox.output(command).success().is("One.\n");
    let mut command = sandbox.chat_command(&stub, &["-"]);
    command.stdin(File::open(sandbox.path("project/message")).unwrap());
    sandbox.output(command).success().is("Two.\n");

    assert_eq!(said(&stub.requests()[0]), ["user:  two\nlines "]);
    assert_eq!(said(&stub.last())[2], "user:  two\nlines ");
}
