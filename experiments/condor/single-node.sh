#!/usr/bin/env bash
# Runs a command beside an HTCondor of one node, in a root of newer Debian:
#
#	single-node.sh ROOT FOLDER COMMAND...
#
# vulkan/scripts/debian-root.sh make cluster ROOT makes the root. FOLDER is visible in
# it under the same path, and becomes the property of the user that runs daemons, jobs
# and the command, as HTCondor runs nothing as root. It needs root's rights. The
# daemons end with the command; their logs are in FOLDER/condor/log.
set -euo pipefail
if [ $# -lt 3 ] || [ ! -x "$1/usr/sbin/condor_master" ] || [ ! -d "$2" ]; then
  sed -n '2,9s/^# \?//p' "$0"
  exit 2
fi
root=$(realpath "$1") folder=$(realpath "$2")
shift 2
chroot "$root" id -u spvsim >/dev/null 2>&1 || chroot "$root" useradd --system --user-group spvsim # that of the package may own no jobs
user=$(chroot "$root" id -u spvsim)
mkdir -p "$folder/condor/"{log,spool,lock,run,execute,tmp} "$root$folder"
cat >"$folder/condor/condor_config" <<END
LOCAL_DIR = $folder/condor
RUN = \$(LOCAL_DIR)/run
LOG = \$(LOCAL_DIR)/log
LOCK = \$(LOCAL_DIR)/lock
SPOOL = \$(LOCAL_DIR)/spool
EXECUTE = \$(LOCAL_DIR)/execute
RELEASE_DIR = /usr
LIB = /usr/lib/condor
LIBEXEC = /usr/libexec/condor
SBIN = /usr/sbin
DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR SCHEDD STARTD
CONDOR_HOST = 127.0.0.1
NETWORK_INTERFACE = 127.0.0.1
COLLECTOR_HOST = 127.0.0.1:\$(COLLECTOR_PORT)
COLLECTOR_PORT = 49618
NO_DNS = True
DEFAULT_DOMAIN_NAME = localhost
SEC_DEFAULT_AUTHENTICATION_METHODS = FS
ALLOW_READ = *
ALLOW_WRITE = *
ALLOW_DAEMON = *
ALLOW_NEGOTIATOR = *
ALLOW_ADMINISTRATOR = *
USE_SHARED_PORT = False
USE_PROCD = False
START = True
SUSPEND = False
PREEMPT = False
KILL = False
NUM_CPUS = 4
MEMORY = 4096
NEGOTIATOR_INTERVAL = 2
NEGOTIATOR_CYCLE_DELAY = 2
NEGOTIATOR_MIN_INTERVAL = 1
SCHEDD_INTERVAL = 2
SCHEDD_MIN_INTERVAL = 1
UPDATE_INTERVAL = 2
STARTER_UPDATE_INTERVAL = 2
RUNBENCHMARKS = 0
PERIODIC_EXPR_INTERVAL = 2
END
chown -R "$user:$user" "$folder"
# The root becomes that of a namespace, as chroot would forbid Apptainer namespaces of its own.
# shellcheck disable=SC2016
exec unshare --mount --pid --fork --kill-child sh -euc '
  root=$1 folder=$2 user=$3
  shift 3
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  mount --bind "$folder" "$root$folder"
  cd "$root"
  mkdir -p mnt/outside
  pivot_root . mnt/outside
  umount -l /mnt/outside
  cd "$folder"
  export HOME=$folder TMPDIR=$folder/condor/tmp CONDOR_CONFIG=$folder/condor/condor_config PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin
  exec setpriv --reuid "$user" --regid "$user" --clear-groups sh -euc '\''
    condor_master -f >condor/log/master.out 2>&1 &
    for i in $(seq 100); do
      if [ -n "$(condor_status -af Name 2>/dev/null)" ] && condor_q >/dev/null 2>&1; then
        exec "$@"
      fi
      sleep 0.3
    done
    echo "single-node.sh: HTCondor has not started in 30 seconds: its logs are in $PWD/condor/log" >&2
    exit 1
  '\'' sh "$@"
' sh "$root" "$folder" "$user" "$@"
