package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wide writes operations on rows of a multiple of eight lanes. A source advances by its step, the bytes from eight
// lanes to the next: 32, or 0 if it is the same in all lanes.
func wide(a assembler) {
	w := wideRows{assembler: a, bits: a.laneBits(), shift: a.data("shiftBits", words(31)...), sign: a.data("sign", words(0x80000000)...),
		oneF64: a.data("one", doubles(0x3ff0000000000000)...)}
	names := []string{"addF32", "subF32", "mulF32", "addI", "subI", "mulI", "andI", "orI", "xorI", "minU", "maxU", "minS", "maxS"}
	for i, p := range pairs {
		w.binary(names[i], p.op)
	}
	w.shifts("shlI", vpsllvd)
	w.shifts("shrI", vpsrlvd)
	w.shifts("sarI", vpsravd)
	w.test("equalI", nil, func() { w.compare(vpcmpeqd) })
	w.test("aboveS", nil, func() { w.compare(vpcmpgtd) })
	w.test("aboveU", func() { a.VPBROADCASTD(w.sign, reg.Y2) }, w.aboveUnsigned)
	for _, p := range floatTests {
		w.test(p.name, nil, func() { w.compareFloats(p.code) })
	}
	w.ternary("fmaF32", nil, w.fma)
	w.ternary("madI", nil, w.multiplyAdd)
	w.ternary("shlAddI", w.shiftMask, w.shiftAdd)
	w.selectBits()
	w.mergeBits()
	w.fill()
	w.unary("sqrtF32", nil, func() { a.VSQRTPS(memory(reg.RSI, 0), reg.Y0) })
	w.unary("rcpF32", func() { a.floatOne(w.oneF64, 2) }, func() { a.VDIVPS(memory(reg.RSI, 0), reg.Y2, reg.Y0) })
	w.inverseRoot()
}

// floatTests lists the comparisons of floats, with the predicates of VCMPPS.
var floatTests = []struct {
	name string
	code uint8
}{{"equalF", 0x00}, {"alikeF", 0x08}, {"belowF", 0x11}, {"atMostF", 0x12}}

type wideRows struct {
	assembler
	bits, shift, sign, oneF64 operand.Mem
}

// A stepped source is a register with an address, and one with the distance from eight lanes to the next.
type stepped struct{ address, step reg.GPPhysical }

var (
	first  = stepped{reg.RSI, reg.R8}
	second = stepped{reg.RDX, reg.R9}
	third  = stepped{reg.RBX, reg.R10}
)

// goOn goes to the next eight lanes.
func (w wideRows) goOn(sources []stepped) {
	for _, s := range sources {
		w.ADDQ(s.step, s.address)
	}
	w.ADDQ(operand.Imm(32), reg.RDI)
	w.SUBQ(operand.Imm(8), reg.RCX)
}

// sources2 loads the arguments of two sources.
func (w wideRows) sources2() {
	w.arg("a", reg.RSI)
	w.arg("b", reg.RDX)
	w.arg("lanes", reg.RCX)
	w.arg("stepA", reg.R8)
	w.arg("stepB", reg.R9)
}

// eachEight goes over eight lanes at a time, which body leaves in Y0, and returns.
func (w wideRows) eachEight(sources []stepped, body func()) {
	w.loop("eight", func() {
		body()
		w.VMOVDQU(reg.Y0, memory(reg.RDI, 0))
		w.goOn(sources)
	})
	w.VZEROUPPER()
	w.RET()
}

func (w wideRows) binary(name string, o op3) {
	w.function(name, "func(d, a, b *uint32, lanes, stepA, stepB int)")
	w.arg("d", reg.RDI)
	w.sources2()
	w.eachEight([]stepped{first, second}, func() {
		w.VMOVDQU(memory(reg.RSI, 0), reg.Y0)
		w.VMOVDQU(memory(reg.RDX, 0), reg.Y1)
		o(w.assembler, reg.Y1, reg.Y0, reg.Y0)
	})
}

func (w wideRows) shiftMask() { w.VPBROADCASTD(w.shift, reg.Y2) }

// shifted shifts Y0 by the second source.
func (w wideRows) shifted(o op3) {
	w.VMOVDQU(memory(reg.RSI, 0), reg.Y0)
	w.VPAND(memory(reg.RDX, 0), reg.Y2, reg.Y1)
	o(w.assembler, reg.Y1, reg.Y0, reg.Y0)
}

func (w wideRows) shifts(name string, o op3) {
	w.function(name, "func(d, a, b *uint32, lanes, stepA, stepB int)")
	w.arg("d", reg.RDI)
	w.sources2()
	w.shiftMask()
	w.eachEight([]stepped{first, second}, func() { w.shifted(o) })
}

// test collects the bits of a comparison, which body leaves in Y0, from the left, eight at a time.
func (w wideRows) test(name string, constants, body func()) {
	w.function(name, "func(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)")
	w.sources2()
	if constants != nil {
		constants()
	}
	w.XORQ(reg.R10, reg.R10)
	w.loop("eight", func() {
		body()
		w.VMOVMSKPS(reg.Y0, reg.EAX)
		w.SHLQ(operand.Imm(56), reg.RAX)
		w.SHRQ(operand.Imm(8), reg.R10)
		w.ORQ(reg.RAX, reg.R10)
		w.ADDQ(reg.R8, reg.RSI)
		w.ADDQ(reg.R9, reg.RDX)
		w.SUBQ(operand.Imm(8), reg.RCX)
	})
	w.arg("lanes", reg.RAX)
	w.MOVQ(operand.U32(64), reg.RCX)
	w.SUBQ(reg.RAX, reg.RCX)
	w.SHRQ(reg.CL, reg.R10)
	w.Store(reg.R10, w.Return("mask"))
	w.VZEROUPPER()
	w.RET()
}

func (w wideRows) compare(o op3) {
	w.VMOVDQU(memory(reg.RSI, 0), reg.Y0)
	w.VMOVDQU(memory(reg.RDX, 0), reg.Y1)
	o(w.assembler, reg.Y1, reg.Y0, reg.Y0)
}

func (w wideRows) compareFloats(predicate uint8) {
	w.VMOVUPS(memory(reg.RSI, 0), reg.Y0)
	w.VCMPPS(operand.U8(predicate), memory(reg.RDX, 0), reg.Y0, reg.Y0)
}

func (w wideRows) aboveUnsigned() {
	w.VPXOR(memory(reg.RSI, 0), reg.Y2, reg.Y0)
	w.VPXOR(memory(reg.RDX, 0), reg.Y2, reg.Y1)
	w.VPCMPGTD(reg.Y1, reg.Y0, reg.Y0)
}

func (w wideRows) ternary(name string, constants, body func()) {
	w.function(name, "func(d, a, b, c *uint32, lanes, stepA, stepB, stepC int)")
	w.arg("d", reg.RDI)
	w.arg("c", reg.RBX)
	w.arg("stepC", reg.R10)
	w.sources2()
	if constants != nil {
		constants()
	}
	w.eachEight([]stepped{first, second, third}, body)
}

func (w wideRows) fma() {
	w.VMOVUPS(memory(reg.RSI, 0), reg.Y1)
	w.VMOVUPS(memory(reg.RBX, 0), reg.Y0)
	w.VFMADD231PS(memory(reg.RDX, 0), reg.Y1, reg.Y0)
}

func (w wideRows) multiplyAdd() {
	w.VMOVDQU(memory(reg.RSI, 0), reg.Y0)
	w.VPMULLD(memory(reg.RDX, 0), reg.Y0, reg.Y0)
	w.VPADDD(memory(reg.RBX, 0), reg.Y0, reg.Y0)
}

func (w wideRows) shiftAdd() {
	w.shifted(vpsllvd)
	w.VPADDD(memory(reg.RBX, 0), reg.Y0, reg.Y0)
}

// loadMask makes a mask of eight lanes in Y2 of the low bits of R10.
func (w wideRows) loadMask() {
	w.MOVBLZX(reg.R10B, reg.R11L)
	w.spreadBits(reg.R11L, 2, reg.Y3)
	w.SHRQ(operand.Imm(8), reg.R10)
}

func (w wideRows) selectBits() {
	w.function("selectBits", "func(d, a, b *uint32, lanes, stepA, stepB int, mask uint64)")
	w.arg("d", reg.RDI)
	w.sources2()
	w.arg("mask", reg.R10)
	w.VMOVDQU(w.bits, reg.Y3)
	w.eachEight([]stepped{first, second}, func() {
		w.loadMask()
		w.VMOVDQU(memory(reg.RDX, 0), reg.Y1)
		w.VBLENDVPS(reg.Y2, memory(reg.RSI, 0), reg.Y1, reg.Y0)
	})
}

func (w wideRows) mergeBits() {
	w.function("mergeBits", "func(d, s *uint32, lanes int, mask uint64)")
	w.arg("d", reg.RDI)
	w.arg("s", reg.RSI)
	w.arg("lanes", reg.RCX)
	w.arg("mask", reg.R10)
	w.MOVQ(operand.U32(32), reg.R8)
	w.VMOVDQU(w.bits, reg.Y3)
	w.eachEight([]stepped{first}, func() {
		w.loadMask()
		w.VMOVDQU(memory(reg.RDI, 0), reg.Y1)
		w.VBLENDVPS(reg.Y2, memory(reg.RSI, 0), reg.Y1, reg.Y0)
	})
}

func (w wideRows) fill() {
	w.function("fillI", "func(d *uint32, lanes int, x uint32)")
	w.arg("d", reg.RDI)
	w.arg("lanes", reg.RCX)
	w.arg("x", reg.EAX)
	w.VMOVD(reg.EAX, reg.X0)
	w.VPBROADCASTD(reg.X0, reg.Y0)
	w.eachEight(nil, func() {})
}

func (w wideRows) sources1() {
	w.arg("d", reg.RDI)
	w.arg("a", reg.RSI)
	w.arg("lanes", reg.RCX)
	w.arg("stepA", reg.R8)
}

func (w wideRows) unary(name string, constants, body func()) {
	w.function(name, "func(d, a *uint32, lanes, stepA int)")
	w.sources1()
	if constants != nil {
		constants()
	}
	w.eachEight([]stepped{first}, body)
}

// inverseRoot rounds the results of doubles.
func (w wideRows) inverseRoot() {
	w.function("rsqF32", "func(d, a *uint32, lanes, stepA int)")
	w.sources1()
	w.VBROADCASTSD(w.oneF64, reg.Y2)
	w.loop("eight", func() {
		for h := range 2 {
			w.VCVTPS2PD(memory(reg.RSI, 16*h), y(h))
		}
		for h := range 2 {
			w.VSQRTPD(y(h), y(h))
		}
		for h := range 2 {
			w.VDIVPD(y(h), reg.Y2, y(h))
		}
		for h := range 2 {
			w.VCVTPD2PSY(y(h), x(h))
			w.VMOVUPS(x(h), memory(reg.RDI, 16*h))
		}
		w.goOn([]stepped{first})
	})
	w.VZEROUPPER()
	w.RET()
}
