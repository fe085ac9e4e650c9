-- A tenant's latest calls are listed a page at a time. Ids are in the order of calls.
CREATE INDEX calls_by_tenant ON calls (tenant, call_id);
