package gpu

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/isa"
)

// tableEntry is entry i of the tables below.
func tableEntry(i int) uint32 { return uint32(i*2654435761 + i) }

// tableModule adds up 16 entries, or places among so many as there are entries, of a table of words: an array of
// constants in a variable of the class, or a buffer.
func tableModule(size int, class string) string {
	var b strings.Builder
	var ids []string
	for i := range size {
		fmt.Fprintf(&b, "%%e%d = OpConstant %%uint %d\n", i, tableEntry(i))
		ids = append(ids, fmt.Sprintf("%%e%d", i))
	}
	private, function, pointer, interfaces := "", "", "%ptr", ""
	switch class {
	case "Function":
		function = "%tab = OpVariable %ptr_array Function %table\n"
	case "Private":
		private, interfaces = "%tab = OpVariable %ptr_array Private %table\n", " %tab"
	case "stored":
		class, function = "Function", "%tab = OpVariable %ptr_array Function\nOpStore %tab %table\n"
	case "StorageBuffer":
		private, interfaces = "%tab = OpVariable %ptr_block StorageBuffer\n", " %tab"
	}
	chain := "%at = OpAccessChain " + pointer + " %tab %i\n"
	if class == "StorageBuffer" {
		chain = "%at = OpAccessChain " + pointer + " %tab %c0 %i\n"
	}
	return `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %out %in` + interfaces + `
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %rt ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in NonWritable
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
` + map[bool]string{true: "OpDecorate %tab NonWritable\nOpDecorate %tab DescriptorSet 0\nOpDecorate %tab Binding 2\n"}[class == "StorageBuffer"] + `%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%rt = OpTypeRuntimeArray %uint
%block = OpTypeStruct %rt
%ptr_block = OpTypePointer StorageBuffer %block
%pbuf = OpTypePointer StorageBuffer %uint
%pin = OpTypePointer Input %v3
%id = OpVariable %pin Input
%in = OpVariable %ptr_block StorageBuffer
%out = OpVariable %ptr_block StorageBuffer
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c16 = OpConstant %uint 16
%size = OpConstant %uint ` + fmt.Sprint(size) + `
%array = OpTypeArray %uint %size
%ptr_array = OpTypePointer ` + class + ` %array
%ptr = OpTypePointer ` + class + ` %uint
` + b.String() + `%table = OpConstantComposite %array ` + strings.Join(ids, " ") + `
` + private + `%main = OpFunction %void None %fn
%start = OpLabel
` + function + `%gid = OpLoad %v3 %id
%x = OpCompositeExtract %uint %gid 0
%pi = OpAccessChain %pbuf %in %c0 %x
%first = OpLoad %uint %pi
OpBranch %loop
%loop = OpLabel
%k = OpPhi %uint %c0 %start %k1 %next
%sum = OpPhi %uint %c0 %start %s1 %next
%place = OpPhi %uint %first %start %s1 %next
%go = OpULessThan %bool %k %c16
OpLoopMerge %end %next DontUnroll
OpBranchConditional %go %body %end
%body = OpLabel
%i = OpUMod %uint %place %size
` + chain + `%entry = OpLoad %uint %at
%s1 = OpIAdd %uint %sum %entry
OpBranch %next
%next = OpLabel
%k1 = OpIAdd %uint %k %c1
OpBranch %loop
%end = OpLabel
%po = OpAccessChain %pbuf %out %c0 %x
OpStore %po %sum
OpReturn
OpFunctionEnd
`
}

func runTable(t *testing.T, machine string, size int, class string) *Result {
	t.Helper()
	var values []string
	for i := range size {
		values = append(values, fmt.Sprint(tableEntry(i)))
	}
	job := `shader: table.spvasm
buffers:
  - {set: 0, binding: 0, name: in, data: {iota: u32, count: 16384}}
  - {set: 0, binding: 1, name: out, data: {zero: 65536}}
  - {set: 0, binding: 2, name: table, data: {type: u32, values: [` + strings.Join(values, ", ") + `]}}
dispatch: [256, 1, 1]
`
	files := fstest.MapFS{"table.spvasm": {Data: []byte(tableModule(size, class))}}
	r, err := Run(context.Background(), setupBeside(t, files, job, machine))
	if err != nil {
		t.Fatalf("%s of %d: %v", class, size, err)
	}
	return r
}

// An array of constants that is indexed costs what a buffer with the same words costs, and gives the same; no lane
// writes it to scratch first.
func TestConstantTables(t *testing.T) {
	machines := []string{"gcn3-r9nano", "rdna3-rx7900xtx", "cdna3-mi300a"}
	if testing.Short() {
		machines = machines[:1]
	}
	for _, machine := range machines {
		for _, size := range []int{16, 256, 1024} {
			buffer := runTable(t, machine, size, "StorageBuffer")
			for _, class := range []string{"Function", "Private", "stored"} {
				r := runTable(t, machine, size, class)
				if !bytes.Equal(r.Buffers[1].Bytes, buffer.Buffers[1].Bytes) {
					t.Errorf("%s: %s of %d: other sums than with a buffer", machine, class, size)
				}
				if limit := buffer.Stats.Cycles + buffer.Stats.Cycles/10; r.Stats.Cycles > limit {
					t.Errorf("%s: %s of %d: %d cycles, with a buffer %d", machine, class, size, r.Stats.Cycles, buffer.Stats.Cycles)
				}
				p := r.Listings[0].Program
				if p.ScratchWords != 0 || len(p.Constants) != 4*size {
					t.Errorf("%s: %s of %d: %d words of scratch, %d bytes of constants", machine, class, size, p.ScratchWords, len(p.Constants))
				}
			}
		}
	}
}

// Few constants are chosen among.
func TestSmallConstantTables(t *testing.T) {
	for _, size := range []int{2, 3, 4} {
		buffer, r := runTable(t, "rdna2-rx6800xt", size, "StorageBuffer"), runTable(t, "rdna2-rx6800xt", size, "Function")
		if !bytes.Equal(r.Buffers[1].Bytes, buffer.Buffers[1].Bytes) {
			t.Errorf("%d: other sums than with a buffer", size)
		}
		p := r.Listings[0].Program
		selects := 0
		for i := range p.Insts {
			if p.Insts[i].Op == isa.Select {
				selects++
			}
		}
		if p.ScratchWords != 0 || len(p.Constants) != 0 || selects < size-1 {
			t.Errorf("%d: %d words of scratch, %d bytes of constants, %d selections", size, p.ScratchWords, len(p.Constants), selects)
		}
	}
}
