# The conventions: a page that all tools share and one for each tool, short enough to read.

load ../helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	NSQ_BIN=$(cd "${NSQ_BIN:-bin}" && pwd)
}

tools() { cd "$NSQ_BIN" && ls -d nsq-*; }

@test "every tool has a page, which begins with its name, and every page but those on differences, nsq mcp and recipes has a tool" {
	diff <(tools | sed 's/^nsq-//') <(cd share/conventions && ls | sed 's/\.md$//' | grep -vxE 'differences|mcp|recipes')
	[[ "$("$NSQ_BIN/nsq" help differences)" == "# Where nsq's numbers differ "* ]]
	for t in $(tools); do
		[[ "$(head -1 "share/conventions/${t#nsq-}.md")" == "# $t: "*"?" ]] || { echo "$t"; false; }
	done
}

@test "every link of the documents leads somewhere" {
	python3 - README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md bench/README.md share/*.md share/conventions/*.md share/references/*.md <<-'END'
		import os, re, sys
		bad = 0
		def text_of(path):
		    return re.sub(r"```.*?```", "", open(path).read(), flags=re.S)
		def anchors(path):
		    heads = re.findall(r"^#+ (.*)$", text_of(path), re.M)
		    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}
		for doc in sys.argv[1:]:
		    targets = re.findall(r"\]\(([^)\s]+)\)", text_of(doc))
		    # pages of share/ name each other as they are installed beside each other
		    targets += ["/" + t for t in re.findall(r"`((?:conventions/|references/)[a-z]+\.md|conventions\.md)`", text_of(doc))]
		    for target in targets:
		        if re.match(r"[a-z]+:", target):
		            continue
		        path, _, anchor = target.partition("#")
		        path = ("share" + path if path[0] == "/" else os.path.join(os.path.dirname(doc), path)) if path else doc
		        if not os.path.exists(path) or anchor and anchor not in anchors(path):
		            print(f"{doc}: no {target}")
		            bad = 1
		sys.exit(bad)
	END
}

@test "an option that a page names is one of nsq's" {
	for t in $(tools) recipes; do nsq help "$t"; done | grep -oE -- '--[a-z][a-z-]*' | sort -u > "$BATS_TEST_TMPDIR/known"
	# those of nsys and ncu stand behind their names
	sed -E 's/(nsys profile|ncu) --[^`]*//' share/conventions.md share/conventions/*.md | grep -oE -- '--[a-z][a-z-]*' | sort -u |
		comm -23 - "$BATS_TEST_TMPDIR/known" > "$BATS_TEST_TMPDIR/unknown"
	[ ! -s "$BATS_TEST_TMPDIR/unknown" ] || { cat "$BATS_TEST_TMPDIR/unknown"; false; }
}

@test "nsq help describes every option of every tool, and every column of every mode" {
	python3 - "$NSQ_BIN" $(tools) <<-'END_OF_TEST'
		import csv, re, subprocess, sys
		modes = [line for line in open("tests/modes.tsv") if not line.startswith("#")]
		bad = 0
		for tool in sys.argv[2:]:
		    help = subprocess.run([f"{sys.argv[1]}/nsq", "help", tool], capture_output=True, text=True).stdout
		    options, columns = {}, {}
		    for part in help.split("\n\n"):
		        title, _, lines = part.partition("\n")
		        if title == "options:":
		            for line in lines.splitlines():
		                name = re.match(r" +(?:-\w, )?(--[a-z-]+)(?: [A-Z]\S*)?(?P<words> +\S+ +\S)?", line)
		                if name:
		                    options[name[1]] = name["words"]
		        elif title.startswith("columns"):
		            for line in re.findall(r"^  [a-z].*", lines, re.M):
		                columns[line.split()[0]] = re.match(r"  \w+(?: \(.*?\))? {2,}\S|  and |  the ", line)
		    wanted = [row for row in csv.DictReader(modes, delimiter="\t") if row["tool"] == tool]
		    for name in re.findall(r"--[a-z-]+", " ".join(row["args"] for row in wanted)) + ["--help"]:
		        options.setdefault(name, None)
		    for name in " ".join(row["columns"] or "" for row in wanted).split():
		        columns.setdefault(name, None)
		    for name in [n for n, described in {**options, **columns}.items() if not described]:
		        print(f"{tool}: {name} is not described")
		        bad = 1
		sys.exit(bad)
	END_OF_TEST
}

@test "what the page on differences says of other tools is what their queries give" {
	page=$(cat share/conventions/differences.md)
	calls="SELECT count(*) || ' calls, ' || sum(end - start) || ' ns' FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId
		WHERE start >= 0 AND (value LIKE '%Synchronize%' OR value LIKE '%Wait%' OR value LIKE '%cudaEventQuery%')"
	holds "$page" "$(sql "$DDP" "$calls")"
	holds "$page" "$(sql "$NODES" "SELECT CAST(count(*) * 1e9 / (max(end) - min(start)) AS INTEGER) || ' kernels per second in' FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE end > start")"
	holds "$page" "$(sql "$NODES" "SELECT count(*) || ' ranges with ' || sum(end - start) || ' ns' FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId
		WHERE end > start AND start >= 0 AND lower(coalesce(text, value)) LIKE '%decode%'")"
	busy=$(sql "$DDP" "SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start >= 0 UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE start >= 0
		UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE start >= 0 ORDER BY 1" | awk -F '[|\t]' '$2 > e { s += $2 - ($1 > e ? $1 : e); e = $2 } END { printf "%d", s }')
	span=$(nsq-kernels -q "$DDP" | col start_ns end_ns | head -1 | awk '{ print $2 - $1 }')
	holds "$page" "At least one of them works for $busy of $span ns, which leaves $((span - busy)) ns"
}
