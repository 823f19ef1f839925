package gpu

import (
	"context"
	"errors"
	"fmt"
	"time"

	"spvsim/account"
	"spvsim/config"
)

// errCap reports a run whose power can't be limited.
var errCap = errors.New("energy.cap: on")

// UnderLimit returns the machine of a setup with the clock that energy.cap leaves it: without a cap the machine itself,
// else one with the highest clock at which no window of the last round takes more than the limit on average. It runs the
// job at each clock that it tries, without tracers; the caller makes its tracers for the machine that it gets.
func UnderLimit(ctx context.Context, s Setup) (*config.Machine, error) {
	m := s.Machine
	if m.Energy.Cap != "on" || m.FullClockMHz != 0 {
		return m, nil
	}
	if err := m.Validate(); err != nil {
		return nil, inputError(err)
	}
	trial := Setup{Job: s.Job, MaxCycles: s.MaxCycles, MaxHostSeconds: s.MaxHostSeconds, Mode: s.Mode, Time: s.Time, Threads: s.Threads, Lower: s.Lower}
	clocks := m.Energy.Clocks(m.ClockMHz)
	at := func(i int) *config.Machine {
		out := *m
		out.ClockMHz, out.FullClockMHz = clocks[i], m.ClockMHz
		return &out
	}
	within := func(i int, c *account.Counts) bool {
		e := at(i).Energies()
		return e.Watts(e.Compute(c).Total(), c.Cycles) <= m.Energy.LimitWatts
	}
	fits, exceeds := -1, len(clocks)
	for i := exceeds - 1; exceeds-fits > 1; {
		trial.Machine = at(i)
		hottest, err := hottestWindow(ctx, trial)
		if err != nil {
			return nil, err
		}
		if within(i, hottest) {
			fits = i
		} else {
			exceeds = i
		}
		for i = exceeds - 1; i > fits+1 && !within(i, hottest); i-- { // as if cycles did not depend on the clock
		}
	}
	if fits < 0 {
		return nil, inputError(fmt.Errorf("%w: a launch takes more than energy.limit_watts, %g W, at the lowest clock of energy.voltage too, %d MHz",
			errCap, m.Energy.LimitWatts, clocks[0]))
	}
	return at(fits), nil
}

// hottestWindow runs a job and returns the counts of the window of its last round that took most power.
func hottestWindow(ctx context.Context, s Setup) (*account.Counts, error) {
	begin := time.Now()
	r, err := preparedRunner(ctx, s)
	if err != nil {
		return nil, err
	}
	r.guard.started = begin
	windows := &account.PowerWindows{Least: uint64(s.Machine.Energy.Governor * float64(s.Machine.ClockMHz)), Watts: r.tally.Watts}
	r.tally.Windows = windows
	if err := r.runRounds(); err != nil {
		return nil, err
	}
	if c := &r.stats(0).Counts; c.Estimate != nil || c.Functional != nil && !c.Untimed() {
		return nil, inputError(fmt.Errorf("%w: found a run of which a part is timed: want mode timed or functional", errCap))
	}
	return windows.Hottest(), nil
}
