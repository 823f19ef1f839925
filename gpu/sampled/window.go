package sampled

import (
	"math"

	"spvsim/isa"
	"spvsim/scheduler"
)

// A mark is the state of a large launch at some time: the cycle by which all was done that workgroups asked that had ended, the workgroups that
// had ended, the instructions of each class that had been issued, and the numbers of the machine so far, as vector orders them.
type mark struct {
	done, ended uint64
	issued      [isa.NumClasses]uint64
	counted     []float64
}

// A window is the part of a large launch that a sample is taken of.
type window struct {
	of    *stratum // nil: there is none
	each  float64  // predicted cycles of an instruction
	first uint64   // workgroup
	begin *mark    // nil: workgroups settle
	from  uint64   // workgroups that have ended before it begins
	to    uint64   // workgroups that have ended before it ends
}

// mark returns the state of the launch. The cycles are those that memory needs too.
func (d *division) mark() *mark {
	m := &mark{done: d.done, ended: d.ended, issued: d.issued(), counted: d.vector(d.launch.SoFar())}
	m.counted[cyclesAt] = float64(m.done)
	return m
}

// since returns what was counted from an earlier state on, and the instructions issued.
func (m *mark) since(o *mark) (counted []float64, by [isa.NumClasses]uint64) {
	counted = append(counted, m.counted...)
	for i, n := range o.counted {
		counted[i] = max(counted[i]-n, 0)
	}
	for class, n := range o.issued {
		by[class] = m.issued[class] - min(n, m.issued[class])
	}
	return counted, by
}

func sumOf(by *[isa.NumClasses]uint64) (n float64) {
	for _, c := range by {
		n += float64(c)
	}
	return n
}

// over follows the window, and reports whether other workgroups may run without time.
func (d *division) over() bool {
	w := &d.window
	switch {
	case w.of == nil:
		return d.ended >= d.start
	case w.begin == nil && d.ended >= w.from:
		w.begin = d.mark()
		w.to = d.ended + d.length
	case w.begin != nil && d.ended >= w.to:
		return true
	}
	return false
}

// closeWindow takes the window's sample, and begins to leave out what follows. What the machine did from the end of the last window to the
// beginning of this one is left out too, as its workgroups had settled after a stop: they count as if they had run without time.
func (d *division) closeWindow() {
	w := &d.window
	now := d.mark()
	if w.of != nil && w.begin != nil {
		counted, by := now.since(w.begin)
		h, n, each := w.of, sumOf(&by), w.each
		m := mixOf(&by)
		if near := d.strata.byMix(&m, h); near != h {
			h.missed()
			h, each = near, near.like.cost()
		}
		if n > 0 {
			_, all := now.since(d.stopped)
			x := d.newSample(d.launch, w.first, counted, n, n*each)
			x.size = n
			d.strata.add(h, x, sumOf(&all)*each)
		}
		d.leaveOut(w, d.stopped)
	}
	d.stopped, w.of, w.begin = now, nil, nil
}

// byMix returns the stratum that a window is of, whose signature was another one's when it began.
func (s *strata) byMix(m *mix, like *stratum) *stratum {
	if like.like.mix.distance(m) <= s.Mix/2*max(1, like.like.blur.mix) {
		return like
	}
	best, nearest := like, math.Inf(1)
	for _, h := range s.list {
		if d := h.like.mix.distance(m); d < nearest {
			best, nearest = h, d
		}
	}
	return best
}

// leaveOut subtracts what the launch counted before a window; those instructions count as a unit that was not timed.
func (d *division) leaveOut(w *window, from *mark) {
	counted, by := w.begin.since(from)
	for i, n := range counted {
		d.settled[i] += n
	}
	n := sumOf(&by)
	d.skip(total{float64(w.begin.ended-from.ended) / float64(d.piece), n * w.each, n}, skipped{of: w.of, instructions: n, minus: counted[cyclesAt]})
}

// skip counts units that were not timed, or not for certain, before the workgroups that come next.
func (d *division) skip(t total, s skipped) {
	step := d.machine.Tally.Number(d.launch.Step())
	s.of.rest[step] = s.of.rest[step].and(t)
	p := &d.placed[len(d.placed)-1]
	p.skipped = append(p.skipped, s)
}

// Placed are the workgroups that began between two stops.
type placed struct {
	first   uint64 // workgroup
	skipped []skipped
	stop    uint64 // cycle at which the machine stopped before them
	done    uint64 // cycle by which all of them were done
}

// Skipped is what took no time before some workgroups, but would have in a run that times everything: a unit of a stratum, less the cycles of workgroups
// that settled.
type skipped struct {
	of           *stratum
	instructions float64
	minus        float64
	longest      float64 // instructions of the longest wave
}

// overlap returns by how much longer the launch takes than the sum of its parts: less, as a long wave that was timed runs beside what was not; more, as
// one that was not timed is the last to end. unknown is half the width of the interval of that.
func (d *division) overlap() (cycles, unknown float64) {
	end := d.finished
	if d.tail == nil || end == nil {
		return 0, 0
	}
	rate := func(h *stratum) float64 {
		return d.strata.estimateOf(h, total{1, h.like.cost(), 1}, cyclesAt).value
	}
	waves := d.resident / float64(max(d.ended, 1)) * float64(d.kernel.Resources.Waves)
	offset, before, last := 0.0, 0.0, uint64(0)
	each, all := 0.0, 0.0 // cycles of an instruction, of the machine
	type wave struct{ begin, instructions, among, alone float64 }
	var untimed []wave
	for i := range d.placed {
		p := &d.placed[i]
		for _, s := range p.skipped {
			r := rate(s.of)
			if s.longest > 0 {
				among := r * waves
				untimed = append(untimed, wave{float64(p.stop) + offset, s.longest, among, min(s.of.like.demand[demandLatency]*waves+resultCycles, among)})
			}
			each, all = each+s.instructions*r, all+s.instructions
			offset += s.instructions*r - s.minus
		}
		if p.done > last {
			last, before = p.done, offset
		}
	}
	others := float64(d.tail.done) + offset // all but the last few have ended
	_, by := end.since(d.tail)
	tail := float64(end.done - d.tail.done)
	if n := sumOf(&by); n > 0 && all > 0 {
		alone := d.tailResident / n * float64(d.kernel.Resources.Waves)
		cycles = -min(tail, (offset-before)*min(alone/(each/all*waves), 1))
		unknown = -cycles * d.Demand
	}
	end0 := others + tail + cycles
	for _, w := range untimed {
		left := w.instructions - (others-w.begin)/w.among
		if t := others + left*w.alone; left > 0 && t > end0 {
			cycles, unknown, end0 = cycles+t-end0, left*(w.among-w.alone)/2+unknown, t
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
	done := max(d.done, p.Now, p.Done)
	if d.tail != nil {
		d.tailResident += float64(done-d.done) * float64(p.ResidentWorkgroups+1)
	}
	d.ended, d.done = p.EndedWorkgroups, done
	d.resident += float64(p.ResidentWorkgroups + 1)
	for i := len(d.placed) - 1; i >= 0; i-- {
		if q := &d.placed[i]; q.first <= p.Index {
			q.done = max(q.done, p.Now, p.Done)
			break
		}
	}
}
