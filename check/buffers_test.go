package check_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spvsim/check"
	"spvsim/isa"
	"spvsim/program"
)

// An access by all lanes of an instruction finds what the same accesses find lane by lane: records of blocks are those of their granules.
func TestRecordsOfBlocks(t *testing.T) {
	p := &program.Program{Name: "p"}
	for _, op := range []isa.Op{isa.Load, isa.Store, isa.AtomicIAdd} {
		for _, count := range []uint8{1, 2, 3, 4} {
			if op == isa.AtomicIAdd {
				count = 1
			}
			p.Insts = append(p.Insts, isa.Inst{Op: op, Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceFlat, Elem: isa.I32, Count: count}}})
		}
	}
	const groups, accesses, found = 3, 12, 40
	runs := 0
	for seed := range uint64(200) {
		var reports [2][]check.Finding
		for way := range reports {
			random := rand.New(rand.NewPCG(seed, 53))
			c := check.New()
			l := c.Launch(check.LaunchSetup{Name: "launch", Programs: []*program.Program{p}, Buffer: func(uint64) (string, uint64) { return "b", 0 }})
			var list [groups]*check.GroupCheck
			for i := range list {
				list[i] = l.Begin(p, uint64(i), [3]uint32{uint32(i)}, 2)
			}
			for range accesses {
				g, pc := list[random.IntN(groups)], random.IntN(len(p.Insts))
				st := &isa.State{Lanes: 32, WaveInGroup: random.Uint32N(2)}
				in := &p.Insts[pc]
				bytes := 4 * uint64(in.Mem.Count)
				mask, stride := ^uint64(0)>>32, bytes
				if random.IntN(4) == 0 {
					mask &= random.Uint64()
				}
				if random.IntN(4) == 0 {
					stride *= 2
				}
				var addr [64]uint64
				from := 4096 + 4*random.Uint64N(8)*random.Uint64N(64)
				for n := range uint64(32) {
					addr[n] = from + n*stride
				}
				if way == 0 {
					g.AccessBuffer(st, pc, in, mask, &addr, bytes)
					continue
				}
				for n := range 32 {
					if mask>>n&1 != 0 {
						g.AccessBuffer(st, pc, in, 1<<n, &addr, bytes)
					}
				}
			}
			reports[way] = c.Report().Findings
		}
		if diff := cmp.Diff(reports[1], reports[0], cmpopts.IgnoreUnexported(check.Finding{})); diff != "" {
			t.Fatalf("seed %d: lane by lane (-) and together (+):\n%s", seed, diff)
		}
		if len(reports[0]) > 0 {
			runs++
		}
	}
	if runs < found {
		t.Errorf("%d of 200 runs have findings, want %d at least: the test shows nothing", runs, found)
	}
}
