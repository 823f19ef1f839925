package main

import (
	"bytes"
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels work on rows of a multiple of 32 lanes and on scalars. One on rows finds its result at DI and its sources at SI, DX and BX, each of
// which goes on by R8, R9 and R10 bytes from eight lanes to the next: 32, or 0 where it is the same in all lanes; lanes in R11 and CX. One of
// whole rows finds their places in its step, at AX. A test leaves its lanes in SI, and DI and BX as they are; a select finds its mask in SI.
// One on scalars finds them in SI, DX and BX, leaves its result in SI, and DI, R14 and R15 as they are. All leave R11, R13 and AX.

// An op3 is an instruction with three operands, the last of which it writes.
type op3 = func(a assembler, x, y, z operand.Op)

var (
	vpsllvd  op3 = func(a assembler, x, y, z operand.Op) { a.VPSLLVD(x, y, z) }
	vpsrlvd  op3 = func(a assembler, x, y, z operand.Op) { a.VPSRLVD(x, y, z) }
	vpsravd  op3 = func(a assembler, x, y, z operand.Op) { a.VPSRAVD(x, y, z) }
	vpcmpeqd op3 = func(a assembler, x, y, z operand.Op) { a.VPCMPEQD(x, y, z) }
	vpcmpgtd op3 = func(a assembler, x, y, z operand.Op) { a.VPCMPGTD(x, y, z) }
)

// stepConstants are what kernels load: the double 1, the bits of a shift, the sign of a word, 65536 as a float.
var stepConstants struct{ one, shift, sign, high, lanes, root operand.Mem }

func stepsFile() ([]byte, error) {
	text, err := assembly(func(a assembler) {
		c := &stepConstants
		c.one = a.data("fuseOne", doubles(0x3ff0000000000000)...)
		c.shift = a.data("fuseBits", words(31)...)
		c.sign = a.data("fuseSign", words(0x80000000)...)
		c.high = a.data("fuseHigh", words(0x47800000)...)
		c.lanes = a.laneBits()
		// 1; the coefficients of 1/sqrt(1-e) - 1, the highest first; a little less and a little more than 1
		c.root = a.data("fuseRoot", doubles(0x3ff0000000000000, 0x3fd4000000000000, 0x3fd8000000000000, 0x3fe0000000000000, 0x3fefffffffffe000, 0x3ff0000000001000)...)
		for _, k := range kernels {
			a.kernel(k.symbol())
			k.code(a)
		}
	})()
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(text)
	b.WriteString("\n// The kernels by their numbers.\n")
	for i, k := range kernels {
		fmt.Fprintf(b, "DATA ·kernels+%d(SB)/8, $·%s(SB)\n", 8*i, k.symbol())
	}
	fmt.Fprintf(b, "GLOBL ·kernels(SB), %s, $%d\n", attr.NOPTR.Asm(), 8*len(kernels))
	return b.Bytes(), nil
}

// A source is a register with an address, and the one with how far it is from eight lanes to the next.
type source struct {
	at, step reg.GPPhysical
	third    reg.GPPhysical // three steps, where 32 lanes are taken at a time
}

var (
	first  = source{reg.RSI, reg.R8, reg.R12}
	second = source{reg.RDX, reg.R9, reg.R15}
	third  = source{reg.RBX, reg.R10, reg.R14}
)

// quarter is eight of 32 lanes.
func (s source) quarter(n int) operand.Mem {
	switch n {
	case 0:
		return at(s.at, 0)
	case 3:
		return ahead(s.at, s.third, 1)
	}
	return ahead(s.at, s.step, uint8(n))
}

// by32 goes over 32 lanes at a time of sources that lie apart by steps; what body leaves in Y0 to Y3, or where result says, is stored.
func (a assembler) by32(sources []source, result int, constants, body func()) {
	for _, s := range sources {
		a.LEAQ(ahead(s.step, s.step, 2), s.third)
	}
	if constants != nil {
		constants()
	}
	a.loop("more", func() {
		body()
		for n := range 4 {
			a.VMOVUPS(y(result+n), at(reg.RDI, 32*n))
		}
		for _, s := range sources {
			a.LEAQ(ahead(s.at, s.step, 4), s.at)
		}
		a.ADDQ(operand.Imm(128), reg.RDI)
		a.SUBQ(operand.Imm(32), reg.RCX)
	})
	a.RET()
}

// load4 loads 32 lanes from register y(n) on.
func (a assembler) load4(s source, n int) {
	for q := range 4 {
		a.VMOVUPS(s.quarter(q), y(n+q))
	}
}

func move(a assembler) {
	a.by32([]source{first}, 0, nil, func() { a.load4(first, 0) })
}

// pairs is an operation on two rows.
func (a assembler) pairs(o op3) {
	a.by32([]source{first, second}, 0, nil, func() {
		a.load4(first, 0)
		for q := range 4 {
			o(a, second.quarter(q), y(q), y(q))
		}
	})
}

func (a assembler) shiftMask() { a.VPBROADCASTD(stepConstants.shift, reg.Y8) }

// shifted shifts Y0 to Y3 by the second source.
func (a assembler) shifted(o op3) {
	a.load4(first, 0)
	for q := range 4 {
		a.VPAND(second.quarter(q), reg.Y8, y(4+q))
	}
	for q := range 4 {
		o(a, y(4+q), y(q), y(q))
	}
}

func shift(o op3) func(a assembler) {
	return func(a assembler) {
		a.by32([]source{first, second}, 0, a.shiftMask, func() { a.shifted(o) })
	}
}

func fma(a assembler) {
	a.by32([]source{first, second, third}, 4, nil, func() {
		a.load4(first, 0)
		a.load4(third, 4)
		for q := range 4 {
			a.VFMADD231PS(second.quarter(q), y(q), y(4+q))
		}
	})
}

func multiplyAdd(a assembler) {
	a.by32([]source{first, second, third}, 0, nil, func() {
		a.load4(first, 0)
		for q := range 4 {
			a.VPMULLD(second.quarter(q), y(q), y(q))
		}
		a.addThird()
	})
}

// addThird adds the third source to Y0 to Y3.
func (a assembler) addThird() {
	for q := range 4 {
		a.VPADDD(third.quarter(q), y(q), y(q))
	}
}

func shiftAdd(a assembler) {
	a.by32([]source{first, second, third}, 0, a.shiftMask, func() {
		a.shifted(vpsllvd)
		a.addThird()
	})
}

func root(a assembler) {
	a.by32([]source{first}, 0, nil, func() {
		for q := range 4 {
			a.VSQRTPS(first.quarter(q), y(q))
		}
	})
}

// floatOne puts eight floats of 1 into a register; one is the double.
func (a assembler) floatOne(one operand.Mem, n int) {
	a.VBROADCASTSD(one, y(n))
	a.VCVTPD2PSY(y(n), x(n))
	a.VINSERTF128(operand.Imm(1), x(n), y(n), y(n))
}

func reciprocal(a assembler) {
	a.by32([]source{first}, 0, func() { a.floatOne(stepConstants.one, 8) }, func() {
		for q := range 4 {
			a.VDIVPS(first.quarter(q), reg.Y8, y(q))
		}
	})
}

// by8 goes over eight lanes at a time: body leaves them in Y0.
func (a assembler) by8(sources []source, constants, body func()) {
	if constants != nil {
		constants()
	}
	a.loop("eight", func() {
		body()
		a.VMOVUPS(reg.Y0, at(reg.RDI, 0))
		a.goOn(sources)
	})
	a.RET()
}

// goOn goes to the next eight lanes.
func (a assembler) goOn(sources []source) {
	for _, s := range sources {
		a.ADDQ(s.step, s.at)
	}
	a.ADDQ(operand.Imm(32), reg.RDI)
	a.SUBQ(operand.Imm(8), reg.RCX)
}

// inverse makes p of y, which is 1/sqrt(x) but for 2^-11, what is so but for 2^-43: e is 1 - x*y*y.
func (a assembler) inverse(x, y, e, p operand.Op) {
	a.VMULPD(y, y, e)
	a.VFNMADD213PD(reg.Y8, x, e)
	a.VMOVAPD(reg.Y9, p)
	a.VFMADD213PD(reg.Y10, e, p)
	a.VFMADD213PD(reg.Y11, e, p)
	a.VMULPD(e, p, p)
	a.VFMADD213PD(y, y, p)
}

// inverseRoot: where a float is the same whether the root is a little less or a little more, it is the one that the double of the root
// rounds to; elsewhere, and of what has no root, that double is worked out.
func inverseRoot(a assembler) {
	for i, n := range []int{8, 9, 10, 11, 14, 15} {
		a.VBROADCASTSD(stepConstants.root.Offset(8*i), y(n))
	}
	a.Label("eight")
	a.VRSQRTPS(at(reg.RSI, 0), reg.Y1)
	a.VCVTPS2PD(at(reg.RSI, 0), reg.Y2)
	a.VCVTPS2PD(at(reg.RSI, 16), reg.Y3)
	a.VCVTPS2PD(reg.X1, reg.Y4)
	a.VEXTRACTF128(operand.Imm(1), reg.Y1, reg.X5)
	a.VCVTPS2PD(reg.X5, reg.Y5)
	a.inverse(reg.Y2, reg.Y4, reg.Y6, reg.Y12)
	a.inverse(reg.Y3, reg.Y5, reg.Y7, reg.Y13)
	a.VMULPD(reg.Y14, reg.Y12, reg.Y4)
	a.VMULPD(reg.Y15, reg.Y12, reg.Y5)
	a.VMULPD(reg.Y14, reg.Y13, reg.Y6)
	a.VMULPD(reg.Y15, reg.Y13, reg.Y7)
	for n := 4; n < 8; n++ {
		a.VCVTPD2PSY(y(n), x(n))
	}
	a.VCMPPS(operand.Imm(0), reg.X4, reg.X5, reg.X5)
	a.VCMPPS(operand.Imm(0), reg.X6, reg.X7, reg.X7)
	a.VANDPS(reg.X5, reg.X7, reg.X7)
	a.Comment("no root is negative, but for what denormals give")
	a.VORPS(reg.X4, reg.X6, reg.X5)
	a.VANDNPS(reg.X7, reg.X5, reg.X7)
	a.VMOVMSKPS(reg.X7, reg.R12L)
	a.CMPL(reg.R12L, operand.Imm(15))
	a.JNE(operand.LabelRef("exact"))
	a.Label("store")
	a.VMOVUPS(reg.X4, at(reg.RDI, 0))
	a.VMOVUPS(reg.X6, at(reg.RDI, 16))
	a.goOn([]source{first})
	a.JG(operand.LabelRef("eight"))
	a.RET()
	a.Label("exact")
	for _, r := range [][2]int{{2, 4}, {3, 6}} {
		a.VSQRTPD(y(r[0]), y(r[1]))
		a.VDIVPD(y(r[1]), reg.Y8, y(r[1]))
		a.VCVTPD2PSY(y(r[1]), x(r[1]))
	}
	a.JMP(operand.LabelRef("store"))
}

func high(a assembler) {
	a.by8([]source{first, second}, nil, func() {
		a.Comment("products of even lanes, then of odd ones")
		a.VMOVDQU(at(reg.RSI, 0), reg.Y0)
		a.VMOVDQU(at(reg.RDX, 0), reg.Y1)
		a.VPMULUDQ(reg.Y1, reg.Y0, reg.Y2)
		a.VPSRLQ(operand.Imm(32), reg.Y0, reg.Y0)
		a.VPSRLQ(operand.Imm(32), reg.Y1, reg.Y1)
		a.VPMULUDQ(reg.Y1, reg.Y0, reg.Y0)
		a.VPSRLQ(operand.Imm(32), reg.Y2, reg.Y2)
		a.VPBLENDD(operand.Imm(0xaa), reg.Y0, reg.Y2, reg.Y0)
	})
}

func add3(a assembler) {
	a.by8([]source{first, second, third}, nil, func() {
		a.VMOVDQU(at(reg.RSI, 0), reg.Y0)
		a.VPADDD(at(reg.RDX, 0), reg.Y0, reg.Y0)
		a.VPADDD(at(reg.RBX, 0), reg.Y0, reg.Y0)
	})
}

func shiftOr(a assembler) {
	a.by8([]source{first, second, third}, a.shiftMask, func() {
		a.VMOVDQU(at(reg.RSI, 0), reg.Y0)
		a.VPAND(at(reg.RDX, 0), reg.Y8, reg.Y1)
		a.VPSLLVD(reg.Y1, reg.Y0, reg.Y0)
		a.VPOR(at(reg.RBX, 0), reg.Y0, reg.Y0)
	})
}

func fromSigned(a assembler) {
	a.by8([]source{first}, nil, func() { a.VCVTDQ2PS(at(reg.RSI, 0), reg.Y0) })
}

// fromUnsigned: both halves of a word are exact, so that their sum rounds once.
func fromUnsigned(a assembler) {
	a.by8([]source{first}, func() { a.VBROADCASTSS(stepConstants.high, reg.Y8) }, func() {
		a.VMOVDQU(at(reg.RSI, 0), reg.Y0)
		a.VPSRLD(operand.Imm(16), reg.Y0, reg.Y1)
		a.VPSLLD(operand.Imm(16), reg.Y0, reg.Y0)
		a.VPSRLD(operand.Imm(16), reg.Y0, reg.Y0)
		a.VCVTDQ2PS(reg.Y1, reg.Y1)
		a.VCVTDQ2PS(reg.Y0, reg.Y0)
		a.VMULPS(reg.Y8, reg.Y1, reg.Y1)
		a.VADDPS(reg.Y1, reg.Y0, reg.Y0)
	})
}

// spreadBits gives each of eight lanes of a register all ones where its bit in the low byte of r is set; bits has a bit for each.
func (a assembler) spreadBits(r reg.Register, to int, bits operand.Op) {
	a.VMOVD(r, x(to))
	a.VPBROADCASTD(x(to), y(to))
	a.VPAND(bits, y(to), y(to))
	a.VPCMPEQD(bits, y(to), y(to))
}

func selectBits(a assembler) {
	a.by8([]source{second, third}, func() { a.VMOVDQU(stepConstants.lanes, reg.Y8) }, func() {
		a.spreadBits(reg.ESI, 2, reg.Y8)
		a.VMOVUPS(at(reg.RBX, 0), reg.Y1)
		a.VBLENDVPS(reg.Y2, at(reg.RDX, 0), reg.Y1, reg.Y0)
		a.SHRQ(operand.Imm(8), reg.RSI)
	})
}

// collect goes over eight lanes at a time, whose truth body leaves in Y0: it comes in at the bottom of R14, and turns to its place.
func (a assembler) collect(body func()) {
	a.XORQ(reg.R14, reg.R14)
	a.loop("eight", func() {
		body()
		a.VMOVMSKPS(reg.Y0, reg.R12L)
		a.ORQ(reg.R12, reg.R14)
		a.RORQ(operand.Imm(8), reg.R14)
		a.ADDQ(reg.R8, reg.RSI)
		a.ADDQ(reg.R9, reg.RDX)
		a.SUBQ(operand.Imm(8), reg.RCX)
	})
	a.MOVQ(reg.R11, reg.RCX)
	a.ROLQ(reg.CL, reg.R14)
	a.MOVQ(reg.R14, reg.RSI)
	a.RET()
}

func compare(o op3) func(a assembler) {
	return func(a assembler) {
		a.collect(func() {
			a.VMOVDQU(at(reg.RSI, 0), reg.Y0)
			o(a, at(reg.RDX, 0), reg.Y0, reg.Y0)
		})
	}
}

func compareFloats(predicate uint8) func(a assembler) {
	return func(a assembler) {
		a.collect(func() {
			a.VMOVUPS(at(reg.RSI, 0), reg.Y0)
			a.VCMPPS(operand.U8(predicate), at(reg.RDX, 0), reg.Y0, reg.Y0)
		})
	}
}

// aboveUnsigned compares with signs turned.
func aboveUnsigned(a assembler) {
	a.VPBROADCASTD(stepConstants.sign, reg.Y8)
	a.collect(func() {
		a.VPXOR(at(reg.RSI, 0), reg.Y8, reg.Y0)
		a.VPXOR(at(reg.RDX, 0), reg.Y8, reg.Y1)
		a.VPCMPGTD(reg.Y1, reg.Y0, reg.Y0)
	})
}

// scalar is an instruction on SI and DX, of 32 bits where its name ends with L.
func scalar(o func(a assembler, x, y operand.Op)) func(a assembler) {
	return func(a assembler) {
		o(a, reg.RDX, reg.RSI)
		a.RET()
	}
}

func scalar32(o func(a assembler, x, y operand.Op)) func(a assembler) {
	return func(a assembler) {
		o(a, reg.EDX, reg.ESI)
		a.RET()
	}
}

func scalarShift(o func(a assembler, ops ...operand.Op)) func(a assembler) {
	return func(a assembler) {
		a.MOVQ(reg.RDX, reg.RCX)
		o(a, reg.CL, reg.ESI)
		a.RET()
	}
}

// truth sets SI to 1 or 0 by a comparison of SI with DX.
func truth(o func(a assembler, x operand.Op)) func(a assembler) {
	return func(a assembler) {
		a.CMPL(reg.ESI, reg.EDX)
		o(a, reg.SIB)
		a.MOVBLZX(reg.SIB, reg.ESI)
		a.RET()
	}
}

// wordMove drops the upper half.
func wordMove(a assembler) {
	a.ANDL(reg.ESI, reg.ESI)
	a.RET()
}

func maskNot(a assembler) {
	a.NOTQ(reg.RSI)
	a.RET()
}

func maskEqual(a assembler) {
	a.XORQ(reg.RDX, reg.RSI)
	a.NOTQ(reg.RSI)
	a.RET()
}

func maskSelect(a assembler) {
	a.XORQ(reg.RBX, reg.RDX)
	a.ANDQ(reg.RDX, reg.RSI)
	a.XORQ(reg.RBX, reg.RSI)
	a.RET()
}

func maskToLanes(a assembler) {
	a.NEGQ(reg.RSI)
	a.SBBQ(reg.RSI, reg.RSI)
	a.RET()
}

// wholeRows goes over 32 lanes at a time of rows whose places are in the step.
func (a assembler) wholeRows(sources []source, result int, body func()) {
	fields := map[reg.GPPhysical]string{reg.RDI: "rowStep_d", reg.RSI: "rowStep_a", reg.RDX: "rowStep_b", reg.RBX: "rowStep_c"}
	places := []reg.GPPhysical{reg.RDI}
	for _, s := range sources {
		places = append(places, s.at)
	}
	for _, r := range places {
		a.MOVLQSX(field(fields[r], reg.RAX), r)
	}
	for _, r := range places {
		a.ADDQ(reg.R13, r)
	}
	a.MOVQ(reg.R11, reg.RCX)
	a.loop("more", func() {
		body()
		for n := range 4 {
			a.VMOVUPS(y(result+n), at(reg.RDI, 32*n))
		}
		for i := range places {
			a.ADDQ(operand.Imm(128), places[len(places)-1-i])
		}
		a.SUBQ(operand.Imm(32), reg.RCX)
	})
	a.RET()
}

// rows4 loads 32 lanes of a whole row from register y(n) on.
func (a assembler) rows4(s source, n int) {
	for q := range 4 {
		a.VMOVUPS(at(s.at, 32*q), y(n+q))
	}
}

// wholePairs is an operation on two whole rows.
func (a assembler) wholePairs(o op3) {
	a.wholeRows([]source{first, second}, 0, func() {
		a.rows4(first, 0)
		for q := range 4 {
			o(a, at(reg.RDX, 32*q), y(q), y(q))
		}
	})
}

func wholeFma(a assembler) {
	a.wholeRows([]source{first, second, third}, 4, func() {
		a.rows4(first, 0)
		a.rows4(third, 4)
		for q := range 4 {
			a.VFMADD231PS(at(reg.RDX, 32*q), y(q), y(4+q))
		}
	})
}

func wholeMove(a assembler) {
	a.wholeRows([]source{first}, 0, func() { a.rows4(first, 0) })
}
