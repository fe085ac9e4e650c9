# What is done often, by name. `just` lists it; ./setup.sh brings what the recipes need.

set shell := ["bash", "-euo", "pipefail", "-c"]

# Tests find their components here, apart from the operator's own in tools/.
test_components := "target-guests/components"

# The tests that are about the store run on SQLite and once more on PostgreSQL.
on_postgres := "test(store::) - test(on_sqlite) or test(/^(api::(keyed|routes|served)|approvals|clocks|components|encrypted|full|identity|inputs|kills|ledger|many|nested|outage|rebound|reloads|retries|secrets|tenants|traces|waits)::/)"

# List the recipes.
default:
    @just --list --unsorted

# Build the sample tools into tools/.
build-tools:
    scripts/guest-build.sh

# Build everything but the guests.
build:
    cargo build --locked

# Run all tests, after building the components and the program that they call.
test: test-components test-clients
    cargo build --workspace --bins --tests --locked
    cargo test --doc --workspace --locked
    cargo nextest run --workspace --locked -E 'not test(on_postgres)'
    scripts/postgres.sh cargo nextest run --workspace --locked -E '{{ on_postgres }}'

# Run the same tests with larger numbers; this takes hours.
soak: test-components test-clients
    cargo build --workspace --bins --tests --locked
    TOOLHOST_SOAK=1 cargo nextest run --workspace --locked --profile soak -E 'not test(on_postgres)'
    TOOLHOST_SOAK=1 scripts/postgres.sh cargo nextest run --workspace --locked --profile soak -E '{{ on_postgres }}'

# Look for inputs that break a promise, 15 minutes for each target, or as scripts/fuzz.sh --help says.
fuzz *arguments:
    scripts/fuzz.sh {{ arguments }}

# Build the components that the tests call.
test-components:
    scripts/guest-build.sh --out {{ test_components }}
    scripts/guest-build.sh --out {{ test_components }} conformance effects files web

# Install the MCP clients that the tests let call, and the schemas that manifests are compared with.
test-clients:
    scripts/clients.sh --install
    scripts/manifests.sh --install

# Check format, lints, licences and the origin of dependencies.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo deny --locked check licenses bans sources

# Format all code.
fmt:
    cargo fmt --all

# Build the documentation; a warning is an error.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Measure speed against bare Wasmtime, and print the ratios: all of them, or those named, as in `just bench p4`.
bench *parts: test-components
    cargo build --release --locked --package toolhost --bins
    scripts/postgres.sh cargo bench --locked --package toolhost-tests --bench speed -- {{ parts }}

# Measure calls over HTTP against a bare route of the same library, at 1 and at 16 connections, and print the ratios.
bench-http: test-components
    cargo build --release --locked --package toolhost --bins
    cargo bench --locked --package toolhost-tests --bench speed -- http

# Run the official MCP conformance suite against a component of this repository.
conformance:
    cargo build --locked --package toolhost --bin host
    scripts/conformance.sh

# Let other people's MCP clients call the sample tools.
clients: test-components
    cargo build --locked --package toolhost --bin host
    scripts/clients.sh

# Do what the continuous integration does.
ci:
    bash .ci/run
