use crate::diagnostic::Rule;
use crate::limits::Limits;
use crate::skill::frontmatter::read;

/// A value of `description` · column+length · what is wrong · the line to type,
/// behind `put the whole value between quotes: description: `.
const VALUES: &str = r#"
@me reads · 14+1 · a value that begins with `@` needs quotes: YAML keeps it for later · '@me reads'
`pdf` reads · 14+1 · a value that begins with a backquote needs quotes: YAML keeps it for later · '`pdf` reads'
%5 of it · 14+1 · a value that begins with `%` needs quotes: in YAML it begins a directive · '%5 of it'
& reads · 14+1 · a value that begins with `&` needs quotes: in YAML it begins the name of an anchor · '& reads'
* reads · 14+1 · a value that begins with `*` needs quotes: in YAML it begins the name of an alias · '* reads'
**Bold** reads · 14+1 · a value that begins with `*` needs quotes: in YAML it begins the name of an alias · '**Bold** reads'
? reads · 14+1 · a value that begins with `?` needs quotes: with a blank, it begins a key in YAML · '? reads'
: reads · 14+1 · a value that begins with `:` needs quotes: with a blank, it ends a key in YAML · ': reads'
, reads · 14+1 · a value that begins with `,` needs quotes: in YAML it parts the items of a list · ', reads'
] reads · 14+1 · a value that begins with `]` needs quotes: in YAML it closes a list or a mapping · '] reads'
}reads · 14+1 · a value that begins with `}` needs quotes: in YAML it closes a list or a mapping · '}reads'
- reads · 14+1 · a list may not begin on the line of its field · '- reads'
[Tool] Reads · 14+6 · text stands behind the ] that closes a YAML list · '[Tool] Reads'
[a](b) reads · 14+3 · text stands behind the ] that closes a YAML list · '[a](b) reads'
[it's] reads · 14+6 · text stands behind the ] that closes a YAML list · "[it's] reads"
[reads · 14+1 · the list that opens here with [ is not closed · '[reads'
{reads · 14+1 · the mapping that opens here with { is not closed · '{reads'
{a: b} reads · 14+6 · text stands behind the } that closes a YAML mapping · '{a: b} reads'
{{x}} reads · 14+5 · `{{` opens a mapping in YAML; a value that begins with a template needs quotes · '{{x}} reads'
'it's' · 17+1 · the quotes end here already, before the end of the value · "it's"
'it's' fine · 17+1 · the quotes end here, and text follows them · "'it's' fine"
'it''s' fine · 20+1 · the quotes end here, and text follows them · "'it''s' fine"
"has "inner" quotes" · 19+1 · the quotes end here already, before the end of the value · 'has "inner" quotes'
"a" "b" · 16+1 · the quotes end here, and text follows them · '"a" "b"'
"Reads" files · 20+1 · the quotes end here, and text follows them · '"Reads" files'
"Reads": yes · 20+1 · the quotes end here, and text follows them · '"Reads": yes'
"#;

/// The same with what to do in full.
const BLOCKS_AND_QUOTES: &str = r#"
| reads · 14+1 · text stands behind `|`, whose text begins on the next line · put the text on the next line, indented, or between quotes: description: 'reads'
>- reads · 14+1 · text stands behind `>`, whose text begins on the next line · put the text on the next line, indented, or between quotes: description: 'reads'
"C:\pdf" · 17+2 · between double quotes, `\p` is an escape that YAML does not have · use single quotes: description: 'C:\pdf'
"\d+ it's" · 15+2 · between double quotes, `\d` is an escape that YAML does not have · use single quotes: description: '\d+ it''s'
"reads · 14+1 · the quotes that open here are never closed · close them: description: 'reads'
'reads · 14+1 · the quotes that open here are never closed · close them: description: 'reads'
"#;

/// Frontmatter, with ⏎ for its line ends, ⇥ for a tab and ␣ for a no-break space ·
/// line:column+length · what is wrong · what to do.
const LINES: &str = r#"
name:pdf⏎description: x⏎ · 2:5+1 · no blank stands behind the colon of `name` · write name: pdf
description: x⏎name:pdf⏎ · 3:5+1 · no blank stands behind the colon of `name` · write name: pdf
name：pdf⏎description: x⏎ · 2:5+1 · the colon behind `name` is not the one of YAML · write name: pdf
name: a⏎description： x⏎ · 3:12+1 · the colon behind `description` is not the one of YAML · write description: x
name:␣pdf⏎description: x⏎ · 2:6+1 · behind the colon of `name` stands no blank but the character U+00A0 · write name: pdf
name = pdf⏎description: x⏎ · 2:6+1 · `name` is followed by `=`, where YAML has a colon · write name: pdf
name pdf⏎description: x⏎ · 2:1+4 · no colon stands behind `name` · write name: pdf
**name**: pdf⏎description: x⏎ · 2:1+2 · `name` stands between `**`, which is Markdown and not YAML · write name: pdf
**name:** pdf⏎description: x⏎ · 2:1+2 · `name` stands between `**`, which is Markdown and not YAML · write name: pdf
"name: pdf"⏎"description: x"⏎ · 2:1+11 · quotes stand around the whole line · write name: pdf
<!-- c -->⏎name: a⏎ · 2:1+4 · an HTML comment is no YAML · begin it with `#`: # c
// c⏎name: a⏎ · 2:1+2 · `//` begins no comment in YAML · begin it with `#`: # c
```yaml⏎name: a⏎```⏎ · 2:1+3 · a code block stands in the frontmatter · remove the lines of the code block; its fields stay
name: a⏎<<<<<<< HEAD⏎description: x⏎=======⏎description: y⏎>>>>>>> b⏎ · 3:1+7 · marks of an unresolved merge stand in the frontmatter · keep one side, and delete the marks
name: a⏎description: >⏎Reads.⏎ · 4:1+6 · the text of the block of `description` is not indented · begin each of its lines with two blanks
name: a⏎description: x⏎and more⏎ · 4:1+8 · this line is not a field: it has no colon after a name · begin it with two blanks if it goes on with the value of `description`, or with `#` if it is a comment
name: a⏎description: |⏎  x⏎and more⏎ · 5:1+8 · this line is not a field: it has no colon after a name · write `name: value`, or put `#` before a comment
 name: a⏎description: x⏎ · 2:2+4 · `name` is indented, and the fields below it are not · begin the line in column 1: name: a
name: a⏎description: >⏎  x⏎ license: MIT⏎ · 5:2+7 · `license` is indented, and the fields around it are not · begin the line in column 1: license: MIT
name: a⏎⇥description: x⏎ · 3:2+11 · `description` is indented with a tab, and the fields around it are not · begin the line in column 1: description: x
name: a⏎metadata:⏎  b: @c⏎ · 4:6+1 · a value that begins with `@` needs quotes: YAML keeps it for later · put the whole value between quotes: b: '@c'
name: a⏎allowed-tools: - Read⏎ · 3:16+1 · a list may not begin on the line of its field · write allowed-tools: and, on a line below, - Read
name: a⏎description: "x⏎  y⏎license: MIT⏎ · 3:14+1 · the quotes that open here are never closed · close them: description: 'x y'
name: a⏎description: "x⏎y⏎license: MIT⏎ · 3:14+1 · the quotes that open here are never closed · close them: description: 'x y'
name: a⏎description: "x⏎  y⏎license: "MIT"⏎ · 3:14+1 · the quotes that open here take in the field `license` · close them before it: description: "x y"
name: a⏎description: x⏎  # y⏎  z⏎ · 4:3+3 · a comment ends the value of `description`, which goes on below it · move it above the field, or put the whole value between quotes: description: 'x # y z'
name: a⏎description:⏎  x⏎# y⏎  z⏎ · 5:1+3 · a comment ends the value of `description`, which goes on below it · move it above the field, or put the whole value between quotes: description: 'x # y z'
name: a⏎description:⏎  @x⏎  y⏎ · 4:3+1 · a value that begins with `@` needs quotes: YAML keeps it for later · put the whole value between quotes: description: '@x y'
name: a⏎description: |⏎    x⏎  y⏎ · 5:3+1 · this line is indented less than the block of `description` · begin the line in column 5: y
name: a⏎description: >2-⏎  x⏎ # y⏎  z⏎ · 5:2+3 · this line is indented less than the block of `description` · begin the line in column 3: # y
name: a⏎description = @x⏎ · 3:13+1 · `description` is followed by `=`, where YAML has a colon · write description: '@x'
name: a⏎allowed-tools: - Read⏎  - Grep⏎ · 3:16+1 · a list may not begin on the line of its field · write allowed-tools: and, on a line below, 2 blanks and - Read
name: a⏎allowed-tools: [Read, Grep⏎ · 3:16+1 · the list that opens here with [ is not closed · close it with ], or put the whole value between quotes
"#;

fn rows(table: &str) -> impl Iterator<Item = [&str; 4]> {
    table.trim().lines().map(|row| {
        let cells: Vec<&str> = row.split(" · ").collect();
        cells.try_into().expect("four cells")
    })
}

/// Reads frontmatter that is refused; answers with the place and its length, what
/// is wrong and what to do.
fn said(frontmatter: &str) -> (String, String, String) {
    let file = format!("---\n{frontmatter}---\nBody.\n");
    let fault = read(file.as_bytes(), &Limits::DEFAULT).fault;
    let fault = fault.unwrap_or_else(|| panic!("nothing is wrong: {frontmatter:?}"));
    let is_slip = matches!(fault.rule, Rule::YamlInvalid | Rule::MergeMarker);
    assert!(is_slip, "{frontmatter:?}: {fault:?}");
    let span = fault.span;
    let place = format!("{}:{}+{}", span.line, span.column, span.length);
    (place, fault.message, fault.help.unwrap_or_default())
}

#[test]
fn a_value_that_may_not_begin_or_end_so_is_named_with_the_line_to_type() {
    for [value, place, message, line] in rows(VALUES) {
        let said = said(&format!("name: a\ndescription: {value}\nlicense: MIT\n"));

        let help = format!("put the whole value between quotes: description: {line}");
        assert_eq!(
            said,
            (format!("3:{place}"), message.into(), help),
            "{value}"
        );
    }
}

#[test]
fn blocks_escapes_and_open_quotes_are_named_with_the_line_to_type() {
    for [value, place, message, help] in rows(BLOCKS_AND_QUOTES) {
        let said = said(&format!("name: a\ndescription: {value}\nlicense: MIT\n"));

        assert_eq!(
            said,
            (format!("3:{place}"), message.into(), help.into()),
            "{value}"
        );
    }
}

#[test]
fn a_line_that_is_no_field_is_named_by_its_slip() {
    for [text, place, message, help] in rows(LINES) {
        let text = text
            .replace('⏎', "\n")
            .replace('⇥', "\t")
            .replace('␣', "\u{a0}");

        assert_eq!(
            said(&text),
            (place.into(), message.into(), help.into()),
            "{text:?}"
        );
    }
}

#[test]
fn what_only_looks_like_a_slip_is_read() {
    for text in [
        "name: a\ndescription: |\n  name:b\n  ```\n  @x\n",
        "name: a\ndescription: 'x\n  name = b\n  y'\n",
        "name: a\ndescription: x\n  name:b\n  **c**\n",
        "name: a\nallowed-tools:\n- Read\n- Grep\n",
        "name: a\ndescription: x\n  # c\nlicense: MIT\n",
        "name: a\ndescription: |\n    x\n  # c\n# d\n",
        "name: a\nx: &y z\nw: *y\n",
        "name: a\ndescription: [x]\n",
        "  name: a\n  description: x\n",
    ] {
        let file = format!("---\n{text}---\n");

        let facts = read(file.as_bytes(), &Limits::DEFAULT);

        assert_eq!(facts.fault, None, "{text:?}");
    }
}

#[test]
fn a_line_to_type_is_whole_unless_no_field_may_be_so_long() {
    let help = |words: usize| said(&format!("description: @{}end.\n", "word ".repeat(words))).2;

    assert_eq!(help(200).matches("word").count(), 200);
    assert!(help(300).ends_with(" … d word word end.'"), "{}", help(300));
}
