# Makes shell completion out of what nsq help says of the tools, so that the two cannot differ.
#	for t in kernels gaps; do nsq help $t; done | awk -v shell=bash -v rules="stages llm" -f share/completion.awk

# The words that an option takes, where its help lists them: "rows by name, stream (default: name)".
function words(name, help) {
	sub(/ *\(default.*/, "", help)
	gsub(/ *\([^)]*\)/, "", help)
	if (name == "--by")
		sub(/^.* by /, "", help)
	else if (name == "--class")
		sub(/^[^:]*: */, "", help)
	else if (name == "--pick")
		sub(/, or .*/, "", help)
	else if (name == "--work") {
		sub(/^what[^:]*: */, "", help)
		sub(/:.*/, "", help)
	} else if (name != "--format" && !(name == "--kind" && help ~ /^bars/))
		return ""
	gsub(/,? or |,/, " ", help)
	gsub(/  +/, " ", help)
	return help
}

# What may follow it: words, the built-in rules, or a file; "": something of the user's own.
function takes(arg, name, help) {
	if (arg == "RULES")
		return rules " /"
	if (arg == "SPEC" || arg == "PATH" || arg ~ /\.csv$/)
		return "/"
	return words(name, help)
}

# For zsh: inside single quotes and brackets.
function zsh_quoted(s) { gsub(/'/, "'\\''", s); gsub(/\[|\]|:/, "\\\\&", s); return s }

/^usage: nsq-/ { tool = $2; tools = tools " " tool; part = ""; at = NR; if (/TABLE/) tables = tables "|" tool
	if (/COMMAND/) commands = commands "|" tool
	next }
/^# / { tool = "" }              # the page of its conventions
!tool { next }
NR == at + 2 { question[tool] = $0; next }
/^[a-z].*:$/ { part = $1; next }
!NF { part = ""; next }
part == "options:" {
	letter = $1 ~ /^-.,$/ ? substr($1, 1, 2) : ""
	name = letter ? $2 : $1
	arg = $(letter ? 3 : 2)
	if (arg !~ /^[A-Z][A-Z,.]*$/ || index($0, name " " arg) == 0)
		arg = ""
	help = $0
	sub(/^ *(-., )?--[a-z-]+ */, "", help)
	if (arg) help = substr(help, length(arg) + 1)
	sub(/^ +/, "", help)
	options[tool] = options[tool] " " name (letter ? " " letter : "")
	if (arg) {
		key = tool ":" name (letter ? "|" tool ":" letter : "")
		values = values "\t" key ") echo '" takes(arg, name, help) "' ;;\n"
	}
	spec = arg == "SPEC" ? "'*'{" letter "," name "}" : letter ? "'(" letter " " name ")'{" letter "," name "}" : name
	like = takes(arg, name, help)
	after = ":" tolower(arg) ":"
	if (name == "--by")
		after = after "_sequence compadd - " like
	else if (like == "/")
		after = after "_files"
	else if (like ~ / \/$/) {
		sub(/ \/$/, "", like)
		after = after "_alternative \"rules\\:built in\\:(" like ")\" \"files\\:file\\:_files\""
	} else if (like)
		after = after "(" like ")"
	specs[tool] = specs[tool] " \\\n\t\t" spec "'[" zsh_quoted(help) "]" (arg ? after : "") "'"
}

END { if (shell == "zsh") zsh(); else bash() }

function bash(   i, n, t) {
	print "# bash completion for nsq, made from what nsq help says of the tools.\n"
	n = split(tools, t, " ")
	print "_nsq_options() {\n\tcase $1 in"
	for (i = 1; i <= n; i++)
		print "\t" t[i] ") echo '" substr(options[t[i]], 2) "' ;;"
	print "\tesac\n}\n"
	print "# What the option of a tool takes: words, and / for files."
	print "_nsq_values() {\n\tcase $1:$2 in"
	printf "%s", values
	print "\t*) return 1 ;;\n\tesac\n}\n"
	short = tools
	gsub(/nsq-/, "", short)
	print "# The files that the word may become, all of them or those with such an ending, and folders.  Names may hold anything but a"
	print "# slash, also line breaks, so they never pass through a text; one that looks like an option is offered as ./-NAME."
	print "_nsq_files() {"
	print "\tlocal cur=${COMP_WORDS[COMP_CWORD]} plain home= file ending"
	print "\tcase $cur in"
	print "\t\\\"* | \\'*) plain=${cur#?} ;;"
	print "\t*) IFS= read -d '' plain < <(printf '%s' \"$cur\") ;;   # without -r, read takes backslashes off as the shell does"
	print "\tesac"
	print "\t[[ $plain != '~/'* ]] || { home=$HOME/; plain=$home${plain#??}; }"
	print "\tfor file in \"$plain\"*; do"
	print "\t\t[ -e \"$file\" ] || [ -L \"$file\" ] || continue"
	print "\t\tfor ending in \"${@:-}\"; do [[ -d $file || $file == *\"$ending\" ]] && break; done || continue"
	print "\t\t[ -z \"$home\" ] || file='~/'${file#\"$home\"}"
	print "\t\t[[ $file != -* || -n $operands ]] || file=./$file"
	print "\t\tCOMPREPLY+=(\"$file\")"
	print "\tdone"
	print "}\n"
	print "_nsq() {"
	print "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} tool=${COMP_WORDS[0]##*/} at=$COMP_CWORD takes before= files= operands="
	print "\tCOMPREPLY=()"
	print "\tif [ \"$tool\" = nsq ]; then"
	print "\t\tcase $at:${COMP_WORDS[1]} in"
	print "\t\t1:*) COMPREPLY=($(compgen -W '" substr(short, 2) " help recipes recipe demo mcp --help --version' -- \"$cur\")); return ;;"
	print "\t\t2:help) COMPREPLY=($(compgen -W '" substr(short, 2) " conventions options skill topics words recipes mcp' -- \"$cur\")); return ;;"
	print "\t\t*:mcp) _nsq_files /; return ;;"
	print "\t\t*:demo) _nsq_files; return ;;"
	print "\t\t*:recipe)"
	print "\t\t\tif [[ $at = 2 && $cur == */* ]]; then _nsq_files; return; fi"
	print "\t\t\tif [[ $at = 2 || ( ${COMP_WORDS[2]} == --@(accept|check) && $cur != */* ) ]]; then"
	print "\t\t\t\tCOMPREPLY=($(compgen -W \"$(\"${COMP_WORDS[0]}\" recipes 2>/dev/null | cut -d' ' -f1) --new --accept --check\" -- \"$cur\"))"
	print "\t\t\t\treturn"
	print "\t\t\tfi ;;"
	print "\t\tesac"
	print "\t\ttool=nsq-${COMP_WORDS[1]}"
	print "\tfi"
	print "\tfor files in \"${COMP_WORDS[@]:1:COMP_CWORD - 1}\"; do [ \"$files\" != -- ] || operands=1; done"
	print "\tif [ -z \"$operands\" ] && takes=$(_nsq_values \"$tool\" \"$prev\"); then"
	print "\t\t[ \"$prev\" != --by ] || [ \"${cur%,*}\" = \"$cur\" ] || { before=${cur%,*},; cur=${cur##*,}; }"
	print "\t\tfiles=${takes##*[!/]}"
	print "\t\tCOMPREPLY=($(compgen -P \"$before\" -W \"${takes%/}\" -- \"$cur\"))"
	print "\t\t[ -z \"$files\" ] || _nsq_files"
	print "\telif [[ $cur == -* && -z $operands ]]; then"
	print "\t\tCOMPREPLY=($(compgen -W \"$(_nsq_options \"$tool\")\" -- \"$cur\"))"
	if (tables)
		print "\telif [[ $tool == @(" substr(tables, 2) ") ]]; then\n\t\t_nsq_files"
	if (commands)
		print "\telif [[ $tool == @(" substr(commands, 2) ") ]]; then\n\t\t[ \"$prev\" != -- ] || COMPREPLY=($(compgen -c -- \"$cur\"))\n\t\t_nsq_files"
	print "\telse"
	print "\t\t_nsq_files .sqlite .nsys-rep .qdrep .json .json.gz"
	print "\tfi"
	print "}\n"
	print "complete -o filenames -F _nsq nsq" tools
}

function zsh(   i, n, t) {
	print "#compdef nsq" tools
	print "# zsh completion for nsq, made from what nsq help says of the tools.\n"
	n = split(tools, t, " ")
	print "# Files, with the options of _files; one that looks like an option is offered as ./-NAME, but after --."
	print "_nsq_files() {"
	print "\tlocal -a dashed"
	print "\tlocal like=${@[${@[(ie)-g]} + 1]:-*}"
	print "\t(( ${words[(ie)--]} < CURRENT )) || [[ $PREFIX == */* ]] || dashed=(./-${~like}(N))"
	print "\t(( $#dashed )) || { _files \"$@\"; return }"
	print "\tcompadd -f -- $dashed"
	print "\t_files \"$@\" -F '(-*)'"
	print "}\n"
	print "_nsq_tool() {\n\tcase $1 in"
	for (i = 1; i <= n; i++)
		print "\t" t[i] ")\n\t\t_arguments -s -S" specs[t[i]] " \\\n\t\t'*:" (index(commands "|", "|" t[i] "|") ? ":command:_normal'" : index(tables "|", "|" t[i] "|") ? "table:_nsq_files'" : "trace:_nsq_files -g \"*.(sqlite|nsys-rep|qdrep|json|json.gz)\"'") " ;;"
	print "\tesac\n}\n"
	print "_nsq() {\n\tlocal -a tools"
	print "\t[[ $service == nsq ]] || { _nsq_tool $service; return }"
	print "\ttools=("
	for (i = 1; i <= n; i++)
		print "\t\t'" substr(t[i], 5) ":" zsh_quoted(question[t[i]]) "'"
	print "\t)"
	print "\tif (( CURRENT == 2 )); then"
	print "\t\t_describe tool tools"
	print "\t\tcompadd help recipes recipe demo mcp"
	print "\telif (( CURRENT == 3 )) && [[ $words[2] == help ]]; then"
	print "\t\t_describe tool tools"
	print "\t\tcompadd conventions options skill topics words recipes mcp"
	print "\telif [[ $words[2] == mcp ]]; then\n\t\t_files -/"
	print "\telif [[ $words[2] == demo ]]; then\n\t\t_files"
	print "\telif [[ $words[2] == recipe && $PREFIX == */* ]] && (( CURRENT == 3 )); then"
	print "\t\t_files"
	print "\telif [[ $words[2] == recipe ]] && { (( CURRENT == 3 )) || [[ $words[3] == --(accept|check) ]]; }; then"
	print "\t\tcompadd -- ${${(f)\"$($words[1] recipes 2>/dev/null)\"}%% *} --new --accept --check"
	print "\telse"
	print "\t\tlocal tool=nsq-$words[2]"
	print "\t\tshift words\n\t\t(( CURRENT-- ))"
	print "\t\t[[ $tool == nsq-recipe ]] && _nsq_files -g '*.(sqlite|nsys-rep|qdrep|json|json.gz)' || _nsq_tool $tool"
	print "\tfi\n}\n"
	print "_nsq \"$@\""
}
