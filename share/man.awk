# Turns the --help of a tool into its man page, so that the two cannot differ.
function quoted(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); sub(/^[.']/, "\\\\\\&&", s); return s }
BEGIN { printf ".TH %s 1 \"\" \"nsq %s\" \"nsq\"\n", toupper(tool), version }
/^usage: / { usage = substr($0, 8); next }
usage != "" && !named && NF {
	printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n", tool, quoted($0), quoted(usage)
	print ".SH DESCRIPTION\n" quoted($0)
	named = 1
	next
}
/^[a-z].*:$/ { printf ".SH %s\n.nf\n", toupper(substr($0, 1, length($0) - 1)); open = 1; next }
/^exit: / { printf "%s.SH EXIT STATUS\n%s\n", open ? ".fi\n" : "", quoted(substr($0, 7)); open = 0; next }
!NF { if (open) print ".fi"; open = 0; next }
{ print quoted($0) }
END { print ".SH SEE ALSO\nThe definitions are in share/nsq/conventions.md." }
