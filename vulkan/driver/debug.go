package driver

import (
	"cmp"
	"strings"
	"unsafe"

	"spvsim/vulkan/vk"
)

// A messenger is a function of the application that receives the driver's messages.
type messenger struct {
	call uintptr
	user unsafe.Pointer
}

// CallMessenger calls a C function; package main sets it.
var CallMessenger = func(call uintptr, user unsafe.Pointer, text string) {}

// tellMessengers passes a message on.
func tellMessengers(text string) {
	for _, o := range objects {
		if m, ok := o.x.(*messenger); ok {
			CallMessenger(m.call, m.user, text)
		}
	}
}

func CreateDebugUtilsMessengerEXT(h vk.Instance, info *vk.DebugUtilsMessengerCreateInfoEXT, _ *vk.AllocationCallbacks, out *vk.DebugUtilsMessengerEXT) vk.Result {
	mustLookUp[*instance](uint64(h))
	*out = vk.DebugUtilsMessengerEXT(addObject(&messenger{info.PfnUserCallback, info.PUserData}, 0))
	return vk.Success
}

func SubmitDebugUtilsMessageEXT(_ vk.Instance, _ vk.DebugUtilsMessageSeverityFlagBitsEXT, _ vk.DebugUtilsMessageTypeFlagsEXT, data *vk.DebugUtilsMessengerCallbackDataEXT) {
	tellMessengers(text(data.PMessage))
}

func SetDebugUtilsObjectNameEXT(_ vk.Device, info *vk.DebugUtilsObjectNameInfoEXT) vk.Result {
	if o := objects[info.ObjectHandle]; o != nil {
		o.name = text(info.PObjectName)
	}
	return vk.Success
}

// SetDebugUtilsObjectTagEXT is vkSetDebugUtilsObjectTagEXT: tags are not read.
func SetDebugUtilsObjectTagEXT(_ vk.Device, _ *vk.DebugUtilsObjectTagInfoEXT) vk.Result {
	return vk.Success
}

func QueueBeginDebugUtilsLabelEXT(h vk.Queue, l *vk.DebugUtilsLabelEXT) {
	q := mustLookUp[*queue](uint64(h))
	q.labels = append(q.labels[:len(q.labels):len(q.labels)], text(l.PLabelName))
}

func QueueEndDebugUtilsLabelEXT(h vk.Queue) {
	if q := mustLookUp[*queue](uint64(h)); len(q.labels) > 0 {
		q.labels = q.labels[:len(q.labels)-1]
	}
}

// QueueInsertDebugUtilsLabelEXT is vkQueueInsertDebugUtilsLabelEXT: a label on nothing.
func QueueInsertDebugUtilsLabelEXT(h vk.Queue, _ *vk.DebugUtilsLabelEXT) {
	mustLookUp[*queue](uint64(h))
}

func CmdBeginDebugUtilsLabelEXT(h vk.CommandBuffer, l *vk.DebugUtilsLabelEXT) {
	name := strings.Clone(text(l.PLabelName))
	record(h).add(func(x *executor) error {
		x.labels = append(x.labels, name)
		return nil
	})
}

func CmdEndDebugUtilsLabelEXT(h vk.CommandBuffer) {
	record(h).add(func(x *executor) error {
		x.labels = x.labels[:max(len(x.labels)-1, 0)]
		return nil
	})
}

// CmdInsertDebugUtilsLabelEXT is vkCmdInsertDebugUtilsLabelEXT: a label on nothing.
func CmdInsertDebugUtilsLabelEXT(h vk.CommandBuffer, _ *vk.DebugUtilsLabelEXT) { record(h) }

// title returns the name that the application gave a pipeline, else its entry point and the digest of its module.
func (p *pipeline) title() string {
	return cmp.Or(nameOf(p.handle), p.entry+" "+p.digest)
}

// A privateSlot maps handles of objects to the application's numbers.
type privateSlot struct{ values map[uint64]uint64 }

func CreatePrivateDataSlot(h vk.Device, _ *vk.PrivateDataSlotCreateInfo, _ *vk.AllocationCallbacks, out *vk.PrivateDataSlot) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	*out = vk.PrivateDataSlot(addObject(&privateSlot{map[uint64]uint64{}}, d.handle))
	return vk.Success
}

func SetPrivateData(_ vk.Device, _ vk.ObjectType, object uint64, s vk.PrivateDataSlot, data uint64) vk.Result {
	mustLookUp[*privateSlot](uint64(s)).values[object] = data
	return vk.Success
}

func GetPrivateData(_ vk.Device, _ vk.ObjectType, object uint64, s vk.PrivateDataSlot, out *uint64) {
	*out = mustLookUp[*privateSlot](uint64(s)).values[object]
}
