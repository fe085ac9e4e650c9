#!/usr/bin/env bash
# Lets the providers' own Python packages make replies of models, and judge lists of tools and results. Nothing is sent.
#
# The packages are pinned in tests/clients, and are installed into target/clients at the first run.
set -euo pipefail
name=providers
source "$(dirname "${BASH_SOURCE[0]}")/../tests/clients/ground.sh"

usage() {
    cat <<'USAGE'
Usage: scripts/providers.sh replies|check FOLDER

  replies   writes a reply in each provider's form into the folder
  check     judges the lists of tools and the results in the folder
USAGE
}

main() {
    [[ $# == 2 && ($1 == replies || $1 == check) ]] || {
        usage >&2
        exit 2
    }
    install_python_client providers
    PYTHONDONTWRITEBYTECODE=1 "$python" tests/clients/python/providers.py "$@"
}

main "$@"
