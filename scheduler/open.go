package scheduler

import (
	"slices"

	"spvsim/cu"
	"spvsim/engine"
)

// A MachineShare limits what a launch may use of a machine that runs concurrent launches.
type MachineShare struct {
	Priority int
	Units    []bool // compute units that it may use; nil: all
	Usage    *Usage // counts its waves; nil: not counted
}

// A Usage integrates the wave slots that launches hold over time.
type Usage struct {
	Waves        int    // now
	Cycles       uint64 // slot-cycles up to cycle countedUntil
	countedUntil uint64
}

// Change adds waves (or removes them, if by is negative) in cycle now.
func (u *Usage) Change(now uint64, by int) {
	if u == nil {
		return
	}
	u.Cycles += uint64(u.Waves) * (now - u.countedUntil)
	u.countedUntil = now
	u.Waves += by
}

// An Order is the message that hands a launch from a pipe of the command processor to the dispatcher.
type Order struct {
	engine.Header
	Open func(now uint64) error // opens the launch when the order arrives
}

// A Report is the dispatcher's message about a launch to its caller.
type Report struct {
	engine.Header
	Launch    int  // the caller's number of it
	AllPlaced bool // true: all workgroups have been placed; false: all have ended
	Done      uint64
}

// A Caller gets the reports on a launch that it ordered.
type Caller struct {
	Port   *engine.Port
	Launch int
}

// An openSource is an open LaunchSource, with its share of the machine.
type openSource struct {
	LaunchSource
	MachineShare
	tag            int
	firstClass     int    // number of its first class among those of all open sources
	firstPlacedAt  uint64 // cycle in which its first workgroup was placed; cu.Never before
	caller         *Caller
	placedReported bool // AllPlaced has been reported
}

// SourceHandle is the opener's view of an open source.
type SourceHandle struct{ o *openSource }

// None reports whether o refers to no source.
func (o SourceHandle) None() bool { return o.o == nil }

// FirstPlacedAt returns the cycle in which the first workgroup was placed, or engine.Never.
func (o SourceHandle) FirstPlacedAt() uint64 { return o.o.firstPlacedAt }

// FloorCycles returns the cycles that the launch floor added after a kernel's last workgroup.
func (o SourceHandle) FloorCycles() uint64 {
	if k, ok := o.o.LaunchSource.(*kernel); ok {
		return k.done - k.workgroupsDone
	}
	return 0
}

// Progress returns the workgroups that ended, those resident, and all known so far.
func (o SourceHandle) Progress() (ended, running, total uint64) { return o.o.LaunchSource.Progress() }

// Add opens a source, concurrent with those that are open.
func (d *Dispatcher) Add(w LaunchSource, s MachineShare, c *Caller) SourceHandle {
	o := &openSource{LaunchSource: w, MachineShare: s, firstPlacedAt: cu.Never, caller: c, tag: slices.Index(d.byTag, nil)}
	if o.tag < 0 {
		o.tag = len(d.byTag)
		d.byTag = append(d.byTag, nil)
	}
	d.byTag[o.tag] = o
	w.SetTag(o.tag)
	at := len(d.openSources)
	if d.spec.SharePolicy == "priority" {
		for at > 0 && d.openSources[at-1].Priority < s.Priority {
			at--
		}
	}
	d.openSources = slices.Insert(d.openSources, at, o)
	d.numberClasses()
	return SourceHandle{o}
}

// closeSource removes a source that has ended.
func (d *Dispatcher) closeSource(o *openSource) {
	i := slices.Index(d.openSources, o)
	d.openSources = slices.Delete(d.openSources, i, i+1)
	d.byTag[o.tag] = nil
	if d.nextSource > i {
		d.nextSource--
	}
	d.numberClasses()
}

// numberClasses gives launch classes of all open sources distinct numbers.
func (d *Dispatcher) numberClasses() {
	d.classes = 0
	for _, o := range d.openSources {
		o.firstClass = d.classes
		d.classes += o.Classes()
	}
	if n := len(d.engines) * d.classes; n > len(d.full) {
		d.full = make([]bool, n)
	}
	clear(d.full)
}

// sourceInTurn returns the open source that is tried i-th.
func (d *Dispatcher) sourceInTurn(i int) *openSource {
	if d.nextSource > 0 { // round robin
		i = (d.nextSource + i) % len(d.openSources)
	}
	return d.openSources[i]
}

// endTurn ends the turn of the source that was tried i-th, under round-robin.
func (d *Dispatcher) endTurn(i int) {
	if d.spec.SharePolicy == "round-robin" {
		d.nextSource = (d.nextSource + i + 1) % len(d.openSources)
	}
}

// report sends callers the reports that are due, and closes sources that have ended.
func (d *Dispatcher) report(now uint64) {
	for i := 0; i < len(d.openSources); i++ {
		o := d.openSources[i]
		if o.caller == nil {
			continue
		}
		if !o.placedReported && o.AllPlaced() {
			o.placedReported = true
			d.port.Post(&Report{Launch: o.caller.Launch, AllPlaced: true}, o.caller.Port, now)
		}
		if over, done := o.Finished(); over {
			d.closeSource(o)
			i--
			d.port.Post(&Report{Launch: o.caller.Launch, Done: done}, o.caller.Port, max(now, done))
		}
	}
}

// Expect sets whether launches may be opened at any time from now on: compute units must not run ahead of them.
func (d *Dispatcher) Expect(some bool) { d.expects = some }

// Clear closes all open sources.
func (d *Dispatcher) Clear() {
	d.openSources, d.nextSource = d.openSources[:0], 0
	clear(d.byTag)
}

// Port returns the port that orders arrive at.
func (d *Dispatcher) Port() *engine.Port { return d.port }

// Open opens a part of a kernel in cycle now, concurrent with what is open. The launch ends in cycle floor or later.
func (d *Dispatcher) Open(now, floor uint64, l *cu.KernelLaunch, part WorkgroupRange, s MachineShare, c *Caller) SourceHandle {
	o := d.Add(newKernel(l, part, now, max(now, floor)), s, c)
	d.alarm.Set(now)
	return o
}

// ReportPassed reports, in cycle now, a launch without workgroups (a copy, a transfer) as placed, and as done in cycle
// at.
func ReportPassed(from *engine.Port, c *Caller, now, at uint64) {
	from.Post(&Report{Launch: c.Launch, AllPlaced: true}, c.Port, now)
	from.Post(&Report{Launch: c.Launch, Done: at}, c.Port, at)
}
