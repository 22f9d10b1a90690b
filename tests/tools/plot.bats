# nsq-plot: a picture of a table.  What it draws is read back from the SVG and compared with the table (plot.py).
load ../helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# read_back QUESTION [-- QUESTION]...: what plot.py answers.
read_back() { python3 "$TESTS/tools/plot.py" "$@"; }

# steps TRACE: the windows of all its steps.
steps() { nsq-window -q --pick all --period "$1"; }

# rows COLUMNS ROW...: a table, cells separated by spaces.
made() { printf '%s\n' "$@" | tr ' ' '\t'; }

# count_marks SVG: how many boxes there are.
count_marks() { grep -c 'class="mark"' "$1"; }

@test "idle causes of all steps: a bar for each window, in a panel for each process, its parts by cause, to a pixel" {
	steps "$DDP" | nsq-gaps -q --by cause > t
	nsq-plot t > svg
	same "$(col pid window cause < t | sort -u | wc -l) bars" "$(read_back bars svg t idle_ns pid,window,cause)"
	holds "$(cat svg)" ">pid 1084<" ">pid 1085<" ">idle time (ms)<" ">iteration #<" ">host<" ">queued<"
}

@test "kernels by category of two traces: a bar for each, whose parts add up" {
	nsq-kernels -q --by category "$DDP" "$COMPILE" > t
	nsq-plot --kind stack t > svg
	same "$(count < t) bars" "$(read_back bars svg t elapsed_ns trace,category)"
	same "$(cat svg)" "$(nsq-plot t)"
	# in two tables, side by side
	nsq-kernels -q --by category "$DDP" > before.tsv
	nsq-kernels -q --by category "$COMPILE" > after.tsv
	nsq-plot before.tsv after.tsv > two
	holds "$(cat two)" ">before<" ">after<"
	same "$(count_marks svg)" "$(count_marks two)"
	# of one name in two folders, they are told by their paths
	mkdir one other
	cp before.tsv one/t.tsv
	cp after.tsv other/t.tsv
	holds "$(nsq-plot one/t.tsv other/t.tsv)" ">one/t.tsv<" ">other/t.tsv<"
	sed "s|[^\t]*/ddp-2rank|one/run|; s|[^\t]*/torch-compile|other/run|" t > paths
	holds "$(nsq-plot paths)" ">one/run.sqlite<" ">other/run.sqlite<"
	nsq-plot old=before.tsv new=after.tsv > two
	holds "$(cat two)" ">old<" ">new<"
}

@test "lengths of bars are those of the table: names, parts of a whole, panels, negative numbers" {
	nsq-kernels -q "$COMPILE" > names && nsq-plot names > names.svg
	nsq-gaps -q "$DUALPIPE" > parts && nsq-plot parts > parts.svg
	nsq-overlap -q "$DUALPIPE" > panels && nsq-plot panels > panels.svg
	nsq-mem -q --usage "$FIXTURES/train-allocs.sqlite" > bytes && nsq-plot bytes > bytes.svg
	nsq-diff -q "$NODES" "$WHOLE" | awk -F'\t' 'NR == 1 || $14 == "ns"' > less && nsq-plot less > less.svg
	[ "$(col delta < less | grep -c ^-)" -gt 3 ]
	made "name queue_ns class" "a -500 x" "a 300 y" "b -40 x" "b 0 y" > both
	nsq-plot --kind stack --color class -x name both > both.svg
	same "$(count < names) bars
8 bars
$((2 * $(count < panels))) bars
$(count < bytes) bars
$(count < less) bars
4 bars" "$(read_back bars names.svg names total_ns name,class -- bars parts.svg parts busy_ns,idle_ns rank -- \
		bars panels.svg panels hidden_ns,exposed_ns rank,stage -- bars bytes.svg bytes peak_bytes kind -- bars less.svg less delta part,change -- \
		bars both.svg both queue_ns name,class)"
}

# bats test_tags=slow
@test "a timeline: stretches are where their rows are, and what is shorter than a pixel is counted, none lost" {
	nsq-overlap -q --each "$DUALPIPE" > t
	nsq-plot --kind timeline t > svg 2> said
	n=$(count < t)
	same "$(cat svg)" "$(nsq-plot -q t)"
	read_back timeline svg t > got
	holds "$(cat said)" "events are shorter than a pixel"
	specks=$(grep -o '^nsq-plot: [0-9]*' said | grep -o '[0-9]*$')
	holds "$(cat got)" "$((n - specks)) stretches, $specks events in specks of $specks"
	holds "$(cat svg)" "$specks events are shorter than a pixel" ">rank 3 · stream 32<" ">time (ms)<"
	# two traces stand on one scale
	nsq-kernels -q --each "$DDP" "$COMPILE" | nsq-plot -q > svg
	same 2 "$(grep -c '>time (ms)<' svg)"
	same "2 1" "$(read_back scales svg | tee scales | wc -l) $(uniq scales | wc -l)"
	# where several events meet in a pixel, the category with the most time is seen
	made "start_ns end_ns dur_ns stream class" "0 1000000 1000000 9 copy" "500000 500010 10 7 comm" "500010 500020 10 7 comm" \
		"500020 500030 10 7 comm" "500030 500330 300 7 compute" "800000 800000 0 7 comm" > t
	mentions "5 events are shorter than a pixel" -- nsq-plot t
	holds "$output" "stream 7 · compute: 1 event, 300 ns in all" "stream 7 · comm: 1 event, 0 ns in all"
	lacks "$output" "comm: 3 events"
	# by thread and depth, coloured by name without its digits
	nsq-nvtx -q --each "$DDP" | nsq-plot -q > svg
	holds "$(cat svg)" ">iteration #<" "depth 0<" "other ("
	# a path: its chain by kind
	made "pid rank start_ns end_ns gpu ctx stream tid dur_ns kind nvtx name window trace" \
		"5 - 0 4000 0 1 7 - 4000 compute - a - t" "5 - 4000 6000 - - - 9 2000 cpu - - - t" "5 - 6000 9000 0 1 8 - 3000 comm - b - t" > t
	nsq-plot t > svg
	read_back timeline svg t
	same "comm compute cpu" "$(read_back colors svg | cut -d' ' -f1 | sort | xargs)"
	holds "$(cat svg)" ">GPU 0 · stream 7<" ">thread 9<"
}

# bats test_tags=slow
@test "a timeline is as dark as it is busy: a pixel that is covered in part is paler" {
	for case in "10 20000" "50 20000" "90 20000" "70 700"; do        # the last are nearly as long as a pixel
		awk -v d="${case% *}" -v n="${case#* }" 'BEGIN { print "start_ns end_ns dur_ns stream class"; for (i = 0; i < n; i++) print i * 100, i * 100 + d, d, 7 + (i > n / 2), i % 4 ? "compute" : "comm" }' | tr ' ' '\t' > t
		nsq-plot -q t > svg
		drawn=$(read_back timeline svg t | grep -o '[0-9]* %$')
		[ "${drawn% %}" -ge 93 ]
		[ "${drawn% %}" -le 125 ]
	done
	# so it is in text: shades with one category, with several a dot where less than half is covered
	COLUMNS=60 nsq-plot -q -f text t > text
	holds "$(cat text)" "████"
	made "start_ns end_ns dur_ns stream" "0 2 2 7" "500 502 2 7" "998 1000 2 8" > t
	holds "$(COLUMNS=60 nsq-plot -q -f text t)" "░"
	made "start_ns end_ns dur_ns stream class" "0 1 1 7 comm" "0 1000 1000 8 compute" > t
	holds "$(COLUMNS=60 nsq-plot -q -f text t)" "stream 7│·"
}

@test "percentages begin at zero; a histogram has one bar for all beyond the 99th percentile" {
	made "index busy_pct" "1 91" "2 94" "3 92" > t
	holds "$(nsq-plot --kind line -x index -y busy_pct t)" ">0<"
	holds "$(nsq-plot --kind hist -x busy_pct t)" ">0<"
	made "index busy_ns" "1 91" "2 94" "3 92" > t
	lacks "$(nsq-plot --kind line -x index -y busy_ns t)" ">0<"
	{ echo dur_ns; for i in $(seq 995); do echo $((100 + i % 50)); done; printf '%s\n' 4000 4001 4002 4003 9000; } > t
	run --separate-stderr nsq-plot --kind hist t
	same "0 nsq-plot: the last bar is the 5 of 1000 rows with 150 ns or more, up to 9 us" "$status $stderr"
	holds "$output" ">${stderr#nsq-plot: }<" ">≥ 150<"
	printf '%s\n' "$output" > svg
	holds "$(read_back hist svg t dur_ns)" "1000 rows"
	# where all are near each other, all are drawn
	{ echo dur_ns; for i in $(seq 995); do echo $((100 + i % 50)); done; printf '%s\n' 160 170 180 190; } > t
	run -0 --separate-stderr nsq-plot --kind hist t
	same "" "$stderr"
}

@test "titles and names are words with units: what is missing says so, stragglers are shown by what they cause" {
	title() { nsq-plot -q "$@" | grep -o '<title>[^<]*' | head -1; }
	made "nvtx cause idle_ns" "- host 5000000" "layer launch 7000000" > t
	same "<title>Idle time per range, by cause (ms)" "$(title t)"
	holds "$(nsq-plot t)" ">(no range)<" "<title>(no range) · host: 5 ms<"
	made "rank ops last_ops caused_ns wait_ns transfer_ns cause" "0 9 2 3000 50000 70000 -" "1 9 7 40000 2000 70000 host" > t
	same "<title>Waiting caused per rank, by cause (us)" "$(title t)"
	nsq-plot t > svg
	same "2 bars" "$(sed 's/\t-$/\t(no cause)/' t > named; read_back bars svg named caused_ns rank,cause)"
	made "rank busy_ns idle_ns" "0 3 4" "1 5 6" > t
	same "<title>Busy and idle time per rank (ns)" "$(title t)"
	made "tid p50_ns dur_max_ns gbps peak_bytes value" "7 1 2 3 4 5" > t
	same "Peak memory (B)|Median time (ns)|Greatest duration (ns)|Rate (GB/s)|Value" \
		"$(for y in peak_bytes p50_ns dur_max_ns gbps value; do title -y $y t; done | sed 's/<title>//' | paste -sd '|')"
	nsq-kernels -q --each "$DDP" > t
	same "<title>Timeline per pid and stream, by class (ms)" "$(title t)"
	same "<title>Number of rows by duration" "$(title --kind hist t)"
}

@test "a PNG is made by rsvg-convert; where that is missing, one line names the package" {
	made "name total_ns" "a 5" "b 6" > t
	mkdir bin
	printf '#!/bin/bash\n[ "$*" = "--format=png --zoom=2" ] && echo PNG && head -c 4\n' > bin/rsvg-convert
	chmod +x bin/rsvg-convert
	PATH=$PWD/bin:$PATH answers nsq-plot -o a.png t
	same "PNG<svg" "$(paste -sd '' a.png)"
	same "PNG<svg" "$(PATH=$PWD/bin:$PATH nsq-plot -f png t | paste -sd '')"
	printf '#!/bin/bash\necho "no memory" >&2\nexit 1\n' > bin/rsvg-convert
	PATH=$PWD/bin:$PATH fails 1 "rsvg-convert could not make a PNG of the picture: no memory" -- nsq-plot -o b.png t
	plot=$(command -v nsq-plot)
	rm bin/rsvg-convert
	run --separate-stderr env PATH="$PWD/bin" "$plot" -o b.png t
	same "1 nsq-plot: a PNG is made by 'rsvg-convert', which is not installed; install the package librsvg2-bin, or write a .svg" "$status $stderr"
	same "a.png" "$(ls *.png)"
}

@test "windows of one length that tile the time are drawn as lines over it; steps, whose lengths differ, as bars" {
	nsq-window -q --every 5ms "$EAGER" | nsq-gaps -q > t
	same "$(nsq-plot -q --kind line -x start_ns -y idle_ns t)" "$(nsq-plot -q -y idle_ns t)"
	# a line for each part of a whole, or for each category, where a window without any is left out
	holds "$(nsq-plot -q -f text t)" "Busy and idle time over time (ms)"
	nsq-window -q --bins 9 "$EAGER" | nsq-gaps -q --by cause | grep -v '#4' | nsq-plot -q -f text > text
	holds "$(head -1 text)" "Idle time over time, by cause"
	# two are none, nor are windows that overlap, of which one is longer, or that do not follow
	for rows in "0 5 1;5 10 2" "0 5 1;5 10 2;8 13 1" "0 5 1;5 10 2;10 17 1" "0 5 1;5 8 2;8 13 1" "0 5 1;5 10 2;12 17 1"; do
		made "start_ns end_ns idle_ns window" "${rows%%;*} a#0" "$(cut -d ';' -f2 <<< "$rows") a#1" "$(cut -sd ';' -f3 <<< "$rows;0 0 0") a#2" > t
		lacks "$(nsq-plot -q -f text t)" "over time"
	done
	made "start_ns end_ns idle_ns window" "0 5 1 a#0" "5 10 2 a#1" "20 24 1 a#4" > t
	holds "$(nsq-plot -q -f text t)" "over time"
	nsq-window -q --pick all --period "$EAGER" | nsq-overlap -q --total | nsq-plot -q -f text > text
	holds "$(head -1 text)" "per window"
}

@test "a tile without a row has none of what adds up, and of the rest the line breaks; points are in its middle" {
	made "start_ns end_ns total_ns mean_ns category window" "0 10 5 5 a t#0" "0 10 1 2 b t#0" "10 20 6 6 a t#1" "30 40 5 5 a t#3" "30 40 2 2 b t#3" "40 44 1 1 a t#4" > t
	made "start_ns end_ns total_ns mean_ns category window" "0 10 5 5 a t#0" "0 10 1 2 b t#0" "10 20 6 6 a t#1" "10 20 0 0 b t#1" "20 30 0 0 a t#2" "20 30 0 0 b t#2" \
		"30 40 5 5 a t#3" "30 40 2 2 b t#3" "40 44 1 1 a t#4" "40 44 0 0 b t#4" > full
	same "$(nsq-plot -q --title T full | sed 's/<desc>.*//')" "$(nsq-plot -q --title T t | sed 's/<desc>.*//')"
	lines() { nsq-plot -q "$@" | grep -c '<polyline'; }
	same "2 4" "$(lines --kind line t) $(lines -y mean_ns t)"
	# what is unknown, or left out with -n, is not nothing
	same "4 4" "$(sed '2s/5/-/' t | lines) $(lines -n 5 t)"
	grep -v "${TAB}b$TAB" t > one
	nsq-plot -q one > svg
	made "middle total_ns" "5 5" "15 6" "25 0" "35 5" > middle
	same "4 points" "$(read_back line svg middle middle total_ns)"
	# ranks with clocks of their own, in one panel, have no tiles in common
	made "rank start_ns end_ns idle_ns window" "0 0 10 1 t#0" "0 10 20 2 t#1" "0 20 30 2 t#2" "1 4 14 1 t#0" "1 14 24 2 t#1" "1 24 34 2 t#2" > t
	same "2 6" "$(nsq-plot -q --color rank t | sed -n 's/.*<polyline.* points="\([^"]*\)".*/\1/p' | wc -l -w | xargs)"
}

@test "parts of a whole are piled up over time; the last window is left out if it is cut short and its numbers would be, too" {
	made "start_ns end_ns total_ns mean_ns category window" "0 10 5 5 a t#0" "0 10 1 2 b t#0" "10 20 6 6 a t#1" "20 30 5 5 a t#2" "20 30 2 2 b t#2" "30 33 1 1 a t#3" > t
	run --separate-stderr nsq-plot t
	same "0 nsq-plot: the last window is only 3 ns long and is left out" "$status $stderr"
	holds "$output" "a: 0 ns to 10 ns: 5 ns" "b: 0 ns to 10 ns: 1 ns" "b: 10 ns to 20 ns: 0" ">the last window is only 3 ns long and is left out<"
	lacks "$output" polyline "30 ns to"
	lacks "$(nsq-plot -y mean_ns t 2>&1)" "is left out"
	# rows that share a part are added up, which is said
	made "start_ns end_ns idle_ns cause nvtx window" "0 10 5 host x t#0" "0 10 2 host y t#0" "10 20 6 sync x t#1" "20 30 5 host y t#2" > t
	run --separate-stderr nsq-plot t
	same "nsq-plot: rows that differ only in 'nvtx' are added up; --color nvtx shows them" "$stderr"
	holds "$output" "host: 0 ns to 10 ns: 7 ns" "sync: 10 ns to 20 ns: 6 ns"
	# categories beyond the colors are one part, so the pile is whole
	{ echo "start_ns end_ns total_ns category window"; for i in 0 1 2; do for k in $(seq 30); do echo "$((10 * i)) $((10 * i + 10)) $((k > 19 ? 1 : 2)) kind$(tr 0-9 a-j <<< "$k") t#$i"; done; done; } | tr ' ' '\t' > t
	run --separate-stderr nsq-plot t
	holds "$stderr" "are drawn as one, other"
	same 49 "$(grep -o ': 0 ns to 10 ns: [0-9]*' <<< "$output" | awk '{ sum += $NF } END { print sum }')"
	# processes of one trace have one axis of time
	made "pid start_ns end_ns total_ns category window" "1 0 10 5 a t#0" "1 0 10 1 b t#0" "1 10 20 6 a t#1" "1 20 30 6 a t#2" "1 30 33 1 a t#3" \
		"2 0 10 5 a t#0" "2 10 20 5 a t#1" "2 20 30 5 a t#2" "2 30 40 5 a t#3" "2 40 50 5 a t#4" "2 50 55 3 a t#5" > t
	run --separate-stderr nsq-plot t
	same "nsq-plot: the last windows are cut short, to 5 ns at most, and left out" "$stderr"
	same 1 "$(grep 'class="mark"' <<< "$output" | grep -o ' width="[^"]*"' | sort -u | wc -l)"
}

@test "timelines of several traces lie on one clock; where that is not known, on their own, and both are said" {
	nsq-kernels -q --each "$FIXTURES"/collectives-rank[03].sqlite > t
	run --separate-stderr nsq-plot t
	holds "$stderr" "nsq-plot: all traces are drawn on one clock, by UTC"
	holds "$output" ">all traces are drawn on one clock, by UTC<"
	printf '%s\n' "$output" > svg
	# the late rank begins last and ends with the others
	python3 - svg <<-'END'
		import re, sys
		lanes = {}
		for box, title in re.findall(r'<rect ([^>]*)><title>([^<]*)', open(sys.argv[1]).read()):
		    x, y, w = (float(re.search(rf'\b{k}="([^"]*)"', box)[1]) for k in ("x", "y", "width"))
		    lanes.setdefault(y, []).append((x, x + w))
		first, *_, last = sorted(lanes)
		begins, ends = ([edge(x[i] for x in lanes[y]) for y in (first, last)] for i, edge in ((0, min), (1, max)))
		assert begins[1] - begins[0] > 100, begins
		assert abs(ends[1] - ends[0]) < 40, ends
	END
	sed "s|$FIXTURES|/gone|" t > moved
	run --separate-stderr nsq-plot moved
	holds "$stderr" "each trace is drawn on its own clock: '/gone/collectives-rank0.sqlite' cannot be read"
	# so do windows over time; the tiles of the late rank begin later
	nsq-window -q --every 10ms "$FIXTURES"/collectives-rank[03].sqlite | nsq-overlap -q --total > t
	run --separate-stderr nsq-plot t
	holds "$stderr" "nsq-plot: all traces are drawn on one clock, by UTC"
	holds "$output" "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 2 { printf "compute only: %.1f ms to", $c["start_ns"] / 1e6 }' t)"
	lacks "$output" "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR > 1 && $c["rank"] == 3 { printf "compute only: %.1f ms to", $c["start_ns"] / 1e6; exit }' t)"
}

@test "a comparison is titled by its step, which stands apart; ranks are bars of one panel, owners before places; one category needs no legend" {
	made "delta delta_pct before after change part unit" "5200000 19 27000000 32200000 slower step ns" "5000000 50 10000000 15000000 slower host ns" "200000 2 10000000 10200000 same matmul ns" > t
	nsq-plot t > svg
	holds "$(cat svg)" ">before -&gt; after: step +5.20 ms (+19 %)<"
	same 2 "$(grep -c '>difference (ms)<' svg)"
	made "rank wait_ns transfer_ns cause trace" "3 5 9 gpu a.sqlite" "0 7 9 - a.sqlite" "1 8 9 - a.sqlite" > t
	same 1 "$(nsq-plot t | grep -c '>time (ns)<')"
	holds "$(nsq-plot t)" ">rank 3<" ">rank 0<" ">rank 1<"
	made "dur_ns owner where" "5 host data" "9 matmul -" "6 host optimizer" > t
	run --separate-stderr nsq-plot -f text t
	same "nsq-plot: rows that differ only in 'where' are added up; -x owner --color where shows them" "$stderr"
	same "host matmul" "$(awk '/│/ { print $1 }' <<< "${output//│/ │}" | xargs)"
	made "total_ns name" "5 abcd" "5 ကab" "5 漢b" "5 ᄀb" > t         # a Burmese letter takes one column, the last two signs take two
	same " abcd,  ကab,  漢b,  ᄀb" "$(nsq-plot -f text t | sed -n 's/│.*//p' | paste -sd ,)"
	made "total_ns name class" "5 a compute" "7 b compute" | tee x.tsv "x.tsv (3)" > t
	lacks "$(nsq-plot t)" swatch "by class"
	holds "$(nsq-plot x.tsv "x.tsv (3)" x.tsv)" ">x.tsv<" ">x.tsv (3)<" ">x.tsv (4)<"
	holds "$(nsq-plot t)" ">compute<"
	made "dur_ns owner" "5 host" "9 matmul" > t
	lacks "$(nsq-plot t)" swatch
	made "before_ns after_ns delta_ns by_count_ns change category name" "9 5 -4 -4 fewer gemm a" "7 8 1 0 slower gemm b" > t
	holds "$(nsq-plot t)" ">Difference per name (ns)<" ": -4 ns<"
	made "busy_ns idle_ns bound" "5 7 cpu" > t
	lacks "$(nsq-plot t)" ">b…d<"
	made "delta delta_pct before after change part unit" "0 0 4 4 same launches -" "0 0 5 5 same host ns" "0 0 9 9 same step ns" > t
	same "step host launches" "$(nsq-plot -f text t | awk '/│/ { print $1 }' | tr -d '│' | xargs)"
}

# bats test_tags=long
@test "lines and histograms show the rows" {
	nsq-window -q -m 'decode step' --pick all "$EAGER" > t
	nsq-plot -q --kind line -x index t > svg
	same "$(($(count < t) - 1)) points" "$(read_back line svg t index period_ns)"
	for trace in "$COMPILE" "$DDP"; do      # the second spans three orders of magnitude
		nsq-kernels -q --each "$trace" > t
		nsq-plot --kind hist t > svg
		holds "$(read_back hist svg t dur_ns)" "$(count < t) rows in "
	done
	holds "$(cat svg)" ">1 us<" ">100 us<"
	nsq-plot --kind hist -x dur_ns --color class t > svg
	same "comm compute" "$(read_back colors svg | cut -d' ' -f1 | sort | xargs)"
	# metrics: a panel for each, with its unit
	nsq-metrics -q --each -m 'SMs Active|GPC' "$FIXTURES/train-metrics.sqlite" | nsq-plot -q > svg
	same 2 "$(grep -c '<polyline' svg)"
	holds "$(cat svg)" ">value (MHz)<" ">value (%)<" ">SMs Active [Throughput %]<"
}

# pictures TRACE...: of every mode of every tool on it: svg1, svg2, ..., $n of them.
pictures() {
	n=0
	for trace; do
		while IFS='|' read -r tool args _; do
			case $tool in nsq-*) ;; *) continue ;; esac
			$tool -q $args "$trace" > t 2>/dev/null || continue
			run --separate-stderr nsq-plot t
			echo "$tool $args: $status $stderr"
			if [[ $args == --facts* ]]; then
				same "2 1" "$status ${#stderr_lines[@]}"
				holds "$stderr" "has no column of numbers to draw"
				continue
			fi
			same 0 "$status"
			n=$((n + 1))
			printf '%s\n' "$output" > "svg$n"
			COLUMNS=80 nsq-plot -q -f text t > text
			same "" "$(awk '{ gsub(/[\300-\377][\200-\277]*/, "x") } length > 80' text)"
		done < <(tr '\t' '|' < "$TESTS/modes.tsv" | grep '^nsq-' | each_nth 5)
	done
	read_back wellformed svg*
}

# bats test_tags=more,slow
@test "every mode of every tool gives a picture, or says in one line why not" {
	pictures "$COMPILE"
	[ $n -ge 9 ]
}

# bats test_tags=slow
@test "every mode of every tool gives a picture, or says in one line why not: a larger trace, of several processes" {
	pictures "$DUALPIPE"
	[ $n -ge 9 ]
	if more; then [ $n -gt 45 ]; fi
}

# bats test_tags=slow
@test "a category has one color in all pictures, and no two of a picture share one" {
	steps "$DDP" | nsq-gaps -q --by cause | nsq-plot > 1
	nsq-gaps -q --each "$DUALPIPE" | nsq-plot -q > 2
	nsq-kernels -q --each "$DDP" | nsq-plot -q > 3
	nsq-overlap -q --total "$DDP" | nsq-plot > 4
	holds "$(read_back colors 1)" "host #941f35" "queued #bf9743"
	holds "$(read_back colors 2)" "host #941f35" "queued #bf9743"
	holds "$(read_back colors 3)" "compute #628eb4" "comm #d45d00"
	holds "$(read_back colors 4)" "idle #9ea3aa" "compute only #628eb4"
	# names that nsq does not know, in any order and number
	for i in $(seq 20); do echo "kind_$i"; done > names
	{ echo "label value"; sed 's/$/ 5/' names; } | tr ' ' '\t' | nsq-plot --kind stack --color label > all
	{ echo "label value"; tac names | sed 's/$/ 7/'; } | tr ' ' '\t' | nsq-plot --kind stack --color label > back
	same "$(read_back colors all | sort)" "$(read_back colors back | sort)"
	same 20 "$(read_back colors all | grep -o '[^ ]*$' | sort -u | wc -l)"
	# most keep the color that they have alone
	while read -r name; do made "label value" "$name 5" "idle 1" | nsq-plot --kind stack --color label > "one-$name"; done < names
	read_back colors one-* | grep -v ^idle | sort > alone
	same 20 "$(wc -l < alone)"
	[ "$(read_back colors all | sort | comm -12 - alone | wc -l)" -ge "$(grep -o '[^ ]*$' alone | sort -u | wc -l)" ]
	# a known word keeps its color, whatever else would have it
	{ echo "label value"; for i in $(seq 19); do echo "a$i 5"; done; echo "compute 3"; } | tr ' ' '\t' | nsq-plot --kind stack --color label > one
	holds "$(read_back colors one)" "compute #628eb4"
	same 20 "$(read_back colors one | grep -o '[^ ]*$' | sort -u | wc -l)"
}

# What can stand in one column: a line each, and the labels of each file of rules.
columns_of_words() {
	cat <<-'END'
		compute comm graph copy wall
		starved blocked stalled unresolved
		kernel graph copy set call range mark os mpi
		h2d d2h d2d h2h p2p um_h2d um_d2h um_d2d memset unknown
		pageable pinned device array managed static unknown
		slower faster more less new gone same unsure
		ep_a2a cp_ring pp_p2p mixed -
		forward backward optimizer prefill decode -
		dispatch dispatch_f dispatch_b combine combine_f combine_b -
		stage1_f stage1_b stage1_w stage2_f stage2_b stage2_w stage3_f stage3_b stage3_w stage4_f stage4_b stage4_w stage5_f stage5_b stage5_w -
	END
	awk -F '\t' 'NR > 1 { words[$1] = words[$1] " " $2 } END { for (c in words) print substr(words[c], 2) }' "$TESTS/../share/glossary.tsv"
	echo "$(cut -sf2 "$TESTS/../share/rules/llm.tsv" | paste -sd ' ') non-gpu -"
}

# bats test_tags=slow
@test "words that can stand in one column have colors of their own, the same as when they stand alone" {
	n=0
	while read -r words; do
		n=$((n + 1)) k=0
		tr ' ' '\n' <<<"$words" | sed 's/$/ 5/;1i label value' | tr ' ' '\t' | nsq-plot --kind stack --color label > "all-$n"
		for word in $words; do
			k=$((k + 1))
			nsq-plot --kind stack --color label > "alone-$n-$k" <<<"label${TAB}value"$'\n'"$word${TAB}5"$'\n'"planted${TAB}7"
		done
		# each word once in all and once alone, with one color that no other has
		read_back colors "all-$n" "alone-$n-"* | grep -v ^planted | tally > colors
		same "$k $k" "$(grep -o '[^ ]*$' colors | sort -u | wc -l) $(grep -c "${TAB}2$" colors)"
		same "" "$(grep -v "${TAB}2$" colors)"
	done < <(columns_of_words)
	same 20 "$(cut -sf2 "$TESTS/../share/rules/llm.tsv" | sort -u | wc -l)"
}

# bats test_tags=slow
@test "any two colors differ for the color-blind too, and each from its background, light and dark" {
	{ echo "label value"; for i in $(seq 20); do echo "kind_$i 5"; done; echo "idle 5"; echo "- 5"; } | tr ' ' '\t' | nsq-plot --kind stack --color label > all
	light=$(read_back colors all | grep -o '[^ ]*$' | sort -u) dark=$(read_back dark all | grep -o '[^ ]*$' | sort -u)
	same "22 22" "$(wc -w <<<"$light") $(wc -w <<<"$dark")"
	[ "$(read_back apart $light)" -ge 8 ]
	[ "$(read_back apart $dark)" -ge 8 ]
	[ "$(read_back apart '#0072b2' '#0072b3')" -le 1 ]
	[ "$(read_back contrast '#ffffff' $light)" -ge 25 ]
	[ "$(read_back contrast '#14181d' $dark)" -ge 25 ]
	same 210 "$(read_back contrast '#ffffff' '#000000')"
}

# bats test_tags=more
@test "text fits the terminal down to 20 columns, and bars can still be seen" {
	steps "$DDP" | nsq-gaps -q --by cause > gaps
	nsq-kernels -q "$FIXTURES/train.sqlite" > kernels
	nsq-kernels -q --each "$DDP" > each
	nsq-overlap -q --total "$DDP" > overlap
	made "run category elapsed_ns" "a gemm 20000000" "a non-gpu -11100000" "b attn -9000000" > below
	for columns in $(first_few 2 20 33 21 27 40 64); do
		for t in gaps kernels each overlap below; do
			COLUMNS=$columns nsq-plot -q -f text $t > text
			same "" "$(awk -v most=$columns '{ gsub(/[\300-\377][\200-\277]*/, "x") } length > most' text)"
			grep -q '[█▒░]' <(tail -n +5 text)
		done
		[ "$(COLUMNS=$columns nsq-plot -q -f text kernels | tail -n +4 | grep -c '█.* ms$')" -ge 3 ]
	done
	# names that are cut can still be told apart
	made "name total_ns" "ncclDevKernel_SendRecv_comm 5" "ncclDevKernel_AllReduce_comm 6" "ncclDevKernel_comm 7" > alike
	made "start_ns end_ns dur_ns rank stream" "0 5 5 0 7" "0 6 6 1 7" "0 6 6 1 32" > lanes
	for t in alike lanes; do
		COLUMNS=20 nsq-plot -q -f text $t | sed -n 's/█.*//p' > labels
		same "3 3" "$(wc -l < labels) $(sort -u labels | wc -l)"
	done
	for columns in 1 19; do same "$(COLUMNS=20 nsq-plot -q -f text gaps)" "$(COLUMNS=$columns nsq-plot -q -f text gaps)"; done
}

@test "a bar with parts on both sides of zero says their sum, and has a tick below zero" {
	made "run category elapsed_ns" "a gemm 20000000" "a attn 21100000" "a non-gpu -11100000" > t
	nsq-plot --kind stack t > svg
	same "3 bars" "$(read_back bars svg t elapsed_ns category)"
	holds "$(cat svg)" ">30 ms<" ">-10<"
	lacks "$(cat svg)" ">41.1 ms<"
	holds "$(nsq-plot --kind stack -f text t)" " 30 ms" "-10"
	# below zero alone, the total stands on that side
	made "name elapsed_ns" "a 20" "b -1500" > t
	nsq-plot t > svg
	holds "$(cat svg)" ">-1.50 us<" ">20 ns<" ">-1.6<"
}

@test "bars of many windows, with parts on both sides of zero, are laid one way and the other" {
	awk 'BEGIN { print "idle_ns cause window"; for (i = 0; i < 5000; i++) print "1000 host step_" i "#" i "\n-400 sync step_" i "#" i }' | tr ' ' '\t' > t
	nsq-plot -q t > svg
	# the part below zero begins where the one above does: at zero
	same "1 0" "$(grep 'class="mark"' svg | awk -F '"' '/host/ { zero = $8 + $12 } /sync/ { n++; off += ($8 - zero) ^ 2 > 0.001 } END { print (n > 100), off + 0 }')"
}

@test "rows of one bar are added, and of rates, shares and percentiles the mean is drawn" {
	for column in total_ns busy_ns count; do
		made "name $column" "a 2" "a 4" "b 7" > t
		run -0 --separate-stderr nsq-plot t
		holds "$output" "<title>a: 6" "<title>b: 7"
		same "" "$stderr"
	done
	for column in bus_gbps gbps tflops idle_pct p50_ns p90_ns p99_ns min_ns max_ns mean_ns median_ns calls_per_s intensity avg_ns value; do
		made "name $column" "a 2" "a 4" "b 7" > t
		run -0 --separate-stderr nsq-plot t
		holds "$output" "<title>a: 3" "<title>b: 7"
		holds "$stderr" "1 bar is the mean of several rows, whose" "cannot be added up"
	done
}

@test "a histogram of values that span a factor of a thousand is logarithmic" {
	made dur_ns 1 2 50 999 > t
	holds "$(nsq-plot -q --kind hist t)" "<title>0 ns to 200 ns: 3 rows<" "<title>800 ns to 1 us: 1 rows<" ">0.5<"
	made dur_ns 1 2 50 1000 > t
	holds "$(nsq-plot -q --kind hist t)" "<title>1 ns to 10 ns: 2 rows<" "<title>10 ns to 100 ns: 1 rows<" "<title>1 us to 10 us: 1 rows<" \
		">1 ns<" ">10 ns<" ">100 ns<"
	# ten times as much is as far, wherever it is
	same 3 "$(nsq-plot -q --kind hist t | grep 'class="mark"' | grep -c 'width="226.82"')"
	# zero has no logarithm
	made dur_ns 0 2 50 1000 > t
	holds "$(nsq-plot -q --kind hist t)" "<title>0 ns to 200 ns: 3 rows<"
}

@test "a picture does not replace the table that it is of, nor take a name that says something else" {
	made "name total_ns" "a 5" > t.tsv
	cp t.tsv t.svg
	fails 2 "'t.svg' is a table that is drawn; name another file" -- nsq-plot --force -o t.svg t.svg
	ln t.svg other.svg
	fails 2 "'other.svg' is a table that is drawn" -- nsq-plot --force -o other.svg t.tsv x=t.svg
	run --separate-stderr bash -c 'nsq-plot --force -o t.svg < t.svg'
	same "2 nsq-plot: 't.svg' is a table that is drawn; name another file" "$status $stderr"
	for name in t.tsv x.csv x.json x.html.gz x.sqlite; do
		fails 2 "the name '$name' promises another format than the one written; end it in .txt" -- nsq-plot -f text --force -o $name t.tsv
	done
	cmp t.tsv t.svg
	nsq-plot -f svg -o picture.2024 t.tsv
	read_back wellformed picture.2024
}

@test "a page names its tables by file or name, and not by where they were read from" {
	made "name total_ns" "a 5" "b 6" > t.tsv
	nsq-plot -o file.html t.tsv
	nsq-plot -o pipe.html < t.tsv
	nsq-plot -o named.html "my run=-" < t.tsv
	same "&#39;t.tsv&#39;, 2 rows|2 rows|my run, 2 rows" \
		"$(grep -ho '<caption><span>[^<]*' file.html pipe.html named.html | sed "s/.*>//;s/'/\&#39;/g" | paste -sd '|')"
}

# bats test_tags=slow
@test "greys count as colors only for those that have them, once each" {
	# 20 names and two greys fit; a third grey, or another name, does not
	fit() { { echo "label value"; for i in $(seq "$1"); do echo "kind_$i $((100 - i))"; done; for w in "${@:2}"; do echo "$w 200"; done; } |
		tr ' ' '\t' > t; run --separate-stderr nsq-plot --kind stack -y value --color label t; printf '%s\n' "$output" > svg; read_back colors svg > colors
		names=$(wc -l < colors) different=$(grep -o '[^ ]*$' colors | sort -u | wc -l); }
	fit 20 idle -
	same "22 " "$names $stderr"
	same 22 "$different"
	fit 20 idle - unknown
	holds "$stderr" "of 23 categories are drawn as one"
	same "$names" "$different"
	fit 21
	same "20 the 2 smaller ones" "$names $(grep -o 'the 2 smaller ones' <<<"$stderr")"
	same 20 "$different"
	# what is pooled has the grey of what has no name
	fit 30 -
	same "21 21" "$names $different"
	fit 22
	same "21 the 2 smaller ones" "$names $(grep -o 'the 2 smaller ones' <<<"$stderr")"
}

@test "more categories or bars than can be told apart are drawn as one, other, with their sum" {
	{ echo "trace category elapsed_ns"; for i in $(seq 40); do echo "a c$i $((i * 1000))"; echo "b c$i $((i * 3000))"; done; } | tr ' ' '\t' > t
	run --separate-stderr nsq-plot t
	same "0 nsq-plot: the 20 smaller ones of 40 categories are drawn as one, other" "$status $stderr"
	printf '%s\n' "$output" > svg
	holds "$output" ">other (20)<" ">the 20 smaller ones of 40 categories are drawn as one, other<"
	# 1000 * (1 + ... + 20), and its bar is as long
	holds "$output" "a · other (20): 210 us" "b · other (20): 630 us"
	awk -F'\t' 'NR == 1 { print; next } { split($2, c, "c"); if (c[2] <= 20) s[$1] += $3; else print } END { for (t in s) print t "\tother (20)\t" s[t] }' t > pooled
	same "42 bars" "$(read_back bars svg pooled elapsed_ns trace,category)"
	{ echo "name total_ns"; for i in $(seq 100); do echo "k$i $((i * 1000))"; done; } | tr ' ' '\t' > t
	mentions "the 71 smaller ones of 100 bars are drawn as one, other" -- nsq-plot t
	holds "$output" "other (71): 2.56 ms"
	# what cannot be added up is left out
	{ echo "name idle_pct"; for i in $(seq 100); do echo "k$i $i"; done; } | tr ' ' '\t' > t
	mentions "the 71 smaller ones of 100 bars are left out" -- nsq-plot t
	lacks "$output" "other ("
	# rows of a bar that cannot be added up are a mean, which is said
	made "name idle_pct" "a 10" "a 30" > t
	mentions "1 bar is the mean of several rows, whose idle share cannot be added up" -- nsq-plot t
	holds "$output" "a: 20 %"
}

@test "what is chosen with options is drawn" {
	nsq-kernels -q "$COMPILE" > t
	nsq-plot -y count t > svg
	same "$(count < t) bars" "$(read_back bars svg t count name,class)"
	nsq-plot --kind bars -x class -y total_ns --color class --title 'By class' t > svg
	read_back bars svg t total_ns class
	holds "$(cat svg)" '>By class</text>' '<title>By class</title>'
	nsq-plot -y p50_ns,p90_ns -n 3 t > svg 2> said
	same "6" "$(count_marks svg)"
	holds "$(cat said)" "-n draws 3 of $(count < t) rows"
	printf 'x,y\n1,2\n2,4\n3,3\n' > plain.csv
	nsq-plot --kind line -x x -y y plain.csv > svg
	same 1 "$(grep -c '<polyline' svg)"
	nsq-sql -q "select stream, sum(dur_ns) busy from kernels group by 1" "$DUALPIPE" > t
	nsq-plot t > svg
	same "3 bars" "$(read_back bars svg t busy stream)"
}

@test "mistakes are told in one line" {
	nsq-kernels -q "$COMPILE" > t
	fails 2 "'total'" "did you mean 'total_ns'?" -- nsq-plot -y total t
	fails 2 "--x" "no column 'nam'" "did you mean 'name'?" -- nsq-plot -x nam t
	fails 2 "--color" "no column 'nonsense'; the columns are pid rank" -- nsq-plot --color nonsense t
	fails 2 "name is" "not a number" -- nsq-plot -y name t
	fails 2 "--color has no effect" -- nsq-plot -y count,total_ns --color class t
	fails 2 "--x has no effect in a timeline" -- nsq-plot --kind timeline -x name t
	fails 2 "--y has no effect in a histogram" -- nsq-plot --kind hist -y count t
	fails 2 "no column 'start_ns'" -- nsq-plot --kind timeline <(made "a b" "1 2")
	fails 2 "does not know 'pie'" "bars, stack, timeline, line, hist" -- nsq-plot --kind pie t
	fails 2 "has no column of numbers to draw" -- nsq-plot <(made "a b" "x y")
	fails 2 "has no column of numbers to draw" -- nsq-plot <(made "a b" "x -")
	fails 2 "is a trace" -- nsq-plot "$COMPILE"
	fails 2 "'a.pdf'" ".svg, .html, .png or .txt" -- nsq-plot -o a.pdf t
	fails 2 "'-f'" "'a.svg'" -- nsq-plot -o a.svg -f html t
	fails 2 "'--force' has no effect without '-o'" -- nsq-plot --force t
	fails 2 "unknown option '-H'" -- nsq-plot -H t
	mentions "draws a picture and prints no table" -- nsq-plot --columns t
	same "name type unit meaning" "$(tr '\t' ' ' <<< "$output")"
	fails 1 "nowhere.tsv" -- nsq-plot nowhere.tsv
	{ echo "trace busy_ns window name"; for i in $(seq 70); do echo "t$i 5 - n"; echo "t$i 6 - m"; done; } | tr ' ' '\t' > many
	fails 2 "70 panels" "at most 60" -- nsq-plot many
	same "" "$(ls a.*)"
}

@test "files: written whole, replaced only with --force; a full disk leaves nothing" {
	nsq-kernels -q "$COMPILE" > t
	answers nsq-plot -o a.svg t
	same "" "$output"
	same "$(nsq-plot t)" "$(cat a.svg)"
	fails 2 "'a.svg' exists; --force replaces it" -- nsq-plot -o a.svg t
	answers nsq-plot --force -o a.svg -y count t
	[ "$(nsq-plot -y count t)" = "$(cat a.svg)" ]
	answers nsq-plot -o a.txt t
	same "$(nsq-plot -f text t)" "$(cat a.txt)"
	answers nsq-plot -f html -o page t
	answers nsq-plot -o a.html t
	cmp page a.html
	cp "$COMPILE" trace.svg
	fails 2 "is a trace, which is never replaced" -- nsq-plot --force -o trace.svg t
	fails 1 "cannot write 'no/such/a.svg': No such file" -- nsq-plot -o no/such/a.svg t
	for format in svg html text; do
		run bash -c "nsq-plot -f $format t 2>&1 > /dev/full"
		same "1 nsq-plot: cannot write the picture: No space left on device" "$status $output"
	done
	mkdir small
	run bash -c 'ulimit -f 1; trap "" XFSZ; nsq-plot -o small/a.html t'
	same 1 "$status"
	holds "$output" "nsq-plot: cannot write 'small/a.html': File too large"
	same "" "$(ls small)"
}

@test "tables without rows, of zeros, of one row, with missing numbers" {
	run --separate-stderr nsq-plot <(nsq-kernels -q "$COMPILE" | head -1)
	same "0 nsq-plot: the table has no rows, so the picture is empty" "$status $stderr"
	holds "$output" ">the table has no rows, so the picture is empty</text>"
	printf '%s\n' "$output" > svg
	for kind in bars stack timeline line hist; do
		nsq-kernels -q --each "$COMPILE" | head -1 | nsq-plot -q --kind $kind > empty-$kind
	done
	made "name a_ns" "x 0" "y 0" > zeros && nsq-plot zeros > zeros.svg
	made "name a_ns" "x 5" > one && nsq-plot one > one.svg
	made "name a_ns" "x 5" "y -" "z 7" > t
	mentions "1 of 3 rows have no number to draw and are left out" -- nsq-plot t
	printf '%s\n' "$output" > svg
	same "2 bars 1 bars 2 bars" "$(read_back bars zeros.svg zeros a_ns name -- bars one.svg one a_ns name -- bars svg t a_ns name | xargs)"
	# numbers at the edge of what there is, far from zero, and close to each other
	made "name a_ns" "x 9223372036854775807" "y -9223372036854775807" > t && nsq-plot t > edge-0
	made "name a" "x 1e280" "x 1e280" "y 1e-308" > t && nsq-plot t > edge-1
	for kind in bars stack line hist; do    # sums of larger ones are beyond what there is
		made "name a" "x 1e308" "x 1e308" "y 1" "y 1e-308" > t
		mentions "2 of 4 rows have no number to draw" -- timeout 300 nsq-plot --kind $kind t
		lacks "$output" "inf"
		lacks "$output" "nan"
	done
	made "a" 1000000000000000001 1000000000000000009 > t && timeout 300 nsq-plot --kind hist t > edge-2
	made "start_ns end_ns dur_ns" "9000000000000001 9000000000000003 2" "9000000000000009 9000000000000010 1" > t && timeout 300 nsq-plot t > edge-3
	read_back wellformed empty-* edge-*
}

@test "names that look like markup, hold control characters or are no UTF-8 are text" {
	printf 'name\tclass\tvalue_ns\n"><script>alert(1)</script>\t]]>\t5\na&b<c\t<!-- \t6\nbell\x07 esc\x1b[31m\tnot\xff\xfeutf8\xed\xa0\x80\t7\n\xef\xbf\xbe\t\xc2\x85\t8\n%s\tx\t9\n' "$(printf 'long%.0s' $(seq 500))" > t
	nsq-plot t > svg
	read_back wellformed svg
	lacks "$(cat svg)" "<script"
	holds "$(cat svg)" "&lt;script&gt;alert(1)&lt;/script&gt;" "a&amp;b&lt;c"
	nsq-plot --title '</title><script>x</script>' t > svg
	read_back wellformed svg
	lacks "$(cat svg)" "<script"
	nsq-plot -f html --title '</title><script>x</script>' t > page
	same 1 "$(grep -c '<script' page)"
	# nothing that controls a terminal
	nsq-plot -f text t > text
	same "" "$(LC_ALL=C tr -d '\n\040-\176\200-\377' < text)"
	iconv -f UTF-8 -t UTF-8 text > /dev/null
}

# many_rows N: a timeline, a line, a histogram and a page of so many rows.
many_rows() {
	awk -v n="$1" 'BEGIN { OFS = "\t"; print "start_ns", "end_ns", "stream", "dur_ns", "class", "name"; srand(1); t = 0; for (i = 0; i < n; i++) { d = 500 + int(rand() * 9000)
		print t, t + d, 7 + i % 3, d, i % 7 ? "compute" : "comm", "kernel_" i % 500; t += d + 100 } }' > t
	run --separate-stderr timeout 600 nsq-plot -o timeline.svg t
	same 0 "$status"
	holds "$stderr" "$1 events are shorter than a pixel"
	[ "$(wc -c < timeline.svg)" -lt 1000000 ]
	holds "$(read_back timeline timeline.svg t)" "0 stretches"
	run --separate-stderr timeout 600 nsq-plot --kind line -x start_ns -y dur_ns -o line.svg t
	same 0 "$status"
	holds "$stderr" "of the points in one pixel the first, least, greatest and last are drawn"
	[ "$(wc -c < line.svg)" -lt 1000000 ]
	awk 'BEGIN { OFS = "\t"; print "i", "value_ns"; for (i = 0; i < 50000; i++) print i, i == 20001 ? 9000 : i == 33333 ? -700 : 1000 + i % 3 }' > spikes
	nsq-plot -q --kind line -x i -y value_ns spikes > svg
	read_back extremes svg spikes value_ns
	timeout 600 nsq-plot --kind hist -o hist.svg t
	holds "$(read_back hist hist.svg t dur_ns)" "$1 rows"
	timeout 600 nsq-plot -q -o page.html t
	[ "$(wc -c < page.html)" -lt 10000000 ]
	holds "$(cat page.html)" "The page holds the first 20000 of $1 rows."
}

# bats test_tags=slow
@test "many rows: a small picture, and the numbers still hold" {
	many_rows 30000
}

# bats test_tags=slow
@test "a third of a million rows: a small picture, in linear time, and the numbers still hold" {
	many_rows 300000
}

@test "thousands of windows: bars are means of neighbours, which is said, and few names stand below them" {
	awk 'BEGIN { print "idle_ns cause window"; for (i = 0; i < 5000; i++) print i * 10 " host step_" i "#" i "\n1000 sync step_" i "#" i }' | tr ' ' '\t' > t
	run --separate-stderr nsq-plot t
	same 0 "$status"
	k=$(grep -oE 'each is the mean of [0-9]+$' <<< "$stderr" | grep -oE '[0-9]+$')
	printf '%s\n' "$output" > svg
	same "$((2 * (5000 / k + (5000 % k > 0))))" "$(count_marks svg)"
	# the mean of the first k hosts is 10 (k-1) / 2, and each has 1000 of sync
	holds "$output" "0 · host: $((5 * (k - 1))) ns" "0 · sync: 1 us"
	same "$((5000 / k + (5000 % k > 0)))" "$(grep -c 'sync: 1 us<' svg)"
	[ "$(grep -c 'text-anchor="middle"' svg)" -lt 60 ]
}

@test "text: as wide as the terminal, lengths in proportion, glyphs for categories" {
	made "name a" "full 80" "half 40" "quarter 20" "none 0" > t
	COLUMNS=100 nsq-plot -f text t > text
	bar() { sed -n "s/^ *$1│//p" text | tr -dc '\210' | wc -c; }          # the last byte of a full block
	full=$(bar full)
	[ "$full" -gt 70 ]
	[ "$(bar half)" = "$((full / 2))" ]
	[ "$(bar quarter)" = "$((full / 4))" ]
	same 0 "$(bar none)"
	nsq-gaps -q --by cause "$DDP" | COLUMNS=60 nsq-plot -f text > text
	holds "$(cat text)" "█ turnaround" "▒ host"
	lacks "$(cat text)" $'\033'
	for width in 1 40 57 200 x; do
		COLUMNS=$width nsq-plot -f text t > text
		[ -s text ]
	done
}

@test "on a terminal it is text with colors, without them if NO_COLOR asks; elsewhere SVG" {
	needs_terminal
	command -v script > /dev/null || skip "no script to make a terminal"
	nsq-gaps -q --by cause "$DDP" > t
	on_terminal() { script -qec "stty cols 70; unset NO_COLOR; export TERM=xterm; $1" /dev/null < /dev/null | tr -d '\r'; }
	on_terminal "nsq-plot t" > text
	holds "$(cat text)" $'\033[38;5;' "queued"
	same "$(COLUMNS=70 nsq-plot -f text t | wc -l)" "$(wc -l < text)"
	same "$(COLUMNS=70 NO_COLOR=1 nsq-plot -f text t)" "$(on_terminal "NO_COLOR=1 nsq-plot t")"
	same "$(COLUMNS=50 NO_COLOR=1 nsq-plot -f text t)" "$(on_terminal "COLUMNS=50 NO_COLOR=1 nsq-plot t")"
	holds "$(nsq-plot t)" "<svg "
	holds "$(on_terminal "nsq-plot -f svg t")" "<svg "
}

@test "the page holds the picture and the rows of each table as they are, and shows amounts in units" {
	nsq-kernels -q "$COMPILE" > a.tsv
	nsq-nvtx -q -n 7 "$DDP" > b.tsv
	nsq-plot -y count -x name -o page.html a.tsv b.tsv
	python3 - a.tsv b.tsv <<-'END'
		import sys
		from html.parser import HTMLParser
		class Tables(HTMLParser):
		    tables, cell, value = [], None, None
		    def handle_starttag(self, tag, attrs):
		        if tag == "table": self.tables.append([])
		        elif tag == "tr": self.tables[-1].append([])
		        elif tag in ("td", "th"): self.cell, self.value = "", dict(attrs).get("data-is")
		    def handle_data(self, data):
		        if self.cell is not None: self.cell += data
		    def handle_endtag(self, tag):
		        if tag in ("td", "th"): self.tables[-1][-1].append(self.cell if self.value is None else self.value); self.cell = None
		page = Tables()
		page.feed(open("page.html", encoding="utf-8").read())
		assert len(page.tables) == 2
		for table, file in zip(page.tables, sys.argv[1:]):
		    assert table == [line.rstrip("\n").split("\t") for line in open(file, encoding="utf-8")], file
	END
	holds "$(cat page.html)" '<th class="number" data-is="total_ns">total</th>' "<td class=\"number\" data-is=\"$(col total_ns < a.tsv | head -1)\">"
	same "" "$(grep -oE '(src|href|url)[=(]["'\'']?https?:' page.html)"
}

# bats test_tags=long
@test "the same bytes whatever else, and -q says nothing" {
	nsq-kernels -q --each "$DDP" > t
	same "$(nsq-plot -q t | md5sum)" "$(nsq-plot -q - < t | md5sum)"
	nsq-kernels -q -f jsonl "$COMPILE" > a.jsonl
	nsq-kernels -q -f csv "$COMPILE" > a.csv
	nsq-kernels -q "$COMPILE" > a.tsv
	same "$(nsq-plot a.tsv)" "$(nsq-plot a.csv)"
	same "$(nsq-plot a.tsv)" "$(nsq-plot a.jsonl)"
	answers nsq-plot -q t
}
