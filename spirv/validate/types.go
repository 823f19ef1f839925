package validate

import "spvsim/spirv"

// Kind is the family of a type.
type Kind uint8

// Kinds of types. KindOther covers those that only need a name (acceleration
// structures, tensors, events).
const (
	KindVoid Kind = iota
	KindBool
	KindInt
	KindFloat
	KindVector
	KindMatrix
	KindArray
	KindRuntimeArray
	KindStruct
	KindPointer
	KindFunction
	KindImage
	KindSampler
	KindSampledImage
	KindNodePayloadArray
	KindCooperativeMatrix
	KindOther
)

// A Type is a declared type.
type Type struct {
	ID     spirv.ID
	Kind   Kind
	Width  int  // bits of an integer or float
	Signed bool // of an integer

	// Elem is the component type of a vector, the column type of a matrix, the element of an array, the pointee of a
	// pointer, the return type of a function, the sampled type of an image, the image of a sampled image.
	Elem *Type
	// Count is the number of components, columns or elements. For arrays whose length is a specialization constant it
	// is 0, and CountID names the constant.
	Count   int
	CountID spirv.ID

	Members []*Type // of a structure; parameters of a function
	Storage spirv.StorageClass

	Matrix *CooperativeMatrix // of a cooperative matrix, whose components have type Elem

	Dim                   spirv.Dim
	Depth                 uint32
	Arrayed, Multisampled bool
	Sampled               uint32
	Format                spirv.ImageFormat
	Encoded               bool // a float with an encoding that is not IEEE's: Encoding
	Encoding              spirv.FPEncoding

	Def *spirv.Instruction
}

// Scalar reports a boolean, integer or float.
func (t *Type) Scalar() bool { return t.Kind >= KindBool && t.Kind <= KindFloat }

// Component returns the scalar type of a scalar, vector or matrix, cooperative
// ones included.
func (t *Type) Component() *Type {
	for t != nil && (t.Kind == KindVector || t.Kind == KindMatrix || t.Kind == KindCooperativeMatrix) {
		t = t.Elem
	}
	return t
}

// typeMakers has a row for each type declaration with parts.
var typeMakers = map[spirv.Op]func(c *checker, in *spirv.Instruction, t *Type) error{
	spirv.OpTypeVoid:         simpleType(KindVoid),
	spirv.OpTypeBool:         simpleType(KindBool),
	spirv.OpTypeInt:          intType,
	spirv.OpTypeFloat:        floatType,
	spirv.OpTypeVector:       countedType(KindVector),
	spirv.OpTypeVectorIdEXT:  longVectorType,
	spirv.OpTypeMatrix:       countedType(KindMatrix),
	spirv.OpTypeArray:        arrayType,
	spirv.OpTypeRuntimeArray: elemType(KindRuntimeArray),
	spirv.OpTypeStruct:       structType,
	spirv.OpTypePointer:      pointerType,

	spirv.OpTypeUntypedPointerKHR: untypedPointer,

	spirv.OpTypeFunction:     functionType,
	spirv.OpTypeImage:        imageType,
	spirv.OpTypeSampler:      simpleType(KindSampler),
	spirv.OpTypeSampledImage: sampledImageType,

	spirv.OpTypeCooperativeMatrixKHR: matrixType,

	spirv.OpTypeNodePayloadArrayAMDX: elemType(KindNodePayloadArray),
}

func simpleType(k Kind) func(*checker, *spirv.Instruction, *Type) error {
	return func(_ *checker, _ *spirv.Instruction, t *Type) error {
		t.Kind = k
		return nil
	}
}

func intType(_ *checker, in *spirv.Instruction, t *Type) error {
	t.Kind, t.Width, t.Signed = KindInt, int(in.Operands[0]), in.Operands[1] != 0
	if sign := in.Operands[1]; sign > 1 {
		return FaultAt(in, "types", "signedness %d: want 0 or 1", sign)
	}
	switch t.Width {
	case 8, 16, 32, 64:
		return nil
	}
	return FaultAt(in, "types", "integer width %d: want 8, 16, 32 or 64", t.Width)
}

func floatType(_ *checker, in *spirv.Instruction, t *Type) error {
	t.Kind, t.Width = KindFloat, int(in.Operands[0])
	if t.Encoded = len(in.Operands) > 1; t.Encoded {
		t.Encoding = spirv.FPEncoding(in.Operands[1])
		if want, known := encodedWidths[t.Encoding]; known && t.Width != want {
			return FaultAt(in, "types", "float width %d: %s has %d", t.Width, t.Encoding, want)
		}
		return nil
	}
	switch t.Width {
	case 16, 32, 64:
		return nil
	}
	return FaultAt(in, "types", "float width %d: want 16, 32 or 64", t.Width)
}

// encodedWidths holds the widths of the encodings of floats.
var encodedWidths = map[spirv.FPEncoding]int{
	spirv.FPEncodingBFloat16KHR: 16, spirv.FPEncodingFloat8E4M3EXT: 8, spirv.FPEncodingFloat8E5M2EXT: 8,
}

func countedType(k Kind) func(*checker, *spirv.Instruction, *Type) error {
	return func(c *checker, in *spirv.Instruction, t *Type) (err error) {
		t.Kind, t.Count = k, int(in.Operands[1])
		if t.Elem, err = c.declaredType(in, in.Operands[0]); err != nil {
			return err
		}
		if k == KindVector && !t.Elem.Scalar() {
			return FaultAt(in, "types", "%%%d is not a scalar type", t.Elem.ID)
		}
		if k == KindMatrix && (t.Elem.Kind != KindVector || t.Elem.Elem.Kind != KindFloat) {
			return FaultAt(in, "types", "%%%d is not a vector of floats", t.Elem.ID)
		}
		if k == KindMatrix && t.Elem.longVector() {
			return FaultAt(in, "types", "columns of %d components: want 2 to 4", t.Elem.Count)
		}
		long := k == KindVector && c.m.Capabilities[spirv.CapabilityLongVectorEXT]
		switch {
		case long && (t.Count < 1 || t.Count > mostComponents):
			return FaultAt(in, "types", "%d components: want 1 to %d", in.Operands[1], mostComponents)
		case !long && (t.Count < 2 || t.Count > 4) && !(k == KindVector && (t.Count == 8 || t.Count == 16)):
			return FaultAt(in, "types", "%d components: want 2 to 4%s", in.Operands[1], map[bool]string{true: ", or the capability LongVectorEXT"}[k == KindVector])
		}
		return nil
	}
}

// longVector reports a vector that is no vector of the core: of one component, or more than four.
func (t *Type) longVector() bool { return t.Kind == KindVector && (t.Count < 2 || t.Count > 4) }

// longVectorType handles OpTypeVectorIdEXT, whose number of components is a constant. A constant that a job specializes
// is not supported.
func longVectorType(c *checker, in *spirv.Instruction, t *Type) (err error) {
	t.Kind = KindVector
	if t.Elem, err = c.declaredType(in, in.Operands[0]); err != nil {
		return err
	}
	if !t.Elem.Scalar() {
		return FaultAt(in, "types", "%%%d is not a scalar type", t.Elem.ID)
	}
	count := c.m.Def(spirv.ID(in.Operands[1]))
	if count == nil || c.m.defIndex(count) > c.m.defIndex(in) {
		return FaultAt(in, "ids", "component count %%%d is not defined before", in.Operands[1])
	}
	if ct := c.m.Type(count.Type); ct == nil || ct.Kind != KindInt || ct.Width != 32 || !constant(count.Op) {
		return FaultAt(in, "types", "component count %%%d is not a constant integer of 32 bits", in.Operands[1])
	}
	if count.Op != spirv.OpConstant {
		f := FaultAt(in, "", "a number of components, %%%d, that a job specializes: %v", in.Operands[1], ErrUnsupported)
		f.Err = ErrUnsupported
		return f
	}
	if t.Count = int(count.Operands[0]); t.Count <= 0 || t.Count > mostComponents {
		return FaultAt(in, "types", "%d components: want 1 to %d", t.Count, mostComponents)
	}
	return nil
}

// mostComponents bounds long vectors, far above any device's maxVectorComponents.
const mostComponents = 1 << 16

func elemType(k Kind) func(*checker, *spirv.Instruction, *Type) error {
	return func(c *checker, in *spirv.Instruction, t *Type) (err error) {
		t.Kind = k
		if k == KindRuntimeArray {
			t.Elem, err = c.valueType(in, in.Operands[0])
			return err
		}
		t.Elem, err = c.declaredType(in, in.Operands[0])
		return err
	}
}

// valueType returns a part that must not be void.
func (c *checker) valueType(in *spirv.Instruction, id uint32) (*Type, error) {
	t, err := c.declaredType(in, id)
	if err == nil && t.Kind == KindVoid {
		return nil, FaultAt(in, "types", "%%%d is void: want a type of values", id)
	}
	return t, err
}

// sampledImageType refuses images that a sampler is never used with.
func sampledImageType(c *checker, in *spirv.Instruction, t *Type) error {
	if err := elemType(KindSampledImage)(c, in, t); err != nil {
		return err
	}
	if t.Elem.Kind == KindImage && t.Elem.Sampled == 2 {
		return FaultAt(in, "types", "%%%d has Sampled 2, an image without a sampler: want 0 or 1", t.Elem.ID)
	}
	return nil
}

func arrayType(c *checker, in *spirv.Instruction, t *Type) (err error) {
	t.Kind, t.CountID = KindArray, spirv.ID(in.Operands[1])
	if t.Elem, err = c.valueType(in, in.Operands[0]); err != nil {
		return err
	}
	length := c.m.Def(t.CountID)
	if length == nil || c.m.defIndex(length) > c.m.defIndex(in) {
		return FaultAt(in, "ids", "length %%%d is not defined before", t.CountID)
	}
	if lt := c.m.Type(length.Type); lt == nil || lt.Kind != KindInt {
		return FaultAt(in, "types", "length %%%d is not an integer constant", t.CountID)
	}
	if length.Op == spirv.OpConstant {
		t.Count = int(length.Operands[0])
		if t.Count <= 0 || len(length.Operands) > 1 && length.Operands[1] != 0 {
			return FaultAt(in, "types", "array length is not between 1 and 2^32-1")
		}
	}
	return nil
}

func structType(c *checker, in *spirv.Instruction, t *Type) error {
	t.Kind, t.Members = KindStruct, make([]*Type, len(in.Operands))
	for i, w := range in.Operands {
		p, err := c.valueType(in, w)
		if err != nil {
			return err
		}
		t.Members[i] = p
	}
	return nil
}

// pointerType leaves Elem to the end: the pointee may be declared later.
func pointerType(c *checker, in *spirv.Instruction, t *Type) error {
	t.Kind, t.Storage = KindPointer, spirv.StorageClass(in.Operands[0])
	c.pointers = append(c.pointers, t)
	return nil
}

func functionType(c *checker, in *spirv.Instruction, t *Type) (err error) {
	t.Kind = KindFunction
	if t.Elem, err = c.declaredType(in, in.Operands[0]); err != nil {
		return err
	}
	for _, w := range in.Operands[1:] {
		p, err := c.valueType(in, w)
		if err != nil {
			return err
		}
		t.Members = append(t.Members, p)
	}
	return nil
}

func imageType(c *checker, in *spirv.Instruction, t *Type) (err error) {
	o := in.Operands
	t.Kind, t.Dim, t.Depth = KindImage, spirv.Dim(o[1]), o[2]
	t.Arrayed, t.Multisampled, t.Sampled = o[3] != 0, o[4] != 0, o[5]
	t.Format = spirv.ImageFormat(o[6])
	t.Elem, err = c.declaredType(in, o[0])
	return err
}
