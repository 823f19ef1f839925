package mem

import (
	"sync"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/fixed"
	"spvsim/mem/hierarchy"
)

// Values is what a port does that carries out instructions without time: it
// counts the bytes that lanes move, and keeps the updates of atomics whole where
// other goroutines work on the same memory.
type Values struct {
	// Moved are the bytes that lanes moved so far, by kind: each lane's own.
	Moved [hierarchy.Atomic + 1]uint64
	// Changes counts the stores, and the atomic operations of lanes that changed memory.
	Changes uint64

	warm  *hierarchy.Analytic // whose lines accesses bring in; nil: none
	locks *Locks
	held  *sync.Mutex
}

// Locks keep atomic operations of several goroutines apart, by the line of the element.
type Locks [lockStripes]sync.Mutex

const (
	lockStripes = 1 << 10
	lockShift   = 6 // log2 of the bytes that share a lock; elements are aligned
)

// A ValuePort says how a port without time works.
type ValuePort struct {
	Store *Store
	Locks *Locks // shared by the ports of all goroutines; nil: there is one
	// Warm is the hierarchy whose lines accesses bring in; nil: none.
	Warm *hierarchy.Analytic
}

// noTime is what a port for which no time passes says of samplers.
var noTime = hierarchy.TextureSpec{QuadsPerCycle: 1, TexelBytes: 1, TrilinearPasses: 1}

// New makes the port. It has its own workspace: it may be used beside others of
// the same store.
func (s ValuePort) New() *Port {
	x := lanes{w: newWorkspace(), store: s.Store, values: &Values{warm: s.Warm, locks: s.Locks}}
	p := &Port{path: addressPath{lanes: fixed.NewDivider(1), lines: fixed.NewDivider(1)}, lanes: x, tex: textureUnit{&noTime, &x}}
	if x.w.deaf = s.Warm == nil; !x.w.deaf {
		p.path.vector, p.path.scalar = lineShifts(s.Warm)
		p.path.word = fixed.Log2(s.Warm.WordBytes())
	}
	return p
}

// Values are those of a port without time; nil: it has time.
func (p *Port) Values() *Values { return p.lanes.values }

// Move makes the port one of another compute unit.
func (p *Port) Move(unit int) { p.cu = unit }

// finish counts what an instruction moved, and brings its lines in. The response is empty.
func (v *Values) finish(p *Port, m *isa.Mem, kind hierarchy.Kind) *timing.Response {
	if kind == hierarchy.Write {
		v.Changes++
	}
	if v.warm == nil {
		v.Moved[kind] += p.lanes.w.moved
		p.lanes.w.moved = 0
		return &p.response
	}
	r := &p.lanes.w.request
	*r = hierarchy.Request{CU: p.cu, Kind: kind, Scalar: m.Scalar, Coherent: m.Coherent || m.Payload, Lines: p.lanes.w.lines}
	for i := range r.Lines {
		v.Moved[kind] += uint64(r.Lines[i].Bytes)
	}
	v.warm.Warm(r)
	return &p.response
}

// lock takes the lock of an address and gives back that of another.
func (v *Values) lock(addr uint64) {
	if v == nil || v.locks == nil {
		return
	}
	next := &v.locks[addr>>lockShift%lockStripes]
	if next == v.held {
		return
	}
	v.unlock()
	next.Lock()
	v.held = next
}

// unlock gives the lock back, if one is taken.
func (v *Values) unlock() {
	if v != nil && v.held != nil {
		v.held.Unlock()
		v.held = nil
	}
}

// changed counts an update.
func (v *Values) changed(old, next uint64) {
	if v != nil && old != next {
		v.Changes++
	}
}

// change counts so many updates.
func (v *Values) change(n uint64) {
	if v != nil {
		v.Changes += n
	}
}

// shared says that other goroutines work on the same memory.
func (v *Values) shared() bool { return v != nil && v.locks != nil }
