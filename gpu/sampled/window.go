package sampled

import (
	"math"

	"spvsim/isa"
	"spvsim/scheduler"
)

// A snapshot is the state of a divided launch at the end of a workgroup.
type snapshot struct {
	doneCycle, endedWorkgroups uint64                 // cycle by which the accesses of all ended workgroups are done; ended workgroups
	issued                     [isa.NumClasses]uint64 // instructions issued, by class
	counted                    []float64              // the launch's timed counts, as vector orders them
}

// A window is the timed part of a drawn piece: settling (detailed warm-up), then the sampling unit.
type window struct {
	stratum              *stratum  // nil: no window is open
	cyclesPerInstruction float64   // predicted, of the machine
	first                uint64    // workgroup
	start                *snapshot // nil: still settling
	settleEnd            uint64    // ended workgroups at which the sampling unit starts
	end                  uint64    // ended workgroups at which it ends
}

// snapshot returns the launch's present state. Its cycle count includes the time of memory accesses after the
// workgroups' last instructions.
func (d *division) snapshot() *snapshot {
	m := &snapshot{doneCycle: d.doneCycle, endedWorkgroups: d.endedWorkgroups, issued: d.issued(), counted: d.vector(d.launch.SoFar())}
	m.counted[cyclesAt] = float64(m.doneCycle)
	return m
}

// minus returns the timed counts and the issued instructions since an earlier snapshot.
func (m *snapshot) minus(o *snapshot) (counted []float64, issued [isa.NumClasses]uint64) {
	counted = append(counted, m.counted...)
	for i, n := range o.counted {
		counted[i] = max(counted[i]-n, 0)
	}
	for class, n := range o.issued {
		issued[class] = m.issued[class] - min(n, m.issued[class])
	}
	return counted, issued
}

// sumOf returns the sum over all classes.
func sumOf(counts *[isa.NumClasses]uint64) (n float64) {
	for _, c := range counts {
		n += float64(c)
	}
	return n
}

// advanceWindow starts the sampling unit when settling is over. It reports whether the window is over, so that a
// fast-forward may begin.
func (d *division) advanceWindow() bool {
	w := &d.window
	switch {
	case w.stratum == nil:
		return d.endedWorkgroups >= d.start
	case w.start == nil && d.endedWorkgroups >= w.settleEnd:
		w.start = d.snapshot()
		w.end = d.endedWorkgroups + d.windowWorkgroups
	case w.start != nil && d.endedWorkgroups >= w.end:
		return true
	}
	return false
}

// closeWindow adds the sample of the open window, and excludes the settling before it. From now on, counts belong to
// the next window's settling.
func (d *division) closeWindow() {
	w := &d.window
	now := d.snapshot()
	if w.stratum != nil && w.start != nil {
		counted, issued := now.minus(w.start)
		h, n, cyclesPerInstruction := w.stratum, sumOf(&issued), w.cyclesPerInstruction
		m, add := mixOf(&issued), (*strata).add
		if near := d.strata.nearestByMix(&m, h); near != h {
			h.redraw()
			h, cyclesPerInstruction, add = near, near.signature.cost(), (*strata).addMoved
		}
		if n > 0 {
			_, all := now.minus(d.stopped)
			x := d.newSample(d.launch, w.first, counted, n, n*cyclesPerInstruction)
			x.size = n
			add(d.strata, h, x, sumOf(&all)*cyclesPerInstruction)
		}
		d.excludeSettling(w, d.stopped)
	}
	d.stopped, w.stratum, w.start = now, nil, nil
}

// nearestByMix returns the stratum of a window with the mix m: the current one if it is within half the limit, else the
// one with the nearest mix.
func (s *strata) nearestByMix(m *mix, current *stratum) *stratum {
	if current.signature.mix.distance(m) <= s.Mix/2*max(1, current.signature.samplingError.mix) {
		return current
	}
	best, nearest := current, math.Inf(1)
	for _, h := range s.list {
		if d := h.signature.mix.distance(m); d < nearest {
			best, nearest = h, d
		}
	}
	return best
}

// excludeSettling subtracts the settling of a window, from the last stop to the window's start, from the launch's
// counts. Its instructions become an untimed unit of the window's stratum.
func (d *division) excludeSettling(w *window, from *snapshot) {
	counted, issued := w.start.minus(from)
	for i, n := range counted {
		d.settleCounts[i] += n
	}
	n := sumOf(&issued)
	d.addSkipped(total{float64(w.start.endedWorkgroups-from.endedWorkgroups) / float64(d.pieceWorkgroups), n * w.cyclesPerInstruction, n}, skipped{stratum: w.stratum, instructions: n, settleCycles: counted[cyclesAt]})
}

// addSkipped records untimed units in their stratum, and in the current segment.
func (d *division) addSkipped(t total, s skipped) {
	step := d.machine.Tally.Number(d.launch.Step())
	s.stratum.untimedByStep[step] = s.stratum.untimedByStep[step].plus(t)
	p := &d.segments[len(d.segments)-1]
	p.skipped = append(p.skipped, s)
}

// A segment is the workgroups that were dispatched between two fast-forwards.
type segment struct {
	first     uint64    // workgroup
	skipped   []skipped // untimed units before the segment
	stopCycle uint64    // end of the last access before the fast-forward
	doneCycle uint64    // end of the segment's last access
}

// A skipped part took no simulated time before a segment: a unit of functional workgroups, or settling, whose
// settleCycles were simulated but do not count.
type skipped struct {
	stratum      *stratum
	instructions float64
	settleCycles float64 // of settling
	longestWave  float64 // instructions of the longest functional wave
}

// overlap returns the cycles by which the launch is longer than the sum of its timed and estimated parts, and the
// half-width of this correction. It is negative if a long timed wave runs beside workgroups that were skipped: by the
// time that they take while the wave would still run, at most the tail. It is positive if a long functional wave ends
// last. With t the cycle in which all other workgroups have ended, a wave of n instructions that begins in cycle b ends
// in cycle
//
//	t + (n − (t − b)/residentCPI) aloneCPI
//
// By Little's law, a wave among others takes residentCPI = mean waves / machine's rate cycles an instruction; aloneCPI
// is that of an otherwise idle machine: its loads' latency and resultCycles.
func (d *division) overlap() (cycles, halfWidth float64) {
	end := d.finished
	if d.tail == nil || end == nil {
		return 0, 0
	}
	rate := func(h *stratum) float64 {
		return d.strata.estimateOf(h, total{1, h.signature.cost(), 1}, cyclesAt).value
	}
	waves := d.residentSum / float64(max(d.endedWorkgroups, 1)) * float64(d.kernel.Resources.Waves)
	offset, latestOffset, latest := 0.0, 0.0, uint64(0)
	cycleSum, instructionSum := 0.0, 0.0 // of all skipped parts; their ratio is the mean cycles an instruction
	type wave struct{ begin, instructions, residentCPI, aloneCPI float64 }
	var untimed []wave
	for i := range d.segments {
		p := &d.segments[i]
		for _, s := range p.skipped {
			r := rate(s.stratum)
			if s.longestWave > 0 {
				residentCPI := r * waves
				untimed = append(untimed, wave{float64(p.stopCycle) + offset, s.longestWave, residentCPI, min(s.stratum.signature.demand[demandLatency]*waves+resultCycles, residentCPI)})
			}
			cycleSum, instructionSum = cycleSum+s.instructions*r, instructionSum+s.instructions
			offset += s.instructions*r - s.settleCycles
		}
		if p.doneCycle > latest {
			latest, latestOffset = p.doneCycle, offset
		}
	}
	others := float64(d.tail.doneCycle) + offset // end of all but the last few workgroups
	_, issued := end.minus(d.tail)
	tail := float64(end.doneCycle - d.tail.doneCycle)
	if n := sumOf(&issued); n > 0 && instructionSum > 0 {
		tailCPI := d.tailResident / n * float64(d.kernel.Resources.Waves)
		cycles = -min(tail, (offset-latestOffset)*min(tailCPI/(cycleSum/instructionSum*waves), 1))
		halfWidth = -cycles * d.Demand
	}
	last := others + tail + cycles
	for _, w := range untimed {
		left := w.instructions - (others-w.begin)/w.residentCPI
		if t := others + left*w.aloneCPI; left > 0 && t > last {
			cycles, halfWidth, last = cycles+t-last, left*(w.residentCPI-w.aloneCPI)/2+halfWidth, t
		}
	}
	return cycles, halfWidth
}

// The tail begins when 1/tailShare of a generation is resident, or one workgroup, and none is left to dispatch: these
// may be long waves.
const tailShare = 64

// resultCycles is the cycles an instruction of a lone wave, without loads. D: results of vector instructions are ready
// after 4 to 8 cycles.
const resultCycles = 5

// workgroupEnded records the end of a workgroup: in the sums of resident workgroups, and as the end of its segment.
func (d *division) workgroupEnded(p *scheduler.WorkgroupEnd) {
	done := max(d.doneCycle, p.Now, p.Done)
	if d.tail != nil {
		d.tailResident += float64(done-d.doneCycle) * float64(p.ResidentWorkgroups+1)
	}
	d.endedWorkgroups, d.doneCycle = p.EndedWorkgroups, done
	d.residentSum += float64(p.ResidentWorkgroups + 1)
	for i := len(d.segments) - 1; i >= 0; i-- {
		if q := &d.segments[i]; q.first <= p.Index {
			q.doneCycle = max(q.doneCycle, p.Now, p.Done)
			break
		}
	}
}
