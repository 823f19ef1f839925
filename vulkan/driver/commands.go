package driver

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"spvsim/program"
	"spvsim/vulkan/vk"
)

type (
	commandPool struct {
		self
		device    *logicalDevice
		buffers   map[uint64]*commandBuffer
		family    int
		resetting bool // its buffers may be reset one by one
	}

	// A bufferState is the life-cycle state of a command buffer.
	bufferState uint8

	// A commandFunc executes a command when a queue reaches it.
	commandFunc func(x *executor) error

	commandBuffer struct {
		self
		device       *logicalDevice
		pool         *commandPool
		secondary    bool
		once         bool
		simultaneous bool
		state        bufferState
		commands     []commandFunc
		fault        error // first invalid command
		pending      int   // submissions that have not ended
		bound        bindings
		// State that a submission checks again.
		used       map[*object]bool // that commands name
		dispatches []*dispatch
		moves      int                       // of its transfers
		seconds    map[*commandBuffer]uint64 // executed secondary buffers, each with its version when it was recorded
		version    uint64                    // counts resets
		queries    map[query]bool            // that are open
	}

	// bindings hold the state that the next dispatch uses.
	bindings struct {
		pipeline *pipeline
		sets     []boundSet
		push     []byte // nil: none were pushed
		// Of the bind point of execution graphs.
		graph     *pipeline
		graphSets []boundSet
	}
	boundSet struct {
		set     *descriptorSet
		dynamic []uint32
		layout  *pipelineLayout // of the pipeline layout at the binding
		version uint64          // of the set at the binding
	}
)

// States of a command buffer.
const (
	initial bufferState = iota
	recording
	recorded
	invalid
)

func CreateCommandPool(h vk.Device, info *vk.CommandPoolCreateInfo, _ *vk.AllocationCallbacks, out *vk.CommandPool) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	if int(info.QueueFamilyIndex) >= queueFamilies {
		fail(vk.ErrorUnknown, "queue family %d: there are %d", info.QueueFamilyIndex, queueFamilies)
	}
	p := &commandPool{device: d, buffers: map[uint64]*commandBuffer{}, family: int(info.QueueFamilyIndex), resetting: info.Flags&vk.CommandPoolCreateResetCommandBufferBit != 0}
	*out = vk.CommandPool(addObject(p, d.handle))
	return vk.Success
}

func DestroyCommandPool(_ vk.Device, h vk.CommandPool, _ *vk.AllocationCallbacks) {
	if p, ok := removeObject[*commandPool](uint64(h)); ok {
		for h, b := range p.buffers {
			p.device.freeing("vkDestroyCommandPool", b.object)
			remove(h)
		}
	}
}

func ResetCommandPool(_ vk.Device, h vk.CommandPool, _ vk.CommandPoolResetFlags) vk.Result {
	p := mustLookUp[*commandPool](uint64(h))
	for _, b := range p.buffers {
		if b.pending > 0 {
			fail(vk.ErrorUnknown, "%v of the pool is in use: wait for a fence of its submission first", b.object)
		}
	}
	for _, b := range p.buffers {
		b.reset()
	}
	return vk.Success
}

func TrimCommandPool(_ vk.Device, h vk.CommandPool, _ vk.CommandPoolTrimFlags) {
	mustLookUp[*commandPool](uint64(h))
}

// Bounds on one call, or on one command buffer.
const (
	mostCommandBuffers = 1 << 16
	mostRecorded       = 1 << 22 // commands of a buffer, including those of the secondary buffers that it executes
	mostMoves          = 1 << 21 // rows and planes that its copies go over
)

func AllocateCommandBuffers(_ vk.Device, info *vk.CommandBufferAllocateInfo, out *vk.CommandBuffer) vk.Result {
	p := mustLookUp[*commandPool](uint64(info.CommandPool))
	if info.CommandBufferCount > mostCommandBuffers {
		fail(vk.ErrorOutOfHostMemory, "%d command buffers: want at most %d in one call", info.CommandBufferCount, mostCommandBuffers)
	}
	for i := range items(out, info.CommandBufferCount) {
		b := &commandBuffer{device: p.device, pool: p, secondary: info.Level == vk.CommandBufferLevelSecondary}
		h := addDispatchable(b, p.device.handle)
		p.buffers[h] = b
		items(out, info.CommandBufferCount)[i] = vk.CommandBuffer(h)
	}
	return vk.Success
}

func FreeCommandBuffers(d vk.Device, _ vk.CommandPool, count uint32, list *vk.CommandBuffer) {
	for _, h := range items(list, count) {
		if b, ok := destroy[*commandBuffer](d, "vkFreeCommandBuffers", uint64(h)); ok {
			delete(b.pool.buffers, uint64(h))
		}
	}
}

func BeginCommandBuffer(h vk.CommandBuffer, info *vk.CommandBufferBeginInfo) vk.Result {
	b := mustLookUp[*commandBuffer](uint64(h))
	if b.state == recording || b.pending > 0 {
		fail(vk.ErrorUnknown, "the command buffer is being recorded or in use")
	}
	if b.state != initial {
		b.resets("vkBeginCommandBuffer")
	}
	if b.secondary && info.PInheritanceInfo == nil {
		b.device.warn("vkBeginCommandBuffer", "%v is secondary, and pInheritanceInfo is null", b.object)
	}
	b.reset()
	b.state, b.once = recording, info.Flags&vk.CommandBufferUsageOneTimeSubmitBit != 0
	b.simultaneous = info.Flags&vk.CommandBufferUsageSimultaneousUseBit != 0
	return vk.Success
}

func EndCommandBuffer(h vk.CommandBuffer) vk.Result {
	b := mustLookUp[*commandBuffer](uint64(h))
	if b.state != recording {
		fail(vk.ErrorUnknown, "the command buffer is not being recorded")
	}
	if b.fault != nil {
		b.state = invalid
		fail(vk.ErrorUnknown, "a command was not allowed: %v", b.fault)
	}
	if len(b.queries) > 0 {
		b.state = invalid
		fail(vk.ErrorUnknown, "%d queries were begun and not ended", len(b.queries))
	}
	b.state = recorded
	return vk.Success
}

func ResetCommandBuffer(h vk.CommandBuffer, _ vk.CommandBufferResetFlags) vk.Result {
	b := mustLookUp[*commandBuffer](uint64(h))
	if b.pending > 0 {
		fail(vk.ErrorUnknown, "the command buffer is in use")
	}
	b.resets("vkResetCommandBuffer")
	b.reset()
	return vk.Success
}

// resets warns of a reset that the pool does not allow.
func (b *commandBuffer) resets(command string) {
	if !b.pool.resetting {
		b.device.warn(command, "%v is reset, and its pool was not created with VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT", b.object)
	}
}

// reset discards the recorded commands. A submission that runs keeps its list.
func (b *commandBuffer) reset() {
	b.state, b.commands, b.fault, b.bound = initial, nil, nil, bindings{}
	b.used, b.dispatches, b.seconds, b.queries, b.moves = map[*object]bool{}, nil, nil, nil, 0
	b.version++
}

// submissionEnded: a submission of the buffer is over.
func (b *commandBuffer) submissionEnded() {
	if b.pending--; b.once && b.pending == 0 {
		b.state = invalid
	}
}

// record returns the command buffer, which must be recording.
func record(h vk.CommandBuffer) *commandBuffer {
	b := mustLookUp[*commandBuffer](uint64(h))
	if b.state != recording {
		fail(vk.ErrorUnknown, "the command buffer is not being recorded")
	}
	return b
}

func (b *commandBuffer) add(w commandFunc) {
	if len(b.commands) >= mostRecorded {
		fail(vk.ErrorOutOfHostMemory, "more than %d commands in a command buffer", mostRecorded)
	}
	b.commands = append(b.commands, w)
}

// use returns the object of a handle, and records it: a submission fails if it is destroyed by then.
func use[T any](b *commandBuffer, h uint64) T {
	x := mustLookUp[T](h)
	b.used[objects[h]] = true
	return x
}

// useBuffer is a buffer that a command reads or writes, whose memory must stay too.
func (b *commandBuffer) useBuffer(command string, h vk.Buffer, usage vk.BufferUsageFlags, name string) *buffer {
	x := use[*buffer](b, uint64(h))
	x.checkUsage(command, usage, name)
	x.bound()
	b.used[x.memory.object] = true
	return x
}

// An imageUse is the usage flag and layout that a transfer requires of an image.
type imageUse struct {
	usage  vk.ImageUsageFlags
	name   string // of the usage
	layout vk.ImageLayout
}

var (
	read    = imageUse{vk.ImageUsageTransferSrcBit, "TRANSFER_SRC", vk.ImageLayoutTransferSrcOptimal}
	written = imageUse{vk.ImageUsageTransferDstBit, "TRANSFER_DST", vk.ImageLayoutTransferDstOptimal}
)

// useImage is an image that a transfer reads or writes, in a layout for that.
func (b *commandBuffer) useImage(command string, h vk.Image, u imageUse, layout vk.ImageLayout) *image {
	x := use[*image](b, uint64(h))
	x.checkUsage(command, u.usage, u.name)
	x.bound()
	b.used[x.memory.object] = true
	if layout != u.layout && layout != vk.ImageLayoutGeneral {
		fail(vk.ErrorUnknown, "%v in layout %s: want %s or %s", x.object, layoutName(layout), layoutName(u.layout), layoutName(vk.ImageLayoutGeneral))
	}
	return x
}

// layoutNames are the layouts of Vulkan 1.0, by their numbers.
var layoutNames = []string{"UNDEFINED", "GENERAL", "COLOR_ATTACHMENT_OPTIMAL", "DEPTH_STENCIL_ATTACHMENT_OPTIMAL", "DEPTH_STENCIL_READ_ONLY_OPTIMAL",
	"SHADER_READ_ONLY_OPTIMAL", "TRANSFER_SRC_OPTIMAL", "TRANSFER_DST_OPTIMAL", "PREINITIALIZED"}

func layoutName(l vk.ImageLayout) string {
	if l >= 0 && int(l) < len(layoutNames) {
		return "VK_IMAGE_LAYOUT_" + layoutNames[l]
	}
	return fmt.Sprintf("VkImageLayout %d", l)
}

// computes refuses a command in a buffer whose queues only transfer.
func (b *commandBuffer) computes() {
	if b.pool.family != computing {
		fail(vk.ErrorUnknown, "the command buffer is of queue family %d, which does not compute: want family %d", b.pool.family, computing)
	}
}

// addHostCommand adds a command that is no work of the machine: an event or a query. A capture leaves it out.
func (b *commandBuffer) addHostCommand(w commandFunc) {
	b.add(func(x *executor) error {
		if x.plan != nil {
			return nil
		}
		return w(x)
	})
}

func CmdBindPipeline(h vk.CommandBuffer, point vk.PipelineBindPoint, p vk.Pipeline) {
	b := record(h)
	b.computes()
	switch made := use[*pipeline](b, uint64(p)); {
	case point == vk.PipelineBindPointCompute && made.kernel != nil:
		b.bound.pipeline = made
	case point == vk.PipelineBindPointExecutionGraphAmdx && made.graph != nil:
		b.bound.graph = made
	default:
		fail(vk.ErrorFeatureNotPresent, "bind point %d is not for this pipeline, or no queue has it", point)
	}
}

func CmdBindDescriptorSets(h vk.CommandBuffer, point vk.PipelineBindPoint, layout vk.PipelineLayout, first, count uint32, sets *vk.DescriptorSet, dynamicCount uint32, dynamic *uint32) {
	b, l := record(h), mustLookUp[*pipelineLayout](uint64(layout))
	if uint64(first)+uint64(count) > uint64(len(l.sets)) {
		fail(vk.ErrorUnknown, "sets %d to %d: the pipeline layout has %d", first, uint64(first)+uint64(count)-1, len(l.sets))
	}
	offsets := items(dynamic, dynamicCount)
	for i, s := range items(sets, count) {
		to := b.boundSetOf(point, first+uint32(i))
		*to = boundSet{layout: l}
		if s == 0 {
			continue
		}
		set := use[*descriptorSet](b, uint64(s))
		if !set.layout.equals(l.sets[first+uint32(i)]) {
			fail(vk.ErrorUnknown, "set %d: %v has another layout than the pipeline layout", first+uint32(i), set.object)
		}
		n := set.layout.dynamics()
		if n > len(offsets) {
			fail(vk.ErrorUnknown, "%d dynamic offsets: want one for each dynamic descriptor of the sets", dynamicCount)
		}
		to.set, to.version, to.dynamic = set, set.version, slices.Clone(offsets[:n])
		offsets = offsets[n:]
		set.checkDynamic(to.dynamic)
	}
	if len(offsets) > 0 {
		fail(vk.ErrorUnknown, "%d dynamic offsets: the sets have %d dynamic descriptors", dynamicCount, int(dynamicCount)-len(offsets))
	}
}

// boundSetOf returns the binding of a set number.
func (b *commandBuffer) boundSetOf(point vk.PipelineBindPoint, set uint32) *boundSet {
	if set >= maxSets {
		fail(vk.ErrorUnknown, "set %d: want at most %d", set, maxSets-1)
	}
	list := &b.bound.sets
	if point == vk.PipelineBindPointExecutionGraphAmdx {
		list = &b.bound.graphSets
	}
	*list = slices.Clone(*list) // recorded dispatches keep theirs
	for uint32(len(*list)) <= set {
		*list = append(*list, boundSet{})
	}
	return &(*list)[set]
}

func CmdPushConstants(h vk.CommandBuffer, layout vk.PipelineLayout, _ vk.ShaderStageFlags, offset, size uint32, values unsafe.Pointer) {
	b, l := record(h), mustLookUp[*pipelineLayout](uint64(layout))
	switch {
	case uint64(offset)+uint64(size) > uint64(l.pushBytes):
		fail(vk.ErrorUnknown, "push constants of %d bytes from byte %d on: the pipeline layout has ranges up to byte %d", size, offset, l.pushBytes)
	case offset%4 != 0 || size%4 != 0 || size == 0:
		fail(vk.ErrorUnknown, "push constants of %d bytes from byte %d on: want multiples of 4, and some", size, offset)
	}
	push := make([]byte, maxPush)
	copy(push, b.bound.push)
	copy(push[offset:], items((*byte)(values), size))
	b.bound.push = push
}

func CmdPushDescriptorSet(h vk.CommandBuffer, point vk.PipelineBindPoint, layout vk.PipelineLayout, set, count uint32, writes *vk.WriteDescriptorSet) {
	b := record(h)
	s := b.pushed(point, layout, set)
	for _, w := range items(writes, count) {
		s.write(&w)
	}
}

func CmdPushDescriptorSetWithTemplate(h vk.CommandBuffer, t vk.DescriptorUpdateTemplate, layout vk.PipelineLayout, set uint32, data unsafe.Pointer) {
	mustLookUp[*updateTemplate](uint64(t)).apply(record(h).pushed(vk.PipelineBindPointCompute, layout, set), data)
}

// pushed returns the push descriptor set that the next dispatch will use: a copy of the last one, to be changed.
func (b *commandBuffer) pushed(point vk.PipelineBindPoint, layout vk.PipelineLayout, set uint32) *descriptorSet {
	l := mustLookUp[*pipelineLayout](uint64(layout))
	if int(set) >= len(l.sets) || l.sets[set] == nil {
		fail(vk.ErrorUnknown, "set %d: the layout has %d", set, len(l.sets))
	}
	if !l.sets[set].push {
		fail(vk.ErrorUnknown, "set %d: its layout was not created with VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR", set)
	}
	s := l.sets[set].newSet(b.device, -1)
	to := b.boundSetOf(point, set)
	if to.set != nil && to.set.pool == nil && to.set.layout == l.sets[set] {
		for i := range s.elements {
			copy(s.elements[i], to.set.elements[i])
		}
	}
	*to = boundSet{set: s, layout: l}
	return s
}

func CmdExecuteCommands(h vk.CommandBuffer, count uint32, list *vk.CommandBuffer) {
	b := record(h)
	if b.secondary {
		fail(vk.ErrorUnknown, "a secondary command buffer executes no others")
	}
	for _, s := range items(list, count) {
		second := use[*commandBuffer](b, uint64(s))
		switch {
		case !second.secondary || second.state != recorded:
			fail(vk.ErrorUnknown, "a command buffer that is not secondary, or not ready")
		case second.pool.family != b.pool.family:
			fail(vk.ErrorUnknown, "%v is of queue family %d, and this one of %d", second.object, second.pool.family, b.pool.family)
		case len(second.commands) > mostRecorded-len(b.commands):
			fail(vk.ErrorOutOfHostMemory, "more than %d commands in a command buffer", mostRecorded)
		}
		b.commands = append(b.commands, second.commands...)
		b.dispatches = append(b.dispatches, second.dispatches...)
		maps.Copy(b.used, second.used)
		if b.seconds == nil {
			b.seconds = map[*commandBuffer]uint64{}
		}
		b.seconds[second] = second.version
	}
	b.bound = bindings{} // the API leaves the bindings undefined after it
}

func CmdDispatch(h vk.CommandBuffer, x, y, z uint32) { CmdDispatchBase(h, 0, 0, 0, x, y, z) }

func CmdDispatchBase(h vk.CommandBuffer, bx, by, bz, x, y, z uint32) {
	b := record(h)
	d := b.dispatch()
	d.base, d.groups = [3]uint32{bx, by, bz}, [3]uint32{x, y, z}
	if err := d.tooMany(d.groups); err != nil {
		fail(vk.ErrorUnknown, "%v", err)
	}
	if d.base != [3]uint32{} && !d.pipeline.based {
		fail(vk.ErrorUnknown, "base workgroup %v: the pipeline was not created with VK_PIPELINE_CREATE_DISPATCH_BASE_BIT", d.base)
	}
	b.add(d.run)
}

func CmdDispatchIndirect(h vk.CommandBuffer, from vk.Buffer, offset uint64) {
	b := record(h)
	d := b.dispatch()
	if offset%4 != 0 {
		fail(vk.ErrorUnknown, "byte %d of the buffer: want a multiple of 4", offset)
	}
	d.indirect = b.useBuffer("vkCmdDispatchIndirect", from, vk.BufferUsageIndirectBufferBit, "INDIRECT_BUFFER").descriptor(offset, uint64(unsafe.Sizeof(vk.DispatchIndirectCommand{})))
	b.add(d.run)
}

// dispatch creates a dispatch with the current bindings.
func (b *commandBuffer) dispatch() *dispatch {
	if b.bound.pipeline == nil {
		fail(vk.ErrorUnknown, "no pipeline is bound (vkCmdExecuteCommands leaves nothing bound)")
	}
	d := &dispatch{bindings: b.bound, title: b.bound.pipeline.title(), programs: []*program.Program{b.bound.pipeline.kernel.Program}}
	d.sets = slices.Clone(d.sets)
	b.checkBound(d, d.pipeline.layout)
	return d
}

// CmdSetDeviceMask is vkCmdSetDeviceMask: a group has one device.
func CmdSetDeviceMask(h vk.CommandBuffer, _ uint32) { record(h) }

// Barriers matter where launches overlap: without that, each dispatch and copy settles memory when it ends.

func CmdPipelineBarrier(h vk.CommandBuffer, from, to vk.PipelineStageFlags, _ vk.DependencyFlags, count uint32, memory *vk.MemoryBarrier, bufferCount uint32, buffers *vk.BufferMemoryBarrier, imageCount uint32, images *vk.ImageMemoryBarrier) {
	record(h).barrier(barrierOf(from, to, items(memory, count), items(buffers, bufferCount), items(images, imageCount)))
}

func CmdPipelineBarrier2(h vk.CommandBuffer, d *vk.DependencyInfo) {
	record(h).barrier(barrierOf2(d))
}

func (b *commandBuffer) barrier(made barrier) {
	b.add(func(x *executor) error {
		if x.batch != nil {
			x.lane.barrier(&made)
		}
		return nil
	})
}

func CmdSetEvent(h vk.CommandBuffer, e vk.Event, from vk.PipelineStageFlags) {
	record(h).changeEvent(e, true, barrierOf(from, 0, nil, nil, nil))
}

func CmdSetEvent2(h vk.CommandBuffer, e vk.Event, d *vk.DependencyInfo) {
	record(h).changeEvent(e, true, barrierOf2(d))
}

func CmdResetEvent(h vk.CommandBuffer, e vk.Event, from vk.PipelineStageFlags) {
	record(h).changeEvent(e, false, barrierOf(from, 0, nil, nil, nil))
}

func CmdResetEvent2(h vk.CommandBuffer, e vk.Event, from vk.PipelineStageFlags2) {
	var b barrier
	b.add(vk.PipelineStageFlagBits2(from), 0, 0, 0)
	record(h).changeEvent(e, false, b)
}

// changeEvent sets or resets an event after the commands before it.
func (b *commandBuffer) changeEvent(h vk.Event, set bool, before barrier) {
	e := use[*event](b, uint64(h))
	b.addHostCommand(func(x *executor) error {
		if x.batch != nil {
			x.batch.changeEvent(x.lane, e, set, x.lane.earlierItems(before.from))
			return nil
		}
		state.Lock()
		defer state.Unlock()
		e.set = set
		changed.Broadcast()
		return nil
	})
}

func CmdWaitEvents(h vk.CommandBuffer, count uint32, events *vk.Event, from, to vk.PipelineStageFlags, memoryCount uint32, memory *vk.MemoryBarrier, bufferCount uint32, buffers *vk.BufferMemoryBarrier, imageCount uint32, images *vk.ImageMemoryBarrier) {
	made := barrierOf(from, to, items(memory, memoryCount), items(buffers, bufferCount), items(images, imageCount))
	b := record(h)
	for _, e := range items(events, count) {
		b.waitEvent(e, made)
	}
}

func CmdWaitEvents2(h vk.CommandBuffer, count uint32, events *vk.Event, infos *vk.DependencyInfo) {
	b := record(h)
	for i, e := range items(events, count) {
		b.waitEvent(e, barrierOf2(&items(infos, count)[i]))
	}
}

// waitEvent waits for an event, which the application may set.
func (b *commandBuffer) waitEvent(h vk.Event, made barrier) {
	e, w := use[*event](b, uint64(h)), b.device.worker
	b.addHostCommand(func(x *executor) error {
		if x.batch != nil {
			x.blocked = !x.batch.waitEvent(x.lane, e, &made)
			return nil
		}
		state.Lock()
		defer state.Unlock()
		for !e.set && !w.closing {
			changed.Wait()
		}
		return nil
	})
}
