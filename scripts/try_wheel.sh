#!/usr/bin/env bash
# Install a wheel, with its dependencies, into an empty environment and run it from an empty directory.
set -euo pipefail
wheel="$(realpath "$1")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

"${PYTHON:-python3}" -m venv "$work/venv"
cd "$work"
venv/bin/python -m pip --disable-pip-version-check install --quiet "$wheel"
venv/bin/venire --version
venv/bin/venire demo
VENIRE_SIMD=baseline venv/bin/python -c 'from venire import _core; assert _core.simd_level() == "baseline"'
