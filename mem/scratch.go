package mem

import (
	"math/bits"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
)

func (p *Port) scratchLoad(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	return p.scratch(now, st, env, in, hierarchy.Read)
}

func (p *Port) scratchStore(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	return p.scratch(now, st, env, in, hierarchy.Write)
}

// scratch moves words of the lanes' private memory.
func (p *Port) scratch(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst, kind hierarchy.Kind) *timing.Response {
	m := in.Mem
	p.beginAccess(m, kind)
	words := max(1, int(lane.Element(in).Bits())/32)
	base := uint32(lane.Uniform(st, m.Base)) + m.Offset
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		slot := base + uint32(lane.Value(st, m.Index, l, false))
		for k := range int(m.Count) {
			p.lanes.scratchElement(st, env.Scratch, in, l, slot+uint32(k*words), words, k, kind)
		}
	}
	return p.sendRequest(now, m, kind, bits.OnesCount64(st.Exec), uint32(4*words)*uint32(m.Count))
}

func (x *lanes) scratchElement(st *isa.State, s *Scratch, in *isa.Inst, l int, slot uint32, words, k int, kind hierarchy.Kind) {
	first := int(slot)*st.Lanes + l
	last := first + (words-1)*st.Lanes
	inside := s != nil && last < len(s.Words)
	var v uint64
	switch {
	case !inside:
		x.w.mem[l], x.w.offset[l], x.w.binding[l] = nil, uint64(slot)*4, -3
		x.fault(st, in, "scratch", l)
	case kind == hierarchy.Write:
		v = lane.Value(st, in.Mem.Data[k], l, words == 2)
		s.Words[first], s.Words[last] = uint32(v), uint32(v>>(32*uint(words-1)))
	default:
		v = uint64(s.Words[first])
		if words == 2 {
			v |= uint64(s.Words[last]) << 32
		}
	}
	if kind == hierarchy.Read {
		lane.Set(st, lane.Result(in, k), l, words == 2, v)
	}
	for at := first; inside && at <= last; at += st.Lanes {
		x.w.add(l, s.Addr+uint64(at)*4, 4)
	}
}
