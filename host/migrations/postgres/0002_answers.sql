-- The key for what clients keep for the host between two requests. One row.
CREATE TABLE seals (
    id  BIGINT NOT NULL PRIMARY KEY,
    key BYTEA  NOT NULL
);
-- The arguments that a reviewer wants instead of those that were asked about.
ALTER TABLE approvals ADD COLUMN edited_arguments TEXT;
