//! Pages of the rules about scope files, conversations, stores and the catalog, which
//! `check` does not look at.

use super::Record;
use crate::diagnostic::Rule;

pub(super) const RECORDS: &[Record] = &[
    Record {
        rule: Rule::ScopeUnreadable,
        title: "a scope file cannot be read",
        what: "A scope file is there, and the system refuses to read it.",
        why: "It may turn a skill off, so until it can be read no skill is offered to a model.",
        bad: "",
        good: "",
        agents: "",
    },
    Record {
        rule: Rule::ScopeMalformed,
        title: "a scope file is not what it must be",
        what: "A scope file is not JSON, or `on` or `off` in it is not a list of texts.",
        why: "It may turn a skill off, so until it is mended no skill is offered to a model; and it is never overwritten.",
        bad: "{\"on\": \"pdf-tools\"}\n",
        good: "{\"on\": [\"pdf-tools\"]}\n",
        agents: "",
    },
    Record {
        rule: Rule::ScopeBothLists,
        title: "a name stands in both lists",
        what: "A scope file has the same name under `on` and under `off`.",
        why: "The skill is off, which one of the two hands did not mean.",
        bad: "{\"on\": [\"pdf-tools\"], \"off\": [\"pdf-tools\"]}\n",
        good: "{\"off\": [\"pdf-tools\"]}\n",
        agents: "",
    },
    Record {
        rule: Rule::ScopeDuplicate,
        title: "a name stands twice in one list",
        what: "A list of a scope file has the same name twice.",
        why: "One of them can go, and whoever takes out the other by hand wonders why nothing changes.",
        bad: "{\"on\": [\"pdf-tools\", \"pdf-tools\"]}\n",
        good: "{\"on\": [\"pdf-tools\"]}\n",
        agents: "",
    },
    Record {
        rule: Rule::AttachedFolder,
        title: "an attached folder is not there",
        what: "A conversation's meta.json names a folder under `places` that is not there, or is not a folder.",
        why: "Its skills are not found.",
        bad: "",
        good: "",
        agents: "",
    },
    Record {
        rule: Rule::StoreUnreachable,
        title: "the store of personal skills gives no answer",
        what: "The store of personal skills is away, slow, damaged, or newer than this program.",
        why: "Which personal skills there are is not known; skills in folders go on working.",
        bad: "",
        good: "",
        agents: "",
    },
    Record {
        rule: Rule::CatalogBound,
        title: "more findings than a catalog carries",
        what: "A catalog in JSON or XML ends with at most 64 findings.",
        why: "The rest is counted here; `list` shows all of them.",
        bad: "",
        good: "",
        agents: "",
    },
];
