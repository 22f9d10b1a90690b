# How far a long run is: shown on a terminal after a second, and nowhere else.
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/progress" \
		"$TESTS/library/progress.c" "$NSQ_BUILD/libnsq.a" -lm
	build progress_told
}

# on_terminal COMMAND...: what it writes to a terminal.
on_terminal() { python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$@" < /dev/null | tr '\r\033' 'R^'; }

@test "progress is shown on a terminal after a second: what is done, how far or how long; wiped away for words and at the end" {
	needs_terminal
	export COLUMNS=60
	same "Rnsq-test: reading, 1 s^[KRnsq-test: writing, 50 %, 1 s^[KRnsq-test: writing, 99 %, 1 s^[KR^[Knsq-test: a word
Rnsq-test: writing, 99 %, 1 s^[KR^[KRnsq-test: the \x1b[2J of a… is wide, or so, 2 s^[KR^[K" "$(on_terminal "$BATS_FILE_TMPDIR/progress" | sed 's/R$//')"
	same "" "$(on_terminal "$BATS_FILE_TMPDIR/progress" -q)"
	same "nsq-test: a word" "$("$BATS_FILE_TMPDIR/progress" 2>&1 < /dev/null)"
}

# told COMMAND...: the lines of progress of a tool, each as it is told, without the seconds.
told() { (exec -a "$1" "$NSQ_BUILD/progress_told" "${@:2}") 2>&1 > /dev/null < /dev/null | tr '\r' '\n' | sed -n 's/, 0 s\x1b\[K.*//p'; }

percentages() { sed -n 's/.*, \([0-9]*\) %$/\1/p'; }

# grows FILE: the percentages do, there are many, and every line has one once it is known what there is to do.
grows() {
	same "$(percentages < "$1")" "$(percentages < "$1" | sort -n)"
	[ "$(percentages < "$1" | sort -u | wc -l)" -ge 10 ] || { echo "few percentages:"; cat "$1"; return 1; }
	same "" "$(sed '1{/: answering$/d}' "$1" | grep -v ' %$' || true)"
}

@test "nsq-report and nsq-view say what they do, and how much of all of it is done" {
	cd "$BATS_TEST_TMPDIR"
	told nsq-report --view -o out "$DUALPIPE" > report
	grows report
	holds "$(cat report)" "nsq-report: reading, " "nsq-report: answering: kernels, " "nsq-report: drawing the timeline, " "nsq-report: writing, "
	told nsq-view -o out.html "$DUALPIPE" > view
	grows view
	holds "$(cat view)" "nsq-view: reading, " "nsq-view: laying out the timeline, " "nsq-view: looking for findings, " "nsq-view: packing, " "nsq-view: writing the page, "
	told nsq-view -o ranks.html "$FIXTURES"/collectives-rank?.sqlite > ranks
	grows ranks
	told nsq-report -o ranks.out "$FIXTURES"/collectives-rank?.sqlite > ranks
	grows ranks
}

# bats test_tags=long
@test "an export by nsys says how much of it is written, and what nsys says of it" {
	needs_terminal
	cd "$BATS_TEST_TMPDIR"
	echo report > run.nsys-rep
	: > seen
	cat > nsys <<-END
		#!/bin/bash
		while [ "\$1" != --output ]; do shift; done
		shown() { for ((i = 0; i < 600; i++)); do ! grep -qF "\$1" seen || return 0; sleep 0.1; done; exit 1; }
		shown "nsq-report: exporting with nsys, 0 MB written"
		head -c 3000000 /dev/zero > "\$2"
		shown "nsq-report: exporting with nsys, 3 MB written"
		printf '[1/1] [==20%%      ] run.sqlite\r'
		shown "nsq-report: exporting with nsys, 3 MB written, 20 %"
		printf '[1/1] [======70%%  ] run.sqlite\r'
		shown "nsq-report: exporting with nsys, 3 MB written, 70 %"
		cp $(printf %q "$FIXTURES/train.sqlite") "\$2"
	END
	chmod +x nsys
	python3 "$TESTS/library/progress.py" --answer seen nsq-report --nsys ./nsys -o out run.nsys-rep < /dev/null > shown
	same "nsq-report: exporting with nsys, 0 MB written
nsq-report: exporting with nsys, 3 MB written
nsq-report: exporting with nsys, 3 MB written, 20 %
nsq-report: exporting with nsys, 3 MB written, 70 %" "$(grep exporting shown)"
	[ -s out/report.html ]
}
