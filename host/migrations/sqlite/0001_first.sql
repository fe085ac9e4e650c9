-- One row for each call: who asked for what, what became of it, and what happened on the way.
CREATE TABLE calls (
    call_id           TEXT    NOT NULL PRIMARY KEY,
    tenant            TEXT    NOT NULL,
    user_id           TEXT,
    run_id            TEXT    NOT NULL,
    tool              TEXT    NOT NULL,
    component         TEXT,
    surface           TEXT    NOT NULL,
    side_effect       BOOLEAN NOT NULL,
    started_unix_ms   BIGINT  NOT NULL,
    wall_ms           BIGINT  NOT NULL,
    fuel              BIGINT  NOT NULL,
    memory_peak_bytes BIGINT  NOT NULL,
    attempt           BIGINT  NOT NULL,
    code              TEXT    NOT NULL,
    gate              BIGINT,
    kind              TEXT,
    message           TEXT,
    operator          TEXT,
    arguments         TEXT    NOT NULL,
    raw_content       TEXT,
    raw_structured    TEXT,
    events            TEXT,
    node              TEXT    NOT NULL
);
CREATE INDEX calls_by_start ON calls (started_unix_ms);
CREATE INDEX calls_executing ON calls (node) WHERE code = 'executing';

-- Keys are bytes, so that their order does not depend on a collation.
CREATE TABLE kv (
    tenant    TEXT NOT NULL,
    component TEXT NOT NULL,
    key       BLOB NOT NULL,
    value     BLOB NOT NULL,
    PRIMARY KEY (tenant, component, key)
);

-- What each scope of kv holds, kept in step by the transaction that changes it.
CREATE TABLE kv_usage (
    tenant    TEXT   NOT NULL,
    component TEXT   NOT NULL,
    entries   BIGINT NOT NULL,
    bytes     BIGINT NOT NULL,
    PRIMARY KEY (tenant, component)
);

-- Questions to reviewers. `binding` is the hash of all that an approval is good for.
CREATE TABLE approvals (
    id               TEXT   NOT NULL PRIMARY KEY,
    state            TEXT   NOT NULL,
    binding          TEXT   NOT NULL,
    tenant           TEXT   NOT NULL,
    user_id          TEXT,
    tool             TEXT   NOT NULL,
    component        TEXT   NOT NULL,
    arguments_digest TEXT   NOT NULL,
    policy_hash      TEXT   NOT NULL,
    arguments        TEXT   NOT NULL,
    created_unix_ms  BIGINT NOT NULL,
    expires_unix_ms  BIGINT NOT NULL,
    decided_unix_ms  BIGINT,
    decided_by       TEXT,
    reason           TEXT
);
CREATE INDEX approvals_by_binding ON approvals (binding, state);
CREATE UNIQUE INDEX approvals_open ON approvals (binding) WHERE state = 'pending';
CREATE INDEX approvals_by_expiry ON approvals (expires_unix_ms);
