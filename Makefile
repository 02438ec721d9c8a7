# Makefile - builds and tests hamr.  Non-recursive: every rule is here.
#
#   make deps demo     a fresh machine: install packages, build, see it work
#   make deps check    the same, then every test
#   make help          what else there is

VERSION = 0.1.0
PREFIX  = /usr/local
DESTDIR =
BINDIR  = $(PREFIX)/bin
MANDIR  = $(PREFIX)/share/man
SHARE   = $(PREFIX)/share/hamr
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR  = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
DOCDIR  = $(PREFIX)/share/doc/hamr

CC      = gcc
CFLAGS  = -O2 -g
WARN    = -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion \
          -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
          -Wwrite-strings -Wformat-security
HARDEN  = -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
CPPFLAGS =
ALL_CPPFLAGS = -D_GNU_SOURCE -Ilib -DHAMR_VERSION='"$(VERSION)"' \
          -DHAMR_SHARE_DIR='"$(SHARE)"' $(CPPFLAGS)
# where the checkout is does not change the programs
ALL_CFLAGS = -std=c11 '-ffile-prefix-map=$(CURDIR)=.' $(WARN) $(HARDEN) \
          $(CFLAGS)
LDFLAGS = -Wl,--as-needed -Wl,-z,relro -Wl,-z,now
# libjq's own calls of it come to us (lib/jq/program.c)
HOOKS = -Wl,--export-dynamic-symbol=jq_parse_library

# Where objects and programs go; make asan uses another pair.
O = obj
B = bin

# A folder is a room; the table of rooms is in CONTRIBUTING.md.
LIB     = $(wildcard lib/*/*.c)

comma = ,
COMMANDS = hamr-loop hamr-compact hamr-guard hamr-tool hamr-mem hamr-provider

# What each program links besides libhamr.a; nothing else may.
LIBS_hamr-loop     = -lpipeline
LIBS_hamr-compact  =
LIBS_hamr-guard    =
LIBS_hamr-tool     =
LIBS_hamr-mem      = -lsqlite3
LIBS_hamr-provider =
# musl lacks some of glibc, and Alpine has fts apart.
ifneq ($(findstring musl,$(shell $(CC) -dumpmachine 2>/dev/null)),)
ALL_CPPFLAGS += -include libc/musl.h
LIBS_hamr-mem += -lfts
endif
LIBS_all           = -lcjson $(CRYPTO) -lm

# Of OpenSSL the hashes only, see lib/json/sha.h; the shared library where the
# distribution has no other.
CRYPTO = $(if $(wildcard $(shell $(CC) -print-file-name=libcrypto.a)), \
          -l:libcrypto.a -Wl$(comma)--exclude-libs$(comma)libcrypto.a,-lcrypto)

all: $(COMMANDS:%=$B/%)

# for a shell, also where the checkout's path has a blank
full = "$(if $(filter /%,$(1)),,$(CURDIR)/)$(1)"

$O/lib/%.o: lib/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$O/libhamr.a: $(LIB:%.c=$O/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

sources = $(wildcard cmd/$(1)/*.c cmd/$(1)/*/*.c)

define command
$O/cmd/$(1)/%.o: cmd/$(1)/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CPPFLAGS) -Icmd/$(1) $$(ALL_CFLAGS) -MMD -MP -c -o $$@ $$<

$B/$(1): $(patsubst %.c,$O/%.o,$(call sources,$(1))) $O/libhamr.a
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) $$(HOOKS) -o $$@ $$^ $$(LIBS_$(1)) \
	    $$(LIBS_all)
endef
$(foreach c,$(COMMANDS),$(eval $(call command,$(c))))

-include $(wildcard $O/lib/*/*.d $O/cmd/*/*.d $O/cmd/*/*/*.d)

# ---- seeing it work ----

# make demo PROVIDER=http://127.0.0.1:8080/v1 lets a real server do it.
PROVIDER =

demo: all
	examples/demo/run.sh $B build/demo $(PROVIDER)

# ---- tests ----

# Some unit tests reach into a command; they link its objects but main's.
UNIT_CPPFLAGS = -Icmd/hamr-tool -Icmd/hamr-guard -Icmd/hamr-provider \
                -Icmd/hamr-loop -Icmd/hamr-compact \
                -DTESTS='"$(CURDIR)/tests"'
objects = $(filter-out %/main.o,$(patsubst %.c,$O/%.o,$(call sources,$(1))))
TOOL_UNITS = $O/unit/test_edit $O/unit/test_path $O/unit/test_readers
$(TOOL_UNITS): $(call objects,hamr-tool)
UNIT_test_edit = $(call objects,hamr-tool)
UNIT_test_path = $(call objects,hamr-tool)
UNIT_test_readers = $(call objects,hamr-tool)
GUARD_UNITS = $(patsubst tests/unit/%.c,$O/unit/%, \
              $(wildcard tests/unit/test_guard_*.c))
$(GUARD_UNITS): $(call objects,hamr-guard)
$(foreach u,$(notdir $(GUARD_UNITS)),$(eval UNIT_$(u) = \
    $$(call objects,hamr-guard)))
UNIT_test_dialect = $(filter $O/cmd/hamr-provider/dialect/%, \
                    $(call objects,hamr-provider))
UNIT_test_dialect_render = $(UNIT_test_dialect)
DIALECT_UNITS = $O/unit/test_dialect $O/unit/test_dialect_render
$(DIALECT_UNITS): $(UNIT_test_dialect)

UNIT_test_slim = $(call objects,hamr-compact)
$O/unit/test_slim: $(UNIT_test_slim)

loop_object = $(filter %/$(1).o,$(call objects,hamr-loop))
UNIT_test_lock = $(call loop_object,session)
$O/unit/test_lock: $(UNIT_test_lock)
UNIT_test_command = $(call loop_object,same_command)
$O/unit/test_command: $(UNIT_test_command)
screen_object = $(filter %/hamr-loop/screen/$(1).o,$(call objects,hamr-loop))
UNIT_test_keys = $(call screen_object,keys)
$O/unit/test_keys: $(UNIT_test_keys)
UNIT_test_editor = $(foreach o,editor message keys history complete, \
                   $(call screen_object,$(o)))
$O/unit/test_editor: $(UNIT_test_editor)
UNIT_test_intent = $(call loop_object,intent)
$O/unit/test_intent: $(UNIT_test_intent)

UNIT_test_markdown = $(filter $O/cmd/hamr-loop/markdown/%, \
                     $(call objects,hamr-loop))
$O/unit/test_markdown: $(UNIT_test_markdown)

UNITS = $(patsubst tests/unit/%.c,$O/unit/%,$(wildcard tests/unit/test_*.c))

$O/unit/%: tests/unit/%.c $O/libhamr.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(UNIT_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -o $@ $< \
	    $(UNIT_$*) $O/libhamr.a -lcmocka $(LIBS_all)

$O/httpd: $(wildcard tests/httpd/*.c tests/httpd/*.h)
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(ALL_CFLAGS) -o $@ $(filter %.c,$^)

# What tests/torture uses: one that kills at a system call, and one to be
# preloaded that lets calls fail.  Never part of a program.
TORTURE = $O/torture/killat $O/torture/fail.so
$O/torture/killat: tests/torture/killat.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -std=c11 $(WARN) -O2 -g -o $@ $<
$O/torture/fail.so: tests/torture/fail.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -std=c11 -O2 -g -fno-builtin -fPIC -shared \
	    -o $@ $< -ldl

# What lets jq start fast, for the thousands of times that tests run it.
$O/quick-jq.so: tests/jq/quick.c lib/jq/definitions.c lib/base/slice.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Ilib -std=c11 $(WARN) -O2 -fPIC -shared -o $@ $^ \
	    -ldl

# What takes longest begins first, so that no core is idle at the end; between
# what mostly waits stands what computes, so that none is idle before.
LONG  = $(patsubst %,tests/%.t,loop/screen all/fleet all/import loop/ask \
        loop/rows attack/attack loop/turn undo/undo all/contract extras/hooks \
        guard/rules loop/misbehave compact/engine sandbox/threats loop/acp \
        guard/profile extras/mcp sandbox/box compact/compact loop/trouble \
        sandbox/shared compact/report tool/bash sandbox/tmp mem/port \
        provider/dialect)
TESTS = $(LONG) $(filter-out %/check.t $(LONG),$(wildcard tests/*/*.t))
JOBS  = $(if $(CHECK_FULL),6,8)

check: all $O/httpd $O/quick-jq.so units layers $(TORTURE)
	@HAMR_BIN=$(call full,$B) HTTPD_BIN=$(call full,$O/httpd) \
	    HAMR_SHARE=$(call full,share/hamr) OBJ=$(call full,$O) \
	    build-aux/check $(JOBS) $O/unit $(TESTS)

units: $(UNITS)

layers: all
	@build-aux/layers $O CONTRIBUTING.md

# How the source is laid out, in figures; build-aux/house -v names what is
# behind them.
house:
	@build-aux/house

# The same tests on programs that watch their own memory.  Each start takes six
# times as long, eight as PIE with shared libraries; so fewer run at a time.
ASAN = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
       -fno-sanitize-recover=undefined \
       -fno-pie -no-pie -static-libasan -static-libubsan
asan:
	@ASAN_OPTIONS=detect_leaks=0 $(MAKE) O=obj-asan B=obj-asan/bin JOBS=3 \
	    CFLAGS="$(ASAN)" HARDEN= LIBS_all="$(LIBS_all)" check

# Kill, starve, fill and stop everything, and see what holds: hours of runs,
# or SAMPLE=n of each row, chosen by SEED=n; ROW="word" for some rows.
torture: all $O/httpd $(TORTURE)
	@HAMR_BIN=$(call full,$B) HTTPD_BIN=$(call full,$O/httpd) \
	    HAMR_SHARE=$(call full,share/hamr) OBJ=$(call full,$O) JOBS=2 \
	    build-aux/torture $O/torture

# Attack hamr as a hostile repository, model, server or neighbour would, in
# every layer of the sandbox, and print the table; ATTACK="files planted.memory"
# for some families or attacks.  As root: as root and as an ordinary user.
# make security puts the promises that it is held to into doc/security.md.
ATTACK =
attack: all
	@HAMR_BIN=$(call full,$B) HAMR_SHARE=$(call full,share/hamr) \
	    build-aux/attack $(if $(ATTACK),,--doc doc/security.md) $(ATTACK)

security:
	@build-aux/attack --doc doc/security.md --write

# libFuzzer on what reads what others wrote, FUZZ_SECONDS each; FUZZ="scan sse"
# for some.  New inputs and crashers stay in build/fuzz.
FUZZ = $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
FUZZ_SECONDS = 10
FUZZ_CFLAGS = -O1 -g -fno-omit-frame-pointer \
       -fsanitize=fuzzer-no-link,address,undefined \
       -fno-sanitize-recover=undefined
fuzz:
	@build-aux/fuzz --check
	@$(MAKE) -s CC=clang O=obj-fuzz B=obj-fuzz/bin HARDEN= \
	    CFLAGS="$(FUZZ_CFLAGS)" $(FUZZ:%=obj-fuzz/fuzz/%)
	@build-aux/fuzz obj-fuzz/fuzz $(FUZZ_SECONDS) $(FUZZ)

OBJECTS_sse     = $(call objects,hamr-provider)
OBJECTS_dialect = $(call objects,hamr-provider)
OBJECTS_edit    = $(call objects,hamr-tool)
OBJECTS_path    = $(call objects,hamr-tool)
OBJECTS_schema  = $(call objects,hamr-tool)
OBJECTS_markdown = $(UNIT_test_markdown)
OBJECTS_editor  = $(foreach o,editor message keys history complete, \
                  $(call screen_object,$(o)))
OBJECTS_query   = $(call objects,hamr-mem)
$(foreach f,$(FUZZ),$(eval $O/fuzz/$(f): $(OBJECTS_$(f))))
$O/fuzz/%: tests/fuzz/%.c tests/fuzz/fuzz.h $O/libhamr.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(UNIT_CPPFLAGS) -Icmd/hamr-mem -Itests $(ALL_CFLAGS) \
	    -fsanitize=fuzzer -o $@ $< $(OBJECTS_$*) $O/libhamr.a \
	    -lsqlite3 $(LIBS_all)

# Which lines do the tests run?  By gcov: a line a file, and the sum.
cover:
	@rm -rf obj-cover; $(MAKE) -s O=obj-cover B=obj-cover/bin HARDEN= \
	    CFLAGS="-O1 -g --coverage -fprofile-update=atomic" check; \
	    status=$$?; build-aux/cover obj-cover && exit $$status

# Against the official MCP servers and SDK, which npm fetches.
mcp-check: all
	@HAMR_BIN=$(call full,$B) HAMR_SHARE=$(call full,share/hamr) \
	    build-aux/mcp-check build/mcp

# Against the official ACP client and acpx, which npm fetches too.
acp-check: all
	@HAMR_BIN=$(call full,$B) HAMR_SHARE=$(call full,share/hamr) \
	    HTTPD_BIN=$(call full,$O/httpd) build-aux/acp-check build/acp

# Against aimock and Portkey's gateway, which npm fetches too.
gateway-check: all
	@HAMR_BIN=$(call full,$B) HAMR_SHARE=$(call full,share/hamr) \
	    build-aux/gateway-check build/gateways

# Against llama.cpp's llama-server, built from the source that LLAMA names.
server-check: all
	@HAMR_BIN=$(call full,$B) HAMR_SHARE=$(call full,share/hamr) \
	    build-aux/server-check build/llama "$(LLAMA)"

# The agents that bench/misbehave runs beside hamr, in the versions it names.
misbehave-peers:
	npm install --prefix build/peers --no-audit --no-fund --loglevel=error \
	    $$(sed -n 's/.*"package": "\(.*\)".*/\1/p' \
	    bench/misbehaviour/agents.json)

lint:
	build-aux/lint

bench: all
	@for b in bench/*.sh; do HAMR_BIN=$(call full,$B) \
	    HAMR_SHARE=$(call full,share/hamr) sh $$b || exit 1; done

# ---- a machine of one's own ----

# what is wanted beside them waits for them, with -j, too
ifneq ($(filter deps%,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

deps:
	@build-aux/deps build check

deps-lint:
	@build-aux/deps build check lint

deps-static:
	@build-aux/deps build static

# For a shell: blanks, and PREFIX=~/.local as some shells leave it.
to = "$(patsubst ~/%,$(HOME)/%,$(DESTDIR)$(1))"

# File by file: modes are not the umask's.
install: all
	install -d $(call to,$(BINDIR)) $(call to,$(BASHDIR)) \
	    $(call to,$(ZSHDIR)) $(call to,$(FISHDIR))
	install -m 755 $(COMMANDS:%=$B/%) $(call to,$(BINDIR))
	for p in man/*.[157]; do install -D -m 644 $$p \
	    $(call to,$(MANDIR)/man$${p##*.}/$${p##*/}) || exit 1; done
	for f in $$(cd share/hamr && find * -type f); do install -D -m 644 \
	    share/hamr/$$f $(call to,$(SHARE)/$$f) || exit 1; done
	for c in $(COMMANDS); do install -m 644 share/completions/hamr.bash \
	    $(call to,$(BASHDIR)/$$c) || exit 1; done
	install -m 644 share/completions/_hamr $(call to,$(ZSHDIR))
	install -m 644 share/completions/*.fish $(call to,$(FISHDIR))
	for f in $$(find examples -type f); do \
	    m=644; [ ! -x $$f ] || m=755; \
	    install -D -m $$m $$f $(call to,$(DOCDIR)/$$f) || exit 1; done

uninstall:
	for c in $(COMMANDS); do rm -f $(call to,$(BINDIR)/$$c) \
	    $(call to,$(BASHDIR)/$$c) $(call to,$(FISHDIR)/$$c.fish); done
	for p in man/*.[157]; do rm -f \
	    $(call to,$(MANDIR)/man$${p##*.}/$${p##*/}); done
	rm -rf $(call to,$(ZSHDIR)/_hamr) $(call to,$(SHARE)) \
	    $(call to,$(DOCDIR)/examples)
	rmdir $(call to,$(DOCDIR)) 2>/dev/null || :

# The README's picture and recording of the chat, after a change of what it
# shows.
picture: all
	build-aux/picture $B doc/chat.svg doc/chat.cast 40

# What the shells complete, after a change of share/completions/table.
completions:
	build-aux/completions share/completions

# The manual as web pages: build/html/index.html
html:
	@build-aux/html build/html

dist:
	git archive --prefix=hamr-$(VERSION)/ -o hamr-$(VERSION).tar.gz HEAD

# A package by the distribution's own tools: build/hamr_VERSION_ARCH.deb
deb: all
	@rm -rf build/deb
	@$(MAKE) -s -o all install DESTDIR=build/deb PREFIX=/usr
	@build-aux/deb $(VERSION) "$(CURDIR)/build/deb" "$(CURDIR)/build" \
	    "$(MAINTAINER)"
	@rm -rf build/deb

# For the tools of other distributions, beside make dist's archive: fill in
# where it is published with URL=..., who packages it with MAINTAINER=...
URL = https://hamr.invalid
MAINTAINER = hamr <hamr@hamr.invalid>
fill = sed 's,@VERSION@,$(VERSION),; s,@URL@,$(URL),; \
    s,@MAINTAINER@,$(MAINTAINER),; s,@SHA512@,'"$$(sha512sum \
    <hamr-$(VERSION).tar.gz | cut -d' ' -f1)",
rpm-spec: dist
	@mkdir -p build
	$(fill) build-aux/hamr.spec >build/hamr.spec

apkbuild: dist
	@mkdir -p build
	$(fill) build-aux/APKBUILD >build/APKBUILD

# The programs with everything in them, by musl: build/static/bin; and one
# archive of them that runs anywhere: build/hamr-VERSION-ARCH.tar.gz
static:
	@build-aux/static build/static

dist-bin: static
	@rm -rf build/dist
	@$(MAKE) -s -o all install B=build/static/bin PREFIX= \
	    DESTDIR=build/dist
	@build-aux/dist-bin $(VERSION) build/static build/dist build
	@rm -rf build/dist

clean:
	rm -rf obj obj-asan obj-fuzz obj-cover bin build

help:
	@LC_ALL=C sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' Makefile | sort | \
	    tr '\n' ' '; echo

-include $(wildcard $O/unit/*.d)

.PHONY: all demo check units layers house asan torture attack security fuzz \
	cover mcp-check acp-check gateway-check server-check misbehave-peers \
	lint bench deps deps-lint deps-static install uninstall completions \
	picture dist html deb rpm-spec apkbuild static dist-bin clean help
.DELETE_ON_ERROR:
