package scheduler

import (
	"slices"

	"spvsim/cu"
	"spvsim/engine"
)

// A Share is what one launch may have of a machine that it has not for itself.
type Share struct {
	Priority int
	Units    []bool // the compute units that it may use; nil: all
	Usage    *Usage // counts its waves; nil: they are not counted
}

// A Usage adds up the wave slots that launches hold over time.
type Usage struct {
	Waves  int    // now
	Cycles uint64 // of wave slots, up to since
	since  uint64
}

// Change counts waves that come or go in cycle now.
func (u *Usage) Change(now uint64, by int) {
	if u == nil {
		return
	}
	u.Cycles += uint64(u.Waves) * (now - u.since)
	u.since = now
	u.Waves += by
}

// An Order is the message with which a pipe of the command processor hands a launch to the dispatcher.
type Order struct {
	engine.Header
	Begin func(now uint64) error // opens the work when the order arrives
}

// A Report is the message with which the dispatcher reports on a launch.
type Report struct {
	engine.Header
	Launch int  // as who ordered it numbers them
	Placed bool // all workgroups have been placed; otherwise all have ended
	Done   uint64
}

// A Caller is who ordered a launch and is told of it.
type Caller struct {
	Port   *engine.Port
	Launch int
}

// An openSource is work that the dispatcher has open beside other work.
type openSource struct {
	LaunchSource
	Share
	tag    int
	first  int    // number of its first class among those of all that is open
	begun  uint64 // cycle in which its first workgroup was placed; cu.Never before
	caller *Caller
	placed bool // and reported
}

// Opened is a launch as who opened it sees it.
type Opened struct{ o *openSource }

// None says that nothing has been opened.
func (o Opened) None() bool { return o.o == nil }

// Begun is the cycle in which the first workgroup was placed; engine.Never: none was.
func (o Opened) Begun() uint64 { return o.o.begun }

// FloorCycles is what the floor of a launch added to its time, after its last workgroup.
func (o Opened) FloorCycles() uint64 {
	if k, ok := o.o.LaunchSource.(*kernel); ok {
		return k.done - k.worked
	}
	return 0
}

// Progress is the number of workgroups that ended, of those in the compute units, and of all known.
func (o Opened) Progress() (ended, running, total uint64) { return o.o.LaunchSource.Progress() }

// Add opens work beside what is open.
func (d *Dispatcher) Add(w LaunchSource, s Share, c *Caller) Opened {
	o := &openSource{LaunchSource: w, Share: s, begun: cu.Never, caller: c, tag: slices.Index(d.byTag, nil)}
	if o.tag < 0 {
		o.tag = len(d.byTag)
		d.byTag = append(d.byTag, nil)
	}
	d.byTag[o.tag] = o
	w.SetTag(o.tag)
	at := len(d.openSources)
	if d.spec.Share == "priority" {
		for at > 0 && d.openSources[at-1].Priority < s.Priority {
			at--
		}
	}
	d.openSources = slices.Insert(d.openSources, at, o)
	d.numberClasses()
	return Opened{o}
}

// closeSource closes work that has ended.
func (d *Dispatcher) closeSource(o *openSource) {
	i := slices.Index(d.openSources, o)
	d.openSources = slices.Delete(d.openSources, i, i+1)
	d.byTag[o.tag] = nil
	if d.next > i {
		d.next--
	}
	d.numberClasses()
}

// numberClasses gives the classes of all that is open numbers of their own.
func (d *Dispatcher) numberClasses() {
	d.classes = 0
	for _, o := range d.openSources {
		o.first = d.classes
		d.classes += o.Classes()
	}
	if n := len(d.engines) * d.classes; n > len(d.full) {
		d.full = make([]bool, n)
	}
	clear(d.full)
}

// sourceInTurn is the open work that comes i-th when something is to be placed.
func (d *Dispatcher) sourceInTurn(i int) *openSource {
	if d.next > 0 { // round robin
		i = (d.next + i) % len(d.openSources)
	}
	return d.openSources[i]
}

// endTurn remembers whose turn is over.
func (d *Dispatcher) endTurn(i int) {
	if d.spec.Share == "round-robin" {
		d.next = (d.next + i + 1) % len(d.openSources)
	}
}

// report sends callers what has become of their launches, and closes those that have ended.
func (d *Dispatcher) report(now uint64) {
	for i := 0; i < len(d.openSources); i++ {
		o := d.openSources[i]
		if o.caller == nil {
			continue
		}
		if !o.placed && o.AllPlaced() {
			o.placed = true
			d.port.Post(&Report{Launch: o.caller.Launch, Placed: true}, o.caller.Port, now)
		}
		if over, done := o.Finished(); over {
			d.closeSource(o)
			i--
			d.port.Post(&Report{Launch: o.caller.Launch, Done: done}, o.caller.Port, max(now, done))
		}
	}
}

// Expect says whether launches may be opened at any time from now on.
func (d *Dispatcher) Expect(some bool) { d.expects = some }

// Clear closes all that is open: what comes is not beside it.
func (d *Dispatcher) Clear() {
	d.openSources, d.next = d.openSources[:0], 0
	clear(d.byTag)
}

// Port is where orders come.
func (d *Dispatcher) Port() *engine.Port { return d.port }

// Open opens a part of a kernel in cycle now, beside what is open. It is done in cycle floor at the earliest.
func (d *Dispatcher) Open(now, floor uint64, l *cu.Launch, part Part, s Share, c *Caller) Opened {
	o := d.Add(newKernel(l, part, now, max(now, floor)), s, c)
	d.alarm.Set(now)
	return o
}

// ReportPassed reports of a launch that no compute unit takes part in, in cycle now, that it is done in a cycle. It has nothing to place.
func ReportPassed(from *engine.Port, c *Caller, now, at uint64) {
	from.Post(&Report{Launch: c.Launch, Placed: true}, c.Port, now)
	from.Post(&Report{Launch: c.Launch, Done: at}, c.Port, at)
}
