# What is released: versions come from one place, and the packages hold what works elsewhere.  Nothing is installed for
# these tests, and nothing is compiled again: the packages are made of the objects of the build under test.
load ../helper
load ../tui/helper

VERSION=$(sed -n 's/^VERSION = //p' "$TESTS/../Makefile")

# packed TARGET [VARIABLE=...]: make the packages in $OUT.
packed() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$TESTS/.." -o all "$1" DEPS=: B="$NSQ_BUILD" BIN="$NSQ_BIN" PACKAGES="$OUT" "${@:2}"
}

teardown() { tui_stop; }

setup() {
	OUT=$BATS_TEST_TMPDIR/packages
	cd "$BATS_TEST_TMPDIR"
}

@test "the version of the Makefile is that of the programs, and of the changelog's newest entry" {
	same "nsq $VERSION" "$(nsq --version)"
	same "## $VERSION" "$(grep -m1 '^## ' "$TESTS/../CHANGELOG.md")"
	holds "$(<"$TESTS/../CONTRIBUTING.md")" "git tag -a v$VERSION"
	holds "$(<"$TESTS/../share/installing.md")" "nsq-$VERSION-x86_64.tar.gz"
}

@test "the package of Debian is built with the libraries that share/deps installs, under the license" {
	for l in $(sed -n 's/^libraries="\(.*\)"/\1/p' "$TESTS/../share/deps"); do
		grep -qE "^ +$l,?$" "$TESTS/../debian/control" || { echo "debian/control lacks $l"; false; }
		grep -q "^apt-get install .*\b$l\b" "$TESTS/../share/installing.md" || { echo "installing.md lacks $l"; false; }
	done
	same "$(sed 1,4d "$TESTS/../LICENSE")" "$(sed '1,/^License: Expat$/d; /^$/,/^License/d' "$TESTS/../debian/copyright" | sed 's/^ //; s/^\.$//')"
	same "Copyright (c) 2026 The nsq authors" "$(sed -n 3p "$TESTS/../LICENSE")"
}

# bats test_tags=slow
@test "make deb: lintian accepts it, it can be installed and removed, and it works" {
	for c in dpkg-buildpackage dh lintian; do command -v $c > /dev/null || skip "no $c"; done
	run dpkg-checkbuilddeps "$TESTS/../debian/control"
	[ "$status" -eq 0 ] || skip "$output"
	case $NSQ_CFLAGS in *-fsanitize*) skip "not with a sanitizer" ;; esac
	# the objects of the build are not position independent, and have no debug information
	NSQ_MAKE="B=$NSQ_BUILD BIN=$BATS_TEST_TMPDIR/bin PIE=no-pie" packed deb \
		LINTIAN="lintian --allow-root --fail-on error,warning --suppress-tags hardening-no-pie,debug-file-with-no-debug-symbols"
	deb=$(ls "$OUT"/nsq_*.deb)
	same "nsq $VERSION-0nsq1" "$(dpkg-deb -W --showformat='${Package} ${Version}' "$deb")"
	holds "$(dpkg-deb -f "$deb" Depends)" libc6 libsqlite3-0 libpcre2-8-0 libcsv3 libcmark-gfm libjansson4 zlib1g libncurses
	mkdir -p root/var/lib/dpkg/{info,updates}
	: > root/var/lib/dpkg/status
	if [ "$(id -u)" = 0 ]; then
		dpkg --root="$PWD/root" --force-depends --force-script-chrootless --log=/dev/null -i "$deb" > /dev/null 2>&1
	else
		dpkg-deb -x "$deb" root
	fi
	installed=$PWD/root/usr
	for t in "$NSQ_BIN"/nsq-*; do
		t=${t##*/}
		same nsq "$(readlink "$installed/bin/$t")"
		gzip -t "$installed/share/man/man1/$t.1.gz"
		[ -e "$installed/share/bash-completion/completions/$t" ]
	done
	holds "$(zcat "$installed/share/man/man1/nsq-gaps.1.gz")" "$VERSION"
	[ -s "$installed/share/zsh/vendor-completions/_nsq" ]
	holds "$(<"$installed/share/doc/nsq/copyright")" "The nsq authors"
	same "nsq ($VERSION-0nsq1) unstable; urgency=medium" "$(zcat "$installed/share/doc/nsq/changelog.Debian.gz" | head -1)"
	zcat "$installed/share/doc/nsq/changelog.gz" | cmp - "$TESTS/../CHANGELOG.md"
	cp "$COMPILE" run.sqlite
	same "$(nsq-gaps run.sqlite)" "$("$installed/bin/nsq" gaps run.sqlite)"
	same "$(nsq recipe who run.sqlite)" "$(PATH=/usr/bin:/bin "$installed/bin/nsq" recipe who run.sqlite)"
	[ "$(id -u)" = 0 ] || return 0
	dpkg --root="$PWD/root" --log=/dev/null -P nsq > /dev/null
	same "" "$(find root/usr 2> /dev/null)"
}

# unpacked TARBALL MACHINE: it is small, and its program is for the machine and needs no library.
unpacked() {
	[ "$(wc -c < "$1")" -le 6000000 ]
	tar -xzf "$1"
	folder=nsq-$VERSION-$2
	same "" "$(find "$folder" -type l -lname '/*')"
	for f in LICENSE share/nsq/conventions.md share/nsq/recipes/who share/nsq/rules/comm.tsv share/man/man1/nsq-gaps.1 \
		share/bash-completion/completions/nsq-gaps share/zsh/site-functions/_nsq; do [ -s "$folder/$f" ]; done
	for t in "$NSQ_BIN"/nsq-*; do same nsq "$(readlink "$folder/bin/${t##*/}")"; done
	run readelf -lh "$folder/bin/nsq"
	[[ "$output" != *INTERP* ]]
	holds "$output" "$([ "$2" = x86_64 ] && echo X86-64 || echo AArch64)"
}

# alone FOLDER COMMAND...: run it where there is nothing else, not even /proc.
alone() { if [ "$(id -u)" = 0 ]; then PATH=$PATH:/usr/sbin chroot "$@"; else unshare -rR "$@"; fi; }

# answers MACHINE [EMULATOR]: in an empty folder, what was unpacked says what the build says.
answers() {
	mkdir "$1"
	mv "nsq-$VERSION-$1" "$1"
	cp "$COMPILE" "$1/run.sqlite"
	[ -z "${2-}" ] || cp "$(command -v "$2")" "$1/emulator"
	here=$PWD/$1 bin=${2:+/emulator }/nsq-$VERSION-$1/bin
	alone "$here" $bin/nsq --version > said 2>&1 || skip "an empty root needs chroot or unshare: $(<said)"
	same "nsq $VERSION" "$(<said)"
	cp "$COMPILE" run.sqlite
	same "$(nsq-gaps --by cause run.sqlite)" "$(alone "$here" $bin/nsq-gaps --by cause run.sqlite)"
	same "$(nsq-window -f table run.sqlite 2>&1)" "$(alone "$here" $bin/nsq window -f table run.sqlite 2>&1)"
	same "$(nsq-advise -q run.sqlite)" "$(alone "$here" $bin/nsq-advise -q run.sqlite)"
	same "$(nsq recipes)" "$(alone "$here" $bin/nsq recipes)"
	alone "$here" $bin/nsq help gaps | cmp - <(nsq help gaps)
	alone "$here" $bin/nsq-report -q -o report run.sqlite > /dev/null
	nsq-report -q -o report run.sqlite > /dev/null
	cmp "report/report.md" "$here/report/report.md"
	run -1 alone "$here" $bin/nsq recipe who run.sqlite
	holds "$output" "which needs bash: No such file"
	run -2 alone "$here" $bin/nsq-tui run.sqlite
	same 1 "${#lines[@]}"
}

# bats test_tags=slow
@test "make static: a small tarball whose program answers in an empty root" {
	case $NSQ_CFLAGS in *-fsanitize*) skip "not with a sanitizer" ;; esac
	machine=$(uname -m)
	case $machine in x86_64|aarch64) ;; *) skip "no tarball for $machine" ;; esac
	packed static MACHINES="$machine"
	unpacked "$OUT/nsq-$VERSION-$machine.tar.gz" "$machine"
	answers "$machine"
	# nsq-tui takes locale and terminal from where it runs
	needs_tmux
	tui 100x24 "$here/$folder/bin/nsq-tui" run.sqlite
	shows "■ matmul"
	ends 0
}

# bats test_tags=slow
@test "make static: the tarball that was built for another machine answers, too, in an emulator" {
	machine=$([ "$(uname -m)" = x86_64 ] && echo aarch64 || echo x86_64)
	tarball=$NSQ_BUILD/nsq-$VERSION-$machine.tar.gz
	[ "$tarball" -nt "$NSQ_BIN/nsq" ] || skip "make static has built none of this nsq for $machine"
	unpacked "$tarball" "$machine"
	command -v "qemu-$machine-static" > /dev/null || skip "no qemu-$machine-static"
	answers "$machine" "qemu-$machine-static"
}

# bats test_tags=slow
@test "make static says which machine it leaves out, and why" {
	mkdir bin
	same "nsq: no tarball for riscv: there is no riscv-linux-gnu-gcc" "$(packed static MACHINES=riscv)"
	printf '#!/bin/sh\nexit 1\n' > bin/riscv-linux-gnu-gcc
	chmod +x bin/riscv-linux-gnu-gcc
	same "nsq: no tarball for riscv: its libraries are not in $NSQ_BUILD/static/riscv" "$(PATH=$PWD/bin:$PATH packed static MACHINES=riscv)"
}
