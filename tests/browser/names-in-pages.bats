# Names in the pages of all tools, as a browser shows them: nothing is loaded, and no name turns what stands beside it.
load ../helper

setup() {
	command -v chromium > /dev/null || skip "no chromium"
	cd "$BATS_TEST_TMPDIR"
}

@test "every page works under a policy by which it loads nothing, and a name turns no characters but its own" {
	turned=$'\xe2\x80\xae\xe2\x81\xa7\xd8\x9cx'
	t=$(change "$COPIES" "UPDATE StringIds SET value = value || '$turned' WHERE id IN (SELECT shortName FROM CUPTI_ACTIVITY_KIND_KERNEL)" \
		"UPDATE NVTX_EVENTS SET text = text || '$turned' WHERE text IS NOT NULL" "CREATE TABLE \"T$turned\" (a, \"b$turned\")" "UPDATE PROCESSES SET name = 'p$turned'")
	mv "$t" "t$turned.sqlite"
	t=t$turned.sqlite
	nsq-report -q -o report "$t" > /dev/null
	nsq-kernels -q "$t" > "k$turned.tsv"
	nsq-plot -q --title "a$turned" -o plot.html "k$turned.tsv"
	nsq-sql -q --schema -o schema.html "$t"
	nsq-view -q -o view.html "$t" > /dev/null
	nsq recipe gpu-breakdown -q -o . "$t" > /dev/null
	grep -q '&#x202e;' report/report.html
	grep -q '&#x202e;' plot.html
	grep -q '&#x202e;' schema.html
	run env PYTHONPATH="$TESTS/browser" python3 "$TESTS/browser/names_in_pages.py" report/report.html plot.html schema.html view.html result.html
	same "0 " "$status $output"
}
