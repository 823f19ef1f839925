package mem

import (
	"sync"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/fixed"
	"spvsim/mem/hierarchy"
)

// Functional is the state of a port that carries out instructions without time. It counts the bytes that lanes move,
// and keeps atomic updates whole where other goroutines use the same memory.
type Functional struct {
	// Moved counts the bytes of all lanes so far, by kind.
	Moved [hierarchy.Atomic + 1]uint64
	// Changes counts the stores, and the atomic operations of lanes that changed memory.
	Changes uint64

	warming  *hierarchy.Analytic // the hierarchy that accesses warm; nil: none
	locks    *Locks
	lockHeld *sync.Mutex
}

// Locks are striped by the address of the element, for atomics of several goroutines.
type Locks [lockStripes]sync.Mutex

const (
	lockStripes = 1 << 10
	lockShift   = 6 // log2 of the bytes that share a lock; elements are aligned
)

// A FunctionalPort describes a port without time.
type FunctionalPort struct {
	Store *Store
	Locks *Locks // shared by the ports of all goroutines; nil: there is one
	// Warm is the hierarchy that accesses warm; nil: none.
	Warm *hierarchy.Analytic
}

// noTime describes the texture unit of a port without time.
var noTime = hierarchy.TextureSpec{QuadsPerCycle: 1, TexelBytes: 1, TrilinearPasses: 1}

// New makes the port, with a workspace of its own: ports of one store can be used concurrently.
func (s FunctionalPort) New() *Port {
	x := lanes{w: newWorkspace(), store: s.Store, functional: &Functional{warming: s.Warm, locks: s.Locks}}
	p := &Port{path: addressPath{lanes: fixed.NewDivider(1), lines: fixed.NewDivider(1)}, lanes: x, textureUnit: textureUnit{&noTime, &x}}
	if x.w.noCoalescing = s.Warm == nil; !x.w.noCoalescing {
		p.path.vector, p.path.scalar = lineShifts(s.Warm)
		p.path.word = fixed.Log2(s.Warm.WordBytes())
	}
	return p
}

// Functional returns the state of a port without time; nil if it has time.
func (p *Port) Functional() *Functional { return p.lanes.functional }

// Move makes the port that of another compute unit.
func (p *Port) Move(unit int) { p.cu = unit }

// finish counts what an instruction moved, and warms the caches with its lines. The response is empty.
func (v *Functional) finish(p *Port, m *isa.Mem, kind hierarchy.Kind) *timing.Response {
	if kind == hierarchy.Write {
		v.Changes++
	}
	if v.warming == nil {
		v.Moved[kind] += p.lanes.w.movedBytes
		p.lanes.w.movedBytes = 0
		return &p.response
	}
	r := &p.lanes.w.request
	*r = hierarchy.Request{CU: p.cu, Kind: kind, Scalar: m.Scalar, Coherent: m.Coherent || m.Payload, Lines: p.lanes.w.lines}
	for i := range r.Lines {
		v.Moved[kind] += uint64(r.Lines[i].Bytes)
	}
	v.warming.Warm(r)
	return &p.response
}

// lock takes the lock of an address, and gives the one held before back.
func (v *Functional) lock(addr uint64) {
	if v == nil || v.locks == nil {
		return
	}
	next := &v.locks[addr>>lockShift%lockStripes]
	if next == v.lockHeld {
		return
	}
	v.unlock()
	next.Lock()
	v.lockHeld = next
}

// unlock gives the lock back, if one is held.
func (v *Functional) unlock() {
	if v != nil && v.lockHeld != nil {
		v.lockHeld.Unlock()
		v.lockHeld = nil
	}
}

// changed counts an update.
func (v *Functional) changed(old, next uint64) {
	if v != nil && old != next {
		v.Changes++
	}
}

// change counts n updates.
func (v *Functional) change(n uint64) {
	if v != nil {
		v.Changes += n
	}
}

// shared reports whether other goroutines use the same memory.
func (v *Functional) shared() bool { return v != nil && v.locks != nil }
