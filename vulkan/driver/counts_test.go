package driver

import (
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"spvsim/internal/suite"
	"spvsim/vulkan/vk"
)

// A countRig calls commands with numbers of any size.
type countRig struct {
	*transferRig
	h       vk.Device
	layouts []vk.DescriptorSetLayout
	pools   []vk.DescriptorPool
	sets    []vk.DescriptorSet
	image   vk.Image
	bytes   vk.Buffer
	times   vk.QueryPool
}

// wide draws a number of some bits: small ones, powers of two and their neighbours, and the largest.
func (g *countRig) wide(bits int) uint64 {
	most := uint64(math.MaxUint64) >> (64 - bits)
	power := uint64(1) << g.r.IntN(bits)
	return []uint64{g.r.Uint64N(5), g.r.Uint64N(5), power, power - 1, power + 1, most, most - g.r.Uint64N(5), g.r.Uint64() & most}[g.r.IntN(8)] & most
}

func (g *countRig) n() uint32 { return uint32(g.wide(32)) }

// oneOf returns a random element, or the zero value of an empty list.
func oneOf[T any](r *rand.Rand, list []T) (x T) {
	if len(list) > 0 {
		x = list[r.IntN(len(list))]
	}
	return x
}

// calls are of one command each.
func (g *countRig) calls() map[string]func() {
	return map[string]func(){
		"layout": func() {
			bindings := make([]vk.DescriptorSetLayoutBinding, 1+g.r.IntN(3))
			flags := make([]vk.DescriptorBindingFlags, len(bindings))
			for i := range bindings {
				kind := []vk.DescriptorType{vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeStorageImage, vk.DescriptorTypeInlineUniformBlock, vk.DescriptorTypeUniformBufferDynamic}[g.r.IntN(4)]
				bindings[i] = vk.DescriptorSetLayoutBinding{Binding: g.n(), DescriptorType: kind, DescriptorCount: g.n(), StageFlags: vk.ShaderStageFlags(vk.ShaderStageComputeBit)}
				flags[i] = vk.DescriptorBindingFlags(vk.DescriptorBindingVariableDescriptorCountBit) * vk.DescriptorBindingFlags(g.r.IntN(2))
			}
			also := vk.DescriptorSetLayoutBindingFlagsCreateInfo{SType: vk.StructureTypeDescriptorSetLayoutBindingFlagsCreateInfo, BindingCount: uint32(len(flags)), PBindingFlags: &flags[0]}
			info := vk.DescriptorSetLayoutCreateInfo{PNext: unsafe.Pointer(&also), BindingCount: uint32(len(bindings)), PBindings: &bindings[0]}
			if g.r.IntN(4) == 0 {
				info.Flags = vk.DescriptorSetLayoutCreateFlags(vk.DescriptorSetLayoutCreatePushDescriptorBit)
			}
			var l vk.DescriptorSetLayout
			CreateDescriptorSetLayout(g.h, &info, nil, &l)
			g.layouts = append(g.layouts, l)
		},
		"pool": func() {
			sizes := []vk.DescriptorPoolSize{{Type: vk.DescriptorTypeStorageBuffer, DescriptorCount: g.n()}, {Type: vk.DescriptorTypeStorageImage, DescriptorCount: g.n()}, {Type: vk.DescriptorTypeInlineUniformBlock, DescriptorCount: g.n()}}
			var p vk.DescriptorPool
			CreateDescriptorPool(g.h, &vk.DescriptorPoolCreateInfo{MaxSets: g.n(), PoolSizeCount: 3, PPoolSizes: &sizes[0]}, nil, &p)
			g.pools = append(g.pools, p)
		},
		"sets": func() {
			n := 1 + g.r.IntN(4)
			layouts, counts, out := make([]vk.DescriptorSetLayout, n), make([]uint32, n), make([]vk.DescriptorSet, n)
			for i := range layouts {
				layouts[i], counts[i] = oneOf(g.r, g.layouts), g.n()
			}
			also := vk.DescriptorSetVariableDescriptorCountAllocateInfo{SType: vk.StructureTypeDescriptorSetVariableDescriptorCountAllocateInfo, DescriptorSetCount: uint32(n), PDescriptorCounts: &counts[0]}
			info := vk.DescriptorSetAllocateInfo{DescriptorSetCount: uint32(n), PSetLayouts: &layouts[0], PNext: unsafe.Pointer(&also)}
			p, result := oneOf(g.r, g.pools), vk.ErrorUnknown
			pool, there := lookUp[*descriptorPool](uint64(p))
			if info.DescriptorPool = p; there {
				before, used := len(pool.sets), g.d.heap.host.used
				defer func() {
					if result != vk.Success && (len(pool.sets) != before || g.d.heap.host.used != used) {
						g.t.Errorf("a call that failed leaves %d sets and %d bytes, of %d and %d", len(pool.sets), g.d.heap.host.used, before, used)
					}
				}()
			}
			if result = AllocateDescriptorSets(g.h, &info, &out[0]); result == vk.Success {
				g.sets = append(g.sets, out...)
			}
		},
		"write": func() {
			info := vk.DescriptorBufferInfo{Buffer: g.bytes, Offset: g.wide(64), Range: g.wide(64)}
			UpdateDescriptorSets(g.h, 1, &vk.WriteDescriptorSet{DstSet: oneOf(g.r, g.sets), DstBinding: g.n(), DstArrayElement: g.n(), DescriptorCount: 1, DescriptorType: vk.DescriptorTypeStorageBuffer, PBufferInfo: &info}, 0, nil)
		},
		"copy sets": func() {
			c := vk.CopyDescriptorSet{SrcSet: oneOf(g.r, g.sets), DstSet: oneOf(g.r, g.sets), SrcBinding: g.n(), DstBinding: g.n(), SrcArrayElement: g.n(), DstArrayElement: g.n(), DescriptorCount: g.n()}
			UpdateDescriptorSets(g.h, 0, nil, 1, &c)
		},
		"reset pool": func() { ResetDescriptorPool(g.h, oneOf(g.r, g.pools), 0) },
		"template": func() {
			var x vk.DescriptorUpdateTemplate
			var entries [4]vk.DescriptorUpdateTemplateEntry
			if n := g.n(); n <= 4 || n > maxDescriptors {
				CreateDescriptorUpdateTemplate(g.h, &vk.DescriptorUpdateTemplateCreateInfo{DescriptorUpdateEntryCount: n, PDescriptorUpdateEntries: &entries[0]}, nil, &x)
			}
		},
		"command buffers": func() {
			var out [4]vk.CommandBuffer
			pool := mustLookUp[*commandBuffer](uint64(g.buffer)).pool.object.handle
			if n := g.n(); n <= 4 || n > mostCommandBuffers {
				AllocateCommandBuffers(g.h, &vk.CommandBufferAllocateInfo{CommandPool: vk.CommandPool(pool), CommandBufferCount: n}, &out[0])
			}
		},
		"pipeline layout": func() {
			var l vk.PipelineLayout
			set := oneOf(g.r, g.layouts)
			sets := g.n()
			if sets > 1 && sets <= maxSets {
				sets = 1
			}
			CreatePipelineLayout(g.h, &vk.PipelineLayoutCreateInfo{SetLayoutCount: sets, PSetLayouts: &set, PushConstantRangeCount: 1, PPushConstantRanges: &vk.PushConstantRange{Offset: g.n(), Size: g.n()}}, nil, &l)
		},
		"queries": func() {
			var q vk.QueryPool
			index := g.n() % 20
			counts := vk.QueryPoolPerformanceCreateInfoKHR{SType: vk.StructureTypeQueryPoolPerformanceCreateInfoKhr, CounterIndexCount: 1, PCounterIndices: &index}
			info := vk.QueryPoolCreateInfo{QueryType: vk.QueryTypeTimestamp, QueryCount: g.n()}
			if g.r.IntN(2) == 0 {
				info.QueryType, info.PNext = vk.QueryTypePerformanceQueryKhr, unsafe.Pointer(&counts)
			}
			if CreateQueryPool(g.h, &info, nil, &q) == vk.Success && g.r.IntN(2) == 0 {
				DestroyQueryPool(g.h, q, nil)
			}
		},
		"results": func() {
			var to [64]byte
			GetQueryPoolResults(g.h, g.times, g.n(), g.n(), g.r.Uint64N(65), unsafe.Pointer(&to[0]), g.wide(64), vk.QueryResultFlags(g.r.IntN(16))&^vk.QueryResultFlags(vk.QueryResultWaitBit))
		},
		"memory": func() {
			var m vk.DeviceMemory
			if AllocateMemory(g.h, &vk.MemoryAllocateInfo{AllocationSize: g.wide(64), MemoryTypeIndex: g.n() % 4}, nil, &m) == vk.Success {
				var at unsafe.Pointer
				defer FreeMemory(g.h, m, nil)
				MapMemory(g.h, m, g.wide(64), g.wide(64), 0, &at)
			}
		},
		"buffer": func() {
			var b vk.Buffer
			var need vk.MemoryRequirements2
			info := vk.BufferCreateInfo{Size: g.wide(64), Usage: anyUsage}
			if CreateBuffer(g.h, &info, nil, &b) == vk.Success {
				var v vk.BufferView
				CreateBufferView(g.h, &vk.BufferViewCreateInfo{Buffer: b, Format: vk.FormatR8Uint, Offset: g.wide(64), Range: g.wide(64)}, nil, &v)
			}
			GetDeviceBufferMemoryRequirements(g.h, &vk.DeviceBufferMemoryRequirements{PCreateInfo: &info}, &need)
			if need.MemoryRequirements.Size < info.Size {
				g.t.Errorf("a buffer of %d bytes needs %d", info.Size, need.MemoryRequirements.Size)
			}
		},
		"image": func() {
			var i vk.Image
			info := vk.ImageCreateInfo{ImageType: vk.ImageType(g.r.IntN(3)), Format: vk.FormatR8Uint, Extent: vk.Extent3D{Width: g.n(), Height: g.n(), Depth: g.n()}, MipLevels: g.n(), ArrayLayers: g.n(), Samples: vk.SampleCountFlagBits(g.n()), Usage: vk.ImageUsageFlags(vk.ImageUsageTransferDstBit)}
			if CreateImage(g.h, &info, nil, &i) == vk.Success {
				var at vk.SubresourceLayout
				defer DestroyImage(g.h, i, nil)
				GetImageSubresourceLayout(g.h, i, &vk.ImageSubresource{MipLevel: g.n(), ArrayLayer: g.n()}, &at)
			}
		},
		"view": func() {
			var v vk.ImageView
			r := vk.ImageSubresourceRange{BaseMipLevel: g.n(), LevelCount: g.n(), BaseArrayLayer: g.n(), LayerCount: g.n()}
			CreateImageView(g.h, &vk.ImageViewCreateInfo{Image: g.image, ViewType: vk.ImageViewType2dArray, Format: vk.FormatR32Uint, SubresourceRange: r}, nil, &v)
		},
		"module": func() {
			code := []uint32{0x07230203}
			var m vk.ShaderModule
			CreateShaderModule(g.h, &vk.ShaderModuleCreateInfo{CodeSize: []uint64{0, 3, 4, 1 << 63, math.MaxUint64 - 3}[g.r.IntN(5)], PCode: &code[0]}, nil, &m)
		},
		"cache": func() {
			var data [8]byte
			var c vk.PipelineCache
			CreatePipelineCache(g.h, &vk.PipelineCacheCreateInfo{InitialDataSize: []uint64{0, 8, 1 << 63, math.MaxUint64}[g.r.IntN(4)], PInitialData: unsafe.Pointer(&data[0])}, nil, &c)
		},
		"constants": func() {
			data := make([]byte, 8)
			specialization(&vk.SpecializationInfo{MapEntryCount: 1, PMapEntries: &vk.SpecializationMapEntry{ConstantID: g.n(), Offset: g.n(), Size: g.wide(64)}, DataSize: 8, PData: unsafe.Pointer(&data[0])})
		},
		"commands": func() {
			BeginCommandBuffer(g.buffer, &vk.CommandBufferBeginInfo{})
			defer EndCommandBuffer(g.buffer)
			oneOf(g.r, g.commands())()
		},
	}
}

// commands record one command each.
func (g *countRig) commands() []func() {
	b := g.buffer
	layers := vk.ImageSubresourceLayers{MipLevel: g.n(), BaseArrayLayer: g.n(), LayerCount: g.n()}
	at, extent := vk.Offset3D{X: int32(g.n()), Y: int32(g.n()), Z: int32(g.n())}, vk.Extent3D{Width: g.n(), Height: g.n(), Depth: g.n()}
	region := vk.BufferImageCopy{BufferOffset: g.wide(64), BufferRowLength: g.n(), BufferImageHeight: g.n(), ImageSubresource: layers, ImageOffset: at, ImageExtent: extent}
	return []func(){
		func() { CmdFillBuffer(b, g.bytes, g.wide(64), g.wide(64), 1) },
		func() {
			CmdCopyBuffer(b, g.bytes, g.bytes, 1, &vk.BufferCopy{SrcOffset: g.wide(64), DstOffset: g.wide(64), Size: g.wide(64)})
		},
		func() {
			var data [1 << 16]byte
			CmdUpdateBuffer(b, g.bytes, g.wide(64), g.wide(64), unsafe.Pointer(&data[0]))
		},
		func() { CmdCopyBufferToImage(b, g.bytes, g.image, vk.ImageLayoutGeneral, 1, &region) },
		func() { CmdCopyImageToBuffer(b, g.image, vk.ImageLayoutGeneral, g.bytes, 1, &region) },
		func() {
			CmdCopyImage(b, g.image, vk.ImageLayoutGeneral, g.image, vk.ImageLayoutGeneral, 1, &vk.ImageCopy{SrcSubresource: layers, DstSubresource: layers, SrcOffset: at, DstOffset: at, Extent: extent})
		},
		func() {
			CmdClearColorImage(b, g.image, vk.ImageLayoutGeneral, &vk.ClearColorValue{}, 1, &vk.ImageSubresourceRange{BaseMipLevel: g.n(), LevelCount: g.n(), BaseArrayLayer: g.n(), LayerCount: g.n()})
		},
		func() { CmdResetQueryPool(b, g.times, g.n(), g.n()) },
		func() { CmdWriteTimestamp(b, vk.PipelineStageTopOfPipeBit, g.times, g.n()) },
		func() {
			CmdCopyQueryPoolResults(b, g.times, g.n(), g.n(), g.bytes, g.wide(64), g.wide(64), vk.QueryResultFlags(g.r.IntN(16)))
		},
		func() { CmdDispatch(b, g.n(), g.n(), g.n()) },
		func() { CmdDispatchIndirect(b, g.bytes, g.wide(64)) },
	}
}

// Random counts of any size, in random order, return results: no call panics or hangs, and none reserves more of the
// host's memory than the device's share.
func TestCountsOfAnySize(t *testing.T) {
	const share = 1 << 26
	rounds := 4000
	if suite.AllCases() {
		rounds = 40_000
	}
	g := &countRig{transferRig: newTransferRig(t, 57)}
	g.h, g.d.heap.host.limit = vk.Device(g.d.handle), share
	g.bytes, _ = g.transferRig.bytes(1 << 12)
	g.image = g.transferRig.image(vk.FormatR32Uint, vk.ImageType2d).handle
	CreateQueryPool(g.h, &vk.QueryPoolCreateInfo{QueryType: vk.QueryTypeTimestamp, QueryCount: 8}, nil, &g.times)
	calls := g.calls()
	names := slices.Sorted(maps.Keys(calls))
	refused := map[string]int{}
	said := capturedStderr(t, t.TempDir())
	defer said()
	for range rounds {
		name := oneOf(g.r, names)
		var before, after runtime.MemStats
		if g.r.IntN(20) == 0 {
			runtime.ReadMemStats(&before)
		}
		fault := outcome(calls[name])
		if before.TotalAlloc > 0 {
			if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 4*share {
				t.Errorf("%s took %d bytes", name, after.TotalAlloc-before.TotalAlloc)
			}
		}
		if strings.HasPrefix(fault, "a fault of the driver") {
			t.Errorf("%s: %s", name, fault)
		}
		if fault != "" {
			refused[name]++
		}
	}
	if g.d.heap.host.used > share {
		t.Errorf("%d bytes of the host are used, of %d", g.d.heap.host.used, share)
	}
	for _, name := range []string{"layout", "sets", "queries", "template", "command buffers", "pipeline layout", "image", "module", "cache", "constants", "commands"} {
		if refused[name] == 0 {
			t.Errorf("%s: no call was refused", name)
		}
	}
}

// outcome makes a call, and returns the reason of its refusal, or "".
func outcome(call func()) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = misuseOf(p).text
		}
	}()
	call()
	return ""
}
