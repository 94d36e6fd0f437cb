//! A frontmatter as JSON: every field that its author wrote.

use serde_json::{Map, Number, Value as Json};

use super::{Content, Facts, Field, Scalar, ScalarKind, Value};

impl Facts {
    /// Returns every field as JSON. Of a key that stands twice the first counts;
    /// a number that JSON cannot hold exactly (`.inf`, forty digits) stays text.
    /// A number has its value and not its spelling: `1.10` is 1.1, `007` is 7.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::{Limits, skill::frontmatter};
    ///
    /// let facts = frontmatter::read(b"---\nname: pdf\nmetadata: {level: 2}\n---\n", &Limits::DEFAULT);
    /// let json = serde_json::Value::from(facts.to_json());
    /// assert_eq!(json.to_string(), r#"{"metadata":{"level":2},"name":"pdf"}"#);
    /// ```
    #[must_use]
    pub fn to_json(&self) -> Map<String, Json> {
        object(&self.fields)
    }
}

fn object(fields: &[Field]) -> Map<String, Json> {
    let mut object = Map::new();
    for field in fields {
        let key = field.key.as_ref();
        if !object.contains_key(key) {
            object.insert(key.to_owned(), json(&field.value));
        }
    }
    object
}

fn json(value: &Value) -> Json {
    match &value.content {
        Content::Scalar(scalar) => of_scalar(scalar),
        Content::Sequence(values) => values.iter().map(json).collect(),
        Content::Mapping(fields) => object(fields).into(),
    }
}

fn of_scalar(scalar: &Scalar) -> Json {
    let text = scalar.text.as_str();
    let typed = match scalar.kind {
        ScalarKind::Text => None,
        ScalarKind::Null => Some(Json::Null),
        ScalarKind::Bool => Some(text.eq_ignore_ascii_case("true").into()),
        ScalarKind::Int => whole_number(text).map(Json::Number),
        ScalarKind::Float => text
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map(Json::Number),
    };
    typed.unwrap_or_else(|| text.into())
}

fn whole_number(text: &str) -> Option<Number> {
    let digits = |prefix, radix| u64::from_str_radix(text.strip_prefix(prefix)?, radix).ok();
    let plain = text.strip_prefix('+').unwrap_or(text);
    digits("0x", 16)
        .or_else(|| digits("0o", 8))
        .or_else(|| plain.parse().ok())
        .map(Number::from)
        .or_else(|| plain.parse::<i64>().ok().map(Number::from))
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::skill::frontmatter;

    fn json(yaml: &str) -> String {
        let text = format!("---\n{yaml}\n---\n");
        let facts = frontmatter::read(text.as_bytes(), &Limits::DEFAULT);
        assert_eq!(facts.fault, None, "{yaml}");
        serde_json::Value::from(facts.to_json()).to_string()
    }

    #[test]
    fn values_keep_their_types() {
        for (yaml, value) in [
            ("a: text", r#""text""#),
            ("a: '1.10'", r#""1.10""#),
            ("a: 12", "12"),
            ("a: -7", "-7"),
            ("a: +7", "7"),
            ("a: 0x1F", "31"),
            ("a: 0o17", "15"),
            ("a: 1.5", "1.5"),
            ("a: 1E2", "100.0"),
            ("a: .inf", r#"".inf""#),
            (
                "a: 1234567890123456789012345",
                r#""1234567890123456789012345""#,
            ),
            ("a: True", "true"),
            ("a: false", "false"),
            ("a:", "null"),
            ("a: ~", "null"),
            ("a: [1, x]", r#"[1,"x"]"#),
            ("a: {b: {c: d}}", r#"{"b":{"c":"d"}}"#),
            ("a: |\n  x\n  y", r#""x\ny\n""#),
        ] {
            assert_eq!(json(yaml), format!("{{\"a\":{value}}}"), "{yaml}");
        }
    }

    #[test]
    fn the_first_of_a_double_key_counts() {
        assert_eq!(json("a: 1\nb: 2\na: 3"), r#"{"a":1,"b":2}"#);
    }
}
