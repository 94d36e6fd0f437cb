//! Personal skills on a real PostgreSQL server, which the tests start: the
//! rules that it holds itself, the rights of real roles, connections that break.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use codeaf_skills::Limits;
use postgres::{Client, NoTls};

use crate::sandbox::{Output, Sandbox};

const SKILLS: &str = "codeaf_skills.personal_skills";
const AUDIT: &str = "codeaf_skills.personal_skill_audit";

/// A server that ends with this process, and is removed then.
struct Server {
    folder: PathBuf,
    /// Where it also listens on this machine, with a certificate for `localhost`.
    port: u16,
}

/// Where Debian's package and others put the programs, the latest first.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    let search = std::env::var_os("PATH").unwrap_or_default();
    folders.splice(0..0, std::env::split_paths(&search));
    folders
        .into_iter()
        .rev()
        .find(|folder| folder.join("initdb").is_file())
}

#[expect(
    clippy::print_stderr,
    reason = "a person must see that tests were passed over"
)]
fn tell_passed_over() {
    eprintln!("passed over: PostgreSQL is not installed (Debian: postgresql)");
}

/// The server of all tests here; `None`, with a message, where PostgreSQL is not
/// installed. A run of the project's gates must have it.
fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    let server = SERVER.get_or_init(|| Some(Server::start(&programs()?)));
    if server.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "PostgreSQL is not installed"
        );
        tell_passed_over();
    }
    server.as_ref()
}

/// Somebody who may run a server: it refuses the superuser.
fn ordinary_user() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let accounts = fs::read_to_string("/etc/passwd").unwrap();
    let ids = |name: &str| {
        let account = accounts
            .lines()
            .find(|line| line.starts_with(&format!("{name}:")))?;
        let mut fields = account.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    Some(ids("postgres").or_else(|| ids("nobody")).unwrap())
}

impl Server {
    fn start(programs: &Path) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("pg-")
            .tempdir_in("/tmp")
            .unwrap()
            .keep();
        let user = ordinary_user();
        if let Some((user, group)) = user {
            chown(&folder, Some(user), Some(group)).unwrap();
        }
        // The shell ends the server when its input ends, which is when this
        // process does.
        // Free at this moment; a socket in the folder is what most tests use.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let script = "
            cd \"$2\" || exit 1
            key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'
            authority() {
                openssl req -x509 $key -subj \"/CN=$1\" -keyout \"$1.key\" -out \"$1.crt\"
            }
            certificates() {
                authority ca && authority other || return 1
                openssl req $key -subj /CN=localhost -keyout server.key -out server.csr || return 1
                echo subjectAltName=DNS:localhost >server.ext
                openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \
                    -extfile server.ext -out server.crt && chmod 600 server.key
            }
            certificates 2>>log && ssl=on || ssl=off
            \"$1/initdb\" -D \"$2/data\" -A trust -U postgres --no-sync >\"$2/log\" 2>&1 || exit 1
            \"$1/postgres\" -D \"$2/data\" -k \"$2\" -p \"$3\" \
                -c listen_addresses=127.0.0.1 -c fsync=off -c ssl=$ssl \
                -c ssl_cert_file=\"$2/server.crt\" -c ssl_key_file=\"$2/server.key\" \
                -c max_connections=60 >>\"$2/log\" 2>&1 &
            read -r _
            kill -QUIT $!
            wait
            rm -rf \"$2\"
        ";
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", script, "sh"])
            .arg(programs)
            .arg(&folder)
            .arg(port.to_string())
            .current_dir("/tmp");
        command.env("LC_ALL", "C.UTF-8").stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        if let Some((user, group)) = user {
            command.gid(group).uid(user);
        }
        let shell = command.spawn().unwrap();
        // Never closed before the process ends.
        std::mem::forget(shell);
        let server = Self { folder, port };
        let until = Instant::now() + Duration::from_secs(60);
        let mut client = loop {
            match Client::connect(&server.url("postgres", "postgres"), NoTls) {
                Ok(client) => break client,
                Err(error) if Instant::now() > until => {
                    let log = fs::read_to_string(server.folder.join("log"));
                    panic!(
                        "the server did not start: {error}\n{}",
                        log.unwrap_or_default()
                    );
                }
                Err(_) => thread::sleep(Duration::from_millis(50)),
            }
        };
        let roles = "
            CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE carol LOGIN;
            CREATE ROLE dave LOGIN; CREATE ROLE erin LOGIN; GRANT alice TO erin;
            CREATE ROLE mallory LOGIN; CREATE ROLE owner LOGIN CREATEROLE;";
        client.batch_execute(roles).unwrap();
        server
    }

    fn url(&self, user: &str, database: &str) -> String {
        format!(
            "postgres:///{database}?host={}&port={}&user={user}",
            self.folder.display(),
            self.port
        )
    }
}

/// A database of its own for each test, set up by its owner, who is no
/// superuser.
struct Team {
    server: &'static Server,
    database: String,
    sandbox: Sandbox,
}

impl Team {
    /// Alice and Bob keep skills, Carol looks after them, Dave does both, Erin is
    /// one of Alice's, Mallory is let in nowhere.
    fn new() -> Option<Self> {
        let team = Self::empty()?;
        let sql = team.sandbox.run(["personal", "init-team"]).success().stdout;
        team.client("owner").batch_execute(&sql).unwrap();
        let rights = "
            GRANT codeaf_skills_user TO alice, bob, dave;
            GRANT codeaf_skills_admin TO carol, dave;";
        team.client("postgres").batch_execute(rights).unwrap();
        Some(team)
    }

    fn empty() -> Option<Self> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let server = server()?;
        let team = Self {
            server,
            database: format!("team{}", NUMBER.fetch_add(1, Ordering::Relaxed)),
            sandbox: Sandbox::new().home_skill("pdf", "Reads PDF files."),
        };
        let create = format!("CREATE DATABASE {} OWNER owner", team.database);
        let mut client = Client::connect(&server.url("postgres", "postgres"), NoTls).unwrap();
        client.batch_execute(&create).unwrap();
        Some(team)
    }

    fn url(&self, user: &str) -> String {
        self.server.url(user, &self.database)
    }

    /// A client that knows nothing of this program.
    fn client(&self, user: &str) -> Client {
        Client::connect(&self.url(user), NoTls).unwrap()
    }

    fn run(&self, user: &str, words: &[&str]) -> Output {
        let url = self.url(user);
        let words = ["--store", &url].into_iter().chain(words.iter().copied());
        self.sandbox.run(words)
    }

    fn add(&self, user: &str, name: &str, body: &str) -> Output {
        self.sandbox.write("project/skill.md", text(name, body));
        self.run(user, &["personal", "add", "skill.md"])
    }

    fn fill(&self, user: &str, count: i64) {
        let insert = "
            INSERT INTO codeaf_skills.personal_skills (name, content)
            SELECT 'filler-' || n, 'x' FROM generate_series(1, $1::bigint) AS n";
        self.client(user).execute(insert, &[&count]).unwrap();
    }
}

fn text(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}.\n---\n{body}\n")
}

/// What a server says to a client of its own.
fn refusal(client: &mut Client, statement: &str) -> String {
    let error = client.execute(statement, &[]).unwrap_err();
    let error = error.as_db_error().unwrap();
    format!(
        "{} {}",
        error.code().code(),
        error.constraint().unwrap_or_default()
    )
}

#[test]
fn a_skill_lives_its_life_on_a_server() {
    let Some(team) = Team::new() else { return };

    team.add("alice", "review", "Be kind. <!-- c -->")
        .success()
        .has(&["added review"]);
    team.add("alice", "review", "Again.")
        .refused()
        .has(&["there is a personal skill `review` already"]);
    team.run("alice", &["list"])
        .success()
        .has(&["review", "personal", "pdf"]);
    team.run("alice", &["use", "review"])
        .success()
        .has(&["<skill name=\"review\">\nBe kind.\n</skill>"]);
    team.sandbox
        .write("project/skill.md", text("review", "Be strict."));
    team.run("alice", &["personal", "replace", "review", "skill.md"])
        .success();
    team.run("alice", &["personal", "replace", "review", "skill.md"])
        .success()
        .has(&["is the same already"]);
    team.run("alice", &["personal", "rm", "review"]).success();
    team.run("alice", &["personal", "rm", "review"])
        .refused()
        .has(&["no personal skill is called `review`"]);
    let audit = team
        .run("alice", &["personal", "audit", "--json"])
        .success()
        .json();
    let actions: Vec<_> = audit["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["action"].clone())
        .collect();
    assert_eq!(actions, ["add", "replace", "remove"]);
    assert!(
        audit["records"][1]["diff"]
            .as_str()
            .unwrap()
            .contains("-Be kind. <!-- c -->\n+Be strict.\n")
    );
}

#[test]
fn each_sees_what_the_rights_say() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "review", "Alice's.").success();
    team.add("bob", "review", "Bob's.").success();
    let of_alice = |user: &str, words: &[&str]| {
        let words = ["personal", "admin", "--user", "alice"].iter().chain(words);
        team.run(user, &words.copied().collect::<Vec<_>>())
    };

    team.run("bob", &["personal", "show", "review"])
        .success()
        .has(&["Bob's."]);
    of_alice("bob", &["list"]).refused().has(&[
        "the store shows the skills of others to its administrators alone\n",
        "help: let the owner of the database grant you the role codeaf_skills_admin\n",
    ]);
    let failed = of_alice("bob", &["list", "--json"]).refused();
    assert_eq!(failed.error_json()["error"]["code"], "store-not-allowed");
    team.run("bob", &["personal", "admin", "--user", "bob", "list"])
        .success()
        .has(&["review"]);
    of_alice("bob", &["show", "review"])
        .refused()
        .has(&["no personal skill is called `review`"]);
    of_alice("bob", &["rm", "review"])
        .refused()
        .has(&["no personal skill is called `review`"]);
    team.run("bob", &["personal", "audit"])
        .success()
        .lacks(&["Alice's."]);
    of_alice("carol", &["list"]).success().has(&["review"]);
    of_alice("carol", &["show", "review"])
        .success()
        .has(&["Alice's."]);
    team.add("carol", "own", "Carol's.")
        .refused()
        .has(&["the store refuses"]);
    of_alice("carol", &["rm", "review"]).success();
    team.run("alice", &["personal", "list"])
        .success()
        .has(&["there are no personal skills here"]);
    let audit = team.run("alice", &["personal", "audit", "--json"]).json();
    let last = &audit["records"][1];
    assert_eq!(
        (&last["actor"], &last["owner"]),
        (&"carol".into(), &"alice".into())
    );
    team.run("mallory", &["personal", "list"])
        .refused()
        .has(&["the store refuses: permission denied"]);
    team.run("mallory", &["list"])
        .success()
        .has(&["pdf", "personal skills are unknown"]);
}

#[test]
fn the_server_holds_the_rights_against_any_client() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "review", "Alice's.").success();
    let (mut bob, mut carol) = (team.client("bob"), team.client("carol"));

    for statement in [
        format!("UPDATE {SKILLS} SET content = 'x'"),
        format!("INSERT INTO {SKILLS} (name, content) VALUES ('x', 'x')"),
    ] {
        assert_eq!(refusal(&mut carol, &statement), "42501 ", "{statement}");
    }
    for statement in [
        format!("INSERT INTO {SKILLS} (owner, name, content) VALUES ('alice', 'x', 'x')"),
        format!("UPDATE {SKILLS} SET owner = 'bob'"),
        format!("UPDATE {SKILLS} SET name = 'other'"),
        format!("TRUNCATE {SKILLS}"),
        format!("TRUNCATE {AUDIT}"),
        format!("DELETE FROM {AUDIT}"),
        format!("UPDATE {AUDIT} SET actor = 'alice'"),
        format!(
            "INSERT INTO {AUDIT} (actor, owner, skill, action) VALUES ('alice', 'alice', 'x', 'add')"
        ),
        "UPDATE codeaf_skills.personal_skill_owners SET insertions = 0".to_owned(),
        "SELECT * FROM codeaf_skills.personal_skill_owners".to_owned(),
    ] {
        assert_eq!(refusal(&mut bob, &statement), "42501 ", "{statement}");
    }
    let touched = |client: &mut Client, statement: String| client.execute(&statement, &[]).unwrap();
    assert_eq!(
        touched(&mut bob, format!("UPDATE {SKILLS} SET content = 'x'")),
        0
    );
    assert_eq!(touched(&mut bob, format!("DELETE FROM {SKILLS}")), 0);
    assert_eq!(touched(&mut bob, format!("SELECT * FROM {SKILLS}")), 0);
    assert_eq!(touched(&mut bob, format!("SELECT * FROM {AUDIT}")), 0);
    // Not even the owner of the tables changes what was written down.
    let mut owner = team.client("owner");
    for statement in [
        format!("DELETE FROM {AUDIT}"),
        format!("TRUNCATE {AUDIT}"),
        format!("TRUNCATE {SKILLS}"),
    ] {
        assert_eq!(refusal(&mut owner, &statement), "42501 ", "{statement}");
    }
    // Whatever client makes a change, it is in the audit under the true name.
    bob.execute(
        &format!("INSERT INTO {SKILLS} (name, content) VALUES ('x', 'x')"),
        &[],
    )
    .unwrap();
    let row = bob
        .query_one(&format!("SELECT actor, owner, action FROM {AUDIT}"), &[])
        .unwrap();
    assert_eq!((row.get(0), row.get(1), row.get(2)), ("bob", "bob", "add"));
}

#[test]
fn no_statement_of_a_user_reaches_past_the_own_rows() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "review", "Alice's.").success();
    team.add("bob", "own", "Bob's.").success();

    for statement in [
        format!("INSERT INTO {SKILLS} (name, content, version) VALUES ('x', 'x', 7)"),
        format!("INSERT INTO {SKILLS} (name, content, created_at) VALUES ('x', 'x', now())"),
        format!("UPDATE {SKILLS} SET (content, owner) = ('x', 'alice')"),
        format!("UPDATE {SKILLS} SET version = 7"),
        format!(
            "INSERT INTO {SKILLS} (name, content) VALUES ('own', 'x')
             ON CONFLICT (owner, name) DO UPDATE SET owner = 'alice'"
        ),
        format!(
            "MERGE INTO {SKILLS} AS s USING (SELECT 1) AS one ON s.name = 'own'
             WHEN MATCHED THEN UPDATE SET owner = 'alice'"
        ),
        format!("ALTER TABLE {SKILLS} DISABLE ROW LEVEL SECURITY"),
        format!("ALTER TABLE {SKILLS} DISABLE TRIGGER ALL"),
        format!("ALTER TABLE {AUDIT} DISABLE TRIGGER ALL"),
        format!("DROP TABLE {AUDIT}"),
        format!("DROP POLICY own_rows ON {SKILLS}"),
        format!("CREATE POLICY mine ON {SKILLS} USING (true)"),
        format!("CREATE RULE mine AS ON INSERT TO {SKILLS} DO INSTEAD NOTHING"),
        format!("COPY {AUDIT} FROM PROGRAM 'true'"),
        "CREATE TABLE codeaf_skills.mine (x int)".to_owned(),
        "CREATE FUNCTION codeaf_skills.hold_limit(int) RETURNS int LANGUAGE sql AS 'SELECT 1'"
            .to_owned(),
        "SELECT setval('codeaf_skills.personal_skill_audit_id_seq', 1)".to_owned(),
        "SELECT nextval('codeaf_skills.personal_skills_id_seq')".to_owned(),
        "UPDATE codeaf_skills.schema_version SET version = 9".to_owned(),
        "SET session_replication_role = replica".to_owned(),
        "SET SESSION AUTHORIZATION alice".to_owned(),
        "SET ROLE alice".to_owned(),
        "SET ROLE owner".to_owned(),
    ] {
        for user in ["bob", "dave"] {
            let found = refusal(&mut team.client(user), &statement);
            assert_eq!(found, "42501 ", "{user}: {statement}");
        }
    }
    // Who looks after skills and keeps some still writes none of others.
    let mut dave = team.client("dave");
    let update = format!("UPDATE {SKILLS} SET content = 'x'");
    assert_eq!(dave.execute(&update, &[]).unwrap(), 0);
    let locked = format!("SELECT id FROM {SKILLS} FOR UPDATE");
    assert!(dave.query(&locked, &[]).unwrap().is_empty());
}

/// The functions that the rules run with the rights of the tables' owner.
#[test]
fn no_function_of_the_rules_can_be_borrowed() {
    let Some(team) = Team::new() else { return };

    for user in ["bob", "carol", "mallory"] {
        let mut client = team.client(user);
        let mine = "CREATE TEMPORARY TABLE mine (owner text, name text, content bytea)";
        client.batch_execute(mine).unwrap();
        for function in ["hold_limit", "hold_identity", "write_down", "refuse"] {
            let trigger = format!(
                "CREATE TRIGGER mine AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION codeaf_skills.{function}()"
            );
            assert_eq!(refusal(&mut client, &trigger), "42501 ", "{user} {trigger}");
        }
    }
}

#[test]
fn copies_and_settings_show_no_more_than_a_question() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "review", "Alice's.").success();
    let mut bob = team.client("bob");
    let copied = |client: &mut Client, table: &str| {
        let mut text = String::new();
        let copy = format!("COPY {table} TO STDOUT");
        let mut reader = client.copy_out(&copy).unwrap();
        reader.read_to_string(&mut text).unwrap();
        text
    };

    assert_eq!(copied(&mut bob, SKILLS), "");
    assert_eq!(copied(&mut bob, AUDIT), "");
    let copy = format!("COPY {SKILLS} (name, content) FROM STDIN");
    let refused = team.client("bob").copy_in(&copy).err().unwrap();
    assert_eq!(refused.code().unwrap().code(), "0A000");
    bob.batch_execute("SET row_security = off").unwrap();
    let all = format!("SELECT * FROM {SKILLS}");
    assert_eq!(refusal(&mut bob, &all), "42501 ");

    let mut mallory = team.client("mallory");
    for table in [SKILLS, AUDIT, "codeaf_skills.schema_version"] {
        let all = format!("SELECT * FROM {table}");
        assert_eq!(refusal(&mut mallory, &all), "42501 ");
    }
    let statistics = "SELECT count(*) FROM pg_stats WHERE schemaname = 'codeaf_skills' AND tablename <> 'schema_version'";
    team.client("postgres").batch_execute("ANALYZE").unwrap();
    for client in [&mut bob, &mut mallory] {
        let known = client.query_one(statistics, &[]).unwrap();
        assert_eq!(known.get::<_, i64>(0), 0);
    }
}

#[test]
fn a_role_that_was_taken_on_forges_no_name() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "review", "Alice's.").success();

    let mut erin = team.client("erin");
    erin.batch_execute("SET ROLE alice; SET search_path = pg_temp; SET codeaf.actor = 'alice'")
        .unwrap();
    let insert = format!("INSERT INTO {SKILLS} (name, content) VALUES ('x', 'x')");
    erin.execute(&insert, &[]).unwrap();

    let rows = erin
        .query(&format!("SELECT actor, owner FROM {AUDIT}"), &[])
        .unwrap();
    let rows: Vec<(String, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(rows, [("erin".to_owned(), "erin".to_owned())]);
}

/// Before version 15 everybody may make operators in `public`, where a question
/// of ours must not find them.
#[test]
fn what_somebody_puts_into_public_is_never_called() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "review", "Alice's.").success();
    let trap = "
        CREATE TABLE public.called (what text);
        GRANT ALL ON public.called TO PUBLIC;
        CREATE FUNCTION public.trap(bigint, text) RETURNS text LANGUAGE plpgsql
            AS $$ BEGIN INSERT INTO public.called VALUES ('||'); RETURN 'x'; END $$;
        CREATE OPERATOR public.|| (LEFTARG = bigint, RIGHTARG = text, FUNCTION = public.trap);
        CREATE FUNCTION public.trap(text, bigint) RETURNS text LANGUAGE plpgsql
            AS $$ BEGIN INSERT INTO public.called VALUES ('||'); RETURN 'x'; END $$;
        CREATE OPERATOR public.|| (LEFTARG = text, RIGHTARG = bigint, FUNCTION = public.trap);
        CREATE FUNCTION public.trap(text, name) RETURNS boolean LANGUAGE plpgsql
            AS $$ BEGIN INSERT INTO public.called VALUES ('='); RETURN true; END $$;
        CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = name, FUNCTION = public.trap);
        CREATE FUNCTION public.to_char(timestamp, varchar) RETURNS text LANGUAGE plpgsql
            AS $$ BEGIN INSERT INTO public.called VALUES ('to_char'); RETURN 'x'; END $$;
        CREATE FUNCTION public.octet_length(varchar) RETURNS integer LANGUAGE plpgsql
            AS $$ BEGIN INSERT INTO public.called VALUES ('octet_length'); RETURN 1; END $$;";
    team.client("postgres").batch_execute(trap).unwrap();

    for words in [
        &["personal", "list"][..],
        &["personal", "show", "review"],
        &["personal", "audit"],
        &["personal", "rm", "review"],
    ] {
        team.run("alice", words).success();
    }
    team.add("alice", "other", "Alice's.").success();

    let called = "SELECT what FROM public.called";
    let called = team.client("postgres").query(called, &[]).unwrap();
    let called: Vec<String> = called.iter().map(|row| row.get(0)).collect();
    assert!(called.is_empty(), "{called:?}");
}

#[test]
fn the_server_holds_the_bounds_of_the_program() {
    let Some(team) = Team::new() else { return };
    let mut alice = team.client("alice");
    let mut insert = |name: &str, description: &str, content: usize| {
        let insert = "
            INSERT INTO codeaf_skills.personal_skills (name, description, content) VALUES ($1, $2, $3)";
        let inserted = alice.execute(insert, &[&name, &description, &vec![b'x'; content]]);
        inserted.map_err(|error| {
            error
                .as_db_error()
                .unwrap()
                .constraint()
                .unwrap()
                .to_owned()
        })
    };
    let name = "a".repeat(Limits::PERSONAL_NAME_BYTES);
    let description = "é".repeat(Limits::PERSONAL_DESCRIPTION_BYTES / 2);
    let most = Limits::PERSONAL_TEXT_BYTES;

    for (name, description, content, constraint) in [
        (
            format!("{name}a"),
            String::new(),
            1,
            "personal_skills_name_bytes",
        ),
        (
            "A".to_owned(),
            String::new(),
            1,
            "personal_skills_name_is_kebab",
        ),
        (
            "a\n".to_owned(),
            String::new(),
            1,
            "personal_skills_name_is_kebab",
        ),
        (
            "a--b".to_owned(),
            String::new(),
            1,
            "personal_skills_name_is_kebab",
        ),
        (
            "a".to_owned(),
            format!("{description}d"),
            1,
            "personal_skills_description_bytes",
        ),
        (
            "a".to_owned(),
            String::new(),
            most + 1,
            "personal_skills_content_bytes",
        ),
    ] {
        assert_eq!(
            insert(&name, &description, content).unwrap_err(),
            constraint
        );
    }
    insert(&name, &description, most).unwrap();
    assert_eq!(
        insert(&name, "", 1).unwrap_err(),
        "personal_skills_owner_name"
    );
    let most = i64::try_from(Limits::PERSONAL_SKILLS).unwrap();
    team.fill("alice", most - 1);
    assert_eq!(
        insert("b", "", 1).unwrap_err(),
        "personal_skills_per_user_limit"
    );
    team.add("alice", "b", "Body.")
        .refused()
        .has(&["there are 100 personal skills already"]);
    team.add("bob", "b", "Body.").success();
}

#[test]
fn of_eight_writers_one_gets_the_last_place() {
    let Some(team) = Team::new() else { return };
    team.fill("alice", 99);
    let url = team.url("alice");
    let mut writers = Vec::new();
    for number in 0..8 {
        let file = format!("{number}.md");
        team.sandbox.write(
            format!("project/{file}"),
            text(&format!("rival-{number}"), "Body."),
        );
        let mut command = team
            .sandbox
            .command(["--store", &url, "personal", "add", &file, "--json"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        writers.push(command.spawn().unwrap());
    }
    // Stricter isolations must not count more than there are, either.
    let strict: Vec<_> = ["REPEATABLE READ", "SERIALIZABLE"]
        .into_iter()
        .map(|isolation| {
            let mut client = team.client("alice");
            thread::spawn(move || {
                let begin = format!("BEGIN ISOLATION LEVEL {isolation}; SELECT count(*) FROM codeaf_skills.personal_skills;");
                client.batch_execute(&begin).unwrap();
                thread::sleep(Duration::from_millis(200));
                let insert = "INSERT INTO codeaf_skills.personal_skills (name, content) VALUES ('strict', 'x'); COMMIT";
                client.batch_execute(insert).is_ok()
            })
        })
        .collect();

    let ends: Vec<_> = writers
        .into_iter()
        .map(|writer| writer.wait_with_output().unwrap())
        .collect();
    let strict = strict
        .into_iter()
        .filter(|_| true)
        .map(|thread| thread.join().unwrap());
    let done = ends.iter().filter(|end| end.status.success()).count()
        + strict.filter(|done| *done).count();

    assert_eq!(done, 1, "{ends:?}");
    let count = "SELECT count(*) FROM codeaf_skills.personal_skills";
    let row = team.client("alice").query_one(count, &[]).unwrap();
    assert_eq!(row.get::<_, i64>(0), 100);
}

#[test]
fn a_database_that_nobody_set_up_says_so() {
    let Some(team) = Team::empty() else { return };

    team.run("alice", &["personal", "list"]).refused().has(&[
        "caused by: the database is not set up for personal skills",
        "help: let the owner of the database run what `codeaf-skills --store ",
        " personal init-team` prints",
    ]);
    team.run("alice", &["list"])
        .success()
        .has(&["pdf", "personal skills are unknown"]);
}

#[test]
fn a_user_or_a_database_that_the_server_does_not_know_is_not_tried_again() {
    let Some(team) = Team::empty() else { return };

    for url in [
        team.server.url("nobody-here", &team.database),
        team.server.url("alice", "nowhere"),
    ] {
        team.sandbox
            .run(["--store", &url, "personal", "list"])
            .refused()
            .has(&[
                "does not exist",
                "help: check the user, the password and the database in the URL",
            ]);
    }
}

#[test]
fn tables_of_a_later_version_are_refused() {
    let Some(team) = Team::new() else { return };
    let later = "INSERT INTO codeaf_skills.schema_version (version) VALUES (9)";
    team.client("owner").batch_execute(later).unwrap();
    let words = "the store has version 9, and this program knows versions up to 1";

    team.run("alice", &["list"]).success().has(&["pdf", words]);
    team.add("alice", "a", "Body.").refused().has(&[words]);
    let count = "SELECT count(*) FROM codeaf_skills.personal_skills";
    let row = team.client("postgres").query_one(count, &[]).unwrap();
    assert_eq!(row.get::<_, i64>(0), 0);
}

#[test]
fn setting_up_twice_changes_nothing() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "a", "Body.").success();
    let sql = team.sandbox.run(["personal", "init-team"]).success().stdout;

    assert!(team.client("owner").batch_execute(&sql).is_err());

    team.run("alice", &["personal", "show", "a"]).success();
}

#[test]
fn a_server_that_is_slow_holds_nobody_up() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "a", "Body.").success();
    let mut owner = team.client("owner");
    owner
        .batch_execute("BEGIN; LOCK TABLE codeaf_skills.personal_skills IN ACCESS EXCLUSIVE MODE")
        .unwrap();

    let started = Instant::now();
    team.run("alice", &["list"])
        .success()
        .has(&["pdf", "the store did not answer within 2 s"]);
    let waited = started.elapsed();

    assert!(waited < Duration::from_secs(8), "{waited:?}");
    owner.batch_execute("ROLLBACK").unwrap();
    team.run("alice", &["list"]).success().lacks(&["warning"]);
}

#[test]
fn an_address_where_nobody_speaks_is_left_after_two_seconds() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://alice@{}/x", silent.local_addr().unwrap());
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");

    let started = Instant::now();
    sandbox
        .run(["--store", &url, "list"])
        .success()
        .has(&["pdf", "did not answer within 2 s"]);
    assert!(started.elapsed() < Duration::from_secs(8));
}

#[test]
fn a_change_that_never_reached_a_server_was_not_taken() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("{}/x", silent.local_addr().unwrap());
    let url = format!("postgres://alice:geheim@{place}");
    let skill = "---\nname: a\ndescription: D.\n---\n\nBody.\n";
    let sandbox = Sandbox::new().file("project/a.md", skill);

    let failed = sandbox.run(["--store", &url, "personal", "add", "a.md", "--json"]);
    let error = &failed.refused().error_json()["error"];
    assert_eq!(error["code"], "store-unreachable");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("did not answer within"), "{message}");
}

#[test]
fn advice_names_the_server_without_its_password() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "a", "Body.").success();
    let file = "---\nname: a\ndescription: D.\n---\n\nBody.\n";
    team.sandbox.write("project/a.md", file);
    let (url, add) = (team.url("alice"), ["personal", "add", "a.md"]);
    let run = |url: &str| {
        team.sandbox
            .run(["--store", url].iter().chain(&add))
            .refused()
    };
    let said = format!(
        "`codeaf-skills --store '{url}' personal replace a FILE` puts another text in its place"
    );

    assert!(
        run(&url).stderr.ends_with(&format!("help: {said}\n")),
        "{}",
        run(&url).stderr
    );
    let output = run(&format!("{url}&password=geheim"));
    let lacks = " (give the password in PGPASSWORD)\n";
    assert!(
        output.stderr.ends_with(&format!("help: {said}{lacks}")),
        "{}",
        output.stderr
    );
}

#[test]
fn a_killed_connection_is_made_anew() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "a", "Body.").success();
    let mut env = codeaf_skills::Env::new(team.sandbox.path("project"));
    env.store = Some(codeaf_skills::StoreChoice::Url(codeaf_skills::Secret(
        team.url("alice"),
    )));
    let snapshot = codeaf_skills::Snapshot::load(&env).unwrap();

    for _ in 0..3 {
        let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'codeaf-skills' AND datname = current_database()";
        team.client("postgres").execute(kill, &[]).unwrap();
        let fresh = snapshot.with_fresh_personal();
        assert_eq!(fresh.personal_fault(), None);
        assert_eq!(fresh.skills().len(), 1);
    }
}

#[test]
fn a_password_is_shown_nowhere() {
    let sandbox = Sandbox::new();
    sandbox.write("project/skill.md", text("a", "Body."));
    for url in [
        "postgres://alice:geheim@127.0.0.1:1/x",
        "postgres://alice:ge@heim@127.0.0.1:1/x",
        "postgres://alice:geheim@127.0.0.1:99999/x",
        "postgres://alice:geheim@127.0.0.1:1/x?geheim=1",
        "postgres://127.0.0.1:1/x?password=geheim",
        "postgres://127.0.0.1:1/geheim/x?sslmode=geheim",
        "geheim://x",
    ] {
        for words in [
            &["list", "-v"][..],
            &["list", "--json"],
            &["why", "a"],
            &["personal", "list"],
            &["personal", "add", "skill.md", "--json"],
            &["--require-store", "list", "--json"],
        ] {
            let output = sandbox.run(["--store", url].iter().chain(words));
            if !url.contains("/geheim/") {
                output.lacks(&["geheim", "heim@"]);
            }
        }
        sandbox.write(
            "home/.codeaf/skills.json",
            format!("{{\"store\": \"{url}\"}}"),
        );
        if !url.contains("/geheim/") {
            sandbox.run(["why", "a"]).lacks(&["geheim", "heim@"]);
        }
    }
}

#[test]
fn a_password_may_come_from_the_variable() {
    let Some(team) = Team::new() else { return };
    // Who only trusts cannot tell; so look at what is sent.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut length = [0; 4];
        let mut read = |stream: &mut std::net::TcpStream| {
            stream.read_exact(&mut length).unwrap();
            let mut rest = vec![0; u32::from_be_bytes(length) as usize - 4];
            stream.read_exact(&mut rest).unwrap();
            rest
        };
        let mut startup = read(&mut stream);
        if startup == [4, 210, 22, 47] {
            stream.write_all(b"N").unwrap();
            startup = read(&mut stream);
        }
        assert!(startup.windows(5).any(|part| part == b"alice"));
        stream.write_all(b"R\0\0\0\x08\0\0\0\x03").unwrap();
        let mut kind = [0];
        stream.read_exact(&mut kind).unwrap();
        read(&mut stream)
    });
    let url = format!("postgres://alice@{address}/x");
    let variables = [("PGPASSWORD", "geheim".as_ref())];

    team.sandbox
        .run_with(&variables, ["--store", &url, "list"])
        .lacks(&["geheim"]);

    assert_eq!(asked.join().unwrap(), b"geheim\0");
}

#[test]
fn a_server_proves_who_it_is() {
    let Some(team) = Team::new() else { return };
    let folder = &team.server.folder;
    if !folder.join("server.crt").is_file() {
        return;
    }
    let url = |host: &str, options: &str| {
        let port = team.server.port;
        format!("postgres://alice@{host}:{port}/{}{options}", team.database)
    };
    let run = |certificate: &str, url: String| {
        let file = folder.join(certificate);
        let variables = [("PGSSLROOTCERT", file.as_os_str())];
        team.sandbox
            .run_with(&variables, ["--store", &url, "personal", "list"])
    };
    let require = "?sslmode=require";

    run("ca.crt", url("localhost", require)).success();
    run("other.crt", url("localhost", require))
        .refused()
        .has(&["invalid peer certificate"]);
    run("ca.crt", url("127.0.0.1", require))
        .refused()
        .has(&["invalid peer certificate"]);
    run("none.crt", url("localhost", require))
        .refused()
        .has(&["none.crt cannot be read"]);
    team.sandbox
        .run(["--store", &url("localhost", require), "personal", "list"])
        .refused();
    // What stays on this machine needs no proof.
    run("other.crt", url("localhost", "")).success();
    run("other.crt", url("localhost", "?sslmode=disable")).success();
    let who = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl";
    let mut plain = team.client("postgres");
    assert_eq!(plain.query_one(who, &[]).unwrap().get::<_, i64>(0), 0);
}

#[test]
fn a_write_that_is_killed_stores_all_or_nothing() {
    let Some(team) = Team::new() else { return };
    team.add("alice", "a", "Old.").success();
    let mut owner = team.client("owner");
    owner
        .batch_execute("BEGIN; LOCK TABLE codeaf_skills.personal_skills IN SHARE MODE")
        .unwrap();
    team.sandbox.write("project/skill.md", text("a", "New."));
    let mut command = team.sandbox.command([
        "--store",
        &team.url("alice"),
        "personal",
        "replace",
        "a",
        "skill.md",
    ]);
    let writer = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let waiting = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'codeaf-skills' AND datname = current_database() AND wait_event_type = 'Lock'";
    let mut postgres = team.client("postgres");
    let until = Instant::now() + Duration::from_secs(20);
    while postgres.execute(waiting, &[]).unwrap() == 0 {
        assert!(Instant::now() < until, "nobody waits");
        thread::sleep(Duration::from_millis(20));
    }

    let end = writer.wait_with_output().unwrap();
    owner.batch_execute("ROLLBACK").unwrap();

    assert_eq!(end.status.code(), Some(1), "{end:?}");
    team.run("alice", &["personal", "show", "a"])
        .success()
        .has(&["Old."]);
    let audit = team.run("alice", &["personal", "audit", "--json"]).json();
    assert_eq!(audit["records"].as_array().unwrap().len(), 1);
}

#[test]
fn names_and_texts_are_never_sql() {
    let Some(team) = Team::new() else { return };
    team.add(
        "alice",
        "a",
        "'; DROP TABLE codeaf_skills.personal_skills; --",
    )
    .success();

    for name in [
        "' OR '1'='1",
        "a'; DROP TABLE x; --",
        "\u{1b}[31m",
        "%",
        "*",
    ] {
        team.run("alice", &["personal", "show", "--", name])
            .refused();
        team.run("alice", &["personal", "rm", "--", name]).refused();
        team.run("alice", &["personal", "audit", "--", name])
            .success();
        team.run("carol", &["personal", "admin", "--user", name, "list"])
            .success();
    }
    team.run("alice", &["personal", "show", "a"])
        .success()
        .has(&["DROP TABLE"]);
}

#[test]
fn a_text_comes_back_as_it_was() {
    let Some(team) = Team::new() else { return };
    let text = text("a", "A\r\n\u{1}\u{202e}<!-- c -->\u{10ffff}  \r").into_bytes();
    team.sandbox.write("project/skill.md", &text);
    team.run("alice", &["personal", "add", "skill.md"])
        .success();

    team.run("alice", &["personal", "export", "out"]).success();

    assert!(fs::read(team.sandbox.path("project/out/a/SKILL.md")).unwrap() == text);
    team.sandbox.write(
        "project/skill.md",
        "---\nname: b\ndescription: \"a\\0b\"\n---\nB",
    );
    team.run("alice", &["personal", "add", "skill.md"])
        .refused()
        .has(&["the description holds a NUL, which is no text"]);
}
