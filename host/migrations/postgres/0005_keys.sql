-- Keys that callers, reviewers and operators show. Of a key only its digest is here.
CREATE TABLE api_keys (
    id              TEXT   NOT NULL PRIMARY KEY,
    digest          TEXT   NOT NULL,
    tenant          TEXT   NOT NULL,
    user_id         TEXT,
    roles           TEXT   NOT NULL,
    -- Patterns of the tools that it leaves, with a space between two; all if nothing stands here.
    allowed         TEXT,
    name            TEXT,
    created_unix_ms BIGINT NOT NULL,
    expires_unix_ms BIGINT,
    revoked_unix_ms BIGINT,
    replaced_by     TEXT
);

-- What was done with each of them, by whom and when. Nothing removes it.
CREATE TABLE api_key_changes (
    key_id          TEXT   NOT NULL,
    change          TEXT   NOT NULL,
    changed_by      TEXT   NOT NULL,
    changed_unix_ms BIGINT NOT NULL,
    PRIMARY KEY (key_id, change)
);
