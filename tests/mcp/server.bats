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

# What it should print is in conversation.txt; tests/mcp/record writes it.
@test "a recorded conversation" {
	version=$(nsq --version)
	"$HERE/talk" "$HERE/conversation.in" "$NSQ_BIN/nsq" mcp in | sed "s/\"version\":\"${version#nsq }\"/\"version\":\"VERSION\"/g" > got
	diff "$HERE/conversation.txt" got
}

@test "the tools are those of nsq, their arguments the options, and what runs programs is not offered" {
	printf '%s\n%s\n' "> $HELLO" '> {"jsonrpc":"2.0","id":1,"method":"tools/list"}' | talk | sed -n 's/^< \({.*"tools":\[.*\)/\1/p' > list
	jq -r '.result.tools[].name' list > names
	# all of them but those, and three that are commands of nsq or a list of files
	{ printf 'nsq_%s\n' traces help recipe; cd "$NSQ_BIN"; ls -d nsq-* | grep -vxE 'nsq-(capture|map|tui)' | tr - _; } | sort | diff - <(sort names)
	same "" "$(grep -vE '^[a-zA-Z0-9_-]{1,64}$' names)"
	jq -r '.result.tools[] | select(.inputSchema.additionalProperties != false or .inputSchema.type != "object" or .description == "") | .name' list > wrong
	same "" "$(cat wrong)"
	# every option of --help but those that start programs, print elsewhere or say how
	for t in gaps find sql plot report slice; do
		{ nsq-$t --help | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p' | grep -vxE 'help|version|quiet|threads|nsys|export-to|window|human|columns'
			echo max_bytes
			case $t in gaps | slice) printf '%s\n' traces windows ;; find) printf '%s\n' regex traces windows ;; sql) printf '%s\n' query tables traces ;;
			plot) echo tables ;; report) echo traces ;; esac; } | sort | diff - <(jq -r ".result.tools[] | select(.name == \"nsq_$t\").inputSchema.properties | keys[]" list | sort)
	done
	jq -c '.result.tools[] | select(.name == "nsq_gaps").inputSchema.properties | .by, .each, .min, .rows' list > some
	holds "$(cat some)" '{"type":"array","items":{"type":"string","enum":["cause","nvtx","gpu","source"]},"description":"idle time by cause' \
		'{"type":"boolean","description":"one row per gap, longest first"}' 'lists (default: 1us) (only with: each)"}' '{"type":"integer","minimum":1,'
	same '["nsq_gate",["expr"]] ["nsq_report",["output"]]' "$(jq -c '.result.tools[] | select(.inputSchema.required != []) | [.name, .inputSchema.required]' list | xargs -d '\n')"
	same "nsq_export nsq_plot nsq_report nsq_slice nsq_sql nsq_view" "$(jq -r '.result.tools[] | select(.annotations.readOnlyHint | not).name' list | sort | xargs)"
}

# An option with a new kind of argument: does its value name a file?  Then mcp_tools_file must know it.  Those that do are
# DIR FILE FILE.sqlite RAW.csv RULES SPEC PATH, and those of SECONDS and TIME that a tool reads itself may be a manifest.
@test "what kinds of arguments options have" {
	for t in $("$NSQ_BIN/nsq" | sed -n '/^tools:/,/^$/s/^  \([a-z]\{2,\}\) .*/\1/p' | grep -vxE 'capture|map|tui'); do nsq-$t --help; done |
		sed -nE 's/^  (-., |    )--[a-z-]+ ([^ ]+)( .*|$)/\2/p' | grep '^[A-Z]' | sort -u | xargs > got
	same "C CLOCK COL COL,... DIR FILE FILE.sqlite FORMAT GPU K K,... KIND N P PATH PCT PID RAW.csv REGEX RULES SECONDS,... SPEC T TEXT TFLOPS TIME W WHAT WHAT,... WHICH X" "$(cat got)"
}

# secrets: what is outside, and ways to it.
secrets() {
	cp "$COMPILE" out/SECRET.sqlite
	cp -r in/run.sqlite in/copy.sqlite
	printf 'SECRET\tSECRET\n' > out/rules.tsv
	printf 'SECRET\t1\nx\t2\n' > out/table.tsv
	ln -s ../out/SECRET.sqlite in/link.sqlite
	ln -s ../out in/folder
	ln -s ../out/rules.tsv in/rules.tsv
	ln -s ../out/new.html in/new.html
	ln -s "$PWD/out/table.tsv" in/table.tsv
	mkdir -p inside
	cp "$COMPILE" inside/SECRET.sqlite
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
		recipe	{"name":"../../../$PWD/out/x","traces":["run.sqlite"]}
		recipe	{"name":"./who","traces":["run.sqlite"]}
		recipe	{"name":"who","traces":["../out/SECRET.sqlite"]}
		recipe	{"name":"who","windows":"pid\tstart_ns\tend_ns\ttrace\n724\t0\t99999999\t$PWD/out/SECRET.sqlite\n"}
		recipe	{"name":"who","traces":["run.sqlite"],"output":"../out/x"}
		help	{"topic":"../../out/table"}
		help	{"topic":"--version"}
	END
	talk < requests > answers
	# each is refused, and nothing of what is outside is in an answer
	same "" "$(grep '^< ' answers | grep -v ' error$')"
	[ "$(grep -c '^< .* error$' answers)" -eq "$n" ]
	same "" "$(grep -v '^> ' answers | grep -vE "'[^']*SECRET.sqlite|SECRET.sqlite' as s" | grep SECRET)"
	find out inside -type f -exec md5sum {} + | diff before -
	same "conversation in inside out" "$(rm -f answers before requests; ls | xargs)"
	same "copy.sqlite folder link.sqlite new.html rules.tsv run.sqlite sub table.tsv" "$(ls in | xargs)"
}
