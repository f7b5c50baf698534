#!/usr/bin/env bash
# Init container `code` of both pods: clones $DSGEN_GIT_REPOSITORY at $DSGEN_GIT_REVISION into /run/dsgen/code/tree,
# completely or not at all. Needs bash, git and, for a repository over ssh, ssh.
#
# Exit codes: 0; 78 for an error that another try would not solve; 143 after SIGTERM. Network errors are retried for
# lifecycle.startTimeoutSeconds. Called as `code.sh credential get`, it is git's credential helper.

dsgen_run=$DSGEN_ROOT/run/dsgen
dsgen_shared=$DSGEN_ROOT/etc/dsgen/shared
dsgen_secret=$DSGEN_ROOT/etc/dsgen-git
repository=$DSGEN_GIT_REPOSITORY
revision=$DSGEN_GIT_REVISION
tree=$dsgen_run/code/tree
new=$dsgen_run/code/new

# The password is passed from the file of the Secret to git through a pipe, never in an argument, variable or file.
if [ "$1" = credential ]; then
  [ "$2" = get ] || exit 0
  user=git
  [ ! -s "$dsgen_secret/username" ] || user=$(<"$dsgen_secret/username")
  printf 'username=%s\npassword=%s\n' "$user" "$(<"$dsgen_secret/password")"
  exit 0
fi

# Removes passwords, tokens and queries of addresses from messages, also from those of git and of submodules, and control
# characters.
redact() {
  sed -E -e 's/[[:cntrl:]]/ /g' \
    -e 's,([Hh][Tt][Tt][Pp][Ss]?|[Gg][Ii][Tt])(://)[^/?#[:space:]]*@,\1\2***@,g' \
    -e 's,(://)[^/?#:@[:space:]]*:[^/?#[:space:]]*@,\1***@,g' \
    -e "s,(://[^?[:space:]\"'<>]*[?])[^[:space:]\"'<>]+,\\1***,g"
}

say() {
  printf '[dsgen] %s\n' "$1" | redact >&2
}

# Ends the container with an error that another try would not solve. The status container reads the file and records it.
fail() {
  say "$1"
  printf '%s\n' "$1" | redact | tee "$dsgen_run/code-failed" >"$DSGEN_ROOT/dev/termination-log"
  exit 78
}

# ---- settings -----------------------------------------------------------------------------------------------------------

if [[ $repository =~ ^[A-Za-z+.-]+://[^/]*:[^/]*@ || $repository =~ ^[Hh][Tt][Tt][Pp][Ss]?://[^/]*@ ]]; then
  fail "code.git.repository contains credentials: put username and password into a Secret, code.git.secretName"
fi
case $repository in
  https://*/* | http://*/*) scheme=http ;;
  ssh://*/*) scheme=ssh ;;
  git://*/*) scheme=git ;;
  *://* | /* | -*) scheme= ;;
  *:*) scheme=ssh ;; # git@HOST:PATH
  *) scheme= ;;
esac
[ -n "$scheme" ] || fail "code.git.repository is not an https, http, ssh or git address: $repository"
case $revision in
  -* | +* | *:* | *'*'* | *' '*) fail "code.git.revision is not a commit, branch or tag: $revision" ;;
esac
command -v git >/dev/null ||
  fail "there is no git in this image: add it, or set code.git.image to an image with bash and git"

umask 022
limit=$(sed -n 's/.*"startTimeoutSeconds": *\([0-9]*\).*/\1/p' "$dsgen_shared/settings.json")
child=
rm -rf "$dsgen_run"/code-home.* "$dsgen_run/code-failed"
export TMPDIR=$dsgen_run # the container's root is read-only
home=$(umask 077 && mktemp -d "$dsgen_run/code-home.XXXXXX") || exit 1
trap 'rm -rf "$home"' EXIT
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; exit 143' TERM INT

# The settings of git are in a home folder that is removed at the end of this script; the tree contains none of them.
export HOME=$home XDG_CONFIG_HOME=$home LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_ALLOW_PROTOCOL=https:http:ssh:git
git_set() {
  git config --global --add "$1" "$2" || exit 1
}
git_set advice.detachedHead false
git_set init.defaultBranch main
git_set gc.auto 0
git_set safe.directory '*' # for a tree of an earlier start of this container
git_set http.lowSpeedLimit 1000
git_set http.lowSpeedTime 60
# These limit the memory of git, which otherwise grows with the number of processors.
git_set pack.threads 2
git_set core.deltaBaseCacheLimit 32m
git_set core.bigFileThreshold 16m
[ ! -s "$dsgen_secret/ca.crt" ] || git_set http.sslCAInfo "$dsgen_secret/ca.crt"

# The credentials are sent only to the host of the repository, also for submodules on this host, but not after a
# redirect.
if [ "$scheme" = http ] && [ -s "$dsgen_secret/password" ]; then
  site=$(printf '%s\n' "$repository" | sed 's,^\(https*://[^/]*\)/.*,\1,')
  host=$(printf '%s\n' "$site" | sed 's,^https*://,,; s,:[0-9]*$,,')
  git_set "credential.$site.helper" "!bash '$dsgen_shared/code.sh' credential"
  git_set "url.$site/.insteadOf" "git@$host:" # for submodules with an ssh address
  git_set "url.$site/.insteadOf" "ssh://git@$host/"
  case $site in http://*) say "warning: the password for $site is sent without encryption" ;; esac
fi

known=/dev/null
for file in "$dsgen_shared/git_known_hosts" "$dsgen_secret/known_hosts"; do
  if [ -s "$file" ]; then
    known=$file
    break
  fi
done
ssh="ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o UserKnownHostsFile=$known"
ssh="$ssh -o GlobalKnownHostsFile=/dev/null -o IdentityAgent=none -o IdentitiesOnly=yes -o IdentityFile=$home/key"
export GIT_SSH_COMMAND="$ssh -o ConnectTimeout=15 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"
if [ -s "$dsgen_secret/ssh-privatekey" ]; then
  # ssh refuses a key that others can read, and one without its last newline.
  (umask 077 && printf '%s\n' "$(<"$dsgen_secret/ssh-privatekey")" >"$home/key") || exit 1
fi
if [ "$scheme" = ssh ]; then
  command -v ssh >/dev/null || fail "there is no ssh in this image: add openssh-client, or use an https address"
  [ -s "$home/key" ] || fail "$repository needs a key: name a Secret with ssh-privatekey in code.git.secretName"
  [ "$known" != /dev/null ] || fail "the host key of $repository is not known: put its line, as ssh-keyscan prints it and\
 the host's owner publishes it, into code.git.knownHosts or into known_hosts of the Secret"
fi

# ---- clone --------------------------------------------------------------------------------------------------------------

# Runs git in the new tree until the time limit. SIGTERM ends it at once. The end of its output is written to a file: the
# file is in memory, and the server decides how much git says.
attempt() {
  local code output reader
  exec {output}> >(exec tail -c 65536 >"$home/said")
  reader=$!
  timeout "$((limit > SECONDS ? limit - SECONDS : 1))" git -C "$new" "$@" </dev/null >&"$output" 2>&1 &
  child=$!
  exec {output}>&-
  wait "$child"
  code=$?
  wait "$reader"
  return "$code"
}

said() {
  grep -qF "$1" "$home/said"
}

# Fetches the commit and sets `commit`: only this commit if the server allows it, otherwise all branches and tags.
fetch() {
  rm -rf "$new"
  git init --quiet "$new" && git -C "$new" config remote.origin.url "$repository" || exit 1
  if attempt fetch --depth 1 --no-tags origin "$wanted"; then
    commit=$(git -C "$new" rev-parse --verify --quiet 'FETCH_HEAD^{commit}')
    return
  fi
  if said "couldn't find remote ref"; then
    # not a branch or tag, but perhaps an abbreviated commit id
    [ -z "$(printf '%s' "$wanted" | tr -d 0-9a-f)" ] || fail "$repository has no branch or tag $wanted"
  elif ! said 'dumb http transport' && ! said 'not our ref' && ! said 'unadvertised object'; then
    return 1
  fi
  say "fetching all of $repository: its server does not serve single commits"
  attempt fetch --tags origin '+refs/heads/*:refs/remotes/origin/*' '+HEAD:refs/remotes/origin/HEAD' || return
  commit=$(git -C "$new" rev-parse --verify --quiet "$wanted^{commit}") ||
    commit=$(git -C "$new" rev-parse --verify --quiet "origin/$wanted^{commit}") ||
    fail "$repository has no commit, branch or tag $wanted"
}

# Fetches the submodules, which the program may import.
submodules() {
  [ ! -e "$new/.gitmodules" ] || attempt submodule update --init --recursive --depth 1 ||
    attempt submodule update --init --recursive
}

clone() {
  fetch && attempt checkout --quiet --detach "$commit" && submodules
}

# The reason why another try would fail as well; empty if it may succeed. The first match counts, because after each
# error of ssh, git also prints that the repository could not be read.
hopeless() {
  local secret="code.git.secretName"
  case $(<"$home/said") in
    *'No user exists for uid'*)
      echo "ssh knows no user with the id $(id -u): set ssh.passwdEntry: auto, or use an https address" ;;
    *'Host key verification failed'* | *'host key is known'* | *'HOST IDENTIFICATION HAS CHANGED'*)
      echo "the host key of $repository is not the one in code.git.knownHosts (or known_hosts of the Secret)" ;;
    *'Permission denied ('* | *'Load key'*)
      echo "$repository refuses the ssh key of the Secret in $secret" ;;
    *'could not read Username'* | *'could not read Password'*)
      echo "$repository asks for a password: name a Secret with username and password in $secret" ;;
    *'Authentication failed'* | *'returned error: 401'* | *'returned error: 403'*)
      echo "$repository refuses username and password of the Secret in $secret" ;;
    *'certificate'*'verif'* | *'SSL certificate problem'*)
      echo "the certificate of $repository is not trusted: put its CA as ca.crt into the Secret in $secret" ;;
    *'returned error: 404'* | *"' not found"* | *'not appear to be a git repository'* | *'Repository not found'* | \
      *'repository not exported'* | *'access denied or repository'* | *'no such repository'*)
      echo "the repository $repository does not exist, or refuses these credentials" ;;
    *"transport '"*"' not allowed"*)
      echo "a submodule's address is not one of https, http, ssh or git" ;;
    *'not a valid object name'* | *'unable to read tree'* | *'is not a commit'*)
      echo "$repository: $wanted is not a commit" ;;
    *'No space left on device'*)
      echo "no space left on the node for the code: its ephemeral storage is full" ;;
  esac
}

if [ ! -d "$tree" ]; then
  wanted=$revision
  [ -n "$wanted" ] || wanted=HEAD
  delay=2
  until clone; do
    # The server has written some of it: lines are cut before patterns search them.
    tail -n 20 "$home/said" | cut -b 1-2000 | redact | sed 's/^/[dsgen] | /' >&2
    reason=$(hopeless 2>/dev/null) # bash warns of a null byte
    [ -z "$reason" ] || fail "$reason"
    ((SECONDS < limit)) || fail "$repository could not be fetched within lifecycle.startTimeoutSeconds ($limit)"
    say "$repository could not be fetched; the next try is in $delay seconds"
    sleep "$delay" &
    child=$!
    wait "$child"
    delay=$((delay < 16 ? delay * 2 : 30))
  done
  if git -C "$new" grep -q filter=lfs -- .gitattributes '*/.gitattributes' && ! git lfs version >/dev/null 2>&1; then
    say "warning: this repository uses Git LFS, and the image has no git-lfs: large files are pointers"
  fi
  # The main containers may run as another user, and write to the folders of the code.
  chmod -R a+rwX "$new" && mv "$new" "$tree" || exit 1
  say "code: $repository at $commit"
fi
