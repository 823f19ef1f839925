package driver

import (
	"spvsim/config"
	"spvsim/vulkan/vk"
)

// Queue families: the first supports compute and transfers, the second transfers alone.
const (
	computing = iota
	copying
	queueFamilies
)

// Queues of a family, at most: as many as Mesa's driver offers, where the machine's pipes serve as many.
const (
	mostComputing = 8
	mostCopying   = 2
)

func familiesOf(m *config.Machine) []vk.QueueFamilyProperties {
	one := vk.QueueFamilyProperties{TimestampValidBits: 64, MinImageTransferGranularity: vk.Extent3D{Width: 1, Height: 1, Depth: 1}}
	list := []vk.QueueFamilyProperties{computing: one, copying: one}
	f := &m.FrontEnd
	list[computing].QueueFlags, list[computing].QueueCount = vk.QueueComputeBit|vk.QueueTransferBit, uint32(min(mostComputing, f.Pipes*f.QueuesPerPipe))
	list[copying].QueueFlags, list[copying].QueueCount = vk.QueueTransferBit, uint32(min(mostCopying, f.QueuesPerPipe))
	return list
}

// globalPriorities maps the API's global priorities to those of hardware queues.
var globalPriorities = map[vk.QueueGlobalPriority]string{
	vk.QueueGlobalPriorityLow: "low", vk.QueueGlobalPriorityMedium: "medium", vk.QueueGlobalPriorityHigh: "high", vk.QueueGlobalPriorityRealtime: "realtime",
}

// priorityOf returns the priority of a queue's hardware queue: the requested global priority, which ranks it against
// all queues of the machine; else low or medium by its priority within the device (discreteQueuePriorities is 2).
func priorityOf(q *vk.DeviceQueueCreateInfo, i uint32) string {
	name := "medium"
	if list := itemsIf(q.PQueuePriorities, q.QueueCount); list != nil && list[i] < 0.5 {
		name = "low"
	}
	if g := next[vk.DeviceQueueGlobalPriorityCreateInfo](q.PNext, vk.StructureTypeDeviceQueueGlobalPriorityCreateInfo); g != nil {
		known, ok := globalPriorities[g.GlobalPriority]
		if !ok {
			fail(vk.ErrorInitializationFailed, "global priority %d: want 128, 256, 512 or 1024", g.GlobalPriority)
		}
		name = known
	}
	return name
}

// tellPriorities fills the structure of a family's global priorities, if present.
func tellPriorities(p *vk.QueueFamilyProperties2) {
	if to := next[vk.QueueFamilyGlobalPriorityProperties](p.PNext, vk.StructureTypeQueueFamilyGlobalPriorityProperties); to != nil {
		to.PriorityCount = 4
		copy(to.Priorities[:], []vk.QueueGlobalPriority{vk.QueueGlobalPriorityLow, vk.QueueGlobalPriorityMedium, vk.QueueGlobalPriorityHigh, vk.QueueGlobalPriorityRealtime})
	}
}
