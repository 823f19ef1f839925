package cu

import "spvsim/account"

// An activity counts the cycles for which a part of the machine is not gated: while it has work, and for a time after it.
type activity struct {
	gate  uint64 // cycles from the end of work until the part is gated
	works int    // that it has now
	since uint64 // cycle in which the work began, or ended
	on    uint64 // cycles up to since
	used  bool   // it had work once
}

func (a *activity) begin(now uint64) {
	if a.works == 0 {
		a.on, a.since, a.used = a.at(now), now, true
	}
	a.works++
}

func (a *activity) end(now uint64) {
	if a.works--; a.works == 0 {
		a.on, a.since = a.on+now-a.since, now
	}
}

// at returns the cycles up to now.
func (a *activity) at(now uint64) uint64 {
	passed := now - min(a.since, now)
	switch {
	case a.works > 0:
		return a.on + passed
	case a.used:
		return a.on + min(passed, a.gate)
	}
	return 0
}

// On returns the cycles for which compute units and shader engines were not gated, up to cycle now.
func (a *ComputeUnits) On(now uint64) (c account.OnCycles) {
	for _, u := range a.Units {
		c.Units += u.activity.at(now)
	}
	for _, e := range a.engines {
		c.Engines += e.at(now)
	}
	return c
}
