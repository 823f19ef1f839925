#!/bin/sh
# Rebuilds the modules of this folder with glslang and the SPIR-V tools: plain,
# with debug information, and optimised.
set -e
cd "$(dirname "$0")"
mkdir -p debug optimised
for f in *.comp; do
	n=${f%.comp}
	glslangValidator --quiet -V --target-env vulkan1.3 -o "$n.spv" "$f"
	debug=-gVS
	[ "$n" = address ] && debug=-g # glslang writes id 0 for the type of a buffer reference
	glslangValidator --quiet -V $debug --target-env vulkan1.3 -o "debug/$n.spv" "$f"
	spirv-opt -O --preserve-bindings --target-env=vulkan1.3 -o "optimised/$n.spv" "$n.spv"
done
for f in *.spvasm; do
	n=${f%.spvasm}
	spirv-as --target-env vulkan1.3 -o "$n.spv" "$f"
	cp "$n.spv" "debug/$n.spv"
	spirv-opt -O --preserve-bindings --target-env=vulkan1.3 -o "optimised/$n.spv" "$n.spv"
done
