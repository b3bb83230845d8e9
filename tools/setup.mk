# From a fresh machine to a running notebook: set-up, kernelspecs, demo, tests, install.
VENV         := .venv
VENV_PYTHON   = $(CURDIR)/$(VENV)/bin/python
# Which kernels Jupyter offers: cellpod-gke fails where there is no cluster.
KERNELSPECS  ?= cellpod
# The Python whose packages an installed kernel's cells see.
SANDBOX_PYTHON ?= $(VENV_PYTHON)
PYTEST_FLAGS ?=
# Progress, but no word of what needs no work; on all processors.
QUIET        := --no-print-directory -j$(shell nproc) $(if $(V),,--silent)

.PHONY: setup setup-tests requirements kernelspecs demo test test-quick test-at-length test-all lab bench faults mutants coverage sbom test-peers install
export PYTHON

setup:
	$(Q)tools/setup

setup-tests:
	$(Q)tools/setup --tests

# Newest versions that fit together. Needs the network; review what it changes.
requirements:
	$(Q)tools/pin-requirements

# --- kernelspecs --------------------------------------------------------------------------
# $(call spec,NAME,FOLDER,BINDIR,PYTHON)
define spec
install -d $(2) && \
sed -e 's|@BINDIR@|$(3)|g' -e 's|@PYTHON@|$(4)|g' kernelspec/$(1)/kernel.json.in > $(2)/kernel.json && \
chmod 644 $(2)/kernel.json && \
for logo in $(wildcard kernelspec/$(1)/logo-*); do install -m 644 $$logo $(2); done
endef

SPECS_HERE := $(KERNELSPECS:%=$(VENV)/share/jupyter/kernels/%/kernel.json)
# The sandboxed kernel is the one that a new notebook has.
DEFAULT_HERE := $(VENV)/etc/jupyter/jupyter_server_config.json

kernelspecs: $(SPECS_HERE) $(DEFAULT_HERE)

$(DEFAULT_HERE):
	@mkdir -p $(@D)
	@echo '{"MultiKernelManager": {"default_kernel_name": "cellpod"}}' > $@

$(VENV)/share/jupyter/kernels/%/kernel.json: kernelspec/%/kernel.json.in $(wildcard kernelspec/*/logo-*)
	$(call say,SPEC)$(call spec,$*,$(@D),$(CURDIR)/$(BUILD)/bin,$(VENV_PYTHON))

# --- what people run ------------------------------------------------------------------------
# A second make, because packages that the first one installs decide how things are built.
demo: setup
	$(Q)$(MAKE) $(QUIET) all kernelspecs
	$(Q)$(VENV_PYTHON) tools/demo.py

# JupyterLab refuses to serve root unless told so; the cells are confined all the same.
ALLOW_ROOT = $(if $(filter 0,$(shell id -u)),--allow-root)

lab: setup
	$(Q)$(MAKE) $(QUIET) all kernelspecs
	$(Q)$(VENV)/bin/jupyter lab --notebook-dir=notebooks $(ALLOW_ROOT) $(LAB_FLAGS)

test: setup-tests
	$(Q)$(MAKE) $(QUIET) all kernelspecs unit-programs
	$(Q)$(MAKE) $(QUIET) CONFIG=asan unit-programs build/asan/bin/cellpod-kernel
	$(Q)tools/test-all $(PYTEST_FLAGS)

# What it has left out, for a length that every change would have to wait for.
test-at-length: setup-tests
	$(Q)$(MAKE) $(QUIET) all kernelspecs unit-programs
	$(Q)tools/test-all --at-length $(PYTEST_FLAGS)

# What a change of a C file needs: it is built, and what is quick is tested.
test-quick:
	$(Q)$(MAKE) $(QUIET) all kernelspecs unit
	$(Q)tools/run-tests -q -p no:cacheprovider $(PYTEST_FLAGS) tests/bridge/test_asking.py tests/e2e/test_protocol_execute.py

test-all:
	$(Q)tools/test-everything

FAULT_SEEDS ?= 0-999
faults: setup-tests
	$(Q)$(MAKE) $(QUIET) all kernelspecs
	$(Q)FAULT_SEEDS=$(FAULT_SEEDS) tools/run-tests $(PYTEST_FLAGS) tests/faults/test_seeds.py
	$(Q)FAULT_STOP_SECONDS=30 tools/run-tests $(PYTEST_FLAGS) tests/faults/test_table.py -k 'stop'
	$(Q)FAULT_MEGABYTES=10240 FAULT_DISPLAYS=1000000 tools/run-tests $(PYTEST_FLAGS) tests/faults/test_pressure.py

# Worker, kernel, client, or all of them, at every stage of a cell: ten thousand take an hour and a half.
KILL_SEEDS ?= 0-9999
kills: setup-tests
	$(Q)$(MAKE) $(QUIET) all kernelspecs
	$(Q)KILL_SEEDS=$(KILL_SEEDS) tools/run-tests -s $(PYTEST_FLAGS) tests/kills

# Sabotages, one by one (tests/mutants); those that no test notices are listed.
mutants: setup-tests
	$(Q)$(MAKE) $(QUIET) all kernelspecs unit-programs
	$(Q)tools/mutants $(MUTANTS)

# What the tests reach, by folder.
coverage: setup-tests
	$(Q)tools/coverage $(COVERAGE)

bench: setup
	$(Q)$(MAKE) $(QUIET) all kernelspecs
	$(Q)! tools/in-venv build/xeus requirements/xeus.txt python -c "" || export CELLPOD_XEUS=$(CURDIR)/build/xeus; \
	    $(VENV_PYTHON) bench/run.py $(BENCH_FLAGS)

# The published tests of programs that use kernels, with this one.
PEERS := ipykernel nbclient papermill
.PHONY: $(PEERS:%=test-%)
test-peers: $(PEERS:%=test-%)

$(PEERS:%=test-%): test-%: setup
	$(Q)$(MAKE) $(QUIET) all kernelspecs
	$(Q)tools/test-peer $* $(PYTEST_FLAGS)

# What a release consists of, checked against the format's own schema.
SBOM := $(BUILD)/cellpod-$(VERSION).cdx.json
sbom: setup
	$(Q)$(MAKE) $(QUIET) all
	$(Q)$(VENV_PYTHON) tools/sbom $(BUILD) > $(SBOM)
	$(Q)tools/in-venv build/sbom-venv requirements/sbom.txt python tools/check-sbom $(SBOM)

# --- for keeps ------------------------------------------------------------------------------
PLACE := $(DESTDIR)$(PREFIX)

install: all
	$(Q)install -d $(PLACE)/bin $(PLACE)/lib/cellpod
	$(Q)install -m 755 $(PROGRAMS) $(PLACE)/bin
	$(Q)install -m 755 $(SHARED_LIBS) $(PLACE)/lib/cellpod
	$(Q)$(foreach f,$(WORKER_FILES:sandbox/%=%),install -D -m 644 sandbox/$(f) $(PLACE)/share/cellpod/$(f) &&) true
	$(Q)for python in $(SANDBOX_PYTHON) $(VENV_PYTHON); do \
	    if [ -x $$python ]; then $$python -m compileall -qf --invalidation-mode checked-hash -s $(PLACE) -p $(PREFIX) $(PLACE)/share/cellpod/worker; break; fi; done
	$(Q)$(foreach f,$(LEXICONS),install -D -m 644 $(f) $(PLACE)/share/cellpod/planner/$(notdir $(f)) &&) true
	$(Q)echo '$(SANDBOX_PYTHON)' > $(PLACE)/share/cellpod/python
	$(Q)$(foreach f,$(SPEC_FILES),install -D -m 644 $(f) $(PLACE)/share/cellpod/$(f) &&) true
	$(Q)$(foreach s,$(KERNELSPECS),$(call spec,$(s),$(PLACE)/share/jupyter/kernels/$(s),$(PREFIX)/bin,$(SANDBOX_PYTHON)) &&) true
	@echo 'cellpod is in $(PLACE); its cells run $(SANDBOX_PYTHON) (SANDBOX_PYTHON=... for another)'
