# rethread. `make` builds everything into build/; docs/INTERNALS.md says what each product is for.
#
#   make            all products           make check     all tests, last line "N passed, N failed"
#   make demo       one bug, start to end  make install PREFIX=/usr/local DESTDIR=
#   make replay100  the suite, 100 replays each
#   make bench      what recording costs   make format    clang-format over all sources
#   make fuzz       the parsers, for FUZZ_SECONDS each; what is new goes to the corpus that `make check' replays
#   make clean      removes build/
#
# Sources are taken by wildcard, one folder per part; a new file needs no change here.
# Goals that build first install missing Debian packages (scripts/setup.sh; RETHREAD_NO_SETUP=1 skips it).

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

ifeq ($(origin CC),default)
CC := clang-19
endif
ifeq ($(origin CXX),default)
CXX := clang++-19
endif
ifeq ($(origin AR),default)
AR := ar
endif
LLVM_CONFIG ?= llvm-config-19
OBJCOPY := llvm-objcopy-19
PREFIX ?= /usr/local
DESTDIR ?=
B := build

# ---------------------------------------------------------------- set-up

NO_SETUP_GOALS := clean format
ifneq ($(filter-out $(NO_SETUP_GOALS),$(or $(MAKECMDGOALS),all)),)
# Not under `make -n`: single-letter options are MAKEFLAGS' first word.
ifeq ($(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),)
ifneq ($(shell scripts/setup.sh >&2 && echo ready),ready)
$(error scripts/setup.sh failed; RETHREAD_NO_SETUP=1 skips it)
endif
endif
endif

# ---------------------------------------------------------------- flags

OPT ?= -O2 -g
WARN := -Wall -Wextra -Wundef -Wshadow -Werror
INCLUDES := -Iinclude -Isrc
# Empty, not 1: a source that defines it too then says the same thing.
DEFINES := -D_GNU_SOURCE=
CFLAGS_TOOL = -std=gnu17 $(OPT) $(WARN) $(DEFINES) $(INCLUDES) -fPIC -MMD -MP
CXXFLAGS_TOOL = -std=gnu++17 $(OPT) $(WARN) $(INCLUDES) -fPIC -fno-exceptions -MMD -MP
# The runtimes are linked into every target: libc only, no calls for thread-local storage, no LTO.
CFLAGS_RT = -std=gnu17 -O2 -g $(WARN) $(DEFINES) $(INCLUDES) -fPIC -fno-lto -ftls-model=initial-exec \
	-ffile-prefix-map=src/=rethread-runtime/ -ffile-prefix-map=include/rethread/=rethread-runtime/ -fno-stack-protector -fno-omit-frame-pointer -MMD -MP

LLVM_INCLUDES = -isystem $(shell $(LLVM_CONFIG) --includedir)
LLVM_LIBS = $(shell $(LLVM_CONFIG) --ldflags --libs --link-shared)
TOOL_LIBS := -lzstd -ldw -lelf -ljansson -lstdc++
INFER_LIBS = $(LLVM_LIBS) -lz3 $(TOOL_LIBS) -lpthread
# The engine's own copy: the one that a program uses is in the same process, and has a state that the program makes. It is not made for
# shared objects, but in one place, which nobody comes to: a stream's name is asked for.
ENGINE_JSON = $(B)/libjansson_own.a
ENGINE_LIBS = $(ENGINE_JSON) -Wl,--exclude-libs,ALL -lpthread -lm -lgcc_s

# ---------------------------------------------------------------- sources of each product

# objects of the folders given
objects = $(patsubst %,$(B)/obj/%.o,$(wildcard $(foreach d,$(1),src/$(d)/*.c src/$(d)/*.cpp)))
rt_objects = $(patsubst %,$(B)/rt/%.o,$(1))

CLI := $(call objects,base trace exe cc cli) $(patsubst %,$(B)/obj/src/model/%.c.o,schedule_text schedule_check memory_name)
INFER := $(call objects,base trace exe model solve infer search) \
	$(patsubst %,$(B)/obj/%.o,$(wildcard src/sym/translate*.c src/sym/expr*.c))
ENGINE := $(filter-out $(B)/obj/src/sym/translate%,$(call objects,sym)) $(call objects,base trace) \
	$(B)/obj/src/model/execution.c.o $(B)/obj/src/rt/input_kinds.c.o $(B)/obj/src/rt/effects.c.o
PASS := $(call objects,instrument) $(B)/obj/src/rt/effects.c.o
RT := $(call rt_objects,$(wildcard src/rt/*.c))
TWIN := $(call rt_objects,$(wildcard src/replay/*.c) $(addprefix src/rt/,real.c failure.c allocator.c caught.c async.c image.c c11.c effects.c input_kinds.c libraries.c log.c lookup.c mapped.c options.c))

# Functions of the C library that become part of programs. Runtime and engine, which are in the process too, have their own of those they use.
C_LIBRARY := sort tokens times environment
ENGINE += $(patsubst %,$(B)/obj/src/library/%.c.o,sort environment)
TWIN += $(call rt_objects,$(patsubst %,src/library/%.c,sort tokens))

# What unit tests may use: everything but the mains.
PARTS := $(filter-out %/main.c.o,$(sort $(call objects,base trace exe cc model solve sym infer search))) \
	$(B)/obj/src/rt/input_kinds.c.o $(B)/obj/src/rt/effects.c.o $(B)/obj/src/cli/margin.c.o \
	$(patsubst %,$(B)/obj/src/instrument/%.c.o,bits inclusion members util)
UNIT := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/*.c))

LIBS_IN_TARGETS := $(B)/librethread_rt.a $(B)/librethread_twin.a
PLUGINS := $(B)/librethread_pass.so $(B)/librethread_engine.so
PROGRAMS := $(B)/rethread $(B)/rethread-infer
ALIASES := $(B)/rethread-cc $(B)/rethread-c++
# CMake takes "rethread-" for the prefix of a whole toolchain, and looks for clang's tools for LTO under it.
LLVM_TOOLS := llvm-ar llvm-ranlib
LLVM_ALIASES := $(addprefix $(B)/rethread-,$(LLVM_TOOLS))

.PHONY: replay100 all check eval demo bench fuzz install clean format units
all: $(PROGRAMS) $(ALIASES) $(LLVM_ALIASES) $(LIBS_IN_TARGETS) $(B)/librethread_containers.a $(B)/librethread_strings.a $(B)/rethread_library.o $(PLUGINS) $(B)/rethread-gdb.py

# ---------------------------------------------------------------- products

$(B)/rethread: $(CLI)
	$(CC) -o $@ $(CLI) -Wl,--as-needed $(TOOL_LIBS)

$(B)/rethread-infer: $(INFER)
	$(CC) -o $@ $(INFER) -Wl,--as-needed $(INFER_LIBS)

$(ALIASES): | $(B)/rethread
	ln -sf rethread $@

$(LLVM_ALIASES): $(B)/rethread-%: | $(B)/rethread
	ln -sf $(shell $(LLVM_CONFIG) --bindir)/$* $@

$(ENGINE_JSON):
	@mkdir -p $(@D)
	$(OBJCOPY) --redefine-sym stdin=rethread_no_stream $(shell $(CC) -print-file-name=libjansson.a) $@

# -Bsymbolic: the twin's own functions must not take the place of the engine's.
$(B)/librethread_engine.so: $(ENGINE) $(ENGINE_JSON)
	$(CC) -shared -Wl,-Bsymbolic -Wl,-z,defs -o $@ $(ENGINE) -Wl,--as-needed $(ENGINE_LIBS)

$(B)/librethread_pass.so: $(PASS)
	$(CXX) -shared -Wl,-Bsymbolic -Wl,-z,defs -o $@ $(PASS) $(LLVM_LIBS)

# A runtime is one object, in which only what src/rt/exports.def names is visible.
# A function of that name that the program has itself (mtx_lock, getline) comes first; not so threads, what they wait with, and memory.
KEPT := rethread ^pthread_ ^sem_ alloc ^free$$ memalign ^clone$$ ^__assert ^sigaction$$ ^signal$$
$(B)/rt/exports: src/rt/exports.def include/rethread/interposed.def include/rethread/inputs.def
	@mkdir -p $(@D)
	$(CC) -E -P -x c $(INCLUDES) $< | tr -s ' ' '\n' >$@

$(B)/librethread_rt.a: $(RT)
$(B)/librethread_twin.a: $(TWIN)
$(LIBS_IN_TARGETS): $(B)/librethread_%.a: $(B)/rt/exports
	$(CC) -fuse-ld=lld -nostdlib -r -o $(B)/rt/$*.o $(filter %.c.o,$^)
	$(OBJCOPY) --wildcard --keep-global-symbols=$< $(B)/rt/$*.o
	grep -v $(KEPT:%=-e %) $< >$(B)/rt/$*.weak && $(OBJCOPY) --weaken-symbols=$(B)/rt/$*.weak $(B)/rt/$*.o
	rm -f $@ && $(AR) rcs $@ $(B)/rt/$*.o

# Becomes part of programs: bitcode beside native code, as what `rethread c++ -c` makes.
$(B)/library/%.o: src/library/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O2 -g1 -Wall -Wextra -Wshadow -Werror -fPIC -fexceptions $(ALIASING) -fno-stack-protector -flto \
		-ffat-lto-objects -ffile-prefix-map=src/=rethread-runtime/ -c -o $@ $<
ALIASING = -fno-strict-aliasing
# The nodes of containers have members that are told apart by it (src/instrument/member_tags.c).
$(B)/library/containers.o: ALIASING =

# std::string: what libstdc++ does to it in functions of its own, for programs compiled as C++17 or older; with C++20 these are the
# program's own already. Libstdc++'s source once more, so that strings that threads share without a lock are inferred like any other
# structure. The library itself keeps its own: they are not exported (--exclude-libs).
$(B)/library/strings.o: Makefile
	@mkdir -p $(@D)
	printf '#include <string>\ntemplate class std::basic_string<char>;\n' | $(CXX) -x c++ -std=gnu++17 -O2 -g1 -Wall -Wextra -Werror -fPIC \
		-fno-stack-protector -flto -ffat-lto-objects -c -o $@ -

$(B)/librethread_containers.a: $(B)/library/containers.o $(B)/library/exceptions.o $(B)/library/locale.o $(B)/library/statics.o $(B)/library/pointers.o $(B)/library/forks.o $(patsubst %,$(B)/library/%.o,$(C_LIBRARY))
	rm -f $@ && $(AR) rcs $@ $^

$(B)/librethread_strings.a: $(B)/library/strings.o
	rm -f $@ && $(AR) rcs $@ $^

$(B)/rethread_library.o: $(B)/rt/src/library/guard.c.o
	$(OBJCOPY) --strip-debug $< $@

$(B)/libparts.a: $(PARTS)
	rm -f $@ && $(AR) rcs $@ $(PARTS)

$(B)/rethread-gdb.py: scripts/rethread-gdb.py
	cp $< $@

# ---------------------------------------------------------------- objects

LLVM_USERS := instrument sym solve infer search
$(foreach d,$(LLVM_USERS),$(B)/obj/src/$(d)/%.o): EXTRA = $(LLVM_INCLUDES)

$(B)/obj/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) $(EXTRA) -c -o $@ $<

$(B)/obj/%.cpp.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS_TOOL) $(EXTRA) -c -o $@ $<

$(B)/rt/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_RT) -c -o $@ $<

$(B)/tests/unit/%: tests/unit/%.c $(B)/libparts.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) $(LLVM_INCLUDES) -o $@ $< $(B)/libparts.a -Wl,--as-needed $(INFER_LIBS) -lcmocka

$(B)/bench/%: bench/%.c $(B)/libparts.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) $(LLVM_INCLUDES) -o $@ $< $(B)/libparts.a -Wl,--as-needed $(INFER_LIBS)

-include $(wildcard $(B)/obj/src/*/*.d $(B)/rt/src/*/*.d $(B)/tests/unit/*.d)

# ---------------------------------------------------------------- goals

units: $(UNIT)

check: all units
	@scripts/check.sh $(UNIT)

eval: all
	@eval/run.sh

# Every program recorded by scheme rw and replayed 100 times; takes long. ARGS as tests/replay/hundred.sh has them.
replay100: all
	@tests/replay/hundred.sh $(ARGS)

demo: all
	@scripts/demo.sh

fuzz:
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-60} tests/fuzz/run.sh

# What recording costs; ROUNDS, SCALE and TIME=cpu are explained in bench/run.sh.
bench: all $(B)/bench/solve_execution
	@bench/run.sh $(B)
	@bench/replay.sh $(B)
	@BUILD=$(CURDIR)/$(B) bench/solve.sh -b 30 -t 30 twostage piper ticketorder manager sim_race bbuf dekker peterson || true
	@BUILD=$(CURDIR)/$(B) bench/workers.sh || true
	@BUILD=$(CURDIR)/$(B) bench/growth.sh -b 100 -t 60 || true

install: all
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin lib/rethread share/man/man1 share/bash-completion/completions)
	install -m 755 $(B)/rethread $(DESTDIR)$(PREFIX)/bin/rethread
	ln -sf rethread $(DESTDIR)$(PREFIX)/bin/rethread-cc
	ln -sf rethread $(DESTDIR)$(PREFIX)/bin/rethread-c++
	for tool in $(LLVM_TOOLS); do ln -sf $(shell $(LLVM_CONFIG) --bindir)/$$tool $(DESTDIR)$(PREFIX)/bin/rethread-$$tool; done
	install -m 755 $(B)/rethread-infer $(PLUGINS) $(DESTDIR)$(PREFIX)/lib/rethread/
	install -m 644 $(LIBS_IN_TARGETS) $(B)/librethread_containers.a $(B)/librethread_strings.a $(B)/rethread_library.o $(B)/rethread-gdb.py $(DESTDIR)$(PREFIX)/lib/rethread/
	install -m 644 $(wildcard docs/*.1) $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 completion/bash/rethread $(DESTDIR)$(PREFIX)/share/bash-completion/completions/

clean:
	rm -rf $(B)

format:
	clang-format-19 -i $(wildcard include/rethread/*.h src/*/*.[ch] src/*/*.cpp tests/unit/*.c)
