package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// narrowStores replaces stores of bytes and halves that fill an aligned word by one store of the word, at the place of the
// last of them (Mesa: nir_opt_load_store_vectorize; LLVM: the load-store vectorizer). Words then merge with other words.
func narrowStores(f *ir.Func, _ Options) bool {
	changed := false
	for _, b := range f.Blocks {
		s := &storeJoiner{f: f, joined: map[*ir.Value]bool{}}
		out := make([]*ir.Value, 0, len(b.Code))
		for _, v := range b.Code {
			s.close(v)
			n := s.addStore(v)
			if n == nil {
				out = append(out, v)
				continue
			}
			word, store := s.wordStore(n, v)
			out = append(out, word, store)
		}
		if len(s.joined) > 0 {
			changed = true
			b.Code = slices.DeleteFunc(out, func(v *ir.Value) bool { return s.joined[v] })
		}
	}
	return changed
}

type storeJoiner struct {
	f      *ir.Func
	open   []*narrowStoreWord
	joined map[*ir.Value]bool // stores that a wider one replaces
}

// A narrowStoreWord is an aligned word of memory and the stores to its parts, by their places in it.
type narrowStoreWord struct {
	parts [4]*ir.Value
	left  int // parts that no store has written yet
}

// close drops the words of which v reads or writes a part.
func (s *storeJoiner) close(v *ir.Value) {
	if v.Mem == nil && !fence(v) {
		return
	}
	s.open = slices.DeleteFunc(s.open, func(n *narrowStoreWord) bool {
		return slices.ContainsFunc(n.parts[:], func(w *ir.Value) bool { return w != nil && interferes(v, w) })
	})
}

// addStore adds a store to its word, and returns the word when its stores fill it.
func (s *storeJoiner) addStore(v *ir.Value) *narrowStoreWord {
	if v.Op != isa.Store || !narrowElement(v) {
		return nil
	}
	part := v.Mem.Offset & 3 / size(v.Mem)
	at := slices.IndexFunc(s.open, func(n *narrowStoreWord) bool {
		w := n.first()
		return w.Mem.Offset&^3 == v.Mem.Offset&^3 && neighbours(v, w)
	})
	if at < 0 {
		if len(s.open) == maxOpen {
			s.open = slices.Delete(s.open, 0, 1)
		}
		at = len(s.open)
		s.open = append(s.open, &narrowStoreWord{left: int(4 / size(v.Mem))})
	}
	n := s.open[at]
	n.parts[part] = v
	if n.left--; n.left > 0 {
		return nil
	}
	s.open = slices.Delete(s.open, at, at+1)
	return n
}

func (n *narrowStoreWord) first() *ir.Value {
	return n.parts[slices.IndexFunc(n.parts[:], func(v *ir.Value) bool { return v != nil })]
}

// wordStore makes the word of the parts, and its store.
func (s *storeJoiner) wordStore(n *narrowStoreWord, last *ir.Value) (word, store *ir.Value) {
	op, low := isa.Pack16, n.parts[0]
	if low.Mem.Elem == isa.I8 {
		op = isa.Pack8
	}
	word = s.f.NewValue(op, isa.I32, isa.I32)
	for _, p := range n.parts {
		if p != nil {
			word.Args = append(word.Args, storedValue(p))
			s.joined[p] = true
		}
	}
	word.Block, word.Origin = last.Block, last.Origin
	m := *low.Mem
	m.Elem, m.Joined = isa.I32, true
	store = s.f.NewValue(isa.Store, isa.I32, isa.Void, append(slices.Clone(last.Args[:len(last.Args)-1]), word)...)
	store.Mem, store.Block, store.Origin = &m, last.Block, last.Origin
	return word, store
}
