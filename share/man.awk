# Turns what nsq help says of a tool into its man page, so that the two cannot differ; the page of its conventions, with
# which that ends, is left to man7.awk.
#	nsq help overlap | awk -v tool=nsq-overlap -v version=1 -f share/man.awk
function quoted(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); gsub(/'/, "\\(aq", s); sub(/^[.]/, "\\\\\\&.", s); return s }
function section(name) {
	print name ~ /^columns with/ ? ".SS " quoted(substr(name, 9)) : ".SH " toupper(name)
	kind = name; open = 1; n = 0
}

BEGIN { printf ".TH %s 1 \"\" \"nsq %s\" \"nsq\"\n", toupper(tool), version }

/^# / { exit }

/^usage: / { usage = substr($0, 8); next }

usage && !question && NF {
	question = $0
	printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n%s\n", tool, quoted(question), quoted(usage), quoted(question)
	next
}

/^exit: / {
	section("exit status")
	n = split(substr($0, 7), code, ", ")
	for (i = 1; i <= n; i++) {
		number = code[i]; sub(/ .*/, "", number)
		text = code[i]; sub(/^[^ ]* /, "", text)
		print ".TP\n.B " number "\n" quoted(text)
	}
	next
}

/^[a-z][^:]*:$/ { section(substr($0, 1, length($0) - 1)); next }
!NF { open = 0; next }
kind == "examples" && open { print (n++ ? ".br\n" : "") quoted(substr($0, 3)); next }

# A meaning goes on below itself; a list of columns may name those that stand above.
/^                    / && open { sub(/^ +/, ""); print quoted($0); next }
/^  (and|the) / && open { print ".PP\n" quoted(substr($0, 3)); next }

# An entry is indented: what it is, two spaces or its column's width, what it means.
/^  / && open {
	text = substr($0, 3)
	sub(/^ +/, "", text)
	width = match(text, /  +/) ? RSTART : length(text) > 24 && match(substr(text, 20), / /) ? RSTART + 19 : length(text)
	left = substr(text, 1, width); right = substr(text, width)
	gsub(/^ +| +$/, "", left); gsub(/^ +| +$/, "", right)
	print ".TP\n.B " quoted(left) "\n" quoted(right)
	next
}

{ if (!open) print ".PP"; open = 1; print quoted($0) }

# The page of a tool goes on with its conventions, which man7.awk writes.
END { if (tool == "nsq") print ".SH SEE ALSO\n.BR nsq\\-conventions (7)" }
