package systemtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/lds"
)

// sharesHook counts what hooks on local data shares see.
type sharesHook struct{ account.LDSCounts }

func (h *sharesHook) Func(ctx sim.HookCtx) {
	t := ctx.Item.(lds.Access).Response
	h.Add(&account.LDSCounts{Accesses: 1, Passes: uint64(t.Passes), ConflictPasses: uint64(t.ConflictPasses)})
}

// The counts of local data shares come from those of instructions; a hook on each of the shares sees the same, in
// several launches, graphs and programs of several workgroups a unit.
func TestSharesSeeWhatInstructionsCount(t *testing.T) {
	for _, name := range []string{"bitonic", "coalesced", "groupscan-lds", "planes"} {
		t.Run(name, func(t *testing.T) {
			job := suite.Must(config.LoadJob(os.DirFS(filepath.FromSlash("../../experiments/library")), name+".yaml"))(t)
			machine := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
			var seen sharesHook
			r, err := gpu.Run(context.Background(), gpu.Setup{Machine: machine, Job: job, Attach: func(_ sim.Engine, parts []sim.Component) error {
				for _, c := range parts {
					if c, ok := c.(*lds.Component); ok {
						c.AcceptHook(&seen)
					}
				}
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Stats.LDS != seen.LDSCounts || seen.Accesses == 0 {
				t.Errorf("instructions counted %+v, shares %+v", r.Stats.LDS, seen.LDSCounts)
			}
		})
	}
}
