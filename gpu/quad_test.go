package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv/validate"
)

// Quads in compute: SPV_KHR_quad_control with the derivative groups of
// SPV_KHR_compute_shader_derivatives.

const quadModule = `; Version: 1.3
OpCapability Shader
OpCapability QuadControlKHR
OpCapability DerivativeControl
OpCapability GroupNonUniform
OpCapability ComputeDerivativeGroup%[1]sKHR
OpExtension "SPV_KHR_quad_control"
OpExtension "SPV_KHR_maximal_reconvergence"
OpExtension "SPV_KHR_compute_shader_derivatives"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%id %%index %%lane
OpExecutionMode %%main LocalSize %[2]d %[3]d %[4]d
OpExecutionMode %%main DerivativeGroup%[1]sKHR
OpExecutionMode %%main QuadDerivativesKHR
OpExecutionMode %%main MaximallyReconvergesKHR
OpDecorate %%id BuiltIn LocalInvocationId
OpDecorate %%index BuiltIn LocalInvocationIndex
OpDecorate %%lane BuiltIn SubgroupLocalInvocationId
OpDecorate %%array ArrayStride 4
OpMemberDecorate %%block 0 Offset 0
OpDecorate %%block BufferBlock
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 0
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%float = OpTypeFloat 32
%%v3 = OpTypeVector %%uint 3
%%array = OpTypeRuntimeArray %%uint
%%block = OpTypeStruct %%array
%%outptr = OpTypePointer Uniform %%block
%%outword = OpTypePointer Uniform %%uint
%%out = OpVariable %%outptr Uniform
%%inv3 = OpTypePointer Input %%v3
%%inword = OpTypePointer Input %%uint
%%id = OpVariable %%inv3 Input
%%index = OpVariable %%inword Input
%%lane = OpVariable %%inword Input
%[5]s%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%at = OpLoad %%uint %%index
%%p = OpLoad %%v3 %%id
%%l = OpLoad %%uint %%lane
%%x = OpCompositeExtract %%uint %%p 0
%%y = OpCompositeExtract %%uint %%p 1
%%z = OpCompositeExtract %%uint %%p 2
%%base = OpIMul %%uint %%at %%c16
%%square = OpIMul %%uint %%at %%at
%%f = OpConvertUToF %%float %%square
%%bits = OpBitwiseAnd %%uint %%square %%c6
%%pred = OpINotEqual %%bool %%bits %%c0
%%part = OpBitwiseAnd %%uint %%at %%c1
%%alone = OpIEqual %%bool %%part %%c0
%[6]sOpSelectionMerge %%end None
OpBranchConditional %%alone %%half %%end
%%half = OpLabel
%[7]sOpBranch %%end
%%end = OpLabel
OpReturn
OpFunctionEnd
`

var quadDerivatives = []string{"DPdxFine", "DPdyFine", "FwidthFine", "DPdxCoarse", "DPdyCoarse", "FwidthCoarse", "DPdx", "DPdy", "Fwidth"}

func quadText(group string, size [3]int) string {
	var consts, whole, half strings.Builder
	for n := range 17 {
		fmt.Fprintf(&consts, "%%c%d = OpConstant %%uint %d\n", n, n)
	}
	n := 0
	store := func(to *strings.Builder, id string) {
		fmt.Fprintf(to, "%%a%d = OpIAdd %%uint %%base %%c%d\n%%p%d = OpAccessChain %%outword %%out %%c0 %%a%d\nOpStore %%p%d %s\n", n, n, n, n, n, id)
		n++
	}
	for _, id := range []string{"%x", "%y", "%z"} {
		store(&whole, id)
	}
	for i, op := range quadDerivatives {
		fmt.Fprintf(&whole, "%%d%d = Op%s %%float %%f\n%%b%d = OpBitcast %%uint %%d%d\n", i, op, i, i)
		store(&whole, fmt.Sprintf("%%b%d", i))
	}
	for i, op := range []string{"All", "Any", "All", "Any"} {
		to := &whole
		if i > 1 {
			to = &half
		}
		fmt.Fprintf(to, "%%q%d = OpGroupNonUniformQuad%sKHR %%bool %%pred\n%%s%d = OpSelect %%uint %%q%d %%c1 %%c0\n", i, op, i, i)
		store(to, fmt.Sprintf("%%s%d", i))
	}
	return fmt.Sprintf(quadModule, group, size[0], size[1], size[2], consts.String(), whole.String(), half.String())
}

// quadOf are the invocations of the quad of one, by index, and its place there:
// a square of x and y, or four that follow each other.
func quadOf(group string, size [3]int, index int) (quad [4]int, own int) {
	if group == "Linear" {
		for k := range quad {
			quad[k] = index/4*4 + k
		}
		return quad, index % 4
	}
	x, y := index%size[0], index/size[0]
	for k := range quad {
		quad[k] = (y/2*2+k/2)*size[0] + x/2*2 + k%2
	}
	return quad, y%2*2 + x%2
}

func quadWant(group string, size [3]int, index int) (want [16]uint32) {
	quad, own := quadOf(group, size, index)
	f := func(k int) float64 { return float64(quad[k] * quad[k]) }
	pred := func(i int) bool { return i*i&6 != 0 }
	row, column := own/2*2, own%2
	dxf, dyf := f(row+1)-f(row), f(column+2)-f(column)
	dxc, dyc := f(1)-f(0), f(2)-f(0)
	for i, v := range []float64{dxf, dyf, math.Abs(dxf) + math.Abs(dyf), dxc, dyc, math.Abs(dxc) + math.Abs(dyc), dxc, dyc, math.Abs(dxc) + math.Abs(dyc)} {
		want[3+i] = math.Float32bits(float32(v))
	}
	want[0], want[1], want[2] = uint32(index%size[0]), uint32(index/size[0]%size[1]), uint32(index/size[0]/size[1])
	want[12], want[14] = 1, 1
	for _, i := range quad {
		if !pred(i) {
			want[12] = 0
		} else {
			want[13] = 1
		}
		if i%2 == 0 && !pred(i) { // "for all active invocations in the quad"
			want[14] = 0
		} else if i%2 == 0 {
			want[15] = 1
		}
	}
	if index%2 != 0 {
		want[14], want[15] = 0, 0
	}
	return want
}

func TestQuadsInCompute(t *testing.T) {
	for _, c := range []struct {
		group string
		size  [3]int
	}{{"Quads", [3]int{8, 8, 1}}, {"Quads", [3]int{16, 2, 3}}, {"Linear", [3]int{64, 1, 1}}, {"Linear", [3]int{6, 6, 1}}, {"Linear", [3]int{4, 3, 2}}} {
		for _, wave := range []int{32, 64} {
			t.Run(fmt.Sprint(c.group, c.size, wave), func(t *testing.T) {
				total := c.size[0] * c.size[1] * c.size[2]
				r := suite.Must(Run(context.Background(), laneJob(t, quadText(c.group, c.size), fmt.Sprintf("{zero: %d}", total*64), wave)))(t)
				out := words(r.Buffers[0].Bytes)
				for i := range total {
					if got, want := [16]uint32(out[16*i:16*i+16]), quadWant(c.group, c.size, i); got != want {
						t.Fatalf("invocation %d:\n%v, want\n%v", i, got, want)
					}
				}
			})
		}
	}
}

func TestQuadRefusals(t *testing.T) {
	for _, c := range []struct{ name, group, old, with, want string }{
		{"odd size", "Quads", "LocalSize 8 8 1", "LocalSize 7 8 1", "a local size of 7 x 8: want even numbers"},
		{"no multiple of four", "Linear", "LocalSize 8 8 1", "LocalSize 3 2 5", "DerivativeGroupLinearKHR with 30 invocations: want a multiple of 4"},
		{"no derivative group", "Quads", "OpExecutionMode %main DerivativeGroupQuadsKHR\n", "", ""},
		{"full quads", "Quads", "QuadDerivativesKHR\n", "RequireFullQuadsKHR\n", ""},
	} {
		text := quadText(c.group, [3]int{8, 8, 1})
		changed := strings.Replace(text, c.old, c.with, 1)
		if changed == text {
			t.Fatalf("%s: nothing changed", c.name)
		}
		_, err := Run(context.Background(), laneJob(t, changed, "{zero: 4096}", 32))
		if !errors.Is(err, ErrInput) || !errors.Is(err, validate.ErrInvalid) && !errors.Is(err, validate.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
