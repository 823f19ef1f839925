package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// byteWords loads a vector of four bytes that is only ever taken as one word as
// that word: hardware loads it so, and the bytes need not be put together again.
func byteWords(f *ir.Func, _ Options) bool {
	w := &byteWord{u: newUses(f), names: newRenaming(f)}
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if bytesOfWord(v) {
				w.load(v)
			}
		}
	}
	if !w.names.apply(f) {
		return false
	}
	return removeDead(f)
}

type byteWord struct {
	u     *uses
	names *renaming
}

// bytesOfWord reports a load of four bytes that may as well be one of a word.
func bytesOfWord(v *ir.Value) bool {
	m := v.Mem
	return v.Op == isa.Load && m.Elem == isa.I8 && m.Count == 4 && !m.Volatile && !m.Coherent && aligned(m) >= 4
}

func (w *byteWord) load(v *ir.Value) {
	var words []*ir.Value
	for _, p := range w.u.users(v) {
		for _, pack := range w.u.users(p) {
			if !packs(pack, v) {
				return
			}
			words = append(words, pack)
		}
	}
	if len(words) == 0 {
		return
	}
	v.Mem.Elem, v.Mem.Count, v.T, v.R = isa.I32, 1, isa.I32, isa.I32
	for _, pack := range words {
		w.names.set(pack, v)
	}
}

// packs reports a word that is made of the bytes of the load, in their order.
func packs(v, load *ir.Value) bool {
	if v.Op != isa.Pack8 {
		return false
	}
	for i, a := range v.Args {
		if a.Op != isa.Proj || a.Args[0] != load || a.Imm != uint64(i) {
			return false
		}
	}
	return true
}
