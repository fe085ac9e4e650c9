#!/usr/bin/env bash
# Runs the official MCP conformance suite against a real server with the component tests/conformance.
#
# The suite's version and its whole tree of packages are pinned in tests/clients/package-lock.json, with the Node.js
# that it needs. What may fail stands in tests/conformance/expected-failures.yaml; an entry that passes fails the run.
set -euo pipefail
name=conformance
source "$(dirname "${BASH_SOURCE[0]}")/../tests/clients/ground.sh"

usage() {
    cat <<'USAGE'
Usage: scripts/conformance.sh [--no-build] [SCENARIO...]

Runs what MCP revision 2026-07-28 requires of a server, and the scenarios that the suite runs without counting them and
that are required here. With scenarios: runs only these.

  --no-build   takes the component as it was built last

  TOOLHOST_HOST         the program to test; without it: target/debug/host
  TOOLHOST_COMPONENTS   the folder with the component; without it: target-guests/components
USAGE
}

revision=2026-07-28
expected=$repository/tests/conformance/expected-failures.yaml
# The suite does not count these, since its own sample server does not pass them.
uncounted=(json-schema-2020-12 http-header-validation http-custom-header-server-validation)

main() {
    local build=yes
    case ${1:-} in
        -h | --help)
            usage
            exit 0
            ;;
        --no-build)
            build=no
            shift
            ;;
        -*)
            usage >&2
            exit 2
            ;;
    esac
    make_ground
    install_node_clients
    [[ $build == no ]] || scripts/guest-build.sh --out "$components" conformance
    local folder=$ground/conformance results=$repository/target/conformance
    place_components "$folder" conformance
    cp tests/conformance/host.toml "$folder/host.toml"
    start_server "$folder"
    rm -rf "$results"

    local failed=() scenario
    if (($# == 0)); then
        run_suite --requirements "$revision" --output-dir "$results" || failed+=("--requirements $revision")
        set -- "${uncounted[@]}"
    fi
    for scenario in "$@"; do
        run_suite --scenario "$scenario" --spec-version "$revision" --output-dir "$results" || failed+=("$scenario")
    done
    if ((${#failed[@]} > 0)); then
        fail "failed: ${failed[*]}. What the suite saw stands in ${results#"$repository"/}."
    fi
    say "passed."
}

run_suite() {
    "$node" "$cache/node/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" \
        --expected-failures "$expected" "$@"
}

main "$@"
