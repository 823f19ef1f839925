package experiments

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/energy"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// A board has the published power of a board or package besides its limit, in watts; 0: not published.
type board struct {
	preset string
	fitted bool // the preset's energies were fitted, so that the first three columns only show that one table can meet them all
	idle   float64
	peak   float64 // of multiply-adds and matrix products: the vendors' board power, as no other peaks are published
	units  string  // compute units, each with a workgroup of products; empty: no matrix unit, or the one of another row
	bit    float64 // of device memory in a stream, pJ
}

// Idle: TechPowerUp, after nationalpcbuilder.com and ecoenergygeek.com; R9 Nano: Tom's Hardware. Peaks: AMD's product
// pages and data sheets. Bits: GDDR6 by Micron, HBM by AMD (35 GB/s per watt), HBM2 by O'Connor and others (MICRO
// 2017).
var boards = []board{
	{"rdna3-rx7900xtx", true, 28, 355, "96", 7.5},
	{"rdna2-rx6800xt", true, 7, 300, "", 7.5},
	{"rdna4-like", true, 0, 304, "64", 7.5},
	{"gcn3-r9nano", true, 11, 175, "", 3.6},
	{"cdna3-mi300a", true, 0, 550, "228", 3.92},
	{"rdna3-w7800", false, 0, 260, "", 7.5},
	{"rdna2-rx6900xt", false, 0, 300, "", 7.5},
	{"rdna4-rx9070xt", false, 0, 304, "", 7.5},
	{"cdna2-mi210", false, 0, 300, "", 0},
}

// offPublished is the tolerated relative error of a preset.
const offPublished = 0.2

func powerRun(t *testing.T, preset, job string, params ...string) *gpu.Result {
	t.Helper()
	j := suite.Must(config.LoadJobWith(os.DirFS("figures/jobs"), job+".yaml", params))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: j, Machine: preset, Set: []string{"dispatcher.kernel_launch_cycles=0", "dispatcher.launch_floor_cycles=0"}}))(t)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j})
	if err != nil {
		t.Fatalf("%s on %s: %v", job, preset, err)
	}
	return r
}

// cell writes a cell of the page's table: a run's value next to the published one, from which it may differ by a fifth.
func cell(t *testing.T, what string, got, published float64, unit string) string {
	t.Helper()
	digits := 0
	if got < 20 {
		digits = 1
	}
	shown := strconv.FormatFloat(got, 'f', digits, 64)
	if published == 0 {
		return shown + unit + ", none published"
	}
	if math.Abs(got-published) > offPublished*published {
		t.Errorf("%s: %.1f%s, published %g", what, got, unit, published)
	}
	return fmt.Sprintf("%s of %g%s", shown, published, unit)
}

func (b *board) watts(t *testing.T, job string, params ...string) float64 {
	t.Helper()
	s := powerRun(t, b.preset, job, params...).Stats
	return s.Energies.Watts(s.Energy().Total(), s.Cycles)
}

// stream returns the energy per bit of device memory in a stream, whose power is at most a fifth above the board's
// limit.
func (b *board) stream(t *testing.T) float64 {
	t.Helper()
	s := powerRun(t, b.preset, "stream", "groups=128").Stats
	bits := 0.0
	for _, l := range s.Memory {
		if l.Name == "memory" {
			bits = 8 * float64(l.Bytes)
		}
	}
	if watts := s.Energies.Watts(s.Energy().Total(), s.Cycles); watts > (1+offPublished)*s.Energies.Table.LimitWatts {
		t.Errorf("%s, stream: %.1f W of at most %g", b.preset, watts, s.Energies.Table.LimitWatts)
	}
	return s.Energy().Joules[energy.Memory] * 1e12 / bits
}

func (b *board) row(t *testing.T) string {
	t.Helper()
	fitted := "fitted"
	if !b.fitted {
		fitted = "not fitted"
	}
	products := "not run"
	if b.units != "" {
		products = cell(t, b.preset+", products", b.watts(t, "matrixpeak", "rounds=5", "groups="+b.units), b.peak, " W")
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", b.preset, fitted, cell(t, b.preset+", idle", b.watts(t, "idle"), b.idle, " W"),
		cell(t, b.preset+", multiply-adds", b.watts(t, "fma", "rounds=8"), b.peak, " W"), products,
		cell(t, b.preset+", stream, pJ a bit", b.stream(t), b.bit, ""))
}

// Each preset consumes the published power of its board or package, within a fifth, idle and at its peaks, and its
// memory the published energy per bit. The page of energies has the table.
func TestBoardsTakeTheirPower(t *testing.T) {
	page := suite.Must(os.ReadFile("../docs/model/energy.md"))(t)
	for i := range boards {
		b := &boards[i]
		if testing.Short() && b.units != "" {
			continue
		}
		t.Run(b.preset, func(t *testing.T) {
			t.Parallel()
			if row := b.row(t); !strings.Contains(string(page), row+"\n") {
				t.Errorf("docs/model/energy.md has another row than\n%s", row)
			}
		})
	}
}
