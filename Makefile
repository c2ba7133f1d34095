# `make demo` and `make test` work from a fresh clone; `make help` lists the rest.

BIN := .venv/bin
READY := .venv/.ready
COMPILED := .venv/.compiled
JOBS ?= 2
PYTEST := $(BIN)/pytest -n $(JOBS)

.DEFAULT_GOAL := help
.PHONY: setup demo test spark spark-versions check lint format bench bench-spark bench-collocation \
    bench-chaining bench-loss bench-more-key-groups bench-moves bench-nodes bench-page bench-scaling \
    bench-standby faults mutants reproduce screenshots nightly audit licences lock clean help

##@ Start

setup: $(READY)  ## make .venv with everything in it, and look for Java
	@echo "ready: $(BIN)/albic"

$(READY): requirements.lock pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh
	@touch $@

# Kept in the user's cache, so that another clone with the same sources has it already.
$(COMPILED): $(READY) $(wildcard src/albic/optimize/*.py)
	@$(BIN)/python -c "from albic.optimize.collocation import compiled; compiled()"
	@touch $@

demo: $(COMPILED)  ## run a Spark job with drifting hot keys, without albic and with it
	@$(BIN)/albic demo

##@ Work on it

test: $(COMPILED)  ## run all tests
	$(PYTEST) -m "not spark and not nightly"
	$(MAKE) spark

# One after the other: they share a cluster, and two of those would share the machine.
spark: $(COMPILED)  ## run the tests on a Spark cluster of several executors
	$(BIN)/pytest -m spark

# Makes an environment for each version, in which only Spark is another.
spark-versions: $(COMPILED)  ## run the contract tests of Spark against every version that is served; writes their table
	@sh scripts/spark-versions.sh

check: lint $(COMPILED)  ## format, lint, types, contracts, spelling and the fast tests
	HYPOTHESIS_PROFILE=quick $(PYTEST) -q -m "not slow and not spark and not nightly"

lint: $(READY)  ## what check does, without the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell

format: $(READY)  ## format the code and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

##@ Measure

bench: $(COMPILED)  ## measure the planners; tables and JSON
	$(BIN)/python bench/planners.py

bench-spark: $(COMPILED)  ## measure what albic brings on Spark; about 25 minutes of a quiet machine
	$(BIN)/python bench/spark.py $(SCENES)

bench-nodes: $(COMPILED)  ## the same with real work on isolated nodes; needs root, 75 minutes of a quiet machine
	$(BIN)/python bench/nodes.py $(SCENES)

bench-moves: $(COMPILED)  ## what a move of state costs a batch, at once and prepared; needs root, 6 minutes
	$(BIN)/python -m bench.moves $(SIZES)

# FAULTS=--quick strikes 20 times; FAULTS="--only freeze" one kind.
faults: $(COMPILED)  ## strike running jobs with 200 faults, as plain Spark and with albic; an hour and more
	$(BIN)/python -m bench.faults $(FAULTS)

mutants: $(READY)  ## change the judge, the rules and the placement bit by bit, and see whether tests notice
	$(BIN)/python -m bench.mutants $(ONLY)

reproduce: $(COMPILED)  ## run the paper's evaluation again; figures, report and docs/experiments.md
	$(BIN)/albic reproduce all --docs docs

bench-collocation: $(COMPILED)  ## two chained operators from a start that tears them apart; plain, albic, joint
	$(BIN)/python -m bench.spark_collocation

bench-chaining: $(COMPILED)  ## Jobs 2 to 4 with operators of one key chained and apart; 15 minutes of a quiet machine
	$(BIN)/python -m bench.chaining

bench-more-key-groups: $(COMPILED)  ## Job 2 from 8 key groups to 16 on six nodes, from the same state; prints both makespans
	$(BIN)/python -m bench.more_key_groups

bench-loss: $(COMPILED)  ## kill executors under plain Spark and under albic; prints both stalls
	$(BIN)/python -m bench.loss

bench-page: $(COMPILED)  ## what the live page costs with a thousand key groups and ten thousand rounds; a minute
	$(BIN)/python -m bench.live_page

bench-standby: $(COMPILED)  ## the same with 20 MB a key group beyond 100 Mbit/s, and second copies of it; needs root
	$(BIN)/python -m bench.loss --mb 20 --kills 2 --cpu 0.4 --network 100mbit --storage network

bench-scaling: $(COMPILED)  ## follow a load that doubles and halves, beside Spark's dynamic allocation; 9 minutes
	$(BIN)/python bench/scaling.py

##@ Publish

screenshots: $(COMPILED)  ## make the pictures of the live page in docs/ again, with a headless Chromium
	ALBIC_SCREENSHOTS=docs $(BIN)/pytest -q tests/page/test_browser.py -k pictures

.PHONY: docs dist

docs: $(READY)  ## build the site of docs/ into out/site; warnings, dead links and outside addresses are errors
	@sh scripts/docs.sh

dist: $(READY)  ## build sdist and wheel, look at them, try them in empty environments (EXTRAS="none serve": only these)
	@sh scripts/dist.sh $(EXTRAS)

##@ Keep house

nightly: $(COMPILED)  ## all tests with many more examples, and coverage
	HYPOTHESIS_PROFILE=nightly $(PYTEST) -m "not spark" --timeout 1800 --cov
	$(MAKE) spark

audit: $(READY)  ## ask whether weaknesses of the pinned dependencies are known, where somebody can be asked
	@sh scripts/audit.sh

licences: $(READY)  ## write docs/licences.md: the licences of everything that albic brings along
	$(BIN)/python scripts/licences.py > docs/licences.md

# uv resolves for all platforms and Python versions at once; nothing else here needs it.
lock: $(READY)  ## pin the dependencies of pyproject.toml anew (UPGRADE=--upgrade: all of them)
	$(BIN)/python -m venv .venv/lock
	.venv/lock/bin/pip install --quiet uv
	.venv/lock/bin/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
	    --fork-strategy fewest --generate-hashes --no-emit-index-url --no-annotate --quiet \
	    --custom-compile-command "make lock" --output-file requirements.lock $(UPGRADE)
	.venv/lock/bin/uv pip compile --group docs --universal --python-version 3.11 \
	    --fork-strategy fewest --generate-hashes --no-emit-index-url --no-annotate --quiet \
	    --custom-compile-command "make lock" --output-file requirements-docs.lock $(UPGRADE)

clean:  ## remove caches and results; .venv stays
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage* \
	    build dist out
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## list these targets
	@awk -F ':.*## ' '/^##@ / { printf "%s%s\n", sep, substr($$0, 5); sep = "\n" } \
	    /^[a-z-]+:.*## / { printf "  %-17s %s\n", $$1, $$2 }' Makefile
