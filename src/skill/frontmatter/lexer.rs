//! The nodes of a YAML text in order, without their values.
//!
//! The library says what a text means, but neither where nor how it is
//! written. This walk knows enough of the syntax (quotes, blocks, flow,
//! comments, indentation) to list each scalar, alias, opening bracket, tag and
//! anchor with its place. It follows the library's own scanner, and is only
//! trusted for texts that the library takes.

use std::ops::Range;

use super::Style;
use crate::limits::Limits;

/// The nodes of a text.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// What a value can begin with, in file order.
    pub(super) tokens: Vec<Token>,
    /// Tags, as written.
    pub(super) tags: Vec<Range<usize>>,
    /// Anchors, the `&` included.
    pub(super) anchors: Vec<Range<usize>>,
}

impl Nodes {
    /// Returns the aliases in file order.
    pub(super) fn aliases(&self) -> impl Iterator<Item = Token> {
        let all = self.tokens.iter().copied();
        all.filter(|token| token.kind == TokenKind::Alias)
    }
}

/// A scalar, an alias, or the bracket that opens a flow collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// First byte, the quote or the block's `|` included.
    pub(super) start: usize,
    /// Behind the last byte; of a block, of its first line.
    pub(super) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Scalar(Style),
    Bracket,
    Alias,
}

/// Why the library must not see a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// Nested deeper than the bound, at this byte.
    Depth(usize),
    /// More values than the bound, at this byte.
    Values(usize),
    /// A `%` directive at this byte: it could give the core tags another
    /// meaning.
    Directive(usize),
}

/// Lists the nodes of `text`; stops where it is nested deeper, or has more values,
/// than `limits` allow.
pub(super) fn scan(text: &str, limits: &Limits) -> Result<Nodes, Stop> {
    let mut lexer = Lexer {
        text: text.as_bytes(),
        at: 0,
        line_start: 0,
        indents: Vec::new(),
        flow: 0,
        key_allowed: true,
        key: None,
        begins: 0,
        values: 0,
        waiting: false,
        nodes: Nodes::default(),
    };
    while lexer.step()? {
        if lexer.indents.len() + lexer.flow > limits.yaml_depth {
            return Err(Stop::Depth(lexer.at.saturating_sub(1)));
        }
        if lexer.values > limits.yaml_values {
            return Err(Stop::Values(lexer.begins));
        }
    }
    Ok(lexer.nodes)
}

/// Whether a plain scalar may begin with `first`, followed by `next`, outside
/// brackets.
pub(super) fn begins_plain(first: u8, next: Option<u8>) -> bool {
    match first {
        b'-' | b'?' | b':' => !is_blank_or_end(next),
        b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\''
        | b'"' | b'%' | b'@' | b'`' => false,
        first => !is_blank_or_end(Some(first)),
    }
}

pub(super) fn is_blank_or_end(byte: Option<u8>) -> bool {
    matches!(byte, None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    line_start: usize,
    /// Columns of the open block collections.
    indents: Vec<usize>,
    /// How many brackets are open.
    flow: usize,
    /// Whether what comes next may be a key without `?`.
    key_allowed: bool,
    /// Column and line of what may become a key when a colon follows.
    key: Option<(usize, usize)>,
    /// Where the last token begins.
    begins: usize,
    /// How many values there are, at the least half: not every empty one is
    /// seen.
    values: usize,
    /// Whether a value should follow.
    waiting: bool,
    nodes: Nodes,
}

impl Lexer<'_> {
    /// Takes one token; `false` at the end.
    fn step(&mut self) -> Result<bool, Stop> {
        self.skip_space();
        self.begins = self.at;
        let Some(first) = self.peek(0) else {
            return Ok(false);
        };
        let column = self.column();
        if self.flow == 0 {
            while self.indents.last().is_some_and(|&indent| indent > column) {
                self.indents.pop();
            }
        }
        let spaced = is_blank_or_end(self.peek(1));
        match first {
            b'%' if column == 0 => return Err(Stop::Directive(self.at)),
            _ if self.is_document_marker() => self.document_marker(),
            b'[' | b'{' => self.open_bracket(),
            b']' | b'}' => self.close_bracket(),
            b',' => {
                self.await_value();
                self.indicator(true);
            }
            b'-' if spaced => {
                self.roll(column);
                self.await_value();
                self.indicator(true);
            }
            b'?' if spaced || self.flow > 0 => {
                self.roll(column);
                self.await_value();
                self.indicator(self.flow == 0);
            }
            b':' if spaced || self.flow > 0 => return Ok(self.colon(column)),
            b'*' | b'&' => self.anchor(first == b'*'),
            b'!' => self.tag(),
            b'|' | b'>' if self.flow == 0 => self.block(),
            b'\'' | b'"' => self.quoted(first),
            _ => self.plain(),
        }
        Ok(true)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn column(&self) -> usize {
        self.at - self.line_start
    }

    /// Steps over a line end, if there is one.
    fn line_break(&mut self) -> bool {
        let length = match (self.peek(0), self.peek(1)) {
            (Some(b'\n'), _) => 1,
            (Some(b'\r'), Some(b'\n')) => 2,
            _ => return false,
        };
        self.at += length;
        self.line_start = self.at;
        true
    }

    fn is_break(&self) -> bool {
        matches!(
            (self.peek(0), self.peek(1)),
            (Some(b'\n'), _) | (Some(b'\r'), Some(b'\n'))
        )
    }

    fn is_blank(&self) -> bool {
        matches!(self.peek(0), Some(b' ' | b'\t'))
    }

    fn skip_line(&mut self) {
        while self.at < self.text.len() && !self.is_break() {
            self.at += 1;
        }
    }

    fn skip_space(&mut self) {
        loop {
            while self.is_blank() {
                self.at += 1;
            }
            if self.peek(0) == Some(b'#') {
                self.skip_line();
            }
            if !self.line_break() {
                return;
            }
            if self.flow == 0 {
                self.key_allowed = true;
            }
        }
    }

    fn is_document_marker(&self) -> bool {
        let rest = &self.text[self.at..];
        self.column() == 0
            && (rest.starts_with(b"---") || rest.starts_with(b"..."))
            && is_blank_or_end(self.peek(3))
    }

    fn document_marker(&mut self) {
        self.indents.clear();
        self.key = None;
        self.key_allowed = false;
        self.at += 3;
    }

    fn roll(&mut self, column: usize) {
        if self.flow == 0 && self.indents.last().is_none_or(|&indent| indent < column) {
            self.indents.push(column);
            self.count_value();
        }
    }

    fn count_value(&mut self) {
        self.values += 1;
        self.waiting = false;
    }

    /// Counts the value that should have been before the indicator here.
    fn await_value(&mut self) {
        self.values += usize::from(self.waiting);
        self.waiting = true;
    }

    fn indicator(&mut self, key_allowed: bool) {
        self.key_allowed = key_allowed;
        self.at += 1;
    }

    /// Takes the colon behind a key; `false` where there can be none, and the
    /// library goes no further either.
    fn colon(&mut self, column: usize) -> bool {
        if self.flow == 0 {
            match self.key.take() {
                Some((key_column, line)) if line == self.line_start => {
                    self.roll(key_column);
                    self.key_allowed = false;
                }
                _ if self.key_allowed => self.roll(column),
                _ => return false,
            }
        }
        self.await_value();
        self.at += 1;
        true
    }

    /// Remembers that what begins here may be a key.
    fn mark_key(&mut self) {
        if self.flow == 0 && self.key_allowed {
            self.key = Some((self.column(), self.line_start));
        }
        self.key_allowed = false;
    }

    fn open_bracket(&mut self) {
        self.mark_key();
        self.push(TokenKind::Bracket, self.at, self.at + 1);
        self.flow += 1;
        self.indicator(true);
    }

    fn close_bracket(&mut self) {
        self.flow = self.flow.saturating_sub(1);
        self.waiting = false;
        self.indicator(false);
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.nodes.tokens.push(Token { kind, start, end });
        self.count_value();
    }

    fn anchor(&mut self, alias: bool) {
        self.mark_key();
        let start = self.at;
        self.at += 1;
        while matches!(self.peek(0), Some(b) if b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        {
            self.at += 1;
        }
        if alias {
            self.push(TokenKind::Alias, start, self.at);
        } else {
            self.nodes.anchors.push(start..self.at);
        }
    }

    fn tag(&mut self) {
        self.mark_key();
        let start = self.at;
        let verbatim = self.peek(1) == Some(b'<');
        self.at += 1;
        while let Some(b) = self.peek(0).filter(|&b| !is_blank_or_end(Some(b))) {
            if !verbatim && matches!(b, b',' | b'[' | b']' | b'{' | b'}') {
                break;
            }
            self.at += 1;
            if verbatim && b == b'>' {
                break;
            }
        }
        self.nodes.tags.push(start..self.at);
    }

    fn quoted(&mut self, quote: u8) {
        self.mark_key();
        let start = self.at;
        self.at += 1;
        while let Some(b) = self.peek(0) {
            if b == quote && quote == b'\'' && self.peek(1) == Some(quote) {
                self.at += 2;
            } else if b == quote {
                self.at += 1;
                break;
            } else if b == b'\\' && quote == b'"' {
                self.at += 1;
                if !self.line_break() {
                    self.at += 1;
                }
            } else if !self.line_break() {
                self.at += 1;
            }
        }
        let style = if quote == b'"' {
            Style::Double
        } else {
            Style::Single
        };
        self.at = self.at.min(self.text.len());
        self.push(TokenKind::Scalar(style), start, self.at);
    }

    fn plain(&mut self) {
        self.mark_key();
        let start = self.at;
        let least = self.indents.last().map_or(0, |&indent| indent + 1);
        let mut end = start;
        let mut wrapped = false;
        loop {
            if self.is_document_marker() || self.peek(0) == Some(b'#') {
                break;
            }
            while self.in_word() {
                self.at += 1;
                end = self.at;
                wrapped = false;
            }
            if !self.is_blank() && !self.is_break() {
                break;
            }
            loop {
                if self.is_blank() {
                    self.at += 1;
                } else if self.line_break() {
                    wrapped = true;
                } else {
                    break;
                }
            }
            if self.flow == 0 && self.column() < least {
                break;
            }
        }
        // A byte that begins nothing: the library will refuse it here.
        if end == start {
            end = start + 1;
            self.at = self.at.max(end);
        }
        self.key_allowed |= wrapped;
        self.push(TokenKind::Scalar(Style::Plain), start, end);
    }

    /// Whether a plain scalar goes on with the byte here.
    fn in_word(&self) -> bool {
        match self.peek(0) {
            None => false,
            Some(b) if is_blank_or_end(Some(b)) => false,
            Some(b':') if is_blank_or_end(self.peek(1)) => false,
            Some(b':') if self.flow > 0 => {
                !matches!(self.peek(1), Some(b',' | b'?' | b'[' | b']' | b'{' | b'}'))
            }
            Some(b',' | b'[' | b']' | b'{' | b'}') => self.flow == 0,
            Some(_) => true,
        }
    }

    fn block(&mut self) {
        let start = self.at;
        let style = if self.peek(0) == Some(b'|') {
            Style::Literal
        } else {
            Style::Folded
        };
        self.at += 1;
        let mut given = 0;
        while let Some(b) = self
            .peek(0)
            .filter(|b| matches!(b, b'+' | b'-' | b'0'..=b'9'))
        {
            if b.is_ascii_digit() {
                given = usize::from(b - b'0');
            }
            self.at += 1;
        }
        self.push(TokenKind::Scalar(style), start, self.at);
        self.skip_line();
        self.line_break();
        let parent = self.indents.last().copied();
        let indent = match given {
            0 => self.block_indent(parent.map_or(1, |column| (column + 1).max(1))),
            given => parent.unwrap_or(0) + given,
        };
        while self.at < self.text.len() {
            let line = self.at;
            while self.peek(0) == Some(b' ') && self.at - line < indent {
                self.at += 1;
            }
            if self.at - line < indent && !self.is_break() {
                break;
            }
            self.skip_line();
            self.line_break();
        }
        self.key = None;
        self.key_allowed = true;
    }

    /// Returns the indentation that a block shows: of its first line with
    /// text, or of a longer line of blanks before it; at least `least`.
    fn block_indent(&self, least: usize) -> usize {
        let mut indent = least;
        let mut at = self.at;
        loop {
            let spaces = self.text[at..].iter().take_while(|&&b| b == b' ').count();
            indent = indent.max(spaces);
            at += spaces;
            match (self.text.get(at), self.text.get(at + 1)) {
                (Some(b'\n'), _) => at += 1,
                (Some(b'\r'), Some(b'\n')) => at += 2,
                _ => return indent,
            }
        }
    }
}
