#!/bin/sh
# The command of the status container. It is a native sidecar, which would be restarted forever if it ended: without
# python3, it writes the reason for the launcher, which then ends the run, and waits.

run=$DSGEN_ROOT/run/dsgen
scripts=$DSGEN_ROOT/etc/dsgen

# shellcheck source-path=SCRIPTDIR source=../shared/python.sh
if (. "$scripts/shared/python.sh"); then
  exec python3 -ESs "$scripts/status/main.py"
fi
cp "$DSGEN_ROOT/dev/termination-log" "$run/no-python"
trap 'exit 0' TERM
while :; do
  sleep 3600 &
  wait $!
done
