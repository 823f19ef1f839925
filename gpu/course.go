package gpu

import (
	"slices"

	"spvsim/config"
	"spvsim/mem"
)

// A course is the launches of a round, in their order. Draws and dispatches of graphs have memory of their own and are made before the
// first cycle, and so is all that waits in queues. Others are made once then, so that what is wrong with them is known, and
// again when their turn comes: many of them take no more memory than one.
type course struct {
	launches []launch // made before the first cycle
	inTurn   bool     // the others are made in their turn
	count    int      // launches of the job
	modes    []string // how they run, each once
	steps    []string // of which they are, each once
	chosen   bool     // one is timed, where the job says which are
}

// prepare makes a work of each launch: programs are lowered, resources bound.
func (r *runner) prepare() error {
	r.inTurn = len(r.setup.Job.Queues) == 0
	return r.setup.Job.EachLaunch(func(l *config.Launch) error {
		again := r.inTurn && l.Draw == nil && len(l.Graph) == 0
		r.resources.pushes.noted = again
		made, err := r.made(l)
		if err != nil {
			return err
		}
		made.number = r.count
		if r.note(&made); !again {
			r.launches = append(r.launches, made)
		}
		return nil
	})
}

// note takes down what is known of all launches before the first cycle.
func (r *runner) note(l *launch) {
	r.count++
	if !slices.Contains(r.modes, l.mode) {
		r.modes = append(r.modes, l.mode)
	}
	if !slices.Contains(r.steps, l.step) {
		r.steps = append(r.steps, l.step)
	}
	r.chosen = r.chosen || r.window != nil && r.window.Chooses(l.from)
}

// made is a launch with its work.
func (r *runner) made(l *config.Launch) (made launch, err error) {
	made = launch{step: stepName(l), once: l.Once, host: l.Copy != nil || l.Synchronize, mode: r.mode(l.Mode), from: l}
	if made.host {
		made.mode = config.ModeTimed
	}
	made.work, err = r.work(l)
	return made, err
}

// each hands the launches of a round on, with their number and how many there are.
func (r *runner) each(do func(i, of int, l *launch) error) error {
	list := r.launches
	if !r.inTurn {
		for i := range list {
			if err := do(i, len(list), &list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	r.resources.pushes.begin()
	i := -1
	return r.setup.Job.EachLaunch(func(l *config.Launch) error {
		if i++; len(list) > 0 && list[0].number == i {
			first := &list[0]
			list = list[1:]
			return do(i, r.count, first)
		}
		made, err := r.made(l)
		if err != nil {
			return err
		}
		return do(i, r.count, &made)
	})
}

// pushes are where the push constants of launches lie. Those of launches that are made again lie where they did: one after the other, but
// for gaps where other memory was taken in between.
type pushes struct {
	store *mem.Store
	noted bool // what is placed now is placed again later
	again bool
	count int    // that were noted, or placed again
	next  uint64 // where the next one lies without a gap
	gaps  []gap
	past  int // gaps
}

// A gap lies before push constants, which are at an address.
type gap struct {
	before int
	addr   uint64
}

// begin begins to place again what was noted.
func (p *pushes) begin() { p.again, p.count, p.next, p.past = true, 0, 0, 0 }

// place is where push constants lie.
func (p *pushes) place(bytes int) (addr uint64, err error) {
	size := max(1, uint64(bytes))
	if p.again {
		addr = p.find()
	} else {
		b, err := p.store.Reserve(size, "push constants")
		if err != nil {
			return 0, err
		}
		if addr = b.Addr; !p.noted {
			return addr, nil
		}
		if addr != p.next {
			p.gaps = append(p.gaps, gap{p.count, addr})
		}
	}
	p.count, p.next = p.count+1, mem.After(addr, size)
	return addr, nil
}

// find is where the next ones were placed.
func (p *pushes) find() uint64 {
	if p.past == len(p.gaps) || p.gaps[p.past].before > p.count {
		return p.next
	}
	p.past++
	return p.gaps[p.past-1].addr
}
