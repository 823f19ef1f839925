package program

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// memory fills the memory description of a load, store or atomic.
func (e *emitter) memory(in *isa.Inst, v *ir.Value) {
	m := v.Mem
	base, index, bindex, data := v.MemArgs()
	x := &isa.Mem{Access: m.Access}
	x.Count, x.Coherent = max(m.Count, 1), m.Coherent || m.Volatile
	in.Mem = x
	if base != nil {
		e.address(&x.Base, x, base)
	}
	if index != nil {
		e.address(&x.Index, x, index)
	}
	if bindex != nil {
		x.BindingIndex = e.reg(bindex)
	}
	if m.Local != nil {
		x.Offset += e.scratch[m.Local.ID]
	}
	for k := range data[:m.Coords] {
		x.Coords[k] = e.reg(data[k])
	}
	if n := m.Coords; n > 0 && (m.Level || m.Multisampled) {
		x.Coords[n-1], x.Coords[3] = isa.Reg{}, x.Coords[n-1]
	}
	if e.combined(m) {
		x.SamplerIndex = x.BindingIndex
	}
	e.needsDescriptors(x, v)
	e.limitLDS(in)
	e.transfer(in, v, data[m.Coords:])
	in.Class = isa.ClassOf(in)
}

// address puts a constant part of the address into the offset.
func (e *emitter) address(to *isa.Reg, x *isa.Mem, v *ir.Value) {
	r := e.reg(v)
	if r.Kind == isa.Imm && x.Space != isa.SpaceFlat {
		x.Offset += uint32(r.Val)
		return
	}
	*to = r
}

// combined reports that the image and its sampler are elements of one variable.
func (e *emitter) combined(m *ir.Mem) bool {
	if !m.Sampling {
		return false
	}
	a, s := &e.f.Bindings[m.Binding], &e.f.Bindings[m.Sampler]
	return a.Set == s.Set && a.Binding == s.Binding
}

// options takes the arguments after bias, level and derivatives off data.
func (e *emitter) options(x *isa.Mem, m *ir.Mem, data []*ir.Value) []*ir.Value {
	for _, o := range []struct {
		has bool
		to  *isa.Reg
	}{{m.Offsets, &x.TexelOffset}, {m.SamplerIndexed, &x.SamplerIndex}, {m.Compare, &x.Reference}} {
		if last := len(data) - 1; o.has {
			*o.to, data = e.reg(data[last]), data[:last]
		}
	}
	return data
}

// extra places the further operands of a sampling instruction: the bias or the level; derivatives in x, then in y.
func (e *emitter) extra(in *isa.Inst, data []*ir.Value) {
	first := data
	if in.Mem.Sample == isa.SampleGrad {
		first = data[:len(data)/2]
		for k, d := range data[len(first):] {
			in.Src[k] = e.reg(d)
		}
	}
	for k, d := range first {
		in.Mem.Data[k] = e.reg(d)
	}
}

// transfer names the registers that the access reads and writes.
func (e *emitter) transfer(in *isa.Inst, v *ir.Value, data []*ir.Value) {
	x := in.Mem
	switch v.Op {
	case isa.Load, isa.ImageLoad, isa.ImageSample, isa.ImageSampleLod, isa.ImageGather, isa.ImageQueryLod:
		e.extra(in, e.options(in.Mem, v.Mem, data))
		x.Scalar = v.Uniform && v.Op == isa.Load
		if v.R != isa.Void {
			x.Dsts[0] = in.Dst
		}
		for _, p := range e.projs[v] {
			if e.uses[p.ID] > 0 {
				x.Dsts[p.Imm] = e.reg(p)
				x.Scalar = x.Scalar || p.Uniform
			}
		}
		in.Uniform = x.Scalar
		in.Dst = isa.Reg{}
	case isa.Store, isa.ImageStore, isa.Export:
		for k, d := range data {
			x.Data[k] = e.reg(d)
		}
	default:
		for k, d := range data {
			in.Src[k] = e.reg(d)
		}
	}
}
