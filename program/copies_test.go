package program

import (
	"encoding/binary"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// summing adds up the counter in each of n iterations, and stores the sum at the loop's end, or its value when it
// exceeds n.
func summing() *ir.Func {
	f := generateEmpty()
	g := &gen{f: f}
	entry, header, body, cont, merge := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
	g.b = entry
	lane, n := g.val(isa.LocalIDX, isa.I32, isa.I32), g.val(isa.WorkgroupIDX, isa.I32, isa.I32)
	zero, one := g.constant(0), g.constant(1)
	entry.SetSuccs(ir.Jump, nil, header)
	i, sum := f.NewValue(isa.Phi, isa.I32, isa.I32), f.NewValue(isa.Phi, isa.I32, isa.I32)
	i.Block, sum.Block, header.Phis = header, header, []*ir.Value{i, sum}
	g.b = header
	header.Merge, header.Continue = merge, cont
	header.SetSuccs(ir.Cond, g.val(isa.ULt, isa.I32, isa.Bool, i, n), body, merge)
	g.b = body
	more := g.val(isa.Xor, isa.I32, isa.I32, g.val(isa.IMul, isa.I32, isa.I32, sum, lane), i)
	body.SetSuccs(ir.Cond, g.val(isa.ULt, isa.I32, isa.Bool, more, n), cont, merge)
	g.b = cont
	next := g.val(isa.IAdd, isa.I32, isa.I32, i, one)
	again := g.val(isa.IAdd, isa.I32, isa.I32, more, i)
	cont.SetSuccs(ir.Jump, nil, header)
	i.Args, sum.Args = []*ir.Value{zero, next}, []*ir.Value{lane, again}
	result := f.NewValue(isa.Phi, isa.I32, isa.I32, sum, more)
	result.Block, merge.Phis = merge, []*ir.Value{result}
	g.b = merge
	st := g.val(isa.Store, isa.I32, isa.Void, g.val(isa.Shl, isa.I32, isa.I32, lane, g.constant(2)), result)
	st.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32, Count: 1}, HasIndex: true, Align: 4}
	merge.Term = ir.Return
	return f
}

// A value that leaves a loop at one way out and goes on at the other needs no move: both are in one register.
func TestValuesLeaveLoopsWithoutMoves(t *testing.T) {
	p := emitted(t, summing(), &Target{Descriptors: true})
	moves := placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Mov && !in.Uniform })
	if len(moves) != 1 { // the lane, which is needed once more
		t.Errorf("moves at %v, want one before the loop", moves)
	}
	want, bytes := make([]uint32, 64), make([]byte, 256)
	for lane := range uint64(64) {
		runLane(summing(), lane, 5, want)
	}
	runWave(t, p, 5, bytes)
	for lane, w := range want {
		if got := binary.LittleEndian.Uint32(bytes[4*lane:]); got != w {
			t.Errorf("lane %d: %d, want %d", lane, got, w)
		}
	}
}

// A store's operand is moved to a register once for all blocks that the first block dominates.
func TestConstantsAreMovedOnce(t *testing.T) {
	f := generateEmpty()
	g := &gen{f: f, b: f.NewBlock()}
	side, end := f.NewBlock(), f.NewBlock()
	x, seven := g.val(isa.LocalIDX, isa.I32, isa.I32), g.constant(7)
	at := g.val(isa.Shl, isa.I32, isa.I32, x, g.constant(2))
	store := func(offset uint32) {
		st := g.val(isa.Store, isa.I32, isa.Void, at, seven)
		st.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Offset: offset, Elem: isa.I32, Count: 1}, HasIndex: true, Align: 4}
	}
	store(0)
	g.b.Merge = end
	g.b.SetSuccs(ir.Cond, g.val(isa.ULt, isa.I32, isa.Bool, x, g.constant(9)), side, end)
	g.b = side
	store(256)
	side.SetSuccs(ir.Jump, nil, end)
	g.b = end
	store(512)
	end.Term = ir.Return
	p := emitted(t, f, &Target{Descriptors: true})
	if moves := placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Mov && !in.Uniform }); len(moves) != 1 {
		t.Errorf("moves at %v, want one", moves)
	}
}

// Both successors of a block have a phi in row 0 that takes the value of row 1, and one of them a phi in row 1 that takes
// the value of row 0: the rows change places, once.
func TestPhisOfTwoSuccessorsInOneRegister(t *testing.T) {
	rows := []int{0, 0, 1, 1, 0} // of the values, by id
	e := &emitter{vectorRows: 2}
	e.regs = &allocation{}
	var v []*ir.Value
	for id, row := range rows {
		v = append(v, &ir.Value{ID: id, Op: isa.Phi, R: isa.I32})
		e.regs.groups = append(e.regs.groups, &coalescedClass{reg: row})
	}
	e.copies([]copyTo{{v[0], v[3]}, {v[1], v[3]}, {v[2], v[4]}}, &ir.Block{})
	values := []int{10, 11, 0, 0}
	for i := range e.insts {
		values[e.insts[i].Dst.Index] = values[e.insts[i].Src[0].Index]
	}
	if values[0] != 11 || values[1] != 10 {
		t.Errorf("rows hold %v after %d moves, want 11 and 10", values[:2], len(e.insts))
	}
}
