package sampled

import (
	"math"
	"slices"
	"testing"

	"spvsim/config"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/scheduler"
)

// A windowTest ends workgroups, each of which issued ten instructions, and asks a window.
type windowTest struct {
	*window
	issued uint64
}

func newWindowTest(t *testing.T) *windowTest {
	t.Helper()
	w := &windowTest{}
	w.window = &window{Sampling: config.DefaultSampling(), issued: func() (n uint64, by [isa.NumClasses]uint64) { return w.issued, by }, batch: 25, batches: 4}
	return w
}

// ends is which of some workgroups ends the window; 0: none. Memory has done what each asked in a cycle of its own.
func (w *windowTest) ends(from, to, done uint64) uint64 {
	for i := from; i <= to; i++ {
		w.issued += 10
		if w.see(&scheduler.WorkgroupEnd{Now: 30 * i, Done: done * i, EndedWorkgroups: i}); w.over() {
			return i
		}
	}
	return 0
}

// came is what the window came to.
func (w *windowTest) came() sample { return between(w.marks[0], w.marks[len(w.marks)-1]) }

// A window begins when what was on the machine has ended, and ends after so many batches: what issues before does not count, and by when
// memory has done what workgroups asked does.
func TestWindowsOfWorkgroups(t *testing.T) {
	w := newWindowTest(t)
	if !w.over() {
		t.Error("no window, and it is not over")
	}
	w.open(&alike{}, 100)
	if last := w.ends(1, 300, 30); last != 200 || w.came() != (sample{3000, 1000}) {
		t.Errorf("four batches of 25 after 100 workgroups end with the %dth and come to %v", last, w.came())
	}
	w.issued += 7 // of those that go on
	w.open(&alike{}, 0)
	if got := w.marks[0]; len(w.marks) != 1 || got != (mark{done: 6000, issued: 2007, ended: 200}) {
		t.Errorf("a window without settling begins at %v", got)
	}
	if last := w.ends(201, 400, 90); last != 300 || w.came() != (sample{27000 - 6000, 1000}) {
		t.Errorf("it ends with the %dth and comes to %v: want the cycles until memory had done what was asked", last, w.came())
	}
}

// A window that has its batches counts what comes until it is left.
func TestWindowsEndWhereTheyAreLeft(t *testing.T) {
	w := newWindowTest(t)
	w.open(&alike{}, 100)
	last := w.ends(1, 300, 30)
	for i := last + 1; i <= last+3; i++ {
		if w.ends(i, i, 30) != i {
			t.Error("it has its batches, and is not over")
		}
	}
	if w.end(); w.came() != (sample{3090, 1030}) {
		t.Errorf("with three more it comes to %v", w.came())
	}
	if n := len(w.marks); n != 6 {
		t.Errorf("%d marks, want those of four batches and the end", n)
	}
}

// A window whose second half is not like the first goes on, without that.
func TestWindowsThatDoNotSettle(t *testing.T) {
	by := config.DefaultSampling()
	growing := func(i int) float64 { return math.Pow(1.2, float64(i)) }
	if got := settles(by, growing); got <= by.Batches {
		t.Errorf("settled after %d batches, each a fifth longer than the one before", got)
	}
}

// The last level of the caches is warm when what was brought in fills it or was asked for often enough, or hardly anything had to be brought in.
func TestWarmth(t *testing.T) {
	for _, c := range []struct {
		came, looks uint64
		runs        int
	}{{1, 2, 12}, {1, 10, 3}, {0, 10, 1}, {1, 200, 1}, {5, 10, 3}} {
		w := warmth{Sampling: config.DefaultSampling(), capacity: 1000, line: 100}
		n := 0
		for !w.enough {
			w.brought(&hierarchy.WarmingStats{Fills: []uint64{c.came}, Lookups: []uint64{c.looks}})
			n++
		}
		if n != c.runs {
			t.Errorf("%+v: %d runs", c, n)
		}
		if w.begin(); w.enough || w.bytes != 0 {
			t.Error("other behaviour finds it warm")
		}
	}
}

// It matters little what caches hold where little is asked of memory, and little would be if they held nothing.
func TestWhatMattersLittle(t *testing.T) {
	for _, c := range []struct {
		memory, latency, missed float64
		want                    bool
	}{{0.9, 0, 0.9, false}, {0, 0, 0.9, false}, {0.1, 0.8, 0.1, false}, {0.1, 0.2, 0.1, true}} {
		d := demand{demandIssue: 1, demandMemory: c.memory, demandLatency: c.latency}
		if got := d.light(c.missed, config.DefaultSampling()); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Parts of a launch that is looked at are all of it, and of each block the first workgroups are seen: of a launch a little larger at the same places.
func TestPartsThatAreLookedAt(t *testing.T) {
	by := config.DefaultSampling()
	var places [2][]uint64
	for i, all := range []uint64{5000, 5100} {
		at := uint64(0)
		for _, p := range lookedAt(all, by) {
			if p.First != at || p.End <= p.First {
				t.Fatalf("%d workgroups: %+v after %d", all, p, at)
			}
			if at = p.End; p.seen {
				places[i] = append(places[i], p.First)
			}
		}
		if at != all {
			t.Errorf("%d of %d workgroups", at, all)
		}
	}
	if len(places[0]) < 2 || !slices.Equal(places[0], places[1]) {
		t.Errorf("seen at %v and at %v", places[0], places[1])
	}
	if one := lookedAt(1, by); len(one) != 1 || !one[0].seen {
		t.Errorf("one workgroup: %+v", one)
	}
}

// In a launch of few pieces windows are nearer to each other, and workgroups between what is looked at and a window are at most a generation.
func TestDivisionsOfFewPieces(t *testing.T) {
	for _, c := range []struct {
		groups     int
		near, from int
	}{{200, 16, 1}, {12, 4, 1}} {
		l := newTestLaunch(t, c.groups)
		s := New(l.machine(), config.DefaultSampling())
		k := newKind(s.Sampling)
		d := newDivision(s, l, l.kernel, &k.rows, 1)
		if k.rows.near != c.near || d.begins(0) != uint64(c.from) {
			t.Errorf("%d workgroups: %d pieces between windows, which begin %d workgroups after what is looked at", c.groups, k.rows.near, d.begins(0))
		}
	}
}

// The machine goes on to workgroups that come later where it is at a multiple of those that share lines, and to such a multiple.
func TestWindowsAreAligned(t *testing.T) {
	d := divided200(t, config.DefaultSampling(), 4)
	d.sizes()
	d.settle = 1
	left := map[uint64]uint64{}
	for next := uint64(13); next < 17; next++ {
		if leave, hold := d.next(scheduler.WorkgroupEnd{NextIndex: next, EndedWorkgroups: next - 4, ResidentWorkgroups: 4}); leave > 0 && !hold {
			left[next] = next + leave
		}
	}
	if to := left[16]; len(left) != 1 || to == 0 || to%4 != 0 {
		t.Errorf("left from and to %v: want that from 16 to a multiple of four", left)
	}
}
