#include "go_asm.h"
#include "textflag.h"

// Steps on rows of a multiple of 32 lanes and on scalars, one after the other. A kernel on rows finds its result at DI and its sources at SI, DX and BX,
// each of which goes on by R8, R9 and R10 bytes from eight lanes to the next: 32, or 0 where it is the same in all lanes; lanes in R11 and CX.
// A kernel of whole rows finds their places in its step itself.
// A test leaves its lanes in SI, and DI and BX as they are; a select finds its mask in SI. A kernel on scalars finds them in SI, DX and BX, leaves its result
// in SI, and DI, R14 and R15 as they are. All leave R11, R13 and AX.

// The double 1, bits of a shift, the sign of a word, and 65536 as a float.
DATA fuseOne<>+0(SB)/8, $0x3ff0000000000000
GLOBL fuseOne<>(SB), RODATA|NOPTR, $8
DATA fuseBits<>+0(SB)/4, $31
GLOBL fuseBits<>(SB), RODATA|NOPTR, $4
DATA fuseSign<>+0(SB)/4, $0x80000000
GLOBL fuseSign<>(SB), RODATA|NOPTR, $4
DATA fuseHigh<>+0(SB)/4, $0x47800000
GLOBL fuseHigh<>(SB), RODATA|NOPTR, $4

// The bits of eight lanes.
DATA fuseLanes<>+0(SB)/8, $0x0000000200000001
DATA fuseLanes<>+8(SB)/8, $0x0000000800000004
DATA fuseLanes<>+16(SB)/8, $0x0000002000000010
DATA fuseLanes<>+24(SB)/8, $0x0000008000000040
GLOBL fuseLanes<>(SB), RODATA|NOPTR, $32

// func runSteps(v *uint32, s *uint64, exec uint64, steps *rowStep, n, lanes int)
TEXT ·runSteps(SB), NOSPLIT, $8-48
	MOVQ v+0(FP), R13
	MOVQ steps+24(FP), AX
	MOVQ lanes+40(FP), R11
	MOVQ n+32(FP), CX
	MOVQ CX, left-8(SP)

step:
	MOVQ rowStep_kernel(AX), R12
	MOVL rowStep_kind(AX), R14
	TESTL R14, R14
	JNE apart
	CALL R12

next:
	ADDQ $rowStep__size, AX
	DECQ left-8(SP)
	JNZ step
	VZEROUPPER
	RET

apart:
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
	JNE scalars
	ADDQ R13, DI
	ADDQ R13, DX
	ADDQ R13, BX
	CALL R12
	JMP next

scalars:
	TESTQ R9, R9
	JEQ second
	MOVQ (R15)(DX*1), DX

second:
	TESTQ R10, R10
	JEQ third
	MOVQ (R15)(BX*1), BX

third:
	CALL R12
	CMPL R14, $const_stepMask
	JEQ mask
	MOVQ SI, (R15)(DI*1)
	JMP next

mask:
	// the active lanes of SI
	MOVQ (R15)(DI*1), DX
	XORQ DX, SI
	ANDQ exec+16(FP), SI
	XORQ DX, SI
	MOVQ SI, (R15)(DI*1)
	JMP next

tests:
	ADDQ R13, DX
	CMPL R14, $const_stepMerge
	JEQ merge
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

// 1; the coefficients of 1/sqrt(1-e) - 1, the highest first; a little less and a little more than 1.
DATA fuseRoot<>+0(SB)/8, $0x3ff0000000000000
DATA fuseRoot<>+8(SB)/8, $0x3fd4000000000000
DATA fuseRoot<>+16(SB)/8, $0x3fd8000000000000
DATA fuseRoot<>+24(SB)/8, $0x3fe0000000000000
DATA fuseRoot<>+32(SB)/8, $0x3fefffffffffe000
DATA fuseRoot<>+40(SB)/8, $0x3ff0000000001000
GLOBL fuseRoot<>(SB), RODATA|NOPTR, $48

// ROOT makes p of y, which is 1/sqrt(x) but for 2^-11, what is so but for 2^-43: e is 1 - x*y*y.
#define ROOT(x, y, e, p) \
	VMULPD y, y, e; \
	VFNMADD213PD Y8, x, e; \
	VMOVAPD Y9, p; \
	VFMADD213PD Y10, e, p; \
	VFMADD213PD Y11, e, p; \
	VMULPD e, p, p; \
	VFMADD213PD y, y, p

// Where a float is the same whether the root is a little less or a little more, it is the one that the double of the root rounds to;
// elsewhere, and of what has no root, that double is worked out.
TEXT ·stepRsq(SB), NOSPLIT|NOFRAME, $0-0
	VBROADCASTSD fuseRoot<>+0(SB), Y8
	VBROADCASTSD fuseRoot<>+8(SB), Y9
	VBROADCASTSD fuseRoot<>+16(SB), Y10
	VBROADCASTSD fuseRoot<>+24(SB), Y11
	VBROADCASTSD fuseRoot<>+32(SB), Y14
	VBROADCASTSD fuseRoot<>+40(SB), Y15

eight:
	VRSQRTPS (SI), Y1
	VCVTPS2PD (SI), Y2
	VCVTPS2PD 16(SI), Y3
	VCVTPS2PD X1, Y4
	VEXTRACTF128 $1, Y1, X5
	VCVTPS2PD X5, Y5
	ROOT(Y2, Y4, Y6, Y12)
	ROOT(Y3, Y5, Y7, Y13)
	VMULPD Y14, Y12, Y4
	VMULPD Y15, Y12, Y5
	VMULPD Y14, Y13, Y6
	VMULPD Y15, Y13, Y7
	VCVTPD2PSY Y4, X4
	VCVTPD2PSY Y5, X5
	VCVTPD2PSY Y6, X6
	VCVTPD2PSY Y7, X7
	VCMPPS $0x00, X4, X5, X5
	VCMPPS $0x00, X6, X7, X7
	VANDPS X5, X7, X7
	VORPS X4, X6, X5 // no root is negative, but for what denormals give
	VANDNPS X7, X5, X7
	VMOVMSKPS X7, R12
	CMPL R12, $15
	JNE exact

store:
	VMOVUPS X4, (DI)
	VMOVUPS X6, 16(DI)
	ADDQ R8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	RET

exact:
	VSQRTPD Y2, Y4
	VSQRTPD Y3, Y6
	VDIVPD Y4, Y8, Y4
	VDIVPD Y6, Y8, Y6
	VCVTPD2PSY Y4, X4
	VCVTPD2PSY Y6, X6
	JMP store

TEXT ·stepUMulHi(SB), NOSPLIT|NOFRAME, $0-0

eight:
	// products of even lanes, then of odd ones
	VMOVDQU (SI), Y0
	VMOVDQU (DX), Y1
	VPMULUDQ Y1, Y0, Y2
	VPSRLQ $32, Y0, Y0
	VPSRLQ $32, Y1, Y1
	VPMULUDQ Y1, Y0, Y0
	VPSRLQ $32, Y2, Y2
	VPBLENDD $0xaa, Y0, Y2, Y0
	VMOVDQU Y0, (DI)
	ADDQ R8, SI
	ADDQ R9, DX
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	RET

TEXT ·stepIAdd3(SB), NOSPLIT|NOFRAME, $0-0

eight:
	VMOVDQU (SI), Y0
	VPADDD (DX), Y0, Y0
	VPADDD (BX), Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ R8, SI
	ADDQ R9, DX
	ADDQ R10, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	RET

TEXT ·stepLshlOr(SB), NOSPLIT|NOFRAME, $0-0
	VPBROADCASTD fuseBits<>(SB), Y8

eight:
	VMOVDQU (SI), Y0
	VPAND (DX), Y8, Y1
	VPSLLVD Y1, Y0, Y0
	VPOR (BX), Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ R8, SI
	ADDQ R9, DX
	ADDQ R10, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	RET

TEXT ·stepSToF(SB), NOSPLIT|NOFRAME, $0-0

eight:
	VCVTDQ2PS (SI), Y0
	VMOVUPS Y0, (DI)
	ADDQ R8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	RET

// Both halves of a word are exact, so that their sum rounds once.
TEXT ·stepUToF(SB), NOSPLIT|NOFRAME, $0-0
	VBROADCASTSS fuseHigh<>(SB), Y8

eight:
	VMOVDQU (SI), Y0
	VPSRLD $16, Y0, Y1
	VPSLLD $16, Y0, Y0
	VPSRLD $16, Y0, Y0
	VCVTDQ2PS Y1, Y1
	VCVTDQ2PS Y0, Y0
	VMULPS Y8, Y1, Y1
	VADDPS Y1, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ R8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	RET

TEXT ·stepSelectBits(SB), NOSPLIT|NOFRAME, $0-0
	VMOVDQU fuseLanes<>(SB), Y8

eight:
	VMOVD SI, X2
	VPBROADCASTD X2, Y2
	VPAND Y8, Y2, Y2
	VPCMPEQD Y8, Y2, Y2
	VMOVUPS (BX), Y1
	VBLENDVPS Y2, (DX), Y1, Y0
	VMOVUPS Y0, (DI)
	SHRQ $8, SI
	ADDQ R9, DX
	ADDQ R10, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	RET

// Eight lanes at a time come in at the bottom of R14, and turn to their place.
#define COLLECT8 \
	VMOVMSKPS Y0, R12; \
	ORQ R12, R14; \
	RORQ $8, R14; \
	ADDQ R8, SI; \
	ADDQ R9, DX; \
	SUBQ $8, CX

#define COLLECTED8 \
	MOVQ R11, CX; \
	ROLQ CX, R14; \
	MOVQ R14, SI; \
	RET

#define KERNELTEST(name, op) \
TEXT name(SB), NOSPLIT|NOFRAME, $0-0; \
	XORQ R14, R14; \
	VMOVDQU (SI), Y0; \
	op (DX), Y0, Y0; \
	COLLECT8; \
	JG -8(PC); \
	COLLECTED8

#define KERNELTESTF(name, how) \
TEXT name(SB), NOSPLIT|NOFRAME, $0-0; \
	XORQ R14, R14; \
	VMOVUPS (SI), Y0; \
	VCMPPS how, (DX), Y0, Y0; \
	COLLECT8; \
	JG -8(PC); \
	COLLECTED8

KERNELTEST(·stepEqual, VPCMPEQD)
KERNELTEST(·stepAbove, VPCMPGTD)
KERNELTESTF(·stepEqualF, $0x00)
KERNELTESTF(·stepAlikeF, $0x08)
KERNELTESTF(·stepBelowF, $0x11)
KERNELTESTF(·stepAtMostF, $0x12)

TEXT ·stepAboveU(SB), NOSPLIT|NOFRAME, $0-0
	VPBROADCASTD fuseSign<>(SB), Y8
	XORQ R14, R14

eight:
	VPXOR (SI), Y8, Y0
	VPXOR (DX), Y8, Y1
	VPCMPGTD Y1, Y0, Y0
	COLLECT8
	JG eight
	COLLECTED8

#define KERNELWORD(name, op) \
TEXT name(SB), NOSPLIT|NOFRAME, $0-0; \
	op DX, SI; \
	RET

#define KERNELTRUTH(name, set) \
TEXT name(SB), NOSPLIT|NOFRAME, $0-0; \
	CMPL SI, DX; \
	set SI; \
	MOVBLZX SI, SI; \
	RET

#define KERNELSHIFTWORD(name, op) \
TEXT name(SB), NOSPLIT|NOFRAME, $0-0; \
	MOVQ DX, CX; \
	op CX, SI; \
	RET

KERNELWORD(·stepWordIAdd, ADDL)
KERNELWORD(·stepWordISub, SUBL)
KERNELWORD(·stepWordIMul, IMULL)
KERNELWORD(·stepWordAnd, ANDL)
KERNELWORD(·stepWordOr, ORL)
KERNELSHIFTWORD(·stepWordShl, SHLL)
KERNELSHIFTWORD(·stepWordShr, SHRL)
KERNELTRUTH(·stepWordIEq, SETEQ)
KERNELTRUTH(·stepWordINe, SETNE)
KERNELTRUTH(·stepWordULt, SETCS)
KERNELTRUTH(·stepWordSLt, SETLT)
KERNELWORD(·stepMaskAnd, ANDQ)
KERNELWORD(·stepMaskOr, ORQ)
KERNELWORD(·stepMaskXor, XORQ)

TEXT ·stepMaskNot(SB), NOSPLIT|NOFRAME, $0-0
	NOTQ SI
	RET

TEXT ·stepWordMov(SB), NOSPLIT|NOFRAME, $0-0
	MOVL SI, SI
	RET

TEXT ·stepMaskMov(SB), NOSPLIT|NOFRAME, $0-0
	RET

TEXT ·stepMaskIEq(SB), NOSPLIT|NOFRAME, $0-0
	XORQ DX, SI
	NOTQ SI
	RET

TEXT ·stepMaskSelect(SB), NOSPLIT|NOFRAME, $0-0
	XORQ BX, DX
	ANDQ DX, SI
	XORQ BX, SI
	RET

TEXT ·stepMaskToLanes(SB), NOSPLIT|NOFRAME, $0-0
	NEGQ SI
	SBBQ SI, SI
	RET

// Kernels of which all sources are rows of the vector file.
#define PLACES2 \
	MOVLQSX rowStep_d(AX), DI; \
	MOVLQSX rowStep_a(AX), SI; \
	MOVLQSX rowStep_b(AX), DX; \
	ADDQ R13, DI; \
	ADDQ R13, SI; \
	ADDQ R13, DX; \
	MOVQ R11, CX

#define ALL4 \
	VMOVUPS (SI), Y0; \
	VMOVUPS 32(SI), Y1; \
	VMOVUPS 64(SI), Y2; \
	VMOVUPS 96(SI), Y3

#define WHOLE2(name, op) \
TEXT name(SB), NOSPLIT|NOFRAME, $0-0; \
	PLACES2; \
	ALL4; \
	op (DX), Y0, Y0; \
	op 32(DX), Y1, Y1; \
	op 64(DX), Y2, Y2; \
	op 96(DX), Y3, Y3; \
	STORE4; \
	ADDQ $128, SI; \
	ADDQ $128, DX; \
	ADDQ $128, DI; \
	SUBQ $32, CX; \
	JG -16(PC); \
	RET

WHOLE2(·wholeFAdd, VADDPS)
WHOLE2(·wholeFSub, VSUBPS)
WHOLE2(·wholeFMul, VMULPS)
WHOLE2(·wholeIAdd, VPADDD)
WHOLE2(·wholeISub, VPSUBD)
WHOLE2(·wholeIMul, VPMULLD)
WHOLE2(·wholeAnd, VPAND)
WHOLE2(·wholeOr, VPOR)
WHOLE2(·wholeXor, VPXOR)

TEXT ·wholeFma(SB), NOSPLIT|NOFRAME, $0-0
	PLACES2
	MOVLQSX rowStep_c(AX), BX
	ADDQ R13, BX

more:
	ALL4
	VMOVUPS (BX), Y4
	VMOVUPS 32(BX), Y5
	VMOVUPS 64(BX), Y6
	VMOVUPS 96(BX), Y7
	VFMADD231PS (DX), Y0, Y4
	VFMADD231PS 32(DX), Y1, Y5
	VFMADD231PS 64(DX), Y2, Y6
	VFMADD231PS 96(DX), Y3, Y7
	VMOVUPS Y4, (DI)
	VMOVUPS Y5, 32(DI)
	VMOVUPS Y6, 64(DI)
	VMOVUPS Y7, 96(DI)
	ADDQ $128, SI
	ADDQ $128, DX
	ADDQ $128, BX
	ADDQ $128, DI
	SUBQ $32, CX
	JG more
	RET

TEXT ·wholeMov(SB), NOSPLIT|NOFRAME, $0-0
	MOVLQSX rowStep_d(AX), DI
	MOVLQSX rowStep_a(AX), SI
	ADDQ R13, DI
	ADDQ R13, SI
	MOVQ R11, CX

more:
	ALL4
	STORE4
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, CX
	JG more
	RET

// The kernels, in the order of kernelOf, testOf, wordOf, maskOf and wholeOf.
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
ENTRY(23, ·stepUMulHi)
ENTRY(24, ·stepIAdd3)
ENTRY(25, ·stepLshlOr)
ENTRY(26, ·stepSToF)
ENTRY(27, ·stepUToF)
ENTRY(28, ·stepSelectBits)
ENTRY(29, ·stepEqual)
ENTRY(30, ·stepAbove)
ENTRY(31, ·stepAboveU)
ENTRY(32, ·stepEqualF)
ENTRY(33, ·stepAlikeF)
ENTRY(34, ·stepBelowF)
ENTRY(35, ·stepAtMostF)
ENTRY(36, ·stepWordIAdd)
ENTRY(37, ·stepWordISub)
ENTRY(38, ·stepWordIMul)
ENTRY(39, ·stepWordAnd)
ENTRY(40, ·stepWordOr)
ENTRY(41, ·stepWordShl)
ENTRY(42, ·stepWordShr)
ENTRY(43, ·stepWordIEq)
ENTRY(44, ·stepWordINe)
ENTRY(45, ·stepWordULt)
ENTRY(46, ·stepWordSLt)
ENTRY(47, ·stepWordMov)
ENTRY(48, ·stepMaskAnd)
ENTRY(49, ·stepMaskOr)
ENTRY(50, ·stepMaskXor)
ENTRY(51, ·stepMaskNot)
ENTRY(52, ·stepMaskIEq)
ENTRY(53, ·stepMaskSelect)
ENTRY(54, ·stepMaskToLanes)
ENTRY(55, ·stepMaskMov)
ENTRY(56, ·wholeMov)
ENTRY(57, ·wholeFAdd)
ENTRY(58, ·wholeFSub)
ENTRY(59, ·wholeFMul)
ENTRY(60, ·wholeIAdd)
ENTRY(61, ·wholeISub)
ENTRY(62, ·wholeIMul)
ENTRY(63, ·wholeAnd)
ENTRY(64, ·wholeOr)
ENTRY(65, ·wholeXor)
ENTRY(66, ·wholeFma)
GLOBL ·kernels(SB), NOPTR, $536
