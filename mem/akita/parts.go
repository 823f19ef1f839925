package akita

import (
	"fmt"

	"github.com/sarchlab/akita/v3/mem/cache/writearound"
	"github.com/sarchlab/akita/v3/mem/cache/writeback"
	"github.com/sarchlab/akita/v3/mem/cache/writethrough"
	"github.com/sarchlab/akita/v3/mem/idealmemcontroller"
	akita "github.com/sarchlab/akita/v3/mem/mem"
	"github.com/sarchlab/akita/v3/sim"
	"github.com/sarchlab/akita/v3/tracing"

	"spvsim/mem/fixed"
	"spvsim/mem/hierarchy"
)

const (
	// unlimited represents no limit.
	unlimited = 1 << 20
	// sendBuffer is the messages that a sender of requests may have on a connection.
	sendBuffer = 16
	// manyMisses are the outstanding misses of a slice without a limit.
	manyMisses = 256
	// throughWidth is the least that a cache that does not keep stores takes in
	// a cycle: all that waited for one line answers then, and the bandwidth is
	// the gate's.
	throughWidth = 4
	// bankWidth is the number of requests that a write-back bank takes in a cycle. Host time
	// grows with its square when the bank waits.
	bankWidth = 4
	// bankLimit is the requests that such a bank can have: see writeBack.
	bankLimit = 4*bankWidth - 1
	// bankMisses is the outstanding misses for which a slice has a bank.
	bankMisses = 8
)

// Cycles that a request and its response take in a part and the gate before it,
// beyond the latencies that they are given: measured.
const (
	throughCycles = 11
	backCycles    = 9
	memoryCycles  = 4
	passCycles    = 3
)

// A cacheLevel has what the caches of a level have in common.
type cacheLevel struct {
	hierarchy.NamedCache
	slicing fixed.Interleave // of addresses over slices
	latency uint64
	cost    uint64 // fixed-point cycles of one byte
	atomic  uint64 // cycles of an update of one element
}

func (a *Memory) cacheLevel(c hierarchy.NamedCache) *cacheLevel {
	t := hierarchy.NewLevelTiming(&c.CacheSpec, a.shape.ClockMHz)
	return &cacheLevel{NamedCache: c, slicing: c.Slicing(), latency: t.Latency, cost: t.ByteTime,
		atomic: uint64(a.spec.VectorMemory.AtomicCycles)}
}

// A stage is the entrance to one cache, or to the slices of one, with the
// connection that all its senders join.
type stage struct {
	finder *finder
	net    *sim.DirectConnection
}

// A finder finds slices and channels as the model fast does, or the banks of a
// slice in the same way by the slice's own count of bytes.
type finder struct {
	fixed.Interleave
	slices *fixed.Interleave // of which the banks' slice is one; nil: not of banks
	ports  []sim.Port
}

// Find implements Akita's LowModuleFinder.
func (f *finder) Find(addr uint64) sim.Port {
	if s := f.slices; s != nil {
		unit, _ := s.Split(addr)
		addr = unit<<s.UnitShift | addr&(1<<s.UnitShift-1)
	}
	_, i := f.Split(addr)
	return f.ports[i]
}

func (a *Memory) name(kind string, i int) string {
	return fmt.Sprintf("Mem%d.%s[%d]", a.generation, kind, i)
}

func (a *Memory) stage(name string, spread fixed.Interleave) *stage {
	s := &stage{finder: &finder{Interleave: spread}, net: sim.NewDirectConnection(name+".Net", a.engine, a.freq)}
	a.stages[name] = s
	return s
}

// addEntrance puts a gate at the entrance of a stage.
func (s *stage) addEntrance(g *gate) {
	s.net.PlugIn(g.top, unlimited)
	s.finder.ports = append(s.finder.ports, g.top)
}

// level finds or makes the cache of a level that serves a compute unit. chain
// is what is behind it.
func (a *Memory) level(c hierarchy.NamedCache, chain []hierarchy.NamedCache, cu int) *stage {
	l := a.cacheLevel(c)
	name := a.name("Cache", a.shape.Instance(c.SharedBy, cu/a.shape.ComputeUnits, cu%a.shape.ComputeUnits)) + "." + partNames[c.Name]
	if s := a.stages[name]; s != nil {
		return s
	}
	next := a.nextStage(chain, cu)
	s := a.stage(name, l.slicing)
	build := a.writeThroughSlice
	if l.WritesBack() {
		build = a.banks
	}
	for i := range c.Slices {
		build(s, fmt.Sprintf("%s.Slice[%d]", name, i), l, i, next)
	}
	return s
}

// gateOf is the gate of a slice whose parts take cycles.
func gateOf(l *cacheLevel, cycles uint64) gateSpec {
	return gateSpec{latency: less(l.latency, cycles), cost: l.cost, serial: l.atomic, line: uint64(l.LineBytes), limit: unlimited}
}

// nextStage is the first level of the chain, or the memory.
func (a *Memory) nextStage(chain []hierarchy.NamedCache, cu int) *stage {
	if len(chain) == 0 {
		return a.memory()
	}
	return a.level(chain[0], chain[1:], cu)
}

// partNames are the levels' names as Akita wants them.
var partNames = map[string]string{"vector_l1": "VectorL1", "scalar_l1": "ScalarL1", "shader_array": "ShaderArray", "l2": "L2", "memory_side": "MemorySide"}

// less leaves a gate what of a latency its part does not take.
func less(latency, cycles uint64) uint64 { return max(latency, cycles) - cycles }

// bypassStage makes a compute unit's way past the levels before the first that keeps
// stores and of which the machine has one, or before the memory.
func (a *Memory) bypassStage(chain []hierarchy.NamedCache, cu int) *stage {
	g := gateSpec{limit: unlimited, line: 1 << 16}
	n := 0
	for ; n < len(chain); n++ {
		l := a.cacheLevel(chain[n])
		if l.DeviceCoherent(a.shape) {
			break
		}
		g.latency += l.latency
		g.cost = max(g.cost, l.cost)
	}
	g.latency = less(g.latency, passCycles)
	next, name := a.nextStage(chain[n:], cu), a.name("Past", cu)
	s := a.stage(name, fixed.NewInterleave(1, 1))
	way := a.gate(name+".Gate", g, next.finder, nil)
	next.net.PlugIn(way.bottom, sendBuffer)
	s.addEntrance(way)
	return s
}

// A akitaComponent is one of Akita's caches or memory controllers.
type akitaComponent interface {
	sim.Component
	GetPortByName(name string) sim.Port
}

// join puts a part, with a gate before it, behind the stage.
func (a *Memory) join(s *stage, p akitaComponent, spec gateSpec, c *hierarchy.Counter) {
	top := p.GetPortByName("Top")
	g := a.gate(p.Name()+".Gate", spec, &akita.SingleLowModuleFinder{LowModule: top}, c)
	link := sim.NewDirectConnection(p.Name()+".Link", a.engine, a.freq)
	link.PlugIn(g.bottom, sendBuffer)
	link.PlugIn(top, unlimited)
	s.addEntrance(g)
}

// connect puts a cache before the next stage and counts its outcomes.
func (a *Memory) connect(p akitaComponent, next *stage, level string) {
	tracing.CollectTrace(p.(tracing.NamedHookable), &outcomes{a.counter(level)})
	next.net.PlugIn(p.GetPortByName("Bottom"), sendBuffer)
}

// outcomes counts what a cache's directory says of each request.
type outcomes struct{ c *hierarchy.Counter }

// StartTask implements tracing.Tracer.
func (*outcomes) StartTask(tracing.Task) {}

// EndTask implements tracing.Tracer.
func (*outcomes) EndTask(tracing.Task) {}

// StepTask implements tracing.Tracer.
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

// misses are the outstanding misses of a slice.
func misses(c hierarchy.NamedCache) int {
	if c.Misses == 0 {
		return manyMisses
	}
	return c.Misses
}

// writeThroughSlice makes a slice that does not keep stores.
func (a *Memory) writeThroughSlice(s *stage, name string, l *cacheLevel, _ int, next *stage) {
	c, width := l.NamedCache, max(throughWidth, a.spec.VectorMemory.LinesPerCycle, int(l.BytesPerCycle)/l.LineBytes)
	size, block := uint64(c.Bytes/c.Slices), uint64(fixed.Log2(c.LineBytes))
	var p akitaComponent
	if c.WriteAllocate || c.Write == hierarchy.ReadOnly {
		p = writethrough.NewBuilder().WithEngine(a.engine).WithFreq(a.freq).WithTotalByteSize(size).WithWayAssociativity(c.Ways).
			WithLog2BlockSize(block).WithNumMSHREntry(misses(c)).WithNumReqsPerCycle(width).WithDirectoryLatency(1).WithBankLatency(1).
			WithMaxNumConcurrentTrans(unlimited).WithLowModuleFinder(next.finder).Build(name + ".Unit")
	} else {
		p = writearound.NewBuilder().WithEngine(a.engine).WithFreq(a.freq).WithTotalByteSize(size).WithWayAssociativity(c.Ways).
			WithLog2BlockSize(block).WithNumMSHREntry(misses(c)).WithNumReqsPerCycle(width).WithDirectoryLatency(1).WithBankLatency(1).
			WithMaxNumConcurrentTrans(unlimited).WithLowModuleFinder(next.finder).Build(name + ".Unit")
	}
	a.connect(p, next, c.Name)
	g := gateOf(l, throughCycles)
	g.invalidates = true
	a.join(s, p, g, a.counter(c.Name))
}

// banks makes a slice that keeps stores: several of Akita's write-back caches,
// as one alone can't have the outstanding misses of a slice.
func (a *Memory) banks(s *stage, name string, l *cacheLevel, slice int, next *stage) {
	n := bankCount(l)
	banks := a.stage(name+".Banks", fixed.NewInterleave(l.LineBytes, n))
	banks.finder.slices = &l.slicing
	for i := range n {
		p := a.writeBack(fmt.Sprintf("%s.Bank[%d].Unit", name, i), l, n, slice, next)
		a.connect(p, next, l.Name)
		a.join(banks, p, gateSpec{line: uint64(l.LineBytes), limit: bankLimit}, nil)
	}
	g := a.gate(name+".Gate", gateOf(l, backCycles), banks.finder, a.counter(l.Name))
	banks.net.PlugIn(g.bottom, sendBuffer)
	s.addEntrance(g)
}

// bankCount is a power of two that leaves each bank a set.
func bankCount(l *cacheLevel) int {
	n := 1
	for 2*n*bankMisses <= misses(l.NamedCache) && 2*n <= l.SetsPerSlice() {
		n *= 2
	}
	return n
}

// writeBack makes one of n banks of a slice that keeps stores. Akita's comes to
// a stop when its data array is full of evictions that wait for the write
// buffer, the write buffer's head is a fetch of a line that it holds itself, and
// that line waits for the data array: the lane that Akita reserves against this
// is lost, because each hit counts as an eviction ended. It takes 4 x width
// requests to fill the four queues of that circle (the array's lanes, what has
// left them, the write buffer's entrance and its exit), so the gate lets in
// bankLimit. The write buffer's own limits would stop it in the same way.
func (a *Memory) writeBack(name string, l *cacheLevel, n, slice int, next *stage) akitaComponent {
	c := l.NamedCache
	b := writeback.MakeBuilder().WithEngine(a.engine).WithFreq(a.freq).WithByteSize(uint64(c.Bytes / c.Slices / n)).WithWayAssociativity(c.Ways).
		WithLog2BlockSize(uint64(fixed.Log2(l.LineBytes))).WithNumMSHREntry(max(1, misses(c)/n)).WithNumReqPerCycle(bankWidth).
		WithDirectoryLatency(1).WithBankLatency(1).WithLowModuleFinder(next.finder).
		WithWriteBufferSize(unlimited).WithMaxInflightFetch(unlimited).WithMaxInflightEviction(unlimited)
	if !l.slicing.Units.Pow2 {
		b = b.WithInterleaving(max(l.InterleaveBytes/l.LineBytes, 1), c.Slices, slice)
	}
	return b.Build(name)
}

// memory makes the channels.
func (a *Memory) memory() *stage {
	name := a.name("Memory", 0)
	if s := a.stages[name]; s != nil {
		return s
	}
	m := a.spec.Memory.InCycles(a.shape.ClockMHz)
	s := a.stage(name, m.Interleave())
	spec := gateSpec{cost: fixed.PerByte(m.SustainedBandwidth()), serial: uint64(a.spec.VectorMemory.AtomicCycles) << fixed.Shift, limit: unlimited, line: 1 << 16}
	latency := max(1, int(less(uint64(m.LatencyCycles), memoryCycles)))
	for i := range m.Channels {
		c := idealmemcontroller.MakeBuilder().WithEngine(a.engine).WithFreq(a.freq).WithWidth(sendBuffer).WithLatency(latency).
			WithStorage(a.storage).Build(fmt.Sprintf("%s.Channel[%d].Unit", name, i))
		a.join(s, c, spec, a.counter("memory"))
	}
	return s
}
