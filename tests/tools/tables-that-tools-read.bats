# What the tools that read tables take for a table, and what they say of the rest.
load ../helper

# reads TEXT: the table as nsq-sql reads it, as jsonl, rows joined by |; printf's escapes hold in the text.
reads() { printf "$1" | nsq-sql -f jsonl "select * from t" 2>"$BATS_TEST_TMPDIR/said" | paste -sd '|'; }

# told CODE TEXT PART...: it exits so, with one line that holds the parts, and no row.
told() {
	local code=$1 text=$2
	shift 2
	printf "$text" > "$BATS_TEST_TMPDIR/in"
	fails "$code" "standard input" "$@" -- nsq-sql "select * from t" < "$BATS_TEST_TMPDIR/in"
}

@test "TSV, CSV and jsonl are told by their first line" {
	want='{"a":1,"b":"x"}|{"a":2,"b":"y z"}'
	same "$want" "$(reads 'a\tb\n1\tx\n2\ty z\n')"
	same "$want" "$(reads 'a,b\n1,x\n2,"y z"\n')"
	same "$want" "$(reads '{"a":1,"b":"x"}\n{"a":2,"b":"y z"}\n')"
	same "$want" "$(reads '\xef\xbb\xbfa\tb\n1\tx\n2\ty z\n')"
	same "$want" "$(reads '\xef\xbb\xbf{"a":1,"b":"x"}\n{"b":"y z","a":2}\n')"
	same "$want" "$(reads 'a\tb\r\n1\tx\r\n2\ty z\r\n')"
	same "$want" "$(reads '  {"a" : 1 ,"b":"x"}  \r\n\n{"a":2,"b":"y z"}\n')"
	same "" "$(cat "$BATS_TEST_TMPDIR/said")"
	same "$want" "$(reads 'a\tb\n1\tx\n2\ty z')"
	holds "$(cat "$BATS_TEST_TMPDIR/said")" "does not end with a line end"
	same '{"a":1}|{"a":2}' "$(reads 'a\n1\n2\n')"
	same '' "$(reads 'a\tb\n')"
}

@test "a table of one column comes back in every format, though its values have commas" {
	ask="select full from kernels where full like '%,%' group by 1"
	[ "$(nsq-sql -q "$ask" "$COMPILE" | count)" -gt 1 ]
	for f in tsv csv jsonl; do
		same "$(nsq-sql -q "$ask" "$COMPILE")" "$(nsq-sql -q -f $f "$ask" "$COMPILE" | nsq-sql "select * from t")"
	done
	same '{"a":"x, y"}|{"a":"\u0009"}|{"a":"\"z\""}' "$(reads 'a\nx, y\n\\t\n"z"\n')"
	same '{"a":"x, y"}|{"a":"z"}' "$(reads 'a\n"x, y"\nz\n')"
	told 2 'a\nx\ty, z\n' "line 2 has 2 fields, but the header has 1"
}

@test "escapes, quotes and characters of any plane are decoded" {
	same '{"a":"x\u0009y\u000az\\w","b":1}' "$(reads 'a\tb\nx\\ty\\nz\\\\w\t1\n')"
	same '{"a":"x,\"y\"\u000az","b":1}' "$(reads 'a,b\n"x,""y""\nz",1\n')"
	same '{"a":"\"\\/\u0008\u000c\u000a\u000d\u0009é€😀","b":"\\"}' "$(reads '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\\ud83d\\ude00","b":"\\\\"}\n' | sed 's/\\\\\//\\\\\//')"
	same '{"a":"�x","b":1}' "$(reads '{"a":"\\ud83dx","b":1}\n')"
	# what nsq writes comes back
	t=$(change "$COMPILE" "UPDATE NVTX_EVENTS SET text = 'a' || char(9) || 'b' || char(10) || char(13) || 'c\\d, \"q\" | é ' || char(27) WHERE text = 'step 5'")
	for f in tsv csv jsonl; do
		same "$(nsq-window -q -m '^a' "$t")" "$(nsq-window -q -m '^a' -f $f "$t" | nsq-sql "select * from t")"
	done
}

@test "- is missing, and so is an empty field among numbers; in jsonl null" {
	same '{"a":1,"b":null}|{"a":null,"b":"x"}' "$(reads 'a\tb\n1\t-\n-\tx\n')"
	same '{"a":1,"b":""}|{"a":null,"b":"x"}' "$(reads 'a,b\n1,\n,x\n')"
	same '{"a":null,"b":"-"}|{"a":true,"b":"x"}' "$(reads '{"a":null,"b":"-"}\n{"a":true,"b":"x"}\n' | sed 's/"a":1/"a":true/')"
	same '{"a":0,"b":null}' "$(reads '{"a":false,"b":null}\n')"
}

@test "a column is a number where all its values are written as one, and its name does not say otherwise" {
	types() { printf "$1" | nsq-sql --columns "select * from t" | col type | paste -sd ' '; }
	kept() { printf "$1" | nsq-sql "select * from t" | rows | paste -sd ' '; }
	for v in 1 0 -5 9223372036854775807 -9223372036854775807; do same integer "$(types "a\n$v\n")"; same "$v" "$(kept "a\n$v\n")"; done
	same "a -0 5" "$(printf 'a\n-0\n5\n' | nsq-gate 0 2>/dev/null | xargs)"
	for v in 1.5 -0.25 1e3 2E-2 9223372036854775808 -9223372036854775808; do same "decimal" "$(types "a\n0.5\n$v\n")"; done
	texts=(007 +5 .5 5. 0x10 1e inf nan 1,5 "1 2" 1_0 --1 1e+ -00 " 1" "1 ")
	same "$(printf '"%s"\n' "${texts[@]}")" "$( (IFS=$TAB; echo "$(seq -s "$TAB" -f c%g ${#texts[@]})"; echo "${texts[*]}") | nsq-sql -f jsonl "select * from t" | jq -c '.[]')"
	for values in '0123 7' 7; do
		same "$(printf '["%s","%s","%s","%s","%s"]\n' $(for v in $values; do echo $v $v $v $v $v; done))" "$( (table "comm name window trace nvtx b"
			for v in $values; do table "$v $v $v $v $v 1"; done) | nsq-sql -f jsonl "select * from t" | jq -c '[.comm, .name, .window, .trace, .nvtx]')"
	done
	same '"7"' "$(printf '{"a":"7"}\n' | nsq-sql -f jsonl "select a from t" | jq .a)"
}

@test "the columns that are always text are those that the page lists" {
	listed=$(sed -n 's/.* text if it has one of these names: `\([^`]*\)`.*/\1/p' "$BATS_TEST_DIRNAME/../../share/conventions/sql.md" | tr ' ' '\n')
	promised=$(tail -n +4 "$BATS_TEST_DIRNAME/../modes.tsv" | cut -f3 | tr ' ' '\n')
	names=$(printf '%s\n' pid rank start_ns end_ns gpu window trace full $listed $promised | sort -u)
	same "$(sort <<< "$listed")" "$( (paste -sd "$TAB" <<< "$names"; sed 's/.*/1/' <<< "$names" | paste -sd "$TAB") |
		nsq-sql --columns "select * from t" | col name type | awk '$2 == "text" { print $1 }' | sort)"
}

@test "a column that changes type is text, and a note says where" {
	printf 'count\tx\n1\ta\n2\tb\nmany\tc\n10\td\n' > "$BATS_TEST_TMPDIR/t"
	mentions "line 4: count is 'many', not a number, so the column is text" -- nsq-sql "select count from t" "$BATS_TEST_TMPDIR/t"
	same "count 1 2 many 10" "$(echo $output)"
	answers nsq-sql "select x from t" "$BATS_TEST_TMPDIR/t"
	# texts among which there is a number are no such case
	printf 'label,b\na,1\nb,2\n7,3\n' > "$BATS_TEST_TMPDIR/label"
	answers nsq-sql "select label from t" "$BATS_TEST_TMPDIR/label"
	same "13" "$(nsq-sql -q "select sum(cast(count as real)) from t" "$BATS_TEST_TMPDIR/t" | rows)"
}

@test "what is no table is told, with its line and what to do" {
	told 2 '' "is empty"
	told 2 '\n \n' "is empty"
	told 2 'a\tb\n1\t2\n3\n' "line 3 has 1 fields, but the header has 2"
	told 2 'a\tb\n\n1\t2\t3\n' "line 3 has 3 fields, but the header has 2"
	told 2 'a,b\n1,2\n3\n' "row 3 has 1 fields"
	told 2 'a,b\n1,"x' "a quote in it is not closed"
	told 2 'a\tb\ta\n1\t2\t3\n' "two columns named 'a'"
	told 2 'a,B,b\n1,2,3\n' "two columns named 'b'"
	told 2 '693\t0\t5\n694\t0\t6\n' "no header line" "'693'" "keep the header"
	told 2 'a\t-\n1\t2\n' "no header line"
	told 2 'a,\n1,2\n' "no header line"
	told 2 'a\tb\n1\t2\0\n' "NUL byte"
	told 2 'pid  name\n  1  x\n' "-f table or md" "-f tsv"
	told 2 '| pid | name |\n|---|---|\n| 1 | x |\n' "-f table or md" "-f tsv"
	told 2 'trace a.sqlite\npid  name\n  1  x\n' "-f table or md"
	told 2 '[{"a":1}]\n' "jq -c"
	nsq-setup -q -f table "$DUALPIPE" > "$BATS_TEST_TMPDIR/in"
	fails 2 "-f table or md" -- nsq-sql "select 1 from t" "$BATS_TEST_TMPDIR/in"
	nsq-setup -q -f md "$DUALPIPE" > "$BATS_TEST_TMPDIR/in"
	fails 2 "-f table or md" -- nsq-sql "select 1 from t" "$BATS_TEST_TMPDIR/in"
	cp "$COMPILE" "$BATS_TEST_TMPDIR/trace.tsv"
	fails 2 "is a SQLite file, not a table" -- nsq-sql "select 1 from t" < "$BATS_TEST_TMPDIR/trace.tsv"
	seq 2001 | sed 's/^/c/' | paste -s > "$BATS_TEST_TMPDIR/in"
	fails 2 "2001 columns" -- nsq-sql "select 1 from t" "$BATS_TEST_TMPDIR/in"
}

@test "a header that stands again further down is no row" {
	same '{"a":1,"b":"x"}|{"a":2,"b":"y"}' "$(reads 'a\tb\n1\tx\na\tb\n2\ty\n')"
	same "$({ nsq-setup -q "$COPIES"; nsq-setup -q "$COMPILE" | rows; })" "$({ nsq-setup -q "$COPIES"; nsq-setup -q "$COMPILE"; } | nsq-sql "select * from t")"
}

# bats test_tags=long
@test "what is no JSON is told" {
	for text in '{' '{"a":1' '{"a":1}x' '{"a":1,}' '{"a"}' '{"a":}' '{a:1}' '{"a":01}' '{"a":"x' '{"a":"\q"}' '{"a":"\u12"}' '{"a":"\u0000"}' '{"a":tru}' '{"a":1 "b":2}' '{}' '{"a":1}{"a":2}' '{"a":.5}'; do
		echo "$text"
		told 2 "${text//\\/\\\\}\n" "line 1 is not one flat JSON object"
		told 2 '{"a":1}\n'"${text//\\/\\\\}\n" "line 2 "
	done
	told 2 '{"a":[1]}\n' "an object or an array"
	told 2 '{"a":{"b":1}}\n' "an object or an array"
	told 2 '{"a":1}\n[1]\n' "line 2" "does not begin with {"
	told 2 '{"a":1}\n{"b":1}\n' "line 2 has the key 'b', which the first line lacks"
	told 2 '{"a":1,"b":2}\n{"b":1}\n' "line 2 lacks the key 'a'"
	told 2 '{"a":1,"a":2}\n' "two columns named 'a'"
	told 2 '{"a":1}\n{"a":1,"a":2}\n' "line 2 has the key 'a' twice"
	told 2 '{"a":1,"A":2}\n' "two columns named 'A'"
}
