# What is communication is decided in one place (share/rules/comm.tsv, copies from GPU to GPU, --comm), and every tool goes by it.
load ../helper
load ../small-traces

# calls of a trace with a compute kernel, a copy and another compute kernel that waits for it: 0..100, 100..400, 400..500.
# between SQL: that trace; SQL changes the copy (C) and may add more.
between() {
	made "INSERT INTO S VALUES (6, 'reduce_kernel');
		ALTER TABLE C ADD srcDeviceId INTEGER; ALTER TABLE C ADD dstDeviceId INTEGER;
		INSERT INTO R VALUES (0, 2, $P5 | 5, 1, 2), (3, 5, $P5 | 5, 2, 3), (6, 8, $P5 | 5, 3, 2);
		INSERT INTO K VALUES (10, 100, 0, 1, 7, 1, $P5, 1, 1), (400, 500, 0, 1, 7, 3, $P5, 6, 6);
		INSERT INTO C VALUES (100, 400, 0, 1, 7, 2, $P5, 4096, 10, 0, 1); $1"
}

@test "kernels of the projects that communicate are communication by their names, and names that read alike are not" {
	t=$(made "$(awk -F '|' -v p=$P5 '{ printf "INSERT INTO S VALUES (%d, \"%s\"); INSERT INTO K VALUES (%d, %d, 0, 1, 7, %d, %d, %d, %d);\n",
		NR + 9, $2, NR * 10, NR * 10 + 5, NR, p, NR + 9, NR + 9 }' "$TESTS/comm-kernels.txt")")
	same "$(sort "$TESTS/comm-kernels.txt")" "$(nsq-kernels -q "$t" | col class name | tr '\t' '|' | sort)"
	same "$(grep -c ^comm "$TESTS/comm-kernels.txt")" "$(nsq-setup -q "$t" | col comm_kernels)"
	# the categories and the colors of a page go by the same; rules of one's own, by what they say
	categories() { nsq-kernels -q --by name,category "$@" "$t" | col name category | awk -F '\t' -v OFS='|' '{ print $2 ~ /^(nccl|comm)$/ ? "comm" : "compute", $1 }' | sort; }
	same "$(sort "$TESTS/comm-kernels.txt")" "$(categories)"
	same "comm|reduce_kernel" "$(categories --categories <(printf '^reduce_\tcomm\n') | grep ^comm)"
	nsq-view -q -o "$BATS_TEST_TMPDIR/page.html" "$t" > /dev/null
	mkdir "$BATS_TEST_TMPDIR/holds"
	python3 "$TESTS/view/reader.py" "$BATS_TEST_TMPDIR/page.html" "$BATS_TEST_TMPDIR/holds"
	same "$(sort "$TESTS/comm-kernels.txt")" "$(awk -F '\t' -v OFS='|' '{ print $11 ~ /^(nccl|comm)$/ ? "comm" : "compute", $13 }' "$BATS_TEST_TMPDIR/holds/work" | sort)"
}

@test "every line of the list has a name of its project among those that are tried" {
	while IFS=$TAB read -r regex project; do
		class=comm
		[ "$project" != compute ] || class=compute
		grep "^$class|" "$TESTS/comm-kernels.txt" | cut -d '|' -f 2 | grep -qiP -- "$regex" || { echo "nothing for $project: $regex"; false; }
	done < <(grep '^[^#]' "$TESTS/../share/rules/comm.tsv")
}

@test "--comm REGEX replaces the list, --comm +REGEX adds to it, and both as they are written" {
	t=$(made "INSERT INTO S VALUES (6, 'ncclDevKernel'), (7, 'MyExchange');
		INSERT INTO K VALUES (10, 20, 0, 1, 7, 1, $P5, 6, 6), (30, 40, 0, 1, 7, 2, $P5, 7, 7), (50, 60, 0, 1, 7, 3, $P5, 1, 1)")
	same "ncclDevKernel" "$(nsq-kernels -q "$t" | where class comm | col name)"
	same "MyExchange" "$(nsq-kernels -q --comm Exchange "$t" | where class comm | col name)"
	same "MyExchange ncclDevKernel" "$(nsq-kernels -q --comm +Exchange "$t" | where class comm | col name | sort | xargs)"
	same "ncclDevKernel" "$(nsq-kernels -q --comm +exchange "$t" | where class comm | col name)"
	for tool in nsq-setup nsq-streams nsq-overlap "nsq-overlap --total" nsq-kernels nsq-stalls nsq-path nsq-nccl nsq-ledger nsq-advise; do
		$tool -q --comm +Exchange "$t" > /dev/null
		fails 2 "'--comm'" "'('" -- $tool --comm '+(' "$t"
	done
}

@test "copies from one GPU to another are communication in every tool, by their kind or because devices differ" {
	for change in "" "UPDATE C SET copyKind = 8"; do
		t=$(between "$change")
		same "memcpy p2p" "$(nsq-kernels -q --work all "$t" | where class comm | col name)"
		same "300 0 190" "$(nsq-overlap -q --total "$t" | col comm_ns copy_ns compute_ns | tr '\t' ' ')"
		same "1 300 300 serial:-" "$(nsq-overlap -q "$t" | col kernels comm_ns exposed_ns stage | tr '\t' ' ')"
		same "300 0" "$(nsq-stalls -q "$t" | col blocked_comm_ns blocked_copy_ns | tr '\t' ' ')"
		same "300" "$(nsq-path -q "$t" | where kind comm | col dur_ns)"
		same "comm 300" "$(nsq-ledger -q -w 0..500 "$t" | where owner comm | col owner dur_ns | tr '\t' ' ')"
		same "300" "$(nsq-sql -q "SELECT sum(dur_ns) FROM path WHERE kind = 'comm'" "$t" | rows)"
		nsq-export -q -o "$BATS_TEST_TMPDIR/e.json" --force "$t" > /dev/null
		grep -q '"cat":"comm","name":"memcpy p2p"\|"name":"memcpy p2p","cat":"comm"' "$BATS_TEST_TMPDIR/e.json"
		# --comm is about kernels; what a stream is, and what is a kernel of communication, too
		same "300" "$(nsq-overlap -q --total --comm nothing "$t" | col comm_only_ns)"
		same "compute 2 0 1" "$(nsq-streams -q "$t" | col class kernels comm_kernels copies | tr '\t' ' ')"
		same 0 "$(nsq-setup -q "$t" | col comm_kernels)"
		same 0 "$(nsq-nccl -q "$t" 2>/dev/null | count)"
	done
	same "p2p" "$(nsq-mem -q "$(between "")" | col kind)"
	same "d2d" "$(nsq-mem -q "$t" | col kind)"
	# within one GPU, to the host, and migrations are not
	for change in "UPDATE C SET copyKind = 8, dstDeviceId = 0" "UPDATE C SET copyKind = 8, dstDeviceId = NULL" "UPDATE C SET copyKind = 2" "UPDATE C SET copyKind = 13"; do
		same "0 300" "$(nsq-overlap -q --total "$(between "$change")" | col comm_ns copy_ns | tr '\t' ' ')"
	done
}

@test "several processes that do not communicate at all are said to, once, where it matters" {
	t=$(made "INSERT INTO K VALUES (10, 20, 0, 1, 7, 1, $P5, 1, 1), (30, 40, 1, 1, 7, 2, $P6, 1, 1)")
	for tool in nsq-overlap "nsq-overlap --total" nsq-nccl nsq-advise; do
		same 1 "$($tool -v "$t" 2>&1 >/dev/null | grep -c "2 processes have kernels in '$t', and none communicates; --comm +REGEX")"
	done
	lacks "$(nsq-gaps "$t" 2>&1)" "communicates"
	same "2 processes have kernels, and none communicates" "$(nsq-setup --facts "$t" | where key suspicious.no_comm | col value)"
	lacks "$(nsq-overlap --comm gemm "$t" 2>&1)" "communicates"
	# one process, or one that communicates
	for t in "$COPIES" "$DUALPIPE" "$(made "INSERT INTO S VALUES (6, 'ncclX'); INSERT INTO K VALUES (10, 20, 0, 1, 7, 1, $P5, 1, 1), (30, 40, 1, 1, 7, 2, $P6, 6, 6)")"; do
		lacks "$(nsq-overlap "$t" 2>&1)" "communicates"
		same "" "$(nsq-setup --facts "$t" | where key suspicious.no_comm | col value)"
	done
}
