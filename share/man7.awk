# Turns conventions.md into a man page, and the page of a tool into the end of that tool's man page: headings,
# paragraphs, lists (also in lists, or numbered), tables and blocks.
#	awk -v version=1 -f share/man7.awk share/conventions.md
#	awk -v tool=nsq-gaps -f share/man7.awk share/conventions/gaps.md
function plain(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); gsub(/'/, "\\(aq", s); sub(/^[.]/, "\\\\\\&.", s); return s }

# Text with its marks: [words](link) loses the link, **bold** and `code` become bold.
function text(s,   out, bold) {
	while (match(s, /\[[^]]*\]\([^)]*\)/)) {
		out = substr(s, RSTART + 1, RLENGTH - 1)
		sub(/\].*/, "", out)
		s = substr(s, 1, RSTART - 1) out substr(s, RSTART + RLENGTH)
	}
	s = plain(s)
	for (out = ""; match(s, /\*\*|`/); s = substr(s, RSTART + RLENGTH)) {
		bold = !bold
		out = out substr(s, 1, RSTART - 1) (bold ? "\\fB" : "\\fR")
	}
	return out s
}

# A section is written when it has something to say.
function head(macro, words) { print macro " \"" words "\""; fresh = 1 }
function paragraph() { if (!fresh) print ".PP"; fresh = 0 }

BEGIN {
	if (!tool) {
		printf ".TH NSQ-CONVENTIONS 7 \"\" \"nsq %s\" \"nsq\"\n", version
		print ".SH NAME\nnsq\\-conventions \\- what all tools of nsq share"
	}
}
/^```/ {
	block = !block
	if (block) { print fresh ? ".RS 4\n.nf" : ".PP\n.RS 4\n.nf" } else print ".fi\n.RE"
	fresh = 0; inside = 0
	next
}
block { print plain($0); next }
/^# / { head(".SH", tool ? "CONVENTIONS" : "DESCRIPTION"); next }
/^## / { head(tool ? ".SS" : ".SH", text(tool ? substr($0, 4) : toupper(substr($0, 4)))); next }
/^- / { print ".IP \\(bu 2\n" text(substr($0, 3)); fresh = 0; next }
/^ +- / { sub(/^ +- /, ""); print ".RS 2\n.IP \\(bu 2\n" text($0) "\n.RE"; fresh = 0; next }
/^[0-9]+\. / { print ".IP " $1 " 3\n" text(substr($0, length($1) + 2)); fresh = 0; next }
/^\|[-| ]*\|$/ { next }
/^\|/ {
	split($0, cell, / *\| */)
	print ".TP\n" text(cell[2]) "\n" text(cell[3])
	for (n = 4; cell[n] != ""; n++) print ".br\n" text(cell[n])
	fresh = 0
	next
}
NF { paragraph(); print text($0) }
END { print ".SH SEE ALSO\n.BR nsq (1)" (tool ? ",\n.BR nsq\\-conventions (7)" : "") }
