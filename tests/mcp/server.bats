# nsq mcp: what a client of the Model Context Protocol is told, and what it cannot reach.

load ../helper

HERE=$TESTS/mcp
HELLO='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

# in/ may be read; out/ holds what may not.
setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p in/sub out
	cp "$COMPILE" in/run.sqlite
	touch -d '2026-01-02 03:04:05Z' in/run.sqlite
}

# call ID TOOL ARGUMENTS: a request.
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"nsq_%s","arguments":%s}}\n' "$1" "$2" "$3"; }

# talk [FOLDER...] < CONVERSATION
talk() { cat > conversation; "$HERE/talk" conversation "$NSQ_BIN/nsq" mcp "${@:-in}"; }

# What it should print is in conversation.txt, which tests/mcp/record writes.
@test "a recorded conversation" {
	version=$(nsq --version)
	"$HERE/talk" "$HERE/conversation.in" "$NSQ_BIN/nsq" mcp in | sed "s/\"version\":\"${version#nsq }\"/\"version\":\"VERSION\"/g" > got
	diff "$HERE/conversation.txt" got
}

@test "the tools are those of nsq, their arguments the options, and what runs programs is not offered" {
	printf '%s\n%s\n' "> $HELLO" '> {"jsonrpc":"2.0","id":1,"method":"tools/list"}' | talk | sed -n 's/^< \({.*"tools":\[.*\)/\1/p' > list
	jq -r '.result.tools[] | .name as $tool | [$tool, "tool"], (.inputSchema.properties | keys[] | [$tool, .]),
		[$tool, if .annotations.readOnlyHint then "reads" else "writes" end, (.inputSchema.required // [])[], "."],
		if .inputSchema.additionalProperties == false and .inputSchema.type == "object" and .description != "" and
			all(.inputSchema.properties[]; .description // "" | length > 5) then empty else ["wrong", $tool] end,
		if $tool == "nsq_kernels" then [.inputSchema.properties.wall.description] else empty end,
		if $tool == "nsq_gaps" then [.inputSchema.properties | .by, .each, .min, .rows | tojson] else empty end | join(" ")' list > said
	# all of them but those, and three that are commands of nsq or a list of files
	{ printf 'nsq_%s tool\n' traces help recipe; cd "$NSQ_BIN"; ls -d nsq-* | grep -vxE 'nsq-(capture|import|map|tui)' | sed 's/-/_/; s/$/ tool/'; } | sort | diff - <(grep ' tool$' said | sort)
	same "" "$(grep '^wrong' said)"
	# every option but those that start programs or say how things are printed
	for t in gaps find sql plot report; do
		{ nsq help $t | sed -n "s/^  \(-., \|    \)--\([a-z-]*\).*/nsq_$t \2/p" | grep -vxE '.* (help|version|quiet|threads|nsys|export-to|window|human|raw|columns)'
			case $t in gaps) given='traces windows' ;; find) given='regex traces windows' ;; sql) given='query tables traces' ;; plot) given=tables ;; report) given=traces ;; esac
			printf "nsq_$t %s\n" $given max_bytes; } | tr - _ | sort | diff - <(grep "^nsq_$t [^ ]*$" said | grep -v ' tool$' | sort)
	done
	grep -qx 'nsq_sql max_rows' said
	holds "$(cat said)" '{"type":"array","items":{"type":"string","enum":["cause","nvtx","gpu","source"]},"description":"idle time by cause' \
		'{"type":"boolean","description":"one row per gap, longest first"}' 'lists (default: 1us) (only with: each)"}' '{"type":"integer","minimum":1,'
	grep -q "'non-gpu'; takes a time in seconds for each trace" said
	same "nsq_gate reads expr . nsq_plot writes . nsq_export writes . nsq_view writes . nsq_report writes output . nsq_slice writes ." \
		"$(grep -E ' (writes|reads [a-z]+) ' said | xargs)"
}

@test "nsq_ledger without windows adds up the steady steps, and tells a window of a result by range" {
	{ echo "> $(call 1 ledger '{"traces":["run.sqlite"]}')"; echo "> $(call 2 window '{"traces":["run.sqlite"]}')"; echo "> $(call 3 ledger '{"windows":"r2"}')"; } | talk > said
	cd in
	same "$(nsq-ledger -q run.sqlite)" "$(sed -n '/^< 1/,/^>/s/^| \(pid\|[0-9]\)/\1/p' ../said)"
	same "$(nsq-window -q run.sqlite | nsq-ledger -q)" "$(sed -n '/^< 3/,$s/^| \(pid\|[0-9]\)/\1/p' ../said)"
}

# The type of an option says whether its value names a file.  What the help calls a file has such a type, and the server
# looks at it before a tool does.
@test "an option whose argument is called a file is refused one outside" {
	echo x > out/x
	n=0
	while read -r tool option; do
		n=$((n + 1))
		echo "> $(call $n "$tool" "{\"traces\":[\"run.sqlite\"],\"tables\":[\"a\\tb\\n1\\t2\\n\"],\"$option\":\"../out/x\"}" | sed "/nsq_\(plot\|gate\)/s/\"traces\":[^]]*],//; /nsq_\(sql\|diff\|plot\|gate\)/!s/\"tables\":[^]]*],//")"
	done > requests < <(for t in $("$NSQ_BIN/nsq" | sed -n '/^tools:/,/^$/s/^  \([a-z]\{2,\}\) .*/\1/p' | grep -vxE 'capture|import|map|tui'); do
		nsq help $t | sed -nE "s/^  (-., |    )--([a-z-]+) (DIR|FILE|FILE.sqlite|RAW.csv|RULES)( .*|$)/$t \2/p" | grep -v ' export-to$' || :; done)
	talk < requests > answers
	[ "$n" -gt 15 ]
	same "$n" "$(grep -cE "^\| '../out/x' is (not in|no place in) the folders of this server" answers)"
}

@test "a trace of torch.profiler is listed, and imported beside it" {
	cp "$FIXTURES/kineto/graph.json.gz" in/run.pt.trace.json.gz
	cp "$FIXTURES/kineto/graph.json.gz" out/other.pt.trace.json.gz
	{ echo "> $HELLO"; echo "> $(call 1 traces '{}')"; echo "> $(call 2 kernels '{"traces":["run.pt.trace.json.gz"],"rows":1}')"
		echo "> $(call 3 kernels '{"traces":["../out/other.pt.trace.json.gz"]}')"; } | talk > said
	holds "$(cat said)" "run.pt.trace.json.gz" nvjet_sm90_tst_64x8_64x16_2x4_h_bz_bias_TNT "'../out/other.pt.trace.json.gz' is not in the folders"
	same "run.pt.trace.json.gz run.pt.trace.sqlite run.sqlite sub" "$(ls in | xargs)"
	same other.pt.trace.json.gz "$(ls out)"
}

# bats test_tags=more
@test "hostile arguments: a selection for every tool" {
	"$HERE/hostile" "$(if more; then echo 1500; else echo 120; fi)" "$NSQ_BIN/nsq" 1
}

# bats test_tags=slow
@test "hostile arguments: for some seconds" {
	"$HERE/hostile" 15s "$NSQ_BIN/nsq" "${SEED:-2}"
}

# secrets: what is outside, and ways to it.
secrets() {
	cp "$COMPILE" out/SECRET.sqlite
	cp -r in/run.sqlite in/copy.sqlite
	printf 'SECRET\tSECRET\n' > out/rules.tsv
	printf 'SECRET\t1\nx\t2\n' > out/table.tsv
	ln -s ../out/SECRET.sqlite in/link.sqlite
	ln -s ../out/SECRET.sqlite in/linked.sqlite
	ln -s ../out in/folder
	mkdir in/--match=x
	ln -s ../out/rules.tsv in/rules.tsv
	ln -s ../out/new.html in/new.html
	ln -s "$PWD/out/table.tsv" in/table.tsv
	mkdir -p inside
	cp "$COMPILE" inside/SECRET.sqlite
	printf '{"wall_s":5,"baseline_s":4,"traces":[{"file":"run.sqlite"}]}' > manifest.json
	mkfifo in/pipe.tsv
	printf 'x' | tee in/other.nsys-rep > in/linked.nsys-rep
	touch -d '2020-01-01' in/linked.nsys-rep
	printf '#!/bin/sh\ntouch %s/out/ran\n' "$PWD" > out/nsys
	chmod +x out/nsys
	mkdir -p out/nsq/recipes
	cp out/nsys out/nsq/recipes/mine
	export NSQ_NSYS=$PWD/out/nsys NSQ_EXPORT_TO=$PWD/out NSQ_RECIPES=$PWD/out/nsq/recipes XDG_DATA_HOME=$PWD/out
	find out inside -type f -exec md5sum {} + > before
}

@test "no argument leads out of the folders" {
	secrets
	n=0
	while IFS=$'\t' read -r tool arguments; do
		n=$((n + 1))
		echo "> $(call $n "$tool" "$arguments")"
	done > requests <<-END
		setup	{"traces":["link.sqlite"]}
		setup	{"traces":["../out/SECRET.sqlite"]}
		setup	{"traces":["sub/../../out/SECRET.sqlite"]}
		setup	{"traces":["folder/SECRET.sqlite"]}
		setup	{"traces":["../inside/SECRET.sqlite"]}
		setup	{"traces":["$PWD/out/SECRET.sqlite"]}
		setup	{"traces":["$PWD/inside/SECRET.sqlite"]}
		setup	{"traces":["other.nsys-rep"]}
		setup	{"traces":["linked.nsys-rep"]}
		setup	{"traces":["file:$PWD/out/SECRET.sqlite"]}
		setup	{"traces":["file:///$PWD/out/SECRET.sqlite?mode=ro"]}
		setup	{"traces":["@$PWD/out/table.tsv"]}
		setup	{"traces":["x=$PWD/out/SECRET.sqlite"]}
		setup	{"traces":["/proc/self/cwd/../out/SECRET.sqlite"]}
		setup	{"traces":["/proc/self/root$PWD/out/SECRET.sqlite"]}
		setup	{"traces":["--window=$PWD/out/table.tsv"]}
		setup	{"traces":["-w$PWD/out/table.tsv"]}
		setup	{"traces":[""]}
		setup	{"traces":["run.sqlite",["$PWD/out/SECRET.sqlite"]]}
		setup	{"traces":"$PWD/out/SECRET.sqlite"}
		kernels	{"windows":"$PWD/out/table.tsv"}
		kernels	{"windows":"table.tsv","traces":["run.sqlite"]}
		kernels	{"windows":"../out/table.tsv","traces":["run.sqlite"]}
		kernels	{"windows":"0..1/../../out/table.tsv","traces":["run.sqlite"]}
		kernels	{"window":["0..1s","$PWD/out/table.tsv"],"traces":["run.sqlite"]}
		kernels	{"windows":"pid\tstart_ns\tend_ns\ttrace\n724\t0\t99999999\t$PWD/out/SECRET.sqlite\n"}
		kernels	{"windows":"pid\tstart_ns\tend_ns\ttrace\n724\t0\t99999999\tlink.sqlite\n"}
		kernels	{"windows":"pid\tstart_ns\tend_ns\ttrace\n724\t0\t99999999\t../out/SECRET.sqlite\n"}
		kernels	{"windows":"pid\tstart_ns\tend_ns\ttrace\n724\t0\t99999999\t$PWD/inside/SECRET.sqlite\n"}
		kernels	{"categories":"$PWD/out/rules.tsv","traces":["run.sqlite"]}
		kernels	{"categories":"rules.tsv","traces":["run.sqlite"]}
		kernels	{"categories":"rules.tsv:a:b","traces":["run.sqlite"]}
		kernels	{"categories":"../out/rules.tsv:a:b","traces":["run.sqlite"]}
		kernels	{"wall":"../out","traces":["run.sqlite"]}
		kernels	{"wall":"..","traces":["run.sqlite"]}
		kernels	{"output=$PWD/out/x":true,"traces":["run.sqlite"]}
		kernels	{"categories=$PWD/out/rules.tsv":true,"traces":["run.sqlite"]}
		kernels	{"nsys":"$PWD/out/x","traces":["run.sqlite"]}
		kernels	{"export_to":"$PWD/out","traces":["run.sqlite"]}
		kernels	{"export-to":"$PWD/out","traces":["run.sqlite"]}
		kernels	{"w":"$PWD/out/table.tsv","traces":["run.sqlite"]}
		kernels	{"wind":"$PWD/out/table.tsv","traces":["run.sqlite"]}
		kernels	{"match":"x","-w":"$PWD/out/table.tsv","traces":["run.sqlite"]}
		kernels	{"wall":"manifest","traces":["run.sqlite"]}
		kernels	{"windows":"pipe.tsv","traces":["run.sqlite"]}
		kernels	{"categories":"pipe.tsv","traces":["run.sqlite"]}
		kernels	{"windows_":"0..30ms","traces":["run.sqlite"]}
		kernels	{"by":[$(printf '"name",%.0s' {1..100})"name"],"traces":["run.sqlite"]}
		setup	{"traces":[]}
		mfu	{"ncu":"$PWD/out/table.tsv","traces":["run.sqlite"]}
		mfu	{"ncu":"table.tsv","traces":["run.sqlite"]}
		nvtx	{"phases":"../out/rules.tsv","traces":["run.sqlite"]}
		sql	{"query":"select * from t","tables":["$PWD/out/table.tsv"]}
		sql	{"query":"select * from t","tables":["t=$PWD/out/table.tsv"]}
		sql	{"query":"select * from t","tables":["table.tsv"]}
		sql	{"query":"select * from t","tables":["/proc/self/fd/0"]}
		sql	{"query":"select * from t","tables":["/dev/stdin"]}
		sql	{"query":"select * from kernels","traces":["$PWD/out/SECRET.sqlite"]}
		sql	{"query":"select * from kernels","tables":["$PWD/out/SECRET.sqlite"]}
		sql	{"query":"$PWD/out/SECRET.sqlite","schema":true}
		sql	{"query":"attach '$PWD/out/SECRET.sqlite' as s","traces":["run.sqlite"]}
		sql	{"query":"select readfile('$PWD/out/table.tsv')","traces":["run.sqlite"]}
		sql	{"query":"select load_extension('$PWD/out/table.tsv')","traces":["run.sqlite"]}
		sql	{"query":"select * from raw.sqlite_dbpage","traces":["run.sqlite"]}
		sql	{"query":"select * from pragma_database_list('$PWD/out/SECRET.sqlite') where file != ''"}
		diff	{"traces":["run.sqlite","$PWD/out/SECRET.sqlite"]}
		diff	{"traces":["run.sqlite"],"tables":["../out/SECRET.sqlite"]}
		gate	{"expr":"x < 1","tables":["../out/table.tsv"]}
		plot	{"tables":["../out/table.tsv"]}
		plot	{"tables":["a\tb\n1\t2\n"],"output":"../out/x.svg"}
		plot	{"tables":["a\tb\n1\t2\n"],"output":"$PWD/out/x.svg"}
		plot	{"tables":["a\tb\n1\t2\n"],"output":"folder/x.svg"}
		plot	{"tables":["a\tb\n1\t2\n"],"output":"new.html","force":true}
		plot	{"tables":["a\tb\n1\t2\n"],"output":"sub/../../x.svg"}
		plot	{"tables":["a\tb\n1\t2\n"],"output":".."}
		plot	{"tables":["a\tb\n1\t2\n"],"output":"/x.svg"}
		slice	{"traces":["run.sqlite"],"output":"../out/x.sqlite"}
		view	{"traces":["run.sqlite"],"output":"../out/x.html"}
		view	{"traces":["run.sqlite"],"categories":"../out/rules.tsv","output":"x.html"}
		export	{"traces":["run.sqlite"],"output":"../out/x.json"}
		report	{"traces":["run.sqlite"],"output":"../out/x.report"}
		report	{"traces":["run.sqlite"]}
		report	{"traces":["run.sqlite"],"output":"x.report","phases":"../out/rules.tsv"}
		report	{"traces":["run.sqlite"],"output":"x.report","ncu":"../out/rules.tsv"}
		recipe	{"name":"../../../$PWD/out/x","traces":["run.sqlite"]}
		recipe	{"name":"./who","traces":["run.sqlite"]}
		recipe	{"name":"mine","traces":["run.sqlite"]}
		recipe	{"name":"--new","traces":["run.sqlite"]}
		recipe	{"name":"who","traces":["../out/SECRET.sqlite"]}
		recipe	{"name":"who","windows":"pid\tstart_ns\tend_ns\ttrace\n724\t0\t99999999\t$PWD/out/SECRET.sqlite\n"}
		recipe	{"name":"who","traces":["run.sqlite"],"output":"../out/x"}
		recipe	{"name":"idle-calls","windows":"pid\trank\tstart_ns\tend_ns\tgpu\twindow\ttrace\n724\t-\t0\t9\t0\tw\t$PWD/out/table.tsv\n"}
		recipe	{"name":"idle-calls","windows":"pid\trank\tstart_ns\tend_ns\tgpu\twindow\ttrace\n724\t-\t0\t9\t0\tw\tgaps=$PWD/out/table.tsv\n"}
		recipe	{"name":"idle-calls","windows":"pid\trank\tstart_ns\tend_ns\tgpu\twindow\ttrace\n724\t-\t0\t9\t0\tw\t/dev/zero\n"}
		recipe	{"match":"x/../../out/table.tsv"}
		recipe	{"match":"x/../../out/nsys","rows":1}
		recipe	{"rows":1}
		recipe	{"name":"who","match":"x/../../out/table.tsv"}
		help	{"topic":"../../out/table"}
		help	{"topic":"--version"}
		help	{"topics":"gaps"}
		help	{"topic":["gaps"]}
		traces	{"folder":"$PWD"}
	END
	talk < requests > answers
	# each is refused, and nothing of what is outside is in an answer
	same "" "$(grep '^< ' answers | grep -v ' error$')"
	[ "$(grep -c '^< .* error$' answers)" -eq "$n" ]
	same "" "$(grep -v '^> ' answers | grep -vE "'[^']*SECRET.sqlite|SECRET.sqlite' as s" | grep SECRET)"
	holds "$(cat answers)" "'other.nsys-rep' has no export to SQLite beside it, and none is made here; make it with nsq setup, in a shell"
	find out inside -type f -exec md5sum {} + | diff before -
	holds "$(cat answers)" "'pipe.tsv' is not a plain file" "give 'traces', which nsq_traces lists"
	same "conversation in inside manifest.json out" "$(rm -f answers before requests; ls | xargs)"
	same "--match=x copy.sqlite folder link.sqlite linked.nsys-rep linked.sqlite new.html other.nsys-rep pipe.tsv rules.tsv run.sqlite sub table.tsv" "$(ls in | xargs)"
}

ENDLESS='{"query":"with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n","timeout":"0","traces":["run.sqlite"]}'

# children: the processes that a server with these folders has started.
CHILDREN='grep -lsz "^NSQ_FOLDERS=$PWD/in" /proc/[0-9]*/environ'
children() { eval "$CHILDREN" || :; }

@test "requests are answered while calls run; a call that is cancelled, and all at the end of input, are ended without an answer" {
	talk > answers <<-END
		>> $(call 1 sql "$ENDLESS")
		> {"jsonrpc":"2.0","id":2,"method":"ping"}
		> $(call 3 setup '{"traces":["run.sqlite"]}')
		>> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}
		$ for i in \$(seq 400); do $CHILDREN > /dev/null || { echo "< it has ended"; break; }; sleep 0.02; done
		$(for i in 11 12 13 14 15 16 17 18 19 20; do echo ">> $(call $i sql "$ENDLESS")"; done)
		> {"jsonrpc":"2.0","id":22,"method":"ping"}
		$ for i in \$(seq 400); do [ \$($CHILDREN | wc -l) -lt 8 ] || break; sleep 0.02; done; echo "< \$($CHILDREN | wc -l) run at once"
		>> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":20}}
		>> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"18"}}
		> {"jsonrpc":"2.0","id":21,"method":"ping"}
	END
	same '{"jsonrpc":"2.0","id":2,"result":{}} 3 answer it has ended {"jsonrpc":"2.0","id":22,"result":{}} 8 run at once {"jsonrpc":"2.0","id":21,"result":{}}' "$(sed -n 's/^< //p' answers | xargs -d '\n')"
	same "exit 0" "$(tail -1 answers)"
	same "" "$(children)"
}

# bats test_tags=slow
@test "the end of the server is the end of what it started" {
	for signal in TERM KILL; do
		mkfifo to
		"$NSQ_BIN/nsq" mcp in < to > /dev/null 3>&- &
		server=$!
		exec 4> to
		call 1 sql "$ENDLESS" >&4
		until [ -n "$(children)" ]; do sleep 0.02; done
		kill -$signal $server
		wait $server || :
		while [ -n "$(children)" ]; do sleep 0.02; done
		exec 4>&-
		rm to
	done
}

# The tool is a grandchild of what the server started, and a program that knows nothing of it.
@test "a server that is killed leaves nothing of a recipe" {
	mkdir -p up/bin up/share/nsq
	cp -L "$NSQ_BIN/nsq" up/bin
	cp -r "$TESTS/../recipes" up/share/nsq
	printf '#!/bin/sh\nsleep 300 & sleep 300\n' > up/bin/nsq-setup
	chmod +x up/bin/nsq-setup
	mkfifo to
	up/bin/nsq mcp in < to > /dev/null 3>&- &
	server=$!
	exec 4> to
	call 1 recipe '{"name":"who","traces":["run.sqlite"]}' >&4
	for i in {1..400}; do [ "$(children | wc -l)" -lt 5 ] || break; sleep 0.02; done
	[ "$(children | wc -l)" -ge 5 ]
	kill -KILL $server
	wait $server || :
	exec 4>&-
	for i in {1..200}; do [ -n "$(children)" ] || break; sleep 0.02; done
	left=$(children)
	for p in $left; do kill -KILL "$(cut -d / -f 3 <<< "$p")" || :; done
	same "" "$left"
}

@test "a member that is repeated a hundred thousand times costs no more than its bytes" {
	python3 -c 'print("> {\"jsonrpc\":\"2.0\",\"method\":\"ping\"" + ",\"id\":1.5" * 100000 + "}")' > conversation
	timeout 5 "$HERE/talk" conversation "$NSQ_BIN/nsq" mcp in | tail -n +2 > got
	holds "$(cat got)" "an id, a text or a whole number" "exit 0"
	sed 's/1\.5/15/g' conversation > again
	timeout 5 "$HERE/talk" again "$NSQ_BIN/nsq" mcp in | tail -n +2 > got
	same '< {"jsonrpc":"2.0","id":15,"result":{}}' "$(head -1 got)"
}

# bats test_tags=slow
@test "files are read and written in the folders: names in each of them, results, texts and files as tables" {
	mkdir second
	cp "$WHOLE" "second/a b.sqlite"
	cp "$COMPILE" in/-odd=name.sqlite
	printf 'start_ns\tend_ns\n0\t30000000\n' > in/w.tsv
	printf 'step\tSTEP\n' > in/rules.tsv
	talk in second > answers <<-END
		> $(call 1 setup '{"traces":["a b.sqlite","-odd=name.sqlite"]}')
		> $(call 2 gaps '{"windows":"w.tsv","traces":["run.sqlite"]}')
		> $(call 3 gaps '{"windows":"10ms..20ms","traces":["run.sqlite"],"pid":724}')
		> $(call 4 gaps '{"windows":"r2","traces":["run.sqlite"],"by":"cause"}')
		> $(call 5 gaps '{"windows":"start_ns\tend_ns\n0\t30000000\n","traces":["run.sqlite"],"format":"jsonl"}')
		> $(call 6 diff '{"tables":["r2","r3"],"of":"idle_ns"}')
		> $(call 7 plot "{\"tables\":[\"r4\"],\"output\":\"$PWD/second/x.svg\"}")
		> $(call 8 plot '{"tables":["before=r2","after=r5"],"output":"sub/y.html"}')
		> $(call 9 slice '{"windows":"r2","output":"part.sqlite"}')
		> $(call 10 report '{"traces":["part.sqlite"],"output":"part.report"}')
		> $(call 11 nvtx '{"traces":["run.sqlite"],"phases":"rules.tsv"}')
		> $(call 12 recipe '{"name":"gpu-starved","windows":"r2","rows":1}')
		> $(call 13 recipe '{"name":"gpu-starved","windows":"r2","traces":["run.sqlite"],"rows":1}')
		> $(call 14 recipe '{"name":"who"}')
		> $(call 15 recipe '{}')
		> $(call 16 help '{"topic":"nsq_gaps"}')
		> $(call 17 kernels '{"traces":["run.sqlite"],"wall":0.25,"rows":1}')
		> $(call 18 plot '{"tables":["r4"],"output":"x.svg"}')
		> $(call 19 plot '{"tables":["r4"],"output":"x.svg"}')
	END
	same "19" "$(sed -n 's/^< \(.*\) error$/\1/p' answers | xargs)"
	holds "$(cat answers)" "a b.sqlite" "./-odd=name.sqlite" "in/x.svg' exists; --force replaces it" "wrote 'sub/y.html'" "# Who is in this trace" "gpu-starved  " "usage: nsq-gaps"
	grep -q 'STEP' answers
	[ "$(find second/x.svg in/sub/y.html in/part.sqlite in/part.report/report.html -size +0 | wc -l)" -eq 4 ]
	# the windows of both recipes are those of the result
	[ "$(grep -c '^| 724.*30000000' answers)" -ge 6 ]
}

# Recipes hand rules and tables to their tools through pipes, which are in no folder.
# bats test_tags=slow
@test "every recipe that answers in a shell answers through the server" {
	cp "$DDP" in/ddp.sqlite
	recipes=$(nsq recipes | cut -d ' ' -f 1)
	for r in $recipes; do echo "> $(call "\"$r\"" recipe "{\"name\":\"$r\",\"traces\":[\"ddp.sqlite\"]}")"; done | talk > answers
	for r in $recipes; do (cd in && nsq recipe $r ddp.sqlite > /dev/null 2>&1 < /dev/null) && echo "< \"$r\" answer" || echo "< \"$r\" error"; done > want
	diff want <(grep '^< ' answers)
	same "" "$(grep -E 'denied|not in the folders' answers)"
}

@test "when another nsq takes the place of the one that runs, recipes are still those of nsq" {
	mkdir -p up/bin up/share/nsq share/nsq/recipes
	cp -L "$NSQ_BIN/nsq" up/bin
	cp -r "$TESTS/../recipes" up/share/nsq
	printf '#!/bin/sh\n# Which one?\ntouch %s/ran\n' "$PWD" | tee share/nsq/recipes/who > share/nsq/recipes/mine
	chmod +x share/nsq/recipes/*
	cat > conversation <<-END
		$ cp up/bin/nsq new; mv new up/bin/nsq
		> $(call 1 recipe '{"name":"who","traces":["run.sqlite"]}')
		> $(call 2 recipe '{"name":"mine","traces":["run.sqlite"]}')
		$ rm -r up/share
		> $(call 3 recipe '{"name":"who","traces":["run.sqlite"]}')
	END
	"$HERE/talk" conversation up/bin/nsq mcp in > answers
	same "1 answer 2 error 3 error" "$(sed -n 's/^< //p' answers | xargs)"
	holds "$(cat answers)" python3 "no recipe 'mine'" "this installation has no recipes"
	[ ! -e ran ]
}

# bats test_tags=slow
@test "the last 64 results are kept, and no tool prints without end" {
	{
		for i in {1..65}; do echo "> $(call $i sql '{"query":"select 1 as a","tables":["t=a\nb\n"]}')"; done
		echo "> $(call 66 sql '{"query":"select * from t","tables":["t=r1"]}')"
		echo "> $(call 67 sql '{"query":"select * from t","tables":["t=r2"]}')"
		echo "> $(call 68 sql '{"query":"with recursive n(i) as (select 1 union all select i + 1 from n) select hex(zeroblob(100000)) as x from n limit 3000","tables":["t=a\nb\n"]}')"
	} | talk > answers
	same "66 68" "$(sed -n 's/^< \(.*\) error$/\1/p' answers | xargs)"
	holds "$(cat answers)" "there is no result 'r1': it has been forgotten; ask for it again" "cannot write the table: File too large"
}

@test "the command line of nsq mcp" {
	run -2 nsq mcp
	same "nsq: which folders may be read? usage: nsq mcp DIR..." "$output"
	run -2 nsq mcp in no-such
	same "nsq: 'no-such' cannot be a folder of traces: No such file or directory" "$output"
	run -2 nsq mcp in/run.sqlite
	mkdir a:b
	run -2 nsq mcp a:b
	same "nsq: 'a:b' cannot be a folder of traces, because it has a ':' in its name; rename it" "$output"
	run -2 nsq mcp --port 80 in
	run -0 nsq mcp --help
	holds "$output" "usage: nsq mcp DIR..."
	fails 1 "cannot write an answer" -- bash -c 'nsq mcp in > /dev/full <<< "{}"'
	run -0 nsq mcp in < /dev/null
	same "" "$output"
	# a notification is never answered, and true is no number
	run -0 nsq mcp in <<< '{"jsonrpc":"2.0","method":"notifications/cancelled","params":["requestId"]}'
	same "" "$output"
	run -0 nsq mcp in <<< '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nsq_help","arguments":{"max_bytes":true}}}'
	holds "$output" "'max_bytes' takes a text or a number, not true"
}

# Lines that are no messages, and messages that are hardly any: each is answered, or needs no answer, and the server lives.
# bats test_tags=slow
@test "five thousand broken messages" {
	python3 "$HERE/broken.py" "${SEED:-1}" 5000 "$NSQ_BIN/nsq" mcp in
}

# bats test_tags=slow
@test "the public client libraries of npm" {
	command -v npm > /dev/null && command -v node > /dev/null || skip "no npm"
	mkdir packages
	(cd packages && timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1 @modelcontextprotocol/client@2) > npm.log 2>&1 ||
		skip "npm cannot install the clients: $(tail -1 npm.log)"
	node "$HERE/client.mjs" "$PWD/packages" "$NSQ_BIN/nsq" in > got
	common='true true
run.sqlite
r1 host 1211409
false false false
nsq-gaps: '"'--by' has no effect with '--each'; drop one of them"'
true
-32602
given up
"" false'
	same "sdk - nsq true
$common
client 2026-07-28 nsq true
$common
client 2026-07-28 nsq true
$common" "$(cat got)"
}

@test "traces are listed down to twelve levels, and deeper folders are counted" {
	local at=in/$(printf 'd/%.0s' {1..12})
	mkdir -p "$at"e/f "$at".hidden
	cp in/run.sqlite "$at"deep.sqlite
	cp in/run.sqlite "$at"e/deeper.sqlite
	{ echo "> $HELLO"; echo "> $(call 1 traces '{}')"; } | talk > answers
	holds "$(cat answers)" "${at#in/}deep.sqlite" "... folders more than 12 levels deep were not searched: 1"
	lacks "$(cat answers)" deeper.sqlite
}
