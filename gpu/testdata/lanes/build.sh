#!/bin/sh
# Rebuilds the modules beside their sources: needs Debian's glslang-tools.
set -e
cd "$(dirname "$0")"
for f in *.comp; do
    glslangValidator -V --target-env vulkan1.2 "$f" -o "${f%.comp}.spv"
done
