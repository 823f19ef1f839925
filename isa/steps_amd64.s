#include "go_asm.h"
#include "textflag.h"

// The callers of kernels, which isa/avo writes (kernels_amd64.s) and whose conventions are in isa/avo/steps.go.

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

// func runFlow(v *uint32, s *uint64, lanes int, r *CompiledRun)
TEXT ·runFlow(SB), NOSPLIT, $0-32
	MOVQ v+0(FP), R13
	MOVQ s+8(FP), R15
	MOVQ lanes+16(FP), R11
	MOVQ r+24(FP), R14
	MOVQ stepRun_left(R14), AX
	MOVQ CompiledRun_Budget(R14), R8
	MOVQ CompiledRun_Executed(R14), R9
	MOVQ rowStep_kernel(AX), R12
	CALL R12
	MOVQ R8, CompiledRun_Budget(R14)
	MOVQ R9, CompiledRun_Executed(R14)
	VZEROUPPER
	RET
