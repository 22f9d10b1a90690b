# The page of nsq-report as a browser shows it: no errors, no network, pictures, readable in light and dark, wide and narrow.
load ../helper
load ../browser

setup() {
	cd "$BATS_TEST_TMPDIR"
}

looked_at() { PYTHONPATH=$TESTS/browser python3 "$TESTS/browser/report_page.py" "$1/report.html"; }

@test "a page is readable in light and dark, wide and at 380 px, has its pictures and loads nothing" {
	nsq-report -q -o one "$FIXTURES/train.sqlite" > /dev/null
	looked_at one
	nsq-report -q -o ranks "$DUALPIPE" > /dev/null
	looked_at ranks
}

@test "names that hold markup are shown, not run" {
	t=$(change "$FIXTURES/train.sqlite" \
		"UPDATE NVTX_EVENTS SET text = '<script>document.title = 1</script>' || text || '\"><img src=x onerror=\"document.title = 2\">' WHERE text GLOB 'step *' OR text = 'backward'" \
		"UPDATE StringIds SET value = '</title><svg onload=alert(1)>' WHERE value = 'multi_tensor_apply_kernel'")
	nsq-report -q -o odd "$t" > /dev/null
	looked_at odd
}

@test "what is wrong with a page is found" {
	nsq-report -q -o one "$COPIES" > /dev/null
	sed 's|</main>|<p style="width: 2000px; color: #888">wide</p><script src="https://example.com/x.js"></script></main>|' one/report.html > worse.html
	mkdir worse
	mv worse.html worse/report.html
	run looked_at worse
	same 1 "$status"
	holds "$output" "wider than the window" "no script"
}
