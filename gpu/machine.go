package gpu

import (
	"errors"
	"fmt"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/scheduler"
	"spvsim/simd"
)

// A machine is the simulated GPU: its components on one engine.
type machine struct {
	engine     *engine.Engine
	store      *mem.Store
	hierarchy  mem.Hierarchy
	lds        []*lds.Component
	chip       *mem.OnChip // payload memory; nil if the machine has none
	array      *cu.Array
	levelParts []sim.Component // levels of the fast memory
	dispatcher *scheduler.Dispatcher
	limits     cu.Limits
	rules      simd.Rules
	slots      int // wave slots of the machine
	// stuck says that memory owes replies that will not come, though it has events; nil: memory has no events
	stuck func(now uint64) bool
}

// newMachine builds all components of m.
func newMachine(m *config.Machine, print cu.Printer) (*machine, error) {
	spec := memorySpec(m)
	e := engine.New(sim.Freq(m.ClockMHz) * sim.MHz)
	hierarchy, err := newHierarchy(m, e, spec)
	if err != nil {
		return nil, err
	}
	g := &machine{
		engine: e, store: mem.NewStore(uint64(m.Memory.Bytes)), hierarchy: hierarchy,
		limits: limits(m), rules: rules(m),
	}
	switch h := hierarchy.(type) {
	case *mem.Akita:
		g.stuck = h.Stuck
	case *mem.Fast:
		g.levelParts = h.Components(e)
	}
	ports, err := mem.NewPorts(g.store, hierarchy, spec)
	if err != nil {
		return nil, err
	}
	if chip := graphSpec(m).OnChip(); chip > 0 {
		g.chip = mem.NewOnChip(m.Queue.PayloadLatency, m.Queue.PayloadBandwidth, m.VectorMemory.AtomicCycles)
		mem.UseOnChip(ports, g.chip)
	}
	unitSlots := m.SIMDs * m.WaveSlots
	g.slots = unitSlots * len(ports)
	local := ldsSpec(m)
	g.array, err = cu.New(unitsSpec(m, g.limits), cu.Links{
		Engine: e, Printer: print,
		Parts: func(name string, engine, unit int) (cu.Parts, error) {
			l, err := lds.NewComponent(e, name+".LDS", local)
			g.lds = append(g.lds, l)
			i := engine*m.ComputeUnits + unit
			return cu.Parts{Memory: cu.NewMemory(ports[i], i*unitSlots, unitSlots), LDS: l}, err
		},
	})
	if err != nil {
		return nil, err
	}
	g.dispatcher = scheduler.New(e, dispatcherSpec(m), g.array)
	return g, nil
}

func newHierarchy(m *config.Machine, engine sim.Engine, spec mem.Spec) (mem.Hierarchy, error) {
	switch m.Memory.Model {
	case "fast":
		return mem.NewFast(spec)
	case "akita":
		return mem.NewAkita(engine, sim.Freq(m.ClockMHz)*sim.MHz, spec)
	}
	return nil, fmt.Errorf("memory.model %q: want fast or akita", m.Memory.Model)
}

// cycle is the engine's time: parts that work on after a launch may be later than its end.
func (g *machine) cycle() uint64 { return g.engine.Now() }

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
			Misses: c.Misses, Bytes: c.Bytes, Writebacks: c.Writebacks,
		})
	}
	return list
}

// ldsCounts returns the counters of all local data shares so far, and the accesses out of bounds.
func (g *machine) ldsCounts() (sum account.LDSCounts, faults uint64) {
	for _, l := range g.lds {
		sum.Accesses += l.Counters.Accesses
		sum.Passes += l.Counters.Passes
		sum.ConflictPasses += l.Counters.ConflictPasses
		faults += l.Counters.Faults
	}
	return sum, faults
}

func limits(m *config.Machine) cu.Limits {
	r := &m.Registers
	return cu.Limits{
		Machine: m.Name, WaveSize: m.WaveSize, SIMDs: m.SIMDs, Slots: m.WaveSlots,
		Vector: r.Vector, VectorGranule: r.VectorGranule, VectorMax: r.VectorMax,
		Scalar: r.Scalar, ScalarGranule: r.ScalarGranule, ScalarMax: r.ScalarMax,
		LDSBytes: m.LDS.Bytes, LDSGranule: m.LDS.GranuleBytes, LDSMax: m.LDS.MaxWorkgroupBytes, Barriers: m.Barriers,
	}
}

func rules(m *config.Machine) simd.Rules {
	r := simd.Rules{WaveSize: m.WaveSize, MaxOutstanding: m.VectorMemory.MaxOutstanding}
	if m.Fetch.Enabled {
		r.FetchLine, r.InstructionBytes = m.Fetch.LineBytes, m.Fetch.InstructionBytes
	}
	for class := isa.ClassNone + 1; class < isa.NumClasses; class++ {
		if c, ok := m.Timing.Classes[class.String()]; ok {
			r.Classes[class] = simd.ClassCost{Unit: c.Unit, Issue: c.Issue, Busy: c.Busy, Latency: c.Latency}
		}
	}
	return r
}

func unitsSpec(m *config.Machine, l cu.Limits) cu.Spec {
	s := cu.Spec{
		Engines: m.ShaderEngines, Units: m.ComputeUnits, Limits: l, BarrierCycles: m.BarrierCycles,
		SIMD: simd.Spec{
			Slots: m.WaveSlots, Cadence: m.Issue.Cadence, Policy: m.Issue.Policy, PerCategory: m.Issue.PerCategory,
			Width: m.Issue.Width, ClockMHz: m.ClockMHz, ClockBits: m.ClockBits, MaxOutstanding: m.VectorMemory.MaxOutstanding,
		},
	}
	if f := &m.Fetch; f.Enabled {
		s.Fetch = cu.FetchSpec{Bytes: f.Bytes, LineBytes: f.LineBytes, Ways: f.Ways, SharedBy: f.SharedBy,
			HitCycles: f.HitCycles, MissCycles: f.MissCycles}
	}
	return s
}

func dispatcherSpec(m *config.Machine) scheduler.Spec {
	d := &m.Dispatcher
	return scheduler.Spec{
		Engines: m.ShaderEngines, Units: m.ComputeUnits, Limits: limits(m),
		WorkgroupsPerCycle: d.WorkgroupsPerCycle, WavesPerCycle: d.WavesPerCycle,
		LaunchLatency: d.LaunchLatency, KernelLaunchCycles: d.KernelLaunchCycles,
	}
}

func ldsSpec(m *config.Machine) lds.Spec {
	l := &m.LDS
	a := &l.Accesses
	rows := [lds.NumKinds]config.LDSAccess{
		lds.ReadB32: a.ReadB32, lds.ReadB64: a.ReadB64, lds.ReadB96: a.ReadB96, lds.ReadB128: a.ReadB128,
		lds.WriteB32: a.WriteB32, lds.WriteB64: a.WriteB64, lds.WriteB96: a.WriteB96, lds.WriteB128: a.WriteB128,
		lds.AtomicB32: a.AtomicB32, lds.AtomicB64: a.AtomicB64, lds.CmpSwapB32: a.CmpSwapB32, lds.CmpSwapB64: a.CmpSwapB64,
	}
	s := lds.Spec{
		Bytes: l.Bytes, Banks: l.Banks, BankBytes: l.BankBytes, Mapping: l.Mapping, ConflictCycles: l.ConflictCycles,
		BytesPerCycle: l.BytesPerCycle, WaveBytesPerCycle: l.WaveBytesPerCycle,
	}
	// The latency of a conflict-free read is that of the instruction's class: a SIMD adds it.
	for k, row := range rows {
		s.Accesses[k] = lds.AccessSpec{PhaseLanes: row.PhaseLanes, Lanes: row.Lanes, FixedCycles: row.FixedCycles, Wave64Cycles: row.Wave64Cycles}
	}
	return s
}

func memorySpec(m *config.Machine) mem.Spec {
	return mem.Spec{
		Engines: m.ShaderEngines, ComputeUnits: m.ComputeUnits,
		Path:     mem.PathSpec{LanesPerCycle: m.VectorMemory.LanesPerCycle, LinesPerCycle: m.VectorMemory.LinesPerCycle},
		VectorL1: cacheSpec("vector_l1", &m.VectorL1), ScalarL1: cacheSpec("scalar_l1", &m.ScalarL1),
		ShaderArray: cacheSpec("shader_array", &m.ShaderArray), L2: cacheSpec("l2", &m.L2),
		MemorySide: cacheSpec("memory_side", &m.MemorySide),
		Memory: mem.ChannelSpec{Channels: m.Memory.Channels, InterleaveBytes: m.Memory.InterleaveBytes,
			BytesPerCycle: m.Memory.BytesPerCycle, LatencyCycles: m.Memory.LatencyCycles},
		Texture: mem.TextureSpec{QuadsPerCycle: m.Texture.QuadsPerCycle, TexelBytes: m.Texture.TexelBytes,
			TrilinearPasses: m.Texture.TrilinearPasses, LatencyCycles: m.Texture.LatencyCycles},
		AtomicCycles: m.VectorMemory.AtomicCycles,
	}
}

// writePolicies by the name that machine descriptions use.
var writePolicies = map[string]mem.WritePolicy{"through": mem.WriteThrough, "back": mem.WriteBack, "read-only": mem.ReadOnly}

func cacheSpec(name string, c *config.Cache) mem.CacheSpec {
	return mem.CacheSpec{
		Name: name, Bytes: c.Bytes, LineBytes: c.LineBytes, Ways: c.Ways, Slices: c.Slices, InterleaveBytes: c.InterleaveBytes,
		SharedBy: c.SharedBy, LatencyCycles: c.LatencyCycles, BytesPerCycle: c.BytesPerCycle,
		Write: writePolicies[c.Write], WriteAllocate: c.Allocate, Misses: c.Misses,
	}
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
	return 0, fmt.Errorf("%w: wave_size = %d: %s runs waves of %v lanes", errWaveSize, job.WaveSize, m.Name, m.WaveSizes)
}

var errWaveSize = errors.New("gpu: job")
