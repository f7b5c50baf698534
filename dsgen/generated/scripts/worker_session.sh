#!/usr/bin/env bash
# dsgen/scripts/worker_session.sh without its comments.



source "$DSGEN_ROOT/run/dsgen/env"
if [ -z "$SSH_ORIGINAL_COMMAND" ]; then
  exec bash -i # an interactive session of a user
fi
exec python3 -ESs "$DSGEN_ROOT/etc/dsgen/worker_session.py"
