#!/usr/bin/env bash
# The command of workers and launcher: sources training.setup, so that its variables, limits, umask and directory apply
# to everything that follows, and then executes the program of the role in this process. A launcher that starts no
# program has the argument --without-setup.

dsgen_run=$DSGEN_ROOT/run/dsgen
dsgen_scripts=$DSGEN_ROOT/etc/dsgen
dsgen_message=$DSGEN_ROOT/dev/termination-log

# Copies standard input to standard output, and its last lines to a file. It does not keep all lines, because a
# background process of setup may print until the pod ends.
dsgen_keep_tail() {
  tee >(exec tail -n 20 >"$1")
  wait $! 2>/dev/null # bash may warn that it has no record of a process that has ended already
}

# Restores the output of the container. Waits for the tail, but not for a background process that holds it open.
dsgen_release_output() {
  exec >&"$dsgen_output" 2>&"$dsgen_errors" {dsgen_output}>&- {dsgen_errors}>&-
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$dsgen_tail" 2>/dev/null || return
    sleep 0.1
  done
}

# Reports a failed setup in the log and in the pod's status, and exits with 1, whatever its exit code was: with 0, a
# worker would count as completed and would not be replaced, and a launcher would report a successful training.
dsgen_setup_failed() {
  local code=$1 reason
  trap - EXIT TERM USR1
  set +eux
  dsgen_release_output
  if [ -n "$dsgen_terminated" ]; then
    echo '[dsgen] told to stop during training.setup' >&2
    builtin exit 143
  fi
  reason="training.setup ended with exit code $code before its last line; its last lines:"
  if [ -n "$dsgen_stopped" ]; then
    read -r code reason <"$dsgen_run/setup-stop"
    case $code in
      0 | 75)
        echo "[dsgen] training.setup was ended: $reason" | tee "$dsgen_message" >&2
        builtin exit "$code"
        ;;
    esac
  fi
  printf '[dsgen] %s\n' "$reason" >&2
  sed 's/^/[dsgen] | /' "$dsgen_run/setup.tail" >&2
  rm -rf "$dsgen_run/setup-failed" # setup may have created anything there
  { echo "$reason"; tail -c 3000 "$dsgen_run/setup.tail"; } | tee "$dsgen_run/setup-failed" >"$dsgen_message"
  builtin exit 1
}

# Replaces exit in setup, which may have its own EXIT trap. In subshells, it is the ordinary exit.
# shellcheck disable=SC2329 # setup calls it
exit() {
  local code=$?
  [ $# = 0 ] || code=$1
  [ "$BASH_SUBSHELL" = 0 ] || builtin exit "$code"
  dsgen_setup_failed "$code"
}

# The launcher's run cannot be recorded if the image of the status container has no python3.
if [ -s "$DSGEN_ROOT/run/dsgen-status/no-python" ]; then
  tee "$dsgen_message" <"$DSGEN_ROOT/run/dsgen-status/no-python" >&2
  builtin exit 78
fi

# The files of a Secret cannot belong to one user, and an fsGroup makes them readable for its group. So where this is
# root, the folder around the volume is for root only, before anything else runs.
[ "$EUID" != 0 ] || [ ! -d "$dsgen_run/private" ] || chmod 700 "$dsgen_run/private" || exit 1

# For the user that passwd.sh adds, and for images whose user has no home folder: many libraries write to it.
dsgen_home=$dsgen_run/cache/home
(umask 022 && mkdir -p "$dsgen_home")
[ -w "$HOME" ] || export HOME=$dsgen_home

dsgen_setup=$dsgen_scripts/shared/setup.sh
dsgen_watch=$dsgen_scripts/shared/setup_watch.sh
if [ -s "$dsgen_setup" ] && [ "$1" != --without-setup ]; then
  dsgen_over=$(bash "$dsgen_watch")
  if [ -n "$dsgen_over" ]; then
    echo "[dsgen] $dsgen_over: nothing to do"
    builtin exit 0
  fi
  exec {dsgen_output}>&1 {dsgen_errors}>&2
  # Not a process substitution: a `wait` in setup would wait for it.
  # shellcheck disable=SC2034 # it is used under the name dsgen_input
  coproc dsgen_keep {
    # shellcheck disable=SC2261 # two descriptors, not one
    exec >&"$dsgen_output" 2>&"$dsgen_errors"
    dsgen_keep_tail "$dsgen_run/setup.tail"
  }
  dsgen_tail=$!
  disown
  declare -n dsgen_input='dsgen_keep[1]'
  exec >&"$dsgen_input" 2>&1
  # shellcheck disable=SC1083,SC2093 # closes the descriptors whose numbers these are
  exec {dsgen_keep[0]}<&- {dsgen_keep[1]}>&-
  dsgen_terminated='' dsgen_stopped=
  trap 'dsgen_setup_failed $?' EXIT # for set -e and similar
  trap 'dsgen_terminated=1; exit' TERM
  trap 'dsgen_stopped=1; exit' USR1
  bash "$dsgen_watch" "$$" "$dsgen_tail" </dev/null &>/dev/null & # its result is in setup-stop
  dsgen_watch=$!
  disown
  bash -O extglob -n "$dsgen_setup" || exit # source would run the lines above a syntax error and continue
  # shellcheck source=/dev/null
  source "$dsgen_setup"
  trap - EXIT TERM USR1
  kill -KILL "$dsgen_watch" # with TERM, it would run the trap above if it has not executed its program yet
  set +eux
  dsgen_release_output
fi
unset -f exit

# shellcheck source-path=SCRIPTDIR source=python.sh
source "$dsgen_scripts/shared/python.sh"

# sshd starts every session with an empty environment, so sessions source this file.
(umask 077 && export -p >"$dsgen_run/env.new" && mv "$dsgen_run/env.new" "$dsgen_run/env") || exit 1
exec python3 -ESs "$dsgen_scripts/$DSGEN_ROLE/main.py"
