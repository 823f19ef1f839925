package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// bitcasts removes moves that change the type and not the bits, which registers
// do not know of. It comes last: the passes before it, and ir.Verify, rely on
// the types of operands.
func bitcasts(f *ir.Func, _ Options) bool {
	names := newRenaming(f)
	printed := map[*ir.Value]bool{} // prints show values by their types
	eachValue(f, func(v *ir.Value) {
		if v.Op == isa.DebugPrint {
			for _, a := range v.Args {
				printed[a] = true
			}
		}
	})
	eachValue(f, func(v *ir.Value) {
		if printed[v] {
			return
		}
		if v.Op != isa.Mov || v.R == isa.Bool || v.Args[0].R == isa.Bool || v.R.Bits() != v.Args[0].R.Bits() {
			return
		}
		if a := v.Args[0]; literal(a) || a.Uniform == v.Uniform {
			names.set(v, a)
		}
	})
	return names.apply(f)
}
