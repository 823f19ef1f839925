#include "go_asm.h"
#include "textflag.h"

// A bit for each of eight lanes.
DATA lanebits<>+0(SB)/8, $0x0000000200000001
DATA lanebits<>+8(SB)/8, $0x0000000800000004
DATA lanebits<>+16(SB)/8, $0x0000002000000010
DATA lanebits<>+24(SB)/8, $0x0000008000000040
GLOBL lanebits<>(SB), RODATA|NOPTR, $32

// The lane before each of eight.
DATA before<>+0(SB)/8, $0x0000000000000007
DATA before<>+8(SB)/8, $0x0000000200000001
DATA before<>+16(SB)/8, $0x0000000400000003
DATA before<>+24(SB)/8, $0x0000000600000005
GLOBL before<>(SB), RODATA|NOPTR, $32

// How far eight words that follow each other are from the first.
DATA follow<>+0(SB)/8, $0x0000000400000000
DATA follow<>+8(SB)/8, $0x0000000c00000008
DATA follow<>+16(SB)/8, $0x0000001400000010
DATA follow<>+24(SB)/8, $0x0000001c00000018
GLOBL follow<>(SB), RODATA|NOPTR, $32

// The numbers of eight lanes.
DATA numbers<>+0(SB)/8, $0x0000000100000000
DATA numbers<>+8(SB)/8, $0x0000000300000002
DATA numbers<>+16(SB)/8, $0x0000000500000004
DATA numbers<>+24(SB)/8, $0x0000000700000006
GLOBL numbers<>(SB), RODATA|NOPTR, $32

// func walkAVX(off, index *uint32, lanes int, s *Step) (last, bits, differ uint32, starts uint64)
TEXT ·walkAVX(SB), NOSPLIT, $0-56
	MOVQ off+0(FP), DI
	MOVQ index+8(FP), SI
	MOVQ lanes+16(FP), CX
	MOVQ s+24(FP), BX
	VPBROADCASTD Step_Base(BX), Y0
	VPBROADCASTD Step_Phase(BX), Y1
	VMOVQ Step_Shift(BX), X2
	VMOVDQU lanebits<>(SB), Y3
	VMOVDQU before<>(SB), Y10
	MOVQ Step_Exec(BX), DX
	VPXOR Y4, Y4, Y4   // the greatest offset
	VPXOR Y5, Y5, Y5   // the bits of places
	VPXOR Y12, Y12, Y12 // the lines of the eight before, turned by one lane
	VPXOR Y15, Y15, Y15 // where offsets differ from what is wanted
	XORQ R8, R8        // starts
	MOVQ CX, R9

	// Y14 is the offset that each lane has when they are packed.
	MOVL (SI), AX
	ADDL Step_Base(BX), AX
	VMOVD AX, X6
	VPBROADCASTD X6, Y6
	VPBROADCASTD Step_Stride(BX), Y14
	VPMULLD numbers<>(SB), Y14, Y14
	VPADDD Y6, Y14, Y14
	MOVL Step_Stride(BX), AX
	SHLL $3, AX
	VMOVD AX, X11
	VPBROADCASTD X11, Y11

eight:
	VPADDD (SI), Y0, Y6
	VMOVDQU Y6, (DI)
	VPXOR Y14, Y6, Y9
	VPOR Y9, Y15, Y15
	VPADDD Y11, Y14, Y14
	VPADDD Y1, Y6, Y7
	MOVBLZX DX, R10
	VMOVD R10, X8
	VPBROADCASTD X8, Y8
	VPAND Y3, Y8, Y8
	VPCMPEQD Y3, Y8, Y8
	VPAND Y8, Y6, Y9
	VPMAXUD Y9, Y4, Y4
	VPAND Y8, Y7, Y9
	VPOR Y9, Y5, Y5
	VPSRLD X2, Y7, Y7
	VPERMD Y7, Y10, Y9
	VPBLENDD $1, Y12, Y9, Y13
	VMOVDQA Y9, Y12
	VPCMPEQD Y7, Y13, Y13
	VMOVMSKPS Y13, AX
	XORL $0xff, AX
	SHLQ $56, AX
	SHRQ $8, R8
	ORQ AX, R8
	SHRQ $8, DX
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, R9
	JG eight

	MOVQ CX, R9
	MOVQ $64, CX
	SUBQ R9, CX
	SHRQ CX, R8
	ORQ $1, R8
	MOVQ R8, starts+48(FP)

	VEXTRACTI128 $1, Y4, X6
	VPMAXUD X6, X4, X4
	VPSHUFD $0x4e, X4, X6
	VPMAXUD X6, X4, X4
	VPSHUFD $0xb1, X4, X6
	VPMAXUD X6, X4, X4
	VMOVD X4, AX
	MOVL AX, last+32(FP)
	VEXTRACTI128 $1, Y5, X6
	VPOR X6, X5, X5
	VPSHUFD $0x4e, X5, X6
	VPOR X6, X5, X5
	VPSHUFD $0xb1, X5, X6
	VPOR X6, X5, X5
	VMOVD X5, AX
	MOVL AX, bits+36(FP)
	XORL AX, AX
	VPTEST Y15, Y15
	SETNE AX
	MOVL AX, differ+40(FP)
	VZEROUPPER
	RET

// func walkBytesAVX(off, index *uint32, lanes int, s *Step) (last, differ uint32)
TEXT ·walkBytesAVX(SB), NOSPLIT, $0-40
	MOVQ off+0(FP), DI
	MOVQ index+8(FP), SI
	MOVQ lanes+16(FP), R9
	MOVQ s+24(FP), BX
	VPBROADCASTD Step_Base(BX), Y0
	VMOVDQU lanebits<>(SB), Y3
	MOVQ Step_Exec(BX), DX
	VPXOR Y4, Y4, Y4
	VPXOR Y15, Y15, Y15
	MOVL (SI), AX
	ADDL Step_Base(BX), AX
	VMOVD AX, X6
	VPBROADCASTD X6, Y6
	VPBROADCASTD Step_Stride(BX), Y14
	VPMULLD numbers<>(SB), Y14, Y14
	VPADDD Y6, Y14, Y14
	MOVL Step_Stride(BX), AX
	SHLL $3, AX
	VMOVD AX, X11
	VPBROADCASTD X11, Y11

eight:
	VPADDD (SI), Y0, Y6
	VMOVDQU Y6, (DI)
	VPXOR Y14, Y6, Y9
	VPOR Y9, Y15, Y15
	VPADDD Y11, Y14, Y14
	VMOVD DX, X8
	VPBROADCASTD X8, Y8
	VPAND Y3, Y8, Y8
	VPCMPEQD Y3, Y8, Y8
	VPAND Y8, Y6, Y9
	VPMAXUD Y9, Y4, Y4
	SHRQ $8, DX
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, R9
	JG eight

	VEXTRACTI128 $1, Y4, X6
	VPMAXUD X6, X4, X4
	VPSHUFD $0x4e, X4, X6
	VPMAXUD X6, X4, X4
	VPSHUFD $0xb1, X4, X6
	VPMAXUD X6, X4, X4
	VMOVD X4, AX
	MOVL AX, last+32(FP)
	XORL AX, AX
	VPTEST Y15, Y15
	SETNE AX
	MOVL AX, differ+36(FP)
	VZEROUPPER
	RET

// FOLLOW sets AX to 0 when eight offsets at BX are those of words that follow each other; the first goes to R12.
#define FOLLOW \
	MOVL (BX), R12; \
	VPBROADCASTD (BX), Y6; \
	VPADDD follow<>(SB), Y6, Y6; \
	VPCMPEQD (BX), Y6, Y6; \
	VMOVMSKPS Y6, AX; \
	XORL $0xff, AX

// func gatherAVX(row *uint32, b *byte, off *uint32, lanes int, exec uint64)
TEXT ·gatherAVX(SB), NOSPLIT, $0-40
	MOVQ row+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ off+16(FP), BX
	MOVQ lanes+24(FP), CX
	MOVQ exec+32(FP), DX
	VMOVDQU lanebits<>(SB), Y3

eight:
	MOVBLZX DX, R10
	CMPL R10, $0xff
	JNE gather
	FOLLOW
	JNZ gather
	VMOVDQU (SI)(R12*1), Y7
	VMOVDQU Y7, (DI)
	JMP next

gather:
	VMOVD R10, X8
	VPBROADCASTD X8, Y8
	VPAND Y3, Y8, Y8
	VPCMPEQD Y3, Y8, Y8
	VMOVDQU (BX), Y6
	VMOVDQU (DI), Y7
	VPGATHERDD Y8, (SI)(Y6*1), Y7
	VMOVDQU Y7, (DI)

next:
	SHRQ $8, DX
	ADDQ $32, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	VZEROUPPER
	RET

// A lane's word from the row to its place, if its bit in DX is set.
#define PUT(lane) \
	BTL $lane, DX; \
	JCC 4(PC); \
	MOVL (4*lane)(BX), R12; \
	MOVL (4*lane)(DI), AX; \
	MOVL AX, (SI)(R12*1)

// func scatterAVX(b *byte, row, off *uint32, lanes int, exec uint64)
TEXT ·scatterAVX(SB), NOSPLIT, $0-40
	MOVQ b+0(FP), SI
	MOVQ row+8(FP), DI
	MOVQ off+16(FP), BX
	MOVQ lanes+24(FP), CX
	MOVQ exec+32(FP), DX

eight:
	MOVBLZX DX, R10
	CMPL R10, $0xff
	JNE each
	FOLLOW
	JNZ each
	VMOVDQU (DI), Y7
	VMOVDQU Y7, (SI)(R12*1)
	JMP next

each:
	PUT(0)
	PUT(1)
	PUT(2)
	PUT(3)
	PUT(4)
	PUT(5)
	PUT(6)
	PUT(7)

next:
	SHRQ $8, DX
	ADDQ $32, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	VZEROUPPER
	RET

// FOUR sets R12, R13, DI and R14 to the offsets of four lanes.
#define FOUR \
	MOVL (BX), R12; \
	MOVL 4(BX), R13; \
	MOVL 8(BX), DI; \
	MOVL 12(BX), R14

// TURN makes rows of columns: X0 to X3 are four words each, and so are X4 to X7.
#define TURN \
	VUNPCKLPS X1, X0, X8; \
	VUNPCKHPS X1, X0, X9; \
	VUNPCKLPS X3, X2, X10; \
	VUNPCKHPS X3, X2, X11; \
	VUNPCKLPD X10, X8, X4; \
	VUNPCKHPD X10, X8, X5; \
	VUNPCKLPD X11, X9, X6; \
	VUNPCKHPD X11, X9, X7

#define GET4(lane) \
	BTL $lane, DX; \
	JCC 7(PC); \
	MOVL (4*lane)(BX), R12; \
	VMOVDQU (SI)(R12*1), X0; \
	VMOVD X0, (4*lane)(R8); \
	VPEXTRD $1, X0, (4*lane)(R9); \
	VPEXTRD $2, X0, (4*lane)(R10); \
	VPEXTRD $3, X0, (4*lane)(R11)

// func gather4AVX(b *byte, x, y, z, w, off *uint32, lanes int, exec uint64)
TEXT ·gather4AVX(SB), NOSPLIT, $0-64
	MOVQ b+0(FP), SI
	MOVQ x+8(FP), R8
	MOVQ y+16(FP), R9
	MOVQ z+24(FP), R10
	MOVQ w+32(FP), R11
	MOVQ off+40(FP), BX
	MOVQ lanes+48(FP), CX
	MOVQ exec+56(FP), DX

four:
	MOVL DX, AX
	ANDL $15, AX
	CMPL AX, $15
	JNE each
	FOUR
	VMOVDQU (SI)(R12*1), X0
	VMOVDQU (SI)(R13*1), X1
	VMOVDQU (SI)(DI*1), X2
	VMOVDQU (SI)(R14*1), X3
	TURN
	VMOVDQU X4, (R8)
	VMOVDQU X5, (R9)
	VMOVDQU X6, (R10)
	VMOVDQU X7, (R11)
	JMP next

each:
	GET4(0)
	GET4(1)
	GET4(2)
	GET4(3)

next:
	SHRQ $4, DX
	ADDQ $16, BX
	ADDQ $16, R8
	ADDQ $16, R9
	ADDQ $16, R10
	ADDQ $16, R11
	SUBQ $4, CX
	JG four
	RET

#define PUT4(lane) \
	BTL $lane, DX; \
	JCC 7(PC); \
	MOVL (4*lane)(BX), R12; \
	VMOVD (4*lane)(R8), X0; \
	VPINSRD $1, (4*lane)(R9), X0, X0; \
	VPINSRD $2, (4*lane)(R10), X0, X0; \
	VPINSRD $3, (4*lane)(R11), X0, X0; \
	VMOVDQU X0, (SI)(R12*1)

// func scatter4AVX(b *byte, x, y, z, w, off *uint32, lanes int, exec uint64)
TEXT ·scatter4AVX(SB), NOSPLIT, $0-64
	MOVQ b+0(FP), SI
	MOVQ x+8(FP), R8
	MOVQ y+16(FP), R9
	MOVQ z+24(FP), R10
	MOVQ w+32(FP), R11
	MOVQ off+40(FP), BX
	MOVQ lanes+48(FP), CX
	MOVQ exec+56(FP), DX

four:
	MOVL DX, AX
	ANDL $15, AX
	CMPL AX, $15
	JNE each
	FOUR
	VMOVDQU (R8), X0
	VMOVDQU (R9), X1
	VMOVDQU (R10), X2
	VMOVDQU (R11), X3
	TURN
	VMOVDQU X4, (SI)(R12*1)
	VMOVDQU X5, (SI)(R13*1)
	VMOVDQU X6, (SI)(DI*1)
	VMOVDQU X7, (SI)(R14*1)
	JMP next

each:
	PUT4(0)
	PUT4(1)
	PUT4(2)
	PUT4(3)

next:
	SHRQ $4, DX
	ADDQ $16, BX
	ADDQ $16, R8
	ADDQ $16, R9
	ADDQ $16, R10
	ADDQ $16, R11
	SUBQ $4, CX
	JG four
	RET

#define GET2(lane) \
	BTL $lane, DX; \
	JCC 5(PC); \
	MOVL (4*lane)(BX), R12; \
	VMOVQ (SI)(R12*1), X0; \
	VMOVD X0, (4*lane)(R8); \
	VPEXTRD $1, X0, (4*lane)(R9)

// func gather2AVX(b *byte, x, y, off *uint32, lanes int, exec uint64)
TEXT ·gather2AVX(SB), NOSPLIT, $0-48
	MOVQ b+0(FP), SI
	MOVQ x+8(FP), R8
	MOVQ y+16(FP), R9
	MOVQ off+24(FP), BX
	MOVQ lanes+32(FP), CX
	MOVQ exec+40(FP), DX

four:
	MOVL DX, AX
	ANDL $15, AX
	CMPL AX, $15
	JNE each
	FOUR
	VMOVQ (SI)(R12*1), X0
	VMOVHPS (SI)(R13*1), X0, X0
	VMOVQ (SI)(DI*1), X1
	VMOVHPS (SI)(R14*1), X1, X1
	VSHUFPS $0x88, X1, X0, X4
	VSHUFPS $0xdd, X1, X0, X5
	VMOVDQU X4, (R8)
	VMOVDQU X5, (R9)
	JMP next

each:
	GET2(0)
	GET2(1)
	GET2(2)
	GET2(3)

next:
	SHRQ $4, DX
	ADDQ $16, BX
	ADDQ $16, R8
	ADDQ $16, R9
	SUBQ $4, CX
	JG four
	RET

#define PUT2(lane) \
	BTL $lane, DX; \
	JCC 5(PC); \
	MOVL (4*lane)(BX), R12; \
	VMOVD (4*lane)(R8), X0; \
	VPINSRD $1, (4*lane)(R9), X0, X0; \
	VMOVQ X0, (SI)(R12*1)

// func scatter2AVX(b *byte, x, y, off *uint32, lanes int, exec uint64)
TEXT ·scatter2AVX(SB), NOSPLIT, $0-48
	MOVQ b+0(FP), SI
	MOVQ x+8(FP), R8
	MOVQ y+16(FP), R9
	MOVQ off+24(FP), BX
	MOVQ lanes+32(FP), CX
	MOVQ exec+40(FP), DX

four:
	MOVL DX, AX
	ANDL $15, AX
	CMPL AX, $15
	JNE each
	FOUR
	VMOVDQU (R8), X0
	VMOVDQU (R9), X1
	VUNPCKLPS X1, X0, X4
	VUNPCKHPS X1, X0, X5
	VMOVQ X4, (SI)(R12*1)
	VMOVHPS X4, (SI)(R13*1)
	VMOVQ X5, (SI)(DI*1)
	VMOVHPS X5, (SI)(R14*1)
	JMP next

each:
	PUT2(0)
	PUT2(1)
	PUT2(2)
	PUT2(3)

next:
	SHRQ $4, DX
	ADDQ $16, BX
	ADDQ $16, R8
	ADDQ $16, R9
	SUBQ $4, CX
	JG four
	RET

// func fillAVX(rows *uint32, b *byte, count, lanes int)
TEXT ·fillAVX(SB), NOSPLIT, $0-32
	MOVQ rows+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ count+16(FP), DX
	MOVQ lanes+24(FP), BX

row:
	VPBROADCASTD (SI), Y0
	MOVQ BX, CX

eight:
	VMOVDQU Y0, (DI)
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	ADDQ $4, SI
	DECQ DX
	JNZ row
	VZEROUPPER
	RET
