package driver

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"spvsim/vulkan/vk"
)

// An object is what a handle represents. Handles are numbers, never reused, so that one that was freed is known as such.
type object struct {
	x     any
	owner uint64 // handle of the device; 0: none
	name  string // that the application gave
}

var (
	objects    = map[uint64]*object{}
	nextHandle = uint64(0x5350_0000_0001)
)

// put gives an object its handle.
func put(x any, owner uint64) uint64 {
	h := nextHandle
	nextHandle++
	objects[h] = &object{x: x, owner: owner}
	return h
}

// loaderMagic is what the loader wants to find in the first word of a handle that it dispatches by (vk_icd.h, ICD_LOADER_MAGIC).
const loaderMagic = 0x01CDC0DE

// slots are the memory of dispatchable handles: the loader writes into it.
var slots struct {
	sync.Mutex
	free []byte
}

const (
	slotBytes  = 16
	slotsBytes = 1 << 16
)

// putDispatchable gives an object a handle that the loader can write to.
func putDispatchable(x any, owner uint64) uint64 {
	slots.Lock()
	defer slots.Unlock()
	if len(slots.free) < slotBytes {
		page, err := syscall.Mmap(-1, 0, slotsBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			fail(vk.ErrorOutOfHostMemory, "%v", err)
		}
		slots.free = page
	}
	slot := slots.free[:slotBytes]
	slots.free = slots.free[slotBytes:]
	*(*uint64)(unsafe.Pointer(&slot[0])) = loaderMagic
	h := uint64(uintptr(unsafe.Pointer(&slot[0])))
	objects[h] = &object{x: x, owner: owner}
	return h
}

// find is the object of a handle, if it is one of that kind.
func find[T any](h uint64) (x T, ok bool) {
	o := objects[h]
	if o == nil {
		return x, false
	}
	x, ok = o.x.(T)
	return x, ok
}

// get is the object of a handle; anything else ends the call.
func get[T any](h uint64) T {
	x, ok := find[T](h)
	if !ok {
		fail(vk.ErrorUnknown, "found handle %#x: want that of a %s that exists", h, kindOf(x))
	}
	return x
}

// optional is the object of a handle that may be null.
func optional[T any](h uint64) (x T) {
	if h == 0 {
		return x
	}
	return get[T](h)
}

// take removes an object and returns it; ok is false for the null handle.
func take[T any](h uint64) (x T, ok bool) {
	if h == 0 {
		return x, false
	}
	x = get[T](h)
	delete(objects, h)
	return x, true
}

func kindOf(x any) string {
	return strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", x), "*driver."), "_")
}

// nameOf is the name that the application gave to an object.
func nameOf(h uint64) string {
	if o := objects[h]; o != nil {
		return o.name
	}
	return ""
}

// items are the elements of an array that the application gives.
func items[T any](first *T, n uint32) []T {
	if first == nil || n == 0 {
		return nil
	}
	return unsafe.Slice(first, n)
}

// text is a string that the application gives.
func text(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// setText writes a string into an array of characters, with its end.
func setText(to []byte, s string) {
	clear(to)
	copy(to[:len(to)-1], s)
}

// enumerate fills the array of a command that is asked for a count first.
func enumerate[T any](count *uint32, to *T, list []T) vk.Result {
	if to == nil {
		*count = uint32(len(list))
		return vk.Success
	}
	n := copy(items(to, *count), list)
	*count = uint32(n)
	if n < len(list) {
		return vk.Incomplete
	}
	return vk.Success
}

// chain visits the structures after a pNext.
func chain(p unsafe.Pointer, visit func(t vk.StructureType, p unsafe.Pointer)) {
	for p != nil {
		s := (*vk.BaseOutStructure)(p)
		visit(s.SType, p)
		p = unsafe.Pointer(s.PNext)
	}
}

// next is the structure of that type after a pNext, or nil.
func next[T any](p unsafe.Pointer, want vk.StructureType) (found *T) {
	chain(p, func(t vk.StructureType, p unsafe.Pointer) {
		if t == want && found == nil {
			found = (*T)(p)
		}
	})
	return found
}

func truth(b bool) vk.Bool32 {
	if b {
		return 1
	}
	return 0
}
