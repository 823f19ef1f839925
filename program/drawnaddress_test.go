package program

import "fmt"

// The statements of this file have addresses that are added up, and pointers.

// item is an index of which a part is constant, often.
func (w *shaderWriter) item() string {
	part := func() string {
		return w.value("%uint", fmt.Sprintf("OpIAdd %%uint %s %s", w.of("%uint"), w.named("%uint", w.one("1", "3", "8"))))
	}
	switch w.r.IntN(6) {
	case 0:
		x := part()
		return w.value("%uint", fmt.Sprintf("OpISub %%uint %s %s", x, part()))
	case 1:
		return w.value("%uint", fmt.Sprintf("OpIMul %%uint %s %s", part(), w.named("%uint", w.one("3", "5", "16"))))
	case 2:
		return w.value("%uint", fmt.Sprintf("OpShiftLeftLogical %%uint %s %s", part(), w.named("%uint", w.one("1", "2", "5"))))
	case 3:
		return part()
	default:
		return w.of("%uint")
	}
}

// pairs goes through a function's array of structures by indices near one another.
func (w *shaderWriter) pairs() {
	base := w.of("%uint")
	chain := func(pointer, member string) string {
		at, p := base, w.id()
		if op := w.r.IntN(3); op > 0 {
			at = w.value("%uint", fmt.Sprintf("%s %%uint %s %s", []string{"OpIAdd", "OpISub"}[op-1], base, w.named("%uint", w.one("1", "2", "3"))))
		}
		w.line("%s = OpAccessChain %s %%locals %s %s", p, pointer, at, w.named("%uint", member))
		return p
	}
	for range 1 + w.r.IntN(3) {
		w.line("OpStore %s %s", chain("%to_local", w.one("0", "2")), w.of("%float"))
	}
	w.line("OpStore %s %s", chain("%to_local_uint", "1"), w.of("%uint"))
	w.value("%float", "OpLoad %float "+chain("%to_local", w.one("0", "2")))
	w.value("%uint", "OpLoad %uint "+chain("%to_local_uint", "1"))
}

// node follows an address, with a store into a buffer between: the address may lead there.
func (w *shaderWriter) node() {
	p := w.value("%nodeptr", "OpConvertUToPtr %nodeptr "+w.of("%ulong"))
	w.values["%nodeptr"] = nil
	to := func(pointer string, path string) string {
		id := w.id()
		w.line("%s = OpAccessChain %s %s %s", id, pointer, p, path)
		return id
	}
	w.value("%v2", "OpLoad %v2 "+to("%to_node_v2", w.named("%uint", "1"))+" Aligned 8")
	if w.r.IntN(2) == 0 {
		w.store()
	}
	word := to("%to_node_uint", w.named("%uint", "2")+" "+w.item())
	if w.r.IntN(3) == 0 {
		w.line("OpStore %s %s Aligned 4", word, w.of("%uint"))
	}
	w.value("%uint", "OpLoad %uint "+word+" Aligned 4")
	w.value("%ulong", "OpLoad %ulong "+to("%to_node_ulong", w.named("%uint", "0"))+" Aligned 8")
}
