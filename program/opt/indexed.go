package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Where buffers are descriptors, the compiler is Mesa's, which keeps variables of up to 256 bytes in registers even if
// they are indexed at run time (ac_nir_lower_indirect_derefs): a tree of branches leads to the access of each element,
// and small trees become selections. Larger variables stay in scratch memory.
const (
	maxIndexedWords = 64
	// maxIndexedCopies bounds the copies of accesses to one variable, so that a module's code stays linear in its size.
	maxIndexedCopies = 4096
)

// indexed replaces accesses at run-time indices of small variables by accesses of each element.
func indexed(f *ir.Func, o Options) bool {
	if o.SelectBuffers {
		return false
	}
	small := smallLocals(f)
	if len(small) == 0 {
		return false
	}
	x := &indexer{f: f, pool: newPool(f), names: newRenaming(f), locals: small}
	for _, b := range slices.Clone(f.Blocks) {
		for b != nil {
			b = x.block(b)
		}
	}
	x.names.apply(f)
	x.pool.flush()
	return true
}

// smallLocals returns the variables to convert: all their accesses at run-time indices are loads and stores of whole
// slots.
func smallLocals(f *ir.Func) map[*ir.Local]bool {
	copies := map[*ir.Local]int{}
	tables := findTables(f)
	not := map[*ir.Local]bool{}
	eachValue(f, func(v *ir.Value) {
		m := v.Mem
		if m == nil || m.Space != isa.SpaceScratch || m.Local == nil {
			return
		}
		foldIndex(v)
		l := m.Local
		switch {
		case tables[l] != nil, len(l.Slots)*int(l.SlotWords) > maxIndexedWords, !mayIndex(v):
			not[l] = true
		case m.HasIndex:
			copies[l] += newIndexing(v).elements()
		}
	})
	small := map[*ir.Local]bool{}
	for _, l := range f.Locals {
		if n := copies[l]; n > 0 && n <= maxIndexedCopies && !not[l] {
			small[l] = true
		}
	}
	return small
}

func mayIndex(v *ir.Value) bool {
	m := v.Mem
	return (v.Op == isa.Load || v.Op == isa.Store) && m.Count == 1 && !m.Volatile && !m.HasBase && !m.HasBindex && m.Offset%m.Local.SlotWords == 0
}

// An indexing is a run of accesses by one index: the parts of an element.
type indexing struct {
	accesses []*ir.Value
	index    *ir.Value // of the element if scale is 1, else of its first word
	stride   int       // words from one element to the next
	scale    int
	low      int // the first element that an access may reach
	high     int // the last one
}

func newIndexing(v *ir.Value) *indexing {
	x := &indexing{index: v.Args[0], stride: strideOf(v.Args[0])}
	if x.scale = x.stride; x.stride > 1 && strideOf(x.index.Args[0]) == 1 && (x.index.Op == isa.Shl || x.index.Op == isa.IMul) {
		x.index, x.scale = x.index.Args[0], 1
	}
	x.low, x.high = x.elementRange(v)
	x.accesses = []*ir.Value{v}
	return x
}

func (x *indexing) elements() int { return max(x.high-x.low+1, 0) }

// strideOf returns a number of words that divides an index.
func strideOf(v *ir.Value) int {
	if len(v.Args) != 2 {
		return 1
	}
	a, b := v.Args[0], v.Args[1]
	n := 1
	switch {
	case v.Op == isa.Shl && b.Op == isa.Const:
		n = 1 << min(b.Imm, 6)
	case v.Op == isa.IMul && b.Op == isa.Const:
		n = int(min(b.Imm, maxIndexedWords))
		if b.Imm > maxIndexedWords {
			n = 1
		}
	case v.Op == isa.IMul && a.Op == isa.Const && a.Imm <= maxIndexedWords:
		n = int(a.Imm)
	case v.Op == isa.IAdd:
		n = gcd(strideOf(a), strideOf(b))
	}
	return max(n, 1)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// elementRange returns the first and the last element that v may access.
func (x *indexing) elementRange(v *ir.Value) (low, high int) {
	m := v.Mem
	from, to := int(m.Low), int(m.High)
	if to <= from {
		from, to = 0, len(m.Local.Slots)*int(m.Local.SlotWords)
	}
	at := int(int32(m.Offset))
	return -floorDiv(at-from, x.stride), floorDiv(to-1-at, x.stride)
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// join adds the next access if it is of the same elements, and reports whether it did.
func (x *indexing) join(v *ir.Value) bool {
	first := x.accesses[0]
	m, n := v.Mem, first.Mem
	if m == nil || v.Op != first.Op || m.Local != n.Local || !m.HasIndex || v.Args[0] != first.Args[0] || m.Low != n.Low || m.High != n.High {
		return false
	}
	low, high := x.elementRange(v)
	x.low, x.high = min(x.low, low), max(x.high, high)
	x.accesses = append(x.accesses, v)
	return true
}

type indexer struct {
	f      *ir.Func
	pool   *pool
	names  *renaming
	locals map[*ir.Local]bool
}

// block takes the first accesses of b apart; it returns the block in which to go on, nil if there are none.
func (x *indexer) block(b *ir.Block) *ir.Block {
	at := slices.IndexFunc(b.Code, x.isIndexed)
	if at < 0 {
		return nil
	}
	if b.Continue != nil { // a loop's header stays one, and no more
		return splitBlock(x.f, b, 0)
	}
	n := newIndexing(b.Code[at])
	end := at + 1
	for end < len(b.Code) && n.join(b.Code[end]) {
		end++
	}
	after := splitBlock(x.f, b, end)
	b.Code = b.Code[:at]
	b.Succs, after.Preds = nil, nil
	last, results := x.tree(n, b, n.low, n.high)
	last.SetSuccs(ir.Jump, nil, after)
	for i, r := range results {
		x.names.set(n.accesses[i], r)
	}
	return after
}

func (x *indexer) isIndexed(v *ir.Value) bool {
	return v.Mem != nil && v.Mem.Space == isa.SpaceScratch && v.Mem.HasIndex && x.locals[v.Mem.Local]
}

// tree emits branches from b to the elements low to high. It returns the block where the ways meet and, for loads,
// their results there.
func (x *indexer) tree(n *indexing, b *ir.Block, low, high int) (last *ir.Block, results []*ir.Value) {
	if low >= high {
		return b, x.element(n, b, low)
	}
	middle := low + (high-low+1)/2
	like := n.accesses[0]
	is := x.f.NewValue(isa.SLt, isa.I32, isa.Bool, n.index, x.pool.constant(isa.I32, uint64(uint32(middle*n.scale))))
	is.Origin = like.Origin
	b.Append(is)
	yes, no, join := x.f.NewBlock(), x.f.NewBlock(), x.f.NewBlock()
	yes.Line, no.Line, join.Line = b.Line, b.Line, b.Line
	b.Merge = join
	b.SetSuccs(ir.Cond, is, yes, no)
	yes, lower := x.tree(n, yes, low, middle-1)
	no, upper := x.tree(n, no, middle, high)
	yes.SetSuccs(ir.Jump, nil, join)
	no.SetSuccs(ir.Jump, nil, join)
	for i := range lower {
		phi := x.f.NewValue(isa.Phi, lower[i].R, lower[i].R, lower[i], upper[i])
		phi.Block, phi.Origin = join, like.Origin
		join.Phis = append(join.Phis, phi)
		results = append(results, phi)
	}
	return join, results
}

// element makes the accesses ones of a known element. A place that is no slot of the size has no value.
func (x *indexer) element(n *indexing, b *ir.Block, element int) (results []*ir.Value) {
	for _, v := range n.accesses {
		m := *v.Mem
		word := int(int32(m.Offset)) + element*n.stride
		m.HasIndex, m.Offset = false, uint32(word)
		slot := word / int(m.Local.SlotWords)
		fits := word >= 0 && word%int(m.Local.SlotWords) == 0 && slot < len(m.Local.Slots) && m.Local.Slots[slot].Bits() == m.Elem.Bits()
		if !fits {
			if v.Op == isa.Load {
				results = append(results, x.pool.undef(v.R))
			}
			continue
		}
		w := x.f.NewValue(v.Op, v.T, v.R, v.Args[1:]...)
		w.Mem, w.Origin = &m, v.Origin
		b.Append(w)
		if v.Op == isa.Load {
			results = append(results, w)
		}
	}
	return results
}
