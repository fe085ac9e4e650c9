-- Secrets, each under a key that is not in the database. An empty tenant stands for all.
CREATE TABLE secrets (
    tenant          TEXT   NOT NULL,
    name            TEXT   NOT NULL,
    sealed          BYTEA   NOT NULL,
    changed_unix_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, name)
);
