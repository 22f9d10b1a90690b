# What bats makes of a test file before it reads it: a function for each test, and after all lines a list of them with their
# tags.  Its own bats-preprocess compares each of 25,000 lines with three regular expressions of bash, twice.

/^@test ".*" \{/ {
	match($0, /".*" \{/)
	printf "test_%d() { bats_test_begin %s; %s\n", ++count, substr($0, RSTART, RLENGTH - 2), substr($0, RSTART + RLENGTH)
	tags[count] = !of_file || !of_test ? of_file of_test : of_file < of_test ? of_file "," of_test : of_test "," of_file
	of_test = ""
	next
}

/^# bats test_tags=/ { of_test = substr($0, index($0, "=") + 1) }
/^# bats file_tags=/ { of_file = substr($0, index($0, "=") + 1) }
{ print }

END {
	print ""
	for (i = 1; i <= count; i++) print "bats_test_function --tags '" tags[i] "' test_" i
}
