package driver

import (
	"spvsim/internal/lists"
	"spvsim/vulkan/vk"
)

type (
	fence struct {
		self
		device            *logicalDevice
		signaled, pending bool
	}
	// A semaphore is binary, or a timeline with a value that only grows.
	semaphore struct {
		self
		device   *logicalDevice
		timeline bool
		promised int    // submitted signals of a binary semaphore without a submitted wait
		value    uint64 // of a binary semaphore: 1 if it is signaled
		planned  []*signal
	}
	event struct {
		self
		device        *logicalDevice
		set           bool
		plannedChange *eventChange // the last that is planned
	}
	// An eventChange is a command that sets or resets an event, in a plan.
	eventChange struct {
		set      bool
		segment  *segment
		waitsFor []int
	}
)

// isSet reports whether the event is set once the plan has run.
func (e *event) isSet() bool {
	if e.plannedChange != nil {
		return e.plannedChange.set
	}
	return e.set
}

func (p point) reached() bool {
	if p.semaphore.timeline {
		return p.semaphore.value >= p.value
	}
	return p.semaphore.value != 0
}

// consume unsignals a binary semaphore.
func (p point) consume() {
	if !p.semaphore.timeline {
		p.semaphore.value = 0
	}
}

func (p point) signal() {
	if p.semaphore.timeline {
		p.semaphore.value = max(p.semaphore.value, p.value)
		return
	}
	p.semaphore.value = 1
}

func CreateFence(h vk.Device, info *vk.FenceCreateInfo, _ *vk.AllocationCallbacks, out *vk.Fence) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	*out = vk.Fence(addObject(&fence{device: d, signaled: info.Flags&vk.FenceCreateSignaledBit != 0}, d.handle))
	return vk.Success
}

func DestroyFence(h vk.Device, f vk.Fence, _ *vk.AllocationCallbacks) {
	if x, ok := removeObject[*fence](uint64(f)); ok && x.pending {
		x.device.warn("vkDestroyFence", "%v ends before the submission that signals it", x.object)
	}
}

func ResetFences(_ vk.Device, count uint32, list *vk.Fence) vk.Result {
	for _, h := range items(list, count) {
		f := mustLookUp[*fence](uint64(h))
		if f.pending {
			fail(vk.ErrorUnknown, "%v is in use: wait for it first", f.object)
		}
		f.signaled = false
	}
	return vk.Success
}

func GetFenceStatus(_ vk.Device, h vk.Fence) vk.Result {
	f := mustLookUp[*fence](uint64(h))
	f.device.worker.seal()
	switch {
	case f.signaled:
		return vk.Success
	case f.device.lost != nil:
		return vk.ErrorDeviceLost
	}
	return vk.NotReady
}

func WaitForFences(h vk.Device, count uint32, list *vk.Fence, all vk.Bool32, timeout uint64) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	fences := lists.Map(items(list, count), func(f vk.Fence) *fence { return mustLookUp[*fence](uint64(f)) })
	held := d.await(timeout, func() bool {
		return d.lost != nil || conditionsMet(all != 0, len(fences), func(i int) bool { return fences[i].signaled })
	})
	return d.waited(held)
}

func (d *logicalDevice) waited(held bool) vk.Result {
	switch {
	case d.lost != nil:
		return vk.ErrorDeviceLost
	case !held:
		return vk.Timeout
	}
	return vk.Success
}

// conditionsMet reports whether all of n conditions hold, or any of them.
func conditionsMet(all bool, n int, holds func(i int) bool) bool {
	for i := range n {
		if holds(i) != all {
			return !all
		}
	}
	return all
}

func CreateSemaphore(h vk.Device, info *vk.SemaphoreCreateInfo, _ *vk.AllocationCallbacks, out *vk.Semaphore) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	s := &semaphore{device: d}
	if t := next[vk.SemaphoreTypeCreateInfo](info.PNext, vk.StructureTypeSemaphoreTypeCreateInfo); t != nil && t.SemaphoreType == vk.SemaphoreTypeTimeline {
		s.timeline, s.value = true, t.InitialValue
	}
	*out = vk.Semaphore(addObject(s, d.handle))
	return vk.Success
}

func timeline(h vk.Semaphore) *semaphore {
	s := mustLookUp[*semaphore](uint64(h))
	if !s.timeline {
		fail(vk.ErrorUnknown, "a binary semaphore: want a timeline")
	}
	return s
}

func GetSemaphoreCounterValue(_ vk.Device, h vk.Semaphore, out *uint64) vk.Result {
	s := timeline(h)
	s.device.worker.seal()
	*out = s.value
	return s.device.result()
}

func SignalSemaphore(_ vk.Device, info *vk.SemaphoreSignalInfo) vk.Result {
	s := timeline(info.Semaphore)
	if info.Value <= s.value {
		fail(vk.ErrorUnknown, "value %d: the timeline is at %d", info.Value, s.value)
	}
	s.value = info.Value
	s.device.worker.sealBlocked()
	changed.Broadcast()
	return vk.Success
}

func WaitSemaphores(h vk.Device, info *vk.SemaphoreWaitInfo, timeout uint64) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	values := items(info.PValues, info.SemaphoreCount)
	var list []point
	for i, s := range items(info.PSemaphores, info.SemaphoreCount) {
		if i >= len(values) {
			fail(vk.ErrorUnknown, "%d semaphores, and no values", info.SemaphoreCount)
		}
		list = append(list, point{semaphore: timeline(s), value: values[i]})
	}
	held := d.await(timeout, func() bool {
		return d.lost != nil || conditionsMet(info.Flags&vk.SemaphoreWaitAnyBit == 0, len(list), func(i int) bool { return list[i].reached() })
	})
	return d.waited(held)
}

func CreateEvent(h vk.Device, _ *vk.EventCreateInfo, _ *vk.AllocationCallbacks, out *vk.Event) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	*out = vk.Event(addObject(&event{device: d}, d.handle))
	return vk.Success
}

func GetEventStatus(_ vk.Device, h vk.Event) vk.Result {
	e := mustLookUp[*event](uint64(h))
	e.device.worker.seal()
	if e.set {
		return vk.EventSet
	}
	return vk.EventReset
}

func SetEvent(_ vk.Device, h vk.Event) vk.Result {
	e := mustLookUp[*event](uint64(h))
	e.set, e.plannedChange = true, nil
	e.device.worker.sealBlocked()
	changed.Broadcast()
	return vk.Success
}

func ResetEvent(_ vk.Device, h vk.Event) vk.Result {
	e := mustLookUp[*event](uint64(h))
	e.set, e.plannedChange = false, nil
	return vk.Success
}
