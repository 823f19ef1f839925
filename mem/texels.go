package mem

import (
	"math/bits"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
)

// resolveTexels places each active lane at its texel; a lane outside gets no
// memory.
func (x *lanes) resolveTexels(st *isa.State, env *WaveBindings, in *isa.Inst) {
	m, w := in.Mem, x.w
	x.bindings = env.Bindings
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		d, binding := env.descriptor(m, uint32(lane.Value(st, m.BindingIndex, l, false)))
		var c [4]uint32
		for k := range c {
			c[k] = uint32(lane.Value(st, m.Coords[k], l, false))
		}
		w.mem[l], w.offset[l], w.addr[l], w.binding[l], w.texel[l] = nil, 0, d.Addr, binding, nil
		if d.Image == nil {
			continue
		}
		w.texel[l] = d.Image
		if off, seen, ok := d.Image.TexelOffset(m, &c); ok {
			w.setLane(l, d, binding, 0)
			w.offset[l], w.addr[l] = off, d.Addr+seen
		}
	}
}

func (p *Port) imageLoad(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	p.beginAccess(in.Mem, hierarchy.Read)
	p.lanes.resolveTexels(st, env, in)
	t, size := lane.Element(in), 0
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		size = max(size, p.lanes.loadTexel(st, in, l, t))
	}
	return p.sendRequest(now, in.Mem, hierarchy.Read, bits.OnesCount64(st.Exec), uint32(size))
}

// loadTexel returns the bytes of the texel.
func (x *lanes) loadTexel(st *isa.State, in *isa.Inst, l int, t isa.Type) int {
	w, image := x.w, x.w.texel[l]
	var v [4]uint64
	size := 0
	switch {
	case image == nil:
		x.fault(st, in, "image load", l)
	case w.mem[l] == nil:
		v = image.Outside()
		x.fault(st, in, "image load", l)
	default:
		size = image.Format.Bytes
		v = image.Swizzled(image.Format.Decode(w.mem[l][w.offset[l]:][:size]))
		w.add(l, w.addr[l], uint32(size))
	}
	for k := range v {
		if image != nil {
			v[k] = image.Format.ToElement(v[k], t)
		}
		lane.Set(st, lane.Result(in, k), l, t.Bits() == 64, v[k])
	}
	return size
}

func (p *Port) imageStore(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	p.beginAccess(in.Mem, hierarchy.Write)
	p.lanes.resolveTexels(st, env, in)
	t, size := lane.Element(in), 0
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		size = max(size, p.lanes.storeTexel(st, in, bits.TrailingZeros64(mask), t))
	}
	return p.sendRequest(now, in.Mem, hierarchy.Write, bits.OnesCount64(st.Exec), uint32(size))
}

func (x *lanes) storeTexel(st *isa.State, in *isa.Inst, l int, t isa.Type) int {
	w := x.w
	if w.mem[l] == nil {
		x.fault(st, in, "image store", l)
		return 0
	}
	f := w.texel[l].Format
	var v [4]uint64
	for k := range v {
		v[k] = f.FromElement(lane.Value(st, in.Mem.Data[k], l, t.Bits() == 64), t)
	}
	f.Saturate(&v)
	f.Encode(w.mem[l][w.offset[l]:][:f.Bytes], &v)
	w.add(l, w.addr[l], uint32(f.Bytes))
	return f.Bytes
}

// query answers a question about a descriptor, for each lane where the
// descriptor differs by lane.
func query(p *Port, now uint64, st *isa.State, env *WaveBindings, in *isa.Inst, answer func(d *Descriptor) uint32) *timing.Response {
	m, dst := in.Mem, lane.Result(in, 0)
	if m.BindingIndex.Kind != isa.Vector && dst.Kind == isa.Scalar {
		d, _ := env.descriptor(m, uint32(lane.Uniform(st, m.BindingIndex)))
		st.S[dst.Index] = uint64(answer(d))
		return p.respond(now, now, 1)
	}
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		d, _ := env.descriptor(m, uint32(lane.Value(st, m.BindingIndex, l, false)))
		lane.Set(st, dst, l, false, uint64(answer(d)))
	}
	return p.respond(now, now, 1)
}

// Queries read the descriptor, which the driver keeps in scalar registers: they
// take no memory time beyond their class's latency.
func bufferSize(p *Port, now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	return query(p, now, st, env, in, descriptorBytes)
}

func descriptorBytes(d *Descriptor) uint32 { return uint32(min(uint64(len(d.Bytes)), 1<<32-1)) }

func imageSize(p *Port, now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	m, i := in.Mem, in.Imm
	return query(p, now, st, env, in, func(d *Descriptor) uint32 { return d.Image.Dimension(m, int(i)) })
}

func imageSamples(p *Port, now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	return query(p, now, st, env, in, func(d *Descriptor) uint32 {
		if d.Image == nil {
			return 0
		}
		return max(d.Image.Samples, 1)
	})
}
