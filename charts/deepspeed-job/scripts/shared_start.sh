#!/usr/bin/env bash
# dsgen/scripts/shared_start.sh without its comments.



dsgen_run=$DSGEN_ROOT/run/dsgen
dsgen_config=$DSGEN_ROOT/etc/dsgen
dsgen_message=$DSGEN_ROOT/dev/termination-log



dsgen_keep_tail() {
  tee >(exec tail -n 20 >"$1")
  wait $!
}


dsgen_release_output() {
  exec >&"$dsgen_output" 2>&"$dsgen_errors" {dsgen_output}>&- {dsgen_errors}>&-
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$dsgen_tail" 2>/dev/null || return
    sleep 0.1
  done
}



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



exit() {
  local code=$?
  [ $# = 0 ] || code=$1
  [ "$BASH_SUBSHELL" = 0 ] || builtin exit "$code"
  dsgen_setup_failed "$code"
}



[ "$EUID" != 0 ] || [ ! -d "$dsgen_run/private" ] || chmod 700 "$dsgen_run/private" || exit 1


dsgen_home=$dsgen_run/cache/home
(umask 022 && mkdir -p "$dsgen_home")
[ -w "$HOME" ] || export HOME=$dsgen_home

dsgen_setup=$dsgen_config/setup.sh
dsgen_watch=$dsgen_config/shared_setup_watch.sh
if [ -s "$dsgen_setup" ] && [ "$1" != --without-setup ]; then
  dsgen_over=$(bash "$dsgen_watch")
  if [ -n "$dsgen_over" ]; then
    echo "[dsgen] $dsgen_over: nothing to do"
    builtin exit 0
  fi
  exec {dsgen_output}>&1 {dsgen_errors}>&2


  coproc dsgen_keep {

    exec >&"$dsgen_output" 2>&"$dsgen_errors"
    dsgen_keep_tail "$dsgen_run/setup.tail"
  }
  dsgen_tail=$!
  disown
  declare -n dsgen_input='dsgen_keep[1]'
  exec >&"$dsgen_input" 2>&1

  exec {dsgen_keep[0]}<&- {dsgen_keep[1]}>&-
  dsgen_terminated='' dsgen_stopped=
  trap 'dsgen_setup_failed $?' EXIT # for set -e and similar
  trap 'dsgen_terminated=1; exit' TERM
  trap 'dsgen_stopped=1; exit' USR1
  bash "$dsgen_watch" "$$" "$dsgen_tail" </dev/null &>/dev/null & # its result is in setup-stop
  dsgen_watch=$!
  disown
  bash -O extglob -n "$dsgen_setup" || exit # source would run the lines above a syntax error and continue

  source "$dsgen_setup"
  trap - EXIT TERM USR1
  kill "$dsgen_watch"
  set +eux
  dsgen_release_output
fi
unset -f exit


source "$dsgen_config/shared_python.sh"


(umask 077 && export -p >"$dsgen_run/env.new" && mv "$dsgen_run/env.new" "$dsgen_run/env") || exit 1
exec python3 -ESs "$dsgen_config/$DSGEN_ROLE.py"
