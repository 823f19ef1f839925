package gpu

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"
)

// A matrix goes from a physical address to LDS, from there to registers, and to another physical address, through pointers to
// scalars and to vectors, with strides that a push constant gives.
const pointerText = `; Version: 1.6
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability PhysicalStorageBufferAddresses
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel PhysicalStorageBuffer64 Vulkan
OpEntryPoint GLCompute %%main "main" %%push %%tile
OpExecutionMode %%main LocalSize %[1]d 1 1
OpDecorate %%block Block
OpMemberDecorate %%block 0 Offset 0
OpMemberDecorate %%block 1 Offset 8
OpMemberDecorate %%block 2 Offset 16
OpMemberDecorate %%block 3 Offset 20
OpMemberDecorate %%block 4 Offset 24
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%u32 = OpTypeInt 32 0
%%f16 = OpTypeFloat 16
%%u32x4 = OpTypeVector %%u32 4
%%f16x2 = OpTypeVector %%f16 2
%%p_from = OpTypePointer PhysicalStorageBuffer %%%[2]s
%%p_to = OpTypePointer PhysicalStorageBuffer %%%[4]s
%%block = OpTypeStruct %%p_from %%p_to %%u32 %%u32 %%u32
%%p_block = OpTypePointer PushConstant %%block
%%pp_from = OpTypePointer PushConstant %%p_from
%%pp_to = OpTypePointer PushConstant %%p_to
%%pp_u32 = OpTypePointer PushConstant %%u32
%%c0 = OpConstant %%u32 0
%%c1 = OpConstant %%u32 1
%%c2 = OpConstant %%u32 2
%%c3 = OpConstant %%u32 3
%%c4 = OpConstant %%u32 4
%%c32 = OpConstant %%u32 32
%%order = OpConstant %%u32 0x108
%%words = OpConstant %%u32 %[5]d
%%array = OpTypeArray %%%[3]s %%words
%%p_array = OpTypePointer Workgroup %%array
%%p_tile = OpTypePointer Workgroup %%%[3]s
%%T = OpTypeCooperativeMatrixKHR %%f16 %%c3 %%c32 %%c32 %%c%[6]d
%%push = OpVariable %%p_block PushConstant
%%tile = OpVariable %%p_array Workgroup
%%main = OpFunction %%void None %%fn
%%start = OpLabel
%%a_from = OpAccessChain %%pp_from %%push %%c0
%%a_to = OpAccessChain %%pp_to %%push %%c1
%%a_sf = OpAccessChain %%pp_u32 %%push %%c2
%%a_st = OpAccessChain %%pp_u32 %%push %%c3
%%a_sl = OpAccessChain %%pp_u32 %%push %%c4
%%from = OpLoad %%p_from %%a_from
%%to = OpLoad %%p_to %%a_to
%%sf = OpLoad %%u32 %%a_sf
%%st = OpLoad %%u32 %%a_st
%%sl = OpLoad %%u32 %%a_sl
%%in_lds = OpAccessChain %%p_tile %%tile %%c1
%%m = OpCooperativeMatrixLoadKHR %%T %%from %%c%[7]d %%sf Aligned|NonPrivatePointer 16
OpCooperativeMatrixStoreKHR %%in_lds %%m %%c%[8]d %%sl NonPrivatePointer
OpControlBarrier %%c2 %%c2 %%order
%%n = OpCooperativeMatrixLoadKHR %%T %%in_lds %%c%[8]d %%sl NonPrivatePointer
OpCooperativeMatrixStoreKHR %%to %%n %%c%[9]d %%st Aligned|NonPrivatePointer 16
OpReturn
OpFunctionEnd
`

// elementsOf a pointee.
var elementsOf = map[string]int{"f16": 1, "f16x2": 2, "u32x4": 8}

func TestMatrixThroughPointersOfEveryKind(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i, m := range matrixMachines {
		for n := range 24 {
			if testing.Short() && n%4 != i%4 {
				continue
			}
			use, wave := n%3, m.waves[n%len(m.waves)]
			pick := func(i int) string { return []string{"f16", "f16x2", "u32x4"}[i%3] }
			pointees := []string{pick(n / 3), pick(n / 9), pick(n/3 + n/9 + 1)} // from, LDS, to
			columns := []int{n & 1, n >> 1 & 1, n >> 2 & 1}
			strides := []int{32 + 8*r.IntN(3), 32 + 8*r.IntN(3), 32 + 8*r.IntN(3)}
			in := make([]byte, 2*32*strides[0])
			for i := 0; i < len(in); i += 2 {
				binary.LittleEndian.PutUint16(in[i:], uint16(r.Uint32()))
			}
			text := fmt.Sprintf(pointerText, wave, pointees[0], pointees[1], pointees[2], 1+32*strides[1]/elementsOf[pointees[1]], use, columns[0], columns[1], columns[2])
			if got, want := throughPointers(t, text, m.name, wave, m.set, pointees, strides, in), moved(in, columns, strides); !bytes.Equal(got, want) {
				t.Fatalf("%s, wave%d, use %d, pointers to %v, columns %v, strides %v: another matrix", m.name, wave, use, pointees, columns, strides)
			}
		}
	}
}

// moved is what the shader makes of a buffer: rows and columns as the layouts say.
func moved(in []byte, columns, strides []int) []byte {
	out := make([]byte, 2*32*strides[2])
	at := func(k, row, column int) int {
		if columns[k] == 1 {
			row, column = column, row
		}
		return 2 * (row*strides[k] + column)
	}
	for row := range 32 {
		for column := range 32 {
			copy(out[at(2, row, column):][:2], in[at(0, row, column):])
		}
	}
	return out
}

func throughPointers(t *testing.T, text, machine string, wave int, set, pointees []string, strides []int, in []byte) []byte {
	t.Helper()
	files := fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(text)}, "in": &fstest.MapFile{Data: in}}
	with := setupBeside(t, files, fmt.Sprintf(`shader: m.spvasm
buffers:
  - {unbound: true, name: from, data: {file: in}}
  - {unbound: true, name: to, data: {zero: %d}}
push_constants: [{address: from}, {address: to}, {u32: %d}, {u32: %d}, {u32: %d}]
dispatch: [1]
`, 2*32*strides[2], strides[0]/elementsOf[pointees[0]], strides[2]/elementsOf[pointees[2]], strides[1]/elementsOf[pointees[1]]), machine, append([]string{fmt.Sprintf("wave_size=%d", wave)}, set...)...)
	result, err := Run(context.Background(), with)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return result.named("to")
}
