package sampled

import (
	"math"

	"spvsim/config"
	"spvsim/isa"
	"spvsim/scheduler"
)

// A window is a time in which workgroups of one stratum are timed. It is cut into batches.
type window struct {
	*config.Sampling
	issued  func() (uint64, [isa.NumClasses]uint64) // instructions so far
	batch   uint64                                  // resident workgroups
	batches int                                     // at least
	align   uint64                                  // workgroups: it begins and ends at a multiple of so many
	stratum *alike                                  // nil: there is no window
	settle  uint64                                  // workgroups that end before it begins
	at      uint64                                  // workgroups that will have ended when the batch is over
	marks   []mark                                  // beginning, and ends of batches
	left    int                                     // batches that were left out
	first   mark                                    // beginning, with those
	now     mark
	whole   bool // it has its batches
}

// A mark is how far the machine is: the cycle by which all was done that workgroups asked that had ended, the instructions issued by then,
// and the workgroups that had ended.
type mark struct {
	done, issued, ended uint64
	by                  [isa.NumClasses]uint64 // issued of each class
}

// batchesOfGeneration are the batches in which as many workgroups end as the machine holds.
const batchesOfGeneration = 4

// between is what was done from one mark to another.
func between(a, b mark) sample {
	return sample{float64(b.done - a.done), float64(max(b.issued-a.issued, 1))}
}

// mixBetween is the mix of what was issued from one mark to another.
func mixBetween(a, b *mark) mix {
	by := b.by
	for i := range by {
		by[i] -= a.by[i]
	}
	return mixOf(&by)
}

// open begins a window after some workgroups have ended. Without any it begins at once, and not when the next one has ended: much may have
// issued by then.
func (w *window) open(a *alike, settle uint64) {
	w.stratum, w.settle, w.left, w.marks, w.whole = a, settle, 0, w.marks[:0], false
	w.at = w.now.ended + max(settle, w.batch)
	if settle == 0 {
		w.mark()
	}
}

// see takes down that a workgroup has ended, and by when memory has done what it asked.
func (w *window) see(p *scheduler.WorkgroupEnd) {
	w.now.ended, w.now.done = p.EndedWorkgroups, max(w.now.done, p.Now, p.Done)
}

// over says whether the window may end, or there is none.
func (w *window) over() bool {
	if w.stratum == nil {
		return true
	}
	if w.whole || w.now.ended < w.at {
		return w.whole
	}
	w.at = w.now.ended + w.batch
	w.mark()
	w.whole = len(w.marks) > w.batches && w.steady()
	return w.whole
}

// end ends the window where the machine is.
func (w *window) end() {
	if w.now.ended > w.marks[len(w.marks)-1].ended {
		w.mark()
	}
}

// mark takes down where the machine is.
func (w *window) mark() {
	w.now.issued, w.now.by = w.issued()
	if w.marks = append(w.marks, w.now); len(w.marks) == 1 && w.left == 0 {
		w.first = w.now
	}
}

// steady says whether the second half of the batches is like the first. Where workgroups of much work and of little run side by side, those
// of little end first, and it takes long until as many of each begin as end: then the first half goes.
func (w *window) steady() bool {
	half := len(w.marks) / 2
	x, y := between(w.marks[0], w.marks[half]).rate(), between(w.marks[half], w.marks[len(w.marks)-1]).rate()
	if w.left += half; math.Abs(x-y) <= w.Settled*y || w.left > w.MostBatches || w.settle == 0 {
		return true
	}
	w.marks = append(w.marks[:0], w.marks[half:]...)
	return false
}
