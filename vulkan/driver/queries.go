package driver

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"spvsim/account"
	"spvsim/vulkan/vk"
)

// A queryPool holds timestamps, in cycles of the machine, or counts of the time in which a query was open.
type queryPool struct {
	self
	device    *logicalDevice
	values    []uint64
	available []bool
	ready     []bool           // they were reset, and not written since
	counters  []counter        // of queries that count
	sums      []account.Counts // of each; nil for timestamps
}

// A query is a query of a pool.
type query struct {
	pool  *queryPool
	index uint32
}

// newQueryPool creates a pool within the device's share of host memory.
func (d *logicalDevice) newQueryPool(queries uint32, counts bool) *queryPool {
	n := uint64(queries)
	d.heap.host.reserve(n*queryBytes(counts), fmt.Sprintf("%d queries", n))
	p := &queryPool{device: d, values: make([]uint64, n), available: make([]bool, n), ready: make([]bool, n)}
	if counts {
		p.sums = make([]account.Counts, n)
	}
	return p
}

// queryBytes returns the host memory of a query.
func queryBytes(counts bool) uint64 {
	if counts {
		return 16 + uint64(unsafe.Sizeof(account.Counts{}))
	}
	return 16
}

func CreateQueryPool(h vk.Device, info *vk.QueryPoolCreateInfo, _ *vk.AllocationCallbacks, out *vk.QueryPool) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	var p *queryPool
	switch counts := next[vk.QueryPoolPerformanceCreateInfoKHR](info.PNext, vk.StructureTypeQueryPoolPerformanceCreateInfoKhr); {
	case info.QueryCount == 0:
		fail(vk.ErrorUnknown, "a pool of no queries")
	case info.QueryType == vk.QueryTypePerformanceQueryKhr && counts != nil:
		p = d.counted(counts, info.QueryCount)
	case info.QueryType == vk.QueryTypeTimestamp:
		p = d.newQueryPool(info.QueryCount, false)
	default:
		fail(vk.ErrorFeatureNotPresent, "queries of type %d: there are timestamps and counters", info.QueryType)
	}
	*out = vk.QueryPool(addObject(p, d.handle))
	return vk.Success
}

func DestroyQueryPool(h vk.Device, pool vk.QueryPool, _ *vk.AllocationCallbacks) {
	if p, ok := destroy[*queryPool](h, "vkDestroyQueryPool", uint64(pool)); ok {
		p.device.heap.host.release(uint64(len(p.values)) * queryBytes(p.sums != nil))
	}
}

func (p *queryPool) check(first, count uint32) {
	if uint64(first)+uint64(count) > uint64(len(p.values)) {
		fail(vk.ErrorUnknown, "%d queries from %d on: the pool has %d", count, first, len(p.values))
	}
}

func (p *queryPool) reset(first, count uint32) {
	clear(p.values[first : first+count])
	clear(p.available[first : first+count])
	for i := range count {
		p.ready[first+i] = true
	}
}

// markWritten marks a query as written; the value of one that was not reset before is undefined.
func (p *queryPool) markWritten(i uint32) {
	if !p.ready[i] {
		p.device.warn("queries", "query %d of %v is written, and was not reset before (vkCmdResetQueryPool, vkResetQueryPool)", i, p.object)
	}
	p.ready[i] = false
}

func ResetQueryPool(_ vk.Device, h vk.QueryPool, first, count uint32) {
	p := mustLookUp[*queryPool](uint64(h))
	p.check(first, count)
	p.reset(first, count)
}

func CmdResetQueryPool(h vk.CommandBuffer, pool vk.QueryPool, first, count uint32) {
	b := record(h)
	p := use[*queryPool](b, uint64(pool))
	p.check(first, count)
	b.query(p, false, func(uint64) { p.reset(first, count) })
}

// query records an operation on queries of a pool: it runs when the queue reaches it or, if done is set, when all
// earlier commands have completed.
func (b *commandBuffer) query(p *queryPool, done bool, f func(cycle uint64)) {
	do := func(cycle uint64) {
		state.Lock()
		defer state.Unlock()
		f(cycle + b.device.idle.cycles(cycle))
		changed.Broadcast()
	}
	b.addHostCommand(func(x *executor) error {
		if x.batch == nil {
			do(x.device.gpu.Cycle())
			return nil
		}
		after := x.lane.pending[ofTop].waitsFor
		if done {
			after = x.lane.all()
		}
		x.batch.query(x.lane, p, after, do)
		return nil
	})
}

func CmdWriteTimestamp(h vk.CommandBuffer, stage vk.PipelineStageFlagBits, pool vk.QueryPool, query uint32) {
	record(h).timestamp(vk.PipelineStageFlagBits2(stage), pool, query)
}

func CmdWriteTimestamp2(h vk.CommandBuffer, stage vk.PipelineStageFlags2, pool vk.QueryPool, query uint32) {
	record(h).timestamp(vk.PipelineStageFlagBits2(stage), pool, query)
}

// timestamp records a timestamp: at the top of the pipe when the queue reaches it, at other stages when all earlier
// commands have completed.
func (b *commandBuffer) timestamp(stage vk.PipelineStageFlagBits2, pool vk.QueryPool, query uint32) {
	p := use[*queryPool](b, uint64(pool))
	p.check(query, 1)
	done := stage&^vk.PipelineStage2TopOfPipeBit != 0
	b.query(p, done, func(cycle uint64) {
		p.markWritten(query)
		p.values[query], p.available[query] = p.device.rising.shown(cycle), true
	})
}

func GetQueryPoolResults(h vk.Device, pool vk.QueryPool, first, count uint32, size uint64, data unsafe.Pointer, stride uint64, flags vk.QueryResultFlags) vk.Result {
	d, p := mustLookUp[*logicalDevice](uint64(h)), mustLookUp[*queryPool](uint64(pool))
	p.check(first, count)
	p.fits(size, stride, count, flags)
	d.worker.seal()
	if flags&vk.QueryResultWaitBit != 0 {
		d.worker.wait(func() bool { return d.lost != nil || !slices.Contains(p.available[first:first+count], false) })
	}
	if !p.write(unsafe.Slice((*byte)(data), size), stride, first, count, flags) {
		return vk.NotReady
	}
	return d.result()
}

// fits refuses space that is too small for results.
func (p *queryPool) fits(size, stride uint64, count uint32, flags vk.QueryResultFlags) {
	one := uint64(resultBytes(flags))
	if p.sums != nil {
		one = 8 * uint64(len(p.counters))
	}
	if flags&vk.QueryResultWithAvailabilityBit != 0 {
		one *= 2
	}
	if count > 0 && (one > size || count > 1 && stride > (size-one)/uint64(count-1)) {
		fail(vk.ErrorUnknown, "%d results of %d bytes, %d bytes apart: there is space for %d bytes", count, one, stride, size)
	}
}

// write stores results in the layout of the flags, and reports whether all were available.
func (p *queryPool) write(to []byte, stride uint64, first, count uint32, flags vk.QueryResultFlags) (all bool) {
	all = true
	for i := range count {
		out := to[uint64(i)*stride:]
		there := p.available[first+i]
		all = all && there
		if p.sums != nil {
			for k := range p.counters {
				binary.LittleEndian.PutUint64(out[8*k:], p.counters[k].value(&p.sums[first+i]))
			}
			continue
		}
		at := 0
		if there || flags&vk.QueryResultPartialBit != 0 {
			putResult(out, flags, p.values[first+i])
		}
		at += resultBytes(flags)
		if flags&vk.QueryResultWithAvailabilityBit != 0 {
			putResult(out[at:], flags, uint64(truth(there)))
		}
	}
	return all
}

func resultBytes(flags vk.QueryResultFlags) int {
	if flags&vk.QueryResult64Bit != 0 {
		return 8
	}
	return 4
}

func putResult(to []byte, flags vk.QueryResultFlags, v uint64) {
	if flags&vk.QueryResult64Bit != 0 {
		binary.LittleEndian.PutUint64(to, v)
		return
	}
	binary.LittleEndian.PutUint32(to, uint32(v))
}

func CmdCopyQueryPoolResults(h vk.CommandBuffer, pool vk.QueryPool, first, count uint32, to vk.Buffer, offset, stride uint64, flags vk.QueryResultFlags) {
	b := record(h)
	p := use[*queryPool](b, uint64(pool))
	p.check(first, count)
	dst := b.useBuffer("vkCmdCopyQueryPoolResults", to, vk.BufferUsageTransferDstBit, "TRANSFER_DST").bytes(offset, vk.WholeSize)
	p.fits(uint64(len(dst)), stride, count, flags)
	if b.device.rising != nil {
		// OpenCL's own drivers have the front end write timestamps to memory: neither a launch nor a transfer.
		b.query(p, true, func(uint64) { p.write(dst, stride, first, count, flags) })
		return
	}
	t := &timedWork{name: "copy query results", bytes: min(uint64(count)*stride, uint64(len(dst))), action: func() {
		state.Lock()
		defer state.Unlock()
		p.write(dst, stride, first, count, flags)
	}}
	if flags&vk.QueryResultWaitBit != 0 {
		t.pool = p
	}
	b.add(t.run)
}
