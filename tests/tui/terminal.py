#!/usr/bin/env python3
"""Runs nsq-tui on a pseudo-terminal and does to it what tmux cannot.

    terminal.py CASE COMMAND...

CASE is a signal (TERM, SEGV, ...): it is sent once the screen is drawn, and the terminal must be as it was; `hangup`:
the terminal is closed; `deaf`: the same while SIGHUP is ignored; `suspend`: Ctrl-Z, then fg; `kill-suspended`: ended
while it is stopped, which must not touch the terminal; `apart`: the terminal is not the one that controls it.  Prints
"ok", or what is wrong.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = float(os.environ.get("TUI_PATIENCE", 60))
LEAVE = b"\x1b[?1049l"


def heed():
    """No signal is ignored, as it may be where the tests run."""
    for sig in signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP, signal.SIGTTOU, signal.SIGTTIN:
        signal.signal(sig, signal.SIG_DFL)


class Child:
    def __init__(self, command, prepare=lambda: None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave              # kept open: a shell that stays there
        self.seen = b""
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in 0, 1, 2:
                os.dup2(slave, fd)
            os.close(self.master)
            os.close(slave)
            heed()
            prepare()
            os.execvp(command[0], command)

    def read(self):
        if select.select([self.master], [], [], 0.05)[0]:
            try:
                self.seen += os.read(self.master, 65536)
            except OSError:
                pass

    def until(self, what, test):
        end = time.monotonic() + PATIENCE
        while not test():
            if time.monotonic() > end:
                sys.exit(f"not within {PATIENCE} s: {what}; seen: {self.seen[-2000:]!r}")
            self.read()

    def drawn(self, text):
        self.until(f"the screen shows {text!r}", lambda: text in self.seen)

    def state(self, flags=os.WNOHANG):
        pid, status = os.waitpid(self.pid, flags)
        return status if pid else None

    def ended(self):
        got = []
        self.until("it ends", lambda: got.append(self.state()) or got[-1] is not None)
        return got[-1]

    def restored(self, when):
        now = termios.tcgetattr(self.slave)
        if now != self.before:
            sys.exit(f"{when}: the terminal's settings are not those of before: {now[:4]}, {self.before[:4]}")
        self.until(f"{when}: the other screen is left", lambda: LEAVE in self.seen)


def killed_by(sig, command):
    c = Child(command)
    c.drawn(b"quit")
    if termios.tcgetattr(c.slave) == c.before:
        sys.exit("it did not change the terminal's settings, so this tests nothing")
    os.kill(c.pid, sig)
    status = c.ended()
    if sig == signal.SIGBUS:            # a trace that cannot be read any more is an error, which is said
        c.drawn(b"the trace changed or its disk failed")
        if status != 256 or c.seen.rindex(LEAVE) > c.seen.rindex(b"the trace changed"):
            sys.exit(f"{sig}: ended with status {status}, or spoke before it left the screen")
    elif not os.WIFSIGNALED(status) or os.WTERMSIG(status) != sig:
        sys.exit(f"{sig}: ended with status {status}")
    c.restored(f"after signal {sig}")


def apart(command):
    """A terminal on standard output, but none that keys can come from."""
    master, slave = pty.openpty()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(slave, 1)
        os.dup2(slave, 2)
        os.execvp(command[0], command)
    status = os.waitpid(pid, 0)[1]
    said = os.read(master, 65536)
    if status != 512 or b"cannot open the terminal" not in said or b"\x1b[?1049h" in said:
        sys.exit(f"status {status}: {said!r}")


def without_terminal(command, prepare=lambda: None):
    """What becomes of it when its terminal is closed."""
    c = Child(command, prepare)
    c.drawn(b"quit")
    os.close(c.slave)
    os.close(c.master)                  # the kernel sends SIGHUP to the session's leader
    end = time.monotonic() + PATIENCE
    while (status := c.state()) is None:
        if time.monotonic() > end:
            os.kill(c.pid, signal.SIGKILL)
            sys.exit("it goes on without its terminal")
        time.sleep(0.02)
    return status


def hangup(command):
    status = without_terminal(command)
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGHUP:
        sys.exit(f"hangup: ended with status {status}")


def deaf(command):
    status = without_terminal(command, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    if os.WIFSIGNALED(status):
        sys.exit(f"ended by signal {os.WTERMSIG(status)}")


class Job(Child):
    """A job of a shell: a process group of its own in the foreground of this session's terminal."""

    def __init__(self, command):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.seen = b""
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        self.pid = os.fork()
        if self.pid == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(self.slave, os.getpid())
            heed()
            for fd in 0, 1, 2:
                os.dup2(self.slave, fd)
            os.close(self.master)
            os.close(self.slave)
            os.execvp(command[0], command)

    def stop(self):
        got, typed = [], [0.0]

        def stopped():
            if time.monotonic() > typed[0] + 1:         # ncurses ignores the key while it draws
                os.write(self.master, b"\x1a")
                typed[0] = time.monotonic()
            self.read()
            got.append(self.state(os.WNOHANG | os.WUNTRACED))
            return got[-1] is not None
        self.until("it stops", stopped)
        status = got[-1]
        if not os.WIFSTOPPED(status):
            sys.exit(f"Ctrl-Z: status {status}")
        os.tcsetpgrp(self.slave, os.getpid())   # as the shell does
        self.restored("while it is stopped")


def suspend(command):
    c = Job(command)
    c.drawn(b"quit")
    for _ in range(2):
        c.stop()
        c.seen = b""
        os.tcsetpgrp(c.slave, c.pid)
        os.kill(-c.pid, signal.SIGCONT)
        c.drawn(b"quit")              # drawn again, on the other screen
        if b"\x1b[?1049h" not in c.seen:
            sys.exit("fg: not on the other screen")
    os.write(c.master, b"q")
    status = c.ended()
    if status != 0:
        sys.exit(f"after fg and q: status {status}")
    c.restored("after fg and q")


def kill_suspended(command):
    c = Job(command)
    c.drawn(b"quit")
    c.stop()
    mode = termios.tcgetattr(c.slave)
    mode[3] &= ~termios.ECHO            # as a shell that edits its line has it
    termios.tcsetattr(c.slave, termios.TCSANOW, mode)
    mode = termios.tcgetattr(c.slave)
    c.seen = b""
    os.kill(-c.pid, signal.SIGTERM)
    os.kill(-c.pid, signal.SIGCONT)
    status = c.ended()
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGTERM:
        sys.exit(f"ended while stopped: status {status}")
    if termios.tcgetattr(c.slave) != mode:
        sys.exit("ended in the background, it changed the terminal of the shell")


def main():
    case, command = sys.argv[1], sys.argv[2:]
    named = {"hangup": hangup, "deaf": deaf, "suspend": suspend, "kill-suspended": kill_suspended, "apart": apart}
    if case in named:
        named[case](command)
    else:
        killed_by(signal.Signals["SIG" + case], command)
    print("ok")


main()
