package engine

import "github.com/sarchlab/akita/v3/sim"

// A planned event waits outside of the calendar.
type planned struct {
	cycle uint64
	time  sim.VTimeInSec // of events between two cycles
	order uint64         // order of scheduling
	event sim.Event
}

func (p *planned) precedes(q *planned) bool {
	switch {
	case p.cycle != q.cycle:
		return p.cycle < q.cycle
	case p.time != q.time:
		return p.time < q.time
	case p.event.IsSecondary() != q.event.IsSecondary():
		return q.event.IsSecondary()
	}
	return p.order < q.order
}

// eventHeap is a binary heap, the earliest event first; events of one time are in the order of their scheduling.
type eventHeap struct{ list []planned }

func (h *eventHeap) push(p planned) {
	h.list = append(h.list, p)
	for i := len(h.list) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.list[i].precedes(&h.list[up]) {
			return
		}
		h.list[i], h.list[up] = h.list[up], h.list[i]
		i = up
	}
}

func (h *eventHeap) pop() planned {
	first, last := h.list[0], len(h.list)-1
	h.list[0] = h.list[last]
	h.list[last] = planned{}
	h.list = h.list[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if h.list[c].precedes(&h.list[least]) {
				least = c
			}
		}
		if least == i {
			return first
		}
		h.list[i], h.list[least] = h.list[least], h.list[i]
		i = least
	}
}
