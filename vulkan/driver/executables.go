package driver

import (
	"fmt"
	"math"
	"strings"
	"unsafe"

	"spvsim/isa"
	"spvsim/vulkan/vk"
)

// VK_KHR_pipeline_executable_properties: a pipeline has one executable, its program of wave instructions.

// A statistic describes a number of a program.
type statistic struct{ name, description string }

var statistics = []statistic{
	{"Vector registers", "Registers of each lane, as occupancy counts them"},
	{"Scalar registers", "Registers of a wave, as occupancy counts them"},
	{"LDS bytes", "Local data share of a workgroup"},
	{"Scratch bytes", "Private memory of an invocation"},
	{"Instructions", "Wave instructions in the program"},
	{"Workgroups a compute unit", "Workgroups that fit on an empty compute unit"},
	{"Waves a compute unit", "Waves of these workgroups"},
}

// values are the statistics of a pipeline, in their order.
func (p *pipeline) values() []int {
	prog, groups := p.kernel.Program, p.kernel.Occupancy()
	lanes := int(prog.LocalSize[0] * prog.LocalSize[1] * prog.LocalSize[2])
	waves := (lanes + prog.WaveSize - 1) / prog.WaveSize
	return []int{prog.VectorRegs, prog.ScalarRegs, int(prog.LDSBytes), int(4 * prog.ScratchWords), len(prog.Insts), groups, groups * waves}
}

// compute is a pipeline with a kernel.
func compute(h vk.Pipeline) *pipeline {
	p := mustLookUp[*pipeline](uint64(h))
	if p.kernel == nil {
		fail(vk.ErrorUnknown, "an execution graph has no executables of its own")
	}
	return p
}

func GetPipelineExecutablePropertiesKHR(_ vk.Device, info *vk.PipelineInfoKHR, count *uint32, out *vk.PipelineExecutablePropertiesKHR) vk.Result {
	p := compute(info.Pipeline)
	if out == nil {
		*count = 1
		return vk.Success
	}
	if *count == 0 {
		return vk.Incomplete
	}
	*count = 1
	out.Stages, out.SubgroupSize = vk.ShaderStageComputeBit, uint32(p.kernel.Program.WaveSize)
	setText(out.Name[:], p.entry)
	setText(out.Description[:], fmt.Sprintf("wave%d program of %s", p.kernel.Program.WaveSize, p.device.physical.machine.Name))
	return vk.Success
}

func GetPipelineExecutableStatisticsKHR(_ vk.Device, info *vk.PipelineExecutableInfoKHR, count *uint32, out *vk.PipelineExecutableStatisticKHR) vk.Result {
	values := executable(info).values()
	if out == nil {
		*count = uint32(len(values))
		return vk.Success
	}
	list := items(out, *count)
	n := min(len(list), len(values))
	for i := range n {
		setText(list[i].Name[:], statistics[i].name)
		setText(list[i].Description[:], statistics[i].description)
		list[i].Format = vk.PipelineExecutableStatisticFormatUint64Khr
		list[i].Value[0] = uint64(values[i])
	}
	*count = uint32(n)
	if n < len(values) {
		return vk.Incomplete
	}
	return vk.Success
}

func executable(info *vk.PipelineExecutableInfoKHR) *pipeline {
	p := compute(info.Pipeline)
	if info.ExecutableIndex != 0 {
		fail(vk.ErrorUnknown, "executable %d: a pipeline has one", info.ExecutableIndex)
	}
	return p
}

// GetPipelineExecutableInternalRepresentationsKHR is vkGetPipelineExecutableInternalRepresentationsKHR: the listing.
func GetPipelineExecutableInternalRepresentationsKHR(_ vk.Device, info *vk.PipelineExecutableInfoKHR, count *uint32, out *vk.PipelineExecutableInternalRepresentationKHR) vk.Result {
	p := executable(info)
	if out == nil {
		*count = 1
		return vk.Success
	}
	if *count == 0 {
		return vk.Incomplete
	}
	*count = 1
	setText(out.Name[:], "listing")
	setText(out.Description[:], "wave instructions, with the ids of SPIR-V that they come from")
	out.IsText = 1
	list := p.listing()
	size := uint64(len(list)) + 1
	if out.PData == nil {
		out.DataSize = size
		return vk.Success
	}
	space := unsafe.Slice((*byte)(out.PData), min(out.DataSize, math.MaxInt32))
	if len(space) > 0 {
		setText(space[:min(len(space), int(size))], list)
	}
	if out.DataSize < size {
		return vk.Incomplete
	}
	out.DataSize = size
	return vk.Success
}

// listing is the program as text.
func (p *pipeline) listing() string {
	var b strings.Builder
	for i := range p.kernel.Program.Insts {
		in := &p.kernel.Program.Insts[i]
		fmt.Fprintf(&b, "%6d %8s %-12s %s\n", i, fmt.Sprintf("%%%d", in.SPIRV), isa.ClassNames[in.Class], isa.Disasm(in))
	}
	return b.String()
}
