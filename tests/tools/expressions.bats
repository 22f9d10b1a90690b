# Expressions are those of PCRE2, in options and in rules, and one that takes too long for a name ends.
load ../helper
load ../small-traces

# Kernels k1 to k20, one whose name has characters beyond ASCII, one that is no UTF-8, and a kernel, a range and a metric
# for which (a+)+$ takes for ever.
setup() {
	cd "$BATS_TEST_TMPDIR"
	long=$(printf 'a%.0s' {1..60})b
	T=$(made "INSERT INTO S WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) SELECT 10 + i, 'k' || i FROM n;
		INSERT INTO S VALUES (31, 'k' || char(181) || 's'), (32, CAST(x'62ffc3' AS TEXT)), (33, '$long'), (34, 'NCCL all');
		INSERT INTO K SELECT id * 1000, id * 1000 + 500, 0, 1, 7, id, $P5, id, id FROM S WHERE id > 10;
		INSERT INTO R SELECT id * 1000 - 100, id * 1000 - 50, $P5 | 5, id, 2 FROM S WHERE id > 10;
		INSERT INTO N VALUES (100, 40000, 59, '$long', $P5 | 5, NULL, 0), (11000, 12000, 59, 'step 7', $P5 | 5, NULL, 0);
		CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
		CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, metricName TEXT);
		INSERT INTO GPU_METRICS VALUES (11000, 0, 1, 5), (12000, 0, 1, 5), (13000, 0, 1, 5);
		INSERT INTO TARGET_INFO_GPU_METRICS VALUES (0, 0, 'x', 1, '$long')")
}

# within SECONDS COMMAND...: run it with so much processor time.
within() { (ulimit -t "$1"; shift; exec "$@"); }

# kernels EXPRESSION: those that it finds.
kernels() { nsq-find -q --kind kernel "$1" "$T" | col name | xargs; }

@test "digits, groups, any case, what follows and what does not, references back" {
	same "k1 k2 k3 k4 k5 k6 k7 k8 k9" "$(kernels '^k\d$')"
	same "NCCL all" "$(kernels '(?i)nccl')"
	same "" "$(kernels nccl)"
	same "k12 k20" "$(kernels '^k(?:12|20)')"
	same "k10 k11 k12" "$(kernels '^k1(?=[012])')"
	same "k1 k10 k12" "$(kernels '^k1(?![13-9])')"
	same "k11" "$(kernels '^k(\d)\1')"
	same "1" "$(nsq-nvtx -q -m '^step\s\d$' "$T" | count)"
}

@test "an alternation of many long names" {
	names=$(printf 'vectorized_elementwise_kernel_%d|' {1..40})
	same "$(echo k{1..17})" "$(kernels "^($names$(echo k{1..17} | tr ' ' '|'))\$")"
	same 17 "$(nsq-kernels -q -m "^($names$(echo k{1..17} | tr ' ' '|'))\$" "$T" | count)"
}

@test "characters are those of UTF-8, bytes in a name that is none; '.' is any of them, '\$' the end" {
	same "$(printf 'k\xc2\xb5s')" "$(kernels '^k.s$')"
	same "$(printf 'k\xc2\xb5s')" "$(kernels '\x{b5}')"
	same "$(printf 'b\xff\xc3')" "$(kernels '^b..$')"
	t=$(made "INSERT INTO S VALUES (11, 'a' || char(10) || 'b' || char(10)); INSERT INTO K VALUES (10, 20, 0, 1, 7, 1, $P5, 11, 11)")
	same "1 0 1" "$(for e in '^a.b' 'b$' 'b\n$'; do nsq-find -q --kind kernel "$e" "$t" | count; done | xargs)"
}

@test "rules: groups of the first line that matches, and JSON written for Python" {
	printf '%s\n' "^k(\\d)(?!\\d)${TAB}one \\1" "(?i)^nccl${TAB}comm" "^k(?P<n>\\d\\d)${TAB}two \\1" "^k${TAB}other" > rules
	kinds() { nsq-kernels -q --by category --categories "$1" "$T" | col category count | sort | tr '\t\n' ' ,'; }
	same "- 2,comm 1,one 1 1,one 2 1,one 3 1,one 4 1,one 5 1,one 6 1,one 7 1,one 8 1,one 9 1,other 1,two 10 1,two 11 1,two 12 1,two 13 1,two 14 1,two 15 1,two 16 1,two 17 1,two 18 1,two 19 1,two 20 1," "$(kinds rules)"
	# more groups than a label can name
	printf '%s\n' "^(c|(k))((((((((((1))))))))))\$${TAB}kind \\1" > rules
	holds "$(kinds rules)" "kind k 1"
	echo '{"vllm": {"llama": {"^k\\d+$": "gemm", "(?:NCCL|nccl)\\s": "comm"}}}' > rules.json
	same "- 3,comm 1,gemm 20," "$(kinds rules.json:vllm:llama)"
	printf '(?:a)(b)\t\\2\n' > rules
	fails 2 "'rules' line 1: the label '\\2' uses group 2, but '(?:a)(b)' has only 1" -- nsq-kernels --by category --categories rules "$T"
}

# bats test_tags=more
@test "an expression that takes too long for a name ends every tool that takes one, soon" {
	for how in "nsq-find" "nsq-kernels -m" "nsq-kernels --full -m" "nsq-nvtx -m" "nsq-nvtx --each -m" "nsq-window -m" "nsq-metrics -m" "nsq-ledger -m" "nsq-advise -m" \
		"nsq-nccl --stragglers -m" "nsq-setup --comm" "nsq-streams --comm" "nsq-overlap --comm" "nsq-report -o out -m" "nsq-kernels -j 4 --comm"; do
		for expression in '(a+)+$' '(a|aa)+$' '^(([a-z])+.)+[A-Z]([a-z])+$'; do
			more || [ "$how" = nsq-find ] || [ "$expression" = '(a+)+$' ] || continue
			fails 2 "'$expression' takes too long for one of the names" -- within 2 $how "$expression" "$T" || { echo "$how"; false; }
		done
	done
	for expression in '((((a{1,900}){1,900}){1,900}){1,900})' "$(printf '(%.0s' {1..5000})" 'a{99999}' '(?<=a+)b'; do
		fails 2 "needs a regular expression" -- within 2 nsq-find "$expression" "$T"
	done
}

@test "a rule that takes too long for a name does not match it, and a note says so once" {
	printf '%s\n' "(a+)+\$${TAB}slow" "^k(1|2|3)\$${TAB}few" "^a${TAB}long" > rules
	run -0 --separate-stderr within 2 nsq-kernels --by category --categories rules "$T"
	same "few 3
long 1" "$(col category count <<<"$output" | grep -v '^-' | tr '\t' ' ' | sort)"
	same "nsq-kernels: 'rules': '(a+)+\$' takes too long for a name, which it does not match; repeat less in it" "$(grep 'too long' <<<"$stderr")"
}

@test "what may be a secret is hidden where that cannot be known in time" {
	word="ftp://$(printf ':%.0s' {1..3000}) @"
	export RUNS=$PWD/runs GIVES=$SAMPLES NSQ_NSYS=$TESTS/tools/stand-ins/nsys
	run -0 --separate-stderr env NCCL_DEBUG="$word" NCCL_ALGO=1 nsq-capture -q -o cap -- true "$word" z
	same "true *** z null 1" "$(jq -r '(.command | join(" ")) + " \(.environment.NCCL_DEBUG) \(.environment.NCCL_ALGO)"' cap/manifest.json)"
}
