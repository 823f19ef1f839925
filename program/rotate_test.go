package program

import (
	"context"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/program/opt"
)

// counting is a loop of n rounds that stores in each; n is the invocation's
// index or the workgroup's.
func counting(limit isa.Op) *ir.Func {
	f := generateEmpty()
	g := &gen{f: f}
	entry, header, body, cont, merge := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
	g.b = entry
	n, zero := g.val(limit, isa.I32, isa.I32), g.constant(0)
	entry.SetSuccs(ir.Jump, nil, header)
	i := f.NewValue(isa.Phi, isa.I32, isa.I32)
	i.Block, header.Phis = header, []*ir.Value{i}
	g.b = header
	header.Merge, header.Continue = merge, cont
	header.SetSuccs(ir.Cond, g.val(isa.ULt, isa.I32, isa.Bool, i, n), body, merge)
	g.b = body
	st := g.val(isa.Store, isa.I32, isa.Void, g.val(isa.Shl, isa.I32, isa.I32, i, g.constant(2)), i)
	st.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32, Count: 1}, HasIndex: true, Align: 4}
	body.SetSuccs(ir.Jump, nil, cont)
	g.b = cont
	next := g.val(isa.IAdd, isa.I32, isa.I32, i, g.constant(1))
	cont.SetSuccs(ir.Jump, nil, header)
	i.Args = []*ir.Value{zero, next}
	merge.Term = ir.Return
	return f
}

func generateEmpty() *ir.Func {
	return &ir.Func{Name: "main", LocalSize: [3]uint32{64, 1, 1}, Bindings: []ir.Binding{{Count: 1, Name: "out", Writes: true}}}
}

// An iteration takes one branch, at its end: back to after the header's test.
func TestLoopsAreRotated(t *testing.T) {
	for _, c := range []struct {
		limit isa.Op
		back  isa.Op
	}{{isa.WorkgroupIDX, isa.BranchTrue}, {isa.LocalIDX, isa.BranchExecNZ}} {
		f := counting(c.limit)
		opt.Run(f, opt.Options{WaveSize: 64})
		p := suite.Must(emit(context.Background(), f, &Target{WaveSize: 64}))(t)
		back := 0
		for k := range p.Insts {
			in := &p.Insts[k]
			if branch := in.Op >= isa.Branch && in.Op <= isa.BranchExecNZ; !branch || int(in.Target) > k {
				continue
			}
			back++
			if in.Op != c.back || p.Insts[in.Target].Op == isa.ULt {
				t.Errorf("%v: goes back with %s to %s", c.limit, isa.Disasm(in), isa.Disasm(&p.Insts[in.Target]))
			}
			for _, inside := range p.Insts[in.Target:k] {
				if inside.Op >= isa.Branch && inside.Op <= isa.BranchExecNZ {
					t.Errorf("%v: another branch in the loop: %s", c.limit, isa.Disasm(&inside))
				}
			}
		}
		if back != 1 {
			t.Errorf("%v: %d branches back, want 1", c.limit, back)
		}
	}
}
