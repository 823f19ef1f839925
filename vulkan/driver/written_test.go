package driver

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/vulkan/vk"
)

var update = flag.Bool("update", false, "write testdata/written.txt and testdata/devices.txt")

// writtenPrograms are the lines of testdata/written.txt.
const writtenPrograms = 64

// The results of random command streams on several queues are recorded, a line each: recorded rows, bytes of buffers,
// timestamps and other query results, messages on standard error, and captured jobs. With -update the file is
// rewritten.
func TestWrittenPrograms(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // functional runs have another order for each number of threads
	state.Lock()
	t.Cleanup(state.Unlock)
	suite.Lines(t, "written.txt", *update, writtenPrograms, func(i int) string {
		return writtenProgram(t, rand.New(rand.NewPCG(uint64(i), 24)))
	})
}

// A streamRig is a program's device with the objects that its commands use.
type streamRig struct {
	transferRig
	handle    vk.Device
	queues    []vk.Queue
	pools     []vk.CommandPool // by queue
	buffers   [3]vk.Buffer
	words     [3][]byte
	layout    vk.PipelineLayout
	pipelines []vk.Pipeline
	sets      []vk.DescriptorSet
	times     vk.QueryPool
	asked     uint32
	event     vk.Event
}

// bytesOfBuffer of each buffer, and timesOfPool of the pool of timestamps.
const (
	bytesOfBuffer = 1 << 16
	timesOfPool   = 32
)

// writtenProgram draws a program, runs it, and returns the line of its results.
func writtenProgram(t *testing.T, r *rand.Rand) string {
	folder := t.TempDir()
	set := fmt.Sprintf("shader_engines=1 compute_units=%d front_end.pipes=%d", 1+r.IntN(3), 1+r.IntN(2))
	presets := config.Presets()
	variables := map[string]string{"SPVSIM_MACHINE": presets[r.IntN(len(presets))], "SPVSIM_SET": set, "SPVSIM_RECORD": filepath.Join(folder, "rows.csv"),
		"SPVSIM_OVERLAP": "submitted", "SPVSIM_MODE": "", "SPVSIM_CAPTURE": "", "SPVSIM_SELECT": "", "SPVSIM_WHOLE": "", "SPVSIM_TIME": "", "SPVSIM_PROFILE": ""}
	way := []string{"", "", "", "SPVSIM_OVERLAP=none", "SPVSIM_MODE=functional", "SPVSIM_MODE=sampled", "SPVSIM_CAPTURE=" + filepath.Join(folder, "jobs"), "SPVSIM_TIME=*:2"}[r.IntN(8)]
	if name, value, ok := strings.Cut(way, "="); ok {
		variables[name] = value
	}
	if r.IntN(2) == 0 {
		variables["SPVSIM_SELECT"], variables["SPVSIM_WHOLE"] = "mix*:2", "1"
	}
	for name, value := range variables {
		t.Setenv(name, value)
	}
	said := capturedStderr(t, folder)
	g := newStreamRig(t, r)
	results := g.program()
	said()
	text := suite.Must(os.ReadFile(filepath.Join(folder, "stderr")))(t)
	way, _, _ = strings.Cut(way, folder)
	line := fmt.Sprintf("%s %s %s: %s", variables["SPVSIM_MACHINE"], set, way, rowsDigest(t, filepath.Join(folder, "rows.csv")))
	line += fmt.Sprintf("; buffers %s, %s", suite.Digest(slices.Concat(results.words...)), results.times)
	if len(text) > 0 {
		line += "; said " + suite.Digest([]byte(withoutHandles(string(bytes.ReplaceAll(text, []byte(folder), nil)))))
	}
	return line + folderDigest(t, filepath.Join(folder, "jobs"))
}

// capturedStderr redirects standard error to a file of the folder until the result is called.
func capturedStderr(t *testing.T, folder string) func() {
	f := suite.Must(os.Create(filepath.Join(folder, "stderr")))(t)
	real := os.Stderr
	os.Stderr = f
	return func() {
		os.Stderr = real
		f.Close()
	}
}

var handles = regexp.MustCompile(`0x[0-9a-f]{8,}`)

// withoutHandles replaces handles, which continue from program to program, by their order of appearance.
func withoutHandles(text string) string {
	var known []string
	return handles.ReplaceAllStringFunc(text, func(h string) string {
		if !slices.Contains(known, h) {
			known = append(known, h)
		}
		return fmt.Sprint(slices.Index(known, h))
	})
}

// ownColumns differ from run to run, or name folders.
var ownColumns = []string{"process", "device", "host_seconds", "captured"}

// rowsDigest returns the number of rows of each kind, the last begin cycle, and a digest of all.
func rowsDigest(t *testing.T, name string) string {
	t.Helper()
	columns, rows := suite.Rows(t, name)
	var all strings.Builder
	var begins string
	for _, row := range append([][]string{columns}, rows...) {
		for k, cell := range row {
			if !slices.Contains(ownColumns, columns[k]) {
				all.WriteString(cell + ",")
			}
			if columns[k] == "begin_cycle" {
				begins = cell
			}
		}
	}
	return fmt.Sprintf("%d rows, the last from cycle %s: %s", len(rows), begins, suite.Digest([]byte(all.String())))
}

// folderDigest returns the digest of a folder's files, if it exists.
func folderDigest(t *testing.T, folder string) string {
	t.Helper()
	files := suite.Must(filepath.Glob(filepath.Join(folder, "*")))(t)
	var all []byte
	for _, name := range files {
		data := suite.Must(os.ReadFile(name))(t)
		all = append(append(all, filepath.Base(name)...), data...)
	}
	if len(files) == 0 {
		return ""
	}
	return fmt.Sprintf("; %d files of captures %s", len(files), suite.Digest(all))
}

func newStreamRig(t *testing.T, r *rand.Rand) *streamRig {
	t.Helper()
	var in vk.Instance
	CreateInstance(&vk.InstanceCreateInfo{}, nil, &in)
	p := mustLookUp[*instance](uint64(in)).devices[0]
	priorities := []float32{1, 0.2, 0.7}
	asked := []vk.DeviceQueueCreateInfo{{QueueFamilyIndex: computing, QueueCount: uint32(1 + r.IntN(3)), PQueuePriorities: &priorities[0]}}
	if r.IntN(2) == 0 {
		asked = append(asked, vk.DeviceQueueCreateInfo{QueueFamilyIndex: copying, QueueCount: 1})
	}
	g := &streamRig{}
	CreateDevice(vk.PhysicalDevice(p.handle), &vk.DeviceCreateInfo{QueueCreateInfoCount: uint32(len(asked)), PQueueCreateInfos: &asked[0]}, nil, &g.handle)
	g.transferRig = transferRig{t: t, d: mustLookUp[*logicalDevice](uint64(g.handle)), r: r}
	for _, a := range asked {
		for k := range a.QueueCount {
			var q vk.Queue
			GetDeviceQueue(g.handle, a.QueueFamilyIndex, k, &q)
			var pool vk.CommandPool
			CreateCommandPool(g.handle, &vk.CommandPoolCreateInfo{QueueFamilyIndex: a.QueueFamilyIndex, Flags: vk.CommandPoolCreateResetCommandBufferBit}, nil, &pool)
			g.queues, g.pools = append(g.queues, q), append(g.pools, pool)
		}
	}
	for k := range g.buffers {
		g.buffers[k], g.words[k] = g.bytes(bytesOfBuffer)
	}
	CreateQueryPool(g.handle, &vk.QueryPoolCreateInfo{QueryType: vk.QueryTypeTimestamp, QueryCount: timesOfPool}, nil, &g.times)
	ResetQueryPool(g.handle, g.times, 0, timesOfPool)
	CreateEvent(g.handle, nil, nil, &g.event)
	g.makePipelines()
	return g
}

// makePipelines creates one pipeline of mix.comp and two of walk.comp, a set with all buffers, and one with the buffers
// swapped.
func (g *streamRig) makePipelines() {
	g.t.Helper()
	bindings := make([]vk.DescriptorSetLayoutBinding, 3)
	for i := range bindings {
		bindings[i] = vk.DescriptorSetLayoutBinding{Binding: uint32(i), DescriptorType: vk.DescriptorTypeStorageBuffer, DescriptorCount: 1, StageFlags: vk.ShaderStageFlags(vk.ShaderStageComputeBit)}
	}
	var of vk.DescriptorSetLayout
	CreateDescriptorSetLayout(g.handle, &vk.DescriptorSetLayoutCreateInfo{BindingCount: 3, PBindings: &bindings[0]}, nil, &of)
	CreatePipelineLayout(g.handle, &vk.PipelineLayoutCreateInfo{SetLayoutCount: 1, PSetLayouts: &of, PushConstantRangeCount: 1, PPushConstantRanges: &vk.PushConstantRange{Size: 20}}, nil, &g.layout)
	var pool vk.DescriptorPool
	sizes := vk.DescriptorPoolSize{Type: vk.DescriptorTypeStorageBuffer, DescriptorCount: 6}
	CreateDescriptorPool(g.handle, &vk.DescriptorPoolCreateInfo{MaxSets: 2, PoolSizeCount: 1, PPoolSizes: &sizes}, nil, &pool)
	layouts := []vk.DescriptorSetLayout{of, of}
	g.sets = make([]vk.DescriptorSet, 2)
	AllocateDescriptorSets(g.handle, &vk.DescriptorSetAllocateInfo{DescriptorPool: pool, DescriptorSetCount: 2, PSetLayouts: &layouts[0]}, &g.sets[0])
	for k, s := range g.sets {
		for i := range g.buffers {
			info := vk.DescriptorBufferInfo{Buffer: g.buffers[(i+k)%3], Range: vk.WholeSize}
			UpdateDescriptorSets(g.handle, 1, &vk.WriteDescriptorSet{DstSet: s, DstBinding: uint32(i), DescriptorCount: 1, DescriptorType: vk.DescriptorTypeStorageBuffer, PBufferInfo: &info}, 0, nil)
		}
	}
	g.pipelines = append(g.pipelines, g.pipeline("mix.spv"), g.pipeline("walk.spv", uint32(g.r.IntN(6)), 32), g.pipeline("walk.spv", 6, 64))
}

// pipeline creates a pipeline of a module of internal/systemtest with constants 0, 1 and so on.
func (g *streamRig) pipeline(file string, constants ...uint32) vk.Pipeline {
	g.t.Helper()
	code, err := os.ReadFile(filepath.Join("..", "..", "internal", "systemtest", "testdata", "keys", file))
	if err != nil {
		g.t.Fatal(err)
	}
	var m vk.ShaderModule
	CreateShaderModule(g.handle, &vk.ShaderModuleCreateInfo{CodeSize: uint64(len(code)), PCode: (*uint32)(unsafe.Pointer(&code[0]))}, nil, &m)
	main := []byte("main\x00")
	stage := vk.PipelineShaderStageCreateInfo{Stage: vk.ShaderStageComputeBit, Module: m, PName: &main[0]}
	if constants != nil {
		var entries []vk.SpecializationMapEntry
		for i := range constants {
			entries = append(entries, vk.SpecializationMapEntry{ConstantID: uint32(i), Offset: uint32(4 * i), Size: 4})
		}
		stage.PSpecializationInfo = &vk.SpecializationInfo{MapEntryCount: uint32(len(entries)), PMapEntries: &entries[0], DataSize: uint64(4 * len(constants)), PData: unsafe.Pointer(&constants[0])}
	}
	var p vk.Pipeline
	if r := CreateComputePipelines(g.handle, 0, 1, &vk.ComputePipelineCreateInfo{Flags: vk.PipelineCreateFlags(vk.PipelineCreateDispatchBaseBit), Stage: stage, Layout: g.layout}, nil, &p); r != vk.Success {
		g.t.Fatal(r)
	}
	name := append([]byte(strings.TrimSuffix(file, ".spv")), 0)
	SetDebugUtilsObjectNameEXT(g.handle, &vk.DebugUtilsObjectNameInfoEXT{ObjectType: vk.ObjectTypePipeline, ObjectHandle: uint64(p), PObjectName: &name[0]})
	return p
}

// streamResults are the results of a program.
type streamResults struct {
	words [][]byte
	times string
}

// program submits some command buffers, each of which may wait for earlier ones, and destroys the device.
func (g *streamRig) program() streamResults {
	var line vk.Semaphore
	CreateSemaphore(g.handle, &vk.SemaphoreCreateInfo{PNext: unsafe.Pointer(&vk.SemaphoreTypeCreateInfo{SType: vk.StructureTypeSemaphoreTypeCreateInfo, SemaphoreType: vk.SemaphoreTypeTimeline})}, nil, &line)
	for k := range 2 + g.r.IntN(6) {
		q := g.r.IntN(len(g.queues))
		b := g.recorded(q)
		waits := vk.SemaphoreSubmitInfo{Semaphore: line, Value: uint64(g.r.IntN(k + 1)), StageMask: vk.PipelineStageFlags2(stageBits[g.r.IntN(len(stageBits))])}
		signals := vk.SemaphoreSubmitInfo{Semaphore: line, Value: uint64(k + 1), StageMask: vk.PipelineStageFlags2(vk.PipelineStage2AllCommandsBit)}
		info := vk.SubmitInfo2{CommandBufferInfoCount: 1, PCommandBufferInfos: &vk.CommandBufferSubmitInfo{CommandBuffer: b}, SignalSemaphoreInfoCount: 1, PSignalSemaphoreInfos: &signals}
		if g.r.IntN(2) == 0 {
			info.WaitSemaphoreInfoCount, info.PWaitSemaphoreInfos = 1, &waits
		}
		QueueSubmit2(g.queues[q], 1, &info, 0)
		if g.r.IntN(4) == 0 {
			QueueWaitIdle(g.queues[q])
		}
	}
	result := DeviceWaitIdle(g.handle)
	out := streamResults{times: fmt.Sprintf("result %d", result)}
	times := make([]uint64, 2*timesOfPool)
	GetQueryPoolResults(g.handle, g.times, 0, timesOfPool, uint64(8*len(times)), unsafe.Pointer(&times[0]), 16, vk.QueryResult64Bit|vk.QueryResultWithAvailabilityBit)
	out.times += ", times " + suite.Digest(fmt.Append(nil, times))
	for _, w := range g.words {
		out.words = append(out.words, slices.Clone(w))
	}
	for _, h := range g.pipelines {
		p := mustLookUp[*pipeline](uint64(h))
		out.times += ", code " + suite.Digest(fmt.Append(nil, p.listing(), p.values()))
	}
	DestroyDevice(g.handle, nil)
	return out
}

var stageBits = []vk.PipelineStageFlagBits2{vk.PipelineStage2AllCommandsBit, vk.PipelineStage2ComputeShaderBit, vk.PipelineStage2AllTransferBit, vk.PipelineStage2CopyBit, vk.PipelineStage2DrawIndirectBit,
	vk.PipelineStage2TopOfPipeBit, vk.PipelineStage2BottomOfPipeBit, vk.PipelineStage2HostBit}

var accessBits = []vk.AccessFlagBits2{0, vk.Access2MemoryWriteBit, vk.Access2MemoryReadBit, vk.Access2ShaderWriteBit, vk.Access2ShaderReadBit, vk.Access2TransferWriteBit, vk.Access2TransferReadBit, vk.Access2UniformReadBit}

// recorded is a command buffer of some commands.
func (g *streamRig) recorded(q int) vk.CommandBuffer {
	var b vk.CommandBuffer
	AllocateCommandBuffers(g.handle, &vk.CommandBufferAllocateInfo{CommandPool: g.pools[q], CommandBufferCount: 1}, &b)
	BeginCommandBuffer(b, &vk.CommandBufferBeginInfo{})
	copies := mustLookUp[*queue](uint64(g.queues[q])).family == copying
	for range 1 + g.r.IntN(7) {
		switch g.r.IntN(4) {
		case 0, 1:
			if !copies {
				g.launch(b)
				continue
			}
			g.move(b)
		case 2:
			g.move(b)
		default:
			g.order(b)
		}
	}
	EndCommandBuffer(b)
	return b
}

// launch dispatches one of the pipelines, one in four from a buffer's words.
func (g *streamRig) launch(b vk.CommandBuffer) {
	k := g.r.IntN(len(g.pipelines))
	CmdBindPipeline(b, vk.PipelineBindPointCompute, g.pipelines[k])
	CmdBindDescriptorSets(b, vk.PipelineBindPointCompute, g.layout, 0, 1, &g.sets[g.r.IntN(2)], 0, nil)
	push := []uint32{1, 32, uint32(1 + g.r.IntN(6)), 1, 64} // lane, step, steps, rounds and group of walk
	if k == 0 {
		push = []uint32{g.r.Uint32N(8000), g.r.Uint32N(8000), g.r.Uint32N(100)}
	}
	CmdPushConstants(b, g.layout, 0, 0, uint32(4*len(push)), unsafe.Pointer(&push[0]))
	groups := [3]uint32{1 + g.r.Uint32N(8), 1, 1}
	switch g.r.IntN(4) {
	case 0:
		CmdUpdateBuffer(b, g.buffers[2], 256, 12, unsafe.Pointer(&groups[0]))
		g.barrier(b, vk.PipelineStage2AllCommandsBit, vk.PipelineStage2AllCommandsBit)
		CmdDispatchIndirect(b, g.buffers[2], 256)
	case 1:
		CmdDispatchBase(b, g.r.Uint32N(3), 0, 0, groups[0], groups[1], g.r.Uint32N(2))
	default:
		CmdDispatch(b, groups[0], groups[1], groups[2])
	}
}

// move copies, fills or updates part of a buffer, or copies query results.
func (g *streamRig) move(b vk.CommandBuffer) {
	from, to := g.r.IntN(3), g.r.IntN(3)
	at, size := 4*g.r.Uint64N(8000), 4*(1+g.r.Uint64N(2000))
	switch g.r.IntN(4) {
	case 0:
		CmdFillBuffer(b, g.buffers[to], at, size, g.r.Uint32())
	case 1:
		CmdUpdateBuffer(b, g.buffers[to], at, min(size, 4000), unsafe.Pointer(&g.words[from][0]))
	case 2:
		CmdCopyQueryPoolResults(b, g.times, 0, 4, g.buffers[to], at/8*8, 16, vk.QueryResult64Bit|vk.QueryResultPartialBit|vk.QueryResultWithAvailabilityBit)
	default:
		list := []vk.BufferCopy{{SrcOffset: at, DstOffset: 4 * g.r.Uint64N(8000), Size: size}, {SrcOffset: 0, DstOffset: 60_000, Size: 400}}
		CmdCopyBuffer(b, g.buffers[from], g.buffers[(from+1)%3], uint32(1+g.r.IntN(2)), &list[0])
	}
}

// order is a barrier, an event, a label, a timestamp or the reset of some.
func (g *streamRig) order(b vk.CommandBuffer) {
	stages := func() vk.PipelineStageFlagBits2 { return stageBits[g.r.IntN(len(stageBits))] }
	switch g.r.IntN(6) {
	case 0:
		name := []byte("part\x00")
		CmdBeginDebugUtilsLabelEXT(b, &vk.DebugUtilsLabelEXT{PLabelName: &name[0]})
		g.move(b)
		CmdEndDebugUtilsLabelEXT(b)
	case 1:
		if g.asked < timesOfPool {
			CmdWriteTimestamp2(b, vk.PipelineStageFlags2(stages()), g.times, g.asked)
			g.asked++
		}
	case 2:
		before := vk.DependencyInfo{MemoryBarrierCount: 1, PMemoryBarriers: &vk.MemoryBarrier2{SrcStageMask: vk.PipelineStageFlags2(stages()), DstStageMask: vk.PipelineStageFlags2(stages())}}
		CmdSetEvent2(b, g.event, &before)
		g.move(b)
		CmdWaitEvents2(b, 1, &g.event, &before)
	case 3:
		CmdResetQueryPool(b, g.times, g.r.Uint32N(timesOfPool-2), 2)
	default:
		g.barrier(b, stages(), stages())
	}
}

func (g *streamRig) barrier(b vk.CommandBuffer, from, to vk.PipelineStageFlagBits2) {
	access := func() vk.AccessFlags2 { return vk.AccessFlags2(accessBits[g.r.IntN(len(accessBits))]) }
	CmdPipelineBarrier2(b, &vk.DependencyInfo{MemoryBarrierCount: 1, PMemoryBarriers: &vk.MemoryBarrier2{SrcStageMask: vk.PipelineStageFlags2(from), SrcAccessMask: access(),
		DstStageMask: vk.PipelineStageFlags2(to), DstAccessMask: access()}})
}
