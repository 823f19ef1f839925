package driver

import (
	"crypto/sha256"
	"slices"
	"strings"

	"spvsim/account"
	"spvsim/gpu"
	"spvsim/vulkan/vk"
)

// A counter is a performance counter of VK_KHR_performance_query: a number of the machine's account, summed while a
// query is open.
type counter struct {
	name, description string
	unit              vk.PerformanceCounterUnitKHR
	value             func(*account.Counts) uint64
}

// countersOf lists the counters of a machine whose memory has these levels.
func countersOf(levels []string) []counter {
	const plain, cycles, bytes = vk.PerformanceCounterUnitGenericKhr, vk.PerformanceCounterUnitCyclesKhr, vk.PerformanceCounterUnitBytesKhr
	list := []counter{
		{"cycles", "simulated time of dispatches and transfers", cycles, func(c *account.Counts) uint64 { return c.Cycles }},
		{"workgroups", "workgroups that ended", plain, func(c *account.Counts) uint64 { return c.Workgroups }},
		{"waves", "waves that ended", plain, func(c *account.Counts) uint64 { return c.Waves }},
		{"instructions", "wave instructions issued", plain, (*account.Counts).Instructions},
		{"lds accesses", "accesses to local data shares", plain, func(c *account.Counts) uint64 { return c.LDS.Accesses }},
		{"lds conflict passes", "passes that bank conflicts cost", plain, func(c *account.Counts) uint64 { return c.LDS.ConflictPasses }},
	}
	for i, name := range account.ReasonNames() {
		list = append(list, counter{"slot cycles " + name, "cycles of all wave slots charged to: " + name, cycles, func(c *account.Counts) uint64 { return c.Slots[i] }})
	}
	for i, level := range levels {
		at := func(c *account.Counts) (l account.LevelCounts) {
			if i < len(c.Memory) {
				l = c.Memory[i]
			}
			return l
		}
		list = append(list,
			counter{level + " accesses", "lines asked of " + level, plain, func(c *account.Counts) uint64 { return at(c).Accesses }},
			counter{level + " hits", "of them, lines that were there or on their way", plain, func(c *account.Counts) uint64 { return at(c).Hits }},
			counter{level + " bytes", "bytes moved between " + level + " and what asks it", bytes, func(c *account.Counts) uint64 { return at(c).Bytes }})
	}
	return list
}

// EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR is the command of that name.
func EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(h vk.PhysicalDevice, family uint32, count *uint32, out *vk.PerformanceCounterKHR, texts *vk.PerformanceCounterDescriptionKHR) vk.Result {
	p := mustLookUp[*physical](uint64(h))
	list := p.counters()
	if int(family) >= queueFamilies {
		fail(vk.ErrorUnknown, "queue family %d: there are %d", family, queueFamilies)
	}
	if out == nil && texts == nil {
		*count = uint32(len(list))
		return vk.Success
	}
	n := min(int(*count), len(list))
	for i := range n {
		if out != nil {
			c := &items(out, *count)[i]
			c.Unit, c.Scope, c.Storage = list[i].unit, vk.PerformanceCounterScopeCommandKhr, vk.PerformanceCounterStorageUint64Khr
			sum := sha256.Sum256([]byte(list[i].name))
			copy(c.Uuid[:], sum[:])
		}
		if texts != nil {
			t := &items(texts, *count)[i]
			t.Flags = 0
			setText(t.Name[:], list[i].name)
			category, _, _ := strings.Cut(list[i].name, " ")
			setText(t.Category[:], category)
			setText(t.Description[:], list[i].description)
		}
	}
	*count = uint32(n)
	if n < len(list) {
		return vk.Incomplete
	}
	return vk.Success
}

// GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR is the command of that name: one pass counts everything.
func GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR(_ vk.PhysicalDevice, _ *vk.QueryPoolPerformanceCreateInfoKHR, passes *uint32) {
	*passes = 1
}

// AcquireProfilingLockKHR is vkAcquireProfilingLockKHR: nothing else runs on the machine.
func AcquireProfilingLockKHR(h vk.Device, _ *vk.AcquireProfilingLockInfoKHR) vk.Result {
	return mustLookUp[*logicalDevice](uint64(h)).result()
}

func ReleaseProfilingLockKHR(h vk.Device) { mustLookUp[*logicalDevice](uint64(h)) }

// counted creates a pool of performance queries.
func (d *logicalDevice) counted(info *vk.QueryPoolPerformanceCreateInfoKHR, queries uint32) *queryPool {
	all := d.physical.counters()
	p := d.newQueryPool(queries, true)
	for _, i := range items(info.PCounterIndices, info.CounterIndexCount) {
		if int(i) >= len(all) {
			fail(vk.ErrorUnknown, "counter %d: there are %d", i, len(all))
		}
		p.counters = append(p.counters, all[i])
	}
	return p
}

func CmdBeginQuery(h vk.CommandBuffer, pool vk.QueryPool, index uint32, _ vk.QueryControlFlags) {
	b := record(h)
	p := use[*queryPool](b, uint64(pool))
	p.check(index, 1)
	if p.sums == nil {
		fail(vk.ErrorUnknown, "the pool's queries do not count")
	}
	if b.queries == nil {
		b.queries = map[query]bool{}
	}
	b.queries[query{p, index}] = true
	b.addHostCommand(func(x *executor) error {
		x.open = append(x.open, &p.sums[index])
		return nil
	})
	b.query(p, false, func(uint64) {
		p.markWritten(index)
		p.sums[index] = account.Counts{}
	})
}

func CmdEndQuery(h vk.CommandBuffer, pool vk.QueryPool, index uint32) {
	b := record(h)
	p := use[*queryPool](b, uint64(pool))
	p.check(index, 1)
	if p.sums == nil {
		fail(vk.ErrorUnknown, "the pool's queries do not count")
	}
	if !b.queries[query{p, index}] {
		fail(vk.ErrorUnknown, "query %d of %v was not begun in this command buffer", index, p.object)
	}
	delete(b.queries, query{p, index})
	b.addHostCommand(func(x *executor) error {
		x.open = slices.DeleteFunc(x.open, func(c *account.Counts) bool { return c == &p.sums[index] })
		there := func() {
			p.available[index] = true
			changed.Broadcast()
		}
		if x.batch != nil {
			x.batch.atEnd(there)
			return nil
		}
		state.Lock()
		defer state.Unlock()
		there()
		return nil
	})
}

// count adds counts to the open queries.
func (x *executor) count(c *account.Counts) {
	state.Lock()
	defer state.Unlock()
	for _, sum := range x.open {
		sum.Add(c)
	}
}

// counters lists the machine's performance counters.
func (p *physical) counters() []counter {
	return countersOf(gpu.Levels(p.machine))
}
