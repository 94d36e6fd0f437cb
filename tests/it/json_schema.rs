//! Just enough of JSON Schema (draft 7) for the schema of SARIF. The common
//! libraries cost 55 crates and refuse one of that schema's own patterns.
//!
//! A word that is not known here stops the test, and so does a pattern that a
//! value would have to fit: nothing is passed over in silence.

use serde_json::Value;

/// Words that ask for nothing.
const REMARKS: [&str; 6] = [
    "$schema",
    "$id",
    "title",
    "description",
    "default",
    "definitions",
];

/// Returns what in `value` breaks the schema `root`, each fault with its place.
pub(crate) fn faults(root: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    judge(root, root, value, "", &mut found);
    found
}

fn judge(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (word, asked) in schema.as_object().unwrap() {
        let holds = match word.as_str() {
            word if REMARKS.contains(&word) => true,
            "$ref" => {
                let target = asked.as_str().unwrap().strip_prefix('#').unwrap();
                judge(root, root.pointer(target).unwrap(), value, at, found);
                true
            }
            "type" => is_of_type(value, asked.as_str().unwrap()),
            "enum" => asked.as_array().unwrap().contains(value),
            "minimum" => value
                .as_i64()
                .is_none_or(|number| number >= asked.as_i64().unwrap()),
            "maximum" => value
                .as_i64()
                .is_none_or(|number| number <= asked.as_i64().unwrap()),
            "minItems" => value
                .as_array()
                .is_none_or(|items| items.len() as u64 >= asked.as_u64().unwrap()),
            "uniqueItems" => value
                .as_array()
                .is_none_or(|items| (1..items.len()).all(|at| !items[..at].contains(&items[at]))),
            "format" => value
                .as_str()
                .is_none_or(|text| is_uri(text, asked.as_str().unwrap())),
            "pattern" => {
                assert!(!value.is_string(), "{at}: a pattern is not looked at");
                true
            }
            "required" => asked.as_array().unwrap().iter().all(|name| {
                value
                    .as_object()
                    .is_none_or(|object| object.contains_key(name.as_str().unwrap()))
            }),
            "anyOf" | "oneOf" => {
                let fitting = asked
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|choice| {
                        let mut faults = Vec::new();
                        judge(root, choice, value, at, &mut faults);
                        faults.is_empty()
                    })
                    .count();
                fitting == 1 || (word == "anyOf" && fitting > 1)
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    judge(root, asked, item, &format!("{at}/{index}"), found);
                }
                true
            }
            "properties" | "additionalProperties" => {
                properties(root, schema, word, value, at, found);
                true
            }
            word => panic!("{at}: the word {word} is not known here"),
        };
        if !holds {
            found.push(format!("{at}: {word} {asked} does not hold of {value}"));
        }
    }
}

fn properties(
    root: &Value,
    schema: &Value,
    word: &str,
    value: &Value,
    at: &str,
    found: &mut Vec<String>,
) {
    for (name, part) in value.as_object().into_iter().flatten() {
        let named = &schema["properties"][name];
        let at = format!("{at}/{name}");
        match (word, named.is_object(), &schema["additionalProperties"]) {
            ("properties", true, _) => judge(root, named, part, &at, found),
            ("additionalProperties", false, Value::Bool(false)) => {
                found.push(format!("{at}: no such property"));
            }
            ("additionalProperties", false, asked @ Value::Object(_)) => {
                judge(root, asked, part, &at, found);
            }
            _ => {}
        }
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        name => panic!("the type {name} is not known here"),
    }
}

/// Whether `text` has the characters of a URI, and its scheme if it needs one.
fn is_uri(text: &str, format: &str) -> bool {
    let has_scheme = text
        .split_once(':')
        .is_some_and(|(scheme, _)| scheme.bytes().all(|b| b.is_ascii_alphanumeric()));
    let is_written_so = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&b));
    match format {
        "uri" => has_scheme && is_written_so,
        "uri-reference" => is_written_so,
        format => panic!("the format {format} is not known here"),
    }
}

#[test]
fn what_breaks_a_schema_is_found() {
    let schema = serde_json::json!({
        "type": "object",
        "required": ["a"],
        "additionalProperties": false,
        "properties": {
            "a": {"$ref": "#/definitions/number"},
            "b": {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"enum": ["x", "y"]}},
            "c": {"type": "string", "format": "uri-reference"},
            "d": {"oneOf": [{"required": ["e"]}, {"required": ["f"]}]},
        },
        "definitions": {"number": {"type": "integer", "minimum": 1, "maximum": 9}},
    });

    for (value, count) in [
        (
            serde_json::json!({"a": 1, "b": ["x", "y"], "c": "a%20b", "d": {"e": 1}}),
            0,
        ),
        (serde_json::json!([]), 1),
        (serde_json::json!({}), 1),
        (serde_json::json!({"a": 0}), 1),
        (serde_json::json!({"a": 10}), 1),
        (serde_json::json!({"a": "1"}), 1),
        (serde_json::json!({"a": 1, "b": []}), 1),
        (serde_json::json!({"a": 1, "b": ["x", "x"]}), 1),
        (serde_json::json!({"a": 1, "b": ["z"]}), 1),
        (serde_json::json!({"a": 1, "c": "a b"}), 1),
        (serde_json::json!({"a": 1, "d": {}}), 1),
        (serde_json::json!({"a": 1, "d": {"e": 1, "f": 1}}), 1),
        (serde_json::json!({"a": 1, "z": 1}), 1),
    ] {
        assert_eq!(faults(&schema, &value).len(), count, "{value}");
    }
}
