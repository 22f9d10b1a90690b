# A file that the user, a table or a trace names is opened in lib/base/folders.c, which asks the folders of NSQ_FOLDERS first.
load ../helper

# What opens or looks at files otherwise, and why it may.
ALLOWED='
lib/base/folders.c	is that place
lib/base/text.c	text_file, for files that nsq has made or installed
lib/base/whole_	writes, where -o says
lib/base/child.c	looks for programs on PATH
lib/trace/slice_write.c	writes, where -o says
lib/trace/report.c	exports reports, which NSQ_FOLDERS forbids, and imports traces, beside them alone
lib/sqlite/database.c	follows links of a trace that has been opened
lib/answer/findings.c	the findings of the user, in folders of his own
lib/cli/demo.c	the trace that is installed; writes, where its argument says
lib/cli/installation.c	what is installed, and recipes
lib/cli/recipes.c	recipes
lib/cli/terminal.c	pages that are installed
lib/cli/mcp_	the server, which asks the folders itself
lib/capture/	is not offered by the server
lib/map/	is not offered by the server
lib/tui/	is not offered by the server'

# opens: reads "file:line: text", prints those that open or look at a file by its name.
opens() {
	grep -E '(^|[^_a-z0-9])(open|openat|fopen|freopen|stat|lstat|access|faccessat|realpath|readlink|opendir|scandir|fts_open|text_file)\(' |
		grep -vE ':[0-9]+:( \*|/\*)'
}

# exceptions: the paths of the list, as the beginning of a line.
exceptions() { cut -f 1 <<< "$ALLOWED" | sed '/./!d; s/^/^/'; }

@test "files that others name are opened in one place: folders_open, folders_file, folders_text or folders_stat" {
	cd "$TESTS/.."
	same "" "$(grep -Hn '(' lib/*/*.c tools/*.c | opens | grep -vf <(exceptions))"
}

@test "every exception is needed, and a call elsewhere would be found" {
	cd "$TESTS/.."
	grep -Hn '(' lib/*/*.c | opens > "$BATS_TEST_TMPDIR/all"
	for path in $(exceptions); do grep -q "$path" "$BATS_TEST_TMPDIR/all" || { echo "$path"; false; }; done
	same 2 "$(printf 'lib/table/x.c:1: f = fopen(path, "r");\nlib/x.c:2: if (stat(a) == 0)\nlib/x.c:3: folders_stat(a)\nlib/x.c:4: fstat(a)\n' | opens | wc -l)"
}
