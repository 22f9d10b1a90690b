#!/usr/bin/env bash
# Which kernels take the time, and in which range?
#
# fixture:
# read:  one row per range and kernel, longest first, over the steady steps. Say here what the numbers mean for the
#        question above, which of them are good, and which are not.
# next:  gpu-starved; nsq-kernels --full, for template arguments.
takes=nsq-kernels                   # the tool whose options it takes
. "$(nsq recipe --lib)"             # what recipes share; its comments explain steps, answer and the rest
steps                               # nsq-window --pick all --steady --period
answer nsq-kernels --merge --by nvtx,name -n 10
