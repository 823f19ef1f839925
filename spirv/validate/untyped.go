package validate

import (
	"slices"

	"spvsim/spirv"
)

// Untyped pointers (SPV_KHR_untyped_pointers): a pointer type without a pointee. Before any other check, the type of
// such a variable becomes a pointer to its Data Type, and each function that uses the variable begins with an untyped
// access chain without indexes, whose result replaces the variable there.

// explicitStorage lists the storage classes with layouts of bytes, to which the Vulkan API restricts untyped pointers.
var explicitStorage = set(spirv.StorageClassStorageBuffer, spirv.StorageClassUniform, spirv.StorageClassPushConstant,
	spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassWorkgroup)

// untypedPointer declares a pointer type whose Elem stays nil.
func untypedPointer(_ *checker, in *spirv.Instruction, t *Type) error {
	t.Kind, t.Storage = KindPointer, spirv.StorageClass(in.Operands[0])
	if !explicitStorage[t.Storage] {
		return unsupportedAt(in, "an untyped pointer to %s: want a storage class with explicit layouts", t.Storage)
	}
	return nil
}

// untypedStorage tests that Workgroup has explicit layouts where untyped pointers point to it.
func (v *valueCheck) untypedStorage(o []uint32) {
	if spirv.StorageClass(o[0]) == spirv.StorageClassWorkgroup {
		v.needsCapability("an untyped pointer to Workgroup", spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR)
	}
}

func unsupportedAt(in *spirv.Instruction, format string, args ...any) error {
	f := FaultAt(in, "", format+": %v", append(args, ErrUnsupported)...)
	f.Err = ErrUnsupported
	return f
}

// Untyped reports whether a pointer type has no pointee.
func (t *Type) Untyped() bool { return t.Kind == KindPointer && t.Elem == nil }

// A typing rewrites a module's untyped variables.
type typing struct {
	raw       *spirv.Module
	variables map[uint32]*spirv.Instruction // by id
	ctx       *spirv.Context
	bound     uint32
	out       []spirv.Instruction
}

// typedVariables returns the module with its untyped variables typed; the module itself where it has none.
func typedVariables(raw *spirv.Module) (*spirv.Module, error) {
	t := &typing{raw: raw, variables: map[uint32]*spirv.Instruction{}, bound: raw.Bound}
	for i := range raw.Instructions {
		if in := &raw.Instructions[i]; in.Op == spirv.OpUntypedVariableKHR {
			if len(in.Operands) < 2 {
				return nil, unsupportedAt(in, "a variable without a Data Type")
			}
			t.variables[uint32(in.Result)] = in
		}
	}
	if len(t.variables) == 0 {
		return raw, nil
	}
	if err := t.rewrite(); err != nil {
		return nil, err
	}
	m := *raw
	m.Instructions, m.Bound = t.out, t.bound
	return &m, nil
}

func (t *typing) rewrite() error {
	list := t.raw.Instructions
	t.ctx = spirv.NewContext(int(min(t.raw.Bound, 1<<16)))
	for i := range list {
		t.ctx.Note(&list[i])
	}
	for i := 0; i < len(list); i++ {
		switch in := &list[i]; in.Op {
		case spirv.OpUntypedVariableKHR:
			t.variable(in)
		case spirv.OpFunction:
			end := i
			for end < len(list) && list[end].Op != spirv.OpFunctionEnd {
				if list[end].Op == spirv.OpUntypedVariableKHR {
					return unsupportedAt(&list[end], "an untyped variable in a function: want a storage class with explicit layouts")
				}
				end++
			}
			t.function(list[i:end])
			i = end - 1
		default:
			t.out = append(t.out, *in)
		}
	}
	return nil
}

func (t *typing) newID() spirv.ID {
	t.bound++
	return spirv.ID(t.bound - 1)
}

// variable declares a pointer to the Data Type before the variable.
func (t *typing) variable(in *spirv.Instruction) {
	p := t.newID()
	t.out = append(t.out,
		spirv.Instruction{Op: spirv.OpTypePointer, Result: p, Operands: []uint32{in.Operands[0], in.Operands[1]}, Word: in.Word},
		spirv.Instruction{Op: spirv.OpVariable, Type: p, Result: in.Result, Operands: slices.Delete(slices.Clone(in.Operands), 1, 2), Word: in.Word})
}

// function inserts the chains of the variables that a function uses, after the first label and the variables there.
func (t *typing) function(list []spirv.Instruction) {
	var chains []spirv.Instruction
	named := map[uint32]uint32{}
	rename := func(o spirv.Operand) error {
		if v := t.variables[o.Words[0]]; o.Kind.IsID() && v != nil {
			if named[o.Words[0]] == 0 {
				chain := spirv.Instruction{Op: spirv.OpUntypedAccessChainKHR, Type: v.Type, Result: t.newID(), Operands: []uint32{v.Operands[1], o.Words[0]}}
				chains, named[o.Words[0]] = append(chains, chain), uint32(chain.Result)
			}
			o.Words[0] = named[o.Words[0]]
		}
		return nil
	}
	start := len(t.out)
	for _, in := range list {
		in.Operands = slices.Clone(in.Operands)
		_ = spirv.Walk(&in, t.ctx, rename) // the form is tested later
		t.out = append(t.out, in)
	}
	at := start + slices.IndexFunc(t.out[start:], func(in spirv.Instruction) bool { return in.Op == spirv.OpLabel }) + 1
	for at < len(t.out) && (t.out[at].Op == spirv.OpVariable || t.out[at].Op == spirv.OpLine || t.out[at].Op == spirv.OpNoLine) {
		at++
	}
	for i := range chains {
		chains[i].Word = t.out[at-1].Word
	}
	t.out = slices.Insert(t.out, at, chains...)
}

// untypedChain tests OpUntypedAccessChainKHR: base type, base, indexes.
func (v *valueCheck) untypedChain(o []uint32) { v.untypedFrom(o, 2) }

// untypedElementChain tests OpUntypedPtrAccessChainKHR, which steps over its base first.
func (v *valueCheck) untypedElementChain(o []uint32) {
	if t := v.operandType(2, o[2]); t != nil && t.Kind != KindInt {
		v.fault("operand 2: %%%d is %s: want an integer", o[2], v.m.typeText(t))
	}
	if base := v.m.TypeOf(spirv.ID(o[1])); base != nil && base.Kind == KindPointer {
		v.steps(base)
		if _, ok := v.m.Decoration(base.ID, spirv.DecorationArrayStride); !ok {
			v.fault("operand 1: the type of %%%d has no ArrayStride", o[1])
		}
	}
	v.untypedFrom(o, 3)
}

func (v *valueCheck) untypedFrom(o []uint32, first int) {
	at, base, t := v.untypedBase(o[0]), v.operandType(1, o[1]), v.result()
	switch {
	case at == nil || base == nil:
		return
	case base.Kind != KindPointer:
		v.fault("operand 1: %%%d is %s: want a pointer", o[1], v.m.typeText(base))
		return
	case !t.Untyped() || t.Storage != base.Storage:
		v.fault("result type %s: want an untyped pointer to %s, as the base is", v.m.typeText(t), base.Storage)
		return
	}
	for n := first; n < len(o) && at != nil; n++ {
		at = v.step(at, n, o[n])
	}
}

// untypedBase returns the base type that an instruction names; nil after a fault.
func (v *valueCheck) untypedBase(id uint32) *Type {
	t := v.m.Type(spirv.ID(id))
	if t == nil || t.Kind == KindPointer || t.Kind == KindMatrix {
		v.fault("operand 0: %%%d: want a type that is neither a pointer nor a matrix", id)
		return nil
	}
	return t
}

// untypedLength tests OpUntypedArrayLengthKHR.
func (v *valueCheck) untypedLength(o []uint32) {
	t, base := v.untypedBase(o[0]), v.operandType(1, o[1])
	if t == nil || base == nil {
		return
	}
	n := len(t.Members)
	if t.Kind != KindStruct || n == 0 || int(o[2]) != n-1 || t.Members[n-1].Kind != KindRuntimeArray || !v.m.block(t) {
		v.fault("want a Block, and its last member, a runtime array")
	}
	if base.Kind != KindPointer {
		v.fault("operand 1: %%%d is %s: want a pointer", o[1], v.m.typeText(base))
	}
	if r := v.result(); r.Kind != KindInt || r.Width != 32 || r.Signed {
		v.fault("result type %s: want uint32", v.m.typeText(r))
	}
}

// accessed tests the type with which an access goes through an untyped pointer.
func (v *valueCheck) accessed(pointer uint32, t *Type) {
	if p := v.m.TypeOf(spirv.ID(pointer)); p != nil && p.Untyped() && t != nil && t.Kind == KindMatrix {
		v.fault("an access of %s through an untyped pointer: it has no explicit layout", v.m.typeText(t))
	}
}
