//! Which signs a text has at all: most bodies lack most of them, and then need no
//! closer look.

/// The bytes that a link, a code span or a mark of a merge begins with.
#[expect(
    clippy::struct_excessive_bools,
    reason = "five questions, each with its answer"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signs {
    /// `]`
    pub(super) bracket: bool,
    /// `<`
    pub(super) less: bool,
    /// `>`
    pub(super) more: bool,
    /// A backquote.
    pub(super) tick: bool,
    /// `/` or `\`
    pub(super) slash: bool,
}

impl Signs {
    /// Looks through a text in one pass without branches, so that the compiler
    /// can put many bytes into one step: bodies are the bulk of what is read.
    pub(super) fn of(text: &str) -> Self {
        let (mut bracket, mut less, mut more, mut tick, mut slash) = (0, 0, 0, 0, 0);
        for b in text.bytes() {
            bracket |= u8::from(b == b']');
            less |= u8::from(b == b'<');
            more |= u8::from(b == b'>');
            tick |= u8::from(b == b'`');
            slash |= u8::from(b == b'/') | u8::from(b == b'\\');
        }
        Self {
            bracket: bracket != 0,
            less: less != 0,
            more: more != 0,
            tick: tick != 0,
            slash: slash != 0,
        }
    }
}
