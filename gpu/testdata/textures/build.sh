#!/bin/sh
# Rebuilds the module from the GLSL beside it with Debian's glslang-tools.
cd "$(dirname "$0")" && glslangValidator -V --target-env vulkan1.2 textures.comp -o textures.spv
