package mem

import (
	"errors"
	"fmt"

	"github.com/sarchlab/akita/v3/mem/cache/writearound"
	"github.com/sarchlab/akita/v3/mem/cache/writeback"
	"github.com/sarchlab/akita/v3/mem/cache/writethrough"
	"github.com/sarchlab/akita/v3/mem/idealmemcontroller"
	akita "github.com/sarchlab/akita/v3/mem/mem"
	"github.com/sarchlab/akita/v3/sim"
	"github.com/sarchlab/akita/v3/tracing"
)

// Akita is the same machine made of Akita's own caches and memory controllers,
// driven by messages: a reply is pending until the last line's response comes.
//
// It differs from Fast where Akita's parts do: each hop between them adds a few
// cycles, a store of part of a line that misses in the L2 fetches the line, and
// slices are picked by plain interleaving. A level's latency stands in its
// directory, so that hits and misses both pay it. Atomics, which Akita has not,
// are a read at the level that the machine shares and a store behind it.
type Akita struct {
	spec   Spec
	engine sim.Engine
	freq   sim.Freq
	done   []Completion

	generation int // of Reset, for unique names
	parts      map[string]*stage
	fronts     []*front
	storage    *akita.Storage
	counters   []*Counter
}

// A stage is the entrance to one cache, or to the slices of one, with the
// connection that all its senders join.
type stage struct {
	finder akita.LowModuleFinder
	tops   []sim.Port
	net    *sim.DirectConnection
}

// unlimited stands for no limit of outstanding misses.
const unlimited = 4096

// NewAkita builds the machine on an engine whose time starts at cycle 0. It
// refuses what Akita's parts can't do.
func NewAkita(engine sim.Engine, freq sim.Freq, s Spec) (*Akita, error) {
	errs := []error{s.Validate()}
	line := s.VectorL1.LineBytes
	for _, c := range []CacheSpec{s.ScalarL1, s.ShaderArray, s.L2, s.MemorySide} {
		if c.Present() && c.LineBytes < line {
			errs = append(errs, fmt.Errorf("%s.line_bytes = %d: the akita model wants at least vector_l1's %d", c.Name, c.LineBytes, line))
		}
	}
	for _, c := range []CacheSpec{s.VectorL1, s.ScalarL1, s.ShaderArray} {
		if c.Present() && (c.Write == WriteBack || c.Slices != 1) {
			errs = append(errs, fmt.Errorf("%s: the akita model wants one slice that does not keep stores", c.Name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("mem: %w", err)
	}
	a := &Akita{spec: s, engine: engine, freq: freq, done: make([]Completion, s.Engines*s.ComputeUnits)}
	for _, c := range a.chain(true) {
		a.counters = append(a.counters, &Counter{Level: c.Name})
	}
	a.counters = append(a.counters, &Counter{Level: "memory"})
	a.Reset()
	return a, nil
}

// chain lists the levels that the machine has; with both, the scalar cache
// stands behind the vector cache.
func (a *Akita) chain(both bool) (list []CacheSpec) {
	s := a.spec
	all := []CacheSpec{s.VectorL1, s.ScalarL1, s.ShaderArray, s.L2, s.MemorySide}
	for i, c := range all {
		if c.Present() && (both || i != 1) {
			list = append(list, c)
		}
	}
	return list
}

// LineBytes are the line sizes of the vector and the scalar cache.
func (a *Akita) LineBytes() (vector, scalar int) {
	return a.spec.VectorL1.LineBytes, a.spec.ScalarL1.LineBytes
}

// OnComplete sets the receiver of completions of one compute unit.
func (a *Akita) OnComplete(cu int, f Completion) { a.done[cu] = f }

// Reset drops all parts; they are made anew when used.
func (a *Akita) Reset() {
	a.generation++
	a.parts = map[string]*stage{}
	a.fronts = make([]*front, len(a.done))
	a.storage = akita.NewStorage(1 << 62)
}

// KernelBoundary invalidates the first-level caches.
func (a *Akita) KernelBoundary() {
	for _, f := range a.fronts {
		if f != nil {
			f.invalidate = []way{f.vector, f.scalar}
			f.TickLater(a.engine.CurrentTime())
		}
	}
}

// Counters are cumulative. Write-backs are not known.
func (a *Akita) Counters() (list []Counter) {
	for _, c := range a.counters {
		list = append(list, *c)
	}
	last := &list[len(list)-1] // memory has no directory to say so
	last.Hits = last.Accesses
	return list
}

func (a *Akita) counter(name string) *Counter {
	for _, c := range a.counters {
		if c.Level == name {
			return c
		}
	}
	panic("mem: no counter of level " + name)
}

// Access queues the request's lines at the compute unit's front, at the engine's
// time, which now must be.
func (a *Akita) Access(now uint64, r *Request) Reply {
	if len(r.Lines) == 0 {
		return Reply{Ready: now, Busy: r.Busy}
	}
	f := a.front(r.CU)
	busy := max(r.Busy, uint64(ceilDiv(len(f.queue)+len(r.Lines), a.spec.Path.LinesPerCycle)))
	g := &group{token: r.Token, left: len(r.Lines), kind: r.Kind}
	for _, l := range r.Lines {
		g.serial = max(g.serial, uint64(l.Serial)*uint64(a.spec.AtomicCycles))
		f.queue = append(f.queue, f.entry(g, r, l))
	}
	f.TickLater(a.engine.CurrentTime())
	return Reply{Busy: busy, Pending: true}
}

// A group is a request on its way.
type group struct {
	token  uint64
	left   int // lines that have not come
	kind   Kind
	serial uint64 // cycles of updates of one element
}

// An entry is one line that waits to be sent.
type entry struct {
	group *group // nil for the store that ends an atomic
	from  sim.Port
	to    sim.Port
	write bool
	addr  uint64
	bytes uint32
}

// A way is a front's port to a stage.
type way struct {
	*stage
	port sim.Port
}

// A front sends a compute unit's lines and gathers the responses.
type front struct {
	*sim.TickingComponent
	a          *Akita
	cu         int
	vector     way
	scalar     way
	shared     way // where all compute units meet
	queue      []entry
	flight     map[string]entry
	invalidate []way // first levels to be invalidated
}

func (f *front) entry(g *group, r *Request, l Line) entry {
	to := f.vector
	switch {
	case r.Coherent || r.Kind == Atomic:
		to = f.shared
	case r.Scalar:
		to = f.scalar
	}
	line, _ := f.a.LineBytes()
	return entry{g, to.port, to.finder.Find(l.Addr), r.Kind == Write, l.Addr, min(l.Bytes, uint32(line))}
}

// Tick sends what a cycle can, and takes the responses that have come.
func (f *front) Tick(now sim.VTimeInSec) (progress bool) {
	for _, w := range []way{f.vector, f.scalar, f.shared} {
		progress = f.receive(now, w.port) || progress
	}
	for len(f.invalidate) > 0 && f.sendInvalidate(now, f.invalidate[0]) {
		f.invalidate = f.invalidate[1:]
		progress = true
	}
	for n := 0; n < f.a.spec.Path.LinesPerCycle && len(f.queue) > 0 && f.send(now, f.queue[0]); n++ {
		f.queue = f.queue[1:]
		progress = true
	}
	return progress
}

func (f *front) sendInvalidate(now sim.VTimeInSec, w way) bool {
	return w.port.Send(akita.GL0InvalidateReqBuilder{}.WithSendTime(now).WithSrc(w.port).WithDst(w.tops[0]).Build()) == nil
}

func (f *front) send(now sim.VTimeInSec, e entry) bool {
	var m sim.Msg
	if e.write {
		m = akita.WriteReqBuilder{}.WithSendTime(now).WithSrc(e.from).WithDst(e.to).WithAddress(e.addr).
			WithData(make([]byte, e.bytes)).Build()
	} else {
		m = akita.ReadReqBuilder{}.WithSendTime(now).WithSrc(e.from).WithDst(e.to).WithAddress(e.addr).
			WithByteSize(uint64(e.bytes)).Build()
	}
	if e.from.Send(m) != nil {
		return false
	}
	f.flight[m.Meta().ID] = e
	return true
}

// receive takes all responses at a port. The last one of a request completes it.
func (f *front) receive(now sim.VTimeInSec, port sim.Port) (progress bool) {
	for m := port.Retrieve(now); m != nil; m = port.Retrieve(now) {
		progress = true
		rsp, ok := m.(sim.Rsp)
		if !ok {
			continue // of an invalidation
		}
		e, ok := f.flight[rsp.GetRspTo()]
		delete(f.flight, rsp.GetRspTo())
		if ok && e.group != nil {
			f.arrived(now, e)
		}
	}
	return progress
}

func (f *front) arrived(now sim.VTimeInSec, e entry) {
	g := e.group
	if g.kind == Atomic {
		f.queue = append(f.queue, entry{nil, e.from, e.to, true, e.addr, e.bytes})
	}
	if g.left--; g.left == 0 && f.a.done[f.cu] != nil {
		f.a.done[f.cu](g.token, f.a.freq.Cycle(now)+g.serial)
	}
}

// front makes the front of a compute unit, with the caches that it needs.
func (a *Akita) front(cu int) *front {
	if a.fronts[cu] != nil {
		return a.fronts[cu]
	}
	f := &front{a: a, cu: cu, flight: map[string]entry{}}
	name := a.name("Front", cu)
	f.TickingComponent = sim.NewTickingComponent(name, a.engine, a.freq, f)
	rest := a.chain(false)[1:]
	f.vector = f.way("Vector", a.level(a.spec.VectorL1, rest, cu))
	f.scalar = f.way("Scalar", a.level(a.spec.ScalarL1, rest, cu))
	f.shared = f.way("Shared", a.meeting(rest, cu))
	a.fronts[cu] = f
	return f
}

func (f *front) way(name string, s *stage) way {
	port := sim.NewLimitNumMsgPort(f, unlimited, f.Name()+"."+name)
	s.net.PlugIn(port, sendBuffer)
	return way{s, port}
}

// sendBuffer is the messages that a sender may have on a connection.
const sendBuffer = 16

// meeting is the first level that keeps stores and of which the machine has
// one, or the memory.
func (a *Akita) meeting(chain []CacheSpec, cu int) *stage {
	for i, c := range chain {
		if newLevel(c, a.spec, nil).shared {
			return a.level(c, chain[i+1:], cu)
		}
	}
	return a.memory()
}

func (a *Akita) name(kind string, i int) string {
	return fmt.Sprintf("Mem%d.%s[%d]", a.generation, kind, i)
}

// level finds or makes the cache of a level that serves a compute unit. chain
// is what stands behind it.
func (a *Akita) level(c CacheSpec, chain []CacheSpec, cu int) *stage {
	l := newLevel(c, a.spec, nil)
	name := a.name("Cache", l.instance(cu/a.spec.ComputeUnits, cu%a.spec.ComputeUnits)) + "." + partNames[c.Name]
	if s := a.parts[name]; s != nil {
		return s
	}
	next := a.memory()
	if len(chain) > 0 {
		next = a.level(chain[0], chain[1:], cu)
	}
	s := a.stage(name, l.spread.unitBytes())
	for i := range c.Slices {
		a.join(s, a.cache(fmt.Sprintf("%s.Slice[%d].Unit", name, i), c, i, next), next, a.counter(c.Name))
	}
	return s
}

// partNames are the levels' names as Akita wants them.
var partNames = map[string]string{"vector_l1": "VectorL1", "scalar_l1": "ScalarL1", "shader_array": "ShaderArray", "l2": "L2", "memory_side": "MemorySide"}

func (i interleave) unitBytes() uint64 { return 1 << i.unitShift }

func (a *Akita) stage(name string, unit uint64) *stage {
	s := &stage{finder: akita.NewInterleavedLowModuleFinder(unit), net: sim.NewDirectConnection(name+".Net", a.engine, a.freq)}
	a.parts[name] = s
	return s
}

// A part is one of Akita's caches or memory controllers.
type part interface {
	sim.Component
	GetPortByName(name string) sim.Port
}

// join puts a part behind the stage, and before the next one.
func (a *Akita) join(s *stage, p part, next *stage, c *Counter) {
	top := p.GetPortByName("Top")
	top.AcceptHook(&counting{c})
	tracing.CollectTrace(p.(tracing.NamedHookable), &outcomes{c})
	s.net.PlugIn(top, sendBuffer)
	s.tops = append(s.tops, top)
	f := s.finder.(*akita.InterleavedLowModuleFinder)
	f.LowModules = append(f.LowModules, top)
	if next != nil {
		next.net.PlugIn(p.GetPortByName("Bottom"), sendBuffer)
	}
}

// counting counts the requests that a port receives.
type counting struct{ c *Counter }

// Func fulfils sim.Hook.
func (h *counting) Func(ctx sim.HookCtx) {
	if r, ok := ctx.Item.(akita.AccessReq); ok && ctx.Pos == sim.HookPosPortMsgRecvd && r.GetByteSize() > 0 {
		h.c.Accesses++
		h.c.Bytes += r.GetByteSize()
	}
}

// outcomes counts what a cache's directory says of each request.
type outcomes struct{ c *Counter }

// StartTask fulfils tracing.Tracer.
func (*outcomes) StartTask(tracing.Task) {}

// EndTask fulfils tracing.Tracer.
func (*outcomes) EndTask(tracing.Task) {}

// StepTask fulfils tracing.Tracer.
func (o *outcomes) StepTask(t tracing.Task) {
	switch t.Steps[0].What {
	case "read-hit", "write-hit":
		o.c.Hits++
	case "read-mshr-hit", "write-mshr-hit":
		o.c.Hits++
		o.c.InFlight++
	case "read-miss", "write-miss":
		o.c.Misses++
	}
}

// cache makes one slice. Akita's caches move whole requests: their bandwidth is
// lines a cycle, at least one.
func (a *Akita) cache(name string, c CacheSpec, slice int, next *stage) part {
	misses := c.Misses
	if misses == 0 {
		misses = unlimited
	}
	width, size := max(1, int(c.BytesPerCycle)/c.LineBytes), uint64(c.Bytes/c.Slices)
	latency, block := max(1, c.LatencyCycles), uint64(log2(c.LineBytes))
	switch {
	case c.Write == WriteBack:
		b := writeback.MakeBuilder().WithEngine(a.engine).WithFreq(a.freq).WithByteSize(size).WithWayAssociativity(c.Ways).
			WithLog2BlockSize(block).WithNumMSHREntry(misses).WithNumReqPerCycle(width).WithDirectoryLatency(latency).WithBankLatency(1).
			WithLowModuleFinder(next.finder)
		if c.Slices > 1 {
			b = b.WithInterleaving(max(1, c.InterleaveBytes/c.LineBytes), c.Slices, slice)
		}
		return b.Build(name)
	case c.WriteAllocate || c.Write == ReadOnly:
		return writethrough.NewBuilder().WithEngine(a.engine).WithFreq(a.freq).WithTotalByteSize(size).WithWayAssociativity(c.Ways).
			WithLog2BlockSize(block).WithNumMSHREntry(misses).WithNumReqsPerCycle(width).WithDirectoryLatency(latency).WithBankLatency(1).
			WithMaxNumConcurrentTrans(unlimited).WithLowModuleFinder(next.finder).Build(name)
	}
	return writearound.NewBuilder().WithEngine(a.engine).WithFreq(a.freq).WithTotalByteSize(size).WithWayAssociativity(c.Ways).
		WithLog2BlockSize(block).WithNumMSHREntry(misses).WithNumReqsPerCycle(width).WithDirectoryLatency(latency).WithBankLatency(1).
		WithMaxNumConcurrentTrans(unlimited).WithLowModuleFinder(next.finder).Build(name)
}

// memory makes the channels: controllers that take one request in each cycle of
// a clock in which one line of the last cache takes the channel's time.
func (a *Akita) memory() *stage {
	name := a.name("Memory", 0)
	if s := a.parts[name]; s != nil {
		return s
	}
	m, chain := a.spec.Memory, a.chain(false)
	s := a.stage(name, uint64(m.InterleaveBytes))
	perCycle := min(1, m.BytesPerCycle/float64(chain[len(chain)-1].LineBytes))
	for i := range m.Channels {
		c := idealmemcontroller.MakeBuilder().WithEngine(a.engine).WithFreq(a.freq * sim.Freq(perCycle)).
			WithLatency(max(1, int(float64(m.LatencyCycles)*perCycle+0.5))).WithStorage(a.storage).
			Build(fmt.Sprintf("%s.Channel[%d].Unit", name, i))
		a.join(s, c, nil, a.counter("memory"))
	}
	return s
}
