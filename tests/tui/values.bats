# What nsq-tui keeps and asks, without a terminal: bookmarks, places as text, what the tools say of a stretch of time.
# bats file_tags=slow
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/values" \
		"$TESTS/tui/values.c" "$NSQ_BUILD/libnsq.a" -lsqlite3 -lpcre2-8 -lcsv -lz -lm -lpthread
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
	FOLDER=$XDG_STATE_HOME/nsq/bookmarks
	cp "$COPIES" run.sqlite
}

values() { "$BATS_FILE_TMPDIR/values" "$@"; }
bookmarks() { values bookmarks "$@"; }
listed() { bookmarks "$@" | grep -v '^file '; }

@test "bookmarks stay, in order, until they are removed; the same one is kept once" {
	local gemm="1..10 at 5 gemm step > a b" copy="20..30 at 20 memcpy x y"
	same "$gemm
$copy" "$(listed run.sqlite add 1 10 5 gemm 'step > a' b add 20 30 20 memcpy x y add 1 10 5 gemm 'step > a' b)"
	same "$gemm
$copy" "$(listed run.sqlite)"
	same "$copy" "$(listed run.sqlite remove 1)"
	same "$copy" "$(listed run.sqlite)"
	same "" "$(listed run.sqlite remove 1)"
	same "run.sqlite
state" "$(ls)"
}

@test "every bookmark is a window that tools read" {
	pid=$(nsq-setup run.sqlite | col pid | head -1)
	start=$(nsq-overlap --total run.sqlite | col start_ns | head -1)
	bookmarks run.sqlite add "$start" $((start + 5000000)) "$start" 'a	tab' 'back\slash' 'my place' > /dev/null
	sed -i "s/^693:2/$pid/" "$FOLDER"/*.tsv
	same "$(nsq-kernels -w "$start..$((start + 5000000))" -p "$pid" -g 0 run.sqlite | without window trace)" \
		"$(nsq-kernels -w "$FOLDER"/run.sqlite.*.tsv | without window trace)"
	same "my place" "$(nsq-kernels -w "$FOLDER"/run.sqlite.*.tsv | col window | uniq)"
	same "$start..$((start + 5000000)) at $start a	tab back\\slash my place" "$(listed run.sqlite)"
}

@test "a trace that is moved, renamed or copied keeps its bookmarks; another in its place does not get them" {
	listed run.sqlite add 1 10 5 gemm a b
	mkdir elsewhere
	mv run.sqlite elsewhere/new.sqlite
	same "1..10 at 5 gemm a b" "$(listed elsewhere/new.sqlite)"
	same "1..10 at 5 gemm a b
2..3 at 2 k n w" "$(listed elsewhere/new.sqlite add 2 3 2 k n w)"
	same "$PWD/elsewhere/new.sqlite" "$(col trace < "$FOLDER"/run.sqlite.*.tsv | uniq)"
	mv elsewhere/new.sqlite run.sqlite
	listed run.sqlite add 3 4 3 k n w > /dev/null
	cp "$SCHED" run.sqlite
	holds "$(listed run.sqlite)" "remark: '$PWD/run.sqlite' has other contents than when the bookmarks in '$FOLDER/run.sqlite." "not shown"
	same "9..10 at 9 k n w" "$(listed run.sqlite add 9 10 9 k n w | grep -v ^remark)"
	same "9..10 at 9 k n w" "$(listed run.sqlite)"
}

@test "sessions side by side keep each other's bookmarks" {
	for i in 1 2 3 4 5 6; do
		bookmarks run.sqlite add $i 100 50 k n "a$i" add $i 200 50 k n "b$i" > "out$i" &
	done
	wait
	same 12 "$(listed run.sqlite | wc -l)"
	same "" "$(grep -h problem out? || true)"
	same 0 "$(ls "$FOLDER" | grep -c part || true)"
}

@test "what is no file of bookmarks is said and left alone" {
	listed run.sqlite add 1 10 5 gemm a b > /dev/null
	local file
	file=$(ls "$FOLDER"/*.tsv)
	spoil() {
		cp "$file" before
		holds "$(bookmarks run.sqlite add 7 8 7 k n w)" "$1" "it is left alone, and bookmarks are not saved" "7..8 at 7 k n w" "file none"
		[ -p "$file" ] || [ -d "$file" ] || cmp before "$file"
	}
	printf 'pid\tstart_ns\n1\t2\n' > "$file"; spoil "a line with start_ns and end_ns must come first"
	printf 'pid\tstart_ns\tend_ns\n1\t9\t2\n' > "$file"; spoil "line 2 is no bookmark"
	printf 'pid\tstart_ns\tend_ns\n1\t1\t2\nx\t1\t2\n' > "$file"; spoil "line 3 is no bookmark"
	printf 'pid\tstart_ns\tend_ns\n1\t1\t99999999999999999999\n' > "$file"; spoil "end_ns is '99999999999999999999', not a whole number"
	printf '\0\1\2' > "$file"; spoil "$file"
	: > "$file"; spoil "$file"
	echo nonsense > "$file"; spoil "a line with start_ns and end_ns must come first"
	head -c 5000000 /dev/zero > "$file"; spoil "over 4 MB long"
	rm "$file"; mkfifo "$file"; spoil() { holds "$(bookmarks run.sqlite add 7 8 7 k n w)" "$1" "file none"; }
	spoil "not a plain file"
	rm "$file"; mkdir "$file"; spoil "not a plain file"
}

@test "without a folder to keep them, bookmarks last as long as the session, and it is said why" {
	holds "$(XDG_STATE_HOME=relative HOME= bookmarks run.sqlite add 1 2 1 k n w)" "1..2 at 1 k n w" "file none" \
		"bookmarks are not saved: neither XDG_STATE_HOME nor HOME names a folder"
	holds "$(XDG_STATE_HOME= HOME=$PWD/home bookmarks run.sqlite add 1 2 1 k n w)" "file $PWD/home/.local/state/nsq/bookmarks/run.sqlite."
	touch file
	holds "$(XDG_STATE_HOME=$PWD/file bookmarks run.sqlite add 1 2 1 k n w)" "1..2 at 1 k n w" "file none" "Not a directory; it is left alone"
}

@test "what is typed to go somewhere" {
	same "1.5s: time 1500000100 1500000100 0
100: time 200 200 0
+20ms: time 1020000000 1020000000 0
-5ms: time 995000000 995000000 0
-5s: time -4000000000 -4000000000 0
 step 12 : step 0 0 12
step7: step 0 0 7
#3: step 0 0 3
5..6ms: window 5000100 6000100 0
..6ms: window -9223372036854775808 6000100 0
1s..: window 1000000100 9223372036854775807 0
+9223372036s: time 9223372036854775807 9223372036854775807 0" \
		"$(values place 1000000000 100 1.5s 100 +20ms -5ms -5s ' step 12 ' step7 '#3' 5..6ms ..6ms 1s.. +9223372036s)"
	same 12 "$(values place 0 0 '' ' ' x 1.5 -- +-1 'step' '#x' '#-1' .. 6..5ms 99999999999s | grep -c ': nothing ')"
}

@test "a command can be pasted into a shell" {
	same "nsq-gaps -w 5..9 -p 693:2 run.sqlite" "$(values command nsq-gaps 5 9 693:2 run.sqlite)"
	for name in "it's here.sqlite" '-x.sqlite' 'a$b`c`.sqlite' $'tab\there' $'esc\033[2J' '~x' 'a\b'; do
		command=$(values command count 5 9 1 "$name")
		lacks "$command" $'\033'
		count() { [ "$#" = 5 ] && case $5 in -*) false ;; *) [ "$5" -ef "$name" ] ;; esac; }
		touch -- "./$name"
		eval "$command"
	done
}

# marked TRACE PID GPU FROM TO: the sums of that time are what the commands print that y copies.
marked() {
	local of=(-q -w "$4..$5" -p "$2" -g "$3" "$1") said
	said=$(values range "$1" "$2" "$3" "$4" "$5")
	same "$(nsq-gaps --by cause "${of[@]}" | rows; nsq-kernels "${of[@]}" | rows)" "$(rows <<< "$said" | grep -v '^pid')"
	same "$(nsq-gaps "${of[@]}" | col busy_ns idle_ns)" "$(head -1 <<< "$said" | tr ' ' '\t')"
}

@test "busy, idle by cause and kernels of a marked time are the tools' numbers" {
	while read -r pid from to; do
		marked "$DUALPIPE" "$pid" 0 "$from" "$to"
	done < <(nsq-window --pick 2,3 "$DUALPIPE" | col pid start_ns end_ns)
}

@test "so they are across the first and the last work, and the ends of the trace" {
	for trace in "$DUALPIPE" "$COPIES" "$SCHED" "$FIXTURES/train-metrics.sqlite" "$FIXTURES/ddp-2rank.sqlite"; do
		while read -r pid gpu first last; do
			marked "$trace" "$pid" "$gpu" 0 $((first + 100000))
			marked "$trace" "$pid" "$gpu" $((last - 100000)) $((last + 1000000000))
			marked "$trace" "$pid" "$gpu" $((first - 1000)) $((last + 1000))
			holds "$(values range "$trace" "$pid" "$gpu" $((first - 1000)) $((last + 1000)))" edge
		done < <(nsq-gaps -q "$trace" | col pid gpu start_ns end_ns | head -2)
	done
}

@test "steps are those of nsq-window" {
	same "$(nsq-window -q -p 724 --skip 0 --pick all "$COMPILE"; nsq-window -q -p 724 --period --pick longest "$COMPILE")" \
		"$(values steps "$COMPILE" 724 | grep -v '^remark: ')"
	holds "$(values range "$TESTS/fixtures/train-ncu.csv" 1 0 0 1 || true)" "problem: " "train-ncu.csv"
}
