package sampled

import (
	"cmp"
	"math/rand/v2"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/scheduler"
	"spvsim/simd"
)

// A division is a large launch, of which windows are timed. Between two of them the machine stops with its workgroups half done, and others run without
// time; then it goes on with those that come next.
type division struct {
	*Sampler
	launch          SampledLaunch
	kernel          *cu.KernelLaunch
	strata          *strata
	generation      uint64 // workgroups that the machine holds
	all             uint64 // workgroups
	pieceWorkgroups uint64 // workgroups, on average
	align           uint64 // windows begin at multiples of so many workgroups
	drains          bool   // workgroups may wait for each other: none is left half done while others run

	signature                          signature // of the piece at hand
	lengths                            *rand.Rand
	cacheInsensitive                   bool    // the contents of the caches hardly matter for it
	fitsLastLevel                      bool    // the last level holds all that it asks for
	lastLevelSizes                     float64 // what it asks the last level for, as a multiple of the size of that
	end                                uint64  // of the piece
	sparse                             bool    // workgroups ran that did not bring their lines into the caches
	start                              uint64  // workgroups that end before others run without time
	settleWorkgroups, windowWorkgroups uint64  // workgroups that end before a window, and in it
	window                             window
	stopped                            *snapshot // end of the last window
	cyclesPerInstruction               float64   // predicted cycles of an instruction of the piece at hand
	finished                           *snapshot // state when the last workgroup had ended: later, counts of instructions have those without time too
	tail                               *snapshot // state when all but the last few workgroups had ended
	tailResident                       float64   // workgroups on the machine from then on, times cycles
	startCycle                         uint64    // cycle
	endedWorkgroups, doneCycle         uint64
	residentSum                        float64   // sum of workgroups on the machine when one of them ended: short ones may end faster than others are placed
	settleCounts                       []float64 // counted while workgroups settled
	segments                           []segment
	longestWave                        float64 // instructions of the longest wave since the last count
	instructions                       float64 // of all that ran without time
	err                                error
}

func newDivision(s *Sampler, l SampledLaunch, k *cu.KernelLaunch, launchKind *kind, generation uint64) *division {
	d := &division{Sampler: s, launch: l, kernel: k, strata: &launchKind.windows, generation: generation, all: cu.GridSize(k.NumWorkgroups),
		lengths: rand.New(rand.NewPCG(uint64(s.Seed), 1<<63|uint64(l.Number())))}
	pieces := min(max(d.all/generation/leastPiece, leastPieces), uint64(s.Pieces))
	d.pieceWorkgroups = max(d.all/pieces, 1)
	launchKind.windows.maxBlock = max(int(pieces)*min(launchKind.divided, leastBlocks)/leastBlocks, 1)
	d.settleWorkgroups = uint64(s.Sampling.Settle) * generation
	d.windowWorkgroups = min(max(leastWindow*generation, d.all*windowShare/1000), mostWindow*generation)
	d.start = d.settleWorkgroups
	for d.align = align; d.align > generation+generation/2; {
		d.align = (d.align + 1) / 2
	}
	insts := k.Code.Program.Insts
	for i := range insts {
		d.drains = d.drains || mayWait(&insts[i])
	}
	d.segments = []segment{{}}
	return d
}

// Sizes of windows and pieces, as docs/model/sampling.md gives them.
const (
	leastPiece        = 4 // generations
	leastPieces       = 8
	leastBlocks       = 4   // of a launch of one behaviour; of the fourth launch of its kind and of later ones, one
	windowShare       = 4   // thousandths of a launch
	leastWindow       = 1   // generations
	mostWindow        = 8   // generations
	align             = 128 // workgroups
	minWindowDistance = 48  // workgroups
	recentStay        = 1   // mean stays of a workgroup
)

// issued returns the instructions of each class that waves of the launch issued before the present cycle.
func (d *division) issued() (counts [isa.NumClasses]uint64) {
	m := d.machine
	ahead := m.Array.IssuedFrom(m.Engine.Now()) // how far units go ahead is the host's matter
	counts = simd.IssuedByClass([]*simd.Code{d.kernel.Code})
	for class := range counts {
		counts[class] -= ahead[class]
	}
	return counts
}

// run runs the launch.
func (d *division) run(follows bool) error {
	d.startCycle = d.machine.Cycle()
	d.machine.Array.TrackRecent(true)
	defer d.machine.Array.TrackRecent(false)
	d.settleCounts = make([]float64, len(d.vector(&account.Counts{Memory: d.machine.Levels()})))
	var c *account.Counts
	err := d.machine.Functional.DuringTimed(func() (err error) {
		c, err = d.launch.Timed(scheduler.WorkgroupRange{End: d.all, OnWorkgroupEnd: d.onWorkgroupEnd}, follows)
		return err
	})
	if c == nil {
		return cmp.Or(d.err, err)
	}
	if timed := c.Instructions(); d.strata.firstLaunch.instructions == 0 && timed > 0 {
		d.strata.firstLaunch = sample{counted: d.vector(c), instructions: float64(timed)}
	}
	if len(d.segments) > 1 {
		at := cyclesAt
		c.EachTimed(func(_ string, n *uint64) { // all but the instructions of workgroups that settled
			*n -= min(uint64(d.settleCounts[at]), *n)
			at++
		})
		more, unknown := d.overlap()
		d.overlaps = append(d.overlaps, overlap{d.machine.Tally.Number(d.launch.Step()), more, unknown})
	}
	d.machine.Tally.Add(d.launch.Step(), c)
	return cmp.Or(d.err, err)
}

// next says which workgroups come next on the machine, when one has ended.
func (d *division) onWorkgroupEnd(p scheduler.WorkgroupEnd) (leave uint64, hold bool) {
	if fast, ok := d.machine.Hierarchy.(*hierarchy.Analytic); ok {
		p.Done = max(p.Done, fast.Booked()) // stores have ended long before write buffers that fill have sent what they hold
	}
	d.workgroupEnded(&p)
	if p.NextIndex == d.all && d.window.stratum != nil {
		d.closeWindow() // before the machine empties: the ratio of what is left is not that of its stratum
	}
	if d.tail == nil && p.NextIndex == d.all && p.ResidentWorkgroups <= max(d.generation/tailShare, 1) {
		d.tail = d.snapshot()
	}
	if p.NextIndex == d.all && p.ResidentWorkgroups == 0 {
		d.finished = d.snapshot()
	}
	switch {
	case p.NextIndex == d.all || !d.advanceWindow():
		return 0, false
	case d.drains && p.ResidentWorkgroups > 0:
		if d.stopped == nil || d.window.stratum != nil {
			d.closeWindow()
		}
		return 0, true
	case !d.drains && p.NextIndex%d.align != 0:
		return 0, false
	}
	if !d.drains || d.window.stratum != nil || d.stopped == nil {
		d.closeWindow()
	}
	return d.fastForward(p.NextIndex) - p.NextIndex, false
}

// leap runs workgroups without time, from one on, up to where a window begins or to the last one.
func (d *division) fastForward(at uint64) uint64 {
	d.machine.Array.Ahead.Join()
	d.segments = append(d.segments, segment{stopCycle: d.doneCycle})
	if fast, ok := d.machine.Hierarchy.(*hierarchy.Analytic); ok && d.endedWorkgroups > 0 {
		now := d.machine.Engine.Now()
		stay := uint64(recentStay * float64(now-d.startCycle) * d.residentSum / float64(d.endedWorkgroups) / float64(d.endedWorkgroups))
		defer fast.Recent(now - min(stay, now)).Reinsert()
	}
	for d.err == nil && at < d.all {
		h, cost := d.profilePiece(&at)
		if h == nil {
			break
		}
		drawn := d.strata.draw(h, cost)
		switch begin := d.windowStart(at); {
		case drawn && d.windowFits(at):
			d.runUntimed(h, at, begin, true)
			d.window = window{stratum: h, cyclesPerInstruction: d.cyclesPerInstruction, first: begin, settleEnd: d.endedWorkgroups + d.settleWorkgroups}
			d.segments[len(d.segments)-1].first = begin
			return begin
		case drawn:
			h.redraw()
		}
		at = d.runRest(h, at)
	}
	d.segments[len(d.segments)-1].first = d.all
	return d.all
}

// begins returns the workgroup with which a window begins after those that were run without time.
func (d *division) windowStart(at uint64) uint64 {
	return (at + min(minWindowDistance, d.generation) + d.align - 1) / d.align * d.align
}

// holds reports whether there is space for a window after a workgroup.
func (d *division) windowFits(at uint64) bool {
	return d.all >= d.windowStart(at)+d.settleWorkgroups+d.windowWorkgroups
}

// rest runs what is left of the piece without time, up to where the mix of instructions changes.
func (d *division) runRest(h *stratum, at uint64) uint64 {
	size := max(d.pieceWorkgroups/4, 16)
	warm := !d.cacheInsensitive && !d.fitsLastLevel && d.staysCached()
	d.sparse = d.sparse || d.cacheInsensitive && !d.fitsLastLevel
	for at < d.end && d.err == nil {
		to := min(at+size, d.end)
		c := d.runUntimed(h, at, to, warm)
		at = to
		if c == nil {
			break
		}
		if m := mixOf(&c.ByClass); m.distance(&d.signature.mix) > d.Mix*max(1, d.signature.samplingError.mix) {
			break
		}
	}
	return at
}

// reaches reports whether lines of the piece at hand may still be in the caches when the next window begins, or the next launch: what comes before that
// fills the last level less than so many times.
func (d *division) staysCached() bool {
	pieces := float64(d.all-d.end) / float64(d.pieceWorkgroups)
	for _, h := range d.strata.list {
		pieces = min(pieces, float64(d.strata.unitsAhead(h)))
	}
	return pieces*d.lastLevelSizes < replayedSizes
}

// look runs the first workgroups of a piece without time, with their lines brought into the caches, and returns the stratum and the predicted cost of the piece.
func (d *division) profilePiece(at *uint64) (*stratum, float64) {
	d.end = d.pieceEnd(*at)
	to := min(*at+max(d.pieceWorkgroups/uint64(d.Detail), min(d.generation, 32)), d.end)
	profiled := to - *at
	c, coldMemory, filled := d.runProfile(*at, to)
	if c == nil {
		return nil, 0
	}
	h := d.strata.stratumOf(&d.signature)
	if h.block.length > 0 && d.signature.samplingError.raisesLimits() {
		h.profiled++
		h.signature.blend(&d.signature, h.profiled+1)
	}
	if d.cyclesPerInstruction = d.signature.cost(); d.signature.samplingError.raisesLimits() {
		d.cyclesPerInstruction = h.signature.cost()
	}
	d.countUntimed(h, c, profiled)
	*at = to
	piece := d.signature
	piece.size = float64(c.Instructions()) / float64(profiled) * float64(d.end-to+profiled)
	d.lastLevelSizes = d.capacities.lastLevelSizes(&piece)
	// Where a launch brings in more than the last level holds, lines that stores changed go to memory, whatever that matters for time.
	if d.cacheInsensitive, d.fitsLastLevel = d.signature.demand.cacheInsensitive(coldMemory), d.signature.demand.fitsLastLevel(coldMemory); filled*float64(d.all)/float64(profiled) > 1 {
		d.cacheInsensitive, d.fitsLastLevel = false, false
	}
	return h, piece.size * d.cyclesPerInstruction
}

// shownParts are the parts of those workgroups that show the signature of a piece: by how much they differ, it may be off.
const profileParts = 4

// show runs the first workgroups of a piece without time, which show its signature, and returns for how long memory would work for an
// instruction if the last level held nothing, and the lines that the last level did not hold, as a share of those that it has. Nil: that failed.
func (d *division) runProfile(at, end uint64) (sum *account.Counts, coldMemory, filled float64) {
	sum = new(account.Counts)
	var parts [profileParts]signature
	all := signature{}
	d.machine.Functional.CountLDS(true)
	defer d.machine.Functional.CountLDS(false)
	for i := range parts {
		from, to := at+(end-at)*uint64(i)/profileParts, at+(end-at)*uint64(i+1)/profileParts
		if from == to {
			continue
		}
		c := d.functional(from, to, true)
		if c == nil {
			return nil, 0, 0
		}
		sum.Add(c)
		parts[i] = signature{mix: mixOf(&c.ByClass), demand: d.demand(c, d.launch)}
		n := float64(c.Instructions())
		all.demand.add(&parts[i].demand, n)
		coldMemory, filled = coldMemory+n*d.coldMemoryDemand(c), filled+d.fillShare()
	}
	n := float64(max(sum.Instructions(), 1))
	all.mix = mixOf(&sum.ByClass)
	all.demand.scale(1 / n)
	if end-at >= profileParts {
		all.samplingError = samplingErrorOf(parts[:], &all, d.Sampling)
	}
	d.signature = all
	return sum, coldMemory / n, filled
}

// ending returns the end of a piece that begins at a workgroup. Its length is drawn, so that pieces meet no period.
func (d *division) pieceEnd(at uint64) uint64 {
	end := at + d.pieceWorkgroups*3/4 + d.lengths.Uint64N(d.pieceWorkgroups/2+1)
	if end+d.pieceWorkgroups/2 > d.all {
		return d.all
	}
	return end
}

// functional runs some workgroups without time; nil: that failed.
func (d *division) functional(at, end uint64, warm bool) *account.Counts {
	c, err := d.launch.Functional(scheduler.WorkgroupRange{First: at, End: end}, warm)
	if err != nil {
		if d.err = err; c != nil {
			d.machine.Tally.Add(d.launch.Step(), c)
		}
		return nil
	}
	d.longestWave = max(d.longestWave, float64(d.machine.Functional.LongestWave()))
	return c
}

// without runs some workgroups of a stratum without time, and counts them.
func (d *division) runUntimed(h *stratum, at, end uint64, warm bool) *account.Counts {
	if at == end {
		return nil
	}
	c := d.functional(at, end, warm)
	if c != nil {
		d.countUntimed(h, c, end-at)
	}
	return c
}

// count counts workgroups that ran without time. Their cost is predicted by the signature of their piece.
func (d *division) countUntimed(h *stratum, c *account.Counts, workgroups uint64) {
	n := float64(c.Instructions())
	cost := n * d.cyclesPerInstruction
	d.machine.Tally.Add(d.launch.Step(), estimatedLater(c))
	d.addSkipped(total{float64(workgroups) / float64(d.pieceWorkgroups), cost, n}, skipped{stratum: h, instructions: n, longestWave: d.longestWave})
	d.longestWave, d.instructions = 0, d.instructions+n
}
