.DEFAULT_GOAL := help
PY := .venv/bin/python

.PHONY: help demo test faults quality bench fuzz release-check lock

help: ## Show these targets.
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 16

demo: .venv/.ready ## Set up, ingest the examples, search them; SERVE=1 stays up.
	.venv/bin/garage demo $(if $(SERVE),--serve)

test: .venv/.dev ## The gate: format, lint, types, contracts, unit, graph and interaction tests.
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	.venv/bin/basedpyright
	.venv/bin/lint-imports
	$(PY) -m pytest -m "not faults and not quality and not bench and not fuzz"

faults quality fuzz: .venv/.dev ## Kills and hangs; retrieval quality; long random runs.
	$(PY) -m pytest -m $@

bench: .venv/.dev ## Speed and memory, with the limits of docs/benchmarks.md.
	$(PY) -m pytest -m bench -s

release-check: test faults quality bench fuzz ## Everything.

lock: .venv/.dev ## Resolve the dependencies again into the two lock files.
	.venv/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate \
	  --no-header -q pyproject.toml --group build -o requirements.lock
	.venv/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate \
	  --no-header -q pyproject.toml --group dev -o requirements-dev.lock

.venv/.ready: requirements.lock pyproject.toml
.venv/.dev: requirements-dev.lock .venv/.ready
.venv/.ready .venv/.dev:
	@if command -v uv >/dev/null; then \
	  uv venv --quiet --allow-existing .venv && \
	  uv pip install --quiet --python $(PY) --compile-bytecode --require-hashes -r $< && \
	  uv pip install --quiet --python $(PY) --no-deps --no-build-isolation -e . ; \
	else \
	  python3 -m venv .venv && \
	  $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r $< && \
	  $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . ; \
	fi
	@$(PY) -m compileall -q api communities extraction graphstore
	@touch $@
