#!/usr/bin/env bash
# Makes a folder with Debian sid and a set of packages in it, and runs programs there:
#
#	debian-root.sh make SET ROOT         # needs root, debootstrap and a mirror of Debian
#	debian-root.sh run ROOT PROGRAM...   # with the driver whose manifest VK_DRIVER_FILES names
#
# The sets are ggml (its operator tests, llama-bench), opencl (Mesa's rusticl, clinfo,
# gcc, the headers, Vulkan's validation layers and Mesa's software device), mesa (Mesa's
# drivers and its DRM shim) and cluster (HTCondor and Apptainer). The set bare has nothing.
# A root that has the set already is left as it is, so tests share one. The mirror
# is the first one that this machine's apt uses for Debian itself.
set -euo pipefail

refuse() {
  echo "debian-root.sh: $*" >&2
  exit 1
}

packages_of() {
  case $1 in
  ggml) echo llama.cpp-tests llama.cpp-tools libggml0-backend-vulkan libvulkan1 mesa-vulkan-drivers ;;
  opencl) echo mesa-opencl-icd ocl-icd-libopencl1 ocl-icd-opencl-dev opencl-headers clinfo libvulkan1 vulkan-validationlayers mesa-vulkan-drivers gcc g++ libc6-dev make ;;
  mesa) echo mesa-vulkan-drivers mesa-drm-shim libvulkan1 vulkan-tools ;;
  cluster) echo condor apptainer ;;
  bare) ;;
  *) refuse "no set of packages is named $1: want ggml, opencl, mesa, cluster or bare" ;;
  esac
}

# in_root runs a program in a root with /proc, which packages of HTCondor need to be set up.
in_root() {
  # shellcheck disable=SC2016
  unshare --mount sh -euc 'mount -t proc proc "$1/proc"; exec chroot "$@"' sh "$@"
}

# older_libclc adds the OpenCL library of an older LLVM under /usr/local, as the one of
# LLVM 22 lacks sin, cos and fma, and packages of both conflict.
older_libclc() {
  local root=$1
  chroot "$root" sh -euc 'cd /tmp && apt-get download -qq libclc-21 && dpkg-deb -x libclc-21_*.deb libclc
    install -D -m 644 libclc/usr/lib/clc/spirv64-mesa3d-.spv /usr/local/lib/clc/spirv64-mesa3d-.spv
    rm -r libclc libclc-21_*.deb'
}

# base_system makes a root without packages beside its place, so that one that was stopped is not taken for a whole one.
base_system() {
  local root=$1 mirror=$2 proxy=$3 new
  mkdir -p "$(dirname "$root")"
  new=$(mktemp -d "$root.XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf --one-file-system '$new'" EXIT
  chmod 755 "$new"
  debootstrap --variant=minbase sid "$new" "$mirror"
  printf '%s\n' "$proxy" >"$new/etc/apt/apt.conf.d/90proxy"
  # A mirror that lags by weeks still serves: packages keep their signatures.
  printf 'Acquire::Check-Valid-Until "false";\n' >"$new/etc/apt/apt.conf.d/91lag"
  mkdir "$new/var/lib/debian-root"
  mv -T "$new" "$root"
}

make_root() {
  local set=$1 root=$2 packages mirror proxy
  local made="$root/var/lib/debian-root"
  packages=$(packages_of "$set")
  if [ -e "$made/$set" ] && [ "$(cat "$made/$set")" = "$packages" ]; then return; fi
  [ "$(id -u)" = 0 ] || refuse "making a root needs root's rights"
  command -v debootstrap >/dev/null || refuse "debootstrap is not installed: apt-get install debootstrap"
  mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -v security | grep -m1 'debian$') ||
    refuse "apt of this machine has no mirror of Debian: want a site that ends in debian"
  proxy=$(apt-config dump | grep -E '^Acquire::https?::Proxy ' || true)
  if [ ! -d "$made" ]; then
    if [ -n "$(ls -A "$root" 2>/dev/null)" ]; then refuse "$root is not empty, and debian-root.sh did not make it"; fi
    base_system "$root" "$mirror" "$proxy"
  fi
  if [ -n "$packages" ]; then
    chroot "$root" apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive in_root "$root" apt-get install -y -qq --no-install-recommends $packages
  fi
  if [ "$set" = opencl ]; then older_libclc "$root"; fi
  chroot "$root" apt-get clean
  printf '%s\n' "$packages" >"$made/$set"
}

# run_inside starts a program in the root, by the script of spvsim app --root. The driver is visible there under its own
# path, as its manifest and its library, and so are the files and folders that it writes to.
run_inside() {
  local root=$1 manifest=${VK_DRIVER_FILES:-} places=()
  shift
  if [ -n "$manifest" ] && [ ! -s "$root$manifest" ]; then
    places+=("$manifest" "$(sed -n 's/.*"library_path": *"\([^"]*\)".*/\1/p' "$manifest")")
  fi
  if [ -n "${SPVSIM_PROFILE:-}" ]; then places+=("$SPVSIM_PROFILE"); fi
  if [ -n "${SPVSIM_PROGRESS:-}" ]; then places+=("$SPVSIM_PROGRESS"); fi
  if [ -n "${SPVSIM_RECORD:-}" ]; then places+=("$(dirname "$SPVSIM_RECORD")"); fi
  if [ -n "${SPVSIM_REFUSED:-}" ]; then places+=("$(dirname "$SPVSIM_REFUSED")"); fi
  if [ -n "${SPVSIM_CHECK:-}" ]; then places+=("$SPVSIM_CHECK"); fi
  if [ -n "${SPVSIM_TRACE:-}" ]; then places+=("$SPVSIM_TRACE"); fi
  if [ -n "${SPVSIM_CAPTURE:-}" ]; then mkdir -p "$SPVSIM_CAPTURE" && places+=("$SPVSIM_CAPTURE"); fi
  exec sh "$(dirname "$0")/../launch/root.sh" "$root" "${places[@]}" -- "$@"
}

case "${1:-}" in
make)
  [ $# = 3 ] || refuse "make has $(($# - 1)) arguments: want a set and a folder"
  make_root "$2" "$3"
  ;;
run)
  [ $# -ge 3 ] || refuse "run has $(($# - 1)) arguments: want a folder and a program"
  [ -d "$2" ] || refuse "there is no root $2: debian-root.sh make SET $2 makes one"
  run_inside "${@:2}"
  ;;
*)
  sed -n '2,12s/^# \?//p' "$0"
  exit 2
  ;;
esac
