#!/usr/bin/env bash
# Writes the passwd file that the other containers mount: ssh and sshd refuse a user id without an entry, or with the
# shell /sbin/nologin, which container runtimes add. The name of the entry is ignored, because the runtime may have
# chosen it.
umask 022

image_file=$DSGEN_ROOT/etc/passwd
new_file=$DSGEN_ROOT/run/dsgen/passwd
home=$DSGEN_ROOT/run/dsgen/cache/home # the main container creates it
uid=$(id -u)
gid=$(id -g)

# Shell and home of the first entry for the user id, which is the one in effect.
shell_works=
home_works=
while IFS=: read -r _ _ id _ _ directory shell || [ -n "$id" ]; do
  if [ "$id" = "$uid" ]; then
    [ -n "$shell" ] || shell=/bin/sh
    case $shell in
      */nologin | */false) ;;
      *) [ -x "$shell" ] && shell_works=yes ;;
    esac
    # Not -w: the image is read-only in this container, but not in the main container.
    [ -d "$directory" ] && [ -O "$directory" ] && home_works=yes
    break
  fi
done <"$image_file"

if [ "$shell_works$home_works" = yesyes ]; then
  cp "$image_file" "$new_file" || exit 78
  exit 0
fi

bash=$(command -v bash)
{
  printf 'dsgen:x:%s:%s::%s:%s\n' "$uid" "$gid" "$home" "$bash" &&
    while IFS= read -r line || [ -n "$line" ]; do
      [[ $line =~ ^[^:]*:[^:]*:$uid: ]] || printf '%s\n' "$line"
    done <"$image_file"
} >"$new_file" || exit 78
echo "[dsgen] user id $uid: entry with home $home and shell $bash"
