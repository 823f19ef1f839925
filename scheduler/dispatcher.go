// Package scheduler turns launches into workgroups on compute units: the
// dispatcher, with its rates and the order in which it fills the machine; and
// execution graphs, with their payload pool, the enqueue queue and the
// schedulers that start what is enqueued.
//
//	dispatcher  places the workgroups of open launches
//	kernel      one launch, which the host opens: no payloads, no queue
//	graph       nodes that fit together, their levels and memory; text: as text and DOT
//	run         a graph on the machine, in three parts:
//	ledger      what became of payloads and workgroups, by node
//	opener      launches of what waits; bins: what waits and what is open; queue: the component
//	memory      what of the queue is in memory: pool, payloads and the arrays that name them; rings and counters
//	group       what a workgroup does with payloads
//	hardware, firmware, multipass, persistent: the policies
//
// The package does not know what a workgroup computes. Accesses to payloads are
// those of memory; here they are only checked.
package scheduler

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
	"spvsim/engine"
)

// fraction is the number of bits below a cycle in which rates are booked.
const fraction = 20

// A shaderEngine is the dispatcher's view of one shader engine.
type shaderEngine struct {
	index, first, units int
	nextUnit            int
	groupAt             uint64 // from when it may place the next workgroup, in fractions of a cycle
	waveAt              uint64 // from when it may start the next wave, in fractions of a cycle
}

// A work is what the dispatcher places: the open launches of a kernel or of an
// execution graph, in lists. The launches of a list start one after the other.
type work interface {
	// lists is how many lists there are; that of the lowest index goes first.
	lists() int
	// head is the first launch of a list that may be placed, or nil.
	head(list int) *launch
	// reserve says whether what the launch's next workgroup may allocate is free.
	reserve(l *launch) bool
	// begin makes the next workgroup of a list's first launch, for a compute unit.
	begin(list, unit int, wg *cu.Workgroup)
	// ended: the last wave of a workgroup has ended.
	ended(now uint64, m *cu.WaveEnd)
	// settled: nothing more can be placed in cycle now, and if nothing happens
	// before, none until cycle next.
	settled(now, next uint64)
}

// A launch is a grid of workgroups that may be placed: a kernel, or what one
// payload starts at one node, or the workgroup that several coalesced payloads start.
type launch struct {
	code    *cu.Launch
	class   int // of what a workgroup takes: launches of one class find space in the same places
	engine  int // the only one that it goes to; -1: all
	grid    [3]uint32
	next    [3]uint32 // id of the next workgroup
	total   uint64
	placed  uint64
	ended   uint64
	readyAt uint64 // cycle from which workgroups may be placed; cu.Never while that is not known

	// Of a node.
	*stage
	bin   *bin
	input int32
	lanes int    // workgroups of one invocation that share a wave; 0: they do not
	first uint32 // number of its first workgroup among those of the node
}

// advance goes on to the next workgroup.
func (l *launch) advance() {
	l.placed++
	for i := range l.next {
		if l.next[i]++; l.next[i] < l.grid[i] {
			return
		}
		l.next[i] = 0
	}
}

// A Dispatcher places workgroups, at its rates and where there is space, which it
// keeps account of. Workgroups go to the shader engines in turn, and in each to
// its compute units in turn; an engine or unit that has no space is passed over.
type Dispatcher struct {
	engine.Base
	alarm     *engine.Alarm
	port      *engine.Port
	array     *cu.Array
	engines   []shaderEngine
	residency []cu.Residency // by compute unit
	turn      int            // the engine whose turn it is
	spec      *DispatcherSpec
	limits    *cu.Limits

	groupGap, waveGap uint64 // in fractions of a cycle

	work    work
	kernel  *kernel // when that is the work
	classes int
	full    []bool // by engine and class: nothing of it fits until something is given back
	places  engine.Stock[cu.Place]
}

// New builds the dispatcher of compute units.
func New(e *engine.Engine, spec *DispatcherSpec, limits *cu.Limits, array *cu.Array) *Dispatcher {
	d := &Dispatcher{
		Base: engine.NewBase(e, "Dispatcher"), array: array, spec: spec, limits: limits,
		groupGap: gap(spec.WorkgroupsPerCycle), waveGap: gap(spec.WavesPerCycle),
	}
	d.alarm, d.port = engine.NewAlarm(&d.Base, d, false), engine.NewPort(&d.Base, d, "Units")
	for i := range limits.ShaderEngines {
		d.engines = append(d.engines, shaderEngine{index: i, first: i * limits.ComputeUnits, units: limits.ComputeUnits})
	}
	for range array.Units {
		d.residency = append(d.residency, cu.NewResidency(limits))
	}
	array.Report(d, d.port, uint64(max(spec.LaunchLatency, 1)))
	return d
}

// MayPlace fulfils cu.Dispatcher.
func (d *Dispatcher) MayPlace(unit int) bool {
	if d.kernel == nil || d.work != work(d.kernel) {
		return true
	}
	l := d.kernel.head(0)
	return l != nil && d.residency[unit].Fits(l.code.Need)
}

// gap is the time between two events of a rate, in fractions of a cycle.
func gap(perCycle float64) uint64 {
	return max(uint64(float64(uint64(1)<<fraction)/perCycle), 1)
}

// serve begins to place w, whose launches are of as many classes.
func (d *Dispatcher) serve(w work, classes int) {
	d.work, d.classes = w, classes
	if n := len(d.engines) * classes; n > len(d.full) {
		d.full = make([]bool, n)
	}
	clear(d.full)
}

// Handle fulfils sim.Handler: time to place something, or the end of a wave.
func (d *Dispatcher) Handle(e sim.Event) error {
	now := d.Engine.Now()
	if m, ok := e.(*cu.WaveEnd); ok {
		d.waveEnded(now, m)
		m.Handled()
		return nil
	}
	d.tick(now)
	return nil
}

// waveEnded takes back what a wave had, and what its workgroup had with the last one.
func (d *Dispatcher) waveEnded(now uint64, m *cu.WaveEnd) {
	r := &d.residency[m.Unit]
	r.FreeWave(m.SIMD, m.Launch.Need)
	if m.Last {
		r.FreeGroup(m.LDSBase, m.Launch.Need)
		d.work.ended(now, m)
	}
	e := m.Unit / d.limits.ComputeUnits
	clear(d.full[e*d.classes : (e+1)*d.classes])
	d.alarm.Set(now)
}

// tick places what can be placed in cycle now, and plans the next time.
func (d *Dispatcher) tick(now uint64) {
	placed, next := true, cu.Never
	for placed && d.Engine.Err() == nil {
		placed, next = d.placeNext(now)
	}
	if next < cu.Never {
		d.alarm.Set(max(next, now+1))
	}
	d.work.settled(now, next)
}

// placeNext places the workgroup whose turn it is, if there is one that can be.
// Otherwise it says from when on one can, if nothing happens before.
func (d *Dispatcher) placeNext(now uint64) (placed bool, next uint64) {
	next = cu.Never
	for i := range d.work.lists() {
		l := d.work.head(i)
		switch {
		case l == nil:
			continue
		case l.readyAt > now:
			next = min(next, l.readyAt)
			continue
		case !d.work.reserve(l):
			continue // until a payload is freed, with the end of a workgroup
		}
		e, unit, at := d.find(now, l)
		if e != nil {
			d.put(now, e, unit, i, l)
			return true, now
		}
		next = min(next, at)
	}
	return false, next
}

// find looks for a compute unit with space for the launch's next workgroup. Where
// only rates are in the way, at is from when they allow it.
func (d *Dispatcher) find(now uint64, l *launch) (e *shaderEngine, unit int, at uint64) {
	at = cu.Never
	if d.spec.FixedOrder && l.engine < 0 {
		return d.findFixed(now, l)
	}
	for range d.engines {
		e := &d.engines[d.turn]
		if l.engine >= 0 {
			e = &d.engines[l.engine]
		} else if d.turn++; d.turn == len(d.engines) {
			d.turn = 0
		}
		full := &d.full[e.index*d.classes+l.class]
		switch {
		case *full:
		case e.opensAt() > now:
			at = min(at, e.opensAt())
		default:
			if u := d.unit(e, l.code.Need); u >= 0 {
				return e, u, now
			}
			*full = true
		}
		if l.engine >= 0 {
			break
		}
	}
	return nil, 0, at
}

// findFixed is find where the engine whose turn it is must take the workgroup.
func (d *Dispatcher) findFixed(now uint64, l *launch) (e *shaderEngine, unit int, at uint64) {
	e = &d.engines[l.placed%uint64(len(d.engines))]
	full := &d.full[e.index*d.classes+l.class]
	switch {
	case *full:
		return nil, 0, cu.Never
	case e.opensAt() > now:
		return nil, 0, e.opensAt()
	}
	if unit = d.unit(e, l.code.Need); unit < 0 {
		*full = true
		return nil, 0, cu.Never
	}
	return e, unit, now
}

// unit is the next compute unit of an engine that has space, or -1.
func (d *Dispatcher) unit(e *shaderEngine, need cu.Need) int {
	for range e.units {
		u := e.first + e.nextUnit
		if e.nextUnit++; e.nextUnit == e.units {
			e.nextUnit = 0
		}
		if d.residency[u].Fits(need) {
			return u
		}
	}
	return -1
}

// put sends the next workgroup of a list's first launch to a compute unit of an engine, at its rates.
func (d *Dispatcher) put(now uint64, e *shaderEngine, unit, list int, l *launch) {
	e.groupAt = max(e.groupAt, now<<fraction) + d.groupGap
	m := d.place(now, unit, l.code)
	for i := range m.Waves {
		at := max(e.waveAt, now<<fraction)
		e.waveAt = at + d.waveGap
		m.Waves[i].At = at>>fraction + uint64(d.spec.LaunchLatency)
	}
	d.work.begin(list, unit, &m.Workgroup)
	d.send(unit, m)
}

// place takes space for a workgroup on a unit.
func (d *Dispatcher) place(now uint64, unit int, l *cu.Launch) *cu.Place {
	r, m := &d.residency[unit], d.places.Take()
	m.Launch, m.Placed, m.Stock, m.Waves = l, now, &d.places, m.Waves[:0]
	m.LDSBase = r.TakeGroup(l.Need)
	for range l.Need.Waves {
		m.Waves = append(m.Waves, cu.PlacedWave{SIMD: r.TakeWave(l.Need)})
	}
	return m
}

// send sends a workgroup off: it arrives when its first wave may issue, in a later cycle.
func (d *Dispatcher) send(unit int, m *cu.Place) {
	u, arrives := d.array.Units[unit], max(m.Waves[0].At, d.Engine.Now()+1)
	u.Expect(arrives)
	d.port.Post(m, u.Port(), arrives)
}

// opensAt is the cycle from which the engine's rates allow another workgroup.
func (e *shaderEngine) opensAt() uint64 { return max(e.groupAt, e.waveAt) >> fraction }
