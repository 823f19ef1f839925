package gpu

import (
	"fmt"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu/concurrent"
	"spvsim/internal/lists"
	"spvsim/scheduler"
	"spvsim/simd"
	"spvsim/tracing/probe"
)

// A queueWork is the launches of all queues of a job, as one work.
type queueWork struct {
	*concurrent.Launches
	launches         []jobLaunch
	queued           []*concurrent.QueuedLaunch // of launches
	functionalRunner *functionalRunner
	tally            *account.Tally
	queues           []account.HardwareQueue // of the last round
}

// A queuedWork is a work that a queue may hold.
type queuedWork interface {
	launchWork
	concurrent.QueuedWork
}

// concurrentMachine returns the interface of the machine for concurrent launches.
func (u *functionalRunner) concurrentMachine() concurrent.Machine {
	return concurrent.Machine{Machine: u.machine, Functional: func(w concurrent.QueuedWork, p scheduler.WorkgroupRange, warm bool) (*account.Counts, error) {
		return u.run(w.(queuedWork), p, warm)
	}}
}

// prepareQueues makes one launch of all steps in queues.
func (r *runner) prepareQueues() error {
	calls, err := r.setup.Job.QueueCalls()
	if err != nil || len(calls) == 0 {
		return err
	}
	list := r.launches
	g := &queueWork{Launches: concurrent.New(r.functionalRunner.concurrentMachine(), "step"), launches: list, functionalRunner: r.functionalRunner, tally: r.tally}
	if r.window != nil {
		g.Choose = func(i int) (scheduler.WorkgroupRange, bool) { return r.windowOf(&list[i], list[i].work.(residentWork)) }
	}
	for i := range list {
		if err := g.add(&list[i], r.programs); err != nil {
			return err
		}
	}
	countApart(g.queued, r.programs)
	g.MakeCopies()
	from := lists.Map(list, func(j jobLaunch) config.Launch { return *j.from })
	order, _ := config.Order(from)
	if err := g.GraphsInTurn(order); err != nil {
		return err
	}
	if err := g.Queues(calls); err != nil {
		return err
	}
	r.launches = []jobLaunch{{step: "queues", mode: list[0].mode, from: list[0].from, work: g}}
	return nil
}

// add adds a launch, of which all have one mode.
func (g *queueWork) add(l *jobLaunch, p *programs) error {
	switch {
	case l.mode == config.ModeSampled:
		return fmt.Errorf("%w: %s: mode: found sampled: want timed or functional (of launches that overlap, time chooses what is timed), or the launches as steps, one after the other", concurrent.ErrQueues, l.from.Path)
	case l.mode != g.launches[0].mode:
		return fmt.Errorf("%w: %s: mode: found %s: want one mode for all launches of queues, as they overlap", concurrent.ErrQueues, l.from.Path, l.mode)
	case l.once:
		return fmt.Errorf("%w: %s: found once: want no step that runs once in queues, as a round of queues runs as a whole", concurrent.ErrQueues, l.from.Path)
	}
	if err := g.CheckLevels(l.from); err != nil {
		return err
	}
	q := &concurrent.QueuedLaunch{Step: l.step, Kind: l.kind, Path: l.from.Path, OnHost: l.host, Work: l.work.(queuedWork), Codes: p.separate(l),
		Queue: l.from.Queue, WaitsFor: l.from.After, Release: l.from.Release, Acquire: l.from.Acquire}
	g.queued = append(g.queued, q)
	g.Add(q)
	return nil
}

// countApart gives kernel launches that run the same code copies of it, so that they are counted apart where they overlap.
func countApart(list []*concurrent.QueuedLaunch, p *programs) {
	several, of := map[*simd.Code]int{}, map[*simd.Code]*concurrent.Copies{}
	for _, l := range list {
		if k := l.Work.Kernel(); k != nil {
			several[k.Code]++
		}
	}
	for _, l := range list {
		k := l.Work.Kernel()
		if k == nil || several[k.Code] < 2 {
			continue
		}
		if of[k.Code] == nil {
			made := p.copiesOf(k.Code)
			of[k.Code] = &made
		}
		l.Copies = of[k.Code]
	}
}

// separate gives each step code of its own, so that the cost of its instructions is counted apart.
func (p *programs) separate(l *jobLaunch) []*simd.Code {
	k := l.work.(queuedWork).Kernel()
	if k == nil {
		if w, ok := l.work.(*graphWork); ok {
			return w.Codes()
		}
		return nil
	}
	k.Code = p.stepCode(k.Code, l.step)
	return []*simd.Code{k.Code}
}

// timed: what the machine did is known of all launches together; of each, when it ran.
func (g *queueWork) timed(t *timing, step string, p scheduler.WorkgroupRange, follows bool) (*account.Counts, error) {
	g.BeginCounting()
	var c *account.Counts
	err := g.functionalRunner.DuringTimed(func() (err error) {
		c, err = t.run(step, g, p, follows)
		return err
	})
	if c == nil {
		return c, err
	}
	c.Launches = 0
	g.queues = g.AddLaunches(c, g.tally)
	if to, ok := t.machine.Array.Tracer().(probe.QueueTracer); ok {
		g.Trace(to)
	}
	return c, err
}

// functional runs the launches one after the other, in an order that what they wait for allows.
func (g *queueWork) functional(u *functionalRunner, _ scheduler.WorkgroupRange, warm bool) (*account.Counts, error) {
	return g.RunFunctional(func(i int) (*account.Counts, error) {
		l := &g.launches[i]
		c, err := u.run(l.work, allWorkgroups(l.work), warm)
		if c != nil {
			g.tally.Step(l.step).Add(c)
		}
		return c, err
	})
}

// runQueues runs the launches of a job's queues, and counts each step and all of them together.
func (r *runner) runQueues(l *jobLaunch, g *queueWork, follows bool) error {
	var c *account.Counts
	var err error
	if l.mode == config.ModeFunctional {
		c, err = g.functional(r.functionalRunner, scheduler.WorkgroupRange{}, false)
	} else {
		r.timing.beginCheck(g, l.step)
		c, err = g.timed(r.timing, l.step, scheduler.WorkgroupRange{}, follows)
		if err == nil {
			g.FindHazards(r.programs.warn)
		}
	}
	if c != nil {
		r.tally.AddConcurrent(c)
		r.queues = g.queues
	}
	return err
}
