# nsq-view's page in headless Chromium: it shows what the link asks for, and its numbers are those of the tools.
load ../helper
load ../small-traces
load ../browser

setup() {
	browser_or_skip
	TMP=$BATS_TEST_TMPDIR
	cd "$FIXTURES"
}

# page CHECK TRACE...: that check of view.py finds nothing wrong; few CHECK TRACE...: in some of what it could look at.
page() { same "" "$(python3 "$TESTS/browser/view.py" "$1" "$TMP" "${@:2}" 2>&1)"; }
few() { same "" "$(python3 "$TESTS/browser/view.py" few "$1" "$TMP" "${@:2}" 2>&1)"; }

# two_gpus: a trace in which half of a process's streams are on another GPU, as another number in another context.
two_gpus() {
	change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE streamId = 32;
		UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET deviceId = 1 WHERE rowid % 2;"
}

# far_calls: a trace with OS calls long before and after all else.
far_calls() {
	change "$FIXTURES/threads-sched.sqlite" "
		UPDATE OSRT_API SET start = 1000 WHERE rowid = (SELECT min(rowid) FROM OSRT_API);
		UPDATE OSRT_API SET end = 9000000000 WHERE rowid = (SELECT max(rowid) FROM OSRT_API);"
}

# adopted: a trace whose kernels a second thread launches while the main one fetches data.
adopted() {
	made "INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19) SELECT 1000 * i + 500, 1000 * i + 900, 0, 1, 7, i, $P5, 1, 1 FROM n;
		INSERT INTO R SELECT start - 50, start - 10, globalPid + 6, correlationId, 2 FROM K;
		INSERT INTO N SELECT start - 450, start - 100, 59, 'dataloader', globalPid + 5, NULL, 0 FROM K"
}

# bats test_tags=slow
@test "the link restores view, search and selection, and follows them; an odd one does no harm" {
	page link dualpipe-pp2ep2.sqlite
}

# bats test_tags=long
@test "it opens on the typical step, with the late rank in sight; without steps on the busy part" {
	page home collectives-rank{0..3}.sqlite
	page home_closed "$(made "INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
			SELECT 10000 * (i / 20) + 1000, 10000 * (i / 20) + 8000, 0, 1, 7, i, $P5 + 16777216 * (i % 20), 1, 1 FROM n;
		INSERT INTO R SELECT start - 500, start - 400, globalPid, correlationId, 2 FROM K;
		INSERT INTO N SELECT start - 600, start + 8000, 59, 'step ' || correlationId / 20, globalPid, NULL, 0 FROM K WHERE globalPid > $P5")" 6 \
		"$(made "INSERT INTO K VALUES (1000, 1100, 0, 1, 7, 1, $P5, 1, 1);
			INSERT INTO N VALUES (900, 1000, 59, 'a', $P5, NULL, 0), (900, 1000, 59, 'b', $P5 + 16777216, NULL, 0)")"
	page home_busy "$(made "INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) SELECT 500000 + 100 * i + i * i % 37, 500050 + 100 * i + i * i % 37, 0, 1, 7, i, $P5, 1, 1 FROM n;
		INSERT INTO K VALUES (1000, 1100, 0, 1, 7, 1000, $P5, 1, 1), (999000, 999100, 0, 1, 7, 1001, $P5, 1, 1)")" 500000 510000
}

# bats test_tags=long
@test "time outside the windows is hatched, in each row by its own side, and no other" {
	page hatch train.sqlite
}

# bats test_tags=slow
@test "search finds as many events of each kind as nsq-find" {
	few search threads-samples.sqlite
}

# bats test_tags=slow
@test "search finds as many events of each kind as nsq-find, in more of the fixtures" {
	page search dualpipe-pp2ep2.sqlite threads-samples.sqlite ddp-2rank.sqlite decode-graph-whole.sqlite
}

# bats test_tags=slow
@test "search counts characters as nsq-find does, and finds names of no character set" {
	page search "$(change "$COMPILE" "
		UPDATE StringIds SET value = 'k' || char(181) || 's' || char(10) || char(9731) WHERE id = (SELECT min(shortName) FROM CUPTI_ACTIVITY_KIND_KERNEL);
		UPDATE StringIds SET value = CAST(x'62ffc3' AS TEXT) WHERE id = (SELECT min(nameId) FROM CUPTI_ACTIVITY_KIND_RUNTIME);")"
}

# bats test_tags=slow
@test "what nsq-find refuses is not a regular expression, and one that takes too long is ended" {
	page refused "$(change "$FIXTURES/train.sqlite" "UPDATE StringIds SET value = replace(hex(zeroblob(20)), '00', 'aa') || 'b' WHERE id = (SELECT min(nameId) FROM CUPTI_ACTIVITY_KIND_RUNTIME)")"
}

# bats test_tags=slow
@test "n and p go through the matches in order of time, and round" {
	page hits decode-graph-nodes.sqlite
}

# bats test_tags=slow
@test "n and p visit each of the matches at one moment" {
	page ties "$(made "INSERT INTO K VALUES (100, 110, 0, 1, 7, 1, $P5, 1, 1), (100, 110, 0, 1, 8, 1, $P5, 1, 1);
		INSERT INTO N WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT 100 + i / 5 * 10, NULL, 34, 'm' || i, $P5, NULL, 0 FROM n;
		INSERT INTO N VALUES (90, 100, 59, 'before', $P5, NULL, 0), (100, 100, 59, 'a', $P5, NULL, 0), (100, 100, 59, 'b', $P5, NULL, 0)")"
}

# bats test_tags=slow
@test "a click shows what nsq-kernels --each, nsq-mem --each, nsq-find and nsq-gaps --each say of the event" {
	few details threads-samples.sqlite
}

# bats test_tags=slow
@test "a click shows what nsq-kernels --each, nsq-mem --each, nsq-find and nsq-gaps --each say of the event, in more of the fixtures" {
	page details dualpipe-pp2ep2.sqlite train-metrics.sqlite threads-samples.sqlite decode-graph-whole.sqlite
}

# bats test_tags=slow
@test "--captured: a replayed kernel, and a gap in a replay, are in the ranges around the capture" {
	few captured graph-capture.sqlite
}

# bats test_tags=slow
@test "--captured: many replayed kernels, and gaps in replays, are in the ranges around the capture" {
	page captured graph-capture.sqlite
}

# bats test_tags=slow
@test "an event that windows cut is described whole" {
	few cut_details threads-copies.sqlite
}

# bats test_tags=slow
@test "many events that windows cut are described whole" {
	page cut_details threads-copies.sqlite
}

# bats test_tags=slow
@test "random selections: busy, idle, causes and kernels are those of nsq-gaps and nsq-kernels" {
	few sums dualpipe-pp2ep2.sqlite decode-graph-whole.sqlite
}

# bats test_tags=slow
@test "twenty random selections: busy, idle, causes and kernels are those of nsq-gaps and nsq-kernels" {
	page sums dualpipe-pp2ep2.sqlite decode-graph-nodes.sqlite decode-graph-whole.sqlite
}

# bats test_tags=slow
@test "random selections of other traces: two GPUs, copies" {
	few sums "$(two_gpus)" threads-copies.sqlite
}

# bats test_tags=slow
@test "twenty random selections of other traces: two GPUs, copies, metrics, lost events" {
	page sums "$(two_gpus)" threads-copies.sqlite train-metrics.sqlite ddp-2rank.sqlite
}

# bats test_tags=slow
@test "OS calls and samples beyond all CUDA and NVTX events: they are shown, and count as no idle time" {
	few beyond threads-copies.sqlite "$(far_calls)"
}

# bats test_tags=long
@test "the sums of a selection are those of the commands printed beside them: inside, at the edges, across windows, of some processes, with --adopt" {
	t=$(adopted)
	holds "$(nsq-gaps --by cause --adopt "$t")" data
	lacks "$(nsq-gaps --by cause "$t")" data
	few commands "$(far_calls)" "$t" train.sqlite "$(two_gpus)"
	few commands_together collectives-rank0.sqlite collectives-rank1.sqlite
	page many_windows train.sqlite
}

# bats test_tags=slow
@test "the sums of a selection are those of the commands printed beside them, in more of the fixtures" {
	page commands dualpipe-pp2ep2.sqlite decode-graph-nodes.sqlite graph-capture.sqlite threads-copies.sqlite train-metrics.sqlite ddp-2rank.sqlite torch-compile.sqlite
	page commands_together dualpipe-pp2ep2.sqlite decode-graph-nodes.sqlite
}

# bats test_tags=slow
@test "the sums of a selection are taken once" {
	page once dualpipe-pp2ep2.sqlite
}

# bats test_tags=slow
@test "a crowded line: its sums are exact, and the event under the pointer is one that is open there" {
	t=$(crowded)
	few sums "$t"
	page cuts "$t"
	page crowd "$t"
}

# bats test_tags=slow
@test "several traces in a page: a section for each, and the sums of each" {
	few together collectives-rank0.sqlite collectives-rank1.sqlite
}

# bats test_tags=slow
@test "twenty random selections: calls beyond all events, a crowded line, several traces" {
	page beyond threads-copies.sqlite "$(far_calls)"
	page sums "$(crowded)"
	page together dualpipe-pp2ep2.sqlite decode-graph-nodes.sqlite
	page together collectives-rank0.sqlite collectives-rank1.sqlite
}

# bats test_tags=slow
@test "several windows: what is outside them is neither shown nor counted" {
	few windows dualpipe-pp2ep2.sqlite
}

# bats test_tags=slow
@test "several windows: what is outside them is neither shown nor counted, in more of the fixtures" {
	page windows dualpipe-pp2ep2.sqlite
	page windows decode-graph-nodes.sqlite
}

# bats test_tags=slow
@test "windows that cut kernels and gaps, some of them twice: the sums are those of --merge" {
	page cuts dualpipe-pp2ep2.sqlite
}

# bats test_tags=slow
@test "counters are the values of nsq-metrics and nsq-mem --usage" {
	page counters train-metrics.sqlite train-allocs.sqlite
}

# bats test_tags=slow
@test "pointing at a curve says its value, with the unit" {
	page values train-metrics.sqlite train-allocs.sqlite
}

# bats test_tags=slow
@test "every event leaves a pixel at any zoom, and no pixel is without one; most of the time decides its colour" {
	page pixels dualpipe-pp2ep2.sqlite
}

# bats test_tags=slow
@test "texts stay inside their events" {
	page texts "$(made "INSERT INTO S VALUES (10, 'WWWWWWWWWWWWWWWWWWWWWWWWWWWW'), (11, 'iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii'), (12, 'MWMW'), (13, 'llil'), (14, 'gemm_128x128_kernel');
		INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
		SELECT i * 500, i * 500 + 20 + i * 37 % 460, 0, 1, 7, i, $P5, 10 + i % 5, 10 + i % 5 FROM n")"
}

# bats test_tags=slow
@test "keys do what the help says" {
	page keys dualpipe-pp2ep2.sqlite
}

# bats test_tags=slow
@test "x goes through the findings, and a click explains one" {
	page findings train.sqlite
}

# bats test_tags=slow
@test "a page of more events than it may hold says where they are not kept, and its typical step is whole" {
	page thinned train.sqlite
}

# bats test_tags=slow
@test "the wheel scrolls, with Ctrl it zooms about the pointer, a drag moves, with shift it selects" {
	page mouse dualpipe-pp2ep2.sqlite
}

# bats test_tags=long
@test "a line with the time follows the pointer, and a double click zooms to an event" {
	page pointer train.sqlite
}

# bats test_tags=long
@test "rows are filtered, hidden and pinned, and the link restores that" {
	page some_rows train.sqlite
}

# bats test_tags=slow
@test "deep rows and threads of several processes are closed until something in them is chosen" {
	page folds ddp-2rank.sqlite
}

# bats test_tags=long
@test "a click on the legend highlights a class" {
	page highlight train.sqlite
}

# bats test_tags=long
@test "help is above all else, the panel below the timeline, the selection behind the events; severities differ in shape" {
	page layers train.sqlite
}

# bats test_tags=long
@test "the table lists the longest events in view, is sorted, copied, and linked both ways with the timeline" {
	page table train.sqlite
}

# bats test_tags=slow
@test "two fingers zoom, and one of them may go on alone; one finger selects with the button Select" {
	page fingers dualpipe-pp2ep2.sqlite
}

# bats test_tags=slow
@test "by keyboard alone: everything has a name and is reached, focus is visible, branches open and close" {
	page access dualpipe-pp2ep2.sqlite
}

# bats test_tags=more,long
@test "at the width of a phone nothing is cut off or scrolls sideways" {
	page phone $(first_few 1 threads-samples.sqlite train-metrics.sqlite)
}

# bats test_tags=slow
@test "light and dark" {
	page themes train.sqlite
}

# bats test_tags=slow
@test "colours stand out from the background, light and dark" {
	page contrast train.sqlite
}

# bats test_tags=slow
@test "a category of kernels has one colour, and each another" {
	page colours train.sqlite
}

# bats test_tags=slow
@test "a legend lists the colours in sight" {
	page legend train.sqlite
}

# categories LAST: a page of as many categories of kernels as there are numbers from 1000 to LAST.
categories() {
	t=$(made "INSERT INTO S WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < $1) SELECT i, 'k' || i || 'k' FROM n;
		INSERT INTO K SELECT 1000 * (id - 1000) + 500, 1000 * (id - 1000) + 900, 0, 1, 7, id, $P5, id, id FROM S WHERE id >= 1000;
		INSERT INTO R SELECT start - 400, start - 300, $P5, correlationId, 2 FROM K;
		INSERT INTO R SELECT max(end) - 910, max(end) - 880, $P5, 1, 4 FROM K;
		INSERT INTO N SELECT 200000, 300000, 59, 'range', $P5, NULL, 0; INSERT INTO N SELECT 200000, NULL, 34, 'mark', $P5, NULL, 0")
	for ((i = 1000; i <= $1; i++)); do printf 'k%dk\tc%d\n' "$i" "$i"; done > "$TMP/rules"
	page many "$t" "$TMP/rules"
}

# bats test_tags=slow
@test "hundreds of categories: causes and classes stay what they are" {
	categories 1199
}

# bats test_tags=slow
@test "a thousand categories: causes and classes stay what they are" {
	categories 2199
}

# bats test_tags=long
@test "hostile names are text: nothing runs" {
	page hostile "$(change "$COMPILE" "
		UPDATE StringIds SET value = '</script><script>window.hacked = 1</script><!--' WHERE id = (SELECT shortName FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1);
		UPDATE StringIds SET value = '<img src=x onerror=\"window.hacked = 1\">' WHERE id = (SELECT max(nameId) FROM CUPTI_ACTIVITY_KIND_RUNTIME);
		UPDATE StringIds SET value = CAST(x'626164ffc36279746573' AS TEXT) WHERE id = (SELECT min(nameId) FROM CUPTI_ACTIVITY_KIND_RUNTIME);
		UPDATE NVTX_EVENTS SET text = 'line' || char(8232) || char(10) || '\"\\', textId = NULL;")"
}
