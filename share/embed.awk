# Turns the files of a folder into C: the name of each, without its ending, then its text.  The array `array` is
# declared in `header`.  Question marks are escaped, since two of them may begin a trigraph.
FNR == 1 {
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.[a-z]+$/, "", name)
	if (NR == 1)
		printf "#include \"%s\"\n#include <stddef.h>\n\nconst char *const %s[] = {\n", header, array
	else
		print "\t,"
	printf "\t\"%s\",\n", name
}
{
	out = ""
	for (i = 1; i <= length($0); i++) {
		c = substr($0, i, 1)
		out = out (c == "\\" || c == "\"" || c == "?" ? "\\" c : c == "\t" ? "\\t" : c)
	}
	printf "\t\"%s\\n\"\n", out
}
END { print "\t,\n\tNULL\n};" }
