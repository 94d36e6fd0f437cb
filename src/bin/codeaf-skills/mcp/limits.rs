//! Every bound of the server in one place, each with its reason. They guard the
//! program's own process, so that they are none of the library's
//! [`Limits`](codeaf_skills::Limits), which an engine may set.

use std::time::Duration;

/// Bytes of a message. A request is some kilobytes; four megabytes of
/// arguments are none that anybody typed.
pub(super) const MESSAGE_BYTES: usize = 4 * 1_048_576;

/// Lines that wait to be answered, or to be written. A client that does not
/// read is not read from.
pub(super) const LINES: usize = 32;

/// Connections over HTTP at once. An agent opens a few.
pub(super) const CONNECTIONS: usize = 128;

/// Streams of changes among them: an agent opens one, and three quarters of
/// the connections stay for requests whatever anybody does.
pub(super) const STREAMS: usize = 32;

/// Bytes of the head of a request over HTTP.
pub(super) const HEAD_BYTES: usize = 65_536;

/// How long the head of a request over HTTP may take to arrive, and its
/// body; also how long an idle connection is kept. Clients let theirs go
/// after four or five seconds, so that none meets a closed one.
pub(super) const ARRIVAL: Duration = Duration::from_secs(10);

/// Prompts or resources in a page. Many clients read the first page alone,
/// and this holds what people own.
pub(super) const PAGE: usize = 2_000;

/// Skills in a page, whose files are read and hashed for it.
pub(super) const SKILLS_PAGE: usize = 100;

/// Roots of a client that are looked at. An editor's workspace has a few
/// folders.
pub(super) const ROOTS: usize = 64;

/// How long requests wait for the roots that the client said it has.
pub(super) const ROOTS_PATIENCE: Duration = Duration::from_secs(2);

/// Messages on standard error that are kept in mind, so that each is told
/// once.
pub(super) const TOLD: usize = 4_096;

/// Threads for what reads much: hashing a page of skills, walking their
/// folders. With the one that answers they keep a small machine usable.
pub(super) const READERS: usize = 2;

/// How long such a thread waits for more work before it ends.
pub(super) const READER_IDLE: Duration = Duration::from_secs(2);

/// How long what was answered may take to be read once the client hung up.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(3);

/// How long what is still running may take once the process is to end: who
/// sent the signal waits, and whoever does not read by then never will.
pub(super) const END: Duration = Duration::from_millis(700);

/// How long a stream of events over HTTP is silent at most. What stands between
/// takes a connection for dead after half a minute or more.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long nothing must happen before the skills are looked at.
pub(super) const QUIET: Duration = Duration::from_millis(80);

/// How long a look is put off at most while things keep happening. With the look
/// itself it stays far below the two seconds that are promised.
pub(super) const BUSY: Duration = Duration::from_millis(600);

/// How often the skills are looked at where the system cannot watch.
pub(super) const BY_HAND: Duration = Duration::from_millis(1_500);
