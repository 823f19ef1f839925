#!/bin/sh
# Compiles the kernels of this folder without optimisation, right and wrong.
cd "$(dirname "$0")" || exit 1
v=${LLVM:-14}
for f in *.cl; do
	for d in RIGHT WRONG; do
		s=
		[ $d = WRONG ] && s=-wrong
		clang-$v -c -x cl -cl-std=CL1.2 -target spir64 -D$d -Xclang -finclude-default-header -fno-discard-value-names -O0 -emit-llvm -o kernel.bc "$f" &&
			llvm-spirv-$v -o "${f%.cl}$s.spv" kernel.bc
	done
done
rm -f kernel.bc
