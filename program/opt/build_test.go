package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// A builder writes functions by hand.
type builder struct {
	t *testing.T
	f *ir.Func
	b *ir.Block
}

func newBuilder(t *testing.T) *builder {
	f := &ir.Func{Name: "main", LocalSize: [3]uint32{64, 1, 1}}
	return &builder{t: t, f: f, b: f.NewBlock()}
}

func (b *builder) blocks(n int) []*ir.Block {
	var bs []*ir.Block
	for range n {
		bs = append(bs, b.f.NewBlock())
	}
	return bs
}

func (b *builder) at(block *ir.Block) { b.b = block }

func (b *builder) op(op isa.Op, t isa.Type, args ...*ir.Value) *ir.Value {
	from := t
	return b.conv(op, t, from, args...)
}

func (b *builder) conv(op isa.Op, t, from isa.Type, args ...*ir.Value) *ir.Value {
	r := isa.ResultType(op, t, from)
	v := b.f.NewValue(op, t, r, args...)
	if from != t {
		v.From = from
	}
	return b.b.Append(v)
}

func (b *builder) c(n uint64) *ir.Value { return b.ct(isa.I32, n) }

func (b *builder) ct(t isa.Type, n uint64) *ir.Value {
	v := b.f.NewValue(isa.Const, t, t)
	v.Imm = n & t.Mask()
	return b.b.Append(v)
}

func (b *builder) phi(t isa.Type, args ...*ir.Value) *ir.Value {
	v := b.f.NewValue(isa.Phi, t, t, args...)
	v.Block = b.b
	b.b.Phis = append(b.b.Phis, v)
	return v
}

func (b *builder) load(m ir.Mem, args ...*ir.Value) *ir.Value {
	v := b.f.NewValue(isa.Load, m.Elem, m.Elem, args...)
	return b.mem(v, m, len(args))
}

func (b *builder) store(m ir.Mem, args ...*ir.Value) *ir.Value {
	v := b.f.NewValue(isa.Store, m.Elem, isa.Void, args...)
	return b.mem(v, m, len(args)-1)
}

func (b *builder) mem(v *ir.Value, m ir.Mem, address int) *ir.Value {
	m.Count, m.HasIndex = 1, address > 0
	if m.Align == 0 {
		m.Align = 4
	}
	v.Mem = &m
	return b.b.Append(v)
}

// readLDS reads an object of Workgroup memory by an atomic, so that stores to it are not dead.
func (b *builder) readLDS(object int, at *ir.Value) {
	b.mem(b.f.NewValue(isa.AtomicIAdd, isa.I32, isa.I32, at, at), ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32}, Object: object, Volatile: true}, 1)
}

func (b *builder) jump(to *ir.Block) { b.b.SetSuccs(ir.Jump, nil, to) }

func (b *builder) cond(c *ir.Value, yes, no, merge *ir.Block) {
	b.b.Merge = merge
	b.b.SetSuccs(ir.Cond, c, yes, no)
}

func (b *builder) ret() { b.b.SetSuccs(ir.Return, nil) }

// word is a 32-bit word of a buffer.
func word(binding int) ir.Mem {
	return ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Binding: binding, Elem: isa.I32}, Object: binding}
}

func slot(l *ir.Local, i uint32) ir.Mem {
	return ir.Mem{Access: isa.Access{Space: isa.SpaceScratch, Elem: isa.I32, Offset: i}, Local: l}
}

// count returns how often the operation is in the function.
func count(f *ir.Func, op isa.Op) int {
	n := 0
	eachValue(f, func(v *ir.Value) {
		if v.Op == op {
			n++
		}
	})
	return n
}
