#include "go_asm.h"
#include "textflag.h"

// Steps on rows of a multiple of 32 lanes, one after the other. A kernel finds its result at DI and its sources at SI, DX and BX, each of
// which goes on by R8, R9 and R10 bytes from eight lanes to the next: 32, or 0 where it is the same in all lanes; lanes in R11.
// It leaves R13 and AX as they are.

// The double 1, and bits of a shift.
DATA fuseOne<>+0(SB)/8, $0x3ff0000000000000
GLOBL fuseOne<>(SB), RODATA|NOPTR, $8
DATA fuseBits<>+0(SB)/4, $31
GLOBL fuseBits<>(SB), RODATA|NOPTR, $4

// func runSteps(v *uint32, s *uint64, steps *rowStep, n, lanes int)
TEXT ·runSteps(SB), NOSPLIT, $8-40
	MOVQ v+0(FP), R13
	MOVQ steps+16(FP), AX
	MOVQ lanes+32(FP), R11
	MOVQ n+24(FP), CX
	MOVQ CX, left-8(SP)

step:
	MOVLQSX rowStep_d(AX), DI
	MOVLQSX rowStep_a(AX), SI
	MOVLQSX rowStep_b(AX), DX
	MOVLQSX rowStep_c(AX), BX
	MOVLQSX rowStep_stepA(AX), R8
	MOVLQSX rowStep_stepB(AX), R9
	MOVLQSX rowStep_stepC(AX), R10
	ADDQ R13, DI
	ADDQ R13, SI
	ADDQ R13, DX
	ADDQ R13, BX
	MOVQ R11, CX
	CMPL rowStep_scalar(AX), $0
	JNE scalar
	MOVQ rowStep_kernel(AX), R12
	CALL R12

next:
	ADDQ $rowStep__size, AX
	DECQ left-8(SP)
	JNZ step
	VZEROUPPER
	RET

scalar:
	// a is the place of a word among scalar registers, or the literal itself
	SUBQ R13, SI
	CMPL rowStep_scalar(AX), $1
	JNE literal
	MOVQ s+8(FP), R12
	VPBROADCASTD (R12)(SI*1), Y0
	VMOVDQU Y0, (DI)
	JMP next

literal:
	VMOVD SI, X0
	VPBROADCASTD X0, Y0
	VMOVDQU Y0, (DI)
	JMP next

#define STEPS1 \
	LEAQ (R8)(R8*2), R12

#define STEPS2 \
	STEPS1; \
	LEAQ (R9)(R9*2), R15

#define LOAD4 \
	VMOVUPS (SI), Y0; \
	VMOVUPS (SI)(R8*1), Y1; \
	VMOVUPS (SI)(R8*2), Y2; \
	VMOVUPS (SI)(R12*1), Y3

#define STORE4 \
	VMOVUPS Y0, (DI); \
	VMOVUPS Y1, 32(DI); \
	VMOVUPS Y2, 64(DI); \
	VMOVUPS Y3, 96(DI)

#define GOON1 \
	LEAQ (SI)(R8*4), SI; \
	ADDQ $128, DI; \
	SUBQ $32, CX

#define GOON2 \
	LEAQ (DX)(R9*4), DX; \
	GOON1

#define GOON3 \
	LEAQ (BX)(R10*4), BX; \
	GOON2

#define KERNEL2(name, op) \
TEXT name(SB), NOSPLIT|NOFRAME, $0-0; \
	STEPS2; \
	LOAD4; \
	op (DX), Y0, Y0; \
	op (DX)(R9*1), Y1, Y1; \
	op (DX)(R9*2), Y2, Y2; \
	op (DX)(R15*1), Y3, Y3; \
	STORE4; \
	GOON2; \
	JG -16(PC); \
	RET

#define KERNELSHIFT(name, op) \
TEXT name(SB), NOSPLIT|NOFRAME, $0-0; \
	STEPS2; \
	VPBROADCASTD fuseBits<>(SB), Y8; \
	LOAD4; \
	VPAND (DX), Y8, Y4; \
	VPAND (DX)(R9*1), Y8, Y5; \
	VPAND (DX)(R9*2), Y8, Y6; \
	VPAND (DX)(R15*1), Y8, Y7; \
	op Y4, Y0, Y0; \
	op Y5, Y1, Y1; \
	op Y6, Y2, Y2; \
	op Y7, Y3, Y3; \
	STORE4; \
	GOON2; \
	JG -20(PC); \
	RET

KERNEL2(·stepFAdd, VADDPS)
KERNEL2(·stepFSub, VSUBPS)
KERNEL2(·stepFMul, VMULPS)
KERNEL2(·stepIAdd, VPADDD)
KERNEL2(·stepISub, VPSUBD)
KERNEL2(·stepIMul, VPMULLD)
KERNEL2(·stepAnd, VPAND)
KERNEL2(·stepOr, VPOR)
KERNEL2(·stepXor, VPXOR)
KERNEL2(·stepUMin, VPMINUD)
KERNEL2(·stepUMax, VPMAXUD)
KERNEL2(·stepSMin, VPMINSD)
KERNEL2(·stepSMax, VPMAXSD)
KERNELSHIFT(·stepShl, VPSLLVD)
KERNELSHIFT(·stepShr, VPSRLVD)
KERNELSHIFT(·stepSar, VPSRAVD)

TEXT ·stepMov(SB), NOSPLIT|NOFRAME, $0-0
	STEPS1

more:
	LOAD4
	STORE4
	GOON1
	JG more
	RET

TEXT ·stepFma(SB), NOSPLIT|NOFRAME, $0-0
	STEPS2
	LEAQ (R10)(R10*2), R14

more:
	LOAD4
	VMOVUPS (BX), Y4
	VMOVUPS (BX)(R10*1), Y5
	VMOVUPS (BX)(R10*2), Y6
	VMOVUPS (BX)(R14*1), Y7
	VFMADD231PS (DX), Y0, Y4
	VFMADD231PS (DX)(R9*1), Y1, Y5
	VFMADD231PS (DX)(R9*2), Y2, Y6
	VFMADD231PS (DX)(R15*1), Y3, Y7
	VMOVUPS Y4, (DI)
	VMOVUPS Y5, 32(DI)
	VMOVUPS Y6, 64(DI)
	VMOVUPS Y7, 96(DI)
	GOON3
	JG more
	RET

TEXT ·stepIMad(SB), NOSPLIT|NOFRAME, $0-0
	STEPS2
	LEAQ (R10)(R10*2), R14

more:
	LOAD4
	VPMULLD (DX), Y0, Y0
	VPMULLD (DX)(R9*1), Y1, Y1
	VPMULLD (DX)(R9*2), Y2, Y2
	VPMULLD (DX)(R15*1), Y3, Y3
	VPADDD (BX), Y0, Y0
	VPADDD (BX)(R10*1), Y1, Y1
	VPADDD (BX)(R10*2), Y2, Y2
	VPADDD (BX)(R14*1), Y3, Y3
	STORE4
	GOON3
	JG more
	RET

TEXT ·stepLshlAdd(SB), NOSPLIT|NOFRAME, $0-0
	STEPS2
	LEAQ (R10)(R10*2), R14
	VPBROADCASTD fuseBits<>(SB), Y8

more:
	LOAD4
	VPAND (DX), Y8, Y4
	VPAND (DX)(R9*1), Y8, Y5
	VPAND (DX)(R9*2), Y8, Y6
	VPAND (DX)(R15*1), Y8, Y7
	VPSLLVD Y4, Y0, Y0
	VPSLLVD Y5, Y1, Y1
	VPSLLVD Y6, Y2, Y2
	VPSLLVD Y7, Y3, Y3
	VPADDD (BX), Y0, Y0
	VPADDD (BX)(R10*1), Y1, Y1
	VPADDD (BX)(R10*2), Y2, Y2
	VPADDD (BX)(R14*1), Y3, Y3
	STORE4
	GOON3
	JG more
	RET

TEXT ·stepSqrt(SB), NOSPLIT|NOFRAME, $0-0
	STEPS1

more:
	VSQRTPS (SI), Y0
	VSQRTPS (SI)(R8*1), Y1
	VSQRTPS (SI)(R8*2), Y2
	VSQRTPS (SI)(R12*1), Y3
	STORE4
	GOON1
	JG more
	RET

TEXT ·stepRcp(SB), NOSPLIT|NOFRAME, $0-0
	STEPS1
	VBROADCASTSD fuseOne<>(SB), Y8
	VCVTPD2PSY Y8, X8
	VINSERTF128 $1, X8, Y8, Y8

more:
	VDIVPS (SI), Y8, Y0
	VDIVPS (SI)(R8*1), Y8, Y1
	VDIVPS (SI)(R8*2), Y8, Y2
	VDIVPS (SI)(R12*1), Y8, Y3
	STORE4
	GOON1
	JG more
	RET

TEXT ·stepRsq(SB), NOSPLIT|NOFRAME, $0-0
	VBROADCASTSD fuseOne<>(SB), Y8

eight:
	VCVTPS2PD (SI), Y0
	VCVTPS2PD 16(SI), Y1
	VSQRTPD Y0, Y0
	VSQRTPD Y1, Y1
	VDIVPD Y0, Y8, Y0
	VDIVPD Y1, Y8, Y1
	VCVTPD2PSY Y0, X0
	VCVTPD2PSY Y1, X1
	VMOVUPS X0, (DI)
	VMOVUPS X1, 16(DI)
	ADDQ R8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	RET

// The kernels, in the order of kernelOf.
#define ENTRY(n, name) DATA ·kernels+(8*n)(SB)/8, $name(SB)
ENTRY(0, ·stepMov)
ENTRY(1, ·stepFAdd)
ENTRY(2, ·stepFSub)
ENTRY(3, ·stepFMul)
ENTRY(4, ·stepIAdd)
ENTRY(5, ·stepISub)
ENTRY(6, ·stepIMul)
ENTRY(7, ·stepAnd)
ENTRY(8, ·stepOr)
ENTRY(9, ·stepXor)
ENTRY(10, ·stepUMin)
ENTRY(11, ·stepUMax)
ENTRY(12, ·stepSMin)
ENTRY(13, ·stepSMax)
ENTRY(14, ·stepShl)
ENTRY(15, ·stepShr)
ENTRY(16, ·stepSar)
ENTRY(17, ·stepFma)
ENTRY(18, ·stepIMad)
ENTRY(19, ·stepLshlAdd)
ENTRY(20, ·stepSqrt)
ENTRY(21, ·stepRcp)
ENTRY(22, ·stepRsq)
GLOBL ·kernels(SB), NOPTR, $184
