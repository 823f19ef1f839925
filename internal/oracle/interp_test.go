package oracle

import (
	"encoding/binary"
	"errors"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
)

// maker builds small functions.
type maker struct {
	f *ir.Func
	b *ir.Block
}

func start(size uint32) *maker {
	f := &ir.Func{Name: "f", LocalSize: [3]uint32{size, 1, 1}, Bindings: []ir.Binding{{Count: 1}}}
	return &maker{f, f.NewBlock()}
}

func (m *maker) op(op isa.Op, t isa.Type, args ...*ir.Value) *ir.Value {
	return m.b.Append(m.f.NewValue(op, t, isa.ResultType(op, t, isa.Void), args...))
}

func (m *maker) i32(n uint64) *ir.Value {
	v := m.op(isa.Const, isa.I32)
	v.Imm = n
	return v
}

func (m *maker) store(space isa.Space, index, x *ir.Value) {
	v := m.f.NewValue(isa.Store, isa.I32, isa.Void, index, x)
	v.Mem = &ir.Mem{Access: isa.Access{Space: space, Elem: isa.I32, Count: 1}, HasIndex: true}
	m.b.Append(v)
}

func (m *maker) load(space isa.Space, index *ir.Value) *ir.Value {
	v := m.f.NewValue(isa.Load, isa.I32, isa.I32, index)
	v.Mem = &ir.Mem{Access: isa.Access{Space: space, Elem: isa.I32, Count: 1}, HasIndex: true}
	return m.b.Append(v)
}

func (m *maker) run(t *testing.T, wave int, out []byte) (Stats, error) {
	t.Helper()
	suite.OK(t, ir.Verify(m.f))
	return Run(m.f, Dispatch{Groups: [3]uint32{1, 1, 1}, WaveSize: wave, Descriptors: []Descriptor{{Data: out}}, MaxSteps: 10000})
}

// TestReconvergence: lanes leave a loop at different times and meet after it,
// where a ballot sees all of them.
func TestReconvergence(t *testing.T) {
	m := start(8)
	lane := m.op(isa.LaneID, isa.I32)
	zero, one := m.i32(0), m.i32(1)
	loop, body, after := m.f.NewBlock(), m.f.NewBlock(), m.f.NewBlock()
	m.b.SetSuccs(ir.Jump, nil, loop)
	entry := m.b
	i := m.f.NewValue(isa.Phi, isa.I32, isa.I32)
	i.Block, loop.Phis = loop, []*ir.Value{i}
	loop.Merge, loop.Continue = after, body
	m.b = loop
	loop.SetSuccs(ir.Cond, m.op(isa.ULt, isa.I32, i, lane), body, after)
	m.b = body
	next := m.op(isa.IAdd, isa.I32, i, one)
	body.SetSuccs(ir.Jump, nil, loop)
	i.Args = []*ir.Value{zero, next}
	_ = entry
	m.b = after
	after.Term = ir.Return
	all := m.op(isa.Ballot, isa.I64, m.op(isa.IEq, isa.I32, i, lane))
	lo := m.f.NewValue(isa.Lo32, isa.I32, isa.I32, all)
	lo.From = isa.I64
	after.Append(lo)
	m.store(isa.SpaceBuffer, m.op(isa.Shl, isa.I32, lane, m.i32(2)), lo)
	out := make([]byte, 32)
	suite.Must(m.run(t, 32, out))(t)
	for l := range 8 {
		if got := binary.LittleEndian.Uint32(out[4*l:]); got != 0xff {
			t.Errorf("lane %d sees %#x, want 0xff", l, got)
		}
	}
}

// TestBarrier: the second wave reads the values that the first wrote, and the other way round.
func TestBarrier(t *testing.T) {
	m := start(64)
	m.f.LDSBytes = 256
	m.b.Term = ir.Return
	index := m.op(isa.LocalIndex, isa.I32)
	four := m.i32(4)
	at := m.op(isa.IMul, isa.I32, index, four)
	m.store(isa.SpaceLDS, at, index)
	m.b.Append(m.f.NewValue(isa.Barrier, isa.Void, isa.Void))
	other := m.op(isa.IMul, isa.I32, m.op(isa.ISub, isa.I32, m.i32(63), index), four)
	m.store(isa.SpaceBuffer, at, m.load(isa.SpaceLDS, other))
	out := make([]byte, 256)
	suite.Must(m.run(t, 32, out))(t)
	for i := range 64 {
		if got := binary.LittleEndian.Uint32(out[4*i:]); got != uint32(63-i) {
			t.Errorf("invocation %d reads %d, want %d", i, got, 63-i)
		}
	}
}

// TestBounds: writes after the end are dropped, reads give zero, both counted.
func TestBounds(t *testing.T) {
	m := start(4)
	m.b.Term = ir.Return
	at := m.op(isa.IMul, isa.I32, m.op(isa.LaneID, isa.I32), m.i32(4))
	far := m.op(isa.IAdd, isa.I32, at, m.i32(8))
	m.store(isa.SpaceBuffer, at, m.op(isa.IAdd, isa.I32, m.load(isa.SpaceBuffer, far), m.i32(1)))
	out := make([]byte, 12)
	binary.LittleEndian.PutUint32(out[8:], 41)
	stats := suite.Must(m.run(t, 32, out))(t)
	if got := binary.LittleEndian.Uint32(out); got != 42 || binary.LittleEndian.Uint32(out[8:]) != 1 {
		t.Errorf("buffer %v", out)
	}
	if stats.OutOfBounds != 4 {
		t.Errorf("%d accesses out of bounds, want 3 reads and 1 write", stats.OutOfBounds)
	}
}

func TestEndlessLoopStops(t *testing.T) {
	m := start(1)
	loop := m.f.NewBlock()
	m.b.SetSuccs(ir.Jump, nil, loop)
	loop.SetSuccs(ir.Jump, nil, loop)
	if _, err := m.run(t, 32, nil); !errors.Is(err, ErrSteps) {
		t.Errorf("error %v, want %v", err, ErrSteps)
	}
}
