package hierarchy

import (
	"fmt"

	"spvsim/internal/spec"
	"spvsim/internal/timing"
	"spvsim/mem/fixed"
)

// Analytic is the default hierarchy: tags of all levels, and each level's bandwidth and latency reserved when an
// instruction issues, without an event for each hop.
type Analytic struct {
	spec         *Spec
	shape        *spec.Shape
	levels       []*level // nearest first: vector, scalar, then the shared chain
	vector       []*cache // by compute unit, made when first used
	scalar       []*cache
	mem          memory
	l2TLB        *l2TLB        // nil: no second level of translation
	fifos        *latencyFIFOs // nil: no limit; loads pass each other
	warmingStats WarmingStats
	snapshot     cacheSnapshot
	lineLevels   *lineLevels // nil: not recorded
	now          uint64      // cycle of the current access

	response timing.Response // to it
}

// NewAnalytic builds the hierarchy of a machine whose spec has been checked.
func NewAnalytic(s *Spec, shape *spec.Shape) *Analytic {
	f := &Analytic{spec: s, shape: shape}
	f.mem, f.l2TLB = newMemory(s, shape, &f.now), newL2TLB(s, shape, &f.now)
	f.fifos = newLatencyFIFOs(s.VectorMemory.LatencyFIFO, shape.Units())
	var next *level
	all := s.Levels()
	for i := len(all) - 1; i >= 0; i-- {
		if !all[i].Present() {
			continue
		}
		l := newLevel(all[i], s, shape, next, &f.now)
		if next != nil && next.Name == "l2" {
			l.pageTable = newPageTable(&s.Memory)
		}
		f.levels = append([]*level{l}, f.levels...)
		if i > 1 { // the vector and the scalar cache are siblings
			next = l
		}
	}
	f.vector = make([]*cache, shape.Units())
	f.scalar = make([]*cache, len(f.vector))
	return f
}

// LineBytes returns the line sizes of the vector and the scalar cache.
func (f *Analytic) LineBytes() (vector, scalar int) {
	return f.spec.VectorL1.LineBytes, f.spec.ScalarL1.LineBytes
}

// WordBytes returns the bytes of each bit of Line.Words.
func (f *Analytic) WordBytes() int { return 1 << f.spec.WordShift() }

// OnComplete does nothing: every response is complete.
func (f *Analytic) OnComplete(int, CompletionFunc) {}

// Access reserves time for the lines of a request, which leave the address path evenly spaced over its busy cycles, and
// responds.
func (f *Analytic) Access(now uint64, r *Request) *timing.Response {
	c := f.front(r)
	c.stall, f.now = 0, now
	step := r.Busy << fixed.Shift / uint64(max(1, len(r.Lines)))
	ready, at := now, now<<fixed.Shift
	if step > 1<<fixed.Shift { // a line leaves in the last of the cycles that its lanes take
		at += step - 1<<fixed.Shift
	}
	past, delay, delays := r.Coherent || r.Kind == Atomic, uint64(0), []uint64(nil)
	if f.l2TLB != nil {
		delays = f.l2TLB.translate(r, at, step)
	}
	held := f.fifos.holds(r)
	if held {
		var full uint64
		delays, full, c.stall = f.fifos.wait(r, at, step, delays)
		c.counter.QueueFullCycles += full
	}
	ahead := c.prefetcher.start(c, r.Lines, r.Busy)
	if f.lineLevels != nil {
		f.lineLevels.begin()
	}
	var done uint64
	for i := range r.Lines {
		if delays != nil {
			delay = delays[i]
		}
		if ahead {
			c.prefetcher.advance(c, i, r.Lines)
		}
		switch l := &r.Lines[i]; {
		case past:
			done, _ = c.coherent(at>>fixed.Shift, delay, l.Addr, r, l, min(l.Bytes, uint32(c.LineBytes)))
		case r.Kind == Read:
			from, size := c.readRange(l)
			done, _ = c.read(c.locate(from), at>>fixed.Shift, delay, from, size, l.Bytes)
		default:
			done, _ = c.write(at>>fixed.Shift, delay, l.Addr, min(l.Bytes, uint32(c.LineBytes)), c.storedBy(l))
		}
		ready = max(ready, done)
		if f.lineLevels != nil {
			f.lineLevels.ended()
		}
		at += step
	}
	if held {
		ready = f.fifos.push(r, ready)
	}
	busy := r.Busy
	if stall := max(c.stall, f.l2TLB.stalled()); stall > now {
		busy = max(busy, stall-now)
	}
	a := &f.response
	a.ReadyAt, a.UnitFreeAt, a.Busy, a.StallCycles, a.StallReason = ready, now+busy, r.Busy, busy-r.Busy, StallReason[r.Kind]
	return a
}

// front returns the cache that a request asks first.
func (f *Analytic) front(r *Request) *cache {
	list, level := f.vector, f.levels[0]
	if r.Scalar {
		list, level = f.scalar, f.levels[1]
	}
	if list[r.CU] == nil {
		list[r.CU] = f.instance(level, r.CU)
	}
	return list[r.CU]
}

// instance returns the cache of a level that serves a compute unit, which it makes at its first use.
func (f *Analytic) instance(l *level, cu int) *cache {
	if l == nil {
		return nil
	}
	i := f.shape.Instance(l.SharedBy, cu/f.shape.ComputeUnits, cu%f.shape.ComputeUnits)
	if l.caches[i] == nil {
		l.caches[i] = newCache(l, i, f.instance(l.next, cu), f.mem)
	}
	return l.caches[i]
}

// Release writes back the levels that are released at a launch's end. It returns the cycle in which this, the write
// buffers and the write queues of memory are done.
func (f *Analytic) Release(now uint64) uint64 {
	done := now
	for _, l := range f.levels {
		done = max(done, l.release(now))
	}
	return f.mem.drain(done)
}

// KernelBoundary invalidates the private caches without dirty lines, and those that a launch acquires.
func (f *Analytic) KernelBoundary() {
	for _, l := range f.levels {
		l.boundary()
	}
}

// Flush invalidates one level by name.
func (f *Analytic) Flush(name string) error {
	for _, l := range f.levels {
		if l.Name == name {
			l.each((*cache).invalidate)
			return nil
		}
	}
	return fmt.Errorf("hierarchy: no cache level %q", name)
}

// each calls do for the instances of a level that are in use.
func (l *level) each(do func(*cache)) {
	for _, c := range l.caches {
		if c != nil {
			do(c)
		}
	}
}

// Reset makes all caches cold.
func (f *Analytic) Reset() {
	for _, l := range f.levels {
		l.each((*cache).invalidate)
	}
	f.l2TLB.invalidate()
}

// Booked returns the cycle by which memory has moved all that was asked of it so far, evicted lines included.
func (f *Analytic) Booked() uint64 { return f.mem.busyUntil() }

// Counters returns the cumulative counts, nearest level first, memory last. The second level of translation, if any,
// precedes all.
func (f *Analytic) Counters() []Counter {
	list := make([]Counter, 0, len(f.levels)+2)
	if f.l2TLB != nil {
		list = append(list, f.l2TLB.counter)
	}
	return f.counts(list)
}
