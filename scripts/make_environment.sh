#!/usr/bin/env bash
# Make (or bring up to date) the environment in $VENV: a Python of 3.11 or newer, the development groups of
# pyproject.toml, and venire itself, editable, with its compiled core.
set -euo pipefail
cd "$(dirname "$0")/.."
venv="${VENV:-.venv}"

new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
  local candidate tried=""
  for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if new_enough "$candidate"; then
      echo "$candidate"
      return
    fi
    tried="$tried $candidate ($("$candidate" --version 2>/dev/null || echo "not there"))"
  done
  echo "venire needs Python 3.11 or newer; tried:$tried." >&2
  echo "Install one, or name it: make install PYTHON=/path/to/python3.12" >&2
  return 1
}

if ! [ -x "$venv/bin/python" ]; then
  python="$(find_python)"
  echo "Making $venv with $("$python" --version)"
  "$python" -m venv "$venv" || {
    echo "Could not make $venv. On Debian and Ubuntu the package python3-venv is needed." >&2
    exit 1
  }
elif ! new_enough "$venv/bin/python"; then
  echo "$venv holds $("$venv/bin/python" --version 2>&1); venire needs Python 3.11 or newer. Run make clean first." >&2
  exit 1
fi

pip() {
  "$venv/bin/python" -m pip --disable-pip-version-check "$@"
}

# The pip of a new environment may be too old to know dependency groups (25.1).
if ! pip install --help | grep -q -- --group; then
  pip install --quiet --upgrade 'pip>=25.1'
fi
# The build tools live in the environment, not in an isolated one thrown away after each build: a changed source file
# then costs one compilation, not all of them. The core is compiled while everything else is fetched; most modules of the
# development groups are never imported, so Python compiles those that are when it first meets them.
pip install --quiet --group build
pip install --quiet --no-build-isolation --no-deps --config-settings=cmake.define.VENIRE_WERROR=ON --editable . &
core=$!
trap 'kill "$core" 2>/dev/null || true' EXIT # what goes wrong here, or Ctrl-C, ends the compilation, too
needed="$("$venv/bin/python" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")')"
pip install --quiet --no-compile --group dev --requirement /dev/stdin <<<"$needed"
wait "$core"
