package validate

import (
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
)

// divergenceCode has values whose names tell their divergence: d and a number differ between the lanes of a workgroup,
// s and a number are the same, as far as is known before the run.
const divergenceCode = `%d0 = OpLoad %uint %lane
%s0 = OpLoad %uint %group
%d1 = OpIAdd %uint %d0 %s0
%s1 = OpIAdd %uint %s0 %u1
%d2 = OpBitwiseAnd %uint %u1 %d0
%odd = OpIEqual %bool %d2 %u1
%even = OpIEqual %bool %s1 %u1
OpStore %a %d0
OpStore %b %s0
%d3 = OpLoad %uint %a
%s2 = OpLoad %uint %b
%at0 = OpAccessChain %local %list %d0
%at1 = OpAccessChain %local %list %u1
%d4 = OpLoad %uint %at0
OpStore %at1 %d0
%s3 = OpLoad %uint %at1
%in0 = OpAccessChain %word %buffer %u0 %d0
%s4 = OpLoad %uint %in0
%d5 = OpAtomicIAdd %uint %in0 %u1 %u0 %u1
%s5 = OpAtomicLoad %uint %in0 %u1 %u0
%d6 = OpFunctionCall %uint %same %d0
%d7 = OpCompositeConstruct %pair %s0 %d0
%d8 = OpCompositeExtract %uint %d7 1
%s6 = OpCompositeConstruct %pair %s0 %u1
%s7 = OpCompositeExtract %uint %s6 1
%d9 = OpVectorExtractDynamic %uint %s6 %d0
%d10 = OpCompositeInsert %pair %d0 %s6 0
%d11 = OpVectorShuffle %pair %s6 %d7 0 1
%s8 = OpVectorShuffle %pair %s6 %s6 2 3
%d12 = OpConvertUToF %float %d0
OpSelectionMerge %join None
OpBranchConditional %odd %yes %no
%yes = OpLabel
OpStore %e %u1
%s9 = OpIAdd %uint %s0 %u1
OpBranch %join
%no = OpLabel
OpBranch %join
%join = OpLabel
%d13 = OpPhi %uint %u0 %yes %u1 %no
%s10 = OpPhi %uint %u1 %yes %u1 %no
%d14 = OpLoad %uint %e
OpSelectionMerge %meet None
OpBranchConditional %even %left %right
%left = OpLabel
OpStore %f %u1
OpBranch %meet
%right = OpLabel
OpBranch %meet
%meet = OpLabel
%s11 = OpPhi %uint %u0 %left %u1 %right
%d15 = OpPhi %uint %u0 %left %d1 %right
%s12 = OpLoad %uint %f
OpBranch %loop
%loop = OpLabel
%s13 = OpPhi %uint %u0 %meet %s14 %cont
OpLoopMerge %out %cont None
OpBranchConditional %even %body %out
%body = OpLabel
%s14 = OpIAdd %uint %s13 %u1
%past = OpULessThan %bool %s14 %d0
OpBranchConditional %past %cont %out
%cont = OpLabel
OpBranch %loop
%out = OpLabel
%d16 = OpPhi %uint %s13 %body %s0 %loop
%s15 = OpFunctionCall %uint %other %s0
%d17 = OpGroupNonUniformElect %bool %u3
OpStore %g %u1
%s16 = OpLoad %uint %g`

const divergenceFunctions = `%same = OpFunction %uint None %take
%d20 = OpFunctionParameter %uint
%same0 = OpLabel
OpReturnValue %d20
OpFunctionEnd
%other = OpFunction %uint None %take
%s20 = OpFunctionParameter %uint
%other0 = OpLabel
%s21 = OpIMul %uint %s20 %s20
OpReturnValue %s21
OpFunctionEnd`

// divergenceOf solves a module's only entry point, and gives ids by name.
func divergenceOf(t *testing.T, text string) (*divergence, *Module, map[string]spirv.ID) {
	t.Helper()
	var names strings.Builder
	for _, line := range strings.Split(text, "\n") {
		if name, rest, ok := strings.Cut(line, " = "); ok && !strings.HasPrefix(rest, "OpType") {
			names.WriteString("OpName " + name + " \"" + name[1:] + "\"\n")
		}
	}
	m := suite.Must(Check(assemble(t, strings.Replace(text, "OpDecorate", names.String()+"OpDecorate", 1))))(t)
	ids := map[string]spirv.ID{}
	for _, in := range m.Raw.Instructions {
		if in.Op == spirv.OpName {
			name, _ := spirv.DecodeString(in.Operands[1:])
			ids[name] = spirv.ID(in.Operands[0])
		}
	}
	c := &extension{Module: m}
	d := &divergence{m: m, tree: c.callTree(m.EntryPoints[0].Func), values: make([]bool, m.Raw.Bound), blocks: map[spirv.ID][]bool{}}
	d.solve()
	return d, m, ids
}

// Divergence follows from divergent values, through values, variables, calls and branches, and from nothing else.
// Unknown values count as uniform.
func TestDivergence(t *testing.T) {
	types := `%pair = OpTypeVector %uint 2
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%list4 = OpTypeArray %uint %u4
%local = OpTypePointer Function %uint
%plist = OpTypePointer Function %list4
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%word = OpTypePointer StorageBuffer %uint
%pin = OpTypePointer Input %uint
%take = OpTypeFunction %uint %uint
%lane = OpVariable %pin Input
%group = OpVariable %pin Input
%buffer = OpVariable %pblock StorageBuffer`
	decorations := "OpDecorate %lane BuiltIn LocalInvocationIndex\nOpDecorate %group BuiltIn NumSubgroups\nOpDecorate %words ArrayStride 4\nOpMemberDecorate %block 0 Offset 0\n" +
		"OpDecorate %block Block\nOpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0"
	vars := ""
	for _, name := range []string{"a", "b", "e", "f", "g"} {
		vars += "%" + name + " = OpVariable %local Function\n"
	}
	vars += "%list = OpVariable %plist Function"
	text := withParts("CAPS", "OpCapability GroupNonUniform", "MODES", decorations, "TYPES", types, "VARS", vars, "CODE", divergenceCode, "FUNCTIONS", divergenceFunctions)
	text = strings.NewReplacer(`%main "main"`, `%main "main" %lane %group %buffer`, "LocalSize 1 1 1", "LocalSize 64 1 1").Replace(text)
	d, m, ids := divergenceOf(t, text)
	for name, id := range ids {
		if len(name) < 2 || !strings.ContainsAny(name[1:2], "0123456789") || name[0] != 'd' && name[0] != 's' {
			continue
		}
		if d.values[id] != (name[0] == 'd') {
			t.Errorf("%s differs: %t", name, d.values[id])
		}
	}
	f := m.Function(m.EntryPoints[0].Func)
	var apart []string
	for i, b := range f.Blocks {
		if d.blocks[f.ID][i] {
			for name, id := range ids {
				if id == b.ID {
					apart = append(apart, name)
				}
			}
		}
	}
	slices.Sort(apart)
	if want := []string{"body", "cont", "no", "yes"}; !slices.Equal(apart, want) {
		t.Errorf("blocks that lanes reach apart: %v, want %v", apart, want)
	}
}
