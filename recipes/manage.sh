# nsq recipe --new, --accept and --check: writes a recipe to begin with, records what recipes print, and checks them.
#
#     bash manage.sh new PATH [TRACE...]
#     bash manage.sh accept PATH...
#     bash manage.sh check PATH...
#
# What a recipe must be, nsq's or anybody's, is said here and nowhere else.  nsq has put its tools first on PATH.
here=${0%/*} bad=0 tools=$PATH
export LC_ALL=C
unset NSQ_RECIPE

die() { printf 'nsq: %s\n' "$2" | nsq printable >&2; exit "$1"; }

problem() { printf "nsq: recipe '%s' %s\n" "$name" "$1" | nsq printable >&2; bad=1; }

# part WORD: what the comment `# WORD: ...` says, a line for each.
part() { sed -n "s/^# $1: *//p" "$path"; }

# prepare PATH: reads what the recipe says of itself: the folder to run it in, its options and traces.  Traces are named
# from its folder on, those of nsq's own are in tests/fixtures.
prepare() {
	local line of
	name=${1##*/} folder=$(cd -- "${1%/*}" && pwd) || exit 1
	path=$folder/$name at=$folder traces=() absent=()
	read -ra options < <(part options)
	while IFS= read -r line; do
		[ -n "$line" ] || continue
		if [ -e "$folder/$line" ] || [[ $line == /* && -e $line ]]; then of=("$line"); else read -ra of <<< "$line"; fi
		for line in "${of[@]}"; do
			case $line in /*) place=$line ;; *) place=$folder/$line ;; esac
			if [ ! -e "$place" ] && [ -e "$folder/../tests/fixtures/$line" ]; then
				at=$folder/.. line=tests/fixtures/$line place=$folder/../$line
			fi
			traces+=("$line")
			[ -e "$place" ] || absent+=("$line")
		done
	done < <(part fixture)
}

# What a recipe may run: the tools of nsq, bash, and what POSIX has everywhere.
utilities="awk basename bc cat chmod cksum cmp comm cp cut date dd diff dirname du echo env expand expr false find fold getconf
	grep head id join kill ln ls mkdir mkfifo mktemp mv nl od paste pr printf ps pwd rm rmdir sed sh sleep sort split tail tee test
	touch tr true tsort tty uname unexpand uniq wc xargs"
only_these() {
	local found
	mapfile -t found < <(type -P bash $utilities)
	mkdir -- "$work/bin" && ln -s -- "${found[@]}" "$(dirname -- "$(type -P nsq)")"/nsq* "$work/bin" && tools=$work/bin
}

# answer [OPTION...]: what it prints for its traces.
answer() { (cd -- "$at" && PATH=$tools "$path" "$@" "${options[@]}" "${traces[@]}" < /dev/null); }

# why: the reason why it fails, which is the last that it says without its notes; not what a tool says whose input is empty
# for that reason, nor the line that bash repeats after a syntax error.
why() {
	local said
	said=$(answer -q 2>&1 > /dev/null | grep -vE "did the command before it fail\?|: line [0-9]+: \`.*'$" | tail -n 1)
	printf '%s\n' "${said:-it does not say why}"
}

no_fixture="names no trace that it is tried on; write the path of one behind '# fixture:'"

make() {
	local path=$1 folder fixture='' trace also=''
	for trace in "${@:2}"; do [ -e "$trace" ] || die 1 "there is no trace '$trace' that the recipe could be tried on"; done
	[[ "${*:2}" != *$'\n'* ]] || die 1 "a recipe cannot name a trace with a line end in its name; rename it"
	[ ! -e "$path" ] || die 1 "'$path' is there already; take another name, or remove it first"
	mkdir -p -- "${path%/*}" && folder=$(cd -- "${path%/*}" && pwd) || exit 1
	for trace in "${@:2}"; do
		trace=$(cd -- "$(dirname -- "$trace")" && pwd)/${trace##*/}
		fixture+=$'\n'"# fixture: ${trace#"$folder"/}"
	done
	set -o noclobber
	while IFS= read -r line; do
		[[ -z $fixture || $line != "# fixture:"* ]] || line=${fixture#?}
		printf '%s\n' "$line"
	done < "$here/template.sh" 2>/dev/null > "$path" && chmod +x -- "$path" || die 1 "cannot write '$path'"
	printf '%s\n' "$path"
	[ $# -gt 1 ] || also=" and write the path of a trace to try it on behind '# fixture:'"
	printf '%s\n' "nsq: edit it$also, then nsq recipe --accept records what it prints, and nsq recipe --check checks it" >&2
}

accept() {
	prepare "$1"
	[ ${#traces[@]} != 0 ] || die 1 "recipe '$name' $no_fixture"
	[ ${#absent[@]} = 0 ] || die 1 "recipe '$name': its fixture '${absent[0]}' is not there; name a trace that it answers for"
	answer > "$path.out.new" 2>/dev/null || { rm -f -- "$path.out.new"; die 1 "recipe '$name' failed, so nothing is recorded: $(why)"; }
	mv -- "$path.out.new" "$path.out" && printf '%s\n' "$path.out"
}

# What it says: a question, how to read the answer, and what to ask next.
check_words() {
	local word
	[ -x "$path" ] || problem "is not executable; chmod +x makes it so"
	[[ ${lines[0]} == '#!'* ]] || problem "does not begin with #!; its first line names what runs it: #!/usr/bin/env bash"
	[[ ${lines[0]} != *$'\r' ]] || problem "has the line ends of Windows; sed -i 's/\\r\$//' FILE takes them away"
	[[ ${lines[1]} == "# "*"?" ]] || problem "asks no question; its second line does, as nsq recipes shows it: # Which ...?"
	[ -n "$(part fixture)" ] || problem "$no_fixture"
	for word in read next; do
		[ -n "$(part $word)" ] || problem "has no line '# $word: ...'; nsq recipe --new shows one"
	done
	for word in $(sed -n '/^# next:/,/^[^#]/p' "$path" | grep -v '^[^#]' | grep -o 'nsq-[a-z]*'); do
		[ -x "$(command -v "$word")" ] || problem "says to ask '$word' next, which is no tool"
	done
	word=$(sed -n 's/^# next:  *\([a-z-]*\).*/\1/p' "$path")
	[[ -z $word || $word =~ ^(nsq(-.*)?|nsys|the)$ || $known == *$'\n'$word' '* || -x $folder/$word ]] ||
		problem "says to ask '$word' next, which is no recipe"
}

# What it prints: what is recorded, as a table whose rows cite their windows, or of facts; with -f in another format.
check_answer() {
	local header missing code=0
	answer > "$work/got" 2> "$work/err" || code=$?
	missing=$(sed -n 's/.*: \([^:]*\): command not found$/\1/p' "$work/err" | head -n 1)
	[ -z "$missing" ] || problem "runs '$missing', which is neither a tool of nsq nor a utility of POSIX, so it will not run everywhere"
	if [ $code != 0 ]; then
		problem "ends with exit code $code for its fixture: $(why)"
		return 1                # what it does after an error would say no more
	fi
	if [ ! -s "$path.out" ]; then
		problem "has no recorded answer; read what it prints, then nsq recipe --accept records it"
	elif ! cmp -s "$path.out" "$work/got"; then
		problem "no longer prints what is recorded; if that is right, nsq recipe --accept records it"
		diff "$path.out" "$work/got" | head -n 6 | nsq printable >&2
	fi
	[ "$(wc -l < "$work/got")" -le 40 ] || problem "prints more than 40 lines; -n or --merge of its tools makes it shorter"
	header=$(head -n 1 "$work/got")
	[[ $header == $'pid\trank\tstart_ns\tend_ns\tgpu\t'*$'\twindow\ttrace' || $header == $'key\tvalue\ttrace' ]] ||
		problem "prints a table whose rows cite no window, so it cannot be piped on: $header"
	answer -q -f jsonl 2>/dev/null | awk '!/^{.*}$/ { bad = 1 } END { exit bad || !NR }' ||
		problem "does not hand -q -f jsonl to the tool that prints its answer; answer of lib.sh does"
	return 0
}

# After an error it claims nothing: no table, the reason once, and the exit code of the error.
check_errors() {
	local wrong code expected=2
	for wrong in --no-such none.sqlite; do
		code=0
		[ $wrong != none.sqlite ] || expected=1 traces=()
		answer $wrong > "$work/got" 2> "$work/err" || code=$?
		[ $code = $expected ] || problem "given '$wrong' ends with exit code $code, not $expected, that of the tool which refuses it"
		[ ! -s "$work/got" ] || problem "given '$wrong' prints an answer, though a tool refuses it"
		[ "$(grep -c -- "'$wrong'" "$work/err")" = 1 ] || problem "given '$wrong' does not say once that this is wrong"
	done
}

check() {
	local before=$bad
	bad=0
	prepare "$1"
	mapfile -t lines < "$path"
	check_words
	if [ ${#absent[@]} != 0 ]; then
		problem "names the fixture '${absent[0]}', which is not there; name a trace that it answers for"
	elif [ $bad = 0 ]; then
		check_answer && check_errors
	fi
	[[ ${lines[0]} != *sh || $(command -v shellcheck) == '' ]] ||
		shellcheck -s bash -S warning -e SC1090,SC1091,SC2034,SC2154 -f gcc -- "$path" >&2 || bad=1
	[ $bad = 1 ] || printf '%s: ok\n' "$name"
	bad=$((bad | before))
}

# is_script PATH: does it look like a recipe that is only not executable?
is_script() {
	local begin=''
	[[ -f $1 && ! -x $1 && ${1##*/} =~ ^[A-Za-z0-9_][A-Za-z0-9_-]*$ ]] && read -rn 2 begin < "$1"
	[ "$begin" = '#!' ]
}

# each COMMAND PATH...: but for what lies beside recipes.  A folder stands for the scripts in it that are not executable.
each() {
	local recipe script of=()
	for recipe in "${@:2}"; do
		case $recipe in *.out | *.sh) [ -x "$recipe" ] || continue ;; esac
		if [ -d "$recipe" ]; then
			for script in "$recipe"/*; do ! is_script "$script" || of+=("$script"); done
		else
			of+=("$recipe")
		fi
	done
	for recipe in "${of[@]}"; do "$1" "$recipe"; done
	[ ${#of[@]} != 0 ]
}

case $1 in
new) make "${@:2}" ;;
accept) each accept "${@:2}" ;;
check)
	work=$(mktemp -d) || exit 1
	trap 'rm -rf -- "$work"' EXIT
	known=$'\n'$(nsq recipes)
	only_these || exit 1
	each check "${@:2}" || die 2 "you have no recipes of your own to check; name one, or write one with nsq recipe --new NAME"
	exit $bad ;;
esac
