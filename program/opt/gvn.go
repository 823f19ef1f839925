package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// gvn replaces pure operations, and loads from memory and images that are never written, by an equal one that dominates them.
// Within a block it also merges operations across lanes, since the same lanes are active. If nothing writes their memory in
// between, it merges loads, and forwards a store to later loads.
func gvn(f *ir.Func, _ Options) bool {
	s := newNumbering(f)
	for _, p := range s.g.pre {
		s.block(p)
	}
	return s.names.apply(f)
}

func newNumbering(f *ir.Func) *numbering {
	g := newGraph(f)
	return &numbering{g: g, names: newRenaming(f), table: newValueTable(f), known: newKnownMemory(g)}
}

type numbering struct {
	g     *graph
	names *renaming
	table *valueTable
	known *knownMemory
	// loads are the loads and stores whose memory nothing has written since, up to the present place of the present block.
	loads []*ir.Value
}

func (s *numbering) block(place int) {
	b := s.g.Blocks[place]
	s.loads = s.known.entering(s.loads[:0], place)
	for i, v := range b.Phis {
		for _, w := range b.Phis[:min(i, maxPhisCompared)] {
			if s.names.find(w) == w && s.samePhi(v, w) {
				s.names.set(v, w)
				break
			}
		}
	}
	for _, v := range b.Code {
		s.names.args(v)
		if w := s.leader(v); w != v {
			w.NoContract = w.NoContract || v.NoContract
			s.names.set(v, w)
		}
	}
	s.known.leave(place, s.loads)
}

// maxPhisCompared bounds the comparison of each phi with those before it.
const maxPhisCompared = 16

func (s *numbering) samePhi(v, w *ir.Value) bool {
	for i := range v.Args {
		if s.names.find(v.Args[i]) != s.names.find(w.Args[i]) {
			return false
		}
	}
	return v.R == w.R
}

// leader returns an earlier value that v equals, or v.
func (s *numbering) leader(v *ir.Value) *ir.Value {
	switch {
	case literal(v):
		return v
	case pure(v), crossLane(v) && !hasSideEffect(v), (v.Op == isa.Load || v.Op == isa.ImageLoad) && immutable(v):
		return s.table.find(v, s.replaces)
	case v.Op == isa.Load && !v.Mem.Volatile:
		return s.forwarded(v)
	}
	s.invalidate(v)
	return v
}

// replaces reports that the earlier value w may represent v.
func (s *numbering) replaces(w, v *ir.Value) bool {
	if crossLane(v) {
		return w.Block == v.Block
	}
	return s.g.dominates(w.Block, v.Block)
}

// immutable reports a load of memory that nothing in the shader writes.
func immutable(v *ir.Value) bool {
	return (v.Mem.ReadOnly || v.Mem.Space == isa.SpacePush) && !v.Mem.Volatile
}

// forwarded returns the value that an earlier access of the block left for the load v, or v.
func (s *numbering) forwarded(v *ir.Value) *ir.Value {
	for i := len(s.loads) - 1; i >= 0; i-- {
		w := s.loads[i]
		if !sameAddress(v, w) {
			continue
		}
		if w.Op == isa.Load {
			return w
		}
		if _, _, _, data := w.MemArgs(); data[0].R == v.R {
			return data[0]
		}
	}
	s.recordAccess(v)
	return v
}

// maxLoadsKnown bounds the search for each load.
const maxLoadsKnown = 64

func (s *numbering) recordAccess(v *ir.Value) {
	if len(s.loads) == maxLoadsKnown {
		s.loads = append(s.loads[:0], s.loads[maxLoadsKnown/2:]...)
	}
	s.loads = append(s.loads, v)
}

// invalidate drops the accesses whose memory v may write, and remembers a store. A load of what a store out of bounds did
// not write has the stored value then, as with drivers (Mesa: nir_opt_copy_prop_vars).
func (s *numbering) invalidate(v *ir.Value) {
	if !v.Op.Has(isa.FlagWrites) && !fence(v) {
		return
	}
	s.loads = slices.DeleteFunc(s.loads, func(w *ir.Value) bool { return interferes(v, w) })
	if v.Op == isa.Store && unordered(v) {
		s.recordAccess(v)
	}
}

// sameAddress reports accesses of the same bytes, apart from their type.
func sameAddress(v, w *ir.Value) bool {
	m, n := v.Mem, w.Mem
	if m.Space != n.Space || m.Binding != n.Binding || m.Dynamic != n.Dynamic || m.Local != n.Local || m.Payload != n.Payload ||
		m.Offset != n.Offset || m.Elem.Bits() != n.Elem.Bits() || m.Count != 1 || n.Count != 1 {
		return false
	}
	if v.Op == isa.Load && w.Op == isa.Load && m.Elem != n.Elem {
		return false
	}
	return sameParts(v, w)
}

// sameParts reports that the addresses of two accesses differ by constants at
// most.
func sameParts(v, w *ir.Value) bool {
	m, n := v.Mem, w.Mem
	if m.HasBase != n.HasBase || m.HasIndex != n.HasIndex || m.HasBindex != n.HasBindex {
		return false
	}
	parts := 0
	for _, has := range []bool{m.HasBase, m.HasIndex, m.HasBindex} {
		if has {
			parts++
		}
	}
	return slices.Equal(v.Args[:parts], w.Args[:parts])
}

// A valueTable finds values by their operation and operands.
type valueTable struct {
	head []*ir.Value // by hash; nil: empty
	next []*ir.Value // by value id: the previous value of the same hash

	compared int // how often values of one hash were looked at
}

func newValueTable(f *ir.Func) *valueTable {
	size := 64
	for size < f.NumValues() {
		size *= 2
	}
	return &valueTable{head: make([]*ir.Value, size), next: make([]*ir.Value, f.NumValues())}
}

// find returns the last entered value that equals v and may replace it; if there is none, it enters v. Blocks come in
// preorder of the dominator tree: a value that may not replace v will replace none that comes later, and is dropped.
func (t *valueTable) find(v *ir.Value, replaces func(w, v *ir.Value) bool) *ir.Value {
	h := hash(v) & uint64(len(t.head)-1)
	for at := &t.head[h]; *at != nil; t.compared++ {
		switch w := *at; {
		case !equal(v, w):
			at = &t.next[w.ID]
		case replaces(w, v):
			return w
		default:
			*at = t.next[w.ID]
		}
	}
	t.next[v.ID], t.head[h] = t.head[h], v
	return v
}

const hashPrime = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio

func hash(v *ir.Value) uint64 {
	h := uint64(v.Op)<<16 | uint64(v.T)<<8 | uint64(v.From)
	h = (h ^ v.Imm) * hashPrime
	args := v.Args
	if swappable(v) {
		h += uint64(v.Args[0].ID+1) * uint64(v.Args[1].ID+1)
		args = args[2:]
	}
	for _, a := range args {
		h = (h ^ h>>29 ^ uint64(a.ID)) * hashPrime
	}
	if v.Mem != nil {
		h = (h ^ h>>29 ^ uint64(v.Mem.Offset)<<16 ^ uint64(v.Mem.Binding)) * hashPrime
	}
	return h ^ h>>32
}

func swappable(v *ir.Value) bool { return v.Op.Has(isa.FlagCommutes) && len(v.Args) >= 2 }

func equal(v, w *ir.Value) bool {
	if v.Op != w.Op || v.T != w.T || v.R != w.R || v.Imm != w.Imm || len(v.Args) != len(w.Args) {
		return false
	}
	if v.From != w.From && isa.Table[v.Op].Meaning != nil && usesFrom(v) {
		return false
	}
	if (v.Mem != nil || w.Mem != nil) && (v.Mem == nil || w.Mem == nil || !sameMem(v.Mem, w.Mem)) {
		return false
	}
	from := 0
	if swappable(v) {
		from = 2
		straight := v.Args[0] == w.Args[0] && v.Args[1] == w.Args[1]
		crossed := v.Args[0] == w.Args[1] && v.Args[1] == w.Args[0]
		if !straight && !crossed {
			return false
		}
	}
	for i := from; i < len(v.Args); i++ {
		if v.Args[i] != w.Args[i] {
			return false
		}
	}
	return true
}

// usesFrom reports whether an operation's source type differs from its own type.
func usesFrom(v *ir.Value) bool {
	src := isa.Table[v.Op].Sig.Src
	return len(src) > 0 && src[0] == isa.OfFrom
}

func sameMem(m, n *ir.Mem) bool {
	return m.Space == n.Space && m.Binding == n.Binding && m.Dynamic == n.Dynamic && m.Local == n.Local &&
		m.HasBase == n.HasBase && m.HasIndex == n.HasIndex && m.HasBindex == n.HasBindex &&
		m.Offset == n.Offset && m.Elem == n.Elem && m.Count == n.Count && m.PairStride == n.PairStride && m.Coords == n.Coords && m.Volatile == n.Volatile && m.Part == n.Part && m.Texture == n.Texture
}
