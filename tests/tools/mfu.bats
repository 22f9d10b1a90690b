# nsq-mfu: FLOPs and bytes of kernels as Nsight Compute measured them, against the GPU's peak.
load ../helper
load ../small-traces

TRAIN=$FIXTURES/train.sqlite
NCU=$FIXTURES/train-ncu.csv
BASE=$FIXTURES/train-ncu-base.csv
NVTX=$FIXTURES/train-ncu-nvtx.csv

# keys: of --by, those to compare by; where MORE=1, three.
keys() { echo nvtx; if more; then echo name window; fi; }

mfu() { nsq-mfu -q "$@"; }

# close A B PART: the two numbers differ by at most that part of the larger.
close() { awk -v a="$1" -v b="$2" -v part="$3" 'BEGIN { d = a > b ? a - b : b - a; m = a > b ? a : b; if (d > part * m) { print a " and " b; exit 1 } }'; }

# launch CSV KERNEL GRID BLOCK [COLUMN=UNIT=VALUE...]: a CSV with one launch.
launch() {
	local file=$1 head='"ID","Process ID","Kernel Name","Grid Size","Block Size"' units='"","","","",""' row="\"0\",\"1\",\"$2\",\"$3\",\"$4\"" c rest
	shift 4
	for c; do
		rest=${c#*=}
		head+=",\"${c%%=*}\"" units+=",\"${rest%%=*}\"" row+=",\"${rest#*=}\""
	done
	printf '%s\n' "$head" "$units" "$row" > "$file"
}

# gather CSV [COLUMN=UNIT=VALUE...]: one launch of a kernel that each of the eight steps of $TRAIN has once.
gather() { local file=$1; shift; launch "$file" vectorized_gather_kernel "(4096, 1, 1)" "(128, 1, 1)" "$@"; }

# value CSV COLUMN...: of that kernel, in all eight steps.
value() { local csv=$1; shift; mfu --peak 1 --by name --ncu "$csv" "$TRAIN" | where name vectorized_gather_kernel | col "$@"; }

# flops [COLUMN=UNIT=VALUE...]: the FLOPs of that kernel in one step.
flops() {
	gather "$BATS_TEST_TMPDIR/flops.csv" dram__bytes.sum=byte=1000000 "$@"
	echo $(($(value "$BATS_TEST_TMPDIR/flops.csv" flops) / 8))
}

# edited CODE: a copy of $NCU whose rows Python has edited; rows[0] is the header, rows[1] the units, at the columns by name.
edited() {
	local to=$BATS_TEST_TMPDIR/edited.csv
	python3 - "$NCU" "$to" "$1" <<-'END'
		import csv, sys
		rows = list(csv.reader(open(sys.argv[1], newline='')))
		at = {name: i for i, name in enumerate(rows[0])}
		scope = {'rows': rows, 'at': at}
		exec(sys.argv[3], scope)
		csv.writer(open(sys.argv[2], 'w', newline=''), quoting=csv.QUOTE_ALL, lineterminator='\n').writerows(scope['rows'])
	END
	echo "$to"
}

# edges: two moments, 20 ms apart or more, at which a product of matrices runs.
edges() {
	sql "$TRAIN" "SELECT min(start + (end - start) / 3), max(start + (end - start) / 3) FROM CUPTI_ACTIVITY_KIND_KERNEL k
		JOIN StringIds s ON s.id = k.shortName WHERE value LIKE '%coopA_bias_TNT' AND start BETWEEN 20000000 AND 60000000"
}

@test "a step has 1.529e12 FLOPs, 1.518e12 of them on the tensor cores: 0.92 of 6 x parameters x tokens" {
	read -r tensor all bytes < <(oracle mfu --csv "$NCU")
	same "1518270939136 1529332991144 7243170304" "$tensor $all $bytes"
	same "$(yes "$all	$bytes	100.00" | head -8)" "$(nsq-window -q --pick all --skip 0 "$TRAIN" | mfu --by window --ncu "$NCU" | col flops dram_bytes measured_pct)"
	same 0.92 "$(awk -v t="$tensor" 'BEGIN { printf "%.2f", t / (6 * 67170304 * 4096) }')"
}

@test "a launch has the FLOPs of its own product, though others share its kernel, grid and block" {
	# QKV, 4096 x 1024 by 1024 x 3072, in each layer and step; the mlp's first product has the same key and 34359738368
	nsq-kernels -q --each -m coopA_bias_TNT "$TRAIN" | where nvtx attention > "$BATS_TEST_TMPDIR/launches"
	same 64 "$(count < "$BATS_TEST_TMPDIR/launches")"
	mfu --by name < "$BATS_TEST_TMPDIR/launches" --ncu "$NCU" | col flops | tally > "$BATS_TEST_TMPDIR/got"
	# with the bias: one addition for each of the 4096 x 3072 results, and of the 4096 x 1024 of the other product
	same "25782386688	32
8594128896	32" "$(cat "$BATS_TEST_TMPDIR/got")"
	same $((25769803776 + 4096 * 3072)) 25782386688
	same $((2 * 4096 * 1024 * 3072)) 25769803776
	# and the range has what its launches have, not half as much again
	attention=$(mfu --ncu "$NCU" "$TRAIN" | where name attention | col flops)
	close "$attention" $((32 * (25782386688 + 8594128896 + 5368709120 + 81560576 + 122933248 + 8388608))) 1e-9
}

# bats test_tags=more,long
@test "every row is what an independent program finds, for each page and key, and in windows that cut kernels" {
	for csv in $(first_few 1 "$NCU" "$BASE" "$NVTX"); do
		for by in $(keys); do
			echo "$csv --by $by"
			mfu --by $by --ncu "$csv" "$TRAIN" | oracle mfu "$TRAIN" "$csv" $by
		done
	done
	for by in name window; do mfu --by $by --ncu "$NCU" "$TRAIN" | oracle mfu "$TRAIN" "$NCU" $by; done
	read -r a b < <(edges)
	for by in $(keys); do
		mfu -w $a..$b --by $by --ncu "$NCU" "$TRAIN" | oracle mfu "$TRAIN" "$NCU" $by $a $b
	done
}

# bats test_tags=long
@test "stages, phases, ranges, kernels and windows add up" {
	read -r a b < <(edges)
	for w in "" "-w $a..$b"; do
		want=$(mfu $w --by window --ncu "$NCU" "$TRAIN" | sum kernels gpu_ns flops dram_bytes)
		for by in nvtx stage phase name "phase --adopt" "nvtx --adopt"; do
			same "$want" "$(mfu $w --by $by --ncu "$NCU" "$TRAIN" | sum kernels gpu_ns flops dram_bytes)"
		done
		same "$(cut -f1,2 <<<"$want")" "$(nsq-nvtx -q $w -p 911 "$TRAIN" | sum kernels gpu_ns)"
	done
	# windows that tile the time: what a kernel does on both sides of an edge counts once
	read -r one bytes < <(mfu -w $a..$b --by window --ncu "$NCU" "$TRAIN" | col flops dram_bytes)
	read -r many mbytes < <(mfu -w 0..$a -w $a..$b -w $b..93134258 --by window --ncu "$NCU" "$TRAIN" | sum flops dram_bytes)
	close "$many" $((8 * 1529332991144)) 1e-12
	close "$mbytes" $((8 * 7243170304)) 1e-9
	# --inside leaves out what an edge cuts
	[ "$(mfu --inside -w $a..$b --by window --ncu "$NCU" "$TRAIN" | col flops)" -lt "$one" ]
}

@test "pages with scaled and with base units agree to 1e-5" {
	for by in window nvtx stage phase; do
		paste <(mfu --by $by --ncu "$NCU" "$TRAIN" | col flops dram_bytes) <(mfu --by $by --ncu "$BASE" "$TRAIN" | col flops dram_bytes) > "$BATS_TEST_TMPDIR/both"
		while read -r f1 b1 f2 b2; do close "$f1" "$f2" 1e-5; same "$b1" "$b2"; done < "$BATS_TEST_TMPDIR/both"
		[ -s "$BATS_TEST_TMPDIR/both" ]
	done
	same "$(mfu --by name --ncu "$NCU" "$TRAIN")" "$(mfu --by name --ncu "$NVTX" "$TRAIN")"
	# the units themselves
	gather "$BATS_TEST_TMPDIR/x.csv" dram__bytes.sum=Kbyte=12,345.5 smsp__sass_thread_inst_executed_op_ffma_pred_on.sum=Ginst=1.5
	same "98764000	24000000000" "$(value "$BATS_TEST_TMPDIR/x.csv" dram_bytes flops)"
	gather "$BATS_TEST_TMPDIR/x.csv" dram__bytes.sum=Gbyte=1.5 smsp__sass_thread_inst_executed_op_ffma_pred_on.sum=inst=7
	same "12000000000	112" "$(value "$BATS_TEST_TMPDIR/x.csv" dram_bytes flops)"
}

@test "FLOPs: tensor operations by operand, each once; instructions weighed; neither integers nor averages nor peaks" {
	T=sm__ops_path_tensor_src_ V=smsp__sass_thread_inst_executed_op_
	same 100 "$(flops ${T}bf16_dst_fp32.sum==100)"
	same 30111 "$(flops ${T}bf16_dst_fp32.sum==100 ${T}fp16.sum==10 ${T}fp64.sum==1 ${T}tf32_dst_fp32.sum==30,000)"
	# repeats of the same, integers, averages
	same 7 "$(flops ${T}bf16_dst_fp32.sum==7 sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum==7 ${T}int8.sum==500 ${T}int1.sum==9 ${T}bf16_dst_fp32.avg==3 ${T}bf16_dst_fp32.sum.per_second==99)"
	# with and without sparsity, where there is no column for both; else the column for both
	same 5 "$(flops ${T}fp8_sparsity_on.sum==2 ${T}fp8_sparsity_off.sum==3)"
	same 4 "$(flops ${T}fp8_sparsity_on.sum==2 ${T}fp8_sparsity_off.sum==2 ${T}fp8.sum==4)"
	# add and mul are one, fma two, of h twice that
	same 1 "$(flops ${V}fadd_pred_on.sum=inst=1)"
	same 1 "$(flops ${V}dmul_pred_on.sum=inst=1)"
	same 2 "$(flops ${V}ffma_pred_on.sum=inst=1)"
	same 2 "$(flops ${V}dfma_pred_on.sum=inst=1)"
	same 2 "$(flops ${V}hadd_pred_on.sum=inst=1)"
	same 2 "$(flops ${V}hmul_pred_on.sum=inst=1)"
	same 4 "$(flops ${V}hfma_pred_on.sum=inst=1)"
	same 1 "$(flops ${V}fadd_pred_on.sum=inst=1 derived__${V}ffma_pred_on_x2=inst=99 ${V}ffma_pred_on.avg=inst=50 smsp__sass_thread_inst_executed_op_fp32_pred_on.sum=inst=8)"
	# per cycle, times the cycles; where there is a sum, that
	same 5000 "$(flops ${V}ffma_pred_on.sum.per_cycle_elapsed=inst/cycle=2.5 smsp__cycles_elapsed.avg=cycle=1,000.00)"
	same 5000 "$(flops smsp__cycles_elapsed.avg=Kcycle=1 ${V}ffma_pred_on.sum.per_cycle_elapsed=inst/cycle=2.5)"
	same 8 "$(flops ${V}ffma_pred_on.sum.per_cycle_elapsed=inst/cycle=2.5 smsp__cycles_elapsed.avg=cycle=1000 ${V}ffma_pred_on.sum=inst=4)"
	# each of its own
	same 5008 "$(flops ${V}ffma_pred_on.sum.per_cycle_elapsed=inst/cycle=2.5 smsp__cycles_elapsed.avg=cycle=1000 ${V}dfma_pred_on.sum=inst=4)"
}

# bats test_tags=long
@test "kernels that were not measured lower measured_pct, and nothing is guessed for them" {
	csv=$(edited 'rows = [r for r in rows if "reduce_kernel" not in r[at["Kernel Name"]] or r[at["ID"]] == ""]')
	same 17 "$(($(wc -l < "$NCU") - $(wc -l < "$csv")))"
	mfu --by window --ncu "$csv" "$TRAIN" | oracle mfu "$TRAIN" "$csv" window
	read -r ns all < <(mfu --by name --ncu "$NCU" "$TRAIN" | where name reduce_kernel | col gpu_ns kernels)
	same "$(awk -v ns="$ns" -v all="$(mfu --by window --ncu "$NCU" "$TRAIN" | col gpu_ns)" 'BEGIN { printf "%.2f", 100 - 100 * ns / all }')" \
		"$(mfu --by window --ncu "$csv" "$TRAIN" | col measured_pct)"
	same "$all	0.00	-	-	-	-	-	-	-" "$(mfu --by name --ncu "$csv" "$TRAIN" | where name reduce_kernel | col kernels measured_pct flops tflops mfu_pct dram_bytes dram_pct intensity bound)"
	# the others are still matched in order: launches that were not measured are passed over
	same "$(mfu --by name --ncu "$NCU" "$TRAIN" | where name nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT)" \
		"$(mfu --by name --ncu "$csv" "$TRAIN" | where name nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT)"
	mfu --ncu "$csv" "$TRAIN" | oracle mfu "$TRAIN" "$csv" nvtx
	asked nsq-mfu --ncu "$csv" "$TRAIN"
	holds "$stderr" "100.00 % matched by order"
}

@test "a page of other kernels than those that run is said to be, with the longest that it lacks" {
	compiled=$FIXTURES/torch-compile.sqlite
	asked nsq-mfu --by window --ncu "$NCU" "$compiled"
	read -r share longest ns all < <(python3 - "$compiled" "$NCU" <<-'END'
		import csv, re, sqlite3, sys
		db = sqlite3.connect('file:%s?immutable=1' % sys.argv[1], uri=True)
		h, _, *rows = csv.reader(open(sys.argv[2], newline=''))
		have = {(re.sub(r'<.*', '', r[h.index('Kernel Name')].replace('<unnamed>', '')).split('(')[0].split('::')[-1].split(' ')[-1],) +
		        tuple(tuple(map(int, re.findall(r'\d+', r[h.index(c)]))) for c in ('Grid Size', 'Block Size')) for r in rows}
		lacks, part, all = {}, 0, 0
		for name, gx, gy, gz, bx, by, bz, ns in db.execute('''SELECT value, gridX, gridY, gridZ, blockX, blockY, blockZ, end - start
		        FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName'''):
		    all += ns
		    if (name, (gx, gy, gz), (bx, by, bz)) in have: part += ns
		    else: lacks[name] = lacks.get(name, 0) + ns
		name = max(lacks, key=lacks.get)
		print('%.2f' % (100 * part / all), name, '%.2f' % (100 * lacks[name] / all), all)
	END
	)
	holds "$stderr" "the CSV covers $share % of the GPU time in '$compiled'; it has no launch like '$longest' ($ns %)"
	same "$share $all" "$(col measured_pct gpu_ns <<<"$output" | tr '\t' ' ')"
	# nothing at all in common; and a page that covers the most part
	launch "$BATS_TEST_TMPDIR/x.csv" nobody "(1, 1, 1)" "(1, 1, 1)" sm__ops_path_tensor_src_bf16.sum==5
	asked nsq-mfu --by window --ncu "$BATS_TEST_TMPDIR/x.csv" "$TRAIN"
	same "0.00	-" "$(col measured_pct flops <<<"$output")"
	holds "$stderr" "the CSV covers 0.00 % of the GPU time"
	asked nsq-mfu --by window --ncu "$NCU" "$TRAIN"
	lacks "$stderr" "the CSV has values"
}

# bats test_tags=more,long
@test "what does not recur has the mean of its key in its folded range, then of its key; stderr gives the ambiguous share" {
	# without the QKV product of one layer the sequence is not the program's
	csv=$(edited 'del rows[4]')
	for by in $(keys); do mfu --by $by --ncu "$csv" "$TRAIN" | oracle mfu "$TRAIN" "$csv" $by; done
	asked nsq-mfu --by window --ncu "$csv" "$TRAIN"
	same 100.00 "$(col measured_pct <<<"$output")"
	holds "$stderr" "nsq-mfu: 46.34 % of the GPU time in '$TRAIN' was measured over 5 % apart: 0.00 % matched by order, else means"
	# the share, from the page and the trace
	want=$(python3 - "$csv" "$TRAIN" <<-'END'
		import csv, re, sqlite3, sys
		h, u, *rows = csv.reader(open(sys.argv[1], newline=''))
		db = sqlite3.connect('file:%s?immutable=1' % sys.argv[2], uri=True)
		keys = {}
		scale = {'K': 1e3, 'M': 1e6, 'G': 1e9}.get(u[h.index('dram__bytes.sum')][0], 1)
		for r in rows:
		    name = re.sub(r'<.*', '', r[h.index('Kernel Name')].replace('<unnamed>', '')).split('(')[0].split('::')[-1].split(' ')[-1]
		    key = (name,) + tuple(tuple(map(int, re.findall(r'\d+', r[h.index(c)]))) for c in ('Grid Size', 'Block Size'))
		    cycles = float(r[h.index('smsp__cycles_elapsed.avg')].replace(',', ''))
		    flops = float(r[h.index('sm__ops_path_tensor_src_bf16_dst_fp32.sum')].replace(',', ''))
		    for n in h:
		        if 'per_cycle_elapsed' in n:
		            flops += float(r[h.index(n)].replace(',', '')) * cycles * (2 if 'fma' in n else 1) * (2 if '_op_h' in n else 1)
		    keys.setdefault(key, []).append((flops, float(r[h.index('dram__bytes.sum')].replace(',', '')) * scale))
		unsure = {k for k, v in keys.items() if any(max(x[i] for x in v) > 1.05 * min(x[i] for x in v) for i in (0, 1))}
		total = part = 0
		for name, gx, gy, gz, bx, by, bz, ns in db.execute('''SELECT value, gridX, gridY, gridZ, blockX, blockY, blockZ, end - start
		        FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName'''):
		    total += ns
		    part += ns * ((name, (gx, gy, gz), (bx, by, bz)) in unsure)
		print('%.2f' % (100 * part / total))
	END
	)
	same 46.34 "$want"
	# without ranges in the page, the mean of the key alone
	csv=$(edited 'del rows[4]; i = next(i for i, n in enumerate(rows[0]) if "Push/Pop" in n); rows = [r[:i] + r[i + 1:] for r in rows]')
	a=$(mfu --ncu "$csv" "$TRAIN" | where name attention | col flops) b=$(mfu --ncu "$NCU" "$TRAIN" | where name attention | col flops)
	[ "$a" -gt $((b + b / 10)) ]
	# a key whose values are alike is nobody's concern
	gather "$BATS_TEST_TMPDIR/one.csv" sm__ops_path_tensor_src_bf16_dst_fp32.sum==5 dram__bytes.sum=byte=5 smsp__sass_thread_inst_executed_op_fadd_pred_on.sum=inst=1
	asked nsq-mfu --peak 1 --ncu "$BATS_TEST_TMPDIR/one.csv" "$TRAIN"
	lacks "$status$stderr" "differ by more"
	# nor are 5 % of FLOPs or bytes; more is
	for pair in "1050 1000:" "1051 1000:yes" "1000 1050:" "1000 1051:yes"; do
		read -r f b <<<"${pair%:*}"
		{ cat "$BATS_TEST_TMPDIR/one.csv"; tail -1 "$BATS_TEST_TMPDIR/one.csv" | sed "s/\"5\",\"5\",\"1\"\$/\"$f\",\"$b\",\"0\"/"; } | sed 's/"5","5","1"$/"1000","1000","0"/' > "$BATS_TEST_TMPDIR/two.csv"
		same 4 "$(wc -l < "$BATS_TEST_TMPDIR/two.csv")"
		asked nsq-mfu --peak 1 --ncu "$BATS_TEST_TMPDIR/two.csv" "$TRAIN"
		same "${pair#*:}" "$(case $stderr in *"measured over 5 % apart"*) echo yes ;; esac)"
	done
}

@test "means are those of the folded range where the key was measured there" {
	# the same kernel in two ranges: the sequence does not recur, because of the fourth launch
	{
		echo '"ID","Process ID","d:Push/Pop_Range:PL","Kernel Name","Grid Size","Block Size","sm__ops_path_tensor_src_bf16.sum","dram__bytes.sum"'
		echo '"","","","","","","","byte"'
		local range flops i=0
		for pair in attention:100 mlp:300 attention:201 reduce:5 other:1000 mlp:300; do
			range=${pair%:*} flops=${pair#*:} i=$((i + 1))
			[ $range != reduce ] || { echo "\"$i\",\"1\",\"\",\"reduce_kernel\",\"(8, 64, 1)\",\"(32, 4, 1)\",\"5\",\"1\""; continue; }
			echo "\"$i\",\"1\",\"1 \"\"D:step 3:none:none:none:none:none:none\"\" \"\"D:$range:none:none:none:none:none:none\"\" \",\"vectorized_layer_norm_kernel\",\"(4096, 1, 1)\",\"(32, 4, 1)\",\"$flops\",\"1\""
		done
	} > "$BATS_TEST_TMPDIR/x.csv"
	mfu --peak 1 --by nvtx --ncu "$BATS_TEST_TMPDIR/x.csv" "$TRAIN" > "$BATS_TEST_TMPDIR/out"
	# 32 launches in each; (100 + 201) / 2 rounds up
	same $((32 * 151)) "$(where name attention < "$BATS_TEST_TMPDIR/out" | col flops)"
	same $((32 * 300)) "$(where name mlp < "$BATS_TEST_TMPDIR/out" | col flops)"
	# where it was not measured in the range, the mean of all five
	sed -i 's/D:mlp:/D:mlp2:/' "$BATS_TEST_TMPDIR/x.csv"
	same $((32 * 380)) "$(mfu --peak 1 --ncu "$BATS_TEST_TMPDIR/x.csv" "$TRAIN" | where name mlp | col flops)"
	# digits in names are folded: mlp7 is mlp2
	t=$(change "$TRAIN" "UPDATE NVTX_EVENTS SET text = 'mlp7', textId = NULL WHERE text = 'mlp' OR textId = (SELECT id FROM StringIds WHERE value = 'mlp')")
	same $((32 * 300)) "$(mfu --peak 1 --ncu "$BATS_TEST_TMPDIR/x.csv" "$t" | where name 'mlp#' | col flops)"
}

@test "names of ranges are read from the page, with colons and messages of their own" {
	page() {
		printf '%s\n' '"ID","d:Push/Pop_Range:PL","Kernel Name","Grid Size","Block Size","sm__ops_path_tensor_src_bf16.sum"' '"","","","","",""' \
			"\"0\",\"$1\",\"DeviceRadixSortOnesweepKernel\",\"$GRID\",\"$BLOCK\",\"100\"" \
			"\"1\",\"\",\"DeviceRadixSortOnesweepKernel\",\"$GRID\",\"$BLOCK\",\"900\"" \
			'"2","","reduce_kernel","(8, 64, 1)","(32, 4, 1)","5"' '"3","","reduce_kernel","(8, 64, 1)","(32, 4, 1)","5"' \
			'"4","","vectorized_gather_kernel","(4096, 1, 1)","(128, 1, 1)","5"' '"5","","vectorized_gather_kernel","(4096, 1, 1)","(128, 1, 1)","5"' > "$BATS_TEST_TMPDIR/x.csv"
		mfu --peak 1 --by name --ncu "$BATS_TEST_TMPDIR/x.csv" "$TRAIN" | where name DeviceRadixSortOnesweepKernel | col flops
	}
	read -r n GRID BLOCK < <(sql "$TRAIN" "SELECT count(*), '(' || gridX || ',' || gridY || ',' || gridZ || ')', '(' || blockX || ',' || blockY || ',' || blockZ || ')'
		FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName WHERE value = 'DeviceRadixSortOnesweepKernel'")
	for range in 'cub::DeviceRadixSort:none:none:none:none:REGISTERED:cub::DeviceRadixSort' 'cub::DeviceRadixSort:none:none:none:none:none:none'; do
		same $((n * 100)) "$(page "476 \"\"D:step 0:none:none:none:none:none:none\"\"  \"\"CCCL:$range\"\" ")"
	done
	# another range: the mean of the key
	same $((n * 500)) "$(page '476 ""CCCL:cub::DeviceScan:none:none:none:none:REGISTERED:cub::DeviceScan"" ')"
}

@test "kernels are told by the short name of whatever demangled name the page has" {
	for name in 'vectorized_gather_kernel' 'void vectorized_gather_kernel<16, long>(char *, char *, T2 *)' \
		'void at::native::vectorized_gather_kernel<(int)16, long>(char *, T2 *)' 'forward/void native::vectorized_gather_kernel<16>(char *)' \
		'a/b (c)/d <e/void vectorized_gather_kernel<16>(char *)' 'void (anonymous namespace)::vectorized_gather_kernel(int (*)(int))' \
		'void native::<unnamed>::vectorized_gather_kernel<native::F(at::T &)::[lambda() (instance 2)]::operator ()() const::[lambda(c10::B) (instance 1)], std::array<char *, 2>>(int, T2)' \
		'step/vectorized_gather_kernel' 'void vectorized_gather_kernel<f(int)->int, a/b>(int) const' 'std::enable_if<(1), void>::type n::vectorized_gather_kernel<1>(X<2>)' \
		'vectorized_gather_kernel(int) [clone .x]' 'void vectorized_gather_kernel[abi:cxx11](int) const'; do
		echo "$name"
		launch "$BATS_TEST_TMPDIR/x.csv" "$name" "(4096, 1, 1)" "(128,1,1)" sm__ops_path_tensor_src_bf16.sum==5
		same 40 "$(value "$BATS_TEST_TMPDIR/x.csv" flops)"
	done
	for name in 'void vectorized_gather<kernel>(int)' 'vectorized_gather_kernel::other(int)' 'void other<vectorized_gather_kernel>(vectorized_gather_kernel)'; do
		launch "$BATS_TEST_TMPDIR/x.csv" "$name" "(4096, 1, 1)" "(128,1,1)" sm__ops_path_tensor_src_bf16.sum==5
		same - "$(value "$BATS_TEST_TMPDIR/x.csv" flops)"
	done
	launch "$BATS_TEST_TMPDIR/x.csv" vectorized_gather_kernel "(4096, 1, 2)" "(128,1,1)" sm__ops_path_tensor_src_bf16.sum==5
	same - "$(value "$BATS_TEST_TMPDIR/x.csv" flops)"
	launch "$BATS_TEST_TMPDIR/x.csv" vectorized_gather_kernel "(4096, 1, 1)" "(128,1,2)" sm__ops_path_tensor_src_bf16.sum==5
	same - "$(value "$BATS_TEST_TMPDIR/x.csv" flops)"
	# an export without short names
	t=$(change "$TRAIN" "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN shortName")
	same "$(mfu --by window --ncu "$NCU" "$TRAIN" | without trace)" "$(mfu --by window --ncu "$NCU" "$t" | without trace)"
}

# bats test_tags=slow
@test "the sequence is found wherever it recurs: from the middle of a step, over steps, in each process, of each process of the page" {
	# from the middle of a step on, over one and a half steps; the values tell the launches of two steps apart
	csv=$(edited 'b = rows[2:]
rows = rows[:2] + [r[:] for r in b[100:] + b[:150]]
for i, r in enumerate(rows[2:]): r[at["ID"]] = str(i); r[at["sm__ops_path_tensor_src_bf16_dst_fp32.sum"]] = str(2 ** 33 + 2 ** 20 * i)')
	for by in $(keys); do mfu --by $by --ncu "$csv" "$TRAIN" | oracle mfu "$TRAIN" "$csv" $by; done
	# every launch has its own value where the page covers the run
	csv=$(edited 'b = rows[2:]
rows = rows[:2] + [r[:] for k in range(8) for r in b]
for i, r in enumerate(rows[2:]): r[at["ID"]] = str(i); r[at["sm__ops_path_tensor_src_bf16_dst_fp32.sum"]] = str(2 ** 33 + 2 ** 20 * i)')
	nsq-window -q --pick all --skip 0 "$TRAIN" | mfu --by window --ncu "$csv" | col flops > "$BATS_TEST_TMPDIR/steps"
	same 8 "$(sort -un "$BATS_TEST_TMPDIR/steps" | wc -l)"
	same "$(cat "$BATS_TEST_TMPDIR/steps")" "$(sort -n "$BATS_TEST_TMPDIR/steps")"
	for by in $(keys); do mfu --by $by --ncu "$csv" "$TRAIN" | oracle mfu "$TRAIN" "$csv" $by; done
	# rows of another process, in between: each process of the page is a sequence of its own
	csv=$(edited 'out = rows[:2]
for r in rows[2:]:
    o = r[:]; o[at["Process ID"]] = "7"; o[at["sm__ops_path_tensor_src_bf16_dst_fp32.sum"]] = "9"
    out += [r, o]
rows = out')
	same "$(mfu --by name --ncu "$NCU" "$TRAIN")" "$(mfu --by name --ncu "$csv" "$TRAIN")"
}

@test "where recurrences overlap, the first holds, and what follows has the values of the next" {
	# gemm norm gemm was measured; launched are gemm norm gemm norm gemm
	t=$(made "INSERT INTO S VALUES (9, 'norm');
		INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (200, 300, 0, 1, 7, 2, $P5, 9, 9), (300, 400, 0, 1, 7, 3, $P5, 1, 1),
			(400, 500, 0, 1, 7, 4, $P5, 9, 9), (500, 600, 0, 1, 7, 5, $P5, 1, 1);
		INSERT INTO R SELECT correlationId * 10, correlationId * 10 + 5, $P5 + 5, correlationId, 2 FROM K")
	for column in grid block; do for axis in X Y Z; do sqlite3 "$t" "ALTER TABLE ${K}KERNEL ADD COLUMN $column$axis INTEGER DEFAULT 1"; done; done
	csv=$BATS_TEST_TMPDIR/page.csv
	launch "$csv" gemm "(1, 1, 1)" "(1, 1, 1)" sm__ops_path_tensor_src_bf16_dst_fp32.sum==1000 dram__bytes.sum=byte=8
	printf '"%s","1","%s","(1, 1, 1)","(1, 1, 1)","%s","8"\n' 1 norm 2000 2 gemm 3000 >> "$csv"
	same "1000 2000 3000 2000 3000" "$(mfu --peak 1 --by window --ncu "$csv" -w 100..200 -w 200..300 -w 300..400 -w 400..500 -w 500..600 "$t" |
		col flops | paste -sd ' ')"
}

@test "two processes: each is matched by itself, and its type is that of its own FLOPs" {
	t=$FIXTURES/dualpipe-pp2ep2.sqlite
	python3 - "$t" "$BATS_TEST_TMPDIR/x.csv" <<-'END'
		import csv, sqlite3, sys
		db = sqlite3.connect('file:%s?immutable=1' % sys.argv[1], uri=True)
		rows = db.execute('''SELECT s.value, gridX, gridY, gridZ, blockX, blockY, blockZ FROM CUPTI_ACTIVITY_KIND_KERNEL k
		    JOIN StringIds s ON s.id = k.shortName JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId
		    AND r.globalTid >> 24 = k.globalPid >> 24 WHERE k.globalPid >> 24 & 0xffffff = 694 ORDER BY r.start, k.start''').fetchall()
		out = csv.writer(open(sys.argv[2], 'w', newline=''), quoting=csv.QUOTE_ALL)
		out.writerow(['ID', 'Process ID', 'Kernel Name', 'Grid Size', 'Block Size', 'sm__ops_path_tensor_src_fp16.sum'])
		out.writerow([''] * 6)
		for i, r in enumerate(rows):
		    out.writerow([i, 694, r[0], '(%d, %d, %d)' % r[1:4], '(%d, %d, %d)' % r[4:7], 1000 * 2 ** (i % 40)])
	END
	want=$(python3 -c "print(sum(1000 * 2 ** (i % 40) for i in range(377)))")
	same "694	377	100.00	$want" "$(mfu --by window --ncu "$BATS_TEST_TMPDIR/x.csv" -p 694 "$t" | col pid kernels measured_pct flops)"
	for pid in 693 695 696; do
		same "$(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid >> 24 & 0xffffff = $pid")" \
			"$(mfu --by window --ncu "$BATS_TEST_TMPDIR/x.csv" -p $pid "$t" | col kernels)"
	done
}

# bats test_tags=slow
@test "the same bytes for any number of threads and any order of rows" {
	t=$(change "$TRAIN" "$(shuffling "$TRAIN")")
	for by in nvtx stage phase name window; do
		want=$(cd "$FIXTURES" && mfu -j 1 --by $by --ncu "$NCU" train.sqlite)
		same "$want" "$(cd "$FIXTURES" && mfu -j 8 --by $by --ncu "$NCU" train.sqlite)"
		same "$want" "$(cd "$BATS_TEST_TMPDIR" && mfu -j 8 --by $by --ncu "$NCU" train.sqlite)"
	done
}

# bats test_tags=slow
@test "40000 kernels, which several threads add up: rows are the sums of --each, and the same for any number of threads" {
	t=$(made "$(for c in gridX gridY gridZ blockX blockY blockZ; do echo "ALTER TABLE K ADD $c INTEGER;"; done)
		INSERT INTO S VALUES (6, 'other'), (7, 'third');
		CREATE TEMP TABLE many AS WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 39999) SELECT i FROM r;
		INSERT INTO R SELECT 100 + i * 100, 150 + i * 100, CASE WHEN i % 5 THEN $P5 ELSE $P6 END, i + 1, 2 FROM many;
		INSERT INTO K SELECT 1000 + i * 100, 1050 + i * 100 + i % 40, i % 10 = 3, 1, 7, i + 1, CASE WHEN i % 5 THEN $P5 ELSE $P6 END,
			CASE WHEN i < 30000 THEN 1 ELSE 6 + i % 2 END, CASE WHEN i < 30000 THEN 1 ELSE 6 + i % 2 END, 1, 1, 1, 32, 1, 1 FROM many;
		INSERT INTO N SELECT 90 + i * 100, 90 + (i + 1000) * 100, 59, 'step ' || (i / 1000 % 3) || char(97 + i / 1000 % 7), $P5, NULL, 0 FROM many WHERE i % 1000 = 0")
	{
		echo '"ID","Kernel Name","Grid Size","Block Size","sm__ops_path_tensor_src_bf16_dst_fp32.sum","sm__ops_path_tensor_src_fp8.sum","dram__bytes.sum"'
		echo '"","","","","","","byte"'
		for n in gemm third; do echo "\"0\",\"$n\",\"(1, 1, 1)\",\"(32, 1, 1)\",\"1000\",\"$((${#n} * 400))\",\"7\""; done
	} > "$BATS_TEST_TMPDIR/many.csv"
	sums() { awk -F '\t' -v OFS='\t' '{ n[$1]++; ns[$1] += $2; f[$1] += $3; b[$1] += $4 } END { for (k in n) print k, n[k], ns[k], f[k], b[k] }' | sort; }
	for w in "" "-w 1000070..3500020"; do
		mfu --each --peak 1 $w --ncu "$BATS_TEST_TMPDIR/many.csv" "$t" > "$BATS_TEST_TMPDIR/each"
		[ -n "$w" ] || same "$(printf 'gemm\t2600\nother\t-\nthird\t3000')" "$(col name flops < "$BATS_TEST_TMPDIR/each" | sort -u)"
		same "$(col name dur_ns flops dram_bytes < "$BATS_TEST_TMPDIR/each" | tr - 0 | sums)" \
			"$(mfu --by name --peak 1 $w --ncu "$BATS_TEST_TMPDIR/many.csv" "$t" | col name kernels gpu_ns flops dram_bytes | tr - 0 |
				awk -F '\t' -v OFS='\t' '{ n[$1] += $2; ns[$1] += $3; f[$1] += $4; b[$1] += $5 } END { for (k in n) print k, n[k], ns[k], f[k], b[k] }' | sort)"
		for by in nvtx name window; do
			for j in 1 4; do nsq-mfu -j $j --by $by $w --ncu "$BATS_TEST_TMPDIR/many.csv" --peak 9 "$t" > "$BATS_TEST_TMPDIR/$j" 2>&1; done
			[ -s "$BATS_TEST_TMPDIR/1" ]
			cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/4"
		done
	done
	same 8 "$(mfu --peak 1 --ncu "$BATS_TEST_TMPDIR/many.csv" "$t" | col name | sort -u | wc -l)"
}

# bats test_tags=more
@test "stages and phases: by rules, built in or given; other threads' work with --adopt" {
	same "- backward forward optimizer" "$(mfu --by phase --ncu "$NCU" "$TRAIN" | col name | sort | paste -sd ' ')"
	printf 'mlp|attention\tblock\n' > "$BATS_TEST_TMPDIR/rules"
	flops_of() { mfu "$@" --ncu "$NCU" "$TRAIN" | where name "$name" | sum flops; }
	both=$(($(name=mlp flops_of) + $(name=attention flops_of)))
	same "$both" "$(name=block flops_of --by phase --phases "$BATS_TEST_TMPDIR/rules")"
	same "$both" "$(name=block flops_of --by stage --rules "$BATS_TEST_TMPDIR/rules")"
	# a stage without a rule is the range; a phase without one is -
	same "$(name=optimizer flops_of)" "$(name=optimizer flops_of --by stage --rules "$BATS_TEST_TMPDIR/rules")"
	same "" "$(mfu --by phase --phases "$BATS_TEST_TMPDIR/rules" --ncu "$NCU" "$TRAIN" | where name optimizer | rows)"
	# the backward pass is launched by another thread
	same 0 "$(name=backward flops_of --by phase)"
	[ "$(name=backward flops_of --by phase --adopt)" -gt 8000000000000 ]
	mapfile -t names < <(printf '%s\n' "fwd step:forward" "loss.backward:backward" "autograd::engine::evaluate_function:backward" \
		"Optimizer.step#AdamW.step:optimizer" "optim:optimizer" "zero_grad:optimizer" "optimal:-" "prefill 3:prefill" "LLM@decode_all:decode" \
		"layer07.stage2_f:forward" "layer05_stage5_b_layer06_stage1_b:backward" "stage3_w:backward" | each_nth 3)
	for name in "${names[@]}"; do
		t=$(change "$TRAIN" "UPDATE NVTX_EVENTS SET text = '${name%:*}', textId = NULL WHERE text = 'mlp' OR textId = (SELECT id FROM StringIds WHERE value = 'mlp')" \
			"UPDATE NVTX_EVENTS SET text = 'x', textId = NULL WHERE text = 'forward' OR textId = (SELECT id FROM StringIds WHERE value = 'forward')" )
		echo "$name"
		ns=$(mfu "$TRAIN" | where name mlp | col gpu_ns)
		want=${name##*:}
		got=$(mfu --by phase "$t" | where name "$want" | col gpu_ns)
		[ "$want" = - ] && [ "$got" -gt "$ns" ] || [ "$got" -eq "$ns" ] || [ "$got" -eq $((ns + $(mfu --by phase "$TRAIN" | where name "$want" | col gpu_ns))) ]
	done
}

@test "--flops: model FLOPs in each window, against the 16-bit peak; the rest is not known" {
	same "911	202	-	1650000000000	-	-	-	-" "$(nsq-window -q --pick 3 "$TRAIN" | mfu --by window --flops 1.65e12 | col pid kernels measured_pct flops dram_bytes dram_pct intensity bound)"
	read -r start end tflops pct < <(nsq-window -q --pick 3 "$TRAIN" | mfu --by window --flops 1.65e12 | col start_ns end_ns tflops mfu_pct)
	same "$(awk -v ns=$((end - start)) 'BEGIN { t = 1.65e12 / ns / 1e3; printf "%.2f %.2f", t, 100 * t / 989.5 }')" "$tflops $pct"
	asked nsq-mfu --by window --flops 1e12 "$TRAIN"
	holds "$stderr" "the peak of 'NVIDIA H200' is 989.5 TFLOP/s (16-bit tensor operations) and 4800 GB/s"
	same "$(awk -v t="$(mfu --by window --flops 7 --peak 1e-9 "$TRAIN" | col start_ns end_ns)" 'BEGIN { split(t, x, "\t"); printf "%.2f", 100 * 7 / ((x[2] - x[1]) * 1e-9) / 1e3 }')" \
		"$(mfu --by window --flops 7 --peak 1e-9 "$TRAIN" | col mfu_pct)"
	# V100 has no bf16
	t=$(change "$TRAIN" "UPDATE TARGET_INFO_GPU SET name = 'Tesla V100-SXM2-16GB'")
	asked nsq-mfu --by window --flops 1e12 "$t"
	holds "$stderr" "is 125 TFLOP/s (16-bit tensor operations) and 900 GB/s"
}

@test "a window without kernels has a row of its own only with --by window" {
	# before the first kernel there is a copy
	read -r a b < <(sql "$TRAIN" "SELECT min(start), (SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL) FROM CUPTI_ACTIVITY_KIND_MEMCPY")
	[ "$a" -lt "$b" ]
	same "0	0	-	-	-" "$(mfu -w $a..$b --by window --ncu "$NCU" "$TRAIN" | col kernels gpu_ns measured_pct flops bound)"
	asked nsq-mfu -w $a..$b --by name --ncu "$NCU" "$TRAIN"
	holds "$stderr" "no kernel runs"
	same 0 "$(mfu -w $a..$b --ncu "$NCU" "$TRAIN" | count)"
	# -g loads copies too, which changes nothing
	same "$(mfu --by window --ncu "$NCU" "$TRAIN")" "$(mfu -g 0 --by window --ncu "$NCU" "$TRAIN")"
	t=$(change "$TRAIN" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET deviceId = 1")
	same 0 "$(mfu -g 1 --by window --ncu "$NCU" "$t" | count)"
}

@test "without FLOPs the times are there, and stderr says what to give" {
	asked nsq-mfu "$TRAIN"
	same "0 1" "$status ${#stderr_lines[@]}"
	holds "$stderr" "no FLOPs are known for '$TRAIN'; give --shapes, --ncu RAW.csv, or --flops N with --by window"
	same "0.00	-	-	-	-	-	-" "$(col measured_pct flops tflops mfu_pct dram_bytes dram_pct intensity <<<"$output" | sort -u)"
}

@test "options that do not fit are refused" {
	fails 2 "'--ncu' and '--flops' cannot be combined" -- nsq-mfu --by window --flops 1 --ncu "$NCU" "$TRAIN"
	fails 2 "'--flops' has no effect without '--by window'" -- nsq-mfu --flops 1 "$TRAIN"
	fails 2 "'--peak' has no effect without '--ncu', '--shapes' or '--flops'" -- nsq-mfu --peak 1 "$TRAIN"
	fails 2 "'--rules' has no effect without '--by stage'" -- nsq-mfu --rules stages "$TRAIN"
	fails 2 "'--phases' has no effect without '--by phase'" -- nsq-mfu --phases phases "$TRAIN"
	fails 2 "'--adopt' has no effect with '--by name'" -- nsq-mfu --adopt --by name "$TRAIN"
	fails 2 "'--by' does not know 'gpu'; it takes nvtx, stage, phase, name, window" -- nsq-mfu --by gpu "$TRAIN"
	for bad in 0 -1 x "" 1e 1e999 nan inf 0x10 1e19 "1 2"; do
		fails 2 "'--flops' takes a number above 0, at most 9e18, not '$bad'" -- nsq-mfu --by window --flops "$bad" "$TRAIN"
	done
	fails 2 "'--peak' takes a number above 0, not '0'" -- nsq-mfu --by window --flops 1 --peak 0 "$TRAIN"
}

# bats test_tags=long
@test "a page that cannot be used is refused, with what to do" {
	local x=$BATS_TEST_TMPDIR/x.csv
	refuses() { local code=$1; shift; fails "$code" "'$x'" "$@" -- nsq-mfu --ncu "$x" "$TRAIN"; }
	refuses 2 "cannot open" "No such file"
	: > "$x"; refuses 2 "is empty" "ncu"
	printf '\n \n' > "$x"; refuses 2 "is empty"
	seq 1000 > "$x"; refuses 2 "is not a page of Nsight Compute as CSV" "ncu"
	head -c 5000 "$TRAIN" > "$x"; refuses 2 "is not a page of Nsight Compute as CSV"
	for column in "Grid Size" "Block Size"; do
		csv=$(edited "i = at['$column']; rows = [r[:i] + r[i + 1:] for r in rows]"); mv "$csv" "$x"
		refuses 2 "has no column '$column'" "--page raw --csv"
	done
	csv=$(edited 'rows = [r[:13] for r in rows]'); mv "$csv" "$x"; refuses 2 "counts no FLOPs" "measure them with ncu"
	head -2 "$NCU" > "$x"; refuses 2 "has no launch"
	head -1 "$NCU" > "$x"; refuses 2 "has no launch"
	sed 2d "$NCU" > "$x"; refuses 2 "has no row of units"
	# cut between fields, and inside the last one
	head -c 50000 "$NCU" > "$x"; refuses 2 "row 88 does not end: the file was cut"
	for bytes in 2 3 4; do head -5 "$NCU" | head -c -$bytes > "$x"; refuses 2 "row 5 does not end: the file was cut"; done
	head -5 "$NCU" | sed '5s/,"[^"]*"$//' > "$x"; refuses 2 "row 5 has" "fields, but the header has" "the file was cut"
	sed '5s/^"/"x"y/' "$NCU" > "$x"; refuses 2 "row 5 is not CSV"
	sed '5s/$/,"1"/' "$NCU" > "$x"; refuses 2 "row 5 has $(($(head -1 "$NCU" | tr -cd , | wc -c) + 2)) fields"
	csv=$(edited 'rows[9][at["dram__bytes.sum"]] = "12 apples"'); mv "$csv" "$x"; refuses 2 "row 10: 'dram__bytes.sum' is '12 apples', not a count"
	for value in -5 1e40 0x12 inf; do
		csv=$(edited "rows[9][at['dram__bytes.sum']] = '$value'"); mv "$csv" "$x"; refuses 2 "'$value', not a count"
	done
	mkdir "$BATS_TEST_TMPDIR/folder"
	fails 1 "cannot read '$BATS_TEST_TMPDIR/folder'" -- nsq-mfu --ncu "$BATS_TEST_TMPDIR/folder" "$TRAIN"
}

@test "what ncu prints around a page is passed over; line ends and a byte order mark do not matter" {
	want=$(mfu --by name --ncu "$NCU" "$TRAIN")
	{ echo "==PROF== Connected to process 443"; echo 'step 0: loss "10.5'; echo; cat "$NCU"; echo "==PROF== Disconnected from process 443"; } > "$BATS_TEST_TMPDIR/x.csv"
	same "$want" "$(mfu --by name --ncu "$BATS_TEST_TMPDIR/x.csv" "$TRAIN")"
	{ printf '\xef\xbb\xbf'; sed 's/$/\r/' "$NCU"; } > "$BATS_TEST_TMPDIR/x.csv"
	same "$want" "$(mfu --by name --ncu "$BATS_TEST_TMPDIR/x.csv" "$TRAIN")"
	# any order of columns
	csv=$(edited 'rows = [r[::-1] for r in rows]; rows[1][0] = ""')
	same "$want" "$(mfu --by name --ncu "$csv" "$TRAIN")"
}

# bats test_tags=long
@test "columns and values that a page lacks are missing, never 0" {
	csv=$(edited 'i = at["dram__bytes.sum"]; rows = [r[:i] + r[i + 1:] for r in rows]')
	asked nsq-mfu --by window --ncu "$csv" "$TRAIN"
	holds "$stderr" "'$csv' lacks bytes (ncu"
	same "12234663929152	-	-	-	-" "$(col flops dram_bytes dram_pct intensity bound <<<"$output")"
	csv=$(edited 'k = [i for i, n in enumerate(rows[0]) if "sass" not in n]; rows = [[r[i] for i in k] for r in rows]')
	asked nsq-mfu --by window --ncu "$csv" "$TRAIN"
	holds "$stderr" "lacks the FLOPs of other than tensor cores"
	same $((8 * 1518270939136)) "$(col flops <<<"$output")"
	csv=$(edited 'k = [i for i, n in enumerate(rows[0]) if "tensor" not in n]; rows = [[r[i] for i in k] for r in rows]')
	asked nsq-mfu --by window --ncu "$csv" "$TRAIN"
	holds "$stderr" "lacks the FLOPs of tensor cores" "67 TFLOP/s (fp32"
	same $((8 * (1529332991144 - 1518270939136))) "$(col flops <<<"$output")"
	# rates without cycles count nothing
	csv=$(edited 'i = at["smsp__cycles_elapsed.avg"]; rows = [r[:i] + r[i + 1:] for r in rows]')
	same $((8 * 1518270939136)) "$(mfu --by window --ncu "$csv" "$TRAIN" | col flops)"
	# a launch without values: not measured, though its place in the sequence is kept
	csv=$(edited 'for r in rows[2:]:
    if "reduce_kernel" in r[at["Kernel Name"]]:
        for n in at:
            if "__" in n: r[at[n]] = "" if r[at["ID"]] != "60" else "n/a"')
	same "0.00	-" "$(mfu --by name --ncu "$csv" "$TRAIN" | where name reduce_kernel | col measured_pct flops)"
	asked nsq-mfu --by name --ncu "$csv" "$TRAIN"
	holds "$stderr" "100.00 % matched by order"
	# bytes of one launch missing: those of its group are not known
	csv=$(edited 'rows[4][at["dram__bytes.sum"]] = ""')
	same "-	-" "$(mfu --ncu "$csv" "$TRAIN" | where name attention | col dram_bytes intensity)"
	same "$(mfu --ncu "$NCU" "$TRAIN" | where name mlp)" "$(mfu --ncu "$csv" "$TRAIN" | where name mlp)"
	# nor is a mean over it: without one launch the sequence does not recur
	csv=$(edited 'del rows[14]; rows[4][at["dram__bytes.sum"]] = ""')
	same "-	-" "$(mfu --ncu "$csv" "$TRAIN" | where name attention | col dram_bytes intensity)"
	lacks "$(mfu --ncu "$csv" "$TRAIN" | where name attention | col flops)" -
}

# bats test_tags=more
@test "peaks: the data sheet of the GPU for the type with the most FLOPs" {
	local gpu type tflops gbps
	while IFS='|' read -r gpu type tflops gbps; do
		echo "$gpu $type"
		t=$(change "$TRAIN" "UPDATE TARGET_INFO_GPU SET name = '$gpu'")
		case $type in
		fp32) gather "$BATS_TEST_TMPDIR/x.csv" dram__bytes.sum=byte=1 smsp__sass_thread_inst_executed_op_ffma_pred_on.sum=inst=9 sm__ops_path_tensor_src_bf16_dst_fp32.sum==1 ;;
		fp64_vector) gather "$BATS_TEST_TMPDIR/x.csv" dram__bytes.sum=byte=1 smsp__sass_thread_inst_executed_op_dfma_pred_on.sum=inst=9 sm__ops_path_tensor_src_bf16_dst_fp32.sum==1 ;;
		*) gather "$BATS_TEST_TMPDIR/x.csv" dram__bytes.sum=byte=1 smsp__sass_thread_inst_executed_op_ffma_pred_on.sum=inst=9 sm__ops_path_tensor_src_${type}_x.sum==500 sm__ops_path_tensor_src_other.sum==400 ;;
		esac
		asked nsq-mfu -v --by window --ncu "$BATS_TEST_TMPDIR/x.csv" "$t"
		same "nsq-mfu: the peak of '$gpu' is $tflops TFLOP/s ($type) and $gbps GB/s; --peak TFLOPS gives another" "${stderr_lines[0]}"
	done < <(each_nth 3 <<-'END'
		Tesla V100-SXM2-32GB|fp16|125|900
		Tesla V100-PCIE-16GB|fp16|112|900
		Tesla V100S-PCIE-32GB|fp32|16.4|1134
		NVIDIA A100-SXM4-40GB|bf16|312|1555
		NVIDIA A100-SXM4-80GB|tf32|156|2039
		NVIDIA A100 80GB PCIe|fp64|19.5|1935
		A100-PCIE-40GB|fp64_vector|9.7|1555
		NVIDIA H100 80GB HBM3|bf16|989.5|3350
		NVIDIA H100 80GB HBM3|fp8|1979|3350
		NVIDIA H100 PCIe|fp16|756.5|2000
		NVIDIA H100 NVL|tf32|417.5|3900
		NVIDIA H200|fp32|67|4800
		NVIDIA H200 NVL|bf16|835.5|4800
		NVIDIA GH200 480GB|bf16|989.5|4000
		NVIDIA GH200 144G HBM3e|bf16|989.5|4900
		NVIDIA B200|bf16|2250|7700
		NVIDIA B200|fp4|9000|7700
		NVIDIA GB200|fp8|5000|8000
		NVIDIA L4|bf16|121|300
		NVIDIA L40|bf16|181.05|864
		NVIDIA L40S|fp8|733|864
		NVIDIA GeForce RTX 4090|fp16|165.2|1008
	END
	)
}

@test "share/peaks.tsv: five fields, a rate and a bandwidth above 0, a source, no line that another hides" {
	grep -v '^#' "$TESTS/../share/peaks.tsv" > "$BATS_TEST_TMPDIR/peaks"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/peaks")" -gt 80 ]
	awk -F '\t' 'NF != 5 || $3 + 0 <= 0 || $4 + 0 <= 0 || $5 == "" || seen[$1, $2]++ || (($1 in gbps) && gbps[$1] != $4) { print; bad = 1 } { gbps[$1] = $4 } END { exit bad }' "$BATS_TEST_TMPDIR/peaks"
	# sparsity is not in it: twice the rate of half the bits, within what data sheets round
	awk -F '\t' '{ rate[$1, $2] = $3; gpu[$1] } END { for (g in gpu) if (((g, "fp8") in rate) && ((g, "bf16") in rate)) { r = rate[g, "fp8"] / rate[g, "bf16"]
		n++; if (r < 1.99 || r > 2.03) { print g, r; bad = 1 } } exit bad || n < 8 }' "$BATS_TEST_TMPDIR/peaks"
}

@test "a GPU that is not known asks for --peak; the memory's bandwidth is then the trace's" {
	t=$(change "$TRAIN" "UPDATE TARGET_INFO_GPU SET name = 'NVIDIA X1', memoryBandwidth = 2407152000000")
	fails 2 "the peak of 'NVIDIA X1' for bf16 is not known; give it with --peak TFLOPS" -- nsq-mfu --ncu "$NCU" "$t"
	fails 2 "the peak of 'NVIDIA X1' for 16-bit tensor operations is not known" -- nsq-mfu --by window --flops 1 "$t"
	read -r m d < <(mfu --by window --ncu "$NCU" --peak 494.75 "$t" | col mfu_pct dram_pct)
	read -r bytes a b < <(mfu --by window --ncu "$NCU" "$TRAIN" | col dram_bytes start_ns end_ns)
	same "$(awk -v f=12234663929152 -v n=$((b - a)) -v y="$bytes" 'BEGIN { printf "%.2f %.2f", 100 * f / n / 1e3 / 494.75, 100 * y / n / 2407.152 }')" "$m $d"
	# a type that the data sheet does not have
	gather "$BATS_TEST_TMPDIR/x.csv" dram__bytes.sum=byte=1 sm__ops_path_tensor_src_fp4_x.sum==5
	fails 2 "the peak of 'NVIDIA H200' for fp4 is not known" -- nsq-mfu -q --ncu "$BATS_TEST_TMPDIR/x.csv" "$TRAIN"
	t=$(change "$TRAIN" "DROP TABLE TARGET_INFO_GPU")
	fails 2 "does not say which GPU" "--peak TFLOPS" -- nsq-mfu --ncu "$NCU" "$t"
	same "-	-" "$(mfu --by window --ncu "$NCU" --peak 1000 "$t" | col dram_pct bound)"
	# which of two GPUs it is need not be known, if they are alike
	t=$(change "$TRAIN" "DROP TABLE TARGET_INFO_CUDA_DEVICE" "INSERT INTO TARGET_INFO_GPU SELECT * FROM TARGET_INFO_GPU" "UPDATE TARGET_INFO_GPU SET id = 5 WHERE rowid = (SELECT max(rowid) FROM TARGET_INFO_GPU)")
	same "$(mfu --by window --ncu "$NCU" "$TRAIN" | without trace)" "$(mfu --by window --ncu "$NCU" "$t" | without trace)"
	sqlite3 "$t" "UPDATE TARGET_INFO_GPU SET name = 'NVIDIA L4' WHERE id = 5"
	fails 2 "does not say which GPU" -- nsq-mfu --ncu "$NCU" "$t"
}

@test "bound: launch below 5 us, else by the roofline" {
	bound() { gather "$BATS_TEST_TMPDIR/x.csv" sm__ops_path_tensor_src_bf16_x.sum=="$1" dram__bytes.sum=byte="$2"; mfu --by name --peak 480 --ncu "$BATS_TEST_TMPDIR/x.csv" "$t" | where name vectorized_gather_kernel | col bound; }
	# the corner of 480 TFLOP/s and 4800 GB/s is 100 FLOPs per byte
	t=$(change "$TRAIN" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 5000 WHERE shortName IN (SELECT id FROM StringIds WHERE value = 'vectorized_gather_kernel')")
	same compute "$(bound 100000 1000)"
	same memory "$(bound 99999 1000)"
	same memory "$(bound 0 1000)"
	same compute "$(bound 5 0)"
	same - "$(bound 0 0)"
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 4999 WHERE shortName IN (SELECT id FROM StringIds WHERE value = 'vectorized_gather_kernel')"
	same launch "$(bound 100000 1000)"
	same launch "$(mfu --by name "$t" | where name vectorized_gather_kernel | col bound)"
}

@test "a trace without CUDA events cannot answer: exit 3 and the flag" {
	t=$(change "$TRAIN" "$(drop_tables "$TRAIN" 'CUPTI_*')")
	fails 3 "holds no CUDA events; capture them with nsys profile --trace=cuda,nvtx" -- nsq-mfu --ncu "$NCU" "$t"
	# without NVTX there are no ranges, and all else is the same
	t=$(change "$TRAIN" "DROP TABLE NVTX_EVENTS")
	same "$(mfu --by name --ncu "$NCU" "$TRAIN" | without trace)" "$(mfu --by name --ncu "$NCU" "$t" | without trace)"
	same "1616	-" "$(mfu --ncu "$NCU" "$t" | col kernels name)"
}

@test "--each: a row a kernel, with what else was measured, from either page in either style of units" {
	details=$FIXTURES/train-ncu-details.csv more="occupancy_pct occupancy_max_pct sm_pct dram_busy_pct registers stall_pct stall"
	mfu --each --ncu "$NCU" "$TRAIN" > "$BATS_TEST_TMPDIR/each"
	same "$(nsq-kernels -q --each "$TRAIN" | col start_ns end_ns gpu ctx stream launch_ns dur_ns nvtx name)" \
		"$(col start_ns end_ns gpu ctx stream launch_ns dur_ns nvtx name < "$BATS_TEST_TMPDIR/each")"
	same "$(mfu --by window --ncu "$NCU" "$TRAIN" | col flops dram_bytes)" "$(sum flops dram_bytes < "$BATS_TEST_TMPDIR/each")"
	# the first step was measured: each launch has the values of its row
	python3 - "$NCU" > "$BATS_TEST_TMPDIR/want" <<-'END'
		import csv, sys
		h, u, *rows = csv.reader(open(sys.argv[1], newline=''))
		names = ('sm__maximum_warps_per_active_cycle_pct', 'sm__throughput.avg.pct_of_peak_sustained_elapsed', 'dram__throughput.avg.pct_of_peak_sustained_elapsed')
		for r in rows:
		    print('-', *('%.2f' % float(r[h.index(n)]) for n in names), r[h.index('launch__registers_per_thread')], '-', '-', sep='\t')
	END
	same "$(cat "$BATS_TEST_TMPDIR/want")" "$(col $more < "$BATS_TEST_TMPDIR/each" | head -202)"
	same "$(col $more < "$BATS_TEST_TMPDIR/each")" "$(mfu --each --ncu "$BASE" "$TRAIN" | col $more)"
	# the details page of the first three: what it has is the same, rounded; FLOPs it has none, which stderr says
	asked nsq-mfu --each -n 3 --ncu "$details" "$TRAIN"
	holds "$stderr" "'$details' counts no FLOPs (ncu"
	same "$(head -3 "$BATS_TEST_TMPDIR/want" | cut -f3,4)" "$(col sm_pct dram_busy_pct <<<"$output")"
	same "6630000
8410000
19460000" "$(col dram_bytes <<<"$output")"
	same "- - - -" "$(col flops tflops mfu_pct intensity <<<"$output" | sort -u | tr '\t' ' ')"
	# occupancy and stalls: the reason with most, of all but "selected", of the first measure that the page has
	S=smsp__average_warps_issue_stalled_
	gather "$BATS_TEST_TMPDIR/x.csv" sm__warps_active.avg.pct_of_peak_sustained_active=%=61.5 ${S}barrier_per_issue_active.ratio=inst=1.5 \
		${S}selected_per_issue_active.ratio=inst=9 ${S}long_scoreboard_per_issue_active.ratio=inst=4.5 ${S}wait_per_issue_active.ratio=inst=n/a \
		smsp__pcsamp_warps_issue_stalled_barrier==1,000 smsp__pcsamp_warps_issue_stalled_barrier_not_issued==9
	asked nsq-mfu --each --ncu "$BATS_TEST_TMPDIR/x.csv" "$TRAIN"
	same "61.50 - - - - 75.00 long_scoreboard" "$(where name vectorized_gather_kernel <<<"$output" | col $more | sort -u | tr '\t' ' ')"
	same "- - - - - - -" "$(where name reduce_kernel <<<"$output" | col $more | sort -u | tr '\t' ' ')"
	# of several launches of a key, the mean
	head -c -1 "$BATS_TEST_TMPDIR/x.csv" > "$BATS_TEST_TMPDIR/y.csv"
	{ echo; tail -1 "$BATS_TEST_TMPDIR/x.csv" | sed 's/"61.5","1.5"/"38.5","8.5"/'; tail -1 "$BATS_TEST_TMPDIR/x.csv" | sed 's/vectorized_gather_kernel/nobody/'; } >> "$BATS_TEST_TMPDIR/y.csv"
	same "50.00 - - - - 52.63 barrier" "$(mfu --each --ncu "$BATS_TEST_TMPDIR/y.csv" "$TRAIN" | where name vectorized_gather_kernel | col $more | sort -u | tr '\t' ' ')"
	# --shapes has FLOPs for it, too
	same "$(mfu --shapes --by window "$FIXTURES/shapes/shapes.sqlite" | col flops)" "$(mfu --shapes --each "$FIXTURES/shapes/shapes.sqlite" | sum flops)"
	fails 2 "'--by'" "'--each'" -- nsq-mfu --each --by name "$TRAIN"
}

@test "whole graphs are kernels that nobody measured" {
	asked nsq-mfu --by window --peak 1 --ncu "$NCU" "$WHOLE"
	same 0 "$status"
	holds "$stderr" "whole CUDA graphs"
	same "$(nsq-kernels -q "$WHOLE" | sum count total_ns)" "$(sum kernels gpu_ns <<<"$output")"
}

@test "rows: by GPU, most time first; columns of --by window have no name" {
	mfu --ncu "$NCU" "$TRAIN" | col gpu_ns > "$BATS_TEST_TMPDIR/ns"
	same "$(sort -nr "$BATS_TEST_TMPDIR/ns")" "$(cat "$BATS_TEST_TMPDIR/ns")"
	lacks " $(nsq-mfu --by window --columns | col name | paste -sd ' ') " " name "
}

@test "--tokens: --flops are those of a token, and the windows have tokens a second" {
	want=$(nsq-window -q --pick all "$TRAIN" | mfu --by window --flops 4096e9)
	got=$(nsq-window -q --pick all "$TRAIN" | mfu --by window --tokens 4096 --flops 1e9)
	same "$(col flops tflops mfu_pct <<<"$want")" "$(col flops tflops mfu_pct <<<"$got")"
	same "$(col start_ns end_ns <<<"$want" | awk '{ printf "%.2f\n", 4096e9 / ($2 - $1) }')" "$(col tokens_per_s <<<"$got")"
	fails 2 "'--tokens' has no effect without '--flops'" -- nsq-mfu --by window --tokens 5 "$TRAIN"
}
