# Push/pop ranges of two NVTX domains may overlap without nesting: a range that opens inside another may
# outlive it.  Work stands in the ranges that are open at its launch, whatever was open around them before.
#
#     time            0   10        50          100           200    300
#     outer (-)       [--------------------------------------------)
#     inner (-)           [----------------------)
#     crosser (B)                   [-------------------------)
#     late (-)                                     [150,160)
#     next (-)                                                    [300,400)
load ../helper
load ../small-traces

# crossing NAME: the trace of the picture; the kernels launched at 5, 20, 60, 120, 155 and 250 take 1, 10,
# 100, 1000, 10000 and 100000 ns, and their short name is the given one.
crossing() {
	made "INSERT INTO S VALUES (9, '$1'); INSERT INTO N VALUES (0, NULL, 75, 'B', $P5 + 5, NULL, 3), (0, 300, 59, 'outer', $P5 + 5, NULL, 0),
		(10, 100, 59, 'inner', $P5 + 5, NULL, 0), (50, 200, 59, 'crosser', $P5 + 5, NULL, 3), (150, 160, 59, 'late', $P5 + 5, NULL, 0),
		(300, 400, 59, 'next', $P5 + 5, NULL, 0);
		INSERT INTO R VALUES (5, 6, $P5 + 5, 1, 2), (20, 21, $P5 + 5, 2, 2), (60, 61, $P5 + 5, 3, 2), (120, 121, $P5 + 5, 4, 2), (155, 156, $P5 + 5, 5, 2),
			(250, 251, $P5 + 5, 6, 2);
		INSERT INTO K VALUES (1000, 1001, 0, 1, 7, 1, $P5, 9, 9), (2000, 2010, 0, 1, 7, 2, $P5, 9, 9), (3000, 3100, 0, 1, 7, 3, $P5, 9, 9),
			(4000, 5000, 0, 1, 7, 4, $P5, 9, 9), (10000, 20000, 0, 1, 7, 5, $P5, 9, 9), (100000, 200000, 0, 1, 7, 6, $P5, 9, 9)"
}

@test "the time of work goes to the range that is open and started last, and to all that are open" {
	t=$(crossing gemm)
	same "crosser 2 1100 11100
inner 1 10 110
late 1 10000 10000
next 0 0 0
outer 2 100001 111111" "$(nsq-nvtx -q "$t" | col name kernels gpu_ns gpu_incl_ns | sort | tr '\t' ' ')"
	same "outer inner crosser crosser late outer" "$(nsq-kernels -q --each "$t" | col nvtx | xargs)"
}

@test "each range: its own work, and as depth only the ranges that are open when it opens" {
	t=$(crossing gemm)
	same "outer 0 100001 111111
inner 1 10 110
crosser 2 1100 11100
late 2 10000 10000
next 0 0 0" "$(nsq-nvtx -q --each "$t" | col name depth gpu_ns gpu_incl_ns | tr '\t' ' ')"
	# in a window only what is open in it
	same "outer" "$(nsq-nvtx -q --each -w 210..240 "$t" | col name | xargs)"
	same "outer crosser" "$(nsq-nvtx -q --each -w 110..140 "$t" | col name | xargs)"
}

@test "a range that opens where another closes is not inside it" {
	t=$(crossing gemm)
	same "next" "$(nsq-nvtx -q --tree "$t" | where name next | col path)"
	same "outer > inner > crosser" "$(nsq-nvtx -q --tree "$t" | where name crosser | col path)"
}

# Only outer and inner have a label: what is launched in crosser has that of inner as long as it is open.
@test "labels by rules: the innermost open range that has one, before and after the range around it closes" {
	t=$(crossing ncclDevKernel)
	printf 'outer\tOUT\ninner\tIN\n' > "$BATS_TEST_TMPDIR/rules"
	same "OUT IN IN OUT OUT OUT" "$(nsq-overlap -q --each --rules "$BATS_TEST_TMPDIR/rules" --comm '^nccl' "$t" | col start_ns stage | sort -n | cut -f2 | xargs)"
	# in the other order of work: the later one first
	sqlite3 "$t" "UPDATE ${K}KERNEL SET start = 300000 - end, end = 300000 - start"
	same "OUT OUT OUT IN IN OUT" "$(nsq-overlap -q --each --rules "$BATS_TEST_TMPDIR/rules" --comm '^nccl' "$t" | col start_ns stage | sort -n | cut -f2 | xargs)"
}

@test "the range of a gap is one that is open in its middle and holds more than half of it" {
	# a gap from 120 to 220 on the GPU, launched from 240 on: crosser holds 80 of it, inner none, outer all
	t=$(crossing gemm)
	sqlite3 "$t" "DELETE FROM ${K}KERNEL WHERE correlationId NOT IN (1, 6); UPDATE ${K}KERNEL SET start = 100, end = 120 WHERE correlationId = 1;
		UPDATE ${K}KERNEL SET start = 220, end = 230 WHERE correlationId = 6; DELETE FROM NVTX_EVENTS WHERE text = 'late'"
	same "crosser" "$(nsq-gaps -q --each --min 0 "$t" | col nvtx)"
	sqlite3 "$t" "UPDATE NVTX_EVENTS SET end = 169 WHERE text = 'crosser'"
	same "outer" "$(nsq-gaps -q --each --min 0 "$t" | col nvtx)"
}
