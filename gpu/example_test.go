package gpu_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
)

// A shader that multiplies each float of a buffer by a push constant, as text; a .spv file's bytes do as well.
const scaleShader = `; SPIR-V
; Version: 1.0
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %id
               OpExecutionMode %main LocalSize 64 1 1
               OpDecorate %id BuiltIn GlobalInvocationId
               OpDecorate %floats ArrayStride 4
               OpDecorate %data BufferBlock
               OpMemberDecorate %data 0 Offset 0
               OpDecorate %v DescriptorSet 0
               OpDecorate %v Binding 0
               OpDecorate %push Block
               OpMemberDecorate %push 0 Offset 0
       %void = OpTypeVoid
       %func = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
      %uint3 = OpTypeVector %uint 3
     %floats = OpTypeRuntimeArray %float
       %data = OpTypeStruct %floats
       %push = OpTypeStruct %float
  %in_uint3 = OpTypePointer Input %uint3
   %in_uint = OpTypePointer Input %uint
   %to_data = OpTypePointer Uniform %data
  %to_float = OpTypePointer Uniform %float
   %to_push = OpTypePointer PushConstant %push
 %to_factor = OpTypePointer PushConstant %float
          %0 = OpConstant %uint 0
         %id = OpVariable %in_uint3 Input
          %v = OpVariable %to_data Uniform
          %p = OpVariable %to_push PushConstant
       %main = OpFunction %void None %func
      %entry = OpLabel
         %at = OpAccessChain %in_uint %id %0
          %i = OpLoad %uint %at
     %factor = OpAccessChain %to_factor %p %0
          %f = OpLoad %float %factor
    %element = OpAccessChain %to_float %v %0 %i
          %x = OpLoad %float %element
          %y = OpFMul %float %x %f
               OpStore %element %y
               OpReturn
               OpFunctionEnd
`

const scaleJob = `
shader: scale.spvasm
parameters: {n: 256}
buffers:
  - {set: 0, binding: 0, name: v, data: {iota: f32, count: n}}
push_constants: [{f32: 0.5}]
dispatch: [n / 64]
`

// Run takes a machine and a job, and gives statistics and the buffers at the end. Files of the job are looked up in a file system: here
// one in memory.
func ExampleRun() {
	files := fstest.MapFS{"job.yaml": {Data: []byte(scaleJob)}, "scale.spvasm": {Data: []byte(scaleShader)}}
	job, err := config.LoadJobWith(files, "job.yaml", []string{"n=1024"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var cycles []uint64
	for _, slots := range []string{"2", "16"} {
		machine, err := config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx", Job: job, Set: []string{"compute_units=1", "shader_engines=1", "wave_slots=" + slots}})
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := gpu.Run(context.Background(), gpu.Setup{Machine: machine, Job: job})
		if err != nil {
			fmt.Println(err)
			return
		}
		last := result.Buffers[0].Bytes[4*1023:]
		fmt.Printf("%s wave slots: %d waves, %d instructions, v[1023] = %g\n", slots, result.Stats.Waves, result.Stats.Instructions(),
			math.Float32frombits(binary.LittleEndian.Uint32(last)))
		cycles = append(cycles, result.Stats.Cycles)
	}
	fmt.Println("fewer slots take longer:", cycles[0] > cycles[1])
	// Output:
	// 2 wave slots: 32 waves, 320 instructions, v[1023] = 511.5
	// 16 wave slots: 32 waves, 320 instructions, v[1023] = 511.5
	// fewer slots take longer: true
}
