# Turns rule files into C: the name of each, then its text.
FNR == 1 {
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.tsv$/, "", name)
	print NR == 1 ? "#include \"relate/rules.h\"\n#include <stddef.h>\n\nconst char *const rules_builtin[] = {" : "\t,"
	printf "\t\"%s\",\n", name
}
{
	out = ""
	for (i = 1; i <= length($0); i++) {
		c = substr($0, i, 1)
		out = out (c == "\\" || c == "\"" ? "\\" c : c == "\t" ? "\\t" : c)
	}
	printf "\t\"%s\\n\"\n", out
}
END { print "\t,\n\tNULL\n};" }
