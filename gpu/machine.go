package gpu

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/mem/akita"
	"spvsim/mem/hierarchy"
	"spvsim/scheduler"
	"spvsim/simd"
)

// A machine is the simulated GPU: its components on one engine.
type machine struct {
	engine     *engine.Engine
	store      *mem.Store
	hierarchy  hierarchy.Model
	lds        []*lds.Component
	chip       *mem.OnChip // payload memory; nil if the machine has none
	array      *cu.Array
	levelParts []sim.Component // levels of the fast memory
	dispatcher *scheduler.Dispatcher
	limits     *cu.Limits
	rules      *simd.Rules
	slots      int               // wave slots of the machine
	graphs     []*scheduler.Run  // whose workgroups run; none: those of kernels
	shared     *scheduler.Shared // by its graphs
	// stuck says that memory owes replies that will not come, though it has events; nil: memory has no events
	stuck func(now uint64) bool
}

// newMachine builds all components of m, which has been checked.
func newMachine(m *config.Machine, print cu.Printer) *machine {
	e := engine.New(sim.Freq(m.ClockMHz) * sim.MHz)
	g := &machine{
		engine: e, store: mem.NewStore(uint64(m.Memory.Bytes)),
		limits: m.Limits(), rules: m.Rules(), slots: m.Units() * m.UnitSlots(), shared: &scheduler.Shared{},
	}
	g.buildMemory(m)
	ports := mem.NewPorts(g.store, g.hierarchy, &m.Spec, &m.Shape)
	if m.OnChip() > 0 {
		g.chip = mem.NewOnChip(m.Queue.PayloadLatency, m.Queue.PayloadBandwidth, m.VectorMemory.AtomicCycles)
		mem.UseOnChip(ports, g.chip)
	} else if m.PayloadCache() {
		line, _ := g.hierarchy.LineBytes()
		g.chip = mem.NewPayloadCache(m.Queue.PayloadBytes, int(line), m.Queue.PayloadLatency, m.Queue.PayloadBandwidth, m.VectorMemory.AtomicCycles)
		mem.UseOnChip(ports, g.chip)
	}
	g.array = cu.New(&m.UnitSpec, &m.Shape, cu.Links{
		Engine: e, Printer: print,
		Parts: func(name string, engine, unit int) cu.Parts {
			l := lds.NewComponent(e, name+".LDS", &m.LDS)
			g.lds = append(g.lds, l)
			i := engine*m.ComputeUnits + unit
			return cu.Parts{Memory: cu.NewMemory(ports[i], i*m.UnitSlots(), m.UnitSlots()), LDS: l, MaxOutstanding: m.VectorMemory.MaxOutstanding}
		},
	})
	g.dispatcher = scheduler.New(e, &m.Dispatcher, g.limits, g.array)
	return g
}

func (g *machine) buildMemory(m *config.Machine) {
	if m.Memory.Model == "akita" {
		h := akita.New(g.engine, &m.Spec, &m.Shape)
		g.hierarchy, g.stuck = h, h.Stuck
		return
	}
	h := hierarchy.NewAnalytic(&m.Spec, &m.Shape)
	g.hierarchy, g.levelParts = h, h.Components(g.engine)
}

// cycle is the engine's time: parts that work on after a launch may be later than its end.
func (g *machine) cycle() uint64 { return g.engine.Now() }

// serve says whose workgroups run next: those of some graphs, or of kernels alone.
func (g *machine) serve(graphs ...*scheduler.Run) {
	if g.graphs = graphs; len(graphs) == 0 {
		g.array.Serve(nil)
		return
	}
	g.array.Serve(scheduler.Payloads{})
}

// waves are those on the compute units.
func (g *machine) waves() (list []*simd.Wave) {
	for _, u := range g.array.Units {
		for _, s := range u.SIMDs {
			list = append(list, s.Waves()...)
		}
	}
	return list
}

// levels returns the counters of the memory hierarchy so far.
func (g *machine) levels() []account.Level {
	var list []account.Level
	counters := g.hierarchy.Counters()
	if g.chip != nil {
		counters = append(counters, g.chip.Counter)
	}
	for _, c := range counters {
		list = append(list, account.Level{
			Name: c.Level, Accesses: c.Accesses, Hits: c.Hits, InFlight: c.InFlight,
			Misses: c.Misses, Bytes: c.Bytes, Written: c.Written, Writebacks: c.Writebacks, FullCycles: c.Full,
		})
	}
	return list
}

// faults is how many accesses so far were out of bounds, of buffers or of local data shares.
func (g *machine) faults() uint64 {
	sum := g.store.Faults.Count
	for _, l := range g.lds {
		sum += l.Faults
	}
	return sum
}

// waveSize is the wave size that the job runs at.
func waveSize(m *config.Machine, job *config.Job) (int, error) {
	if job.WaveSize == 0 {
		return m.WaveSize, nil
	}
	for _, size := range m.WaveSizes {
		if size == job.WaveSize {
			return size, nil
		}
	}
	return 0, job.Fault(&config.Launch{}, "wave_size", wrongWaveSize(job.WaveSize, m))
}

// wrongWaveSize is the error of a wave size that a machine has not.
func wrongWaveSize(size int, m *config.Machine) error {
	var sizes []string
	for _, n := range m.WaveSizes {
		sizes = append(sizes, strconv.Itoa(n))
	}
	return fmt.Errorf("found %d: want %s, as %s has", size, strings.Join(sizes, " or "), m.Name)
}
