package driver

import (
	"crypto/sha256"
	"os"
	"slices"
	"sync/atomic"
	"unsafe"

	"spvsim/gpu"
	"spvsim/vulkan/vk"
)

// A device is a machine that runs.
type logicalDevice struct {
	handle    uint64
	number    int // in the order of creation in the process, from 1
	physical  *physical
	enabled   map[string]bool
	gpu       *gpu.Device
	heap      heap
	queues    [][]*queue // by family
	worker    *worker
	lost      error // the error that lost the device
	records   *recorder
	captures  *capturer
	timing    choices // dispatches to time; nil: as the mode says
	observers observers
	progress  *progress
	clock     atomic.Uint64 // cycle at which the last work ended
	idle      *idleClock    // nil: the clock stops while nothing runs
	rising    *risingClock  // nil: timestamps show the clock as it is
	byClock   bool          // timeouts are of simulated time while work runs
	modules   map[[sha256.Size]byte]*shaderModule
	kernels   map[programKey]*gpu.Kernel
	store     *store // nil: no programs are stored between runs
}

// devices counts the devices that the process has created.
var devices int

func CreateDevice(h vk.PhysicalDevice, info *vk.DeviceCreateInfo, _ *vk.AllocationCallbacks, out *vk.Device) vk.Result {
	p := mustLookUp[*physical](uint64(h))
	d := &logicalDevice{physical: p, enabled: map[string]bool{}, modules: map[[sha256.Size]byte]*shaderModule{}, kernels: map[programKey]*gpu.Kernel{}, store: newStore()}
	for _, e := range items(info.PpEnabledExtensionNames, info.EnabledExtensionCount) {
		name := text(e)
		if !slices.ContainsFunc(extensions, func(e extension) bool { return !e.instance && e.name == name && p.has(&e) }) {
			fail(vk.ErrorExtensionNotPresent, "extension %s", name)
		}
		d.enabled[name] = true
	}
	robust := p.checkWanted(info)["robustBufferAccess"]
	d.timing, d.progress = readChoices("SPVSIM_TIME", ""), newProgress()
	setup := gpu.DeviceSetup{Machine: p.machine, Mode: readSettings().mode, Progress: d.progress.callback(),
		MaxInstructions: integer("SPVSIM_MAX_INSTRUCTIONS"), MaxHostSeconds: number("SPVSIM_MAX_SECONDS")}
	setup.Check = os.Getenv("SPVSIM_CHECK") != ""
	d.observers = newWatchers(d, setup.Mode, robust)
	setup.Tracer, setup.Observer = d.observers.tracer(), printer{}
	g, err := gpu.OpenDevice(setup)
	if err != nil {
		fail(vk.ErrorInitializationFailed, "%v", err)
	}
	devices++
	s := readSettings()
	if d.byClock = s.timeouts == "simulated"; s.clock == "host" {
		d.idle = newIdleClock(p.machine.ClockMHz)
	}
	if p.spoofing.rising {
		d.rising = newRisingClock(p.machine.ClockMHz)
	}
	d.gpu, d.number = g, devices
	d.heap = heap{capacity: uint64(p.machine.Memory.Bytes), next: firstAddress, host: budget{limit: mostHostBytes}}
	d.captures, d.records = newCapturer(), newRecorder(p.instance)
	d.worker = newWorker(d)
	d.handle = addDispatchable(d, 0)
	d.queues = make([][]*queue, queueFamilies)
	for _, q := range items(info.PQueueCreateInfos, info.QueueCreateInfoCount) {
		d.addQueues(&q)
	}
	*out = vk.Device(d.handle)
	return vk.Success
}

// untimed reports whether a dispatch is excluded from timing.
func (d *logicalDevice) untimed(name string) bool { return d.timing != nil && !d.timing.selects(name) }

// checkWanted returns the features that are enabled, and refuses those that the device does not have.
func (p *physical) checkWanted(info *vk.DeviceCreateInfo) map[string]bool {
	wanted := map[string]bool{}
	if info.PEnabledFeatures != nil {
		p.checkFeatures(unsafe.Pointer(info.PEnabledFeatures), vk.Features, wanted)
	}
	chain(info.PNext, func(t vk.StructureType, s unsafe.Pointer) {
		if t == vk.StructureTypePhysicalDeviceFeatures2 {
			p.checkFeatures(unsafe.Add(s, featuresAt), vk.Features, wanted)
		}
		if list, ok := vk.FeatureStructs[t]; ok {
			p.checkFeatures(unsafe.Add(s, featuresAt), list, wanted)
		}
	})
	return wanted
}

func (d *logicalDevice) addQueues(q *vk.DeviceQueueCreateInfo) {
	f, families := q.QueueFamilyIndex, d.physical.families()
	if int(f) < len(families) && len(d.queues[f]) > 0 {
		fail(vk.ErrorInitializationFailed, "two VkDeviceQueueCreateInfo of family %d: want one of each family", f)
	}
	if int(f) >= len(families) || q.QueueCount > families[f].QueueCount {
		fail(vk.ErrorInitializationFailed, "%d queues of family %d: there are %d families, with %d and %d queues", q.QueueCount, f, len(families), families[0].QueueCount, families[1].QueueCount)
	}
	for i := range q.QueueCount {
		made := &queue{device: d, family: int(f), index: len(d.queues[f]), priority: priorityOf(q, i)}
		made.handle = addDispatchable(made, d.handle)
		d.queues[f] = append(d.queues[f], made)
	}
}

// DestroyDevice is vkDestroyDevice. Its remaining objects are freed.
func DestroyDevice(h vk.Device, _ *vk.AllocationCallbacks) {
	d, ok := removeObject[*logicalDevice](uint64(h))
	if !ok {
		return
	}
	d.worker.finish()
	d.observers.profile.write()
	d.records.close()
	for h, o := range objects {
		if o.owner != d.handle {
			continue
		}
		if m, ok := o.x.(*memory); ok {
			m.release()
		}
		remove(h)
	}
}

func GetDeviceQueue(h vk.Device, family, index uint32, out *vk.Queue) {
	d := mustLookUp[*logicalDevice](uint64(h))
	if int(family) >= len(d.queues) || int(index) >= len(d.queues[family]) {
		fail(vk.ErrorUnknown, "queue %d of family %d: it was not asked for when the device was created", index, family)
	}
	*out = vk.Queue(d.queues[family][index].handle)
}

func GetDeviceQueue2(h vk.Device, info *vk.DeviceQueueInfo2, out *vk.Queue) {
	GetDeviceQueue(h, info.QueueFamilyIndex, info.QueueIndex, out)
}

func DeviceWaitIdle(h vk.Device) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	d.worker.wait(func() bool { return d.lost != nil || !d.worker.busy() })
	return d.result()
}

// result is success, unless the device is lost.
func (d *logicalDevice) result() vk.Result {
	if d.lost != nil {
		return vk.ErrorDeviceLost
	}
	return vk.Success
}

// GetDeviceGroupPeerMemoryFeatures is vkGetDeviceGroupPeerMemoryFeatures: a device is alone in its group.
func GetDeviceGroupPeerMemoryFeatures(_ vk.Device, _, _, _ uint32, out *vk.PeerMemoryFeatureFlags) {
	*out = vk.PeerMemoryFeatureCopySrcBit | vk.PeerMemoryFeatureCopyDstBit | vk.PeerMemoryFeatureGenericSrcBit | vk.PeerMemoryFeatureGenericDstBit
}
