package kernel

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

func checked(t *testing.T, file string) *validate.Module {
	t.Helper()
	raw := suite.Must(spirv.Decode(suite.Must(os.ReadFile(file))(t)))(t)
	return suite.Must(validate.Check(raw))(t)
}

func interfaceOf(t *testing.T, m *validate.Module, name string) *Interface {
	t.Helper()
	at := slices.IndexFunc(m.EntryPoints, func(e validate.EntryPoint) bool { return e.Name == name })
	if at < 0 {
		t.Fatalf("no entry point %s", name)
	}
	return suite.Must(InterfaceOf(m, &m.EntryPoints[at]))(t)
}

// A place is that of an argument in the block, with the word of LLVM's metadata for what it is.
type place struct {
	offset, size uint32
	kind         string
}

var metadataKinds = map[Kind]string{Value: "by_value", Global: "global_buffer", Constant: "global_buffer", Local: "dynamic_shared_pointer", Image: "image", Sampler: "sampler"}

func placesOf(k *Interface) (list []place) {
	for i := range k.Arguments {
		a := &k.Arguments[i]
		list = append(list, place{a.Offset, a.Size, metadataKinds[a.Kind]})
	}
	return list
}

func values(list ...uint32) (out []place) {
	for i := 0; i < len(list); i += 2 {
		out = append(out, place{list[i], list[i+1], "by_value"})
	}
	return out
}

// places are those that clang 14 writes for testdata/arguments.cl in the metadata of its code for AMD's GPUs, as
// TestPlacesAreThoseOfClang reads them. The pointer out of the first three kernels is written out below.
var places = map[string][]place{
	"scalars":    slices.Insert(values(0, 1, 16, 1, 18, 2, 20, 4, 24, 4, 32, 8, 40, 4, 48, 8, 56, 2, 64, 8, 72, 1), 1, place{8, 8, "global_buffer"}),
	"vectors":    slices.Insert(values(0, 1, 2, 2, 4, 4, 16, 16, 48, 16, 64, 1, 96, 32, 128, 128, 256, 16, 272, 8), 4, place{32, 8, "global_buffer"}),
	"structures": slices.Insert(values(0, 1, 8, 24, 32, 5, 48, 32, 80, 1, 84, 4, 88, 32), 3, place{40, 8, "global_buffer"}),
	"pointers": {{0, 1, "by_value"}, {8, 8, "global_buffer"}, {16, 4, "dynamic_shared_pointer"}, {20, 1, "by_value"}, {24, 8, "global_buffer"},
		{32, 4, "dynamic_shared_pointer"}, {40, 8, "global_buffer"}, {48, 4, "dynamic_shared_pointer"}},
	"images":   {{0, 4, "by_value"}, {8, 8, "image"}, {16, 1, "by_value"}, {24, 8, "image"}, {32, 8, "sampler"}, {40, 8, "global_buffer"}},
	"required": {{0, 8, "global_buffer"}},
	"hinted":   {{0, 8, "global_buffer"}},
	"none":     nil,
}

// Arguments are where AMD's compiler expects them: each at its natural alignment, a vector of three as one of four, a
// packed structure anywhere. Optimisation does not move them.
func TestPlacesOfArguments(t *testing.T) {
	for _, file := range []string{"testdata/arguments.O0.spv", "testdata/arguments.O3.spv"} {
		m := checked(t, file)
		for name, want := range places {
			k := interfaceOf(t, m, name)
			if got := placesOf(k); !slices.Equal(got, want) {
				t.Errorf("%s: %s:\n%v, want\n%v", file, name, got, want)
			}
		}
	}
}

// metadata finds an argument, or the name of a kernel after its arguments.
var metadata = regexp.MustCompile(`(?m)^      - (?:\.\w+: .*\n        )*?\.offset: +(\d+)\n(?:        \.pointee_align: .*\n)?        \.size: +(\d+)\n(?:        \.type_name: .*\n)?        \.value_kind: +(\w+)|^    \.name: +(\w+)`)

// The table above is what clang writes where it compiles for AMD's GPUs. Hidden arguments follow at the next multiple
// of 8.
func TestPlacesAreThoseOfClang(t *testing.T) {
	clang, err := exec.LookPath("clang-14")
	if err != nil {
		t.Skip("no clang-14")
	}
	text, err := exec.Command(clang, "-x", "cl", "-cl-std=CL1.2", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib", "-Xclang", "-finclude-default-header",
		"-O1", "-S", "-o", "-", "testdata/arguments.cl").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	m := checked(t, "testdata/arguments.O3.spv")
	var list []place
	found, hidden := 0, -1
	for _, match := range metadata.FindAllStringSubmatch(string(text), -1) {
		if match[4] != "" {
			k := interfaceOf(t, m, match[4])
			if got := placesOf(k); !slices.Equal(got, list) || hidden >= 0 && k.Hidden != uint32(hidden) {
				t.Errorf("%s: %v, hidden at %d: clang has %v, %d", match[4], got, k.Hidden, list, hidden)
			}
			found, list, hidden = found+1, nil, -1
			continue
		}
		var p place
		fmt.Sscan(match[1], &p.offset)
		fmt.Sscan(match[2], &p.size)
		if p.kind = match[3]; !strings.HasPrefix(p.kind, "hidden_") {
			list = append(list, p)
		} else if hidden < 0 {
			hidden = int(p.offset)
		}
	}
	if found != len(places) {
		t.Errorf("%d kernels in clang's metadata, want %d", found, len(places))
	}
}

// Hidden arguments have the places of LLVM's "Code Object V5 Kernel Argument Metadata", from the next multiple of 8.
func TestHiddenArguments(t *testing.T) {
	m := checked(t, "testdata/arguments.O3.spv")
	for name, want := range map[string]uint32{"none": 0, "scalars": 80, "structures": 120, "pointers": 56} {
		if k := interfaceOf(t, m, name); k.Hidden != want || k.Bytes != want+256 {
			t.Errorf("%s: hidden arguments at %d of %d bytes, want %d of %d", name, k.Hidden, k.Bytes, want, want+256)
		}
	}
	if BlockCount != 0 || GroupSize != 12 || Remainder != 18 || GlobalOffset != 40 || GridDims != 64 {
		t.Error("not the places of code object version 5")
	}
}

// With addresses of 32 bits, a pointer takes 4 bytes.
func TestPhysical32(t *testing.T) {
	k := interfaceOf(t, checked(t, "testdata/arguments.32.spv"), "pointers")
	want := []place{{0, 1, "by_value"}, {4, 4, "global_buffer"}, {8, 4, "dynamic_shared_pointer"}, {12, 1, "by_value"}, {16, 4, "global_buffer"},
		{20, 4, "dynamic_shared_pointer"}, {24, 4, "global_buffer"}, {28, 4, "dynamic_shared_pointer"}}
	if got := placesOf(k); k.Physical != 32 || !slices.Equal(got, want) {
		t.Errorf("%d bits, %v", k.Physical, got)
	}
}

func TestSizesThatKernelsAskFor(t *testing.T) {
	m := checked(t, "testdata/arguments.O3.spv")
	for name, want := range map[string][2][3]uint32{"required": {{8, 4, 2}, {}}, "hinted": {{}, {32, 2, 1}}, "none": {}} {
		if k := interfaceOf(t, m, name); k.RequiredSize != want[0] || k.SizeHint != want[1] {
			t.Errorf("%s: %v, %v", name, k.RequiredSize, k.SizeHint)
		}
	}
}

// Parameters are spelled as in the source where the module keeps its types, and from SPIR-V's types where not.
func TestSpelling(t *testing.T) {
	for file, want := range map[string]map[string]string{
		"testdata/arguments.O0.spv": {
			"vectors":    "char c, char2 c2, char3 c3, char16 c16, global float* out, int3 i3, uchar u, double3 d3, long16 l16, float4 f4, short3 s3",
			"structures": "char c, record r, tight t, global float* out, particle p, uchar u, word w, nest n",
			"pointers":   "char c, global int* in, local float* scratch, char d, constant float4* table, local double3* wide, global float* out, local char* bytes",
			"images":     "int n, image2d_t a, char c, image3d_t b, sampler_t s, global float4* out",
		},
		"testdata/arguments.32.spv": {
			"scalars":  "uchar c, global float* out, uchar uc, ushort s, half2 h, uint i, ulong l, float f, double d, ushort us, ulong n, uchar last",
			"pointers": "uchar c, global uint* in, local float* scratch, uchar d, constant float4* table, local double3* wide, global float* out, local uchar* bytes",
			"images":   "uint n, image2d_t a, uchar c, image3d_t b, sampler_t s, global float4* out",
		},
	} {
		m := checked(t, file)
		for name, text := range want {
			k := interfaceOf(t, m, name)
			var list []string
			for i := range k.Arguments {
				list = append(list, k.Spelling(i)+" "+k.ArgumentName(i))
			}
			if got := strings.Join(list, ", "); got != text {
				t.Errorf("%s: %s(%s), want\n%s", file, name, got, text)
			}
		}
	}
}

// small is a kernel with one parameter, of the type PARAMETER.
const small = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int8
OpCapability GenericPointer
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%uchar = OpTypeInt 8 0
%n = OpConstant %uint LENGTH
%many = OpTypeArray %uint %n
%all = OpTypeStruct %many %uchar
%opaque = OpTypeOpaque "o"
%parameter = PARAMETER
%fn = OpTypeFunction %void %parameter
%k = OpFunction %void None %fn
%p = OpFunctionParameter %parameter
%start = OpLabel
OpReturn
OpFunctionEnd
`

func smallInterface(t *testing.T, length int, parameter string) (*Interface, error) {
	t.Helper()
	text := strings.NewReplacer("LENGTH", fmt.Sprint(length), "PARAMETER", parameter).Replace(small)
	raw := suite.Must(asm.Assemble([]byte(text), "k.spvasm"))(t)
	m := suite.Must(validate.Check(raw))(t)
	return InterfaceOf(m, &m.EntryPoints[0])
}

// What has no place in the block is refused with the instruction of the parameter.
func TestRefusals(t *testing.T) {
	for parameter, want := range map[string]string{
		"OpTypePointer Generic %uint":    "a parameter that points to storage class Generic: want CrossWorkgroup, UniformConstant, Workgroup or Function",
		"OpTypePointer Function %opaque": "a parameter of this type: want numbers, vectors, structures of these of at most 4096 bytes, pointers, images or samplers",
		"OpTypePointer Function %all":    "a parameter of this type: want numbers",
		"OpTypeEvent":                    "a parameter of this type: want numbers",
	} {
		_, err := smallInterface(t, 1024, parameter)
		if err == nil || !errors.Is(err, validate.ErrUnsupported) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "OpFunctionParameter") {
			t.Errorf("%s: %v, want %s", parameter, err, want)
		}
	}
}

// A structure of 4096 bytes fits, and its tail is padded to its alignment.
func TestLargestArgument(t *testing.T) {
	k := suite.Must(smallInterface(t, 1023, "OpTypePointer Function %all"))(t)
	if a := k.Arguments[0]; a.Size != MaxBytes || a.Align != 4 || !a.ByValue || k.Hidden != MaxBytes {
		t.Errorf("%+v, hidden at %d", a, k.Hidden)
	}
}
