# The newest Python from 3.11 on that runs here; PYTHON=... names another.
RECENT := -c "import sys; sys.exit(sys.version_info < (3, 11))"
PYTHON ?= $(shell for v in 3.14 3.13 3.12 3.11 3; do python$$v $(RECENT) 2>/dev/null && echo python$$v && break; done)
VENV := .venv
BIN := $(VENV)/bin

# Without bytecode every pytest process would compile its plug-ins again.
unexport PYTHONDONTWRITEBYTECODE

# Material for MkDocs advertises its successor at each build.
export NO_MKDOCS_2_WARNING := 1

.PHONY: help conformance conformance-all confirm reconfirm sample test test-all newest-pytest lint site fuzz bench images containers sbom release audit screenshot look lock lock-pulsar clean bench-volume

help: ## the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

# uv where it is there: from a cold cache it takes half of pip's time.
UV := $(shell command -v uv)
INSTALL := $(if $(UV),$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python,$(BIN)/pip install --quiet --disable-pip-version-check)
packages = $(shell grep -c '^[a-z0-9]' $(1))

# The workloads among the scenarios need the extra volume, so the main job brings it along.
$(VENV)/.base: locks/base.txt pyproject.toml impl/pyproject.toml
	@$(or $(PYTHON),false) $(RECENT) || { echo "No Python 3.11 or newer$(PYTHON:%=: % is none). Install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(BIN)/pip --version >/dev/null 2>&1 || { echo "$$($(PYTHON) --version): making $(VENV)"; $(PYTHON) -m venv --clear $(VENV); }
	@echo "Installing the suite from locks/base.txt: $(call packages,locks/base.txt) packages"
	@$(INSTALL) --require-hashes -r locks/base.txt
	@$(INSTALL) --no-deps --no-build-isolation --editable impl --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.base locks/dev.txt
	@echo "Installing what its tests need from locks/dev.txt: $(call packages,locks/dev.txt) packages"
	@$(INSTALL) --require-hashes -r locks/dev.txt
	@touch $@

conformance: $(VENV)/.base ## judge the reference implementation on a real Pulsar broker
	$(BIN)/touchstone run --provider reference --drawn -n auto

# The long form: PROVIDERS='reference starlight rabbitmq qpid activemq openmq'.
PROVIDERS ?= reference starlight rabbitmq qpid
conformance-all: $(VENV)/.dev ## judge PROVIDERS, those of them that this machine can run, and show them side by side
	status=0; $(BIN)/touchstone run --able $(PROVIDERS:%=--provider %) -n auto $(OPTIONS) || status=$$?; \
	$(BIN)/touchstone report || [ $$? -lt 3 ] || status=3; exit $$status # what older runs show is no matter

# Every column that docs/judging.md names. The commit draws the sample, so that it can be had again; each run
# prints the seed. Of what was changed in the adapters within a day more is drawn.
CLIENTS ?= reference starlight starlight@7.0.15 rabbitmq qpid qpid+on:brokerj qpid+on:rabbitmq artemis openmq \
    activemq reference-java reference/rabbitmq reference/amq
SEED ?= $(shell printf %d "0x$$(git rev-parse HEAD 2>/dev/null | cut -c1-7 | grep . || echo 1)")
DAY_BEFORE = $$(($$(git show -s --format=%ct HEAD 2>/dev/null || echo 86400) - 86400))
ADAPTERS_CHANGED = git log --since=$(DAY_BEFORE) --format=%h -- conformance/jms_clients 2>/dev/null | grep -q .
DRAW ?= $(shell $(ADAPTERS_CHANGED) && echo 16 || echo 8)
sample: $(VENV)/.dev ## judge DRAW scenarios of each of CLIENTS that can run, drawn by SEED, and show them side by side
	status=0; $(BIN)/touchstone run --able $(CLIENTS:%=--provider %) -n auto --draw $(DRAW) \
	    --touchstone-seed $(SEED) $(OPTIONS) || status=$$?; \
	$(BIN)/touchstone report || [ $$? -lt 3 ] || status=3; exit $$status

# In an hour or two. A client that keeps a statement is the control of those that do not.
CONFIRMED ?= starlight rabbitmq qpid qpid+on:brokerj qpid+on:rabbitmq activemq artemis openmq
CONTROLS ?= qpid openmq
confirm: $(VENV)/.dev ## show the known deviations of CONFIRMED in plain Java, and keep what came of each
	$(BIN)/touchstone run --able $(CONFIRMED:%=--provider %) --drawn -n auto --results-dir confirming $(OPTIONS) \
	    || [ $$? -lt 2 ]
	controls=; for name in $(CONTROLS); do \
	    controls="$$controls --control $$(ls -d confirming/*-$$name | tail -n 1)"; done; \
	$(BIN)/touchstone reproduce --results-dir confirming --confirm $$controls \
	    --record scenarios/jms_scenarios/deviations

reconfirm: $(VENV)/.dev ## show ten recorded confirmations anew, drawn by SEED
	$(BIN)/touchstone reconfirm --draw 10 --touchstone-seed $(SEED)
	$(BIN)/touchstone reconfirm --mended --draw 1 --touchstone-seed $(SEED)

.github/lint/node_modules: .github/lint/package-lock.json
	npm ci --prefix .github/lint --no-audit --no-fund --silent
	@touch $@

# In minutes: of every family of brokers one, beside the usual; a minute of other drawn programs on each
# transport, in which nothing may be found; and wrong clients drawn by the commit.
OF_FAMILIES := rabbitmq qpid activemq openmq qpid+on:brokerj
NODE_MODULES := $(if $(shell command -v npm),.github/lint/node_modules)
# Not reordered, else the longest files, of few tests, come last. What waits for ever fails, with its threads' stacks.
TESTS = $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder --timeout 600
UNTESTED := $(BIN)/python conformance/tests/project/untested.py
FORM := lint site $(NODE_MODULES) $(VENV)/.dev
test: $(FORM) ## in minutes: form, types, all tests but thorough ones, a part of the catalogue, some wrong clients
	$(TESTS) -m "not thorough"
	$(BIN)/touchstone run --provider reference --sample 2 -n auto
	$(BIN)/touchstone run --able $(OF_FAMILIES:%=--provider %) -n auto --draw 3 --touchstone-seed $(SEED) --no-reports
	for transport in reference reference-java; do \
	    $(BIN)/touchstone hunt --provider $$transport --minutes 1 --seed 33 -n auto --no-reports || exit; done
	$(BIN)/touchstone prove --sample 16
	@$(UNTESTED) $(OF_FAMILIES)

# The whole of what `make test` has a part of.
test-all: $(FORM) ## form, types, all tests, all wrong clients, fuzzing, the catalogue, real clients, confirmations
	$(TESTS)
	$(BIN)/touchstone prove
	$(MAKE) fuzz MINUTES=1
	$(MAKE) conformance
	$(MAKE) sample
	$(MAKE) reconfirm
	@$(UNTESTED) $(CLIENTS)

NEWEST := build/newest-pytest
newest-pytest: ## the plug-in's own tests on the newest pytest: may the upper bound of its version move?
	rm -rf $(NEWEST)
	$(MAKE) VENV=$(NEWEST) $(NEWEST)/.base
	$(NEWEST)/bin/pip install --quiet --disable-pip-version-check --upgrade pytest
	$(NEWEST)/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder conformance/tests/judging

lint: $(VENV)/.dev ## form, types, and the direction of the imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	for directory in impl/tests conformance/tests reports/tests fuzz bench containers docs locks releasing; do $(BIN)/mypy $$directory || exit; done
	$(BIN)/lint-imports

site: $(VENV)/.dev ## the documentation as pages: site/index.html, and what the runs in results say: site/results
	$(BIN)/mkdocs build --strict --quiet
	@$(if $(wildcard results/*/run.json),$(BIN)/touchstone site results --out site/results)

MINUTES ?= 10
fuzz: $(VENV)/.dev ## hostile inputs for every decoder, for MINUTES in all
	$(BIN)/python -m fuzz --minutes $(MINUTES)

bench: $(VENV)/.dev ## how fast the broker starts, the catalogue runs, the reference and the adapter work, a report opens
	$(BIN)/python -m bench

images: $(VENV)/.base ## the brokers' images, made without a registry (root, Debian, a container engine)
	$(BIN)/python -m containers $(IMAGES)

containers: $(VENV)/.dev ## the brokers in containers: faults, bad starts, a part of the catalogue (root, Docker)
	$(BIN)/pytest -n 0 containers/tests
	$(BIN)/touchstone run --provider reference --provider rabbitmq --provider qpid --broker container \
	    --draw 20 --touchstone-seed 1 -n auto $(OPTIONS)

bench-volume: $(VENV)/.dev ## 33 checks on ten million messages: Spark and the local engine beside DuckDB and Polars
	$(BIN)/python -m bench volume --messages 10000000 --rounds 3

sbom: $(VENV)/.base ## what the wheel and the image bring along, with hashes: build/sbom/*.cdx.json
	$(BIN)/python -m containers.sbom build/sbom

# All but the upload: `python -m releasing --help`. TAG=v0.1.0 is what is released, KEY an SSH key that signs.
release: $(VENV)/.dev ## build a release into dist, try it out, sum it up; without TAG=v0.1.0 a rehearsal
	$(BIN)/python -m releasing $(TAG:%=--tag %) $(KEY:%=--key %)

audit: $(VENV)/.dev ## known weaknesses of the locked packages (asks PyPI)
	$(BIN)/pip-audit --strict --disable-pip --require-hashes -r locks/dev.txt

screenshot: $(VENV)/.dev ## the README's pictures: of the newest whole run (make conformance), and of clients side by side
	$(BIN)/touchstone run $(PROVIDERS:%=--provider %) --area headers -n auto
	$(BIN)/touchstone report $(PROVIDERS:%=--provider %)
	$(BIN)/python docs/screenshot.py

look: $(VENV)/.base ## the largest modules, functions and packages, for a reader
	$(BIN)/python -m bench.look

# For every platform, by markers (docs/installing.md), but without what is for Windows alone.
LOCKED := --quiet --universal --generate-hashes --no-header --python-version 3.11 \
    --no-emit-package jms-touchstone-reference --no-emit-package pywin32
SUITE_LOCKED := $(LOCKED) --no-emit-package colorama
lock: ## write the locks anew from both pyproject.toml
	$(BIN)/uv pip compile $(SUITE_LOCKED) pyproject.toml --extra completion --extra volume --group build -o locks/base.txt
	$(BIN)/uv pip compile $(LOCKED) pyproject.toml --all-extras --group build --group dev -c locks/base.txt -o locks/dev.txt
	$(BIN)/uv pip compile $(SUITE_LOCKED) pyproject.toml --extra rabbitmq --extra spark --group build -c locks/dev.txt -o locks/image.txt

lock-pulsar: ## write the lock of the embedded broker in another VERSION of Pulsar (needs Maven)
	$(BIN)/python locks/pulsar_broker.py $(VERSION)

clean: ## remove what was built
	rm -rf $(VENV) dist build results site .mypy_cache .ruff_cache .pytest_cache .hypothesis
