# What a newcomer needs: `make demo`, then `make test`. Everything lives in .venv and REPOPILOT_HOME.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
SOURCE ?= pypi:vllm==0.33.0
QUESTION ?= How do I serve a LoRA adapter?
OTHER ?= pypi:vllm==0.32.0
CASES ?= tests/cases/own
SECTIONS ?= A,B,C,D,E,F,G

.PHONY: demo install test test-fast vllm-environment test-vllm fuzz chaos bench load openapi cases eval-answers lock audit licences sbom lint format clean

demo: $(INSTALLED)
	@$(BIN)/repopilot index "$(SOURCE)"
	@$(BIN)/repopilot ask "$(QUESTION)"
	@echo
	@echo "Next: $(BIN)/repopilot ask \"your question\", $(BIN)/repopilot search WORDS, or $(BIN)/repopilot serve"

install: $(INSTALLED)

# torch is pinned to a build that exists for CPUs, which pip finds; see constraints.txt. The rest uv installs, in a third of the time.
$(INSTALLED): pyproject.toml constraints.txt
	@echo "Installing into $(VENV) (a few minutes the first time) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt torch uv
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --compile-bytecode --constraint constraints.txt --editable . --group dev \
		|| $(BIN)/python -m pip install --quiet --constraint constraints.txt --editable . --group dev
	@touch $@

# The environment of the vLLM tests, made once in minutes of waiting, is made while the fast tests run.
test: lint
	@$(MAKE) --no-print-directory --jobs 2 test-fast vllm-environment
	@$(MAKE) --no-print-directory test-vllm

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test-fast: $(INSTALLED)
	$(BIN)/pytest -m "not vllm" --numprocesses auto --dist loadfile --no-loadscope-reorder

# A real vLLM server with a small model; its own environment is kept outside the checkout (see tests/vllm/prepare.py).
vllm-environment: $(INSTALLED)
	$(BIN)/python tests/vllm/prepare.py

test-vllm: vllm-environment
	$(BIN)/pytest tests/vllm -m vllm

# The properties on many random examples; what it finds becomes an `@example` of the test.
fuzz: $(INSTALLED)
	$(BIN)/pytest -m hypothesis --hypothesis-profile=fuzz --numprocesses auto --timeout 3600

# GitHub's adapter killed at 50 requests, 1,000 deliveries with repetitions and failures, and 200 questions on a Discord
# that fails, drops and loses sessions; about fifteen minutes.
chaos: $(INSTALLED)
	CHAOS_KILLS=50 CHAOS_DELIVERIES=1000 CHAOS_QUESTIONS=200 \
		$(BIN)/pytest tests/bot/adapters/github/test_chaos.py tests/bot/adapters/discord/test_chaos.py

# What indexing and searching cost, each figure beside a baseline of the same run; about ten minutes.
bench: $(INSTALLED)
	$(BIN)/python -m benchmarks --source "$(SOURCE)" --other "$(OTHER)"

# 200 askers at once, and a steady rate for ten minutes, against a model that takes its time; a real one with
#   make load LLM="--llm-url http://127.0.0.1:8000/v1 --llm-model NAME"
load: $(INSTALLED)
	$(BIN)/python -m benchmarks.load $(LLM)

# docs/openapi.json, as a service serves it.
openapi: $(INSTALLED)
	$(BIN)/python -m bot.adapters.http > docs/openapi.json

cases: $(INSTALLED)
	$(BIN)/python tests/cases $(CASES) --sections $(SECTIONS)

# Scores answers to question files with whatever reader the settings name, against the index they name:
#   make eval-answers QUESTIONS="a.jsonl b.jsonl" SAVE=one.json, then another reader with BASELINE=one.json
eval-answers: $(INSTALLED)
	@test -n "$(QUESTIONS)" || { echo 'Which questions? make eval-answers QUESTIONS="FILE…" [SAVE=FILE] [BASELINE=FILE]' >&2; exit 2; }
	@$(BIN)/repopilot eval --ask $(if $(SAVE),--save "$(SAVE)") $(if $(BASELINE),--baseline "$(BASELINE)") $(QUESTIONS)

# The image's dependencies, each with its hashes: what pyproject.toml allows, as of today.
UV ?= $(BIN)/uv
LOCK = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --upgrade
lock: $(INSTALLED)
	$(LOCK) pyproject.toml -o deploy/requirements.lock
	printf 'build\nhatchling\n' | $(LOCK) - -o deploy/requirements-build.lock

# Is any of them known to be vulnerable? It asks a service on the net.
audit: $(if $(filter $(BIN)/uv,$(UV)),$(INSTALLED))
	$(UV) tool run --quiet --from 'pip-audit==2.10.1' pip-audit --strict --disable-pip --require-hashes \
		--requirement deploy/requirements.lock

# What the lock installs, unpacked as the image has it.
LOCKED := build/locked
$(LOCKED): deploy/requirements.lock $(if $(filter $(BIN)/uv,$(UV)),$(INSTALLED))
	$(UV) venv --quiet --clear --python 3.11 $@
	$(UV) pip sync --quiet --require-hashes --python $@/bin/python deploy/requirements.lock

licences: $(INSTALLED) $(LOCKED)
	$(BIN)/python -m deploy.licences $(LOCKED) > docs/licences.md

# CycloneDX, checked against its schema.
sbom: $(LOCKED)
	@mkdir -p dist
	$(UV) tool run --quiet --from 'cyclonedx-bom==7.5.0' cyclonedx-py environment --pyproject pyproject.toml \
		--mc-type application --output-reproducible --validate --output-file dist/repopilot.cdx.json $(LOCKED)/bin/python

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
