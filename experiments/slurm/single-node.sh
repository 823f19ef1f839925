#!/usr/bin/env bash
# A Slurm of one node on loopback, for tests: slurmctld, slurmd and a munged of its own, all in one folder. Needs root and
# Debian's packages slurm-wlm and munge. Tried with slurm-wlm 22.05.
#
#   single-node.sh start DIR     starts it and waits until the node takes jobs; then: export SLURM_CONF=DIR/slurm.conf
#   single-node.sh stop DIR      stops it
#
# SPVSIM_SLURM_PORT is the first of the two ports that it listens on (16817).
set -euo pipefail

usage() {
  echo "usage: $0 start|stop DIR" >&2
  exit 2
}

[ $# = 2 ] || usage
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
dir=$(cd "$2" && pwd)
export SLURM_CONF=$dir/slurm.conf
export PATH=$PATH:/usr/sbin

# Debian's munge package makes this user; munged does not want to be root.
munge_user=munge

configure() {
  local port=${SPVSIM_SLURM_PORT:-16817} memory
  memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo) # of kB
  mkdir -p "$dir/spool" "$dir/state" "$dir/log" "$dir/munge"
  sed -e "s|@DIR@|$dir|g" -e "s|@PORT@|$port|" -e "s|@NODE_PORT@|$((port + 1))|" -e "s|@CPUS@|$(nproc)|" \
    -e "s|@MEMORY@|$memory|" "$here/slurm.conf" >"$SLURM_CONF"
  chmod 711 "$dir"
  [ -f "$dir/munge/munge.key" ] || head -c 1024 /dev/urandom >"$dir/munge/munge.key"
  chmod 400 "$dir/munge/munge.key"
  chown -R "$munge_user" "$dir/munge"
  chmod 711 "$dir/munge" # others may reach the socket, and read nothing
}

start() {
  configure
  runuser -u "$munge_user" -- munged --socket="$dir/munge/munge.socket" --key-file="$dir/munge/munge.key" \
    --pid-file="$dir/munge/munged.pid" --log-file="$dir/munge/munged.log" --seed-file="$dir/munge/munged.seed"
  slurmctld -f "$SLURM_CONF"
  slurmd -N localhost -f "$SLURM_CONF"
  for _ in $(seq 100); do
    if [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ]; then
      return
    fi
    sleep 0.2
  done
  echo "the node takes no jobs after 20 s; see $dir/log" >&2
  stop
  exit 1
}

# stop ends the daemons by the process ids that they wrote, and waits for them.
stop() {
  local file pid
  for file in slurmd.pid slurmctld.pid munge/munged.pid; do
    [ -f "$dir/$file" ] || continue
    pid=$(cat "$dir/$file")
    kill "$pid" 2>/dev/null || continue
    for _ in $(seq 100); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
  done
}

case $1 in
  start) start ;;
  stop) stop ;;
  *) usage ;;
esac
