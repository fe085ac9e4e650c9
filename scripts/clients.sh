#!/usr/bin/env bash
# Lets other people's MCP clients list and call the sample tools of real servers: the Python and TypeScript clients of
# three revisions of the protocol, and the MCP inspector, over Streamable HTTP and standard input and output.
#
# The clients are pinned in tests/clients, and are installed into target/clients at the first run.
set -euo pipefail
name=clients
source "$(dirname "${BASH_SOURCE[0]}")/../tests/clients/ground.sh"

usage() {
    cat <<'USAGE'
Usage: scripts/clients.sh [--install] [CLIENT...]

  --install   only installs the clients, and the packages of providers that scripts/providers.sh asks
  CLIENT      python, python-2025-11-25, python-2025-06-18, typescript, typescript-2025-11-25, inspector; without any: all

  TOOLHOST_HOST         the program to test; without it: target/debug/host
  TOOLHOST_COMPONENTS   the folder with the components; without it: target-guests/components
USAGE
}

clients=(python python-2025-11-25 python-2025-06-18 typescript typescript-2025-11-25 inspector)

main() {
    case ${1:-} in
        -h | --help)
            usage
            exit 0
            ;;
        --install)
            install
            exit 0
            ;;
    esac
    (($# > 0)) || set -- "${clients[@]}"
    local client
    for client in "$@"; do
        [[ " ${clients[*]} " == *" $client "* ]] || {
            usage >&2
            exit 2
        }
    done
    make_ground
    start_shipped
    start_keyed
    for client in "$@"; do
        say "$client"
        case $client in
            python) python 2026-07-28 modern.py ;;
            python-*) python "${client#python-}" legacy.py ;;
            typescript) typescript modern.mjs ;;
            typescript-*) typescript legacy.mjs ;;
            inspector) inspector ;;
        esac
    done
    say "passed: $*."
}

install() {
    local revision
    install_node_clients
    for revision in 2026-07-28 2025-11-25 2025-06-18; do
        install_python_client "$revision"
    done
    # For scripts/providers.sh.
    install_python_client providers
}

# What a person has after `just build-tools`: the repository's own configuration and folders, untouched.
start_shipped() {
    export HOST=$host SHIPPED_FOLDER=$ground/shipped SHIPPED_URL SHIPPED_PID
    place_components "$SHIPPED_FOLDER" math orders search desk chaos
    cp host.toml "$SHIPPED_FOLDER/"
    cp -R documents "$SHIPPED_FOLDER/"
    start_server "$SHIPPED_FOLDER"
    SHIPPED_URL=$url SHIPPED_PID=$server
}

# The same with two tenants, a key for each, the tools of the conformance suite, and one permit for each tool.
start_keyed() {
    export KEYED_FOLDER=$ground/keyed KEYED_URL ACME_KEY=key-of-acme-for-the-tests GLOBEX_KEY=key-of-globex-for-the-tests
    place_components "$KEYED_FOLDER" math orders search desk chaos conformance
    cp -R documents "$KEYED_FOLDER/"
    cat host.toml - >"$KEYED_FOLDER/host.toml" <<TOML

[pools.default]
size = 8
tool_share = 1
tenant_share = 8

[[tenant]]
id = "acme"
keys = ["$(digest "$ACME_KEY")"]

[[tenant]]
id = "globex"
deny = ["cancel_*"]
keys = ["$(digest "$GLOBEX_KEY")"]
TOML
    start_server "$KEYED_FOLDER"
    KEYED_URL=$url
}

digest() {
    local hex
    hex=$(printf %s "$1" | sha256sum)
    printf 'sha256:%s' "${hex%% *}"
}

python() {
    local revision=$1 script=$2 python
    install_python_client "$revision"
    PYTHONDONTWRITEBYTECODE=1 "$python" "tests/clients/python/$script" "$revision"
}

# The scripts look for their packages in the folders above their own.
typescript() {
    install_node_clients
    mkdir -p "$ground/typescript"
    cp tests/clients/typescript/*.mjs "$ground/typescript/"
    ln -sfn "$cache/node/node_modules" "$ground/typescript/node_modules"
    "$node" "$ground/typescript/$1"
}

# The inspector says which schemas are not portable; with --strict an error fails it. A warning fails it here.
inspector() {
    install_node_clients
    local era
    for era in modern legacy; do
        inspect "$SHIPPED_URL" "HTTP, $era" --protocol-era "$era"
    done
    (cd "$SHIPPED_FOLDER" && inspect "$HOST serve --stdio" "standard input and output")
    local answer
    answer=$(run_inspector "$SHIPPED_URL" --protocol-era modern --method tools/call --tool-name multiply \
        --tool-args-json '{"a":6,"b":7}' --format json --quiet)
    [[ $answer == *'"text":"42"'* ]] || fail "the inspector did not get 42: $answer"
    echo "  ok  the inspector calls multiply"
}

inspect() {
    local target=$1 what=$2 words
    shift 2
    # shellcheck disable=SC2086 # A command is several words.
    words=$(run_inspector $target "$@" --method tools/list --strict --format json 2>&1 >"$ground/inspected.json") ||
        fail "the inspector fails over $what: $words"
    grep -q '"search_documents"' "$ground/inspected.json" || fail "the inspector lists no search_documents over $what."
    grep -Eiq 'warning|error' <<<"$words" && fail "the inspector complains over $what: $words"
    echo "  ok  the inspector has nothing to say about the tools over $what"
}

run_inspector() {
    HOME=$ground "$node" "$cache/node/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" \
        --cli "$@" </dev/null
}

main "$@"
