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
rm -f kernel.bc
