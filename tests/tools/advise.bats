# nsq-advise: faults are planted in copies of real traces, at two sizes.  The finding about each comes first of those by
# which something can be won, and what it says would be won is what tests/advise_oracle.py says, which shares no code with nsq.
load ../helper

TRAIN=$FIXTURES/train.sqlite
RANKS=("$FIXTURES"/collectives-rank{0,1,2,3}.sqlite)

# planted NAME WHAT [SIZE] [FROM]: a copy of train.sqlite, or of another trace, with that fault.
planted() {
	python3 "$TESTS/advise_plant.py" "${4:-$TRAIN}" "$BATS_TEST_TMPDIR/$1.sqlite" "$2" "${3:-0}"
	echo "$BATS_TEST_TMPDIR/$1.sqlite"
}

# top TRACE... [OPTION...]: recover_ns and the beginning of the finding, of the first by which something can be won.
top() { nsq-advise -q "$@" | col recover_ns finding | awk -F '\t' '$1 != "-" { sub(/:.*/, "", $2); print $1 " " $2; exit }'; }

# all TRACE... [OPTION...]: the beginnings of all findings, however small.
all() { nsq-advise -q --min-pct 0 "$@" | col finding | sed 's/:.*//'; }

# oracle WHAT TRACE [OPTION...]: what it says of the steps.
oracle() { nsq-window -q --pick all --steady --period "${@:3}" "$2" | python3 "$TESTS/advise_oracle.py" "$1" "$2"; }

# found WHAT FINDING SMALL LARGE GROWTH: the fault is planted at two sizes and found first, with what the oracle says.
found() {
	local small large
	small=$(planted small "$1" "$3" "${6-}")
	large=$(planted large "$1" "$4" "${6-}")
	for t in "$small" "$large"; do same "$(oracle "$1" "$t") $2" "$(top "$t")"; done
	same "$5" "$(($(top "$large" | cut -d' ' -f1) - $(top "$small" | cut -d' ' -f1)))"
}

@test "allocation in every step" {
	lacks "$(all "$TRAIN")" "allocation"
	found malloc "allocation in the loop" 6000000 9000000 3000000
	holds "$(nsq-advise -q "$BATS_TEST_TMPDIR/large.sqlite" | col finding)" "mostly in cudaMalloc"
	# a call that begins while the GPU still runs counts from the moment on at which it is idle
	sqlite3 "$BATS_TEST_TMPDIR/large.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start - 1500 WHERE end - start = 9000000"
	same "$(oracle malloc "$BATS_TEST_TMPDIR/large.sqlite") allocation in the loop" "$(top "$BATS_TEST_TMPDIR/large.sqlite")"
}

# bats test_tags=slow
@test "what runs at once, on two threads or two streams, is counted once, and evidence shows that" {
	found mallocs "allocation in the loop" 6000000 9000000 3000000
	runs "$(nsq-advise -q "$BATS_TEST_TMPDIR/large.sqlite")"
	found loads "module loading in the steady state" 42000000 54000000 2000000
	runs "$(nsq-advise -q "$BATS_TEST_TMPDIR/large.sqlite")"
	found copies "copies from or to pageable memory on the step's path" 6000000 9000000 3000000
	runs "$(nsq-advise -q "$BATS_TEST_TMPDIR/large.sqlite")"
}

@test "a synchronization in the loop" {
	lacks "$(all "$COMPILE")" "synchronizing"
	found sync "synchronizing in the loop" 6000000 9000000 3000000
}

# no_steps TRACE: without ranges, and with kernels that do not repeat.
no_steps() {
	sqlite3 "$1" "DELETE FROM NVTX_EVENTS; INSERT INTO StringIds SELECT 1000000000 + rowid, 'k' || rowid FROM CUPTI_ACTIVITY_KIND_KERNEL;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = 1000000000 + rowid, demangledName = 1000000000 + rowid"
	same process "$(nsq-window -q "$1" | col rule)"
}

# bats test_tags=slow
@test "without steps synchronizing and allocation are found, but not in a loop; what the synced time is by is named" {
	for cause in sync memory; do
		t=$(planted $cause sync 6000000)
		# most of the time in another call, after the wait
		[ $cause = sync ] || sqlite3 "$t" "INSERT INTO StringIds SELECT max(id) + 1, 'cudaHostAlloc_v3020' FROM StringIds;
			CREATE TEMP TABLE c AS SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE end - start = 6001000;
			UPDATE c SET start = start + 2000, correlationId = correlationId + 1000000, nameId = (SELECT max(id) FROM StringIds);
			UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = start + 2000 WHERE end - start = 6001000; INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT * FROM c"
		same "$(nsq-window -q --pick all --steady --period "$t" | nsq-gaps -q --by cause | col cause synced_ns | awk -F '\t' '{ s[$1] += $2 }
			END { for (c in s) if (s[c] > most) { most = s[c]; at = c } print at }')" $cause
		holds "$(nsq-advise -q "$t" | col finding)" "synchronizing in the loop: the CPU waits for the GPU, and then the GPU for the CPU, mostly by '$cause', mostly in '"
	done
	no_steps "$t"
	run -0 --separate-stderr nsq-advise "$t"
	holds "$output" "synchronizing: the CPU waits for the GPU, and then the GPU for the CPU, mostly by 'memory', mostly outside all ranges; assumes"
	lacks "$output" "in the loop"
	sqlite3 "$t" "DROP TABLE NVTX_EVENTS"
	holds "$(nsq-advise -q "$t")" "mostly by 'memory'; assumes"
	t=$(planted malloc mallocs 6000000)
	no_steps "$t"
	same "$(nsq-window -q --pick all "$t" | python3 "$TESTS/advise_oracle.py" malloc "$t") allocation" "$(nsq-advise -q "$t" | col recover_ns finding | grep allocation | sed 's/:.*//' | tr '\t' ' ')"
	holds "$(nsq-advise -q "$t" | grep allocation)" "once, before the GPU is needed"
	runs "$(nsq-advise -q "$t")"
}

# bats test_tags=slow
@test "code that is loaded in step 3" {
	lacks "$(all "$TRAIN")" "module loading"
	found load "module loading in the steady state" 42000000 54000000 2000000
	# what loading explains is not said again of the long step
	lacks "$(all "$BATS_TEST_TMPDIR/large.sqlite")" "one step takes"
}

# bats test_tags=slow
@test "pageable copies on the step's path" {
	lacks "$(all "$COMPILE")" "pageable"
	found copy "copies from or to pageable memory on the step's path" 6000000 9000000 3000000
	holds "$(nsq-advise -q "$BATS_TEST_TMPDIR/small.sqlite" | col finding)" "assumes that the copies could take no time, or run beside kernels"
	# a kernel that runs meanwhile hides them, and pinned ones are none
	sqlite3 "$BATS_TEST_TMPDIR/small.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET srcKind = 1 WHERE srcKind = 0;
		UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET dstKind = 1 WHERE dstKind = 0"
	lacks "$(all "$BATS_TEST_TMPDIR/small.sqlite")" "pageable"
}

@test "one step that takes twice as long, or three times; a healthy trace has nothing worth 2 % of a step" {
	healthy=$(planted healthy squeeze)
	run -0 --separate-stderr nsq-advise "$healthy"
	same 0 "$(count <<<"$output")"
	same "nsq-advise: nothing that was looked for is worth 2 % of a step or more" "$(grep 'looked for' <<<"$stderr")"
	lacks "$(all "$healthy")" "one step takes"
	step=$(nsq-window -q --pick 3 --period "$healthy" | col dur_ns)
	median=$(nsq-window -q --stats --steady "$healthy" | col period_p50_ns)
	found long "one step takes far longer than the others" 2 3 $(((3 * step - median) / 7 - (2 * step - median) / 7)) "$healthy"
	holds "$(nsq-advise -q "$BATS_TEST_TMPDIR/small.sqlite" | col finding)" "'step 3#3' 2.00 times the median, mostly by more compute; assumes"
	# steps that are repeats of kernels may be layers, of which one is often longer
	t=$(change "$BATS_TEST_TMPDIR/large.sqlite" "DELETE FROM NVTX_EVENTS")
	same repeat "$(nsq-window -q "$t" | col rule)"
	lacks "$(all "$t")" "one step takes"
}

# long_of TRACE [OPTION...]: the finding about a long step, up to what it assumes, and what is advised.
long_of() { nsq-advise -q --min-pct 0 "$@" | col finding advice | grep -e '^one step' -e '^a long time' | sed "s/; assumes[^$TAB]*//"; }

# bats test_tags=slow
@test "a long step: what it has more of, how many there are, and what follows from that" {
	holds "$(long_of "$(planted idle malloc3 20000000)")" "one step takes far longer than the others: 'step 3#3@" "mostly by idle time$TAB" "what the CPU does"
	same "$(oracle long "$BATS_TEST_TMPDIR/idle.sqlite")" "$(nsq-advise -q "$BATS_TEST_TMPDIR/idle.sqlite" | grep 'one step takes' | cut -f7)"
	holds "$(long_of "$(planted copies copy3 20000000)")" "mostly by copies alone$TAB" "only this step copies"
	holds "$(long_of "$(planted both copy3 20000000 "$(planted loads load 42000000)")")" "mostly by copies alone, besides the loading of code$TAB"
	holds "$(long_of "$(planted compute long 3 "$(planted healthy squeeze)")")" "mostly by more compute$TAB" "only this step computes"
	# its kernels are as long as those of other steps, but for those of NCCL
	n=$(nsq-window -q --pick all --steady --period "${RANKS[1]}" | col dur_ns | sort -n | awk '{ d[NR] = $1 } END { for (i in d) n += 2 * d[i] >= 3 * d[int((NR + 1) / 2)]; print n " of " NR }')
	holds "$(long_of "${RANKS[1]}")" "mostly by communication alone ($n steps take 1.5 times the median or longer)$TAB" "nsq-nccl --stragglers"
}

@test "time between a step and the next is not said to be in the step" {
	holds "$(long_of -m '^decode step$' "$NODES")" "a long time between two steps: 'decode step#39@" "the time lies between this step and the next, not in the step"
	# 20 ms after the last work of step 3, and 20 ms in the middle of it
	read -r a b < <(nsq-window -q --pick 3 "$TRAIN" | col start_ns end_ns)
	t=$(planted between at 20000000 "$TRAIN" <<<"$b")
	holds "$(long_of "$t")" "a long time between two steps: 'step 3#3@" "mostly by idle time" "between the two steps"
	same "$(oracle long "$t")" "$(nsq-advise -q "$t" | grep 'a long time between' | cut -f7)"
	runs "$(nsq-advise -q "$t")"
	holds "$(long_of "$(planted inside at 20000000 "$TRAIN" <<<"$(((a + b) / 2))")")" "one step takes far longer than the others: 'step 3#3@"
}

@test "many small kernels are launched in less than 100 us each" {
	nsq-window -q --pick all --steady --period -m '^decode step$' "$EAGER" > "$BATS_TEST_TMPDIR/steps"
	# nearly all steps have as many launches, and are about as long
	launches=$(nsq-api -q --launch < "$BATS_TEST_TMPDIR/steps" | col launches | sort -n | sed -n 1p)
	read -r short long < <(col dur_ns < "$BATS_TEST_TMPDIR/steps" | sort -n | awk '{ d[NR] = $1 } END { print d[int(NR / 10)], d[NR - int(NR / 10)] }')
	for ns in $((100000 * launches - long - 1)) $((100000 * launches - short)); do
		col start_ns < "$BATS_TEST_TMPDIR/steps" > "$BATS_TEST_TMPDIR/moments"
		t=$(planted "$ns" at "$ns" "$EAGER" < "$BATS_TEST_TMPDIR/moments")
		got+=("$(all -m '^decode step$' "$t" | grep -c 'many small kernels')") || true
	done
	same "1 0" "${got[*]}"
}

# bats test_tags=slow
@test "a launch-bound decode: CUDA graphs, and a bound no smaller than what they really won" {
	lacks "$(all -m '^decode step$' "$NODES")" "many small kernels"
	lacks "$(all "$TRAIN")" "many small kernels"
	same "$(oracle graph "$EAGER" -m '^decode step$') many small kernels, launched one by one" "$(top -m '^decode step$' "$EAGER")"
	holds "$(nsq-advise -q -m '^decode step$' "$EAGER" | col advice | sed -n 1p)" "CUDA graphs"
	period() { nsq-window -q --stats -m '^decode step$' --steady "$1" | col period_p50_ns; }
	won=$(($(period "$EAGER") - $(period "$NODES")))
	[ "$won" -gt 3000000 ]
	[ "$(top -m '^decode step$' "$EAGER" | cut -d' ' -f1)" -ge "$won" ]
	# the host code between launches takes longer
	for factor in 1.5 2; do
		t=$BATS_TEST_TMPDIR/$factor.sqlite
		python3 "$TESTS/plant.py" "$EAGER" "$t" host $factor
		same "$(oracle graph "$t" -m '^decode step$') many small kernels, launched one by one" "$(top -m '^decode step$' "$t")"
		same "$(oracle host "$t" -m '^decode step$')" "$(nsq-advise -q -m '^decode step$' "$t" | grep 'CPU too slow' | cut -f7)"
	done
	[ "$(top -m '^decode step$' "$BATS_TEST_TMPDIR/2.sqlite" | cut -d' ' -f1)" -gt "$(top -m '^decode step$' "$BATS_TEST_TMPDIR/1.5.sqlite" | cut -d' ' -f1)" ]
}

# bats test_tags=slow
@test "the CPU too slow: idle by host, launch and api, in the trace as it is and with twice the host code" {
	lacks "$(all "${RANKS[0]}")" "CPU too slow"
	python3 "$TESTS/plant.py" "$TRAIN" "$BATS_TEST_TMPDIR/twice.sqlite" host 2
	for t in "$TRAIN" "$BATS_TEST_TMPDIR/twice.sqlite"; do same "$(oracle host "$t") CPU too slow for the GPU" "$(top "$t")"; done
}

# bats test_tags=slow
@test "the CPU too slow: a step that runs from graphs is not told to, and one call that is most of it is named" {
	host() { nsq-advise -q --min-pct 0 "$@" | col finding advice | grep '^CPU too slow'; }
	for t in "$NODES" "$WHOLE" "$EAGER"; do got+=("$(host -m '^decode step$' "$t" | grep -c 'runs from CUDA graphs already')") || true; done
	same "1 1 0" "${got[*]}"
	holds "$(host -m '^decode step$' "$EAGER")" "fewer and larger kernels, CUDA graphs"
	lacks "$(host -m '^decode step$' "$EAGER")" "one call"
	# a tenth of the kernels
	t=$(change "$EAGER" "INSERT INTO StringIds SELECT max(id) + 1, 'cudaGraphLaunch_v10000' FROM StringIds; UPDATE CUPTI_ACTIVITY_KIND_RUNTIME
		SET nameId = (SELECT max(id) FROM StringIds) WHERE correlationId % 10 = 0 AND nameId IN (SELECT id FROM StringIds WHERE value LIKE 'cudaLaunchKernel%')")
	lacks "$(host -m '^decode step$' "$t")" "already"
	holds "$(host "$(planted call other3 100000000)")" ", 100.000 ms of it in one call of cuKernelGetFunction; assumes" "find out why this call takes so long"
	# less than half
	lacks "$(host "$(planted less other3 10000000)")" "one call"
	lacks "$(host "$(planted loads malloc3 100000000)")" "one call"
}

@test "a pipeline stage that computes twenty and forty times as long" {
	lacks "$(nsq-advise -q "$DUALPIPE_2023" | col finding)" "pipeline"
	# nothing was lost, as far as one can see, but nothing says that the two belong together
	lacks "$(all "$(change "$DDP" "DELETE FROM NVTX_EVENTS WHERE globalTid & 0xffffff = 1117")")" "unequal"
	for k in 20 40; do
		t=$(change "$DUALPIPE_2023" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + (end - start) * $k
			WHERE globalPid >> 24 & 0xffffff = 1252 AND streamId = 7")
		same "$(oracle stages "$t") pipeline stages unequal" "$(top "$t")"
		same "1252 2" "$(nsq-advise -q "$t" | grep 'pipeline stages unequal' | cut -f1,2 | tr '\t' ' ')"
		got+=("$(top "$t" | cut -d' ' -f1)")
	done
	[ "${got[1]}" -gt "${got[0]}" ]
}

# bats test_tags=slow
@test "shares of compute are compared of processes that belong together: by their ranks, or by a communicator" {
	for r in 0 1 2 3; do
		ranks+=("$(planted "rank$r" at 0 "${RANKS[r]}" </dev/null)")
		[ "$r" != 2 ] || sqlite3 "${ranks[r]}" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + (end - start) * 2 WHERE shortName NOT IN (SELECT id FROM StringIds WHERE value LIKE 'nccl%')"
	done
	each=$(for t in "${ranks[@]}"; do oracle compute "$t"; done | sort -n)
	want=$(awk '{ s += $1; m = $1 } END { print m - int(s / NR) }' <<<"$each")
	same "2 $want shares of compute unequal" "$(nsq-advise -q --min-pct 0 "${ranks[@]}" | grep unequal | cut -f2,7,10 | sed 's/:.*//' | tr '\t' ' ')"
	# virtual stages are no stages
	for t in "${ranks[@]}"; do sqlite3 "$t" "UPDATE NVTX_EVENTS SET text = replace(text, 'pp=0/1', 'vpp=0/2 pp=0/1') WHERE text LIKE 'rank=%'"; done
	same "$want shares of compute unequal" "$(nsq-advise -q --min-pct 0 "${ranks[@]}" | grep unequal | cut -f7,10 | sed 's/:.*//' | tr '\t' ' ')"
	for t in "${ranks[@]}"; do sqlite3 "$t" "DELETE FROM NVTX_EVENTS WHERE text LIKE 'rank=%'"; done
	same "$want shares of compute unequal" "$(nsq-advise -q --min-pct 0 "${ranks[@]}" | grep unequal | cut -f7,10 | sed 's/:.*//' | tr '\t' ' ')"
	runs "$(nsq-advise -q --min-pct 0 "${ranks[@]}")"
	# a process without a rank beside four of them
	t=$(change "$DUALPIPE_2023" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + (end - start) * 20 WHERE globalPid >> 24 & 0xffffff = 1252 AND streamId = 7")
	want=$(nsq-advise -q "$t" | grep unequal | cut -f7,10)
	sqlite3 "$t" "CREATE TEMP TABLE k AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid >> 24 & 0xffffff = 1250;
		UPDATE k SET globalPid = globalPid + (5000 << 24); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM k"
	same "$want" "$(nsq-advise -q "$t" | grep unequal | cut -f7,10)"
	runs "$(nsq-advise -q "$t")"
}

# late TRACE...: who is waited for longest in the median step of ten, and how long, by the second reading of nsq-nccl.
late() {
	nsq-window -q --pick all --steady --period "$@" > "$BATS_TEST_TMPDIR/w"
	python3 "$TESTS/nccl/reading.py" --each -w "$BATS_TEST_TMPDIR/w" "$@" 2>/dev/null | awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["last"] != $2 && $c["wait_ns"] > 0 { s[$2 "," $c["last"] "," $c["window"]] += $c["wait_ns"] }
		END { for (k in s) { split(k, p, ","); print p[1], p[2], s[k] } }' | sort -k1,1 -k2,2 -k3,3nr | awk '
		$1 " " $2 != k { k = $1 " " $2; n = 0 } n++ == 5 && $3 > most { most = $3; who = $2 } END { print who, most }'
}

# bats test_tags=slow
@test "one rank slowed: it comes 3 and 4 ms later to three collectives of each step" {
	lacks "$(all "${RANKS[0]}")" "one rank late"
	for ms in 3 4; do
		mkdir "$BATS_TEST_TMPDIR/$ms"
		python3 "$TESTS/advise_late.py" ${ms}000000 1 "$BATS_TEST_TMPDIR/$ms" "${RANKS[@]}"
		read -r who ns < <(late "$BATS_TEST_TMPDIR/$ms"/*.sqlite)
		same "$ns one rank late" "$(top "$BATS_TEST_TMPDIR/$ms"/*.sqlite)"
		same "1 $who" "$(nsq-advise -q "$BATS_TEST_TMPDIR/$ms"/*.sqlite | grep 'one rank late' | cut -f2) 1"
		runs "$(nsq-advise -q "$BATS_TEST_TMPDIR/$ms"/*.sqlite)"
		got+=("$ns")
	done
	same 3000000 "$((got[1] - got[0]))"
}

# bats test_tags=slow
@test "communication that compute waits for: the blocked time, by the second reading of nsq-stalls, not what is merely exposed" {
	lacks "$(all "$COMPILE")" "communication"
	# in the middle of the longest such time of each step
	nsq-window -q --pick all --steady --period -p 1084 "$DDP" | nsq-stalls -q --each | col window blocked_ns start_ns starved_ns |
		awk -F '\t' '$2 > most[$1] { most[$1] = $2; at[$1] = $3 + $4 + int($2 / 2) } END { for (w in at) print at[w] }' > "$BATS_TEST_TMPDIR/moments"
	same 6 "$(wc -l < "$BATS_TEST_TMPDIR/moments")"
	for ns in 0 2000000 5000000; do
		t=$(planted "$ns" at "$ns" "$DDP" < "$BATS_TEST_TMPDIR/moments")
		# all communication of process 1084 is of one stage
		want=$(nsq-window -q --pick all --steady --period -p 1084 "$t" | col start_ns end_ns | while read -r a b; do
			python3 "$TESTS/dependencies/stalls.py" "$t" -w "$a..$b" | where pid 1084 | col blocked_comm_ns
		done | sort -n | sed -n 3p)
		same "$want communication that compute waits for, of 'nccl" "$(top "$t")"
		got+=("$want")
	done
	same "2000000 5000000" "$((got[1] - got[0])) $((got[2] - got[0]))"
	exposed=$(nsq-window -q --pick all --steady --period -p 1084 "$DDP" | nsq-overlap -q | where pid 1084 | col exposed_ns | sort -n | sed -n 3p)
	[ "$exposed" -gt "${got[0]}" ]
	holds "$(nsq-advise -q "$DDP" | col finding)" "$(awk -v ns="$exposed" 'BEGIN { printf "(%.3f ms a step is exposed)", ns / 1e6 }')"
}

@test "lost events come first, and what is lost is counted" {
	lacks "$(all "$TRAIN")" "events lost"
	for part in 2 3; do
		t=$(change "$TRAIN" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId % $part > 0")
		read -r kernels launches < <(sql "$t" "SELECT (SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL), count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME
			JOIN StringIds ON id = nameId WHERE value LIKE '%Launch%'")
		run -0 --separate-stderr nsq-advise "$t"
		same "untrusted - events lost: $launches launches but only $kernels kernels; its counts and busy times are too low, its idle times too high" \
			"$(col severity recover_ns finding <<<"$output" | sed -n 1p | tr '\t' ' ')"
	done
}

@test "events lost in a process without GPU work: a row about it, beside those of others, unless windows are asked about" {
	cut=$(change "$COMPILE" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY; DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET")
	launches=$(sql "$cut" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId WHERE value LIKE '%Launch%'")
	run -0 --separate-stderr nsq-advise "$cut"
	same "724 - untrusted - 0 events lost: $launches launches but no kernels; its counts and busy times are too low, its idle times too high" \
		"$(col pid gpu severity recover_ns steps finding <<<"$output" | tr '\t' ' ')"
	same "$(nsq-setup -q "$cut" | where pid 724 | col start_ns end_ns)" "$(col start_ns end_ns <<<"$output")"
	holds "$stderr" "nothing that was looked for is seen to be worth 2 % of a step or more, but it may be hidden: see the untrusted rows"
	lacks "$stderr" "no rows"
	runs "$output"
	# the launches of another process
	t=$(change "$TRAIN")
	sqlite3 "$t" "CREATE TEMP TABLE c AS SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME; UPDATE c SET globalTid = globalTid + (5000 << 24);
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT * FROM c"
	run -0 --separate-stderr nsq-advise "$t"
	same "- events lost" "$(col gpu finding <<<"$output" | sed -n 1p | sed 's/:.*//' | tr '\t' ' ')"
	same "$(nsq-advise -q "$TRAIN" | col recover_ns)" "$(col recover_ns <<<"$output" | tail -n +2)"
	lacks "$(nsq-advise -q -w 20ms..70ms "$t")" "events lost"
}

# bats test_tags=slow
@test "where the trace does not say what compute waits for, it is said first, and nothing found is not called nothing" {
	run -0 --separate-stderr nsq-advise "$DUALPIPE_2023"
	read -r pid ns pct < <(for p in 1250 1251 1252 1253; do
		nsq-window -q --pick all --steady --period -p $p "$DUALPIPE_2023" | col start_ns end_ns > "$BATS_TEST_TMPDIR/steps"
		ns=$(while read -r a b; do python3 "$TESTS/dependencies/stalls.py" "$DUALPIPE_2023" -w "$a..$b" | where pid $p | col unresolved_ns
			done < "$BATS_TEST_TMPDIR/steps" | sort -n | sed -n 2p)
		awk '{ print $2 - $1 }' "$BATS_TEST_TMPDIR/steps" | sort -n | sed -n 2p | awk -v p=$p -v ns="$ns" '{ printf "%s %s %.2f\n", p, ns, 100 * ns / $1 }'
	done | sort -k2,2nr -k1,1 | sed -n 1p)
	same "$pid untrusted - what compute waits for is not known: in $pct % of a step" \
		"$(col pid severity recover_ns finding <<<"$output" | sed -n 2p | sed 's/, as .*//' | tr '\t' ' ')"
	same "$ns" "$(bash -o pipefail -c "$(col evidence <<<"$output" | sed -n 2p)" 2>/dev/null | col unresolved_ns)"
	read -r waits unseen < <(sql "$DUALPIPE_2023" "SELECT count(*), sum(NOT EXISTS (SELECT 1 FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT e
			WHERE e.globalPid = s.globalPid AND e.eventId = s.eventId AND e.correlationId < s.correlationId))
		FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION s JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId) JOIN StringIds ON id = nameId
		WHERE r.globalTid >> 24 = s.globalPid >> 24 AND s.globalPid >> 24 & 0xffffff = $pid AND value LIKE '%StreamWaitEvent%'")
	holds "$output" "$unseen of $waits waits of its streams are for events whose record is not in the trace"
	holds "$stderr" "nothing that was looked for is seen to be worth 2 % of a step or more, but it may be hidden: see the untrusted rows"
	lacks "$(nsq-advise -q --min-pct 99.9 "$DUALPIPE_2023")" "is not known"
	lacks "$(all "$TRAIN")" "is not known"
	holds "$(nsq-advise -q -p 1085 "$DDP")" "is not known: in" ", as its process lost events"
	# without the calls there are no launches
	t=$(change "$COMPILE" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME")
	holds "$(nsq-advise -q "$t")" "launches of its work are not in the trace"
}

@test "beside a process that lost nothing, only what is found in that is believed" {
	run -0 --separate-stderr nsq-advise "$DDP"
	same "1084" "$(col pid recover_ns <<<"$output" | awk -F '\t' '$2 != "-" { print $1 }' | sort -u)"
	lacks "$output" "shares of compute"
	holds "$stderr" "1 finding about processes that lost events is left out (-p asks about one of them)"
	holds "$(nsq-advise -q -p 1085 "$DDP" | col pid finding)" "1085${TAB}CPU too slow"
}

@test "ranks of different traces that share a GPU are said to, first" {
	run -0 --separate-stderr nsq-advise "${RANKS[@]}"
	same "- untrusted - GPU shared: ranks 0, 1, 2, 3 of different traces share one GPU" \
		"$(col pid severity recover_ns finding <<<"$output" | sed -n 1p | sed 's/;.*//' | tr '\t' ' ')"
	lacks "$(nsq-advise -q "${RANKS[0]}")" "GPU shared"
	same "" "$(nsq-advise -q "$TRAIN" "$COMPILE" | grep "GPU shared")"
}

@test "a shared GPU comes first: two processes, then three" {
	lacks "$(all "$COMPILE")" "GPU shared"
	t=$(change "$COMPILE")
	join() { # join PID: the kernels of process 724 again, as those of another
		sqlite3 "$t" "CREATE TEMP TABLE k AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid >> 24 & 0xffffff = 724;
			UPDATE k SET globalPid = globalPid + (($1 - 724) << 24); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM k"
	}
	join 801
	run -0 --separate-stderr nsq-advise "$t"
	same "- untrusted - GPU shared" "$(col pid severity recover_ns finding <<<"$output" | sed -n 1p | sed 's/:.*//' | tr '\t' ' ')"
	holds "$output" "processes 724, 801 share GPU 0"
	join 802
	holds "$(nsq-advise -q "$t" | col finding | sed -n 1p)" "processes 724, 801, 802 share GPU 0"
}

@test "work without annotation, and a trace without NVTX" {
	lacks "$(all "$COMPILE")" "annotation"
	t=$(change "$COMPILE" "UPDATE NVTX_EVENTS SET end = start + 1 WHERE eventType = 59 AND coalesce(text, '') NOT LIKE 'step %'" "DELETE FROM NVTX_EVENTS WHERE text LIKE 'step %'")
	run -0 --separate-stderr nsq-advise "$t"
	holds "$output" "none of the kernel time in the steps was launched in an NVTX range"
	same "info - work without annotation" "$(col severity recover_ns finding <<<"$output" | tail -1 | sed 's/:.*//' | tr '\t' ' ')"
	t=$(change "$COMPILE" "$(drop_tables "$COMPILE" 'NVTX_*')")
	run -0 --separate-stderr nsq-advise "$t"
	holds "$(col finding <<<"$output" | tail -1)" "holds no NVTX ranges"
	fails 3 "NVTX" "nsys profile --trace=" -- nsq-advise -m step "$t"
	# of several processes none is worse than the others
	t=$(change "$DUALPIPE" "$(drop_tables "$DUALPIPE" 'NVTX_*')")
	lacks "$(nsq-advise -q "$t" | grep annotation)" "worst of"
}

@test "tensor cores: the time in which SMs are active and they are not, by SQL; none where they are" {
	t=$FIXTURES/train-metrics.sqlite
	metric() { echo "metricId = (SELECT metricId FROM TARGET_INFO_GPU_METRICS WHERE metricName LIKE '$1')"; }
	of_steps() { # of_steps METRIC: its mean in each step, in hundredths
		nsq-window -q --pick all --steady --period "$t" | col start_ns end_ns | while read -r a b; do
			sql "$t" "SELECT $b - $a, cast(round(100 * avg(value)) as integer) FROM GPU_METRICS WHERE $(metric "$1") AND timestamp >= $a AND timestamp < $b"
		done
	}
	want=$(paste <(of_steps 'SMs Active%') <(of_steps 'Tensor Active%') | awk '{ print int($1 * $2 / 10000) - int($3 * $4 / 10000) }' | sort -n | sed -n 2p)
	same "$want" "$(nsq-advise -q "$t" | grep 'low use of tensor cores' | cut -f7)"
	t=$(change "$t" "UPDATE GPU_METRICS SET value = 100 WHERE $(metric 'Tensor Active%')")
	lacks "$(all "$t")" "tensor"
	lacks "$(all "$TRAIN")" "tensor"
	for use in 51 49; do
		t=$(change "$FIXTURES/train-metrics.sqlite" "UPDATE GPU_METRICS SET value = 100 WHERE $(metric 'SMs Active%'); UPDATE GPU_METRICS SET value = $use WHERE $(metric 'Tensor Active%')")
		got+=("$(all "$t" | grep -c 'low use of tensor cores')") || true
	done
	same "0 1" "${got[*]}"
	# where they are never active, only if there are matrix products
	rename() { echo "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = (SELECT max(id) FROM StringIds); UPDATE StringIds SET value = '$1' WHERE id = (SELECT max(id) FROM StringIds)"; }
	for kernel in saxpy sgemm_128x64; do
		t=$(change "$FIXTURES/train-metrics.sqlite" "INSERT INTO StringIds SELECT max(id) + 1, 'x' FROM StringIds; $(rename $kernel)")
		of+=("$(all "$t" | grep -c 'low use of tensor cores')") || true
		t=$(change "$t" "UPDATE GPU_METRICS SET value = 0 WHERE $(metric 'Tensor Active%')")
		of+=("$(all "$t" | grep -c 'low use of tensor cores')") || true
	done
	same "1 0 1 1" "${of[*]}"
}

# ---- the table

# bats test_tags=slow
@test "no finding is worth more than the step; the largest comes first" {
	for t in "$FIXTURES"/*.sqlite; do
		nsq-advise -q --min-pct 0 "$t" | col severity recover_ns recover_pct | awk -F '\t' -v t="$t" '
			$2 == "-" { if ($1 == "untrusted" && n) bad = 1; next }
			{ n++; if ($3 > 100 || $2 <= 0 || (n > 1 && $2 > last)) bad = 1; last = $2
			  if ($1 != ($3 >= 10 ? "high" : $3 >= 5 ? "medium" : "low")) bad = 1 }
			END { if (bad) print t; exit bad }'
	done
	# loading for longer than all steps take together
	t=$(planted load load 300000000)
	same "100.00" "$(nsq-advise -q "$t" | col recover_pct | sed -n 1p)"
	runs "$(nsq-advise -q "$t")"
	t=$(planted long long 50 "$(planted healthy squeeze)")
	same "100.00" "$(nsq-advise -q "$t" | col recover_pct | sed -n 1p)"
	runs "$(nsq-advise -q "$t")"
}

# runs TABLE: every command of the table exits 0 and prints the number; without one it prints something.
runs() {
	local trace ns command out n=0
	while IFS=$TAB read -r ns command; do
		out=$(bash -o pipefail -c "$command" 2>"$BATS_TEST_TMPDIR/err") || { echo "$command"; cat "$BATS_TEST_TMPDIR/err"; return 1; }
		case $ns in
		-) [ "$(count <<<"$out")" -gt 0 ] ;;
		*) same "$ns" "$(col recover_ns <<<"$out")" ;;
		esac || { echo "$command"; return 1; }
		n=$((n + 1))
	done < <(col recover_ns evidence <<<"$1")
	[ "$n" -gt 0 ] || [ "$(count <<<"$1")" = 0 ]
}

# bats test_tags=slow
@test "every command of the column evidence runs as it is printed and shows the number, on all fixtures" {
	cd "$FIXTURES"
	for t in *.sqlite; do
		echo "fixture: $t"
		runs "$(nsq-advise -q --min-pct 0 "$t")"
	done
	runs "$(nsq-advise -q --min-pct 0 *.sqlite)"
}

# bats test_tags=slow
@test "evidence repeats -m, -p, --comm, --captured and the windows, and quotes what a shell would change" {
	cd "$BATS_TEST_TMPDIR"
	runs "$(nsq-advise -q -m '^decode step$' "$EAGER")"
	runs "$(nsq-advise -q --captured "$FIXTURES/graph-capture.sqlite")"
	runs "$(nsq-advise -q --min-pct 0 -p 694 "$DUALPIPE")"
	runs "$(nsq-advise -q --min-pct 0 --comm 'nvjet|ncclDev' "$DUALPIPE")"
	runs "$(nsq-advise -q -w 20ms..70ms -w 30ms..90ms "$TRAIN")"
	runs "$(nsq-advise -q --merge -w 20ms..50ms -w 60ms..90ms "$TRAIN")"
	runs "$(nsq-window -q --pick all "$DUALPIPE" | nsq-advise -q --min-pct 0)"
	mkdir "it's \$1 \`x\` \"y\" and more"
	for r in "${RANKS[@]}" "$DDP"; do ln -s "$r" "it's \$1 \`x\` \"y\" and more/${r##*/}"; done
	runs "$(nsq-advise -q --min-pct 0 it*/collectives*)"
	runs "$(nsq-advise -q --min-pct 0 it*/ddp*)"
	cp "$DUALPIPE" ./-dash.sqlite
	runs "$(nsq-advise -q --min-pct 0 -- -dash.sqlite)"
}

@test "evidence cut from TSV runs, whatever the names of stages, ranges and traces contain" {
	cd "$BATS_TEST_TMPDIR"
	odd=$'ex\\ch\tan\nge \'"$`'
	t=$(change "${RANKS[1]}" "UPDATE NVTX_EVENTS SET text = '${odd//\'/\'\'}' WHERE text = 'exchange'" "UPDATE StringIds SET value = '${odd//\'/\'\'}' WHERE value = 'exchange'")
	run -0 --separate-stderr nsq-advise "$t"
	holds "$output" "char(92)" "char(9)" "char(10)"
	same 1 "$(grep -c "communication that compute waits for, of 'ex" <<<"$output")"
	runs "$output"
	dir=$'a\\b\tc\nd \'"$`'
	mkdir "$dir"
	for r in "${RANKS[@]}"; do ln -s "$r" "$dir/${r##*/}"; done
	run -0 --separate-stderr nsq-advise --min-pct 0 "$dir"/*.sqlite
	holds "$output" "one rank late" "awk"
	same "" "$(col evidence <<<"$output" | grep -F '\\')"
	runs "$output"
	# an expression
	t=$(change "$EAGER")
	run -0 --separate-stderr nsq-advise -m '^decode step\(|^decode step$' "$t"
	runs "$output"
}

@test "of a process on two GPUs each is looked at, and evidence says which" {
	t=$(change "$COMPILE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE correlationId % 3 = 0")
	run -0 --separate-stderr nsq-advise --min-pct 0 "$t"
	holds "$output" " -g "
	runs "$output"
	runs "$(nsq-advise -q -g 1 "$t")"
	# one that is only touched at the start and at the end is left out
	t=$(change "$COMPILE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE start IN (SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL
		UNION SELECT max(start) FROM CUPTI_ACTIVITY_KIND_KERNEL)")
	same "0" "$(nsq-advise -q --min-pct 0 "$t" | col gpu | sort -u)"
}

@test "traces of one job are one list with the worst process; others have one each, in the order given" {
	run -0 --separate-stderr nsq-advise "$TRAIN" "${RANKS[@]}" "$COMPILE"
	same "$(nsq-advise -q "$TRAIN"; nsq-advise -q "${RANKS[@]}" | rows; nsq-advise -q "$COMPILE" | rows)" "$(sed 's|\(--period\) .*train.sqlite \(.*collectives-rank3.sqlite\) [^ ]*|\1 \2|' <<<"$output")"
	same 1 "$(grep -c 'one rank late' <<<"$output")"
	# the same bytes as the worst of the single ones
	same "$(for r in "${RANKS[@]}"; do nsq-advise -q "$r" | grep 'one step'; done | cut -f7 | sort -n | tail -1)" "$(grep 'one step.*the worst of [0-9]' <<<"$output" | cut -f7)"
}

@test "one step is said to be one; what happens at the start is no finding" {
	run -0 --separate-stderr nsq-advise -m '^step 3$' "$TRAIN"
	holds "$stderr" "have a single step to look at"
	same "1" "$(col steps <<<"$output" | sort -u)"
	# the only step may be the first
	holds "$(all "$(planted loads load 42000000)")" "module loading"
	lacks "$(all -m '^step 3$' "$BATS_TEST_TMPDIR/loads.sqlite")" "module loading"
	holds "$(all "$(planted allocates malloc 6000000)")" "allocation"
	lacks "$(all -m '^step 3$' "$BATS_TEST_TMPDIR/allocates.sqlite")" "allocation"
}

@test "--min-pct leaves out what is worth less, and says how many" {
	run -0 --separate-stderr nsq-advise --min-pct 10 "$TRAIN"
	same "CPU too slow for the GPU" "$(col finding <<<"$output" | sed 's/:.*//')"
	holds "$stderr" "findings worth less than 10 % of a step are left out"
	fails 2 "min-pct" "'x'" -- nsq-advise --min-pct x "$TRAIN"
	fails 2 "min-pct" "'-1'" -- nsq-advise --min-pct=-1 "$TRAIN"
}

# share NS TRACE: of the median step, in percent.
share() { nsq-window -q --stats --steady "$2" | col period_p50_ns | awk -v ns="$1" '{ printf "%.2f", 100 * ns / $1 }'; }

# bats test_tags=slow
@test "what the median step does not have, but all steps together do, is said" {
	t=$(planted once malloc3 20000000)
	run -0 --separate-stderr nsq-advise "$t"
	lacks "$output" "allocation in the loop"
	nsq-window -q --pick all --steady --period "$t" > "$BATS_TEST_TMPDIR/steps"
	share=$(sum dur_ns < "$BATS_TEST_TMPDIR/steps" | awk '{ printf "%.2f", 100 * 20000000 / $1 }')
	holds "$stderr" "allocation in the loop: worth less than 2 % of the median step of process 911, but $share % of the time of all its steps: it is in 1 of 6"
	lacks "$(nsq-advise "$TRAIN" 2>&1)" "of the time of all its steps"
	lacks "$(nsq-advise -q --min-pct 0 "$t")" "allocation in the loop"
	# communication, which is summed up by stage: 200 ms in one step
	nsq-window -q --pick 3 --period -p 1084 "$DDP" | nsq-stalls -q --each | col blocked_ns start_ns starved_ns | sort -nr |
		awk 'NR == 1 { print $2 + $3 + int($1 / 2) }' > "$BATS_TEST_TMPDIR/moments"
	t=$(planted ddp at 200000000 "$DDP" < "$BATS_TEST_TMPDIR/moments")
	nsq-window -q --pick all --steady --period -p 1084 "$t" > "$BATS_TEST_TMPDIR/steps"
	blocked=$(while read -r a b; do python3 "$TESTS/dependencies/stalls.py" "$t" -w "$a..$b" | where pid 1084 | col blocked_comm_ns
		done < <(col start_ns end_ns < "$BATS_TEST_TMPDIR/steps") | awk '{ s += $1 } END { printf "%d", s }')
	share=$(sum dur_ns < "$BATS_TEST_TMPDIR/steps" | awk -v ns="$blocked" '{ printf "%.2f", 100 * ns / $1 }')
	run -0 --separate-stderr nsq-advise --min-pct 60 -p 1084 "$t"
	holds "$stderr" "': worth less than 60 % of the median step of process 1084, but $share % of the time of all its steps: it is in 6 of 6"
}

# bats test_tags=slow
@test "what no finding covers is named where nothing is found: pinned copies, idle time by memory" {
	t=$(planted squeezed squeeze 0 "$(planted copies copy 6000000)")
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET srcKind = 1 WHERE srcKind = 0; UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET dstKind = 1 WHERE dstKind = 0"
	alone=$(oracle alone "$t")
	run -0 --separate-stderr nsq-advise "$t"
	holds "$stderr" "nothing that was looked for is worth 2 % of a step or more; $(share "$alone" "$t") % of a step is copies alone (nsq-overlap --total), which no finding covers"
	t=$(planted memset malloc 30000000)
	sqlite3 "$t" "UPDATE StringIds SET value = 'cudaMemset_v3020' WHERE value = 'cudaMalloc_v3020'"
	run -0 --separate-stderr nsq-advise --min-pct 50 "$t"
	holds "$stderr" "50 % of a step or more; $(share "$(oracle memory "$t")" "$t") % of a step is idle by 'memory' (nsq-gaps --by cause), which no finding covers"
	lacks "$(nsq-advise --min-pct 80 "$t" 2>&1)" "no finding covers"
}

@test "no range that -m matches, no CUDA" {
	run -0 --separate-stderr nsq-advise -m 'no such range' "$TRAIN"
	same 0 "$(count <<<"$output")"
	holds "$stderr" "no range has such a name" "nsq-window --list"
	t=$(change "$COPIES" "$(drop_tables "$COPIES" 'CUPTI_*')")
	fails 3 "CUDA" "nsys profile --trace=" -- nsq-advise "$t"
}
