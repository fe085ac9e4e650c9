#!/usr/bin/env bash
# Brings what toolhost needs and what is missing here, and says in plain sentences what it does.
#
# It may be run again at any time: what is there is left alone. It needs a Rust tool chain and the package registries,
# and nothing else; where it cannot go on, it names the missing thing.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: ./setup.sh [--no-host] [--with-lint]

Brings, where missing: a C compiler, just, cargo-nextest, the compiler for guests, npm and Python for the clients that
the tests use, PostgreSQL for the tests of the store, and the `host` command.

  --no-host     leave out the `host` command, which takes some minutes to build
  --with-lint   bring cargo-deny too, which `just lint` needs
USAGE
}

just_version=1.59.0
nextest_version=0.9.143
deny_version=0.20.2
guest_packages=(rustc-web cargo-web rust-web-src wasi-libc)

main() {
    local with_host=yes with_lint=no
    while (($# > 0)); do
        case $1 in
            --no-host) with_host=no ;;
            --with-lint) with_lint=yes ;;
            -h | --help)
                usage
                exit 0
                ;;
            *)
                usage >&2
                fail "there is no option '$1'."
                ;;
        esac
        shift
    done
    cd "$(dirname "${BASH_SOURCE[0]}")"

    check_rust
    check_c_compiler
    choose_bin_dir
    bring_command just just "$just_version"
    bring_command cargo-nextest cargo-nextest "$nextest_version"
    bring_guest_tool_chain
    bring_client_runtimes
    bring_postgres
    bring_faketime
    if [[ $with_lint == yes ]]; then
        bring_command cargo-deny cargo-deny "$deny_version" --no-default-features
    fi
    host_name=host
    if [[ $with_host == yes ]]; then
        bring_host
    fi
    say "Everything is there. Next: just build-tools && $host_name serve"
}

check_rust() {
    local wanted found
    command -v cargo >/dev/null || fail "cargo is missing. Install a Rust tool chain, for example from https://rustup.rs."
    command -v rustc >/dev/null || fail "rustc is missing. Install a Rust tool chain, for example from https://rustup.rs."
    wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    found=$(rustc --version) || fail "rustc does not start. Is a tool chain installed? See 'rustup show'."
    found=${found#rustc }
    found=${found%% *}
    at_least "${found%%-*}" "$wanted" || fail "rustc $found is too old: Rust $wanted or newer is needed. Try 'rustup update'."
}

# SQLite is compiled from C, and Rust itself links with the C compiler.
check_c_compiler() {
    if command -v cc >/dev/null; then
        return
    fi
    say "There is no C compiler, which SQLite needs; installing Debian's gcc."
    apt_install gcc libc6-dev ||
        fail "a C compiler (cc) is missing. Install gcc or clang, with the C library's headers."
}

# Where `cargo` was found is on PATH, so a command placed there is found too. The system's own folders are left
# alone: the package manager owns them, and Debian keeps a DNS tool called `host` there.
choose_bin_dir() {
    bin_dir=$(dirname "$(command -v cargo)")
    case $bin_dir in
        /bin | /usr/bin | /sbin | /usr/sbin) bin_dir=/usr/local/bin ;;
    esac
    if [[ ! -w $bin_dir || $(basename "$bin_dir") != bin ]]; then
        bin_dir=${CARGO_HOME:-$HOME/.cargo}/bin
        mkdir -p "$bin_dir"
    fi
    case :$PATH: in
        *:"$bin_dir":*) ;;
        *)
            say "Note: $bin_dir is not on PATH. Add it: export PATH=\"$bin_dir:\$PATH\""
            PATH=$bin_dir:$PATH
            ;;
    esac
}

# Builds a command from crates.io; further arguments go to cargo. `cargo install` wants the folder above `bin`.
bring_command() {
    local command=$1 crate=$2 version=$3
    shift 3
    if command -v "$command" >/dev/null; then
        say "$command is there."
        return
    fi
    say "Building $command $version from crates.io; this takes some minutes."
    cargo install "$crate" --version "$version" --locked --root "$(dirname "$bin_dir")" "$@" ||
        fail "$command could not be built; see cargo's messages above."
}

bring_guest_tool_chain() {
    if scripts/guest-build.sh --check 2>/dev/null; then
        say "The compiler for guests is there."
        return
    fi
    if command -v rustup >/dev/null; then
        say "Adding the target wasm32-wasip2 with rustup."
        if rustup target add wasm32-wasip2 && scripts/guest-build.sh --check; then
            return
        fi
        say "rustup could not add it."
    fi
    say "Installing Debian's compiler for guests: ${guest_packages[*]}."
    apt_install "${guest_packages[@]}" || say "These packages could not be installed."
    scripts/guest-build.sh --check || fail "the compiler for guests is missing; the line above says what of it."
}

# `just test` lets other people's MCP clients call the host, and those are written in JavaScript and Python.
bring_client_runtimes() {
    local missing=()
    command -v npm >/dev/null || missing+=(nodejs npm)
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3 python3-venv)
    if ((${#missing[@]} == 0)); then
        return
    fi
    say "Installing what the MCP clients of the tests need: ${missing[*]}."
    apt_install "${missing[@]}" ||
        say "Note: without ${missing[*]} 'just test' fails; everything else works."
}

# `just test` runs the tests of the store against a PostgreSQL server that it starts itself.
bring_postgres() {
    if scripts/postgres.sh --check >/dev/null 2>&1; then
        return
    fi
    say "Installing PostgreSQL, which the tests of the store use."
    apt_install postgresql postgresql-client openssl ||
        say "Note: without PostgreSQL 'just test' fails; everything else works."
}

# `just test` runs hosts whose clocks differ.
bring_faketime() {
    if command -v faketime >/dev/null; then
        return
    fi
    say "Installing faketime, by which a test's hosts have different clocks."
    apt_install faketime ||
        say "Note: without faketime 'just test' fails; everything else works."
}

bring_host() {
    local built=target/release/host first
    say "Building the host; the first time this takes some minutes."
    cargo build --release --locked --target-dir target --package toolhost --bin host ||
        fail "the host could not be built; see cargo's messages above."
    # A `host` beside which no equal `toolhost` stands was put there by somebody else.
    if [[ -e $bin_dir/host ]] && ! cmp -s "$bin_dir/host" "$bin_dir/toolhost" && ! cmp -s "$built" "$bin_dir/host"; then
        say "Note: $bin_dir/host is another program and was left alone."
    else
        place "$built" "$bin_dir/host"
    fi
    place "$built" "$bin_dir/toolhost"

    hash -r
    first=$(command -v host || true)
    if [[ -z $first ]] || ! cmp -s "$built" "$first"; then
        host_name=toolhost
        say "Note: 'host' means ${first:-nothing} here, which comes earlier on PATH." \
            "Use 'toolhost', which is the same program."
    fi
}

# Replaces a program in one step, so that a running one is not disturbed.
place() {
    local built=$1 target=$2 temporary
    if cmp -s "$built" "$target"; then
        say "$target is up to date."
        return
    fi
    temporary=$(mktemp "$target.XXXXXX") || fail "$target cannot be written."
    cp "$built" "$temporary"
    chmod 755 "$temporary"
    mv -f "$temporary" "$target"
    say "Installed $target."
}

# Installs Debian packages where this user may; false where not, or where it failed.
apt_install() {
    local as_root=()
    command -v apt-get >/dev/null || {
        say "apt-get is missing: this is not a Debian system."
        return 1
    }
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null || {
            say "sudo is missing, and only root may install packages. As root: apt-get install $*"
            return 1
        }
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -qq || say "apt-get update failed; going on with the list that is there."
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Whether version $1 (three numbers) is $2 (two or three numbers) or newer.
at_least() {
    [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

say() {
    echo "setup: $*"
}

fail() {
    echo "setup: $*" >&2
    exit 1
}

main "$@"
