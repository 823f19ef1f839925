package mem

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"spvsim/isa"
)

const (
	firstAddress = 1 << 20 // below it nothing is mapped, so that a null pointer is caught
	alignment    = 256     // bytes: minStorageBufferOffsetAlignment of the drivers at hand
	// Guard is how many bytes after each buffer are not mapped.
	Guard = 256
)

// A Buffer is a range of device memory. Bytes is nil for ranges that were only
// reserved.
type Buffer struct {
	Name  string
	Addr  uint64
	Size  uint64
	Bytes []byte
	// OnChip: payload accesses go to the on-chip payload memory.
	OnChip bool
}

// A Store is the simulated address space. Buffers start at multiples of 256
// bytes, in the order of allocation, with unmapped bytes between them. One
// goroutine may allocate while others look for buffers.
type Store struct {
	Faults Faults

	capacity uint64
	next     uint64
	used     uint64
	buffers  atomic.Pointer[[]*Buffer] // with bytes, by address
	faulting sync.Mutex
}

// fault counts an access out of bounds.
func (s *Store) fault(f Fault) {
	s.faulting.Lock()
	defer s.faulting.Unlock()
	s.Faults.Add(f)
}

// NewStore makes an empty store of the given capacity in bytes (0: no limit).
func NewStore(capacity uint64) *Store { return &Store{capacity: capacity, next: firstAddress} }

// Alloc makes a zeroed buffer.
func (s *Store) Alloc(bytes uint64, name string) (*Buffer, error) {
	if bytes > s.FreeBytes() {
		return nil, s.full(bytes, name)
	}
	return s.Adopt(make([]byte, bytes), name)
}

// Adopt makes a buffer of bytes, which are the store's from then on: pages of
// them that are not touched take no memory of the host.
func (s *Store) Adopt(bytes []byte, name string) (*Buffer, error) {
	b, err := s.Reserve(uint64(len(bytes)), name)
	if err != nil {
		return nil, err
	}
	b.Bytes = bytes
	at, _ := s.indexOf(b.Addr) // the last, unless others have attached theirs
	s.insert(at, b)
	return b, nil
}

func (s *Store) list() []*Buffer {
	if list := s.buffers.Load(); list != nil {
		return *list
	}
	return nil
}

// indexOf is the place of an address among the buffers.
func (s *Store) indexOf(addr uint64) (int, bool) {
	return slices.BinarySearchFunc(s.list(), addr, func(b *Buffer, a uint64) int { return cmp.Compare(b.Addr, a) })
}

// insert puts a buffer at its place. Those who look for buffers see the list before or after it.
func (s *Store) insert(i int, b *Buffer) {
	list := slices.Insert(slices.Clone(s.list()), i, b)
	s.buffers.Store(&list)
}

// Attach puts bytes that the caller keeps at an address: those of a driver, whose client has them mapped. They take nothing
// of the capacity. The range and its guard must be free.
func (s *Store) Attach(addr uint64, bytes []byte, name string) error {
	buffers := s.list()
	i, _ := s.indexOf(addr)
	size := uint64(len(bytes))
	switch {
	case addr < firstAddress || addr+size+Guard < addr:
		return fmt.Errorf("mem: %q: found address %#x for %d bytes: want at least %#x, and a range that does not wrap", name, addr, size, uint64(firstAddress))
	case i > 0 && addr-buffers[i-1].Addr < buffers[i-1].Size+Guard:
		return fmt.Errorf("mem: %q: found address %#x, which is in %q: want a free one", name, addr, buffers[i-1].Name)
	case i < len(buffers) && buffers[i].Addr-addr < size+Guard:
		return fmt.Errorf("mem: %q: found address %#x for %d bytes, which reach %q: want a free range", name, addr, size, buffers[i].Name)
	}
	s.insert(i, &Buffer{Name: name, Addr: addr, Size: size, Bytes: bytes})
	return nil
}

// Detach takes away what Attach put at an address.
func (s *Store) Detach(addr uint64) {
	list := slices.DeleteFunc(slices.Clone(s.list()), func(b *Buffer) bool { return b.Addr == addr })
	s.buffers.Store(&list)
}

// FreeBytes is how many bytes are not taken.
func (s *Store) FreeBytes() uint64 {
	if s.capacity == 0 {
		return ^uint64(0)
	}
	return s.capacity - s.used
}

// Reserve takes a range of addresses whose bytes live elsewhere (scratch, push
// constants); flat accesses do not reach it.
func (s *Store) Reserve(bytes uint64, name string) (*Buffer, error) {
	if bytes > s.FreeBytes() {
		return nil, s.full(bytes, name)
	}
	b := &Buffer{Name: name, Addr: s.next, Size: bytes}
	s.used += bytes
	s.next = NextAddress(b.Addr, bytes)
	return b, nil
}

// NextAddress is where a range lies that is taken after one at an address.
func NextAddress(addr, bytes uint64) uint64 {
	return (addr + bytes + Guard + alignment - 1) &^ (alignment - 1)
}

func (s *Store) full(bytes uint64, name string) error {
	return fmt.Errorf("mem: %q: found %d bytes: want at most %d, which are left of the device's %d", name, bytes, s.FreeBytes(), s.capacity)
}

// Find returns the buffer that holds addr, or nil.
func (s *Store) Find(addr uint64) *Buffer {
	buffers := s.list()
	i, exact := slices.BinarySearchFunc(buffers, addr, func(b *Buffer, a uint64) int { return cmp.Compare(b.Addr, a) })
	if !exact {
		i--
	}
	if i < 0 || addr-buffers[i].Addr >= buffers[i].Size {
		return nil
	}
	return buffers[i]
}

// maxFaults is how many faults are kept for the report; all are counted.
const maxFaults = 8

// A Fault is an access outside of its buffer: it read zero, or its write was
// dropped.
type Fault struct {
	What      string // load, store, atomic, image load, ...
	Where     string // set and binding, or the kind of memory; empty: Offset is an address
	Address   uint64 // of the buffer; 0 when nothing is bound
	Buffer    string // its name, for those who know it; empty: not known
	Offset    uint64 // byte offset in the buffer
	Size      uint64 // bytes of the buffer; 0 when nothing is there
	Lane      int
	Workgroup [3]uint32
	Wave      uint32
	isa.Origin
}

func (f Fault) String() string {
	where := fmt.Sprintf("address %#x", f.Offset)
	if f.Where != "" {
		where = f.Where
		if f.Buffer != "" {
			where += ", buffer " + f.Buffer
		}
		where += fmt.Sprintf(", byte %d of %d", f.Offset, f.Size)
	}
	return fmt.Sprintf("%s out of bounds: %s: %v, workgroup %v, wave %d, lane %d",
		f.What, where, f.Origin, f.Workgroup, f.Wave, f.Lane)
}

// Faults counts the accesses out of bounds and keeps the first few.
type Faults struct {
	Count uint64
	First []Fault
}

// Add counts a fault.
func (f *Faults) Add(fault Fault) {
	f.Count++
	if len(f.First) < maxFaults {
		f.First = append(f.First, fault)
	}
}
