package program

import (
	"context"
	"fmt"
	"math"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Spills counts the registers of a wave that are kept elsewhere because the program has too few, and the instructions
// that save and restore them.
type Spills struct {
	VectorWords               int // of a lane, in scratch memory
	VectorStores, VectorLoads int
	ScalarLanes               int // of vector registers
	ScalarWrites, ScalarReads int
}

func (s Spills) String() string {
	return fmt.Sprintf("%d words of scratch by %d stores and %d loads, %d lanes of vector registers by %d writes and %d reads",
		s.VectorWords, s.VectorStores, s.VectorLoads, s.ScalarLanes, s.ScalarWrites, s.ScalarReads)
}

func (s Spills) Any() bool { return s != Spills{} }

// laneRegs returns the vector registers whose lanes keep scalar registers.
func (s Spills) laneRegs(waveSize int) int { return (s.ScalarLanes + waveSize - 1) / waveSize }

// vectorLimit returns the most vector registers that a wave of a function may have: all waves of a workgroup have to be
// resident together.
func (t *Target) vectorLimit(f *ir.Func) int {
	r := &t.Opt.Registers
	if t.VectorMax == 0 {
		return math.MaxInt
	}
	if r.All == 0 || t.SIMDs == 0 {
		return t.VectorMax
	}
	each := t.SIMDs * t.WaveSize
	waves := (int(f.Invocations()) + each - 1) / each
	granule := max(r.Granule, 1)
	if most := r.All / max(waves, 1) / granule * granule; most > 0 && waves <= r.Waves {
		return min(t.VectorMax, most)
	}
	return t.VectorMax
}

// A fitted function is ready for register allocation.
type fitted struct {
	fl     *flow
	lv     *liveness
	regs   *allocation
	spills Spills
	fits   bool // vector registers suffice
}

// spillRounds bounds the rounds of spilling: a spill may free fewer registers than it counts.
const spillRounds = 8

// fit splits edges, finds live ranges, and spills registers while there are too few.
func fit(ctx context.Context, f *ir.Func, pre []*ir.Value, t *Target) (x fitted) {
	scratch, lanes := newScratchSpiller(f), newLaneSpiller(f, t.WaveSize)
	vector, scalar := math.MaxInt, math.MaxInt // limits of the next round, lowered after a round that did not suffice
	for round := 0; ; round++ {
		splitEdges(ctx, f, pre)
		x.fl = newFlow(f)
		x.lv = newLiveness(ctx, f, x.fl, pre, phiCopies(f, x.fl))
		x.regs = measure(f, x.fl, x.lv, pre, t.WaveSize)
		x.spills = Spills{
			VectorWords: scratch.words(), VectorStores: scratch.Stores, VectorLoads: scratch.Loads,
			ScalarLanes: x.regs.lanes(), ScalarWrites: lanes.Writes, ScalarReads: lanes.Reads,
		}
		overVector, overScalar := x.excess(f, t)
		x.fits = overVector <= 0
		if x.fits && overScalar <= 0 || round == spillRounds || ctx.Err() != nil {
			return x
		}
		done := false
		if overScalar > 0 {
			scalar = min(scalar, x.regs.scalarRegs) - overScalar
			done = spill(f, x.fl, pre, newLiveness(ctx, f, x.fl, pre, nil), lanes, scalar)
		}
		if overVector > 0 && !done {
			vector = min(vector, x.regs.vectorRows) - overVector
			done = spill(f, x.fl, pre, newLiveness(ctx, f, x.fl, pre, nil), scratch, vector)
		}
		if !done {
			return x
		}
	}
}

// excess returns how many registers are missing.
func (x *fitted) excess(f *ir.Func, t *Target) (vector, scalar int) {
	if t.VectorMax > 0 {
		vector = x.regs.vectorRows - (t.vectorLimit(f) - x.spills.laneRegs(t.WaveSize))
	}
	if t.ScalarMax > 0 {
		// Registers besides values may leave too few for any instruction.
		scalar = x.regs.scalarRegs - max(t.ScalarMax-besideValues(f, x.fl, t.WaveSize), min(leastScalars, t.ScalarMax))
	}
	return vector, scalar
}

// leastScalars suffice for the operands and results of any instruction, and for its temporaries.
const leastScalars = 24

func (k *scratchSpiller) words() (n int) {
	for _, l := range k.local {
		if l != nil {
			n += len(l.Slots) * int(l.SlotWords)
		}
	}
	return n
}

// setScratch emits the instructions by which a wave sets up its scratch memory, as in RADV's listings: two halves of a
// descriptor before GFX9; from GFX10 on an offset in a register; before GFX11 also the address, in two registers of the
// wave.
func (e *emitter) setScratch(t *Target) {
	if e.spills.VectorWords == 0 || !t.Descriptors {
		return
	}
	n := 5
	switch {
	case t.LoadsGrid:
		n = 2
	case t.PackedIDs:
		n = 1
	}
	for range n {
		e.insts = append(e.insts, isa.Inst{Op: isa.Micro, T: isa.I32, Class: isa.ClassSALU, Imm: uint64(isa.Mov)})
	}
}
