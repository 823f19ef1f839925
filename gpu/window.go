package gpu

import (
	"cmp"
	"fmt"
	"strings"

	"spvsim/scheduler"
)

// windowed runs a launch of a job of which a part is timed. What runs without
// time brings its lines into the caches.
func (r *runner) windowed(l *jobLaunch, w residentWork, follows bool) error {
	chosen, timed := r.windowOf(l, w)
	all, known := w.Workgroups()
	switch {
	case !timed:
		return r.runFunctional(l, allWorkgroups(w), true)
	case !known:
		return r.runTimed(l, allWorkgroups(w), follows)
	}
	first, end := chosen.First, chosen.End
	parts := []struct {
		scheduler.WorkgroupRange
		timed bool
	}{{scheduler.WorkgroupRange{End: first}, false}, {scheduler.WorkgroupRange{First: first, End: end}, true}, {scheduler.WorkgroupRange{First: end, End: all}, false}}
	for _, p := range parts {
		if p.First == p.End {
			continue
		}
		do := func() error { return r.runFunctional(l, p.WorkgroupRange, true) }
		if p.timed {
			do = func() error { return r.runTimed(l, p.WorkgroupRange, follows) }
		}
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// windowOf returns the part of a launch that is timed, and whether there is one.
func (r *runner) windowOf(l *jobLaunch, w residentWork) (p scheduler.WorkgroupRange, timed bool) {
	t := r.window
	kind := cmp.Or(l.kind, l.step) + " " + w.ClassKey()
	r.windows[kind]++
	p = allWorkgroups(w)
	if w := t.Workgroups; w != nil {
		p.First, p.End = min(uint64(w[0]), p.End), min(uint64(w[1])+1, p.End)
	}
	return p, t.Chooses(l.from) && (t.First == 0 || r.windows[kind] <= t.First)
}

// checkWindow asks for a launch that is timed, and for one of each step that is named.
func (r *runner) checkWindow() error {
	t := r.window
	if t == nil {
		return nil
	}
	if r.onlyGraph() {
		return fmt.Errorf("time: found a job of a single graph: want steps to choose from")
	}
	if r.anyTimed {
		return nil
	}
	return fmt.Errorf("time: found no launch that matches: want some of the steps %s", strings.Join(r.steps, ", "))
}
