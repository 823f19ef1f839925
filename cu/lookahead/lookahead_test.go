package lookahead

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/internal/fault"
	"spvsim/internal/suite"
)

// A fake has a turn every step cycles, and says of the last that others can observe.
type fake struct {
	engine.Base
	runner    *Runner
	next, end uint64
	step      uint64
	bound     uint64
	log       []uint64
	where     []int  // the copy in which each turn counted
	turn      func() // of each
	copy      int
}

func newFake(e *engine.Engine, a *Units, name string) *fake {
	f := &fake{Base: engine.NewBase(e, name), step: 10, end: 100, bound: engine.Never}
	f.runner = a.Add(f, &f.Base, f)
	return f
}

func (f *fake) Handle(sim.Event) error {
	f.runner.RunEvent(f.Engine.Now())
	return nil
}

func (f *fake) Next() uint64            { return f.next }
func (f *fake) Bound() uint64           { return f.bound }
func (f *fake) Local(cycle uint64) bool { return cycle < f.end }
func (f *fake) CountIn(copy int)        { f.copy = copy }

func (f *fake) Advance(cycle uint64) uint64 {
	if cycle < f.next {
		return f.next
	}
	f.log, f.where = append(f.log, cycle), append(f.where, f.copy)
	if f.next += f.step; f.next > f.end {
		f.next = engine.Never
	}
	if f.turn != nil {
		f.turn()
	}
	return f.next
}

type hook struct{}

func (hook) Func(sim.HookCtx) {}

// Turns that other parts can't observe are no events, up to the unit's bound, the limit of the run, and MaxAhead.
func TestTurnsAheadAreNoEvents(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(e *engine.Engine, f *fake)
		ahead uint64 // of the turns in cycles 0, 10, ... 100
	}{
		"free":   {func(*engine.Engine, *fake) {}, 9},                   // all but the first and the last
		"bound":  {func(_ *engine.Engine, f *fake) { f.bound = 51 }, 5}, // to cycle 50
		"events": {func(_ *engine.Engine, f *fake) { f.bound = 0 }, 0},
		"hook":   {func(e *engine.Engine, _ *fake) { e.AcceptHook(hook{}) }, 0},
		"limit":  {func(e *engine.Engine, _ *fake) { e.Limit(101, func(uint64) error { return nil }) }, 9},
		"sample": {func(e *engine.Engine, _ *fake) { e.Sample(50, func(uint64) uint64 { return engine.Never }) }, 8},
		"long":   {func(_ *engine.Engine, f *fake) { f.step, f.end = MaxAhead-1, 3*(MaxAhead-1) }, 1},
	} {
		e := engine.New(1 * sim.GHz)
		a := New(e)
		f := newFake(e, a, "Unit")
		c.do(e, f)
		f.runner.Plan()
		suite.OK(t, e.Run())
		var want []uint64
		for at := uint64(0); at <= f.end; at += f.step {
			want = append(want, at)
		}
		if got := f.runner.CyclesAhead(); !slices.Equal(f.log, want) || got != c.ahead || e.Handled() != uint64(len(want))-got {
			t.Errorf("%s: turns %v, %d ahead and %d events, want %d ahead", name, f.log, got, e.Handled(), c.ahead)
		}
	}
}

// Workers run what the engine's thread gives away: here one unit's turn waits for it, and does not end otherwise.
func TestWorkersWork(t *testing.T) {
	e := engine.New(1 * sim.GHz)
	a := New(e)
	a.Threads(2)
	first, second := newFake(e, a, "First"), newFake(e, a, "Second")
	worked := make(chan bool)
	first.turn = func() {
		if first.copy > 0 && len(first.log) == 2 {
			worked <- true
		}
	}
	second.bound = 0
	second.turn = func() {
		if len(second.log) == 1 {
			<-worked
		}
	}
	first.runner.Plan()
	second.runner.Plan()
	suite.OK(t, e.Run())
	a.End()
	if got := a.WorkerCycles(); got == 0 || first.where[1] != 1 || len(first.log) != 11 || len(second.log) != 11 {
		t.Errorf("%d turns of workers; turns %v in copies %v, and %v", got, first.log, first.where, second.log)
	}
}

// A unit that a worker has is taken back in the cycle that it got to, whoever asks; turns come in order.
func TestJoin(t *testing.T) {
	for _, threads := range []int{1, 2, 3} {
		e := engine.New(1 * sim.GHz)
		a := New(e)
		var units []*fake
		for i := range 40 {
			f := newFake(e, a, fmt.Sprint("Unit", i))
			f.step, f.end = uint64(i%7+1), 5000
			units = append(units, f)
		}
		a.Threads(threads)
		for _, f := range units {
			f.runner.Plan()
		}
		e.Limit(engine.Never, func(uint64) error { a.Join(); return nil })
		suite.OK(t, e.Run())
		a.End()
		for _, f := range units {
			if want := 5000/f.step + 1; uint64(len(f.log)) != want || !slices.IsSorted(f.log) {
				t.Errorf("%d threads, every %d: %d turns, want %d in order", threads, f.step, len(f.log), want)
			}
		}
	}
}

// What a worker panics with, the engine's thread does.
func TestPanicOfAWorker(t *testing.T) {
	e := engine.New(1 * sim.GHz)
	a := New(e)
	f, other := newFake(e, a, "Unit"), newFake(e, a, "Other")
	a.Threads(2)
	failed := make(chan bool)
	f.turn = func() {
		if f.copy > 0 {
			close(failed)
			panic("a fault")
		}
	}
	other.bound = 0
	other.turn = func() {
		if len(other.log) == 1 {
			<-failed
		}
	}
	f.runner.Plan()
	other.runner.Plan()
	defer func() {
		if p, _ := recover().(*fault.Panic); p == nil || p.Value != "a fault" || !strings.Contains(string(p.Stack), "TestPanicOfAWorker") {
			t.Errorf("recovered %v", p)
		}
		a.pool.stopWorkers()
	}()
	err := e.Run()
	a.End()
	t.Errorf("no panic, error %v (%d processors)", err, runtime.GOMAXPROCS(0))
}
