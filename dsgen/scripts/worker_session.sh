#!/usr/bin/env bash
# What sshd runs for every session (ForceCommand): gives it the worker's environment, because sshd starts with an empty
# one, and hands the command to its supervisor. Sourced at top level: export -p writes declare -x.
# shellcheck source=/dev/null
source "$DSGEN_ROOT/run/dsgen/env"
if [ -z "$SSH_ORIGINAL_COMMAND" ]; then
  exec bash -i # a person looks around
fi
exec python3 -ESs "$DSGEN_ROOT/etc/dsgen/worker_session.py"
