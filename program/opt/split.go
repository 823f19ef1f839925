package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// splitAccesses splits wide loads and stores into accesses of one element, so that each element can become a value, be
// shared, or be removed. mergeAccesses joins the remaining ones again.
func splitAccesses(f *ir.Func, o Options) bool {
	names := newRenaming(f)
	parts := make([][]*ir.Value, f.NumValues())
	for _, b := range f.Blocks {
		code := make([]*ir.Value, 0, len(b.Code))
		for _, v := range b.Code {
			if v.Mem != nil && v.Mem.Count > 1 && mayMerge(v, &o) {
				parts[v.ID] = elements(f, v)
				code = append(code, parts[v.ID]...)
			} else {
				code = append(code, v)
			}
		}
		b.Code = code
	}
	eachValue(f, func(v *ir.Value) {
		if v.Op == isa.Proj && parts[v.Args[0].ID] != nil {
			names.set(v, parts[v.Args[0].ID][v.Imm])
		}
	})
	return names.apply(f)
}

func elements(f *ir.Func, v *ir.Value) []*ir.Value {
	_, _, _, data := v.MemArgs()
	address := v.Args[:len(v.Args)-len(data)]
	var list []*ir.Value
	for i := range int(v.Mem.Count) {
		m := *v.Mem
		m.Count = 1
		m.Offset += uint32(i) * size(&m)
		w := f.NewValue(v.Op, v.T, isa.Void, address...)
		w.Args = append([]*ir.Value(nil), address...)
		if v.Op == isa.Load {
			w.R = m.Elem
		} else {
			w.Args = append(w.Args, data[i])
		}
		w.Block, w.Mem, w.Origin, w.Component = v.Block, &m, v.Origin, uint8(i)
		list = append(list, w)
	}
	return list
}
