# What people see: tables and texts as wide as the terminal, with nothing lost that is not named.
load ../helper

setup_file() {
	if script -qec true /dev/null > /dev/null 2>&1 < /dev/null; then export HAS_TERMINAL=1; fi
	export NO_COLOR=1
}

setup() {
	[ -n "${HAS_TERMINAL-}" ] || skip "no pseudo-terminals here (/dev/pts)"
	cd "$BATS_TEST_TMPDIR"
}

terminal() { python3 "$TESTS/tools/terminal.py" "$@"; }

# seen: what terminals show of the commands on standard input, a width before each; stderr behind stdout.
seen() { terminal screens; }

# bats test_tags=more,long
@test "every tool's table fits 60, 80 and 200 columns, with units and three figures; with --raw all columns and whole numbers" {
	cd "$FIXTURES"
	tools=$(if more; then grep -v '^#' "$TESTS/modes.tsv" | tail -n +2 | cut -f 1,2 | tr '\t' ' ' | sed '/--each/s/$/ -n 200/'; else
		printf '%s\n' nsq-setup "nsq-kernels -n 9" "nsq-nccl --each -n 9"; fi)
	for trace in $(first_few 1 ddp-2rank.sqlite train.sqlite threads-samples.sqlite dualpipe-pp2ep2.sqlite train-metrics.sqlite); do
		while read -r tool; do echo "$tool -v $trace"; done <<< "$tools"
	done > "$BATS_TEST_TMPDIR/commands"
	same "$(($(wc -l < "$BATS_TEST_TMPDIR/commands") * 3)) looked at" "$(terminal tables 60 80 200 < "$BATS_TEST_TMPDIR/commands")"
}

# bats test_tags=more
@test "every help and page fits the terminal, with the words that a pipe gets" {
	{
		for t in "$NSQ_BIN"/nsq-*; do [ ! -x "$t" ] || echo "$t --help"; done | each_nth 13
		printf 'nsq %s\n' "help kernels" recipes "recipe --help"
		if more; then printf 'nsq help %s\n' "" skill conventions questions pitfalls collectives queries checks; fi
	} > commands
	same "$(($(wc -l < commands) * 2)) looked at" "$(terminal texts 60 80 < commands)"
}

@test "columns are left out from the least telling on: means, texts, moments, counts, then times; not what tells rows apart, their order and the main measure" {
	printf 'start_ns\tpid\tcount\tmean_ns\ttotal_ns\tapi\tname\n%s\n' $'11111111\t22222222\t33333333\t44444444\t55555555\tcall\ta kernel' \
		$'11111112\t22222223\t33333334\t44444445\t55555556\tcall2\tb kernel' > t
	{
		printf '%s nsq-sql -q --raw "select * from t" t\n' 60 50 42 36 20
		printf '%s nsq-kernels -q --raw %s\n' 80 "$NODES" 28 "$NODES"
		echo "80 nsq-kernels -n 2 --raw $NODES"
	} | seen > got
	same "start_ns pid count total_ns api name
start_ns pid count total_ns name
pid count total_ns name
pid total_ns name
total_ns name
count total_ns pct elapsed_ns mean_ns p50_ns name
total_ns name
count total_ns pct elapsed_ns mean_ns p50_ns name" "$(grep ' name$' got | sed 's/^ *//; s/  */ /g')"
	holds "$(tail -2 got | tr -s ' \n' ' ')" "nsq-kernels: 80 columns are too few for p90_ns p99_ns min_ns max_ns; -f table | less -S shows all"
}

@test "what tells rows apart stays: the place of an owner, and of a rank rather its busy time than its trace; -H leaves words words" {
	printf 'start_ns\tend_ns\tdur_ns\tpct\tcount\towner\twhere\twindow\n' > ledger
	printf '641300271%s\t6959840749\t34429006%s\t62.9%s\t50%s\t%s\t%s\tvectorized_gather_kernel#%s\n' 0 0 0 0 host - 0 1 1 1 1 launch "computing softmax" 1 >> ledger
	printf 'rank\tkernels\tbusy_ns\tname\ttrace\n' | tee ranks > runs
	printf '%s\t230%s\t4037016%s\tnvjet_sm90_%s\tjobA/rank%s.sqlite\n' 0 1 1 one 0 0 2 2 two 0 1 3 3 one 1 | tee -a ranks >> runs
	printf '0\t2301\t40370161\tnvjet_sm90_one\tjobB/rank0.sqlite\n' >> runs
	{
		printf '%s nsq-sql -q --raw "select * from t" t=%s\n' 66 ledger 40 ranks 40 runs
		echo "80 nsq-advise -q -H $FIXTURES/train.sqlite"
	} | seen > got
	same "dur_ns pct owner where window|rank kernels busy_ns name|rank busy_ns name trace" "$(grep -E ' (window|name|trace)$' got | sed 's/  */ /g; s/^ //' | paste -sd '|')"
	grep -q '^ 1\. .*: saves at most' got
}

@test "a pipe or a file gets every column whole, whatever COLUMNS says; so do the formats for programs on a terminal" {
	for f in table md tsv csv jsonl; do same "$(nsq-setup -q -f $f "$FIXTURES/train.sqlite")" "$(COLUMNS=40 nsq-setup -q -f $f "$FIXTURES/train.sqlite")"; done
	for f in md tsv csv jsonl; do
		nsq-setup -q -f $f "$FIXTURES/train.sqlite" >> expected
		echo "40 nsq-setup -q -f $f $FIXTURES/train.sqlite" >> commands
	done
	seen < commands | diff expected -
}

@test "names are shortened in the middle, by the columns they take: wide, combining, right to left, escaped, long ones" {
	{
		printf 'total_ns\tname\n'
		printf '%s\t%s\n' 1 "$(printf '核%.0s' {1..30})ab" 22 "$(printf 'é%.0s' {1..40})" 333 "$(printf 'ש%.0s' {1..50})" \
			4444 $'\e[31mred'"$(printf 'x%.0s' {1..400})end" 55555 short
	} > t
	cat > expected <<-'END'
	total_ns  name
	       1  核核核核核核核…核核核核核ab
	      22  éééééééééééééé…ééééééééééééé
	     333  שששששששששששששש…ששששששששששששש
	    4444  \x1b[31mredxxx…xxxxxxxxxxend
	   55555  short
	END
	echo "38 nsq-sql --raw 'select * from t' t" | seen | diff expected -
}

@test "one row that does not fit is a column a line; no row is the header, on several lines; the caption is wrapped" {
	printf 'count\ttotal_ns\ta_long_name_of_a_column\tname\n' | tee none one > two
	printf '7\t123456789\t5\ta name that is longer than what is left\n' | tee -a one >> two
	printf '8\t123456789\t5\ta name that is longer than what is left\n' >> two
	cat > expected <<-'END'
	count  total_ns
	a_long_name_of_a_column  name
	count                    7
	total_ns                 123456789
	a_long_name_of_a_column  5
	name                     a name… left
	total_ns 123456789
	a_long_name_of_a_column 5
	name a name that is l…an what is left
	count
	    7
	    8
	END
	printf '37 nsq-sql -q --raw "select * from t" %s\n' t=none t=one t=two | seen | diff expected -
}

@test "-H: the unit is in the cell and not in the name, moments are whole, points and units under each other; names stay apart" {
	printf 'dur_ns\tpeak_ns\tpeak_bytes\tsent_bytes\tbytes\tpct\tname\n' > t
	printf '%s\n' $'672\t1\t2\t1536\t10\t1.5\ta' $'48096\t6567123456\t3\t7\t11\t2.5\tb' $'1234567890\t6567123457\t4\t-\t12\t10.5\tc' >> t
	cat > expected <<-'END'
	       dur        peak_ns  peak_bytes     sent  bytes    pct  name
	672     ns  0.000000001 s         2 B  1.5 KiB   10 B   1.50  a
	 48.096 us  6.567123456 s         3 B  7   B     11 B   2.50  b
	  1.235 s   6.567123457 s         4 B  -         12 B  10.50  c
	END
	nsq-sql -H -f table 'select * from t' t | diff expected -
	same "| dur | peak_ns | peak_bytes | sent | bytes | pct | name |" "$(nsq-sql -H -f md 'select * from t' t | head -1 | tr -s ' ')"
}

@test "on a terminal an amount has three figures and the unit that fits, whatever the locale; a pipe gets what it got" {
	printf 'dur_ns\tpeak_ns\tpeak_bytes\tsent_bytes\tbus_gbps\tidle_pct\tvalue\tname\n' > t
	printf '%s\n' $'672\t1\t2\t1536\t1.2\t1.5\t1234\ta' $'5374\t6567123456\t3\t7\t0.0025\t12.345\t5.25\tb' \
		$'32649999\t6567123457\t4\t-\t1234.5\t100\t7\tc' $'999499\t-\t5\t1048576\t-\t0.004\t8\td' $'999500\t-\t6\t1047552\t-\t-\t9\te' >> t
	cat > expected <<-'END'
	    dur        peak_ns  peak_bytes       sent        bus  idle_pct  value  name
	 672 ns  0.000000001 s         2 B   1.50 KiB  1.20 GB/s      1.50   1234  a
	5.37 us  6.567123456 s         3 B      7 B    2.50 MB/s      12.3   5.25  b
	32.6 ms  6.567123457 s         4 B      -      1.23 TB/s       100      7  c
	 999 us            -           5 B   1.00 MiB     -           0.00      8  d
	1.00 ms            -           6 B  0.999 MiB     -              -      9  e
	END
	for locale in C.UTF-8 C; do echo "120 env LC_ALL=$locale nsq-sql 'select * from t' t"; done | seen > got
	diff <(cat expected expected) got
	diff <(nsq-sql -f tsv 'select * from t' t) <(nsq-sql --raw 'select * from t' t)
	fails 2 "'--raw' prints plain numbers and '-H' units" -- nsq-sql --raw -H -f table 'select * from t' t
}

@test "on a terminal moments have the digits that tell them apart, columns without a value go, and paths are base names unless two are equal" {
	printf 'pid\tstart_ns\tend_ns\tgpu\tname\ttrace\n' | tee far near one > same
	printf '1\t%s\t%s\t-\t%s\t%s/rank%s.sqlite\n' 13935116 82726703 a runs/a 0 82726703 151609106 b runs/b 1 >> far
	printf '1\t%s\t%s\t-\t%s\t%s/rank0.sqlite\n' 6567123456 6567123999 a runs/a 6567223456 7567123456 b runs/b >> near
	printf '1\t%s\t%s\t-\ta\truns/rank0.sqlite\n' 0 500 >> one
	printf -- '-\t-\t-\t-\t-\t-\n' >> same
	cat > expected <<-'END'
	pid 1
	  start       end  name  trace
	13.9 ms   82.7 ms  a     rank0.sqlite
	82.7 ms  151.6 ms  b     rank1.sqlite
	pid 1
	     start         end  name  trace
	6.567123 s  6.567124 s  a     runs/a/rank0.sqlite
	6.567223 s  7.567123 s  b     runs/b/rank0.sqlite
	pid  start     end  name  trace
	  1   0 ns  500 ns  a     rank0.sqlite
	pid  start  end  gpu  name  trace
	  -      -    -    -     -      -
	END
	printf '80 nsq-sql "select * from t" t=%s\n' far near one same | seen | diff expected -
}

# bats test_tags=more,long
@test "a recipe keeps to the terminal: its table and what it says" {
	cp "$FIXTURES/train.sqlite" .            # whose path is part of a note
	for columns in 60 80 200; do
		for locale in C.UTF-8 C; do
			more || [ "$columns $locale" != "200 C" ] || continue
			echo "$columns env LC_ALL=$locale nsq recipe top-kernels train.sqlite" | seen > got
			awk -v n="$columns" '{ gsub(/…|·/, "."); if (length($0) > n) { print; bad = 1 } } END { exit bad }' got
			grep -q "^count    total " got
			grep -q "^nsq-kernels: .* columns are too few for" got || [ "$columns" = 200 ]
		done
	done
	echo "80 nsq recipe top-kernels --raw train.sqlite" | seen | grep -q '^count  total_ns '
}

# bats test_tags=slow
@test "what is said is wrapped on a terminal, between words, and a number stays with its unit" {
	cat > expected <<-'END'
	nsq-advise: cpu-bound: the GPU
	    is idle for 0.392 of
	    0.931 ms; fixing 'launch'
	    saves at most 0.164 ms per
	    step
	END
	echo "30 nsq-advise --verdict -f tsv $NODES" | seen | grep -A4 'bound:' | diff expected -
}

@test "colors: headers and units are dim on a terminal that has any, and never with NO_COLOR" {
	printf 'dur_ns\tname\n1000\ta\n2000\tb\n' > t
	printf '80 env TERM=%s NO_COLOR=%s nsq-sql "select * from t" t\n' xterm "" xterm 1 dumb "" | seen > got
	same $'\e[2m    dur  name\e[22m\n1.00 \e[2mus\e[22m  a' "$(head -2 got)"
	same "    dur  name 1.00 us  a" "$(sed -n 4,5p got | paste -sd ' ')"
	same 3 "$(grep -c $'\e' got)"
}

@test "colors: a severity and a change for the worse or the better have one, a name that is the same word has none" {
	printf 'severity\tchange\tname\n%s\t%s\t%s\n' high slower high low faster slower medium unsure info > t
	echo '80 env NO_COLOR= TERM=xterm nsq-sql "select * from t" t' | seen | tail -n +2 > got
	same $'\e[31mhigh\e[39m      \e[31mslower\e[39m  high\nlow       \e[32mfaster\e[39m  slower\n\e[33mmedium\e[39m    unsure  info' "$(cat got)"
}

# bats test_tags=slow
@test "a long run says what it is doing, and for how long" {
	same 'nsq-sql: answering, 1 s' "$(timeout 60 python3 - <<-'END'
		import os, pty, subprocess
		terminal, side = pty.openpty()
		endless = "with recursive r(x) as (select 1 union all select x + 1 from r) select count(*) from r"
		run = subprocess.Popen(["nsq-sql", endless, "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=side)
		run.stdin.write(b"a\n1\n")
		run.stdin.close()
		said = b""
		while b" s" not in said:
		    said += os.read(terminal, 4096)
		print(said.decode().strip("\r").split("\033")[0])
		run.kill()
	END
	)"
}
