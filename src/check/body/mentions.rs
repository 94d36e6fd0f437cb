//! Where a body names files: links and images, in Markdown and in HTML, and code
//! spans.
//!
//! The only file that knows Markdown. What a mention is worth is judged in
//! `links`.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag};

use super::folder::Folder;
use super::html;
use super::signs::Signs;

/// What a body names, and where its code blocks are; places are offsets in the
/// whole file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mentions<'a> {
    pub(super) list: Vec<Mention<'a>>,
    pub(super) code_blocks: Vec<Range<usize>>,
}

/// One file that the body names, perhaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention<'a> {
    /// What is named, unescaped.
    pub(super) target: CowStr<'a>,
    /// Where it is written.
    pub(super) place: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// A link, an image, or the definition of one; in HTML, too.
    Link,
    /// A code span; it may be anything.
    Code,
}

/// Whether [`read`] could find a mention that counts: a fraction of its work.
///
/// A link needs `](` or `]:`, or a tag. A code span counts only if it names a folder of
/// the skill, so without folders none does.
pub(super) fn may_have_some(body: &str, signs: Signs, folder: &mut Folder) -> bool {
    signs.bracket && (body.contains("](") || body.contains("]:"))
        || signs.less && html::may_have_some(body)
        || signs.tick && signs.slash && folder.has_folders()
}

/// Reads `body`, which begins at `start` in its file.
///
/// Comments and code blocks name nothing. A link by reference is named where it
/// is defined.
pub(super) fn read(body: &str, start: usize) -> Mentions<'_> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let parser = Parser::new_ext(body, options);
    let mut mentions = Mentions::default();
    for (_, definition) in parser.reference_definitions().iter() {
        let place = destination(body, definition.span.clone(), "]:", &definition.dest);
        let target = CowStr::from(definition.dest.to_string());
        mentions.add(target, place, start, Kind::Link);
    }
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(
                Tag::Link {
                    link_type: LinkType::Inline,
                    dest_url,
                    ..
                }
                | Tag::Image {
                    link_type: LinkType::Inline,
                    dest_url,
                    ..
                },
            ) => {
                let place = destination(body, range, "](", &dest_url);
                mentions.add(dest_url, place, start, Kind::Link);
            }
            Event::Code(text) => {
                let place = code_text(body, range);
                mentions.add(text, place, start, Kind::Code);
            }
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => {
                let html = &body[range.clone()];
                for place in html::targets(html) {
                    let target = CowStr::Borrowed(&html[place.clone()]);
                    let place = range.start + place.start..range.start + place.end;
                    mentions.add(target, place, start, Kind::Link);
                }
            }
            Event::Start(Tag::CodeBlock(_)) => {
                let block = start + range.start..start + range.end;
                mentions.code_blocks.push(block);
            }
            _ => {}
        }
    }
    mentions.list.sort_by_key(|mention| mention.place.start);
    mentions
}

impl<'a> Mentions<'a> {
    fn add(&mut self, target: CowStr<'a>, place: Range<usize>, start: usize, kind: Kind) {
        self.list.push(Mention {
            target,
            place: start + place.start..start + place.end,
            kind,
        });
    }
}

/// Returns where the destination of a link stands that is written in `range`.
///
/// The last `mark` in it is the link's own, unless a title holds one; then, and
/// where the destination is written with escapes, the whole is pointed at.
fn destination(body: &str, range: Range<usize>, mark: &str, target: &str) -> Range<usize> {
    let written = &body[range.clone()];
    let found = if mark == "](" {
        written.rfind(mark)
    } else {
        written.find(mark)
    };
    let Some(at) = found.map(|at| at + mark.len()) else {
        return range;
    };
    let rest = &written[at..];
    let skipped = rest.len() - rest.trim_start().trim_start_matches('<').len();
    let begin = range.start + at + skipped;
    if !target.is_empty() && body[begin..range.end].starts_with(target) {
        begin..begin + target.len()
    } else {
        range
    }
}

/// Returns the inside of a code span.
fn code_text(body: &str, range: Range<usize>) -> Range<usize> {
    let written = &body[range.clone()];
    let inside = written.trim_matches('`');
    let begin = range.start + (written.len() - written.trim_start_matches('`').len());
    let text = inside.trim();
    let begin = begin + (inside.len() - inside.trim_start().len());
    begin..begin + text.len()
}
