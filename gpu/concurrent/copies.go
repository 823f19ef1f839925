package concurrent

import (
	"spvsim/account"
	"spvsim/cu"
	"spvsim/simd"
)

// Copies are copies of a program's code, each for one launch at a time, so that the instructions of overlapping launches are counted apart.
type Copies struct {
	Code *simd.Code        // which is listed, with the counts of all
	New  func() *simd.Code // makes a copy
	idle []*simd.Code
}

// A copied launch runs a copy.
type copied struct {
	code       *simd.Code // nil while it does not run
	kernel     *cu.KernelLaunch
	codeBefore account.Counts
}

// takeCopy makes the launch run an idle copy.
func (l *QueuedLaunch) takeCopy(k *cu.KernelLaunch) {
	idle := l.Copies.idle
	l.code, l.Copies.idle = idle[len(idle)-1], idle[:len(idle)-1]
	l.codeBefore = simd.IssuedCounts([]*simd.Code{l.code})
	k.Code, l.kernel = l.code, k
}

// foldCopy returns the copy, and adds its counts to the listed program; nothing for launches without one.
func (l *QueuedLaunch) foldCopy() {
	if l.code == nil {
		return
	}
	l.Copies.fold(l.code)
	l.Copies.idle = append(l.Copies.idle, l.code)
	l.code, l.kernel.Code = nil, l.Copies.Code
}

// fold moves the counts of a copy to the listed program.
func (c *Copies) fold(code *simd.Code) {
	code.GatherCounts()
	for i := range code.Counts {
		c.Code.Counts[i].Add(&code.Counts[i])
	}
	clear(code.Counts)
}

// returnCopy returns the copy, and adds the instructions that it issued.
func (l *QueuedLaunch) returnCopy(c *account.Counts) {
	addIssued(c, []*simd.Code{l.code}, &l.codeBefore)
	l.Copies.idle = append(l.Copies.idle, l.code)
	l.code = nil
}

// MakeCopies makes a copy of each program for each of its launches that can run at the same time.
func (g *Launches) MakeCopies() {
	want := map[*Copies]int{}
	for _, l := range g.launches {
		c := l.Copies
		if c == nil {
			continue
		}
		if want[c]++; want[c] <= g.machine.Spec.FrontEnd.MostOutstanding && want[c] > len(c.idle) {
			c.idle = append(c.idle, c.New())
		}
	}
	for _, l := range g.launches {
		if l.Copies != nil {
			g.addCodes(l.Copies.idle)
		}
	}
}

// FoldCopies adds the counts of the copies to the listed programs.
func (g *Launches) FoldCopies() {
	done := map[*Copies]bool{}
	for _, l := range g.launches {
		if l.Copies == nil || done[l.Copies] {
			continue
		}
		done[l.Copies] = true
		for _, c := range l.Copies.idle {
			l.Copies.fold(c)
		}
	}
}
