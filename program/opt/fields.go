package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// byteFields takes bytes that are shifted out of a word and widened again by one instruction each (v_bfe_i32, v_bfe_u32).
func byteFields(f *ir.Func, _ Options) bool {
	w := &narrower{f: f, u: newUses(f), names: newRenaming(f), pool: newPool(f)}
	changed := false
	for _, b := range f.Blocks {
		out := make([]*ir.Value, 0, len(b.Code))
		for _, v := range b.Code {
			if word, shift := byteOf(v); word != nil && w.widened(v) {
				out = w.replacePart(out, &narrowWord{bytes: 1, value: word}, v, shift)
				changed = true
			}
			out = append(out, v)
		}
		b.Code = out
	}
	if !changed {
		return false
	}
	w.names.apply(f)
	w.pool.flush()
	removeDead(f)
	return true
}

// byteOf returns the word of which v is a byte, and the byte's first bit; nil if it is none.
func byteOf(v *ir.Value) (word *ir.Value, shift uint32) {
	if v.Op != isa.UConvert || v.R != isa.I8 || v.From != isa.I32 {
		return nil, 0
	}
	word = v.Args[0]
	if k := word; k.Op == isa.Shr && k.R == isa.I32 && k.Args[1].Op == isa.Const && k.Args[1].Imm < 32 && k.Args[1].Imm%8 == 0 {
		return k.Args[0], uint32(k.Args[1].Imm)
	}
	return word, 0
}

// widened reports whether all uses of a byte extend it to a wider integer.
func (w *narrower) widened(v *ir.Value) bool {
	users := w.u.users(v)
	for _, user := range users {
		if user.Op != isa.UConvert && user.Op != isa.SConvert || user.R != isa.I32 && user.R != isa.I16 {
			return false
		}
	}
	return len(users) > 0
}
