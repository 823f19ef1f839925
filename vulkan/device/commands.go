package device

import (
	"fmt"
	"unsafe"

	"spvsim/vulkan/vk"
)

// Commands record what the device does at one submission.
type Commands struct{ d *Device }

// Stages and accesses of all that jobs do.
const (
	allStages = vk.PipelineStageFlags(vk.PipelineStageComputeShaderBit | vk.PipelineStageTransferBit | vk.PipelineStageDrawIndirectBit)
	allWrites = vk.AccessFlags(vk.AccessShaderWriteBit | vk.AccessTransferWriteBit)
	allReads  = vk.AccessFlags(vk.AccessShaderReadBit | vk.AccessShaderWriteBit | vk.AccessTransferReadBit | vk.AccessTransferWriteBit | vk.AccessIndirectCommandReadBit | vk.AccessUniformReadBit)
)

// Barrier lets what follows begin when all before it has ended, and see what it wrote.
func (c *Commands) Barrier() {
	b := &vk.MemoryBarrier{SType: vk.StructureTypeMemoryBarrier, SrcAccessMask: allWrites, DstAccessMask: allReads}
	c.d.CmdPipelineBarrier(c.d.buffer, allStages, allStages, 0, 1, b, 0, nil, 0, nil)
}

// toHost lets the host see what was written.
func (c *Commands) toHost() {
	b := &vk.MemoryBarrier{SType: vk.StructureTypeMemoryBarrier, SrcAccessMask: vk.AccessFlags(vk.AccessTransferWriteBit), DstAccessMask: vk.AccessFlags(vk.AccessHostReadBit)}
	c.d.CmdPipelineBarrier(c.d.buffer, vk.PipelineStageFlags(vk.PipelineStageTransferBit), vk.PipelineStageFlags(vk.PipelineStageHostBit), 0, 1, b, 0, nil, 0, nil)
}

func (c *Commands) copy(from, to *Buffer, fromAt, toAt, bytes uint64) {
	c.Barrier()
	c.Copy(from, to, fromAt, toAt, bytes)
	c.toHost()
	c.Barrier()
}

// Copy copies bytes from one buffer to another.
func (c *Commands) Copy(from, to *Buffer, fromAt, toAt, bytes uint64) {
	c.d.CmdCopyBuffer(c.d.buffer, from.handle, to.handle, 1, &vk.BufferCopy{SrcOffset: fromAt, DstOffset: toAt, Size: bytes})
}

// LoadImage brings an image's texels from its buffer; what it held is dropped.
func (c *Commands) LoadImage(i *Image) {
	c.layout(i, vk.ImageLayoutUndefined)
	list := i.regions()
	c.d.CmdCopyBufferToImage(c.d.buffer, i.Texels.handle, i.handle, vk.ImageLayoutGeneral, uint32(len(list)), first(list))
	c.Barrier()
}

// StoreImage brings an image's texels to its buffer.
func (c *Commands) StoreImage(i *Image) {
	c.Barrier()
	list := i.regions()
	c.d.CmdCopyImageToBuffer(c.d.buffer, i.handle, vk.ImageLayoutGeneral, i.Texels.handle, uint32(len(list)), first(list))
	c.Barrier()
}

// layout puts an image in the layout General, in which it stays.
func (c *Commands) layout(i *Image, from vk.ImageLayout) {
	b := &vk.ImageMemoryBarrier{
		SType: vk.StructureTypeImageMemoryBarrier, SrcAccessMask: allWrites, DstAccessMask: allReads, OldLayout: from, NewLayout: vk.ImageLayoutGeneral,
		SrcQueueFamilyIndex: vk.QueueFamilyIgnored, DstQueueFamilyIndex: vk.QueueFamilyIgnored, Image: i.handle, SubresourceRange: i.all(),
	}
	c.d.CmdPipelineBarrier(c.d.buffer, allStages, allStages, 0, 0, nil, 0, nil, 1, b)
}

func (i *Image) all() vk.ImageSubresourceRange {
	return vk.ImageSubresourceRange{AspectMask: vk.ImageAspectFlags(vk.ImageAspectColorBit), LevelCount: i.shape.Levels, LayerCount: i.shape.Layers}
}

// A Grid is the workgroups of a dispatch.
type Grid struct {
	Groups, Base [3]uint32
	Indirect     *Buffer // that holds Groups; nil: they are known
	Offset       uint64  // of them in the buffer
}

// Dispatch launches workgroups.
func (c *Commands) Dispatch(p *Pipeline, s *Sets, push []byte, g *Grid) {
	d := c.d
	d.CmdBindPipeline(d.buffer, vk.PipelineBindPointCompute, p.handle)
	if s != nil && len(s.handles) > 0 {
		d.CmdBindDescriptorSets(d.buffer, vk.PipelineBindPointCompute, p.layout, 0, uint32(len(s.handles)), first(s.handles), 0, nil)
	}
	if len(push) > 0 {
		d.CmdPushConstants(d.buffer, p.layout, vk.ShaderStageFlags(vk.ShaderStageComputeBit), 0, uint32(len(push)), unsafe.Pointer(&push[0]))
	}
	switch {
	case g.Indirect != nil:
		d.CmdDispatchIndirect(d.buffer, g.Indirect.handle, g.Offset)
	case g.Base != [3]uint32{}:
		d.CmdDispatchBase(d.buffer, g.Base[0], g.Base[1], g.Base[2], g.Groups[0], g.Groups[1], g.Groups[2])
	default:
		d.CmdDispatch(d.buffer, g.Groups[0], g.Groups[1], g.Groups[2])
	}
}

// Timestamps is a list of times on the device.
type Timestamps struct {
	device *Device
	pool   vk.QueryPool
	count  uint32
}

// NewTimestamps makes a pool for a number of times.
func (d *Device) NewTimestamps(count int) (*Timestamps, error) {
	if d.validBits == 0 {
		return nil, fmt.Errorf("%s has no timestamps", d.Name)
	}
	t := &Timestamps{device: d, count: uint32(count)}
	info := &vk.QueryPoolCreateInfo{SType: vk.StructureTypeQueryPoolCreateInfo, QueryType: vk.QueryTypeTimestamp, QueryCount: t.count}
	if err := call("vkCreateQueryPool", d.CreateQueryPool(d.handle, info, nil, &t.pool)); err != nil {
		return nil, err
	}
	d.atClose(func() { d.DestroyQueryPool(d.handle, t.pool, nil) })
	return t, nil
}

// Reset forgets the times.
func (c *Commands) Reset(t *Timestamps) { c.d.CmdResetQueryPool(c.d.buffer, t.pool, 0, t.count) }

// Write writes the time when all before it has ended.
func (c *Commands) Write(t *Timestamps, i int) {
	c.d.CmdWriteTimestamp(c.d.buffer, vk.PipelineStageFlags(vk.PipelineStageBottomOfPipeBit), t.pool, uint32(i))
}

// Nanoseconds returns the first n times, in nanoseconds after the first one. Times wrap around at the number of valid bits.
func (t *Timestamps) Nanoseconds(n int) ([]float64, error) {
	ticks := make([]uint64, n)
	flags := uint32(vk.QueryResult64Bit | vk.QueryResultWaitBit)
	if err := call("vkGetQueryPoolResults", t.device.GetQueryPoolResults(t.device.handle, t.pool, 0, uint32(n), uint64(8*n), &ticks[0], 8, flags)); err != nil {
		return nil, err
	}
	list := make([]float64, n)
	mask := ^uint64(0) >> (64 - t.device.validBits)
	for i := range ticks {
		list[i] = float64((ticks[i]-ticks[0])&mask) * t.device.NanosecondsPerTick()
	}
	return list, nil
}
