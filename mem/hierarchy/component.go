package hierarchy

import (
	"strings"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/engine"
)

// A Component is a level of the analytic hierarchy, all its instances, among the machine's components. It schedules no
// events: an access reserves time when its instruction issues. A message for each line and hop would cost the host more
// than the rest of the machine, and say no more.
type Component struct {
	engine.Base
	accesses *uint64
	numParts int
	parts    []account.PartCounts // nil: not counted
	observed bool                 // by hooks or counts
}

// HookPosAccess marks a line asked of a level; the item is a LevelAccess.
var HookPosAccess = &sim.HookPos{Name: "Memory Level Access"}

// A LevelAccess describes a line asked of a level to a hook.
type LevelAccess struct {
	Cycle  uint64 // in which the request arrives, if nothing holds it up
	Addr   uint64
	Bytes  uint32
	Served uint64 // cycle in which its turn comes
}

// HookPosLink marks bytes on the link between a level and the next; the item is a LinkAccess.
var HookPosLink = &sim.HookPos{Name: "Memory Link Access"}

// A LinkAccess describes bytes on a link with a bandwidth to a hook.
type LinkAccess struct {
	Cycle  uint64 // in which the bytes would go, if nothing held them up
	Bytes  uint32
	Kind   Kind   // what is read comes from the next level, anything else goes there
	Served uint64 // cycle in which their turn comes
}

// Components returns the levels as components of an engine, nearest first, memory last.
func (f *Analytic) Components(e *engine.Engine) (list []sim.Component) {
	for _, l := range f.levels {
		l.component = newLevelPart(e, l.Name, &l.counter.Accesses, len(l.caches)*l.Slices)
		list = append(list, l.component)
	}
	last := f.mem.levelCounter()
	part := newLevelPart(e, last.Level, &last.Accesses, f.spec.Memory.Channels)
	f.mem.attachHooks(part)
	return append(list, part)
}

func newLevelPart(e *engine.Engine, level string, accesses *uint64, parts int) *Component {
	return &Component{Base: engine.NewBase(e, partName(level)), accesses: accesses, numParts: parts}
}

// partName returns the name of a level among the components: shader_array is ShaderArray.
func partName(level string) string {
	name := ""
	for _, word := range strings.Split(level, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// Handle implements sim.Handler: a level schedules no events.
func (*Component) Handle(sim.Event) error { return nil }

// Activity is what the level did so far: lines that were booked.
func (p *Component) Activity() engine.ActivityCounts {
	return engine.ActivityCounts{Reservations: *p.accesses}
}

// isObserved reports whether hooks or counts of parts want the lines asked of the level; the component may be nil.
func (p *Component) isObserved() bool { return p != nil && p.observed }

// AcceptHook implements sim.Hookable.
func (p *Component) AcceptHook(h sim.Hook) {
	p.observed = true
	p.Base.AcceptHook(h)
}

// CountParts makes the level count the lines asked of each of its parts from now on: slices of all instances of a cache, or channels.
func (p *Component) CountParts() {
	if p.observed = true; p.parts == nil {
		p.parts = make([]account.PartCounts, p.numParts)
	}
}

// Parts returns what the parts have counted; nil without CountParts.
func (p *Component) Parts() []account.PartCounts { return p.parts }

// recordAccess counts a line that a part was asked for, and calls the hooks.
func (p *Component) recordAccess(part int, at, delay, addr uint64, bytes uint32) {
	if p.parts != nil {
		n := &p.parts[part]
		n.Accesses++
		n.Bytes += uint64(bytes)
		n.WaitCycles += delay
	}
	if p.NumHooks() > 0 {
		p.notify(HookPosAccess, LevelAccess{at, addr, bytes, at + delay})
	}
}

// notifyLink calls the hooks of an observed level for bytes on the link to the next level.
func (p *Component) notifyLink(at, delay uint64, bytes uint32, kind Kind) {
	if p.NumHooks() > 0 {
		p.notify(HookPosLink, LinkAccess{at, bytes, kind, at + delay})
	}
}

func (p *Component) notify(pos *sim.HookPos, item any) {
	p.InvokeHook(sim.HookCtx{Domain: p, Pos: pos, Item: item})
}
