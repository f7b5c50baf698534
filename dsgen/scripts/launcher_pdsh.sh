#!/bin/bash
# Stands first in PATH as `pdsh`: deepspeed takes a pdsh that was killed by a signal for a success, since it only asks for an
# exit code above 0. Here such an end becomes 128 + the signal's number, as every shell reports it.
# DSGEN_PDSH is the real program.

trap 'signalled=1; kill -TERM "$child" 2>/dev/null' TERM INT

"$DSGEN_PDSH" "$@" </dev/null &
child=$!

# A trapped signal ends `wait` early, with a code of its own; the next one has the child's.
signalled=1
while [ -n "$signalled" ]; do
  signalled=
  wait "$child"
  code=$?
done
exit "$code"
