#!/usr/bin/env bash
# Lets other people's clients list and call the sample tools of real servers: the Python and TypeScript clients of three
# revisions of MCP, and the MCP inspector, over Streamable HTTP and standard input and output; and of the HTTP API, a
# validator of its OpenAPI document, and schemathesis, which tries what the document allows and what it forbids.
#
# The clients are pinned in tests/clients, and are installed into target/clients at the first run.
set -euo pipefail
name=clients
source "$(dirname "${BASH_SOURCE[0]}")/../tests/clients/ground.sh"

usage() {
    cat <<'USAGE'
Usage: scripts/clients.sh [--install] [CLIENT...]
       scripts/clients.sh --tokens FOLDER

  --install   only installs the clients, and the packages of providers that scripts/providers.sh asks
  --tokens    only writes keys and tokens of issuers into a folder, for the tests of identity
  CLIENT      python, python-2025-11-25, python-2025-06-18, typescript, typescript-2025-11-25, inspector, openapi,
              schemathesis; without any: all

  TOOLHOST_HOST         the program to test; without it: target/debug/host
  TOOLHOST_COMPONENTS   the folder with the components; without it: target-guests/components
  TOOLHOST_SOAK         if it is set, schemathesis goes on for half an hour, with other data at each run
USAGE
}

clients=(python python-2025-11-25 python-2025-06-18 typescript typescript-2025-11-25 inspector openapi schemathesis)

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
        --tokens)
            python 2026-07-28 tokens.py "$2"
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
            openapi) openapi ;;
            schemathesis) schemathesis ;;
        esac
    done
    say "passed: $*."
}

install() {
    local revision
    install_node_clients
    for revision in 2026-07-28 2025-11-25 2025-06-18 openapi; do
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

# Tools that end at once, and two tenants with keys.
start_api() {
    [[ -z ${API_URL:-} ]] || return 0
    export API_URL API_KEY=$ACME_KEY
    local folder=$ground/api
    place_components "$folder" math orders
    cat >"$folder/host.toml" - <<TOML
[[component]]
path = "tools/*.wasm"
trust_annotations = true
grants.kv = true

[[tenant]]
id = "acme"
keys = ["$(digest "$ACME_KEY")"]

[[tenant]]
id = "globex"
keys = ["$(digest "$GLOBEX_KEY")"]
TOML
    start_server "$folder"
    API_URL=${url%/mcp}
}

openapi() {
    local python
    install_python_client openapi
    start_api
    "$python" - "$API_URL/openapi.json" >"$ground/openapi.json" <<'PYTHON'
import sys, urllib.request
sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())
PYTHON
    "$python" -m openapi_spec_validator "$ground/openapi.json" >&2 || fail "the document is not valid; see above."
    echo "  ok  the document is valid OpenAPI"
}

# MCP has a suite of its own, and a stream of events no end.
schemathesis() {
    local python bounds=(--max-examples 20 --generation-deterministic)
    [[ -z ${TOOLHOST_SOAK:-} ]] || bounds=(--max-examples 2000 --max-time 1800 --generation-database none)
    install_python_client openapi
    start_api
    (cd "$ground" && "${python%/python}/schemathesis" --config-file "$repository/tests/clients/schemathesis.toml" --no-color \
        run "$API_URL/openapi.json" --checks all --phases examples,coverage,fuzzing,stateful "${bounds[@]}" \
        --request-timeout 20 --warnings off \
        --exclude-path /mcp --exclude-path /v1/events --exclude-operation-id upload_component >&2) || fail "schemathesis found something; see above."
    echo "  ok  schemathesis found nothing"
}

digest() {
    local hex
    hex=$(printf %s "$1" | sha256sum)
    printf 'sha256:%s' "${hex%% *}"
}

python() {
    local revision=$1 script=$2 python
    install_python_client "$revision"
    PYTHONDONTWRITEBYTECODE=1 "$python" "tests/clients/python/$script" "${3:-$revision}"
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
