package validate

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/fuzz/mutate"
	"spvsim/internal/suite"
	"spvsim/spirv"
)

// TestKernels accepts what clang and llvm-spirv make of each kernel of testdata/kernel.
func TestKernels(t *testing.T) {
	files := suite.Must(filepath.Glob("testdata/kernel/*.spv"))(t)
	if len(files) < 50 {
		t.Errorf("%d modules: want 50", len(files))
	}
	for _, path := range files {
		raw, err := spirv.Decode(suite.Must(os.ReadFile(path))(t))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if _, err := Check(raw); err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
}

// kernelModule is a kernel that adds 1 to what its argument points to; words in capitals are replaced.
const kernelModule = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
CAPS
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
MODES
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 0
%float = OpTypeFloat 32
%bool = OpTypeBool
%ptr = OpTypePointer CrossWorkgroup %uint
%fptr = OpTypePointer CrossWorkgroup %float
%own = OpTypePointer Function %uint
TYPES
%fn = OpTypeFunction %void %ptr
%u1 = OpConstant %uint 1
%l1 = OpConstant %long 1
%f1 = OpConstant %float 1
%main = OpFunction %void None %fn
%p = OpFunctionParameter %ptr
%start = OpLabel
%v = OpVariable %own Function
%x = OpLoad %uint %p Aligned 4
CODE
OpReturn
OpFunctionEnd
FUNCTIONS
`

func kernelText(parts ...string) string {
	text := kernelModule
	for i := 0; i < len(parts); i += 2 {
		text = strings.Replace(text, parts[i]+"\n", parts[i+1]+"\n", 1)
	}
	for _, word := range []string{"CAPS", "MODES", "TYPES", "CODE", "FUNCTIONS"} {
		text = strings.Replace(text, word+"\n", "", 1)
	}
	return text
}

// TestKernelFaults breaks one rule in each module; an empty text passes.
func TestKernelFaults(t *testing.T) {
	for _, c := range []struct {
		parts []string
		text  string
	}{
		{nil, ""},
		{[]string{"CODE", "%q = OpInBoundsPtrAccessChain %ptr %p %l1\nOpStore %q %x Aligned 4"}, ""},
		{[]string{"CODE", "%q = OpPtrAccessChain %fptr %p %l1"}, "the chain ends at uint32"},
		{[]string{"CODE", "%q = OpPtrAccessChain %own %p %l1"}, "want a pointer to CrossWorkgroup"},
		{[]string{"CODE", "%q = OpPtrAccessChain %ptr %p %f1"}, "want an integer"},
		{[]string{"CODE", "%q = OpBitcast %fptr %p\n%y = OpLoad %float %q Aligned 4"}, ""},
		{[]string{"CODE", "%n = OpConvertPtrToU %long %p\n%q = OpConvertUToPtr %fptr %n"}, ""},
		{[]string{"CODE", "%y = OpLoad %float %p"}, "the pointer is to uint32"},
		{[]string{"CODE", "OpStore %p %f1"}, "the pointer is to uint32"},
		{[]string{"TYPES", "%v2 = OpTypeVector %uint 2", "CODE", "%c = OpIEqual %bool %x %u1\n%a = OpCompositeConstruct %v2 %x %x\n%s = OpSelect %v2 %c %a %a"}, ""},
		{[]string{"CODE", "%y = OpExtInst %float %cl exp %f1"}, ""},
		{[]string{"CODE", "%y = OpExtInst %float %cl exp %u1"}, "want a"},
		{[]string{"CODE", "%y = OpExtInst %uint %cl s_max %u1 %f1"}, "want a"},
		{[]string{"CODE", "%y = OpExtInst %uint %cl u_add_sat %u1 %l1"}, "want the result's type"},
		{[]string{"CODE", "%y = OpExtInst %float %cl ldexp %f1 %f1"}, "want a"},
		{[]string{"CODE", "%y = OpExtInst %float %cl sincos %f1 %f1"}, "want a pointer"},
		{[]string{"CODE", "%y = OpExtInst %float %cl remquo %f1 %f1 %v"}, ""},
		{[]string{"CODE", "%c = OpIEqual %bool %x %u1\nOpBranchConditional %c %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel"}, ""},
		{[]string{"CODE", "OpBranch %a\n%a = OpLabel\n%c = OpIEqual %bool %x %u1\nOpBranchConditional %c %a %b\n%b = OpLabel"}, ""},
		{[]string{"CODE", "OpBranch %start\n%a = OpLabel"}, "is not a block of the function that a branch may lead to"},
		{[]string{"CODE", "OpSwitch %x %a 1 %p\n%a = OpLabel"}, "is not a block of the function"},
		{[]string{"CODE", "%c = OpIEqual %bool %x %u1\nOpBranchConditional %c %a %b\n%a = OpLabel\n%y = OpIAdd %uint %x %u1\nOpBranch %b\n%b = OpLabel\n%z = OpIAdd %uint %y %u1"}, "is not defined on every path to here"},
		{[]string{"MODES", "OpExecutionMode %main LocalSize 64 1 1"}, ""},
		{[]string{"MODES", "OpExecutionMode %main LocalSize 0 1 1"}, "a local size of 0"},
		{[]string{"MODES", "OpExecutionMode %main LocalSizeHint 64 1 1"}, ""},
		{[]string{"MODES", "OpExecutionMode %main ContractionOff"}, ""},
		{[]string{"MODES", "OpExecutionMode %main EarlyFragmentTests"}, "Shader"},
		{[]string{"TYPES", "%s = OpTypeSampler\n%r = OpTypeSampler"}, ""},
		{[]string{"TYPES", "%s = OpTypeInt 32 0"}, "the type is declared already"},
		{[]string{"TYPES", "%half = OpTypeFloat 16"}, "needs one of the capabilities"},
		{[]string{"CAPS", "OpCapability Float16Buffer", "TYPES", "%half = OpTypeFloat 16"}, ""},
		{[]string{"TYPES", "%v8 = OpTypeVector %float 8"}, "Vector16"},
		{[]string{"CAPS", "OpCapability Vector16", "TYPES", "%v8 = OpTypeVector %float 8"}, ""},
		{[]string{"MODES", `OpDecorate %main LinkageAttributes "main" Export`}, "Linkage"},
		{[]string{"CAPS", "OpCapability Linkage", "MODES", `OpDecorate %main LinkageAttributes "main" Export`}, ""},
		{[]string{"MODES", "OpDecorate %p FuncParamAttr NoCapture\nOpDecorate %p Alignment 4\nOpDecorate %v Alignment 4"}, ""},
		{[]string{"CODE", "%y = OpFunctionCall %uint %f %x", "FUNCTIONS", "%f = OpFunction %void None %fn\n%a = OpFunctionParameter %ptr\n%l = OpLabel\nOpReturn\nOpFunctionEnd"}, "result type"},
		{[]string{"CODE", "%y = OpFunctionCall %void %f %x", "FUNCTIONS", "%f = OpFunction %void None %fn\n%a = OpFunctionParameter %ptr\n%l = OpLabel\nOpReturn\nOpFunctionEnd"}, "is not of the parameter's type"},
		{[]string{"CODE", "%y = OpAtomicIAdd %uint %p %u1 %u1 %f1"}, "want"},
	} {
		_, err := Check(assemble(t, kernelText(c.parts...)))
		if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s\n%v, want %q", strings.Join(c.parts, "\n"), err, c.text)
		}
	}
}

// TestKernelMutants changes modules by a few words at a time: no panic, and a fault or none.
func TestKernelMutants(t *testing.T) {
	for _, path := range suite.Must(filepath.Glob("testdata/kernel/*.O0.spv"))(t) {
		original := suite.Must(spirv.Decode(suite.Must(os.ReadFile(path))(t)))(t)
		random := rand.New(rand.NewPCG(1, uint64(original.Bound)))
		for range 60 {
			raw, err := spirv.Decode(mutate.Module(original, random, mutate.Options{Edits: 1 + random.IntN(3), PreferValid: true}).Encode(binary.LittleEndian))
			if err != nil {
				continue
			}
			if _, err := Check(raw); err != nil && !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrUnsupported) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// TestKernelsAgainstTools compares with spirv-val. It knows no modules of OpenCL later than SPIR-V 1.2, and llvm-spirv puts
// OpLoopMerge where it may not stand, blocks before those that dominate them, and a storage class that is none for debuggers.
func TestKernelsAgainstTools(t *testing.T) {
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("spirv-val is not installed")
	}
	for _, path := range suite.Must(filepath.Glob("testdata/kernel/*.spv"))(t) {
		out, err := exec.Command(tool, "--target-env", "spv1.5", path).CombinedOutput()
		if text := string(out); err != nil && !strings.Contains(text, "OpLoopMerge must immediately precede") && !strings.Contains(text, "has not been defined") && !strings.Contains(text, "Invalid storage class") {
			t.Errorf("%s: %s", path, out)
		}
	}
	path := filepath.Join(t.TempDir(), "kernel.spv")
	for _, parts := range [][]string{nil, {"CODE", "%y = OpExtInst %float %cl exp %u1"}, {"CODE", "OpStore %p %f1"}, {"CODE", "%q = OpPtrAccessChain %fptr %p %l1"},
		{"TYPES", "%v8 = OpTypeVector %float 8"}, {"MODES", `OpDecorate %main LinkageAttributes "main" Export`}} {
		raw := assemble(t, kernelText(parts...))
		raw.Version = 1<<16 | 2<<8
		suite.OK(t, os.WriteFile(path, raw.Encode(binary.LittleEndian), 0o644))
		want := exec.Command(tool, "--target-env", "opencl2.2", path).Run()
		if _, err := Check(raw); (err == nil) != (want == nil) {
			t.Errorf("%s: %v, of spirv-val: %v", strings.Join(parts, "\n"), err, want)
		}
	}
}
