package hierarchy

import (
	"strings"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
)

// A Component is a level of the analytic hierarchy, all its instances, among the machine's components. It schedules no
// events: an access reserves time when its instruction issues. A message for each line and hop would cost the host more
// than the rest of the machine, and say no more.
type Component struct {
	engine.Base
	accesses *uint64
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
		l.component = newLevelPart(e, l.Name, &l.counter.Accesses)
		list = append(list, l.component)
	}
	last := f.mem.levelCounter()
	part := newLevelPart(e, last.Level, &last.Accesses)
	f.mem.attachHooks(part)
	return append(list, part)
}

func newLevelPart(e *engine.Engine, level string, accesses *uint64) *Component {
	return &Component{Base: engine.NewBase(e, partName(level)), accesses: accesses}
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

// notifyAccess calls the hooks for a line; the component may be nil.
func (p *Component) notifyAccess(at, delay, addr uint64, bytes uint32) {
	if p != nil && p.NumHooks() > 0 {
		p.notify(HookPosAccess, LevelAccess{at, addr, bytes, at + delay})
	}
}

// notifyLink calls the hooks for bytes on the link to the next level.
func (p *Component) notifyLink(at, delay uint64, bytes uint32, kind Kind) {
	if p != nil && p.NumHooks() > 0 {
		p.notify(HookPosLink, LinkAccess{at, bytes, kind, at + delay})
	}
}

func (p *Component) notify(pos *sim.HookPos, item any) {
	p.InvokeHook(sim.HookCtx{Domain: p, Pos: pos, Item: item})
}
