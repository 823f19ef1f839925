package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// matrix writes the kernels of products of matrices: fmaRowAVX, for rows of a multiple of eight lanes, and
// matrixProductAVX.
func matrix(a assembler) {
	a.function("fmaRowAVX", "func(d, a, b, c []uint32)")
	a.Load(a.Param("d").Base(), reg.RDI)
	a.Load(a.Param("d").Len(), reg.RCX)
	a.Load(a.Param("a").Base(), reg.RSI)
	a.Load(a.Param("b").Base(), reg.RDX)
	a.Load(a.Param("c").Base(), reg.RBX)
	a.TESTQ(reg.RCX, reg.RCX)
	a.JLE(operand.LabelRef("done"))
	a.loop("eight", func() {
		a.VMOVUPS(memory(reg.RSI, 0), reg.Y0)
		a.VMOVUPS(memory(reg.RBX, 0), reg.Y1)
		a.VFMADD231PS(memory(reg.RDX, 0), reg.Y0, reg.Y1)
		a.VMOVUPS(reg.Y1, memory(reg.RDI, 0))
		for _, r := range []reg.Register{reg.RSI, reg.RDX, reg.RBX, reg.RDI} {
			a.ADDQ(operand.Imm(32), r)
		}
		a.SUBQ(operand.Imm(8), reg.RCX)
	})
	a.VZEROUPPER()
	a.Label("done")
	a.RET()
	a.product()
}

// product keeps four rows of c, 16 columns each, in Y0 to Y7 while k goes by.
func (a assembler) product() {
	a.function("matrixProductAVX", "func(c *[256]float32, a, b *[512]float32, k int)")
	a.arg("c", reg.RDI)
	a.arg("a", reg.RSI)
	a.arg("b", reg.RDX)
	a.arg("k", reg.R8)
	a.Comment("bytes of a row of a, and of three")
	a.MOVQ(reg.R8, reg.R9)
	a.SHLQ(operand.Imm(2), reg.R9)
	a.LEAQ(ahead(reg.R9, reg.R9, 2), reg.R10)
	a.MOVQ(operand.U32(4), reg.R12)
	a.Label("rows")
	for n := range 8 {
		a.VMOVUPS(memory(reg.RDI, 32*n), y(n))
	}
	a.MOVQ(reg.RDX, reg.RBX)
	a.MOVQ(reg.R8, reg.RCX)
	a.Label("next")
	a.VMOVUPS(memory(reg.RBX, 0), reg.Y8)
	a.VMOVUPS(memory(reg.RBX, 32), reg.Y9)
	for n, m := range []operand.Mem{memory(reg.RSI, 0), ahead(reg.RSI, reg.R9, 1), ahead(reg.RSI, reg.R9, 2), ahead(reg.RSI, reg.R10, 1)} {
		a.VBROADCASTSS(m, y(10+n))
	}
	for n := range 8 {
		a.VFMADD231PS(y(8+n%2), y(10+n/2), y(n))
	}
	a.ADDQ(operand.Imm(4), reg.RSI)
	a.ADDQ(operand.Imm(64), reg.RBX)
	a.DECQ(reg.RCX)
	a.JNZ(operand.LabelRef("next"))
	for n := range 8 {
		a.VMOVUPS(y(n), memory(reg.RDI, 32*n))
	}
	a.ADDQ(operand.U32(256), reg.RDI)
	a.ADDQ(reg.R10, reg.RSI)
	a.DECQ(reg.R12)
	a.JNZ(operand.LabelRef("rows"))
	a.VZEROUPPER()
	a.RET()
}
