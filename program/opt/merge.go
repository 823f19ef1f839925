package opt

import (
	"cmp"
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// mergeAccesses joins loads, and stores, of neighbouring elements into wide
// ones, within a block and where nothing between them touches the memory. Loads
// go to the place of the first, stores to that of the last. Values must have
// their units (placement).
func mergeAccesses(f *ir.Func, o Options) bool {
	m := &merger{f: f, o: &o, names: newRenaming(f), wide: make([]*wideAccess, f.NumValues())}
	for _, b := range f.Blocks {
		if o.stopped() {
			break
		}
		m.block(b)
	}
	m.names.apply(f)
	return m.changed
}

type merger struct {
	f       *ir.Func
	o       *Options
	names   *renaming
	open    []*accessGroup
	wide    []*wideAccess // by id of the value that it replaces
	changed bool
}

// A accessGroup is a set of accesses of one kind whose addresses differ by constants only, and which may still be joined.
type accessGroup struct {
	members           []*ir.Value // in the order of the block
	interveningWrites []*ir.Value // writes after the first member that do not touch the members before them
}

// A wideAccess replaces the accesses members, in order of their addresses, at the position of one of them.
type wideAccess struct {
	anchor     *ir.Value
	members    []*ir.Value
	pairStride uint32 // see isa.Access
}

// maxOpen bounds the groups that each access is compared with.
const maxOpen = 48

func (m *merger) block(b *ir.Block) {
	m.open = m.open[:0]
	for _, v := range b.Code {
		m.close(v)
		if mergeable(v, m.o) {
			m.addAccess(v)
		}
	}
	for _, g := range m.open {
		m.join(g)
	}
	m.rewrite(b)
}

// mergeable reports accesses that may be joined. Scratch stays in single words:
// its lanes are interleaved word by word.
func mergeable(v *ir.Value, o *Options) bool {
	return mayMerge(v, o) && v.Mem.Count == 1 && v.Mem.Space != isa.SpaceScratch
}

// mayMerge reports whether an access may be split and merged. Narrow elements may not: hardware has no instruction that
// fills several registers with bytes. Mesa merges coherent accesses (nir_opt_load_store_vectorize).
func mayMerge(v *ir.Value, o *Options) bool {
	return (v.Op == isa.Load || v.Op == isa.Store) && !v.Mem.Volatile && (!v.Mem.Coherent || !o.SelectBuffers) && v.Mem.Elem.Bits() >= 32
}

// close ends the groups that v separates from later accesses.
func (m *merger) close(v *ir.Value) {
	if v.Mem == nil && !fence(v) {
		return
	}
	load := v.Op == isa.Load && !v.Mem.Volatile
	m.open = slices.DeleteFunc(m.open, func(g *accessGroup) bool {
		if load && g.members[0].Op == isa.Load {
			return false
		}
		if slices.ContainsFunc(g.members, func(w *ir.Value) bool { return interferes(v, w) }) {
			m.join(g)
			return true
		}
		if v.Op != isa.Load {
			g.interveningWrites = append(g.interveningWrites, v)
		}
		return false
	})
}

func (m *merger) addAccess(v *ir.Value) {
	for _, g := range m.open {
		if neighbours(v, g.members[0]) && len(g.members) < maxOpen && g.admits(v) {
			g.members = append(g.members, v)
			return
		}
	}
	if len(m.open) == maxOpen {
		m.join(m.open[0])
		m.open = slices.Delete(m.open, 0, 1)
	}
	m.open = append(m.open, &accessGroup{members: []*ir.Value{v}})
}

// admits reports whether v may join the group: a load moves up to the first member, past the writes in between.
func (g *accessGroup) admits(v *ir.Value) bool {
	return v.Op != isa.Load || !slices.ContainsFunc(g.interveningWrites, func(w *ir.Value) bool { return interferes(w, v) })
}

func neighbours(v, w *ir.Value) bool {
	a, b := v.Mem, w.Mem
	return v.Op == w.Op && a.Space == b.Space && a.Binding == b.Binding && a.Dynamic == b.Dynamic &&
		a.Object == b.Object && a.Local == b.Local &&
		a.Elem == b.Elem && a.ReadOnly == b.ReadOnly && a.Coherent == b.Coherent && a.Unclobbered == b.Unclobbered && a.Speculative == b.Speculative && a.Part == b.Part && v.Uniform == w.Uniform && sameParts(v, w)
}

// join cuts the group, ordered by address, into accesses as wide as allowed.
func (m *merger) join(g *accessGroup) {
	if len(g.members) < 2 {
		return
	}
	pieces := accessRuns(g)
	for i, p := range pieces {
		if p == nil {
			continue
		}
		apart := uint32(0)
		if j := partner(pieces, i); j > 0 {
			apart = pieces[j][0].Mem.Offset - p[0].Mem.Offset
			p, pieces[j] = slices.Concat(p, pieces[j]), nil
		}
		if len(p) > 1 {
			m.makeWide(g, p, apart)
		}
	}
}

// accessRuns splits the members of a group into runs that one access moves.
func accessRuns(g *accessGroup) (list [][]*ir.Value) {
	sorted := slices.Clone(g.members)
	slices.SortStableFunc(sorted, func(v, w *ir.Value) int { return cmp.Compare(v.Mem.Offset, w.Mem.Offset) })
	for i := 0; i < len(sorted); {
		run := 1
		for i+run < len(sorted) && run < 4 && sorted[i+run].Mem.Offset == sorted[i].Mem.Offset+uint32(run)*size(sorted[i].Mem) {
			run++
		}
		n := width(sorted[i], run)
		list = append(list, sorted[i:i+n])
		i += n
	}
	return list
}

// width returns how many of the run's elements, starting with v, one access moves: at most 16 bytes; the scalar cache
// delivers 1, 2 or 4 words; LDS requires that accesses of 8 bytes are aligned to 8, and wider ones to 16.
func width(v *ir.Value, run int) int {
	n := min(run, int(128/v.Mem.Elem.Bits()))
	known := uint32(16)
	if v.Mem.Space == isa.SpaceLDS {
		known = aligned(v.Mem)
	}
	switch {
	case known < 16:
		return min(n, max(1, int(known*8/uint32(v.Mem.Elem.Bits()))))
	case n == 3 && v.Uniform:
		return 2
	}
	return n
}

// farthest is the largest offset, in units, of each half of an access to two places of LDS.
const farthest = 255

// partner returns the next piece that one access to LDS moves together with the i-th, 0 if there is none. Both have 4
// or 8 bytes and are aligned to that, and their offsets fit into 8 bits each, in units of that size or, if they are a
// multiple of it apart, of 64 times that size (Mesa's try_vectorize_shared2; ds_read2 and ds_read2st64).
func partner(pieces [][]*ir.Value, i int) int {
	low := pieces[i][0].Mem
	bytes := runBytes(pieces[i])
	if low.Space != isa.SpaceLDS || bytes != 4 && bytes != 8 || aligned(low) < bytes {
		return 0
	}
	for j := i + 1; j < len(pieces); j++ {
		if pieces[j] != nil && runBytes(pieces[j]) == bytes && twoOffsets(low, pieces[j][0].Mem, bytes) {
			return j
		}
	}
	return 0
}

func runBytes(p []*ir.Value) uint32 { return uint32(len(p)) * size(p[0].Mem) }

// twoOffsets reports that one instruction has both offsets.
func twoOffsets(low, high *ir.Mem, bytes uint32) bool {
	apart, unit := high.Offset-low.Offset, bytes
	wide := apart%(64*bytes) == 0
	if wide {
		unit *= 64
	}
	return apart%unit == 0 && high.Offset <= farthest*unit && (!wide || high.Offset%unit == 0)
}

// aligned returns the known alignment of the access in bytes.
func aligned(m *ir.Mem) uint32 { return min(m.Align, lowBit(m.Offset)) }

// makeWide makes the parts one access, at the first load or the last store.
func (m *merger) makeWide(g *accessGroup, parts []*ir.Value, apart uint32) {
	at := parts[0]
	for _, v := range g.members {
		if slices.Contains(parts, v) {
			at = v
			if v.Op == isa.Load {
				break
			}
		}
	}
	w := &wideAccess{at, parts, apart}
	for _, v := range parts {
		m.wide[v.ID] = w
	}
	m.changed = true
}

func (m *merger) rewrite(b *ir.Block) {
	out := make([]*ir.Value, 0, len(b.Code))
	for _, v := range b.Code {
		var w *wideAccess
		if v.ID < len(m.wide) {
			w = m.wide[v.ID]
		}
		switch {
		case w == nil:
			out = append(out, v)
		case w.anchor == v:
			out = m.emit(out, w)
		}
	}
	b.Code = out
}

func (m *merger) emit(out []*ir.Value, w *wideAccess) []*ir.Value {
	at, mem := w.anchor, *w.members[0].Mem
	mem.Count, mem.PairStride = uint8(len(w.members)), w.pairStride
	v := m.f.NewValue(at.Op, at.T, isa.Void)
	v.Block, v.Mem, v.Uniform, v.Origin = at.Block, &mem, at.Uniform, at.Origin
	_, _, _, data := at.MemArgs()
	v.Args = append(v.Args, at.Args[:len(at.Args)-len(data)]...)
	out = append(out, v)
	for i, p := range w.members {
		mem.Joined = mem.Joined || p.SPIRV != at.SPIRV || int(p.Component) != int(w.members[0].Component)+i
		if p.Op == isa.Store {
			v.Args = append(v.Args, p.Args[len(p.Args)-1])
			continue
		}
		r := m.f.NewValue(isa.Proj, p.R, p.R, v)
		r.Imm, r.Block, r.Uniform, r.Origin = uint64(i), p.Block, p.Uniform, p.Origin
		m.names.set(p, r)
		out = append(out, r)
	}
	return out
}
