package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// interferes reports whether the order of v and w matters: one may write memory that the other reads or writes, or one
// is a fence for the other.
func interferes(v, w *ir.Value) bool {
	switch {
	case fence(v):
		return fenced(v, w)
	case fence(w):
		return fenced(w, v)
	case v.Mem == nil || w.Mem == nil:
		return false
	case !v.Op.Has(isa.FlagWrites) && !w.Op.Has(isa.FlagWrites):
		return false
	}
	return overlap(v, w)
}

// fenced reports whether w must not cross the fence. Fences and accesses to shared memory must not, except loads from
// memory that is never written.
func fenced(fence_, w *ir.Value) bool {
	if fence(w) {
		return true
	}
	if w.Mem == nil || !w.Op.Has(isa.FlagReads) && !w.Op.Has(isa.FlagWrites) {
		return false
	}
	if w.Mem.Space == isa.SpaceScratch {
		return fence_.Mem != nil && fence_.Mem.Space == isa.SpaceScratch
	}
	return !(w.Op == isa.Load && immutable(w))
}

// overlap reports that two accesses may touch the same bytes.
func overlap(v, w *ir.Value) bool {
	m, n := v.Mem, w.Mem
	if m.Payload != n.Payload {
		return false
	}
	if m.Space != n.Space {
		flat := m.Space == isa.SpaceFlat || n.Space == isa.SpaceFlat
		buffer := m.Space == isa.SpaceBuffer || n.Space == isa.SpaceBuffer
		return flat && buffer
	}
	switch {
	case m.Space == isa.SpaceScratch && m.Local != n.Local:
		return false
	case m.Object >= 0 && n.Object >= 0 && m.Object != n.Object && m.Space != isa.SpaceFlat:
		return false
	case m.Space == isa.SpaceImage || m.Dynamic || n.Dynamic || m.Binding != n.Binding:
		return true
	}
	return !sameParts(v, w) || offsetsMeet(m, n)
}

// offsetsMeet reports whether two accesses overlap whose addresses differ by their offsets only. The difference is
// taken modulo 2^32, as addresses are.
func offsetsMeet(m, n *ir.Mem) bool {
	parts, _ := m.Runs()
	others, _ := n.Runs()
	for i := range parts {
		for j := range others {
			at, other := m.Offset+uint32(i)*m.PairStride, n.Offset+uint32(j)*n.PairStride
			if other-at < size(m) || at-other < size(n) {
				return true
			}
		}
	}
	return false
}

// size returns the length of an access, or of each of its parts, in the unit of its offsets.
func size(m *ir.Mem) uint32 {
	_, n := m.Runs()
	if m.Space == isa.SpaceScratch {
		return uint32(n) * wordsOf(m.Elem)
	}
	return uint32(n) * uint32(m.Elem.Bits()/8)
}
