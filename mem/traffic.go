package mem

import (
	"spvsim/internal/timing"
	"spvsim/isa"
)

// A Traffic is what the requests of one launch had the levels of the fast memory do, in their order. What a request evicts counts as its
// own; what is written back at a launch's end, and what the scheduler of a graph moves, is of none.
type Traffic struct {
	Levels []Counter
	before []Counter
}

// IssueFor is Issue for a launch whose traffic is counted: the fast memory answers at once, so that what its levels count meanwhile is the request's.
func (p *Port) IssueFor(t *Traffic, now uint64, st *isa.State, env *Env, in *isa.Inst) *timing.Response {
	f, ok := p.h.(*Fast)
	if !ok {
		return p.Issue(now, st, env, in)
	}
	t.before = f.counts(t.before[:0])
	r := p.Issue(now, st, env, in)
	t.add(f)
	return r
}

// counts appends what the levels have counted so far.
func (f *Fast) counts(list []Counter) []Counter {
	for _, l := range f.levels {
		list = append(list, l.counter)
	}
	return append(list, *f.mem.count())
}

// add adds what the levels have counted since before.
func (t *Traffic) add(f *Fast) {
	if t.Levels == nil {
		t.Levels = make([]Counter, len(t.before))
	}
	for i := range t.before {
		now := f.mem.count()
		if i < len(f.levels) {
			now = &f.levels[i].counter
		}
		to, b := &t.Levels[i], &t.before[i]
		to.Level = now.Level
		to.Bytes += now.Bytes - b.Bytes
		to.Written += now.Written - b.Written
	}
}
