package frontend

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/program/structure"
	"spvsim/spirv"
	"spvsim/spirv/kernel"
	"spvsim/spirv/validate"
)

// kernels holds what only kernels of OpenCL have.
type kernels struct {
	face *kernel.Interface
	// shared holds all Function variables where pointers to them are values; nil: each variable is a local of its own.
	shared *ir.Local
	// constants: arguments point to constant memory, so that a pointer to UniformConstant as a value is an address. Else
	// it is an offset into the constant data.
	constants bool
	tables    []*ir.Mem // accesses to the constant data
	// handles holds the image or sampler that a Function variable has.
	handles map[spirv.ID]val
	// samplers holds the samplers that the module declares and the kernel uses, by their constants.
	samplers map[spirv.ID]pointer
	// variables and data are the addresses of the module's variables in device memory and of the constant data; nil: the kernel
	// does not need them.
	variables, data *ir.Value
}

// kernelAlign is the alignment of the largest type of OpenCL C, a vector of sixteen components of 64 bits.
const kernelAlign = 128

// eventBytes is the size of an event_t, which is a pointer.
const eventBytes = 8

// openCLLayout is the layout of all memory of a kernel.
var openCLLayout = layout{natural: true, opencl: true}

// kernelMode reports an execution mode that a kernel may have.
func (b *builder) kernelMode(m validate.Mode) bool {
	switch m.Kind {
	case spirv.ExecutionModeContractionOff:
		b.strict = map[isa.Type]bool{isa.F16: true, isa.F32: true, isa.F64: true}
		return true
	case spirv.ExecutionModeLocalSizeHint, spirv.ExecutionModeVecTypeHint:
		return true
	case spirv.ExecutionModeSubgroupSize:
		return len(m.Args) == 1 && int(m.Args[0]) == b.opt.WaveSize
	}
	return false
}

// kernelStart reads the interface of a kernel.
func (b *builder) kernelStart() {
	if !b.isKernel() {
		return
	}
	face, err := kernel.InterfaceOf(b.m, b.entry)
	if err != nil {
		panic(abort{fmt.Errorf("program: %w", err)})
	}
	b.kernels.face, b.kernels.handles, b.kernels.samplers = face, map[spirv.ID]val{}, map[spirv.ID]pointer{}
	b.places = kernel.Layout{Module: b.m, Physical: face.Physical}
	b.f.PushBytes = face.Bytes
	for i := range face.Arguments {
		b.kernels.constants = b.kernels.constants || face.Arguments[i].Kind == kernel.Constant
	}
	if b.pointsToVariables() {
		b.kernels.shared = b.newLocal("variables")
	}
}

// pointsToVariables reports that a pointer to Function memory is a value somewhere, and not known where it is used.
func (b *builder) pointsToVariables() bool {
	private := func(id spirv.ID) bool {
		t := b.m.TypeOf(id)
		return t != nil && t.Kind == validate.KindPointer && t.Storage == spirv.StorageClassFunction
	}
	for i := range b.m.Raw.Instructions {
		in := &b.m.Raw.Instructions[i]
		switch in.Op {
		case spirv.OpPhi, spirv.OpSelect, spirv.OpLoad, spirv.OpConvertUToPtr:
			if private(in.Result) {
				return true
			}
		case spirv.OpConvertPtrToU, spirv.OpReturnValue, spirv.OpPtrEqual, spirv.OpPtrNotEqual, spirv.OpPtrDiff:
			if private(spirv.ID(in.Operands[0])) {
				return true
			}
		case spirv.OpStore:
			if private(spirv.ID(in.Operands[1])) {
				return true
			}
		}
	}
	return false
}

// structure gives the branches of a kernel their merge blocks.
func (b *builder) structure() {
	for _, blk := range b.f.Blocks {
		blk.Merge, blk.Continue = nil, nil
	}
	prune(b.f)
	var irreducible *structure.Irreducible
	if err := structure.Apply(b.f); errors.As(err, &irreducible) {
		b.unsupported("irreducible control flow in %q: a cycle is entered at several blocks, one of them of line %d", b.entry.Name, irreducible.Block.Line)
	}
}

// placeTables names the binding of the constant data, which follows those of the entry point.
func (b *builder) placeTables() {
	for _, m := range b.kernels.tables {
		m.Binding = len(b.f.Bindings)
	}
}

// placeOf returns the bytes of a type of OpenCL C and its alignment.
func (b *layouts) placeOf(t *validate.Type) (size, align uint32) {
	switch {
	case t.Kind == validate.KindOther && t.Def.Op == spirv.OpTypeEvent:
		return eventBytes, eventBytes
	case t.Kind == validate.KindArray && t.Elem.Kind == validate.KindOther:
		size, align = b.placeOf(t.Elem)
		return size * uint32(min(b.count(t), maxLeaves)), align
	}
	n, a, ok := b.places.Extent(t)
	if !ok || n >= 1<<31 {
		b.unsupported("type %%%d (%s) in memory", t.ID, t.Def.Op)
	}
	return uint32(n), uint32(a)
}

// memberPlaces returns the offsets of a structure's members in OpenCL C.
func (b *layouts) memberPlaces(t *validate.Type) []uint32 {
	if list, ok := b.naturalOffsets[t.ID]; ok {
		return list
	}
	offsets, ok := b.places.Members(t)
	if !ok {
		b.unsupported("type %%%d (%s) in memory", t.ID, t.Def.Op)
	}
	list := lists.Map(offsets, func(n uint64) uint32 { return uint32(n) })
	b.naturalOffsets[t.ID] = list
	return list
}

// kernelArguments returns the meaning of a kernel's parameters: values and addresses are loaded from the argument block.
func (b *builder) kernelArguments(fn *validate.Function) []val {
	args := make([]val, len(fn.Params))
	for i := range args {
		b.in = &fn.Params[i]
		args[i] = b.kernelArgument(i, &b.kernels.face.Arguments[i])
	}
	b.in = nil
	return args
}

// endOutside ends the lanes that have no work-item, where workgroups are short.
func (b *builder) endOutside() {
	if !b.opt.Kernel.Short {
		return
	}
	id, size := b.builtin(spirv.BuiltInLocalInvocationId), b.builtin(spirv.BuiltInWorkgroupSize)
	inside := b.truth(true)
	for i := range id {
		if b.f.LocalSize[i] > 1 {
			inside = b.op(isa.And, isa.Bool, inside, b.compare(isa.ULt, isa.I32, id[i], size[i]))
		}
	}
	body, end := b.newBlock(), b.newBlock()
	end.Term = ir.Return
	b.blk.SetSuccs(ir.Cond, inside, body, end)
	b.blk = body
}

func (b *builder) kernelArgument(i int, a *kernel.Argument) val {
	block := pointer{typ: a.Type, space: isa.SpacePush, layout: openCLLayout, offset: a.Offset, align: baseAlign, object: -1}
	switch a.Kind {
	case kernel.Value:
		if !a.ByValue {
			return val{leaves: b.loadLeaves(block)}
		}
		own := b.localBytes(b.in, a.Type)
		b.copyBytes(own, block, a.Size, a.Align)
		return val{ptr: &own}
	case kernel.Global, kernel.Constant:
		address := b.loadChunk(block, chunk{t: b.flatType(), n: 1})[0]
		p := b.flatPointer(a.Type, address)
		if _, align, ok := b.places.Extent(a.Type.Elem); ok {
			p.align = min(uint32(align), baseAlign)
		}
		p.argument = a.Offset/4 + 1
		p.readOnly = a.Kind == kernel.Constant || b.readsAlone(b.in.Result)
		return val{ptr: &p}
	case kernel.Local:
		bytes, ok := b.opt.Kernel.LocalBytes[i]
		if !ok {
			b.invalid("the size of the memory behind local pointer %s is not given", b.kernels.face.ArgumentName(i))
		}
		return val{ptr: &pointer{typ: a.Type.Elem, space: isa.SpaceLDS, layout: openCLLayout, align: baseAlign,
			offset: b.ldsArgument(i, bytes), object: int(b.in.Result)}}
	case kernel.Image:
		p := b.images.imageArgument(i, a)
		return val{ptr: &p}
	}
	p := b.values.samplerArgument(i, a)
	return val{ptr: &p}
}

// Attributes of parameters (decoration FuncParamAttr).
const (
	attributeNoAlias = 4
	attributeNoWrite = 6
)

// readsAlone reports a pointer parameter that is restrict, and through which nothing is written.
func (b *builder) readsAlone(id spirv.ID) bool {
	has := map[uint32]bool{}
	for _, d := range b.m.Decorations(id) {
		if d.Kind == spirv.DecorationFuncParamAttr && len(d.Args) > 0 {
			has[d.Args[0]] = true
		}
	}
	return has[attributeNoAlias] && has[attributeNoWrite]
}

// flatPointer returns the pointer of a type that has an address of device memory.
func (b *pointers) flatPointer(t *validate.Type, address *ir.Value) pointer {
	return pointer{typ: t.Elem, space: isa.SpaceFlat, layout: openCLLayout, index: b.widen(address, isa.I64), align: 1, object: -1}
}

func (b *pointers) kernelPointer(t *validate.Type, v *ir.Value) pointer {
	switch t.Storage {
	case spirv.StorageClassFunction:
		l := b.kernels.shared
		if l == nil {
			b.unsupported("a pointer to %s as a value", t.Storage)
		}
		return pointer{typ: t.Elem, space: isa.SpaceScratch, layout: openCLLayout, local: l, object: l.ID, index: v, align: 1}
	case spirv.StorageClassUniformConstant:
		if !b.kernels.constants {
			p := b.tablePointer(t.Elem, 0)
			p.index, p.align = b.widen(v, isa.I32), 1
			return p
		}
		p := b.flatPointer(t, v)
		p.readOnly = true
		return p
	}
	return b.flatPointer(t, v)
}

// tableObject numbers the constant data among the objects of buffers.
const tableObject = 1 << 30

// tablePointer points into the constant data.
func (b *pointers) tablePointer(t *validate.Type, offset uint32) pointer {
	return pointer{typ: t, space: isa.SpaceBuffer, layout: openCLLayout, offset: offset, align: baseAlign, object: tableObject, tabled: true, readOnly: true}
}

// bindTable puts a variable in the constant address space into the constant data.
func (b *builder) bindTable(in *spirv.Instruction, t *validate.Type) {
	if len(in.Operands) < 2 {
		b.unsupported("a variable of storage class UniformConstant without initializer")
	}
	size, align := b.placeOf(t)
	if uint64(size)+uint64(len(b.f.Constants)) > 4*maxLeaves {
		b.unsupported("constant data of %d bytes", uint64(size)+uint64(len(b.f.Constants)))
	}
	if b.kernels.constants && b.kernels.data == nil {
		b.kernels.data = b.inputs.hidden(kernel.ConstantData, isa.I64)
	}
	at := roundUp(max(uint32(len(b.f.Constants)), 1), max(align, baseAlign)) // offset 0 is the null pointer
	b.f.Constants = append(b.f.Constants, make([]byte, at+size-uint32(len(b.f.Constants)))...)
	b.initialize(ir.ConstantData, b.f.Constants, at, t, spirv.ID(in.Operands[1]))
	p := b.tablePointer(t, at)
	b.bind(in, p)
}

// initialize writes a constant to bytes of a section as memory has it.
func (b *builder) initialize(section ir.Section, data []byte, at uint32, t *validate.Type, id spirv.ID) {
	leaves := b.leaves(id)
	for _, c := range b.shape(t, openCLLayout).chunks {
		for i := range uint32(c.n) {
			n := memBytes(c.t)
			place := at + c.off + i*n
			base, bits := b.splitAddress(leaves[0])
			leaves = leaves[1:]
			if base != nil {
				r := ir.Relocation{In: section, At: place, Bytes: n, To: ir.DeviceVariables}
				if base == b.kernels.data {
					r.To = ir.ConstantData
				}
				b.f.Relocations = append(b.f.Relocations, r)
			}
			for k := range n {
				data[place+k] = byte(bits >> (8 * k))
			}
		}
	}
}

// splitAddress returns the parts of a value in an initializer: the address of a section, nil if it is a number, and what is added.
func (b *builder) splitAddress(v *ir.Value) (base *ir.Value, n uint64) {
	switch {
	case v == b.kernels.variables || v == b.kernels.data:
		return v, 0
	case v.Op == isa.Const:
		return nil, v.Imm
	case v.Op == isa.Undef:
		return nil, 0
	case v.Op == isa.UConvert:
		return b.splitAddress(v.Args[0])
	case v.Op == isa.IAdd:
		x, n := b.splitAddress(v.Args[0])
		y, m := b.splitAddress(v.Args[1])
		if x == nil || y == nil {
			return cmp.Or(x, y), n + m
		}
	}
	b.unsupported("the initializer of a variable: want numbers, and addresses of variables at constant offsets")
	return nil, 0
}

// maxVariableBytes bounds the variables of a module in device memory.
const maxVariableBytes = 1 << 26

// bindDeviceVariables places the variables of the program scope in device memory when the first is used. All kernels of the module
// have the same variables at the same places: the launch gives their address as a hidden argument.
func (b *builder) bindDeviceVariables(*spirv.Instruction, *validate.Type) {
	if !b.isKernel() || b.kernels.variables != nil {
		return // others are refused by what uses them
	}
	b.kernels.variables = b.inputs.hidden(kernel.ProgramVariables, isa.I64)
	var list []*spirv.Instruction
	for i := range b.m.Raw.Instructions {
		in := &b.m.Raw.Instructions[i]
		if in.Op == spirv.OpFunction {
			break
		}
		if in.Op == spirv.OpVariable && spirv.StorageClass(in.Operands[0]) == spirv.StorageClassCrossWorkgroup {
			list = append(list, in)
			b.placeVariable(in)
		}
	}
	for _, in := range list {
		t := b.m.Type(in.Type).Elem
		if len(in.Operands) < 2 || b.m.Def(spirv.ID(in.Operands[1])).Op == spirv.OpConstantNull || pointsTo(t, spirv.StorageClassUniformConstant) && !b.reached[in.Result] {
			continue
		}
		if pointsTo(t, spirv.StorageClassUniformConstant) {
			b.in = in
			b.unsupported("an address of constant data, which each kernel has a copy of, in a variable of device memory")
		}
		b.initialize(ir.DeviceVariables, b.f.Variables, b.globals[in.Result].ptr.offset, t, spirv.ID(in.Operands[1]))
	}
}

// placeVariable places a variable in device memory.
func (b *builder) placeVariable(in *spirv.Instruction) {
	t := b.m.Type(in.Type)
	size, align := b.placeOf(t.Elem)
	at := roundUp(uint32(len(b.f.Variables)), max(align, baseAlign))
	if uint64(at)+uint64(size) > maxVariableBytes {
		b.unsupported("variables of the program scope of %d bytes", uint64(at)+uint64(size))
	}
	b.f.Variables = append(b.f.Variables, make([]byte, at+size-uint32(len(b.f.Variables)))...)
	p := b.flatPointer(t, b.kernels.variables)
	p.offset, p.align = at, baseAlign
	b.bind(in, p)
}

// pointsTo reports a type with pointers to a storage class in it.
func pointsTo(t *validate.Type, class spirv.StorageClass) bool {
	if t.Kind == validate.KindPointer {
		return t.Storage == class
	}
	return t.Elem != nil && pointsTo(t.Elem, class) || slices.ContainsFunc(t.Members, func(m *validate.Type) bool { return pointsTo(m, class) })
}

// opaque reports an image or a sampler, of which there are no values in memory.
func opaque(t *validate.Type) bool {
	return t.Kind == validate.KindImage || t.Kind == validate.KindSampler || t.Kind == validate.KindSampledImage
}

// storeHandle gives a Function variable an image or a sampler, as clang does without optimization for parameters.
func (b *pointers) storeHandle(variable, id spirv.ID) {
	v := b.val(id)
	if was, ok := b.kernels.handles[variable]; ok && was.ptr != v.ptr || v.ptr == nil {
		b.unsupported("a variable that has one image or sampler after the other")
	}
	b.kernels.handles[variable] = v
}

// recastPointer carries out OpPtrCastToGeneric and OpGenericCastToPtr of pointers whose memory is known, and casts
// between pointers: to another type at the same place.
func (b *pointers) recastPointer() {
	t := b.resultType()
	p := b.anyPtr(b.arg(0))
	if !p.layout.opencl {
		b.unsupported("a cast of this pointer")
	}
	p.typ, p.stride = t.Elem, 0
	b.define(val{ptr: &p})
}

// bitcast carries out OpBitcast: of pointers, too, in kernels.
func (b *pointers) bitcast() {
	to, from := b.resultType(), b.typeOf(b.arg(0))
	toPointer, fromPointer := to.Kind == validate.KindPointer, from.Kind == validate.KindPointer
	switch {
	case !b.isKernel() || !toPointer && !fromPointer:
		b.maths.bitcast()
	case toPointer && fromPointer:
		b.recastPointer()
	case toPointer:
		b.integerToPointer()
	default:
		b.pointerToInteger()
	}
}
