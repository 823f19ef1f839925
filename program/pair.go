package program

import (
	"slices"

	"spvsim/isa"
)

// Pairs lists the machine's instructions of two operations.
type Pairs struct {
	// Packed: one operation of f32 on two pairs of registers (CDNA's v_pk_add_f32,
	// v_pk_mul_f32 and v_pk_fma_f32).
	Packed bool
	// Halves: one operation of f16 or 16-bit integers on both halves of registers
	// (v_pk_add_f16 and the others of VOP3P).
	Halves bool
	// Dual: two operations that a wave issues at once (RDNA 3's VOPD).
	Dual bool
}

// maxApartPacked and maxApartDual bound the distance of the two operations of a pair, in instructions. The components
// of a vector are further apart than the instructions that a scheduler moves together.
const (
	maxApartPacked = 16
	maxApartDual   = 4
)

// A pairing finds partners in a stretch of instructions without control flow.
type pairing struct {
	insts  []isa.Inst
	regs   []operands
	merged []bool
}

// operands lists the registers that an instruction reads and writes.
type operands struct{ reads, writes []uint16 }

// pack joins the last two instructions, which are of one pair.
func (e *emitter) pack() {
	n := len(e.insts) - 2
	second := e.insts[n+1]
	a := &e.insts[n]
	a.Second, a.Class = &second, isa.ClassPacked32
	e.insts = e.insts[:n+1]
}

// pair joins instructions from position from on into pairs. The second of a pair moves up to the first, past no
// instruction that it depends on.
func (e *emitter) pair(from int) {
	if !e.pairs.Halves && !e.pairs.Dual {
		return
	}
	p := newPairing(e.insts[from:])
	found := false
	for i := range p.insts {
		found = p.findPartner(i, e.pairs) || found
	}
	if !found {
		return
	}
	kept := p.insts[:0]
	for i := range p.insts {
		if !p.merged[i] {
			kept = append(kept, p.insts[i])
		}
	}
	e.insts = e.insts[:from+len(kept)]
}

func newPairing(insts []isa.Inst) *pairing {
	p := &pairing{insts: insts, regs: make([]operands, len(insts)), merged: make([]bool, len(insts))}
	for i := range insts {
		in := insts[i]
		in.SetDeps(maxRegs)
		p.regs[i] = operands{in.Deps, in.Writes}
	}
	return p
}

func (p *pairing) findPartner(i int, have Pairs) bool {
	a := &p.insts[i]
	if p.merged[i] || a.Second != nil || a.Uniform || p.isStep(i) {
		return false
	}
	for j := i + 1; j < min(len(p.insts), i+1+maxApartPacked); j++ {
		if p.merged[j] || p.isStep(j) {
			continue
		}
		b := &p.insts[j]
		class := isa.ClassNone
		switch {
		case have.Halves && (packs(a, b, isa.F16, packed16Ops) || packs(a, b, isa.I16, packedI16Ops)):
			class = isa.ClassPacked16
		case have.Dual && j-i <= maxApartDual && dual(a, b):
			class = isa.ClassDual
		}
		if class != isa.ClassNone && p.mayRise(i, j) {
			second := *b
			a.Second, a.Class, p.merged[j] = &second, class, true
			return true
		}
	}
	return false
}

// isStep reports whether instruction i is a step of an expanded operation.
func (p *pairing) isStep(i int) bool {
	return p.insts[i].Op == isa.Micro || i > 0 && p.insts[i-1].Op == isa.Micro
}

// mayRise reports that instruction j may execute right behind instruction i.
func (p *pairing) mayRise(i, j int) bool {
	b := &p.regs[j]
	for k := i; k < j; k++ {
		if p.merged[k] {
			continue
		}
		a := &p.regs[k]
		if meet(a.writes, b.reads) || k > i && meet(a.reads, b.writes) {
			return false
		}
	}
	return true
}

// meet reports whether two sorted lists have a register in common.
func meet(a, b []uint16) bool {
	for _, r := range b {
		if _, found := slices.BinarySearch(a, r); found {
			return true
		}
	}
	return false
}

// Operations with a packed form. A subtraction is an addition with a sign.
var (
	packed16Ops = map[isa.Op]bool{isa.FAdd: true, isa.FSub: true, isa.FMul: true, isa.Fma: true, isa.FMin: true, isa.FMax: true}
	// v_pk_mad_u16 and the others of VOP3P with 16-bit integers.
	packedI16Ops = map[isa.Op]bool{isa.IAdd: true, isa.ISub: true, isa.IMul: true, isa.IMad: true, isa.Shl: true, isa.Shr: true, isa.Sar: true,
		isa.UMin: true, isa.UMax: true, isa.SMin: true, isa.SMax: true}
)

// packs reports whether two instructions are one operation of the source, on two components of a vector or in two
// copies of an unrolled loop: those from which LLVM's SLP vectorizer makes <2 x float> and <2 x half>. The halves of
// each operand are assumed to be in a pair of registers, or in one register, as a driver's register allocator arranges.
func packs(a, b *isa.Inst, t isa.Type, ops map[isa.Op]bool) bool {
	if a.Mod.Abs|b.Mod.Abs != 0 || a.Mod.Clamp != b.Mod.Clamp {
		return false // v_pk_fma_f32 has signs and a clamp of both halves
	}
	if a.Op != b.Op || !ops[a.Op] || a.T != t || b.T != t || a.SPIRV != b.SPIRV || a.SPIRV == 0 || b.Uniform {
		return false
	}
	for k := range a.Src {
		x, y := a.Src[k], b.Src[k]
		if (x.Kind != isa.Vector || y.Kind != isa.Vector) && x != y {
			return false // a scalar or a literal goes to both halves
		}
	}
	return a.Dst.Kind == isa.Vector && b.Dst.Kind == isa.Vector
}

// dualOps lists the operations of VOPD (RDNA 3 ISA, section 7.6), and whether they may be its X half. A fused
// multiply-add is v_dual_fmac: it accumulates into its destination.
var dualOps = map[isa.Op]struct{ x, float bool }{
	isa.Fma: {true, true}, isa.FMul: {true, true}, isa.FAdd: {true, true}, isa.FSub: {true, true},
	isa.FMin: {true, true}, isa.FMax: {true, true}, isa.Mov: {x: true}, isa.Select: {x: true},
	isa.IAdd: {}, isa.Shl: {}, isa.And: {},
}

// dual reports that a and b fit into one VOPD, in either order of its halves.
func dual(a, b *isa.Inst) bool {
	if b.Uniform || !dualHalf(a) || !dualHalf(b) || !dualOps[a.Op].x && !dualOps[b.Op].x {
		return false
	}
	if a.Dst.Index%2 == b.Dst.Index%2 {
		return false // one destination is even, the other odd
	}
	for _, x := range dualSources(a) {
		for _, y := range dualSources(b) {
			if banksDiffer(x[0], y[0]) && banksDiffer(x[1], y[1]) && fewScalars(x, y) && sameCondition(a, b) {
				return true
			}
		}
	}
	return false
}

func dualHalf(in *isa.Inst) bool {
	kind, ok := dualOps[in.Op]
	if !ok || in.Dst.Kind != isa.Vector || in.T.Rows() != 1 || in.T.Bits() != 32 {
		return false
	}
	if kind.float && in.T != isa.F32 {
		return false
	}
	return !in.Mod.Any() && (in.Op != isa.Fma || in.Src[2] == in.Dst)
}

// dualSources returns the ways to assign an operation's two sources; the second has to be a vector register.
func dualSources(in *isa.Inst) (ways [][2]isa.Reg) {
	x, y := in.Src[0], in.Src[1]
	switch in.Op {
	case isa.Mov:
		return [][2]isa.Reg{{x, {}}}
	case isa.Select: // v_cndmask takes the second where the condition holds
		x, y = in.Src[2], in.Src[1]
	case isa.Shl: // v_lshlrev shifts the second
		x, y = y, x
	}
	if y.Kind == isa.Vector {
		ways = append(ways, [2]isa.Reg{x, y})
	}
	if x.Kind == isa.Vector && (in.Op.Has(isa.FlagCommutes) || in.Op == isa.FSub) {
		ways = append(ways, [2]isa.Reg{y, x})
	}
	return ways
}

// banksDiffer: the four banks of the vector registers have one port for each
// source position.
func banksDiffer(x, y isa.Reg) bool {
	return x.Kind != isa.Vector || y.Kind != isa.Vector || x.Index%4 != y.Index%4
}

// fewScalars reports whether two operations have at most two scalar registers and one literal together. Small integers
// and other inline constants count as literals here.
func fewScalars(x, y [2]isa.Reg) bool {
	return x[0].Kind != isa.Imm || y[0].Kind != isa.Imm || x[0].Val == y[0].Val
}

// sameCondition: both halves of two selections read the one condition register.
func sameCondition(a, b *isa.Inst) bool {
	return a.Op != isa.Select || b.Op != isa.Select || a.Src[0] == b.Src[0]
}
