package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel executes the step at AX and jumps to the kernel of the next one; the last kernel returns. R13 is the vector
// file, R15 the scalar registers, R11 the number of lanes (a multiple of 32), R14 the stepRun, or for a flow's steps
// the CompiledRun that begins with it. R8 and R9 are a flow's remaining budget and its executed instructions. All other
// registers are free. A kernel on rows leaves 32 lanes of its result in Y0 to Y3, for the next one.

// An op3 is an instruction with three operands, of which it writes the last.
type op3 = func(a assembler, x, y, z operand.Op)

var (
	vpsllvd  op3 = func(a assembler, x, y, z operand.Op) { a.VPSLLVD(x, y, z) }
	vpsrlvd  op3 = func(a assembler, x, y, z operand.Op) { a.VPSRLVD(x, y, z) }
	vpsravd  op3 = func(a assembler, x, y, z operand.Op) { a.VPSRAVD(x, y, z) }
	vpcmpeqd op3 = func(a assembler, x, y, z operand.Op) { a.VPCMPEQD(x, y, z) }
	vpcmpgtd op3 = func(a assembler, x, y, z operand.Op) { a.VPCMPGTD(x, y, z) }
)

// stepConstants holds the constants of kernels: the double 1, the bits of a shift, the sign of a word, 65536 as a
// float, 63 and 32.
var stepConstants struct{ one, shift, sign, high, double, lanes, root operand.Mem }

func stepsFile() ([]byte, error) {
	text, err := assembly(func(a assembler) {
		c := &stepConstants
		c.one = a.data("fuseOne", doubles(0x3ff0000000000000)...)
		c.shift = a.data("fuseBits", words(31)...)
		c.sign = a.data("fuseSign", words(0x80000000)...)
		c.high = a.data("fuseHigh", words(0x47800000)...)
		c.double = a.data("fuseDouble", words(63, 32)...)
		c.lanes = a.laneBits()
		// 1; the coefficients of 1/sqrt(1-e) - 1, the highest first; a little less and a little more than 1
		c.root = a.data("fuseRoot", doubles(0x3ff0000000000000, 0x3fd4000000000000, 0x3fd8000000000000, 0x3fe0000000000000, 0x3fefffffffffe000, 0x3ff0000000001000)...)
		for _, k := range kernels {
			for v := range k.forms() {
				a.kernel(k.symbol(v))
				k.write(a, v)
			}
		}
	})()
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(text)
	b.WriteString("\n// The kernels by their numbers.\n")
	n := 0
	for _, k := range kernels {
		for v := range k.forms() {
			fmt.Fprintf(b, "DATA ·kernels+%d(SB)/8, $·%s(SB)\n", 8*n, k.symbol(v))
			n++
		}
	}
	fmt.Fprintf(b, "GLOBL ·kernels(SB), %s, $%d\n", attr.NOPTR.Asm(), 8*n)
	return b.Bytes(), nil
}

// next continues with the step after this one.
func (a assembler) next() {
	a.LEAQ(field("rowStep__size", reg.RAX), reg.RAX)
	a.dispatch()
}

// dispatch carries out the step at AX.
func (a assembler) dispatch() {
	a.MOVQ(field("rowStep_kernel", reg.RAX), reg.R12)
	a.Instruction(&ir.Instruction{Opcode: "JMP", Operands: []operand.Op{reg.R12}, Inputs: []operand.Op{reg.R12}, IsTerminal: true})
}

// A source is an operand of a step: a row of lanes, whose offset is loaded into a register, a value for eight lanes, or
// the last kernel's result.
type source struct {
	field  string
	offset reg.GPPhysical
	value  reg.VecPhysical // for a value that is the same in all lanes
	mode
	chained bool // a source of the step is the last kernel's result
}

type mode byte

const (
	aRow   mode = 'R'
	aValue mode = 'V'
	aLast  mode = 'Y'
)

// sources returns the sources of a step.
func sources(modes ...mode) []source {
	list := []source{{"rowStep_a", reg.RSI, reg.Y12, 0, false}, {"rowStep_b", reg.RDX, reg.Y13, 0, false}, {"rowStep_c", reg.RBX, reg.Y14, 0, false}}[:len(modes)]
	for i := range list {
		list[i].mode, list[i].chained = modes[i], slices.Contains(modes, aLast)
	}
	return list
}

// modesOf returns the modes of n sources in a form. In the first forms, a bit for each source is set if it is a value;
// at least one source is a row unless there is only one. In the next forms one source, counted from the first, is the
// last kernel's result, with bits for the others; in the last form of two sources both are.
func modesOf(n, form int) (list []mode) {
	last, bits := -1, form
	if plain := 1<<n - 1; n > 1 && form >= plain {
		last, bits = (form-plain)>>(n-1), (form-plain)&(1<<(n-1)-1)
	}
	for i := range n {
		if i == last || last == n {
			list = append(list, aLast)
			continue
		}
		list = append(list, []mode{aRow, aValue}[bits&1])
		bits >>= 1
	}
	return list
}

// lanes8 returns eight lanes, a quarter of 32, as an operand.
func (s source) lanes8(quarter int) operand.Op {
	switch s.mode {
	case aValue:
		return s.value
	case aLast:
		return y(quarter)
	}
	return operand.Mem{Base: reg.R13, Index: s.offset, Scale: 1, Disp: 32 * quarter}
}

// load8 returns a register that holds eight lanes.
func (a assembler) load8(s source, quarter int) reg.VecPhysical {
	to := y(quarter)
	switch {
	case s.mode == aValue:
		return s.value
	case s.mode == aLast:
		return to
	case s.chained:
		to = y(4 + quarter)
	}
	a.VMOVUPS(s.lanes8(quarter), to)
	return to
}

// onRows emits a step on rows, 32 lanes at a time: body leaves eight of them in y(quarter), and done handles the result
// of 32. end follows the last ones. A step with the last kernel's result as a source has 32 lanes.
func (a assembler) onRows(list []source, constants func(list []source), body func(list []source, quarter int), done, end func()) {
	chained := list[0].chained
	for _, s := range list {
		if s.mode != aLast {
			a.MOVL(field(s.field, reg.RAX), s.offset.As32())
		}
	}
	a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
	for _, s := range list {
		if s.mode == aValue {
			a.VMOVUPS(ahead(reg.R13, s.offset, 1), s.value)
		}
	}
	if constants != nil {
		constants(list)
	}
	if !chained {
		a.MOVL(reg.R11L, reg.ECX)
		a.Label("more")
	}
	for q := range 4 {
		body(list, q)
	}
	done()
	if !chained {
		a.SUBL(operand.Imm(32), reg.ECX)
		a.JG(operand.LabelRef("onward"))
	}
	end()
	if !chained {
		a.advanceRows(list)
	}
}

// advanceRows goes to the next 32 lanes.
func (a assembler) advanceRows(list []source) {
	a.Label("onward")
	for _, s := range list {
		if s.mode == aRow {
			a.ADDQ(operand.Imm(128), s.offset)
		}
	}
	a.ADDQ(operand.Imm(128), reg.RDI)
	a.JMP(operand.LabelRef("more"))
}

// toRow emits a step whose result is a row.
func (a assembler) toRow(list []source, constants func(list []source), body func(list []source, quarter int)) {
	a.onRows(list, constants, body, func() {
		for q := range 4 {
			a.VMOVUPS(y(q), operand.Mem{Base: reg.R13, Index: reg.RDI, Scale: 1, Disp: 32 * q})
		}
	}, a.next)
}

// A rowCode is the code of a kernel on rows: constants loads constants before the loop, and body leaves eight lanes in
// y(quarter).
type rowCode struct {
	constants func(a assembler, list []source)
	body      func(a assembler, list []source, quarter int)
}

func (c rowCode) bind(a assembler) (constants func(list []source), body func(list []source, quarter int)) {
	if c.constants != nil {
		constants = func(list []source) { c.constants(a, list) }
	}
	return constants, func(list []source, quarter int) { c.body(a, list, quarter) }
}

// copyRow moves a row.
var copyRow = rowCode{body: func(a assembler, list []source, q int) { a.VMOVUPS(list[0].lanes8(q), y(q)) }}

// pair returns an operation on two rows.
func pair(o op3) rowCode {
	return rowCode{body: func(a assembler, list []source, q int) { o(a, list[1].lanes8(q), a.load8(list[0], q), y(q)) }}
}

// unary returns an operation on one row.
func unary(o func(a assembler, x, y operand.Op)) rowCode {
	return rowCode{body: func(a assembler, list []source, q int) { o(a, list[0].lanes8(q), y(q)) }}
}

// shiftMask keeps the significant bits of the shift distance, source by.
func shiftMask(by int) func(a assembler, list []source) {
	return func(a assembler, list []source) {
		a.VPBROADCASTD(stepConstants.shift, reg.Y8)
		if list[by].mode == aValue {
			a.VPAND(list[by].value, reg.Y8, list[by].value)
		}
	}
}

// distance returns how far eight lanes are shifted.
func (a assembler) distance(by source, q int) operand.Op {
	if by.mode == aValue {
		return by.value
	}
	a.VPAND(by.lanes8(q), reg.Y8, reg.Y9)
	return reg.Y9
}

func shift(o op3) rowCode {
	return rowCode{shiftMask(1), func(a assembler, list []source, q int) { o(a, a.distance(list[1], q), a.load8(list[0], q), y(q)) }}
}

// compose applies an operation to the third source and the result of code.
func compose(code rowCode, o op3) rowCode {
	return rowCode{code.constants, func(a assembler, list []source, q int) {
		third := list[2].lanes8(q)
		if list[2].mode == aLast {
			third = reg.Y10
			a.VMOVDQA(y(q), third)
		}
		code.body(a, list, q)
		o(a, third, y(q), y(q))
	}}
}

var (
	vpaddd  op3 = func(a assembler, x, y, z operand.Op) { a.VPADDD(x, y, z) }
	vpmulld op3 = func(a assembler, x, y, z operand.Op) { a.VPMULLD(x, y, z) }
)

var addShift = rowCode{shiftMask(2), func(a assembler, list []source, q int) {
	by := a.distance(list[2], q)
	vpaddd(a, list[1].lanes8(q), a.load8(list[0], q), y(q))
	vpsllvd(a, by, y(q), y(q))
}}

// fma takes its third source to where the result is.
var fma = rowCode{body: func(a assembler, list []source, q int) {
	factor := list[0].value
	if list[0].mode == aRow {
		factor = y(4 + q)
		a.VMOVUPS(list[0].lanes8(q), factor)
	}
	a.VMOVUPS(list[2].lanes8(q), y(q))
	a.VFMADD231PS(list[1].lanes8(q), factor, y(q))
}}

// floatOne puts eight floats of 1 into a register; one is the double.
func (a assembler) floatOne(one operand.Mem, n int) {
	a.VBROADCASTSD(one, y(n))
	a.VCVTPD2PSY(y(n), x(n))
	a.VINSERTF128(operand.Imm(1), x(n), y(n), y(n))
}

var reciprocal = rowCode{func(a assembler, list []source) { a.floatOne(stepConstants.one, 8) },
	func(a assembler, list []source, q int) { a.VDIVPS(list[0].lanes8(q), reg.Y8, y(q)) }}

// highProduct sets to to the high words of the products of Y4 and Y5: it multiplies even lanes, then odd ones.
func (a assembler) highProduct(to operand.Op) {
	a.VPMULUDQ(reg.Y5, reg.Y4, to)
	a.VPSRLQ(operand.Imm(32), reg.Y4, reg.Y4)
	a.VPSRLQ(operand.Imm(32), reg.Y5, reg.Y5)
	a.VPMULUDQ(reg.Y5, reg.Y4, reg.Y4)
	a.VPSRLQ(operand.Imm(32), to, to)
	a.VPBLENDD(operand.Imm(0xaa), reg.Y4, to, to)
}

var high = rowCode{body: func(a assembler, list []source, q int) {
	a.VMOVDQU(list[0].lanes8(q), reg.Y4)
	a.VMOVDQU(list[1].lanes8(q), reg.Y5)
	a.highProduct(y(q))
}}

// fromUnsigned: both halves of a word are exact, so that their sum rounds once.
var fromUnsigned = rowCode{func(a assembler, list []source) { a.VBROADCASTSS(stepConstants.high, reg.Y8) }, func(a assembler, list []source, q int) {
	a.VMOVDQU(list[0].lanes8(q), reg.Y4)
	a.VPSRLD(operand.Imm(16), reg.Y4, reg.Y5)
	a.VPSLLD(operand.Imm(16), reg.Y4, reg.Y4)
	a.VPSRLD(operand.Imm(16), reg.Y4, reg.Y4)
	a.VCVTDQ2PS(reg.Y5, reg.Y5)
	a.VCVTDQ2PS(reg.Y4, reg.Y4)
	a.VMULPS(reg.Y8, reg.Y5, reg.Y5)
	a.VADDPS(reg.Y5, reg.Y4, y(q))
}}

// inverse refines y, an approximation of 1/sqrt(x) with relative error 2^-11, to p with error 2^-43. e is 1 - x*y*y.
func (a assembler) inverse(x, y, e, p operand.Op) {
	a.VMULPD(y, y, e)
	a.VFNMADD213PD(reg.Y8, x, e)
	a.VMOVAPD(reg.Y9, p)
	a.VFMADD213PD(reg.Y10, e, p)
	a.VFMADD213PD(reg.Y11, e, p)
	a.VMULPD(e, p, p)
	a.VFMADD213PD(y, y, p)
}

// inverseRoot uses the approximation if a slightly smaller and a slightly larger root round to the same float, which is
// then the one that the double of the root rounds to. For other lanes, and for arguments without a root, it computes
// that double.
func inverseRoot(a assembler) {
	a.MOVL(field("rowStep_a", reg.RAX), reg.ESI)
	a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
	a.ADDQ(reg.R13, reg.RSI)
	a.ADDQ(reg.R13, reg.RDI)
	a.MOVL(reg.R11L, reg.ECX)
	for i, n := range []int{8, 9, 10, 11, 14, 15} {
		a.VBROADCASTSD(stepConstants.root.Offset(8*i), y(n))
	}
	a.Label("eight")
	a.VRSQRTPS(memory(reg.RSI, 0), reg.Y1)
	a.VCVTPS2PD(memory(reg.RSI, 0), reg.Y2)
	a.VCVTPS2PD(memory(reg.RSI, 16), reg.Y3)
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
	a.VMOVUPS(reg.X4, memory(reg.RDI, 0))
	a.VMOVUPS(reg.X6, memory(reg.RDI, 16))
	a.ADDQ(operand.Imm(32), reg.RSI)
	a.ADDQ(operand.Imm(32), reg.RDI)
	a.SUBL(operand.Imm(8), reg.ECX)
	a.JG(operand.LabelRef("eight"))
	a.next()
	a.Label("exact")
	for _, r := range [][2]int{{2, 4}, {3, 6}} {
		a.VSQRTPD(y(r[0]), y(r[1]))
		a.VDIVPD(y(r[1]), reg.Y8, y(r[1]))
		a.VCVTPD2PSY(y(r[1]), x(r[1]))
	}
	a.JMP(operand.LabelRef("store"))
}

// spreadBits sets each of eight lanes of a register to all ones if its bit in the low byte of r is set; bits has a bit
// for each lane.
func (a assembler) spreadBits(r reg.Register, to int, bits operand.Op) {
	a.VMOVD(r, x(to))
	a.VPBROADCASTD(x(to), y(to))
	a.VPAND(bits, y(to), y(to))
	a.VPCMPEQD(bits, y(to), y(to))
}

// choose takes lanes of the first of two sources where their bits in SI are set, and of the second where not.
func (a assembler) choose(list []source) {
	a.toRow(list, func([]source) { a.VMOVDQU(stepConstants.lanes, reg.Y8) }, func(list []source, q int) {
		a.spreadBits(reg.ESI, 4+q, reg.Y8)
		a.VBLENDVPS(y(4+q), list[0].lanes8(q), a.load8(list[1], q), y(q))
		a.SHRQ(operand.Imm(8), reg.RSI)
	})
}

// selectBits takes rows b and c by the mask a.
func selectBits(a assembler, bits int) {
	a.scalar("rowStep_a", reg.RSI, 0)
	a.choose(sources(aRow, []mode{aRow, aValue}[bits&1], []mode{aRow, aValue}[bits>>1])[1:])
}

// merge takes row b where lanes are active, and row c elsewhere.
func merge(a assembler) {
	a.MOVQ(field("stepRun_exec", reg.R14), reg.RSI)
	a.choose(sources(aRow, aRow, aRow)[1:])
}

// test collects the truth of lanes, which code leaves: it comes in at the bottom of R10, and turns to its place.
func (a assembler) test(list []source, code rowCode) {
	a.XORQ(reg.R10, reg.R10)
	constants, body := code.bind(a)
	a.onRows(list, constants, func(list []source, q int) {
		body(list, q)
		a.VMOVMSKPS(y(q), reg.R12L)
		a.ORQ(reg.R12, reg.R10)
		a.RORQ(operand.Imm(8), reg.R10)
	}, func() {}, func() {
		a.MOVL(reg.R11L, reg.ECX)
		a.ROLQ(reg.CL, reg.R10)
		a.MOVLQSX(field("rowStep_c", reg.RAX), reg.RSI)
		a.XORQ(reg.R10, reg.RSI)
		a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
		a.toMask()
	})
}

// toMask writes the active lanes of SI to the mask at DI.
func (a assembler) toMask() {
	a.MOVQ(ahead(reg.R15, reg.RDI, 1), reg.RDX)
	a.XORQ(reg.RDX, reg.RSI)
	a.ANDQ(field("stepRun_exec", reg.R14), reg.RSI)
	a.XORQ(reg.RDX, reg.RSI)
	a.MOVQ(reg.RSI, ahead(reg.R15, reg.RDI, 1))
	a.next()
}

func compareFloats(predicate uint8) rowCode {
	return pair(func(a assembler, x, y, z operand.Op) { a.VCMPPS(operand.U8(predicate), x, y, z) })
}

// aboveUnsigned compares with signs turned.
var aboveUnsigned = rowCode{func(a assembler, list []source) { a.VPBROADCASTD(stepConstants.sign, reg.Y8) }, func(a assembler, list []source, q int) {
	a.VPXOR(list[0].lanes8(q), reg.Y8, y(4+q))
	a.VPXOR(list[1].lanes8(q), reg.Y8, y(q))
	a.VPCMPGTD(y(q), y(4+q), y(q))
}}

// scalar loads a scalar of 64 bits, or a literal, by the source's bit in the step.
func (a assembler) scalar(name string, to reg.GPPhysical, bit int) {
	a.MOVLQSX(field(name, reg.RAX), to)
	a.TESTL(operand.U32(1<<bit), field("rowStep_scalars", reg.RAX))
	a.JEQ(operand.LabelRef(fmt.Sprintf("literal%d", bit)))
	a.MOVQ(ahead(reg.R15, to, 1), to)
	a.Label(fmt.Sprintf("literal%d", bit))
}

// masks emits a step on lane masks: code computes SI from SI, DX and BX.
func (a assembler) masks(n int, code func(a assembler)) {
	for i, s := range sources(aRow, aRow, aRow)[:n] {
		a.scalar(s.field, s.offset, i)
	}
	code(a)
	a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
	a.toMask()
}

// word emits a step on scalars of 32 bits: code computes SI from SI and DX. Set bits mark literals.
func (a assembler) word(n, bits int, code func(a assembler)) {
	a.words(n, bits)
	code(a)
	a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
	a.MOVQ(reg.RSI, ahead(reg.R15, reg.RDI, 1))
	a.next()
}

// words loads scalars of 32 bits.
func (a assembler) words(n, bits int) {
	for i, s := range sources(aRow, aRow, aRow)[:n] {
		if a.MOVL(field(s.field, reg.RAX), s.offset.As32()); bits>>i&1 == 0 {
			a.MOVL(ahead(reg.R15, s.offset, 1), s.offset.As32())
		}
	}
}

// scalar64 returns an instruction on SI and DX, and scalar32 one of 32 bits.
func scalar64(o func(a assembler, x, y operand.Op)) func(a assembler) {
	return func(a assembler) { o(a, reg.RDX, reg.RSI) }
}

func scalar32(o func(a assembler, x, y operand.Op)) func(a assembler) {
	return func(a assembler) { o(a, reg.EDX, reg.ESI) }
}

func scalarShift(o func(a assembler, ops ...operand.Op)) func(a assembler) {
	return shiftOf(o, reg.ESI)
}
func longShift(o func(a assembler, ops ...operand.Op)) func(a assembler) { return shiftOf(o, reg.RSI) }

func shiftOf(o func(a assembler, ops ...operand.Op), word operand.Op) func(a assembler) {
	return func(a assembler) {
		a.MOVQ(reg.RDX, reg.RCX)
		o(a, reg.CL, word)
	}
}

// truth sets SI to 1 or 0 by a comparison of SI with DX.
func truth(o func(a assembler, x operand.Op)) func(a assembler) {
	return func(a assembler) {
		a.CMPL(reg.ESI, reg.EDX)
		o(a, reg.SIB)
		a.MOVBLZX(reg.SIB, reg.ESI)
	}
}

func noCode(assembler) {}

func maskNot(a assembler) { a.NOTQ(reg.RSI) }

func maskEqual(a assembler) {
	a.XORQ(reg.RDX, reg.RSI)
	a.NOTQ(reg.RSI)
}

func maskSelect(a assembler) {
	a.XORQ(reg.RBX, reg.RDX)
	a.ANDQ(reg.RDX, reg.RSI)
	a.XORQ(reg.RBX, reg.RSI)
}

func maskToLanes(a assembler) {
	a.NEGQ(reg.RSI)
	a.SBBQ(reg.RSI, reg.RSI)
}

// splat copies the scalar register a, or the literal, to eight lanes at d.
func splat(a assembler, literal int) {
	from := field("rowStep_a", reg.RAX)
	if literal == 0 {
		a.MOVL(from, reg.ESI)
		from = ahead(reg.R15, reg.RSI, 1)
	}
	a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
	a.VPBROADCASTD(from, reg.Y15)
	a.VMOVUPS(reg.Y15, ahead(reg.R13, reg.RDI, 1))
	a.next()
}

// fill copies words of local memory, so many bytes at the sum of the scalars a and c, and b, to all lanes of the rows
// from d on. If they are out of bounds, it leaves.
func fill(a assembler) {
	a.scalar("rowStep_a", reg.RSI, 0)
	a.scalar("rowStep_c", reg.RBX, 2)
	a.ADDL(reg.EBX, reg.ESI)
	a.ADDL(field("rowStep_b", reg.RAX), reg.ESI)
	a.MOVL(field("rowStep_bytes", reg.RAX), reg.R10L)
	a.LEAQ(ahead(reg.RSI, reg.R10, 1), reg.RDX)
	a.CMPQ(reg.RDX, field("stepRun_size", reg.R14))
	a.JHI(operand.LabelRef("leave"))
	a.ADDQ(field("stepRun_local", reg.R14), reg.RSI)
	a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
	a.ADDQ(reg.R13, reg.RDI)
	a.Label("row")
	a.VPBROADCASTD(memory(reg.RSI, 0), reg.Y0)
	a.MOVL(reg.R11L, reg.ECX)
	a.Label("lanes32")
	for q := range 4 {
		a.VMOVUPS(reg.Y0, memory(reg.RDI, 32*q))
	}
	a.ADDQ(operand.Imm(128), reg.RDI)
	a.SUBL(operand.Imm(32), reg.ECX)
	a.JNE(operand.LabelRef("lanes32"))
	a.ADDQ(operand.Imm(4), reg.RSI)
	a.SUBL(operand.Imm(4), reg.R10L)
	a.JNE(operand.LabelRef("row"))
	a.next()
	a.Label("leave")
	returnHere(a)
}
