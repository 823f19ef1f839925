#!/usr/bin/env bash
# Builds the program that transforms with VkFFT (vulkan/testdata/vkfft.c), once,
# and runs it on the driver that the loader's variables name:
#
#	vkfft.sh [TEST]                      # such as long_transform; none: all
#
# It needs gcc, g++, glslang-dev, libvulkan-dev, spirv-tools' libraries and libvkfft-dev.
set -euo pipefail

here=$(cd "$(dirname "$0")/../testdata" && pwd)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/spvsim/vkfft
header=/usr/include/vkFFT.h
libraries="-lglslang -lMachineIndependent -lGenericCodeGen -lOSDependent -lOGLCompiler -lSPIRV -lglslang-default-resource-limits -lSPIRV-Tools-opt -lSPIRV-Tools -lstdc++ -lvulkan -lpthread -lm"

for needed in gcc g++; do
  command -v "$needed" >/dev/null || { echo "vkfft.sh: $needed is not installed" >&2; exit 1; }
done
[ -e "$header" ] || { echo "vkfft.sh: $header is missing: install libvkfft-dev" >&2; exit 1; }

if [ ! -x "$folder/vkfft" ] || [ -n "$(find "$here"/vkfft* "$here/vk.h" "$header" -newer "$folder/vkfft")" ]; then
  mkdir -p "$folder"
  # Debian bookworm's header fills a structure of an older glslang than bookworm's, which has nine limits of mesh shaders more.
  if grep -q max_mesh_view_count_ext /usr/include/glslang/Include/glslang_c_interface.h && ! grep -q maxMeshViewCountEXT "$header"; then
    sed 's|/\* .maxDualSourceDrawBuffersEXT = \*/ 1,|256, 512, 32, 1, 1, 32, 1, 1, 4, {1},|' "$header" >"$folder/vkFFT.h"
  else
    cp "$header" "$folder/vkFFT.h"
  fi
  g++ -w -I "$folder" -c "$here/vkfft_library.cpp" -o "$folder/library.o"
  # shellcheck disable=SC2086
  gcc -std=gnu11 -O1 -o "$folder/vkfft" "$here/vkfft.c" "$folder/library.o" $libraries
fi
exec "$folder/vkfft" "$folder" "$@"
