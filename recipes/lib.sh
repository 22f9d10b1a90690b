# What the recipes share.  Each begins with `. "${0%/*}/lib.sh"`; this file is no recipe, so it is not executable.
#
# A recipe takes the options of its tools.  Those that choose steps (-m --pick --skip -p) go to nsq-window; the others
# (-f -H -n -g ...) go to the last tool, which prints the answer.  Windows given with -w, or on standard input instead
# of a trace, take the place of the steps; with -m, the ranges inside them do.

# What two tools both say is said once: the recipe runs itself with its messages going through a filter.
if [ -z "${NSQ_RECIPE-}" ]; then
	{
		NSQ_RECIPE=${0##*/} "$BASH" "$0" "$@" 2>&1 >&3 3>&- |
			awk '{ text = $0; sub(/^nsq-[a-z]+: /, "", text) } !said[text]++ { print; fflush() }' >&2
		exit "${PIPESTATUS[0]}"
	} 3>&1
fi
set -o pipefail

first=() last=() windows=() traces=() pick=(--pick all --skip 1 --period) choice=() match='' table='' rc=0
while [ $# -gt 0 ]; do
	both=("${@:1:2}")            # an option and its value
	case $1 in
	--) traces+=("${@:2}"); break ;;
	-m | --match) match=1 first+=("${both[@]}"); shift ;;
	-m?* | --match=*) match=1 first+=("$1") ;;
	--pick) pick=(--period) first+=("${both[@]}"); shift ;;
	--pick=*) pick=(--period) first+=("$1") ;;
	-p | --pid | --skip | --nsys) first+=("${both[@]}"); shift ;;
	-p?* | --pid=* | --skip=* | --nsys=* | --cpu) first+=("$1") ;;
	-w | --window) windows+=("${both[@]}"); shift ;;
	-w?* | --window=*) windows+=("$1") ;;
	-q | --quiet) first+=("$1") last+=("$1") ;;
	-n | -f | -g | -j | --rows | --format | --gpu | --threads | --by | --class | --comm | --rules | --categories | \
		--depth | --min | --phases | --warn-below | --work) last+=("${both[@]}"); shift ;;
	-?*) last+=("$1") ;;
	*) traces+=("$1") ;;
	esac
	shift || break
done
given=$((!${#traces[@]} || ${#windows[@]}))
if [ $((${#traces[@]} + ${#windows[@]})) = 0 ] && [ -z "$match" ] && [ ! -t 0 ]; then table=$(cat); fi

say() { [[ " ${last[*]} " == *" -q "* || " ${last[*]} " == *" --quiet "* ]] || echo "$NSQ_RECIPE: $*" >&2; }

# steps [OPTION...]: the windows that the question is about: all steps after the first, each up to the next one.
# The options are the recipe's own for nsq-window.
steps() {
	[ -n "$match" ] || [ $given = 0 ] || return
	[ $given = 0 ] || pick=(--pick all --period)
	choice=("$@" "${first[@]}") first=()
	table=$(nsq-window "${pick[@]}" "${choice[@]}" "${windows[@]}" "${traces[@]}") || rc=$?
	if [ $rc = 0 ] && ! has_rows && [[ "${pick[*]}" == *--skip* ]]; then
		table=$(nsq-window -q --pick all "${choice[@]}" "${traces[@]}")
		! has_rows || say "no step has one before it and one after it, so this is about all there are"
	fi
	has_rows || [ $rc = 0 ] || exit $rc
	has_rows || last+=(-q)       # nsq-window has said why
	trap 'exit $(($? > rc ? $? : rc))' EXIT
}

has_rows() { [[ $table == *$'\n'* ]]; }

# whole: the question is about whole traces, or the windows given, or with -m about those ranges.
whole() { [ -z "$match" ] || steps; }

# over TOOL [OPTION...]: what the tool says about these windows.
over() {
	if [ -n "$table" ]; then "$@" "${first[@]}" <<< "$table"; else "$@" "${first[@]}" "${windows[@]}" "${traces[@]}"; fi
}

# answer TOOL [OPTION...]: the same for the last tool, which takes the reader's options.
answer() { over "$@" "${last[@]}"; }

# expect NAMES MESSAGE: pass an answer on; if it has rows, but none with one of the NAMES (A|B), say so.  Of rows that -n
# has cut nothing can be said.
expect() {
	local rows name="(^|[^A-Za-z0-9/.-])($1)([^A-Za-z0-9/.-]|$)"
	rows=$(cat)
	[ -z "$rows" ] || printf '%s\n' "$rows"
	[[ " ${last[*]}" == *" -n"* || " ${last[*]}" == *" --rows"* ]] ||
		[[ ($rows != *$'\n'* && $rows != "{"*) || $rows =~ $name ]] || say "$2"
}
