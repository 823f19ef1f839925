package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// deadStores removes stores that a later one of the same block overwrites before anything may read them (Mesa:
// nir_opt_dead_write_vars; LLVM: dead store elimination). The later one is to the same place, so an access out of bounds is
// reported still. Stores to Workgroup memory that nothing reads go too.
func deadStores(f *ir.Func, o Options) bool {
	changed := unreadStores(f)
	for _, b := range f.Blocks {
		if o.stopped() {
			break
		}
		changed = overwritten(b) || changed
	}
	return changed
}

// maxOverwriting bounds the later stores that each store is compared with.
const maxOverwriting = 64

func overwritten(b *ir.Block) bool {
	var later []*ir.Value // stores of the block whose memory nothing reads between here and them
	dead := map[*ir.Value]bool{}
	for _, v := range slices.Backward(b.Code) {
		switch {
		case v.Op == isa.Store && unordered(v):
			if slices.ContainsFunc(later, func(w *ir.Value) bool { return sameAddress(v, w) }) {
				dead[v] = true
			} else if len(later) < maxOverwriting {
				later = append(later, v)
			}
		case v.Mem != nil || fence(v):
			later = slices.DeleteFunc(later, func(w *ir.Value) bool { return interferes(v, w) })
		}
	}
	if len(dead) == 0 {
		return false
	}
	b.Code = slices.DeleteFunc(b.Code, func(v *ir.Value) bool { return dead[v] })
	return true
}

// unreadStores removes stores to Workgroup variables without another use (Mesa: nir_remove_dead_variables). The bytes of the variables
// stay: shaders declare them to bound the occupancy.
func unreadStores(f *ir.Func) bool {
	read := map[int]bool{} // by object; -1 may be any
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if v.Mem != nil && v.Mem.Space == isa.SpaceLDS && (v.Op != isa.Store || v.Mem.Volatile) {
				read[v.Mem.Object] = true
			}
		}
	}
	changed := false
	for _, b := range f.Blocks {
		n := len(b.Code)
		b.Code = slices.DeleteFunc(b.Code, func(v *ir.Value) bool {
			m := v.Mem
			return v.Op == isa.Store && m.Space == isa.SpaceLDS && !m.Volatile && !m.Payload && m.Object >= 0 && !read[m.Object] && !read[-1]
		})
		changed = changed || len(b.Code) != n
	}
	return changed
}

// unordered reports an access of one element that other invocations see in no order that the shader asks for.
func unordered(v *ir.Value) bool {
	return !v.Mem.Volatile && !v.Mem.Coherent && !v.Mem.Payload && v.Mem.Count == 1
}
