package gpu

import (
	"slices"

	"spvsim/config"
	"spvsim/mem"
)

// A launchList is the launches of a round, in their order. Draws and dispatches of graphs have memory of their own and are made before the
// first cycle, and so is all that waits in queues. Others are made once then, so that what is wrong with them is known, and
// again when their turn comes: many of them take no more memory than one.
type launchList struct {
	launches []jobLaunch // made before the first cycle
	lazy     bool        // the others are made in their turn
	count    int         // launches of the job
	modes    []string    // how they run, each once
	steps    []string    // of which they are, each once
	anyTimed bool        // one is timed, where the job says which are
}

// prepareLaunches makes a work of each launch: programs are lowered, resources bound.
func (r *runner) prepareLaunches() error {
	r.lazy = len(r.setup.Job.Queues) == 0
	return r.setup.Job.EachLaunch(func(l *config.Launch) error {
		again := r.lazy && l.Draw == nil && len(l.Graph) == 0
		r.resources.pushes.recording = again
		made, err := r.makeLaunch(l)
		if err != nil {
			return err
		}
		made.number = r.count
		if r.recordLaunch(&made); !again {
			r.launches = append(r.launches, made)
		}
		return nil
	})
}

// recordLaunch takes down what is known of all launches before the first cycle.
func (r *runner) recordLaunch(l *jobLaunch) {
	r.count++
	if !slices.Contains(r.modes, l.mode) {
		r.modes = append(r.modes, l.mode)
	}
	if !slices.Contains(r.steps, l.step) {
		r.steps = append(r.steps, l.step)
	}
	r.anyTimed = r.anyTimed || r.window != nil && r.window.Chooses(l.from)
}

// makeLaunch is a launch with its work.
func (r *runner) makeLaunch(l *config.Launch) (made jobLaunch, err error) {
	made = jobLaunch{step: stepName(l), once: l.Once, host: l.Copy != nil || l.Synchronize, mode: r.launchMode(l.Mode), from: l}
	if made.host {
		made.mode = config.ModeTimed
	}
	made.work, err = r.makeWork(l)
	return made, err
}

// eachLaunch hands the launches of a round on, with their number and how many there are.
func (r *runner) eachLaunch(do func(i, of int, l *jobLaunch) error) error {
	list := r.launches
	if !r.lazy {
		for i := range list {
			if err := do(i, len(list), &list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	r.resources.pushes.beginReplay()
	i := -1
	return r.setup.Job.EachLaunch(func(l *config.Launch) error {
		if i++; len(list) > 0 && list[0].number == i {
			first := &list[0]
			list = list[1:]
			return do(i, r.count, first)
		}
		made, err := r.makeLaunch(l)
		if err != nil {
			return err
		}
		return do(i, r.count, &made)
	})
}

// pushPlaces are where the push constants of launches lie. Those of launches that are made again lie where they did: one after the other, but
// for gaps where other memory was taken in between.
type pushPlaces struct {
	store      *mem.Store
	recording  bool // what is placed now is placed again later
	replaying  bool
	count      int    // that were noted, or placed again
	next       uint64 // where the next one lies without a gap
	gaps       []gap
	gapsPassed int // gaps
}

// A gap lies before push constants, which are at an address.
type gap struct {
	index int
	addr  uint64
}

// beginReplay begins to place again what was noted.
func (p *pushPlaces) beginReplay() { p.replaying, p.count, p.next, p.gapsPassed = true, 0, 0, 0 }

// addressOf is where push constants lie.
func (p *pushPlaces) addressOf(bytes int) (addr uint64, err error) {
	size := max(1, uint64(bytes))
	if p.replaying {
		addr = p.nextRecorded()
	} else {
		b, err := p.store.Reserve(size, "push constants")
		if err != nil {
			return 0, err
		}
		if addr = b.Addr; !p.recording {
			return addr, nil
		}
		if addr != p.next {
			p.gaps = append(p.gaps, gap{p.count, addr})
		}
	}
	p.count, p.next = p.count+1, mem.After(addr, size)
	return addr, nil
}

// nextRecorded is where the next ones were placed.
func (p *pushPlaces) nextRecorded() uint64 {
	if p.gapsPassed == len(p.gaps) || p.gaps[p.gapsPassed].index > p.count {
		return p.next
	}
	p.gapsPassed++
	return p.gaps[p.gapsPassed-1].addr
}
