package whatif

import (
	"fmt"
	"slices"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/isa"
	"spvsim/tracing"
)

// leastGain is the gain of a counterfactual from which there is advice. What a limit gains beyond the limits within it
// counts.
const leastGain = 0.03

// advise adds to the results of counterfactuals what to do about the limit: a sentence with the number behind it and the
// place in the shader, for limits that cost more than leastGain and of which the run's counts have evidence.
func advise(r *gpu.Result, m *config.Machine, list []tracing.Counterfactual) {
	e := evidence{Stats: r.Stats, listings: r.Listings, machine: m}
	for i := range list {
		c := &list[i]
		limit, ok := config.FindLimit(c.Name)
		if !ok || c.Gain()-gainWithin(limit, list) <= leastGain {
			continue
		}
		if text := advice[c.Name]; text != nil {
			e.saved = c.Base - c.Cycles
			c.Advice = text(&e)
		}
	}
}

// gainWithin is the largest gain of the limits that are removed with one, of those that ran.
func gainWithin(limit *config.MachineLimit, list []tracing.Counterfactual) (most float64) {
	for i := range list {
		if slices.Contains(limit.Within, list[i].Name) {
			most = max(most, list[i].Gain())
		}
	}
	return most
}

// evidence is what advice refers to.
type evidence struct {
	*tracing.Stats
	listings []tracing.Listing
	machine  *config.Machine
	saved    uint64 // cycles that the machine without the limit saves
}

// advice has for each limit what the counts say of it; empty: nothing, and then there is no advice.
var advice = map[string]func(*evidence) string{
	"launches":       (*evidence).launches,
	"conflicts":      (*evidence).conflicts,
	"coalescing":     (*evidence).coalescing,
	"translation":    (*evidence).translation,
	"atomics":        (*evidence).atomics,
	"bandwidth":      (*evidence).bandwidth,
	"latency":        (*evidence).latency,
	"l2-misses":      func(e *evidence) string { return e.misses("l2") },
	"vector-misses":  func(e *evidence) string { return e.misses("vector_l1") },
	"registers":      (*evidence).registers,
	"spills":         (*evidence).spills,
	"lds-size":       func(e *evidence) string { return e.occupancy("LDS") },
	"fetch":          (*evidence).fetch,
	"payload-memory": (*evidence).payloads,
	"queue":          (*evidence).queue,
	"divergence":     (*evidence).divergence,
}

func (e *evidence) launches() string {
	if e.Launches == 0 {
		return ""
	}
	return fmt.Sprintf("launches (%d) cost %d of %d cycles, and each has %.0f cycles of work: want more work in a launch, or fewer launches",
		e.Launches, e.saved, e.Cycles, float64(e.Cycles-e.saved)/float64(e.Launches))
}

func (e *evidence) conflicts() string {
	x := e.mostCostly(isLDS, func(_ *isa.Inst, n *account.InstCount) uint64 { return n.ConflictPasses })
	if x == nil {
		return ""
	}
	ways := float64(x.count.LDSPasses) / float64(max(x.count.LDSPasses-x.count.ConflictPasses, 1))
	return fmt.Sprintf("%d of %d passes over the LDS are for bank conflicts; most at %s, where lanes conflict %.1f ways, as with a stride of %.0f words: pad rows by a word, or permute them by an exclusive or",
		e.LDS.ConflictPasses, e.LDS.Passes, x.where, ways, ways)
}

func (e *evidence) coalescing() string {
	lost := func(in *isa.Inst, n *account.InstCount) uint64 {
		return n.UnitCycles - min(n.UnitCycles, n.Issues*e.unscattered(in))
	}
	x := e.mostCostly(isVectorMemory, lost)
	if x == nil {
		return ""
	}
	return fmt.Sprintf("the access at %s takes the address path %.1f cycles each time, and %d where lanes are next to each other: let neighbouring lanes access neighbouring addresses",
		x.where, float64(x.count.UnitCycles)/float64(x.count.Issues), e.unscattered(x.in))
}

// unscattered is the time that the address path takes for lanes next to each other.
func (e *evidence) unscattered(in *isa.Inst) uint64 {
	lanes := uint64(e.machine.WaveSize)
	bytes := float64(lanes) * float64(4*in.Mem.LaneWords())
	return max(1, lanes/uint64(e.machine.VectorMemory.LanesPerCycle), uint64(bytes/(e.machine.VectorL1.BytesPerCycle*float64(e.machine.VectorL1.Slices))))
}

func (e *evidence) translation() string {
	x := e.mostCostly(isVectorMemory, func(_ *isa.Inst, n *account.InstCount) uint64 { return n.UnitCycles })
	if x == nil {
		return ""
	}
	return fmt.Sprintf("the access at %s takes the address path %.1f cycles each time, with its translations; a compute unit keeps %d, of %d bytes each: keep the lanes of a wave, and waves at a time, in fewer ranges",
		x.where, float64(x.count.UnitCycles)/float64(x.count.Issues), e.machine.VectorMemory.TranslationEntries, e.machine.VectorMemory.TranslationBytes)
}

func (e *evidence) atomics() string {
	x := e.mostCostly(func(in *isa.Inst) bool { return isVectorMemory(in) && in.Updates() }, func(_ *isa.Inst, n *account.InstCount) uint64 { return n.Issues })
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%d updates by atomics of lanes, most at %s, and those of a line follow each other every %d cycles: add up in a subgroup or in LDS first, or spread them over several lines",
		e.Lanes.Updates, x.where, e.machine.VectorMemory.AtomicCycles)
}

func (e *evidence) bandwidth() string {
	return e.ofLevel("memory", func(l *account.LevelCounts) string {
		return fmt.Sprintf("device memory moved %d bytes, at %s of its peak: want fewer bytes (reuse in LDS or registers, smaller types), or accesses in the order of addresses", l.Bytes, e.peakOf("memory"))
	})
}

func (e *evidence) latency() string {
	x := e.slowest()
	if x == nil {
		return ""
	}
	return fmt.Sprintf("waves wait for memory in %s of their cycles, most at %s: load earlier, several at a time, or keep more waves resident (occupancy %s)",
		e.waits(account.Memory), x.where, percent(e.Occupancy()))
}

// misses is the advice for the misses of a level.
func (e *evidence) misses(level string) string {
	return e.ofLevel(level, func(l *account.LevelCounts) string {
		x := e.slowest()
		if l.Misses == 0 || x == nil {
			return ""
		}
		return fmt.Sprintf("%d of %d lines asked of %s miss, and waves wait longest at %s: reuse what is there sooner (smaller tiles), or keep it in registers or LDS", l.Misses, l.Accesses, level, x.where)
	})
}

func (e *evidence) registers() string {
	if text := e.occupancy("vector registers"); text != "" {
		return text
	}
	return e.occupancy("scalar registers")
}

// occupancy is the advice for a resource that limits the resident waves of the program that takes most time.
func (e *evidence) occupancy(resource string) string {
	l := e.longestProgram()
	if l == nil || l.Occupancy == nil || l.Occupancy.Limiter() != resource || l.Occupancy.Waves >= l.Occupancy.Slots {
		return ""
	}
	needs := fmt.Sprintf("%d vector registers a wave", l.Program.VectorRegs)
	switch resource {
	case "LDS":
		needs = fmt.Sprintf("%d bytes of LDS a workgroup", l.Program.LDSBytes)
	case "scalar registers":
		needs = fmt.Sprintf("%d scalar registers a wave", l.Program.ScalarRegs)
	}
	return fmt.Sprintf("a compute unit holds %d of %d waves of %s, which takes %s: want fewer", l.Occupancy.Waves, l.Occupancy.Slots, l.Program.Name, needs)
}

func (e *evidence) spills() string {
	l := e.longestProgram()
	if l == nil || !l.Program.Spills.Any() {
		return ""
	}
	return fmt.Sprintf("%s needs more registers than a wave has (%v): want fewer values at a time, such as smaller tiles or less unrolling", l.Program.Name, l.Program.Spills)
}

func (e *evidence) fetch() string {
	if e.AtInstructions[account.Fetch] == 0 {
		return ""
	}
	return fmt.Sprintf("waves wait for instructions in %s of their cycles: want a shorter program, with less unrolling and inlining", e.waits(account.Fetch))
}

func (e *evidence) payloads() string {
	if e.Graph == nil || e.Graph.Queue.ScratchUsed == 0 {
		return ""
	}
	q := &e.Graph.Queue
	return fmt.Sprintf("%d of %d payloads found no space in the payload memory and went to scratch memory: want smaller payloads, fewer of them at a time (queue.arbitration: depth-first), or more queue.payload_bytes",
		q.ScratchUsed, q.Allocated)
}

func (e *evidence) queue() string {
	if e.Graph == nil {
		return ""
	}
	longest, wait := "", account.WaitSummary{}
	for i := range e.Graph.Nodes {
		if w := e.Graph.Nodes[i].Start(); longest == "" || w.Mean > wait.Mean {
			longest, wait = e.Graph.Nodes[i].Name, w
		}
	}
	return fmt.Sprintf("payloads of node %s wait %.0f cycles for their first instruction (mean; %d at most): want fewer and larger payloads, or a coalescing node", longest, wait.Mean, wait.Max)
}

func (e *evidence) divergence() string {
	x := e.mostCostly(func(in *isa.Inst) bool { return in.Mem == nil }, func(_ *isa.Inst, n *account.InstCount) uint64 { return n.Idle })
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%.1f lanes of a wave are inactive at %s, on average, which is issued for them as well: let the lanes of a wave take the same path (order the work by its path), or choose values rather than branches",
		float64(x.count.Idle)/float64(x.count.Issues), x.where)
}

// ofLevel describes a level of memory, if the run asked it for anything.
func (e *evidence) ofLevel(name string, text func(*account.LevelCounts) string) string {
	for i := range e.Memory {
		if l := &e.Memory[i]; l.Name == name && l.Accesses > 0 {
			return text(l)
		}
	}
	return ""
}

func (e *evidence) peakOf(part string) string {
	for _, u := range e.Utilization {
		if u.Part == part {
			return percent(u.Share)
		}
	}
	return "an unknown share"
}

// waits is the share of a reason in the cycles of waves.
func (e *evidence) waits(reason account.Reason) string {
	return percent(float64(e.AtInstructions[reason]) / float64(max(e.AtInstructions.Total(), 1)))
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// A costly is the instruction of a run that has most of something.
type costly struct {
	in    *isa.Inst
	count *account.InstCount
	where string
}

// mostCostly finds the instruction with most of something; nil: none has any.
func (e *evidence) mostCostly(of func(*isa.Inst) bool, value func(*isa.Inst, *account.InstCount) uint64) (top *costly) {
	highest := uint64(0)
	for i := range e.listings {
		l := &e.listings[i]
		for k := range l.Counts {
			in := &l.Program.Insts[k]
			if !of(in) || l.Counts[k].Issues == 0 {
				continue
			}
			if n := value(in, &l.Counts[k]); n > highest {
				highest, top = n, &costly{in, &l.Counts[k], instructionPlace(l, k)}
			}
		}
	}
	return top
}

// slowest is the instruction at which waves wait longest for memory: the one that needs what was loaded.
func (e *evidence) slowest() *costly {
	return e.mostCostly(func(*isa.Inst) bool { return true }, func(_ *isa.Inst, n *account.InstCount) uint64 { return n.Cycles[account.Memory] })
}

// longestProgram is the listing of the program whose waves have most cycles.
func (e *evidence) longestProgram() (top *tracing.Listing) {
	most := uint64(0)
	for i := range e.listings {
		sum := uint64(0)
		for k := range e.listings[i].Counts {
			sum += e.listings[i].Counts[k].Cycles.Total()
		}
		if sum > most {
			most, top = sum, &e.listings[i]
		}
	}
	return top
}

// instructionPlace is where an instruction is, as the author of the shader knows it.
func instructionPlace(l *tracing.Listing, pc int) string {
	in := &l.Program.Insts[pc]
	where := in.Origin.String()
	if where == "" {
		where = fmt.Sprintf("instruction %d", pc)
	}
	for _, s := range l.Program.Source {
		if s.Line == in.Line && s.File != "" {
			return s.File + ", " + where
		}
	}
	return l.Program.Name + ", " + where
}

func isLDS(in *isa.Inst) bool { return in.Mem != nil && in.Mem.Space == isa.SpaceLDS }

func isVectorMemory(in *isa.Inst) bool {
	return in.Mem != nil && in.Mem.Space != isa.SpaceLDS && !in.Mem.Scalar
}
