package driver

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"spvsim/vulkan/vk"
)

// An object is an entry of the table of handles. Handles are numbers that are never reused, so that use of a freed
// handle is detected.
type object struct {
	x         any
	handle    uint64
	owner     uint64 // 0: no device
	name      string // that the application gave
	destroyed bool   // destroyed or freed: commands and descriptors may still refer to it
}

// String names the object in messages: its kind, the application's name, its handle.
func (o *object) String() string {
	if o == nil {
		return "an object without a handle"
	}
	if o.name != "" {
		return fmt.Sprintf("%s %q (%#x)", kindOf(o.x), o.name, o.handle)
	}
	return fmt.Sprintf("%s %#x", kindOf(o.x), o.handle)
}

// self is embedded in types that messages name or descriptors refer to; put sets the object.
type self struct{ object *object }

func (s *self) setObject(o *object) { s.object = o }

// destroyed reports that the application has destroyed the object.
func (s *self) destroyed() bool { return s.object != nil && s.object.destroyed }

var (
	objects    = map[uint64]*object{}
	nextHandle = uint64(0x5350_0000_0001)
)

// addObject enters an object into the table, and returns its handle.
func addObject(x any, owner uint64) uint64 {
	h := nextHandle
	nextHandle++
	enterHandle(h, x, owner)
	return h
}

// enterHandle adds an object to the table.
func enterHandle(h uint64, x any, owner uint64) {
	o := &object{x: x, handle: h, owner: owner}
	objects[h] = o
	if s, ok := x.(interface{ setObject(*object) }); ok {
		s.setObject(o)
	}
}

// remove deletes a handle from the table, and marks its object as gone for work that refers to it.
func remove(h uint64) {
	if o := objects[h]; o != nil {
		o.destroyed = true
		delete(objects, h)
	}
}

// loaderMagic is the value that the loader expects in the first word of a dispatchable handle (vk_icd.h,
// ICD_LOADER_MAGIC).
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

// addDispatchable enters an object into the table; its handle is the address of a slot that the loader can write to.
func addDispatchable(x any, owner uint64) uint64 {
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
	enterHandle(h, x, owner)
	return h
}

// lookUp returns the object of a handle, if it has that type.
func lookUp[T any](h uint64) (x T, ok bool) {
	o := objects[h]
	if o == nil {
		return x, false
	}
	x, ok = o.x.(T)
	return x, ok
}

// mustLookUp returns the object of a handle; an invalid handle fails the call.
func mustLookUp[T any](h uint64) T {
	x, ok := lookUp[T](h)
	if !ok {
		fail(vk.ErrorUnknown, "found handle %#x: want that of %s that exists", h, withArticle(kindOf(x)))
	}
	return x
}

// optional is the object of a handle that may be null.
func optional[T any](h uint64) (x T) {
	if h == 0 {
		return x
	}
	return mustLookUp[T](h)
}

// removeObject removes an object and returns it; ok is false for the null handle.
func removeObject[T any](h uint64) (x T, ok bool) {
	if h == 0 {
		return x, false
	}
	x = mustLookUp[T](h)
	remove(h)
	return x, true
}

// kindOf is the kind of an object in words: a *commandBuffer is a "command buffer".
func kindOf(x any) string {
	name := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", x), "*driver."), "_")
	return strings.ToLower(capitals.ReplaceAllString(name, " $0"))
}

func withArticle(noun string) string {
	if strings.ContainsRune("aeio", rune(noun[0])) || noun == "update template" {
		return "an " + noun
	}
	return "a " + noun
}

var capitals = regexp.MustCompile(`[A-Z]`)

// nameOf is the name that the application gave to an object.
func nameOf(h uint64) string {
	if o := objects[h]; o != nil {
		return o.name
	}
	return ""
}

// items returns an array of the application as a slice.
func items[T any](first *T, n uint32) []T {
	if first == nil && n > 0 {
		var x T
		fail(vk.ErrorUnknown, "found a null pointer: want an array of %d %s", n, strings.TrimPrefix(fmt.Sprintf("%T", x), "vk."))
	}
	return unsafe.Slice(first, n)
}

// itemsIf returns an optional array of the application as a slice.
func itemsIf[T any](first *T, n uint32) []T {
	if first == nil {
		return nil
	}
	return items(first, n)
}

// text returns a string of the application.
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

// enumerate fills the array of a command that can be called for the count first.
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
