package driver

import (
	"slices"
	"unsafe"

	"spvsim/vulkan/vk"
)

type (
	commandPool struct {
		device  *device_
		buffers map[uint64]*commandBuffer
	}

	// A bufferState is what may be done with a command buffer.
	bufferState uint8

	// A work is what a command does when a queue comes to it.
	work func(x *executor) error

	commandBuffer struct {
		device    *device_
		pool      *commandPool
		secondary bool
		once      bool
		state     bufferState
		commands  []work
		fault     error // what was wrong with a command
		pending   int   // submissions that have not ended
		bound     bindings
	}

	// bindings are what the next dispatch uses.
	bindings struct {
		pipeline *pipeline
		sets     []boundSet
		push     []byte
		// Of the bind point of execution graphs.
		graph     *pipeline
		graphSets []boundSet
	}
	boundSet struct {
		set     *descriptorSet
		dynamic []uint32
	}
)

// States of a command buffer.
const (
	initial bufferState = iota
	recording
	recorded
	invalid
)

// CreateCommandPool is vkCreateCommandPool.
func CreateCommandPool(h vk.Device, info *vk.CommandPoolCreateInfo, _ *vk.AllocationCallbacks, out *vk.CommandPool) vk.Result {
	d := get[*device_](uint64(h))
	if int(info.QueueFamilyIndex) >= queueFamilies {
		fail(vk.ErrorUnknown, "queue family %d: there are %d", info.QueueFamilyIndex, queueFamilies)
	}
	*out = vk.CommandPool(put(&commandPool{device: d, buffers: map[uint64]*commandBuffer{}}, d.handle))
	return vk.Success
}

// DestroyCommandPool is vkDestroyCommandPool.
func DestroyCommandPool(_ vk.Device, h vk.CommandPool, _ *vk.AllocationCallbacks) {
	if p, ok := take[*commandPool](uint64(h)); ok {
		for b := range p.buffers {
			delete(objects, b)
		}
	}
}

// ResetCommandPool is vkResetCommandPool.
func ResetCommandPool(_ vk.Device, h vk.CommandPool, _ vk.CommandPoolResetFlags) vk.Result {
	for _, b := range get[*commandPool](uint64(h)).buffers {
		b.reset()
	}
	return vk.Success
}

// TrimCommandPool is vkTrimCommandPool.
func TrimCommandPool(_ vk.Device, h vk.CommandPool, _ vk.CommandPoolTrimFlags) {
	get[*commandPool](uint64(h))
}

// AllocateCommandBuffers is vkAllocateCommandBuffers.
func AllocateCommandBuffers(_ vk.Device, info *vk.CommandBufferAllocateInfo, out *vk.CommandBuffer) vk.Result {
	p := get[*commandPool](uint64(info.CommandPool))
	for i := range items(out, info.CommandBufferCount) {
		b := &commandBuffer{device: p.device, pool: p, secondary: info.Level == vk.CommandBufferLevelSecondary}
		h := putDispatchable(b, p.device.handle)
		p.buffers[h] = b
		items(out, info.CommandBufferCount)[i] = vk.CommandBuffer(h)
	}
	return vk.Success
}

// FreeCommandBuffers is vkFreeCommandBuffers.
func FreeCommandBuffers(_ vk.Device, _ vk.CommandPool, count uint32, list *vk.CommandBuffer) {
	for _, h := range items(list, count) {
		if b, ok := take[*commandBuffer](uint64(h)); ok {
			delete(b.pool.buffers, uint64(h))
		}
	}
}

// BeginCommandBuffer is vkBeginCommandBuffer.
func BeginCommandBuffer(h vk.CommandBuffer, info *vk.CommandBufferBeginInfo) vk.Result {
	b := get[*commandBuffer](uint64(h))
	if b.state == recording || b.pending > 0 {
		fail(vk.ErrorUnknown, "the command buffer is being recorded or in use")
	}
	b.reset()
	b.state, b.once = recording, info.Flags&vk.CommandBufferUsageOneTimeSubmitBit != 0
	return vk.Success
}

// EndCommandBuffer is vkEndCommandBuffer.
func EndCommandBuffer(h vk.CommandBuffer) vk.Result {
	b := get[*commandBuffer](uint64(h))
	if b.state != recording {
		fail(vk.ErrorUnknown, "the command buffer is not being recorded")
	}
	if b.fault != nil {
		b.state = invalid
		fail(vk.ErrorUnknown, "a command was not allowed: %v", b.fault)
	}
	b.state = recorded
	return vk.Success
}

// ResetCommandBuffer is vkResetCommandBuffer.
func ResetCommandBuffer(h vk.CommandBuffer, _ vk.CommandBufferResetFlags) vk.Result {
	b := get[*commandBuffer](uint64(h))
	if b.pending > 0 {
		fail(vk.ErrorUnknown, "the command buffer is in use")
	}
	b.reset()
	return vk.Success
}

// reset forgets what was recorded. Commands that run keep their list.
func (b *commandBuffer) reset() {
	b.state, b.commands, b.fault, b.bound = initial, nil, nil, bindings{}
}

// ended: a submission of the buffer is over.
func (b *commandBuffer) ended() {
	if b.pending--; b.once && b.pending == 0 {
		b.state = invalid
	}
}

// record is the command buffer that takes a command.
func record(h vk.CommandBuffer) *commandBuffer {
	b := get[*commandBuffer](uint64(h))
	if b.state != recording {
		fail(vk.ErrorUnknown, "the command buffer is not being recorded")
	}
	return b
}

func (b *commandBuffer) add(w work) { b.commands = append(b.commands, w) }

// aside adds what is no work of the machine: events and queries. A plan of what is to run leaves it out.
func (b *commandBuffer) aside(w work) {
	b.add(func(x *executor) error {
		if x.plan != nil {
			return nil
		}
		return w(x)
	})
}

// CmdBindPipeline is vkCmdBindPipeline.
func CmdBindPipeline(h vk.CommandBuffer, point vk.PipelineBindPoint, p vk.Pipeline) {
	b := record(h)
	switch made := get[*pipeline](uint64(p)); {
	case point == vk.PipelineBindPointCompute && made.kernel != nil:
		b.bound.pipeline = made
	case point == vk.PipelineBindPointExecutionGraphAmdx && made.graph != nil:
		b.bound.graph = made
	default:
		fail(vk.ErrorFeatureNotPresent, "bind point %d is not for this pipeline, or no queue has it", point)
	}
}

// CmdBindDescriptorSets is vkCmdBindDescriptorSets.
func CmdBindDescriptorSets(h vk.CommandBuffer, point vk.PipelineBindPoint, layout vk.PipelineLayout, first, count uint32, sets *vk.DescriptorSet, dynamicCount uint32, dynamic *uint32) {
	b := record(h)
	get[*pipelineLayout](uint64(layout))
	offsets := slices.Clone(items(dynamic, dynamicCount))
	for i, s := range items(sets, count) {
		to := b.place(point, first+uint32(i))
		set := optional[*descriptorSet](uint64(s))
		*to = boundSet{set: set}
		if set == nil {
			continue
		}
		n := min(set.layout.dynamics(), len(offsets))
		to.dynamic, offsets = offsets[:n], offsets[n:]
	}
}

// place is where a set is bound.
func (b *commandBuffer) place(point vk.PipelineBindPoint, set uint32) *boundSet {
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

// CmdPushConstants is vkCmdPushConstants.
func CmdPushConstants(h vk.CommandBuffer, layout vk.PipelineLayout, _ vk.ShaderStageFlags, offset, size uint32, values unsafe.Pointer) {
	b := record(h)
	get[*pipelineLayout](uint64(layout))
	if uint64(offset)+uint64(size) > maxPush {
		fail(vk.ErrorUnknown, "push constants of %d bytes from byte %d on: want at most %d", size, offset, maxPush)
	}
	push := make([]byte, maxPush)
	copy(push, b.bound.push)
	copy(push[offset:], items((*byte)(values), size))
	b.bound.push = push
}

// CmdPushDescriptorSetKHR is vkCmdPushDescriptorSetKHR.
func CmdPushDescriptorSet(h vk.CommandBuffer, point vk.PipelineBindPoint, layout vk.PipelineLayout, set, count uint32, writes *vk.WriteDescriptorSet) {
	b := record(h)
	s := b.pushed(point, layout, set)
	for _, w := range items(writes, count) {
		s.write(&w)
	}
}

// CmdPushDescriptorSetWithTemplate is vkCmdPushDescriptorSetWithTemplateKHR.
func CmdPushDescriptorSetWithTemplate(h vk.CommandBuffer, t vk.DescriptorUpdateTemplate, layout vk.PipelineLayout, set uint32, data unsafe.Pointer) {
	get[*updateTemplate](uint64(t)).apply(record(h).pushed(vk.PipelineBindPointCompute, layout, set), data)
}

// pushed is the set that is written by commands, as the next dispatch will see it: what was pushed before, with changes.
func (b *commandBuffer) pushed(point vk.PipelineBindPoint, layout vk.PipelineLayout, set uint32) *descriptorSet {
	l := get[*pipelineLayout](uint64(layout))
	if int(set) >= len(l.sets) || l.sets[set] == nil {
		fail(vk.ErrorUnknown, "set %d: the layout has %d", set, len(l.sets))
	}
	s := l.sets[set].newSet(b.device, -1)
	to := b.place(point, set)
	if to.set != nil && to.set.pool == nil && to.set.layout == l.sets[set] {
		for i := range s.elements {
			copy(s.elements[i], to.set.elements[i])
		}
	}
	*to = boundSet{set: s}
	return s
}

// CmdExecuteCommands is vkCmdExecuteCommands.
func CmdExecuteCommands(h vk.CommandBuffer, count uint32, list *vk.CommandBuffer) {
	b := record(h)
	for _, s := range items(list, count) {
		second := get[*commandBuffer](uint64(s))
		if !second.secondary || second.state != recorded {
			fail(vk.ErrorUnknown, "a command buffer that is not secondary, or not ready")
		}
		b.commands = append(b.commands, second.commands...)
	}
}

// CmdDispatch is vkCmdDispatch.
func CmdDispatch(h vk.CommandBuffer, x, y, z uint32) { CmdDispatchBase(h, 0, 0, 0, x, y, z) }

// CmdDispatchBase is vkCmdDispatchBase.
func CmdDispatchBase(h vk.CommandBuffer, bx, by, bz, x, y, z uint32) {
	b := record(h)
	d := b.dispatch()
	d.base, d.groups = [3]uint32{bx, by, bz}, [3]uint32{x, y, z}
	b.add(d.run)
}

// CmdDispatchIndirect is vkCmdDispatchIndirect.
func CmdDispatchIndirect(h vk.CommandBuffer, from vk.Buffer, offset uint64) {
	b := record(h)
	d := b.dispatch()
	d.indirect = get[*buffer](uint64(from)).descriptor(offset, uint64(unsafe.Sizeof(vk.DispatchIndirectCommand{})))
	b.add(d.run)
}

// dispatch is one with what is bound now.
func (b *commandBuffer) dispatch() *dispatch {
	if b.bound.pipeline == nil {
		fail(vk.ErrorUnknown, "no pipeline is bound")
	}
	d := &dispatch{bindings: b.bound, title: b.bound.pipeline.title()}
	d.sets = slices.Clone(d.sets)
	return d
}

// CmdSetDeviceMask is vkCmdSetDeviceMask: there is one device.
func CmdSetDeviceMask(h vk.CommandBuffer, _ uint32) { record(h) }

// Barriers matter where launches overlap: without that, each dispatch and copy settles memory when it ends.

// CmdPipelineBarrier is vkCmdPipelineBarrier.
func CmdPipelineBarrier(h vk.CommandBuffer, from, to vk.PipelineStageFlags, _ vk.DependencyFlags, count uint32, memory *vk.MemoryBarrier, bufferCount uint32, buffers *vk.BufferMemoryBarrier, imageCount uint32, images *vk.ImageMemoryBarrier) {
	record(h).barrier(barrierOf(from, to, items(memory, count), items(buffers, bufferCount), items(images, imageCount)))
}

// CmdPipelineBarrier2 is vkCmdPipelineBarrier2.
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

// CmdSetEvent is vkCmdSetEvent.
func CmdSetEvent(h vk.CommandBuffer, e vk.Event, from vk.PipelineStageFlags) {
	record(h).changeEvent(e, true, barrierOf(from, 0, nil, nil, nil))
}

// CmdSetEvent2 is vkCmdSetEvent2.
func CmdSetEvent2(h vk.CommandBuffer, e vk.Event, d *vk.DependencyInfo) {
	record(h).changeEvent(e, true, barrierOf2(d))
}

// CmdResetEvent is vkCmdResetEvent.
func CmdResetEvent(h vk.CommandBuffer, e vk.Event, from vk.PipelineStageFlags) {
	record(h).changeEvent(e, false, barrierOf(from, 0, nil, nil, nil))
}

// CmdResetEvent2 is vkCmdResetEvent2.
func CmdResetEvent2(h vk.CommandBuffer, e vk.Event, from vk.PipelineStageFlags2) {
	var b barrier
	b.add(vk.PipelineStageFlagBits2(from), 0, 0, 0)
	record(h).changeEvent(e, false, b)
}

// changeEvent sets or resets an event after what comes before it.
func (b *commandBuffer) changeEvent(h vk.Event, set bool, before barrier) {
	e := get[*event](uint64(h))
	b.aside(func(x *executor) error {
		if x.batch != nil {
			x.batch.changeEvent(x.lane, e, set, x.lane.before(before.from))
			return nil
		}
		state.Lock()
		defer state.Unlock()
		e.set = set
		changed.Broadcast()
		return nil
	})
}

// CmdWaitEvents is vkCmdWaitEvents.
func CmdWaitEvents(h vk.CommandBuffer, count uint32, events *vk.Event, from, to vk.PipelineStageFlags, memoryCount uint32, memory *vk.MemoryBarrier, bufferCount uint32, buffers *vk.BufferMemoryBarrier, imageCount uint32, images *vk.ImageMemoryBarrier) {
	made := barrierOf(from, to, items(memory, memoryCount), items(buffers, bufferCount), items(images, imageCount))
	b := record(h)
	for _, e := range items(events, count) {
		b.waitEvent(e, made)
	}
}

// CmdWaitEvents2 is vkCmdWaitEvents2.
func CmdWaitEvents2(h vk.CommandBuffer, count uint32, events *vk.Event, infos *vk.DependencyInfo) {
	b := record(h)
	for i, e := range items(events, count) {
		b.waitEvent(e, barrierOf2(&items(infos, count)[i]))
	}
}

// waitEvent waits for an event, which the application may set.
func (b *commandBuffer) waitEvent(h vk.Event, made barrier) {
	e, w := get[*event](uint64(h)), b.device.work
	b.aside(func(x *executor) error {
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
