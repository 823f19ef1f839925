package hierarchy

// An undo is what the sets of caches were before accesses without time changed them.
type undo struct {
	sets  []keptSet // in the order in which they were first looked at
	tags  []uint32
	lines []line
	words []uint64
	rings []link
}

// A keptSet is a set of which the ways follow in the undo's lists.
type keptSet struct {
	slice       *slice
	set         uint64
	order       uint64 // of its ways; 0 where there are rings
	draws       uint32
	held, dirty bool
	words       bool // stores had written parts of lines of the slice
}

// Remember has accesses without time leave what PutBack makes of the caches what they are now.
func (f *Analytic) Remember() {
	for _, l := range f.levels {
		l.undo = &f.undo
	}
}

// PutBack makes the caches what they were when Remember was called. Translations stay.
func (f *Analytic) PutBack() {
	for i := len(f.undo.sets) - 1; i >= 0; i-- {
		f.undo.putBack(&f.undo.sets[i])
	}
	f.undo.sets = f.undo.sets[:0]
	for _, l := range f.levels {
		l.undo = nil
	}
}

// keep keeps the set of a place, if it is not kept yet.
func (u *undo) keep(p place) {
	s, end := p.slice, p.first+p.used.ways
	if s.kept == nil {
		kept := make(setBits, len(s.held))
		s.kept = &kept
	}
	if s.kept.has(p.set) {
		return
	}
	s.kept.mark(p.set)
	k := keptSet{slice: s, set: p.set, draws: s.draws, held: s.held.has(p.set), dirty: s.dirty.has(p.set), words: s.words != nil}
	u.tags, u.lines = append(u.tags, s.tags[p.first:end]...), append(u.lines, s.lines[p.first:end]...)
	if k.words {
		u.words = append(u.words, s.words[p.first:end]...)
	}
	if s.used.words != nil {
		k.order = s.used.words[p.set]
	} else {
		u.rings = append(u.rings, s.used.ring(int(p.set))...)
	}
	u.sets = append(u.sets, k)
}

// putBack puts the set that was kept last back.
func (u *undo) putBack(k *keptSet) {
	s := k.slice
	s.kept.unmark(k.set)
	first, end := int(k.set)*s.used.ways, int(k.set+1)*s.used.ways
	u.tags, u.lines = takeBack(u.tags, s.tags[first:end]), takeBack(u.lines, s.lines[first:end])
	switch {
	case k.words:
		u.words = takeBack(u.words, s.words[first:end])
	case s.words != nil:
		clear(s.words[first:end])
	}
	if s.used.words != nil {
		s.used.words[k.set] = k.order
	} else {
		u.rings = takeBack(u.rings, s.used.ring(int(k.set)))
	}
	s.draws = k.draws
	s.held.set(k.set, k.held)
	s.dirty.set(k.set, k.dirty)
}

// takeBack copies the end of a list to a place, and returns what is left of the list.
func takeBack[T any](list, to []T) []T {
	left := len(list) - len(to)
	copy(to, list[left:])
	return list[:left]
}
