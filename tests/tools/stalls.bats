# nsq-stalls: when nothing computes, what was the next compute kernel waiting for?
load ../helper

SUMS="absent_ns starved_ns sync_wait_ns blocked_ns blocked_comm_ns blocked_copy_ns stalled_ns unresolved_ns resolved_pct"
EACH="start_ns end_ns starved_ns blocked_ns stalled_ns unresolved_ns producer next"

# sums TRACE [OPTION...], each TRACE [OPTION...]: a line for each row, cells separated by spaces; each is in order of time.
sums() { nsq-stalls -q "$@" | col $SUMS | tr '\t' ' '; }
each() { nsq-stalls -q --each "$@" | col $EACH | sort -n | tr '\t' ' '; }

# check TRACE: the last test of this file looks at what brute force says of it as it is now; to start Python for all of
# them takes no longer than for one.
check() {
	mkdir -p "$BATS_FILE_TMPDIR/checked"
	cp "$1" "$BATS_FILE_TMPDIR/checked/test-$BATS_TEST_NUMBER-line-${BASH_LINENO[0]}-${1##*/}"
}

# brute_force TRACE...: all modes say what brute force says.
brute_force() {
	run oracle stalls --check "$NSQ_BIN" "$@"
	same "0 $# traces compared" "$status $output"
}

# the example in share/references/checks.md, with B's call at the times given
example() {
	chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 100 1
		call 6 cudaEventRecord 10 11 2
		record 7 2 1
		call 6 cudaStreamWaitEvent 11 12 3
		wait 13 3 1
		call 5 cudaLaunchKernel 12 20 4
		kernel 13 ncclC 100 400 4
		call 6 cudaEventRecord 13 14 5
		record 13 5 2
		call 6 cudaStreamWaitEvent 14 15 6
		wait 9 6 2
		call 6 cudaEventRecord 15 16 7
		record 9 7 3
		call 6 cudaStreamWaitEvent 16 17 8
		wait 7 8 3
		call 5 cudaMemcpyAsync 22 24 9
		copy 7 402 404 9
		call 5 cudaLaunchKernel $1 $2 10
		kernel 7 B 520 600 10
	END
}

# ---- worked out by hand

@test "streams and events: what the next kernel waits for, through a relay and past a short copy" {
	t=$(example 24 30)
	same "440 10 0 302 300 2 128 0 100.00" "$(sums -w 0..600 "$t")"
	same "0 20 10 0 10 0 - A
100 520 0 302 118 0 ncclC B" "$(each -w 0..600 "$t")"
	same "blocked_comm 300 300 0
blocked_copy 2 0 2
stalled 128 0 0
starved 10 0 0" "$(nsq-stalls -q -w 0..600 --by part "$t" | col part absent_ns blocked_comm_ns blocked_copy_ns | sort | tr '\t' ' ')"
	same "- 138
memcpy h2d 2
ncclC 300" "$(nsq-stalls -q -w 0..600 --by producer "$t" | col producer absent_ns | sort | tr '\t' ' ')"
	check "$t"
}

@test "what is issued late starves, whatever else ran" {
	t=$(example 500 510)
	same "440 420 0 0 0 0 20 0 100.00" "$(sums -w 0..600 "$t")"
	same "0 20 10 0 10 0 - A
100 520 410 0 10 0 - B" "$(each -w 0..600 "$t")"
	# issued while it is communicating: blocked from then on
	t=$(example 240 250)
	same "100 520 150 152 118 0 ncclC B" "$(each -w 100..600 "$t")"
}

@test "a window cuts the parts, and looks for the next kernel beyond its end" {
	t=$(example 24 30)
	same "50 0 0 50 50 0 0 0 100.00" "$(sums -w 350..400 "$t")"
	same "18 0 0 0 0 0 18 0 100.00" "$(sums -w 404..422 "$t")"
	# after the last kernel nothing comes
	sqlite3 "$t" "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT 700, 710, deviceId, contextId, streamId, NULL, globalPid, 1, 1, 1, 2, NULL FROM CUPTI_ACTIVITY_KIND_MEMCPY"
	same "110 110 0 0 0 0 0 0 100.00" "$(sums -w 600..710 "$t")"
	same "600 710 110 0 0 0 - -" "$(each -w 600..710 "$t")"
	check "$t"
}

@test "exposed is not blocked: communication that nothing waits for" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 100 1
		call 5 cudaLaunchKernel 12 14 2
		kernel 13 ncclC 90 400 2
		call 5 cudaLaunchKernel 14 18 3
		kernel 7 B 420 500 3
	END
	)
	same 300 "$(nsq-overlap -q "$t" | col exposed_ns)"
	same "320 0 0 0 0 0 320 0 -" "$(sums -w 20..500 "$t")"
}

@test "an event without a record is unresolved, and so is a chain that passes it; others are not" {
	t=$(example 24 30)
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET eventSyncId = 0 WHERE eventSyncId = 3"
	same "440 10 0 2 0 2 10 418 66.67" "$(sums -w 0..600 "$t")"
	mentions "1 of 3 waits" "33.33 %" "unresolved" -- nsq-stalls -w 0..600 "$t"
	# 0 is no id, even of a record
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_CUDA_EVENT SET eventSyncId = 0 WHERE eventSyncId = 3"
	same "440 10 0 2 0 2 10 418 66.67" "$(sums -w 0..600 "$t")"
	# the same if the record is lost further back, in the relay
	t=$(example 24 30)
	sqlite3 "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT WHERE eventSyncId = 2"
	same "440 10 0 2 0 2 10 418 66.67" "$(sums -w 0..600 "$t")"
	# what stands before the chain does not matter
	t=$(example 24 30)
	sqlite3 "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT WHERE eventSyncId = 1"
	same "440 10 0 302 300 2 128 0 66.67" "$(sums -w 0..600 "$t")"
	check "$t"
}

@test "events without ids: the last record of the number before the wait" {
	t=$(example 24 30)       # all three have one number
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET eventSyncId = NULL; UPDATE CUPTI_ACTIVITY_KIND_CUDA_EVENT SET eventSyncId = NULL"
	same "440 10 0 302 300 2 128 0 100.00" "$(sums -w 0..600 "$t")"
	t=$(example 24 30)
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET eventId = min(eventSyncId, 2); UPDATE CUPTI_ACTIVITY_KIND_CUDA_EVENT SET eventId = min(eventSyncId, 2);
		UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET eventSyncId = NULL; UPDATE CUPTI_ACTIVITY_KIND_CUDA_EVENT SET eventSyncId = NULL"
	same "440 10 0 302 300 2 128 0 100.00" "$(sums -w 0..600 "$t")"
	check "$t"
	# the number that is recorded on stream 9 stands for what stream 13 does, but for the wait in between
	sqlite3 "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT WHERE streamId = 9"
	same "440 10 0 302 300 2 128 0 100.00" "$(sums -w 0..600 "$t")"
	sqlite3 "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT WHERE streamId = 13"
	same "440 10 0 2 0 2 10 418 33.33" "$(sums -w 0..600 "$t")"
	check "$t"
}

@test "waits are told by their call, not by the type of the row, and by context and stream, not by device" {
	t=$(example 24 30)
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET syncType = 4, deviceId = 3"
	same "440 10 0 302 300 2 128 0 100.00" "$(sums -w 0..600 "$t")"
	sqlite3 "$t" "UPDATE StringIds SET value = 'cuStreamWaitEvent_ptsz' WHERE value LIKE 'cudaStreamWaitEvent%'"
	same "440 10 0 302 300 2 128 0 100.00" "$(sums -w 0..600 "$t")"
	sqlite3 "$t" "UPDATE StringIds SET value = 'cudaEventQuery_v3020' WHERE value LIKE 'cuStreamWaitEvent%'"
	same "440 10 0 2 0 2 428 0 -" "$(sums -w 0..600 "$t")"
	t=$(example 24 30)
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET contextId = 2"
	same "440 10 0 2 0 2 428 0 -" "$(sums -w 0..600 "$t")"
}

@test "without a launch nothing is known of the next kernel, but it holds up what follows on its stream" {
	t=$(example 24 30)
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = NULL WHERE start = 520"
	same "440 10 0 0 0 0 10 420 100.00" "$(sums -w 0..600 "$t")"
	t=$(example 24 30)
	# the copy still holds up B, but what it waited for itself is not known
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET correlationId = NULL"
	same "440 10 0 2 0 2 10 418 100.00" "$(sums -w 0..600 "$t")"
	check "$t"
}

@test "a stream that passes on two events stands for both" {
	for order in "2 1" "1 2"; do
		read -r first second <<<"$order"
		t=$(chain <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A 20 100 1
			call 5 cudaEventRecord 11 12 2
			record 7 2 1
			call 5 cudaLaunchKernel 13 14 3
			kernel 13 ncclC 100 400 3
			call 5 cudaEventRecord 15 16 4
			record 13 4 2
			call 5 cudaStreamWaitEvent 17 18 5
			wait 9 5 $first
			call 5 cudaStreamWaitEvent 19 20 6
			wait 9 6 $second
			call 5 cudaEventRecord 21 22 7
			record 9 7 3
			call 5 cudaStreamWaitEvent 23 24 8
			wait 8 8 3
			call 5 cudaLaunchKernel 25 26 9
			kernel 8 B 410 500 9
		END
		)
		same "100 410 0 300 10 0 ncclC B" "$(each -w 20..500 "$t")"
	done
}

@test "migrations of managed memory hold up no stream" {
	t=$(example 24 30)
	sqlite3 "$t" "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT 410, 500, deviceId, contextId, streamId, NULL, globalPid, 4096, 11, 4, 2, NULL FROM CUPTI_ACTIVITY_KIND_MEMCPY"
	same "440 10 0 302 300 2 128 0 100.00" "$(sums -w 0..600 "$t")"
}

@test "of several producers, the one that ends last; and time that two cover counts once" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 100 1
		call 5 cudaLaunchKernel 20 22 2
		kernel 13 ncclC 110 300 2
		call 5 cudaEventRecord 22 23 3
		record 13 3 1
		call 5 cudaMemcpyAsync 24 25 4
		copy 14 90 350 4
		call 5 cudaEventRecord 26 27 5
		record 14 5 2
		call 5 cudaStreamWaitEvent 28 29 6
		wait 7 6 2
		call 5 cudaStreamWaitEvent 30 31 7
		wait 7 7 1
		call 5 cudaLaunchKernel 32 33 8
		kernel 7 B 400 500 8
		call 5 cudaStreamWaitEvent 34 35 9
		wait 15 9 1
		call 5 cudaMemsetAsync 36 37 10
		set 15 290 390 10
		call 5 cudaEventRecord 38 39 11
		record 15 11 3
		call 5 cudaStreamWaitEvent 40 41 12
		wait 7 12 3
		call 5 cudaLaunchKernel 42 43 13
		kernel 7 D 600 700 13
	END
	)
	# the copy is there when the gap begins; what it waited for is not asked
	same "100 400 0 250 50 0 memcpy h2d B
500 600 0 0 100 0 - D" "$(each -w 20..700 "$t")"
	# without the copy, and D first: the set, and below it what it waited for
	sqlite3 "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY; DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start = 400"
	same "100 600 0 280 220 0 ncclC D" "$(each -w 20..700 "$t")"
	same "500 0 0 280 180 100 220 0 100.00" "$(sums -w 20..700 "$t")"
	check "$t"
}

# bats test_tags=more
@test "what a thread waited for before it launched late" {
	lines() {
		cat <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A 20 100 1
			call 5 cudaLaunchKernel 12 14 2
			kernel 13 ncclC 100 400 2
			$1
			call $2 cudaLaunchKernel 500 510 9
			kernel 7 B 520 600 9
		END
	}
	s='call 5 cudaStreamSynchronize 20 450 3'
	for waits in "$s
sync 13 3" 'call 5 cudaDeviceSynchronize 20 450 3' 'call 5 cudaFree 20 450 3' 'call 5 cuCtxSynchronize 20 450 3' "$s" \
		"call 5 cudaEventRecord 15 16 4
record 13 4 1
call 5 cudaEventSynchronize 20 450 3
await 3 1"; do
		same "420 410 300 0 0 0 10 0 -" "$(lines "$waits" 5 | chain | while read -r t; do sums -w 20..600 "$t"; done)"
		[ "$waits" = "${s}" ] || more || continue
		# the main thread's counts for others
		same "420 410 300 0 0 0 10 0 -" "$(lines "$waits" 6 | chain | while read -r t; do sums -w 20..600 "$t"; done)"
		# another thread's does not
		same "420 410 0 0 0 0 10 0 -" "$(lines "${waits//call 5/call 7}" 6 | chain | while read -r t; do sums -w 20..600 "$t"; done)"
	done
	# calls that only ask, that wait for another stream, or for what had ended before, and one that has not ended when the launch begins
	for waits in "call 5 cudaStreamQuery 20 450 3
sync 13 3" 'call 5 cudaEventQuery 20 450 3' 'call 5 cudaFreeHost 20 450 3' "$s
sync 14 3" 'call 5 cudaDeviceSynchronize 401 450 3' 'call 5 cudaDeviceSynchronize 450 501 3'; do
		same "420 410 0 0 0 0 10 0 -" "$(lines "$waits" 5 | chain | while read -r t; do sums -w 20..600 "$t"; done)"
	done
	# what runs when the synchronization begins had been launched before, whether the trace has the launch or not
	same "420 410 300 0 0 0 10 0 -" "$(lines 'call 5 cudaDeviceSynchronize 101 450 3' 5 | sed '/ncclC/s/2$/-/' | chain | while read -r t; do sums -w 20..600 "$t"; done)"
	# a copy that blocks, and one that ends after its call
	same "420 410 100 0 0 0 10 0 -" "$(lines 'call 5 cudaMemcpy 20 250 3
copy 14 50 200 3' 5 | chain | while read -r t; do sums -w 20..600 "$t"; done)"
	same "420 410 0 0 0 0 10 0 -" "$(lines 'call 5 cudaMemcpy 20 190 3
copy 14 50 200 3' 5 | chain | while read -r t; do sums -w 20..600 "$t"; done)"
	same "420 410 0 0 0 0 10 0 -" "$(lines 'call 5 cudaMemcpyAsync 20 250 3
copy 14 50 200 3' 5 | chain | while read -r t; do sums -w 20..600 "$t"; done)"
	same "420 410 100 0 0 0 10 0 -" "$(lines 'call 5 cudaMemcpyAsync 20 250 3
copy 14 50 200 3 src=0' 5 | chain | while read -r t; do sums -w 20..600 "$t"; done)"
}

@test "clocks differ: work may end up to 20us after the call that waited for it" {
	for late in 20000 20001; do
		t=$(chain <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A 20 100 1
			call 5 cudaLaunchKernel 12 14 2
			kernel 13 ncclC 100 $((50000 + late)) 2
			call 5 cudaDeviceSynchronize 20 50000 3
			call 5 cudaLaunchKernel 90000 90010 9
			kernel 7 B 90020 90100 9
		END
		)
		same "$((late == 20000 ? 49900 : 0))" "$(nsq-stalls -q -w 20..90100 "$t" | col sync_wait_ns)"
		check "$t"
	done
}

@test "a replay of a graph is issued once: its first node runs, so the others are" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 100 1
		call 5 cudaGraphLaunch 110 900 2
		copy 7 150 160 2 node=1
		kernel 7 B 200 300 2 node=2
		kernel 7 D 400 500 2 node=3
	END
	)
	same "100 200 50 10 40 0 memcpy h2d B
300 400 0 0 100 0 - D" "$(each -w 20..500 "$t")"
	check "$t"
}

# agrees TRACE: where a stretch is blocked, its producer is on the path of the time from its start to the end of next.
agrees() {
	local a b next by
	while read -r a b next by; do
		holds "$(nsq-path -q --each -w "$a..$((b + 1))" "$1" | col kind name | tr '\t' ' ')" "comm $by"
	done < <(nsq-stalls -q --each "$1" | where producer ncclX | col start_ns end_ns next producer)
}

@test "work runs after all that earlier calls launched on its stream: the one that ends last, not the one that started last" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 2 1
		kernel 7 ncclX 10 1000 1
		call 5 cudaLaunchKernel 3 4 2
		kernel 7 Y 50 60 2
		call 5 cudaEventRecord 5 6 3
		record 7 3 1
		call 5 cudaLaunchKernel 7 8 4
		kernel 7 Z 1010 1100 4
		call 5 cudaStreamWaitEvent 9 10 5
		wait 8 5 1
		call 5 cudaLaunchKernel 11 12 6
		kernel 8 W 1200 1300 6
	END
	)
	same "10 50 0 40 0 0 ncclX Y
60 1010 0 940 10 0 ncclX Z
1100 1200 0 0 100 0 - W" "$(each -w 10..1300 "$t")"
	agrees "$t"
	# W waits for the event alone: what was launched before the record, not Z
	sqlite3 "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start = 1010"
	same "60 1200 0 940 200 0 ncclX W" "$(each -w 60..1300 "$t")"
	check "$t"
	# what ran there without a launch, and a node before it in its replay, hide nothing either
	for between in "kernel 7 Y 50 60 -" "kernel 7 Y 50 60 4 node=1"; do
		t=$(chain <<-END
			call 5 cudaLaunchKernel 0 2 1
			kernel 7 ncclX 10 1000 1
			$between
			call 5 cudaGraphLaunch 7 8 4
			kernel 7 Z 1010 1100 4 node=2
		END
		)
		same "60 1010 0 940 10 0 ncclX Z" "$(each -w 60..1100 "$t")"
		check "$t"
	done
	# and so does what waits for the stream
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 2 1
		kernel 7 ncclX 10 1000 1
		call 5 cudaLaunchKernel 3 4 2
		kernel 7 Y 50 60 2
		call 5 cudaStreamSynchronize 12 1005 3
		sync 7 3
		call 5 cudaLaunchKernel 1010 1015 4
		kernel 7 Z 1020 1100 4
	END
	)
	same "60 1020 955 0 5 0 - Z" "$(each -w 60..1100 "$t")"
	same "940" "$(nsq-stalls -q -w 60..1100 "$t" | col sync_wait_ns)"
	check "$t"
}

@test "work launched earlier that starts later, by calls of several threads, hides nothing of the stream's order" {
	t=$(chain <<-END
		call 6 cudaLaunchKernel 0 100 1
		kernel 7 LATE 900 1000 1
		call 5 cudaLaunchKernel 10 12 2
		kernel 7 A 20 50 2
		call 5 cudaLaunchKernel 13 14 3
		kernel 7 ncclX 50 200 3
		call 5 cudaLaunchKernel 15 16 4
		kernel 7 B 210 300 4
	END
	)
	same "50 210 0 150 10 0 ncclX B" "$(each -w 20..300 "$t")"
	check "$t"
}

@test "replays: a node waits for the node that ended last before it, and what follows on any of their streams for the whole replay" {
	# two replays, each on three streams
	t=$(chain <<-END
		call 5 cudaGraphLaunch 0 10 1
		kernel 7 A 20 100 1 node=1
		kernel 21 ncclX 100 600 1 node=2
		kernel 33 B 610 700 1 node=3
		call 5 cudaGraphLaunch 11 12 2
		kernel 7 A 720 800 2 node=1
		kernel 21 ncclX 800 1300 2 node=2
		kernel 33 B 1310 1400 2 node=3
	END
	)
	same "100 610 0 500 10 0 ncclX B
700 720 0 0 20 0 - A
800 1310 0 500 10 0 ncclX B" "$(each "$t")"
	agrees "$t"
	check "$t"
	# one stream, on which one node outlasts the next
	t=$(chain <<-END
		call 5 cudaGraphLaunch 0 10 1
		kernel 7 K 20 40 1 node=1
		kernel 7 ncclX 40 1000 1 node=2
		kernel 7 Y 50 60 1 node=3
		call 5 cudaLaunchKernel 30 35 2
		kernel 7 Z 1010 1100 2
	END
	)
	same "40 50 0 10 0 0 ncclX Y
60 1010 0 940 10 0 ncclX Z" "$(each "$t")"
	agrees "$t"
	check "$t"
	# a node that ran on another stream holds up a node, or what follows the replay
	t=$(chain <<-END
		call 5 cudaGraphLaunch 0 10 1
		kernel 7 K 20 40 1 node=1
		kernel 21 ncclX 40 1000 1 node=2
		kernel 7 Y 50 60 1 node=3
		kernel 7 V 1003 1010 1 node=4
		call 5 cudaLaunchKernel 30 35 2
		kernel 7 Z 1020 1100 2
	END
	)
	same "40 50 0 0 10 0 - Y
60 1003 0 940 3 0 ncclX V
1010 1020 0 0 10 0 - Z" "$(each "$t")"
	agrees "$t"
	check "$t"
	sqlite3 "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start = 1003"
	same "40 50 0 0 10 0 - Y
60 1020 0 940 20 0 ncclX Z" "$(each "$t")"
	agrees "$t"
	check "$t"
	# several pieces of another call, each on its own stream, do not hold up each other's
	sqlite3 "$t" "UPDATE StringIds SET value = 'cudaLaunchCooperativeKernelMultiDevice' WHERE value LIKE 'cudaGraphLaunch%'"
	same "40 50 0 0 10 0 - Y
60 1020 0 0 960 0 - Z" "$(each "$t")"
	check "$t"
}

# late LINES: B waits for an event that thread 6 records after the call of thread 5 that waits for it began, behind ncclA.  LINES
# are in between.
late() {
	cat <<-END
		call 5 cudaLaunchKernel 11 14 1
		kernel 7 X 15 30 1
		call 5 cudaStreamWaitEvent 28 60 2
		wait 7 2 1
		$1
		call 6 cudaLaunchKernel 32 40 3
		kernel 13 ncclA 45 300 3
		call 6 cudaEventRecord 41 42 4
		record 13 4 1
		call 5 cudaLaunchKernel 61 63 5
		kernel 7 B 305 400 5
	END
}

@test "an event that another thread records during the wait: what the record stands for" {
	t=$(late | chain)
	same "30 305 33 237 5 0 ncclA B" "$(each "$t" -w 20..400)"
	check "$t"
	# whoever else waits for it
	t=$(late "call 5 cudaStreamWaitEvent 29 30 6
wait 9 6 1" | chain)
	same "30 305 33 237 5 0 ncclA B" "$(each "$t" -w 20..400)"
	check "$t"
	# the stream has been given work before the record: that waits for what the event's stream had to do until then
	t=$(late "call 5 cudaMemsetAsync 30 31 9
set 7 31 33 9" | chain)
	same "30 305 33 0 242 0 - B" "$(each "$t" -w 20..400)"
	check "$t"
	t=$(late "call 6 cudaLaunchKernel 20 21 8
kernel 13 ncclE 25 290 8
call 5 cudaMemsetAsync 30 31 9
set 7 291 293 9" | chain)
	same "30 305 33 229 13 0 ncclE B" "$(each "$t" -w 20..400)"
	check "$t"
	# without ids it is not known that this record is meant
	t=$(late | chain)
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET eventSyncId = NULL; UPDATE CUPTI_ACTIVITY_KIND_CUDA_EVENT SET eventSyncId = NULL"
	same "30 305 33 0 0 242 - B" "$(each "$t" -w 20..400)"
	check "$t"
}

# bats test_tags=slow
@test "such an event on a stream that only passes it on, among others, and in a call that waits for it" {
	# stream 9 waits for it twice, and for another one; B for what stream 9 passes on
	t=$(late "call 5 cudaStreamWaitEvent 29 30 6
wait 9 6 1
call 6 cudaStreamWaitEvent 30 31 7
wait 9 7 1
call 7 cudaStreamWaitEvent 31 32 8
wait 9 8 2
call 7 cudaLaunchKernel 20 21 10
kernel 14 ncclD 22 100 10
call 7 cudaEventRecord 22 23 11
record 14 11 2
call 6 cudaEventRecord 43 44 12
record 9 12 3
call 6 cudaStreamWaitEvent 44 45 13
wait 8 13 3
call 6 cudaLaunchKernel 46 47 14
kernel 8 C 302 303 14" | sed '/^kernel 7 B/d' | chain)
	same "30 302 17 253 2 0 ncclA C" "$(each "$t" -w 20..303)"
	check "$t"
	# what stream 9 passes on is settled with the wait: whether something is missing before the record, or not any more, and not if it has
	# been given work
	passed() {
		late "call 5 cudaStreamWaitEvent 29 30 6
wait 9 6 1
$1
call 6 cudaEventRecord 43 44 12
record 9 12 3
call 6 cudaStreamWaitEvent 44 45 13
wait 8 13 3
call 6 cudaLaunchKernel 46 47 14
kernel 8 C 302 303 14" | sed '/^kernel 7 B/d' | chain
	}
	t=$(passed "call 6 cudaStreamWaitEvent 20 21 8
wait 13 8 0")
	same "30 302 17 253 2 0 ncclA C" "$(each "$t" -w 20..303)"
	check "$t"
	t=$(passed "call 6 cudaStreamWaitEvent 40 41 8
wait 13 8 0")
	same "30 302 17 253 0 2 ncclA C" "$(each "$t" -w 20..303)"
	check "$t"
	t=$(passed "call 5 cudaMemsetAsync 30 31 8
set 9 31 33 8")
	same "30 302 17 0 255 0 - C" "$(each "$t" -w 20..303)"
	check "$t"
	# what the event's stream had to wait for has no record; what it is given then waited for that, and is what counts
	t=$(late "call 6 cudaStreamWaitEvent 20 21 8
wait 13 8 0" | chain)
	same "30 305 33 237 5 0 ncclA B" "$(each "$t" -w 20..400)"
	check "$t"
	sqlite3 "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start = 45"
	same "30 305 33 0 0 242 - B" "$(each "$t" -w 20..400)"
	check "$t"
	# and what it is told only then
	t=$(late "call 6 cudaStreamWaitEvent 40 41 8
wait 13 8 0" | chain)
	same "30 305 33 237 0 5 ncclA B" "$(each "$t" -w 20..400)"
	check "$t"
	# a thread that waits for it
	t=$(late "call 5 cudaEventSynchronize 29 310 8
await 8 1" | sed 's/^call 5 cudaLaunchKernel 61 63/call 5 cudaLaunchKernel 311 312/; s/B 305/B 320/' | chain)
	same "282 270" "$(nsq-stalls -q -w 30..400 "$t" | col starved_ns sync_wait_ns | tr '\t' ' ')"
	check "$t"
}

@test "100,000 waits of a stream for records that come later take no time" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 ncclA 100 2000000 1
		call 5 cudaStreamWaitEvent 11 12 2
		wait 8 2 1
		call 5 cudaEventRecord 1000000 1000001 3
		record 7 3 1
		call 5 cudaLaunchKernel 1500000 1500001 4
		kernel 8 A 2000010 2000020 4
	END
	)
	sqlite3 "$t" "CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 100001) SELECT i FROM n;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT CASE k WHEN 0 THEN 10 + i ELSE 1200000 - i END, CASE k WHEN 0 THEN 12 + i ELSE 1200001 - i END, 5 << 24 | 5, 10 + 2 * i + k, id
			FROM n, (SELECT 0 AS k, id FROM StringIds WHERE value LIKE 'cudaStreamWait%' UNION SELECT 1, id FROM StringIds WHERE value LIKE 'cudaEventRecord%');
		INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT 0, 0, 0, 1, 8, 10 + 2 * i, 5 << 24, 2, 1, i FROM n;
		INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT SELECT 0, 1, 7, 11 + 2 * i, 5 << 24, 1, i FROM n"
	run timeout 600 nsq-stalls -q --each "$t"
	same "0 100 2000010 1499901 499999 10 0 ncclA A" "$status $(col $EACH <<<"$output" | tr '\t' ' ')"
}

# bats test_tags=slow
@test "the work before it on its stream may be 70,000 pieces of work away" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 4 1
		kernel 8 ncclA 20 2000000 1
		call 5 cudaLaunchKernel 5 9 2
		kernel 9 ncclB 21 2100000 2
		call 5 cudaLaunchKernel 10 11 3
		kernel 7 C 30 40 3
		call 5 cudaLaunchKernel 800000 800010 4
		kernel 9 D 2100010 2100020 4
		call 5 cudaLaunchKernel 900000 900010 5
		kernel 8 E 2000010 2000020 5
	END
	)
	sqlite3 "$t" "CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) SELECT i FROM n;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 11 + 2 * i, 12 + 2 * i, globalTid, 5 + i, nameId FROM n, CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId = 3;
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 30 + 20 * i, 40 + 20 * i, deviceId, contextId, streamId, 5 + i, globalPid, demangledName, shortName, graphNodeId FROM n, CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId = 3"
	same "1400040 2000010 0 599960 10 0 ncclA E
2000020 2100010 0 99980 10 0 ncclB D" "$(each -w 1400035..2100020 "$t")"
}

@test "calls that tell a stream to wait without a row: waits without a record, and if they are most, nothing is known of the process's streams" {
	lines() {
		cat <<-END
			call 5 cudaLaunchKernel 0 2 1
			kernel 7 X 5 30 1
			call 5 cudaLaunchKernel 3 4 2
			kernel 13 ncclA 35 1000 2
			call 5 cudaEventRecord 5 6 3
			record 13 3 1
			call 5 cudaStreamWaitEvent 6 7 4
			$1
			call 5 cudaLaunchKernel 10 12 5
			kernel 7 B 1020 1100 5
		END
	}
	t=$(lines | chain)
	same "990 0 0 0 0 0 0 990 0.00" "$(sums "$t" -w 5..1100)"
	mentions "1 of 1 waits for events by process 5" "name no event" "unresolved" -- nsq-stalls "$t"
	mentions "1 of 1 waits for events by process 5" "name no event" "unresolved" -- nsq-path "$t"
	run --separate-stderr nsq-stalls "$t"
	same 1 "$(wc -l <<<"$stderr")"
	same "unresolved 30 1020" "$(nsq-path -q --each -w 30..1100 "$t" | col kind start_ns end_ns | head -1 | tr '\t' ' ')"
	check "$t"
	# that one has its row, and another one has not: half of them is enough to believe what is there
	t=$(lines "wait 7 4 1
call 5 cuStreamWaitEvent 8 9 6" | chain)
	same "990 0 0 965 965 0 25 0 50.00" "$(sums "$t" -w 5..1100)"
	mentions "1 of 2 waits" -- nsq-stalls "$t"
	mentions "1 of 2 waits" -- nsq-path "$t"
	check "$t"
	t=$(lines "wait 7 4 1
call 5 cudaStreamWaitEvent 8 9 6
call 5 cudaStreamWaitEvent 9 10 7" | chain)
	same "990 0 0 965 965 0 0 25 33.33" "$(sums "$t" -w 5..1100)"
	mentions "2 of 3 waits" -- nsq-path "$t"
	check "$t"
	# in a capture of its thread nothing waits
	for captured in "5 0" "6 990"; do
		read -r tid stalled <<<"$captured"
		t=$(lines "call $tid cudaStreamBeginCapture 7 8 8
call 6 cudaStreamWaitEvent 8 9 6
call $tid cudaStreamEndCapture 9 10 7" | sed '/StreamWaitEvent 6 7/d' | chain)
		same "$stalled" "$(nsq-stalls -q -w 5..1100 "$t" | col stalled_ns)"
		check "$t"
	done
	# but one that has a row does; and what follows a capture is in none
	t=$(lines "call 5 cudaStreamBeginCapture 7 8 8
call 5 cudaStreamWaitEvent 8 9 6
wait 7 6 1
call 5 cudaStreamEndCapture 9 10 7" | sed '/StreamWaitEvent 6 7/s/ 5 cuda/ 6 cuda/' | chain)
	same "990 0 0 965 965 0 25 0 50.00" "$(sums "$t" -w 5..1100)"
	check "$t"
	t=$(lines "call 6 cudaStreamEndCapture 7 8 8
call 6 cudaStreamBeginCapture 8 9 9
call 6 cudaStreamEndCapture 9 10 10
call 6 cudaStreamWaitEvent 11 12 11" | sed '/StreamWaitEvent 6 7/d' | chain)
	same 0.00 "$(nsq-stalls -q "$t" | col resolved_pct)"
	check "$t"
	# of two captures at once the second still goes on when the first ends
	t=$(lines "call 6 cudaStreamBeginCapture 7 8 8
call 6 cudaStreamBeginCapture 8 9 9
call 6 cudaStreamEndCapture 9 10 10
call 6 cudaStreamWaitEvent 11 12 11
call 6 cudaStreamEndCapture 13 14 12" | sed '/StreamWaitEvent 6 7/d' | chain)
	same - "$(nsq-stalls -q "$t" | col resolved_pct)"
	check "$t"
	# they belong to no context, so to each GPU of the process, and are said once
	t=$(lines "wait 7 4 1
call 5 cudaStreamWaitEvent 8 9 6
call 5 cudaLaunchKernel 9 10 7
kernel 7 C 20 30 7 gpu=1 ctx=2" | chain)
	same "50.00 0.00 " "$(nsq-stalls -q "$t" | col resolved_pct | tr '\n' ' ')"
	mentions "1 of 2 waits" -- nsq-stalls "$t"
	check "$t"
}

@test "work on an unknown stream: unresolved" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 2 1
		kernel - X 5 30 1
		call 5 cudaLaunchKernel 3 4 2
		kernel - Y 50 60 2
		call 5 cudaLaunchKernel 6 7 3
		kernel 7 Z 80 90 3
	END
	)
	same "30 50 0 0 0 20 - Y
60 80 0 0 20 0 - Z" "$(each "$t")"
	same "unresolved 5 50
compute 50 60" "$(nsq-path -q --each -w 5..60 "$t" | col kind start_ns end_ns | tr '\t' ' ')"
	check "$t"
	# nor is it known what an event stands for that is recorded on one, or what a thread waits for that waits for one
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 2 1
		kernel 7 X 5 30 1
		call 5 cudaEventRecord 3 4 2
		record - 2 1
		call 5 cudaStreamWaitEvent 5 6 3
		wait 8 3 1
		call 5 cudaLaunchKernel 7 8 4
		kernel 8 Z 80 90 4
		call 5 cudaStreamSynchronize 9 100 5
		sync - 5
		call 5 cudaLaunchKernel 110 112 6
		kernel 8 A 120 130 6
	END
	)
	same "30 80 0 0 0 50 - Z
90 120 22 0 8 0 - A" "$(each "$t")"
	same "compute 80 90
sync 90 100" "$(nsq-path -q --each -w 80..130 "$t" | col kind start_ns end_ns | head -2 | tr '\t' ' ')"
	check "$t"
	# the node before it in its replay is known all the same
	t=$(chain <<-END
		call 5 cudaGraphLaunch 0 2 1
		kernel 7 A 5 30 1 node=1
		kernel 8 ncclX 30 70 1 node=2
		kernel - Y 75 90 1 node=3
	END
	)
	same "30 75 0 40 0 5 ncclX Y" "$(each "$t")"
	same "comm 30 70
unresolved 70 75
compute 75 90" "$(nsq-path -q --each -w 30..90 "$t" | col kind start_ns end_ns | tr '\t' ' ')"
	check "$t"
}

@test "of producers that end at once the node of the replay, then the work before it on its stream, then an event's" {
	t=$(chain <<-END
		call 5 cudaGraphLaunch 0 10 1
		kernel 7 K 20 40 1 node=1
		copy 7 40 300 1 node=2
		kernel 21 ncclX 50 300 1 node=3
		kernel 7 B 310 400 1 node=4
	END
	)
	same "40 310 0 250 20 0 ncclX B" "$(each "$t")"
	check "$t"
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 1 1
		kernel 7 A 20 100 1
		call 5 cudaMemcpyAsync 2 3 2
		copy 7 110 300 2
		call 5 cudaLaunchKernel 4 5 3
		kernel 13 ncclX 105 300 3
		call 5 cudaEventRecord 6 7 4
		record 13 4 1
		call 5 cudaStreamWaitEvent 8 9 5
		wait 7 5 1
		call 5 cudaLaunchKernel 10 11 6
		kernel 7 B 310 400 6
	END
	)
	same "100 310 0 190 20 0 memcpy h2d B" "$(each "$t")"
	check "$t"
}

@test "gaps in which nothing runs on the GPU: a wait without a record, a node on another GPU, and communication that starts with the kernel" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 100 1
		call 5 cudaStreamWaitEvent 10 11 2
		wait 7 2 9
		call 5 cudaLaunchKernel 11 12 3
		kernel 7 B 200 300 3
		call 5 cudaGraphLaunch 12 13 4
		kernel 7 C 310 400 4 node=1
		kernel 8 D 400 480 4 node=2 gpu=1 ctx=2
		kernel 7 E 500 600 4 node=3
	END
	)
	same "210 0 0 80 0 0 30 100 0.00" "$(sums -g 0 -w 20..600 "$t")"
	check "$t"
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 100 1
		call 5 cudaStreamWaitEvent 10 11 2
		wait 7 2 9
		call 5 cudaLaunchKernel 11 12 3
		call 5 cudaLaunchKernel 12 13 4
		kernel 7 B 200 300 4
		kernel 7 ncclX 200 305 3
		call 5 cudaLaunchKernel 13 14 5
		kernel 7 C 310 400 5
		call 5 cudaStreamWaitEvent 14 15 6
		wait 7 6 10
		call 5 cudaLaunchKernel 15 16 7
		kernel 7 D 420 500 7
	END
	)
	same "130 0 0 5 5 0 5 120 0.00" "$(sums -w 20..500 "$t")"
	check "$t"
}

@test "gaps between nodes that run in turn: one without length, two at once, a copy, communication, waits without a record, other launches, and wherever the window ends" {
	t=$(chain <<-END
		call 5 cudaStreamWaitEvent 0 1 1
		wait 9 1 9
		call 5 cudaStreamWaitEvent 1 2 2
		wait 10 2 10
		call 5 cudaLaunchKernel 2 3 3
		call 5 cudaGraphLaunch 3 4 4
		kernel 7 A 20 30 4 node=1
		kernel 7 B 40 50 4 node=2
		kernel 7 C 55 60 4 node=3
		kernel 7 D 60 70 4 node=4
		kernel 7 E 81 90 4 node=5
		kernel 8 F 81 95 4 node=6
		kernel 7 G 103 110 4 node=7
		copy 7 113 117 4 node=8
		kernel 7 H 122 130 4 node=9
		kernel 7 ncclI 131 150 4 node=10
		kernel 7 J 157 160 4 node=11
		kernel 7 K 165 170 4 node=12
		kernel 9 L 179 180 4 node=13
		kernel 7 M 191 200 4 node=14
		kernel 8 N 195 205 4 node=15
		kernel 7 O 210 220 4 node=16
		kernel 7 P 224 230 4 node=17
		kernel 7 Q 240 265 4 node=18
		kernel 10 R 240 268 3
		kernel 7 S 270 275 4 node=19
		kernel 7 T 280 284 4 node=20
		kernel 7 U 286 286 4 node=21
		copy 7 288 290 4 node=22
		call 5 cudaLaunchKernel 310 312 5
		kernel 7 V 320 330 5
	END
	)
	for end in $(seq 31 23 330); do
		same "$(nsq-stalls -q --each -w 20..$end "$t" | col starved_ns blocked_ns stalled_ns unresolved_ns |
			awk '{ for (i = 1; i <= 4; i++) all[i] += $i } END { print all[1] + 0, all[2] + 0, all[3] + 0, all[4] + 0 }')" \
			"$(nsq-stalls -q -w 20..$end "$t" | col starved_ns blocked_ns stalled_ns unresolved_ns | tr '\t' ' ')"
	done
	same "160 28 0 23 19 4 90 19 0.00" "$(sums -w 20..330 "$t")"
	check "$t"
}

@test "other calls that launch several kernels have issued them when they end" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 100 1
		call 5 cudaLaunchCooperativeKernelMultiDevice 110 350 2
		kernel 7 B 200 300 2
		kernel 8 D 400 500 2
	END
	)
	same "100 200 100 0 0 0 - B
300 400 50 0 50 0 - D" "$(each -w 20..500 "$t")"
}

@test "a process that lost events: what is not blocked is unresolved" {
	t=$(example 24 30)
	sqlite3 "$t" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 700 + i, 700 + i, r.globalTid, 1000 + i, r.nameId FROM n, CUPTI_ACTIVITY_KIND_RUNTIME r WHERE r.start = 0"
	same "440 10 0 302 300 2 0 128 100.00" "$(sums -w 0..600 "$t")"
	holds "$(nsq-stalls "$t" 2>&1 >/dev/null)" "lost events"
}

# ---- real traces

# adds_up TRACE...: the parts, in every mode, and all of them with compute.
adds_up() {
	for t; do
		nsq-stalls -q "$t" > "$BATS_TEST_TMPDIR/sums"
		same "" "$(rows < "$BATS_TEST_TMPDIR/sums" | awk -F '\t' '$6 != $8 + $10 + $13 + $14 || $10 < $11 + $12 || $9 > $8')"
		same "$(nsq-overlap -q --total "$t" | rows | awk -F '\t' '{ print $1, $5, $4 - $3 - $6 }')" "$(col pid gpu absent_ns < "$BATS_TEST_TMPDIR/sums" | tr '\t' ' ')"
		for mode in --each "--by part" "--by producer" "--by stage" "--by nvtx" "--by part,producer,stage,nvtx"; do
			same "$(sum starved_ns blocked_ns stalled_ns unresolved_ns < "$BATS_TEST_TMPDIR/sums")" \
				"$(nsq-stalls -q $mode "$t" | sum starved_ns blocked_ns stalled_ns unresolved_ns)"
		done
	done
}

SMALL=("$COPIES" "$COMPILE" "$FIXTURES/collectives-rank0.sqlite")

@test "fixtures: parts add up to what is absent, and that to the window less compute" {
	adds_up "$COMPILE" "$DUALPIPE"
}

# bats test_tags=slow
@test "all fixtures: parts add up to what is absent, and that to the window less compute" {
	adds_up "$FIXTURES"/*.sqlite
}

# bats test_tags=slow
@test "fixtures: what brute force says" {
	brute_force "${SMALL[@]}" "$WHOLE"
}

# bats test_tags=slow
@test "all fixtures: what brute force says" {
	brute_force "$FIXTURES"/*.sqlite
}

# random_ones FIRST LAST: what brute force says of the random traces of those seeds.
random_ones() {
	for seed in $(seq "$1" "$2"); do
		python3 -S "$TESTS/dependencies/random_trace.py" "$seed" "$BATS_TEST_TMPDIR/$seed.sqlite"
	done
	brute_force "$BATS_TEST_TMPDIR"/[0-9]*.sqlite
}

# bats test_tags=slow
@test "random traces: what brute force says" {
	random_ones 200 202
}

# bats test_tags=slow
@test "more random traces: what brute force says" {
	random_ones 203 215
	random_ones $((1000 + SEED)) $((1009 + SEED))
}

@test "ddp-2rank: 306 of 491 ms absent are blocked by communication; a copy of two microseconds stands between" {
	same "1084 490 305 404 131" "$(nsq-stalls -q "$DDP" | where pid 1084 | col pid absent_ns blocked_comm_ns blocked_copy_ns stalled_ns | awk -F '\t' '{ print $1, int($2 / 1e6), int($3 / 1e6), int($4 / 1e3), int($5 / 1e6) }')"
	# the longest stretch is blocked by the all-reduce, although the copy is what its stream ran last
	longest=$(nsq-stalls -q --each -p 1084 "$DDP" | col start_ns end_ns producer blocked_ns | sort -t "$TAB" -k4,4nr | head -1)
	holds "$longest" ncclDevKernel_AllReduce
}

@test "dualpipe: 353 to 357 ms of each rank are blocked by communication" {
	same "0 355
1 357
2 356
3 353" "$(nsq-stalls -q "$DUALPIPE" | col rank blocked_comm_ns | awk -F '\t' '{ print $1, int($2 / 1e6) }')"
	run nsq-stalls "$DUALPIPE_2023"
	holds "$output" "624 of 1224 waits"
	same "49.02 " "$(nsq-stalls -q "$DUALPIPE_2023" | col resolved_pct | sort -u | tr '\n' ' ')"
}

# bats test_tags=more
@test "stage is that of the producer, as in nsq-overlap; nvtx is around next, as in nsq-kernels" {
	for t in $(first_few 1 "$DUALPIPE" "$DDP"); do
		for option in $(first_few 1 -q --adopt); do
			nsq-overlap -q --each $option "$t" | col pid stage name | sort -u > "$BATS_TEST_TMPDIR/stages"
			nsq-stalls -q --each $option "$t" | col pid stage producer | grep "${TAB}nccl" | sort -u > "$BATS_TEST_TMPDIR/ours"
			[ -s "$BATS_TEST_TMPDIR/ours" ]
			same "" "$(comm -13 "$BATS_TEST_TMPDIR/stages" "$BATS_TEST_TMPDIR/ours")"
			nsq-kernels -q --each $option "$t" | col pid gpu start_ns nvtx name | sort -u > "$BATS_TEST_TMPDIR/kernels"
			nsq-stalls -q --each $option "$t" | col pid gpu end_ns nvtx next | grep -v "${TAB}-$" | sort -u > "$BATS_TEST_TMPDIR/ours"
			same "" "$(comm -13 "$BATS_TEST_TMPDIR/kernels" "$BATS_TEST_TMPDIR/ours")"
		done
	done
	# the sums by stage are those of the producers
	same "$(nsq-stalls -q "$DUALPIPE" | sum blocked_comm_ns)" "$(nsq-stalls -q --by stage "$DUALPIPE" | grep -v "${TAB}-${TAB}-${TAB}" | sum blocked_comm_ns)"
	# --captured changes the ranges of what a graph replays
	holds "$(nsq-stalls -q --each --captured "$FIXTURES/graph-capture.sqlite" | col nvtx | tally)" "attention$TAB"
	lacks "$(nsq-stalls -q --each "$FIXTURES/graph-capture.sqlite" | col nvtx | tally)" "attention$TAB"
}

# ---- planted in real traces: a stretch of the training run in which the GPU only computes

# plant SQL: a copy of the trace in which, after the first kernel that is followed by 20 us of nothing, that is inserted.  :a and :b
# are where the stretch begins and ends, :p the process, :k the launch of the kernel that ends it.
plant() {
	local t=$BATS_TEST_TMPDIR/planted.sqlite a b
	rm -f "$t"
	cp "$FIXTURES/train.sqlite" "$t"
	chmod u+w "$t"
	read -r a b < <(nsq-stalls -q --each "$t" | awk -F '\t' 'NR > 1 && $6 > 100000 && $6 < 400000 && $8 == 0 { print $3, $4 }' | sort -n | sed -n 5p)
	echo "$a $b" > "$BATS_TEST_TMPDIR/where"
	sqlite3 -bail "$t" "CREATE TEMP TABLE at AS SELECT k.*, r.start AS launched, r.end AS issued, r.globalTid, $a AS a, $b AS b
			FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId) WHERE k.start = $b;
		$1"
}

# Its next kernel is issued before the stretch, and an all-reduce runs in it: on stream 99, launched just before.
EXPOSED="UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = (SELECT a - 400 FROM at), end = (SELECT a - 300 FROM at) WHERE correlationId = (SELECT correlationId FROM at);
	INSERT INTO StringIds VALUES (900001, 'ncclDevKernel_planted'), (900002, 'cudaStreamWaitEvent_v3020'), (900003, 'cudaEventRecord_v3020');
	INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT a - 1000, a - 990, eventClass, r.globalTid, 900001, nameId, returnValue, callchainId FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN at USING (correlationId);
	UPDATE at SET shortName = 900001, streamId = 99, correlationId = 900001, start = a + 1000, end = b - 2000;"

kernel_columns() { sql "$FIXTURES/train.sqlite" "SELECT group_concat(name) FROM pragma_table_info('CUPTI_ACTIVITY_KIND_KERNEL')"; }

@test "planted: an all-reduce beside no compute that nothing waits for is exposed, not blocked" {
	plant "$EXPOSED INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT $(kernel_columns) FROM at;"
	read -r a b < "$BATS_TEST_TMPDIR/where"
	same $((b - a - 3000)) "$(nsq-overlap -q "$BATS_TEST_TMPDIR/planted.sqlite" | col exposed_ns)"
	same "0 0 $((b - a)) -" "$(nsq-stalls -q --each -w $a..$b "$BATS_TEST_TMPDIR/planted.sqlite" | col starved_ns blocked_ns stalled_ns producer | tr '\t' ' ')"
	same "0" "$(nsq-stalls -q "$BATS_TEST_TMPDIR/planted.sqlite" | col blocked_comm_ns)"
}

@test "planted: an all-reduce that the next kernel waits for through a relay stream blocks it, and is named" {
	plant "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
			eventId INTEGER NOT NULL, eventSyncId INTEGER);
		CREATE TEMP TABLE next AS SELECT * FROM at;
		$EXPOSED INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT $(kernel_columns) FROM at;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT at.a - 900 + 100 * i, at.a - 850 + 100 * i, eventClass, at.globalTid, 900002 + i, CASE WHEN i % 2 THEN 900002 ELSE 900003 END, 0, NULL
			FROM at, (SELECT 0 AS i UNION SELECT 1 UNION SELECT 2 UNION SELECT 3), (SELECT eventClass FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1);
		INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT SELECT 0, contextId, 99, 900002, globalPid, 1, 71 FROM at UNION SELECT 0, contextId, 98, 900004, globalPid, 2, 72 FROM at;
		INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId, streamId, correlationId, globalPid, syncType, eventId, eventSyncId)
			SELECT 0, 0, 0, contextId, 98, 900003, globalPid, 2, 1, 71 FROM next UNION SELECT 0, 0, 0, contextId, streamId, 900005, globalPid, 2, 2, 72 FROM next;"
	read -r a b < "$BATS_TEST_TMPDIR/where"
	same "0 $((b - a - 3000)) 3000 ncclDevKernel_planted" "$(nsq-stalls -q --each -w $a..$b "$BATS_TEST_TMPDIR/planted.sqlite" | col starved_ns blocked_ns stalled_ns producer | tr '\t' ' ')"
	same "$((b - a - 3000)) 100.00" "$(nsq-stalls -q "$BATS_TEST_TMPDIR/planted.sqlite" | col blocked_comm_ns resolved_pct | tr '\t' ' ')"
	check "$BATS_TEST_TMPDIR/planted.sqlite"
	# issued late, it starves whatever blocks it
	sqlite3 "$BATS_TEST_TMPDIR/planted.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = $b - 900, end = $b - 800 WHERE start = $a - 400"
	same "$((b - a - 800)) 0 800 -" "$(nsq-stalls -q --each -w $a..$b "$BATS_TEST_TMPDIR/planted.sqlite" | col starved_ns blocked_ns stalled_ns producer | tr '\t' ' ')"
}

# ---- properties

# bats test_tags=slow
@test "threads, the order of rows and windows change nothing" {
	for mode in "" --each "--by part" "--by stage,nvtx"; do
		for t in "$DDP" "$NODES"; do
			same "$(nsq-stalls -q -j 1 $mode "$t")" "$(nsq-stalls -q -j 5 $mode "$t")"
		done
	done
	cp "$DUALPIPE" "$BATS_TEST_TMPDIR/turned.sqlite"
	chmod u+w "$BATS_TEST_TMPDIR/turned.sqlite"
	for table in SYNCHRONIZATION CUDA_EVENT RUNTIME KERNEL; do
		sqlite3 "$BATS_TEST_TMPDIR/turned.sqlite" "CREATE TEMP TABLE x AS SELECT * FROM CUPTI_ACTIVITY_KIND_$table; DELETE FROM CUPTI_ACTIVITY_KIND_$table;
			INSERT INTO CUPTI_ACTIVITY_KIND_$table SELECT * FROM x ORDER BY rowid DESC"
	done
	same "$(nsq-stalls -q --each "$DUALPIPE" | without trace)" "$(nsq-stalls -q --each "$BATS_TEST_TMPDIR/turned.sqlite" | without trace)"
	# windows that tile the time add up, piped or not, merged or not
	w=(-w 100ms..200ms -w 200ms..300ms)
	whole=$(nsq-stalls -q -w 100ms..300ms "$DUALPIPE" | col $SUMS)
	same "$whole" "$(nsq-stalls -q --merge "${w[@]}" "$DUALPIPE" | col $SUMS)"
	same "$(nsq-stalls -q -w 100ms..300ms "$DUALPIPE" | sum absent_ns starved_ns blocked_ns stalled_ns unresolved_ns)" "$(nsq-stalls -q "${w[@]}" "$DUALPIPE" | sum absent_ns starved_ns blocked_ns stalled_ns unresolved_ns)"
	same "$(nsq-stalls -q "${w[@]}" "$DUALPIPE" | rows)" "$(nsq-overlap -q --total "${w[@]}" "$DUALPIPE" | nsq-stalls -q | rows)"
}

# bats test_tags=slow
@test "100,000 relays in a chain, each waiting for two events, take no time" {
	t=$BATS_TEST_TMPDIR/relays.sqlite
	chain <<-END > "$BATS_TEST_TMPDIR/path"
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 ncclA 100 2000000 1
		call 5 cudaEventRecord 10 11 2
		record 7 2 1
		call 5 cudaLaunchKernel 20 21 3
		kernel 8 A 30 90 3
	END
	mv "$(cat "$BATS_TEST_TMPDIR/path")" "$t"
	sqlite3 "$t" "INSERT INTO StringIds VALUES (77, 'cudaStreamWaitEvent_v3020');
		CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i FROM n;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 90 + 8 * i + k, 91 + 8 * i + k, 5 << 24 | 5, 10 + 4 * i + k, CASE k WHEN 2 THEN (SELECT id FROM StringIds WHERE value LIKE 'cudaEventRecord%') ELSE 77 END
			FROM n, (SELECT 0 AS k UNION SELECT 1 UNION SELECT 2);
		INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT 0, 0, 0, 1, 100 + i, 10 + 4 * i + k, 5 << 24, 2, 1, max(1, i - k) FROM n, (SELECT 0 AS k UNION SELECT 1);
		INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT SELECT 0, 1, 100 + i, 12 + 4 * i, 5 << 24, 1, i + 1 FROM n;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 900000 + k, 900001 + k, 5 << 24 | 5, 900000 + k, CASE k WHEN 0 THEN 77 ELSE (SELECT id FROM StringIds WHERE value LIKE 'cudaLaunch%') END FROM (SELECT 0 AS k UNION SELECT 1);
		INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (0, 0, 0, 1, 8, 900000, 5 << 24, 2, 1, 100001);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 2000010, 2000100, 0, 1, 8, 900001, 5 << 24, shortName, shortName, NULL FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start = 30"
	run timeout 600 nsq-stalls -q --each "$t"
	same "0" "$status"
	same "90 2000010 899912 1099998 10 0 ncclA A" "$(col $EACH <<<"$output" | tr '\t' ' ' | grep ncclA)"
}

# bats test_tags=slow
@test "a kernel that runs as long as 200,000 synchronizations of the device takes no time" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 5 1
		kernel 13 ncclP 10 20001000 1
		call 5 cudaFree 20 21 2
		kernel 7 k 30 40 -
	END
	)
	sqlite3 "$t" "CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT i FROM n;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 100 * i + 6 * k, 100 * i + 5 + 45 * k, 5 << 24 | 5, 10 + 2 * i + k,
			(SELECT id FROM StringIds WHERE value LIKE CASE k WHEN 0 THEN 'cudaLaunch%' ELSE 'cudaFree%' END) FROM n, (SELECT 0 AS k UNION SELECT 1);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 100 * i + 10, 100 * i + 40, 0, 1, 7, 10 + 2 * i, 5 << 24, shortName, shortName, NULL
			FROM n, CUPTI_ACTIVITY_KIND_KERNEL WHERE start = 30"
	# each kernel runs for 30 of 100, and is launched until 5 before it starts
	run timeout 600 nsq-stalls -q -w 140..20000140 "$t"
	same "0 14000030 13000035 999995" "$status $(col absent_ns starved_ns stalled_ns <<<"$output" | tr '\t' ' ')"
	run timeout 600 nsq-path -q -w 140..20000140 "$t"
	same "0 comm 20000000" "$status $(col kind dur_ns <<<"$output" | tr '\t' ' ')"
}

@test "a synchronization of the device, while 5,000 kernels run that other threads launched since" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 100 1
		call 5 cudaLaunchKernel 12 14 2
		kernel 13 ncclC 100 400 2
		call 5 cudaDeviceSynchronize 20 450 3
		call 6 cudaLaunchKernel 21 22 4
		kernel 14 ncclL 101 9000 4
		call 5 cudaLaunchKernel 500 510 9
		kernel 7 B 520 600 9
	END
	)
	sqlite3 "$t" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + i / 30, end + i, deviceId, contextId, 100 + i, correlationId, globalPid, shortName,
			demangledName, NULL FROM n, CUPTI_ACTIVITY_KIND_KERNEL WHERE streamId = 14"
	same "420 410 300 0 0 0 10 0 -" "$(sums -w 20..600 "$t")"
}

# ---- options

@test "options that have no effect are refused" {
	fails 2 "'--rules' has no effect" -- nsq-stalls --rules stages "$DDP"
	fails 2 "'--adopt' has no effect" -- nsq-stalls --adopt --by part "$DDP"
	fails 2 "'--captured' has no effect" -- nsq-stalls --captured "$DDP"
	fails 2 "--inside" -- nsq-stalls --inside "$DDP"
	fails 2 "'--by'" -- nsq-stalls --each --by part "$DDP"
}

@test "--comm and --rules say what counts as communication, and what its stage is" {
	t=$(example 24 30)
	sqlite3 "$t" "UPDATE StringIds SET value = 'allreduce' WHERE value = 'ncclC'"
	# now it is compute: nothing is absent while it runs
	same "140 10 0 2 0 2 128 0 100.00" "$(sums -w 0..600 "$t")"
	same "440 10 0 302 300 2 128 0 100.00" "$(sums -w 0..600 --comm allreduce "$t")"
	sqlite3 "$t" "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES (11, 21, 59, 'sync grads 7', 5 << 24 | 5, 0), (21, 40, 59, 'step 3', 5 << 24 | 5, 0)"
	same "sync grads #${TAB}step 3" "$(nsq-stalls -q --each --comm allreduce -w 100..600 "$t" | col stage nvtx)"
	same "GRADS${TAB}step 3" "$(nsq-stalls -q --each --comm allreduce --rules <(printf 'grads\tGRADS\n') -w 100..600 "$t" | col stage nvtx)"
	same "step #${TAB}420" "$(nsq-stalls -q --by nvtx --comm allreduce -w 100..600 "$t" | col nvtx absent_ns)"
}

# bats test_tags=slow
@test "the traces of the tests above: what brute force says" {
	[ -d "$BATS_FILE_TMPDIR/checked" ] || skip "no test ran before this one"
	brute_force "$BATS_FILE_TMPDIR"/checked/*.sqlite
}
