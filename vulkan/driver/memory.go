package driver

import (
	"fmt"
	"math"
	"os"
	"syscall"
	"unsafe"

	"spvsim/mem"
	"spvsim/vulkan/vk"
)

// firstAddress is the start of application memory, far above the addresses that the machine uses itself; addressStep
// aligns each allocation.
const (
	firstAddress = 1 << 40
	addressStep  = 1 << 16
)

// A heap accounts for a device's memory, and for the host memory of its objects. Addresses are never reused.
type heap struct {
	capacity, used, next uint64
	host                 budget
}

// memory is an allocation: the same bytes for the application, which may have them mapped, and for the machine.
type memory struct {
	self
	device         *logicalDevice
	bytes          []byte
	addr           uint64
	size           uint64 // requested size
	mappedByDriver bool   // mapped by the driver: imported memory is the application's
	mapped         bool
	kind           uint32
	shared         int  // descriptor of its pages, if descriptors of it are exported or it was imported from one; -1: none
	imported       bool // shared was the application's

	addressed bool // its buffers have device addresses
}

func AllocateMemory(h vk.Device, info *vk.MemoryAllocateInfo, _ *vk.AllocationCallbacks, out *vk.DeviceMemory) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	size := info.AllocationSize
	if info.MemoryTypeIndex >= uint32(len(memoryTypes)) {
		fail(vk.ErrorUnknown, "memory type %d: there are %d", info.MemoryTypeIndex, len(memoryTypes))
	}
	m := &memory{device: d, size: size, kind: info.MemoryTypeIndex, shared: -1}
	if f := next[vk.MemoryAllocateFlagsInfo](info.PNext, vk.StructureTypeMemoryAllocateFlagsInfo); f != nil {
		m.addressed = f.Flags&vk.MemoryAllocateDeviceAddressBit != 0
	}
	if i := next[vk.ImportMemoryHostPointerInfoEXT](info.PNext, vk.StructureTypeImportMemoryHostPointerInfoExt); i != nil && i.PHostPointer != nil {
		if uint64(uintptr(i.PHostPointer))%mapAlignment != 0 || size%mapAlignment != 0 || size == 0 || size > d.heap.capacity {
			fail(vk.ErrorInvalidExternalHandle, "memory of the host at %p, %d bytes: want multiples of %d, and at most %d bytes", i.PHostPointer, size, mapAlignment, d.heap.capacity)
		}
		m.bytes = unsafe.Slice((*byte)(i.PHostPointer), size)
	} else if err := m.share(info.PNext); err != nil {
		fail(vk.ErrorInvalidExternalHandle, "%v", err)
	} else if !m.reserve() {
		if !m.imported { // the application keeps the descriptor of an import that fails (VkImportMemoryFdInfoKHR)
			m.close()
		}
		return vk.ErrorOutOfDeviceMemory
	}
	m.addr = d.heap.next
	d.heap.next += (size + mem.Guard + addressStep - 1) / addressStep * addressStep
	d.heap.used += size
	*out = vk.DeviceMemory(addObject(m, d.handle))
	d.gpu.Map(m.addr, m.bytes, fmt.Sprintf("memory %#x", uint64(*out)))
	return vk.Success
}

// reserve maps zeroed pages, which use the host's memory on first access.
func (m *memory) reserve() bool {
	heap := &m.device.heap
	if m.size == 0 || m.size > heap.capacity-min(heap.used, heap.capacity) {
		return false
	}
	whole := (m.size + uint64(os.Getpagesize()) - 1) / uint64(os.Getpagesize()) * uint64(os.Getpagesize())
	file, flags := -1, syscall.MAP_ANON|syscall.MAP_PRIVATE
	if m.shared >= 0 {
		file, flags = m.shared, syscall.MAP_SHARED
	}
	b, err := syscall.Mmap(file, 0, int(whole), syscall.PROT_READ|syscall.PROT_WRITE, flags|syscall.MAP_NORESERVE)
	if err != nil {
		return false
	}
	m.bytes, m.mappedByDriver = b[:m.size:whole], true
	return true
}

// release unmaps the pages.
func (m *memory) release() {
	if m.mappedByDriver {
		_ = syscall.Munmap(m.bytes[:cap(m.bytes)]) // can't fail: the pages are mapped
	}
	m.close()
	m.bytes = nil
}

// FreeMemory is vkFreeMemory. Pages go when no work can use them any more.
func FreeMemory(h vk.Device, memoryHandle vk.DeviceMemory, _ *vk.AllocationCallbacks) {
	d := mustLookUp[*logicalDevice](uint64(h))
	m, ok := removeObject[*memory](uint64(memoryHandle))
	if !ok {
		return
	}
	d.freeing("vkFreeMemory", m.object)
	d.heap.used -= m.size
	d.gpu.Unmap(m.addr)
	d.worker.whenIdle(m.release)
}

func MapMemory(h vk.Device, memoryHandle vk.DeviceMemory, offset, size uint64, _ vk.MemoryMapFlags, out *unsafe.Pointer) vk.Result {
	mustLookUp[*logicalDevice](uint64(h))
	m := mustLookUp[*memory](uint64(memoryHandle))
	switch {
	case m.mapped:
		fail(vk.ErrorMemoryMapFailed, "the memory is mapped")
	case offset >= m.size || size != vk.WholeSize && size > m.size-offset:
		fail(vk.ErrorMemoryMapFailed, "%d bytes from byte %d on of %d", size, offset, m.size)
	case memoryTypes[m.kind].PropertyFlags&vk.MemoryPropertyHostVisibleBit == 0:
		fail(vk.ErrorMemoryMapFailed, "memory type %d can't be mapped", m.kind)
	}
	m.mapped = true
	*out = unsafe.Pointer(&m.bytes[offset])
	return vk.Success
}

func UnmapMemory(h vk.Device, memoryHandle vk.DeviceMemory) {
	mustLookUp[*logicalDevice](uint64(h))
	m := mustLookUp[*memory](uint64(memoryHandle))
	if !m.mapped {
		fail(vk.ErrorMemoryMapFailed, "%v is not mapped", m.object)
	}
	m.mapped = false
}

// FlushMappedMemoryRanges is vkFlushMappedMemoryRanges: all memory is coherent.
func FlushMappedMemoryRanges(h vk.Device, count uint32, ranges *vk.MappedMemoryRange) vk.Result {
	return mustLookUp[*logicalDevice](uint64(h)).mappedRanges(items(ranges, count))
}

// InvalidateMappedMemoryRanges is vkInvalidateMappedMemoryRanges: all memory is coherent.
func InvalidateMappedMemoryRanges(h vk.Device, count uint32, ranges *vk.MappedMemoryRange) vk.Result {
	return mustLookUp[*logicalDevice](uint64(h)).mappedRanges(items(ranges, count))
}

// mappedRanges refuses ranges of memory that is not mapped, or beyond its end.
func (d *logicalDevice) mappedRanges(list []vk.MappedMemoryRange) vk.Result {
	for _, r := range list {
		switch m := mustLookUp[*memory](uint64(r.Memory)); {
		case !m.mapped:
			fail(vk.ErrorMemoryMapFailed, "%v is not mapped", m.object)
		case r.Offset > m.size || r.Size != vk.WholeSize && r.Size > m.size-r.Offset:
			fail(vk.ErrorMemoryMapFailed, "%d bytes from byte %d on: %v has %d", r.Size, r.Offset, m.object, m.size)
		}
	}
	return d.result()
}

func GetDeviceMemoryCommitment(_ vk.Device, memoryHandle vk.DeviceMemory, out *uint64) {
	*out = mustLookUp[*memory](uint64(memoryHandle)).size
}

func GetDeviceMemoryOpaqueCaptureAddress(_ vk.Device, info *vk.DeviceMemoryOpaqueCaptureAddressInfo) uint64 {
	return mustLookUp[*memory](uint64(info.Memory)).addr
}

func GetMemoryHostPointerPropertiesEXT(_ vk.Device, kind vk.ExternalMemoryHandleTypeFlagBits, _ unsafe.Pointer, out *vk.MemoryHostPointerPropertiesEXT) vk.Result {
	if kind != vk.ExternalMemoryHandleTypeHostAllocationBitExt {
		fail(vk.ErrorInvalidExternalHandle, "handle type %#x: want an allocation of the host", kind)
	}
	out.MemoryTypeBits = allMemoryTypes &^ 1
	return vk.Success
}

type (
	// A resource is a range of memory once it is bound.
	resource struct {
		self
		device *logicalDevice
		memory *memory
		offset uint64
	}
	buffer struct {
		resource
		size  uint64
		usage vk.BufferUsageFlags
	}
)

func CreateBuffer(h vk.Device, info *vk.BufferCreateInfo, _ *vk.AllocationCallbacks, out *vk.Buffer) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	switch {
	case info.Flags&^vk.BufferCreateDeviceAddressCaptureReplayBit != 0:
		fail(vk.ErrorFeatureNotPresent, "flags %#x of a buffer: neither sparse nor protected memory is there", info.Flags)
	case info.Size == 0 || info.Size > d.heap.capacity:
		return vk.ErrorOutOfDeviceMemory
	}
	b := &buffer{resource: resource{device: d}, size: info.Size, usage: info.Usage}
	if f := next[vk.BufferUsageFlags2CreateInfo](info.PNext, vk.StructureTypeBufferUsageFlags2CreateInfo); f != nil {
		b.usage = vk.BufferUsageFlags(f.Usage) // the bits of both are the same
	}
	*out = vk.Buffer(addObject(b, d.handle))
	return vk.Success
}

// bindAlignment is the alignment of resources in memory, in bytes.
const bindAlignment = 256

func requirements(size uint64) vk.MemoryRequirements {
	if size > math.MaxUint64-bindAlignment {
		fail(vk.ErrorUnknown, "a resource of %d bytes", size)
	}
	return vk.MemoryRequirements{Size: (size + bindAlignment - 1) / bindAlignment * bindAlignment, Alignment: bindAlignment, MemoryTypeBits: allMemoryTypes}
}

func GetBufferMemoryRequirements(_ vk.Device, b vk.Buffer, out *vk.MemoryRequirements) {
	*out = requirements(mustLookUp[*buffer](uint64(b)).size)
}

func GetBufferMemoryRequirements2(h vk.Device, info *vk.BufferMemoryRequirementsInfo2, out *vk.MemoryRequirements2) {
	GetBufferMemoryRequirements(h, info.Buffer, &out.MemoryRequirements)
	undedicated(out)
}

func GetDeviceBufferMemoryRequirements(_ vk.Device, info *vk.DeviceBufferMemoryRequirements, out *vk.MemoryRequirements2) {
	out.MemoryRequirements = requirements(info.PCreateInfo.Size)
	undedicated(out)
}

// undedicated reports that no resource needs a dedicated allocation.
func undedicated(out *vk.MemoryRequirements2) {
	if r := next[vk.MemoryDedicatedRequirements](out.PNext, vk.StructureTypeMemoryDedicatedRequirements); r != nil {
		r.PrefersDedicatedAllocation, r.RequiresDedicatedAllocation = 0, 0
	}
}

func BindBufferMemory(_ vk.Device, h vk.Buffer, memoryHandle vk.DeviceMemory, offset uint64) vk.Result {
	b, m := mustLookUp[*buffer](uint64(h)), mustLookUp[*memory](uint64(memoryHandle))
	b.bind(m, b.size, offset)
	if b.usage&vk.BufferUsageShaderDeviceAddressBit != 0 && !m.addressed {
		b.device.warn("vkBindBufferMemory", "%v is to have a device address, and %v was not allocated with VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT", b.object, m.object)
	}
	return vk.Success
}

func BindBufferMemory2(h vk.Device, count uint32, infos *vk.BindBufferMemoryInfo) vk.Result {
	for _, i := range items(infos, count) {
		BindBufferMemory(h, i.Buffer, i.Memory, i.MemoryOffset)
	}
	return vk.Success
}

func GetBufferDeviceAddress(_ vk.Device, info *vk.BufferDeviceAddressInfo) uint64 {
	b := mustLookUp[*buffer](uint64(info.Buffer))
	b.checkUsage("vkGetBufferDeviceAddress", vk.BufferUsageShaderDeviceAddressBit, "SHADER_DEVICE_ADDRESS")
	return b.address()
}

func GetBufferOpaqueCaptureAddress(_ vk.Device, info *vk.BufferDeviceAddressInfo) uint64 {
	return mustLookUp[*buffer](uint64(info.Buffer)).address()
}

func (r *resource) address() uint64 {
	r.bound()
	return r.memory.addr + r.offset
}

func (r *resource) bound() {
	if lacks := r.memory.lacks(); lacks != "" {
		fail(vk.ErrorUnknown, "%v has no memory: %s", r.object, lacks)
	}
}

// bind puts a resource of a size at a place in memory at which it can be.
func (r *resource) bind(m *memory, size, offset uint64) {
	switch {
	case r.memory != nil:
		fail(vk.ErrorUnknown, "%v is bound to memory already", r.object)
	case offset > m.size || size > m.size-offset:
		fail(vk.ErrorUnknown, "%v of %d bytes at byte %d of memory of %d", r.object, size, offset, m.size)
	case offset%bindAlignment != 0:
		fail(vk.ErrorUnknown, "%v at byte %d of memory: want a multiple of %d (VkMemoryRequirements::alignment)", r.object, offset, bindAlignment)
	}
	r.memory, r.offset = m, offset
}

// lacks is why a resource has no memory; empty: it has.
func (m *memory) lacks() string {
	switch {
	case m == nil:
		return "none was bound to it"
	case m.destroyed() || m.bytes == nil:
		return "it was freed"
	}
	return ""
}

// span returns the size of a range of a buffer, which must lie in it.
func (b *buffer) span(offset, size uint64) uint64 {
	if size == vk.WholeSize && offset <= b.size {
		return b.size - offset
	}
	if offset > b.size || size > b.size-offset {
		fail(vk.ErrorUnknown, "%d bytes from byte %d on: %v has %d", size, offset, b.object, b.size)
	}
	return size
}

// bytes are a range of a buffer.
func (b *buffer) bytes(offset, size uint64) []byte {
	b.bound()
	size = b.span(offset, size)
	return b.memory.bytes[b.offset+offset:][:size:size]
}

// descriptor returns the descriptor of a range.
func (b *buffer) descriptor(offset, size uint64) mem.Descriptor {
	return mem.Descriptor{Addr: b.address() + offset, Bytes: b.bytes(offset, size)}
}
