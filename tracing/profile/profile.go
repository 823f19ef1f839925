// Package profile adds up the time of a run, by step, program, compute unit and over time, and compares the work with
// the machine's peak. A Profile is saved as JSON, and reports are made of it.
//
// The package knows neither how a machine works nor how a report looks.
package profile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"spvsim/account"
	"spvsim/config"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/tracing"
	"spvsim/tracing/probe"
)

// A Profile holds the results of a run.
type Profile struct {
	Format     int                `json:"format"` // currentFormat
	Job        string             `json:"job"`
	Machine    string             `json:"machine"`
	ClockMHz   int                `json:"clock_mhz"`
	Limited    string             `json:"limited,omitempty"` // by the power limit: what clock is the highest
	Engines    int                `json:"shader_engines"`
	Units      int                `json:"compute_units"`   // of an engine
	Slots      int                `json:"wave_slots"`      // of the machine
	FirstCycle uint64             `json:"begin,omitempty"` // cycle of the machine in which the first launch began
	Cycles     uint64             `json:"cycles"`
	Launch     uint64             `json:"launch_cycles,omitempty"` // of launch costs, where they are a large part
	Stats      json.RawMessage    `json:"statistics"`
	Reasons    []string           `json:"reasons"` // that arrays of slot-cycles are indexed by
	Peak       float64            `json:"peak_operations_per_cycle"`
	Levels     []LevelProfile     `json:"levels"`
	Total      account.SlotCycles `json:"slot_cycles"`
	Steps      []Step             `json:"steps"`
	Kernels    []Kernel           `json:"kernels"`
	Listings   []Listing          `json:"listings"`
	Series     Series             `json:"series"`
	Graph      []GraphNode        `json:"graph,omitempty"`
	Settings   []config.Leaf      `json:"settings,omitempty"` // of the machine and the job's parameters; missing in older files
	// Older files lack all of the following.
	Version   string            `json:"version,omitempty"` // of spvsim, with its commit
	Overrides []config.Leaf     `json:"given,omitempty"`   // the settings that no preset sets
	Warnings  []string          `json:"warnings,omitempty"`
	LDS       account.LDSCounts `json:"lds"`
	// Launches are the concurrent launches, up to a bound.
	Launches     []LaunchProfile `json:"launches,omitempty"`
	LaunchesLeft int             `json:"launches_left_out,omitempty"`
	// Utilization are the shares of their peaks that the machine's parts reached, Bound is what bounds the run, and WhatIf
	// are its results on counterfactual machines.
	Utilization []tracing.Utilization    `json:"utilization,omitempty"`
	Latencies   []Latency                `json:"latencies,omitempty"` // of accesses, by the farthest level that they reached
	Bound       string                   `json:"bound,omitempty"`
	WhatIf      []tracing.Counterfactual `json:"what_if,omitempty"`
	Maps        *Maps                    `json:"maps,omitempty"`
	Lifetimes   []Latency                `json:"workgroup_lifetimes,omitempty"` // of workgroups, by their program
}

// A LaunchProfile is a concurrent launch, in cycles since the first launch of the run. Values that are known only for the
// whole machine belong to the step of all concurrent launches: memory, empty slots and compute units. The work of its
// waves is in the kernels with the launch's name.
type LaunchProfile struct {
	Step        string `json:"step"`
	Queue       string `json:"queue"`
	Name        string `json:"name"`
	Workgroups  uint64 `json:"workgroups"`
	Packet      uint64 `json:"packet"` // its packet was the first of its queue
	Ready       uint64 `json:"begin"`  // its dependences had completed
	FirstPlaced uint64 `json:"placed"` // its first workgroup was placed
	End         uint64 `json:"end"`    // its memory accesses were done
	Busy        uint64 `json:"busy"`   // cycles from its first workgroup to its end
	// Memory is the traffic of its requests, by level, without write-backs at its end.
	Memory []account.LaunchTraffic `json:"memory,omitempty"`
	// Waits are the slot cycles of its waves by reason; nil: not known.
	Waits []account.LaunchWait `json:"waits,omitempty"`
}

const currentFormat = 1

// A GraphNode holds the counts of a node of an execution graph.
type GraphNode struct {
	Name       string              `json:"name"`
	Payloads   uint64              `json:"payloads"`
	Workgroups uint64              `json:"workgroups"`
	Wait       account.WaitSummary `json:"wait_cycles"`
	Start      account.WaitSummary `json:"start_cycles"`
	Path       account.PathCounts  `json:"path"`
}

// graphNodes returns the nodes of a run's graph, if it has one.
func graphNodes(g *account.GraphCounts) (list []GraphNode) {
	if g == nil {
		return nil
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		list = append(list, GraphNode{n.Name, n.Payloads, n.Workgroups, n.Wait(), n.Start(), n.Path})
	}
	return list
}

// A LevelProfile is a level of the memory hierarchy with its peak bandwidth.
type LevelProfile struct {
	Name                string  `json:"name"`
	BytesPerCycle       float64 `json:"peak_bytes_per_cycle"` // of all its instances
	account.LevelCounts         // its counts; older files have the bytes alone
}

// A Step is all launches of one step of the job.
type Step struct {
	Name       string               `json:"name"`
	Launches   int                  `json:"launches"`
	Cycles     uint64               `json:"cycles"`
	Operations uint64               `json:"operations"`
	Levels     []uint64             `json:"level_bytes"`
	Concurrent bool                 `json:"beside,omitempty"` // the step consists of concurrent launches
	Units      []account.SlotCycles `json:"units"`            // by compute unit of the machine
}

// A Kernel holds the counts of one program's waves in one step, or in concurrent launches of one name. In an execution
// graph each node is a kernel.
type Kernel struct {
	Step         string             `json:"step"`
	Launch       string             `json:"launch,omitempty"` // name of its launches, if they ran concurrently with others
	Name         string             `json:"name"`
	Waves        uint64             `json:"waves"`
	Instructions uint64             `json:"instructions"`
	Operations   uint64             `json:"operations"` // of lanes of vector arithmetic; multiply-add is two
	Slots        account.SlotCycles `json:"slot_cycles"`
	// UnitCycles adds up the cycles of the compute units that held one of its waves: in each launch from its first wave
	// to its last; in concurrent launches, while a wave was resident.
	UnitCycles uint64     `json:"unit_cycles,omitempty"`
	Resources  *Resources `json:"needs,omitempty"` // nil in older files
}

// Owner returns the name of the concurrent launches, or of the step.
func (k *Kernel) Owner() string { return cmp.Or(k.Launch, k.Step) }

// Resources are the resources of a compute unit that a program's waves occupy, and the occupancy that they allow.
type Resources struct {
	WaveSize     int                `json:"wave_size"`
	LocalSize    [3]uint32          `json:"local_size"`
	VectorRegs   int                `json:"vector_registers"`
	ScalarRegs   int                `json:"scalar_registers"`
	LDSBytes     uint32             `json:"lds_bytes"`
	ScratchWords uint32             `json:"scratch_words"` // of a lane
	Possible     *tracing.Occupancy `json:"possible,omitempty"`
}

// A Listing is a program with the cost of each instruction.
type Listing struct {
	Name     string       `json:"name"`
	WaveSize int          `json:"wave_size,omitempty"` // 0 in older files
	Lines    []Line       `json:"lines"`
	Source   []SourceLine `json:"source,omitempty"` // source lines of the instructions, ascending, if the module has its text
}

// A SourceLine is a line of the text that a shader was compiled from.
type SourceLine struct {
	File string `json:"file,omitempty"`
	Line uint32 `json:"line"`
	Text string `json:"text"`
}

// A Line is one instruction.
type Line struct {
	ID     uint32             `json:"id,omitempty"`
	Line   uint32             `json:"line,omitempty"`
	Class  string             `json:"class"`
	Text   string             `json:"text"`
	Issues uint64             `json:"issues"`
	Cycles account.SlotCycles `json:"cycles"`
	// LDS accesses: passes over the banks, and the passes that conflicts added.
	LDSPasses uint64  `json:"lds_passes,omitempty"`
	Conflicts uint64  `json:"conflict_passes,omitempty"`
	Joules    float64 `json:"joules,omitempty"` // zero in older files, and without a table of energies
	// IdleLanes are the inactive lanes over all issues, UnitCycles the cycles that accesses took of the address path, the scalar
	// path or the LDS; zero in older files.
	IdleLanes  uint64 `json:"idle_lanes,omitempty"`
	UnitCycles uint64 `json:"unit_cycles,omitempty"`
	// Of accesses to memory, with a tracer: their number, the cache lines that they asked for, the sectors of 32 bytes that lanes
	// touched in those (zero in older files), and the bytes that lanes moved.
	Accesses    uint64 `json:"accesses,omitempty"`
	CacheLines  uint64 `json:"cache_lines,omitempty"`
	Sectors     uint64 `json:"sectors,omitempty"`
	AccessBytes uint64 `json:"access_bytes,omitempty"`
	// LiveVector and LiveScalar are the registers that are live.
	LiveVector int `json:"live_vector,omitempty"`
	LiveScalar int `json:"live_scalar,omitempty"`
}

// New builds the profile of a run, or of its part so far.
func New(job *config.Job, c *Collector, m *config.Machine, s *tracing.Stats, listings []tracing.Listing) (*Profile, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	c.addSlots()
	g := &c.geometry
	p := &Profile{
		Format: currentFormat, Job: job.Name, Machine: m.Name, ClockMHz: m.ClockMHz, Limited: s.LimitText(), Engines: g.Engines, Units: g.Units, Slots: g.Total(),
		FirstCycle: c.firstCycle, Cycles: c.end - c.firstCycle, Launch: s.Launching(), Stats: text, Peak: peak(m), Levels: levels(m, g), Total: s.Slots, Steps: c.steps, Series: c.series.result(c.end - c.firstCycle), Graph: graphNodes(s.Graph),
		Settings:  append(m.AllLeaves(), job.ParameterLeaves()...),
		Overrides: append(m.Overrides(), job.ParameterLeaves()...), LDS: s.LDS,
		Warnings: warnings(s, listings), Launches: c.launches, LaunchesLeft: c.droppedLaunches,
		Utilization: s.Utilization, Bound: s.Bound(), WhatIf: s.WhatIf, Latencies: c.latencies.summaries(g.Levels), Maps: c.maps.result(c.end - c.firstCycle),
		Lifetimes: c.lifetimes.summaries(nil),
	}
	for r := account.Reason(0); r < account.NumReasons; r++ {
		p.Reasons = append(p.Reasons, r.String())
	}
	p.countLevels(s.Memory)
	for i := range p.Steps {
		p.Steps[i].fillEmpty(uint64(g.SIMDs * g.Slots))
		for l, n := range p.Steps[i].Levels {
			p.Levels[l].Bytes += n
		}
	}
	for i := range c.kernels {
		p.Kernels = append(p.Kernels, c.kernels[i].named(listings))
	}
	for i := range listings {
		p.Listings = append(p.Listings, newListing(&listings[i], c.accesses[listings[i].Program]))
	}
	if s.Energies.HasTable() {
		p.Series.distribute(s, p.Levels, p.Cycles)
	}
	return p, nil
}

// named returns the kernel with the resources of its program.
func (k *kernel) named(listings []tracing.Listing) Kernel {
	out := k.Kernel
	x := k.program
	out.Resources = &Resources{WaveSize: x.WaveSize, LocalSize: x.LocalSize, VectorRegs: x.VectorRegs, ScalarRegs: x.ScalarRegs, LDSBytes: x.LDSBytes, ScratchWords: x.ScratchWords}
	for i := range listings {
		if listings[i].Program == x {
			out.Resources.Possible = listings[i].Occupancy
		}
	}
	return out
}

// countLevels copies the machine's counts, except for the bytes, which are summed over the steps.
func (p *Profile) countLevels(list []account.LevelCounts) {
	for i := range p.Levels {
		for _, l := range list {
			if l.Name == p.Levels[i].Name {
				p.Levels[i].LevelCounts = l
				p.Levels[i].LevelCounts.Name, p.Levels[i].Bytes = "", 0
			}
		}
	}
}

// warnings returns the caveats about the numbers.
func warnings(s *tracing.Stats, listings []tracing.Listing) (list []string) {
	if s.Stopped != "" {
		list = append(list, "stopped: "+s.Stopped+"; these are the results so far")
	}
	if s.OutOfBounds > 0 {
		list = append(list, fmt.Sprintf("%d accesses of lanes were outside of their buffer or image: loads gave 0, stores did nothing", s.OutOfBounds))
	}
	for i := range listings {
		if x := listings[i].Program; x.ScratchWords > 0 {
			list = append(list, fmt.Sprintf("%s keeps %d words of each lane in scratch memory: registers that did not fit, or arrays with an index that varies", x.Name, x.ScratchWords))
		}
	}
	return append(list, s.LostPayloads()...)
}

// fillEmpty charges the remaining slot-cycles of each unit to the empty reason.
func (s *Step) fillEmpty(slots uint64) {
	for i := range s.Units {
		u := &s.Units[i]
		u[account.Empty] = 0
		u[account.Empty] = slots*s.Cycles - min(u.Total(), slots*s.Cycles)
	}
}

func newListing(l *tracing.Listing, accesses []account.AccessCounts) Listing {
	live := l.Program.Live()
	out := Listing{Name: l.Program.Name, WaveSize: l.Program.WaveSize}
	for i := range l.Program.Insts {
		in := &l.Program.Insts[i]
		line := Line{ID: in.SPIRV, Line: in.Line, Class: in.Class.String(), Text: isa.Disasm(in)}
		if l.Counts != nil {
			n := &l.Counts[i]
			line.Issues, line.Cycles, line.LDSPasses, line.Conflicts = n.Issues, n.Cycles, n.LDSPasses, n.ConflictPasses
			line.IdleLanes, line.UnitCycles = n.Idle, n.UnitCycles
		}
		line.LiveVector, line.LiveScalar = live[i].Vector, live[i].Scalar
		if accesses != nil {
			n := &accesses[i]
			line.Accesses, line.CacheLines, line.Sectors, line.AccessBytes = n.Accesses, n.Lines, n.Sectors, n.Bytes
		}
		if l.Joules != nil {
			line.Joules = l.Joules[i]
		}
		out.Lines = append(out.Lines, line)
	}
	for _, l := range l.Program.Source {
		out.Source = append(out.Source, SourceLine(l))
	}
	return out
}

// peak returns the lane operations per cycle of the machine's vector units: two per lane of a fused multiply-add.
func peak(m *config.Machine) float64 {
	row, ok := m.Timing.Cost(isa.ClassFMA32, &m.Shape, m.WaveSize)
	if !ok {
		return 0
	}
	return 2 * float64(m.WaveSize) / float64(max(row.Issue, row.Busy)) * float64(m.SIMDs*m.Units())
}

// levels are the levels that the machine has, in the order of its counters.
func levels(m *config.Machine, g *probe.Geometry) []LevelProfile {
	var list []LevelProfile
	for _, name := range g.Levels {
		memory := m.Memory.InCycles(m.ClockMHz)
		rate := float64(memory.Channels) * memory.BytesPerCycle
		if c := m.Level(name); c != nil {
			all, _ := m.Instances(c.SharedBy)
			rate = float64(max(c.Slices, 1)*all) * hierarchy.NewLevelTiming(c, m.ClockMHz).Bandwidth
		}
		list = append(list, LevelProfile{Name: name, BytesPerCycle: rate})
	}
	return list
}

// WriteJSON saves the profile.
func (p *Profile) WriteJSON(w io.Writer) error {
	b, err := appendJSON(nil, reflect.ValueOf(p).Elem())
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// ErrFormat means that a file is not a profile.
var ErrFormat = errors.New("profile: want a file that spvsim run --profile wrote")

// Read reads a saved profile.
func Read(r io.Reader) (*Profile, error) {
	p := &Profile{}
	if err := json.NewDecoder(r).Decode(p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if p.Format != currentFormat {
		return nil, fmt.Errorf("%w: format %d, want %d", ErrFormat, p.Format, currentFormat)
	}
	if !possible(p.Peak) {
		return nil, fmt.Errorf("%w: a peak of %g operations a cycle", ErrFormat, p.Peak)
	}
	for _, l := range p.Levels {
		if !possible(l.BytesPerCycle) {
			return nil, fmt.Errorf("%w: level %s moves %g bytes a cycle", ErrFormat, l.Name, l.BytesPerCycle)
		}
	}
	for _, row := range []*[]uint64{&p.Series.Payloads, &p.Series.Busy, &p.Series.Work} {
		if *row == nil { // of an older file
			*row = make([]uint64, p.Series.Len())
		}
	}
	if p.Series.Depth == nil && p.Series.BinCycles > 0 { // likewise: the mean is all that it has
		p.Series.Depth = mean(p.Series.Queue, p.Series.BinCycles)
		for i := range p.Series.Nodes {
			p.Series.Nodes[i].Depth = mean(p.Series.Nodes[i].Queue, p.Series.BinCycles)
		}
	}
	return p, p.check()
}

// mean divides each sum of a row by the cycles of a bin.
func mean(row []uint64, cycles uint64) []uint64 {
	list := make([]uint64, len(row))
	for i := range row {
		list[i] = row[i] / cycles
	}
	return list
}

// possible reports whether a rate per cycle is plausible for a machine. Drawings have a tick for each power of ten.
func possible(rate float64) bool { return rate > 1e-12 && rate < 1e18 }

// check refuses tables that do not fit each other.
func (p *Profile) check() error {
	s := &p.Series
	if len(p.Reasons) != int(account.NumReasons) || len(s.Slots) != int(account.Empty) || len(s.Levels) != len(p.Levels) || s.BinCycles == 0 {
		return fmt.Errorf("%w: %d reasons, %d rows of slots, %d of %d levels", ErrFormat, len(p.Reasons), len(s.Slots), len(s.Levels), len(p.Levels))
	}
	for _, row := range s.all() {
		if len(*row) != s.Len() || s.Len() == 0 || uint64(s.Len()-1) > p.Cycles/s.BinCycles {
			return fmt.Errorf("%w: rows of %d and %d bins for %d cycles", ErrFormat, len(*row), s.Len(), p.Cycles)
		}
	}
	if err := s.checkPower(); err != nil {
		return err
	}
	for i := range p.Latencies {
		if err := p.Latencies[i].check(); err != nil {
			return err
		}
	}
	for _, l := range p.Launches {
		if l.Packet > l.FirstPlaced || l.FirstPlaced > l.End || l.End > p.Cycles {
			return fmt.Errorf("%w: launch %s: %d, %d, %d of %d cycles", ErrFormat, l.Name, l.Packet, l.FirstPlaced, l.End, p.Cycles)
		}
	}
	for i := range p.Steps {
		if len(p.Steps[i].Levels) != len(p.Levels) || len(p.Steps[i].Units) != p.Engines*p.Units {
			return fmt.Errorf("%w: step %s: %d levels, %d units", ErrFormat, p.Steps[i].Name, len(p.Steps[i].Levels), len(p.Steps[i].Units))
		}
	}
	return nil
}
