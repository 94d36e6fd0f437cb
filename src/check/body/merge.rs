//! Marks that an unresolved merge leaves behind.

use std::ops::Range;

use super::Found;
use super::signs::Signs;
use crate::diagnostic::Rule;

const OURS: &str = "<<<<<<<";
const BETWEEN: &str = "=======";
const THEIRS: &str = ">>>>>>>";

/// Whether [`find`] could find something: a fraction of its work.
pub(super) fn may_have_some(text: &str, signs: Signs) -> bool {
    signs.less && text.contains(OURS) || signs.more && text.contains(THEIRS)
}

/// Gives one finding for each conflict in `text`, of which the first `told` bytes
/// have one.
///
/// What is whole inside one of `code_blocks` is an example, and none of our
/// business: there are skills about merging. A line of `=======` alone makes a
/// heading, so it counts only between the other two.
pub(super) fn find(text: &str, told: usize, code_blocks: &[Range<usize>], found: &mut Found) {
    let (mut open, mut between) = (None, None);
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let mark = Mark {
            line: index + 1,
            place: at..at + OURS.len(),
        };
        at += line.len();
        if at <= told {
            continue;
        }
        let line = line.trim_end_matches(['\n', '\r']);
        if is_mark(line, OURS) {
            report(open.replace(mark).as_slice(), code_blocks, found);
            between = None;
        } else if is_mark(line, THEIRS) && (open.is_some() || !is_quote(line)) {
            let marks = open.take().into_iter().chain(between.take());
            report(&marks.chain([mark]).collect::<Vec<_>>(), code_blocks, found);
        } else if line == BETWEEN && open.is_some() && between.is_none() {
            between = Some(mark);
        }
    }
    report(open.as_slice(), code_blocks, found);
}

struct Mark {
    line: usize,
    place: Range<usize>,
}

/// Whether a line of [`THEIRS`] alone may be a quote in a quote, seven deep: behind
/// its mark git writes one word, or the number of a commit and its subject.
fn is_quote(line: &str) -> bool {
    let rest = line.trim_start_matches('>').trim();
    let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_number = first.len() >= 7 && first.bytes().all(|b| b.is_ascii_hexdigit());
    !(more.is_empty() || is_number && more.starts_with('('))
}

/// Git writes the mark, then nothing or a blank and a name.
fn is_mark(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn report(marks: &[Mark], code_blocks: &[Range<usize>], found: &mut Found) {
    let (Some(first), Some(last)) = (marks.first(), marks.last()) else {
        return;
    };
    // Blocks are in file order, so only one can hold the first mark.
    let block = code_blocks.partition_point(|block| block.end <= first.place.start);
    let is_example = code_blocks
        .get(block)
        .is_some_and(|block| block.start <= first.place.start && last.place.end <= block.end);
    if is_example {
        return;
    }
    found.warn(Rule::MergeMarker, first.place.clone(), || {
        let help = "keep one side, and delete the marks";
        (message(marks), help.to_owned())
    });
}

fn message(marks: &[Mark]) -> String {
    let lines: Vec<String> = marks.iter().map(|mark| mark.line.to_string()).collect();
    match lines.as_slice() {
        [before @ .., last] if !before.is_empty() => format!(
            "marks of an unresolved merge stand on lines {} and {last}",
            before.join(", ")
        ),
        lines => format!(
            "a mark of an unresolved merge stands on line {}",
            lines.concat()
        ),
    }
}
