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

// AddLaunches adds the counts of the launches by step, when all or some have ended, to the sum of all and to a tally. It returns them by queue.
func (g *Launches) AddLaunches(sum *account.Counts, to *account.Tally) (queues []account.HardwareQueue) {
	for _, l := range g.launches { // those that were stopped
		l.foldCopy()
	}
	byStep := map[string][]account.ConcurrentLaunch{}
	for _, q := range g.queues {
		h := account.HardwareQueue{Name: q.Name, Pipe: q.Pipe, Priority: command.Priorities[q.Priority], SlotCycles: q.Usage.Cycles}
		for k := range g.queues {
			h.Delays = append(h.Delays, account.QueueDelay{Queue: g.queues[k].Name})
		}
		for k := range q.Packets {
			l, rec := g.launches[q.Packets[k].Launch], &g.processor.Records[q.Packets[k].Launch]
			if !rec.Completed {
				l.countGraphEnd()
				continue
			}
			x := g.launchTimes(l, rec)
			h.Launches = append(h.Launches, x)
			h.LimitCycles += rec.LimitWait()
			g.addWaitCauses(&h, rec)
			g.countLaunch(l)
			byStep[l.Step] = append(byStep[l.Step], x)
		}
		h.BusyCycles = busyTime(h.Launches)
		h.Delays = slices.DeleteFunc(h.Delays, func(k account.QueueDelay) bool { return k.Dependence+k.Pipe == 0 })
		addOfLaunches(&h)
		queues = append(queues, h)
	}
	for i := range g.stepTally.Steps {
		s := &g.stepTally.Steps[i]
		s.Cycles = busyTime(byStep[s.Name])
		s.Counts.Concurrent = true
		to.Step(s.Name).Add(&s.Counts)
		sum.Launches, sum.Workgroups, sum.Waves = sum.Launches+s.Launches, sum.Workgroups+s.Workgroups, sum.Waves+s.Waves
		sum.AddParts(&s.Counts)
	}
	sum.Add(&g.functionalCounts)
	return queues
}

// LaunchCycles returns the number of cycles without a resident launch.
func (g *Launches) LaunchCycles() uint64 {
	var list []account.ConcurrentLaunch
	end := uint64(0)
	for i, l := range g.launches {
		if r := &g.processor.Records[i]; r.Completed {
			x := g.launchTimes(l, r)
			end = max(end, x.Done)
			if x.FirstPlaced = x.Dispatched; !l.dispatched.None() {
				x.Done -= min(l.dispatched.FloorCycles(), x.Done)
			}
			list = append(list, x)
		}
	}
	return end - min(busyTime(list), end)
}

// launchTimes returns the cycles of a launch, relative to the beginning of the group.
func (g *Launches) launchTimes(l *QueuedLaunch, r *command.Record) account.ConcurrentLaunch {
	x := account.ConcurrentLaunch{Step: l.Step, Packet: r.HeadAt, Ready: r.ReadyAt, Read: r.ReadAt, Dispatched: r.DispatchedAt, FirstPlaced: r.DispatchedAt, LastPlaced: r.AllPlacedAt, Done: r.DoneAt}
	if !l.dispatched.None() && l.dispatched.FirstPlacedAt() < engine.Never {
		x.FirstPlaced = l.dispatched.FirstPlacedAt()
	}
	for _, m := range l.Traffic.Levels {
		x.Memory = append(x.Memory, account.LaunchTraffic{Level: m.Level, Read: m.Bytes - m.Written, Written: m.Written,
			Accesses: m.Accesses, Hits: m.Hits, Misses: m.Misses, FullCycles: m.QueueFullCycles})
	}
	x.Waits = l.list
	for _, at := range []*uint64{&x.Packet, &x.Ready, &x.Read, &x.Dispatched, &x.FirstPlaced, &x.LastPlaced, &x.Done} {
		*at -= min(g.start, *at)
	}
	return x
}

// QueueWaves returns the number of wave slots that each queue holds now.
func (g *Launches) QueueWaves() (list []probe.QueueWaves) {
	for _, q := range g.queues {
		list = append(list, probe.QueueWaves{Queue: q.Name, Waves: q.Usage.Waves})
	}
	return list
}

// Trace hands the cycles of all launches that ended to a tracer.
func (g *Launches) Trace(to probe.QueueTracer) {
	var list []probe.QueueLaunch
	for _, q := range g.queues {
		for i := range q.Packets {
			k := &q.Packets[i]
			if k.Timestamp != nil || !g.processor.Records[k.Launch].Completed {
				continue
			}
			l := g.launches[k.Launch]
			x, workgroups := g.launchTimes(l, &g.processor.Records[k.Launch]), uint64(0)
			if !l.dispatched.None() {
				workgroups, _, _ = l.dispatched.Progress()
			}
			at := func(cycle uint64) uint64 { return g.start + cycle }
			list = append(list, probe.QueueLaunch{Queue: q.Name, Name: l.Step, Packet: at(x.Packet), Ready: at(x.Ready), Read: at(x.Read), Dispatched: at(x.Dispatched),
				FirstPlaced: at(x.FirstPlaced), Done: at(x.Done), Workgroups: workgroups, Memory: x.Memory, Waits: x.Waits})
		}
	}
	to.QueueLaunches(list)
}

// addWaitCauses adds up the cycles that a packet waited, by the queue that caused it.
func (g *Launches) addWaitCauses(h *account.HardwareQueue, r *command.Record) {
	if r.LastDependency >= 0 {
		h.Delays[g.processor.Records[r.LastDependency].Queue].Dependence += r.ReadyAt - min(r.HeadAt, r.ReadyAt)
	}
	for q, n := range r.PipeWaits {
		h.Delays[q].Pipe += n
	}
}

// countLaunch adds the counts of a launch to its step.
func (g *Launches) countLaunch(l *QueuedLaunch) {
	s := g.stepTally.Step(l.Step)
	s.Add(&l.counts)
	if l.dispatched.None() {
		return
	}
	k := l.Work.Kernel()
	if k == nil {
		return // ended
	}
	c := account.Counts{Launches: 1}
	c.Workgroups, _, _ = l.dispatched.Progress()
	c.Waves = c.Workgroups * uint64(k.Resources.Waves)
	l.Work.Count(&c, l.TimedPart())
	if own := l.Codes[0]; g.issuedBefore[own] != nil { // once
		addIssued(&c, l.Codes, g.issuedBefore[own])
		delete(g.issuedBefore, own)
	}
	s.Add(&c)
}

// launchEnded counts a dispatch of a graph that has ended, and runs the rest of a launch that is not timed.
func (g *Launches) launchEnded(i int) {
	g.launches[i].endWaits()
	if g.OnEnd != nil {
		g.OnEnd(i)
		return
	}
	l := g.launches[i]
	l.foldCopy()
	l.countGraphEnd()
	l.runRemainder()
}

// countGraphEnd counts a dispatch of a graph that has ended or was stopped; nothing for other launches.
func (l *QueuedLaunch) countGraphEnd() {
	if l.Work.Graph() != nil && !l.dispatched.None() {
		l.countGraph(l.all.stepTally.Step(l.Step))
	}
}

// countGraph adds the counts of a dispatch of a graph: its nodes issued nothing else since it began.
func (l *QueuedLaunch) countGraph(to *account.Counts) {
	c := account.Counts{Launches: 1}
	addIssued(&c, l.Codes, &l.issuedBefore)
	l.Work.Count(&c, scheduler.WorkgroupRange{})
	to.Add(&c)
}

// busyTime returns the number of cycles with a resident launch.
func busyTime(list []account.ConcurrentLaunch) uint64 {
	return account.BusyTime(byBegin(list))
}

// byBegin returns the launches in the order in which they began.
func byBegin(list []account.ConcurrentLaunch) []account.ConcurrentLaunch {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b account.ConcurrentLaunch) int { return cmp.Compare(a.FirstPlaced, b.FirstPlaced) })
	return list
}

// addIssued adds the instructions that waves of programs issued since before.
func addIssued(to *account.Counts, codes []*simd.Code, before *account.Counts) {
	now := simd.IssuedCounts(codes)
	now.SubtractIssued(before)
	to.Add(&now)
}

// Times returns the cycles of a launch that has ended, relative to the beginning of the group.
func (g *Launches) Times(i int) account.ConcurrentLaunch {
	return g.launchTimes(g.launches[i], &g.processor.Records[i])
}

func (g *Launches) HasBegun(i int) bool { return !g.launches[i].dispatched.None() }

// AddOwn adds the counts of a launch that has ended: one with copies of its code, or a dispatch of a graph.
func (g *Launches) AddOwn(i int, to *account.Counts) {
	l := g.launches[i]
	k := l.Work.Kernel()
	if k == nil {
		l.countGraph(to)
		return
	}
	to.Launches = 1
	to.Workgroups, _, _ = l.dispatched.Progress()
	to.Waves = to.Workgroups * uint64(k.Resources.Waves)
	l.returnCopy(to)
}
