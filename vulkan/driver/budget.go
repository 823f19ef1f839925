package driver

import "spvsim/vulkan/vk"

// A budget bounds the host memory of objects whose size depends on a count of the application: one small call can
// request far more than the host has, which would end the application.
type budget struct{ used, limit uint64 }

// mostHostBytes is the bound of all such objects of a device together.
const mostHostBytes = 1 << 30

// reserve reserves bytes; a request for more than the device has left fails the call.
func (b *budget) reserve(bytes uint64, what string) {
	if bytes > b.limit-b.used {
		fail(vk.ErrorOutOfHostMemory, "%d bytes of the host for %s: the device has %d of %d left for objects of the application", bytes, what, b.limit-b.used, b.limit)
	}
	b.used += bytes
}

// release releases reserved bytes.
func (b *budget) release(bytes uint64) { b.used -= bytes }
