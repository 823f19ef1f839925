# Starts a program in a folder that has a system of its own, with places of this one:
#
#	sh root.sh ROOT PLACE... -- PROGRAM ARGUMENTS...
#
# Each place is a file or folder, which the program sees under its own path, and so are /proc, /dev and the current
# folder. They are mounted in a namespace, which ends with the program. It takes the place of this shell, so that who
# stops the one stops the other.
set -eu
if [ "${SPVSIM_INSIDE:-}" != 1 ]; then
  SPVSIM_INSIDE=1 exec unshare --mount sh "$0" "$@"
fi
unset SPVSIM_INSIDE
root=$1
shift
place() {
  case $1 in "$root"/*) return ;; esac # it is there already
  mkdir -p "$root$(dirname "$1")"
  if [ -d "$1" ]; then mkdir -p "$root$1"; elif [ ! -e "$root$1" ]; then : >"$root$1"; fi
  mount --rbind "$1" "$root$1"
}
for folder in /proc /dev "$PWD"; do place "$folder"; done
while [ "$1" != -- ]; do
  place "$1"
  shift
done
shift
if [ -n "${SPVSIM_PRELOAD:-}" ]; then set -- LD_PRELOAD="$SPVSIM_PRELOAD" "$@"; fi
exec chroot "$root" env -C "$PWD" "$@"
