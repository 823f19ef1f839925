package program

import "math/bits"

// A file is a register file during allocation, at rising points of the program. Spans that ended before the last point
// are forgotten, and registers that are taken at that point are not examined again.
type file struct {
	spans       [][]span         // by register: spans from the last point on, ordered, disjoint
	free        bitset           // registers that are free at the last point
	transitions heap[transition] // by point: when a register's next span ends or begins
	// compared counts how often the spans of a register were examined.
	compared int
	due      []int // by register: the point of its valid turn; its other turns are stale
}

// A transition is a point at which a register becomes free or taken.
type transition struct{ point, reg int }

func newFile() *file {
	return &file{transitions: heap[transition]{less: func(a, b transition) bool { return a.point < b.point }}}
}

// allocate allocates the lowest n consecutive registers, from a multiple of n on, that are free over spans. spans begin
// at or after those of earlier calls.
func (f *file) allocate(spans []span, n int) (first int) {
	f.proceed(spans[0].from)
	first = f.find(spans, n)
	for len(f.spans) < first+n {
		f.spans, f.due = append(f.spans, nil), append(f.due, 0)
		if len(f.spans) > 64*len(f.free) {
			f.free = append(f.free, 0)
		}
		f.free.add(len(f.spans) - 1)
	}
	for r := first; r < first+n; r++ {
		f.free.remove(r)
		for _, s := range spans {
			f.spans[r] = inserted(f.spans[r], s)
		}
		f.setTransition(r, f.spans[r][0].to)
	}
	return first
}

func (f *file) setTransition(r, at int) {
	f.due[r] = at
	f.transitions.push(transition{at, r})
}

// find goes over the registers that are free at the first point.
func (f *file) find(spans []span, n int) int {
	run, last := 0, -1
	for i, word := range f.free {
		for ; word != 0; word &= word - 1 {
			r := i*64 + bits.TrailingZeros64(word)
			f.compared++
			if overlap(f.spans[r], spans) {
				continue
			}
			if r%n == 0 {
				run = 0
			} else if run == 0 || r != last+1 {
				continue
			}
			if run, last = run+1, r; run == n {
				return r - n + 1
			}
		}
	}
	if last == len(f.spans)-1 && run > 0 {
		return len(f.spans) - run
	}
	return (len(f.spans) + n - 1) / n * n
}

// proceed advances to a point, and updates the registers whose turn has come.
func (f *file) proceed(to int) {
	for len(f.transitions.list) > 0 && f.transitions.list[0].point <= to {
		t := f.transitions.pop()
		if t.point != f.due[t.reg] {
			continue
		}
		list := f.spans[t.reg]
		for len(list) > 0 && list[0].to <= to {
			list = list[1:]
		}
		f.spans[t.reg] = list
		f.free.remove(t.reg)
		switch {
		case len(list) == 0:
			f.free.add(t.reg)
		case list[0].from > to:
			f.free.add(t.reg)
			f.setTransition(t.reg, list[0].from)
		default:
			f.setTransition(t.reg, list[0].to)
		}
	}
}
