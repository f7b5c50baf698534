#!/bin/bash
# slurm.sh FOLDER SCRIPT: what a script prints with real Slurm, on four nodes in private namespaces of this machine. As root.
# FOLDER: by `apt-get download slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libmunge2 libhwloc15
# liblua5.1-0`, and `dpkg -x DEB FOLDER` for each.
set -euo pipefail
if [ "${1-}" != inside ]; then
  exec unshare --mount --net --uts --pid --fork --kill-child --mount-proc bash "$0" inside "$(realpath "$1")" "$(realpath "$2")"
fi
root=/run/slurm-test
mkdir -p $root && mount -t tmpfs none $root && mkdir $root/{upper,work,all}
mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" $root/all
cp -a "$2/usr/." $root/all/usr/ && { [ ! -d "$2/lib" ] || cp -a "$2/lib/." $root/all/usr/lib/; }
mount -t proc none $root/all/proc; for each in dev sys; do mount --rbind /$each $root/all/$each; done
mount -t tmpfs -o mode=1777 none $root/all/tmp
install -m 755 "$3" $root/all/tmp/script && ip link set lo up
exec chroot $root/all bash -c '
mkdir -p /etc/munge /var/lib/munge /run/munge /var/log/munge /var/spool/slurmctld /etc/slurm
head -c 128 /dev/urandom >/etc/munge/munge.key && chmod 400 /etc/munge/munge.key
echo "Name=gpu File=/dev/tty[0-7]" >/etc/slurm/gres.conf
{
  printf "%s\n" ClusterName=c "SlurmctldHost=node000(10.9.0.1)" SlurmUser=root SlurmdUser=root \
    StateSaveLocation=/var/spool/slurmctld SlurmdSpoolDir=/var/spool/slurmd.%n SlurmctldPidFile=/run/slurmctld.pid \
    SlurmdPidFile=/run/slurmd.%n.pid SlurmctldLogFile=/var/log/slurmctld SlurmdLogFile=/var/log/slurmd.%n \
    PluginDir=$(dirname "$(find /usr/lib -name cred_munge.so)") ProctrackType=proctrack/linuxproc TaskPlugin=task/none \
    SelectType=select/cons_tres SelectTypeParameters=CR_Core MpiDefault=none ReturnToService=2 KillWait=3 GresTypes=gpu \
    JobAcctGatherType=jobacct_gather/none AccountingStorageType=accounting_storage/none SwitchType=switch/none \
    SlurmdParameters=config_overrides
  for i in 0 1 2 3; do
    echo "NodeName=node00$i NodeAddr=10.9.0.$((i + 1)) Port=1700$i CPUs=64 SocketsPerBoard=1 CoresPerSocket=64 ThreadsPerCore=1 RealMemory=4000000 Gres=gpu:8"
  done
  echo "PartitionName=p Nodes=ALL Default=YES State=UP"
} >/etc/slurm/slurm.conf
export SLURM_CONF=/etc/slurm/slurm.conf
hostname node000
for each in slurmctld slurmd slurmstepd; do ln -s $each-wlm /usr/sbin/$each; done  # they look at their names
{ munged --force && slurmctld; } >/dev/null 2>&1
for i in 0 1 2 3; do
  ip addr add 10.9.0.$((i + 1))/24 dev lo
  unshare --uts bash -c "hostname node00$i; exec slurmd -N node00$i" >/dev/null 2>&1
done
until [ "$(sinfo --noheader --Node --format %t | sort -u)" = idle ]; do sleep 0.2; done
mkdir /tmp/own && cd /tmp/own && sbatch --wait --output /tmp/out /tmp/script >/dev/null
cat /tmp/out'
