package sampled

import (
	"math"

	"spvsim/isa"
	"spvsim/scheduler"
)

// A mark is the state of a large launch at some time: the cycle by which all was done that workgroups asked that had ended, the workgroups that
// had ended, the instructions of each class that had been issued, and the numbers of the machine so far, as vector orders them.
type snapshot struct {
	doneCycle, endedWorkgroups uint64
	issued                     [isa.NumClasses]uint64
	counted                    []float64
}

// A window is the part of a large launch that a sample is taken of.
type window struct {
	stratum              *stratum  // nil: there is none
	cyclesPerInstruction float64   // predicted cycles of an instruction
	first                uint64    // workgroup
	start                *snapshot // nil: workgroups settle
	settleEnd            uint64    // workgroups that have ended before it begins
	end                  uint64    // workgroups that have ended before it ends
}

// mark returns the state of the launch. The cycles are those that memory needs too.
func (d *division) snapshot() *snapshot {
	m := &snapshot{doneCycle: d.doneCycle, endedWorkgroups: d.endedWorkgroups, issued: d.issued(), counted: d.vector(d.launch.SoFar())}
	m.counted[cyclesAt] = float64(m.doneCycle)
	return m
}

// since returns what was counted from an earlier state on, and the instructions issued.
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

func sumOf(counts *[isa.NumClasses]uint64) (n float64) {
	for _, c := range counts {
		n += float64(c)
	}
	return n
}

// over follows the window, and reports whether other workgroups may run without time.
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

// closeWindow takes the window's sample, and begins to leave out what follows. What the machine did from the end of the last window to the
// beginning of this one is left out too, as its workgroups had settled after a stop: they count as if they had run without time.
func (d *division) closeWindow() {
	w := &d.window
	now := d.snapshot()
	if w.stratum != nil && w.start != nil {
		counted, issued := now.minus(w.start)
		h, n, cyclesPerInstruction := w.stratum, sumOf(&issued), w.cyclesPerInstruction
		m := mixOf(&issued)
		if near := d.strata.nearestByMix(&m, h); near != h {
			h.redraw()
			h, cyclesPerInstruction = near, near.signature.cost()
		}
		if n > 0 {
			_, all := now.minus(d.stopped)
			x := d.newSample(d.launch, w.first, counted, n, n*cyclesPerInstruction)
			x.size = n
			d.strata.add(h, x, sumOf(&all)*cyclesPerInstruction)
		}
		d.excludeSettling(w, d.stopped)
	}
	d.stopped, w.stratum, w.start = now, nil, nil
}

// byMix returns the stratum that a window is of, whose signature was another one's when it began.
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

// leaveOut subtracts what the launch counted before a window; those instructions count as a unit that was not timed.
func (d *division) excludeSettling(w *window, from *snapshot) {
	counted, issued := w.start.minus(from)
	for i, n := range counted {
		d.settleCounts[i] += n
	}
	n := sumOf(&issued)
	d.addSkipped(total{float64(w.start.endedWorkgroups-from.endedWorkgroups) / float64(d.pieceWorkgroups), n * w.cyclesPerInstruction, n}, skipped{stratum: w.stratum, instructions: n, settleCycles: counted[cyclesAt]})
}

// skip counts units that were not timed, or not for certain, before the workgroups that come next.
func (d *division) addSkipped(t total, s skipped) {
	step := d.machine.Tally.Number(d.launch.Step())
	s.stratum.untimedByStep[step] = s.stratum.untimedByStep[step].plus(t)
	p := &d.segments[len(d.segments)-1]
	p.skipped = append(p.skipped, s)
}

// Placed are the workgroups that began between two stops.
type segment struct {
	first     uint64 // workgroup
	skipped   []skipped
	stopCycle uint64 // cycle at which the machine stopped before them
	doneCycle uint64 // cycle by which all of them were done
}

// Skipped is what took no time before some workgroups, but would have in a run that times everything: a unit of a stratum, less the cycles of workgroups
// that settled.
type skipped struct {
	stratum      *stratum
	instructions float64
	settleCycles float64
	longestWave  float64 // instructions of the longest wave
}

// overlap returns by how much longer the launch takes than the sum of its parts: less, as a long wave that was timed runs beside what was not; more, as
// one that was not timed is the last to end. unknown is half the width of the interval of that.
func (d *division) overlap() (cycles, unknown float64) {
	end := d.finished
	if d.tail == nil || end == nil {
		return 0, 0
	}
	rate := func(h *stratum) float64 {
		return d.strata.estimateOf(h, total{1, h.signature.cost(), 1}, cyclesAt).value
	}
	waves := d.residentSum / float64(max(d.endedWorkgroups, 1)) * float64(d.kernel.Resources.Waves)
	offset, before, latest := 0.0, 0.0, uint64(0)
	cycleSum, instructionSum := 0.0, 0.0 // cycles of an instruction, of the machine
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
			latest, before = p.doneCycle, offset
		}
	}
	others := float64(d.tail.doneCycle) + offset // all but the last few have ended
	_, issued := end.minus(d.tail)
	tail := float64(end.doneCycle - d.tail.doneCycle)
	if n := sumOf(&issued); n > 0 && instructionSum > 0 {
		tailCPI := d.tailResident / n * float64(d.kernel.Resources.Waves)
		cycles = -min(tail, (offset-before)*min(tailCPI/(cycleSum/instructionSum*waves), 1))
		unknown = -cycles * d.Demand
	}
	last := others + tail + cycles
	for _, w := range untimed {
		left := w.instructions - (others-w.begin)/w.residentCPI
		if t := others + left*w.aloneCPI; left > 0 && t > last {
			cycles, unknown, last = cycles+t-last, left*(w.residentCPI-w.aloneCPI)/2+unknown, t
		}
	}
	return cycles, unknown
}

// tailShare is the share of a generation, 1 in so many, that is left when a launch is about to end: these may be long waves.
const tailShare = 64

// resultCycles is about how long an instruction of a wave that is alone takes without loads. D: results of vector instructions come after 4 to 8 cycles.
const resultCycles = 5

// workgroupEnded takes a workgroup's end down with those that began with it.
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
