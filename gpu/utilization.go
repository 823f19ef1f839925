package gpu

import (
	"fmt"

	"spvsim/account"
	"spvsim/config"
	"spvsim/mem/hierarchy"
	"spvsim/simd"
	"spvsim/tracing"
)

// sharedParts names the units that the SIMDs of a compute unit share.
var sharedParts = map[string]string{"vmem": "address_path", "smem": "scalar_path", "lds": "lds"}

// addUtilization adds to the statistics the share of the peak that each part of the machine reached, in the order from issue to memory. The
// time is that of the launches without their costs. Runs that are not timed as a whole have none.
func addUtilization(s *tracing.Stats, p *programs) {
	c := &s.Counts
	for _, l := range p.order {
		for i := range l.code.Counts {
			s.AtInstructions.Add(&l.code.Counts[i].Cycles)
		}
	}
	cycles := workingCycles(s)
	if cycles == 0 || c.Estimate != nil || c.Functional != nil {
		return
	}
	u := &utilization{m: p.machine, cycles: float64(cycles), unitCycles: float64(c.UnitCycles)}
	var work simd.Work
	for _, l := range p.order {
		work.AddWork(l.code, &u.m.Issue)
	}
	u.addUnits(&work)
	for i := range c.Memory {
		u.addLevel(&c.Memory[i], &c.Links[i])
	}
	s.Utilization = u.list
}

// workingCycles returns the cycles of launches of workgroups, without launch costs. Transfers have launch costs too.
func workingCycles(s *tracing.Stats) (cycles uint64) {
	if s.Queues != nil {
		return s.WorkCycles - min(s.LaunchCycles, s.WorkCycles)
	}
	for i := range s.Steps {
		c := &s.Steps[i].Counts
		cycles += c.WorkCycles - min(c.LaunchCycles, c.WorkCycles)
	}
	return cycles
}

// A utilization collects the shares of a machine's parts over some cycles.
type utilization struct {
	m          *config.Machine
	cycles     float64
	unitCycles float64 // of compute units with a workgroup
	list       []tracing.Utilization
}

// add adds a part that was used for so long, of which the machine has so many. Parts that it does not have are left out.
func (u *utilization) add(part string, used, parts float64, peak string, values ...any) {
	if parts > 0 {
		share := used / (parts * u.cycles)
		u.list = append(u.list, tracing.Utilization{Part: part, Share: share, Active: share, Peak: fmt.Sprintf(peak, values...)})
	}
}

// addOfUnits adds a part of which each compute unit has so many.
func (u *utilization) addOfUnits(part string, used, ofUnit float64, peak string, values ...any) {
	u.add(part, used, ofUnit*float64(u.m.Units()), peak, values...)
	if n := len(u.list); u.unitCycles > 0 {
		u.list[n-1].Active = used / (ofUnit * u.unitCycles)
	}
}

func (u *utilization) addUnits(w *simd.Work) {
	simds, units := float64(u.m.SIMDs), float64(u.m.Units())
	width := float64(u.m.Issue.Width)
	u.addOfUnits("issue", float64(w.Issue), simds*width, "%g instructions a cycle", units*simds*width/float64(u.m.Issue.Cadence))
	for i, name := range simd.UnitNames() {
		n := &w.Units[i]
		if part := sharedParts[name]; part != "" {
			u.addOfUnits(part, float64(n.Shared), 1, "%g, one for each compute unit", units)
			if n.Turns > 0 {
				u.addOfUnits(name+"_exchange", float64(n.Turns), simds, "%g SIMDs", units*simds)
			}
		} else if n.Instructions > 0 {
			u.addOfUnits(name, float64(n.Turns)+float64(n.Shared)*simds, simds, "%g, one for each SIMD", units*simds)
		}
	}
}

// addLevel adds a level of memory, by the time that its bytes take, and its links to the next level.
func (u *utilization) addLevel(l *account.LevelCounts, links *account.LinkBytes) {
	bytes := float64(l.Bytes)
	switch c := u.m.Level(l.Name); {
	case c != nil:
		all, _ := u.m.Instances(c.SharedBy)
		n := float64(all)
		t := hierarchy.NewLevelTiming(c, u.m.ClockMHz)
		writeRate := t.Bandwidth
		if c.WriteRate > 0 {
			writeRate *= c.WriteRate / c.BytesPerCycle
		}
		slices := n * float64(c.Slices)
		time := (bytes-float64(l.Written))/t.Bandwidth + float64(l.Written)/writeRate
		if c.SharedBy == 1 {
			u.addOfUnits(l.Name, time, float64(c.Slices), "%.4g bytes a cycle", slices*t.Bandwidth)
		} else {
			u.add(l.Name, time, slices, "%.4g bytes a cycle", slices*t.Bandwidth)
		}
		rates := u.m.LinkBandwidths(l.Name, u.m.ClockMHz)
		u.addLink(l.Name+"_link_read", float64(links.Read), n, rates[hierarchy.Read])
		u.addLink(l.Name+"_link_write", float64(links.Written), n, rates[hierarchy.Write])
		u.addLink(l.Name+"_link", float64(links.Read+links.Written), n, rates[hierarchy.BothDirections])
	case l.Name == "memory":
		m := u.m.Memory.InCycles(u.m.ClockMHz)
		u.add(l.Name, bytes/m.BytesPerCycle, float64(m.Channels), "%.4g bytes a cycle", m.BytesPerCycle*float64(m.Channels))
	case l.Name == "translation" && u.m.Translation.Walkers > 0:
		all, _ := u.m.Instances(u.m.Translation.SharedBy)
		walkers := float64(all * u.m.Translation.Walkers)
		u.add(l.Name, float64(l.Misses)*float64(u.m.Translation.WalkCycles), walkers, "%g walkers", walkers)
	case l.Name == "payloads":
		u.add(l.Name, bytes/u.m.Queue.PayloadBandwidth, 1, "%.4g bytes a cycle", u.m.Queue.PayloadBandwidth)
	}
}

func (u *utilization) addLink(name string, bytes, links, rate float64) {
	if rate > 0 {
		u.add(name, bytes/rate, links, "%.4g bytes a cycle", links*rate)
	}
}
