# make            build everything into build/
# make demo       install what is missing, run the notebooks, leave reports
# make test       the same set-up, then the tests; it says what it leaves out
# make test-quick   C units, fuzz corpora and some cells: after a change, in under a minute
# make test-at-length  tests that `make test` leaves out, because they show at more places what it shows
# make test-all     what a release passes (tools/test-everything names it), with a table of what ran, what did not and why
# make lab        JupyterLab on notebooks/
# make install    install to PREFIX (/usr/local), below DESTDIR
# make test-llama   questions to a real llama-server from Debian sid
# make test-gvisor  sandboxes under this machine's gVisor, and that of Debian 13
# make test-pairs           all pairs of the planner's operators, run and recomputed
# make test-oldest-pandas   the planner's tests on pandas 1.5
# make test-libraries what Plotly, numba, polars, LightGBM and others do in a cell, and after questions
# make test-vm    sandboxes on Debian's kernel, in machines of their own
# make test-cluster the cluster kernelspec against a real API server and agent-sandbox
# make bench-warm-pod kernel start to first output from a warm pod, beside the same without one
# make bench-claims 500 claims at once against that API server, ten times (CLAIMS=500, ROUNDS=10): failures, and what is left
# make bench-cluster 2,000 kernels' claims against that API server (KERNELS=200 for fewer)
# make test-image the images of the Dockerfile, built by buildah, run by podman with runc and runsc
# make bench      cellpod against ipykernel and xeus-python, in one run
# make bench-ask  analysts' questions, both halves: right, refused, wrong, and what confidence is worth
# make unit       C unit tests and fuzz corpora only
# make faults     tests/faults at length: a thousand cells whose path breaks (FAULT_SEEDS=0-999), 10 GB of text, stops of 30 s
# make test-strangers  published notebooks: each cell undone and run again puts out the same
# make kills      ten thousand seeded kills at every stage of a cell (KILL_SEEDS=0-9999)
# make mutants    sabotages of tests/mutants, which a test must notice (MUTANTS=cache.c for some)
# make coverage   lines and branches of C that the tests reach, by folder (COVERAGE=tests/unit for some)
# make asan       the C unit tests and fuzz corpora under ASan and UBSan
# make fuzz       every fuzzer for FUZZ_SECONDS (60), or FUZZ=name for one
# make check      rooms, timers, headers, rows of tests/mutants, formatting, and the linter for Python
# make format     clang-format the C sources, ruff the Python
# make clean      remove build/ (and .venv/ with `make distclean`)
# make help       this list
#
# One file, no recursion but for the sanitizer and fuzz builds. Local settings (CC=clang,
# V=1, PYTHON=python3.12) go into config.mk, which git ignores.
-include config.mk

CONFIG       ?= release
PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 60

# build/ is laid out like PREFIX, so that programs find their files in both alike.
BUILD := $(if $(filter release,$(CONFIG)),build,build/$(CONFIG))
OBJ   := $(BUILD)/obj

CFLAGS_release := -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong
CFLAGS_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
                  -fno-sanitize-recover=all
CFLAGS_fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
                  -fno-sanitize-recover=all
ifeq ($(CONFIG),fuzz)
CC := clang
endif
# There, what reads texts from outside counts its steps (tests/fuzz/steps.h).
STEPS_asan := -fsanitize-coverage=trace-pc
STEPS_fuzz := $(STEPS_asan)
# libFuzzer has one of that name, which counts edges; --wrap puts ours in its place.
ifeq ($(CONFIG),fuzz)
CPPFLAGS_steps := -D__sanitizer_cov_trace_pc=__wrap___sanitizer_cov_trace_pc
endif
counts_steps = $(filter $(patsubst %,$(OBJ)/%/%.o,$(COMPONENTS)),$(filter-out $(SHARED:%=$(OBJ)/sandbox/%/%),$(1)))

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wold-style-definition -Wpointer-arith -Wwrite-strings -Wvla -Wundef \
            -Wformat=2 -Wswitch-enum -Wimplicit-fallthrough
CPPFLAGS := -I. -D_GNU_SOURCE $(patsubst -I%,-isystem %,$(shell pkg-config --cflags-only-I libxml-2.0))
CFLAGS   := -std=gnu17 -fPIC $(WARNINGS) $(CFLAGS_$(CONFIG))
LDFLAGS  := -Wl,--as-needed,-z,relro,-z,now

# --- parts -----------------------------------------------------------------------------
# A component is a folder at the top, its library is OBJ/lib<component>.a, and a file *_main.c
# in it is a program. A component has rooms, which are folders in it.
COMPONENTS := common kube bridge sandbox kernel cli

# What the zygote loads by ctypes: each of these folders is one shared library.
SHARED := isolate chart journal

# What a room may include besides itself: whole rooms, or single headers of one. `make check`
# holds the sources against it and refuses circles; docs/architecture.md shows it as a table.
define ROOMS
common:
common/net:         common
common/settings:    common common/net
common/http:        common

kube/access:        common common/http
kube:               kube/access common common/http

bridge/models:      common common/http
bridge/providers:   bridge/models
bridge/config:      bridge/models common common/net common/settings
bridge/prompt:      bridge/models common
bridge/planner/words:   common
bridge/planner/profile: bridge/planner/words
bridge/planner/read:    bridge/planner/profile bridge/planner/words
bridge/planner/query:   bridge/planner/profile
bridge/planner/tokens:  bridge/planner/query bridge/planner/read bridge/planner/words
bridge/planner/wording: bridge/planner/tokens
bridge/planner/durations:   bridge/planner/tokens
bridge/planner/calendar:    bridge/planner/durations bridge/planner/tokens
bridge/planner/filter:  bridge/planner/calendar bridge/planner/durations bridge/planner/tokens
bridge/planner/groups:  bridge/planner/calendar bridge/planner/durations bridge/planner/tokens
bridge/planner/bands:   bridge/planner/durations bridge/planner/tokens
bridge/planner/contest: bridge/planner/durations bridge/planner/filter bridge/planner/tokens
bridge/planner/parse:   bridge/planner/calendar bridge/planner/durations bridge/planner/groups bridge/planner/query bridge/planner/tokens bridge/planner/words
bridge/planner/program: bridge/planner/query bridge/planner/words
bridge/planner/draft:   bridge/planner/query bridge/planner/read
bridge/planner/emit:    bridge/planner/query bridge/planner/words
bridge/planner/restyle: bridge/planner/query
bridge/planner:         bridge/planner/draft bridge/planner/emit bridge/planner/parse bridge/planner/program bridge/planner/restyle bridge/planner/words common
bridge/repair:      bridge/planner/words common
bridge:             bridge/config bridge/models bridge/planner bridge/planner/words bridge/prompt bridge/repair common
bridge/asking:      bridge bridge/models bridge/prompt bridge/repair common

sandbox/isolate:    common
sandbox/chart:      common
sandbox/journal:    common
sandbox/messages:   sandbox/loop.h common
sandbox/http:       sandbox/loop.h sandbox/messages common
sandbox/network:    sandbox/loop.h common common/net
sandbox/files:      sandbox/token.h common
sandbox/resources:  sandbox/loop.h sandbox/isolate common
sandbox/gvisor:     sandbox/loop.h sandbox/isolate common
sandbox/start:      sandbox/loop.h sandbox/resources common
sandbox/running:    sandbox/loop.h sandbox/journal sandbox/messages sandbox/resources common
sandbox/life:       sandbox/loop.h sandbox/token.h sandbox/files sandbox/messages sandbox/network sandbox/resources sandbox/running sandbox/start common common/settings
sandbox/api:        sandbox/token.h sandbox/files sandbox/http sandbox/life common
sandbox:            sandbox/api sandbox/http sandbox/isolate common

kernel/jupyter:     common
kernel/output:      kernel/jupyter common common/settings
kernel/place:       kube kube/access common common/http common/settings
kernel/client:      kernel/place kernel/jupyter common
kernel/process:     kernel/client kernel/place common common/settings
kernel/archive:     kernel/client kernel/jupyter common common/settings
kernel/content:     kernel/jupyter kernel/output common
kernel/carry:       kernel/client kernel/jupyter kernel/place common common/settings
kernel/ask:         kernel/jupyter kernel/output bridge common
kernel:             kernel/archive kernel/ask kernel/carry kernel/client kernel/content kernel/jupyter kernel/output kernel/place kernel/process common common/settings

cli:                kernel/carry kernel/output kernel/place common common/http common/settings
cli/doctor:         cli bridge/config kernel/place sandbox/files sandbox/isolate sandbox/life sandbox/resources common
endef
export ROOMS

all_rooms = $(patsubst %:,%,$(filter %:,$(ROOMS)))
rooms     = $(filter-out $(SHARED:%=sandbox/%),$(filter $(1) $(1)/%,$(all_rooms)))
sources   = $(filter-out %_main.c common/version.c,$(wildcard $(patsubst %,%/*.c,$(rooms)))) $(SHARES_$(1))
objects   = $(patsubst %.c,$(OBJ)/%.o,$(1))
libraries = $(foreach c,$(1),$(OBJ)/lib$(c).a)

# What it counts with is wherever the others are.
SHARES_common := $(if $(STEPS_$(CONFIG)),tests/fuzz/steps.c)
# What sandboxd does as a sandbox's init does it, and cellpod-runsc as sandboxd.
SHARES_sandbox    := $(patsubst %,sandbox/isolate/%.c,handle offspring failure mount protect seccomp_metered seccomp_policy spawn users)

NEEDS_common  := common
NEEDS_bridge  := bridge common
NEEDS_kube    := kube common
NEEDS_sandbox := sandbox common
NEEDS_kernel  := kernel bridge kube common
NEEDS_cli     := cli kernel bridge kube sandbox common

LIBS_common  := -lczmq -lcrypto -ljansson
LIBS_bridge  := -lczmq -lcrypto -ljansson -lm
LIBS_sandbox := -lmicrohttpd -lcares -lcrypto -lseccomp -ljansson
LIBS_kube    := -lczmq -lyaml -lcrypto -ljansson
LIBS_kernel  := -lczmq -lzmq -lyaml -lcrypto -lpng -ljansson -lm
LIBS_cli     := $(LIBS_kernel) $(LIBS_sandbox)

MAINS    := $(filter-out bridge/planner/%,$(wildcard $(patsubst %,%/*_main.c,$(all_rooms))))
# kernel/kernel_main.c -> cellpod-kernel; cli/cellpod_main.c -> cellpod
program_name = $(patsubst cellpod-cellpod,cellpod,cellpod-$(patsubst %_main.c,%,$(notdir $(1))))
PROGRAMS := $(foreach m,$(MAINS),$(BUILD)/bin/$(call program_name,$(m)))

LIBS_isolate := -lseccomp
LIBS_chart   := -lpng
SHARED_LIBS := $(SHARED:%=$(BUILD)/lib/cellpod/libcellpod-%.so)

WORKER_FILES := $(shell find sandbox/worker -name '*.py' -o -name '*.def' -o -path 'sandbox/worker/*.txt' -o -name '*.mplstyle' 2>/dev/null)
SHARE_FILES  := $(WORKER_FILES:sandbox/%=$(BUILD)/share/cellpod/%)

# The planner's words, one file a language, and its bench: it links no more than it needs.
LEXICONS       := $(wildcard bridge/planner/lexicon/*.txt)
LEXICON_FILES  := $(LEXICONS:bridge/planner/lexicon/%=$(BUILD)/share/cellpod/planner/%)
SHARE_FILES    += $(LEXICON_FILES)

# What `cellpod install` installs.
SPEC_FILES  := $(wildcard kernelspec/*/*)
SHARE_FILES += $(SPEC_FILES:%=$(BUILD)/share/cellpod/%)
EXTRA_PROGRAMS += $(BUILD)/planner-bench

# The Python of whoever names none (common/paths.h).
SHARE_FILES += $(BUILD)/share/cellpod/python

# One tag for all sources: kernel and daemon of different builds do not meet.
VERSION   := $(shell cat VERSION)
TAGGED    := VERSION common kernel sandbox bridge kube
BUILD_TAG := $(shell cat $$({ git ls-files -co --exclude-standard $(TAGGED) 2>/dev/null || find $(TAGGED) -type f; } \
               | LC_ALL=C sort) 2>/dev/null | sha256sum | cut -c1-12)

UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/*/test_*.c))
FUZZ_SRC   := $(wildcard tests/fuzz/*/fuzz_*.c)
REPLAYS    := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/replay/%,$(FUZZ_SRC))
FUZZERS    := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/fuzz/%,$(FUZZ_SRC))

Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-6s %s\n' $(1) $@;)

.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all
.PHONY: all bench-ask unit unit-programs replay asan fuzz check headers rooms timers sabotages format format-check lint clean distclean help \
        test-bridge test-llama test-pairs test-oldest-pandas test-libraries test-strangers test-vm test-cluster run-test-cluster test-image \
        bench-cluster bench-claims bench-warm-pod

all: $(PROGRAMS) $(SHARED_LIBS) $(SHARE_FILES) $(EXTRA_PROGRAMS)

# --- objects, libraries, programs --------------------------------------------------------
$(OBJ)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) $(CPPFLAGS_$(notdir $*)) $(CFLAGS) $(if $(call counts_steps,$@),$(STEPS_$(CONFIG))) -MMD -MP -c $< -o $@

# In programs only: tests link one without a tag, and so are linked again only when something
# that they test has changed.
TAGGED_OBJECT   := $(OBJ)/common/version.o
UNTAGGED_OBJECT := $(OBJ)/tests/version.o
CPPFLAGS_version = -DCELLPOD_VERSION='"$(VERSION)"' $(if $(filter $(TAGGED_OBJECT),$@),-DCELLPOD_BUILD='"$(BUILD_TAG)"')
$(TAGGED_OBJECT): $(OBJ)/build-tag VERSION
$(UNTAGGED_OBJECT): common/version.c Makefile VERSION
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) $(CPPFLAGS_version) $(CFLAGS) -MMD -MP -c $< -o $@
$(OBJ)/build-tag: FORCE
	@mkdir -p $(@D)
	@echo '$(BUILD_TAG)' | cmp -s - $@ || echo '$(BUILD_TAG)' > $@
# Phony by name: to .SECONDARY it would be a file that need not be made.
.PHONY: FORCE
FORCE:

define component_rules
$(OBJ)/lib$(1).a: $(call objects,$(call sources,$(1)))
	@mkdir -p $$(@D)
	$$(call say,AR)rm -f $$@ && $(AR) rcs $$@ $$^
endef
$(foreach c,$(COMPONENTS),$(eval $(call component_rules,$(c))))

define program_rules
$(BUILD)/bin/$(call program_name,$(1)): $(call objects,$(1)) $(TAGGED_OBJECT) $(call libraries,$(NEEDS_$(firstword $(subst /, ,$(1)))))
	@mkdir -p $$(@D)
	$$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -pie $$^ $(LIBS_$(firstword $(subst /, ,$(1)))) -o $$@
endef
$(foreach m,$(MAINS),$(eval $(call program_rules,$(m))))

define shared_rules
$(BUILD)/lib/cellpod/libcellpod-$(1).so: $(call objects,$(wildcard sandbox/$(1)/*.c))
	@mkdir -p $$(@D)
	$$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -shared $$^ $(LIBS_$(1)) -o $$@
endef
$(foreach s,$(SHARED),$(eval $(call shared_rules,$(s))))

$(BUILD)/planner-bench: $(OBJ)/bridge/planner/planner_bench_main.o \
    $(call objects,$(filter-out %_main.c,$(wildcard $(patsubst %,%/*.c,$(filter bridge/planner%,$(all_rooms)))))) $(UNTAGGED_OBJECT) $(OBJ)/libcommon.a | $(LEXICON_FILES)
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -pie $^ -ljansson -lm -o $@

$(BUILD)/share/cellpod/planner/%: bridge/planner/lexicon/%
	@mkdir -p $(@D)
	@cp $< $@

$(BUILD)/share/cellpod/python: FORCE
	@mkdir -p $(@D)
	@echo '$(VENV_PYTHON)' | cmp -s - $@ || echo '$(VENV_PYTHON)' > $@

$(BUILD)/share/cellpod/kernelspec/%: kernelspec/%
	@mkdir -p $(@D)
	@cp $< $@

$(BUILD)/share/cellpod/%: sandbox/%
	@mkdir -p $(@D)
	@cp $< $@

# --- tests in C ---------------------------------------------------------------------------
# tests/unit/COMPONENT/test_x.c and tests/fuzz/COMPONENT/fuzz_x.c link that component and
# what it needs. COMPONENT may also be `isolate` or `chart`: then they link its objects.
# What several tests of a component share is a *_fixture.c beside them.
part_of      = $(firstword $(subst /, ,$(1)))
fixtures     = $(call objects,$(wildcard tests/unit/$(call part_of,$(1))/*_fixture.c))
part_objects = $(if $(filter $(1),$(SHARED)),$(call objects,$(wildcard sandbox/$(1)/*.c)),$(call libraries,$(NEEDS_$(1))))

# The calls that tests of this name make fail, or hurry.
WRAP_test_sandboxd_spawn := posix_spawn
WRAP_test_token := CRYPTO_memcmp
WRAP_test_copy_out := pread
WRAP_test_beneath := syscall
WRAP_test_process_tree := process_is_child process_signal
WRAP_test_memory := cgroup_memory cgroup_peak cgroup_kills cgroup_set_soft cgroup_pressure_fd \
                    cgroup_clear_pressure cgroup_is_waiting process_tree_memory process_tree_resident \
                    process_tree_resident_of process_tree_resident_but \
                    process_tree_signal process_tree_kill process_tree_kill_all process_tree_read unmapped_bytes \
                    pace_processors process_tree_is_dying \
                    loop_timer_set loop_timer_cancel \
                    loop_watch_start loop_watch_stop loop_now_ms
WRAP_test_worker := loop_timer_set
WRAP_test_worker_interrupt  := loop_timer_set
WRAP_test_worker_succession := loop_timer_set
WRAP_test_httpd := loop_timer_set
WRAP_test_enter := syscall prctl openat open fcntl ioctl unshare sethostname mkdirat symlinkat \
                   fchmodat setrlimit setresuid setresgid setgroups chdir fchdir dup2 socket bind listen

define unit_rules
$(BUILD)/tests/unit/$(1): $(OBJ)/tests/unit/$(1).o $(call fixtures,$(1)) $(UNTAGGED_OBJECT) $(call part_objects,$(call part_of,$(1)))
	@mkdir -p $$(@D)
	$$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) $(WRAP_$(notdir $(1)):%=-Wl,--wrap=%) $$^ $(LIBS_$(call part_of,$(1))) -lcmocka -o $$@
endef
$(foreach t,$(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*/test_*.c)),$(eval $(call unit_rules,$(t))))

# A user's systemd, for tests/unit/sandbox/test_user_scope.py.
$(BUILD)/tests/unit/sandbox/systemd_standin: $(OBJ)/tests/unit/sandbox/systemd_standin.o
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lsystemd -o $@

BOUNDED := $(patsubst %,$(OBJ)/tests/fuzz/%.o,bounded steps) $(UNTAGGED_OBJECT)

define fuzz_rules
$(BUILD)/tests/replay/$(1): $(OBJ)/tests/fuzz/$(1).o $(OBJ)/tests/fuzz/replay.o $(BOUNDED) $(call part_objects,$(call part_of,$(1)))
	@mkdir -p $$(@D)
	$$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--wrap=LLVMFuzzerTestOneInput $$^ $(LIBS_$(call part_of,$(1))) -o $$@
$(BUILD)/tests/fuzz/$(1): $(OBJ)/tests/fuzz/$(1).o $(BOUNDED) $(call part_objects,$(call part_of,$(1)))
	@mkdir -p $$(@D)
	$$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--wrap=LLVMFuzzerTestOneInput -Wl,--wrap=__sanitizer_cov_trace_pc -fsanitize=fuzzer $$^ $(LIBS_$(call part_of,$(1))) -o $$@
endef
$(foreach t,$(patsubst tests/fuzz/%.c,%,$(FUZZ_SRC)),$(eval $(call fuzz_rules,$(t))))

# The bridge without a kernel, for tests/bridge: it is driven through pipes.
$(BUILD)/tests/bridge/ask_driver: $(OBJ)/tests/bridge/ask_driver.o $(UNTAGGED_OBJECT) $(call libraries,$(NEEDS_bridge))
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS_bridge) -o $@

# Against a real llama-server from Debian sid, unpacked below build/; a notice where it
# cannot be had. test-bridge needs no network.
PYTEST ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,python3) -m pytest -q
LLAMA  := build/llama

test-bridge: $(BUILD)/tests/bridge/ask_driver
	$(Q)CELLPOD_BUILD=$(CURDIR)/$(BUILD) $(PYTEST) tests/bridge --ignore=tests/bridge/test_llama.py

test-llama: setup-tests
	$(Q)$(MAKE) $(QUIET) all kernelspecs $(BUILD)/tests/bridge/ask_driver
	$(Q)tools/fetch-debian $(LLAMA) sid llama.cpp-tools llama-server || { [ $$? = 75 ] && exit 0; exit 1; }; \
	    [ ! -x $(LLAMA)/root/usr/bin/llama-server ] || CELLPOD_LLAMA=$(CURDIR)/$(LLAMA) \
	    tools/run-tests -q $(PYTEST_FLAGS) tests/bridge/test_llama.py tests/e2e/test_ask_llama.py

# Under the gVisor of Debian 13, beside that of this machine; a notice where it cannot be had.
GVISOR := build/gvisor

test-gvisor: setup-tests
	$(Q)$(MAKE) $(QUIET) all kernelspecs
	$(Q)tools/fetch-debian $(GVISOR) trixie runsc runsc || { [ $$? = 75 ] && exit 0; exit 1; }; \
	    for path in "$$PATH" "$(CURDIR)/$(GVISOR)/root/usr/bin:$$PATH"; do \
	        PATH=$$path tools/run-tests -q -rs $(PYTEST_FLAGS) tests/e2e/test_runsc.py || exit 1; done

# All pairs of the planner's operators, of which the ordinary run takes a sample.
test-pairs: setup-tests
	$(Q)$(MAKE) $(QUIET) $(BUILD)/planner-bench $(LEXICON_FILES)
	$(Q)CELLPOD_PAIRS=all $(PYTEST) -s tests/planner/test_operator_pairs.py

# Both halves of the analysts' questions; of the reporting half there are totals alone.
bench-ask: setup-tests
	$(Q)$(MAKE) $(QUIET) all kernelspecs
	$(Q)$(firstword $(PYTEST)) tests/planner/questions/grader.py 2>/dev/null

# What the planner writes also runs on the oldest pandas that it promises. The analysts' tables
# are written for today's.
test-oldest-pandas: setup-tests
	$(Q)$(MAKE) $(QUIET) $(BUILD)/planner-bench $(LEXICON_FILES)
	$(Q)tools/test-oldest-pandas build/oldest-pandas -q $(PYTEST_FLAGS) \
	    --ignore=tests/planner/questions tests/planner

# Libraries that a question must not break, and that are too large for `make test`.
test-libraries: setup-tests
	$(Q)$(MAKE) $(QUIET) all
	$(Q)tools/test-libraries build/libraries -q -rs $(PYTEST_FLAGS) tests/python/test_forks.py tests/python/test_libraries.py
	$(Q)CELLPOD_LIBRARIES=$(CURDIR)/build/libraries/bin/python $(PYTEST) -q -rs $(PYTEST_FLAGS) tests/e2e/test_library_threads.py

# Every cell of notebooks that others have published, undone and run again.
test-strangers: setup-tests
	$(Q)$(MAKE) $(QUIET) all
	$(Q)tools/fetch-strangers build/strangers
	$(Q)STRANGERS=$(CURDIR)/build/strangers/notebooks $(PYTEST) $(PYTEST_FLAGS) tests/strangers

# Against a real API server, and agent-sandbox's controller and router, built below build/ by
# the Go toolchain; a notice where they cannot be had. All that is fetched comes first.
CLUSTER := build/cluster

$(BUILD)/tests/cluster/claim_driver: $(OBJ)/tests/cluster/claim_driver.o $(UNTAGGED_OBJECT) $(call libraries,$(NEEDS_kube))
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS_kube) -o $@

test-cluster:
	$(Q)tools/timed $@ $(MAKE) --no-print-directory run-test-cluster

run-test-cluster:
	$(Q)tools/setup --tests
	$(Q)tools/in-venv build/hub requirements/hub.txt jupyterhub --version > /dev/null
	$(Q)$(MAKE) --no-print-directory all kernelspecs $(BUILD)/tests/cluster/claim_driver
	$(Q)tests/cluster/build-cluster $(CLUSTER) || { [ $$? = 75 ] && exit 0; exit 1; }; \
	    CELLPOD_CLUSTER=$(CURDIR)/$(CLUSTER) tools/run-tests -q $(PYTEST_FLAGS) tests/cluster

# What KERNELS kernels (2,000) ask of that API server, and what a controller's restart does.
bench-cluster: all $(BUILD)/tests/cluster/claim_driver
	$(Q)tests/cluster/build-cluster $(CLUSTER) || { [ $$? = 75 ] && exit 0; exit 1; }; \
	    CELLPOD_CLUSTER=$(CURDIR)/$(CLUSTER) $(VENV_PYTHON) bench/cluster.py

# CLAIMS claims (500) at once, ROUNDS times (10): fails if one fails, or anything is left.
bench-claims: all $(BUILD)/tests/cluster/claim_driver
	$(Q)tests/cluster/build-cluster $(CLUSTER) || { [ $$? = 75 ] && exit 0; exit 1; }; \
	    CELLPOD_CLUSTER=$(CURDIR)/$(CLUSTER) $(VENV_PYTHON) bench/claims.py

# Kernel start to first output from a warm pod, beside the same without one.
bench-warm-pod: all
	$(Q)$(VENV_PYTHON) bench/warm_pod.py

# The images, built and run below build/ in a mount namespace of their own; a notice where that
# cannot be had. Installs what tools/apt-packages-image.txt lists.
IMAGES := build/image

test-image:
	$(Q)tools/setup --tests --image
	$(Q)$(MAKE) --no-print-directory all kernelspecs
	$(Q)unshare --mount tests/image/build-images $(IMAGES) || { [ $$? = 75 ] && exit 0; exit 1; }; \
	    CELLPOD_IMAGES=$(CURDIR)/$(IMAGES) tools/run-tests -q -s $(PYTEST_FLAGS) tests/image

# On Debian's kernel, unpacked below build/: one machine for each thing that this one may not be. A notice
# where that kernel cannot be had. VM_TESTS=all also where the machines must be emulated.
test-vm:
	$(Q)tools/setup --tests --vm
	$(Q)$(MAKE) --no-print-directory --silent all kernelspecs
	$(Q)tests/vm/run build/vm $(SCENARIOS) || [ $$? = 75 ]

corpus_of = tests/fuzz/corpus/$(patsubst fuzz_%,%,$(notdir $(1)))

unit-programs: $(UNIT_TESTS) $(REPLAYS) $(BUILD)/tests/bridge/ask_driver $(BUILD)/tests/unit/sandbox/systemd_standin

unit: $(UNIT_TESTS) replay
	$(Q)for t in $(UNIT_TESTS); do $$t || exit 1; done

replay: $(REPLAYS)
	$(Q)$(foreach r,$(REPLAYS),$(r) $(call corpus_of,$(r))/* &&) true

asan:
	$(Q)$(MAKE) --no-print-directory CONFIG=asan unit

ifeq ($(CONFIG),fuzz)
CHOSEN_FUZZERS := $(if $(FUZZ),$(filter %/fuzz_$(FUZZ),$(FUZZERS)),$(FUZZERS))
.PHONY: $(CHOSEN_FUZZERS:%=run-%)

fuzz: $(CHOSEN_FUZZERS:%=run-%)

$(CHOSEN_FUZZERS:%=run-%): run-%: %
	$(Q)name=$(patsubst fuzz_%,%,$(notdir $<)); mkdir -p $(BUILD)/corpus/$$name $(BUILD)/findings; \
	echo "fuzz $$name for $(FUZZ_SECONDS) s"; \
	$< -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 -verbosity=0 \
	    -artifact_prefix=$(BUILD)/findings/$$name- $(BUILD)/corpus/$$name tests/fuzz/corpus/$$name
else
fuzz:
	$(Q)tools/setup --fuzz
	$(Q)$(MAKE) --no-print-directory -j$(shell nproc) --output-sync CONFIG=fuzz fuzz
endif

# --- what keeps the sources in order ------------------------------------------------------
HEADERS   := $(wildcard $(all_rooms:%=%/*.h))
FORMATTED := $(HEADERS) $(wildcard $(all_rooms:%=%/*.c) tests/unit/*.h tests/unit/*/*.[ch] tests/fuzz/*.c tests/fuzz/*/*.c)

check: rooms timers headers sabotages format-check lint

rooms:
	$(Q)tools/check-rooms $(ROOMS_FLAGS)

# zloop's own fire after their cancellation; these do not (common/timer.h).
timers:
	$(Q)! grep -nE 'zloop_timer(_end)? *\(' $(filter-out common/timer.c,$(wildcard $(all_rooms:%=%/*.[ch])))

# Each header stands alone. Of one that its own source includes first the build has shown it.
headers:
	$(Q)for h in $(HEADERS); do \
	    grep -sm1 '^#include' $${h%.h}.c | grep -qF "\"$$h\"" && continue; \
	    $(CC) $(CPPFLAGS) $(CFLAGS) -fsyntax-only -x c -include $$h /dev/null || exit 1; done

# Those of tests/mutants still fit what they are to spoil.
sabotages:
	$(Q)tools/mutants --fit

# The pinned ones of .venv/ where there are any.
CLANG_FORMAT ?= $(firstword $(wildcard .venv/bin/clang-format) clang-format)
RUFF         ?= $(firstword $(wildcard .venv/bin/ruff) ruff)

format:
	$(Q)$(CLANG_FORMAT) -i $(FORMATTED)
	$(Q)$(RUFF) format --quiet

format-check:
	$(Q)$(CLANG_FORMAT) --dry-run --Werror $(FORMATTED)
	$(Q)$(RUFF) format --quiet --check

lint:
	$(Q)$(RUFF) check --quiet

clean:
	rm -rf build

distclean: clean
	rm -rf .venv

help:
	@sed -n 's/^# \(make \)/\1/p' Makefile

include $(wildcard tools/setup.mk)
-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)
