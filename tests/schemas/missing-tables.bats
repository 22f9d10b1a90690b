# Traces in which something was not captured, or nothing at or after time 0: what can be answered is, and
# the rest names the flag of nsys that captures it.
load ../helper

# without_tables PATTERN...: a copy of a fixture without the tables whose names match.
without_tables() {
	local drops=() p
	for p; do drops+=("$(drop_tables "$COPIES" "$p")"); done
	change "$COPIES" "${drops[@]}"
}

# lines_of N: the last run printed N lines on stdout, and succeeded.
lines_of() { same "0 $1" "$status ${#lines[@]}"; }

@test "without NVTX: what needs no ranges is answered, -m and --list name the flag" {
	t=$(without_tables 'NVTX_*')
	answers nsq-window -q "$t"
	same "process" "$(col rule <<<"$output")"
	answers nsq-streams "$t"
	same "$(nsq-streams "$COPIES" | without trace)" "$(without trace <<<"$output")"
	answers nsq-setup "$t"
	same "0" "$(col ranges <<<"$output")"
	fails 3 "$t" "NVTX" "nsys profile --trace=" "nvtx" -- nsq-window -m step "$t"
	fails 3 "$t" "NVTX" "nsys profile --trace=" "nvtx" -- nsq-window --list "$t"
}

@test "without NVTX communication stands under -" {
	t=$(change "$DUALPIPE" "$(drop_tables "$DUALPIPE" 'NVTX_*')")
	answers nsq-overlap -q "$t"
	same "-
serial:-" "$(col stage <<<"$output" | sort -u)"
	same "$(nsq-overlap "$DUALPIPE" | sum kernels comm_ns hidden_ns)" "$(sum kernels comm_ns hidden_ns <<<"$output")"
}

@test "without kernels: a missing table beside others of its kind is an empty one" {
	t=$(without_tables 'CUPTI_ACTIVITY_KIND_KERNEL')
	mentions "no communication kernel" -- nsq-overlap "$t"
	lines_of 1
	answers nsq-streams "$t"
	same "copy" "$(col class <<<"$output" | sort -u)"
	answers nsq-setup "$t"
	same "0" "$(col kernels <<<"$output")"
	answers nsq-overlap -q --total "$t"
	same "0" "$(col compute_ns <<<"$output")"
}

@test "without API calls: work is counted, and nothing is known of its launch" {
	t=$(change "$DUALPIPE" "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME")
	run --separate-stderr nsq-setup -q "$t"
	same "0 -" "$status $(col launched_pct <<<"$output" | sort -u)"
	same "$(nsq-setup "$DUALPIPE" | col kernels)" "$(col kernels <<<"$output")"
	run --separate-stderr nsq-overlap -q "$t"
	same "-
serial:-" "$(col stage <<<"$output" | sort -u)"
	run --separate-stderr nsq-streams -q "$t"
	same "-" "$(col purpose <<<"$output" | sort -u)"
}

@test "without CUDA: exit 3 names the flag" {
	t=$(without_tables 'CUPTI_*')
	for tool in nsq-streams nsq-overlap nsq-window "nsq-overlap --total" "nsq-overlap --each"; do
		fails 3 "$t" "CUDA" "nsys profile --trace=" "cuda" -- $tool "$t"
	done
	run --separate-stderr nsq-setup "$t"
	same "0 475 - 0 49" "$status $(col pid gpus kernels ranges <<<"$output" | tr '\t' ' ')"
}

@test "without CUDA ranges can still be matched, at their CPU times" {
	t=$(without_tables 'CUPTI_*')
	run --separate-stderr nsq-window -m '^step$' --pick first "$t"
	same "0" "$status"
	same "$(ask "$t" "SELECT a, b FROM ranges WHERE name = 'step' ORDER BY a LIMIT 1")" "$(col start_ns end_ns <<<"$output")"
	answers nsq-window -q -q --list "$t"
	same "$(ask "$t" "SELECT name, count(*) FROM ranges GROUP BY name ORDER BY name")" "$(col name count <<<"$output")"
}

@test "without CUDA and NVTX nobody is in the trace: exit 3" {
	t=$(without_tables 'CUPTI_*' 'NVTX_*')
	for tool in nsq-setup nsq-streams nsq-overlap nsq-window; do
		fails 3 "$t" "nsys profile --trace=" -- $tool "$t"
	done
}

@test "a trace whose events all precede time 0 has no rows" {
	t=$(change "$COMPILE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -9, end = -8; UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = -9, end = -8;
		UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = -9, end = -8; UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = -9, end = -8;
		UPDATE NVTX_EVENTS SET start = -9, end = -8")
	for tool in nsq-setup nsq-streams nsq-overlap nsq-window; do
		mentions "$t" "no rows" -- $tool "$t"
		lines_of 1
	done
}

@test "events that start before time 0 are left out, everywhere" {
	t=$(change "$COMPILE" "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 3;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -5, end = 90000000 WHERE rowid > (SELECT max(rowid) - 3 FROM CUPTI_ACTIVITY_KIND_KERNEL)")
	for tool in nsq-setup nsq-streams "nsq-overlap --total" "nsq-window --pick all"; do
		same "$($tool "$COMPILE" | without trace)" "$($tool "$t" | without trace)"
	done
}
