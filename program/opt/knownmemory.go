package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// A knownMemory carries accesses whose memory nothing has written since from a block to those that it dominates: along
// branches, past joins, and into loops that do not write it (Mesa: nir_opt_copy_prop_vars).
type knownMemory struct {
	g      *graph
	writes [][]*ir.Value // by place: what writes memory or orders accesses
	atEnd  [][]*ir.Value // by place: accesses that are known at the end of the block
	seen   []int         // by place: the last search that came there
	turn   int
}

// Bounds of what each block asks for.
const (
	maxBlocksBetween = 32
	maxWritesBetween = 32
)

func newKnownMemory(g *graph) *knownMemory {
	n := len(g.Blocks)
	k := &knownMemory{g: g, writes: make([][]*ir.Value, n), atEnd: make([][]*ir.Value, n), seen: make([]int, n)}
	for i, b := range g.Blocks {
		for _, v := range b.Code {
			if v.Op.Has(isa.FlagWrites) || fence(v) {
				k.writes[i] = append(k.writes[i], v)
			}
		}
	}
	return k
}

// leave remembers the accesses that are known at the end of a block.
func (k *knownMemory) leave(place int, loads []*ir.Value) {
	for _, v := range loads {
		if !v.Mem.Coherent && !v.Mem.Volatile {
			k.atEnd[place] = append(k.atEnd[place], v)
		}
	}
}

// entering adds to list the accesses that are known where a block begins: those known at the end of its immediate
// dominator that nothing on a way from there writes.
func (k *knownMemory) entering(list []*ir.Value, place int) []*ir.Value {
	if place == 0 || len(k.atEnd[k.g.Idom[place]]) == 0 {
		return list
	}
	between, ok := k.writesBefore(place)
	if !ok {
		return list
	}
	for _, v := range k.atEnd[k.g.Idom[place]] {
		if !slices.ContainsFunc(between, func(w *ir.Value) bool { return interferes(w, v) }) {
			list = append(list, v)
		}
	}
	return list
}

// writesBefore lists what blocks between a block's immediate dominator and it write. It gives up, and returns false, if
// there are many.
func (k *knownMemory) writesBefore(place int) (list []*ir.Value, ok bool) {
	k.turn++
	k.seen[k.g.Idom[place]] = k.turn
	work := []int{place}
	for n := 0; n < len(work); n++ {
		for _, p := range k.g.Blocks[work[n]].Preds {
			at := -1
			if k.g.reachable(p) {
				at = k.g.Position[p.ID]
			}
			if at < 0 || k.seen[at] == k.turn {
				continue
			}
			k.seen[at] = k.turn
			work, list = append(work, at), append(list, k.writes[at]...)
			if len(work) > maxBlocksBetween || len(list) > maxWritesBetween {
				return nil, false
			}
		}
	}
	return list, true
}
