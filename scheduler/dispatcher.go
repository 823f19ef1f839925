// Package scheduler turns launches into workgroups on compute units: the
// dispatcher, with its rates and the order in which it fills the machine; and
// execution graphs, with their payload pool, the enqueue queue and the
// schedulers that start what is enqueued.
//
//	dispatcher  kernels, one at a time; placer: workgroups of several programs
//	graph       nodes that fit together, their levels and memory; text: as text and DOT
//	run         a graph on the machine; bins: what waits; serve: launching and placing
//	pool        payloads and the arrays that name them; group: what a workgroup does with them
//	hardware, firmware, multipass, persistent: the schedulers
//
// The package does not know what a workgroup computes, nor what makes one
// fit: a compute unit says whether it has room. Accesses to payloads are those
// of memory; here they are only checked.
package scheduler

import (
	"spvsim/cu"
	"spvsim/simd"
)

// fraction is the number of bits below a cycle in which rates are booked.
const fraction = 20

// An engine is the dispatcher's view of one shader engine.
type engine struct {
	first, units int
	nextUnit     int
	full         bool   // nothing fits until something is given back
	groupAt      uint64 // from when it may place the next workgroup, in fractions of a cycle
	waveAt       uint64 // from when it may start the next wave, in fractions of a cycle
}

// A Spec says which dispatcher to build.
type Spec struct {
	Engines, Units     int // shader engines, and compute units of each
	ClockMHz           int
	WorkgroupsPerCycle float64 // that an engine places
	WavesPerCycle      float64 // that an engine starts
	LaunchLatency      int     // cycles from placing a wave until it may issue
	KernelLaunchCycles int     // paid before the first workgroup of a launch
}

// A Dispatcher places the workgroups of one launch at a time, in order, x
// fastest. Workgroups go to the shader engines in turn, and in each to its
// compute units in turn; an engine or unit that has no room is passed over.
type Dispatcher struct {
	component
	cluster  *cu.Cluster
	engines  []engine
	turn     int // the engine whose turn it is
	groupGap uint64
	waveGap  uint64
	latency  uint64
	launchIn uint64

	launch *cu.Launch
	total  uint64
	placed uint64
	ended  uint64
	done   uint64 // cycle by which all that ended workgroups did is done
	nextID [3]uint32
	start  func(int) uint64
	from   *engine // whose wave rate start books
	now    uint64
}

// New builds a dispatcher. Bind gives it its compute units.
func New(spec Spec) *Dispatcher {
	d := &Dispatcher{
		component: newComponent("Dispatcher", spec.ClockMHz),
		groupGap:  gap(spec.WorkgroupsPerCycle), waveGap: gap(spec.WavesPerCycle),
		latency: uint64(spec.LaunchLatency), launchIn: uint64(spec.KernelLaunchCycles),
	}
	for i := range spec.Engines {
		d.engines = append(d.engines, engine{first: i * spec.Units, units: spec.Units})
	}
	d.start = d.startWave
	return d
}

// gap is the time between two events of a rate, in fractions of a cycle.
func gap(perCycle float64) uint64 {
	if perCycle <= 0 {
		perCycle = 1
	}
	return max(uint64(float64(uint64(1)<<fraction)/perCycle), 1)
}

// Launch starts a kernel in cycle now: its first workgroup is placed when the
// machine's launch cost is paid.
func (d *Dispatcher) Launch(now uint64, l *cu.Launch) {
	d.launch, d.placed, d.ended, d.nextID = l, 0, 0, [3]uint32{}
	d.total = uint64(l.NumWorkgroups[0]) * uint64(l.NumWorkgroups[1]) * uint64(l.NumWorkgroups[2])
	d.done = now + d.launchIn
	for i := range d.engines {
		d.engines[i].full = false
	}
	if d.total > 0 {
		d.wake(now + d.launchIn)
	}
}

// Finished says whether all workgroups of the launch have ended, and by when all that they did is done.
func (d *Dispatcher) Finished() (bool, uint64) { return d.ended == d.total, d.done }

// Next is the cycle of the dispatcher's next event; cu.Never if it has none.
func (d *Dispatcher) Next() uint64 { return d.scheduled }

// Progress is the number of workgroups that ended, and of all.
func (d *Dispatcher) Progress() (ended, total uint64) { return d.ended, d.total }

// tick places what can be placed in cycle now, and plans the next time.
func (d *Dispatcher) tick(now uint64) {
	if d.cluster.Err() != nil {
		return
	}
	d.now = now
	for refused := 0; refused < len(d.engines) && d.placed < d.total; {
		e := &d.engines[d.turn]
		if d.turn++; d.turn == len(d.engines) {
			d.turn = 0
		}
		if refused++; d.place(e, now) {
			refused = 0
		}
	}
	if d.placed < d.total {
		d.plan(now)
	}
}

// place puts the next workgroup on e, if its rates and units allow it now.
func (d *Dispatcher) place(e *engine, now uint64) bool {
	if e.full || e.opensAt() > now {
		return false
	}
	for range e.units {
		u := d.cluster.Units[e.first+e.nextUnit]
		if e.nextUnit++; e.nextUnit == e.units {
			e.nextUnit = 0
		}
		if u.Fits(d.launch.Need) {
			d.put(e, u, now)
			return true
		}
	}
	e.full = true
	return false
}

func (d *Dispatcher) put(e *engine, u *cu.ComputeUnit, now uint64) {
	e.groupAt = max(e.groupAt, now<<fraction) + d.groupGap
	d.from = e
	wg := cu.Workgroup{Index: d.placed, ID: d.nextID, Count: d.launch.NumWorkgroups}
	if d.launch.Fragments != nil {
		wg.Fragments = &d.launch.Fragments[d.placed]
	}
	u.Place(now, d.launch, &wg, d.start)
	d.placed++
	d.advanceID()
}

// startWave books the start of a wave on the engine that is being given a workgroup.
func (d *Dispatcher) startWave(int) uint64 {
	at := max(d.from.waveAt, d.now<<fraction)
	d.from.waveAt = at + d.waveGap
	return at>>fraction + d.latency
}

func (d *Dispatcher) advanceID() {
	for i := range d.nextID {
		if d.nextID[i]++; d.nextID[i] < d.launch.NumWorkgroups[i] {
			return
		}
		d.nextID[i] = 0
	}
}

// opensAt is the cycle from which the engine's rates allow another workgroup.
func (e *engine) opensAt() uint64 { return max(e.groupAt, e.waveAt) >> fraction }

// plan asks for a tick when the next engine that has room may place a workgroup.
func (d *Dispatcher) plan(now uint64) {
	next := cu.Never
	for i := range d.engines {
		if e := &d.engines[i]; !e.full {
			next = min(next, e.opensAt())
		}
	}
	if next < cu.Never {
		d.wake(max(next, now+1))
	}
}

// Freed fulfils cu.Listener.
func (d *Dispatcher) Freed(now uint64, unit int) {
	if d.placed == d.total {
		return
	}
	e := &d.engines[unit/d.engines[0].units]
	e.full = false
	d.wake(max(now+1, e.opensAt()))
}

// Ended fulfils cu.Listener.
func (d *Dispatcher) Ended(_, done uint64, _ int, _ *simd.Group) {
	d.ended++
	d.done = max(d.done, done)
}
