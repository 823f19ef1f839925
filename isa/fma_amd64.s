#include "textflag.h"

// func fmaRowAVX(d, a, b, c []uint32)
TEXT ·fmaRowAVX(SB), NOSPLIT, $0-96
	MOVQ d_base+0(FP), DI
	MOVQ d_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	MOVQ b_base+48(FP), DX
	MOVQ c_base+72(FP), BX
	TESTQ CX, CX
	JLE  done

eight:
	VMOVUPS (SI), Y0
	VMOVUPS (BX), Y1
	VFMADD231PS (DX), Y0, Y1
	VMOVUPS Y1, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG   eight
	VZEROUPPER

done:
	RET
