#!/bin/bash
# The first `pdsh` in PATH. deepspeed treats a pdsh that was killed by a signal as a success, because it only checks for
# exit codes above 0. This script exits with 128 + the number of the signal instead, as shells do.
# DSGEN_PDSH is the real program.

trap 'signalled=1; kill -TERM "$child" 2>/dev/null' TERM INT

"$DSGEN_PDSH" "$@" </dev/null &
child=$!

# After a trapped signal, `wait` returns early with another code; the next `wait` returns that of the child.
signalled=1
while [ -n "$signalled" ]; do
  signalled=
  wait "$child"
  code=$?
done
exit "$code"
