package hierarchy

import "slices"

// A Barrier is a hierarchy whose levels can be written back and invalidated one by one, as barriers between launches
// ask for.
type Barrier interface {
	// LevelNames are the levels, nearest first.
	LevelNames() []string
	// ReleaseLevels writes back what those levels hold that are released at a launch's end, and returns when that is done.
	ReleaseLevels(now uint64, names []string) uint64
	// AcquireLevels invalidates those levels, as the start of a launch does.
	AcquireLevels(names []string)
}

// LevelNames implements Barrier.
func (f *Analytic) LevelNames() (list []string) {
	for _, l := range f.levels {
		list = append(list, l.Name)
	}
	return list
}

// ReleaseLevels implements Barrier.
func (f *Analytic) ReleaseLevels(now uint64, names []string) uint64 {
	done := now
	for _, l := range f.levels {
		if slices.Contains(names, l.Name) {
			done = max(done, l.release(now))
		}
	}
	if len(names) == 0 {
		return done
	}
	return f.mem.drain(done)
}

// release writes back a level that is released at a launch's end, and waits for its write buffers.
func (l *level) release(now uint64) uint64 {
	done := max(now, l.writeBuffersEmptyAt)
	if l.ReleaseAtEnd {
		done = max(done, l.writeBackDirty(now))
	}
	return done
}

// AcquireLevels implements Barrier.
func (f *Analytic) AcquireLevels(names []string) {
	for _, l := range f.levels {
		if slices.Contains(names, l.Name) {
			l.boundary()
		}
	}
}

// boundary does what the start of a kernel does to a level.
func (l *level) boundary() {
	switch {
	case l.AcquireAtStart:
		l.each((*cache).dropAtAcquire)
	case !l.writeBack:
		l.each((*cache).invalidate)
	}
}
