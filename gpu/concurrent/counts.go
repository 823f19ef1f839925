package concurrent

import (
	"cmp"
	"slices"

	"spvsim/account"
	"spvsim/engine"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
	"spvsim/simd"
	"spvsim/tracing/probe"
)

// AddLaunches adds what the launches did by step, when all or some have ended, to the counts of all together and to a tally, and returns it by queue.
func (g *Group) AddLaunches(sum *account.Counts, to *account.Tally) (queues []account.HardwareQueue) {
	byStep := map[string][]account.BesideLaunch{}
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
			byStep[l.Step] = append(byStep[l.Step], x)
		}
		h.BusyCycles = busyTime(h.Launches)
		h.KeptBy = slices.DeleteFunc(h.KeptBy, func(k account.KeptBy) bool { return k.Dependence+k.Pipe == 0 })
		queues = append(queues, h)
	}
	for i := range g.own.Steps {
		s := &g.own.Steps[i]
		s.Cycles = busyTime(byStep[s.Name])
		s.Counts.Beside = true
		to.Step(s.Name).Add(&s.Counts)
		sum.Launches, sum.Workgroups, sum.Waves = sum.Launches+s.Launches, sum.Workgroups+s.Workgroups, sum.Waves+s.Waves
		sum.AddParts(&s.Counts)
	}
	sum.Add(&g.did)
	return queues
}

// LaunchCycles is the time in which no launch was on the machine.
func (g *Group) LaunchCycles() uint64 {
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
func (g *Group) times(l *Launch, r *command.Record) account.BesideLaunch {
	x := account.BesideLaunch{Step: l.Step, Packet: r.Head, Ready: r.Ready, Read: r.Read, Opened: r.Opened, Begun: r.Opened, Placed: r.Placed, Done: r.Done}
	if !l.open.None() && l.open.Begun() < engine.Never {
		x.Begun = l.open.Begun()
	}
	for _, m := range l.Traffic.Levels {
		x.Memory = append(x.Memory, account.LaunchTraffic{Level: m.Level, Read: m.Bytes - m.Written, Written: m.Written})
	}
	for _, at := range []*uint64{&x.Packet, &x.Ready, &x.Read, &x.Opened, &x.Begun, &x.Placed, &x.Done} {
		*at -= min(g.begun, *at)
	}
	return x
}

// QueueWaves is how many wave slots each queue holds now.
func (g *Group) QueueWaves() (list []probe.QueueWaves) {
	for _, q := range g.queues {
		list = append(list, probe.QueueWaves{Queue: q.Name, Waves: q.Usage.Waves})
	}
	return list
}

// Trace hands what became of each launch that ended to a tracer.
func (g *Group) Trace(to probe.QueueTracer) {
	var list []probe.QueueLaunch
	for _, q := range g.queues {
		for i := range q.Packets {
			k := &q.Packets[i]
			if k.Timestamp != nil || !g.processor.Records[k.Launch].Ended {
				continue
			}
			l := g.launches[k.Launch]
			x, workgroups := g.times(l, &g.processor.Records[k.Launch]), uint64(0)
			if !l.open.None() {
				workgroups, _, _ = l.open.Progress()
			}
			at := func(cycle uint64) uint64 { return g.begun + cycle }
			list = append(list, probe.QueueLaunch{Queue: q.Name, Name: l.Step, Packet: at(x.Packet), Ready: at(x.Ready), Read: at(x.Read), Opened: at(x.Opened),
				Begun: at(x.Begun), Done: at(x.Done), Workgroups: workgroups, Memory: x.Memory})
		}
	}
	to.QueueLaunches(list)
}

// kept adds up who kept a packet waiting.
func (g *Group) kept(h *account.HardwareQueue, r *command.Record) {
	if r.LastDependency >= 0 {
		h.KeptBy[g.processor.Records[r.LastDependency].Queue].Dependence += r.Ready - min(r.Head, r.Ready)
	}
	for q, n := range r.Pipe {
		h.KeptBy[q].Pipe += n
	}
}

// countLaunch adds what a launch did to its step.
func (g *Group) countLaunch(l *Launch) {
	s := g.own.Step(l.Step)
	s.Add(&l.did)
	if l.open.None() {
		return
	}
	k := l.Work.Kernel()
	if k == nil {
		return // ended
	}
	c := account.Counts{Launches: 1}
	c.Workgroups, _, _ = l.open.Progress()
	c.Waves = c.Workgroups * uint64(k.Resources.Waves)
	l.Work.Count(&c, l.TimedPart())
	if own := l.Codes[0]; g.before[own] != nil { // once
		addIssued(&c, l.Codes, g.before[own])
		delete(g.before, own)
	}
	s.Add(&c)
}

// ended counts a dispatch of a graph that has ended, and runs what of a launch is left that is not timed.
func (g *Group) ended(i int) {
	if g.OnEnd != nil {
		g.OnEnd(i)
		return
	}
	l := g.launches[i]
	l.graphEnds()
	l.rest()
}

// graphEnds counts what a launch did if it is a dispatch of a graph, which has ended or was stopped.
func (l *Launch) graphEnds() {
	if l.Work.Graph() != nil && !l.open.None() {
		l.countGraph(l.group.own.Step(l.Step))
	}
}

// countGraph adds what a dispatch of a graph did: what its nodes issued since it began was its own.
func (l *Launch) countGraph(to *account.Counts) {
	c := account.Counts{Launches: 1}
	addIssued(&c, l.Codes, &l.before)
	l.Work.Count(&c, scheduler.Part{})
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

// addIssued adds what waves of programs issued since before.
func addIssued(to *account.Counts, codes []*simd.Code, before *account.Counts) {
	now := simd.IssuedCounts(codes)
	now.SubtractIssued(before)
	to.Add(&now)
}

// Times are when a launch that has ended was where, from the beginning of all of them on.
func (g *Group) Times(i int) account.BesideLaunch {
	return g.times(g.launches[i], &g.processor.Records[i])
}

// Begun says that a launch has begun.
func (g *Group) Begun(i int) bool { return !g.launches[i].open.None() }

// AddOwn adds what a launch with copies of its code, or a dispatch of a graph, did that has ended.
func (g *Group) AddOwn(i int, to *account.Counts) {
	l := g.launches[i]
	k := l.Work.Kernel()
	if k == nil {
		l.countGraph(to)
		return
	}
	to.Launches = 1
	to.Workgroups, _, _ = l.open.Progress()
	to.Waves = to.Workgroups * uint64(k.Resources.Waves)
	l.returnCopy(to)
}
