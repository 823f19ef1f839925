package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lane writes the kernels of package mem/lane on the addresses of a row: address computation, gathers, scatters and
// fills.
func lane(a assembler) {
	l := laneRows{assembler: a, bits: a.laneBits(),
		previous:    a.data("before", words(7, 0, 1, 2, 3, 4, 5, 6)...),      // the lane before each of eight
		consecutive: a.data("follow", words(0, 4, 8, 12, 16, 20, 24, 28)...), // distances of eight consecutive words from the first
		numbers:     a.data("numbers", words(0, 1, 2, 3, 4, 5, 6, 7)...)}
	l.walk()
	l.walkBytes()
	l.gather()
	l.scatter()
	l.gather4()
	l.scatter4()
	l.gather2()
	l.scatter2()
	l.fill()
	l.same()
	l.find()
	l.findAbove()
	l.insert()
	l.insertAll()
	l.prefetch()
	l.prefetchSet()
}

// laneLead is Lead of package lane.
const laneLead = 40

type laneRows struct {
	assembler
	bits, previous, consecutive, numbers operand.Mem
}

// loadPacked loads the offsets that packed lanes have into Y14, and their distance to the next eight into Y11.
func (l laneRows) loadPacked() {
	l.MOVL(memory(reg.RSI, 0), reg.EAX)
	l.ADDL(field("AddressParams_Base", reg.RBX), reg.EAX)
	l.VMOVD(reg.EAX, reg.X6)
	l.VPBROADCASTD(reg.X6, reg.Y6)
	l.VPBROADCASTD(field("AddressParams_Stride", reg.RBX), reg.Y14)
	l.VPMULLD(l.numbers, reg.Y14, reg.Y14)
	l.VPADDD(reg.Y6, reg.Y14, reg.Y14)
	l.MOVL(field("AddressParams_Stride", reg.RBX), reg.EAX)
	l.SHLL(operand.Imm(3), reg.EAX)
	l.VMOVD(reg.EAX, reg.X11)
	l.VPBROADCASTD(reg.X11, reg.Y11)
}

// offsets leaves the offsets of eight lanes in Y6, stores them, and collects in Y15 the bits that differ from the
// wanted ones.
func (l laneRows) offsets() {
	l.VPADDD(memory(reg.RSI, 0), reg.Y0, reg.Y6)
	l.VMOVDQU(reg.Y6, memory(reg.RDI, 0))
	l.VPXOR(reg.Y14, reg.Y6, reg.Y9)
	l.VPOR(reg.Y9, reg.Y15, reg.Y15)
	l.VPADDD(reg.Y11, reg.Y14, reg.Y14)
}

// nextEight goes to the next eight lanes of both rows.
func (l laneRows) nextEight(lanes reg.Register) {
	l.SHRQ(operand.Imm(8), reg.RDX)
	l.ADDQ(operand.Imm(32), reg.RSI)
	l.ADDQ(operand.Imm(32), reg.RDI)
	l.SUBQ(operand.Imm(8), lanes)
}

// reduceTo makes one word of the eight in a register, by an operation on halves, and returns it under a name.
func (l laneRows) reduceTo(n int, o op3, name string) {
	l.VEXTRACTI128(operand.Imm(1), y(n), reg.X6)
	o(l.assembler, reg.X6, x(n), x(n))
	for _, turn := range []uint8{0x4e, 0xb1} {
		l.VPSHUFD(operand.U8(turn), x(n), reg.X6)
		o(l.assembler, reg.X6, x(n), x(n))
	}
	l.VMOVD(x(n), reg.EAX)
	l.Store(reg.EAX, l.Return(name))
}

var (
	vpmaxud op3 = func(a assembler, x, y, z operand.Op) { a.VPMAXUD(x, y, z) }
	vpor    op3 = func(a assembler, x, y, z operand.Op) { a.VPOR(x, y, z) }
)

// differs returns whether a bit of Y15 is set.
func (l laneRows) differs() {
	l.XORL(reg.EAX, reg.EAX)
	l.VPTEST(reg.Y15, reg.Y15)
	l.SETNE(reg.AL)
	l.Store(reg.EAX, l.Return("differ"))
	l.VZEROUPPER()
	l.RET()
}

func (l laneRows) walk() {
	l.function("walkAVX", "func(off, index *uint32, lanes int, s *byte) (last, bits, differ uint32, starts uint64)")
	l.arg("off", reg.RDI)
	l.arg("index", reg.RSI)
	l.arg("lanes", reg.RCX)
	l.arg("s", reg.RBX)
	l.VPBROADCASTD(field("AddressParams_Base", reg.RBX), reg.Y0)
	l.VPBROADCASTD(field("AddressParams_Phase", reg.RBX), reg.Y1)
	l.VMOVQ(field("AddressParams_Shift", reg.RBX), reg.X2)
	l.VMOVDQU(l.bits, reg.Y3)
	l.VMOVDQU(l.previous, reg.Y10)
	l.MOVQ(field("AddressParams_Exec", reg.RBX), reg.RDX)
	l.Comment("Y4: the greatest offset; Y5: the bits of places; Y12: the lines of the eight before, turned by one lane; R8: starts of lines")
	for _, n := range []int{4, 5, 12, 15} {
		l.VPXOR(y(n), y(n), y(n))
	}
	l.XORQ(reg.R8, reg.R8)
	l.MOVQ(reg.RCX, reg.R9)
	l.loadPacked()
	l.loop("eight", func() {
		l.offsets()
		l.VPADDD(reg.Y1, reg.Y6, reg.Y7)
		l.MOVBLZX(reg.DL, reg.R10L)
		l.spreadBits(reg.R10L, 8, reg.Y3)
		l.VPAND(reg.Y8, reg.Y6, reg.Y9)
		l.VPMAXUD(reg.Y9, reg.Y4, reg.Y4)
		l.VPAND(reg.Y8, reg.Y7, reg.Y9)
		l.VPOR(reg.Y9, reg.Y5, reg.Y5)
		l.VPSRLD(reg.X2, reg.Y7, reg.Y7)
		l.VPERMD(reg.Y7, reg.Y10, reg.Y9)
		l.VPBLENDD(operand.Imm(1), reg.Y12, reg.Y9, reg.Y13)
		l.VMOVDQA(reg.Y9, reg.Y12)
		l.VPCMPEQD(reg.Y7, reg.Y13, reg.Y13)
		l.VMOVMSKPS(reg.Y13, reg.EAX)
		l.XORL(operand.U32(0xff), reg.EAX)
		l.SHLQ(operand.Imm(56), reg.RAX)
		l.SHRQ(operand.Imm(8), reg.R8)
		l.ORQ(reg.RAX, reg.R8)
		l.nextEight(reg.R9)
	})
	l.MOVQ(reg.RCX, reg.R9)
	l.MOVQ(operand.U32(64), reg.RCX)
	l.SUBQ(reg.R9, reg.RCX)
	l.SHRQ(reg.CL, reg.R8)
	l.ORQ(operand.Imm(1), reg.R8)
	l.Store(reg.R8, l.Return("starts"))
	l.reduceTo(4, vpmaxud, "last")
	l.reduceTo(5, vpor, "bits")
	l.differs()
}

func (l laneRows) walkBytes() {
	l.function("walkBytesAVX", "func(off, index *uint32, lanes int, s *byte) (last, differ uint32)")
	l.arg("off", reg.RDI)
	l.arg("index", reg.RSI)
	l.arg("lanes", reg.R9)
	l.arg("s", reg.RBX)
	l.VPBROADCASTD(field("AddressParams_Base", reg.RBX), reg.Y0)
	l.VMOVDQU(l.bits, reg.Y3)
	l.MOVQ(field("AddressParams_Exec", reg.RBX), reg.RDX)
	l.VPXOR(reg.Y4, reg.Y4, reg.Y4)
	l.VPXOR(reg.Y15, reg.Y15, reg.Y15)
	l.loadPacked()
	l.loop("eight", func() {
		l.offsets()
		l.spreadBits(reg.EDX, 8, reg.Y3)
		l.VPAND(reg.Y8, reg.Y6, reg.Y9)
		l.VPMAXUD(reg.Y9, reg.Y4, reg.Y4)
		l.nextEight(reg.R9)
	})
	l.reduceTo(4, vpmaxud, "last")
	l.differs()
}

// checkConsecutive jumps to a label unless the eight offsets at BX are those of consecutive words. The first is left in R12.
func (l laneRows) checkConsecutive(label string) {
	l.MOVBLZX(reg.DL, reg.R10L)
	l.CMPL(reg.R10L, operand.U32(0xff))
	l.JNE(operand.LabelRef(label))
	l.MOVL(memory(reg.RBX, 0), reg.R12L)
	l.VPBROADCASTD(memory(reg.RBX, 0), reg.Y6)
	l.VPADDD(l.consecutive, reg.Y6, reg.Y6)
	l.VPCMPEQD(memory(reg.RBX, 0), reg.Y6, reg.Y6)
	l.VMOVMSKPS(reg.Y6, reg.EAX)
	l.XORL(operand.U32(0xff), reg.EAX)
	l.JNZ(operand.LabelRef(label))
}

// advanceLanes goes to the next lanes of the offsets and of rows.
func (l laneRows) advanceLanes(label string, lanes int, rows ...reg.Register) {
	l.SHRQ(operand.Imm(uint64(lanes)), reg.RDX)
	l.ADDQ(operand.Imm(uint64(4*lanes)), reg.RBX)
	for _, r := range rows {
		l.ADDQ(operand.Imm(uint64(4*lanes)), r)
	}
	l.SUBQ(operand.Imm(uint64(lanes)), reg.RCX)
	l.JG(operand.LabelRef(label))
}

func (l laneRows) gather() {
	l.function("gatherAVX", "func(row *uint32, b *byte, off *uint32, lanes int, exec uint64)")
	l.arg("row", reg.RDI)
	l.arg("b", reg.RSI)
	l.offs()
	l.VMOVDQU(l.bits, reg.Y3)
	l.Label("eight")
	l.checkConsecutive("gather")
	l.VMOVDQU(ahead(reg.RSI, reg.R12, 1), reg.Y7)
	l.VMOVDQU(reg.Y7, memory(reg.RDI, 0))
	l.JMP(operand.LabelRef("next"))
	l.Label("gather")
	l.spreadBits(reg.R10L, 8, reg.Y3)
	l.VMOVDQU(memory(reg.RBX, 0), reg.Y6)
	l.VMOVDQU(memory(reg.RDI, 0), reg.Y7)
	l.VPGATHERDD(reg.Y8, ahead(reg.RSI, reg.Y6, 1), reg.Y7)
	l.VMOVDQU(reg.Y7, memory(reg.RDI, 0))
	l.Label("next")
	l.advanceLanes("eight", 8, reg.RDI)
	l.VZEROUPPER()
	l.RET()
}

// offs loads the arguments that give the offsets.
func (l laneRows) offs() {
	l.arg("off", reg.RBX)
	l.arg("lanes", reg.RCX)
	l.arg("exec", reg.RDX)
}

// eachLane emits a lane's part for each lane whose bit in DX is set.
func (l laneRows) eachLane(lanes int, part func(lane int)) {
	for n := range lanes {
		idle := fmt.Sprintf("idle%d", n)
		l.BTL(operand.U8(n), reg.EDX)
		l.JCC(operand.LabelRef(idle))
		l.MOVL(memory(reg.RBX, 4*n), reg.R12L)
		part(n)
		l.Label(idle)
	}
}

func (l laneRows) scatter() {
	l.function("scatterAVX", "func(b *byte, row, off *uint32, lanes int, exec uint64)")
	l.arg("b", reg.RSI)
	l.arg("row", reg.RDI)
	l.offs()
	l.Label("eight")
	l.checkConsecutive("each")
	l.VMOVDQU(memory(reg.RDI, 0), reg.Y7)
	l.VMOVDQU(reg.Y7, ahead(reg.RSI, reg.R12, 1))
	l.JMP(operand.LabelRef("next"))
	l.Label("each")
	l.eachLane(8, func(n int) {
		l.MOVL(memory(reg.RDI, 4*n), reg.EAX)
		l.MOVL(reg.EAX, ahead(reg.RSI, reg.R12, 1))
	})
	l.Label("next")
	l.advanceLanes("eight", 8, reg.RDI)
	l.VZEROUPPER()
	l.RET()
}

// columns lists the rows of four words a lane.
var columns = []reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11}

// laneOperands lists the operands of four lanes' words.
var laneOperands = []operand.Mem{ahead(reg.RSI, reg.R12, 1), ahead(reg.RSI, reg.R13, 1), ahead(reg.RSI, reg.RDI, 1), ahead(reg.RSI, reg.R14, 1)}

// fours loops over four lanes at a time: over all at once if they are all active, otherwise over each.
func (l laneRows) fours(rows []reg.GPPhysical, all func(), part func(lane int)) {
	l.Label("four")
	l.MOVL(reg.EDX, reg.EAX)
	l.ANDL(operand.Imm(15), reg.EAX)
	l.CMPL(reg.EAX, operand.Imm(15))
	l.JNE(operand.LabelRef("each"))
	for n, to := range []reg.Register{reg.R12L, reg.R13L, reg.EDI, reg.R14L} {
		l.MOVL(memory(reg.RBX, 4*n), to)
	}
	all()
	l.JMP(operand.LabelRef("next"))
	l.Label("each")
	l.eachLane(4, part)
	l.Label("next")
	list := make([]reg.Register, len(rows))
	for i, r := range rows {
		list[i] = r
	}
	l.advanceLanes("four", 4, list...)
	l.RET()
}

// transpose makes rows of columns: X0 to X3 are four words each, and so are X4 to X7.
func (l laneRows) transpose() {
	l.VUNPCKLPS(reg.X1, reg.X0, reg.X8)
	l.VUNPCKHPS(reg.X1, reg.X0, reg.X9)
	l.VUNPCKLPS(reg.X3, reg.X2, reg.X10)
	l.VUNPCKHPS(reg.X3, reg.X2, reg.X11)
	l.VUNPCKLPD(reg.X10, reg.X8, reg.X4)
	l.VUNPCKHPD(reg.X10, reg.X8, reg.X5)
	l.VUNPCKLPD(reg.X11, reg.X9, reg.X6)
	l.VUNPCKHPD(reg.X11, reg.X9, reg.X7)
}

// words4 loads the arguments of accesses to four words a lane.
func (l laneRows) words4(name string) {
	l.function(name, "func(b *byte, x, y, z, w, off *uint32, lanes int, exec uint64)")
	l.arg("b", reg.RSI)
	for i, c := range []string{"x", "y", "z", "w"} {
		l.arg(c, columns[i])
	}
	l.offs()
}

func (l laneRows) gather4() {
	l.words4("gather4AVX")
	l.fours(columns, func() {
		for n, m := range laneOperands {
			l.VMOVDQU(m, x(n))
		}
		l.transpose()
		for n, r := range columns {
			l.VMOVDQU(x(4+n), memory(r, 0))
		}
	}, func(lane int) {
		l.VMOVDQU(laneOperands[0], reg.X0)
		l.VMOVD(reg.X0, memory(reg.R8, 4*lane))
		for n := 1; n < 4; n++ {
			l.VPEXTRD(operand.U8(n), reg.X0, memory(columns[n], 4*lane))
		}
	})
}

func (l laneRows) scatter4() {
	l.words4("scatter4AVX")
	l.fours(columns, func() {
		for n, r := range columns {
			l.VMOVDQU(memory(r, 0), x(n))
		}
		l.transpose()
		for n, m := range laneOperands {
			l.VMOVDQU(x(4+n), m)
		}
	}, func(lane int) {
		l.VMOVD(memory(reg.R8, 4*lane), reg.X0)
		for n := 1; n < 4; n++ {
			l.VPINSRD(operand.U8(n), memory(columns[n], 4*lane), reg.X0, reg.X0)
		}
		l.VMOVDQU(reg.X0, laneOperands[0])
	})
}

// words2 loads the arguments of accesses to two words a lane.
func (l laneRows) words2(name string) {
	l.function(name, "func(b *byte, x, y, off *uint32, lanes int, exec uint64)")
	l.arg("b", reg.RSI)
	l.arg("x", reg.R8)
	l.arg("y", reg.R9)
	l.offs()
}

func (l laneRows) gather2() {
	l.words2("gather2AVX")
	l.fours(columns[:2], func() {
		for n := range 2 {
			l.VMOVQ(laneOperands[2*n], x(n))
			l.VMOVHPS(laneOperands[2*n+1], x(n), x(n))
		}
		l.VSHUFPS(operand.U8(0x88), reg.X1, reg.X0, reg.X4)
		l.VSHUFPS(operand.U8(0xdd), reg.X1, reg.X0, reg.X5)
		l.VMOVDQU(reg.X4, memory(reg.R8, 0))
		l.VMOVDQU(reg.X5, memory(reg.R9, 0))
	}, func(lane int) {
		l.VMOVQ(laneOperands[0], reg.X0)
		l.VMOVD(reg.X0, memory(reg.R8, 4*lane))
		l.VPEXTRD(operand.Imm(1), reg.X0, memory(reg.R9, 4*lane))
	})
}

func (l laneRows) scatter2() {
	l.words2("scatter2AVX")
	l.fours(columns[:2], func() {
		l.VMOVDQU(memory(reg.R8, 0), reg.X0)
		l.VMOVDQU(memory(reg.R9, 0), reg.X1)
		l.VUNPCKLPS(reg.X1, reg.X0, reg.X4)
		l.VUNPCKHPS(reg.X1, reg.X0, reg.X5)
		for n := range 2 {
			l.VMOVQ(x(4+n), laneOperands[2*n])
			l.VMOVHPS(x(4+n), laneOperands[2*n+1])
		}
	}, func(lane int) {
		l.VMOVD(memory(reg.R8, 4*lane), reg.X0)
		l.VPINSRD(operand.Imm(1), memory(reg.R9, 4*lane), reg.X0, reg.X0)
		l.VMOVQ(reg.X0, laneOperands[0])
	})
}

func (l laneRows) fill() {
	l.function("fillAVX", "func(rows *uint32, b *byte, count, lanes int)")
	l.arg("rows", reg.RDI)
	l.arg("b", reg.RSI)
	l.arg("count", reg.RDX)
	l.arg("lanes", reg.RBX)
	l.Label("row")
	l.VPBROADCASTD(memory(reg.RSI, 0), reg.Y0)
	l.MOVQ(reg.RBX, reg.RCX)
	l.loop("eight", func() {
		l.VMOVDQU(reg.Y0, memory(reg.RDI, 0))
		l.ADDQ(operand.Imm(32), reg.RDI)
		l.SUBQ(operand.Imm(8), reg.RCX)
	})
	l.ADDQ(operand.Imm(4), reg.RSI)
	l.DECQ(reg.RDX)
	l.JNZ(operand.LabelRef("row"))
	l.VZEROUPPER()
	l.RET()
}

// same compares all words of a row with the first one, eight at a time.
func (l laneRows) same() {
	l.function("sameAVX", "func(row *uint32, lanes int) (differ uint32)")
	l.arg("row", reg.RSI)
	l.arg("lanes", reg.RCX)
	l.VPBROADCASTD(memory(reg.RSI, 0), reg.Y0)
	l.VPXOR(reg.Y15, reg.Y15, reg.Y15)
	l.loop("eight", func() {
		l.VPXOR(memory(reg.RSI, 0), reg.Y0, reg.Y1)
		l.VPOR(reg.Y1, reg.Y15, reg.Y15)
		l.ADDQ(operand.Imm(32), reg.RSI)
		l.SUBQ(operand.Imm(8), reg.RCX)
	})
	l.differs()
}

// find has no branch on the result for lists of four and of sixteen words: the caller tests it once. In other lists it
// compares 32 words at a time, and then eight or one.
func (l laneRows) find() {
	l.function("findAny", "func(list *uint32, n int, word uint32) (place int)")
	l.arg("list", reg.RDI)
	l.arg("n", reg.RCX)
	l.Load(l.Param("word"), reg.EDX)
	l.MOVQ(operand.I32(-1), reg.RAX)
	l.XORQ(reg.RSI, reg.RSI)
	l.CMPB(operand.Mem{Symbol: operand.Symbol{Name: "·wide"}, Base: reg.StaticBase}, operand.Imm(0))
	l.JE(operand.LabelRef("ones"))
	l.VMOVD(reg.EDX, reg.X0)
	l.VPBROADCASTD(reg.X0, reg.Y0)
	l.CMPQ(reg.RCX, operand.Imm(16))
	l.JNE(operand.LabelRef("other"))
	l.VPCMPEQD(memory(reg.RDI, 0), reg.Y0, reg.Y1)
	l.VPCMPEQD(memory(reg.RDI, 32), reg.Y0, reg.Y2)
	l.VMOVMSKPS(reg.Y1, reg.EDX)
	l.VMOVMSKPS(reg.Y2, reg.EBX)
	l.SHLL(operand.Imm(8), reg.EBX)
	l.ORL(reg.EBX, reg.EDX)
	l.found()
	l.Label("other")
	l.CMPQ(reg.RCX, operand.Imm(4))
	l.JNE(operand.LabelRef("many"))
	l.VPCMPEQD(memory(reg.RDI, 0), reg.X0, reg.X1)
	l.VMOVMSKPS(reg.X1, reg.EDX)
	l.found()
	l.Label("many")
	l.CMPQ(reg.RCX, operand.Imm(32))
	l.JL(operand.LabelRef("few"))
	for i := range 4 {
		l.VPCMPEQD(operand.Mem{Base: reg.RDI, Index: reg.RSI, Scale: 4, Disp: 32 * i}, reg.Y0, y(1+i))
	}
	l.VPOR(reg.Y1, reg.Y2, reg.Y1)
	l.VPOR(reg.Y3, reg.Y4, reg.Y3)
	l.VPOR(reg.Y1, reg.Y3, reg.Y1)
	l.VPTEST(reg.Y1, reg.Y1)
	l.JNE(operand.LabelRef("few"))
	l.ADDQ(operand.Imm(32), reg.RSI)
	l.SUBQ(operand.Imm(32), reg.RCX)
	l.JMP(operand.LabelRef("many"))
	l.Label("few")
	l.CMPQ(reg.RCX, operand.Imm(8))
	l.JL(operand.LabelRef("last"))
	l.VPCMPEQD(operand.Mem{Base: reg.RDI, Index: reg.RSI, Scale: 4}, reg.Y0, reg.Y1)
	l.VMOVMSKPS(reg.Y1, reg.EBX)
	l.TESTL(reg.EBX, reg.EBX)
	l.JNE(operand.LabelRef("eight"))
	l.ADDQ(operand.Imm(8), reg.RSI)
	l.SUBQ(operand.Imm(8), reg.RCX)
	l.JMP(operand.LabelRef("few"))
	l.Label("eight")
	l.BSFL(reg.EBX, reg.EBX)
	l.LEAQ(operand.Mem{Base: reg.RSI, Index: reg.RBX, Scale: 1}, reg.RAX)
	l.Store(reg.RAX, l.Return("place"))
	l.VZEROUPPER()
	l.RET()
	l.Label("last")
	l.VZEROUPPER()
	l.Label("ones")
	l.CMPQ(reg.RCX, operand.Imm(0))
	l.JE(operand.LabelRef("done"))
	l.CMPL(operand.Mem{Base: reg.RDI, Index: reg.RSI, Scale: 4}, reg.EDX)
	l.CMOVQEQ(reg.RSI, reg.RAX)
	l.JE(operand.LabelRef("done"))
	l.INCQ(reg.RSI)
	l.DECQ(reg.RCX)
	l.JMP(operand.LabelRef("ones"))
	l.Label("done")
	l.Store(reg.RAX, l.Return("place"))
	l.RET()
}

// broadcast puts a word that is an argument into EDX and into all of Y0.
func (l laneRows) broadcast(arg string) {
	l.Load(l.Param(arg), reg.EDX)
	l.VMOVD(reg.EDX, reg.X0)
	l.VPBROADCASTD(reg.X0, reg.Y0)
}

// found returns the index of the first bit of EDX, or RAX if there is none.
func (l laneRows) found() {
	l.BSFL(reg.EDX, reg.EDX)
	l.CMOVQNE(reg.RDX, reg.RAX)
	l.Store(reg.RAX, l.Return("place"))
	l.VZEROUPPER()
	l.RET()
}

// findAbove goes back from the end of an ordered list, by laneLead words while the word that far back is greater, then to
// the first eight words that are not all greater.
func (l laneRows) findAbove() {
	l.function("aboveAVX", "func(end *uint32, word uint32) (count int)")
	l.arg("end", reg.RDI)
	l.broadcast("word")
	l.MOVQ(operand.I32(-laneLead), reg.RAX)
	l.ADDQ(operand.I32(4*laneLead), reg.RDI)
	l.Label("far")
	l.SUBQ(operand.I32(4*laneLead), reg.RDI)
	l.ADDQ(operand.I32(laneLead), reg.RAX)
	l.CMPL(memory(reg.RDI, -4*laneLead), reg.EDX)
	l.JHI(operand.LabelRef("far"))
	l.Label("eight")
	l.VPMAXUD(memory(reg.RDI, -32), reg.Y0, reg.Y1)
	l.VPCMPEQD(reg.Y1, reg.Y0, reg.Y1)
	l.VMOVMSKPS(reg.Y1, reg.ECX)
	l.SUBQ(operand.Imm(32), reg.RDI)
	l.ADDQ(operand.Imm(8), reg.RAX)
	l.TESTL(reg.ECX, reg.ECX)
	l.JE(operand.LabelRef("eight"))
	l.POPCNTL(reg.ECX, reg.ECX)
	l.SUBQ(reg.RCX, reg.RAX)
	l.Store(reg.RAX, l.Return("count"))
	l.VZEROUPPER()
	l.RET()
}

// insert makes each word of two lists the greater one of that before it, and of itself or the new one, whichever is less; from the end of the
// list back, eight at a time, until the word before them is not greater than the new one.
func (l laneRows) insert() {
	l.function("insertAVX", "func(x, y *uint32, wordX, wordY uint32)")
	for i, name := range []string{"x", "y"} {
		l.arg(name, reg.RDI)
		l.broadcast("word" + strings.ToUpper(name))
		label := fmt.Sprint("eight", i)
		l.Label(label)
		l.VPMINUD(memory(reg.RDI, -28), reg.Y0, reg.Y1)
		l.VPMAXUD(memory(reg.RDI, -32), reg.Y1, reg.Y1)
		l.VMOVDQU(reg.Y1, memory(reg.RDI, -28))
		l.SUBQ(operand.Imm(32), reg.RDI)
		l.CMPL(memory(reg.RDI, 0), reg.EDX)
		l.JHI(operand.LabelRef(label))
	}
	l.VZEROUPPER()
	l.RET()
}

// insertAll is insert for many pairs of words, 32 words at a time. They come in any order, so most go back less far
// than that.
func (l laneRows) insertAll() {
	l.function("insertAllAVX", "func(x, y, spans *uint32, n int)")
	l.arg("x", reg.RDI)
	l.arg("y", reg.RSI)
	l.arg("spans", reg.R8)
	l.arg("n", reg.RCX)
	l.Label("span")
	l.insertOne("x", reg.RDI, 0)
	l.insertOne("y", reg.RSI, 4)
	l.ADDQ(operand.Imm(8), reg.R8)
	l.DECQ(reg.RCX)
	l.JNE(operand.LabelRef("span"))
	l.VZEROUPPER()
	l.RET()
}

// insertOne inserts the word of a span at an offset into a list.
func (l laneRows) insertOne(name string, end reg.Register, offset int) {
	l.MOVL(memory(reg.R8, offset), reg.EDX)
	l.VPBROADCASTD(memory(reg.R8, offset), reg.Y0)
	l.MOVQ(end, reg.RAX)
	l.Label(name)
	for back := 0; back < 32; back += 8 {
		l.VPMINUD(memory(reg.RAX, -28-4*back), reg.Y0, y(1+back/8))
		l.VPMAXUD(memory(reg.RAX, -32-4*back), y(1+back/8), y(1+back/8))
	}
	for back := 0; back < 32; back += 8 {
		l.VMOVDQU(y(1+back/8), memory(reg.RAX, -28-4*back))
	}
	l.SUBQ(operand.I32(128), reg.RAX)
	l.CMPL(memory(reg.RAX, 0), reg.EDX)
	l.JHI(operand.LabelRef(name))
	l.ADDQ(operand.Imm(4), end)
}

// prefetch asks for the line of the host's cache that each 64 bytes from one on begin in, up to that of the last.
func (l laneRows) prefetch() {
	l.function("prefetchFrom", "func(first, last *byte)")
	l.arg("first", reg.RDI)
	l.arg("last", reg.RSI)
	l.Label("line")
	l.PREFETCHT0(memory(reg.RDI, 0))
	l.ADDQ(operand.Imm(64), reg.RDI)
	l.CMPQ(reg.RDI, reg.RSI)
	l.JLS(operand.LabelRef("line"))
	l.PREFETCHT0(memory(reg.RSI, 0))
	l.RET()
}

// prefetchSet prefetches the line of the host's cache in which the words of 32 bits begin, and the lines of as many
// words of 64 bits, up to 128 bytes.
func (l laneRows) prefetchSet() {
	l.function("prefetchSet", "func(x *uint32, y *uint64, n int)")
	l.arg("x", reg.RDI)
	l.arg("y", reg.RSI)
	l.arg("n", reg.RCX)
	l.PREFETCHT0(memory(reg.RDI, 0))
	l.PREFETCHT0(memory(reg.RSI, 0))
	l.PREFETCHT0(operand.Mem{Base: reg.RSI, Index: reg.RCX, Scale: 8, Disp: -8})
	l.RET()
}
