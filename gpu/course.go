package gpu

import (
	"spvsim/config"
	"spvsim/internal/lists"
	"spvsim/mem"
)

// A launchList has the launches of a round, in their order. Draws, dispatches of graphs and launches of queues have memory of their own and
// are made before the first cycle. Others are made then to find their errors, and again in their turn, so that many of them take no more
// memory than one.
type launchList struct {
	launches []jobLaunch // made before the first cycle
	lazy     bool        // the others are made in their turn
	count    int         // launches of the job
	modes    []string    // how they run, each once
	steps    []string    // of which they are, each once
	anyTimed bool        // at least one launch is in the job's time window
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

// recordLaunch adds a launch to the modes and steps of the job, before the first cycle.
func (r *runner) recordLaunch(l *jobLaunch) {
	r.count++
	r.modes = lists.AppendNew(r.modes, l.mode)
	r.steps = lists.AppendNew(r.steps, l.step)
	r.anyTimed = r.anyTimed || r.window != nil && r.window.Chooses(l.from)
}

// makeLaunch makes a launch with its work.
func (r *runner) makeLaunch(l *config.Launch) (made jobLaunch, err error) {
	made = jobLaunch{step: stepName(l), once: l.Once, host: l.Copy != nil || l.Synchronize, mode: r.launchMode(l.Mode), from: l}
	if made.host {
		made.mode = config.ModeTimed
	}
	made.work, err = r.makeWork(l)
	return made, err
}

// eachLaunch calls do with each launch of a round, its number and the number of launches.
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
		made.number = i
		return do(i, r.count, &made)
	})
}

// pushPlaces has the addresses of push constants. Launches that are made again in their turn get the addresses of their first time: one
// after the other, except for gaps where other memory was allocated in between.
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

// addressOf returns the address of the next push constants.
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
	p.count, p.next = p.count+1, mem.NextAddress(addr, size)
	return addr, nil
}

// nextRecorded returns the address at which the next push constants were placed before.
func (p *pushPlaces) nextRecorded() uint64 {
	if p.gapsPassed == len(p.gaps) || p.gaps[p.gapsPassed].index > p.count {
		return p.next
	}
	p.gapsPassed++
	return p.gaps[p.gapsPassed-1].addr
}
