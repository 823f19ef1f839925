package validate

import (
	"fmt"
	"strings"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// A term is the requirement of a signature for one type.
type term struct {
	constraint, class byte // 0 without a mark; class '-' for an operand that is no value
}

// A signature is a parsed row of signatures.
type signature struct {
	result   term // class 0: no result
	operands []term
}

var parsed = parseSignatures()

func parseSignatures() map[spirv.Op]signature {
	m := make(map[spirv.Op]signature, len(signatures))
	for op, text := range signatures {
		result, rest, _ := strings.Cut(text, ":")
		var s signature
		if result != "" {
			s.result = parseTerm(result)
		}
		for _, w := range strings.Fields(rest) {
			s.operands = append(s.operands, parseTerm(w))
		}
		m[op] = s
	}
	return m
}

func parseTerm(s string) term {
	if len(s) == 2 {
		return term{constraint: s[0], class: s[1]}
	}
	return term{class: s[0]}
}

// classNames holds the words of messages.
var classNames = map[byte]string{
	'i': "integer scalar or vector", 'u': "unsigned integer scalar or vector", 'f': "float scalar or vector",
	'n': "number or vector of numbers", 'b': "boolean scalar or vector", 'I': "integer", 'U': "unsigned integer", 'F': "float",
	'N': "number", 'B': "boolean", 'V': "vector of floats", 'M': "matrix", 'P': "pointer", 't': "32-bit integer", '*': "value",
}

// is reports whether a type is of a signature's class.
func (t *Type) is(class byte) bool {
	c := t
	if t.Kind == KindVector || t.Kind == KindCooperativeMatrix {
		c = t.Elem
	}
	switch class {
	case '*':
		return true
	case 'i':
		return c.Kind == KindInt
	case 'u':
		return c.Kind == KindInt && !c.Signed
	case 'f':
		return c.Kind == KindFloat
	case 'n':
		return c.Kind == KindInt || c.Kind == KindFloat
	case 'b':
		return c.Kind == KindBool
	case 'V':
		return t.Kind == KindVector && c.Kind == KindFloat
	case 'M':
		return t.Kind == KindMatrix || t.Kind == KindCooperativeMatrix
	case 'P':
		return t.Kind == KindPointer
	case 't':
		return t.Kind == KindInt && t.Width == 32
	}
	return c == t && t.is(class|0x20) // a capital: the scalars of the class
}

// components returns the number of components of a vector, or 1.
func (t *Type) components() int {
	if t.Kind == KindVector {
		return t.Count
	}
	return 1
}

func (t *Type) width() int { return t.Component().Width }

// values tests the types of results and operands, instruction by instruction.
func values(m *Module, r *report) {
	v := &valueCheck{m: m, r: r, ctx: spirv.NewContext(int(min(m.Raw.Bound, 1<<16))), limited: m.limits(), containers: map[*Type]*Type{}}
	seen := map[string]spirv.ID{}
	for i := range m.Raw.Instructions {
		if v.in = &m.Raw.Instructions[i]; r.full() {
			return
		}
		v.typeOnce(seen)
		v.instruction(i)
		v.ctx.Note(v.in)
	}
}

type valueCheck struct {
	m   *Module
	r   *report
	in  *spirv.Instruction
	ctx *spirv.Context
	f   *Function // that the instruction is in

	limited    map[*Type]bool  // scalar types that the module may only store
	containers map[*Type]*Type // by a type that contains one of them
}

func (v *valueCheck) fault(format string, args ...any) { v.r.faultAt(v.in, "types", format, args...) }

// repeatable lists type declarations that may be repeated.
var repeatable = set(spirv.OpTypeArray, spirv.OpTypeRuntimeArray, spirv.OpTypeStruct, spirv.OpTypePointer, spirv.OpTypeForwardPointer,
	spirv.OpTypeNodePayloadArrayAMDX)

// typeOnce tests that types that are not aggregates are declared once
// (section 2.8). llvm-spirv 15 writes OpTypeSampler twice.
func (v *valueCheck) typeOnce(seen map[string]spirv.ID) {
	if !declaresType(v.in.Op) || repeatable[v.in.Op] || v.in.Op == spirv.OpTypeSampler && v.m.Kernels() {
		return
	}
	key := fmt.Sprint(v.in.Op, v.in.Operands)
	if first := seen[key]; first != 0 {
		v.fault("the type is declared already, as %%%d", first)
		return
	}
	seen[key] = v.in.Result
}

func (v *valueCheck) instruction(i int) {
	op, in := v.in.Op, v.in
	if op == spirv.OpFunction {
		v.f = v.m.Function(in.Result)
	}
	if in.Type != 0 && !v.m.isType(in.Type) {
		v.fault("result type %%%d is not a type", in.Type)
		return
	}
	operands := in.Operands
	if op == spirv.OpSpecConstantOp {
		op, operands = spirv.Op(operands[0]), operands[1:]
		if !shaderSpecOps[op] && !(kernelSpecOps[op] && v.m.Kernels()) && op != spirv.OpAccessChain && op != spirv.OpInBoundsAccessChain && op != spirv.OpPtrAccessChain {
			v.fault("%s is not an operation of constants", op)
			return
		}
	}
	if s, ok := parsed[op]; ok {
		v.signature(op, s, operands)
	}
	if rule := typeRules[op]; rule != nil {
		rule(v, operands)
	}
	v.narrow(op)
	v.encoded(op)
	v.scopes()
}

// operandType returns the type of an operand that must be a value, or nil
// after a fault.
func (v *valueCheck) operandType(n int, id uint32) *Type {
	t := v.m.TypeOf(spirv.ID(id))
	if t == nil || t.Kind == KindVoid && !v.voidValue(id) {
		v.fault("operand %d: %%%d is not a value", n, id)
		return nil
	}
	return t
}

// voidValue reports whether an id is the result of an extended instruction, which may have no value.
func (v *valueCheck) voidValue(id uint32) bool {
	return v.m.Def(spirv.ID(id)).Op == spirv.OpExtInst
}

func (v *valueCheck) signature(op spirv.Op, s signature, operands []uint32) {
	var result, first *Type
	if s.result.class != 0 {
		result = v.m.Type(v.in.Type)
		if !result.is(s.result.class) {
			v.fault("result type %s: want a %s", v.m.typeText(result), classNames[s.result.class])
			return
		}
	}
	for n, want := range s.operands {
		if n >= len(operands) {
			return
		}
		if want.class == '-' {
			continue
		}
		t := v.operandType(n, operands[n])
		if t == nil {
			return
		}
		if n == 0 {
			first = t
		}
		if !t.is(want.class) {
			v.fault("operand %d: %%%d is %s: want a %s", n, operands[n], v.m.typeText(t), classNames[want.class])
			return
		}
		if text := v.matrices(op, result, t); text != "" {
			v.fault("operand %d: %%%d is %s: %s", n, operands[n], v.m.typeText(t), text)
			return
		}
		if text := want.relation(t, result, first); text != "" {
			v.fault("operand %d: %%%d is %s: %s", n, operands[n], v.m.typeText(t), text)
			return
		}
	}
}

// relation describes the fault of a type relative to the others, "" if there is none.
func (w term) relation(t, result, first *Type) string {
	switch {
	case w.constraint == '=' && t != result:
		return "want the result's type"
	case w.constraint == '1' && t != first:
		return "want the type of operand 0"
	case w.constraint == '^' && t != result.Component():
		return "want the component type of the result"
	case w.constraint == '#' && t.components() != result.components():
		return fmt.Sprintf("want %d components, as the result has", result.components())
	case w.constraint == '~' && (t.components() != result.components() || t.width() != result.width()):
		return "want as many components and bits as the result has"
	case w.constraint == '\'' && (t.components() != first.components() || t.width() != first.width()):
		return "want as many components and bits as operand 0 has"
	}
	return ""
}

// typeText names a type in messages.
func (m *Module) typeText(t *Type) string {
	switch t.Kind {
	case KindVoid:
		return "void"
	case KindBool:
		return "bool"
	case KindInt:
		if !t.Signed {
			return fmt.Sprintf("uint%d", t.Width)
		}
		return fmt.Sprintf("int%d", t.Width)
	case KindFloat:
		if t.Encoded {
			return t.Encoding.String()
		}
		return fmt.Sprintf("float%d", t.Width)
	case KindVector:
		return fmt.Sprintf("vector of %d %s", t.Count, m.typeText(t.Elem))
	case KindCooperativeMatrix:
		return m.Raw.Source.Sprintf("cooperative matrix %%%d of %s", t.ID, m.typeText(t.Elem))
	case KindPointer:
		return m.Raw.Source.Sprintf("pointer %%%d", t.ID)
	}
	return m.Raw.Source.Sprintf("%s %%%d", strings.ToLower(strings.TrimPrefix(t.Def.Op.String(), "OpType")), t.ID)
}

// narrowWidths maps narrow types to the capability that allows operations; without it they may only be loaded, stored,
// copied and converted (section 2.16.1).
var narrowWidths = map[Kind]map[int]spirv.Capability{
	KindInt:   {8: spirv.CapabilityInt8, 16: spirv.CapabilityInt16},
	KindFloat: {16: spirv.CapabilityFloat16},
}

// scopes tests scopes and semantics, which are constants in shaders.
func (v *valueCheck) scopes() {
	for i, o := range v.in.Op.Grammar().Operands {
		if !scoped(o.Kind) || i >= len(v.in.Operands) {
			continue
		}
		id := spirv.ID(v.in.Operands[i])
		t := v.m.TypeOf(id)
		if t == nil || t.Kind != KindInt || t.Width != 32 {
			v.fault("operand %d (%s): %%%d is no 32-bit integer", i, o.Name, id)
			continue
		}
		if def := v.m.Def(id); !constant(def.Op) {
			v.fault("operand %d (%s): %%%d is not a constant", i, o.Name, id)
		} else if specialized(def.Op) && !v.m.Has(spirv.CapabilityCooperativeMatrixKHR) && !v.m.Has(spirv.CapabilityCooperativeMatrixNV) {
			v.fault("operand %d (%s): %%%d is a specialization constant", i, o.Name, id)
		} else if def.Op == spirv.OpConstant {
			v.scopeValue(i, o, def.Operands[0])
		}
	}
}

// orders holds the bits of memory semantics of which at most one may be set.
const orders = uint32(spirv.MemorySemanticsAcquire | spirv.MemorySemanticsRelease | spirv.MemorySemanticsAcquireRelease | spirv.MemorySemanticsSequentiallyConsistent)

func (v *valueCheck) scopeValue(i int, o grammar.Operand, n uint32) {
	if o.Kind == grammar.KindIdScope {
		if grammar.KindScope.Lookup(n) == nil {
			v.fault("operand %d (%s): %d is not a scope", i, o.Name, n)
		}
		v.scopeModel(spirv.Scope(n))
		return
	}
	if bits := n & vulkanSemantics; bits != 0 && !v.m.Has(spirv.CapabilityVulkanMemoryModel) {
		v.r.faultAt(v.in, "capabilities", "operand %d (%s): %#x needs the capability %s", i, o.Name, bits, spirv.CapabilityVulkanMemoryModel)
	}
	if n&uint32(spirv.MemorySemanticsSequentiallyConsistent) != 0 && v.m.Memory == spirv.MemoryModelVulkan {
		v.fault("operand %d (%s): SequentiallyConsistent, with the memory model Vulkan", i, o.Name)
	}
	if bits := n & orders; bits&(bits-1) != 0 {
		v.fault("operand %d (%s): %#x has more than one memory order", i, o.Name, n)
	}
}

func constant(op spirv.Op) bool { return op.Grammar().Class == "Constant-Creation" }
