package cu

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/isa"
	"spvsim/simd"
	"spvsim/tracing"
)

// ErrLimit says that the run reached its limit of cycles.
var ErrLimit = errors.New("cu: cycle limit reached")

// Never is later than every cycle that a run can reach.
const Never = simd.Never

const (
	never = simd.Never
	// horizon is how many cycles ahead a unit's next cycle can be kept. Units
	// that sleep for longer are looked at once a horizon, and sleep on.
	horizon = 1024
	// checkEvery is the number of events between two calls of watch.
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
	payloads  Payloads // nil: no execution graph runs
	printer   Printer
	others    func() uint64
	pool      *simd.Pool
	spare     []*tick
	scheduled uint64 // cycle of the next event that is not stale

	running bool

	words int                  // of a bit set
	wheel []uint64             // horizon bit sets
	busy  [horizon / 64]uint64 // bit sets that are not empty

	watch     func(now uint64) error
	maxCycles uint64
	events    uint64
	err       error

	trace trace
}

// A Spec says which cluster to build.
type Spec struct {
	Engines, Units int // shader engines, and compute units of each
	ClockMHz       int
	Limits         Limits
	SIMD           simd.Spec
	BarrierCycles  int // from the last arrival until the waves may issue
	Fetch          FetchSpec
}

// Links are what a cluster is connected to.
type Links struct {
	Engine   sim.Engine
	Listener Listener
	Printer  Printer // nil: nobody listens
	// Others is the first cycle in which another component has an event. Until
	// then the cluster goes from cycle to cycle by itself, without the engine.
	// Nil: others may have events in any cycle.
	Others func() uint64
	// Parts makes the memory and LDS of a unit, by its engine and its index there.
	Parts func(engine, unit int) (Parts, error)
}

// A Printer shows a DebugPrint of a wave.
type Printer func(now uint64, w *simd.Wave, in *isa.Inst)

// New builds the compute units of a machine.
func New(spec Spec, links Links) (*Cluster, error) {
	n := spec.Engines * spec.Units
	c := &Cluster{
		trace:     trace{sampleAt: never},
		component: newComponent("Cluster"), engine: links.Engine, freq: sim.Freq(spec.ClockMHz) * sim.MHz,
		listener: links.Listener, printer: links.Printer, others: links.Others, pool: simd.NewPool(64), scheduled: never,
		words: (n + 63) / 64, watch: func(uint64) error { return nil }, maxCycles: never,
	}
	c.wheel = make([]uint64, horizon*c.words)
	var caches []*fetch
	for i := range n {
		engine, unit := i/spec.Units, i%spec.Units
		parts, err := links.Parts(engine, unit)
		if err != nil {
			return nil, err
		}
		k := fetchIndex(&spec.Fetch, engine, unit, spec.Units)
		for len(caches) <= k {
			caches = append(caches, newFetch(&spec.Fetch))
		}
		parts.fetch = caches[k]
		u, err := newUnit(fmt.Sprintf("SE[%d].CU[%d]", engine, unit), i, &spec, c, parts)
		if err != nil {
			return nil, err
		}
		c.Units = append(c.Units, u)
	}
	return c, nil
}

// fetchIndex is the instruction cache of a unit: groups of SharedBy units of one engine share one.
func fetchIndex(f *FetchSpec, engine, unit, units int) int {
	if f.LineBytes == 0 || f.SharedBy == 0 {
		return 0
	}
	each := (units + f.SharedBy - 1) / f.SharedBy
	return engine*each + unit/f.SharedBy
}

// Begin starts an accounting period at cycle now. The run stops at cycle
// maxCycles, or when watch, which is called now and then, returns an error.
func (c *Cluster) Begin(now, maxCycles uint64, watch func(now uint64) error) {
	c.watch, c.maxCycles, c.err = watch, maxCycles, nil
	c.pool.Drop()
	for _, u := range c.Units {
		for _, s := range u.SIMDs {
			s.Reset(now)
		}
	}
}

// Serve says who hears of workgroups from now on, and which graph they are part
// of, if any. next is the first cycle in which the listener has an event.
func (c *Cluster) Serve(l Listener, p Payloads, next func() uint64) {
	c.listener, c.payloads = l, p
	if c.others != nil {
		c.others = next
	}
}

// Settle charges the empty slots up to cycle end and adds up where all slot-cycles went.
func (c *Cluster) Settle(end uint64) tracing.SlotCycles {
	var sum tracing.SlotCycles
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

// run does the work of cycle now and of those after it that come before any
// other component's event, and plans the next event.
func (c *Cluster) run(now uint64) {
	for {
		if c.stopped(now) {
			return
		}
		if now >= c.trace.sampleAt {
			c.trace.sampleAt = c.trace.sample(now)
		}
		c.running = true
		c.work(now)
		c.running = false
		next := c.next(now)
		if next >= never {
			return
		}
		if c.others == nil || next >= c.others() {
			c.scheduled = next
			c.schedule(next)
			return
		}
		now = next
	}
}

// work does what the units have to do in cycle now, in the order of their index.
func (c *Cluster) work(now uint64) {
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
		for ; word != 0; word &= word - 1 {
			slot := w<<6 + bits.TrailingZeros64(word)
			cycle := now + 1 + uint64((slot-from+horizon)%horizon)
			if c.wanted(slot, cycle) {
				return cycle
			}
		}
	}
	return never
}

// wanted says whether a unit is still booked for the cycle of a slot of the
// wheel, and empties the slot if none is: all have been booked for earlier cycles since.
func (c *Cluster) wanted(slot int, cycle uint64) bool {
	set := c.wheel[slot*c.words : (slot+1)*c.words]
	for w, bitset := range set {
		for ; bitset != 0; bitset &= bitset - 1 {
			if c.Units[w<<6+bits.TrailingZeros64(bitset)].booked == cycle {
				return true
			}
		}
	}
	clear(set)
	c.busy[slot>>6] &^= 1 << (slot & 63)
	return false
}

// stopped says whether the run is over before its end.
func (c *Cluster) stopped(now uint64) bool {
	if now >= c.maxCycles {
		c.Fail(fmt.Errorf("%w: %d cycles", ErrLimit, c.maxCycles))
	}
	if c.events++; c.events%checkEvery == 0 {
		if err := c.watch(now); err != nil {
			c.Fail(err)
		}
	}
	return c.err != nil
}
