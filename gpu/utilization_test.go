package gpu_test

import (
	"context"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/isa"
)

// The address path takes a wave's access for the cycles of its bytes at the vector cache's rate: 32 lanes of 4 bytes at 64 bytes a
// cycle are 2 cycles. What the links of a level carry is what the next level moves.
func TestUseOfUnitsAndLinks(t *testing.T) {
	for _, machine := range []string{"rdna3-rx7900xtx", "cdna3-mi300a", "gcn3-r9nano"} {
		files, file, _, err := experiments.Lookup("saxpy")
		if err != nil {
			t.Fatal(err)
		}
		job := suite.Must(config.LoadJob(files, file))(t)
		m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: machine, Set: []string{"vector_memory.translation_cycles=0", "translation.entries=0"}}))(t)
		r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job}))(t)
		rate := m.VectorL1.BytesPerCycle * float64(m.VectorL1.Slices)
		want := max(uint64(float64(4*m.WaveSize)/rate), uint64(m.WaveSize/m.VectorMemory.LanesPerCycle))
		l, accesses := &r.Listings[0], 0
		for i := range l.Counts {
			in, n := &l.Program.Insts[i], &l.Counts[i]
			if in.Mem == nil || in.Mem.Scalar || in.Mem.Space == isa.SpaceLDS {
				continue
			}
			accesses++
			if n.UnitCycles != want*n.Issues {
				t.Errorf("%s: instruction %d: %d cycles of %d accesses, want %d each", machine, i, n.UnitCycles, n.Issues, want)
			}
		}
		if accesses == 0 {
			t.Errorf("%s: no accesses", machine)
		}
		c := &r.Stats.Counts
		for i := range c.Memory {
			sum, written, from := uint64(0), uint64(0), 0
			for k := range c.Memory[:i] {
				if next(m, c.Memory[k].Name) == c.Memory[i].Name {
					sum, written, from = sum+c.Links[k].Read, written+c.Links[k].Written, from+1
				}
			}
			if to := &c.Memory[i]; from > 0 && (sum != to.Bytes-to.Written || written != to.Written) {
				t.Errorf("%s: links to %s carry %d bytes from it and %d to it, and it moves %d, of which %d are written", machine, to.Name, sum, written, to.Bytes, to.Written)
			}
		}
	}
}

// next is the level behind one.
func next(m *config.Machine, level string) string {
	behind := map[string][]string{
		"vector_l1": {"shader_array", "l2"}, "scalar_l1": {"shader_array", "l2"}, "shader_array": {"l2"}, "l2": {"memory_side", "memory"}, "memory_side": {"memory"},
	}
	for _, name := range behind[level] {
		if c := m.Level(name); c == nil || c.Present() {
			return name
		}
	}
	return ""
}
