package mem

import (
	"math/bits"
	"sync"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
)

// A Target is a colour attachment of a draw. Waves end in any order. A pixel keeps the fragment of the last primitive
// or, with a depth test, the nearest; of equally near ones the first.
type Target struct {
	Depth          bool
	width, samples int
	lastPrimitive  []uint32 // by pixel and sample: number of the primitive that wrote it, plus 1; 0: none
	depth          []float32
	mutex          sync.Mutex // waves may run on several goroutines
}

// NewTarget makes an unwritten target.
func NewTarget(width, height, samples int, depth bool) *Target {
	t := &Target{Depth: depth, width: width, samples: samples, lastPrimitive: make([]uint32, width*height*samples)}
	if depth {
		t.depth = make([]float32, len(t.lastPrimitive))
	}
	return t
}

// Reset makes the target unwritten.
func (t *Target) Reset() { clear(t.lastPrimitive) }

// passesOrder reports whether a sample of the lane's fragment is to be written, and records it as written.
func (t *Target) passesOrder(f *isa.Fragments, l, sample int) bool {
	i := (int(f.Y[l])*t.width+int(f.X[l]))*t.samples + sample
	order, z := f.Prims[l/4].Index+1, float32(0)
	if t.Depth {
		z = f.Depth(l, sample)
	}
	before := t.lastPrimitive[i]
	switch {
	case before == 0:
	case !t.Depth && order < before:
		return false
	case t.Depth && (z > t.depth[i] || z == t.depth[i] && order > before):
		return false
	}
	t.lastPrimitive[i] = order
	if t.Depth {
		t.depth[i] = z
	}
	return true
}

// export writes the colours of active lanes that are no helpers.
func (p *Port) export(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	p.begin(in.Mem, hierarchy.Write)
	m, f := in.Mem, st.Fragments
	d, _ := env.descriptor(m, 0)
	n := 0
	if d.Target != nil {
		d.Target.mutex.Lock()
		defer d.Target.mutex.Unlock()
	}
	for mask := st.Exec &^ st.Helpers; mask != 0 && d.Image != nil && d.Target != nil; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		n++
		for samples := f.Cover[l]; samples != 0; samples &= samples - 1 {
			if sample := bits.TrailingZeros16(samples); d.Target.passesOrder(f, l, sample) {
				p.lanes.exportSample(st, in, d, l, sample)
			}
		}
	}
	if len(p.lanes.w.lines) == 0 && p.lanes.functional == nil {
		return p.respond(now, now, 1)
	}
	bytes := 0
	if d.Image != nil {
		bytes = d.Image.Format.Bytes
	}
	return p.sendRequest(now, m, hierarchy.Write, n, uint32(bytes))
}

// exportSample writes a lane's colour to a sample of its pixel.
func (x *lanes) exportSample(st *isa.State, in *isa.Inst, d *Descriptor, l, sample int) {
	f, format, t := st.Fragments, d.Image.Format, lane.Element(in)
	at := [4]uint32{uint32(f.X[l]), uint32(f.Y[l]), 0, uint32(sample)}
	off, ok := d.Image.Texel(0, at)
	if !ok {
		return
	}
	var v [4]uint64
	for k := range v {
		v[k] = format.FromElement(lane.Value(st, in.Mem.Data[k], l, false), t)
	}
	format.Encode(d.Bytes[off:][:format.Bytes], &v)
	x.w.add(l, d.Addr+d.Image.TiledOffset(&at, 0, off), uint32(format.Bytes))
}
