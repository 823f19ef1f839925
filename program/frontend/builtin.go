package frontend

import (
	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// inputs holds the inputs of a shader: built-ins, and interpolated inputs of fragment shaders. They are values, not
// memory.
type inputs struct {
	*pointers
	computed map[spirv.BuiltIn][]*ir.Value
	inQuads  bool // a derivative group of 2 x 2 in x and y
}

// builtins has a row for each built-in input of compute shaders, which returns its leaves.
var builtins map[spirv.BuiltIn]func(b *inputs) []*ir.Value

func init() {
	builtins = map[spirv.BuiltIn]func(b *inputs) []*ir.Value{
		spirv.BuiltInGlobalInvocationId:        (*inputs).globalID,
		spirv.BuiltInLocalInvocationId:         arranged(isa.LocalIDX, isa.LocalIDY, isa.LocalIDZ),
		spirv.BuiltInLocalInvocationIndex:      arranged(isa.LocalIndex),
		spirv.BuiltInWorkgroupId:               identities(isa.WorkgroupIDX, isa.WorkgroupIDY, isa.WorkgroupIDZ),
		spirv.BuiltInNumWorkgroups:             identities(isa.NumWorkgroupsX, isa.NumWorkgroupsY, isa.NumWorkgroupsZ),
		spirv.BuiltInSubgroupId:                identities(isa.SubgroupID),
		spirv.BuiltInNumSubgroups:              identities(isa.NumSubgroups),
		spirv.BuiltInSubgroupLocalInvocationId: identities(isa.LaneID),
		spirv.BuiltInSubgroupSize: func(b *inputs) []*ir.Value {
			return []*ir.Value{b.i32(uint32(b.opt.WaveSize))}
		},
		spirv.BuiltInWorkgroupSize: func(b *inputs) []*ir.Value {
			n := b.f.LocalSize
			return []*ir.Value{b.i32(n[0]), b.i32(n[1]), b.i32(n[2])}
		},
		spirv.BuiltInRemainingRecursionLevelsAMDX: identities(isa.RemainingRecursion),
		spirv.BuiltInShaderIndexAMDX:              identities(isa.ShaderIndex),

		spirv.BuiltInDeviceIndex:    func(b *inputs) []*ir.Value { return []*ir.Value{b.i32(0)} },
		spirv.BuiltInSubgroupEqMask: func(b *inputs) []*ir.Value { return b.laneMask(b.laneBit()) },
		spirv.BuiltInSubgroupGeMask: func(b *inputs) []*ir.Value {
			return b.laneMask(b.op(isa.Not, isa.I64, b.lanesBelow()))
		},
		spirv.BuiltInSubgroupGtMask: func(b *inputs) []*ir.Value {
			return b.laneMask(b.op(isa.Not, isa.I64, b.op(isa.Or, isa.I64, b.lanesBelow(), b.laneBit())))
		},
		spirv.BuiltInSubgroupLeMask: func(b *inputs) []*ir.Value {
			return b.laneMask(b.op(isa.Or, isa.I64, b.lanesBelow(), b.laneBit()))
		},
		spirv.BuiltInSubgroupLtMask: func(b *inputs) []*ir.Value { return b.laneMask(b.lanesBelow()) },
	}
}

func identities(ops ...isa.Op) func(b *inputs) []*ir.Value {
	return func(b *inputs) []*ir.Value {
		return lists.Map(ops, func(op isa.Op) *ir.Value { return b.op(op, isa.I32) })
	}
}

// arranged is identities for positions in the workgroup, which a derivative group may arrange in quads.
func arranged(ops ...isa.Op) func(b *inputs) []*ir.Value {
	plain := identities(ops...)
	return func(b *inputs) []*ir.Value {
		out := plain(b)
		for _, v := range out {
			if b.inQuads {
				v.Imm = 1
			}
		}
		return out
	}
}

func (b *inputs) globalID() []*ir.Value {
	group := b.builtin(spirv.BuiltInWorkgroupId)
	local := b.builtin(spirv.BuiltInLocalInvocationId)
	out := make([]*ir.Value, 3)
	for i := range out {
		first := b.op(isa.IMul, isa.I32, group[i], b.i32(b.f.LocalSize[i]))
		out[i] = b.op(isa.IAdd, isa.I32, first, local[i])
	}
	return out
}

// laneBit returns the bit of the invocation's own lane.
func (b *inputs) laneBit() *ir.Value {
	lane := b.builtin(spirv.BuiltInSubgroupLocalInvocationId)[0]
	return b.op(isa.Shl, isa.I64, b.constant(isa.I64, 1), b.conv(isa.UConvert, isa.I32, isa.I64, lane))
}

// lanesBelow returns the bits of the lanes below the invocation's own.
func (b *inputs) lanesBelow() *ir.Value {
	return b.op(isa.ISub, isa.I64, b.laneBit(), b.constant(isa.I64, 1))
}

// laneMask returns a mask as four words, cut at the wave's size.
func (b *inputs) laneMask(mask *ir.Value) []*ir.Value {
	if b.opt.WaveSize == 32 {
		return []*ir.Value{b.ballotWords(mask)[0], b.i32(0), b.i32(0), b.i32(0)}
	}
	return b.ballotWords(mask)
}

// builtin returns the leaves of a built-in. They are computed once, at the start of the entry block: a wave's identity
// does not change.
func (b *inputs) builtin(kind spirv.BuiltIn) []*ir.Value {
	if v := b.computed[kind]; v != nil {
		return v
	}
	row := b.builtinRow(kind)
	if row == nil {
		b.unsupported("built-in %s in a %s shader", kind, b.shaderName())
	}
	v := b.once(func() []*ir.Value { return row(b) })
	b.computed[kind] = v
	return v
}

func (b *inputs) builtinRow(kind spirv.BuiltIn) func(b *inputs) []*ir.Value {
	switch {
	case b.isKernel():
		return kernelBuiltins[kind]
	case !b.isFragment():
		return builtins[kind]
	case commonBuiltins[kind]:
		return builtins[kind]
	}
	return fragmentBuiltins[kind]
}

func (b *inputs) bindInput(in *spirv.Instruction, t *validate.Type) {
	kind, ok := b.m.Decoration(in.Result, spirv.DecorationBuiltIn)
	if !ok && b.isFragment() {
		b.bindFragmentInput(in, t)
		return
	}
	if !ok {
		b.unsupported("an input that is not a built-in")
	}
	leaves := b.builtin(spirv.BuiltIn(kind))
	types := b.leafTypes(t)
	if b.isKernel() && len(types) == len(leaves) {
		leaves = b.onceWidened(leaves, types)
	}
	if len(types) != len(leaves) {
		b.invalid("built-in %s has %d components, not %d", spirv.BuiltIn(kind), len(leaves), len(types))
	}
	b.bind(in, pointer{typ: t, space: spaceInput, input: leaves})
}

// ballotWords returns the four words of a mask.
func (b *inputs) ballotWords(mask *ir.Value) []*ir.Value {
	return append(b.recast([]*ir.Value{mask}, leafList{isa.I32, isa.I32}), b.i32(0), b.i32(0))
}
