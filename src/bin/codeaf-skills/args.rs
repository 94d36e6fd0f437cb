//! The words of the command line, and the manual: help, man pages and
//! completions are all made from the comments in this file.

#![allow(
    clippy::struct_excessive_bools,
    clippy::doc_markdown,
    reason = "flags are what they are, and the comments are help text, not Markdown"
)]

use std::ffi::OsString;
use std::mem;
use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use codeaf_skills::Limits;

use crate::complete;

/// Find Agent Skills, switch them on and off, and explain why
///
/// Agent Skills are folders with a SKILL.md that teach a coding agent one kind
/// of task. They lie in many places: ~/.agents/skills, .claude/skills of a
/// repository, and so on. This program says which ones there are, which of them
/// your agent may use on its own, and why.
///
/// "Which skills can you use on your own?", you ask your agent. Those that are
/// on. A skill is on when the narrowest scope that names it says so: the
/// conversation, then the project, then the global scope. A skill that no scope
/// names is off. You can still use it yourself, by its slash command or with
/// `use`; the agent does not see it.
#[derive(Debug, Parser)]
#[command(
    name = "codeaf-skills",
    version,
    propagate_version = false,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_long_help = "\
Examples:
  codeaf-skills list                  which skills there are, which are on
  codeaf-skills on pdf --global       on for you, everywhere
  codeaf-skills off pdf --project     off in this project, for everybody
  codeaf-skills why pdf               who decided, in which file and line
  codeaf-skills render-catalog        the text that the model gets

Files:
  ~/.codeaf/skills.json               decisions of the global scope
  .codeaf/skills.json of a project    decisions of the project scope
  meta.json of a conversation         its decisions, under the key \"skills\"
  .codeaf/check.json of a project     what `check` is to do there

Environment:
  CODEAF_HOME            the home that counts, instead of HOME
  CODEAF_CONVERSATION    the conversation, unless --conversation names one
  CODEAF_SKILLS_PATH     folders to look in first, with colons between them
  CODEAF_SKILLS_STORE    the store of personal skills, unless --store names one
  PGPASSWORD             the password of a PostgreSQL store whose URL has none
  PGSSLROOTCERT          certificates that vouch for a PostgreSQL server
  OPENAI_BASE_URL, OPENAI_MODEL, OPENAI_API_KEY
                         the server of `chat`, its model, its key
  NO_COLOR               no colour, if it is not empty
  COLUMNS                the width of a terminal that does not tell it

Exit status:
  0  done, also when there was nothing to change
  1  refused, not found, or a scope file that cannot be read
  2  wrong usage"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads the words that the program was started with, its own name first.
    ///
    /// clap gives every command its own copy of every global option, which takes
    /// longer than most answers. So only the command that the words name is made;
    /// where that does not fit, all of them are, for the words of help and errors.
    pub(crate) fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        let mut commands = Command::augment_subcommands(clap::Command::default());
        let mut words_behind = words.iter().skip(1);
        let named = words_behind.find_map(|word| commands.find_subcommand_mut(word).map(mem::take));
        if let Some(named) = named {
            let one = Globals::augment_args(clap::Command::default()).subcommand(named);
            if let Ok(cli) = Self::read_with(one, words) {
                return Ok(cli);
            }
        }
        Self::read_with(Self::command(), words)
    }

    fn read_with(program: clap::Command, words: &[OsString]) -> Result<Self, clap::Error> {
        // Never freed: the process ends with the command.
        let program = Box::leak(Box::new(program));
        let mut matches = program.try_get_matches_from_mut(words)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(program))
    }
}

// What goes with every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// Start in DIR instead of the working folder
    #[arg(short = 'C', value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    pub(crate) start: Option<PathBuf>,

    /// Take the decisions of this conversation into account
    ///
    /// PATH is a conversation's folder, its meta.json, or the 16-digit id of one
    /// under ~/.codeaf/v3/projects. Without the flag, CODEAF_CONVERSATION counts.
    /// For `on`, `off` and `clear` the flag also makes the conversation the scope
    /// that is written, unless --global or --project stands beside it.
    #[arg(long, value_name = "PATH", global = true, value_hint = ValueHint::AnyPath)]
    pub(crate) conversation: Option<PathBuf>,

    /// Attach a folder, whose skills are found too (repeatable)
    #[arg(long = "folder", value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    pub(crate) folders: Vec<PathBuf>,

    /// Look in DIR before all other roots (repeatable)
    ///
    /// CODEAF_SKILLS_PATH, folders separated by colons, comes after it.
    #[arg(long = "skills-dir", value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    pub(crate) skills_dirs: Vec<PathBuf>,

    /// Let the project scope say only *off*
    ///
    /// A repository can ship skills and a scope file that turns them on. With
    /// this flag, or with "ignoreProjectOn": true in the global scope file, it
    /// cannot: what a project ships is on only by the conversation scope.
    #[arg(long, global = true)]
    pub(crate) ignore_project_on: bool,

    /// Limit which skills may be activated: names with commas, or *
    ///
    /// Not given or `*` allows all, an empty list none. A skill must be on as
    /// well for the agent to use it.
    #[arg(long, value_name = "LIST", global = true)]
    pub(crate) allowed_skills: Option<String>,

    /// Keep personal skills in this store: sqlite:PATH or postgres://...
    ///
    /// Without the flag CODEAF_SKILLS_STORE counts, then "store" in the global
    /// scope file, then ~/.codeaf/personal.db, which the first `personal add`
    /// makes. A password is better kept in PGPASSWORD than in the URL.
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) store: Option<String>,

    /// Fail if the store of personal skills gives no answer
    ///
    /// Otherwise the skills in folders go on working, and a warning says that
    /// personal skills are unknown.
    #[arg(long, global = true)]
    pub(crate) require_store: bool,

    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// When to use colour
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_possible_values = false
    )]
    pub(crate) color: Color,

    /// Print no notes, only errors, on standard error
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Also print the time it took; `list` adds roots and what was passed over
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Turn skills on in one scope
    ///
    /// Writes the decision into the scope file and prints what now holds, also
    /// when a narrower scope says otherwise. The scope is the one that a flag
    /// names, else the project when you are inside one.
    ///
    /// `*` and `?` in a name stand for any characters and for one; they are
    /// expanded now, and the names are stored. A personal skill is stored as
    /// `personal/x`, also where you say `x`.
    #[command(after_long_help = "\
Examples:
  codeaf-skills on pdf-processing --global
  codeaf-skills on 'db-*' review --project -n
  codeaf-skills on review --conversation 0123456789abcdef")]
    On(Decide),

    /// Turn skills off in one scope
    ///
    /// Writes the decision into the scope file and prints what now holds. Use it
    /// to take out a skill that a wider scope turned on; to take back a decision
    /// of your own, use `clear`. A personal skill is stored as `personal/x`, also
    /// where you say `x`.
    #[command(after_long_help = "\
Examples:
  codeaf-skills off pdf-processing --project
  codeaf-skills off '*' --conversation PATH")]
    Off(Decide),

    /// Take decisions back, so that wider scopes decide
    ///
    /// Removes names from both lists of one scope file. Patterns match the names
    /// that stand in the file. A name that is not there is no fault. Where `x` is
    /// a personal skill, it takes back `x` and `personal/x`.
    #[command(after_long_help = "\
Examples:
  codeaf-skills clear pdf-processing --project
  codeaf-skills clear --missing --global   forget what is gone")]
    Clear(Clear),

    /// List skills with their state, and what is missing or broken
    ///
    /// A row for each skill: its name, whether it is on, which scope decided,
    /// where it was found, the size of its SKILL.md, its description. Below it:
    /// names that a scope turns on and no skill bears, and what sat in a root and
    /// could not be taken. The exit status is 1 only when a scope file cannot be
    /// read.
    #[command(after_long_help = "\
Examples:
  codeaf-skills list --on
  codeaf-skills list 'pdf-*'
  codeaf-skills list --names --off
  codeaf-skills list --profile albedo    which skills Albedo would find
  codeaf-skills list -v               also every root, and what was passed over")]
    List(List),

    /// Show everything about one skill
    ///
    /// Its fields, location, size, estimated tokens, bundled files, findings and
    /// scopes. A path instead of a name reaches a copy that is shadowed.
    #[command(after_long_help = "\
Examples:
  codeaf-skills show pdf-processing
  codeaf-skills show ~/.claude/skills/review --raw")]
    Show(Show),

    /// Explain why a skill is on, off, shadowed or not found
    ///
    /// Prints what each scope says, with file, line and column, and which one
    /// decides; which copy is meant and what it shadows. For a name that is not
    /// found: near names, broken candidates and their fault, folders one level
    /// too deep, and the folders that were looked at. Ends with the command that
    /// changes the answer. The exit status is 1 when no skill bears the name.
    #[command(after_long_help = "\
Examples:
  codeaf-skills why pdf-processing
  codeaf-skills why review --conversation PATH --json")]
    Why(OneSkill),

    /// Exit with 0 if a skill is on, with 1 if not
    ///
    /// Prints nothing on standard output, so that a script can ask. A name that
    /// no skill bears is not on. The exit status is 1 also when nobody can tell,
    /// as with a scope file that cannot be read; standard error says why.
    #[command(after_long_help = "\
Examples:
  codeaf-skills is-on pdf-processing && echo yes")]
    IsOn(OneSkill),

    /// Print the catalog that the model gets
    ///
    /// The exact text that an engine puts into the first message: name, size and
    /// description of each skill that is on. With nothing on, not a byte.
    #[command(after_long_help = "\
Examples:
  codeaf-skills render-catalog
  codeaf-skills render-catalog --max-chars 8000
  codeaf-skills render-catalog --format xml")]
    RenderCatalog(RenderCatalog),

    /// Print the definition of the `skill` tool as JSON
    ///
    /// As an engine sends it with a request. With nothing on, not a byte.
    Tool,

    /// Print a skill as the model would get it
    ///
    /// The instructions in their wrapper, always fresh. It is your own act, so a
    /// skill that is off works too; a note says that it is off.
    #[command(after_long_help = "\
Examples:
  codeaf-skills use pdf-processing
  codeaf-skills use pdf-processing fill the form in a.pdf --json")]
    Use(Use),

    /// List the files that a skill bundles
    Resources(OneSkill),

    /// Print a bundled file, or a page of it, byte for byte
    ///
    /// Without RESOURCE, SKILL.md. A link that leaves the skill's folder is
    /// refused. Without --limit the whole file is printed; with --json a page of
    /// at most 65,536 bytes, 16,384 if --limit is not given.
    #[command(after_long_help = "\
Examples:
  codeaf-skills read pdf-processing references/REFERENCE.md
  codeaf-skills read pdf-processing --offset 16384 --limit 16384 --json")]
    Read(Read),

    /// List the slash commands of all skills
    ///
    /// Every skill is a command, on or off: /name, or /skill:name where a
    /// built-in command of the host owns the name.
    #[command(after_long_help = "\
Examples:
  codeaf-skills commands
  codeaf-skills commands --reserved model,review,quit")]
    Commands(Commands),

    /// Check whether skills will work, and in which agents
    ///
    /// Judges SKILL.md files, and what they name, by the specification of Agent
    /// Skills or by the rules of one agent. PATH is a skill's folder, a folder of
    /// skills, a repository, or a SKILL.md; without one, the working folder.
    ///
    /// An error is a breach of the profile's rules; a warning is what may fail
    /// elsewhere. The exit status is 1 when there is an error, or a warning with
    /// --strict, and when there is no skill at all.
    ///
    /// A project says what it wants in .codeaf/check.json: levels of rules,
    /// profiles, what is left out, a baseline. Flags come before it.
    #[command(after_long_help = "\
Examples:
  codeaf-skills check
  codeaf-skills check .agents/skills --strict --format github
  codeaf-skills check --profile codeaf
  codeaf-skills check --fix -n        what would be mended, as a diff
  codeaf-skills check --explain unquoted-colon

A .codeaf/check.json with all that it can have:
  {
    \"rules\": {\"unknown-field\": \"allow\", \"unquoted-colon\": \"deny\"},
    \"profiles\": [\"spec\", \"codex\"],
    \"exclude\": [\"vendor/**\"],
    \"baseline\": \"check-baseline.json\"
  }")]
    Check(Check),

    /// Serve the skills to agents over the Model Context Protocol
    ///
    /// Speaks the protocol on standard input and output, as an agent starts it,
    /// until standard input is closed. The agent gets the skills that are on
    /// through the tool `skill` and their files through `read_skill_file`; every
    /// skill is a prompt, which is its slash command. What changes in scope files
    /// and folders, also by `on` and `off`, is told within two seconds; what
    /// changes in the store of personal skills, with the next answer.
    ///
    /// The project is the first of the roots that the agent names, the others are
    /// attached folders; without roots, or with -C, it is found from the starting
    /// folder as everywhere.
    #[cfg(feature = "mcp")]
    #[command(after_long_help = "\
Examples:
  codeaf-skills mcp --print-config codex    what goes into the agent's file
  codeaf-skills mcp --allowed-skills 'pdf,review'
  codeaf-skills mcp --http 127.0.0.1:8931")]
    Mcp(Mcp),

    /// Keep skills of your own in a store
    ///
    /// A personal skill is one text that you keep, and that follows you: it lies
    /// in no folder, and no repository sees it. It obeys scopes as any other, and
    /// where a folder holds a skill of its name too, they are called personal/NAME
    /// and workspace/NAME.
    ///
    /// The store is a SQLite file, or a PostgreSQL database for a team. Personal
    /// skills are not secret: administrators of a team's store may read them, and
    /// the store's audit keeps the raw text of every change.
    #[command(after_long_help = "\
Examples:
  codeaf-skills personal add house-style.md
  codeaf-skills on house-style --global
  codeaf-skills personal audit house-style")]
    Personal(Personal),

    /// Talk with a model that has your skills
    ///
    /// The reference engine: the catalog goes into the first message, the model
    /// gets the tools `skill`, `read` (files of the working folder and of loaded
    /// skills) and `manual`, and each use of a skill draws a row. A MESSAGE, or
    /// standard input, is answered once; without one, in a terminal, you talk:
    /// /help lists the commands, /NAME uses a skill yourself.
    ///
    /// The server speaks OpenAI's chat completions. The key is taken from
    /// OPENAI_API_KEY. The conversation is kept in the folder that --conversation
    /// names, which is made if it is not there; without the flag, in a new one
    /// under ~/.codeaf/v3/projects.
    #[cfg(feature = "chat")]
    #[command(after_long_help = "\
Examples:
  codeaf-skills chat --base-url http://127.0.0.1:8080/v1 --model local
  codeaf-skills chat --model gpt-5 --conversation talk 'What is in a.pdf?'
  codeaf-skills chat --model gpt-5 --no-skills < question.txt")]
    Chat(Chat),

    /// Make a starter skill
    ///
    /// Makes the folder NAME with a SKILL.md that loads, in the working folder,
    /// or under .agents/skills of the project or of home.
    #[command(after_long_help = "\
Examples:
  codeaf-skills new pdf-processing --project
  codeaf-skills new pdf-processing --global")]
    New(New),

    /// Print the script that completes commands and skill names
    #[command(after_long_help = "\
Examples:
  source <(codeaf-skills completions bash)    in ~/.bashrc
  source <(codeaf-skills completions zsh)     in ~/.zshrc, after compinit
  codeaf-skills completions fish | source     in ~/.config/fish/config.fish")]
    Completions(Completions),

    /// Print the manual, or the page of one command
    ///
    /// As a man page: `codeaf-skills man list | man -l -` shows it.
    Man(Man),
}

// Which scope is written. A doc comment would be taken for the command's.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// Write the global scope: ~/.codeaf/skills.json
    #[arg(long, conflicts_with = "project")]
    pub(crate) global: bool,

    /// Write the project scope: .codeaf/skills.json of the project
    #[arg(long)]
    pub(crate) project: bool,

    /// Show the edit as a diff and write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Decide {
    /// Names, aliases such as personal/review, or patterns
    #[arg(value_name = "NAME", required = true, add = ArgValueCompleter::new(complete::skills))]
    pub(crate) names: Vec<String>,

    #[command(flatten)]
    pub(crate) target: Target,

    /// Store names that no skill bears
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Clear {
    /// Names or patterns of the scope file
    #[arg(value_name = "NAME", value_parser = name, required_unless_present = "missing", add = ArgValueCompleter::new(complete::decided))]
    pub(crate) names: Vec<String>,

    /// Take back every name that no skill bears
    ///
    /// Looked at is what `list` looks at from here: a skill of another project,
    /// or of a folder below, counts as missing. See with -n first.
    #[arg(long, conflicts_with = "names")]
    pub(crate) missing: bool,

    #[command(flatten)]
    pub(crate) target: Target,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only skills whose name matches; * and ? are wild
    ///
    /// A pattern without a slash is held against the bare name, one with a slash
    /// against the qualified one: `personal/*`.
    #[arg(value_name = "PATTERN", add = ArgValueCompleter::new(complete::skills))]
    pub(crate) pattern: Option<String>,

    /// Only skills that are on
    #[arg(long, group = "which")]
    pub(crate) on: bool,

    /// Only skills that are off
    #[arg(long, group = "which")]
    pub(crate) off: bool,

    /// Only what could not be taken
    #[arg(long, group = "which")]
    pub(crate) broken: bool,

    /// Only copies whose name an earlier copy owns
    #[arg(long, group = "which")]
    pub(crate) shadowed: bool,

    /// Print names alone, one a line
    #[arg(long, conflicts_with = "json")]
    pub(crate) names: bool,

    /// Look as another agent does: its folders, its order, its bounds
    ///
    /// What does not load there is said in the words of that agent, as far as
    /// they are known. Whether a skill is on is still what our scopes say of its
    /// name. Folders of --skills-dir, CODEAF_SKILLS_PATH and --folder are looked
    /// at too. codeaf, unless given.
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// A name, an alias, or the path of a skill's folder
    #[arg(value_name = "NAME|PATH", value_parser = name, add = ArgValueCompleter::new(complete::skills))]
    pub(crate) skill: String,

    /// Print the body of SKILL.md alone
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Args)]
pub(crate) struct OneSkill {
    /// A name or an alias
    #[arg(value_name = "NAME", value_parser = name, add = ArgValueCompleter::new(complete::skills))]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct RenderCatalog {
    /// The form of the catalog; --json means json
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<CatalogFormat>,

    /// Cut descriptions until the whole text has at most N characters
    ///
    /// Every name stays; descriptions over one common length are cut there, and
    /// standard error says how many. If even the names don't fit, that is an
    /// error which names the smallest N.
    #[arg(long, value_name = "N")]
    pub(crate) max_chars: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CatalogFormat {
    /// As in the first message of a conversation
    Text,
    /// The `<available_skills>` form of the client guide
    Xml,
    /// One JSON object
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Use {
    /// A name or an alias
    #[arg(value_name = "NAME", value_parser = name, add = ArgValueCompleter::new(complete::skills))]
    pub(crate) name: String,

    /// What you want done, in your own words
    ///
    /// Words that begin with a hyphen stand after `--`.
    #[arg(value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<String>,

    /// The form of another system
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<UseProfile>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UseProfile {
    /// Our own
    Codeaf,
    /// name, description, source, arguments, instructions
    Albedo,
    /// name, dir, body, files
    Coder,
    /// ok, error, data
    Vbot,
}

#[derive(Debug, Args)]
pub(crate) struct Read {
    /// A name or an alias
    #[arg(value_name = "NAME", value_parser = name, add = ArgValueCompleter::new(complete::skills))]
    pub(crate) name: String,

    /// The file, relative to the skill's folder
    #[arg(value_name = "RESOURCE", default_value = "SKILL.md", add = ArgValueCompleter::new(complete::resources))]
    pub(crate) resource: String,

    /// Begin at this byte
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u64,

    /// Read at most this many bytes, 1 to 65,536
    #[arg(long, value_name = "N", value_parser = page_bytes())]
    pub(crate) limit: Option<usize>,
}

/// Takes a name as it is typed, but for a URL: a store that lacks its flag, which
/// is not to be said again with its password.
fn name(text: &str) -> Result<String, &'static str> {
    if text.contains("://") {
        return Err("a URL is not the name of a skill; `--store URL` names a store");
    }
    Ok(text.to_owned())
}

/// Understands the number of bytes that a page may have.
fn page_bytes() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=Limits::DEFAULT.page_bytes_max as u64)
}

#[derive(Debug, Args)]
pub(crate) struct Commands {
    /// The names that built-in commands of the host own, with commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) reserved: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Skill folders, folders of skills, repositories, SKILL.md files
    ///
    /// With -, the paths are read from standard input: one a line, or with NULs
    /// between them.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// Whose rules count: spec, the specification, unless given (repeatable)
    ///
    /// `all` stands for every profile. What several say of one place is told
    /// once, as the strictest has it.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) profile: Vec<String>,

    /// Exit with 1 on warnings, too
    #[arg(long)]
    pub(crate) strict: bool,

    /// Make findings of RULE errors (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',', add = ArgValueCompleter::new(complete::rules))]
    pub(crate) deny: Vec<String>,

    /// Make findings of RULE warnings (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',', add = ArgValueCompleter::new(complete::rules))]
    pub(crate) warn: Vec<String>,

    /// Leave findings of RULE out (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',', add = ArgValueCompleter::new(complete::rules))]
    pub(crate) allow: Vec<String>,

    /// Leave out the findings that FILE has from before
    ///
    /// `check --format baseline > FILE` writes it. A finding is known by its
    /// file, its rule and the text of its line, so lines may move.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) baseline: Option<PathBuf>,

    /// Mend what has one right answer, then check what is left
    ///
    /// Quotes values, strips a byte-order mark, makes line ends one kind, renames
    /// skill.md; no field's value changes. With `unknown-keys`, fields outside
    /// the specification move under `metadata` as well; an agent that acts on
    /// such a field no longer finds it there.
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "usual")]
    pub(crate) fix: Option<Mending>,

    /// With --fix: show the edits as a diff and write nothing
    ///
    /// Nothing is judged: the exit status is 1 where a file cannot be mended or
    /// there is no skill.
    #[arg(short = 'n', long, requires = "fix", conflicts_with = "format")]
    pub(crate) dry_run: bool,

    /// Tell what a rule is about, with examples; without one, list them all
    #[arg(long, value_name = "RULE", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["paths", "strict", "format", "fix", "baseline"], add = ArgValueCompleter::new(complete::rules))]
    pub(crate) explain: Option<String>,

    /// The form of the answer; --json means json
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<CheckFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mending {
    /// What has one right answer
    Usual,
    /// That, and fields outside the specification
    UnknownKeys,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people: place, rule, message, the line with a caret
    Text,
    /// Annotations of GitHub Actions
    Github,
    /// SARIF 2.1.0, as code scanning takes it
    Sarif,
    /// One JSON object
    Json,
    /// All findings of today, for a file that --baseline names
    Baseline,
}

#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Serve over HTTP at http://ADDRESS/mcp instead
    ///
    /// ADDRESS is 127.0.0.1:PORT, [::1]:PORT or localhost:PORT; port 0 takes a
    /// free one, which standard error names. Requests that name another host, or
    /// that a page of another site makes, are refused. Each request stands alone:
    /// there are no sessions, and a skill is given anew each time.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<String>,

    /// With --http: listen where other machines can reach it
    ///
    /// Whoever reaches the port can read your skills; there is no password.
    #[arg(long, requires = "http")]
    pub(crate) allow_remote: bool,

    /// With --http: a name by which clients call this machine (repeatable)
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,

    /// Print what tells AGENT to start this server, and end
    #[arg(long, value_name = "AGENT", conflicts_with = "http")]
    pub(crate) print_config: Option<crate::mcp::Agent>,
}

#[cfg(feature = "chat")]
#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// What to say; - or nothing: standard input, or a talk in a terminal
    ///
    /// With a MESSAGE standard input is not read. With --json the answer is one
    /// object, and nothing streams.
    #[arg(value_name = "MESSAGE")]
    pub(crate) message: Option<String>,

    /// The address of the server, up to /v1
    ///
    /// One that ends in /chat/completions will do. Without the flag, OPENAI_BASE_URL; without both, OpenAI's own.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// The model that answers; OPENAI_MODEL without the flag
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// Put the text of FILE into the first message
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) standing: Option<PathBuf>,

    /// Talk without any skills: no catalog, tool, commands or files of them
    #[arg(long)]
    pub(crate) no_skills: bool,

    /// Limit which tools the model gets: names with commas, or *
    ///
    /// skill, read, manual. Not given or `*` allows all, an empty list none.
    /// What --allowed-skills says of skills is another matter.
    #[arg(long, value_name = "LIST")]
    pub(crate) allowed_tools: Option<String>,

    /// Compact the conversation at about N tokens; 100,000 unless given
    ///
    /// A token is counted as four characters. The model writes a summary of all
    /// but the latest turns; loaded skills are put back word for word.
    #[arg(long, value_name = "N", value_parser = context_tokens)]
    pub(crate) context_tokens: Option<usize>,
}

/// Reads a budget of tokens; fewer could not hold the first message.
#[cfg(feature = "chat")]
fn context_tokens(text: &str) -> Result<usize, String> {
    const FEWEST: usize = 500;
    match text.parse() {
        Ok(tokens) if tokens >= FEWEST => Ok(tokens),
        _ => Err(format!("a whole number from {FEWEST}")),
    }
}

#[derive(Debug, Args)]
pub(crate) struct Personal {
    #[command(subcommand)]
    pub(crate) command: PersonalCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PersonalCommand {
    /// Put a new skill into the store
    ///
    /// FILE is a SKILL.md of any name, `-` standard input. It needs a `name` of
    /// lower-case letters, digits and single hyphens (256 bytes), may have a
    /// `description` (4,096 bytes), and must have instructions below; the whole
    /// has at most 65,536 bytes, and a user at most 100 skills. A new skill is
    /// off.
    ///
    /// A SQLite store that is not there is made, with the folders that are
    /// missing, for you alone. One that another program holds is waited for, up
    /// to 30 seconds.
    #[command(after_long_help = "\
Examples:
  codeaf-skills personal add house-style.md
  codeaf-skills personal add - < house-style.md")]
    Add {
        /// The text, or - for standard input
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },

    /// Put another text in the place of a skill's
    ///
    /// The name in the text must be NAME: a skill cannot be renamed. To have it
    /// under another name, add it there and remove the old one.
    Replace {
        /// The skill
        #[arg(value_name = "NAME", add = ArgValueCompleter::new(complete::personal))]
        name: String,
        /// The text, or - for standard input
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },

    /// List your personal skills
    List,

    /// Show a personal skill as the model would get it
    Show {
        /// The skill
        #[arg(value_name = "NAME", add = ArgValueCompleter::new(complete::personal))]
        name: String,
        /// Print the text as it is stored, frontmatter and comments included
        #[arg(long)]
        raw: bool,
    },

    /// Remove a personal skill
    Rm {
        /// The skill
        #[arg(value_name = "NAME", add = ArgValueCompleter::new(complete::personal))]
        name: String,
    },

    /// Print what was changed, by whom and when
    ///
    /// A record for each skill that was added, replaced or removed, with the
    /// difference of the raw texts, the oldest first. The store keeps every text
    /// that ever stood in a skill, also after the skill was removed.
    Audit {
        /// Only what was changed in this skill
        #[arg(value_name = "NAME", add = ArgValueCompleter::new(complete::personal))]
        name: Option<String>,
    },

    /// Write each skill as DIR/NAME/SKILL.md
    ///
    /// For programs that know folders only. Nothing is kept in step: what is
    /// written is a copy of now.
    Export {
        /// Where to
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        dir: PathBuf,
        /// Replace the SKILL.md of folders that are there
        #[arg(long)]
        force: bool,
    },

    /// Look after the skills of another user of a PostgreSQL store
    ///
    /// For members of the role codeaf_skills_admin: they may list, read and
    /// remove the skills of others, and never write them. To everybody else the
    /// skills of others are not there.
    #[command(after_long_help = "\
Examples:
  codeaf-skills personal admin --user alice list
  codeaf-skills personal admin --user alice show review --raw")]
    Admin {
        /// The user, who is a role of the database
        #[arg(long, value_name = "NAME")]
        user: String,
        #[command(subcommand)]
        command: AdminCommand,
    },

    /// Print the SQL that sets up a PostgreSQL store
    ///
    /// Tables, rules, roles and rights, for the owner of the database to run
    /// once; its first lines say how.
    InitTeam,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// List the user's skills
    List,
    /// Show a skill of the user
    Show {
        /// The skill
        #[arg(value_name = "NAME")]
        name: String,
        /// Print the text as it is stored
        #[arg(long)]
        raw: bool,
    },
    /// Remove a skill of the user
    Rm {
        /// The skill
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The skill's name: a-z, 0-9 and single hyphens, at most 64 characters
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// Make it under .agents/skills of the project
    #[arg(long, conflicts_with = "global")]
    pub(crate) project: bool,

    /// Make it under ~/.agents/skills
    #[arg(long)]
    pub(crate) global: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command whose page is printed
    #[arg(value_name = "COMMAND", add = ArgValueCompleter::new(complete::commands))]
    pub(crate) command: Option<String>,
}
