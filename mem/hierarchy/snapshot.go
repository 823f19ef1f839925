package hierarchy

// A cacheSnapshot keeps the sets of caches as they were before functional accesses changed them.
type cacheSnapshot struct {
	sets  []savedSet // in the order in which they were first looked at
	tags  []uint32
	lines []line
	words []uint64
	rings []ringLink
}

// A savedSet is a saved set. Its ways follow in the snapshot's lists.
type savedSet struct {
	slice       *slice
	set         uint64
	order       uint64 // of its ways; 0 where there are rings
	draws       uint32
	held, dirty bool
	words       bool // stores had written parts of lines of the slice
}

// Snapshot starts recording, so that Restore undoes the changes of functional accesses to caches.
func (f *Analytic) Snapshot() {
	for _, l := range f.levels {
		l.snapshot = &f.snapshot
	}
}

// Restore makes the caches what they were when Snapshot was called. Translations stay.
func (f *Analytic) Restore() {
	for i := len(f.snapshot.sets) - 1; i >= 0; i-- {
		f.snapshot.restoreSet(&f.snapshot.sets[i])
	}
	f.snapshot.sets = f.snapshot.sets[:0]
	for _, l := range f.levels {
		l.snapshot = nil
	}
}

// save keeps the set of a lookup, unless the snapshot has it.
func (u *cacheSnapshot) save(p setLookup) {
	s, end := p.slice, p.first+p.lru.ways
	if s.savedSets == nil {
		kept := make(setBits, len(s.validSets))
		s.savedSets = &kept
	}
	if s.savedSets.has(p.set) {
		return
	}
	s.savedSets.mark(p.set)
	k := savedSet{slice: s, set: p.set, draws: s.randomDraws, held: s.validSets.has(p.set), dirty: s.dirtySets.has(p.set), words: s.words != nil}
	u.tags, u.lines = append(u.tags, s.tags[p.first:end]...), append(u.lines, s.lines[p.first:end]...)
	if k.words {
		u.words = append(u.words, s.words[p.first:end]...)
	}
	if s.lru.words != nil {
		k.order = s.lru.words[p.set]
	} else {
		u.rings = append(u.rings, s.lru.ring(int(p.set))...)
	}
	u.sets = append(u.sets, k)
}

// restoreSet restores the set that was saved last.
func (u *cacheSnapshot) restoreSet(k *savedSet) {
	s := k.slice
	s.savedSets.unmark(k.set)
	first, end := int(k.set)*s.lru.ways, int(k.set+1)*s.lru.ways
	u.tags, u.lines = popInto(u.tags, s.tags[first:end]), popInto(u.lines, s.lines[first:end])
	switch {
	case k.words:
		u.words = popInto(u.words, s.words[first:end])
	case s.words != nil:
		clear(s.words[first:end])
	}
	if s.lru.words != nil {
		s.lru.words[k.set] = k.order
	} else {
		u.rings = popInto(u.rings, s.lru.ring(int(k.set)))
	}
	s.randomDraws = k.draws
	s.validSets.set(k.set, k.held)
	s.dirtySets.set(k.set, k.dirty)
}

// popInto copies the end of a list to a slice, and returns the rest of the list.
func popInto[T any](list, to []T) []T {
	left := len(list) - len(to)
	copy(to, list[left:])
	return list[:left]
}
