-- Personal skills of a team, version 1: tables, rules, roles, rights.
--
-- Run it once, as the owner of the database:
--
--     codeaf-skills personal init-team | psql -v ON_ERROR_STOP=1 DATABASE
--
-- Then let people in, each under a role of their own:
--
--     GRANT codeaf_skills_user TO alice;     -- keeps skills
--     GRANT codeaf_skills_admin TO carol;    -- may list, read and remove those of others
--
-- Whoever is to keep skills and to look after those of others gets both. The
-- administrators can read every personal skill, and the audit keeps every text
-- that ever stood in one. Roles are of the whole server: whoever has one of the
-- two has it in each of its databases that is set up. The rules stand here and not in the program, so that
-- they hold for every client; the numbers are those of the program, which a
-- test compares.

BEGIN;

-- What others put into `public` is not meant by anything below.
SET LOCAL search_path = pg_catalog, pg_temp;

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['codeaf_skills_user', 'codeaf_skills_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION
                -- Another database of the server was set up at that moment.
                WHEN duplicate_object OR unique_violation THEN NULL;
            END;
        END IF;
    END LOOP;
END
$$;

CREATE SCHEMA codeaf_skills;
REVOKE ALL ON SCHEMA codeaf_skills FROM PUBLIC;
GRANT USAGE ON SCHEMA codeaf_skills TO codeaf_skills_user, codeaf_skills_admin;

CREATE TABLE codeaf_skills.schema_version (
    version integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO codeaf_skills.schema_version (version) VALUES (1);
GRANT SELECT ON codeaf_skills.schema_version TO codeaf_skills_user, codeaf_skills_admin;

-- One row for each owner, to be locked while a skill is put in.
CREATE TABLE codeaf_skills.personal_skill_owners (
    owner text PRIMARY KEY,
    insertions bigint NOT NULL DEFAULT 1
);

CREATE TABLE codeaf_skills.personal_skills (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner text NOT NULL DEFAULT session_user,
    name text NOT NULL
        CONSTRAINT personal_skills_name_is_kebab CHECK (name ~ '^[a-z0-9]+(-[a-z0-9]+)*$')
        CONSTRAINT personal_skills_name_bytes CHECK (octet_length(name) <= 256),
    description text NOT NULL DEFAULT ''
        CONSTRAINT personal_skills_description_bytes CHECK (octet_length(description) <= 4096),
    content bytea NOT NULL
        CONSTRAINT personal_skills_content_bytes CHECK (octet_length(content) <= 65536),
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT personal_skills_owner_name UNIQUE (owner, name)
);

CREATE TABLE codeaf_skills.personal_skill_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor text NOT NULL,
    owner text NOT NULL,
    skill text NOT NULL,
    action text NOT NULL CHECK (action IN ('add', 'replace', 'remove')),
    before bytea,
    after bytea
);
CREATE INDEX personal_skill_audit_owner ON codeaf_skills.personal_skill_audit (owner, id);

-- The 101st skill of an owner is refused. The owner's row is written, and not
-- only locked, so that a client under a stricter isolation fails instead of
-- counting what it no longer sees.
CREATE FUNCTION codeaf_skills.hold_limit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO codeaf_skills.personal_skill_owners AS owners (owner) VALUES (NEW.owner)
    ON CONFLICT (owner) DO UPDATE SET insertions = owners.insertions + 1;
    IF (SELECT count(*) FROM codeaf_skills.personal_skills WHERE owner = NEW.owner) >= 100 THEN
        RAISE EXCEPTION 'an owner has at most 100 personal skills'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'personal_skills_per_user_limit';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER hold_limit BEFORE INSERT ON codeaf_skills.personal_skills
    FOR EACH ROW EXECUTE FUNCTION codeaf_skills.hold_limit();

-- Name and owner never change; version and time always do.
CREATE FUNCTION codeaf_skills.hold_identity() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (NEW.id, NEW.owner, NEW.name, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.owner, OLD.name, OLD.created_at) THEN
        RAISE EXCEPTION 'a personal skill cannot be renamed'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'personal_skill_rename';
    END IF;
    NEW.version := OLD.version + 1;
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END
$$;
CREATE TRIGGER hold_identity BEFORE UPDATE ON codeaf_skills.personal_skills
    FOR EACH ROW EXECUTE FUNCTION codeaf_skills.hold_identity();

-- Each change is written down, whoever makes it and by whatever client.
CREATE FUNCTION codeaf_skills.write_down() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO codeaf_skills.personal_skill_audit (actor, owner, skill, action, after)
        VALUES (session_user, NEW.owner, NEW.name, 'add', NEW.content);
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO codeaf_skills.personal_skill_audit (actor, owner, skill, action, before, after)
        VALUES (session_user, NEW.owner, NEW.name, 'replace', OLD.content, NEW.content);
    ELSE
        INSERT INTO codeaf_skills.personal_skill_audit (actor, owner, skill, action, before)
        VALUES (session_user, OLD.owner, OLD.name, 'remove', OLD.content);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER write_down AFTER INSERT OR UPDATE OR DELETE ON codeaf_skills.personal_skills
    FOR EACH ROW EXECUTE FUNCTION codeaf_skills.write_down();

-- The audit only grows, and nothing is emptied past it.
CREATE FUNCTION codeaf_skills.refuse() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the audit of personal skills only grows'
        USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON codeaf_skills.personal_skill_audit
    FOR EACH STATEMENT EXECUTE FUNCTION codeaf_skills.refuse();
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON codeaf_skills.personal_skills
    FOR EACH STATEMENT EXECUTE FUNCTION codeaf_skills.refuse();
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA codeaf_skills FROM PUBLIC;

-- An owner has everything on the own rows. An administrator lists, reads and
-- removes those of others. To everybody else they are not there.
GRANT SELECT, DELETE, INSERT (name, description, content), UPDATE (description, content)
    ON codeaf_skills.personal_skills TO codeaf_skills_user;
GRANT SELECT, DELETE ON codeaf_skills.personal_skills TO codeaf_skills_admin;
GRANT SELECT ON codeaf_skills.personal_skill_audit TO codeaf_skills_user, codeaf_skills_admin;

ALTER TABLE codeaf_skills.personal_skills ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON codeaf_skills.personal_skills
    USING (owner = session_user) WITH CHECK (owner = session_user);
CREATE POLICY admin_reads ON codeaf_skills.personal_skills
    FOR SELECT TO codeaf_skills_admin USING (true);
CREATE POLICY admin_removes ON codeaf_skills.personal_skills
    FOR DELETE TO codeaf_skills_admin USING (true);

ALTER TABLE codeaf_skills.personal_skill_audit ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_records ON codeaf_skills.personal_skill_audit
    FOR SELECT USING (owner = session_user);
CREATE POLICY admin_reads ON codeaf_skills.personal_skill_audit
    FOR SELECT TO codeaf_skills_admin USING (true);

COMMIT;
