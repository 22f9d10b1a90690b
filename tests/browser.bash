# A browser for all tests of a file: chromium.py finds it by NSQ_CHROMIUM, "PID OUT IN", of which OUT and IN are pipes.
# bats leaves files open above 9 to the tests.

browser() { command -v chromium || command -v chromium-browser; }

# For setup: bats takes a setup_file that skips for one that failed.
browser_or_skip() { browser > /dev/null || skip "no chromium"; }

setup_file() {
	local words
	browser > /dev/null || return 0
	mkfifo "$BATS_FILE_TMPDIR/commands" "$BATS_FILE_TMPDIR/answers"
	exec 50<> "$BATS_FILE_TMPDIR/commands" 51<> "$BATS_FILE_TMPDIR/answers"
	mapfile -t words < <(python3 "$TESTS/browser/chromium.py" "$BATS_FILE_TMPDIR/profile")
	TMPDIR=$BATS_FILE_TMPDIR setsid "${words[@]}" 3<&50 4>&51 > /dev/null 2>&1 &
	export NSQ_CHROMIUM="$! 50 51"
}

# Its processes end at once, all of them: one that still writes its profile would keep bats from removing that.
teardown_file() {
	[ -z "$NSQ_CHROMIUM" ] || kill -KILL -- "-${NSQ_CHROMIUM%% *}" || true
	wait || true
}
