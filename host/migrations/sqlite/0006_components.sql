-- What is known under each component's name: what was accepted last, and what waits for an operator. A mark is the hash
-- of a description; tools are their names, with blanks between.
CREATE TABLE components (
    name                 TEXT   NOT NULL PRIMARY KEY,
    uploaded             BIGINT NOT NULL,
    accepted_digest      TEXT,
    accepted_mark        TEXT,
    accepted_tools       TEXT,
    accepted_description TEXT,
    accepted_by          TEXT,
    accepted_unix_ms     BIGINT,
    waiting_digest       TEXT,
    waiting_mark         TEXT,
    waiting_tools        TEXT,
    waiting_description  TEXT,
    waiting_by           TEXT,
    waiting_unix_ms      BIGINT
);

-- How often the table above changed, for processes that look.
CREATE TABLE components_changed (
    id    BIGINT NOT NULL PRIMARY KEY,
    times BIGINT NOT NULL
);
INSERT INTO components_changed (id, times) VALUES (1, 0);

-- The bytes of uploaded components, in parts that one request can carry.
CREATE TABLE component_parts (
    digest       TEXT   NOT NULL,
    part         BIGINT NOT NULL,
    bytes        BLOB   NOT NULL,
    kept_unix_ms BIGINT NOT NULL,
    PRIMARY KEY (digest, part)
);
