package driver

import (
	"slices"

	"spvsim/vulkan/vk"
)

// Barriers of the API: the commands before and after, by their stages, and the caches that are written back and
// invalidated, by their accesses.

// A commandKind is a class of commands that pipeline stages belong to.
type commandKind uint8

// A timestamp at the top of the pipe (ofTop) waits for others; no command waits for it.
const (
	ofCompute commandKind = iota
	ofTransfer
	ofTop
	commandKinds
)

// reads are the caches that a barrier invalidates: none, the vector caches, or the scalar caches too.
type reads uint8

const (
	readsNothing reads = iota
	readsVectors
	readsAll
)

// A dependence holds what later commands wait for.
type dependence struct {
	waitsFor []int // items of the segment
	release  bool  // the queue waited for all of it
	acquire  reads
	waited   bool // by the queue, for all of it
}

// wholeMemory is a dependence on all of memory, as of a semaphore.
func wholeMemory(after []int) dependence {
	return dependence{waitsFor: after, release: true, acquire: readsAll}
}

// A barrier is a dependency of the API: kinds of commands in its first and second scope, and its memory operations.
type barrier struct {
	from, to [commandKinds]bool
	release  bool
	acquire  reads
}

const (
	transferStages = vk.PipelineStage2AllTransferBit | vk.PipelineStage2CopyBit | vk.PipelineStage2ResolveBit | vk.PipelineStage2BlitBit | vk.PipelineStage2ClearBit
	shaderWrites   = vk.Access2ShaderWriteBit | vk.Access2ShaderStorageWriteBit | vk.Access2MemoryWriteBit
	// scalarReads may go through caches of scalars as well: constants, and words that all lanes of a wave read alike.
	scalarReads = vk.Access2UniformReadBit | vk.Access2ShaderReadBit | vk.Access2ShaderStorageReadBit | vk.Access2MemoryReadBit
)

// add adds stages and accesses to a barrier.
func (b *barrier) add(fromStages, toStages vk.PipelineStageFlagBits2, fromAccess, toAccess vk.AccessFlagBits2) {
	const all = vk.PipelineStage2AllCommandsBit
	b.from[ofCompute] = b.from[ofCompute] || fromStages&(all|vk.PipelineStage2BottomOfPipeBit|vk.PipelineStage2ComputeShaderBit) != 0
	b.from[ofTransfer] = b.from[ofTransfer] || fromStages&(all|vk.PipelineStage2BottomOfPipeBit|transferStages) != 0
	b.from[ofTop] = b.from[ofTop] || fromStages&(all|vk.PipelineStage2BottomOfPipeBit) != 0
	top := toStages&(all|vk.PipelineStage2TopOfPipeBit) != 0
	b.to[ofTop] = b.to[ofTop] || top
	b.to[ofCompute] = b.to[ofCompute] || top || toStages&(vk.PipelineStage2DrawIndirectBit|vk.PipelineStage2ComputeShaderBit) != 0
	b.to[ofTransfer] = b.to[ofTransfer] || top || toStages&transferStages != 0
	b.release = b.release || fromAccess&shaderWrites != 0
	switch {
	case toAccess&scalarReads != 0:
		b.acquire = readsAll
	case toAccess&vk.Access2ShaderSampledReadBit != 0:
		b.acquire = max(b.acquire, readsVectors)
	}
}

// barrierOf converts a barrier whose stage masks apply to all its parts.
func barrierOf(from, to vk.PipelineStageFlags, memory []vk.MemoryBarrier, buffers []vk.BufferMemoryBarrier, images []vk.ImageMemoryBarrier) barrier {
	var b barrier
	add := func(src, dst vk.AccessFlags) {
		b.add(vk.PipelineStageFlagBits2(from), vk.PipelineStageFlagBits2(to), vk.AccessFlagBits2(src), vk.AccessFlagBits2(dst))
	}
	add(0, 0)
	for i := range memory {
		add(memory[i].SrcAccessMask, memory[i].DstAccessMask)
	}
	for i := range buffers {
		add(buffers[i].SrcAccessMask, buffers[i].DstAccessMask)
	}
	for i := range images {
		add(images[i].SrcAccessMask, images[i].DstAccessMask)
	}
	return b
}

// barrierOf2 converts a barrier (synchronization2) in which each part has its own stages.
func barrierOf2(d *vk.DependencyInfo) barrier {
	var b barrier
	add := func(from, to vk.PipelineStageFlags2, src, dst vk.AccessFlags2) {
		b.add(vk.PipelineStageFlagBits2(from), vk.PipelineStageFlagBits2(to), vk.AccessFlagBits2(src), vk.AccessFlagBits2(dst))
	}
	for _, m := range items(d.PMemoryBarriers, d.MemoryBarrierCount) {
		add(m.SrcStageMask, m.DstStageMask, m.SrcAccessMask, m.DstAccessMask)
	}
	for _, m := range items(d.PBufferMemoryBarriers, d.BufferMemoryBarrierCount) {
		add(m.SrcStageMask, m.DstStageMask, m.SrcAccessMask, m.DstAccessMask)
	}
	for _, m := range items(d.PImageMemoryBarriers, d.ImageMemoryBarrierCount) {
		add(m.SrcStageMask, m.DstStageMask, m.SrcAccessMask, m.DstAccessMask)
	}
	return b
}

// fullBarrier orders all commands before all later ones, in the stages of a wait.
func fullBarrier(to vk.PipelineStageFlagBits2) barrier {
	var b barrier
	b.add(vk.PipelineStage2AllCommandsBit, to, vk.Access2MemoryWriteBit, vk.Access2MemoryReadBit)
	return b
}

// A lane is a queue of a plan: the dependences of its next commands, and its items so far.
type lane struct {
	queue   *queue
	number  int
	pending [commandKinds]dependence
	open    [commandKinds][]int // items by kind, without those that a later item of the kind waits for
}

// earlierItems returns the earlier items of some kinds, and the items that the next commands of those kinds would wait for.
func (l *lane) earlierItems(kinds [commandKinds]bool) (after []int) {
	for k, in := range kinds {
		if in {
			after = join(after, join(l.open[k], l.pending[k].waitsFor))
		}
	}
	return after
}

// all is everything before.
func (l *lane) all() []int { return l.earlierItems([commandKinds]bool{true, true, true}) }

// waits adds a dependence to later commands of some kinds.
func (l *lane) waits(to [commandKinds]bool, d dependence) {
	for k, in := range to {
		if in {
			l.pending[k].add(d)
		}
	}
}

// barrier carries a barrier out.
func (l *lane) barrier(b *barrier) {
	l.waits(b.to, dependence{waitsFor: l.earlierItems(b.from), release: b.release, acquire: b.acquire})
}

// reset: all before is done, and memory is as a new launch finds it.
func (l *lane) reset() {
	l.pending, l.open = [commandKinds]dependence{}, [commandKinds][]int{}
}

func (d *dependence) add(o dependence) {
	after := join(d.waitsFor, o.waitsFor)
	if d.waited && len(after) == len(d.waitsFor) && !o.release && o.acquire == readsNothing {
		return
	}
	if d.waited {
		d.release, d.acquire = false, readsNothing
	}
	d.waitsFor, d.waited = after, false
	d.release, d.acquire = d.release || o.release, max(d.acquire, o.acquire)
}

// join is the numbers of both, each once, in their order.
func join(a, b []int) []int {
	list := slices.Concat(a, b)
	slices.Sort(list)
	return slices.Compact(list)
}
