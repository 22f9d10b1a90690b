# nsq-advise about kernels: attention in separate kernels, kernels that do not fill the GPU, products without aligned access,
# kernels that only move data.
#
# Traces of real programs with one such fault each, whose cost was measured by mending it (fixtures/faults/kernels/truth.tsv), and
# what small programs of advise/cases.py waste.  That each fault, what is nearly one, and what is none are told apart, advise.bats
# asks of all cases.
load ../helper
load ../small-traces

setup_file() {
	export FAULTS=$BATS_FILE_TMPDIR CASES=$BATS_FILE_TMPDIR/cases
	mkdir "$CASES"
	python3 "$TESTS/advise/cases.py" "$CASES"
	for f in "$FIXTURES"/faults/kernels/*.xz; do xz -dc "$f" > "$FAULTS/$(basename "$f" .xz)"; done
}

# said TRACE [OPTION...]: kind, where, recover_ns of each finding by which something can be won.
said() { nsq-advise -q -f tsv "$@" | col kind where recover_ns | awk -F '\t' '$3 != "-"'; }

# bats test_tags=long
@test "every planted fault: its kind comes first, in its place, and within a quarter of what mending it won" {
	local name kind where rank step mended planted
	while IFS=$TAB read -r name kind where rank step mended planted; do
		[ "$name" != drift ] || continue
		same "$kind$TAB$where" "$(said "$FAULTS/$name.sqlite" | head -1 | cut -f 1,2)"
		said --step-time "${step}ms" "$FAULTS/$name.sqlite" | head -1 | awk -F '\t' -v won="$(awk "BEGIN { print 1e6 * ($step - $mended) }")" \
			'$3 < 0.85 * won || $3 > 1.25 * won { print $3 " of " won; exit 1 }'
	done < <(rows < "$FIXTURES/faults/kernels/truth.tsv")
	# a decode step whose launches cost more than its kernels: copies of the cache are among the findings
	holds "$(said "$FAULTS/drift.sqlite" | cut -f 1,2)" "move${TAB}update cache" "attention${TAB}attend"
}

# wins CASE KIND: what is won by this kind.
wins() { nsq-advise -q -f tsv --min-pct 0 "$CASES/$1.sqlite" | where kind "$2" | col recover_ns; }

@test "what the flaw of a kernel wastes of its time" {
	same 960000 "$(wins attention_by_hand attention)"       # all: 16 kernels of 60 us
	same 600000 "$(wins half_filled fill)"                  # half: 66 blocks on 132 multiprocessors, 6 kernels of 200 us
	same 1969696 "$(wins fp32_unfilled fill)"               # 130 of 132 parts of 2 ms
	same 2100000 "$(wins unaligned align)"                  # 14 of 16 bytes: 12 products of 200 us
	same 1200000 "$(wins unaligned_tf32 align)"             # 8 of 16
	same 320000 "$(wins casts_often move)"                  # all: 8 kernels of 40 us
	# a run without the kernel that has a flaw: 4 times the time of two of its three kernels; and that kernel
	same "480000 236360" "$(wins chain_around_a_flaw fuse) $(wins chain_around_a_flaw fill)"
	# a run with the kernels that move data, and, where they are a finding, without
	same 960000 "$(wins casts_in_a_chain fuse)"
	same 80000 "$(wins few_casts_in_a_row fuse)"
	same "" "$(wins chain_of_casts fuse)"
}

@test "copies on the GPU between the products of attention are a part of it, copies from and to the host are not" {
	local copy="INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT end, end + 900, 0, 1, streamId, 0, globalPid, 8, NUMBER, 2, 2
		FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE demangledName IN (SELECT id FROM StringIds WHERE value GLOB '*softmax*')"
	t=$(change "$CASES/attention_by_hand.sqlite" "${copy/NUMBER/8}")
	same "attention 963600" "$(said "$t" | awk 'NR == 1 { print $1, $3 }')"
	t=$(change "$CASES/attention_by_hand.sqlite" "${copy/NUMBER/2}")
	lacks "$(said "$t")" attention
}

@test "a GPU whose multiprocessors or peaks are not known" {
	t=$(change "$CASES/half_filled.sqlite" "UPDATE TARGET_INFO_GPU SET smCount = 0")
	same "" "$(said "$t")"
	t=$(change "$CASES/half_filled.sqlite" "ALTER TABLE TARGET_INFO_GPU DROP COLUMN smCount")
	same "" "$(said "$t")"
	# two GPUs, and no word about which one it is
	t=$(change "$CASES/half_filled.sqlite" "INSERT INTO TARGET_INFO_GPU VALUES (1, 'NVIDIA H200', '0000:0b:00.0', 'GPU-2', 78)")
	same "" "$(said "$t")"
	# products without tensor cores: no gain is known, but how long they take is
	t=$(change "$CASES/fp32.sqlite" "UPDATE TARGET_INFO_GPU SET name = 'NVIDIA Nothing'")
	same "$(table 'info tensor - forward')" "$(nsq-advise -q -f tsv "$t" | col severity kind recover_ns where)"
	holds "$(nsq-advise -q -f tsv "$t" | col finding)" "products and attention in fp32 take 2.40 ms per step; the peaks of this GPU are not listed"
	t=$(change "$CASES/fp32_head.sqlite" "UPDATE TARGET_INFO_GPU SET name = 'NVIDIA Nothing'")
	same "" "$(nsq-advise -q -f tsv "$t" | rows)"
}

@test "a grid that says nothing, or more than a number holds" {
	t=$(change "$CASES/half_filled.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 0")
	same "" "$(said "$t")"
	t=$(change "$CASES/half_filled.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 4294967296, gridY = 4294967296")
	same "" "$(said "$t")"
}
