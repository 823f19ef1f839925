package opt

import (
	"cmp"
	"math/bits"
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// addresses splits the address of each memory access: the constant part goes to the offset of the access, the uniform
// part to the base, the rest to the index. Terms of outer loops are added before those of inner ones, and terms with
// one factor before they are scaled, so that accesses share common parts and loops keep only varying ones. Values must
// have their units (placement).
func addresses(f *ir.Func, o Options) bool {
	a := &addresser{f: f, g: newGraph(f), pool: newPool(f), singleSum: !o.SelectBuffers, stripped: map[*ir.Value]strippedValue{}, twins: map[*ir.Value]*ir.Value{}}
	for _, b := range a.g.Blocks {
		a.block(b)
	}
	a.placeTwins()
	a.pool.flush()
	return a.changed
}

type addresser struct {
	f           *ir.Func
	g           *graph
	pool        *pool
	out         []*ir.Value
	accessValue *ir.Value // the access
	changed     bool
	singleSum   bool // addresses of lanes stay one sum
	stripped    map[*ir.Value]strippedValue
	twins       map[*ir.Value]*ir.Value // by value: the same without constants
}

// A sum is constant + terms, modulo 2^32 or 2^64.
type sum struct {
	t        isa.Type
	constant uint64
	terms    []term
}

// A term is factor * v.
type term struct {
	v      *ir.Value
	factor uint64
	depth  int // of the loop that computes v
}

// maxTerms bounds the sums that are taken apart.
const maxTerms = 12

func (a *addresser) block(b *ir.Block) {
	a.out = make([]*ir.Value, 0, len(b.Code)+8)
	for _, v := range b.Code {
		if v.Mem != nil && v.Mem.HasIndex && v.Mem.Space != isa.SpaceImage && !v.Mem.HasBase {
			a.access(v)
		}
		a.out = append(a.out, v)
	}
	b.Code = a.out
}

func (a *addresser) access(v *ir.Value) {
	index := v.Args[0]
	if !index.R.IsInt() || index.R.Bits() < 32 {
		return
	}
	a.accessValue = v
	s := &sum{t: index.R}
	if !a.add(s, index, 1, 0) {
		return
	}
	s.collect()
	if a.singleSum && !index.Uniform && s.t == isa.I32 && len(s.terms) > 0 {
		a.splitConstant(v, s)
		return
	}
	a.offset(v.Mem, s)
	base, rest := a.split(v.Mem, s)
	args := make([]*ir.Value, 0, len(v.Args)+1)
	for _, part := range []*ir.Value{base, rest} {
		if part != nil {
			args = append(args, part)
		}
	}
	v.Mem.HasBase, v.Mem.HasIndex = base != nil, rest != nil
	v.Args = append(args, v.Args[1:]...)
	a.changed = true
}

// A strippedValue is a value without the constants of its sum.
type strippedValue struct {
	v        *ir.Value
	constant uint64
}

// maxOffset is the largest constant offset that a buffer instruction encodes.
const maxOffset = 4095

// splitConstant removes only the constant from the address. Where buffers are descriptors, Mesa computes the address as in the
// source, in each lane, and shares common subexpressions.
func (a *addresser) splitConstant(v *ir.Value, s *sum) {
	m := v.Mem
	p := a.stripConstants(v.Args[0], 0)
	v.Args[0] = p.v
	m.Align = alignment(m, s, uint32(p.constant))
	total := m.Offset + uint32(p.constant)
	if far := uint64(total &^ maxOffset); far != 0 && m.Space == isa.SpaceBuffer {
		v.Args[0] = a.emit(isa.IAdd, isa.I32, p.v, a.pool.constant(isa.I32, far))
		total &= maxOffset
	}
	m.Offset = total
	a.changed = true
}

// stripConstants finds, or makes, v without the constants in its sum.
func (a *addresser) stripConstants(v *ir.Value, depth int) strippedValue {
	if p, ok := a.stripped[v]; ok {
		return p
	}
	p := strippedValue{v, 0}
	if v.T == isa.I32 && depth <= maxDepth {
		p = a.strip(v, depth+1)
	}
	a.stripped[v] = p
	return p
}

func (a *addresser) strip(v *ir.Value, depth int) strippedValue {
	whole := strippedValue{v, 0}
	switch {
	case v.Op == isa.IAdd && v.Args[1].Op == isa.Const:
		x := a.stripConstants(v.Args[0], depth)
		return strippedValue{x.v, x.constant + v.Args[1].Imm}
	case v.Op == isa.IAdd || v.Op == isa.ISub && v.Args[0].Op != isa.Const:
		x, y := a.stripConstants(v.Args[0], depth), a.stripConstants(v.Args[1], depth)
		if x.constant|y.constant == 0 {
			return whole
		}
		if v.Op == isa.ISub {
			y.constant = -y.constant
		}
		return strippedValue{a.copyWith(v, x.v, y.v), x.constant + y.constant}
	case (v.Op == isa.Shl || v.Op == isa.IMul) && v.Args[1].Op == isa.Const:
		x := a.stripConstants(v.Args[0], depth)
		if x.constant == 0 {
			return whole
		}
		factor := v.Args[1].Imm
		if v.Op == isa.Shl {
			factor = 1 << (factor & 31)
		}
		return strippedValue{a.copyWith(v, x.v, v.Args[1]), x.constant * factor}
	}
	return whole
}

// copyWith returns a copy of v with other operands, at v's own position, where those operands are defined.
func (a *addresser) copyWith(v, x, y *ir.Value) *ir.Value {
	w := a.f.NewValue(v.Op, v.T, v.R, x, y)
	w.Origin, w.Block = v.Origin, v.Block
	w.Uniform = v.Uniform
	a.twins[v] = w
	return w
}

// placeTwins inserts the values made by again before their originals.
func (a *addresser) placeTwins() {
	if len(a.twins) == 0 {
		return
	}
	for _, b := range a.g.Blocks {
		code := make([]*ir.Value, 0, len(b.Code)+8)
		for _, v := range b.Code {
			if w := a.twins[v]; w != nil {
				code = append(code, w)
			}
			code = append(code, v)
		}
		b.Code = code
	}
}

// maxDepth bounds the depth of the expressions that are taken apart.
const maxDepth = 32

// add adds factor*v to the sum, taking v apart.
func (a *addresser) add(s *sum, v *ir.Value, factor uint64, depth int) bool {
	if depth > maxDepth {
		return s.leaf(a, v, factor)
	}
	if v.Op == isa.Const {
		s.constant += v.Imm * factor
		return true
	}
	if v.T != s.t {
		return s.leaf(a, v, factor)
	}
	switch v.Op {
	case isa.IAdd:
		return a.add(s, v.Args[0], factor, depth+1) && a.add(s, v.Args[1], factor, depth+1)
	case isa.ISub:
		return a.add(s, v.Args[0], factor, depth+1) && a.add(s, v.Args[1], -factor, depth+1)
	case isa.INeg:
		return a.add(s, v.Args[0], -factor, depth+1)
	case isa.IMul:
		if k := v.Args[1]; k.Op == isa.Const {
			return a.add(s, v.Args[0], factor*k.Imm, depth+1)
		}
	case isa.Shl:
		if k := v.Args[1]; k.Op == isa.Const {
			return a.add(s, v.Args[0], factor<<(k.Imm%uint64(s.t.Bits())), depth+1)
		}
	}
	return s.leaf(a, v, factor)
}

func (s *sum) leaf(a *addresser, v *ir.Value, factor uint64) bool {
	s.terms = append(s.terms, term{v, factor & s.t.Mask(), a.g.depth(v.Block)})
	return len(s.terms) <= maxTerms
}

// collect joins the terms of one value and orders them.
func (s *sum) collect() {
	slices.SortFunc(s.terms, func(x, y term) int { return cmp.Compare(x.v.ID, y.v.ID) })
	joined := s.terms[:0]
	for _, t := range s.terms {
		if n := len(joined); n > 0 && joined[n-1].v == t.v {
			joined[n-1].factor = (joined[n-1].factor + t.factor) & s.t.Mask()
		} else {
			joined = append(joined, t)
		}
	}
	s.terms = slices.DeleteFunc(joined, func(t term) bool { return t.factor == 0 })
	slices.SortStableFunc(s.terms, func(x, y term) int {
		return cmp.Or(cmp.Compare(x.depth, y.depth), cmp.Compare(x.factor, y.factor))
	})
}

// offset moves the constant to the offset of the access if it fits. Offsets are unsigned and have 32 bits, which
// matters for 64-bit addresses.
func (a *addresser) offset(m *ir.Mem, s *sum) {
	total := uint64(m.Offset) + s.constant
	if s.t != isa.I64 || total < 1<<32 {
		m.Align = alignment(m, s, uint32(s.constant))
		m.Offset, s.constant = uint32(total), 0
	}
}

// maxAlign is the largest alignment in bytes that any access requires.
const maxAlign = 16

// alignment returns the known alignment of the address without the constant: that of the factors, or the alignment
// known before as far as the constant has it.
func alignment(m *ir.Mem, s *sum, constant uint32) uint32 {
	known := uint32(maxAlign)
	for _, t := range s.terms {
		known = min(known, lowBit(uint32(t.factor)))
	}
	return max(known, min(m.Align, lowBit(constant)), 1)
}

// lowBit returns the largest power of two that divides n, at most maxAlign.
func lowBit(n uint32) uint32 { return 1 << bits.TrailingZeros32(n|maxAlign) }

// split makes the uniform part and the part that differs by lane. LDS and
// scratch instructions have no scalar base: there all is one index.
func (a *addresser) split(m *ir.Mem, s *sum) (base, index *ir.Value) {
	uniform, differs := &sum{t: s.t, constant: s.constant}, &sum{t: s.t}
	for _, t := range s.terms {
		if t.v.Uniform {
			uniform.terms = append(uniform.terms, t)
		} else {
			differs.terms = append(differs.terms, t)
		}
	}
	base, index = a.build(uniform), a.build(differs)
	if m.Space == isa.SpaceLDS || m.Space == isa.SpaceScratch {
		if base == nil || index == nil {
			return nil, cmp.Or(base, index)
		}
		return nil, a.emit(isa.IAdd, s.t, index, base)
	}
	return base, index
}

// build computes a sum; nil is zero. Neighbouring terms whose factors are equal up to the sign are added before they
// are scaled.
func (a *addresser) build(s *sum) *ir.Value {
	var total *ir.Value
	negative := false
	for i := 0; i < len(s.terms); {
		j := i
		var group *ir.Value
		for ; j < len(s.terms) && s.terms[j].depth == s.terms[i].depth && s.terms[j].factor == s.terms[i].factor; j++ {
			group = a.plus(s.t, group, s.terms[j].v)
		}
		factor := s.terms[i].factor
		minus := signed(s.t, factor) < 0 && signed(s.t, -factor) > 0
		if minus {
			factor = -factor & s.t.Mask()
		}
		group = a.scale(s.t, group, factor)
		switch {
		case total == nil:
			total, negative = group, minus
		case minus == negative:
			total = a.emit(isa.IAdd, s.t, total, group)
		case negative:
			total, negative = a.emit(isa.ISub, s.t, group, total), false
		default:
			total = a.emit(isa.ISub, s.t, total, group)
		}
		i = j
	}
	if negative {
		total = a.emit(isa.INeg, s.t, total)
	}
	if s.constant != 0 {
		total = a.plus(s.t, total, a.pool.constant(s.t, s.constant))
	}
	return total
}

func (a *addresser) plus(t isa.Type, x, y *ir.Value) *ir.Value {
	if x == nil {
		return y
	}
	return a.emit(isa.IAdd, t, x, y)
}

func (a *addresser) scale(t isa.Type, v *ir.Value, factor uint64) *ir.Value {
	switch {
	case factor == 1:
		return v
	case powerOfTwo(factor):
		return a.emit(isa.Shl, t, v, a.pool.constant(t, uint64(bits.TrailingZeros64(factor))))
	}
	return a.emit(isa.IMul, t, v, a.pool.constant(t, factor))
}

func (a *addresser) emit(op isa.Op, t isa.Type, args ...*ir.Value) *ir.Value {
	v := a.f.NewValue(op, t, t, args...)
	v.Block, v.Origin, v.Uniform = a.accessValue.Block, a.accessValue.Origin, true
	for _, x := range args {
		v.Uniform = v.Uniform && (x.Uniform || literal(x))
	}
	a.out = append(a.out, v)
	return v
}
