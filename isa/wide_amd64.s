#include "textflag.h"

// Operations on rows of a multiple of eight lanes. A source goes on by its step
// of bytes from eight lanes to the next: 32, or 0 where it is the same in all lanes.

// A bit for each of eight lanes.
DATA lanebits<>+0(SB)/8, $0x0000000200000001
DATA lanebits<>+8(SB)/8, $0x0000000800000004
DATA lanebits<>+16(SB)/8, $0x0000002000000010
DATA lanebits<>+24(SB)/8, $0x0000008000000040
GLOBL lanebits<>(SB), RODATA|NOPTR, $32

DATA numbers<>+0(SB)/4, $31
DATA numbers<>+4(SB)/4, $0x80000000
GLOBL numbers<>(SB), RODATA|NOPTR, $8

#define SOURCES2 \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	MOVQ lanes+24(FP), CX; \
	MOVQ stepA+32(FP), R8; \
	MOVQ stepB+40(FP), R9

#define BINARY(op) \
	VMOVDQU (SI), Y0; \
	VMOVDQU (DX), Y1; \
	op Y1, Y0, Y0; \
	VMOVDQU Y0, (DI); \
	ADDQ R8, SI; \
	ADDQ R9, DX; \
	ADDQ $32, DI; \
	SUBQ $8, CX; \
	JG -8(PC); \
	VZEROUPPER; \
	RET

#define SHIFT(op) \
	VPBROADCASTD numbers<>+0(SB), Y2; \
	VMOVDQU (SI), Y0; \
	VPAND (DX), Y2, Y1; \
	op Y1, Y0, Y0; \
	VMOVDQU Y0, (DI); \
	ADDQ R8, SI; \
	ADDQ R9, DX; \
	ADDQ $32, DI; \
	SUBQ $8, CX; \
	JG -8(PC); \
	VZEROUPPER; \
	RET

// The bits of a comparison come from the left, eight at a time.
#define COLLECT \
	VMOVMSKPS Y0, AX; \
	SHLQ $56, AX; \
	SHRQ $8, R10; \
	ORQ AX, R10; \
	ADDQ R8, SI; \
	ADDQ R9, DX; \
	SUBQ $8, CX

#define COLLECTED \
	MOVQ lanes+24(FP), AX; \
	MOVQ $64, CX; \
	SUBQ AX, CX; \
	SHRQ CX, R10; \
	MOVQ R10, mask+48(FP); \
	VZEROUPPER; \
	RET

#define COMPARE(op) \
	XORQ R10, R10; \
	VMOVDQU (SI), Y0; \
	VMOVDQU (DX), Y1; \
	op Y1, Y0, Y0; \
	COLLECT; \
	JG -10(PC); \
	COLLECTED

#define COMPAREF(predicate) \
	XORQ R10, R10; \
	VMOVUPS (SI), Y0; \
	VCMPPS predicate, (DX), Y0, Y0; \
	COLLECT; \
	JG -9(PC); \
	COLLECTED

// func addF32(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·addF32(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VADDPS)

// func subF32(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·subF32(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VSUBPS)

// func mulF32(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·mulF32(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VMULPS)

// func addI(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·addI(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VPADDD)

// func subI(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·subI(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VPSUBD)

// func mulI(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·mulI(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VPMULLD)

// func andI(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·andI(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VPAND)

// func orI(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·orI(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VPOR)

// func xorI(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·xorI(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VPXOR)

// func minU(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·minU(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VPMINUD)

// func maxU(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·maxU(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VPMAXUD)

// func minS(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·minS(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VPMINSD)

// func maxS(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·maxS(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	BINARY(VPMAXSD)

// func shlI(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·shlI(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	SHIFT(VPSLLVD)

// func shrI(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·shrI(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	SHIFT(VPSRLVD)

// func sarI(d, a, b *uint32, lanes, stepA, stepB int)
TEXT ·sarI(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	SOURCES2
	SHIFT(VPSRAVD)

// func equalI(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
TEXT ·equalI(SB), NOSPLIT, $0-56
	SOURCES2
	COMPARE(VPCMPEQD)

// func aboveS(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
TEXT ·aboveS(SB), NOSPLIT, $0-56
	SOURCES2
	COMPARE(VPCMPGTD)

// func aboveU(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
TEXT ·aboveU(SB), NOSPLIT, $0-56
	SOURCES2
	XORQ R10, R10
	VPBROADCASTD numbers<>+4(SB), Y2
	VPXOR (SI), Y2, Y0
	VPXOR (DX), Y2, Y1
	VPCMPGTD Y1, Y0, Y0
	COLLECT
	JG -10(PC)
	COLLECTED

// func equalF(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
TEXT ·equalF(SB), NOSPLIT, $0-56
	SOURCES2
	COMPAREF($0x00)

// func alikeF(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
TEXT ·alikeF(SB), NOSPLIT, $0-56
	SOURCES2
	COMPAREF($0x08)

// func belowF(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
TEXT ·belowF(SB), NOSPLIT, $0-56
	SOURCES2
	COMPAREF($0x11)

// func atMostF(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
TEXT ·atMostF(SB), NOSPLIT, $0-56
	SOURCES2
	COMPAREF($0x12)

// func fmaF32(d, a, b, c *uint32, lanes, stepA, stepB, stepC int)
TEXT ·fmaF32(SB), NOSPLIT, $0-64
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ c+24(FP), BX
	MOVQ lanes+32(FP), CX
	MOVQ stepA+40(FP), R8
	MOVQ stepB+48(FP), R9
	MOVQ stepC+56(FP), R10

eight:
	VMOVUPS (SI), Y0
	VMOVUPS (BX), Y1
	VFMADD231PS (DX), Y0, Y1
	VMOVUPS Y1, (DI)
	ADDQ R8, SI
	ADDQ R9, DX
	ADDQ R10, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG   eight
	VZEROUPPER
	RET

// func madI(d, a, b, c *uint32, lanes, stepA, stepB, stepC int)
TEXT ·madI(SB), NOSPLIT, $0-64
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ c+24(FP), BX
	MOVQ lanes+32(FP), CX
	MOVQ stepA+40(FP), R8
	MOVQ stepB+48(FP), R9
	MOVQ stepC+56(FP), R10

eight:
	VMOVDQU (SI), Y0
	VPMULLD (DX), Y0, Y0
	VPADDD (BX), Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ R8, SI
	ADDQ R9, DX
	ADDQ R10, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG   eight
	VZEROUPPER
	RET

// func shlAddI(d, a, b, c *uint32, lanes, stepA, stepB, stepC int)
TEXT ·shlAddI(SB), NOSPLIT, $0-64
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ c+24(FP), BX
	MOVQ lanes+32(FP), CX
	MOVQ stepA+40(FP), R8
	MOVQ stepB+48(FP), R9
	MOVQ stepC+56(FP), R10
	VPBROADCASTD numbers<>+0(SB), Y2

eight:
	VMOVDQU (SI), Y0
	VPAND (DX), Y2, Y1
	VPSLLVD Y1, Y0, Y0
	VPADDD (BX), Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ R8, SI
	ADDQ R9, DX
	ADDQ R10, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG   eight
	VZEROUPPER
	RET

// func selectBits(d, a, b *uint32, lanes, stepA, stepB int, mask uint64)
TEXT ·selectBits(SB), NOSPLIT, $0-56
	MOVQ d+0(FP), DI
	SOURCES2
	MOVQ mask+48(FP), R10
	VMOVDQU lanebits<>(SB), Y3

eight:
	MOVBLZX R10, R11
	VMOVD R11, X2
	VPBROADCASTD X2, Y2
	VPAND Y3, Y2, Y2
	VPCMPEQD Y3, Y2, Y2
	VMOVDQU (DX), Y1
	VBLENDVPS Y2, (SI), Y1, Y0
	VMOVDQU Y0, (DI)
	SHRQ $8, R10
	ADDQ R8, SI
	ADDQ R9, DX
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	VZEROUPPER
	RET

// func mergeBits(d, s *uint32, lanes int, mask uint64)
TEXT ·mergeBits(SB), NOSPLIT, $0-32
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ lanes+16(FP), CX
	MOVQ mask+24(FP), R10
	VMOVDQU lanebits<>(SB), Y3

eight:
	MOVBLZX R10, R11
	VMOVD R11, X2
	VPBROADCASTD X2, Y2
	VPAND Y3, Y2, Y2
	VPCMPEQD Y3, Y2, Y2
	VMOVDQU (DI), Y1
	VBLENDVPS Y2, (SI), Y1, Y1
	VMOVDQU Y1, (DI)
	SHRQ $8, R10
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	VZEROUPPER
	RET

// func fillI(d *uint32, lanes int, x uint32)
TEXT ·fillI(SB), NOSPLIT, $0-20
	MOVQ d+0(FP), DI
	MOVQ lanes+8(FP), CX
	MOVL x+16(FP), AX
	VMOVD AX, X0
	VPBROADCASTD X0, Y0

eight:
	VMOVDQU Y0, (DI)
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	VZEROUPPER
	RET

// The double 1.
DATA one<>+0(SB)/8, $0x3ff0000000000000
GLOBL one<>(SB), RODATA|NOPTR, $8

#define SOURCE1 \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ lanes+16(FP), CX; \
	MOVQ stepA+24(FP), R8

// func sqrtF32(d, a *uint32, lanes, stepA int)
TEXT ·sqrtF32(SB), NOSPLIT, $0-32
	SOURCE1

eight:
	VSQRTPS (SI), Y0
	VMOVUPS Y0, (DI)
	ADDQ R8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	VZEROUPPER
	RET

// func rcpF32(d, a *uint32, lanes, stepA int)
TEXT ·rcpF32(SB), NOSPLIT, $0-32
	SOURCE1
	VBROADCASTSD one<>(SB), Y2
	VCVTPD2PSY Y2, X2
	VINSERTF128 $1, X2, Y2, Y2

eight:
	VDIVPS (SI), Y2, Y0
	VMOVUPS Y0, (DI)
	ADDQ R8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	VZEROUPPER
	RET

// func rsqF32(d, a *uint32, lanes, stepA int)
TEXT ·rsqF32(SB), NOSPLIT, $0-32
	SOURCE1
	VBROADCASTSD one<>(SB), Y2

eight:
	VCVTPS2PD (SI), Y0
	VCVTPS2PD 16(SI), Y1
	VSQRTPD Y0, Y0
	VSQRTPD Y1, Y1
	VDIVPD Y0, Y2, Y0
	VDIVPD Y1, Y2, Y1
	VCVTPD2PSY Y0, X0
	VCVTPD2PSY Y1, X1
	VMOVUPS X0, (DI)
	VMOVUPS X1, 16(DI)
	ADDQ R8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	VZEROUPPER
	RET
