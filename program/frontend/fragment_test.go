package frontend

import (
	"errors"
	"strings"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// fragmentText returns a fragment shader around a body, with the declarations of the cases.
func fragmentText(in, modes, decorations, declarations, body string) string {
	return strings.NewReplacer("%intype", in, "%outtype", "%v4").Replace(`OpCapability Shader
OpCapability DemoteToHelperInvocation
OpCapability SampledCubeArray
OpCapability Sampled1D
OpCapability SampledRect
OpCapability MinLod
OpCapability ClipDistance
OpCapability ImageQuery
OpCapability QuadControlKHR
OpExtension "SPV_EXT_demote_to_helper_invocation"
OpExtension "SPV_KHR_terminate_invocation"
OpExtension "SPV_KHR_quad_control"
OpExtension "SPV_KHR_maximal_reconvergence"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %out %tex
OpExecutionMode %main OriginUpperLeft
` + modes + `
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 0
` + decorations + `
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%at = OpConstantComposite %v2 %f0 %f1
%at3 = OpConstantComposite %v3 %f0 %f1 %f0
%at4 = OpConstantComposite %v4 %f0 %f1 %f0 %f1
` + declarations + `
%texp = OpTypePointer UniformConstant %tt
%tex = OpVariable %texp UniformConstant
%inp = OpTypePointer Input %intype
%in = OpVariable %inp Input
%outp = OpTypePointer Output %outtype
%out = OpVariable %outp Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %intype %in
%y = OpLoad %tt %tex
` + body + `
OpFunctionEnd
`)
}

const (
	plainDecorations = "OpDecorate %in Location 0\nOpDecorate %out Location 0"
	image2D          = "%im = OpTypeImage %float 2D 0 0 0 1 Unknown\n%tt = OpTypeSampledImage %im\n"
	sampleAt         = "%%r = OpImageSampleImplicitLod %%v4 %%y %%%s\nOpStore %%out %%r\nOpReturn"
)

func buildFragment(text string) (*ir.Func, error) {
	raw, err := asm.Assemble([]byte(text), "test")
	if err != nil {
		return nil, err
	}
	m, err := validate.Check(raw)
	if err != nil {
		return nil, err
	}
	return Build(m, Options{WaveSize: 32})
}

func TestFragmentRefusals(t *testing.T) {
	store := "OpStore %out %at4\nOpReturn"
	for _, c := range []struct{ name, modes, decorations, declarations, body, want string }{
		{"input block's built-in", "", "OpMemberDecorate %st 0 BuiltIn ClipDistance\nOpDecorate %st Block\nOpDecorate %out Location 0", "%st = OpTypeStruct %float\n" + image2D, store, "ClipDistance"},
		{"integer that is not flat", "", plainDecorations, image2D, store, "not decorated Flat"},
		{"depth output", "OpExecutionMode %main DepthReplacing", "OpDecorate %in Location 0\nOpDecorate %out BuiltIn FragDepth", image2D, store, "DepthReplacing"},
		{"sample mask", "", "OpDecorate %in Location 0\nOpDecorate %out BuiltIn FragDepth", image2D, store, "FragDepth"},
		{"rectangle", "", plainDecorations, "%im = OpTypeImage %float Rect 0 0 0 1 Unknown\n%tt = OpTypeSampledImage %im\n", "%r = OpImageSampleImplicitLod %v4 %y %at\nOpReturn", "SampledRect"},
		{"multisampled", "", plainDecorations, "%im = OpTypeImage %float 2D 0 0 1 1 Unknown\n%tt = OpTypeSampledImage %im\n", "%r = OpImageSampleImplicitLod %v4 %y %at\nOpReturn", "multisampled"},
		{"least level", "", plainDecorations, image2D, "%r = OpImageSampleImplicitLod %v4 %y %at MinLod %f0\nOpReturn", "MinLod"},
		{"origin", "OpExecutionMode %main PixelCenterInteger", plainDecorations, image2D, store, "PixelCenterInteger"},
	} {
		in := map[string]string{"input block's built-in": "%st", "integer that is not flat": "%int"}[c.name]
		if in == "" {
			in = "%v3"
		}
		text := fragmentText(in, c.modes, c.decorations, c.declarations, c.body)
		if strings.Contains(c.decorations, "FragDepth") {
			text = strings.NewReplacer("Output %v4", "Output %float", "%out %at4", "%out %f1").Replace(text)
		}
		_, err := buildFragment(text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want one that names %s", c.name, err, c.want)
		}
		if c.name != "integer that is not flat" && c.name != "multisampled" && err != nil && !errors.Is(err, validate.ErrUnsupported) {
			t.Errorf("%s: %v: not refused as unsupported", c.name, err)
		}
	}
}

// The translation of the ways to leave, and of the modes of SPV_KHR_quad_control.
func TestFragmentOperations(t *testing.T) {
	for _, c := range []struct {
		name, modes, body string
		op                isa.Op
		discards, early   bool
	}{
		{"kill", "", "OpKill", isa.Nop, true, false},
		{"terminate", "OpExecutionMode %main EarlyFragmentTests", "OpTerminateInvocation", isa.Nop, true, true},
		{"demote", "", "OpDemoteToHelperInvocationEXT\nOpStore %out %at4\nOpReturn", isa.Demote, true, false},
		{"is helper", "", "%h = OpIsHelperInvocationEXT %bool\nOpStore %out %at4\nOpReturn", isa.IsHelper, false, false},
		{"full quads", "OpExecutionMode %main RequireFullQuadsKHR\nOpExecutionMode %main QuadDerivativesKHR\nOpExecutionMode %main MaximallyReconvergesKHR",
			"%h = OpGroupNonUniformQuadAllKHR %bool %yes\nOpStore %out %at4\nOpReturn", isa.QuadAll, false, false},
		{"sample", "", strings.ReplaceAll(strings.Replace(sampleAt, "%s", "at", 1), "%%", "%"), isa.ImageSample, false, false},
	} {
		f, err := buildFragment(fragmentText("%v3", c.modes, plainDecorations, "%yes = OpConstantTrue %bool\n"+image2D, c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := ir.Verify(f); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if f.Fragment.Discards != c.discards || f.Fragment.EarlyTests != c.early || len(f.Fragment.Inputs) != 3 {
			t.Errorf("%s: %+v", c.name, *f.Fragment)
		}
		if n := countOps(f, c.op); c.op != isa.Nop && n != 1 {
			t.Errorf("%s: %d of %s", c.name, n, c.op)
		}
		if n := countOps(f, isa.Export); (n == 0) != (c.name == "kill" || c.name == "terminate") {
			t.Errorf("%s: %d exports", c.name, n)
		}
	}
}

func countOps(f *ir.Func, op isa.Op) (n int) {
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if v.Op == op {
				n++
			}
		}
	}
	return n
}

// Shaders read from vertices and write to attachments numbers of 32 bits, integers or floats, alone or in vectors.
func TestNumbersOfFragments(t *testing.T) {
	const more = `OpCapability Int64
OpCapability Float64
OpCapability Int16
OpCapability Float16
OpCapability StorageInputOutput16
OpCapability DemoteToHelperInvocation`
	const types = image2D + `%uint = OpTypeInt 32 0
%short = OpTypeInt 16 0
%half = OpTypeFloat 16
%long = OpTypeInt 64 0
%double = OpTypeFloat 64
%h2 = OpTypeVector %half 2
%d2 = OpTypeVector %double 2
%u4 = OpTypeVector %uint 4
%i2 = OpTypeVector %int 2
`
	for of, fits := range map[string]bool{"%float": true, "%int": true, "%uint": true, "%v2": true, "%v4": true, "%u4": true, "%i2": true, "%half": false, "%short": false, "%long": false, "%double": false, "%h2": false, "%d2": false} {
		for what, text := range map[string]string{
			"input":  fragmentText(of, "", "OpDecorate %in Location 0\nOpDecorate %in Flat\nOpDecorate %out Location 0", types, "OpStore %out %at4\nOpReturn"),
			"output": strings.Replace(fragmentText("%v4", "", plainDecorations, types+"%some = OpUndef "+of, "OpStore %out %some\nOpReturn"), "%outp = OpTypePointer Output %v4", "%outp = OpTypePointer Output "+of, 1),
		} {
			f, err := buildFragment(strings.Replace(text, "OpCapability DemoteToHelperInvocation", more, 1))
			if (err == nil) != fits || err != nil && !errors.Is(err, validate.ErrUnsupported) {
				t.Errorf("%s of %s: %v", what, of, err)
			}
			if err == nil && ir.Verify(f) != nil {
				t.Errorf("%s of %s: %v", what, of, ir.Verify(f))
			}
		}
	}
}
