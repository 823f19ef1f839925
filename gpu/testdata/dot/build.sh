#!/bin/sh
# Rebuilds the modules from the GLSL beside it with Debian's glslang-tools and spirv-tools.
cd "$(dirname "$0")" || exit
for n in product bytes; do
	glslangValidator -V --target-env vulkan1.2 $n.comp -o $n.spv || exit
done
