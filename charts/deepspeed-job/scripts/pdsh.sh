#!/bin/bash
# Stands first in PATH as `pdsh`: deepspeed takes a pdsh that was killed by a signal for a success, since it only asks for an
# exit code above 0. Here such an end becomes 128 + the signal's number, as every shell reports it.
# DSGEN_PDSH is the real program.

"$DSGEN_PDSH" "$@" </dev/null &
child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM INT

# A trapped signal ends `wait` early: then the child still runs.
wait "$child"
code=$?
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  code=$?
done
exit "$code"
