# The usage example in the opening comment of each header of lib/ compiles.
#
# The example is every line of that comment that is indented by five or more spaces after the star:
#
#	/*
#	 * dict - numbers the distinct values of a column.
#	 *
#	 *     dict d = { 0 };
#	 *     uint32_t k = dict_key(&d, globalTid);      // d.value[k] == globalTid
#	 *     ... d.value[k], d.n ...                    // an expression between dots is compiled too
#	 *     ... d.n ... d.value ...                    // and so are several
#	 *     if (!k) ...                                // dots alone stand for statements
#	 *     dict_free(&d);
#	 */
#
# It becomes the body of a function that returns int, with the header and <stdio.h>, <stdlib.h>, <string.h>
# included before it.  What the example takes as given (globalTid above) is declared, as C at file scope, in
# example-declarations/LAYER-MODULE.h beside this test or, for those of a whole layer that have none, in LAYER.h, such as
# `static int64_t globalTid;` (functions without static).
load ../helper

# example HEADER: its example as C statements.
example() {
	awk '!done && /\*\// { done = 1 } done { next } /^ \*     / || /^     / { sub(/^ ?\*?     /, ""); print }' "$1" |
		sed -E 's|//.*||; s|^( *)\.\.\. +(.*[^ .]) +\.\.\. *$|\1(void)(\2);|; s|([^ ,]) +\.\.\. +([^ ])|\1, \2|g; s|, *\.\.\. *([})])| \1|g; s|^ *\.\.\. *$||; s|\.\.\. *$|;|'
}

# checked FILE DECLARATIONS HEADER INCLUDED-AS: the header's example, as a C file, compiles.
checked() {
	{
		echo "#include \"$4\""
		printf '#include <%s>\n' stdio.h stdlib.h string.h
		[ ! -e "$2" ] || echo "#include \"$2\""
		body "$3" "$4"
	} > "$1"
	compiles "$1"
}

# body HEADER INCLUDED-AS [NUMBER [DECLARATIONS]]: the function that the header's example becomes.
body() {
	echo "int example$3(int argc, char **argv);"
	echo "int example$3(int argc, char **argv)"
	echo "{"
	[ ! -e "$4" ] || echo "#include \"$4\""
	echo "(void)argc; (void)argv;"
	echo "{"
	echo "#line 1 \"example of $2\""
	example "$1"
	echo "}"
	echo "return 0;"
	echo "}"
}

compiles() {
	cc -std=gnu11 -D_GNU_SOURCE -I"$TESTS/../lib" -Wall -Wno-unused -Wno-main -Werror -fsyntax-only "$1"
}

# headers: "header module declarations" of each header that has an example.
headers() {
	local h name given
	for h in "$TESTS"/../lib/*/*.h; do
		grep -qE '^( \*)?     ' "$h" || continue
		name=${h#"$TESTS/../lib/"}
		given=$TESTS/architecture/example-declarations/${name//\//-}
		[ -e "$given" ] || given=${given%-*}.h
		echo "$h $name $given"
	done
}

# Those of a layer in one file, each function with the declarations that its example takes as given.
# bats test_tags=long
@test "the example of every header compiles" {
	headers > "$BATS_TEST_TMPDIR/headers"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/headers")" -gt 20 ]
	for layer in $(cut -d ' ' -f2 "$BATS_TEST_TMPDIR/headers" | cut -d / -f1 | sort -u); do
		grep " $layer/" "$BATS_TEST_TMPDIR/headers" > "$BATS_TEST_TMPDIR/some"
		{
			awk '{ print "#include \"" $2 "\"" }' "$BATS_TEST_TMPDIR/some"
			sed -n '/^# *include/p' $(cut -d ' ' -f3 "$BATS_TEST_TMPDIR/some" | sort -u | xargs ls 2>/dev/null) < /dev/null
			printf '#include <%s>\n' stdio.h stdlib.h string.h
			n=0
			while read -r h name given; do body "$h" "$name" $((n += 1)) "$given"; done < "$BATS_TEST_TMPDIR/some"
		} > "$BATS_TEST_TMPDIR/x.c"
		compiles "$BATS_TEST_TMPDIR/x.c"
	done
}

# bats test_tags=slow
@test "the example of every header compiles with that header alone" {
	local bad=0
	while read -r h name given; do
		checked "$BATS_TEST_TMPDIR/x.c" "$given" "$h" "$name" || bad=$((bad + 1))
	done < <(headers)
	same 0 $bad
}

@test "every file of declarations belongs to a header with an example" {
	for d in "$TESTS"/architecture/example-declarations/*.h; do
		name=${d##*/} h=$TESTS/../lib/${name/-//}
		echo "$name"
		if [ "${name%-*}" = "$name" ]; then
			[ -d "$TESTS/../lib/${name%.h}" ]
		else
			[ -n "$(example "$h")" ]
		fi
	done
}

@test "an example that does not compile is found" {
	mkdir "$BATS_TEST_TMPDIR/lib"
	header() { printf '/*\n * x - a module.\n *\n'; printf ' *     %s\n' "$@"; printf ' *\n * Prose.\n */\nint x_of(int i);\n'; }
	try() { header "$@" > "$BATS_TEST_TMPDIR/x.h"; checked "$BATS_TEST_TMPDIR/x.c" "$BATS_TEST_TMPDIR/x-given.h" "$BATS_TEST_TMPDIR/x.h" "$BATS_TEST_TMPDIR/x.h"; }
	try 'int k = x_of(3);        // three' 'if (k) ...' '... k, x_of(k) ...' 'for (int i = 0; i < k; i++)' '    ... x_of(i) ...' '... k ... x_of(k) ...' '...'
	run try 'int k = x_of(3, 4);'
	[ "$status" -ne 0 ]
	run try 'int k = y_of(3);'
	[ "$status" -ne 0 ]
	run try '... x_of(3), given ...'
	[ "$status" -ne 0 ]
	echo 'static int given;' > "$BATS_TEST_TMPDIR/x-given.h"
	try '... x_of(3), given ...'
}
