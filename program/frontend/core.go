package frontend

import (
	"fmt"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// core is the base of every part: the module, the current instruction, the block that values are appended to, and the
// faults that end the translation.
type core struct {
	m     *validate.Module
	opt   Options
	entry *validate.EntryPoint
	f     *ir.Func

	in   *spirv.Instruction // being translated
	line uint32
	blk  *ir.Block // where emitted values go

	component uint8 // that emitted values belong to

	consts map[constKey]*ir.Value
	undefs map[constKey]*ir.Value
	head   []*ir.Value // constants, then identity values: the start of the entry block

	sized       []spirv.ID        // constants of the local size
	derivatives bool              // the invocations stand in quads
	strict      map[isa.Type]bool // floats that FPFastMathDefault allows no contraction of
	reached     []bool            // by id: those that instructions of the entry point's functions name
}

// fail stops the translation at the current instruction.
func (b *core) fail(sentinel error, format string, args ...any) {
	e := &Error{Text: b.m.Raw.Source.Sprintf(format, args...), Err: sentinel, source: b.m.Raw.Source}
	if b.in != nil {
		e.Word, e.Op, e.ID = b.in.Word, b.in.Op, b.in.Result
	}
	panic(abort{e})
}

func (b *core) unsupported(format string, args ...any) {
	b.fail(validate.ErrUnsupported, format, args...)
}

func (b *core) invalid(format string, args ...any) { b.fail(validate.ErrInvalid, format, args...) }

// needFragment refuses, in other shaders, features of execution model Fragment.
func (b *core) needFragment() {
	if !b.isFragment() {
		b.invalid("needs execution model Fragment")
	}
}

// isFragment reports an entry point of execution model Fragment.
func (b *core) isFragment() bool { return b.entry.Model == spirv.ExecutionModelFragment }

// isKernel reports an entry point of execution model Kernel, whose pointers are addresses of bytes in every storage class.
func (b *core) isKernel() bool { return b.entry.Model == spirv.ExecutionModelKernel }

// isMesh reports an entry point of execution model MeshEXT.
func (b *core) isMesh() bool { return b.entry.Model == spirv.ExecutionModelMeshEXT }

func (b *core) shaderName() string {
	switch {
	case b.isFragment():
		return "fragment"
	case b.isKernel():
		return "kernel"
	}
	return "compute"
}

// variableFault describes why a variable has no place.
func (b *core) variableFault(in *spirv.Instruction) string {
	return fmt.Sprintf("a variable of storage class %s in a %s shader", spirv.StorageClass(in.Operands[0]), b.shaderName())
}

// scalar returns the type of a scalar of the module.
func (b *core) scalar(t *validate.Type) isa.Type {
	switch t.Kind {
	case validate.KindBool:
		return isa.Bool
	case validate.KindInt:
		return isa.IntType(uint(t.Width))
	case validate.KindFloat:
		if t.Encoded {
			return b.encoding(t)
		}
		return isa.FloatType(uint(t.Width))
	case validate.KindPointer:
		if t.Storage == spirv.StorageClassPhysicalStorageBuffer {
			return isa.I64
		}
	}
	b.invalid("%%%d is not a scalar type", t.ID)
	return isa.Void
}

// encodings maps the float encodings other than IEEE's.
var encodings = map[spirv.FPEncoding]isa.Type{
	spirv.FPEncodingBFloat16KHR: isa.BF16, spirv.FPEncodingFloat8E4M3EXT: isa.E4M3, spirv.FPEncodingFloat8E5M2EXT: isa.E5M2,
}

func (b *core) encoding(t *validate.Type) isa.Type {
	e, ok := encodings[t.Encoding]
	if !ok {
		b.unsupported("floating-point encoding %s of %%%d", t.Encoding, t.ID)
	}
	return e
}

// comp returns the scalar type of a scalar or vector.
func (b *core) comp(t *validate.Type) isa.Type { return b.scalar(t.Component()) }

func (b *core) typ(id spirv.ID) *validate.Type {
	t := b.m.Type(id)
	if t == nil {
		b.invalid("%%%d is not a type", id)
	}
	return t
}

// resultType returns the type of the current instruction's result.
func (b *core) resultType() *validate.Type { return b.typ(b.in.Type) }

func (b *core) typeOf(id spirv.ID) *validate.Type {
	t := b.m.TypeOf(id)
	if t == nil {
		b.invalid("%%%d is not a value", id)
	}
	return t
}

// arg returns the i-th operand of the current instruction, an id.
func (b *core) arg(i int) spirv.ID {
	if i >= len(b.in.Operands) {
		b.invalid("operand %d is missing", i)
	}
	return spirv.ID(b.in.Operands[i])
}

// coerce converts a value to the type that the module declares for it. A different width is a fault of the module.
func (b *core) coerce(v *ir.Value, t isa.Type) *ir.Value {
	if v.R.Bits() != t.Bits() {
		b.invalid("a value of type %s where %s is wanted", v.R, t)
	}
	return b.retype(v, t)
}

// retype reinterprets a value as another type of the same width.
func (b *core) retype(v *ir.Value, t isa.Type) *ir.Value {
	switch {
	case v.R == t:
		return v
	case v.Op == isa.Const:
		return b.constant(t, v.Imm)
	}
	return b.op(isa.Mov, t, v)
}

// emit appends an operation whose result has type r.
func (b *core) emit(op isa.Op, t, r isa.Type, args ...*ir.Value) *ir.Value {
	return b.blk.Append(b.newValue(op, t, r, args...))
}

func (b *core) newValue(op isa.Op, t, r isa.Type, args ...*ir.Value) *ir.Value {
	if b.f.NumValues() > maxValues {
		b.unsupported("the inlined function has more than %d values", maxValues)
	}
	b.checkSources(op, t, args)
	v := b.f.NewValue(op, t, r, args...)
	v.Line, v.Component = b.line, b.component
	if b.in != nil {
		v.SPIRV, v.NoContract = b.nearestID(), b.noContraction(b.in.Result, t)
		v.Text = b.m.Raw.Source.PositionOf(b.in.Word)
	}
	return v
}

// checkSources tests the widths of sources that the operation's row fixes: an
// operand of the wrong type must end here, not in the machine.
func (b *core) checkSources(op isa.Op, t isa.Type, args []*ir.Value) {
	if isa.NumSources(op) != len(args) {
		return // memory, phis, projections: checked at their creation
	}
	for i, a := range args {
		want := isa.SourceType(op, i, t, isa.Void)
		if want != isa.Void && want.Bits() != a.R.Bits() {
			b.invalid("operand %d has type %s, the operation takes %s", i, a.R, want)
		}
	}
}

// nearestID returns the id that listings show for the current instruction: its result, or the target of a store.
func (b *core) nearestID() uint32 {
	if b.in.Result == 0 && len(b.in.Operands) > 0 && storesTo[b.in.Op] {
		return b.in.Operands[0]
	}
	return uint32(b.in.Result)
}

// storesTo lists the instructions without result whose first operand is the pointer or image that they write, or the
// payload array that they pass on.
var storesTo = map[spirv.Op]bool{
	spirv.OpEnqueueNodePayloadsAMDX: true,

	spirv.OpStore: true, spirv.OpCopyMemory: true, spirv.OpCopyMemorySized: true,
	spirv.OpAtomicStore: true, spirv.OpImageWrite: true,
}

// noContraction reports a result that may not be fused with another operation:
// decorated so, or with a floating-point mode that does not allow it.
func (b *core) noContraction(id spirv.ID, t isa.Type) bool {
	if id == 0 {
		return false
	}
	if mode, ok := b.m.Decoration(id, spirv.DecorationFPFastMathMode); ok && !contracts(mode) {
		return true
	} else if ok {
		return b.m.Decorated(id, spirv.DecorationNoContraction)
	}
	return b.strict[t] || b.m.Decorated(id, spirv.DecorationNoContraction)
}

func contracts(mode uint32) bool {
	return spirv.FPFastMathMode(mode)&spirv.FPFastMathModeAllowContract != 0
}

// op appends an operation whose sources and result have type t.
func (b *core) op(op isa.Op, t isa.Type, args ...*ir.Value) *ir.Value {
	return b.emit(op, t, t, args...)
}

// compare appends a comparison of sources of type t.
func (b *core) compare(op isa.Op, t isa.Type, args ...*ir.Value) *ir.Value {
	return b.emit(op, t, isa.Bool, args...)
}

// conv appends a conversion.
func (b *core) conv(op isa.Op, from, to isa.Type, a *ir.Value) *ir.Value {
	v := b.emit(op, to, to, a)
	v.From = from
	return v
}

// widen converts an integer to another width, without sign.
func (b *core) widen(v *ir.Value, to isa.Type) *ir.Value {
	if v.R == to {
		return v
	}
	if v.Op == isa.Const {
		return b.constant(to, v.Imm)
	}
	return b.conv(isa.UConvert, v.R, to, v)
}

// numbered emits an operation with an immediate number.
func (b *core) numbered(op isa.Op, t isa.Type, n int, args ...*ir.Value) *ir.Value {
	v := b.emit(op, t, t, args...)
	v.Imm = uint64(n)
	return v
}

// selectValue appends a selection between values of one type.
func (b *core) selectValue(c, x, y *ir.Value) *ir.Value {
	return b.emit(isa.Select, x.R, x.R, c, x, y)
}

type constKey struct {
	t    isa.Type
	bits uint64
}

func (b *core) constant(t isa.Type, bits uint64) *ir.Value {
	bits &= t.Mask()
	key := constKey{t, bits}
	if v := b.consts[key]; v != nil {
		return v
	}
	v := b.f.NewValue(isa.Const, t, t)
	v.Imm = bits
	b.consts[key] = v
	b.head = append(b.head, v)
	return v
}

func (b *core) i32(n uint32) *ir.Value { return b.constant(isa.I32, uint64(n)) }

func (b *core) truth(x bool) *ir.Value {
	if x {
		return b.constant(isa.Bool, 1)
	}
	return b.constant(isa.Bool, 0)
}

// undef returns an undefined value.
func (b *core) undef(t isa.Type) *ir.Value {
	key := constKey{t: t}
	if v := b.undefs[key]; v != nil {
		return v
	}
	v := b.f.NewValue(isa.Undef, t, t)
	b.undefs[key] = v
	b.head = append(b.head, v)
	return v
}

// word turns a boolean into a 32-bit 0 or 1, for memory and lane exchange.
func (b *core) word(v *ir.Value) *ir.Value {
	if v.R != isa.Bool {
		return v
	}
	return b.selectValue(v, b.i32(1), b.i32(0))
}

// unword is the inverse of word.
func (b *core) unword(v *ir.Value, t isa.Type) *ir.Value {
	if t != isa.Bool {
		return v
	}
	return b.compare(isa.INe, isa.I32, v, b.i32(0))
}
