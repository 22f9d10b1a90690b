# The library serves programs that are not tools: several traces at once, several answers at once, tables that
# outlive their trace, problems that come back instead of ending the process.
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/three-answers" \
		"$TESTS/library/three-answers.c" "$NSQ_BUILD/libnsq.a" -lsqlite3 -lpcre2-8 -lcsv -lm -lpthread
}
setup() { THREE=$BATS_FILE_TMPDIR/three-answers OUT=$BATS_TEST_TMPDIR/out; }

@test "three answers of two traces in one process are what three tools say, and each trace relates and names itself once" {
	for pair in "$DUALPIPE $COMPILE" "$NODES $DDP" "$COPIES $COPIES"; do
		read -r a b <<<"$pair"
		"$THREE" "$a" "$b" "$OUT"
		tools() { "$@" "$a"; "$@" "$b" | tail -n +2; }
		diff <(tools nsq-gaps -q --by cause) "$OUT.gaps"
		diff <(tools nsq-kernels -q --each) "$OUT.kernels"
		# a table without rows has no header line until someone asks for it
		diff <(tools nsq-overlap -q | awk 'NR == 1 { head = $0; next } NR == 2 { print head } { print }') "$OUT.overlap"
	done
}

@test "a problem comes back to the program, which goes on" {
	run "$THREE" "$COMPILE" "$BATS_TEST_TMPDIR/missing.sqlite" "$OUT"
	same 1 "$status"
	holds "$output" "1 cannot open '$BATS_TEST_TMPDIR/missing.sqlite'"
}

@test "nothing is left behind: no leak in what the library gave out" {
	case $NSQ_CFLAGS in *fsanitize=address*) ;; *) skip "make asan looks" ;; esac
	ASAN_OPTIONS=detect_leaks=1 "$THREE" "$DUALPIPE" "$NODES" "$OUT"
}

@test "out of memory is the program's to handle" {
	cat > "$BATS_TEST_TMPDIR/handler.c" <<-'END'
		#include "base/memory.h"
		#include <stdio.h>
		_Noreturn void mem_exhausted(size_t n, size_t size)
		{
			printf("%d %zu\n", n > 1000, size);
			exit(7);
		}
		int main(void)
		{
			mem_grow(NULL, (size_t)-1, 8);
			return 0;
		}
	END
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_TEST_TMPDIR/handler" "$BATS_TEST_TMPDIR/handler.c" \
		"$NSQ_BUILD/libnsq.a" -lsqlite3 -lpcre2-8 -lcsv -lm -lpthread
	run "$BATS_TEST_TMPDIR/handler"
	same "7 1 8" "$status $output"
}
