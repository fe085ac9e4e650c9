#!/usr/bin/env bash
# Runs a command with a PostgreSQL server of its own, whose address is in TOOLHOST_TEST_POSTGRES.
#
# It owns the server: a fresh cluster in a temporary folder, on a free port of this machine, gone when the command ends. Who
# wants TLS gets it, from a certificate whose authority is the file in TOOLHOST_TEST_POSTGRES_CA.
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
    # A proxy between a host and the server has to understand what they say: TLS is for those who ask for it.
    PGSSLMODE=disable TOOLHOST_TEST_POSTGRES="postgres://toolhost@127.0.0.1:$port" \
        TOOLHOST_TEST_POSTGRES_CA="$folder/public/ca.pem" "$@"
}

# Debian keeps the server's programs out of the path, by version.
find_server() {
    local initdb
    initdb=$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1 || true)
    [[ -n $initdb ]] || fail "PostgreSQL's server is missing. ./setup.sh installs it."
    bin=$(dirname "$(readlink -f "$initdb")")
    # Debian's PostgreSQL brings openssl along.
    command -v openssl >/dev/null || fail "openssl is missing. ./setup.sh installs it."
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
    certify
    local try
    for try in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 20000))
        # Every test has a database and several processes of its own. What is lost with the machine is of no use here.
        if "${as_server[@]}" "$bin/pg_ctl" --pgdata "$folder/data" --log "$folder/server.log" --wait --timeout 60 \
            --options "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=400 \
                -c ssl=on -c ssl_cert_file=$folder/server.pem -c ssl_key_file=$folder/server.key \
                -c fsync=off -c full_page_writes=off" start >"$folder/start.log" 2>&1; then
            cd "$OLDPWD"
            return
        fi
    done
    fail "the server did not start: $(tail -5 "$folder/server.log")"
}

# An authority for this run alone, and a certificate of it for `localhost` and for no other name.
certify() {
    mkdir -m 755 "$folder/public"
    chmod 711 "$folder"
    {
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority \
            -addext basicConstraints=critical,CA:TRUE -keyout "$folder/ca.key" -out "$folder/public/ca.pem"
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \
            -keyout "$folder/server.key" -out "$folder/server.csr"
        openssl x509 -req -in "$folder/server.csr" -CA "$folder/public/ca.pem" -CAkey "$folder/ca.key" \
            -CAcreateserial -days 2 -extfile <(echo subjectAltName=DNS:localhost) -out "$folder/server.pem"
    } >"$folder/openssl.log" 2>&1 || fail "no certificate could be made: $(tail -3 "$folder/openssl.log")"
    ((${#as_server[@]} == 0)) || chown postgres "$folder/server.key" "$folder/server.pem"
    chmod 600 "$folder/server.key"
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
