package gpu

import (
	"fmt"
	"slices"
	"strings"

	"spvsim/scheduler"
)

// windowed runs a launch of a job of which a part is timed. What runs without
// time brings its lines into the caches.
func (r *runner) windowed(l *launch, follows bool) error {
	t := r.window
	k := r.kinds.of(l)
	k.seen++
	if !t.Chooses(l.from) || t.First > 0 && k.seen > t.First {
		return r.functional(l, scheduler.Part{End: groups(l.NumWorkgroups)}, true)
	}
	switch {
	case l.graph != nil:
		return r.dispatchOnce(l.step, l.graph)
	case t.Workgroups == nil:
		return r.timed(l, follows, scheduler.Part{End: groups(l.NumWorkgroups)})
	}
	all := groups(l.NumWorkgroups)
	first, end := min(uint64(t.Workgroups[0]), all), min(uint64(t.Workgroups[1])+1, all)
	parts := []struct {
		scheduler.Part
		timed bool
	}{{scheduler.Part{End: first}, false}, {scheduler.Part{First: first, End: end}, true}, {scheduler.Part{First: end, End: all}, false}}
	for _, p := range parts {
		if p.First == p.End {
			continue
		}
		do := func() error { return r.functional(l, p.Part, true) }
		if p.timed {
			do = func() error { return r.timed(l, follows, p.Part) }
		}
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// checkWindow asks for a launch that is timed, and for one of each step that is named.
func (r *runner) checkWindow() error {
	t := r.window
	if t == nil {
		return nil
	}
	var names []string
	for i := range r.launches {
		l := r.launches[i].from
		if !slices.Contains(names, r.launches[i].step) {
			names = append(names, r.launches[i].step)
		}
		if t.Chooses(l) {
			return nil
		}
	}
	if r.graph != nil && len(r.launches) == 0 {
		return fmt.Errorf("time: the job is a single graph: want steps to choose from")
	}
	return fmt.Errorf("time: no launch is chosen (there are %s)", strings.Join(names, ", "))
}
