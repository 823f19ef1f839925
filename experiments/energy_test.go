package experiments

import (
	"context"
	"math"
	"os"
	"testing"

	"spvsim/config"
	"spvsim/energy"
	"spvsim/gpu"
)

// A published figure of a board or package. A key of the preset's table was fitted to each.
type published struct {
	preset, job string
	watts       float64
	source      string
	groups      string // of products: one for each compute unit
}

// Matrix products and multiply-adds at their peak are held to the power that vendors give boards, as no others are published.
var boards = []published{
	{"rdna3-rx7900xtx", "idle", 28, "TechPowerUp, after nationalpcbuilder.com", ""},
	{"rdna3-rx7900xtx", "fma", 355, "AMD product page; 366 W in FurMark, Tom's Hardware", ""},
	{"rdna3-rx7900xtx", "matrixpeak", 355, "AMD product page", "groups=96"},
	{"rdna2-rx6800xt", "idle", 7, "TechPowerUp, after ecoenergygeek.com", ""},
	{"rdna2-rx6800xt", "fma", 300, "AMD product page", ""},
	{"rdna4-like", "fma", 304, "AMD product page, RX 9070 XT", ""},
	{"rdna4-like", "matrixpeak", 304, "AMD product page, RX 9070 XT", "groups=64"},
	{"gcn3-r9nano", "idle", 11, "Tom's Hardware", ""},
	{"gcn3-r9nano", "fma", 175, "AMD product page; 185 W in games, hardware.fr", ""},
	{"cdna3-mi300a", "fma", 550, "AMD data sheet", ""},
	{"cdna3-mi300a", "matrixpeak", 550, "AMD data sheet", "groups=228"},
}

// What a stream takes of device memory a bit, by who has published it.
var perBit = []struct {
	preset string
	pJ     float64
	source string
}{
	{"rdna3-rx7900xtx", 7.5, "Micron: GDDR6"}, {"rdna2-rx6800xt", 7.5, "Micron: GDDR6"}, {"rdna4-like", 7.5, "Micron: GDDR6"},
	{"gcn3-r9nano", 3.6, "AMD: HBM, 35 GB/s a watt"}, {"cdna3-mi300a", 3.92, "O'Connor and others, MICRO 2017: HBM2"},
}

// offPublished is by how much a preset may be off what is published.
const offPublished = 0.2

func powerRun(t *testing.T, preset, job string, params ...string) *gpu.Result {
	t.Helper()
	j, err := config.LoadJobWith(os.DirFS("figures/jobs"), job+".yaml", params)
	if err != nil {
		t.Fatal(err)
	}
	m, err := config.LoadMachine(config.Request{Job: j, Machine: preset, Set: []string{"dispatcher.kernel_launch_cycles=0", "dispatcher.launch_floor_cycles=0"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j})
	if err != nil {
		t.Fatalf("%s on %s: %v", job, preset, err)
	}
	return r
}

// Each preset takes the power that is published of its board or package, within a fifth, idle and at its peaks, and no more than a fifth
// above its limit in a stream.
func TestBoardsTakeTheirPower(t *testing.T) {
	for _, b := range boards {
		if testing.Short() && b.job != "idle" {
			continue
		}
		r := powerRun(t, b.preset, b.job, map[string][]string{"fma": {"rounds=4"}, "matrixpeak": {"rounds=5", b.groups}}[b.job]...)
		got := r.Stats.Energies.Watts(r.Stats.Energy().Total(), r.Stats.Cycles)
		t.Logf("%s, %s: %.1f W, published %g W (%s)", b.preset, b.job, got, b.watts, b.source)
		if math.Abs(got-b.watts) > offPublished*b.watts {
			t.Errorf("%s, %s: %.1f W, published %g W (%s)", b.preset, b.job, got, b.watts, b.source)
		}
	}
	for _, b := range perBit {
		r := powerRun(t, b.preset, "stream", "groups=128")
		s, bits := r.Stats, 0.0
		for _, l := range s.Memory {
			if l.Name == "memory" {
				bits = 8 * float64(l.Bytes)
			}
		}
		watts, got := s.Energies.Watts(s.Energy().Total(), s.Cycles), s.Energy().Joules[energy.Memory]*1e12/bits
		t.Logf("%s, stream: %.1f W, %.2f pJ a bit, published %g (%s)", b.preset, watts, got, b.pJ, b.source)
		if math.Abs(got-b.pJ) > offPublished*b.pJ || watts > (1+offPublished)*s.Energies.Table.LimitWatts {
			t.Errorf("%s, stream: %.2f pJ a bit, published %g (%s); %.1f W", b.preset, got, b.pJ, b.source, watts)
		}
	}
}
