# Pages and pictures as a browser shows them, but for nsq-view's: no two texts of a picture overlap, pages answer the
# pointer, load nothing, are readable in light and dark, wide and narrow, and names in them are text.
load ../helper
load ../browser

setup() {
	browser_or_skip
	cd "$BATS_TEST_TMPDIR"
}

texts() { python3 "$TESTS/browser/plot_texts.py" "$@"; }

# pictures TRACE: every mode of every tool on it.
pictures() {
	local n=0 name=${1##*/}
	while IFS='|' read -r tool args _; do
		case $tool in nsq-*) ;; *) continue ;; esac
		n=$((n + 1))
		$tool -q $args "$1" 2>/dev/null | nsq-plot -q > "$name-$n.svg" 2>/dev/null || rm "$name-$n.svg"
	done < <(tr '\t' '|' < "$TESTS/modes.tsv")
}

# of_steps TRACE: what the tools say of its steps.
of_steps() {
	local n=0 name=${1##*/}-step
	nsq-window -q --pick all --period "$1" > steps
	for ask in "gaps --by cause" "kernels -n 5" gaps overlap "kernels --by category" "overlap --total" "nvtx -n 5" "nccl --stragglers"; do
		n=$((n + 1))
		nsq-$ask -q < steps 2>/dev/null | nsq-plot -q > "$name-$n.svg" 2>/dev/null || rm "$name-$n.svg"
	done
}

# bats test_tags=slow
@test "no two texts of a picture overlap, and none leaves it, in narrow, wide and missing fonts: what the tools say of steps" {
	of_steps "$DDP"
	[ "$(ls ./*.svg | wc -l)" -ge 6 ]
	run texts ./*.svg
	same "0 " "$status $output"
}

# bats test_tags=slow
@test "no two texts of a picture overlap, and none leaves it: every mode of every tool, in more of the fixtures" {
	for trace in "$DUALPIPE" "$DDP" "$NODES" "$FIXTURES/train-metrics.sqlite" "$SAMPLES"; do
		pictures "$trace"
		of_steps "$trace"
	done
	[ "$(ls ./*.svg | wc -l)" -gt 250 ]
	run texts ./*.svg
	same "0 " "$status $output"
}

# bats test_tags=slow
@test "no two texts overlap in tables of others: long names, many panels, wide numbers, several tables" {
	long=$(printf 'a_rather_long_name_%.0s' $(seq 12))
	{ echo "name value"; for i in $(seq 50); do echo "$long$i $((i * i * i * 12345))"; done; } | tr ' ' '\t' > t
	nsq-plot -q t > 1.svg
	nsq-plot -q --title "$long" t t2=t > 2.svg
	{ echo "window idle_ns cause"; for i in $(seq 300); do echo "$long$((i % 7))x$i $i $long$((i % 20))"; done; } | tr ' ' '\t' > t
	nsq-plot -q t > 3.svg
	nsq-plot -q --kind line -y idle_ns t > 4.svg
	nsq-plot -q --kind hist t > 5.svg
	{ echo "name value trace"; for i in $(seq 40); do echo "a -$i.12345678 t$i"; echo "b 1e$i t$i"; done; } | tr ' ' '\t' > t
	nsq-plot -q t > 6.svg
	printf 'name\tvalue_ns\n\xe4\xb8\xad\xe6\x96\x87\xe5\x90\x8d\xe5\xad\x97\xe4\xb8\xad\xe6\x96\x87\xe5\x90\x8d\xe5\xad\x97WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW\t5\n<b>\t6\n' > t
	nsq-plot -q t > 7.svg
	{ echo "start_ns end_ns dur_ns stream"; for i in $(seq 90); do echo "$((i * 1000 + 9000000000)) $((i * 1500 + 9000000000)) $((i * 500)) $i"; done; } | tr ' ' '\t' > t
	nsq-plot -q t > 8.svg
	nsq-kernels -q "$COMPILE" > a.tsv
	nsq-kernels -q "$DDP" > b.tsv
	nsq-plot -q a.tsv b.tsv > 9.svg
	run texts ./*.svg
	same "0 " "$status $output"
}

# bats test_tags=slow
@test "texts that overlap are found" {
	printf 'name\tvalue\nabc\t5\ndef\t6\n' | nsq-plot > a.svg
	texts a.svg
	sed 's/<text text-anchor="end" x="\([^"]*\)" y="[^"]*">/<text text-anchor="end" x="\1" y="100">/' a.svg > b.svg
	run texts b.svg
	same 1 "$status"
	holds "$output" "overlap"
	sed 's/<text text-anchor="end" x="[^"]*"/<text text-anchor="end" x="2"/' a.svg > c.svg
	run texts c.svg
	same 1 "$status"
	holds "$output" "leaves the picture"
}

# bats test_tags=slow
@test "the page: pointing shows values, the table is the input, CSV is copied, light and dark" {
	nsq-window -q --pick all --period "$DDP" | nsq-gaps -q --by cause > t
	nsq-plot -o a.html t
	holds "$(python3 "$TESTS/browser/plot_page.py" a.html t)" "10 marks pointed at, $(count < t) rows"
	python3 "$TESTS/browser/plot_page.py" a.html t dark
	printf 'name\tclass\tvalue_ns\n"><script>throw 1</script>\t</table>,"x"\t5\n<img src=x onerror=throw(1)>\t]]>\t60\n' > t
	nsq-plot -o b.html --title '</title><script>throw 2</script>' t
	python3 "$TESTS/browser/plot_page.py" b.html t
	nsq-metrics -q --each -m 'SMs Active' "$FIXTURES/train-metrics.sqlite" | nsq-plot -q -o c.html
	python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); from chromium import Page
with Page("c.html") as p:
    p.mouse("mouseMoved", 500, 200); said = p.js("tip.textContent"); print(said); assert "ms" in said and "%" in said and not p.errors' "$TESTS/browser"
}

# ---- nsq-report

looked_at() { PYTHONPATH=$TESTS/browser python3 "$TESTS/browser/report_page.py" "$1/report.html"; }

# bats test_tags=slow
@test "a page is readable in light and dark, wide and at 380 px, has its pictures and loads nothing" {
	nsq-report -q -o one "$FIXTURES/train.sqlite" > /dev/null
	looked_at one
	more || return 0
	nsq-report -q -o ranks "$DUALPIPE" > /dev/null
	looked_at ranks
}

# bats test_tags=slow
@test "names that hold markup are shown, not run" {
	t=$(change "$FIXTURES/train.sqlite" \
		"UPDATE NVTX_EVENTS SET text = '<script>document.title = 1</script>' || text || '\"><img src=x onerror=\"document.title = 2\">' WHERE text GLOB 'step *' OR text = 'backward'" \
		"UPDATE StringIds SET value = '</title><svg onload=alert(1)>' WHERE value = 'multi_tensor_apply_kernel'")
	nsq-report -q -o odd "$t" > /dev/null
	looked_at odd
}

# bats test_tags=slow
@test "what is wrong with a page is found" {
	nsq-report -q -o one "$COPIES" > /dev/null
	sed 's|</main>|<p style="width: 2000px; color: #888">wide</p><script src="https://example.com/x.js"></script></main>|' one/report.html > worse.html
	mkdir worse
	mv worse.html worse/report.html
	run looked_at worse
	same 1 "$status"
	holds "$output" "wider than the window" "no script"
}

# ---- names in the pages of all tools

# bats test_tags=slow
@test "every page works under a policy by which it loads nothing, and a name turns no characters but its own" {
	turned=$'\xe2\x80\xae\xe2\x81\xa7\xd8\x9cx'
	t=$(change "$COPIES" "UPDATE StringIds SET value = value || '$turned' WHERE id IN (SELECT shortName FROM CUPTI_ACTIVITY_KIND_KERNEL)" \
		"UPDATE NVTX_EVENTS SET text = text || '$turned' WHERE text IS NOT NULL" "CREATE TABLE \"T$turned\" (a, \"b$turned\")" "UPDATE PROCESSES SET name = 'p$turned'")
	mv "$t" "t$turned.sqlite"
	t=t$turned.sqlite
	nsq-report -q -o report "$t" > /dev/null
	nsq-kernels -q "$t" > "k$turned.tsv"
	nsq-plot -q --title "a$turned" -o plot.html "k$turned.tsv"
	nsq-view -q -o view.html "$t" > /dev/null
	nsq recipe gpu-breakdown -q -o . "$t" > /dev/null
	grep -qF '\xe2\x80\xae' report/report.html
	grep -q '&#x202e;' plot.html
	run env PYTHONPATH="$TESTS/browser" python3 "$TESTS/browser/names_in_pages.py" report/report.html plot.html view.html result.html
	same "0 " "$status $output"
}
