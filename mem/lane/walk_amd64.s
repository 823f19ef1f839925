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
	VMOVD R10, X8
	VPBROADCASTD X8, Y8
	VPAND Y3, Y8, Y8
	VPCMPEQD Y3, Y8, Y8
	VMOVDQU (BX), Y6
	VMOVDQU (DI), Y7
	VPGATHERDD Y8, (SI)(Y6*1), Y7
	VMOVDQU Y7, (DI)
	SHRQ $8, DX
	ADDQ $32, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG eight
	VZEROUPPER
	RET
