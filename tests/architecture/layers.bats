# The folders of lib/ are layers: each knows only itself and those before it in this list.
load ../helper

LAYERS="base table sqlite import trace timeline launch step job answer capture map picture tui cli tools"

# includes: a line "file layer header" for every quoted include of lib/ and tools/; layer - if it names none.
includes() {
	cd "$TESTS/.."
	grep -Hn '^ *# *include *"' lib/*/*.[ch] tools/*.[ch] 2>/dev/null |
		sed -nE 's|^([^:]*):[0-9]*: *# *include *"([^"]*)".*|\1 \2|p' |
		awk '{ layer = "-"; if (index($2, "/")) { layer = $2; sub("/.*", "", layer) } print $1, layer, $2 }'
}

# rank: reads "file layer header", prints the place of the file's layer and of the header's, then the line.
ranked() {
	awk -v layers="$LAYERS" '
		BEGIN { n = split(layers, name, " "); for (i = 1; i <= n; i++) rank[name[i]] = i }
		{ split($1, part, "/"); own = part[1] == "lib" ? part[2] : part[1]; print rank[own] + 0, rank[$2] + 0, $0 }'
}

@test "every folder of lib/ is a layer of the list" {
	cd "$TESTS/.."
	for folder in lib/*/; do
		folder=${folder#lib/}
		holds " $LAYERS " " ${folder%/} "
	done
	same "" "$(ls lib/*.[ch] 2>/dev/null)"
}

@test "every quoted include names the layer of the header" {
	[ "$(includes | wc -l)" -gt 100 ]
	same "" "$(includes | ranked | awk '$2 == 0')"
}

@test "no include points to a layer above" {
	same "" "$(includes | ranked | awk '$2 > $1 { print $3, "includes", $5 }')"
}

@test "an include that points up is found" {
	same "lib/base/x.c includes cli/errors.h" "$(echo "lib/base/x.c cli cli/errors.h" | ranked | awk '$2 > $1 { print $3, "includes", $5 }')"
	same "" "$(echo "tools/x.c cli cli/errors.h" | ranked | awk '$2 > $1')"
	same "" "$(echo "lib/cli/x.c cli cli/errors.h" | ranked | awk '$2 > $1')"
}
