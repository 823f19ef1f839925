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

// A division is a large launch, divided into pieces, of which windows are timed. Between two windows dispatch stops,
// with workgroups half done, and the next workgroups run functionally (fast-forward, SMARTS). Then dispatch resumes
// behind them.
type division struct {
	*Sampler
	launch          SampledLaunch
	kernel          *cu.KernelLaunch
	strata          *strata
	generation      uint64 // workgroups that the machine holds at once
	all             uint64 // workgroups of the launch
	pieceWorkgroups uint64 // mean workgroups of a piece
	align           uint64 // windows begin at multiples of this number of workgroups
	drains          bool   // workgroups may wait for each other: the machine drains before a fast-forward

	// Current piece.
	lengths              *rand.Rand // random sequence of the pieces' lengths
	end                  uint64     // workgroup behind the current piece
	signature            signature  // of the current piece
	cyclesPerInstruction float64    // predicted for the current piece, of the machine
	cacheInsensitive     bool       // the caches' contents hardly affect the current piece's time
	fitsLastLevel        bool       // the last level holds the current piece's data
	lastLevelSizes       float64    // bytes that the current piece requests from the last level, over its size

	// Current window.
	window                             window
	start                              uint64    // workgroups that end before the first fast-forward
	settleWorkgroups, windowWorkgroups uint64    // workgroups that end before a window (detailed warm-up) and in it
	stopped                            *snapshot // end of the last window, or of the workgroups before the first fast-forward
	settleCounts                       []float64 // timed counts of settling, which do not count

	// Progress of the launch.
	startCycle                 uint64    // cycle in which the launch started
	endedWorkgroups, doneCycle uint64    // ended workgroups, and the cycle by which their accesses were done
	residentSum                float64   // resident workgroups, summed over all ends of workgroups; / endedWorkgroups is their mean
	segments                   []segment // between fast-forwards
	tail                       *snapshot // when the last few workgroups were left (tailShare)
	tailResident               float64   // resident workgroups × cycles since tail
	finished                   *snapshot // at the end of the last workgroup; later snapshots include functional instructions
	longestWave                float64   // instructions of the longest functional wave since the last countUntimed
	instructions               float64   // of functional workgroups
	sparse                     bool      // some workgroups ran without functional warming
	err                        error
}

// newDivision divides a launch of A workgroups and G a generation into P = min(`pieces`, max(A/4G, 8)) pieces. A window
// has 0.004 A workgroups, at least G and at most 8 G.
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

// Sizes of pieces and windows (docs/model/sampling.md, Population and A window).
const (
	leastPiece        = 4   // generations in a piece, on average
	leastPieces       = 8   // pieces of a launch
	leastBlocks       = 4   // blocks of a launch, if one stratum holds all its pieces; 1 from the kind's fourth divided launch on
	windowShare       = 4   // thousandths of the launch in a window
	leastWindow       = 1   // generations in a window
	mostWindow        = 8   // generations in a window
	align             = 128 // workgroups; halved until it is at most 1.5 generations
	minWindowDistance = 48  // workgroups with functional warming before a window
	recentStay        = 1   // mean stays of a workgroup, for which filled lines are reinserted
)

// issued returns the launch's instructions of each class that issued before the present cycle.
func (d *division) issued() (counts [isa.NumClasses]uint64) {
	m := d.machine
	ahead := m.Array.IssuedFrom(m.Engine.Now()) // compute units may run ahead of the engine, in steps that depend on the host
	counts = simd.IssuedByClass([]*simd.Code{d.kernel.Code})
	for class := range counts {
		counts[class] -= ahead[class]
	}
	return counts
}

// run runs the launch, subtracts the counts of settling, and records the launch's overlap.
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
		c.EachTimed(func(_ string, n *uint64) {
			*n -= min(uint64(d.settleCounts[at]), *n)
			at++
		})
		cycles, halfWidth := d.overlap()
		d.overlaps = append(d.overlaps, overlap{d.machine.Tally.Number(d.launch.Step()), cycles, halfWidth})
	}
	d.machine.Tally.Add(d.launch.Step(), c)
	return cmp.Or(d.err, err)
}

// onWorkgroupEnd advances the window at the end of a workgroup. It returns how many of the next workgroups the
// dispatcher skips, because they ran functionally, and whether it holds placement until the machine has drained.
func (d *division) onWorkgroupEnd(p scheduler.WorkgroupEnd) (skip uint64, hold bool) {
	if fast, ok := d.machine.Hierarchy.(*hierarchy.Analytic); ok {
		p.Done = max(p.Done, fast.Booked()) // stores of a workgroup are done long before full write buffers have sent their bytes
	}
	d.workgroupEnded(&p)
	if p.NextIndex == d.all && d.window.stratum != nil {
		d.closeWindow() // before the machine drains: a draining machine has another ratio
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

// fastForward runs workgroups from `at` on functionally, piece by piece, until one is drawn, and returns the first
// workgroup of its window; d.all if none is drawn. At its end it reinserts the lines that the timed workgroups filled
// during their last stay, because half-done workgroups reuse them. The mean stay W follows from Little's law, with L
// resident workgroups on average and n ended in T cycles:
//
//	W = L T / n
func (d *division) fastForward(at uint64) uint64 {
	d.machine.Array.Ahead.Join()
	d.segments = append(d.segments, segment{stopCycle: d.doneCycle})
	if fast, ok := d.machine.Hierarchy.(*hierarchy.Analytic); ok && d.endedWorkgroups > 0 {
		now := d.machine.Engine.Now()
		stay := uint64(recentStay * float64(now-d.startCycle) * d.residentSum / float64(d.endedWorkgroups) / float64(d.endedWorkgroups))
		fast.Recent(&d.recent, now-min(stay, now))
		defer d.recent.Reinsert()
	}
	for d.err == nil && at < d.all {
		h, cost := d.profilePiece(&at)
		if h == nil {
			break
		}
		drawn := d.strata.draw(h, cost)
		switch begin := d.windowStart(at); {
		case drawn && d.all >= begin+d.settleWorkgroups+d.windowWorkgroups:
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

// windowStart returns the first workgroup of a window after workgroup `at`: at least min(48, generation) later, rounded
// up to a multiple of align.
func (d *division) windowStart(at uint64) uint64 {
	return (at + min(minWindowDistance, d.generation) + d.align - 1) / d.align * d.align
}

// runRest runs the rest of a piece functionally, a quarter of a mean piece at a time. It stops where the mix leaves the
// limits of the piece's signature, and returns the next workgroup.
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

// staysCached reports whether lines of the current piece may still be cached at the next window, or at the next launch:
// the pieces before that request less than replayedSizes × the last level's size.
func (d *division) staysCached() bool {
	pieces := float64(d.all-d.end) / float64(d.pieceWorkgroups)
	for _, h := range d.strata.list {
		pieces = min(pieces, float64(d.strata.unitsAhead(h)))
	}
	return pieces*d.lastLevelSizes < replayedSizes
}

// profilePiece runs the first workgroups of a piece functionally, with warming, and advances `at` behind them. It
// returns the piece's stratum and predicted cost. The stratum of a piece whose workgroups vary adopts the mean
// signature of its pieces.
func (d *division) profilePiece(at *uint64) (*stratum, float64) {
	d.end = d.pieceEnd(*at)
	to := min(*at+max(d.pieceWorkgroups/uint64(d.Detail), min(d.generation, profileWorkgroups)), d.end)
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
	// A launch that fills more lines than the last level has evicts dirty lines to memory, so that its warming must be
	// complete.
	if d.cacheInsensitive, d.fitsLastLevel = d.signature.demand.cacheInsensitive(coldMemory), d.signature.demand.fitsLastLevel(coldMemory); filled*float64(d.all)/float64(profiled) > 1 {
		d.cacheInsensitive, d.fitsLastLevel = false, false
	}
	return h, piece.size * d.cyclesPerInstruction
}

// Profile of a piece (docs/model/sampling.md, Strata).
const (
	profileWorkgroups = 16 // at least, or a generation
	profileParts      = 4  // their variance gives the signature's sampling error
)

// runProfile runs workgroups [at, end) functionally, with warming, and sets d.signature. coldMemory is the demand on
// memory with an empty last level, in cycles an instruction. filled is the number of lines filled into the last level,
// as a share of its lines. sum is nil after an error.
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
		w := d.machine.warmingStats()
		coldMemory, filled = coldMemory+n*d.capacities.coldMemoryDemand(c, w), filled+d.capacities.fillShare(w)
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

// pieceEnd returns the end of a piece that begins at workgroup `at`. Its length is drawn from 3/4 … 5/4 of the mean, so
// that no period of the program coincides with the pieces'.
func (d *division) pieceEnd(at uint64) uint64 {
	end := at + d.pieceWorkgroups*3/4 + d.lengths.Uint64N(d.pieceWorkgroups/2+1)
	if end+d.pieceWorkgroups/2 > d.all {
		return d.all
	}
	return end
}

// functional runs workgroups [at, end) functionally, and returns nil after an error, which it records in d.err.
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

// runUntimed runs workgroups [at, end) functionally, and records them as untimed units of a stratum.
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

// countUntimed records the counts of functional workgroups. Their predicted cost is instructions × the piece's
// predicted cycles an instruction.
func (d *division) countUntimed(h *stratum, c *account.Counts, workgroups uint64) {
	n := float64(c.Instructions())
	cost := n * d.cyclesPerInstruction
	d.machine.Tally.Add(d.launch.Step(), estimatedLater(c))
	d.addSkipped(total{float64(workgroups) / float64(d.pieceWorkgroups), cost, n}, skipped{stratum: h, instructions: n, longestWave: d.longestWave})
	d.longestWave, d.instructions = 0, d.instructions+n
}
