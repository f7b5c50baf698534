#!/bin/bash
# dsgen/scripts/launcher_pdsh.sh without its comments.



trap 'signalled=1; kill -TERM "$child" 2>/dev/null' TERM INT

"$DSGEN_PDSH" "$@" </dev/null &
child=$!


signalled=1
while [ -n "$signalled" ]; do
  signalled=
  wait "$child"
  code=$?
done
exit "$code"
