# nsq-slice: part of a trace as a trace of its own, with the same answers and without what is private.
load ../helper

setup_file() { python3 "$TESTS/slice/plant.py" plant "$COPIES" "$BATS_FILE_TMPDIR/planted.sqlite"; }
setup() {
	cd "$BATS_TEST_TMPDIR"
	PLANTED=$BATS_FILE_TMPDIR/planted.sqlite
}

# Without the numbers of collectives, which a slice counts anew.
unnumbered() { awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seq") at = i } at { $at = "" } 1'; }
secrets() { python3 "$TESTS/slice/plant.py" find "$@"; }
q() { sqlite3 -readonly "$1" "$2"; }

@test "what tools say of the windows they say of the slice" {
	mkdir whole cut
	cp "$NODES" whole/t.sqlite
	nsq-window -q --pick 3..4 whole/t.sqlite | sed 's#whole/##' > windows
	(cd whole && nsq-slice -q -o ../cut/t.sqlite -w ../windows t.sqlite) > rows
	[ "$(stat -c %s cut/t.sqlite)" -lt $(($(stat -c %s whole/t.sqlite) / 4)) ]
	(cd cut && nsq-kernels -n 1 t.sqlite 2>&1 > /dev/null) | grep -q "'t.sqlite' is a slice"
	while IFS= read -r mode; do
		(cd whole && eval "nsq-$mode -q -w ../windows t.sqlite") > one
		(cd cut && eval "nsq-$mode -q -w ../windows t.sqlite") > two
		[ "$(wc -l < one)" -gt 1 ] || { echo "no rows: $mode"; false; }
		cmp one two || { echo "nsq-$mode"; diff one two | head -4; false; }
	done <<-'END'
		gaps --each
		gaps --merge --by cause,nvtx
		ledger --by owner,where,name
		stalls
		path --each
		nvtx --tree --captured
		kernels --by stream,nvtx
		api --launch
		streams
		find --at end
	END
}

@test "a slice says which windows it does not hold, and nothing of those that it does" {
	cp "$NODES" t.sqlite
	IFS=$'\t' read -r a b < <(nsq-window -q --pick 3 t.sqlite | cut -f3,4 | rows)
	nsq-slice -q -o cut.sqlite -w $((a += 1000)).."$b" t.sqlite > rows        # not a whole step
	answers nsq-gaps -w "$a..$b" cut.sqlite
	answers nsq-gaps -w $((a + 5))..$((b - 5)) cut.sqlite
	for w in $((a - 5)).."$b" "$a"..$((b + 5)) $((b + 5))..$((b + 1000)); do
		mentions "'cut.sqlite' is a slice and lacks part of $w ns: it holds windows such as $a..$b ns" -- nsq-gaps -w "$w" cut.sqlite
	done
	mentions "'cut.sqlite' is a slice" -- nsq-overlap --total -w $((b + 5))..$((b + 1000)) cut.sqlite
	mentions "'cut.sqlite' is a slice" -- nsq-sql "select count(*) from gaps" cut.sqlite
	asked nsq-gaps -w $((b + 5))..$((b + 1000)) t.sqlite
	lacks "$stderr" slice
	# merged windows are held, but not what lies between them
	nsq-window -q --pick 3,7 t.sqlite > windows
	nsq-slice -q --merge -o merged.sqlite -w windows > rows
	sed -i 's/t.sqlite$/merged.sqlite/' windows
	asked nsq-gaps --merge -w windows merged.sqlite
	lacks "$stderr" slice
	IFS=$'\t' read -r a b < <(nsq-window -q --pick 5 t.sqlite | cut -f3,4 | rows)
	mentions "'merged.sqlite' is a slice" -- nsq-gaps -w "$a..$b" merged.sqlite
}

@test "of a slice nsq-advise and nsq-report judge the steps that it holds whole, and no other" {
	cp "$NODES" t.sqlite
	nsq-window -q --pick 3..5 t.sqlite | nsq-slice -q -o whole.sqlite > rows
	nsq-window -q --pick 3..5 t.sqlite | awk -F'\t' -v OFS='\t' 'NR > 1 { $3 += 1000 } 1' | nsq-slice -q -o parts.sqlite > rows
	# a step is kept to the next one, also where the ranges are asked for, and so are the steps beside it
	asked nsq-window --pick all --period whole.sqlite
	same "$(nsq-window -q --pick 2..6 --period t.sqlite | cut -f1-10,14-16 | tail -n +2)" "$(cut -f1-10,14-16 <<< "$output" | tail -n +2)"
	asked nsq-advise -v --verdict whole.sqlite
	same 5 "$(col steps <<< "$output")"
	holds "$stderr" "'whole.sqlite' is a slice with 5 of " "-bound: the "
	same "$((($(nsq-window -q --period --pick 2..6 t.sqlite | nsq-gaps -q --merge | col busy_ns) + 2) / 5))" \
		"$(col busy_ns <<< "$output")"
	asked nsq-advise -v --verdict parts.sqlite
	same 1 "${#lines[@]}"
	holds "$stderr" "'parts.sqlite' is a slice with 0 of "
	lacks "$stderr" -bound
	nsq-report -q -o report parts.sqlite > rows
	lacks "$(cat report/report.md)" -bound "no GPU work"
	holds "$(cat report/report.md)" "There are no steps: the slice holds none whole."
	# each line is said once, and nothing of windows where only steps are looked at
	asked nsq-diff -v parts.sqlite whole.sqlite
	same 1 "$(grep -c "'parts.sqlite' is a slice" <<< "$stderr")"
	same 1 "$(grep -c "'whole.sqlite' is a slice" <<< "$stderr")"
	nsq-report -q --force -o report whole.sqlite > rows
	holds "$(cat report/report.md)" -bound
}

@test "hosts are numbered, and dates are left out; --keep host and clock keep them" {
	cp "$COPIES" t.sqlite
	sqlite3 t.sqlite "update TARGET_INFO_SYSTEM_ENV set value = 'node0' where name = 'Hostname';
		insert into TARGET_INFO_SYSTEM_ENV (globalVid, devStateName, nameEnum, name, value) values (2, 'x', 1, 'Hostname', 'node7'), (3, 'x', 1, 'Hostname', 'node0')"
	utc=$(q t.sqlite "select utcTime from TARGET_INFO_SESSION_START_TIME")
	host="select group_concat(value, ' ') from TARGET_INFO_SYSTEM_ENV where name = 'Hostname'" dates="select utcTime from TARGET_INFO_SESSION_START_TIME"
	nsq-slice -q -o none.sqlite t.sqlite > rows
	same "host1 host2 host1" "$(q none.sqlite "$host")"
	same "" "$(q none.sqlite "$dates")"
	same 0 "$(grep -ac "${utc%T*}" none.sqlite)"
	nsq-slice -q --keep host,clock -o kept.sqlite t.sqlite > rows
	same "node0 node7 node0" "$(q kept.sqlite "$host")"
	same "$utc" "$(q kept.sqlite "$dates")"
	# ranks of a job are put on one clock by what they do together, and stderr says so
	for i in 0 1; do nsq-slice -q -o $i.sqlite "$FIXTURES/collectives-rank$i.sqlite" > rows; done
	asked nsq-nccl 0.sqlite 1.sqlite
	holds "$stderr" "is shifted by"
}

@test "the model of a GPU is kept, as any generation is called, and nothing else that stands in its place" {
	for gpu in "NVIDIA H200" A100-SXM4-40GB H100-PCIE-80GB "Tesla V100-SXM2-16GB" gpu-of-alice A100-SXM4-alice; do
		rm -f out.sqlite
		nsq-slice -q -o out.sqlite "$(change "$COMPILE" "UPDATE TARGET_INFO_GPU SET name = '$gpu'")" > rows
		q out.sqlite "SELECT DISTINCT coalesce(name, '-') FROM TARGET_INFO_GPU"
	done > models
	same "NVIDIA H200,A100-SXM4-40GB,H100-PCIE-80GB,Tesla V100-SXM2-16GB,-,-" "$(paste -sd, models)"
}

@test "a slice of a job keeps who waits for whom" {
	mkdir whole cut
	cp "$DUALPIPE" whole/t.sqlite
	nsq-window -q whole/t.sqlite | sed 's#whole/##' > windows
	(cd whole && nsq-slice -q -o ../cut/t.sqlite -w ../windows t.sqlite) > rows
	for mode in "nccl --each" "overlap --total" "ledger --by owner"; do
		(cd whole && nsq-$mode -q -w ../windows t.sqlite) | unnumbered > one
		(cd cut && nsq-$mode -q -w ../windows t.sqlite) | unnumbered > two
		cmp one two || { echo "nsq-$mode"; diff one two | head -4; false; }
	done
}

@test "slices of the ranks of a job keep who waits for whom" {
	mkdir whole cut
	cp "$FIXTURES"/collectives-rank[13].sqlite whole
	cd whole
	for i in 1 3; do
		nsq-window -q --pick 4,8 collectives-rank$i.sqlite | tee w$i | nsq-slice -q --keep clock -o ../cut/collectives-rank$i.sqlite > /dev/null
		cat w$i
	done > ../windows
	nsq-nccl -q --each -w ../windows collectives-rank?.sqlite | unnumbered > one
	cd ../cut
	nsq-nccl -q --each -w ../windows collectives-rank?.sqlite | unnumbered > two
	cmp ../whole/one two
	same 4 "$(awk -F'\t' '$17 == "sendrecv" && $19 != "-"' two | wc -l)"
}

# bats test_tags=slow
@test "every tool in every mode says of slices of the fixtures what it says of them" {
	run "$TESTS/slice/sweep" -q "$NSQ_BIN" "$FIXTURES"
	echo "$output" | tail -20
	[ "$status" = 0 ]
}

@test "nothing private is in a slice, whether cut or only cleaned, free pages included" {
	nsq-slice -q -o whole.sqlite "$PLANTED" > rows
	nsq-window -q "$PLANTED" | nsq-slice -q -o cut.sqlite > rows
	same "" "$(secrets whole.sqlite NVTX_EVENTS PROCESSES)"      # without windows, that event is kept
	same "" "$(secrets cut.sqlite)"
	# the last part of a path is there, and the numbers of the row beside a secret
	same "pt_main_thread" "$(q whole.sqlite "select value from StringIds where value like '%pt_main_thread'")"
	same "$(q "$PLANTED" "select count(*) from CUPTI_ACTIVITY_KIND_RUNTIME")" "$(q whole.sqlite "select count(*) from CUPTI_ACTIVITY_KIND_RUNTIME")"
	# the search can find something
	[ -n "$(secrets "$PLANTED")" ]
}

# bats test_tags=more,long
@test "a secret in any one column of any table, as a text, as a blob or after a NUL, is in no slice" {
	for kind in text blob nul; do
		for f in $([ $kind = text ] && some_or_all "$COPIES" "$SAMPLES" "$FIXTURES/train-metrics.sqlite" || some_or_all "$COPIES"); do
			rm -f out.sqlite
			python3 "$TESTS/slice/plant.py" every $kind "$f" every.sqlite
			nsq-slice -q -o out.sqlite every.sqlite > rows
			# what events show, their payloads too, and what a program is called
			same "" "$(secrets out.sqlite NVTX_EVENTS.text NVTX_EVENTS.binaryData NVTX_PAYLOAD_SCHEMA_ENTRIES.name NVTX_PAYLOAD_ENUM_ENTRIES.name PROCESSES.name TARGET_INFO_GPU_METRICS.typeName TARGET_INFO_GPU_METRICS.metricName)"
			[ $kind != text ] || holds "$(secrets out.sqlite)" SECRET-NVTX_EVENTS.text
		done
	done
}

# bats test_tags=long
@test "statements in the text of a schema are not run, by any mode" {
	sqlite3 private.db "create table cookies (a); insert into cookies values ('SECRET-cookie')"
	n=0
	for then in "ATTACH 'made.db' AS z; CREATE TABLE z.t AS SELECT 1" "ATTACH 'private.db' AS z; CREATE TABLE main.stolen AS SELECT * FROM z.cookies" \
		"ATTACH 'private.db' AS z; DELETE FROM z.cookies" "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"; do
		# no quotes, with which a statement would be passed over
		then=$(python3 -c 'import re, sys; print(re.sub("\x27(.*?)\x27", lambda m: "char(%s)" % ",".join(str(ord(c)) for c in m[1]), sys.argv[1]))' "$then")
		cp "$COPIES" t.sqlite
		sqlite3 t.sqlite "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT); COMMIT; $then; BEGIN' WHERE name = 'META_DATA_EXPORT'"
		for mode in "" --check "-o out$((++n)).sqlite" "-w 0..1s"; do timeout 20 nsq-slice -q $mode t.sqlite > rows; done
		same "" "$(secrets out$n.sqlite)"
	done
	same "1 out3.sqlite" "$(q private.db "select count(*) from cookies") $(ls | grep -v 'rows\|t.sqlite\|private.db\|out[^3]')"
}

@test "what a later nsys adds is left out, and said to be" {
	nsq-slice -o out.sqlite "$PLANTED" > rows 2> err
	holds "$(cat err)" FUTURE_EVENTS "CUPTI_ACTIVITY_KIND_RUNTIME (arguments)"
	same "-" "$(awk -F'\t' '$8 == "FUTURE_EVENTS" { print $7 }' rows)"
	same "arguments" "$(awk -F'\t' '$8 == "CUPTI_ACTIVITY_KIND_RUNTIME" { print $9 }' rows)"
	same 0 "$(q out.sqlite "select count(*) from pragma_table_info('CUPTI_ACTIVITY_KIND_RUNTIME') where name = 'arguments'")"
	cp "$COPIES" t.sqlite
	sqlite3 t.sqlite "create table t (globalTid integer primary key, nameId) without rowid; insert into t select globalTid, max(nameId) from ThreadNames group by 1;
		drop table ThreadNames; alter table t rename to ThreadNames"
	nsq-slice t.sqlite > rows 2> err
	holds "$(cat err)" ThreadNames
	same "-" "$(awk -F'\t' '$8 == "ThreadNames" { print $7 }' rows)"
}

@test "--keep adds what it names; --names renames ranges and kernels alike" {
	nsq-slice -q --keep env,host -o host.sqlite "$PLANTED" > rows
	holds "$(secrets host.sqlite)" SECRET-HOST-Hostname SECRET-ENV-token GPU-5ec2e7aa
	lacks "$(secrets host.sqlite)" COMMAND home
	nsq-slice -q --keep command,paths -o command.sqlite "$PLANTED" > rows
	holds "$(secrets command.sqlite)" SECRET-PATH SECRET-home
	lacks "$(secrets command.sqlite)" HOST ENV-token 5ec2e7aa
	printf '%s\n' $'^decode (step)$\ttask of a \\1' $'^(.*)gemm\tmatrix product' > rules
	nsq-slice -q --names rules -o named.sqlite "$NODES" > rows
	[ "$(nsq-nvtx -q --exact -m '^task of a step$' named.sqlite | wc -l)" = 2 ]
	same 0 "$(q named.sqlite "select count(*) from StringIds where value like '%gemm%' or value like 'decode step%'")"
}

@test "--check lists what events show that looks private, and writes nothing" {
	cp "$NODES" t.sqlite
	sqlite3 t.sqlite "update NVTX_EVENTS set text = 'load /home/ann/model', textId = NULL where rowid = (select min(rowid) from NVTX_EVENTS where eventType = 59);
		update META_DATA_EXPORT set value = 'annes-node' where name = 'EXPORT_HOST';
		update NVTX_EVENTS set text = 'on annes-node', textId = NULL where rowid = (select max(rowid) from NVTX_EVENTS where eventType = 59)"
	nsq-slice -q --check t.sqlite > rows
	same $'path\t1\tNVTX_EVENTS.text\tload /home/ann/model' "$(grep 'load /home' rows | cut -f6-9)"
	same $'secret\t1\tNVTX_EVENTS.text\ton annes-node' "$(grep 'on annes' rows | cut -f6-9)"
	same t.sqlite "$(ls | grep -v rows)"
	# what a process is called is not a secret, though a command line begins with it
	same python3 "$(q t.sqlite "select value from META_DATA_CAPTURE where name = 'PROCESS_0:COMMAND'")"
	same 1 "$(cut -f6 rows | grep -c secret)"
	# words are looked at, wherever they are in a text
	i=0
	while IFS=$'\t' read -r kind text; do
		sqlite3 t.sqlite "update NVTX_EVENTS set text = '$text', textId = NULL where rowid = (select rowid from NVTX_EVENTS where eventType = 59 order by rowid limit 1 offset $((++i)))"
		printf '%s\tNVTX_EVENTS.text\t%s\n' "$kind" "$text" >> expected
	done < <(printf '%s\t%s\n' mail 'by ann.b@lab.org now' token my_api_key=3 token userPassword token 'x(hf_abcdefghijklmnop)' uuid 'on GPU-5ec2e7aa-1' \
		mac 'nic 02:42:ac:11:00:02' address 'at 10.20.30.40:80' address 'get https://x' path '-> ~/data/x' path 'in /etc/x/y' names 'version 1.2.3.4.5' names 'model/layer/1')
	nsq-slice -q --check t.sqlite > rows
	same "$(grep -v ^names expected | sort)" "$(grep -v "load\|annes" rows | awk -F'\t' -v OFS='\t' '$8 == "NVTX_EVENTS.text" && $6 != "names" { print $6, $8, $9 }' | sort)"
}

# bats test_tags=more,long
@test "--check takes time in proportion to the length of names and the number of secrets" {
	cp "$COMPILE" t.sqlite
	python3 - "$(if more; then echo 4; else echo 1; fi)" <<-'END'
		import sqlite3, sys
		c, n = sqlite3.connect("t.sqlite"), int(sys.argv[1])
		c.execute("update StringIds set value = ? || id where id % 2", ("a" * 5000 * n,))
		c.execute("update StringIds set value = ? || id where id % 2 = 0", ("a-b.c_" * 750 * n,))
		c.executemany("insert into TARGET_INFO_SYSTEM_ENV (globalVid, devStateName, nameEnum, name, value) values (1, 1, 1, 'ENV', ?)", (("a" * 60 + str(i),) for i in range(5000 * n)))
		c.commit()
	END
	timeout 20 nsq-slice -q --check t.sqlite > rows
}

@test "a slice is a valid export, the same bytes each time, whose tables have the columns and types of the trace" {
	nsq-window -q "$COPIES" > windows
	nsq-slice -q -o one.sqlite < windows > rows
	nsq-slice -q -j 3 -o two.sqlite < windows > rows
	cmp one.sqlite two.sqlite
	same ok "$(q one.sqlite "pragma integrity_check")"
	same 0 "$(q one.sqlite "pragma freelist_count")"
	columns="select m.name, p.name, upper(p.type), p.\"notnull\", p.pk from sqlite_master m, pragma_table_info(m.name) p where m.name in ('CUPTI_ACTIVITY_KIND_KERNEL', 'StringIds', 'PROCESSES')"
	same "$(q "$COPIES" "$columns" | sort)" "$(q one.sqlite "$columns" | sort)"
	# every string that is referred to is there, and no other
	same 0 "$(q one.sqlite "select count(*) from CUPTI_ACTIVITY_KIND_RUNTIME where nameId not in (select id from StringIds)")"
}

# bats test_tags=long
@test "the queries of others' programs find what they need in a slice, and the same answers for its windows" {
	for f in decode-graph-nodes threads-samples train-metrics train-allocs; do
		rm -f cut.sqlite
		read -r a b c d < <(nsq-window -q "$FIXTURES/$f.sqlite" | tee windows | cut -f3,4,6,7 | rows | tr '\t' ' ')
		nsq-slice -q --keep clock -o cut.sqlite < windows > rows
		for t in "$FIXTURES/$f.sqlite" cut.sqlite; do
			printf '%s\n' ".parameter set :a $a" ".parameter set :b $b" ".parameter set :c $c" ".parameter set :d $d" \
				| cat - "$TESTS/slice/queries.sql" | sqlite3 -readonly "$t" 2>&1 || true     # some tables it has not
		done > answers
		n=$(($(wc -l < answers) / 2))
		[ "$n" -gt 40 ]
		diff <(head -n "$n" answers) <(tail -n "$n" answers) || { echo "$f"; false; }
	done
	# no column is missing that the table has, unless nobody knows it
	same "" "$(q cut.sqlite "attach '$FIXTURES/train-allocs.sqlite' as w; select m.name, p.name from sqlite_master m, pragma_table_info(m.name, 'w') p
		except select m.name, p.name from sqlite_master m, pragma_table_info(m.name) p")"
}

@test "nsys stats reads a slice" {
	command -v nsys > /dev/null || skip "no nsys"
	nsq-window -q "$NODES" | nsq-slice -q -o out.sqlite > rows
	reports=cuda_gpu_kern_sum,cuda_api_sum,nvtx_sum
	nsys stats --help-reports 2>&1 | grep -q cuda_api_sum || reports=gpukernsum,cudaapisum,nvtxsum    # until 2022
	nsys stats --report $reports --format csv out.sqlite > stats
	holds "$(cat stats)" cudaGraphLaunch
	same "$(nsq-kernels -q --each out.sqlite | tail -n +2 | wc -l)" "$(awk -F , '/Instances/ { on = 1; next } !NF { on = 0 } on { n += $3 } END { print n + 0 }' <(sed '/Processing.*api/,$d' stats))"
}

@test "the trace is never touched, under whatever name, and nothing is left of a slice that fails" {
	cp "$COPIES" t.sqlite
	before=$(sha256sum t.sqlite)
	ln -s t.sqlite link.sqlite
	ln t.sqlite hard.sqlite
	for name in t link hard ./t; do
		fails 2 "'$name.sqlite'" -- nsq-slice -q --force -o "$name.sqlite" t.sqlite
	done
	same "$before" "$(sha256sum t.sqlite)"
	rm link.sqlite hard.sqlite
	# an older slice is replaced, but not one that is read
	nsq-slice -q -o s.sqlite t.sqlite > /dev/null
	fails 2 "'s.sqlite' exists; --force replaces it" -- nsq-slice -q -o s.sqlite t.sqlite
	nsq-window -q t.sqlite | nsq-slice -q --force -o s.sqlite > /dev/null
	[ "$(q s.sqlite "select count(*) from NSQ_SLICE")" -gt 0 ]
	ln -s s.sqlite link.sqlite
	ln s.sqlite hard.sqlite
	for name in s link hard ./s; do
		fails 2 "'$name.sqlite' is the trace itself" -- nsq-slice -q --force -o "$name.sqlite" s.sqlite
	done
	fails 2 "is a trace, which is never replaced" -- nsq-export -q --force -o hard.sqlite t.sqlite
	rm s.sqlite link.sqlite hard.sqlite
	mkdir none
	asked nsq-slice -q -o none/x/out.sqlite t.sqlite
	same "1 nsq-slice: cannot write 'none/x/out.sqlite': No such file or directory" "$status $stderr"
	# a disk that is full: a limit on the size of files
	asked bash -c "trap '' XFSZ; ulimit -f 100; exec nsq-slice -q -o out.sqlite t.sqlite"
	holds "$status $stderr" "1 nsq-slice: cannot write 'out.sqlite': "
	same "none t.sqlite" "$(ls -A | tr '\n' ' ' | sed 's/ *$//')"
	fails 2 "a slice is of one trace" -- nsq-slice -q -o out.sqlite t.sqlite "$NODES"
	fails 2 "'--force' has no effect without '-o'" -- nsq-slice --force t.sqlite
}

@test "a slice and its name are on the disk; nothing is left in a read-only folder; a trace may be open elsewhere" {
	cp "$COPIES" t.sqlite
	command -v strace > /dev/null || skip "no strace"
	strace -f -y -e trace=fsync,renameat2 -o calls nsq-slice -q -o out.sqlite t.sqlite > rows
	same "fsync renameat2 fsync" "$(grep -oE '(fsync|renameat2)\(' calls | tr -d '(' | xargs)"
	holds "$(grep fsync calls | tail -1)" "$PWD>"
	# another program has the trace open and locked
	before=$(sha256sum < t.sqlite)
	python3 - <<-'END'
		import sqlite3, subprocess
		c = sqlite3.connect("t.sqlite", isolation_level=None)
		c.execute("begin exclusive")
		subprocess.run("nsq-slice -q -o other.sqlite t.sqlite > rows", shell=True, check=True)
	END
	cmp out.sqlite other.sqlite
	same "$before" "$(sha256sum < t.sqlite)"
	# a folder that cannot be written to
	[ "$(id -u)" = 0 ] && unshare -m true 2> /dev/null || skip "not root, so no mounts"
	mkdir f
	ro() { unshare -m sh -c 'mount --bind f f && mount -o remount,ro,bind "$PWD/f" && exec "$@"' ro "$@"; }
	asked ro nsq-slice -q -o f/out.sqlite t.sqlite
	same "1 nsq-slice: cannot write 'f/out.sqlite': Read-only file system" "$status $stderr"
	same "" "$(ls -A f)"
}

@test "rows that only SQLite can read are chosen in the order of their ids, whatever index there is" {
	cp "$SAMPLES" a.sqlite
	sqlite3 a.sqlite "UPDATE OSRT_API SET end = end + 0.5 WHERE rowid = 1"
	cp a.sqlite b.sqlite
	sqlite3 b.sqlite "CREATE INDEX i ON OSRT_API (globalTid, start, end)"
	for t in a b; do nsq-slice -q -w 200ms..300ms -o $t.slice.sqlite $t.sqlite > /dev/null; done
	same "$(sql a.slice.sqlite "SELECT * FROM OSRT_API ORDER BY rowid")" "$(sql b.slice.sqlite "SELECT * FROM OSRT_API ORDER BY rowid")"
	[ "$(sql b.slice.sqlite "SELECT count(*) FROM OSRT_API")" -gt 10 ]
}
