package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/kernel"
)

// kernelBuiltins has a row for each built-in input of kernels. What the compiler knows of the workgroup's size is a constant, the
// rest comes from the hidden arguments.
var kernelBuiltins map[spirv.BuiltIn]func(b *inputs) []*ir.Value

func init() {
	kernelBuiltins = map[spirv.BuiltIn]func(b *inputs) []*ir.Value{
		spirv.BuiltInGlobalInvocationId:    (*inputs).kernelGlobalID,
		spirv.BuiltInGlobalLinearId:        (*inputs).globalLinearID,
		spirv.BuiltInGlobalOffset:          (*inputs).globalOffset,
		spirv.BuiltInGlobalSize:            (*inputs).globalSize,
		spirv.BuiltInWorkgroupSize:         (*inputs).groupSize,
		spirv.BuiltInEnqueuedWorkgroupSize: builtins[spirv.BuiltInWorkgroupSize],
		spirv.BuiltInNumWorkgroups:         (*inputs).groupCount,
		spirv.BuiltInLocalInvocationIndex:  (*inputs).localIndex,
		spirv.BuiltInWorkDim:               func(b *inputs) []*ir.Value { return []*ir.Value{b.hiddenShort(kernel.GridDims)} },
		spirv.BuiltInSubgroupMaxSize:       builtins[spirv.BuiltInSubgroupSize],
		spirv.BuiltInNumEnqueuedSubgroups: func(b *inputs) []*ir.Value {
			n, size := b.f.LocalSize, uint32(b.opt.WaveSize)
			return []*ir.Value{b.i32((n[0]*n[1]*n[2] + size - 1) / size)}
		},
	}
	for _, same := range []spirv.BuiltIn{
		spirv.BuiltInLocalInvocationId, spirv.BuiltInWorkgroupId, spirv.BuiltInSubgroupId,
		spirv.BuiltInNumSubgroups, spirv.BuiltInSubgroupLocalInvocationId, spirv.BuiltInSubgroupSize,
	} {
		kernelBuiltins[same] = builtins[same]
	}
}

// onceWidened returns values of built-ins in the types that a variable has.
func (b *inputs) onceWidened(leaves []*ir.Value, types leafList) []*ir.Value {
	return b.once(func() []*ir.Value {
		out := make([]*ir.Value, len(leaves))
		for i, v := range leaves {
			out[i] = b.widen(v, types[i])
		}
		return out
	})
}

// hidden loads a hidden argument.
func (b *inputs) hidden(at uint32, t isa.Type) *ir.Value {
	p := pointer{space: isa.SpacePush, layout: openCLLayout, offset: b.kernels.face.Hidden + at, align: baseAlign, object: -1}
	return b.loadChunk(p, chunk{t: t, n: 1})[0]
}

// hiddenShort loads a hidden argument of 16 bits as 32: the scalar unit loads words.
func (b *inputs) hiddenShort(at uint32) *ir.Value {
	word := b.hidden(at&^3, isa.I32)
	return b.widen(b.cut(word, int(at%4/2), 16), isa.I32)
}

// each computes a value for each dimension.
func each(f func(i uint32) *ir.Value) []*ir.Value { return []*ir.Value{f(0), f(1), f(2)} }

func (b *inputs) globalOffset() []*ir.Value {
	return each(func(i uint32) *ir.Value { return b.hidden(kernel.GlobalOffset+8*i, isa.I64) })
}

// kernelGlobalID is computed in 32 bits but for the offset, as in AMD's device libraries.
func (b *inputs) kernelGlobalID() []*ir.Value {
	id, offset := b.globalID(), b.builtin(spirv.BuiltInGlobalOffset)
	return each(func(i uint32) *ir.Value {
		return b.op(isa.IAdd, isa.I64, b.conv(isa.UConvert, isa.I32, isa.I64, id[i]), offset[i])
	})
}

// groupCount counts the workgroup at the end of the grid that is shorter than the others.
func (b *inputs) groupCount() []*ir.Value {
	return each(func(i uint32) *ir.Value {
		short := b.compare(isa.INe, isa.I32, b.hiddenShort(kernel.Remainder+2*i), b.i32(0))
		return b.op(isa.IAdd, isa.I32, b.hidden(kernel.BlockCount+4*i, isa.I32), b.word(short))
	})
}

// groupSize is that of the workgroup, which is smaller than the others at the end of the grid.
func (b *inputs) groupSize() []*ir.Value {
	if !b.opt.Kernel.Short {
		return builtins[spirv.BuiltInWorkgroupSize](b)
	}
	group := b.builtin(spirv.BuiltInWorkgroupId)
	return each(func(i uint32) *ir.Value {
		whole := b.compare(isa.ULt, isa.I32, group[i], b.hidden(kernel.BlockCount+4*i, isa.I32))
		return b.selectValue(whole, b.i32(b.f.LocalSize[i]), b.hiddenShort(kernel.Remainder+2*i))
	})
}

func (b *inputs) globalSize() []*ir.Value {
	return each(func(i uint32) *ir.Value {
		whole := b.op(isa.IMul, isa.I32, b.hidden(kernel.BlockCount+4*i, isa.I32), b.i32(b.f.LocalSize[i]))
		return b.op(isa.IAdd, isa.I32, whole, b.hiddenShort(kernel.Remainder+2*i))
	})
}

// localIndex numbers the work-items of a workgroup.
func (b *inputs) localIndex() []*ir.Value {
	if !b.opt.Kernel.Short {
		return builtins[spirv.BuiltInLocalInvocationIndex](b)
	}
	id, size := b.builtin(spirv.BuiltInLocalInvocationId), b.builtin(spirv.BuiltInWorkgroupSize)
	at := id[2]
	for _, i := range []int{1, 0} {
		at = b.op(isa.IAdd, isa.I32, b.op(isa.IMul, isa.I32, at, size[i]), id[i])
	}
	return []*ir.Value{at}
}

// globalLinearID is the place of the work-item in the grid, without the offset.
func (b *inputs) globalLinearID() []*ir.Value {
	id, size := b.globalID(), b.builtin(spirv.BuiltInGlobalSize)
	at := b.conv(isa.UConvert, isa.I32, isa.I64, id[2])
	for _, i := range []int{1, 0} {
		n := b.conv(isa.UConvert, isa.I32, isa.I64, size[i])
		at = b.op(isa.IAdd, isa.I64, b.op(isa.IMul, isa.I64, at, n), b.conv(isa.UConvert, isa.I32, isa.I64, id[i]))
	}
	return []*ir.Value{at}
}
