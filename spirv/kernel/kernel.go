// Package kernel reads the interface of a kernel, an entry point of OpenCL's execution model, from a validated module: its
// arguments, with their places in the argument block, and the sizes that it asks of its workgroups.
//
// The block is the kernel argument segment of AMD's ABI (LLVM, "User Guide for AMDGPU Backend", code object version 5):
// explicit arguments in order, each at its natural alignment, then the hidden arguments.
package kernel

import (
	"cmp"
	"fmt"
	"strings"

	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// MaxBytes bounds the explicit arguments. OpenCL asks for at least 1024 (CL_DEVICE_MAX_PARAMETER_SIZE); ROCm has 4352.
const MaxBytes = 4096

// Places of hidden arguments, from Interface.Hidden on. Those of x, y and z follow each other.
const (
	BlockCount   = 0  // u32: whole workgroups: one that the end of the grid cuts short is not counted
	GroupSize    = 12 // u16: work-items of a whole workgroup
	Remainder    = 18 // u16: work-items of the last workgroup if it is short, else 0
	GlobalOffset = 40 // u64: global id of the first work-item
	GridDims     = 64 // u16: dimensions of the grid
	// ProgramVariables is a u64: the address of the module's variables in device memory. AMD's loader writes it into the
	// code instead; its block has no argument here.
	ProgramVariables = 248
	ConstantData     = 240 // u64: the address of the kernel's constant data
	HiddenBytes      = 256
)

// Kind is what an argument is given by.
type Kind uint8

// Kinds of arguments.
const (
	Value    Kind = iota // its bytes
	Global               // an address of device memory
	Constant             // an address of device memory that the kernel only reads
	Local                // a byte offset into the LDS, for bytes that the launch chooses
	Image                // its descriptor
	Sampler              // its descriptor
)

// String returns the words of messages.
func (k Kind) String() string {
	return [...]string{"a value", "a global pointer", "a constant pointer", "a local pointer", "an image", "a sampler"}[k]
}

// An Argument is a parameter of a kernel.
type Argument struct {
	Name     string // empty: the module does not have it
	TypeName string // as OpenCL C spells it; empty: the module does not have it
	ID       spirv.ID
	Type     *validate.Type // of the value: for a structure that is passed by pointer, the structure
	ByValue  bool           // the parameter is a pointer to a private copy of the value
	Kind     Kind

	Size, Align, Offset uint32 // in the argument block
}

// An Interface is what a kernel needs of a launch.
type Interface struct {
	Name      string
	Arguments []Argument
	Hidden    uint32 // offset of the hidden arguments
	Bytes     uint32 // of the argument block
	Physical  int    // bits of an address
	// RequiredSize and SizeHint are reqd_work_group_size and work_group_size_hint; zero: the kernel has none.
	RequiredSize, SizeHint [3]uint32
}

// Is reports whether an entry point is a kernel.
func Is(e *validate.EntryPoint) bool { return e != nil && e.Model == spirv.ExecutionModelKernel }

// InterfaceOf reads the interface of a kernel.
func InterfaceOf(m *validate.Module, e *validate.EntryPoint) (*Interface, error) {
	k := &Interface{Name: e.Name, Physical: 64, RequiredSize: size(e, spirv.ExecutionModeLocalSize), SizeHint: size(e, spirv.ExecutionModeLocalSizeHint)}
	if m.Addressing == spirv.AddressingModelPhysical32 {
		k.Physical = 32
	}
	l := Layout{Module: m, Physical: k.Physical}
	f := m.Function(e.Func)
	if f == nil {
		return nil, fmt.Errorf("%w: entry point %q has no function", validate.ErrInvalid, e.Name)
	}
	types := typeNames(m, e.Name)
	end := uint32(0)
	for i := range f.Params {
		a, err := l.argument(&f.Params[i])
		if err != nil {
			return nil, err
		}
		if len(types) == len(f.Params) {
			a.TypeName = types[i]
		}
		a.Offset = roundUp(end, a.Align)
		if end = a.Offset + a.Size; end > MaxBytes {
			return nil, fault(&f.Params[i], validate.ErrUnsupported, "the arguments up to %s take %d bytes: want at most %d", k.nameOf(i, &a), end, MaxBytes)
		}
		k.Arguments = append(k.Arguments, a)
	}
	k.Hidden = roundUp(end, 8)
	k.Bytes = k.Hidden + HiddenBytes
	return k, nil
}

// ArgumentName is the name of an argument, or its place.
func (k *Interface) ArgumentName(i int) string { return k.nameOf(i, &k.Arguments[i]) }

func (k *Interface) nameOf(i int, a *Argument) string {
	return cmp.Or(a.Name, fmt.Sprintf("argument %d", i))
}

// Spelling is the type of an argument as OpenCL C spells it, as far as the module has it.
func (k *Interface) Spelling(i int) string {
	a := &k.Arguments[i]
	switch {
	case a.TypeName != "":
		return qualifiers[a.Kind] + a.TypeName
	case a.Kind == Image:
		return "image" + strings.ToLower(strings.TrimPrefix(a.Type.Dim.String(), "Dim")) + "_t"
	case a.Kind == Sampler:
		return "sampler_t"
	case a.Kind == Value:
		return spelled(a.Type)
	}
	return qualifiers[a.Kind] + spelled(a.Type.Elem) + "*"
}

var qualifiers = map[Kind]string{Global: "global ", Constant: "constant ", Local: "local "}

// spelled is a type in OpenCL C; integers of kernels have no sign.
func spelled(t *validate.Type) string {
	switch {
	case t == nil:
		return "void"
	case t.Kind == validate.KindInt:
		return map[int]string{8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}[t.Width]
	case t.Kind == validate.KindFloat:
		return map[int]string{16: "half", 32: "float", 64: "double"}[t.Width]
	case t.Kind == validate.KindVector:
		return fmt.Sprintf("%s%d", spelled(t.Elem), t.Count)
	case t.Kind == validate.KindArray:
		return fmt.Sprintf("%s[%d]", spelled(t.Elem), t.Count)
	case t.Kind == validate.KindPointer:
		return spelled(t.Elem) + "*"
	}
	return "struct"
}

func size(e *validate.EntryPoint, kind spirv.ExecutionMode) (n [3]uint32) {
	if m := e.Mode(kind); m != nil {
		copy(n[:], m.Args)
	}
	return n
}

// argument reads a parameter.
func (l *Layout) argument(p *spirv.Instruction) (Argument, error) {
	a := Argument{Name: l.Module.Name(p.Result), ID: p.Result, Type: l.Module.Type(p.Type)}
	switch a.Type.Kind {
	case validate.KindImage:
		a.Kind, a.Size, a.Align = Image, descriptorPointer, descriptorPointer
		return a, nil
	case validate.KindSampler:
		a.Kind, a.Size, a.Align = Sampler, descriptorPointer, descriptorPointer
		return a, nil
	case validate.KindPointer:
		return a, l.pointer(p, &a)
	}
	return a, l.value(p, &a)
}

// descriptorPointer is the size of the address of an image's or sampler's descriptor.
const descriptorPointer = 8

func (l *Layout) pointer(p *spirv.Instruction, a *Argument) error {
	a.Size = uint32(l.Physical / 8)
	switch a.Type.Storage {
	case spirv.StorageClassCrossWorkgroup:
		a.Kind = Global
	case spirv.StorageClassUniformConstant:
		a.Kind = Constant
	case spirv.StorageClassWorkgroup:
		a.Kind, a.Size = Local, 4 // an offset into the LDS
	case spirv.StorageClassFunction:
		a.ByValue, a.Type = true, a.Type.Elem
		if a.Type == nil {
			return fault(p, validate.ErrUnsupported, "a parameter by value without a type")
		}
		err := l.value(p, a)
		if n, ok := l.Module.Decoration(p.Result, spirv.DecorationAlignment); ok && n > 0 && n&(n-1) == 0 && n <= maxAlign {
			a.Align = n
		}
		return err
	default:
		return fault(p, validate.ErrUnsupported, "a parameter that points to storage class %s: want CrossWorkgroup, UniformConstant, Workgroup or Function", a.Type.Storage)
	}
	a.Align = a.Size
	return nil
}

// maxAlign is the alignment of the largest type, sixteen components of 64 bits.
const maxAlign = 128

func (l *Layout) value(p *spirv.Instruction, a *Argument) error {
	n, align, ok := l.Extent(a.Type)
	if !ok || n > MaxBytes {
		return fault(p, validate.ErrUnsupported, "a parameter of this type: want numbers, vectors, structures of these of at most %d bytes, pointers, images or samplers", MaxBytes)
	}
	a.Kind, a.Size, a.Align = Value, uint32(n), uint32(align)
	return nil
}

// fault is an error of an instruction.
func fault(in *spirv.Instruction, kind error, format string, args ...any) error {
	f := validate.FaultAt(in, "", format, args...)
	f.Err = kind
	return f
}

func roundUp(n, to uint32) uint32 { return (n + to - 1) / to * to }

// typeNames are the types of a kernel's parameters in OpenCL C, which llvm-spirv keeps in a string where it is asked to:
// kernel_arg_type.NAME.float*,int,
func typeNames(m *validate.Module, entry string) []string {
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		if in.Op != spirv.OpString {
			continue
		}
		if list, ok := strings.CutPrefix(m.String(in.Result), "kernel_arg_type."+entry+"."); ok {
			return strings.Split(strings.TrimSuffix(list, ","), ",")
		}
	}
	return nil
}
