"""PYTHONPATH=tests python3 -m oracle QUESTION ARGUMENT...: what the module of that name answers."""
import importlib
import signal
import sys

signal.signal(signal.SIGPIPE, signal.SIG_DFL)
sys.exit(importlib.import_module("oracle." + sys.argv[1]).main(sys.argv[2:]))
