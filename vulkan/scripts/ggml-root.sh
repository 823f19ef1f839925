#!/usr/bin/env bash
# Makes a folder with Debian sid in it that has ggml's operator tests and
# llama-bench with their Vulkan back-end, and runs programs there:
#
#	ggml-root.sh make ROOT               # half a gigabyte fetched; needs root and debootstrap
#	ggml-root.sh run ROOT PROGRAM...     # with the driver whose manifest VK_DRIVER_FILES names
#
# The mirror is the first one that this machine's apt uses for Debian itself.
set -euo pipefail

packages="llama.cpp-tests llama.cpp-tools libggml0-backend-vulkan libvulkan1 mesa-vulkan-drivers"

make_root() {
  local root=$1 mirror proxy
  command -v debootstrap >/dev/null || { echo "ggml-root.sh: debootstrap is not installed" >&2; exit 1; }
  mirror=$(apt-get indextargets --format '$(SITE)' | grep -v security | grep -m1 'debian$')
  proxy=$(apt-config dump | grep -E '^Acquire::https?::Proxy ' || true)
  debootstrap --variant=minbase sid "$root" "$mirror"
  printf '%s\n' "$proxy" >"$root/etc/apt/apt.conf.d/90proxy"
  # A mirror that lags by weeks still serves: packages keep their signatures.
  printf 'Acquire::Check-Valid-Until "false";\n' >"$root/etc/apt/apt.conf.d/91lag"
  chroot "$root" apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -qq --no-install-recommends $packages
}

# run_inside starts a program in the root. The driver is visible there under its
# own path, as its manifest and its library, and so are /proc, /dev, the folder
# one is in, and those that the driver writes to.
run_inside() {
  local root=$1 manifest=${VK_DRIVER_FILES:-}
  shift
  local places=(/proc /dev "$PWD")
  if [ -n "$manifest" ] && [ ! -s "$root$manifest" ]; then
    places+=("$manifest" "$(sed -n 's/.*"library_path": *"\([^"]*\)".*/\1/p' "$manifest")")
  fi
  if [ -n "${SPVSIM_PROFILE:-}" ]; then places+=("$SPVSIM_PROFILE"); fi
  if [ -n "${SPVSIM_PROGRESS:-}" ]; then places+=("$SPVSIM_PROGRESS"); fi
  if [ -n "${SPVSIM_RECORD:-}" ]; then places+=("$(dirname "$SPVSIM_RECORD")"); fi
  if [ -n "${SPVSIM_CAPTURE:-}" ]; then mkdir -p "$SPVSIM_CAPTURE" && places+=("$SPVSIM_CAPTURE"); fi
  # Mounts of a namespace of its own: they are gone with the program, which takes
  # the place of this shell, so that who stops the one stops the other.
  exec unshare --mount bash -euc '
    root=$1; shift
    while [ "$1" != -- ]; do
      mkdir -p "$root$(dirname "$1")"
      if [ -d "$1" ]; then mkdir -p "$root$1"; else touch "$root$1"; fi
      mount --rbind "$1" "$root$1"
      shift
    done
    shift
    exec chroot "$root" env -C "$folder" "$@"
  ' bash "$root" "${places[@]}" -- "$@"
}

case "${1:-}" in
make) make_root "$2" ;;
run)
  export folder=$PWD
  run_inside "${@:2}"
  ;;
*)
  sed -n '2,8s/^# \?//p' "$0"
  exit 2
  ;;
esac
