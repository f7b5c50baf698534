#!/usr/bin/env bash
# Limits the time of training.setup, which runs before all programs of dsgen: a setup that hangs would hold its GPU
# forever.
#     shared/setup_watch.sh             prints the reason if setup need not start: the run is over
#     shared/setup_watch.sh PID TAIL    watches the shell PID and ends it, but not TAIL, which keeps its last lines
# It uses only bash, because setup may install python3.

record=$DSGEN_ROOT/etc/dsgen-status
shell=$1
tail=$2
never=
declare -n matched='BASH_REMATCH[1]' also_matched='BASH_REMATCH[2]'
exec {never}<> <(:) # nothing is written to it: to read from it with a timeout is a sleep without another process

# Reads the mounted record of the run, and the lease, which the launcher of the active run renews.
read_record() {
  line='' lease=''
  { read -r line <"$record/$DSGEN_RUN"; read -r lease <"$record/_lease"; } 2>/dev/null
}

run_is_over() {
  [[ $line =~ \"phase\":\ ?\"(Succeeded|Failed|Stopped)\" ]]
}

# Prints a number of settings.json.
setting() {
  [[ $(<"$DSGEN_ROOT/etc/dsgen/shared/settings.json") =~ \"$1\":\ *([0-9]+) ]] && echo "$matched"
}

# Prints the exit code and the reason if setup has to end; fails otherwise.
reason_to_end() {
  read_record
  if [ "$line$lease" != "$seen" ]; then
    seen=$line$lease
    seen_at=$SECONDS
  fi
  if run_is_over; then
    echo "0 the record says that the run is over ($matched)"
  elif [ "$DSGEN_ROLE" = worker ] && ((SECONDS - seen_at > orphan)); then
    echo "75 no sign of a launcher for $orphan s: nobody needs this worker"
  elif ((SECONDS > limit)); then
    echo "1 training.setup did not end within lifecycle.startTimeoutSeconds ($limit); its last lines:"
  else
    return 1
  fi
}

# Prints each process with its parent, one per line.
processes() {
  local file fields
  for file in /proc/[0-9]*/stat; do
    read -rd '' fields <"$file" # the second is the name in parentheses, which may contain anything
    [[ $fields =~ ^([0-9]+)\ .*\)\ .\ ([0-9]+)\  ]] && echo "$matched $also_matched"
  done 2>/dev/null
}

# Prints all descendants of the shell except this process and TAIL.
below() {
  local family=" $shell " before='' pid parent
  while [ "$family" != "$before" ]; do
    before=$family
    while read -r pid parent; do
      if [[ $family == *" $parent "* && $family != *" $pid "* && $pid != "$tail" && $pid != "$$" ]]; then
        family+="$pid "
      fi
    done < <(processes)
  done
  for pid in $family; do
    [ "$pid" = "$shell" ] || echo "$pid"
  done
}

if [ -z "$shell" ]; then
  read_record
  run_is_over && echo "the record says that the run is over ($matched)"
  exit
fi

limit=$(setting startTimeoutSeconds)
orphan=$(setting orphanTimeoutSeconds)
orphan=$((orphan > 300 ? orphan : 300)) # the lease is renewed once a minute, and is mounted up to a minute later
seen='' seen_at=0
until reason_to_end >"$DSGEN_ROOT/run/dsgen/setup-stop"; do
  read -rt 2 -u "$never"
  kill -0 "$shell" 2>/dev/null || exit # another process may get its number
done
kill -USR1 "$shell" # bash runs the trap after the current command
for signal in TERM TERM TERM KILL KILL KILL KILL KILL KILL KILL; do
  for pid in $(below); do
    kill -"$signal" "$pid"
  done 2>/dev/null
  read -rt 1 -u "$never"
  kill -0 "$shell" 2>/dev/null || break
done
