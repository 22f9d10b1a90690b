# Drives nsq-tui in a tmux of its own, for tests: `load helper` beside `load ../helper`.
#
#     tui 80x24 nsq-tui run.sqlite       starts it, with a clean environment
#     shows "step 3"                     waits until the screen has that text
#     press Right Right + B              sends keys, by tmux's names; type TEXT sends characters
#     ends 0                             presses q, and waits until it has ended with that code
#
# Nothing depends on how fast the machine is: what is waited for comes, or the test fails after a time that is long for
# any machine.

TUI_PATIENCE=${TUI_PATIENCE:-60}        # seconds

needs_tmux() { command -v tmux > /dev/null || skip "no tmux"; needs_terminal; }

# A server that ends may still be there when the next one starts, so each has a name of its own.
tm() { tmux -f /dev/null -L "$TUI_NAME" "$@"; }

# tui WIDTHxHEIGHT [NAME=VALUE...] COMMAND...: as a shell of the user would start it, in the test's folder.  What it prints
# in the end, its code and the terminal's settings before and after go to files.
tui() {
	local size=$1 word line=
	shift
	tui_stop                # the one before
	TUI_NAME=nsq-$BATS_TEST_NUMBER-$BASHPID-$((TUI_COUNT += 1))
	TUI_AT=$BATS_TEST_TMPDIR/tui
	mkdir -p "$TUI_AT"
	rm -f "$TUI_AT"/code
	for word in env -i "PATH=$PATH" "HOME=$BATS_TEST_TMPDIR" "XDG_STATE_HOME=$BATS_TEST_TMPDIR/state" TERM=tmux-256color \
		LC_ALL=C.UTF-8 ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} "$@"; do
		line+=" $(printf %q "$word")"
	done
	cat > "$TUI_AT/run" <<-END
		cd $(printf %q "$PWD")
		stty -a > $(printf %q "$TUI_AT/before")
		$line
		echo \$? > $(printf %q "$TUI_AT/code.new")
		stty -a > $(printf %q "$TUI_AT/after")
		mv $(printf %q "$TUI_AT/code.new") $(printf %q "$TUI_AT/code")
		exec sleep $((TUI_PATIENCE * 4))
	END
	tm new-session -d -x "${size%x*}" -y "${size#*x}" "exec bash $(printf %q "$TUI_AT/run")" \; set -g status off \
		\; set -g remain-on-exit on 3>&-       # bats waits for whoever has that file open
}

tui_stop() { [ -z "${TUI_AT-}" ] || tm kill-server 2> /dev/null || true; }

# screen: what it shows now.
screen() { tm capture-pane -p "$@"; }

press() { tm send-keys "$@"; }
type() { tm send-keys -l -- "$1"; }

# until_true COMMAND...: waits for it.
until_true() {
	local end=$((SECONDS + TUI_PATIENCE))
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || { printf "not within %s s: %s\n" "$TUI_PATIENCE" "$*"; screen | head -40; return 1; }
		sleep 0.02
	done
}

screen_holds() {
	local seen part
	seen=$(screen)
	for part; do case $seen in *"$part"*) ;; *) return 1 ;; esac; done
}

# shows PART...: waits until all of them stand on the screen.
shows() { until_true screen_holds "$@"; }

screen_lacks() { case $(screen) in *"$1"*) return 1 ;; esac; }

# hides PART: waits until it does not stand there.
hides() { until_true screen_lacks "$1"; }

# ends CODE [KEY...]: presses the keys (q), and waits until the command has ended with that code, the terminal as it was.
ends() {
	local code=$1
	shift
	[ $# -gt 0 ] || set -- q
	press "$@"
	until_true test -e "$TUI_AT/code"
	same "$code" "$(cat "$TUI_AT/code")"
	left_alone
}

# settings FILE: those of the terminal but its size.
settings() { sed 's/ rows [0-9]*; columns [0-9]*;//' "$TUI_AT/$1"; }

# left_alone: the terminal is as it was before, and shows its lines.
left_alone() {
	same "$(settings before)" "$(settings after)"
	same "0 1 0" "$(tm display -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')"
}

PRESSED=()

# does LABEL KEYS TEXT...: the keys of that line of the help bring these texts to the screen, which did not show all before.
does() {
	local keys
	PRESSED+=("$1")
	read -ra keys <<< "$2"
	shift 2
	if screen_holds "$@"; then printf 'shown before %s: %s\n' "${keys[*]}" "$*"; return 1; fi
	press "${keys[@]}"
	shows "$@" || { printf 'pressed %s\n' "${keys[*]}"; return 1; }
}

# moment NS, amount NS: as the screen has them.
moment() { printf '%d.%09d s\n' $(($1 / 1000000000)) $(($1 % 1000000000)); }
amount() {
	awk -v x="$1" 'BEGIN { if (x < 1000) printf "%d ns", x; else if (x < 1e6) printf "%.3f us", x / 1e3
		else if (x < 1e9) printf "%.3f ms", x / 1e6; else printf "%.3f s", x / 1e9 }'
}

# help_keys: the labels of the keys that the help lists, on a screen of 120 columns that shows all of it.
help_keys() {
	screen | sed -n '/Keys: up and down/,/q  *quit/p' | tail -n +2 | LC_ALL=C.UTF-8 sed -nE 's/^.{23}  ([^ ].{12}).*/\1/; T; s/ +$//; p'
}
