# nsq-mfu --shapes: FLOPs by the sizes that stand in the names of ranges.
load ../helper
load ../small-traces

SHAPES=$FIXTURES/shapes/shapes.sqlite

shapes() { nsq-mfu -q --shapes "$@"; }

# program [SQL]: a trace of operators, from lines "KERNELS<TAB>DEPTH<TAB>NAME" on stdin: a range of that depth and name, in
# which kernels NAME:LENGTH, separated by blanks, are launched before the ranges inside it; and its path.  A kernel - is none.
program() {
	local t
	t=$(made "${1-}")
	python3 - "$t" 3<&0 <<-'END'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		now, gpu, n, stack = 0, 1000000, 0, []
		strings = dict((v, k) for k, v in db.execute('SELECT id, value FROM StringIds'))
		def close(depth):
		    global now
		    while len(stack) > depth:
		        now += 1
		        db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, NULL, 0)", (stack[-1][0], now, stack.pop()[1], 5 << 24 | 5))
		for line in open(3):
		    kernels, depth, name = line.rstrip('\n').split('\t')
		    close(int(depth))
		    now += 1
		    stack.append((now, name))
		    for k in kernels.split() if kernels != '-' else []:
		        kernel, length = k.rsplit(':', 1)
		        id = strings.setdefault(kernel, len(strings) + 100)
		        db.execute('INSERT OR IGNORE INTO StringIds VALUES (?, ?)', (id, kernel))
		        now, n = now + 2, n + 1
		        db.execute('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 2)', (now, now + 1, 5 << 24 | 5, n))
		        db.execute('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, ?, ?)', (gpu, gpu + int(length), n, 5 << 24, id, id))
		        gpu += int(length)
		close(0)
		db.commit()
	END
	echo "$t"
}

# like REGEX: the header and the rows whose name matches.
like() { awk -F '\t' -v re="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "name") c = i; print; next } $c ~ re'; }

# counted: the FLOPs of each kernel k1, k2 ... of operators on stdin, a line each "FLOPS<TAB>NAME", as they should be; what
# differs is shown.
counted() {
	local lines t
	lines=$(cat)
	t=$(cut -f2- <<<"$lines" | awk -v OFS='\t' '{ print "k" NR ":100", 0, $0 }' | program)
	diff <(cut -f1 <<<"$lines" | awk -v OFS='\t' '{ print $1, "k" NR }') \
		<(shapes --peak 1 --by name "$t" | col flops name | sort -t k -k2n) | grep '^[<>]' && return 1
	[ "$(wc -l <<<"$lines")" -gt 3 ]
}

@test "a step has the FLOPs of its arithmetic, forward and backward, and so have its operators" {
	read -r forward backward mm addmm < <(python3 - <<-'END'
		tokens, width, heads, length = 4 * 256, 512, 8, 256
		layers = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)]
		linear = 2 * sum(2 * tokens * i * o for i, o in layers)
		attention = 2 * (2 * 4 * heads * length * length * 64 * 2)
		conv = 2 * 8 * 32 * 64 * 64 * 16 * 3 * 3
		batched = 2 * 8 * 128 * 256 * 64
		assert (linear, attention, conv, batched) == (12884901888, 1073741824, 301989888, 33554432)
		first = 2 * tokens * width * 3 * width        # nobody needs the gradient of the first input
		print(linear + attention + conv + batched, 2 * linear - first + 2 * attention + conv, 2 * linear - first, linear)
	END
	)
	same "backward $backward
forward $forward" "$(shapes --by phase "$SHAPES" | col name flops | sort | tr '\t' ' ')"
	same $((forward + backward)) "$(nsq-window -q -m '^step' "$SHAPES" | shapes --by window | col flops)"
	for by in nvtx name stage shape op "nvtx --adopt" "window --captured"; do same $((forward + backward)) "$(shapes --by $by "$SHAPES" | sum flops)"; done
	# by range, an operator's are its own; what it contains is not counted again
	same "$addmm" "$(shapes "$SHAPES" | like '^aten::addmm, ' | sum flops)"
	same "$mm" "$(shapes "$SHAPES" | like '^aten::mm, ' | sum flops)"
	same 0 "$(shapes "$SHAPES" | like '^aten::linear, ' | count)"
	# layouts, sums and what is elementwise is not known, never 0
	same "0.00	-	-	-	-	-	-" "$(shapes --by name --type bf16 "$SHAPES" | like '^(nchwToNhwcKernel|reduce_kernel|vectorized_elementwise_kernel)$' |
		col measured_pct flops tflops mfu_pct dram_bytes dram_pct intensity | sort -u)"
	lacks " $(shapes --by name "$SHAPES" | col flops | paste -sd ' ') " " 0 "
}

@test "each operator by its rule; what its sizes do not tell is not known" {
	counted <<-'END'
		12	aten::mm, seq = 1, op_id = 8, sizes = [[1, 2], [2, 3]], input_op_ids = [(0,-1), (0,-1)]
		12	mm, seq = 1, sizes = [[1, 2], [2, 3]]
		12	aten::mm, op_id = 8, sizes = [[1, 2], [2, 3], [1, 3]]
		-	aten::mm, op_id = 8, sizes = [[1, 2], [4, 3]]
		-	aten::mm, op_id = 8, sizes = [[1, 2], []]
		-	aten::mm, op_id = 8, sizes = [[1, 2]]
		-	aten::mm, op_id = 8
		0	aten::mm, op_id = 8, sizes = [[0, 2], [2, 3]]
		2000000000000000000	aten::mm, op_id = 8, sizes = [[1000000, 1000000], [1000000, 1000000]]
		-	aten::mm, op_id = 8, sizes = [[10000000, 1000000], [1000000, 1000000]]
		-	aten::mm, op_id = 8, sizes = [[99999999999999999999, 2], [2, 3]]
		-	aten::mm, op_id = 8, sizes = [[-1, 2], [2, 3]]
		-	aten::_mm, op_id = 8, sizes = [[1, 2], [2, 3]]
		-	aten::add, op_id = 8, sizes = [[1, 2], [1, 2], []]
		12	aten::addmm, op_id = 8, sizes = [[3], [1, 2], [2, 3], [], []]
		12	aten::addmm_, op_id = 8, sizes = [[1, 3], [1, 2], [2, 3], [], []]
		60	aten::bmm, op_id = 8, sizes = [[5, 1, 2], [5, 2, 3]]
		-	aten::bmm, op_id = 8, sizes = [[5, 1, 2], [4, 2, 3]]
		60	aten::baddbmm, op_id = 8, sizes = [[3], [5, 1, 2], [5, 2, 3], [], []]
		4	aten::mv, op_id = 8, sizes = [[1, 2], [2]]
		60	aten::matmul, op_id = 8, sizes = [[5, 1, 2], [2, 3]]
		60	aten::matmul, op_id = 8, sizes = [[5, 1, 2], [5, 2, 3]]
		60	aten::matmul, op_id = 8, sizes = [[1, 2], [5, 2, 3]]
		12	aten::matmul, op_id = 8, sizes = [[1, 2], [2, 3]]
		840	aten::matmul, op_id = 8, sizes = [[5, 14, 1, 2], [5, 14, 2, 3]]
		-	aten::matmul, op_id = 8, sizes = [[5, 14, 1, 2], [14, 5, 2, 3]]
		60	aten::linear, op_id = 8, sizes = [[5, 1, 2], [3, 2], [3]]
		12	aten::linear, op_id = 8, sizes = [[2], [3, 2]]
		-	aten::linear, op_id = 8, sizes = [[5, 1, 2], [2, 3], []]
		16800	aten::scaled_dot_product_attention, op_id = 8, sizes = [[2, 3, 5, 7], [2, 3, 20, 7], [2, 3, 20, 7], [], [], [], [], []]
		19200	aten::_scaled_dot_product_flash_attention, op_id = 8, sizes = [[2, 3, 5, 7], [2, 3, 20, 7], [2, 3, 20, 9], [], [], [], []]
		33600	aten::_scaled_dot_product_efficient_attention, op_id = 8, sizes = [[2, 6, 5, 7], [2, 3, 20, 7], [2, 3, 20, 7], [2, 6, 5, 20], [], [], []]
		16800	aten::scaled_dot_product_attention, op_id = 8, sizes = [[6, 5, 7], [6, 20, 7], [6, 20, 7], [], [], [], [], []]
		33600	aten::_scaled_dot_product_cudnn_attention_backward, op_id = 8, sizes = [[2, 3, 5, 7], [2, 3, 5, 7], [2, 3, 20, 7], [2, 3, 20, 7], [2, 3, 5, 7]]
		16800	aten::_flash_attention_forward, op_id = 8, sizes = [[2, 5, 3, 7], [2, 20, 3, 7], [2, 20, 3, 7], [], [], [], []]
		-	aten::_flash_attention_forward, op_id = 8, sizes = [[2, 5, 3, 7], [2, 20, 3, 7], [2, 20, 3, 7], [9], [9], [], []]
		-	aten::_flash_attention_forward, op_id = 8, sizes = [[10, 3, 7], [40, 3, 7], [40, 3, 7], [3], [3], [], []]
		-	aten::_efficient_attention_forward, op_id = 8, sizes = [[1, 5, 3, 7], [1, 20, 3, 7], [1, 20, 3, 7], [], [3], [3], []]
		33600	flash_attn::_flash_attn_backward, op_id = 8, sizes = [[2, 5, 3, 7], [2, 5, 3, 7], [2, 20, 3, 7], [2, 20, 3, 7]]
		6480	aten::conv_transpose2d, op_id = 8, sizes = [[1, 4, 3, 3], [4, 10, 3, 3], [5], [], [], [], [], []]
		-	aten::conv2d, op_id = 8, sizes = [[1, 4, 3, 3], [4, 4, 3, 3], [4], [], [], [], []]
		-	aten::_foreach_add_, op_id = 8, sizes = [[[1, 2], [2, 3]], [1, 2], [2, 3]]
		-	aten::mm, op_id = 8, sizes = [[1, 2], [2, 3
		-	aten::mm, op_id = 8, sizes = [[1, 2], [2, 3,
		12	aten::mm, op_id = 8, sizes = [[1, 2], [2, 3]
		12	aten::mm, op_id = 8, sizes = [[1, 2], [2, 3], [1,
		-	aten::mm, op_id = 8, sizes = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 3]]
		60	{'Module': 'model.layers.0.mlp.down_proj', 'TrainableParams': {'weight': [3, 2]}, 'Inputs': [[5, 2]], 'StaticParams': {}}
		60	{'Module': 'top.fc1', 'TrainableParams': {'weight': [2, 3], 'bias': [3]}, 'Inputs': [[5, 2], [5]]}
		-	{'Module': 'model.embed_tokens', 'TrainableParams': {'weight': [3, 2]}, 'Inputs': [[5, 2]]}
		-	{'Module': 'model.layers.0.mlp.down_proj', 'Inputs': [[5, 2]]}
		-	{'Module': 'model.layers.0.mlp.down_proj', 'TrainableParams': {'weight': [3, 2]}, 'Inputs': [[5,
	END
}

@test "a convolution has the size of its result where another operator takes it, and its backward what is taken" {
	conv="sizes = [[2, 4, 9, 9], [6, 2, 3, 3], [6], [], [], [], []]"
	# 2 x result x in / groups x kernel
	one=$((2 * 2 * 6 * 4 * 4 * 2 * 3 * 3))
	back="sizes = [[2, 6, 4, 4], [2, 4, 9, 9], [6, 2, 3, 3], [], [], [], [], [], [], [], []]"
	counted <<-END
		$one	aten::conv2d, op_id = 10, $conv
		-	aten::relu, op_id = 11, sizes = [[2, 6, 4, 4]], input_op_ids = [(10,0)]
		-	aten::conv2d, op_id = 12, $conv
		-	aten::add, op_id = 13, sizes = [[], [2, 6, 4]], input_op_ids = [(12,0), (12,0)]
		-	aten::conv2d, op_id = 14, $conv
		-	aten::add, op_id = 15, sizes = [[2, 6, 4, 4], [2, 6, 5, 4]], input_op_ids = [(14,0), (14,0)]
		$one	aten::conv2d, op_id = 16, $conv
		-	aten::add, op_id = 17, sizes = [[2, 6, 4, 4], [7, 7, 7, 7]], input_op_ids = [(16,0), (16,0)]
		-	aten::conv2d, $conv
		$((2 * 5 * 4 * 3 * 3))	aten::conv1d, op_id = 18, sizes = [[1, 3, 8], [4, 3, 3], [], [], [], [], []]
		-	aten::relu, op_id = 19, sizes = [[1, 4, 5]], input_op_ids = [(18,0)]
		-	aten::conv2d, op_id = 18, sizes = [[3, 8, 8], [4, 3, 3, 3], [], [], [], [], []]
		$one	aten::convolution_backward, op_id = 20, $back
		$((2 * one))	aten::convolution_backward, op_id = 21, $back
		-	aten::convolution_backward, op_id = 22, $back
		-	torch::autograd::AccumulateGrad, op_id = 23, sizes = [[6, 2, 3, 3]], input_op_ids = [(20,1)]
		-	torch::autograd::AccumulateGrad, op_id = 24, sizes = [[6, 2, 3, 3]], input_op_ids = [(21,1)]
		-	ReluBackward0, seq = 3, op_id = 25, sizes = [[2, 4, 9, 9], [6]], input_op_ids = [(21,0), (20,2)]
		-	aten::add, op_id = 26, sizes = [[], [6]], input_op_ids = [(20,0), (22,2)]
		-	aten::convolution_backward, op_id = 27, sizes = [[2, 4, 4, 4], [2, 4, 9, 9], [4, 4, 3, 3], [], [], [], [], [], [], [], []]
		-	torch::autograd::AccumulateGrad, op_id = 28, sizes = [[4, 4, 3, 3]], input_op_ids = [(27,1)]
		$((2 * 2 * 4 * 9 * 9 * 4 * 9))	aten::convolution_backward, op_id = 29, sizes = [[2, 4, 9, 9], [2, 4, 9, 9], [4, 4, 3, 3], [], [], [], [], [], [], [], []]
		-	torch::autograd::AccumulateGrad, op_id = 30, sizes = [[4, 4, 3, 3]], input_op_ids = [(29,1)]
	END
}

@test "the innermost operator that is known has the FLOPs; its products share them by time" {
	# what is around it launches besides, and so do a cast, a softmax, and a product whose sizes are not known
	t=$(program <<-'END'
		k_linear:100	0	aten::linear, op_id = 1, sizes = [[10, 2], [3, 2], [3]]
		k_cast:100	1	aten::to, op_id = 2, sizes = [[10, 2]]
		gemm_a:300 gemm_b:100 nchwToNhwcKernel:50	1	aten::addmm, op_id = 3, sizes = [[3], [10, 2], [2, 3], [], []]
		k_view:10	2	aten::view, op_id = 4, sizes = [[10, 3]]
		-	0	aten::matmul, op_id = 5, sizes = [[10, 2], [2, 3]]
		odd:100 odder:200	1	aten::mm, op_id = 6
		k_alone:5	0	aten::mm, op_id = 7
	END
	)
	same "gemm_a 90 100.00
gemm_b 30 100.00
k_alone - 0.00
k_cast - 0.00
k_linear - 0.00
k_view - 0.00
nchwToNhwcKernel - 0.00
odd 40 100.00
odder 80 100.00" "$(shapes --peak 1 --by name "$t" | col name flops measured_pct | sort | tr '\t' ' ')"
	same "240 $((100 * 700 / 965))" "$(shapes --peak 1 --by window "$t" | col flops measured_pct | sed 's/\..*//' | tr '\t' ' ')"
	# a window cuts a kernel: its part of the time, and both parts together are the whole
	same "90 45 45" "$(shapes --peak 1 --by name -w 0..2000000 -w 0..1000350 -w 1000350..2000000 "$t" | where name gemm_a | col flops | paste -sd ' ')"
	# by shape: the operator and its sizes, without scalars at the end
	same "120 aten::addmm [3] [10, 2] [2, 3]
120 aten::matmul [10, 2] [2, 3]
- -" "$(shapes --peak 1 --by shape "$t" | col flops name | sort | tr '\t' ' ' | sort -k1,1nr -k2)"
	same "120 aten::addmm
120 aten::matmul
- -" "$(shapes --peak 1 --by op "$t" | col flops name | sort | tr '\t' ' ' | sort -k1,1nr -k2)"
	# operands once, the result once: 10 x 2 + 2 x 3 + 10 x 3 numbers of 2 bytes, or of half a byte; not known without a type
	same "112 1.07" "$(shapes --peak 1 --by name --type bf16 "$t" | like '^gemm' | sum dram_bytes) $(shapes --peak 1 --by name --type bf16 "$t" | where name gemm_a | col intensity)"
	same 28 "$(shapes --peak 1 --by name --type fp4 "$t" | like '^gemm' | sum dram_bytes)"
	same "- - -" "$(shapes --peak 1 --by name "$t" | where name gemm_a | col dram_bytes dram_pct intensity | tr '\t' ' ')"
}

@test "replays of a CUDA graph have the FLOPs of the operators around its capture, each replay its own" {
	graph=$FIXTURES/graph-capture.sqlite
	t=$(change "$graph" "UPDATE NVTX_EVENTS SET text = 'aten::mm, op_id = ' || rowid || ', sizes = [[100, 200], [200, 300]]', textId = NULL
		WHERE coalesce(text, (SELECT value FROM StringIds WHERE id = textId)) = 'mlp'")
	read -r ranges < <(sql "$t" "SELECT count(*) FROM NVTX_EVENTS WHERE text LIKE 'aten::mm,%'")
	[ "$ranges" -gt 0 ]
	# each of the captured ranges is replayed as often as one of its nodes
	want=$(nsq-kernels -q --each --captured "$t" | awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["nvtx"] ~ /^aten::mm/ { runs[$at["nvtx"] OFS $at["launch_ns"]] } END { n = 0; for (r in runs) n++; print n * 12000000 }')
	same "$want" "$(shapes --captured --by name "$t" | sum flops)"
	[ "$want" -gt 12000000 ]
	# without it the replays are nobody's
	[ "$(shapes --by window "$t" | sum flops)" -lt "$want" ]
}

@test "a trace without sizes cannot answer: exit 3 and how to record them" {
	fails 3 "no range of '$FIXTURES/train.sqlite' has sizes in its name; run PyTorch's steps in torch.autograd.profiler.emit_nvtx(record_shapes=True) under nsys profile --trace=cuda,nvtx, record with torch.profiler's record_shapes=True" -- nsq-mfu --shapes "$FIXTURES/train.sqlite"
	# the names of operators alone; and sizes of operators without FLOPs, which is an answer
	t=$(change "$SHAPES" "UPDATE NVTX_EVENTS SET text = substr(text, 1, instr(text, ', sizes') - 1) WHERE text LIKE '%, sizes = %'")
	fails 3 "has sizes in its name" -- nsq-mfu --shapes "$t"
	t=$(change "$SHAPES" "UPDATE NVTX_EVENTS SET text = replace(text, 'aten::', 'mine::')")
	same "0.00	-	-" "$(shapes --by window "$t" | col measured_pct flops mfu_pct)"
	t=$(change "$SHAPES" "DROP TABLE NVTX_EVENTS")
	fails 3 "has sizes in its name" -- nsq-mfu --shapes "$t"
}

@test "peaks and types; options that do not fit are refused" {
	run --separate-stderr nsq-mfu --shapes --by window "$SHAPES"
	holds "$stderr" "the peak of 'NVIDIA H200' is 989.5 TFLOP/s (16-bit tensor operations) and 4800 GB/s"
	run --separate-stderr nsq-mfu --shapes --type fp8 --by window "$SHAPES"
	holds "$stderr" "the peak of 'NVIDIA H200' is 1979 TFLOP/s (fp8) and 4800 GB/s"
	run --separate-stderr nsq-mfu --flops 1e12 --type fp32 --by window "$SHAPES"
	holds "$stderr" "is 67 TFLOP/s (fp32"
	fails 2 "the peak of 'NVIDIA H200' for fp4 is not known; give it with --peak TFLOPS" -- nsq-mfu --shapes --type fp4 "$SHAPES"
	fails 2 "'--ncu' and '--shapes' cannot be combined" -- nsq-mfu --shapes --ncu "$FIXTURES/train-ncu.csv" "$SHAPES"
	fails 2 "'--shapes' and '--flops' cannot be combined" -- nsq-mfu --shapes --flops 1 --by window "$SHAPES"
	for by in shape op; do fails 2 "'--by $by' has no effect without '--shapes'" -- nsq-mfu --by $by "$SHAPES"; done
	fails 2 "'--type' has no effect without '--shapes' or '--flops'" -- nsq-mfu --type bf16 "$SHAPES"
	fails 2 "'--type' does not know 'int8'; it takes any, fp4, fp8, bf16, fp16, tf32, fp32, fp64" -- nsq-mfu --shapes --type int8 "$SHAPES"
}

# said OPTION...: what stderr says of types in the trace $t.
said() { nsq-mfu --shapes --by window "$@" "$t" 2>&1 > /dev/null | sed -n 's/.*: \(.* %\) of the time of products.* is in \(.*\) kernels such as .*; \(--type [a-z0-9]*\).*/\1 \2 \3/p'; }

@test "what kernels' names say of their types is said where the peak is of another; a peak that is given is theirs" {
	t=$SHAPES
	same "11.8 % tf32 --type tf32" "$(said)"
	same "$(said)" "$(said --type fp16)"
	same "21.0 % 16 bits --type bf16" "$(said --type tf32)"
	same "" "$(said --peak 100)"
	while IFS='|' read -r said name; do
		t=$(change "$SHAPES" "UPDATE StringIds SET value = '$name' WHERE value LIKE '%tf32%'")
		same "$said" "$(said)"
	done <<-END
		11.8 % fp32 --type fp32|ampere_sgemm_128x64_nn
		11.8 % fp32 --type fp32|sm80_xmma_gemm_f32f32_f32f32_f32_nn_n
		11.8 % fp8 --type fp8|sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n
		|ampere_fp16_sgemm_fp16_128x64_nn
		|sm80_xmma_gemm_bf16bf16_bf16f32_f32_nn_n
		|nvjet_sm90_tst_64x64_64x13_2x1_v_bz_NNT
	END
	# less than a hundredth is not said
	t=$(change "$SHAPES" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 1930 WHERE shortName IN (SELECT id FROM StringIds WHERE value LIKE '%tf32%')")
	same "1.0 % tf32 --type tf32" "$(said)"
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end - 100 WHERE shortName IN (SELECT id FROM StringIds WHERE value LIKE '%tf32%')"
	same "" "$(said)"
}
