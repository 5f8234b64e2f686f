# People and CI run the same commands. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help install demo test lint types format pytest coverage browser stub cli-page schema-files docs wheel bench honesty accuracy reliability scale sanitize fuzz compat cluster clean

VENV := .venv
BIN := $(VENV)/bin
# A stamp lives inside the environment, so that removing the environment forgets it.
INSTALLED := $(VENV)/.installed
CORE := $(wildcard core/*/*.cpp core/*/*.hpp)
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(CORE)

# One thread a worker: two pytest workers that each start a thread per core only get in each other's way.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
# Each worker takes one half and helps the other out at the end: what a module's tests share is made in one of them.
WORKERS ?= 2
PYTEST := $(ONE_THREAD) $(BIN)/pytest -n $(WORKERS) --dist worksteal

help: ## list the commands
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/make \1|\2/' | awk -F'|' '{printf "%-15s %s\n", $$1, $$2}'

install: $(INSTALLED) ## set up .venv and build the package into it

$(INSTALLED): $(BUILD_INPUTS) scripts/make_environment.sh
	VENV=$(VENV) bash scripts/make_environment.sh
	@touch $@

demo: install ## compare the bucket on the data that ships with the package; ends with a report on disk
	$(BIN)/venire demo

test: ## everything that CI checks
	$(MAKE) --jobs 2 install browser
	$(MAKE) --jobs 2 lint types
	$(MAKE) pytest

lint: install ## style, formatting, the direction of imports, and clang-tidy on the core
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $(CORE)
	$(BIN)/python scripts/tidy.py

types: install ## mypy --strict on src/, benchmarks/, scripts/ and the helpers of the tests
	$(BIN)/mypy

pytest: install ## the tests alone, warnings as errors
	$(PYTEST)

coverage: install browser ## how much of the code the tests run; a table, and pages in build/coverage/
	$(PYTEST) --cov --cov-report=html --cov-report=xml --cov-report=json
	$(BIN)/python -m scripts.coverage_table $(COVERAGE)

format: install ## rewrite the sources the way `make lint` wants them
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CORE)

browser: ## the browser that looks at the report in the tests
	bash scripts/setup_browser.sh

stub: install ## regenerate the types of the compiled core
	$(BIN)/python -m nanobind.stubgen -q -m venire._core -o src/venire/_core.pyi

cli-page: install ## rewrite the reference of the command line in docs/cli.md
	$(BIN)/python scripts/cli_page.py

schema-files: install ## rewrite the JSON Schemas in docs/schema
	$(BIN)/python scripts/schema_files.py

docs: install ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

wheel: install ## a wheel in dist/, tried in an empty environment
	rm -rf dist && $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	bash scripts/try_wheel.sh dist/*.whl

bench: install ## everything fast beside its peers (BENCH=--quick for small tables)
	bash scripts/bench_peers.sh
	.venv-peers/bin/python -m benchmarks.speed.forest $(BENCH)
	.venv-peers/bin/python -m benchmarks.speed.boosting $(BENCH)
	.venv-peers/bin/python -m benchmarks.speed.sparse $(BENCH)
	$(BIN)/python -m benchmarks.speed.two_layer $(BENCH)
	$(BIN)/python -m benchmarks.speed.selection
	$(BIN)/python -m benchmarks.speed.bayes
	$(BIN)/python -m benchmarks.speed.reductions
	$(BIN)/python -m benchmarks.speed.net $(BENCH)
	$(BIN)/python -m benchmarks.speed.wide

honesty: install ## do the numbers mean what they say? (HONESTY="--repetitions 100 --jobs 2" for a first look)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.coverage $(HONESTY)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.every_metric --set development $(HONESTY)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.every_metric --set proof $(HONESTY)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.winners $(HONESTY)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.chances $(HONESTY)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.growing $(HONESTY)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.copied_rows $(HONESTY)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.clusters
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.leaks
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.planted_answers
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.copies $(if $(VENIRE_BENCH_DATA),--data $(VENIRE_BENCH_DATA)/data)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.advice $(if $(VENIRE_BENCH_DATA),--data $(VENIRE_BENCH_DATA)/data)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.honesty.peers
	$(BIN)/python -m benchmarks.honesty.page
	$(BIN)/python -m benchmarks.honesty.picture
	$(BIN)/python -m benchmarks.honesty.reliability

accuracy: install ## how good a model is that a time buys, beside the peers (ACCURACY="--budgets 60 --splits 1" for a first look)
	$(BIN)/python -m benchmarks.accuracy.which_choice $(if $(VENIRE_BENCH_DATA),--data $(VENIRE_BENCH_DATA)/data)
	$(BIN)/python -m benchmarks.accuracy.peers $(if $(VENIRE_BENCH_DATA),--data $(VENIRE_BENCH_DATA)/data) $(ACCURACY)

reliability: install ## is anything lost or let in: runs killed and spoiled, damaged files, budgets (hours; a stopped one goes on)
	$(BIN)/python -m benchmarks.reliability.interrupted
	$(BIN)/python -m benchmarks.reliability.budgets
	$(BIN)/python -m benchmarks.reliability.disturbed
	$(BIN)/python -m benchmarks.reliability.model_files
	$(BIN)/python -m benchmarks.reliability.table_files
	$(BIN)/python -m benchmarks.reliability.number_blocks

scale: install ## one machine to its limits, as one table (SCALE="--parts start bucket"; hours; a stopped one goes on)
	$(BIN)/python -m benchmarks.speed.scale $(SCALE)

compat: install ## scikit-learn's own tests with our classes in the place of theirs (COMPAT=--details names the failures)
	$(ONE_THREAD) $(BIN)/python -m scripts.compat $(COMPAT)

cluster: install ## the tests of a cluster whose processes are killed, stopped or held up (minutes)
	VENIRE_LONG_TESTS=1 $(ONE_THREAD) $(BIN)/pytest tests/cluster tests/ensembles/parted

fuzz: install ## damaged model files and blocks of numbers on the build that watches memory (FUZZ="--mutations 20000" for more of them)
	bash scripts/sanitize.sh fuzz

sanitize: install ## the core's tests on builds that watch memory, undefined behaviour and races
	bash scripts/sanitize.sh

clean: ## remove everything that can be made again
	rm -rf $(VENV) .venv-peers .venv-sanitize-address .venv-sanitize-thread build dist site wheelhouse .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
