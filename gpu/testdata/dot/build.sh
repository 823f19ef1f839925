#!/bin/sh
# Rebuilds the module from the GLSL beside it with Debian's glslang-tools and spirv-tools.
cd "$(dirname "$0")" && glslangValidator -V --target-env vulkan1.2 product.comp -o product.spv
