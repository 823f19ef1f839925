package gpu

import (
	"cmp"
	"slices"

	"spvsim/account"
	"spvsim/engine"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
	"spvsim/tracing/probe"
)

// beside runs the launches of a job's queues, and counts each step and all of them together.
func (r *runner) beside(l *launch, g *group, follows bool) error {
	var c *account.Counts
	var err error
	if l.mode == "functional" {
		c, err = g.functional(r.untimed, scheduler.Part{}, false)
	} else {
		c, err = g.timed(r.timing, l.step, scheduler.Part{}, follows)
		if err == nil {
			g.findHazards(r.programs.warn)
		}
	}
	if c != nil {
		r.tally.AddConcurrent(c)
		r.queues = g.beside
	}
	return err
}

// tell counts what the launches did, by step and by queue, when all or some have ended.
func (g *group) tell(sum *account.Counts) {
	byStep := map[string][]account.BesideLaunch{}
	g.beside = nil
	for _, q := range g.queues {
		h := account.HardwareQueue{Name: q.Name, Pipe: q.Pipe, Priority: command.Priorities[q.Priority], SlotCycles: q.Usage.Cycles}
		for k := range g.queues {
			h.KeptBy = append(h.KeptBy, account.KeptBy{Queue: g.queues[k].Name})
		}
		for k := range q.Packets {
			l, rec := g.launches[q.Packets[k].Launch], &g.processor.Records[q.Packets[k].Launch]
			if !rec.Ended {
				l.graphEnds()
				continue
			}
			x := g.times(l, rec)
			h.Launches = append(h.Launches, x)
			h.LimitCycles += rec.Limit()
			g.kept(&h, rec)
			g.countLaunch(l)
			byStep[l.step] = append(byStep[l.step], x)
		}
		h.BusyCycles = busyTime(h.Launches)
		h.KeptBy = slices.DeleteFunc(h.KeptBy, func(k account.KeptBy) bool { return k.Dependence+k.Pipe == 0 })
		g.beside = append(g.beside, h)
	}
	for i := range g.own.Steps {
		s := &g.own.Steps[i]
		s.Cycles = busyTime(byStep[s.Name])
		s.Counts.Beside = true
		g.tally.Step(s.Name).Add(&s.Counts)
		sum.Launches, sum.Workgroups, sum.Waves = sum.Launches+s.Launches, sum.Workgroups+s.Workgroups, sum.Waves+s.Waves
		sum.AddParts(&s.Counts)
	}
	sum.Add(&g.did)
}

// LaunchCycles is the time in which no launch was on the machine.
func (g *group) LaunchCycles() uint64 {
	var list []account.BesideLaunch
	end := uint64(0)
	for i, l := range g.launches {
		if r := &g.processor.Records[i]; r.Ended {
			x := g.times(l, r)
			end = max(end, x.Done)
			if x.Begun = x.Opened; !l.open.None() {
				x.Done -= min(l.open.FloorCycles(), x.Done)
			}
			list = append(list, x)
		}
	}
	return end - min(busyTime(list), end)
}

// times are those of a launch, from the beginning of all of them on.
func (g *group) times(l *besideLaunch, r *command.Record) account.BesideLaunch {
	x := account.BesideLaunch{Step: l.step, Packet: r.Head, Ready: r.Ready, Read: r.Read, Opened: r.Opened, Begun: r.Opened, Placed: r.Placed, Done: r.Done}
	if !l.open.None() && l.open.Begun() < engine.Never {
		x.Begun = l.open.Begun()
	}
	for _, m := range l.traffic.Levels {
		x.Memory = append(x.Memory, account.LaunchTraffic{Level: m.Level, Read: m.Bytes - m.Written, Written: m.Written})
	}
	for _, at := range []*uint64{&x.Packet, &x.Ready, &x.Read, &x.Opened, &x.Begun, &x.Placed, &x.Done} {
		*at -= min(g.begun, *at)
	}
	return x
}

// waves are how many wave slots each queue holds now.
func (g *group) waves() (list []probe.QueueWaves) {
	for _, q := range g.queues {
		list = append(list, probe.QueueWaves{Queue: q.Name, Waves: q.Usage.Waves})
	}
	return list
}

// trace hands what became of each launch that ended to a tracer.
func (g *group) trace(to probe.QueueTracer) {
	var list []probe.QueueLaunch
	for _, q := range g.queues {
		for i := range q.Packets {
			k := &q.Packets[i]
			if k.Mark != nil || !g.processor.Records[k.Launch].Ended {
				continue
			}
			l := g.launches[k.Launch]
			x, workgroups := g.times(l, &g.processor.Records[k.Launch]), uint64(0)
			if !l.open.None() {
				workgroups, _, _ = l.open.Progress()
			}
			at := func(cycle uint64) uint64 { return g.begun + cycle }
			list = append(list, probe.QueueLaunch{Queue: q.Name, Name: l.step, Packet: at(x.Packet), Ready: at(x.Ready), Read: at(x.Read), Opened: at(x.Opened),
				Begun: at(x.Begun), Done: at(x.Done), Workgroups: workgroups, Memory: x.Memory})
		}
	}
	to.QueueLaunches(list)
}

// kept adds up who kept a packet waiting.
func (g *group) kept(h *account.HardwareQueue, r *command.Record) {
	if r.KeptBy >= 0 {
		h.KeptBy[g.processor.Records[r.KeptBy].Queue].Dependence += r.Ready - min(r.Head, r.Ready)
	}
	for q, n := range r.Pipe {
		h.KeptBy[q].Pipe += n
	}
}

// countLaunch adds what a launch did to its step.
func (g *group) countLaunch(l *besideLaunch) {
	s := g.own.Step(l.step)
	s.Add(&l.did)
	if l.open.None() {
		return
	}
	k := l.kernel()
	if k == nil {
		return // ended
	}
	c := account.Counts{Launches: 1}
	c.Workgroups, _, _ = l.open.Progress()
	c.Waves = c.Workgroups * uint64(k.Need.Waves)
	l.work.Count(&c, l.timedPart())
	if own := l.codes[0]; g.before[own] != nil { // once
		addIssued(&c, l.codes, g.before[own])
		delete(g.before, own)
	}
	s.Add(&c)
}

// ended counts a dispatch of a graph that has ended, and runs what of a launch is left that is not timed.
func (g *group) ended(i int) {
	l := g.launches[i]
	l.graphEnds()
	l.rest()
}

// graphEnds counts what a launch did if it is a dispatch of a graph, which has ended or was stopped.
func (l *besideLaunch) graphEnds() {
	if l.graph() != nil && !l.open.None() {
		l.countGraph(l.group.own.Step(l.step))
	}
}

// countGraph adds what a dispatch of a graph did: what its nodes issued since it began was its own.
func (l *besideLaunch) countGraph(to *account.Counts) {
	c := account.Counts{Launches: 1}
	addIssued(&c, l.codes, &l.graph().before)
	l.work.Count(&c, scheduler.Part{})
	to.Add(&c)
}

// busyTime is the number of cycles in which at least one launch was on the machine.
func busyTime(list []account.BesideLaunch) uint64 {
	return account.BusyTime(byBegin(list))
}

// byBegin is the launches in the order in which they began.
func byBegin(list []account.BesideLaunch) []account.BesideLaunch {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b account.BesideLaunch) int { return cmp.Compare(a.Begun, b.Begun) })
	return list
}
