package systemtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sarchlab/akita/v3/sim"
	"github.com/sarchlab/akita/v3/tracing"

	"spvsim/gpu"
)

// A link is a component of someone else's between dispatcher and compute units: a connection that takes delay cycles for
// each message, and few at a time from a port. Akita's tracers see its tasks.
type link struct {
	*sim.ComponentBase
	engine sim.Engine
	freq   sim.Freq
	delay  int
	under  map[sim.Port]int // messages under way
	waits  map[sim.Port]bool
}

// ofOneGHz is a machine of two units with the clock that the links have.
var ofOneGHz = []string{"shader_engines=1", "compute_units=2", "fetch.enabled=false", "clock_mhz=1000"}

const linkMost = 4 // messages of a port under way

type delivery struct {
	*sim.EventBase
	msg sim.Msg
}

func newLink(e sim.Engine, delay int) *link {
	return &link{sim.NewComponentBase("Link"), e, 1 * sim.GHz, delay, map[sim.Port]int{}, map[sim.Port]bool{}}
}

func (l *link) PlugIn(p sim.Port, _ int)               { p.SetConnection(l) }
func (l *link) Unplug(p sim.Port)                      { p.SetConnection(nil) }
func (*link) NotifyAvailable(sim.VTimeInSec, sim.Port) {}
func (*link) NotifyRecv(sim.VTimeInSec, sim.Port)      {}
func (*link) NotifyPortFree(sim.VTimeInSec, sim.Port)  {}
func (l *link) CanSend(p sim.Port) bool                { return l.under[p] < linkMost }
func (l *link) at(m *sim.MsgMeta, cycles int) sim.VTimeInSec {
	return l.freq.NCyclesLater(cycles, m.SendTime)
}

func (l *link) Send(msg sim.Msg) *sim.SendError {
	m := msg.Meta()
	if !l.CanSend(m.Src) {
		l.waits[m.Src] = true
		return sim.NewSendError()
	}
	l.under[m.Src]++
	tracing.StartTask(m.ID, "", l, "message", m.Dst.Name(), nil)
	l.engine.Schedule(&delivery{sim.NewEventBase(l.at(m, l.delay), l), msg})
	return nil
}

func (l *link) Handle(e sim.Event) error {
	m := e.(*delivery).msg.Meta()
	src := m.Src
	tracing.EndTask(m.ID, l)
	m.Dst.Recv(e.(*delivery).msg)
	l.under[src]--
	if l.waits[src] {
		l.waits[src] = false
		src.NotifyAvailable(e.Time())
	}
	return nil
}

// plugged runs a job with the dispatcher's and the units' ports in a connection.
func plugged(t *testing.T, name string, connect func(sim.Engine) sim.Connection) *gpu.Result {
	t.Helper()
	return run(t, name, ofOneGHz, &gpu.Setup{Attach: func(e sim.Engine, parts []sim.Component) error {
		c := connect(e)
		for _, p := range parts {
			for port, plug := range map[string]bool{"Units": p.Name() == "Dispatcher", "Work": p.Name() != "Dispatcher"} {
				for _, q := range p.Ports() {
					if plug && q.Name() == p.Name()+"."+port {
						c.PlugIn(q, 16)
					}
				}
			}
		}
		return nil
	}})
}

// Akita's connections and tracers, and components of someone else's, join the ports of dispatcher and compute units: a link of n
// cycles makes a job later, and its tracer sees n cycles for each message.
func TestPortsJoinConnections(t *testing.T) {
	alone := run(t, "reduce", ofOneGHz, &gpu.Setup{})
	direct := plugged(t, "reduce", func(e sim.Engine) sim.Connection { return sim.NewDirectConnection("Net", e, 1*sim.GHz) })
	if d := cmp.Diff(alone.Buffers[0].Bytes, direct.Buffers[0].Bytes); d != "" || direct.Stats.Cycles+100 < alone.Stats.Cycles || direct.Stats.Cycles > alone.Stats.Cycles+100 {
		t.Errorf("%d cycles through Akita's connection, %d without; buffer (-without +with):\n%s", direct.Stats.Cycles, alone.Stats.Cycles, d)
	}
	cycles := map[int]uint64{}
	for _, delay := range []int{1, 50} {
		tracer := &tracing.AverageTimeTracer{}
		linked := plugged(t, "reduce", func(e sim.Engine) sim.Connection {
			l := newLink(e, delay)
			tracer = tracing.NewAverageTimeTracer(e, func(tracing.Task) bool { return true })
			tracing.CollectTrace(l, tracer)
			return l
		})
		if d := cmp.Diff(alone.Buffers[0].Bytes, linked.Buffers[0].Bytes); d != "" {
			t.Errorf("%d cycles: buffer (-without +with):\n%s", delay, d)
		}
		cycles[delay] = linked.Stats.Cycles
		want := linked.Stats.Workgroups + linked.Stats.Waves // a message for each that is placed and for each that ends
		if took := float64(tracer.AverageTime()) * 1e9; tracer.TotalCount() != want || took < float64(delay)-0.01 || took > float64(delay)+0.01 {
			t.Errorf("the tracer saw %d messages of %.2f cycles, want %d of %d", tracer.TotalCount(), took, want, delay)
		}
	}
	if cycles[50] < cycles[1]+49 {
		t.Errorf("%d cycles with a link of 50, %d with one of 1", cycles[50], cycles[1])
	}
}
