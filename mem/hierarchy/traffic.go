package hierarchy

// Traffic counts what the requests of one launch move at each level. What a request evicts counts as its own. What is
// written back at a launch's end, and what the scheduler of a graph moves, counts for no launch.
type Traffic struct {
	Levels []Counter
	before []Counter
}

// counts appends what the levels have counted so far.
func (f *Analytic) counts(list []Counter) []Counter {
	for _, l := range f.levels {
		list = append(list, l.counter)
	}
	return append(list, *f.mem.levelCounter())
}

// Begin notes the counts before a request.
func (t *Traffic) Begin(f *Analytic) { t.before = f.counts(t.before[:0]) }

// End adds what the levels have counted since Begin.
func (t *Traffic) End(f *Analytic) {
	if t.Levels == nil {
		t.Levels = make([]Counter, len(t.before))
	}
	for i := range t.before {
		now := f.mem.levelCounter()
		if i < len(f.levels) {
			now = &f.levels[i].counter
		}
		to, b := &t.Levels[i], &t.before[i]
		to.Level = now.Level
		to.Bytes += now.Bytes - b.Bytes
		to.Written += now.Written - b.Written
	}
}

// LevelAccesses appends the lines asked of each level so far, in the order of Counters.
func (f *Analytic) LevelAccesses(list []uint64) []uint64 {
	for _, l := range f.levels {
		list = append(list, l.counter.Accesses)
	}
	return append(list, f.mem.levelCounter().Accesses)
}
