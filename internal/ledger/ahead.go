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

// EachTurn is a gpu.Setup.Attach that makes each issue cycle of a unit an event of its own, by a hook on the engine.
func EachTurn(e sim.Engine, _ []sim.Component) error {
	e.AcceptHook(listener{})
	return nil
}

// Ahead runs a job with each issue cycle as an event, then with units that run ahead of the engine on one thread, and on several. It returns
// the first difference from the first run, or "".
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
