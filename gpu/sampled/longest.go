package sampled

import "math"

// Ran are workgroups of a large launch that ran without time, in their order. Where a wave has many times as many instructions as others, it goes on
// when all others have ended, and the launch takes longer than its instructions say.
type ran []ranPart

// A ranPart is workgroups of one stratum.
type ranPart struct {
	of           *alike
	instructions float64
	longest      uint64 // most instructions of a wave
}

// instructions are those of all.
func (r ran) instructions() (sum float64) {
	for i := range r {
		sum += r[i].instructions
	}
	return sum
}

// late is how many cycles the longest wave goes on, and half the width of the interval of that. waves are as many as the machine holds: as long as
// they are there, each has its part of the rate. A wave that is alone waits for its own loads and results at least. The end of the launch was timed, with
// waves of some length.
func (r ran) late(rate func(*alike) float64, waves, timed float64) (cycles, half float64) {
	left := 0.0 // cycles that all others take from here on
	for i := len(r) - 1; i >= 0; i-- {
		p := &r[i]
		each := rate(p.of)
		left += p.instructions * each
		among := each * waves
		rest := float64(p.longest) - left/among - timed
		alone := min(p.of.like.demand[demandLatency]*waves+resultCycles, among)
		if took := rest * (alone + among) / 2; took > cycles {
			cycles, half = took, rest*(among-alone)/2
		}
	}
	return cycles, half
}

// resultCycles is about how long an instruction of a wave that is alone takes without loads. D: results of vector instructions come after 4 to 8 cycles.
const resultCycles = 5

// Overtime is by how much longer launches take than their instructions say, and half the width of the interval.
type overtime struct{ cycles, half float64 }

// ended takes down by how much longer a launch of a step takes.
func (r *rows) ended(step int, list ran, waves, timed float64) {
	cycles, half := list.late(func(a *alike) float64 { each, _ := r.rate(a); return each }, waves, timed)
	if cycles == 0 {
		return
	}
	if r.late == nil {
		r.late = map[int]overtime{}
	}
	l := r.late[step]
	r.late[step] = overtime{l.cycles + cycles, math.Hypot(l.half, half)}
}
