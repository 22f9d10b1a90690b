# Only the command line (lib/cli) has variables that outlive a call, writes to the terminal and ends the
# process.  Everything else is compiled anew here, without a sanitizer, whose own variables would be seen,
# and at fixed addresses, so that constants which hold pointers are not writable either.
load ../helper

setup_file() {
	cd "$TESTS/.."
	local out=$BATS_FILE_TMPDIR/objects
	mkdir "$out"
	for folder in rules:relate/rules.h schema:answer/descriptions.h peaks:relate/peaks.h plot:picture/plot_write.h; do
		awk -v array="${folder%:*}_builtin" -v header="${folder#*:}" -f share/embed.awk $(ls -d share/"${folder%:*}"/* share/"${folder%:*}".tsv 2>/dev/null) \
			> "$BATS_FILE_TMPDIR/${folder%:*}_builtin.c"
	done
	for c in lib/*/*.c tools/*.c "$BATS_FILE_TMPDIR"/*_builtin.c; do
		case $c in lib/cli/*) continue ;; esac
		o=${c#"$BATS_FILE_TMPDIR/"}
		echo "$c $out/${o//\//_}.o"
	done | xargs -P "$(nproc)" -L 1 sh -c 'cc -std=c11 -D_GNU_SOURCE -DNSQ_VERSION="\"test\"" -Ilib -O1 -fno-pie -c -o "$2" "$1"' cc
}

# symbols TYPES: "object: symbol" for every symbol of these types in the objects.
symbols() {
	cd "$BATS_FILE_TMPDIR/objects"
	nm -A ./*.o | awk -v types="$1" '{ type = $(NF - 1); name = $NF; file = $1; sub(/^\.\//, "", file); sub(/\.o:.*/, "", file)
		if (index(types, type)) print file ": " name }'
}

@test "there are objects to look at, and nm sees their symbols" {
	[ "$(ls "$BATS_FILE_TMPDIR/objects" | wc -l)" -gt 40 ]
	holds "$(symbols TtRr)" "lib_base_memory.c: mem_" "rules_builtin.c: " "schema_builtin.c: " "peaks_builtin.c: " "plot_builtin.c: " "tools_nsq-setup.c: main"
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
