# Compilers other than the one at hand take the sources, too.
load ../helper

# Up to clang 14, the value of an assignment to an atomic is an atomic itself.
# bats test_tags=long
@test "clang takes the sources that use atomics" {
	command -v clang >/dev/null || skip "no clang"
	cd "$TESTS/.."
	for c in $(grep -lE '_Atomic|stdatomic' lib/*/*.c); do
		echo "$c"
		clang -std=c11 -D_GNU_SOURCE -Ilib -fsyntax-only "$c"
	done
}
