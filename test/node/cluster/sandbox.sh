#!/usr/bin/env bash
# sandbox.sh FOLDER COMMAND...: runs COMMAND as root in namespaces of its own (processes, mounts, network, names, cgroups), in
# which a whole node can run. When COMMAND ends, the kernel ends everything else in there; then the cgroups and FOLDER are removed.
# Nothing of the machine's is changed: the kernel settings that the kubelet insists on are shadowed by files in FOLDER.
set -euo pipefail
folder=$1; shift
name=tiny-node-$$
cgroups=()

if [ -f /sys/fs/cgroup/cgroup.controllers ]; then version=2; else version=1; fi

# One cgroup in each hierarchy of version 1, below the one in which this process is; one at the top of version 2.
while IFS=: read -r _ controllers path; do
  if [ $version = 2 ]; then base=/sys/fs/cgroup path=/
  else [ -n "$controllers" ] || continue; base=/sys/fs/cgroup/${controllers#name=}; fi
  [ -d "$base" ] || continue
  own=$base${path%/}/$name
  mkdir -p "$own"; cgroups+=("$own")
  if [ "$controllers" = cpuset ]; then for file in cpuset.cpus cpuset.mems; do cat "$base${path%/}/$file" > "$own/$file"; done; fi
  if [ "$controllers" = memory ]; then echo 1 > "$own/memory.use_hierarchy" 2>/dev/null || true; fi
done < /proc/self/cgroup

clean() {
  for _ in $(seq 100); do
    local left=0
    for own in "${cgroups[@]}"; do
      if [ -d "$own" ]; then find "$own" -depth -type d -exec rmdir {} + 2>/dev/null || true; fi
      if [ -d "$own" ]; then left=1; fi
    done
    if [ $left = 0 ]; then rm -rf --one-file-system "$folder"; return; fi
    sleep 0.1
  done
  echo "left over: ${cgroups[*]}" >&2
}
trap clean EXIT

mkdir -p "$folder/sysctl"
cat > "$folder/init.sh" <<'I'
set -euo pipefail
folder=$1 version=$2; shift 2
mount --make-rprivate /
mount -t proc proc /proc
mount -t sysfs sysfs /sys
if [ "$version" = 2 ]; then
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  mkdir -p /sys/fs/cgroup/init; echo 0 > /sys/fs/cgroup/init/cgroup.procs
  for controller in $(cat /sys/fs/cgroup/cgroup.controllers); do echo "+$controller" > /sys/fs/cgroup/cgroup.subtree_control; done
else
  mount -t tmpfs tmpfs /sys/fs/cgroup
  for one in cpu cpuacct cpuset memory devices freezer blkio pids; do mkdir "/sys/fs/cgroup/$one"; mount -t cgroup -o "$one" cgroup "/sys/fs/cgroup/$one"; done
  mkdir /sys/fs/cgroup/systemd; mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
fi
mount -t tmpfs tmpfs /run; mkdir -p /run/netns /run/lock
mount -t tmpfs tmpfs /var/lib
shadow() { echo "$2" > "$folder/sysctl/$1"; mount --bind "$folder/sysctl/$1" "/proc/sys/${1//.//}"; }
shadow vm.overcommit_memory 1; shadow vm.panic_on_oom 0; shadow kernel.panic 10; shadow kernel.panic_on_oops 1
shadow kernel.keys.root_maxkeys 1000000; shadow kernel.keys.root_maxbytes 25000000
mount --make-rshared /
hostname tiny-node
# The Service `kubernetes` is the node's own address, so that pods reach the API server without a kube-proxy.
ip link set lo up
ip link add node0 type bridge; ip addr add 10.96.0.1/32 dev node0; ip link set node0 up; ip route add default dev node0
echo 1 > /proc/sys/net/ipv4/ip_forward
# This shell stays, as the init of the sandbox: it reaps what is left to it.
"$@" & child=$!
trap 'kill -TERM $child' TERM INT
code=0; wait $child || code=$?
while kill -0 $child 2>/dev/null; do code=0; wait $child || code=$?; done
exit $code
I

# Ended from outside, or left alone, it takes everything with it at once: there is nothing in there to save.
( for own in "${cgroups[@]}"; do echo "$BASHPID" > "$own/cgroup.procs"; done
  exec setpriv --pdeathsig KILL unshare --mount --net --uts --ipc --cgroup --pid --fork --kill-child \
    bash "$folder/init.sh" "$folder" $version "$@" ) & sandbox=$!
trap 'kill -KILL $sandbox 2>/dev/null || true' TERM INT HUP
(while kill -0 $PPID 2>/dev/null; do sleep 1; done; kill -TERM $$) & watcher=$!
code=0; wait $sandbox || code=$?
kill $watcher 2>/dev/null || true
exit $code
