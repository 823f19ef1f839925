#include "go_asm.h"
#include "textflag.h"

// The caller of kernels, which isa/avo writes (kernels_amd64.s) and whose conventions are in isa/avo/steps.go.

// func runSteps(v *uint32, s *uint64, exec uint64, steps *rowStep, n, lanes int, local *byte, size, times int) (left, more int)
TEXT ·runSteps(SB), NOSPLIT, $8-88
	MOVQ v+0(FP), R13
	MOVQ steps+24(FP), AX
	MOVQ lanes+40(FP), R11
	MOVQ n+32(FP), CX
	MOVQ CX, rest-8(SP)

step:
	MOVQ rowStep_kernel(AX), R12
	MOVL rowStep_kind(AX), R14
	TESTL R14, R14
	JNE apart
	CALL R12

next:
	ADDQ $rowStep__size, AX
	DECQ rest-8(SP)
	JNZ step
	MOVQ $0, left+72(FP)

end:
	MOVQ times+64(FP), CX
	MOVQ CX, more+80(FP)
	VZEROUPPER
	RET

apart:
	CMPL R14, $const_stepWord
	JEQ word
	MOVLQSX rowStep_d(AX), DI
	MOVLQSX rowStep_a(AX), SI
	MOVLQSX rowStep_b(AX), DX
	MOVLQSX rowStep_c(AX), BX
	MOVLQSX rowStep_stepA(AX), R8
	MOVLQSX rowStep_stepB(AX), R9
	MOVLQSX rowStep_stepC(AX), R10
	MOVQ R11, CX
	CMPL R14, $const_stepRows
	JNE other
	ADDQ R13, DI
	ADDQ R13, SI
	ADDQ R13, DX
	ADDQ R13, BX
	CALL R12
	JMP next

other:
	CMPL R14, $const_stepTest
	JGE tests
	MOVQ s+8(FP), R15
	TESTQ R8, R8
	JEQ first
	MOVQ (R15)(SI*1), SI

first:
	CMPL R14, $const_stepSpread
	JNE select
	VMOVD SI, X0
	VPBROADCASTD X0, Y0
	VMOVDQU Y0, (R13)(DI*1)
	JMP next

select:
	CMPL R14, $const_stepSelect
	JNE masks
	ADDQ R13, DI
	ADDQ R13, DX
	ADDQ R13, BX
	CALL R12
	JMP next

masks:
	TESTQ R9, R9
	JEQ second
	MOVQ (R15)(DX*1), DX

second:
	TESTQ R10, R10
	JEQ third
	MOVQ (R15)(BX*1), BX

third:
	CALL R12

mask:
	// the active lanes of SI
	MOVQ (R15)(DI*1), DX
	XORQ DX, SI
	ANDQ exec+16(FP), SI
	XORQ DX, SI
	MOVQ SI, (R15)(DI*1)
	JMP next

word:
	MOVQ s+8(FP), R15
	MOVLQSX rowStep_a(AX), SI
	CMPL rowStep_stepA(AX), $0
	JEQ source
	MOVQ (R15)(SI*1), SI

source:
	MOVLQSX rowStep_b(AX), DX
	CMPL rowStep_stepB(AX), $0
	JEQ result
	MOVQ (R15)(DX*1), DX

result:
	CALL R12
	MOVLQSX rowStep_d(AX), DI
	MOVQ SI, (R15)(DI*1)
	JMP next

tests:
	ADDQ R13, DX
	CMPL R14, $const_stepMerge
	JEQ merge
	JGT fill
	ADDQ R13, SI
	CALL R12
	XORQ BX, SI
	MOVQ s+8(FP), R15
	JMP mask

merge:
	ADDQ R13, DI
	ADDQ R13, BX
	MOVQ exec+16(FP), SI
	CALL R12
	JMP next

fill:
	MOVQ s+8(FP), R15
	CMPL R14, $const_stepAgain
	JEQ again
	TESTQ R8, R8
	JEQ index
	MOVQ (R15)(SI*1), SI

index:
	TESTQ R10, R10
	JEQ words
	MOVQ (R15)(BX*1), BX

words:
	// R9 bytes from place SI on
	ADDL BX, SI
	ADDL rowStep_b(AX), SI
	LEAQ (SI)(R9*1), DX
	CMPQ DX, size+56(FP)
	JHI leave
	ADDQ local+48(FP), SI
	ADDQ R13, DI

row:
	VPBROADCASTD (SI), Y0
	MOVQ R11, CX

lanes32:
	VMOVDQU Y0, (DI)
	VMOVDQU Y0, 32(DI)
	VMOVDQU Y0, 64(DI)
	VMOVDQU Y0, 96(DI)
	ADDQ $128, DI
	SUBQ $32, CX
	JNZ lanes32
	ADDQ $4, SI
	SUBQ $4, R9
	JNZ row
	JMP next

leave:
	MOVQ rest-8(SP), CX
	MOVQ CX, left+72(FP)
	JMP end

again:
	DECQ times+64(FP)
	JEQ next
	XORL CX, CX
	CMPQ (R15)(SI*1), $0
	SETNE CX
	CMPL CX, BX
	JNE next
	MOVLQSX rowStep_b(AX), DX
	SUBQ DX, AX
	INCQ R9
	MOVQ R9, rest-8(SP)
	JMP step
