package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/gpu"
)

// listener is a hook that receives events and does nothing.
type listener struct{}

func (listener) Func(sim.HookCtx) {}

// EachTurn is for gpu.Setup.Attach: with a hook on the engine each turn of a unit is an event of its own.
func EachTurn(e sim.Engine, _ []sim.Component) error {
	e.AcceptHook(listener{})
	return nil
}

// Ahead runs a job with each turn as an event, with units that go ahead of the engine, and with so many threads that take them there. It says what
// came to something else than the first; nothing does.
func Ahead(s gpu.Setup, threads int) string {
	said := func(s gpu.Setup) string {
		r, err := gpu.Run(context.Background(), s)
		text := result(r, err)
		if r != nil {
			text += "\n" + strings.Join(r.Faults, "\n")
		}
		return text
	}
	s.Threads, s.Attach = 1, EachTurn
	want := said(s)
	s.Attach = nil
	for _, s.Threads = range []int{1, threads} {
		if got := said(s); got != want {
			return fmt.Sprintf("%s\neach turn an event: %s\n%d threads: %s", Settings(s.Machine), want, s.Threads, got)
		}
	}
	return ""
}
