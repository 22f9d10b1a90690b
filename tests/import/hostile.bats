# Damaged and hostile traces of torch.profiler (hostile.py): each is imported as far as it goes, or refused in one line.
load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	export XDG_CACHE_HOME=$PWD/cache
}

# bats test_tags=more,long
@test "what is whole is imported, with a warning; what is something else is refused in one line" {
	(cd "$TESTS/import" && python3 hostile.py "$BATS_TEST_TMPDIR")
	n=0
	while IFS=$'\t' read -r file code kernels words; do
		n=$((n + 1))
		echo "$file"
		run -"$code" --separate-stderr nsq-import -o out.sqlite "$file"
		case $words in -) ;; '') same "" "$stderr" ;; *) holds "$stderr" "'$file'" "$words" ;; esac
		if [ "$code" -ne 0 ]; then
			same 1 "${#stderr_lines[@]}"
			same "" "$(ls -d out.sqlite* 2> /dev/null)"
			continue
		fi
		read -rd '' whole some wrong < <(sql out.sqlite 'PRAGMA integrity_check; SELECT count(*), total(start < 0 OR end < start) FROM CUPTI_ACTIVITY_KIND_KERNEL') || :
		same "ok 0.0" "$whole $wrong"
		[ "$kernels" = - ] || same "$kernels" "$some"
		[ "$some" -gt 0 ]
		# whoever uses the imported file later can find out what it lacks
		case $words in ''|-) ;; *) nsq-setup -q --facts out.sqlite | grep -q "^suspicious.diagnostic.*$words" ;; esac
		mapfile -t tools < <(more || [ $((n % 5)) = 0 ] || exit 0; first_few 1 advise setup kernels nvtx 'gaps --each' 'api --by thread')
		for tool in "${tools[@]}"; do nsq-$tool -q out.sqlite > table || [ $? -le 3 ]; done
		rm out.sqlite
	done < list.tsv
	[ "$n" -gt 40 ]
}

@test "a file that is no JSON is refused as before, and a table stays one" {
	nsq-kernels -q -f jsonl "$COMPILE" > table.jsonl
	same "$(nsq-kernels -q "$COMPILE" | count)" "$(nsq-sql -q 'SELECT * FROM t' table.jsonl | count)"
	echo '{"a": 1}' > a.json
	fails 1 "'a.json'" -- nsq-kernels a.json
	# what nsq-export writes is for Perfetto, and may be replaced; a trace may not
	nsq-export -q -o out.json "$COMPILE"
	fails 1 "is no trace of torch.profiler" -- nsq-kernels out.json
	nsq-export -q --force -o out.json "$COMPILE"
	cp "$FIXTURES/kineto/graph.json.gz" trace.json.gz
	fails 2 "'trace.json.gz' is a trace, which is never replaced" -- nsq-export --force -o trace.json.gz "$COMPILE"
}

@test "asked to stop, it leaves nothing" {
	python3 - <<- 'END'
		import json
		head, one = '{"traceEvents": [', json.dumps({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"device": 0}})
		with open("big.json", "w") as f:
		    f.write(head + ",".join([one] * 400000) + "]}")
	END
	nsq-import big.json & pid=$!
	until [ -n "$(ls -d big.sqlite.*.part 2> /dev/null)" ]; do kill -0 $pid; sleep 0.01; done
	kill -TERM $pid
	wait $pid && rc=0 || rc=$?
	same 143 $rc
	same big.json "$(ls)"
}

# bats test_tags=slow
@test "memory stays below 300 MB, whatever the size of the file and the names in it" {
	case $NSQ_CFLAGS in *-fsanitize*) skip "a sanitizer needs memory of its own" ;; esac
	python3 - <<- 'END'
		import json
		def event(i, name):
		    return json.dumps({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": i, "dur": 1, "args": {"device": 0, "stream": 7, "x": [0] * 100}})
		with open("names.json", "w") as f:
		    f.write('{"traceEvents": [' + ",".join(event(i, f"{i} " + "x" * 100000) for i in range(1500)) + "]}")
		with open("events.json", "w") as f:
		    f.write('{"traceEvents": [' + ",".join(event(i, f"k{i}") for i in range(400000)) + "]}")
		with open("list.json", "w") as f:
		    f.write('{"traceEvents": [' + event(1, "k") + ', {"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1, "args": {"x": [' + "0," * 2000000 + "0]}}]}")
	END
	while read -r file kernels names; do
		(ulimit -v 300000 && nsq-import "$file.json")
		same "$kernels $names" "$(sql "$file.sqlite" 'SELECT count(*), count(DISTINCT value) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName' | xargs)"
		same "$names" "$(nsq-kernels -q --full "$file.sqlite" | count)"
	done <<< $'names 1500 1500\nevents 400000 400000\nlist 2 1'
}
