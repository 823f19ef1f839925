package gpu

import (
	"fmt"
	"math"

	"spvsim/account"
	"spvsim/mem/hierarchy"
	"spvsim/scheduler"
)

// A groupDivision is a group of launches of which some are large. While the same launches are on the machine and nothing else can begin, windows
// of it are timed. Between two of them the machine stops as it is, and of each launch as many workgroups run without time as end in the window, so many
// times over; so launches go on side by side as they did in the window.
type groupDivision struct {
	*sampler
	*launch
	group  *group
	seen   int // changes of what is on the machine
	done   uint64
	ended  uint64 // workgroups of all launches
	since  uint64 // of them, those before the last change
	rows   *rows  // of the launches that are on the machine
	window groupWindow
	piece  float64 // windows that run without time between two, in the mean; 0: none has been timed
	warmth warmth
}

// A divided is what a division looks at while a group runs.
type divided struct {
	division *groupDivision  // nil: all is timed
	active   []*besideLaunch // begun and not ended
	changes  int             // of those
}

// A groupWindow is a time in which the same launches are on the machine.
type groupWindow struct {
	open  bool
	end   uint64   // workgroups that will have ended
	done  uint64   // cycle
	begun []uint64 // workgroups of each launch that had ended
}

// newGroupDivision divides a group with a large launch; nil: it has none.
func newGroupDivision(s *sampler, l *launch, g *group) *groupDivision {
	for _, x := range g.launches {
		if k := x.kernel(); k != nil && k.at == nil && groups(k.NumWorkgroups) >= uint64(s.Generations)*s.generation(k) {
			d := &groupDivision{sampler: s, launch: l, group: g}
			d.warmth.Sampling = s.Sampling
			d.warmth.capacity, d.warmth.line = s.capacities.last()
			return d
		}
	}
	return nil
}

// run runs the group.
func (d *groupDivision) run(follows bool) error {
	d.group.division = d
	defer func() { d.group.division = nil }()
	return d.clocked(d.launch, scheduler.Part{}, follows)
}

// next is asked when a workgroup of any launch has ended.
func (d *groupDivision) next(p scheduler.Progress) (leave uint64, hold bool) {
	d.ended++
	d.done = max(d.done, p.Now, p.Done)
	g, w := d.group, &d.window
	switch {
	case d.seen != g.changes:
		d.begin()
	case !w.open:
		if running, ok := d.steady(); ok && d.ended-d.since >= running {
			d.open(running)
		}
	case d.ended >= w.end:
		running, ok := d.steady()
		if w.open = false; ok && d.leap() {
			d.open(running)
		}
	}
	return 0, false
}

// begin: other launches are on the machine than before.
func (d *groupDivision) begin() {
	d.seen, d.since, d.window.open, d.piece = d.group.changes, d.ended, false, 0
	d.warmth.begin()
	key := d.group.like() + "on the machine:"
	for _, l := range d.group.active {
		key += fmt.Sprintf(" %d", l.number)
	}
	d.rows = &d.kinds.of(d.launch, key).rows
	d.rows.least = d.LeastBeside
}

// steady says whether the launches that are on the machine go on by themselves: each may be divided and has workgroups to place, and no
// packet of a queue is on its way or can be served. It gives the number of their workgroups on the machine.
func (d *groupDivision) steady() (running uint64, ok bool) {
	for _, l := range d.group.active {
		if l.open.None() || !l.divides || l.open.Left() == 0 {
			return 0, false
		}
		_, n, _ := l.open.Progress()
		running += n
	}
	return running, running > 0 && d.group.processor.Steady(len(d.group.active))
}

// open begins a window of so many batches, of which each is a quarter of what is on the machine.
func (d *groupDivision) open(running uint64) {
	w := &d.window
	w.open, w.end, w.done, w.begun = true, d.ended+max(uint64(d.Batches)*running/4, 1), d.done, w.begun[:0]
	for _, l := range d.group.active {
		ended, _, _ := l.open.Progress()
		w.begun = append(w.begun, ended)
	}
}

// pieceOf is the part in which so many times a window's work is divided.
func (d *groupDivision) pieceOf(times float64) float64 { return times / float64(d.GroupPieces) }

// leap runs workgroups of all launches without time, in the proportion in which they ended in the window, whose sample it takes. It says no where the
// launches are too near to their ends.
func (d *groupDivision) leap() bool {
	each, times := d.window.ends(d.group.active)
	if d.piece == 0 {
		d.piece = d.pieceOf(times)
	}
	times = min(times, d.piece*(0.75+0.5*d.draw.Float64()))
	if times < 1 {
		return false
	}
	did, window := &account.Counts{}, sample{cycles: float64(d.done - d.window.done)}
	for i, l := range d.group.active {
		if n := uint64(times * float64(each[i])); n > 0 {
			c, err := d.skip(l, n)
			if err != nil {
				d.group.machine.engine.Fail(err)
				return false
			}
			window.instructions += float64(c.Instructions()) / float64(n) * float64(each[i])
			did.Add(c)
		}
	}
	a := d.rows.of(&signature{mix: mixOf(&did.ByClass)})
	a.rest[d.tally.number(d.step)] += did.Instructions()
	d.rows.sampled(a, window, d.draw)
	return true
}

// ends is how many workgroups of each launch ended in the window, and how many times over so many can be left out, with enough left to run out with time.
func (w *groupWindow) ends(active []*besideLaunch) (each []uint64, times float64) {
	times = math.Inf(1)
	for i, l := range active {
		ended, running, _ := l.open.Progress()
		n := ended - w.begun[i]
		each = append(each, n)
		if reserve, left := 2*running+n, l.open.Left(); n > 0 {
			times = min(times, (float64(left)-float64(reserve))/float64(n))
		}
	}
	return each, times
}

// skip runs the next workgroups of a launch without time: the first of them bring their lines into the caches, and all as long as the
// caches hold less than they would.
func (d *groupDivision) skip(l *besideLaunch, n uint64) (*account.Counts, error) {
	at := l.open.Next()
	middle, sum := at+max(n/uint64(d.Detail), min(n, 16)), &account.Counts{}
	for _, p := range []lookedPart{{scheduler.Part{First: at, End: middle}, true}, {scheduler.Part{First: middle, End: at + n}, !d.warmth.enough}} {
		if p.First == p.End {
			continue
		}
		c, err := l.run(p.Part, p.seen, true)
		if err != nil {
			return nil, err
		}
		if fast, ok := d.timing.machine.hierarchy.(*hierarchy.Analytic); ok && p.seen {
			d.warmth.brought(fast.Warmed())
		}
		sum.Add(c)
	}
	l.open.Leave(n)
	return sum, nil
}
