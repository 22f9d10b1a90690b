# Only the command line (lib/cli) has variables that outlive a call, writes to the terminal and ends the
# process.  The objects are those of the build, at fixed addresses, so that constants which hold pointers are not
# writable either; a sanitizer's would show its own variables.
load ../helper

setup_file() {
	mkdir "$BATS_FILE_TMPDIR/objects"
	case $NSQ_CFLAGS in *-fsanitize*) return ;; esac
	cd "$TESTS/.."
	build libnsq.a
	for c in lib/*/*.c tools/*.c; do
		case $c in lib/cli/*) continue ;; esac
		ln -s "$NSQ_BUILD/${c%.c}.o" "$BATS_FILE_TMPDIR/objects/${c//\//_}.o"
	done
	for o in "$NSQ_BUILD"/*_builtin.o; do ln -s "$o" "$BATS_FILE_TMPDIR/objects/$(basename "$o" .o).c.o"; done
}

setup() { case $NSQ_CFLAGS in *-fsanitize*) skip "a sanitizer has variables of its own" ;; esac; }

# symbols TYPES: "object: symbol" for every symbol of these types in the objects.
symbols() {
	cd "$BATS_FILE_TMPDIR/objects"
	nm -A ./*.o | awk -v types="$1" '{ type = $(NF - 1); name = $NF; file = $1; sub(/^\.\//, "", file); sub(/\.o:.*/, "", file)
		if (index(types, type)) print file ": " name }'
}

@test "there are objects to look at, and nm sees their symbols" {
	[ "$(ls "$BATS_FILE_TMPDIR/objects" | wc -l)" -gt 40 ]
	holds "$(symbols TtRr)" "lib_base_memory.c: mem_" "rules_builtin.c: " "schema_builtin.c: " "peaks_builtin.c: " "plot_builtin.c: " "tools_nsq-setup.c: nsq_setup"
}

@test "no writable data outside lib/cli" {
	same "" "$(symbols BbDdCSsGg)"
}

@test "nothing outside lib/cli ends the process or writes to the terminal" {
	same "" "$(symbols U | grep -E ': (_?exit|_Exit|quick_exit|abort|__assert_fail|stdout|stderr|printf|puts|putchar|perror|__printf_chk|__vprintf_chk)$')"
}

@test "what these tests look for is found" {
	cd "$BATS_TEST_TMPDIR"
	mkdir objects
	printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' 'static int n; int m = 3; static const char *const names[] = { "a" };' \
		'const char *f(int i) { n += i; if (n > m) { fputs("x", stderr); exit(1); } return names[i]; }' > x.c
	cc -O1 -fno-pie -c -o objects/x.c.o x.c
	BATS_FILE_TMPDIR=$BATS_TEST_TMPDIR
	same "x.c: m
x.c: n" "$(symbols BbDdCSsGg | sort)"
	same "x.c: exit
x.c: stderr" "$(symbols U | grep -E ': (exit|stderr)$' | sort)"
}

@test "SQLite connections are opened by allowed_open alone, which leaves them only what they need" {
	cd "$TESTS/.."
	same "lib/table/allowed.c" "$(grep -l 'sqlite3_open' lib/*/*.[ch] tools/*.[ch] | xargs)"
	# authorizers: that of allowed.c, and that of queries, which asks it and says what was refused
	same "lib/sqlite/query.c lib/table/allowed.c" "$(grep -l 'sqlite3_set_authorizer' lib/*/*.[ch] | xargs)"
}
