# The picture in README.md, and the recipe that makes such a one.
load ../helper

@test "share/picture.svg is what make picture draws" {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$TESTS/.." -o all picture BIN="$NSQ_BIN" PICTURE="$BATS_TEST_TMPDIR/now.svg"
	cmp "$BATS_TEST_TMPDIR/now.svg" "$TESTS/../share/picture.svg"
}

# bats test_tags=long
@test "nsq recipe slide -o draws the steps it prints, with the reader's title, and replaces a file only if asked" {
	cd "$BATS_TEST_TMPDIR"
	slide=$TESTS/../recipes/slide
	"$slide" -q -n 1000 -o a.svg "$DDP" > t
	nsq-window -q --pick all --steady --period "$DDP" | nsq-ledger -q --by owner | diff t -
	same "$(count < t) bars" "$(python3 "$TESTS/tools/plot.py" bars a.svg t dur_ns pid,window,owner)"
	# the parts of a step are all of it
	same "" "$(col start_ns end_ns pid dur_ns < t | awk -F '\t' '{ s[$1 FS $2 FS $3] += $4 } END { for (k in s) { split(k, x, FS); if (s[k] != x[2] - x[1]) print k, s[k] } }')"
	run -2 --separate-stderr "$slide" -q -o a.svg "$DDP"
	holds "$stderr" "'a.svg' exists; --force replaces it"
	"$slide" -q --force --title 'My run' -oa.svg "$DDP" > /dev/null
	holds "$(cat a.svg)" ">My run</text>"
	# the others have no picture
	run -2 --separate-stderr "$TESTS/../recipes/gpu-starved" -o b.svg "$DDP"
	same "" "$(ls b.svg 2>/dev/null)"
}
