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
    PRIMARY KEY (tenant, tool, key)
);
CREATE INDEX ledger_executing ON ledger (node) WHERE state = 'executing';
CREATE INDEX ledger_by_claim ON ledger (claimed_unix_ms);
