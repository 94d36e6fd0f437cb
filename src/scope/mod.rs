//! Who decided: scopes, their files, and the one rule.
