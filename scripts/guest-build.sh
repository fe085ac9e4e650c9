#!/usr/bin/env bash
# Builds guests: Rust packages of this workspace, as WASI 0.2 components.
#
# It owns the choice of compiler, and refuses to guess: it looks at what is installed, says which of the two paths it
# takes, and names the missing piece where neither is open. The host does not depend on which path was taken.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: scripts/guest-build.sh [--out FOLDER] [--check] [PACKAGE...]

Builds the packages as WebAssembly components and puts NAME.wasm into FOLDER.

  PACKAGE        packages of this workspace; without any: the sample tools
  --out FOLDER   where the components go; without it: tools
  --check        only says whether guests can be built here, and how

Exit codes: 0 done, 1 the build failed, 2 the command line is wrong, 3 no guest tool chain was found.
USAGE
}

sample_tools=(math orders search desk chaos)
target_dir="target-guests"
profile=guest

main() {
    local out=tools check=no packages=()
    local caller_dir=$PWD
    while (($# > 0)); do
        case $1 in
            --out)
                (($# > 1)) || fail 2 "--out needs a folder."
                out=$2
                [[ $out == /* ]] || out=$caller_dir/$out
                shift
                ;;
            --check) check=yes ;;
            -h | --help)
                usage
                exit 0
                ;;
            -*) fail 2 "there is no option '$1'. See scripts/guest-build.sh --help." ;;
            *) packages+=("$1") ;;
        esac
        shift
    done
    cd "$(dirname "${BASH_SOURCE[0]}")/.."
    ((${#packages[@]} > 0)) || packages=("${sample_tools[@]}")

    choose_path
    if [[ $check == yes ]]; then
        say "guests can be built here: $how."
        return
    fi
    say "building ${packages[*]} with $how."
    compile "${packages[@]}"
    mkdir -p "$out"
    local package
    for package in "${packages[@]}"; do
        publish "$target_dir/$target/$profile/${package//-/_}.wasm" "$out/$package.wasm"
    done
}

# Sets `path`, `target` and `how`, or fails with the missing piece.
choose_path() {
    local libdir missing=()
    need cargo "Install a Rust tool chain, for example from https://rustup.rs."
    need rustc "Install a Rust tool chain, for example from https://rustup.rs."
    libdir=$(rustc --print target-libdir --target wasm32-wasip2 2>/dev/null || true)
    if [[ -n $libdir && -d $libdir ]]; then
        path=target target=wasm32-wasip2
        how="the target wasm32-wasip2 of $(rustc --version)"
        return
    fi

    # Debian's compiler comes without a wasm library, and with the source to build one. Of its targets wasm32-wasip1
    # is the one whose file system works with Debian's wasi-libc; the linker makes the component of it.
    debian_rustc=${TOOLHOST_WEB_RUSTC:-/usr/bin/rustc}
    debian_cargo=${TOOLHOST_WEB_CARGO:-/usr/bin/cargo}
    wasi_libc=/usr/lib/wasm32-wasi
    [[ -x $debian_rustc ]] || missing+=("rustc-web")
    [[ -x $debian_cargo ]] || missing+=("cargo-web")
    if [[ -x $debian_rustc ]]; then
        [[ -f $("$debian_rustc" --print sysroot)/lib/rustlib/src/rust/library/std/Cargo.toml ]] ||
            missing+=("rust-web-src")
    fi
    [[ -f $wasi_libc/libc.a ]] || missing+=("wasi-libc")
    if ((${#missing[@]} > 0)); then
        fail 3 "no guest tool chain: the target wasm32-wasip2 is not installed for $(rustc --version)," \
            "and of Debian's packages these are missing: ${missing[*]}. Run ./setup.sh," \
            "or 'rustup target add wasm32-wasip2'."
    fi
    find_linkers
    path=debian target=wasm32-wasip1
    how="Debian's $("$debian_rustc" --version) and a standard library built from its source"
}

# The linkers come with a rustup tool chain, not with Debian's compiler.
find_linkers() {
    local sysroot triple bin
    sysroot=$(rustc --print sysroot)
    triple=$(rustc -vV | sed -n 's/^host: //p')
    bin=$sysroot/lib/rustlib/$triple/bin
    linker_path=$bin/gcc-ld:$bin:$PATH
    local linker
    for linker in wasm-component-ld wasm-ld; do
        PATH=$linker_path command -v "$linker" >/dev/null ||
            fail 3 "the linker $linker is missing: it was looked for in $bin, in $bin/gcc-ld and on PATH." \
                "A rustup tool chain of Rust 1.82 or newer ships it; or run 'cargo install wasm-component-ld --locked'."
    done
}

# Builds the packages, one run of cargo for each: `--crate-type` takes a single one, and lets a guest's Cargo.toml do
# without `cdylib`, of which natively nothing but a linker's complaints would come.
compile() {
    local package args
    for package in "$@"; do
        args=(rustc --profile "$profile" --target "$target" --target-dir "$target_dir" --locked
            --package "$package" --lib --crate-type cdylib)
        run_cargo "${args[@]}" || fail 1 "cargo could not build $package; see its messages above."
    done
}

# Flags of the caller's, such as a linter's, are not for guests.
run_cargo() {
    local unset=(-u CARGO_ENCODED_RUSTFLAGS -u RUSTC_WRAPPER -u RUSTC_WORKSPACE_WRAPPER -u CARGO_BUILD_TARGET)
    if [[ $path == target ]]; then
        env "${unset[@]}" RUSTFLAGS='' cargo "$@"
        return
    fi
    # RUSTC_BOOTSTRAP lets this one compiler build its own library; the guests use no unstable feature.
    env "${unset[@]}" -u RUSTUP_TOOLCHAIN \
        PATH="$linker_path" RUSTC="$debian_rustc" RUSTC_BOOTSTRAP=1 \
        RUSTFLAGS="-C linker=wasm-component-ld -L native=$wasi_libc" \
        "$debian_cargo" "$@" -Zbuild-std=std,panic_abort
}

# Puts a component in place in one step, so that a server that watches the folder never reads half a file; one that
# has not changed is left alone, so that it is not loaded again.
publish() {
    local built=$1 place=$2
    [[ -f $built ]] || fail 1 "cargo built no $built."
    is_component "$built" || fail 1 "$built is not a component: the linker wasm-component-ld was not used."
    if cmp -s "$built" "$place"; then
        say "$place is up to date."
        return
    fi
    local temporary
    temporary=$(mktemp "$(dirname "$place")/.$(basename "$place").XXXXXX")
    cp "$built" "$temporary"
    chmod 644 "$temporary"
    mv -f "$temporary" "$place"
    say "$place: $(wc -c <"$place" | tr -d ' ') bytes."
}

# A component begins with the magic number, then version 13, layer 1; a core module has version 1, layer 0.
is_component() {
    [[ $(od -An -tx1 -N8 "$1" | tr -d ' \n') == 0061736d0d000100 ]]
}

need() {
    command -v "$1" >/dev/null || fail 3 "$1 is missing. $2"
}

say() {
    echo "guest-build: $*" >&2
}

fail() {
    local code=$1
    shift
    echo "guest-build: $*" >&2
    exit "$code"
}

main "$@"
