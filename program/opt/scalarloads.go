package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// scalarNarrowLoads loads bytes and halves that are the same for all lanes through the scalar cache, which delivers words:
// the word that has them, shifted (ACO's emit_load with byte_align_loads, byte_align_scalar). Values must have their units.
func scalarNarrowLoads(f *ir.Func, o Options) bool {
	return !o.SelectBuffers && eachNarrow(f, (*narrower).scalarParts) && placement(f, o)
}

func (w *narrower) scalarParts(b *ir.Block) {
	var words []*ir.Value // loads of words at known places
	out := make([]*ir.Value, 0, len(b.Code))
	for _, v := range b.Code {
		if !scalarPart(v) {
			out = append(out, v)
			continue
		}
		w.changed = true
		parts := []*ir.Value{v}
		if v.Mem.Count > 1 {
			parts = w.u.users(v)
		}
		for _, p := range parts {
			m := *v.Mem
			m.Offset, m.Count = m.Offset+uint32(p.Imm)*uint32(m.Elem.Bits()/8), 1
			part, shift := w.word(v), 8*(m.Offset&3)
			part.Mem.Offset, part.Mem.Count, part.Mem.Part, part.Uniform = m.Offset&^3, 1, true, true
			if at := slices.IndexFunc(words, func(x *ir.Value) bool { return sameAddress(x, part) }); m.HasBase && m.Align < 4 {
				out, part = w.shiftedWord(out, part, m.Offset&3)
				shift = 0
			} else if at >= 0 {
				part = words[at]
			} else {
				out, words = append(out, part), append(words, part)
			}
			out = w.replacePart(out, &narrowWord{bytes: size(&m), value: part}, p, shift)
		}
	}
	b.Code = out
}

// scalarPart reports a load of bytes and halves that the scalar cache would serve if they were words.
func scalarPart(v *ir.Value) bool {
	if v.Op != isa.Load || v.Mem.Elem.Bits() > 16 || v.Mem.Space != isa.SpaceBuffer || !v.Mem.ReadOnly || v.Mem.HasIndex ||
		v.Mem.Volatile || v.Mem.Coherent || v.Mem.Offset%uint32(v.Mem.Elem.Bits()/8) != 0 {
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !a.Uniform && !literal(a) })
}

// shiftedWord returns the word that has a part in its lowest bits, from the load l of a word with an offset of so many bytes
// in it: the base is rounded down to a word, and what that leaves out becomes the shift.
func (w *narrower) shiftedWord(out []*ir.Value, l *ir.Value, offset uint32) ([]*ir.Value, *ir.Value) {
	made := func(op isa.Op, args ...*ir.Value) *ir.Value {
		x := w.f.NewValue(op, isa.I32, isa.I32, args...)
		x.Block, x.Origin, x.Uniform = l.Block, l.Origin, true
		out = append(out, x)
		return x
	}
	number := func(x uint32) *ir.Value { return w.pool.constant(isa.I32, uint64(x)) }
	base := l.Args[0]
	if offset != 0 {
		base = made(isa.IAdd, base, number(offset))
	}
	l.Args[0], l.Mem.Align = made(isa.And, base, number(^uint32(3))), 4
	out = append(out, l)
	shift := made(isa.Shl, made(isa.And, base, number(3)), number(3))
	return out, made(isa.Shr, l, shift)
}
