package driver

import "spvsim/vulkan/vk"

// A budget bounds the memory of the host that objects take whose size is a count of the application's: one small call can ask for far more than the
// host has, which would end the application.
type budget struct{ used, most uint64 }

// mostHostBytes is what such objects of a device may take together.
const mostHostBytes = 1 << 30

// take takes so many bytes; more than the device has left end the call.
func (b *budget) take(bytes uint64, what string) {
	if bytes > b.most-b.used {
		fail(vk.ErrorOutOfHostMemory, "%d bytes of the host for %s: the device has %d of %d left for objects of the application", bytes, what, b.most-b.used, b.most)
	}
	b.used += bytes
}

// give gives them back.
func (b *budget) give(bytes uint64) { b.used -= bytes }
