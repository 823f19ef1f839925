// Package akita times memory requests by the caches and memory controllers of Akita, as an independent model to compare with.
package akita

import (
	akita "github.com/sarchlab/akita/v3/mem/mem"
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/internal/spec"
	"spvsim/internal/timing"
	"spvsim/mem/fixed"
	"spvsim/mem/hierarchy"
)

// Memory is the same machine made of Akita's own caches and memory controllers,
// driven by messages: a reply is pending until the last line's response comes.
// Before each of Akita's parts is a gate of ours, which gives it what its
// own parameters can't: the level's bandwidth in bytes, its latency, messages
// no larger than its lines, and no more of them than it can hold.
//
// It differs from Fast where Akita's parts do. A store of part of a line that
// misses in a cache that keeps stores fetches the line. A line that waits for
// its fill or its eviction holds up whatever comes behind it at that slice.
// A slice that keeps stores is banks, each with its share of the sets and of
// the outstanding misses, and with at most 15 requests in all.
// Atomics, which Akita has not, are a read at the level that the machine shares
// and a store behind it. A sliced level that does not keep stores is a cache for
// each slice; with slices of another even number than a power of two such a
// cache uses only some of its sets. Levels that a coherent request passes give
// their latency and each compute unit's bandwidth, not what others wait there.
type Memory struct {
	spec   *hierarchy.Spec
	shape  *spec.Shape
	engine sim.Engine
	freq   sim.Freq
	done   []hierarchy.CompletionFunc

	generation int // of Reset, for unique names
	stages     map[string]*stage
	gates      []*gate // in the order in which they were made
	fronts     []*front
	storage    *akita.Storage
	counters   []*hierarchy.Counter

	pending    int    // requests without a reply
	last       uint64 // cycle of the latest reply, or from which requests are pending
	stuckAfter uint64 // cycles without a reply after which none is to come

	response timing.Response // to the last access
}

// New builds a machine whose spec has been checked on an engine whose time starts at cycle 0.
func New(engine sim.Engine, s *hierarchy.Spec, shape *spec.Shape) *Memory {
	a := &Memory{spec: s, shape: shape, engine: engine, freq: sim.Freq(shape.ClockMHz) * sim.MHz,
		done: make([]hierarchy.CompletionFunc, shape.Units()), stuckAfter: stuckLimit(s, shape.ClockMHz)}
	for _, c := range a.chain(true) {
		a.counters = append(a.counters, &hierarchy.Counter{Level: c.Name})
	}
	a.counters = append(a.counters, &hierarchy.Counter{Level: "memory"})
	a.Reset()
	return a
}

// stuckLimit is long against the time in which the slowest part moves what can
// queue there.
func stuckLimit(s *hierarchy.Spec, coreMHz int) uint64 {
	m := s.Memory.InCycles(coreMHz)
	cycles := uint64(m.LatencyCycles) + 1<<20
	slowest := m.BytesPerCycle
	line := 0
	for _, c := range s.Levels() {
		if c.Present() {
			t := hierarchy.NewLevelTiming(&c.CacheSpec, coreMHz)
			cycles += t.Latency
			slowest, line = min(slowest, t.Bandwidth), max(line, c.LineBytes)
		}
	}
	return cycles + uint64(1024*float64(line)/slowest)
}

// chain lists the levels that the machine has; with both, the scalar cache
// is behind the vector cache.
func (a *Memory) chain(both bool) (list []hierarchy.NamedCache) {
	for i, c := range a.spec.Levels() {
		if c.Present() && (both || i != 1) {
			list = append(list, c)
		}
	}
	return list
}

// LineBytes returns the line sizes of the vector and the scalar cache.
func (a *Memory) LineBytes() (vector, scalar int) {
	return a.spec.VectorL1.LineBytes, a.spec.ScalarL1.LineBytes
}

// WordBytes returns the bytes of each bit of Line.Words.
func (a *Memory) WordBytes() int { return 1 << a.spec.WordShift() }

// OnComplete sets the receiver of completions of one compute unit.
func (a *Memory) OnComplete(cu int, f hierarchy.CompletionFunc) { a.done[cu] = f }

// Reset drops all parts; they are made anew when used.
func (a *Memory) Reset() {
	a.generation++
	a.stages, a.gates, a.pending = map[string]*stage{}, nil, 0
	a.fronts = make([]*front, len(a.done))
	a.storage = akita.NewStorage(1 << 62)
}

// Release has nothing to write: the boundary's cost is modelled by Fast only.
func (a *Memory) Release(now uint64) uint64 { return now }

// KernelBoundary invalidates the caches that do not keep stores.
func (a *Memory) KernelBoundary() {
	for _, g := range a.gates {
		if g.invalidates {
			g.invalidate = true
			g.TickLater(a.engine.CurrentTime())
		}
	}
}

// Stuck says that requests are pending and that no reply has come for so long
// that none will: the parts may still have events.
func (a *Memory) Stuck(now uint64) bool { return a.pending > 0 && now > a.last+a.stuckAfter }

// Counters are cumulative. Write-backs are not known.
func (a *Memory) Counters() (list []hierarchy.Counter) {
	for _, c := range a.counters {
		list = append(list, *c)
	}
	last := &list[len(list)-1] // memory has no directory to say so
	last.Hits = last.Accesses
	return list
}

func (a *Memory) counter(name string) *hierarchy.Counter {
	for _, c := range a.counters {
		if c.Level == name {
			return c
		}
	}
	panic("akita: no counter of level " + name)
}

// Access queues the request's lines at the compute unit's front, at the engine's
// time, which now must be.
func (a *Memory) Access(now uint64, r *hierarchy.Request) *timing.Response {
	answer := &a.response
	if len(r.Lines) == 0 {
		*answer = timing.Response{ReadyAt: now, UnitFreeAt: now + r.Busy, Busy: r.Busy}
		return answer
	}
	if a.pending == 0 {
		a.last = now
	}
	a.pending++
	f := a.front(r.CU)
	busy := max(r.Busy, uint64(fixed.CeilDiv(len(f.queue)+len(r.Lines), a.spec.VectorMemory.LinesPerCycle)))
	g := &unitRequest{token: r.Token, to: r.To, left: len(r.Lines), kind: r.Kind}
	for _, l := range r.Lines {
		g.serial = max(g.serial, uint64(l.Serial)*uint64(a.spec.VectorMemory.AtomicCycles))
		f.queue = append(f.queue, f.entry(g, r, l))
	}
	f.TickLater(a.engine.CurrentTime())
	*answer = timing.Response{UnitFreeAt: now + busy, Busy: r.Busy, StallCycles: busy - r.Busy, StallReason: hierarchy.StallReason[r.Kind], Completion: timing.ByCallback, Token: r.Token}
	return answer
}

// Components are the parts that have been made so far: those of a compute unit
// are made when it first asks for memory.
func (a *Memory) Components() (list []sim.Component) {
	for _, f := range a.fronts {
		if f != nil {
			list = append(list, f)
		}
	}
	for _, g := range a.gates {
		list = append(list, g)
	}
	return list
}
