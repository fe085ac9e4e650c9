-- How often a call with the key was started: more than once only where the operator wants it at least once.
ALTER TABLE ledger ADD COLUMN runs BIGINT NOT NULL DEFAULT 1;
