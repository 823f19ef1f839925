package program

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Values that machines before RDNA 2 load or set, and that later machines have in registers from a wave's start.

// A gridPlan records where the numbers of workgroups are loaded. A wave starts with their address, not with their
// values.
type gridPlan struct {
	loads []bool // by place
	words [2]int // scalar words that the loads write
	moves int    // scalar instructions that copy the address to a pair of registers whose first number is even
}

// planGrid finds the blocks that use a number of workgroups first. Before GFX10.3 RADV has a pointer to them among the arguments of a wave, not the numbers.
func (e *emitter) planGrid() {
	var numbers []*ir.Value
	before := 2 + e.sets() // registers before the pointer: the addresses of scratch memory and descriptor sets, then push constants
	for _, v := range e.pre {
		switch {
		case v.Op.Has(isa.FlagNumWorkgroups) && e.uses[v.ID] > 0:
			numbers = append(numbers, v)
		case v.Op == isa.PushWord:
			before++
		}
	}
	if len(numbers) == 0 {
		return
	}
	e.grid = &gridPlan{loads: make([]bool, len(e.fl.Blocks)), words: [2]int{e.scalarWord(), e.scalarWord()}, moves: 2 * (before % 2)}
	var known []int
	for i := range e.fl.Blocks {
		if e.reads(i, numbers) && !e.fl.dominatedByAny(known, i) {
			known, e.grid.loads[i] = append(known, i), true
		}
	}
}

// sets returns the number of descriptor sets of the bindings.
func (e *emitter) sets() int {
	list := map[uint32]bool{}
	for i := range e.f.Bindings {
		list[e.f.Bindings[i].Set] = true
	}
	return len(list)
}

// reads reports that block i uses one of the values.
func (e *emitter) reads(i int, list []*ir.Value) bool {
	b := e.fl.Blocks[i]
	for _, v := range b.Code {
		if slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return slices.Contains(list, a) }) {
			return true
		}
	}
	return slices.Contains(list, b.Cond) || slices.ContainsFunc(e.lv.copies[b.ID], func(c copyTo) bool { return slices.Contains(list, c.src) })
}

// loadGrid emits the loads of place i: x and y, then z, even if unused. Their registers hold the numbers from the
// start; the loads only add the time until they are known.
func (e *emitter) loadGrid(i int) {
	if e.grid == nil {
		return
	}
	if i == 0 {
		for range e.grid.moves {
			e.add(isa.Inst{Op: isa.Mov, T: isa.I32, Uniform: true, Class: isa.ClassSALU, Dst: isa.S(e.grid.words[0]), Src: src(isa.Lit(0))})
		}
	}
	if !e.grid.loads[i] {
		return
	}
	for k, words := range []uint8{2, 1} {
		m := &isa.Mem{Access: isa.Access{Space: isa.SpaceTable, Offset: e.descriptorsEnd() + 8*uint32(k), Elem: isa.I32, Count: 1}, Words: words, Scalar: true}
		m.Dsts[0] = isa.S(e.grid.words[k])
		for n, v := range e.numbers(k) {
			m.Dsts[1+n] = e.reg(v)
		}
		e.add(isa.Inst{Op: isa.Load, T: isa.I32, Class: isa.ClassSMEM, Uniform: true, Mem: m})
	}
}

// numbers returns the numbers of workgroups that are used: those in x and y for z = 0, that in z for z = 1.
func (e *emitter) numbers(z int) (list []*ir.Value) {
	for _, v := range e.pre {
		if n := int(v.Op) - int(isa.NumWorkgroupsX); n >= 0 && n <= 2 && n/2 == z && e.uses[v.ID] > 0 {
			list = append(list, v)
		}
	}
	return list
}

// tableBytes returns the size of the table: up to the last loaded descriptor, plus the numbers of workgroups if they
// are loaded.
func (e *emitter) tableBytes() uint32 {
	if e.grid != nil {
		return e.descriptorsEnd() + gridBytes
	}
	return e.descriptorsEnd()
}

// gridBytes is the size of three numbers of workgroups.
const gridBytes = 12

// limitLDS sets the register that bounds accesses to the LDS before the first one of a block, unless every way to the block has passed one.
func (e *emitter) limitLDS(in *isa.Inst) {
	n := len(e.limited)
	if !e.limits || in.Mem.Space != isa.SpaceLDS || n > 0 && e.limited[n-1] == e.current || e.fl.dominatedByAny(e.limited, e.current) {
		return
	}
	if n == 0 {
		e.limit = e.scalarWord()
	}
	e.limited = append(e.limited, e.current)
	e.add(isa.Inst{Op: isa.Mov, T: isa.I32, Uniform: true, Class: isa.ClassSALU, Dst: isa.S(e.limit), Src: src(isa.Lit(1<<32 - 1)), Origin: in.Origin})
}
