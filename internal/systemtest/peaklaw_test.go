package systemtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/mem/hierarchy"
)

// window is the time in cycles in which no level may move more than its peak.
const window = 1000

// A meter adds up what a level moves, and its links in each direction, by the windows in which turns come.
type meter struct {
	level, down, up map[uint64]uint64
}

// both is what links move in both directions.
func (m *meter) both() map[uint64]uint64 {
	sum := maps.Clone(m.down)
	for at, bytes := range m.up {
		sum[at] += bytes
	}
	return sum
}

func (m *meter) Func(ctx sim.HookCtx) {
	switch a := ctx.Item.(type) {
	case hierarchy.LevelAccess:
		m.level[a.Served/window] += uint64(a.Bytes)
	case hierarchy.LinkAccess:
		if a.Kind == hierarchy.Read {
			m.down[a.Served/window] += uint64(a.Bytes)
		} else {
			m.up[a.Served/window] += uint64(a.Bytes)
		}
	}
}

// No cache level of a preset moves more bytes in a window than its slices can, and no direction of its links more than they can,
// whatever the job: what begins at the window's end counts whole, a line a slice or link. (Of memory the same holds burst by burst: mem/dram.) SPVSIM_RANDOM_QUEUES draws more.
func TestLawNoLevelBeatsItsPeak(t *testing.T) {
	n := 2 * len(config.Presets())
	if more, err := strconv.Atoi(os.Getenv("SPVSIM_RANDOM_QUEUES")); err == nil {
		n = more
	}
	b := newKeyBench(t)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 29))
		preset, job := config.Presets()[seed%uint64(len(config.Presets()))], queueJobs[r.IntN(len(queueJobs))]
		b.peaks(preset, job, "")
		rate := strconv.Itoa(1 + r.IntN(8))
		for _, rates := range [][3]string{{rate, rate, "0"}, {"0", "0", rate}} {
			if b.crossed(preset, job, rates) == 0 {
				t.Errorf("%s on %s: no link has moved anything", job, preset)
			}
		}
	}
}

// crossed is what the links of the first and the second cache move, where they are slower than anything else.
func (b *keyBench) crossed(preset, job string, rates [3]string) (bytes uint64) {
	b.t.Helper()
	set := ""
	for _, level := range []string{"vector_l1", "l2"} {
		for i, key := range []string{"link_read", "link_write", "link_shared"} {
			set += fmt.Sprintf(" %s.%s_bytes_per_cycle=%s", level, key, rates[i])
		}
	}
	for _, x := range b.peaks(preset, job, set) {
		for _, of := range []map[uint64]uint64{x.down, x.up} {
			for _, n := range of {
				bytes += n
			}
		}
	}
	return bytes
}

// peaks runs a job on four units of a preset with some keys changed, and compares the windows of each level and its links with their peaks.
func (b *keyBench) peaks(preset, job, set string) map[string]*meter {
	b.t.Helper()
	j := b.job(job)
	m, err := config.LoadMachine(config.Request{Machine: preset, Job: j, Set: strings.Fields("compute_units=4 shader_engines=1" + set)})
	if err != nil {
		b.t.Fatal(err)
	}
	meters := map[string]*meter{}
	_, err = gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j, MaxCycles: 1e8, Attach: func(_ sim.Engine, parts []sim.Component) error {
		for _, p := range parts {
			if l, ok := p.(*hierarchy.Component); ok {
				x := &meter{map[uint64]uint64{}, map[uint64]uint64{}, map[uint64]uint64{}}
				meters[strings.ToLower(l.Name())] = x
				l.AcceptHook(x)
			}
		}
		return nil
	}})
	if err != nil && !errors.Is(err, gpu.ErrExpectation) {
		b.t.Fatalf("%s on %s: %v", job, preset, err)
	}
	moved := 0
	for _, name := range hierarchy.LevelNames {
		c := m.Spec.Level(name)
		x := meters[strings.ReplaceAll(name, "_", "")]
		if !c.Present() || x == nil {
			continue
		}
		n, _ := m.Shape.Instances(c.SharedBy)
		moved += len(x.level)
		what := job + " on " + preset + set + ": " + name
		b.below(what, x.level, n*c.Slices, c.BytesPerCycle, c.LineBytes)
		links := m.Spec.LinkBandwidths(name, m.ClockMHz) // of a cycle of the core
		b.below(what+"'s links from the next level", x.down, n, links[0], c.LineBytes)
		b.below(what+"'s links to the next level", x.up, n, links[1], c.LineBytes)
		b.below(what+"'s links both ways", x.both(), n, links[2], c.LineBytes)
	}
	if moved == 0 {
		b.t.Errorf("%s on %s: no level has moved anything", job, preset)
	}
	return meters
}

// below looks for windows in which n servers of one rate move more than they can.
func (b *keyBench) below(what string, windows map[uint64]uint64, n int, rate float64, line int) {
	b.t.Helper()
	if rate == 0 {
		return // no limit
	}
	peak := uint64(float64(n)*rate*window) + uint64(n*line)
	for at, bytes := range windows {
		if bytes > peak {
			b.t.Errorf("%s: %d bytes in %d cycles from cycle %d on, the peak is %d", what, bytes, window, at*window, peak)
		}
	}
}
