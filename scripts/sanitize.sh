#!/usr/bin/env bash
# Tests of the compiled core on sanitizer builds: address and undefined behaviour for everything that touches it, and the
# thread sanitizer for what runs in parallel. Give `address` or `thread` for one of the two, or `fuzz` for damaged model
# files and blocks of numbers on the first (FUZZ="--mutations 20000" for more of them).
set -euo pipefail
cd "$(dirname "$0")/.."
base="${VENV:-.venv}"
site() {
  "$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
}

# An environment whose own folder holds the sanitized package, and which finds everything else in the development one.
build() {
  local kind="$1" edges="${2:-}" venv=".venv-sanitize-$1"
  [ -x "$venv/bin/python" ] || "$base/bin/python" -m venv --without-pip "$venv"
  site "$base/bin/python" >"$(site "$venv/bin/python")/development.pth"
  rm -rf "$(site "$venv/bin/python")"/venire*
  "$base/bin/python" -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation \
    --config-settings="build-dir=build/sanitize-$kind$edges" --config-settings="cmake.define.VENIRE_SANITIZE=$kind" \
    --config-settings="cmake.define.VENIRE_EDGES=${edges:+ON}" \
    --target "$(site "$venv/bin/python")" .
}

# The runtime must be there before Python starts, and with it the library that throws C++ exceptions. Its search for
# deadlocks gives up at 64 locks, and Arrow's allocator holds more than that whenever a test starts a process.
run() {
  local kind="$1" runtime="$2"
  shift 2
  LD_PRELOAD="$(gcc -print-file-name="$runtime") $(gcc -print-file-name=libstdc++.so.6)" \
    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS="halt_on_error=1 detect_deadlocks=0" \
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
    ".venv-sanitize-$kind/bin/python" -m "$@"
}
tests=(pytest -q -p no:cacheprovider)

core_tests=(tests/core tests/models/tree tests/models/bayes tests/models/neighbors tests/models/net
  tests/models/test_sparse.py tests/models/test_stored_bins.py tests/ensembles/forest tests/ensembles/gradient
  tests/ensembles/adaboost tests/explain/test_shapley.py tests/metrics/test_scores.py)

for kind in "${@:-address thread}"; do
  for one in $kind; do
    echo "== $one"
    if [ "$one" = fuzz ]; then
      build address -edges # which the fuzzer is guided by
      run address libasan.so benchmarks.reliability.model_files --folder build/fuzz/sanitized ${FUZZ:---mutations 5000}
      run address libasan.so benchmarks.reliability.number_blocks --folder build/fuzz/sanitized_blocks ${FUZZ:---mutations 5000}
      continue
    fi
    build "$one"
    if [ "$one" = address ]; then
      run address libasan.so "${tests[@]}" "${core_tests[@]}"
    else
      run thread libtsan.so "${tests[@]}" tests/core # nothing here imports polars, whose allocator the thread sanitizer does not survive
    fi
  done
done
