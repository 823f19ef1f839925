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
		to.Accesses += now.Accesses - b.Accesses
		to.Hits += now.Hits - b.Hits
		to.Misses += now.Misses - b.Misses
		to.QueueFullCycles += now.QueueFullCycles - b.QueueFullCycles
	}
}

// A lineLevels records the farthest level that each line of a request reached. What a line evicts counts as its own.
type lineLevels struct {
	accesses []*uint64 // lines asked of each level so far, without translation
	first    int8      // place of the first of them among Counters
	before   []uint64
	farthest []int8 // by line of the last request; -1: none
}

// RecordLevels makes the hierarchy record the farthest level of each line from now on.
func (f *Analytic) RecordLevels() {
	if f.lineLevels != nil {
		return
	}
	f.lineLevels = &lineLevels{}
	if f.l2TLB != nil {
		f.lineLevels.first = 1
	}
	for _, l := range f.levels {
		f.lineLevels.accesses = append(f.lineLevels.accesses, &l.counter.Accesses)
	}
	f.lineLevels.accesses = append(f.lineLevels.accesses, &f.mem.levelCounter().Accesses)
	f.lineLevels.before = make([]uint64, len(f.lineLevels.accesses))
}

// LineLevels returns the farthest level that each line of the last request reached, by its place among Counters; -1: none. It is nil
// without RecordLevels.
func (f *Analytic) LineLevels() []int8 {
	if f.lineLevels == nil {
		return nil
	}
	return f.lineLevels.farthest
}

// begin is called before the first line of a request.
func (l *lineLevels) begin() {
	l.farthest = l.farthest[:0]
	for i, n := range l.accesses {
		l.before[i] = *n
	}
}

// ended is called after each line.
func (l *lineLevels) ended() {
	far := int8(-1)
	for i, n := range l.accesses {
		if *n != l.before[i] {
			l.before[i], far = *n, l.first+int8(i)
		}
	}
	l.farthest = append(l.farthest, far)
}
