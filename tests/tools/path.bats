# nsq-path: which chain of work, waits and CPU time makes the window as long as it is?
load ../helper

RANKS=("$FIXTURES"/collectives-rank{0,1,2,3}.sqlite)
TRAIN=$FIXTURES/train.sqlite
CAPTURE=$FIXTURES/graph-capture.sqlite

# links TRACE [OPTION...]: the path, a line of "kind from to name" for each link.
links() {
	local t=$1
	shift
	nsq-path -q --each "$@" "$t" | col kind start_ns end_ns name | tr '\t' ' '
}

# is EXPECTED TRACE [OPTION...]: the links are those, which are given without leading tabs.
is() {
	local expected=$1
	shift
	same "$(sed 's/^[[:space:]]*//' <<< "$expected")" "$(links "$@")"
}

# kinds TRACE [OPTION...]: "kind time" for each kind, in order of kind.
kinds() {
	local t=$1
	shift
	nsq-path -q "$@" "$t" | col kind dur_ns | awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort
}

# ---- one rule at a time

# The example of share/references/checks.md: a collective between two kernels, through a stream that only relays, and a copy behind it.
example() {
	chain <<-END
		call 5 cudaLaunchKernel 0 100 1
		kernel 7 A 200 1000 1
		call 5 cudaEventRecord 100 105 2
		record 7 2 1
		call 5 cudaStreamWaitEvent 110 115 3
		wait 13 3 1
		call 5 cudaLaunchKernel 120 200 4
		kernel 13 ncclC 1000 4000 4
		call 5 cudaEventRecord 201 202 5
		record 13 5 2
		call 5 cudaStreamWaitEvent 203 204 6
		wait 9 6 2
		call 5 cudaEventRecord 205 206 7
		record 9 7 3
		call 5 cudaStreamWaitEvent 207 208 8
		wait 7 8 3
		call 5 cudaMemcpyAsync 220 240 9
		copy 7 4020 4040 9
		call 5 cudaLaunchKernel ${1:-240 300} 10
		kernel 7 B 5200 6000 10
	END
}

@test "streams, events and a relay between them" {
	is "cpu 0 100 -
		dispatch 100 200 cudaLaunchKernel
		compute 200 1000 A
		comm 1000 4000 ncclC
		event 4000 4020 -
		copy 4020 4040 memcpy h2d
		stream 4040 5200 -
		compute 5200 6000 B" "$(example)" -w 0..6000
}

@test "a launch that comes late" {
	is "cpu 0 5100 -
		dispatch 5100 5200 cudaLaunchKernel
		compute 5200 6000 B" "$(example "5000 5100")" -w 0..6000
}

@test "sums: time, share and number of links by kind and name, most first" {
	t=$(example)
	same "$(printf '%s\t%s\t%s\t%s\t%s\n' 3000 50.00 1 comm ncclC 1160 19.33 1 stream - 800 13.33 1 compute A 800 13.33 1 compute B \
		100 1.67 1 cpu - 100 1.67 1 dispatch cudaLaunchKernel 20 0.33 1 copy "memcpy h2d" 20 0.33 1 event -)" \
		"$(nsq-path -w 0..6000 "$t" | col dur_ns pct edges kind name)"
	# two links of one kind and name are one row
	same "$(printf '7\t2\tcompute\tA\n3\t1\tstream\t-')" "$(chain <<-END | xargs nsq-path | col dur_ns edges kind name
		call 5 cudaLaunchKernel 0 1 1
		kernel 7 A 10 14 1
		call 5 cudaLaunchKernel 1 2 2
		kernel 7 A 17 20 2
	END
	)"
}

@test "--each: where each link is: GPU, context and stream, thread" {
	same "$(printf '%s\t%s\t%s\t%s\t%s\n' - - - 5 cpu 0 1 7 5 dispatch 0 1 7 5 compute 0 1 13 5 comm 0 1 7 - event 0 1 7 5 copy \
		0 1 7 - stream 0 1 7 5 compute)" "$(nsq-path --each -w 0..6000 "$(example)" | col gpu ctx stream tid kind)"
}

# bats test_tags=long
@test "of the ends before the start of a piece of work the latest leads on" {
	# B waits for its stream until 100, for an event until 140 or 90, and is launched by 160 or earlier
	lines() {
		cat <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A 20 100 1
			call 5 cudaLaunchKernel 11 12 2
			kernel 8 P 20 $1 2
			call 5 cudaEventRecord 13 14 3
			record 8 3 1
			call 5 cudaStreamWaitEvent 15 16 4
			wait 7 4 1
			call 5 cudaLaunchKernel 17 $2 5
			kernel 7 B 200 300 5
		END
	}
	same "event 140" "$(lines 140 30 | chain | xargs nsq-path --each | col kind start_ns | tail -2 | head -1 | tr '\t' ' ')"
	same "stream 100" "$(lines 90 30 | chain | xargs nsq-path --each | col kind start_ns | tail -2 | head -1 | tr '\t' ' ')"
	same "dispatch 160" "$(lines 140 160 | chain | xargs nsq-path --each | col kind start_ns | tail -2 | head -1 | tr '\t' ' ')"
	# ties: the stream before the event, the event before the launch
	same "stream 100" "$(lines 100 100 | chain | xargs nsq-path --each | col kind start_ns | tail -2 | head -1 | tr '\t' ' ')"
	same "event 140" "$(lines 140 140 | chain | xargs nsq-path --each | col kind start_ns | tail -2 | head -1 | tr '\t' ' ')"
	# what ends later counts as ending there, if it started before; a launch call that is still open leaves no time of its own
	same "compute 20 P" "$(lines 250 30 | chain | xargs nsq-path --each | col kind start_ns name | tail -2 | head -1 | tr '\t' ' ')"
	same "compute 20 P" "$(lines 200 250 | chain | xargs nsq-path --each | col kind start_ns name | tail -2 | head -1 | tr '\t' ' ')"
	same "cpu 20" "$(lines 140 250 | chain | xargs nsq-path --each | col kind start_ns | tail -2 | head -1 | tr '\t' ' ')"
}

@test "what starts after a piece of work is nothing it waited for" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 100 1
		call 5 cudaLaunchKernel 11 12 2
		kernel 7 B 15 30 2
	END
	)
	is "cpu 0 12 -
		dispatch 12 15 cudaLaunchKernel
		compute 15 20 B" "$t" -w 0..20
}

@test "of several events the one that is complete last" {
	is "compute 20 170 Q
		event 170 200 -
		compute 200 300 B" "$(chain <<-END
			call 5 cudaLaunchKernel 0 1 1
			kernel 8 P 20 90 1
			call 5 cudaLaunchKernel 1 2 2
			kernel 9 Q 20 170 2
			call 5 cudaEventRecord 3 4 3
			record 9 3 1
			call 5 cudaEventRecord 4 5 4
			record 8 4 2
			call 5 cudaStreamWaitEvent 5 6 5
			wait 7 5 1
			call 5 cudaStreamWaitEvent 6 7 6
			wait 7 6 2
			call 5 cudaLaunchKernel 8 9 7
			kernel 7 B 200 300 7
		END
		)"
}

@test "a wait without a record is unresolved, up to the latest end that is known" {
	lines() {
		chain <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A 20 100 1
			call 5 cudaStreamWaitEvent 11 12 2
			wait 7 2 $1
			call 5 cudaLaunchKernel 17 $2 5
			kernel 7 B 200 300 5
		END
	}
	is "compute 20 100 A
		unresolved 100 200 -
		compute 200 300 B" "$(lines 0 30)"
	is "cpu 20 150 -
		unresolved 150 200 -
		compute 200 300 B" "$(lines 0 150)"
	# the id of a record that is not in the trace
	is "compute 20 100 A
		unresolved 100 200 -
		compute 200 300 B" "$(lines 77 30)"
}

@test "work without a launch: unresolved, back to the process's last end before it" {
	is "compute 20 60 A
		unresolved 60 80 -
		compute 80 180 X
		stream 180 200 -
		compute 200 300 B" "$(chain <<-END
			call 5 cudaLaunchKernel 0 1 1
			kernel 7 A 20 60 1
			kernel 9 Y 30 50 -
			kernel 8 X 80 180 -
			call 5 cudaLaunchKernel 2 3 2
			kernel 8 B 200 300 2
		END
		)"
}

@test "a synchronization waits for work without a launch that began before it, though nothing follows on its stream" {
	is "compute 20 60 X
		sync 60 70 cudaStreamSynchronize
		cpu 70 90 -
		dispatch 90 100 cudaLaunchKernel
		compute 100 150 B" "$(chain <<-END
			kernel 8 X 20 60 -
			call 5 cudaStreamSynchronize 30 70 1
			sync 8 1
			call 5 cudaLaunchKernel 80 90 2
			kernel 7 B 100 150 2
		END
		)"
	# what begins later does not count, nor does a migration for the device
	for late in "kernel 8 X 40 60 -"$'\nsync 8 1' "copy 8 20 60 - kind=11"; do
		t=$(chain <<-END
			$late
			call 5 cuda$([[ $late == kernel* ]] && echo Stream || echo Device)Synchronize 30 70 1
			call 5 cudaLaunchKernel 80 90 2
			kernel 7 B 100 150 2
		END
		)
		same "" "$(links "$t" | grep sync)"
	done
}

@test "work without a launch that starts where other work ends; work of zero length then leads nowhere" {
	is "compute 20 60 A
		compute 60 100 X" "$(chain <<-END
			call 5 cudaLaunchKernel 0 1 1
			kernel 7 A 20 60 1
			kernel 9 Z 60 60 -
			kernel 8 X 60 100 -
		END
		)"
}

@test "a migration: unresolved, though a call has its correlation id; what still runs has not ended" {
	is "compute 20 60 A
		unresolved 60 200 -
		copy 200 300 memcpy um_h2d" "$(chain <<-END
			call 5 cudaLaunchKernel 0 1 1
			kernel 7 A 20 60 1
			call 5 cudaLaunchKernel 1 2 2
			kernel 8 Z 30 250 2
			copy 9 200 300 2 kind=11
		END
		)"
}

@test "without any earlier end the rest is unresolved" {
	is "unresolved 10 200 -
		compute 200 300 X" "$(chain <<-END
			call 5 cudaEventQuery 10 20 1
			kernel 7 X 200 300 -
		END
		)" -w 10..300
}

@test "a trace without calls: all but the work is unresolved" {
	is "compute 20 60 A
		unresolved 60 200 -
		compute 200 300 X" "$(chain <<-END
			kernel 7 A 20 60 1
			kernel 7 X 200 300 2
		END
		)"
}

# ---- the CPU

@test "a launch after a synchronization of the stream" {
	is "compute 20 1000 A
		sync 1000 1010 cudaStreamSynchronize
		cpu 1010 1250 -
		dispatch 1250 1300 cudaLaunchKernel
		compute 1300 1400 B" "$(chain <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A 20 1000 1
			call 5 cudaStreamSynchronize 15 1010 2
			sync 7 2
			call 5 cudaLaunchKernel 1200 1250 3
			kernel 7 B 1300 1400 3
		END
		)"
}

# waited CALL ROW: the path up to B, which is launched after A ran to 1000, Z to 1100 and then a call waited, 15 to 1200.
waited() {
	chain <<-END | xargs nsq-path -q --each | col kind start_ns end_ns name | tr '\t' ' ' | tail -n +2 | head -2
		call 5 cudaLaunchKernel 0 2 1
		kernel 7 A 20 1000 1
		call 5 cudaEventRecord 2 4 2
		record 7 2 1
		call 5 cudaLaunchKernel 4 6 3
		kernel 8 Z 30 1100 3
		call 5 $1 15 1200 4
		$2
		call 5 cudaLaunchKernel 1300 1350 5
		kernel 9 B 1400 1500 5
	END
}

# bats test_tags=more
@test "what each kind of synchronization waited for" {
	one="sync 1000 1200" all="sync 1100 1200"
	holds "$(waited cudaStreamSynchronize "sync 7 4")" "$one"
	holds "$(waited cuStreamSynchronize "sync 8 4")" "$all"
	holds "$(waited cudaEventSynchronize "await 4 1")" "$one"
	for call in $(first_few 1 cudaFree cudaDeviceSynchronize cuCtxSynchronize cudaThreadSynchronize); do
		holds "$(waited $call)" "$all $call"
	done
	# not known: the last work that ended inside
	holds "$(waited cudaStreamSynchronize)" "$all"
	holds "$(waited cudaEventSynchronize "await 4 0")" "$all"
	# calls that only ask, and other calls
	for call in $(first_few 2 cudaStreamQuery cudaFreeHost cudaEventQuery cudaMalloc cudaFreeAsync cudaMemsetAsync); do
		holds "$(waited $call)" "dispatch 1350 1400"
	done
	holds "$(waited cudaEventQuery "await 4 1")" "dispatch 1350 1400"
	# a stream that had nothing to do
	holds "$(waited cudaStreamSynchronize "sync 99 4")" "dispatch 1350 1400"
}

@test "a call waited for what ended up to 20 us after it, as if it had ended with it, and not for what had ended before" {
	lines() {
		chain <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A $1 $2 1
			call 5 $3 50000 60000 2
			${4:+sync 7 2}
			call 5 cudaLaunchKernel 99000 99500 3
			kernel 8 B 100000 100100 3
		END
	}
	rest="dispatch 99500 100000 cudaLaunchKernel
		compute 100000 100100 B"
	for call in cudaDeviceSynchronize "cudaStreamSynchronize SYNC"; do
		is "compute 20 60000 A
			cpu 60000 99500 -
			$rest" "$(lines 20 80000 $call)"
		is "cpu 20 99500 -
			$rest" "$(lines 20 80001 $call)"
		is "cpu 20 99500 -
			$rest" "$(lines 20 50000 $call)"
		is "compute 20 50001 A
			sync 50001 60000 ${call% *}
			cpu 60000 99500 -
			$rest" "$(lines 20 50001 $call)"
	done
	# what both started and ended after the call, by clocks that differ, leaves its time to what came before
	is "cpu 0 10 -
		dispatch 10 60000 cudaLaunchKernel
		cpu 60000 99500 -
		$rest" "$(lines 61000 62000 cudaDeviceSynchronize)" -w 0..100100
}

@test "clocks that differ lead the walk in no circle" {
	# by their times X waits for Y, Y for W, W for the call that waited for X
	is "cpu 0 1000 -
		cpu 1000 1110 -
		dispatch 1110 1200 cudaLaunchKernel
		compute 1200 1300 B" "$(chain <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 X 1015 1018 1
			call 5 cudaDeviceSynchronize 900 1000 2
			kernel 7 Y 1010 1014 -
			call 5 cudaLaunchKernel 1001 1002 3
			kernel 8 W 1004 1009 3
			call 5 cudaLaunchKernel 1100 1110 4
			kernel 9 B 1200 1300 4
		END
		)" -w 0..1300
}

@test "the synchronization of the main thread is followed for another thread's launch, the later of the two" {
	lines() {
		chain <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A 20 1000 1
			call 5 cudaLaunchKernel 10 11 2
			kernel 8 C 20 900 2
			call 5 cudaStreamSynchronize 15 $1 3
			sync 7 3
			call 6 cudaStreamSynchronize 15 $2 4
			sync 8 4
			call ${3:-6} cudaLaunchKernel 1200 1250 5
			kernel 9 B 1300 1400 5
		END
	}
	rest="dispatch 1250 1300 cudaLaunchKernel
		compute 1300 1400 B"
	is "compute 20 1000 A
		sync 1000 1020 cudaStreamSynchronize
		cpu 1020 1250 -
		$rest" "$(lines 1020 1010)"
	is "compute 20 900 C
		sync 900 1030 cudaStreamSynchronize
		cpu 1030 1250 -
		$rest" "$(lines 1020 1030)"
	# at equal ends the launching thread's own
	holds "$(links "$(lines 1020 1020)")" "compute 20 900 C"
	# a call that is still open when the launch begins is not before it; that of a third thread does not count
	holds "$(links "$(lines 1201 1030)")" "compute 20 900 C"
	holds "$(links "$(lines 1020 1030 5)")" "compute 20 1000 A"
	# the link of the CPU is the launching thread's, that of the wait the waiting one's
	same "$(printf 'sync\t5\ncpu\t6')" "$(nsq-path -q --each "$(lines 1020 1010)" | col kind tid | sed -n 2,3p)"
}

@test "a blocking copy: launched at its call's start, and waited for until its end" {
	# copy CALL SRC: between two kernels
	copy() {
		chain <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A 20 100 1
			call 5 $1 150 400 2
			copy 7 200 300 2 kind=2 src=2 dst=$2
			call 5 cudaLaunchKernel 500 510 3
			kernel 8 B 600 700 3
		END
	}
	blocking="cpu 20 150 -
		dispatch 150 200 NAME
		copy 200 300 memcpy d2h
		sync 300 400 NAME
		cpu 400 510 -
		dispatch 510 600 cudaLaunchKernel
		compute 600 700 B"
	is "${blocking//NAME/cudaMemcpy}" "$(copy cudaMemcpy 1)"
	is "${blocking//NAME/cudaMemcpyAsync}" "$(copy cudaMemcpyAsync 0)"
	is "${blocking//NAME/cuMemcpyDtoH}" "$(copy cuMemcpyDtoH 1)"
	# pinned and asynchronous: the kernel after it is launched whatever it does
	is "cpu 20 510 -
		dispatch 510 600 cudaLaunchKernel
		compute 600 700 B" "$(copy cudaMemcpyAsync 1)"
}

@test "a blocking copy that ends after its call was not waited for" {
	is "cpu 20 510 -
		dispatch 510 600 cudaLaunchKernel
		compute 600 700 B" "$(chain <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A 20 100 1
			call 5 cudaMemcpy 150 290 2
			copy 7 200 300 2
			call 5 cudaLaunchKernel 500 510 3
			kernel 8 B 600 700 3
		END
		)"
}

# ---- graphs

@test "whole graphs are of kind graph" {
	is "graph 20 100 graph 3
		stream 100 120 -
		graph 120 200 graph 4" "$(chain <<-END
			call 5 cudaGraphLaunch 0 10 1
			graph 7 3 20 100 1
			call 5 cudaGraphLaunch 10 20 2
			graph 7 4 120 200 2
		END
		)"
}

@test "nodes of one replay: inferred, the one that ended last before it started" {
	# C does not follow B, which still runs, but A; D follows B
	is "cpu 0 20 -
		compute 20 100 A
		inferred 100 110 -
		compute 110 200 B
		inferred 200 230 -
		compute 230 300 D" "$(chain <<-END
			call 5 cudaGraphLaunch 0 30 1
			kernel 7 A 20 100 1 node=1
			kernel 7 B 110 200 1 node=2
			kernel 8 C 120 180 1 node=3
			kernel 8 D 230 300 1 node=4
		END
		)" -w 0..300
	is "compute 20 100 A
		inferred 100 120 -
		compute 120 260 C" "$(chain <<-END
			call 5 cudaGraphLaunch 0 30 1
			kernel 7 A 20 100 1 node=1
			kernel 8 B 110 200 1 node=2
			kernel 9 C 120 260 1 node=3
		END
		)"
}

@test "of what ran before it on its stream the work that ended last, and after a replay its last node on any stream" {
	is "comm 10 1000 ncclX
		stream 1000 1010 -
		compute 1010 1100 Z" "$(chain <<-END
			call 5 cudaLaunchKernel 0 2 1
			kernel 7 ncclX 10 1000 1
			call 5 cudaLaunchKernel 3 4 2
			kernel 7 Y 50 60 2
			call 5 cudaLaunchKernel 5 6 3
			kernel 7 Z 1010 1100 3
		END
		)"
	is "compute 20 100 A
		comm 100 600 ncclX
		inferred 600 610 -
		compute 610 700 B
		stream 700 720 -
		compute 720 800 A
		comm 800 1300 ncclX
		inferred 1300 1310 -
		compute 1310 1400 B" "$(chain <<-END
			call 5 cudaGraphLaunch 0 10 1
			kernel 7 A 20 100 1 node=1
			kernel 21 ncclX 100 600 1 node=2
			kernel 33 B 610 700 1 node=3
			call 5 cudaGraphLaunch 11 12 2
			kernel 7 A 720 800 2 node=1
			kernel 21 ncclX 800 1300 2 node=2
			kernel 33 B 1310 1400 2 node=3
		END
		)"
	# a synchronization of the stream waits for the node that ends last
	is "compute 20 40 K
		compute 40 1000 X
		sync 1000 1005 cudaStreamSynchronize
		cpu 1005 1015 -
		dispatch 1015 1020 cudaLaunchKernel
		compute 1020 1100 Z" "$(chain <<-END
			call 5 cudaGraphLaunch 0 10 1
			kernel 7 K 20 40 1 node=1
			kernel 21 X 40 1000 1 node=2
			kernel 7 Y 50 60 1 node=3
			call 5 cudaStreamSynchronize 12 1005 2
			sync 7 2
			call 5 cudaLaunchKernel 1010 1015 3
			kernel 7 Z 1020 1100 3
		END
		)"
}

@test "a copy in a replay does not block, and several pieces of another call are no replay" {
	is "cpu 20 40 -
		dispatch 40 200 cudaGraphLaunch
		copy 200 300 memcpy h2d" "$(chain <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 8 A 20 30 1
			call 5 cudaGraphLaunch 35 40 2
			copy 7 200 300 2 node=1
		END
		)"
	is "copy 20 30 memcpy h2d
		stream 30 40 -
		copy 40 50 memcpy h2d" "$(chain <<-END
			call 5 cudaMemcpyAsync 0 60 1
			copy 7 20 30 1 src=0
			copy 7 40 50 1 src=0
		END
		)"
}

# ---- where the walk begins, and windows

@test "a window that ends amid work, in idle time, and after the last work" {
	t=$(example)
	is "comm 1500 3000 ncclC" "$t" -w 1500..3000
	is "comm 3900 4000 ncclC
		event 4000 4020 -
		copy 4020 4040 memcpy h2d
		stream 4040 5000 -" "$t" -w 3900..5000
	is "cpu 50 100 -
		dispatch 100 150 cudaLaunchKernel" "$t" -w 50..150
	# work that ends where the window does runs at its end
	same "copy 4020 4040 memcpy h2d" "$(links "$(example "5000 5100")" -w 0..4040 | tail -1)"
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 100 1
		call 5 cudaEventQuery 300 400 2
	END
	)
	is "compute 50 100 A
		cpu 100 400 -" "$t" -w 50..400
	same "$(printf 'cpu\t-\t-')" "$(nsq-path -q --each -w 50..400 "$t" | col kind gpu tid | tail -1)"
	is "cpu 200 300 -" "$t" -w 200..300
}

@test "of work that runs at the end the one that ends last, then the one that starts last; what comes next is the one launched first" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 1 1
		kernel 7 A 20 100 1
		call 5 cudaLaunchKernel 2 3 2
		kernel 8 B 30 110 2
		call 5 cudaLaunchKernel 4 5 3
		kernel 9 C 25 110 3
		call 5 cudaLaunchKernel 120 130 4
		kernel 10 E 200 220 4
		call 5 cudaLaunchKernel 115 119 5
		kernel 11 F 200 230 5
	END
	)
	same "compute 30 50 B" "$(links "$t" -w 20..50 | tail -1)"
	same "compute 30 100 B" "$(links "$t" -w 20..100 | tail -1)"
	same "dispatch 119 150 cudaLaunchKernel" "$(links "$t" -w 20..150 | tail -1)"
}

@test "work that starts where the window ends is after it" {
	is "compute 20 200 P" "$(chain <<-END
		call 5 cudaLaunchKernel 0 1 1
		kernel 8 P 20 200 1
		call 5 cudaLaunchKernel 150 160 2
		kernel 7 A 200 300 2
	END
	)" -w 20..200
}

@test "sums keep the window's CPU side, links are windows of their own" {
	nsq-window -q -p 1084 --pick 2 "$DDP" > "$BATS_TEST_TMPDIR/step"
	same "$(col window < "$BATS_TEST_TMPDIR/step")" "$(nsq-path -q < "$BATS_TEST_TMPDIR/step" | col window | sort -u)"
	same "iteration 2#2" "$(nsq-path -q --each < "$BATS_TEST_TMPDIR/step" | col window | sort -u)"
}

@test "windows are walked alone; merged, their rows are added up" {
	t=$(example)
	two=(-w 1500..3000 -w 4030..5000)
	same "$(printf '%s\t%s\t%s\t%s\n' 1500 1500 3000 comm 960 4030 5000 stream 10 4030 5000 copy)" \
		"$(nsq-path "${two[@]}" "$t" | col dur_ns start_ns end_ns kind)"
	same "$(printf '%s\t%s\t%s\t%s\t%s\n' 1500 1500 5000 60.73 comm 960 1500 5000 38.87 stream 10 1500 5000 0.40 copy)" \
		"$(nsq-path --merge "${two[@]}" "$t" | col dur_ns start_ns end_ns pct kind)"
	same "$(links "$t" "${two[@]}")" "$(links "$t" --merge "${two[@]}")"
}

@test "processes are walked alone; -p and -g choose where to begin" {
	t=$(chain <<-END
		call 5 cudaLaunchKernel 0 1 1
		kernel 7 A 20 100 1
		call 5 cudaLaunchKernel 2 3 2
		kernel 7 B 30 90 2 gpu=1 ctx=2
		pid 6
		call 6 cudaLaunchKernel 0 1 1
		kernel 7 C 10 120 1
	END
	)
	same "$(printf '5\t20\t100\tA\n6\t10\t120\tC')" "$(nsq-path --each "$t" | col pid start_ns end_ns name)"
	same "$(printf '6\t10\t120\tC')" "$(nsq-path --each -p 6 "$t" | col pid start_ns end_ns name)"
	same "$(printf -- '-\tA')" "$(nsq-path -p 5 "$t" | col gpu name)"
	# what runs on another GPU at the end is not asked about, and a process that has nothing there has no path
	same "$(printf 'dispatch 20 30 cudaLaunchKernel\ncompute 30 90 B')" "$(links "$t" -g 1 -w 20..90)"
	mentions "no GPU work" -- nsq-path -p 6 -g 1 "$t"
	same "$(printf '1\tB\n1\tcudaLaunchKernel')" "$(nsq-path -p 5 -g 1 -w 20..90 "$t" | col gpu name)"
}

@test "why there are no rows is said once" {
	t=$(echo "call 5 cudaLaunchKernel 0 5 1" | chain)
	run --separate-stderr nsq-path "$t"
	same "0 nsq-path: no rows for '$t': none of its processes has GPU work" "$status $stderr"
	# of two traces, that of each
	cp "$t" "$t.2"
	run --separate-stderr nsq-path --ranks "$t" "$t.2"
	same 2 "$(grep -c "no rows for" <<<"$stderr")"
	same "" "$(grep "asked about" <<<"$stderr")"
}

@test "--inside would leave holes" { fails 2 "--inside" -- nsq-path --inside "$TRAIN"; }

# ---- ranges

@test "nvtx: of work that around its launch, of CPU time that which holds most of it" {
	t=$(chain <<-END
		range 5 step 0 2000
		range 5 forward 0 8
		call 5 cudaLaunchKernel 0 10 1
		kernel 7 A 20 1000 1
		range 5 wait 12 1012
		call 5 cudaStreamSynchronize 15 1010 2
		sync 7 2
		range 5 prepare 1015 1190
		range 5 backward 1195 1260
		call 5 cudaLaunchKernel 1200 1250 3
		kernel 7 B 1300 1400 3
	END
	)
	same "$(printf '%s\t%s\n' compute forward sync wait cpu prepare dispatch backward compute backward)" \
		"$(nsq-path --each "$t" | col kind nvtx)"
}

@test "--adopt: other threads' work and time in the main thread's ranges" {
	t=$(chain <<-END
		range 5 step 0 2000
		call 6 cudaLaunchKernel 0 10 1
		kernel 7 A 20 1000 1
		call 6 cudaStreamSynchronize 15 1010 2
		sync 7 2
		call 6 cudaLaunchKernel 1200 1250 3
		kernel 7 B 1300 1400 3
	END
	)
	same "-" "$(nsq-path --each "$t" | col nvtx | sort -u)"
	same "step" "$(nsq-path --each --adopt "$t" | col nvtx | sort -u)"
	fails 2 "--adopt" -- nsq-path --adopt "$t"
}

@test "--captured: nodes of a replay in the ranges around their capture" {
	lacks "$(nsq-path -q --each "$CAPTURE" | where kind compute | col nvtx)" attention
	holds "$(nsq-path -q --each --captured "$CAPTURE" | where kind compute | col nvtx)" attention
	nsq-path -q --each --captured "$CAPTURE" > "$BATS_TEST_TMPDIR/captured"
	same "$(nsq-path -q --each "$CAPTURE" | without nvtx)" "$(without nvtx < "$BATS_TEST_TMPDIR/captured")"
	# each kernel of the path in the range that nsq-kernels says
	nsq-kernels -q --each --captured --work all "$CAPTURE" | col start_ns end_ns nvtx name | sort > "$BATS_TEST_TMPDIR/kernels"
	same "" "$(where kind compute < "$BATS_TEST_TMPDIR/captured" | col start_ns end_ns nvtx name | sort | comm -23 - "$BATS_TEST_TMPDIR/kernels")"
}

# ---- several ranks

# rank0 OP, rank1 OP AHEAD: lines of two ranks; the first reaches the operation at 100, the second at 500 on a clock
# that is AHEAD of the first's.
rank0() {
	cat <<-END
		utc 5000
		pid 10
		rank 10 0 1
		call 10 cudaLaunchKernel 10 20 1
		kernel 7 A 30 100 1
		nccl 10 $1 77 40 60 peer=1
		call 10 cudaLaunchKernel 45 50 2
		kernel 7 ncclOp 100 600 2
		call 10 cudaLaunchKernel 70 80 3
		kernel 7 B 610 700 3
	END
}

rank1() {
	local o=$2
	cat <<-END
		pid 11
		rank 11 1 $((o + 1))
		call 11 cudaLaunchKernel $((o + 10)) $((o + 20)) 1
		kernel 7 SLOW $((o + 25)) $((o + 480)) 1
		nccl 11 $1 77 $((o + 40)) $((o + 60)) peer=0
		call 11 cudaLaunchKernel $((o + 45)) $((o + 50)) 2
		kernel 7 ncclOp $((o + 500)) $((o + 605)) 2
	END
}

@test "--ranks: a collective counts from the last arrival on, and the path goes on in that rank, on its own clock" {
	a=$(rank0 ncclAllReduce | chain) b=$({ echo "utc 4000"; rank1 ncclAllReduce 1000; } | chain)
	run --separate-stderr nsq-path --ranks --each "$a" "$b"
	same "" "$stderr"
	same "11 1030 1480 compute 2
		11 1480 1500 stream 2
		10 500 600 comm 1
		10 600 610 stream 1
		10 610 700 compute 1
		11 1025 1480 compute 2
		11 1480 1500 stream 2
		11 1500 1605 comm 2" "$(col pid start_ns end_ns kind trace <<< "$output" | sed "s,$a,1,; s,$b,2,; s,\t, ,g; 2,\$s/^/\t\t/")"
	# the sums are the first process's, whoever it waited for
	same "$(printf '10\t0\t450\tcompute\tSLOW\n10\t0\t100\tcomm\tncclOp')" \
		"$(nsq-path --ranks "$a" "$b" | col pid rank dur_ns kind name | head -2)"
	# without --ranks, and without the other trace, it is all communication
	same "comm 100 600 ncclOp" "$(links "$a" | sed -n 2p)"
	same "comm 100 600 ncclOp" "$(links "$a" --ranks | sed -n 2p)"
}

@test "--ranks: the same from one trace" {
	t=$({ rank0 ncclAllReduce; rank1 ncclAllReduce 0; } | chain)
	is "compute 30 480 SLOW
		stream 480 500 -
		comm 500 600 ncclOp
		stream 600 610 -
		compute 610 700 B" "$t" --ranks -w 30..700 -p 10
	same "11 11 10 10 10" "$(nsq-path -q --ranks --each -w 30..700 -p 10 "$t" | col pid | xargs)"
	is "compute 30 100 A
		comm 100 600 ncclOp
		stream 600 610 -
		compute 610 700 B" "$t" -p 10
}

@test "--ranks: a window that ends while the rank waits is explained by the rank that is late" {
	t=$({ rank0 ncclAllReduce; rank1 ncclAllReduce 0; } | chain)
	is "compute 200 300 SLOW" "$t" --ranks -w 200..300 -p 10
	is "comm 200 300 ncclOp" "$t" -w 200..300 -p 10
	# at 490 the late rank is between two kernels
	is "compute 470 480 SLOW
		stream 480 490 -" "$t" --ranks -w 470..490 -p 10
}

@test "--ranks: a collective that counts, by clocks that differ, only up to a moment before the last arrival stays where it is" {
	t=$({ rank0 ncclAllReduce | grep -v -e ' 3$'; rank1 ncclAllReduce 0
		cat <<-END
			pid 10
			call 10 cudaDeviceSynchronize 90 450 8
			call 10 cudaLaunchKernel 700 710 9
			kernel 8 D 720 800 9
		END
	} | chain)
	is "comm 100 450 ncclOp
		cpu 450 710 -
		dispatch 710 720 cudaLaunchKernel
		compute 720 800 D" "$t" --ranks -w 100..800 -p 10
}

@test "--ranks: before the trace of the late rank begins nothing is known" {
	# its clock, and its first event, begin 300 after the other's
	a=$(rank0 ncclAllReduce | chain) b=$(chain <<-END
		utc 5300
		pid 11
		rank 11 1 1
		call 11 cudaLaunchKernel 2 3 1
		kernel 7 SLOW 5 180 1
		nccl 11 ncclAllReduce 77 6 20
		call 11 cudaLaunchKernel 7 10 2
		kernel 7 ncclOp 200 305 2
	END
	)
	is "unresolved 30 301 -
		cpu 1 3 -
		dispatch 3 5 cudaLaunchKernel
		compute 5 180 SLOW
		stream 180 200 -
		comm 500 600 ncclOp
		stream 600 610 -
		compute 610 700 B" "$a" --ranks -p 10 "$b"
	# and that is said once, for all paths
	run --separate-stderr nsq-path --ranks "${RANKS[@]}"
	early=$(nsq-path -q --ranks --each "${RANKS[@]}" | where kind unresolved | where stream - | sum dur_ns)
	all=$(nsq-path -q --ranks "${RANKS[@]}" | sum dur_ns)
	same 1 "$(grep -c "$(awk -v a="$early" -v b="$all" 'BEGIN { printf "%.3f of %.3f ms", a / 1e6, b / 1e6 }') of all paths .* before its trace begins" <<<"$stderr")"
	# what is unresolved for another reason is none of it: in microseconds, with B's launch unknown
	for t in "$a" "$b"; do
		sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start * 1000, end = end * 1000; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start * 1000, end = end * 1000;
			UPDATE NVTX_EVENTS SET start = start * 1000, end = end * 1000 WHERE start > 0; UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs * 1000;
			UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = NULL WHERE start = 610000"
	done
	run --separate-stderr nsq-path --ranks "$a" "$b"
	holds "$stderr" "0.271 of 0.970 ms of all paths"
	same 281000 "$(nsq-path -q --ranks -p 10 "$a" "$b" | where kind unresolved | sum dur_ns)"
	run --separate-stderr nsq-path --ranks -w 400us..700us "$a" "$b"
	same "" "$(grep "before that rank's trace begins" <<<"$stderr")"
}

@test "--ranks: a send waits for the receive, and the path goes on with what made that late" {
	t=$({ rank0 ncclSend; rank1 ncclRecv 0; } | chain)
	same 400 "$(nsq-nccl -q --each "$t" | where rank 0 | col wait_ns)"
	is "compute 30 480 SLOW
		stream 480 500 -
		comm 500 600 ncclOp
		stream 600 610 -
		compute 610 700 B" "$t" --ranks -w 30..700 -p 10
	# one whose peer is not known is matched with nobody
	sqlite3 "$t" "DELETE FROM NVTX_PAYLOAD_SCHEMA_ENTRIES WHERE name = 'Peer rank'"
	same "comm 100 600 ncclOp" "$(links "$t" --ranks -w 30..700 -p 10 | sed -n 2p)"
}

@test "--ranks: of four traces of one job the late rank's compute takes the place of the others' waiting" {
	nsq-path -q "${RANKS[@]}" > "$BATS_TEST_TMPDIR/alone"
	nsq-path -q --ranks "${RANKS[@]}" > "$BATS_TEST_TMPDIR/together"
	# rank 3 is late in every third of 12 steps: four kernels that spin
	same "$(printf '%s\t16227128\t4\n' 0 1 2 3)" "$(where name spin_kernel < "$BATS_TEST_TMPDIR/together" | col rank dur_ns edges | sort)"
	same "$(printf '3\t16227128\t4')" "$(where name spin_kernel < "$BATS_TEST_TMPDIR/alone" | col rank dur_ns edges)"
	for rank in 0 1 2; do
		before=$(where rank $rank < "$BATS_TEST_TMPDIR/alone" | where kind comm | sum pct)
		after=$(where rank $rank < "$BATS_TEST_TMPDIR/together" | where kind comm | sum pct)
		[ "$before" -ge 90 ]
		[ "$after" -le 62 ]
	done
}

@test "--ranks: sums, made without the traces, are those of the links, which need them" {
	for w in 0s..1s 30ms..100ms '0s..1s --comm elementwise' '50ms..61ms --comm elementwise'; do
		nsq-path -q --ranks -p 4731 -w $w "${RANKS[@]}" | col dur_ns edges kind name > "$BATS_TEST_TMPDIR/sums"
		nsq-path -q --ranks -p 4731 -w $w --each "${RANKS[@]}" | col dur_ns kind name > "$BATS_TEST_TMPDIR/links"
		[ -s "$BATS_TEST_TMPDIR/sums" ]
		same "$(awk -F '\t' -v OFS='\t' '{ k = $2 OFS $3; n[k] += $1; e[k]++ } END { for (k in n) print n[k], e[k], k }' \
			"$BATS_TEST_TMPDIR/links" | sort)" "$(sort "$BATS_TEST_TMPDIR/sums")"
	done
}

# ---- real traces

# adds_up TRACE...: the rows of each process of each, and links that follow each other.
adds_up() {
	for t; do
		nsq-path -q "$t" | col pid start_ns end_ns dur_ns | awk -F '\t' '{ len[$1] = $3 - $2; n[$1] += $4; rows++ }
			END { for (p in n) if (n[p] != len[p]) { print p, n[p], len[p]; bad = 1 } exit bad || !rows }' || { echo "$t"; return 1; }
		nsq-path -q --each "$t" | col pid start_ns end_ns dur_ns | awk -F '\t' '
			$4 != $3 - $2 || $4 <= 0 || ($1 == pid && $2 != end) { print; exit 1 } { pid = $1; end = $3 }' || { echo "$t"; return 1; }
		same "$(nsq-path -q "$t" | col pid dur_ns edges kind name | sort)" "$(nsq-path -q --each "$t" | col pid dur_ns kind name |
			awk -F '\t' -v OFS='\t' '{ k = $3 OFS $4; n[$1 OFS k] += $2; e[$1 OFS k]++ }
				END { for (i in n) { split(i, w, OFS); print w[1], n[i], e[i], w[2], w[3] } }' | sort)"
	done
}

@test "the rows of each process of each trace add up to its window, and the links follow each other" {
	adds_up "$DUALPIPE" "$WHOLE" "$COPIES" "$TRAIN" "$FIXTURES/graph-capture.sqlite"
}

# bats test_tags=slow
@test "the rows of each process of each fixture add up to its window, and the links follow each other" {
	adds_up "$FIXTURES"/*.sqlite
}

@test "what holds up training, a pipeline and data-parallel ranks" {
	share() { nsq-path -q -p "$2" "$1" | where kind "$3" | sum pct; }      # in whole percents
	[ "$(share "$TRAIN" 911 cpu)" -ge 99 ]
	for pid in $(nsq-setup "$DUALPIPE" | col pid); do
		[ "$(share "$DUALPIPE" "$pid" comm)" -ge 97 ]
		[ "$(share "$DUALPIPE" "$pid" comm)" -le 99 ]
	done
	# only as the main thread's synchronization is followed for the launches of the autograd thread
	[ "$(share "$DDP" 1084 comm)" -ge 84 ]
	[ "$(share "$DDP" 1084 comm)" -le 86 ]
	nsq-path -q --each -p 1084 "$DDP" | col kind tid | grep -qx "sync${TAB}1084"
	[ "$(nsq-path -q --each -p 1084 "$DDP" | col kind tid | grep -cx "dispatch${TAB}1084")" -lt "$(nsq-path -q --each -p 1084 "$DDP" | where kind dispatch | count)" ]
}

# agrees TRACE... [OPTION...]: the links are those that a second reading finds.
agrees() {
	local columns="pid start_ns end_ns dur_ns kind name"
	same "$(oracle path --each "$@" | col $columns)" "$(nsq-path -q --each "$@" | col $columns)" || { echo "$*"; return 1; }
}

# bats test_tags=more,long
@test "a second reading finds the same paths" {
	for t in $(first_few 1 "$COPIES" "$COMPILE" "$WHOLE" "$FIXTURES/collectives-rank0.sqlite"); do agrees "$t"; done
	agrees --ranks "${RANKS[@]}"
}

# bats test_tags=slow
@test "a second reading finds the same paths in every fixture" {
	for t in "$FIXTURES"/*.sqlite; do agrees "$t"; done
	agrees --ranks "$DUALPIPE"
}

# bats test_tags=more,slow
@test "a second reading finds the same paths within windows" {
	for w in $(first_few 1 20000000..30000000 40000000..40000700); do agrees -w $w "$TRAIN"; done
	more || return 0
	agrees --ranks -w 50000000..60000000 "${RANKS[@]}"
}

# bats test_tags=slow
@test "a second reading finds the same paths within windows of larger traces" {
	for t in "$DDP" "$DUALPIPE" "$NODES" "$TRAIN"; do
		for w in 20000000..30000000 21234567..21334567 40000000..40000700 0..25000000; do agrees -w $w "$t"; done
	done
	for w in 50000000..60000000 61234567..71234567; do agrees --ranks -w $w "${RANKS[@]}"; done
}

# random_ones FIRST LAST: a second reading finds the same paths in the random traces of those seeds.
random_ones() {
	for seed in $(seq "$1" "$2"); do
		python3 -S "$TESTS/dependencies/random_trace.py" "$seed" "$BATS_TEST_TMPDIR/$seed.sqlite"
		agrees "$BATS_TEST_TMPDIR/$seed.sqlite"
	done
}

# bats test_tags=slow
@test "a second reading finds the same paths in random traces" {
	random_ones 200 201
}

# bats test_tags=slow
@test "a second reading finds the same paths in more random traces" {
	random_ones 202 215
	random_ones $((1000 + SEED)) $((1009 + SEED))
}

@test "in a process that lost events launches and streams are unresolved" {
	t=$({ for i in {100..250}; do echo "call 5 cudaLaunchKernel $i $i $i"; done
		cat <<-END
			call 5 cudaLaunchKernel 0 10 1
			kernel 7 A 20 1000 1
			call 5 cudaLaunchKernel 20 30 2
			kernel 7 B 1010 1100 2
			call 5 cudaLaunchKernel 1200 1250 3
			kernel 8 C 1300 1400 3
		END
	} | chain)
	same "$(printf 'cpu 20 1250 -\nunresolved 1250 1300 -\ncompute 1300 1400 C')" "$(links "$t")"
	same "$(printf 'compute 20 1000 A\nunresolved 1000 1010 -\ncompute 1010 1100 B')" "$(links "$t" -w 20..1100)"
	run --separate-stderr nsq-path "$t"
	holds "$stderr" "lost events"
}

@test "links are windows: kernels on the path, and what ran beside its waits" {
	t=$(example)
	nsq-path --each -w 0..6000 "$t" > "$BATS_TEST_TMPDIR/path"
	same "$(printf 'ncclC\t3000\nA\t800\nB\t800')" "$(nsq-kernels --merge < "$BATS_TEST_TMPDIR/path" | col name total_ns)"
	same "$(printf 'ncclC\t3000')" "$(grep -w comm "$BATS_TEST_TMPDIR/path" | nsq-kernels | col name total_ns)"
	same "$(nsq-path --each -w 1000..6000 "$t")" "$(grep -v -w -e cpu -e dispatch -e A "$BATS_TEST_TMPDIR/path" | nsq-path --merge --each)"
}
