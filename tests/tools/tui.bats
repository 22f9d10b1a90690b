# nsq-tui without a terminal; tests/tui drives it in one.
load ../helper

@test "without a terminal it says so; options for tables are not known" {
	fails 2 "standard output is no terminal" -- nsq-tui "$COPIES"
	for o in -f -n -H --merge --spread --inside; do
		fails 2 "unknown option '$o'" -- nsq-tui "$o" "$COPIES"
	done
}
