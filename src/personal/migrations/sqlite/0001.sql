-- Version 1 of a SQLite store. One file has one owner. The numbers are those
-- of `Limits`, which a test compares.

CREATE TABLE personal_skills (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
        CONSTRAINT name_is_kebab CHECK (
            name <> ''
            AND instr(CAST(name AS BLOB), x'00') = 0
            AND name NOT GLOB '*[^a-z0-9-]*'
            AND name NOT GLOB '-*'
            AND name NOT GLOB '*-'
            AND name NOT GLOB '*--*'
        )
        CONSTRAINT name_bytes CHECK (length(CAST(name AS BLOB)) <= 256),
    description TEXT NOT NULL DEFAULT ''
        CONSTRAINT description_bytes CHECK (length(CAST(description AS BLOB)) <= 4096),
    version INTEGER NOT NULL DEFAULT 1,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- Last, so that a listing reads no page of it.
    content BLOB NOT NULL
        CONSTRAINT content_bytes CHECK (length(content) <= 65536)
) STRICT;

-- Who is writing: set by this program at the beginning of a change and taken
-- back at its end, so that a change by another program has no false name.
CREATE TABLE personal_actor (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL
) STRICT;
INSERT INTO personal_actor VALUES (1, 'unknown');

CREATE TABLE personal_skill_audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    actor TEXT NOT NULL,
    skill TEXT NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('add', 'replace', 'remove')),
    before BLOB,
    after BLOB
) STRICT;

CREATE TRIGGER personal_skills_limit BEFORE INSERT ON personal_skills
WHEN (SELECT count(*) FROM personal_skills) >= 100
BEGIN
    SELECT RAISE(ABORT, 'personal_skills_per_user_limit');
END;

CREATE TRIGGER personal_skills_no_rename BEFORE UPDATE OF id, name ON personal_skills
WHEN NEW.name IS NOT OLD.name OR NEW.id IS NOT OLD.id
BEGIN
    SELECT RAISE(ABORT, 'personal_skill_rename');
END;

CREATE TRIGGER personal_skills_added AFTER INSERT ON personal_skills
BEGIN
    INSERT INTO personal_skill_audit (actor, skill, action, after)
    SELECT name, NEW.name, 'add', NEW.content FROM personal_actor;
END;

CREATE TRIGGER personal_skills_replaced AFTER UPDATE OF content ON personal_skills
BEGIN
    INSERT INTO personal_skill_audit (actor, skill, action, before, after)
    SELECT name, NEW.name, 'replace', OLD.content, NEW.content FROM personal_actor;
END;

CREATE TRIGGER personal_skills_removed AFTER DELETE ON personal_skills
BEGIN
    INSERT INTO personal_skill_audit (actor, skill, action, before)
    SELECT name, OLD.name, 'remove', OLD.content FROM personal_actor;
END;

CREATE TRIGGER personal_skill_audit_kept BEFORE DELETE ON personal_skill_audit
BEGIN
    SELECT RAISE(ABORT, 'personal_skill_audit_append_only');
END;

CREATE TRIGGER personal_skill_audit_true BEFORE UPDATE ON personal_skill_audit
BEGIN
    SELECT RAISE(ABORT, 'personal_skill_audit_append_only');
END;
