//! What kind of file a bundled file is, by its name and its bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Media types by the end of a name, in lower case; the kinds that skills
/// bundle. What is text is said so, that a client shows it.
const BY_EXTENSION: [(&str, &str); 36] = [
    ("c", "text/plain"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    (
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    ("gif", "image/gif"),
    ("go", "text/plain"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("jsonl", "application/jsonl"),
    ("md", "text/markdown"),
    ("markdown", "text/markdown"),
    ("mjs", "text/javascript"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    (
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    ("py", "text/x-python"),
    ("rb", "text/plain"),
    ("rs", "text/plain"),
    ("sh", "text/x-shellscript"),
    ("sql", "application/sql"),
    ("svg", "image/svg+xml"),
    ("toml", "application/toml"),
    ("ts", "text/plain"),
    ("ttf", "font/ttf"),
    ("txt", "text/plain"),
    ("webp", "image/webp"),
    (
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("zip", "application/zip"),
];

/// Returns the media type of a file by its name; nothing if the name does not
/// tell.
///
/// # Examples
///
/// ```
/// use codeaf_skills::skill::resources::media_type;
///
/// assert_eq!(media_type("SKILL.md"), Some("text/markdown"));
/// assert_eq!(media_type("assets/LOGO.PNG"), Some("image/png"));
/// assert_eq!(media_type("LICENSE"), None);
/// ```
#[must_use]
pub fn media_type(name: &str) -> Option<&'static str> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let (_, extension) = file.rsplit_once('.')?;
    let extension = extension.to_ascii_lowercase();
    let known = BY_EXTENSION.iter().find(|(known, _)| *known == extension);
    known.map(|(_, media_type)| *media_type)
}

/// The bytes of a file as JSON can carry them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carried {
    /// They are text, exactly this.
    Text(String),
    /// They are not; base64 (RFC 4648, with padding).
    Blob(String),
}

impl Carried {
    /// Carries `bytes` as text if they are valid UTF-8 without NUL.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        if bytes.contains(&0) {
            return Self::Blob(STANDARD.encode(&bytes));
        }
        String::from_utf8(bytes).map_or_else(
            |error| Self::Blob(STANDARD.encode(error.as_bytes())),
            Self::Text,
        )
    }

    /// Returns the media type of a file whose name does not tell it.
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        match self {
            Self::Text(_) => "text/plain",
            Self::Blob(_) => "application/octet-stream",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_can_be_given_back_to_the_byte() {
        for (bytes, carried) in [
            (&b""[..], Carried::Text(String::new())),
            (b"a\xc3\xa9\r\n", Carried::Text("a\u{e9}\r\n".into())),
            (b"\xef\xbb\xbfa", Carried::Text("\u{feff}a".into())),
            (b"a\0b", Carried::Blob("YQBi".into())),
            (b"\xff\xfe", Carried::Blob("//4=".into())),
        ] {
            assert_eq!(Carried::new(bytes.to_vec()), carried);
        }
    }

    #[test]
    fn extensions_stand_once_and_in_lower_case() {
        for (extension, _) in BY_EXTENSION {
            assert_eq!(extension, extension.to_ascii_lowercase());
            let same = |(other, _): &&(&str, &str)| *other == extension;
            assert_eq!(BY_EXTENSION.iter().filter(same).count(), 1, "{extension}");
        }
    }
}
