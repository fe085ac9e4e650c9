#!/usr/bin/env bash
# Runs a command with a PostgreSQL server of its own, whose address is in TOOLHOST_TEST_POSTGRES.
#
# It owns the server: a fresh cluster in a temporary folder, on a free port of this machine, gone when the command ends.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: scripts/postgres.sh COMMAND [ARGUMENT...]
       scripts/postgres.sh --check

Starts a PostgreSQL server that nobody else uses, runs the command and stops the server.

  --check   only says whether a server can be started here

Exit codes: that of the command; 2 the command line is wrong, 3 PostgreSQL is missing.
USAGE
}

main() {
    case ${1:-} in
        "")
            usage >&2
            exit 2
            ;;
        -h | --help)
            usage
            exit 0
            ;;
    esac
    find_server
    if [[ $1 == --check ]]; then
        say "PostgreSQL is in $bin."
        return
    fi
    start
    trap stop EXIT
    TOOLHOST_TEST_POSTGRES="postgres://toolhost@127.0.0.1:$port" "$@"
}

# Debian keeps the server's programs out of the path, by version.
find_server() {
    local initdb
    initdb=$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1 || true)
    [[ -n $initdb ]] || fail "PostgreSQL's server is missing. ./setup.sh installs it."
    bin=$(dirname "$(readlink -f "$initdb")")
    command -v psql >/dev/null || fail "psql is missing. ./setup.sh installs it."
}

start() {
    folder=$(mktemp -d)
    # The server refuses to run as root.
    as_server=()
    if ((EUID == 0)); then
        id postgres >/dev/null 2>&1 || fail "there is no user 'postgres' to run the server as."
        chown postgres "$folder"
        as_server=(runuser -u postgres --)
    fi
    cd "$folder"
    "${as_server[@]}" "$bin/initdb" --pgdata "$folder/data" --username toolhost --auth trust --encoding UTF8 \
        --locale C --no-sync >"$folder/initdb.log" 2>&1 || fail "initdb failed: $(tail -3 "$folder/initdb.log")"
    local try
    for try in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 20000))
        # Every test has a database and several processes of its own. What is lost with the machine is of no use here.
        if "${as_server[@]}" "$bin/pg_ctl" --pgdata "$folder/data" --log "$folder/server.log" --wait --timeout 60 \
            --options "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=400 \
                -c fsync=off -c full_page_writes=off" start >"$folder/start.log" 2>&1; then
            cd "$OLDPWD"
            return
        fi
    done
    fail "the server did not start: $(tail -5 "$folder/server.log")"
}

stop() {
    "${as_server[@]}" "$bin/pg_ctl" --pgdata "$folder/data" --mode immediate --wait stop >/dev/null 2>&1 || true
    rm -rf "$folder"
}

say() {
    printf 'postgres: %s\n' "$*"
}

fail() {
    printf 'postgres: %s\n' "$*" >&2
    exit 3
}

main "$@"
