package opt

import (
	"maps"
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Two sides of a branch that compute alike become one: operations that both
// have are done once, on operands that are selected where they differ, as LLVM's
// SimplifyCFG sinks and hoists common code. A load of each side becomes one load
// from a selected address; where the buffers differ, too, it takes a machine
// that addresses memory by pointers.

// maxMerged bounds the operations that a merge may make. Selections, and
// operations that only one side asks for, count against maxSelected.
const maxMerged = 24

type ifMerger struct {
	f       *ir.Func
	o       Options
	b       *ir.Block // the branch
	yes, no *ir.Block // its arms

	done    map[[2]*ir.Value]*ir.Value
	hoisted map[*ir.Value]bool // values of one arm that are computed in any case
	code    []*ir.Value
	cost    int
	created int
}

// mergeSides converts a branch whose arms only compute and load values that may be computed in either case.
func mergeSides(f *ir.Func, o Options, b, m *ir.Block, yes, no side) bool {
	if yes.arm == nil || no.arm == nil || len(m.Phis) == 0 || !quiet(yes.arm) || !quiet(no.arm) {
		return false
	}
	s := &ifMerger{f: f, o: o, b: b, yes: yes.arm, no: no.arm, done: map[[2]*ir.Value]*ir.Value{}, hoisted: map[*ir.Value]bool{}}
	i, j := predOf(m, yes.arm), predOf(m, no.arm)
	values := make([]*ir.Value, len(m.Phis))
	for k, phi := range m.Phis {
		if values[k] = s.merge(phi.Args[i], phi.Args[j], 0); values[k] == nil {
			return false
		}
	}
	if s.cost > maxSelected || s.created > maxMerged {
		return false
	}
	for _, v := range s.code {
		b.Append(v)
	}
	for k, phi := range m.Phis {
		phi.Args[i] = values[k]
	}
	m.Preds[i] = b
	dropPred(m, j)
	yes.arm.Code, no.arm.Code = nil, nil
	b.Term, b.Cond, b.Succs, b.Merge = ir.Jump, nil, []*ir.Block{m}, nil
	return true
}

// quiet reports whether a block has no effect and its loads may move to the end of the block before it.
func quiet(b *ir.Block) bool {
	if len(b.Code) > maxMerged {
		return false
	}
	return !slices.ContainsFunc(b.Code, func(v *ir.Value) bool {
		return !pure(v) && (v.Op != isa.Load || v.Mem.Volatile || v.Mem.Coherent || v.Mem.Count != 1)
	})
}

// merge returns the value that is x where the condition holds and y elsewhere; nil if that costs too much.
func (s *ifMerger) merge(x, y *ir.Value, depth int) *ir.Value {
	if x == y {
		return s.inAnyCase(x)
	}
	key := [2]*ir.Value{x, y}
	if v := s.done[key]; v != nil {
		return v
	}
	if s.created > maxMerged || s.cost > maxSelected {
		return nil
	}
	v := s.mergeOperation(x, y, depth)
	if v == nil {
		v = s.choose(x, y)
	}
	s.done[key] = v
	return v
}

// mergeOperation returns one operation in place of two of the same kind, if that costs no more than selecting between them.
func (s *ifMerger) mergeOperation(x, y *ir.Value, depth int) *ir.Value {
	if depth > 8 || x.Block != s.yes || y.Block != s.no || !s.sameOperation(x, y) {
		return nil
	}
	before, done, both := *s, maps.Clone(s.done), maps.Clone(s.hoisted)
	back := func() *ir.Value {
		*s = before
		s.done, s.hoisted = done, both
		return nil
	}
	args := make([]*ir.Value, len(x.Args))
	for i := range x.Args {
		if args[i] = s.merge(x.Args[i], y.Args[i], depth+1); args[i] == nil {
			return back()
		}
	}
	v := s.copyOf(x, args)
	if x.Mem != nil && !s.joinAccess(v, x.Mem, y.Mem) {
		return back()
	}
	v.NoContract = x.NoContract || y.NoContract
	return s.add(v)
}

func (s *ifMerger) sameOperation(x, y *ir.Value) bool {
	if x.Op != y.Op || x.T != y.T || x.From != y.From || x.R != y.R || x.Imm != y.Imm || len(x.Args) != len(y.Args) || literal(x) {
		return false
	}
	if x.Mem == nil {
		return y.Mem == nil && pure(x) && x.Op != isa.Proj
	}
	a, b := x.Mem, y.Mem
	return a.Space == b.Space && a.Elem == b.Elem && a.Offset == b.Offset && a.PairStride == b.PairStride && a.Payload == b.Payload && a.Part == b.Part && a.Local == b.Local &&
		a.HasBase == b.HasBase && a.HasIndex == b.HasIndex && a.HasBindex == b.HasBindex && a.Dynamic == b.Dynamic &&
		(a.Space == isa.SpaceBuffer || a.Space == isa.SpaceLDS || a.Space == isa.SpaceFlat) &&
		(a.Binding == b.Binding || s.o.SelectBuffers && !a.HasBindex && a.HasIndex)
}

func (s *ifMerger) copyOf(x *ir.Value, args []*ir.Value) *ir.Value {
	v := s.f.NewValue(x.Op, x.T, x.R, args...)
	v.From, v.Imm, v.Origin = x.From, x.Imm, x.Origin
	return v
}

// joinAccess gives v an access that serves both sides.
func (s *ifMerger) joinAccess(v *ir.Value, a, b *ir.Mem) bool {
	m := *a
	m.ReadOnly, m.NonWritable, m.Speculative = a.ReadOnly && b.ReadOnly, a.NonWritable && b.NonWritable, a.Speculative && b.Speculative
	m.Unclobbered = a.Unclobbered && b.Unclobbered
	m.Align, m.Low, m.High = min(a.Align, b.Align), min(a.Low, b.Low), max(a.High, b.High)
	if a.Object != b.Object {
		m.Object = -1
	}
	if a.Argument != b.Argument {
		m.Argument = 0
	}
	v.Mem = &m
	if a.Binding == b.Binding || a.Space != isa.SpaceBuffer {
		return true
	}
	x, ok := s.descriptor(a.Binding)
	y, known := s.descriptor(b.Binding)
	if !ok || !known {
		return false
	}
	m.Dynamic, m.HasBindex = true, true
	v.Args = append(v.Args, s.choose(s.constant(x), s.constant(y)))
	return true
}

// descriptor returns the index of a binding in the flattened list, and whether it has one.
func (s *ifMerger) descriptor(binding int) (uint64, bool) {
	at := uint64(0)
	for _, b := range s.f.Bindings[:binding] {
		if b.Count == 0 {
			return 0, false
		}
		at += uint64(b.Count)
	}
	return at, s.f.Bindings[binding].Count == 1
}

func (s *ifMerger) constant(n uint64) *ir.Value {
	p := newPool(s.f)
	v := p.constant(isa.I32, n)
	p.flush()
	return v
}

func (s *ifMerger) choose(x, y *ir.Value) *ir.Value {
	x, y = s.inAnyCase(x), s.inAnyCase(y)
	if x == nil || y == nil {
		return nil
	}
	v := s.f.NewValue(isa.Select, x.R, x.R, s.b.Cond, x, y)
	v.Origin, v.Line = x.Origin, s.b.Line
	s.cost += selectedCost(v)
	return s.add(v)
}

// inAnyCase returns v, computed unconditionally; nil if that is not possible, as for a load of one side alone.
func (s *ifMerger) inAnyCase(v *ir.Value) *ir.Value {
	if v.Block != s.yes && v.Block != s.no {
		return v
	}
	if s.hoisted[v] {
		return v
	}
	cost := selectedCost(v)
	if cost >= never || s.cost+cost > maxSelected {
		return nil
	}
	for _, a := range v.Args {
		if s.inAnyCase(a) == nil {
			return nil
		}
	}
	s.cost += cost
	s.hoisted[v] = true
	s.add(v)
	return v
}

func (s *ifMerger) add(v *ir.Value) *ir.Value {
	s.code = append(s.code, v)
	s.created++
	return v
}
