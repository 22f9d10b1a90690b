# What the recipes share.  Each begins with `. "${0%/*}/lib.sh"`; this file is no recipe, so it is not executable.
#
# A recipe says first which options it takes: takes=nsq-gaps, all of that tool.  After takes='nsq-ledger nsq-plot --output
# --title', these two of nsq-plot are in the array plot; options of its own, takes='nsq-gaps own --list --rules=FILE', are in
# the array own.  Without it, it takes those of all tools.  nsq itself reads the command line, with the tables of the tools.
#
# Options that choose steps (-m --kernel --outer --pick --skip -p) go to nsq-window; the others (-f -H -n -g ...) go to the last tool, which
# prints the answer.  Windows given with -w, or on standard input instead of a trace, take the place of the steps; with -m, the
# ranges inside them do.  Where nsq-sql is last, it takes those of formats and rows, and the tool before it the rest.

# What two tools both say is said once: the recipe runs itself with its messages going through a filter.  What stands for
# the window of a row that is about all of them, looked_at says.  A name of the trace may hold anything, and the tools
# write it as it is where a pipe follows; so what reaches people, messages and a terminal, is made printable last.
if [ -z "${NSQ_RECIPE-}" ]; then
	export NSQ_RECIPE=${0##*/}
	messages() {
		LC_ALL=C awk '{ text = $0; sub(/^nsq-[a-z]+: /, "", text); sub(/; -v prints [0-9]+ more notes?$/, "", text) } !/the column window is/ && !said[text]++ { print; fflush() }' |
			nsq printable --wrap >&2
	}
	once() { "$BASH" "$0" "$@" 2>&1 >&3 3>&- | messages; return "${PIPESTATUS[0]}"; }
	if [ -t 1 ]; then
		[ -n "${COLUMNS-}" ] || { COLUMNS=$(stty size <&3 2> /dev/null); COLUMNS=${COLUMNS#* }; } 3>&1
		export COLUMNS NSQ_TERMINAL=1       # the table that a pipe takes to the terminal is as wide as that
		once -f table "$@" 3>&1 | nsq printable
	else
		once "$@" 3>&1
	fi
	exit "${PIPESTATUS[0]}"
fi
set -o pipefail

words=$(nsq recipe --words "$NSQ_RECIPE" "${takes-}" "$@") || exit
eval "$words"                       # sets first windows quiet shown other own traces, and typed, the names of the options
pick=(--pick all) steady=(--steady) period=(--period) choice=() named=() match='' table='' rc=0
[[ $typed != *" pick "* ]] || pick=() steady=()
[[ $typed != *" skip "* ]] || steady=()
for ((i = 0; i + 1 < ${#first[@]}; i++)); do [ "${first[i]}" != -m ] || match=1 named=(-m "${first[i + 1]}"); done
for i in "${first[@]}"; do case $i in --kernel=* | --outer) match=1 named=("$i") ;; esac; done
last=("${other[@]}" "${shown[@]}")
given=$((!${#traces[@]} || ${#windows[@]}))
if [ $((${#traces[@]} + ${#windows[@]})) = 0 ] && [ -z "$match" ] && [ ! -t 0 ]; then table=$(cat); fi

say() { [ ${#quiet[@]} != 0 ] || echo "$NSQ_RECIPE: $*" >&2; }

# steps [OPTION...]: the windows that the question is about: the steady steps, each up to the next one.
# The options are the recipe's own for nsq-window.
steps() {
	[ -n "$match" ] || [ $given = 0 ] || return
	[ $given = 0 ] || pick=(--pick all) steady=()
	[[ ${named-} != --* ]] || set --            # not its own -m
	choice=("$@" "${first[@]}") first=()
	table=$(nsq-window "${quiet[@]}" "${pick[@]}" "${steady[@]}" "${period[@]}" "${choice[@]}" "${windows[@]}" -- "${traces[@]}") || rc=$?
	if [ $rc = 0 ] && ! has_rows && [ ${#steady[@]} != 0 ]; then
		table=$(nsq-window -q --pick all --skip 0 "${choice[@]}" -- "${traces[@]}")
		! has_rows || say "no step is followed by another, so this is about all there are"
	fi
	pass_on
}

# ranges: the same steps, each only as long as its own work runs, for questions about what is in that work: with -m, what
# runs up to the next range that matches may be the work of others.
ranges() {
	period=()
	steps "$@"
}

# annotated: the steps for questions about annotation.  Steps that are repeats of kernels may be layers, which no phase is
# inside of: then the processes as a whole.
annotated() {
	steps
	[ $given = 1 ] || [ ${#choice[@]} != 0 ] || ! LC_ALL=C awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "rule") c = i }
		$c == "repeat" { found = 1 } END { exit !found }' <<< "$table" || {
		table=$(nsq-setup -q -- "${traces[@]}")
		say "those may be layers, so this is about the processes as a whole"
	}
}

# pass_on: after an error there is an answer only if there are windows; it ends with the code of the error.
pass_on() {
	has_rows || [ $rc = 0 ] || exit $rc
	has_rows || quiet=(-q)       # the tool has said why
	trap 'exit $(($? > rc ? $? : rc))' EXIT
}

# each_gpu: the same windows for each GPU of their processes, so that -n holds for each GPU; nsq-overlap also warns of one
# that processes share, where the others' turns are idle time or part of a kernel's.
each_gpu() {
	has_rows || [ ${#windows[@]} != 0 ] || return 0
	table=$(over nsq-overlap --total) || rc=$?
	pass_on
}

# looked_at: what was looked at, so that sums can be divided: how many windows, called what, in how many processes.
looked_at() {
	local what
	what=$(LC_ALL=C awk -F'\t' -v q="'" 'function s(n, end) { return n == 1 ? "" : end }
		$3 ~ /^[0-9]+$/ { w = $(NF - 1); sub(/#[0-9]+(@[0-9.]+)?$/, "", w); gsub(/[0-9]+/, "#", w); n += !at[$1, $3, $4, $NF]++
			p += !of[$1, $NF]++; if (!met[w]++ && w != "-" && ++k <= 3) names = names (k > 1 ? ", " : " ") q w q }
		END { if (!n && NR > 1) print "over " NR - 1 " windows"; if (n) print "over " n " window" s(n, "s") names (k > 3 ? " ..." : "") " in " p " process" s(p, "es") }' <<< "$table")
	[ -z "$table" ] && [ ${#windows[@]} != 0 ] && what="over the windows given with ${windows[*]}"
	[ -z "$what" ] || say "$what"
}

# several MESSAGE: the question is about several processes; say so if there is one.
several() {
	[ "$(LC_ALL=C awk -F'\t' '$1 ~ /^[0-9]/ && !met[$1, $NF]++ { n++ } END { print n + 0 }' <<< "$table")" != 1 ] || say "$1"
}

has_rows() { [[ $table == *$'\n'* ]]; }

# whole: the question is about whole traces, or the windows given, or with -m about those ranges.
whole() { [ -z "$match" ] || steps; }

# over TOOL [OPTION...]: what the tool says about these windows.
over() {
	if [ -n "$table" ]; then "$@" "${quiet[@]}" "${first[@]}" <<< "$table"
	else "$@" "${quiet[@]}" "${first[@]}" "${windows[@]}" -- "${traces[@]}"; fi
}

# answer TOOL [OPTION...]: the same for the last tool, which takes the reader's options.
answer() {
	local code=0
	over "$@" "${other[@]}" "${shown[@]}" || code=$?
	[ $code != 0 ] || looked_at
	return $code
}

# rows TOOL [OPTION...]: sets rows to what the tool says about these windows, for nsq-sql; without any, the recipe ends as
# the tool did.
rows() {
	rows=$(over "$@" "${other[@]}") || rc=$?
	[ -n "$rows" ] || exit $rc
	trap 'exit $(($? > rc ? $? : rc))' EXIT
}

# query QUERY [TABLE...]: what an SQL query says about t, these rows, and about further tables.
query() {
	local code=0
	nsq-sql "$1" "${quiet[@]}" "${shown[@]}" - "${@:2}" <<< "$rows" || code=$?
	[ $code != 0 ] || looked_at
	return $code
}

# names: sets names to the traces of these rows, or without rows to those given.  A name in a table is written as printf %b
# reads it; what nsq-sql would take for NAME=TABLE is made a path.
names() {
	local name
	names=()
	while IFS= read -r name; do
		printf -v name %b "$name"
		[[ $name != *=* || -e $name ]] || name=./$name
		names+=("$name")
	done < <(nsq-sql -q 'select distinct trace from t' <<< "$rows" | tail -n +2)
	[ ${#names[@]} != 0 ] || names=("${traces[@]}")
}

# ask QUERY: what an SQL query says about t, the windows, and about their traces.
ask() {
	if [ -n "$table" ]; then rows=$table; else rows nsq-gaps; fi
	names
	[ ${#names[@]} != 0 ] || { say "there are no windows, so there is nothing to answer"; exit; }
	query "$1" "${other[@]}" -- "${names[@]}"
}

# at_most N: so many rows, unless the reader says how many; the tool says how many there are.
at_most() { [[ $typed == *" rows "* ]] || shown+=(-n "$1"); }

# expect NAMES MESSAGE: pass an answer on; if it has rows, but none with one of the NAMES (A|B), say so.  Of rows that -n
# has cut nothing can be said.
expect() {
	local rows name="(^|[^A-Za-z0-9/.-])($1)([^A-Za-z0-9/.-]|$)"
	rows=$(cat)
	[ -z "$rows" ] || printf '%s\n' "$rows"
	[[ $typed == *" rows "* ]] ||
		[[ ($rows != *$'\n'* && $rows != "{"*) || $rows =~ $name ]] || say "$2"
}

# answer_or MESSAGE TOOL [OPTION...]: the answer; if it has no rows, say so.
answer_or() {
	local rows code=0
	rows=$(answer "${@:2}") || code=$?
	[ -z "$rows" ] || printf '%s\n' "$rows"
	[ $code != 0 ] || [[ $rows == *$'\n'* || $rows == "{"* ]] || say "$1"
	return $code
}
