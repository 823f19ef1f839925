#!/bin/sh
# Rebuilds the modules from the GLSL beside them with Debian's glslang-tools.
cd "$(dirname "$0")" && for f in *.frag; do glslangValidator -V --target-env vulkan1.2 "$f" -o "${f%.frag}.spv"; done
