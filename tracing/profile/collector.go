package profile

import (
	"math/bits"

	"spvsim/account"
	"spvsim/isa"
	"spvsim/program"
	"spvsim/tracing"
	"spvsim/tracing/probe"
)

// A Collector is a probe.Tracer that accumulates the content of a Profile.
type Collector struct {
	probe.NopTracer
	geometry        probe.Geometry
	firstCycle      uint64 // cycle of the first launch
	end             uint64
	series          growingSeries
	kernels         []*kernel
	byKey           map[kernelKey]int
	steps           []Step
	step            int
	sampled         uint64
	bytes           []uint64 // of each level, at the last sample
	slots           []slot   // by wave slot
	reached         uint64   // cycles since the first for which series and maps have bins
	waiting         map[waitKey]uint64
	depths          map[depthKey]depth
	launches        []LaunchProfile
	droppedLaunches int // launches that are not among them
	latencies       latencies
	maps            maps
	accesses        map[*program.Program][]account.AccessCounts // by instruction
	lifetimes       latencies                                   // of workgroups, by the name of their program
	workgroups      map[residentGroup]begunAccess
	units           []unitWork // by compute unit
	begun           uint64     // cycle in which the launch that runs began
}

// A unitWork is the number of workgroups that a compute unit has, since a cycle in which it had none.
type unitWork struct {
	groups int
	since  uint64
}

// A slot is a wave slot of the machine: what its wave has done since the counts were last added to those of its kernel, its unit and
// its step. Only what is counted over time is added at each issue.
type slot struct {
	*kernel                                 // of the wave; nil: the slot never held one
	issued                          *mapRow // instructions of the unit over time
	instructions, lanes, operations uint64
	cycles                          reasonCycles
	since, end                      uint64 // cycles of the machine in which the slot held the wave, without a gap
	// The bins of the last issue: those of the series and of the maps, the cycle of the machine in which the first of them ends, and how
	// many of the instructions bins count.
	bin     uint16
	mapBin  uint8
	binEnd  uint64
	counted uint64
}

// A kernel is a program in a step, or in a concurrent launch.
type kernel struct {
	Kernel
	program *program.Program
	pcs     []pcCounter
	access  []account.AccessCounts
	// Of the launch that runs: when its first wave began and its last ended, and the compute units that held one.
	first, last uint64
	units       map[int]bool
	resident    int // waves
}

// A pcCounter counts the issues of an instruction.
type pcCounter struct {
	issues *mapRow // of the program's map; of programs without a map, a row that is not shown
	weight uint64  // operations of a lane
}

type kernelKey struct {
	step    int
	launch  string
	program *program.Program
}

type waitKey struct {
	payload int
	node    string
}

// A depthKey is a graph, by the name of its first node, or one of its nodes.
type depthKey struct{ graph, node string }

// A depth is a number of payloads that wait since a cycle.
type depth struct{ sinceCycle, payloads uint64 }

// NewCollector returns an empty collector.
func NewCollector() *Collector {
	return &Collector{accesses: map[*program.Program][]account.AccessCounts{}, workgroups: map[residentGroup]begunAccess{}, byKey: map[kernelKey]int{}, waiting: map[waitKey]uint64{}, depths: map[depthKey]depth{}, step: -1}
}

// Unordered implements probe.UnorderedTracer: sums do not depend on the order.
func (c *Collector) Unordered() {}

// RunBegin implements probe.Tracer.
func (c *Collector) RunBegin(g *probe.Geometry) {
	c.geometry = *g
	c.series, c.reached = newSeries(len(g.Levels)), 0
	c.maps.begin(g)
	c.series.collector, c.maps.collector = c, c
	c.bytes = make([]uint64, len(g.Levels))
	c.units = make([]unitWork, g.Engines*g.Units)
	c.slots = make([]slot, g.Total())
}

// LaunchBegin implements probe.Tracer.
func (c *Collector) LaunchBegin(l *probe.LaunchInfo) {
	if len(c.steps) == 0 {
		c.firstCycle, c.end, c.sampled = l.At, l.At, l.At
	}
	c.step, c.begun = -1, l.At
	for i := range c.steps {
		if c.steps[i].Name == l.Step {
			c.step = i
		}
	}
	if c.step < 0 {
		c.step = len(c.steps)
		c.steps = append(c.steps, Step{Name: l.Step, Levels: make([]uint64, len(c.geometry.Levels)),
			Units: make([]account.SlotCycles, c.geometry.Engines*c.geometry.Units)})
	}
	c.steps[c.step].Launches++
	at := l.At - c.firstCycle
	if n := len(c.series.Steps); n > 0 && (c.series.Steps[n-1].Name == l.Step || n == maxSpans) {
		return
	}
	c.series.Steps = append(c.series.Steps, Span{l.Step, at, at})
}

// maxSpans bounds the spans of a series: launches after that are of the last one.
const maxSpans = 256

// LaunchEnd implements probe.Tracer.
func (c *Collector) LaunchEnd(end uint64) {
	if len(c.steps) == 0 {
		return
	}
	s := &c.steps[c.step]
	s.Cycles += end - c.end
	for i := range c.kernels {
		c.kernels[i].addUnitCycles()
	}
	c.end = end
	c.series.addCycles(c.series.Work, c.begun-c.firstCycle, end-c.firstCycle)
	c.series.Steps[len(c.series.Steps)-1].To = end - c.firstCycle
}

// WaveBegin implements probe.Tracer.
func (c *Collector) WaveBegin(w *probe.Wave) {
	key := kernelKey{c.step, w.Launch, w.Program}
	k, ok := c.byKey[key]
	if !ok {
		k = len(c.kernels)
		c.byKey[key] = k
		c.kernels = append(c.kernels, &kernel{access: c.accessesOf(w.Program), pcs: c.maps.ofProgram(w.Program), Kernel: Kernel{Step: c.steps[c.step].Name, Launch: w.Launch, Name: w.Program.Name}, program: w.Program,
			first: probe.Unknown, units: map[int]bool{}})
	}
	x := c.kernels[k]
	c.slots[c.geometry.Index(w.WaveSlotID)] = slot{kernel: x, issued: c.maps.units[w.Unit].issued, since: w.At, end: w.At}
	x.Waves++
	x.resident++
	u := &c.maps.Units[w.Unit]
	u.Waves++
	u.SIMDs[w.SIMD].Waves++
	x.first, x.units[w.Unit] = min(x.first, w.At), true
}

// WaveEnd implements probe.Tracer.
func (c *Collector) WaveEnd(at uint64, p probe.WaveSlotID) {
	index := c.geometry.Index(p)
	c.addSlot(index)
	k := c.slots[index].kernel
	k.last = max(k.last, at)
	if k.resident--; k.resident == 0 && k.Launch != "" { // other launches of the name may come much later
		k.addUnitCycles()
	}
}

// addUnitCycles adds the cycles of the compute units that held waves of the kernel in a launch that ended.
func (k *kernel) addUnitCycles() {
	if k.last > k.first {
		k.UnitCycles += (k.last - k.first) * uint64(len(k.units))
	}
	k.first, k.last = probe.Unknown, 0
	clear(k.units)
}

// addSlot adds what the wave of a slot has done to the counts of its kernel, its unit and its step.
func (c *Collector) addSlot(index int) {
	s, step := &c.slots[index], &c.steps[c.step]
	simd := index / c.geometry.Slots
	unit := simd / c.geometry.SIMDs
	u := &c.maps.Units[unit]
	u.Instructions += s.instructions
	u.Lanes += s.lanes
	u.SIMDs[simd%c.geometry.SIMDs].Instructions += s.instructions
	u.SIMDs[simd%c.geometry.SIMDs].Lanes += s.lanes
	s.Instructions += s.instructions
	s.Operations += s.operations
	step.Operations += s.operations
	for r := range s.Slots {
		s.Slots[r] += s.cycles[r]
		step.Units[unit][r] += s.cycles[r]
	}
	c.countInBins(s)
	c.endResidence(s, unit)
	*s = slot{kernel: s.kernel, issued: s.issued, since: s.end, end: s.end}
}

// addSlots adds what the waves that are resident have done so far.
func (c *Collector) addSlots() {
	for i := range c.slots {
		if c.slots[i].kernel != nil {
			c.addSlot(i)
		}
	}
}

// arithmetic are the classes that count as operations.
var arithmetic = map[isa.Class]uint64{
	isa.ClassVALU32: 1, isa.ClassFMA32: 2, isa.ClassTrans: 1, isa.ClassIMul32: 1, isa.ClassShift64: 1, isa.ClassInt64: 1,
	isa.ClassF64Add: 1, isa.ClassF64Mul: 1, isa.ClassF64Trans: 1, isa.ClassCvt: 1,
	isa.ClassPacked16: 1, isa.ClassPacked32: 1, isa.ClassDual: 1, // of each half
}

// moves have such classes, but compute nothing.
var moves = map[isa.Op]bool{isa.Mov: true, isa.Micro: true, isa.Nop: true}

// fused instructions are two operations whatever their class.
var fused = map[isa.Op]bool{isa.Fma: true, isa.IMad: true}

// operations returns the operations of a lane: 1 for vector arithmetic, 2 for a multiply-add, the sum of both for a pair.
func operations(in *isa.Inst) uint64 {
	n := arithmetic[in.Class]
	if in.Second != nil {
		first := *in
		first.Second = nil
		return operations(&first) + operations(in.Second)
	}
	switch {
	case moves[in.Op]:
		return 0
	case fused[in.Op] && in.Class != isa.ClassFMA32:
		return 2 * n
	}
	return n
}

// Issue implements probe.Tracer. Most issues are in the bins of the last one, right after what their slot did before.
func (c *Collector) Issue(i *probe.Issue) {
	s := &c.slots[i.Index]
	pc := &s.pcs[i.PC]
	lanes := uint64(bits.OnesCount64(i.Exec))
	s.lanes += lanes
	s.operations += lanes * pc.weight
	if i.From != s.end || i.End > s.binEnd || i.StallCycles != i.Ready {
		c.issueAcrossBins(s, i)
	} else {
		why, waited, queued, issued := i.Reason%numReasons, i.Ready-i.From, i.At-i.Ready, i.End-i.At
		s.end = i.End
		s.cycles[why] += waited
		s.cycles[account.Unit] += queued
		s.cycles[account.Issued] += issued
		bin := &c.series.cells[s.bin%maxBins].slots
		bin[why] += waited
		bin[account.Unit] += queued
		bin[account.Issued] += issued
	}
	s.instructions++
	pc.issues[s.mapBin%mapBins]++
}

// issueAcrossBins charges the cycles of an issue, whatever bins they are in, and finds those of the next one.
func (c *Collector) issueAcrossBins(s *slot, i *probe.Issue) {
	c.reach(i.End - c.firstCycle)
	c.occupy(s, i.Unit, i.From, i.End)
	c.charge(s, i.Reason, i.From, i.Ready)
	queued := i.Ready
	if i.StallCycles > queued {
		c.charge(s, i.StallReason, queued, i.StallCycles)
		queued = i.StallCycles
	}
	if i.At > queued {
		c.charge(s, account.Unit, queued, i.At)
	}
	c.openBins(s, i.At-c.firstCycle)
	if i.End > s.binEnd {
		c.charge(s, account.Issued, i.At, i.End)
		return
	}
	s.cycles[account.Issued] += i.End - i.At
	c.series.cells[s.bin%maxBins].slots[account.Issued] += i.End - i.At
}

// openBins has a slot count in the bins of a cycle.
func (c *Collector) openBins(s *slot, cycle uint64) {
	c.countInBins(s)
	bin, mapBin := cycle>>(c.series.shift&63), cycle>>(c.maps.shift&63)
	s.bin, s.mapBin = uint16(bin), uint8(mapBin)
	s.binEnd = c.firstCycle + min((bin+1)<<(c.series.shift&63), (mapBin+1)<<(c.maps.shift&63))
}

// countInBins counts the instructions of a slot that no bin counts.
func (c *Collector) countInBins(s *slot) {
	if n := s.instructions - s.counted; n > 0 {
		c.series.cells[s.bin%maxBins].issued += n
		s.issued[s.mapBin%mapBins] += n
		s.counted = s.instructions
	}
}

// closeBins has all slots find their bins anew, before bins are joined.
func (c *Collector) closeBins() {
	for i := range c.slots {
		c.countInBins(&c.slots[i])
		c.slots[i].binEnd = 0
	}
}

// Waited implements probe.Tracer.
func (c *Collector) Waited(from, to uint64, p probe.WaveSlotID, why account.Reason) {
	s := &c.slots[c.geometry.Index(p)]
	c.reach(max(to, from) - c.firstCycle)
	c.occupy(s, p.Unit, from, max(to, from))
	c.charge(s, why, from, to)
}

// occupy notes that the wave of a slot of a unit is resident from one cycle to another.
func (c *Collector) occupy(s *slot, unit int, from, to uint64) {
	if from != s.end {
		c.beginResidence(s, unit, from)
	}
	s.end = to
}

// beginResidence notes that a slot of a unit holds its wave from a cycle on, after a gap.
func (c *Collector) beginResidence(s *slot, unit int, from uint64) {
	c.endResidence(s, unit)
	s.since = from
}

// endResidence adds the cycles in which a slot of a unit held its wave without a gap.
func (c *Collector) endResidence(s *slot, unit int) {
	c.maps.span(c.maps.units[unit].busy, s.since-c.firstCycle, s.end-c.firstCycle)
}

// reach joins bins until series and maps have bins for all cycles before one.
func (c *Collector) reach(end uint64) {
	if end > c.reached {
		c.joinUntil(end - 1)
	}
}

// joinUntil joins bins until series and maps have bins for a cycle.
func (c *Collector) joinUntil(cycle uint64) {
	c.series.bin(cycle)
	c.maps.bin(cycle)
	c.reached = min(uint64(maxBins)<<(c.series.shift&63), uint64(mapBins)<<(c.maps.shift&63))
}

// charge charges cycles of a slot, for which there are bins, to a reason.
func (c *Collector) charge(s *slot, why account.Reason, from, to uint64) {
	if from < to {
		s.cycles[why%numReasons] += to - from
		c.series.addReason(why, from-c.firstCycle, to-c.firstCycle)
	}
}

// accessesOf returns the counts of a program's instructions.
func (c *Collector) accessesOf(p *program.Program) []account.AccessCounts {
	if c.accesses[p] == nil {
		c.accesses[p] = make([]account.AccessCounts, len(p.Insts))
	}
	return c.accesses[p]
}

// ListAccesses adds the accesses of each instruction to listings.
func (c *Collector) ListAccesses(listings []tracing.Listing) {
	for i := range listings {
		listings[i].Accesses = c.accesses[listings[i].Program]
	}
}

// A residentGroup names a workgroup while it is resident.
type residentGroup struct {
	unit  int
	index uint64
}

// WorkgroupBegin implements probe.Tracer.
func (c *Collector) WorkgroupBegin(g *probe.Workgroup) {
	c.workgroups[residentGroup{g.Unit, g.Index}] = begunAccess{g.At, g.Name}
	u := &c.units[g.Unit]
	if u.groups == 0 {
		u.since = g.At
	}
	u.groups++
}

// WorkgroupEnd implements probe.Tracer.
func (c *Collector) WorkgroupEnd(at uint64, unit int, index uint64) {
	key := residentGroup{unit, index}
	if g, ok := c.workgroups[key]; ok {
		c.lifetimes.add(g.level, at-min(g.at, at))
		delete(c.workgroups, key)
		u := &c.units[unit]
		if u.groups--; u.groups == 0 {
			c.series.addCycles(c.series.Busy, u.since-c.firstCycle, at-c.firstCycle)
		}
	}
}

// LDS implements probe.Tracer.
func (c *Collector) LDS(a *probe.Access) {
	c.latencies.add("lds", a.Ready-min(a.At, a.Ready))
	c.series.LDS[c.series.bin(a.At-c.firstCycle)] += uint64(a.Passes)
	u := &c.maps.Units[a.Unit]
	u.LDSPasses += uint64(a.Passes)
	u.Conflicts += uint64(a.Conflicts)
}

// Enqueued implements probe.Tracer.
func (c *Collector) Enqueued(p *probe.PayloadWait) {
	c.waiting[waitKey{p.Payload, p.Node}] = p.At
}

// Picked implements probe.Tracer.
func (c *Collector) Picked(p *probe.PayloadWait) {
	key := waitKey{p.Payload, p.Node}
	if since, ok := c.waiting[key]; ok {
		delete(c.waiting, key)
		from, to := since-c.firstCycle, max(p.At, since)-c.firstCycle
		c.series.addCycles(c.series.Queue, from, to)
		c.series.addCycles(c.series.node(p.Node).Queue, from, to)
	}
}

// Depth implements probe.DepthTracer.
func (c *Collector) Depth(d *probe.PayloadDepth) {
	at := d.At - c.firstCycle
	c.recordDepth(c.series.Depth, depthKey{graph: d.Graph}, depth{at, uint64(d.All)})
	c.recordDepth(c.series.node(d.Node).Depth, depthKey{d.Graph, d.Node}, depth{at, uint64(d.Waiting)})
}

// recordDepth notes a depth, and that the one before it held until then.
func (c *Collector) recordDepth(row []uint64, key depthKey, now depth) {
	before := c.depths[key]
	if now.sinceCycle > before.sinceCycle {
		c.series.raise(row, before.sinceCycle, now.sinceCycle-1, before.payloads)
	}
	c.series.raise(row, now.sinceCycle, now.sinceCycle, now.payloads)
	c.depths[key] = now
}

// Sample implements probe.Tracer: once a bin.
func (c *Collector) Sample(s *probe.Sample) (next uint64) {
	if len(c.steps) == 0 {
		return s.At + 1
	}
	for i := range s.Levels {
		moved := s.Levels[i].Bytes - c.bytes[i]
		c.bytes[i] = s.Levels[i].Bytes
		c.steps[c.step].Levels[i] += moved
		c.series.addEvenly(c.series.Levels[i], c.sampled-c.firstCycle, s.At-c.firstCycle, moved)
	}
	c.maps.sample(c.sampled-c.firstCycle, s.At-c.firstCycle, s.Levels, s.Parts)
	c.series.addEvenly(c.series.Payloads, c.sampled-c.firstCycle, s.At-c.firstCycle, s.Payloads*(s.At-c.sampled))
	c.sampled = s.At
	return s.At + max(c.series.BinCycles, minSample)
}

// minSample is the least distance between samples, in cycles: they cost host time.
const minSample = 16

// mostLaunches bounds the concurrent launches of a profile.
const mostLaunches = 4096

// QueueLaunches implements probe.QueueTracer.
func (c *Collector) QueueLaunches(list []probe.QueueLaunch) {
	if len(c.steps) == 0 {
		return
	}
	s := &c.steps[c.step]
	s.Concurrent = true
	for i := range list {
		l := &list[i]
		if len(c.launches) == mostLaunches {
			c.droppedLaunches += len(list) - i
			return
		}
		from := func(cycle uint64) uint64 { return cycle - min(c.firstCycle, cycle) }
		c.launches = append(c.launches, LaunchProfile{Step: s.Name, Queue: l.Queue, Name: l.Name, Workgroups: l.Workgroups,
			Packet: from(l.Packet), Ready: from(l.Ready), FirstPlaced: from(l.FirstPlaced), End: from(l.Done), Busy: l.Done - l.FirstPlaced, Memory: l.Memory, Waits: l.Waits})
	}
}
