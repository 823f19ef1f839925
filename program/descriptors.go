package program

import (
	"cmp"
	"slices"

	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
)

// Where buffers are descriptors, a wave starts with the address of their table and loads each descriptor with the
// scalar unit, in the first block that uses it. Blocks that this block dominates know it. An image and its sampler in one
// variable have two. A loop loads the descriptors
// that its body uses in each iteration: Mesa 22.3 hoists nothing out of loops, and Mesa 26.2 (nir_opt_licm) only from
// blocks that every exit passes, which excludes a body after the loop's test.

// A descriptorLoad is the load of a descriptor that an access needs.
type descriptorLoad struct {
	binding int
	words   uint8
	origin  isa.Origin
}

// A descriptorPlan records where descriptors are loaded, and the scalar words that they are loaded to.
type descriptorPlan struct {
	word  map[int]int        // by binding
	loads [][]descriptorLoad // by place: loads at the block's start
	sets  []*setAddress      // in the order of their numbers

	loadedAt [][]int // by binding: places at which it is loaded
	inLoop   []bool  // by place: whether it is in a loop
}

// A setAddress is the address of the descriptors of a set. A wave starts with its lower half.
type setAddress struct {
	set    uint32
	base   int         // the scalar word of the lower half
	places []int       // from which the upper half is, in ascending order
	moves  map[int]int // by place: scalar instructions that build the address for its loads
}

// planDescriptors finds the loads of all accesses to bindings that are known here.
func (e *emitter) planDescriptors() {
	n := len(e.fl.Blocks)
	e.tables = &descriptorPlan{
		word: map[int]int{}, loads: make([][]descriptorLoad, n),
		loadedAt: make([][]int, len(e.f.Bindings)), inLoop: e.inLoops(),
	}
	for i, b := range e.fl.Blocks {
		for _, v := range b.Code {
			at := i
			if e.sentOnce(i, v) {
				at = e.fl.Idom[i]
			}
			for _, l := range e.described(v) {
				e.planLoad(at, l)
			}
		}
	}
	slices.SortFunc(e.tables.sets, func(a, b *setAddress) int { return cmp.Compare(a.set, b.set) })
	e.planBases()
}

// sentOnce reports an atomic that the optimiser put behind a branch, so that one lane sends it. Its descriptor is loaded
// before.
func (e *emitter) sentOnce(place int, v *ir.Value) bool {
	b := e.fl.Blocks[place]
	if !v.Op.Has(isa.FlagAtomic) || len(b.Preds) != 1 {
		return false
	}
	first := b.Preds[0].Cond
	return first != nil && first.Op == isa.Elect && first.SPIRV == v.SPIRV
}

// planBases counts the instructions that build the addresses of 64 bits, whose upper half is a constant. One move writes
// it to the register after the lower half, if the pair begins with an even register and both are free afterwards: after
// the last load of the set outside a loop, when the next set's address, or the argument in the register after the last
// set's, is no longer read. Else the lower half is moved too. A mask in that register is moved away and back.
func (e *emitter) planBases() {
	p := e.tables
	reads := e.lastReads(e.arguments())
	for k, s := range p.sets {
		s.base = e.scalarWord()
		next := -1 // the last place at which the register after this one is read
		if k+1 < len(p.sets) {
			next = slices.Max(p.sets[k+1].places)
		} else if len(reads) > 0 {
			next = reads[0]
		}
		last := slices.Max(s.places)
		for _, at := range s.places {
			switch {
			case k%2 > 0 || at < last || p.inLoop[at] || next >= at:
				s.moves[at] = 2
			case k+1 == len(p.sets) && e.maskAfterTable(reads, at):
				s.moves[at] = 3
			default:
				s.moves[at] = 1
			}
		}
	}
}

// arguments returns the values in the scalar registers after the table's address, in order: push constants, then the
// workgroup's number.
func (e *emitter) arguments() (list []*ir.Value) {
	list = lists.Filter(e.pre, func(v *ir.Value) bool { return v.Op == isa.PushWord || v.Op.Has(isa.FlagWorkgroupID) })
	register := func(v *ir.Value) uint64 {
		if v.Op == isa.PushWord {
			return v.Imm
		}
		return 1<<32 + uint64(v.Op)
	}
	slices.SortFunc(list, func(a, b *ir.Value) int { return cmp.Compare(register(a), register(b)) })
	return list
}

// lastReads returns, for each value, the last place at which it is read; -1 if none.
func (e *emitter) lastReads(list []*ir.Value) []int {
	last := slices.Repeat([]int{-1}, len(list))
	for place, b := range e.fl.Blocks {
		for _, v := range b.Code {
			for _, a := range v.Args {
				if i := slices.Index(list, a); i >= 0 {
					last[i] = place
				}
			}
		}
	}
	return last
}

// maskAfterTable reports whether ACO keeps the mask of a branch around place at in the register after the table's lower
// half. ACO gives values of one register, such as a mask of 32 lanes, the smallest gap. That register is a gap if the
// argument in it is no longer read and the next one still is. reads are the places of the arguments' last reads.
func (e *emitter) maskAfterTable(reads []int, at int) bool {
	if e.waveSize != 32 || len(reads) < 2 {
		return false
	}
	for ; at > 0; at = e.fl.Idom[at] {
		d := e.fl.Idom[at]
		if len(e.fl.Blocks[at].Preds) == 1 && divergent(e.fl.Blocks[d]) && reads[0] <= d && reads[1] > d {
			return true
		}
	}
	return false
}

// descriptorsEnd returns the byte in the table at which the last loaded descriptor ends.
func (e *emitter) descriptorsEnd() (n uint32) {
	if e.tables != nil {
		for binding := range e.tables.word {
			n = max(n, uint32(binding+1)*descriptorBytes)
		}
	}
	return n
}

func (e *emitter) scalarWord() int {
	e.scalarWords++
	return e.scalarWords - 1
}

// planLoad puts the load of a descriptor that place i needs there, unless every way to it has passed one.
func (e *emitter) planLoad(i int, l descriptorLoad) {
	p := e.tables
	if e.fl.dominatedByAny(p.loadedAt[l.binding], i) {
		return
	}
	p.loadedAt[l.binding] = append(p.loadedAt[l.binding], i)
	p.loads[i] = append(p.loads[i], l)
	if s := p.address(e.f.Bindings[l.binding].Set); !e.fl.dominatedByAny(s.places, i) {
		s.places = append(s.places, i)
	}
	if _, ok := p.word[l.binding]; !ok {
		p.word[l.binding] = e.scalarWord()
	}
}

// address finds or adds the address of a set.
func (p *descriptorPlan) address(set uint32) *setAddress {
	for _, s := range p.sets {
		if s.set == set {
			return s
		}
	}
	p.sets = append(p.sets, &setAddress{set: set, moves: map[int]int{}})
	return p.sets[len(p.sets)-1]
}

// unpackIDs emits the extraction of values from registers that hold several: the packed parts of the invocation's
// position in the workgroup, and the wave's number and the number of waves, which compilers for Vulkan read.
func (e *emitter) unpackIDs(t *Target) {
	for _, v := range e.pre {
		place := v.Op.Has(isa.FlagLocalID) && t.PackedIDs
		wave := (v.Op == isa.SubgroupID || v.Op == isa.NumSubgroups) && t.Descriptors
		if e.uses[v.ID] == 0 || !place && !wave {
			continue
		}
		class := isa.ClassVALU32
		if wave {
			class = isa.ClassSALU
		}
		e.insts = append(e.insts, isa.Inst{Op: isa.Micro, T: isa.I32, Class: class, Imm: uint64(isa.BitFieldUExtract), Origin: v.Origin})
	}
}

// dominatedByAny reports that every way to place i passes one of the others.
func (fl *flow) dominatedByAny(others []int, i int) bool {
	for _, o := range others {
		at := i
		for at > o {
			at = fl.Idom[at]
		}
		if at == o {
			return true
		}
	}
	return false
}

// inLoops reports for each place whether it is in a loop.
func (e *emitter) inLoops() []bool {
	list := make([]bool, len(e.fl.Blocks))
	loops, _ := e.fl.loops()
	done := 0
	for _, l := range loops { // by their heads
		for done = max(done, l.head); done <= l.latch; done++ {
			list[done] = true
		}
	}
	return list
}

// described lists the descriptors that v reads, except of bindings chosen at run time.
func (e *emitter) described(v *ir.Value) (list []descriptorLoad) {
	m := v.Mem
	if m == nil || m.Dynamic || m.HasBindex || m.Space != isa.SpaceBuffer && m.Space != isa.SpaceImage {
		return nil
	}
	list = e.descriptorOf(list, m.Binding, v)
	if m.Sampling {
		list = e.descriptorOf(list, m.Sampler, v)
	}
	return list
}

// words of a descriptor by kind (GCN and RDNA ISA: V#, T# and S#).
var descriptorWords = map[ir.BindingKind]uint8{
	ir.StorageBuffer: 4, ir.UniformBuffer: 4, ir.TexelBuffer: 4, ir.StorageImage: 8, ir.SampledImage: 8, ir.Sampler: 4,
}

func (e *emitter) descriptorOf(list []descriptorLoad, binding int, v *ir.Value) []descriptorLoad {
	if binding >= len(e.f.Bindings) { // the program's own constant data
		return list
	}
	words := descriptorWords[e.f.Bindings[binding].Kind]
	if words == 0 {
		return list
	}
	return append(list, descriptorLoad{binding, words, v.Origin})
}

// descriptorBytes is the distance of descriptors in the table.
const descriptorBytes = 32

// loadDescriptors emits the loads of place i.
func (e *emitter) loadDescriptors(i int) {
	p := e.tables
	if p == nil {
		return
	}
	var based []uint32 // sets whose address is there
	for _, l := range p.loads[i] {
		s := p.address(e.f.Bindings[l.binding].Set)
		if n := s.moves[i]; n > 0 && !slices.Contains(based, s.set) {
			based = append(based, s.set)
			for range n - 1 {
				e.insts = append(e.insts, isa.Inst{Op: isa.Micro, T: isa.I32, Class: isa.ClassSALU, Imm: uint64(isa.Mov), Origin: l.origin})
			}
			e.add(isa.Inst{Op: isa.Mov, T: isa.I32, Uniform: true, Class: isa.ClassSALU, Dst: isa.S(s.base), Src: src(isa.Lit(upperHalf)), Origin: l.origin})
		}
		m := &isa.Mem{Access: isa.Access{Space: isa.SpaceTable, Binding: l.binding, Offset: uint32(l.binding) * descriptorBytes, Elem: isa.I32, Count: 1}, Words: l.words, Scalar: true}
		m.Dsts[0] = isa.S(p.word[l.binding])
		e.add(isa.Inst{Op: isa.Load, T: isa.I32, Class: isa.ClassSMEM, Uniform: true, Mem: m, Src: src(isa.S(s.base)), Origin: l.origin})
	}
}

// upperHalf is the upper 32 bits of the addresses of descriptors, a constant of Mesa's driver.
const upperHalf = 0xffff8000

// needsDescriptors records the descriptors that an access waits for.
func (e *emitter) needsDescriptors(x *isa.Mem, v *ir.Value) {
	if e.tables == nil {
		return
	}
	for i, l := range e.described(v) {
		x.Descriptors[i] = isa.S(e.tables.word[l.binding])
	}
}
