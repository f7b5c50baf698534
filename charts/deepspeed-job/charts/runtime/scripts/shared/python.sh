#!/bin/sh
# Exits with 78 if the image has no python3, or one that is too old for dsgen. The commands of all containers source it:
# shared/start.sh after training.setup, status/start.sh in a subshell.

if ! command -v python3 >/dev/null; then
  dsgen_problem='there is no python3 in this image (3.8 or later): add it to the image or install it in training.setup'
elif case $(readlink -f "$(command -v python3)" 2>/dev/null) in
  # The name of the file says it, so the interpreter need not be started for this.
  */python3.[89] | */python3.[1-9][0-9]) false ;;
  *) ! python3 -ESsc 'import sys; sys.exit(sys.version_info < (3, 8))' ;;
esac then
  dsgen_problem="dsgen needs Python 3.8 or later, and python3 of this image is $(python3 -V 2>&1): choose another image"
else
  dsgen_problem=
fi
if [ -n "$dsgen_problem" ]; then
  echo "[dsgen] $dsgen_problem" | tee "$DSGEN_ROOT/dev/termination-log" >&2
  exit 78
fi
