# What the scripts that test with other people's programs share: those programs, installed as pinned, and real servers,
# each in a folder of its own. To be sourced by a script that has set `name`; it changes into the repository.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$repository"
cache=$repository/target/clients
components=${TOOLHOST_COMPONENTS:-$repository/target-guests/components}
host=${TOOLHOST_HOST:-$repository/target/debug/host}
ground=
servers=()

# Makes the folder in which this run's servers stand, and removes it at the end, with the servers.
make_ground() {
    [[ -x $host ]] || fail "$host is missing; 'cargo build --package toolhost --bin host' makes it."
    ground=$(mktemp -d)
    trap clear_ground EXIT
}

clear_ground() {
    local status=$? server
    for server in "${servers[@]}"; do
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    done
    # A failure is looked into with the servers' own words.
    if ((status != 0)); then
        local log
        for log in "$ground"/*/serve.err; do
            [[ -s $log ]] && say "the end of ${log#"$ground"/}:" && tail -n 20 "$log" >&2
        done
    fi
    rm -rf "$ground"
}

# Puts the named components into the tools folder of a server's folder.
place_components() {
    local folder=$1 component
    shift
    mkdir -p "$folder/tools"
    for component in "$@"; do
        [[ -f $components/$component.wasm ]] ||
            fail "$components/$component.wasm is missing; 'just test-components' builds it."
        cp "$components/$component.wasm" "$folder/tools/"
    done
}

# Starts a server in a folder, on a port that is free, and sets `url` and `server`.
start_server() {
    local folder=$1
    (cd "$folder" && exec "$host" serve --listen 127.0.0.1:0 >serve.out 2>serve.err) &
    server=$!
    servers+=("$server")
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        url=$(sed -n 's/^Serving .* at \(http:[^ ]*\)$/\1/p' "$folder/serve.out" 2>/dev/null || true)
        [[ -n $url ]] && return
        kill -0 "$server" 2>/dev/null || fail "the server in ${folder#"$ground"/} ended before it served."
        sleep 0.2
    done
    fail "the server in ${folder#"$ground"/} did not serve within two minutes."
}

# Installs the Node that the clients need, and the clients, as package-lock.json has them, and sets `node`.
install_node_clients() {
    command -v npm >/dev/null ||
        fail "npm is missing, which the TypeScript clients are installed with. Install Node.js 20 or newer."
    install_once node "$repository/tests/clients/package.json" "$repository/tests/clients/package-lock.json"
    local found
    for found in "$cache"/node/node_modules/node-linux-*/bin/node; do
        [[ -x $found ]] && node=$found && return
    done
    node=$(command -v node || true)
    [[ -n $node ]] && "$node" -e 'const [a, b] = process.versions.node.split(".").map(Number);
        process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)' && return
    fail "Node.js 22.19 or newer is missing: npm has none for this platform, and the one on PATH is older."
}

# Installs one Python client and sets `python`.
install_python_client() {
    command -v python3 >/dev/null || fail "python3 is missing, which the Python clients run on. Install Python 3.10 or newer."
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
        fail "$(python3 --version) is too old for the Python clients. Install Python 3.10 or newer."
    python3 -c 'import ensurepip, venv' 2>/dev/null ||
        fail "python3 has no venv module. Install it; on Debian the package is python3-venv."
    install_once "python-$1" "$repository/tests/clients/python/requirements-$1.txt"
    python=$cache/python-$1/bin/python
}

# Installs a set of packages from the files that pin them, unless exactly these are there already. Tests that run side
# by side wait for each other.
install_once() {
    local what=$1 wanted
    shift
    mkdir -p "$cache"
    wanted=$(cat "$@" | sha256sum)
    exec {lock}>"$cache/$what.lock"
    flock "$lock"
    if [[ $(cat "$cache/$what.installed" 2>/dev/null || true) != "$wanted" ]]; then
        say "installing $what into ${cache#"$repository"/}."
        rm -rf "${cache:?}/$what" "$cache/$what.installed"
        if [[ $what == node ]]; then
            mkdir -p "$cache/$what"
            cp "$@" "$cache/$what/"
            (cd "$cache/$what" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) ||
                fail "npm could not install the packages; see its messages above."
        else
            python3 -m venv "$cache/$what" && "$cache/$what/bin/pip" install --quiet --disable-pip-version-check \
                --no-deps --requirement "$1" >&2 || fail "pip could not install the packages; see its messages above."
        fi
        printf '%s\n' "$wanted" >"$cache/$what.installed"
    fi
    exec {lock}>&-
}

say() {
    echo "$name: $*" >&2
}

fail() {
    say "$*"
    exit 1
}
