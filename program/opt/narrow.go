package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// narrowLoads replaces loads of bytes and halves that cover an aligned word by one load of the word, and extracts them
// from it: hardware has no load that fills several registers with them (Mesa: nir_opt_load_store_vectorize, and RADV's
// rule for its alignment). Words then merge with other words, and may come through the scalar cache.
func narrowLoads(f *ir.Func, _ Options) bool { return eachNarrow(f, (*narrower).block) }

// eachNarrow applies a rewrite of narrow loads to each block.
func eachNarrow(f *ir.Func, rewrite func(*narrower, *ir.Block)) bool {
	w := &narrower{f: f, pool: newPool(f), names: newRenaming(f), u: newUses(f)}
	for _, b := range f.Blocks {
		rewrite(w, b)
	}
	if !w.changed {
		return false
	}
	w.names.apply(f)
	w.pool.flush()
	removeDead(f)
	return true
}

type narrower struct {
	f       *ir.Func
	pool    *pool
	names   *renaming
	u       *uses
	open    []*narrowWord
	changed bool
}

// A narrowWord is an aligned word of memory and the loads of its parts, in the order of the block.
type narrowWord struct {
	loads []*ir.Value
	have  uint32    // bytes that are loaded, a bit each
	bytes uint32    // of a part
	value *ir.Value // the load of the word, at the place of the first part
}

const wholeWord = 0xf

func (w *narrower) block(b *ir.Block) {
	w.open = w.open[:0]
	var whole []*narrowWord
	for _, v := range b.Code {
		w.close(v)
		if n := w.addLoad(v); n != nil {
			whole = append(whole, n)
		}
	}
	if len(whole) > 0 {
		w.changed = true
		w.rewrite(b, whole)
	}
}

// close drops the words that v keeps apart from the rest of their parts.
func (w *narrower) close(v *ir.Value) {
	if v.Mem == nil && !fence(v) {
		return
	}
	w.open = slices.DeleteFunc(w.open, func(n *narrowWord) bool { return interferes(v, n.value) })
}

// addLoad adds a load to its word, and returns the word when its loads cover it.
func (w *narrower) addLoad(v *ir.Value) *narrowWord {
	if !narrow(v) {
		return nil
	}
	at := slices.IndexFunc(w.open, func(n *narrowWord) bool {
		m := n.loads[0]
		return m.Mem.Offset&^3 == v.Mem.Offset&^3 && neighbours(v, m)
	})
	if at < 0 {
		if len(w.open) == maxOpen {
			w.open = slices.Delete(w.open, 0, 1)
		}
		at = len(w.open)
		w.open = append(w.open, &narrowWord{bytes: size(v.Mem), value: w.word(v)})
	}
	n := w.open[at]
	n.loads = append(n.loads, v)
	n.have |= (1<<n.bytes - 1) << (v.Mem.Offset & 3)
	if n.have != wholeWord {
		return nil
	}
	w.open = slices.Delete(w.open, at, at+1)
	return n
}

// narrow reports a load of a byte or a half that is in a word of its own alignment.
func narrow(v *ir.Value) bool { return v.Op == isa.Load && narrowElement(v) }

// narrowElement reports an access to a byte or a half that is in a word of its own alignment.
func narrowElement(v *ir.Value) bool {
	m := v.Mem
	space := m.Space == isa.SpaceBuffer || m.Space == isa.SpaceLDS
	return narrowType(v) && space && m.Align >= 4 && m.Offset%size(m) == 0
}

// narrowType reports an access to a byte or a half whose order nothing fixes.
func narrowType(v *ir.Value) bool {
	return (v.Mem.Elem == isa.I8 || v.Mem.Elem == isa.I16) && unordered(v)
}

func (w *narrower) rewrite(b *ir.Block, whole []*narrowWord) {
	first := map[*ir.Value]*narrowWord{}
	part := map[*ir.Value]*narrowWord{}
	for _, n := range whole {
		first[n.loads[0]] = n
		for _, v := range n.loads {
			part[v] = n
		}
	}
	out := make([]*ir.Value, 0, len(b.Code))
	for _, v := range b.Code {
		n := part[v]
		if n == nil {
			out = append(out, v)
			continue
		}
		if first[v] == n {
			out = append(out, n.value)
		}
		out = w.replacePart(out, n, v, 8*(v.Mem.Offset&3))
	}
	b.Code = out
}

// word returns a load of the word that contains v.
func (w *narrower) word(v *ir.Value) *ir.Value {
	m := *v.Mem
	m.Elem, m.Offset = isa.I32, m.Offset&^3
	l := w.f.NewValue(isa.Load, isa.I32, isa.I32, slices.Clone(v.Args)...)
	l.Mem, l.Block, l.SPIRV, l.Line = &m, v.Block, v.SPIRV, v.Line
	return l
}

// replacePart replaces a part: values that widen it extract its bits from the word, from bit shift on.
func (w *narrower) replacePart(out []*ir.Value, n *narrowWord, v *ir.Value, shift uint32) []*ir.Value {
	made := func(op isa.Op, t isa.Type, imm uint64, args ...*ir.Value) *ir.Value {
		x := w.f.NewValue(op, t, t, args...)
		x.Imm, x.Block, x.SPIRV, x.Line = imm, v.Block, v.SPIRV, v.Line
		out = append(out, x)
		return x
	}
	number := func(x uint32) *ir.Value { return w.pool.constant(isa.I32, uint64(x)) }
	var fields [2]*ir.Value // zero- and sign-extended
	plain := false
	for _, user := range w.u.users(v) {
		kind, op := 0, isa.BitFieldUExtract
		if user.Op == isa.SConvert {
			kind, op = 1, isa.BitFieldSExtract
		}
		if user.Op != isa.UConvert && user.Op != isa.SConvert || user.R != isa.I32 && (user.R != isa.I16 || v.R != isa.I8) {
			plain = true
			continue
		}
		if fields[kind] == nil {
			fields[kind] = made(op, isa.I32, 0, n.value, number(shift), number(8*n.bytes))
		}
		field := fields[kind]
		if user.R == isa.I16 { // instructions of 16 bits take half of a register
			field = made(isa.Unpack16, isa.I16, 0, field)
		}
		w.names.set(user, field)
	}
	if !plain && len(w.u.users(v)) > 0 {
		return out
	}
	whole := n.value
	if shift > 0 && v.R == isa.I8 {
		whole = made(isa.Shr, isa.I32, 0, whole, number(shift))
	}
	if v.R.Bits() == 16 {
		half := made(isa.Unpack16, isa.I16, uint64(shift/16), whole)
		if v.R != isa.I16 {
			half = made(isa.Mov, v.R, 0, half)
		}
		w.names.set(v, half)
		return out
	}
	x := made(isa.UConvert, isa.I8, 0, whole)
	x.From = isa.I32
	w.names.set(v, x)
	return out
}
