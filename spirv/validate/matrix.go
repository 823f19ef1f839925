package validate

import "spvsim/spirv"

// A CooperativeMatrix holds the operands of a cooperative matrix type in addition to its component type: ids of
// constants, some of which may be specialized.
type CooperativeMatrix struct{ Scope, Rows, Columns, Use spirv.ID }

// matrixType makes a cooperative matrix type (SPV_KHR_cooperative_matrix).
func matrixType(c *checker, in *spirv.Instruction, t *Type) (err error) {
	t.Kind = KindCooperativeMatrix
	if t.Elem, err = c.declaredType(in, in.Operands[0]); err != nil {
		return err
	}
	if t.Elem.Kind != KindInt && t.Elem.Kind != KindFloat {
		return FaultAt(in, "types", "component type %%%d is not a number", t.Elem.ID)
	}
	ids := in.Operands[1:]
	for i, id := range ids {
		def := c.m.Def(spirv.ID(id))
		if def == nil || c.m.defIndex(def) > c.m.defIndex(in) {
			return FaultAt(in, "ids", "operand %d: %%%d is not defined before", i+1, id)
		}
		if dt := c.m.Type(def.Type); !constant(def.Op) || dt == nil || dt.Kind != KindInt || dt.Width != 32 {
			return FaultAt(in, "types", "operand %d: %%%d is no 32-bit integer constant", i+1, id)
		}
	}
	t.Matrix = &CooperativeMatrix{spirv.ID(ids[0]), spirv.ID(ids[1]), spirv.ID(ids[2]), spirv.ID(ids[3])}
	return nil
}

// literal returns the value of a constant that is not specialized.
func (m *Module) literal(id spirv.ID) (n uint32, ok bool) {
	def := m.Def(id)
	if def == nil || def.Op != spirv.OpConstant {
		return 0, false
	}
	return def.Operands[0], true
}

// Specialized reports whether a constant's value may be set by the job.
func (m *Module) Specialized(id spirv.ID) bool {
	def := m.Def(id)
	return def != nil && def.Op >= spirv.OpSpecConstantTrue && def.Op <= spirv.OpSpecConstantOp
}

// differ reports constants that are known and are not the same.
func (m *Module) differ(a, b spirv.ID) bool {
	x, known := m.literal(a)
	y, too := m.literal(b)
	return known && too && x != y
}

// matrixDeclaration tests the constants of a type.
func (v *valueCheck) matrixDeclaration([]uint32) {
	t := v.m.Type(v.in.Result)
	c := t.Matrix
	if n, ok := v.m.literal(c.Use); ok && n > uint32(spirv.CooperativeMatrixUseMatrixAccumulatorKHR) {
		v.fault("operand 4 (Use): found %d, want 0 to 2: A, B or accumulator", n)
	}
	for i, id := range []spirv.ID{c.Rows, c.Columns} {
		if n, ok := v.m.literal(id); ok && n == 0 {
			v.fault("operand %d: a matrix of 0 rows or columns", i+2)
		}
	}
	if s, ok := v.m.literal(c.Scope); ok && spirv.Scope(s) != spirv.ScopeSubgroup && spirv.Scope(s) != spirv.ScopeWorkgroup {
		v.fault("operand 1 (Scope): found %s, want Subgroup or Workgroup", spirv.Scope(s))
	}
}

// matrixMemory lists the storage classes of which matrices are loaded and stored.
var matrixMemory = set(spirv.StorageClassWorkgroup, spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer)

// matrixPointer tests pointer, layout and stride of a load or a store, which
// begin at operand at.
func (v *valueCheck) matrixPointer(o []uint32, at int) {
	if p := v.pointer(0, o[0]); p != nil {
		e := p.Elem
		if e.Kind == KindVector {
			e = e.Elem
		}
		switch {
		case !matrixMemory[p.Storage]:
			v.fault("operand 0: %%%d points to %s: want Workgroup, StorageBuffer or PhysicalStorageBuffer", o[0], p.Storage)
		case e.Kind != KindInt && e.Kind != KindFloat:
			v.fault("operand 0: %%%d points to %s: want a number or a vector of numbers", o[0], v.m.typeText(p.Elem))
		}
	}
	if at >= len(o) {
		return
	}
	layout := spirv.ID(o[at])
	t, def := v.operandType(at, o[at]), v.m.Def(layout)
	if t == nil {
		return
	}
	if !t.is('t') || !constant(def.Op) {
		v.fault("operand %d (MemoryLayout): %%%d is no 32-bit integer constant", at, layout)
		return
	}
	if n, ok := v.m.literal(layout); ok && n <= uint32(spirv.CooperativeMatrixLayoutColumnMajorKHR) && len(o) <= at+1 {
		v.fault("the layout needs a stride")
		return
	}
	if len(o) > at+1 {
		if s := v.operandType(at+1, o[at+1]); s != nil && s.Kind != KindInt {
			v.fault("operand %d (Stride): %%%d is %s: want an integer", at+1, o[at+1], v.m.typeText(s))
		}
	}
}

func (v *valueCheck) matrixLoad(o []uint32) {
	if t := v.result(); t.Kind != KindCooperativeMatrix {
		v.fault("result type %s: want a cooperative matrix", v.m.typeText(t))
		return
	}
	v.matrixPointer(o, 1)
}

func (v *valueCheck) matrixStore(o []uint32) {
	if t := v.operandType(1, o[1]); t != nil && t.Kind != KindCooperativeMatrix {
		v.fault("operand 1: %%%d is %s: want a cooperative matrix", o[1], v.m.typeText(t))
		return
	}
	v.matrixPointer(o, 2)
}

// matrixMulAdd tests that result and C are of one type, and that sizes, uses and
// scopes fit.
func (v *valueCheck) matrixMulAdd(o []uint32) {
	a, b, c, t := v.operandType(0, o[0]), v.operandType(1, o[1]), v.operandType(2, o[2]), v.result()
	if a == nil || b == nil || c == nil {
		return
	}
	for i, x := range []*Type{a, b, c, t} {
		if x.Kind != KindCooperativeMatrix {
			v.fault("%s is %s: want a cooperative matrix", []string{"A", "B", "C", "the result"}[i], v.m.typeText(x))
			return
		}
	}
	if c != t {
		v.fault("operand 2: %%%d is not of the result's type", o[2])
		return
	}
	for i, x := range []*Type{a, b, c} {
		if use, ok := v.m.literal(x.Matrix.Use); ok && use != uint32(i) {
			v.fault("operand %d: %%%d is of use %s: want %s", i, o[i], spirv.CooperativeMatrixUse(use), spirv.CooperativeMatrixUse(i))
			return
		}
		if v.m.differ(x.Matrix.Scope, t.Matrix.Scope) {
			v.fault("operand %d: %%%d has another scope than the result", i, o[i])
		}
	}
	if v.m.differ(a.Matrix.Rows, t.Matrix.Rows) || v.m.differ(b.Matrix.Columns, t.Matrix.Columns) || v.m.differ(a.Matrix.Columns, b.Matrix.Rows) {
		v.fault("the rows and columns of A, B and the result don't fit")
	}
}

func (v *valueCheck) matrixLength(o []uint32) {
	if t := v.m.Type(spirv.ID(o[0])); t == nil || t.Kind != KindCooperativeMatrix {
		v.fault("operand 0: %%%d is not a cooperative matrix type", o[0])
	}
	if t := v.result(); !t.is('t') || t.Signed {
		v.fault("result type %s: want uint32", v.m.typeText(t))
	}
}

// matrixOps lists the instructions that work on the components of cooperative matrices as on those of vectors (the
// extension's section 2.16.1 and sections 3.49.11 to 13).
var matrixOps = set(
	spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpUConvert, spirv.OpSConvert, spirv.OpFConvert,
	spirv.OpSNegate, spirv.OpFNegate, spirv.OpIAdd, spirv.OpFAdd, spirv.OpISub, spirv.OpFSub, spirv.OpIMul, spirv.OpFMul,
	spirv.OpUDiv, spirv.OpSDiv, spirv.OpFDiv, spirv.OpMatrixTimesScalar, spirv.OpCopyObject,
)

// matrices tests an instruction with a signature whose result or operand is a cooperative matrix: the instruction must
// take matrices, and they must be of one shape. It returns the fault, empty if there is none.
func (v *valueCheck) matrices(op spirv.Op, result, t *Type) string {
	one, other := t.Kind == KindCooperativeMatrix, result != nil && result.Kind == KindCooperativeMatrix
	switch {
	case !one && !other:
		return ""
	case !matrixOps[op]:
		return "no operation of cooperative matrices"
	case op == spirv.OpMatrixTimesScalar && !one:
		return ""
	case one != other:
		return "want a cooperative matrix, as the other is"
	case v.m.shapesDiffer(t, result):
		return "want the scope, rows, columns and use of the result"
	}
	return ""
}

// shapesDiffer compares all of two matrices but the components.
func (m *Module) shapesDiffer(a, b *Type) bool {
	x, y := a.Matrix, b.Matrix
	return m.differ(x.Scope, y.Scope) || m.differ(x.Rows, y.Rows) || m.differ(x.Columns, y.Columns) || m.differ(x.Use, y.Use)
}

// matrixPlace tests that a variable of cooperative matrices is one that has no
// address.
func (v *valueCheck) matrixPlace(t *Type) {
	if t.Storage == spirv.StorageClassFunction || t.Storage == spirv.StorageClassPrivate {
		return
	}
	if holdsMatrix(t.Elem, map[*Type]bool{}) {
		v.fault("a cooperative matrix in %s: want Function or Private", t.Storage)
	}
}

func holdsMatrix(t *Type, seen map[*Type]bool) bool {
	if t == nil || seen[t] || t.Kind == KindPointer {
		return false
	}
	seen[t] = true
	if t.Kind == KindCooperativeMatrix {
		return true
	}
	for _, p := range t.Members {
		if holdsMatrix(p, seen) {
			return true
		}
	}
	return holdsMatrix(t.Elem, seen)
}

// encodedOps lists the operations on floats with encodings other than IEEE's (SPV_KHR_bfloat16, SPV_EXT_float8). For
// other operations they are converted first.
var encodedOps = set(spirv.OpDot, spirv.OpFDot2MixAcc32VALVE, spirv.OpFDot2MixAcc16VALVE, spirv.OpFDot4MixAcc32VALVE, spirv.OpSelect,
	spirv.OpCooperativeMatrixMulAddKHR, spirv.OpCooperativeMatrixLengthKHR)

// encoded refuses arithmetic and comparisons of such floats.
func (v *valueCheck) encoded(op spirv.Op) {
	if class := op.Grammar().Class; encodedOps[op] || op != spirv.OpExtInst && class != "Arithmetic" && class != "Relational_and_Logical" && class != "Derivative" {
		return
	}
	operands := v.in.Operands
	if op == spirv.OpExtInst {
		operands = operands[2:]
	}
	for _, id := range append([]uint32{uint32(v.in.Type)}, operands...) {
		t := v.m.Type(spirv.ID(id))
		if t == nil {
			t = v.m.TypeOf(spirv.ID(id))
		}
		if t == nil {
			continue
		}
		if c := t.Component(); c != nil && c.Kind == KindFloat && c.Encoded {
			v.fault("%s of %s: it is for conversions, dot products and cooperative matrices alone", op, v.m.typeText(c))
			return
		}
	}
}
