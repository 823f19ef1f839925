package cu

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/config"
	"spvsim/simd"
)

// ErrLimit says that the run reached its limit of cycles.
var ErrLimit = errors.New("cu: cycle limit reached")

const (
	never = simd.Never
	// horizon is how many cycles ahead a unit's next cycle can be kept. Units
	// that sleep for longer are looked at once a horizon, and sleep on.
	horizon = 1024
	// checkEvery is the number of events between two looks at the context.
	checkEvery = 1 << 12
)

// Parts are what a compute unit needs from outside.
type Parts struct {
	Memory Memory
	LDS    LDS
	fetch  *fetch
}

// A Cluster holds all compute units and works through the cycles in which
// something can happen, in each the units by index. A wheel of bit sets, one a
// cycle, says which units have work in which cycle.
type Cluster struct {
	component
	Units []*ComputeUnit

	engine    sim.Engine
	freq      sim.Freq
	listener  Listener
	pool      *simd.Pool
	spare     []*tick
	scheduled uint64 // cycle of the next event that is not stale

	running bool

	words int                  // of a bit set
	wheel []uint64             // horizon bit sets
	busy  [horizon / 64]uint64 // bit sets that are not empty

	ctx       context.Context
	maxCycles uint64
	events    uint64
	err       error
}

// A Spec says which cluster to build.
type Spec struct {
	Machine  *config.Machine
	Engine   sim.Engine
	Listener Listener
	// Parts makes the memory and LDS of a unit, by its engine and its index there.
	Parts func(engine, unit int) (Parts, error)
}

// New builds the compute units of a machine.
func New(spec Spec) (*Cluster, error) {
	m := spec.Machine
	n := m.ShaderEngines * m.ComputeUnits
	c := &Cluster{
		component: newComponent("Cluster"), engine: spec.Engine, freq: sim.Freq(m.ClockMHz) * sim.MHz,
		listener: spec.Listener, pool: simd.NewPool(64), scheduled: never,
		words: (n + 63) / 64, ctx: context.Background(), maxCycles: never,
	}
	c.wheel = make([]uint64, horizon*c.words)
	var caches []*fetch
	for i := range n {
		engine, unit := i/m.ComputeUnits, i%m.ComputeUnits
		parts, err := spec.Parts(engine, unit)
		if err != nil {
			return nil, err
		}
		k := fetchIndex(&m.Fetch, engine, unit, m.ComputeUnits)
		for len(caches) <= k {
			caches = append(caches, newFetch(&m.Fetch))
		}
		parts.fetch = caches[k]
		u, err := newUnit(fmt.Sprintf("SE[%d].CU[%d]", engine, unit), i, m, c, parts)
		if err != nil {
			return nil, err
		}
		c.Units = append(c.Units, u)
	}
	return c, nil
}

// fetchIndex is the instruction cache of a unit: groups of SharedBy units of one engine share one.
func fetchIndex(f *config.Fetch, engine, unit, units int) int {
	if !f.Enabled || f.SharedBy == 0 {
		return 0
	}
	each := (units + f.SharedBy - 1) / f.SharedBy
	return engine*each + unit/f.SharedBy
}

// Begin sets the limits of a run and starts an accounting period at cycle now.
func (c *Cluster) Begin(ctx context.Context, now, maxCycles uint64) {
	c.ctx, c.maxCycles, c.err = ctx, maxCycles, nil
	for _, u := range c.Units {
		for _, s := range u.SIMDs {
			s.Reset(now)
		}
	}
}

// Settle charges the empty slots up to cycle end and adds up where all slot-cycles went.
func (c *Cluster) Settle(end uint64) simd.SlotCycles {
	var sum simd.SlotCycles
	for _, u := range c.Units {
		for _, s := range u.SIMDs {
			s.Settle(end)
			sum.Add(&s.Cycles)
		}
	}
	return sum
}

// Err is what stopped the run, if anything did.
func (c *Cluster) Err() error { return c.err }

// Fail stops the run; the first error stays.
func (c *Cluster) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// book plans a tick of u in the given cycle after now, unless an earlier one is planned.
func (c *Cluster) book(u *ComputeUnit, now, cycle uint64) {
	cycle = min(cycle, now+horizon-1)
	if cycle >= u.booked {
		return
	}
	u.booked = cycle
	slot := int(cycle % horizon)
	c.wheel[slot*c.words+u.index>>6] |= 1 << (u.index & 63)
	c.busy[slot>>6] |= 1 << (slot & 63)
	if cycle < c.scheduled && !c.running {
		c.scheduled = cycle
		c.schedule(cycle)
	}
}

// run does the work of cycle now and plans the next event.
func (c *Cluster) run(now uint64) {
	if c.stopped(now) {
		return
	}
	c.running = true
	slot := int(now % horizon)
	set := c.wheel[slot*c.words : (slot+1)*c.words]
	c.busy[slot>>6] &^= 1 << (slot & 63)
	for w, bitset := range set {
		set[w] = 0
		for ; bitset != 0; bitset &= bitset - 1 {
			u := c.Units[w<<6+bits.TrailingZeros64(bitset)]
			if u.booked == now {
				u.booked = never
				u.tick(now)
				u.book(now)
			}
		}
	}
	c.running = false
	if next := c.next(now); next < never {
		c.scheduled = next
		c.schedule(next)
	}
}

// next is the first cycle after now in which a unit is booked.
func (c *Cluster) next(now uint64) uint64 {
	from := int((now + 1) % horizon)
	for i := range len(c.busy) + 1 {
		w := (from>>6 + i) % len(c.busy)
		word := c.busy[w]
		switch i {
		case 0:
			word &= ^uint64(0) << (from & 63)
		case len(c.busy):
			word &= 1<<(from&63) - 1
		}
		if word != 0 {
			slot := w<<6 + bits.TrailingZeros64(word)
			return now + 1 + uint64((slot-from+horizon)%horizon)
		}
	}
	return never
}

// stopped says whether the run is over before its end.
func (c *Cluster) stopped(now uint64) bool {
	if now >= c.maxCycles {
		c.Fail(fmt.Errorf("%w: %d cycles", ErrLimit, c.maxCycles))
	}
	if c.events++; c.events%checkEvery == 0 {
		if err := c.ctx.Err(); err != nil {
			c.Fail(err)
		}
	}
	return c.err != nil
}
