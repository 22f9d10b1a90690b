# Rows in unusual states: ids that do not fit, calls and labels at one moment, work of no process, ranges
# never closed.  A trace of a few rows is made for each, so that the answer can be worked out by hand.
load ../helper
load ../small-traces

setup_file() { make_tiny "$BATS_FILE_TMPDIR/tiny.sqlite"; }
setup() { TINY=$BATS_FILE_TMPDIR/tiny.sqlite; }

@test "of several calls with one correlation id the first launched the work" {
	t=$(change "$TINY" "INSERT INTO ${K}RUNTIME VALUES (90, 95, 0, 10 << 24 | 11, 1, 5, 0), (700, 710, 0, 10 << 24 | 11, 2, 5, 0)")
	same "90 200" "$(nsq-kernels --each -p 10 "$t" | col start_ns launch_ns | awk '$1 == 1000 || $1 == 1500 { print $2 }' | xargs)"
}

@test "a range never closed ends with its process" {
	same "900" "$(nsq-nvtx --exact "$TINY" | where name "step 2" | col cpu_ns)"
	t=$(change "$TINY" "UPDATE NVTX_EVENTS SET end = NULL WHERE eventType IN (59, 60)")
	survives "$t"
	same "9850" "$(nsq-nvtx --exact "$t" | where name "forward chunk 0 (phase0) backward chunk 1 (phase1)" | col cpu_ns)"
}

@test "two calls of one id that start at once: the lower thread's launched it" {
	t=$(made "INSERT INTO K VALUES (20, 50, 0, 1, 7, 2, $P5, 1, 1), (150, 180, 0, 1, 7, 1, $P5, 1, 1);
		INSERT INTO R VALUES (10, 12, $P5 + 5, 2, 2), (100, 200, $P5 + 9, 1, 2), (100, 110, $P5 + 5, 1, 2)")
	same "100 host" "$(nsq-gaps -q --each --min 0 "$t" | where start_ns 50 | col dur_ns cause | tr '\t' ' ')"
}

@test "a synchronizing call inside the tenth call of a thread" {
	t=$(made "INSERT INTO K VALUES (50, 150, 0, 1, 7, 1, $P5, 1, 1), (400, 450, 0, 1, 7, 7, $P5, 1, 1);
		INSERT INTO R VALUES (0, 5, $P5 + 5, 1, 5), (10, 15, $P5 + 5, 11, 5), (20, 25, $P5 + 5, 12, 5), (30, 35, $P5 + 5, 13, 5), (40, 45, $P5 + 5, 14, 5),
			(50, 55, $P5 + 5, 15, 5), (60, 65, $P5 + 5, 16, 5), (70, 75, $P5 + 5, 17, 5), (80, 85, $P5 + 5, 18, 5),
			(100, 300, $P5 + 5, 19, 3), (110, 290, $P5 + 5, 20, 4), (310, 320, $P5 + 5, 7, 2)")
	same "250 250" "$(nsq-gaps -q "$t" | col idle_ns synced_ns | tr '\t' ' ')"
}

@test "ids far apart, equal in their low half" {
	far=$(((1 << 33) + 5)) below=$((5 - (1 << 35)))
	t=$(made "INSERT INTO K VALUES (300, 310, 0, 1, 7, 5, $P5, 1, 1), (320, 330, 0, 1, 7, $far, $P5, 1, 1), (340, 350, 0, 1, 7, $below, $P5, 1, 1);
		INSERT INTO R VALUES (100, 101, $P5 + 5, 5, 2), (200, 201, $P5 + 5, $far, 2), (250, 251, $P5 + 5, $below, 2)")
	same "100 200 250" "$(nsq-kernels -q --each "$t" | col launch_ns | xargs)"
	same "100.00" "$(nsq-setup -q "$t" | col launched_pct)"
}

@test "an id that does not fit in a later table" {
	t=$(made "INSERT INTO K VALUES (300, 310, 0, 1, 7, 1, $P5, 1, 1), (320, 330, 0, 1, 7, 2, $P5, 1, 1);
		INSERT INTO C VALUES (340, 350, 0, 1, 7, $(((1 << 40) + 1)), $P5, 4, 1);
		INSERT INTO R VALUES (100, 101, $P5 + 5, 1, 2), (150, 151, $P5 + 5, 2, 2), (200, 201, $P5 + 5, $(((1 << 40) + 1)), 3)")
	same "100 150 200" "$(nsq-kernels -q --work all --each "$t" | col launch_ns | xargs)"
}

@test "names of calls by ids above 2^32" {
	t=$(made "INSERT INTO S VALUES ($(((1 << 32) + 2)), 'cudaFree'); INSERT INTO R VALUES (1, 2, $P5 + 5, 1, 2), (3, 4, $P5 + 5, 2, $(((1 << 32) + 2)))")
	same "cudaFree 1 cudaLaunchKernel 1" "$(nsq-api -q "$t" | col name count | sort | xargs)"
}

@test "work without globalPid is of the first process that makes calls, else of the first there is" {
	t=$(made "INSERT INTO K VALUES (300, 310, 0, 1, 7, 1, NULL, 1, 1), (320, 330, 0, 1, 7, 2, NULL, 1, 1);
		INSERT INTO R VALUES (100, 101, $P6 + 6, 1, 2), (150, 151, $P5 + 5, 1, 2), (10, 11, $P6 + 6, 3, 2); INSERT INTO N VALUES (1, 2, 59, 'x', $((4 << 24)), NULL, 0)")
	same "4 0,5 2,6 0" "$(nsq-setup -q "$t" | col pid kernels | tr '\t\n' ' ,' | sed 's/,$//')"
	same "150 -" "$(nsq-kernels -q --each "$t" | col launch_ns | xargs)"
	t=$(made "INSERT INTO K VALUES (300, 310, 0, 1, 7, 1, NULL, 1, 1), (320, 330, 0, 1, 7, 2, $P6, 1, 1), (340, 350, 0, 1, 7, 3, $P5, 1, 1)")
	same "5 300 350 20,6 320 330 10" "$(nsq-gaps -q "$t" | col pid start_ns end_ns busy_ns | tr '\t\n' ' ,' | sed 's/,$//')"
	t=$(made "INSERT INTO K VALUES (300, 310, 0, 1, 7, 1, NULL, 1, 1); INSERT INTO N VALUES (1, 2, 59, 'x', $P6 + 6, NULL, 0)")
	same "6 1" "$(nsq-setup -q "$t" | col pid kernels | tr '\t' ' ')"
}

@test "labels of one moment: the lowest rank, then the first in order; whichever row comes first" {
	a="(10, 11, 59, 'rank=3; pp=0/1; x', $P5 + 5, NULL, 0)" b="(10, 11, 59, 'rank=1; pp=1/1; x', $P5 + 5, NULL, 0)" c="(10, 11, 59, NULL, $P5 + 5, 9, 0)"
	for order in "$a,$b,$c" "$c,$b,$a" "$b,$c,$a"; do
		t=$(made "INSERT INTO S VALUES (9, 'rank=1; pp=0/1; y'); INSERT INTO N VALUES $order")
		same "1 pp=0/1 y" "$(nsq-setup -q "$t" | col rank mesh run | tr '\t' ' ')"
	done
}

@test "a label by its id holds from its first event, wherever that stands" {
	t=$(made "INSERT INTO S VALUES (9, 'rank=2; a; b'); INSERT INTO N VALUES (500, 510, 59, NULL, $P5 + 5, 9, 0), (100, 110, 59, 'rank=7; a; b', $P5 + 5, NULL, 0), (10, 20, 59, NULL, $P5 + 5, 9, 0)")
	same "2" "$(nsq-setup -q "$t" | col rank)"
}

@test "a domain without a name" {
	t=$(made "INSERT INTO N VALUES (0, NULL, 75, NULL, $P5 + 5, NULL, 3); INSERT INTO R VALUES (1, 2, $P5 + 5, 1, 2)")
	same "1" "$(nsq-api -q "$t" | col count)"
}

@test "two names of one domain, and of one thread, at one moment: the last in order" {
	d="(0, NULL, 75, 'A', $P5 + 5, NULL, 3), (0, NULL, 39, 'one', $P5 + 5, NULL, 0)" e="(0, NULL, 75, 'B', $P5 + 5, NULL, 3), (0, NULL, 39, 'two', $P5 + 5, NULL, 0)"
	for order in "$d,$e" "$e,$d"; do
		t=$(made "INSERT INTO N VALUES $order, (10, 20, 59, 'x', $P5 + 5, NULL, 3); INSERT INTO R VALUES (1, 2, $P5 + 5, 1, 2)")
		same "B" "$(nsq-nvtx -q "$t" | where name x | col domain)"
		same "two" "$(nsq-api -q --by thread "$t" | col thread)"
	done
}

@test "work that overlaps on its stream is busy once; work of no length at the very end counts" {
	t=$(made "INSERT INTO K VALUES (0, 100, 0, 1, 7, 1, $P5, 1, 1), (50, 120, 0, 1, 7, 2, $P5, 1, 1), (120, 120, 0, 1, 7, 3, $P5, 1, 1)")
	same "3 120 121" "$(nsq-streams -q "$t" | col kernels busy_ns end_ns | tr '\t' ' ')"
}

@test "a mark is an event: it ends the process, and a range that was never closed" {
	t=$(made "INSERT INTO N VALUES (10, 20, 59, 'x', $P5 + 5, NULL, 0), (15, NULL, 59, 'open', $P5 + 5, NULL, 0), (500, NULL, 34, 'mark', $P5 + 5, NULL, 0)")
	same "10 500" "$(nsq-setup -q "$t" | col start_ns end_ns | tr '\t' ' ')"
	same "485" "$(nsq-nvtx -q "$t" | where name open | col cpu_ns)"
}

@test "calls without an end column take no time, in any order of rows" {
	t=$(made "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999) INSERT INTO R SELECT 10000 - 10 * i, 0, $P5 + 5, i, 2 FROM n; ALTER TABLE R DROP COLUMN end; VACUUM")
	same "1000 0" "$(nsq-api -q "$t" | col count total_ns | tr '\t' ' ')"
}

@test "a kernel without a full name has its short one" {
	t=$(made "INSERT INTO S VALUES (8, 'void gemm<float>(int)'); INSERT INTO K VALUES (0, 10, 0, 1, 7, 1, $P5, NULL, 1), (20, 40, 0, 1, 7, 2, $P5, 99, 1), (50, 60, 0, 1, 7, 3, $P5, 8, 1)")
	same "gemm 2,void gemm<float>(int) 1" "$(nsq-kernels -q --full "$t" | col name count | tr '\t\n' ' ,' | sed 's/,$//')"
	same "gemm 3" "$(nsq-kernels -q --by category "$t" | col category count | tr '\t' ' ')"
}

@test "devices and streams with the largest numbers there are" {
	most=9223372036854775807
	t=$(made "INSERT INTO K VALUES (0, 10, $most, $most, $most, 1, $P5, 1, 1), (20, 30, $most, -$most, -$most, 2, $P5, 1, 1)")
	same "$most -$most -$most,$most $most $most" "$(nsq-streams -q "$t" | col gpu ctx stream | tr '\t\n' ' ,' | sed 's/,$//')"
}

# A row from before a column was added is short.  Here the first byte of its values, 9 of 0x0905, is what the
# type of the missing one is in the whole row that is read before it.
@test "rows written before a column was added" {
	long="printf('%.70c', 'x')"
	t=$(made "CREATE TABLE W (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, note TEXT);
		INSERT INTO W (rowid, start, end, globalTid, nameId, note) VALUES (1000, $((0x0905)), 2400, $P5 + 5, 2, $long);
		ALTER TABLE W ADD COLUMN correlationId INTEGER; INSERT INTO W (rowid, start, end, globalTid, nameId, note, correlationId) VALUES (1, 3000, 3100, $P5 + 5, 2, $long, 1);
		DROP TABLE R; ALTER TABLE W RENAME TO R; INSERT INTO K VALUES (4000, 4100, 0, 1, 7, 1, $P5, 1, 1)")
	same "2 191" "$(nsq-api -q "$t" | col count total_ns | tr '\t' ' ')"
	same "3000" "$(nsq-kernels -q --each "$t" | col launch_ns)"
}
