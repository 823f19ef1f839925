package systemtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/mem"
)

// window is the time in cycles in which no level may move more than its peak.
const window = 1000

// A meter adds up what a level moves, by the windows in which turns come.
type meter struct {
	bytes map[uint64]uint64
}

func (m *meter) Func(ctx sim.HookCtx) {
	if a, ok := ctx.Item.(mem.LevelAccess); ok {
		m.bytes[a.Served/window] += uint64(a.Bytes)
	}
}

// No cache level of a preset moves more bytes in a window than its slices can, whatever the job: what begins at the window's end
// counts whole, a line a slice. (Of memory the same holds burst by burst: mem/dram.) SPVSIM_RANDOM_QUEUES draws more.
func TestLawNoLevelBeatsItsPeak(t *testing.T) {
	n := 2 * len(config.Presets())
	if more, err := strconv.Atoi(os.Getenv("SPVSIM_RANDOM_QUEUES")); err == nil {
		n = more
	}
	b := newKeyBench(t)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 29))
		preset, job := config.Presets()[seed%uint64(len(config.Presets()))], queueJobs[r.IntN(len(queueJobs))]
		b.peaks(preset, job)
	}
}

// peaks runs a job on four units of a preset, and compares each level's windows with its peak.
func (b *keyBench) peaks(preset, job string) {
	b.t.Helper()
	j := b.job(job)
	m, err := config.LoadMachine(config.Request{Machine: preset, Job: j, Set: strings.Fields("compute_units=4 shader_engines=1")})
	if err != nil {
		b.t.Fatal(err)
	}
	meters := map[string]*meter{}
	_, err = gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j, MaxCycles: 1e8, Attach: func(_ sim.Engine, parts []sim.Component) error {
		for _, p := range parts {
			if l, ok := p.(*mem.Level); ok {
				x := &meter{map[uint64]uint64{}}
				meters[strings.ToLower(l.Name())] = x
				l.AcceptHook(x)
			}
		}
		return nil
	}})
	if err != nil && !errors.Is(err, gpu.ErrExpectation) {
		b.t.Fatalf("%s on %s: %v", job, preset, err)
	}
	moved := false
	for _, name := range mem.LevelNames {
		c := m.HierarchySpec.Level(name)
		x := meters[strings.ReplaceAll(name, "_", "")]
		if !c.Present() || x == nil {
			continue
		}
		slots, _ := m.Shape.Instances(c.SharedBy)
		slots *= c.Slices
		peak := uint64(float64(slots)*c.BytesPerCycle*window) + uint64(slots*c.LineBytes)
		for at, bytes := range x.bytes {
			moved = true
			if bytes > peak {
				b.t.Errorf("%s on %s: %s moves %d bytes in %d cycles from cycle %d on, its peak is %d", job, preset, name, bytes, window, at*window, peak)
			}
		}
	}
	if !moved {
		b.t.Errorf("%s on %s: no level has moved anything", job, preset)
	}
}
