#!/bin/sh
# Rebuilds the modules of this folder with glslang.
set -e
cd "$(dirname "$0")"
for f in *.comp *.frag; do
	glslangValidator --quiet -V --target-env vulkan1.3 -o "${f%.*}.spv" "$f"
done
