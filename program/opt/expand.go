package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// An expander replaces operations by sequences of others.
type expander struct {
	f      *ir.Func
	o      Options
	pool   *pool
	names  *renaming
	b      *ir.Block // the block that is being written, out its code
	out    []*ir.Value
	source *ir.Value // the operation
	exact  bool      // expanded operations keep their roundings: none is fused
}

func newExpander(f *ir.Func, o Options) *expander {
	return &expander{f: f, o: o, pool: newPool(f), names: newRenaming(f)}
}

// run expands all values for which expansion returns a function. expansion also reports whether that takes branches.
func (d *expander) run(expansion func(v *ir.Value) (expand func(v *ir.Value) *ir.Value, branches bool)) bool {
	for _, b := range d.f.Blocks {
		branches := slices.ContainsFunc(b.Code, func(v *ir.Value) bool { _, br := expansion(v); return br })
		if b.Continue != nil && branches { // a loop's header stays one, and no more
			b = splitBlock(d.f, b, 0)
		}
		code := b.Code
		d.b, d.out = b, make([]*ir.Value, 0, len(code)+8)
		for _, v := range code {
			if expand, _ := expansion(v); expand != nil {
				d.source = v
				d.names.set(v, expand(v))
				continue
			}
			v.Block = d.b
			d.out = append(d.out, v)
		}
		d.b.Code = d.out
	}
	changed := d.names.apply(d.f)
	d.pool.flush()
	return changed
}

func (d *expander) constant(t isa.Type, bits uint64) *ir.Value { return d.pool.constant(t, bits) }

func (d *expander) op(op isa.Op, t isa.Type, args ...*ir.Value) *ir.Value {
	return d.add(d.f.NewValue(op, t, isa.ResultType(op, t, t), args...))
}

// from converts x to type t.
func (d *expander) from(op isa.Op, t isa.Type, x *ir.Value) *ir.Value {
	v := d.f.NewValue(op, t, t, x)
	v.From = x.R
	return d.add(v)
}

// half returns one word of a 64-bit value.
func (d *expander) half(op isa.Op, x *ir.Value) *ir.Value {
	v := d.f.NewValue(op, isa.I32, isa.I32, x)
	v.From = isa.I64
	return d.add(v)
}

func (d *expander) add(v *ir.Value) *ir.Value {
	v.Block, v.Origin, v.NoContract = d.b, d.source.Origin, d.exact
	v.Uniform = onScalarUnit(v, d.o)
	for _, a := range v.Args {
		v.Uniform = v.Uniform && (a.Uniform || literal(a) || v.Op == isa.ToScalar)
	}
	d.out = append(d.out, v)
	return v
}

// ifThen computes values in a block that a branch executes if the condition is holds, and continues in the block after
// it. Elsewhere the results are others.
func (d *expander) ifThen(is *ir.Value, others []*ir.Value, compute func() []*ir.Value) []*ir.Value {
	from, after := d.split()
	side := d.newBlock(from)
	from.SetSuccs(ir.Cond, is, side, after)
	return d.meet(after, others, d.fill(side, after, compute))
}

// ifElse computes values in one of two blocks, by a condition, and continues in the block after them.
func (d *expander) ifElse(is *ir.Value, yes, no func() []*ir.Value) []*ir.Value {
	from, after := d.split()
	first, second := d.newBlock(from), d.newBlock(from)
	from.SetSuccs(ir.Cond, is, first, second)
	x := d.fill(first, after, yes)
	return d.meet(after, x, d.fill(second, after, no))
}

func (d *expander) newBlock(like *ir.Block) *ir.Block {
	b := d.f.NewBlock()
	b.Line = like.Line
	return b
}

// split ends the current block. Its former end moves to block after, where lanes of both sides meet.
func (d *expander) split() (from, after *ir.Block) {
	from, after = d.b, d.newBlock(d.b)
	after.Term, after.Cond, after.Succs, after.Merge = from.Term, from.Cond, from.Succs, from.Merge
	for _, s := range after.Succs {
		replacePred(s, from, after)
	}
	from.Code, from.Merge, from.Succs = d.out, after, nil
	return from, after
}

// fill writes a block, and those that compute adds, that jump to another.
func (d *expander) fill(b, after *ir.Block, compute func() []*ir.Value) []*ir.Value {
	d.b, d.out = b, nil
	values := compute()
	d.b.Code = d.out
	d.b.SetSuccs(ir.Jump, nil, after)
	return values
}

// meet continues in a block, with phis of the values that its two predecessors computed.
func (d *expander) meet(after *ir.Block, x, y []*ir.Value) (results []*ir.Value) {
	d.b, d.out = after, nil
	for i := range x {
		phi := d.f.NewValue(isa.Phi, x[i].R, x[i].R, x[i], y[i])
		phi.Block, phi.Origin = after, d.source.Origin
		after.Phis = append(after.Phis, phi)
		results = append(results, phi)
	}
	return results
}
