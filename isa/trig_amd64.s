#include "textflag.h"

// Sines and cosines of rows as package math computes them (Cephes, S. Moshier), product by product and sum by sum, in doubles, four lanes at a time.

// The sign of a double; octants in a unit of angle, 4/pi; pi/4 in three parts; 1 and 1/2; the coefficients of the sine and of the cosine, the highest first.
DATA trig<>+0(SB)/8, $0x8000000000000000
DATA trig<>+8(SB)/8, $0x3ff45f306dc9c883
DATA trig<>+16(SB)/8, $0x3fe921fb40000000
DATA trig<>+24(SB)/8, $0x3e64442d00000000
DATA trig<>+32(SB)/8, $0x3ce8469898cc5170
DATA trig<>+40(SB)/8, $0x3ff0000000000000
DATA trig<>+48(SB)/8, $0x3fe0000000000000
DATA trig<>+56(SB)/8, $0x3de5d8fd1fd19ccd
DATA trig<>+64(SB)/8, $0xbe5ae5e5a9291f5d
DATA trig<>+72(SB)/8, $0x3ec71de3567d48a1
DATA trig<>+80(SB)/8, $0xbf2a01a019bfdf03
DATA trig<>+88(SB)/8, $0x3f8111111110f7d0
DATA trig<>+96(SB)/8, $0xbfc5555555555548
DATA trig<>+104(SB)/8, $0xbda8fa49a0861a9b
DATA trig<>+112(SB)/8, $0x3e21ee9d7b4e3f05
DATA trig<>+120(SB)/8, $0xbe927e4f7eac4bc6
DATA trig<>+128(SB)/8, $0x3efa01a019c844f5
DATA trig<>+136(SB)/8, $0xbf56c16c16c14f91
DATA trig<>+144(SB)/8, $0x3fa555555555554b
GLOBL trig<>(SB), RODATA|NOPTR, $152

// 1, ~1, the magnitude of a float, and 2^29 as one: from there on an angle takes more digits of pi.
DATA trigWords<>+0(SB)/4, $1
DATA trigWords<>+4(SB)/4, $0xfffffffe
DATA trigWords<>+8(SB)/4, $0x7fffffff
DATA trigWords<>+12(SB)/4, $0x4e000000
GLOBL trigWords<>(SB), RODATA|NOPTR, $16

// PLAIN goes on at far where a lane's angle is not below 2^29, or none.
#define PLAIN \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ lanes+16(FP), CX; \
	VPBROADCASTD trigWords<>+8(SB), Y14; \
	VPBROADCASTD trigWords<>+12(SB), Y15; \
	MOVQ SI, DX; \
	MOVQ CX, BX; \
	VPCMPEQD Y13, Y13, Y13

#define CHECK8 \
	VPAND (DX), Y14, Y0; \
	VPCMPGTD Y0, Y15, Y0; \
	VPAND Y0, Y13, Y13; \
	ADDQ $32, DX; \
	SUBQ $8, BX

// REDUCE takes the magnitudes of four angles in Y0: the octant, made even, in X1, and what is left of the angle in Y2.
#define REDUCE \
	VMULPD Y8, Y0, Y1; \
	VCVTTPD2DQY Y1, X1; \
	VPADDD X14, X1, X1; \
	VPAND X15, X1, X1; \
	VCVTDQ2PD X1, Y3; \
	VMULPD Y9, Y3, Y4; \
	VSUBPD Y4, Y0, Y2; \
	VMULPD Y10, Y3, Y4; \
	VSUBPD Y4, Y2, Y2; \
	VMULPD Y11, Y3, Y4; \
	VSUBPD Y4, Y2, Y2; \
	VPMOVSXDQ X1, Y1

#define TERM(at, sum) \
	VMULPD Y3, sum, sum; \
	VBROADCASTSD trig<>+at(SB), Y6; \
	VADDPD Y6, sum, sum

// BOTH has the angle in Y2: its sine in Y4, its cosine in Y5.
#define BOTH \
	VMULPD Y2, Y2, Y3; \
	VBROADCASTSD trig<>+56(SB), Y4; \
	TERM(64, Y4); \
	TERM(72, Y4); \
	TERM(80, Y4); \
	TERM(88, Y4); \
	TERM(96, Y4); \
	VMULPD Y3, Y2, Y7; \
	VMULPD Y4, Y7, Y4; \
	VADDPD Y4, Y2, Y4; \
	VBROADCASTSD trig<>+104(SB), Y5; \
	TERM(112, Y5); \
	TERM(120, Y5); \
	TERM(128, Y5); \
	TERM(136, Y5); \
	TERM(144, Y5); \
	VMULPD Y3, Y3, Y7; \
	VMULPD Y5, Y7, Y5; \
	VBROADCASTSD trig<>+48(SB), Y6; \
	VMULPD Y3, Y6, Y6; \
	VBROADCASTSD trig<>+40(SB), Y7; \
	VSUBPD Y6, Y7, Y6; \
	VADDPD Y5, Y6, Y5

#define CONSTANTS \
	VBROADCASTSD trig<>+0(SB), Y12; \
	VBROADCASTSD trig<>+8(SB), Y8; \
	VBROADCASTSD trig<>+16(SB), Y9; \
	VBROADCASTSD trig<>+24(SB), Y10; \
	VBROADCASTSD trig<>+32(SB), Y11; \
	VPBROADCASTD trigWords<>+0(SB), X14; \
	VPBROADCASTD trigWords<>+4(SB), X15

// func sinF32(d, a *uint32, lanes int) (done bool)
TEXT ·sinF32(SB), NOSPLIT, $0-25
	PLAIN

check:
	CHECK8
	JG check
	VMOVMSKPS Y13, AX
	CMPL AX, $0xff
	JNE far
	CONSTANTS

four:
	VCVTPS2PD (SI), Y13
	VANDNPD Y13, Y12, Y0
	REDUCE
	BOTH
	// the cosine in the second and the fourth quarter; the sign of the angle, turned in the third and the fourth
	VPSLLQ $62, Y1, Y6
	VBLENDVPD Y6, Y5, Y4, Y4
	VPSLLQ $61, Y1, Y6
	VXORPD Y13, Y6, Y6
	VANDPD Y12, Y6, Y6
	VXORPD Y6, Y4, Y4
	VCVTPD2PSY Y4, X4
	VMOVUPS X4, (DI)
	ADDQ $16, SI
	ADDQ $16, DI
	SUBQ $4, CX
	JG four
	VZEROUPPER
	MOVB $1, done+24(FP)
	RET

far:
	VZEROUPPER
	MOVB $0, done+24(FP)
	RET

// func cosF32(d, a *uint32, lanes int) (done bool)
TEXT ·cosF32(SB), NOSPLIT, $0-25
	PLAIN

check:
	CHECK8
	JG check
	VMOVMSKPS Y13, AX
	CMPL AX, $0xff
	JNE far
	CONSTANTS

four:
	VCVTPS2PD (SI), Y13
	VANDNPD Y13, Y12, Y0
	REDUCE
	BOTH
	// the sine in the second and the fourth quarter; the sign turned in the second and the third
	VPSLLQ $62, Y1, Y6
	VBLENDVPD Y6, Y4, Y5, Y5
	VPSLLQ $61, Y1, Y7
	VXORPD Y7, Y6, Y6
	VANDPD Y12, Y6, Y6
	VXORPD Y6, Y5, Y5
	VCVTPD2PSY Y5, X5
	VMOVUPS X5, (DI)
	ADDQ $16, SI
	ADDQ $16, DI
	SUBQ $4, CX
	JG four
	VZEROUPPER
	MOVB $1, done+24(FP)
	RET

far:
	VZEROUPPER
	MOVB $0, done+24(FP)
	RET
