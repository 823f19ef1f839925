package ir

import (
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
)

// diamond makes b0 -> b1, b2 -> b3 with a phi of two additions in b3.
func diamond() *Func {
	f := &Func{Name: "f", LocalSize: [3]uint32{1, 1, 1}}
	b := []*Block{f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()}
	one := b[0].Append(f.NewValue(isa.Const, isa.I32, isa.I32))
	one.Imm = 1
	cond := b[0].Append(f.NewValue(isa.IEq, isa.I32, isa.Bool, one, one))
	b[0].SetSuccs(Cond, cond, b[1], b[2])
	b[0].Merge = b[3]
	x := b[1].Append(f.NewValue(isa.IAdd, isa.I32, isa.I32, one, one))
	y := b[2].Append(f.NewValue(isa.IAdd, isa.I32, isa.I32, one, one))
	b[1].SetSuccs(Jump, nil, b[3])
	b[2].SetSuccs(Jump, nil, b[3])
	phi := f.NewValue(isa.Phi, isa.I32, isa.I32, x, y)
	phi.Block = b[3]
	b[3].Phis = []*Value{phi}
	b[3].Term = Return
	return f
}

func TestVerifyAcceptsTheDiamond(t *testing.T) {
	if err := Verify(diamond()); err != nil {
		t.Error(err)
	}
}

func TestVerifyFinds(t *testing.T) {
	tests := []struct {
		name, want string
		spoil      func(f *Func)
	}{
		{"phi arity", "1 arguments, 2 predecessors", func(f *Func) { p := f.Blocks[3].Phis[0]; p.Args = p.Args[:1] }},
		{"phi type", "argument 0 is i32", func(f *Func) { p := f.Blocks[3].Phis[0]; p.R, p.T = isa.F32, isa.F32 }},
		{"dominance", "does not dominate", func(f *Func) { f.Blocks[2].Code[0].Args[0] = f.Blocks[1].Code[0] }},
		{"order", "before its definition", func(f *Func) { v := f.Blocks[0].Code[1]; v.Args[0] = v }},
		{"edge", "predecessor", func(f *Func) { f.Blocks[3].Preds = f.Blocks[3].Preds[:1] }},
		{"successors", "1 successors of a cond", func(f *Func) { f.Blocks[0].Succs = f.Blocks[0].Succs[:1] }},
		{"width", "source 1 is bool", func(f *Func) { f.Blocks[1].Code[0].Args[1] = f.Blocks[0].Code[1] }},
		{"sources", "1 sources, want 2", func(f *Func) { v := f.Blocks[1].Code[0]; v.Args = v.Args[:1] }},
		{"result", "the result is i32, not f32", func(f *Func) { f.Blocks[1].Code[0].T = isa.F32 }},
		{"twice", "appears twice", func(f *Func) { b := f.Blocks[1]; b.Code = append(b.Code, b.Code[0]) }},
		{"foreign", "is in no block", func(f *Func) { f.Blocks[1].Code[0].Args[0] = f.NewValue(isa.LaneID, isa.I32, isa.I32) }},
		{"memory", "0 arguments, want 1", func(f *Func) {
			v := f.NewValue(isa.Store, isa.I32, isa.Void)
			v.Mem = &Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32, Count: 1}}
			f.Blocks[1].Append(v)
		}},
		{"merge", "merge or continue target", func(f *Func) { f.Blocks[0].Merge = &Block{ID: 9} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := diamond()
			tt.spoil(f)
			if err := Verify(f); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// Accesses have as many arguments as their form requires, one to four elements, and two parts in the LDS alone.
func TestVerifyReadsAccesses(t *testing.T) {
	for _, c := range []struct {
		m    Mem
		args int // addresses, then data
		want string
	}{
		{Mem{Access: isa.Access{Space: isa.SpaceLDS, Count: 1}}, 1, ""},
		{Mem{Access: isa.Access{Space: isa.SpaceLDS, Count: 4}}, 4, ""},
		{Mem{Access: isa.Access{Space: isa.SpaceLDS, Count: 4}, HasIndex: true}, 5, ""},
		{Mem{Access: isa.Access{Space: isa.SpaceBuffer, Count: 2}, HasBase: true, HasIndex: true, HasBindex: true}, 5, ""},
		{Mem{Access: isa.Access{Space: isa.SpaceBuffer, Count: 2}, HasBase: true, HasIndex: true}, 5, "5 arguments, want 4"},
		{Mem{Access: isa.Access{Space: isa.SpaceLDS, Count: 0}}, 0, "0 elements"},
		{Mem{Access: isa.Access{Space: isa.SpaceLDS, Count: 5}}, 5, "5 elements"},
		{Mem{Access: isa.Access{Space: isa.SpaceLDS, Count: 2, PairStride: 8}}, 2, ""},
		{Mem{Access: isa.Access{Space: isa.SpaceLDS, Count: 3, PairStride: 8}}, 3, "3 elements of lds in two pieces"},
		{Mem{Access: isa.Access{Space: isa.SpaceBuffer, Count: 2, PairStride: 8}}, 2, "2 elements of buffer in two pieces"},
		{Mem{Access: isa.Access{Space: isa.SpaceScratch, Count: 1}}, 1, "scratch without a variable"},
		{Mem{Access: isa.Access{Space: isa.SpaceScratch, Count: 1}, Local: &Local{}}, 1, ""},
	} {
		f := diamond()
		b := f.Blocks[1]
		v := f.NewValue(isa.Store, isa.I32, isa.Void)
		for range c.args {
			v.Args = append(v.Args, b.Append(f.NewValue(isa.Const, isa.I32, isa.I32)))
		}
		c.m.Elem = isa.I32
		v.Mem = &c.m
		b.Append(v)
		if err := Verify(f); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v with %d arguments: %v, want %q", &c.m, c.args, err, c.want)
		}
	}
}

func TestDominators(t *testing.T) {
	f := diamond()
	o := NewOrder(f)
	for i, want := range []int{0, 0, 0, 0} {
		if got := o.Blocks[o.Idom[o.Position[f.Blocks[i].ID]]]; got != f.Blocks[want] {
			t.Errorf("b%d is dominated by b%d, want b%d", i, got.ID, want)
		}
	}
}

// TestOrderPutsMergeLast: the merge block of a loop follows the whole loop,
// its continue target the rest of the body.
func TestOrderPutsMergeLast(t *testing.T) {
	f := &Func{}
	var b []*Block
	for range 5 {
		b = append(b, f.NewBlock())
	}
	cond := b[0].Append(f.NewValue(isa.Elect, isa.Bool, isa.Bool))
	b[0].SetSuccs(Jump, nil, b[1])
	b[1].Merge, b[1].Continue = b[4], b[3]
	b[1].SetSuccs(Cond, cond, b[4], b[2])
	b[2].SetSuccs(Cond, cond, b[3], b[4])
	b[3].SetSuccs(Jump, nil, b[1])
	b[4].Term = Return
	for i, got := range NewOrder(f).Blocks {
		if got != b[i] {
			t.Errorf("place %d is b%d", i, got.ID)
		}
	}
}

func TestPrint(t *testing.T) {
	var s strings.Builder
	suite.OK(t, Print(&s, diamond()))
	want := `func "f" size [1 1 1] lds 0 push 0
b0: merge b3
	v0:i32 = const imm 0x1
	v1:bool = ieq.i32 #0x1 #0x1
	cond v1 b1 b2
b1: <b0
	v2:i32 = iadd #0x1 #0x1
	jump b3
b2: <b0
	v3:i32 = iadd #0x1 #0x1
	jump b3
b3: <b1 <b2
	v4:i32 = phi v2 v3
	return
`
	if s.String() != want {
		t.Errorf("got\n%swant\n%s", s.String(), want)
	}
}
