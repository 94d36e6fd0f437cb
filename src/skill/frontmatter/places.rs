//! Places in the frontmatter, and a shield for characters that the YAML
//! library takes for something else.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Content, Fault, Field};
use crate::diagnostic::{Rule, Span};

/// The line of the file that the frontmatter's first line is.
pub(super) const FIRST_LINE: u32 = 2;

/// Line and column of every byte of a text, made once: texts are bounded, and
/// asking twice for a place must not cost twice its line.
pub(super) struct Places(Vec<(u32, u32)>);

impl Places {
    pub(super) fn new(text: &str) -> Self {
        let (mut line, mut column) = (FIRST_LINE, 1);
        let mut places = Vec::with_capacity(text.len() + 1);
        for c in text.chars() {
            for _ in 0..c.len_utf8() {
                places.push((line, column));
            }
            if c == '\n' {
                (line, column) = (line + 1, 1);
            } else {
                column += 1;
            }
        }
        places.push((line, column));
        Self(places)
    }

    /// Returns the point at a byte; past the end means the end.
    pub(super) fn at(&self, offset: usize) -> Span {
        let place = self.0.get(offset).or(self.0.last());
        place.map_or(Span::START, |&(line, column)| Span::new(line, column))
    }

    /// Returns the byte that is `columns` characters into a line of the text,
    /// both from 0.
    pub(super) fn offset(&self, line: usize, column: usize) -> usize {
        let wanted = (
            FIRST_LINE.saturating_add(u32::try_from(line).unwrap_or(u32::MAX)),
            u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1),
        );
        self.0.partition_point(|&place| place < wanted)
    }
}

/// A text in which nothing but LF and CRLF ends a line for the library.
///
/// It takes a lone CR, U+0085, U+2028 and U+2029 for line ends, and refuses an
/// inner U+FEFF. Characters that the text does not have stand in for them;
/// each for one, so that lines and columns stay.
pub(super) struct Shielded<'a> {
    pub(super) text: Cow<'a, str>,
    /// What stands in, and for what.
    swaps: Vec<(char, char)>,
}

impl<'a> Shielded<'a> {
    /// Shields a text, or names its first character that YAML does not allow.
    pub(super) fn new(text: &'a str) -> Result<Self, Fault> {
        let mut swaps: Vec<(char, char)> = Vec::new();
        for (offset, c) in text.char_indices() {
            if is_forbidden(c) {
                return Err(control_character(text, offset, c));
            }
            let special = is_special(c) || c == '\r' && !text[offset..].starts_with("\r\n");
            if special && swaps.iter().all(|&(_, original)| original != c) {
                swaps.push(('\0', c));
            }
        }
        if swaps.is_empty() {
            return Ok(Self {
                text: Cow::Borrowed(text),
                swaps,
            });
        }
        // A long text can hold all 6,400 characters of the first private area,
        // hence the second.
        let used: HashSet<char> = text.chars().filter(|&c| c >= '\u{e000}').collect();
        let free = ('\u{e000}'..='\u{f8ff}')
            .chain('\u{f0000}'..='\u{ffffd}')
            .filter(|c| !used.contains(c));
        for (swap, stand_in) in swaps.iter_mut().zip(free) {
            swap.0 = stand_in;
        }
        let mut shielded = String::with_capacity(text.len() * 2);
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            let ends_line = c == '\r' && rest.peek() == Some(&'\n');
            let swap = swaps.iter().find(|&&(_, original)| original == c);
            shielded.push(match swap {
                Some(&(stand_in, _)) if !ends_line => stand_in,
                _ => c,
            });
        }
        Ok(Self {
            text: Cow::Owned(shielded),
            swaps,
        })
    }

    /// Puts the original characters back into what was read.
    pub(super) fn restore(&self, fields: &mut [Field]) {
        if !self.swaps.is_empty() {
            for field in fields {
                self.restore_text(field.key.to_mut());
                self.restore_content(&mut field.value.content);
            }
        }
    }

    /// Puts the original characters back into what is said of the text.
    pub(super) fn restore_fault(&self, mut fault: Fault) -> Fault {
        if !self.swaps.is_empty() {
            self.restore_text(&mut fault.message);
            if let Some(help) = &mut fault.help {
                self.restore_text(help);
            }
        }
        fault
    }

    fn restore_content(&self, content: &mut Content) {
        match content {
            Content::Scalar(scalar) => self.restore_text(&mut scalar.text),
            Content::Mapping(fields) => self.restore(fields),
            Content::Sequence(values) => {
                for value in values {
                    self.restore_content(&mut value.content);
                }
            }
        }
    }

    fn restore_text(&self, text: &mut String) {
        let original = |c| {
            let swap = self.swaps.iter().find(|&&(stand_in, _)| stand_in == c);
            swap.map(|&(_, original)| original)
        };
        if text.chars().any(|c| original(c).is_some()) {
            *text = text.chars().map(|c| original(c).unwrap_or(c)).collect();
        }
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Characters that must be written as an escape in YAML.
pub(super) fn is_forbidden(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\u{fffe}' | '\u{ffff}' => true,
        c => c.is_control(),
    }
}

fn control_character(text: &str, offset: usize, c: char) -> Fault {
    let span = Places::new(&text[..offset]).at(offset).with_length(1);
    let message = format!(
        "the control character U+{:04X} stands in the frontmatter",
        u32::from(c)
    );
    Fault::new(Rule::YamlControlCharacter, span, message)
        .with_help("remove it; between double quotes an escape such as \"\\e\" may stand for it")
}
