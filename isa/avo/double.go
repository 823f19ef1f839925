package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels on rows of 64-bit values: the high words are in the row after that of the low words, and those of a value for
// eight lanes follow its low words. At most one source is a value. R12 is the vector file from its second row on.

// doubleRow returns a kernel whose code leaves the low words of eight lanes in y(quarter), and the high ones in Y6.
func doubleRow(name string, code rowCode) kernel {
	return doubleKernel(name, func(a assembler, list []source) {
		constants, body := code.bind(a)
		a.toRow(list, constants, func(list []source, q int) {
			a.LEAQ(ahead(reg.R13, reg.R11, 4), reg.R12)
			body(list, q)
			a.VMOVDQU(reg.Y6, operand.Mem{Base: reg.R12, Index: reg.RDI, Scale: 1, Disp: 32 * q})
		})
	})
}

// doubleTest returns a kernel whose code leaves the truth of eight lanes in y(quarter).
func doubleTest(name string, body func(a assembler, list []source, q int)) kernel {
	return doubleKernel(name, func(a assembler, list []source) {
		a.test(list, rowCode{signAndHigh, func(a assembler, list []source, q int) {
			a.LEAQ(ahead(reg.R13, reg.R11, 4), reg.R12)
			body(a, list, q)
		}})
	})
}

func doubleKernel(name string, write func(a assembler, list []source)) kernel {
	return kernel{name: "Double" + name, kind: double, n: 2, any: func(a assembler, form int) { write(a, sources(modesOf(2, form)...)) }}
}

// signAndHigh loads the sign of a word into Y8, and the high words of the source that is a value into Y15.
func signAndHigh(a assembler, list []source) {
	a.VPBROADCASTD(stepConstants.sign, reg.Y8)
	for _, s := range list {
		if s.mode == aValue {
			a.VMOVUPS(operand.Mem{Base: reg.R13, Index: s.offset, Scale: 1, Disp: 32}, reg.Y15)
		}
	}
}

// high8 returns the high words of eight lanes as an operand.
func (s source) high8(quarter int) operand.Op {
	if s.mode == aValue {
		return reg.Y15
	}
	return operand.Mem{Base: reg.R12, Index: s.offset, Scale: 1, Disp: 32 * quarter}
}

// above sets x to whether its words are above those of y, as unsigned ones.
func (a assembler) above(x, y operand.Op) {
	a.VPXOR(reg.Y8, x, x)
	a.VPXOR(reg.Y8, y, y)
	a.VPCMPGTD(y, x, x)
}

var doubleAdd = rowCode{signAndHigh, func(a assembler, list []source, q int) {
	a.VMOVDQU(list[0].lanes8(q), reg.Y4)
	a.VPADDD(list[1].lanes8(q), reg.Y4, reg.Y5)
	a.VMOVDQA(reg.Y5, y(q))
	a.above(reg.Y4, reg.Y5)
	a.VMOVDQU(list[0].high8(q), reg.Y6)
	a.VPADDD(list[1].high8(q), reg.Y6, reg.Y6)
	a.VPSUBD(reg.Y4, reg.Y6, reg.Y6)
}}

var doubleSubtract = rowCode{signAndHigh, func(a assembler, list []source, q int) {
	a.VMOVDQU(list[0].lanes8(q), reg.Y4)
	a.VMOVDQU(list[1].lanes8(q), reg.Y5)
	a.VPSUBD(reg.Y5, reg.Y4, y(q))
	a.above(reg.Y5, reg.Y4)
	a.VMOVDQU(list[0].high8(q), reg.Y6)
	a.VPSUBD(list[1].high8(q), reg.Y6, reg.Y6)
	a.VPADDD(reg.Y5, reg.Y6, reg.Y6)
}}

// doubleMultiply adds the high words of the low words' products to the low words of the others.
var doubleMultiply = rowCode{signAndHigh, func(a assembler, list []source, q int) {
	a.VMOVDQU(list[0].lanes8(q), reg.Y4)
	a.VMOVDQU(list[1].lanes8(q), reg.Y5)
	a.VPMULLD(list[1].high8(q), reg.Y4, reg.Y6)
	a.VPMULLD(list[0].high8(q), reg.Y5, reg.Y7)
	a.VPADDD(reg.Y7, reg.Y6, reg.Y6)
	a.VPMULLD(reg.Y5, reg.Y4, y(q))
	a.highProduct(reg.Y7)
	a.VPADDD(reg.Y7, reg.Y6, reg.Y6)
}}

// doubleShift returns a shift by a distance d, the low words of the second source. code finds the low words in Y4, the high words in Y5, d in Y7,
// 32 - d in Y8 and d - 32 in Y9. A negative distance, which AVX2 reads as a large one, shifts all bits out.
func doubleShift(code func(a assembler, q int)) rowCode {
	return rowCode{func(a assembler, list []source) {
		signAndHigh(a, list)
		a.VPBROADCASTD(stepConstants.double, reg.Y10)
		a.VPBROADCASTD(stepConstants.double.Offset(4), reg.Y11)
	}, func(a assembler, list []source, q int) {
		a.VMOVDQU(list[0].lanes8(q), reg.Y4)
		a.VMOVDQU(list[0].high8(q), reg.Y5)
		a.VPAND(list[1].lanes8(q), reg.Y10, reg.Y7)
		a.VPSUBD(reg.Y7, reg.Y11, reg.Y8)
		a.VPSUBD(reg.Y11, reg.Y7, reg.Y9)
		code(a, q)
	}}
}

func shiftLeft(a assembler, q int) {
	a.VPSLLVD(reg.Y7, reg.Y4, y(q))
	a.VPSLLVD(reg.Y7, reg.Y5, reg.Y6)
	a.VPSRLVD(reg.Y8, reg.Y4, reg.Y5)
	a.VPOR(reg.Y5, reg.Y6, reg.Y6)
	a.VPSLLVD(reg.Y9, reg.Y4, reg.Y5)
	a.VPOR(reg.Y5, reg.Y6, reg.Y6)
}

func shiftRight(a assembler, q int) {
	a.VPSRLVD(reg.Y7, reg.Y5, reg.Y6)
	a.VPSRLVD(reg.Y9, reg.Y5, y(q))
	a.lowOfShift(q)
}

// shiftRightSigned: a negative distance would leave the sign.
func shiftRightSigned(a assembler, q int) {
	a.VPSRAVD(reg.Y7, reg.Y5, reg.Y6)
	a.VPSRAVD(reg.Y9, reg.Y5, y(q))
	a.VPSRAD(operand.Imm(31), reg.Y9, reg.Y9)
	a.VPANDN(y(q), reg.Y9, y(q))
	a.lowOfShift(q)
}

// lowOfShift adds what a shift by less than 32 leaves in the low words.
func (a assembler) lowOfShift(q int) {
	a.VPSLLVD(reg.Y8, reg.Y5, reg.Y5)
	a.VPSRLVD(reg.Y7, reg.Y4, reg.Y4)
	a.VPOR(reg.Y5, reg.Y4, reg.Y4)
	a.VPOR(reg.Y4, y(q), y(q))
}

func doubleEqual(a assembler, list []source, q int) {
	a.VMOVDQU(list[0].lanes8(q), reg.Y4)
	a.VMOVDQU(list[0].high8(q), reg.Y5)
	a.VPCMPEQD(list[1].lanes8(q), reg.Y4, reg.Y4)
	a.VPCMPEQD(list[1].high8(q), reg.Y5, reg.Y5)
	a.VPAND(reg.Y4, reg.Y5, y(q))
}

// doubleAbove compares the high words by high, and the low words where these are equal.
func doubleAbove(high func(a assembler, x, y operand.Op)) func(a assembler, list []source, q int) {
	return func(a assembler, list []source, q int) {
		a.VMOVDQU(list[0].lanes8(q), reg.Y4)
		a.VMOVDQU(list[1].lanes8(q), reg.Y5)
		a.above(reg.Y4, reg.Y5)
		a.VMOVDQU(list[0].high8(q), reg.Y6)
		a.VMOVDQU(list[1].high8(q), reg.Y7)
		a.VPCMPEQD(reg.Y6, reg.Y7, reg.Y5)
		a.VPAND(reg.Y5, reg.Y4, reg.Y4)
		high(a, reg.Y6, reg.Y7)
		a.VPOR(reg.Y4, reg.Y6, y(q))
	}
}

// long emits a step on n scalars of 64 bits: code computes SI from SI and DX.
func long(name string, n int, code func(a assembler)) kernel {
	return kernel{name: "Long" + name, kind: control, custom: func(a assembler) {
		for i, s := range sources(aRow, aRow)[:n] {
			a.scalar(s.field, s.offset, i)
		}
		code(a)
		a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
		a.MOVQ(reg.RSI, ahead(reg.R15, reg.RDI, 1))
		a.next()
	}}
}
