package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// trig writes the sines and cosines of rows as package math computes them (Cephes, S. Moshier), with the same products
// and sums, in doubles, four lanes at a time.
func trig(a assembler) {
	t := trigRows{assembler: a,
		doubles: a.data("trig", doubles(
			0x8000000000000000,                                         // the sign
			0x3ff45f306dc9c883,                                         // octants in a unit of angle, 4/pi
			0x3fe921fb40000000, 0x3e64442d00000000, 0x3ce8469898cc5170, // pi/4 in three parts
			0x3ff0000000000000, 0x3fe0000000000000, // 1 and 1/2
			// the coefficients of the sine, the highest first
			0x3de5d8fd1fd19ccd, 0xbe5ae5e5a9291f5d, 0x3ec71de3567d48a1, 0xbf2a01a019bfdf03, 0x3f8111111110f7d0, 0xbfc5555555555548,
			// and of the cosine
			0xbda8fa49a0861a9b, 0x3e21ee9d7b4e3f05, 0xbe927e4f7eac4bc6, 0x3efa01a019c844f5, 0xbf56c16c16c14f91, 0x3fa555555555554b)...),
		// 1, ~1, the magnitude of a float, and 2^29 as one: from there on an angle takes more digits of pi
		words: a.data("trigWords", words(1, 0xfffffffe, 0x7fffffff, 0x4e000000)...),
	}
	t.function("sinF32", "func(d, a *uint32, lanes int) (done bool)")
	t.rows(func() {
		a.Comment("the cosine in the second and the fourth quarter; the sign of the angle, turned in the third and the fourth")
		a.VPSLLQ(operand.Imm(62), reg.Y1, reg.Y6)
		a.VBLENDVPD(reg.Y6, reg.Y5, reg.Y4, reg.Y4)
		a.VPSLLQ(operand.Imm(61), reg.Y1, reg.Y6)
		a.VXORPD(reg.Y13, reg.Y6, reg.Y6)
	})
	t.function("cosF32", "func(d, a *uint32, lanes int) (done bool)")
	t.rows(func() {
		a.Comment("the sine in the second and the fourth quarter; the sign turned in the second and the third")
		a.VPSLLQ(operand.Imm(62), reg.Y1, reg.Y6)
		a.VBLENDVPD(reg.Y6, reg.Y4, reg.Y5, reg.Y4)
		a.VPSLLQ(operand.Imm(61), reg.Y1, reg.Y7)
		a.VXORPD(reg.Y7, reg.Y6, reg.Y6)
	})
}

type trigRows struct {
	assembler
	doubles, words operand.Mem
}

// Where the constants are.
const (
	signOf = iota
	octants
	quarterPi
	unit   = 5
	half   = 6
	sine   = 7
	cosine = 13
)

func (t trigRows) double(i int, to reg.Register) { t.VBROADCASTSD(t.doubles.Offset(8*i), to) }

// rows loops over the lanes, unless an angle is 2^29 or more or not a number. quarter leaves the value of four lanes in
// Y4. It finds their octants in Y1, sines in Y4, cosines in Y5 and angles in Y13, and leaves in Y6 the bits that flip
// the sign.
func (t trigRows) rows(quarter func()) {
	t.checkAngles()
	t.constants()
	t.loop("four", func() {
		t.VCVTPS2PD(memory(reg.RSI, 0), reg.Y13)
		t.VANDNPD(reg.Y13, reg.Y12, reg.Y0)
		t.reduce()
		t.sinCos()
		quarter()
		t.VANDPD(reg.Y12, reg.Y6, reg.Y6)
		t.VXORPD(reg.Y6, reg.Y4, reg.Y4)
		t.VCVTPD2PSY(reg.Y4, reg.X4)
		t.VMOVUPS(reg.X4, memory(reg.RDI, 0))
		t.ADDQ(operand.Imm(16), reg.RSI)
		t.ADDQ(operand.Imm(16), reg.RDI)
		t.SUBQ(operand.Imm(4), reg.RCX)
	})
	t.end(1)
	t.Label("far")
	t.end(0)
}

// end returns whether the row is done.
func (t trigRows) end(done uint8) {
	t.VZEROUPPER()
	t.MOVB(operand.U8(done), reg.AL)
	t.Store(reg.AL, t.Return("done"))
	t.RET()
}

// checkAngles goes to far where a lane's angle is not below 2^29, or none.
func (t trigRows) checkAngles() {
	t.arg("d", reg.RDI)
	t.arg("a", reg.RSI)
	t.arg("lanes", reg.RCX)
	t.VPBROADCASTD(t.words.Offset(8), reg.Y14)
	t.VPBROADCASTD(t.words.Offset(12), reg.Y15)
	t.MOVQ(reg.RSI, reg.RDX)
	t.MOVQ(reg.RCX, reg.RBX)
	t.VPCMPEQD(reg.Y13, reg.Y13, reg.Y13)
	t.loop("check", func() {
		t.VPAND(memory(reg.RDX, 0), reg.Y14, reg.Y0)
		t.VPCMPGTD(reg.Y0, reg.Y15, reg.Y0)
		t.VPAND(reg.Y0, reg.Y13, reg.Y13)
		t.ADDQ(operand.Imm(32), reg.RDX)
		t.SUBQ(operand.Imm(8), reg.RBX)
	})
	t.VMOVMSKPS(reg.Y13, reg.EAX)
	t.CMPL(reg.EAX, operand.U32(0xff))
	t.JNE(operand.LabelRef("far"))
}

func (t trigRows) constants() {
	t.double(signOf, reg.Y12)
	t.double(octants, reg.Y8)
	for part := range 3 {
		t.double(quarterPi+part, y(9+part))
	}
	t.VPBROADCASTD(t.words, reg.X14)
	t.VPBROADCASTD(t.words.Offset(4), reg.X15)
}

// reduce reduces the magnitudes of four angles in Y0 to the octant, made even, in Y1, and the rest of the angle in Y2.
func (t trigRows) reduce() {
	t.VMULPD(reg.Y8, reg.Y0, reg.Y1)
	t.VCVTTPD2DQY(reg.Y1, reg.X1)
	t.VPADDD(reg.X14, reg.X1, reg.X1)
	t.VPAND(reg.X15, reg.X1, reg.X1)
	t.VCVTDQ2PD(reg.X1, reg.Y3)
	from := reg.Y0
	for part := range 3 {
		t.VMULPD(y(9+part), reg.Y3, reg.Y4)
		t.VSUBPD(reg.Y4, from, reg.Y2)
		from = reg.Y2
	}
	t.VPMOVSXDQ(reg.X1, reg.Y1)
}

// series evaluates a polynomial of Y3 with six coefficients.
func (t trigRows) series(at int, sum reg.Register) {
	t.double(at, sum)
	for i := range 5 {
		t.VMULPD(reg.Y3, sum, sum)
		t.double(at+1+i, reg.Y6)
		t.VADDPD(reg.Y6, sum, sum)
	}
}

// sinCos computes the sine of Y2 in Y4 and its cosine in Y5.
func (t trigRows) sinCos() {
	t.VMULPD(reg.Y2, reg.Y2, reg.Y3)
	t.series(sine, reg.Y4)
	t.VMULPD(reg.Y3, reg.Y2, reg.Y7)
	t.VMULPD(reg.Y4, reg.Y7, reg.Y4)
	t.VADDPD(reg.Y4, reg.Y2, reg.Y4)
	t.series(cosine, reg.Y5)
	t.VMULPD(reg.Y3, reg.Y3, reg.Y7)
	t.VMULPD(reg.Y5, reg.Y7, reg.Y5)
	t.double(half, reg.Y6)
	t.VMULPD(reg.Y3, reg.Y6, reg.Y6)
	t.double(unit, reg.Y7)
	t.VSUBPD(reg.Y6, reg.Y7, reg.Y6)
	t.VADDPD(reg.Y5, reg.Y6, reg.Y5)
}
