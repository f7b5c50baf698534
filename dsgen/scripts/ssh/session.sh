#!/usr/bin/env bash
# sshd runs this script for every session (ForceCommand). It sets the environment of the worker, because sshd starts
# with an empty one, and executes the supervisor of the command. The source is at top level, because the file contains
# declare -x.
# shellcheck source=/dev/null
source "$DSGEN_ROOT/run/dsgen/env"
case $SSH_ORIGINAL_COMMAND in
  '') exec bash -i ;; # an interactive session of a user
  ': dsgen; '*) # of the launcher, and ends by itself: no supervisor, which is an interpreter more
    [ ! -e "$DSGEN_ROOT/run/dsgen/terminating" ] || exit 255
    exec bash -c "$SSH_ORIGINAL_COMMAND"
    ;;
esac
exec python3 -ESs "$DSGEN_ROOT/etc/dsgen/shared/run.py" "$DSGEN_ROOT/etc/dsgen/ssh/session.py"
