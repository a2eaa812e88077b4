# Every task a person runs. `make` alone lists them.
PYTHON    ?= python3
PROFILE   ?= sample
NOTEBOOK  ?= notebooks/30-relpron.ipynb
PARAMS    ?=
SMOKE     ?=
RECORD    ?=
PORT      ?= 8000
OPEN      ?= _build/lab
TEXT      ?=
MODEL     ?= en_core_web_sm
TO        ?=
SOLUTIONS ?= 1
WORKERS   ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
TESTS     ?= notebooks tests

VENV      := .venv
BIN       := $(VENV)/bin
INSTALLED := $(VENV)/.installed
CDSM      := $(BIN)/python -m cdsm_lib
BOOK      := $(BIN)/python -m book._ext
SCRIPT    := $(BIN)/python -m scripts
# What takes long comes first: notebooks, then chapters, so that no worker is left alone with it at the end.
PYTEST    := $(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8 --dist loadscope --no-loadscope-reorder

# Sums come out the same whatever the machine's cores, and whatever its processor: all have AVX2, and those with AVX-512
# would add in another order, which training makes large. Compiled kernels are kept between runs.
export OMP_NUM_THREADS      := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS      := 1
ifeq ($(shell uname -m),x86_64)
include .ci/processor.env
export OPENBLAS_CORETYPE NUMBA_CPU_NAME NUMBA_CPU_FEATURES NPY_DISABLE_CPU_FEATURES
endif
export PYTHONHASHSEED       := 0
export SOLUTIONS
unexport PYTHONDONTWRITEBYTECODE
export NUMBA_CACHE_DIR      := $(CURDIR)/.build/numba

ifeq ($(filter sample full,$(PROFILE))$(wildcard $(filter %.toml,$(PROFILE)) data/profiles/$(PROFILE).toml),)
$(error PROFILE=$(PROFILE): there are sample and full, and no data/profiles/$(PROFILE).toml)
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install book test refresh data deposit derive corpus verify reproduce distil context2vec encoder tagger playground multiverse run lab serve pdf bench power lint slow-test mirror-test browser-test clean course

help: ## list these tasks
	@echo "usage: make TASK [PROFILE=sample|full] [PYTHON=python3]"; echo
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

install: $(INSTALLED) ## make .venv from requirements.lock (every task does so when it must)

# Of two at once the second waits: it finds all installed then.
ifndef ALONE
$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c "$$ONE_AT_A_TIME" $(MAKE) --no-print-directory ALONE=1 $@
else
$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; name one: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps --no-build-isolation --check-build-dependencies -e .
	@touch $@
endif

define ONE_AT_A_TIME
import fcntl, os, subprocess, sys
os.makedirs(".build", exist_ok=True)
lock = open(".build/install.lock", "w")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except (IOError, OSError):
    sys.stderr.write("another make is installing here; this one waits for it\n")
    fcntl.flock(lock, fcntl.LOCK_EX)
sys.exit(subprocess.call(sys.argv[1:]))
endef
export ONE_AT_A_TIME

book: $(INSTALLED) ## execute the notebooks and render the book into _build/html; PROFILE=full on the full data, SOLUTIONS=0 without solutions and keys
	$(BOOK) book --profile $(PROFILE)

test: $(INSTALLED) ## the tests, and every notebook against its stored outputs; needs no network and no data
	$(PYTEST) --nbval --nbval-current-env --nbval-sanitize-with tests/nbval.cfg --ignore=tests/browser $(TESTS)

refresh: $(INSTALLED) ## execute the sample profile and write its outputs into notebooks/, for you to look at and commit
	$(BOOK) refresh

data: $(INSTALLED) ## fetch and check the real datasets, and show what is present and what is missing
	$(CDSM) data

deposit: $(INSTALLED) ## what of the data may be passed on, as a folder for a research archive, in _build/deposit
	$(CDSM) deposit

derive: $(INSTALLED) ## make the registered parses again from the owners' files, byte for byte; says what is missing
	$(SCRIPT).derive

corpus: $(INSTALLED) ## a corpus of your own: TEXT=file or folder (text, MediaWiki dump, CoNLL-U), MODEL=of spaCy, TO=folder
	@test -n "$(TEXT)" || { echo "name your text: make corpus TEXT=file or folder" >&2; exit 2; }
	$(CDSM) corpus "$(TEXT)" --model "$(MODEL)" $(if $(TO),--to "$(TO)")

verify: $(INSTALLED) ## recompute the full figures but for long trainings, and compare (7 minutes once the models are in the cache, else 14; needs the data); RETRAIN=chapter trains it anew too, RETRAIN=auto one by the day; EXACT=1 tolerates nothing
	$(CDSM) verify $(if $(EXACT),--exact) $(if $(RETRAIN),--retrain "$(RETRAIN)")

reproduce: $(INSTALLED) ## recompute all full figures and compare (hours; needs the data)
	$(CDSM) reproduce

distil: $(INSTALLED) ## make data/distilled afresh from the whole corpus (needs the data)
	$(SCRIPT).distil

context2vec: $(INSTALLED) ## train context2vec on the whole corpus and write data/models (an hour; needs the data and PyTorch)
	$(SCRIPT).context2vec

encoder: $(INSTALLED) ## train the encoder on the whole corpus and write data/models (an hour and a quarter; needs the data and PyTorch)
	$(SCRIPT).encoder

tagger: $(INSTALLED) ## train the part-of-speech tagger and write data/models (a quarter of an hour; needs the data)
	$(SCRIPT).tagger

playground: $(INSTALLED) ## make the words and matrices of the book's playground (five minutes once word2vec is in the cache, else half an hour; needs the data)
	$(SCRIPT).playground

multiverse: $(INSTALLED) ## the claims in every universe of data/multiverse.toml that is not there (half an hour for all; needs the data)
	$(CDSM) multiverse

run: $(INSTALLED) ## one notebook with parameters of your own: NOTEBOOK=30-relpron PARAMS="space=Count seed=1"
	$(if $(PARAMS),@printf '%s\n' "$$PARAMS" | xargs )$(BOOK) run --profile $(PROFILE) $(NOTEBOOK)

lab: $(INSTALLED) ## open copies of the notebooks in JupyterLab; OPEN=... another folder, or a notebook that make run executed
	$(BOOK) lab
	$(BIN)/jupyter lab $(OPEN)

course: $(INSTALLED) ## slides, an exam and the notebooks for a class, students' and teachers', as zip files in _build/course
	$(BOOK) course

serve: book ## build the book, then show it at http://localhost:8000 (PORT=...)
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

pdf: $(INSTALLED) ## build the book and print it: the whole book but the library's reference as one PDF, _build/book.pdf (two minutes; needs Chromium)
	$(BOOK) book --profile $(PROFILE) --pdf

bench: $(INSTALLED) ## speed and memory beside those of our peers; SMOKE=1 for a short look, RECORD=1 to keep it for the book
	@set -e; $(if $(RECORD),export CDSM_BENCH=benchmarks/record.jsonl; rm -f $$CDSM_BENCH; $(BIN)/python benchmarks/measure.py;) for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script $(if $(SMOKE),--smoke); done

power: $(INSTALLED) ## which tests notice what: mutants of the library, two hours; AGAINST=an earlier file of killers, RECORD=file to keep them, SABOTAGE=1 for the list of sabotages
	$(BIN)/python benchmarks/power.py --jobs $(WORKERS) $(if $(AGAINST),--against $(AGAINST)) $(if $(RECORD),--record $(RECORD)) $(if $(SABOTAGE),--sabotage)

lint: $(INSTALLED) ## what ruff finds in the code, and codespell in the prose
	$(BIN)/ruff check .
	$(BIN)/codespell

slow-test: $(INSTALLED) ## the tests that walk through whole commands: books built, a guide followed, commands killed; needs no data
	$(PYTEST) -m "slow and not mirror" tests

mirror-test: $(INSTALLED) ## the tests that need the real datasets (CDSM_DATA_MIRROR)
	@test -n "$$CDSM_DATA_MIRROR" || { echo "set CDSM_DATA_MIRROR to the folder that holds the datasets" >&2; exit 2; }
	$(PYTEST) -m mirror tests

browser-test: book ## every page of the built book in headless Chromium
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m browser tests

clean: ## remove what the other tasks build, but not .venv, nor your notebooks in _build/lab
	@if [ -d _build ]; then find _build -mindepth 1 -maxdepth 1 ! -name lab -exec rm -rf {} +; fi
	rm -rf .build
