"""A second reading of traces: what the tools should answer, from share/conventions, in Python as plain and as slow as that.

trace.py reads a trace; each other module answers one question of it.  Nothing here is shared with nsq.  Places marked TIE
decide what the conventions leave open, as the tools do.  Tests ask on the command line (__main__.py) or import a module.
"""
