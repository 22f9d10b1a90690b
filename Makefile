# nsq - small tools for Nsight Systems traces.  `make demo` and `make check` are the front door.

# No rule of make's own is used, and to look for one for each header takes longer than all else that make does.
MAKEFLAGS += --no-builtin-rules

VERSION = 0.4.0
PREFIX = /usr/local
CC = cc
CFLAGS = -O2
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wwrite-strings -Wvla -Wformat=2
B = build

# Not position independent: constant tables need no relocation then, so that nm tells them from writable data.
PIE = no-pie
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -f$(PIE) -DNSQ_VERSION='"$(VERSION)"' -Ilib $(WARN) $(WERROR) $(CFLAGS)
LIBS = -$(PIE) -lsqlite3 $(call INSIDE,pcre2-8) $(call INSIDE,csv) $(call INSIDE,z) $(call INSIDE,jansson) $(call INSIDE,cmark-gfm-extensions) $(call INSIDE,cmark-gfm) $(call INSIDE,ncursesw) \
	$(call INSIDE,tinfo) -lm -lpthread
# Small libraries, and those that one tool needs, are linked statically where that is possible: to load one takes time.
INSIDE = $(if $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a)),-l:lib$(1).a,-l$(1))

# The tools, in the order in which people ask; those that are not listed follow by name.  Each is a name of one program.
ORDER = capture import setup window streams overlap gaps stalls path nccl nvtx kernels api mem metrics mfu threads find ledger advise sql \
	diff gate plot export view tui report slice map
NAMES = $(patsubst tools/nsq-%.c,%,$(sort $(wildcard tools/nsq-*.c)))
LISTED = $(filter $(NAMES),$(ORDER)) $(filter-out $(ORDER),$(NAMES))
TOOLS = nsq $(LISTED:%=nsq-%)
LAYERS = base table sqlite import trace timeline launch step job answer capture map picture tui cli
OBJ = $(patsubst lib/%.c,$(B)/lib/%.o,$(wildcard $(LAYERS:%=lib/%/*.c))) $(B)/rules_builtin.o $(B)/schema_builtin.o $(B)/peaks_builtin.o $(B)/glossary_builtin.o \
	$(B)/plot_builtin.o $(B)/view_builtin.o $(B)/report_builtin.o $(B)/findings_builtin.o $(B)/slice_builtin.o \
	$(B)/tools_builtin.o $(NAMES:%=$(B)/tools/nsq-%.o)
BIN = bin

ifneq ($(CI),)
WERROR = -Werror
endif

FIXTURES = tests/fixtures
# What nsq demo writes.
DEMO = $(FIXTURES)/train.sqlite

.PHONY: all demo picture format check check-all slow asan tsan mutants fuzz corpus suite bench install uninstall install-skill deb static tarball clean deps

all: $(TOOLS:%=$(BIN)/%)

$(BIN)/nsq: $(B)/tools/nsq.o $(B)/libnsq.a
	@mkdir -p $(BIN)
	$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDFLAGS) $(LIBS)

$(BIN)/nsq-%: $(BIN)/nsq
	@ln -sf nsq $@

$(B)/libnsq.a: $(OBJ)
	@rm -f $@
	$(AR) rcs $@ $(OBJ)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/tools_builtin.c: Makefile $(NAMES:%=tools/nsq-%.c)
	@mkdir -p $(B)
	{ echo '#include "cli/run.h"'; printf 'extern const opt_tool nsq_%s;\n' $(LISTED); \
		echo 'const opt_tool *const tools_builtin[] = {'; printf '\t&nsq_%s,\n' $(LISTED); echo '	NULL };'; } > $@

# The files of folders of share/, compiled in.  Compilers take longer strings than the 4095 bytes that ISO C promises.
$(B)/%_builtin.o: $(B)/%_builtin.c
	$(CC) $(ALL_CFLAGS) -Wno-overlength-strings -c -o $@ $<

$(B)/rules_builtin.c: share/embed.awk $(wildcard share/rules/*)
	@mkdir -p $(B)
	$(call EMBED,rules,trace/rules.h) > $@

$(B)/findings_builtin.c: share/embed.awk $(wildcard share/findings/*)
	@mkdir -p $(B)
	$(call EMBED,findings,answer/findings.h) > $@

$(B)/schema_builtin.c: share/embed.awk $(wildcard share/schema/*)
	@mkdir -p $(B)
	$(call EMBED,schema,answer/schema.h) > $@

$(B)/view_builtin.c: share/embed.awk $(wildcard share/view/*)
	@mkdir -p $(B)
	$(call EMBED,view,picture/view_page.h) > $@

$(B)/peaks_builtin.c: share/embed.awk share/peaks.tsv
	@mkdir -p $(B)
	$(call EMBED,peaks,launch/peaks.h) > $@

$(B)/slice_builtin.c: share/embed.awk $(wildcard share/slice/*)
	@mkdir -p $(B)
	$(call EMBED,slice,trace/slice_list.h) > $@

$(B)/plot_builtin.c: share/embed.awk $(wildcard share/plot/*)
	@mkdir -p $(B)
	$(call EMBED,plot,picture/plot.h) > $@

$(B)/report_builtin.c: share/embed.awk $(wildcard share/report/*)
	@mkdir -p $(B)
	$(call EMBED,report,picture/report_parts.h) > $@

# The words of columns, as an array of constants.
$(B)/glossary_builtin.c: share/glossary.tsv Makefile
	@mkdir -p $(B)
	LC_ALL=C awk -F'\t' 'BEGIN { print "#include \"base/glossary.h\"\n\nconst glossary_word glossary_builtin[] = {" } \
		NR > 1 { gsub(/[\\"]/, "\\\\&"); sub("/", "\", \"", $$3); printf "\t{ \"%s\", \"%s\", \"%s\", \"%s\" },\n", $$1, $$2, $$3, $$4 } \
		END { print "\t{ 0 }\n};" }' $< > $@

EMBED = LC_ALL=C awk -v array=$(1)_builtin -v header=$(2) -f share/embed.awk $(sort $(wildcard share/$(1)/* share/$(1).tsv))

# Each rank's steady-state chunk, and which stage exposes its communication in it.
demo: deps
	@$(MAKE) -s -j$$(nproc) all
	$(BIN)/nsq-window $(FIXTURES)/dualpipe-pp2ep2.sqlite | $(BIN)/nsq-overlap -f table

# The picture in README.md.
PICTURE = share/picture.svg
picture: all
	$(BIN)/nsq-window -q --pick all --skip 1 --period $(FIXTURES)/ddp-2rank.sqlite | $(BIN)/nsq-gaps -q --by cause | \
		$(BIN)/nsq-plot --title "Why the GPU is idle, step by step" --force -o $(PICTURE)

# One form for every source file; the suite checks it.
format:
	share/format

deps:
	@CC="$(CC)" share/deps build

# The suite that everybody runs: every tool, every promise of the documents, every bug that was fixed, but for the tests
# with the tag `long`, which take over half a second each, and those with the tag `slow`.
check:
	@CC="$(CC)" share/deps test
	@$(MAKE) -s -j$$(nproc) all
	@$(MAKE) -s suite ONLY="--filter-tags !slow,!long"

# Everything: also the tests with the tags `long` and `slow`, those with the tag `more` on more traces (every fixture,
# and random ones that SEED decides), and the corpus where it is.
check-all: check slow

slow:
	@CC="$(CC)" share/deps test
	@$(MAKE) -s -j$$(nproc) all
	@echo "random traces: SEED=$(SEED)"
	@MORE=1 $(MAKE) -s suite ONLY="--filter-tags slow --filter-tags long --filter-tags more" \
		FILES="$$(grep -lE '^# bats (file|test)_tags=.*(slow|long|more)' $(FILES) | tr '\n' ' ')"
	@if [ -d $(TRACES) ]; then $(MAKE) -s corpus; else echo "no $(TRACES): the corpus is left out"; fi

SANITIZE = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all

# What `check` runs and the tests with the tag `long`, with AddressSanitizer and UBSan watching.
asan:
	@CC="$(CC)" share/deps test
	@$(MAKE) -s -j$$(nproc) all B=$(B)/asan BIN=$(B)/asan/bin CFLAGS="$(SANITIZE)"
	@$(MAKE) -s suite ONLY="--filter-tags !slow" B=$(B)/asan BIN=$(B)/asan/bin CFLAGS="$(SANITIZE)"

# The tools with four threads, ThreadSanitizer watching.  It takes a few minutes.
RACES = -O1 -g -fno-omit-frame-pointer -fsanitize=thread
tsan:
	@CC="$(CC)" share/deps test
	@$(MAKE) -s -j$$(nproc) all B=$(B)/tsan BIN=$(B)/tsan/bin CFLAGS="$(RACES)"
	tests/tsan $(B)/tsan/bin

# The files that take longest come first, so that no core waits for the last one.
LONGEST = $(LONGEST_NAMES:%=tests/%.bats)
LONGEST_NAMES = tools/every-tool documents/recipes browser/view tools/report tools/view nccl/ranks tools/advise \
	tools/path tools/sql tools/mfu tools/export tools/diff tools/plot tools/gaps tools/stalls tools/nvtx \
	windows/pipes-between-tools tools/window bad-files/names-on-terminals tools/captured tools/kernels browser/pages \
	tools/slice documents/commands-in-documents documents/installation
FILES = $(wildcard $(LONGEST)) $(filter-out $(LONGEST),$(wildcard tests/*/*.bats))

# Leaks are not looked for unless ASAN_OPTIONS says so: it takes seconds for each of thousands of runs.
# Tests that compile something link it with the library under test, built with the same flags.
# Where python3 is a script that looks for Python (pyenv), that is found once instead of hundreds of times; and modules in
# Python are compiled once.
# bats takes test files apart with regular expressions, which are faster in the C locale.
# No test depends on the clock: try `make check JOBS=20`, which loads the machine with the suite itself.
JOBS = $$(($$(nproc) + 1))
suite:
	LC_ALL=C PATH="$$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$$PATH" ASAN_OPTIONS="$${ASAN_OPTIONS-detect_leaks=0}" NSQ_BIN="$(abspath $(BIN))" NSQ_BUILD="$(abspath $(B))" \
		NSQ_CFLAGS="$(CFLAGS)" SEED="$(SEED)" PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX="$(abspath $(B))/pycache" prove -f -o -j$(JOBS) --exec "tests/run-file $(ONLY)" $(FILES)

# Does the suite notice small mistakes?  Those of tests/mutants/list.txt, and N drawn by a SEED.  Takes a
# quarter of an hour, so it is not part of `make check`; tests/mutants/survivors.txt explains what survives.
SEED = 1
N = 50
mutants:
	@CC="$(CC)" share/deps test
	tests/mutants/run $(SEED) $(N)

# Every tool on a large trace, against SQLite's own scan (SCALE=1 is a small one), and the traces of RANKS ranks.
SCALE = 64
RANKS = 100
bench: all $(B)/measure $(B)/phases
	@NSQ_BIN=$(BIN) MEASURE=$(B)/measure PHASES=$(B)/phases RANKS=$(RANKS) bench/run $(SCALE)

$(B)/measure: bench/measure.c
	@mkdir -p $(B)
	$(CC) $(ALL_CFLAGS) -no-pie -o $@ $<

$(B)/phases: bench/phases.c $(B)/libnsq.a
	$(CC) $(ALL_CFLAGS) -o $@ $< $(B)/libnsq.a $(LDFLAGS) $(LIBS)

# Run every tool on a folder of traces and compare with SQL: make corpus TRACES=~/traces
TRACES = ../shared/corpus
corpus: all
	@PATH="$(abspath $(BIN)):$$PATH" tests/corpus $(TRACES)
	@PATH="$(abspath $(BIN)):$$PATH" tests/advise/contradictions $(wildcard $(TRACES)/*.sqlite $(TRACES)/*.sqlite.xz)

# Look for crashes and hangs with AFL++, SECONDS for each kind of input; see tests/fuzz/fuzz.c.  Then as long in traces whose
# pages are changed at random, and for arguments that lead the server out of its folders; and for secrets, planted in every
# column of every fixture, that slices keep.
SECONDS = 60
# clang also reports NULL + 0, which is where an empty array ends.
CLANG_UBSAN = -fsanitize=undefined -fno-sanitize=pointer-overflow
fuzz: all
	@CC="$(CC)" share/deps fuzz
	@$(MAKE) -s $(B)/afl/fuzz B=$(B)/afl CC=afl-clang-fast CFLAGS="-O1 -g $(CLANG_UBSAN) -fno-sanitize-recover=all"
	@$(MAKE) -s $(B)/asan/fuzz B=$(B)/asan CFLAGS="$(SANITIZE)"
	tests/fuzz/run $(abspath $(B)/afl/fuzz $(B)/asan/fuzz $(B)/afl/out) $(SECONDS)
	python3 tests/bad-files/pages.py mutate $(SEED) $(SECONDS) $(BIN) tests/fixtures/t*.sqlite
	tests/mcp/hostile $(SECONDS)s $(abspath $(BIN)/nsq)
	MORE=1 bats -f 'a secret in any one column' tests/tools/slice.bats

$(B)/fuzz: tests/fuzz/fuzz.c $(B)/libnsq.a
	$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDFLAGS) $(LIBS)

# nsq as tests/library/progress.bats runs it.
$(B)/progress_told: tests/library/progress_told.c lib/cli/progress.c $(B)/tools/nsq.o $(B)/libnsq.a
	$(CC) $(ALL_CFLAGS) -o $@ $< $(B)/tools/nsq.o $(B)/libnsq.a $(LDFLAGS) $(LIBS)

# The cases of tests/units, in one program, which is compiled once for one run.
$(B)/units: $(wildcard tests/units/*.c tests/units/*.h) $(B)/libnsq.a
	$(CC) $(ALL_CFLAGS) -O0 -Itests/units -o $@ $(filter-out %.h,$^) $(LDFLAGS) $(LIBS)

SHARE = $(DESTDIR)$(PREFIX)/share/nsq
MAN = $(DESTDIR)$(PREFIX)/share/man
BASH_COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
RECIPES = $(filter-out %.out %.sh,$(wildcard recipes/*))
RULES = $(basename $(notdir $(wildcard share/rules/*.tsv)))
# Where the tools are that are asked for their help, should those of BIN be for another machine.
ASK = $(BIN)
COMPLETE = for t in $(LISTED); do $(ASK)/nsq help $$t || exit 1; done | \
	LC_ALL=C awk -v rules="$(RULES)" -f share/completion.awk

# Man pages and completion are made from what the tools say of themselves.
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/rules $(SHARE)/findings $(SHARE)/recipes $(SHARE)/references $(SHARE)/conventions $(SHARE)/demo $(MAN)/man1 $(MAN)/man7 \
		$(BASH_COMPLETION) $(ZSH_COMPLETION)
	install $(BIN)/nsq $(DESTDIR)$(PREFIX)/bin
	for t in $(LISTED); do ln -sf nsq $(DESTDIR)$(PREFIX)/bin/nsq-$$t || exit 1; done
	install -m 644 share/conventions.md share/SKILL.md share/peaks.tsv share/glossary.tsv $(SHARE)
	$(call PLUGIN,$(SHARE))
	install -m 644 share/rules/*.tsv $(SHARE)/rules
	install -m 644 share/findings/*.sql $(SHARE)/findings
	install -m 644 share/references/*.md $(SHARE)/references
	install -m 644 share/conventions/*.md $(SHARE)/conventions
	install -m 644 $(DEMO) $(SHARE)/demo
	install $(RECIPES) $(SHARE)/recipes
	install -m 644 recipes/*.out recipes/*.sh $(SHARE)/recipes
	for t in $(TOOLS); do { $(ASK)/nsq help $$(test $$t = nsq || echo $${t#nsq-}) | LC_ALL=C awk -v tool=$$t -v version=$(VERSION) -f share/man.awk && \
		{ test $$t = nsq || LC_ALL=C awk -v tool=$$t -f share/man7.awk share/conventions/$${t#nsq-}.md; }; } \
		> $(MAN)/man1/$$t.1 || exit 1; done
	LC_ALL=C awk -v version=$(VERSION) -f share/man7.awk share/conventions.md > $(MAN)/man7/nsq-conventions.7
	$(COMPLETE) -v shell=bash > $(BASH_COMPLETION)/nsq
	for t in $(filter nsq-%,$(TOOLS)); do ln -sf nsq $(BASH_COMPLETION)/$$t || exit 1; done
	$(COMPLETE) -v shell=zsh > $(ZSH_COMPLETION)/_nsq

uninstall:
	rm -f $(TOOLS:%=$(DESTDIR)$(PREFIX)/bin/%) $(TOOLS:%=$(MAN)/man1/%.1) $(MAN)/man7/nsq-conventions.7
	rm -f $(TOOLS:%=$(BASH_COMPLETION)/%) $(ZSH_COMPLETION)/_nsq
	rm -rf $(SHARE)

# What makes a folder with the skill a plugin.
PLUGIN = install -d $(1)/.claude-plugin && sed 's/"VERSION"/"$(VERSION)"/' share/plugin.json > $(1)/.claude-plugin/plugin.json

# The skill, with what it refers to, in the directory where an agent looks for skills; with the manifest it is a plugin,
# which also has the server of nsq mcp.
install-skill:
	@test -n "$(DIR)" || { echo "make install-skill DIR=... : name the directory where your agent looks for skills" >&2; exit 2; }
	install -d $(DIR)/nsq/recipes $(DIR)/nsq/references $(DIR)/nsq/conventions
	$(call PLUGIN,$(DIR)/nsq)
	install -m 644 share/SKILL.md share/conventions.md $(DIR)/nsq
	install -m 644 share/references/*.md $(DIR)/nsq/references
	install -m 644 share/conventions/*.md $(DIR)/nsq/conventions
	install $(RECIPES) $(DIR)/nsq/recipes
	install -m 644 recipes/*.out recipes/*.sh $(DIR)/nsq/recipes

# Packages go here.  They install what they need, unless DEPS=: says not to.
PACKAGES = $(B)
DEPS = share/deps

# A Debian package of this VERSION; its revision lets one of the distribution take its place.  Lintian must find nothing.
DEB = $(PACKAGES)/deb/nsq-$(VERSION)
LINTIAN = lintian --allow-root --fail-on error,warning
deb:
	@CC="$(CC)" $(DEPS) deb
	rm -rf $(PACKAGES)/deb
	mkdir -p $(DEB)
	cp -a --parents Makefile CHANGELOG.md LICENSE lib tools share recipes debian $(DEMO) $(DEB)
	printf '%s\n' 'nsq ($(VERSION)-0nsq1) unstable; urgency=medium' '' '  * Version $(VERSION): what changed is in changelog.gz.' '' \
		" -- The nsq authors <nsq@nsq.invalid>  $$(LC_ALL=C date -R)" > $(DEB)/debian/changelog
	cd $(DEB) && env -u MAKEFLAGS -u MFLAGS dpkg-buildpackage -us -uc -b > ../log 2>&1 || { tail -20 ../log; exit 1; }
	$(LINTIAN) $(PACKAGES)/deb/*.changes
	cp $(PACKAGES)/deb/nsq_*.deb $(PACKAGES)

# Tarballs of a static program, its links and what it refers to, which need nothing of a distribution; for this machine, and
# for the others whose compiler and libraries are there.  The linker's warning is about extensions of SQLite, which nsq
# does not load.
MACHINES = x86_64 aarch64
HERE = $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
static: all
	@CC="$(CC)" $(DEPS) static $(abspath $(B))/static
	@for m in $(MACHINES); do cc=$$m-linux-gnu-gcc root=$(abspath $(B))/static/$$m; \
		if [ $$m = $(HERE) ]; then $(MAKE) -s tarball MACHINE=$$m OBJECTS=$(B); \
		elif ! command -v $$cc > /dev/null; then echo "nsq: no tarball for $$m: there is no $$cc"; \
		elif [ ! -e $$root/usr/include/zlib.h ]; then echo "nsq: no tarball for $$m: its libraries are not in $$root"; \
		else $(MAKE) -s tarball MACHINE=$$m OBJECTS=$$root/build CC="$$cc --sysroot=$$root"; fi || exit 1; done

FOLDER = nsq-$(VERSION)-$(MACHINE)
tarball:
	$(MAKE) -s install B=$(OBJECTS) BIN=$(PACKAGES)/static/bin/$(MACHINE) ASK=$(BIN) CC="$(CC)" LDFLAGS="-static -s" \
		DESTDIR=$(PACKAGES)/static/to PREFIX=/$(FOLDER)
	install -m 644 LICENSE README.md $(PACKAGES)/static/to/$(FOLDER)
	tar -C $(PACKAGES)/static/to --owner=0 --group=0 --sort=name -czf $(PACKAGES)/$(FOLDER).tar.gz $(FOLDER)
	rm -r $(PACKAGES)/static/to
	@ls -sh $(PACKAGES)/$(FOLDER).tar.gz

clean:
	rm -rf $(B) $(BIN)

-include $(wildcard $(B)/tools/*.d $(B)/lib/*/*.d)
