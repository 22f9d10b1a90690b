# Which events are in a window [A,B), and how much of their time.
load ../helper

@test "an event is in [A,B) when it starts before B and ends after A" {
	local a b
	read -r a b <<<"$(ask "$DUALPIPE" "SELECT a, b FROM comms WHERE pid = 693 AND class = 'comm' ORDER BY b - a DESC LIMIT 1")"
	each() { nsq-overlap -q --each -p 693 -w "$1" "$DUALPIPE" | col start_ns end_ns | sort | tr '\t\n' '. '; }
	holds "$(each "$((a - 5))..$((a + 1))")" "$a.$((a + 1)) "
	holds "$(each "$((b - 1))..$((b + 5))")" "$((b - 1)).$b "
	lacks "$(each "$((a - 5))..$a")" "$a."
	lacks "$(each "$b..$((b + 5))")" ".$b "
	# --inside: an event that fills the window is inside, one that sticks out is not
	inside() { nsq-overlap -q --inside --each -p 693 -w "$1" "$DUALPIPE" | col start_ns end_ns | tr '\t\n' '. '; }
	same "$a.$b " "$(inside "$a..$b")"
	same "" "$(inside "$((a + 1))..$b")"
	same "" "$(inside "$a..$((b - 1))")"
}

@test "an event without length counts where it starts" {
	t=$(change "$COMPILE" "UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = 20000000, end = 20000000;
		UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = 20000000, end = 20000000; DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL
		WHERE start < 21000000 AND end > 19000000")
	n=$(ask "$t" "SELECT count(*) FROM work WHERE a = 20000000")
	[ "$n" -gt 0 ]
	same "$n" "$(nsq-streams -w 20000000..20000100 "$t" | col copies)"
	same "$n" "$(nsq-streams -w 19999999..20000001 "$t" | col copies)"
	same "" "$(nsq-streams -q -w 19999000..20000000 "$t" | col copies)"
	same "" "$(nsq-streams -q -w 20000001..20000100 "$t" | col copies)"
}

@test "the CPU side of a window chooses the ranges, the GPU side the work" {
	nsq-window -p 693 "$DUALPIPE" > "$BATS_TEST_TMPDIR/w"
	local a b ca cb
	read -r a b ca cb <<<"$(col start_ns end_ns cpu_start_ns cpu_end_ns < "$BATS_TEST_TMPDIR/w")"
	same "$(ask "$DUALPIPE" "SELECT (SELECT count(*) FROM work WHERE pid = 693 AND kind = 'kernel' AND a < $b AND b > $a),
			(SELECT count(*) FROM ranges WHERE pid = 693 AND a < $cb AND b > $ca)")" \
		"$(nsq-setup < "$BATS_TEST_TMPDIR/w" | col kernels ranges)"
	same "0" "$(nsq-setup -p 693 -w "$a..$b" "$DUALPIPE" | col ranges)"
	# what is written without the CPU columns has one side only
	same "0" "$(without cpu_start_ns cpu_end_ns < "$BATS_TEST_TMPDIR/w" | nsq-setup | col ranges)"
}
