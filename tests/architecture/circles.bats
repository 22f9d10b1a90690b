# Files that include or call one another in a circle are parts of one module, and CONTRIBUTING.md says why.
load ../helper

circles() { (cd "$TESTS/.." && python3 tests/architecture/circles.py "$NSQ_BUILD"); }

# explained: the circles that CONTRIBUTING.md lists, a line each, sorted.
explained() { sed -n '/^## Circles/,/^## [^C]/s/^- `\([^`]*\)`: .*/\1/p' "$TESTS/../CONTRIBUTING.md" | sort; }

@test "every circle of files is explained in CONTRIBUTING.md, and every explanation is of a circle" {
	[ "$(explained | wc -l)" -gt 3 ]
	same "$(explained)" "$(circles)"
}

@test "a circle of headers, and one of calls, is found" {
	mkdir -p "$BATS_TEST_TMPDIR/lib/x" "$BATS_TEST_TMPDIR/build/lib/x"
	cd "$BATS_TEST_TMPDIR"
	echo '#include "x/b.h"' > lib/x/a.h
	echo '#include "x/a.h"' > lib/x/b.h
	echo '#include "x/a.h"' > lib/x/c.h
	echo 'void e(void); void d(void); void d(void) { e(); }' > lib/x/d.c
	echo 'void e(void); void d(void); void e(void) { d(); }' > lib/x/e.c
	for f in d e; do cc -c -o build/lib/x/$f.o lib/x/$f.c; done
	same $'x/a x/b\nx/d x/e' "$(python3 "$TESTS/architecture/circles.py" "$PWD/build")"
}
