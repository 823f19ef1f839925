package experiments

import (
	"context"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/isa"
)

// conflicts runs a job with a bank mapping and returns the conflict passes of its LDS loads and stores, as the listing
// reports them by instruction, and the machine's count of both.
func conflicts(t *testing.T, job, mapping string) (loads, stores, all uint64) {
	t.Helper()
	j := load(t, job)
	m := suite.Must(config.LoadMachine(config.Request{Machine: "gcn3-r9nano", Job: j, Set: []string{"lds.mapping=" + mapping}}))(t)
	r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j}))(t)
	for _, l := range r.Listings {
		for i, c := range l.Counts {
			if c.LDSPasses < c.ConflictPasses || c.LDSPasses > 0 && l.Program.Insts[i].Class != isa.ClassLDS {
				t.Errorf("%s: %d passes, %d of them conflicts", l.Program.Insts[i].Op, c.LDSPasses, c.ConflictPasses)
			}
			if l.Program.Insts[i].Op == isa.Store {
				stores += c.ConflictPasses
			} else {
				loads += c.ConflictPasses
			}
		}
	}
	return loads, stores, r.Stats.LDS.ConflictPasses
}

// Columns of a 32 x 32 tile of words are in one bank: each of the two halves of a wave64's read takes 32 passes, 31 of
// them conflicts. The XOR mapping removes them, as do padding and swizzling in the shader under the plain one.
func TestMappingsAndLayoutsOfATranspose(t *testing.T) {
	const reads = 8 * 8 * 256 * 4 / 64 // workgroups of 256 invocations, each of which reads four times
	for _, c := range []struct {
		job, mapping string
		loads        uint64
	}{
		{"transpose-plain", "modulo", reads * 2 * 31},
		{"transpose-plain", "xor", 0},
		{"transpose-plain", "padded", 0},
		{"transpose-padded", "modulo", 0},
		{"transpose-swizzled", "modulo", 0},
	} {
		loads, stores, all := conflicts(t, c.job, c.mapping)
		if loads != c.loads || stores != 0 || all != c.loads {
			t.Errorf("%s, %s: conflicts of loads %d, of stores %d, all %d; want %d, 0", c.job, c.mapping, loads, stores, all, c.loads)
		}
	}
}

// The layouts of one shader's views differ in conflicts: vectors swizzled by the row leave columns four-way conflicts
// of rows that are eight apart; the plain tile has 32-way ones.
func TestViewsShowTheirConflicts(t *testing.T) {
	plain, _, _ := conflicts(t, "transpose-plain", "modulo")
	views, _, _ := conflicts(t, "transpose-views", "modulo")
	if views == 0 || views*31 != plain*3 {
		t.Errorf("conflicts of loads: %d plain, %d through views", plain, views)
	}
}

// Real and imaginary parts that pass through the same bytes one after the other need half the LDS of complex numbers.
func TestFourierViewsTakeHalfTheLDS(t *testing.T) {
	size := func(job string) uint32 {
		j := load(t, job)
		m := suite.Must(config.LoadMachine(config.Request{Job: j}))(t)
		r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j}))(t)
		return r.Listings[0].Program.LDSBytes
	}
	if whole, views := size("fft"), size("fft-views"); whole != 8192 || views != 4096 {
		t.Errorf("%d bytes of LDS, %d through views", whole, views)
	}
}
