#!/usr/bin/env bash
# Looks for inputs that break a promise: coverage-guided fuzzing by LLVM's libFuzzer, on the stable compiler.
#
# Everything is built anew with the fuzzer's instrumentation, into target-fuzz/. Inputs that led to new paths are gathered
# there; `--keep` adds the fewest that cover as much to tests/fuzz/corpus, which `just test` tries each time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="${CARGO_HOME:-${HOME:-/root}/.cargo}/bin:$PATH"

targets=(arguments schema component egress texts scrub)
folder=target-fuzz
corpus=tests/fuzz/corpus
triple=$(rustc -vV | sed -n 's/^host: //p')

usage() {
    cat <<'USAGE'
Usage: scripts/fuzz.sh [--seconds N] [TARGET...]
       scripts/fuzz.sh --keep [TARGET...]

  --seconds N   how long each target runs; without it: 900
  --keep        keep in the repository what was found to be worth trying again
  TARGET        arguments, schema, component, egress, texts, scrub; without any: all, one after the other

Exit codes: 0 nothing was found, 1 an input breaks a promise (its file is named), 2 the command line is wrong.
USAGE
}

main() {
    local seconds=900 keep=false
    while (($# > 0)); do
        case $1 in
            -h | --help)
                usage
                exit 0
                ;;
            --seconds)
                seconds=${2:-}
                [[ $seconds =~ ^[0-9]+$ ]] || { usage >&2 && exit 2; }
                shift 2
                ;;
            --keep)
                keep=true
                shift
                ;;
            *) break ;;
        esac
    done
    (($# > 0)) || set -- "${targets[@]}"
    local target
    for target in "$@"; do
        [[ " ${targets[*]} " == *" $target "* ]] || { usage >&2 && exit 2; }
    done
    build
    for target in "$@"; do
        if $keep; then keep "$target"; else run "$target"; fi
    done
}

# The passes are LLVM's own, which the stable compiler can be asked for.
build() {
    RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=4" \
        cargo build --release --locked --manifest-path tests/fuzz/Cargo.toml --target "$triple" --target-dir "$folder"
}

run() {
    local target=$1
    mkdir -p "$folder/corpus/$target" "$folder/found/$target" "$corpus/$target"
    printf 'fuzz: %s for %s s\n' "$target" "$seconds"
    if ! "$folder/$triple/release/$target" "$folder/corpus/$target" "$corpus/$target" -max_total_time="$seconds" \
        -timeout=10 -rss_limit_mb=2048 -max_len=65536 -dict="tests/fuzz/words" -print_final_stats=1 \
        -artifact_prefix="$folder/found/$target/" >"$folder/$target.log" 2>&1; then
        tail -40 "$folder/$target.log" >&2
        printf 'fuzz: an input breaks a promise; see %s/found/%s\n' "$folder" "$target" >&2
        exit 1
    fi
    grep -E '^stat::(number_of_executed_units|new_units_added|peak_rss_mb)' "$folder/$target.log"
}

# The fewest inputs that cover as much, the small ones first.
keep() {
    local target=$1
    mkdir -p "$folder/corpus/$target" "$corpus/$target"
    "$folder/$triple/release/$target" -merge=1 -max_len=4096 "$corpus/$target" "$folder/corpus/$target" \
        >"$folder/$target.log" 2>&1
    # A corpus for every run has to stay small.
    find "$corpus/$target" -type f -printf '%s %p\n' | sort -n | tail -n +"${TOOLHOST_CORPUS:-201}" | cut -d' ' -f2- | xargs -r rm
    printf 'fuzz: %s keeps %s inputs\n' "$target" "$(find "$corpus/$target" -type f | wc -l)"
}

main "$@"
