#!/usr/bin/env bash
# The environment of the benchmarks: venire (compiled from this checkout) and its peers, apart from the development one.
set -euo pipefail
cd "$(dirname "$0")/.."
venv="${PEERS_VENV:-.venv-peers}"
python="${PYTHON:-.venv/bin/python}"

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
pip() {
  "$venv/bin/python" -m pip --disable-pip-version-check --quiet "$@"
}
pip install scikit-learn scikit-learn-intelex xgboost lightgbm catboost ydf pandas pyarrow treelite tl2cgen
pip install 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja
# A build folder of its own: sharing the development one would configure it anew at every turn.
pip install --no-build-isolation --config-settings=build-dir=build/peers .
