# Everything runs in an environment of its own, made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
FUZZ_SECONDS ?= 600
NUMERICS ?=
READY := $(VENV)/.ready

.PHONY: help demo test check lint types imports docs site docs-check quick bench fuzz mutants numerics test-full matrix-full warps-full corpus-full conformance clean
help: ## Show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ptxlift needs Python 3.11 or newer; say make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(READY)

demo: $(READY) ## Translate the examples for gfx942 and gfx1100, run them, compare with numpy
	$(BIN)/python examples/demo.py

test: $(READY) ## All tests
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests

check: lint types imports docs-check quick ## What must be green at every commit

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

docs: $(READY) ## Write the generated pages
	$(BIN)/python -m docs.generate

site: $(READY) ## The pages as a web site, in build/site
	$(BIN)/python -m docs.site

docs-check: $(READY)
	$(BIN)/python -m docs.generate --check

quick: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m 'not slow' tests/unit

test-full: $(READY) ## All tests with every parameter of those that are sampled
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests --full

matrix-full: $(READY) ## Every form of mma.sync, generic and native, on every kind of chip; an hour
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests/unit/matrix --matrix-full --full

warps-full: $(READY) ## Locks, meetings and warp operations in blocks of every shape on every target
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests/unit/warps --warps-full --full

corpus-full: $(READY) ## Every example from every compiler on six targets
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[corpus]'
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests/corpus --corpus-full --full

fuzz: $(READY) ## Random PTX and LLVM IR, interpreter and this machine against emulator; FUZZ_SECONDS=600
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS)

vectors: $(READY) ## Every vector of NVIDIA's results as machine code on six chips; half an hour
	$(BIN)/python tests/vectors/chips.py

numerics: $(READY) ## Divisions, roots and approximate functions on millions of operands; hours, goes on where it was
	$(BIN)/python -m tests.numerics $(NUMERICS)

mutants: $(READY) ## Faults in semantics and lowerings, and whether a test notices each; a sample of 150 each, all with --sample 0
	$(BIN)/python -m tests.mutants

bench: $(READY) ## The benchmarks; each prints a table and writes JSON
	$(BIN)/python -m benchmarks.parse
	$(BIN)/python -m benchmarks.frontend
	$(BIN)/python -m benchmarks.inline_asm
	$(BIN)/python -m benchmarks.lop3
	$(BIN)/python -m benchmarks.shuffle
	$(BIN)/python -m benchmarks.rewrite
	$(BIN)/python -m benchmarks.emulate
	$(BIN)/python -m benchmarks.matrix
	$(BIN)/python -m benchmarks.code_quality || test $$? = 2
	$(BIN)/python -m benchmarks.code_quality_micro

conformance: $(READY) ## Kernels of public packages: PTX made, translated, their tests run; hours
	$(BIN)/python -m conformance

clean:
	rm -rf $(VENV) build dist *.egg-info
