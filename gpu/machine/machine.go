// Package machine builds the simulated GPU from its description: memory, compute units and the dispatcher, on one engine.
package machine

import (
	"math"
	"spvsim/mem/akita"
	"spvsim/mem/hierarchy"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/scheduler"
	"spvsim/scheduler/graph"
	"spvsim/simd"
)

// A Machine is the simulated GPU: its components on one engine.
type Machine struct {
	Spec       *config.Machine
	Engine     *engine.Engine
	Store      *mem.Store
	Hierarchy  hierarchy.Model
	FetchPath  *hierarchy.FetchPath // of the command processor; nil: it has none
	LDS        []*lds.Component
	OnChip     *mem.OnChip // payload memory; nil if the machine has none
	Array      *cu.ComputeUnits
	LevelParts []sim.Component // levels of the fast memory
	Dispatcher *scheduler.Dispatcher
	Limits     *cu.Limits
	Rules      *simd.Rules
	Slots      int           // wave slots of the machine
	Graphs     []*graph.Run  // whose workgroups run; none: kernels run
	Shared     *graph.Shared // by its graphs
	// Stuck reports that memory has events but owes replies that will never come; nil: memory has no events
	Stuck func(now uint64) bool
}

// New builds all components of m, which is valid.
func New(m *config.Machine, print cu.Printer) *Machine {
	e := engine.New(sim.Freq(m.ClockMHz) * sim.MHz)
	g := &Machine{
		Spec: m, Engine: e, Store: mem.NewStore(uint64(m.Memory.Bytes)),
		Limits: m.Limits(), Rules: m.Rules(), Slots: m.Units() * m.UnitSlots(), Shared: &graph.Shared{},
	}
	g.buildMemory(m)
	g.FetchPath = hierarchy.NewFetchPath(&m.FrontEnd.FetchSpec, g.Hierarchy)
	ports := mem.NewPorts(g.Store, g.Hierarchy, &m.Spec, &m.Shape)
	if graph.OnChip(&m.WorkSpec) > 0 {
		g.OnChip = mem.NewOnChip(m.Queue.PayloadLatency, m.Queue.PayloadBandwidth, m.VectorMemory.AtomicCycles)
		mem.UseOnChip(ports, g.OnChip)
	} else if graph.PayloadCache(&m.WorkSpec) {
		line, _ := g.Hierarchy.LineBytes()
		g.OnChip = mem.NewPayloadCache(m.Queue.PayloadBytes, int(line), m.Queue.PayloadLatency, m.Queue.PayloadBandwidth, m.VectorMemory.AtomicCycles)
		mem.UseOnChip(ports, g.OnChip)
	}
	g.Array = cu.New(&m.UnitSpec, &m.Shape, cu.Links{
		Engine: e, Printer: print,
		NewUnitParts: func(name string, engine, unit int) cu.UnitParts {
			l := lds.NewComponent(e, name+".LDS", &m.LDS, m.Issue.Cadence)
			g.LDS = append(g.LDS, l)
			i := engine*m.ComputeUnits + unit
			return cu.UnitParts{Memory: cu.NewMemory(ports[i], i*m.UnitSlots(), m.UnitSlots()), LDS: l, MaxOutstanding: m.VectorMemory.MaxOutstanding}
		},
	})
	g.Dispatcher = scheduler.New(e, &m.Dispatcher, g.Limits, g.Array)
	return g
}

func (g *Machine) buildMemory(m *config.Machine) {
	if m.Memory.Model == "akita" {
		h := akita.New(g.Engine, &m.Spec, &m.Shape)
		g.Hierarchy, g.Stuck = h, h.Stuck
		return
	}
	h := hierarchy.NewAnalytic(&m.Spec, &m.Shape)
	g.Hierarchy, g.LevelParts = h, h.Components(g.Engine)
}

// FetchArguments has the command processor read the arguments of a dispatch in cycle now. It returns when they have come.
func (g *Machine) FetchArguments(now uint64, w interface{ Arguments() (addr, bytes uint64) }) (ready uint64) {
	if addr, bytes := w.Arguments(); g.FetchPath != nil && bytes > 0 {
		return g.FetchPath.Read(now, addr, bytes, false)
	}
	return now
}

// Cycle returns the engine's time. It may be later than the end of the last launch, as caches and other parts work on.
func (g *Machine) Cycle() uint64 { return g.Engine.Now() }

// Serve selects the graphs whose workgroups run next; without any, kernels run.
func (g *Machine) Serve(graphs ...*graph.Run) {
	if g.Graphs = graphs; len(graphs) == 0 {
		g.Array.ServeGraph(nil)
		return
	}
	g.Array.ServeGraph(graph.Payloads{})
}

// Waves returns the resident waves.
func (g *Machine) Waves() (list []*simd.Wave) {
	for _, u := range g.Array.Units {
		for _, s := range u.SIMDs {
			list = append(list, s.Waves()...)
		}
	}
	return list
}

// counters returns the counters of the memory hierarchy and of the payload memory.
func (g *Machine) counters() []hierarchy.Counter {
	list := g.Hierarchy.Counters()
	if g.OnChip != nil {
		list = append(list, g.OnChip.Counter)
	}
	return list
}

// Links returns what the links of each of Levels carried so far.
func (g *Machine) Links() []account.LinkBytes {
	var list []account.LinkBytes
	for _, c := range g.counters() {
		list = append(list, account.LinkBytes{Read: c.LinkRead, Written: c.LinkWritten})
	}
	return list
}

// Levels returns the counters of the memory hierarchy so far.
func (g *Machine) Levels() []account.LevelCounts {
	var list []account.LevelCounts
	for _, c := range g.counters() {
		list = append(list, account.LevelCounts{
			Name: c.Level, Accesses: c.Accesses, Hits: c.Hits, InFlight: c.InFlight,
			Misses: c.Misses, Bytes: c.Bytes, Written: c.Written, Writebacks: c.Writebacks, FullCycles: c.QueueFullCycles,
		})
	}
	return list
}

// CountParts makes the levels of memory count their parts from now on.
func (g *Machine) CountParts() {
	for _, p := range g.LevelParts {
		p.(*hierarchy.Component).CountParts()
	}
}

// Parts returns the counts of the parts of each of Levels so far; nil where none are counted.
func (g *Machine) Parts() [][]account.PartCounts {
	list := make([][]account.PartCounts, 0, len(g.LevelParts)+2)
	for i := len(g.LevelParts); i < len(g.Hierarchy.Counters()); i++ {
		list = append(list, nil) // the second level of translation, before the others
	}
	for _, p := range g.LevelParts {
		list = append(list, p.(*hierarchy.Component).Parts())
	}
	return list
}

// Faults returns the number of accesses out of bounds so far, of buffers and of LDS.
func (g *Machine) Faults() uint64 {
	sum := g.Store.Faults.Count
	for _, l := range g.LDS {
		sum += l.Faults
	}
	return sum
}

// TransferCycles returns the time of a transfer: bytes / (channels * bytes_per_cycle * efficiency), rounded up.
func (g *Machine) TransferCycles(bytes uint64) uint64 {
	spec := g.Spec.Memory.InCycles(g.Spec.ClockMHz)
	rate := spec.BytesPerCycle * float64(spec.Channels)
	if spec.Efficiency > 0 {
		rate *= spec.Efficiency
	}
	return uint64(math.Ceil(float64(bytes) / rate))
}
