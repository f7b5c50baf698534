#!/usr/bin/env bash
# sshd runs this script for every session (ForceCommand). It sets the environment of the worker, because sshd starts
# with an empty one, and executes the supervisor of the command. The source is at top level, because the file contains
# declare -x.
# shellcheck source=/dev/null
source "$DSGEN_ROOT/run/dsgen/env"
if [ -z "$SSH_ORIGINAL_COMMAND" ]; then
  exec bash -i # an interactive session of a user
fi
exec python3 -ESs "$DSGEN_ROOT/etc/dsgen/worker/session.py"
