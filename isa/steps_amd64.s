#include "go_asm.h"
#include "textflag.h"

// The caller of kernels, which isa/avo writes (kernels_amd64.s) and whose conventions are in isa/avo/steps.go.

// func runSteps(v *uint32, s *uint64, lanes int, steps *rowStep, r *stepRun)
TEXT ·runSteps(SB), NOSPLIT, $0-40
	MOVQ v+0(FP), R13
	MOVQ s+8(FP), R15
	MOVQ lanes+16(FP), R11
	MOVQ steps+24(FP), AX
	MOVQ r+32(FP), R14
	MOVQ rowStep_kernel(AX), R12
	CALL R12
	VZEROUPPER
	RET
