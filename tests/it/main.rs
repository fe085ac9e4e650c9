//! The tests of toolhost from outside. One program, so that it is linked once; one module for each behaviour.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on says so"
)]

mod api;
mod approvals;
mod budgets;
mod chaos;
mod clients;
mod clocks;
mod compilers;
mod components;
mod deploy;
mod egress;
mod encrypted;
mod files;
mod full;
mod fuzzed;
mod guests;
mod identity;
mod inputs;
mod kills;
mod ledger;
mod limits;
mod load;
mod many;
mod names;
mod nested;
mod numbers;
mod outage;
mod providers;
mod quotas;
mod rebound;
mod reloads;
mod retries;
mod secrets;
mod surfaces;
mod tenant_quotas;
mod tenants;
mod tidy;
mod traces;
mod waits;
mod wall;
