#!/usr/bin/env bash
# Bring the environment down to the oldest dependencies that pyproject.toml allows, so that the floor is tested too.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${VENV:-.venv}/bin/python"

"$python" - <<'PYTHON' >"${TMPDIR:-/tmp}/venire-floor.txt"
import re
import tomllib

with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
frames = [line for line in project["dependency-groups"]["test"] if re.match("pandas|polars|pyarrow", line)]
for dependency in project["project"]["dependencies"] + frames:
    name, floor = re.fullmatch(r"([\w-]+)>=([\d.]+)", dependency).groups()
    # The newest release of the oldest series: a floor without its bug fixes helps nobody.
    print(f"{name}=={floor}.*")
print("click==8.1.*")  # what typer stood on then
print("pytest==8.*")  # scikit-learn 1.6 hands pytest a generator of checks, of which pytest 9 warns
PYTHON
cat "${TMPDIR:-/tmp}/venire-floor.txt"
"$python" -m pip --disable-pip-version-check install --quiet --requirement "${TMPDIR:-/tmp}/venire-floor.txt"
