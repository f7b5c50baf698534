A=(1 2)
A=x
RUN ${A[@]}
#
A=(1 2 3)
unset 'A[1]'
RUN ${A[@]}
#
N=2
[ $N -gt 4 ] && X=big || X=small
RUN --x $X
#
V=a.txt
[ "$V" = "*.txt" ] && T=1
RUN --t ${T:-0}
#
V=a.txt
if [[ $V == "*.txt" ]]; then T=1; fi
RUN --t ${T:-0}
#
V=a.txt
if [[ $V =~ ^a ]]; then T=1; fi
RUN --t ${T:-0}
#
V=$(echo -e "a\tb")
RUN --v "$V"
#
V=$(echo "a-b" | tr a-z A-Z)
RUN --v $V
#
V=$(basename /a/b/)
RUN --v $V --d $(dirname /a/b/) --e $(dirname b)
#
V=$(echo a b c | awk '{print $2}')
RUN --v $V
#
RUN --v $'\x41' --w $'a\nb'
#
V=abcabc
RUN --a ${V/b/x} --b ${V//b/x} --c ${V/#a/x} --d ${V/%c/x} --e ${V/[ab]/x}
#
V=abc
RUN --a ${V^} --b ${V^^} --c ${V,,} --d ${V^^b} --e ${V@Q}
#
V=a/b/c.tar.gz
RUN --a ${V##*/} --b ${V%.*} --c ${V%%.*} --d ${V#*/} --e ${V%[a-z]z}
#
V=abcdef
RUN --a ${V:2} --b ${V: -3:2} --c ${V:1:-1} --d ${V:10}
#
i=1
X=$((i++))
RUN --i $i --x $X
#
N=010
RUN --n $((N+1)) --m $((0x10)) --o $((2**3)) --p $((7%3)) --q $((-7/2)) --r $((1<2)) --s $((5&3))
#
f() { X=2; }
X=1
f
RUN --x $X
#
f() { echo hi; }
V=$(f)
RUN --v $V
#
export A=1
for i in 1 2; do export A=$i; done
RUN
#
case a in a) export B=1;; esac
RUN
#
if [ -d /tmp ]; then export C=1; else export C=2; fi
RUN
#
X=1
{ X=2; }
(cd /tmp; X=3)
RUN --x $X
#
X=1 &
wait
RUN --x ${X:-none}
#
X=1; X=2 | cat
RUN --x $X
#
X=1
true && X=2
false && X=3
false || Y=4
RUN --x $X --y $Y
#
X=1
grep -q root /etc/passwd && X=2
RUN --x $X
#
X=1
! true && X=2
RUN --x $X
#
X=a
test "$X" = a && Y=1
test -z "$X" || Z=1
RUN --y $Y --z $Z
#
X="a b"
RUN --x $X --y "$X" --z=$X --w='$X' --v=\$X
#
X="a   b"
RUN $X "$X" ${X}c
#
X=" a "
RUN x$X"y"
#
set -- a b "c d"
RUN "$@" --n $# --s "$*" --t $2
#
set -- a b
shift
RUN $1
#
set -- -x 1
while [ $# -gt 0 ]; do case $1 in -x) X=$2; shift;; esac; shift; done
RUN --x $X
#
cat > cfg.json <<E
{"a": 1}
E
sed -i s/1/2/ cfg.json
RUN --config cfg.json
#
V=$(cat <<E
text
E
)
RUN --v $V
#
read A B <<< "1 2"
RUN --a $A --b $B
#
mapfile -t A < <(printf "1\n2\n")
RUN ${A[@]}
#
declare -i N=2+3
RUN --n $N
#
declare -a A=(1 2)
declare X=3
readonly Y=4
typeset -x NCCL_DEBUG=INFO
RUN ${A[@]} $X $Y
#
A=0
export A=1 B C=$A
B=2
RUN --b $B --c $C
#
A=1
export A
A=2
export B=1
unset B
RUN
#
export A=1
export -n A
RUN
#
set -a
A=1
set +a
B=2
RUN
#
A=1 B=$A  # c
export C=$A
RUN --b $B
#
IFS=:
V=a:b
RUN $V
#
OLD=$IFS; IFS=,
V="a,b"
A=($V)
IFS=$OLD
RUN "${A[@]}"
#
A=(a b c)
RUN "${A[@]:1}" --s "${A[*]:0:2}"
#
A=(a b c)
RUN --l "$(IFS=,; echo "${A[*]}")"
#
A=(x=1 y=2)
RUN "${A[@]%=*}"
#
A=()
RUN "${A[@]}" ${A[@]+"${A[@]}"} --n ${#A[@]}
#
A=([2]=x [0]=y)
RUN "${A[@]}"
#
A=(a "b c" 'd')
B=("${A[@]}" e)
RUN "${B[@]}" ${B[1]} "${B[1]}" ${B[-2]}
#
i=1
A=(a b)
RUN ${A[i]} ${A[$i]} ${A[$((i-1))]}
#
RUN x{a,b}y --r {1..3} {x..z}
#
RUN '{a,b}' "{1..3}" {} {a}
#
cd /
RUN *
#
cd /etc
RUN pass*d
#
RUN ~ ~/x --p=~/x "~/x" a~
#
X=~/x
RUN $X
#
RUN ~root/x
#
eval "X=3"
C="Y=4"
eval $C
RUN --x $X --y $Y
#
CMD="RUN --a 'b c'"
eval $CMD
#
CMD="RUN --a 'b c'"
$CMD
#
bash -c 'RUN --x $0 $1' a b
#
X=1
bash -c "RUN --x $X \$X"
#
X=1 bash -c 'RUN --x $X'
#
export X=1
env Y=2 bash -c 'RUN --x $X --y $Y'
#
env -u X RUN
#
time nice -n 5 RUN --x 1
#
{ RUN --x 1; } 2>&1 | tee log
#
if true; then ( RUN --x 1 ); fi
#
export P=a:~/b
RUN --p $P
#
if [ -d /tmp ]; then RUN --x 1; else RUN --x 2; fi
#
echo RUN --x 0
cat <<E
RUN --x 0
E
: <<'E'
RUN --x 0
E
RUN --x 1
#
V="RUN"
echo $V; RUN --note "torchrun it"
#
cd /tmp && source /dev/null && A=1 RUN --x 1
#
A=1; RUN --x $A; A=2
#
for LR in 1 2; do RUN --lr $LR; done
#
f() { RUN "$@"; }
f --x 1
#
trap 'echo end' EXIT TERM
RUN
#
X=${Y:=5}
RUN --x $X --y $Y
#
X=${Y:-a b}
RUN --x $X "${Z:-c d}" ${W-e}
#
RUN ${X:-a b} "${X:-'q'}" ${X:-"c d"}
#
X=
RUN --a ${X:-1} --b ${X-2} --c ${X:+3} --d ${X+4}
#
RUN --x ${X:?missing}
#
X=a
Y=${X:+b}
Y+=c
RUN $Y
#
RUN --u $(whoami) --v $USER
#
RUN --d "$(dirname "$0")" --n $0
#
RUN --d "$(cd $(dirname $0) && pwd)"
#
cd /tmp
RUN --d $PWD --e $(pwd)
#
X="--a 1
--b 2"
RUN $X
#
X='a"b'
RUN $X "$X" 'it'"'"'s' a\ b a\"b
#
RUN --x "a
b"
#
RUN --x a\
b
#
RUN --x 1\
  2>err | cat
#
RUN --x "a\
b $HOME"
#
X=1
RUN --x "a \
$X \
b"
#
V=\
5
RUN --v $V
#
RUN \
  --x 1 \
  # --y 2
#
A=1 # c
B="x # y" # z
RUN --a $A --b "$B" --c=#d
#
RUN --x 1 < /dev/null || exit 1; echo done
#
V=abc
RUN --n ${#V} ${V}_x $V-y "${V}z"
#
x=5; y=x
RUN $((y+1)) ${!y}
#
printf -v X %02d 3
RUN $X
#
X=$(printf 'a\nb')
RUN "$X"
#
X=$(seq 1 3)
RUN $X --s "$(seq -s, 1 3)"
#
X=$(expr 7 / 2)
Y=$(expr a : b)
RUN $X $Y
#
if [ "$X" == "" ]; then Y=1; fi
RUN --y $Y
#
alias torchrun='torchrun --x'
RUN --y 1
#
export LIST="a b"
RUN --l $LIST
#
set -ex
false
RUN
#
#!/bin/bash -eu
false
RUN
#
#!/bin/bash -ex
false
for i in 1 2; do RUN $i; done
#
A=1
readonly A
A=2
RUN $A
#
A=a:~/b C=1 RUN
#
declare -A M=([a]=1)
M[b]=2
RUN ${M[a]} ${M[b]}
#
select X in a b; do break; done <<< 1
RUN --x $X
#
exec 3>&1
RUN --x 1 >&3
#
shopt -s nullglob
A=(/nosuch*)
RUN --n ${#A[@]}
#
export A=$'x\ty'
RUN
#
export A=a\$b
export B='$(x)'
RUN --a '$(x)' --b '$$'
#
export A="$(date +%Y)"
RUN
#
export P=/x:$PATH
RUN
#
A=1
f() { A=2; RUN --a $A; }
f
#
if [[ -z "$X" ]]; then X=1; else X=2; fi
RUN --x $X
#
X=0
if (( X )); then Y=1; elif (( X == 0 )); then Y=2; else Y=3; fi
RUN --y $Y
#
X=b
[ "$X" = a ] || [ "$X" = b ] && Y=1
RUN --y $Y
#
X=b
if [ "$X" = a -o "$X" = b ] && [ -n "$X" ]; then Y=1; fi
RUN --y $Y
#
A="x"
A="$A y"
A+=" z"
RUN $A "$A"
#
cat > a.txt <<E
one
E
cat >> a.txt <<E
two
E
RUN --f a.txt
#
echo -n one > a.txt
echo two >> a.txt
RUN --f a.txt
#
cat > go.sh <<'E'
RUN --x $1
E
bash go.sh 5
#
unset X
RUN --x $X
#
X=1 Y=2
unset X
RUN --x ${X-0} --y $Y
#
export X=1
(unset X; RUN --x ${X:-0})
#
export X=1
(export X=2; RUN --x $X)
#
set -e
pip --version
RUN
#
X=$(true && echo 1)
RUN --x $X
#
X=$(echo 1; echo 2)
RUN --x $X
#
X="$(echo "a  b")"
RUN --x $X "$X"
#
X=`echo \`echo 1\``
RUN --x $X
#
X=$(<cfg)
RUN --x $X
#
X=$(echo $Y)
RUN --x "$X"
#
X=([0]=a)
RUN ${X[0]}
#
A=("a b" c)
B=(${A[@]})
RUN --n ${#B[@]} "${B[@]}"
#
A=("a b" c)
B="${A[@]}"
C=("$B")
RUN --n ${#C[@]} "${C[@]}"
#
A="1 2"
B=($A)
RUN ${B[1]} ${#B[@]} ${#A}
#
export -f nosuch
RUN
#
source <(echo X=1)
RUN --x $X
#
. ./nosuch.sh
RUN --x ${X:-0}
#
X=1
timeout 60 RUN --x $X
#
numactl --interleave=all RUN --x 1
#
RUN --x "$(echo a)$(echo b)" '$(echo c)'
#
RUN --x=${X:-1},${Y:-2} -- --y
#
RUN --json '{"a": [1, 2], "b": "c d"}' --re '^a.*\.b$'
#
RUN --x a;RUN --y b
#
false && RUN --x 1 || RUN --x 2
#
true && RUN --x 1 || RUN --x 2
#
[ -n "$DEBUG" ] && RUN --debug || RUN
#
test -f nosuch && RUN --x 1
RUN --x 2
#
X=1; [ $X = 1 ] && RUN --x 1; [ $X = 2 ] && RUN --x 2
#
RUN a $ == b > /dev/null c \ 
#
R=a.txt
pip install -r $R
RUN
#
X=1 RUN --x $X
#
printf 'a\nb\n' > f
A=($(cat f) c)
RUN ${#A[@]}
#
printf 'a\nb\n' > f
A=(x $(cat f))
RUN ${A[0]} ${A[2]}
#
A=($UNSET x)
RUN ${#A[@]}
#
cat > h.sh <<'E'
export X=1
false
export X=2
RUN --x $X
E
bash -e h.sh
#
cat > h.sh <<'E'
RUN --x 1
E
bash -n h.sh
#
bash -eo pipefail -c 'X=$1; true; RUN --x $X --n $0' name a
#
bash -c -e 'false; RUN --x 1'
