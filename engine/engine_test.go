package engine

import (
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/internal/suite"
)

// A recorder is a component that records the events that it handles.
type recorder struct {
	Base
	log  *[]string
	then func(sim.Event) error
}

func newRecorder(e *Engine, name string, log *[]string) *recorder {
	return &recorder{Base: NewBase(e, name), log: log}
}

func (r *recorder) Handle(e sim.Event) error {
	*r.log = append(*r.log, fmt.Sprintf("%d %s", r.Engine.Now(), r.Name()))
	if r.then != nil {
		return r.then(e)
	}
	return nil
}

// An event has a name and a time.
type event struct {
	time      sim.VTimeInSec
	handler   sim.Handler
	secondary bool
}

func (e *event) Time() sim.VTimeInSec { return e.time }
func (e *event) Handler() sim.Handler { return e.handler }
func (e *event) IsSecondary() bool    { return e.secondary }

type note struct{ Header }

func TestOrderWithinACycle(t *testing.T) {
	e := New(1 * sim.GHz)
	var log []string
	first, second := newRecorder(e, "Alarm1", &log), newRecorder(e, "Alarm2", &log)
	a1, a2 := NewAlarm(&first.Base, first, false), NewAlarm(&second.Base, second, false)
	late := newRecorder(e, "Late", &log)
	NewAlarm(&late.Base, late, true).Set(5)
	a2.Set(5)
	a1.Set(5)
	at := func(name string, secondary bool) {
		e.Schedule(&event{e.Seconds(5), newRecorder(e, name, &log), secondary})
	}
	at("Secondary1", true)
	at("Primary1", false)
	at("Primary2", false)
	at("Secondary2", true)
	// An event of the secondary phase may plan one of the primary phase for the same cycle.
	late.then = func(sim.Event) error {
		at("Primary3", false)
		return nil
	}
	suite.OK(t, e.Run())
	want := []string{"5 Primary1", "5 Primary2", "5 Alarm1", "5 Alarm2", "5 Secondary1", "5 Secondary2", "5 Late", "5 Primary3"}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if e.Now() != 5 || e.CurrentTime() != e.Seconds(5) {
		t.Errorf("the run ends in cycle %d, %v s", e.Now(), e.CurrentTime())
	}
}

func TestAlarms(t *testing.T) {
	for _, c := range []struct {
		set  []uint64
		want []string
	}{
		{[]uint64{7}, []string{"7 A"}},
		{[]uint64{9, 4}, []string{"4 A"}},
		{[]uint64{4, 9}, []string{"4 A"}},
		{[]uint64{horizon - 1}, []string{"1023 A"}},
		{[]uint64{horizon}, []string{"1024 A"}},
		{[]uint64{5 * horizon, 3*horizon + 1}, []string{"3073 A"}},
		{[]uint64{5 * horizon, 3}, []string{"3 A"}},
		{[]uint64{1 << 40}, []string{"1099511627776 A"}},
		{[]uint64{0}, []string{"0 A"}},
		{[]uint64{Never}, nil},
	} {
		e := New(1 * sim.GHz)
		var log []string
		r := newRecorder(e, "A", &log)
		a := NewAlarm(&r.Base, r, false)
		for _, cycle := range c.set {
			a.Set(cycle)
		}
		suite.OK(t, e.Run())
		if diff := cmp.Diff(c.want, log); diff != "" {
			t.Errorf("set to %v (-want +got):\n%s", c.set, diff)
		}
		if last := c.set[len(c.set)-1]; last < Never && e.Now() != slices.Min(c.set) {
			t.Errorf("set to %v: the run ends in cycle %d", c.set, e.Now())
		}
		if a.Cycle() != Never || r.Activity().Events != uint64(len(c.want)) {
			t.Errorf("set to %v: then for %d, %d events", c.set, a.Cycle(), r.Activity().Events)
		}
	}
}

// An alarm that rings may be set again, for the same cycle too.
func TestAlarmsFromAlarms(t *testing.T) {
	e := New(1 * sim.GHz)
	var log []string
	r := newRecorder(e, "A", &log)
	a := NewAlarm(&r.Base, r, true)
	next := []uint64{3, 4, 2000}
	r.then = func(sim.Event) error {
		if len(next) > 0 {
			a.Set(next[0])
			next = next[1:]
		}
		return nil
	}
	a.Set(3)
	suite.OK(t, e.Run())
	if diff := cmp.Diff([]string{"3 A", "3 A", "4 A", "2000 A"}, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Events run in the order of their scheduling, wherever they waited.
func TestFarEvents(t *testing.T) {
	e := New(1 * sim.GHz)
	var log []string
	const far = 1 << 33
	add := func(name string) { e.Schedule(&event{e.Seconds(far), newRecorder(e, name, &log), false}) }
	add("First")
	add("Second")
	near := newRecorder(e, "Near", &log)
	near.then = func(sim.Event) error { add("Third"); return nil }
	e.Schedule(&event{e.Seconds(far - 10), near, false})
	suite.OK(t, e.Run())
	want := []string{fmt.Sprint(far-10, " Near"), fmt.Sprint(far, " First"), fmt.Sprint(far, " Second"), fmt.Sprint(far, " Third")}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Times that Akita's clocks compute fall on cycles, at any clock and late in a run.
func TestAkitaTimesAreCycles(t *testing.T) {
	for _, freq := range []sim.Freq{1 * sim.GHz, 2500 * sim.MHz, 1700 * sim.MHz, 925 * sim.MHz} {
		for _, cycle := range []uint64{0, 1, 3, 999, 1 << 20, 123456789, 1 << 36} {
			e := New(freq)
			var log []string
			r := newRecorder(e, "R", &log)
			now := e.Seconds(cycle)
			e.Schedule(&event{freq.NextTick(now), r, false})
			e.Schedule(&event{freq.ThisTick(now), r, false})
			e.Schedule(&event{freq.NCyclesLater(7, now), r, false})
			suite.OK(t, e.Run())
			want := []string{fmt.Sprint(cycle, " R"), fmt.Sprint(cycle+1, " R"), fmt.Sprint(cycle+7, " R")}
			if diff := cmp.Diff(want, log); diff != "" {
				t.Errorf("%v, cycle %d (-want +got):\n%s", freq, cycle, diff)
			}
		}
	}
}

// Events between two cycles run there, in the order of their times.
func TestSplitCycles(t *testing.T) {
	e := New(1 * sim.GHz)
	var log []string
	for _, at := range []float64{2.5, 2, 2.25, 3, 0.5} {
		e.Schedule(&event{sim.VTimeInSec(at * 1e-9), newRecorder(e, fmt.Sprintf("T%d", int(at*100)), &log), false})
	}
	suite.OK(t, e.Run())
	if diff := cmp.Diff([]string{"0 T50", "2 T200", "2 T225", "2 T250", "3 T300"}, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestErrorsStopTheRun(t *testing.T) {
	e := New(1 * sim.GHz)
	var log []string
	bad := errors.New("bad")
	r, other := newRecorder(e, "R", &log), newRecorder(e, "S", &log)
	r.then = func(sim.Event) error { return bad }
	e.Schedule(&event{e.Seconds(2), r, false})
	e.Schedule(&event{e.Seconds(2), other, false})
	e.Schedule(&event{e.Seconds(3), r, false})
	if err := e.Run(); !errors.Is(err, bad) || len(log) != 1 {
		t.Errorf("error %v after %v, want the handler's after one event", err, log)
	}
	past := New(1 * sim.GHz)
	p := newRecorder(past, "P", &log)
	p.then = func(sim.Event) error {
		past.Schedule(&event{past.Seconds(1), p, false})
		return nil
	}
	past.Schedule(&event{past.Seconds(2), p, false})
	if err := past.Run(); !errors.Is(err, ErrPast) {
		t.Errorf("an event in the past: error %v", err)
	}
}

func TestLimitAndWatch(t *testing.T) {
	endless := func() (*Engine, *uint64) {
		e := New(1 * sim.GHz)
		var log []string
		r := newRecorder(e, "R", &log)
		a := NewAlarm(&r.Base, r, false)
		count := new(uint64)
		r.then = func(sim.Event) error {
			*count++
			log = log[:0]
			a.Set(e.Now() + 1)
			return nil
		}
		a.Set(0)
		return e, count
	}
	e, count := endless()
	e.Limit(500, func(uint64) error { return nil })
	if err := e.Run(); !errors.Is(err, ErrLimit) || *count != 500 {
		t.Errorf("error %v after %d cycles, want the limit after 500", err, *count)
	}
	e, count = endless()
	stop := errors.New("stop")
	e.Limit(Never, func(now uint64) error {
		if now > 10000 {
			return stop
		}
		return nil
	})
	if err := e.Run(); !errors.Is(err, stop) || *count < 10000 || *count > 10000+watchEvery {
		t.Errorf("error %v after %d cycles", err, *count)
	}
}

func TestEngineSampling(t *testing.T) {
	e := New(1 * sim.GHz)
	var log []string
	r := newRecorder(e, "R", &log)
	for _, cycle := range []uint64{2, 5, 6, 30} {
		e.Schedule(&event{e.Seconds(cycle), r, false})
	}
	var at []uint64
	e.Sample(3, func(now uint64) uint64 {
		at = append(at, now)
		return now + 10
	})
	suite.OK(t, e.Run())
	if diff := cmp.Diff([]uint64{5, 30}, at); diff != "" {
		t.Errorf("sampled in (-want +got):\n%s", diff)
	}
}

// hook notes positions.
type hook struct{ seen []string }

func (h *hook) Func(c sim.HookCtx) { h.seen = append(h.seen, c.Pos.Name) }

func TestMessages(t *testing.T) {
	e := New(1 * sim.GHz)
	var log []string
	from, to := newRecorder(e, "From", &log), newRecorder(e, "To", &log)
	out, in := NewPort(&from.Base, from, "Out"), NewPort(&to.Base, to, "In")
	h := &hook{}
	out.AcceptHook(h)
	in.AcceptHook(h)
	m := &note{}
	out.Post(m, in, 8)
	suite.OK(t, e.Run())
	if m.ID != "From.Out#1" || m.Src != sim.Port(out) || m.Dst != sim.Port(in) || m.SendTime != 0 || m.RecvTime != e.Seconds(8) {
		t.Errorf("the message is described as %+v", m.MsgMeta)
	}
	out.Deliver(m, in, 8) // within the cycle
	if diff := cmp.Diff([]string{"8 To", "8 To"}, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Port Msg Send", "Port Msg Recv", "Port Msg Send", "Port Msg Recv"}, h.seen); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	if got, want := to.Activity(), (ActivityCounts{Events: 1, Received: 1, Calls: 1}); got != want || from.Activity().Sent != 1 || to.Engine.Handled() != 1 {
		t.Errorf("work %+v and %+v, want %+v", got, from.Activity(), want)
	}
	if to.GetPortByName("In") != sim.Port(in) {
		t.Error("Akita does not find the port by its name")
	}
}

func TestEngineHooks(t *testing.T) {
	e := New(1 * sim.GHz)
	var log []string
	r := newRecorder(e, "R", &log)
	NewAlarm(&r.Base, r, false).Set(1)
	e.Schedule(&event{e.Seconds(2), r, false})
	h := &hook{}
	e.AcceptHook(h)
	suite.OK(t, e.Run())
	if diff := cmp.Diff([]string{"BeforeEvent", "AfterEvent", "BeforeEvent", "AfterEvent"}, h.seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A paused engine runs no events until Continue.
func TestPause(t *testing.T) {
	e := New(1 * sim.GHz)
	var log []string
	r := newRecorder(e, "R", &log)
	a := NewAlarm(&r.Base, r, false)
	var count uint64
	r.then = func(sim.Event) error {
		log = log[:0]
		if count++; count < 1<<20 {
			a.Set(e.Now() + 1)
		}
		return nil
	}
	a.Set(0)
	done := make(chan error)
	go func() { done <- e.Run() }()
	for range 20 {
		e.Pause()
		at := e.CurrentTime()
		for range 100 { // the engine's turn, if it took one
			runtime.Gosched()
		}
		if e.CurrentTime() != at {
			t.Error("time goes on while the engine is paused")
		}
		e.Continue()
		e.Continue() // a second one does nothing
	}
	if err := <-done; err != nil || count != 1<<20 {
		t.Errorf("%d events, error %v", count, err)
	}
}

// jumper is a handler that schedules further events, the same on any engine.
type jumper struct {
	engine sim.Engine
	freq   sim.Freq
	rng    *rand.Rand
	left   int
	log    []string
}

func (j *jumper) Handle(e sim.Event) error {
	x := e.(*numbered)
	j.log = append(j.log, fmt.Sprintf("%d at %d", x.n, j.freq.Cycle(e.Time())))
	for range j.rng.Intn(3) {
		if j.left == 0 {
			break
		}
		j.left--
		// Akita's engines do not keep the order within a time: give each event its own.
		x.used[0]++
		gap := uint64(j.rng.Intn(3000)) + 1
		j.schedule(j.freq.Cycle(e.Time())+gap, x.used)
	}
	return nil
}

type numbered struct {
	event
	n    int
	used *[1]int
}

func (j *jumper) schedule(cycle uint64, used *[1]int) {
	j.engine.Schedule(&numbered{event{sim.VTimeInSec(float64(cycle) / float64(j.freq)), j, j.rng.Intn(2) == 0}, used[0], used})
}

// Events of different times, and the two phases of one time, run in the order of Akita's own engine.
func TestEventOrderMatchesAkita(t *testing.T) {
	run := func(e sim.Engine, freq sim.Freq, seed int64) []string {
		j := &jumper{engine: e, freq: freq, rng: rand.New(rand.NewSource(seed)), left: 300}
		used := &[1]int{}
		j.schedule(1, used)
		j.schedule(7, used)
		suite.OK(t, e.Run())
		return j.log
	}
	compared := 0
	for seed := range int64(50) {
		freq := 1300 * sim.MHz
		ours, akitas := run(New(freq), freq, seed), run(sim.NewSerialEngine(), freq, seed)
		cycles := map[string]bool{}
		meet := false
		for _, line := range akitas {
			at := line[len(line)-6:]
			meet = meet || cycles[at]
			cycles[at] = true
		}
		if meet {
			continue // two events at one time: Akita's order is that of its heap
		}
		compared++
		if diff := cmp.Diff(akitas, ours); diff != "" {
			t.Fatalf("seed %d (-akita +ours):\n%s", seed, diff)
		}
	}
	if compared < 5 {
		t.Fatalf("%d runs compared", compared)
	}
}

func TestEngineAllocations(t *testing.T) {
	e := New(1 * sim.GHz)
	log := make([]string, 0, 1)
	r := newRecorder(e, "R", &log)
	a := NewAlarm(&r.Base, quiet{}, true)
	p := NewPort(&r.Base, r, "P")
	p.owner = quietComponent{r}
	m := &note{}
	run := func() {
		for i := range uint64(100) {
			a.Set(e.Now() + i)
		}
		p.Post(m, p, e.Now()+5)
		e.Run()
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

type quiet struct{}

func (quiet) Handle(sim.Event) error { return nil }

type quietComponent struct{ *recorder }

func (quietComponent) Handle(sim.Event) error { return nil }

// Alarms ring by cycle, and in one cycle in the order of their creation, even if further alarms are created after
// others were set.
func TestManyAlarms(t *testing.T) {
	e := New(1 * sim.GHz)
	var log, want []string
	type set struct {
		cycle uint64
		name  string
	}
	var sets []set
	r := rand.New(rand.NewSource(4))
	for i := range 300 {
		name := fmt.Sprintf("A%d", i)
		c := newRecorder(e, name, &log)
		at := uint64(r.Intn(3 * horizon / 2))
		NewAlarm(&c.Base, c, true).Set(at)
		sets = append(sets, set{at, name})
	}
	slices.SortStableFunc(sets, func(a, b set) int { return int(a.cycle) - int(b.cycle) })
	for _, s := range sets {
		want = append(want, fmt.Sprintf("%d %s", s.cycle, s.name))
	}
	suite.OK(t, e.Run())
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
