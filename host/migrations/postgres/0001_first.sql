-- One row for each call: who asked for what, what became of it, and what happened on the way.
CREATE TABLE calls (
    call_id           TEXT    NOT NULL PRIMARY KEY,
    tenant            TEXT    NOT NULL,
    user_id           TEXT,
    run_id            TEXT    NOT NULL,
    tool              TEXT    NOT NULL,
    component         TEXT,
    surface           TEXT    NOT NULL,
    side_effect       BIGINT  NOT NULL,
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

CREATE TABLE kv (
    tenant    TEXT  NOT NULL,
    component TEXT  NOT NULL,
    key       BYTEA NOT NULL,
    value     BYTEA NOT NULL,
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

-- One row for each idempotency key: what became of the call that has it. A side effect happens once for a key.
CREATE TABLE ledger (
    tenant           TEXT   NOT NULL,
    tool             TEXT   NOT NULL,
    key              TEXT   NOT NULL,
    arguments_digest TEXT   NOT NULL,
    state            TEXT   NOT NULL,
    call_id          TEXT   NOT NULL,
    node             TEXT   NOT NULL,
    outcome          TEXT,
    claimed_unix_ms  BIGINT NOT NULL,
    -- How often a call with the key was started: more than once only where the operator wants it at least once.
    runs             BIGINT NOT NULL,
    PRIMARY KEY (tenant, tool, key)
);
CREATE INDEX ledger_executing ON ledger (node) WHERE state = 'executing';
CREATE INDEX ledger_by_claim ON ledger (claimed_unix_ms);

-- The processes that use the store, and until when each is known to live.
CREATE TABLE nodes (
    id            TEXT   NOT NULL PRIMARY KEY,
    lease_unix_ms BIGINT NOT NULL,
    -- The hash of the tools that it serves; none while it does not serve.
    tools         TEXT
);
