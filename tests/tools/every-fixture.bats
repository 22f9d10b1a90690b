# What every mode of every tool promises about its table, on every fixture; every-tool.bats has a few of them.
# bats file_tags=slow
load ../helper
load ../every-mode

setup_file() { make_tables "$FIXTURES"/*.sqlite; }
setup() { load_modes; use_whole_fixtures "$BATS_FILE_TMPDIR/plain"; }

@test "every mode answers for every fixture, without a word under -q" {
	every_mode_answers
}

@test "--columns names the columns that are printed" {
	headers_are_those_of_columns
}

@test "values are of the type of their column" {
	values_are_of_their_types
}

@test "every row cites a window of its trace" {
	rows_cite_windows_of_their_trace
}

@test "rows come by trace in the order given" {
	rows_come_by_trace
}

@test "the same bytes for any number of threads" {
	tables_stay plain 2
}

@test "the same bytes for any order of rows in the tables, with eight threads" {
	mixed_are_mixed
	tables_stay mixed 8
}
