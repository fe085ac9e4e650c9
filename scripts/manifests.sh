#!/usr/bin/env bash
# Compares the Kubernetes manifests with the published schemas, strictly: an unknown field is an error.
#
# The schemas are pinned in tests/clients, and are installed into target/clients at the first run.
set -euo pipefail
name=manifests
source "$(dirname "${BASH_SOURCE[0]}")/../tests/clients/ground.sh"

usage() {
    cat <<'USAGE'
Usage: scripts/manifests.sh [--install]

  --install   only installs the schemas
USAGE
}

main() {
    case ${1:-} in
        "" | --install) ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
    install_python_client kubernetes
    [[ ${1:-} != --install ]] || exit 0
    local manifest
    for manifest in "$repository"/deploy/kubernetes/*.yaml; do
        # A file for kubectl itself, which has no published schema.
        [[ $(basename "$manifest") != kustomization.yaml ]] || continue
        "$cache/python-kubernetes/bin/kubernetes-validate" --strict --quiet "$manifest" ||
            fail "$(basename "$manifest") is not what Kubernetes publishes; see above."
        printf '  ok  %s\n' "$(basename "$manifest")"
    done
}

main "$@"
