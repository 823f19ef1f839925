package driver

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"spvsim/vulkan/vk"
)

// Memory with opaque file descriptors (VK_KHR_external_memory_fd) is a file of the kernel's memory, memfd_create(2),
// which whoever has a descriptor of it can map.

// share opens the pages of memory that is exported or imported.
func (m *memory) share(list unsafe.Pointer) error {
	if i := next[vk.ImportMemoryFdInfoKHR](list, vk.StructureTypeImportMemoryFdInfoKhr); i != nil && i.HandleType != 0 {
		return m.shareImported(i)
	}
	e := next[vk.ExportMemoryAllocateInfo](list, vk.StructureTypeExportMemoryAllocateInfo)
	if e == nil || e.HandleTypes == 0 {
		return nil
	}
	if err := checkHandleType(vk.ExternalMemoryHandleTypeFlagBits(e.HandleTypes)); err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("spvsim memory", unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("memory with a file descriptor: %w", err)
	}
	m.shared = os.NewFile(uintptr(fd), "memory")
	if err := m.shared.Truncate(int64(m.size)); err != nil {
		m.close()
		return fmt.Errorf("memory of %d bytes with a file descriptor: %w", m.size, err)
	}
	return nil
}

// shareImported takes the application's descriptor over. It must be one of memory of the same size.
func (m *memory) shareImported(i *vk.ImportMemoryFdInfoKHR) error {
	if err := checkHandleType(i.HandleType); err != nil {
		return err
	}
	var about unix.Stat_t
	if err := unix.Fstat(int(i.Fd), &about); err != nil {
		return fmt.Errorf("file descriptor %d: %w", i.Fd, err)
	}
	if about.Mode&unix.S_IFMT != unix.S_IFREG || uint64(about.Size) != m.size {
		return fmt.Errorf("file descriptor %d: found a file of %d bytes: want one that vkGetMemoryFdKHR returned for memory of %d bytes", i.Fd, about.Size, m.size)
	}
	m.shared = os.NewFile(uintptr(i.Fd), "memory")
	return nil
}

// checkHandleType refuses handles that are no opaque file descriptors.
func checkHandleType(kind vk.ExternalMemoryHandleTypeFlagBits) error {
	if kind != vk.ExternalMemoryHandleTypeOpaqueFdBit {
		return fmt.Errorf("handle types %#x: want %#x, an opaque file descriptor", kind, vk.ExternalMemoryHandleTypeOpaqueFdBit)
	}
	return nil
}

// close closes the file of exported or imported memory.
func (m *memory) close() {
	if m.shared != nil {
		m.shared.Close()
		m.shared = nil
	}
}

// GetMemoryFdKHR is vkGetMemoryFdKHR. The descriptor is the application's.
func GetMemoryFdKHR(h vk.Device, info *vk.MemoryGetFdInfoKHR, out *int32) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	m := mustLookUp[*memory](uint64(info.Memory))
	if err := checkHandleType(info.HandleType); err != nil {
		fail(vk.ErrorInvalidExternalHandle, "%v", err)
	}
	if m.shared == nil {
		fail(vk.ErrorInvalidExternalHandle, "%v: it was not allocated for export (VkExportMemoryAllocateInfo)", m.object)
	}
	fd, err := unix.FcntlInt(m.shared.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		fail(vk.ErrorTooManyObjects, "%v: %v", m.object, err)
	}
	*out = int32(fd)
	return d.result()
}

// GetMemoryFdPropertiesKHR is vkGetMemoryFdPropertiesKHR: the API does not allow it for opaque file descriptors, and there
// are no others.
func GetMemoryFdPropertiesKHR(_ vk.Device, kind vk.ExternalMemoryHandleTypeFlagBits, _ int32, _ *vk.MemoryFdPropertiesKHR) vk.Result {
	fail(vk.ErrorInvalidExternalHandle, "handle type %#x: the device has opaque file descriptors only", kind)
	return vk.ErrorInvalidExternalHandle
}
