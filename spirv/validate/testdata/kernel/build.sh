#!/bin/sh
# Compiles the kernels of this folder, without optimisation and with.
cd "$(dirname "$0")" || exit 1
v=${LLVM:-14}
for f in *.cl; do
	std=CL1.2
	case $f in *2.cl) std=CL2.0 ;; esac
	for o in 0 2; do
		clang-$v -c -x cl -cl-std=$std -target spir64 -Xclang -finclude-default-header -O$o -emit-llvm -o kernel.bc "$f" &&
			llvm-spirv-$v -o "${f%.cl}.O$o.spv" kernel.bc
	done
done
# With lines of the source llvm-spirv puts DebugScope before OpPhi; here it puts a block before one that dominates it.
clang-$v -c -x cl -cl-std=CL1.2 -target spir -Xclang -finclude-default-header -gline-tables-only -O1 -emit-llvm -o kernel.bc tables.cl &&
	llvm-spirv-$v -o tables.lines.spv kernel.bc
clang-$v -c -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -g -O0 -emit-llvm -o kernel.bc images.cl &&
	llvm-spirv-$v -o images.debug.spv kernel.bc
rm -f kernel.bc
